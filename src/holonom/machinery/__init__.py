"""Toolkit of machines: functions that build Models from engineers' parameters."""

from .chain import chain_drive

__all__ = ["chain_drive"]
