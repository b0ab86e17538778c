"""Orientations at the border of the model: body 3-1-3 angles, axis points, quaternions, matrices."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .base import ModelError, shown


def euler313(psi: float, theta: float, phi: float) -> np.ndarray:
    """Rotation matrix (local to parent) of body-fixed 3-1-3 angles in radians, shape (3, 3)."""
    a, b, c = math.cos(psi), math.cos(theta), math.cos(phi)
    d, e, f = math.sin(psi), math.sin(theta), math.sin(phi)
    return np.array(
        [
            [a * c - d * b * f, -a * f - d * b * c, d * e],
            [d * c + a * b * f, -d * f + a * b * c, -a * e],
            [e * f, e * c, b],
        ]
    )


def to_euler313(axes: np.ndarray) -> tuple[float, float, float]:
    """Body 3-1-3 angles of a rotation matrix; phi = 0 where theta is 0 or pi (the angles are not unique there)."""
    sine = math.hypot(axes[0, 2], axes[1, 2])
    theta = math.atan2(sine, axes[2, 2])
    if sine > 1e-12:
        return math.atan2(axes[0, 2], -axes[1, 2]), theta, math.atan2(axes[2, 0], axes[2, 1])
    return math.atan2(axes[1, 0], axes[0, 0]), theta, 0.0


def to_quaternion(axes: np.ndarray) -> np.ndarray:
    """Unit quaternion (scalar first, scalar >= 0) of a rotation matrix; exact for every attitude (Shepperd)."""
    m = axes
    t = np.array([m[0, 0] + m[1, 1] + m[2, 2], m[0, 0], m[1, 1], m[2, 2]])
    k = int(np.argmax(t))
    if k == 0:
        q = np.array([1 + t[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    elif k == 1:
        q = np.array([m[2, 1] - m[1, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[0, 2] + m[2, 0]])
    elif k == 2:
        q = np.array([m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], 1 - m[0, 0] + m[1, 1] - m[2, 2], m[2, 1] + m[1, 2]])
    else:
        q = np.array([m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], 1 - m[0, 0] - m[1, 1] + m[2, 2]])
    q /= np.linalg.norm(q)
    return -q if q[0] < 0 else q


def to_quaternions(axes: np.ndarray) -> np.ndarray:
    """`to_quaternion` of many rotation matrices (n, 3, 3), shape (n, 4)."""
    m = np.asarray(axes, float).reshape(-1, 3, 3)
    diagonal = m[:, [0, 1, 2], [0, 1, 2]]
    t = np.column_stack([diagonal.sum(axis=1), diagonal])
    k = t.argmax(axis=1)
    # four times the products of the components: q_a q_b of the symmetric matrix of Shepperd's method
    skew = np.column_stack([m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]])
    whole = np.empty((len(m), 4, 4))
    whole[:, 1:, 1:] = m + m.transpose(0, 2, 1)
    whole[:, [1, 2, 3], [1, 2, 3]] = 1.0 + 2.0 * diagonal - t[:, :1]
    whole[:, 0, 0] = 1.0 + t[:, 0]
    whole[:, 0, 1:] = whole[:, 1:, 0] = skew
    q = whole[np.arange(len(m)), k]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    return np.where(q[:, :1] < 0.0, -q, q)


def from_quaternion(q) -> np.ndarray:
    """Rotation matrix of a quaternion (scalar first, any norm but zero)."""
    a, b, c, d = np.asarray(q, float) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)],
        ]
    )


def turned(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation matrix of a turn by an angle (radians) about a unit vector."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(angle * axis).as_matrix()


def _sized(v: np.ndarray) -> np.ndarray:
    """A vector so long that its square is a number."""
    size = float(np.abs(v).max())
    return v if 1e-150 < size < 1e150 or not 0.0 < size < math.inf else v / size


def axes_from(z=None, x=None) -> np.ndarray:
    """Rotation matrix whose z (or x) axis points along ``z`` (``x``); the other, when given, fixes the plane."""
    if z is None and x is None:
        return np.eye(3)
    first = np.asarray(z if z is not None else x, float)
    second = None if (z is None or x is None) else np.asarray(x, float)
    first = _sized(first)
    norm = np.linalg.norm(first)
    if not 0.0 < norm < math.inf:
        raise ModelError("an axis of length zero, or without end, gives no direction; give a vector that is not zero")
    first = first / norm
    if second is None:
        second = np.eye(3)[int(np.argmin(np.abs(first)))]
    else:
        second = _sized(second)
    second = second - first * (first @ second)
    norm = np.linalg.norm(second)
    if not norm > 1e-12:
        raise ModelError("the z and x axes are parallel; give an x axis that is not along z")
    second = second / norm
    (a, b, c), (d, e, f) = first.tolist(), second.tolist()
    third = np.array([b * f - c * e, c * d - a * f, a * e - b * d])  # np.cross takes twenty times longer
    if z is not None:
        return np.column_stack([second, third, first])
    return np.column_stack([first, second, third])


def three(values, what: str) -> np.ndarray:
    """Three finite numbers as an array (3,).  Raises `ModelError`."""
    try:
        out = np.asarray(values, float)
    except (TypeError, ValueError):
        out = np.zeros(0)
    if out.shape != (3,) or not all(map(math.isfinite, out.tolist())):  # five times as fast as NumPy on three numbers
        raise ModelError(f"{what} must be three finite numbers, it is {shown(values)}")
    return out


@dataclass(frozen=True)
class Frame:
    """Origin (3,) and axes (3, 3: columns are the local axes in the parent)."""

    origin: np.ndarray
    axes: np.ndarray

    @staticmethod
    def identity() -> Frame:
        """The frame of its parent itself, in arrays of its own."""
        return Frame(np.zeros(3), np.eye(3))

    @staticmethod
    def build(origin, reuler=None, z_point=None, x_point=None, x_first: bool = False) -> Frame:
        """Raises `ModelError` for numbers that are not finite, points on the origin and axes that are parallel."""
        o = three(origin, "a position")
        if reuler is not None:
            return Frame(o, euler313(*three(reuler, "the Euler angles").tolist()))
        z = None if z_point is None else three(z_point, "a point on the z axis") - o
        x = None if x_point is None else three(x_point, "a point on the x axis") - o
        if x_first and x is not None:  # USEXP: the x axis is exact, z lies in the xz plane
            x = _sized(x)
            length = np.linalg.norm(x)
            if not 0.0 < length < math.inf:
                raise ModelError("its point on the x axis lies on the origin; move it")
            x = x / length
            if z is None:
                return Frame(o, axes_from(None, x))
            y = np.cross(_sized(z), x)
            length = np.linalg.norm(y)
            if not 1e-12 < length < math.inf:
                raise ModelError("the z and x axes are parallel; give an x axis that is not along z")
            y /= length
            return Frame(o, np.column_stack([x, y, np.cross(x, y)]))
        return Frame(o, axes_from(z, x))

    def __matmul__(self, other: Frame) -> Frame:
        """The frame ``other``, given in this frame, in this frame's parent."""
        return Frame(self.origin + self.axes @ other.origin, self.axes @ other.axes)
