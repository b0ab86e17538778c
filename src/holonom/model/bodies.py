"""Parts, point masses and markers (and the flexible bodies that later packages use)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .base import Element, ModelError
from .orientation import Frame

Vector = tuple[float, float, float]
#: coordinates that EXACT names, those of a point mass first
#: types of bodies without equations of their own, whose position follows from coordinates of their part
NODES = ("SLIDING_MASS", "ATTACHMENT", "MESH_POINT")
EXACT = ("X", "Y", "Z", "PSI", "THETA", "PHI")


def _centre(body: Part | PointMass) -> int:
    """The id of the marker at the centre of mass: functions name markers, and a body stands for that one.  Raises
    `ModelError` where there is none, as on ground."""
    if body.cm is None:
        raise body.error("functions name markers, and it has none at a centre of mass; give a marker of it")
    return body.cm


@dataclass
class Part(Element):
    """Rigid body.

    ``qg``, ``reuler`` (body 3-1-3 angles, radians) or ``zg``/``xg`` (a point on the z axis and one in the xz plane)
    place the body coordinate system in ground. ``ip`` = Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the centre of mass, in the
    axes of the inertia marker ``im`` (or of ``cm``); as in Adams the products are positive integrals of xy, xz, yz, so
    they have the opposite sign of the off-diagonal entries of the tensor. ``exact`` holds coordinates that assembly may
    not change, of X Y Z PSI THETA PHI; ``assembly_weight``: weights of X, Y, Z and of the attitude in the sum that
    assembly minimises (empty: all 1). Initial velocities are of the centre of mass in ground axes (``vx``..), or in
    those of marker ``vm``, and angular (radians per time) about the axes of the cm marker (``wx``..), or of marker
    ``wm``; None: assembly determines them.
    ``solid_file``: the file whose solids give its mass, where that file was not read; a model with such a part cannot
    be simulated.
    """

    KIND: ClassVar[str] = "PART"
    SET_AS: ClassVar[dict[str, str]] = {
        "position": "qg",
        "velocity": "vx, vy and vz",
        "angular_velocity": "wx, wy and wz",
        "inertia": "ip",
        "euler": "reuler",
    }
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Part"
    REFERENCES: ClassVar[dict[str, str]] = {"cm": "MARKER", "im": "MARKER", "vm": "MARKER", "wm": "MARKER"}
    USES: ClassVar[dict[str, str]] = {"material": "MATERIAL"}

    ground: bool = False
    mass: float | None = None
    cm: int | None = None
    im: int | None = None
    ip: tuple[float, ...] = ()
    qg: Vector = (0.0, 0.0, 0.0)
    reuler: Vector | None = None
    zg: Vector | None = None
    xg: Vector | None = None
    exact: tuple[str, ...] = ()
    assembly_weight: tuple[float, ...] = ()
    vx: float | None = None
    vy: float | None = None
    vz: float | None = None
    wx: float | None = None
    wy: float | None = None
    wz: float | None = None
    vm: int | None = None
    wm: int | None = None
    material: int | None = None
    solid_file: str = ""

    def __format__(self, spec: str) -> str:
        """The id of its marker at the centre of mass (`_centre`)."""
        return format(_centre(self), spec)

    @property
    def position(self) -> Vector:
        """Origin of the body axes in ground at the design position (length): what ``position=`` gave."""
        return self.qg

    @property
    def velocity(self) -> tuple[float | None, float | None, float | None]:
        """Initial velocity of the centre of mass, in ground (or the axes of ``vm``); None for components that assembly
        determines."""
        return (self.vx, self.vy, self.vz)

    @property
    def angular_velocity(self) -> tuple[float | None, float | None, float | None]:
        """Initial angular velocity, radians per time, about the axes of the cm marker; None for components that
        assembly determines."""
        return (self.wx, self.wy, self.wz)

    @property
    def inertia(self) -> np.ndarray:
        """Inertia tensor (3, 3) about the centre of mass, mass * length^2, in the axes of the inertia marker; zero
        where none is given."""
        xx, yy, zz, xy, xz, yz = (*self.ip, *(0.0,) * (6 - len(self.ip)))
        return np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]]) + 0.0  # no negative zeros

    @property
    def frame(self) -> Frame:
        try:
            return Frame.build(self.qg, self.reuler, self.zg, self.xg)
        except ModelError as error:
            raise self.error(f"its axes are not defined: {error}") from None


@dataclass
class PointMass(Element):
    """Mass at a point: three coordinates, no rotation.  ``exact``, ``assembly_weight``: as for a `Part`, of X Y Z."""

    KIND: ClassVar[str] = "POINT_MASS"
    SWITCHABLE: ClassVar[bool] = True
    ENTITY: ClassVar[str] = "Point_Mass"
    REFERENCES: ClassVar[dict[str, str]] = {"cm": "MARKER", "vm": "MARKER"}

    mass: float | None = None
    cm: int | None = None
    qg: Vector = (0.0, 0.0, 0.0)
    reuler: Vector | None = None
    zg: Vector | None = None
    xg: Vector | None = None
    exact: tuple[str, ...] = ()
    assembly_weight: tuple[float, ...] = ()
    vx: float | None = None
    vy: float | None = None
    vz: float | None = None
    vm: int | None = None

    def __format__(self, spec: str) -> str:
        """The id of its marker (`_centre`)."""
        return format(_centre(self), spec)

    @property
    def frame(self) -> Frame:
        try:
            return Frame.build(self.qg, self.reuler, self.zg, self.xg)
        except ModelError as error:
            raise self.error(f"its axes are not defined: {error}") from None


@dataclass
class SlidingMass(Element):
    """Mass that slides along z of a marker of a part, with one coordinate: its travel from the marker's origin. A
    spring (``stiffness``, unloaded at the travel ``length``) and a damper connect it to the part; ``travel`` and
    ``speed`` are initial values. (Liquid in a tank, tuned mass dampers.)

    Markers may lie on it (body_kind "SLIDING_MASS"): its axes are those of the line, with their origin at the mass. It
    rotates with its part.
    """

    KIND: ClassVar[str] = "SLIDING_MASS"
    REFERENCES: ClassVar[dict[str, str]] = {"marker": "MARKER"}

    marker: int | None = None
    mass: float | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    length: float = 0.0
    travel: float = 0.0
    speed: float = 0.0


def central_inertia(model, part: Part) -> tuple[np.ndarray, np.ndarray]:
    """Inertia tensor (3, 3) about the centre of mass in the axes of the inertia marker, and those axes (3, 3) in the
    part's own."""
    ip = (*part.ip, *[0.0] * (6 - len(part.ip)))
    tensor = np.array([[ip[0], -ip[3], -ip[4]], [-ip[3], ip[1], -ip[5]], [-ip[4], -ip[5], ip[2]]])
    markers = model.table("MARKER")
    place = markers[part.cm].frame if part.cm in markers else Frame.identity()
    if part.im not in markers:
        return tensor, place.axes
    im = markers[part.im].frame
    return tensor - steiner(part.mass or 0.0, im.axes.T @ (place.origin - im.origin)), im.axes


