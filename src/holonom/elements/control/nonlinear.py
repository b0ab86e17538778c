"""Nonlinear blocks: saturation, dead zone, rate limit, quantiser, relay, dead time, lookup tables, logic, choice."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...model.base import ModelError, shown
from ...model.builder.control import add_block, choice, without_effect
from ...model.control import BlockType, ControlBlock
from ...model.values import number, number_tuple
from .algebra import Law, Signal, branch, call, clipped, signal, terminals, total, true
from .linear import linear_law

GATES = ("and", "or", "xor", "not", "nand", "nor")
RELATIONS = (">", ">=", "<", "<=")
LEAST_POINTS = 4  # of a SPLINE


def _saturation(block: ControlBlock) -> Law:
    return Law([clipped(terminals(block)[0][0], block.value("lower", -math.inf), block.value("upper", math.inf))])


def _dead_zone(block: ControlBlock) -> Law:
    u = terminals(block)[0][0]
    lower, upper = block.value("lower"), block.value("upper")
    return Law([call("MAX", u - upper, 0.0) + call("MIN", u - lower, 0.0)])


def _quantizer(block: ControlBlock) -> Law:
    u, step = terminals(block)[0][0], block.value("step")
    rounded = "ANINT" if block.options["rounding"] == "nearest" else "AINT"
    return Law([step * call(rounded, u / step)])


def _rate_limit(block: ControlBlock) -> Law:
    u, x, y = terminals(block)
    rising, falling = block.value("rising"), block.value("falling")
    start = block.initial or (0.0,)
    if block.sampled:
        T = block.period
        return Law([x[0] + clipped(u[0] - x[0], -falling * T, rising * T)], start, [y[0]], held=start)
    return Law([x[0]], start, [clipped((u[0] - x[0]) / block.value("lag"), -falling, rising)])


def _relay(block: ControlBlock) -> Law:
    u, x, y = terminals(block)
    on, off = block.value("on"), block.value("off")
    start = block.initial or (off,)
    keep = x[0]
    out = branch(u[0] - block.value("above"), branch(u[0] - block.value("below"), off, off, keep), on, on)
    return Law([out], start, [y[0]], held=start)


def _dead_time(block: ControlBlock) -> Law:
    u, _, _ = terminals(block)
    delay, order = block.value("delay"), int(block.value("pade"))
    if not order:
        return Law([call("DELAY", u[0], delay, block.value("before"))])
    return linear_law(block, *pade(delay, order))


def pade(delay: float, order: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Matrices of the Pade approximation of exp(-s delay), as a chain of sections of first and second order.

    Source: G. H. Golub, C. F. Van Loan, Matrix Computations (2013), 9.3.1 (coefficients); sections keep high orders
    accurate.
    """
    from .linear import companion

    c = [1.0]
    for k in range(order):
        c.append(c[-1] * (order - k) / ((2.0 * order - k) * (k + 1)))
    roots = np.roots([(-1.0) ** k * v for k, v in reversed(list(enumerate(c)))])  # zeros; poles are their negatives
    A, B, C, D = np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((1, 0)), np.eye(1)
    roots = roots[np.argsort(roots.real)]
    pairs = [r for r in roots if r.imag > 1e-12 * abs(r)]
    for polynomial in [
        *([1.0, -r.real] for r in roots if abs(r.imag) <= 1e-12 * abs(r)),
        *([1.0, -2.0 * r.real, abs(r) ** 2] for r in pairs),
    ]:
        scaled = np.array(polynomial) * delay ** np.arange(len(polynomial) - 1, -1, -1)
        sign = (-1.0) ** np.arange(len(polynomial) - 1, -1, -1)
        a, b, c2, d = companion(scaled, scaled * sign)
        A, B, C, D = (
            np.block([[A, np.zeros((len(A), len(a)))], [b @ C, a]]),
            np.vstack([B, b @ D]),
            np.hstack([d @ C, c2]),
            d @ D,
        )
    return A, B, C, D


