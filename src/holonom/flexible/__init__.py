"""Flexible parts: finite elements of free bodies, and their reduction to modes for `Model.make_flexible`."""

from ..model.reduced_body import ReducedBody
from .abaqus import read_abaqus
from .ansys import read_ansys
from .beams import Section, beam
from .finite_elements import FiniteElements
from .mesh import Material, Mesh
from .mesh_makers import box, cylinder
from .nastran import read_nastran
from .reduction import reduce
from .solids import solid
from .superelement import Superelement

read_body = ReducedBody.read

__all__ = [
    "FiniteElements", "Material", "Mesh", "ReducedBody", "Section", "Superelement", "beam", "box", "cylinder", "read_abaqus", "read_ansys", "read_body",
    "read_nastran", "reduce", "solid",
]  # fmt: skip
