"""Surfaces of parts that stand along an axis (nodes of a rod, of a cable): capsules or balls that turn with them, and
what they touch.

A node carries the surface of half the way to both its neighbours: a capsule along its tangent, or a ball.  Along a
capsule the point of contact moves smoothly to the closest point of the axis, and its force acts on the node with its
moment, so on all coordinates by their shape functions; at the middle between two nodes, where two capsules meet under
the angle theta of the bend, both touch for a way of about theta times the radius.

Between two balls of radius r whose centres are s apart a shape of half the width b passes where s / 2 > b + r.  So
balls are the default only where s <= b + r, with b half of the minimum width of the shape (`half_width`); elsewhere the
surface is made of capsules, which leave no gap, so many to an element that each turns by a radian at most where the
axis lies on a round shape, and stays near the curve that it is tangent to (`pieces`, `follows`).

How hard: ``hardness`` = EA/l of an element of length l.  A contact then has the frequency of the rod's own highest
stretching (4 EA/l over the mass of a node) at most, so that it
costs no smaller steps than the rod itself, and the depth under a tension T on a drum of radius R, T l / R over EA/l, is
the strain T/EA times l^2/R.

Friction sticks (BRISTLE) unless another is named: a tangential spring as hard as the contact.  Regularised friction
(COULOMB, TANH) acts on a node, which is light, as a damper of mu N over the stiction transition velocity, and Newton's
iteration jumps from one side of its flat parts to the other: measured in docs/rods.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..model.base import ModelError, shown
from ..model.bounds import half_width, roundness
from ..model.parameters import refuse_late_change
from ..model.shape import shape_of

if TYPE_CHECKING:
    from ..model.absolute import MeshPoint
    from ..model.bodies import Part
    from ..model.forces import Contact

TOGETHER = 1e-9  # share of its length below which two points lie at the same point
SHAPES = ("capsule", "sphere")
DAMPED = 1.0  # damping of a contact over the root of its stiffness and the mass of a node (2: critical)
ONSET = 2e-4  # depth over the radius at which damping is full
NAMED = ("COULOMB", "DYNAMICS_ONLY", "ON", "OFF", "")
MOST_PIECES = 8  # of a surface between two nodes, where their number is not given
FITS = 0.75  # of the width between two balls, from which a shape is reported to fit through
BENDS = 0.5  # angle by which a curve may turn between two nodes, for the number of its capsules
OFF = 0.3  # of the half width of what it touches and its own radius, by which these capsules may leave the curve
# distance of nodes over these two, from which it is reported: bent by 0.2 between them, the curve is as far from its
# capsules
LONG = 40.0
TURN = (
    2.0  # distance of nodes over the radius on which they lie, from which the straight surface between them is reported
)


def follows(spacing: float, size: float) -> int:
    """How many capsules between two nodes at this distance stay within `OFF` of ``size`` of a curve that turns by
    `BENDS` between them: each along the tangent in its middle, of which the curve is turn length / 8 away at the ends;
    `MOST_PIECES` at most."""
    return max(1, min(MOST_PIECES, math.ceil(math.sqrt(BENDS * spacing / (8.0 * OFF * max(size, 1e-300))) - 1e-9)))


def pieces(solids: list[Any], spacing: float, radius: float, shape: str = "") -> tuple[str, int]:
    """Shape and number, for each distance ``spacing`` of nodes, of the pieces of a surface of ``radius`` that let none
    of the ``solids`` pass between them and follow the curve closely compared with their size; the number is
    `MOST_PIECES` at most.  ``shape``: where it is given."""
    balls = max(
        (math.ceil(spacing / max(half_width(s) + radius, 2.0 * radius, 1e-300) - 1e-9) for s in solids), default=1
    )
    rods = max(
        (math.ceil(spacing / (r + radius) - 1e-9) if (r := roundness(s)) > 0.0 else 2 for s in solids), default=1
    )
    rods = max([rods, *(follows(spacing, half_width(s) + radius) for s in solids)])
    shape = shape or ("sphere" if balls <= 1 else "capsule")
    return shape, max(1, min(MOST_PIECES, balls if shape == "sphere" or balls <= 1 else rods))


def places_along(points: Any, closed: bool, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Positions (k, 3) of an axis, of a ``closed`` one the first behind the last again, and the lengths (k - 1,) of its
    chords.

    Raises `ModelError`, in which ``what`` ("a rod") is named, for fewer than two points (three of a closed one) and
    neighbours at the same point.
    """
    try:
        at = np.array(points, float)
    except (TypeError, ValueError):
        at = np.zeros(0)
    if at.ndim != 2 or at.shape[1] != 3 or len(at) < 2 or not np.all(np.isfinite(at)):
        raise ModelError(f"points of {what} are {shown(points)}; give two or more positions with three coordinates")
    if closed:
        if not np.linalg.norm(at[-1] - at[0]) > TOGETHER * np.ptp(at, axis=0).max():
            at = at[:-1]
        if len(at) < 3:
            raise ModelError(f"a closed {what.split(' ', 1)[1]} has {len(at)} different points; give three or more")
        at = np.vstack([at, at[:1]])
    chords = np.linalg.norm(np.diff(at, axis=0), axis=1)
    if not chords.min() > TOGETHER * chords.sum():
        k = int(chords.argmin())
        raise ModelError(f"points {k + 1} and {k + 2} of {what} lie at the same point; leave one out")
    return at, chords


