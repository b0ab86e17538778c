"""Where the numbers of bodies lie: in the state, in its rates, among unknowns.

The state holds STATE numbers a body, in the order of the bodies, then those of the ground, then the tail: coordinates
that belong to bodies that are more than rigid, then the rates of these, a multiple of MOVES of each; then everything
else (`end`):

    position (3), quaternion (4, scalar first), velocity (3), angular velocity in body axes (3)

Displacements d, accelerations, forces and unknowns have MOVES numbers a body: translation in ground, rotation in body
axes; then those of the tail, of which the rate of change is the rate of the coordinate itself.  Whoever is not a kernel
of this package says these words in place of numbers; all give views, so what is written into them is written into the
state.
"""

from __future__ import annotations

import numpy as np

STATE, MOVES = 13, 6
RATES = 7  # where rates of a body begin in its state
#: columns of bounds of a motion that nodes know too, see `motion_bounds`
SPEED_BOUND, ACCELERATION_BOUND, TURN_BOUND, TURN_RATE_BOUND, BOUNDS = 0, 1, 8, 9, 10
MOVE_NAMES = ("x", "y", "z", "rotation about x", "rotation about y", "rotation about z")
PLACE, QUATERNION, VELOCITY, SPIN = slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13)
#: positions, attitudes; velocities and angular velocities together
POSE, SPEED = slice(0, 7), slice(7, 13)
#: halves of what has MOVES numbers
TRAVEL, TURN = slice(0, 3), slice(3, 6)


def rows(y: np.ndarray, n: int) -> np.ndarray:
    """(n, STATE) states of the first n bodies."""
    return y[: STATE * n].reshape(n, STATE)


def body(y: np.ndarray, b: int) -> np.ndarray:
    """(STATE,) state of body b."""
    return y[STATE * b : STATE * b + STATE]


def places(y: np.ndarray, n: int) -> np.ndarray:
    """(n, 3) centres of mass."""
    return rows(y, n)[:, PLACE]


def velocities(y: np.ndarray, n: int) -> np.ndarray:
    """(n, 3) velocities of the centres of mass."""
    return rows(y, n)[:, VELOCITY]


def spins(y: np.ndarray, n: int) -> np.ndarray:
    """(n, 3) angular velocities in body axes."""
    return rows(y, n)[:, SPIN]


def parts(y: np.ndarray, n: int) -> tuple[np.ndarray, ...]:
    """Centres of mass, quaternions, velocities and angular velocities of the first n bodies."""
    return places(y, n), rows(y, n)[:, QUATERNION], velocities(y, n), spins(y, n)


def speeds(y: np.ndarray, n: int) -> np.ndarray:
    """(n, MOVES) velocities and angular velocities."""
    return rows(y, n)[:, SPEED]


def ground(y: np.ndarray, n: int) -> np.ndarray:
    """(STATE,) state of the ground, behind n bodies."""
    return body(y, n)


def end(n: int, tail: int = 0) -> int:
    """Where the states begin that belong to no body, behind those of n bodies, the ground and a tail of so many
    coordinates."""
    return STATE * (n + 1) + 2 * tail


def unknowns(n: int, tail: int = 0) -> int:
    """How many numbers displacements or accelerations of n bodies, the ground and a tail have."""
    return MOVES * (n + 1) + tail


def coordinates(y: np.ndarray, bodies) -> np.ndarray:
    """(tail,) coordinates of the tail."""
    return y[STATE * (bodies.n + 1) :][: bodies.tail]


def coordinate_rates(y: np.ndarray, bodies) -> np.ndarray:
    """(tail,) their rates."""
    return y[STATE * (bodies.n + 1) + bodies.tail :][: bodies.tail]


def all_speeds(y: np.ndarray, bodies) -> np.ndarray:
    """(bodies.moves,) velocities, ground's and those of the tail too."""
    return np.concatenate([speeds(y, bodies.n + 1).ravel(), coordinate_rates(y, bodies)])


def moves(d: np.ndarray) -> np.ndarray:
    """(bodies, MOVES) displacements, accelerations or forces."""
    return d.reshape(-1, MOVES)


def body_moves(d: np.ndarray, n: int) -> np.ndarray:
    """(n, MOVES) displacements, accelerations or forces of the first n bodies."""
    return d[: MOVES * n].reshape(n, MOVES)


def move(d: np.ndarray, b: int) -> np.ndarray:
    """(MOVES,) displacement, acceleration or force of body b."""
    return d[MOVES * b : MOVES * b + MOVES]


def columns(b: np.ndarray) -> np.ndarray:
    """(..., MOVES) numbers of the unknowns of bodies b."""
    return MOVES * np.asarray(b)[..., None] + np.arange(MOVES)


def per_move(bodies, values: np.ndarray) -> np.ndarray:
    """(bodies.moves,) of values (rows,), one a body, the one of the body of each unknown."""
    return np.repeat(values, MOVES)


