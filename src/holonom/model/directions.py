"""Directions of forces, torques and free rotations as a model is drawn: what its elements say without numbers of a run.

Checks use them: a torque across the axis of a hinge turns nothing, and the modes of a part in a planar mechanism need
no deflection out of the plane.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import ModelError
from .joint_facts import facts

SAME = 1e-6  # sine of an angle below which two directions are one
#: joints of one axis, about which they turn, along which they slide, or whose plane they keep
HINGE, SLIDE, PLANE, RIGID = ("REVOLUTE",), ("TRANSLATIONAL",), ("PLANAR",), ("FIXED",)
#: constraints that act on coordinates of joints alone
ON_JOINTS = ("COUPLER", "GEAR", "FRICTION")


def axes_of(model: Any, number: int | None) -> np.ndarray | None:
    """(3, 3) axes of a marker in ground as drawn, as columns; None where it floats or is missing."""
    marker = model.markers.get(number)
    if marker is None or marker.floating:
        return None
    try:
        return (model.body_frame(marker) @ marker.frame).axes
    except (ModelError, KeyError, AttributeError):
        return None


def _line(model: Any, e: Any) -> np.ndarray | None:
    """Unit vector from marker J to marker I; None where they coincide or are not known."""
    try:
        i, j = (model.body_frame(m) @ m.frame for m in (model.markers[e.i], model.markers[e.j]))
    except (ModelError, KeyError, AttributeError):
        return None
    away = i.origin - j.origin
    length = float(np.linalg.norm(away))
    return away / length if length > SAME * max(np.abs(i.origin).max(), np.abs(j.origin).max()) else None


def _nothing(function: str | None) -> bool:
    """Whether an expression is the number zero."""
    try:
        return float(function or "0") == 0.0
    except ValueError:
        return False


def applied(model: Any, e: Any) -> tuple[list[np.ndarray], list[np.ndarray]] | None:
    """Directions of the forces and of the torques that a force element applies, in ground axes as drawn; None where
    they are not known."""
    if e.KIND in ("SFORCE", "SPRINGDAMPER"):
        turns, alone = e.kind.upper() == "ROTATIONAL", getattr(e, "actiononly", False)
        axes = axes_of(model, e.j) if turns or alone else None
        along = (None if axes is None else axes[:, 2]) if turns or alone else _line(model, e)
        return None if along is None else ([], [along]) if turns else ([along], [])
    if e.KIND in ("VFORCE", "VTORQUE", "GFORCE"):
        axes = axes_of(model, e.rm) if e.rm else np.eye(3)
        if axes is None or e.function or e.routine:
            return None
        forces, torques = (
            [axes[:, k] for k, c in enumerate("xyz") if not _nothing(getattr(e, what + c, "0"))] for what in "ft"
        )
        return forces, torques
    return None


def _across(axis: np.ndarray) -> list[np.ndarray]:
    """Two unit vectors across an axis."""
    one = np.cross(axis, np.eye(3)[int(np.abs(axis).argmin())])
    one = one / np.linalg.norm(one)
    return [one, np.cross(axis, one)]


def _span(directions: list[np.ndarray]) -> np.ndarray:
    """(3, k) orthonormal basis of what directions span."""
    if not directions:
        return np.zeros((3, 0))
    u, s, _ = np.linalg.svd(np.array(directions).T, full_matrices=False)
    return u[:, s > SAME * max(float(s[0]), SAME)]


def forces_of(model: Any) -> np.ndarray:
    """(3, k) orthonormal basis, in ground axes, of the directions that forces between bodies may have, inertia and
    weight included: a plane in a planar mechanism, else all three.

    Hinges that are parallel move bodies in one plane; a force turns with them, and so do reactions and the forces of
    inertia.  Elements whose directions are not known, joints with several axes and bodies that nothing holds have
    all of them.
    """
    everything = np.eye(3)
    directions = [np.asarray(model.gravity, float)] if any(model.gravity) else []
    hinges: list[np.ndarray] = []
    if any(p.wx or p.wy or p.wz for p in model.parts.values()) and not model.table("JOINT"):
        return everything  # a free body that turns
    if any(e.active for kind in ("CONTACT", "SURFACE_CONTACT", "GRAINS") for e in model.table(kind).values()):
        return everything
    for e in model:
        if not e.active or e.ROLE not in ("constraint", "force") or e.KIND in ON_JOINTS:
            continue
        if e.KIND == "MOTION" and e.joint is not None:
            continue
        if e.KIND == "JOINT":
            kind, axes = e.type.upper(), axes_of(model, e.j)
            if axes is None or kind not in (*HINGE, *SLIDE, *PLANE, *RIGID):
                return everything
            if kind in (*HINGE, *PLANE):
                hinges.append(axes[:, 2])
            elif kind in SLIDE:
                directions.append(axes[:, 2])
            continue
        found = applied(model, e)
        if found is None:
            return everything
        directions += found[0]
        for axis in found[1]:
            directions += _across(axis)
    for axis in hinges:
        directions += _across(axis)
    return _span(directions)


def turning_axes(model: Any, body: Any, other: Any) -> list[tuple[Any, np.ndarray]]:
    """(joint, axis in ground) of joints between two bodies that let them turn about one axis of J alone."""
    out = []
    for joint in model.table("JOINT").values():
        markers = [model.markers.get(n) for n in (joint.i, joint.j)]
        if not joint.active or any(m is None for m in markers):
            continue
        bodies = [model.body_of(m) for m in markers]
        if (bodies[0] is body and bodies[1] is other) or (bodies[0] is other and bodies[1] is body):
            if "XY" in facts(joint).holds and "Z" not in facts(joint).holds:
                axes = axes_of(model, joint.j)
                if axes is not None:
                    out.append((joint, axes[:, 2]))
    return out
