"""Trailing arm (axis of the hinge across the car) and semi-trailing arm (oblique): one arm that carries the wheel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..template import Template, register

if TYPE_CHECKING:
    from ..axle import Side


def draw(s: Side) -> None:
    arm = s.part("arm", "arm_inner arm_outer wheel_centre")
    s.hinge(arm, s.base, "arm_outer", "arm_inner")
    s.carries(arm)
    s.spring(arm, s.chassis)
    s.damper(arm, s.chassis)
    s.link_bar(arm)


for name in ("trailing_arm", "semi_trailing_arm"):
    register(
        Template(
            name,
            points={
                "arm_inner": "the inner eye of the arm on the body",
                "arm_outer": "the outer eye of the arm on the body",
                "spring_lower": "the spring on the arm",
                "spring_upper": "the spring on the body",
                "wheel_centre": "the wheel's centre",
            },
            optional={
                "damper_lower": ("spring_lower", "the damper on the arm"),
                "damper_upper": ("spring_upper", "the damper on the body"),
            },
            parts=("arm",),
            bushings=("arm_inner", "arm_outer"),
            side=draw,
        )
    )
