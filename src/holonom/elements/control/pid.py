"""PID controllers in the standard forms, with two degrees of freedom, filtered derivative and anti-windup.

With reference r, measurement y, error e = r - y, and limits u_min, u_max:

    v = kp (b r - y) + I + D,      I' = ki e,      D = kd s/(tf s + 1) (c r - y),      u = min(max(v, u_min), u_max)

The ideal (ISA) form is kp = K, ki = K/Ti, kd = K Td, tf = Td/N; the series form K (1 + 1/(Ti s)) (1 + Td s/(tf s + 1))
is kp = K (1 + Td/Ti), ki = K/Ti, kd = K Td (1 - tf/Ti), which is exact.

Anti-windup: back-calculation adds (u - v)/Tt to I', clamping stops I while v is beyond a limit and e drives it further;
of a sampled one v is then the output with I(k-1), before the increment of the sample.  Where v would return at once
(it falls while I stops, and rises while I goes on) a continuous one stays at the limit, I = limit - (v - I), with I'
between 0 and ki e (`analyses.dynamics.sliding`): the limit of small steps.

Sampled with period T:  I(k) = I(k-1) + ki T e  with e(k) (backward), e(k-1) (forward) or their mean (trapezoidal),
D(k) = (tf D(k-1) + kd (d(k) - d(k-1)))/(tf + T),  d = c r - y.

Source: K. J. Astrom, T. Hagglund, Advanced PID Control (2006), sections 3.2 to 3.5 and 13.4.
"""

from __future__ import annotations

import math

from ...model.base import ModelError
from ...model.builder.control import add_block, choice, without_effect
from ...model.control import BlockType, ControlBlock
from ...model.values import number
from .algebra import Law, Signal, Slide, branch, clipped, signal, terminals

FORMS = ("parallel", "ideal", "series")
WINDUP = ("none", "clamping", "back_calculation")
SUMS = ("backward", "forward", "trapezoidal")


def _law(block: ControlBlock) -> Law:
    value = block.value
    kp, ki, kd, tf = (value(n) for n in ("kp", "ki", "kd", "tf"))
    lower, upper = value("lower", -math.inf), value("upper", math.inf)
    windup = block.options["anti_windup"]
    u, x, y = terminals(block)
    if len(block.inputs) == 1:
        error = shown = u[0]
        proportional = kp * error
    else:
        r, measured = u[0], u[1]
        error, shown = r - measured, value("c", 1.0) * r - measured
        proportional = kp * (value("b", 1.0) * r - measured)
    T = block.period
    start = block.initial or (0.0,) * (_count(block))
    states: list[Signal] = []  # what they become, or their rates

    def integral(rate: Signal, v: Signal, before: Signal) -> Signal:
        """The rate of the integral with anti-windup; ``before``: the unlimited output that clamping checks."""
        if windup == "back_calculation":
            return rate + (clipped(v, lower, upper) - v) / value("tt")
        if windup == "clamping":
            zero = signal(0.0)
            stop_high = branch(rate, rate, zero, zero)  # a rate that leads back from the upper limit goes on
            stop_low = branch(rate, zero, zero, rate)
            if math.isfinite(upper):
                rate = branch(before - upper, rate, rate, stop_high)
            if math.isfinite(lower):
                rate = branch(before - lower, stop_low, rate, rate)
        return rate

    if not block.sampled:
        at = 0
        v = proportional
        if ki:
            v, at = v + x[at], at + 1
        if kd:
            v = v + (kd / tf) * (shown - x[at])
        if ki:
            states.append(integral(ki * error, v, v))
        if kd:
            states.append((shown - x[at]) / tf)
        if not (ki and windup == "clamping"):
            return Law([clipped(v, lower, upper)], start, states)
        out, slides = v, []  # limits by the conditions of the integral
        for limit, side in ((lower, -1.0), (upper, 1.0)):
            if math.isfinite(limit):
                out = branch(v - limit, limit, limit, out) if side < 0.0 else branch(v - limit, out, out, limit)
                slides.append(Slide(v - limit, ki * error, 0, side, limit))
        return Law([out], start, states, slides=slides)

    # sampled: states are I, the last error (forward and trapezoidal sums), D, the last d, each where it is needed
    method = block.options["method"]
    at = 0
    v = proportional
    total = last = None
    if ki:
        total, at = x[at], at + 1
        if method != "backward":
            last, at = x[at], at + 1
    part = None
    if kd:
        part = (tf / (tf + T)) * x[at] + (kd / (tf + T)) * (shown - x[at + 1])
        v = v + part
    if total is not None:
        weighted = error if last is None else last if method == "forward" else 0.5 * (error + last)
        step = ki * T * weighted
        if windup == "clamping":
            step = integral(step, v, v + total)
        now = total + step
        v = v + now
        change = (T / value("tt")) * (clipped(v, lower, upper) - v) if windup == "back_calculation" else 0.0
        states.append(now + change)
        if last is not None:
            states.append(error)
    if part is not None:
        states += [part, shown]
    return Law([clipped(v, lower, upper)], start, states)


