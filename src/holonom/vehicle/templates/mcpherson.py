"""McPherson strut: a lower arm, a tie rod, and a damper that guides the knuckle (E. S. MacPherson, US patent 2660449,
1953)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..template import Template, register

if TYPE_CHECKING:
    from ..axle import Side


def draw(s: Side) -> None:
    arm = s.part("lower_arm", "lower_front lower_rear lower_outer")
    knuckle = s.part("knuckle", "lower_outer wheel_centre strut_lower tie_rod_outer")
    rod = s.part("damper_rod", "strut_top strut_lower")
    s.hinge(arm, s.base, "lower_front", "lower_rear")
    s.ball(knuckle, arm, "lower_outer")
    s.slider(knuckle, rod, "strut_lower", "strut_top")
    s.mount(rod, s.chassis, "strut_top", s.at("strut_top") - s.at("strut_lower"))
    s.tie_rod(knuckle)
    s.carries(knuckle)
    s.spring(knuckle, rod)
    s.damper(knuckle, rod)
    s.link_bar(knuckle)


register(
    Template(
        "mcpherson",
        points={
            "lower_front": "the front eye of the lower arm on the body",
            "lower_rear": "the rear eye of the lower arm on the body",
            "lower_outer": "the ball joint of lower arm and knuckle",
            "strut_lower": "a point on the strut's axis, at its lower end",
            "strut_top": "the top mount on the body",
            "tie_rod_inner": "the tie rod on rack or body",
            "tie_rod_outer": "the tie rod on the knuckle",
            "wheel_centre": "the wheel's centre",
        },
        optional={
            "spring_lower": ("strut_lower", "the spring's lower seat"),
            "spring_upper": ("strut_top", "the spring's upper seat, on the damper's rod"),
            "damper_lower": ("strut_lower", "where the damper's length is measured from"),
            "damper_upper": ("strut_top", "and to"),
        },
        parts=("lower_arm", "knuckle", "damper_rod", "tie_rod"),
        bushings=("lower_front", "lower_rear", "lower_outer", "strut_top", "tie_rod_inner", "tie_rod_outer"),
        side=draw,
    )
)
