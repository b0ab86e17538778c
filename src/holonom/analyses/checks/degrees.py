"""Angles that are prescribed in degrees: functions of rotational motions whose amplitude is a whole number of them.

Only amplitudes count, as in 90*SIN(TIME) or STEP(TIME, 0, 0, 1, 90): a rate, as in 90*TIME, may well be in radians per
second.
"""

from __future__ import annotations

from typing import Any

from ...expressions import Binary, Call, ExpressionError, Fault, If, Node, Number, Unary, evaluate, parse
from ...model.implausible import in_degrees

LEAST, MOST, STEP = 30.0, 720.0, 5.0  # amplitudes that are hardly ever meant in radians
#: function -> positions of those of its arguments that are values of it
_VALUES = {name: (2, 4) for name in ("STEP", "STEP5", "HAVSIN")} | {"SHF": (2, 5)}


def _amplitudes(node: Node) -> list[float]:
    """Constant amplitudes of the terms of a function of time: of STEP, SIN and the like, and constants."""
    try:
        return [evaluate(node, {})]
    except (ExpressionError, Fault):
        pass  # it depends on time or on the machine
    if isinstance(node, Unary):
        return _amplitudes(node.operand)
    if isinstance(node, If):
        return [a for branch in (node.neg, node.zero, node.pos) for a in _amplitudes(branch)]
    if isinstance(node, Binary) and node.op in ("+", "-"):
        return _amplitudes(node.left) + _amplitudes(node.right)
    if isinstance(node, Binary) and node.op in ("*", "/"):
        for factor, rest in ((node.right, node.left), (node.left, node.right))[: 2 if node.op == "*" else 1]:
            try:
                size = evaluate(factor, {})
            except (ExpressionError, Fault):
                continue
            return [a * size if node.op == "*" else a / size for a in _amplitudes(rest) if size or node.op == "*"]
    if isinstance(node, Call) and node.name in ("SIN", "COS"):
        return [1.0]
    if isinstance(node, Call) and node.name in _VALUES:
        return [a for k in _VALUES[node.name] if k < len(node.args) for a in _amplitudes(node.args[k])]
    return []


def prescribed_in_degrees(model: Any) -> list[str]:
    """One sentence for each rotational motion with such an amplitude."""
    out = []
    for e in model.table("MOTION").values():
        turns = e.component.upper().startswith("B") if e.component else e.kind.upper() == "ROTATIONAL"
        if not e.active or not turns or e.level.upper() != "DISPLACEMENT":
            continue
        try:
            tree = parse(e.function or "0")
        except ExpressionError:  # a fault
            continue
        found = [a for a in _amplitudes(tree) if LEAST <= abs(a) <= MOST and a % STEP == 0.0]
        if not found:
            continue
        name = "its motion" if isinstance(tree, (Number, Unary)) else "the amplitude of its function"
        text, joint = in_degrees(name, max(found, key=abs)), model.table("JOINT").get(e.joint)
        if joint is None or f"{joint.label}: {text}" not in model.warnings:  # the builder has said it of a constant
            out.append(f"{e.label}: {text}")
    return out
