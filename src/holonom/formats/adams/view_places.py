"""Design-time functions of Adams View on locations and orientations: LOC_..., ORI_..., DX, AX, PSI and the like.

Source: Adams View function builder, design-time functions; the examples of its pages are the tests.  Locations and
orientations that a function returns are in the ground frame; angles are radians inside, and numbers without a unit are
in the angle unit of the file.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from ...model.orientation import Frame, axes_from, euler313, to_euler313
from .view_expression import Angle, Group, Place, Turn, ViewError, as_number, as_numbers, as_text


class Places:
    """Functions by name (``fun_loc_global`` is LOC_GLOBAL); a session gives the frames of objects and the angle
    unit."""

    degrees: bool

    def frame_of(self, name: str) -> Frame:
        raise NotImplementedError

    def turned(self, a: float, b: float, c: float) -> np.ndarray:
        raise NotImplementedError

    @property
    def turn(self) -> float:
        """Radians of the angle unit of the file."""
        return math.pi / 180 if self.degrees else 1.0

    def radians(self, value: Any) -> float:
        """An angle in radians; a number without a unit is in the angle unit of the file."""
        return float(value) if isinstance(value, Angle) else as_number(value) * self.turn

    # ---- arguments -----------------------------------------------------------------------------------------------
    def _frame_argument(self, value: Any) -> Frame:
        """Frame of an object; 0 is the ground."""
        if not isinstance(value, (str, Group)) and as_number(value) == 0.0:
            return Frame.identity()
        return self.frame_of(as_text(value))

    @staticmethod
    def _triple(values: Any) -> np.ndarray:
        found = as_numbers(values)
        if len(found) != 3:
            raise ViewError(f"a position is three numbers, not {len(found)}")
        return np.array(found)

    @staticmethod
    def _rows(values: Any, count: int) -> np.ndarray:
        """So many points, (count, 3)."""
        found = as_numbers(values)
        if len(found) != 3 * count:
            raise ViewError(f"{'two' if count == 2 else 'three'} points are {3 * count} numbers, not {len(found)}")
        return np.reshape(found, (count, 3))

    def _axes313(self, angles: Any) -> np.ndarray:
        """Axes of three angles, which ORI_ functions take as body 3-1-3 whatever the orientation type of the file
        is."""
        if isinstance(angles, list) and len(angles) == 1 and isinstance(angles[0], list):
            angles = angles[0]
        if not isinstance(angles, list) or len(angles) != 3:
            raise ViewError("an orientation is three angles")
        return euler313(*(self.radians(v) for v in angles))

    @staticmethod
    def _axis(axis: Any) -> int:
        letter = as_text(axis).lower()
        if letter not in ("x", "y", "z"):
            raise ViewError(f"an axis is x, y or z, not {letter[:20]}")
        return "xyz".index(letter)

    @staticmethod
    def _normal(plane: Any) -> int:
        """Number of the axis that a plane such as xy leaves out."""
        letters = as_text(plane).strip().lower()
        left = set("xyz") - set(letters)
        if len(letters) != 2 or len(left) != 1:
            raise ViewError(f"a plane, or two axes, is one of xy, yz, xz, not {letters[:20]}")
        return "xyz".index(left.pop())

    @staticmethod
    def _unit(vector: np.ndarray) -> np.ndarray:
        length = float(np.linalg.norm(vector))
        if not length > 0:
            raise ViewError("the points give no direction: they coincide or lie on one line")
        return vector / length

    # ---- locations -----------------------------------------------------------------------------------------------
    def fun_loc_relative_to(self, location: Any, system: Any) -> Place:
        frame = self._frame_argument(system)
        return Place((frame.origin + frame.axes @ self._triple(location)).tolist())

    def fun_loc_global(self, location: Any, system: Any) -> Place:
        return self.fun_loc_relative_to(location, system)

    def fun_loc_local(self, location: Any, system: Any) -> list:
        frame = self._frame_argument(system)
        return (frame.axes.T @ (self._triple(location) - frame.origin)).tolist()

    def fun_loc_loc(self, location: Any, system: Any, to: Any) -> list:
        """From one frame to another; to 0: to the ground."""
        place = self.fun_loc_relative_to(location, system)
        return place if not isinstance(to, (str, Group)) and as_number(to) == 0.0 else self.fun_loc_local(place, to)

    def fun_loc_inline(self, location: Any, system: Any, to: Any) -> list:
        """As LOC_LOC, divided by its length."""
        return self._unit(np.array(self.fun_loc_loc(location, system, to))).tolist()

    def fun_loc_along_line(self, first: Any, second: Any, distance: float) -> Place:
        a, b = self._frame_argument(first).origin, self._frame_argument(second).origin
        return self.fun_loc_on_line([*a.tolist(), *b.tolist()], distance)

    def fun_loc_on_line(self, points: Any, distance: Any) -> Place:
        a, b = self._rows(points, 2)
        return Place((a + self._unit(b - a) * as_number(distance)).tolist())

    def fun_loc_on_axis(self, system: Any, distance: Any, axis: Any) -> Place:
        frame = self._frame_argument(system)
        return Place((frame.origin + as_number(distance) * frame.axes[:, self._axis(axis)]).tolist())

    def fun_loc_x_axis(self, system: Any) -> list:
        return self._frame_argument(system).axes[:, 0].tolist()

    def fun_loc_y_axis(self, system: Any) -> list:
        return self._frame_argument(system).axes[:, 1].tolist()

    def fun_loc_z_axis(self, system: Any) -> list:
        return self._frame_argument(system).axes[:, 2].tolist()

    def fun_loc_cylindrical(self, radius: Any, angle: Any, z: Any) -> list:
        phi = self.radians(angle)
        return [as_number(radius) * math.cos(phi), as_number(radius) * math.sin(phi), as_number(z)]

    def fun_loc_spherical(self, rho: Any, theta: Any, phi: Any) -> list:
        around, down = self.radians(theta), self.radians(phi)
        r = as_number(rho)
        return [r * math.sin(down) * math.cos(around), r * math.sin(down) * math.sin(around), r * math.cos(down)]

    def fun_loc_mirror(self, location: Any, system: Any, plane: Any) -> Place:
        """A location of the ground frame behind a coordinate plane of an object."""
        frame = self._frame_argument(system)
        return self._mirrored(self._triple(location), frame.origin, frame.axes[:, self._normal(plane)])

    def fun_loc_frame_mirror(self, location: Any, system: Any, plane: Any) -> Place:
        return self.fun_loc_mirror(location, system, plane)

    def fun_loc_plane_mirror(self, location: Any, points: Any) -> Place:
        """A location of the ground frame behind the plane of three points."""
        a, b, c = self._rows(points, 3)
        return self._mirrored(self._triple(location), a, self._unit(np.cross(c - a, b - a)))

    def fun_loc_perpendicular(self, points: Any) -> Place:
        """One unit from the first of three points, across their plane: along (third - first) x (second - first), as in
        the manual's example."""
        a, b, c = self._rows(points, 3)
        return Place((a + self._unit(np.cross(c - a, b - a))).tolist())

    @staticmethod
    def _mirrored(place: np.ndarray, on: np.ndarray, normal: np.ndarray) -> Place:
        return Place((place - 2.0 * float(normal @ (place - on)) * normal).tolist())

    # ---- orientations --------------------------------------------------------------------------------------------
    def fun_ori_relative_to(self, angles: Any, system: Any) -> Turn:
        return Turn(to_euler313(self._frame_argument(system).axes @ self._axes313(angles)))

    def fun_ori_global(self, angles: Any, system: Any) -> Turn:
        return self.fun_ori_relative_to(angles, system)

    def fun_ori_local(self, angles: Any, system: Any) -> list:
        return self._local(self._axes313(angles), system)

    def fun_ori_ori(self, angles: Any, system: Any, to: Any) -> list:
        """From one frame to another; to 0: to the ground."""
        axes = self._frame_argument(system).axes @ self._axes313(angles)
        return (
            Turn(to_euler313(axes))
            if not isinstance(to, (str, Group)) and as_number(to) == 0.0
            else self._local(axes, to)
        )

    def _local(self, axes: np.ndarray, system: Any) -> list:
        return [Angle(v) for v in to_euler313(self._frame_argument(system).axes.T @ axes)]

    def fun_ori_along_axis(self, first: Any, second: Any, axis: Any = "z") -> Turn:
        d = self._frame_argument(second).origin - self._frame_argument(first).origin
        return Turn(to_euler313(directed("xyz"[self._axis(axis)], self._unit(d))))

    def fun_ori_one_axis(self, points: Any, axis: Any) -> Turn:
        a, b = self._rows(points, 2)
        return Turn(to_euler313(directed("xyz"[self._axis(axis)], self._unit(b - a))))

    def fun_ori_in_plane(self, first: Any, second: Any, third: Any, setting: Any = "z_zx") -> Turn:
        """``z_zx``: z from the first to the second object, the third in the zx plane."""
        a, b, c = (self._frame_argument(v).origin for v in (first, second, third))
        axis, plane = axis_and_plane(as_text(setting))
        return Turn(to_euler313(pointed(axis, b - a, plane, c - a)))

    def fun_ori_align_axis(self, system: Any, setting: Any) -> Turn:
        """``z-x``: z of the result against x of the frame; the two other axes, which View leaves open, are those of the
        frame in turn."""
        return self._aligned(self._frame_argument(system).axes, setting)

    def fun_ori_align_axis_eul(self, angles: Any, setting: Any) -> Turn:
        return self._aligned(self._axes313(angles), setting)

    @staticmethod
    def _aligned(given: np.ndarray, setting: Any) -> Turn:
        found = re.fullmatch(r"([xyz])([+-]?)([xyz])", as_text(setting).strip().lower())
        if not found:
            raise ViewError(f"axes are given as zx, z+x or z-x, not {as_text(setting)[:20]}")
        k, m = "xyz".index(found[1]), "xyz".index(found[3])
        against = found[2] == "-"
        axes = np.empty((3, 3))
        axes[:, k] = -given[:, m] if against else given[:, m]
        first, second = given[:, (m + 1) % 3], given[:, (m + 2) % 3]
        axes[:, (k + 1) % 3], axes[:, (k + 2) % 3] = (second, first) if against else (first, second)
        return Turn(to_euler313(axes))

    def fun_ori_all_axes(self, points: Any, setting: Any) -> Turn:
        """``xz``: x along the line from the first of three points to the second, z in their plane to the side of the
        third."""
        letters = as_text(setting).strip().lower()
        if len(letters) != 2 or letters[0] == letters[1] or set(letters) - set("xyz"):
            raise ViewError(f"two axes are given as xz, not {letters[:20]}")
        a, b, c = self._rows(points, 3)
        return Turn(to_euler313(pointed(letters[0], b - a, letters[1], c - a)))

    def fun_ori_mirror(self, angles: Any, system: Any, plane: Any, letters: Any) -> Turn:
        """Two axes of an orientation of the ground frame behind a coordinate plane of an object; the third is across
        both."""
        return self._turned_over(
            self._axes313(angles), self._frame_argument(system).axes[:, self._normal(plane)], letters
        )

    def fun_ori_frame_mirror(self, angles: Any, system: Any, plane: Any, letters: Any) -> Turn:
        return self.fun_ori_mirror(angles, system, plane, letters)

    def fun_ori_plane_mirror(self, angles: Any, points: Any, letters: Any) -> Turn:
        a, b, c = self._rows(points, 3)
        return self._turned_over(self._axes313(angles), self._unit(np.cross(c - a, b - a)), letters)

    def _turned_over(self, axes: np.ndarray, normal: np.ndarray, letters: Any) -> Turn:
        third = self._normal(letters)
        out = axes - 2.0 * np.outer(normal, normal @ axes)
        out[:, third] = np.cross(out[:, (third + 1) % 3], out[:, (third + 2) % 3])
        return Turn(to_euler313(out))

    # ---- measures of displacement --------------------------------------------------------------------------------
    def _difference(self, first: Any, second: Any, along: Any = None) -> np.ndarray:
        """First minus second, in the axes of a third object."""
        d = self._frame_argument(first).origin - (self._frame_argument(second).origin if second is not None else 0.0)
        return d if along is None else self._frame_argument(along).axes.T @ d

    def fun_dx(self, first: Any, second: Any = None, along: Any = None) -> float:
        return float(self._difference(first, second, along)[0])

    def fun_dy(self, first: Any, second: Any = None, along: Any = None) -> float:
        return float(self._difference(first, second, along)[1])

    def fun_dz(self, first: Any, second: Any = None, along: Any = None) -> float:
        return float(self._difference(first, second, along)[2])

    def fun_dm(self, first: Any, second: Any = None) -> float:
        return float(np.linalg.norm(self._difference(first, second)))

    def _relative(self, first: Any, second: Any) -> np.ndarray:
        """Axes of the first object in those of the second (of the ground where none is given)."""
        axes = self._frame_argument(first).axes
        return axes if second is None else self._frame_argument(second).axes.T @ axes

    def fun_ax(self, first: Any, second: Any = None) -> Angle:
        a = self._relative(first, second)
        return Angle(math.atan2(-a[1, 2], a[2, 2]))

    def fun_ay(self, first: Any, second: Any = None) -> Angle:
        a = self._relative(first, second)
        return Angle(math.atan2(a[0, 2], a[2, 2]))

    def fun_az(self, first: Any, second: Any = None) -> Angle:
        a = self._relative(first, second)
        return Angle(math.atan2(a[1, 0], a[0, 0]))

    def fun_psi(self, first: Any, second: Any = None) -> Angle:
        return Angle(to_euler313(self._relative(first, second))[0])

    def fun_theta(self, first: Any, second: Any = None) -> Angle:
        return Angle(to_euler313(self._relative(first, second))[1])

    def fun_phi(self, first: Any, second: Any = None) -> Angle:
        return Angle(to_euler313(self._relative(first, second))[2])

    def fun_yaw(self, first: Any, second: Any = None) -> Angle:
        """First angle of body 3-2-1."""
        a = self._relative(first, second)
        return Angle(math.atan2(a[1, 0], a[0, 0]))

    def fun_pitch(self, first: Any, second: Any = None) -> Angle:
        """The second angle of body 3-2-1 with the other sign."""
        a = self._relative(first, second)
        return Angle(math.atan2(a[2, 0], math.hypot(a[0, 0], a[1, 0])))

    def fun_roll(self, first: Any, second: Any = None) -> Angle:
        """Third angle of body 3-2-1."""
        a = self._relative(first, second)
        return Angle(math.atan2(a[2, 1], a[2, 2]))

    # ---- functions of angles -------------------------------------------------------------------------------------
    def fun_sin(self, angle: Any) -> float:
        return math.sin(self.radians(angle))

    def fun_cos(self, angle: Any) -> float:
        return math.cos(self.radians(angle))

    def fun_tan(self, angle: Any) -> float:
        return math.tan(self.radians(angle))


