"""Matplotlib, which draws the curves of reports and studies, as the optional package that it is.

Simulations, results, tables and animations work without it.  What draws a curve imports the classes it needs from here,
so that a missing package is one sentence wherever the curve is requested.
"""

from __future__ import annotations

from typing import Any

from ...model.base import ModelError

try:
    import matplotlib
    from matplotlib import colormaps
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.figure import Figure
except ModuleNotFoundError as error:
    if error.name != "matplotlib":  # of an installation of Matplotlib that is broken
        raise
    raise ModelError("curves and reports need Matplotlib; run: pip install 'holonom[report]'") from None


def pyplot() -> Any:
    """`matplotlib.pyplot`, for the few figures that may be shown in a window."""
    import matplotlib.pyplot

    return matplotlib.pyplot


__all__ = [
    "Figure",
    "FigureCanvasAgg",
    "LogNorm",
    "Normalize",
    "ScalarMappable",
    "colormaps",
    "matplotlib",
    "pyplot",
]
