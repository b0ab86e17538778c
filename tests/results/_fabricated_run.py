"""A run made of formulas: a body that spins about its own z axis while z turns about ground's z, and travels on a
curve."""

from __future__ import annotations

import numpy as np

from holonom.model import Model
from holonom.results import HISTORY_DTYPE, Run, RunData, Segment

PRECESSION, TILT, SPIN = 1.3, 0.7, 4.1
PRECESSING = np.array([0.0, 0.0, PRECESSION])


def model() -> Model:
    """Millimetres; the ROTOR's centre of mass is off its body origin; a joint to ground, a spring, requests,
    variables."""
    m = Model("rotor", units="mm")
    rotor = m.part("ROTOR", 2.0, (1.0, 1.0, 2.0), (10.0, 0.0, 0.0))
    m.markers[rotor.cm].qp = (3.0, -2.0, 1.0)
    m.point_mass("BEAD", 0.5, (0.0, 5.0, 0.0))
    tip = m.marker(rotor, (7.0, 1.0, -4.0), euler=(0.3, 0.5, -0.2), name="TIP")
    foot = m.marker(m.ground, (1.0, 2.0, 3.0), euler=(0.1, 1.1, 0.4), name="FOOT")
    m.revolute(tip, foot, "HINGE")
    m.motion("HINGE", "2*time", "DRIVE")
    m.spring_damper(tip, foot, stiffness=2.0, length=1.0, name="SPRING")
    m.vforce(tip, m.ground, fx="1", name="PUSH")
    m.request("REACH", kind="DISPLACEMENT", i=tip, j=foot)
    m.request("CUSTOM", functions={"F2": "1", "F3": "2"}, comment="own components")
    m.table("REQUEST")[2].cnames = ("", "speed", "load")
    m.table("REQUEST")[2].cunits = ("", "mm/s", "N")
    m.variable("time", "RAMP")
    return m


def attitude(t: np.ndarray):
    """Quaternions (nt, 4), angular velocity and acceleration (nt, 3) in ground: rotations z, x, z by 3-1-3 angles."""
    psi, phi = PRECESSION * t, SPIN * t
    half, total, rest = TILT / 2, (psi + phi) / 2, (psi - phi) / 2
    q = np.stack(
        [
            np.cos(half) * np.cos(total),
            np.sin(half) * np.cos(rest),
            np.sin(half) * np.sin(rest),
            np.cos(half) * np.sin(total),
        ],
        1,
    )
    axis = np.stack([np.sin(TILT) * np.sin(psi), -np.sin(TILT) * np.cos(psi), np.full_like(psi, np.cos(TILT))], 1)
    w = PRECESSING + SPIN * axis
    return q, w, SPIN * np.cross(PRECESSING, axis)


def travel(t: np.ndarray):
    """Position, velocity, acceleration (nt, 3) of the rotor's centre of mass."""
    r = np.stack([20 * np.cos(2 * t), 5 * t * t, np.sin(3 * t)], 1)
    v = np.stack([-40 * np.sin(2 * t), 10 * t, 3 * np.cos(3 * t)], 1)
    a = np.stack([-80 * np.cos(2 * t), np.full_like(t, 10.0), -9 * np.sin(3 * t)], 1)
    return r, v, a


def run(n: int = 201, end: float = 2.0, start: float = 0.0, m: Model | None = None) -> Run:
    m = m or model()
    t = np.linspace(start, end, n)
    r, v, a = travel(t)
    q, w, alpha = attitude(t)
    zero = np.zeros_like(r)
    still = np.tile([1.0, 0, 0, 0], (n, 1))
    force = np.stack([np.sin(t), np.cos(t), 2 + 0 * t], 1)
    torque = np.stack([t, 0 * t, np.exp(-t)], 1)
    history = np.zeros(6, HISTORY_DTYPE)
    history["time"] = np.linspace(start, end, 6)
    history["step"] = (end - start) / 5
    history["order"], history["iterations"] = [1, 2, 3, 3, 2, 3], 2
    history["cause"][4] = "error test"
    bead = np.stack([0 * t, 5 + t, 0 * t], 1)
    data = RunData(
        time=t,
        bodies=[m.parts[2], m.table("POINT_MASS")[1]],
        body_position=np.stack([r, bead], 1),
        body_quaternion=np.stack([q, still], 1),
        body_velocity=np.stack([v, zero + [0, 1, 0]], 1),
        body_acceleration=np.stack([a, zero], 1),
        body_angular_velocity=np.stack([w, zero], 1),
        body_angular_acceleration=np.stack([alpha, zero], 1),
        constraints=[m.joints[1], m.table("MOTION")[1]],
        constraint_i=[m.joints[1].i] * 2,
        constraint_j=[m.joints[1].j] * 2,
        constraint_force=np.stack([force, zero], 1),
        constraint_torque=np.stack([torque, 2 * torque], 1),
        forces=[m.table("SPRINGDAMPER")[1], m.table("VFORCE")[1]],
        force_i=[m.joints[1].i] * 2,
        force_j=[m.joints[1].j, m.table("VFORCE")[1].jfloat],
        force_force=np.stack([2 * force, zero + [1, 0, 0]], 1),
        force_torque=np.zeros((n, 2, 3)),
        requests=list(m.table("REQUEST").values()),
        request_values=np.arange(n * 16, dtype=float).reshape(n, 2, 8),
        variables=list(m.table("VARIABLE").values()),
        variable_values=t[:, None],
        states=["DIFF_1", "LSE_1[0]", "LSE_1[1]"],
        state_values=np.stack([t, 2 * t, 3 * t], 1),
        energy_kinetic=3 + np.cos(t),
        energy_gravity=-np.cos(t),
        energy_elastic=0.5 * t,
        energy_dissipated=0.25 * t,
        energy_input=0.75 * t,
        history=history,
        counters={"evaluations": 42, "error test": 1},
        segments=[Segment("dynamics", 0, n, {"integrator": "DOP853", "error": 1e-6})],
        extra={"contact_gap": np.stack([t, -t], 1)},
    )
    return Run(m, data, {"version": "0.1.0", "wall_time": 0.25, "complete": True})
