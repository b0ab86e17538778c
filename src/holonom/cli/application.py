"""The application: exit codes, options that commands share, and what makes sentences of faults."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from .._warnings import model_warnings_to

OK, FAILED, BAD_INPUT, INTERRUPTED, INTERNAL = 0, 1, 2, 3, 4
CODES = (
    "Exit codes: 0 done; 1 a run failed part-way (results so far kept) or compared runs differ; 2 bad input; "
    "3 interrupted (results so far kept); 4 internal error (--debug shows where)."
)
MAX_LINES = 40
MAX_LEFT_OUT = 10
MAX_WARNINGS = 10

app = typer.Typer(
    name="holonom",
    help="Simulates mechanical systems: Adams datasets (.adm), Holonom models (.json), Adams View command files "
    "(.cmd).",
    epilog=CODES,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


ModelFile = Annotated[Path, typer.Argument(help="Dataset: .adm, .cmd or .json.", show_default=False)]
ModelOrScript = Annotated[
    Path,
    typer.Argument(
        help="Dataset (.adm, .cmd or .json), or a script (.acf) that names its dataset.", show_default=False
    ),
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


class WarningLines:
    """Warnings as lines on standard error, `MAX_WARNINGS` of each stage of a command (reading, running)."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, text: str) -> None:
        self.count += 1
        if self.count <= MAX_WARNINGS:
            complain(text, "warning")

    def end_stage(self) -> None:
        """State how many were left out; the next stage prints its own first ones."""
        if self.count > MAX_WARNINGS:
            print(f"holonom: ... and {self.count - MAX_WARNINGS} more warnings", file=sys.stderr)
        self.count = 0


warning_lines = WarningLines()


def guarded(command: Callable[..., int | None]) -> Callable[..., None]:
    """A command whose faults become sentences and exit codes, never a traceback, and whose warnings become lines on
    standard error."""

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        debug = options.get("debug", False)
        try:
            with model_warnings_to(warning_lines):
                try:
                    code = command(*args, **options) or OK
                finally:
                    warning_lines.end_stage()
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
            from ..expressions import CurveError, ExpressionError, SplineError
            from ..model import ModelError

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
    """State when kernels are compiled because no cached ones are there, in a log too."""
    from .._compiling import notice

    notice.log = True


def group(name: str, what: str) -> typer.Typer:
    """A command of commands, as ``holonom vehicle kc``."""
    found = typer.Typer(name=name, help=what, no_args_is_help=True, add_completion=False, rich_markup_mode=None)
    app.add_typer(found)
    return found
