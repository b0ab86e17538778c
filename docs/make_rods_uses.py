"""Figure of docs/rods-uses.md, from what the code of that page computes.

python docs/make_rods_uses.py
"""

import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).resolve().parent


def main() -> None:
    names: dict = {}
    for block in re.findall(r"^```python\n(.*?)^```", (HERE / "rods-uses.md").read_text(encoding="utf-8"), re.M | re.S):
        exec(block, names)
    figure, ((a, b), (c, d)) = plt.subplots(2, 2, figsize=(11, 7.5), layout="constrained")
    view = names["spring"].rod("leaf")
    stress = np.abs(view.stress("normal").values)
    for k in (0, 6, 9, 12):
        at = view.axis().values[k]
        points = a.scatter(
            1e3 * at[:, 0], 1e3 * at[:, 2], c=1e-6 * stress[k], cmap="turbo", vmin=0, vmax=1e-6 * stress.max(), s=24
        )
        a.plot(1e3 * at[:, 0], 1e3 * at[:, 2], color="gray", lw=0.8, zorder=0)
    figure.colorbar(points, ax=a, label="stress, MPa")
    a.set(title="leaf spring at 0, 2, 4.5, 8 kN", xlabel="mm", ylabel="mm")
    robot = names["robot"]
    view = robot.rod("hose")
    for k in (0, 10, 20):
        at = view.axis().values[k]
        b.plot(at[:, 0], at[:, 2], lw=3, label=f"{robot.time[k]:.2f} s")
        elbow = robot.part("upper arm").position.values[k] * 2 - [0, 0, 1]
        b.plot([0, elbow[0], at[-1, 0]], [1, elbow[2], at[-1, 2]], "k:", lw=1)
    b.set(
        title=f"hose on a robot, least radius {1e3 * names['least_radius']:.0f} mm",
        xlabel="m",
        ylabel="m",
        aspect="equal",
    )
    b.legend(fontsize=8)
    c.bar(1e3 * names["x"], names["pressure"], width=12)
    c.axhline(names["q"], color="C3", ls="--", label="wanted")
    c.set(title="wiper blade on glass", xlabel="mm", ylabel="pressure, N/m")
    c.legend(fontsize=8)
    d.plot(1e3 * names["snatch"].time, names["pull"].max(axis=1), label="cable, largest along it")
    want = names["v"] * np.sqrt(
        names["EA"] / names["L"] * names["load"] * names["canopy"] / (names["load"] + names["canopy"])
    )
    d.axhline(want, color="C3", ls="--", label="v sqrt(k m)")
    d.set(title="line of a parachute", xlabel="ms", ylabel="N")
    d.legend(fontsize=8)
    path = HERE / "figures" / "rods_uses.png"
    figure.savefig(path, dpi=80)
    print(path)


if __name__ == "__main__":
    main()
