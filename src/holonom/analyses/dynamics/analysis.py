"""A dynamic analysis: steps of an integrator, output rows, sensors and discontinuities, and changes of the
integrator."""

from __future__ import annotations

import time as clock
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ...elements.bodies import layout
from ...elements.bodies.absolute import accept, remembering
from ...elements.bodies.momentum import OUTSIDE
from ...integrators import selection
from ...integrators.entry import project_state
from ...integrators.methods import DAMPING
from ...integrators.selection import Choice
from ...integrators.stepper import CLASSES, TRIES, IntegrationError, Options, Scales
from ...integrators.switching import Switching
from ...model import ModelError
from ..checks.advice import driven
from ..checks.closed_joints import ClosedJoints
from ..checks.singular import Watch, explanation, locked
from ..contact.events import ContactEvents
from ..contact.ledger import Ledger
from ..contact.overlap import settle_overlaps
from ..contact.pair_energy import PairEnergy
from ..contact.refereeing import OFF as REFEREE_OFF
from ..contact.refereeing import PassageError, Refereeing
from ..cosimulation.process import FmuFailed
from ..session.progress import Progress
from .events import Events, repeated
from .fmu_events import FmuEvents
from .motion_breaks import Break, Breaks
from .past import PastKeeper
from .periods import Periods
from .pulses import Pulses
from .sampling import Sampling
from .sensors import Sensors
from .sliding import Settled
from .topology import Topology
from .work import Balance, Work, free_play, gain, play, roundoff, works_wanted

SAID = 6  # changes of the integrator that are reported one by one
AGAIN, ON_TIME = 4, 1e-12  # so often is a step taken again to end at an event, until it does so within this share


# what is advised where a method whose error test sees velocities fails at a motion given by its velocity
BLIND = (
    "another integrator: GSTIFF with I3 or HHT, whose error tests see positions only, or a velocity without jumps "
    "and poles in MOTION"
)


def others(text: str, kind: str, formulation: str | None, by_velocity: bool = False) -> str:
    """What to try (`integrators.stepper.TRIES`) without the integrator that has just failed, nor one that fails for the
    same reason.

    ``by_velocity``: the model has motions given by velocity or acceleration, which trouble methods whose error tests
    see velocities."""
    if selection.METHODS[kind].sees_velocities(formulation) and by_velocity:
        text = text.replace(
            TRIES["error"][2],
            BLIND if kind != "HHT" else BLIND.replace(" or HHT, whose error tests see", ", whose error test sees"),
        )
        return text.replace(TRIES["singular"][2], "a smaller HMAX")
    if kind == "HHT":
        text = text.replace(" for stiff models, HHT for rough forces", "")
    if kind == "RADAU5":
        text = text.replace("RADAU5 or GSTIFF with SI2", "GSTIFF with SI2")
    elif formulation in ("SI2", "SI1"):  # a step of SI1 ends where that of SI2 does
        text = text.replace("RADAU5 or GSTIFF with SI2", "RADAU5").replace(TRIES["singular"][2], "a smaller HMAX")
    return text


def given(options: Options) -> dict[str, Any]:
    """Options of an integrator that are not its defaults, as results report them; error and formulation go by
    themselves."""
    out: dict[str, Any] = {}
    for field in fields(Options):
        value = getattr(options, field.name)
        if field.name in ("error", "formulation", "extra", "units") or value == field.default or value is None:
            continue
        if field.name in ("absolute", "scale"):
            usual = None if field.name == "absolute" else 1.0
            out |= {f"{field.name} {kind}": float(v) for kind, v in zip(CLASSES, value) if v is not None and v != usual}
        else:
            out[field.name] = value if isinstance(value, (bool, int, float, str)) else str(value)
    extra = {k: v for k, v in options.extra.items() if (k, v) != ("planar", True)}
    return out | {str(k): v if isinstance(v, (bool, int, float, str)) else str(v) for k, v in extra.items()}


def _loop_text(names: list[str]) -> str:
    """Message on an algebraic loop of continuous blocks."""
    return (
        f"the blocks {', '.join(names)} form an algebraic loop, which Newton's method solves at each evaluation; a lag "
        "or a sampled block with a delay in the loop would open it"
    )


