"""What a condition is over time: a number, an expression in ``time``, a table, or a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..expressions import CONSTANTS, FUNCTIONS, Call, ExpressionError, Name, evaluate, parse, to_text, walk
from ..model.base import ModelError, shown

Course = Callable[[float], float]


def course(value: Any, what: str) -> tuple[Course, bool]:
    """The value as a function of time, and whether it stays as it is.

    ``value``: a number, a text such as ``"20 + 5*sin(0.1*time)"`` (functions of the Adams language), a table (n, 2) of
    times and values, linear between and constant outside, or a function of time.  Raises `ModelError`, with ``what`` it
    is, for anything else, and on evaluation where no finite number comes.
    """
    if isinstance(value, str):
        try:
            tree = parse(value)
        except ExpressionError as error:
            raise ModelError(f"{what}: {error}") from None

        for node in walk(tree):
            if (
                isinstance(node, Name)
                and node.name not in CONSTANTS
                and node.name != "TIME"
                or isinstance(node, Call)
                and node.name not in FUNCTIONS
            ):
                raise ModelError(f"{what}: it reads {to_text(node)}; there is time alone here")

        def text(t: float) -> float:
            try:
                return evaluate(tree, {"TIME": t})
            except ExpressionError as error:
                raise ModelError(f"{what} at time {t:g}: {error}") from None

        return text, False
    if callable(value):

        def function(t: float) -> float:
            out = value(t)
            try:
                number = float(out)
            except (TypeError, ValueError):
                raise ModelError(f"{what} at time {t:g} is {shown(out)}; its function must return a number") from None
            if not np.isfinite(number):
                raise ModelError(f"{what} at time {t:g} is {number}; its function must return a finite number")
            return number

        return function, False
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if array.ndim == 0 and np.isfinite(array):
        number = float(array)
        return (lambda t: number), True
    if array.ndim == 2 and array.shape[1] == 2 and len(array) and np.isfinite(array).all():
        if not (np.diff(array[:, 0]) > 0.0).all():
            raise ModelError(f"{what}: times of its table must rise")
        return (lambda t: float(np.interp(t, array[:, 0], array[:, 1]))), False
    raise ModelError(
        f"{what} is {shown(value)}; give a number, an expression in time, a table of times and values, or a function "
        "of time"
    )
