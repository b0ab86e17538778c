"""Inverted-tooth (silent) chains and their sprockets, ANSI B29.2: links with two toes whose outer flanks, 60 degrees
apart, wedge between straight-sided teeth.

With the pitch P, z teeth and R = P / (2 sin(pi/z)) the walls of a gap open by beta = 30 deg - 180 deg / z to both sides
of its axis and pass the place of the pin, at R on this axis, at 3/8 P.  (The standard states the same by a gauge pin of
5/8 P, over which sprockets measure 2 R - P/8 csc beta + 5/8 P.)  Teeth end at P/2 (cot(180 deg / z) + 0.08).  A link
that stands on a sprocket touches the front wall of the gap at its front pin and the rear wall of that at its rear pin.
"""

from __future__ import annotations

import math

import numpy as np

from ..model.base import ModelError

FLANK, HALF = (
    0.375,
    math.radians(30.0),
)  # distance of a flank from the pin, pitches; its angle to the middle of the link
NOSE, BELOW = (
    0.1,
    0.08,
)  # radius of the rounding by which a toe bears, and how far below the foot of the pin's distance, pitches
FEWEST = 12  # teeth; with fewer the teeth would be narrower at their feet


def walls(teeth: int, pitch: float) -> list[tuple[np.ndarray, float]]:
    """Both walls of each gap of a sprocket, the first gap on the x axis: (points (2, 2), bulge 0), material on the
    left.

    Raises `ModelError` for fewer than twelve teeth."""
    if teeth < FEWEST:
        raise ModelError(f"sprockets of silent chains have {FEWEST} teeth or more, this one {teeth}")
    radius, open_by = 0.5 * pitch / math.sin(math.pi / teeth), HALF - math.pi / teeth
    tip = 0.5 * pitch * (1.0 / math.tan(math.pi / teeth) + 0.08)
    foot = np.array([radius - FLANK * pitch * math.sin(open_by), FLANK * pitch * math.cos(open_by)])
    along = np.array([math.cos(open_by), math.sin(open_by)])
    reach = -foot @ along + math.sqrt((foot @ along) ** 2 + tip**2 - foot @ foot)
    root = foot - (BELOW + 0.3) * pitch * along
    out = []
    for k in range(teeth):
        g = 2.0 * math.pi * k / teeth
        turn = np.array([[math.cos(g), -math.sin(g)], [math.sin(g), math.cos(g)]])
        for side in (-1.0, 1.0):
            ends = np.array([root, foot + reach * along]) * [1.0, side]
            out.append(((ends if side > 0.0 else ends[::-1]) @ turn.T, 0.0))
    return out


def outline(teeth: int, pitch: float) -> tuple[np.ndarray, np.ndarray]:
    """The walls of `walls` as one closed profile: points (4 teeth, 2) and bulges."""
    points = np.vstack([ends for ends, _ in walls(teeth, pitch)])
    return points, np.zeros(len(points))


def toes(pitch: float) -> np.ndarray:
    """Centres (2, 2) of the noses of the toes at the rear and the front pin, from these, along the link and away from
    the sprocket."""
    normal, up = np.array([math.cos(HALF), -math.sin(HALF)]), np.array([math.sin(HALF), math.cos(HALF)])
    front = pitch * ((FLANK - NOSE) * normal - BELOW * up)
    return np.array([front * [-1.0, 1.0], front])


def plate(pitch: float) -> np.ndarray:
    """Outline (10, 2) of a link from the middle between its pins, along it and away from the sprocket,
    anticlockwise."""
    normal, up = np.array([math.cos(HALF), -math.sin(HALF)]), np.array([math.sin(HALF), math.cos(HALF)])
    at = lambda t: np.array([0.5, 0.0]) + FLANK * normal + t * up
    right = np.array([[0.08, 0.1], [0.3, -0.45], at(-0.32), at(0.12), [0.62, 0.45]])
    right[1, 1] = right[2, 1]
    return pitch * np.vstack([right, right[::-1] * [-1.0, 1.0]])
