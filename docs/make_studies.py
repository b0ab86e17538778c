"""Figure of docs/studies.md: outcomes of studies that ship with Holonom.

holonom study run dampers     (drop_test, tip_relief and slider_crank likewise, in one folder)
python docs/make_studies.py FOLDER
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn
from holonom.machinery import GearPair
from holonom.studies.shipped import drop_test, slider_crank, tip_relief
from holonom.studies.study_file import SHIPPED


def draw_dampers(held, axis):
    """The front, with the placement of each point."""
    front = set(held.store.outcome(1)["front"])
    rows = sorted((r for r in held if r.number in front), key=lambda r: r.measures["dampers"])
    axis.plot(held["dampers"], held["drift"], ".", color="0.8", ms=3, label=f"{len(held)} runs")
    axis.plot(*np.array([[r.measures[n] for n in ("dampers", "drift")] for r in rows]).T, "o-", ms=4, label="front")
    for r in rows[::3]:
        place = " ".join(str(n) for n in r.parameters.values())
        axis.annotate(
            place, (r.measures["dampers"], r.measures["drift"]), (0, 8), textcoords="offset points", fontsize=7
        )
    axis.set(title="dampers: in storeys 1 to 6", xlabel="number of dampers", ylabel="largest drift (mm)")
    axis.legend(fontsize=8)


def draw_relief(held, axis):
    """Transmission error of a period, without relief and with that of each stage, at the nominal load."""
    best = [held.store.outcome(k)["parameters"] for k in (1, 2)]
    designs = {"no relief": {"depth": 0.0, "length": 0.5}, "best for 2 to 5 kN": best[0], "best for 4 kN": best[1]}
    for label, v in designs.items():
        pair = GearPair(
            tip_relief.TEETH, tip_relief.MODULE, width=tip_relief.WIDTH, tip_relief=1e-3 * v["depth"],
            relief_length=v["length"],
        )  # fmt: skip
        table = pair.mesh(tip_relief.LOADS["nominal"], tip_relief.POINTS)
        text = f"{label} ({v['depth']:.1f} um, {v['length']:.2f})" if v["depth"] else label
        axis.plot(table.phase, 1e3 * table.transmission_error, label=text)
    axis.set(title="tip_relief: at 4 kN", xlabel="mesh period", ylabel="transmission error (um)")
    axis.legend(fontsize=8)


def draw_drop(held, axis):
    """Measured force and that of the identified contact, at the first impact."""
    t, _, force = np.loadtxt(SHIPPED / "drop_test.csv", delimiter=",", skiprows=1).T
    v = held.store.outcome(1)["parameters"]
    times, values = drop_test.fall(v)["force"]
    part = (t > 0.235) & (t < 0.27)
    axis.plot(1e3 * t[part], force[part], "k.", ms=4, label="load cell")
    label = f"{v['stiffness']:.3f} MN/m$^{{1.5}}$, restitution {v['restitution']:.4f}"
    axis.plot(1e3 * times[part], values[part] + v["zero"], label=label)
    axis.set(title="drop_test: first impact", xlabel="time (ms)", ylabel="force (N)")
    axis.legend(fontsize=8)


def draw_faults(held, axis):
    """A healthy turn, and what each fault adds to the torque at the end of its range."""
    healthy, slopes = slider_crank.regressor()
    q = np.degrees(slider_crank.SPEED * slider_crank.TIMES)
    axis.plot(q, healthy, "k", lw=1, label="healthy")
    for name, slope in slopes.items():
        nominal, low, high = slider_crank.FAULTS[name]
        axis.plot(q, healthy + slope * ((high if nominal == low else low) - nominal), lw=1, label=name)
    share, inside = held["right"].mean(), held["inside"].sum() / held["intervals"].sum()
    axis.set(
        title=f"slider_crank: {100 * share:.1f} % of {len(held)} right, {100 * inside:.1f} % of intervals",
        xlabel="crank angle (deg)", ylabel="torque (N m)",
    )  # fmt: skip
    axis.legend(fontsize=8)


def main(folder):
    drawings = {
        "dampers": draw_dampers, "tip_relief": draw_relief, "drop_test": draw_drop, "slider_crank": draw_faults,
    }  # fmt: skip
    held = {name: hn.studies.load(Path(folder) / f"{name}.study") for name in drawings}
    done = [name for name, h in held.items() if h.store.outcome(1) is not None]
    figure, axes = plt.subplots(1, len(done), figsize=(5 * len(done), 4), layout="constrained", squeeze=False)
    for axis, name in zip(axes.flat, done):
        drawings[name](held[name], axis)
        axis.grid(alpha=0.3)
    path = Path(__file__).parent / "figures" / "studies_shipped.png"
    figure.savefig(path, dpi=80)
    print(path)


if __name__ == "__main__":
    main(sys.argv[1])
