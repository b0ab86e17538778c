"""When gaps are evaluated inside a step: the book-keeping of `contact.advancement`, the same for compliant contact and
for events.

An evaluation at t returns two times within the bounds of the motion over its step: one after t in which nothing can
touch, from the rates at which gaps close, and one before t in which nothing can have touched, from the rates at which
they open.  The two are different numbers: what moves away is safe ahead and not behind.  The evaluation at the end of
one step is that at the beginning of the next, whose bounds were not known then: it also returns the time ahead for
bounds that have grown by `GROWTH`, and is repeated only where they grew more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._jit import Entry
from ...contact.event_functions import AHEAD, GROWTH, NEXT, SLOWER
from ...contact.tables import BROKEN
from ...elements.bodies.motion_bounds import BOUNDS, grown
from ...integrators.stepper import IntegrationError

#: a look comes at this share of the time in which nothing can happen: what the velocities of a dense output lack to be
#: the derivative of its positions, an error of the integrator, and roundoff
CLOSER = 0.9
SAFE = 1.0 + 1e-9  # roundoff of a time that is requested


class GapMonitor:
    """``bounds`` (nb + 1, BOUNDS): of the motion over the last step, see `elements.bodies.motion_bounds`."""

    MOST = 2000  # in one step: then it is cut

    def __init__(self, contacts: Any):
        self.contacts = contacts
        self.bounds = np.zeros((contacts.system.nb + 1, BOUNDS))
        self._then = self.bounds.copy()  # those of the step before, with which its last check was made
        self._finest = False
        self._time = 0.0  # for which nothing can happen behind the beginning of the step
        self._place, self._span = np.nan, 0.0  # where that was seen, and for how long a step
        self.fresh = False  # it was seen with the present bounds
        self._told = False
        self._grown = Entry(grown)

    def sound(self, t: float) -> None:
        """Raise IntegrationError where the search met what is not a number in a state that was accepted."""
        broken = int(self.contacts.W.count[BROKEN])
        if broken:
            name = self.contacts.body_name(broken - 1)
            raise IntegrationError(
                f"at time {t:.9g} the position of {name} is not a finite number, so its contacts cannot be searched; "
                "check the forces on it",
                t,
            )

    def follow(self, stepper: Any) -> None:
        """A step has been made: its bounds."""
        self._then, self.bounds = self.bounds, self._then
        self._finest = stepper.motion_bounds(self.bounds)
        self.fresh = False
        if (
            stepper.t_old != self._place
            or stepper.t - stepper.t_old > self._span
            or self._grown.call(self.bounds, self._then, GROWTH, SLOWER)
        ):
            self._time = 0.0

    def sharpen(self, stepper: Any) -> bool:
        """Finer bounds of the last step, where there are any."""
        if self._finest:
            return False
        self._finest = stepper.motion_bounds(self.bounds, True)
        self.fresh = False
        return True

    def began(self, out: np.ndarray, t: float) -> None:
        """``out`` has been seen at the beginning t of the step, with its bounds."""
        self._time, self._place, self.fresh = float(out[AHEAD]), t, True

    def ended(self, out: np.ndarray, t: float, span: float) -> None:
        """``out`` has been seen at t, the end of a step; the next one is no longer than ``span``."""
        self._time, self._place, self._span = float(out[NEXT]), t, span

    def forget(self) -> None:
        """The next step begins where nothing has been seen."""
        self._time, self._place = 0.0, np.nan

    def known(self, a: float) -> float:
        """Time after the beginning ``a`` of the step within which nothing can happen, as far as known."""
        return self._time if a == self._place else 0.0

    def wanted(self, a: float, end: float) -> float:
        """Time before the end of the step from a to end that an evaluation there must cover, so that nothing can have
        happened in the step."""
        return max(SAFE * ((end - a) / CLOSER - self.known(a)), 0.0)

    def cover(self, a: float, end: float, behind: float) -> bool:
        """Is the step from a to end covered by what is known at a and by ``behind``, the time before its end within
        which nothing can have happened?"""
        return CLOSER * (self.known(a) + behind) >= end - a

    def after(self, t: float, ahead: float, end: float) -> float:
        """Time of the check after that at t."""
        least = 4.0 * np.spacing(max(abs(t), abs(end)))
        t += max(CLOSER * ahead, least)
        return end if t > end - least else t

    @staticmethod
    def nearest(a: float, fa: float, da: float, b: float, fb: float, db: float) -> float | None:
        """Where the cubic through the minimum gaps fa, fb and their rates at a, b is negative and least; None where it
        is not, or not sure to be of one pair."""
        if not (da < 0.0 < db and fb < 1e299 and fa < 1e299):
            return None
        h = b - a
        d = fb - fa
        c3 = h * (da + db) - 2.0 * d
        c2 = 3.0 * d - h * (2.0 * da + db)
        c1 = h * da
        if c3 == 0.0:
            x = -c1 / (2.0 * c2) if c2 > 0.0 else 0.5
        else:
            x = (-c2 + np.sqrt(max(c2 * c2 - 3.0 * c3 * c1, 0.0))) / (3.0 * c3)
        if not (0.0 < x < 1.0 and fa + x * (c1 + x * (c2 + x * c3)) <= 0.0):
            return None
        return a + x * h

    def cut(self, t: float, k: int) -> list[str]:
        """What is reported, once, when a step has been cut at t; k: the near pair that requested so many looks."""
        if self._told or k < 0:
            return []
        self._told = True
        names = self.contacts.pair_names(k)
        return [
            f"at time {t:.6g} the gap between {names} is so small for their speeds that it is checked {self.MOST} "
            "times in a step: steps are cut there"
        ]
