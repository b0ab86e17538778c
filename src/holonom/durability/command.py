"""What ``holonom fatigue`` reports for one signal of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..model.base import ModelError, shown
from . import mean_stress
from ._words import word
from .counting import Cycles, rainflow
from .curves import SNCurve, eurocode3, iiw
from .damage import damage
from .signals import signal

if TYPE_CHECKING:
    from ..model.settings import Units
    from ..results.run import Run

MEANS = {
    "goodman": mean_stress.goodman,
    "gerber": mean_stress.gerber,
    "soderberg": mean_stress.soderberg,
    "morrow": mean_stress.morrow,
    "walker": mean_stress.walker,
    "fkm": mean_stress.fkm,
}


def _number(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ModelError(f"{what}: {shown(text)} is not a number") from None


def curve_of(text: str, units: Units | None, what: str = "--sn") -> SNCurve:
    """``ec3=80``, ``iiw=90`` (stress in ``units``, those of the model; None: in MPa), or ``STRESS,CYCLES,SLOPE`` and
    after it haibach, elementary, original or a slope.  ``what``: the argument that has the text, for messages."""
    name, _, value = text.partition("=")
    if value:
        word("curve", name.lower(), ("ec3", "iiw"))
        return {"ec3": eurocode3, "iiw": iiw}[name.lower()](_number(value, what), units=units)
    parts = [p.strip() for p in text.split(",")]
    if len(parts) not in (3, 4):
        raise ModelError(
            f"{what} {shown(text)}: give STRESS,CYCLES,SLOPE, with haibach, elementary or original after it, or ec3=80 "
            "or iiw=90"
        )
    below: str | float = parts[3] if len(parts) == 4 else "haibach"
    if below[:1].isdigit():
        below = _number(below, what)
    return SNCurve.basquin(*(_number(p, what) for p in parts[:3]), below=below)


def mean_of(text: str) -> mean_stress.MeanStress:
    """``goodman=600``, ``walker=0.65``, ..., ``swt``."""
    name, _, value = text.partition("=")
    word("correction", name.lower(), (*MEANS, "swt"))
    if name.lower() == "swt":
        return mean_stress.swt()
    if not value:
        raise ModelError(f"--mean {name}: give its number, as in {name}=600")
    return MEANS[name.lower()](_number(value, "--mean"))


def fatigue(
    run: Run,
    name: str,
    *,
    slope: float,
    sn: str | None,
    mean: str | None,
    factor: float,
    residue: str,
    hysteresis: float,
    csv: Path | None,
    plot: Path | None,
) -> list[str]:
    """Lines for a person; files where they are requested.  Raises `ModelError` for bad input."""
    if sn is None and mean is not None:
        raise ModelError("--mean corrects stresses of a curve; give --sn too")
    cycles: Cycles = rainflow(signal(run, name), residue, hysteresis=hysteresis)
    lines = [f"{name}: {cycles.total:g} cycles, largest range {cycles.range.max(initial=0.0):.6g}"]
    lines.append(
        f"equivalent range {cycles.equivalent_range(slope, 1):.6g} once a pass, pseudo-damage "
        f"{cycles.pseudo_damage(slope):.6g} (slope {slope:g})"
    )
    curve, rule = None, None
    if sn is not None:
        curve, rule = curve_of(sn, run.model.units), None if mean is None else mean_of(mean)
        found = damage(cycles, curve, mean=rule, factor=factor)
        last = found.life * (run.time[-1] - run.time[0])
        lines.append(f"damage {found.total:.6g} a pass, life {found.life:.6g} passes, {last:.6g} {run.units('time')}")
    if csv is not None:
        table = np.column_stack(
            [cycles.range, cycles.mean, cycles.count, run.time[cycles.first], run.time[cycles.last]]
        )
        np.savetxt(csv, table, delimiter=",", header="range,mean,count,first_time,last_time", comments="", fmt="%.9g")
        lines.append(f"cycles: {csv}")
    if plot is not None:
        from .plots import plot_curve, plot_spectrum

        stresses = cycles.scaled(factor)
        figure = (
            plot_spectrum(cycles, title=name) if curve is None else plot_curve(curve, stresses, mean=rule, title=name)
        )
        figure.savefig(plot, dpi=130)
        lines.append(f"picture: {plot}")
    return lines
