"""UNIVERSAL joint: origins coincide, z axes (the arms of the cross) stay at right angles (4 equations)."""

from .composition import ACROSS, Y, Z, coincident, declare, dot, free

declare("UNIVERSAL", (*coincident(), dot(Z, Z)), subspace=free(turns=(Z, Y), seat=ACROSS))
