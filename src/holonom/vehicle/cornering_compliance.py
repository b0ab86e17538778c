"""What a car needs of steering in a bend, from tyres and K&C rig: the linear car with the axles' effective data, and the share of each property of the suspension.

Each axle on its rig, with its tyres, in the bend of a small lateral acceleration a = V r: wheels k (left, right) with y_k, sum over both of them j,

    steer_k = sum S_kj x_j,   inclination_k = s_y phi + sum I_kj x_j,   dF_z,k = sum D_kj x_j,   u_k = -y_k phi - dF_z,k / k_z,
    alpha_k = beta_a - steer_k,   (dF_y, dM_x, dM_z, dM_y)_k = T_k (alpha_k, inclination_k, dF_z,k),   dF_x,k = d[(M_y + M_z gamma) / R_l]

x_j: heights u of the pads, steering wheel, loads of the rig (F_y + phi F_z0, M_z, M_x, F_x of the tyres; -m_w (a + g phi) and the gyroscopic moment I omega r of the
wheels); phi: roll of the body; S, I, D: derivatives of `rig.Position`; T: of the tyre at its load, toe and camber.  The whole car,

    sum F_a = m a,    sum (x_a F_a + N_a) = 0,    sum R_a + m h (a + g phi) = 0,

gives sideslip, roll and yaw rate by the steering wheel.  A linear axle that has the same force and moment at the same angle is that of the single-track model: cornering
compliance alpha / a (R. T. Bundorf, R. L. Leffert, SAE 760713, 1976), to which roll steer, roll camber, lateral force and aligning steer add.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .characteristics import SIGMA, Car, View
from .full_vehicle import SIDES, SLIPPING, WHICH, Vehicle, _force
from .rig import Position, Rig
from .single_track import SingleTrack
from .template import number_of, numbers_of
from .tyre_rig import TyreRig

TRIM = 5  # turns of position and forces straight ahead
#: what adds to bare tyres under an upright body, in the order of the table
EFFECTS = {
    "roll steer": "steer of the wheels with roll",
    "roll camber": "inclination of the wheels with roll, and by loads",
    "steering and lateral force": "steer by lateral forces of the tyres, without their trail, and weights of the wheels",
    "aligning moment": "steer by moments of the tyres about the vertical",
    "load transfer": "loads of the wheels: on toe and camber, rolling resistance",
    "differential": "its preload while the wheels' speeds differ little",
}


def single_track(vehicle: Vehicle, speed: float = 20.0) -> SingleTrack:
    """The linear car of a vehicle: masses, and the slopes of its tyres' side forces and aligning moments at their loads (without what the suspension adds)."""
    u = vehicle.units
    mass = vehicle.file.mass
    I = float(mass.inertia[2, 2]) * u.si_mass * u.si_length**2
    slopes, trails, arms, lags = [], [], [], []
    for which in ("front", "rear"):
        C = N = S = 0.0
        for side in ("left", "right"):
            f = vehicle.tyres[which]
            rig = TyreRig(f, mirror=bool(f.side and f.side != side.upper()), mu=vehicle.mu)
            e = 1e-5
            one, two = (
                rig.forces(vehicle.loads[f"{which} {side}"], alpha=x, speed=speed * vehicle.metre / vehicle.second) for x in (e, -e)
            )
            C += float(one["F_y"] - two["F_y"]) / (2 * e) * u.si_force
            S += 0.5 * float(rig.relaxation(vehicle.loads[f"{which} {side}"])[1]) * u.si_length
            N += float(one["M_z"] - two["M_z"]) / (2 * e) * u.si_force * u.si_length
        slopes.append(abs(C))
        trails.append(abs(N / C))
        lags.append(S)
        arms.append(abs(float(vehicle.file._centre(which)[0]) - float(mass.centre[0])) * u.si_length)
    return SingleTrack(mass.mass * u.si_mass, I, arms[0], arms[1], slopes[0], slopes[1], trails[0], trails[1], lags[0], lags[1])