@dataclass(frozen=True)
class PartsAlong(Summary):
    """Parts along an axis: ``parts`` (n), ``places`` (n, 3) as drawn; ``closed``: the last stands compared with the
    first.

    ``radius``: of the surface where none is named, 0: there is none to take; ``hardness``: stiffness of a contact where
    none is named, force/length;
    ``mass``: of a part in the middle.
    """

    model: Any = field(repr=False)
    parts: tuple[Any, ...]
    places: np.ndarray
    closed: bool
    radius: float
    hardness: float
    mass: float
    name: str
    _surfaces: dict = field(default_factory=dict, repr=False, compare=False)

    @property
    def first(self) -> Part | MeshPoint:
        """The part of the first node."""
        return self.parts[0]

    @property
    def last(self) -> Part | MeshPoint:
        """The part of the last node."""
        return self.parts[-1]

    def nearest(self, point: Any) -> Part | MeshPoint:
        """The part of the node nearest to a point in ground, as drawn."""
        return self.parts[int(((self.places - np.asarray(point, float)) ** 2).sum(1).argmin())]

    @property
    def _inertia(self) -> float:
        """Mass of a part in the middle, in the unit force time^2 / length of the model."""
        return self.mass * self.model.units.mass_factor

    def _steps(self) -> np.ndarray:
        """From each node to the next, (n - 1, 3), or (n, 3) of a closed axis."""
        ends = np.vstack([self.places, self.places[:1]]) if self.closed else self.places
        return np.diff(ends, axis=0)

    def surface(self, radius: float | None = None, shape: str = "capsule", **look: Any) -> tuple[Any, ...]:
        """Shapes of all nodes, made when they are first requested: of ``shape`` "capsule" (over half the way to both
        neighbours) or "sphere".

        ``radius``: length, by default that of a round section; ``look``: ``color``, ``group`` of shapes.  Raises
        `ModelError` for a section that has no radius, and words that name no shape.

            rope.surface(0.005, "sphere")
        """
        if shape not in SHAPES:
            raise ModelError(f"{self.name}: shape {shown(shape)} of a surface is neither of {', '.join(SHAPES)}")
        refuse_late_change(self.model, "its surface", self.parts[0])
        if radius is None:
            radius = self.radius
            if not radius > 0.0:
                raise ModelError(
                    f"{self.name}: its section is not round, so its surface needs a radius; give radius= (half the "
                    "thickness where it touches)"
                )
        if isinstance(radius, bool) or not isinstance(radius, (int, float, np.number)) or not 0.0 < radius < math.inf:
            raise ModelError(f"{self.name}: radius {shown(radius)} of a surface; give a positive number")
        key = float(radius), shape
        if key not in self._surfaces:
            self._surfaces[key] = self._drawn(float(radius), shape, {"group": f"{self.name} surface", **look})
        return self._surfaces[key]

    def _drawn(self, radius: float, shape: str, look: dict[str, Any]) -> tuple[Any, ...]:
        m, n = self.model, len(self.parts)
        steps = self._steps()
        lengths = np.linalg.norm(steps, axis=1)
        out = []
        for k, (part, at) in enumerate(zip(self.parts, self.places)):
            name = f"{self.name}.{k + 1}"
            before, after = (k - 1) % len(steps), k
            if not self.closed:
                before, after = max(k - 1, 0), min(k, n - 2)
            t = steps[before] / lengths[before] + steps[after] / lengths[after]
            t = t / np.linalg.norm(t)
            back = 0.0 if not self.closed and k == 0 else 0.5 * lengths[before]
            ahead = 0.0 if not self.closed and k == n - 1 else 0.5 * lengths[after]
            if shape == "sphere":
                out.append(m.sphere(part, tuple(map(float, at)), radius, name=name, **look))
            else:
                out.append(
                    m.capsule(
                        part,
                        tuple(map(float, at - back * t)),
                        tuple(map(float, at + ahead * t)),
                        radius,
                        name=name,
                        **look,
                    )
                )
        return tuple(out)

    def touch(
        self,
        other: Any = None,
        law: str = "",
        *,
        radius: float | None = None,
        shape: str = "",
        other_shape: str = "capsule",
        mu: Any = None,
        friction: str = "",
        name: str = "",
        exclude: Any = (),
        **more: Any,
    ) -> Contact:
        """A CONTACT of its surface with ``other``: shapes, bodies or names as `Model.contact` takes them, another rod
        or cable, or (None) itself, where near neighbours never meet.  Returns it; one contact with one sum of forces,
        whose results are `Run.contact`.

        ``radius``, ``shape``: of the `surface`; by default balls where these are so near to each other that the other
        shape cannot pass between them (on a drum capsules may touch and part all the time at the middle between nodes),
        else capsules; capsules against rods.
        ``other_shape``: that of another rod.  ``mu``: one coefficient of friction, or static and dynamic;
        ``friction``: its model, by default BRISTLE,
        which sticks.  ``law``, its numbers and all other keywords are those of `Model.contact`.  IMPACT (the law unless
        named) has ``exponent`` 1 and, where they are not given, ``stiffness`` EA/l, ``damping`` (half of the critical
        one of a node) full at ``dmax`` = 0.01 of the radius.  Raises `ModelError` as `surface` and `Model.contact`.

            rope.touch(drum, mu=0.3)
            rope.touch(mu=0.2)  # itself
        """
        if hasattr(other, "along"):  # a cable
            other = other.along(other.pieces_against(self.radius if radius is None else radius))
        elif hasattr(other, "surface") and not isinstance(other, PartsAlong):  # a plate
            other = other.surface()
        if other is None or isinstance(other, PartsAlong):
            shape = shape or "capsule"
        else:
            other = self.model.shapes_of(other)
            shape = self._checked(other, self.radius if radius is None else radius, shape)
        own = self.surface(radius, shape)
        if (other is None or isinstance(other, PartsAlong)) and shape == "capsule":
            self._report_long(self if other is None else other, self.radius if radius is None else float(radius))
        exclude = list(exclude)
        if other is None or other is self:
            against = None
            exclude += self._beside(own, self.radius if radius is None else float(radius))
        elif isinstance(other, PartsAlong):
            against = other.surface(None, other_shape) if other.radius > 0.0 else other.surface(radius, other_shape)
        else:
            against = other
        size = self.radius if radius is None else float(radius)
        more = settled(self.name, self.hardness, self._inertia, size, law, mu, friction, more)
        return self.model.contact(own, against, law, name or f"{self.name} touch", mu=mu, exclude=exclude, **more)

    def _checked(self, graphics: list[Any], radius: Any, shape: str) -> str:
        """The shape of a surface against others, by default one that they do not pass; warns of those that do, and of
        nodes too far apart to lie on them."""
        if isinstance(radius, bool) or not isinstance(radius, (int, float, np.number)) or not 0.0 < radius < math.inf:
            return shape or "sphere"  # which `surface` refuses
        solids = [shape_of(self.model, g) for g in graphics]
        steps = self._steps()
        lengths = np.linalg.norm(steps, axis=1)
        spacing = float(lengths.max())
        if not shape:
            shape, _ = pieces(solids, spacing, float(radius))
        for solid in solids:
            if shape == "sphere":
                axes = (self.model.body_frame(solid.body) @ solid.frame).axes
                room = half_width(solid, steps / lengths[:, None] @ axes) + radius
                if FITS * spacing > 2.0 * room and spacing > 2.0 * radius:
                    self.model.warn(
                        f"{self.name}: its balls of radius {radius:g} are {spacing:.4g} apart, and "
                        f"{solid.graphic.label} fits between them and is not touched "
                        "there; take shape='capsule', or more points or elements"
                    )
                    break
            elif 0.0 < (r := roundness(solid)) < math.inf and spacing > TURN * (r + radius):
                self.model.warn(
                    f"{self.name}: its surface is straight over {spacing:.4g} between two nodes, long for "
                    f"{solid.graphic.label} with a radius of {r:.4g}; "
                    f"take more points or elements, one for each {r + radius:.4g}"
                )
                break
            elif shape != "sphere" and spacing > LONG * (thin := half_width(solid) + radius):
                self.model.warn(
                    f"{self.name}: its surface is straight over {spacing:.4g} between two points, long for "
                    f"{solid.graphic.label} and its radius ({thin:.4g} together): "
                    "where it is bent it lies off its axis, and contacts there may be missed; take more elements"
                )
                break
        return shape

    def _report_long(self, other: PartsAlong, radius: float) -> None:
        """Warn where the nodes of this or of another surface of capsules are far apart for the radii of both."""
        both = radius + (other.radius or radius)
        for side in (self, other):
            spacing = float(np.linalg.norm(side._steps(), axis=1).max())
            if spacing > LONG * both:
                self.model.warn(
                    f"{side.name}: its surface is straight over {spacing:.4g} between two points, long for radii of "
                    f"{both:.4g} together: where it is bent it lies "
                    "off its axis, and what it touches may pass; take more elements"
                )

    def _beside(self, shapes: tuple[Any, ...], radius: float) -> list[tuple[Any, Any]]:
        """Pairs of shapes so near along the axis that it cannot bend back on itself between them: half a circle of its
        radius."""
        n = len(shapes)
        lengths = np.linalg.norm(self._steps(), axis=1)
        if self.closed:
            s = np.concatenate([[0.0], np.cumsum(lengths)])
            round_ = float(s[-1])
            apart = lambda a, b: min(s[b] - s[a], round_ - s[b] + s[a])
        else:
            s = np.concatenate([[0.0], np.cumsum(lengths)])
            apart = lambda a, b: s[b] - s[a]
        reach = math.pi * radius + float(lengths.max())
        reach = max(reach, 1.01 * float(lengths.max()))
        out = []
        for a in range(n):
            for b in range(a + 1, n):
                if apart(a, b) <= reach * (1.0 + 1e-9):
                    out.append((shapes[a], shapes[b]))
                elif not self.closed:
                    break
        return out


