"""An axle on its K&C rig with its tyres in the bend of a small lateral acceleration: its linear equations
(`cornering_compliance`), and its sums for the car."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .characteristics import Car, View
from .full_vehicle import SIDES, SLIPPING, Vehicle, _force
from .rig import Position, Rig
from .template import number_of, numbers_of
from .tyre_rig import TyreRig

TRIM = 5  # turns of position and forces straight ahead
#: what adds to bare tyres under an upright body, in the order of the table
EFFECTS = {
    "roll steer": "steer of the wheels with roll",
    "roll camber": "inclination of the wheels with roll, and by loads",
    "steering and "
    "lateral force": "steer by lateral forces of the tyres, without their trail, and weights of the wheels",
    "aligning moment": "steer by moments of the tyres about the vertical",
    "load transfer": "loads of the wheels: on toe and camber, rolling resistance",
    "differential": "its preload while the wheels' speeds differ little",
}
#: unknowns of an axle, of both wheels: lateral force, moments about x and z, longitudinal force, changes of load,
#: height, steer angle, inclination, slip angle
FY, MX, MZ, FX, FZ, UP, STEER, LEAN, SLIP = (slice(2 * k, 2 * k + 2) for k in range(9))
ROWS = 18
#: what an axle is given: sideslip, steering wheel, roll of the body, lateral acceleration of its parts, V r
SIDESLIP, HAND, ROLL, ACROSS, YAWING = range(5)
INPUTS = 5
#: loads of the rig and the unknowns that are
LOADED = (("fy", FY), ("mz", MZ), ("Mx", MX), ("fd", FX))


class AxleInBend:
    """One axle on its rig with its tyres; A z = B q of `equations`, and `sums` of z and q.  Model units."""

    def __init__(self, vehicle: Vehicle, which: str, speed: float, moved: float):
        self.vehicle, self.which = vehicle, which
        self.load = np.array([vehicle.loads[f"{which} {s}"] for s in SIDES]) + (-moved if which == "front" else moved)
        u = vehicle.units
        self.speed = speed * vehicle.metre / vehicle.second
        data = vehicle.file.axle_data(which)
        data["wheel"] = {**data["wheel"], "radius": vehicle.radii[which]}
        height = vehicle.radii[which] - float(vehicle.file._centre(which)[2])
        rig = Rig(data, vehicle.file.data.get("units", "SI"), vehicle.mode, name=which, height=height)
        self.rig = rig
        self._roll_out(height)
        tilted = 0.01 * vehicle.file.g
        aside = Rig(data, vehicle.file.data.get("units", "SI"), vehicle.mode, name=which, height=height, lateral=tilted)
        self.across = self._across(aside.solve(tuple(self.p.pads), loads=self._at_rest()), tilted)
        wheel = rig.axle.wheel
        mass = number_of(wheel.get("mass", 0.0), "mass", least=0.0)
        size = mass * vehicle.radii[which] ** 2
        self.spin = numbers_of(wheel.get("inertia", [0.3 * size, 0.5 * size, 0.3 * size]), "inertia", 3)[1] * _force(u)
        self.torque = 0.0  # that drives the axle
        self.gyro = self.spin / vehicle.radii[which]  # I omega r = I / R V r
        self.wheel_mass = mass

    def _roll_out(self, height: float) -> None:
        """The position straight ahead: forces and moments of toe and camber bend and lift the axle, which carries its
        load."""
        self.rest = np.zeros((2, 3))
        heights = np.full(2, height)
        for _ in range(TRIM):
            self.p: Position = self.rig.solve(tuple(heights), loads=self._at_rest())
            self.view = View(self.p, self.p, Car())
            heights = heights + (self.load.sum() - self.p.load.sum()) / self.view.K.sum()
            self._tyres()

    def _at_rest(self) -> dict[str, float]:
        """Loads of the tyres straight ahead, keywords of the rig."""
        return {
            f"{word} {side}": float(self.rest[k, c])
            for k, side in enumerate(SIDES)
            for c, word in enumerate(("fy", "fd", "mz"))
        }

    def _across(self, tilted: Position, g: float) -> dict[str, np.ndarray]:
        """What an acceleration to the left of the axle's parts does: load, steer, inclination, shift of the patches,
        (2,) each, per unit."""
        p = self.p
        lean = lambda q: np.arcsin(q.spin[:, 2])
        found = {
            "load": tilted.load - p.load,
            "steer": tilted.steer_zero - p.steer_zero,
            "lean": lean(tilted) - lean(p),
            "shift": tilted.patch[:, 1] - p.patch[:, 1],
        }
        return {k: v / g for k, v in found.items()}

    def _tyres(self) -> None:
        """T (2, 4, 3): F_y, M_x, M_z, F_x by slip angle, inclination, load; ``rest`` (2, 3): F_y, F_x, M_z straight
        ahead; ``k_z``: vertical stiffness."""
        v, p = self.vehicle, self.p
        f = v.tyres[self.which]
        self.T, self.k_z = np.zeros((2, 4, 3)), np.zeros(2)
        for k, side in enumerate(SIDES):
            tyre = TyreRig(f, mirror=bool(f.side and f.side != side.upper()), mu=v.mu, units=v.units)
            at = np.array([-self.view.steer[k], math.asin(p.spin[k, 2]), self.load[k]])
            h = np.array([1e-5, 1e-5, 1e-4 * self.load[k]])
            self.rest[k] = self._forces(tyre, at)[0][[0, 3, 2]]
            for c in range(3):
                step = np.eye(3)[c] * h[c]
                (one, rho1), (two, rho2) = (self._forces(tyre, at + s * step) for s in (1.0, -1.0))
                self.T[k, :, c] = (one - two) / (2.0 * h[c])
                if c == 2:
                    self.k_z[k] = 2.0 * h[c] / (rho1 - rho2)

    def _forces(self, tyre: TyreRig, x: np.ndarray) -> tuple[np.ndarray, float]:
        """F_y, M_x, M_z and F_x of a wheel that rolls without torque, at slip angle, inclination, load; and the
        deflection."""
        f = tyre.forces(x[2], alpha=x[0], gamma=x[1], speed=self.speed)
        drag = (f["M_y"] * math.cos(x[1]) + f["M_z"] * math.sin(x[1])) / f["R_l"]
        return np.array([f["F_y"], f["M_x"], f["M_z"], drag], float), float(f["deflection"])

    def drive(self, force: float) -> None:
        """Drive each wheel with a force next to its rolling resistance: F_x = (T + M_y) / R_l, T held."""
        self.torque = 2.0 * force * self.vehicle.radii[self.which]
        self.rest[:, 1] += force
        self.T[:, 3, 2] += force / ((self.vehicle._rig(self.which).radius - self.load / self.k_z) * self.k_z)

    def _locking(self, A: np.ndarray, B: np.ndarray) -> None:
        """What a limited-slip differential adds to the longitudinal forces: its plates, which hold, are a damper s =
        (preload + lock |T|) / 2 / SLIPPING of the wheels (`Vehicle._differential`), which turn at omega_k = (V - y_k r)
        (1 + kappa_k) / R_e,k with R_e of their load and kappa = F_x / C_kappa, C_kappa as the load."""
        drive, v = self.vehicle.file.drive, self.vehicle
        if self.which not in v.shares() or drive.get("differential", "open") == "open":
            return
        rig, radius, load = v._rig(self.which), v.radii[self.which], self.load.mean()
        rolling = v._rolling_radius(self.which)
        h = 1e-3 * load
        slope = float(rig.forces(load + h)["R_e"] - rig.forces(load - h)["R_e"]) / (2.0 * h)
        stiffness = float(rig.stiffness(load)[0])
        preload, ratio = (number_of(drive.get(w, 0.0), f"drive.{w}", least=0.0) for w in ("preload", "lock"))
        s = 0.5 * (preload + ratio * abs(self.torque)) / (SLIPPING / v.second) / radius / rolling
        between = s * np.array([[1.0, -1.0], [-1.0, 1.0]])
        A[FX, FX] += self.speed / stiffness * between
        A[FX, FZ] -= self.speed * between * (slope / rolling + self.rest[:, 1] / self.load / stiffness)
        B[FX, YAWING] += between @ self.p.patch[:, 1] / self.speed

    def equations(self, effects: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """A (unknowns, unknowns), B (unknowns, inputs) of A z = B q in a steady bend."""
        p, w = self.p, self.view
        n = len(p.column)
        steer, lean = np.zeros((2, n)), np.zeros((2, n))
        for c in range(n):
            moves = p.moves[:, :, c]
            steer[:, c] = w.steer_rate(moves)
            lean[:, c] = self._lean_rate(moves)
        load = p.loads.copy()
        column = lambda word: [p.column[f"{word} {s}"] for s in SIDES]
        pads, hand = column("pad"), p.column.get("steering wheel")
        on = lambda word: word in effects
        if not on("roll steer"):
            steer[:, pads] = 0.0
        if not on("steering and lateral force"):
            steer[:, column("fy")] = 0.0
        if not on("aligning moment"):
            steer[:, column("mz") + column("Mx") + column("fd")] = 0.0
        tilt = p.spin[:, 1]
        if not on("roll camber"):
            lean[:], tilt = 0.0, np.zeros(2)
        A, B = np.eye(ROWS), np.zeros((ROWS, INPUTS))
        T = self.T.copy()
        if not on("load transfer"):
            T[:, :, 2] = 0.0
        for q in (FY, MX, MZ, FX):
            A[q, FZ] = -np.diag(T[:, _number(q), 2])
            A[q, SLIP] = -np.diag(T[:, _number(q), 0])
            A[q, LEAN] = -np.diag(T[:, _number(q), 1])
        if on("differential"):
            self._locking(A, B)
        A[UP, FZ] = np.diag(1.0 / self.k_z)
        B[UP, ROLL] = -p.patch[:, 1]
        A[SLIP, STEER] = np.eye(2)
        B[SLIP, SIDESLIP] = 1.0
        g, gyro = self.vehicle.file.g, self.gyro
        for target, C, across in ((FZ, load, "load"), (STEER, steer, "steer"), (LEAN, lean, "lean")):
            for words, part in LOADED:
                A[target, part] -= C[:, column(words)]
            A[target, UP] -= C[:, pads]
            A[target, STEER] -= C[:, column("fy")] * self.rest[:, 1] - C[:, column("fd")] * self.rest[:, 0]
            side = C[:, column("fy")] @ self.load
            weight = self.across[across] if C.any() else np.zeros(2)
            B[target, ROLL] += side - weight * g
            B[target, ACROSS] -= weight
            B[target, YAWING] += C[:, column("Mx")].sum(axis=1) * gyro
            if hand is not None:
                B[target, HAND] += C[:, hand]
        if hand is not None and not on("steering and lateral force"):
            B[STEER, HAND] = w.steer_rate(p.moves[:, :, hand])
        B[LEAN, ROLL] += tilt
        return A, B

    def shift(self) -> tuple[np.ndarray, np.ndarray]:
        """(2, unknowns), (2, inputs): how far the patches go to the left, in axes of the body."""
        p, w = self.p, self.view
        on_z, on_q = np.zeros((2, ROWS)), np.zeros((2, INPUTS))
        speed = lambda word: w.patch_speed(p.moves[:, :, p.column[word]])[:, 1]
        for k, side in enumerate(SIDES):
            on_z[:, UP.start + k] = speed(f"pad {side}")
            for word, part in LOADED:
                on_z[:, part.start + k] += speed(f"{word} {side}")
        if "steering wheel" in p.column:
            on_q[:, HAND] = speed("steering wheel")
        return on_z, on_q

    def sums(self) -> tuple[np.ndarray, np.ndarray]:
        """(3, unknowns), (3, inputs): lateral force, moment about z at the axle's middle, moment about x at the
        ground."""
        p, g = self.p, self.vehicle.file.g
        y = p.patch[:, 1]
        weight = self.load - self.wheel_mass * _force(self.vehicle.units) * g
        on_z, on_q = np.zeros((3, ROWS)), np.zeros((3, INPUTS))
        on_z[0, FY], on_z[0, STEER] = 1.0, self.rest[:, 1]
        on_z[1, MZ], on_z[1, FX], on_z[1, STEER] = 1.0, -y, y * self.rest[:, 0]
        on_z[2, FZ], on_z[2, MX], on_z[2, UP] = y, 1.0, -self.rest[:, 0]
        shift_z, shift_q = self.shift()
        on_z[2] += weight @ shift_z
        on_q[2] += weight @ shift_q
        across = weight @ self.across["shift"]
        on_q[2, [ROLL, ACROSS, YAWING]] += (-g * across, -across, 2.0 * self.gyro)
        return on_z, on_q

    def solve(self, effects: Sequence[str]) -> np.ndarray:
        """(3, inputs): what the axle does (`sums`) in a steady bend."""
        (A, B), (on_z, on_q) = self.equations(effects), self.sums()
        return on_z @ np.linalg.solve(A, B) + on_q

    def damping(self) -> np.ndarray:
        """(2, 2) loads of the pads by their speeds: dampers, at rest."""
        p = self.p
        out = np.zeros((2, 2))
        pads = [p.column[f"pad {s}"] for s in SIDES]
        for row in p.dampers[:, pads]:
            if np.isfinite(row).all():
                out += self.rig.axle.damper_rate() * np.outer(row, row)
        return out

    def spinning(self) -> float:
        """Inertia about z that the wheels' spin adds: they turn faster on the outside of the bend."""
        radii = self.vehicle._rolling_radius(self.which) * (self.vehicle._rig(self.which).radius - self.load / self.k_z)
        return float(np.sum(self.spin * self.p.patch[:, 1] ** 2 / radii))

    def turns(self) -> tuple[np.ndarray, np.ndarray]:
        """(2, 2), (2, 2): steer angles of the wheels, and their inclinations to the ground, by roll over wheels that
        stay on it and by the steering wheel."""
        p, w = self.p, self.view
        by_roll = w.by_pads(w.roll)
        by_hand = p.moves[:, :, p.column["steering wheel"]] if "steering wheel" in p.column else np.zeros((2, 6))
        steer = np.column_stack([w.steer_rate(v) for v in (by_roll, by_hand)])
        lean = np.column_stack([self._lean_rate(v) for v in (by_roll, by_hand)])
        lean[:, 0] += p.spin[:, 1]
        return steer, lean

    def _lean_rate(self, v: np.ndarray) -> np.ndarray:
        """(2,) rates of the inclinations of the spin axes from (2, 6) velocities."""
        return np.cross(v[:, 3:], self.p.spin)[:, 2] / np.sqrt(1.0 - self.p.spin[:, 2] ** 2)

    def relaxation(self) -> np.ndarray:
        """(2,) relaxation lengths of the slip angles."""
        v, f = self.vehicle, self.vehicle.tyres[self.which]
        rigs = [TyreRig(f, mirror=bool(f.side and f.side != s.upper()), mu=v.mu, units=v.units) for s in SIDES]
        return np.array([float(rig.relaxation(load)[1]) for rig, load in zip(rigs, self.load)])


def _number(rows: slice) -> int:
    return rows.start // 2
