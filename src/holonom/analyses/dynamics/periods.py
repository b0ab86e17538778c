"""Steps that see every period of what the forces of a model repeat themselves in.

A force over a turning angle (teeth of a gear as ``AKISPL(MOD(20*AZ/(2*PI),1),...)``, lobes of a cam, a ripple
``SIN(12*AZ)``) returns again and again. A method of high order sees such a force at a few places of a step only;
where these fall on like phases of later periods the force seems smooth to its error test, and whole periods are passed
over silently.  So no step is longer than a share of a period: a twelfth where the shape in between is open (MOD),
a sixth of a wave (SIN, COS and their like), each at the rate and with the change of rate that the last steps had.

Steps of a fixed size are left as they are requested; that they pass over periods is reported once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._warnings import WarningText
from ...expressions import Call, walk
from ...system.outputs import Followed
from .events import moment_later

OPEN, WAVE = 1.0 / 12.0, 1.0 / 6.0  # longest step, in periods
NEAR = 0.8  # a bound that has grown by less than to 1 / NEAR stays as it was, and with it the factorised matrix
WRAPPED = ("PSI", "THETA", "PHI", "ATAN", "ATAN2", "MOD")  # angles that jump by whole turns
MANY = 1e6  # steps over the whole time from which on the bound is reported


class Periods:
    """The longest steps for one system over a ``span`` of time; ``on`` is false where nothing repeats itself.  ``say``:
    takes messages; ``fixed``: steps have the size that was requested."""

    def __init__(self, system: Any, wanted: bool, span: float, fixed: bool, say: Any):
        self.system, self.span, self.fixed, self.say = system, span, fixed, say
        found = system.functions.set.periods
        self.on = wanted and bool(found)
        if not self.on:
            return
        self.phases = Followed(system, [(phase, label) for phase, (_, label) in found.items()])
        self.on = bool(self.phases.known.any())
        self.share = np.where([shape for shape, _ in found.values()], OPEN, WAVE)[self.phases.known]
        self.jumps = np.array(
            [any(isinstance(n, Call) and n.name in WRAPPED for n in walk(phase)) for phase in found], bool
        )[self.phases.known]
        self.labels = [label for (_, label), known in zip(found.values(), self.phases.known) if known]
        self._told = False
        self.begin()

    def begin(self) -> None:
        """The integrator restarts: rates so far give no information of those to come."""
        if self.on:
            self._rate: np.ndarray | None = None
            self._p: np.ndarray
            self._h: float
            self._t = math.nan
            self._bound = math.inf

    def _values(self, t: float, y: np.ndarray) -> np.ndarray:
        return self.phases.values(t, y)[self.phases.known].copy()

    def goal(self, t: float, y: np.ndarray, goal: float) -> float:
        """Where a step from (t, y) must end, at ``goal`` at the latest."""
        if not self.on:
            return goal
        if t != self._t:
            self._look(t, y)
        return goal if self.fixed else min(goal, t + self._bound)

    def _look(self, t: float, y: np.ndarray) -> None:
        p = self._values(t, y)
        if self._t < t:
            h = t - self._t
            turned = p - self._p
            if self._rate is not None and self.jumps.any():  # whole periods by which an angle has jumped
                turned = np.where(self.jumps, turned - np.round(turned - self._rate * h), turned)
            rate = turned / h
            grown = np.zeros_like(rate) if self._rate is None else (rate - self._rate) / (0.5 * (h + self._h))
            self._passed(t, turned)
            self._rate, self._h = rate, h
            rate = rate + 0.5 * h * grown  # now: the quotient is that of the middle
        else:
            rate, grown = self._start(t, y, p), np.zeros_like(p)
            self._rate = None
        self._t, self._p = t, p
        r, a = np.abs(rate), np.abs(grown)
        low = r + np.sqrt(r * r + 2.0 * a * self.share)
        with np.errstate(divide="ignore", invalid="ignore"):
            bounds = np.where(np.isfinite(low) & (low > 0.0), 2.0 * self.share / low, math.inf)
        k = int(np.argmin(bounds))
        bound = float(bounds[k])
        if not NEAR * bound <= self._bound <= bound:
            self._bound = bound
        if not self._told and not self.fixed and bound * MANY < self.span:
            self._told = True
            self.say(
                f"{self.labels[k]} repeats itself every {bound / self.share[k]:.4g} of time and bounds the steps to "
                f"{bound:.4g}: over {self.span:.4g} these are"
                f" {self.span / bound:.3g} steps; events=False passes over such periods"
            )

    def _start(self, t: float, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Rates of the phases where no step has been made."""
        moment = 1e-6 * self.span
        return (self._values(t + moment, moment_later(self.system, t, y, moment)) - p) / moment

    def _passed(self, t: float, turned: np.ndarray) -> None:
        """A step that has passed over more than half a period is reported once: what lies in it was not seen."""
        far = np.abs(turned)
        far[~np.isfinite(far)] = 0.0
        k = int(np.argmax(far))
        if far[k] > 0.5 and not self._told:
            self._told = True
            self.say(
                WarningText(
                    f"a step to time {t:.6g} passed over {far[k]:.3g} periods of {self.labels[k]}: "
                    "its force was not evaluated in between; "
                    "give a shorter hmax" + (" (steps are fixed)" if self.fixed else "")
                )
            )
