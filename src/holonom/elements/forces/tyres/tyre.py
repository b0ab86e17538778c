"""What all tyres have: a wheel, a road, a way of contact, a position in the register of forces."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ....model.base import Element, ModelError, did_you_mean
from ....model.values import named_numbers, word_of
from ...kinds import ForceKind
from ...roads import road as roads
from ...roads.surface import (
    BELT,
    CAM_A,
    CAM_B,
    CAM_ORDER,
    HEAD,
    LAW,
    LAW_AT,
    LAW_DUAL,
    LENGTH,
    METHOD,
    METHODS,
    MU,
    NX,
    NY,
    RADIUS,
    ROAD,
    ROAD_AT,
    ROAD_DUAL,
    SPAN,
    TURNS,
    WIDTH,
)
from ..passing import passing, time_to_pass
from .contact import DAMPING
from .kernels import LAW_DUALS, LAW_REAL, energies, force, numbers, tangent

#: what a footprint has, with defaults as shares of the radius (lengths) or numbers
FOOTPRINT = {
    "length": 0.4,
    "width": 0.5,
    "nx": 9,
    "ny": 1,
    "span": 0.25,
    "cam_length": 1.05,
    "cam_height": 1.05,
    "cam_order": 1.8,
}
LENGTHS = ("length", "width", "span")
MOST_POINTS = 400
FLAT = 1e-6  # sine of the angle between axle and normal of the road below which there is no direction of travel
MOST_SPIN = 100.0  # m/s by which the tread of a wheel may be faster than the wheel travels
MOST_LEAN = 60.0  # degrees between a wheel and the normal of its road up to which forces of tyres mean something
WORDS = ("longitudinal deflection of the contact", "lateral deflection of the contact")


@dataclass
class Tyre(Element):
    """A tyre between the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to the left of forward
    travel) and a road: the plane of marker ``j`` (z up), or ``road`` (a ROAD over it).

    ``contact``: POINT, PLANE or ENVELOPING; ``footprint``: of the last two, see `roads.surface`: ``length``, ``width``,
    ``span`` (distance of the cams), ``nx``, ``ny`` (points), ``cam_length``, ``cam_height`` (half axes next to the
    radius), ``cam_order``.
    """

    ROLE: ClassVar[str] = "force"
    ENTITY: ClassVar[str] = "Tire"
    REFERENCES: ClassVar[dict[str, str]] = {"i": "MARKER", "j": "MARKER", "road": "ROAD"}
    WORDS: ClassVar[dict[str, tuple[str, ...]]] = {"contact": METHODS}
    i: int = 0
    j: int = 0
    road: int | None = None
    contact: str = "POINT"
    footprint: dict[str, float] = field(default_factory=dict)

    def lacking(self) -> str:
        """Which coefficients it lacks without which it can run, and what is computed in their place; empty where it
        lacks none."""
        return ""

    def faults(self, model):
        """What cannot be of its contact."""
        for name, value in self.footprint.items():
            if name not in FOOTPRINT:
                others = f"; it has {', '.join(FOOTPRINT)}"
                yield f"a footprint has no '{name}'{did_you_mean(name, FOOTPRINT, others)}"
            elif not value > 0.0:
                yield f"{name} of the footprint is {value:g}; give a positive number"
        nx, ny = (self.footprint.get(n, FOOTPRINT[n]) for n in ("nx", "ny"))
        if nx != int(nx) or ny != int(ny) or nx * ny > MOST_POINTS or nx < 2:
            yield (
                f"the footprint has {nx:g} by {ny:g} points; give whole numbers, 2 or more along, {MOST_POINTS} in all"
            )
        if self.road is not None and self.road in model.table("ROAD"):
            road = model.table("ROAD")[self.road]
            if road.marker != self.j:
                yield f"its marker J is {self.j} and that of {road.label} is {road.marker}; give the road alone"

        yield from self._direction(model)

    def _direction(self, model):
        """Whether its wheel lies flat on the road as drawn, where there is no direction of travel."""
        try:
            wheel, road = (
                model.body_frame(m) @ m.frame for m in (model.markers[self.i], model.markers[self.j]) if not m.floating
            )
        except (ModelError, KeyError, AttributeError, ValueError):
            return
        if np.linalg.norm(np.cross(wheel.axes[:, 1], road.axes[:, 2])) < FLAT:
            i, j = model.markers[self.i].label, model.markers[self.j].label
            yield (
                f"y of its {i} is normal to the road of {j}, so the wheel lies flat and has no direction of "
                "travel; turn the marker, y along the axle to the left of forward travel"
            )

    def size(self) -> float:
        """Radius without load, length; 0 where its data do not give it."""
        return getattr(self, "radius", 0.0) or getattr(self, "coefficients", {}).get("UNLOADED_RADIUS", 0.0)

    def upright_stiffness(self) -> float:
        """Vertical stiffness, force / length; 0 where a curve is instead or its data do not give it."""
        if getattr(self, "load_curve", ()):
            return 0.0
        return getattr(self, "stiffness", 0.0) or getattr(self, "coefficients", {}).get("VERTICAL_STIFFNESS", 0.0)

    def losses(self) -> str:
        return "damped"


def on(model, i, j, contact: str, footprint: Any) -> dict[str, Any]:
    """Fields of a tyre on marker i and on a road, or the plane of a marker, j."""
    if isinstance(j, roads.Road):
        if model.table("ROAD").get(j.id) is not j:
            raise j.error("it is a road of another model; make one of this")
        where = {"j": j.marker, "road": j.id}
        if j.shape == "PLANK" and str(contact).upper() == "POINT":
            model.warn(
                f"{j.label}: a tyre with contact='POINT' sees the edges of a plank as walls; give contact='ENVELOPING'"
            )
    elif isinstance(j, str) and any(r.name == j for r in model.table("ROAD").values()):
        return on(model, i, next(r for r in model.table("ROAD").values() if r.name == j), contact, footprint)
    else:
        where = {"j": model._marker(j)}
    sizes = {} if footprint is None else named_numbers(footprint, "footprint")
    return {"i": model._marker(i), **where, "contact": word_of(contact, "contact", METHODS), "footprint": sizes}


def metre(model) -> float:
    return 1.0 / model.units.si_length


def metre_per_second(model) -> float:
    return model.units.si_time / model.units.si_length


def weight(model) -> float:
    """Gravity, Earth's where there is none: what a load weighs."""
    return math.sqrt(sum(g * g for g in model.gravity)) or 9.80665 / (model.units.si_length / model.units.si_time**2)


