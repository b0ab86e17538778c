"""Control of robots in joint coordinates: efforts from the present coordinates and rates.

Each is a function of (time, q, v), to be called between steps of a simulation (`Simulation.set_input`).  Siciliano,
Sciavicco, Villani, Oriolo, Robotics: Modelling, Planning and Control (Springer 2009), ch. 8 and 9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..model import ModelError
from ..model.bodies import Marker
from ..recursive.dynamics import JointCoordinates
from .trajectories import Trajectory


def _gains(name: str, value: ArrayLike, n: int) -> np.ndarray:
    out = np.broadcast_to(np.asarray(value, float), (n,)).copy()
    if not (np.isfinite(out).all() and (out >= 0.0).all()):
        raise ModelError(f"{name} must be numbers that are not negative, got {np.asarray(value).tolist()}")
    return out


def _plain(joints: JointCoordinates) -> None:
    joints.require_tree("a controller of joints")
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

    ``force`` (3,): in addition, by which the marker presses where it cannot move."""

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


@dataclass(repr=False)
class HybridControl:
    """A marker follows a path along some axes and presses with given forces along the others, which are measured.
    With f the force that the marker exerts and S the axes along which it moves,

        p'' = S (p_d'' + kd (p_d' - p') + kp (p_d - p)) + (1 - S) (kf (f_d - f) - kv p'),
        tau = H (J^+ (p'' - J' v) - (1 - J^+ J) rest v) + h + J^T f,      J^+ = H^-1 J^T (J H^-1 J^T)^-1,

    so that, on a wall of stiffness k, errors of the path obey  e'' + kd e' + kp e = 0  and those of a constant force
    e'' + kv e' + k kf e = 0  (Raibert and Craig, J. Dyn. Sys. Meas. Control 103 (1981) 126; Khatib, IEEE J. Robot.
    Autom. 3 (1987) 43).

    ``path``: p, p', p'' (3,) of the marker in ground at a time, as a `Trajectory` gives them; ``force``: f_d (3,) in
    ground, N, or a function of time; ``pressed``: for each axis whether the marker presses along it; ``axes`` (3, 3):
    these axes as columns, default those of ground. ``kp`` 1/s^2, ``kd`` 1/s, ``kf`` 1/kg, ``kv`` 1/s: numbers or one
    for each axis. ``rest``: damping of motions that leave the marker where it is, 1/s.
    """

    joints: JointCoordinates
    marker: Marker
    path: Callable[[float], tuple[np.ndarray, np.ndarray, np.ndarray]]
    force: ArrayLike | Callable[[float], ArrayLike]
    pressed: Sequence[bool]
    kp: np.ndarray
    kd: np.ndarray
    kf: np.ndarray
    kv: np.ndarray
    axes: np.ndarray = field(default_factory=lambda: np.eye(3))
    rest: float = 0.0

    def __post_init__(self) -> None:
        for name in ("kp", "kd", "kf", "kv"):
            setattr(self, name, _gains(name, getattr(self, name), 3))
        _gains("rest", self.rest, 1)
        self.axes = np.asarray(self.axes, float)
        if self.axes.shape != (3, 3) or not np.allclose(self.axes.T @ self.axes, np.eye(3), atol=1e-9):
            raise ModelError("axes must be three unit vectors across each other, as columns of (3, 3)")
        self._pressed = np.asarray(self.pressed)
        if self._pressed.shape != (3,) or self._pressed.dtype != bool:
            raise ModelError(f"pressed must be True or False for each of three axes, got {self.pressed!r}")

    def __call__(self, time: float, q: ArrayLike, v: ArrayLike, force: ArrayLike = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Efforts (nv,); ``force`` (3,): what the marker exerts, measured in ground, N."""
        q, v, force = (np.asarray(x, float) for x in (q, v, force))
        place, joints, turn = self.joints.frame(self.marker, q).origin, self.joints, self.axes.T
        J, bias = joints.jacobian(self.marker, q)[:3], joints.jacobian_rate(self.marker, q, v)[:3] @ v
        aim, rate, acceleration = (np.asarray(x, float) for x in self.path(time))
        wanted = np.asarray(self.force(time) if callable(self.force) else self.force, float)
        speed = turn @ (J @ v)
        follow = turn @ acceleration + self.kd * (turn @ rate - speed) + self.kp * (turn @ (aim - place))
        press = self.kf * (turn @ (wanted - force)) - self.kv * speed
        mobility = np.linalg.solve(joints.mass_matrix(q), J.T)  # H^-1 J^T
        inverse = mobility @ np.linalg.pinv(J @ mobility, rcond=1e-10, hermitian=True)
        a = inverse @ (self.axes @ np.where(self._pressed, press, follow) - bias)
        a -= self.rest * (v - inverse @ (J @ v))
        return joints.inverse_dynamics(q, v, a, time) + J.T @ force
