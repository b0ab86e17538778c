"""Heat in bodies: conduction on the meshes of flexible parts, thermal deformation, and heat that a run makes."""

from . import film
from .bearings import Bearing, angular_contact_load, viscosity
from .conduction import Conduction, join
from .expansion import Expansion
from .heat import RunHeat, heat_of, partition
from .modes import ThermalModes
from .temperatures import HeatBalance, Temperatures

__all__ = [
    "Bearing",
    "Conduction",
    "Expansion",
    "HeatBalance",
    "RunHeat",
    "Temperatures",
    "ThermalModes",
    "angular_contact_load",
    "film",
    "heat_of",
    "join",
    "partition",
    "viscosity",
]
