"""PERPENDICULAR primitive: z axes stay at right angles (1 equation)."""

from .composition import ACROSS, X, Y, Z, declare, dot, free

declare("PERPENDICULAR", (dot(Z, Z),), subspace=free((X, Y, Z), (Z, Y), seat=ACROSS))
