"""``holonom flexible``: ropes, belts, bars that hit each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .application import CODES, Debug, announce_compilation, group, guarded
from .machinery import Pictures

flexible_app = group(
    "flexible", "Ropes, belts and bars that hit each other, compared with closed forms and published numbers."
)
Page = Annotated[Path | None, typer.Option(help="File for a page with the animation, coloured by stress (html).")]
RopeModel = Annotated[str, typer.Option("--model", help="rod (exact beams) or cable (absolute nodal coordinates).")]


@flexible_app.command("rope", epilog=CODES)
@guarded
def flexible_rope(
    friction: Annotated[str, typer.Option(help="Friction coefficients, separated by commas.")] = "0.2,0.3",
    turns: Annotated[str, typer.Option(help="Turns of the rope round the drum, separated by commas.")] = "0.5,1",
    model: RopeModel = "rod",
    nodes: Annotated[
        int | None, typer.Option(help="Nodes on half a turn; default: 16 for a rod, 24 for a cable.")
    ] = None,
    error: Annotated[float, typer.Option(help="Local integration error, relative.")] = 1e-4,
    report: Page = None,
    debug: Debug = False,
) -> None:
    """Rope pulled over a fixed drum, compared with the Euler-Eytelwein formula; the report is that of the last run."""
    from ..machinery.flexible_command import rope

    announce_compilation()
    rope(friction, turns, model, nodes, error, report, print)


@flexible_app.command("belt", epilog=CODES)
@guarded
def flexible_belt(
    model: RopeModel = "rod",
    elements: Annotated[int | None, typer.Option(help="Elements of the belt; default: ten on half a pulley.")] = None,
    load: Annotated[float, typer.Option(help="Torque on the driven pulley, N m.")] = 4.0,
    tension: Annotated[float, typer.Option(help="Tension of the belt as drawn, N.")] = 100.0,
    report: Page = None,
    debug: Debug = False,
) -> None:
    """Belt drive: torque by friction, tensions of both strands, elastic creep."""
    from ..machinery.flexible_command import belt

    announce_compilation()
    belt(model, elements, load, tension, report, print)


@flexible_app.command("bars", epilog=CODES)
@guarded
def flexible_bars(
    flat: Annotated[bool, typer.Option("--flat", help="Flat bars of one section against St Venant's waves.")] = False,
    mesh: Annotated[str, typer.Option(help="uniform, graded or fine.")] = "graded",
    rings: Annotated[int, typer.Option(help="Rings of retained nodes around the tip.")] = 5,
    layers: Annotated[int, typer.Option(help="Layers of retained nodes into the bar.")] = 1,
    modes: Annotated[int, typer.Option(help="Modes of each bar.")] = 7,
    cells: Annotated[int, typer.Option(help="Cells of flat bars along the shorter one.")] = 100,
    ratio: Annotated[float, typer.Option(help="Ratio of the lengths of flat bars.")] = 2.0,
    report: Page = None,
    debug: Debug = False,
) -> None:
    """A brass bar with a round end hits a flat aluminium bar at 0.21 m/s: nodes at the contact and modes elsewhere,
    compared with all degrees of freedom."""
    from ..machinery.flexible_command import bars

    announce_compilation()
    bars(flat, mesh, rings, layers, modes, cells, ratio, report, print)


@flexible_app.command("study", epilog=CODES)
@guarded
def flexible_study(
    mesh: Annotated[str, typer.Option(help="uniform, graded or fine.")] = "graded",
    csv: Annotated[Path | None, typer.Option(help="File for the table.")] = None,
    plot: Pictures = None,
    workers: Annotated[int | None, typer.Option(help="Worker processes; default: one per core.")] = None,
    debug: Debug = False,
) -> None:
    """The 140 runs of the bars: 1 to 4 layers, 1 to 5 rings, 7 to 43 modes; correlation and peak compared with all
    degrees of freedom."""
    from ..machinery.flexible_command import study

    announce_compilation()
    study(mesh, csv, plot, workers, print)
