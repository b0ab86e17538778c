"""Figures of docs/durability.md: spectra of two loads, a rainflow matrix, a curve with cycles, loops at a notch, life
of a plate with a hole.

python docs/make_durability.py
"""

from pathlib import Path

import numpy as np

import holonom as hn

HERE = Path(__file__).parent
hd = hn.durability


def plate(rings: int = 24, around: int = 72, size: float = 5.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points, triangles and stresses (a, 6, 3) of a wide plate with a hole of radius 1: Kirsch's solution for pull
    along x, along y, and shear of one."""
    r, t = np.meshgrid(np.geomspace(1.0, size, rings), 2 * np.pi * np.arange(around) / around, indexing="ij")
    points = np.column_stack([(r * np.cos(t)).ravel(), (r * np.sin(t)).ravel(), np.zeros(r.size)])
    k = np.arange(rings * around).reshape(rings, around)
    a, b, c, d = k[:-1], k[1:], np.roll(k, -1, axis=1)[1:], np.roll(k, -1, axis=1)[:-1]
    faces = np.vstack([np.column_stack([x.ravel() for x in tri]) for tri in ((a, b, c), (a, c, d))])
    modes = np.zeros((r.size, 6, 3))

    def kirsch(at: np.ndarray) -> np.ndarray:
        """xx, yy, xy under a pull of one along the direction ``at`` = 0, in axes that turn with it."""
        rr, c2, s2 = 1 / r**2, np.cos(2 * at), np.sin(2 * at)
        radial = 0.5 * (1 - rr) + 0.5 * (1 - 4 * rr + 3 * rr**2) * c2
        hoop = 0.5 * (1 + rr) - 0.5 * (1 + 3 * rr**2) * c2
        shear = -0.5 * (1 + 2 * rr - 3 * rr**2) * s2
        c_, s_ = np.cos(t), np.sin(t)
        return np.array(
            [
                radial * c_**2 + hoop * s_**2 - 2 * shear * c_ * s_,
                radial * s_**2 + hoop * c_**2 + 2 * shear * c_ * s_,
                (radial - hoop) * c_ * s_ + shear * (c_**2 - s_**2),
            ]
        )

    for j, fields in enumerate((kirsch(t), kirsch(t - np.pi / 2), kirsch(t - np.pi / 4) - kirsch(t + np.pi / 4))):
        modes[:, [0, 1, 3], j] = fields.reshape(3, -1).T
    return points, faces, modes


def main() -> None:
    rng = np.random.default_rng(2)
    noise = rng.normal(size=20000)
    loads = {"drift and noise": 0.05 * np.cumsum(rng.normal(size=20000)) + noise, "noise of the same size": 2.0 * noise}
    cycles = {name: hd.rainflow(x, "repeat") for name, x in loads.items()}
    first = cycles["drift and noise"]
    stress = first.scaled(8.0)
    figures = {
        "spectrum": hd.plot_spectrum(cycles, unit="kN", title="cumulative spectra of two loads"),
        "curve": hd.plot_curve(
            hd.eurocode3(71), stress, unit="MPa", title="EN 1993-1-9, 71, and 100 passes of the first load", repeats=100
        ),
        "matrix": hd.plot_matrix(first.from_to(48), unit="kN", title="rainflow matrix of drift and noise"),
    }
    steel = hd.StrainLife(E=206e3, K=1184.0, n=0.187, sigma_f=1000.0, b=-0.1, epsilon_f=1.0, c=-0.6, limit_ratio=3.5)
    swings = 1.4 * 256.6 / 250 * np.array([100, -200, 100, -250, 200, 0, 200, -200.0])
    figures["loops"] = hd.plot_loops(steel, swings, unit="MPa", title="FKM guideline nonlinear, example 2.7.1")
    points, faces, modes = plate()
    t = np.linspace(0, 1, 400, endpoint=False)
    q = np.column_stack(
        [60 * np.sin(2 * np.pi * 3 * t), 20 * np.sin(2 * np.pi * 7 * t), 25 * np.cos(2 * np.pi * 3 * t)]
    )
    whole = hd.ModalStress(modes, q, points=points, faces=faces)
    life = hd.life(whole, hd.SNCurve.basquin(100.0, 1e6, 5.0), method="critical_plane", residue="repeat")
    print(life)
    figures["life"] = life.plot(title="plate with a hole, pull and shear out of phase", elevation=90, azimuth=-90)
    for name, figure in figures.items():
        path = HERE / "figures" / f"durability_{name}.png"
        figure.savefig(path, dpi=90)
        print(path)


if __name__ == "__main__":
    main()
