"""FIXED joint: I and J coincide (6 equations)."""

from .composition import coincident, declare, free, locked_turn

declare("FIXED", (*coincident(), *locked_turn()), subspace=free())
