"""A process that answers one request: JSON from standard input, JSON to standard output (`processes.answered`)."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

from ..model import ModelError

MAX_WARNINGS = 20


def answer_one(work: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answer a request by what ``work`` makes of it, with its ``warnings``, or an ``error``.  What libraries print goes
    to standard error."""
    target = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    given = json.loads(sys.stdin.read())
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            answer = work(given)
        except (ModelError, ValueError, OSError, RuntimeError) as error:
            answer = {"error": str(error)}
    answer["warnings"] = [str(w.message) for w in said if issubclass(w.category, UserWarning)][:MAX_WARNINGS]
    target.write(json.dumps(answer))
    target.flush()
