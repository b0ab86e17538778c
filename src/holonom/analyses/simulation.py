"""A simulation: a model, its present state, and analyses that follow each other.

`Simulation` is what scripts (``.acf``) and `simulate` drive: every analysis starts where the last one ended; elements may be
changed, activated and deactivated in between.
"""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING, Any

import numpy as np

from ..integrators import make_integrator
from ..integrators.stepper import IntegrationError, Options
from ..model import Model, ModelError
from ..model.validate import doubts, validate
from ..results.run import Run
from ..system.build import System
from .assemble import assemble, redundancy_words
from .progress import Progress
from .recorder import Recorder
from .work import Work

if TYPE_CHECKING:
    from ..results.modes import Linear

WORK_BODIES = 100  # up to here works are integrated unless `Simulation.work` says otherwise
STIFF_STEPS = 3000  # steps still to go before a change of integrator pays for itself
MODES = {"dynamics": 4, "kinematics": 1, "statics": 5, "quasistatics": 6, "initial": 2, "linear": 7}


class Simulation:
    """State of a model in time; see the module's text.

    ``progress``: show a progress bar (default: when standard error is a terminal).  ``missing``: "error" refuses a model
    with parts that this version cannot run, "zero" leaves them out and says so.
    """

    def __init__(self, model: Model, progress: bool | None = None, missing: str = "error", quiet: bool = True):
        self.model = model
        self.progress = progress
        self.missing = missing
        self.quiet = quiet
        self.time = 0.0
        self.recorder = Recorder(model)
        self.messages: list[str] = []
        self.halted = False
        self.returned = False
        self._state: dict = {}
        self._senval: dict[int, float] = {}
        self.system: Any = None  # System of the last analysis
        self.assembly: Any = None  # Assembly of it
        self.stopped = ""
        #: integrate the works of motions, forces, dampers (two evaluations a step); None: in models of up to 100 bodies
        self.work: bool | None = None
        self._disabled_sensors: set[int] = set()
        self._ahead = False
        self.linear: list[Linear] = []  # results of linear analyses so far

    # ---- messages -------------------------------------------------------------------------------------------------
    def say(self, text: str) -> None:
        self.messages.append(text)
        if not self.quiet:
            print(text)

    # ---- system and state -----------------------------------------------------------------------------------------
    def prepare(self, mode: str = "dynamics") -> System:
        """Compile the model as it is now, carry the state over, and fit it to the constraints."""
        if self._ahead:
            self._ahead = False
            self.system.outputs.set_parameter(("MODE",), MODES.get(mode, 4))
            return self.system
        validate(self.model)
        first = self.system is None
        if not first:
            self._keep()
        system: Any = System(self.model, missing=self.missing, initial=first)
        for text in system.missing:
            if f"left out: {text}" not in self.messages:
                self.say(f"left out: {text}")
        if not first:
            self._restore(system)
        self.assembly = assemble(system, self.time, system.y0 if not first else None)
        if first and system.initial_rows:  # joint and motion initial conditions hold at the start only
            y = self.assembly.y
            system = System(self.model, missing=self.missing)
            system.y0[:] = y
            self.assembly = assemble(system, self.time, y)
        self.system = system
        self.recorder.attach(system)
        system.outputs.set_parameter(("MODE",), MODES.get(mode, 4))
        for sensor, value in self._senval.items():
            system.outputs.set_parameter(("SENVAL", sensor), value)
        if first:
            lines = redundancy_words(system, self.assembly.redundant)
            for line in lines:
                self.say(f"redundant: {line}")
            self.say(f"degrees of freedom: {self.assembly.dof}")
        self.y = self.assembly.y
        return system

    def degrees_of_freedom(self) -> int:
        """Count them; what is prepared for that serves the analysis that follows."""
        self.prepare()
        self._ahead = True
        return self.assembly.dof

    def _keep(self) -> None:
        """The present state by element, so that a system with other joints or forces can take it over."""
        s = self.system
        for key, b in s.body_index.items():
            if b < s.nb:
                self._state[key] = self.y[13 * b : 13 * b + 13].copy()
        for k, key in enumerate(s.functions.states):
            self._state[key] = float(self.y[13 * (s.nb + 1) + k])

    def _restore(self, system: System) -> None:
        for key, b in system.body_index.items():
            if key in self._state and b < system.nb:
                system.y0[13 * b : 13 * b + 13] = self._state[key]
                system.y_bodies[13 * b : 13 * b + 13] = self._state[key]
        for k, key in enumerate(system.functions.states):
            if key in self._state:
                system.y0[13 * (system.nb + 1) + k] = self._state[key]

    # ---- analyses -------------------------------------------------------------------------------------------------
    def dynamics(self, end: float | None = None, steps: int | None = None, dt: float | None = None, duration: float | None = None,
                 integrator: str | None = None, **options: Any) -> None:  # fmt: skip
        """Integrate to ``end`` (or for ``duration``) with output every ``dt`` or at ``steps`` equal intervals."""
        times = self._times(end, steps, dt, duration)
        system: Any = self.prepare("dynamics")
        opts, kind, reason = self._options(integrator, options, system)
        stepper = make_integrator(kind, system, opts)
        self.say(f"integrator {stepper.name}{' ' + opts.formulation if opts.formulation else ''}, error {opts.error:g}: {reason}")
        recorder = self.recorder
        recorder.begin("dynamics", {"integrator": stepper.name, "error": opts.error, "formulation": opts.formulation or ""})
        y = self.y.copy()
        works = system.nb <= WORK_BODIES if self.work is None else self.work
        recorder.work = recorder.work if works else np.full(2, np.nan)
        recorder.record(self.time, y.copy(), 0)
        stepper.start(self.time, y, times[-1], opts.hinit)
        out = np.zeros_like(y)
        work = Work(recorder, self.time, works)
        begin = clock.process_time()
        next_output = 1
        sensors = Sensors(self, system)
        with Progress(self.progress, self.time, times[-1]) as bar:
            try:
                while next_output < len(times):
                    step = stepper.step(times[-1])
                    recorder.step(step, clock.process_time() - begin)
                    event = sensors.check(stepper, step, recorder)
                    until = event if event is not None else step.t
                    while next_output < len(times) and times[next_output] <= until * (1 + 1e-14) + 1e-300:
                        t = times[next_output]
                        work.advance(stepper, min(t, step.t), out, 1)
                        recorder.store(t, out)
                        next_output += 1
                    if event is not None:
                        work.advance(stepper, event, out, 1)
                        recorder.store(event, out)
                        self._leave(event, out)
                        if sensors.act(event):
                            break
                        stepper.start(event, out.copy(), times[-1], sensors.stepsize or step.h)
                        times = sensors.new_times(times, next_output)
                    bar.update(step.t, step.h)
                    if event is None and work.on and work.t < step.t:
                        work.advance(stepper, step.t, out)
                    elif event is None and not work.on:
                        system.outputs.follow(step.t, stepper.y)
                    worth = times[-1] - step.t > STIFF_STEPS * step.h
                    if stepper.stiff and worth and integrator is None and self.model.integrator.kind is None and kind == "DOP853":
                        recorder.count(stepper.statistics)
                        kind = "HHT" if opts.error > 1e-4 else "GSTIFF"
                        opts.formulation = "SI2" if kind == "GSTIFF" else None
                        self.say(f"at time {stepper.t:.6g} stability limits the step of DOP853: the model is stiff; switching to {kind}")
                        yy, tt = stepper.y.copy(), stepper.t
                        stepper = make_integrator(kind, system, opts)
                        stepper.start(tt, yy, times[-1], None)
                    if event is None:
                        self._leave(stepper.t, stepper.y)
            except KeyboardInterrupt:
                self.stopped = f"stopped by the user at time {stepper.t:.6g}"
                self.say(self.stopped + "; the results so far are kept")
            except (IntegrationError, ModelError) as error:
                self.stopped = str(error)
                self.say(self.stopped)
                recorder.count(stepper.statistics)
                recorder.end()
                raise
        recorder.count(stepper.statistics)
        recorder.counters["cpu seconds"] = recorder.counters.get("cpu seconds", 0.0) + clock.process_time() - begin
        recorder.end()

    def kinematics(self, end=None, steps=None, dt=None, duration=None, **options: Any) -> None:
        """Positions, velocities, accelerations and reactions of a mechanism without degrees of freedom."""
        times = self._times(end, steps, dt, duration)
        system = self.prepare("kinematics")
        if self.assembly.dof > 0:
            raise ModelError(
                f"a kinematic analysis needs zero degrees of freedom, the model has {self.assembly.dof}; drive them with motions or run a dynamic analysis"
            )
        recorder = self.recorder
        recorder.begin("kinematics", {})
        y = self.y.copy()
        recorder.record(self.time, y, 0)
        begin = clock.process_time()
        sub = max(1, int(np.ceil((times[1] - times[0]) / (options.get("hmax") or np.inf)))) if len(times) > 1 else 1
        with Progress(self.progress, self.time, times[-1]) as bar:
            try:
                for a, b in zip(times[:-1], times[1:]):
                    self._follow(system, y, a, b, sub)
                    recorder.record(b, y, 1)
                    self._leave(b, y)
                    bar.update(b, (b - a) / sub)
            except KeyboardInterrupt:
                self.stopped = f"stopped by the user at time {self.time:.6g}"
                self.say(self.stopped)
        recorder.counters["cpu seconds"] = recorder.counters.get("cpu seconds", 0.0) + clock.process_time() - begin
        recorder.end()

    def _follow(self, system, y, a, b, sub, depth: int = 0) -> None:
        """Newton from the predicted position at b; halve the way when it does not converge."""
        from ..elements.bodies.rigid import move
        from ..integrators.entry import settle

        start = y.copy()
        d = np.zeros(6 * system.nb + 6)
        t = a
        for k in range(sub):
            h = (b - a) / sub
            acc = system.W.acc
            for body in range(system.nb):
                o = 13 * body
                d[6 * body : 6 * body + 6] = h * y[o + 7 : o + 13] + 0.5 * h * h * acc[6 * body : 6 * body + 6]
            move(system.nb, y, d)
            t = a + (k + 1) * h
            settle(system, y, t, 8)
            phi = float(np.abs(system.W.rw.phi).max(initial=0.0))
            if not phi < 1e-9 * system.extent:
                if depth > 12:
                    r = int(np.argmax(np.abs(system.W.rw.phi)))
                    raise ModelError(
                        f"the mechanism cannot follow its motions at time {t:.6g}: {system.row_words(r)} stays open by {phi:.3g}; "
                        "it may lock here, or a motion asks for more than it can reach"
                    )
                y[:] = start
                settle(system, y, a, 1)
                self._follow(system, y, a, b, 2 * sub, depth + 1)
                return

    def initial(self) -> None:
        """Initial-condition analysis: one row of the assembled state."""
        self.prepare("initial")
        self.recorder.begin("initial", {})
        self.recorder.record(self.time, self.y.copy(), 0)
        self.recorder.end()

    def statics(self, **options: Any) -> None:
        """Static equilibrium at the present time."""
        from .statics import equilibrium

        system = self.prepare("statics")
        self.recorder.begin("statics", dict(options))
        result = equilibrium(system, self.time, self.y.copy(), self.model.equilibrium, say=self.say, **options)
        self._leave(self.time, result.y)
        self.recorder.record(self.time, result.y.copy(), 1)
        self.recorder.count({"static iterations": result.iterations})
        self.recorder.end()

    def quasistatics(self, end=None, steps=None, dt=None, duration=None, **options: Any) -> None:
        """A sequence of static equilibria."""
        from .statics import equilibrium

        times = self._times(end, steps, dt, duration)
        system = self.prepare("quasistatics")
        self.recorder.begin("quasistatics", dict(options))
        y = self.y.copy()
        for t in times:
            result = equilibrium(system, t, y, self.model.equilibrium, say=self.say, **options)
            y = result.y
            self._leave(t, y)
            self.recorder.record(t, y.copy(), 1)
            self.recorder.count({"static iterations": result.iterations})
        self.recorder.end()

    def linearize(self, *, inputs=None, outputs=None, states=None, rm=None, damping: bool = True) -> Linear:
        """Small motions about the present state: eigenvalues, modes, state matrices (`Linear`).

        ``inputs``, ``outputs``: VARIABLEs, or PINPUT and POUTPUT elements, by name, id or themselves (default: all PINPUT and
        POUTPUT of the model); an output may also be an expression.  ``states``: VARIABLEs that serve as coordinates of the state
        matrices.  ``rm``: a marker that turns with the machine.  ``damping`` False leaves out all that depends on velocities.
        """
        from .linear import linearize_simulation

        answer = linearize_simulation(self, inputs=inputs, outputs=outputs, states=states, rm=rm, damping=damping)
        self.linear.append(answer)
        return answer

    def _leave(self, t: float, y: np.ndarray) -> None:
        self.time = float(t)
        self.y = y

    def _times(self, end, steps, dt, duration) -> np.ndarray:
        if end is None and duration is None:
            raise ModelError("a simulation needs END or DURATION")
        stop = float(end) if end is not None else self.time + float(duration)
        if not stop > self.time:
            raise ModelError(f"the end time {stop:g} does not lie after the present time {self.time:g}")
        if not np.isfinite(stop):
            raise ModelError("the end time must be a finite number")
        span = stop - self.time
        if dt is not None:
            if not dt > 0:
                raise ModelError(f"the output interval must be positive, not {dt:g}")
            n = max(1, int(np.floor(span / dt * (1 + 1e-10))))
            times = self.time + dt * np.arange(n + 1)
            return np.append(times, stop) if stop - times[-1] > 1e-9 * span else np.append(times[:-1], stop)
        n = int(steps or 100)
        if n < 1:
            raise ModelError(f"the number of output steps must be positive, not {n}")
        return np.linspace(self.time, stop, n + 1)

    def _options(self, integrator, options, system) -> tuple[Options, str, str]:
        s = self.model.integrator
        kind = (integrator or s.kind or "").upper()
        reason = "as asked" if kind else ""
        formulation = options.pop("formulation", None) or s.formulation
        if not kind:
            if formulation:
                kind, reason = "GSTIFF", "the formulation asks for it"
            elif system.lagged:
                kind, reason = "GSTIFF", "forces depend on reactions or accelerations"
            else:
                kind, reason = "DOP853", "default until stability limits the step"
        error = options.pop("error", None) or s.error or (1e-6 if kind == "DOP853" else (1e-5 if kind == "HHT" else 1e-4))
        opts = Options(
            error=float(error), hinit=options.pop("hinit", None) or s.hinit, hmin=options.pop("hmin", None) or s.hmin,
            hmax=options.pop("hmax", None) or s.hmax, kmax=options.pop("kmax", None) or s.kmax, maxit=options.pop("maxit", None) or s.maxit,
            formulation=formulation, corrector=(options.pop("corrector", None) or s.corrector or "original").lower(),
            fixed=bool(options.pop("fixed", False)), extra={"planar": bool(options.pop("planar", True))},
        )  # fmt: skip
        if options:
            raise ModelError(f"unknown option '{sorted(options)[0]}' of a simulation")
        if not opts.error > 0 or not np.isfinite(opts.error):
            raise ModelError(f"the integration error must be a positive number, not {opts.error}")
        return opts, kind, reason

    # ---- answer ---------------------------------------------------------------------------------------------------
    def run(self) -> Run:
        """Everything recorded so far."""
        info: dict[str, Any] = {
            "messages": list(self.messages),
            "warnings": [*self.model.warnings, *doubts(self.model)],
            "stopped": self.stopped,
        }
        if self.assembly is not None:
            info["degrees_of_freedom"] = self.assembly.dof
            info["redundant"] = redundancy_words(self.system, self.assembly.redundant)
            info["bodies"] = self.system.nb
            info["equations"] = self.system.m
        run = Run(self.model, self.recorder.data(), info)
        run.linear = list(self.linear)
        return run