def settled(
    name: str, hardness: float, mass: float, size: float, law: str, mu: Any, friction: str, more: dict[str, Any]
) -> dict[str, Any]:
    """Words of a contact of a surface with what is not given: stiffness ``hardness`` and damping that goes with the
    ``mass`` behind it, of IMPACT; ``friction`` that sticks, as hard as the contact.  ``size``: of the surface;
    ``name``: of whose.  Raises `ModelError` for a stiffness that is none."""
    k = more.get("stiffness", hardness)
    try:
        damping = DAMPED * math.sqrt(float(k) * mass)
    except (TypeError, ValueError):
        raise ModelError(f"{name}: stiffness of its contact is {shown(k)}; give a positive number") from None
    if law.upper() in ("", "IMPACT"):
        more = {"stiffness": k, "exponent": 1.0, "damping": damping, "dmax": ONSET * size, **more}
    wanted = mu is not None and np.any(np.asarray(mu, float) > 0.0) or more.get("mu_static") or more.get("mu_dynamic")
    if not friction and wanted and "coulomb_friction" not in more:
        friction = "BRISTLE"
    if friction.upper() in ("BRISTLE", "LUGRE"):
        given = more.get("friction_parameters") or {}
        if not {"tangential_stiffness", "reference_load"} & set(given):
            given = {
                "tangential_stiffness": hardness,
                "tangential_damping": DAMPED * math.sqrt(hardness * mass),
                **given,
            }
        more["friction_parameters"] = given
    return {**more, "friction": friction}
