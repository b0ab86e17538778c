"""Twist beam: two trailing arms joined by a beam that is stiff in bending and soft in torsion.

The halves turn on each other about the line across the car through the beam's shear centre, against its torsional
stiffness (``twist.stiffness``, torque per radian between the arms).  In roll the wheels then move as on semi-trailing
arms whose axes run from a pivot to the shear centre in the middle plane (J. Reimpell, H. Stoll, J. Betzler, The
Automotive Chassis, 2001, 1.6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...model import ModelError
from ..template import Template, number_of, register, table_of

if TYPE_CHECKING:
    from ..axle import Axle


def draw(a: Axle) -> None:
    m = a.model
    across = np.array([0.0, 1.0, 0.0])
    centre = a.left.at("shear_centre")
    if abs(centre[1] - a.offset[1]) > 1e-9 * (1.0 + abs(centre[1])):
        raise ModelError(
            f"{a.name}.hardpoints.shear_centre lies at y = {centre[1]:g}; the beam is cut in the middle plane, "
            "give y = 0"
        )
    twist = table_of(a.data.get("twist", {}), f"{a.name}.twist", ("stiffness", "damping"))
    if "stiffness" not in twist:
        raise ModelError(
            f'{a.name}.twist has no stiffness; give the torque per radian of the beam, {{"stiffness": ...}}'
        )
    kt = number_of(twist["stiffness"], f"{a.name}.twist.stiffness", positive=True)
    arms = []
    for s in a.sides:
        arm = s.part("arm", "pivot wheel_centre shear_centre")
        arms.append(arm)
        if a.compliant:
            a.rubber(s.label("pivot"), arm, s.base, "pivot", s.at("pivot"), across * s.side, s.side)
        else:
            m.primitive("INLINE", arm, s.base, s.label("pivot"), at=s.at("pivot"), axis=across)
        s.carries(arm)
        s.spring(arm, s.chassis)
        s.damper(arm, s.chassis)
        s.link_bar(arm)
    hinge = m.revolute(arms[0], arms[1], a.label("beam"), at=centre, axis=across)
    m.torsion_spring(
        hinge.i,
        hinge.j,
        stiffness=kt,
        damping=kt * number_of(twist.get("damping", 0.0), f"{a.name}.twist.damping", least=0.0),
        angle="drawn",
        name=a.label("twist"),
    )
    if not a.compliant:  # the pivots slide along y by what the turned halves grow narrower, the same on both sides
        slides = []
        for s, arm in zip(a.sides, arms):
            i, j = m.marker_at(arm, s.at("pivot")), m.marker_at(s.base, s.at("pivot"))
            slides.append(f"DY({i.id},{j.id},{j.id})")
        m.constraint("+".join(slides), name=a.label("lateral location"))


register(
    Template(
        "twist_beam",
        points={
            "pivot": "the arm on the body",
            "shear_centre": "the beam's shear centre in the middle plane",
            "spring_lower": "the spring on the arm",
            "spring_upper": "the spring on the body",
            "wheel_centre": "the wheel's centre",
        },
        optional={
            "damper_lower": ("spring_lower", "the damper on the arm"),
            "damper_upper": ("spring_upper", "the damper on the body"),
        },
        parts=("arm",),
        bushings=("pivot",),
        words=("twist",),
        axle=draw,
    )
)