class Sensors:
    """SENSOR elements during a dynamic analysis: located on the interpolant, then acted upon."""

    def __init__(self, simulation: Simulation, system: Any):
        self.simulation = simulation
        self.outputs = system.outputs
        self.sensors = [s for s in self.outputs.sensors if s.id not in simulation._disabled_sensors]
        self.index = [k for k, s in enumerate(self.outputs.sensors) if s.id not in simulation._disabled_sensors]
        self.fired: list = []
        self.stepsize: float | None = None
        self.dt: float | None = None
        self.previous: np.ndarray | None = None

    def _distance(self) -> np.ndarray:
        """Positive when the sensor's condition holds."""
        v = self.outputs.sensor_values[self.index] if self.index else np.zeros(0)
        out = np.empty(len(v))
        for k, s in enumerate(self.sensors):
            x = v[k] - s.value
            out[k] = x + s.tolerance if s.comparison == "GE" else (s.tolerance - x if s.comparison == "LE" else s.tolerance - abs(x))
        return out

    def check(self, stepper, step, recorder) -> float | None:
        """Time of the first sensor that becomes true in the last step, or None."""
        if not self.sensors:
            return None
        y = np.zeros_like(stepper.y)

        def at(t):
            stepper.interpolate(t, y)
            recorder.evaluate(t, y, 0)
            return self._distance()

        before = self.previous if self.previous is not None else at(step.t_old)
        # a sensor may fire between the ends of a long step: look at a few points inside
        points = np.linspace(step.t_old, step.t, 5)[1:]
        for t in points:
            now = at(t)
            hit = (now >= 0) & (before < 0)
            if hit.any():
                lo, hi = (t - (points[1] - points[0])), t
                for _ in range(60):
                    mid = 0.5 * (lo + hi)
                    if mid in (lo, hi):
                        break
                    if (at(mid)[hit] >= 0).any():
                        hi = mid
                    else:
                        lo = mid
                    if hi - lo < 1e-12 * max(abs(hi), 1e-12):
                        break
                final = at(hi)
                self.fired = [s for s, d, h in zip(self.sensors, final, hit) if h and d >= 0]
                self.previous = final
                self._values = self.outputs.evaluate_values
                self._own = self.outputs.sensor_values
                return float(hi)
            before = now
        self.previous = before
        return None

    def act(self, t: float) -> bool:
        """Carry out what the sensors ask; true when the analysis ends here."""
        sim = self.simulation
        end = False
        all_sensors = self.outputs.sensors
        for s in self.fired:
            k = all_sensors.index(s)
            value = float(self._values[k] if s.evaluate else self._own[k])
            sim._senval[s.id] = value
            self.outputs.set_parameter(("SENVAL", s.id), value)
            sim.say(f"sensor {s.name} at time {t:.9g}: value {float(self._own[k]):.6g}")
            if s.halt:
                sim.halted = True
                end = True
            if s.returns:
                sim.returned = True
                end = True
            self.stepsize = s.stepsize or self.stepsize
            self.dt = s.dt or self.dt
        return end

    def new_times(self, times, k):
        if self.dt is None:
            return times
        t, stop = self.simulation.time, times[-1]
        head = times[:k]
        tail = np.append(np.arange(t + self.dt, stop - 1e-12 * stop, self.dt), stop)
        self.dt = None
        return np.concatenate([head, tail])


