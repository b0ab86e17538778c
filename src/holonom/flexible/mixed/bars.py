"""Bars that hit each other end to end: the study of the multi-variable method, and St Venant's impact.

Brass with a hemispherical end hits aluminium with a flat end at 0.21 m/s (Chinese J. of Theoretical and Applied
Mechanics, doi 10.6052/0459-1879-13-166); sizes that the source does not print are assumed: radius 10 mm, lengths 0.20
and 0.30 m, end radius 10 mm.  Axisymmetric bilinear elements, lumped mass, Moreau-Jean with theta = 0.6 and steps of
0.2 us over 0.4 ms; the contact lasts 0.28 ms.

Flat bars of one section and material (A. J. C. B. de Saint-Venant, J. Math. Pures Appl. 12 (1867) 237): with the wave
speed c = sqrt(E / rho) and lengths L1 <= L2 they are 2 L1 / c in contact under the force rho c A v / 2; the shorter one
is at rest afterwards and the longer one continues with v L1 / L2.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._summary import Summary
from ...model.base import ModelError, shown
from ..mesh import Material
from .contact import Contact, Course, collide, correlation
from .continuum import axisymmetric
from .coordinates import Coordinates
from .grids import bar, graded

BRASS, ALUMINIUM = Material(1.0e11, 0.34, 8500.0), Material(7.0e10, 0.33, 2700.0)
PLAIN = Material(2.1e11, 0.0, 7850.0)  # steel without lateral strain, which waves of one dimension want
RADIUS, LENGTHS, SPEED, END, STEP = 0.01, (0.20, 0.30), 0.21, 4e-4, 2e-7  # m, m/s, s
MESHES = ("uniform", "graded", "fine")
LAYERS, RINGS, MODES = (1, 2, 3, 4), (1, 2, 3, 4, 5), (7, 13, 19, 25, 31, 37, 43)
GOOD, PEAK = 0.99, 0.02  # least correlation, largest error of the peak


def lines(mesh: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lines across, and along both bars: "uniform" and "graded" have 1197 nodes, 2394 coordinates in all; "fine" has
    edges of 50 um in the contact.

    Raises `ModelError` for another keyword."""
    if mesh == "uniform":  # one node in contact, as the published study has it
        return np.linspace(0, RADIUS, 7), np.linspace(0, LENGTHS[0], 69), np.linspace(0, LENGTHS[1], 102)
    if mesh == "graded":  # 19 x (25 + 38) nodes
        across = np.concatenate(
            [np.linspace(0, 7.5e-4, 6), 7.5e-4 + (RADIUS - 7.5e-4) * np.linspace(0, 1, 14)[1:] ** 1.9]
        )
        along = lambda L, n: np.concatenate(
            [np.linspace(0, 4.5e-4, 4), 4.5e-4 + (L - 4.5e-4) * np.linspace(0, 1, n - 3)[1:] ** 2.4]
        )
        return across, along(LENGTHS[0], 25), along(LENGTHS[1], 38)
    if mesh != "fine":
        raise ModelError(f"the mesh of the bars is {shown(mesh)}; give {', '.join(MESHES[:-1])} or {MESHES[-1]}")
    across = graded(5e-5, RADIUS, 1.25, 1e-3, even=14)
    first, second = (graded(5e-5, L, 1.25, 4e-3, even=6) for L in LENGTHS)
    return across, first, second


def coaxial_bars(mesh: str = "graded", materials: Sequence[Material] = (BRASS, ALUMINIUM)) -> Contact:
    """The bars of the study, the one with the round end first.  Raises `ModelError` as `lines`.

    contact = hn.flexible.mixed.coaxial_bars() run = hn.flexible.mixed.collide(contact, velocity=((0, 0.21), (0, 0)),
    end=4e-4, step=2e-7)
    """
    across, first, second = lines(mesh)
    one = axisymmetric(bar(RADIUS, LENGTHS[0], across, first, RADIUS, up=False), materials[0], name="brass")
    other = axisymmetric(bar(RADIUS, LENGTHS[1], across, second), materials[1], name="aluminium")
    return Contact(one, other, ("end", "end"))


def flat_bars(
    cells: int = 50,
    ratio: float = 2.0,
    *,
    length: float = 0.2,
    radius: float = 0.005,
    material: Material = PLAIN,
) -> Contact:
    """Two flat bars of one section and material, ``length`` with ``cells`` along it, and ``ratio`` times that; without
    lateral strain unless a material reports this.

    Raises `ModelError` for invalid values.
    """
    if isinstance(cells, bool) or not isinstance(cells, (int, np.integer)) or cells < 2:
        raise ModelError(f"cells along the shorter bar are {shown(cells)}; give a whole number from 2 on")
    if not isinstance(ratio, (int, float, np.number)) or not 1.0 <= ratio < np.inf:
        raise ModelError(f"the lengths of flat bars have the ratio {shown(ratio)}; give a number from 1 on")
    r = np.linspace(0, radius, 3)
    one = axisymmetric(bar(radius, length, r, np.linspace(0, length, cells + 1), up=False), material, name="short")
    long = ratio * length
    other = axisymmetric(bar(radius, long, r, np.linspace(0, long, round(ratio * cells) + 1)), material, name="long")
    return Contact(one, other, ("end", "end"), way="surface-to-surface")


