"""What ``holonom rail ...`` does."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..analyses.simulate import simulate
from ..model import Model, ModelError
from ..model.bounded_file import read_bounded
from .assessment import SMALLEST_RADIUS, assess
from .geometry import METHODS, contact_geometry
from .irregularities import curve as curve_sections
from .irregularities import make_irregularities
from .profiles import named
from .quasistatic import quasi_static
from .stability import critical_speed
from .vehicle import RailVehicle, nadal, prudhomme, rail_vehicle, wheel_history

MOST_BYTES = 1_000_000
#: wheels stand 70 micrometres deep in rails: with 1e-4 m they seem to lift between steps
ERROR = 1e-5
SLOPE = 5.0  # of the curve of fatigue by which loads on the body are compared


def conicity(wheel: str, rail: str, gauge: float, inclination: float, radius: float, spacing: float, reach: float, plot: Path | None, csv: Path | None,
             say: Callable[[str], None]) -> None:  # fmt: skip
    """Contact geometry and equivalent conicity; lengths in millimetres, the inclination as 1 : n (0: upright).  Raises ModelError as `contact_geometry`."""
    if not 1.0 <= reach <= 20.0:
        raise ModelError(f"--reach is {reach:g}; give 1 to 20 mm")
    mm = 1e-3
    tangent = 1.0 / inclination if inclination else 0.0
    y = np.arange(-round(10 * reach), round(10 * reach) + 1) * 1e-4
    g = contact_geometry(wheel, rail, y=y, gauge=gauge * mm, inclination=tangent, radius=radius * mm, spacing=spacing * mm)
    lean = f"1 : {inclination:g}" if inclination else "none"
    say(f"{named(wheel, True).name} on {named(rail, False).name}, gauge {gauge:g} mm, inclination {lean}, radius {radius:g} mm")
    say("amplitude, mm   " + "  ".join(f"{m:>10}" for m in METHODS) + "   wavelength, m")
    for amplitude in range(1, int(reach)):
        try:
            found = [float(g.conicity(amplitude * mm, m)) for m in METHODS]
            wave = float(g.wavelength(amplitude * mm))
        except ModelError as error:
            say(f"{amplitude:13d}   {error}")
            continue
        say(f"{amplitude:13d}   " + "  ".join(f"{v:10.4f}" for v in found) + f"   {wave:13.3f}")
    say("lateral place, mm   radii left - right, mm   angle left, right, degrees   points left, right")
    for k in range(0, len(y), 10):
        a = np.degrees(g.angle[k])
        say(
            f"{1e3 * y[k]:17.1f}   {1e3 * g.difference[k]:22.3f}   {a[0]:12.2f} {a[1]:14.2f}   {len(g.points[k][0]):11d} {len(g.points[k][1]):6d}"
        )
    if plot is not None:
        g.plot(
            plot,
            f"{named(wheel, True).name} on {named(rail, False).name}, {gauge:g} mm, {f'1 : {inclination:g}' if inclination else 'upright'}",
        )
        say(f"curves: {plot}")
    if csv is not None:
        table = np.column_stack([y, g.difference, g.radius, g.angle, g.wheel, g.rail, g.roll, g.height])
        words = "y,difference,radius_left,radius_right,angle_left,angle_right,wheel_left,wheel_right,rail_left,rail_right,roll,height"
        np.savetxt(csv, table, delimiter=",", header=words, comments="", fmt="%.9g")
        say(f"table: {csv}")


def vehicle_data(file: Path | None) -> dict[str, Any] | None:
    """Changes of `COACH` from a JSON file."""
    if file is None:
        return None
    try:
        found = json.loads(read_bounded(file, MOST_BYTES, "the data of a vehicle are not").decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"'{file}' is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise ModelError(f'\'{file}\' holds no object of words, as {{"body": {{"mass": 40000}}}}')
    return found


def coach(speed: float, data: dict[str, Any] | None, *, sections: Any = (), irregularities: Any = None, s: float = 15.0, mu: float = 0.35, law: str = "POLACH",
          wheel: str = "s1002", rail: str = "uic60", gauge: float = 1.435, inclination: float = 1.0 / 40.0) -> RailVehicle:  # fmt: skip
    """A coach in SI on a track."""
    m = Model("coach")
    m.gravity = (0.0, 0.0, -9.81)
    more = {} if irregularities is None else irregularities.arguments(m.units)
    track = m.rail_track(rail=named(rail, False), gauge=gauge, inclination=inclination, sections=sections, **more)
    return rail_vehicle(m, track, speed=speed, s=s, data=data, profile=named(wheel, True), mu=mu, law=law)


def critical(low: float, high: float, points: int, file: Path | None, mu: float, wheel: str, rail: str, say: Callable[[str], None]) -> None:
    """Critical speed of a coach; speeds in km/h."""
    data = vehicle_data(file)
    found = critical_speed(lambda v: coach(v, data, mu=mu, wheel=wheel, rail=rail).model, low / 3.6, high / 3.6, points=points)
    say("speed, km/h   growth, 1/s   frequency, Hz   damping ratio")
    for v, g, f, d in zip(found.speed, found.growth, found.frequency, found.damping):
        say(f"{3.6 * v:11.1f}   {g:11.4f}   {f:13.3f}   {d:13.4f}")
    if math.isnan(found.critical):
        say(f"no critical speed between {low:g} and {high:g} km/h")
    else:
        say(f"critical speed: {3.6 * found.critical:.1f} km/h ({found.critical:.2f} m/s)")


def run_coach(speed: float, radius: float | None, cant: float, transition: float, length: float, rough: str | None, seed: int, file: Path | None, mu: float, wheel: str,
              rail: str, plot: Path | None, say: Callable[[str], None]) -> None:  # fmt: skip
    """A coach through a curve or along a rough straight; speed in km/h, cant in millimetres, lengths in metres."""
    if not 1.0 <= speed <= 600.0:
        raise ModelError(f"--speed is {speed:g} km/h; give 1 to 600")
    v = speed / 3.6
    if radius is not None and not radius >= 100.0:
        raise ModelError(f"--radius is {radius:g} m; give 100 or more")
    sections = (
        () if radius is None else curve_sections(radius, straight=40.0, transition=transition, length=length, cant=1e-3 * cant, out=0.0)
    )
    whole = length + 60.0 if radius is None else 40.0 + transition + length
    irregularities = None
    if rough is not None:
        # longer than the run, so that it neither ends under the coach nor repeats
        total = max(whole + 60.0, 200.0)
        irregularities = make_irregularities(rough, total, spacing=0.25, first=30.0, seed=seed, ramp=20.0)
    made = coach(v, vehicle_data(file), sections=sections, irregularities=irregularities, mu=mu, wheel=wheel, rail=rail)
    end = (whole - made.wheelsets[0].s - 2.0) / v
    run = simulate(made.model, end=end, steps=max(int(end * 100), 50), integrator="RADAU5", error=ERROR)
    where = f"radius {radius:g} m, cant {cant:g} mm" if radius else "straight"
    say(f"{speed:g} km/h, {where}{f', {rough}' if rough else ''}; the last second (Y: largest over it, and mean)")
    say(
        "axle      Y left, kN         Y right, kN        Q left, kN     Q right, kN   largest Y/Q   sum of Y, kN   Prud'homme, kN   attack, mrad"
    )
    late = run.time >= run.time[-1] - 1.0
    histories = []
    for k, axle in enumerate(made.wheelsets, 1):
        left, right = (wheel_history(run, c) for c in axle.contacts)
        histories.append((left, right))
        total_y = (left["Y"] + right["Y"])[late]
        ratio = max(left["quotient"][late].max(), right["quotient"][late].max())
        cells = [f"{1e-3 * a[late][np.abs(a[late]).argmax()]:7.2f} {1e-3 * a[late].mean():8.2f}" for a in (left["Y"], right["Y"])]
        loads = [f"{1e-3 * a['Q'][late].mean():11.2f}" for a in (left, right)]
        say(
            f"{k:4d}   {cells[0]:>16}   {cells[1]:>16}   {loads[0]}     {loads[1]}   {ratio:11.3f}   {1e-3 * np.abs(total_y).max():12.2f}"
            f"   {1e-3 * prudhomme(axle.load):14.2f}   {1e3 * left['yaw'][late].mean():12.3f}"
        )
    say(f"Nadal's limit for a flange of 70 degrees at mu = {mu:g}: {nadal(math.radians(70.0), mu):.3f}")
    if plot is not None:
        _plot(plot, histories, made)
        say(f"curves: {plot}")


def run_curve(speed: float, radius: float, cant: float, transition: float, length: float, rough: str | None, seed: int, file: Path | None, mu: float, flange: float,
              factor: float, wheel: str, rail: str, plot: Path | None, loads: Path | None, count: Callable[[Any], Any], say: Callable[[str], None]) -> None:  # fmt: skip
    """A coach from a straight through a transition into a curve, beside the limits of EN 14363 and the closed form of steady curving; units as `run_coach`.

    ``loads``: file for the loads on the car body, whose cycles ``count`` counts (`holonom.durability.rainflow`: this toolkit does not know that one).

    Raises ModelError for numbers that cannot be."""
    if not 1.0 <= speed <= 600.0:
        raise ModelError(f"--speed is {speed:g} km/h; give 1 to 600")
    if not radius >= 100.0:
        raise ModelError(f"--radius is {radius:g} m; give 100 or more")
    if not 0.0 < flange < 90.0:
        raise ModelError(f"--flange is {flange:g} degrees; give an angle between 0 and 90")
    v, data = speed / 3.6, vehicle_data(file)
    straight = 60.0
    closed = quasi_static(radius, v, 1e-3 * cant, data=data)
    sections = curve_sections(radius, straight=straight, transition=transition, length=length, cant=1e-3 * cant, out=0.0)
    whole = straight + transition + length
    irregularities = None
    if rough is not None:
        irregularities = make_irregularities(rough, max(whole + 60.0, 200.0), spacing=0.25, first=30.0, seed=seed, ramp=20.0)
    made = coach(v, data, sections=sections, irregularities=irregularities, mu=mu, wheel=wheel, rail=rail)
    first, last = made.wheelsets[0].s, made.wheelsets[-1].s
    end = (whole - first - 2.0) / v
    # means are of the time in which all wheelsets are in the second half of the curve
    steady = (0.5 * length - (first - last) - 2.0) / v
    if not steady > 0.0:
        raise ModelError(
            f"--length is {length:g} m; give more than {2.0 * (first - last + 2.0):.0f} m, so that the whole coach runs in the second half of the curve"
        )
    run = simulate(made.model, end=end, steps=max(math.ceil(end * 200.0), 50), integrator="RADAU5", error=ERROR)
    rows = assess(run, made.wheelsets, start=straight, steady=steady, radius=radius, mu=mu, flange=math.radians(flange), factor=factor)
    kN = 1e-3
    say(f"{speed:g} km/h, radius {radius:g} m, cant {cant:g} mm, transition {transition:g} m{f', {rough}' if rough else ''}")
    say(
        f"cant {'deficiency' if closed.deficiency >= 0.0 else 'excess'} {1e3 * abs(closed.deficiency):.1f} mm: "
        f"{closed.acceleration:.3f} m/s^2 outwards in the plane of the rails"
    )
    say("largest from the transition on (20 Hz; Y/Q and sum of Y: means over 2 m)                 means in the curve, kN")
    say("axle      Y/Q  limit    sum of Y, kN  limit    unloading  limit         Y left  Y right   Q left  Q right")
    for k, a in enumerate(rows, 1):
        limit = "none" if math.isnan(a.quotient_limit) else f"{a.quotient_limit:.2f}"
        forces = "  ".join(f"{kN * f:7.2f}" for f in (*a.mean_y, *a.mean_q))
        say(
            f"{k:4d}   {a.quotient:6.3f}  {limit:>5}    {kN * a.guiding:12.2f}  {kN * a.guiding_limit:5.2f}    "
            f"{a.unloading:9.3f}  {a.unloading_limit:5.2f}        {forces}"
        )
    guiding = sum(sum(a.mean_y) for a in rows) / len(rows)  # to the left, where the curve goes: what wheels press outwards
    transfer = sum(a.mean_q[1] - a.mean_q[0] for a in rows) / (2.0 * len(rows))
    say("mean of the wheelsets               run    closed form")
    say(f"sum of guiding forces, kN    {kN * guiding:10.3f} {kN * closed.guiding:14.3f}    m g (cant deficiency) / 1.5 m")
    say(
        f"outer wheel gains, kN        {kN * transfer:10.3f} {kN * closed.transfer:14.3f}    on springs ({kN * closed.rigid:.3f} without), wheels that touch 1.5 m apart"
    )
    say(f"Nadal's limit for a flange of {flange:g} degrees at mu = {mu:g}: {rows[0].nadal:.3f}")
    if radius < SMALLEST_RADIUS:
        say(f"no limit of Y/Q: 0.8 is for radii from {SMALLEST_RADIUS:g} m; compare with Nadal's")
    for k, a in enumerate(rows, 1):
        for words in a.notes:
            say(f"axle {k}: {words}")
    above = [f"axle {k}: {', '.join(a.exceeded)}" for k, a in enumerate(rows, 1) if a.exceeded]
    say("above a limit: " + "; ".join(above) if above else "all below the limits")
    if plot is not None:
        _plot(plot, [tuple(wheel_history(run, c) for c in w.contacts) for w in made.wheelsets], made)
        say(f"curves: {plot}")
    if loads is not None:
        body_loads(run, made, loads, count, say)


def body_loads(run: Any, made: RailVehicle, path: Path, count: Callable[[Any], Any], say: Callable[[str], None]) -> None:
    """Histories of the loads on the car body at its springs into a CSV file, and their rainflow cycles in a table.  Raises ModelError where it cannot be written."""
    found = run.part_loads(made.body)
    written = found.to_csv(path)
    say(
        f"loads on the car body in its axes, rainflow cycles (the last column: the amplitude of one cycle that harms as much, slope {SLOPE:g})"
    )
    wide = max(len(n) for n in found.names)
    say(f"{'at':{wide}}         mean, kN   largest range, kN    cycles   equivalent, kN")
    for k, name in enumerate(found.names):
        for axis, word in enumerate(("Fx", "Fy", "Fz")):
            signal = 1e-3 * found.forces[:, k, axis]
            cycles = count(signal)
            say(
                f"{name:{wide}} {word:2} {signal.mean():13.3f}   {cycles.range.max(initial=0.0):17.3f}   {cycles.total:7.1f}"
                f"   {cycles.pseudo_damage(SLOPE) ** (1.0 / SLOPE):14.3f}"
            )
    say(found.text().splitlines()[-1 - len(found.notes)])
    for words in found.notes:
        say(words)
    say(f"histories: {written[0]}; extremes: {written[1]}")


def _plot(path: Path, histories: Any, made: RailVehicle) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(3, 1, sharex=True)
    for k, (left, right) in enumerate(histories, 1):
        s = left["s"]
        axes[0].plot(s, 1e3 * 0.5 * (left["lateral"] + right["lateral"]), label=f"axle {k}")
        axes[1].plot(s, 1e-3 * (left["Y"] + right["Y"]))
        axes[2].plot(s, np.clip(np.maximum(left["quotient"], right["quotient"]), -0.5, 2.0))
    axes[0].set_ylabel("lateral place, mm")
    axes[0].legend(ncols=4)
    axes[1].set_ylabel("sum of Y, kN")
    axes[2].set_ylabel("larger Y/Q")
    axes[2].set_xlabel("place along the track, m")
    for a in axes:
        a.grid(alpha=0.3)
    figure.savefig(path, dpi=110)
