"""Figure and table of docs/flexible.md: where KED is right and where it fails, on a four-bar linkage, against the
floating frame.

python docs/make_ked.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn

CRANK, COUPLER, ROCKER, GROUND, START = 0.1, 0.5, 0.3, 0.4, 0.3  # lengths, m; angle of the crank at the start
TURNS = 0.5  # of the crank in which it speeds up, and as long again at speed


def four_bar(*, E=2.1e11, thick=0.012, rpm=600.0, geometric=True) -> tuple[hn.Model, float]:
    """The linkage with a square steel coupler, damping 0.5 %, and the time of one speeding up and one turn."""
    A = CRANK * np.array([np.cos(START), np.sin(START), 0])
    D = np.array([GROUND, 0, 0])
    r = np.linalg.norm(D - A)
    turn = np.arctan2(*(D - A)[1::-1]) + np.arccos((COUPLER**2 + r**2 - ROCKER**2) / (2 * COUPLER * r))
    B = A + COUPLER * np.array([np.cos(turn), np.sin(turn), 0])
    z = (0, 0, 1)
    m = hn.Model("four-bar")
    m.gravity = (0, 0, 0)
    a = m.part("crank", 1.0, (2e-3,) * 3, position=(0, 0, 0))
    c = m.part("rocker", 1.0, (2e-2,) * 3, position=D)
    b = m.part("coupler", 7850.0 * thick**2 * COUPLER, (1, 1, 1), position=(A + B) / 2)
    drive = m.revolute(a, m.ground, at=(0, 0, 0), axis=z)
    m.revolute(b, a, at=A, axis=z)
    m.revolute(b, c, at=B, axis=z)
    m.revolute(c, m.ground, at=D, axis=z)
    w = float(rpm) * 2 * np.pi / 60
    ramp = TURNS * 2 * np.pi / (0.5 * w)
    x, after = f"(time/{ramp!r})", f"{w!r}*(time-{ramp / 2!r})"
    m.motion(drive, f"if(time-{ramp!r}: {w * ramp!r}*(2.5*{x}**4-3*{x}**5+{x}**6), {after}, {after})")
    fe = hn.flexible.beam(A, B, hn.flexible.Section.rectangle(thick, thick), E=E, density=7850.0, elements=12, y=z)
    m.make_flexible(b, fe, modes=6, damping=0.005, geometric=geometric)
    return m, ramp + 2 * np.pi / w


def compared(**options):
    """`hn.flexible.compare` of a linkage."""
    model, end = four_bar(**options)
    return hn.flexible.compare(model, end, 100, formulations=("KED quasi-static", "KED", "floating"), repeats=1)


def main() -> None:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")

    def draw(axes, x, found, color="C0", label="", quasi=True):
        axes.loglog(x, [f["KED"].difference for f in found], "o-", ms=4, color=color, label=f"KED{label}")
        axes.loglog(x, [f["KED"].indicator for f in found], "x:", ms=5, color=color, label=f"what it reports{label}")
        if quasi:
            axes.loglog(
                x, [f["KED quasi-static"].difference for f in found], "s--", ms=3, color="C2", label="KED quasi-static"
            )

    E = 2.1e11 * np.array([0.3, 1, 3, 10, 100])
    draw(left, E, [compared(E=e) for e in E])
    draw(left, E, [compared(E=e, geometric=False) for e in E], "C1", ", no stiffness by stress", quasi=False)
    left.set(
        xlabel="Young's modulus, Pa",
        ylabel="difference to the floating frame / largest deflection",
        title="12 mm coupler, 600 rev/min",
    )
    speeds = np.array([100, 200, 400, 600, 900, 1200])
    found = [compared(rpm=s) for s in speeds]
    draw(middle, speeds, found)
    middle.set(xlabel="speed of the crank, rev/min", title="12 mm steel coupler")
    print(
        "| rev/min | deflection, mm | first frequency over crank | KED quasi-static | KED | it gives | CPU s of both, "
        "and of the floating frame |"
    )
    print("|---|---|---|---|---|---|---|")
    for s, f in zip(speeds, found):
        q, k, e = f["KED quasi-static"], f["KED"], f["floating"]
        print(
            f"| {s} | {1e3 * e.deflection:.3g} | {k.frequency / (s / 60):.0f} | {100 * q.difference:.2g} % | "
            f"{100 * k.difference:.2g} % | "
            f"{100 * k.indicator:.2g} % | {q.cpu:.2g}, {k.cpu:.2g}; {e.cpu:.2g} |"
        )
    thick = np.array([0.04, 0.02, 0.012, 0.008, 0.006, 0.004])
    draw(right, COUPLER / thick, [compared(thick=h) for h in thick])
    right.set(xlabel="slenderness: length over thickness", title="steel, 600 rev/min")
    for axes in (left, middle, right):
        axes.axhline(0.02, color="k", lw=0.8)
        axes.grid(alpha=0.3)
    for axes, ticks in ((middle, (100, 200, 400, 600, 1200)), (right, (12, 25, 40, 60, 120))):
        axes.set_xticks(ticks, [str(v) for v in ticks])
        axes.minorticks_off()
    left.legend(frameon=False, fontsize=6.5, loc="lower left")
    middle.legend(frameon=False, fontsize=7)
    middle.text(speeds[0], 0.021, "above: the run asks\nfor the floating frame", fontsize=7, va="bottom")
    path = Path(__file__).parent / "figures" / "ked.png"
    figure.savefig(path, dpi=110)
    print(path)


if __name__ == "__main__":
    main()
