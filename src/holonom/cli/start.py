"""What one begins with: ``warmup``, ``demo``, ``studio``, ``version``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from .application import CODES, FAILED, INTERRUPTED, OK, Debug, NoProgress, app, guarded
from .printing import make_folder
from .run import run


@app.command(epilog=CODES)
@guarded
def warmup(
    all_: Annotated[
        bool,
        typer.Option("--all", help="Compile all kernels, not only those of common runs; takes minutes."),
    ] = False,
    debug: Debug = False,
) -> None:
    """Compile kernels now, so that the first run does not have to."""
    from .._jit import cache_root
    from ..kernel_forms import everything
    from ..warmup import warm

    root = cache_root()
    print(
        f"kernels are kept in {root}"
        if root
        else "no folder can be written, so kernels cannot be kept; set HOLONOM_CACHE_DIR"
    )
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
    list_: Annotated[
        bool, typer.Option("--list", help="Names of the shipped models and what they show, and no run.")
    ] = False,
    no_progress: NoProgress = False,
    debug: Debug = False,
) -> int:
    """Run a machine shipped with Holonom and write its report."""
    from ..model import ModelError

    folder = Path(__file__).parents[1] / "models"
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
        run(
            chosen,
            end=None if scripted else (end or 10.0),
            steps=None if scripted else 500,
            out=out,
            report=True,
            no_progress=no_progress,
            debug=debug,
        )
    except typer.Exit as done:
        code = done.exit_code
    if code in (OK, FAILED, INTERRUPTED):
        print(f"open {(out / 'report.html').resolve()} in a browser")
    return code


@app.command(epilog=CODES)
@guarded
def studio(
    model: Annotated[
        Path | None,
        typer.Argument(
            help="Model to open: .adm, .cmd or .json, results (.h5), or a study (.study, or its study file). "
            "Without one: the start page.",
            show_default=False,
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Folder of the project; default: that of the model, else the present one.")
    ] = None,
    example: Annotated[
        str | None, typer.Option(help="A model shipped with Holonom; it is copied into the project's folder.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; other than the loopback: whoever has the token can use it.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0: any that is free.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Show the address and open no browser.")] = False,
    debug: Debug = False,
) -> int:
    """Open the Studio: the machine in the browser, to be checked, edited and run."""
    from ..model import ModelError
    from ..studio import serve

    if model is not None and example is not None:
        raise ModelError("a model and --example are both given; use one of them")
    if example is not None:
        shipped = Path(__file__).parents[1] / "models" / f"{example}.adm"
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

    from .. import __version__
    from .._jit import cache_root
    from .._shipped import shipped

    packages = ", ".join(f"{name} {of(name)}" for name in ("numpy", "scipy", "numba", "llvmlite", "h5py"))
    print(f"holonom {__version__}, Python {platform.python_version()}, {packages}")
    print(f"kernel cache: {cache_root() or 'none'}")
    print(f"compiled kernels: {shipped().reason}")


def _print_version(asked: bool) -> None:
    if asked:
        version()
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Version of Holonom and its packages.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    pass
