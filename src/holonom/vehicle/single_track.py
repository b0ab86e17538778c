"""The linear single-track model: what a car does in the limit of small angles, in closed form (Riekert, Schunck 1940;
Milliken, Milliken 1995, chapter 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._summary import Summary
from .template import number_of


@dataclass(frozen=True)
class SingleTrack(Summary):
    """``mass`` [kg], ``inertia`` about z [kg m^2], ``front``, ``rear``: distances of the axles from the centre of mass
    [m], cornering stiffnesses of the axles ``front_stiffness``, ``rear_stiffness`` [N/rad], pneumatic trails
    ``front_trail``, ``rear_trail`` [m]: how far behind the axles the lateral forces act, relaxation lengths
    ``front_relaxation``, ``rear_relaxation`` [m] over which they build up (in `step` alone: sigma F' = V (C alpha -
    F)).

        m (v' + V r) = F_f + F_r,     I r' = (l_f - n_f) F_f - (l_r + n_r) F_r,     F_f = C_f (delta - (v + l_f r)/V),
            F_r = -C_r (v - l_r r)/V
    """

    mass: float
    inertia: float
    front: float
    rear: float
    front_stiffness: float
    rear_stiffness: float
    front_trail: float = 0.0
    rear_trail: float = 0.0
    front_relaxation: float = 0.0
    rear_relaxation: float = 0.0

    @property
    def wheelbase(self) -> float:
        """[m]"""
        return self.front + self.rear

    def matrices(self, speed: float) -> tuple[np.ndarray, np.ndarray]:
        """A (2, 2), B (2,) of the states lateral velocity [m/s] and yaw rate [rad/s] by the steer angle [rad] at a
        speed [m/s], above 0."""
        number_of(speed, "speed", positive=True)
        cf, cr, a, b, V = self.front_stiffness, self.rear_stiffness, self.front, self.rear, speed
        a1, b1 = a - self.front_trail, b + self.rear_trail
        A = np.array(
            [
                [-(cf + cr) / V / self.mass, (-a * cf + b * cr) / V / self.mass - V],
                [(-a1 * cf + b1 * cr) / V / self.inertia, (-a1 * a * cf - b1 * b * cr) / V / self.inertia],
            ]
        )
        return A, np.array([cf / self.mass, a1 * cf / self.inertia])

    def yaw_gain(self, speed: float) -> float:
        """Steady yaw rate per steer angle [1/s] at a speed [m/s]: V / (L + K V^2) without trails."""
        A, B = self.matrices(speed)
        return float(-np.linalg.solve(A, B)[1])

    @property
    def understeer_gradient(self) -> float:
        """K = d(delta - L/R)/d a_y [rad s^2/m]: m (l_r C_r - l_f C_f) / (L C_f C_r) without trails."""
        V = 20.0
        return (V / self.yaw_gain(V) - self._low()) / V**2

    def _low(self) -> float:
        """Steer angle times radius at no speed [m]: the wheelbase, without trails of rolling tyres."""
        V = 1e-3
        return V / self.yaw_gain(V)

    @property
    def characteristic_speed(self) -> float:
        """Speed at which the yaw gain is largest, sqrt(L/K) [m/s]; NaN for a car that oversteers."""
        K = self.understeer_gradient
        return float(np.sqrt(self._low() / K)) if K > 0.0 else float("nan")

    def _with_lag(self, speed: float) -> tuple[np.ndarray, np.ndarray]:
        """As `matrices`, with the axles' forces as further states where they have relaxation lengths."""
        if not (self.front_relaxation > 0.0 and self.rear_relaxation > 0.0):
            return self.matrices(speed)
        V, a, b = speed, self.front, self.rear
        qf, qr = V / self.front_relaxation, V / self.rear_relaxation
        cf, cr = self.front_stiffness, self.rear_stiffness
        a1, b1 = a - self.front_trail, b + self.rear_trail
        A = np.array(
            [
                [0.0, -V, 1.0 / self.mass, 1.0 / self.mass],
                [0.0, 0.0, a1 / self.inertia, -b1 / self.inertia],
                [-qf * cf / V, -qf * cf * a / V, -qf, 0.0],
                [-qr * cr / V, qr * cr * b / V, 0.0, -qr],
            ]
        )
        return A, np.array([0.0, 0.0, qf * cf, 0.0])

    def response(self, speed: float, frequency: np.ndarray) -> dict[str, np.ndarray]:
        """Complex gains over frequencies [Hz] by the steer angle at a speed [m/s]: "yaw_rate" [1/s], "ay" [m/s^2],
        "sideslip"."""
        A, B = self._with_lag(speed)
        s = 2j * np.pi * np.asarray(frequency, float)
        x = np.array([np.linalg.solve(w * np.eye(len(A)) - A, B) for w in s])
        return {"yaw_rate": x[:, 1], "ay": s * x[:, 0] + speed * x[:, 1], "sideslip": x[:, 0] / speed}

    def step(self, speed: float, t: np.ndarray, steer: np.ndarray) -> np.ndarray:
        """(n, 3) lateral velocity [m/s], yaw rate [rad/s] and lateral acceleration [m/s^2] over times t [s] for steer
        angles [rad] at them (linear in between), from straight driving."""
        from scipy.signal import StateSpace, lsim

        A, B = self._with_lag(speed)
        out = np.eye(2, len(A))
        fine = np.linspace(float(t[0]), float(t[-1]), max(4001, 4 * len(t)))
        u = np.interp(fine, t, steer)
        system = StateSpace(A, B[:, None], out, np.zeros((2, 1)))
        _, y, x = lsim(system, u, fine - fine[0])
        rate = x @ A[0] + B[0] * u
        columns = [y[:, 0], y[:, 1], rate + speed * y[:, 1]]
        return np.column_stack([np.interp(t, fine, c) for c in columns])
