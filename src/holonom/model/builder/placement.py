"""Builder methods of `Model` that move, copy and mirror elements."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ..base import Element
from ..bodies import Part
from ..orientation import Frame, to_euler313
from ..outputs import MARKERS_OF_GRAPHICS
from ..parameters import refuse_late_change
from ..shape_kinds import graphics_with, mirrors
from ..values import vector, without_residue
from .bodies import Bodies
from .teaching import teach

ACROSS = np.diag([1.0, -1.0, 1.0])  # own axes of a mirror image: right-handed again


@teach
class Placement(Bodies):
    """Mixin of `Model`; positions, directions and rotations are in ground at the design position."""

    def move(self, element, by=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0), about=None) -> Any:
        """Move a part, a point mass or a marker: a rotation (rotation vector, radians) about a point, then a
        translation (length); returns it.

            r' = about + R(turn) (r - about) + by,   A' = R(turn) A

        ``about``: the origin of the element, unless given. Markers and shapes of a part move with it; markers of other
        parts stay, so joints may no longer be closed. Initial velocities are not changed. Raises `ModelError` for the
        ground, floating markers, and elements without a position.

            model.move(rod, by=(0, 0, 0.1), turn=(0, 0, math.pi / 2))
        """
        found = self._movable(element)
        refuse_late_change(self, "move", found)
        way, angle = np.asarray(vector(by, "by")), np.asarray(vector(turn, "turn"))
        self._radians(found, "turn", float(np.linalg.norm(angle)))
        body = found if found.KIND != "MARKER" else None
        old = found.frame if body is not None else self._place(found)
        point = old.origin if about is None else np.asarray(vector(about, "about"))
        if not angle.any() and body is not None:  # numbers stay as they are written
            for name in ("qg", "zg", "xg"):
                value = getattr(found, name)
                setattr(found, name, value if value is None else vector(np.asarray(value) + way))
            return found
        from scipy.spatial.transform import Rotation

        R = Rotation.from_rotvec(angle).as_matrix()
        self._put_at(found, Frame(point + R @ (old.origin - point) + way, R @ old.axes))
        return found

    def duplicate(self, element, name: str = "", *, by=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0), about=None) -> Any:
        """A copy of an element, moved as by `move`; returns the new element.

        A part is copied with its markers, shapes and sliding masses, without the joints and forces on it; the copy of a
        shape, joint or force uses the same markers as the original. Lengths in model units, rotations in radians.
        Raises `ModelError` as `move` does, for the ground and for flexible bodies.

            other = model.duplicate(wheel, "rear wheel", by=(-2.4, 0, 0))
        """
        found = self.find(element.KIND, element) if isinstance(element, Element) else self.find("PART", element)
        way, angle = vector(by, "by"), vector(turn, "turn")
        if found.KIND == "PART":
            made = self._twin(found, name or self._free_name(found), None)
        else:
            made = copy.copy(found)
            made.id, made.name, made.source = 0, name or self._free_name(found), None
            made = self.add(made)
        if any(way) or any(angle):
            self.move(made, way, angle, about)
        return made

    def mirror(self, part, at=(0.0, 0.0, 0.0), normal=(0.0, 1.0, 0.0), name: str = "") -> Part:
        """Add the mirror image of a part in the plane through ``at`` with a ``normal``; returns the new part.

            r' = r - 2 n (n.(r - at)),   axes: those of the image with y reversed, so that they are right-handed;
                Ixy, Iyz change their sign

        Its markers, shapes and sliding masses are mirrored with it, and initial velocities; joints and forces are not.
        Lengths in model units.  Raises `ModelError` for the ground, for flexible bodies, and for shapes that are not
        mirror images of themselves (meshes, extrusions).

            left = model.mirror(right, normal=(0, 1, 0), name="left arm")
        """
        part = self.find("PART", part)
        n = np.asarray(vector(normal, "normal"))
        if not np.linalg.norm(n) > 0.0:
            raise part.error("the normal of the mirror is zero; give a direction")
        n = n / np.linalg.norm(n)
        return self._twin(
            part, name or self._free_name(part), (np.asarray(vector(at, "at")), np.eye(3) - 2.0 * np.outer(n, n))
        )

    # ---- what they are made of --------------------------------------------------------------------------------------
    def _movable(self, element: Any) -> Any:
        found = self.find(element.KIND, element) if isinstance(element, Element) else self.find("PART", element)
        if found.KIND not in ("PART", "POINT_MASS", "MARKER"):
            raise found.error("it has no position of its own; move the markers that it names, or its part")
        if getattr(found, "ground", False):
            raise found.error("it is the ground, which does not move; move the parts, or its markers")
        if getattr(found, "floating", False):
            raise found.error("it floats: the force that names it states where it is")
        return found

    def _put_at(self, found: Any, frame: Frame) -> None:
        """Give an element a place, ``frame`` in ground."""
        size = float(np.linalg.norm(frame.origin))
        if found.KIND == "MARKER":
            body = self.body_frame(self.body_of(found))
            found.qp = without_residue(body.axes.T @ (frame.origin - body.origin), size)
            angles = without_residue(to_euler313(body.axes.T @ frame.axes), 1.0)
            found.reuler, found.zp, found.xp, found.usexp = angles, None, None, False
        else:
            found.qg, found.reuler = without_residue(frame.origin, size), without_residue(to_euler313(frame.axes), 1.0)
            found.zg = found.xg = None

    def _free_name(self, element: Any) -> str:
        taken = {e.name.lower() for e in self.table(element.KIND).values()}
        return next(name for k in range(2, len(taken) + 3) if (name := f"{element.name} {k}").lower() not in taken)

    def _twin(self, part: Any, name: str, mirror: tuple[np.ndarray, np.ndarray] | None) -> Part:
        """A second part with its own markers and shapes; ``mirror``: a point of the plane and the reflection (3, 3)."""
        if part.ground:
            raise part.error("it is the ground, and there is one only; name a part that moves")
        for kind in ("FLEXIBILITY", "FLEX_BODY", "FE_PART"):
            if any(getattr(e, "part", None) == part.id for e in self.table(kind).values()):
                raise part.error("it is flexible; make the other one by make_flexible, too")
        own = [
            m for m in self.table("MARKER").values() if m.body_kind == "PART" and m.part == part.id and not m.floating
        ]
        shapes = [
            g for g in self.table("GRAPHICS").values() if (named := set(g.markers)) and named <= {m.id for m in own}
        ]
        if mirror is not None:
            even = (*graphics_with("even"), "OUTLINE")
            for g in shapes:
                if g.type not in even or g.arguments.get("angle") not in (None, 0.0):
                    raise g.error(
                        f"a {g.type} has no mirror image that could be written; take it off the part first, or draw "
                        "it anew"
                    )
        ids = {m.id for m in own}
        sliding = [e for e in self.table("SLIDING_MASS").values() if e.marker in ids]
        for e in sliding:
            if any(m.body_kind == "SLIDING_MASS" and m.part == e.id for m in self.table("MARKER").values()):
                raise e.error(
                    "markers lie on it, which a copy of its part would not have; add it, and them, to the copy by "
                    "sliding_mass instead"
                )
        refuse_late_change(self, "a copy", part, (*own, *shapes, *sliding), (part,))
        twin = copy.copy(part)
        twin.id, twin.name, twin.source, twin.cm, twin.im, twin.vm, twin.wm = 0, name, None, None, None, None, None
        if mirror is not None:
            self._reflect(part, twin, *mirror)
        self.add(twin)
        new = {m.id: self._marker_of(m, part, twin, mirror is not None) for m in own}
        for field in ("cm", "im", "vm", "wm"):
            marker = getattr(part, field)
            setattr(twin, field, new.get(marker, marker))
        for g in shapes:
            self._shape_of(g, part, twin, new, mirror is not None)
        for mass in sliding:
            made = copy.copy(mass)
            made.id, made.source, made.marker = 0, None, new[mass.marker]
            made.name = renamed(mass.name, part.name, twin.name)
            self.add(made)
        return twin

    def _reflect(self, part: Any, twin: Part, at: np.ndarray, S: np.ndarray) -> None:
        frame = part.frame
        self._put_at(twin, Frame(at + S @ (frame.origin - at), S @ frame.axes @ ACROSS))
        ip = (*part.ip, *[0.0] * (6 - len(part.ip)))
        twin.ip = (*ip[:3], -ip[3], ip[4], -ip[5]) if part.ip else ()
        v = np.array([np.nan if getattr(part, f"v{c}") is None else getattr(part, f"v{c}") for c in "xyz"])
        if part.vm is not None:
            v = ACROSS @ v
        elif np.isfinite(v).any():
            if not np.isfinite(v).all() and np.count_nonzero(S - np.diag(np.diag(S))):
                raise part.error(
                    "one component of its initial velocity is free, which a mirror across the axes cannot keep; give "
                    "all three"
                )
            v = np.where(np.isfinite(v), S @ np.nan_to_num(v), np.nan)
        w = np.array([np.nan if getattr(part, f"w{c}") is None else getattr(part, f"w{c}") for c in "xyz"]) * [
            -1.0,
            1.0,
            -1.0,
        ]
        for c, one, other in zip("xyz", v.tolist(), w.tolist()):
            setattr(twin, f"v{c}", one + 0.0 if one == one else None)
            setattr(twin, f"w{c}", other + 0.0 if other == other else None)

    def _marker_of(self, marker: Any, part: Any, twin: Part, mirrored: bool) -> int:
        made = copy.copy(marker)
        made.id, made.source, made.part, made.name = 0, None, twin.id, renamed(marker.name, part.name, twin.name)
        if mirrored:
            frame = marker.frame
            made.qp, made.reuler = vector(ACROSS @ frame.origin), to_euler313(ACROSS @ frame.axes @ ACROSS)
            made.zp, made.xp, made.usexp = None, None, False
        return self.add(made).id

    def _shape_of(self, graphic: Any, part: Any, twin: Part, new: dict[int, int], mirrored: bool) -> None:
        made = copy.copy(graphic)
        made.id, made.source, made.name = 0, None, renamed(graphic.name, part.name, twin.name)
        made.arguments = {
            k: _mapped(v, new) if k.lower() in MARKERS_OF_GRAPHICS else v for k, v in graphic.arguments.items()
        }
        mirror = mirrors().get(graphic.type)
        if mirrored and mirror is not None:
            made.arguments |= mirror(self, made.arguments)
        self.add(made)


def renamed(name: str, old: str, new: str) -> str:
    """The name of an element of a part, adapted to the copy of the part."""
    if not name:
        return ""
    return new + name[len(old) :] if name.lower().startswith(f"{old.lower()}.") else f"{new}.{name}"


def _mapped(value: Any, new: dict[int, int]) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(_mapped(v, new) for v in value)
    return new.get(int(value), value) if isinstance(value, (int, float)) else value
