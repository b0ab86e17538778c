"""``holonom machinery``: gears, cams, bearings, brakes, drives, studies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .application import CODES, Debug, announce_compilation, group, guarded

machinery_app = group("machinery", "Gears, cams, bearings, brakes; studies of contact machines.")
Pictures = Annotated[Path | None, typer.Option(help="File for the pictures (png, pdf, svg).")]


@machinery_app.command("gears", epilog=CODES)
@guarded
def machinery_gears(
    teeth: Annotated[str, typer.Option(help="Numbers of teeth of pinion and wheel.")] = "20,30",
    module: Annotated[float, typer.Option(help="Normal, mm.")] = 4.0,
    helix: Annotated[float, typer.Option(help="Degrees.")] = 0.0,
    shift: Annotated[str, typer.Option(help="Profile shifts in modules.")] = "0,0",
    width: Annotated[float, typer.Option(help="mm.")] = 40.0,
    internal: Annotated[bool, typer.Option("--internal", help="The second gear is a ring.")] = False,
    relief: Annotated[float, typer.Option(help="Tip relief, um.")] = 0.0,
    torque: Annotated[float, typer.Option(help="On the wheel, N mm.")] = 2e5,
    friction: Annotated[float, typer.Option(help="Coefficient.")] = 0.06,
    plot: Pictures = None,
    debug: Debug = False,
) -> None:
    """A pair of gears: geometry, mesh stiffness and ISO 6336, transmission error, loss; closed forms and a
    simulation."""
    from ..machinery.command import gears

    announce_compilation()
    gears(teeth, module, helix, shift, width, internal, relief, torque, friction, plot, print)


@machinery_app.command("gearbox", epilog=CODES)
@guarded
def machinery_gearbox(
    speed: Annotated[float, typer.Option(help="Speed of the motor, rad/s.")] = 100.0,
    rise: Annotated[float, typer.Option(help="Time of the run-up, s.")] = 0.6,
    plot: Pictures = None,
    debug: Debug = False,
) -> None:
    """Run-up of a two-stage gearbox and the order spectrum of its meshes (orders of the input shaft)."""
    from ..machinery.command import gearbox

    announce_compilation()
    gearbox(speed, rise, plot, print)


@machinery_app.command("planetary", epilog=CODES)
@guarded
def machinery_planetary(
    teeth: Annotated[str, typer.Option(help="Numbers of teeth of sun, planets and ring.")] = "24,24,72",
    friction: Annotated[float, typer.Option(help="Coefficient.")] = 0.06,
    torque: Annotated[float, typer.Option(help="That brakes the third member, N mm.")] = 5e4,
    debug: Debug = False,
) -> None:
    """A planetary gear set, each member fixed and each other one driven: ratio by Willis, efficiency with friction from
    the power flow, compared with simulations."""
    from ..machinery.command import planetary

    announce_compilation()
    planetary(teeth, friction, torque, print)


@machinery_app.command("cams", epilog=CODES)
@guarded
def machinery_cams(debug: Debug = False) -> None:
    """Peak factors of lift laws, closed form and computed."""
    from ..machinery.command import cams

    cams(print)


@machinery_app.command("bearings", epilog=CODES)
@guarded
def machinery_bearings(debug: Debug = False) -> None:
    """Short journal bearings (Sommerfeld's number, oil whirl) and rolling bearings (Stribeck)."""
    from ..machinery.command import bearings

    bearings(print)


@machinery_app.command("brakes", epilog=CODES)
@guarded
def machinery_brakes(debug: Debug = False) -> None:
    """Disc, drum and band brakes: brake factors; stops under several conditions compared with the closed form."""
    from ..machinery.command import brakes

    announce_compilation()
    brakes(print)


@machinery_app.command("disc-brake", epilog=CODES)
@guarded
def machinery_disc_brake(plot: Pictures = None, debug: Debug = False) -> None:
    """Disc, two pads and floating caliper in contact: torque, pad pressure, wear, judder, squeal and fade compared with
    closed forms."""
    from ..machinery.disc_brake import disc_brake_study

    announce_compilation()
    disc_brake_study(print, plot)


@machinery_app.command("drives", epilog=CODES)
@guarded
def machinery_drives(debug: Debug = False) -> None:
    """Flat, V and timing belts, the polygon of chains, clutches that engage, brake pads that groan: simulations
    compared with closed forms."""
    from ..machinery.command import drives

    announce_compilation()
    drives(print)


@machinery_app.command("chains", epilog=CODES)
@guarded
def machinery_chains(
    links: Annotated[int, typer.Option(help="Even.")] = 60,
    teeth: Annotated[str, typer.Option(help="Numbers of teeth of driving and driven sprocket.")] = "18,36",
    end: Annotated[float, typer.Option(help="End time, s; means from 0.05 s on.")] = 0.12,
    debug: Debug = False,
) -> None:
    """A roller chain and a silent chain: tensions compared with torque over radius, ratio, polygon ripple."""
    from ..machinery.command import chains

    announce_compilation()
    chains(links, teeth, end, print)


@machinery_app.command("rope-study", epilog=CODES)
@guarded
def machinery_rope_study(
    full: Annotated[bool, typer.Option("--full", help="The whole table; takes minutes.")] = False,
    dampings: Annotated[str | None, typer.Option(help="Separated by commas: shares of each stiffness, s.")] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="GSTIFF, GSTIFF/SI2, HHT, RADAU5 ...; may be repeated.")
    ] = None,
    error: Annotated[float, typer.Option(help="Tolerance.")] = 1e-3,
    end: Annotated[float | None, typer.Option(help="End time, s.")] = None,
    budget: Annotated[float | None, typer.Option(help="CPU seconds for each run.")] = None,
    segments: Annotated[int, typer.Option(help="Segments of the rope.")] = 105,
    plot: Pictures = None,
    debug: Debug = False,
) -> None:
    """Steel rope over a pulley with hanging weights, pulled in two stages: forces over the segments, shocks of the
    load, for several methods and dampings."""
    from ..machinery.command import rope_study

    announce_compilation()
    rope_study(full, dampings, method or [], error, end, budget, segments, plot, print)


