"""Tuning rules of PID controllers, and the relay experiment that measures what they need.

Each rule returns arguments of ``model.control.pid``: ``model.control.pid("servo", error, **simc(...))``.

Sources: J. G. Ziegler, N. B. Nichols, Trans. ASME 64 (1942) 759; S. Skogestad, J. Process Control 13 (2003) 291 (SIMC);
K. J. Astrom, T. Hagglund, Automatica 20 (1984) 645 (relay).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..analyses.session.simulate import simulate
from ..model import Model, ModelError
from ..model.base import did_you_mean, shown
from ..model.kinds import finite, positive
from ..results.feedback import turning_points
from ..results.state_space import StateSpace

#: controller -> shares of the ultimate gain, and of the ultimate period for ti and td
ULTIMATE = {"p": (0.5, None, 0.0), "pi": (0.45, 1.0 / 1.2, 0.0), "pid": (0.6, 0.5, 0.125)}


def _kind(kind: str, known: Any) -> None:
    if kind not in known:
        raise ModelError(f"kind is {shown(kind)}{did_you_mean(kind, known)}")


def ziegler_nichols(gain: float, period: float, kind: str = "pid") -> dict[str, Any]:
    """PID parameters from the ultimate gain (output per input) and period (time): P 0.5 Ku; PI 0.45 Ku, ti = Tu/1.2;
    PID 0.6 Ku, ti = Tu/2, td = Tu/8 (ideal form). Raises `ModelError` for values that are not positive."""
    positive(gain=gain, period=period)
    _kind(kind, ULTIMATE)
    share, ti, td = ULTIMATE[kind]
    return {"form": "ideal", "kp": share * gain, "ti": None if ti is None else ti * period, "td": td * period}


def ziegler_nichols_step(gain: float, dead_time: float, time_constant: float, kind: str = "pid") -> dict[str, Any]:
    """PID parameters from the step response, a lag with ``gain`` (output per input), ``time_constant`` and
    ``dead_time``: with a = gain dead_time/time_constant P 1/a; PI 0.9/a, ti = 3 dead_time; PID 1.2/a, ti = 2 dead_time,
    td = dead_time/2. Raises `ModelError` for values that are not positive."""
    positive(gain=abs(gain) if finite(gain) else gain, dead_time=dead_time, time_constant=time_constant)
    known = {"p": (1.0, None, 0.0), "pi": (0.9, 3.0, 0.0), "pid": (1.2, 2.0, 0.5)}
    _kind(kind, known)
    share, ti, td = known[kind]
    a = gain * dead_time / time_constant
    return {"form": "ideal", "kp": share / a, "ti": None if ti is None else ti * dead_time, "td": td * dead_time}


def simc(
    gain: float, time_constant: float, dead_time: float, second: float = 0.0, closed: float | None = None
) -> dict[str, Any]:
    """PI (``second`` = 0) or series PID parameters of a lag with ``gain``, ``time_constant``, ``dead_time`` and a
    second time constant, for the closed-loop time constant ``closed`` (``dead_time`` by default):
    kp = time_constant/(gain (closed + dead_time)), ti = min(time_constant, 4 (closed + dead_time)), td = second.

    An integrating process k e^(-dead s)/s is gain = k T, time_constant = T with a large T. Raises `ModelError` for
    times that are not positive."""
    positive(gain=abs(gain) if finite(gain) else gain, time_constant=time_constant)
    wanted = dead_time if closed is None else closed
    for name, value in (("dead_time", dead_time), ("second", second), ("closed", wanted)):
        if not finite(value) or value < 0.0:
            raise ModelError(f"{name} is {shown(value)}; give zero or a positive time")
    if not wanted + dead_time > 0.0:
        raise ModelError("dead_time and closed are both zero, so the gain is unlimited; give closed")
    kp = time_constant / (gain * (wanted + dead_time))
    ti = min(time_constant, 4.0 * (wanted + dead_time))
    return {"form": "series" if second else "ideal", "kp": kp, "ti": ti, "td": float(second)}


def ultimate_point(plant: StateSpace) -> tuple[float, float]:
    """(ultimate gain, ultimate period) of a plant: the proportional gain at which its loop oscillates, and the period;
    the smallest one of a stable plant, of any other the one nearest to 1.

    Raises `ModelError` for several inputs or outputs, and where the phase never reaches -180 degrees at a frequency
    above zero."""
    plant.margins()  # one input and one output
    gains = {1.0 / abs(plant.frequency_response([f])[0, 0, 0]): f for f in turning_points(plant) if f > 0.0}
    if not gains:
        raise ModelError("the phase of the plant does not reach -180 degrees, so it has no ultimate gain")
    poles = plant.poles
    stable = (np.abs(poles) <= 1.0 + 1e-9).all() if plant.dt else (poles.real <= 1e-9 * np.abs(poles)).all()
    gain = min(gains) if stable else min(gains, key=lambda k: abs(math.log(k)))
    return float(gain), 1.0 / gains[gain]


@dataclass(frozen=True)
class RelayExperiment:
    """What a relay experiment measures: ``gain`` and ``period``, estimates of the ultimate ones (gain 4 d/(pi sqrt(a^2
    - h^2)) by the describing function, some per cent off); ``amplitude`` a of the error; ``cycles`` that were used."""

    gain: float
    period: float
    amplitude: float
    cycles: int


def relay_experiment(
    model: Model,
    block: Any,
    *,
    amplitude: float,
    end: float,
    hysteresis: float = 0.0,
    centre: float = 0.0,
    sample_time: float | None = None,
    **options: Any,
) -> RelayExperiment:
    """Simulate a copy of a model in which a relay takes the place of a PID block: output ``centre`` + or -
    ``amplitude`` (units of its output) by the sign of the error, with a ``hysteresis`` (units of the error).

    ``sample_time`` of the relay: by default that of the block, or a thousandth of ``end``; ``options``: of `simulate`.
    Period and amplitude are means over the later half of the cycles. Raises `ModelError` where there are fewer than
    four cycles, and for a block that is not a PID.
    """
    positive(amplitude=amplitude, end=end)
    twin = model.copy()
    pid = twin.find("CONTROL", block)
    if pid.type != "pid":
        raise pid.error("a relay experiment takes the place of a PID block; name one")
    period = sample_time or pid.period or 1e-3 * end
    error = f"{pid.name}.error"
    twin.control.function(error, "-".join(f"({text})" for text in pid.inputs))  # of an error, or reference, measurement
    pid.type, pid.inputs, pid.initial, pid.options = "relay", (error,), (centre - amplitude,), {}
    pid.parameters = {
        "on": (centre + amplitude,),
        "off": (centre - amplitude,),
        "above": (hysteresis,),
        "below": (-hysteresis,),
    }
    pid.period = float(period)
    steps = max(int(math.ceil(4 * end / period)), 100)
    run = simulate(twin, end=end, steps=min(steps, 40_000), **options)
    t, e = np.asarray(run.time), np.asarray(run.variable(error).values)
    u = np.asarray(run.variable(pid.name).values)
    rises = t[1:][np.diff(u) > 0.0]
    if len(rises) < 5:
        raise ModelError(
            f"the relay switched on {len(rises)} times within {end:g}; give a later end, a larger amplitude or a "
            "smaller hysteresis"
        )
    used = rises[len(rises) // 2 :] if len(rises) > 6 else rises[2:]
    inside = (t >= used[0]) & (t <= used[-1])
    size = 0.5 * float(e[inside].max() - e[inside].min())
    if size <= hysteresis:
        raise ModelError(
            f"the error oscillates by {size:g}, less than the hysteresis {hysteresis:g}; give a smaller one"
        )
    cycles = len(used) - 1
    gain = 4.0 * amplitude / (math.pi * math.sqrt(size * size - hysteresis * hysteresis))
    return RelayExperiment(gain, float((used[-1] - used[0]) / cycles), size, cycles)
