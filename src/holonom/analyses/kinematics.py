"""Following driven mechanisms without degrees of freedom: prediction from position, velocity and acceleration,
correction by Newton's method.

A step is taken when the correction is small compared with the motion, else it is halved, so that Newton's method cannot
end at another position of the mechanism; where no step is short enough the mechanism locks.  Singular positions that
are passed are reported (`singular.Watch`).
"""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING, Any

import numpy as np

from .._warnings import WarningText
from ..elements.bodies import layout
from ..elements.bodies.rigid import move
from ..elements.forces.pair_kinds import PAIR_KINDS
from ..integrators import selection
from ..integrators.entry import VELOCITY, enter, project_state, weighted_handle
from ..integrators.explicit import REDUNDANT
from ..integrators.stepper import IntegrationError
from ..model import ModelError
from ..model.settings import IntegratorSettings
from ..system.flags import USER_FAILED
from .assemble import fresh_pivots
from .checks.advice import driven
from .checks.parallelism import unparallel
from .checks.singular import MOST, Watch, close, constraints_at, explanation, gaps, tolerance
from .contact.treatment import runner
from .dynamics.past import refuse
from .dynamics.sensors import POINTS, Sensors
from .dynamics.work import works_wanted
from .session.output_times import output_times
from .session.progress import Progress

if TYPE_CHECKING:
    from .session.simulation import Simulation

SMALL, SHARE = (
    0.02,
    0.1,
)  # correction (radians, or units of the extent) that a step may need, and as a share of its motion
SHORTEST = 1e-10  # step at which a mechanism counts as locked, as a share of the whole time
SETTLED = 1e-9  # gap of a position that has converged, in units of the extent
REGULAR = 1e-6  # smallest pivot, as a share of its largest so far, of a position from which it may be predicted
PIECES = 100  # of the span of an analysis, over which powers are integrated
MOTION_ERROR = 1e-9  # of positions that are integrals of motions
_ROUNDOFF = "constraints are met to roundoff"
IDLE_KINEMATICS = {
    "error": _ROUNDOFF,
    "aerror": "accelerations come from a direct solution",
    "maxit": "a step that does not converge is halved",
}
WOUND = 1.0  # radians that a body may turn within a step beyond what is foreseen where turns are counted


