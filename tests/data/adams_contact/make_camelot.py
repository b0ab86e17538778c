"""Writes camelot.toml: stand-ins for the lobes and axles of ``camelot_1_pull0_offset0.adm``, whose Parasolid file was
never published.

    python make_camelot.py

A lobe is a plate across y: a logarithmic spiral of 14 degrees outside, a slot for the other axle inside, whose ends
stop it.  From the
dataset: axles 0.2623 inch on both sides of the middle, rocks at 0.7874 inch, planes of the lobes.  Ours: the angle of
the spiral, how far the slots reach, thicknesses.  Lengths in inch, angles from the axle towards the rock, positive
against the pull.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

BETA = math.radians(14.0)  # angle of the spirals
AXLE, ROCK = 0.26225, 0.7874015748
THICK, AXLES = 0.25, 0.1  # of a lobe; radius of an axle
FAR, NEAR = 0.68, 0.38  # walls of the slot: outside and inside of the other axle, from the own one
LIMITS = (-25.0, 35.0)  # degrees by which a lobe may turn back and out
REACH = AXLE + ROCK


def spiral(angle: float) -> float:
    """Radius at an angle; the tangent stands on the rock at -BETA."""
    return REACH / math.cos(BETA) * math.exp(-(angle + BETA) * math.tan(BETA))


def lobe(side: int) -> tuple[np.ndarray, np.ndarray]:
    """Points in the x, z plane about the own axle and bulges; side 1: towards +x."""
    slot = math.asin(AXLES / (2 * AXLE))  # the axle fills this much of the slot on both sides
    low, high = (math.radians(v) + s * slot for v, s in zip(LIMITS, (-1, 1)))
    arm = lambda r, a: (r * math.cos(a), r * math.sin(a))
    points, bulge = [], []
    angles = np.radians(np.arange(-80.0, 50.1, 5.0))
    for a in angles:
        points.append(arm(spiral(a), a))
        bulge.append(math.tan(0.25 * math.radians(5.0)))
    bulge[-1] = 0.0
    first, last = angles[0], angles[-1]
    for r, a, b in (
        (NEAR, last, -math.tan(0.25 * (last - high))),
        (NEAR, high, 0.0),
        (FAR, high, -math.tan(0.25 * (high - low))),
        (FAR, low, 0.0),
        (NEAR, low, -math.tan(0.25 * (low - first))),
        (NEAR, first, 0.0),
    ):
        points.append(arm(r, a))
        bulge.append(b)
    points, bulge = np.array(points), np.array(bulge)
    if side < 0:
        points, bulge = (points * (-1.0, 1.0))[::-1], np.roll(bulge[::-1], -1)
    return points, bulge


def main() -> None:
    lines = [
        "# Stand-ins for the Parasolid bodies of camelot_1_pull0_offset0.adm, written by make_camelot.py (which says "
        "what is known)."
    ]
    text = lambda rows: (
        "["
        + ", ".join(str([round(float(v), 9) for v in r]) if np.ndim(r) else repr(round(float(r), 9)) for r in rows)
        + "]"
    )
    for name, side, y in (("SOLID9", 1, 0.961), ("SOLID8", 1, -0.5715), ("SOLID6", -1, 0.512), ("SOLID7", -1, -0.1225)):
        points, bulge = lobe(side)
        lines.append(
            f'{name} = {{ type = "CURVE", width = {THICK}, at = [{-side * AXLE}, {y}, 0], euler = [0, 90, 0], '
            f"profile = {text(points)}, bulge = {text(bulge)} }}"
        )
    for name, x in (("SOLID2", -AXLE), ("SOLID3", AXLE)):
        lines.append(
            f'{name} = {{ type = "CYLINDER", radius = {AXLES}, length = 1.9, at = [{x}, 1.14, 0], euler = [0, 90, 0] }}'
        )
    lines.append("# faces of the rocks, about the corners of their boxes")
    for names, sign in (
        (("rock_pxpy", "rock_pxmy", "rock_pxmy_0p25"), 1),
        (("rock_mxpy", "rock_mxmy", "rock_mxmy_0p25"), -1),
    ):
        for name in names:
            lines.append(f'{name} = {{ type = "PLANE", at = {AT[sign]}, euler = {EULER[sign]} }}')
    Path(__file__).with_name("camelot.toml").write_text("\n".join(lines) + "\n")


# corner marker: axes by 3-1-3 angles 270, 90, 90: its z is ground's -x or x; the box goes by 1.1811 along z
AT = {1: "[0, 0, 1.181102362]", -1: "[0, 0, 0]"}
EULER = {1: "[0, 0, 0]", -1: "[0, 180, 0]"}

if __name__ == "__main__":
    main()
