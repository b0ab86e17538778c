"""Vehicles: tyres from property files, suspensions from hardpoints, whole vehicles, drivers, manoeuvres. Built on the
public model API."""

from ..elements.forces.tyres.user import register_tyre
from .adams_tyres import adams_tyres
from .assemblies import AssemblyStudy, compare_assemblies
from .axle import Axle, Side
from .characteristics import Car, characteristics, compliance_matrix
from .chrono_tyres import read_chrono_tyre, write_chrono_tyre
from .chrono_vehicle import read_chrono_vehicle
from .controls import Controls, Scene
from .cornering_compliance import Cornering, cornering, single_track
from .driver_study import DriverStudy, compare_drivers
from .drivers import Driver, MpcDriver, Observation, Path, PidDriver, PreviewDriver, StanleyDriver
from .full_vehicle import Vehicle
from .handling import (
    FrequencyResponse,
    braking_in_turn,
    fish_hook,
    frequency_response,
    reference_angle,
    sine_with_dwell,
    split_braking,
)
from .kc import KC, Sweep
from .loads import LoadCases, load_cases
from .longitudinal import acceleration, coast_down
from .manoeuvres import (
    Course,
    Drive,
    follow,
    iso_3888,
    lane_change,
    slow_ramp,
    steady_circle,
    steer_step,
    straight_braking,
)
from .network import Network, NetworkDriver, Training, read_network, train
from .pedals import SpeedDriver
from .ride import HalfCar, four_post, kerb, pothole, ride, seat_acceleration, vibration, weighted, weighting
from .rig import Rig
from .roads import CrgFile, coherence, crg_road, iso_profile, iso_road, mesh_road, rdf_road, read_crg
from .rolling_car import RollingCar
from .single_track import SingleTrack
from .study import VehicleStudy, study
from .template import Template, register
from .tir import TyreFile, read_tir, write_tir
from .tyre_fit import TyreFit, fit_fiala, fit_pac2002
from .tyre_rig import TyreRig, tyre, tyre_history
from .vehicle_file import VehicleFile, read_vehicle, shipped

__all__ = [
    "AssemblyStudy",
    "Axle", "Car", "Controls", "Cornering", "Course", "CrgFile", "Drive", "Driver", "DriverStudy", "FrequencyResponse",
    "HalfCar", "KC", "LoadCases", "MpcDriver",
    "Network", "NetworkDriver", "Observation", "Path", "PidDriver", "PreviewDriver", "Rig", "RollingCar", "Scene",
    "Side", "SingleTrack", "SpeedDriver", "StanleyDriver",
    "Sweep", "Template", "Training", "TyreFile", "TyreFit", "TyreRig", "Vehicle", "VehicleFile", "VehicleStudy",
    "acceleration", "adams_tyres",
    "braking_in_turn", "characteristics", "coast_down", "coherence", "compare_assemblies",
    "compare_drivers", "compliance_matrix",
    "cornering", "crg_road", "fish_hook", "fit_fiala",
    "fit_pac2002", "follow", "four_post", "frequency_response", "iso_3888", "iso_profile", "iso_road", "kerb",
    "lane_change", "load_cases",
    "mesh_road", "pothole", "rdf_road", "read_chrono_tyre", "read_chrono_vehicle", "read_crg", "read_network",
    "read_tir", "read_vehicle", "reference_angle", "register",
    "register_tyre", "ride", "seat_acceleration", "shipped", "sine_with_dwell", "single_track", "slow_ramp",
    "split_braking", "steady_circle",
    "steer_step", "straight_braking", "study", "train", "tyre", "tyre_history", "vibration", "weighted", "weighting",
    "write_chrono_tyre",
    "write_tir",
]  # fmt: skip
