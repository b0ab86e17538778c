"""What ``holonom flexible ...`` does: ropes, belts and bars that hit each other, next to their closed forms and
published numbers."""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..analyses.session.simulate import simulate
from ..flexible.mixed import bars as impact
from ..flexible.mixed.contact import collide, correlation
from ..model import ModelError
from ..results.pages.collision import write_collision
from ..results.pages.report import write_report
from .belt import belt_drive
from .command import parse_numbers
from .drum import END, pulls, rope_on_drum, tension_ratio

Say = Callable[[str], None]
BELT_END, LATE = 0.5, 0.3  # s: of a belt drive, and from when on it runs evenly


def rope(friction: str, turns: str, model: str, nodes: int | None, error: float, report: Path | None, say: Say) -> None:
    """Rope drawn over a fixed drum for coefficients and wraps, compared with Euler and Eytelwein; the report is that of
    the last run.

    Raises ModelError for invalid values."""
    say(
        f"  {'friction':>8}{'turns':>8}{'load N':>10}{'pull N':>10}{'ratio':>10}{'closed':>10}{'error':>10}{'steps':>9}{'CPU s':>8}"  # noqa: E501
    )
    run = None
    for mu in parse_numbers(friction, "friction"):
        for wrap in parse_numbers(turns, "turns"):
            run = simulate(rope_on_drum(mu, wrap, model=model, nodes=nodes), END * wrap, 60, error=error)
            load, pull = pulls(run)
            want = tension_ratio(mu, 2.0 * math.pi * wrap, 0.1, 0.001)
            say(
                f"  {mu:8g}{wrap:8g}{load:10.4f}{pull:10.4f}{pull / load:10.4f}{want:10.4f}{100 * (pull / load / want - 1):9.2f} %{len(run.history):9}"  # noqa: E501
                f"{run.counters.get('cpu seconds', math.nan):8.1f}"
            )
    say(
        "closed: exp(mu beta R / (R + r)), Euler 1762 and Eytelwein 1808; friction acts at the drum (R), the tension "
        "at the axis of the rope (R + r)"
    )
    _report(run, report, say)


def belt(model: str, elements: int | None, load: float, tension: float, report: Path | None, say: Say) -> None:
    """Belt drive: torque by friction, tensions of both strands, elastic creep.  Raises ModelError for invalid
    values."""
    radii, distance, width, thick, young = (0.05, 0.05), 0.3, 0.02, 0.002, 2e8
    m = belt_drive(
        radii, distance, section=(width, thick), young=young, load=load, tension=tension, model=model, elements=elements
    )
    run = simulate(m, BELT_END, 100, integrator="HHT" if model == "rod" else None, error=1e-3)
    late = run.time > LATE
    view: Any = run.rod("belt") if model == "rod" else run.mesh("belt")
    pull = view.section("axial force").values[late]
    at = (view.axis() if model == "rod" else view.axis(1)).values[late]
    middle = 0.5 * (at[:, 1:] + at[:, :-1])
    free = np.abs(middle[..., 0] - 0.5 * distance) < 0.3 * distance
    strands = sorted(float(pull[free & (side * middle[..., 1] > 0.0)].mean()) for side in (1.0, -1.0))
    contact = run.contact("follower")
    moment = np.cross(contact.point.values - [distance, 0, 0], contact.force.values)[:, 2] + contact.torque.values[:, 2]
    speeds = [float(run.part(name).angular_velocity.values[late, 2].mean()) for name in ("driver", "follower")]
    axis = radii[1] + 0.5 * thick
    say(f"  {'':34}{'run':>12}{'closed':>12}{'error':>10}")
    row = lambda what, got, want: say(f"  {what:34}{got:12.5g}{want:12.5g}{100 * (got / want - 1):9.2f} %")
    row("torque of friction, N m", abs(float(moment[late].mean())), load)
    row("(T1 - T2) (R + t/2), N m", (strands[1] - strands[0]) * axis, load)
    row(
        "creep, %",
        100 * (1 - speeds[1] / speeds[0]),
        100 * (strands[1] - strands[0]) / (young * width * thick + strands[1]),
    )
    say(
        f"  strands {strands[1]:.2f} and {strands[0]:.2f} N; {len(run.history)} steps, "
        f"{run.counters.get('cpu seconds', math.nan):.1f} CPU s"
    )
    say(
        "closed: creep (T1 - T2)/(EA + T1); nodes of a rod lie on a pulley as a polygon, so it creeps more; less with "
        "more --elements, and with --model cable"
    )
    _report(run, report, say)


