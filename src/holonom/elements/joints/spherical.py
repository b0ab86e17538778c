"""SPHERICAL joint: origins coincide (3 equations); all rotation is free."""

from .composition import coincident, declare

declare("SPHERICAL", coincident())
