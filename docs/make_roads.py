"""Figure of docs/roads.md: roads, what a tyre sees of a step and a plank, spectra.

python docs/make_roads.py
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.signal import welch

import holonom as hn

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from _tyres import BODY
from holonom.elements.frames import make_frames
from holonom.elements.kinds import FORCES


def pushed(contact, road_of, places, height=0.285):
    """Forward and vertical force on a wheel that is drawn over a road at a fixed height."""
    m = hn.Model()
    hub = m.marker(m.part("w", 1.0, (1, 1, 1)))
    e = m.tyre_brush(hub, road_of(m), **BODY, slip_stiffness=8e4, load=4e3, half_length=0.07, mu=0.9, contact=contact)
    kind = FORCES[e.KIND]
    c = np.array(kind.values(e, m), float)
    fr = make_frames(np.zeros(2), np.zeros((2, 3)), np.zeros((2, 9)))
    fr.A[:] = np.eye(3).ravel()
    out = np.zeros((len(places), 12))
    for k, x in enumerate(places):
        fr.p[0] = x, 0.0, height
        kind.force(c, np.arange(2), fr, np.zeros((2, 3)), 0.0, np.zeros(0), np.zeros(2), out[k], np.zeros(4))
    return out[:, 0], out[:, 2]


def main():
    figure, axes = plt.subplots(2, 3, figsize=(13.5, 7.5))
    m = hn.Model()
    x = np.linspace(-0.5, 11, 2000)
    for road, name in (
        (m.road("PLANK", start=1.0, length=0.5, height=0.06, bevel=0.05), "plank"),
        (m.road("SINE", wavelength=2.0, amplitude=0.03, start=3.0, end=7.0), "sine"),
        (m.road("CHIRP", wavelength=2.0, wavelength_end=0.3, amplitude=0.03, start=7.0, end=11.0), "chirp"),
    ):
        axes[0, 0].plot(x, 1e3 * road.at(x, 0.0)[0], label=name)
    axes[0, 0].set(xlabel="x (m)", ylabel="height (mm)", title="roads of formulas")
    places = np.linspace(-0.45, 0.75, 900)
    plank = lambda m: m.road("PLANK", start=0.0, length=0.3, height=0.02, bevel=0.003)
    for contact in ("POINT", "PLANE", "ENVELOPING"):
        fx, fz = pushed(contact, plank, places)
        axes[0, 1].plot(places, fz / 1e3, label=contact)
        axes[0, 2].plot(places, np.clip(fx / 1e3, -6, 6), label=contact)
    axes[0, 1].set(
        xlabel="place of the wheel (m)", ylabel="vertical force (kN)", title="over a plank of 20 mm, axle held"
    )
    axes[0, 2].set(
        xlabel="place of the wheel (m)",
        ylabel="longitudinal force (kN)",
        title="the same, backward and forward (cut at 6 kN)",
    )
    for grade in "ABC":
        x, z = hn.vehicle.iso_profile(grade, 4000.0, seed=2)
        f, p = welch(z, fs=20.0, nperseg=8192)
        (line,) = axes[1, 0].loglog(f[1:], p[1:], lw=0.7, label=f"class {grade}")
        axes[1, 0].loglog(f[1:], hn.vehicle.roads.CLASSES[grade] * (f[1:] / 0.1) ** -2, "--", color=line.get_color())
    axes[1, 0].set(
        xlabel="wave number (cycles/m)", ylabel="spectrum (m$^3$)", title="ISO 8608", xlim=(0.008, 4), ylim=(1e-9, 1)
    )
    n = np.geomspace(0.01, 3, 200)
    for track in (0.75, 1.5, 2.5):
        axes[1, 1].semilogx(n, hn.vehicle.coherence(n, track), label=f"track {track:g} m")
    axes[1, 1].set(xlabel="wave number (cycles/m)", ylabel="coherence", title="of two tracks")
    x, z = hn.vehicle.iso_profile("C", 40.0, track=1.5, seed=4)
    axes[1, 2].plot(x, 1e3 * z[:, 1], label="left")
    axes[1, 2].plot(x, 1e3 * z[:, 0], label="right")
    axes[1, 2].set(xlabel="x (m)", ylabel="height (mm)", title="class C, two tracks")
    for ax in axes.ravel():
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8)
    figure.tight_layout()
    path = Path(__file__).parent / "figures" / "roads.png"
    figure.savefig(path, dpi=100)
    print(path)


if __name__ == "__main__":
    main()