def bars(
    flat: bool, mesh: str, rings: int, layers: int, modes: int, cells: int, ratio: float, report: Path | None, say: Say
) -> None:
    """Bars that hit each other on mixed coordinates: next to all degrees of freedom, or (``flat``) compared with St
    Venant's waves. Raises ModelError for invalid values."""
    if flat:
        contact = impact.flat_bars(cells, ratio)
        want = impact.st_venant(contact)
        how: dict[str, Any] = dict(
            velocity=((0, 1.0), (0, 0)), end=1.4 * want.duration, step=0.25 * want.duration / cells, theta=0.5
        )
        both = contact.one.kept("end", cells // 2), contact.other.kept("end", int(ratio * cells) // 2)
        full, run = collide(contact, **how), collide(contact, both, **how)
        say(f"  {'':26}{'closed':>14}{'all freedoms':>14}{'nodes, modes':>14}")
        inside = lambda c: float(np.median(c.force[(c.time > 0.2 * want.duration) & (c.time < 0.8 * want.duration)]))
        for what, scale, exact, of in (
            ("in contact, us", 1e6, want.duration, lambda c: c.duration),
            ("force, N", 1.0, want.force, inside),
            ("speed of the shorter, m/s", 1.0, want.speeds[0], lambda c: float(c.speed(0)[-1, 1])),
            ("speed of the longer, m/s", 1.0, want.speeds[1], lambda c: float(c.speed(1)[-1, 1])),
        ):
            say(f"  {what:26}{scale * exact:14.5g}{scale * of(full):14.5g}{scale * of(run):14.5g}")
        say(
            f"  {'coordinates':26}{'':14}{sum(c.size for c in full.coordinates):14}{sum(c.size for c in run.coordinates):14}"  # noqa: E501
        )
        say("closed: St Venant (1867): 2 L1 / c, rho c A v / 2, 0 and v L1 / L2")
    else:
        contact = impact.coaxial_bars(mesh)
        full, run = impact.hit(contact), impact.hit(contact, impact.around(contact, rings, layers, modes))
        say(f"  {'':26}{'all freedoms':>14}{'nodes, modes':>14}")
        for what, of in (
            ("coordinates", lambda c: sum(x.size for x in c.coordinates)),
            ("largest force, N", lambda c: c.peak),
            ("in contact, us", lambda c: 1e6 * c.duration),
            ("impulse, mN s", lambda c: 1e3 * c.impulse),
            ("CPU of the steps, ms", lambda c: 1e3 * c.cpu),
        ):
            say(f"  {what:26}{of(full):14.6g}{of(run):14.6g}")
        nodes = sum(2 * len(c.body.places) for c in full.coordinates)
        say(
            f"  correlation {correlation(run.force, full.force):.4f}, peak ratio {run.peak / full.peak:.4f}; "
            "published: 40 of 2394 coordinates reach 0.99 "
            f"({nodes} here with those that do not move)"
        )
    if report is not None:
        facts = [("correlation with all degrees of freedom", f"{correlation(run.force, full.force):.5f}")]
        say(f"report: {write_collision(run, report, others={'all freedoms': full}, facts=facts)}")


def study(mesh: str, table: Path | None, plot: Path | None, workers: int | None, say: Say) -> None:
    """The 140 runs: layers 1-4, rings 1-5, 7 to 43 modes a bar.  Raises ModelError for another mesh."""
    begin = time.perf_counter()
    full, found = impact.runs(mesh, workers=workers)
    count = sum(len(row) for row in found.values())
    nodes = sum(2 * len(c.body.places) for c in full.coordinates)
    say(
        f"mesh {mesh}: {nodes} coordinates in all, {count} runs in {time.perf_counter() - begin:.0f} s; all freedoms: "
        f"peak {full.peak:.1f} N, "
        f"{1e6 * full.duration:.0f} us in contact, {full.cpu:.2f} CPU s"
    )
    say(
        "correlation, peak ratio (coordinates of both bars); ** where the correlation is 0.99 or more and the peak "
        "within 2 %"
    )
    for line in impact.correlation_table(found, impact.MODES):
        say(line)
    best = impact.smallest(found)
    if best:
        n, rings, layers, modes, corr, peak, _ = best
        say(
            f"least: {n} coordinates ({layers} layer{'s' if layers > 1 else ''}, {rings} "
            f"ring{'s' if rings > 1 else ''}, {modes} modes a bar), correlation {corr:.4f}, "
            f"peak ratio {peak:.3f}; published: 40 of 2394 (1 node, 37 modes)"
        )
    rows = [
        (layers, rings, m, *found[rings, layers][m])
        for rings, layers in sorted(found, key=lambda k: k[::-1])
        for m in impact.MODES
    ]
    if table is not None:
        with table.open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(("layers", "rings", "modes", "coordinates", "correlation", "peak ratio", "CPU s"))
            out.writerows(rows)
        say(f"table: {table}")
    if plot is not None:
        from ..results.pictures.figures import Figure

        figure = Figure(figsize=(11.0, 6.0), layout="constrained")
        keys = sorted(found, key=lambda k: k[::-1])
        for ax, k, title, low, high, colours in zip(
            figure.subplots(1, 2), (1, 2), ("correlation", "peak ratio"), (0.9, 0.8), (1.0, 1.2), ("viridis", "RdBu_r")
        ):
            image = ax.imshow(
                np.array([[found[key][m][k] for m in impact.MODES] for key in keys]),
                aspect="auto",
                cmap=colours,
                vmin=low,
                vmax=high,
            )
            ax.set_xticks(range(len(impact.MODES)), impact.MODES)
            ax.set_yticks(range(len(keys)), [f"{layers} x {rings}" for rings, layers in keys])
            ax.set(title=title, xlabel="modes a bar", ylabel="layers x rings of nodes")
            figure.colorbar(image, ax=ax)
        figure.savefig(plot, dpi=100)
        say(f"plots: {plot}")


def _report(run: Any, path: Path | None, say: Say) -> None:
    if path is None:
        return
    if path.suffix.lower() not in (".html", ".htm"):
        raise ModelError(f"'{path.name}': a report ends in .html")
    write_report(run, path)
    say(f"report: {path}")
