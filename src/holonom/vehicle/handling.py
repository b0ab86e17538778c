"""Handling in open loop: frequency response, sine with dwell, fish hook, braking in a turn and on two frictions.  All
numbers SI."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import ModelError
from ..model.base import shown
from .controls import Controls, Scene
from .drivers import Driver, Path
from .full_vehicle import SIDES, WHICH, Vehicle
from .manoeuvres import (
    START,
    Drive,
    _simulate,
    _spun,
    _stop,
    _watch,
    _window,
    follow,
    save,
    single_track,
    slow_ramp,
    steering_ratio,
)
from .template import number_of, pedal_of, positive_numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEGREES = 180.0 / math.pi
WHEELS = tuple(f"{w} {s}" for w in WHICH for s in SIDES)


# ---- frequency response ----------------------------------------------------------------------------------------------
@dataclass
class FrequencyResponse(Drive):
    """A drive with ``response``: name -> array over ``response["frequency"]`` [Hz]; complex gains by the steering
    wheel's angle of "yaw_rate" [1/s], "ay" [m/s^2/rad], "sideslip", "roll", and their coherences "coherence_yaw_rate",
    ...; ``linear``: the same gains of the linear single-track car, for the plot."""

    linear: Mapping[str, np.ndarray] = field(default_factory=dict)

    def plot(self, path: str | FilePath | None = None) -> Figure:
        """Gain, phase and coherence over frequency; writes it to ``path`` and returns the figure.  Raises ModelError
        where it cannot be written."""
        from ..results.pictures.figures import Figure

        figure = Figure(figsize=(13, 7.5))
        axes = figure.subplots(3, 3, sharex=True)
        f = self.response["frequency"]
        for k, (word, title) in enumerate(
            (("yaw_rate", "yaw rate (1/s)"), ("ay", "lateral acceleration (m/s²/rad)"), ("sideslip", "sideslip"))
        ):
            for response, style, label in (
                (self.response, {"color": "#1f4e79"}, "full car"),
                (self.linear, {"color": "0.5", "linestyle": "--"}, "single track"),
            ):
                if word in response:
                    axes[0, k].semilogx(f, np.abs(response[word]), label=label, **style)
                    axes[1, k].semilogx(f, DEGREES * _phase(response[word]), label=label, **style)
            axes[2, k].semilogx(f, self.response[f"coherence_{word}"], color="#1f4e79")
            axes[0, k].set(title=title, ylabel="gain by the steering wheel")
            axes[1, k].set(ylabel="phase (deg)")
            axes[2, k].set(ylabel="coherence", xlabel="frequency (Hz)", ylim=(0.0, 1.05))
            axes[0, k].legend(fontsize=8)
        ticks = [x for x in (0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0) if f[0] <= x <= f[-1]]
        for ax in axes.ravel():
            ax.set_xticks(ticks, [f"{x:g}" for x in ticks])
            ax.set_xticks([], minor=True)
            ax.grid(alpha=0.3, which="both")
        figure.suptitle(self.name)
        figure.tight_layout()
        return save(figure, path)


def _phase(gain: np.ndarray) -> np.ndarray:
    """Unwrapped phase that begins between -pi/2 and pi/2, or at +-pi where the gain is negative at rest."""
    return np.unwrap(np.angle(gain))


def frequency_response(
    vehicle: Vehicle,
    speed: float = 100.0 / 3.6,
    *,
    ay: float = 1.0,
    low: float = 0.2,
    high: float = 3.0,
    duration: float = 60.0,
    kind: str = "random",
    segment: float = 5.0,
    seed: int = 1,
    **options: Any,
) -> FrequencyResponse:
    """Response to continuous steering from ``low`` to ``high`` [Hz] at a held ``speed`` [m/s] (ISO 7401, random or
    continuous sinusoidal input).

    ``kind``: "random": sums of sines at multiples of 1 / ``segment`` with random phases and a flat spectrum, each run
    for two periods of ``segment`` seconds, of which the second is taken, steady and without leakage (R. Pintelon, J.
    Schoukens, System Identification, 2012, section 4.3: the robust method); or "sweep": one sine whose frequency rises
    (logarithmically) over the ``duration`` [s].  Its size is such that the linear car would have the lateral
    acceleration ``ay`` [m/s^2] steadily at the largest angle (random: at twice the standard deviation).  Gains are H =
    S_xy / S_xx, coherence |S_xy|^2 / (S_xx S_yy), summed over the segments; it is below 1 where the car is not linear
    (a sweep has one segment and always gives 1).

    Metrics: yaw rate gain at the lowest frequency, the largest one relative to it and its frequency, the frequency
    where it has fallen to 1/sqrt(2), phase of yaw rate and lateral acceleration at 1 Hz [rad], equivalent time of yaw
    rate [s] (phase lag at 1 Hz / 2 pi), lowest coherence. Raises `ModelError` for other types, and for a duration of
    less than three segments.
    """
    if kind not in ("random", "sweep"):
        raise ModelError(f"kind is {shown(kind)}; give 'random' or 'sweep'")
    low, high = number_of(low, "low", positive=True), number_of(high, "high", positive=True)
    positive_numbers(speed=speed, ay=ay, duration=duration, segment=segment)
    if not low < high:
        raise ModelError(f"low is {low:g} and high {high:g}; low must be below high")
    if kind == "random" and duration < 4.0 * segment:
        raise ModelError(
            f"duration is {duration:g} s; give four segments ({segment:g} s each) or more, or kind='sweep'"
        )
    car = single_track(vehicle, speed)
    ratio = steering_ratio(vehicle)
    size = ratio * ay / (speed * car.yaw_gain(speed))
    t = np.arange(0.0, duration + 1e-9, 0.02)
    angle = size * (_noise(t, low, high, segment, seed) if kind == "random" else _sweep(t, low, high))
    angle *= np.clip(t / 0.5, 0.0, 1.0) ** 2 * (3.0 - 2.0 * np.clip(t / 0.5, 0.0, 1.0))

    def steer(m: Any, _: Any) -> str:
        curve = m.spline(((START + t) * vehicle.second).tolist(), angle.tolist(), name="steering input")
        last = (START + duration) * vehicle.second
        return f"CUBSPL(MIN(MAX(TIME,{START * vehicle.second!r}),{last!r}),0,{curve.id},0)"

    name = f"{vehicle.file.name}: frequency response at {3.6 * speed:.0f} km/h, {kind} steering"
    d = _simulate(vehicle, name, vehicle.model(speed, steer), START + duration, 50.0, **options)
    got = d["t"] >= START - 1e-9
    f, found = _transfer(
        d["steer"][got],
        {w: d[w][got] for w in ("yaw_rate", "ay", "sideslip", "roll")},
        50.0,
        segment if kind == "random" else None,
    )
    band = (f >= low - 1e-9) & (f <= high + 1e-9)
    response = {"frequency": f[band], **{k: v[band] for k, v in found.items()}}
    linear = {k: v / ratio for k, v in car.response(speed, f[band]).items()}
    out = FrequencyResponse(d.name, d.run, d.signals, response=response, linear=linear)
    out.metrics.update(_frequency_metrics(response))
    return out


def _noise(t: np.ndarray, low: float, high: float, segment: float, seed: int) -> np.ndarray:
    """Periods of random phases, each run twice; sines at multiples of 1 / segment about low to high, standard deviation
    1/2; a second of passage between them."""
    n = round(segment / (t[1] - t[0]))
    f = np.fft.rfftfreq(n, t[1] - t[0])
    rng = np.random.default_rng(seed)
    blocks = math.ceil(len(t) / (2 * n))
    lines = (f >= 0.75 * low) & (f <= 1.15 * high)
    periods = [np.fft.irfft(np.where(lines, np.exp(2j * np.pi * rng.random(len(f))), 0.0), n) for _ in range(blocks)]
    long = [np.concatenate([y, y]) * (0.5 / y.std()) for y in periods]
    fade = np.clip(np.arange(2 * n) * (t[1] - t[0]), 0.0, 1.0)
    fade = fade**3 * (10.0 - 15.0 * fade + 6.0 * fade**2)
    faded = [y * fade + (long[k - 1] if k else 0.0) * (1.0 - fade) for k, y in enumerate(long)]
    return np.concatenate(faded)[: len(t)]


def _sweep(t: np.ndarray, low: float, high: float) -> np.ndarray:
    """One sine whose frequency rises by the same factor in equal times; it fades over half a second and is still for
    the last two, so that nothing is cut off."""
    end = t[-1] - 2.0
    a, b = 0.7 * low, 1.2 * high
    rate = math.log(b / a) / end
    fade = np.clip((end - t) / 0.5, 0.0, 1.0)
    return np.sin(2.0 * np.pi * a * np.expm1(rate * np.minimum(t, end)) / rate) * fade**2 * (3.0 - 2.0 * fade)


def _transfer(
    x: np.ndarray, outputs: Mapping[str, np.ndarray], rate: float, segment: float | None
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Frequencies [Hz], gains and coherences of outputs over an input: over every second period of `_noise`, or (no
    segment) over all."""
    n = len(x) if segment is None else round(segment * rate)
    starts = [0] if segment is None else range(n, len(x) - n + 1, 2 * n)
    spectra = lambda y: np.array([np.fft.rfft(y[k : k + n] - y[k : k + n].mean()) for k in starts])
    X = spectra(x)
    Sxx = (np.abs(X) ** 2).sum(axis=0)
    out = {}
    for name, y in outputs.items():
        Y = spectra(y)
        Sxy, Syy = (np.conj(X) * Y).sum(axis=0), (np.abs(Y) ** 2).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            out[name] = Sxy / Sxx
            out[f"coherence_{name}"] = np.abs(Sxy) ** 2 / (Sxx * Syy)
    return np.fft.rfftfreq(n, 1.0 / rate), out


