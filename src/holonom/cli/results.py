"""Commands on runs: ``export``, ``report``, ``compare``, ``clearance``, ``fatigue``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .application import CODES, FAILED, OK, Debug, Results, announce_compilation, app, guarded
from .files import load_run, names_of_runs, read_model, run_file
from .printing import make_folder, report_folder


@app.command(epilog=CODES)
@guarded
def export(
    results: Results = Path("results"),
    csv: Annotated[
        Path | None, typer.Option(help="Folder for CSV tables, one per part, joint, force and request.")
    ] = None,
    req: Annotated[Path | None, typer.Option(help="Adams request file (.req).")] = None,
    res: Annotated[Path | None, typer.Option(help="Adams results file (.res, XML).")] = None,
    tab: Annotated[Path | None, typer.Option(help="Table of all requests (.tab).")] = None,
    reactions: Annotated[
        Path | None, typer.Option(help="Table of the largest loads of joints and forces (.csv).")
    ] = None,
    movie: Annotated[Path | None, typer.Option(help="Film of the motion (.gif; .mp4 with ffmpeg).")] = None,
    speed: Annotated[float, typer.Option(help="Playback speed of the film and the glTF file; 1 is real time.")] = 1.0,
    arrows: Annotated[
        str, typer.Option(help="Forces in the film: contacts, forces (applied ones too) or all (reactions too).")
    ] = "",
    gltf: Annotated[Path | None, typer.Option(help="The animated machine (.glb).")] = None,
    debug: Debug = False,
) -> None:
    """Write the results of a run as tables, as a film or as an animated glTF file."""
    from ..model import ModelError

    if all(given is None for given in (csv, req, res, tab, reactions, movie, gltf)):
        raise ModelError(
            "nothing to write; give --csv FOLDER, --req FILE, --res FILE, --tab FILE, --reactions FILE, --movie FILE "
            "or --gltf FILE"
        )
    result = load_run(results)
    from ..results.files.export import export_csv, export_req, export_tab

    if csv is not None:
        print(f"{len(export_csv(result, csv))} tables in {csv}")
    if req is not None:
        export_req(result, req)
        print(f"requests: {req}")
    if res is not None:
        from ..results.files.adams_res import export_res

        export_res(result, res)
        print(f"results file: {res}")
    if tab is not None:
        export_tab(result, tab)
        print(f"table: {tab}")
    if reactions is not None:
        print(f"loads: {result.reactions(forces=True).csv(reactions)}")
    if movie is not None:
        print(f"film: {result.movie(movie, speed=speed, arrows=arrows, folder=report_folder(result).get('folder'))}")
    if gltf is not None:
        print(f"glTF: {result.export_gltf(gltf, speed=speed, folder=report_folder(result).get('folder'))}")


@app.command(epilog=CODES)
@guarded
def report(
    results: Annotated[
        list[Path] | None,
        typer.Argument(help="Folder with run.h5, or a run file; the curves of further ones are drawn over it."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="HTML file; default: report.html next to the (first) run.")] = None,
    animation: Annotated[bool, typer.Option("--animation/--no-animation", help="Put the 3D animation in.")] = True,
    meshes: Annotated[Path | None, typer.Option(help="Folder with the mesh files that the model names.")] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Show it in the browser.")] = False,
    debug: Debug = False,
) -> None:
    """Write plots, statistics and a 3D animation to one HTML file that opens offline; plots of several runs share their
    axes."""
    sources = [run_file(path) for path in results or [Path("results")]]
    result, *further = map(load_run, sources)
    names = names_of_runs(sources)
    path = out or sources[0].with_name("report.html")
    make_folder(path.parent)
    result.report(
        path,
        animation=animation,
        folder=meshes or report_folder(result).get("folder"),
        others=dict(zip(names[1:], further)),
        label=names[0],
    )
    print(f"report: {path}")
    if open_browser:
        import webbrowser

        webbrowser.open(path.resolve().as_uri())


@app.command(epilog=CODES)
@guarded
def compare(
    first: Annotated[Path, typer.Argument(help="Folder with run.h5, or a run file.")],
    second: Annotated[Path, typer.Argument(help="Folder with run.h5, or a run file.")],
    within: Annotated[
        float | None, typer.Option(help="Exit with 1 when a curve differs by more than this part of its range.")
    ] = None,
    top: Annotated[int, typer.Option(help="How many curves to list.")] = 20,
    debug: Debug = False,
) -> int:
    """Compare two runs, curve by curve, the largest differences first."""
    from ..results.compare import compare as differences

    answer = differences(load_run(first), load_run(second))
    print(answer.markdown(top))
    print(f"{len(answer)} curves at {len(answer.times)} times; largest difference {answer.max_relative:.3g} of range")
    return FAILED if within is not None and not answer.within(relative=within) else OK


@app.command(epilog=CODES)
@guarded
def clearance(
    source: Annotated[
        Path,
        typer.Argument(
            help="Folder with run.h5, a run file, or a dataset that is run first (--end).", show_default=False
        ),
    ],
    between: Annotated[
        list[str] | None,
        typer.Option(
            help="A,B: two parts (or GRAPHICS/id); may be given again. Without: all pairs that no joint connects."
        ),
    ] = None,
    end: Annotated[float | None, typer.Option(help="End time, where the source is a dataset.")] = None,
    steps: Annotated[int, typer.Option(help="Output steps of that run.")] = 100,
    within: Annotated[float | None, typer.Option(help="Exit with 1 when a distance is less than this.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Picture of the distances.")] = None,
    animation: Annotated[Path | None, typer.Option(help="Animation with lines between the nearest points.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Table of the distances over time.")] = None,
    debug: Debug = False,
) -> int:
    """Minimum distances between parts over a motion: how far, when and where, and whether they touch."""
    from ..model import ModelError

    if source.suffix.lower() in (".adm", ".json", ".cmd"):
        if end is None:
            raise ModelError(
                f"{source} is a model, so the time to simulate is not known; give --end, or the folder of a run"
            )
        from ..analyses.session.simulate import simulate

        announce_compilation()
        result = simulate(read_model(source), end=end, steps=steps)
    else:
        result = load_run(source)
    from ..results.clearance import command

    found = command(result, between or [], print, plot=plot, animation=animation, csv=csv)
    return FAILED if within is not None and min(f.minimum for f in found) < within else OK


@app.command(epilog=CODES)
@guarded
def fatigue(
    results: Results = Path("results"),
    signal: Annotated[
        str, typer.Option(help="What is counted: JOINT/3.FX (F or T, X, Y, Z or M), or a name as the tables have it.")
    ] = "",
    sn: Annotated[
        str | None, typer.Option(help="Curve: STRESS,CYCLES,SLOPE[,haibach|elementary|original], ec3=80 or iiw=90.")
    ] = None,
    mean: Annotated[
        str | None,
        typer.Option(help="Mean-stress correction: goodman=600, gerber=, soderberg=, morrow=, walker=, fkm=, swt."),
    ] = None,
    factor: Annotated[float, typer.Option(help="Stress per unit of the signal.")] = 1.0,
    slope: Annotated[float, typer.Option(help="Slope of the pseudo-damage.")] = 5.0,
    residue: Annotated[str, typer.Option(help="What does not close: 'half', 'repeat' or 'none'.")] = "half",
    hysteresis: Annotated[float, typer.Option(help="Smallest range that counts, in the unit of the signal.")] = 0.0,
    csv: Annotated[Path | None, typer.Option(help="Table of the cycles.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Picture: the curve with the cycles, or their spectrum.")] = None,
    debug: Debug = False,
) -> None:
    """Rainflow counting of a load, and its damage from an S-N curve."""
    from ..model import ModelError

    if not signal:
        raise ModelError("give what is counted, as in --signal JOINT/3.FX")
    result = load_run(results)
    from ..durability.command import fatigue as count

    lines = count(
        result,
        signal,
        slope=slope,
        sn=sn,
        mean=mean,
        factor=factor,
        residue=residue,
        hysteresis=hysteresis,
        csv=csv,
        plot=plot,
    )
    print("\n".join(lines))
