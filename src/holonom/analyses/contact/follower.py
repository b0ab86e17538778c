"""What an analysis requires of those who follow its contacts: `contact_events.ContactEvents` (laws),
`rigid_contact.RigidContact` (constraints)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class ContactFollower(ABC):
    """Follows the contacts of one system through an analysis.

    `Dynamics` asks in this order: `follow_method` once; `begin` where the integrator starts; `accept` and `goal` before
    each step and `check` after it; ``turn`` at the time that `check` has found, which is of each kind's own; `release`
    at the end. `look_inside_step` encloses checks of states inside a step, `resume` is called when this system acts
    again after another one. `Switching` asks how impacts treat the integrator: ``frequent``, ``lasting``, `bounds`.
    What is not overridden answers for contacts that ask nothing of steps.
    """

    #: false where there is nothing to follow: no other question is asked then
    on = False
    #: sentences for the user, which are taken from here
    said: list[str]
    #: what has happened, by its name
    counters: dict[str, int]
    #: largest jump of the momentum at a change, as a share of the sum of its parts
    jump = 0.0
    #: does the method step through impacts that are brief against its steps (a method with a history)?
    costly_restart = False

    @property
    def frequent(self) -> bool:
        """Do impacts come more often than a method with a history can bear?"""
        return False

    @property
    def lasting(self) -> bool:
        """Has something been in contact nearly all the time, without onsets that count?"""
        return False

    def bounds(self, t: float) -> bool:
        """Is the step at t bounded by an impact, so that it gives no information about the rest of the model?"""
        return False

    def follow_method(self, error: float, blind: bool) -> None:
        """Tolerance of the integrator, and whether its error test is ``blind`` for velocities."""
        return

    @abstractmethod
    def begin(self, t: float, y: Any, costly_restart: bool) -> None:
        """The integrator starts at (t, y)."""

    def look_inside_step(self, yes: bool) -> None:
        """States that are checked from now on lie inside the last step (``yes``), or no longer."""
        return

    def accept(self, y: Any) -> None:
        """The state y is an accepted one, from which the next step continues."""
        return

    def goal(self, stepper: Any, goal: float) -> float:
        """Where the next step must end, at ``goal`` at the latest."""
        return goal

    @abstractmethod
    def check(self, stepper: Any, step: Any, until: float | None = None) -> float | None:
        """Time of the first event within the last step (up to ``until``), or None."""

    def audit(self, t: float, before: Any, after: Any, error: float, say: Any) -> None:
        """Checks what a change at t, from state ``before`` to ``after``, has done to the momentum."""
        return

    @abstractmethod
    def resume(self) -> None:
        """This system acts again, after another one."""

    @abstractmethod
    def release(self) -> None:
        """The system is used outside of this analysis from now on."""
