"""Arrays of an exported model: a name and a list in place of one VARIABLE, expression or parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...model import ModelError
from ...model.base import shown


class Member(NamedTuple):
    """``what`` is meant, and its place in an array: ``name``, ``position`` from 1, ``total`` ("", 1, 1: in none).  A
    name with a total of 0: one number that is called so."""

    what: Any
    name: str = ""
    position: int = 1
    total: int = 1


def members(given: Any, kind: str) -> list[Member]:
    """Numbers in the order of the FMU.  ``given``: a list, one of them, or a dictionary from names to one or to lists.
    Raises ModelError for lists without members and other names than texts."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        some = [given] if isinstance(given, str) or not isinstance(given, Sequence) else given
        return [Member(one) for one in some]
    out = []
    for name, value in given.items():
        if not isinstance(name, str) or not name:
            raise ModelError(f"export_fmu: {kind}s: a name is {shown(name)}; give a text")
        if not isinstance(value, (list, tuple)):
            out.append(Member(value) if value == name else Member(value, name, 1, 0))
            continue
        if not value:
            raise ModelError(f"export_fmu: the {kind} '{name}' is an empty list; give its members, or leave it out")
        out += [Member(one, name, k, len(value)) for k, one in enumerate(value, 1)]
    return out


def members_of_fields(given: Any, fields: Callable[[str], int]) -> list[Member]:
    """Parameters: a field that is a vector ("bush.k") is an array of its components; ``fields(text)``: their number,
    0 for one that is a number."""
    out: list[Member] = []
    for m in members(given, "parameter"):
        count = fields(m.what) if isinstance(m.what, str) else 0
        if count and m.total > 1:
            raise ModelError(f"export_fmu: parameter '{m.what}' is a vector; give it by itself, not in an array")
        out += [Member(f"{m.what}[{k}]", m.name or m.what, k, count) for k in range(1, count + 1)] if count else [m]
    return out