def _frequency_metrics(r: Mapping[str, np.ndarray]) -> dict[str, float]:
    f = r["frequency"]
    gain = np.abs(r["yaw_rate"])
    at = lambda y, x: float(np.interp(x, f, y)) if f[0] <= x <= f[-1] else math.nan
    peak = int(np.argmax(gain))
    below = np.flatnonzero((gain < gain[0] / math.sqrt(2.0)) & (np.arange(len(f)) > peak))
    phase = {w: at(_phase(r[w]), 1.0) for w in ("yaw_rate", "ay")}
    return {
        "yaw_rate_gain": float(gain[0]),
        "largest_gain_ratio": float(gain[peak] / gain[0]),
        "largest_gain_frequency": float(f[peak]),
        "bandwidth": float(f[below[0]]) if len(below) else math.nan,
        "yaw_rate_phase_1_Hz": phase["yaw_rate"],
        "ay_phase_1_Hz": phase["ay"],
        "equivalent_time": -phase["yaw_rate"] / (2.0 * math.pi),
        "ay_gain": float(np.abs(r["ay"][0])),
        "least_coherence": float(min(r["coherence_yaw_rate"].min(), r["coherence_ay"].min())),
    }


# ---- stability: sine with dwell, fish hook ---------------------------------------------------------------------------
def reference_angle(vehicle: Vehicle, speed: float = 80.0 / 3.6, ay: float = 0.3 * 9.80665, **options: Any) -> float:
    """Angle of the steering wheel [rad] at a lateral acceleration [m/s^2] (0.3 g) in the slowly increasing steer of
    FMVSS 126 (S7.6): 13.5 degrees a second at ``speed``, the straight line through 0.1 to 0.375 g. The result is
    cached for the vehicle. Raises `ModelError` for a vehicle that does not reach it."""
    known = vehicle.__dict__.setdefault("_reference", {})
    key = (round(speed, 6), round(ay, 6), tuple(sorted(options.items())))
    if key not in known:
        guess = steering_ratio(vehicle) * ay / (speed * single_track(vehicle, speed).yaw_gain(speed))
        for factor in (1.8, 3.0):
            d = slow_ramp(vehicle, speed, angle=factor * guess, **options)
            a = np.abs(d["ay"])
            w = (a > 0.1 * 9.80665) & (a < 1.25 * ay)
            if a.max() >= 1.25 * ay and w.sum() > 4:
                break
        else:
            raise ModelError(
                f"{vehicle.file.name} does not reach {1.25 * ay:.3g} m/s^2 at {3.6 * speed:.0f} km/h; drive faster"
            )
        known[key] = abs(float(np.polyval(np.polyfit(a[w], d["steer"][w], 1), ay)))
    return known[key]