def _lookup(block: ControlBlock) -> Law:
    u, _, _ = terminals(block)
    low, high, method = block.value("low"), block.value("high"), block.value("method", 1.0)
    x = clipped(u[0], low, high) if block.options["beyond"] == "hold" else u[0]
    curves = [call("INTERP", x, method, float(t)) for t in block.tables]
    if not curves:
        raise ModelError("it has no table; give the ids of its SPLINEs as tables")
    z = block.parameters.get("z", ())  # linear between the curves
    shares = [clipped((u[1] - a) / (b - a), 0.0, 1.0) for a, b in zip(z, z[1:])]
    return Law([total([curves[0], *(s * (b - a) for s, a, b in zip(shares, curves, curves[1:]))])])


def _logic(block: ControlBlock) -> Law:
    inputs = [true(s) for s in terminals(block)[0].first(len(block.inputs))]
    gate = block.options["gate"]
    out = inputs[0]
    for other in inputs[1:]:
        if gate in ("and", "nand"):
            out = out * other
        elif gate in ("or", "nor"):
            out = call("MAX", out, other)
        else:
            out = out + other - 2.0 * out * other
    return Law([1.0 - out if gate in ("not", "nand", "nor") else out])


def _compare(block: ControlBlock) -> Law:
    u = terminals(block)[0]
    difference = u[0] - u[1]
    return Law([branch(difference, *_COMPARED[block.options["relation"]])])


_COMPARED = {">": (0.0, 0.0, 1.0), ">=": (0.0, 1.0, 1.0), "<": (1.0, 0.0, 0.0), "<=": (1.0, 1.0, 0.0)}


def _select(block: ControlBlock) -> Law:
    u = terminals(block)[0]
    return Law([branch(u[0] - 0.5, u[2], u[2], u[1])])


def _function(block: ControlBlock) -> Law:
    return Law([terminals(block)[0][0]])


def _latch(block: ControlBlock) -> Law:
    u, x, y = terminals(block)
    start = block.initial or (0.0,)
    kept = branch(u[0] - 0.5, x[0], x[0], 1.0)
    return Law([branch(u[1] - 0.5, kept, kept, 0.0)], start, [y[0]], held=start)


def _state_machine(block: ControlBlock) -> Law:
    u, x, y = terminals(block)
    start = block.initial or (1.0,)
    sources, targets = block.parameters["sources"], block.parameters["targets"]
    for what, values in (("initial", start), ("a state", sources), ("a next state", targets)):
        for value in values:
            if value != math.floor(value):
                raise ModelError(f"{what} is {value:g}; states are whole numbers")
    if start[0] not in sources:
        known = ", ".join(f"{s:g}" for s in sorted(set(sources)))
        raise ModelError(f"initial is {start[0]:g}, a state that no transition leaves; choose from {known}")
    out: Signal = x[0]
    for k in reversed(range(len(sources))):  # the first transition whose condition is true
        leave = true(u[k]) * branch(call("ABS", x[0] - sources[k]) - 0.5, 1.0, 0.0, 0.0)
        out = branch(leave - 0.5, out, out, signal(targets[k]))
    return Law([out], start, [y[0]], held=start)


# ---- builders ------------------------------------------------------------------------------------------------------
def _limits(lower: float, upper: float) -> dict[str, float]:
    if not lower < upper:
        raise ModelError(f"lower is {lower:g} and upper {upper:g}; give a lower limit below the upper one")
    return {k: number(v, k) for k, v in (("lower", lower), ("upper", upper)) if math.isfinite(v)}


def saturation(model, name: str, u=None, *, lower=-math.inf, upper=math.inf, sample_time=None) -> ControlBlock:
    """y = u within ``lower`` and ``upper`` (units of u).  Raises `ModelError` for limits in the wrong order.

    model.control.saturation("force", "controller", lower=-50.0, upper=50.0)
    """
    return add_block(model, "saturation", name, {"u": u}, _limits(lower, upper), sample_time=sample_time)


def dead_zone(model, name: str, u=None, *, lower: float, upper: float, sample_time=None) -> ControlBlock:
    """y = u - upper above, u - lower below, 0 between (units of u). Raises `ModelError` for limits in the wrong order.

    model.control.dead_zone("play", "angle", lower=-0.01, upper=0.01)
    """
    return add_block(model, "dead_zone", name, {"u": u}, _limits(lower, upper), sample_time=sample_time)


