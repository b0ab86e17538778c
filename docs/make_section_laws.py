"""Figure of laws of bending in docs/absolute-elements.md and docs/rods-uses.md.

python docs/make_section_laws.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn
from holonom.elements.absolute import section_laws
from holonom.flexible.tape_spring import wuest

HERE = Path(__file__).resolve().parent


def main() -> None:
    figure, (a, b) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    law = hn.flexible.Plastic.rectangle(0.02, 0.01, 2e11, 3e8, 0.02)
    row = np.concatenate([law.parameters, np.zeros(section_laws.states(law.parameters))])
    stops = [0.0, 1.2, -0.9, 0.9, 0.2, 0.6, -1.2]
    k = np.concatenate([np.linspace(x, y, 200) for x, y in zip(stops, stops[1:], strict=False)])
    M = []
    for one in k:
        M.append(section_laws.moment(row, 0, len(law.parameters), one)[0])
        section_laws.remember(row, 0, len(law.parameters), one)
    a.plot(k, M, lw=1.2)
    a.axhline(3e8 * 0.02 * 0.01**2 / 6, color="gray", ls=":", lw=1)
    a.text(-1.2, 3e8 * 0.02 * 0.01**2 / 6 + 4, "outer fibres yield", fontsize=8)
    a.set(title="bar of 20 x 10 mm that yields at 300 MPa", xlabel="curvature, 1/m", ylabel="moment, N m")
    R, angle, t, E, nu = 0.0133, 1.85, 1e-4, 131e9, 0.3
    k = np.geomspace(0.02, 100, 600)
    b.semilogx(k, -wuest(-k, R, angle, t, E, nu), label="opposite sense")
    b.semilogx(k, wuest(k, R, angle, t, E, nu), label="equal sense")
    D = E * t**3 / 12 / (1 - nu**2)
    b.plot([1 / R, 1 / R], [(1 + nu) * D * angle, (1 - nu) * D * angle], "ko", ms=4, label="folds: (1 ± nu) D a at 1/R")
    b.set(title="tape spring, R 13.3 mm, 106 degrees, 0.1 mm", xlabel="curvature, 1/m", ylabel="moment, N m")
    b.legend(fontsize=8)
    figure.savefig(HERE / "figures" / "section_laws.png", dpi=80)


if __name__ == "__main__":
    main()
