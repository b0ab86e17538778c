"""Times at which motions break: where the velocity that a motion requires jumps, where it has a corner, and where its
function begins to change.

Motions are functions of time, so these times are known before the run: the roots of the conditions on which their
functions branch
(`expressions.switch_nodes`: IF, ABS, MAX, MOD, ends of STEP, ...) and the knots of their splines.  Steps end at them,
so that none passes over a short STEP, and the integrator restarts after corners and jumps, on the other side of the
root by a few units in the last position.

Where a velocity jumps all that the motion drives is struck: u+ = u - M^-1 G^T (G M^-1 G^T)^-1 (G u + phi_t), the
projection onto the velocities that are requested after the jump.  The impulses of all other constraints do no work, so
the kinetic energy that is gained is what the motion puts in.

Motions given by displacement follow their function at every time, so only jumps of their velocity count here; a jump of
the displacement itself cannot be followed, and ends the analysis with an error message (an angle may: a whole turn is
no way).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._summary import Summary
from ..._warnings import WarningText
from ...expressions import Binary, Call, Fault, Name, Node, Number, evaluate, switch_nodes, walk
from ...integrators.entry import CONSTRAINTS, enter, explicit_handle
from ...integrators.explicit import REDUNDANT
from ...model.data_files import spline_points

POINTS = 4000  # positions at which a condition that is not a straight line is checked
MOST = 20000  # roots of one condition, or knots of one spline
SIDE = 4  # units in the last position from a root to either side of it
JUMP = 1e-9  # of its size: less is no jump
SAME = 1e-13  # of the whole time: roots so near are one


@dataclass
class Break(Summary):
    """``before`` and ``after``: times on either side; ``jumps``: motion, velocity before and after; ``leaps``: motion,
    displacement;
    ``anew``: something jumps; ``corner``: of a velocity, at which methods with a history lose less than by a
    restart."""

    before: float
    after: float
    jumps: list[tuple[Any, float, float]] = field(default_factory=list)
    leaps: list[tuple[Any, float, float]] = field(default_factory=list)
    anew: bool = False
    corner: bool = False


class Breaks:
    """The breaks of the motions of a system from time ``t0`` to ``t1``."""

    def __init__(self, system: Any, t0: float, t1: float, say: Any = None):
        self.system = system
        self.t1 = t1
        self.list: list[Break] = []
        self._passed = math.nextafter(t0, -math.inf)
        kept = system.workspace.motion_breaks  # switches return to the same system again and again
        if kept is not None and kept[0] <= t0 and kept[1] == t1:
            self.list = kept[2]
            return
        found: dict[int, list[float]] = {}
        for k, (motion, node) in system.motion_nodes.items():
            times = [t for c in switch_nodes(node) for t in _told(roots(c, t0, t1), motion, say)]
            if motion.level != "DISPLACEMENT":
                times += [t for part in walk(node) for t in _told(knots(system.model, part, t0, t1), motion, say)]
            if times:
                found[k] = times
        if found:
            self._sort(found, t0, t1)
        system.workspace.motion_breaks = t0, t1, self.list

    def _sort(self, found: dict[int, list[float]], t0: float, t1: float) -> None:
        near = SAME * max(abs(t0), abs(t1))
        every = sorted((t, k) for k, times in found.items() for t in times)
        groups: list[list[tuple[float, int]]] = []
        for t, k in every:
            if groups and t - groups[-1][-1][0] <= near:
                groups[-1].append((t, k))
            else:
                groups.append([(t, k)])
        made = [self._sides(group[0][0], group[-1][0], t0, t1) for group in groups]
        asked = [[self._asked(t) for t in (b.before, b.after)] for b in made]
        ends = [t0, *(t for b in made for t in (b.before, b.after)), t1]
        between = [self._asked(0.5 * (a + b)) for a, b in zip(ends[:-1], ends[1:])]
        size = np.abs(np.array([*between, *(v for pair in asked for v in pair)])).max(axis=0)
        size[~np.isfinite(size)] = 0.0
        for b, group, (before, after) in zip(made, groups, asked):
            wanted = False
            for k in dict.fromkeys(k for _, k in group):
                motion = self.system.motion_nodes[k][0]
                level = {"DISPLACEMENT": 1, "VELOCITY": 0, "ACCELERATION": -1}[motion.level]
                least = JUMP * size[k] + 4.0 * (b.after - b.before) * np.append(size[k, 1:], 0.0)
                jumps = np.abs(after[k] - before[k]) > least
                if level >= 0 and jumps[level]:
                    b.jumps.append((motion, float(before[k, level]), float(after[k, level])))
                straight = (
                    motion.component.upper() in ("X", "Y", "Z") if motion.component else motion.kind == "TRANSLATIONAL"
                )
                if level == 1 and jumps[0] and straight:
                    b.leaps.append((motion, float(before[k, 0]), float(after[k, 0])))
                b.anew |= bool(b.jumps or b.leaps) or (level < 0 and bool(jumps[0]))
                b.corner |= level == 0 and bool(jumps[1])
                wanted |= level < 1 or bool(b.jumps or b.leaps)
            # behind the end there is nothing: what jumps there has its values before it, and what does not needs no end
            # of a step of its own
            if wanted and (b.after < t1 or (b.before < t1 and (b.anew or b.jumps or b.leaps))):
                self.list.append(b)

    @staticmethod
    def _sides(first: float, last: float, t0: float, t1: float) -> Break:
        width = lambda t: SIDE * math.ulp(max(abs(t), 1e-3 * max(abs(t0), abs(t1))))
        return Break(max(first - width(first), t0), last + width(last))

    def _asked(self, t: float) -> np.ndarray:
        """Functions of all motions at time t with their first two derivatives."""
        system = self.system
        enter(explicit_handle(system), CONSTRAINTS, system.y0.copy(), t, 0.0, REDUNDANT, 0, system.workspace.stages.d)
        return system.W.rw.motion.copy()

    # ---- during the run -------------------------------------------------------------------------------------------
    def ahead(self, t: float) -> Break | None:
        """The next break that has not been passed."""
        return next((b for b in self.list if b.before > self._passed), None)

    def goal(self, goal: float) -> float:
        """Where the next step must end."""
        b = self.ahead(goal)
        return goal if b is None else min(goal, b.before)

    def reached(self, t: float, costly_restart: bool) -> Break | None:
        """The break at which a step has ended, once; those that nothing restarts at are passed over."""
        while (b := self.ahead(t)) is not None and t >= b.before:
            self._passed = b.before
            if (b.anew or (b.corner and not costly_restart)) and t <= b.after:
                return b
        return None


def knots(model: Any, part: Node, t0: float, t1: float) -> list[float] | None:
    """Times of the knots of a spline in time, where its argument is a straight line; None: too many."""
    if not isinstance(part, Call) or part.name not in ("AKISPL", "CUBSPL", "INTERP"):
        return []
    straight = line(part.args[0], t0, t1)
    if straight is None or straight[1] == 0.0 or not isinstance(part.args[2], Number):
        return []
    x = spline_points(model, model.find("SPLINE", int(part.args[2].value))).x
    times = [(v - straight[0]) / straight[1] for v in x]
    inside = [t for t in times if t0 <= t <= t1]
    return None if len(inside) > MOST else inside


def _told(times: list[float] | None, motion: Any, say: Any) -> list[float]:
    if times is None:
        if say is not None:
            say(
                WarningText(
                    f"{motion.label}: its function branches more than {MOST} times in this analysis; steps do not "
                    "end there"
                )
            )
        return []
    return times


def _at(node: Node, t: float) -> float:
    try:
        return evaluate(node, {"TIME": t})
    except Fault:
        return math.nan


def line(node: Node, t0: float, t1: float) -> tuple[float, float] | None:
    """(a, b) where the node is a + b t, else None."""
    try:
        s = [t0 + f * (t1 - t0) for f in (0.0, 1.0, 0.37, 0.81)]
        v = [_at(node, t) for t in s]
    except Exception:  # splines and inputs that are not known here
        return None
    slope = (v[1] - v[0]) / (s[1] - s[0])
    a = v[0] - slope * s[0]
    size = max(abs(x) for x in v)
    straight = all(abs(y - (a + slope * t)) <= 1e-12 * (size + abs(a)) for t, y in zip(s[2:], v[2:]))
    return (a, slope) if straight else None


def roots(node: Node, t0: float, t1: float) -> list[float] | None:
    """Times from t0 to t1 at which the sign of a condition changes; None: too many."""
    straight = line(node, t0, t1)
    if straight is not None:
        if straight[1] == 0.0:
            return []
        t = _polished(node, -straight[0] / straight[1], t1 - t0)
        return [t] if t0 <= t <= t1 else []
    if isinstance(node, Call) and node.name in ("SIN", "COS"):
        inner = node.args[0]
        if isinstance(inner, Binary) and inner.op == "*" and inner.left == Name("PI"):
            straight = line(inner.right, t0, t1)
            if straight is not None and straight[1] != 0.0:  # whole or half numbers of a straight line
                half = 0.5 if node.name == "COS" else 0.0
                low, high = sorted(straight[0] + straight[1] * t - half for t in (t0, t1))
                if high - low > MOST:
                    return None
                found = sorted(
                    (n + half - straight[0]) / straight[1]
                    for n in range(math.ceil(low - 1e-12), math.floor(high + 1e-12) + 1)
                )
                return [min(t, t1) for t in found if t0 <= t <= t1 + SIDE * math.ulp(t1)]
    try:
        _at(node, t0)
    except Exception:
        return []
    times = np.linspace(t0, t1, POINTS + 1)
    values = [_at(node, t) for t in times]
    found = []
    for a, b, f, g in zip(times[:-1], times[1:], values[:-1], values[1:]):
        if f == f and g == g and np.sign(f) != np.sign(g):
            found.append(_bisect(node, float(a), float(b), float(np.sign(f))))
    return found


def _polished(node: Node, t: float, span: float) -> float:
    """The root of a straight line as its own arithmetic has it."""
    a, b = t - 1e-12 * (abs(t) + span), t + 1e-12 * (abs(t) + span)
    f, g = np.sign(_at(node, a)), np.sign(_at(node, b))
    return _bisect(node, a, b, float(f)) if f != g and _at(node, t) != 0.0 else t


def _bisect(node: Node, a: float, b: float, sign: float) -> float:
    while True:
        mid = 0.5 * (a + b)
        if not a < mid < b:
            return b
        if float(np.sign(_at(node, mid))) == sign:
            a = mid
        else:
            b = mid