def sine_with_dwell(
    vehicle: Vehicle,
    speed: float = 80.0 / 3.6,
    *,
    scale: float = 5.0,
    angle: float | None = None,
    left: bool = True,
    most: float = math.radians(270.0),
    **options: Any,
) -> Drive:
    """Sine with dwell (FMVSS 126, 49 CFR 571.126 S7.9; UN R140): one period of 0.7 Hz of the steering wheel with a
    pause of 0.5 s at its second peak, the vehicle coasting from ``speed`` [m/s].  The amplitude is ``angle`` [rad], or
    ``scale`` times that at 0.3 g (`reference_angle`), ``most`` at the most.

    Metrics: amplitude; yaw rate 1.0 and 1.75 s after the end of steering relative to its second peak (the standard
    allows 0.35 and 0.20), lateral displacement 1.07 s after the start (the standard requires 1.83 m at a scale of 5 and
    more, for vehicles up to 3500 kg), ``stable``: 1 where both yaw rates are within the limits, ``responsive``: 1 where
    the displacement is sufficient. The manoeuvre ends early for a car that spins (``stopped``), which is not stable.
    """
    positive_numbers(speed=speed, scale=scale, most=most)
    A = (
        min(scale * reference_angle(vehicle, speed), most)
        if angle is None
        else number_of(angle, "angle", positive=True)
    )
    f, dwell = 0.7, 0.5
    T = vehicle.second
    third = 0.75 / f
    end = START + 1.0 / f + dwell
    turned = f"TIME/{T!r}-{START!r}"
    w = 2.0 * math.pi * f
    after = f"IF(TIME-{(START + third + dwell) * T!r}:-1,-1,SIN({w!r}*({turned}-{dwell!r})))"
    wave = f"IF(TIME-{START * T!r}:0,0,IF(TIME-{(START + third) * T!r}:SIN({w!r}*({turned})),-1,IF(TIME-{end * T!r}:{after},0,0)))"  # noqa: E501
    model = vehicle.model(speed, Controls(f"{(A if left else -A)!r}*{wave}", until=START))
    last = end + 2.0
    name = f"{vehicle.file.name}: sine with dwell at {3.6 * speed:.0f} km/h, {DEGREES * A:.0f} degrees"
    _watch(model, 2.0)
    d = _spun(_simulate(vehicle, name, model, last, 100.0, **options), last)
    s = 1.0 if left else -1.0
    r = s * d["yaw_rate"]
    back = _window(d["t"], START + 0.5 / f, end)
    peak = float(-r[back].min()) if back.any() else math.nan
    at = lambda y, t: float(np.interp(t, d["t"], y)) if t <= d["t"][-1] + 1e-6 else math.nan
    k = int(np.argmin(np.abs(d["t"] - START)))
    across = s * (-(d["x"] - d["x"][k]) * math.sin(d["heading"][k]) + (d["y"] - d["y"][k]) * math.cos(d["heading"][k]))
    first, second = (-at(r, end + x) / peak for x in (1.0, 1.75))
    m = d.metrics
    m.update(
        amplitude=A,
        second_peak_yaw_rate=peak,
        yaw_rate_ratio_1_00=first,
        yaw_rate_ratio_1_75=second,
        displacement=at(across, START + 1.07),
        stable=float(not d.stopped and first <= 0.35 and second <= 0.20),
        largest_sideslip=float(np.abs(d["sideslip"]).max()),
        largest_ay=float(np.abs(d["ay"]).max()),
    )
    m["responsive"] = float(m["displacement"] >= 1.83)
    return d


