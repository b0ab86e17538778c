"""Independent suspensions of an arm and links: `multi_link`, an upper arm, a lateral and a trailing link and a tie rod
or toe link on a knuckle, spring and damper on the trailing link; `three_link`, a trailing arm that carries the wheel on
a ball joint and two lateral links (MultiLink and ThreeLinkIRS of Chrono::Vehicle)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..template import Template, register

if TYPE_CHECKING:
    from ..axle import Side

SPRING = {"spring_upper": "the spring on the body", "wheel_centre": "the wheel's centre"}
DAMPER = {"damper_upper": ("spring_upper", "the damper on the body")}


def draw_multi_link(s: Side) -> None:
    upper = s.part("upper_arm", "upper_front upper_rear upper_outer")
    knuckle = s.part("knuckle", "upper_outer lateral_outer trailing_outer tie_rod_outer wheel_centre")
    s.hinge(upper, s.base, "upper_front", "upper_rear")
    s.ball(knuckle, upper, "upper_outer")
    s.link("lateral_link", "lateral_inner", "lateral_outer", s.base, knuckle)
    trailing = s.link("trailing_link", "trailing_inner", "trailing_outer", s.base, knuckle)
    s.tie_rod(knuckle)
    s.carries(knuckle)
    s.spring(trailing, s.chassis)
    s.damper(trailing, s.chassis)
    s.link_bar(knuckle)


def draw_three_link(s: Side) -> None:
    arm = s.part("arm", "arm_front upper_outer lower_outer wheel_centre")
    s.ball(arm, s.base, "arm_front")
    s.link("upper_link", "upper_inner", "upper_outer", s.base, arm)
    s.link("lower_link", "lower_inner", "lower_outer", s.base, arm)
    s.carries(arm)
    s.spring(arm, s.chassis)
    s.damper(arm, s.chassis)
    s.link_bar(arm)


register(
    Template(
        "multi_link",
        points={
            "upper_front": "the front eye of the upper arm on the body",
            "upper_rear": "the rear eye of the upper arm on the body",
            "upper_outer": "the ball joint of upper arm and knuckle",
            "lateral_inner": "the lateral link on the body",
            "lateral_outer": "the lateral link on the knuckle",
            "trailing_inner": "the trailing link on the body",
            "trailing_outer": "the trailing link on the knuckle",
            "tie_rod_inner": "the tie rod on rack or body",
            "tie_rod_outer": "the tie rod on the knuckle",
            "spring_lower": "the spring on the trailing link",
            **SPRING,
        },
        optional={"damper_lower": ("spring_lower", "the damper on the trailing link"), **DAMPER},
        parts=("upper_arm", "knuckle", "lateral_link", "trailing_link", "tie_rod"),
        bushings=(
            "upper_front",
            "upper_rear",
            "upper_outer",
            "lateral_inner",
            "lateral_outer",
            "trailing_inner",
            "trailing_outer",
            "tie_rod_inner",
            "tie_rod_outer",
        ),
        side=draw_multi_link,
    )
)
register(
    Template(
        "three_link",
        points={
            "arm_front": "the front end of the trailing arm on the body",
            "upper_inner": "the upper link on the body",
            "upper_outer": "the upper link on the arm",
            "lower_inner": "the lower link on the body",
            "lower_outer": "the lower link on the arm",
            "spring_lower": "the spring on the arm",
            **SPRING,
        },
        optional={"damper_lower": ("spring_lower", "the damper on the arm"), **DAMPER},
        parts=("arm", "upper_link", "lower_link"),
        bushings=("arm_front", "upper_inner", "upper_outer", "lower_inner", "lower_outer"),
        side=draw_three_link,
    )
)
