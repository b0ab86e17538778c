"""Text to the words of an expression."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from .errors import ExpressionError

_TOKEN = re.compile(
    r"(?P<blank>[ \t\r\n\f]+)"
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[EeDd][+-]?\d+|(?P<degrees>[Dd](?![A-Za-z0-9_.])))?)"
    r"|(?P<name>[A-Za-z_.](?:[A-Za-z0-9_.$#]|::)*)"
    r"|(?P<string>\"[^\"]*\"|'[^']*')"
    r"|(?P<op>\*\*|[-+*/(),:])",
    re.ASCII,
)
_HINTS = {
    "{": 'is the f before the quotes missing, as f"DZ({marker})"?',
    "^": "write '**' for a power",
    "<": "the language has no relations; use IF(a-b: ...)",
    ">": "the language has no relations; use IF(a-b: ...)",
    "=": "the language has no relations; use IF(a-b: ...)",
    "&": "the language has no logical operators",
    "|": "the language has no logical operators",
    '"': "the string has no end",
    "'": "the string has no end",
}


class Token(NamedTuple):
    kind: str
    text: str
    column: int
    value: float = 0.0


def _number(match: re.Match[str]) -> float:
    text = match["number"]
    degrees = match["degrees"] is not None
    value = float((text[:-1] if degrees else text).upper().replace("D", "E"))
    if not math.isfinite(value):
        raise ExpressionError(f"the number {text[:32]} is too large", match.start() + 1)
    return math.radians(value) if degrees else value


def tokenize(text: str) -> list[Token]:
    """Split a text; raises :class:`ExpressionError` at the first character that belongs to nothing."""
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            hint = _HINTS.get(text[at], "")
            raise ExpressionError(f"unexpected {text[at]!r}{f' ({hint})' if hint else ''}", at + 1)
        kind = match.lastgroup if match.lastgroup != "degrees" else "number"
        if kind == "number":
            if match.end() < len(text) and re.match(r"[A-Za-z0-9_.]", text[match.end()]):
                raise ExpressionError(f"{text[at : match.end() + 1][-32:]!r} is not a number", at + 1)
            tokens.append(Token("number", match[0], at + 1, _number(match)))
        elif kind != "blank":
            if kind == "name" and not re.search(r"[A-Za-z0-9_]", match[0]):
                raise ExpressionError(f"unexpected {match[0][:8]!r}", at + 1)
            tokens.append(Token(str(kind), match[0], at + 1))
        at = match.end()
    tokens.append(Token("end", "", len(text) + 1))
    return tokens


__all__ = ["Token", "tokenize"]
