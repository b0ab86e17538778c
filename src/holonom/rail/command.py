"""What ``holonom rail ...`` does."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..analyses.session.simulate import simulate
from ..model import Model, ModelError
from ..model.base import did_you_mean, shown
from ..model.bounded_file import read_bounded
from .assessment import SMALLEST_RADIUS, assess
from .body_fatigue import DUTY, body_life, life_lines, plot_body_life
from .cooperrider_bogie import PUBLISHED, cooperrider, critical_of_equations
from .creep import creep_forces, kalker
from .geometry import METHODS, contact_geometry, klingel_wavelength
from .irregularities import curve as curve_sections
from .irregularities import make_irregularities
from .profiles import cone, named, round_head
from .quasistatic import quasi_static
from .stability import critical_speed, growth_rate, least_damped
from .vehicle import RailVehicle, nadal, prudhomme, rail_vehicle, wheel_history

MOST_BYTES = 1_000_000
#: wheels stand 70 micrometres deep in rails: with 1e-4 m they seem to lift between steps
ERROR = 1e-5
#: ellipse 8 x 4 mm, 82 kN, mu = 0.3, of which CONTACT (E. Vollebregt) prints F_y / mu N
CONTACT_CASE = {"eta": -6.25e-4, "phi": 0.625, "young": 2.0 * 82e9 * 1.28, "poisson": 0.28, "elements": 60}
CONTACT_FORCE = -0.6074
SLOPE = 5.0  # of the curve of fatigue by which loads on the body are compared


def can_be_written(**files: Path | None) -> None:
    """Before a run that takes minutes.  Raises ModelError for files that cannot be written, by the keywords of the
    command line."""
    for word, path in files.items():
        if path is None:
            continue
        if path.is_dir():
            raise ModelError(f"--{word} '{path}' is a folder; give a file")
        folder = path.parent
        if not folder.is_dir():
            raise ModelError(
                f"--{word} '{path}' cannot be written: there is no folder '{folder}'; make it, or give another file"
            )
        if not os.access(path if path.exists() else folder, os.W_OK):
            raise ModelError(f"--{word} '{path}' cannot be written: no permission; give another file")


def drawn(plot: Path | None) -> None:
    """Raises ModelError for pictures whose ending Matplotlib does not know."""
    if plot is not None:
        from ..results.pictures.figures import FigureCanvasAgg

        known = sorted(FigureCanvasAgg.get_supported_filetypes())
        if plot.suffix[1:].lower() not in known:
            raise ModelError(f"--plot '{plot}' ends with no kind of picture; give one of {', '.join(known)}")


def conicity(
    wheel: str,
    rail: str,
    gauge: float,
    inclination: float,
    radius: float,
    spacing: float,
    reach: float,
    plot: Path | None,
    csv: Path | None,
    say: Callable[[str], None],
) -> None:
    """Contact geometry and equivalent conicity; lengths in millimetres, the inclination as 1 : n (0: upright).  Raises
    ModelError as `contact_geometry`."""
    if not 1.0 <= reach <= 20.0:
        raise ModelError(f"--reach is {reach:g}; give 1 to 20 mm")
    drawn(plot)
    can_be_written(plot=plot, csv=csv)
    mm = 1e-3
    tangent = 1.0 / inclination if inclination else 0.0
    y = np.arange(-round(10 * reach), round(10 * reach) + 1) * 1e-4
    g = contact_geometry(
        wheel, rail, y=y, gauge=gauge * mm, inclination=tangent, radius=radius * mm, spacing=spacing * mm
    )
    lean = f"1 : {inclination:g}" if inclination else "none"
    say(
        f"{named(wheel, True).name} on {named(rail, False).name}, gauge {gauge:g} mm, inclination {lean}, radius "
        f"{radius:g} mm"
    )
    say("amplitude, mm   " + "  ".join(f"{m:>10}" for m in METHODS) + "   wavelength, m")
    for amplitude in range(1, int(reach)):
        try:
            found = [float(g.conicity(amplitude * mm, m)) for m in METHODS]
            wave = float(g.wavelength(amplitude * mm))
        except ModelError as error:
            say(f"{amplitude:13d}   {error}")
            continue
        say(f"{amplitude:13d}   " + "  ".join(f"{v:10.4f}" for v in found) + f"   {wave:13.3f}")
    say("lateral position, mm   radii left - right, mm   angle left, right, degrees   points left, right")
    for k in range(0, len(y), 10):
        a = np.degrees(g.angle[k])
        say(
            f"{1e3 * y[k]:17.1f}   {1e3 * g.difference[k]:22.3f}   {a[0]:12.2f} {a[1]:14.2f}   "
            f"{len(g.points[k][0]):11d} {len(g.points[k][1]):6d}"
        )
    if plot is not None:
        g.plot(
            plot,
            f"{named(wheel, True).name} on {named(rail, False).name}, {gauge:g} mm, "
            f"{f'1 : {inclination:g}' if inclination else 'upright'}",
        )
        say(f"curves: {plot}")
    if csv is not None:
        table = np.column_stack([y, g.difference, g.radius, g.angle, g.wheel, g.rail, g.roll, g.height])
        words = "y,difference,radius_left,radius_right,angle_left,angle_right,wheel_left,wheel_right,rail_left,rail_right,roll,height"  # noqa: E501
        np.savetxt(csv, table, delimiter=",", header=words, comments="", fmt="%.9g")
        say(f"table: {csv}")


def vehicle_data(file: Path | None) -> dict[str, Any] | None:
    """Changes of `COACH` from a JSON file."""
    if file is None:
        return None
    try:
        found = json.loads(read_bounded(file, MOST_BYTES, "the data of a vehicle are not").decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"'{file}' is not valid JSON: {error}") from None
    if not isinstance(found, dict):
        raise ModelError(f'\'{file}\' does not contain a JSON object such as {{"body": {{"mass": 40000}}}}')
    return found


def coach(
    speed: float,
    data: dict[str, Any] | None,
    *,
    sections: Any = (),
    irregularities: Any = None,
    s: float = 15.0,
    mu: float = 0.35,
    law: str = "POLACH",
    wheel: str = "s1002",
    rail: str = "uic60",
    gauge: float = 1.435,
    inclination: float = 1.0 / 40.0,
) -> RailVehicle:
    """A coach in SI on a track."""
    m = Model("coach")
    m.gravity = (0.0, 0.0, -9.81)
    more = {} if irregularities is None else irregularities.arguments(m.units)
    track = m.rail_track(rail=named(rail, False), gauge=gauge, inclination=inclination, sections=sections, **more)
    return rail_vehicle(m, track, speed=speed, s=s, data=data, profile=named(wheel, True), mu=mu, law=law)


def critical(
    low: float,
    high: float,
    points: int,
    file: Path | None,
    mu: float,
    wheel: str,
    rail: str,
    say: Callable[[str], None],
) -> None:
    """Critical speed of a coach; speeds in km/h."""
    data = vehicle_data(file)
    found = critical_speed(
        lambda v: coach(v, data, mu=mu, wheel=wheel, rail=rail).model, low / 3.6, high / 3.6, points=points
    )
    say("speed, km/h   growth, 1/s   frequency, Hz   damping ratio")
    for v, g, f, d in zip(found.speed, found.growth, found.frequency, found.damping):
        say(f"{3.6 * v:11.1f}   {g:11.4f}   {f:13.3f}   {d:13.4f}")
    if math.isnan(found.critical):
        say(f"no critical speed between {low:g} and {high:g} km/h")
    else:
        say(f"critical speed: {3.6 * found.critical:.1f} km/h ({found.critical:.2f} m/s)")


def benchmark(simulated: bool, say: Callable[[str], None]) -> None:
    """Contact geometry, creep and a critical speed compared with published numbers and closed forms; ``simulated``:
    growth of the swings in time too."""
    say(f"{'':58}{'here':>10}{'published':>12}")
    row = lambda what, here, there, digits=4: say(f"{what:58}{here:10.{digits}f}{there:12.{digits}f}")
    g = contact_geometry("s1002", "uic60")
    say(
        f"{'conicity of S1002 on 60E1, 1435 mm, 1 : 40, at 3 mm':58}{g.conicity(0.003):10.4f}{'0.17-0.18':>12}  "
        "literature"
    )
    r0, head, gamma = 0.46, 0.3, 0.05
    wide = contact_geometry(cone(gamma), round_head(head), y=np.arange(-20, 21) * 2e-4)
    l = 0.5 * 1.435 + wide.points[20][0][0].rail
    wickens = gamma * (l + head * gamma) / (l - r0 * gamma)
    row("conicity of a cone of 0.05 on heads of 300 mm (Wickens)", float(wide.conicity(0.003)), wickens, 5)
    row("its wavelength, m (Klingel)", float(wide.wavelength(0.002)), klingel_wavelength(wickens), 3)
    for name, here, printed in zip(("C11", "C22", "C23", "C33"), kalker(1.0, 0.25), (4.12, 3.67, 1.47, 1.19)):
        row(f"{name} of a circle, nu = 1/4 (Kalker)", float(here), printed, 2)
    for law in ("FASTSIM", "POLACH"):
        f = creep_forces(law, 82e3, 0.3, 8e-3, 4e-3, **CONTACT_CASE)
        row(f"F_y / mu N under lateral creepage and spin, {law} (CONTACT)", float(f[1]) / (0.3 * 82e3), CONTACT_FORCE)
    row("Cooperrider's bogie: printed equations, critical m/s", critical_of_equations(), PUBLISHED, 2)
    found = critical_speed(lambda v: cooperrider(v)[0], 66.0, 72.0, points=3, slowest=1.0, fastest=6.0, tolerance=5e-4)
    row("  as wheels on rails, by eigenvalues, critical m/s", found.critical, PUBLISHED, 2)
    if not simulated:
        return
    say(f"{'growth of its swing, 1/s':58}{'run':>10}{'eigenvalue':>12}")
    for v in (64.0, 75.0):
        model, bogie = cooperrider(v, y=2e-4)
        run = simulate(model, end=2.5, steps=500, integrator="RADAU5", error=1e-6)
        swing = run.part(bogie.wheelsets[1].part.name).position.values[:, 1]
        late = run.time > 0.5
        row(f"  at {v:g} m/s", growth_rate(run.time[late], swing[late]), least_damped(model, 1.0, 6.0).real)


class CoachCase(NamedTuple):
    """A coach and its track: speed in km/h, cant in millimetres, lengths in metres."""

    speed: float
    radius: float | None
    cant: float
    transition: float
    length: float
    rough: str | None
    seed: int
    file: Path | None
    mu: float
    wheel: str
    rail: str


def run_coach(case: CoachCase, plot: Path | None, say: Callable[[str], None]) -> None:
    """A coach through a curve or along a rough straight."""
    speed, radius, cant, transition, length, rough, seed, file, mu, wheel, rail = case
    if not 1.0 <= speed <= 600.0:
        raise ModelError(f"--speed is {speed:g} km/h; give 1 to 600")
    v = speed / 3.6
    if radius is not None and not radius >= 100.0:
        raise ModelError(f"--radius is {radius:g} m; give 100 or more")
    drawn(plot)
    can_be_written(plot=plot)
    sections = (
        ()
        if radius is None
        else curve_sections(radius, straight=40.0, transition=transition, length=length, cant=1e-3 * cant, out=0.0)
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
        "axle      Y left, kN         Y right, kN        Q left, kN     Q right, kN   largest Y/Q   sum of Y, kN   "
        "Prud'homme, kN   attack, mrad"
    )
    late = run.time >= run.time[-1] - 1.0
    histories = []
    for k, axle in enumerate(made.wheelsets, 1):
        left, right = (wheel_history(run, c) for c in axle.contacts)
        histories.append((left, right))
        total_y = (left["Y"] + right["Y"])[late]
        ratio = max(left["quotient"][late].max(), right["quotient"][late].max())
        cells = [
            f"{1e-3 * a[late][np.abs(a[late]).argmax()]:7.2f} {1e-3 * a[late].mean():8.2f}"
            for a in (left["Y"], right["Y"])
        ]
        loads = [f"{1e-3 * a['Q'][late].mean():11.2f}" for a in (left, right)]
        say(
            f"{k:4d}   {cells[0]:>16}   {cells[1]:>16}   {loads[0]}     {loads[1]}   {ratio:11.3f}   "
            f"{1e-3 * np.abs(total_y).max():12.2f}"
            f"   {1e-3 * prudhomme(axle.load):14.2f}   {1e3 * left['yaw'][late].mean():12.3f}"
        )
    say(f"Nadal's limit for a flange of 70 degrees at mu = {mu:g}: {nadal(math.radians(70.0), mu):.3f}")
    for k, pair in enumerate(histories, 1):
        for words in (w for side in pair for w in side["left"]):
            say(f"axle {k}: {words}")
    if plot is not None:
        _plot(plot, histories, made)
        say(f"curves: {plot}")


def run_curve(
    case: CoachCase,
    flange: float,
    factor: float,
    plot: Path | None,
    loads: Path | None,
    count: Callable[[Any], Any],
    say: Callable[[str], None],
) -> None:
    """A coach from a straight through a transition into a curve, next to the limits of EN 14363 and the closed form of
    steady curving; ``flange``: angle in degrees, ``factor``: of Prud'homme's limit.

    ``loads``: file for the loads on the car body, whose cycles ``count`` counts (`holonom.durability.rainflow`: this
    toolkit does not know that one).

    Raises ModelError for invalid values."""
    speed, radius, cant, transition, length, rough, seed, file, mu, wheel, rail = case
    if not 1.0 <= speed <= 600.0:
        raise ModelError(f"--speed is {speed:g} km/h; give 1 to 600")
    if not radius >= 100.0:
        raise ModelError(f"--radius is {radius:g} m; give 100 or more")
    if not 0.0 < flange < 90.0:
        raise ModelError(f"--flange is {flange:g} degrees; give an angle between 0 and 90")
    if not (math.isfinite(factor) and factor > 0.0):
        raise ModelError(f"--factor is {factor:g}; give a positive number, 1 or 0.85")
    drawn(plot)
    can_be_written(plot=plot, loads=loads)
    v, data = speed / 3.6, vehicle_data(file)
    straight = 60.0
    quasi_static(radius, v, 1e-3 * cant, data=data)  # refuses what cannot be
    sections = curve_sections(
        radius, straight=straight, transition=transition, length=length, cant=1e-3 * cant, out=0.0
    )
    whole = straight + transition + length
    irregularities = None
    if rough is not None:
        irregularities = make_irregularities(
            rough, max(whole + 60.0, 200.0), spacing=0.25, first=30.0, seed=seed, ramp=20.0
        )
    made = coach(v, data, sections=sections, irregularities=irregularities, mu=mu, wheel=wheel, rail=rail)
    first, last = made.wheelsets[0].s, made.wheelsets[-1].s
    end = (whole - first - 2.0) / v
    # means are of the time in which all wheelsets are in the second half of the curve
    steady = (0.5 * length - (first - last) - 2.0) / v
    if not steady > 0.0:
        raise ModelError(
            f"--length is {length:g} m; give more than {2.0 * (first - last + 2.0):.0f} m, so that the whole coach "
            "runs in the second half of the curve"
        )
    run = simulate(made.model, end=end, steps=max(math.ceil(end * 200.0), 50), integrator="RADAU5", error=ERROR)
    rows = assess(
        run,
        made.wheelsets,
        start=straight,
        steady=steady,
        radius=radius,
        mu=mu,
        flange=math.radians(flange),
        factor=factor,
    )
    # it rolls freely, and curves brake it
    pace = float(
        np.mean(
            [
                wheel_history(run, w.contacts[0])["speed"][run.time >= run.time[-1] - steady].mean()
                for w in made.wheelsets
            ]
        )
    )
    closed = quasi_static(radius, pace, 1e-3 * cant, data=data)
    kN = 1e-3
    say(
        f"{speed:g} km/h, radius {radius:g} m, cant {cant:g} mm, transition {transition:g} "
        f"m{f', {rough}' if rough else ''}"
    )
    say(
        f"in the curve {3.6 * pace:.2f} km/h, cant {'deficiency' if closed.deficiency >= 0.0 else 'excess'} "
        f"{1e3 * abs(closed.deficiency):.1f} mm: "
        f"{closed.acceleration:.3f} m/s^2 outwards in the plane of the rails"
    )
    say(
        "largest from the transition on (20 Hz; Y/Q and sum of Y: means over 2 m)                 means in the "
        "curve, kN"
    )
    say("axle      Y/Q  limit    sum of Y, kN  limit    unloading  limit         Y left  Y right   Q left  Q right")
    for k, a in enumerate(rows, 1):
        limit = "none" if math.isnan(a.quotient_limit) else f"{a.quotient_limit:.2f}"
        forces = "  ".join(f"{kN * f:7.2f}" for f in (*a.mean_y, *a.mean_q))
        say(
            f"{k:4d}   {a.quotient:6.3f}  {limit:>5}    {kN * a.guiding:12.2f}  {kN * a.guiding_limit:5.2f}    "
            f"{a.unloading:9.3f}  {a.unloading_limit:5.2f}        {forces}"
        )
    guiding = sum(sum(a.mean_y) for a in rows) / len(
        rows
    )  # to the left, where the curve goes: what wheels press outwards
    transfer = sum(a.mean_q[1] - a.mean_q[0] for a in rows) / (2.0 * len(rows))
    say("mean of the wheelsets               run    closed form")
    say(
        f"sum of guiding forces, kN    {kN * guiding:10.3f} {kN * closed.guiding:14.3f}    m g (cant deficiency) "
        "/ 1.5 m"
    )
    say(
        f"outer wheel gains, kN        {kN * transfer:10.3f} {kN * closed.transfer:14.3f}    on springs "
        f"({kN * closed.rigid:.3f} without), wheels that touch 1.5 m apart"
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


class BodyCase(NamedTuple):
    """What `run_body_life` computes: ``crack``, ``critical``: half lengths, m; ``only``: names of cases, none: all."""

    fat: float
    concentration: float
    modes: int
    seed: int
    crack: float
    critical: float
    factor: float
    inspections: int
    only: tuple[str, ...]


def run_body_life(
    case: BodyCase, plot: Path | None, report: Path | None, durability: Any, say: Callable[[str], None]
) -> None:
    """Fatigue of a flexible car body over a duty.  ``durability``: the package `holonom.durability`, which this toolkit
    does not import.  Raises ModelError for invalid values."""
    for word in ("fat", "concentration", "factor", "inspections"):
        value = getattr(case, word)
        if not (math.isfinite(value) and value > 0.0):
            raise ModelError(f"--{word} is {value:g}; give a positive number")
    if not 0.0 < case.crack < case.critical:
        raise ModelError(
            f"--crack is {2e3 * case.crack:g} and --critical {2e3 * case.critical:g} mm; give a crack that can grow"
        )
    known = [c.name for c in DUTY]
    for name in case.only:
        if name not in known:
            raise ModelError(
                f"there is no case {shown(name)}{did_you_mean(name, known, '; there are ' + ', '.join(known))}"
            )
    drawn(plot)
    can_be_written(plot=plot, report=report)
    chosen = [c for c in DUTY if not case.only or c.name in case.only]
    crack = (case.crack, case.critical)
    found = body_life(
        durability,
        chosen,
        fat=case.fat,
        concentration=case.concentration,
        modes=case.modes,
        seed=case.seed,
        crack=crack,
        factor=case.factor,
        inspections=case.inspections,
        say=say,
    )
    lines = life_lines(found, case.fat, crack, case.factor, case.inspections)
    for line in lines:
        say(line)
    if plot is not None:
        say(f"picture: {plot_body_life(found, plot)}")
    if report is not None:
        found.results[0].run.report(report, more={"Life of the car body": "\n".join(lines)})
        say(f"page: {report}")


def body_loads(
    run: Any, made: RailVehicle, path: Path, count: Callable[[Any], Any], say: Callable[[str], None]
) -> None:
    """Histories of the loads on the car body at its springs into a CSV file, and their rainflow cycles in a table.
    Raises ModelError where it cannot be written."""
    found = run.part_loads(made.body)
    written = found.to_csv(path)
    say(
        "loads on the car body in its axes, rainflow cycles (the last column: the amplitude of one cycle that harms "
        f"as much, slope {SLOPE:g})"
    )
    wide = max(len(n) for n in found.names)
    say(f"{'at':{wide}}         mean, kN   largest range, kN    cycles   equivalent, kN")
    for k, name in enumerate(found.names):
        for axis, word in enumerate(("Fx", "Fy", "Fz")):
            signal = 1e-3 * found.forces[:, k, axis]
            cycles = count(signal)
            say(
                f"{name:{wide}} {word:2} {signal.mean():13.3f}   {cycles.range.max(initial=0.0):17.3f}   "
                f"{cycles.total:7.1f}"
                f"   {cycles.pseudo_damage(SLOPE) ** (1.0 / SLOPE):14.3f}"
            )
    say(found.text().splitlines()[-1 - len(found.notes)])
    for words in found.notes:
        say(words)
    say(f"histories: {written[0]}; extremes: {written[1]}")


def _plot(path: Path, histories: Any, made: RailVehicle) -> None:
    from ..results.pictures.figures import Figure, FigureCanvasAgg

    figure = Figure(figsize=(9, 7.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(3, 1, sharex=True)
    for k, (left, right) in enumerate(histories, 1):
        s = left["s"]
        axes[0].plot(s, 1e3 * 0.5 * (left["lateral"] + right["lateral"]), label=f"axle {k}")
        axes[1].plot(s, 1e-3 * (left["Y"] + right["Y"]))
        axes[2].plot(s, np.clip(np.maximum(left["quotient"], right["quotient"]), -0.5, 2.0))
    axes[0].set_ylabel("lateral position, mm")
    axes[0].legend(ncols=4)
    axes[1].set_ylabel("sum of Y, kN")
    axes[2].set_ylabel("larger Y/Q")
    axes[2].set_xlabel("position along the track, m")
    for a in axes:
        a.grid(alpha=0.3)
    figure.savefig(path, dpi=110)