def owners(bodies, c: np.ndarray | int) -> tuple[np.ndarray, np.ndarray]:
    """Bodies of unknowns c, and which of the MOVES of its body each is: `TRAVEL` before `TURN`."""
    return np.divmod(c, MOVES)


def words(bodies, c: int) -> tuple[str, int]:
    """What unknown c is, as text, and its body."""
    b, k = owners(bodies, c)
    return MOVE_NAMES[k], int(b)


def state_columns(bodies, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions in the state of the coordinates that unknowns c move, and of their velocities; of rotations components
    of the quaternion."""
    b, k = owners(bodies, c)
    return STATE * b + k, STATE * b + SPEED.start + k


def is_turn(bodies, c: np.ndarray) -> np.ndarray:
    """Which of the unknowns c are rotations."""
    return owners(bodies, c)[1] >= TURN.start


def owner_of_state(bodies, k: int) -> int:
    """Body of position k in the state; the number of bodies for ground and what belongs to none."""
    return min(k // STATE, bodies.n)


def zero_moves(bodies) -> np.ndarray:
    """(rows, MOVES) zeros: a number for each unknown, ground's and those of the tail too."""
    return np.zeros((bodies.moves // MOVES, MOVES))


def turns(bodies) -> np.ndarray:
    """(rows, MOVES) bool: which unknowns are rotations."""
    out = np.zeros(bodies.Minv.shape, bool)
    out[: bodies.n + 1, TURN] = True
    return out


def stop(y: np.ndarray, bodies) -> None:
    """All velocities of the state y become zero."""
    speeds(y, bodies.n)[:] = 0.0
    coordinate_rates(y, bodies)[:] = 0.0


def free(bodies) -> np.ndarray:
    """(rows, MOVES) bool: which unknowns there are; ground and nodes have none, point masses do not turn, rows of the
    tail may be filled up."""
    out = np.zeros(bodies.Minv.shape, bool)
    out[: bodies.n, TRAVEL] = True
    out[: bodies.n, TURN] = turning(bodies)[:, None]
    if bodies.carriers is not None:
        out[nodes(bodies)] = False
        tail = out[bodies.n + 1 :].reshape(-1)
        for at, count in zip(bodies.carriers.at, np.diff(bodies.carriers.ptr)):
            tail[at : at + count] = True
        meshes = bodies.carriers.meshes
        if meshes.size:
            tail[meshes.start : meshes.start + meshes.size] = meshes.held == 0
    return out


def nodes(bodies) -> np.ndarray:
    """Bodies that are nodes (`nodes`): they follow coordinates of others."""
    return bodies.carriers.nodes.body if bodies.carriers is not None else np.zeros(0, np.int64)


def followed(bodies, k: int) -> np.ndarray:
    """(N,) unknowns that the k-th of `nodes` follows."""
    c = bodies.carriers
    tail = MOVES * (bodies.n + 1)
    own = k - len(c.nodes.which)
    if own >= 0:
        at = c.meshes.points.at[own, : c.meshes.points.vectors[own]]
        return tail + (at[:, None] + np.arange(3)).ravel()
    g = c.nodes.carrier[k]
    return np.concatenate([columns(c.body[g]), tail + c.at[g] + np.arange(c.nodes.count[k] - MOVES)])


def has_nodes(bodies) -> bool:
    """Are there `nodes`?"""
    return bodies.carriers is not None and len(nodes(bodies)) > 0


def carried_by(bodies) -> np.ndarray:
    """(rows,) the body to which each row of unknowns belongs, that of a node its carrier, that of meshes the first of
    their nodes; ground's is its own."""
    out = np.arange(len(bodies.Minv))
    if bodies.carriers is not None:
        c = bodies.carriers
        out[nodes(bodies)[: len(c.nodes.which)]] = c.body[c.nodes.carrier]
        if c.meshes.size:
            own, mesh = nodes(bodies)[len(c.nodes.which) :], c.meshes.points.mesh
            for g, (at, end) in enumerate(zip(c.meshes.begin, c.meshes.begin[1:])):
                out[own[mesh == g]] = out[bodies.n + 1 + at // MOVES : bodies.n + 1 + end // MOVES] = own[mesh == g][0]
        for b, at, count in zip(bodies.carriers.body, bodies.carriers.at, np.diff(bodies.carriers.ptr)):
            first = bodies.n + 1 + at // MOVES
            out[first : first - (-count // MOVES)] = b
    return out


def turning(bodies) -> np.ndarray:
    """(n,) bool: which bodies can turn; point masses cannot."""
    return bodies.rotates[: bodies.n] != 0


def kinetic(mass: np.ndarray, J: np.ndarray, y: np.ndarray) -> float:
    """Kinetic energy of the bodies: (sum m v.v + sum W.J W) / 2."""
    state = rows(y, len(mass))
    return float(0.5 * ((mass[:, None] * state[:, VELOCITY] ** 2).sum() + (J * state[:, SPIN] ** 2).sum()))
