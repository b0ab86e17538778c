"""Heat in bodies: conduction on the meshes of flexible parts, thermal deformation, and heat that a run makes."""

from .conduction import Conduction, join
from .modes import ThermalModes
from .temperatures import HeatBalance, Temperatures

__all__ = ["Conduction", "HeatBalance", "Temperatures", "ThermalModes", "join"]
