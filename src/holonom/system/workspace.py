"""What belongs to a run of a system, not to its numbers.

A `System` is a value: what is built of a model stays as it is.  What analyses, integrators and results make for it as
they go (handles of kernels, work arrays of assembly, the twin that moves in a plane, outputs, rows of contacts that are
closed) is in its `Workspace`, each with its meaning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .equations import Equations

if TYPE_CHECKING:
    from .delay import Past
    from .outputs import Outputs
    from .planar import Plane


class Workspace:
    """See the module's text."""

    def __init__(self, equations: Equations):
        #: the constraints that count at present: those of joints and motions, or those with rows of closed contacts
        #: (`active_rows`)
        self.equations = equations
        #: has it been searched for a plane in which all bodies move, and its tables, None where there is none
        #: (`system.planar`)
        self.plane_sought = False
        self.plane: Plane | None = None
        #: output functions: requests, variables, sensors (`analyses.session.recorder`)
        self.outputs: Outputs | None = None
        #: conditions of SWITCHes that check rows through tables of their own (`analyses.dynamics.topology.Guards`)
        self.guards: Any = None
        #: what `Simulation.output` has been requested: question -> function without arguments
        self.readers: dict[Any, Any] = {}
        #: text of a delayed expression -> its past (`system.delay`), which all functions of the system read
        self.pasts: dict[str, Past] = {}
        #: breaks of motions between two times (`analyses.dynamics.motion_breaks`): from, to, list
        self.motion_breaks: tuple[float, float, list] | None = None
        #: times of pulses of functions of time between two times (`analyses.dynamics.pulses`): from, to, whether jumps
        #: are located, times and the narrowest pulse
        self.pulses: tuple[float, float, bool, Any] | None = None
        #: length scale, `System.extent`, once it has been requested: where the run begins it differs from the design
        self.extent: float | None = None
        #: places of frames at the design position (k, 3), up to 2000 (`integrators.stepper.Scales`)
        self.drawn_places: list[np.ndarray] | None = None
        #: search for equilibria in joint coordinates, `analyses.statics.joint_equilibrium`
        self.joint_equilibrium: Any = None
        #: the spanning tree of the joints (`recursive.tree.tree_of`)
        self.spanning: Any = None
        #: rows that the last assembly has named as redundant (`multipliers.basic`)
        self.named: list[int] = []
        #: time and state of the last assembly
        self.assembled: tuple[float, np.ndarray] | None = None
        #: where a granular solver carries the grains: points that act on each and moments of their forces, as
        #: `Contacts.of_bodies` gives them
        self.touching: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def stages(self) -> Any:
        """Work arrays of assembly and settling, `runge_kutta.Stages`, once their handle has been requested."""
        return self.equations.stages

    def forget_plane(self) -> None:
        """The motion has left its plane: search for another one when next asked."""
        self.plane, self.plane_sought = None, False
