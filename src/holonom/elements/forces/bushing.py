"""BUSHING: six-component linear spring and damper with diagonal matrices, between frames i and j.

In axes of J (`relative`):  F = -k (x, y, z) - c u_v + force,   T = -kt (a, b, c) - ct u_w + torque,
wrench (F, T) on I, (-F, -T - L x F) on J.  Source: Adams Solver manual, BUSHING statement.
Energy as for FIELD, with the same reservation for turns about two axes.
"""

from __future__ import annotations

from ..._jit import jit
from .relative import angle_rows, axis_rows, displacements, fill_tangent, place, rates, wrench_power

COLUMNS = (
    *((f"k{r}", "stiffness along x, y, z, about x, y, z of J", "force/length, force*length") for r in range(1, 7)),
    *((f"c{r}", "damping", "stiffness*time") for r in range(1, 7)),
    *((f"f{r}", "preload", "force, force*length") for r in range(1, 7)),
)
C, F = 6, 12
ELEMENT, TURNS = "BUSHING", True


def takes(element) -> bool:
    """Every one."""
    return True


def row(element, model=None) -> tuple[float, ...]:
    """Row of a `model.Bushing`."""
    x = element
    return tuple(map(float, (*x.k, *x.kt, *x.c, *x.ct, *x.force, *x.torque)))


@jit
def wrench(t, k, i, j, fr, ref, W):
    e = displacements(i, j, fr, k, ref)
    u = rates(i, j, fr)
    for r in range(6):
        W[r] = t[k, F + r] - t[k, r] * e[r] - t[k, C + r] * u[r]
    place(i, j, fr, W)


@jit
def _to_ground(t, k, o, j, fr, D, q):
    """-A_j (diagonal at column o) (A_j', rows at D[6:9, 18:21]) into D[0:6, q:q+6]."""
    for r in range(3):
        for c in range(3):
            x = 0.0
            y = 0.0
            for s in range(3):
                x -= fr.A[j, 3 * r + s] * t[k, o + s] * fr.A[j, 3 * c + s]
                y -= fr.A[j, 3 * r + s] * t[k, o + 3 + s] * D[6 + s, 18 + c]
            D[r, q + c] = x
            D[3 + r, q + 3 + c] = y
            D[r, q + 3 + c] = 0.0
            D[3 + r, q + c] = 0.0


@jit
def tangent(t, k, i, j, fr, ref, W, D):
    wrench(t, k, i, j, fr, ref, W)
    angle_rows(i, j, fr, D)
    _to_ground(t, k, 0, j, fr, D, 0)
    axis_rows(j, fr, D)
    _to_ground(t, k, C, j, fr, D, 12)
    fill_tangent(i, j, fr, W, D)


@jit
def energy(t, k, i, j, fr, ref):
    e = displacements(i, j, fr, k, ref)
    x = 0.0
    for r in range(6):
        x += (0.5 * t[k, r] * e[r] - t[k, F + r]) * e[r]
    return x


@jit
def power(t, k, i, j, fr, ref, W):
    u = rates(i, j, fr)
    x = 0.0
    for r in range(6):
        x -= t[k, C + r] * u[r] * u[r]
    return wrench_power(i, j, fr, W) - x, x
