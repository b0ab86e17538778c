"""Figures and the table of characteristics of docs/suspensions.md.

python docs/make_suspensions.py            figures, and prints the table of docs/suspensions.md
"""

from pathlib import Path

import holonom as hn
from holonom.vehicle.characteristics import TABLE

FIGURES = Path(__file__).parent / "figures"


def table() -> str:
    """The characteristics as a table of Markdown."""
    rows = ["| | characteristic | unit | | definition | source |", "|---|---|---|---|---|---|"]
    for k, c in enumerate(TABLE.values(), 1):
        rows.append(
            f"| {k} | `{c.name}` | {c.unit or '-'} | {'side' if c.sides else 'axle'} | {c.words} | {c.source} |"
        )
    return "\n".join(rows)


#: points of one part, joined in this order
BARS = {
    "mcpherson": (
        "lower_front lower_outer lower_rear",
        "lower_outer wheel_centre strut_lower strut_top",
        "tie_rod_inner tie_rod_outer wheel_centre",
    ),
    "double_wishbone": (
        "lower_front lower_outer lower_rear",
        "upper_front upper_outer upper_rear",
        "lower_outer wheel_centre upper_outer",
        "tie_rod_inner tie_rod_outer wheel_centre",
    ),
    "five_link": tuple(
        f"{w}_inner {w}_outer wheel_centre" for w in ("upper_front", "upper_rear", "lower_front", "lower_rear", "toe")
    ),
    "multi_link": (
        "upper_front upper_outer upper_rear",
        "upper_outer wheel_centre",
        "lateral_inner lateral_outer wheel_centre",
        "trailing_inner trailing_outer wheel_centre",
        "tie_rod_inner tie_rod_outer wheel_centre",
    ),
    "three_link": (
        "arm_front wheel_centre",
        "upper_inner upper_outer wheel_centre",
        "lower_inner lower_outer wheel_centre",
    ),
    "semi_trailing_arm": ("arm_inner wheel_centre arm_outer arm_inner",),
    "twist_beam": ("pivot wheel_centre", "pivot shear_centre"),
    "leaf_axle": ("leaf_front_eye leaf_seat leaf_rear_eye shackle_upper", "leaf_seat wheel_centre"),
}
#: axles that no shipped vehicle has, metres
OTHERS = {
    "multi_link": {"upper_front": (0.1, 0.4, 0.5), "upper_rear": (-0.2, 0.42, 0.47), "upper_outer": (0.02, 0.66, 0.48),
    "lateral_inner": (-0.05, 0.25, 0.2),
                   "lateral_outer": (-0.03, 0.68, 0.18), "trailing_inner": (0.6, 0.55, 0.28),
                   "trailing_outer": (0.08, 0.66, 0.22),
                   "tie_rod_inner": (-0.2, 0.3, 0.27), "tie_rod_outer": (-0.16, 0.67, 0.26),
                   "spring_lower": (0.2, 0.63, 0.23),
                   "spring_upper": (0.2, 0.6, 0.55), "wheel_centre": (0.0, 0.75, 0.3)},
    "three_link": {"arm_front": (0.55, 0.62, 0.33), "upper_inner": (-0.05, 0.2, 0.45),
    "upper_outer": (-0.08, 0.65, 0.42), "lower_inner": (0.02, 0.22, 0.24),
                   "lower_outer": (-0.03, 0.68, 0.2), "spring_lower": (0.1, 0.6, 0.3), "spring_upper": (0.1, 0.58, 0.6),
                   "wheel_centre": (0.0, 0.75, 0.3)},
    "semi_trailing_arm": {"arm_inner": (0.35, 0.2, 0.25), "arm_outer": (0.5, 0.62, 0.29),
    "spring_lower": (0.1, 0.5, 0.25), "spring_upper": (0.1, 0.5, 0.55),
                          "wheel_centre": (0.0, 0.75, 0.3)},
}  # fmt: skip


def templates():
    """The left side of each template, seen from the front left, with the names of its hardpoints."""
    import matplotlib.pyplot as plt
    import numpy as np

    axles = {
        d["template"]: {k: 1e-3 * np.array(v) for k, v in d["hardpoints"].items()}
        for name in ("sedan", "coupe", "pickup")
        for d in (hn.vehicle.read_vehicle(name).data[w] for w in ("front", "rear"))
    }
    axles |= {k: {n: np.array(p) for n, p in v.items()} for k, v in OTHERS.items()}
    turn, lift = np.radians(35.0), np.radians(20.0)
    figure, grid = plt.subplots(2, 4, figsize=(17, 9), layout="constrained")
    for axis, (name, bars) in zip(grid.flat, BARS.items()):
        h = axles[name]
        c = h["wheel_centre"]
        flat = lambda p, c=c: (
            -(p - c)[1] * np.cos(turn) - (p - c)[0] * np.sin(turn),
            (p - c)[2] * np.cos(lift) + ((p - c)[1] * np.sin(turn) - (p - c)[0] * np.cos(turn)) * np.sin(lift),
        )
        round_ = np.linspace(0.0, 2.0 * np.pi, 60)
        wheel = [flat(c + 0.3 * np.array([np.cos(a), 0.0, np.sin(a)])) for a in round_]
        axis.plot(*zip(*wheel), color="#bbb", lw=6)
        for bar in bars:
            axis.plot(*zip(*(flat(h[p]) for p in bar.split())), color="#1f4e79", lw=2.5)
        for low, high in (("spring_lower", "spring_upper"), ("damper_lower", "damper_upper")):
            if low in h and high in h:
                axis.plot(*zip(flat(h[low]), flat(h[high])), color="#b33", lw=1.8, ls="--")
        used = [p for p in h if any(p in bar.split() for bar in bars) or p.startswith(("spring", "damper"))]
        for p in used:
            x, y = flat(h[p])
            axis.plot(x, y, "o", color="k", ms=4)
            axis.annotate(p.replace("_", " "), (x, y), xytext=(4, 4), textcoords="offset points", fontsize=7.5)
        axis.set_title(name)
        axis.set_aspect("equal")
        axis.axis("off")
        axis.margins(0.12)
    figure.savefig(FIGURES / "templates.png", dpi=70)


def main():
    templates()
    sedan = hn.vehicle.read_vehicle("sedan")
    joints, rubber = sedan.kc("front"), sedan.kc("front", "compliant")
    joints.plot(None, rubber, title="Sedan, front axle: joints and bushings").savefig(FIGURES / "kc_front.png", dpi=75)
    before, after = sedan.kc("front"), sedan.moved("front", "tie_rod_inner", (0, 0, 5)).kc("front")
    before.name, after.name = "as in the file", "inner tie rods 5 mm higher"
    before.plot(None, after, title="Sedan, front axle: the inner tie rods 5 mm higher").savefig(
        FIGURES / "kc_moved.png", dpi=75
    )
    print(table())


if __name__ == "__main__":
    main()
