"""Answers in the words of the drawing: histories by name with units, stored, compared, plotted and audited."""

from .adams_files import write_adams_files
from .adams_res import ResultsFile, export_res, read_res
from .audit import Audit, audit
from .compare import Comparison, Difference, compare, compare_table
from .export import export_csv, export_req, export_tab
from .quantities import Quantity, quantities
from .run import HISTORY_DTYPE, MarkerView, PartView, Run, RunData, Segment, WrenchView
from .store import RunWriter, load

__all__ = [
    "HISTORY_DTYPE", "Audit", "Comparison", "Difference", "MarkerView", "PartView", "Quantity", "ResultsFile", "Run", "RunData", "RunWriter",
    "Segment", "WrenchView", "audit", "compare", "compare_table", "export_csv", "export_req", "export_res",
    "export_tab", "load", "quantities", "read_res", "write_adams_files",
]  # fmt: skip
