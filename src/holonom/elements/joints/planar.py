"""PLANAR joint: the origin of I stays in the xy plane of J, z axes parallel (3 equations)."""

from .composition import X, Y, Z, along, declare, free, parallel_z

declare("PLANAR", (*parallel_z(), along(Z)), subspace=free((X, Y), (Z,)))
