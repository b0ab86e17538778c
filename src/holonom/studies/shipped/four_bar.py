"""Path synthesis of four-bar linkages: functions of the studies, one for each published case.

Points, timing and bounds are those of five cases that papers on path synthesis share, as in the programs of Nguyen-Van,
Lieu, Xuan-Mung and Nguyen, Symmetry 14, 381 (2022): the first three of Cabrera, Simon and Prado, Mech. Mach. Theory 37
(2002), and the two with points of a circle of Acharyya and Mandal, Mech. Mach. Theory 44 (2009).

The links follow from ``ground`` g, ``ratio`` r, ``share`` s and ``margin`` m: crank a = r g, coupler
a + (1 - s) (g - a) + m, rocker a + s (g - a) + m.  With 0 < r <= 1, 0 <= s <= 1 and m >= 0 these are all linkages whose
crank is the shortest link and turns fully (Grashof): for the other links less the crank, u, v and w, Grashof's
condition is that of the sides of a triangle.  So it is met within bounds, and least squares, which have no constraints,
can search.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

Points = Sequence[tuple[float, float]]

DESIGN = ("ground", "ratio", "share", "margin")
LINE = tuple((20.0, 20.0 + 5.0 * k) for k in range(6))
ARC = ((3.0, 3.0), (2.759, 3.363), (2.372, 3.663), (1.890, 3.862), (1.355, 3.943))
LOOP = (
    (0.5, 1.1), (0.4, 1.1), (0.3, 1.1), (0.2, 1.0), (0.1, 0.9), (0.05, 0.75), (0.02, 0.6), (0.0, 0.5), (0.0, 0.4),
    (0.03, 0.3), (0.1, 0.25), (0.15, 0.2), (0.2, 0.3), (0.3, 0.4), (0.4, 0.5), (0.5, 0.7), (0.6, 0.9), (0.6, 1.0),
)  # fmt: skip
HALF_CIRCLE = ((0.0, 0.0), (1.9098, 5.8779), (6.9098, 9.5106), (13.09, 9.5106), (18.09, 5.8779), (20.0, 0.0))
CIRCLE = (
    (20.0, 10.0), (17.66, 15.142), (11.736, 17.878), (5.0, 16.928), (0.60307, 12.736), (0.60307, 7.2638),
    (5.0, 3.0718), (11.736, 2.1215), (17.66, 4.8577), (20.0, 10.0),
)  # fmt: skip


def links(v: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of crank, coupler, rocker and ground, and their derivatives (4, 4) by ground, ratio, share and margin."""
    g, r, s, m = v["ground"], v["ratio"], v["share"], v["margin"]
    a = r * g
    lengths = np.array([a, a + (1 - s) * (g - a) + m, a + s * (g - a) + m, g])
    slopes = [
        [r, g, 0.0, 0.0],
        [r + (1 - s) * (1 - r), s * g, a - g, 1.0],
        [r + s * (1 - r), (1 - s) * g, g - a, 1.0],
        [1.0, 0.0, 0.0, 0.0],
    ]
    return lengths, np.array(slopes)


