"""The command line: ``holonom run``, ``linear``, ``check``, ``equations``, ``export``, ``report``, ``compare``, ``compare-formulations``, ``clearance``, ``fatigue``,
``vehicle``, ``rail``, ``structures``, ``machinery``, ``flexible``, ``convert``, ``demo``, ``warmup``, ``version``.

No physics here.  Everything heavy is imported inside the command that needs it, so that help comes at once.

Exit codes: 0 done; 1 a run failed part-way (the results so far are kept), or compared runs differ; 2 bad input; 3 interrupted
(the results so far are kept); 4 internal error (``--debug`` shows where).
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from .model import Model
    from .model.commands import Script
    from .results import Run

OK, FAILED, BAD_INPUT, INTERRUPTED, INTERNAL = 0, 1, 2, 3, 4
CODES = (
    "Exit codes: 0 done; 1 a run failed part-way (results so far kept) or compared runs differ; 2 bad input; "
    "3 interrupted (results so far kept); 4 internal error (--debug shows where)."
)
MAX_LINES = 40
MAX_LEFT_OUT = 10

app = typer.Typer(
    name="holonom",
    help="Simulates mechanical systems: Adams datasets (.adm), Holonom models (.json), Adams View command files (.cmd).",
    epilog=CODES,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        version()
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Version of Holonom and its packages.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


ModelFile = Annotated[Path, typer.Argument(help="Dataset: .adm, .cmd or .json.", show_default=False)]
ModelOrScript = Annotated[
    Path, typer.Argument(help="Dataset (.adm, .cmd or .json), or a script (.acf) that names its dataset.", show_default=False)
]
Results = Annotated[Path, typer.Argument(help="Folder with run.h5, or a run file.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an internal error.")]
Lenient = Annotated[bool, typer.Option("--lenient", help="Unknown statements and arguments are warnings, not errors.")]
Missing = Annotated[str, typer.Option(help="What cannot be computed: 'error' refuses to run, 'zero' leaves it out.")]
Geometry = Annotated[Path | None, typer.Option(help="TOML or JSON file: shapes or meshes in place of named geometry.")]
NoProgress = Annotated[bool, typer.Option("--no-progress", help="No progress bar, and no lines of progress in a log.")]


# ---- words and codes -----------------------------------------------------------------------------------------------
def complain(error: BaseException | str, what: str = "error") -> None:
    """One line per fault on standard error."""
    if isinstance(error, OSError):
        shown = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
        lines = [shown]
    else:
        lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    for line in lines[:MAX_LINES]:
        print(f"holonom: {what}: {line}", file=sys.stderr)
    if len(lines) > MAX_LINES:
        print(f"holonom: ... and {len(lines) - MAX_LINES} more", file=sys.stderr)


def guarded(command: Callable[..., int | None]) -> Callable[..., None]:
    """A command whose faults become sentences and exit codes, never a traceback."""

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        debug = options.get("debug", False)
        try:
            code = command(*args, **options) or OK
            sys.stdout.flush()
        except typer.Exit:
            raise
        except KeyboardInterrupt:
            complain("stopped by the user before there were results", "interrupted")
            code = INTERRUPTED
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = OK
        except (ValueError, OSError) as error:
            from .expressions import CurveError, ExpressionError, SplineError
            from .model import ModelError

            if not isinstance(error, (ModelError, OSError, ExpressionError, SplineError, CurveError)):
                code = internal(error, debug)
            else:
                complain(error)
                code = BAD_INPUT
        except MemoryError:
            complain("there is not enough memory for this model")
            code = BAD_INPUT
        except Exception as error:  # the last net: a person sees a sentence, a developer --debug
            code = internal(error, debug)
        raise typer.Exit(code)

    return run


def internal(error: BaseException, debug: bool) -> int:
    if debug:
        import traceback

        traceback.print_exc()
    hint = "" if debug else "; please report it with the model; --debug shows where"
    complain(f"{type(error).__name__}: {error}".replace("\n", " ")[:400] + hint, "internal error")
    return INTERNAL


def announce_compilation() -> None:
    """Say when kernels are compiled because no cached ones are there, in a log too."""
    from ._compiling import notice

    notice.log = True


# ---- files ---------------------------------------------------------------------------------------------------------
def read_model(path: Path, lenient: bool = False) -> Model:
    """A model from any file that this version reads."""
    from .model import Model, ModelError

    if not path.suffix and not path.is_file() and path.with_suffix(".adm").is_file():
        path = path.with_suffix(".adm")
    if path.is_dir():
        raise ModelError(f"{path}: this is a folder; give a model file in it")
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file; check the path")
    kind = path.suffix.lower()
    if kind == ".json":
        from .formats.adams.lexer import read_text

        try:
            model = Model.from_json(read_text(path))
        except ModelError as error:
            raise ModelError(f"{path}: {error}" if not str(error).startswith(str(path)) else str(error)) from None
        model.path = str(path)
        return model
    if kind == ".acf":
        raise ModelError(f"{path}: this is a script; give its dataset here (`holonom run` and `holonom check` take scripts)")
    if kind in (".h5", ".hdf5", ".html", ".csv", ".req", ".res"):
        raise ModelError(f"{path}: this is a result, not a model; give a dataset (.adm), a model (.json) or a command file (.cmd)")
    from .formats import adams

    return adams.read_cmd(path, lenient=lenient) if kind == ".cmd" else adams.read_adm(path, lenient=lenient)


def read_with_script(path: Path, lenient: bool = False) -> tuple[Model, Script | None]:
    """A model, and the script when ``path`` is one: then the dataset is the one that the script names."""
    if path.suffix.lower() != ".acf":
        return read_model(path, lenient), None
    from .analyses.script import dataset_of
    from .formats.adams import read_acf
    from .model import ModelError

    if not path.is_file():
        raise ModelError(f"{path}: there is no such file; check the path")
    script = read_acf(path, lenient)
    dataset = dataset_of(script)
    beside = path.with_suffix(".adm")
    if dataset is None and not beside.is_file():
        raise ModelError(f"{path}: the script names no dataset; write FILE/MODEL=name or the name alone in its first line")
    if dataset is not None and not dataset.is_file() and not beside.is_file():
        raise ModelError(
            f"{path}: the script names the dataset '{dataset.name}', which is not beside it; put it there, or correct the name"
        )
    if dataset is None or not dataset.is_file():
        why = "names no dataset" if dataset is None else f"names the dataset '{dataset.name}', which is not beside it"
        script.warnings.append(f"{path}: the script {why}; {beside.name} is taken")
        dataset = beside
    return read_model(dataset, lenient), script


def put_geometry(machine: Model, path: Path | None) -> None:
    """Shapes of a geometry file in place of geometry of the model."""
    if path is not None:
        from .formats.geometry_file import apply_geometry_file

        replaced = apply_geometry_file(machine, path)
        print(f"geometry: {len(replaced)} shapes replaced by {path}")


def run_file(path: Path) -> Path:
    """The run file that a path means."""
    from .model import ModelError

    if path.is_dir():
        if (path / "run.h5").is_file():
            return path / "run.h5"
        raise ModelError(f"{path}: this folder holds no run.h5; give the folder that `holonom run` wrote to, or a run file")
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file or folder; check the path")
    return path


def names_of_runs(files: list[Path]) -> list[str]:
    """Short names that tell run files apart: the file's, the folder's where files are called alike, with a number where both are."""
    names = [p.stem for p in files]
    if len(set(names)) < len(names):
        names = [p.resolve().parent.name or p.stem for p in files]
    return [n if names.count(n) == 1 else f"{n} ({k + 1})" for k, n in enumerate(names)]


def load_run(path: Path) -> Run:
    from .results.store import load

    return load(run_file(path))


# ---- commands ------------------------------------------------------------------------------------------------------
@app.command(epilog=CODES)
@guarded
def run(
    model: ModelOrScript,
    end: Annotated[float | None, typer.Option(help="End time. Without it, the script beside the dataset is run.")] = None,
    steps: Annotated[int | None, typer.Option(help="Number of equal output steps (100).")] = None,
    dt: Annotated[float | None, typer.Option(help="Output interval, instead of --steps.")] = None,
    analysis: Annotated[str, typer.Option(help="auto, dynamics, kinematics, statics, quasistatics or initial.")] = "auto",
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
        str | None, typer.Option(help="compliant (forces), events or time-stepping (constraints); docs/rigid-contact.md.")
    ] = None,
    restitution: Annotated[float | None, typer.Option(help="Of contacts as constraints that have none of their own.")] = None,
    option: Annotated[list[str] | None, typer.Option("--option", "-o", help="Any other option of the integrator, NAME=VALUE.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("results"),
    script: Annotated[
        Path | None,
        typer.Option(help="Adams command script (.acf); default: model.acf beside the dataset, or the simulation script of a .cmd."),
    ] = None,
    geometry: Geometry = None,
    lenient: Lenient = False,
    missing: Missing = "error",
    report: Annotated[bool, typer.Option("--report", help="Write report.html too.")] = False,
    no_progress: NoProgress = False,
    debug: Debug = False,
) -> int:
    """Simulate a model, or run a script; results go to OUT/run.h5, and to the files of Adams that RESULTS and OUTPUT ask for."""
    from .model import ModelError
    from .model.base import MissingParts

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
            f"{model} is a script and says how long to simulate, and --end is given too; give {Path(machine.path or '').name} with --end"
        )
    if commands is None and script is None and end is None and analysis not in ("statics", "initial"):
        beside = Path(machine.path or model).with_suffix(".acf")
        if beside.is_file():
            script = beside
        elif machine.scripts:
            own = "Last_Sim" if "Last_Sim" in machine.scripts else next(iter(machine.scripts))
            print(
                f"script {own} of the model"
                + (f"; the others are {', '.join(sorted(set(machine.scripts) - {own}))}" if len(machine.scripts) > 1 else "")
            )
            commands = adams_script(machine.scripts[own], f"{model} ({own})")
        else:
            raise ModelError(
                f"{model}: there is no {beside.name} beside it, so the time to simulate is not known; give --end (and --steps)"
            )
    if script is not None and end is not None:
        raise ModelError("--script and --end are both given; use one of them")
    if script is not None:
        from .formats.adams import read_acf

        commands = read_acf(script, lenient)
    print_warnings([*machine.warnings, *(commands.warnings if commands is not None else ())])
    make_folder(out)
    announce_compilation()
    options: dict[str, Any] = {
        "integrator": integrator, "formulation": formulation, "error": error, "hmax": hmax, "hmin": hmin, "hinit": hinit, "kmax": kmax,
        "maxit": maxit, "corrector": corrector, "interpolate": interpolate, "pattern": pattern, **more_options(option or []),
    }  # fmt: skip
    options = {key: value for key, value in options.items() if value is not None}
    path = out / "run.h5"
    settings: dict[str, Any] = {"progress": False if no_progress else "log", "missing": missing, "keep": path}
    problem: Exception | None = None
    try:
        if commands is not None:
            from .formats.adams.session import run_script

            result = run_script(commands, machine, lenient=lenient, **settings, **options)
        else:
            from .analyses.simulate import simulate

            result = simulate(machine, end, steps, dt=dt, kind=analysis, **settings, **options)
    except ModelError as failure:
        if getattr(failure, "run", None) is None:
            if isinstance(failure, MissingParts):
                complain(failure)
                complain("give --missing zero to run without them", "hint")
                return BAD_INPUT
            raise
        problem, result = failure, failure.run  # type: ignore[attr-defined]
    if problem is not None:
        result.info["failed"] = str(problem)
    result.save(path)
    print_summary(result, time.perf_counter() - started)
    print_warnings([text for text in result.info.get("warnings", ()) if text not in machine.warnings])
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
    from .formats.adams.script import parse_acf

    return parse_acf(text, name)


def treat_contacts(machine: Model, contact: str | None, restitution: float | None) -> None:
    """Contacts of a model as forces or constraints, as the command line says."""
    from .model import ModelError

    if contact is not None:
        machine.rigid.method = contact
    if restitution is not None:
        machine.rigid.restitution = restitution
    for fault in machine.rigid.faults():
        raise ModelError(fault)


def write_asked_files(result: Run, out: Path) -> list[Path]:
    """The files of Adams that RESULTS and OUTPUT of the model ask for."""
    from .results.adams_files import write_adams_files

    return write_adams_files(result, out)


def print_linear(result: Run, out: Path) -> None:
    """Tables of the linear analyses of a script, and the files that it asks for."""
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
    input: Annotated[list[str] | None, typer.Option(help="VARIABLE or PINPUT/id; may be repeated. Default: all PINPUT.")] = None,
    output: Annotated[
        list[str] | None, typer.Option(help="VARIABLE, POUTPUT/id or expression; may be repeated. Default: all POUTPUT.")
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
    """Eigenvalues, modes and state matrices of a model about its start, its equilibrium (--statics) or a later time (--end)."""
    from .analyses.linearize import linearize
    from .model import ModelError

    if missing not in ("error", "zero"):
        raise ModelError(f"--missing {missing}: choose 'error' or 'zero'")
    if modes < 1:
        raise ModelError(f"--modes {modes}: give a positive number")
    machine = read_model(model, lenient)
    put_geometry(machine, geometry)
    print_warnings(machine.warnings)
    announce_compilation()
    found = linearize(machine, statics=statics, end=end, inputs=input or None, outputs=output or None, rm=rm, damping=not no_damping,
                      missing=missing)  # fmt: skip
    print_warnings(found.warnings)
    print(f"model {machine.name}: {found.nq} freedoms, {found.nx} states of differential equations, "
          f"{'stable' if found.stable else 'unstable'} at time {found.time:.6g} {machine.units.symbol('time')}")  # fmt: skip
    print(found.text(modes) if found.modes else "nothing is free to move")
    for number in range(1, min(energy, len(found.modes)) + 1):
        print(found.energy_text(number))
    for file in found.state_space().save(state_space) if state_space is not None else ():
        print(f"matrices: {file}")
    for what, path in (("table", found.to_csv(csv) if csv else None), ("all", found.save(save) if save else None),
                       ("report", found.report(report) if report else None)):  # fmt: skip
        if path is not None:
            print(f"{what}: {path}")
    return OK


def more_options(pairs: list[str]) -> dict[str, Any]:
    """``NAME=VALUE`` pairs; several numbers separated by commas become a tuple."""
    from .model import ModelError

    out: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip():
            raise ModelError(f"--option {pair}: write NAME=VALUE")
        parts = text.split(",")
        try:
            numbers = tuple(float(part) for part in parts)
        except ValueError:
            out[name.strip()] = text.strip()
        else:
            out[name.strip()] = numbers[0] if len(numbers) == 1 else numbers
    return out


def print_warnings(warnings: list[str], limit: int = 10) -> None:
    for text in warnings[:limit]:
        complain(text, "warning")
    if len(warnings) > limit:
        print(f"holonom: ... and {len(warnings) - limit} more warnings", file=sys.stderr)


def make_folder(path: Path) -> None:
    from .model import ModelError

    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ModelError(f"{path}: the folder cannot be made ({error.strerror}); give another one with --out") from None


def report_folder(result: Run) -> dict[str, Any]:
    """Meshes lie beside the model."""
    return {"folder": Path(result.model.path).parent} if result.model.path else {}


def print_summary(result: Run, seconds: float) -> None:
    """What ran, how, and how the solver fared."""
    info, counters = result.info, result.counters
    unit = result.units("time")
    dof = info.get("degrees_of_freedom")
    redundant = info.get("redundant", [])
    print(f"model {result.model.name}: {info.get('bodies', 0)} bodies, {info.get('equations', 0)} constraint equations, "
          f"{dof} degree{'s' * (dof != 1)} of freedom, {len(redundant) or 'no'} redundant")  # fmt: skip
    for text in redundant[:MAX_LINES]:
        print(f"  redundant: {text}")
    messages = [m for m in info.get("messages", []) if not m.startswith(("redundant:", "degrees of freedom:"))]
    left_out = [m for m in messages if m.startswith("left out:")]
    said = [*left_out[:MAX_LEFT_OUT], *(m for m in messages if m not in left_out)]
    if len(left_out) > MAX_LEFT_OUT:
        said.insert(MAX_LEFT_OUT, f"left out: ... and {len(left_out) - MAX_LEFT_OUT} more")
    for text in said[:MAX_LINES]:
        print(f"  {text}")
    if len(said) > MAX_LINES:
        print(f"  ... and {len(said) - MAX_LINES} more messages (in the report)")
    for s in result.segments:
        if s.end > s.start:
            print(f"{s.kind} from {result.time[s.start]:.6g} to {result.time[s.end - 1]:.6g} {unit}, {s.end - s.start} output rows")
    history = result.history
    if len(history):
        accepted = int((history["cause"] == "").sum())
        causes: dict[str, int] = {}
        for cause in history["cause"][history["cause"] != ""].tolist():
            causes[cause] = causes.get(cause, 0) + 1
        why = " (" + ", ".join(f"{n} {c}" for c, n in causes.items()) + ")" if causes else ""
        print(f"{accepted} steps, {len(history) - accepted} rejected{why}")
    numbers = [f"{name} {value:.6g}" for name, value in counters.items() if name != "cpu seconds"]
    if numbers:
        print("counters: " + ", ".join(numbers))
    if "cpu seconds" in counters:
        print(f"{counters['cpu seconds']:.3g} CPU s in the solver, {seconds:.3g} s in all")


@app.command(epilog=CODES)
@guarded
def check(
    model: ModelOrScript,
    geometry: Geometry = None,
    lenient: Lenient = False,
    no_assembly: Annotated[bool, typer.Option("--no-assembly", help="Do not assemble; count statements and look for faults only.")] = False,
    debug: Debug = False,
) -> int:
    """Read a model, list faults and what is missing, assemble it, count its degrees of freedom.  Exit code 2 if it cannot run."""
    from .analyses.check import check as examine

    machine, commands = read_with_script(model, lenient)
    put_geometry(machine, geometry)
    if commands is not None:
        machine.warnings += commands.warnings
        print(f"script {model}: {len(commands)} commands")
    if not no_assembly:
        announce_compilation()
    answer = examine(machine, assemble=not no_assembly)
    print(answer)
    return OK if answer.ok else BAD_INPUT


@app.command(epilog=CODES)
@guarded
def equations(
    model: ModelFile,
    geometry: Geometry = None,
    lenient: Lenient = False,
    debug: Debug = False,
) -> None:
    """List the unknowns and equations of a model by name."""
    from .analyses.equations import equations as listed

    machine = read_model(model, lenient)
    put_geometry(machine, geometry)
    announce_compilation()
    print(listed(machine))


@app.command(epilog=CODES)
@guarded
def export(
    results: Results = Path("results"),
    csv: Annotated[Path | None, typer.Option(help="Folder for CSV tables, one per part, joint, force and request.")] = None,
    req: Annotated[Path | None, typer.Option(help="Adams request file (.req).")] = None,
    res: Annotated[Path | None, typer.Option(help="Adams results file (.res, XML).")] = None,
    tab: Annotated[Path | None, typer.Option(help="Table of all requests (.tab).")] = None,
    reactions: Annotated[Path | None, typer.Option(help="Table of the largest loads of joints and forces (.csv).")] = None,
    movie: Annotated[Path | None, typer.Option(help="Film of the motion (.gif; .mp4 with ffmpeg).")] = None,
    speed: Annotated[float, typer.Option(help="Of the film and the glTF file: 1 for real time.")] = 1.0,
    gltf: Annotated[Path | None, typer.Option(help="The animated machine (.glb).")] = None,
    debug: Debug = False,
) -> None:
    """Write the results of a run as tables, as a film or as an animated glTF file."""
    from .model import ModelError

    if all(given is None for given in (csv, req, res, tab, reactions, movie, gltf)):
        raise ModelError(
            "nothing to write; give --csv FOLDER, --req FILE, --res FILE, --tab FILE, --reactions FILE, --movie FILE or --gltf FILE"
        )
    result = load_run(results)
    from .results.export import export_csv, export_req, export_tab

    if csv is not None:
        print(f"{len(export_csv(result, csv))} tables in {csv}")
    if req is not None:
        export_req(result, req)
        print(f"requests: {req}")
    if res is not None:
        from .results.adams_res import export_res

        export_res(result, res)
        print(f"results file: {res}")
    if tab is not None:
        export_tab(result, tab)
        print(f"table: {tab}")
    if reactions is not None:
        print(f"loads: {result.reactions(forces=True).csv(reactions)}")
    if movie is not None:
        print(f"film: {result.movie(movie, speed=speed, folder=report_folder(result).get('folder'))}")
    if gltf is not None:
        print(f"glTF: {result.export_gltf(gltf, speed=speed, folder=report_folder(result).get('folder'))}")


@app.command(epilog=CODES)
@guarded
def report(
    results: Annotated[
        list[Path] | None, typer.Argument(help="Folder with run.h5, or a run file; the curves of further ones are drawn over it.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="HTML file; default: report.html beside the (first) run.")] = None,
    animation: Annotated[bool, typer.Option("--animation/--no-animation", help="Put the 3D animation in.")] = True,
    meshes: Annotated[Path | None, typer.Option(help="Folder with the mesh files that the model names.")] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Show it in the browser.")] = False,
    debug: Debug = False,
) -> None:
    """Write plots, statistics and a 3D animation to one HTML file that opens offline; plots of several runs share their axes."""
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
    within: Annotated[float | None, typer.Option(help="Exit with 1 when a curve differs by more than this part of its range.")] = None,
    top: Annotated[int, typer.Option(help="How many curves to list.")] = 20,
    debug: Debug = False,
) -> int:
    """Compare two runs, curve by curve, the largest differences first."""
    from .results.compare import compare as differences

    answer = differences(load_run(first), load_run(second))
    print(answer.markdown(top))
    print(f"{len(answer)} curves at {len(answer.times)} times; largest difference {answer.max_relative:.3g} of range")
    return FAILED if within is not None and not answer.within(relative=within) else OK


@app.command(epilog=CODES)
@guarded
def clearance(
    source: Annotated[
        Path, typer.Argument(help="Folder with run.h5, a run file, or a dataset that is run first (--end).", show_default=False)
    ],
    between: Annotated[
        list[str] | None,
        typer.Option(help="A,B: two parts (or GRAPHICS/id); may be given again. Without: all pairs that no joint connects."),
    ] = None,
    end: Annotated[float | None, typer.Option(help="End time, where the source is a dataset.")] = None,
    steps: Annotated[int, typer.Option(help="Output steps of that run.")] = 100,
    within: Annotated[float | None, typer.Option(help="Exit with 1 when a distance is less than this.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Picture of the distances.")] = None,
    animation: Annotated[Path | None, typer.Option(help="Animation with lines between the nearest points.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Table of the distances over time.")] = None,
    debug: Debug = False,
) -> int:
    """Least distances of parts over a motion: how near, when and where, and whether they touch."""
    from .model import ModelError

    if source.suffix.lower() in (".adm", ".json", ".cmd"):
        if end is None:
            raise ModelError(f"{source} is a model, so the time to simulate is not known; give --end, or the folder of a run")
        from .analyses.simulate import simulate

        announce_compilation()
        result = simulate(read_model(source), end=end, steps=steps)
    else:
        result = load_run(source)
    from .results.clearance import command

    found = command(result, between or [], print, plot=plot, animation=animation, csv=csv)
    return FAILED if within is not None and min(f.least for f in found) < within else OK


@app.command(epilog=CODES)
@guarded
def fatigue(
    results: Results = Path("results"),
    signal: Annotated[str, typer.Option(help="What is counted: JOINT/3.FX (F or T, X, Y, Z or M), or a name as the tables have it.")] = "",
    sn: Annotated[str | None, typer.Option(help="Curve: STRESS,CYCLES,SLOPE[,haibach|elementary|original], ec3=80 or iiw=90.")] = None,
    mean: Annotated[
        str | None, typer.Option(help="Mean-stress correction: goodman=600, gerber=, soderberg=, morrow=, walker=, fkm=, swt.")
    ] = None,
    factor: Annotated[float, typer.Option(help="Stress per unit of the signal.")] = 1.0,
    slope: Annotated[float, typer.Option(help="Slope of the pseudo-damage.")] = 5.0,
    residue: Annotated[str, typer.Option(help="What does not close: 'half', 'repeat' or 'none'.")] = "half",
    hysteresis: Annotated[float, typer.Option(help="Smallest range that counts, in the unit of the signal.")] = 0.0,
    csv: Annotated[Path | None, typer.Option(help="Table of the cycles.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Picture: the curve with the cycles, or their spectrum.")] = None,
    debug: Debug = False,
) -> None:
    """Count the cycles of a load by rainflow; its damage on an S-N curve."""
    from .model import ModelError

    if not signal:
        raise ModelError("give what is counted, as in --signal JOINT/3.FX")
    result = load_run(results)
    from .durability.command import fatigue as count

    lines = count(result, signal, slope=slope, sn=sn, mean=mean, factor=factor, residue=residue, hysteresis=hysteresis, csv=csv, plot=plot)
    print("\n".join(lines))


vehicle_app = typer.Typer(
    name="vehicle", help="Suspensions and vehicles from a vehicle file.", no_args_is_help=True, add_completion=False, rich_markup_mode=None
)
app.add_typer(vehicle_app)
VehicleName = Annotated[
    str, typer.Argument(help="Vehicle file (.json, .yaml), or a shipped one: sedan, coupe, pickup.", show_default=False)
]


@vehicle_app.command(epilog=CODES)
@guarded
def kc(
    file: VehicleName,
    axle: Annotated[list[str] | None, typer.Option(help="front or rear; may be repeated. Default: both.")] = None,
    mode: Annotated[str, typer.Option(help="kinematic (joints) or compliant (bushings).")] = "kinematic",
    move: Annotated[list[str] | None, typer.Option(help="Move a hardpoint first, as front.tie_rod_inner=0,0,5; may be repeated.")] = None,
    compare: Annotated[str | None, typer.Option(help="A second vehicle file on the same page; with --move: the file before it.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Page of curves (png, pdf, svg); the axle's name is added.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Folder for a table of each sweep.")] = None,
    matrix: Annotated[bool, typer.Option(help="Print the compliance matrix of both wheels.")] = False,
    debug: Debug = False,
) -> None:
    """Kinematics and compliance of the axles of a vehicle file: characteristics, curves, tables."""
    from .vehicle.command import kc as characteristics

    announce_compilation()
    characteristics(file, axle or ["front", "rear"], mode, move or [], compare, plot, csv, matrix, print)


@vehicle_app.command(epilog=CODES)
@guarded
def drive(
    file: VehicleName,
    manoeuvre: Annotated[
        str, typer.Argument(help="lane-change, steer-step, slow-ramp, steady-circle, braking, ...; an unknown word lists all.")
    ] = "lane-change",
    speed: Annotated[float | None, typer.Option(help="km/h. Default: that of the standard.")] = None,
    mode: Annotated[str, typer.Option(help="kinematic (joints) or compliant (bushings).")] = "kinematic",
    driver: Annotated[
        str, typer.Option(help="Of the lane change: preview, stanley, pid, mpc, network, or the file of a network.")
    ] = "preview",
    part: Annotated[int, typer.Option(help="Of ISO 3888: 1 (severe lane change) or 2 (obstacle avoidance).")] = 1,
    move: Annotated[list[str] | None, typer.Option(help="Move a hardpoint first, as front.tie_rod_inner=0,0,5; may be repeated.")] = None,
    set: Annotated[list[str] | None, typer.Option("--set", help="A number of the manoeuvre (SI), as ay=3; may be repeated.")] = None,
    change: Annotated[
        list[str] | None, typer.Option(help="A number of the vehicle file (its units), as front.spring.rate=30; may be repeated.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="File for the curves (png, pdf, svg).")] = None,
    animation: Annotated[Path | None, typer.Option(help="File for the animation (html).")] = None,
    report: Annotated[Path | None, typer.Option(help="File for the report (html): metrics, curves, animation.")] = None,
    grid: Annotated[list[str] | None, typer.Option(help="A study over values of the manoeuvre, as ay=2,3,4; may be repeated.")] = None,
    vary: Annotated[list[str] | None, typer.Option(help="A study over values of the vehicle file, as front.spring.rate=20,25,30.")] = None,
    csv: Annotated[Path | None, typer.Option(help="File for the table of a study.")] = None,
    debug: Debug = False,
) -> None:
    """Drive a manoeuvre with a vehicle file: the standard's metrics, curves, animation, report."""
    from .vehicle.command import drive as manoeuvre_of

    announce_compilation()
    manoeuvre_of(
        file, manoeuvre, speed, mode, driver, part, move or [], plot, animation, print, sets=set or [], changes=change or [], report=report,
        grid=grid or [], vary=vary or [], csv=csv,
    )  # fmt: skip


