"""PERPENDICULAR primitive: z axes stay at right angles (1 equation)."""

from .composition import Z, declare, dot

declare("PERPENDICULAR", (dot(Z, Z),))
