"""PARALLEL_AXES primitive: z axes stay parallel (2 equations)."""

from .composition import declare, parallel_z

declare("PARALLEL_AXES", parallel_z())
