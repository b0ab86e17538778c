"""Flexible parts: finite elements of free bodies, and their reduction to modes for `Model.make_flexible`."""

from ..model.reduced_body import ReducedBody
from .abaqus import read_abaqus
from .ansys import read_ansys
from .beams import Section, beam
from .finite_elements import FiniteElements
from .mesh import Material, Mesh
from .nastran import read_nastran
from .reduction import reduce
from .rod import Rod, rod
from .superelement import Superelement
from .mesh_makers import box, cylinder
from .reduction import reduce
from .solids import solid
from .surface_mesher import mesh_surface
from .nastran import read_nastran
from .reduction import reduce
from .solids import solid
from .superelement import Superelement

read_body = ReducedBody.read
show_modes = ReducedBody.show_modes

__all__ = [
    "FiniteElements",
    "Material",
    "Mesh",
    "ReducedBody",
    "Rod",
    "Section",
    "beam",
    "read_abaqus",
    "read_ansys",
    "read_body",
    "reduce",
    "rod",
]
    "FiniteElements", "Material", "Mesh", "ReducedBody", "Section", "Superelement", "beam", "read_abaqus", "read_ansys", "read_body", "read_nastran", "reduce",
    "FiniteElements", "Material", "Mesh", "ReducedBody", "Section", "beam", "box", "cylinder", "mesh_surface", "read_abaqus", "read_ansys", "read_body", "reduce",
    "solid",
    "FiniteElements", "Material", "Mesh", "ReducedBody", "Section", "Superelement", "beam", "box", "cylinder", "read_abaqus", "read_ansys", "read_body",
    "read_nastran", "reduce", "solid",
]  # fmt: skip
    "show_modes",
]