def steering_ratio(vehicle: Vehicle) -> float:
    """Angle of the steering wheel per mean steer angle of the wheels, straight ahead (kinematic)."""
    if not hasattr(vehicle, "_ratio"):
        vehicle._ratio = float(vehicle.file.kc("front").design["steering_ratio"])  # type: ignore[attr-defined]
    return vehicle._ratio  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Cornering:
    """``track``: the linear car with the axles' effective data; ``tyres``: that of the tyres alone; ``ratio``: of the steering; ``roll_gradient`` [rad s^2/m];
    ``shares``: effect -> what it adds to the cornering compliance [rad s^2/m] of (front, rear), "tyres" first; their sums' difference is the understeer gradient."""

    name: str
    track: SingleTrack
    tyres: SingleTrack
    ratio: float
    roll_gradient: float
    shares: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def understeer_gradient(self) -> float:
        """Front less rear [rad s^2/m]."""
        front, rear = np.sum(list(self.shares.values()), axis=0)
        return float(front - rear)

    def text(self) -> str:
        """A table of the shares, degrees per g."""
        scale = math.degrees(9.80665)
        rows = [f"{self.name}: cornering compliances (deg/g)", f"  {'':28s}{'front':>9s}{'rear':>9s}{'understeer':>12s}"]
        for word, (f, r) in self.shares.items():
            rows.append(f"  {word:28s}{scale * f:9.4f}{scale * r:9.4f}{scale * (f - r):12.4f}")
        f, r = np.sum(list(self.shares.values()), axis=0)
        rows.append(f"  {'whole car':28s}{scale * f:9.4f}{scale * r:9.4f}{scale * (f - r):12.4f}")
        V = self.track.characteristic_speed
        rows.append(f"  characteristic speed {3.6 * V:.1f} km/h" if V == V else "  oversteers: no characteristic speed")
        rows.append(f"  roll gradient {scale * self.roll_gradient:.4f} deg/g")
        return "\n".join(rows)

    __str__ = text


