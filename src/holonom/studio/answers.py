"""What the Studio shows of a run: its quantities, curves, peaks, motion, and the script that computes it again."""

from __future__ import annotations

import base64
import json
import struct
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ..formats.robots import FORMATS as ROBOTS
from ..model import ModelError
from ..model.base import shown
from ..results._interpolate import linear, locate
from ..results.compare import NOISE
from ..results.compare import _scales as scales
from ..results.pages.animation import scene as scene_of_run
from ..results.pages.motion import RAMP
from ..results.quantities import quantities
from ..results.views.reactions import MISSED, RELEVANT, missed_peak, reactions
from .scene import upward

ROUNDING = 1e-11  # of the largest load: what is smaller is rounding
MAX_MISSED = 5  # peaks that are named
MAX_CURVES = 64
MAX_FRAMES = 3000
MAX_SHOWN = 600  # rows with grains, bending and arrows
MAX_POSES = 30_000_000  # numbers of a motion that go to a browser


class Answers:
    """One finished run (`Run`): ``quantities`` once, then curves by their numbers."""

    def __init__(self, run: Any, number: int, file: Path, settings: dict[str, Any], script: str) -> None:
        self.run, self.number, self.file, self.settings, self.script = run, number, file, settings, script
        self._found: list[Any] | None = None
        self._scales: dict[str, float] | None = None

    @property
    def found(self) -> list[Any]:
        """All quantities of the run."""
        if self._found is None:
            self._found = quantities(self.run)
        return self._found

    @property
    def scales(self) -> dict[str, float]:
        """Of each dimension the largest value that the run has of it."""
        if self._scales is None:
            self._scales = scales(self.run, self.found, np.asarray(self.run.time, float))
        return self._scales

    def listing(self) -> dict[str, Any]:
        """Names for the tree of results: number, name, owner, table, components and units of each quantity."""
        run = self.run
        return {
            "number": self.number,
            "rows": len(run),
            "begin": float(run.time[0]),
            "end": float(run.time[-1]),
            "unit": run.units("time"),
            "settings": self.settings,
            "complete": bool(run.info.get("complete", True)) and not run.info.get("failed"),
            "modes": self.modes(),
            "shows": self.shows(),
            "failed": str(run.info.get("failed") or ""),
            "stopped": str(run.info.get("stopped") or ""),
            "quantities": [
                [k, q.name, list(q.owner[:2]) if q.owner else None, q.table, list(q.components), list(q.units)]
                for k, q in enumerate(self.found)
            ],
        }

    def modes(self) -> dict[str, Any] | None:
        """Table of a linear analysis that the run holds (the last one): unit of frequencies and rows; None where there
        is none."""
        if not self.run.linear:
            return None
        linear = self.run.linear[-1]
        rows = [
            {**row, "time_constant": _numbers([mode.time_constant])[0]}
            for row, mode in zip(linear.table(), linear.modes)
        ]
        return {"unit": linear.frequency_unit, "time": float(linear.time), "rows": rows}

    def shows(self) -> dict[str, bool]:
        """Data that the run shows in addition to the motion of its bodies."""
        from ..results.views.rod import recorded

        d, model = self.run.data, self.run.model
        return {
            "grains": any(f"grains/{e.id}/position" in d.extra for e in model.table("GRAINS").values()),
            "tubes": bool(recorded(self.run)),
            "flexible": any(e.active for e in model.table("FLEXIBILITY").values()),
            "contacts": bool(d.contacts),
            "forces": bool(d.forces or d.constraints),
        }

    def shown(self, folder: Path, mode: int = 0) -> str:
        """Grains, flexible bodies, rods, forces and contacts of the run, or of one of its modes, as JSON: those rows of
        `animation.scene`."""
        if mode and not self.run.linear:
            raise ModelError("this run has no modes")
        run = self.run.linear[-1].run(mode) if mode else self.run
        try:
            data = scene_of_run(run, max_frames=MAX_SHOWN, folder=folder)
        except ValueError as error:
            raise ModelError(str(error)) from None
        motion = np.frombuffer(base64.b64decode(data["motion"]), "<f4").reshape(data["frames"], len(data["bodies"]), 7)
        middles = [
            base64.b64encode(np.ascontiguousarray(motion[:, t["body"], :3], "<f4").tobytes()).decode()
            for t in data["tubes"]
        ]
        kept = {k: data[k] for k in ("time", "frames", "origin", "flexible", "grains", "arrows", "contacts", "units")}
        # only what this picture adds; the rest is in the scene
        missing = [
            text
            for text in data["missing"]
            if "bending" in text or "modes of" in text or "surface of" in text or "contact" in text
        ]
        bodies = [[b["kind"], b["id"]] for b in data["bodies"]]
        tubes = [{**t, "middle": m} for t, m in zip(data["tubes"], middles)]
        return json.dumps(
            {
                **kept,
                "ramp": RAMP.tolist(),
                "bodies": bodies,
                "colors": [b["color"] for b in data["bodies"]],
                "tubes": tubes,
                "missing": missing[:20],
            }
        )

    def curves(self, wanted: list[tuple[int, int]]) -> bytes:
        """Length of a table (u32), the table (labels, units, and ``noise``: a curve that is nowhere above is rounding),
        then f64: times, and values of each (quantity, component), -1: the magnitude."""
        if not wanted or len(wanted) > MAX_CURVES:
            raise ModelError(f"give 1 to {MAX_CURVES} curves")
        columns, labels, units, noise = [np.asarray(self.run.time, float)], [], [], []
        for k, c in wanted:
            if not 0 <= k < len(self.found) or not -1 <= c < len(self.found[k].components):
                raise ModelError("there is no such curve in this run")
            q = self.found[k]
            columns.append(np.linalg.norm(q.values, axis=1) if c < 0 else np.asarray(q.values[:, c], float))
            labels.append(f"{q.name} |magnitude|" if c < 0 else q.labels[c])
            units.append(q.units[max(c, 0)])
            noise.append(NOISE * self.scales.get(q.dimension or "", 0.0))
        text = json.dumps(
            {"labels": labels, "units": units, "rows": len(self.run), "time": self.run.units("time"), "noise": noise}
        ).encode("utf-8")
        text += b" " * (-(4 + len(text)) % 8)
        return struct.pack("<I", len(text)) + text + np.ascontiguousarray(np.stack(columns), "<f8").tobytes()

    def csv(self, wanted: list[tuple[int, int]]) -> str:
        """The same as comma-separated text, numbers in full."""
        data = self.curves(wanted)
        n = struct.unpack_from("<I", data)[0]
        head = json.loads(data[4 : 4 + n])
        values = np.frombuffer(data, "<f8", offset=4 + n).reshape(-1, head["rows"])
        names = [f"time [{head['time']}]", *(f"{a} [{u}]" if u else a for a, u in zip(head["labels"], head["units"]))]
        quoted = ",".join('"' + name.replace('"', '""') + '"' for name in names)
        return "\n".join([quoted, *(",".join(map(repr, row)) for row in values.T.tolist())]) + "\n"

    def peaks(self) -> dict[str, Any]:
        """Largest force and torque of each constraint, applied force and contact on I with their times, components then
        (``force_at``), where a contact acted then (``place``), root mean squares, and what the output rows have of them
        (``row_force``): less, where rows miss a peak.  ``along``: all are those along the steps of the solver.  Of
        impacts, whose forces have no size: ``impacts``, their number, and ``impulse``, the largest one."""
        run, out = self.run, []
        table = reactions(run, forces=True, contacts=True)
        struck = run.data.impacts
        for r in table.rows:
            row: dict[str, Any] = {"kind": str(r["kind"]), "id": int(r["id"]), "name": str(r["element"])}
            for what in ("force", "torque"):
                row[what], row[f"{what}_time"], row[f"{what}_rms"], row[f"row_{what}"] = _numbers(
                    [r[f"peak_{what}"], r[f"{what}_time"], r[f"rms_{what}"], r[f"row_{what}"]]
                )
                row[f"{what}_at"] = _numbers(r[what])
            if row["kind"] == "CONTACT":
                row["place"] = _numbers(r["point"])
                mine = struck[struck["contact"] == row["id"]]
                if len(mine):
                    row["impacts"], row["impulse"] = len(mine), float(mine["normal_impulse"].max())
            out.append(row)
        unit = run.units
        loaded = [
            r for r in table.rows if r["peak_force"] or r["peak_torque"]
        ]  # without a load there is no peak to miss
        return {
            "rows": out,
            "noise": self.noise(out),
            "along": bool(loaded) and all(r["along"] for r in loaded),
            **{what: unit(what) for what in ("force", "torque", "time", "length", "momentum")},
        }

    def noise(self, rows: list[dict[str, Any]]) -> dict[str, float]:
        """Sizes of force and torque below which a peak is rounding: `ROUNDING` of the largest force of the run, and of
        the larger of the largest torque and that force on an arm as long as the machine."""
        places = np.asarray(self.run.data.body_position, float).reshape(-1, 3)
        places = places[np.isfinite(places).all(axis=1)]
        size = float(np.linalg.norm(np.ptp(places, axis=0))) if len(places) else 0.0
        force, torque = (max((r[what] or 0.0 for r in rows), default=0.0) for what in ("force", "torque"))
        return {"force": ROUNDING * force, "torque": ROUNDING * max(torque, force * size)}

    def missed(self) -> list[str]:
        """Sentences on peaks that the output rows miss by more than `MISSED`, the worst first."""
        found, peaks = [], self.peaks()
        for r in peaks["rows"]:
            for what in ("force", "torque"):
                size, seen = r[what] or 0.0, r[f"row_{what}"] or 0.0
                if size > (1.0 + MISSED) * seen and size > RELEVANT / ROUNDING * peaks["noise"][what]:
                    found.append((size / max(seen, 1e-300), what, r))
        found.sort(key=lambda row: -row[0])
        return [
            missed_peak(self.run, (r["kind"], r["id"]), what, r[what], r[f"{what}_time"], r[f"row_{what}"] or 0.0)
            + ": curves need more steps there"
            for _, what, r in found[:MAX_MISSED]
        ] + ([f"and {len(found) - MAX_MISSED} more (see Peaks)"] if len(found) > MAX_MISSED else [])

    def wrenches(self, time: float) -> list[dict[str, Any]]:
        """Force and torque of each constraint and applied force on I at a time, on straight lines between rows; axes of
        ground."""
        d, out = self.run.data, []
        left, right, s, _ = locate(np.asarray(self.run.time, float), np.array([time]))
        for table in ("constraint", "force"):
            for k, key in enumerate(getattr(d, f"{table}s")):
                row: dict[str, Any] = {"kind": key[0], "id": key[1], "name": key[2]}
                for what in ("force", "torque"):
                    row[what] = _numbers(linear(getattr(d, f"{table}_{what}")[:, k], left, right, s)[0])
                out.append(row)
        return out

    def reactions_csv(self) -> str:
        """`Reactions.csv` of constraints and applied forces as text."""
        with tempfile.TemporaryDirectory() as folder:
            return reactions(self.run, forces=True).csv(Path(folder) / "reactions.csv").read_text(encoding="utf-8")

    def write(self, path: Path, given: dict[str, Any], folder: Path) -> list[str]:
        """Write the run to a file of what its ending says: a film (.gif, .mp4: ``fps``, ``speed``, ``size``, ``eye``
        (3,) to the eye, ``arrows``), .glb or .html.

        ``folder``: where meshes lie.  Returns the warnings.  Raises ModelError for other endings and as `Run.movie`,
        `export_gltf` and `report` do.
        """
        ending = path.suffix.lower()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                if ending in (".gif", ".mp4"):
                    azimuth, elevation = seen_from(self.run.model, given.get("eye"))
                    fps, speed = (_number(given.get(n), start, n) for n, start in (("fps", 20.0), ("speed", 1.0)))
                    size = (
                        given.get("size")
                        if isinstance(given.get("size"), list) and len(given["size"]) == 2
                        else [640, 480]
                    )
                    pixels = tuple(int(_number(s, 640, "size")) for s in size)
                    arrows = str(given.get("arrows") or "").replace("none", "")
                    self.run.movie(
                        path,
                        fps=fps,
                        speed=speed,
                        size=pixels,
                        azimuth=azimuth,
                        elevation=elevation,
                        arrows=arrows,
                        folder=folder,
                    )
                elif ending == ".glb":
                    self.run.export_gltf(path, folder=folder)
                elif ending == ".html":
                    self.run.report(path, folder=folder)
                else:
                    raise ModelError(
                        f"{path.name}: a run is written as .gif, .mp4, .glb or .html; give a name with one of these "
                        "endings"
                    )
            except ValueError as error:
                raise ModelError(str(error)) from None
        return [str(w.message) for w in said if issubclass(w.category, UserWarning)]

    def motion(self, origin: np.ndarray, mode: int = 0) -> bytes:
        """Length of a table (u32), the table (keys of bodies, frames), f64 times, f32 poses (frames, bodies, 7) about
        ``origin``; with ``mode`` (1, 2, ...) of one period of a mode, as `Linear.run` shows it."""
        if mode and not self.run.linear:
            raise ModelError("this run has no modes")
        d = self.run.linear[-1].run(mode).data if mode else self.run.data
        n = len(d.bodies)
        most = max(2, min(MAX_FRAMES, MAX_POSES // max(1, 7 * n)))
        rows = (
            np.arange(len(d.time))
            if len(d.time) <= most
            else np.unique(np.round(np.linspace(0, len(d.time) - 1, most)).astype(int))
        )
        poses = np.concatenate(
            [np.asarray(d.body_position, float)[rows] - origin, np.asarray(d.body_quaternion, float)[rows]], axis=2
        )
        text = json.dumps({"keys": [[k, i] for k, i, _ in d.bodies], "frames": len(rows)}).encode("utf-8")
        text += b" " * (-(4 + len(text)) % 8)
        return (
            struct.pack("<I", len(text))
            + text
            + np.asarray(d.time, "<f8")[rows].tobytes()
            + np.ascontiguousarray(poses, "<f4").tobytes()
        )


def _numbers(values: Any) -> list[float | None]:
    """As JSON holds them: what is not finite is None."""
    return [float(v) if np.isfinite(v) else None for v in values]


def _number(given: Any, start: float, name: str) -> float:
    try:
        return float(start if given in (None, "") else given)
    except (TypeError, ValueError):
        raise ModelError(f"{name} is {shown(given)}; give a number") from None


def seen_from(model: Any, eye: Any) -> tuple[float, float]:
    """Azimuth and elevation of `write_movie` in degrees, of a direction (3,) to the eye in axes of ground; its own
    where there is none."""
    if not (
        isinstance(eye, (list, tuple))
        and len(eye) == 3
        and all(isinstance(v, (int, float)) for v in eye)
        and np.linalg.norm(eye) > 0
    ):
        return -52.0, 24.0
    up = np.asarray(upward(model))
    side = np.cross(
        up, [0.0, 1.0, 0.0] if abs(up[0]) > 0.5 else [0.0, 0.0, 1.0] if abs(up[1]) > 0.5 else [1.0, 0.0, 0.0]
    )
    eye = np.asarray(eye, float) / np.linalg.norm(eye)
    return float(np.degrees(np.arctan2(eye @ side, eye @ np.cross(side, up)))), float(
        np.degrees(np.arcsin(np.clip(eye @ up, -1.0, 1.0)))
    )


SCRIPT = '''"""{title}"""

from pathlib import Path

import holonom as hn

here = Path(__file__).resolve().parent
{start}
{edits}
run = hn.simulate(model, {settings})


if __name__ == "__main__":
    time = run.units("time")
    for row in run.reactions(forces=True, contacts=True).rows:
        for what in ("force", "torque"):
            size, when, unit = float(row[f"peak_{{what}}"]), float(row[f"{{what}}_time"]), run.units(what)
            name = f"{{row['kind']}}/{{row['id']}} {{str(row['element'])!r}}"
            print(f"{{name}}: peak {{what}} {{size!r}} {{unit}} at {{when!r}} {{time}}")
'''


def script(document: Any, settings: dict[str, Any], folder: Path) -> str:
    """A Python script that reads the file, does what was done, and runs it; ``folder``: where the script will lie.

    Raises ModelError where undo went back behind the file."""
    settings = {k: v for k, v in settings.items() if k != "pace"}
    title = f"{document.model.name}: what was done in the Studio, as a script."
    if settings.get("kind") == "interactive":
        settings["kind"] = "dynamics"
        title += "  Manual changes during the run are not included."
    elif str(settings.get("kind", "")).startswith("modes"):
        settings["kind"] = "statics" if settings["kind"] == "modes at equilibrium" else "initial"
        title += "  Modes: hn.linearize(model)."
    lines = document.lines()
    base = document.base
    if base is None:
        units = document.model.units
        words = ", ".join(f"{n}={getattr(units, n)!r}" for n in ("force", "mass", "length", "time"))
        start = f"model = hn.Model({document.first_name!r}, units=hn.Units({words}))"
        if any(document.first_gravity):
            start += f"\nmodel.gravity = {document.first_gravity!r}"
    else:
        import os

        place = Path(os.path.relpath(base, folder)).as_posix()
        start = {
            ".json": f"model = hn.Model.from_json((here / {place!r}).read_text(encoding='utf-8'))\nmodel.path = "
            f"str(here / {place!r})",
            ".cmd": f"model = hn.read_view(here / {place!r})",
            **{end: f"model = hn.{robot.read}(here / {place!r})" for end, robot in ROBOTS.items()},
        }.get(base.suffix.lower(), f"model = hn.read_adams(here / {place!r})")
    title = title.replace("\\", " ").replace('"', "'").replace("\n", " ")
    return SCRIPT.format(
        title=title, start=start, edits="\n".join(lines), settings=", ".join(f"{k}={v!r}" for k, v in settings.items())
    )


__all__ = ["Answers", "script"]
