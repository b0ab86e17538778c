"""Options of the command line that come as NAME=VALUE."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .base import ModelError, shown

LITERALS = {"true": True, "false": False, "none": None}


def named_values(texts: Iterable[str], option: str, *, literals: bool = False) -> dict[str, Any]:
    """ "name=value" -> value: a number, a tuple of numbers with commas between, or a keyword; with ``literals`` true,
    false and none in any case mean what they give.

    Raises ModelError for any other text; ``option`` is the keyword before it."""
    out: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name or not value:
            raise ModelError(f"{option} {shown(text)}: give NAME=VALUE")
        if literals and value.lower() in LITERALS:
            out[name] = LITERALS[value.lower()]
            continue
        try:
            numbers = tuple(float(v) for v in value.split(","))
        except ValueError:
            out[name] = value
        else:
            out[name] = numbers[0] if len(numbers) == 1 else numbers
    return out
