"""Laws of control blocks as equations: signals with the operators of Python, which become expression trees.

A law is written with ``u[k]`` (inputs), ``x[k]`` (states), ``y[k]`` (outputs, in the rates or updates of states) and
numbers; the expression machine evaluates it with exact derivatives (`system.control`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...expressions import Binary, Call, If, Name, Node, Number, Unary

#: what the trees of laws read; names that no text can hold: input, state, output of the present sample, random number,
#: intermediate quantity
PORT, STATE, PRESENT, DRAW, INNER = "@PORT", "@STATE", "@PRESENT", "@DRAW", "@INNER"


@dataclass(frozen=True)
class Signal:
    """A quantity of a law."""

    node: Node

    @property
    def constant(self) -> float | None:
        """Its number, where it is one."""
        return self.node.value if isinstance(self.node, Number) else None

    def __add__(self, other: Any) -> Signal:
        a, b = self, signal(other)
        if a.constant == 0.0:
            return b
        return a if b.constant == 0.0 else Signal(Binary("+", a.node, b.node))

    def __radd__(self, other: Any) -> Signal:
        return signal(other) + self

    def __sub__(self, other: Any) -> Signal:
        b = signal(other)
        if b.constant == 0.0:
            return self
        return -b if self.constant == 0.0 else Signal(Binary("-", self.node, b.node))

    def __rsub__(self, other: Any) -> Signal:
        return signal(other) - self

    def __mul__(self, other: Any) -> Signal:
        a, b = self, signal(other)
        if a.constant == 0.0 or b.constant == 0.0:
            return signal(0.0)
        if a.constant == 1.0:
            return b
        return a if b.constant == 1.0 else Signal(Binary("*", a.node, b.node))

    def __rmul__(self, other: Any) -> Signal:
        return signal(other) * self

    def __truediv__(self, other: Any) -> Signal:
        b = signal(other)
        return self if b.constant == 1.0 else Signal(Binary("/", self.node, b.node))

    def __rtruediv__(self, other: Any) -> Signal:
        return signal(other) / self

    def __neg__(self) -> Signal:
        return signal(-self.constant) if self.constant is not None else Signal(Unary("-", self.node))


def signal(value: Any) -> Signal:
    """A number as a signal."""
    return value if isinstance(value, Signal) else Signal(Number(float(value)))


TIME = Signal(Name("TIME"))


def call(name: str, *arguments: Any) -> Signal:
    """A function of the language of expressions."""
    return Signal(Call(name, tuple(signal(a).node for a in arguments)))


def branch(condition: Any, negative: Any, zero: Any, positive: Any) -> Signal:
    """``negative``, ``zero`` or ``positive`` by the sign of a condition."""
    return Signal(If(*(signal(a).node for a in (condition, negative, zero, positive))))


def true(value: Any) -> Signal:
    """1 where a logical signal is true (above one half), else 0."""
    return branch(signal(value) - 0.5, 0.0, 0.0, 1.0)


def clipped(value: Signal, lower: float, upper: float) -> Signal:
    """The value within limits, either of which may be infinite."""
    if math.isfinite(upper):
        value = call("MIN", value, upper)
    return call("MAX", value, lower) if math.isfinite(lower) else value


def total(terms: Sequence[Any]) -> Signal:
    """The sum of terms, as a balanced tree."""
    items = [signal(t) for t in terms]
    items = [t for t in items if t.constant != 0.0]
    if not items:
        return signal(0.0)
    while len(items) > 1:
        items = [items[k] + items[k + 1] if k + 1 < len(items) else items[k] for k in range(0, len(items), 2)]
    return items[0]


def combination(weights: Sequence[float], signals: Sequence[Signal]) -> Signal:
    """Sum of numbers times signals."""
    return total([float(w) * s for w, s in zip(weights, signals)])


class Terminals:
    """``[k]`` is the k-th input, state or output of a block, as a signal."""

    def __init__(self, name: str, block: Any):
        self.name, self.block = name, block

    def __getitem__(self, k: int) -> Signal:
        return Signal(Call(self.name, (Number(float(self.block.id)), Number(float(k + 1)))))

    def first(self, count: int) -> list[Signal]:
        """The first ``count`` of them."""
        return [self[k] for k in range(count)]


def terminals(block: Any) -> tuple[Terminals, Terminals, Terminals]:
    """Inputs u, states x and outputs y of a block."""
    return Terminals(PORT, block), Terminals(STATE, block), Terminals(PRESENT, block)


def draws(block: Any) -> Terminals:
    """Its random numbers: standard normal, new at each sample."""
    return Terminals(DRAW, block)


def inner(block: Any) -> Terminals:
    """Its intermediate quantities (`Law.inner`)."""
    return Terminals(INNER, block)


@dataclass(frozen=True)
class Slide:
    """An integral, the state ``state`` (from 0), of a law that stops at ``limit`` of an output v of which it is part:
    conditions v - limit (``excess``) and I' within the limit (``rate``); ``side``: 1 above, -1 below.  It may slide
    along the limit (`analyses.dynamics.sliding`)."""

    excess: Signal
    rate: Signal
    state: int
    side: float
    limit: float


@dataclass(frozen=True)
class Law:
    """Outputs y = g(x, u), initial states, and what changes these: rates x' = f(x, u, y) of a continuous block, the
    next x = f(x, u, y) of a sampled one, y being the outputs at this sample; ``draws``: how many random numbers it
    reads at a sample; ``held``: initial outputs of a sampled block until its first sample (zero by default);
    ``inner``: quantities that others read more than once, each after those that it reads; ``events``: whether kinks
    are located as events of the integrator; ``slides``: integrals that stop at a limit."""

    outputs: Sequence[Signal]
    states: Sequence[float] = ()
    change: Sequence[Signal] = ()
    draws: int = 0
    held: Sequence[float] = ()
    inner: Sequence[Signal] = ()
    events: bool = True
    slides: Sequence[Slide] = ()
