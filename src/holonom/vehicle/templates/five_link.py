"""Five links: the knuckle on five rods, the spring on the lower rear one, the damper on the knuckle (Mercedes-Benz
W201, 1982)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..template import Template, register

if TYPE_CHECKING:
    from ..axle import Side

LINKS = ("upper_front", "upper_rear", "lower_front", "lower_rear", "toe")


def draw(s: Side) -> None:
    knuckle = s.part("knuckle", "wheel_centre " + " ".join(f"{link}_outer" for link in LINKS))
    rods = {link: s.link(f"{link}_link", f"{link}_inner", f"{link}_outer", s.base, knuckle) for link in LINKS}
    s.carries(knuckle)
    s.spring(rods["lower_rear"], s.chassis)
    s.damper(knuckle, s.chassis)
    s.link_bar(knuckle)


register(
    Template(
        "five_link",
        points={
            **{
                f"{link}_{end}": f"the {link.replace('_', ' ')} link on the {where}"
                for link in LINKS
                for end, where in (("inner", "body"), ("outer", "knuckle"))
            },
            "spring_lower": "the spring on the lower rear link",
            "spring_upper": "the spring on the body",
            "damper_lower": "the damper on the knuckle",
            "damper_upper": "the damper on the body",
            "wheel_centre": "the wheel's centre",
        },
        parts=("knuckle", *(f"{link}_link" for link in LINKS)),
        bushings=tuple(f"{link}_{end}" for link in LINKS for end in ("inner", "outer")),
        side=draw,
    )
)
