"""Path synthesis of a four-bar linkage with prescribed timing: function of the study."""

from __future__ import annotations

import math
from collections.abc import Mapping

#: points of the coupler, and angles of the crank at which it is to be there (the second case of Cabrera, Simon and
#: Prado, Mech. Mach. Theory 37, 2002)
POINTS = ((3.0, 3.0), (2.759, 3.363), (2.372, 3.663), (1.890, 3.862), (1.355, 3.943))
ANGLES = tuple(k * math.pi / 12 for k in (2, 3, 4, 5, 6))


def coupler(v: Mapping[str, float]) -> dict[str, float]:
    """Deviations of the coupler point from its path, and the sum of their squares.

    Links ``ground``, ``crank``, ``coupler``, ``rocker``; the crank turns about the origin, the rocker's pivot is on the
    x axis; the point is at ``along`` and ``across`` of the coupler.  ``grashof``: shortest and longest link less the
    others, negative where the crank turns fully."""
    a, b, c, d = v["crank"], v["coupler"], v["rocker"], v["ground"]
    out: dict[str, float] = {}
    total = 0.0
    for k, (angle, (x, y)) in enumerate(zip(ANGLES, POINTS), 1):
        px, py = a * math.cos(angle), a * math.sin(angle)
        dx, dy = d - px, -py
        diagonal = math.hypot(dx, dy)
        cosine = (b * b + diagonal**2 - c * c) / (2 * b * diagonal)
        if not -1.0 <= cosine <= 1.0:
            raise ValueError(f"the linkage does not close at a crank angle of {math.degrees(angle):.0f} degrees")
        turn = math.atan2(dy, dx) + math.acos(cosine)
        cos, sin = math.cos(turn), math.sin(turn)
        out[f"x{k}"] = px + v["along"] * cos - v["across"] * sin - x
        out[f"y{k}"] = py + v["along"] * sin + v["across"] * cos - y
        total += out[f"x{k}"] ** 2 + out[f"y{k}"] ** 2
    links = sorted((a, b, c, d))
    return out | {"error": total, "grashof": links[0] + links[3] - links[1] - links[2], "longer crank": a - links[0]}
