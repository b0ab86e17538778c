"""Elements in the text of a function as ``KIND/id``, which is what an element formats itself to: they become the ids
that the language has, where the function takes elements of that type.

A number does not show of which type its element is: ``WZ(4)`` is the speed of MARKER/4, also where joint 4 was meant.
"""

from __future__ import annotations

import re

from .errors import ExpressionError
from .functions import CONSTANTS, ELEMENT_FORCES, FUNCTIONS, MEASURES
from .tokens import Token, tokenize

_ELEMENT = re.compile(r"[(,:]\s*[A-Za-z]\w*\s*/\s*\d+\s*[,)]", re.ASCII)
#: function -> type of the element that its first argument names; components of forces take a marker behind it
FIRST = {
    **ELEMENT_FORCES,
    "VARVAL": "VARIABLE",
    "DIF": "DIFF",
    "DIF1": "DIFF",
    "ARYVAL": "ARRAY",
    "SENVAL": "SENSOR",
    "PINVAL": "PINPUT",
    "POUVAL": "POUTPUT",
    "CONTROL": "CONTROL",
    "FMU": "FMU",
}
#: function -> position (from 0) and type of the element that it names
NAMED = {
    **{name: (0, kind) for name, kind in FIRST.items()},
    **dict.fromkeys(("AKISPL", "CUBSPL", "INTERP"), (2, "SPLINE")),
    "CURVE": (3, "CURVE"),
    "INVPSD": (1, "SPLINE"),
}


def plain_references(text: str) -> str:
    """A function with ids in place of ``KIND/id``.

    Raises `ExpressionError` where a function does not take elements of that type, as ``WZ(JOINT/4)``.  The
    parameters of USER may be ids of any type.  A text that is not an expression is returned as it is.
    """
    if "/" not in text or _ELEMENT.search(text) is None:
        return text
    try:
        tokens = tokenize(text)
    except ExpressionError:
        return text  # the parser reports it
    inside: list[tuple[str, int]] = []  # function, position of the argument at hand
    out, at = [], 0
    for k, token in enumerate(tokens):
        if token.kind == "op" and token.text == "(":
            before = tokens[k - 1] if k else token
            inside.append((before.text.upper() if before.kind == "name" else "", 0))
        elif token.kind == "op" and token.text == ")" and inside:
            inside.pop()
        elif token.kind == "op" and token.text in ",:" and inside:
            inside[-1] = inside[-1][0], inside[-1][1] + 1
        elif token.kind == "name" and inside and _is_reference(tokens, k):
            function, argument = inside[-1]
            if function in FUNCTIONS and function not in NAMED or function not in (*FUNCTIONS, *MEASURES, "INVPSD"):
                continue
            number = tokens[k + 2]
            _refuse(function, argument, token.text.upper(), number.text, token.column)
            out.append(text[at : token.column - 1])
            at = number.column - 1
    return "".join(out) + text[at:]


def _is_reference(tokens: list[Token], k: int) -> bool:
    """Whether the whole argument at token ``k`` is a name, a slash and a whole number."""
    slash, number, behind = (tokens[k + 1 : k + 4] + [tokens[-1]] * 3)[:3]
    return (
        tokens[k].text.upper() not in (*CONSTANTS, "TIME", "MODE")
        and tokens[k - 1].kind == "op"
        and tokens[k - 1].text in "(,:"
        and (slash.kind, slash.text) == ("op", "/")
        and number.kind == "number"
        and number.text.isdigit()
        and behind.kind == "op"
        and behind.text in ",)"
    )


def _refuse(function: str, argument: int, kind: str, number: str, column: int) -> None:
    """Raise where ``function`` does not take a ``kind`` at this position."""
    if function == "USER":
        return
    place, takes = NAMED.get(function, (-1, ""))
    wanted = takes if argument == place else "MARKER"
    if kind != wanted:
        ways = "give one of its markers (.i, .j, .cm)" if wanted == "MARKER" else f"give the {wanted}"
        raise ExpressionError(f"{function} takes a {wanted} there, and {kind}/{number} is given; {ways}", column)