def rotation(axis: int, angle: float) -> np.ndarray:
    """Axes turned about one of x, y, z."""
    c, s = math.cos(angle), math.sin(angle)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    out = np.eye(3)
    out[a, a], out[a, b], out[b, a], out[b, b] = c, -s, s, c
    return out


def directed(axis: str, along: np.ndarray) -> np.ndarray:
    """Axes of which one is given; View leaves the two others open.

    They are those of the examples in the manual: z of the result without a third angle (body 3-1-3), so that x stays in
    the xy plane of ground; y with z of the result to the side of z of ground, x with y to the side of y of ground
    (links in the xy plane have their depth along z).
    """
    x, y, z = along
    if axis == "z":
        return (
            pointed("z", along, "x", np.array([-y, x, 0.0]))
            if math.hypot(x, y) > 1e-9
            else pointed("z", along, "x", np.array([1.0, 0.0, 0.0]))
        )
    if axis == "y":
        return pointed(
            "y", along, "z", np.array([0.0, 0.0, 1.0]) if math.hypot(x, y) > 1e-9 else np.array([0.0, -z, 0.0])
        )
    return pointed("x", along, "y", np.array([0.0, 1.0, 0.0]) if math.hypot(x, z) > 1e-9 else np.array([-y, 0.0, 0.0]))


def pointed(axis: str, along: np.ndarray, plane: str, towards: np.ndarray) -> np.ndarray:
    """Axes whose ``axis`` points along a vector, and whose ``plane`` axis points to the side of another one."""
    k, m = "xyz".index(axis), "xyz".index(plane)
    first = axes_from(along, towards)  # columns: towards, the third, along
    out = np.empty((3, 3))
    out[:, k], out[:, m] = first[:, 2], first[:, 0]
    out[:, 3 - k - m] = np.cross(out[:, (4 - k - m) % 3], out[:, (5 - k - m) % 3])
    return out


def axis_and_plane(setting: str) -> tuple[str, str]:
    """``z_axis_zx_plane`` or ``z_zx``: (z, x)."""
    found = re.fullmatch(r"([xyz])(?:_axis)?_([xyz]{2})(?:_plane)?", setting.strip().lower())
    if not found or found[1] not in found[2] or found[2][0] == found[2][1]:
        raise ViewError(f"an axis and its plane are reported as z_axis_zx_plane, not {setting[:40]}")
    return found[1], found[2].replace(found[1], "")
