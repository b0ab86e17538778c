"""Strains of all elements of this package, by kind, as one function that kernels (`points`) are compiled for once.

`strains(kind, g, e, J)` writes the strains e of the vectors g at a point, and their derivatives J; it takes numbers and
dual numbers. Types are those of elements, whose files have the formulas: NODE to AXIS + 5 of `planar_beam`, from BEAM
on of `spatial_beam`, from SURFACE on of `thin_plate` and `thick_plate`.
"""

from __future__ import annotations

from ..._jit import jit
from ..duals import sqrt
from .unit_vectors import size_of, with_normal, with_unit, with_vector

# vectors (r_x, r_y, r_yx); of the axis in three planes, and in three seen from behind
NODE, FIBRES, SOLID, AXIS = 1, 2, 3, 10
# vectors (r_x, r_y, r_z, r_yx, r_zx)
BEAM, BEAM_NODE, BEAM_FIBRES, BEAM_SOLID = 20, 21, 22, 23
# vectors (r_x, r_y, r_xx, r_xy, r_yy), and with a director (r_x, r_y, d, d_x, d_y)
SURFACE, SHELL, SHEAR_X, SHEAR_Y, THICKNESS = 30, 31, 32, 33, 34


@jit
def strains(kind, g, e, J):
    """Strains e of the vectors g at a point, and J = de/dg (`_beam`, `_planar`, `_plate`)."""
    if kind >= SURFACE:
        _plate(kind - SURFACE, g, e, J)
    elif kind >= BEAM:
        _beam(kind - BEAM, g, e, J)
    else:
        _planar(kind, g, e, J)


@jit
def _planar(kind, g, e, J):
    """Strains of (r_x, r_y, r_yx) and their derivatives: of a node (E_yy), of fibres (E_xx at both, 2 E_xy and E_xx of
    the axis; the third vector is r_yx times the distance of the fibre), of the solid (E_xx, E_yy, 2 E_xy), of the axis
    (Gamma1, Gamma2, kappa, Gamma2^2/2; from AXIS on, three planes, and three seen from behind)."""
    if kind >= AXIS:
        a, b = (kind - AXIS + 1) % 3, (kind - AXIS + 2) % 3
        if kind >= AXIS + 3:
            a, b = b, a
        n = sqrt(g[3 + a] * g[3 + a] + g[3 + b] * g[3 + b])
        c, s = g[3 + a] / n, g[3 + b] / n  # d2; d1 = (s, -c)
        along, across = g[a] * s - g[b] * c, g[a] * c + g[b] * s
        turn = (g[6 + b] * c - g[6 + a] * s) / n
        stretch = (g[6 + a] * c + g[6 + b] * s) / n
        e[0], e[1], e[2], e[3] = along - 1.0, across, turn, 0.5 * across * across
        # d2 turns by (d1 . dr_y)/|r_y| towards d1, and d1 away from it
        J[0, a], J[0, b], J[0, 3 + a], J[0, 3 + b] = s, -c, -across * s / n, across * c / n
        J[1, a], J[1, b], J[1, 3 + a], J[1, 3 + b] = c, s, along * s / n, -along * c / n
        J[3, a], J[3, b], J[3, 3 + a], J[3, 3 + b] = (
            across * c,
            across * s,
            across * along * s / n,
            -across * along * c / n,
        )
        J[2, 6 + a], J[2, 6 + b] = -s / n, c / n
        J[2, 3 + a] = (stretch * s - turn * c) / n
        J[2, 3 + b] = (-stretch * c - turn * s) / n
    elif kind == NODE:
        e[0] = 0.5 * with_vector(g, 3, 3, 0.5, J, 0)
    elif kind == FIBRES:
        for i in range(3):
            up, down = g[i] + g[6 + i], g[i] - g[6 + i]
            e[0] += 0.5 * up * up
            e[1] += 0.5 * down * down
            J[0, i], J[0, 6 + i] = up, up
            J[1, i], J[1, 6 + i] = down, -down
        e[2] = with_vector(g, 0, 3, 1.0, J, 2)
        e[3] = 0.5 * with_vector(g, 0, 0, 0.5, J, 3)
    else:
        e[0] = 0.5 * with_vector(g, 0, 0, 0.5, J, 0) - 0.5
        e[1] = 0.5 * with_vector(g, 3, 3, 0.5, J, 1) - 0.5
        e[2] = with_vector(g, 0, 3, 1.0, J, 2)