def calm(model, soft: float, load: float) -> float:
    """Damping of sliding at standstill, of a patch of a stiffness under a load."""
    return 2.0 * DAMPING * math.sqrt(max(soft, 0.0) * load / weight(model))


def head(e: Tyre, model, law: Any, radius: float, count: int, turns: bool) -> list[float]:
    """Numbers before those of the law, of which there are ``count``."""
    from ...._address import address_of

    out = [0.0] * HEAD
    out[LAW] = address_of(law, LAW_REAL.arguments, LAW_REAL.result)
    out[LAW_AT], out[ROAD_AT], out[RADIUS], out[METHOD], out[TURNS] = (
        float(HEAD),
        float(HEAD + count),
        radius,
        float(METHODS.index(e.contact)),
        float(turns),
    )
    foot = {name: value * (radius if name in LENGTHS else 1.0) for name, value in FOOTPRINT.items()} | e.footprint
    if e.contact == "ENVELOPING" and "nx" not in e.footprint:
        foot["nx"] = 21
    out[LENGTH], out[WIDTH], out[SPAN], out[NX], out[NY] = (
        foot["length"],
        foot["width"],
        foot["span"],
        foot["nx"],
        foot["ny"],
    )
    out[CAM_A], out[CAM_B], out[CAM_ORDER] = foot["cam_length"] * radius, foot["cam_height"] * radius, foot["cam_order"]
    out[MU] = 1.0
    if e.road is not None:
        found = model.table("ROAD")[e.road]
        out[MU], out[BELT] = found.mu, found.belt
        if not found.flat():
            out[ROAD], out[ROAD_DUAL] = roads.addresses(found, False), roads.addresses(found, True)
    return out


def horizon(k: int, system: Any, radius: float, t: float, y: np.ndarray) -> float:
    """Time within which the wheel does not roll over a feature of its road unseen.  A footprint does not see what is
    shorter than a tenth of the radius."""
    e = system.ports.elements[k]
    road = None if e.road is None else system.model.table("ROAD")[e.road]
    if road is None or road.shape == "DRUM" or road.flat():
        return math.inf
    edges, waves = system.ports.once(k, lambda: (road.edges(), road.waves()))
    return time_to_pass(passing(system, k, y), radius, 0.1 * radius, edges, waves)


