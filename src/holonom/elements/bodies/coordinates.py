"""What integrators and analyses do with the coordinates of all bodies at once, as kernels: velocities of a state, its
displacement, its rates, masses.

Vectors of unknowns (displacements d, velocities u, accelerations, forces) have ``bodies.moves`` numbers: MOVES a body,
ground last (zero), then the coordinates of the tail.  They are copied, scaled and added whole, by loops over
``range(bodies.moves)``; what is more than that is a kernel of this package.  States have their positions as `layout`
says; what belongs to no body begins at ``bodies.end``.

The rest of the room by subject: `mass` (masses and other weights), `history` (formulas over past steps), `dense`
(states inside a step), `increments` (coordinates about a reference state), `lie_group` (steps of the alpha methods),
`errors` (weights and norms), `motion_bounds`.
"""

from __future__ import annotations

from ..._jit import jit
from ..vectors import cross, turn_quaternion
from . import layout
from .coupled import add_coupled_bias, give_coupled_motion, lead_nodes, place_coupled, solve_coupled
from .layout import MOVES, STATE
from .rigid import move, rotation, state_rate
from .rigid import normalise as normalise_rigid

SPEED = 7  # where velocities begin in the state of a body


# ---- the tail --------------------------------------------------------------------------------------------------------
@jit
def tail_of(bodies):
    """Where the tail begins: its unknowns in vectors of velocities, its coordinates and their rates in the state."""
    first = STATE * (bodies.n + 1)
    return MOVES * (bodies.n + 1), first, first + bodies.tail


# ---- velocities ------------------------------------------------------------------------------------------------------
@jit
def speeds_of(bodies, y, u):
    """u <- velocities of the state y, ground's too; of its rates: accelerations."""
    for i in range(bodies.n + 1):
        o = STATE * i + SPEED
        for c in range(MOVES):
            u[MOVES * i + c] = y[o + c]
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        u[k + i] = y[v + i]


@jit
def put_speeds(bodies, u, y):
    """Velocities of the state y <- u; ground keeps its own."""
    for i in range(bodies.n):
        o = STATE * i + SPEED
        for c in range(MOVES):
            y[o + c] = u[MOVES * i + c]
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        y[v + i] = u[k + i]


@jit
def add_speeds(bodies, factor, u, y):
    """Velocities of the state y += factor u."""
    for i in range(bodies.n):
        o = STATE * i + SPEED
        for c in range(MOVES):
            y[o + c] += factor * u[MOVES * i + c]
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        y[v + i] += factor * u[k + i]


@jit
def kick(bodies, h, yd, y):
    """Velocities of the state y += h times their rates in yd."""
    for i in range(bodies.n):
        o = STATE * i + SPEED
        for c in range(MOVES):
            y[o + c] += h * yd[o + c]
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        y[v + i] += h * yd[v + i]


