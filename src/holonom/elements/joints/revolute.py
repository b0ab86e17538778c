"""REVOLUTE joint: origins coincide, z axes stay parallel (5 equations); free: angle about z, measured from x of J to x
of I."""

from .composition import Z, coincident, declare, free, parallel_z

declare("REVOLUTE", (*coincident(), *parallel_z()), ("angle",), subspace=free(turns=(Z,)))