class Follower:
    """One kinematic analysis from (t, y), a state with its accelerations; ``y`` is moved.  ``span``: the whole time."""

    def __init__(self, system: Any, t: float, y: np.ndarray, span: float, say: Any):
        self.system, self.t, self.y, self.span = system, t, y, span
        self.watch = Watch(system, say)
        self.graded = system.graded
        self._told = False  # that reactions have no digits
        #: forces whose angles run on from those of the step before: torsion springs, bushings, fields
        pairs = system.S.pairs  # none in a model without anything that moves or pushes
        self._winding = pairs is not None and any(np.diff(pairs.first)[[kind.law.TURNS for kind in PAIR_KINDS]])
        self.d = np.zeros(system.bodies.moves)
        worst, self.skipped, *_ = project_state(system, y, t, 0)
        self.largest = worst
        self.place = self.watch.position(t, y.copy()) if self._looks else None
        self._remember()

    @property
    def _looks(self) -> bool:
        return self.watch.on and self.system.m <= MOST

    def _close(self, t: float, y: np.ndarray) -> float:
        """Newton's method for positions at time t, which moves y; returns the gap that is left.

        Where masses are very uneven positions and velocities, which do not depend on them, are found with weights by
        size: pivots by masses may have no digit there."""
        if not self.graded:
            return close(self.system, t, y)
        with fresh_pivots(self.system, True):
            return close(self.system, t, y, handle=weighted_handle(self.system, self.system.bodies.metric))

    def _remember(self) -> None:
        """Positions are predicted from here."""
        self.origin = self.t, self.y.copy(), self.system.W.acc.copy()

    def state(self) -> tuple:
        """What `restore` puts back."""
        f = self.system.W.f  # turns of angles that functions measure are counted from the last position
        own = self.t, self.origin, self.skipped, self.largest, self.place
        return own, self.y.copy(), self.system.W.acc.copy(), f.ref.copy(), f.clock.copy()

    def restore(self, saved: tuple) -> None:
        """Back to an earlier position."""
        (self.t, self.origin, self.skipped, self.largest, self.place), *arrays = saved
        f = self.system.W.f
        for target, values in zip((self.y, self.system.W.acc, f.ref, f.clock), arrays):
            target[:] = values

    def to(self, end: float, pieces: int = 1) -> None:
        """Continue to time ``end`` in steps of at most 1/pieces of the way.  Raises ModelError where it locks."""
        most = (end - self.t) / pieces
        h = most
        while self.t < end:
            left = end - self.t
            last = h >= left * (1.0 - 1e-9)
            t = end if last else self.t + h
            y = self._try(t)
            if y is None:
                h = 0.5 * min(h, left)
                if h < SHORTEST * self.span:
                    raise self._locked(self.t, self.y, t)
                continue
            self._take(t, y)
            h = min(2.0 * h, most)

    def _try(self, t: float) -> np.ndarray | None:
        """Position at time t, or None where the way to it is not sure."""
        system, d = self.system, self.d
        t0, y0, acc = self.origin
        n, L, h = system.nb, system.extent, t - t0
        y = y0.copy()
        moved = 0.0
        d[:] = 0.0
        u = layout.speeds(y0, n)
        way = h * u + 0.5 * h * h * layout.moves(acc[: layout.MOVES * n])
        d[: layout.MOVES * n] = way.ravel()
        if not np.isfinite(d).all():
            return None
        # angles are followed by their rate at the start of the step, those of forces by their value there
        unknown = way if self._winding else 0.5 * h * h * layout.moves(acc[: layout.MOVES * n])
        if np.abs(unknown[:, 3:]).max(initial=0.0) > WOUND:
            return None
        moved = max(np.abs(way[:, :3]).max(initial=0.0) / L, np.abs(way[:, 3:]).max(initial=0.0))
        move(n, y, d)
        guess = layout.rows(y, n).copy()
        left = self._close(t, y)
        if not left < max(SETTLED * L, tolerance(system, y, 1e-10)):
            return None
        now = layout.rows(y, n)
        turn = (
            np.abs((guess[:, layout.QUATERNION] * now[:, layout.QUATERNION]).sum(axis=1))
            / np.linalg.norm(guess[:, layout.QUATERNION], axis=1)
            / np.linalg.norm(now[:, layout.QUATERNION], axis=1)
        )
        angle = 2.0 * np.sqrt(max(2.0 * (1.0 - turn.min(initial=1.0)), 0.0))
        off = max(np.abs(now[:, :3] - guess[:, :3]).max(initial=0.0) / L, angle)
        return y if off <= SMALL + SHARE * min(moved, 1.0) else None

    def _take(self, t: float, y: np.ndarray) -> None:
        system = self.system
        if self.graded:
            with fresh_pivots(system, True):
                enter(weighted_handle(system, system.bodies.metric), VELOCITY, y, t, 0.0, REDUNDANT, 0, self.d)
        worst, skipped, *_ = project_state(system, y, t, 1)
        if system.W.flags[USER_FAILED]:
            system.raise_user_error(t)
        self.t = t
        self.y[:] = y
        if system.workspace.outputs is not None:
            system.outputs.follow(t, self.y)
        self.largest = max(self.largest, worst)
        self.watch.step(None, t, y)
        if not worst > 0.0 and not self._told and self.graded:
            self._told = True
            self.watch.say(
                WarningText(f"at time {t:.6g} reactions and accelerations have few digits or none: {system.slimmest()}")
            )
        if self._looks and self.place is not None:
            acc = system.W.acc.copy()
            place = self.watch.position(t, y.copy())
            reached = self.watch.between(self.place, place)
            if reached is not None and self.watch.open is not None:
                raise self._locked(*self.watch.open, t)
            if place.value > 0.0:
                self.place = place
            project_state(system, y, t, 0)
            system.W.acc[:] = acc
        if skipped <= self.skipped and worst > REGULAR * self.largest:
            self.skipped = skipped
            self._remember()

    def _locked(self, t: float, y: np.ndarray, beyond: float) -> ModelError:
        system = self.system
        why = explanation(system, t, y)
        constraints_at(system, beyond, y)
        found = gaps(system)
        r = int(np.argmax(found))
        if not driven(system.model):
            text = (
                f"the mechanism cannot move at time {t:.9g}: {system.row_words(r)} does not close after it; "
                f"{why or 'its joints leave no motion'}"
            )
            return ModelError(f"{text}; try (1) other joints, (2) other lengths of its parts")
        return ModelError(
            f"the mechanism cannot follow its motions at time {t:.9g}: {system.row_words(r)} does not close after it"
            + (f"; {why}" if why else "; it may lock here, or a motion requires more than it can reach")
            + "; the results before are kept; try (1) motions that require less, (2) other lengths of its parts, (3) a "
            "dynamic analysis with "
            "forces in place of motions"
        )


