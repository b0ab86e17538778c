"""Control of robots in joint coordinates: efforts from the present coordinates and rates.

Each is a function of (time, q, v), to be called between steps of a simulation (`Simulation.set_input`).  Siciliano,
Sciavicco, Villani, Oriolo, Robotics: Modelling, Planning and Control (Springer 2009), ch. 8 and 9.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..model import ModelError
from ..recursive.dynamics import JointCoordinates
from .trajectories import Trajectory


def _gains(name: str, value: ArrayLike, n: int) -> np.ndarray:
    out = np.broadcast_to(np.asarray(value, float), (n,)).copy()
    if not (np.isfinite(out).all() and (out >= 0.0).all()):
        raise ModelError(f"{name} must be numbers that are not negative, got {np.asarray(value).tolist()}")
    return out


def _plain(joints: JointCoordinates) -> None:
    if joints.nq != joints.nv:
        raise ModelError("the controller measures errors of angles and distances; a model with quaternions has others")


@dataclass(repr=False)
class ComputedTorque:
    """Inverse dynamics with feedback: tau = H (a_d + kd (v_d - v) + kp (q_d - q)) + h, by which the error e of the
    trajectory obeys  e'' + kd e' + kp e = 0  (1/s^2, 1/s).

    ``joints``: the model that the controller has, which need not be that of the simulation."""

    joints: JointCoordinates
    trajectory: Trajectory
    kp: np.ndarray
    kd: np.ndarray

    def __post_init__(self) -> None:
        _plain(self.joints)
        self.kp, self.kd = (_gains(n, getattr(self, n), self.joints.nv) for n in ("kp", "kd"))

    def __call__(self, time: float, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Efforts (nv,)."""
        aim, rate, acceleration = self.trajectory(time)
        q, v = np.asarray(q, float), np.asarray(v, float)
        wanted = acceleration + self.kd * (rate - v) + self.kp * (aim - q)
        return self.joints.inverse_dynamics(q, v, wanted, time)


@dataclass(repr=False)
class GravityCompensation:
    """Proportional and derivative action with the weight at the present position: tau = kp (q_d - q) - kd v + g(q),
    which rests at q_d only (Takegaki and Arimoto, J. Dyn. Sys. Meas. Control 103 (1981) 119)."""

    joints: JointCoordinates
    aim: np.ndarray
    kp: np.ndarray
    kd: np.ndarray

    def __post_init__(self) -> None:
        _plain(self.joints)
        self.kp, self.kd = (_gains(n, getattr(self, n), self.joints.nv) for n in ("kp", "kd"))
        self.aim = np.asarray(self.aim, float)

    def __call__(self, time: float, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Efforts (nv,)."""
        q, v = np.asarray(q, float), np.asarray(v, float)
        return self.kp * (self.aim - q) - self.kd * v + self.joints.bias(q, np.zeros(len(v)), time)


@dataclass(repr=False)
class Impedance:
    """A marker behaves as a spring and damper to a point: tau = J^T (stiffness (p_d - p) - damping p') + g(q), in N/m
    and N s/m along the axes of ground (Hogan, J. Dyn. Sys. Meas. Control 107 (1985) 1).

    ``force`` (3,): in addition, by which the marker presses where it cannot move (hybrid force control: no stiffness
    along that axis)."""

    joints: JointCoordinates
    marker: Any
    aim: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    force: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        self.stiffness, self.damping = (_gains(n, getattr(self, n), 3) for n in ("stiffness", "damping"))
        self.aim, self.force = np.asarray(self.aim, float), np.asarray(self.force, float)

    def __call__(self, time: float, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Efforts (nv,)."""
        q, v = np.asarray(q, float), np.asarray(v, float)
        place, J = self.joints.frame(self.marker, q).origin, self.joints.jacobian(self.marker, q)[:3]
        pull = self.stiffness * (self.aim - place) - self.damping * (J @ v) + self.force
        return J.T @ pull + self.joints.bias(q, np.zeros(len(v)), time)
