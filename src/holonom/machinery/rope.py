"""Rope over a grooved pulley: segments joined by bushings, every segment in contact with the pulley; or a smooth rope
of exact beams, or in absolute coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..elements.absolute import cable as cable_kind
from ..flexible import Section, cable, rod
from ..model import Model, drawing
from ..model.base import ModelError, shown

MODELS = ("segments", "rod", "cable")
X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
ON_ARC = 24  # elements of a smooth rope on its half circle, unless a number is given
STAGES = ((0.0, 0.1, 0.3, 0.4), (0.8, 0.9, 1.1, 1.2))  # s: the pull rises, is held, falls


class _Material(NamedTuple):
    """Of a round rope; see `rope_over_pulley`."""

    radius: float
    density: float
    young: float
    shear: float
    bending: float
    damping: float


class _Layout(NamedTuple):
    """Where a rope lies: ``behind`` segments of this ``length`` before the pulley, ``over`` on it, ``ahead`` after it;
    ``bottom``: radius of the groove's bottom; ``corner``: radius on which its joints lie; ``ends`` (segments + 1, 3):
    these, from the load to the pulled end."""

    length: float
    behind: int
    over: int
    ahead: int
    bottom: float
    corner: float
    ends: np.ndarray


class _Loads(NamedTuple):
    """What a rope is loaded by; see `rope_over_pulley`."""

    load: float
    brake: float
    pull: float
    hold: float
    stages: Any
    gravity: float
    counterweight: float

    @property
    def force(self) -> str:
        """Formula of the force on the pulled end."""
        up = "+".join(f"STEP(TIME,{a!r},0,{b!r},1)-STEP(TIME,{u!r},0,{v!r},1)" for a, b, u, v in self.stages)
        return f"-{self.hold!r}-{self.pull - self.hold!r}*({up})"


def segment_stiffness(length: float, radius: float, e: float, g: float, bending: float = 1.0):
    """(kx, ky, kz), (ktx, kty, ktz) of the joint between two segments of a round rope along x: E A / L, G A / L across,
    G J / L, E I / L.

    ``bending``: share of the bending and twisting stiffness of a solid rod; the strands of a rope slide on each other.
    """
    area, second = math.pi * radius**2, 0.25 * math.pi * radius**4
    return (e * area / length, g * area / length, g * area / length), tuple(
        bending * k / length for k in (2 * g * second, e * second, e * second)
    )


def pulley_profile(
    bottom: float, groove: tuple[float, float], width: float, bore: float, fillet: float
) -> tuple[np.ndarray, np.ndarray]:
    """(radius, height) points and bulges of a pulley with a rectangular groove, its corners and edges rounded."""
    half, deep = groove
    rim, f, q = bottom + deep, fillet, math.tan(0.125 * math.pi)
    upper = [
        (bottom, half - f, -q),
        (bottom + f, half, 0),
        (rim - f, half, q),
        (rim, half + f, 0),
        (rim, 0.5 * width, 0),
        (bore, 0.5 * width, 0),
    ]
    lower = [
        (bore, -0.5 * width, 0),
        (rim, -0.5 * width, 0),
        (rim, -half - f, q),
        (rim - f, -half, 0),
        (bottom + f, -half, -q),
        (bottom, f - half, 0),
    ]
    table = np.array(lower + upper)
    return table[:, :2], table[:, 2]


def rope_over_pulley(
    segments: int = 105,
    *,
    length: float = 40.0,
    radius: float = 10.0,
    over: int = 6,
    behind: int = 64,
    groove: tuple[float, float] = (15.0, 15.0),
    width: float = 108.0,
    density: float = 0.8e-6,
    young: float = 200.0,
    shear: float = 70.0,
    bending: float = 0.01,
    damping: float = 1e-4,
    load: float = 100.0,
    brake: float = 300.0,
    pull: float = 980.0,
    hold: float = 20.0,
    stages=STAGES,
    offset: float = 4.0,
    pulley: tuple[float, float] = (10.0, 3e4),
    bore: float | None = None,
    gravity: float = 0.0,
    counterweight: float = 0.0,
    model: str = "segments",
    elements: int | None = None,
    name: str = "rope over pulley",
    **contact,
) -> Model:
    """Rope laid half round a pulley: units mm, kg, N, s; the pulley turns about z, the strands lie along x, on a table
    (nothing weighs) or hanging.

    ``behind`` segments lie between the load and the pulley, ``over`` on its half circle, the rest is the strand that is
    pulled towards -x.  The bottom of the groove has the radius at which ``over`` segments fit (64.64 mm for six of 40
    mm); the groove is open by groove[0] to both sides of its middle and groove[1] deep, the pulley is ``width`` wide.
    The load (kg) slides on a rail along x, ``offset`` next to the middle of the groove, and ``brake`` (N) opposes it.
    The end is pulled by ``hold``, and by ``pull`` during the ``stages`` (times of rise, held, held, fallen).
    ``young``, ``shear`` (N/mm^2), ``bending``: see `segment_stiffness`; ``damping`` (s) makes a damping of each
    stiffness.  ``pulley``: mass and inertia about its axis; ``bore``: its diameter, by default half of the groove's
    radius.  ``contact``: fields of the contacts; friction that turns over 50 mm/s of slip takes a twentieth of the
    steps of one that turns over 10 mm/s.

    ``gravity`` (mm/s^2) pulls towards -x: the load and, at the other end, the ``counterweight`` (kg, guided as the load
    is) hang from the pulley, the pull acts on the counterweight, and the bushings start with the tension that carries
    what hangs below them, so that the rope starts nearly at rest.

    ``model`` of the rope: "segments"; or one smooth rope of the same lengths, "rod" (exact beams) or "cable" (absolute
    nodal coordinates), clamped to load and counterweight, of so many ``elements``, by default 24 on the half circle,
    that touch the bottom of the groove, and not its walls, at their nodes (a cable at two points an element);
    ``contact`` then holds words of `PartsAlong.touch`, ``mu`` 0.3 unless it is among them.

    Names: parts "counterweight", "load", "pulley", "segment 1" (at the load) to "segment n", contacts "groove 1" to
    "groove n", request "pull"; of a smooth rope "rope" (`Run.rod`, `Run.mesh`) and one contact "groove".
    """
    if model not in MODELS:
        raise ModelError(f"the model of a rope is {shown(model)}; give {', '.join(MODELS)}")
    if elements is not None and model == "segments":
        raise ModelError(
            f"a rope of segments has {segments} of these and no elements; leave elements out, or choose model = 'rod' "
            "or 'cable'"
        )
    smooth = model != "segments"
    layout = _laid(segments, length, radius, over, behind, offset, smooth)
    bottom = layout.bottom
    if not (math.isfinite(gravity) and math.isfinite(counterweight) and gravity >= 0.0 and counterweight >= 0.0):
        raise ModelError(
            f"gravity is {shown(gravity)} and the counterweight {shown(counterweight)}; give numbers that are not "
            "negative"
        )
    if groove[0] <= radius:
        raise ModelError(f"a rope of radius {radius:g} does not fit into a groove of half width {groove[0]:g}")
    hole = 0.25 * bottom if bore is None else 0.5 * bore
    if not 0.0 < hole < bottom:
        raise ModelError(
            f"a bore of {bore:g} mm does not fit into a pulley whose groove has the radius {bottom:.4g} mm; give a "
            f"positive one below {2 * bottom:.4g}"
        )
    m = Model(name, units="mm")
    m.gravity = (-gravity, 0.0, 0.0)
    loads = _Loads(load, brake, pull, hold, stages, gravity, counterweight)
    material = _Material(radius, density, young, shear, bending, damping)
    profile = pulley_profile(bottom, groove, width, bore=hole, fillet=min(0.4 * radius, 0.9 * (groove[0] - radius)))
    wheel, face = _wheel(m, layout, pulley, profile, width)
    sled, speed = _sled(m, layout, loads, offset)
    if smooth:
        places = _outline(behind * length, layout.ahead * length, layout.corner, offset, elements)
        rope = _smooth_rope(m, model, places, material, _tension(layout, loads, material) if gravity > 0.0 else None)
        # the rope's balls would touch a groove and both its fillets at once
        seat = m.cylinder(wheel, (0.0, 0.0, -groove[0]), (0.0, 0.0, groove[0]), bottom)
        rope.touch(
            seat,
            name="groove",
            **({"points": 2} if model == "cable" else {}) | {"shape": "sphere", "mu": 0.3} | contact,
        )
        m.fixed(rope.first, sled, "clamp of the load", at=tuple(rope.places[0]))
        other = _counterweight(m, layout, loads)
        if other is not None:
            m.fixed(rope.last, other, "clamp of the counterweight", at=tuple(rope.places[-1]))
        end = other.cm if other is not None else m.marker(rope.last)
    else:
        end = _segments(m, layout, loads, material, sled, face, contact)
    m.vforce(end, m.ground, loads.force, rm=m.marker(m.ground), name="pull")
    m.request("pull", functions={"F2": loads.force, "F3": f"DX({sled.cm})", "F4": speed})
    return m


def _laid(segments: int, length: float, radius: float, over: int, behind: int, offset: float, smooth: bool) -> _Layout:
    """Where the rope lies.  Raises ModelError for segments that do not suffice or do not fit."""
    ahead = segments - over - behind
    if ahead < 1 or over < 2 or behind < 1:
        raise ModelError(
            f"{segments} segments do not suffice for {behind} before and {over} on the pulley and one behind it"
        )
    bottom = 0.5 * length / math.tan(0.5 * math.pi / over) - radius
    if bottom <= 0.0:
        raise ModelError(
            f"{over} segments of {length:g} mm do not fit round a pulley; give more segments, longer or thinner ones"
        )
    corner = bottom + radius if smooth else 0.5 * length / math.sin(0.5 * math.pi / over)
    angles = np.linspace(-0.5 * math.pi, 0.5 * math.pi, over + 1)
    arc = corner * np.column_stack([np.cos(angles), np.sin(angles)])
    arc[[0, -1], 0] = 0.0
    near = np.column_stack([-length * np.arange(behind, 0, -1), np.full(behind, -corner)])
    far = np.column_stack([-length * np.arange(1, ahead + 1), np.full(ahead, corner)])
    ends = np.zeros((segments + 1, 3))
    ends[:, :2] = np.vstack([near, arc, far])
    # the rope comes in next to the groove's middle, by less the nearer to the pulley
    ends[: behind + 1, 2] = offset * np.linspace(1.0, 0.0, behind + 1)
    return _Layout(length, behind, over, ahead, bottom, corner, ends)


def _wheel(m: Model, layout: _Layout, pulley: tuple[float, float], profile, width: float) -> tuple[Any, Any]:
    """The pulley on its shaft, and its face."""
    wheel = m.part("pulley", pulley[0], (0.6 * pulley[1], 0.6 * pulley[1], pulley[1]), (0, 0, 0))
    shaft = m.revolute(wheel, m.ground, "shaft", at=(0, 0, 0), axis=Z)
    m.torsion_spring(shaft.i, shaft.j, damping=20.0, name="bearing")
    points, bulge = profile
    face = m.revolution(wheel, points, bulge=bulge, color="STEEL_BLUE")
    for k in range(layout.over):  # marks that show it turning
        t = 2 * math.pi * k / layout.over
        place = 0.6 * layout.bottom * np.array([math.cos(t), math.sin(t), 0.0])
        drawing.pin(m, wheel, place, Z, 0.12 * layout.bottom, 1.02 * width, color="BLACK")
    return wheel, face


def _sled(m: Model, layout: _Layout, loads: _Loads, offset: float) -> tuple[Any, str]:
    """The load on its rail with the brake, and the formula of its speed."""
    ground, length, start = m.ground, layout.length, layout.ends[0]
    sled = m.part("load", loads.load, (loads.load * 1e3,) * 3, start - np.array([1.5 * length, 0, 0]))
    rail = m.translational(sled, ground, "rail", at=start, axis=X)
    drawing.block(m, sled, sled.frame.origin, (3 * length, 3 * length, 2 * length), color="RED")
    drawing.block(
        m, ground, (0.5 * start[0], start[1], offset - 1.4 * length), (-1.1 * start[0], 1.5 * length, 0.4 * length)
    )
    speed = f"VX({rail.i},{rail.j})"
    marker = m.marker_at(sled, start, z=X)
    m.sforce(marker, m.marker_at(ground, start, z=X), f"{-loads.brake!r}*TANH({speed}/20)", "brake", actiononly=True)
    return sled, speed


def _counterweight(m: Model, layout: _Layout, loads: _Loads) -> Any:
    """The counterweight, if there is one; what the rope is made of comes first, so that parts are numbered along it."""
    if not loads.counterweight > 0.0:
        return None
    mass, length, at = loads.counterweight, layout.length, layout.ends[-1]
    other = m.part("counterweight", mass, (mass * 1e3,) * 3, at - np.array([1.5 * length, 0, 0]))
    m.translational(other, m.ground, "counterweight rail", at=at, axis=X)
    drawing.block(m, other, other.frame.origin, (3 * length, 3 * length, 2 * length), color="RED")
    return other


def _segments(m: Model, layout: _Layout, loads: _Loads, material: _Material, sled, face, contact: dict) -> Any:
    """The rope of segments from the load to the counterweight, if there is one; the marker at its end."""
    length, ends, radius = layout.length, layout.ends, material.radius
    count, mass = len(ends) - 1, material.density * math.pi * radius**2 * length
    inertia = (0.5 * mass * radius**2, *(mass * (3 * radius**2 + length**2) / 12.0,) * 2)
    k, kt = segment_stiffness(length, radius, material.young, material.shear, material.bending)
    c, ct = (tuple(material.damping * v for v in values) for values in (k, kt))
    given: dict = (
        dict(
            stiffness=1.5e4,
            exponent=1.5,
            damping=0.2,
            dmax=0.1,
            mu=(0.3, 0.25),
            stiction_transition_velocity=50.0,
            friction_transition_velocity=200.0,
        )
        | contact
    )
    # tension at the start: weights below on the side of the load, from the pulley on those of the other one
    behind_it = 1e-3 * loads.gravity * (loads.load + mass * np.arange(count + 1))
    before_it = 1e-3 * loads.gravity * (loads.counterweight + mass * np.arange(count, -1, -1)) + loads.hold
    tension = np.where(np.arange(count + 1) < layout.behind + layout.over // 2, behind_it, before_it)
    preload = lambda s: (-float(tension[s]) if loads.gravity > 0.0 else 0.0, 0.0, 0.0)
    last = m.marker_at(sled, ends[0], x=X, z=Z)
    for s in range(count):
        a, b = ends[s], ends[s + 1]
        along = (b - a) / np.linalg.norm(b - a)
        axes = np.column_stack([along, np.cross(Z, along) / np.linalg.norm(np.cross(Z, along)), np.zeros(3)])
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
        part = m.part(f"segment {s + 1}", mass, inertia, 0.5 * (a + b), axes=axes)
        skin = m.capsule(part, a, b, radius, color=("YELLOW", "PEACH")[s % 2])
        m.contact(skin, face, name=f"groove {s + 1}", **given)
        first = m.marker(part, (-0.5 * length, 0, 0))
        m.bushing(first, last, k, kt, c, ct, preload(s), name=f"joint {s + 1}")
        last = m.marker(part, (0.5 * length, 0, 0))
    other = _counterweight(m, layout, loads)
    if other is None:
        return last
    first = m.marker_at(other, ends[-1], x=(-1.0, 0.0, 0.0), z=Z)
    m.bushing(first, last, k, kt, c, ct, preload(count), name=f"joint {count + 1}")
    return other.cm


def _tension(layout: _Layout, loads: _Loads, material: _Material) -> Callable[[float, bool], float]:
    """Tension at the start at x of a hanging rope, on the side of the load or on the other one."""
    mass = material.density * math.pi * material.radius**2 * layout.length
    weighs = lambda weight, x, end: 1e-3 * loads.gravity * (weight + mass / layout.length * (x - end))
    load, other = layout.ends[[0, -1], 0]
    return lambda x, first: weighs(loads.load, x, load) if first else weighs(loads.counterweight, x, other) + loads.hold


def _outline(before: float, behind: float, R: float, offset: float, elements: int | None) -> np.ndarray:
    """Positions at even steps along the axis of a rope: a strand, half round a circle of radius R, another strand."""
    total = before + math.pi * R + behind
    if elements is None:
        elements = round(total / (math.pi * R) * ON_ARC)
    if isinstance(elements, bool) or not isinstance(elements, (int, np.integer)) or elements * math.pi * R < 8 * total:
        least = math.ceil(8 * total / (math.pi * R))
        raise ModelError(
            f"elements of a rope over a pulley are {shown(elements)}; give a whole number from {least} on, so that "
            "eight lie on its half circle"
        )
    s = np.linspace(0.0, total, int(elements) + 1)
    t = np.clip((s - before) / R, 0.0, math.pi) - 0.5 * math.pi
    x = np.where(s < before, s - before, np.where(s > before + math.pi * R, before + math.pi * R - s, R * np.cos(t)))
    return np.column_stack([x, R * np.sin(t), offset * np.maximum(1.0 - s / before, 0.0)])


def _smooth_rope(
    m: Model,
    model: str,
    places: np.ndarray,
    material: _Material,
    tension: Callable[[float, bool], float] | None,
) -> Any:
    """A rope of beams or a cable along positions; ``tension`` (at x, on the side of the load) at the start, or none."""
    section = Section.round(material.radius)
    EA = material.young * section.A
    middle = 0.5 * (places[1:] + places[:-1])
    held = np.array([tension(float(p[0]), bool(p[1] < 0.0)) if tension else 0.0 for p in middle])
    rope: Any
    if model == "rod":
        rope = rod(
            m,
            places,
            section,
            E=material.young,
            G=material.shear,
            density=material.density,
            damping=material.damping,
            bending=material.bending,
            straight=True,
            name="rope",
        )
        for beam, T in zip(rope.beams, held):
            beam.length /= 1.0 + T / EA
        return rope
    n = len(places) - 1
    rope = cable(
        m,
        places,
        EA=EA,
        EI=material.bending * material.young * section.Iy,
        mass=material.density * section.A,
        damping=material.damping,
        elements=n,
        radius=material.radius,
        name="rope",
    )
    numbers = np.array(rope.mesh.properties).reshape(n, -1)
    numbers[:, cable_kind.PROPERTIES.index("strain")] = -held / EA
    rope.mesh.properties = tuple(map(float, numbers.ravel()))
    return rope
