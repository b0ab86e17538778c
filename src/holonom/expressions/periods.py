"""What an expression returns in: arguments over which it repeats itself, so that an integrator does not step over
whole repetitions unseen."""

from __future__ import annotations

from .functions import CONSTANTS
from .nodes import Binary, Call, Name, Node, Number, walk

TWO_PI = Binary("*", Number(2.0), Name("PI"))


def _turns(angle: Node) -> Node:
    return Binary("/", angle, TWO_PI)


def _own(node: Node) -> Node | None:
    """The argument of a function that repeats itself, in periods of its quickest part; None of others."""
    if not isinstance(node, Call):
        return None
    a = node.args
    match node.name:
        case "MOD":
            return Binary("/", a[0], a[1])
        case "SIN" | "COS":
            return _turns(a[0])
        case "SHF":
            return _turns(Binary("*", a[3], a[0]))
        case "FORSIN" | "FORCOS" if len(a) > 4:
            return _turns(Binary("*", Number(float(len(a) - 4)), Binary("*", a[2], a[0])))
        case "SWEEP":
            return Binary("*", Call("MAX", (a[3], a[5])), a[0])
    return None


def periods(node: Node) -> dict[Node, bool]:
    """Expressions that grow by one over a period of a part of ``node``; and whether the shape in between is open (MOD,
    whose value a spline may take) or a wave (SIN, COS, SHF, SWEEP, the last term of FORSIN, FORCOS).  Those of numbers
    alone are left out."""
    found: dict[Node, bool] = {}
    for part in walk(node):
        phase = _own(part)
        if phase is not None and any(
            isinstance(p, Call) or (isinstance(p, Name) and p.name not in CONSTANTS) for p in walk(phase)
        ):
            found[phase] = found.get(phase, False) or (isinstance(part, Call) and part.name == "MOD")
    return found
