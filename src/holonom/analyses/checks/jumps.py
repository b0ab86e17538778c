"""Motions whose speed jumps where their text does not show it (`dynamics.motion_breaks` knows the others), as that of
ASIN(SIN(TIME)): no step of an integrator passes it within its error."""

from __future__ import annotations

from typing import Any

from ...expressions import ExpressionError, Fault, evaluate

STEP = 1e-5  # of the time of a run so far: distance of the times at which slopes are compared
LASTS = 0.5  # share of a difference of slopes that is left over a tenth of the distance, where it is a jump
NOTABLE = 1e-3  # share of the slopes


def jumping_motions(system: Any, t: float) -> str:
    """As text, the motions given by displacement whose speed jumps at time t, or within roundoff after it; empty where
    there is none.

    With the one-sided slopes over a distance h, d(h) = (f(t+h) - f(t))/h - (f(t) - f(t-h))/h: where f is smooth it goes
    to zero with h, at a kink it stays."""
    found = []
    for motion, node in system.motion_nodes.values():
        if motion.level != "DISPLACEMENT":
            continue
        h = STEP * max(abs(t), 1e-3)
        try:
            wide, near = (_slopes(node, t, h / n) for n in (1.0, 10.0))
        except (ExpressionError, Fault):
            continue
        jump = near[1] - near[0]
        if abs(jump) > max(LASTS * abs(wide[1] - wide[0]), NOTABLE * max(map(abs, near))):
            found.append(f"the speed of {motion.label} jumps by {jump:.4g} there")
    return "; ".join(found[:3])


def _slopes(node: Any, t: float, h: float) -> tuple[float, float]:
    """Slopes of a function of time before and after t."""
    a, b, c = (evaluate(node, {"TIME": x}) for x in (t - h, t, t + h))
    return (b - a) / h, (c - b) / h


__all__ = ["jumping_motions"]
