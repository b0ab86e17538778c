"""Figures and tables of the rows of `work_precision`."""

from __future__ import annotations

import math
from pathlib import Path

from .problems import REFERENCES, Problem
from .run import ROOT, machine, versions

DOCS = ROOT / "docs"
NAMES = {
    "mujoco": "MuJoCo",
    "exudyn": "Exudyn",
    "simbody": "Simbody",
    "pinocchio": "Pinocchio",
    "drake": "Drake",
    "ida": "IDA",
}
COLOURS = {
    "mujoco": "#d95f02",
    "exudyn": "#1b9e77",
    "simbody": "#7570b3",
    "pinocchio": "#c51b7d",
    "drake": "#a6761d",
    "ida": "#555555",
}
MARKERS = {"mujoco": "s", "exudyn": "^", "simbody": "D", "pinocchio": "v", "drake": "P", "ida": "X"}
LEVELS = tuple(10.0**-k for k in range(1, 13))
USEFUL = 0.01  # of the size of the quantity: rougher answers are not compared
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


def floor(problem: str) -> float:
    """Errors below what the reference is good for are not distinguished."""
    return max(3.0 * REFERENCES.get(problem, {}).get("settled", 0.0), 1e-13)


def good(rows, problem: str, ours: bool) -> list[dict]:
    return [r for r in rows if r["problem"] == problem and "error" in r and (r["who"] == "holonom") == ours]


def cheapest(rows: list[dict], error: float) -> dict | None:
    """The row of minimum CPU time whose error is at most ``error``."""
    able = [r for r in rows if r["error"] <= error * 1.0001]
    return min(able, key=lambda r: r["cpu"]) if able else None


def front(rows: list[dict]) -> list[dict]:
    """Rows that no other beats in both."""
    return [r for r in rows if not any(o is not r and o["cpu"] <= r["cpu"] and o["error"] <= r["error"] for o in rows)]


def seconds(x: float) -> str:
    return f"{x:.2g} s" if x >= 1 else f"{1e3 * x:.3g} ms"


def at_levels(rows, problem: Problem):
    """(error allowed, ours, best peer or None) for each decade that ours reaches."""
    mine, theirs = good(rows, problem.name, True), good(rows, problem.name, False)
    for level in LEVELS:
        if level < floor(problem.name):
            break
        a, b = cheapest(mine, level), cheapest(theirs, level)
        if a or b:
            yield level, a, b


def by_engine(rows, problem: Problem):
    """(engine, its row, ours at equal or better error or None) for the front of each engine."""
    mine = good(rows, problem.name, True)
    for engine in NAMES:
        for r in sorted(
            front([r for r in good(rows, problem.name, False) if r["who"] == engine]), key=lambda r: -r["error"]
        ):
            if r["error"] < USEFUL * scale(problem):
                yield engine, r, cheapest(mine, max(r["error"], floor(problem.name)))


def scale(problem: Problem) -> float:
    """Size of the quantity: an error as large gives no information."""
    return 600.0 if problem.unit == "J" else 1.0


def report(rows: list[dict], problems: list[Problem], write: bool) -> None:
    for p in problems:
        if good(rows, p.name, True):
            print_problem(rows, p)
    drawn = [p for p in problems if good(rows, p.name, True)]
    folder = DOCS / "figures" if write else ROOT / "benchmarks" / "out"
    folder.mkdir(parents=True, exist_ok=True)
    for p in drawn:
        draw(rows, p, folder / f"work_precision_{p.name}.png")
    print(f"figures in {folder}")
    if write:
        path = DOCS / "work-precision.md"
        text = path.read_text()
        head, rest = text.split(BEGIN)
        _, tail = rest.split(END)
        path.write_text(f"{head}{BEGIN}\n{markdown(rows, drawn)}\n{END}{tail}")
        print(f"tables in {path}")


def print_problem(rows, p: Problem) -> None:
    for engine, r, a in by_engine(rows, p):
        if a:
            print(
                f"work_precision {p.name} {engine}_over_holonom = {r['cpu'] / a['cpu']:.2f} (error {r['error']:.1e} "
                f"{p.unit}, "
                f"{engine} {r['cpu']:.5f} s, {a['variant']} {a['error']:.1e} @ {a['cpu']:.5f} s)"
            )
        else:
            print(
                f"work_precision {p.name} {engine}: error {r['error']:.1e} {p.unit} @ {r['cpu']:.5f} s; ours did not "
                "reach it"
            )
    for level, a, b in at_levels(rows, p):
        if a and b:
            print(
                f"work_precision {p.name} best_peer_over_holonom at {level:.0e} {p.unit} = {b['cpu'] / a['cpu']:.2f} "
                f"({b['who']} {b['cpu']:.5f} s, {a['variant']} {a['cpu']:.5f} s)"
            )


