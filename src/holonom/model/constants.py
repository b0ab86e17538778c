"""Constants in the texts of functions: where they are, and texts with other ones."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[EeDd][+-]?\d+|(?P<degrees>[Dd](?![A-Za-z0-9_.])))?)"
    r"|(?P<name>[A-Za-z_.](?:[A-Za-z0-9_.$#]|::)*)"
    r"|(?P<string>\"[^\"]*\"|'[^']*')"
    r"|(?P<op>[-+*/(),:])|(?P<blank>\s+)",
    re.ASCII,
)
#: functions of numbers -> how many of their arguments are no ids, methods or orders; those of other functions are ids
ARITHMETIC = dict.fromkeys(
    "ABS ACOS AINT ANINT ASIN ATAN ATAN2 COS COSH DIM EXP INT LOG LOG10 MAX MIN MOD NINT SIGN SIN SINH SQRT TAN TANH "
    "STEP STEP5 HAVSIN IMPACT BISTOP POLY CHEBY FORSIN FORCOS SHF SWEEP IF".split(),
    1000,
) | {"AKISPL": 2, "CUBSPL": 2, "INTERP": 1, "CURVE": 1}
_DEGREE = 0.017453292519943295


def constants_of(text: str) -> list[tuple[int, int, float]]:
    """Constants of an expression in their order: (first character, end, value).

    Ids of elements, methods and orders are not among them.  A text that is not an expression has none.  A negative
    number in parentheses of its own, as `with_constant` writes it, is one constant.
    """
    out: list[tuple[int, int, float]] = []
    inside: list[tuple[str, int]] = []  # function, number of the argument at hand
    at, before = 0, ""
    last: list[tuple[str, int]] = []  # the tokens before, and where they begin
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return []
        token = match[0]
        if match.lastgroup == "op" and token == "(":
            inside.append((before, 0))
        elif token == ")" and match.lastgroup == "op":
            if not inside:
                return []
            function, _ = inside.pop()
            if not function and out and [t for t, _ in last[-3:-1]] == ["(", "-"] and out[-1][0] == last[-1][1]:
                out[-1] = last[-3][1], match.end(), -out[-1][2]
        elif token in (",", ":") and inside:
            inside[-1] = (inside[-1][0], inside[-1][1] + 1)
        elif match["number"]:
            function, argument = inside[-1] if inside else ("", 0)
            if not function or argument < ARITHMETIC.get(function, 0):
                out.append((at, match.end(), _value(match)))
        if match.lastgroup != "blank":
            last.append((token, at))
            before = token.upper() if match.lastgroup == "name" else ""
        at = match.end()
    return out if not inside else []


def _value(match: re.Match[str]) -> float:
    text = match["number"]
    if match["degrees"] is not None:
        return float(text[:-1]) * _DEGREE
    return float(text.upper().replace("D", "E"))


def with_constant(text: str, k: int, value: float) -> str:
    """An expression with another value of its ``k``-th constant (from 0)."""
    first, end, _ = constants_of(text)[k]
    word = repr(float(value))
    return text[:first] + (f"({word})" if value < 0.0 else word) + text[end:]
