"""FIELD: six-component linear spring and damper with full matrices, between frames i and j.

In axes of J (`relative`):  (F, T) = -K (e - length) - C u + preload,   wrench (F, T) on I, (-F, -T - L x F) on J.
C is ``cratio`` K when ``cratio`` is given.  Source: Adams Solver manual, FIELD statement.
Energy 1/2 (e - l)' K (e - l) - preload . (e - l): exact for translations of I and for turns about one axis of J;
for turns about two axes the torques of this law are not the gradient of an energy.
"""

from __future__ import annotations

import math

from ..._jit import jit
from .relative import angle_rows, axis_rows, displacements, fill_tangent, place, rates, wrench_power

COLUMNS = (
    *((f"k{r}{c}", "stiffness", "force/length, force, force*length") for r in range(1, 7) for c in range(1, 7)),
    *((f"c{r}{c}", "damping", "stiffness*time") for r in range(1, 7) for c in range(1, 7)),
    *((f"f{r}", "preload at e = length", "force, force*length") for r in range(1, 7)),
    *((f"l{r}", "displacements at which the springs rest", "length, angle") for r in range(1, 7)),
    ("symmetric", "1 when K is symmetric, so that an energy exists", "-"),
)
C, F, REST, SYMMETRIC = 36, 72, 78, 84
ELEMENT, TURNS = "FIELD", True


def takes(element) -> bool:
    """Those without a law of their own."""
    return not (element.function or element.routine)


def field_row(K, damping, preload, rest) -> tuple[float, ...]:
    """A row from 36 stiffnesses and dampings (row order), 6 preloads and 6 rest displacements."""
    symmetric = all(K[6 * r + c] == K[6 * c + r] for r in range(6) for c in range(r))
    return (*map(float, (*K, *damping, *preload, *rest)), float(symmetric))


def row(element, model=None) -> tuple[float, ...]:
    """Row of a linear `model.Field`."""
    if element.function is not None:
        raise element.error("is computed by a user routine; it has no matrices")
    if element.formulation.upper() != "LINEAR":
        raise element.error(f"formulation {element.formulation} is not supported; use LINEAR")
    zero = (0.0,) * 36
    K = element.kmatrix or zero
    damping = element.cmatrix or zero
    for name, x, n in (("kmatrix", K, 36), ("cmatrix", damping, 36), ("length", element.length, 6)):
        if len(x) != n:
            raise element.error(f"{name} needs {n} numbers, {len(x)} given")
    if element.cratio is not None:
        damping = tuple(element.cratio * x for x in K)
    return field_row(K, damping, (*element.force, *element.torque), element.length)


@jit
def wrench(t, k, i, j, fr, ref, W):
    e = displacements(i, j, fr, k, ref)
    u = rates(i, j, fr)
    for r in range(6):
        x = t[k, F + r]
        for s in range(6):
            x -= t[k, 6 * r + s] * (e[s] - t[k, REST + s]) + t[k, C + 6 * r + s] * u[s]
        W[r] = x
    place(i, j, fr, W)


@jit
def _to_ground(t, k, o, j, fr, D, q):
    """-A_j (matrix at column o) (A_j', rows at D[6:9, 18:21]) into D[0:6, q:q+6]; overwrites D[6:12, 0:6]."""
    for r in range(6):
        for c in range(3):
            x = 0.0
            y = 0.0
            for s in range(3):
                x += t[k, o + 6 * r + s] * fr.A[j, 3 * c + s]
                y += t[k, o + 6 * r + 3 + s] * D[6 + s, 18 + c]
            D[6 + r, c] = x
            D[6 + r, 3 + c] = y
    for b in range(0, 6, 3):
        for r in range(3):
            for c in range(6):
                x = 0.0
                for s in range(3):
                    x -= fr.A[j, 3 * r + s] * D[6 + b + s, c]
                D[b + r, q + c] = x


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
    if t[k, SYMMETRIC] == 0.0:
        return math.nan
    e = displacements(i, j, fr, k, ref)
    x = 0.0
    for r in range(6):
        y = -t[k, F + r]
        for s in range(6):
            y += 0.5 * t[k, 6 * r + s] * (e[s] - t[k, REST + s])
        x += y * (e[r] - t[k, REST + r])
    return x


@jit
def power(t, k, i, j, fr, ref, W):
    u = rates(i, j, fr)
    x = 0.0
    for r in range(6):
        for s in range(6):
            x -= u[r] * t[k, C + 6 * r + s] * u[s]
    return wrench_power(i, j, fr, W) - x, x
