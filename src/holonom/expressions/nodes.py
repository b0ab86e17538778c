"""The syntax tree of an expression: frozen, hashable, comparable by content.

Names are upper case.  ``column`` (from 1, 0 when built by hand) is where the node began in the text; it takes no part
in comparisons, so two texts of one meaning give equal trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Node:
    """Base of all nodes."""

    column: int = field(default=0, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number; angles written in degrees (``90D``) are already radians."""

    value: float


@dataclass(frozen=True, slots=True)
class OwnNumber(Number):
    """A number that compiled expressions keep apart from others of its value, so that it can be changed there: ``tag``
    says which it is."""

    tag: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A bare name: a constant (PI, DTOR, RTOD), TIME, MODE, or a marker that the caller resolves."""

    name: str


@dataclass(frozen=True, slots=True)
class String(Node):
    """A quoted argument, kept as written."""

    text: str


@dataclass(frozen=True, slots=True)
class Call(Node):
    """``NAME(arg, ...)``."""

    name: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """``-operand`` (the only unary operator; a plus sign leaves no trace)."""

    op: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """``left op right`` with op one of ``+ - * / **``."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class If(Node):
    """``IF(cond: neg, zero, pos)``: neg when cond < 0, zero when cond = 0, pos when cond > 0."""

    cond: Node
    neg: Node
    zero: Node
    pos: Node


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below this one, from left to right."""
    if isinstance(node, Call):
        return node.args
    if isinstance(node, Unary):
        return (node.operand,)
    if isinstance(node, Binary):
        return (node.left, node.right)
    if isinstance(node, If):
        return (node.cond, node.neg, node.zero, node.pos)
    return ()


def rebuilt(node: Node, change: Callable[[Node], Node]) -> Node:
    """The same node over ``change`` of each of its children, from left to right; a leaf as it is."""
    if isinstance(node, Call):
        return Call(node.name, tuple(map(change, node.args)), column=node.column)
    if isinstance(node, Unary):
        return Unary(node.op, change(node.operand), column=node.column)
    if isinstance(node, Binary):
        return Binary(node.op, change(node.left), change(node.right), column=node.column)
    if isinstance(node, If):
        return If(change(node.cond), change(node.neg), change(node.zero), change(node.pos), column=node.column)
    return node


def walk(node: Node) -> Iterator[Node]:
    """Every node of the tree, parents before children."""
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed(children(node)))


LONGEST_SUM = 48  # terms in one chain; the parser groups longer sums, so that they make no deep tree
_LEVEL = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 4}


def to_text(node: Node) -> str:
    """Text that parses to an equal tree, with as few parentheses as the grammar allows."""
    return _text(node, 0)


def _text(node: Node, level: int, room: int = LONGEST_SUM - 1) -> str:
    """``level``: how tightly the surroundings bind (0 argument, 1 sum, 2 product, 3 sign, 4 power).

    ``room``: how many signs this chain of sums may still hold before the parser would group it.
    """
    if isinstance(node, Number):
        text = repr(abs(node.value)).upper()
        if text in ("INF", "NAN"):
            raise ValueError(f"the number {node.value} cannot be written in an expression")
        if text.endswith(".0"):
            text = text[:-2]
        signed = str(node.value).startswith("-")  # cannot come from a text, only from a tree built by hand
        return f"(-{text})" if signed else text
    if isinstance(node, Name):
        return node.name
    if isinstance(node, String):
        quote = '"' if '"' not in node.text else "'"
        return f"{quote}{node.text}{quote}"
    if isinstance(node, Call):
        return f"{node.name}({', '.join(_text(a, 0) for a in node.args)})"
    if isinstance(node, If):
        branches = ", ".join(_text(b, 0) for b in (node.neg, node.zero, node.pos))
        return f"IF({_text(node.cond, 0)}: {branches})"
    if isinstance(node, Unary):
        text = f"-{_text(node.operand, 3)}"
        return f"({text})" if level > 1 else text
    assert isinstance(node, Binary)
    own = _LEVEL[node.op]
    if node.op == "**":  # binds to the right, and tighter than a sign on its left
        text = f"{_text(node.left, 5)}**{_text(node.right, 4)}"
    else:
        if own == 1 and room == 0:
            return f"({_text(node, 0)})"
        space, room = (" ", room - 1) if own == 1 else ("", LONGEST_SUM - 1)
        text = f"{_text(node.left, own, room)}{space}{node.op}{space}{_text(node.right, own + 1)}"
    return f"({text})" if own < level else text
