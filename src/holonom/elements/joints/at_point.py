"""ATPOINT primitive: origins coincide (3 equations)."""

from .composition import coincident, declare

declare("ATPOINT", coincident())
