"""Structures: ground motions, response spectra, frames of storeys with dampers.  A toolkit over the public model."""

from .building import Building, shear_building
from .ground_motion import GroundMotion, read_ground_motion
from .spectrum import response, response_spectrum

__all__ = ["Building", "GroundMotion", "read_ground_motion", "response", "response_spectrum", "shear_building"]