def toppled(e: Tyre, run: Any) -> list[str]:
    """Whether the wheel leant so far that the laws of tyres end: a car that rolls over, of whose body nothing touches
    the road."""
    if not e.active:
        return []
    wheel, road = (run.marker(run.model.markers[k])._motion for k in (e.i, e.j))
    lean = np.degrees(np.arcsin(np.clip(np.abs(np.einsum("ti,ti->t", wheel[1][:, :, 1], road[1][:, :, 2])), 0.0, 1.0)))
    over = lean > MOST_LEAN
    if not over.any():
        return []
    lies = any(c.active for c in run.model.table("CONTACT").values())
    return [
        f"{e.label}: from {np.asarray(run.time)[np.argmax(over)]:.4g} {run.model.units.symbol('time')} on its wheel "
        f"leans by up to {lean.max():.0f} degrees; "
        f"tyre forces are valid to {MOST_LEAN:g} degrees"
        + (
            ""
            if lies
            else " and only tyres touch the road: what follows is not valid; end the run there, or give the body "
            "contacts "
            "with the road, of a vehicle by Scene(body_contact=True)"
        )
    ]


def spun(e: Tyre, run: Any) -> list[str]:
    """Whether the wheel turned far faster than it travelled: a drive that acts while no road is under the wheel."""
    if not e.active or not e.size():
        return []
    try:
        _, axes, velocity, _, spin, _ = run.marker(run.model.markers[e.i])._motion
    except (ModelError, KeyError, AttributeError):
        return []
    u = run.model.units
    turns = np.abs(np.einsum("ti,ti->t", spin, axes[:, :, 1]))
    tread, travel = turns * e.size(), np.linalg.norm(velocity, axis=1)
    excess = np.nan_to_num((tread - travel) * u.si_length / u.si_time)
    k, first = int(np.argmax(excess)), int(np.argmax(excess > MOST_SPIN))
    if not excess[k] > MOST_SPIN:
        return []
    time, speed = np.asarray(run.time), u.symbol("velocity")
    return [
        f"{e.label}: from {time[first]:.4g} {u.symbol('time')} on its wheel spins freely: its tread is at "
        f"{tread[k]:.4g} {speed} at time {time[k]:.4g}, and the wheel travels at {travel[k]:.4g} {speed}; a drive or "
        "speed control acts while the wheel has no grip: end the run there, or switch the drive off"
    ]


def tyre_kind(
    element: type,
    builder: Callable,
    law: Any,
    parameters: Callable,
    radius: Callable,
    states: Callable | None = None,
    words: tuple[str, ...] = WORDS,
    turns: bool = False,
    dual: Any = None,
    late_parameters: Callable | None = None,
) -> ForceKind:
    """Register entry of a tyre: ``law``: its kernel (`kernels`), ``dual``: that for dual numbers where it is another;
    ``parameters(e, model)``: what these read; ``radius(e)``; ``turns``: forces depend on psi';
    ``late_parameters(e, parameters)``: completes them before derivatives are requested."""

    def values(e, model):
        own = [float(v) for v in parameters(e, model)]
        out = [*head(e, model, law, radius(e), len(own), turns), *own]
        if out[ROAD]:
            out.extend(model.table("ROAD")[e.road].parameters().tolist())
        else:
            out.append(0.0)
        return out

    def late(e, model, c):
        from ...._address import address_of

        c[LAW_DUAL] = address_of(dual or law, LAW_DUALS.arguments, LAW_DUALS.result)
        if late_parameters is not None:
            late_parameters(e, c[int(c[LAW_AT]) : int(c[ROAD_AT])])

    return ForceKind(
        element,
        builder,
        force,
        tangent,
        energies,
        values,
        states or (lambda e, place: (0.0,) * len(words)),
        state_words=words,
        numbers=numbers,
        late=late,
        horizon=lambda k, system, tables, t, y: horizon(k, system, radius(system.ports.elements[k]), t, y),
        laws=((law, LAW_REAL), (dual or law, LAW_DUALS)),
        doubts=lambda e, run: [*toppled(e, run), *spun(e, run)],
    )
