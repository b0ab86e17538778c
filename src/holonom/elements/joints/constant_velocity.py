"""CONVEL joint: origins coincide, equal spin: x_i . y_j = y_i . x_j (Adams Solver, JOINT statement: the angle between x
of I and y of J equals that between y of I and x of J; z axes point down the shafts, away from the joint)."""

from .composition import coincident, declare, twist

declare("CONVEL", (*coincident(), twist()))