def steiner(mass: float, d: np.ndarray) -> np.ndarray:
    """Inertia tensor (3, 3) of a mass at the distance ``d`` from a point, about that point:  m (d.d 1 - d d^T)."""
    return mass * (d @ d * np.eye(3) - np.outer(d, d))


def combine_masses(bodies: list[tuple[float, np.ndarray, np.ndarray]]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre (3,) and inertia (3, 3) about it of bodies (mass, centre, inertia about that), axes of one frame;
    what is cut out has a negative mass and inertia."""
    total = math.fsum(b[0] for b in bodies)
    centre = np.sum([b[0] * b[1] for b in bodies], axis=0) / total
    J = np.zeros((3, 3))
    for mass, at, own in bodies:
        J += own + steiner(mass, at - centre)
    return total, centre, J


@dataclass
class Marker(Element):
    """Coordinate system fixed to a body (``body_kind``: the type of element that the id ``part`` refers to).

    ``qp`` and ``reuler`` (or ``zp``/``xp`` points) are in the body's axes. A ``floating`` marker has no fixed
    position: the force or curve constraint that references it moves it.
    """

    KIND: ClassVar[str] = "MARKER"

    part: int = 0
    body_kind: str = "PART"  # PART | POINT_MASS | SLIDING_MASS | ATTACHMENT | MESH_POINT | FLEX_BODY | FE_PART
    qp: Vector = (0.0, 0.0, 0.0)
    reuler: Vector | None = None
    zp: Vector | None = None
    xp: Vector | None = None
    usexp: bool = False
    floating: bool = False
    node_id: int | None = None  # FLEX_BODY node
    node_label: int | None = None  # FE_PART node
    curve: int | None = None

    def __format__(self, spec: str) -> str:
        """Its id, which functions name it by."""
        return format(self.id, spec)

    @property
    def frame(self) -> Frame:
        try:
            return Frame.build(self.qp, self.reuler, self.zp, self.xp, self.usexp)
        except ModelError as error:
            raise self.error(f"its axes are not defined: {error}") from None

    @property
    def axes(self) -> np.ndarray:
        """3x3 rotation from marker to body axes."""
        return self.frame.axes


@dataclass
class FlexBody(Element):
    """Modal flexible body (read and kept; needs the flexible package to run)."""

    KIND: ClassVar[str] = "FLEX_BODY"
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass
class FEPart(Element):
    """Geometrically exact beam of nodes (read and kept; needs the flexible package to run)."""

    KIND: ClassVar[str] = "FE_PART"
    arguments: tuple[tuple[str, str], ...] = ()
