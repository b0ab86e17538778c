"""``holonom rail``: wheels on rails."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .application import CODES, Debug, announce_compilation, group, guarded

rail_app = group("rail", "Wheels on rails: conicity, critical speed, curves.")
WheelProfile = Annotated[str, typer.Option(help="s1002 or a file.")]
RailProfile = Annotated[str, typer.Option(help="uic60 or a file.")]
CoachData = Annotated[Path | None, typer.Option(help='JSON with changes of the coach, as {"body": {"mass": 40000}}.')]
Rough = Annotated[str | None, typer.Option(help="Irregularities: 'FRA 1' to 'FRA 6', 'ERRI low', 'ERRI high'.")]
Seed = Annotated[int, typer.Option(help="Seed of the irregularities.")]
Curves = Annotated[Path | None, typer.Option(help="File for the curves (png, pdf, svg).")]


@rail_app.command(epilog=CODES)
@guarded
def conicity(
    wheel: WheelProfile = "s1002",
    rail: RailProfile = "uic60",
    gauge: Annotated[float, typer.Option(help="mm, 14 mm below the top.")] = 1435.0,
    inclination: Annotated[float, typer.Option(help="n of 1 : n; 0 stands upright.")] = 40.0,
    radius: Annotated[float, typer.Option(help="Radius of the wheels, mm.")] = 460.0,
    spacing: Annotated[float, typer.Option(help="Distance of the tape circles, mm.")] = 1500.0,
    reach: Annotated[float, typer.Option(help="Largest lateral position, mm.")] = 8.0,
    plot: Curves = None,
    csv: Annotated[Path | None, typer.Option(help="File for the table, metres and radians.")] = None,
    debug: Debug = False,
) -> None:
    """Contact geometry of a wheelset and its equivalent conicity (UIC 519, EN 15302)."""
    from ..rail.command import conicity as conicity_of

    conicity_of(wheel, rail, gauge, inclination, radius, spacing, reach, plot, csv, print)


@rail_app.command(epilog=CODES)
@guarded
def critical(
    low: Annotated[float, typer.Option(help="km/h.")] = 100.0,
    high: Annotated[float, typer.Option(help="km/h.")] = 450.0,
    points: Annotated[int, typer.Option(help="Speeds before the search.")] = 6,
    data: CoachData = None,
    mu: Annotated[float, typer.Option(help="Friction.")] = 0.35,
    wheel: WheelProfile = "s1002",
    rail: RailProfile = "uic60",
    debug: Debug = False,
) -> None:
    """Critical speed of a coach by eigenvalues."""
    from ..rail.command import critical as critical_of

    announce_compilation()
    critical_of(low, high, points, data, mu, wheel, rail, print)


@rail_app.command(epilog=CODES)
@guarded
def coach(
    speed: Annotated[float, typer.Option(help="km/h.")] = 108.0,
    radius: Annotated[float | None, typer.Option(help="Radius of a curve to the left, m. Default: straight.")] = None,
    cant: Annotated[float, typer.Option(help="mm.")] = 0.0,
    transition: Annotated[float, typer.Option(help="Length of the transition, m.")] = 60.0,
    length: Annotated[float, typer.Option(help="Length of the curve or straight, m.")] = 120.0,
    rough: Rough = None,
    seed: Seed = 0,
    data: CoachData = None,
    mu: Annotated[float, typer.Option(help="Friction.")] = 0.35,
    wheel: WheelProfile = "s1002",
    rail: RailProfile = "uic60",
    plot: Curves = None,
    debug: Debug = False,
) -> None:
    """Run a coach through a curve or over irregularities: forces, quotients, limits."""
    from ..rail.command import CoachCase, run_coach

    announce_compilation()
    case = CoachCase(speed, radius, cant, transition, length, rough, seed, data, mu, wheel, rail)
    run_coach(case, plot, print)


@rail_app.command(epilog=CODES)
@guarded
def curve(
    speed: Annotated[float, typer.Option(help="km/h.")] = 108.0,
    radius: Annotated[float, typer.Option(help="Radius of the curve, to the left, m.")] = 600.0,
    cant: Annotated[float, typer.Option(help="mm.")] = 100.0,
    transition: Annotated[float, typer.Option(help="Length of the transition and of the ramp of cant, m.")] = 60.0,
    length: Annotated[float, typer.Option(help="Length of the curve, m.")] = 120.0,
    rough: Rough = None,
    seed: Seed = 0,
    data: CoachData = None,
    mu: Annotated[float, typer.Option(help="Friction.")] = 0.35,
    flange: Annotated[float, typer.Option(help="Angle of the flange for Nadal's limit, degrees.")] = 70.0,
    factor: Annotated[float, typer.Option(help="Factor of Prud'homme's limit; 0.85 for freight wagons.")] = 1.0,
    wheel: WheelProfile = "s1002",
    rail: RailProfile = "uic60",
    plot: Curves = None,
    loads: Annotated[Path | None, typer.Option(help="CSV file for the loads on the car body, for fatigue.")] = None,
    debug: Debug = False,
) -> None:
    """Running safety of a coach in a curve with transition and cant: Y/Q, guiding forces and unloading compared with
    the limits of EN 14363."""
    from ..durability import rainflow
    from ..rail.command import CoachCase, run_curve

    announce_compilation()
    run_curve(
        CoachCase(speed, radius, cant, transition, length, rough, seed, data, mu, wheel, rail),
        flange,
        factor,
        plot,
        loads,
        rainflow,
        print,
    )


@rail_app.command("body-life", epilog=CODES)
@guarded
def rail_body_life(
    fat: Annotated[float, typer.Option(help="Class of the welds (IIW): MPa at two million cycles.")] = 36.0,
    concentration: Annotated[
        float, typer.Option(help="Stress at corners of windows and welds over that of the mesh.")
    ] = 4.0,
    modes: Annotated[int, typer.Option(help="Modes of the body with its interfaces held.")] = 10,
    seed: Seed = 0,
    crack: Annotated[float, typer.Option(help="Length of a crack that an inspection finds, mm.")] = 10.0,
    critical: Annotated[float, typer.Option(help="Length of a crack that is not borne, mm.")] = 100.0,
    factor: Annotated[float, typer.Option(help="Safety on the life up to the first inspection.")] = 3.0,
    inspections: Annotated[int, typer.Option(help="Inspections while a crack grows.")] = 2,
    only: Annotated[list[str] | None, typer.Option(help="Case of the duty; may be repeated. Default: all.")] = None,
    plot: Curves = None,
    report: Annotated[Path | None, typer.Option(help="HTML page of the first case, with the life on it.")] = None,
    debug: Debug = False,
) -> None:
    """Fatigue of a flexible car body: rough track, curves, stops and starts of a coach; hot spots, damage, life, growth
    of a crack and inspections."""
    from .. import durability
    from ..rail.command import BodyCase, run_body_life

    announce_compilation()
    half = 0.5e-3
    case = BodyCase(
        fat, concentration, modes, seed, half * crack, half * critical, factor, inspections, tuple(only or ())
    )
    run_body_life(case, plot, report, durability, print)


@rail_app.command(epilog=CODES)
@guarded
def benchmark(
    simulated: Annotated[
        bool, typer.Option("--simulated", help="Growth of the bogie's swings in time too; takes a minute.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Conicity, Klingel's wavelength, Kalker's coefficients, creep and the critical speed of Cooperrider's bogie
    compared with published numbers."""
    from ..rail.command import benchmark as benchmarks

    announce_compilation()
    benchmarks(simulated, print)
