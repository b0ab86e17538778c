"""Commands on models: ``check``, ``equations``, ``compare-formulations``, ``convert``, ``fmu``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._warnings import model_warnings_to
from .application import (
    BAD_INPUT,
    CODES,
    FAILED,
    OK,
    Debug,
    Geometry,
    Lenient,
    ModelFile,
    ModelOrScript,
    announce_compilation,
    app,
    guarded,
)
from .files import put_geometry, read_model, read_with_script

if TYPE_CHECKING:
    from ..model import Model


@app.command(epilog=CODES)
@guarded
def check(
    model: ModelOrScript,
    geometry: Geometry = None,
    lenient: Lenient = False,
    no_assembly: Annotated[
        bool, typer.Option("--no-assembly", help="Do not assemble; count statements and search for faults only.")
    ] = False,
    debug: Debug = False,
) -> int:
    """Read a model, list its faults and missing data, assemble it, count its degrees of freedom. Exit code 2 if it
    cannot be simulated."""
    from ..analyses.checks.check import check as examine

    with model_warnings_to(lambda text: None):  # they are in the answer
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
    from ..analyses.checks.equations import equations as listed

    machine = read_model(model, lenient)
    put_geometry(machine, geometry)
    announce_compilation()
    print(listed(machine))


@app.command(epilog=CODES)
@guarded
def compare_formulations(
    model: ModelFile,
    end: Annotated[float, typer.Option(help="End time.", show_default=False)],
    steps: Annotated[int | None, typer.Option(help="Number of equal output steps (100).")] = None,
    dt: Annotated[float | None, typer.Option(help="Output interval, instead of --steps.")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="rigid, KED, 'KED quasi-static' or floating; may be repeated. Default: all."),
    ] = None,
    within: Annotated[float, typer.Option(help="Difference from the floating frame that counts as zero.")] = 0.02,
    integrator: Annotated[
        str | None, typer.Option(help="Integrator of all runs; default: RADAU5 for the floating frame.")
    ] = None,
    error: Annotated[float | None, typer.Option(help="Local integration error, relative.")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="Any other option of the integrator, NAME=VALUE.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File for the table: .csv, .md or .html (with curves).")] = None,
    lenient: Lenient = False,
    debug: Debug = False,
) -> int:
    """Run a mechanism with flexible parts as a rigid mechanism, by KED and in the floating frame of reference:
    deflections, frequency, CPU time, and which formulation to use."""
    from ..analyses.formulations import compare as by_formulation
    from ..model import ModelError
    from ..model.pairs import named_values

    if steps is not None and dt is not None:
        raise ModelError("--steps and --dt are both given; use one of them")
    machine = read_model(model, lenient)
    announce_compilation()
    options = {"integrator": integrator, "error": error, **named_values(option or [], "--option")}
    options = {key: value for key, value in options.items() if value is not None}
    found = by_formulation(
        machine, end, steps, dt=dt, formulations=tuple(only) if only else None, within=within, **options
    )
    print(found)
    if out is not None:
        print(f"comparison: {found.save(out)}")
    return OK if any(row.run is not None for row in found.rows) else FAILED


def write_model(made: Callable[[], Model], target: Path) -> None:
    """Write the model that ``made`` gives by the ending of a file.  Raises ModelError for other endings, before."""
    from ..model import ModelError

    if target.suffix.lower() not in (".json", ".adm"):
        raise ModelError(f"{target}: models are written as .json or .adm; give a file with one of these endings")
    model = made()
    if target.suffix.lower() == ".json":
        target.write_text(model.to_json() + "\n", encoding="utf-8")
    else:
        from ..formats.adams import write_adm

        write_adm(model, target)
    print(f"model: {target}")


@app.command(epilog=CODES)
@guarded
def convert(
    source: ModelFile,
    target: Annotated[Path, typer.Argument(help="File to write: .json or .adm.", show_default=False)],
    lenient: Lenient = False,
    debug: Debug = False,
) -> None:
    """Write a model in another format (.json, .adm)."""
    write_model(lambda: read_model(source, lenient), target)


def _named(texts: list[str], plain: str | None = None) -> dict[str, Any]:
    """NAME=VALUE, or NAME=A; B; C as a list; a text without "=" is ``plain``, or itself."""
    out: dict[str, Any] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        some = [part.strip() for part in value.split(";")]
        out[name] = (name if plain is None else plain) if not equals else some if len(some) > 1 else value
    return out


@app.command(epilog=CODES)
@guarded
def fmu(
    model: ModelFile,
    target: Annotated[Path, typer.Argument(help="File to write: .fmu.", show_default=False)],
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input", help="VARIABLE that the importer sets, or NAME=A; B; C for an array; again for others."
        ),
    ] = None,
    outputs: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            help="Name of a VARIABLE, NAME=EXPRESSION, or NAME=E1; E2; E3 for an array; again for others (all).",
        ),
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--parameter",
            help="Number that the importer may change: ELEMENT.FIELD, or NAME=A.F; B.F for an array; again for others.",
        ),
    ] = None,
    units: Annotated[
        list[str] | None,
        typer.Option("--unit", help="Quantity of an input, output or parameter: NAME=QUANTITY; again for others."),
    ] = None,
    fmi: Annotated[str, typer.Option(help="Version of FMI: 2.0 or 3.0.")] = "2.0",
    kind: Annotated[str, typer.Option(help="cs: co-simulation, me: model exchange, or cs,me.")] = "cs",
    integrator: Annotated[str, typer.Option(help="Explicit integrator, or RADAU5.")] = "DOP853",
    error: Annotated[float | None, typer.Option(help="Error of the integrator.")] = None,
    step: Annotated[float | None, typer.Option(help="Fixed step, instead of error control.")] = None,
    joint_ends: Annotated[
        list[str] | None,
        typer.Option("--joint-end", help="End of a joint with other programs: NAME=MARKER; again for others."),
    ] = None,
    platform: Annotated[str, typer.Option(help="Systems of the binaries: linux64, win64 or both, by commas.")] = "",
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="Any other option of the integrator, NAME=VALUE.")
    ] = None,
    lenient: Lenient = False,
    debug: Debug = False,
) -> None:
    """Write a model as a Functional Mock-up Unit (FMU) that runs without Python."""
    from ..formats.fmu.export import export_fmu
    from ..model import ModelError
    from ..model.pairs import named_values

    if target.suffix.lower() != ".fmu":
        raise ModelError(f"{target}: FMUs have the ending .fmu; give such a file")
    machine = read_model(model, lenient)
    named = _named(outputs or [], "")
    given_inputs, given_parameters = _named(inputs or []), _named(parameters or [])
    quantities: dict[str, str] = {}
    for text in units or []:
        name, _, quantity = (part.strip() for part in text.partition("="))
        quantities[name] = quantity
    announce_compilation()
    options = {"error": error, "step": step, **named_values(option or [], "--option")}
    given = {key: value for key, value in options.items() if value is not None}
    given |= {"parameters": given_parameters, "units": quantities, "platforms": platform}
    ends = [text.partition("=") for text in joint_ends or []]
    given |= {"ends": {name.strip(): marker.strip() for name, _, marker in ends}}
    export_fmu(machine, target, given_inputs, named or None, fmi=fmi, kind=kind, integrator=integrator, **given)
    print(f"FMU: {target}")
