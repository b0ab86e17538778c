"""Figures of docs/thermal.md: temperatures of the spindle on its mesh, its drift over time, and temperatures against
closed forms.

python docs/make_thermal.py
"""

import importlib.util
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

import holonom as hn

HERE = Path(__file__).resolve().parent


def example():
    spec = importlib.util.spec_from_file_location("spindle", HERE.parent / "examples" / "spindle_temperatures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def spindle() -> None:
    """Half of the housing and the whole shaft, settled; drift and temperatures over time."""
    s = example()
    results = s.study()
    figure = plt.figure(figsize=(11, 4.2), layout="constrained")
    grid = figure.add_gridspec(1, 3, width_ratios=[1.5, 1, 1])
    ax = figure.add_subplot(grid[0], projection="3d")
    mesh, steady = results[9000]["drift"].mesh, results[9000]["steady"]
    turned = mesh.points[:, [2, 0, 1]]  # axis of the spindle to the right, y upward
    u = turned - mesh.points
    inner = np.isin(np.arange(len(mesh.points)), mesh.groups["shaft"])
    steady.picture(
        ax=ax,
        displacement=u,
        view=(18, -65),
        label="degrees C",
        where=lambda p: inner | (p[:, 0] > -1e-9),
        limits=(20.0, float(steady.values.max())),
    )
    ax.set_title("9000 / min, settled; front half of the housing left out", fontsize=9)
    drift, warm = figure.add_subplot(grid[1]), figure.add_subplot(grid[2])
    for k, (n, r) in enumerate(results.items()):
        minutes = r["T"].time / 60
        drift.plot(minutes, 1e6 * r["ways"][:, 0], color=f"C{k}")
        drift.plot(minutes, 1e6 * r["ways"][:, 1], ":", color=f"C{k}")
        drift.plot(minutes[-1] * 1.02, 1e6 * r["chain"][0], "<", color=f"C{k}", ms=5)
        drift.plot(minutes[-1] * 1.02, 1e6 * r["chain"][1], "<", color=f"C{k}", ms=5, mfc="none")
        for name, style in (("front", "-"), ("rear", "--")):
            warm.plot(
                minutes,
                r["T"].mean(s.place(s.SHAFT, "outer", *s.SEATS[name])),
                style,
                color=f"C{k}",
                label=f"{n} / min" if style == "-" else None,
            )
    drift.set(xlabel="time, min", ylabel="drift of the tool point, um", title="axial, radial (dotted); slices: marks")
    drift.title.set_fontsize(9)
    warm.set(xlabel="time, min", ylabel="inner ring, degrees C", title="front bearing, rear (dashed)")
    warm.title.set_fontsize(9)
    warm.legend(frameon=False, fontsize=8, ncols=2, loc="lower right")
    warm.set_ylim(10, None)
    save(figure, "thermal_spindle.png")


def checks() -> None:
    """A slab that is quenched next to its series, and the order of cells."""
    steel = hn.flexible.Material(2.1e11, 0.3, 7850.0, conductivity=50.0, specific_heat=460.0)
    a, L = 50.0 / (7850.0 * 460.0), 0.05
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    slab = hn.thermal.Conduction(hn.flexible.box((0, 0, 0), (L, 0.01, 0.01), (16, 1, 1)), steel)
    slab.convection("x+", 1000.0, 20.0)
    T = slab.transient(L**2 / a, 40, start=100.0, error=1e-3)
    roots = np.array(
        [brentq(lambda z: z * np.sin(z) - np.cos(z), k * np.pi + 1e-9, (k + 0.5) * np.pi) for k in range(60)]
    )
    weight = 4.0 * np.sin(roots) / (2.0 * roots + np.sin(2.0 * roots))
    for k, x in enumerate((0.0, 0.5, 1.0)):
        series = 20.0 + 80.0 * (weight * np.cos(roots * x) * np.exp(-(roots**2) * a * T.time[:, None] / L**2)).sum(1)
        left.plot(a * T.time / L**2, T.at((x * L, 0.005, 0.005)), color=f"C{k}", label=f"x / L = {x:g}")
        left.plot(a * T.time[1::3] / L**2, series[1::3], "o", color=f"C{k}", ms=3.5)
    left.set(xlabel="a t / L^2", ylabel="degrees C", title="slab in a fluid, Bi = 1 (points: series)")
    left.legend(frameon=False)
    exact = lambda p: np.sin(3 * p[..., 0]) * np.sinh(3 * p[..., 1]) + p[..., 2]
    for k, kind in enumerate(("tetra", "hexahedron", "tetra10", "hexahedron20", "hexahedron27")):
        sizes, errors = [], []
        for n in (2, 3, 4, 6):
            heat = hn.thermal.Conduction(hn.flexible.box((0, 0, 0), (1, 1, 0.5), (n, n, n), kind), steel)
            rim = np.unique(np.concatenate([heat.nodes(f"{c}{s}") for c in "xyz" for s in "-+"]))
            inner = np.setdiff1d(np.arange(heat.size), rim)
            T, K = exact(heat.mesh.points), heat.conductivity
            T[inner] = np.linalg.solve(K[inner][:, inner].toarray(), -K[inner][:, rim] @ T[rim])
            each = heat._integrals[kind]
            errors.append(np.sqrt((each.weights * (T[each.nodes] @ each.N.T - exact(each.at)) ** 2).sum()))
            sizes.append(1 / n)
        order = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
        right.loglog(sizes, errors, "o-", color=f"C{k}", ms=4, label=f"{kind}: {order:.1f}")
    right.set(xlabel="size of cells", ylabel="error, root of its mean square", title="harmonic field: orders")
    right.set_xticks([1 / 6, 1 / 4, 1 / 3, 1 / 2], ["1/6", "1/4", "1/3", "1/2"])
    right.minorticks_off()
    right.legend(frameon=False, fontsize=8)
    save(figure, "thermal_checks.png")


def save(figure, name: str) -> None:
    path = HERE / "figures" / name
    figure.savefig(path, dpi=110)
    print(path)


if __name__ == "__main__":
    checks()
    spindle()