def quantizer(model, name: str, u=None, *, step: float, rounding: str = "nearest", sample_time=None) -> ControlBlock:
    """y = whole multiple of ``step`` (units of u): the nearest, or with ``rounding`` "down" the one towards zero.

    A continuous one changes at events, each of which ends a step of the integrator. Raises `ModelError` for a step that
    is not positive.

        model.control.quantizer("counts", "angle", step=0.001, sample_time=0.01)
    """
    if not number(step, "step") > 0.0:
        raise ModelError(f"step is {step:g}; give a positive number")
    options = {"rounding": choice(rounding, "rounding", ("nearest", "down"))}
    return add_block(model, "quantizer", name, {"u": u}, {"step": step}, sample_time=sample_time, options=options)


def rate_limit(
    model,
    name: str,
    u=None,
    *,
    rising: float,
    falling: float | None = None,
    lag: float | None = None,
    initial: float = 0.0,
    sample_time=None,
) -> ControlBlock:
    """y follows u with at most ``rising`` and ``falling`` (units of u per time; equal by default).

    A sampled one changes by at most rising times the period. A continuous one follows by y' = (u - y)/lag within the
    limits; ``lag`` (units of time) is required. Raises `ModelError` for rates that are not positive.

        model.control.rate_limit("smooth", "target", rising=2.0, sample_time=0.01)
    """
    numbers = {"rising": number(rising, "rising"), "falling": number(rising if falling is None else falling, "falling")}
    for what, value in numbers.items():
        if not value > 0.0:
            raise ModelError(f"{what} is {value:g}; give a positive rate")
    if sample_time is None:
        if lag is None or not number(lag, "lag") > 0.0:
            raise ModelError(
                "a continuous rate limit needs a lag, the time constant with which it follows below its "
                "limits; give lag = a short time, or a sample_time"
            )
        numbers["lag"] = lag
    else:
        without_effect("for a sampled block; give a continuous one", lag=lag)
    start = (number(initial, "initial"),)
    return add_block(model, "rate_limit", name, {"u": u}, numbers, sample_time=sample_time, initial=start)


def relay(
    model,
    name: str,
    u=None,
    *,
    on: float = 1.0,
    off: float = 0.0,
    above: float = 0.0,
    below: float | None = None,
    initial: float | None = None,
    sample_time,
) -> ControlBlock:
    """Two-point switch with hysteresis: ``on`` from u = ``above``, ``off`` up to u = ``below`` (equal to ``above`` by
    default), unchanged between; u in its own units, ``initial``: output before the first sample (``off``).

    Raises `ModelError` for ``below`` greater than ``above``.

        model.control.relay("heater", "20 - temperature", on=500.0, above=0.5, below=-0.5, sample_time=0.1)
    """
    low = number(above if below is None else below, "below")
    if low > number(above, "above"):
        raise ModelError(f"below is {low:g} and above {above:g}; give a lower level that is not above the upper one")
    numbers = {"on": number(on, "on"), "off": number(off, "off"), "above": above, "below": low}
    start = (number(off if initial is None else initial, "initial"),)
    return add_block(model, "relay", name, {"u": u}, numbers, sample_time=sample_time, initial=start)


def dead_time(model, name: str, u=None, *, delay: float, before: float = 0.0, pade: int = 0) -> ControlBlock:
    """y(t) = u(t - delay), ``before`` (units of u) until then; ``delay`` in units of time.

    Steps of the integrator end where a jump or a corner of u arrives. With ``pade`` an approximation of this order
    takes its place, which linear analyses can treat. Raises `ModelError` for a delay that is not positive. Sampled
    blocks use `unit_delay` and the delay of `SampleTime`.

        model.control.dead_time("transport", "flow", delay=0.3)
    """
    if not number(delay, "delay") > 0.0:
        raise ModelError(f"delay is {delay:g}; give a positive time")
    if isinstance(pade, bool) or int(pade) != pade or not 0 <= pade <= 20:
        raise ModelError(f"pade is {shown(pade)}; give an order from 1 to 20, or 0 for the delay itself")
    numbers = {"delay": delay, "before": number(before, "before"), "pade": float(pade)}
    if pade:
        without_effect("with pade, whose states are zero at the start; give pade=0", before=before or None)
    return add_block(model, "dead_time", name, {"u": u}, numbers)


