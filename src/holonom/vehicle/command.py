"""What ``holonom vehicle ...`` does."""

from __future__ import annotations

import inspect
import json
import math
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.pairs import named_values
from . import handling, longitudinal, manoeuvres
from .assemblies import compare_assemblies
from .chrono_vehicle import read_chrono_vehicle
from .cornering_compliance import cornering
from .driver_study import compare_drivers
from .drivers import Driver, MpcDriver, PidDriver, PreviewDriver, StanleyDriver
from .full_vehicle import Vehicle
from .kc import SWEEPS
from .loads import load_cases
from .network import NetworkDriver, train
from .ride import four_post, kerb, pothole
from .ride import ride as rough_road
from .study import study
from .template import number_of
from .vehicle_file import VehicleFile, read_vehicle


def moved(vehicle: VehicleFile, moves: Sequence[str]) -> VehicleFile:
    """The vehicle with hardpoints moved: "front.tie_rod_inner=0,0,5" in units of the file.  Raises ModelError for what
    is not such a text."""
    for text in moves:
        where, _, by = text.partition("=")
        axle, _, point = where.partition(".")
        try:
            step = [float(v) for v in by.split(",")]
        except ValueError:
            step = []
        if not point or len(step) != 3:
            raise ModelError(f"--move {shown(text)}: give AXLE.POINT=DX,DY,DZ, as front.tie_rod_inner=0,0,5")
        vehicle = vehicle.moved(axle.strip(), point.strip(), step)
    return vehicle


def kc(
    file: str,
    axles: Sequence[str],
    mode: str,
    moves: Sequence[str],
    compare: str | None,
    plot: Path | None,
    csv: Path | None,
    matrix: bool,
    say: Callable[[str], None],
) -> None:
    """Characteristics of axles, their page of curves and tables.  Raises ModelError as `read_vehicle` and `KC` do."""
    given = read_vehicle(file)
    vehicle = moved(given, moves)
    say(vehicle.text())
    for axle in axles:
        found = vehicle.kc(axle, mode)
        other = None
        if compare is not None or moves:
            other = (read_vehicle(compare) if compare is not None else given).kc(axle, mode)
            other.name = f"{axle}, {compare if compare is not None else 'as in the file'}"
        say(found.text(other))
        if matrix:
            say(
                "  compliance matrix, wheels' centres left and right (x y z, turns about x y z; units of the file, "
                "radians), pads at constant load"
            )
            for row in found.compliance():
                say("  " + " ".join(f"{v:11.3e}" for v in np.where(np.abs(row) < 1e-18, 0.0, row)))
        if plot is not None:
            path = plot.with_name(f"{plot.stem}{f'_{axle}' if len(axles) > 1 else ''}{plot.suffix or '.png'}")
            found.plot(
                path,
                *((other,) if other is not None else ()),
                title=f"{vehicle.name}: {axle} axle, {found.rig.axle.template.name.replace('_', ' ')}",
            )
            say(f"curves: {path}")
        if csv is not None:
            try:
                csv.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise ModelError(f"cannot make the folder '{csv}': {error.strerror}") from None
            for kind in SWEEPS:
                if kind != "steer" or found.rig.axle.steering is not None:
                    getattr(found, kind).to_csv(csv / f"{axle}_{kind}.csv")
            say(f"tables: {csv}")


DRIVERS: dict[str, Callable[..., Driver]] = {
    "preview": PreviewDriver,
    "stanley": StanleyDriver,
    "pid": PidDriver,
    "mpc": MpcDriver,
    "network": NetworkDriver,
}
#: name -> function, usual speed in km/h
MANOEUVRES: dict[str, tuple[Callable[..., Any], float | None]] = {
    "lane-change": (manoeuvres.lane_change, 80.0),
    "steer-step": (manoeuvres.steer_step, 100.0),
    "slow-ramp": (manoeuvres.slow_ramp, 80.0),
    "steady-circle": (manoeuvres.steady_circle, None),
    "braking": (manoeuvres.straight_braking, 100.0),
    "frequency-response": (handling.frequency_response, 100.0),
    "sine-with-dwell": (handling.sine_with_dwell, 80.0),
    "fish-hook": (handling.fish_hook, 80.0),
    "braking-in-turn": (handling.braking_in_turn, None),
    "split-braking": (handling.split_braking, 100.0),
    "acceleration": (longitudinal.acceleration, 0.0),
    "coast-down": (longitudinal.coast_down, 120.0),
    "ride": (rough_road, 80.0),
    "kerb": (kerb, 20.0),
    "pothole": (pothole, 40.0),
    "four-post": (four_post, None),
}


