"""Manoeuvres with the inputs, timing and metrics of their standards, and drives along a path.  All numbers SI (metres,
seconds, radians), whatever units the vehicle has.

Axes: x forward, y to the left, z up at the start.  Angles and rates are positive to the left; the reference point is
the centre of mass of the whole vehicle.
"""

from __future__ import annotations

import html
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..analyses.session.simulate import simulate
from ..analyses.session.simulation import Simulation
from ..integrators.stepper import IntegrationError
from ..model import ModelError
from ..model.base import shown
from ..model.drawing import block, rod
from ..results import _rotation as rotation
from .controls import Controls, Scene
from .cornering_compliance import cornering, single_track, steering_ratio
from .drivers import Driver, Observation, Path, checked, lost
from .full_vehicle import FLAT, SIDES, WHICH, Vehicle
from .metric_units import with_unit
from .single_track import SingleTrack
from .template import number_of, numbers_of, pedal_of, positive_numbers
from .tyre_rig import tyre_history

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..model.bodies import Marker
    from ..results.pages.notebook import Inline

START = 0.5  # s of rolling before anything happens


@dataclass
class Drive(Summary):
    """Result of a manoeuvre. ``metrics``: name -> number (SI, `metric_units.unit_of`); ``run``: the `Run`, in model
    units; ``stopped``: a sentence where it ended early.

    ``drive["ay"]``: a signal over ``t`` [s]: x, y [m] of the centre of mass, heading, sideslip, roll, pitch [rad],
    speed [m/s], ax, ay [m/s^2] along and across the level heading, yaw_rate [rad/s], steer: angle of the steering wheel
    [rad].
    """

    name: str
    run: Any
    signals: Mapping[str, np.ndarray]
    metrics: dict[str, float] = field(default_factory=dict)
    stopped: str = ""
    course: Course | None = None
    response: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.signals:
            raise ModelError(f"there is no signal {shown(name)}; choose from {', '.join(self.signals)}")
        return self.signals[name]

    def tyre(self, name: str) -> dict[str, Any]:
        """History of a tyre, such as "front left tyre", in model units (`tyre_history`)."""
        known = self.__dict__.setdefault("_tyres", {})
        if name not in known:
            known[name] = tyre_history(self.run, name)
        return known[name]

    def text(self) -> str:
        """Metrics with their units, one per line."""
        lines = [self.name] + [f"  {with_unit(k):40s} {v:.6g}" for k, v in self.metrics.items()]
        return "\n".join([*lines, *([f"  {self.stopped}"] if self.stopped else [])])

    def animate(self, path: str | FilePath, **options: Any) -> FilePath | Inline:
        """The animation of the run, an HTML file; the camera follows the chassis.  ``options`` of
        `Run.animate`."""
        return self.run.animate(path, **{"follow": "chassis", **options})

    def report(self, path: str | FilePath, **options: Any) -> FilePath:
        """The report of the run, an HTML file, with the metrics and the plot of the manoeuvre.  ``options`` of
        `Run.report`."""
        return self.run.report(
            path, **{"title": self.name, "more": {"Manoeuvre": self}, "follow": "chassis", **options}
        )

    def _repr_html_(self) -> str:
        """Metrics and plot, a section of a report."""
        buffer = io.StringIO()
        self.plot().savefig(buffer, format="svg")
        svg = buffer.getvalue()
        rows = "".join(
            f"<tr><td>{html.escape(with_unit(k))}</td><td>{v:.6g}</td></tr>" for k, v in self.metrics.items()
        )
        note = f"<p>{html.escape(self.stopped)}</p>" if self.stopped else ""
        return f'{note}<div style="background:#fff;max-width:100%;overflow:auto">{svg[svg.index("<svg") :]}</div><table>{rows}</table>'  # noqa: E501

    def plot(self, path: str | FilePath | None = None) -> Figure:
        """Signals over time, and the path with the cones of a course; writes it to ``path`` and returns the figure.
        Raises ModelError where it cannot be written."""
        from ..results.pictures.figures import Figure

        figure = Figure(figsize=(13, 7.5))
        grid = figure.add_gridspec(3, 3, height_ratios=(1, 1, 1.1))
        curves = (
            ("steer", "steering wheel (deg)", 57.29578),
            ("ay", "lateral acceleration (m/s^2)", 1.0),
            ("yaw_rate", "yaw rate (deg/s)", 57.29578),
            ("roll", "roll (deg)", 57.29578),
            ("sideslip", "sideslip (deg)", 57.29578),
            ("speed", "speed (km/h)", 3.6),
        )
        for k, (name, words, scale) in enumerate(curves):
            ax = figure.add_subplot(grid[k // 3, k % 3])
            ax.plot(self["t"], scale * self[name], color="#1f4e79", linewidth=1.4)
            ax.set(ylabel=words, xlabel="time (s)")
            ax.grid(alpha=0.3)
        ax = figure.add_subplot(grid[2, :])
        ax.plot(self["x"], self["y"], color="#1f4e79", linewidth=1.5, label="centre of mass")
        if self.course is not None:
            for cone in self.course.cones():
                ax.plot(cone[0], cone[1], marker="^", color="#e67e22", markersize=5)
            ax.plot(
                *self.course.path().points.T, color="0.6", linestyle="--", linewidth=1.0, label="path of the driver"
            )
            for corners in self.course.outlines(self)[:: max(len(self["t"]) // 24, 1)]:
                ax.plot(*np.vstack([corners, corners[:1]]).T, color="#1f4e79", linewidth=0.6, alpha=0.6)
        else:
            ax.set_aspect("equal", adjustable="datalim")
        ax.set(xlabel="x (m)", ylabel="y (m)")
        ax.grid(alpha=0.3)
        ax.legend(loc="upper right", fontsize=8)
        figure.suptitle(self.name)
        figure.tight_layout()
        return save(figure, path)


def panels(title: str, curves: Any, path: str | FilePath | None = None) -> Figure:
    """A page of up to six curves: rows (words of x, words of y, lines), lines (x, y, label, more of `plot`); see
    `save`."""
    from ..results.pictures.figures import Figure

    figure = Figure(figsize=(13, 7.5))
    for k, (across, up, lines) in enumerate(curves):
        ax = figure.add_subplot(-(-len(curves) // 3), min(len(curves), 3), k + 1)
        for x, y, label, more in lines:
            ax.plot(x, y, label=label or None, linewidth=1.3, **more)
        ax.set(xlabel=across, ylabel=up)
        ax.grid(alpha=0.3, which="both")
        if any(label for _, _, label, _ in lines):
            ax.legend(fontsize=8)
        if "(Hz)" in across:
            ax.set_xscale("log")
        if "power density" in up:
            ax.set_yscale("log")
    figure.suptitle(title)
    figure.tight_layout()
    return save(figure, path)


def save(figure: Any, path: str | FilePath | None) -> Figure:
    """The figure, written to ``path`` where there is one.  Raises ModelError where it cannot be written."""
    if path is not None:
        try:
            figure.savefig(path, dpi=110)
        except (OSError, ValueError) as error:
            raise ModelError(f"cannot write '{path}': {error}") from None
    return figure


def signals(vehicle: Vehicle, run: Any) -> dict[str, np.ndarray]:
    """The signals of a run of a vehicle's model, SI; see `Drive`."""
    L, T = vehicle.units.si_length, vehicle.units.si_time
    part = run.part("chassis")
    p, v, a = (np.asarray(getattr(part, w).values) for w in ("position", "velocity", "acceleration"))
    w, dw = np.asarray(part.angular_velocity.values), np.asarray(part.angular_acceleration.values)
    A = rotation.matrices(np.asarray(part.quaternion.values))
    r = A @ (vehicle.file.mass.centre - np.asarray(vehicle.file.chassis["cm"], float))
    p, v = p + r, v + np.cross(w, r)
    a = a + np.cross(dw, r) + np.cross(w, np.cross(w, r))
    x_axis, y_axis = A[:, :, 0], A[:, :, 1]
    heading = np.unwrap(np.arctan2(x_axis[:, 1], x_axis[:, 0]))
    c, s = np.cos(heading), np.sin(heading)
    vx, vy = v[:, 0] * c + v[:, 1] * s, -v[:, 0] * s + v[:, 1] * c
    steer = np.asarray(run.joint("front steering wheel").angle.values)
    return {
        "t": np.asarray(run.time) * T,
        "x": p[:, 0] * L,
        "y": p[:, 1] * L,
        "heading": heading,
        "speed": np.hypot(vx, vy) * L / T,
        "ax": (a[:, 0] * c + a[:, 1] * s) * L / T**2,
        "ay": (-a[:, 0] * s + a[:, 1] * c) * L / T**2,
        "yaw_rate": w[:, 2] / T,
        "roll": np.arcsin(np.clip(y_axis[:, 2], -1, 1)),
        "pitch": -np.arcsin(np.clip(x_axis[:, 2], -1, 1)),
        "sideslip": np.arctan2(vy, np.maximum(vx, 1e-6)),
        "steer": steer,
    }


def _simulate(vehicle: Vehicle, name: str, model: Any, end: float, rate: float = 100.0, **options: Any) -> Drive:
    """Run an open-loop model to ``end`` (s)."""
    options = {
        "integrator": "DOP853" if vehicle.mode == "kinematic" else "RADAU5",
        "error": 1e-7 if vehicle.mode == "kinematic" else 1e-5,
        "progress": False,
        **options,
    }
    run = simulate(model, end=end * vehicle.second, steps=max(round(end * rate), 2), **options)
    return Drive(name, run, signals(vehicle, run))


def _window(t: np.ndarray, low: float, high: float) -> np.ndarray:
    return (t >= low - 1e-9) & (t <= high + 1e-9)


def _watch(model: Any, most: float = 0.4) -> None:
    """End the run where the car spins: lateral speed of the chassis beyond ``most`` of the forward one."""
    chassis = model.find("PART", "chassis")
    ground = model.marker(model.ground)
    v = [f"V{c}({chassis.cm},{ground.id},{chassis.cm})" for c in "XY"]
    model.sensor(f"ABS({v[1]})-{most!r}*{v[0]}", 0.0, "GE", error=1e-3, halt=True)


def _stop(model: Any, vehicle: Vehicle, speed: float) -> None:
    """End the run at a speed, m/s."""
    chassis = model.find("PART", "chassis")
    ground = model.marker(model.ground)
    low = speed * vehicle.metre / vehicle.second
    model.sensor(
        f"VX({chassis.cm},{ground.id},{chassis.cm})",
        low,
        "LE",
        error=max(1e-6 * low, 1e-6 * vehicle.metre / vehicle.second),
        halt=True,
    )


def _spun(d: Drive, end: float) -> Drive:
    if d["t"][-1] < end - 0.02:
        d.stopped = (
            f"the car spins at {d['t'][-1]:.2f} s: its sideslip is {math.degrees(abs(d['sideslip'][-1])):.0f} "
            f"degrees at {3.6 * d['speed'][-1]:.0f} km/h"
        )
    return d


class Braking(Drive):
    """A drive in which the brakes are the matter, drawn as such."""

    def plot(self, path: str | FilePath | None = None) -> Figure:
        """Speed, deceleration, slips of the wheels, pedal and torques of the brakes (in proportion to their pressures),
        loads over time, speed over the way; writes it to ``path`` and returns the figure.  Raises ModelError where it
        cannot be written."""
        t, way, u = self["t"], self["x"] - self["x"][0], self.run.model.units
        names = [f"{w} {s}" for w in WHICH for s in SIDES]
        tyres = {n: self.tyre(f"{n} tyre") for n in names}
        low = 1.0 * u.si_time / u.si_length
        slip = {
            n: 100.0 * (h["omega"] * h["R_e"] / np.maximum(np.abs(h["V_x"]), low) - np.sign(h["V_x"]))
            for n, h in tyres.items()
        }
        moving = np.all([np.abs(h["V_x"]) > low for h in tyres.values()], axis=0)
        torque = lambda n: (
            np.linalg.norm(np.asarray(self.run.force(f"{n} brake").torque.values), axis=-1) * u.si_force * u.si_length
        )
        one = lambda y: [(t, y, "", {"color": "#1f4e79"})]
        pedal = 100.0 * np.asarray(self.run.variable("brake pedal").values)
        return panels(
            self.name,
            [
                ("time (s)", "speed (km/h)", one(3.6 * self["speed"])),
                ("time (s)", "deceleration (m/s²)", one(-self["ax"])),
                ("time (s)", "slip (%)", [(t[moving], slip[n][moving], n, {}) for n in names]),
                ("time (s)", "pressure by the pedal (%)", one(pedal)),
                ("time (s)", "brake torque (N m)", [(t, torque(n), n, {}) for n in names]),
                ("way (m)", "speed (km/h)", [(way, 3.6 * self["speed"], "", {"color": "#1f4e79"})]),
            ],
            path,
        )


# ---- open loop -------------------------------------------------------------------------------------------------------
def steer_step(
    vehicle: Vehicle,
    speed: float = 100.0 / 3.6,
    ay: float = 4.0,
    *,
    rise: float = 0.1,
    hold: float = 3.0,
    angle: float | None = None,
    **options: Any,
) -> Drive:
    """Step of the steering wheel (ISO 7401): straight ahead at ``speed`` [m/s], then an angle that gives ``ay`` [m/s^2]
    steadily (found by trial runs), or ``angle`` [rad], risen over ``rise`` seconds (smooth, quintic; 10 to 90 % in half
    of it; the standard requires 0.15 s at most).  The throttle holds the speed.

    Metrics, with t = 0 at half of the step: steady yaw rate and lateral acceleration (mean of the last 0.5 s), their
    gains by the steering wheel's angle, response times (90 % of steady), peak times, overshoots (peak - steady) /
    steady, roll gradient [rad/(m/s^2)], sideslip, TB factor (peak time of yaw rate times steady sideslip [s deg]).
    Raises ModelError where the vehicle cannot reach ``ay``.
    """
    positive_numbers(speed=speed, rise=rise, hold=hold)
    if (ay if angle is None else number_of(angle, "angle")) == 0.0:
        raise ModelError(
            f"{'ay' if angle is None else 'angle'} is 0; a step of the steering wheel needs one that is not"
        )
    delta = angle
    tries = 1
    if delta is None:
        car = single_track(vehicle, speed)
        delta = steering_ratio(vehicle) * ay / (speed * car.yaw_gain(speed))
        tries = 8
    T = vehicle.second
    for k in range(tries):
        ramp = f"STEP5(TIME,{START * T!r},0,{(START + rise) * T!r},{delta!r})"
        d = _simulate(
            vehicle,
            f"{vehicle.file.name}: steering step at {3.6 * speed:.0f} km/h",
            vehicle.model(speed, ramp),
            START + rise + hold,
            200.0,
            **options,
        )
        last = _window(d["t"], d["t"][-1] - 0.5, d["t"][-1])
        reached = float(d["ay"][last].mean())
        if angle is not None or abs(reached - ay) < 0.01 * abs(ay):
            break
        if k == tries - 1 or not 0.1 < reached / ay < 10.0:
            raise ModelError(
                f"{vehicle.file.name} does not reach {ay:g} m/s^2 at {3.6 * speed:.0f} km/h: a step of {delta:.3g} rad "
                f"gave {reached:.3g}; request less, or drive faster"
            )
        delta *= ay / reached
    t0 = START + 0.5 * rise
    m = d.metrics
    m["steering_wheel_angle"] = float(delta)
    for word in ("yaw_rate", "ay"):
        y = d[word] - d[word][_window(d["t"], 0.5 * START, START)].mean()
        steady = float(y[last].mean())
        m[f"steady_{word}"] = steady
        m[f"{word}_gain"] = steady / delta
        after = d["t"] >= START
        up = y / steady
        k = int(np.argmax(after & (up >= 0.9)))
        f = (0.9 - up[k - 1]) / (up[k] - up[k - 1])
        m[f"{word}_response_time"] = float(d["t"][k - 1] + f * (d["t"][k] - d["t"][k - 1]) - t0)
        peak = int(np.argmax(up))
        m[f"{word}_peak_time"] = float(d["t"][peak] - t0)
        m[f"{word}_overshoot"] = float(up[peak] - 1.0)
    m["roll_gradient"] = float(d["roll"][last].mean() / m["steady_ay"])
    m["steady_sideslip"] = float(d["sideslip"][last].mean())
    m["tb_factor"] = m["yaw_rate_peak_time"] * math.degrees(abs(m["steady_sideslip"]))
    return d


def slow_ramp(
    vehicle: Vehicle,
    speed: float = 80.0 / 3.6,
    *,
    rate: float = math.radians(13.5),
    angle: float = math.radians(180.0),
    **options: Any,
) -> Drive:
    """The steering wheel turns slowly (``rate`` [rad/s]) to ``angle`` at constant speed [m/s] (the quasi-steady
    manoeuvre of FMVSS 126; ISO 4138, constant speed).

    Metrics: the largest lateral acceleration, and over 0.5 to 3 m/s^2 the gradients of understeer (of the mean steer
    angle, steering wheel over ratio), roll and sideslip [rad/(m/s^2)], by straight lines.
    """
    positive_numbers(speed=speed, rate=rate, angle=angle)
    T = vehicle.second
    end = START + angle / rate
    text = f"{rate / T!r}*(TIME-{START * T!r})*STEP(TIME,{START * T!r},0,{(START + 0.2) * T!r},1)"
    model = vehicle.model(speed, text)
    _watch(model)
    d = _spun(
        _simulate(
            vehicle,
            f"{vehicle.file.name}: slow ramp of the steering wheel at {3.6 * speed:.0f} km/h",
            model,
            end,
            50.0,
            **options,
        ),
        end,
    )
    d.metrics["largest_ay"] = float(np.abs(d["ay"]).max())
    d.metrics.update(_gradients(vehicle, d, 0.5, 3.0))
    return d


def steady_circle(
    vehicle: Vehicle, radius: float = 100.0, *, ay: float = 6.0, rate: float = 0.15, left: bool = True, **options: Any
) -> Drive:
    """Steady circle of constant radius [m] (ISO 4138): the speed rises so slowly that the lateral acceleration grows by
    ``rate`` [m/s^2 each second] to ``ay``; the steering wheel is controlled so that the yaw rate is speed / radius.

    Metrics over 1 to 4 m/s^2: gradients of understeer (steering wheel over ratio, less L / R), roll, sideslip
    [rad/(m/s^2)]; Ackermann angle [rad].
    """
    r, top, k = (
        number_of(radius, "radius", positive=True),
        number_of(ay, "ay", positive=True),
        number_of(rate, "rate", positive=True),
    )
    low = 0.8
    if not top > 1.0:
        raise ModelError(f"ay is {top:g} m/s^2; give more than 1, from where on gradients are taken")
    v0 = math.sqrt(low * r)
    begin = 6.0
    T, L = vehicle.second, vehicle.metre
    end = begin + (top - low) / k
    s = 1.0 if left else -1.0
    ratio = steering_ratio(vehicle)
    square = f"{low * r!r}+{k * r!r}*MAX(0,TIME/{T!r}-{begin!r})"
    target = f"{L / T!r}*SQRT({square})"

    def steer(m: Any, chassis: Any) -> str:
        ground = m.marker(m.ground)
        speed = f"VX({chassis.cm},{ground.id},{chassis.cm})"
        wanted = f"{s / (r * L)!r}*{speed}*STEP(TIME,0,0,{2.0 * T!r},1)"
        base = m.diff(f"{1.8 * ratio * 2.7 / v0 / T!r}*({wanted}-WZ({chassis.cm}))*{T!r}", "steering control")
        return f"DIF({base.id})"

    model = vehicle.model(v0, Controls(steer, hold=target, servo=True))
    _watch(model)
    d = _spun(_simulate(vehicle, f"{vehicle.file.name}: steady circle of {r:g} m", model, end, 20.0, **options), end)
    d.metrics["ackermann_angle"] = vehicle.file.wheelbase * vehicle.units.si_length / r
    d.metrics["largest_ay"] = float(np.abs(d["ay"]).max())
    d.metrics.update(_gradients(vehicle, d, max(1.0, 1.3 * low), min(4.0, 0.95 * top), after=begin))
    return d


def _gradients(vehicle: Vehicle, d: Drive, low: float, high: float, after: float = 0.0) -> dict[str, float]:
    a = np.abs(d["ay"])
    side = float(np.sign(d["ay"][-1]))
    reached = int(np.argmax(a >= high)) if (a >= high).any() else len(a)
    w = (a > low) & (np.arange(len(a)) < reached) & (d["t"] >= after)
    if w.sum() < 5:
        raise ModelError(
            f"{d.name}: the lateral acceleration stays below {low:g} m/s^2; drive faster, or turn the wheel further"
        )
    delta = side * d["steer"] / steering_ratio(vehicle)
    kappa = side * d["yaw_rate"] / d["speed"]
    under = delta - vehicle.file.wheelbase * vehicle.units.si_length * kappa
    line = lambda y: float(np.polyfit(a[w], y[w], 1)[0])
    return {
        "understeer_gradient": line(under),
        "roll_gradient": line(side * d["roll"]),
        "sideslip_gradient": line(side * d["sideslip"]),
    }


def straight_braking(
    vehicle: Vehicle,
    speed: float = 100.0 / 3.6,
    *,
    pedal: float = 0.6,
    rise: float = 0.2,
    end_speed: float = 2.0,
    longest: float = 30.0,
    **options: Any,
) -> Drive:
    """Braking straight ahead from ``speed`` to ``end_speed`` [m/s], the pedal (share of the brakes' torque) pressed
    over ``rise`` seconds, the steering wheel held.

    Metrics: distance and time from the pedal to the end, mean deceleration (v0^2 - v1^2) / 2 s, the largest, pitch,
    heading and lateral offset at the end. Raises ModelError where the pedal does not slow the vehicle down to
    ``end_speed`` in ``longest`` seconds.
    """
    positive_numbers(speed=speed, rise=rise, longest=longest)
    pedal_of(pedal)
    if not 0.0 <= number_of(end_speed, "end_speed") < speed:
        raise ModelError(f"end_speed is {end_speed:g} m/s and speed {speed:g}; give an end_speed from 0 to below speed")
    T = vehicle.second
    text = f"{pedal!r}*STEP(TIME,{START * T!r},0,{(START + rise) * T!r},1)"
    model = vehicle.model(speed, Controls(hold=False, brake=text))
    _stop(model, vehicle, end_speed)
    found = _simulate(
        vehicle, f"{vehicle.file.name}: braking from {3.6 * speed:.0f} km/h", model, longest, 100.0, **options
    )
    d = Braking(found.name, found.run, found.signals)
    if d["speed"][-1] > 1.05 * end_speed + 0.01:
        raise ModelError(
            f"{vehicle.file.name} does not slow down to {end_speed:g} m/s in {longest:g} s with the pedal at "
            f"{pedal:g}; press harder"
        )
    k = int(np.argmin(np.abs(d["t"] - START)))
    way = float(np.hypot(d["x"][-1] - d["x"][k], d["y"][-1] - d["y"][k]))
    v0, v1 = float(d["speed"][k]), float(d["speed"][-1])
    d.metrics.update(
        distance=way,
        time=float(d["t"][-1] - d["t"][k]),
        mean_deceleration=(v0**2 - v1**2) / (2 * way),
        largest_deceleration=float(-d["ax"].min()),
        pitch=float(np.abs(d["pitch"]).max()),
        heading=float(d["heading"][-1]),
        offset=float(d["y"][-1] - d["y"][k]),
    )
    return d


def integrator_of(vehicle: Vehicle) -> dict[str, Any]:
    """What steps a simulation that a driver leads."""
    return {"integrator": "DOP853"} if vehicle.mode == "kinematic" else {"integrator": "HHT", "error": 1e-4}


# ---- along a path ----------------------------------------------------------------------------------------------------
def follow(
    vehicle: Vehicle,
    path: Path,
    driver: Driver,
    speed: float,
    *,
    end: float | None = None,
    hold: bool = True,
    limit: float = 4.0,
    name: str = "",
    strict: bool = True,
    controls: Controls | None = None,
    scene: Scene = FLAT,
    slowest: float = 0.0,
    suspension: bool = False,
    **options: Any,
) -> Drive:
    """Drive along a path: the car starts at its first point, in its direction, at ``speed`` [m/s], which is held
    (``hold``), or coasts with the clutch open.

    The driver is evaluated ``driver.frequency`` times per second, and the steering wheel angle is linear in between.
    The manoeuvre ends after the last point, or at ``end`` seconds. A car further than ``limit`` metres from its path
    has left the road: `ModelError`, or (``strict`` False) the attribute ``stopped`` of the result.

    ``controls``: pedals and gears, in place of ``hold``; ``scene``: road and contact; ``slowest``: speed [m/s] at which
    it ends; ``suspension``: the linear car model of the driver includes roll steer and compliance (`cornering`) in
    addition to the tyres; ``options`` of the integrator.
    """
    driver = checked(driver)
    driver.reset()
    path.reset()
    v = number_of(speed, "speed", positive=True)
    heading = float(path.heading[0])
    centre = vehicle.file.mass.centre * vehicle.units.si_length
    start = path.points[0] - np.array([centre[0] * math.cos(heading), centre[0] * math.sin(heading)])
    pedals = Controls(hold=hold) if controls is None else controls
    drawn = vehicle.model(v, replace(pedals, servo=True), replace(scene, position=tuple(start), heading=heading))
    sim = Simulation(drawn, progress=False)
    given = {**integrator_of(vehicle), **options}
    L, T = vehicle.metre, vehicle.second
    car = cornering(vehicle, v).track if suspension else single_track(vehicle, v)
    last = end if end is not None else 1.3 * path.length / v
    sim.open(record="advance", duration=last * T, **given)
    r = vehicle.file.mass.centre - np.asarray(vehicle.file.chassis["cm"], float)
    stopped = ""
    ratio = steering_ratio(vehicle)
    step = 1.0 / driver.frequency
    for k in range(math.ceil(last / step - 1e-9)):
        o = _observe(sim, k * step, r, L, T, car, ratio)
        s, off, _ = path.locate(o.x, o.y)
        if s > path.length or o.speed <= slowest:
            break
        stopped = lost(off, limit, o)
        if stopped:
            break
        sim.set_input("steering command", driver.act(path, o), by=(k + 1) * step * T)
        try:
            sim.advance((k + 1) * step * T)
        except IntegrationError as error:
            stopped = f"the run ended at {o.time:.2f} s: {error}"
            break
    run = sim.run()
    sim.close()
    if stopped and strict:
        raise ModelError(f"{vehicle.file.name}: {stopped}")
    return Drive(
        name or f"{vehicle.file.name}: along a path at {3.6 * v:.0f} km/h", run, signals(vehicle, run), stopped=stopped
    )


def _observe(
    sim: Simulation, time: float, r: np.ndarray, L: float, T: float, car: SingleTrack, ratio: float
) -> Observation:
    b = sim.state["chassis"]
    A = rotation.matrices(b.quaternion[None])[0]
    arm = A @ r
    p = (b.position + arm) / L
    v = (b.velocity + np.cross(b.angular_velocity, arm)) / L * T
    heading = math.atan2(A[1, 0], A[0, 0])
    c, s = math.cos(heading), math.sin(heading)
    vx, vy = v[0] * c + v[1] * s, -v[0] * s + v[1] * c
    return Observation(
        time,
        float(p[0]),
        float(p[1]),
        heading,
        math.hypot(vx, vy),
        math.atan2(vy, max(vx, 1e-6)),
        float(b.angular_velocity[2]) * T,
        car,
        ratio,
    )


@dataclass(frozen=True)
class Course:
    """Lanes of cones: ``sections``: (start x, end x, right edge y, left edge y) [m]; ``outline``: half width, from the
    centre of mass to nose and tail [m]."""

    name: str
    sections: tuple[tuple[float, float, float, float], ...]
    outline: tuple[float, float, float]
    lead: float = 30.0

    def path(self, cut: float = 0.35) -> Path:
        """The target path: quintics without curvature at their ends connect the centre lines of the lanes; they begin
        before the end of a lane and end within the next, so that the body has used the fraction ``cut`` of its
        clearance to the edge there."""
        xs = np.arange(-self.lead, self.sections[-1][1] + 30.0, 0.25)
        y = np.full_like(xs, 0.5 * (self.sections[0][2] + self.sections[0][3]))
        course = lambda f: f**3 * (10.0 - 15.0 * f + 6.0 * f * f)
        grid = np.linspace(0.0, 0.5, 2001)
        for (a, b, l0, h0), (c, d, l1, h1) in zip(self.sections, self.sections[1:]):
            shift = 0.5 * (l1 + h1 - l0 - h0)
            before, behind = (
                float(np.interp(cut * max(0.5 * (h - low) - self.outline[0], 0.0) / abs(shift), course(grid), grid))
                for low, h in ((l0, h0), (l1, h1))
            )
            whole = (c - b) / (1.0 - before - behind)
            start = max(b - before * whole, 0.5 * (a + b))
            end = min(c + behind * whole, 0.5 * (c + d))
            y += shift * course(np.clip((xs - start) / (end - start), 0.0, 1.0))
        return Path(np.column_stack([xs, y]), smooth=False)

    def cones(self, each: int = 5) -> np.ndarray:
        """(n, 2) positions of the cones: ``each`` on both edges of each section."""
        return np.array(
            [(x, y) for a, b, low, high in self.sections for x in np.linspace(a, b, each) for y in (low, high)]
        )

    def draw(self, model: Any) -> Marker:
        """Road and cones as graphics of ground (half a metre high, ISO 3888), and the marker of a flat road."""
        metre = 1.0 / model.units.si_length
        ground = model.ground
        first, last = -self.lead, self.sections[-1][1] + 40.0
        low, high = (f(y for s in self.sections for y in s[2:]) for f in (min, max))
        middle, size = (0.5 * (first + last), 0.5 * (low + high), -0.01), (last - first, high - low + 4.0, 0.02)
        block(model, ground, [v * metre for v in middle], [v * metre for v in size], color="GRAY")
        for x, y in self.cones() * metre:
            rod(model, ground, (x, y, 0.0), (x, y, 0.5 * metre), 0.14 * metre, 0.03 * metre, color="ORANGE")
        return model.marker_at(ground, (0, 0, 0))

    def outlines(self, d: Drive) -> np.ndarray:
        """(times, 4, 2) corners of the body."""
        half, nose, tail = self.outline
        corners = np.array([[nose, half], [nose, -half], [-tail, -half], [-tail, half]])
        c, s = np.cos(d["heading"])[:, None], np.sin(d["heading"])[:, None]
        x = d["x"][:, None] + corners[:, 0] * c - corners[:, 1] * s
        y = d["y"][:, None] + corners[:, 0] * s + corners[:, 1] * c
        return np.stack([x, y], axis=-1)

    def clearance(self, d: Drive) -> tuple[float, int]:
        """(minimum distance of the body from the edges of its lane [m], negative where it crosses one; cones hit)."""
        half, nose, tail = self.outline
        sides = np.linspace(-tail, nose, 25)
        c, s = np.cos(d["heading"])[:, None], np.sin(d["heading"])[:, None]
        least = np.inf
        for across in (half, -half):
            x = d["x"][:, None] + sides * c - across * s
            y = d["y"][:, None] + sides * s + across * c
            for a, b, low, high in self.sections:
                inside = (x >= a) & (x <= b)
                if inside.any():
                    least = min(least, float(np.where(inside, np.minimum(y - low, high - y), np.inf).min()))
        hit = 0
        for cx, cy in self.cones():
            dx, dy = cx - d["x"], cy - d["y"]
            u, v = (
                dx * np.cos(d["heading"]) + dy * np.sin(d["heading"]),
                -dx * np.sin(d["heading"]) + dy * np.cos(d["heading"]),
            )
            hit += bool(((u <= nose) & (u >= -tail) & (np.abs(v) <= half)).any())
        return least, hit


def iso_3888(vehicle: Vehicle, part: int = 1) -> Course:
    """The course of ISO 3888-1 (severe lane change) or -2 (obstacle avoidance) for the width of a vehicle ("width" in
    its file, without mirrors; "overhangs": nose before the front axle, tail behind the rear one).  Raises ModelError
    where the file has no width, and for other parts.

    Lanes as in ISO 3888-1:2018 and ISO 3888-2:2011: b the width, part 1: 15 m of 1.1 b + 0.25, 30 m free, 25 m of 1.2 b
    + 0.25 with the right edge 3.5 m to the left, 25 m free, 30 m of 1.3 b + 0.25; part 2: 12 m of 1.1 b + 0.25, 13.5 m
    free, 11 m of b + 1 with 1 m between the lanes, 12.5 m free, 12 m of 1.3 b + 0.25, 3 m at least.  Right edges of
    first and last lane in line.
    """
    if part not in (1, 2):
        raise ModelError(f"part is {shown(part)}; ISO 3888 has 1 (severe lane change) and 2 (obstacle avoidance)")
    L = vehicle.units.si_length
    if "width" not in vehicle.file.data:
        raise ModelError(f"{vehicle.file.name} has no width, from which the lanes follow; give 'width' in its file")
    b = number_of(vehicle.file.data["width"], "width", positive=True) * L
    over = numbers_of(vehicle.file.data.get("overhangs", [0.0, 0.0]), "overhangs", 2)
    centre = vehicle.file.mass.centre[0]
    nose = (vehicle.file._centre("front")[0] - centre + over[0]) * L
    tail = (centre - vehicle.file._centre("rear")[0] + over[1]) * L
    w1 = 1.1 * b + 0.25
    right = -0.5 * w1
    if part == 1:
        w3, w5 = 1.2 * b + 0.25, 1.3 * b + 0.25
        sections = (
            (0.0, 15.0, right, right + w1),
            (45.0, 70.0, right + 3.5, right + 3.5 + w3),
            (95.0, 125.0, right, right + w5),
        )
    else:
        w3, w5 = b + 1.0, max(1.3 * b + 0.25, 3.0)
        left = right + w1 + 1.0
        sections = ((0.0, 12.0, right, right + w1), (25.5, 36.5, left, left + w3), (49.0, 61.0, right, right + w5))
    return Course(f"ISO 3888-{part}", sections, (0.5 * b, nose, tail))


def lane_change(
    vehicle: Vehicle,
    driver: Driver,
    speed: float = 80.0 / 3.6,
    *,
    part: int = 1,
    suspension: bool = False,
    **options: Any,
) -> Drive:
    """The lane change of ISO 3888-1 or -2 by a driver, entered at ``speed`` [m/s]; in part 1 the speed is held, in part
    2 the car coasts from the start (the standard releases the throttle 2 m after the first cones). ``suspension``:
    included in the driver's linear car model, see `follow`.

    Metrics: entry and exit speed, cones hit, minimum clearance of the body from the edges of its lane [m], the largest
    lateral acceleration, yaw rate, sideslip, angle and rate of the steering wheel, roll. ``stopped`` is set where the
    car leaves the road.
    """
    course = iso_3888(vehicle, part)
    path = course.path()
    d = follow(
        vehicle,
        path,
        driver,
        speed,
        hold=part == 1,
        name=f"{vehicle.file.name}: {course.name} at {3.6 * speed:.0f} km/h, {type(driver).__name__}",
        strict=False,
        scene=Scene(course.draw),
        suspension=suspension,
        **options,
    )
    d.course = course
    least, hit = course.clearance(d)
    inside = (d["x"] >= 0.0) & (d["x"] <= course.sections[-1][1])
    at = lambda x: float(np.interp(x, d["x"], d["speed"]))
    d.metrics.update(
        entry_speed=at(0.0),
        exit_speed=at(min(course.sections[-1][1], float(d["x"].max()))),
        cones_hit=float(hit),
        clearance=least,
        clean=float(least >= 0.0 and not d.stopped),
    )
    for word in ("ay", "yaw_rate", "sideslip", "roll", "steer"):
        d.metrics[f"largest_{word}"] = float(np.abs(d[word][inside]).max())
    d.metrics["largest_steer_rate"] = float(np.abs(np.gradient(d["steer"], d["t"]))[inside].max())
    return d
