"""``holonom run`` and ``linear``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .application import (
    BAD_INPUT,
    CODES,
    FAILED,
    INTERRUPTED,
    OK,
    Debug,
    Geometry,
    Lenient,
    Missing,
    ModelFile,
    ModelOrScript,
    NoProgress,
    announce_compilation,
    app,
    complain,
    guarded,
    warning_lines,
)
from .files import put_geometry, read_model, read_with_script
from .printing import make_folder, print_summary, report_folder

if TYPE_CHECKING:
    from ..model import Model
    from ..results import Run


@app.command(epilog=CODES)
@guarded
def run(
    model: ModelOrScript,
    end: Annotated[
        float | None, typer.Option(help="End time. Without it, the script next to the dataset is run.")
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Number of equal output steps (100).")] = None,
    dt: Annotated[float | None, typer.Option(help="Output interval, instead of --steps.")] = None,
    analysis: Annotated[
        str, typer.Option(help="auto, dynamics, kinematics, statics, quasistatics or initial.")
    ] = "auto",
    integrator: Annotated[str | None, typer.Option(help="DOP853, GSTIFF, HHT, ...; see docs/integrators.md.")] = None,
    formulation: Annotated[str | None, typer.Option(help="I3, SI2 or SI1, with backward differences.")] = None,
    error: Annotated[float | None, typer.Option(help="Local integration error, relative.")] = None,
    hmax: Annotated[float | None, typer.Option(help="Largest step.")] = None,
    hmin: Annotated[float | None, typer.Option(help="Least step; equal to --hmax: fixed steps.")] = None,
    hinit: Annotated[float | None, typer.Option(help="First step.")] = None,
    kmax: Annotated[int | None, typer.Option(help="Highest order.")] = None,
    maxit: Annotated[int | None, typer.Option(help="Corrector iterations.")] = None,
    corrector: Annotated[str | None, typer.Option(help="original or modified.")] = None,
    interpolate: Annotated[str | None, typer.Option(help="on: steps need not end at output times; off.")] = None,
    pattern: Annotated[str | None, typer.Option(help="Iterations with a new Jacobian, T:F:F:...")] = None,
    contact: Annotated[
        str | None,
        typer.Option(help="compliant (forces), events or time-stepping (constraints); docs/rigid-contact.md."),
    ] = None,
    restitution: Annotated[
        float | None, typer.Option(help="Restitution of contacts as constraints that do not define one.")
    ] = None,
    referee: Annotated[
        str | None,
        typer.Option(help="on, off or strict: check that no body passes through another; docs/robustness.md."),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="Any other option of the integrator, NAME=VALUE.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("results"),
    script: Annotated[
        Path | None,
        typer.Option(
            help="Adams command script (.acf); default: model.acf next to the dataset, or the simulation script of "
            "a .cmd."
        ),
    ] = None,
    geometry: Geometry = None,
    lenient: Lenient = False,
    missing: Missing = "error",
    report: Annotated[bool, typer.Option("--report", help="Write report.html too.")] = False,
    no_progress: NoProgress = False,
    debug: Debug = False,
) -> int:
    """Simulate a model, or run a script; results go to OUT/run.h5, and to the files of Adams that RESULTS and OUTPUT
    require."""
    from ..model import ModelError
    from ..model.base import MissingParts
    from ..model.pairs import named_values

    started = time.perf_counter()
    if missing not in ("error", "zero"):
        raise ModelError(f"--missing {missing}: choose 'error' or 'zero'")
    if steps is not None and dt is not None:
        raise ModelError("--steps and --dt are both given; use one of them")
    machine, commands = read_with_script(model, lenient)
    put_geometry(machine, geometry)
    treat_contacts(machine, contact, restitution)
    if commands is not None and script is not None:
        raise ModelError(f"{model} is a script already, and --script is given too; use one of them")
    if commands is not None and end is not None:
        raise ModelError(
            f"{model} is a script and states how long to simulate, and --end is given too; give "
            f"{Path(machine.path or '').name} with --end"
        )
    if commands is None and script is None and end is None and analysis not in ("statics", "initial"):
        beside = Path(machine.path or model).with_suffix(".acf")
        if beside.is_file():
            script = beside
        elif machine.scripts:
            own = "Last_Sim" if "Last_Sim" in machine.scripts else next(iter(machine.scripts))
            print(
                f"script {own} of the model"
                + (
                    f"; the others are {', '.join(sorted(set(machine.scripts) - {own}))}"
                    if len(machine.scripts) > 1
                    else ""
                )
            )
            commands = adams_script(machine.scripts[own], f"{model} ({own})")
        else:
            raise ModelError(
                f"{model}: there is no {beside.name} next to it, so the time to simulate is not known; give --end (and "
                "--steps)"
            )
    if script is not None and end is not None:
        raise ModelError("--script and --end are both given; use one of them")
    if script is not None:
        from ..formats.adams import read_acf

        commands = read_acf(script, lenient)
    warning_lines.end_stage()
    make_folder(out)
    announce_compilation()
    options: dict[str, Any] = {
        "integrator": integrator,
        "formulation": formulation,
        "error": error,
        "hmax": hmax,
        "hmin": hmin,
        "hinit": hinit,
        "kmax": kmax,
        "maxit": maxit,
        "corrector": corrector,
        "interpolate": interpolate,
        "pattern": pattern,
        **named_values(option or [], "--option"),
    }
    options = {key: value for key, value in options.items() if value is not None}
    path = out / "run.h5"
    settings: dict[str, Any] = {
        "progress": False if no_progress else "log",
        "missing": missing,
        "keep": path,
        "referee": referee,
    }
    problem: Exception | None = None
    try:
        if commands is not None:
            from ..formats.adams.session import run_script

            result = run_script(commands, machine, lenient=lenient, **settings, **options)
        else:
            from ..analyses.session.simulate import simulate

            result = simulate(machine, end, steps, dt=dt, kind=analysis, **settings, **options)
    except ModelError as failure:
        if getattr(failure, "run", None) is None:
            if isinstance(failure, MissingParts):
                complain(failure)
                complain("give --missing zero to run without them", "hint")
                return BAD_INPUT
            raise
        problem, result = failure, failure.run  # type: ignore[attr-defined]
    if result.file != path:
        result.save(path)  # states why it could not be kept
    print_summary(result, time.perf_counter() - started)
    print(f"results: {path}")
    for file in write_asked_files(result, out):
        print(f"file: {file}")
    print_linear(result, out)
    if report:
        result.report(out / "report.html", **report_folder(result))
        print(f"report: {out / 'report.html'}")
    if problem is not None:
        complain(problem, "the run failed")
        return FAILED
    if str(result.info.get("stopped", "")).startswith("stopped by the user"):
        complain(f"{result.info['stopped']}; the results so far are kept", "interrupted")
        return INTERRUPTED
    return OK


def adams_script(text: str, name: str) -> Any:
    """A script that a model carries (simulation scripts of Adams View)."""
    from ..formats.adams.script import parse_acf

    return parse_acf(text, name)


def treat_contacts(machine: Model, contact: str | None, restitution: float | None) -> None:
    """Contacts of a model as forces or constraints, as the command line says."""
    from ..model import ModelError

    if contact is not None:
        machine.rigid.method = contact
    if restitution is not None:
        machine.rigid.restitution = restitution
    for fault in machine.rigid.faults():
        raise ModelError(fault)


def write_asked_files(result: Run, out: Path) -> list[Path]:
    """The files of Adams that RESULTS and OUTPUT of the model require."""
    from ..results.files.adams_files import write_adams_files

    return write_adams_files(result, out)


def print_linear(result: Run, out: Path) -> None:
    """Tables of the linear analyses of a script, and the files that it requests."""
    for linear in result.linear:
        for text in linear.listing:
            print(text)
        for file in linear.write_files(out):
            print(f"matrices: {file}")


@app.command(epilog=CODES)
@guarded
def linear(
    model: ModelFile,
    statics: Annotated[bool, typer.Option("--statics", help="Find the static equilibrium first.")] = False,
    end: Annotated[float | None, typer.Option(help="Simulate to this time first.")] = None,
    modes: Annotated[int, typer.Option(help="Rows of the table of eigenvalues.")] = 30,
    energy: Annotated[int, typer.Option(help="Energy tables of the first so many modes.")] = 0,
    input: Annotated[
        list[str] | None, typer.Option(help="VARIABLE or PINPUT/id; may be repeated. Default: all PINPUT.")
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(help="VARIABLE, POUTPUT/id or expression; may be repeated. Default: all POUTPUT."),
    ] = None,
    rm: Annotated[str | None, typer.Option(help="Marker that turns with the machine.")] = None,
    no_damping: Annotated[bool, typer.Option("--no-damping", help="Leave out all that depends on velocities.")] = False,
    state_space: Annotated[Path | None, typer.Option(help="File for A, B, C, D: .npz or .mat.")] = None,
    csv: Annotated[Path | None, typer.Option(help="File for eigenvalues and mode shapes as CSV.")] = None,
    save: Annotated[Path | None, typer.Option(help="File for everything (HDF5).")] = None,
    report: Annotated[Path | None, typer.Option(help="File for a page with the modes in motion (HTML).")] = None,
    geometry: Geometry = None,
    lenient: Lenient = False,
    missing: Missing = "error",
    debug: Debug = False,
) -> int:
    """Eigenvalues, modes and state matrices of a model about its initial position, its equilibrium (--statics) or a
    later time (--end)."""
    from ..analyses.linear.linearize import linearize
    from ..model import ModelError

    if missing not in ("error", "zero"):
        raise ModelError(f"--missing {missing}: choose 'error' or 'zero'")
    if modes < 1:
        raise ModelError(f"--modes {modes}: give a positive number")
    machine = read_model(model, lenient)
    put_geometry(machine, geometry)
    warning_lines.end_stage()
    announce_compilation()
    found = linearize(
        machine,
        statics=statics,
        end=end,
        inputs=input or None,
        outputs=output or None,
        rm=rm,
        damping=not no_damping,
        missing=missing,
    )
    print(
        f"model {machine.name}: {found.nq} degrees of freedom, {found.nx} states of differential equations, "
        f"{'stable' if found.stable else 'unstable'} at time {found.time:.6g} {machine.units.symbol('time')}"
    )
    print(found.text(modes) if found.modes else "nothing is free to move")
    for number in range(1, min(energy, len(found.modes)) + 1):
        print(found.energy_text(number))
    for file in found.state_space().save(state_space) if state_space is not None else ():
        print(f"matrices: {file}")
    for what, path in (
        ("table", found.to_csv(csv) if csv else None),
        ("all", found.save(save) if save else None),
        ("report", found.report(report) if report else None),
    ):
        if path is not None:
            print(f"{what}: {path}")
    return OK
