"""Rope drawn over a fixed drum: friction holds a load, after Euler and Eytelwein."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..flexible import Section, cable, rod
from ..model import Model
from ..model.base import ModelError, shown

MODELS = ("rod", "cable")
NODES = {"rod": 16, "cable": 24}
END = 0.12  # s a turn


def tension_ratio(friction: float, angle: float, radius: float = 1.0, thick: float = 0.0) -> float:
    """Ratio of the pull on a rope over a drum to the load at its other end: exp(mu beta R / (R + r)), without unit
    (Euler 1762, Eytelwein 1808).

    ``angle`` (rad) of the wrap; ``radius`` of the drum, at which friction acts; ``thick``: radius of the rope, at whose
    axis the tension is, length. Raises `ModelError` for invalid values.
    """
    for what, value, least in (
        ("friction", friction, 0.0),
        ("angle", angle, 0.0),
        ("radius", radius, 1e-300),
        ("thick", thick, 0.0),
    ):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not least <= value < math.inf:
            raise ModelError(
                f"{what} of a rope on a drum is {shown(value)}; give a "
                f"{'positive number' if least else 'number from 0 on'}"
            )
    return math.exp(friction * angle * radius / (radius + thick))


def rope_on_drum(
    friction: float = 0.3,
    turns: float = 0.5,
    *,
    radius: float = 0.1,
    thick: float = 0.001,
    load: float = 10.0,
    young: float = 2e9,
    density: float = 2000.0,
    bending: float = 0.01,
    damping: float = 1e-3,
    pull: float = 0.05,
    end: float | None = None,
    nodes: int | None = None,
    model: str = "rod",
    name: str = "rope on a drum",
    **contact: Any,
) -> Model:
    """A rope of ``turns`` round a fixed drum about z, with a load at its first end and pulled at its last one; SI
    units, without gravity.

    ``radius`` of the drum, ``thick``: radius of the rope; ``load``, N; ``young``, ``density``, ``damping`` of the rope
    (N/m^2, kg/m^3, s), ``bending``: share of a solid rod's bending stiffness; ``pull``: speed at which it is drawn
    (m/s), reached in a fifth of ``end`` (s, by default 0.12 a turn: all of it slides then);
    ``model``: "rod" (exact beams) or "cable" (absolute nodal coordinates); ``nodes`` on half a turn, 16 of a rod and 24
    of a cable unless given (a soft rod with 12 rolls on its nodes and slips by jerks round a whole turn); more than 0.9
    turns lie as a helix, so that the rope does not lie on itself; ``contact``: arguments of `PartsAlong.touch`.

    Names: rope "rope" (`Run.rod`, `Run.mesh`), contact "on the drum", force "load", motion "pull".  Theory:
    `tension_ratio`. Raises `ModelError` for invalid values, and another model.
    """
    if model not in MODELS:
        raise ModelError(f"the model of a rope is {shown(model)}; give {' or '.join(MODELS)}")
    for what, value in (("turns", turns), ("thick", thick), ("load", load), ("end", 1.0 if end is None else end)):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0.0 < value < math.inf:
            raise ModelError(f"{what} of a rope on a drum is {shown(value)}; give a positive number")
    nodes = NODES[model] if nodes is None else nodes
    end = END * turns if end is None else end
    if isinstance(nodes, bool) or not isinstance(nodes, (int, np.integer)) or nodes < 4:
        raise ModelError(f"nodes on half a turn of a rope are {shown(nodes)}; give a whole number from 4 on")
    angle = 2.0 * math.pi * turns
    tension_ratio(friction, angle, radius, thick)
    axis = radius + thick
    count = max(1, round(2 * nodes * turns))
    step = axis * angle / count
    phi = np.linspace(0.0, angle, count + 1)
    rise = 4.0 * thick / (2.0 * math.pi) if turns > 0.9 else 0.0
    arc = np.column_stack([axis * np.cos(phi), axis * np.sin(phi), rise * phi])
    off = np.array([-math.sin(angle), math.cos(angle), 0.0])
    places = np.concatenate(
        [
            arc[0] - step * np.array([[0.0, k, 0.0] for k in (3, 2, 1)]),
            arc,
            arc[-1] + step * np.array([k * off for k in (1, 2, 3, 4)]),
        ]
    )
    m = Model(name)
    m.gravity = (0.0, 0.0, 0.0)
    section = Section.round(thick)
    rope: Any
    if model == "rod":
        rope = rod(
            m,
            places,
            section,
            E=young,
            density=density,
            damping=damping,
            bending=bending,
            straight=True,
            tension=load,
            name="rope",
        )
    else:
        rope = cable(
            m,
            places,
            EA=young * section.A,
            EI=bending * young * section.Iy,
            mass=density * section.A,
            damping=damping,
            tension=load,
            elements=len(places) - 1,
            radius=thick,
            name="rope",
        )
    low, high = -0.15 * radius, 0.15 * radius + rise * angle
    drum = m.cylinder(m.ground, (0.0, 0.0, low), (0.0, 0.0, high), radius, color="STEEL_BLUE")
    contact = {"shape": "sphere", **({} if model == "rod" else {"points": 1}), **contact}
    rope.touch(drum, mu=friction, name="on the drum", **contact)
    first = rope.first.cm if model == "rod" else m.marker(rope.first)
    m.vforce(first, m.ground, "0", f"-{float(load)!r}", "0", rm=m.marker(m.ground), name="load")
    slide = m.translational(rope.last, m.ground, at=tuple(places[-1]), axis=tuple(off))
    m.motion(slide, f"{float(pull)!r}*TIME*STEP(TIME,0,0,{0.2 * float(end)!r},1)", name="pull")
    return m


def pulls(run: Any) -> tuple[float, float]:
    """Tension at the loaded and at the drawn end of `rope_on_drum`, means over the last quarter of a run, force."""
    late = max(1, len(run) // 4)
    view = run.rod("rope") if run.model.table("ROD") else run.mesh("rope")
    values = view.section("axial force").values[-late:]
    return float(values[:, 0].mean()), float(values[:, -1].mean())
