"""Cables with large deflections: meshes of elements in absolute nodal coordinates
(`elements.absolute.cable`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..elements.absolute.section_laws import Fibres, MomentCurve, Plastic
from ..model.absolute import AbsoluteMesh
from ..model.base import ModelError, shown
from ..model.parameters import with_parameters
from .axis_of_mesh import MOST, AxisOfMesh, around, direction, drawn_along, flat, is_number
from .section import Section

SQUEEZED = 0.01  # share of its length by which a cable may be drawn shorter than it is silently
FLAT = 1e-9  # share of its length by which a cable may leave its plane
PLANES = {"xy": 2, "yx": 2, "yz": 0, "zy": 0, "zx": 1, "xz": 1}


@dataclass(frozen=True)
class Cable(AxisOfMesh):
    """A cable in a model: see `AxisOfMesh`. x of a point is the direction of the axis; a section has no rotation about
    it, so `fixed` constrains position and direction, but not twist."""


@with_parameters("section", "E", "density", "EA", "EI", "mass", "damping")
def cable(
    model: Any,
    points: Any,
    section: Section | None = None,
    *,
    E: float | None = None,
    density: float | None = None,
    elements: int = 16,
    EA: float | None = None,
    EI: float | None = None,
    mass: float | None = None,
    damping: float = 0.0,
    length: float | None = None,
    tension: float | None = None,
    plane: str | None = None,
    velocity: Any = (0.0, 0.0, 0.0),
    spin: Any = (0.0, 0.0, 0.0),
    closed: bool = False,
    radius: float | None = None,
    law: Plastic | MomentCurve | Fibres | None = None,
    lumped: bool = False,
    name: str = "cable",
) -> Cable:
    """Add a cable in absolute nodal coordinates (ANCF) to a model: axial and bending stiffness, without torsion and
    shear, for large deformations.

    ``points`` (k, 3): its axis in ground as drawn, from end to end, length; a smooth curve is fitted through them. The
    unloaded cable is straight. ``section`` with ``E`` (force/length^2) and ``density`` (mass/length^3): for a section
    with equal bending stiffness about both axes; or ``EA`` (force), ``EI`` (force length^2) and ``mass`` (mass/length).
    ``elements``: their number, of equal length along the curve; ``damping``: Kelvin-Voigt damping of strain and
    curvature, time; ``length``: unloaded length, by default that of the curve (shorter: pretensioned, longer: slack);
    or ``tension``: axial force in the design position. ``plane``: "xy", "yz" or "zx": motion is restricted to that
    plane of ground, at less cost; ``velocity`` (3,) and ``spin`` (3,): initial velocity and angular velocity of a rigid
    motion about its first point, length / time and rad / time; ``closed``: the last point is connected to the first,
    smoothly (a loop or belt, which is under bending, since the unloaded cable is straight);
    ``radius``: of its surface and of what pictures show, by default that of a round section of the same area; ``law``:
    of bending in a ``plane``, in place of ``EI``: `Plastic` (a cable drawn curved has been bent from straight and may
    have yielded), or an elastic `MomentCurve`; or `Fibres`, of stretching too, in place of ``EA`` and ``EI``;
    ``lumped``: diagonal mass matrix, for explicit integration: about twice the stable step (`Cable.longest_step`) at
    less cost, but less accurate.

    The axes of a point follow the direction of the cable by the smallest rotation from the design position, so a point
    can rotate by any angle in a plane, and by less than half a turn in space. Raises `ModelError` for fewer than two
    points (three of a closed one), neighbours at the same point, numbers that are not positive, and points outside the
    plane.

        rope = hn.flexible.cable(model, [(0, 0, 0), (1, 0, 0)], EA=1e5, EI=0.5, mass=0.3, elements=20)
        model.spherical(rope.first, model.ground, at=(0, 0, 0))
    """
    numbers_of_law: tuple[float, ...] = ()
    if law is not None:
        if not isinstance(law, (Plastic, MomentCurve, Fibres)):
            raise ModelError(f"law of a cable is {shown(law)}; give a holonom.flexible.Plastic, MomentCurve or Fibres")
        layers = isinstance(law, Fibres)
        if isinstance(law, Fibres) and law.heights is not None:
            raise ModelError("the law of a cable in a plane has heights; give Fibres with positions alone")
        if EI is not None or section is not None or plane is None or (layers and EA is not None):
            given = (
                "EI"
                if EI is not None
                else "a section"
                if section is not None
                else "no plane"
                if plane is None
                else "EA"
            )
            raise ModelError(
                f"a cable has a law of {'its layers' if layers else 'bending'} and {given}; give "
                f"{'' if layers else 'EA, '}mass and plane with it, which define all else"
            )
        EA = law.EA if isinstance(law, Fibres) else EA
        EI, numbers_of_law = law.EI, law.parameters
    EA, EI, mass, radius = _stiffness(section, E, density, EA, EI, mass, radius)
    if not (is_number(damping) and damping >= 0.0):
        raise ModelError(f"damping of a cable is {shown(damping)}; give a time that is not negative")
    nodes, tangents, drawn = drawn_along(points, elements, closed, "a cable")
    n = int(elements)
    if length is not None and tension is not None:
        raise ModelError("length and tension of a cable determine each other; give one of them")
    if length is not None and not (is_number(length) and length > 0.0):
        raise ModelError(f"the unloaded length of a cable is {shown(length)}; give a positive length")
    if tension is not None and not (is_number(tension) and tension > -EA):
        raise ModelError(f"the tension of a cable is {shown(tension)}; give a force, larger than -EA = {-EA:g}")
    stretch = 1.0 if length is None and tension is None else 1.0 + tension / EA if length is None else drawn / length
    h = drawn / n / stretch
    held = ()
    if plane is not None:
        axis = PLANES.get(str(plane).lower())
        if axis is None:
            raise ModelError(f"the plane of a cable is {shown(plane)}; give one of xy, yz, zx")
        if np.ptp(nodes[:, axis]) > FLAT * drawn or abs(tangents[:, axis]).max() > FLAT:
            raise ModelError(
                f"a cable in the plane {plane} leaves it along {'xyz'[axis]}; draw all its points at one "
                f"{'xyz'[axis]}, or leave plane out"
            )
        nodes[:, axis], tangents[:, axis] = nodes[0, axis], 0.0
        held = (axis,)
    v, w = direction(velocity, "velocity", "a cable"), direction(spin, "spin", "a cable")
    if held and (abs(v[held[0]]) > 0.0 or np.any(np.delete(w, held[0]))):
        raise ModelError(f"a cable in the plane {plane} cannot start with a velocity out of it; fix velocity or spin")
    unit = h
    slopes = unit * stretch * tangents
    rates = np.concatenate([v + np.cross(w, nodes - nodes[0]), np.cross(w, slopes)], axis=1)
    numbers = around(n, closed)
    drawn_as, moving = np.empty((len(nodes), 6)), np.empty((len(nodes), 6))
    drawn_as[list(numbers)], moving[list(numbers)] = np.concatenate([nodes, slopes], axis=1), rates
    mesh = model.add(
        AbsoluteMesh(
            name=name,
            element="planar_cable" if law else "cable",
            width=6,
            places=flat(drawn_as),
            rates=flat(moving) if rates.any() else (),
            cells=tuple(numbers[k % len(nodes)] for e in range(n) for k in (e, e + 1)),
            properties=tuple([EA, EI, mass, float(damping), float(h), 0.0, *map(float, held if law else ())] * n),
            unit=float(unit),
            held=held,
            radius=radius,
            law=numbers_of_law,
            lumped=bool(lumped),
        )
    )
    if stretch < 1.0 - SQUEEZED:
        model.warn(
            f"{mesh.label} is drawn {100.0 * (1.0 - stretch):.3g} % shorter than it is unloaded, so it begins "
            "compressed, and where it buckles to is open; "
            "draw it with its slack (holonom.flexible.catenary)"
        )
    yields = law.yields if isinstance(law, Fibres) else law.points[0][0] if isinstance(law, Plastic) else math.inf
    if yields < math.inf:
        ahead = np.vstack([tangents[1:], tangents[:1]]) if closed else tangents[1:]
        turn = np.arccos(np.clip((tangents[: len(ahead)] * ahead).sum(axis=1), -1.0, 1.0)).max() / h
        if turn > yields:
            model.warn(
                f"{mesh.label} is drawn with a curvature of {turn:.3g} and yields at {yields:.3g}: it begins as if it "
                "had been bent there from straight"
            )
    if isinstance(law, Fibres) and isinstance(law.law, Plastic) and abs(stretch - 1.0) > law.law.points[0][0]:
        model.warn(
            f"{mesh.label} is drawn stretched by {stretch - 1.0:.3g} and yields at {law.law.points[0][0]:.3g}: it "
            "begins as if it had been pulled there"
        )
    out = Cable(model, mesh, np.full(n, h), nodes, numbers, EA, mass, bool(closed))
    _ = out.first, out.last
    return out


def catenary(first: Any, last: Any, length: float, *, down: Any = (0.0, 0.0, -1.0), points: int = 33) -> np.ndarray:
    """Positions (points, 3), equally spaced along the arc, of a chain of a ``length`` that hangs between two points,
    with gravity along ``down``.

    y = a cosh((x - b) / a) + c. Raises `ModelError` for a length that is too short, and for points vertically above
    each other.

        rope = hn.flexible.cable(model, hn.flexible.catenary((0, 0, 0), (2, 0, 0), 2.5), EA=1e5, EI=0.1, mass=0.4)
    """
    a, b, g = (
        direction(v, name, "a cable") for v, name in ((first, "the first end"), (last, "the last end"), (down, "down"))
    )
    size = float(np.linalg.norm(g))
    if not size > 0.0:
        raise ModelError(f"down of a hanging chain is {shown(down)}; give a direction")
    g = g / size
    chord = b - a
    fall = float(chord @ g)
    side = chord - fall * g
    wide = float(np.linalg.norm(side))
    if not (is_number(length) and length > (1.0 + 1e-6) * np.linalg.norm(chord)):
        raise ModelError(
            f"a hanging chain of the length {shown(length)} does not reach from end to end, {np.linalg.norm(chord):g}; "
            "give a longer one"
        )
    if not wide > 1e-6 * length:
        raise ModelError("the ends of a hanging chain lie straight above each other; move one aside")
    from scipy.optimize import brentq

    if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or not 2 <= points <= MOST:
        raise ModelError(f"points of a hanging chain are {shown(points)}; give a whole number from 2 to {MOST}")
    share = np.sqrt(length**2 - fall**2) / wide  # sinh(x) / x with x = wide / 2a
    x = brentq(lambda x: np.sinh(x) / x - share, 1e-6, 2.0 + 2.0 * np.log(2.0 * share + 2.0))
    radius = 0.5 * wide / x
    middle = 0.5 * wide + radius * np.arctanh(fall / length)  # of the lowest position, from the first end
    s = np.linspace(0.0, length, points) - radius * np.sinh(middle / radius)
    across = middle + radius * np.arcsinh(s / radius)
    deep = radius * np.cosh(middle / radius) - radius * np.cosh((across - middle) / radius)
    return a + across[:, None] * (side / wide) + deep[:, None] * g


def _stiffness(
    section: Any, E: Any, density: Any, EA: Any, EI: Any, mass: Any, radius: Any
) -> tuple[float, float, float, float]:
    """EA, EI, mass per length and radius from what was given."""
    if section is not None:
        if not isinstance(section, Section):
            raise ModelError(
                f"section of a cable is {shown(section)}; give a holonom.flexible.Section, or EA, EI and mass"
            )
        given = [w for w, value in (("EA", EA), ("EI", EI), ("mass", mass)) if value is not None]
        if given:
            raise ModelError(
                f"a cable has a section and {given[0]}; give either section, E and density, or EA, EI and mass"
            )
        for what, value in (("E", E), ("density", density)):
            if not (is_number(value) and value > 0.0):
                raise ModelError(f"{what} of a cable is {shown(value)}; give a positive number")
        if abs(section.Iy - section.Iz) > 1e-6 * max(section.Iy, section.Iz):
            raise ModelError(
                "a cable has no twist and the same bending stiffness about all axes, but its section has second "
                "moments "
                f"{section.Iy:.6g} and {section.Iz:.6g}; give "
                "EA, EI and mass of the plane in which it is flexible, or take holonom.flexible.rod"
            )
        EA, EI, mass = E * section.A, E * section.Iy, density * section.A
    else:
        if E is not None or density is not None:
            raise ModelError(
                f"a cable has {'E' if E is not None else 'a density'} but no section; give one, or EA, EI and mass"
            )
    for what, value, least in (("EA", EA, "a positive force"), ("mass", mass, "a positive mass per length")):
        if not (is_number(value) and value > 0.0):
            raise ModelError(f"{what} of a cable is {shown(value)}; give {least}")
    if not (is_number(EI) and EI >= 0.0):
        raise ModelError(f"EI of a cable is {shown(EI)}; give a bending stiffness that is not negative")
    if radius is None:
        radius = float(np.sqrt(section.A / np.pi)) if section is not None else 0.0
    if not (is_number(radius) and radius >= 0.0):
        raise ModelError(f"radius of a cable is {shown(radius)}; give a length that is not negative")
    return float(EA), float(EI), float(mass), float(radius)
