"""Toolkit of machines: functions that build Models from engineers' parameters."""

from .belt import belt_drive
from .chain import chain_drive
from .gears import helical_gears
from .rope import rope_over_pulley
from .track import tracked_side

__all__ = ["belt_drive", "chain_drive", "helical_gears", "rope_over_pulley", "tracked_side"]
