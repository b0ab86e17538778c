"""Why runs failed: sentences that differ in their numbers, or after their first part, are one reason; and the parameter
that decides whether they fail."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

LEAST_FAILED = 5  # runs that failed, and runs that did not, before they are compared
CHANCE = 0.01  # probability by chance, over all parameters, below which a difference is stated

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
    out = [Reason(common(list(g)), sum(g.values()), next(iter(g)), frozenset(g)) for g in groups.values()]
    return sorted(out, key=lambda r: (-r.count, r.text))


def common(messages: Sequence[str]) -> str:
    """The sentence of a reason: that of its messages, or their first part with the range of each number."""
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


def deciding(failed: Mapping[str, Sequence[float]], ok: Mapping[str, Sequence[float]]) -> str:
    """The parameter whose values differ most between runs that failed and runs that did not, by the two-sample test of
    Kolmogorov and Smirnov, as a sentence; "" where there are too few runs, and where chance explains the difference
    (p above 0.01 over all parameters)."""
    from scipy.stats import ks_2samp

    names = list(failed)
    if not names or len(failed[names[0]]) < LEAST_FAILED or len(ok[names[0]]) < LEAST_FAILED:
        return ""
    tests = {n: ks_2samp(failed[n], ok[n]) for n in names}
    name = max(names, key=lambda n: tests[n].statistic)
    if tests[name].pvalue * len(names) > CHANCE:
        return ""
    low, high = (np.quantile(failed[name], q) for q in (0.1, 0.9))
    below, above = (np.quantile(ok[name], q) for q in (0.1, 0.9))
    return (
        f"{name} differs most from runs that are ok: 80 % of these runs have {name} {low:.6g} to {high:.6g}, of "
        f"those that are ok {below:.6g} to {above:.6g}"
    )
