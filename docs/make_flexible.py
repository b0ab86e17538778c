"""Figures of docs/flexible.md, flapping frequencies of a blade over its speed against a published table and the spin-up
of a beam, and of docs/linear.md, the whirl of an overhung disc.

python docs/make_flexible.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn

#: Wright, Smith, Thresher & Wang, Journal of Applied Mechanics 49 (1982) 197-202
TABLE = {0: (3.5160, 22.0345), 1: (3.6817, 22.1810), 2: (4.1373, 22.6149), 4: (5.5850, 24.2733), 12: (13.1702, 37.6031)}
TURN = "6/15*(time**2/2+(15/2/pi)**2*(cos(2*pi*time/15)-1))"


def flapping(speed: float, geometric: bool) -> np.ndarray:
    """First two flapping frequencies, in sqrt(EI / m L^4)."""
    section = hn.flexible.Section.rectangle(0.02, 0.002)
    T = np.sqrt(7850.0 * section.A / (2.1e11 * section.Iy))
    m = hn.Model("blade")
    blade = m.part(
        "blade",
        1.0,
        (1, 1, 1),
        position=(0.5, 0, 0),
        velocity=(0, 0.5 * speed / T, 0),
        angular_velocity=(0, 0, speed / T),
    )
    m.motion(m.revolute(blade, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"{speed / T}*time")
    elements = hn.flexible.beam((0, 0, 0), (1, 0, 0), section, E=2.1e11, density=7850.0, y=(0, 1, 0))
    m.make_flexible(blade, elements, modes=8, geometric=geometric)
    return T * np.sort(np.abs(hn.linearize(m).eigenvalues.imag))[::2][:2]


def spin_up(geometric: bool) -> tuple[np.ndarray, np.ndarray]:
    """Times, and the deflection of the tip across the turning axis."""
    m = hn.Model("spin-up")
    beam = m.part("beam", 1.0, (1, 1, 1), position=(4, 0, 0))
    m.motion(m.revolute(beam, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"if(time-15:{TURN},{TURN},6*(time-7.5))")
    section = hn.flexible.Section(7.2968e-5, 8.2189e-9, 8.2189e-9, 1.6e-8)
    elements = hn.flexible.beam((0, 0, 0), (8, 0, 0), section, E=6.8952e10, density=2766.67, elements=16)
    m.make_flexible(beam, elements, modes=4, geometric=geometric)
    m.marker_at(beam, (8, 0, 0), name="tip")
    run = hn.simulate(m, end=20.0, steps=400, integrator="RADAU5", error=1e-5)
    t, x = np.asarray(run.time), run.marker("tip").position.values
    a = np.where(t < 15, 0.4 * (t**2 / 2 + (7.5 / np.pi) ** 2 * (np.cos(2 * np.pi * t / 15) - 1)), 6 * (t - 7.5))
    return t, -np.sin(a) * x[:, 0] + np.cos(a) * x[:, 1]


def main() -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    speeds = np.linspace(0, 12, 13)
    for geometric, style in ((True, "-"), (False, ":")):
        w = np.array([flapping(s, geometric) for s in speeds])
        left.plot(speeds, w[:, 0], style, color="C0", label="with stiffness by stress" if geometric else "without")
        right.plot(*spin_up(geometric), style, color="C0")
    left.plot(list(TABLE), [v[0] for v in TABLE.values()], "ko", ms=4, label="Wright et al. 1982")
    left.set(
        xlabel="speed, sqrt(EI / m L^4)", ylabel="first flapping frequency, same unit", title="clamped rotating blade"
    )
    left.legend(frameon=False)
    right.axhline(-0.751, color="k", lw=0.8, ls="--")
    right.text(11.8, -0.81, "largest, absolute nodal coordinates", fontsize=8)
    right.set(xlabel="time, s", ylabel="deflection of the tip, m", title="spin-up to 6 rad/s, 8 m beam")
    path = Path(__file__).parent / "figures" / "flexible.png"
    figure.savefig(path, dpi=110)
    print(path)


# ---- an overhung disc ------------------------------------------------------------------------------------------------
LENGTH, DIAMETER, MASS, ACROSS, ALONG = 0.4, 0.02, 8.0, 0.03, 0.055


def whirl(speed: float) -> np.ndarray:
    """Frequencies of a disc at the end of a shaft without mass, rising (Genta, Dynamics of Rotating Systems (2005), ch.
    2)."""
    K = 2.1e11 * np.pi * DIAMETER**4 / 64 * np.array([[12 / LENGTH**3, -6 / LENGTH**2], [-6 / LENGTH**2, 4 / LENGTH]])
    M, G = np.diag([MASS, ACROSS]), np.diag([0.0, ALONG * speed])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), 1j * np.linalg.solve(M, G)]])
    return np.sort((np.linalg.eigvals(A) / 1j).real)


def overhung(density: float) -> hn.Model:
    m = hn.Model("overhung disc")
    m.gravity = (0, 0, 0)
    hub = m.part("hub", 1.0, (1e-3,) * 3)
    shaft = m.part("shaft", 1.0, (1e-3,) * 3, position=(LENGTH / 2, 0, 0))
    disc = m.part("disc", MASS, (ALONG, ACROSS, ACROSS), position=(LENGTH, 0, 0))
    m.motion(m.revolute(hub, m.ground, at=(0, 0, 0), axis=(1, 0, 0)), "0", name="drive")
    m.fixed(shaft, hub, at=(0, 0, 0))
    m.fixed(shaft, disc, at=(LENGTH, 0, 0))
    section = hn.flexible.Section.round(DIAMETER / 2)
    steel = hn.flexible.beam((0, 0, 0), (LENGTH, 0, 0), section, E=2.1e11, density=density, y=(0, 1, 0))
    m.make_flexible(shaft, steel, modes=2)
    return m


def campbell() -> None:
    figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    fine, speeds = np.linspace(0, 1000, 101), np.linspace(0, 1000, 11)
    exact = np.array([whirl(s) for s in fine])
    for k in range(4):
        ax.plot(
            fine,
            np.abs(exact[:, k]),
            "-" if k > 1 else "--",
            color="C3" if k > 1 else "C0",
            lw=1.2,
            label=("backward, closed form", None, "forward, closed form", None)[k],
        )
    for density, style, label in ((7850.0, "k+", "shaft of steel"), (78.5, "ko", "of a hundredth of its density")):
        found = hn.campbell(overhung(density), "drive", speeds)
        for k, column in enumerate(found.whirl.T):
            ax.plot(
                speeds, np.abs(column), style, ms=7 if "+" in style else 4, mfc="none", label=label if k == 0 else None
            )
    ax.plot(fine, fine, color="0.6", lw=0.8)
    ax.text(780, 720, "speed", color="0.4", fontsize=8)
    ax.set(
        ylim=(0, 1300),
        xlabel="speed, rad/s",
        ylabel="frequency of whirl, rad/s",
        title="overhung disc, 8 kg on a shaft of 0.4 m, 20 mm",
    )
    ax.legend(frameon=False, fontsize=8)
    path = Path(__file__).parent / "figures" / "campbell.png"
    figure.savefig(path, dpi=110)
    print(path)


if __name__ == "__main__":
    main()
    campbell()
