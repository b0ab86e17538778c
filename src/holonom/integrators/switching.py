"""When to leave an explicit integrator for an implicit one, and when to return.

Away: the explicit method itself notices that stability, not accuracy, limits its step
(`explicit.ExplicitStepper.stiff`).  Back: every now and then the spectral radius of the rates is estimated by a few
power iterations with differences (Sommeijer, Shampine, Verwer, J. Comput. Appl. Math. 88 (1998) 315); it gives the
longest stable explicit step.  When that exceeds the steps that the implicit method takes several times over, the
stiffness is gone.  The wait between such checks doubles with every return to the implicit method, so that a motion
which is stiff by turns does not make the code change its mind all the time.

Where the first look already leads back, the implicit method was no gain: its steps were no longer than those that
stability allows.  Undamped rods in which a wave is as small as the tolerance are like that: stability limits the
explicit step, and accuracy the implicit one to about the same.  In place of the wait, a number of explicit steps then
doubles, before which the explicit method is not left again.

Flexible bodies have known frequencies: there a run may begin with RADAU5, changes are worth less, and the
way back is open as soon as the steps of both methods are alike, which cost about the same (`modal`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from . import modal
from .dop853 import DOP853
from .entry import RATE, enter, explicit_handle
from .explicit import REDUNDANT
from .methods import IMPACTS, METHODS
from .selection import Choice, stiff_method
from .stepper import Scales

STIFF_STEPS = 3000  # explicit steps still to go before the first change (which may compile kernels) pays for itself
KNOWN_STEPS = 300  # the same for later changes
BACK = 4.0  # the stable explicit step must exceed the implicit one by this factor
WAIT, LONGEST_WAIT = 25, 3200  # implicit steps between two looks
STAY, LONGEST_STAY = 300, 20000  # explicit steps after an implicit method that was no gain
MOST_CHANGES = 8  # between implicit methods, as contacts come and last
POWER_ITERATIONS = 10


class Switching:
    """Watches the steps of a dynamic analysis whose integrator is free to change; ``kind`` is the present one."""

    def __init__(self, choice: Choice, system):
        self.choice = choice
        self.system = system
        self.kind, self.formulation = choice.kind, choice.options.formulation
        self.free = choice.free
        self.modes = modal.spectrum(system)
        self.begins = ""  # why another method than that of the choice begins
        self.wait = WAIT
        self.changes = 0
        self._steps = 0
        self._length = 0.0
        self._looks = 0  # at the stable step since the implicit method began
        self._stay = self._next_stay = 0  # explicit steps still to be taken before a change
        self._advised = False
        self.touch: Any = None  # `analyses.contact.events.ContactEvents`, which knows how often there are impacts

    def begin(self, y: np.ndarray, span: float) -> None:
        """Where parts bend: choose how the run begins, at the state y."""
        if not self.free or self.modes is None:
            return
        if (self.choice.options.hmax or np.inf) * self.modes.highest < DOP853.stable:
            return  # steps are requested that an explicit method can take
        why = modal.begin_implicit(self.modes, self.system, y, span, self.choice.options.error)
        if why is not None:
            self.kind, self.formulation = self._usual()
            self.begins = why

    def note(self) -> str | None:
        """Message for users who requested a method that is not suitable for flexible bodies."""
        return None if self.modes is None else modal.note(self.modes, self.choice, METHODS[self.choice.kind].multistep)

    def present(self) -> Choice:
        """The choice for the present integrator."""
        return replace(self.choice, kind=self.kind, options=replace(self.choice.options, formulation=self.formulation))

    def after(self, stepper, step, tend: float) -> tuple[str, str] | None:
        """(integrator, reason as text) when another one should continue from here, else None."""
        if not self.free:
            return None
        if self.kind == self.choice.kind:
            self._stay = max(self._stay - 1, 0)
            worth = modal.WORTH if self.modes is not None else STIFF_STEPS if not self.changes else KNOWN_STEPS
            if stepper.stiff and not self._stay and tend - step.t > worth * step.h:
                return self._to_stiff(f"stability limits the step of {self.kind}: the model is stiff")
            return None
        change = self._contact(step, tend)
        if change is not None:
            return change
        if self.touch is not None and self.touch.bounds(step.t_old):
            return None
        self._steps += 1
        self._length += step.h
        if self._steps < self.wait or tend - step.t < self.wait * step.h:
            return None
        own = self._length / self._steps
        self._steps, self._length = 0, 0.0
        self._looks += 1
        if (
            self.modes is not None
            and self.modes.rods
            and self.touch is not None
            and self.touch.on
            and self.touch.acting > 0.5
        ):
            # a rod that lies on something: steps are short now and then, and an explicit method would have them always
            return None
        if self.modes is not None:
            own = max(own, step.h)  # the first steps of a run, and those behind an impact, are short
        if self.modes is not None and modal.FAR * DOP853.stable / self.modes.highest < own:
            return None
        stable = stable_step(self.system, stepper.t, stepper.y)
        if stable < (BACK if self.modes is None else modal.BACK) * own:
            return None
        words = f"{stable / own:.{0 if stable > 4 * own else 1}f} times" if stable < 1e6 * own else "far more than"
        was, self.kind, self.formulation = self.kind, self.choice.kind, self.choice.options.formulation
        self.changes += 1
        if self._looks == 1 and self.changes > 1:
            self._next_stay = min(max(2 * self._next_stay, STAY), LONGEST_STAY)
            self._stay = self._next_stay
        return self.kind, f"a stable step of {self.kind} would be {words} that of {was}: the stiffness is gone"

    def _contact(self, step, tend: float) -> tuple[str, str] | None:
        """Implicit methods by what contacts do: one that loses nothing at an impact, or one with a history where
        contact lasts."""
        touch = self.touch
        if touch is None or not touch.on or tend - step.t < KNOWN_STEPS * step.h:
            return None
        costly = METHODS[self.kind].costly_restart
        if costly and touch.frequent:
            self.kind, self.formulation = IMPACTS, None
            self.changes += 1
            return self.kind, f"impacts come every {touch.spacing:.0f} steps"
        usual, formulation = self._usual()
        if not costly and METHODS[usual].costly_restart and touch.lasting and self.changes < MOST_CHANGES:
            self.kind, self.formulation = usual, formulation
            self.changes += 1
            return self.kind, "contact lasts"
        return None

    def advice(self, t: float) -> str | None:
        """Message, issued once, to a user who has requested a method that impacts do not suit."""
        touch = self.touch
        if (
            self.free
            or self._advised
            or touch is None
            or not touch.on
            or not touch.costly_restart
            or not touch.frequent
        ):
            return None
        self._advised = True
        return (
            f"at time {t:.6g} impacts come every {touch.spacing:.0f} steps: {self.kind} restarts at each with steps "
            f"of {1 / touch.within:.2g} of "
            "its duration; RADAU5, or DOP853 where nothing is stiff, takes fewer and is more accurate there (without "
            "integrator= the choice is made)"
        )

    def _usual(self) -> tuple[str, str | None]:
        """The method for a stiff model; where there are contacts one that checks velocities, since depths are far below
        the tolerance of positions: HHT at long steps in a contact throws things up."""
        if self.modes is not None:
            return "RADAU5", None
        kind, formulation = stiff_method(self.choice.options.error)
        if not METHODS[kind].sees_velocities(formulation) and self.touch is not None and self.touch.on:
            return "GSTIFF", "SI2"
        return kind, formulation

    def failed(self, error) -> tuple[str, str] | None:
        """The same after a failure of the explicit method: an implicit one may still get through, but not where a
        function has no value."""
        if not self.free or self.kind != self.choice.kind or getattr(error, "source", ""):
            return None
        return self._to_stiff(f"{self.kind} fails ({str(error).split(';')[0]})")

    def _to_stiff(self, words: str) -> tuple[str, str]:
        if self.changes and self._looks != 1:
            self.wait = min(2 * self.wait, LONGEST_WAIT)
        self.kind, self.formulation = self._usual()
        if self.touch is not None and self.touch.frequent and METHODS[self.kind].costly_restart:
            self.kind, self.formulation = IMPACTS, None
            words += f", and impacts come every {self.touch.spacing:.0f} steps"
        self.changes += 1
        self._steps, self._length, self._looks = 0, 0.0, 0
        return self.kind, words


def stable_step(system, t: float, y: np.ndarray) -> float:
    """Longest step of DOP853 that is stable at (t, y); infinite where rates do not change."""
    handle = explicit_handle(system)
    T = system.workspace.stages
    weight = np.zeros_like(y)
    Scales(system, y, 1.0).weights(y, 1.0, weight)
    norm = lambda v: float(np.sqrt(np.mean((v * weight) ** 2)))

    def rates(state):
        T.ya[:] = state
        enter(handle, RATE, state, t, 0.0, REDUNDANT, 0, T.d)
        return T.K[1].copy()

    size = 1e-7  # of the scales: differences of rates are then good to half their digits
    base = rates(y)
    inverse = np.divide(1.0, weight, out=np.zeros_like(weight), where=weight > 0)
    v = inverse * np.cos(1.0 + 2.4 * np.arange(len(y)))  # no direction preferred
    growth = []
    for _ in range(POWER_ITERATIONS):
        n = norm(v)
        if not np.isfinite(n):
            return 0.0
        if n == 0.0:
            return np.inf
        w = v * (size / n)
        v = rates(y + w) - base
        growth.append(norm(v) / size)
    last = np.array(growth[-6:])
    if not np.all(np.isfinite(last)):
        return 0.0
    if last.min() == 0.0:
        return np.inf
    return 0.9 * DOP853.stable / float(np.exp(np.mean(np.log(last))))
