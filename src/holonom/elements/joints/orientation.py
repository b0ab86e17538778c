"""ORIENTATION primitive: the axes of I stay parallel to those of J (3 equations)."""

from .composition import declare, locked_turn

declare("ORIENTATION", locked_turn())
