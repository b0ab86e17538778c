"""Methods of `Simulation` that other modules implement.  Written by tools/stubs.py: do not edit."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from holonom.analyses.session.snapshot import Snapshot
from holonom.analyses.statics.path import LoadPath
from holonom.model.base import Element
from holonom.results.files.state import SavedState
from holonom.results.modes import Linear
from holonom.results.run import Run
from holonom.system.build import System

class SimulationMethods:
    """Methods of the register."""

    def activate(self, what: Any, *which: Any) -> list[Element]:
        """Switch elements on before the next analysis: see `deactivate`."""

    def add_grains(
        self,
        grains: Any,
        positions: Any,
        radius: Any,
        *,
        density: float | None = None,
        mass: Any = None,
        velocity: Any = None,
        spin: Any = None,
        orientation: Any = None,
    ) -> np.ndarray:
        """Add grains to an element before the next analysis; ``radius``: of spheres, scale of others.
        Returns their numbers."""

    def close(self) -> None:
        """End the analysis that is open (messages and counters of the solver are then complete); what was
        recorded stays for `run`."""

    def contact_method(self, contact: str | None = None, integrator: str | None = None) -> str:
        """How a dynamic analysis treats contacts (`model.settings.CONTACT_METHODS`), with those requested."""

    def deactivate(self, what: Any, *which: Any) -> list[Element]:
        """Switch elements off before the next analysis, which starts from the present state; returns them."""

    def degrees_of_freedom(self, contact: str | None = None, integrator: str | None = None) -> int:
        """Count them; what is prepared for that serves the analysis that follows, with contacts as the model
        says that they are treated, or as requested (`dynamics`)."""

    def dynamics(
        self,
        end: float | None = None,
        steps: int | None = None,
        dt: float | None = None,
        duration: float | None = None,
        integrator: str | None = None,
        contact: str | None = None,
        grains: str = "auto",
        threads: int = 1,
        **options: Any,
    ) -> None:
        """Integrate to ``end`` (or for ``duration``) with output every ``dt`` or at ``steps`` equal
        intervals."""

    def initial(self, **options: Any) -> None:
        """Initial-condition analysis: one row of the assembled state.  It has no options."""

    def kinematics(
        self, end: Any = None, steps: Any = None, dt: Any = None, duration: Any = None, **options: Any
    ) -> None:
        """Positions, velocities, accelerations and reactions of a mechanism without degrees of freedom."""

    def linearize(
        self, *, inputs: Any = None, outputs: Any = None, states: Any = None, rm: Any = None, damping: bool = True
    ) -> Linear:
        """Small motions about the present state: eigenvalues, modes, state matrices (`Linear`)."""

    def open(
        self,
        integrator: str | None = None,
        contact: str | None = None,
        *,
        inputs: Any = (),
        record: str = "advance",
        duration: float | None = None,
        **options: Any,
    ) -> None:
        """Begin a dynamic analysis that `step` and `advance` carry on, from the present state; they open it
        with the defaults where it is not open."""

    def own(self) -> None:
        """Grains of its own, so that the user's model stays as it is when some come and go."""

    def path(
        self,
        parameter: Any,
        end: float,
        *,
        start: float | None = None,
        step: float = 0.05,
        largest: float = 0.2,
        points: int = 500,
        stability: bool = True,
    ) -> LoadPath:
        """Static equilibria while a parameter goes from its present value (or ``start``) to ``end``, past
        limit points by arc length: snap-through, snap-back."""

    def prepare(self, mode: str = "dynamics", treatment: str | None = None) -> System:
        """The model as it is now in numbers, the state carried over, and fitted to the constraints."""

    def quasistatics(
        self,
        end: Any = None,
        steps: Any = None,
        dt: Any = None,
        duration: Any = None,
        contact: str | None = None,
        **options: Any,
    ) -> None:
        """A sequence of static equilibria; sensors are located between them."""

    def reload(self, path: str | os.PathLike, states_only: bool = False) -> None:
        """Go on from a saved state: with its model (of the same elements), or with the present one
        (``states_only``).  Warns where the file is of a former version and does not hold all of the state."""

    def remove(self, body: Any) -> None:
        """Take a part or point mass out before the next analysis, with its shapes.  Raises ModelError where a
        joint or a force holds it."""

    def remove_grains(self, grains: Any, which: Any) -> np.ndarray:
        """Take grains out before the next analysis: ``which`` are their numbers, or a region (`Box`, ...).
        Returns their numbers."""

    def report_losses(self) -> None:
        """What elements that were switched off have lost."""

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a moment of the analysis that is open, as often as wanted; what follows has the bits that
        it had, rows recorded since are dropped."""

    def run(self) -> Run:
        """Everything recorded so far, rows in model units; an analysis that is open stays so."""

    def save(self, path: str | os.PathLike) -> None:
        """Write the model and its present state (HDF5), for `reload`: with whole turns of angles, values of
        inputs and the past of DELAY.  Results are not in it."""

    def set_input(self, name: Any, value: float, by: float | None = None) -> None:
        """Give an input (its name, id or VARIABLE) a value, in the units of its reader: from now on, or on a
        straight line until time ``by``."""

    def set_parameter(self, element: Element | str, name: str, value: Any) -> None:
        """Give a number of a force or contact (stiffness, damping, preload, coefficient of friction; its
        field ``name``) a value from now on, in model units.  ``element``: itself, its name, or a text such as
        "SPRINGDAMPER/3"."""

    def snapshot(self) -> Snapshot:
        """This moment of the analysis that is open, for `restore`: state, inputs, contacts, sensors,
        switches, and the history and step of the integrator."""

    def statics(self, contact: str | None = None, **options: Any) -> None:
        """Static equilibrium at the present time; ``contact`` as in `dynamics` ("events" and "time-stepping"
        are one here)."""

    def switch(self, elements: list[Element], on: bool, *, tell: bool = True) -> list[Element]:
        """Set ``active`` of elements of this model, and what goes with it: sensors, and a word on the energy
        and the reactions that are lost, at once or (``tell=False``) with those of later calls by
        `report_losses`."""

    def take(self, saved: SavedState, states_only: bool = False) -> None:
        """The same from memory: ``sim.take(saved)`` after ``saved = sim.state()``.  Raises ModelError when
        the state belongs to a model of other elements."""

    def woken_contacts(self) -> set[int]:
        """Ids of contacts that were switched on since the last analysis; they are reported once."""
