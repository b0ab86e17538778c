"""Steps that see every pulse over time: loads, variables, states, sensors and conditions that change and return as
functions of time alone, ``STEP(TIME,..) - STEP(TIME,..)``, HAVSIN, EXP, a spline of measured values.

Such functions are known before the run.  A method whose step is longer than a pulse sees it nowhere, and its error test
neither: the whole impulse would be lost silently.  So each part of an expression that depends on time alone is sampled
over the analysis: at equidistant points, at the ends of its STEPs and other corners, at the knots of its splines, and
about the zeros of straight lines in time, where EXP(-((TIME-0.7)/0.01)**2) and its like have their width.  Between its
turning points it rises or falls, more than `LEAST` of its range, along legs; steps end where a leg leaves its level,
where it reaches the next one, and half-way, since error tests that see positions only pass a short load in a step or
two.  A function with a single leg shows at the end of every step that passes it, and counts only where the leg is
short, since it may be one side of a pulse whose other side is in another function.

What repeats itself is left to `periods`, jumps to `events`, motions to `motion_breaks`.  Steps of a fixed size are left
as they are requested; that they pass over a pulse is reported.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._warnings import WarningText
from ...expressions import (
    CONSTANTS,
    FUNCTIONS,
    Binary,
    Call,
    ExpressionError,
    Fault,
    If,
    Name,
    Node,
    Number,
    String,
    Unary,
    children,
    evaluate,
    periods,
    switch_nodes,
    walk,
)
from ...model import ModelError
from ...system.names import argument_id, read_function
from ...system.outputs import Followed
from .motion_breaks import MOST, SIDE, knots, line

POINTS = 4000  # equidistant samples
BETWEEN = 8  # samples between two neighbouring corners
ABOUT = (0.5, 1.0, 2.0, 3.0, 5.0)  # values of a straight line in time about its zero that are sampled
LEAST = 0.01  # of the range of a function: less is no pulse
LEVEL = 1e-3  # of the range: so near a turning point its level is reached
SHORT = 0.05  # of the analysis: a single leg that is longer is left to the error test
JUMP = 1e-9  # of the analysis: a leg that is shorter is a jump
TOGETHER = 16  # functions that are sampled at once
CORNERED = ("STEP", "STEP5", "HAVSIN", "ABS", "SIGN", "MAX", "MIN", "DIM", "AKISPL", "CUBSPL", "INTERP")
SPLINES = ("AKISPL", "CUBSPL", "INTERP")


class Pulses:
    """Times at which steps of one system end from time ``t0`` to ``t1``, so that none passes over a pulse.

    ``located``: jumps are located by `events`; ``step``: the size of fixed steps, which are not cut; ``say``: takes
    messages."""

    def __init__(self, system: Any, located: bool, step: float | None, t0: float, t1: float, say: Any) -> None:
        self.t1 = t1
        kept = system.workspace.pulses  # switches return to the same system again and again
        if kept is None or not (kept[0] <= t0 and kept[1] == t1 and kept[2] == located):
            kept = system.workspace.pulses = (t0, t1, located, _times(system, located, t0, t1, say))
        self.times, narrow = kept[3]
        self._near = 1e-12 * (t1 - t0)
        if step is None:
            return
        self.times = []
        if narrow and narrow[0] < 2.0 * step:
            width, start, label = narrow
            say(
                WarningText(
                    f"{label}: its function of time changes and returns within {width:.4g} from time "
                    f"{start:.6g}; steps of {step:g} are fixed and may pass over it: give one below {0.5 * width:.2g}"
                )
            )

    def goal(self, t: float, goal: float) -> float:
        """Where a step from time ``t`` must end, at ``goal`` at the latest."""
        if not self.times:
            return goal
        k = bisect_right(self.times, t + self._near)
        return min(goal, self.times[k]) if k < len(self.times) else goal


# ---- functions of time alone ----------------------------------------------------------------------------------------
class _OfTime:
    """Which parts of the expressions of a system are functions of time alone; ``found``: part -> (time by which it is
    delayed, whose it is)."""

    def __init__(self, system: Any) -> None:
        self.system, self.model = system, system.model
        self.found: dict[tuple[Node, float], str] = {}
        self._variables: dict[int, Node | None] = {}

    def collect(self, node: Node, label: str, late: float = 0.0) -> None:
        """Parts of an expression that are not straight lines, as large as they can be, and what of them repeats itself
        in smaller ones."""
        if isinstance(node, Call) and node.name == "DELAY":
            try:
                late += evaluate(node.args[1], {})
            except (ExpressionError, Fault):  # a delay that varies
                return
            self.collect(node.args[0], label, late)
            return
        if self._alone(node):
            if isinstance(node, Call) and node.name == "VARVAL":
                tree = self.variable(node)
                assert tree is not None
                self.collect(tree, label, late)
                return
            if self._straight(node):
                return
            if not any(periods(part) for part in self._opened(node)):
                self.found.setdefault((node, late), label)
                if not (isinstance(node, Binary) and node.op in "+-"):  # a small term counts as well
                    return
        for child in children(node):
            self.collect(child, label, late)

    def variable(self, call: Call) -> Node | None:
        """The expression of the VARIABLE that a VARVAL reads, where it is a function of time alone."""
        try:
            id = argument_id(self.model, "VARIABLE", call.args[0])
        except (ExpressionError, ModelError, IndexError):
            return None
        if id not in self._variables:
            self._variables[id] = None  # in a circle: it is not
            v = self.model.table("VARIABLE").get(id)
            if v is not None and not v.routine and not v.input and id not in self.system.inputs:
                tree = _tree(self.model, v.function)
                self._variables[id] = tree if tree is not None and self._alone(tree) else None
        return self._variables[id]

    def _opened(self, node: Node) -> Iterator[Node]:
        """The expression and those of the variables that it reads."""
        todo = [node]
        while todo:
            yield (node := todo.pop())
            for part in walk(node):
                if isinstance(part, Call) and part.name == "VARVAL" and (tree := self.variable(part)) is not None:
                    todo.append(tree)

    def parts(self, node: Node) -> Iterator[Node]:
        """Every node of the expression and of the variables that it reads."""
        for tree in self._opened(node):
            yield from walk(tree)

    def _alone(self, node: Node) -> bool:
        if isinstance(node, (Number, String)):
            return True
        if isinstance(node, Name):
            return node.name == "TIME" or node.name in CONSTANTS
        if isinstance(node, Call):
            if node.name == "VARVAL":
                return self.variable(node) is not None
            if node.name in SPLINES:
                return all(map(self._alone, node.args[:2]))
            if node.name not in FUNCTIONS:
                return False
        return all(map(self._alone, children(node)))

    def _straight(self, node: Node) -> bool:
        """Is it a straight line in time by its form, or constant?"""
        if isinstance(node, (Number, Name)):
            return True
        if isinstance(node, Unary):
            return self._straight(node.operand)
        if isinstance(node, Binary) and node.op != "**":
            fixed = [not _varies(side) for side in (node.left, node.right)]
            if node.op in "+-" or (fixed[0] and node.op == "*") or fixed[1]:
                return self._straight(node.left) and self._straight(node.right)
        return not _varies(node)

    def cornered(self, node: Node) -> bool:
        """Are its corners and knots all that it turns at, but for one turn between two of them?"""
        for part in self.parts(node):
            if isinstance(part, If):
                inner: tuple[Node, ...] = (part.cond,)
            elif isinstance(part, Call) and part.name in CORNERED:
                inner = part.args[:1] if part.name in SPLINES else part.args
            elif isinstance(part, Call) and part.name != "VARVAL":
                return False
            elif isinstance(part, Binary) and (part.op == "**" or (part.op == "/" and _varies(part.right))):
                return False
            else:
                continue
            if not all(map(self._straight, inner)):
                return False
        return True


def _varies(node: Node) -> bool:
    return any(n == Name("TIME") or (isinstance(n, Call) and n.name == "VARVAL") for n in walk(node))


def _tree(model: Any, text: str | None) -> Node | None:
    if not text or text.strip().upper().startswith("USER"):
        return None
    try:
        return read_function(model, text)
    except ExpressionError:  # reported where it is compiled
        return None


def _of_time(system: Any) -> _OfTime:
    model = system.model
    found = _OfTime(system)
    texts = [(s.label, s.function) for s in model.table("SENSOR").values() if s.active and not s.routine]
    texts += [
        (s.label, w)
        for s in model.table("SWITCH").values()
        if s.active
        for w in dict.fromkeys(w for tr in s.transitions for w in tr.when)
    ]
    timed = lambda text: bool(text) and any(word in text.upper() for word in ("TIME", "VARVAL"))
    texts = [(label, text) for label, text in texts if timed(text)]
    trees = [(tree, label) for label, text in texts if (tree := _tree(model, text)) is not None]
    for tree, label in [*system.functions.set.over_time, *((t, n) for t, n in trees if _varies(t))]:
        found.collect(tree, label)
    return found


# ---- samples --------------------------------------------------------------------------------------------------------
def _times(
    system: Any, located: bool, t0: float, t1: float, say: Any
) -> tuple[list[float], tuple[float, float, str] | None]:
    """Sorted times at which steps end, and width, beginning and owner of the narrowest pulse."""
    of_time = _of_time(system) if t1 > t0 else None
    if of_time is None or not of_time.found:
        return [], None
    stops: list[float] = []
    narrow: tuple[float, float, str] | None = None
    for times, v, late, label in _sampled(system, of_time, t0, t1):
        legs = _legs(times, v, t1 - t0, located)
        if len(legs) > MOST:
            say(
                WarningText(
                    f"{label}: its function of time turns more than {MOST} times in this analysis; steps do not end "
                    "there, give an hmax below the time between two turns"
                )
            )
            continue
        stops += [late + t for a, b in legs for t in (a, 0.5 * (a + b), b)]
        for (a, _), (_, b) in zip(legs[:-1], legs[1:]):
            if narrow is None or b - a < narrow[0]:
                narrow = b - a, a + late, label
    stops = sorted(t for t in stops if t0 < t < t1)
    near = JUMP * (t1 - t0)
    return [t for t, after in zip(stops, [*stops[1:], math.inf]) if after - t > near], narrow


def _sampled(
    system: Any, of_time: _OfTime, t0: float, t1: float
) -> Iterator[tuple[np.ndarray, np.ndarray, float, str]]:
    """Times and values of each function, by how much it is delayed, and whose it is."""
    found = list(of_time.found.items())
    for first in range(0, len(found), TOGETHER):
        some = found[first : first + TOGETHER]
        samples = [_samples(of_time, node, t0 - late, t1 - late) for (node, late), _ in some]
        times = np.unique(np.concatenate(samples))
        try:
            values = Followed(system, [(node, label) for (node, _), label in some])
            v = np.array([values.values(t, system.y0).copy() for t in times])
        except (ExpressionError, ModelError, KeyError):  # reported where it is compiled
            continue
        for k, ((_, late), label) in enumerate(some):
            inside = (times >= t0 - late) & (times <= t1 - late)
            yield times[inside], v[inside, k], late, label


def _samples(of_time: _OfTime, node: Node, t0: float, t1: float) -> np.ndarray:
    """Times at which a function of time is sampled."""
    corners: list[float] = []
    about: list[float] = []
    lines: set[Node] = set()
    for part in of_time.parts(node):
        corners += knots(of_time.model, part, t0, t1) or []
        for one in (*(switch_nodes(part) if isinstance(part, (Call, If)) else ()), part):
            if one in lines or isinstance(one, (Number, Name, String)) or (found := line(one, t0, t1)) is None:
                continue
            lines.add(one)
            a, b = found
            if b == 0.0:
                continue
            zero = -a / b
            sides = SIDE * math.ulp(max(abs(zero), 1e-3 * max(abs(t0), abs(t1))))
            corners.append(zero)
            about += [zero - sides, zero + sides, *((x - a) / b for w in ABOUT for x in (-w, w))]
    inside = np.array(sorted({t for t in corners if t0 <= t <= t1}), float)
    if 1 < len(inside) <= POINTS:
        shares = np.arange(1, BETWEEN) / BETWEEN
        about += (inside[:-1, None] + shares * np.diff(inside)[:, None]).ravel().tolist()
    grid = np.array([t0, t1]) if of_time.cornered(node) else np.linspace(t0, t1, POINTS + 1)
    every = np.concatenate([grid, inside, np.array(about, float)])
    return np.unique(every[(every >= t0) & (every <= t1)])


def _legs(times: np.ndarray, v: np.ndarray, span: float, located: bool) -> list[tuple[float, float]]:
    """(from, to) of the legs between turning points of sampled values."""
    good = np.isfinite(v)
    times, v = times[good], v[good]
    size = float(np.ptp(v)) if len(v) else 0.0
    if not size > 1e-12 * float(np.abs(v).max(initial=0.0)):
        return []
    turns = _turning_points(v, LEAST * size)
    legs = []
    for a, b in zip(turns[:-1], turns[1:]):
        leaves = a + int(np.flatnonzero(np.abs(v[a : b + 1] - v[a]) <= LEVEL * size)[-1])
        arrives = a + int(np.flatnonzero(np.abs(v[a : b + 1] - v[b]) <= LEVEL * size)[0])
        legs.append((float(times[leaves]), float(times[arrives])))
    if len(legs) == 1 and legs[0][1] - legs[0][0] >= SHORT * span:
        return []
    return [leg for leg in legs if not located or leg[1] - leg[0] > JUMP * span]


def _turning_points(v: np.ndarray, least: float) -> list[int]:
    """Indices of the lows and highs in turn, at first and last those of the ends, that differ by more than
    ``least``."""
    low = high = 0
    turns: list[int] = []
    rising = 0
    for i, x in enumerate(v.tolist()):
        if rising >= 0 and x > v[high]:
            high = i
        if rising <= 0 and x < v[low]:
            low = i
        if rising >= 0 and v[high] - x > least:
            turns.append(high)
            rising, low = -1, i
        elif rising <= 0 and x - v[low] > least:
            turns.append(low)
            rising, high = 1, i
    return [*turns, high if rising > 0 else low] if turns else []
