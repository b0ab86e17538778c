"""Tables for other programs: CSV per element, Adams request files (.req) and tab-separated spreadsheets (.tab).

**CSV**: first column time, headers ``name [unit]``, numbers in their shortest exact form.

**.tab** (as Adams View's and PostProcessor's spreadsheet exports, one table): lines of quoted text with title, column
names and units, then tab-separated numbers.  Adams View reads it back: its readers of number files
(``file testdata read``, ``numeric_results read_from_file``) skip each line that does not begin with a number [1].

**.req** (ASCII request file).  Adams has no public description; written from a file of Adams View 2019 (its three
header lines and its time lines), from the request lines that RecurDyn documents for the format it took over [2], and
from the reading template of HyperGraph [3]::

     A.R3    2026-01-31 12:00:00               0         0  3D      signature with date
    title                                                            80 characters
        n     MMKGS_N_RACA 1.000000000000000E+03                     number of requests, unit word, lengths in a metre
        5        1      101       11        0  comment               per request: id, type, I, J, RM, comment
       1.00000E-03                                                   per output: time,
       1.00000E+00   ...                                             per request six numbers

Types: 1 displacement, 2 velocity, 3 acceleration, 4 force, 5 functions.  The six numbers are components 2-4 and 6-8;
the magnitudes (components 1 and 5) are not written, as Adams documents [4].  The unit word has six fields of two
characters, filled up with
``_``: length, mass, time, force, angle (RA), coordinates (CA); ``INLBS_PFRACA 3.937007874015748E+01`` and
``M_KGS_N_RACA 1.000000000000000E+00`` were seen, the fields of other units are ours (`FIELDS`).  Not yet read back by
Adams itself.

[1] Adams View command help, numeric_results read_from_file.  [2] RecurDyn help, "REQ File Format".  [3] Altair help,
"ADAMS Example" of external results readers.  [4] Adams Solver help, REQUEST.
"""

from __future__ import annotations

import csv
import datetime
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...model import ModelError, Units
from ..quantities import Quantity, quantities
from ..run import Run
from .targets import FOREIGN, named_path

