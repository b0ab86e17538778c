"""HOOKE joint: origins coincide, x of I and y of J (the arms of the cross; z along the shafts) stay at right angles."""

from .composition import X, Y, coincident, declare, dot

declare("HOOKE", (*coincident(), dot(X, Y)))
