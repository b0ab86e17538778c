"""One body, as those see it who touch it at a point: where it is, how fast it moves there, what a force there does to
its coordinates.

With r the centre of mass, c a point and s = c - r, all in ground axes, R the rotation of the body and W = R^T w its
angular velocity in body axes:

    velocity at c             r' + w x s
    force f at c, couple t    (f, R^T (s x f + t)) on the unknowns of the body
    row of d . (velocity at c) over its velocities: (d, R^T (s x d));  of d . w: (0, R^T d)

``bodies``: `rigid.Bodies`; b: number of a body, that of ground too; y: state; R (n+1, 9): rotations of all bodies at y;
d: displacements of all bodies
(`layout`), of which a share is gone.  Vectors are three numbers in and out; nothing is allocated.
"""

from __future__ import annotations

from ..._jit import jit
from ..vectors import cross, rotate, turn_quaternion, unrotate
from .layout import MOVES, STATE
from .mass import carried

QUATERNION, VELOCITY, SPIN, TURN = 3, 7, 10, 3  # positions in the state of a body, that of rotations among its unknowns


@jit
def place(bodies, y, b):
    """Centre of mass."""
    o = STATE * b
    return y[o], y[o + 1], y[o + 2]


@jit
def lever(bodies, y, b, c0, c1, c2):
    """c - r, from the centre of mass to a point."""
    o = STATE * b
    return c0 - y[o], c1 - y[o + 1], c2 - y[o + 2]


@jit
def centre_velocity(bodies, y, b):
    """r', of the centre of mass."""
    o = STATE * b + VELOCITY
    return y[o], y[o + 1], y[o + 2]


@jit
def angular_velocity(bodies, R, y, b):
    """w, in ground axes."""
    o = STATE * b + SPIN
    return rotate(R, b, y[o], y[o + 1], y[o + 2])


@jit
def spin(bodies, y, b, c):
    """Component c of the angular velocity in body axes."""
    return y[STATE * b + SPIN + c]


@jit
def velocity_at(bodies, y, b, w0, w1, w2, s0, s1, s2):
    """r' + w x s; w: `angular_velocity`, s: `lever`."""
    o = STATE * b + VELOCITY
    return y[o] + w1 * s2 - w2 * s1, y[o + 1] + w2 * s0 - w0 * s2, y[o + 2] + w0 * s1 - w1 * s0


@jit
def add_force_at(bodies, R, b, arm, force, torque, F):
    """F += what a force f at the lever s and a couple t on body b do."""
    s0, s1, s2 = arm
    f0, f1, f2 = force
    t0, t1, t2 = torque
    m0 = s1 * f2 - s2 * f1 + t0
    m1 = s2 * f0 - s0 * f2 + t1
    m2 = s0 * f1 - s1 * f0 + t2
    o = MOVES * b
    F[o] += f0
    F[o + 1] += f1
    F[o + 2] += f2
    m0, m1, m2 = unrotate(R, b, m0, m1, m2)
    F[o + 3] += m0
    F[o + 4] += m1
    F[o + 5] += m2


@jit
def force_component(bodies, R, b, r, f0, f1, f2, m0, m1, m2):
    """Component r of a force f on the centre of mass of body b and a moment m about it (ground axes) among its
    unknowns."""
    if r == 0:
        return f0
    if r == 1:
        return f1
    if r == 2:
        return f2
    return R[b, r - 3] * m0 + R[b, r] * m1 + R[b, r + 3] * m2


@jit
def unit_motion(bodies, R, b, e):
    """Displacement of the centre of mass and rotation (ground axes) for a unit of unknown e of body b."""
    if e < TURN:
        return 1.0 if e == 0 else 0.0, 1.0 if e == 1 else 0.0, 1.0 if e == 2 else 0.0, 0.0, 0.0, 0.0
    return 0.0, 0.0, 0.0, R[b, e - 3], R[b, e], R[b, e + 3]


@jit
def enter_velocity_row(bodies, R, b, sign, arm, direction, H, m, k, o):
    """H[m, k, o:] <- row of sign d . (velocity of body b at the lever s)."""
    s0, s1, s2 = arm
    d0, d1, d2 = direction
    m0, m1, m2 = cross(s0, s1, s2, d0, d1, d2)
    m0, m1, m2 = unrotate(R, b, m0, m1, m2)
    H[m, k, o] = sign * d0
    H[m, k, o + 1] = sign * d1
    H[m, k, o + 2] = sign * d2
    H[m, k, o + 3] = sign * m0
    H[m, k, o + 4] = sign * m1
    H[m, k, o + 5] = sign * m2


@jit
def enter_turning_row(bodies, R, b, scale, d0, d1, d2, H, m, k, o):
    """H[m, k, o:] <- row of scale d . w of body b."""
    m0, m1, m2 = unrotate(R, b, d0, d1, d2)
    for c in range(TURN):
        H[m, k, o + c] = 0.0
    H[m, k, o + 3] = scale * m0
    H[m, k, o + 4] = scale * m1
    H[m, k, o + 5] = scale * m2


@jit
def add_mobility(bodies, R, b, s0, s1, s2, d0, d1, d2, total):
    """total + g M^-1 g^T for a unit direction d at the lever s, g the row of its velocity: what a unit impulse along d
    changes that velocity by."""
    m0, m1, m2 = cross(s0, s1, s2, d0, d1, d2)
    m0, m1, m2 = unrotate(R, b, m0, m1, m2)
    if b < bodies.n and carried(
        bodies, b
    ):  # masses that couple its coordinates make it less mobile than it is without them
        return total + 1.0 / bodies.mass[b] + m0**2 / bodies.J[b, 0] + m1**2 / bodies.J[b, 1] + m2**2 / bodies.J[b, 2]
    total += bodies.Minv[b, 0]
    total += bodies.Minv[b, 3] * m0**2
    total += bodies.Minv[b, 4] * m1**2
    return total + bodies.Minv[b, 5] * m2**2


# ---- displacements of a step -----------------------------------------------------------------------------------------
@jit
def travel(bodies, d, b):
    """Of the centre of mass."""
    o = MOVES * b
    return d[o], d[o + 1], d[o + 2]


@jit
def turn(bodies, d, b):
    """Rotation vector in body axes."""
    o = MOVES * b + TURN
    return d[o], d[o + 1], d[o + 2]


@jit
def displaced(bodies, y, d, share, b, q):
    """Centre of mass after a share of the displacement d from y; q (4) <- the quaternion then."""
    o = STATE * b
    for k in range(4):
        q[k] = y[o + QUATERNION + k]
    t0, t1, t2 = turn(bodies, d, b)
    turn_quaternion(q, 0, share * t0, share * t1, share * t2)
    t0, t1, t2 = travel(bodies, d, b)
    return y[o] + share * t0, y[o + 1] + share * t1, y[o + 2] + share * t2
