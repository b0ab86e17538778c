"""HOOKE joint: origins coincide, x of I and y of J (the arms of the cross; z along the shafts) stay at right angles."""

from .composition import X, Y, coincident, declare, dot, free

declare("HOOKE", (*coincident(), dot(X, Y)), subspace=free(turns=(Y, X)))