@jit
def _beam(kind, g, e, J):
    """Strains of (r_x, r_y, r_z, r_yx, r_zx) and their derivatives: of the axis (Gamma, kappa, Gamma2^2/2, Gamma3^2/2),
    of a node (E_yy, E_zz, 2 E_yz), of four fibres and the axis (E_xx at (+, +), (+, -), (-, +), (-, -) and on it, 2
    E_xy, 2 E_xz, r_z . r_yx, r_y . r_zx, where r_yx and r_zx are multiplied by the distances of the fibres), of the
    solid (E_xx, E_yy, E_zz, 2 E_yz, 2 E_xz, 2 E_xy)."""
    if kind == 0:
        ny, nz = size_of(g, 3), size_of(g, 6)
        e[0] = with_normal(g, 0, 3, 6, 1.0, J, 0) - 1.0
        e[1] = with_unit(g, 0, 3, 1.0, J, 1)
        e[2] = with_unit(g, 0, 6, 1.0, J, 2)
        a = with_unit(g, 9, 6, 0.5 / ny, J, 3)
        b = with_unit(g, 12, 3, -0.5 / nz, J, 3)
        e[3] = 0.5 * (a / ny - b / nz)
        c = with_normal(g, 12, 3, 6, 1.0 / nz, J, 4)
        e[4] = c / nz
        d = with_normal(g, 9, 3, 6, -1.0 / ny, J, 5)
        e[5] = -d / ny
        for k in range(2):  # halves of the squares of shears
            e[6 + k] = 0.5 * e[1 + k] * e[1 + k]
            for c_ in range(9):
                J[6 + k, c_] = e[1 + k] * J[1 + k, c_]
        ny, nz = 1.0 / (ny * ny * ny), 1.0 / (nz * nz * nz)
        for i in range(3):  # of the lengths of r_y and r_z
            J[3, 3 + i] -= 0.5 * a * ny * g[3 + i]
            J[3, 6 + i] += 0.5 * b * nz * g[6 + i]
            J[4, 6 + i] -= c * nz * g[6 + i]
            J[5, 3 + i] += d * ny * g[3 + i]
    elif kind == 1:
        e[0] = 0.5 * with_vector(g, 3, 3, 0.5, J, 0)
        e[1] = 0.5 * with_vector(g, 6, 6, 0.5, J, 1)
        e[2] = with_vector(g, 3, 6, 1.0, J, 2)
    elif kind == 2:
        for k in range(4):
            a = 1.0 if k < 2 else -1.0
            b = 1.0 if k % 2 == 0 else -1.0
            for i in range(3):
                x = g[i] + a * g[9 + i] + b * g[12 + i]
                e[k] += 0.5 * x * x
                J[k, i] += x
                J[k, 9 + i] += a * x
                J[k, 12 + i] += b * x
        e[4] = 0.5 * with_vector(g, 0, 0, 0.5, J, 4)
        e[5] = with_vector(g, 0, 3, 1.0, J, 5)
        e[6] = with_vector(g, 0, 6, 1.0, J, 6)
        e[7] = with_vector(g, 6, 9, 1.0, J, 7)
        e[8] = with_vector(g, 3, 12, 1.0, J, 8)
    else:
        for k in range(3):
            e[k] = 0.5 * with_vector(g, 3 * k, 3 * k, 0.5, J, k) - 0.5
        e[3] = with_vector(g, 3, 6, 1.0, J, 3)
        e[4] = with_vector(g, 0, 6, 1.0, J, 4)
        e[5] = with_vector(g, 0, 3, 1.0, J, 5)


@jit
def _plate(kind, g, e, J):
    """Strains and their derivatives, of thin surfaces (r_x, r_y, r_xx, r_xy, r_yy): eps_xx, eps_yy, 2 eps_xy, kappa_xx,
    kappa_yy, 2 kappa_xy; of surfaces with a director d, types 1 to 4 of (r_x, r_y, d, d_x, d_y): the same with kappa_ab
    = (r_a . d_b + r_b . d_a)/2, r_x . d, r_y . d, d . d/2."""
    if kind <= 1:
        e[0] = 0.5 * with_vector(g, 0, 0, 0.5, J, 0)
        e[1] = 0.5 * with_vector(g, 3, 3, 0.5, J, 1)
        e[2] = with_vector(g, 0, 3, 1.0, J, 2)
    if kind == 0:
        e[3] = -with_normal(g, 6, 0, 3, -1.0, J, 3)
        e[4] = -with_normal(g, 12, 0, 3, -1.0, J, 4)
        e[5] = -2.0 * with_normal(g, 9, 0, 3, -2.0, J, 5)
    elif kind == 1:
        e[3] = with_vector(g, 0, 9, 1.0, J, 3)
        e[4] = with_vector(g, 3, 12, 1.0, J, 4)
        e[5] = with_vector(g, 0, 12, 1.0, J, 5) + with_vector(g, 3, 9, 1.0, J, 5)
    elif kind == 2:
        e[0] = with_vector(g, 0, 6, 1.0, J, 0)
    elif kind == 3:
        e[0] = with_vector(g, 3, 6, 1.0, J, 0)
    else:
        e[0] = 0.5 * with_vector(g, 6, 6, 0.5, J, 0)
