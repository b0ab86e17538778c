"""Solid axle on two leaf springs, each three links (SAE Spring Design Manual, HS-788, 1980): front and rear link of
three quarters of the half leaf, hinged on the axle's seat against torsion springs, and a shackle.

``leaf.rate``: vertical rate of a spring (force / length).  The halves share it as cantilevers of one section, k_f : k_r
= b^3 : a^3 with their lengths a in front and b behind; the torsion springs are k_i (3/4 l_i)^2.  Friction between
leaves is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...model import ModelError
from ..template import Template, number_of, register, table_of

if TYPE_CHECKING:
    from ..axle import Axle

SHARE = 0.25  # of a half leaf, from the seat to the hinge


def draw(a: Axle) -> None:
    m = a.model
    leaf = table_of(a.data.get("leaf", {}), f"{a.name}.leaf", ("rate", "damping"))
    if "rate" not in leaf:
        raise ModelError(f'{a.name}.leaf has no rate; give the vertical rate of a spring, {{"rate": ...}}')
    rate = number_of(leaf["rate"], f"{a.name}.leaf.rate", positive=True)
    tau = number_of(leaf.get("damping", 0.0), f"{a.name}.leaf.damping", least=0.0)
    ends = np.array([s.at(p) for s in a.sides for p in ("wheel_centre", "leaf_seat")])
    axle = a.draw_part(a.label("axle"), a.part_data("axle"), ends, 0.0, f"{a.name}.parts.axle")
    seat = a.seat_variable()
    across = np.array([0.0, 1.0, 0.0])
    slides = []
    for s in a.sides:
        middle, front, rear = s.at("leaf_seat"), s.at("leaf_front_eye"), s.at("leaf_rear_eye")
        half = [abs(front[0] - middle[0]), abs(rear[0] - middle[0])]
        if not (front[0] > middle[0] > rear[0]):
            raise ModelError(
                f"{a.name}.hardpoints: leaf_front_eye must lie in front of leaf_seat, and leaf_rear_eye behind it"
            )
        total = half[0] ** 3 + half[1] ** 3
        k = [rate * half[1] ** 3 / total, rate * half[0] ** 3 / total]
        for word, eye, length, stiffness, sign in (
            ("front", front, half[0], k[0], 1.0),
            ("rear", rear, half[1], k[1], -1.0),
        ):
            pin = middle + SHARE * (eye - middle)
            link = a.draw_part(
                s.label(f"leaf {word}"),
                a.part_data(f"leaf_{word}"),
                np.array([pin, eye]),
                s.side,
                f"{a.name}.parts.leaf_{word}",
            )
            kt = float(stiffness * ((1.0 - SHARE) * length) ** 2)
            i, j = m.marker_at(link, pin, z=across), m.marker_at(axle, pin, z=across)
            if word == "front" and not a.compliant:
                m.cylindrical(i, j, s.label("leaf front"))  # slides along y by what the roll of the axle narrows
                slides.append(f"DZ({i.id},{j.id},{j.id})")
                m.spherical(link, s.base, s.label("front eye"), at=eye)
            else:
                m.revolute(i, j, s.label(f"leaf {word}"))
                if word == "front":
                    a.rubber(s.label("front eye"), link, s.base, "leaf_front_eye", eye, across * s.side, s.side)
            m.sforce(
                i,
                j,
                f"-{kt!r}*(AZ({i.id},{j.id})+{sign!r}*VARVAL({seat.id}))-{kt * tau!r}*WZ({i.id},{j.id},{j.id})",
                s.label(f"leaf {word}"),
                kind="ROTATIONAL",
            )
            if word == "rear":
                s.parts["leaf_rear"] = link
                s.link("shackle", "shackle_upper", "leaf_rear_eye", s.base, link)
        s.carries(axle)
        s.damper(axle, s.chassis)
        s.link_bar(axle)
    if slides:
        m.constraint("+".join(slides), name=a.label("lateral location"))


register(
    Template(
        "leaf_axle",
        points={
            "leaf_front_eye": "the front eye of the leaf spring on the body",
            "leaf_seat": "the spring's seat on the axle",
            "leaf_rear_eye": "the rear eye, in the shackle",
            "shackle_upper": "the shackle on the body",
            "damper_lower": "the damper on the axle",
            "damper_upper": "the damper on the body",
            "wheel_centre": "the wheel's centre",
        },
        parts=("axle", "leaf_front", "leaf_rear", "shackle"),
        bushings=("leaf_front_eye", "shackle_upper", "leaf_rear_eye"),
        words=("leaf",),
        axle=draw,
    )
)