def markdown(rows, problems) -> str:
    loads = [r["load"] for r in rows if "load" in r]
    used = sorted({(NAMES[r["who"]], r["version"]) for r in rows if r.get("version") and r["who"] in NAMES})
    lines = [
        f"Machine: {machine().split(', load')[0]}; load during the measurements {min(loads):.1f} to {max(loads):.1f}. "
        f"{versions(*(f'{n} {v}' for n, v in used))}.",
        "",
        "### At equal or better error: ours and the best of the others",
        "",
        "| problem | error at most | Holonom | CPU | best other | CPU | factor |",
        "|---|---|---|---|---|---|---|",
    ]
    for p in problems:
        first = True
        for level, a, b in at_levels(rows, p):
            if not (a and b) or level > 0.05 * scale(p) or round(-math.log10(level)) % 2 == (0 if p.unit != "J" else 2):
                continue
            name = f"[{p.title}](figures/work_precision_{p.name}.png)" if first else ""
            lines.append(
                f"| {name} | {level:.0e} {p.unit} | {a['variant']} | {seconds(a['cpu'])} | {NAMES[b['who']]}, "
                f"{b['settings']} | "
                f"{seconds(b['cpu'])} | {b['cpu'] / a['cpu']:.1f} |"
            )
            first = False
    lines += [
        "",
        "### Engine by engine: smallest factor over all its points below 1 % error, ours at equal or better error",
        "",
        "| problem | " + " | ".join(NAMES.values()) + " |",
        "|---|" + "---|" * len(NAMES),
    ]
    for p in problems:
        found = list(by_engine(rows, p))
        cells = []
        for engine in NAMES:
            reached = [(r["cpu"] / a["cpu"], r["error"]) for e, r, a in found if e == engine and a]
            missed = [r["error"] for e, r, a in found if e == engine and not a]
            cell = "{:.1f} ({:.0e})".format(*min(reached)) if reached else ""
            cells.append(cell + (f"; not reached: {max(missed):.0e}" if missed else ""))
        lines.append(f"| {p.title} | " + " | ".join(cells) + " |")
    lines.append("")
    for p in problems:
        lines += [f"![{p.title}](figures/work_precision_{p.name}.png)", ""]
    return "\n".join(lines).rstrip()


def draw(rows, p: Problem, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(7.6, 4.7), dpi=110)
    low = floor(p.name)
    mine, theirs = good(rows, p.name, True), good(rows, p.name, False)
    winners: dict[str, int] = {}
    for r in front(mine):
        winners[r["variant"]] = winners.get(r["variant"], 0) + 1
    best = max(winners, key=lambda v: winners[v])
    second = next(iter(sorted(winners.keys() - {best}, key=lambda v: -winners[v])), "")

    def by_level(which):
        return sorted((r for r in which if r["error"] < 3 * scale(p)), key=lambda r: -(r["level"] or 0))

    def curve(which, **style):
        points = by_level(which)
        if points:
            ax.plot([r["cpu"] for r in points], [max(r["error"], low) for r in points], **style)

    label = "Holonom, other methods"
    for variant in sorted({r["variant"] for r in mine} - {best, second}):
        curve(
            [r for r in mine if r["variant"] == variant],
            color="#b5cbe2",
            lw=0.9,
            marker="o",
            ms=2.2,
            zorder=1,
            label=label,
        )
        label = "_"
    if second:
        curve(
            [r for r in mine if r["variant"] == second],
            color="#4393c3",
            lw=1.6,
            marker="o",
            ms=4,
            zorder=3,
            label=f"Holonom {second}",
        )
    curve(
        [r for r in mine if r["variant"] == best],
        color="#08306b",
        lw=2.6,
        marker="o",
        ms=6,
        zorder=5,
        label=f"Holonom {best}",
    )
    for engine in NAMES:
        variants = sorted({r["variant"] for r in theirs if r["who"] == engine})
        for variant, dashes in zip(variants, ("-", "--", ":")):
            name = NAMES[engine] + (f" ({variant})" if len(variants) > 1 else "")
            rows_of = [r for r in theirs if r["who"] == engine and r["variant"] == variant]
            curve(rows_of, color=COLOURS[engine], marker=MARKERS[engine], ms=5, lw=1.3, ls=dashes, zorder=4, label=name)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("CPU time of the solver loop (s)")
    ax.set_ylabel(f"error ({p.unit})")
    ax.set_title(p.title, fontsize=11, loc="left")
    ax.grid(True, which="major", color="#dddddd", lw=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    handles, labels = ax.get_legend_handles_labels()
    order = sorted(
        range(len(labels)),
        key=lambda i: (labels[i] != f"Holonom {best}", not labels[i].startswith("Holonom"), "other" in labels[i]),
    )
    ax.legend(
        [handles[i] for i in order],
        [labels[i] for i in order],
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        frameon=False,
        fontsize=8.5,
    )
    fig.text(0.005, 0.005, "down and left is better", fontsize=7.5, color="#777777")
    fig.tight_layout()
    fig.savefig(path)
    plt.close(fig)
