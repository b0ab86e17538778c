"""A linear analysis as one HTML page: eigenvalues, their position in the complex plane, and the first modes in motion
with their coordinates and energies; offline, by the machinery of `results.pages.report` and
`results.pages.animation`."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model.paths import without_paths
from .._data import AXES
from .animation import fill, scene, template, viewer, write_page
from .report import html_table
from .report_figures import INK, label_axes, new_axes, svg_of
from .still import COLOURS

if TYPE_CHECKING:
    from ..modes import Linear, Mode

PERIOD = 2.0  # units of time that one period takes on the page


def write_modes_report(
    linear: Linear,
    path: str | Path,
    *,
    modes: int = 6,
    title: str | None = None,
    renderer: str = "auto",
    folder: str | Path | None = None,
    amplitude: float | None = None,
) -> Path:
    """Write the page of ``linear`` to ``path``; ``modes``: how many of those that move parts are animated (see
    `Linear.report`)."""
    path = Path(path)
    name = title or f"{linear.model.title or linear.model.name}: linear analysis"
    if folder is None and linear.model.path:
        folder = Path(linear.model.path).parent
    sections = [("Eigenvalues", _eigenvalues(linear)), ("Root plane", _plane(linear))]
    shown = 0
    for mode in linear.modes:
        if shown == modes:
            break
        if mode.kind != "rigid" and np.abs(mode.shape).max(initial=0.0) > 0.0:
            sections.append((f"Mode {mode.number}", _mode(linear, mode, shown, renderer, folder, amplitude)))
            shown += 1
    body, links = [], []
    for heading, content in sections:
        if content:
            ident = heading.lower().replace(" ", "-")
            links.append(f'<a href="#{ident}">{html.escape(heading)}</a>')
            body.append(f'<section id="{ident}"><h2>{html.escape(heading)}</h2>\n{content}\n</section>')
    lead = (
        f"time {linear.time:.6g} {linear.model.units.symbol('time')}  ·  {linear.nq} degrees of freedom, {linear.nx} "
        f"states "
        "of differential equations"
    )
    lead += f"  ·  {'stable' if linear.stable else 'unstable'}"
    page = fill(
        template("report.html"),
        title=html.escape(name),
        style=template("viewer.css") + template("report.css"),
        lead=f"<p class=lead>{html.escape(lead)}</p>"
        + "".join(f"<p class=bad>{html.escape(without_paths(w))}</p>" for w in linear.warnings),
        links="".join(links),
        body="\n".join(body),
        data="",
        foot="Holonom",
    )
    return write_page(path, page)


def _eigenvalues(linear: Linear) -> str:
    rows = []
    for r in linear.table():
        note = (
            f"rigid body, zero {r['multiplicity']} times"
            if r["kind"] == "rigid"
            else ("unstable" if r["stability"] == "unstable" else "")
        )
        imaginary = float(r["imaginary"])
        rows.append((r["mode"], r["undamped_frequency"], r["damping_ratio"], r["real"], imaginary, note))
    if not rows:
        return "<p>Nothing is free to move.</p>"
    head = (
        "Mode",
        f"Undamped frequency ({linear.frequency_unit})",
        "Damping ratio",
        "Real part",
        "Imaginary part (±)",
        "",
    )
    return html_table(head, rows)


def _plane(linear: Linear) -> str:
    e = linear.eigenvalues
    if not len(e):
        return ""

    fig, ax = new_axes(3.4)
    ax.axvline(0.0, lw=0.9, alpha=0.5, color=INK)
    stable = e.real <= 0.0
    ax.plot(e.real[stable], e.imag[stable], "x", ms=7, color=COLOURS[0])
    ax.plot(e.real[~stable], e.imag[~stable], "o", ms=6, color=COLOURS[3])
    ax.margins(0.08)
    second = linear.model.units.symbol("time")
    label_axes(ax, f"real part (1/{second})", f"imaginary part (rad/{second})")
    return svg_of(fig, "Eigenvalues in the complex plane")


def _mode(linear: Linear, mode: Mode, index: int, renderer: str, folder: Any, amplitude: float | None) -> str:
    run = linear.run(mode.number, amplitude=amplitude, periods=2, period=PERIOD)
    data = scene(run, title="", folder=folder)
    show = viewer(data, renderer=renderer, ident=f"holonom-mode-{mode.number}")
    if index:  # the code of the viewer is on the page already
        show = show[: show.index("</script>") + len("</script>")]
    show = show.replace("data-holonom-viewer", 'data-holonom-viewer data-wheel="focus"', 1)
    words = (
        f"{mode.undamped_frequency:.6g} {linear.frequency_unit} undamped, damping ratio {mode.damping_ratio:.4g}, "
        f"{mode.stability}"
    )
    words += f"; shown with a period of {PERIOD:g} and its amplitude enlarged"
    parts = []
    for (_, _, name), row, energy in zip(linear.bodies, mode.shape, linear.kinetic_energy(mode.number)):
        parts.append(
            (
                name,
                100.0 * float(energy.sum()),
                *(float(abs(v)) for v in row),
                *(float(np.degrees(np.angle(v))) if abs(v) > 1e-9 else 0.0 for v in row),
            )
        )
    out = f"<p class=note>{html.escape(words)}</p>{show}"
    out += html_table(("Part", "Kinetic energy %", *AXES, *(f"{a} phase °" for a in AXES)), parts)
    strain, rest = linear.strain_energy(mode.number)
    lost = linear.dissipated_energy(mode.number)
    forces = [(name, 100.0 * float(s), 100.0 * float(d)) for (_, _, name), s, d in zip(linear.forces, strain, lost)]
    out += html_table(
        ("Force", "Strain energy %", "Dissipated power %"),
        [*forces, ("gravity and reactions", round(100.0 * rest, 6), 0.0)],
    )
    return out
