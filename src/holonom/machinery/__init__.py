"""Toolkit of machines: functions that build Models from engineers' parameters."""

from .chain import chain_drive
from .rope import rope_over_pulley

__all__ = ["chain_drive", "rope_over_pulley"]