def pairs(texts: Sequence[str], option: str) -> dict[str, Any]:
    """ "name=value" -> value: a number, a list of numbers, true, false, none, or a keyword.  Raises ModelError for what
    is not such a text."""
    found = named_values(texts, option, literals=True)
    return {k: list(v) if isinstance(v, tuple) else v for k, v in found.items()}


def _fits(parameter: inspect.Parameter, value: Any, what: str) -> None:
    """Whether a value of --set can be that of a parameter, by its annotation.  Raises ModelError where it cannot."""
    kinds = {w.strip() for w in str(parameter.annotation).split("|")}
    if isinstance(value, list) and not any(word in str(parameter.annotation) for word in ("Sequence", "list", "tuple")):
        raise ModelError(f"{what} must be one value, not a list")
    if not kinds <= {"float", "int", "bool", "None"}:
        return  # words, lists and what only Python can give are checked by the manoeuvre
    if isinstance(value, bool) or value is None:
        good = ("bool" if isinstance(value, bool) else "None") in kinds
    else:
        good = isinstance(value, (int, float)) and math.isfinite(value) and (kinds & {"float", "int"} != set())
        if good and "float" not in kinds and value != int(value):
            raise ModelError(f"{what} must be a whole number")
    if not good:
        need = " or ".join(
            w
            for w, k in (
                ("a number", kinds & {"float", "int"}),
                ("true or false", "bool" in kinds),
                ("none", "None" in kinds),
            )
            if k
        )
        raise ModelError(f"{what} must be {need}")


def arguments(function: Callable[..., Any], given: dict[str, Any], name: str) -> dict[str, Any]:
    """Values of --set for a manoeuvre, whole numbers where it takes them.  Raises `ModelError` for unknown names."""
    known = {k: p for k, p in inspect.signature(function).parameters.items() if k not in ("vehicle", "options")}
    for word in given:
        if word not in known:
            raise ModelError(
                f"--set: {name} has no '{word}'{did_you_mean(word, known, '; it has ' + ', '.join(known))}"
            )
    for word, value in given.items():
        _fits(known[word], value, f"--set {word}={shown(value)}: {name}'s {word}")
    whole = lambda k, v: (
        int(v)
        if isinstance(v, float)
        and isinstance(known[k].default, int)
        and v == int(v)
        and not isinstance(known[k].default, bool)
        else v
    )
    return {k: whole(k, v) for k, v in given.items()}


