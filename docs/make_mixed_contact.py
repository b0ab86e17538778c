"""Figures of docs/mixed-contact.md: the study of the bars (140 runs on two meshes, on all cores), and partitions that
were found without a reference run.

python docs/make_mixed_contact.py
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from benchmarks import mixed_contact, mixed_machines  # noqa: E402

from holonom.flexible import mixed  # noqa: E402


def partitions() -> None:
    """Meshes with the kept nodes, and forces in addition to the full finite elements, for an accuracy of 2 %."""
    figure, axes = plt.subplots(2, 3, figsize=(12, 8), layout="constrained", height_ratios=(1.3, 1))
    for (name, make), (top, low) in zip(mixed_machines.MACHINES.items(), axes.T):
        contact, how = make()
        full, found = mixed.collide(contact, **how), mixed.partition(contact, **how)
        for body, nodes, colour in zip((contact.one, contact.other), found.nodes, ("C0", "C1")):
            x = 1e3 * body.places
            edges = body.neighbours.tocoo()
            on = edges.row < edges.col
            top.plot(*(x[[edges.row[on], edges.col[on]], k] for k in (0, 1)), color=colour, lw=0.4)
            top.plot(*x[nodes].T, ".", color="black", ms=4, zorder=5)
        top.set(
            aspect="equal",
            xlabel="mm",
            title=f"{name}: {found.size} of {contact.one.freedoms + contact.other.freedoms} coordinates",
        )
        low.plot(1e6 * full.time, full.force, "k", lw=2.5, label="full finite elements")
        low.plot(1e6 * found.course.time, found.course.force, "C1--", label="partition found without them")
        low.set(xlabel="time, us", ylabel="contact force, N", ylim=(0, 1.25 * full.peak))
        low.legend(frameon=False, fontsize=8)
    path = HERE / "figures" / "mixed_contact_partitions.png"
    figure.savefig(path, dpi=110)
    print(path)


if __name__ == "__main__":
    partitions()
    if "--partitions" not in sys.argv:
        mixed_contact.study(draw=True)
