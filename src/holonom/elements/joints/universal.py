"""UNIVERSAL joint: origins coincide, z axes (the arms of the cross) stay at right angles (4 equations)."""

from .composition import Z, coincident, declare, dot

declare("UNIVERSAL", (*coincident(), dot(Z, Z)))