def kinematics_at(sim: Simulation, times: np.ndarray, options: dict[str, Any]) -> None:
    """A kinematic analysis with a row at each of ``times``; see `kinematics`.  Raises ModelError for a
    mechanism that can move otherwise."""
    system = sim.prepare("kinematics")
    if sim.assembly.dof > 0:
        raise ModelError(
            f"a kinematic analysis needs zero degrees of freedom, the model has {sim.assembly.dof}; drive them with "
            "motions or run a dynamic analysis"
        )
    integrated = [m.label for m in sim.model.table("MOTION").values() if m.active and m.level != "DISPLACEMENT"]
    integrated += system.functions.integrated_constraints()
    if integrated:
        _integrate_motions(sim, integrated, times, options)
        return
    refuse(system, "a kinematic analysis")
    recorder = sim.recorder
    why = unparallel(system, sim.y) if not driven(system.model) else ""
    if why:
        sim.warn(f"nothing moves the mechanism, which has no degree of freedom: {why}")
    sim.pass_over("KINEMATICS", sim.model.kinematics, IDLE_KINEMATICS)
    for name in sorted(set(options) - {"hmax"}):
        sim.warn(
            f"{selection.option_name(name).upper()} belongs to dynamic analyses and has no influence on this "
            "kinematic one"
        )
    hmax = options.get("hmax")
    hmax = sim.model.kinematics.hmax if hmax is None else hmax
    hmax = np.inf if hmax is None else selection.positive("hmax", hmax)
    recorder.begin("kinematics", {})
    y = sim.y.copy()
    works = works_wanted(system.nb, sim.work)
    recorder.integrate_works(works)
    recorder.record(sim.time, y, 0)
    losses = Losses(recorder, times[-1] - sim.time, works)
    begin = clock.process_time()
    sub = max(1, int(np.ceil((times[1] - times[0]) / hmax))) if len(times) > 1 else 1
    follower = Follower(system, sim.time, y, times[-1] - sim.time, sim.say)
    sensors = Sensors(sim, system)
    try:
        with Progress(sim.progress, sim.time, times[-1]) as bar:
            k = 1
            while k < len(times):
                a, b = sim.time, times[k]
                event = _sensor_event(sensors, follower, recorder, a, b, sub) if sensors.sensors else None
                if event is None:
                    losses.follow(follower, b, sub)
                    k += 1
                recorder.evaluate(follower.t, y, 0)
                losses.reach(follower.t)
                recorder.store(follower.t, y)
                sim.leave(follower.t, y)
                bar.update(follower.t, (b - a) / sub)
                if event is not None:
                    if sensors.act(event):
                        break
                    times = sensors.new_times(times, k)
                    k += bool(times[k] <= event) if k < len(times) else 0
    except KeyboardInterrupt:
        sim.stopped = f"stopped by the user at time {sim.time:.6g}"
        sim.say(sim.stopped)
    except (IntegrationError, ModelError) as error:
        sim.stopped = str(error)
        sim.say(sim.stopped)
        if follower.t > sim.time:  # a row at the last position before the lock
            sim.leave(follower.t, follower.y)
            recorder.evaluate(sim.time, follower.y, 1)
            losses.reach(sim.time)
            recorder.store(sim.time, follower.y.copy())
        raise
    finally:
        recorder.counters["cpu seconds"] = recorder.counters.get("cpu seconds", 0.0) + clock.process_time() - begin
        recorder.end()