def drive(
    file: str,
    manoeuvre: str,
    speed: float | None,
    mode: str,
    driver: str,
    part: int,
    moves: Sequence[str],
    plot: Path | None,
    animation: Path | None,
    say: Callable[[str], None],
    *,
    sets: Sequence[str] = (),
    changes: Sequence[str] = (),
    report: Path | None = None,
    grid: Sequence[str] = (),
    vary: Sequence[str] = (),
    csv: Path | None = None,
) -> None:
    """One manoeuvre of a vehicle file: metrics, curves, animation, report; ``speed`` in km/h; or (``grid``, ``vary``) a
    study, its table and plot.  Raises ModelError for unknown keywords."""
    if manoeuvre not in MANOEUVRES:
        raise ModelError(f"there is no manoeuvre {shown(manoeuvre)}{did_you_mean(manoeuvre, MANOEUVRES)}")
    function, usual = MANOEUVRES[manoeuvre]
    given = arguments(function, pairs(sets, "--set"), manoeuvre)
    if usual is None and speed is not None:
        raise ModelError(
            f"--speed does not apply to {manoeuvre}: its speed follows from its other parameters; leave it out"
        )
    if usual is not None and (speed is not None or "speed" not in given):
        given["speed"] = (usual if speed is None else speed) / 3.6
    if manoeuvre == "lane-change":
        given = {"driver": driver_named(driver), "part": part, **given}
    elif isinstance(given.get("driver"), str):
        given["driver"] = driver_named(given["driver"])
    base = moved(read_vehicle(file), moves).changed(pairs(changes, "--change"))
    if grid or vary:
        say(_study(base, function, given, mode, pairs(grid, "--grid"), pairs(vary, "--vary"), manoeuvre, plot, csv))
        return
    if csv is not None:
        raise ModelError("--csv writes the table of a study; give --grid or --vary")
    vehicle = Vehicle(base, mode)
    say(vehicle.text())
    done = function(vehicle, **given)
    say(done.text())
    if plot is not None:
        done.plot(plot)
        say(f"curves: {plot}")
    if animation is not None:
        done.animate(animation)
        say(f"animation: {animation}")
    if report is not None:
        done.report(report)
        say(f"report: {report}")


def _study(
    base: VehicleFile,
    function: Any,
    given: dict[str, Any],
    mode: str,
    grid: dict[str, Any],
    vary: dict[str, Any],
    name: str,
    plot: Path | None,
    csv: Path | None,
) -> str:
    """The table of a study over --grid (numbers of the manoeuvre) and --vary (of the vehicle file)."""
    lists = lambda table: {
        k: v if isinstance(v, list) else str(v).split(",") if isinstance(v, str) else [v] for k, v in table.items()
    }
    varied = lists(grid)
    arguments(function, {k: v[0] for k, v in varied.items()}, name)
    fixed = {k: v for k, v in given.items() if k not in varied}
    found = study(
        base,
        function,
        {k: [arguments(function, {k: x}, name)[k] for x in v] for k, v in varied.items()},
        lists(vary),
        mode=mode,
        **fixed,
    )
    said = found.text()
    if plot is not None:
        found.plot(path=plot)
        said += f"\ncurves: {plot}"
    if csv is not None:
        said += f"\ntable: {found.to_csv(csv)}"
    return said


def loads(
    file: str,
    mode: str,
    cases: Sequence[str],
    parts: Sequence[str],
    g: float,
    out: Path | None,
    nastran: bool,
    say: Callable[[str], None],
) -> None:
    """Load cases of a vehicle file: largest forces at hardpoints, histories, cards.  Raises ModelError for unknown
    keywords."""
    vehicle = Vehicle(read_vehicle(file), mode)
    say(vehicle.text())
    found = load_cases(vehicle, cases or None, g=g)
    for part in parts:
        if part not in found.parts:
            raise ModelError(f"there is no part {shown(part)}{did_you_mean(part, found.parts)}")
    chosen = list(parts) or [p for p in found.parts if not p.endswith("wheel")]
    say(found.text(chosen))
    if out is not None:
        say(f"{len(found.export(out, chosen, nastran=nastran))} files: {out}")


def linear(
    file: str, mode: str, speed: float, moves: Sequence[str], changes: Sequence[str], say: Callable[[str], None]
) -> None:
    """Cornering compliances of a vehicle file and its linear car at a speed (km/h).  Raises ModelError for unknown
    keywords."""
    v = number_of(speed, "--speed", positive=True) / 3.6
    found = cornering(Vehicle(moved(read_vehicle(file), moves).changed(pairs(changes, "--change")), mode), v)
    say(found.text())
    gains = [track.yaw_gain(v) for track in (found.track, found.tyres)]
    say(
        f"  yaw rate gain at {speed:g} km/h by the steer angle of the wheels {gains[0]:.4f} 1/s, of the tyres alone "
        f"{gains[1]:.4f}"
    )
    say("  swings: " + ", ".join(f"{f:.2f} Hz damped {d:.2f}" for f, d in found.rolling.modes()))


