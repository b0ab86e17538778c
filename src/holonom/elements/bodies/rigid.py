"""Rigid bodies and point masses.

State of body b in ``y[13*b:]``: centre of mass r (3), quaternion of the principal axes (4, scalar first), r' (3),
angular velocity W in principal axes (3).  Newton-Euler, with the constant diagonal inertia J of the principal axes:
    m r'' = f,        J W' = t - W x J W.
The classic fifteen equations a part (with momenta and Euler-angle kinematics) reduce to these six by elimination; see
docs/theory.  A point mass has no rotational equations: its inverse inertia is zero, so no constraint can turn it.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from ..._jit import jit
from ..vectors import cross, turn_quaternion

# n moving bodies; index n is ground.  mass (n,), J (n, 3), Minv (n+1, 6) with zeros for ground and point rotations,
# gravity (3,), rotates (n+1,) uint8; plane (n, 3): the coordinates of each body that move in a planar mechanism, or (0,
# 3); metric (n+1, 6): 1 for each translation and 1/L^2 for each rotation, L the largest distance of a joint of the body
# from its centre, zeros where Minv has them: inverse masses of bodies of the same size that all weigh the same, in
# which lengths of rows are measured;
# end: where states begin that belong to no body; moves: how many unknowns of velocity there are, ground's too
# tail: coordinates next to those of rigid bodies (see `layout`); Minv and metric have a row for each MOVES of them,
# behind ground; coupled: addresses of the operations of bodies whose masses couple coordinates (see `coupled`), where
# Minv is zero
_Columns = namedtuple("Bodies", "n mass J Minv gravity rotates plane metric end moves tail coupled")  # type: ignore[name-match]


class Bodies(_Columns):
    """Tables of bodies for kernels, and for Python the tables behind the addresses in ``coupled``: ``carriers``
    (`carrier.Carriers`), None where there are none.  `kinds.attach` brings both together; a copy by `_replace` gets
    addresses of its own, for the tables hold the columns of their bodies."""

    carriers: Any = None
    _handle: Any = None
    _attach: Any = None

    def _replace(self, /, **columns: Any) -> Bodies:
        carriers = columns.pop("carriers", self.carriers)
        out = super()._replace(**columns)
        if carriers is None:
            return out if self.carriers is None else out._with(self.coupled[:0])
        return self._attach(out, carriers)

    def _with(self, coupled, carriers: Any = None, attach: Any = None) -> Bodies:
        """The same columns with other addresses."""
        out = super()._replace(coupled=coupled)
        out.carriers, out._attach = carriers, attach
        return out


@jit
def rotation(y, o, R, i):
    """R[i] <- rotation matrix of the quaternion y[o:] (normalised on the way)."""
    a = y[o]
    b = y[o + 1]
    c = y[o + 2]
    d = y[o + 3]
    s = 2.0 / (a * a + b * b + c * c + d * d)
    R[i, 0] = 1 - s * (c * c + d * d)
    R[i, 1] = s * (b * c - a * d)
    R[i, 2] = s * (b * d + a * c)
    R[i, 3] = s * (b * c + a * d)
    R[i, 4] = 1 - s * (b * b + d * d)
    R[i, 5] = s * (c * d - a * b)
    R[i, 6] = s * (b * d - a * c)
    R[i, 7] = s * (c * d + a * b)
    R[i, 8] = 1 - s * (b * b + c * c)


@jit
def inertial_and_gravity(bodies, y, F):
    """F[6*b:] <- gravity force and gyroscopic moment -W x J W."""
    for i in range(bodies.n):
        o = 13 * i + 10
        f = 6 * i
        m = bodies.mass[i]
        F[f] = m * bodies.gravity[0]
        F[f + 1] = m * bodies.gravity[1]
        F[f + 2] = m * bodies.gravity[2]
        w0 = y[o]
        w1 = y[o + 1]
        w2 = y[o + 2]
        g0, g1, g2 = cross(w0, w1, w2, bodies.J[i, 0] * w0, bodies.J[i, 1] * w1, bodies.J[i, 2] * w2)
        F[f + 3] = -g0
        F[f + 4] = -g1
        F[f + 5] = -g2
    for c in range(6 * bodies.n, bodies.moves):
        F[c] = 0.0


@jit
def gyroscopic_damping(bodies, y, position, C):
    """C += d(W x J W)/dW, written through ``position`` (n, 9), the map of each body's rotational block."""
    for i in range(bodies.n):
        o = 13 * i + 10
        w0 = y[o]
        w1 = y[o + 1]
        w2 = y[o + 2]
        j0 = bodies.J[i, 0]
        j1 = bodies.J[i, 1]
        j2 = bodies.J[i, 2]
        C[position[i, 1]] += w2 * (j2 - j1)
        C[position[i, 2]] += w1 * (j2 - j1)
        C[position[i, 3]] += w2 * (j0 - j2)
        C[position[i, 5]] += w0 * (j0 - j2)
        C[position[i, 6]] += w1 * (j1 - j0)
        C[position[i, 7]] += w0 * (j1 - j0)