@vehicle_app.command(name="loads", epilog=CODES)
@guarded
def vehicle_loads(
    file: VehicleName,
    mode: Annotated[str, typer.Option(help="kinematic (joints) or compliant (bushings).")] = "kinematic",
    case: Annotated[list[str] | None, typer.Option(help="rest, braking, cornering, pothole or kerb; may be repeated (all).")] = None,
    part: Annotated[list[str] | None, typer.Option(help="Name of a part; may be repeated (all but the wheels).")] = None,
    g: Annotated[float, typer.Option(help="Of braking and cornering, as a share of the weight.")] = 1.0,
    out: Annotated[Path | None, typer.Option(help="Folder for histories and extremes (csv) and Nastran cards (bdf).")] = None,
    nastran: Annotated[bool, typer.Option("--nastran/--no-nastran", help="Write FORCE and MOMENT cards too.")] = True,
    debug: Debug = False,
) -> None:
    """Load cases of the strength engineer: loads of parts at their hardpoints, balanced by inertia, for finite elements."""
    from .vehicle.command import loads

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
    seed: Annotated[int, typer.Option(help="Of the random lane changes.")] = 1,
    out: Annotated[Path, typer.Option(help="File of the network (json).")] = Path("driver.json"),
    debug: Debug = False,
) -> None:
    """Train a neural-network driver by imitation; `holonom vehicle drive FILE --driver driver.json` lets it drive."""
    from .vehicle.command import train_driver

    announce_compilation()
    train_driver(file, teacher, drives, rounds, hidden or [24, 16], seed, out, print)


