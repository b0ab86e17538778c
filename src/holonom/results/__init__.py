"""Results by the names of the model: histories with units, stored, compared, plotted and audited."""

from .audit import Audit, audit
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
from .files.store import RunWriter, load
from .quantities import Quantity, quantities
from .run import HISTORY_DTYPE, Run, RunData, Segment
from .views.body import MarkerView, PartView
from .views.part_loads import PartLoads, part_loads
from .views.reactions import Reactions, reactions
from .views.wrench import WrenchView

__all__ = [
    "HISTORY_DTYPE", "Audit", "Comparison", "Difference", "MarkerView", "PartLoads", "PartView", "Quantity",
    "Reactions", "ResultsFile", "Run", "RunData", "RunWriter",
    "Segment", "WrenchView", "audit", "compare", "compare_table", "curve", "derivative", "difference", "export_csv",
    "export_req", "export_res",
    "export_tab", "filtered", "integral", "load", "moving_mean", "part_loads", "peaks", "psd", "quantities",
    "reactions", "read_res", "resampled", "run_difference",
    "spectrum", "write_adams_files", "write_csv",
]  # fmt: skip
