"""Units of characteristics as engineers read them, and the page of curves of `KC.plot`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .kc import KC

DEGREE = 180.0 / math.pi


def unit_of(kind: str, units: Any, plot: bool = False) -> tuple[float, str]:
    """(factor, unit) from model units and radians; for plots lengths are mm and forces N whatever the model has."""
    length = (1e3 * units.si_length, "mm") if plot else (1.0, units.symbol("length"))
    force = (units.si_force, "N") if plot else (1.0, units.symbol("force"))
    one: dict[str, tuple[float, str]] = {
        "": (1.0, ""),
        "angle": (DEGREE, "deg"),
        "length": length,
        "force": force,
        "stiffness": (force[0] / length[0], f"{force[1]}/{length[1]}"),
        "moment": (force[0] * length[0], f"{force[1]} {length[1]}"),
        "roll stiffness": (force[0] * length[0] / DEGREE, f"{force[1]} {length[1]}/deg"),
        "angle/length": (DEGREE / length[0], f"deg/{length[1]}"),
        "angle/force": (DEGREE / force[0] * 1e3, f"deg/k{force[1]}"),
        "length/force": (length[0] / force[0] * 1e3, f"{length[1]}/k{force[1]}"),
        "angle/moment": (DEGREE / (force[0] * length[0]), f"deg/({force[1]} {length[1]})"),
    }
    return one[kind]


def _value(kc: KC, sweep: str, name: str) -> np.ndarray:
    from .characteristics import TABLE

    values = getattr(kc, sweep)[name]
    values = values[:, 0] if TABLE[name].sides else values
    return values * unit_of(TABLE[name].unit, kc.units, True)[0]


def _x(kc: KC, sweep: str) -> np.ndarray:
    s = getattr(kc, sweep)
    length, force = 1e3 * kc.units.si_length, kc.units.si_force
    if sweep in ("roll", "steer"):
        return s.x * DEGREE
    if "aligning" in sweep:
        return s.x * force * kc.units.si_length
    return s.x * (length if sweep in ("parallel", "opposite", "single") else force * 1e-3)


#: title, sweep, name, label of what is swept; travel runs upward, as on the sheets of suspension engineers
TRAVEL = (
    ("toe (in +)", "toe", "deg"),
    ("camber", "camber", "deg"),
    ("caster", "caster", "deg"),
    ("half-track change", "half_track_change", "mm"),
    ("wheelbase change", "base_change", "mm"),
    ("roll-centre height", "roll_centre_height", "mm"),
    ("wheel load", "wheel_load", "kN"),
    ("spring motion ratio", "spring_motion_ratio", "-"),
)


def page(kcs: Sequence[KC], title: str = "") -> Any:
    """Curves of travel, roll, steering and loads, the left wheel; the second design and on dashed."""
    from ..results.pictures.figures import Figure

    figure = Figure(figsize=(19, 11.5))
    axes = figure.subplots(3, 6)
    flat = axes.ravel()
    first = kcs[0]
    compliant = any(k.rig.axle.compliant for k in kcs)
    steered = first.rig.axle.steering is not None
    styles = ("-", "--", ":", "-.")
    colours = ("#1f4e79", "#c0392b", "#2e7d32", "#6a1b9a")

    def draw(ax: Any, kc: KC, n: int, x: np.ndarray, y: np.ndarray, upright: bool) -> None:
        a, b = (y, x) if upright else (x, y)
        ax.plot(a, b, styles[n % 4], color=colours[n % 4], label=f"{kc.name}, {kc.mode}", linewidth=1.6)

    at = 0
    for words, name, unit in TRAVEL:
        ax = flat[at]
        at += 1
        for n, kc in enumerate(kcs):
            y = _value(kc, "parallel", name) * (1e-3 if unit == "kN" else 1.0)
            draw(ax, kc, n, _x(kc, "parallel"), y, True)
        ax.set(title=words, xlabel=unit, ylabel="wheel travel, parallel (mm)")
    _roll(flat[at], kcs, draw, "steer_angle", "steer over roll, left", "deg")
    _roll(flat[at + 1], kcs, draw, "camber", "camber over roll, left", "deg")
    at += 2
    if steered:
        for n, kc in enumerate(kcs):
            if kc.rig.axle.steering is None:
                continue
            inner = np.asarray(kc.steer["steer_angle"]) * DEGREE
            draw(flat[at], kc, n, _x(kc, "steer"), inner[:, 0], False)
            flat[at].plot(_x(kc, "steer"), inner[:, 1], styles[n % 4], color=colours[n % 4], alpha=0.45)
            draw(flat[at + 1], kc, n, _x(kc, "steer"), _value(kc, "steer", "ackermann_error"), False)
        flat[at].set(title="steer angles, left and right (pale)", xlabel="steering wheel (deg)", ylabel="deg")
        flat[at + 1].set(title="Ackermann error, outer wheel", xlabel="steering wheel (deg)", ylabel="deg")
        at += 2
    loads = (
        ("lateral", "steer_angle", "steer by lateral force", "kN, both to the left"),
        ("brake", "toe", "toe by braking", "kN a wheel"),
        ("lateral", "camber", "camber by lateral force", "kN, both to the left"),
        ("brake", "base_change", "recession by braking", "kN a wheel"),
        ("aligning", "steer_angle", "steer by aligning moment", "N m a wheel"),
    )
    if not compliant:
        loads = ()
    for sweep, name, words, xlabel in loads:
        if at >= len(flat):
            break
        for n, kc in enumerate(kcs):
            y = _value(kc, sweep, name)
            draw(flat[at], kc, n, _x(kc, sweep), y - (y[int(np.argmin(np.abs(_x(kc, sweep))))]), False)
        flat[at].set(title=words + ", left", xlabel=xlabel, ylabel="mm" if name == "base_change" else "deg")
        at += 1
    for name, words in (
        ("anti_dive", "anti-dive"),
        ("anti_lift", "anti-lift (braking)"),
        ("side_view_arm", "side-view arm"),
        ("front_view_arm", "front-view arm"),
    ):
        if at >= len(flat):
            break
        if all(np.isnan(_value(kc, "parallel", name)).all() for kc in kcs):
            continue
        for n, kc in enumerate(kcs):
            y = _value(kc, "parallel", name)
            x = _x(kc, "parallel")
            if "arm" in name:
                y = y * 1e-3
                y = np.where(np.abs(y) < 25.0, y, np.nan)  # it goes through infinity
            else:
                y = 100.0 * y
            draw(flat[at], kc, n, x, y, True)
        flat[at].set(title=words, xlabel="m" if "arm" in name else "%", ylabel="wheel travel, parallel (mm)")
        at += 1
    for ax in flat[:at]:
        ax.grid(alpha=0.3)
        ax.axhline(0.0, color="0.4", linewidth=0.7)
        ax.title.set_fontsize(10)
        ax.tick_params(labelsize=8)
        low, high = ax.get_xlim()
        if low < 0.0 < high:
            ax.axvline(0.0, color="0.4", linewidth=0.7)
        if high - low < 1e-6 * max(abs(low), abs(high), 1e-3):
            middle = 0.5 * (low + high)
            ax.set_xlim(middle - 1.0, middle + 1.0)
    for ax in flat[at:]:
        ax.axis("off")
    handles, labels = flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(kcs), frameon=False)
    figure.suptitle(
        title or f"Kinematics and compliance: {first.name} axle, {first.rig.axle.template.name.replace('_', ' ')}"
    )
    figure.tight_layout(rect=(0.0, 0.03, 1.0, 0.98))
    return figure


def _roll(ax: Any, kcs: Sequence[KC], draw: Any, name: str, words: str, unit: str) -> None:
    for n, kc in enumerate(kcs):
        draw(ax, kc, n, _x(kc, "roll"), _value(kc, "roll", name), False)
    ax.set(title=words, xlabel="roll of the body (deg)", ylabel=unit)
