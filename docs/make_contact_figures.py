"""Figure and tables of contact-laws.md: ``python docs/make_contact_figures.py`` writes
docs/figures/contact_restitution.png and prints them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from holonom.contact.laws import bounce as B
from holonom.contact.laws import module
from holonom.contact.laws.hysteresis import restitution_of

FAMILY = (
    "HUNT_CROSSLEY",
    "HERBERT_MCWHANNELL",
    "LEE_WANG",
    "LANKARANI_NIKRAVESH",
    "FLORES",
    "HU_GUO",
    "GONTHIER",
    "CARVALHO_MARTINS",
)
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
    for c, e, estimate in B.restitution_against_damping(
        BALL, (0.0, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0), SPEED, MASS
    ):
        lines.append(f"| {c:g} | {e:.4f} | {estimate:.4f} |")
    return "\n".join(lines)


#: numbers of a ball of 0.5 kg that drops 50 mm on a plate, N, m, s
DROP = {
    "IMPACT": {"damping": 300.0, "dmax": 1e-4}, "POISSON": {"penalty": 1e8, "restitution": 0.6},
    "HERTZ": {"materials": "steel", "damping": 0.1},
    "HUNT_CROSSLEY": {"damping": 0.1}, "KELVIN_VOIGT": {"stiffness": 1e7, "damping": 300.0},
    "VISCOELASTIC": {"g1": 0.4, "tau1": 2e-4},
    "ELASTIC_PLASTIC": {"plasticity": 0.4},
}  # fmt: skip


def dropped(law: str):
    """The model of `energy_table`."""
    import holonom as hn

    m = hn.Model(law)
    m.gravity = (0, 0, -9.81)
    ball = m.part("ball", 0.5, (2e-5,) * 3, (0, 0, 0.06))
    own = {"stiffness": 1e9, "exponent": 1.5} | DROP.get(law, {"restitution": 0.7})
    for name in (
        ("stiffness", "exponent") if law in ("POISSON", "HERTZ") else ("exponent",) if law == "KELVIN_VOIGT" else ()
    ):
        own.pop(name)
    m.contact(m.sphere(ball, (0, 0, 0.06), 0.01), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), law=law, **own)
    return m


def energy_table(errors=(1e-3, 1e-5, 1e-7)) -> str:
    """Largest residual of the energy audit over 0.6 s of bouncing, as a share of the energy at the start."""
    import holonom as hn
    from holonom.contact.laws import LAWS

    lines = ["| law | " + " | ".join(f"{e:g}" for e in errors) + " |", "|---" * (len(errors) + 1) + "|"]
    for law in LAWS:
        if law != "HERTZ_LINE":
            runs = (
                hn.simulate(dropped(law), end=0.6, steps=600, integrator="DOP853", error=e, progress=False)
                for e in errors
            )
            lines.append(
                f"| {law} | "
                + " | ".join(f"{r.audit().segments[0].max_residual / (0.5 * 9.81 * 0.05):.0e}" for r in runs)
                + " |"
            )
    return "\n".join(lines)


def scenes_table() -> str:
    """Energy and momentum audit of contact examples that are shipped as datasets, run as their scripts say."""
    import holonom as hn
    from holonom.formats import parse_acf, parse_adm

    folder = Path(hn.__file__).parent / "models"
    lines = ["| scene | energy | momentum | from change to change |", "|---|---|---|---|"]
    for name in (
        "ball_on_plate",
        "newtons_cradle",
        "clearance_slider_crank",
        "geneva_wheel",
        "ball_bearing",
        "hertz_contacts",
        "chain_drive",
        "tracked_side",
    ):
        texts = ((folder / f"{name}{kind}").read_text() for kind in (".acf", ".adm"))
        run = hn.run_script(parse_acf(next(texts), name), parse_adm(next(texts), name), progress=False)
        m = run.momentum_audit()
        lines.append(
            f"| {name.replace('_', ' ')} | {run.audit().relative:.0e} | {m.relative:.0e} | {m.at_changes:.0e} |"
        )
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
    left.set(
        xlabel="damping, N s/mm",
        ylabel="restitution",
        title="IMPACT, 1 kg; wide: Lankarani and Nikravesh's estimate",
        ylim=(0, 1.02),
    )
    left.legend()
    e = np.linspace(0.005, 1.0, 200)
    for name in FAMILY:
        right.plot(e, [restitution_of(module(name).factor(x)) for x in e], label=name.replace("_", " ").title())
    right.set(
        xlabel="restitution asked",
        ylabel="restitution given",
        title="Laws that take a restitution",
        xlim=(0, 1),
        ylim=(0, 1.02),
    )
    right.legend(fontsize=8)
    for axis in (left, right):
        axis.grid(alpha=0.3)
    plt.savefig(path, dpi=110)


if __name__ == "__main__":
    print(family_table(), impact_table(), energy_table(), scenes_table(), sep="\n\n")
    figure(Path(__file__).parent / "figures" / "contact_restitution.png")
