"""Contact of flexible bodies on mixed coordinates: nodes where they may touch, modes elsewhere."""

from __future__ import annotations

from .contact import Contact, Course, collide, correlation
from .continuum import Continuum, axisymmetric, plane, space
from .coordinates import Coordinates
from .grids import bar, graded, grid
from .partition import Partition, partition
from .statics import Press, Pressed, press

__all__ = [
    "Contact", "Continuum", "Coordinates", "Course", "Partition", "Press", "Pressed", "axisymmetric", "bar", "collide", "correlation", "graded", "grid", "partition",
    "plane", "press", "space",
]  # fmt: skip
