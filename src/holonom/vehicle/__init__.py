"""Vehicles: tyres from property files, suspensions from hardpoints, and what engineers ask of them.  A toolkit over the public model; nothing below knows a car."""

from .axle import Axle, Side
from .characteristics import Car, characteristics, compliance_matrix
from .kc import KC, Sweep
from .rig import Rig
from .template import Template, register
from .tir import TyreFile, read_tir, write_tir
from .tyre_rig import TyreRig, tyre
from .vehicle_file import VehicleFile, read_vehicle, shipped

__all__ = ["Axle", "Car", "KC", "Rig", "Side", "Sweep", "Template", "TyreFile", "TyreRig", "VehicleFile", "characteristics", "compliance_matrix", "read_tir",
           "read_vehicle", "register", "shipped", "tyre", "write_tir"]  # fmt: skip
