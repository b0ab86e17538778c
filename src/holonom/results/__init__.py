"""Answers in the words of the drawing: histories by name with units, stored, compared, plotted and audited."""

from .run import HISTORY_DTYPE, MarkerView, PartView, Run, RunData, Segment, WrenchView
from .store import RunWriter, load

__all__ = ["HISTORY_DTYPE", "MarkerView", "PartView", "Run", "RunData", "RunWriter", "Segment", "WrenchView", "load"]
