"""Linear blocks: gain, sum, integrator, filtered derivative, lag, lead-lag, notch, transfer function, state space.

All are  x' = A x + B u,  y = C x + D u;  sampled ones  x(k+1) = Ad x(k) + Bd u(k),  y(k) = Cd x(k) + Dd u(k)  with the
matrices of a hold of order zero, of Tustin's rule, or as given.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...model.base import ModelError, shown
from ...model.builder.control import add_block, choice
from ...model.control import BlockType, ControlBlock
from ...model.kinds import is_number
from ...model.values import number, number_matrix, number_tuple
from .algebra import Law, branch, call, clipped, combination, terminals

#: how a continuous law is sampled
METHODS = ("zoh", "tustin", "given")


# ---- laws ----------------------------------------------------------------------------------------------------------
def discretize_matrices(
    A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray, period: float, method: str = "zoh", prewarp: float = 0.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Matrices of a sampled system from those of a continuous one (time units).

    ``zoh``: exact for inputs that are held, [Ad, Bd; 0, I] = exp([A, B; 0, 0] period); ``tustin``: s = 2/T (z - 1)/(z +
    1), with ``prewarp`` (rad per unit of time) T such that the response at that frequency is kept; ``given``: the
    matrices themselves. Raises `ModelError` for a ``prewarp`` that Tustin's rule cannot keep (it maps the frequencies
    below pi/period), and for one of another method. Source: G. F. Franklin, J. D. Powell, M. Workman, Digital Control
    of Dynamic Systems (1998), ch. 4 and 6.
    """
    from scipy.linalg import expm

    prewarp = number(prewarp, "prewarp")
    if prewarp and method != "tustin":
        raise ModelError(f"prewarp has no effect with method '{method}'; give method='tustin', or no prewarp")
    if prewarp and not 0.0 < prewarp < math.pi / period:
        raise ModelError(
            f"prewarp is {prewarp:g}; give an angular frequency above 0 and below pi/period = {math.pi / period:g}, "
            "half of the sampling frequency, or a shorter period"
        )
    n, m = B.shape
    if method == "given" or n == 0:
        return A, B, C, D
    if method == "zoh":
        both = np.zeros((n + m, n + m))
        both[:n, :n], both[:n, n:] = A * period, B * period
        both = expm(both)
        return both[:n, :n], both[:n, n:], C, D
    half = 0.5 * period if prewarp == 0.0 else math.tan(0.5 * prewarp * period) / prewarp
    left = np.linalg.inv(np.eye(n) - half * A)
    # with the state w(k) = (I - h A) x(k) - h B u(k), h = half
    return (np.eye(n) + half * A) @ left, 2.0 * half * left @ B, C @ left, D + half * C @ left @ B


def linear_law(block: ControlBlock, A: Any, B: Any, C: Any, D: Any) -> Law:
    """The law of matrices of a continuous system (or, with method ``given``, of a sampled one)."""
    A, B, C, D = (np.asarray(a, float) for a in (A, B, C, D))
    if block.sampled:
        A, B, C, D = discretize_matrices(
            A, B, C, D, block.period, block.options.get("method", "zoh"), block.value("prewarp")
        )
    u, x, _ = terminals(block)
    us, xs = u.first(B.shape[1]), x.first(len(A))
    rows = lambda M, N: [combination([*p, *q], [*xs, *us]) for p, q in zip(M, N)]
    return Law(rows(C, D), block.initial or (0.0,) * len(A), rows(A, B))