def fish_hook(
    vehicle: Vehicle,
    speed: float = 80.0 / 3.6,
    *,
    scale: float = 6.5,
    angle: float | None = None,
    rate: float = math.radians(720.0),
    dwell: float | None = None,
    hold: float = 3.0,
    left: bool = True,
    **options: Any,
) -> Drive:
    """Fish hook (NHTSA, Federal Register 68 FR 59250, 2003): the steering wheel turns with ``rate`` [rad/s] to
    ``scale`` times the angle at 0.3 g (or ``angle`` [rad]), then by the same angle to the other side, is held for
    ``hold`` s and returns in 2 s; the throttle is released at the first turn.

    ``dwell``: pause [s] before the second turn (fixed timing: 0.25); without one it is the time at which the roll rate
    has fallen to 1.5 degrees a second, determined by a preceding run (roll rate feedback).

    Metrics: amplitude, dwell, the largest lateral acceleration and roll, the minimum load of each side's wheels, height
    by which both wheels of one side were off the road simultaneously [m] (two-wheel lift for NHTSA: 2 inches = 0.051
    m).
    """
    positive_numbers(speed=speed, scale=scale, hold=hold)
    A = scale * reference_angle(vehicle, speed) if angle is None else number_of(angle, "angle", positive=True)
    rise = A / number_of(rate, "rate", positive=True)
    T = vehicle.second

    def drive(pause: float, long: float) -> Drive:
        t = START
        one = f"{A!r}*MIN(1,MAX(0,(TIME-{t * T!r})/{rise * T!r}))"
        t2 = t + rise + pause
        two = f"-{2.0 * A!r}*MIN(1,MAX(0,(TIME-{t2 * T!r})/{2.0 * rise * T!r}))"
        t3 = t2 + 2.0 * rise + hold
        three = f"+{A!r}*MIN(1,MAX(0,(TIME-{t3 * T!r})/{2.0 * T!r}))"
        model = vehicle.model(speed, Controls(f"{1.0 if left else -1.0!r}*({one}{two}{three})", until=START))
        _watch(model, 2.0)
        last = min(t3 + 2.0, long)
        return _spun(
            _simulate(
                vehicle, f"{vehicle.file.name}: fish hook at {3.6 * speed:.0f} km/h", model, last, 100.0, **options
            ),
            last,
        )

    if dwell is None:
        first = drive(10.0, START + rise + 2.0)
        rolls = np.gradient(first["roll"], first["t"])
        s = np.sign(first["roll"][np.argmax(np.abs(first["roll"]))])
        calm = (
            (first["t"] >= START + 0.5 * rise)
            & (s * rolls <= math.radians(1.5))
            & (np.maximum.accumulate(s * rolls) > math.radians(1.5))
        )
        if not calm.any():
            raise ModelError(
                f"{vehicle.file.name}: its roll rate does not fall to 1.5 degrees a second within 2 s; give dwell=0.25"
            )
        dwell = max(float(first["t"][np.argmax(calm)]) - START - rise, 0.0)
    d = drive(number_of(dwell, "dwell", least=0.0), math.inf)
    loads, gaps = {}, {}
    for side in SIDES:
        found = [d.tyre(f"{w} {side} tyre") for w in WHICH]
        loads[side] = min(float(h["F_z"].min()) for h in found) * vehicle.units.si_force
        gaps[side] = float(np.minimum(*(-h["deflection"] for h in found)).max()) * vehicle.units.si_length
    d.metrics.update(
        amplitude=A,
        dwell=dwell,
        largest_ay=float(np.abs(d["ay"]).max()),
        largest_roll=float(np.abs(d["roll"]).max()),
        least_load_left=loads["left"],
        least_load_right=loads["right"],
        two_wheel_lift=max(0.0, *gaps.values()),
    )
    return d