#: axles of the four assemblies: names -> shipped vehicles that have them
FRONTS = {"McPherson": "sedan", "double wishbone": "coupe"}
REARS = {"multi-link": "coupe", "trailing arm": "hatchback"}


def assemblies(
    body: str,
    fronts: Sequence[str],
    rears: Sequence[str],
    mode: str,
    speed: float,
    ay: float,
    plot: Path | None,
    csv: Path | None,
    say: Callable[[str], None],
) -> None:
    """The body of a vehicle file on front and rear axles of others: tables, page, file.  Raises ModelError as
    `compare_assemblies` does."""
    named = lambda files: {Path(f).stem: f for f in files}
    found = compare_assemblies(
        body,
        named(fronts) or FRONTS,
        named(rears) or REARS,
        mode=mode,
        speed=number_of(speed, "--speed", positive=True) / 3.6,
        ay=ay,
    )
    say(found.text())
    if plot is not None:
        found.plot(plot)
        say(f"page: {plot}")
    if csv is not None:
        say(f"table: {found.to_csv(csv)}")


def driver_named(word: str) -> Driver:
    """A driver by its name, or by the file of its network (.json).  Raises ModelError for what is neither."""
    if word.lower().endswith(".json"):
        return NetworkDriver(network=word)
    if word not in DRIVERS:
        known = f"; choose from {', '.join(DRIVERS)}, or give the file (.json) of a network"
        raise ModelError(f"there is no driver {shown(word)}{did_you_mean(word, DRIVERS, known)}")
    return DRIVERS[word]()


def train_driver(
    file: str,
    teacher: str,
    drives: int,
    rounds: int,
    hidden: Sequence[int],
    seed: int,
    out: Path,
    say: Callable[[str], None],
) -> None:
    """Train a network to steer the linear car of a vehicle file as a teacher does, and write its file.  Raises
    ModelError as `train` does."""
    vehicle = Vehicle(read_vehicle(file))
    say(vehicle.text())
    found = train(
        manoeuvres.single_track(vehicle, 22.0),
        driver_named(teacher),
        drives=drives,
        rounds=rounds,
        hidden=tuple(hidden),
        seed=seed,
        name=vehicle.file.name,
    )
    say(found.text())
    say(f"network: {found.network.save(out)}")


def compare(
    file: str,
    drivers: Sequence[str],
    parts: Sequence[int],
    teacher: str,
    mode: str,
    step: float,
    plot: Path | None,
    say: Callable[[str], None],
    *,
    suspension: bool = False,
) -> None:
    """Highest speeds of drivers in lane changes, and how far they are from the teacher's way.  Raises ModelError for
    unknown keywords."""
    vehicle = Vehicle(read_vehicle(file), mode)
    say(vehicle.text())
    found = compare_drivers(
        vehicle,
        {w: driver_named(w) for w in drivers},
        parts=parts,
        teacher=driver_named(teacher),
        step=step / 3.6,
        say=say,
        suspension=suspension,
    )
    say(found.text())
    if plot is not None:
        say(f"picture: {found.plot(plot)}")


def from_chrono(
    file: Path, tyre: Path, engine: Path | None, transmission: Path | None, out: Path, say: Callable[[str], None]
) -> None:
    """A vehicle file from Chrono's; what has no word in it is reported.  Raises ModelError for files that cannot be
    read or written."""
    if not out.parent.is_dir() or out.suffix.lower() != ".json":
        raise ModelError(f"'{out}' cannot be written; give a name.json in a folder that is there")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        car = read_chrono_vehicle(file, tyre, engine=engine, transmission=transmission)
    out.write_text(json.dumps(car.data, indent=2), encoding="utf-8")
    say(car.text())
    for note in car.data["notes"].split("; "):
        say(f"  note: {note}")
    say(f"  written to {out}")
