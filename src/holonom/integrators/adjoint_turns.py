"""The adjoint of events without a jump of the state: a condition g(t, y, p) of a function reaches zero, and the
function takes another branch, or the run ends.

With the rates f- and f+ of the two branches at the event, whose time changes by dt = -(g_y dy + g_p dp)/g', the state
behind it changes by (f- - f+) dt more than that before it (saltation; Hiskens, Pai, IEEE Trans. Circuits Syst. I 47
(2000) 204), so that the cotangent lam becomes

    lam - g_y mu,   pbar - g_p mu,   mu = lam . (f- - f+)/g',   g' = g_y f- + g_t.

Where the run ends, of a functional c at that time, mu = (c_y f- + c_t)/g'.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._handle import view_P, view_S, view_W
from .._jit import jit
from .._six_points import AT, WEIGHTS
from ..model import ModelError
from ..system.functions import evaluate_functions, evaluate_inputs
from ..system.kernels import evaluate_frames
from ..system.pull import clear, pull_values, to_state
from .adjoint_impacts import rates_at

NONE = 1e-13  # of its parts: a jump so small is none
SLOW = 1e-2  # of the usual rate of a condition: one that changes so slowly nearly grazes
ALIKE = 1e-6  # of its size: so near two derivatives of times are one
NEAR = 1e-9  # of the run: events so near are in one instant

_HANDLE = "Handle(Tables, Work, Adjoint(Variable, Cotangents, ContactPull, Pull))"


@jit(entry=f"{_HANDLE}, float64, float64[::1], float64[::1], float64[::1]")
def pull_at(handle, t, y, weights, yb):
    """yb += cotangent of weighted values of functions at a state; those of numbers are added to P."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    evaluate_frames(S, W, y)
    clear(P.out.body)
    pull_values(S, W, P.pull, t, y, weights, yb)
    to_state(S, P.pull, y, yb)


@jit(entry=f"{_HANDLE}, float64, float64[::1], float64[::1]")
def values_at(handle, t, y, out):
    """out <- values of functions at a state."""
    S = view_S(handle)
    W = view_W(handle)
    evaluate_frames(S, W, y)
    evaluate_inputs(S.fn, S, W, t, y)
    evaluate_functions(S.fn, S, W)
    for e in range(out.shape[0]):
        out[e] = W.f.fval[e]


class Condition:
    """A condition at an event: its ``slope`` by the state, those of tables of numbers, and its ``rate`` g'."""

    def __init__(self, turns: Turns, function: int, t: float, y: np.ndarray, f: np.ndarray) -> None:
        self._f = f
        P = turns.adjoint.P
        tables = P.out.place, P.out.turn, P.constant
        before = [table.copy() for table in tables]
        weights = np.zeros(len(P.fbar))
        weights[function] = 1.0
        self.slope = np.zeros_like(y)
        pull_at(turns.adjoint.handle, t, y, weights, self.slope)
        self._numbers = [table - kept for table, kept in zip(tables, before)]
        for table, kept in zip(tables, before):
            table[:] = kept
        self.rate = float(self.slope @ f) + float(turns.by_time(t, y)[function])
        #: the rate that it usually has, from how fast the state changes in the run
        self.usual = float(np.abs(self.slope) @ turns.fastest) or abs(self.rate)

    def alike(self, other: Condition) -> bool:
        """Whether the times of both have the same derivatives."""
        mine, theirs = self.slope / self.rate, other.slope / other.rate
        return bool(np.abs(mine - theirs).max() <= ALIKE * np.abs(mine).max())

    def steady(self, f: np.ndarray) -> bool:
        """Whether its rate is the same with other rates of the state."""
        return abs(float(self.slope @ (f - self._f))) <= ALIKE * abs(self.rate)

    def carry(self, turns: Turns, mu: float, yb: np.ndarray) -> None:
        P = turns.adjoint.P
        yb -= mu * self.slope
        for table, change in zip((P.out.place, P.out.turn, P.constant), self._numbers):
            table -= mu * change


