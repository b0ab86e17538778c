"""Structures: ground motions, response spectra, frames of storeys with dampers.  A toolkit over the public model."""

from . import closed_forms
from .building import Building, lateral_building, shear_building
from .frame import SECTIONS, Frame, steel_frame
from .ground_motion import GroundMotion, read_ground_motion
from .spectrum import response, response_spectrum
from .steel_damper import STEELS, EDamper, Steel
from .study import DamperStudy, IntegratorStudy, compare_integrators, damper_study
from .yielding import ColumnStudy, column_study, yielding_columns

__all__ = [
    "SECTIONS",
    "STEELS",
    "Building",
    "ColumnStudy",
    "DamperStudy",
    "EDamper",
    "Frame",
    "GroundMotion",
    "IntegratorStudy",
    "Steel",
    "closed_forms",
    "column_study",
    "compare_integrators",
    "damper_study",
    "lateral_building",
    "read_ground_motion",
    "response",
    "response_spectrum",
    "shear_building",
    "steel_frame",
    "yielding_columns",
]
