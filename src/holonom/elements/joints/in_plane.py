"""INPLANE primitive: the origin of I stays in the xy plane of J (1 equation)."""

from .composition import Z, along, declare

declare("INPLANE", (along(Z),))
