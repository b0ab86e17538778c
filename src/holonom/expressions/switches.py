"""Where an expression has a kink or a jump: expressions whose zero crossings an integrator can watch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations

from .functions import FUNCTIONS, check_arity
from .nodes import Binary, Call, If, Name, Node, Number, Unary, rebuilt, walk

ZERO, HALF = Number(0.0), Number(0.5)


def _checked(node: Call) -> None:
    """A function has the arguments that it takes: who opens it up relies on that.  Raises ExpressionError."""
    if node.name in FUNCTIONS:
        check_arity(node.name, len(node.args), node.column)


def _minus(a: Node, b: Node) -> Node:
    return a if b == Number(0.0) else Binary("-", a, b)


def _wave(name: str, a: Node) -> Node:
    """SIN or COS of pi a: zero at the whole or at the half numbers."""
    return Call(name, (Binary("*", Name("PI"), a),))


def _impact(q: Node, qd: Node, q1: Node, k: Node, e: Node, c: Node, d: Node) -> list[Node]:
    depth = _minus(q1, q)
    damping = Binary("*", Binary("*", c, qd), Call("STEP", (depth, Number(0.0), Number(0.0), d, Number(1.0))))
    elastic = Binary("*", k, Binary("**", Call("DIM", (q1, q)), e))
    return [depth, _minus(depth, d), _minus(elastic, damping)]


def _own(node: Node) -> list[Node]:
    if isinstance(node, If):
        return [node.cond]
    if not isinstance(node, Call):
        return []
    _checked(node)
    name, args = node.name, node.args
    if name == "ABS":
        return [args[0]]
    if name == "SIGN":
        return [args[1], args[0]]
    if name in ("MAX", "MIN"):
        return [_minus(a, b) for a, b in combinations(args, 2)]
    if name == "DIM":
        return [_minus(args[0], args[1])]
    if name in ("INT", "AINT"):
        return [_wave("SIN", args[0])]
    if name in ("NINT", "ANINT"):
        return [_wave("COS", args[0])]
    if name == "MOD":
        return [_wave("SIN", Binary("/", args[0], args[1]))]
    if name in ("STEP", "STEP5", "HAVSIN"):
        return [_minus(args[0], args[1]), _minus(args[0], args[3])]
    if name == "IMPACT":
        return _impact(*args)
    if name == "BISTOP":
        q, qd, q1, q2, *rest = args
        return _impact(q, qd, q1, *rest) + _impact(Unary("-", q), Unary("-", qd), Unary("-", q2), *rest)
    if name == "SWEEP":
        x, _, x0, _, x1, _, dx = args
        return [_minus(x, x0), _minus(x, Binary("+", x0, dx)), _minus(x, x1)]
    return []


def switch_nodes(node: Node) -> list[Node]:
    """Expressions whose zero crossing is an event of this expression, without repetition, in order of appearance.

    IF: the condition.  ABS, SIGN, MAX, MIN, DIM: where the sides change.  INT, NINT, MOD: a wave that vanishes at the
    jumps (and also where INT is smooth, at 0).  STEP, STEP5, HAVSIN, SWEEP: the ends.  IMPACT, BISTOP: onset, full
    damping, and the force before it is cut at zero.  Knots of splines and domains of SQRT, ... are no events.
    """
    found: dict[Node, None] = {}
    for part in walk(node):
        for switch in _own(part):
            if any(isinstance(p, Call) or (isinstance(p, Name) and p.name != "PI") for p in walk(switch)):
                found.setdefault(switch)
    return list(found)


# ---- branches held fast ---------------------------------------------------------------------------------------------
def freeze(node: Node, mode: Callable[[Node, bool], Node | None]) -> Node:
    """The same expression with branches that can be held fast, so that it stays smooth while a step passes a switch.

    ``mode(condition, jump)`` gives the node that holds the condition's branch (-1 or 1; 0: the condition itself
    decides, and values are those of ``node``), or None to leave that switch alone; ``jump``: the value may jump there
    (IF, SIGN), else it has a corner (ABS, MAX, MIN, DIM, onset of IMPACT and BISTOP).
    """
    if isinstance(node, If):
        neg, zero, pos = (freeze(b, mode) for b in (node.neg, node.zero, node.pos))
        return If(_held(freeze(node.cond, mode), mode, True), neg, zero, pos)
    if isinstance(node, Call):
        _checked(node)
    if not isinstance(node, Call) or node.name not in ("ABS", "SIGN", "MAX", "MIN", "DIM", "IMPACT", "BISTOP"):
        return rebuilt(node, partial(freeze, mode=mode))
    args = tuple(freeze(a, mode) for a in node.args)
    held = lambda condition, jump=False: _held(condition, mode, jump)
    match node.name:
        case "ABS":
            return _choice(held(args[0]), Unary("-", args[0]), args[0], args[0])
        case "SIGN":
            size = _choice(held(args[0]), Unary("-", args[0]), args[0], args[0])
            return _choice(held(args[1], True), Unary("-", size), size, size)
        case "DIM":
            difference = _minus(*args)
            return _choice(held(difference), ZERO, ZERO, difference)
        case "MAX" | "MIN":
            best = args[0]
            for other in args[1:]:
                low, high = (other, best) if node.name == "MAX" else (best, other)
                best = _choice(held(_minus(best, other)), low, best, high)
            return best
        case "IMPACT":
            return _choice(held(_minus(args[2], args[0])), ZERO, ZERO, Call("IMPACT", args))
    q, qd, q1, q2, *rest = args  # BISTOP: two stops
    below = _choice(held(_minus(q1, q)), ZERO, ZERO, Call("IMPACT", (q, qd, q1, *rest)))
    above = Call("IMPACT", (Unary("-", q), Unary("-", qd), Unary("-", q2), *rest))
    return Binary("-", below, _choice(held(_minus(q, q2)), ZERO, ZERO, above))


def _held(condition: Node, mode: Callable[[Node, bool], Node | None], jump: bool) -> Node:
    """The mode where it is -1 or 1, else (0, or released, see `system.functions`) the condition."""
    m = mode(condition, jump)
    if m is None:
        return condition
    return If(Binary("-", Call("ABS", (m,)), HALF), condition, condition, m)


def _choice(condition: Node, neg: Node, zero: Node, pos: Node) -> Node:
    return If(condition, neg, zero, pos)
