"""PLANAR joint: the origin of I stays in the xy plane of J, z axes parallel (3 equations)."""

from .composition import Z, along, declare, parallel_z

declare("PLANAR", (*parallel_z(), along(Z)))
