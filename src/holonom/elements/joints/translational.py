"""TRANSLATIONAL joint: axes stay parallel, I stays on the z axis of J (5 equations); free: distance along z of J."""

from .composition import X, Y, along, declare, locked_turn

declare("TRANSLATIONAL", (*locked_turn(), along(X), along(Y)), ("distance",))
