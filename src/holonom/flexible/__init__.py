"""Flexible parts: finite elements of free bodies, and their reduction to modes for `Model.make_flexible`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from ..analyses.formulations import compare

read_body = ReducedBody.read
show_modes = ReducedBody.show_modes


def __getattr__(name: str) -> Any:
    """`compare` runs machines: it is loaded when it is first asked for."""
    if name != "compare":
        raise AttributeError(f"module 'holonom.flexible' has no attribute {name!r}")
    from ..analyses.formulations import compare

    return compare


__all__ = [
    "FiniteElements",
    "Material",
    "Mesh",
    "ReducedBody",
    "Rod",
    "Section",
    "beam",
    "Section",
    "beam",
    "compare",
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
