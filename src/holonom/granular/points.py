"""A point of contact and a step, in numbers: what the kernels of the processor and those of the GPU share next to the
laws.

Scalar functions of rows of `hot` (spheres) and `wall`; no array is made.  Vectors are three numbers, in ground axes
unless specified otherwise.
"""

from __future__ import annotations

import math

from .._jit import jit
from .walls import EPS, P_WALL, W_BELT, W_R, W_V, W_W, W_X, nearest

# hot columns: position, radius, velocity, material, angular velocity, 1/mass, 1/inertia
X, RADIUS, V, MATERIAL, W, IM, II, HOT = 0, 3, 4, 7, 8, 11, 12, 16
# cold columns: position when the lists were made, id, acceleration, angular acceleration; then orientation and load
# where wanted
XB, ID, A, AL, COLD = 0, 3, 4, 7, 10

# columns of the surfaces that a sphere overlaps: distance of its centre, normal, feature (-1: checked), surface,
# nearest point (in the wall's axes), position in the list of the sphere
N_GAP, N_NORMAL, N_FEATURE, N_SURFACE, N_FOOT, N_PLACE, N_COLUMNS = 0, 1, 4, 5, 6, 9, 10


@jit
def meeting(n0, n1, n2, square, above, r, vx, vy, vz, wx, wy, wz, hot, j):
    """Where a sphere touches the one in row j: n from j's centre to its own, ``square`` its square; v, w its
    velocities, r its radius.

    Returns the unit normal, the depth, the arms of both to the point and the velocity there of its material against
    j's.  The normal of spheres whose centres coincide is (0, 0, above).
    """
    dist = math.sqrt(square)
    if dist > 0.0:
        inv = 1.0 / dist
        n0 *= inv
        n1 *= inv
        n2 *= inv
    else:
        n0 = 0.0
        n1 = 0.0
        n2 = above
    d = r + hot[j, RADIUS] - dist
    a = r - 0.5 * d
    b = hot[j, RADIUS] - 0.5 * d
    u0 = a * wx + b * hot[j, W]
    u1 = a * wy + b * hot[j, W + 1]
    u2 = a * wz + b * hot[j, W + 2]
    v0 = vx - hot[j, V] - (u1 * n2 - u2 * n1)
    v1 = vy - hot[j, V + 1] - (u2 * n0 - u0 * n2)
    v2 = vz - hot[j, V + 2] - (u0 * n1 - u1 * n0)
    return n0, n1, n2, d, a, b, v0, v1, v2


@jit
def into_wall(wall, w, x, y, z):
    """A position in the axes of wall w."""
    a, b, e = x - wall[w, W_X], y - wall[w, W_X + 1], z - wall[w, W_X + 2]
    x = wall[w, W_R] * a + wall[w, W_R + 3] * b + wall[w, W_R + 6] * e
    y = wall[w, W_R + 1] * a + wall[w, W_R + 4] * b + wall[w, W_R + 7] * e
    z = wall[w, W_R + 2] * a + wall[w, W_R + 5] * b + wall[w, W_R + 8] * e
    return x, y, z


@jit
def out_of_wall(wall, w, a, b, e):
    """A direction given in the axes of wall w."""
    n0 = wall[w, W_R] * a + wall[w, W_R + 1] * b + wall[w, W_R + 2] * e
    n1 = wall[w, W_R + 3] * a + wall[w, W_R + 4] * b + wall[w, W_R + 5] * e
    n2 = wall[w, W_R + 6] * a + wall[w, W_R + 7] * b + wall[w, W_R + 8] * e
    return n0, n1, n2


@jit
def against_wall(wall, w, c0, c1, c2, n0, n1, n2, v0, v1, v2):
    """A velocity v less that of wall w's material at c (from the wall's position); a belt runs along the surface,
    whatever direction it is given."""
    a, b, e = wall[w, W_W], wall[w, W_W + 1], wall[w, W_W + 2]
    v0 -= wall[w, W_V] + b * c2 - e * c1
    v1 -= wall[w, W_V + 1] + e * c0 - a * c2
    v2 -= wall[w, W_V + 2] + a * c1 - b * c0
    a, b, e = wall[w, W_BELT], wall[w, W_BELT + 1], wall[w, W_BELT + 2]
    if a != 0.0 or b != 0.0 or e != 0.0:
        a, b, e = out_of_wall(wall, w, a, b, e)
        along = a * n0 + b * n1 + e * n2
        v0 -= a - along * n0
        v1 -= b - along * n1
        v2 -= e - along * n2
    return v0, v1, v2


@jit
def covered(near, n, m, prim, r):
    """Whether the nearest point in row m of ``near`` lies on a surface of the same wall that was checked before
    (feature -1)."""
    w = prim[int(near[m, N_SURFACE]), P_WALL]
    for k in range(n):
        if near[k, N_FEATURE] == -1.0:
            s = int(near[k, N_SURFACE])
            if (
                prim[s, P_WALL] == w
                and abs(nearest(prim, s, near[m, N_FOOT], near[m, N_FOOT + 1], near[m, N_FOOT + 2])[0]) < EPS * r
            ):
                return True
    return False


@jit
def move_wall(wall, w, h):
    """Wall w moves on for h with its velocities; returns its speed and its angular speed."""
    v = 0.0
    o = 0.0
    for k in range(3):
        wall[w, W_X + k] += h * wall[w, W_V + k]
        v += wall[w, W_V + k] ** 2
        o += wall[w, W_W + k] ** 2
    o = math.sqrt(o)
    if o > 0.0:
        u0, u1, u2 = wall[w, W_W] / o, wall[w, W_W + 1] / o, wall[w, W_W + 2] / o
        s = math.sin(h * o)
        t = math.sin(0.5 * h * o)
        t = 2.0 * t * t
        for k in range(3):
            a, b, e = wall[w, W_R + k], wall[w, W_R + 3 + k], wall[w, W_R + 6 + k]
            p0, p1, p2 = u1 * e - u2 * b, u2 * a - u0 * e, u0 * b - u1 * a
            wall[w, W_R + k] = a + s * p0 + t * (u1 * p2 - u2 * p1)
            wall[w, W_R + 3 + k] = b + s * p1 + t * (u2 * p0 - u0 * p2)
            wall[w, W_R + 6 + k] = e + s * p2 + t * (u0 * p1 - u1 * p0)
    return math.sqrt(v), o


@jit
def euler(hot, cold, i, h, a0, a1, a2, b0, b1, b2):
    """A step of semi-implicit Euler of row i, a and b its accelerations; returns the square of how far it is from where
    the lists were made."""
    v0 = hot[i, V] + h * a0
    v1 = hot[i, V + 1] + h * a1
    v2 = hot[i, V + 2] + h * a2
    hot[i, V] = v0
    hot[i, V + 1] = v1
    hot[i, V + 2] = v2
    hot[i, W] += h * b0
    hot[i, W + 1] += h * b1
    hot[i, W + 2] += h * b2
    v0 = hot[i, X] + h * v0
    v1 = hot[i, X + 1] + h * v1
    v2 = hot[i, X + 2] + h * v2
    hot[i, X] = v0
    hot[i, X + 1] = v1
    hot[i, X + 2] = v2
    v0 -= cold[i, XB]
    v1 -= cold[i, XB + 1]
    v2 -= cold[i, XB + 2]
    return v0 * v0 + v1 * v1 + v2 * v2
