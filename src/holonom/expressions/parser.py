"""Text to syntax tree: the Adams/Solver function language.

Grammar (blanks are free, case does not matter; a plus sign before an operand is dropped)::

    sum     = product { ("+" | "-") product }
    product = signed { ("*" | "/") signed }
    signed  = { "+" | "-" } power
    power   = primary [ "**" signed ]
    primary = number | name | string | "(" sum ")" | name "(" [ sum { "," sum } ] ")"
            | "IF" "(" sum (":" | ",") sum "," sum "," sum ")"

As in Fortran ``-a**2`` is ``-(a**2)`` and ``a**b**c`` is ``a**(b**c)``.  Numbers take Fortran exponents (``1.0D+03``,
``2.5d0``, ``1E-4``); a ``D`` that no digit follows means degrees (``90D``).  Names may hold dots, underscores, ``$``,
``#`` and ``::`` (``.model.part.mar``); the tree holds them in upper case.

The text may come from a stranger: its length, the depth of the tree and the time to parse are bounded, and nothing but
:class:`ExpressionError` is ever raised for a ``str``.
"""

from __future__ import annotations

from functools import lru_cache

from .errors import ExpressionError
from .nodes import LONGEST_SUM, Binary, Call, If, Name, Node, Number, String, Unary
from .references import plain_references
from .tokens import Token, tokenize

MAX_LENGTH = 65_536
MAX_DEPTH = 200
#: trees of short texts are kept: the same functions are read for each system of a model, one for each state of switches
KEPT, SHORT = 4096, 1000


class _Parser:
    """Recursive descent; every method gives a node and the depth of its tree."""

    def __init__(self, tokens: list[Token]):
        self.tokens = tokens
        self.at = 0
        self.nested = 0

    def take(self) -> Token:
        token = self.tokens[self.at]
        self.at += token.kind != "end"
        return token

    def sees(self, *ops: str) -> bool:
        token = self.tokens[self.at]
        return token.kind == "op" and token.text in ops

    def expect(self, op: str, where: str) -> None:
        token = self.take()
        if token.kind != "op" or token.text != op:
            found = f"{token.text[:32]!r}" if token.kind != "end" else "the end"
            raise ExpressionError(f"expected '{op}' {where} but found {found}", token.column)

    def checked(self, node: Node, depth: int) -> tuple[Node, int]:
        if depth > MAX_DEPTH:
            raise ExpressionError(f"more than {MAX_DEPTH} levels of nesting", node.column)
        return node, depth

    def sum(self) -> tuple[Node, int]:
        items = [("+", *self.product(), 0)]
        while self.sees("+", "-"):
            op = self.take()
            items.append((op.text, *self.product(), op.column))
        while len(items) > LONGEST_SUM:
            groups = []
            for k in range(0, len(items), LONGEST_SUM):
                (sign, first, depth, column), *rest = items[k : k + LONGEST_SUM]
                if sign == "-":
                    first, depth = Unary("-", first, column=column), depth + 1
                groups.append(("+", *self.fold([("+", first, depth, column), *rest]), column))
            items = groups
        return self.fold(items)

    def fold(self, items: list[tuple[str, Node, int, int]]) -> tuple[Node, int]:
        _, node, depth, _ = items[0]
        for op, right, below, column in items[1:]:
            node, depth = self.checked(Binary(op, node, right, column=column), 1 + max(depth, below))
        return node, depth

    def product(self) -> tuple[Node, int]:
        node, depth = self.signed()
        while self.sees("*", "/"):
            op = self.take()
            right, below = self.signed()
            node, depth = self.checked(Binary(op.text, node, right, column=op.column), 1 + max(depth, below))
        return node, depth

    def signed(self) -> tuple[Node, int]:
        signs = []
        while self.sees("+", "-"):
            token = self.take()
            if token.text == "-":
                signs.append(token.column)
        if len(signs) > MAX_DEPTH:
            raise ExpressionError(f"more than {MAX_DEPTH} levels of nesting", signs[-1])
        node, depth = self.primary()
        if self.sees("**"):
            op = self.take()
            self.enter(op.column)
            right, below = self.signed()
            self.nested -= 1
            node, depth = self.checked(Binary("**", node, right, column=op.column), 1 + max(depth, below))
        for column in reversed(signs):
            node, depth = self.checked(Unary("-", node, column=column), depth + 1)
        return node, depth

    def enter(self, column: int) -> None:
        self.nested += 1
        if self.nested > MAX_DEPTH // 2:
            raise ExpressionError(f"more than {MAX_DEPTH // 2} levels of parentheses", column)

    def primary(self) -> tuple[Node, int]:
        token = self.take()
        if token.kind == "number":
            return Number(token.value, column=token.column), 1
        if token.kind == "string":
            return String(token.text[1:-1], column=token.column), 1
        if token.kind == "name":
            if self.sees("("):
                return self.call(token)
            return Name(token.text.upper(), column=token.column), 1
        if token.kind == "op" and token.text == "(":
            self.enter(token.column)
            node, depth = self.sum()
            self.nested -= 1
            self.expect(")", f"to close the '(' of column {token.column}")
            return node, depth
        if token.kind == "end":
            raise ExpressionError("the expression ends too early", token.column)
        raise ExpressionError(f"expected a number, a name or '(' but found {token.text!r}", token.column)

    def call(self, token: Token) -> tuple[Node, int]:
        name = token.text.upper()
        self.enter(token.column)
        self.take()
        args: list[Node] = []
        depth = 0
        if not self.sees(")"):
            while True:
                node, below = self.sum()
                args.append(node)
                depth = max(depth, below)
                if self.sees(","):
                    self.take()
                elif name == "IF" and len(args) == 1 and self.sees(":"):
                    self.take()
                else:
                    break
        self.expect(")", f"after the arguments of {name[:32]}")
        self.nested -= 1
        if name != "IF":
            return self.checked(Call(name, tuple(args), column=token.column), depth + 1)
        if len(args) != 4:
            raise ExpressionError(f"IF(expr: e1, e2, e3) takes 4 arguments, not {len(args)},", token.column)
        cond, neg, zero, pos = args
        return self.checked(If(cond, neg, zero, pos, column=token.column), depth + 1)


def parse(text: str) -> Node:
    """Parse an Adams function expression.

    Raises :class:`ExpressionError` (a ``ValueError``) naming the column when the text is none.  Functions are not
    looked up here: any name with arguments is a :class:`Call`, which :func:`compile_expression` resolves.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"an expression holds at most {MAX_LENGTH} characters, this one has {len(text)}")
    return _kept(text) if len(text) <= SHORT else _parsed(text)


def _parsed(text: str) -> Node:
    parser = _Parser(tokenize(plain_references(text)))
    node, _ = parser.sum()
    rest = parser.take()
    if rest.kind != "end":
        raise ExpressionError(f"unexpected {rest.text[:32]!r} after the expression", rest.column)
    return node


_kept = lru_cache(KEPT)(_parsed)  # nodes cannot be changed; errors are not kept
