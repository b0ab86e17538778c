"""Runs that end with a sentence: what kind of sentence it was, for the counts."""

from __future__ import annotations

import re

NAMES = re.compile(r"'[^']*'(?: \([^)]*\))?|\b(?:body|ball|other|floor|ground)\b(?:[ /]\w+)?")
NUMBERS = re.compile(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?")
LONG = 70  # characters of a kind


def kind_of_stop(error: Exception) -> str:
    """The first text of an error without its names, numbers and time: the same for all runs that end for one
    reason."""
    text = " ".join(str(error).split())
    text = NUMBERS.sub("#", NAMES.sub("X", text))
    return "stopped: " + re.sub(r"^at time #,? ", "", text)[:LONG]
