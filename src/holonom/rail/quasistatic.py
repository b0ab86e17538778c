"""What a steady curve does to a vehicle on two bogies, in closed form: lateral force per wheelset and load moved from
the inner to the outer wheels.

In the plane of the rails each mass m is pushed outwards by m a, a = v^2 / R cos(alpha) - g sin(alpha), with sin(alpha)
= cant / spread: g d / spread for the cant deficiency d.  The sum of the guiding forces is m a.  The outer wheels gain
(m a h + m g y) / spread, where y is what a mass leans outwards on its springs: body and bogies move sideways and roll
(four unknowns, linear), wheelsets stay in the middle of the track.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.values import number
from .vehicle import COACH, _checked


@dataclass(frozen=True)
class QuasiStatic(Summary):
    """SI.  ``deficiency``: of cant (negative: excess); ``acceleration``: a, outwards in the plane of the rails;
    ``axle``: what a wheelset presses on its rails;
    ``guiding``: sum of Y of a wheelset, mean over all, outwards on the track; ``transfer``: what the outer wheel of a
    wheelset gains, mean over all, ``rigid``: the same without springs; ``body``: lateral shift of the body's centre,
    ``roll`` of the body, outwards."""

    deficiency: float
    acceleration: float
    axle: float
    guiding: float
    transfer: float
    rigid: float
    body: float
    roll: float


def quasi_static(
    radius: float,
    speed: float,
    cant: float = 0.0,
    *,
    data: dict[str, Any] | None = None,
    spread: float = 1.5,
    gravity: float = 9.81,
) -> QuasiStatic:
    """Steady curving of a vehicle of `rail_vehicle` in a curve of ``radius`` (m) at ``speed`` (m/s) with ``cant`` (m)
    over ``spread`` (m, between the points of contact).

    ``data``: changes of `COACH`.  Raises `ModelError` for invalid dimensions, and for springs on which the body falls
    over.

        found = hn.rail.quasi_static(600.0, 30.0, 0.1)
        found.guiding, found.transfer
    """
    for word, value in (("radius", radius), ("spread", spread), ("gravity", gravity)):
        if not number(value, word) > 0.0:
            raise ModelError(f"{word} is {value:g}; give a positive number")
    if not abs(number(cant, "cant")) < 0.5 * spread:
        raise ModelError(f"cant is {cant:g}; give less than half of the spread, {spread:g}")
    d = _checked(data, COACH, "a vehicle")
    alpha = math.asin(cant / spread)
    out = number(speed, "speed") ** 2 / radius
    a, g = out * math.cos(alpha) - gravity * math.sin(alpha), out * math.sin(alpha) + gravity * math.cos(alpha)
    body, frame, wheel, over = d["body"], d["frame"], d["wheelset"], d["secondary"]
    m2, m1, m0 = body["mass"], 2.0 * frame["mass"], 4.0 * (wheel["mass"] + wheel["box_mass"])
    h2, h1, h0, hs = body["height"], frame["height"], wheel["radius"], over["height"]
    turning = lambda k, kt, arm: k["k"][2] * arm * arm + kt
    ky1, kr1 = (
        8.0 * d["primary"]["k"][1],
        8.0 * turning(d["primary"], d["primary"].get("kt", (0.0,))[0], 0.5 * wheel["box_spread"]),
    )
    ky2 = 4.0 * over["k"][1] + 2.0 * d["traction"]["k"][1]
    kr2 = 4.0 * turning(over, over.get("kt", (0.0,))[0], 0.5 * over["spread"]) + 2.0 * d["roll_bar"]
    m = m1 + m2
    # y and roll of the bogies, y and roll of the body; preloads turn with the bogies and act at what they carry
    K = np.array(
        [
            [ky1, ky1 * (h0 - h1) - m * g, 0.0, 0.0],
            [-m1 * g, kr1 + kr2, -m2 * g, m2 * g * (h2 - hs) - kr2],
            [-ky2, -ky2 * (hs - h1) - m2 * g, ky2, -ky2 * (h2 - hs)],
            [0.0, -kr2, 0.0, kr2 - m2 * g * (h2 - hs)],
        ]
    )
    f = a * np.array([m, m * (h1 - h0) + m2 * (hs - h1), m2, m2 * (h2 - hs)])
    if not K[3, 3] > 0.0 or not np.linalg.det(K) > 0.0:
        raise ModelError("the body falls over on its springs: give stiffer ones, or a roll_bar")
    y1, _, y2, roll = np.linalg.solve(K, f)
    rigid = a * (m2 * h2 + m1 * h1 + m0 * h0) / spread
    whole = m + m0
    return QuasiStatic(
        spread * a / gravity,
        a,
        0.25 * whole * g,
        0.25 * whole * a,
        0.25 * (rigid + g * (m2 * y2 + m1 * y1) / spread),
        0.25 * rigid,
        float(y2),
        float(roll),
    )