class Losses:
    """Works and impulses along a kinematic analysis, in ``recorder.work`` and ``recorder.impulse``.

    What dampers and friction take is the integral of their power by Simpson's rule, over pieces of at most 1/PIECES of
    the ``span``.  What motions and forces put in follows from the energies, which positions and velocities give without
    any integration:  input = E - E(start) + dissipated."""

    def __init__(self, recorder: Any, span: float, on: bool):
        self.recorder, self.longest, self.on = recorder, span / PIECES, on
        self.t, self.power, self.middle = recorder.rows["time"][-1], recorder.rates, None
        self.balance = float(recorder.outputs.energy[:3].sum()) + recorder.work[1] - recorder.work[0]

    def follow(self, follower: Follower, end: float, pieces: int) -> None:
        """The mechanism is moved to time ``end``, in steps of at most 1/pieces of the way."""
        if not self.on:
            follower.to(end, pieces)
            return
        n = max(1, int(np.ceil((end - follower.t) / self.longest * (1.0 - 1e-9))))
        start, each = follower.t, max(1, -(-pieces // (2 * n)))
        for k in range(2 * n):
            t = end if k == 2 * n - 1 else start + (end - start) * (k + 1) / (2 * n)
            follower.to(t, each)
            if k % 2 == 0:
                self.recorder.evaluate(t, follower.y.copy(), 0)
                self.recorder.note_peaks(t)
                self.middle = self.recorder.rates
            elif k < 2 * n - 1:
                self.recorder.evaluate(t, follower.y.copy(), 0)
                self.reach(t)

    def reach(self, t: float) -> None:
        """Behind an evaluation at time t."""
        if not self.on:
            return
        r = self.recorder
        power, h = r.rates, t - self.t
        # an event or a lock before the middle: by the trapezoidal rule
        mean = 0.5 * (self.power + power) if self.middle is None else (self.power + 4.0 * self.middle + power) / 6.0
        r.impulse = r.impulse + h * mean[2:]
        lost = r.work[1] + h * mean[1]
        r.work = np.array([float(r.outputs.energy[:3].sum()) + lost - self.balance, lost])
        self.t, self.power, self.middle = t, power, None


def _sensor_event(sensors: Sensors, follower: Follower, recorder: Any, a: float, b: float, pieces: int) -> float | None:
    """Time of the first sensor that fires on the way from time a to b, to which the mechanism is moved, or None."""
    saved = follower.state()

    def evaluate(t: float) -> None:
        if t < follower.t:
            follower.restore(saved)
        follower.to(t, pieces)
        recorder.evaluate(t, follower.y.copy(), 0)

    return sensors.first(evaluate, np.linspace(a, b, POINTS))


def _integrate_motions(sim: Simulation, labels: list[str], times: np.ndarray, options: dict) -> None:
    """A kinematic analysis whose positions are integrals of motions or constraints: the same equations as in dynamics,
    with a negligible quadrature error."""
    sim.pass_over("KINEMATICS", sim.model.kinematics, IDLE_KINEMATICS)
    given = {"hmax": options.get("hmax") or sim.model.kinematics.hmax, "error": options.get("error") or MOTION_ERROR}
    given["coordinates"] = "maximal"
    for name in sorted(set(options) - {"hmax", "error"}):
        sim.warn(
            f"{selection.option_name(name).upper()} belongs to dynamic analyses and has no influence on this "
            "kinematic one"
        )
    sim.say_once(
        f"{', '.join(labels[:4])}{' and others' if len(labels) > 4 else ''}: given by velocity, acceleration or "
        f"states, integrated to an error of {given['error']:g} in this kinematic analysis"
    )
    choice = selection.choose(IntegratorSettings(), "DOP853", given)
    analysis = runner("compliant")(sim, sim.system, choice, times)
    analysis.kind = "kinematics"
    analysis.run()


def kinematics(sim: Simulation, end=None, steps=None, dt=None, duration=None, **options: Any) -> None:
    """Positions, velocities, accelerations and reactions of a mechanism without degrees of freedom.

    Motions that are given by their velocity or acceleration are integrated, with the error control of a dynamic
    analysis."""
    kinematics_at(sim, output_times(sim.time, end, steps, dt, duration), options)
