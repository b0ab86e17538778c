"""Where a number lies among the rising ones of a table."""

from __future__ import annotations

from .._jit import jit


@jit
def below(r, o, n, x):
    """Last k with r[o + k] <= x, of n - 1."""
    low, high = 0, n - 1
    while high - low > 1:
        mid = (low + high) // 2
        if r[o + mid] <= x:
            low = mid
        else:
            high = mid
    return low