def companion(numerator: Any, denominator: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Matrices of num(s)/den(s), coefficients in falling powers: controllable companion form."""
    for value, what in ((numerator, "numerator"), (denominator, "denominator")):
        if not np.size(value):
            raise ModelError(f"the {what} is empty; give its coefficients in falling powers of s")
    num, den = (np.trim_zeros(np.atleast_1d(np.asarray(p, float)), "f") for p in (numerator, denominator))
    if not len(den):
        raise ModelError("the denominator is zero; give its coefficients in falling powers of s")
    if len(num) > len(den):
        raise ModelError(
            f"the numerator has degree {len(num) - 1} and the denominator {len(den) - 1}; a block cannot differentiate "
            "without a filter: raise the degree of the denominator"
        )
    num, den = np.concatenate([np.zeros(len(den) - len(num)), num]) / den[0], den / den[0]
    n = len(den) - 1
    A = np.zeros((n, n))
    A[:1] = -den[1:]
    A[1:, :-1] = np.eye(max(n - 1, 0))
    B = np.eye(n, 1)
    return A, B, (num[1:] - num[0] * den[1:])[None], np.array([[num[0]]])


def _state_space(block: ControlBlock) -> Law:
    m = len(block.inputs)
    n = int(block.value("n"))
    shape = lambda name, rows, columns: np.reshape(block.parameters[name], (rows, columns))
    p = len(block.parameters["D"]) // m
    return linear_law(block, shape("A", n, n), shape("B", n, m), shape("C", p, n), shape("D", p, m))


def _transfer_function(block: ControlBlock) -> Law:
    return linear_law(block, *companion(block.parameters["numerator"], block.parameters["denominator"]))


def _gain(block: ControlBlock) -> Law:
    u, _, _ = terminals(block)
    return Law([block.value("gain") * u[0]])


def _sum(block: ControlBlock) -> Law:
    u, _, _ = terminals(block)
    return Law([combination(block.parameters["weights"], u.first(len(block.inputs)))])


def _integrator(block: ControlBlock) -> Law:
    u, x, y = terminals(block)
    lower, upper = block.value("lower", -math.inf), block.value("upper", math.inf)
    start = block.initial or (0.0,)
    rate = block.value("gain", 1.0) * u[0]
    if block.sampled:
        method, T = block.options["method"], block.period
        if method == "forward":
            return Law([x[0]], start, [clipped(x[0] + T * rate, lower, upper)], held=start)
        if method == "backward":
            return Law([clipped(x[0] + T * rate, lower, upper)], start, [y[0]], held=start)
        # trapezoidal: x keeps the output and half of the last rate
        return Law([clipped(x[0] + 0.5 * T * rate, lower, upper)], start, [y[0] + 0.5 * T * rate], held=start)
    if math.isfinite(upper):  # at a limit it stays until its input changes sign
        rate = branch(x[0] - upper, rate, call("MIN", rate, 0.0), call("MIN", rate, 0.0))
    if math.isfinite(lower):
        rate = branch(x[0] - lower, call("MAX", rate, 0.0), call("MAX", rate, 0.0), rate)
    return Law([clipped(x[0], lower, upper)], start, [rate])


def _unit_delay(block: ControlBlock) -> Law:
    u, x, _ = terminals(block)
    n = int(block.value("samples", 1.0))
    start = block.initial or (0.0,) * n
    return Law([x[0]], start, [*(x[k + 1] for k in range(n - 1)), u[0]], held=start[:1])


def _zero_order_hold(block: ControlBlock) -> Law:
    return Law([terminals(block)[0][0]])


# ---- builders ------------------------------------------------------------------------------------------------------
def gain(model, name: str, u=None, *, gain: float, sample_time=None) -> ControlBlock:
    """y = gain u. ``u``: number, expression or name of a block; ``sample_time``: period or `SampleTime` of a sampled
    block, whose output is held. Raises `ModelError` for a gain that is not a number.

        model.control.gain("thrust", "controller", gain=4.0)
    """
    return add_block(model, "gain", name, {"u": u}, {"gain": number(gain, "gain")}, sample_time=sample_time)


def sum(model, name: str, *inputs, weights=None, sample_time=None) -> ControlBlock:
    """y = sum of weights times inputs (ports ``u1``, ``u2``, ...). ``weights``: numbers, or signs as ``"+-"``; 1 by
    default. Raises `ModelError` for numbers of weights and inputs that differ.

        model.control.sum("error", "target", "angle", weights="+-")
    """
    if not inputs:
        raise ModelError("it has no inputs; give one or more")
    if isinstance(weights, str):
        if set(weights) - {"+", "-"}:
            raise ModelError(f"weights is {shown(weights)}; give a sign '+' or '-' for each input, or numbers")
        weights = [1.0 if sign == "+" else -1.0 for sign in weights]
    numbers = (1.0,) * len(inputs) if weights is None else number_tuple(weights, "weights")
    if len(numbers) != len(inputs):
        raise ModelError(f"weights holds {len(numbers)} values for {len(inputs)} inputs; give one for each")
    ports = {f"u{k + 1}": u for k, u in enumerate(inputs)}
    return add_block(model, "sum", name, ports, {"weights": numbers}, sample_time=sample_time)


def _linear(model, type, name, ports, numbers, sample_time, method, prewarp, outputs=("",), initial=()):
    options = {"method": choice(method, "method", METHODS)}
    if method == "given" and sample_time is None:
        raise ModelError(
            "method 'given' takes coefficients of z, which a continuous block does not have; give a sample_time"
        )
    if prewarp:
        numbers = {**numbers, "prewarp": number(prewarp, "prewarp")}
    return add_block(
        model, type, name, ports, numbers, sample_time=sample_time, outputs=outputs, options=options, initial=initial
    )


def transfer_function(
    model,
    name: str,
    u=None,
    *,
    numerator,
    denominator,
    initial=(),
    sample_time=None,
    method: str = "zoh",
    prewarp: float = 0.0,
) -> ControlBlock:
    """y/u = num(s)/den(s), coefficients in falling powers of s (units of time).

    ``initial``: states of the companion form; with ``sample_time`` ``method`` is "zoh", "tustin" (``prewarp``: angular
    frequency at which the response is kept) or "given" (the coefficients are those of z). Raises `ModelError` for a
    numerator of higher degree than the denominator.

        model.control.transfer_function("filter", "force", numerator=[1], denominator=[0.01, 1])
    """
    numbers = {
        "numerator": number_tuple(np.atleast_1d(numerator), "numerator"),
        "denominator": number_tuple(np.atleast_1d(denominator), "denominator"),
    }
    return _linear(model, "transfer_function", name, {"u": u}, numbers, sample_time, method, prewarp, initial=initial)


def state_space(
    model,
    name: str,
    *inputs,
    A,
    B,
    C,
    D=None,
    initial=(),
    outputs=None,
    sample_time=None,
    method: str = "zoh",
    prewarp: float = 0.0,
) -> ControlBlock:
    """x' = A x + B u, y = C x + D u; inputs are the ports ``u1``, ``u2``, ...; outputs are the signals ``name.y1``, ...
    or ``name.`` with the texts of ``outputs`` (``name`` alone where there is one).

    ``initial``: x(0); sampling as for `transfer_function`. Raises `ModelError` for matrices that do not fit together.

        model.control.state_space("observer", "force", "angle", A=A, B=B, C=C, sample_time=0.01, method="given")
    """
    a, b, c = (np.asarray(number_matrix(M, what), float) for M, what in ((A, "A"), (B, "B"), (C, "C")))
    d = np.zeros((len(c), b.shape[1])) if D is None else np.asarray(number_matrix(D, "D"), float)
    n = len(a)
    if a.shape != (n, n) or len(b) != n or c.shape[1] != n or d.shape != (len(c), b.shape[1]):
        raise ModelError(f"A {a.shape}, B {b.shape}, C {c.shape} and D {d.shape} do not fit together")
    if len(inputs) != b.shape[1]:
        raise ModelError(f"B has {b.shape[1]} columns and there are {len(inputs)} inputs; give one for each column")
    names = (
        tuple(outputs) if outputs is not None else ("",) if len(c) == 1 else tuple(f"y{k + 1}" for k in range(len(c)))
    )
    if len(names) != len(c):
        raise ModelError(f"C has {len(c)} rows and outputs {len(names)} names; give one for each row")
    ports = {f"u{k + 1}": u for k, u in enumerate(inputs)}
    return _linear(
        model,
        "state_space",
        name,
        ports,
        {"n": n, "A": a, "B": b, "C": c, "D": d},
        sample_time,
        method,
        prewarp,
        names,
        initial,
    )


def lag(model, name: str, u=None, *, gain: float = 1.0, time_constant: float, sample_time=None, method="zoh"):
    """First-order lag y/u = gain/(time_constant s + 1) (time_constant in units of time).  Raises `ModelError` for a
    time constant that is not positive.

        model.control.lag("smooth", "force", time_constant=0.02)
    """
    T = number(time_constant, "time_constant")
    if not T > 0.0:
        raise ModelError(f"time_constant is {T:g}; give a positive time")
    return transfer_function(
        model, name, u, numerator=[gain], denominator=[T, 1.0], sample_time=sample_time, method=method
    )


def lead_lag(
    model, name: str, u=None, *, gain: float = 1.0, lead: float, lag: float, sample_time=None, method="tustin"
):
    """Lead-lag y/u = gain (lead s + 1)/(lag s + 1), time constants in units of time. Raises `ModelError` for a ``lag``
    that is not positive.

        model.control.lead_lag("lead", "error", lead=0.1, lag=0.01)
    """
    if not number(lag, "lag") > 0.0:
        raise ModelError(f"lag is {lag:g}; give a positive time")
    return transfer_function(
        model,
        name,
        u,
        numerator=[gain * number(lead, "lead"), gain],
        denominator=[lag, 1.0],
        sample_time=sample_time,
        method=method,
    )


def notch(
    model,
    name: str,
    u=None,
    *,
    frequency: float,
    depth: float = 0.0,
    width: float = 1.0,
    sample_time=None,
    method="tustin",
):
    """Notch filter y/u = (s^2 + depth width w s + w^2)/(s^2 + width w s + w^2) at w = ``frequency`` (rad per time).

    ``depth``: gain at w (0: none passes); ``width``: width of the notch over w. Tustin's rule is prewarped at w.
    Raises `ModelError` for a frequency or width that is not positive.

        model.control.notch("no_resonance", "command", frequency=62.8, depth=0.05)
    """
    w, b = number(frequency, "frequency"), number(width, "width")
    for value, what in ((w, "frequency"), (b, "width")):
        if not value > 0.0:
            raise ModelError(f"{what} is {value:g}; give a positive number")
    prewarp = w if method == "tustin" and sample_time is not None else 0.0
    period = getattr(sample_time, "period", sample_time)
    if prewarp and is_number(period) and not w < math.pi / period:
        raise ModelError(
            f"frequency is {w:g}; a sampled notch needs one below pi/period = {math.pi / period:g}, half of the "
            "sampling frequency"
        )
    return transfer_function(
        model,
        name,
        u,
        numerator=[1.0, number(depth, "depth") * b * w, w * w],
        denominator=[1.0, b * w, w * w],
        sample_time=sample_time,
        method=method,
        prewarp=prewarp,
    )


def derivative(model, name: str, u=None, *, filter: float, gain: float = 1.0, sample_time=None, method="tustin"):
    """Filtered derivative y/u = gain s/(filter s + 1), ``filter`` in units of time. Raises `ModelError` for a filter
    that is not positive.

        model.control.derivative("speed", "angle", filter=1e-3)
    """
    T = number(filter, "filter")
    if not T > 0.0:
        raise ModelError(f"filter is {T:g}; give a positive time, since a derivative without a filter is not causal")
    return transfer_function(
        model, name, u, numerator=[gain, 0.0], denominator=[T, 1.0], sample_time=sample_time, method=method
    )


def integrator(
    model,
    name: str,
    u=None,
    *,
    gain: float = 1.0,
    lower: float = -math.inf,
    upper: float = math.inf,
    initial: float = 0.0,
    sample_time=None,
    method: str = "forward",
) -> ControlBlock:
    """y' = gain u within limits: at a limit it stays until its input changes sign.

    ``method`` of a sampled one: "forward", "backward" or "trapezoidal" sum. Raises `ModelError` for limits in the wrong
    order.

        model.control.integrator("volume", "flow", lower=0.0, upper=2.0)
    """
    if not lower < upper:
        raise ModelError(f"lower is {lower:g} and upper {upper:g}; give a lower limit below the upper one")
    numbers = {"gain": number(gain, "gain")}
    numbers |= {k: v for k, v in (("lower", lower), ("upper", upper)) if math.isfinite(v)}
    return add_block(
        model,
        "integrator",
        name,
        {"u": u},
        numbers,
        sample_time=sample_time,
        options={"method": choice(method, "method", ("forward", "backward", "trapezoidal"))},
        initial=(number(initial, "initial"),),
    )


def unit_delay(model, name: str, u=None, *, sample_time, samples: int = 1, initial: float = 0.0) -> ControlBlock:
    """y(k) = u(k - samples): the input a number of samples ago, ``initial`` before. Breaks algebraic loops of sampled
    blocks. Raises `ModelError` for a number of samples below 1.

        model.control.unit_delay("last", "command", sample_time=0.01)
    """
    if isinstance(samples, bool) or int(samples) != samples or samples < 1:
        raise ModelError(f"samples is {shown(samples)}; give a whole number from 1 on")
    start = (number(initial, "initial"),) * int(samples)
    return add_block(
        model, "unit_delay", name, {"u": u}, {"samples": float(samples)}, sample_time=sample_time, initial=start
    )


def zero_order_hold(model, name: str, u=None, *, sample_time) -> ControlBlock:
    """y = u at the last sample (units of u). Raises `ModelError` for a sample time that is not positive.

    model.control.zero_order_hold("sampled_angle", "angle", sample_time=0.01)
    """
    return add_block(model, "zero_order_hold", name, {"u": u}, {}, sample_time=sample_time)


BLOCK_TYPES = (
    BlockType("gain", gain, ("u",), _gain),
    BlockType("sum", sum, ("u",), _sum),
    BlockType("transfer_function", transfer_function, ("u",), _transfer_function),
    BlockType("state_space", state_space, ("u",), _state_space),
    BlockType("integrator", integrator, ("u",), _integrator),
    BlockType("unit_delay", unit_delay, ("u",), _unit_delay),
    BlockType("zero_order_hold", zero_order_hold, ("u",), _zero_order_hold),
)
#: builders whose blocks are transfer functions
SHORTHANDS = (lag, lead_lag, notch, derivative)
