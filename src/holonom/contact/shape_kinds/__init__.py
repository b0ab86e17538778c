"""Register of the types of shapes: what contact requires of them, one row each.

A row holds the plain data by which kernels treat a type (`contact.traits` has them as tables by number) and the address
of its `ContactParts`, the functions in Python: thickness of walls, curvature, surface for the referee, mesh that
represents it, walls of grains.  Nothing is loaded until it is requested.  What the model requires of a type is a row of
`model.shape_kinds`.

Convex shapes are a core and a margin round it: all points nearer than the margin to the core.  Cores are the centre
("POINT"), a segment of the axis
("SEGMENT"), a box ("BOX"), the hull of two circles about the axis ("DRUM"), an ellipsoid, and the hull of points
("HULL"); a shape of one of these cores has its support point, features, nearest points and curvature without a kernel
of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module

from ._parts import ContactParts

NONE = -1  # no such column of `Shapes.par`
CORES = ("", "POINT", "SEGMENT", "BOX", "DRUM", "ELLIPSOID", "HULL")
ROLLS = ("", "ring", "rod")


@dataclass(frozen=True)
class ContactKind:
    """A type of shape in contact.  Numbers are columns of `Shapes.par`."""

    #: module (of the package) and the `ContactParts` in it
    parts: str
    #: of `CORES`; empty of shapes that are not convex, and of half-spaces
    core: str = ""
    #: radius round the core
    margin: int = NONE
    #: its pair kernels read the margin, so that they serve this core with one, too
    widens: bool = False
    #: radii of a DRUM below and above, half length of a DRUM or SEGMENT
    radii: tuple[int, int, int] = (NONE, NONE, NONE)
    #: turning moves nothing; the gap from its centre is exact
    ball: bool = False
    #: of revolution about the z axis of its frame
    turned: bool = False
    #: a plane, with or without a rectangle
    half_space: bool = False
    #: not zero where the material lies outside
    inside: int = NONE
    #: zero where the ends are open
    caps: int = NONE
    #: a ball that is moved along it meets what has no kernel with it: of `ROLLS`
    rolls: str = ""
    #: its own data are triangles
    mesh: bool = False
    #: the same profile all along its axis
    prism: bool = False
    #: meets others by the mesh that represents it
    meshed: bool = False
    #: zero where it has no end along its axis
    endless: int = NONE
    #: angle per length about its axis
    twist: int = NONE
    #: may be a surface without material inside
    open: bool = False
    #: no thicker than its walls, which are measured (`contact.walls`)
    walled: bool = False
    #: types that it has kernels for as a hollow shape (or types that use their kernels)
    holds: tuple[str, ...] = ()
    #: module of `contact.shapes` whose ``pack(solid, sizes)`` puts its data into the pools
    data: str = ""


_HERE = "contact.shape_kinds"
IN_BALL = ("POINT", "SPHERE", "BOX", "CAPSULE", "HULL")
IN_BORE = (*IN_BALL, "CYLINDER", "TORUS")

ROWS: dict[str, ContactKind] = {
    "POINT": ContactKind(f"{_HERE}.balls:POINT", core="POINT", ball=True),
    "SPHERE": ContactKind(f"{_HERE}.balls:SPHERE", core="POINT", margin=0, ball=True, inside=1, holds=IN_BALL),
    "PLANE": ContactKind(f"{_HERE}.flats:PLANE", half_space=True),
    "BOX": ContactKind(f"{_HERE}.flats:BOX", core="BOX", widens=True),
    "ROUNDED_BOX": ContactKind("contact.shapes.rounded_box:CONTACT", core="BOX", margin=3),
    "CYLINDER": ContactKind(
        f"{_HERE}.turned:CYLINDER",
        core="DRUM",
        radii=(0, 0, 1),
        turned=True,
        inside=2,
        caps=3,
        rolls="rod",
        holds=IN_BORE,
    ),
    "CAPSULE": ContactKind(
        f"{_HERE}.turned:CAPSULE", core="SEGMENT", margin=0, radii=(NONE, NONE, 1), turned=True, rolls="rod"
    ),
    "FRUSTUM": ContactKind(f"{_HERE}.turned:FRUSTUM", core="DRUM", radii=(0, 1, 2), turned=True),
    "ELLIPSOID": ContactKind(f"{_HERE}.balls:ELLIPSOID", core="ELLIPSOID"),
    "TORUS": ContactKind(f"{_HERE}.turned:TORUS", turned=True, rolls="ring"),
    "HULL": ContactKind(f"{_HERE}.meshes:HULL", core="HULL", data="hull_data"),
    "MESH": ContactKind(f"{_HERE}.meshes:MESH", mesh=True, walled=True, data="mesh"),
    "HEIGHT_FIELD": ContactKind("contact.shapes.height_field:CONTACT", mesh=True, walled=True, data="mesh"),
    "CURVE": ContactKind(
        f"{_HERE}.profiles:CURVE", prism=True, meshed=True, endless=0, open=True, walled=True, data="profile"
    ),
    "EXTRUSION": ContactKind(
        f"{_HERE}.profiles:EXTRUSION", prism=True, meshed=True, twist=1, walled=True, data="profile"
    ),
    "REVOLUTION": ContactKind(f"{_HERE}.profiles:REVOLUTION", turned=True, meshed=True, walled=True, data="profile"),
}

__all__ = [
    "CORES",
    "NONE",
    "ROLLS",
    "ROWS",
    "ContactKind",
    "ContactParts",
    "check_served",
    "contact_kind",
    "contact_parts",
]


def check_served(name: str, by: str) -> None:
    """Raises ValueError where the pair kernels of type ``by`` would take a shape of type ``name`` for another one."""
    row, server = ROWS[name], ROWS[by]
    if row.core != server.core or row.radii != server.radii:
        raise ValueError(
            f"{name}: kernels of {by} cannot serve it, which has the core {server.core or 'none'} with radii in the "
            f"columns {server.radii}, not {row.core or 'none'} with {row.radii}; give it kernels of its own"
        )
    if row.margin not in (NONE, server.margin) and not server.widens:
        raise ValueError(
            f"{name}: kernels of {by} do not read a margin, so its radius round the core would be left out; give it "
            "kernels of its own (`convex` reads it), or let those of that type read `traits.margin` and set `widens`"
        )


def contact_kind(name: str) -> ContactKind:
    """Row of a type of shape.  Raises KeyError for one that is not in the register."""
    return ROWS[name]


@cache
def contact_parts(name: str) -> ContactParts:
    """Functions of a type of shape.  Raises KeyError for one that is not in the register."""
    module, _, attribute = ROWS[name].parts.partition(":")
    return getattr(import_module(f"{__name__.partition('.')[0]}.{module}"), attribute)
