"""``holonom vehicle``: suspensions, manoeuvres, loads, drivers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .application import CODES, Debug, announce_compilation, group, guarded

vehicle_app = group("vehicle", "Suspensions and vehicles from a vehicle file.")
VehicleName = Annotated[
    str,
    typer.Argument(
        help="Vehicle file (.json, .yaml), or a shipped one: sedan, coupe, hatchback, pickup.", show_default=False
    ),
]


@vehicle_app.command(epilog=CODES)
@guarded
def kc(
    file: VehicleName,
    axle: Annotated[list[str] | None, typer.Option(help="front or rear; may be repeated. Default: both.")] = None,
    mode: Annotated[str, typer.Option(help="kinematic (joints) or compliant (bushings).")] = "kinematic",
    move: Annotated[
        list[str] | None, typer.Option(help="Move a hardpoint first, as front.tie_rod_inner=0,0,5; may be repeated.")
    ] = None,
    compare: Annotated[
        str | None, typer.Option(help="A second vehicle file on the same page; with --move: the file before it.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Page of curves (png, pdf, svg); the axle's name is added.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Folder for a table of each sweep.")] = None,
    matrix: Annotated[bool, typer.Option(help="Print the compliance matrix of both wheels.")] = False,
    debug: Debug = False,
) -> None:
    """Kinematics and compliance (K&C) of the axles of a vehicle file: characteristics, curves, tables."""
    from ..vehicle.command import kc as characteristics

    announce_compilation()
    characteristics(file, axle or ["front", "rear"], mode, move or [], compare, plot, csv, matrix, print)


@vehicle_app.command(epilog=CODES)
@guarded
def drive(
    file: VehicleName,
    manoeuvre: Annotated[
        str,
        typer.Argument(
            help="lane-change, steer-step, slow-ramp, steady-circle, braking, ...; an unknown keyword lists all."
        ),
    ] = "lane-change",
    speed: Annotated[float | None, typer.Option(help="km/h. Default: that of the standard.")] = None,
    mode: Annotated[str, typer.Option(help="kinematic (joints) or compliant (bushings).")] = "kinematic",
    driver: Annotated[
        str, typer.Option(help="Driver of the lane change: preview, stanley, pid, mpc, network, or a network file.")
    ] = "preview",
    part: Annotated[int, typer.Option(help="Part of ISO 3888: 1 (severe lane change) or 2 (obstacle avoidance).")] = 1,
    move: Annotated[
        list[str] | None, typer.Option(help="Move a hardpoint first, as front.tie_rod_inner=0,0,5; may be repeated.")
    ] = None,
    set: Annotated[
        list[str] | None, typer.Option("--set", help="Parameter of the manoeuvre (SI), as ay=3; may be repeated.")
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(help="Value of the vehicle file (its units), as front.spring.rate=30; may be repeated."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="File for the curves (png, pdf, svg).")] = None,
    animation: Annotated[Path | None, typer.Option(help="File for the animation (html).")] = None,
    report: Annotated[Path | None, typer.Option(help="File for the report (html): metrics, curves, animation.")] = None,
    grid: Annotated[
        list[str] | None, typer.Option(help="A study over values of the manoeuvre, as ay=2,3,4; may be repeated.")
    ] = None,
    vary: Annotated[
        list[str] | None, typer.Option(help="A study over values of the vehicle file, as front.spring.rate=20,25,30.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="File for the table of a study.")] = None,
    debug: Debug = False,
) -> None:
    """Drive a manoeuvre with a vehicle file: the standard's metrics, curves, animation, report."""
    from ..vehicle.command import drive as manoeuvre_of

    announce_compilation()
    manoeuvre_of(
        file,
        manoeuvre,
        speed,
        mode,
        driver,
        part,
        move or [],
        plot,
        animation,
        print,
        sets=set or [],
        changes=change or [],
        report=report,
        grid=grid or [],
        vary=vary or [],
        csv=csv,
    )


@vehicle_app.command(name="cornering", epilog=CODES)
@guarded
def vehicle_cornering(
    file: VehicleName,
    mode: Annotated[str, typer.Option(help="kinematic (joints) or compliant (bushings).")] = "kinematic",
    speed: Annotated[float, typer.Option(help="km/h.")] = 80.0,
    move: Annotated[
        list[str] | None, typer.Option(help="Move a hardpoint first, as front.tie_rod_inner=0,0,5; may be repeated.")
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(help="Value of the vehicle file (its units), as front.spring.rate=30; may be repeated."),
    ] = None,
    debug: Debug = False,
) -> None:
    """Sources of understeer: cornering compliances of tyres, roll steer, camber, compliance, load transfer; the linear
    single-track model."""
    from ..vehicle.command import linear

    announce_compilation()
    linear(file, mode, speed, move or [], change or [], print)


