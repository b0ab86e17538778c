"""Contact of flexible bodies on mixed coordinates: nodes where they may touch, modes elsewhere."""

from __future__ import annotations

from .bars import coaxial_bars, flat_bars, st_venant
from .contact import Contact, Course, collide, correlation
from .continuum import Continuum, axisymmetric, plane, space
from .coordinates import Coordinates
from .grids import bar, graded, grid
from .partition import Partition, partition
from .statics import Press, Pressed, press
from .stresses import stresses

__all__ = [
    "Contact",
    "Continuum",
    "Coordinates",
    "Course",
    "Partition",
    "Press",
    "Pressed",
    "axisymmetric",
    "bar",
    "coaxial_bars",
    "collide",
    "correlation",
    "flat_bars",
    "graded",
    "grid",
    "partition",
    "plane",
    "press",
    "space",
    "st_venant",
    "stresses",
]
