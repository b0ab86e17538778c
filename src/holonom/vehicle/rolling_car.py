"""The linear car with roll: sideslip, yaw, roll of the body (L. Segel, Proc. IMechE Automobile Division 10, 1956),
axles as on their K&C rigs, tyres that lag.

O is the point of the body on the ground below the centre of mass (at the height h), v its lateral velocity, a = v' + V
r, phi the roll, p = phi'.  Axles A give F_A, N_A, R_A (`axle_in_bend`) by slip angles, steering wheel, phi, a, V r:

    sum F_A = P',    sum (x_A F_A + N_A) = L',    sum R_A + m g h phi = H',    (P, L, H) = E (v, r, p),    v' with V r
        added

E: momentum and moments of momentum about O of the body, with z and x, and of the suspension's parts, which move next to
it with the pads, u' = -y p.  On top of the bend,

    sigma alpha_k' / V + alpha_k = (v + x_k r + y_k') / V - steer_k,    dF_z,k = sum K_kj u_j + sum D_kj u_j' + ...

y_k: of the patches in axes of the body (what the height of the roll centre does), D: of the dampers.  Wheels resist, as
they spin, tilting and steering (gyroscopic moments I Omega gamma', I Omega delta') and the yaw of the car (I y^2 /
R^2).  Vertical inertia of the wheels, and what they swing on bushings, are left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from .axle_in_bend import ACROSS, EFFECTS, FZ, HAND, LEAN, MX, MZ, ROLL, ROWS, SLIP, STEER, UP, YAWING, AxleInBend
from .full_vehicle import WHICH, Vehicle, _force

V_O, YAW, PHI, P = range(4)
CAR = 4


@dataclass(frozen=True)
class RollingCar(Summary):
    """E x' + G x = b (w, w', w'') of the steering wheel's angle w [rad] at one ``speed`` [m/s]; x begins with v [m/s],
    r [rad/s], phi [rad], p [rad/s]; ``height`` of the centre of mass [m]."""

    speed: float
    height: float
    E: np.ndarray
    G: np.ndarray
    b: np.ndarray

    def states(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """A, B, C, D of states without algebraic unknowns; C, D give x."""
        size = np.maximum(np.abs(self.E), np.abs(self.G)).max(axis=1)
        E, G, b = self.E / size[:, None], self.G / size[:, None], self.b / size[:, None]
        units = 1.0 / np.maximum(np.abs(E), np.abs(G)).max(axis=0)
        U, s, W = np.linalg.svd(E * units)
        n = int((s > 1e-9 * s[0]).sum())
        H, h, W = U.T @ (G * units) @ W.T, U.T @ b, W.T * units[:, None]
        by = np.linalg.solve(
            H[n:, n:], np.column_stack([-H[n:, :n], h[n:]])
        )  # algebraic ones by the others and the inputs
        A = (np.column_stack([-H[:n, :n], h[:n]]) - H[:n, n:] @ by) / s[:n, None]
        x = np.column_stack([W[:, :n], np.zeros((len(W), 3))]) + W[:, n:] @ by
        return A[:, :n], A[:, n:], x[:, :n], x[:, n:]

    def _outputs(self, x: np.ndarray, rate: np.ndarray) -> dict[str, np.ndarray]:
        v, r, p = x[..., V_O], x[..., YAW], x[..., P]
        return {
            "yaw_rate": r,
            "ay": rate[..., V_O] + self.speed * r - self.height * rate[..., P],
            "sideslip": (v - self.height * p) / self.speed,
            "roll": x[..., PHI],
        }

    def response(self, frequency: np.ndarray) -> dict[str, np.ndarray]:
        """Complex gains over frequencies [Hz] by the angle of the steering wheel: "yaw_rate" [1/s], "ay" [m/s^2],
        "sideslip", "roll"."""
        s = 2j * np.pi * np.asarray(frequency, float)
        x = np.array([np.linalg.solve(w * self.E + self.G, self.b @ (1.0, w, w * w)) for w in s])
        return self._outputs(x, s[:, None] * x)

    def step(self, t: np.ndarray, wheel: np.ndarray) -> dict[str, np.ndarray]:
        """ "yaw_rate" [rad/s], "ay" [m/s^2], "sideslip", "roll" [rad] over times t [s] for angles of the steering wheel
        [rad] at them (linear in between), from straight driving. Raises `ModelError` for times and angles of different
        length."""
        from scipy.signal import StateSpace, lsim

        t, wheel = np.asarray(t, float), np.asarray(wheel, float)
        if t.ndim != 1 or len(t) < 2 or t.shape != wheel.shape or not (np.diff(t) > 0.0).all():
            raise ModelError(
                f"give as many angles of the steering wheel as times, which rise: there are {wheel.size} and {t.size}"
            )
        A, B, C, D = self.states()
        fine = np.linspace(float(t[0]), float(t[-1]), max(4001, 4 * len(t)))
        w = np.interp(fine, t, wheel)
        rate = np.gradient(w, fine)
        _, x, _ = lsim(
            StateSpace(A, B, C[:CAR], D[:CAR]), np.column_stack([w, rate, np.gradient(rate, fine)]), fine - fine[0]
        )
        return {k: np.interp(t, fine, v) for k, v in self._outputs(x, np.gradient(x, fine, axis=0)).items()}

    def gains(self) -> dict[str, float]:
        """Steady gains of `response`."""
        return {k: float(v.real[0]) for k, v in self.response(np.zeros(1)).items()}

    def modes(self) -> list[tuple[float, float]]:
        """(frequency [Hz], damping ratio) of the oscillatory modes."""
        s = np.linalg.eigvals(self.states()[0])
        s = s[s.imag > 1e-9 * np.abs(s)]
        return sorted((float(abs(z)) / (2.0 * math.pi), float(-z.real / abs(z))) for z in s)


def rolling_car(vehicle: Vehicle, axles: Mapping[str, AxleInBend], speed: float) -> RollingCar:
    """The linear car of axles that stand on their rigs, at a speed [m/s]."""
    u, mass = vehicle.units, vehicle.file.mass
    V = speed * vehicle.metre / vehicle.second
    ground = float(np.mean([a.p.patch[:, 2].mean() for a in axles.values()]))
    O = np.array([float(mass.centre[0]), 0.0, ground])
    h, m = float(mass.centre[2]) - ground, mass.mass * _force(u)
    n = CAR + ROWS * len(WHICH)
    E, G, b = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, 3))
    J = np.array(mass.inertia) * _force(u)
    body = _momentum(m, J, np.array([0.0, 0.0, h]), _rigid(np.array([0.0, 0.0, h])))
    for k, which in enumerate(WHICH):
        rows = slice(CAR + k * ROWS, CAR + (k + 1) * ROWS)
        _axle(axles[which], O[0], V, rows, E, G, b)
        rolled, steered = _parts(axles[which], O)
        body[:, 2] += rolled
        b[[V_O, YAW, P], 2] += steered  # moved over with the forces below
        body[1, 1] += axles[which].spinning()
    for M in (E, G, b):
        M[[V_O, YAW, P]] *= -1.0  # forces stand on the left
    E[np.ix_([V_O, YAW, P], [V_O, YAW, P])] += body
    G[[V_O, YAW, P], YAW] += V * body[:, 0]
    G[P, PHI] -= m * h * vehicle.file.g
    E[PHI, PHI], G[PHI, P] = 1.0, -1.0
    scale = np.ones(n)  # SI of the car's own unknowns
    scale[[V_O, YAW, P]] = vehicle.metre / vehicle.second, 1.0 / vehicle.second, 1.0 / vehicle.second
    b *= vehicle.second ** -np.arange(3.0)
    return RollingCar(speed, h * u.si_length, E * scale / vehicle.second, G * scale, b)


def _rigid(c: np.ndarray) -> np.ndarray:
    """(6, 3): velocity and angular velocity of a point of the body at c from O by v, r, p."""
    x, y, z = c
    return np.array([[0, -y, 0], [1, x, -z], [0, 0, y], [0, 0, 1], [0, 0, 0], [0, 1, 0]], float)


def _momentum(mass: float, J: np.ndarray, c: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """(3, n): momentum to the left and moments of momentum about z, x at O of moves (6, n)."""
    return _rigid(c).T @ np.vstack([mass * moves[:3], J @ moves[3:]])


def _parts(axle: AxleInBend, O: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(3,) momenta (`_momentum`) of an axle's parts next to what they would have fixed to the body: by p, on wheels
    that stay on the ground, and by the steering wheel."""
    p, force = axle.p, _force(axle.vehicle.units)
    ways = np.zeros((len(p.column), 2))
    ways[[p.column["pad left"], p.column["pad right"]], 0] = -p.patch[:, 1]
    if "steering wheel" in p.column:
        ways[p.column["steering wheel"], 1] = 1.0
    out = sum(_momentum(mass * force, J * force, at - O, moves @ ways) for mass, J, at, moves in axle.rig.bodies())
    return out[:, 0], out[:, 1]


