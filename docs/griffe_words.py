"""Docstrings of the reference as lists: where a sentence of ours begins with an argument (``name``: ...) an item of a
list begins, and what it raises stands by itself.  In the source they stay running text."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

ITEM = re.compile(r"(?:^|(?<=[.;)\]])  +)((?:``[^`\n]+``(?:,? and |, | or )?)+(?: \([^)\n]*\))?:)\s", re.M)
APART = re.compile(r"(?:^|(?<=[.;)])  +)(?=Raises? )", re.M)


def listed(text: str) -> str:
    """The text with items and paragraphs begun; indented lines (equations) are left alone."""
    out = []
    for block in re.split(r"\n{2,}", text):
        if not any(line.startswith("    ") for line in block.splitlines()[1:]) and not block.startswith(
            ("    ", "- ", "* ")
        ):
            block = APART.sub("\n\n", ITEM.sub(r"\n\n- \1 ", block))
        out += [piece for piece in block.split("\n\n") if piece.strip("\n")]
    text = out[0] if out else ""
    for above, piece in zip(out, out[1:]):
        text += ("\n" if above.startswith("- ") and piece.startswith("- ") else "\n\n") + piece
    return text


class Words(Extension):
    """Applies `listed` to every docstring."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = listed(obj.docstring.value)
