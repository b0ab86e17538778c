"""Figures of machinery.md: ``python docs/make_machinery_figures.py [name ...]`` writes docs/figures/NAME.png."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn

HERE = Path(__file__).resolve().parent


def example(name: str):
    spec = importlib.util.spec_from_file_location(name, HERE.parent / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outline(run, part: str, points: np.ndarray, row: int) -> np.ndarray:
    """Points (n, 2) of the axes of a body in ground, seen along z."""
    view = run.part(part)
    return view.position.values[row, :2] + points @ view.axes.values[row][:2, :2].T


def chain_drive() -> None:
    from holonom.machinery.chain import sprocket_outline
    from holonom.model.shape import Profile

    ex = example("chain_drive")
    run = hn.simulate(ex.build(), end=0.1, steps=800, integrator="GSTIFF", error=1e-5)
    fig, axes = plt.subplot_mosaic(
        [["a", "a"], ["b", "c"]], figsize=(11, 7), layout="constrained", height_ratios=(1.3, 1)
    )
    a, row, mm = axes["a"], -1, 1e3
    for part, teeth in zip(("driver", "driven"), ex.TEETH):
        points, bulge = sprocket_outline(teeth, ex.PITCH, 8.5e-3)
        turned = np.pi if part == "driver" else 0.0
        c, s = np.cos(turned), np.sin(turned)
        a.fill(
            *(mm * outline(run, part, Profile(points, True, bulge).polyline(0.02) @ [[c, s], [-s, c]], row).T),
            "0.8",
            ec="0.3",
            lw=0.8,
        )
    for k in range(ex.LINKS):
        ends = mm * outline(run, f"link {k + 1}", np.array([[-0.5, 0], [0.5, 0]]) * ex.PITCH, row)
        a.plot(*ends.T, color=("tab:blue", "tab:cyan")[k % 2], lw=2)
        a.add_patch(plt.Circle(ends[0], 4.25, fc="white", ec="0.2", lw=0.8, zorder=3))
    a.set(
        aspect="equal",
        xlabel="mm",
        title=f"{ex.LINKS} links at {run.time[row]:.3g} s: 9,720 contacts defined, 27 acting",
    )
    speed = run.request("speeds").values
    axes["b"].plot(run.time, speed[:, 1], label="driver")
    axes["b"].plot(run.time, 2 * speed[:, 2], label="driven, times 2")
    axes["b"].set(xlabel="s", ylabel="rad/s", title="speeds: teeth come 142 times a second", ylim=(45, 54))
    for above, name in ((True, "tight strand"), (False, "slack strand")):
        axes["c"].plot(run.time, ex.tension(run, above), label=name)
    axes["c"].axhline(
        ex.TORQUE / (0.5 * ex.PITCH / np.sin(np.pi / ex.TEETH[0])), color="k", ls=":", label="torque / radius"
    )
    axes["c"].set(xlabel="s", ylabel="N", title="tension", ylim=(0, 450))
    for key in "bc":
        axes[key].grid(alpha=0.3)
        axes[key].legend()
    fig.savefig(HERE / "figures" / "chain_drive.png", dpi=90)


def rope_over_pulley() -> None:
    ex = example("rope_over_pulley")
    run = hn.simulate(ex.build(), end=ex.END, steps=400, integrator="GSTIFF", error=1e-3)
    fig, axes = plt.subplots(2, 2, figsize=(11, 7.5), layout="constrained")
    names = [f"segment {k + 1}" for k in range(ex.SEGMENTS)]
    a, row = axes[0, 0], int(np.searchsorted(run.time, 0.25))
    for k, name in enumerate(names):
        ends = outline(run, name, np.array([[-20.0, 0], [20.0, 0]]), row)
        a.plot(*ends.T, color=("tab:orange", "tab:brown")[k % 2], lw=5, solid_capstyle="round")
    a.add_patch(plt.Circle((0, 0), 64.64, fc="0.85", ec="0.3"))
    a.add_patch(plt.Circle((0, 0), 79.64, fill=False, ec="0.3", ls="--"))
    a.set(aspect="equal", xlim=(-220, 110), ylim=(-110, 110), xlabel="mm", title=f"{run.time[row]:.3g} s")
    q = run.request("pull").values
    a = axes[0, 1]
    a.plot(run.time, -q[:, 1], label="pull, N")
    a.plot(run.time, q[:, 3], label="speed of the load, mm/s")
    a.plot(run.time, q[:, 2] - q[0, 2], label="its way, mm")
    a.set(xlabel="s", title="two stages")
    a.legend()
    a = axes[1, 0]
    for k in (63, 60, 57, 54, 51):
        a.plot(run.time, run.contact(f"groove {k}").normal.values, label=f"segment {k}", lw=1)
    a.set(xlabel="s", ylabel="N", title="contact force of segments that enter and leave", xlim=(0, 0.6))
    a.legend(fontsize=8)
    a = axes[1, 1]
    for time in (0.0, 0.1, 0.2, 0.3, 0.4):
        row = int(np.searchsorted(run.time, time - 1e-9))
        place = np.array([run.part(n).position.values[row] for n in names])
        before = place[:, 1] < -60
        a.plot(place[before, 0], place[before, 2], label=f"{time:g} s")
    a.set(
        xlabel="along the strand, mm; pulley at 0",
        ylabel="next to the groove's middle, mm",
        title="strand between load and pulley",
    )
    a.legend(fontsize=8)
    for a in axes.ravel():
        a.grid(alpha=0.3)
    fig.savefig(HERE / "figures" / "rope_over_pulley.png", dpi=90)


def helical_gears() -> None:
    ex = example("helical_gears")
    fig, axes = plt.subplots(2, 2, figsize=(11, 7), layout="constrained")
    for damping in (0.0, 0.5, 5.0, 50.0):
        run = hn.simulate(ex.build(damping), end=0.8, steps=3200, integrator="GSTIFF", error=1e-6, hmax=5e-4)
        error, contact = 1e3 * ex.error_of_transmission(run), run.contact("teeth")
        axes[0, 0].plot(run.time, error, label=f"{damping:g} N s/mm", lw=1)
        axes[0, 1].plot(run.time, error, lw=1)
        axes[1, 0].plot(run.time, contact.normal.values, lw=1)
        axes[1, 1].plot(run.time, contact.normal.values, lw=1)
    axes[0, 0].axhline(
        1e3 * 0.5 * ex.BACKLASH * np.cos(ex.HELIX) / (0.5 * ex.MODULE * ex.TEETH[0]),
        color="k",
        ls=":",
        label="half the play",
    )
    axes[0, 0].set(
        title="transmission error: the wheel falls through half the play",
        ylabel="mrad of the pinion",
        xlim=(0, 0.3),
        ylim=(0, None),
    )
    axes[0, 1].set(title="the same under full load", ylabel="mrad", xlim=(0.5, 0.8), ylim=(1.39, 1.45))
    axes[1, 0].set(title="normal force of all teeth", ylabel="N", xlim=(0, 0.3), ylim=(0, 220))
    axes[1, 1].set(
        title="the same under full load (20 teeth come in 1.5 s)", ylabel="N", xlim=(0.5, 0.8), ylim=(300, 380)
    )
    axes[0, 0].legend()
    for a in axes.ravel():
        a.set_xlabel("s")
        a.grid(alpha=0.3)
    fig.savefig(HERE / "figures" / "helical_gears.png", dpi=90)


def tracked_side() -> None:
    from holonom.machinery.track import IDLER, SHOE, WHEEL, shoe_profile, sprocket_profile
    from holonom.model.shape import Profile

    ex = example("tracked_side")
    run = hn.simulate(ex.build(), end=ex.END, steps=ex.STEPS, integrator="GSTIFF", error=1e-5)
    fig, axes = plt.subplot_mosaic(
        [["a", "a"], ["b", "c"], ["d", "e"]], figsize=(11, 10), layout="constrained", height_ratios=(1.1, 1, 1)
    )
    a, row = axes["a"], int(np.searchsorted(run.time, 2.0))
    points, bulge = sprocket_profile()
    teeth = Profile(points, True, bulge).polyline(0.02)
    a.fill(*outline(run, "sprocket", teeth, row).T, "0.75", ec="0.3", lw=0.8)
    for part, radius in (("idler", IDLER["radius"]), *((f"wheel {k + 1}", WHEEL["radius"]) for k in range(5))):
        place = run.part(part).position.values[row, :2]
        a.add_patch(plt.Circle(place, radius, fc="0.85", ec="0.3", lw=0.8))
        a.plot(*np.array([place, outline(run, part, np.array([[radius, 0.0]]), row)[0]]).T, color="0.4", lw=0.8)
    for k in range(5):
        ends = np.array(
            [
                run.part(f"wheel {k + 1}").position.values[row, :2],
                outline(run, f"arm {k + 1}", np.array([[0.144, 0.067]]), row)[0],
            ]
        )
        a.plot(*ends.T, color="tab:red", lw=3)
    shoe, corners = shoe_profile()
    for k in range(ex.SHOES):
        a.fill(
            *outline(run, f"shoe {k + 1}", Profile(shoe, True, corners).polyline(0.1), row).T,
            ("tab:blue", "tab:cyan")[k % 2],
        )
        for x in SHOE["pins"]:
            a.add_patch(
                plt.Circle(
                    outline(run, f"shoe {k + 1}", np.array([[x, 0.0]]), row)[0],
                    SHOE["pin"],
                    fc="w",
                    ec="0.2",
                    lw=0.6,
                    zorder=3,
                )
            )
    a.axhline(float(run.part("wheel 3").position.values[row, 1]) - WHEEL["radius"] - SHOE["height"], color="0.4", lw=1)
    a.set(
        aspect="equal",
        xlabel="m",
        title=f"{ex.SHOES} shoes at {run.time[row]:.3g} s: 630 contacts defined, 36 acting",
        ylim=(-0.65, 0.35),
    )
    q = run.request("motion").values
    pitches = 10 * SHOE["pitch"] / (2 * np.pi)
    axes["b"].plot(run.time, -pitches * q[:, 4], lw=0.8, label="sprocket, times ten pitches a turn")
    axes["b"].plot(run.time, q[:, 3], label="hull")
    axes["b"].set(ylabel="m/s", title="speed: polygon action of ten teeth")
    axes["c"].plot(run.time, -1e-3 * run.force("tensioner").force.values[:, 0], label="tensioner")
    axes["c"].plot(run.time, 1e-3 * ex.idler_strands(run), lw=0.8, label="both strands at the idler")
    axes["c"].set(ylabel="kN", title="tension", ylim=(0, 45))
    ground = 1e-3 * run.contact("ground").force.values
    mass = sum(p.mass for p in run.model.table("PART").values() if p.mass)
    axes["d"].plot(run.time, ground[:, 1], lw=0.8, label="ground, upward")
    axes["d"].plot(run.time, ground[:, 0], lw=0.8, label="ground, forward")
    axes["d"].axhline(1e-3 * mass * ex.GRAVITY, color="k", ls=":", label="weight")
    axes["d"].set(ylabel="kN", title="ground", ylim=(-20, 120))
    e = run.energy
    for name, value in (("work of the torque", e["input"]), ("lost", e["dissipated"]), ("kinetic", e["kinetic"])):
        axes["e"].plot(run.time, 1e-3 * value.values, label=name)
    axes["e"].set(ylabel="kJ", title="energy")
    for key in "bcde":
        axes[key].set_xlabel("s")
        axes[key].grid(alpha=0.3)
        axes[key].legend(fontsize=8)
    fig.savefig(HERE / "figures" / "tracked_side.png", dpi=90)


def silent_chain() -> None:
    from holonom.machinery import chain_drive
    from holonom.machinery.silent_chain import outline as sprocket
    from holonom.machinery.silent_chain import plate

    model = chain_drive(60, kind="silent")
    fig, a = plt.subplots(figsize=(10, 4.6), layout="constrained")
    placed = lambda part, points: (
        part.frame.origin + np.column_stack([points, np.zeros(len(points))]) @ part.frame.axes.T
    )[:, :2]
    for word, teeth, turned in (("driver", 18, np.pi), ("driven", 36, 0.0)):
        points, _ = sprocket(teeth, 12.7e-3)
        turn = np.array([[np.cos(turned), np.sin(turned)], [-np.sin(turned), np.cos(turned)]])
        a.fill(*(1e3 * placed(model.find("PART", word), points @ turn)).T, "0.8", ec="0.3", lw=0.8)
    for k in range(60):
        part = model.find("PART", f"link {k + 1}")
        a.fill(*(1e3 * placed(part, plate(12.7e-3))).T, ("tab:blue", "tab:cyan")[k % 2], ec="w", lw=0.3, alpha=0.7)
        a.add_patch(
            plt.Circle(
                tuple(1e3 * placed(part, np.array([[-0.5 * 12.7e-3, 0.0]]))[0]), 1.3, fc="w", ec="0.2", lw=0.5, zorder=3
            )
        )
    a.set(aspect="equal", xlabel="mm", title="silent chain: 60 links with two toes on sprockets of 18 and 36 teeth")
    fig.savefig(HERE / "figures" / "silent_chain.png", dpi=80)


FIGURES = {f.__name__: f for f in (chain_drive, silent_chain, rope_over_pulley, helical_gears, tracked_side)}


if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name]()