class Turns:
    """Adjoint of the changes of branches of a run; ``conditions``: function of a condition by its number, see
    `tape.Tape.turns`; ``warnings``: of events that nearly graze, or nearly coincide."""

    def __init__(self, adjoint: Any, tape: Any) -> None:
        self.adjoint, self.tape = adjoint, tape
        self.system = adjoint.system
        self.warnings: list[str] = []
        times, states = tape.times, tape.states
        h = np.diff(times)
        going = h > 1e-6 * h.max()
        self.fastest = (np.abs(np.diff(states, axis=0))[going] / h[going, None]).max(axis=0)
        self._step = 0.01 * float(h.max())
        #: of the event behind: its end of a step, time, whose, condition, and by how much rates jump
        self._last: tuple[int, float, str, Condition, np.ndarray] | None = None

    def by_time(self, t: float, y: np.ndarray) -> np.ndarray:
        """Derivatives of functions by time, at a state that is held."""
        value, out = np.zeros((2, len(self.adjoint.P.fbar)))
        for k, w in zip(AT, WEIGHTS):
            values_at(self.adjoint.handle, t + k * self._step, y, value)
            out += w * value
        values_at(self.adjoint.handle, t, y, value)
        return np.where(np.abs(out) > 1e-14 * np.abs(value), out, 0.0) / self._step

    def _rates(self, t: float, y: np.ndarray) -> np.ndarray:
        out = np.zeros_like(y)
        rates_at(self.adjoint.handle, t, y, out)
        return out

    def _under(self, modes: np.ndarray, t: float, y: np.ndarray) -> np.ndarray:
        """Rates with other branches."""
        self.tape.branch(modes)
        return self._rates(t, y)

    def back(self, k: int, t: float, y: np.ndarray, yb: np.ndarray) -> None:
        """yb of the state behind the event at end ``k`` of steps <- that before it.  Raises ModelError where its time
        has no derivative."""
        tape = self.tape
        turned, later = tape.turns[k], tape.modes[min(k + 1, len(tape.modes) - 1)]
        own = tape.modes[k].copy()
        own[turned] = later[turned]
        after = self._under(own, t, y)
        before = self._under(tape.modes[k], t, y)
        change = before - after
        size = float(np.abs(yb) @ (np.abs(before) + np.abs(after)))
        if abs(yb @ change) <= NONE * size:
            return
        found: list[tuple[str, Condition, float]] = []
        whole = 0.0
        for which in turned:
            label, function = tape.condition(which).label, tape.functions.get(int(which))
            if function is None:
                raise ModelError(
                    f"at time {t:.6g} a condition of {label} changes that no function can state: its time has no "
                    "derivative yet; end before it, or make it smooth (STEP)"
                )
            alone = tape.modes[k].copy()
            alone[which] = later[which]
            jump = float(yb @ (before - self._under(alone, t, y)))
            tape.branch(tape.modes[k])
            condition = Condition(self, function, t, y, before)
            self._check(label, condition, t)
            found.append((label, condition, jump))
            whole += jump
        # where each adds its own jump, whatever the others are, and no rate of a condition jumps, any order is the same
        alike = all(c.alike(found[0][1]) for _, c, _ in found)
        sums = abs(whole - yb @ change) <= ALIKE * size and all(c.steady(after) for _, c, _ in found)
        if alike:
            found = [(found[0][0], found[0][1], float(yb @ change))]
        elif not sums:
            raise ModelError(
                f"at time {t:.6g} conditions of {found[0][0]} and of {found[1][0]} change in the same instant: which "
                "is first decides, so that there is no derivative; change one of them slightly"
            )
        self._order(k, t, y, found, before, change)
        for _, condition, jump in found:
            condition.carry(self, jump / condition.rate, yb)

    def _order(self, k: int, t: float, y: np.ndarray, found: list, before: np.ndarray, change: np.ndarray) -> None:
        """Report where this event and that behind it are nearly in one instant, and the order decides."""
        tape, last = self.tape, self._last
        self._last = k, t, found[0][0], found[0][1], change
        if last is None or not last[1] - t < NEAR * float(tape.times[-1]) or last[3].alike(found[0][1]):
            return
        other = tape.turns[last[0]]
        exchanged = tape.modes[k].copy()
        exchanged[other] = tape.modes[min(last[0] + 1, len(tape.modes) - 1)][other]
        same = before - self._under(exchanged, t, y) - last[4]
        tape.branch(tape.modes[k])
        if np.abs(same).max() > ALIKE * np.abs(last[4]).max() or not last[3].steady(before - change):
            self.warnings.append(
                f"at time {t:.6g} conditions of {found[0][0]} and of {last[2]} change within {last[1] - t:.1g} of each "
                "other: which is first decides, and the derivative is that of this order"
            )

    def end(self, function: int, label: str, t: float, y: np.ndarray, weights: np.ndarray, yb: np.ndarray) -> None:
        """yb of a functional at the end of the run, which a condition decides <- with that of its time; ``weights``
        (functions,) of the functional's values."""
        f = self._rates(t, y)
        condition = Condition(self, function, t, y, f)
        self._check(label, condition, t)
        change = float(yb @ f) + float(weights @ self.by_time(t, y))
        condition.carry(self, change / condition.rate, yb)

    def _check(self, label: str, condition: Condition, t: float) -> None:
        rate, usual = abs(condition.rate), condition.usual
        if not rate > 1e-9 * usual:
            raise ModelError(
                f"at time {t:.6g} a condition of {label} touches zero without crossing it: its time has no derivative"
            )
        if rate < SLOW * usual:
            self.warnings.append(
                f"at time {t:.6g} a condition of {label} changes at {rate / usual:.1g} of its largest rate: it nearly "
                "grazes, and the derivative is nearly that of one side"
            )


class BeganAgain:
    """Where a method that keeps stages began again (`tape.Tape.begun`): states from which steps began, branches of
    functions within them, and the adjoint of the changes of these."""

    def __init__(self, adjoint: Any, tape: Any) -> None:
        self._adjoint, self._tape = adjoint, tape
        self._states = tape.states
        self._turns: Turns | None = None

    @property
    def warnings(self) -> list[str]:
        return self._turns.warnings if self._turns else []

    def state(self, k: int) -> np.ndarray:
        """From which the step behind end k began."""
        return self._tape.begun[k][0] if k in self._tape.begun else self._states[k]

    def branch(self, k: int) -> None:
        """The equations of motion take the branches of the step to end k."""
        if self._tape.modes:
            self._tape.branch(self._tape.modes[k])

    def back(self, k: int, yb: np.ndarray) -> None:
        """yb of the state behind end k <- that before what changed there."""
        if k in self._tape.turns:
            if self._turns is None:
                self._turns = Turns(self._adjoint.beside(), self._tape)
            self._turns.back(k, float(self._tape.times[k]), self.state(k), yb)


def end_of_run(beside: Any, tape: Any, weights: np.ndarray, yb: np.ndarray) -> list[str]:
    """yb <- the cotangent of the end of a run that a condition decides, with that of weighted values of functions there
    (functions,); ``beside``: an adjoint at that state.  Returns warnings."""
    turns = Turns(beside, tape)
    t, y = float(tape.times[-1]), tape.states[-1]
    function, label = tape.ends
    pull_at(beside.handle, t, y, weights, yb)
    turns.end(function, label, t, y, weights, yb)
    return turns.warnings
