"""INLINE primitive: the origin of I stays on the z axis of J (2 equations)."""

from .composition import X, Y, Z, along, declare, free

declare("INLINE", (along(X), along(Y)), subspace=free((Z,), ball=True))
