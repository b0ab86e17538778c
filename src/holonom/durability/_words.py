"""Messages about invalid values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..model.base import ModelError, close_word, shown


def word(what: str, given: Any, known: Iterable[str]) -> str:
    """A keyword that is one of those known.  Raises `ModelError`, with the one that was perhaps meant."""
    known = list(known)
    if given in known:
        return given
    meant = close_word(str(given).lower(), known)
    raise ModelError(
        f"unknown {what} {shown(given)}; choose one of {', '.join(known)}"
        + (f" (did you mean {meant}?)" if meant else "")
    )


def finite_array(values: Any, what: str) -> np.ndarray:
    """An array of finite numbers.  Raises `ModelError` for what is none."""
    try:
        out = np.asarray(values, float)
    except (TypeError, ValueError):
        raise ModelError(f"{what} is {shown(values)}; give numbers") from None
    if not np.all(np.isfinite(out)):
        raise ModelError(f"{what} has numbers that are not finite")
    return out


def history(values: Any, what: str = "the signal", least: int = 2) -> np.ndarray:
    """A history (n,) of finite numbers.  Raises `ModelError` for what is none."""
    try:
        x = np.ascontiguousarray(getattr(values, "values", values), np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{what} is {shown(values)}; give a history of numbers") from None
    if x.ndim != 1:
        raise ModelError(f"{what} has the shape {x.shape}; give one component, a history (n,)")
    if len(x) < least:
        raise ModelError(f"{what} has {len(x)} values; cycles need two at least")
    bad = np.flatnonzero(~np.isfinite(x))
    if len(bad):
        raise ModelError(
            f"{what} has {len(bad)} values that are not finite, the first at position {bad[0]}; leave them out"
        )
    return x
