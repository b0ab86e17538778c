"""Flexible parts: finite elements of free bodies, and their reduction to modes for `Model.make_flexible`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model.reduced_body import ReducedBody
from .abaqus import read_abaqus
from .ansys import read_ansys
from .beams import Section, beam
from .finite_elements import FiniteElements
from .mesh import Material, Mesh
from .reduction import reduce

if TYPE_CHECKING:
    from ..analyses.formulations import compare

read_body = ReducedBody.read


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
    "Section",
    "beam",
    "compare",
    "read_abaqus",
    "read_ansys",
    "read_body",
    "reduce",
]
