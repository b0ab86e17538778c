"""SPRINGDAMPER, TRANSLATIONAL: spring and damper along the line from the origin of J to that of I.

f = -k (R - length) - c R' + force,   R = |d|,   d = p_i - p_j;   f d/R on I, the opposite on J (positive pushes apart).
Source: Adams Solver manual, SPRINGDAMPER statement.  Where R = 0 the line is undefined: no force, and the tangent is
that of a spring of no free length, -k and -c along every direction.
Energy 1/2 k (R - length)^2 - force (R - length).
"""

from __future__ import annotations

from ..._jit import jit
from ..frames import add_wrench
from .line import line
from .relative import wrench_power

COLUMNS = (
    ("k", "stiffness", "force/length"),
    ("c", "damping", "force*time/length"),
    ("force", "preload at R = length", "force"),
    ("length", "free length", "length"),
)
ELEMENT, TURNS = "SPRINGDAMPER", False


def takes(element) -> bool:
    """Those along a line."""
    return element.kind == "TRANSLATIONAL"


def row(element, model=None) -> tuple[float, ...]:
    """Row of a translational `model.SpringDamper`."""
    return float(element.k), float(element.c), float(element.force), float(element.length)


@jit
def wrench(t, k, i, j, fr, ref, W):
    r, rd, n = line(i, j, fr)
    f = t[k, 2] - t[k, 0] * (r - t[k, 3]) - t[k, 1] * rd
    for c in range(3):
        W[c] = f * n[c]
        W[6 + c] = -W[c]
        W[3 + c] = 0.0
        W[9 + c] = 0.0


@jit
def tangent(t, k, i, j, fr, ref, W, D):
    """dF = (-k nn' - c n g' + f/R (1 - nn')) dd - c nn' dd',   g = (d' - R' n) / R."""
    wrench(t, k, i, j, fr, ref, W)
    r, rd, n = line(i, j, fr)
    f = t[k, 2] - t[k, 0] * (r - t[k, 3]) - t[k, 1] * rd
    s = 1.0 / r if r > 0.0 else 0.0
    for a in range(12):
        for b in range(24):
            D[a, b] = 0.0
    for a in range(3):
        for b in range(3):
            g = s * (fr.v[i, b] - fr.v[j, b] - rd * n[b])
            x = -(t[k, 0] * n[b] + t[k, 1] * g + s * f * n[b]) * n[a]
            y = -t[k, 1] * n[a] * n[b]
            if a == b:
                x += s * f if r > 0.0 else -t[k, 0]
                y += 0.0 if r > 0.0 else -t[k, 1]
            D[a, b] = x
            D[a, 6 + b] = -x
            D[6 + a, b] = -x
            D[6 + a, 6 + b] = x
            D[a, 12 + b] = y
            D[a, 18 + b] = -y
            D[6 + a, 12 + b] = -y
            D[6 + a, 18 + b] = y


@jit
def energy(t, k, i, j, fr, ref):
    x = line(i, j, fr)[0] - t[k, 3]
    return (0.5 * t[k, 0] * x - t[k, 2]) * x


@jit
def power(t, k, i, j, fr, ref, W):
    rd = line(i, j, fr)[1]
    x = -t[k, 1] * rd * rd
    return wrench_power(i, j, fr, W) - x, x


@jit
def add_all(t, i, j, fr, R, ref, Q, out):
    for k in range(t.shape[0]):
        W = out[k]
        wrench(t, k, i[k], j[k], fr, ref, W)
        add_wrench(fr, R, i[k], W[0], W[1], W[2], 0.0, 0.0, 0.0, Q)
        add_wrench(fr, R, j[k], W[6], W[7], W[8], 0.0, 0.0, 0.0, Q)


@jit
def pull(t, k, i, j, fr, ref, virtual, tb, g):
    """Cotangents of the virtual power f n . (u_i - u_j): of the numbers (added to tb), and in g of each frame 18: its
    covector (dp, dtheta, dv, dw), the force and the torque on it.  ``virtual``: displacement and turning of I and J."""
    r, rd, n = line(i, j, fr)
    s = 1.0 / r if r > 0.0 else 0.0
    vi, mi, vj, mj = virtual
    x = t[k, 2] - t[k, 0] * (r - t[k, 3]) - t[k, 1] * rd
    fb = 0.0
    for c in range(3):
        fb += n[c] * (vi[c] - vj[c])
    tb[k, 0] -= (r - t[k, 3]) * fb
    tb[k, 1] -= rd * fb
    tb[k, 2] += fb
    tb[k, 3] += t[k, 0] * fb
    along = 0.0
    for c in range(3):
        along += n[c] * (x * (vi[c] - vj[c]) - t[k, 1] * fb * (fr.v[i, c] - fr.v[j, c]))
    for c in range(36):
        g[c] = 0.0
    for c in range(3):
        y = x * (vi[c] - vj[c]) - t[k, 1] * fb * (fr.v[i, c] - fr.v[j, c])  # cotangent of n
        p = -t[k, 0] * fb * n[c] + s * (y - along * n[c])
        if r == 0.0:
            p = -t[k, 0] * (vi[c] - vj[c])
        v = -t[k, 1] * fb * n[c] if r > 0.0 else -t[k, 1] * (vi[c] - vj[c])
        g[c] = p
        g[18 + c] = -p
        g[6 + c] = v
        g[24 + c] = -v
        g[12 + c] = x * n[c]
        g[30 + c] = -x * n[c]
