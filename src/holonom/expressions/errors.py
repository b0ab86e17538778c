"""What can go wrong with an expression, a spline or a curve: always a ``ValueError`` with a sentence for people."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ExpressionError(ValueError):
    """A text or a tree that is not a valid expression.

    ``column`` counts from 1; 0 means that the position is not known.  The message names the column.
    """

    def __init__(self, message: str, column: int = 0):
        self.reason = message
        self.column = column
        super().__init__(f"{message} at column {column}" if column else message)


class UnknownFunction(ExpressionError):
    """A function or a name that cannot be resolved: ``unknown function 'DXX' at column 12; did you mean DX?``."""

    def __init__(self, name: str, known: Iterable[str] = (), column: int = 0, kind: str = "function"):
        super().__init__(f"unknown {kind} '{name}'", column)
        self.name = name
        close = (
            ["TIME"]
            if name.upper() == "T"
            else difflib.get_close_matches(name.upper()[:64], sorted(known), n=1, cutoff=0.6)
        )
        self.suggestion = close[0] if close else ""
        if self.suggestion == name.upper():  # the name is known, so it is not misspelt
            self.suggestion = ""
            self.args = (
                f"{kind} '{name}' is known but cannot be used here" + (f" at column {column}" if column else ""),
            )
        elif close:
            self.args = (f"{self.args[0]}; did you mean {close[0]}?",)


class SplineError(ValueError):
    """Spline data that cannot be interpolated."""


class CurveError(ValueError):
    """Curve data that define no curve."""
