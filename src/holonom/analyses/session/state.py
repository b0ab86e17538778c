"""What a simulation looks like at its present time, as arrays: `Simulation.state`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...elements.bodies import layout
from ...model import ModelError
from ...model.orientation import to_quaternion
from ...results import _rotation as rotation
from ...results.files.state import SavedState
from .saving import saved_state


class BodyState(NamedTuple):
    """One part or point mass, in model units and axes of ground: ``position`` and ``velocity`` of its centre of mass,
    ``quaternion`` (w, x, y, z) of its own axes, ``angular_velocity`` [rad / time]."""

    position: np.ndarray
    quaternion: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


class State:
    """Parts and point masses at one time, in the words, units and axes of `Run`: rows in the order of ``names``.

    ``state["rod"]`` is one of them.  Arrays are the caller's own: they stay as they are while the simulation continues.
    """

    def __init__(self, simulation: Any):
        self._sim, self._system = simulation, simulation.system
        #: [units of time]
        self.time = float(simulation.time)
        self._n = n = self._system.parts
        self._y = layout.rows(simulation.y, n).copy()
        self._x = simulation.y[self._system.bodies.end :].copy()

    def __repr__(self) -> str:
        return f"<State of {self._n} parts at time {self.time:.9g}>"

    def __call__(self) -> SavedState:
        """State and model, for `Simulation.take`."""
        return saved_state(self._sim)

    @property
    def names(self) -> list[str]:
        """Names of the parts and point masses, one for each row (no units)."""
        return [self._system.body_elements[k].name for k in range(self._n)]

    @property
    def positions(self) -> np.ndarray:
        """(n, 3) centres of mass [length]."""
        return self._y[:, :3].copy()

    @property
    def velocities(self) -> np.ndarray:
        """(n, 3) velocities of the centres of mass [length / time]."""
        return self._y[:, layout.VELOCITY].copy()

    @property
    def quaternions(self) -> np.ndarray:
        """(n, 4) orientations (w, x, y, z) of the parts' own axes, of unit length."""
        own = np.array([frame.axes for frame in self._system.local[: self._n]]).reshape(-1, 3, 3)
        turned = rotation.matrices(self._y[:, layout.QUATERNION]) @ own.transpose(0, 2, 1)
        return np.array([to_quaternion(A) for A in turned]).reshape(-1, 4)

    @property
    def angular_velocities(self) -> np.ndarray:
        """(n, 3) angular velocities in axes of ground [rad / time]."""
        return (rotation.matrices(self._y[:, layout.QUATERNION]) @ self._y[:, layout.SPIN, None])[:, :, 0]

    @property
    def states(self) -> dict[str, float]:
        """Further states (DIFF, blocks, friction) by name, in their own units, as `Run.states` names them."""
        names = [
            f"{key[0]}_{key[1]}" + (f"[{key[2] - 1}]" if len(key) > 2 else "") for key in self._system.functions.states
        ]
        return dict(zip(names, self._x.tolist()))

    def __getitem__(self, name: Any) -> BodyState:
        element = (
            self._sim.model.find("PART", name)
            if not _is_point(self._sim.model, name)
            else self._sim.model.find("POINT_MASS", name)
        )
        k = self._system.body_index.get((element.KIND, element.id), self._n)
        if k >= self._n:
            raise ModelError(f"{element.label} does not move: it has no state of its own")
        return BodyState(self.positions[k], self.quaternions[k], self.velocities[k], self.angular_velocities[k])


def _is_point(model: Any, name: Any) -> bool:
    if isinstance(name, str):
        return name.strip().lower() in (e.name.lower() for e in model.table("POINT_MASS").values())
    return getattr(name, "KIND", "") == "POINT_MASS"
