"""Rows of points on curves and of curves on curves."""

from __future__ import annotations

from .._jit import jit
from ..elements.joints.curves import evaluate_curve_pairs, evaluate_curve_rows


@jit
def curve_rows(S, W, t, y):
    evaluate_curve_rows(S.rows, W.rw, S.curves, S.fr, W.R)
    evaluate_curve_pairs(S.rows, W.rw, S.curves, S.fr, W.R)