@dataclass(frozen=True)
class Impact(Summary):
    """St Venant's answer for `flat_bars`: ``duration`` (time), ``force``, ``speeds`` of both afterwards, ``wave``
    speed."""

    duration: float
    force: float
    speeds: tuple[float, float]
    wave: float


def st_venant(contact: Contact, speed: float = 1.0) -> Impact:
    """Wave solution of `flat_bars` of which the shorter one comes with a speed."""
    one, other = contact.one, contact.other
    L1, L2 = (float(np.ptp(b.places[:, 1])) for b in (one, other))
    assert one.material is not None
    c = float(np.sqrt(one.material.E / one.material.density))
    return Impact(2.0 * L1 / c, 0.5 * one.mass / L1 * c * speed, (0.0, speed * L1 / L2), c)


def around(contact: Contact, rings: int, layers: int, modes: int) -> tuple[Coordinates, Coordinates]:
    """Mixed coordinates of both bars: nodes of so many rings and layers about the tips, and modes of each."""
    a, b = (
        body.kept(body.region("end", start, rings, layers), modes)
        for body, start in zip((contact.one, contact.other), contact.first)
    )
    return a, b


def hit(contact: Contact, coordinates: Any = None, end: float = END, step: float = STEP, **more: Any) -> Course:
    """The first bar comes with 0.21 m/s along the axis; words of `collide`."""
    return collide(contact, coordinates, velocity=((0, SPEED), (0, 0)), end=end, step=step, **more)


@dataclass(frozen=True)
class Reference(Summary):
    """``force`` (t,) and ``peak`` of the full finite elements, as other processes need them."""

    force: np.ndarray
    peak: float


def compared(course: Course, reference: Any) -> tuple[float, float]:
    """Normalised cross-correlation of both forces, and ratio of their peaks."""
    return correlation(course.force, reference.force), course.peak / reference.peak


def _partition(task: tuple) -> tuple:
    """Runs of one partition with all counts of modes: (rings, layers) -> {modes: (coordinates, correlation, peak ratio,
    seconds)}."""
    mesh, rings, layers, counts, reference, materials, end, step = task
    contact = coaxial_bars(mesh, materials)
    most = around(contact, rings, layers, max(counts))
    out = {}
    for m in counts:
        both = tuple(c.only(np.arange(m)) for c in most)
        run = hit(contact, both, end, step)
        out[m] = (sum(c.size for c in both), *compared(run, reference), run.cpu)
    return (rings, layers), out


def runs(
    mesh: str = "graded",
    partitions: Sequence[tuple[int, int]] | None = None,
    counts: Sequence[int] = MODES,
    materials: Sequence[Material] = (BRASS, ALUMINIUM),
    end: float = END,
    step: float = STEP,
    workers: int | None = None,
) -> tuple[Course, dict]:
    """Runs of many partitions (rings, layers) with ``counts`` of modes a bar, on all cores unless specified, against
    the full finite elements of the same mesh.

    By default the study: 1 to 5 rings, 1 to 4 layers, 7 to 43 modes in steps of six, 140 runs.  Returns the reference
    and, of each partition, {modes:
    (coordinates, correlation, peak ratio, CPU seconds)}.  Raises `ModelError` as `lines` and `Continuum.kept`.
    """
    chosen = [(r, l) for l in LAYERS for r in RINGS] if partitions is None else list(partitions)
    reference = hit(coaxial_bars(mesh, materials), end=end, step=step)
    short = Reference(reference.force, reference.peak)
    tasks = [(mesh, r, l, tuple(counts), short, tuple(materials), end, step) for r, l in chosen]
    workers = min(os.cpu_count() or 1, len(tasks)) if workers is None else workers
    if workers == 1:
        return reference, dict(map(_partition, tasks))
    before = os.environ.get("OPENBLAS_NUM_THREADS")
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # for the processes that are started now
    try:
        with multiprocessing.get_context("spawn").Pool(workers) as pool:
            return reference, dict(pool.imap(_partition, tasks))
    finally:
        if before is None:
            del os.environ["OPENBLAS_NUM_THREADS"]
        else:
            os.environ["OPENBLAS_NUM_THREADS"] = before


def good(numbers: Sequence[float]) -> bool:
    """Whether a run has the correlation and the peak that are requested."""
    return numbers[1] >= GOOD and abs(numbers[2] - 1.0) <= PEAK


def correlation_table(found: dict, counts: Sequence[int]) -> list[str]:
    """A table in Markdown: correlation and peak ratio, bold where both are met."""
    out = ["| layers, rings | " + " | ".join(f"{m} modes" for m in counts) + " |", "|---" * (len(counts) + 1) + "|"]
    for (rings, layers), row in sorted(found.items(), key=lambda item: (item[0][1], item[0][0])):
        cells = []
        for m in counts:
            size, c, p, _ = row[m]
            mark = "**" if good(row[m]) else ""
            cells.append(f"{mark}{c:.4f}, {p:.3f}{mark} ({size})")
        out.append(f"| {layers}, {rings} | " + " | ".join(cells) + " |")
    return out


def smallest(found: dict) -> tuple | None:
    """The smallest number of coordinates of both bars that meets both: (coordinates, rings, layers, modes, correlation,
    peak ratio, seconds), or None."""
    rows = [
        (row[m][0], rings, layers, m, *row[m][1:])
        for (rings, layers), row in found.items()
        for m in row
        if good(row[m])
    ]
    return min(rows) if rows else None
