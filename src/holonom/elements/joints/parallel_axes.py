"""PARALLEL_AXES primitive: z axes stay parallel (2 equations)."""

from .composition import X, Y, Z, declare, free, parallel_z

declare("PARALLEL_AXES", parallel_z(), subspace=free((X, Y, Z), (Z,)))