# ---- braking ---------------------------------------------------------------------------------------------------------
def braking_in_turn(
    vehicle: Vehicle,
    radius: float = 100.0,
    *,
    ay: float = 5.0,
    pedal: float = 0.4,
    rise: float = 0.2,
    left: bool = True,
    longest: float = 12.0,
    **options: Any,
) -> Drive:
    """Braking in a turn (ISO 7975): a steady circle of ``radius`` [m] at the lateral acceleration ``ay`` [m/s^2]; then
    the steering wheel is held, the throttle released and the pedal (share of the brakes' torque) pressed over ``rise``
    seconds, until 2 m/s.

    Metrics, t = 0 at the start of braking: mean deceleration to the end, speed and yaw rate before; over the first
    second: yaw rate at 1 s relative to that of the circle at the speed then (v / R; 1: the car stays on its circle,
    above: it turns in), the largest such ratio, yaw rate, sideslip and its difference, lateral acceleration relative to
    v^2 / R at 1 s, lateral deviation from the circle at 1 s [m], positive inward. Raises `ModelError` where the car
    does not follow the circle.
    """
    positive_numbers(rise=rise, longest=longest)
    pedal_of(pedal)
    r = number_of(radius, "radius", positive=True)
    v = math.sqrt(number_of(ay, "ay", positive=True) * r)
    T = vehicle.second
    s = 1.0 if left else -1.0
    begin = START + 5.0
    delta = s * steering_ratio(vehicle) * v / r / single_track(vehicle, v).yaw_gain(v)
    turn = lambda x: f"STEP5(TIME,{START * T!r},0,{(START + 1.5) * T!r},{x!r})"
    for _ in range(8):
        d = _simulate(vehicle, "circle", vehicle.model(v, turn(delta)), begin, 50.0, **options)
        last = _window(d["t"], begin - 1.0, begin)
        ratio = float(s * (d["yaw_rate"][last] / d["speed"][last]).mean()) * r
        if abs(ratio - 1.0) < 0.005:
            break
        if not 0.3 < ratio < 3.0 or d["t"][-1] < begin - 0.1:
            raise ModelError(f"{vehicle.file.name} does not drive a circle of {r:g} m with {ay:g} m/s^2; request less")
        delta /= ratio
    else:
        raise ModelError(f"{vehicle.file.name} does not drive a circle of {r:g} m with {ay:g} m/s^2; request less")
    brake = f"{pedal!r}*STEP(TIME,{begin * T!r},0,{(begin + rise) * T!r},1)"
    model = vehicle.model(v, Controls(turn(delta), until=begin, brake=brake))
    _stop(model, vehicle, 2.0)
    _watch(model, 2.0)
    d = _simulate(
        vehicle,
        f"{vehicle.file.name}: braking in a turn of {r:g} m at {3.6 * v:.0f} km/h",
        model,
        begin + longest,
        100.0,
        **options,
    )
    if d["speed"][-1] > 2.2:
        d = _spun(d, begin + longest)
        if not d.stopped:
            raise ModelError(
                f"{vehicle.file.name} does not slow down to 2 m/s in {longest:g} s with the pedal at {pedal:g}; press "
                "harder"
            )
    k = int(np.argmin(np.abs(d["t"] - begin)))
    t = d["t"] - begin
    first = (t >= 0.0) & (t <= 1.0)
    one = lambda y: float(np.interp(1.0, t, y))
    before = slice(max(k - 50, 0), k)
    r0, b0, v0 = (float(d[w][before].mean()) for w in ("yaw_rate", "sideslip", "speed"))
    R = v0 / abs(r0)
    course = d["heading"][k] + d["sideslip"][k]
    centre = np.array([d["x"][k] - s * R * math.sin(course), d["y"][k] + s * R * math.cos(course)])
    inward = R - np.hypot(d["x"] - centre[0], d["y"] - centre[1])
    d.metrics.update(
        steering_wheel_angle=abs(delta),
        speed=v0,
        yaw_rate=s * r0,
        radius=R,
        mean_deceleration=float((v0 - d["speed"][-1]) / (d["t"][-1] - d["t"][k])),
        deceleration_1_s=(v0 - one(d["speed"])),
        yaw_rate_ratio_1_s=s * one(d["yaw_rate"]) * R / one(d["speed"]),
        largest_yaw_rate_ratio=float((s * d["yaw_rate"] * R / d["speed"])[first].max()),
        largest_yaw_rate=float(s * r0 + (s * (d["yaw_rate"] - r0))[first].max()),
        ay_ratio_1_s=s * one(d["ay"]) * R / one(d["speed"]) ** 2,
        sideslip_change_1_s=s * (one(d["sideslip"]) - b0),
        largest_sideslip=float(np.abs(d["sideslip"][k:]).max()),
        deviation_1_s=one(inward),
    )
    return d


