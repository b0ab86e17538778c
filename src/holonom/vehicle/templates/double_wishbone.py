"""Double wishbone, front (with a steering) or rear: two arms, an upright, a tie rod or toe link, spring and damper on
the lower arm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..template import Template, register

if TYPE_CHECKING:
    from ..axle import Side


def draw(s: Side) -> None:
    lower = s.part("lower_arm", "lower_front lower_rear lower_outer")
    upper = s.part("upper_arm", "upper_front upper_rear upper_outer")
    knuckle = s.part("knuckle", "lower_outer upper_outer wheel_centre tie_rod_outer")
    s.hinge(lower, s.base, "lower_front", "lower_rear")
    s.hinge(upper, s.base, "upper_front", "upper_rear")
    s.ball(knuckle, lower, "lower_outer")
    s.ball(knuckle, upper, "upper_outer")
    s.tie_rod(knuckle)
    s.carries(knuckle)
    s.spring(lower, s.chassis)
    s.damper(lower, s.chassis)
    s.link_bar(lower)


register(
    Template(
        "double_wishbone",
        points={
            "lower_front": "the front eye of the lower arm on the body",
            "lower_rear": "the rear eye of the lower arm on the body",
            "lower_outer": "the ball joint of lower arm and knuckle",
            "upper_front": "the front eye of the upper arm on the body",
            "upper_rear": "the rear eye of the upper arm on the body",
            "upper_outer": "the ball joint of upper arm and knuckle",
            "tie_rod_inner": "the tie rod on rack or body",
            "tie_rod_outer": "the tie rod on the knuckle",
            "spring_lower": "the spring on the lower arm",
            "spring_upper": "the spring on the body",
            "wheel_centre": "the wheel's centre",
        },
        optional={
            "damper_lower": ("spring_lower", "the damper on the lower arm"),
            "damper_upper": ("spring_upper", "the damper on the body"),
        },
        parts=("lower_arm", "upper_arm", "knuckle", "tie_rod"),
        bushings=(
            "lower_front",
            "lower_rear",
            "upper_front",
            "upper_rear",
            "lower_outer",
            "upper_outer",
            "tie_rod_inner",
            "tie_rod_outer",
        ),
        side=draw,
    )
)
