"""Flexible parts: finite elements of free bodies, and their reduction to modes for `Model.make_flexible`."""

from ..model.reduced_body import ReducedBody
from .abaqus import read_abaqus
from .ansys import read_ansys
from .beams import Section, beam
from .damping import rayleigh
from .finite_elements import FiniteElements
from .mesh import Material, Mesh
from .mesh_makers import box, cylinder, plate
from .nastran import read_nastran
from .reduction import missing_statics, reduce
from .shells import shell
from .solids import solid
from .spiders import spider
from .superelement import Superelement
from .surface_mesher import mesh_surface

read_body = ReducedBody.read

__all__ = [
    "FiniteElements", "Material", "Mesh", "ReducedBody", "Section", "Superelement", "beam", "box", "cylinder", "mesh_surface", "missing_statics", "plate",
    "rayleigh", "read_abaqus", "read_ansys", "read_body", "read_nastran", "reduce", "shell", "solid", "spider",
]  # fmt: skip
