"""INPLANE primitive: the origin of I stays in the xy plane of J (1 equation)."""

from .composition import X, Y, Z, along, declare, free

declare("INPLANE", (along(Z),), subspace=free((X, Y), ball=True))
