"""Reference FMUs of the Modelica Association (FMI 2.0 and 3.0) against their own reference files.

``python benchmarks/reference_fmus.py FOLDER`` with the FMUs of https://github.com/modelica/Reference-FMUs, in any
folders below FOLDER; one row for each FMU and kind.  References are in the FMUs (``extra/.../NAME_out.csv``).  They are
made by explicit Euler steps within the FMU, so that co-simulation over the same steps has their digits, and model
exchange differs by Euler's error: differences to closed forms, and to SciPy (1e-12), are next to it.
"""

from __future__ import annotations

import csv
import io
import math
import re
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import holonom as hn
from fmi_zoo import print_rows

ERROR = 1e-8


def parabolas(t: np.ndarray) -> dict[str, np.ndarray]:
    """Height and speed of a ball that keeps 0.7 of its speed, from 1 m; it stays down once its speed is below 0.1."""
    h, v = np.zeros(len(t)), np.zeros(len(t))
    begin, high, speed = 0.0, 1.0, 0.0
    while True:
        fall = (speed + math.sqrt(speed**2 + 2 * 9.81 * high)) / 9.81
        here = (t >= begin) & (t < begin + fall)
        s = t[here] - begin
        h[here], v[here] = high + speed * s - 9.81 * s**2 / 2, speed - 9.81 * s
        begin, high, speed = begin + fall, 0.0, 0.7 * (9.81 * fall - speed)
        if speed < 0.1:
            return {"h": h, "v": v}


def van_der_pol(t: np.ndarray) -> dict[str, np.ndarray]:
    """mu = 1, from (2, 0)."""
    run = solve_ivp(
        lambda _, x: [x[1], (1 - x[0] ** 2) * x[1] - x[0]], (0, t[-1]), [2, 0], "DOP853", t, rtol=1e-12, atol=1e-13
    )
    return {"x0": run.y[0], "x1": run.y[1]}


def robertson(t: np.ndarray) -> dict[str, np.ndarray]:
    """Three reactions, from (1, 0, 0)."""

    def rates(_: float, y: np.ndarray) -> list[float]:
        one = -0.04 * y[0] + 1e4 * y[1] * (1 - y[0] - y[1])
        return [one, -one - 3e7 * y[1] ** 2]

    run = solve_ivp(rates, (0, t[-1]), [1, 0], "Radau", t, rtol=1e-11, atol=1e-14)
    return {"y1": run.y[0], "y2": run.y[1], "y3": 1 - run.y[0] - run.y[1]}


#: model -> outputs at times; the others have no states
EXACT: dict[str, Callable[[np.ndarray], dict[str, np.ndarray]]] = {
    "BouncingBall": parabolas,
    "VanDerPol": van_der_pol,
    "Dahlquist": lambda t: {"x": np.exp(-t)},
    "StateSpace": lambda t: {f"y[{k}]": k * np.exp(t) for k in (1, 2, 3)},  # x' = x + u, y = x + u, u = (1, 2, 3)
    "Roberts": robertson,
}
#: models whose file is no reference (that of Roberts is a copy of another one), and times in its place
WITHOUT = {"Roberts": np.linspace(0, 1, 21), "Clocks": np.linspace(0, 10, 11)}


def reference(path: Path) -> dict[str, np.ndarray]:
    """Columns of numbers of the reference file in an FMU, arrays element by element; empty where there is none."""
    with zipfile.ZipFile(path) as archive:
        found = [n for n in archive.namelist() if n.startswith("extra/") and n.endswith("_out.csv")]
        if not found:
            return {}
        rows = list(csv.reader(io.StringIO(archive.read(found[0]).decode())))
    columns: dict[str, np.ndarray] = {}
    for name, values in zip(rows[0], zip(*rows[1:])):
        try:
            table = np.array([[{"true": 1.0, "false": 0.0}.get(w) if w in ("true", "false") else float(w)
                               for w in v.split()] for v in values])  # fmt: skip
        except ValueError:  # texts and bytes, which are not exchanged
            continue
        wide = table.shape[1] > 1
        columns |= {f"{name}[{k + 1}]" if wide else name: table[:, k] for k in range(table.shape[1])}
    return columns


def row(path: Path, kind: str) -> str:
    """What one FMU gives: largest differences over all columns, of their sizes."""
    ought = {} if path.stem in WITHOUT else reference(path)
    t = ought.pop("time") if ought else WITHOUT[path.stem]
    with zipfile.ZipFile(path) as archive:
        stated = archive.read("modelDescription.xml").decode()
    exact = EXACT[path.stem](t) if path.stem in EXACT else {}
    known = set(re.findall(r'name="([^"]*)"', stated))
    names = [n for n in ought or exact if n.split("[")[0] in known]  # the files have columns of both versions
    dt = float(np.min(np.diff(t)))
    begun = time.process_time()
    options: dict[str, Any] = {"kinds": {"fmu": kind}, "record": [f"fmu.{n}" for n in names]}
    options |= {"error": ERROR} if kind == "me" else {"step": 1e-3} if path.stem == "Roberts" else {"step": dt}
    found = hn.cosimulate({"fmu": path}, {}, float(t[-1]), dt=dt, **options)
    n = min(len(found.time), len(t))
    assert np.allclose(found.time[:n], t[:n], rtol=0, atol=1e-9), "rows are at other times"
    far = lambda a, b: float(np.max(np.abs(a - b))) / (float(np.max(np.abs(b))) or 1.0)
    words = f"{n} of {len(t)} rows, {len(names)} columns, {time.process_time() - begun:.2f} s of CPU"
    said = []
    if ought:
        off = max(far(found[f"fmu.{name}"][:n], ought[name][:n]) for name in names)
        said.append(f"{off:.2g} of the file")
    if exact:
        own = max(far(found[f"fmu.{name}"][:n], exact[name][:n]) for name in names)
        said.append(f"{own:.2g} of the solution")
    if ought and exact:
        said.append(f"the file {max(far(ought[name], exact[name]) for name in names):.2g} of it")
    return f"{', '.join(said)} ({words})"


if __name__ == "__main__":
    print_rows("reference_fmus", "folder with the FMUs", row)
