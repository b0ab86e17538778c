"""Forces along the line between two frames: length and its rate, wrenches, and the derivatives of what depends on them.

R = |d|,  d = p_i - p_j,  n = d/R,  R' = n . (v_i - v_j).   A force f acts as f n on I and -f n on J: positive pushes
apart.
"""

from __future__ import annotations

import math

from ..._jit import jit


@jit
def line(i, j, fr):
    """R, R' and unit vector from j to i (zero where R = 0)."""
    d0, d1, d2 = fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2]
    r = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    s = 1.0 / r if r > 0.0 else 0.0
    d0 *= s
    d1 *= s
    d2 *= s
    return (
        r,
        d0 * (fr.v[i, 0] - fr.v[j, 0]) + d1 * (fr.v[i, 1] - fr.v[j, 1]) + d2 * (fr.v[i, 2] - fr.v[j, 2]),
        (d0, d1, d2),
    )


@jit
def along_line(f, n, W):
    """W (12,) <- the wrenches of a force f along n."""
    for c in range(3):
        W[c] = f * n[c]
        W[6 + c] = -W[c]
        W[3 + c] = 0.0
        W[9 + c] = 0.0


@jit
def line_rows(i, j, fr, r, rd, n, fr_, fv, row, D):
    """D[row, 0:24] += fr_ dR + fv dR' for a scalar that depends on the line:  dR = n . dd,  dR' = g . dd + n . dv,  g =
    (d' - R' n)/R."""
    s = 1.0 / r if r > 0.0 else 0.0
    for b in range(3):
        g = s * (fr.v[i, b] - fr.v[j, b] - rd * n[b])
        x = fr_ * n[b] + fv * g
        D[row, b] += x
        D[row, 6 + b] -= x
        D[row, 12 + b] += fv * n[b]
        D[row, 18 + b] -= fv * n[b]


@jit
def line_tangent(i, j, fr, f, dfr, dfv, D):
    """D[0:12, 0:24] += derivatives of `along_line` for a force f with df = dfr dR + dfv dR'; where R = 0 the line is
    that of any direction."""
    r, rd, n = line(i, j, fr)
    s = 1.0 / r if r > 0.0 else 0.0
    for a in range(3):
        for b in range(3):
            g = s * (fr.v[i, b] - fr.v[j, b] - rd * n[b])
            x = (dfr * n[b] + dfv * g - s * f * n[b]) * n[a]
            y = dfv * n[a] * n[b]
            if a == b:
                x += s * f if r > 0.0 else dfr
                y += 0.0 if r > 0.0 else dfv
            D[a, b] += x
            D[a, 6 + b] -= x
            D[6 + a, b] -= x
            D[6 + a, 6 + b] += x
            D[a, 12 + b] += y
            D[a, 18 + b] -= y
            D[6 + a, 12 + b] -= y
            D[6 + a, 18 + b] += y


@jit
def line_column(slope, n, column, D):
    """D[0:12, column] += slope times the wrenches of a unit force: the derivative with respect to what the force
    depends on besides the line."""
    for a in range(3):
        D[a, column] += slope * n[a]
        D[6 + a, column] -= slope * n[a]