class _Axle:
    """One axle on its rig with its tyres; ``solve`` gives what it does per unit of (sideslip at the axle, steering wheel, roll, lateral acceleration).  Model units."""

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
        self.wheel_mass = mass

    def _roll_out(self, height: float) -> None:
        """The position straight ahead: forces and moments of toe and camber bend and lift the axle, which carries its load."""
        self.rest = np.zeros((2, 3))
        heights = np.full(2, height)
        for _ in range(TRIM):
            self.p: Position = self.rig.solve(tuple(heights), loads=self._at_rest())
            self.view = View(self.p, self.p, Car())
            heights = heights + (self.load.sum() - self.p.load.sum()) / self.view.K.sum()
            self._tyres()

    def _at_rest(self) -> dict[str, float]:
        """Loads of the tyres straight ahead, words of the rig."""
        return {f"{word} {side}": float(self.rest[k, c]) for k, side in enumerate(SIDES) for c, word in enumerate(("fy", "fd", "mz"))}

    def _across(self, tilted: Position, g: float) -> dict[str, np.ndarray]:
        """What an acceleration to the left of the axle's parts does: load, steer, inclination, shift of the patches, (2,) each, per unit."""
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
        """T (2, 4, 3): F_y, M_x, M_z, F_x by slip angle, inclination, load; ``rest`` (2, 3): F_y, F_x, M_z straight ahead; ``k_z``: vertical stiffness."""
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
        """F_y, M_x, M_z and F_x of a wheel that rolls without torque, at slip angle, inclination, load; and the deflection."""
        f = tyre.forces(x[2], alpha=x[0], gamma=x[1], speed=self.speed)
        drag = (f["M_y"] * math.cos(x[1]) + f["M_z"] * math.sin(x[1])) / f["R_l"]
        return np.array([f["F_y"], f["M_x"], f["M_z"], drag], float), float(f["deflection"])

    def drive(self, force: float) -> None:
        """Drive each wheel with a force beside its rolling resistance: F_x = (T + M_y) / R_l, T held."""
        self.rest[:, 1] += force
        self.T[:, 3, 2] += force / ((self.vehicle._rig(self.which).radius - self.load / self.k_z) * self.k_z)

    def _locking(self) -> np.ndarray:
        """(2,) longitudinal forces per lateral acceleration that a limited-slip differential moves to the slower wheel, Omega_R - Omega_L = r t / R less what the
        wheels slip (`Vehicle._differential`)."""
        drive, v = self.vehicle.file.drive, self.vehicle
        if self.which not in v.shares() or drive.get("differential", "open") == "open":
            return np.zeros(2)
        radius, rolling = v.radii[self.which], v._rolling_radius(self.which)
        slope = 0.5 * number_of(drive.get("preload", 0.0), "drive.preload", least=0.0) / (SLIPPING / v.second) / radius
        track = self.p.patch[0, 1] - self.p.patch[1, 1]
        stiffness = float(v._rig(self.which).stiffness(self.load.mean())[0])  # the wheels slip meanwhile
        return SIGMA * slope / (1.0 + 2.0 * slope * self.speed / rolling / stiffness) * track / (rolling * self.speed)

    def solve(self, effects: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """F, N, R (4,): lateral force, moment about z at the axle's middle, moment about x at the ground, by the four inputs."""
        p, w = self.p, self.view
        n = len(p.column)
        steer, lean = np.zeros((2, n)), np.zeros((2, n))
        for c in range(n):
            moves = p.moves[:, :, c]
            steer[:, c] = w.steer_rate(moves)
            lean[:, c] = np.cross(moves[:, 3:], p.spin)[:, 2] / np.sqrt(1.0 - p.spin[:, 2] ** 2)
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
        # unknowns: F_y, M_x, M_z, F_x, F_z, u, steer, inclination of both wheels
        A, B = np.eye(16), np.zeros((16, 4))
        row = lambda k: slice(2 * k, 2 * k + 2)
        T = self.T.copy()
        if not on("load transfer"):
            T[:, :, 2] = 0.0
        for q in range(4):
            A[row(q), row(4)] = -np.diag(T[:, q, 2])
            A[row(q), row(6)] = np.diag(T[:, q, 0])
            A[row(q), row(7)] = -np.diag(T[:, q, 1])
            B[row(q), 0] = T[:, q, 0]
        if on("differential"):
            B[row(3), 3] += self._locking()
        A[row(5), row(4)] = np.diag(1.0 / self.k_z)
        B[row(5), 2] = -p.patch[:, 1]
        g, gyro = self.vehicle.file.g, self.spin / self.vehicle.radii[self.which]  # I omega r = I a / R
        for target, C, across in ((4, load, "load"), (6, steer, "steer"), (7, lean, "lean")):
            for words, part in (("fy", 0), ("mz", 2), ("Mx", 1), ("fd", 3)):
                A[row(target), row(part)] -= C[:, column(words)]
            A[row(target), row(5)] -= C[:, pads]
            A[row(target), row(6)] -= C[:, column("fy")] * self.rest[:, 1] - C[:, column("fd")] * self.rest[:, 0]
            side = C[:, column("fy")] @ self.load
            weight = self.across[across] if C.any() else np.zeros(2)
            B[row(target), 2] += side - weight * g
            B[row(target), 3] += C[:, column("Mx")].sum(axis=1) * gyro - weight
            if hand is not None:
                B[row(target), 1] += C[:, hand]
        if hand is not None and not on("steering and lateral force"):
            B[row(6), 1] = w.steer_rate(p.moves[:, :, hand])
        B[row(7), 2] += tilt
        z = np.linalg.solve(A, B)
        return self._sums(z, pads, column, g, gyro)

    def _by_hand(self) -> np.ndarray:
        """(2, 4) shift of the patches to the left by the inputs themselves: the steering wheel."""
        out = np.zeros((2, 4))
        if "steering wheel" in self.p.column:
            out[:, 1] = self.view.patch_speed(self.p.moves[:, :, self.p.column["steering wheel"]])[:, 1]
        return out

    def _sums(self, z: np.ndarray, pads: list[int], column: Any, g: float, gyro: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        p, w = self.p, self.view
        y = p.patch[:, 1]
        part = lambda k: z[2 * k : 2 * k + 2]
        F = part(0).sum(axis=0) + self.rest[:, 1] @ part(6)
        N = part(2).sum(axis=0) - y @ (part(3) - self.rest[:, :1] * part(6))
        weight = self.load - self.wheel_mass * _force(self.vehicle.units) * g
        shift = sum(w.patch_speed(p.moves[:, :, c])[:, 1:2] * z[10 + k] for k, c in enumerate(pads))
        for word, k in (("fy", 0), ("mz", 2), ("Mx", 1), ("fd", 3)):
            shift = shift + sum(w.patch_speed(p.moves[:, :, c])[:, 1:2] * part(k)[s] for s, c in enumerate(column(word)))
        shift = shift + self._by_hand()
        R = y @ part(4) + part(1).sum(axis=0) + weight @ shift - self.rest[:, 0] @ part(5)
        R = R + np.array([0.0, 0.0, -g * (weight @ self.across["shift"]), 2.0 * gyro - weight @ self.across["shift"]])
        return F, N, R


def cornering(vehicle: Vehicle, speed: float = 20.0) -> Cornering:
    """The linear car of a vehicle with what its suspension adds, of small lateral accelerations at a ``speed`` [m/s] (see the module's text): the single-track
    model with the axles' effective cornering stiffnesses and trails, and the table of cornering compliances.  Springs, bars, bushings and steering as on the
    K&C rig, tyres at their loads, toe and camber, for the vehicle's mode."""
    rolling = sum(2.0 * float(vehicle._rig(w).forces(vehicle.file.mass.loads[w == "rear"])["M_y"]) for w in WHICH)
    moved = -0.5 * rolling / vehicle.file.wheelbase  # load that rolling resistance moves from front to rear, a wheel
    axles = {which: _Axle(vehicle, which, speed, moved) for which in WHICH}
    drag = sum(a.rest[:, 1].sum() for a in axles.values())
    for which, share in vehicle.shares().items():
        axles[which].drive(-0.5 * share * drag)  # the speed is held
    ratio = steering_ratio(vehicle)
    bare = single_track(vehicle, speed)
    names: list[str] = []
    found = _steady(vehicle, axles, speed, names)
    shares = {"tyres": found[0]}
    for word in EFFECTS:
        names.append(word)
        last, found = found, _steady(vehicle, axles, speed, names)
        shares[word] = (found[0][0] - last[0][0], found[0][1] - last[0][1])
    _, stiffness, trail, roll = found
    softer = [c / b for c, b in zip(stiffness, (bare.front_stiffness, bare.rear_stiffness))]
    track = SingleTrack(
        bare.mass,
        bare.inertia,
        bare.front,
        bare.rear,
        *stiffness,
        *trail,
        bare.front_relaxation * softer[0],
        bare.rear_relaxation * softer[1],
    )
    return Cornering(vehicle.file.name, track, bare, ratio, roll, shares)


def _steady(vehicle: Vehicle, axles: dict[str, _Axle], speed: float, effects: Sequence[str]) -> Any:
    """((compliance of front, of rear) [rad s^2/m], stiffnesses [N/rad], trails [m], roll gradient [rad s^2/m]) in the steady bend."""
    u, file = vehicle.units, vehicle.file
    V = speed * vehicle.metre / vehicle.second
    mass, h = file.mass.mass * _force(u), float(file.mass.centre[2])
    ground = np.mean([a.p.patch[:, 2].mean() for a in axles.values()])
    h -= float(ground)
    x = {w: float(a.p.patch[:, 0].mean()) - float(file.mass.centre[0]) for w, a in axles.items()}
    # unknowns: sideslip at the centre, yaw rate, roll; by the steering wheel
    M, b = np.zeros((3, 3)), np.zeros(3)
    terms = {w: a.solve(effects) for w, a in axles.items()}
    for w, (F, N, R) in terms.items():
        into = np.array([[1.0, x[w] / V, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, V, 0.0]])  # inputs of the axle by the unknowns
        for row, line in enumerate((F, x[w] * F + N, R)):
            M[row] += line @ into
            b[row] -= line[1]
    M[0, 1] -= mass * V
    M[2] += mass * h * np.array([0.0, V, file.g])
    beta, r, phi = np.linalg.solve(M, b)
    a = V * r
    out, stiffness, trail = [], [], []
    ratio = steering_ratio(vehicle)
    for w, (F, N, _) in terms.items():
        q = np.array([beta + x[w] * r / V, 1.0, phi, a])
        angle = (1.0 / ratio if w == "front" else 0.0) - q[0]
        force, moment = float(F @ q), float(N @ q)
        out.append(angle / a * u.si_time**2 / u.si_length)
        stiffness.append(force / angle * u.si_force)
        trail.append(-moment / force * u.si_length)
    return tuple(out), tuple(stiffness), tuple(trail), phi / a * u.si_time**2 / u.si_length
