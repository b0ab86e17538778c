"""Work put in and work lost, integrated along the steps of a dynamic analysis, so that its energy can be audited; and,
in models with contacts, the impulses that the moving parts receive from outside.

Gauss-Lobatto quadrature over every piece between step ends and output times, with the states inside from the
integrator's own interpolant: five points (order 8) for DOP853, whose steps are long, three (Simpson) for the others; in
the root of time where the steps are.  Motions put in
-lam . (G u), functions their wrench times the velocity of its marker; dampers and joint friction take out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._warnings import WarningText
from ...elements.bodies import layout
from ...elements.bodies.momentum import ANGULAR, LINEAR, OUTSIDE
from ...integrators.stepper import IntegrationError
from ..contact.ledger import Ledger
from ..contact.pair_energy import PairEnergy

WORK_BODIES = 100  # up to here works are integrated unless `Simulation.work` says otherwise
#: inner nodes in (0, 1), their weights, weight of each end
LOBATTO = {
    5: ((0.5 - 0.5 * np.sqrt(3 / 7), 0.5, 0.5 + 0.5 * np.sqrt(3 / 7)), (49 / 180, 16 / 45, 49 / 180), 1 / 20),
    3: ((0.5,), (2 / 3,), 1 / 6),
}


def works_wanted(bodies: int, on: bool | None) -> bool:
    """Whether works are integrated: ``on`` as set by `Simulation.work`, None: in models of up to `WORK_BODIES`."""
    return bodies <= WORK_BODIES if on is None else on


class Work:
    """Follows a stepper; ``recorder.work`` (input, dissipated) and ``recorder.impulse`` are current after each
    `advance`.  ``on`` False: NaN."""

    def __init__(self, recorder, t: float, on: bool, ledger: Ledger | None = None, pairs: PairEnergy | None = None):
        self.recorder = recorder
        self.on = on
        self.t = t
        self.power = recorder.rates
        self.stale = False
        self.costly_restart = False  # a restart costs much
        self.balance: float | None = None  # energy less what was put in, at the first step
        self.limit: EnergyLimit | None = None
        self.account(ledger, pairs)

    def account(self, ledger: Ledger | None, pairs: PairEnergy | None) -> None:
        """Accounts of contacts begin with what was evaluated last."""
        self.ledger = ledger if self.on and ledger is not None and ledger.on else None
        self.pairs = pairs if self.on and pairs is not None and pairs.on else None
        if self.ledger is not None:
            self.ledger.book(0.0, True)

    def _book(self, weight: float, y: np.ndarray) -> None:
        """Behind an evaluation at y: accounts of contacts."""
        if self.ledger is not None:
            self.ledger.book(weight)
        if self.pairs is not None:
            self.pairs.book(weight, y)

    def renew(self) -> None:
        """Behind an event forces may be others than they were at it: the next piece begins with what acts then."""
        self.stale = True

    def advance(self, stepper, t: float, out: np.ndarray, sweeps: int = 0) -> None:
        """To time t inside the last step; ``out`` gets the state there and everything is evaluated at it."""
        r = self.recorder
        h = t - self.t
        nodes, weights, end = LOBATTO[stepper.quadrature]
        if self.on and h > 0 and self.stale:
            stepper.interpolate(self.t, out)
            r.evaluate(self.t, out, 0)
            self.power, self.stale = r.rates, False
            self._book(0.0, out)
        way, t0 = stepper.warp  # the step may have been one in the root of time since or until t0
        root = lambda time: way * np.sqrt(max(way * (time - t0), 0.0))
        a, length = (root(self.t), root(t) - root(self.t)) if way else (self.t, h)
        slope = lambda s: 2.0 * way * s if way else 1.0
        work = end * slope(a) * self.power
        if self.on and h > 0:
            for book in (self.ledger, self.pairs):
                if book is not None:
                    book.add(length * end * slope(a))
            for x, w in zip(nodes, weights):
                s = a + x * length
                inside = min(max(t0 + way * s * s, self.t), t) if way else s
                stepper.interpolate(inside, out)
                r.evaluate(inside, out, 0)
                r.note_peaks(inside)
                work = work + w * slope(s) * r.rates
                self._book(length * w * slope(s), out)
        stepper.interpolate(t, out)
        r.evaluate(t, out, sweeps)
        if h > 0:
            r.note_peaks(t, self.on)
        if self.on and h > 0:
            self.power = r.rates
            self._book(length * end * slope(a + length), out)
            if self.pairs is not None:
                energy = r.outputs.energy
                self.pairs.close(t, abs(energy[0]) + abs(energy[2]))
            work = length * (work + end * slope(a + length) * self.power)
            r.work = r.work + work[:2]
            r.impulse = r.impulse + work[2:]
            self.t = t
            if self.limit is not None:
                self.limit.check(t)

    def close_step(self, t: float, y: np.ndarray) -> bool:
        """At the end of a step (t, y), after `advance`: the ledger of contacts; whether their forces have changed by
        much."""
        if self.ledger is None:
            return False
        r = self.recorder
        energy = r.outputs.energy
        balance = float(energy[:3].sum()) - r.work[0] + r.work[1]
        if self.balance is None:
            self.balance = balance
        # accounts along steps with a history are rough: what they find counts as far as the whole run has gained
        most = balance - self.balance if self.costly_restart else np.inf
        changed = self.ledger.close_step(t, y, abs(energy[0]) + abs(energy[2]), most)
        self.stale |= changed
        return changed


# energy may rise without a source by so many tolerances of the largest kinetic or elastic energy, as far as a body that
# keeps its energy may drift, and by so much of its largest swing, before it is reported
GAINED, LEAST_GAIN = 50.0, 1e-2
# share of the largest swing of energy: what an integrator may damp away before it is reported (1 % of an amplitude)
LOST = 2e-2
# tolerances of the work of weights and forces in play: less is no gain, however little the energies change
NOISE = 1.0
# times the largest energy in play: where contacts are events, a run whose energy grows by more without a source ends
RUNAWAY = 1.0
OWN_GROWTH = (
    0.1  # share of an imbalance by which the energy itself must have grown; else the works of dampers are too large
)
# free_play: entries of the constraint matrix over 6, wrenches that are reduced, singular values of dependent rows
MOST_ENTRIES, MOST_WRENCHES, INDEPENDENT = 100_000, 20, 1e-10
NAMED = 4  # contacts that are named as its likely source
ROUNDED = 1e-12  # of the work of the largest force along the model: less is roundoff, whatever else the energies are


class EnergyError(IntegrationError):
    """The energy has grown without a source by more than all the energy of the run (`EnergyLimit`)."""


class EnergyLimit:
    """Ends an analysis whose energy grows without a source by more than `RUNAWAY` times the largest energy in play.

    With E = T + V + U, the input A and the dissipated work D since the start, what has come without a source is
    min(E - E0 - A + D, E - E0 - A): the balance of `gain`, as far as the energy itself has grown.  The largest energy
    in play is max(T + U - gain, abs(A), D) so far, where ``gain`` is the positive part of the balance.  What `gain`
    allows whatever the energies are is allowed here too.

    ``touching()`` names what touches, or is empty."""

    def __init__(self, recorder: Any, error: float, touching: Callable[[], str]):
        self.recorder, self.error, self.touching = recorder, error, touching
        self.start = self._balance()
        self.largest = 0.0

    def _balance(self) -> np.ndarray:
        """(T + V + U - A, D) as last evaluated."""
        put, lost = self.recorder.work
        return np.array([float(self.recorder.outputs.energy[:3].sum()) - put, lost])

    def check(self, t: float) -> None:
        """Behind an evaluation at t that the works have been integrated to.  Raises EnergyError."""
        energy = self.recorder.outputs.energy
        own, dissipated = self._balance() - self.start
        surplus = own + dissipated
        play_now = float(energy[0] + abs(energy[2]) - max(surplus, 0.0))
        self.largest = max(self.largest, play_now, abs(self.recorder.work[0]), abs(dissipated))
        grown = min(own, surplus)
        if not grown > RUNAWAY * self.largest:
            return
        system = self.recorder.system
        allowed = max(GAINED * self.error * max(play(system), abs(float(energy[1]))), roundoff(system))
        if grown > RUNAWAY * self.largest + allowed:
            unit = system.model.units.symbol("energy")
            raise EnergyError(
                f"at time {t:.9g} the energy has grown by {grown:.3g} {unit} without a source, more than all the "
                f"energy of the run before ({self.largest:.3g} {unit}){self.touching()}: the results near that time "
                "are wrong; use a smaller ERROR, another integrator, or contact = time-stepping",
                t,
            )


def roundoff(system: Any) -> float:
    """Energy that is nothing for this system: a share of `play`."""
    return ROUNDED * play(system)


def play(system: Any, length: float = 0.0) -> float:
    """Energy in play: work of the weights and of the largest force and torque at the last evaluation along the extent
    of the system, or ``length``."""
    size = max(system.extent, length)
    wrenches = (
        system.wrenches.out.reshape(-1, 2, 2, 3)
        if getattr(system, "wrenches", None) is not None
        else np.zeros((0, 2, 2, 3))
    )
    force, torque = np.linalg.norm(wrenches, axis=3).max(axis=(0, 1), initial=0.0)
    weight = float(system.bodies.mass.sum() * np.linalg.norm(system.bodies.gravity))
    work = np.array([force * size, torque, weight * size])
    return float(work[np.isfinite(work)].max(initial=0.0))


def free_play(system: Any, y: np.ndarray, length: float = 0.0) -> float:
    """`play` of the forces that can do work: what constraints carry of a wrench counts for nothing, such as the torque
    of an actuator on a pitch that is locked.

    Wrenches Q, with lengths over the size of the system, are reduced by min |Q - G^T lam| over the multipliers lam of
    the constraints G at the last evaluation; the largest first, until one that is left exceeds all others.  Where
    constraints act on nodes of flexible bodies, or the system is large, it is `play`.
    """
    from ..assemble import constraint_matrix

    n, wrenches = system.nb, getattr(system, "wrenches", None)
    if not system.m or wrenches is None or layout.has_nodes(system.bodies) or system.m * n > MOST_ENTRIES:
        return play(system, length)
    size = max(system.extent, length)
    scale = np.tile([size] * 3 + [1.0] * 3, n)
    basis = np.linalg.svd((constraint_matrix(system).toarray() * scale).T, full_matrices=False)
    carried = basis[0][:, basis[1] > INDEPENDENT * basis[1].max(initial=0.0)]
    out = wrenches.out.reshape(-1, 2, 2, 3)[len(system.constraints) :]
    elements = system.functions.wrench_elements[len(system.constraints) :]
    ends = system.functions._wrench_ends[len(system.constraints) :]
    whole = np.linalg.norm(out, axis=3).max(axis=1, initial=0.0) * (size, 1.0)
    whole = np.where(np.isfinite(whole).all(axis=1), whole.max(axis=1, initial=0.0), 0.0)
    most = float(system.bodies.mass.sum() * np.linalg.norm(system.bodies.gravity)) * size
    for k in np.argsort(-whole)[:MOST_WRENCHES]:
        if whole[k] <= most:
            break
        Q = None if ends[k] is None else _generalized(system, y, elements[k], ends[k], out[k])
        if Q is None:
            return max(most, float(whole[k]))
        Q *= scale
        most = max(most, float(np.abs(Q - carried @ (carried.T @ Q)).max(initial=0.0)))
    else:
        most = max(most, float(np.sort(whole)[::-1][MOST_WRENCHES:].max(initial=0.0)))
    return most


def _generalized(system: Any, y: np.ndarray, element: Any, ends: Any, wrench: np.ndarray) -> np.ndarray | None:
    """(6 nb,) force in ground axes and torque in axes of the body, of a wrench (2 sides, force and torque) between two
    markers; None where one of them is on no body of the system."""
    Q = np.zeros(layout.MOVES * system.nb)
    points = []
    for side, number in enumerate(ends):
        marker = system.model.markers.get(number)
        b = None if marker is None else system.body_index.get((marker.body_kind, marker.part))
        if b is None:
            if number == 0 or not wrench[side].any():
                continue
            return None
        body, local = system.body_frame(y, b), system.local[b]
        points.append(body.origin + body.axes @ local.axes.T @ (marker.frame.origin - local.origin))
        if b >= system.nb:
            continue
        point = points[0] if hasattr(element, "jfloat") else points[-1]  # reactions on floating markers act at I
        force, torque = wrench[side]
        at = slice(layout.MOVES * b, layout.MOVES * b + 6)
        Q[at] += np.concatenate([force, body.axes.T @ (torque + np.cross(point - body.origin, force))])
    return Q


def gain(
    recorder: Any,
    first: int,
    error: float,
    unit: str,
    nothing: float = 0.0,
    work: float = 0.0,
    damps: str = "",
    free: Any = None,
) -> str | None:
    """What is said of rows from ``first`` on whose energy has grown by more than what motions and forces put in and
    dampers, friction and impacts took out, E - E(first) - input + dissipated, or has been lost by an integrator that
    damps, ``damps`` (its name; empty: it does not).  None where works are not recorded or the balance holds.
    ``nothing``: energy that counts as none (`roundoff`); ``work``: that of the weights and of the largest force along
    the model, of which the tolerance allows its share whatever the energies are, which depend on where the origin
    is; ``free()``: the same of forces that can do work (`free_play`), requested where ``work`` alone hides a gain."""
    rows = recorder.rows
    E, put, lost = (
        np.array([rows[name][first:] for name in names], float).sum(axis=0)
        for names in (("energy_kinetic", "energy_gravity", "energy_elastic"), ("energy_input",), ("energy_dissipated",))
    )
    surplus = E - E[0] - (put - put[0]) + (lost - lost[0])
    parts = [
        np.array(rows[name][first:], float)
        for name in ("energy_kinetic", "energy_gravity", "energy_elastic", "energy_input", "energy_dissipated")
    ]
    scale = max(float(np.ptp(part)) for part in parts)
    if not len(surplus) or not np.isfinite(surplus).all():
        return None
    k = int(np.argmax(surplus))
    share = max(GAINED * error, LEAST_GAIN)
    # what stays as it is, as in free flight, keeps only within the tolerance of what is there; kinetic and elastic
    # energy have a zero of their own, the energy of gravity depends on the origin
    kinetic, gravity, elastic = (float(np.abs(part).max()) for part in parts[:3])
    floor_of = lambda work: max(GAINED * error * max(kinetic, elastic), NOISE * error * max(work, gravity), nothing)
    floor = floor_of(work)
    if free is not None and scale > 0.0 and max(share * scale, floor_of(0.0)) < surplus[k] <= floor:
        floor = floor_of(free())
    if not (scale > 0.0 and surplus[k] > max(share * scale, floor)):
        low = int(np.argmin(surplus))
        lost = -float(surplus[low])
        if not (damps and scale > 0.0 and lost > max(LOST * scale, floor)):
            return None
        return (
            f"by time {rows['time'][first + low]:.6g} {damps} has damped away {lost:.3g} {unit}, {lost / scale:.2g} of "
            "the largest change of energy, that no damper, "
            "friction or impact took: amplitudes and peaks come out too small; a smaller ERROR keeps them, as do "
            "RADAU5 and DOP853"
        )
    instead = (
        ", or contact = time-stepping"
        if recorder.contacts and not getattr(getattr(recorder, "system", None), "rigid", False)
        else ""
    )
    ways = (
        f"a smaller ERROR or step, another integrator{instead}"
        if instead
        else "a smaller ERROR or step, or another integrator"
    )
    own = float((E - put)[k] - (E - put)[0])  # what has grown: the energy itself, or only the works of dampers
    if own < OWN_GROWTH * surplus[k]:
        return (
            f"by time {rows['time'][first + k]:.6g} dampers, friction and impacts have taken {lost[k] - lost[0]:.3g} "
            f"{unit}, and the energy has fallen by "
            f"{-own:.3g} {unit} only, the difference is {surplus[k] / scale:.2g} of its largest "
            f"change{_touched(recorder, first, first + k)}: the velocities "
            f"from which their works are computed are inaccurate; {ways} makes them agree (run.audit() has the course)"
        )
    return (
        f"at time {rows['time'][first + k]:.6g} the energy has grown by {surplus[k]:.3g} {unit} without a source, "
        f"{surplus[k] / scale:.2g} of its largest "
        f"change{_touched(recorder, first, first + k)}: do not trust this run; {ways} may keep it "
        "(run.audit() has the course)"
    )


def _touched(recorder: Any, first: int, last: int) -> str:
    """Names of the contacts that touch in rows first to last: the most likely sources."""
    if not recorder.contacts:
        return ""
    points = np.array(recorder.rows["contact_points"][first : last + 1]).reshape(last + 1 - first, -1).max(axis=0)
    names = [e.label for e, n in zip(recorder.contacts, points) if n > 0] or [e.label for e in recorder.contacts]
    rest = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f", with contact in {', '.join(names[:NAMED])}{rest}"


# momentum may be out of balance by so many tolerances, and by so much of its size, from change to change of contact
# before it is reported
SLACK, LEAST = 10.0, 1e-3


class Balance:
    """From one change of contact to the next, the momentum that the moving parts gain is the impulse that they receive.

    ``worst``: largest difference as a share of the momenta of the parts (linear: what their mass could carry with their
    energy; angular about the origin of
    ground: their sum), or of the impulse if that is larger.
    """

    def __init__(self, recorder, say: Any):
        self.recorder, self.say = recorder, say
        self.worst = 0.0
        self.reported = False
        self.last, self.got = self._surplus(), recorder.impulse[:OUTSIDE].copy()
        self.t: float | None = None

    def _surplus(self) -> np.ndarray:
        """Momentum less impulse (6,)."""
        r = self.recorder
        return r.momentum[:OUTSIDE] - r.impulse[:OUTSIDE]

    def check(self, t: float, y: np.ndarray, error: float) -> None:
        """At a change at (t, y), where everything has been evaluated."""
        bodies, r = self.recorder.system.bodies, self.recorder
        now = self._surplus()
        if not np.isfinite(now).all():
            return
        n = bodies.n
        state = layout.rows(y, n)
        size = bodies.mass * np.linalg.norm(state[:, layout.VELOCITY], axis=1)
        turn = np.linalg.norm(bodies.J * state[:, layout.SPIN], axis=1)
        # bodies that only turn have a linear momentum of roundoff alone: what their energy could carry is the measure
        whole = float(np.sqrt(2.0 * layout.kinetic(bodies.mass, bodies.J, y) * bodies.mass.sum()))
        total = max(size.sum(), whole), (size * np.linalg.norm(state[:, :3], axis=1) + turn).sum()
        off, got = np.abs(now - self.last), np.abs(r.impulse[:OUTSIDE] - self.got)
        sizes = [max(s, float(got[k : k + 3].max())) for k, s in zip((LINEAR, ANGULAR), total)]
        share = max((float(off[k : k + 3].max()) / s for k, s in zip((LINEAR, ANGULAR), sizes) if s > 0.0), default=0.0)
        self.worst = float(max(self.worst, share))
        if share > max(SLACK * error, LEAST) and not self.reported:
            self.reported = True
            since = "the start" if self.t is None else f"{self.t:.6g}"
            self.say(
                WarningText(
                    f"at time {t:.6g} the momentum of all parts is out of balance by {share:.3g} of its size since "
                    f"{since}, the last change of "
                    f"contact: the steps in between are too long for the contact, a smaller ERROR follows it better"
                )
            )
        self.last, self.got, self.t = now, r.impulse[:OUTSIDE].copy(), t
