"""Runs made without a solver: motions known in closed form, for pages and pictures."""

from __future__ import annotations

import numpy as np

from holonom.model import Model
from holonom.model.orientation import to_quaternion
from holonom.results import HISTORY_DTYPE, Run, RunData


def turn_z(angle):
    """Quaternions (n, 4) of turns about z."""
    angle = np.atleast_1d(angle)
    return np.column_stack([np.cos(angle / 2), 0 * angle, 0 * angle, np.sin(angle / 2)])


def slider_crank(times: int = 200, graphics: bool = True, name: str = "slider crank") -> Run:
    """Crank 100 mm at 2 pi rad/s, rod 300 mm, slider on x; gravity along -y; energies and history made up smoothly."""
    m = Model(name, units="mm")
    m.gravity = (0.0, -9806.65, 0.0)
    crank = m.part("crank", mass=1.0, inertia=(10.0, 900.0, 900.0), position=(50, 0, 0))
    rod = m.part("rod", mass=2.0, inertia=(20.0, 1.5e4, 1.5e4), position=(250, 0, 0))
    slider = m.part("slider", mass=3.0, inertia=(3e3, 3e3, 3e3), position=(400, 0, 0))
    o = m.marker(m.ground, (0, 0, 0), name="pivot")
    o1, a1 = m.marker(crank, (-50, 0, 0)), m.marker(crank, (50, 0, 0))
    a2, b2 = m.marker(rod, (-150, 0, 0)), m.marker(rod, (150, 0, 0))
    b3 = m.marker(slider, (0, 0, 0), name="pin")
    rail = m.marker(m.ground, (400, 0, 0), z=(1, 0, 0), name="rail")
    side = m.marker(slider, (0, 0, 0), z=(1, 0, 0))
    wall = m.marker(m.ground, (620, 0, 0), name="wall")
    joints = [
        m.joint("REVOLUTE", o1, o),
        m.joint("REVOLUTE", a2, a1),
        m.joint("REVOLUTE", b3, b2),
        m.joint("TRANSLATIONAL", side, rail),
    ]
    spring = m.spring_damper(b3, wall, stiffness=5.0, damping=0.1, length=150.0, name="return spring")
    if graphics:
        z = lambda body, at: m.marker(body, at)
        m.graphic("CYLINDER", cm=z(crank, (-50, 0, -10)), length=20, radius=18)
        m.graphic("CYLINDER", cm=z(crank, (50, 0, -10)), length=20, radius=14)
        m.graphic("BOX", corner=z(crank, (-50, -9, -6)), x=100, y=18, z=12)
        m.graphic("FRUSTUM", cm=m.marker(rod, (-150, 0, 0), z=(1, 0, 0)), length=300, bottom=12, top=7)
        m.graphic("BOX", corner=z(slider, (-40, -30, -30)), x=80, y=60, z=60)
        m.graphic("CIRCLE", cm=o.id, radius=100)
        m.graphic("SPDP", i=b3.id, j=wall.id, coils=9, da=36, db=14, dc=10, lc=80, ld=80)
        m.graphic("BOX", corner=z(m.ground, (250, -44, -45)), x=300, y=12, z=90)
    t = np.linspace(0, 2.0, times)
    q = 2 * np.pi * t
    a = np.column_stack([100 * np.cos(q), 100 * np.sin(q), 0 * q])
    beta = -np.arcsin(a[:, 1] / 300)
    b = np.column_stack([a[:, 0] + 300 * np.cos(beta), 0 * q, 0 * q])
    position = np.stack([a / 2, (a + b) / 2, b], axis=1)
    quaternion = np.stack([turn_z(q), turn_z(beta), turn_z(0 * q)], axis=1)
    velocity = np.gradient(position, t, axis=0)
    spin = np.zeros_like(position)
    spin[:, 0, 2], spin[:, 1, 2] = 2 * np.pi, np.gradient(beta, t)
    reaction = np.zeros((times, 4, 3))
    reaction[:, :, 0] = (600 * np.cos(q))[:, None]
    reaction[:, :, 1] = (300 * np.sin(q))[:, None]
    force = np.zeros((times, 1, 3))
    force[:, 0, 0] = 5.0 * ((620 - b[:, 0]) - 150) * -1
    kinetic = 0.5e-3 * (np.array([1.0, 2.0, 3.0]) * np.sum(velocity**2, axis=2)).sum(axis=1)
    elastic = 0.5 * 5.0 * (620 - b[:, 0] - 150) ** 2
    gravity = 1e-3 * 9806.65 * (position[:, :, 1] * [1.0, 2.0, 3.0]).sum(axis=1)
    dissipated = 3.0 * t
    total = kinetic + elastic + gravity + dissipated
    history = np.zeros(400, HISTORY_DTYPE)
    history["time"], history["step"], history["order"] = np.linspace(0, 2, 400), 5e-3, 3
    history["iterations"] = 2 + np.arange(400) % 2
    history["cpu"] = np.linspace(0, 0.8, 400)
    history["cause"][::40] = "error"
    history["cause"][7] = "newton"
    data = RunData(
        t,
        bodies=[crank, rod, slider],
        body_position=position,
        body_quaternion=quaternion,
        body_velocity=velocity,
        body_angular_velocity=spin,
        constraints=joints,
        constraint_force=reaction,
        constraint_torque=0 * reaction,
        constraint_i=[j.i for j in joints],
        constraint_j=[j.j for j in joints],
        forces=[spring],
        force_force=force,
        force_torque=0 * force,
        force_i=[spring.i],
        force_j=[spring.j],
        energy_kinetic=kinetic,
        energy_gravity=gravity,
        energy_elastic=elastic,
        energy_dissipated=dissipated,
        energy_input=total - total[0],
        history=history,
        counters={"residuals": 1200, "jacobians": 410},
    )
    info = {
        "version": "0.1.0",
        "integrator": "GSTIFF",
        "wall_time": 0.91,
        "dof": 0,
        "redundant": ["JOINT/4 rotation about x"],
        "warnings": ["the rail's marker is not needed"],
    }
    return Run(m, data, info)


def tumbling_box(times: int = 60, name: str = "box") -> Run:
    """One part without graphics, falling and turning about an oblique axis; no gravity element, no joints."""
    m = Model(name)
    part = m.part(name, mass=1.0, inertia=(0.01, 0.02, 0.03))
    m.marker(part, (0.1, 0, 0))
    t = np.linspace(0, 1, times)
    axis = np.array([1.0, 2.0, 2.0]) / 3
    quaternion = np.column_stack([np.cos(2 * t), np.sin(2 * t)[:, None] * axis])[:, None, :]
    position = np.column_stack([0.3 * t, 0 * t, 0.5 * t - 4.9 * t**2])[:, None, :]
    assert np.allclose(quaternion[0, 0], to_quaternion(np.eye(3)))
    return Run(m, RunData(t, bodies=[part], body_position=position, body_quaternion=quaternion))