@vehicle_app.command(name="assemblies", epilog=CODES)
@guarded
def vehicle_assemblies(
    body: Annotated[
        str, typer.Argument(help="Vehicle file whose body, brakes and drive all assemblies have.")
    ] = "coupe",
    front: Annotated[
        list[str] | None,
        typer.Option(
            help="Vehicle file whose front axle is used; may be repeated. Default: McPherson, double wishbone."
        ),
    ] = None,
    rear: Annotated[
        list[str] | None,
        typer.Option(help="The same of the rear axle. Default: multi-link, trailing arm."),
    ] = None,
    mode: Annotated[str, typer.Option(help="kinematic (joints) or compliant (bushings).")] = "kinematic",
    speed: Annotated[float, typer.Option(help="Of the steering step, km/h.")] = 100.0,
    ay: Annotated[float, typer.Option(help="Lateral acceleration of the steering step, m/s^2.")] = 3.0,
    plot: Annotated[Path | None, typer.Option(help="File for the page of curves (png, pdf, svg).")] = None,
    csv: Annotated[Path | None, typer.Option(help="File for both tables.")] = None,
    debug: Debug = False,
) -> None:
    """Compare suspension assemblies, McPherson or double wishbone in front, multi-link or trailing arm behind: wheel
    travel, alignment, anti-dive, anti-squat, roll stiffness, roll centre, and each in the full vehicle."""
    from ..vehicle.command import assemblies

    announce_compilation()
    assemblies(body, front or [], rear or [], mode, speed, ay, plot, csv, print)


@vehicle_app.command(name="chrono", epilog=CODES)
@guarded
def vehicle_chrono(
    file: Annotated[Path, typer.Argument(help="Chrono's file of a wheeled vehicle (JSON).", show_default=False)],
    tyre: Annotated[Path, typer.Option(help="Its tyres: Chrono JSON or .tir.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Vehicle file to write (json).", show_default=False)],
    engine: Annotated[Path | None, typer.Option(help="EngineSimpleMap (JSON).")] = None,
    transmission: Annotated[Path | None, typer.Option(help="AutomaticTransmissionSimpleMap (JSON).")] = None,
    debug: Debug = False,
) -> None:
    """Convert a Chrono vehicle to a vehicle file; lists the data that a vehicle file cannot represent."""
    from ..vehicle.command import from_chrono

    from_chrono(file, tyre, engine, transmission, out, print)


@vehicle_app.command(name="loads", epilog=CODES)
@guarded
def vehicle_loads(
    file: VehicleName,
    mode: Annotated[str, typer.Option(help="kinematic (joints) or compliant (bushings).")] = "kinematic",
    case: Annotated[
        list[str] | None, typer.Option(help="rest, braking, cornering, pothole or kerb; may be repeated (all).")
    ] = None,
    part: Annotated[
        list[str] | None, typer.Option(help="Name of a part; may be repeated (all but the wheels).")
    ] = None,
    g: Annotated[float, typer.Option(help="Acceleration of braking and cornering, in g.")] = 1.0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for histories and extremes (csv) and Nastran cards (bdf).")
    ] = None,
    nastran: Annotated[bool, typer.Option("--nastran/--no-nastran", help="Write FORCE and MOMENT cards too.")] = True,
    debug: Debug = False,
) -> None:
    """Load cases for strength analysis: loads of parts at their hardpoints, balanced by inertia, for finite element
    models."""
    from ..vehicle.command import loads

    announce_compilation()
    loads(file, mode, case or [], part or [], g, out, nastran, print)


@vehicle_app.command(name="train", epilog=CODES)
@guarded
def vehicle_train(
    file: VehicleName,
    teacher: Annotated[
        str, typer.Option(help="Driver that is imitated: preview, stanley, pid, mpc, or the file of a network.")
    ] = "preview",
    drives: Annotated[int, typer.Option(help="Lane changes of each round.")] = 50,
    rounds: Annotated[int, typer.Option(help="Rounds with the network at the wheel after the first.")] = 2,
    hidden: Annotated[list[int] | None, typer.Option(help="Size of a hidden layer; may be repeated (24, 16).")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random lane changes.")] = 1,
    out: Annotated[Path, typer.Option(help="File of the network (json).")] = Path("driver.json"),
    debug: Debug = False,
) -> None:
    """Train a neural-network driver by imitation; use it with `holonom vehicle drive FILE --driver driver.json`."""
    from ..vehicle.command import train_driver

    announce_compilation()
    train_driver(file, teacher, drives, rounds, hidden or [24, 16], seed, out, print)


@vehicle_app.command(name="drivers", epilog=CODES)
@guarded
def vehicle_drivers(
    file: VehicleName,
    driver: Annotated[
        list[str] | None, typer.Option(help="A driver, or the file of a network; may be repeated (pid, network).")
    ] = None,
    part: Annotated[list[int] | None, typer.Option(help="Part of ISO 3888; may be repeated (1, 2).")] = None,
    teacher: Annotated[str, typer.Option(help="Driver whose path the others are compared with.")] = "preview",
    mode: Annotated[str, typer.Option(help="kinematic (joints) or compliant (bushings).")] = "kinematic",
    step: Annotated[float, typer.Option(help="Step of the speed, km/h.")] = 2.5,
    suspension: Annotated[
        bool, typer.Option("--suspension", help="They plan with a linear car that counts roll steer and compliance.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(help="Picture of their paths.")] = None,
    debug: Debug = False,
) -> None:
    """Highest speeds of drivers in the lane changes of ISO 3888, and how far their paths deviate from the teacher's."""
    from ..vehicle.command import compare as compare_drivers

    announce_compilation()
    compare_drivers(
        file, driver or ["pid", "network"], part or [1, 2], teacher, mode, step, plot, print, suspension=suspension
    )