def _axle(axle: AxleInBend, x0: float, V: float, rows: slice, E: np.ndarray, G: np.ndarray, b: np.ndarray) -> None:
    """Equations of an axle, and its sums in those of the car."""
    A, B = axle.equations(tuple(EFFECTS))
    patch = axle.p.patch[:, 0] - x0
    x = float(patch.mean())

    def given(to: Any, by: np.ndarray, sign: float) -> None:
        """Rows ``to`` by inputs of the axle, but its sideslip."""
        b[to, 0] -= sign * by[:, HAND]
        G[to, PHI] += sign * by[:, ROLL]
        G[to, YAW] += sign * V * (by[:, ACROSS] + by[:, YAWING])
        E[to, V_O] += sign * by[:, ACROSS]
        E[to, YAW] += sign * x * by[:, ACROSS]

    G[rows, rows] = A
    given(rows, B, -1.0)
    at = lambda part: slice(rows.start + part.start, rows.start + part.stop)
    E[at(FZ), at(UP)] -= axle.damping()
    # slip angles: of velocities, with what the patches move in the body, and their lag
    shift_z, shift_q = axle.shift()
    G[at(SLIP), V_O] -= 1.0 / V
    G[at(SLIP), YAW] -= patch / V
    E[at(SLIP), at(SLIP)] += np.diag(axle.relaxation()) / V
    E[at(SLIP), rows] -= shift_z / V
    b[at(SLIP), 1] += shift_q[:, HAND] / V
    on_z, on_q = axle.sums()
    turn = np.array([[1.0, 0.0, 0.0], [x, 1.0, 0.0], [0.0, 0.0, 1.0]])
    to = [V_O, YAW, P]
    G[to, rows] += turn @ on_z
    given(to, turn @ on_q, 1.0)
    steer, lean = axle.turns()  # spinning wheels resist tilting and steering: moments of the car, and on the carriers
    for row, part, moment in ((YAW, MZ, -axle.gyro * V * lean), (P, MX, axle.gyro * V * steer)):
        G[row, P] += moment[:, 0].sum()
        b[row, 1] -= moment[:, 1].sum()
        for target in (FZ, STEER, LEAN):
            G[at(target), P] += A[target, part] @ moment[:, 0]
            b[at(target), 1] -= A[target, part] @ moment[:, 1]
