"""Structures: ground motions, response spectra, frames of storeys with dampers.  A toolkit over the public model."""

from .building import Building, lateral_building, shear_building
from .frame import SECTIONS, Frame, steel_frame
from .ground_motion import GroundMotion, read_ground_motion
from .spectrum import response, response_spectrum

__all__ = [
    "SECTIONS", "Building", "Frame", "GroundMotion", "lateral_building", "read_ground_motion", "response", "response_spectrum", "shear_building", "steel_frame",
]  # fmt: skip
