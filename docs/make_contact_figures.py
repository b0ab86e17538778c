"""Figure and tables of contact-laws.md: ``python docs/make_contact_figures.py`` writes docs/figures/contact_restitution.png and prints them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from holonom.contact.laws import bounce as B
from holonom.contact.laws import module
from holonom.contact.laws.hysteresis import restitution_of

FAMILY = ("HUNT_CROSSLEY", "HERBERT_MCWHANNELL", "LEE_WANG", "LANKARANI_NIKRAVESH", "FLORES", "HU_GUO", "GONTHIER", "CARVALHO_MARTINS")
BALL = (2.89e5, 1.5, 0.0, 0.1)  # N, mm, s: stiffness, exponent, damping, dmax
MASS, SPEED = 1e-3, 1000.0  # 1 kg at 1 m/s


def family_table() -> str:
    asked = (0.05, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
    lines = ["| law | " + " | ".join(f"{e:g}" for e in asked) + " |", "|---" * (len(asked) + 1) + "|"]
    for name in FAMILY:
        lines.append(f"| {name} | " + " | ".join(f"{restitution_of(module(name).factor(e)):.4f}" for e in asked) + " |")
    return "\n".join(lines)


def impact_table() -> str:
    lines = ["| damping, N s/mm | measured | Lankarani-Nikravesh |", "|---|---|---|"]
    for c, e, estimate in B.restitution_against_damping(BALL, (0.0, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0), SPEED, MASS):
        lines.append(f"| {c:g} | {e:.4f} | {estimate:.4f} |")
    return "\n".join(lines)


def figure(path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    dampings = np.geomspace(0.01, 100.0, 60)
    for v, style in ((100.0, ":"), (1000.0, "-"), (5000.0, "--")):
        r = B.restitution_against_damping(BALL, dampings, v, MASS)
        (line,) = left.semilogx(r[:, 0], r[:, 1], style, label=f"measured, {v / 1000:g} m/s")
        good = r[:, 2] > 0
        left.semilogx(r[good, 0], r[good, 2], style, color=line.get_color(), alpha=0.4, linewidth=3)
    left.set(xlabel="damping, N s/mm", ylabel="restitution", title="IMPACT, 1 kg; wide: Lankarani and Nikravesh's estimate", ylim=(0, 1.02))
    left.legend()
    e = np.linspace(0.005, 1.0, 200)
    for name in FAMILY:
        right.plot(e, [restitution_of(module(name).factor(x)) for x in e], label=name.replace("_", " ").title())
    right.set(xlabel="restitution asked", ylabel="restitution given", title="Laws that take a restitution", xlim=(0, 1), ylim=(0, 1.02))
    right.legend(fontsize=8)
    for axis in (left, right):
        axis.grid(alpha=0.3)
    plt.savefig(path, dpi=110)


if __name__ == "__main__":
    print(family_table(), impact_table(), sep="\n\n")
    figure(Path(__file__).parent / "figures" / "contact_restitution.png")
