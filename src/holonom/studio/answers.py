"""What the Studio shows of a run: its quantities, curves, peaks, motion, and the script that computes it again."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from ..model import ModelError
from ..results.quantities import quantities

MAX_CURVES = 64
MAX_FRAMES = 3000
MAX_POSES = 30_000_000  # numbers of a motion that go to a browser


class Answers:
    """One finished run (`Run`): ``quantities`` once, then curves by their numbers."""

    def __init__(self, run: Any, number: int, file: Path, settings: dict[str, Any], script: str) -> None:
        self.run, self.number, self.file, self.settings, self.script = run, number, file, settings, script
        self._found: list[Any] | None = None

    @property
    def found(self) -> list[Any]:
        """All quantities of the run."""
        if self._found is None:
            self._found = quantities(self.run)
        return self._found

    def listing(self) -> dict[str, Any]:
        """Names for the tree of results: number, name, owner, table, components and units of each quantity."""
        run = self.run
        return {
            "number": self.number, "rows": len(run), "begin": float(run.time[0]), "end": float(run.time[-1]), "unit": run.units("time"),
            "settings": self.settings, "complete": bool(run.info.get("complete", True)) and not run.info.get("failed"),
            "failed": str(run.info.get("failed") or ""), "stopped": str(run.info.get("stopped") or ""),
            "quantities": [[k, q.name, list(q.owner[:2]) if q.owner else None, q.table, list(q.components), list(q.units)] for k, q in enumerate(self.found)],
        }  # fmt: skip

    def curves(self, wanted: list[tuple[int, int]]) -> bytes:
        """Length of a table (u32), the table (labels and units), then f64: times, and values of each (quantity, component), -1: the magnitude."""
        if not wanted or len(wanted) > MAX_CURVES:
            raise ModelError(f"give 1 to {MAX_CURVES} curves")
        columns, labels, units = [np.asarray(self.run.time, float)], [], []
        for k, c in wanted:
            if not 0 <= k < len(self.found) or not -1 <= c < len(self.found[k].components):
                raise ModelError("there is no such curve in this run")
            q = self.found[k]
            columns.append(np.linalg.norm(q.values, axis=1) if c < 0 else np.asarray(q.values[:, c], float))
            labels.append(f"{q.name} |magnitude|" if c < 0 else q.labels[c])
            units.append(q.units[max(c, 0)])
        text = json.dumps({"labels": labels, "units": units, "rows": len(self.run), "time": self.run.units("time")}).encode("utf-8")
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
        """Largest force and torque of each constraint and applied force, with their times."""
        d, out = self.run.data, []
        for table in ("constraint", "force"):
            for k, key in enumerate(getattr(d, f"{table}s")):
                row: dict[str, Any] = {"kind": key[0], "id": key[1], "name": key[2]}
                for what in ("force", "torque"):
                    size, n = peak(getattr(d, f"{table}_{what}")[:, k])
                    row[what], row[f"{what}_time"] = size, float(self.run.time[n])
                out.append(row)
        return {"rows": out, "force": self.run.units("force"), "torque": self.run.units("torque"), "time": self.run.units("time")}

    def motion(self, origin: np.ndarray) -> bytes:
        """Length of a table (u32), the table (keys of bodies, frames), f64 times, f32 poses (frames, bodies, 7) about ``origin``."""
        d = self.run.data
        n = len(d.bodies)
        most = max(2, min(MAX_FRAMES, MAX_POSES // max(1, 7 * n)))
        rows = np.arange(len(d.time)) if len(d.time) <= most else np.unique(np.round(np.linspace(0, len(d.time) - 1, most)).astype(int))
        poses = np.concatenate([np.asarray(d.body_position, float)[rows] - origin, np.asarray(d.body_quaternion, float)[rows]], axis=2)
        text = json.dumps({"keys": [[k, i] for k, i, _ in d.bodies], "frames": len(rows)}).encode("utf-8")
        text += b" " * (-(4 + len(text)) % 8)
        return (
            struct.pack("<I", len(text)) + text + np.asarray(d.time, "<f8")[rows].tobytes() + np.ascontiguousarray(poses, "<f4").tobytes()
        )


def peak(values: np.ndarray) -> tuple[float, int]:
    """The largest length of vectors (nt, 3), and its row."""
    size = np.linalg.norm(values, axis=1)
    size = np.where(np.isfinite(size), size, -1.0)
    n = int(np.argmax(size)) if len(size) else 0
    return (float(size[n]) if len(size) else 0.0), n


SCRIPT = '''"""{title}"""

from pathlib import Path

import numpy as np

import holonom as hn

here = Path(__file__).resolve().parent
{start}
{edits}
run = hn.simulate(model, {settings})


def peak(view):
    """The largest force and its time."""
    size = np.linalg.norm(view.force.values, axis=1)
    row = int(np.nanargmax(size))
    return float(size[row]), float(run.time[row])


if __name__ == "__main__":
    for kind, number, name in run.data.constraints + run.data.forces:
        view = run.constraint if (kind, number, name) in run.data.constraints else run.force
        size, when = peak(view(f"{{kind}}/{{number}}"))
        print(f"{{kind}}/{{number}} {{name!r}}: peak force {{size!r}} {{run.units('force')}} at {{when!r}} {{run.units('time')}}")
'''


def script(document: Any, settings: dict[str, Any], folder: Path) -> str:
    """A Python script that reads the file, does what was done, and runs it; ``folder``: where the script will lie.

    Raises ModelError where undo went back behind the file."""
    lines = document.lines()
    base = document.base
    if base is None:
        units = document.model.units
        words = ", ".join(f"{n}={getattr(units, n)!r}" for n in ("force", "mass", "length", "time"))
        start = f"model = hn.Model({document.first_name!r}, units=hn.Units({words}))"
    else:
        import os

        place = Path(os.path.relpath(base, folder)).as_posix()
        start = {
            ".json": f"model = hn.Model.from_json((here / {place!r}).read_text(encoding='utf-8'))\nmodel.path = str(here / {place!r})",
            ".cmd": f"model = hn.read_view(here / {place!r})",
        }.get(base.suffix.lower(), f"model = hn.read_adams(here / {place!r})")
    title = f"{document.model.name}: what was done in the Studio, as a script.".replace("\\", " ").replace('"', "'").replace("\n", " ")
    return SCRIPT.format(title=title, start=start, edits="\n".join(lines), settings=", ".join(f"{k}={v!r}" for k, v in settings.items()))


__all__ = ["Answers", "peak", "script"]