def _count(block: ControlBlock) -> int:
    integral = 1 if block.value("ki") else 0
    if block.sampled:
        return integral * (1 if block.options["method"] == "backward" else 2) + (2 if block.value("kd") else 0)
    return integral + (1 if block.value("kd") else 0)


def pid(
    model,
    name: str,
    error=None,
    *,
    reference=None,
    measurement=None,
    kp: float,
    ti: float | None = None,
    td: float = 0.0,
    ki: float | None = None,
    kd: float = 0.0,
    form: str = "parallel",
    filter: float | None = None,
    b: float = 1.0,
    c: float = 1.0,
    lower: float = -math.inf,
    upper: float = math.inf,
    anti_windup: str | None = None,
    tracking: float | None = None,
    initial=(),
    sample_time=None,
    method: str = "backward",
) -> ControlBlock:
    """PID controller of an ``error``, or of ``reference`` and ``measurement`` with the set-point weights ``b``
    (proportional) and ``c`` (derivative).

    ``form``: "parallel" kp + ki/s + kd s/(filter s + 1); "ideal" kp (1 + 1/(ti s) + td s/(filter s + 1)); "series" kp
    (1 + 1/(ti s)) (1 + td s/(filter s + 1)); gains are output per input, times in units of time. ``filter``: time
    constant of the derivative, by default a tenth of kd/kp or td; a sampled one may have 0. ``lower``, ``upper``:
    limits of the output; ``anti_windup``: "back_calculation" with the time ``tracking`` (by default sqrt(ti td), or
    ti), "clamping" (of a sampled one by the output with the integral of the sample before) or "none"; by default
    back-calculation with limits. ``initial``: states (integral part first);
    ``method``: "backward", "forward" or "trapezoidal" sum of a sampled one. Raises `ModelError` for parameters of
    another form, and for a derivative without filter in continuous time.

        model.control.pid("servo", "target - angle", kp=40.0, ki=25.0, kd=3.0, lower=-10, upper=10)
    """
    choice(form, "form", FORMS)
    choice(method, "method", SUMS)
    kp, td, kd = number(kp, "kp"), number(td, "td"), number(kd, "kd")
    if form == "parallel" and (ti is not None or td):
        raise ModelError("ti and td belong to the forms 'ideal' and 'series'; give ki and kd, or form='ideal'")
    if form != "parallel" and (ki is not None or kd):
        raise ModelError(f"ki and kd belong to the form 'parallel'; give ti and td, or form='parallel', not '{form}'")
    if ti is not None and not number(ti, "ti") > 0.0:
        raise ModelError(f"ti is {ti:g}; give a positive time, or none for a controller without integral part")
    usual = 0.1 * (abs(kd / kp) if form == "parallel" and kp else td)
    tf = usual if filter is None else number(filter, "filter")
    if tf < 0.0 or (tf == 0.0 and (kd or td) and sample_time is None):
        raise ModelError(f"filter is {tf:g}; give a positive time, since a derivative without a filter is not causal")
    integral = (ki or 0.0) if form == "parallel" else kp / ti if ti is not None else 0.0
    if form == "ideal":
        kd = kp * td
    elif form == "series" and td:  # exact: the product of both factors in partial fractions
        share = 1.0 if ti is None else 1.0 - tf / ti
        kp, kd = kp * (1.0 + (0.0 if ti is None else td / ti)), kp * td * share
    if error is not None and (reference is not None or measurement is not None):
        raise ModelError("error, and reference or measurement, are both given; give one of them")
    if error is not None and (b != 1.0 or c != 1.0):
        raise ModelError("b and c weigh the reference; give reference and measurement in place of error")
    limited = math.isfinite(lower) or math.isfinite(upper)
    if not lower < upper:
        raise ModelError(f"lower is {lower:g} and upper {upper:g}; give a lower limit below the upper one")
    windup = anti_windup or ("back_calculation" if limited and integral else "none")
    choice(windup, "anti_windup", WINDUP)
    if windup != "back_calculation":
        without_effect("without back-calculation; give anti_windup='back_calculation' and limits", tracking=tracking)
    if not limited and windup != "none":
        without_effect("without limits; give lower or upper", anti_windup=windup)
    numbers = {"kp": kp, "ki": number(integral, "ki"), "kd": kd, "tf": tf}
    if error is None:
        numbers |= {"b": number(b, "b"), "c": number(c, "c")}
    if windup == "back_calculation" and integral:
        if tracking is None:
            reset = abs(kp / integral) if kp else 1.0
            rate = abs(kd / kp) if kp else 0.0
            tracking = math.sqrt(reset * rate) if rate else reset
        if not number(tracking, "tracking") > 0.0:
            raise ModelError(f"tracking is {tracking:g}; give a positive time")
        numbers["tt"] = tracking
    numbers |= {k: v for k, v in (("lower", lower), ("upper", upper)) if math.isfinite(v)}
    ports = {"error": error} if error is not None else {"reference": reference, "measurement": measurement}
    options = {"anti_windup": windup if integral else "none", "method": method}
    return add_block(model, "pid", name, ports, numbers, sample_time=sample_time, options=options, initial=initial)


BLOCK_TYPES = (BlockType("pid", pid, ("reference", "measurement"), _law, other_ports=(("error",),)),)
SHORTHANDS = ()