def lookup(
    model,
    name: str,
    u=None,
    v=None,
    *,
    x,
    y,
    z=(),
    cubic: bool = False,
    beyond: str = "hold",
    sample_time=None,
) -> ControlBlock:
    """Table y(u), or y(u, v) with a row of ``y`` for each value of ``z``: linear, or a natural cubic over u.

    ``beyond``: "hold" keeps the end values, "extend" continues over u along the line through the last two points (of a
    cubic, too, whose slope jumps there); v is kept within ``z``. Units are those of what is tabulated. Raises
    `ModelError` for points that do not increase, rows that do not fit, and a ``v`` without ``z``.

        model.control.lookup("torque", "speed", x=[0, 100, 200], y=[5.0, 4.0, 0.0])
    """
    rows = np.atleast_2d(np.asarray(y, float))
    zs = tuple(float(value) for value in np.atleast_1d(np.asarray(z, float))) if np.size(z) else ()
    if len(rows) != max(1, len(zs)):
        wanted = f"{len(zs)} rows, one for each value of z" if zs else "one row, or z with a value for each"
        raise ModelError(f"y has {len(rows)} rows; give {wanted}")
    if any(not b > a for a, b in zip(zs, zs[1:])):
        raise ModelError("z must increase; sort its values and remove doubles")
    if len(zs) == 1:
        raise ModelError("z holds 1 value; give two or more, or none")
    if not zs:
        without_effect("without z; give z, a value for each row of y", v=v)
    xs = number_tuple(x, "x")
    for k, (a, b) in enumerate(zip(xs, xs[1:])):
        if not b > a:
            raise ModelError(f"x must increase, and its value {k + 2} ({b:g}) follows {a:g}; sort the points")
    if len(xs) < LEAST_POINTS:
        if cubic or len(xs) < 2 or len(xs) != rows.shape[1]:
            raise ModelError(
                f"x holds {len(xs)} values and y rows of {rows.shape[1]}; give equal numbers, two or more "
                f"({LEAST_POINTS} for a cubic)"
            )
        dense = np.linspace(0.0, len(xs) - 1.0, 2 * len(xs) + 1)  # further points on the same lines
        dense = np.unique(np.concatenate([dense, np.arange(len(xs))]))
        rows = np.array([np.interp(dense, np.arange(len(xs)), row) for row in rows])
        xs = tuple(np.interp(dense, np.arange(len(xs)), xs).tolist())
    splines = [model.spline(xs, row, linear_extrapolate=True, name=f"{name}_{k + 1}") for k, row in enumerate(rows)]
    numbers: dict[str, Any] = {"low": xs[0], "high": xs[-1], "method": 3.0 if cubic else 1.0}
    ports = {"u": u}
    if zs:
        ports["v"] = v
        numbers["z"] = zs
    options = {"beyond": choice(beyond, "beyond", ("hold", "extend"))}
    return add_block(
        model, "lookup", name, ports, numbers, sample_time=sample_time, options=options, tables=[s.id for s in splines]
    )


def logic(model, name: str, *inputs, gate: str = "and", sample_time=None) -> ControlBlock:
    """1 or 0 by a ``gate`` of inputs ``u1``, ``u2``, ... that are true above 0.5 (no units): "and", "or", "xor", "not",
    "nand", "nor". Raises `ModelError` for another gate, and for "not" of several inputs.

        model.control.logic("go", "ready", "clear", gate="and")
    """
    choice(gate, "gate", GATES)
    if not inputs or (gate == "not" and len(inputs) != 1):
        raise ModelError(f"'{gate}' has {len(inputs)} inputs; give one{'' if gate == 'not' else ' or more'}")
    ports = {f"u{k + 1}": u for k, u in enumerate(inputs)}
    return add_block(model, "logic", name, ports, {}, sample_time=sample_time, options={"gate": gate})


