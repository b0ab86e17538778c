"""Root locus: eigenvalues over a parameter, tracked by their mode shapes."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from ..model import ModelError
from ._names import Named
from .modes import Linear

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class RootLocus(Named):
    """``values`` (nv,) of the parameter; ``eigenvalues`` (nv, n) complex, one column for each tracked eigenvalue, NaN
    where it does not exist; ``linear``: the `Linear` of each value."""

    values: np.ndarray
    eigenvalues: np.ndarray
    linear: list[Linear] = field(default_factory=list, repr=False)

    def crossings(self) -> list[tuple[float, complex]]:
        """(value, eigenvalue) wherever a tracked eigenvalue crosses the imaginary axis: linear interpolation, ascending
        values, one of each conjugate pair."""
        out = []
        for column in self.eigenvalues.T:
            for k in range(len(column) - 1):
                a, b = column[k], column[k + 1]
                if np.isfinite(a) and np.isfinite(b) and (a.real < 0.0) != (b.real < 0.0):
                    s = a.real / (a.real - b.real)
                    root = a + s * (b - a)
                    if root.imag >= -1e-12 * abs(root):
                        out.append((float(self.values[k] + s * (self.values[k + 1] - self.values[k])), complex(root)))
        return sorted(out, key=lambda item: item[0])

    def plot(self, axes: Any = None, label: str = "parameter") -> Axes:
        """Eigenvalues in the complex plane on matplotlib ``axes`` (created when none are given), dots coloured by the
        parameter; returns the axes."""
        from .pictures.figures import pyplot

        plt = pyplot()

        ax = plt.subplots()[1] if axes is None else axes
        for column in self.eigenvalues.T:
            ax.plot(column.real, column.imag, "-", lw=0.8, alpha=0.6)
        every = np.broadcast_to(self.values[:, None], self.eigenvalues.shape)
        dots = ax.scatter(self.eigenvalues.real, self.eigenvalues.imag, c=every, s=12, cmap="viridis")
        ax.figure.colorbar(dots, ax=ax, label=label)
        ax.axvline(0.0, color="k", lw=0.8, alpha=0.5)
        ax.set(xlabel="real part", ylabel="imaginary part")
        return ax

    def plot_parts(self, axes: Any = None, label: str = "parameter") -> Axes:
        """Stability diagram: real parts (solid) and imaginary parts (dashed) over the parameter; returns the axes."""
        from .pictures.figures import pyplot

        plt = pyplot()

        ax = plt.subplots()[1] if axes is None else axes
        for column in self.eigenvalues.T:
            (line,) = ax.plot(self.values, column.real, "-")
            if np.nanmax(column.imag) > 0.0:
                ax.plot(self.values, np.where(column.imag > 0.0, column.imag, np.nan), "--", color=line.get_color())
        ax.axhline(0.0, color="k", lw=0.8, alpha=0.5)
        ax.set(xlabel=label, ylabel="real part (lines), imaginary part (dashes)")
        return ax

    def to_csv(self, path: str | Path) -> Path:
        """One row per value: the parameter, then real and imaginary part of every tracked eigenvalue."""
        path = Path(path)
        try:
            with open(path, "w", encoding="utf-8", newline="") as file:
                out = csv.writer(file)
                n = self.eigenvalues.shape[1]
                out.writerow(["value", *(f"{part} {k + 1}" for k in range(n) for part in ("real", "imaginary"))])
                for value, row in zip(self.values, self.eigenvalues):
                    out.writerow([value, *np.column_stack([row.real, row.imag]).ravel()])
        except OSError as problem:
            raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None
        return path


def _vectors(linear: Linear) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues that are not zero (n,) and their mode shapes as unit rows (n, 12 nb + nx)."""
    root = np.sqrt(
        np.concatenate([np.repeat(linear.mass[:, None], 3, 1), np.einsum("bii->bi", linear.inertia)], axis=1)
    )
    values, rows = [], []
    for mode in linear.modes:
        if mode.kind == "rigid":
            continue
        pace = max(abs(mode.value), 1e-12)
        v = np.concatenate([(root * mode.shape).ravel(), (root * mode.rate).ravel() / pace, mode.x])
        v = v / (np.linalg.norm(v) or 1.0)
        for z, w in ((mode.value, v), (mode.value.conjugate(), v.conj()))[: 2 if mode.value.imag else 1]:
            values.append(z)
            rows.append(w)
    return np.array(values, complex), np.array(rows, complex).reshape(len(values), -1)


def follow(values: list[float], results: list[Linear]) -> RootLocus:
    """Assign the eigenvalues of each result to those before: least sum of relative distance (from where the last two
    point to) and of 1 - MAC, the modal assurance criterion (R. J. Allemang, IMAC 1982), over all of them (Hungarian
    method)."""
    columns: list[dict[int, complex]] = []
    active: list[tuple[int, complex, complex, np.ndarray]] = []  # column, eigenvalue, expected next, shape
    for step, linear in enumerate(results):
        found, shapes = _vectors(linear)
        following = []
        taken: set[int] = set()
        if active and len(found):
            expected = np.array([a[2] for a in active])
            size = 0.5 * (np.abs(expected)[:, None] + np.abs(found)[None]) + 1e-3 * np.abs(found).max()
            cost = np.abs(expected[:, None] - found[None]) / size
            if all(len(a[3]) == shapes.shape[1] for a in active):
                mac = np.abs(np.array([a[3] for a in active]).conj() @ shapes.T) ** 2
                cost = cost + (1.0 - mac)
            for i, j in zip(*linear_sum_assignment(cost)):
                column, last = active[i][0], active[i][1]
                forward = found[j] - last if step + 1 < len(values) else 0.0
                before = values[step] - values[step - 1]
                ahead = (values[step + 1] - values[step]) / before if step + 1 < len(values) and before else 0.0
                columns[column][step] = found[j]
                following.append((column, found[j], found[j] + 0.5 * ahead * forward, shapes[j]))
                taken.add(int(j))
        for j in range(len(found)):
            if j not in taken:
                columns.append({step: found[j]})
                following.append((len(columns) - 1, found[j], found[j], shapes[j]))
        active = following
    table = np.full((len(values), len(columns)), np.nan + 0j)
    for k, column in enumerate(columns):
        for step, value in column.items():
            table[step, k] = value
    return RootLocus(np.array(values, float), table, results)
