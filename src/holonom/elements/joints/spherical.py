"""SPHERICAL joint: origins coincide (3 equations); all rotation is free."""

from .composition import coincident, declare, free

declare("SPHERICAL", coincident(), subspace=free(ball=True))
