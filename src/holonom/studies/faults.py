"""Fault candidates of `diagnose` whose effect has a law of its own: a cracked rod, a defect in a rolling bearing.

Others are parameters where the builder takes numbers: friction, stiffness and damping, masses, clearances, gain and
offset of a `Curve`.
"""

from __future__ import annotations

import math

from ..model import ModelError
from ..model.base import shown
from ..model.kinds import is_number
from ..model.quantities import Quantity

DEEPEST = 0.6  # relative depth up to which the stress intensity factor holds
#: F of K = sigma sqrt(pi a) F(a/h) of an edge crack in bending (Tada, Paris and Irwin, The Stress Analysis of Cracks
#: Handbook), by powers of a/h
BENDING = (1.122, -1.40, 7.33, -13.08, 14.0)
DEFECTS = ("outer", "inner", "ball")


def cracked(
    stiffness: float | Quantity, depth: float | Quantity, *, height: float, length: float, poisson: float = 0.3
) -> float | Quantity:
    """Stiffness in bending of a rod with an open crack across one side.

    ``stiffness``: of the sound rod, of a uniform moment over its ``length`` (E I / length); ``depth``: of the crack
    over the ``height`` of the section (0 to 0.6), a number or a parameter, as ``model.parameter("crack", 0.0,
    bounds=(0.0, 0.6))``, whose healthy value is 0.  By the energy that the crack releases, its rotation adds to that of
    the rod: k / (1 + 6 pi (1 - poisson^2) (height/length) integral of s F(s)^2 from 0 to depth), with the factor F of
    an edge crack in bending (`BENDING`).  The two forms of F in that handbook, a polynomial and one of tangents, differ
    by up to 2.3 %, so that the added rotation is known to about 4 %.  Breathing cracks, which close under pressure, are
    not covered.  Raises ModelError for sizes that are not positive and depths outside of 0 to 0.6.

        model.torsion_spring(i, j, stiffness=hn.studies.cracked(500.0, crack, height=0.01, length=0.2))
    """
    for name, value in (("height", height), ("length", length)):
        if not is_number(value) or not value > 0.0:
            raise ModelError(f"crack: {name} must be a positive number, got {shown(value)}")
    if not is_number(poisson) or not 0.0 <= poisson <= 0.5:
        raise ModelError(f"crack: poisson must be a number from 0 to 0.5, got {shown(poisson)}")
    scale = 6.0 * math.pi * (1.0 - poisson**2) * height / length

    def share(s: float) -> float:
        if not 0.0 <= s <= DEEPEST:
            raise ModelError(f"crack: depth must be from 0 to {DEEPEST} of the height, got {shown(s)}")
        powers = range(len(BENDING))
        whole = sum(BENDING[i] * BENDING[j] * s ** (i + j + 2) / (i + j + 2) for i in powers for j in powers)
        return 1.0 / (1.0 + scale * whole)

    if isinstance(depth, Quantity):
        return depth.apply(share) * stiffness
    if not is_number(depth):
        raise ModelError(f"crack: depth must be a number or a parameter of a model, got {shown(depth)}")
    return stiffness * share(float(depth))


def defect_order(place: str, balls: int, ratio: float, angle: float = 0.0) -> float:
    """How often a defect of a rolling bearing is passed in a turn of the shaft, the outer ring at rest.

    ``place``: "outer", "inner" ring or "ball"; ``balls``: their number Z; ``ratio``: ball over pitch diameter, d/D;
    ``angle``: of contact, radians.  With c = (d/D) cos(angle) these are Z (1 - c)/2, Z (1 + c)/2 and, of a ball that
    touches both rings in a turn of its own, (1 - c^2) D/d (Harris, Rolling Bearing Analysis).  Raises ModelError for
    other places and for values that no bearing has."""
    if place not in DEFECTS:
        raise ModelError(f"bearing defect: place must be one of {', '.join(DEFECTS)}, got {shown(place)}")
    if not is_number(balls) or not balls >= 1:
        raise ModelError(f"bearing defect: balls must be a number from 1, got {shown(balls)}")
    if not is_number(ratio) or not 0.0 < ratio < 1.0:
        raise ModelError(f"bearing defect: ratio must be a number between 0 and 1, got {shown(ratio)}")
    if not is_number(angle) or not 0.0 <= angle < 0.5 * math.pi:
        raise ModelError(f"bearing defect: angle must be from 0 to below pi/2 (radians), got {shown(angle)}")
    c = ratio * math.cos(angle)
    return {"outer": 0.5 * balls * (1.0 - c), "inner": 0.5 * balls * (1.0 + c), "ball": (1.0 - c * c) / ratio}[place]


def defect_force(size: float | Quantity, turn: str, order: float, sharpness: float = 40.0) -> str:
    """Force of a defect in a rolling bearing as the function of an element: size exp(sharpness (cos(order turn) - 1)),
    a pulse each time that the defect is passed.

    ``size``: the height of the pulses, a parameter whose healthy value is 0; ``turn``: text of the shaft's angle,
    ``"AZ(3,4)"`` or ``"157.08*TIME"``; ``order``: see `defect_order`; ``sharpness``: a pulse is 2/sqrt(sharpness) of
    the period over 2 pi wide.  Raises ModelError for values that are not positive.

        order = hn.studies.defect_order("outer", balls=9, ratio=0.2034)
        model.sforce(i, j, hn.studies.defect_force(size, "157.08*TIME", order))
    """
    for name, value in (("order", order), ("sharpness", sharpness)):
        if not is_number(value) or not value > 0.0:
            raise ModelError(f"bearing defect: {name} must be a positive number, got {shown(value)}")
    return f"({size})*EXP({sharpness!r}*(COS({order!r}*({turn}))-1))"
