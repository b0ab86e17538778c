"""TRANSLATIONAL joint: axes stay parallel, I stays on the z axis of J (5 equations); free: distance along z of J."""

from .composition import X, Y, Z, along, declare, free, locked_turn

declare("TRANSLATIONAL", (*locked_turn(), along(X), along(Y)), ("distance",), subspace=free((Z,)))
