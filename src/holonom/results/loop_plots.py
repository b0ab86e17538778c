"""Bode, Nyquist and Nichols diagrams, root loci and step responses of loops, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import feedback

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .state_space import StateSpace


def _axes(axes: Any, count: int = 1) -> Any:
    from .pictures.figures import pyplot

    if axes is not None:
        return axes
    return pyplot().subplots(count, 1, sharex=count > 1, layout="constrained")[1]


def _phase(H: np.ndarray) -> np.ndarray:
    """Continuous phase in degrees, between -360 and 0 in the middle."""
    phase = np.degrees(np.unwrap(np.angle(H)))
    return phase - 360.0 * np.ceil(phase[len(phase) // 2] / 360.0)


def _unit(system: StateSpace) -> str:
    return "Hz" if system.time_unit == "s" else f"cycles per {system.time_unit}"


def bode(loop: StateSpace, frequency: Any = None, axes: Any = None) -> Figure:
    """Bode diagram of a loop with its margins; returns the figure."""
    f = feedback.frequencies(loop) if frequency is None else np.asarray(frequency, float)
    H = loop.frequency_response(f)[:, 0, 0]
    top, low = _axes(axes, 2)
    if loop.dt:  # at half of the sampling frequency a zero would set the scale
        f, H = f[f < 0.49 / loop.dt], H[f < 0.49 / loop.dt]
    phase = _phase(H)
    top.semilogx(f, 20 * np.log10(np.abs(H)))
    low.semilogx(f, phase)
    m = feedback.margins(loop)
    top.axhline(0.0, color="0.6", linewidth=0.8)
    for x, ax, level in ((m.phase_frequency, top, 0.0), (m.gain_frequency, low, None)):
        if np.isfinite(x) and f[0] <= x <= f[-1]:
            y = level if level is not None else float(np.interp(x, f, phase))
            ax.plot([x], [y], "o", color="tab:red", markersize=4)
    title = f"gain margin {20 * np.log10(m.gain):.1f} dB, phase margin {m.phase:.1f} deg"
    top.set(ylabel="gain / dB", title=title)
    low.set(ylabel="phase / deg", xlabel=f"frequency / {_unit(loop)}")
    for ax in (top, low):
        ax.grid(True, which="both", alpha=0.3)
    return top.figure


def nyquist(loop: StateSpace, frequency: Any = None, axes: Any = None) -> Figure:
    """Nyquist diagram of a loop, with the critical point and the circle of its modulus margin; returns the figure."""
    f = feedback.frequencies(loop) if frequency is None else np.asarray(frequency, float)
    H = loop.frequency_response(f)[:, 0, 0]
    ax = _axes(axes)
    (line,) = ax.plot(H.real, H.imag)
    ax.plot(H.real, -H.imag, "--", color=line.get_color(), linewidth=0.8)
    ax.plot([-1], [0], "+", color="tab:red", markersize=10)
    r = feedback.margins(loop).modulus
    angle = np.linspace(0, 2 * np.pi, 200)
    ax.plot(-1 + r * np.cos(angle), r * np.sin(angle), ":", color="tab:red", linewidth=0.8)
    span = max(2.0, 1.5 * r)
    ax.set(
        xlabel="real part",
        ylabel="imaginary part",
        xlim=(-1 - span, span),
        ylim=(-span, span),
        aspect="equal",
        title=f"minimum distance from -1: {r:.3g}",
    )
    ax.grid(True, alpha=0.3)
    return ax.figure


def nichols(loop: StateSpace, frequency: Any = None, axes: Any = None) -> Figure:
    """Nichols diagram of a loop with contours of the closed loop's gain; returns the figure."""
    f = feedback.frequencies(loop) if frequency is None else np.asarray(frequency, float)
    H = loop.frequency_response(f)[:, 0, 0]
    ax = _axes(axes)
    phase, gain = _phase(H), 20 * np.log10(np.abs(H))
    shown = (gain > -45) & (gain < 60)
    ax.plot(phase[shown], gain[shown])
    low, high = phase[shown].min(), phase[shown].max()
    P, G = np.meshgrid(np.linspace(min(low, -270.0), max(high, -45.0), 300), np.linspace(-45, 60, 300))
    L = 10 ** (G / 20) * np.exp(1j * np.radians(P))
    contours = ax.contour(
        P,
        G,
        20 * np.log10(np.abs(L / (1 + L))),
        levels=[-20, -12, -6, -3, 0, 1, 3, 6, 12],
        colors="0.7",
        linewidths=0.6,
        linestyles="-",
    )
    ax.clabel(contours, fmt="%g dB", fontsize=7)
    ax.plot([-180], [0], "+", color="tab:red", markersize=10)
    ax.set(xlabel="phase / deg", ylabel="gain / dB", title="loop over the gain of the closed loop")
    return ax.figure


def root_locus(loop: StateSpace, gains: Any, axes: Any = None) -> Figure:
    """Root locus of a loop over feedback gains: crosses are its poles, circles its zeros; returns the figure."""
    poles = feedback.gain_locus(loop, gains)
    ax = _axes(axes)
    ax.plot(poles.real, poles.imag, color="tab:blue", linewidth=1.0)
    ax.plot(loop.poles.real, loop.poles.imag, "x", color="k")
    ax.plot(loop.zeros.real, loop.zeros.imag, "o", color="k", fillstyle="none")
    if loop.dt:
        angle = np.linspace(0, 2 * np.pi, 200)
        ax.plot(np.cos(angle), np.sin(angle), ":", color="0.5")
        ax.set_aspect("equal")
    else:
        ax.axvline(0.0, color="0.5", linewidth=0.8)
    ax.set(xlabel="real part", ylabel="imaginary part")
    ax.grid(True, alpha=0.3)
    return ax.figure


def step(system: StateSpace, times: Any, output: Any = 0, input: Any = 0, axes: Any = None) -> Figure:
    """Step response of one path; returns the figure."""
    t = np.asarray(times, float)
    o = system._index("outputs", output)
    y = feedback.step_response(system, t, input)[:, o]
    ax = _axes(axes)
    (ax.step if system.dt else ax.plot)(t, y, **({"where": "post"} if system.dt else {}))
    ax.set(xlabel=f"time / {system.time_unit}", ylabel=system.outputs[o])
    ax.grid(True, alpha=0.3)
    return ax.figure
