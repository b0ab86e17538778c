"""Where an expression has a kink or a jump: expressions whose zero crossings an integrator can watch."""

from __future__ import annotations

from itertools import combinations

from .nodes import Binary, Call, If, Name, Node, Number, Unary, walk


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