def split_braking(
    vehicle: Vehicle,
    speed: float = 100.0 / 3.6,
    *,
    left: float = 0.9,
    right: float = 0.3,
    pedal: float = 0.3,
    rise: float = 0.2,
    driver: Driver | None = None,
    end_speed: float = 2.0,
    longest: float = 30.0,
    **options: Any,
) -> Drive:
    """Straight braking with different friction on the left and on the right (ISO 14512, open loop); frictions are
    relative to those of the tyre measurement. The steering wheel is held, or a ``driver`` keeps the car on its line.
    The pedal is pressed over ``rise`` seconds; it ends at ``end_speed`` [m/s], or where the car spins.

    Metrics: distance, mean deceleration, heading and lateral offset 1 s after the pedal and at the end, the largest yaw
    rate, sideslip and angle of the steering wheel.  Raises ModelError where the pedal does not slow the vehicle down in
    ``longest`` seconds.
    """
    positive_numbers(speed=speed, rise=rise, longest=longest)
    pedal_of(pedal)
    if not 0.0 <= number_of(end_speed, "end_speed") < speed:
        raise ModelError(f"end_speed is {end_speed:g} m/s and speed {speed:g}; give an end_speed from 0 to below speed")
    T, L = vehicle.second, vehicle.metre
    far = 1e4 * L
    for word, mu in (("left", left), ("right", right)):
        number_of(mu, word, positive=True)

    def road(m: Any) -> Any:
        return m.road("FLAT", mu=left, patches=[(-far, far, -far, 0.0, right)], edge=0.1 * L)

    brake = f"{pedal!r}*STEP(TIME,{START * T!r},0,{(START + rise) * T!r},1)"
    name = f"{vehicle.file.name}: braking from {3.6 * speed:.0f} km/h, friction {left:g} left, {right:g} right"
    if driver is None:
        model = vehicle.model(speed, Controls(until=START, brake=brake), Scene(road))
        _stop(model, vehicle, end_speed)
        _watch(model, 2.0)
        d = _simulate(vehicle, name, model, longest, 100.0, **options)
    else:
        line = Path([(0.0, 0.0), (longest * speed, 0.0)])
        d = follow(
            vehicle,
            line,
            driver,
            speed,
            end=longest,
            name=name,
            strict=False,
            limit=10.0,
            controls=Controls(until=START, brake=brake),
            scene=Scene(road),
            slowest=end_speed,
            **options,
        )
    if d["speed"][-1] > 1.1 * end_speed and not d.stopped:
        d = _spun(d, longest)
        if not d.stopped:
            raise ModelError(
                f"{vehicle.file.name} does not slow down to {end_speed:g} m/s in {longest:g} s with the pedal at "
                f"{pedal:g}; press harder"
            )
    k = int(np.argmin(np.abs(d["t"] - START)))
    way = float(np.hypot(np.diff(d["x"][k:]), np.diff(d["y"][k:])).sum())
    v0, v1 = float(d["speed"][k]), float(d["speed"][-1])
    one = lambda y: float(np.interp(START + 1.0, d["t"], y))
    d.metrics.update(
        distance=way,
        mean_deceleration=(v0**2 - v1**2) / (2.0 * way),
        heading_1_s=one(d["heading"]),
        offset_1_s=one(d["y"]) - float(d["y"][k]),
        heading=float(d["heading"][-1]),
        offset=float(d["y"][-1] - d["y"][k]),
        largest_yaw_rate=float(np.abs(d["yaw_rate"]).max()),
        largest_sideslip=float(np.abs(d["sideslip"]).max()),
        largest_steer=float(np.abs(d["steer"]).max()),
    )
    return d
