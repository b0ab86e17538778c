"""FIXED joint: I and J coincide (6 equations)."""

from .composition import coincident, declare, locked_turn

declare("FIXED", (*coincident(), *locked_turn()))