@jit(entry="Bodies, float64[::1]")
def kinetic_energy(bodies, y):
    e = 0.0
    for i in range(bodies.n):
        o = 13 * i + 7
        e += bodies.mass[i] * (y[o] ** 2 + y[o + 1] ** 2 + y[o + 2] ** 2)
        e += bodies.J[i, 0] * y[o + 3] ** 2 + bodies.J[i, 1] * y[o + 4] ** 2 + bodies.J[i, 2] * y[o + 5] ** 2
    return 0.5 * e


@jit
def gravity_energy(bodies, y):
    e = 0.0
    for i in range(bodies.n):
        o = 13 * i
        e -= bodies.mass[i] * (bodies.gravity[0] * y[o] + bodies.gravity[1] * y[o + 1] + bodies.gravity[2] * y[o + 2])
    return e


@jit
def state_rate(n, y, acc, yd):
    """yd <- time derivative of the body states, given accelerations ``acc`` (6 a body)."""
    for i in range(n):
        o = 13 * i
        f = 6 * i
        a = y[o + 3]
        b = y[o + 4]
        c = y[o + 5]
        d = y[o + 6]
        p = 0.5 * y[o + 10]
        q = 0.5 * y[o + 11]
        s = 0.5 * y[o + 12]
        yd[o] = y[o + 7]
        yd[o + 1] = y[o + 8]
        yd[o + 2] = y[o + 9]
        yd[o + 3] = -b * p - c * q - d * s
        yd[o + 4] = a * p + c * s - d * q
        yd[o + 5] = a * q - b * s + d * p
        yd[o + 6] = a * s + b * q - c * p
        for k in range(6):
            yd[o + 7 + k] = acc[f + k]


@jit(entry="int64, float64[::1], float64[::1]")
def move(n, y, d):
    """y <- y moved by ``d`` (6 a body: dr in ground, dtheta in body axes)."""
    for i in range(n):
        o = 13 * i
        f = 6 * i
        y[o] += d[f]
        y[o + 1] += d[f + 1]
        y[o + 2] += d[f + 2]
        turn_quaternion(y, o + 3, d[f + 3], d[f + 4], d[f + 5])


@jit
def keep_in_plane(bodies, first, y):
    """y in the plane of a planar mechanism: what lies out of it becomes that of ``first``, velocities out of it zero,
    and quaternions those of turns about the normal.  Nothing is done in space."""
    for i in range(bodies.plane.shape[0]):
        o = 13 * i
        normal = 3 - int(bodies.plane[i, 0]) - int(bodies.plane[i, 1])
        k = int(bodies.plane[i, 2]) - 3
        y[o + normal] = first[o + normal]
        y[o + 7 + normal] = 0.0
        for c in range(3):
            if c != k:
                y[o + 10 + c] = 0.0
        r, r0, r1, r2 = first[o + 3], first[o + 4], first[o + 5], first[o + 6]
        u, u0, u1, u2 = -r0, r, r2, -r1  # first * (0, e_k), the same turned by half a turn about the normal
        if k == 1:
            u, u0, u1, u2 = -r1, -r2, r, r0
        elif k == 2:
            u, u0, u1, u2 = -r2, r1, -r0, r
        a = y[o + 3] * r + y[o + 4] * r0 + y[o + 5] * r1 + y[o + 6] * r2
        b = y[o + 3] * u + y[o + 4] * u0 + y[o + 5] * u1 + y[o + 6] * u2
        y[o + 3] = a * r + b * u
        y[o + 4] = a * r0 + b * u0
        y[o + 5] = a * r1 + b * u1
        y[o + 6] = a * r2 + b * u2


@jit
def normalise(n, y):
    for i in range(n):
        turn_quaternion(y, 13 * i + 3, 0.0, 0.0, 0.0)
