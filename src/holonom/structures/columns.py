"""Tables of studies as text: columns of a key, a head, a factor and a number of digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Column = tuple[str, str, float, int]


def heads(columns: Sequence[Column]) -> str:
    """The heads of a table."""
    return "".join(f"  {head}" for _, head, _, _ in columns)


def cells(columns: Sequence[Column], row: Mapping[str, Any]) -> str:
    """A row of a table below its heads."""
    return "".join(f"  {factor * row[key]:>{len(head)}.{digits}f}" for key, head, factor, digits in columns)
