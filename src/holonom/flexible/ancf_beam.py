"""Beams with large deflections, shear and twist: meshes of full-gradient elements in absolute nodal coordinates
(`elements.absolute`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..elements.absolute import planar_beam, spatial_beam
from ..elements.absolute.materials import Linear, MooneyRivlin
from ..elements.absolute.section_laws import Fibres
from ..model.absolute import AbsoluteMesh
from ..model.base import ModelError, shown
from ..model.parameters import with_parameters
from .axis_of_mesh import AxisOfMesh, around, direction, drawn_along, flat, is_number, material_of
from .rod import carried, outer_radius, without_jump
from .section import Section

PLANES = {"xy": 2, "yx": 2, "yz": 0, "zy": 0, "zx": 1, "xz": 1}
CLOSE = 0.02  # share by which layers may differ from the section
OFF = 1e-9  # share of its length by which a beam may leave its plane
WHAT = "a beam in absolute coordinates"


@dataclass(frozen=True)
class AncfBeam(AxisOfMesh):
    """A beam in a model: see `AxisOfMesh`.  Axes of a point are those of its section: x across the section, y and z
    along its axes as drawn, which do not turn with shear of the axis; `fixed` holds position and section."""


@with_parameters("section", "E", "nu", "density", "damping")
def ancf_beam(
    model: Any,
    points: Any,
    section: Section,
    *,
    E: float | None = None,
    nu: float = 0.3,
    density: float | None = None,
    material: Any = None,
    elements: int = 8,
    plane: str | None = None,
    formulation: str = "structural",
    damping: float = 0.0,
    y: Any = None,
    closed: bool = False,
    velocity: Any = (0.0, 0.0, 0.0),
    spin: Any = (0.0, 0.0, 0.0),
    radius: float | None = None,
    lumped: bool = False,
    law: Fibres | None = None,
    name: str = "beam",
) -> AncfBeam:
    """Add a fully parameterised beam in absolute nodal coordinates (ANCF) to a model: large stretch, shear, bending
    and, in space, torsion.

    ``points`` (k, 3): its axis in ground as drawn, which is unloaded, from end to end, length; a smooth curve is fitted
    through them. ``section`` with shear coefficients (`Section.rectangle(.., shear=True)`); ``E``, ``nu``, ``density``
    (mass/length^3) and ``damping`` (Kelvin-Voigt, time), or a ``material`` (`elements.absolute.materials`:
    Linear, MooneyRivlin). ``elements``: their number, of equal length along the curve. ``plane``: "xy", "yz" or "zx":
    motion is restricted to that plane of ground, with y of the section in it; ``formulation``: "structural" (Reissner's
    strains, no locking), "enhanced", "continuum" (Green-Lagrange strains over a rectangle, for MooneyRivlin;
    docs/absolute-elements.md). ``y``: direction in ground near y of the section at the first node, carried along the
    axis without twist; ``closed``: it returns from the last point to the first; ``velocity``, ``spin`` (3,): initial
    velocity and angular velocity of a rigid motion about its first point; ``radius``: of its surface and of pictures,
    by default that of a round section; ``lumped``: diagonal mass matrix, for explicit integration
    (`AncfBeam.longest_step`); ``law``: layers that yield (`Fibres`: with positions along y of the section in a
    ``plane``, with heights too in space), in formulation "structural", of the same area, second moments and E; shear
    and torsion stay elastic.

    Raises `ModelError` for fewer than two points, neighbours at the same point, numbers that are not positive, sections
    without shear coefficients, inverted elements (where the radius of curvature is smaller than the half height of the
    section), and points outside the plane.

        steel = hn.flexible.Section.rectangle(0.01, 0.02, shear=True)
        blade = hn.flexible.ancf_beam(model, [(0, 0, 0), (1, 0, 0)], steel, E=2.1e11, density=7850.0)
        model.fixed(blade.first, model.ground, at=(0, 0, 0))
    """
    if not isinstance(section, Section):
        raise ModelError(f"section of {WHAT} is {shown(section)}; give a holonom.flexible.Section")
    nodes, tangents, drawn = drawn_along(points, elements, closed, WHAT)
    n = int(elements)
    material = material_of(WHAT, material, (Linear, MooneyRivlin), E, nu, density, damping)
    if not material.density > 0.0:
        raise ModelError(f"density of {WHAT} is {material.density:g}; give a positive number")
    v, w = direction(velocity, "velocity", WHAT), direction(spin, "spin", WHAT)
    unit = drawn / n
    y = None if y is None else direction(y, "y", WHAT)
    if plane is not None:
        axis = PLANES.get(str(plane).lower())
        if axis is None:
            raise ModelError(f"the plane of {WHAT} is {shown(plane)}; give one of xy, yz, zx")
        if np.ptp(nodes[:, axis]) > OFF * drawn or abs(tangents[:, axis]).max() > OFF:
            raise ModelError(
                f"{WHAT} in the plane {plane} leaves it along {'xyz'[axis]}; draw all its points at one {'xyz'[axis]}, "
                "or leave plane out"
            )
        if abs(v[axis]) > 0.0 or np.any(np.delete(w, axis)):
            raise ModelError(
                f"{WHAT} in the plane {plane} cannot start with a velocity out of it; fix velocity or spin"
            )
        if y is not None and abs(y[axis]) > OFF * np.linalg.norm(y):
            raise ModelError(
                f"y of {WHAT} in the plane {plane} leaves it along {'xyz'[axis]}; y of its section lies in that plane, "
                "so leave y out"
            )
        nodes[:, axis], tangents[:, axis] = nodes[0, axis], 0.0
        normal = np.eye(3)[axis]
        gradients = [tangents, np.cross(normal, tangents)]
        height = float(np.sqrt(12.0 * section.Iz / section.A))
        numbers = planar_beam.properties(
            height,
            section.A / height,
            material,
            shear=section.ky or None,
            formulation=formulation,
            plane="strain" if isinstance(material, MooneyRivlin) else "stress",
        )
        kind, place_of_length, held = planar_beam, planar_beam.PROPERTIES.index("length"), (axis,)
    else:
        normal, held = np.zeros(3), ()
        frames = carried(tangents, y, WHAT)
        axes = np.array(without_jump(frames) if closed else frames)
        gradients = [tangents, axes[:, :, 1], axes[:, :, 2]]
        sides = (float(np.sqrt(12.0 * section.Iz / section.A)), float(np.sqrt(12.0 * section.Iy / section.A)))
        numbers = spatial_beam.properties(
            section, material, formulation=formulation, sides=sides if formulation == "continuum" else None
        )
        kind, place_of_length = spatial_beam, spatial_beam.PROPERTIES.index("length")
    if law is not None:
        _fits(law, section, material, plane is not None)
        if formulation != "structural":
            raise ModelError(
                f"{WHAT} with a law has the formulation {shown(formulation)}; it yields in 'structural' alone"
            )
    vectors = np.stack([nodes, *(unit * g for g in gradients)], axis=1)
    rates = np.stack([v + np.cross(w, nodes - nodes[0]), *(np.cross(w, unit * g) for g in gradients)], axis=1)
    order = around(n, closed)
    cells = np.array([[order[k % len(nodes)] for k in (e, e + 1)] for e in range(n)])
    placed, moving = np.empty_like(vectors), np.empty_like(rates)
    placed[list(order)], moving[list(order)] = vectors, rates
    lengths = kind.arc(
        np.concatenate([placed[cells[:, 0]], placed[cells[:, 1]]], axis=1)
        / np.tile([1.0, *[unit] * len(gradients)], 2)[:, None]
    )
    properties = np.tile(numbers, (n, 1))
    properties[:, place_of_length] = lengths
    kind.rows(placed[cells].reshape(n, -1), properties, unit)  # gives what is inverted
    if radius is None:
        round_ = abs(section.J - section.Iy - section.Iz) <= 1e-6 * section.J  # of squares J is less
        radius = outer_radius(section) if round_ else 0.0
    if not (is_number(radius) and radius >= 0.0):
        raise ModelError(f"radius of {WHAT} is {shown(radius)}; give a length that is not negative")
    mesh = model.add(
        AbsoluteMesh(
            name=name,
            element=kind.__name__.rsplit(".", 1)[-1],
            width=kind.PER_NODE,
            places=flat(placed),
            rates=flat(moving) if rates.any() else (),
            cells=tuple(map(int, cells.ravel())),
            properties=flat(properties),
            unit=float(unit),
            held=held,
            radius=float(radius),
            lumped=bool(lumped),
            law=() if law is None else law.parameters,
        )
    )
    out = AncfBeam(
        model,
        mesh,
        lengths,
        nodes,
        order,
        material.E * section.A,
        material.density * section.A,
        bool(closed),
        tuple(map(float, normal)),
    )
    _ = out.first, out.last
    return out


def _fits(law: Any, section: Section, material: Any, planar: bool) -> None:
    """Raises `ModelError` for layers that are none of this section."""
    if not isinstance(law, Fibres) or (law.heights is None) != planar:
        asked = "positions alone" if planar else "positions and heights (Fibres.grid, Fibres.disc)"
        raise ModelError(
            f"law of {WHAT} is {shown(law) if not isinstance(law, Fibres) else 'Fibres of the other sort'}; give "
            f"holonom.flexible.Fibres with {asked}"
        )
    E = law.law.EI
    y, A = np.array(law.places), np.array(law.areas)
    sizes = [("E", E, material.E), ("area", A.sum(), section.A), ("second moment about z", A @ y**2, section.Iz)]
    if law.heights is not None:
        sizes.append(("second moment about y", A @ np.array(law.heights) ** 2, section.Iy))
    for what, of_law, of_section in sizes:
        if abs(of_law - of_section) > CLOSE * of_section:
            raise ModelError(
                f"layers of {WHAT} have the {what} {of_law:.6g}, and its section and material {of_section:.6g}; make "
                "them those of one bar"
            )