@vehicle_app.command(name="drivers", epilog=CODES)
@guarded
def vehicle_drivers(
    file: VehicleName,
    driver: Annotated[list[str] | None, typer.Option(help="A driver, or the file of a network; may be repeated (pid, network).")] = None,
    part: Annotated[list[int] | None, typer.Option(help="Part of ISO 3888; may be repeated (1, 2).")] = None,
    teacher: Annotated[str, typer.Option(help="Whose way the others are held against.")] = "preview",
    mode: Annotated[str, typer.Option(help="kinematic (joints) or compliant (bushings).")] = "kinematic",
    step: Annotated[float, typer.Option(help="Of the speed, km/h.")] = 2.5,
    plot: Annotated[Path | None, typer.Option(help="Picture of their ways.")] = None,
    debug: Debug = False,
) -> None:
    """Highest speeds of drivers in the lane changes of ISO 3888, and how far their ways are from the teacher's."""
    from .vehicle.command import compare as compare_drivers

    announce_compilation()
    compare_drivers(file, driver or ["pid", "network"], part or [1, 2], teacher, mode, step, plot, print)


rail_app = typer.Typer(
    name="rail",
    help="Wheels on rails: conicity, critical speed, curves.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.add_typer(rail_app)
WheelProfile = Annotated[str, typer.Option(help="s1002 or a file.")]
RailProfile = Annotated[str, typer.Option(help="uic60 or a file.")]
CoachData = Annotated[Path | None, typer.Option(help='JSON with changes of the coach, as {"body": {"mass": 40000}}.')]


@rail_app.command(epilog=CODES)
@guarded
def conicity(
    wheel: WheelProfile = "s1002",
    rail: RailProfile = "uic60",
    gauge: Annotated[float, typer.Option(help="mm, 14 mm below the top.")] = 1435.0,
    inclination: Annotated[float, typer.Option(help="n of 1 : n; 0 stands upright.")] = 40.0,
    radius: Annotated[float, typer.Option(help="Of the wheels, mm.")] = 460.0,
    spacing: Annotated[float, typer.Option(help="Distance of the tape circles, mm.")] = 1500.0,
    reach: Annotated[float, typer.Option(help="Largest lateral place, mm.")] = 8.0,
    plot: Annotated[Path | None, typer.Option(help="File for the curves (png, pdf, svg).")] = None,
    csv: Annotated[Path | None, typer.Option(help="File for the table, metres and radians.")] = None,
    debug: Debug = False,
) -> None:
    """Contact geometry of a wheelset and its equivalent conicity (UIC 519, EN 15302)."""
    from .rail.command import conicity as conicity_of

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
    from .rail.command import critical as critical_of

    announce_compilation()
    critical_of(low, high, points, data, mu, wheel, rail, print)


@rail_app.command(epilog=CODES)
@guarded
def coach(
    speed: Annotated[float, typer.Option(help="km/h.")] = 108.0,
    radius: Annotated[float | None, typer.Option(help="Of a curve to the left, m. Default: straight.")] = None,
    cant: Annotated[float, typer.Option(help="mm.")] = 0.0,
    transition: Annotated[float, typer.Option(help="Length of the transition, m.")] = 60.0,
    length: Annotated[float, typer.Option(help="Of the curve, or the straight, m.")] = 120.0,
    rough: Annotated[str | None, typer.Option(help="Irregularities: 'FRA 1' to 'FRA 6', 'ERRI low', 'ERRI high'.")] = None,
    seed: Annotated[int, typer.Option(help="Of the irregularities.")] = 0,
    data: CoachData = None,
    mu: Annotated[float, typer.Option(help="Friction.")] = 0.35,
    wheel: WheelProfile = "s1002",
    rail: RailProfile = "uic60",
    plot: Annotated[Path | None, typer.Option(help="File for the curves (png, pdf, svg).")] = None,
    debug: Debug = False,
) -> None:
    """Run a coach through a curve or over irregularities: forces, quotients, limits."""
    from .rail.command import run_coach

    announce_compilation()
    run_coach(speed, radius, cant, transition, length, rough, seed, data, mu, wheel, rail, plot, print)


structures_app = typer.Typer(
    name="structures", help="Buildings under earthquakes, with dampers.", no_args_is_help=True, add_completion=False, rich_markup_mode=None
)
app.add_typer(structures_app)
RecordFile = Annotated[str, typer.Argument(help="Record: FILE or FILE:UNITS (g, m/s2, cm/s2 ...).", show_default=False)]
Full = Annotated[bool, typer.Option("--full", help="Beams between nodes, in place of the frame condensed to its floors.")]


@structures_app.command("study", epilog=CODES)
@guarded
def structures_study(
    record: Annotated[list[str] | None, typer.Option(help="FILE or FILE:UNITS (g, m/s2, cm/s2 ...); may be repeated.")] = None,
    dampers: Annotated[
        list[str] | None, typer.Option(help="Storeys with dampers, as 1,2,3; may be repeated. Default: four placements.")
    ] = None,
    c: Annotated[str, typer.Option(help="Constants C of all dampers together, N (s/m)^a.")] = "4e5,8e5,1.6e6",
    a: Annotated[str, typer.Option(help="Exponents a.")] = "0.3,0.5,1",
    peak: Annotated[float | None, typer.Option(help="Scale every record to this peak, g.")] = None,
    storeys: Annotated[int, typer.Option(help="Storeys of the steel frame.")] = 6,
    bays: Annotated[int, typer.Option(help="Bays of the steel frame.")] = 2,
    damping: Annotated[float, typer.Option(help="Ratio of all modes.")] = 0.02,
    full: Full = False,
    all_: Annotated[bool, typer.Option("--all", help="Every placement at every C and a, not the best one only.")] = False,
    end: Annotated[float | None, typer.Option(help="End time, s. Default: that of the record.")] = None,
    plot: Annotated[Path | None, typer.Option(help="File for the pictures (png, pdf, svg).")] = None,
    csv: Annotated[Path | None, typer.Option(help="File for the table.")] = None,
    debug: Debug = False,
) -> None:
    """A steel frame under records, with power dampers by placement, constant and exponent: drift, displacement, base shear, energy."""
    from .structures.command import study as damper_study

    announce_compilation()
    damper_study(record or [], peak, storeys, bays, full, dampers or [], c, a, all_, end, damping, plot, csv, print)


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
    """Newmark, HHT, RADAU5 and DOP853 on a linear frame against superposition of its modes: error, steps, CPU."""
    from .structures.command import integrators as compared

    announce_compilation()
    compared(record, storeys, bays, full, end, rayleigh, print)


@structures_app.command("steel-damper", epilog=CODES)
@guarded
def structures_steel_damper(
    steel: Annotated[
        list[str] | None, typer.Option(help="LY100, S235, S355, S460 or S690; may be repeated. Default: S235 and S690.")
    ] = None,
    amplitude: Annotated[float, typer.Option(help="m.")] = 0.03,
    sizes: Annotated[str, typer.Option(help="Legs, half back, depth and breadth of its section, m.")] = "0.25,0.2,0.04,0.06",
    plot: Annotated[Path | None, typer.Option(help="File for the loops (png, pdf, svg).")] = None,
    debug: Debug = False,
) -> None:
    """E-shaped steel damper by four laws: loop, loss a cycle, equivalent damping, mild against high-strength steel."""
    from .structures.command import steel_damper

    steel_damper(steel or ["S235", "S690"], amplitude, sizes, plot, print)


@structures_app.command("dampers", epilog=CODES)
@guarded
def structures_dampers(
    amplitude: Annotated[float, typer.Option(help="m.")] = 0.02,
    frequency: Annotated[float, typer.Option(help="Hz.")] = 1.0,
    debug: Debug = False,
) -> None:
    """Every damper in harmonic motion: loss, storage and loss stiffness, simulated and in closed form."""
    from .structures.command import dampers

    announce_compilation()
    dampers(amplitude, frequency, print)


machinery_app = typer.Typer(
    name="machinery",
    help="Gears, cams, bearings, brakes; studies of contact machines.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.add_typer(machinery_app)
Pictures = Annotated[Path | None, typer.Option(help="File for the pictures (png, pdf, svg).")]


@machinery_app.command("gears", epilog=CODES)
@guarded
def machinery_gears(
    teeth: Annotated[str, typer.Option(help="Of pinion and wheel.")] = "20,30",
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
    """A pair of gears: geometry, mesh stiffness and ISO 6336, transmission error, loss; closed forms and a run."""
    from .machinery.command import gears

    announce_compilation()
    gears(teeth, module, helix, shift, width, internal, relief, torque, friction, plot, print)


@machinery_app.command("gearbox", epilog=CODES)
@guarded
def machinery_gearbox(
    speed: Annotated[float, typer.Option(help="Of the motor, rad/s.")] = 100.0,
    rise: Annotated[float, typer.Option(help="Time of the run-up, s.")] = 0.6,
    plot: Pictures = None,
    debug: Debug = False,
) -> None:
    """Run-up of a two-stage gearbox and the spectrum of its meshes over orders of the input shaft."""
    from .machinery.command import gearbox

    announce_compilation()
    gearbox(speed, rise, plot, print)


@machinery_app.command("cams", epilog=CODES)
@guarded
def machinery_cams(debug: Debug = False) -> None:
    """Peak factors of lift laws, closed form and computed."""
    from .machinery.command import cams

    cams(print)


@machinery_app.command("bearings", epilog=CODES)
@guarded
def machinery_bearings(debug: Debug = False) -> None:
    """Short journal bearings (Sommerfeld's number, oil whirl) and rolling bearings (Stribeck)."""
    from .machinery.command import bearings

    bearings(print)


@machinery_app.command("brakes", epilog=CODES)
@guarded
def machinery_brakes(debug: Debug = False) -> None:
    """Disc, drum and band: factors; stops under several conditions against the closed form."""
    from .machinery.command import brakes

    announce_compilation()
    brakes(print)


@machinery_app.command("drives", epilog=CODES)
@guarded
def machinery_drives(debug: Debug = False) -> None:
    """Flat, V and timing belts, the polygon of chains, clutches that engage, pads that groan: runs beside closed forms."""
    from .machinery.command import drives

    announce_compilation()
    drives(print)


@machinery_app.command("rope-study", epilog=CODES)
@guarded
def machinery_rope_study(
    full: Annotated[bool, typer.Option("--full", help="The whole table; takes minutes.")] = False,
    dampings: Annotated[str | None, typer.Option(help="Separated by commas: shares of each stiffness, s.")] = None,
    method: Annotated[list[str] | None, typer.Option(help="GSTIFF, GSTIFF/SI2, HHT, RADAU5 ...; may be repeated.")] = None,
    error: Annotated[float, typer.Option(help="Tolerance.")] = 1e-3,
    end: Annotated[float | None, typer.Option(help="End time, s.")] = None,
    budget: Annotated[float | None, typer.Option(help="CPU seconds for each run.")] = None,
    segments: Annotated[int, typer.Option(help="Of the rope.")] = 105,
    plot: Pictures = None,
    debug: Debug = False,
) -> None:
    """Steel rope over a pulley with hanging weights, pulled in two stages: forces over the segments, shocks of the load, methods and dampings."""
    from .machinery.command import rope_study

    announce_compilation()
    rope_study(full, dampings, method or [], error, end, budget, segments, plot, print)


@machinery_app.command("ball-study", epilog=CODES)
@guarded
def machinery_ball_study(
    full: Annotated[bool, typer.Option("--full", help="The whole table; takes minutes.")] = False,
    dampings: Annotated[str | None, typer.Option(help="Separated by commas, N s/mm.")] = None,
    method: Annotated[list[str] | None, typer.Option(help="GSTIFF, GSTIFF/SI2, HHT, RADAU5 ...; may be repeated.")] = None,
    errors: Annotated[str | None, typer.Option(help="Tolerances, separated by commas.")] = None,
    end: Annotated[float | None, typer.Option(help="End time, s.")] = None,
    budget: Annotated[float | None, typer.Option(help="CPU seconds for each run.")] = None,
    debug: Debug = False,
) -> None:
    """Ball on a plate over dampings, methods and tolerances: restitution beside an integration by itself, energy made, cost."""
    from .machinery.command import ball_study

    announce_compilation()
    ball_study(full, dampings, method or [], errors, end, budget, print)


@machinery_app.command("gear-study", epilog=CODES)
@guarded
def machinery_gear_study(
    full: Annotated[bool, typer.Option("--full", help="The whole table; takes minutes.")] = False,
    dampings: Annotated[str | None, typer.Option(help="Separated by commas, N s/mm.")] = None,
    method: Annotated[list[str] | None, typer.Option(help="GSTIFF, GSTIFF/SI2, HHT, RADAU5 ...; may be repeated.")] = None,
    errors: Annotated[str | None, typer.Option(help="Tolerances, separated by commas.")] = None,
    end: Annotated[float | None, typer.Option(help="End time, s.")] = None,
    budget: Annotated[float | None, typer.Option(help="CPU seconds for each run.")] = None,
    debug: Debug = False,
) -> None:
    """Helical gears in contact over dampings, methods and tolerances: how long contact holds, where it chatters, period of the mesh, cost."""
    from .machinery.command import gear_study

    announce_compilation()
    gear_study(full, dampings, method or [], errors, end, budget, print)


flexible_app = typer.Typer(
    name="flexible",
    help="Ropes, belts and bars that hit each other, beside closed forms and published numbers.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.add_typer(flexible_app)
Page = Annotated[Path | None, typer.Option(help="File for a page with the animation, coloured by stress (html).")]
RopeModel = Annotated[str, typer.Option("--model", help="rod (exact beams) or cable (absolute nodal coordinates).")]


@flexible_app.command("rope", epilog=CODES)
@guarded
def flexible_rope(
    friction: Annotated[str, typer.Option(help="Coefficients, separated by commas.")] = "0.2,0.3",
    turns: Annotated[str, typer.Option(help="Of the rope round the drum, separated by commas.")] = "0.5,1",
    model: RopeModel = "rod",
    nodes: Annotated[int | None, typer.Option(help="On half a turn; default: 16 of a rod, 24 of a cable.")] = None,
    error: Annotated[float, typer.Option(help="Local integration error, relative.")] = 1e-4,
    report: Page = None,
    debug: Debug = False,
) -> None:
    """Rope drawn over a fixed drum against Euler and Eytelwein; the page is that of the last run."""
    from .machinery.flexible_command import rope

    announce_compilation()
    rope(friction, turns, model, nodes, error, report, print)


@flexible_app.command("belt", epilog=CODES)
@guarded
def flexible_belt(
    model: RopeModel = "rod",
    elements: Annotated[int | None, typer.Option(help="Of the belt; default: ten on the half of a pulley.")] = None,
    load: Annotated[float, typer.Option(help="Torque on the driven pulley, N m.")] = 4.0,
    tension: Annotated[float, typer.Option(help="Of the belt as drawn, N.")] = 100.0,
    report: Page = None,
    debug: Debug = False,
) -> None:
    """Belt drive: torque by friction, tensions of both strands, elastic creep."""
    from .machinery.flexible_command import belt

    announce_compilation()
    belt(model, elements, load, tension, report, print)


@flexible_app.command("bars", epilog=CODES)
@guarded
def flexible_bars(
    flat: Annotated[bool, typer.Option("--flat", help="Flat bars of one section against St Venant's waves.")] = False,
    mesh: Annotated[str, typer.Option(help="uniform, graded or fine.")] = "graded",
    rings: Annotated[int, typer.Option(help="Of nodes that are kept, around the tip.")] = 5,
    layers: Annotated[int, typer.Option(help="Of nodes that are kept, into the bar.")] = 1,
    modes: Annotated[int, typer.Option(help="Of each bar.")] = 7,
    cells: Annotated[int, typer.Option(help="Of flat bars, along the shorter one.")] = 100,
    ratio: Annotated[float, typer.Option(help="Of the lengths of flat bars.")] = 2.0,
    report: Page = None,
    debug: Debug = False,
) -> None:
    """A brass bar with a round end hits a flat aluminium bar at 0.21 m/s: nodes where they touch and modes elsewhere against all freedoms."""
    from .machinery.flexible_command import bars

    announce_compilation()
    bars(flat, mesh, rings, layers, modes, cells, ratio, report, print)


@flexible_app.command("study", epilog=CODES)
@guarded
def flexible_study(
    mesh: Annotated[str, typer.Option(help="uniform, graded or fine.")] = "graded",
    csv: Annotated[Path | None, typer.Option(help="File for the table.")] = None,
    plot: Pictures = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: one a core.")] = None,
    debug: Debug = False,
) -> None:
    """The 140 runs of the bars: 1 to 4 layers, 1 to 5 rings, 7 to 43 modes; correlation and peak against all freedoms."""
    from .machinery.flexible_command import study

    announce_compilation()
    study(mesh, csv, plot, workers, print)


@app.command(epilog=CODES)
@guarded
def compare_formulations(
    model: ModelFile,
    end: Annotated[float, typer.Option(help="End time.", show_default=False)],
    steps: Annotated[int | None, typer.Option(help="Number of equal output steps (100).")] = None,
    dt: Annotated[float | None, typer.Option(help="Output interval, instead of --steps.")] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="rigid, KED, 'KED quasi-static' or floating; may be repeated. Default: all.")
    ] = None,
    within: Annotated[float, typer.Option(help="Difference to the floating frame that counts as none.")] = 0.02,
    integrator: Annotated[str | None, typer.Option(help="Of all runs; default: RADAU5 for the floating frame.")] = None,
    error: Annotated[float | None, typer.Option(help="Local integration error, relative.")] = None,
    option: Annotated[list[str] | None, typer.Option("--option", "-o", help="Any other option of the integrator, NAME=VALUE.")] = None,
    out: Annotated[Path | None, typer.Option(help="File for the table: .csv, .md or .html (with curves).")] = None,
    lenient: Lenient = False,
    debug: Debug = False,
) -> int:
    """Run a machine in which parts bend with rigid parts, by KED and in the floating frame: deflections, frequency, CPU, and which to use."""
    from .analyses.formulations import compare as by_formulation
    from .model import ModelError

    if steps is not None and dt is not None:
        raise ModelError("--steps and --dt are both given; use one of them")
    machine = read_model(model, lenient)
    print_warnings(machine.warnings)
    announce_compilation()
    options = {"integrator": integrator, "error": error, **more_options(option or [])}
    options = {key: value for key, value in options.items() if value is not None}
    found = by_formulation(machine, end, steps, dt=dt, formulations=tuple(only) if only else None, within=within, **options)
    print(found)
    if out is not None:
        print(f"comparison: {found.save(out)}")
    return OK if any(row.run is not None for row in found.rows) else FAILED


@app.command(epilog=CODES)
@guarded
def convert(
    source: ModelFile,
    target: Annotated[Path, typer.Argument(help="File to write: .json or .adm.", show_default=False)],
    lenient: Lenient = False,
    debug: Debug = False,
) -> None:
    """Write a model in another format (.json, .adm)."""
    from .model import ModelError

    if target.suffix.lower() not in (".json", ".adm"):
        raise ModelError(f"{target}: models are written as .json or .adm; give a file with one of these endings")
    model = read_model(source, lenient)
    print_warnings(model.warnings)
    if target.suffix.lower() == ".json":
        target.write_text(model.to_json() + "\n", encoding="utf-8")
    else:
        from .formats.adams import write_adm

        write_adm(model, target)
    print(f"model: {target}")


@app.command(epilog=CODES)
@guarded
def warmup(
    all_: Annotated[bool, typer.Option("--all", help="Also those of every kind of contact and of all shipped models; minutes.")] = False,
    debug: Debug = False,
) -> None:
    """Compile kernels now, so that the first run does not have to."""
    from ._jit import cache_root
    from .warmup import everything, warm

    root = cache_root()
    print(f"kernels are kept in {root}" if root else "no folder can be written, so kernels cannot be kept; set HOLONOM_CACHE_DIR")
    started = time.perf_counter()
    for name, work in everything() if all_ else warm():
        print(f"{name} ... ", end="", flush=True)
        begin = time.perf_counter()
        work()
        print(f"{time.perf_counter() - begin:.1f} s", flush=True)
    print(f"ready after {time.perf_counter() - started:.1f} s")


@app.command(epilog=CODES)
@guarded
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("demo-out"),
    name: Annotated[str, typer.Option(help="Which of the shipped models.")] = "crane",
    end: Annotated[float | None, typer.Option(help="End time.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="Names of the shipped models and what they show, and no run.")] = False,
    no_progress: NoProgress = False,
    debug: Debug = False,
) -> int:
    """Run a machine that comes with Holonom and write its report."""
    from .model import ModelError

    folder = Path(__file__).parent / "models"
    shipped = sorted(p for p in folder.glob("*.adm"))
    if not shipped:
        raise ModelError(f"{folder}: no model comes with this installation; install Holonom again")
    if list_:
        width = max(len(p.stem) for p in shipped)
        for p in shipped:
            with p.open(encoding="utf-8") as text:
                print(f"{p.stem:{width}}  {text.readline().strip()}")
        return OK
    chosen = next((p for p in shipped if p.stem == name), None)
    if chosen is None:
        if name != "crane":
            raise ModelError(f"there is no shipped model '{name}'; choose one of {', '.join(p.stem for p in shipped)}")
        chosen = shipped[0]
    print(f"model: {chosen}")
    scripted = end is None and chosen.with_suffix(".acf").is_file()
    try:
        run(chosen, end=None if scripted else (end or 10.0), steps=None if scripted else 500, out=out, report=True,
            no_progress=no_progress, debug=debug)  # fmt: skip
    except typer.Exit as done:
        code = done.exit_code
    if code in (OK, FAILED, INTERRUPTED):
        print(f"open {(out / 'report.html').resolve()} in a browser")
    return code


@app.command(epilog=CODES)
@guarded
def studio(
    model: Annotated[
        Path | None, typer.Argument(help="Model to open: .adm, .cmd or .json. Without one: an empty model.", show_default=False)
    ] = None,
    folder: Annotated[Path | None, typer.Option(help="Folder of the project; default: that of the model, else the present one.")] = None,
    example: Annotated[str | None, typer.Option(help="A model that comes with Holonom; it is copied into the project's folder.")] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; other than the loopback: whoever has the token can use it.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0: any that is free.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Show the address and open no browser.")] = False,
    debug: Debug = False,
) -> int:
    """Open the Studio: the machine in the browser, to be looked at, edited and run."""
    from .model import ModelError
    from .studio import serve

    if model is not None and example is not None:
        raise ModelError("a model and --example are both given; use one of them")
    if example is not None:
        shipped = Path(__file__).parent / "models" / f"{example}.adm"
        if not example.isidentifier() or not shipped.is_file():
            raise ModelError(f"there is no shipped model '{example}'; `holonom demo --list` shows them")
        folder = folder or Path.cwd()
        make_folder(folder)
        for source in (shipped, shipped.with_suffix(".acf")):
            if source.is_file() and not (folder / source.name).exists():
                (folder / source.name).write_bytes(source.read_bytes())
        model = folder / shipped.name
    serve(model, folder, host=host, port=port, browser=not no_browser)
    return OK


@app.command(epilog=CODES)
@guarded
def version(debug: Debug = False) -> None:
    """Version of Holonom, Python and the numerical packages, and where kernels are kept."""
    import platform
    from importlib.metadata import version as of

    from . import __version__
    from ._jit import cache_root
    from ._shipped import shipped

    packages = ", ".join(f"{name} {of(name)}" for name in ("numpy", "scipy", "numba", "llvmlite", "h5py"))
    print(f"holonom {__version__}, Python {platform.python_version()}, {packages}")
    print(f"kernel cache: {cache_root() or 'none'}")
    print(f"compiled kernels: {shipped().reason}")


def main() -> None:
    """Entry point of the ``holonom`` command."""
    try:
        app()
    except KeyboardInterrupt:  # while Python was still importing
        complain("stopped by the user", "interrupted")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
