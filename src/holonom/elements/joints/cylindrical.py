"""CYLINDRICAL joint: z axes stay on one line (4 equations); free: distance along and angle about it."""

from .composition import X, Y, Z, along, declare, free, parallel_z

declare("CYLINDRICAL", (*parallel_z(), along(X), along(Y)), ("distance", "angle"), subspace=free((Z,), (Z,)))