class Dynamics:
    """One dynamic analysis of a simulation from its present state through the output ``times``.

    `run` is the whole of it: `set_up`, `begin`, `through` the times, `fail` where that cannot continue, `end`.  With a
    ``span`` it has no last time: `analyses.session.stepping` gives times one after the other, and the span is the scale
    of time alone.
    """

    #: attributes that belong to the present system; another system takes all of them with it (`topology`)
    BOUND: tuple[str, ...] = (
        "system",
        "switching",
        "past",
        "sensors",
        "events",
        "touch",
        "watch",
        "out",
        "stepper",
        "_steppers",
        "sampling",
        "breaks",
        "periods",
        "pulses",
        "remembers",
        "referee",
        "closed",
        "fmus",
    )
    #: what results call the analysis
    kind = "dynamics"
    #: forces of contacts are means over steps: what they do is known at ends of steps only
    stepped = False
    #: what may get on where this way ends
    way_out = ""
    #: rows and the history of the solver are recorded, and rows at output times too; works and impulses are integrated
    #: (None: as `Simulation.work` says)
    keeps = True
    rows = True
    works: bool | None = None

    def __init__(self, simulation: Any, system: Any, choice: Choice, times: np.ndarray, span: float | None = None):
        self.simulation = simulation
        self.recorder = simulation.recorder
        self.choice = choice
        self.times = times
        self.endless = span is not None
        self.span = float(times[-1] - times[0]) if span is None else span  # scale of time
        self.tend = times[-1] if span is None else float(times[0]) + span
        self.ahead = self.tend  # how far steps may be expected to go
        self.begun_with: Any = None  # the state before what happens at the beginning
        self.paused = False  # a sensor has requested control to be given back
        self.next = 1  # output that comes next
        self._last: Any = None  # step
        self._counted: dict[int, tuple[Any, dict]] = {}
        self._switched = 0  # changes of the integrator
        self.bind(system)
        self.topology = Topology(self) if simulation.model.table("SWITCH") else None

    def bind(self, system: Any) -> None:
        """Make all that belongs to one system: what is named in `BOUND`."""
        choice, span = self.choice, self.span
        self.system = system
        self.remembers = bool(remembering(system.bodies))  # parts that yield
        self.switching = Switching(choice, system)
        self.sensors = Sensors(self.simulation, system)
        self.past = PastKeeper(system, self.simulation.carried.past, choice.options.error, self.simulation.say_once)
        self.sampling = Sampling(self.simulation, system)
        late = max(self.simulation.time, self.times[0])
        self.breaks = Breaks(system, late, self.tend, self.simulation.say_once) if not self.stepped else None
        self.periods = Periods(
            system,
            (choice.events or choice.options.fixed) and not self.stepped,
            span,
            choice.options.fixed,
            self.simulation.say_once,
        )
        self.pulses = self._pulses(late)
        self.events = Events(system, choice.events, span, self.simulation.chatter)
        self.fmus = FmuEvents(self.simulation, system, span)
        self.touch = self.switching.touch = ContactEvents(system, choice.events, span)
        self.watch = Watch(system, self.simulation.say)
        self.referee = Refereeing(
            system, self.simulation.referee, self.stepped, 0.0 if self.stepped else choice.options.error
        )
        if self.referee.on:
            self.simulation.refereed.append(self.referee)
        elif self.referee.missing:
            self.simulation.say_once(REFEREE_OFF)
        self.closed = ClosedJoints(system, self.simulation.say)
        if self.closed.joints:
            self.simulation.closed.append(self.closed)
        self.out = np.zeros_like(system.y0)
        self.stepper: Any = None
        self._steppers: dict[str, Any] = {}

    def _pulses(self, begin: float) -> Pulses:
        """Pulses over time of the present system from time ``begin``."""
        fixed = self.stepped or self.choice.options.fixed
        step = (self.choice.options.hmax or 0.0) if fixed else None
        return Pulses(self.system, self.choice.events, step, begin, self.tend, self.simulation.say_once)

    @property
    def last(self) -> float:
        """Time after which nothing is integrated."""
        return np.inf if self.endless else float(self.times[-1])

    def run(self) -> None:
        """Integrate to the last time.  Raises IntegrationError and ModelError; rows up to the last good state are
        kept."""
        sim = self.simulation
        self.set_up()
        try:
            self.begin()
            with Progress(sim.progress, sim.time, self.times[-1]) as bar:
                self.through(bar)
            self.referee.judge()
        except KeyboardInterrupt:
            self.interrupted()
        except (IntegrationError, ModelError) as error:
            if not (isinstance(error, FmuFailed) and error.terminated):
                self.fail(error)
                raise
            sim.stopped = str(error)
            sim.warn(sim.stopped)
            self._keep_last()
        finally:
            self.end()

    def set_up(self) -> None:
        """The integrator, what is reported of it, and the row at the beginning."""
        sim, recorder, choice = self.simulation, self.recorder, self.choice
        self.switching.begin(sim.y, self.span)
        present = self.switching.present()
        self.stepper = self._make(present)
        opts = present.options
        for note in (*choice.notes, self.switching.note()):
            if note:
                sim.say_once(note)
        loops = self.system.functions.control.loops(self.system.outputs.set)
        for text in (*choice.idle, *map(_loop_text, loops), *([] if self.endless else self.sampling.slow(self.span))):
            sim.warn(text)
        reason = self.switching.begins or choice.reason
        sim.say(
            f"integrator {self.stepper.name}{' ' + opts.formulation if opts.formulation else ''}, "
            f"{f'fixed step {opts.hmax:g}' if opts.fixed and opts.hmax else f'error {opts.error:g}'}: {reason}"
        )
        if self.stepper.numbering:
            sim.say(self.stepper.numbering)
        plane = self.system.workspace.plane
        if plane is not None and choice.options.extra.get("planar", True):
            sim.say(
                f"the constraints hold all bodies in planes normal to the ground's {'xyz'[plane.axis]} axis: "
                f"three coordinates a body, {plane.rows} of {self.system.m} equations"
            )
        self._made: dict[str, int] = {}
        settings = {
            "integrator": self.stepper.name,
            "error": opts.error,
            "formulation": opts.formulation or "",
            **given(opts),
        }
        recorder.begin(self.kind, {**settings, "steps by integrator": self._made})
        y = sim.y.copy()
        woken = sim.woken_contacts()
        settle_overlaps(self.system, sim.time, y, sim.say, None if len(recorder.segments) == 1 else woken)
        works = works_wanted(self.system.nb, sim.work)
        works = works if self.works is None else self.works
        recorder.integrate_works(works)
        self._y, self._first_row = y, len(recorder)
        if self.keeps:
            recorder.record(sim.time, y.copy(), 0)
        else:
            recorder.evaluate(sim.time, y.copy(), 0)
        self.work = Work(recorder, sim.time, works, *self._accounts(y, works))
        self.balance = Balance(recorder, sim.say)
        self.clock = clock.process_time()

    def _accounts(self, y: np.ndarray, works: bool) -> tuple[Ledger, PairEnergy]:
        """Accounts of the contacts of the present system, evaluated last at y."""
        sim, error = self.simulation, self.switching.present().options.error
        ledger = Ledger(self.system, sim.say, error)
        pairs = PairEnergy(self.system, sim.say, error, y, ledger.has_reported_gain)
        if pairs.on and works:
            sim.pair_energies.append(pairs)
        return ledger, pairs

    def begin(self) -> None:
        """What switches and samples at once, then the integrator."""
        sim, y = self.simulation, self._y
        self.begun_with = y
        if self.topology is not None:
            y = self.topology.begin(sim.time, y)
            sim.leave(sim.time, y.copy())
        if self.fmus.on:
            y = self._after_fmus(sim.time, y)
            sim.leave(sim.time, y.copy())
        if self.sampling.due(sim.time):
            y = self.sampling.sample(sim.time, y)
            sim.leave(sim.time, y.copy())
        self._start(sim.time, y, self.choice.options.hinit)

    def through(self, bar: Progress) -> bool:
        """Through the times that are left; false when the analysis ends before."""
        while self.next < len(self.times):
            if not self._advance(bar):
                return False
            if self.paused:
                break
        end = self.times[-1]
        if (
            0.0 < end - self.simulation.time <= 1e-14 * abs(end) and not self.paused
        ):  # a motion jumps there: its values are those before it
            self.simulation.time = float(end)
        return True

    def interrupted(self) -> None:
        """The user has stopped it."""
        sim = self.simulation
        sim.stopped = f"stopped by the user at time {sim.time:.6g}"
        sim.say(sim.stopped + "; the results so far are kept")

    def fail(self, error: IntegrationError | ModelError) -> None:
        """It cannot continue: what to try goes into the error, and the last good state into the rows."""
        sim = self.simulation
        if isinstance(error, IntegrationError) and not isinstance(error, PassageError):
            velocity = any(m.level != "DISPLACEMENT" for m in self.system.model.table("MOTION").values() if m.active)
            error.args = (others(str(error), self.switching.kind, self.switching.formulation, velocity),)
            if not driven(self.system.model):
                error.args = (
                    str(error)
                    .replace("motions and joints there", "joints there")
                    .replace("joints and motions that", "joints that"),
                )
            why = explanation(self.system, self.stepper.t, self.stepper.y)
            if why and why not in str(error):
                error.args = (f"{why} (time {error.time:.9g}); {error}",)
            if self.way_out and self.way_out not in str(error):
                error.args = (f"{error}; or {self.way_out}",)
        sim.stopped = str(error)
        sim.say(sim.stopped)
        if self.keeps:
            self._keep_last()

    def end(self) -> None:
        """Counters, and what is reported of the whole; what the system holds is released."""
        sim, recorder = self.simulation, self.recorder
        self._count()
        self._release()
        for text in repeated(sim.chatter):
            sim.say(text)
        if self._switched > SAID:
            sim.say(f"the integrator was changed {self._switched - SAID} further times as stiffness came and went")
        if self.topology is not None:
            self.topology.end()
        elif self.work.on and len(recorder) > self._first_row:
            used = {worker.split()[0] for worker in self._made}
            length = Scales(self.system, sim.y, self.span).length
            grown = gain(
                recorder,
                self._first_row,
                self.choice.options.error,
                self.system.model.units.symbol("energy"),
                roundoff(self.system),
                play(self.system, length),
                next((kind for kind in DAMPING if kind in used), ""),
                lambda: free_play(self.system, sim.y, length),
            )
            if grown:
                sim.warn(grown)
        recorder.counters["cpu seconds"] = recorder.counters.get("cpu seconds", 0.0) + clock.process_time() - self.clock
        recorder.end()

    def _release(self) -> None:
        """The present system is left: what it holds is released, what its events counted goes to the recorder."""
        recorder = self.recorder
        self.events.release()
        self.touch.release()
        if self.touch.on:
            jump = max(self.touch.jump, recorder.counters.get("largest jump of momentum", 0.0))
            onsets = self.touch.counters["onsets"]
            recorder.count(self.touch.counters)
            self.touch.counters = dict.fromkeys(self.touch.counters, 0)
            recorder.counters["largest jump of momentum"] = jump
            if self.work.on and onsets:
                worst = max(self.balance.worst, recorder.counters.get("largest imbalance of momentum", 0.0))
                recorder.counters["largest imbalance of momentum"] = worst
        recorder.count(self.fmus.counts())
        for text in self.fmus.report():
            self.simulation.say(text)
        if self.events.located:
            recorder.count({"discontinuities located": self.events.located})
            self.events.located = 0

    # ---- integrators ----------------------------------------------------------------------------------------------
    def _make(self, choice: Choice) -> Any:
        if (
            choice.kind not in self._steppers or not selection.METHODS[choice.kind].stiff
        ):  # an explicit one watches for stiffness anew
            self._steppers[choice.kind] = selection.make(choice, self.system)
        return self._steppers[choice.kind]

    @property
    def multistep(self) -> bool:
        return selection.METHODS[self.switching.kind].multistep

    @property
    def costly_restart(self) -> bool:
        """Does a restart cost much (history, or accelerations that must settle)?"""
        return selection.METHODS[self.switching.kind].costly_restart

    @property
    def _seen(self) -> Any:
        """The integrator, as outputs see its states."""
        return Settled(self.stepper, self.events.sliding) if self.events.on and self.events.sliding else self.stepper

    @property
    def _splinter(self) -> float:
        """Least step with which to restart; methods that solve for positions read speeds from them, and roundoff
        grows as 1/h."""
        begin = min(1e-3 * (self.choice.options.hmax or self.span), 1e-5 * self.span)
        return begin if self.costly_restart and self.choice.options.hmax else 1e-3 * begin

    def _start(self, t: float, y: np.ndarray, h0: float | None) -> None:
        self.work.costly_restart = self.costly_restart
        self.periods.begin()
        self.events.begin(t, y, self.costly_restart)
        # explicit methods integrate velocities, and test their errors
        implicit = selection.METHODS[self.switching.kind].stiff and self.switching.formulation in (None, "I3")
        self.touch.follow_method(self.choice.options.error, self.costly_restart and implicit)
        self.touch.begin(t, y, self.costly_restart)
        self.past.restarted = True
        self.stepper.start(t, y, self.tend, h0)
        self.touch.look_inside_step(True)

    def _restart(self, t: float, y: np.ndarray, h0: float) -> None:
        """Continue at (t, y) inside the last step, after an event; scales and settings stay."""
        self.watch.begin()
        self.stepper.t, self.stepper.y = t, y
        self.past.restarted = True
        self.touch.look_inside_step(False)
        self.work.renew()
        self.stepper.restart(
            max(h0, self._splinter)
        )  # a step cut at an event states little when the one before it ended at one too
        self.touch.look_inside_step(True)

    def _change(self, change: tuple[str, str], t: float, y: np.ndarray, h: float | None) -> None:
        """Another integrator continues at (t, y) with a step of about ``h``."""
        kind, reason = change
        self._count()
        self.stepper = self._make(self.switching.present())
        formulation = self.switching.formulation
        self._switched += 1
        if self._switched <= SAID:
            self.simulation.say(
                f"at time {t:.6g} {reason}; switching to {kind}{' ' + formulation if formulation else ''}"
            )
        self._start(t, y.copy(), h)

    def _say_touch(self) -> None:
        for text in self.touch.said:
            self.simulation.say(text)
        self.touch.said.clear()

    def _count(self) -> None:
        """Counters of the present stepper since they were last taken."""
        if self.stepper is None:
            return
        _, before = self._counted.get(id(self.stepper), (None, {}))
        now = dict(self.stepper.statistics)
        self.recorder.count({name: number - before.get(name, 0) for name, number in now.items()})
        self._counted[id(self.stepper)] = self.stepper, now

    # ---- steps ----------------------------------------------------------------------------------------------------
    def _advance(self, bar: Progress) -> bool:
        """One step with what follows from it; false when the analysis ends with it."""
        sim, recorder, stepper = self.simulation, self.recorder, self.stepper
        if self.fmus.on and self._last is not None:
            self.fmus.accept(stepper.t, stepper.y)
        if self.sampling.due(stepper.t):
            self._sample()
            return True
        if self.fmus.due(stepper.t):
            self._fmu_event()
            return True
        if self.breaks is not None and self.breaks.t1 < self.times[-1]:  # there is no last time: the next piece of it
            self.breaks = Breaks(self.system, stepper.t, self.tend, sim.say_once)
        if self.pulses.t1 < self.times[-1]:
            self.pulses = self._pulses(stepper.t)
        broken = None if self.breaks is None else self.breaks.reached(stepper.t, self.costly_restart)
        if broken is not None:
            self._break(broken)
            return True
        behind = self.past.reached(stepper.t, float(self.times[-1]))
        if behind is not None:
            self._behind(behind)
            return True
        goal = self.times[-1] if self.choice.options.interpolate else self.times[self.next]
        goal = self.sampling.goal(goal if self.breaks is None else self.breaks.goal(goal))
        goal = self.system.ports.goal(stepper.t, stepper.y, self.touch.goal(stepper, goal))
        goal = self.periods.goal(stepper.t, stepper.y, goal)
        goal = self.fmus.goal(self.past.goal(stepper.t, self.pulses.goal(stepper.t, goal)))
        self.touch.look_inside_step(False)
        if self.remembers:
            accept(self.system.bodies, stepper.y)
        self.touch.accept(stepper.y)
        try:
            step = stepper.step(goal)
        except IntegrationError as error:
            lost = locked(self.system, stepper.t, stepper.y)
            change = None if lost else self._way_on(error)
            if change is None:
                why = explanation(self.system, stepper.t, stepper.y)
                if why:
                    raise IntegrationError(
                        f"{why} (time {stepper.t:.9g}); {error}", error.time, error.equation, error.source
                    ) from error
                raise
            self._change(change, stepper.t, self.events.settled(stepper.t, stepper.y), None)
            return True
        self.touch.look_inside_step(True)
        self._last = step
        if self.keeps:
            recorder.step(step, clock.process_time() - self.clock)
        worker = f"{stepper.name} {self.switching.formulation or ''}".strip()
        self._made[worker] = self._made.get(worker, 0) + 1
        self.watch.step(stepper, step.t, stepper.y)
        if stepper.messages:
            for text in stepper.messages:
                sim.say(text)
            stepper.messages.clear()
        event = self.events.check(stepper, step)
        if event is not None and stepper.tape is not None:
            self.events.refuse_sliding(event)
        if event is not None and stepper.tape is not None and stepper.tape.whole_steps:
            event, step = self._end_step_at(event, step)
        outer = self.fmus.check(self._seen, step)
        if outer is not None and (event is None or outer <= event):
            event = outer
        else:
            outer = None
        touch = self.touch.check(stepper, step, event)
        if touch is not None:
            event = outer = None
        elif self.touch.said:
            self._say_touch()
        sensor = self.sensors.check(self._seen, step, recorder, event if touch is None else touch)
        until = min(t for t in (event, touch, sensor, step.t) if t is not None)
        switch = None if self.topology is None else self.topology.check(self._seen, step, until)
        if switch is not None:
            sensor = sensor if sensor == switch else None
            until, step = self._end_at(switch, step)
            switch = until
        if self.past.on:
            self.past.accept(self._seen, step, recorder, until)
        self.referee.step(stepper, step.t_old, until)
        self._outputs(until, step.t)
        bar.update(step.t, step.h)
        if sensor is not None and not self._sensor(sensor, step):
            return False
        if switch is not None:
            return self._switch(switch, step, sensor is not None)
        if sensor is not None:
            return True
        if touch is not None:
            self._touch(touch, step)
            return True
        if event is not None:
            self._discontinuity(event, step, outer is not None)
            return True
        if self.work.on and self.work.t < step.t:
            self.work.advance(self._seen, step.t, self.out)
            self.recorder.watch(step.t, self.out)
        elif not self.work.on:
            self.system.outputs.follow(step.t, stepper.y)
        sim.leave(stepper.t, self.events.settled(stepper.t, stepper.y))
        if self.work.close_step(step.t, stepper.y):
            y = self.events.settled(step.t, stepper.y.copy())
            self.touch.begin(step.t, y, self.costly_restart)
            self._restart(step.t, y, self._restart_step(step, y))
            return True
        self._choose_again(step)
        return True

    def _choose_again(self, step: Any) -> None:
        """Whether another integrator continues after this step."""
        stepper = self.stepper
        advice = self.switching.advice(step.t)
        if advice is not None:
            self.simulation.say(advice)
        change = self.switching.after(stepper, step, self.ahead)
        if change is not None:
            self._change(change, stepper.t, self.events.settled(stepper.t, stepper.y), step.h)

    def _way_on(self, error: IntegrationError) -> tuple[str, str] | None:
        """(integrator, reason as text) with which to continue where no step is accepted; None: with none."""
        return self.switching.failed(error)

    def _outputs(self, until: float, end: float) -> None:
        """Rows at the output times up to ``until``."""
        times = self.times
        while self.next < len(times) and times[self.next] <= until * (1 + 1e-14) + 1e-300:
            t = times[self.next]
            kept = self.keeps and self.rows
            if kept or self.work.on:
                self.work.advance(self._seen, min(t, end), self.out, 1)
            if kept:
                self._store(t)
                if self.simulation.referee:
                    self.closed.check(t, self.out)
            self.next += 1

    def _store(self, t: float) -> None:
        """A row of what was evaluated last, where rows are kept."""
        if self.keeps:
            self.recorder.store(t, self.out)

    def _sensor(self, event: float, step: Any) -> bool:
        """Store the row at a sensor's event, act on it, and restart there; false when the analysis ends."""
        self.work.advance(self._seen, event, self.out, 1)
        self._store(event)
        y = self.events.settled(event, self.out.copy())
        self.simulation.leave(event, y)
        if self.sensors.act(event):
            if not self.endless or self.simulation.halted:
                return False
            self.paused = True
        self._go_on(event, y, self.sensors.stepsize or step.h)
        if not self.endless:
            self.times = self.sensors.new_times(self.times, self.next)
        elif self.sensors.dt is not None:
            self.simulation.say_once(
                "DT of a SENSOR has no influence while a simulation is stepped: rows are where its calls end"
            )
            self.sensors.dt = None
        return True

    def _sample(self) -> None:
        """Discrete states change at the end of the last step, and the integrator restarts there."""
        t, step = self.stepper.t, self._last
        y = self.sampling.sample(t, self.events.settled(t, self.stepper.y.copy()))
        self.simulation.leave(t, y)
        self._go_on(t, y, self._whole_step(step, y))

    def jump(self, before: tuple[float, np.ndarray] | None) -> None:
        """Inputs have changed at the end of the last step, and the integrator restarts there.  ``before``: kinetic
        energy and momentum until then, where motions read inputs: a velocity that they require at once is an impact."""
        sim, r = self.simulation, self.recorder
        t = self.stepper.t
        # where an integral slides, the state that the inputs left before they changed: it does not jump with them
        y = (sim.y if self.events.on and self.events.sliding else self.stepper.y).copy()
        if before is not None:
            project_state(self.system, y, t, 0)
        if before is not None or self.multistep:  # whose first step is taken from the accelerations
            r.evaluate(t, y, 0)
        if before is not None and self.work.on:
            r.work = r.work + np.array([float(r.outputs.energy[0]) - before[0], 0.0])
            r.impulse = r.impulse + np.append(r.momentum[:OUTSIDE] - before[1], np.zeros(len(r.impulse) - OUTSIDE))
        sim.leave(t, y)
        if self._last is None:  # not a step yet: it begins with what the inputs are now
            self.work.renew()
            self._start(t, y.copy(), self.choice.options.hinit)
            return
        self._go_on(t, y, self._whole_step(self._last, y))

    def _break(self, b: Break) -> None:
        """Motions jump or have a corner at the end of the last step: the velocities after it, and restart there."""
        sim, r, step = self.simulation, self.recorder, self._last
        y = self.events.settled(self.stepper.t, self.stepper.y.copy())
        if b.leaps:
            m, x, z = b.leaps[0]
            raise IntegrationError(
                f"{m.label}: its displacement jumps from {x:.6g} to {z:.6g} at time {b.after:.6g}, and nothing can "
                "follow; give the move a duration, "
                f"as in STEP(TIME, {b.after:.6g}, {x:.6g}, ..., {z:.6g}) in place of IF; the results up to there "
                "are kept",
                self.stepper.t,
            )
        if b.jumps:
            kinetic, momentum = [], []
            for t in (self.stepper.t, b.after):
                if t == b.after:
                    project_state(self.system, y, t, 0)
                r.evaluate(t, y, 0)
                kinetic.append(float(r.outputs.energy[0]))
                momentum.append(r.momentum[:OUTSIDE].copy())
            if self.work.on:  # the impulses of other constraints do no work
                r.work = r.work + np.array([kinetic[1] - kinetic[0], 0.0])
                r.impulse = r.impulse + np.append(momentum[1] - momentum[0], np.zeros(len(r.impulse) - OUTSIDE))
            words = "; ".join(
                f"{m.label} changes its velocity at once from {v:.6g} to {w:.6g}" for m, v, w in b.jumps[:SAID]
            )
            sim.say(
                f"at time {b.after:.6g} {words}: what it drives is struck, and the kinetic energy changes by "
                f"{kinetic[1] - kinetic[0]:.4g} {self.system.model.units.symbol('energy')}"
            )
        sim.leave(b.after, y)
        self._go_on(b.after, y, self.stepper.h if step is None else self._whole_step(step, y))
        self.work.t = max(self.work.t, b.after)

    def _behind(self, t: float) -> None:
        """What is late jumps at the end of the last step: begin again a moment behind it, at time t."""
        y, step = self.events.settled(self.stepper.t, self.stepper.y.copy()), self._last
        self.simulation.leave(t, y)
        self._go_on(t, y, self.stepper.h if step is None else self._whole_step(step, y))
        self.work.t = max(self.work.t, t)

    def _end_at(self, event: float, step: Any) -> tuple[float, Any]:
        """Time of a switch found at ``event`` inside the last step, and that step, cut there where it cannot be
        interpolated."""
        return event, step

    def behind(self, t: float, y: np.ndarray, approach: np.ndarray) -> np.ndarray:
        """Behind a switch, which leads from ``approach`` to ``y``, before its conditions are checked: what contacts
        make of it."""
        return y

    def _switch(self, event: float, step: Any, begun: bool) -> bool:
        """Elements are switched on or off: the row before, another system and its row, and restart there; ``begun``:
        a sensor at the same time has done so already."""
        self.referee.judge()
        if not begun:
            self.work.advance(self._seen, event, self.out, 1)
        self._store(event)
        y = self.events.settled(event, self.out.copy())
        self.simulation.leave(event, y)
        assert self.topology is not None
        stepper = self.stepper
        system = self.system
        y = self.topology.turn(event, y)
        if self.system is not system:
            self.work.account(*self._accounts(y, self.work.on))
        self.simulation.leave(event, y)
        if event >= self.last:
            return False
        h0 = self._restart_step(step, y)
        if self.stepper is not stepper:
            self.work.renew()
            self._start(event, y.copy(), max(h0, self._splinter))
            return True
        self._go_on(event, y, h0)
        return True

    def _end_step_at(self, event: float, step: Any) -> tuple[float | None, Any]:
        """Time of an event found within the last step, and that step taken again so that it ends there: stages that a
        tape keeps are those of whole steps.  Newton's method on its length, since a step that ends there is more exact
        than what is interpolated; none where the error makes it a shorter step in front of the event."""
        stepper, tape = self.stepper, self.stepper.tape
        begin, goal = step.t_old, event
        for _ in range(AGAIN):
            self._restart(begin, tape.back(begin).copy(), goal - begin)
            new = stepper.step(goal)
            if stepper.t < goal:
                return self.events.check(stepper, new), new
            late = self.events.lateness(stepper, new)
            if abs(late) <= ON_TIME * new.h:
                break
            goal = min(max(goal - late, begin + 0.5 * (goal - begin)), step.t)
        self._last = new = replace(new, h=step.h)
        return stepper.t, new

    def _after_fmus(self, t: float, y: np.ndarray) -> np.ndarray:
        """The state after events of FMUs within the model.  Raises ModelError where the run is recorded for its
        derivative, which does not know of them."""
        after = self.fmus.act(t, y)
        if self.stepper.tape is not None and (self._last is not None or not np.array_equal(after, y)):
            raise self.fmus.fmus[0].element.error(
                f"an FMU has an event at time {t:.6g}, and events of FMUs have no derivative; take differences of runs"
            )
        return after

    def _fmu_event(self) -> None:
        """FMUs within the model carry out an event at the end of the last step, and the integrator restarts there."""
        t = self.stepper.t
        y = self._after_fmus(t, self.events.settled(t, self.stepper.y))
        self.simulation.leave(t, y)
        if self._last is None:
            self._start(t, y.copy(), self.choice.options.hinit)
            return
        self._go_on(t, y, self._whole_step(self._last, y))

    def _discontinuity(self, event: float, step: Any, outer: bool = False) -> None:
        """Begin again after a discontinuity, with the order lost and the step kept as far as that allows; ``outer``:
        it is one of an FMU within the model."""
        self.work.advance(self._seen, event, self.out, 1)
        y = self.events.settled(event, self.out.copy())
        self.work.close_step(event, y)
        self.simulation.leave(event, y)
        if not outer:
            for text in self.events.said:
                self.simulation.say(text)
            self.events.said.clear()
        if event >= self.last:  # nothing left to integrate
            return
        h0 = self._restart_step(step, y)
        if outer:
            y = self._after_fmus(event, y)
            self.simulation.leave(event, y)
            self.events.begin(event, y, self.costly_restart)
        else:
            self.events.turn(event, y, self.costly_restart)
        self.touch.begin(event, y, self.costly_restart)
        self._restart(event, y, h0)

    def _touch(self, event: float, step: Any) -> None:
        """Begin again after an onset or a separation."""
        self.work.advance(self._seen, event, self.out, 1)
        y = self.events.settled(event, self.out.copy())
        self.balance.check(event, y, self.choice.options.error)
        self.work.close_step(event, y)
        self.simulation.leave(event, y)
        wanted = max(step.h, self.stepper.h) if not self.multistep else self._restart_step(step, y)
        h0 = self.touch.turn(event, y, step, wanted)
        self._say_touch()
        if event >= self.last:
            return
        before = y.copy()
        self.events.begin(event, y, self.costly_restart)
        self._restart(event, y, h0)
        self.touch.audit(event, before, y, self.choice.options.error, self.simulation.say)

    def _go_on(self, t: float, y: np.ndarray, h0: float) -> None:
        """Continue from (t, y), which does not follow smoothly from the last step, with a step of size h0."""
        self.events.begin(t, y, self.costly_restart)
        self.touch.begin(t, y, self.costly_restart)
        self._restart(t, y.copy(), h0)

    def _whole_step(self, step: Any, y: np.ndarray) -> float:
        """`_restart_step` after a step that may have been a splinter."""
        return self._restart_step(replace(step, h=max(step.h, self.stepper.h)), y)

    def _restart_step(self, step: Any, y: np.ndarray) -> float:
        """First step after an event: that of a one-step method continues; one of first order must bear the
        acceleration."""
        if not self.multistep:
            return step.h
        system, o = self.system, self.choice.options
        scales = Scales(system, y, self.tend, o)
        acc = layout.moves(system.W.acc[: layout.MOVES * system.nb]) / (
            o.error * np.repeat(scales.factor[:2] * scales.groups(y)[:2], 3)
        )
        size = float(np.sqrt(np.mean(acc**2))) if acc.size else 0.0
        return min(step.h, np.sqrt(0.5 / size)) if size > 0 else step.h

    def _keep_last(self) -> None:
        """A row at the last good state, so that what failed can be checked."""
        sim, recorder = self.simulation, self.recorder
        if recorder.rows.get("time") and recorder.rows["time"][-1] < sim.time and np.isfinite(sim.y).all():
            try:
                recorder.record(sim.time, sim.y.copy(), 0)
            except (ModelError, ValueError, ArithmeticError):  # the state is good, what is measured there may not be
                sim.warn(f"the outputs at the last good state, time {sim.time:.9g}, cannot be evaluated")
