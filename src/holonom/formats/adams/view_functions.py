"""Design-time functions of Adams View on numbers, arrays and texts, by name.

Source: Adams View function builder, design-time functions.  They take numbers in the default units of the file; those
of angles are in `view_places`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from .view_expression import Angle, ViewError, as_number, as_numbers, as_text, read_number, whole

_FORMAT = re.compile(r"%(?:%|[-+ 0#]*[0-9]{0,3}(?:\.[0-9]{1,3})?[diouxXeEfgGs])")


def _nearest(a: Any) -> int:
    return whole(math.floor(as_number(a) + 0.5))


def _of(function: Callable[..., float], count: int = 1, kind: type = float) -> Callable:
    """A function of so many numbers."""
    if count == 1:
        return lambda a: kind(function(as_number(a)))
    return lambda a, b: kind(function(as_number(a), as_number(b)))


def _best(choose: Callable) -> Callable:
    return lambda first, *more: choose(x for v in (first, *more) for x in as_numbers(v))


def _each(function: Callable[[float], float]) -> Callable:
    """A function of one number, or of each number of an array."""
    return lambda a: [function(v) for v in as_numbers(a)] if isinstance(a, list) else function(as_number(a))


def _length(a: Any) -> int:
    return len(a) if isinstance(a, list) else 1


def _values(a: Any) -> list:
    return a if isinstance(a, list) else [a]


def _index(best: Callable) -> Callable:
    def find(a: Any) -> int:
        values = as_numbers(a)
        return values.index(best(values)) + 1

    return find


def _closest(a: Any, x: Any) -> int:
    """Number of the array's element that is nearest to x."""
    values, wanted = as_numbers(a), as_number(x)
    return min(range(len(values)), key=lambda k: abs(values[k] - wanted)) + 1


def _vector(a: Any) -> np.ndarray:
    values = as_numbers(a)
    if len(values) != 3:
        raise ViewError(f"a vector has three numbers, not {len(values)}")
    return np.array(values)


def _dot(a: Any, b: Any) -> float:
    first, second = as_numbers(a), as_numbers(b)
    if len(first) != len(second):
        raise ViewError("arrays of different length")
    return math.fsum(x * y for x, y in zip(first, second))


def _series(start: Any, step: Any, count: Any) -> list:
    return [as_number(start) + k * as_number(step) for k in range(_count(count))]


def _series2(start: Any, end: Any, count: Any) -> list:
    """So many values from the first to the last."""
    n = _count(count)
    return (
        [as_number(start)]
        if n == 1
        else [as_number(start) + k * (as_number(end) - as_number(start)) / (n - 1) for k in range(n)]
    )


def _count(count: Any) -> int:
    n = whole(count)
    if not 0 <= n <= 100_000:
        raise ViewError(f"an array of {n} values")
    return n


def _step(a: Any, x0: Any, h0: Any, x1: Any, h1: Any) -> Any:
    low, high, first, last = as_number(x0), as_number(x1), as_number(h0), as_number(h1)

    def value(x: float) -> float:
        if x <= low:
            return first
        if x >= high:
            return last
        s = (x - low) / (high - low)
        return first + (last - first) * s * s * (3.0 - 2.0 * s)

    return _each(value)(a)


def _sort(a: Any, direction: Any = "a") -> list:
    return sorted(as_numbers(a), reverse=as_text(direction).strip().lower().startswith("d"))


def _case(text: Any, kind: Any) -> str:
    words = as_text(text)
    forms = {1: words.upper(), 2: words.lower(), 3: words.title(), 4: words.capitalize()}
    if whole(kind) not in forms:
        raise ViewError(f"the case is 1, 2, 3 or 4, not {whole(kind)}")
    return forms[whole(kind)]


def _substring(text: Any, start: Any, length: Any) -> str:
    first = whole(start)
    return as_text(text)[max(first - 1, 0) : max(first - 1, 0) + max(whole(length), 0)]


def _formatted(text: Any, values: Any) -> str:
    """A C format string; numbers of integer formats are made whole."""
    pattern, given = as_text(text), iter(_values(values))
    if "%" in _FORMAT.sub("", pattern):
        raise ViewError(f"'{pattern[:40]}' is not a format string of numbers and texts")

    def put(found: re.Match) -> str:
        if found[0] == "%%":
            return "%"
        value = next(given, None)
        if value is None:
            raise ViewError(f"'{pattern[:40]}' requires more values than are given")
        kind = found[0][-1]
        return found[0] % (as_text(value) if kind == "s" else whole(value) if kind in "diouxX" else as_number(value))

    return _FORMAT.sub(put, pattern)


