"""ORIENTATION primitive: the axes of I stay parallel to those of J (3 equations)."""

from .composition import X, Y, Z, declare, free, locked_turn

declare("ORIENTATION", locked_turn(), subspace=free((X, Y, Z)))