def simulate(model: Model, end: float | None = None, steps: int | None = None, *, dt: float | None = None, kind: str = "auto",
             integrator: str | None = None, progress: bool | None = None, missing: str = "error", quiet: bool = True, **options: Any) -> Run:  # fmt: skip
    """Run a model and return the `Run`.

    ``end``: end time; output at ``steps`` equal intervals or every ``dt``.  ``kind``: "dynamics", "kinematics", "statics",
    "quasistatics", "initial", or "auto" (kinematics when there is no degree of freedom left, else dynamics).  ``integrator``:
    "DOP853", "GSTIFF" (``formulation`` "I3" or "SI2"), "HHT"; the default is DOP853 until stability limits its step.
    Further options: ``error``, ``hinit``, ``hmin``, ``hmax``, ``kmax``, ``maxit``, ``corrector``, ``fixed``.  ``planar``: False solves planar
    mechanisms in space too.
    Raises ModelError for a bad model and IntegrationError (with ``.run``, the results so far) when a run cannot go on.
    """
    sim = Simulation(model, progress=progress, missing=missing, quiet=quiet)
    try:
        if kind == "auto":
            driven = sim.degrees_of_freedom() == 0 and sim.system.m and not sim.system.nx
            kind = "kinematics" if driven and integrator is None and not options else "dynamics"
        if kind in ("statics", "initial"):
            getattr(sim, kind)(**options)
        elif kind in ("dynamics", "kinematics", "quasistatics"):
            if kind == "dynamics":
                options["integrator"] = integrator
            getattr(sim, kind)(end=end, steps=steps, dt=dt, **options)
        else:
            raise ModelError(f"unknown kind of analysis '{kind}'; choose dynamics, kinematics, statics, quasistatics or initial")
    except (IntegrationError, ModelError) as error:
        if len(sim.recorder):
            error.run = sim.run()  # type: ignore[union-attr,attr-defined]
        raise
    return sim.run()