def compare(model, name: str, a=None, relation: str = ">", b=None, *, sample_time=None) -> ControlBlock:
    """1 where ``a`` and ``b`` (of equal units) are in the relation ">", ">=", "<" or "<=", else 0. Raises `ModelError`
    for another relation.

        model.control.compare("fast", "speed", ">", 10.0)
    """
    options = {"relation": choice(relation, "relation", RELATIONS)}
    return add_block(model, "compare", name, {"a": a, "b": b}, {}, sample_time=sample_time, options=options)


def select(model, name: str, condition=None, yes=None, no=None, *, sample_time=None) -> ControlBlock:
    """``yes`` where ``condition`` is true (above 0.5), else ``no`` (units of these). Raises `ModelError` for inputs
    that are not signals.

        model.control.select("command", "enabled", "controller", 0.0)
    """
    ports = {"condition": condition, "yes": yes, "no": no}
    return add_block(model, "select", name, ports, {}, sample_time=sample_time)


def function(model, name: str, u=None, *, sample_time=None) -> ControlBlock:
    """y = an expression of names, measures and TIME. Raises `ModelError` for a text that is not an expression.

    model.control.function("power", "torque*speed")
    """
    return add_block(model, "function", name, {"u": u}, {}, sample_time=sample_time)


def latch(model, name: str, set=None, reset=None, *, initial: float = 0.0, sample_time) -> ControlBlock:
    """1 from a sample at which ``set`` is true (above 0.5) until one at which ``reset`` is, which has priority (no
    units). Raises `ModelError` for inputs that are not signals.

        model.control.latch("tripped", "speed - 100", "restart", sample_time=0.01)
    """
    start = (number(initial, "initial"),)
    return add_block(model, "latch", name, {"set": set, "reset": reset}, {}, sample_time=sample_time, initial=start)


def state_machine(model, name: str, transitions, *, initial: int = 1, sample_time) -> ControlBlock:
    """The number of the present state (a whole number, no units). ``transitions``: (state, condition, next state), the
    first one whose condition is true (above 0.5) at a sample; conditions are the ports ``u1``, ``u2``, ... A next state
    that no transition leaves is an end, in which the machine stays.

    Raises `ModelError` for rows that are not of this form and an ``initial`` state that no transition leaves.

        model.control.state_machine("gear", [(1, "fast", 2), (2, "slow", 1)], sample_time=0.1)
    """
    rows = [tuple(row) for row in transitions]
    if not rows or any(len(row) != 3 for row in rows):
        raise ModelError("transitions must be rows of (state, condition, next state); give one or more")
    ports = {f"u{k + 1}": condition for k, (_, condition, _) in enumerate(rows)}
    numbers = {
        "sources": tuple(number(row[0], "state") for row in rows),
        "targets": tuple(number(row[2], "next state") for row in rows),
    }
    start = (number(initial, "initial"),)
    return add_block(model, "state_machine", name, ports, numbers, sample_time=sample_time, initial=start)


BLOCK_TYPES = (
    BlockType("saturation", saturation, ("u",), _saturation),
    BlockType("dead_zone", dead_zone, ("u",), _dead_zone),
    BlockType("quantizer", quantizer, ("u",), _quantizer),
    BlockType("rate_limit", rate_limit, ("u",), _rate_limit),
    BlockType("relay", relay, ("u",), _relay),
    BlockType("dead_time", dead_time, ("u",), _dead_time),
    BlockType("lookup", lookup, ("u", "v"), _lookup),
    BlockType("logic", logic, ("u",), _logic),
    BlockType("compare", compare, ("a", "b"), _compare),
    BlockType("select", select, ("condition", "yes", "no"), _select),
    BlockType("function", function, ("u",), _function),
    BlockType("latch", latch, ("set", "reset"), _latch),
    BlockType("state_machine", state_machine, ("u",), _state_machine),
)
SHORTHANDS = ()
