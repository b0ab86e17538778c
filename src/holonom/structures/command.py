"""What ``holonom structures ...`` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..model import ModelError
from ..model.base import shown
from .closed_forms import complex_stiffness, loss_a_cycle, measure
from .frame import steel_frame
from .ground_motion import UNITS, GroundMotion, read_ground_motion
from .steel_damper import LAWS, EDamper
from .study import compare_integrators, damper_study
from .yielding import column_study, storey_stiffness, yielding_columns


def records_of(texts: Sequence[str], peak: float | None) -> list[GroundMotion]:
    """Records from "FILE" or "FILE:UNITS", scaled to a peak in g where one is given.  Raises ModelError as
    `read_ground_motion` does, and without a file."""
    if not texts:
        raise ModelError("give one or more records, as --record elcentro.csv:g --record RSN6.AT2")
    out = []
    for text in texts:
        path, _, units = text.rpartition(":")
        if not path or units not in UNITS and any(mark in units for mark in "/\\."):
            path, units = text, ""
        record = read_ground_motion(path, units=units or None)
        out.append(record if peak is None else record.scaled(peak=9.80665 * peak))
    return out


def parse_numbers(text: str, what: str) -> list[float]:
    """Numbers separated by commas.  Raises ModelError for what are none."""
    try:
        return [float(v) for v in text.split(",")]
    except ValueError:
        raise ModelError(f"--{what} {shown(text)}: give numbers separated by commas") from None


def placed(texts: Sequence[str], storeys: int) -> list[list[int]]:
    """Placements "1,2,3".  Raises ModelError for storeys that there are not."""
    out = []
    for text in texts:
        try:
            found = [int(v) for v in text.split(",")]
        except ValueError:
            found = [0]
        if any(not 1 <= s <= storeys for s in found) or len(set(found)) < len(found):
            raise ModelError(
                f"--dampers {shown(text)}: give storeys from 1 to {storeys}, separated by commas, each once"
            )
        out.append(found)
    return out


class FrameStudy(NamedTuple):
    """A steel frame, its records (``peak`` in g, ``end`` in s), and the dampers to compare: storeys, C, a."""

    records: Sequence[str]
    peak: float | None
    storeys: int
    bays: int
    full: bool
    dampers: Sequence[str]
    c: str
    a: str
    all_of: bool
    end: float | None
    damping: float


def study(case: FrameStudy, plot: Path | None, table: Path | None, say: Callable[[str], None]) -> None:
    """The steel frame under records, with dampers by placement, C and a.  Raises ModelError for invalid values."""
    records, peak, storeys, bays, full, dampers, c, a, all_of, end, damping = case
    motions = records_of(records, peak)
    half = list(range(1, storeys // 2 + 1)) or [1]
    default = [[1], half, list(range(1, storeys + 1)), [storeys]]
    placements = placed(dampers, storeys) if dampers else [p for k, p in enumerate(default) if p not in default[:k]]
    frame = steel_frame(storeys, bays, motions[0], damping=damping)
    w = frame.modes()[0] if full else frame.condensed().frequencies()
    say(
        f"steel frame of {storeys} storeys and {bays} bays, "
        f"{'beams between nodes' if full else 'condensed to its floors'}, periods "
        + ", ".join(f"{2 * np.pi / v:.3f}" for v in w[:3])
        + " s, dampers along a diagonal" * full
        + ", dampers level" * (not full)
    )
    for m in motions:
        say(f"{m.name}: peak {m.peak / 9.80665:.3f} g, {m.time[-1]:.1f} s at {m.dt:g} s; " + "; ".join(m.done))
    build = lambda m: (
        steel_frame(storeys, bays, m, damping=damping)
        if full
        else steel_frame(storeys, bays, m, damping=damping).condensed()
    )
    found = damper_study(
        build, motions, placements, parse_numbers(c, "c"), parse_numbers(a, "a"), end=end, all_of=all_of
    )
    say(found.text())
    if table is not None:
        say(f"table: {found.to_csv(table)}")
    if plot is not None:
        say(f"plots: {found.plot(plot)}")


def columns(
    records: Sequence[str],
    peak: float | None,
    storeys: int,
    bays: int,
    steel: str,
    dampers: str | None,
    c: float,
    end: float | None,
    plot: Path | None,
    say: Callable[[str], None],
) -> None:
    """The steel frame with elastic and with yielding columns under records.  Raises ModelError for invalid values."""
    motions = records_of(records, peak)
    build = lambda motion: steel_frame(storeys, bays, motion).condensed()
    placement = placed([dampers], storeys)[0] if dampers else ()
    building = build(motions[0])
    first = yielding_columns(building, count=bays + 1, steel=steel)
    say(
        f"steel frame of {storeys} storeys and {bays} bays condensed to its floors, HEB400 of {steel}: columns "
        "begin to yield at drifts of "
        + ", ".join(f"{1e3 * d:.1f}" for d in first)
        + " mm, shears of "
        + ", ".join(f"{1e-3 * k * d:.0f}" for k, d in zip(storey_stiffness(building), first))
        + " kN"
    )
    found = column_study(build, motions, steel, count=bays + 1, placement=placement, c=c, end=end)
    say(found.text())
    if plot is not None:
        say(f"plots: {found.plot(plot)}")


def integrators(
    record: str, storeys: int, bays: int, full: bool, end: float, rayleigh: bool, say: Callable[[str], None]
) -> None:
    """Methods against superposition.  Raises ModelError for invalid values."""
    (motion,) = records_of([record], None)
    frame = steel_frame(
        storeys, bays, motion.scaled(1e-3) if full else motion, damping=0.02, rayleigh=(1, 2) if rayleigh else None
    )
    say(
        f"{motion.name}, {storeys} storeys, {'Rayleigh' if rayleigh else 'modal'} damping 2 %, {end:g} s"
        + (", record scaled by 1e-3: superposition is linear, a frame of beams is not quite" if full else "")
    )
    say(compare_integrators(frame if full else frame.condensed(), end).text())


def steel_damper(
    steels: Sequence[str], amplitude: float, sizes: str, plot: Path | None, say: Callable[[str], None]
) -> None:
    """E-shaped dampers of several steels by four laws: a table, loops.  Raises ModelError for invalid values."""
    h, l, t, b = (parse_numbers(sizes, "sizes") + [0.0] * 4)[:4]
    say(
        f"E-shaped damper, legs {1e3 * h:g} mm, half back {1e3 * l:g} mm, section {1e3 * t:g} x {1e3 * b:g} mm, "
        f"amplitude {1e3 * amplitude:g} mm"
    )
    say(
        f"  {'steel':8}{'law':18}{'k kN/mm':>9}{'F_y kN':>9}{'F_p kN':>9}{'x_y mm':>8}{'peak kN':>9}{'loss J':>9}{'closed form':>13}{'damping %':>11}"  # noqa: E501
    )
    kept = {}
    for steel in steels:
        d = EDamper(h, l, t, b, steel)
        for law in LAWS:
            loop = d.loop(amplitude, law)
            kept[steel, law] = loop
            closed = f"{d.loss(amplitude, law):13.0f}" if law in ("elastic-plastic", "bilinear") else " " * 13
            say(
                f"  {steel:8}{law:18}{1e-6 * d.stiffness:9.2f}{1e-3 * d.yield_force:9.1f}{1e-3 * d.plastic_force:9.1f}{1e3 * d.yield_stretch:8.2f}"  # noqa: E501
                f"{1e-3 * loop['peak']:9.1f}{loop['loss']:9.0f}{closed}{100 * loop['damping']:11.1f}"
            )
    if plot is not None:
        from ..results.pictures.figures import Figure

        figure = Figure(figsize=(5.2 * len(steels), 4.4), layout="constrained")
        for ax, steel in zip(figure.subplots(1, len(steels), squeeze=False)[0], steels):
            for law in LAWS:
                ax.plot(1e3 * kept[steel, law]["stretch"], 1e-3 * kept[steel, law]["force"], lw=1.2, label=law)
            ax.set(title=steel, xlabel="stretch (mm)", ylabel="force (kN)")
            ax.grid(alpha=0.3)
            ax.legend(fontsize=8)
        figure.savefig(plot, dpi=100)
        say(f"plots: {plot}")


#: dampers of the table of closed forms, SI
CASES = (
    ("viscous", "spring_damper", {"damping": 2e5}),
    ("Kelvin", "spring_damper", {"stiffness": 1e6, "damping": 2e5}),
    ("Maxwell", "maxwell_damper", {"series_stiffness": 4e6, "damping": 2e5}),
    ("standard linear solid", "maxwell_damper", {"stiffness": 1e6, "series_stiffness": 4e6, "damping": 2e5}),
    (
        "Burgers",
        "burgers_damper",
        {"maxwell_stiffness": 8e6, "maxwell_damping": 4e5, "kelvin_stiffness": 8e6, "kelvin_damping": 1e5},
    ),
    ("power, a = 0.3", "power_damper", {"damping": 2e5, "exponent": 0.3}),
    ("power, a = 1.7", "power_damper", {"damping": 2e5, "exponent": 1.7}),
    ("bilinear", "hysteretic_spring", {"stiffness": 2e7, "yield_force": 1e5, "hardening": 0.02, "knee": 40}),
    ("friction", "hysteretic_spring", {"stiffness": 2e8, "yield_force": 1e5, "knee": 40}),
)


def dampers(amplitude: float, frequency: float, say: Callable[[str], None]) -> None:
    """Every damper in harmonic motion, simulated and in closed form.  Raises ModelError for invalid values."""
    w = 2.0 * np.pi * frequency
    say(f"X = {1e3 * amplitude:g} mm at {frequency:g} Hz; simulated / closed form")
    say(
        f"  {'damper':24}{'loss J':>11}{'closed':>11}{'storage N/mm':>14}{'closed':>10}{'loss N/mm':>11}{'closed':>10}{'damping %':>11}"  # noqa: E501
    )
    for name, kind, words in CASES:
        found = measure(kind, amplitude, w, **words)
        want = loss_a_cycle(kind, amplitude, w, **words)
        line = f"  {name:24}{found['loss']:11.2f}{want:11.2f}{1e-3 * found['storage']:14.2f}"
        try:
            K = complex_stiffness(kind, w, **words)
            line += f"{1e-3 * K.real:10.2f}{1e-3 * found['loss_stiffness']:11.2f}{1e-3 * K.imag:10.2f}"
        except ModelError:
            line += f"{'':10}{1e-3 * found['loss_stiffness']:11.2f}{'':10}"
        stored = found["storage"]
        say(
            line
            + (
                f"{100 * found['loss'] / (2 * np.pi * stored * amplitude**2):11.1f}"
                if stored > 1e-6 * abs(found["loss_stiffness"])
                else f"{'':11}"
            )
        )
