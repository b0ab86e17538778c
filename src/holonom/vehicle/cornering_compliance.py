"""What a car needs of steering in a bend, from tyres and K&C rig: the linear car with the axles' effective data, and
the share of each property of the suspension.

Each axle on its rig, with its tyres, in the bend of a small lateral acceleration a = V r: wheels k (left, right) with
y_k, sum over both of them j,

    steer_k = sum S_kj x_j,   inclination_k = s_y phi + sum I_kj x_j,   dF_z,k = sum D_kj x_j,   u_k = -y_k phi - dF_z,k
        / k_z,
    alpha_k = beta_a - steer_k,   (dF_y, dM_x, dM_z, dM_y)_k = T_k (alpha_k, inclination_k, dF_z,k),   dF_x,k = d[(M_y +
        M_z gamma) / R_l]

x_j: heights u of the pads, steering wheel, loads of the rig (F_y + phi F_z0, M_z, M_x, F_x of the tyres; -m_w (a + g
phi) and the gyroscopic moment I omega r of the wheels); phi: roll of the body; S, I, D: derivatives of `rig.Position`;
T: of the tyre at its load, toe and camber.  The whole car,

    sum F_a = m a,    sum (x_a F_a + N_a) = 0,    sum R_a + m h (a + g phi) = 0,

gives sideslip, roll and yaw rate by the steering wheel.  A linear axle that has the same force and moment at the same
angle is that of the single-track model: cornering compliance alpha / a (R. T. Bundorf, R. L. Leffert, SAE 760713,
1976), to which roll steer, roll camber, lateral force and aligning steer add.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._summary import Summary
from .axle_in_bend import EFFECTS, AxleInBend
from .full_vehicle import WHICH, Vehicle, _force
from .rolling_car import RollingCar, rolling_car
from .single_track import SingleTrack
from .template import number_of
from .tyre_rig import TyreRig


def single_track(vehicle: Vehicle, speed: float = 20.0) -> SingleTrack:
    """The linear single-track model of a vehicle: masses, and the slopes of the side forces and aligning moments of its
    tyres at their loads (without the suspension)."""
    number_of(speed, "speed", positive=True)
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
                rig.forces(vehicle.loads[f"{which} {side}"], alpha=x, speed=speed * vehicle.metre / vehicle.second)
                for x in (e, -e)
            )
            C += float(one["F_y"] - two["F_y"]) / (2 * e) * u.si_force
            S += 0.5 * float(rig.relaxation(vehicle.loads[f"{which} {side}"])[1]) * u.si_length
            N += float(one["M_z"] - two["M_z"]) / (2 * e) * u.si_force * u.si_length
        slopes.append(abs(C))
        trails.append(abs(N / C))
        lags.append(S)
        arms.append(abs(float(vehicle.file._centre(which)[0]) - float(mass.centre[0])) * u.si_length)
    return SingleTrack(
        mass.mass * u.si_mass, I, arms[0], arms[1], slopes[0], slopes[1], trails[0], trails[1], lags[0], lags[1]
    )


def steering_ratio(vehicle: Vehicle) -> float:
    """Angle of the steering wheel per mean steer angle of the wheels, straight ahead (kinematic)."""
    if not hasattr(vehicle, "_ratio"):
        vehicle._ratio = float(vehicle.file.kc("front").design["steering_ratio"])  # type: ignore[attr-defined]
    return vehicle._ratio  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Cornering(Summary):
    """``track``: the linear car with the axles' effective data; ``tyres``: that of the tyres alone; ``ratio``: of the
    steering; ``roll_gradient`` [rad s^2/m];
    ``shares``: effect -> what it adds to the cornering compliance [rad s^2/m] of (front, rear), "tyres" first; their
    sums' difference is the understeer gradient;
    ``rolling``: the linear car with the roll of its body at that speed."""

    name: str
    track: SingleTrack
    tyres: SingleTrack
    ratio: float
    roll_gradient: float
    rolling: RollingCar
    shares: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def understeer_gradient(self) -> float:
        """Front less rear [rad s^2/m]."""
        front, rear = np.sum(list(self.shares.values()), axis=0)
        return float(front - rear)

    def text(self) -> str:
        """A table of the shares, degrees per g."""
        scale = math.degrees(9.80665)
        rows = [
            f"{self.name}: cornering compliances (deg/g)",
            f"  {'':28s}{'front':>9s}{'rear':>9s}{'understeer':>12s}",
        ]
        for word, (f, r) in self.shares.items():
            rows.append(f"  {word:28s}{scale * f:9.4f}{scale * r:9.4f}{scale * (f - r):12.4f}")
        f, r = np.sum(list(self.shares.values()), axis=0)
        rows.append(f"  {'whole car':28s}{scale * f:9.4f}{scale * r:9.4f}{scale * (f - r):12.4f}")
        V = self.track.characteristic_speed
        rows.append(f"  characteristic speed {3.6 * V:.1f} km/h" if V == V else "  oversteers: no characteristic speed")
        rows.append(f"  roll gradient {scale * self.roll_gradient:.4f} deg/g")
        return "\n".join(rows)

    __str__ = text


def cornering(vehicle: Vehicle, speed: float = 20.0) -> Cornering:
    """The linear single-track model of a vehicle including its suspension, for small lateral accelerations at a
    ``speed`` [m/s] (see the module's text): the single-track model with the axles' effective cornering stiffnesses and
    trails, and the table of cornering compliances. Springs, bars, bushings and steering as on the K&C rig, tyres at
    their loads, toe and camber, for the vehicle's mode. Raises `ModelError` for an invalid speed."""
    number_of(speed, "speed", positive=True)
    u = vehicle.units
    rolling = sum(2.0 * float(vehicle._rig(w).forces(vehicle.file.mass.loads[w == "rear"])["M_y"]) for w in WHICH)
    moved = -0.5 * rolling / vehicle.file.wheelbase  # load that rolling resistance moves from front to rear, a wheel
    axles = {which: AxleInBend(vehicle, which, speed, moved) for which in WHICH}
    drag = sum(a.rest[:, 1].sum() for a in axles.values()) - vehicle.air_drag(speed)
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
        bare.inertia + sum(a.spinning() for a in axles.values()) * u.si_force * u.si_length * u.si_time**2,
        bare.front,
        bare.rear,
        *stiffness,
        *trail,
        bare.front_relaxation * softer[0],
        bare.rear_relaxation * softer[1],
    )
    return Cornering(vehicle.file.name, track, bare, ratio, roll, rolling_car(vehicle, axles, speed), shares)


def _steady(vehicle: Vehicle, axles: dict[str, AxleInBend], speed: float, effects: Sequence[str]) -> Any:
    """((compliance of front, of rear) [rad s^2/m], stiffnesses [N/rad], trails [m], roll gradient [rad s^2/m]) in the
    steady bend."""
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
        into = np.array(
            [[1.0, x[w] / V, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, V, 0.0], [0.0, V, 0.0]]
        )  # inputs of the axle by the unknowns
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
        q = np.array([beta + x[w] * r / V, 1.0, phi, a, a])
        angle = (1.0 / ratio if w == "front" else 0.0) - q[0]
        force, moment = float(F @ q), float(N @ q)
        out.append(angle / a * u.si_time**2 / u.si_length)
        stiffness.append(force / angle * u.si_force)
        trail.append(-moment / force * u.si_length)
    return tuple(out), tuple(stiffness), tuple(trail), phi / a * u.si_time**2 / u.si_length
