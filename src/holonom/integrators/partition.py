"""A minimal set of coordinates: the equations of motion as ordinary differential equations in the independent ones.

Coordinates are the increments z of each body about a reference state: translations, and the rotation vector of
q = q_ref exp(z) in body axes.  A pivoted QR of the constraint Jacobian splits them into dependent ones, whose block of
the Jacobian is well conditioned, and independent ones (Wehage and Haug, J. Mech. Des. 104 (1982) 247; the QR as in Kim
and Vanderploeg, J. Mech. Des. 108 (1986) 176).  The state is

    s = (z_I, z_I', x),      z_I'' = (T^-1(z) u' + d/dt T^-1(z) u)_I,     u = T(z) z'

with u' from the equations of motion of the whole system (index 1), x the states of differential equations, and T the
tangent of the exponential.  Given s, the dependent z follow from phi(z) = 0 by Newton's method with the frozen block of
the last evaluation, the dependent z' from one linear solve at the point found.

A projection in a metric where independent coordinates cannot move *is* that closing:  dz = -P J^T (J P J^T)^-1 phi with
P = 0 on the independent ones solves J_D dz_D = -phi.  So the sparse L D L^T of the index-1 form serves here too,
redundant rows are skipped by the same rule, and nothing is dense but the choice of the partition.

Valid while the pivots of that factor stay near those of the moment of choice; when they fall the partition is chosen
again.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .._jit import jit
from ..elements.bodies import layout
from ..elements.bodies.coordinates import place_at, put_speeds, rates, speeds_of
from ..elements.bodies.increments import (
    increment_accelerations,
    increment_gradients,
    size_of_moves,
    speeds_of_increments,
    turns_within,
)
from ..elements.bodies.mass import lengths, movable, set_weights, with_weights
from ..elements.joints.rows import PRESENT, without_drives
from ..model import ModelError
from ..system.contact_entry import accept_contacts
from ..system.kernels import (
    MASSES,
    accept_angles,
    evaluate_constraints,
    evaluate_dynamics,
    evaluate_frames,
    factor_schur,
    find_gap,
    position_correction,
    project_velocity,
)
from ..system.part_calls import accept_references
from .reduced import ACCEPT, DECIDE, KEEP, Evaluations, ReducedState
from .stepper import IntegrationError

# way (radians, units of the extent) from a guess on which a mechanism is closed, farther it might close in another
# position; and gap of a joint, in units of the extent, that counts as closed
FARTHEST, OPENED = 0.25, 1e-5
TOLERANCE, LENGTH = range(2)  # of the settings: tolerance of the closing, length scale
NOT_CLOSED, TURNED = -2.0, -3.0  # instead of a pivot: Newton does not close the mechanism; a body turns too far
DEGRADED = 0.02  # the dependent block has degraded when its pivot falls below this share of that at the choice
CLOSING = 1e-3  # error left in closing the mechanism as a share of the error allowed in a step
LARGEST = 4.0  # rad from the reference; T is singular at 2 pi
MAXIT = 15

Minimal = namedtuple("Minimal", "S W size coord z zeta base clock ref y yd acc d settings count")
Minimal.__doc__ = """S, W: tables and work in the metric P, Jacobian and factor of their own, the rest
shared; size (2) int64: independent coordinates f, length of the state; coord (f): their places in a vector of moves; z,
zeta (bodies.moves): increments and their rates; base (4, bodies.moves): z, z', z'' when last accepted, at clock[0], and
a difference for z'''; ref (ny) reference state; y, yd
(ny) whole state and rates of the last evaluation; acc (bodies.moves) accelerations when last accepted; d work; settings
(2): `TOLERANCE`, `LENGTH`; count (4) int64: 1 when there is a factor, iterations, iterations of the last closing,
closings."""


@jit(apart=True)
def refresh(S, W, M, eps, mode):
    """The frozen pair: Jacobian with respect to z at the present point, and its factor.  Returns pivot ratio, skipped
    rows."""
    increment_gradients(S.rows.slot_body, W.rw.G, M.z, M.W.rw.G)
    M.count[0] = 1
    return factor_schur(M.S, M.W, eps, mode)


@jit(apart=True)
def close(S, W, M, t, s, eps, flags):
    """Whole state M.y at (t, s); frames and rows are current.  Returns pivot ratio (or what is wrong) and skipped
    rows."""
    bodies = S.bodies
    f = M.size[0]
    z = M.z
    y = M.y
    tau = t - M.clock[0]
    if flags & KEEP == 0:
        for c in range(bodies.moves):
            z[c] = M.base[0, c] + tau * (M.base[1, c] + 0.5 * tau * (M.base[2, c] + tau / 3.0 * M.base[3, c]))
    for k in range(f):
        z[M.coord[k]] = s[k]
    worst = 1.0
    skipped = 0
    mode = 0 if flags & DECIDE else 1
    if S.rows.m > 0:
        size = 0.0
        way = 0.0
        slow = M.count[0] == 0
        done = False
        it = 0
        while not done:
            place_at(bodies, M.ref, z, y)
            evaluate_frames(S, W, y)
            evaluate_constraints(S, W, t, y)
            if slow:
                worst, skipped = refresh(S, W, M, eps, mode)
                if not (worst > 0.0):
                    return worst, skipped
            old = size
            position_correction(M.S, M.W, M.d)
            for c in range(bodies.moves):
                z[c] += M.d[c]
            size = size_of_moves(bodies, M.d, M.settings[LENGTH])
            it += 1
            way += size
            done = size <= M.settings[TOLERANCE]
            slow = it > 1 and size > 0.1 * old
            if not (way < FARTHEST) or (not done and it == MAXIT):
                M.count[0] = 0
                return NOT_CLOSED, skipped
        M.count[1] += it
        M.count[2] = it
        M.count[3] += 1
        worst, skipped = refresh(S, W, M, eps, mode)
        if not (worst > 0.0):
            return worst, skipped
    if not turns_within(bodies, z, LARGEST):
        M.count[0] = 0
        return TURNED, skipped
    rate = M.zeta
    for c in range(bodies.moves):
        rate[c] = M.base[1, c] + tau * M.base[2, c]
    for k in range(f):
        rate[M.coord[k]] = s[f + k]
    put_speeds(bodies, rate, y)
    if S.rows.m > 0:
        project_velocity(M.S, M.W, y)
    speeds_of(bodies, y, rate)
    speeds_of_increments(bodies, z, y)
    for k in range(S.nx):
        y[bodies.end + k] = s[2 * f + k]
    place_at(bodies, M.ref, z, y)
    evaluate_frames(S, W, y)
    if S.rows.m > 0:
        evaluate_constraints(S, W, t, y)
        if not (
            find_gap(S, W) <= OPENED * M.settings[LENGTH]
        ):  # of rows left out: a mechanism that locks may seem closed without them
            M.count[0] = 0
            return NOT_CLOSED, skipped
    return worst, skipped


@jit(apart=True)
def minimal_rate(S, W, M, t, s, out, eps, flags):
    """out <- s' at (t, s).  flags: KEEP + DECIDE + ACCEPT.  Returns the smallest pivot ratio of the dependent block (or
    what is wrong), and the number of redundant rows."""
    bodies = S.bodies
    f = M.size[0]
    block, skipped = close(S, W, M, t, s, eps, flags)
    if not (block > 0.0):
        return block, skipped
    if S.rows.m > 0:
        worst, skipped = factor_schur(S, W, eps, 0 if flags & DECIDE else 1)
        if not (worst > 0.0):
            return worst, skipped
    evaluate_dynamics(S, W, t, M.y, M.yd)
    rates(bodies, M.y, W.acc, M.yd)
    increment_accelerations(bodies, M.z, M.zeta, M.y, W.acc, M.d)
    total = 0.0
    for k in range(f):
        c = M.coord[k]
        out[k] = M.zeta[c]
        out[f + k] = M.d[c]
        total += 0.0 * M.d[c]
    for k in range(S.nx):
        out[2 * f + k] = M.yd[bodies.end + k]
        total += 0.0 * out[2 * f + k]
    if not (total == 0.0):
        return total, skipped
    if flags & ACCEPT:
        past = t - M.clock[0]
        for c in range(bodies.moves):
            if past > 0.0:
                M.base[3, c] = (M.d[c] - M.base[2, c]) / past
            M.base[0, c] = M.z[c]
            M.base[1, c] = M.zeta[c]
            M.base[2, c] = M.d[c]
            M.acc[c] = W.acc[c]
        M.clock[0] = t
        W.rw.clock[PRESENT] = t
        accept_angles(W)
        accept_references(S, W)
        accept_contacts(S, W, t, M.y)
    return block, skipped


@jit
def rebase(bodies, nx, M, t, y, s, rates):
    """The state y becomes the reference; s and ``rates`` <- its state and, but for x', its rates."""
    f = M.size[0]
    for c in range(y.shape[0]):
        M.ref[c] = y[c]
    speeds_of(bodies, y, M.base[1])
    for c in range(bodies.moves):
        M.base[0, c] = 0.0
        M.base[2, c] = M.acc[c]
    M.clock[0] = t
    for k in range(f):
        c = M.coord[k]
        s[k] = 0.0
        s[f + k] = M.base[1, c]
        rates[k] = M.base[1, c]
        rates[f + k] = M.base[2, c]
    for k in range(nx):
        s[2 * f + k] = y[bodies.end + k]


class Partition(ReducedState):
    """Choice of independent coordinates of a system and what kernels need of it.

    ``independent`` (f): positions in a vector of moves, rising; ``pivot``: smallest pivot ratio at the moment of
    choice.
    """

    planar, looped, chosen = True, False, True
    counts = ("rejected: not closed", "rejected: large turn", "partitions", "iterations")

    def __init__(self, system, S, W):
        prescribed = (S.rows.level != 0) & (S.rows.compliance == 0.0)
        if np.any(prescribed):
            row = int(np.flatnonzero(prescribed)[0])
            raise ModelError(
                f"{system.row_words(row)} prescribes a velocity or an acceleration, so there is no minimal set of "
                "positions; "
                "use DOP853 or an implicit integrator"
            )
        if layout.has_nodes(S.bodies):
            raise ModelError(
                f"joints, forces or markers lie on {system.node_elements[0].label}, whose position follows from "
                "coordinates of its part, which minimal "
                "coordinates do not support; use DOP853 or an implicit integrator"
            )
        self.system, self.S, self.W = system, S, W
        self.rows = S.rows.on
        self.binding = S.rows.on[S.rows.compliance[S.rows.on] == 0.0]
        z = lambda a: np.zeros_like(a)
        self.lengths = lengths(S.bodies, system.extent)
        self.metric = metric = np.where(movable(S.bodies), self.lengths, 0.0)
        self.P = metric.copy()
        S2 = S._replace(bodies=with_weights(S.bodies, self.P), rule=MASSES, rows=without_drives(S.rows))  # by sizes
        G = z(W.rw.G)
        W2 = W._replace(
            Lx=z(W.Lx), D=z(W.D), Di=z(W.Di), scale=z(W.scale), skip=W.skip.copy(), rw=W.rw._replace(G=G, B=G)
        )
        nq, ny = S.bodies.moves, len(system.y0)
        self.arrays = Minimal(
            S2,
            W2,
            np.zeros(2, np.int64),
            np.zeros(nq, np.int64),
            np.zeros(nq),
            np.zeros(nq),
            np.zeros((4, nq)),
            np.zeros(1),
            np.zeros(ny),
            np.zeros(ny),
            np.zeros(ny),
            np.zeros(nq),
            np.zeros(nq),
            np.array([1e-9, system.extent]),
            np.zeros(4, np.int64),
        )
        layout.ground(self.arrays.y, system.nb)[:] = layout.ground(system.y0, system.nb)  # it never moves
        self.independent = np.zeros(0, np.int64)
        self.free = np.flatnonzero(metric.ravel())
        self.pivot = 1.0

    @property
    def f(self) -> int:
        return int(self.arrays.size[0])

    @property
    def size(self) -> int:
        """Length of the state."""
        return int(self.arrays.size[1])

    @property
    def positions(self) -> int:
        """How many of the state are coordinates, which do not indicate stiffness."""
        return self.f

    def weighed(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each of the state the component of all bodies' state whose weight it has, and a factor on that: rotation
        vectors are twice as long as the change of a quaternion."""
        bodies = self.system.bodies
        coordinates, rates = layout.state_columns(bodies, self.independent)
        places = np.concatenate([coordinates, rates, bodies.end + np.arange(self.system.nx)])
        half = np.ones(len(places))
        half[: self.f][layout.is_turn(bodies, self.independent)] = 0.5
        return places, half

    @property
    def iterations(self) -> int:
        """How many the closing of the mechanism has taken so far."""
        return int(self.arrays.count[1])

    def begin(self, method: Evaluations) -> None:
        """Choose independent coordinates at the present state, which becomes the reference; x and K[0] follow.  Raises
        IntegrationError."""
        system, M = self.system, self.arrays
        skipped = method.settle()
        M.settings[TOLERANCE] = max(CLOSING * method.options.error, 1e-13)
        M.acc[:] = system.W.acc
        changed = self.choose(skipped)
        method.stages.K[0, 2 * self.f : self.size] = method.stages.K[0, system.bodies.end :]
        method.read(method.y, method.t)
        self.pivot = method.rates(DECIDE + ACCEPT)
        if not self.pivot > 0.0:
            raise IntegrationError(
                f"no independent coordinates can be chosen at time {method.t:.9g}: the mechanism does not close there; "
                "try DOP853",
                method.t,
            )
        if changed:
            which = "new independent" if method.statistics["partitions"] else "independent"
            method.statistics["partitions"] += 1
            method.messages.append(f"{which} coordinates at time {method.t:.6g}: {self.words()}")

    def degraded(self, pivot: float) -> bool:
        """Whether the smallest pivot has fallen so far since the choice that another is to be made."""
        return pivot < DEGRADED * self.pivot

    def go_on(self, method: Evaluations, pivot: float) -> bool:
        """The end of the last step becomes the reference; false where the dependent block has degraded."""
        if self.degraded(pivot):
            return False
        method.read(method.y, method.t)
        return True

    def choose(self, skipped: int) -> bool:
        """Pick again at the last evaluation of the constraints, of whose rows ``skipped`` repeat others; true when the
        set differs.

        Dense: (unknowns)^2 m operations.  Columns are scaled by the metric, lengths in units of the model's extent.
        """
        system, M = self.system, self.arrays
        row, body, G = system.slot_row[:-1], system.slot_body[:-1], system.W.rw.G[:-1]
        rank = len(self.binding) - skipped
        chosen = self.free
        if rank:
            from scipy.linalg import qr

            J = np.zeros((system.m, system.bodies.moves))
            np.add.at(J, (row[:, None], layout.columns(body)), G)
            J = J[np.ix_(self.binding, self.free)] * np.sqrt(self.metric.ravel()[self.free])
            _, pivots = qr(J, mode="r", pivoting=True, overwrite_a=True, check_finite=False)
            chosen = np.sort(self.free[pivots[rank:]])
        changed = not np.array_equal(chosen, self.independent)
        self.independent = chosen
        f = len(chosen)
        M.size[:] = f, 2 * f + system.nx
        M.coord[:f] = chosen
        self.P[:] = self.metric
        self.P.ravel()[chosen] = 0.0
        set_weights(M.S.bodies, self.P)
        # a row whose dependent part vanishes must be known by what it is as a whole
        weight = np.zeros(system.m)
        np.add.at(weight, row, (G**2 * self.lengths[body]).sum(axis=1))
        M.W.scale[M.S.ldl.place[self.rows]] = weight[self.rows]
        M.base[3] = 0.0
        M.count[0] = 0
        return changed

    def words(self) -> str:
        """The independent coordinates as text."""
        names = []
        for c in self.independent[:12]:
            i = int(c) - layout.MOVES * (self.system.nb + 1)
            if i >= 0:
                names.append(self.system.tail_words(i))
                continue
            what, body = layout.words(self.system.bodies, c)
            names.append(f"{what} of {self.system.body_elements[body].label}")
        more = len(self.independent) - len(names)
        return ", ".join(names) + (f" and {more} more" if more > 0 else "")
