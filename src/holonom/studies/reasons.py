"""Why runs failed: sentences that differ in their numbers, or after their first part, are one reason."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

#: a number of a sentence, not of a name as "PART/2", "MOTION_1" or 'link3'
_NUMBER = re.compile(r"(?<![\w./'])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w/'])")


def reason(message: str) -> str:
    """What sentences of one reason have in common: their part before "; ", with "#" for each number."""
    return _NUMBER.sub("#", message.split("; ", 1)[0])


@dataclass
class Reason:
    """A reason why runs failed: ``count`` runs; ``text``, their sentence, where several differ its first part with the
    range of each number; ``example``, the whole sentence of one of them; ``messages``: all of them."""

    text: str
    count: int
    example: str
    messages: frozenset[str]


def reasons(failures: Iterable[tuple[str, int]]) -> list[Reason]:
    """Reasons of sentences with their number of runs, the commonest first."""
    groups: dict[str, dict[str, int]] = {}
    for message, count in failures:
        same = groups.setdefault(reason(message), {})
        same[message] = same.get(message, 0) + count
    out = [Reason(_text(list(g)), sum(g.values()), next(iter(g)), frozenset(g)) for g in groups.values()]
    return sorted(out, key=lambda r: (-r.count, r.text))


def _text(messages: list[str]) -> str:
    """The sentence of a reason."""
    if len(messages) == 1:
        return messages[0]
    first = messages[0].split("; ", 1)[0]
    columns = zip(*(_NUMBER.findall(m.split("; ", 1)[0]) for m in messages))
    ranges = (_range(column) for column in columns)
    return _NUMBER.sub(lambda _: next(ranges), first)


def _range(numbers: tuple[str, ...]) -> str:
    """ "1.5 to 2" of some numbers."""
    low, high = min(numbers, key=float), max(numbers, key=float)
    return low if float(low) == float(high) else f"{low} to {high}"