def _coupler(
    v: Mapping[str, float], points: Points, angles: np.ndarray, by: Mapping[str, np.ndarray]
) -> dict[str, float]:
    """Deviations of the coupler point from ``points`` at ``angles`` of the crank with their exact derivatives, the sum
    of their squares and the links.  ``by``: derivatives of the angles by parameters.

    The pivot of the crank is at ``x``, ``y``, that of the rocker at a distance ``ground`` in the direction ``tilt``
    (0); crank angles are from there.  The point is at ``along`` and ``across`` of the coupler."""
    lengths, slopes = links(v)
    a, b, c, d = lengths
    crank = np.array([np.cos(angles), np.sin(angles)])
    normal = np.array([-crank[1], crank[0]])
    to_rocker = np.array([[d], [0.0]]) - a * crank
    diagonal = np.hypot(*to_rocker)
    cosine = (b * b + diagonal**2 - c * c) / (2 * b * np.maximum(diagonal, 1e-300))
    if not (np.abs(cosine) < 1.0).all():
        k = int(np.argmax(np.abs(cosine)))
        raise ValueError(f"the linkage is at a dead point at a crank angle of {math.degrees(angles[k]):.1f} degrees")
    turn = np.arctan2(to_rocker[1], to_rocker[0]) + np.arccos(cosine)
    e = np.array([np.cos(turn), np.sin(turn)])
    f = np.array([-e[1], e[0]])
    along, across = v["along"], v["across"]
    arm = along * e + across * f
    # closure: the rocker b e - to_rocker has the length c
    rocker = b * e - to_rocker
    rate = -1.0 / (b * (rocker * f).sum(axis=0))
    of_turn = along * f - across * e
    by_link = [
        crank + of_turn * rate * (rocker * crank).sum(axis=0),
        of_turn * rate * (rocker * e).sum(axis=0),
        of_turn * rate * -c,
        of_turn * rate * -rocker[0],
    ]
    by_angle = a * normal + of_turn * rate * a * (rocker * normal).sum(axis=0)
    tilt = v.get("tilt", 0.0)
    frame = np.array([[math.cos(tilt), -math.sin(tilt)], [math.sin(tilt), math.cos(tilt)]])
    u = a * crank + arm
    found = {name: sum(by_link[i] * slopes[i, j] for i in range(4)) for j, name in enumerate(DESIGN)}
    found |= {"along": e, "across": f} | {name: by_angle * s for name, s in by.items()}
    found = {name: frame @ s for name, s in found.items()}
    if "tilt" in v:
        one = np.ones(len(angles))
        found |= {"x": np.array([one, 0 * one]), "y": np.array([0 * one, one])}
        found["tilt"] = np.array([[-frame[1, 0], -frame[0, 0]], [frame[0, 0], -frame[1, 0]]]) @ u
    deviations = frame @ u + [[v.get("x", 0.0)], [v.get("y", 0.0)]] - np.array(points).T
    out = {f"{n}{k}": float(deviations[i, k - 1]) for k in range(1, len(angles) + 1) for i, n in enumerate("xy")}
    for name, s in found.items():
        out |= {f"d {n}{k}/d {name}": float(s[i, k - 1]) for k in range(1, len(angles) + 1) for i, n in enumerate("xy")}
    sizes = {name: float(length) for name, length in zip(("crank", "coupler", "rocker"), lengths)}
    return out | sizes | {"error": float((deviations**2).sum())}


def _in_turn(v: Mapping[str, float], count: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Crank angles ``angle``, ``angle + step2``, ``angle + step2 + step3``, ... at which the points are passed in their
    order, and their derivatives."""
    steps = [f"step{k}" for k in range(2, count + 1)]
    by = {name: (np.arange(count) > k).astype(float) for k, name in enumerate(steps)}
    return v["angle"] + np.cumsum([0.0, *(v[name] for name in steps)]), {"angle": np.ones(count)} | by


def line(v: Mapping[str, float]) -> dict[str, float]:
    """Six points of a line, without timing."""
    return _coupler(v, LINE, *_in_turn(v, 6))


def arc(v: Mapping[str, float]) -> dict[str, float]:
    """Five points at 30 to 90 degrees, the crank in the origin and the rocker on the x axis."""
    return _coupler(v, ARC, np.radians([30.0, 45.0, 60.0, 75.0, 90.0]), {})


def loop(v: Mapping[str, float]) -> dict[str, float]:
    """Eighteen points of a closed path, one every 20 degrees."""
    return _coupler(v, LOOP, v["angle"] + np.radians(20.0 * np.arange(18)), {"angle": np.ones(18)})


def half_circle(v: Mapping[str, float]) -> dict[str, float]:
    """Six points of a half circle, at 30 to 180 degrees."""
    return _coupler(v, HALF_CIRCLE, np.radians(30.0 * np.arange(1, 7)), {})


def circle(v: Mapping[str, float]) -> dict[str, float]:
    """Nine points of a circle, without timing; the tenth is the first again, after a turn of the crank."""
    angles, by = _in_turn(v, 9)
    by = {name: np.append(s, 1.0 if name == "angle" else 0.0) for name, s in by.items()}
    return _coupler(v, CIRCLE, np.append(angles, angles[0] + 2 * math.pi), by)
