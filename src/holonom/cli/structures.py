"""``holonom structures``: frames, dampers, earthquakes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .application import CODES, Debug, announce_compilation, group, guarded

structures_app = group("structures", "Buildings under earthquakes, with dampers.")
RecordFile = Annotated[str, typer.Argument(help="Record: FILE or FILE:UNITS (g, m/s2, cm/s2 ...).", show_default=False)]
Full = Annotated[
    bool, typer.Option("--full", help="Beams between nodes, in place of the frame condensed to its floors.")
]


@structures_app.command("study", epilog=CODES)
@guarded
def structures_study(
    record: Annotated[
        list[str] | None, typer.Option(help="FILE or FILE:UNITS (g, m/s2, cm/s2 ...); may be repeated.")
    ] = None,
    dampers: Annotated[
        list[str] | None,
        typer.Option(help="Storeys with dampers, as 1,2,3; may be repeated. Default: four placements."),
    ] = None,
    c: Annotated[str, typer.Option(help="Constants C of all dampers together, N (s/m)^a.")] = "4e5,8e5,1.6e6",
    a: Annotated[str, typer.Option(help="Exponents a.")] = "0.3,0.5,1",
    peak: Annotated[float | None, typer.Option(help="Scale every record to this peak, g.")] = None,
    storeys: Annotated[int, typer.Option(help="Storeys of the steel frame.")] = 6,
    bays: Annotated[int, typer.Option(help="Bays of the steel frame.")] = 2,
    damping: Annotated[float, typer.Option(help="Ratio of all modes.")] = 0.02,
    full: Full = False,
    all_: Annotated[
        bool, typer.Option("--all", help="Every placement at every C and a, not the best one only.")
    ] = False,
    end: Annotated[float | None, typer.Option(help="End time, s. Default: that of the record.")] = None,
    plot: Annotated[Path | None, typer.Option(help="File for the pictures (png, pdf, svg).")] = None,
    csv: Annotated[Path | None, typer.Option(help="File for the table.")] = None,
    debug: Debug = False,
) -> None:
    """A steel frame under earthquake records, with nonlinear viscous dampers of several positions, constants and
    exponents: drift, displacement, base shear, energy."""
    from ..structures.command import FrameStudy
    from ..structures.command import study as damper_study

    announce_compilation()
    case = FrameStudy(record or [], peak, storeys, bays, full, dampers or [], c, a, all_, end, damping)
    damper_study(case, plot, csv, print)


@structures_app.command("columns", epilog=CODES)
@guarded
def structures_columns(
    record: Annotated[
        list[str] | None, typer.Option(help="FILE or FILE:UNITS (g, m/s2, cm/s2 ...); may be repeated.")
    ] = None,
    steel: Annotated[str, typer.Option(help="Of the columns: LY100, S235, S355, S460 or S690.")] = "S355",
    dampers: Annotated[
        str | None, typer.Option(help="Storeys with power dampers in further runs, as 1,2,3. Default: none.")
    ] = None,
    c: Annotated[float, typer.Option(help="Constant C of all dampers together, N (s/m)^0.5.")] = 8e5,
    peak: Annotated[float | None, typer.Option(help="Scale every record to this peak, g.")] = None,
    storeys: Annotated[int, typer.Option(help="Storeys of the steel frame.")] = 6,
    bays: Annotated[int, typer.Option(help="Bays of the steel frame.")] = 2,
    end: Annotated[float | None, typer.Option(help="End time, s. Default: that of the record.")] = None,
    plot: Annotated[Path | None, typer.Option(help="File for the pictures (png, pdf, svg).")] = None,
    debug: Debug = False,
) -> None:
    """A steel frame under earthquake records with elastic columns and with columns that yield (fibre hinges): drift,
    drift left, ductility, base shear, energy."""
    from ..structures.command import columns

    announce_compilation()
    columns(record or [], peak, storeys, bays, steel, dampers, c, end, plot, print)


@structures_app.command("integrators", epilog=CODES)
@guarded
def structures_integrators(
    record: RecordFile,
    storeys: Annotated[int, typer.Option(help="Storeys of the steel frame.")] = 6,
    bays: Annotated[int, typer.Option(help="Bays of the steel frame.")] = 2,
    full: Full = False,
    rayleigh: Annotated[bool, typer.Option("--rayleigh", help="Rayleigh damping in place of modal.")] = False,
    end: Annotated[float, typer.Option(help="End time, s.")] = 10.0,
    debug: Debug = False,
) -> None:
    """Newmark, HHT, RADAU5 and DOP853 on a linear frame, compared with modal superposition: error, steps, CPU time."""
    from ..structures.command import integrators as compared

    announce_compilation()
    compared(record, storeys, bays, full, end, rayleigh, print)


@structures_app.command("steel-damper", epilog=CODES)
@guarded
def structures_steel_damper(
    steel: Annotated[
        list[str] | None, typer.Option(help="LY100, S235, S355, S460 or S690; may be repeated. Default: S235 and S690.")
    ] = None,
    amplitude: Annotated[float, typer.Option(help="m.")] = 0.03,
    sizes: Annotated[
        str, typer.Option(help="Legs, half back, depth and breadth of its section, m.")
    ] = "0.25,0.2,0.04,0.06",
    plot: Annotated[Path | None, typer.Option(help="File for the loops (png, pdf, svg).")] = None,
    debug: Debug = False,
) -> None:
    """E-shaped steel damper by four laws: hysteresis loop, loss per cycle, equivalent damping, mild compared with
    high-strength steel."""
    from ..structures.command import steel_damper

    steel_damper(steel or ["S235", "S690"], amplitude, sizes, plot, print)


@structures_app.command("dampers", epilog=CODES)
@guarded
def structures_dampers(
    amplitude: Annotated[float, typer.Option(help="m.")] = 0.02,
    frequency: Annotated[float, typer.Option(help="Hz.")] = 1.0,
    debug: Debug = False,
) -> None:
    """Every damper in harmonic motion: loss, storage and loss stiffness, simulated and in closed form."""
    from ..structures.command import dampers

    announce_compilation()
    dampers(amplitude, frequency, print)
