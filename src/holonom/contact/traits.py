"""What kernels require of the type of a shape, by its number: tables made from the rows of `contact.shape_kinds`."""

from __future__ import annotations

import numpy as np

from .._jit import jit
from .shape_kinds import CORES, ROLLS, ROWS
from .tables import SHAPE_TYPES

_rows = [ROWS[name] for name in SHAPE_TYPES]
#: cores of convex shapes, by the number of the shape that is this core without a margin (with one: SEGMENT) and of no
#: more than it (a frustum: DRUM)
NO_CORE = -1
POINT, SEGMENT, BOX, DRUM, ELLIPSOID, HULL = (
    SHAPE_TYPES.index(name) for name in ("POINT", "CAPSULE", "BOX", "FRUSTUM", "ELLIPSOID", "HULL")
)
_core = dict(zip(CORES, (NO_CORE, POINT, SEGMENT, BOX, DRUM, ELLIPSOID, HULL)))
#: a ball that is moved along a shape: round a ring, along a rod
NOT_ROLLED, RING, ROD = range(len(ROLLS))

CORE = np.array([_core[row.core] for row in _rows])
ROLL = np.array([ROLLS.index(row.rolls) for row in _rows])
MARGIN = np.array([row.margin for row in _rows])
RADII = np.array([row.radii for row in _rows])
INSIDE = np.array([row.inside for row in _rows])
CAPS = np.array([row.caps for row in _rows])
ENDLESS = np.array([row.endless for row in _rows])
BALL = np.array([row.ball for row in _rows])
TURNED = np.array([row.turned for row in _rows])
HALF_SPACE = np.array([row.half_space for row in _rows])
TRIANGLES = np.array([row.mesh for row in _rows])
MESHED = np.array([row.meshed for row in _rows])
OPEN = np.array([row.open for row in _rows])
WALLED = np.array([row.walled for row in _rows])
PROFILED = np.array([row.data == "profile" for row in _rows])


@jit
def column(sh, s, c):
    """Parameter c of shape s, 0 where it has none."""
    return sh.par[s, c] if c >= 0 else 0.0


@jit
def core(sh, s):
    """Which core shape s has; `NO_CORE` of what is not convex."""
    return CORE[sh.kind[s]]


@jit
def margin(sh, s):
    """Radius round the core of shape s."""
    return column(sh, s, MARGIN[sh.kind[s]])


@jit
def radii(sh, s):
    """Radii below and above and half length of a drum; radii of zero and the half length of a segment."""
    kind = sh.kind[s]
    return column(sh, s, RADII[kind, 0]), column(sh, s, RADII[kind, 1]), column(sh, s, RADII[kind, 2])


@jit
def hollow(sh, s):
    """Does the material of shape s lie outside?"""
    return column(sh, s, INSIDE[sh.kind[s]]) != 0.0


@jit
def solid(sh, s):
    """Is shape s convex and no ball, with its material inside?"""
    return CORE[sh.kind[s]] > POINT and not hollow(sh, s)


@jit
def ball(sh, s):
    """Is shape s a point or a sphere, hollow or not?"""
    return BALL[sh.kind[s]]


@jit
def turned(sh, s):
    """Is shape s of revolution about the z axis of its frame?"""
    return TURNED[sh.kind[s]]
