"""A crane boom that a hydraulic cylinder lifts, by its triangle: functions of the study of its sizes and tolerances."""

from __future__ import annotations

import math
from collections.abc import Mapping


def boom(v: Mapping[str, float]) -> dict[str, float]:
    """Angle of the boom (deg), force (kN), piston area (mm^2) and pressure (MPa) of the cylinder; lengths in m, load in
    kN, bore in mm.

    The boom turns about its foot; the cylinder is between a point of the base, ``base`` before the foot, and one of the
    boom, ``arm`` along it.  The law of cosines gives the angle between both at the cylinder's ``length``, the lever of
    the cylinder is base * arm * sin(angle) / length, and the load hangs at ``reach`` along the boom."""
    base, arm, length = v["base"], v["arm"], v["length"]
    cosine = (base**2 + arm**2 - length**2) / (2 * base * arm)
    if not -1.0 < cosine < 1.0:
        raise ValueError(f"a cylinder of {length:.4g} m does not close the triangle of {base:.4g} m and {arm:.4g} m")
    angle = math.acos(cosine)
    elevation = angle - math.radians(v["incline"])
    lever = base * arm * math.sin(angle) / length
    force = v["load"] * v["reach"] * math.cos(elevation) / lever
    area = 0.25 * math.pi * v["bore"] ** 2
    return {"angle": math.degrees(elevation), "force": force, "area": area, "pressure": 1e3 * force / area}