@jit(entry="Bodies, float64[::1], float64[::1]")
def solve_mass(bodies, F, u):
    """u <- M^-1 F; ground and what cannot turn stay at rest.  u may be F itself."""
    solve_coupled(bodies, F)
    for i in range(bodies.n):
        for c in range(MOVES):
            u[MOVES * i + c] = F[MOVES * i + c] * bodies.Minv[i, c]
    for c in range(MOVES * bodies.n, MOVES * bodies.n + MOVES):
        u[c] = 0.0
    k = MOVES * (bodies.n + 1)
    for i in range(bodies.tail):
        u[k + i] = F[k + i] * bodies.Minv[bodies.n + 1 + i // MOVES, i % MOVES]
    give_coupled_motion(bodies, u, False)


@jit
def follow_carriers(bodies, u):
    """Moves of nodes in u, any motion of the bodies, <- what follows from those of their carriers at the last
    evaluation."""
    lead_nodes(bodies, u)


# ---- states ----------------------------------------------------------------------------------------------------------
@jit(entry="Bodies, float64[::1], float64[:, ::1]")
def rotations(bodies, y, R):
    """R[b] <- rotation matrix of each body's quaternion.  Nodes of y are put where their carriers have them."""
    place_coupled(bodies, y)
    for b in range(bodies.n):
        rotation(y, STATE * b + 3, R, b)


@jit
def normalise(bodies, y):
    """Coordinates of y put back on their manifold: quaternions of unit length."""
    normalise_rigid(bodies.n, y)


@jit
def rates(bodies, y, acc, yd):
    """yd <- time derivative of the states of bodies, given accelerations."""
    state_rate(bodies.n, y, acc, yd)
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        yd[q + i] = y[v + i]
        yd[v + i] = acc[k + i]
    add_coupled_bias(bodies, yd)


@jit(entry="Bodies, float64[::1], float64[::1]")
def retract(bodies, y, d):
    """y <- y moved by the displacement d: translations added, attitudes turned by its rotation vectors in body axes."""
    move(bodies.n, y, d)
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        y[q + i] += d[k + i]


def moved(bodies, y, d) -> None:
    """`retract` for Python."""
    move(bodies.n, y, d)
    layout.coordinates(y, bodies)[:] += d[MOVES * (bodies.n + 1) :]


@jit
def place_at(bodies, y0, d, y):
    """Positions and attitudes of y <- those of y0 moved by d; velocities of y stay."""
    for i in range(bodies.n):
        o = STATE * i
        k = MOVES * i
        for c in range(3):
            y[o + c] = y0[o + c] + d[k + c]
        for c in range(3, 7):
            y[o + c] = y0[o + c]
        turn_quaternion(y, o + 3, d[k + 3], d[k + 4], d[k + 5])
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        y[q + i] = y0[q + i] + d[k + i]


@jit
def state_at(bodies, y0, d, u, y):
    """State y <- y0 moved by d, its velocities changed by u.  y may be y0 itself."""
    place_at(bodies, y0, d, y)
    for i in range(bodies.n):
        o = STATE * i + SPEED
        for c in range(MOVES):
            y[o + c] = y0[o + c] + u[MOVES * i + c]
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        y[v + i] = y0[v + i] + u[k + i]


@jit
def retract_with_speeds(bodies, d, a, y):
    """y <- y moved by d, its velocities by a d; angular ones, which are components in axes that turn, by W x d/2
    besides."""
    for i in range(bodies.n):
        f = MOVES * i
        v = STATE * i + SPEED
        w0, w1, w2 = cross(y[v + 3], y[v + 4], y[v + 5], d[f + 3], d[f + 4], d[f + 5])
        for c in range(MOVES):
            y[v + c] += a * d[f + c]
        y[v + 3] += 0.5 * w0
        y[v + 4] += 0.5 * w1
        y[v + 5] += 0.5 * w2
    retract(bodies, y, d)
    k, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        y[v + i] += a * d[k + i]


@jit
def speeds_moved(bodies, y, d, r, s, u):
    """u <- s d + W x d/2 + r, W the angular velocities of the state y: how velocities change with a displacement d, s a
    number of any kind."""
    for i in range(bodies.n):
        k = MOVES * i
        o = STATE * i + SPEED + 3
        for c in range(3):
            u[k + c] = s * d[k + c] + r[k + c]
        w0 = 0.5 * y[o]
        w1 = 0.5 * y[o + 1]
        w2 = 0.5 * y[o + 2]
        u[k + 3] = s * d[k + 3] + w1 * d[k + 5] - w2 * d[k + 4] + r[k + 3]
        u[k + 4] = s * d[k + 4] + w2 * d[k + 3] - w0 * d[k + 5] + r[k + 4]
        u[k + 5] = s * d[k + 5] + w0 * d[k + 4] - w1 * d[k + 3] + r[k + 5]
    k, q, v = tail_of(bodies)
    for i in range(k, k + bodies.tail):
        u[i] = s * d[i] + r[i]


# ---- unknowns of a linear system -------------------------------------------------------------------------------------
@jit
def spread(moves, solution, d):
    """d <- the unknowns of bodies, which are the first of ``solution``; zero for coordinates that have none.
    ``moves``: of each unknown the position in d."""
    for c in range(d.shape[0]):
        d[c] = 0.0
    for k in range(moves.shape[0]):
        d[moves[k]] = solution[k]


@jit
def gather(moves, F, right):
    """The first numbers of ``right`` <- those of F that have an equation, the inverse of `spread`."""
    for k in range(moves.shape[0]):
        right[k] = F[moves[k]]
