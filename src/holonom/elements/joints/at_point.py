"""ATPOINT primitive: origins coincide (3 equations)."""

from .composition import coincident, declare, free

declare("ATPOINT", coincident(), subspace=free(ball=True))
