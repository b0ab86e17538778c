"""Rows of points on curves and of curves on curves, and derivatives of their reactions."""

from __future__ import annotations

from .._jit import jit
from ..elements.joints.curves import (
    add_curve_stiffness,
    add_pair_stiffness,
    evaluate_curve_pairs,
    evaluate_curve_rows,
)


@jit
def curve_rows(S, W, t, y):
    evaluate_curve_rows(S.rows, W.rw, S.curves, S.fr, W.R)
    evaluate_curve_pairs(S.rows, W.rw, S.curves, S.fr, W.R)


@jit
def curve_stiffness(S, W, t, y, K, C):
    add_curve_stiffness(S.rows, W.rw, S.curves, S.fr, W.R, W.lam, K, W.displaced)
    add_pair_stiffness(S.rows, W.rw, S.curves, S.fr, W.R, W.lam, K, W.displaced)
