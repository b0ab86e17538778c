"""Answers in the words of the drawing: histories by name with units, stored, compared, plotted and audited."""

from .audit import Audit, audit, momentum_audit
from .compare import Comparison, Difference, compare, compare_table
from .curves import (
    curve,
    derivative,
    difference,
    filtered,
    integral,
    moving_mean,
    peaks,
    psd,
    resampled,
    run_difference,
    spectrum,
    write_csv,
)
from .files.adams_files import write_adams_files
from .files.adams_res import ResultsFile, export_res, read_res
from .files.export import export_csv, export_req, export_tab
from .files.store import RunWriter, load, save
from .quantities import Quantity, quantities
from .run import HISTORY_DTYPE, TOOLS, MarkerView, PartView, Run, RunData, Segment, WrenchView
from .views.part_loads import PartLoads, part_loads
from .views.reactions import Reactions, reactions

__all__ = [
    "HISTORY_DTYPE", "Audit", "Comparison", "Difference", "MarkerView", "PartLoads", "PartView", "Quantity",
    "Reactions", "ResultsFile", "Run", "RunData", "RunWriter",
    "Segment", "WrenchView", "audit", "compare", "compare_table", "curve", "derivative", "difference", "export_csv",
    "export_req", "export_res",
    "export_tab", "filtered", "integral", "load", "moving_mean", "part_loads", "peaks", "psd", "quantities",
    "reactions", "read_res", "resampled", "run_difference",
    "spectrum", "write_adams_files", "write_csv",
]  # fmt: skip


def _plot(run: Run, folder) -> list:
    from .pictures.plots import save_all  # matplotlib takes a second to load

    return save_all(run, folder)


def _report(run: Run, path, **options):
    from .pages.report import write_report  # with pictures: only when one is written

    return write_report(run, path, **options)


def _least_distance(run: Run, part_a, part_b, **options):
    from .clearance import least_distance  # kernels: only when it is asked for

    return least_distance(run, part_a, part_b, **options)


def _animate(run: Run, path=None, *, height: int = 520, **options):
    from .pages.animation import animation_page, write_animation

    if path is not None:
        return write_animation(run, path, **options)
    from .pages.notebook import Inline

    return Inline(animation_page(run, **options), height)


def _movie(run: Run, path, **options):
    from .pictures.movie import write_movie  # Pillow: only when a film is made

    return write_movie(run, path, **options)


def _gltf(run: Run, path, **options):
    from .pictures.gltf import export_gltf

    return export_gltf(run, path, **options)


TOOLS.update(
    curve=curve,
    difference=run_difference,
    reactions=reactions,
    least_distance=_least_distance,
    part_loads=part_loads,
    movie=_movie,
    export_gltf=_gltf,
    save=save,
    compare=compare,
    audit=audit,
    momentum_audit=momentum_audit,
    export_csv=export_csv,
    plot=_plot,
    report=_report,
    animate=_animate,
)