SHORT = {
    "position": ("x", "y", "z"),
    "velocity": ("vx", "vy", "vz"),
    "acceleration": ("ax", "ay", "az"),
    "angular_velocity": ("wx", "wy", "wz"),
    "angular_acceleration": ("alphax", "alphay", "alphaz"),
    "euler_rates": ("psi_rate", "theta_rate", "phi_rate"),
    "momentum": ("px", "py", "pz"),
    "angular_momentum": ("lx", "ly", "lz"),
    "euler_momenta": ("p_psi", "p_theta", "p_phi"),
    "force": ("fx", "fy", "fz"),
    "torque": ("tx", "ty", "tz"),
    "euler": ("psi", "theta", "phi"),
    "quaternion": ("e0", "e1", "e2", "e3"),
}
#: two characters of a unit in the unit word; those of METER, INCH, KILOGRAM, POUND_MASS, SECOND, NEWTON and POUND_FORCE
#: are Adams'
FIELDS = {
    "METER": "M_", "MILLIMETER": "MM", "CENTIMETER": "CM", "KILOMETER": "KM", "INCH": "IN", "FOOT": "FT", "MILE": "MI",
    "KILOGRAM": "KG",
    "GRAM": "G_", "POUND_MASS": "LB", "KPOUND_MASS": "KP", "SLUG": "SL", "OUNCE_MASS": "OZ", "TONNE": "TO",
    "SECOND": "S_", "MILLISECOND": "MS",
    "MINUTE": "MN", "HOUR": "HR", "NEWTON": "N_", "KILONEWTON": "KN", "POUND_FORCE": "PF", "KILOGRAM_FORCE": "KF",
    "DYNE": "DY",
    "KPOUND_FORCE": "KP", "OUNCE_FORCE": "OF",
}  # fmt: skip
REQUEST_TYPES = {"DISPLACEMENT": 1, "VELOCITY": 2, "ACCELERATION": 3, "FORCE": 4}
RESERVED = {"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(1, 10))}


def export_csv(run: Run, folder) -> list[Path]:
    """Write one table per part, constraint, force, contact and request, and one each for all variables, states,
    energies and impacts.

    Files are named ``part_ROTOR.csv``, ``joint_HINGE.csv``, ...; names are made safe for every system.  Returns the
    paths written.  Raises ModelError when the folder cannot be written.
    """
    folder = folder_of(folder, "export_csv")
    tables: dict[tuple, list[Quantity]] = {}
    for q in quantities(run, momenta=True):
        whole = q.owner is None or q.table == "variable"
        tables.setdefault((q.table,) if whole else q.owner, []).append(q)  # type: ignore[arg-type]
    plural = {"variable": "variables", "state": "states", "energy": "energy"}
    taken: set[str] = set()
    paths = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for owner, group in tables.items():
            stem = plural[owner[0]] if len(owner) == 1 else f"{owner[0].lower()}_{owner[2]}"
            path = folder / f"{safe_name(stem, taken)}.csv"
            _write_csv(path, run, _columns(group, whole=len(owner) == 1))
            paths.append(path)
        if len(run.impacts):
            paths.append(folder / f"{safe_name('impacts', taken)}.csv")
            _write_impacts(paths[-1], run)
    except OSError as problem:
        raise ModelError(f"cannot write tables to '{folder}': {problem.strerror or problem}") from None
    return paths


FILES = (*FOREIGN, ".h5", ".hdf5")  # endings of no folder


def folder_of(folder: Any, call: str) -> Path:
    """The folder into which ``call`` writes several files.  Raises ModelError for the name of a file."""
    path = named_path(folder, f"{call} writes several files into a folder", "results")
    if path.suffix.lower() in FILES and not path.is_dir():
        raise ModelError(
            f"{call} writes several files into a folder, and '{path.name}' is the name of a file; give "
            f"{call}('{path.stem}')"
        )
    return path


def safe_name(text: str, taken: set[str] | None = None) -> str:
    """A file name (without ending) for any text: letters, digits, ``._-`` only, at most 100, not in ``taken`` (case
    aside).

    ``taken`` gains the name.
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", text).strip("._ ")[:100] or "unnamed"
    if name.split(".")[0].lower() in RESERVED:
        name = f"_{name}"
    if taken is None:
        return name
    unique, n = name, 1
    while unique.lower() in taken:
        n += 1
        unique = f"{name}_{n}"
    taken.add(unique.lower())
    return unique


def _columns(group: Sequence[Quantity], whole: bool) -> list[tuple[str, str, np.ndarray]]:
    """(name, unit, values) of each column; ``whole`` keeps full names."""
    out = []
    for q in group:
        if whole:
            names: Sequence[str] = q.labels
        elif q.table in ("part", "constraint", "force", "contact"):
            what = q.name.rsplit(".", 1)[1]
            names = (SHORT.get(what) if len(q.components) > 1 else None) or [
                f"{what}_{c}" if c else what for c in q.components
            ]
        else:
            names = q.components
        out += [(name, unit, q.values[:, k]) for k, (name, unit) in enumerate(zip(names, q.units))]
    return out


def header(name: str, unit: str) -> str:
    """``x [mm]``; a name that a spreadsheet would take for a formula gets an apostrophe in front."""
    text = f"{name} [{unit}]" if unit else name
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def _write_csv(path: Path, run: Run, columns) -> None:
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([header("time", run.units("time")), *(header(n, u) for n, u, _ in columns)])
        writer.writerows(np.column_stack([run.time, *(v for _, _, v in columns)]).tolist())


def _write_impacts(path: Path, run: Run) -> None:
    """A row for each impulse of `Run.impacts`."""
    force, time, speed = (run.units(q) for q in ("force", "time", "velocity"))
    units = {
        "time": time,
        "normal_impulse": f"{force}*{time}",
        "tangential_impulse": f"{force}*{time}",
        "velocity_before": speed,
        "velocity_after": speed,
        "energy_lost": run.units("energy"),
        **dict.fromkeys("xyz", run.units("length")),
    }
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([header(name, units.get(name, "")) for name in run.impacts.dtype.names or ()])
        writer.writerows([header(v, "") if isinstance(v, str) else v for v in row] for row in run.impacts.tolist())


def export_tab(run: Run, path, names: str | Iterable[str] | None = None) -> None:
    """Write one tab-separated table of the quantities that ``names`` (patterns) select; default: all requests, or all
    quantities if there are none.

    Raises `ModelError` when a pattern matches nothing or the file cannot be written.
    """
    chosen = quantities(run, names)
    if names is None and run.requests:
        chosen = [q for q in chosen if q.table == "request"]
    columns = _columns(chosen, whole=True)
    quote = lambda text: '"' + text.replace('"', "'").replace("\t", " ") + '"'
    with _open(path) as out:
        out.write(quote(f"Holonom: {run.model.title or run.model.name}") + "\n")
        out.write("\t".join(quote(n) for n in ("TIME", *(n for n, _, _ in columns))) + "\n")
        out.write("\t".join(quote(u or "-") for u in (run.units("time"), *(u for _, u, _ in columns))) + "\n")
        for row in np.column_stack([run.time, *(v for _, _, v in columns)]).tolist():
            out.write("\t".join(f"{v:.15G}" for v in row) + "\n")


def unit_word(units: Units) -> str:
    """Length, mass, time, force, angle and coordinates in the six fields of Adams' request files."""
    names = (units.length, units.mass, units.time, units.force)
    return "".join(FIELDS.get(name, name[:2]) for name in names) + "RACA"


def export_req(run: Run, path, *, digits: int = 5, date: datetime.datetime | None = None, empty: bool = False) -> None:
    """Write all requests of a run as an ASCII request file (``.req``), or as `export_tab` does when ``path`` ends in
    ``.tab``.

    ``digits``: after the decimal point (Adams writes 5); ``date``: of the signature line (default: now); ``empty``:
    write the times of a run without requests too, as Adams does.  Raises ModelError when the run has no requests or the
    file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() == ".tab":
        export_tab(run, path)
        return
    d, units = run.data, run.model.units
    if not d.requests and not empty:
        raise ModelError("this run recorded no requests, so there is no request file to write")
    stamp = (date or datetime.datetime.now()).strftime("%Y-%m-%d %H:%M:%S")
    title = (run.model.title or f"Holonom model name: {run.model.name}").replace("\n", " ")
    width = digits + 9  # sign, point, leading digit, exponent of up to three digits and a blank between
    with _open(path) as out:
        out.write(f" A.R3    {stamp}               0         0  3D\n{title[:80]:<80}\n")
        out.write(f"{len(d.requests):5d}     {unit_word(units)} {1 / units.si_length:.15E}\n")
        for key in d.requests:
            r = run.model.table("REQUEST").get(key[1])
            kind = REQUEST_TYPES.get((r.kind or "").upper(), 5) if r else 5
            i, j, rm = ((m or 0) for m in (r.i, r.j, r.rm)) if r else (0, 0, 0)
            text = ((r.comment or r.title) if r else "") or key[2]
            out.write(f"{key[1]:9d}{kind:9d}{i:9d}{j:9d}{rm:9d}  {text[:80]}\n".replace("\r", " "))
        values = d.request_values[:, :, [1, 2, 3, 5, 6, 7]]
        for t, rows in zip(d.time, values):
            out.write(f"{t:{width}.{digits}E}\n")
            for row in rows:
                out.write("".join(f"{v:{width}.{digits}E}" for v in row) + "\n")


def read_req(path) -> tuple[list[tuple[int, int, str]], np.ndarray, np.ndarray]:
    """The requests (id, type, comment), times (nt,) and values (nt, nr, 6) of an ASCII request file as written here.

    Raises ModelError when the file is not one.
    """
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        if not re.match(r"\s*A\.R\d", lines[0]):
            raise ValueError("it does not begin with A.R")
        count = int(lines[2].split()[0])
        heads = [line.split(None, 5) for line in lines[3 : 3 + count]]
        requests = [(int(h[0]), int(h[1]), h[5] if len(h) > 5 else "") for h in heads]
        body = np.array([float(v) for line in lines[3 + count :] for v in line.split()])
        body = body.reshape(-1, 1 + 6 * count)
    except (OSError, IndexError, ValueError) as problem:
        raise ModelError(f"'{path}' is not an ASCII request file: {problem}") from None
    return requests, body[:, 0], body[:, 1:].reshape(len(body), count, 6)


def _open(path):
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        return open(path, "w", encoding="utf-8", newline="\n")
    except OSError as problem:
        raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None
