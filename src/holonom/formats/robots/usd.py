"""USD: rigid bodies, joints, drives and colliders of a stage by the schema UsdPhysics (OpenUSD), read by usd-core.

Units of the stage become SI units; angles of a stage are degrees, stiffness and damping of angular drives are per
degree.  Positions in the axes of a body are stretched by its scale, as the schema has it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...model import Model, ModelError
from ...model.base import close_word, shown
from ...model.bodies import Part, combine_masses
from ...model.mass_properties import hull_triangles, mesh_moments
from ...model.orientation import Frame, from_quaternion
from .assembly import Axle, Coordinate, Shapes, add_coordinate, add_part, doubts_of, start_of
from .mjcf.geoms import WATER, unit_moments
from .mjcf.machine import LIGHT

WORLD = ""
AXES = "XYZ"
DEGREE = math.pi / 180.0
CLOSED = 1e-6  # of the size: gap of a fixed joint whose bodies are one part
DRAWN = ("Cube", "Sphere", "Capsule", "Cylinder", "Cone", "Plane", "Mesh")
JOINTS = {
    "PhysicsRevoluteJoint": "angular",
    "PhysicsPrismaticJoint": "linear",
    "PhysicsSphericalJoint": "",
    "PhysicsFixedJoint": "",
    "PhysicsJoint": "",
    "PhysicsDistanceJoint": "",
}
FREEDOMS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
#: inertia of the drive of a joint, the first that is there
ARMATURES = ("mjc:armature", "newton:armature", "physxJoint:armature")
#: prims and properties that have no effect on a mechanism: pictures, organisation
PICTURES = ("xformOp", "primvars", "material", "collection", "ui", "omni", "inputs", "outputs", "info", "state")
PLAIN = (
    "Xform", "Scope", "", "Material", "Shader", "NodeGraph", "GeomSubset", "Camera", "PhysicsScene", "SphereLight",
    "DistantLight", "DomeLight", "RectLight", "DiskLight", "CylinderLight", *DRAWN, *JOINTS,
)  # fmt: skip
LOOKS = (
    "xformOpOrder visibility purpose extent doubleSided orientation normals subdivisionScheme interpolateBoundary "
    "faceVaryingLinearInterpolation triangleSubdivisionRule cornerIndices cornerSharpnesses creaseIndices "
    "creaseLengths creaseSharpnesses holeIndices velocities accelerations st proxyPrim familyName indices elementType"
).split()
READ = (
    "PhysicsRigidBodyAPI PhysicsMassAPI PhysicsCollisionAPI PhysicsMeshCollisionAPI PhysicsArticulationRootAPI "
    "PhysicsMaterialAPI PhysicsDriveAPI PhysicsLimitAPI PhysicsJointStateAPI MaterialBindingAPI CollectionAPI "
    "GeomModelAPI MjcJointAPI PhysxJointAPI NewtonJointAPI SemanticsAPI ShapingAPI ShadowAPI LightAPI"
).split()


@dataclass
class Body:
    """A rigid body: its prim, frame in ground (m) and scale; mass, centre and inertia about it in its axes."""

    prim: Any
    name: str
    frame: Frame
    scale: np.ndarray
    still: bool
    mass: float = 0.0
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    shapes: list[Any] = field(default_factory=list)


def read_usd(
    path: str | Path,
    *,
    positions: Mapping[str, float] | None = None,
    gravity: Sequence[float] | None = None,
    shapes: str = "collision",
    root: str | Path | None = None,
) -> Model:
    """Model of the rigid bodies and joints of a USD stage (.usd, .usda, .usdc, .usdz), in SI units.

    Bodies are the prims with PhysicsRigidBodyAPI where the stage places them; those that a fixed joint connects are one
    part.  ``positions``: joint -> angle (rad) or travel (m) at the start, to which assembly moves the bodies.
    ``gravity``: m/s^2, in place of that of the PhysicsScene.  ``shapes``: "collision", "visual" or "none", ready for
    contacts, of which none is added.  ``root``: the folder that referenced layers must lie in (default: two folders
    above the file).

    Drives act as  k (target - q) + c (rate - q')  within their largest force, with the target as an input of the model;
    limits are stops; ``armature`` of PhysX, Newton and MuJoCo is that of the joint.  What has no counterpart is named
    in one warning.  Requires the package usd-core.  Raises `ModelError` for what cannot be read, with the path of the
    prim.

        model = hn.read_usd("robot.usda", positions={"elbow": 0.5})
        run = hn.simulate(model, end=1.0, steps=100)
    """
    path = Path(path)
    if shapes not in ("collision", "visual", "none"):
        raise ModelError(f"shapes is {shown(shapes)}; give 'collision', 'visual' or 'none'")
    reader = _Reader(_open(path), path, root)
    model = Model(path.stem)
    model.path = str(path)
    weight: Any = reader.gravity() if gravity is None else gravity  # the model checks it
    model.gravity = weight
    reader.find_bodies()
    reader.build(model, positions or {})
    drawn = Shapes(model, path, root, convex=shapes == "collision")
    reader.draw(drawn, shapes)
    for text in drawn.report():
        model.warn(text)
    if reader.faults:
        model.warn(f"'{path}': {'; '.join(reader.faults)}")
    left = reader.unread()
    if left:
        model.warn(f"'{path}': not read, without effect: {', '.join(left)}")
    return model


def _open(path: Path) -> Any:
    """The stage of a file.  Raises `ModelError` where it, or the package, is absent."""
    try:
        from pxr import Tf, Usd
    except ImportError:
        raise ModelError(
            f"'{path}': reading USD requires the package usd-core; install it by pip install 'holonom[usd]'"
        ) from None
    if not path.is_file():
        raise ModelError(f"the file '{path}' does not exist")
    try:
        return Usd.Stage.Open(str(path))
    except Tf.ErrorException as error:
        why = str(getattr(error.args[0], "commentary", error) if error.args else error).strip()
        raise ModelError(f"'{path}' is not a USD stage that can be opened: {why}") from None


def _floats(value: Any) -> np.ndarray:
    return np.array([float(x) for x in value])


def _quaternion(value: Any) -> np.ndarray:
    return np.array([value.GetReal(), *value.GetImaginary()], float)


class _Reader:
    def __init__(self, stage: Any, path: Path, root: Any) -> None:
        from pxr import Usd, UsdGeom, UsdPhysics

        self.stage, self.path = stage, path
        self.length = float(UsdGeom.GetStageMetersPerUnit(stage))
        self.mass = float(UsdPhysics.GetStageKilogramsPerUnit(stage))
        if not (self.length > 0.0 and self.mass > 0.0):
            raise ModelError(
                f"'{path}': metersPerUnit is {self.length:g}, kilogramsPerUnit {self.mass:g}; both must be positive"
            )
        above = path.resolve().parents
        folder = (Path(root) if root is not None else above[min(2, len(above) - 1)]).resolve()
        for layer in stage.GetUsedLayers():
            file = layer.realPath
            if file and folder not in Path(file).resolve().parents:
                raise ModelError(
                    f"'{path}': the layer '{file}' is outside of '{folder}'; name a folder that has it by root="
                )
        self.prims = list(stage.Traverse(Usd.TraverseInstanceProxies()))
        self.cache = UsdGeom.XformCache()
        self.up = str(UsdGeom.GetStageUpAxis(stage))
        self.bodies: dict[str, Body] = {}  # by the path of the prim
        self.part: dict[str, Any] = {}
        self.light: dict[str, Any] = {}  # parts between joints in series
        self.faults: list[str] = []
        self.used: set[str] = set()  # paths of properties

    # ---- values ------------------------------------------------------------------------------------------------------
    def value(self, prim: Any, name: str, default: Any = None) -> Any:
        """Value of an attribute, or ``default``; counts as read."""
        attribute = prim.GetAttribute(name)
        if not attribute:
            return default
        self.used.add(str(attribute.GetPath()))
        found = attribute.Get()
        return default if found is None else found

    def number(self, prim: Any, name: str, default: float) -> float:
        """The same of a number.  Raises `ModelError` for one that is not a number."""
        found = float(self.value(prim, name, default))
        if math.isnan(found):
            raise ModelError(f"{self.where(prim)}: {name} is not a number; give one")
        return found

    def positive(self, prim: Any, name: str, default: float = 0.0) -> float:
        """The same of a number that must not be negative."""
        found = self.number(prim, name, default)
        if found < 0.0 or not math.isfinite(found):
            raise ModelError(f"{self.where(prim)}: {name} is {found:g}; give 0 or more")
        return found

    def axis(self, prim: Any, name: str, default: str) -> str:
        """X, Y or Z.  Raises `ModelError` for another word."""
        found = str(self.value(prim, name, default))
        if found not in tuple(AXES):
            raise ModelError(f"{self.where(prim)}: {name} is '{found}'; give X, Y or Z")
        return found

    def where(self, prim: Any) -> str:
        return f"'{self.path}': {prim.GetPath()}"

    def placed(self, prim: Any) -> tuple[Frame, np.ndarray]:
        """Frame (m) of a prim in ground, and its scale.  Raises `ModelError` for a sheared one."""
        M = np.array(self.cache.GetLocalToWorldTransform(prim), float)
        if not np.isfinite(M).all():
            raise ModelError(f"{self.where(prim)}: its transformation has numbers that are not finite")
        rows = M[:3, :3]
        scale = np.linalg.norm(rows, axis=1)
        if not scale.min() > 0.0:
            raise ModelError(f"{self.where(prim)}: its scale is zero; give a positive one")
        axes = (rows / scale[:, None]).T
        if np.linalg.det(axes) < 0.0:
            axes[:, 2] *= -1.0
            scale[2] *= -1.0
        if np.abs(axes.T @ axes - np.eye(3)).max() > 1e-5:
            raise ModelError(f"{self.where(prim)}: its transformation is sheared; give rotations and scales along axes")
        u, _, v = np.linalg.svd(axes)  # single precision in the file
        return Frame(M[3, :3] * self.length, u @ v), scale

    def gravity(self) -> tuple[float, ...]:
        """m/s^2; of the first scene."""
        scenes = [prim for prim in self.prims if prim.GetTypeName() == "PhysicsScene"]
        for prim in scenes[1:]:
            self.faults.append(f"{prim.GetPath()} is a second PhysicsScene, whose gravity has no effect")
        down = np.zeros(3)
        size = 9.81
        if scenes:
            down = _floats(self.value(scenes[0], "physics:gravityDirection", (0.0, 0.0, 0.0)))
            given = self.number(scenes[0], "physics:gravityMagnitude", -math.inf)
            size = given * self.length if given > -1e30 else 9.81
        if not np.linalg.norm(down) > 0.0:
            down = -np.eye(3)[AXES.index(self.up)]
        return tuple(float(x) for x in size * down / np.linalg.norm(down) + 0.0)

    # ---- bodies ------------------------------------------------------------------------------------------------------
    def find_bodies(self) -> None:
        from pxr import UsdPhysics

        found = [prim for prim in self.prims if prim.HasAPI(UsdPhysics.RigidBodyAPI)]
        count = Counter(str(prim.GetName()) for prim in found)
        for prim in found:
            enabled = bool(self.value(prim, "physics:rigidBodyEnabled", True))
            driven = bool(self.value(prim, "physics:kinematicEnabled", False))
            path = str(prim.GetPath())
            name = str(prim.GetName()) if count[prim.GetName()] == 1 else path.lstrip("/")
            if driven:
                self.faults.append(f"body '{name}' is moved by the user (kinematicEnabled), here it is fixed to ground")
            self.bodies[path] = Body(prim, name, *self.placed(prim), not enabled or driven)
        if not self.bodies:
            raise ModelError(f"'{self.path}': the stage has no prim with PhysicsRigidBodyAPI, so there is no body")
        for prim in self.prims:
            if prim.HasAPI(UsdPhysics.CollisionAPI):
                body = self.body_of(prim)
                if body is not None:
                    body.shapes.append(prim)
        for body in self.bodies.values():
            if not body.still:
                self.weigh(body)

    def body_of(self, prim: Any) -> Body | None:
        """The body that carries a prim; None on ground."""
        while prim and str(prim.GetPath()) not in self.bodies:
            prim = prim.GetParent()
        return self.bodies[str(prim.GetPath())] if prim else None

    def weigh(self, body: Body) -> None:
        """Mass, centre and inertia: those given, else of the colliders."""
        prim = body.prim
        mass = self.positive(prim, "physics:mass") * self.mass
        centre = _floats(self.value(prim, "physics:centerOfMass", (-math.inf,) * 3))
        diagonal = _floats(self.value(prim, "physics:diagonalInertia", (0.0,) * 3))
        turn = self.value(prim, "physics:principalAxes")
        density = self.positive(prim, "physics:density") * self.mass / self.length**3
        if diagonal.min() < 0.0:
            raise ModelError(
                f"{self.where(prim)}: the inertia of body '{body.name}' has the principal moment {diagonal.min():g}; "
                "give positive ones"
            )
        known = mass > 0.0 and np.isfinite(centre).all() and diagonal.any()
        solids = [] if known else [s for shape in body.shapes if (s := self.solid(body, shape, density)) is not None]
        if solids:
            body.mass, body.centre, body.inertia = combine_masses(solids)
            if mass > 0.0:
                body.mass, body.inertia = mass, body.inertia * (mass / body.mass)
        elif mass > 0.0:
            body.mass, body.inertia = mass, 0.4 * mass * 0.1**2 * np.eye(3)
            if not diagonal.any():
                self.faults.append(
                    f"body '{body.name}' has neither an inertia nor a collider; it has that of a ball of 0.1 m radius"
                )
        else:
            body.mass, body.inertia = 1.0, 0.4 * 0.1**2 * np.eye(3)
            self.faults.append(
                f"body '{body.name}' has neither a mass nor a collider from which it follows; it has 1 kg, as a ball "
                "of 0.1 m radius"
            )
        if np.isfinite(centre).all():
            body.centre = centre * body.scale * self.length
        if diagonal.any():
            unit = self.mass * self.length**2
            axes = np.eye(3)
            if turn is not None and np.linalg.norm(_quaternion(turn)) > 0.0:
                q = _quaternion(turn)
                axes = from_quaternion(tuple(q / np.linalg.norm(q)))
            body.inertia = axes @ np.diag(diagonal * unit) @ axes.T

    def solid(self, body: Body, prim: Any, density: float) -> tuple[float, np.ndarray, np.ndarray] | None:
        """Mass, centre and inertia about it of a collider in the axes of its body."""
        own = self.positive(prim, "physics:density") * self.mass / self.length**3
        mass = self.positive(prim, "physics:mass") * self.mass
        try:
            kind, size, frame, mesh = self.geometry(prim)
            if kind == "mesh":
                volume, centre, inertia = _of_hull(mesh)
            elif kind in ("plane", "cone"):
                raise ModelError(f"a {kind} has no mass here")
            else:
                volume, moments = unit_moments(kind, size, False)
                centre, inertia = np.zeros(3), np.diag(moments)
        except ModelError as error:
            self.faults.append(f"body '{body.name}': the mass of {prim.GetPath()} is left out: {error}")
            return None
        mass = mass or volume * (own or density or self.of_material(prim) or WATER)
        R = body.frame.axes.T @ frame.axes
        place = body.frame.axes.T @ (frame.origin - body.frame.origin) + R @ centre
        return mass, place, mass * R @ inertia @ R.T

    def of_material(self, prim: Any) -> float:
        """Density of the physics material of a collider, zero where it has none."""
        from pxr import UsdShade

        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        if not material:
            return 0.0
        return self.positive(material.GetPrim(), "physics:density") * self.mass / self.length**3

    def geometry(self, prim: Any) -> tuple[str, tuple[float, ...], Frame, Any]:
        """Kind, sizes as in MJCF (radius, half lengths; m), frame in ground and points with triangles of a shape.
        Raises `ModelError` for others, and for scales that make another shape of it."""
        frame, scale = self.placed(prim)
        scale = np.abs(scale) * self.length
        kind = str(prim.GetTypeName())
        value = lambda name, default: float(self.value(prim, name, default))
        if kind == "Cube":
            half = 0.5 * value("size", 2.0) * scale
            return "box", tuple(half), frame, None
        if kind == "Sphere":
            radii = value("radius", 1.0) * scale
            even = np.ptp(radii) <= 1e-6 * radii.max()
            return ("sphere", (float(radii[0]),), frame, None) if even else ("ellipsoid", tuple(radii), frame, None)
        if kind in ("Capsule", "Cylinder", "Cone", "Plane"):
            k = AXES.index(self.axis(prim, "axis", "Z"))
            along = Frame(frame.origin, frame.axes @ np.roll(np.eye(3), k - 2, axis=0).T)
            if kind == "Plane":
                for name in ("width", "length"):
                    self.value(prim, name)
                return "plane", (), along, None
            across = np.delete(scale, k)
            if abs(across[0] - across[1]) > 1e-6 * across.max():
                raise ModelError(f"its scale makes an ellipse of the section of this {kind.lower()}")
            if kind == "Capsule" and abs(scale[k] - across[0]) > 1e-6 * across.max():
                raise ModelError("its scale makes ellipsoids of the ends of this capsule")
            radius = value("radius", 0.5 if kind == "Capsule" else 1.0)
            height = value("height", 1.0 if kind == "Capsule" else 2.0)
            return kind.lower(), (radius * float(across[0]), 0.5 * height * float(scale[k])), along, None
        if kind == "Mesh":
            points = np.array(self.value(prim, "points", []), float).reshape(-1, 3)
            counts = np.array(self.value(prim, "faceVertexCounts", []), int)
            corners = np.array(self.value(prim, "faceVertexIndices", []), int)
            if not len(points) or not len(counts) or counts.sum() != len(corners):
                raise ModelError("the mesh has no points or no faces")
            if corners.min() < 0 or corners.max() >= len(points):
                raise ModelError("the mesh names points that it does not have")
            first = np.concatenate([[0], np.cumsum(counts)[:-1]])
            faces = [(f, f + k + 1, f + k + 2) for f, n in zip(first, counts) for k in range(n - 2)]
            signed = self.placed(prim)[1] * self.length
            return "mesh", (), frame, (points * signed, corners[np.array(faces, int)])
        raise ModelError(f"shapes of the type {kind or 'without a type'} are not read")

    # ---- joints ------------------------------------------------------------------------------------------------------
    def end(self, prim: Any, side: int) -> tuple[Body | None, Frame]:
        """Body of one side of a joint, None for ground, and the frame of the joint there in ground."""
        relation = prim.GetRelationship(f"physics:body{side}")
        targets = relation.GetTargets() if relation else []
        if relation:
            self.used.add(str(relation.GetPath()))
        base, scale, body = Frame.identity(), np.ones(3), None
        if targets:
            other = self.stage.GetPrimAtPath(targets[0])
            if not other or len(targets) > 1:
                raise ModelError(
                    f"{self.where(prim)}: body{side} is {', '.join(map(str, targets))}, which is no prim; name one body"
                )
            base, scale = self.placed(other)
            body = self.body_of(other)
        at = _floats(self.value(prim, f"physics:localPos{side}", (0.0,) * 3)) * scale * self.length
        turn = self.value(prim, f"physics:localRot{side}")
        q = np.array([1.0, 0.0, 0.0, 0.0]) if turn is None else _quaternion(turn)
        if not (np.isfinite(at).all() and np.linalg.norm(q) > 0.0):
            raise ModelError(
                f"{self.where(prim)}: localPos{side} is not finite or localRot{side} is zero; give a place and a unit "
                "quaternion"
            )
        local = Frame(at, from_quaternion(tuple(q / np.linalg.norm(q))))
        return (None if body is None or body.still else body), base @ local

    def names_body(self, prim: Any, side: int) -> bool:
        """Whether one side of a joint is a body, one that is fixed to ground too."""
        relation = prim.GetRelationship(f"physics:body{side}")
        others = map(self.stage.GetPrimAtPath, relation.GetTargets() if relation else [])
        return any(self.body_of(other) is not None for other in others)

    def build(self, model: Model, positions: Mapping[str, float]) -> None:
        prims = [prim for prim in self.prims if str(prim.GetTypeName()) in JOINTS]
        count = Counter(str(prim.GetName()) for prim in prims)
        joints = []
        for prim in prims:
            name = str(prim.GetName()) if count[prim.GetName()] == 1 else str(prim.GetPath()).lstrip("/")
            if not bool(self.value(prim, "physics:jointEnabled", True)):
                self.faults.append(f"joint '{name}' is not enabled and has no effect")
                continue
            (one, j), (two, i) = self.end(prim, 0), self.end(prim, 1)
            if one is two:
                if one is None and any(self.names_body(prim, side) for side in (0, 1)):
                    self.faults.append(f"joint '{name}' connects bodies that are fixed to ground and has no effect")
                    continue
                raise ModelError(f"{self.where(prim)}: joint '{name}' connects {self._name(one)} with itself")
            joints.append((prim, name, self.freedoms(prim), one, j, two, i))
        size = max((float(np.linalg.norm(b.frame.origin)) for b in self.bodies.values()), default=0.0) + 1.0
        closed = lambda j, i: (
            np.linalg.norm(i.origin - j.origin) <= CLOSED * size and np.abs(i.axes - j.axes).max() <= CLOSED
        )
        self.parts(model, [(one, two) for _, _, free, one, j, two, i in joints if not free and closed(j, i)])
        made: dict[str, Any] = {}
        for prim, name, free, one, j, two, i in self.in_series(joints):
            ends = [
                body
                if isinstance(body, Part)
                else model.ground
                if body is None
                else self.part[str(body.prim.GetPath())]
                for body in (self.between(model, one), self.between(model, two))
            ]
            if ends[0] is ends[1]:
                if free:
                    raise ModelError(f"{self.where(prim)}: joint '{name}' connects bodies that fixed joints make one")
                continue
            made[name] = self.joint(model, prim, name, free, ends[0], j, ends[1], i)
        single = {name: q for name, q in made.items() if isinstance(q, Coordinate)}
        for name, value in positions.items():
            if name not in single:
                meant = close_word(name, single)
                raise ModelError(
                    f"positions has '{name}', which is no joint with one coordinate"
                    + (f"; did you mean '{meant}'?" if meant else "")
                )
            turns = single[name].turns
            q = start_of(name, value, turns)
            for text in doubts_of({name: q} if turns else {}):
                model.warn(text)
            setattr(single[name].joint, "icrot" if turns else "ictran", (q, None))

    def in_series(self, joints: list) -> list:
        """The joints, those of MuJoCo's schema between the same two bodies one behind the other: with light bodies
        (`LIGHT`) between them, as in MJCF.  Raises `ModelError` where they are not drawn at zero."""
        groups: dict[Any, list] = {}
        for joint in joints:
            prim, _, free, one, _, two, _ = joint
            alone = len(free) != 1 or "MjcJointAPI" not in _schemas(prim)
            groups.setdefault(str(prim.GetPath()) if alone else (id(one), id(two)), []).append(joint)
        out = []
        for group in groups.values():
            _, _, _, one, _, two, _ = group[0]
            before = one
            for n, (prim, name, free, _, j, _, i) in enumerate(group):
                if len(group) > 1 and not np.allclose(np.c_[i.axes, i.origin], np.c_[j.axes, j.origin], atol=1e-5):
                    raise ModelError(
                        f"{self.where(prim)}: joint '{name}', one of several between {self._name(one)} and "
                        f"{self._name(two)}, is not drawn at zero; draw the bodies with all of them at zero"
                    )
                after = two
                if n < len(group) - 1:
                    if two is None:
                        raise ModelError(
                            f"{self.where(prim)}: joint '{name}' is one of several whose body1 is ground; make ground "
                            "body0"
                        )
                    mass = LIGHT * two.mass
                    size = max(float(np.trace(two.inertia)) / (3.0 * two.mass), 1e-6)
                    light = (f"{two.name}.{name}", mass, mass * size, j.origin)
                    after = light
                out.append((prim, name, free, before, j, after, i))
                before = after
        return out

    def between(self, model: Model, body: Any) -> Any:
        """The part of a light body of `in_series`, else the body itself."""
        if not isinstance(body, tuple):
            return body
        name, mass, moment, at = body
        if name not in self.light:
            self.light[name] = model.part(name, mass, (moment,) * 3, tuple(at))
        return self.light[name]

    def _name(self, body: Body | None) -> str:
        return "ground" if body is None else f"body '{body.name}'"

    def parts(self, model: Model, fixed: list[tuple[Body | None, Body | None]]) -> None:
        """The parts: of bodies that fixed joints connect, one."""
        path = lambda body: WORLD if body is None or body.still else str(body.prim.GetPath())
        head = {p: (WORLD if body.still else p) for p, body in self.bodies.items()} | {WORLD: WORLD}

        def top(name: str) -> str:
            while head[name] != name:
                name = head[name]
            return name

        for one, two in fixed:
            a, b = top(path(one)), top(path(two))
            if a != b:
                head[a if b == WORLD else b] = b if b == WORLD else a
        members: dict[str, list[str]] = {}
        for name in self.bodies:
            members.setdefault(top(name), []).append(name)
        for name, group in members.items():
            whole = model.ground
            if name != WORLD:
                found = [self.bodies[p] for p in group]
                pieces = [
                    (b.mass, b.frame.origin + b.frame.axes @ b.centre, b.frame.axes @ b.inertia @ b.frame.axes.T)
                    for b in found
                ]
                whole = add_part(model, self.bodies[name].name, pieces, self.bodies[name].frame)
            for p in group:  # of bodies that are one the velocity of the first counts
                self.moving(whole if p == name else None, self.bodies[p])
            for p in group:
                body = self.bodies[p]
                self.part[p] = whole
                model.marker_at(whole, tuple(body.frame.origin), axes=body.frame.axes, name=body.name)

    def moving(self, part: Any, body: Body) -> None:
        """Velocities at the start: of the origin in the axes of the parent of the prim, degrees per second."""
        v = _floats(self.value(body.prim, "physics:velocity", (0.0,) * 3)) * self.length
        w = _floats(self.value(body.prim, "physics:angularVelocity", (0.0,) * 3)) * DEGREE
        if part is None or not (v.any() or w.any()):
            return
        axes, scale = self.placed(body.prim.GetParent())
        w = axes.axes @ w
        v = axes.axes @ (v * scale) + np.cross(w, body.frame.axes @ body.centre)
        part.vx, part.vy, part.vz = map(float, v)
        part.wx, part.wy, part.wz = map(float, body.frame.axes.T @ w)

    def freedoms(self, prim: Any) -> tuple[str, ...]:
        """The freedoms of a joint, of `FREEDOMS`."""
        kind = str(prim.GetTypeName())
        if kind in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"):
            word = "rot" if kind == "PhysicsRevoluteJoint" else "trans"
            return (word + self.axis(prim, "physics:axis", "X"),)
        if kind == "PhysicsSphericalJoint":
            return FREEDOMS[3:]
        if kind == "PhysicsFixedJoint":
            return ()
        if kind == "PhysicsDistanceJoint":
            return FREEDOMS
        locked = []
        for name in FREEDOMS:
            low, high = (self.number(prim, f"limit:{name}:physics:{w}", s) for w, s in (("low", -1e99), ("high", 1e99)))
            if low > high:
                locked.append(name)
        return tuple(name for name in FREEDOMS if name not in locked)

    def joint(self, model: Model, prim: Any, name: str, free: tuple[str, ...], one: Any, j: Frame, two: Any, i: Frame):
        """The joint of parts ``one`` and ``two`` with frames j and i."""
        turns, slides = (tuple(f[-1] for f in free if f.startswith(word)) for word in ("rot", "trans"))

        def ends(z: str, x: str = "", mine: str = "") -> tuple[Any, Any]:
            """Markers whose z is an axis of the joint frames; ``mine``: another one of I."""
            return (
                model.marker_at(two, tuple(i.origin), axes=i.axes @ _to(mine or z, z if mine else x)),
                model.marker_at(one, tuple(j.origin), axes=j.axes @ _to(z, mine if mine else x)),
            )

        if str(prim.GetTypeName()) == "PhysicsDistanceJoint":
            for word in ("minDistance", "maxDistance"):
                self.value(prim, f"physics:{word}")
            self.faults.append(f"joint '{name}' limits a distance, which is not modelled; it has no effect")
            return None
        if len(free) == 1:
            return self.single(model, prim, name, bool(turns), *ends(free[0][-1]), j, i)
        self.idle(prim, name, free)
        if not free:
            return model.fixed(*ends("Z"), name)
        if len(turns) == 3 and not slides:
            return model.spherical(*ends("Z"), name)
        if len(free) == 6:
            self.faults.append(f"joint '{name}' locks no motion, so it connects nothing")
            return None
        if not turns and len(slides) == 3:
            return model.primitive("ORIENTATION", *ends("Z"), name)
        if turns == slides and len(turns) == 1:
            return model.cylindrical(*ends(turns[0]), name)
        if len(turns) == 1 and len(slides) == 2 and turns[0] not in slides:
            return model.planar(*ends(turns[0]), name)
        if len(turns) == 2 and not slides:
            return model.universal(*ends(turns[0], mine=turns[1]), name)
        raise ModelError(
            f"{self.where(prim)}: joint '{name}' leaves {', '.join(free)} free, for which there is no joint; lock some"
        )

    def single(self, model: Model, prim: Any, name: str, turns: bool, i: Any, j: Any, at: Frame, of: Frame):
        """A revolute or prismatic joint with its limits, drive, damping and armature."""
        kind = str(prim.GetTypeName())
        axle = Axle()
        word = JOINTS[kind]
        unit = DEGREE if turns else self.length
        if word:
            low = self.number(prim, "physics:lowerLimit", -math.inf)
            high = self.number(prim, "physics:upperLimit", math.inf)
        else:
            word = next(f for f in self.freedoms(prim))
            low = self.number(prim, f"limit:{word}:physics:low", -math.inf)
            high = self.number(prim, f"limit:{word}:physics:high", math.inf)
        if low > high:
            raise ModelError(
                f"{self.where(prim)}: the limits of joint '{name}' are {low:g} and {high:g}; the lower one must not be "
                "above the upper one"
            )
        axle.lower = low * unit if low > -1e30 else None
        axle.upper = high * unit if high < 1e30 else None
        unit_of = self.mass * (self.length**2 if turns else 1.0)
        for attribute in ARMATURES:
            given = self.positive(prim, attribute) * unit_of
            axle.armature = axle.armature or given
        axle.damping = self.positive(prim, "mjc:damping") * unit_of
        if not self.number(prim, "mjc:springref", 0.0):
            axle.stiffness = self.positive(prim, "mjc:stiffness") * unit_of
        else:
            self.faults.append(f"joint '{name}': its spring (mjc:stiffness, mjc:springref) is not modelled")
        axle.friction = self.positive(prim, "mjc:frictionloss") * unit_of * (1.0 if turns else self.length)
        zi, zj = (model.find("MARKER", m.id).frame for m in (i, j))
        Ai, Aj = (model.body_frame(m).axes @ f.axes for m, f in ((i, zi), (j, zj)))
        R = Aj.T @ Ai
        start = math.atan2(R[1, 0], R[0, 0]) if turns else float(Aj[:, 2] @ (of.origin - at.origin))
        if axle.lower is not None and axle.upper is not None and axle.lower == axle.upper:
            return model.fixed(i, j, name)
        q = add_coordinate(model, name, turns, i, j, axle, start)
        self.drive(model, prim, name, word, q, turns)
        return q

    def drive(self, model: Model, prim: Any, name: str, word: str, q: Coordinate, turns: bool) -> None:
        """k (target - q) + c (rate - q') within the largest force."""
        of = f"drive:{word}:physics"
        k, c = (self.positive(prim, f"{of}:{what}") for what in ("stiffness", "damping"))
        target, rate = (self.number(prim, f"{of}:target{what}", 0.0) for what in ("Position", "Velocity"))
        most = self.number(prim, f"{of}:maxForce", math.inf)
        if most < 0.0 or not (math.isfinite(target) and math.isfinite(rate)):
            raise ModelError(
                f"{self.where(prim)}: the drive of joint '{name}' has the target {target:g}, the rate {rate:g} and the "
                f"largest force {most:g}; give finite targets and a force of 0 or more"
            )
        kind = str(self.value(prim, f"{of}:type", "force"))
        if not k and not c:
            return
        if kind != "force":
            self.faults.append(
                f"joint '{name}': its drive has the type '{kind}', which is not modelled; it has no force"
            )
            return
        force = self.mass * (self.length**2 / DEGREE if turns else 1.0)
        unit = DEGREE if turns else self.length
        terms = []
        if k:
            aim = model.input(f"{name} target", target * unit)
            terms.append(f"{k * force!r}*(VARVAL({aim.id})-{q.position})")
        if c:
            terms.append(f"{c * force!r}*({rate * unit!r}-{q.rate})")
        text = "+".join(terms)
        if most < 1e30:
            most *= self.mass * self.length * (self.length if turns else 1.0)
            text = f"MIN({most!r},MAX({-most!r},{text}))"
        q.load(model, text, f"{name} drive")

    def idle(self, prim: Any, name: str, free: tuple[str, ...]) -> None:
        """Names limits and drives of joints with several coordinates, which have no effect."""
        for word in free:
            low, high = (self.number(prim, f"limit:{word}:physics:{w}", s) for w, s in (("low", -1e99), ("high", 1e99)))
            if low > -1e30 or high < 1e30:
                self.faults.append(
                    f"joint '{name}': the limits of {word} have no effect in a joint of several freedoms"
                )
            k, c = (self.positive(prim, f"drive:{word}:physics:{w}") for w in ("stiffness", "damping"))
            for what in ("type", "maxForce", "targetPosition", "targetVelocity"):
                self.value(prim, f"drive:{word}:physics:{what}")
            if k or c:
                self.faults.append(f"joint '{name}': the drive of {word} has no effect in a joint of several freedoms")
        for k in (0, 1):
            if self.number(prim, f"physics:coneAngle{k}Limit", -1.0) >= 0.0:
                self.faults.append(f"joint '{name}': coneAngle{k}Limit has no effect")

    # ---- shapes ------------------------------------------------------------------------------------------------------
    def draw(self, shapes: Shapes, which: str) -> None:
        """Shapes of bodies and of ground: those that can touch, or those that are seen."""
        from pxr import UsdGeom, UsdPhysics

        for prim in self.prims:
            collides = prim.HasAPI(UsdPhysics.CollisionAPI)
            seen = str(prim.GetTypeName()) in DRAWN
            if not (collides or seen) or which == "none":
                continue
            if which == "collision" and not (collides and bool(self.value(prim, "physics:collisionEnabled", True))):
                continue
            if which == "visual" and (not seen or UsdGeom.Imageable(prim).ComputePurpose() == "guide"):
                continue
            body = self.body_of(prim)
            part = shapes.model.ground if body is None else self.part[str(body.prim.GetPath())]
            name = f"{'ground' if body is None else body.name} {prim.GetName()}"
            shapes.add(name, self.shape(shapes, part, prim, name))

    def shape(self, shapes: Shapes, part: Any, prim: Any, name: str) -> Callable[[], Any]:
        def build() -> Any:
            kind, size, frame, mesh = self.geometry(prim)
            if kind == "mesh":
                return shapes.mesh(part, mesh, frame, name)
            if kind == "plane":
                return shapes.plane(part, frame, name)
            if kind == "box":
                return shapes.box(part, tuple(2.0 * s for s in size), frame, name)
            if kind == "sphere":
                return shapes.sphere(part, size[0], frame, name)
            if kind == "ellipsoid":
                return shapes.ellipsoid(part, size, frame, name)
            return shapes.round(kind, part, size[0], 2.0 * size[1], frame, name)

        return build

    # ---- what is left ------------------------------------------------------------------------------------------------
    def unread(self) -> list[str]:
        """Properties, schemas and prims without a counterpart, and how often they occur."""
        left: Counter[str] = Counter()
        for prim in self.prims:
            kind = str(prim.GetTypeName())
            if kind not in PLAIN:
                left[f"prims of type {kind}"] += 1
            for schema in _schemas(prim):
                if schema.split(":")[0] not in READ:
                    left[str(schema)] += 1
            if kind in ("Material", "Shader", "NodeGraph", "Camera") or kind.endswith("Light"):
                if not any(str(p.GetName()).startswith("physics:") for p in prim.GetAuthoredProperties()):
                    continue
            for item in prim.GetAuthoredProperties():
                name = str(item.GetName())
                if str(item.GetPath()) in self.used or name in LOOKS or name.split(":")[0] in PICTURES:
                    continue
                if kind in DRAWN and ":" not in name:  # of shapes that are not drawn
                    continue
                if _says_nothing(item, name):
                    continue
                left[name] += 1
        return [name + (f" ({n} times)" if n > 1 else "") for name, n in sorted(left.items())]


def _schemas(prim: Any) -> list[str]:
    """All schemas that are applied to a prim, registered here or not."""
    return [str(name) for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]


def _says_nothing(item: Any, name: str) -> bool:
    """Whether a value is the one that has no effect: joints that never break, approximations of shapes."""
    if name in ("physics:approximation", "physics:collisionEnabled", "physics:excludeFromArticulation"):
        return True
    if name in ("physics:breakForce", "physics:breakTorque"):
        return float(item.Get()) > 1e30
    return name == "physics:collisionEnabled"


def _to(z: str, x: str = "") -> np.ndarray:
    """Axes (3, 3) in a joint frame whose z is one of its axes, and whose x is another."""
    k = AXES.index(z)
    m = AXES.index(x) if x else (k + 1) % 3
    E = np.eye(3)
    return np.column_stack([E[m], np.cross(E[k], E[m]), E[k]])


def _of_hull(mesh: tuple[np.ndarray, np.ndarray]) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and inertia per unit of mass of the convex hull of a mesh."""
    volume, first, second = mesh_moments(*hull_triangles(mesh[0]))
    if not volume > 0.0:
        raise ModelError("the hull of the mesh has no volume")
    centre = first / volume
    spread = second / volume - np.outer(centre, centre)
    return volume, centre, np.trace(spread) * np.eye(3) - spread
