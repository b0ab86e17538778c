"""Shapes in one line: GRAPHICS elements from points in ground at the design position.  Pictures only, never numbers.

Every function takes the model, the body that carries the shape, and points as (x, y, z) in ground, as `Model.marker_at`
does; ``color`` is an Adams colour name (RED, YELLOW, ...).
"""

from __future__ import annotations

import numpy as np

from .orientation import axes_from


def _axis(a, b):
    d = np.asarray(b, float) - np.asarray(a, float)
    return d, float(np.linalg.norm(d))


def _more(color) -> dict:
    return {"color": color.upper()} if color else {}


def rod(model, body, a, b, radius: float, top: float | None = None, color: str | None = None):
    """Cylinder from a to b, or a cone frustum when ``top`` (the radius at b) is given."""
    d, length = _axis(a, b)
    cm = model.marker_at(body, a, z=d).id
    if top is None:
        return model.graphic("CYLINDER", cm=cm, length=length, radius=float(radius), **_more(color))
    return model.graphic("FRUSTUM", cm=cm, length=length, bottom=float(radius), top=float(top), **_more(color))


def block(model, body, centre, size, x=None, z=None, color: str | None = None):
    """Box of edges ``size`` around ``centre``; ``x``, ``z``: directions of its first and third edge (ground axes)."""
    axes = axes_from(z, x)
    corner = np.asarray(centre, float) - axes @ (0.5 * np.asarray(size, float))
    m = model.marker_at(body, corner, axes=axes).id
    return model.graphic("BOX", corner=m, x=float(size[0]), y=float(size[1]), z=float(size[2]), **_more(color))


def beam(model, body, a, b, width: float, height: float, up=(0, 0, 1), color: str | None = None):
    """Box from a to b, ``height`` in the direction closest to ``up``."""
    d, length = _axis(a, b)
    up = np.asarray(up, float)
    z = up - d * (up @ d) / (d @ d)
    centre = 0.5 * (np.asarray(a, float) + np.asarray(b, float))
    return block(model, body, centre, (length, width, height), x=d, z=z, color=color)


def pin(model, body, at, axis, radius: float, width: float, color: str | None = None):
    """Cylinder of ``width`` centred at a point."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    at = np.asarray(at, float)
    return rod(model, body, at - 0.5 * width * axis, at + 0.5 * width * axis, radius, color=color)


def ball(model, body, at, diameter: float, color: str | None = None):
    """Sphere."""
    m = model.marker_at(body, at).id
    d = float(diameter)
    return model.graphic("ELLIPSOID", cm=m, xscale=d, yscale=d, zscale=d, **_more(color))


def ring(model, body, at, axis, radius: float, tube: float, color: str | None = None):
    """Torus around ``axis``."""
    m = model.marker_at(body, at, z=axis).id
    return model.graphic("TORUS", cm=m, major=float(radius), minor=float(tube), **_more(color))


def coil(model, i, j, diameter: float, coils: int = 8, damper: float = 0.0):
    """Coil spring (and damper of a diameter) between two markers."""
    mi, mj = (model.find("MARKER", m).id for m in (i, j))
    more = {"db": float(damper), "dc": 0.6 * float(damper)} if damper else {}
    return model.graphic("SPDP", i=mi, j=mj, coils=int(coils), da=float(diameter), **more)


def rope(model, i, j, diameter: float):
    """Straight rope, bar or strut between two markers, as long as they are apart."""
    mi, mj = (model.find("MARKER", m) for m in (i, j))
    place = lambda m: (model.body_frame(m) @ m.frame).origin
    half = 0.5 * float(np.linalg.norm(place(mi) - place(mj)))
    d = float(diameter)
    return model.graphic("SPDP", i=mi.id, j=mj.id, coils=0, da=0.0, db=d, dc=d, la=0.0, lb=0.0, lc=half, ld=half)


def line(model, *markers):
    """Line through markers, also of several bodies: ropes, edges."""
    return model.graphic("OUTLINE", points=tuple(model.find("MARKER", m).id for m in markers))
