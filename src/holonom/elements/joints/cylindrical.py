"""CYLINDRICAL joint: z axes stay on one line (4 equations); free: distance along and angle about it."""

from .composition import X, Y, along, declare, parallel_z

declare("CYLINDRICAL", (*parallel_z(), along(X), along(Y)), ("distance", "angle"))
