"""Pictures of a report."""

from __future__ import annotations

import html
import io
import re
import warnings

import numpy as np

from .report_curves import Curves

INK = "#010203"  # represents the page's text colour while Matplotlib draws


def figure_of_steps(h: np.ndarray, curves: Curves) -> str:
    """Step size over time, with what was rejected."""
    good, bad = h[h["cause"] == ""], h[h["cause"] != ""]
    good = good[good["step"] > 0]
    lines = [("accepted", curves.add(good["step"], t=good["time"]) if len(good) else None)]
    for cause in dict.fromkeys(str(c) for c in bad["cause"]):
        rows = bad[(bad["cause"] == cause) & (bad["step"] > 0)][:2000]
        if len(rows):
            lines.append((f"rejected: {cause}", curves.add(rows["step"], t=rows["time"])))
    lines = [line for line in lines if line[1] is not None]
    steady = len(good) and good["step"].min() > 0.1 * good["step"].max()
    log = bool(len(good) and not steady)
    modes = ["steps" if name == "accepted" else "marks" for name, _ in lines]
    second = curves.run.model.units.symbol("time")
    return curves.figure(curves.plot("Step size", f"step ({second})", lines, log=log, zero=not log, modes=modes))


def new_axes(height: float):
    from ..pictures.figures import Figure

    fig = Figure(figsize=(7.2, height), layout="constrained")
    ax = fig.add_subplot()
    ax.patch.set_alpha(0)
    fig.patch.set_alpha(0)
    ax.grid(True, color=INK, alpha=0.14, lw=0.7)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(INK)
        spine.set_alpha(0.4)
    ax.tick_params(colors=INK, labelsize=10.5, length=3)
    ax.margins(x=0.01)
    return fig, ax


def label_axes(ax, x: str, y: str) -> None:
    ax.set_xlabel(x, color=INK, fontsize=11, parse_math=False)
    ax.set_ylabel(y, color=INK, fontsize=11, parse_math=False)


def svg_of(fig, title: str) -> str:
    from ..pictures.figures import matplotlib as mpl

    stream = io.StringIO()
    with (
        mpl.rc_context(
            {"svg.fonttype": "none", "svg.hashsalt": title, "font.family": "sans-serif", "text.usetex": False}
        ),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # glyphs that a font lacks; the page's own fonts draw the text
        fig.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S).replace(INK, "currentColor")
    text = re.sub(r'font: ([\d.]+px) [^";]*', r"font: \1 system-ui, sans-serif", text)
    salt = f"f{abs(hash_text(title + text)):08x}-"  # ids of several figures share one page
    text = re.sub(r'\bid="', f'id="{salt}', text)
    text = re.sub(r'(xlink:href="#|url\(#)', lambda m: m.group(1) + salt, text)
    text = text.replace("<svg ", f'<svg role="img" aria-label="{html.escape(title, quote=True)}" ', 1)
    return f"<figure>{text}<figcaption>{html.escape(title)}</figcaption></figure>"


def hash_text(text: str) -> int:
    """The same number for the same text in every process."""
    import zlib

    return zlib.crc32(text.encode())
