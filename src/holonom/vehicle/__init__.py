"""Vehicles: tyres from property files, suspensions from hardpoints, whole vehicles, drivers, manoeuvres.  A toolkit over the public model; nothing below knows a car."""

from .axle import Axle, Side
from .characteristics import Car, characteristics, compliance_matrix
from .drivers import Driver, Observation, Path, PreviewDriver, StanleyDriver
from .full_vehicle import Vehicle
from .kc import KC, Sweep
from .manoeuvres import Course, Drive, follow, iso_3888, lane_change, single_track, slow_ramp, steady_circle, steer_step, straight_braking
from .rig import Rig
from .single_track import SingleTrack
from .template import Template, register
from .tir import TyreFile, read_tir, write_tir
from .tyre_rig import TyreRig, tyre
from .vehicle_file import VehicleFile, read_vehicle, shipped

__all__ = ["Axle", "Car", "Course", "Drive", "Driver", "KC", "Observation", "Path", "PreviewDriver", "Rig", "Side", "SingleTrack", "StanleyDriver", "Sweep", "Template",
           "TyreFile", "TyreRig", "Vehicle", "VehicleFile", "characteristics", "compliance_matrix", "follow", "iso_3888", "lane_change", "read_tir",
           "read_vehicle", "register", "shipped", "single_track", "slow_ramp", "steady_circle", "steer_step", "straight_braking", "tyre", "write_tir"]  # fmt: skip