def _is_real(text: Any) -> int:
    try:
        read_number(text)
    except ViewError:
        return 0
    return 1


def _mean(a: Any) -> float:
    values = as_numbers(a)
    if not values:
        raise ViewError("the array is empty")
    return math.fsum(values) / len(values)


FUNCTIONS: dict[str, Callable] = {
    "ABS": _each(abs),
    "SQRT": _of(math.sqrt),
    "EXP": _of(math.exp),
    "LOG": _of(math.log),
    "LOG10": _of(math.log10),
    "ASIN": _of(math.asin, kind=Angle),
    "ACOS": _of(math.acos, kind=Angle),
    "ATAN": _of(math.atan, kind=Angle),
    "ATAN2": _of(math.atan2, 2, Angle),
    "SINH": _of(math.sinh),
    "COSH": _of(math.cosh),
    "TANH": _of(math.tanh),
    "DIM": _of(lambda a, b: max(a - b, 0.0), 2),
    "MIN": _best(min),
    "MAX": _best(max),
    "MINI": _index(min),
    "MAXI": _index(max),
    "INT": whole,
    "AINT": lambda a: float(whole(a)),
    "NINT": _nearest,
    "ANINT": lambda a: float(_nearest(a)),
    "RTOI": _nearest,
    "ITOR": as_number,
    "CEIL": lambda a: whole(math.ceil(as_number(a))),
    "FLOOR": lambda a: whole(math.floor(as_number(a))),
    "MOD": _of(math.fmod, 2),
    "SIGN": _of(math.copysign, 2),
    "STEP": _step,
    "RTOD": lambda: 180 / math.pi,
    "DTOR": lambda: math.pi / 180,
    "PI": lambda: math.pi,
    "STOI": lambda s: whole(read_number(s)),
    "STOR": read_number,
    "RTOS": as_text,
    "ITOS": as_text,
    "STOO": as_text,
    "STR_PRINT": lambda s: s,
    "STR_LENGTH": lambda s: len(as_text(s)),
    "STR_CASE": _case,
    "STR_SUBSTR": _substring,
    "STR_FIND": lambda s, part: as_text(s).find(as_text(part)) + 1,
    "STR_SPRINTF": _formatted,
    "STR_IS_REAL": _is_real,
    "STR_IS_SPACE": lambda s: int(not as_text(s).strip()),
    "STR_REMOVE_WHITESPACE": lambda s: as_text(s).strip(),
    "ON_OFF": lambda a: "on" if as_number(a) else "off",
    "UPPER": lambda s: as_text(s).upper(),
    "LOWER": lambda s: as_text(s).lower(),
    "UNIQUE_NAME": as_text,
    "SUM": lambda a: math.fsum(as_numbers(a)),
    "PROD": lambda a: math.prod(as_numbers(a)),
    "SSQ": lambda a: math.fsum(v * v for v in as_numbers(a)),
    "NORM2": lambda a: math.hypot(*as_numbers(a)),
    "MEAN": _mean,
    "RMS": lambda a: math.sqrt(_mean([v * v for v in as_numbers(a)])),
    "CENTER": lambda a: (min(as_numbers(a)) + max(as_numbers(a))) / 2,
    "CROSS": lambda a, b: np.cross(_vector(a), _vector(b)).tolist(),
    "DOT": _dot,
    "NORMALIZE": lambda a: [v / math.hypot(*as_numbers(a)) for v in as_numbers(a)],
    "ALLM": lambda a: int(all(as_numbers(a))),
    "ANYM": lambda a: int(any(as_numbers(a))),
    "LEN": _length,
    "ROWS": _length,
    "FIRST": lambda a: _values(a)[0] if _values(a) else 0.0,
    "LAST": lambda a: _values(a)[-1] if _values(a) else 0.0,
    "FIRST_N": lambda a, n: _values(a)[: max(whole(n), 0)],
    "LAST_N": lambda a, n: _values(a)[-whole(n) :] if 0 < whole(n) <= len(_values(a)) else [],
    "REVERSE": lambda a: _values(a)[::-1],
    "SORT": _sort,
    "SERIES": _series,
    "SERIES2": _series2,
    "ELEMENT": lambda a, x: int(as_number(x) in as_numbers(a)),
    "VAL": lambda a, x: as_numbers(a)[_closest(a, x) - 1],
    "VALI": _closest,
    "VALAT": lambda a, b, x: as_numbers(b)[_closest(a, x) - 1],
    "MAG": lambda *a: math.hypot(*(x for v in a for x in as_numbers(v))),
}
