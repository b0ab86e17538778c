"""Joint coordinates in one-step methods: the state is (q, v, x), coordinates and rates of the joints of a tree
(`recursive`) and states of differential equations.

Every stage fulfils the joints of the tree by itself, without projection and drift.  Their motions are coordinates that
are given.  Loops, other motions and couplers are rows over the tree (`recursive.loops`): which of them count is decided
once a step, at its end, which is projected onto them in the metric of the masses.  Outside of the steps the state is
that of all bodies, as with every method: outputs, events, contacts and reactions do not see which numbering integrates.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from .._jit import jit
from ..elements.bodies import layout
from ..elements.bodies.coordinates import speeds_of
from ..elements.joints.composition import BALL, SLIDE
from ..elements.joints.rows import PRESENT, multiply_G
from ..model.orientation import from_quaternion
from ..recursive.entry import forces, place_frames
from ..recursive.flexible import MEMBER
from ..recursive.kernels import (
    coordinate_rates,
    displacements,
    factor,
    make_work,
    move_coordinates,
    outward,
    place,
    read_state,
    set_inertia,
    spread,
    sum_of_squares,
    unit_quaternions,
    write_acceleration,
    write_accelerations,
    write_state,
)
from ..recursive.loops import factor_rows, gram, half_rows, make_loops, pull_rows, push_rows, solve_rows
from ..recursive.tree import seen_frames, tree_of
from ..system.contact_entry import accept_contacts
from ..system.kernels import accept_angles, evaluate_constraints, find_gap
from ..system.part_calls import accept_references, prescribe
from .partition import NOT_CLOSED
from .reduced import ACCEPT, DECIDE, STAGE, Evaluations, ReducedState
from .stepper import advice

JointState = namedtuple(
    "JointState", "tree work loops drives size y move extent turning longest component share group errors"
)
JointState.__doc__ = """tree, work: see `recursive.kernels`; loops: `recursive.loops.Loops`; drives: `Drives`; size (2)
int64: coordinates q, length of the state; y (ny): state of all bodies at the last evaluation, that of the work; move
(bodies.moves): work; extent (1): length of the model; turning (nv): 1 for freedoms that turn; longest (2): step in
which no joint turns by `TURN_LIMIT` at its present speed, and the turn that a step may have [rad]; component, share
(size): weights of the state are these shares of those of these components of the state of all bodies; group (4):
weights of positions, rotations, velocities, angular velocities of all bodies; errors (n + 1, 6): work."""

Drives = namedtuple("Drives", "row freedom coordinate motion scale offset")
Drives.__doc__ = """Freedoms whose motion is a function of time: row of the system that prescribes it, freedom, its
coordinate q, number of the function f, and  scale q = f + offset."""

# gaps in units of the extent: what a step may leave to be closed, what counts as closed at once, and what must not stay
REACH, CLOSED, OPENED = 1e-2, 1e-14, 1e-8
SWEEPS = 10
TURN_LIMIT = 2.8  # rad, of a joint in a step
#: a row acts on freedoms where its gradient by them is above this share of the largest that its gradients by bodies and
#: the motions of these could give: what is below is taken for terms that cancel, as with pivots in `system.kernels`
NOTHING = 1e-8
SAME = 1e-9  # difference of proportions that are one


@jit
def place_state(S, M, s):
    """States of differential equations from s into the state of all bodies."""
    for k in range(S.nx):
        M.y[S.bodies.end + k] = s[M.tree.nq + M.tree.nv + k]


@jit
def drive(S, W, M, t, s):
    """Coordinates and rates of driven freedoms at time t into s, their accelerations into the work."""
    D = M.drives
    if D.freedom.shape[0] > 0:
        prescribe(S, W, t)
    for m in range(D.freedom.shape[0]):
        f = W.rw.motion[D.motion[m]]
        s[D.coordinate[m]] = (f[0] + D.offset[m]) / D.scale[m]
        s[M.tree.nq + D.freedom[m]] = f[1] / D.scale[m]
        M.work.drive[D.freedom[m]] = f[2] / D.scale[m]


@jit
def push_driven(S, W, M, t):
    """Accelerations of driven freedoms at time t into the work."""
    D = M.drives
    if D.freedom.shape[0] > 0:
        prescribe(S, W, t)
    for m in range(D.freedom.shape[0]):
        M.work.drive[D.freedom[m]] = W.rw.motion[D.motion[m], 2] / D.scale[m]


@jit
def rows_at(S, W, M, t, decide):
    """Rows and their factor; frames and inertias are current.  Returns the smallest pivot, not positive where a freedom
    moves no mass, and how many rows do not count."""
    T = M.tree
    V = M.work
    pivot = factor(T, V)
    skipped = 0
    if pivot > 0.0 and M.loops.row.shape[0] > 0:
        evaluate_constraints(S, W, t, M.y)
        half_rows(S, T, V, M.loops, W.rw.G, W.R)
        gram(M.loops)
        for j in range(M.loops.row.shape[0]):
            M.loops.A[j, j] += S.rows.compliance[M.loops.row[j]]
        pivot, skipped = factor_rows(M.loops, decide)
    return pivot, skipped


@jit
def correct(M, out):
    """out (nv) <- H^-1 (G B)^T A^-1 right: the smallest change in the metric of the masses that gives the rows these
    values."""
    V = M.work
    solve_rows(M.loops)
    for k in range(M.tree.nv):
        V.u[k] = 0.0
    push_rows(M.loops, V.u)
    outward(M.tree, V, V.u, out)


@jit(apart=True)
def project(S, W, M, t, s):
    """s <- its nearest state that fulfils the rows, after deciding which of them count.  Returns pivot (`NOT_CLOSED`
    where they stay open), skipped rows.

    Gauss-Newton until the square of the gap is small by the smallest pivot: near a position where rows become
    dependent a gap is an error of the state times that."""
    T = M.tree
    V = M.work
    N = M.loops
    nq = T.nq
    v = s[nq : nq + T.nv]
    pivot = 1.0
    skipped = 0
    drive(S, W, M, t, s)
    for it in range(SWEEPS):
        place_state(S, M, s)
        place_frames(S, W, T, V, s[:nq], v)
        set_inertia(T, V)
        for i in range(T.n):
            for l in range(6):
                V.p[i, l] = 0.0
        pivot, skipped = rows_at(S, W, M, t, True)
        if not (pivot > 0.0):
            return pivot, skipped
        gap = find_gap(S, W) / M.extent[0]
        if not (gap < REACH):
            return NOT_CLOSED, skipped
        if gap > CLOSED:
            for j in range(N.row.shape[0]):
                r = N.row[j]
                N.right[j] = -W.rw.phi[r] if S.rows.level[r] == 0 else 0.0
            correct(M, V.acc)
            move_coordinates(T, s, V.acc)
            if gap * gap > CLOSED * pivot:
                if it == SWEEPS - 1 and not (gap < OPENED):
                    return NOT_CLOSED, skipped
                if it < SWEEPS - 1:
                    continue
        speeds_of(S.bodies, M.y, M.move)
        multiply_G(S.rows, W.rw.G, M.move, N.place)
        for j in range(N.row.shape[0]):
            r = N.row[j]
            N.right[j] = 0.0 if S.rows.level[r] == 2 else -N.place[r] - W.rw.phit[r]
        correct(M, V.acc)
        for k in range(T.nv):
            v[k] += V.acc[k]
        break
    return pivot, skipped


@jit(apart=True)
def joint_rate(S, W, M, t, s, out, eps, flags):
    """out <- s' at (t, s); with DECIDE in ``flags`` s is put on the rows first, with ACCEPT what is continuous over
    steps goes on from here.  Returns the smallest pivot (or what is wrong), and the number of redundant rows."""
    T = M.tree
    V = M.work
    N = M.loops
    nq = T.nq
    end = nq + T.nv
    pivot = 1.0
    skipped = 0
    if flags & ACCEPT:
        unit_quaternions(T, s)
    if flags & DECIDE and N.row.shape[0] > 0:
        pivot, skipped = project(S, W, M, t, s)
        if not (pivot > 0.0):
            return pivot, skipped
        unit_quaternions(T, s)
    if flags & STAGE:
        push_driven(S, W, M, t)
    else:
        drive(S, W, M, t, s)
    place_state(S, M, s)
    forces(S, W, T, V, t, s[:nq], s[nq:end])
    set_inertia(T, V)
    pivot, skipped = rows_at(S, W, M, t, False)
    if not (pivot > 0.0):
        return pivot, skipped
    if N.row.shape[0] > 0:
        for k in range(N.moved.shape[0]):
            write_acceleration(T, V, W.R, 0.0, W.acc, N.moved[k])
        multiply_G(S.rows, W.rw.G, W.acc, N.place)
        for j in range(N.row.shape[0]):
            r = N.row[j]
            N.right[j] = W.rw.gamma[r] - N.place[r] - pull_rows(N, V.u, j)
        solve_rows(N)
        push_rows(N, V.u)
    outward(T, V, V.u, V.acc)
    coordinate_rates(T, s, s[nq:end], out)
    total = 0.0
    for k in range(T.nv):
        out[nq + k] = V.acc[k] + V.drive[k]
        total += 0.0 * V.acc[k]
    for k in range(S.nx):
        out[end + k] = V.yd[S.bodies.end + k]
        total += 0.0 * out[end + k]
    if not (total == 0.0):
        return total, skipped
    if flags & ACCEPT:
        bound_turns(M, s)
        write_state(T, V, W.R, M.y, 1)
        write_accelerations(T, V, W.R, 1.0, W.acc)
        if S.rows.tr.shape[0] > 0 and N.row.shape[0] == 0:  # angles of rows go on over turns
            evaluate_constraints(S, W, t, M.y)
        W.rw.clock[PRESENT] = t
        accept_angles(W)
        accept_references(S, W)
        accept_contacts(S, W, t, M.y)
    return pivot, skipped


@jit
def bound_turns(M, s):
    """M.longest[0] <- step in which no joint turns by `TURN_LIMIT` at its present speed: a step in joint
    coordinates may be many turns long, and turns of measures and rows are counted from its ends.  Whether joints sped
    up is known at the end (`find_turn`): an impact begins with an acceleration that soon ends."""
    most = 0.0
    for k in range(M.tree.nv):
        if M.turning[k] != 0:
            most = max(most, abs(s[M.tree.nq + k]))
    M.longest[0] = 0.9 * TURN_LIMIT / most if most > 0.0 else np.inf


@jit
def find_turn(M, before, s, h):
    """Largest turn of a joint from the state ``before`` to s, h later, as a share of what a step may have; turns of
    spherical joints are taken from their speeds at both ends."""
    T = M.tree
    most = 0.0
    for o in range(T.kind.shape[0]):
        k = T.nq + T.freedom[o]
        if T.kind[o] == BALL:
            for l in range(3):
                most = max(most, 0.5 * h * (abs(before[k + l]) + abs(s[k + l])))
        elif T.kind[o] != SLIDE:
            most = max(most, abs(s[T.coordinate[o]] - before[T.coordinate[o]]))
    return most / M.longest[1]


@jit(apart=True)
def square_of_errors(M, s, d, weight):
    """Sum of the squares of the weighted errors of all bodies that errors d of the state are at s, the last that was
    evaluated: a step is as accurate as with the coordinates of all bodies."""
    T = M.tree
    V = M.work
    g = M.group
    displacements(T, s, d, V.acc)
    for k in range(T.nv):
        if T.held[k] != 0:
            V.acc[k] = 0.0
    spread(T, V, V.acc, M.errors)
    total = sum_of_squares(T, V, M.errors, g[1], g[0])
    for k in range(T.nv):
        V.acc[k] = d[T.nq + k] if T.held[k] == 0 else 0.0
    spread(T, V, V.acc, M.errors)
    total += sum_of_squares(T, V, M.errors, g[3], g[2])
    for r in range(T.flexible.roots.shape[0]):
        i = T.flexible.roots[r]
        for k in range(T.first[i + 1] - T.last[i]):
            total += (g[0] * d[T.coordinate[T.halt[i]] + k]) ** 2 + (g[2] * d[T.nq + T.last[i] + k]) ** 2
    for c in range(T.nq + T.nv, M.size[1]):
        total += (d[c] * weight[c]) ** 2
    return total


@jit(apart=True)
def joint_close(S, W, M, t, s):
    """State of all bodies at (t, s).  Loops are as closed there as the interpolation is accurate; outputs
    close them, as they do with all methods."""
    T = M.tree
    unit_quaternions(T, s)
    drive(S, W, M, t, s)
    place(T, M.work, s[: T.nq], s[T.nq : T.nq + T.nv])
    write_state(T, M.work, W.R, M.y, 1)
    place_state(S, M, s)
    return 1.0, 0


@jit(apart=True)
def joint_read(S, W, M, y, s):
    """s <- joint coordinates, rates and states of the state y, at which frames are current; angles go on from what s
    has there."""
    T = M.tree
    for c in range(y.shape[0]):
        M.y[c] = y[c]
    read_state(T, M.work, W.R, M.y, s[: T.nq], s[T.nq : T.nq + T.nv])
    for k in range(S.nx):
        s[T.nq + T.nv + k] = y[S.bodies.end + k]


def small_modes(system: Any, carrier: int) -> np.ndarray:
    """Modal coordinates of a carrier, each of which moves or turns some attachment by a tenth of the extent, or rad."""
    c = system.bodies.carriers
    own = [-1 - int(c.nodes.which[k]) for k in np.flatnonzero(c.nodes.carrier == carrier)]
    Phi = c.modes.Phi[own][:, :, : int(c.modes.count[carrier])]
    largest = lambda shapes: np.abs(shapes).max(axis=(0, 1), initial=0.0)
    most = np.maximum(largest(Phi[:, :3]) / system.extent, largest(Phi[:, 3:]))
    return 0.1 / np.where(most > 0.0, most, 1.0)


class JointSet(ReducedState):
    """The reduced state of a system whose joints have a spanning tree.

    ``S``: tables of the system in which only the rows over the tree count."""

    planar, looped, chosen = False, True, False

    def __init__(self, system: Any, S: Any, W: Any):
        self.system, self.W = system, W
        spanning = tree_of(system)
        self.links, self.rest = spanning.links, spanning.rest
        self.tree = tree = spanning.tree
        ny = len(system.y0)
        self.work = make_work(tree, ny)
        self.work.y[:] = system.y0
        self.turning = np.ones(tree.nv, np.int64)
        self.turning[tree.freedom[tree.kind == SLIDE]] = 0
        self.use(np.zeros(0, np.int64), [])

    def use(self, rows: np.ndarray, driven: list[tuple[int, int, float]]) -> None:
        """Rows (k,) of the system over the tree, and those that prescribe the motion of one freedom: row, freedom,
        scale."""
        system, tree = self.system, self.tree
        held = np.zeros(tree.nv, np.int64)
        held[[k for _, k, _ in driven]] = 1
        self.tree = tree = tree._replace(held=held)
        index = lambda values: np.array(values, np.int64).reshape(-1)
        at = np.zeros(tree.nv, np.int64)
        at[tree.freedom] = tree.coordinate
        drives = Drives(
            index([r for r, _, _ in driven]),
            index([k for _, k, _ in driven]),
            index([at[k] for _, k, _ in driven]),
            index([system.S.rows.motion[r] for r, _, _ in driven]),
            np.array([c for _, _, c in driven], float).reshape(-1),
            np.zeros(len(driven)),
        )
        self.arrays = JointState(
            tree._replace(seen=seen_frames(system, rows)),
            self.work,
            make_loops(system, self.links, tree, rows),
            drives,
            np.array([tree.nq, tree.nq + tree.nv + system.nx], np.int64),
            self.work.y,
            np.zeros(system.bodies.moves),
            np.array([system.extent]),
            self.turning,
            np.array([np.inf, TURN_LIMIT]),
            *self.weighed(),
            np.ones(4),
            np.zeros((tree.n + 1, 6)),
        )
        table = system.S.rows._replace(on=np.asarray(rows, np.uint32))
        self.S = system.S._replace(rows=table)

    def leave_out(self, method: Evaluations) -> bool:
        """Use those of the rows over the tree that move something."""
        if not self.rest:
            return False
        y = self.system.y0.copy()
        method.rows(y)
        method.read(y, 0.0)
        start = method.stages.x[: self.positions].copy()
        self.use(*self.acting(start, lambda s: method.close(s, 0.0), method.rows))
        return True

    def begin(self, method: Evaluations) -> None:
        """Joint coordinates of the present state; x and K[0] follow.  Raises IntegrationError."""
        self.arrays.longest[1] = np.inf if method.fixed else TURN_LIMIT
        if not method.project() > 0.0:
            what = "reactions cannot be computed: the matrix of the joints is singular"
            raise advice(what, method.t, self.system, cause="singular")
        method.read(method.y, method.t)
        self.align(method.stages.x)
        if not method.rates(DECIDE + ACCEPT) > 0.0:
            raise advice("joint coordinates have no accelerations", method.t, self.system, cause="singular")

    def acting(
        self, start: np.ndarray, close: Callable[[np.ndarray], Any], evaluate: Callable[[np.ndarray], Any]
    ) -> tuple[np.ndarray, list[tuple[int, int, float]]]:
        """(k,) Rows over the tree that move some freedom in a random position near the design: three of five of a hinge
        that closes a planar loop never do; and of rows that are functions of time and of one freedom, always in the
        same proportion, the row, the freedom and the proportion.  ``start`` (nq,): the design; ``close`` fills the work
        from a reduced state, ``evaluate`` the rows of the system from a state of all bodies."""
        system, tree, V = self.system, self.tree, self.work
        rows = np.array([r for c in self.rest for r in c.rows], np.int64)
        if not len(rows):
            return rows, []
        random = np.random.default_rng(0)
        lengths = np.where(self.weighed()[0][: tree.nq] % layout.STATE < layout.QUATERNION.start, system.extent, 1.0)
        for i in tree.flexible.roots:
            modes = tree.coordinate[tree.halt[i] : tree.step[i + 1]]
            lengths[modes] = small_modes(system, int(tree.flexible.carrier[i]))
        moved = np.zeros(len(rows), bool)
        gradients = []
        for _ in range(3):
            s = np.zeros(self.size)
            s[: tree.nq] = start + 0.1 * lengths * random.normal(size=tree.nq)
            close(s)
            y = V.y.copy()
            evaluate(y)
            G, motions = system.W.rw.G, {}
            for slot in range(system.nslots):
                body = int(system.slot_body[slot])
                if body not in motions:
                    motions[body] = self._motion(body, y)
            J = np.array(
                [
                    sum(G[q] @ motions[int(system.slot_body[q])] for q in range(system.rp[r], system.rp[r + 1]))
                    for r in rows
                ]
            )
            gradients.append(J)
            reach = np.array(
                [
                    sum(
                        np.linalg.norm(G[q, part]) * np.linalg.norm(motions[int(system.slot_body[q])][part])
                        for q in range(system.rp[r], system.rp[r + 1])
                        for part in (layout.TRAVEL, layout.TURN)
                    )
                    for r in rows
                ]
            )
            moved |= np.linalg.norm(J, axis=1) > NOTHING * reach
        table = system.S.rows
        driven: dict[int, tuple[int, int, float]] = {}
        for n, r in enumerate(rows):
            J = np.array([g[n] for g in gradients])
            k = int(np.abs(J[0]).argmax())
            others = np.delete(J, k, axis=1)
            alone = np.ptp(J[:, k]) <= SAME * abs(J[0, k]) and np.abs(others).max(initial=0.0) <= SAME * abs(J[0, k])
            if moved[n] and alone and table.motion[r] >= 0 and table.level[r] == 0 and k not in driven:
                driven[k] = (int(r), k, float(J[0, k]))
                moved[n] = False
        return rows[moved], list(driven.values())

    def align(self, s: np.ndarray) -> None:
        """Offsets of driven coordinates from the state s and the rows of the system where it was read."""
        W, D = self.system.W, self.arrays.drives
        q = s[D.coordinate]
        D.offset[:] = D.scale * q - W.rw.motion[D.motion, 0] - W.rw.phi[D.row]

    def _motion(self, body: int, y: np.ndarray) -> np.ndarray:
        """(6, nv) motion of a body, in ground and in principal axes, for unit rates of the freedoms."""
        tree, V = self.tree, self.work
        out = np.zeros((layout.MOVES, tree.nv))
        place = layout.body(y, body)[layout.PLACE]
        axes = from_quaternion(layout.body(y, body)[layout.QUATERNION])
        i = next(k for k, link in enumerate(self.links) if link.body == body)
        while i != tree.n:
            columns = [(k, V.S[k]) for k in range(tree.first[i], tree.last[i])]
            if tree.role[i] == MEMBER:
                root, block = tree.flexible.root[i], tree.flexible.block[i]
                modes = range(tree.last[root], tree.first[root + 1])
                columns = [(k, V.Y[:, block + n]) for n, k in enumerate(modes)]
            for k, S in columns:
                out[layout.TRAVEL, k] = S[3:] + np.cross(S[:3], place - V.x[i])
                out[layout.TURN, k] = axes.T @ S[:3]
            i = int(tree.parent[i])
        return out

    @property
    def longest_step(self) -> float:
        """Step in which no joint turns by `TURN_LIMIT` at its present speed."""
        return float(self.arrays.longest[0])

    @property
    def positions(self) -> int:
        """How many of the state are coordinates, which do not indicate stiffness."""
        return int(self.tree.nq)

    @property
    def size(self) -> int:
        """Length of the state."""
        return int(self.tree.nq + self.tree.nv + self.system.nx)

    @property
    def counted(self) -> int:
        """How many components the norm of errors counts: as many as with the coordinates of all bodies."""
        return 2 * (self.system.bodies.moves - layout.MOVES) + int(self.system.nx)

    def weigh(self, weights: np.ndarray) -> None:
        """Take the weights of positions, rotations, velocities and angular velocities from those of all bodies."""
        group = self.arrays.group
        group[0], group[2] = weights[layout.PLACE.start], weights[layout.VELOCITY.start]
        group[1], group[3] = 0.5 * weights[layout.QUATERNION.start], weights[layout.SPIN.start]

    def weighed(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each of the state the component of all bodies' state whose weight it has, and a factor on that: an angle
        counts as twice the component of a quaternion, and what is given as a function of time not at all."""
        tree, system = self.tree, self.system
        q, v, half = np.zeros(tree.nq, np.int64), np.zeros(tree.nv, np.int64), np.ones(tree.nq)
        for i, link in enumerate(self.links):
            at = layout.STATE * link.body
            for o in range(tree.step[i], tree.halt[i]):
                c, k, slides, ball = tree.coordinate[o], tree.freedom[o], tree.kind[o] == SLIDE, tree.kind[o] == BALL
                q[c : c + (4 if ball else 1)] = at + (layout.PLACE if slides else layout.QUATERNION).start
                v[k : k + (3 if ball else 1)] = at + (layout.VELOCITY if slides else layout.SPIN).start
                half[c] = 1.0 if slides or ball else 0.5
            if link.modes:
                at = layout.end(system.nb) + int(system.bodies.carriers.at[tree.flexible.carrier[i]])
                q[tree.coordinate[tree.halt[i] : tree.step[i + 1]]] = at + np.arange(link.modes)
                v[tree.last[i] : tree.first[i + 1]] = at + system.bodies.tail + np.arange(link.modes)
        places = np.concatenate([q, v, system.bodies.end + np.arange(system.nx)])
        shares = np.concatenate([half, np.ones(len(places) - len(half))])
        for o in range(len(tree.kind)):
            if tree.held[tree.freedom[o]]:
                shares[tree.coordinate[o]] = shares[tree.nq + tree.freedom[o]] = 0.0
        return places, shares
