"""A dynamic analysis with contacts as constraints, by time-stepping (`integrators.moreau_jean`)."""

from __future__ import annotations

from typing import Any

from ...contact.tables import HELD
from ..dynamics.analysis import Dynamics
from .overlap import overlaps, words
from .pair_energy import StepEnergy

CUTS = 6  # times that a step is cut anew to meet a switch
DEEP = 1e-5  # of the size of the shapes: an overlap behind a switch that is reported


class TimeStepping(Dynamics):
    """As `Dynamics`; contacts are not located, since impacts fall within steps.  They are noted (``run.impacts``) where
    works are integrated.

    A SWITCH whose condition changes within a step cuts it there: the step is taken again to that time.  Forces are
    means over steps, so conditions on forces and accelerations are looked at at their ends.

    Rows hold the mean forces of contacts since the row before (their impulse over the time between), so that no impact
    falls between two rows and the area under the curve is the impulse; requests and functions have those of the step
    that has just ended.
    """

    stepped = True
    _held: tuple | None = None  # contacts of the system before a switch, and what acted at their points

    def end(self) -> None:
        self.recorder.means = self.recorder.surfaces = None
        if self.stepper is not None and self.stepper.surfaces is not None:
            self.stepper.surfaces.let_go()
        super().end()

    def _start(self, t: float, y: Any, h0: float | None) -> None:
        super()._start(t, y, h0)
        self.recorder.means = lambda time, sums: self.stepper.mean(time, sums)
        self.recorder.surfaces = self.stepper if self.stepper.surfaces is not None else None
        self.stepper.keeps = self.topology is not None
        if self.work.on:
            self.stepper.impacts = self.recorder.impacts
            self.stepper.pairs = self._pairs()

    def _pairs(self) -> StepEnergy | None:
        """The account of the pairs of the present system."""
        sim = self.simulation
        account = StepEnergy(self.system, sim.say)
        if not account.on:
            return None
        sim.pair_energies.append(account)
        return account

    def _advance(self, bar: Any) -> bool:
        # forces are constant over a step: at its beginning they are its own, not those of the step before
        self.work.renew()
        return super()._advance(bar)

    def _switch(self, event: float, step: Any, begun: bool) -> bool:
        c = self.system.contacts
        self._held = (c, c.held()) if c.on else None
        return super()._switch(event, step, begun)

    def _end_at(self, event: float, step: Any) -> tuple[float, Any]:
        if event >= step.t:
            return event, step
        longer = self.recorder.history.pop() if self.keeps else None
        step = self._search(event, step)
        if step.h > 0.0 and longer is not None:
            self.recorder.step(step, longer[-1])
        return step.t, step

    def _search(self, event: float, step: Any) -> Any:
        """The last step so cut that the condition that has changed vanishes at its end: by the secant, from where the
        interpolant has it."""
        assert self.topology is not None
        G, fired, start, end = self.topology.guards, self.topology.fired, step.t_old, step.t
        step = self.stepper.again(event)
        if not fired or G.late[fired[0]] or step.h <= 0.0:
            return step
        k = fired[0]
        a, before = start, G.g[k]
        for _ in range(CUTS):
            now = G.values(step.t, self.stepper.y, False)[k]
            if abs(now) <= G.clear[k] or now == before:
                break
            t = step.t - now * (step.t - a) / (now - before)
            if not start < t <= end or t == step.t:
                break
            a, before = step.t, now
            step = self.stepper.again(t)
        return step

    def behind(self, t: float, y: Any, approach: Any) -> Any:
        """Contacts take the impact of the switch over in the next step."""
        system = self.system
        self.stepper.before_impact = approach.copy()
        c = system.contacts
        if c.on:
            if self._held is not None and self._held[0] is not c and self._held[0].alike(c):
                c.search(t, y)
                c.put(self._held[1])
                c.hold(HELD)
            deep = [pair for pair in overlaps(system, t, y) if pair[1] > DEEP * system.contacts._size()]
            if deep:
                self.simulation.say(
                    f"at time {t:.6g} shapes overlap after a switch: {words(system, deep)}; they are moved apart in "
                    "the next steps"
                )
        return y
