"""Vehicles: tyres from property files, and what engineers ask of them.  A toolkit over the public model; nothing below knows a car."""

from .tir import TyreFile, read_tir, write_tir
from .tyre_rig import TyreRig, tyre

__all__ = ["TyreFile", "TyreRig", "read_tir", "tyre", "write_tir"]
