"""Where a number that is not finite came from."""

from __future__ import annotations

import numpy as np


def unbounded(system) -> str:
    """Label of the function that gave the first value that is not finite, though what it reads is finite; '' without
    one."""
    work = system.W.f
    if work is None:
        return ""
    functions = system.functions.set
    for k, function in enumerate(functions.functions):
        if k < len(work.fval) and not np.isfinite(work.fval[k]):
            if np.isfinite(work.x[np.array(function.own(functions), np.int64)]).all():
                return function.label
    return ""
