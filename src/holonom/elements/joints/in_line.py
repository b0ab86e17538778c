"""INLINE primitive: the origin of I stays on the z axis of J (2 equations)."""

from .composition import X, Y, along, declare

declare("INLINE", (along(X), along(Y)))
