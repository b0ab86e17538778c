"""A simulation: a model, its present state, and analyses that follow each other.

`Simulation` is what scripts (``.acf``) and `simulate` drive: every analysis starts where the last one ended; elements
may be changed, activated and deactivated in between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model import Model, ModelError
from ...model.base import Element, shown
from ...system.multipliers import BASIC, CHOICES
from ..checks.closed_joints import ClosedJoints
from ..contact.pair_energy import PairEnergy, StepEnergy
from ..contact.refereeing import Refereeing, check_choice
from ..cosimulation.inside import InsideFmus
from ..grains.feeding import Feeding
from .carried import Carried
from .inputs import Inputs
from .messages import Messages
from .progress import notice
from .recorder import Recorder
from .simulation_methods import SimulationMethods
from .state import State
from .switched import Loss
from .systems import Systems

if TYPE_CHECKING:
    from ...results.modes import Linear
    from ..cosimulation.in_model import ModelCoupling
    from .parameters import Change
    from .stepping import Stepping


class Simulation(SimulationMethods, Messages):
    """State of a model in time; see the description of the module.

    ``progress``: show a progress bar (default: when standard error is a terminal). ``missing``: "error" refuses a
    model with elements that this version cannot simulate, "zero" omits them with a warning. ``redundant``: reactions of
    redundant constraints: "basic" (redundant constraints carry no load), "minimum-norm" (the load is shared, see
    `system.multipliers`), or "refuse" (an error that names them). ``referee``: whether an independent check ends a run
    in which a body passes through another (`analyses.contact.refereeing`): True (default), False, or "strict", which
    samples every step 100 times.
    """

    y: np.ndarray  # present state, once a system is prepared
    #: whether the contact referee checks the analyses of simulations that do not state this
    REFEREE: bool | str = True

    def __init__(
        self,
        model: Model,
        progress: bool | str | Callable[[float, float], None] | None = None,
        missing: str = "error",
        quiet: bool = True,
        redundant: str = BASIC,
        referee: bool | str | None = None,
    ):
        if missing not in ("error", "zero"):
            raise ModelError(f"missing is {shown(missing)}; choose error or zero")
        if redundant not in CHOICES:
            raise ModelError(
                f"unknown treatment '{redundant}' of redundant constraints; choose one of {', '.join(CHOICES)}"
            )
        if not (progress in (True, False, None, "log") or callable(progress)):
            raise ModelError(f"progress is {shown(progress)}; choose True, False, None, 'log' or a function")
        self.model = model
        self.redundant = redundant
        self.progress = progress
        notice.wanted = progress is not False
        self.referee = check_choice(self.REFEREE if referee is None else referee)
        self.refereed: list[Refereeing] = []  # what the referee has checked, a row for each system
        self.pair_energies: list[PairEnergy | StepEnergy] = []  # of contacts, one for each analysis and system
        self.closed: list[ClosedJoints] = []  # joints measured at outputs, the same
        self.missing = missing
        self.quiet = quiet
        self.time = 0.0
        self.recorder = Recorder(model)
        self.recorder.redundant = redundant
        self.recorder.warn = self.warn
        self.messages, self.warnings, self._doubted = [], [], set()
        self.halted = False
        self.returned = False
        self.carried = Carried(model)  # state by element, from one analysis to the next
        self.systems = Systems()  # what has been built so far
        self.system: Any = None  # System of the last analysis
        self.assembly: Any = None  # Assembly of it
        self.stopped = ""
        #: integrate the works of motions, forces, dampers (two evaluations a step); None: in models of up to 100 bodies
        self.work: bool | None = None
        self._prepared: str | None = (
            None  # treatment of contacts for which the present system is prepared, and nothing has changed since
        )
        self.chatter: dict[str, tuple[int, float]] = {}  # of conditions that change back at once, see `events.Events`
        self._losses: list[Loss] = []  # of elements that were switched off, not reported yet
        self._woken: list[Element] = []  # switched on since the last analysis
        self.linear: list[Linear] = []  # results of linear analyses so far
        self.feeding = Feeding()  # what feeders and sinks have done so far
        self.recorder.feeding = self.feeding
        self._given = model  # the user's: grains come and go in a copy of it, see `analyses.grains.feeding`
        self._treatments: set[str] = set()  # of contacts, in the analyses so far
        self.followers: set[tuple[str, int]] = set()  # elements that are off with a joint that a SWITCH has turned off
        self.switchings: list[tuple] = []  # time, SWITCH, state before, state after, energy lost, impulse
        self.inputs = Inputs(model)  # values from outside
        self._stepping: Stepping | None = None  # the analysis that is open
        self.coupling: ModelCoupling | None = None  # with the FMUs of the model, once they have been started
        self.coupled = False  # a master steps it
        self.fmus = InsideFmus(self)  # whose states are those of the model
        self._begins = False  # it is about to open
        #: what the KED analysis found (`ked.Vibration`): indicator, first frequencies, advice; None where there was
        #: none
        self.ked: dict[str, Any] | None = None
        self._opening: dict | None = None  # options with which it was opened last
        self.parameters: list[Change] = []  # numbers of elements that were changed, see `set_parameter`

    # ---- system and state -----------------------------------------------------------------------------------------
    @property
    def state(self) -> State:
        """Positions, velocities and further states at the present time, in model units (`State`).

        Called, ``sim.state()``, it gives the state and the model for `take`, the same as `save` in memory.
        """
        if self.system is None:
            self.prepare()
        return State(self)

    def leave(self, t: float, y: np.ndarray) -> None:
        """The present time and state, from which the next analysis begins."""
        self.time = float(t)
        self.y = y

    # ---- step by step ---------------------------------------------------------------------------------------------
    def _opened(self) -> Stepping:
        """The open analysis, which is opened where it is not."""
        from .opened import opened

        return opened(self)

    def step(self) -> float:
        """One step of the integrator, which chooses its size, at most the ``duration`` of `open`; returns the new time
        (units of time).

        A sensor that halts ends it at its event.  Raises IntegrationError where it cannot continue, ModelError after
        that.
        """
        return (self._stepping or self._opened()).step()

    def advance(self, until: float) -> float:
        """Integrate exactly to time ``until`` (units of time) and return the time, which is less where a sensor with
        HALT or RETURN has ended it.

        The integrator continues where the last call left it; nothing restarts between calls unless an input has
        changed at once. Raises ModelError for a time that has passed, and IntegrationError where it cannot continue:
        the state is the last good one then.
        """
        return (self._stepping or self._opened()).advance(until)

    def output(self, what: Any) -> Any:
        """The present value of an expression (a text of the function language, in its units), a VARIABLE, a REQUEST
        (its eight numbers) or a JOINT: its angle [rad] over whole turns, its travel (length), or an array of both.  A
        text that is the name of one of these elements means it; a list gives an array.  Turns of angles in an
        expression are counted from when it is first requested, those of joints from the beginning.

        Raises ModelError for what has no value, or is not an expression of this model.
        """
        return (self._stepping or self._opened()).output(what)