@machinery_app.command("ball-study", epilog=CODES)
@guarded
def machinery_ball_study(
    full: Annotated[bool, typer.Option("--full", help="The whole table; takes minutes.")] = False,
    dampings: Annotated[str | None, typer.Option(help="Separated by commas, N s/mm.")] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="GSTIFF, GSTIFF/SI2, HHT, RADAU5 ...; may be repeated.")
    ] = None,
    errors: Annotated[str | None, typer.Option(help="Tolerances, separated by commas.")] = None,
    end: Annotated[float | None, typer.Option(help="End time, s.")] = None,
    budget: Annotated[float | None, typer.Option(help="CPU seconds for each run.")] = None,
    plot: Pictures = None,
    debug: Debug = False,
) -> None:
    """Ball on a plate for several dampings, methods and tolerances: restitution compared with an independent
    integration, energy error, cost; plots of height and force."""
    from ..machinery.command import ball_study

    announce_compilation()
    ball_study(full, dampings, method or [], errors, end, budget, plot, print)


@machinery_app.command("gear-study", epilog=CODES)
@guarded
def machinery_gear_study(
    full: Annotated[bool, typer.Option("--full", help="The whole table; takes minutes.")] = False,
    dampings: Annotated[str | None, typer.Option(help="Separated by commas, N s/mm.")] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="GSTIFF, GSTIFF/SI2, HHT, RADAU5 ...; may be repeated.")
    ] = None,
    errors: Annotated[str | None, typer.Option(help="Tolerances, separated by commas.")] = None,
    end: Annotated[float | None, typer.Option(help="End time, s.")] = None,
    start: Annotated[
        str, typer.Option(help="loaded: teeth bear their torque; play: from the middle of the play.")
    ] = "loaded",
    period: Annotated[float, typer.Option(help="Time of one turn of the pinion, s.")] = 1.5,
    step: Annotated[float | None, typer.Option(help="Steps of one size, s, which no error controls.")] = None,
    hmax: Annotated[float, typer.Option(help="Largest step, s; 0: the error alone limits steps.")] = 1e-3,
    kmax: Annotated[int | None, typer.Option(help="Highest order of methods with orders.")] = None,
    budget: Annotated[float | None, typer.Option(help="CPU seconds for each run.")] = None,
    debug: Debug = False,
) -> None:
    """Helical gears in contact for several dampings, methods and tolerances: how long contact lasts, where it fails or
    chatters, its period, cost."""
    from ..machinery.command import gear_study

    announce_compilation()
    gear_study(full, dampings, method or [], errors, end, start, budget, period, step, hmax, kmax, print)
