"""Flexible parts: finite elements of free bodies, and their reduction to modes for `Model.make_flexible`; rods with
large deflections; `mixed`: contact of bodies on nodes and modes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..elements.absolute.section_laws import Fibres, MomentCurve, Plastic
from ..model.calls import explain
from ..model.reduced_body import ReducedBody
from .abaqus import read_abaqus
from .ancf_beam import AncfBeam, ancf_beam
from .ancf_part import ancf_beams, ancf_part, read_axis
from .ancf_plate import AncfPlate, ancf_plate
from .ansys import read_ansys
from .beams import beam
from .cable import Cable, cable, catenary
from .damping import rayleigh
from .finite_elements import FiniteElements
from .mesh import Material, Mesh
from .mesh_makers import box, cylinder, plate
from .nastran import read_nastran
from .reduction import missing_statics, reduce
from .rod import Rod, rod
from .section import Section
from .shells import shell
from .solids import solid
from .spiders import spider
from .superelement import Superelement
from .surface_mesher import mesh_surface
from .tape_spring import tape_spring, tape_spring_law

if TYPE_CHECKING:
    from ..analyses.formulations import compare
    from . import mixed

read_body = ReducedBody.read
show_modes = ReducedBody.show_modes


def __getattr__(name: str) -> Any:
    """`compare` runs machines, `mixed` steps in time: they are loaded when they are first requested."""
    if name == "mixed":
        return import_module(".mixed", __name__)
    if name != "compare":
        raise AttributeError(f"module 'holonom.flexible' has no attribute {name!r}")
    from ..analyses.formulations import compare

    return compare


__all__ = [
    "AncfBeam",
    "AncfPlate",
    "Cable",
    "Fibres",
    "FiniteElements",
    "Material",
    "Mesh",
    "MomentCurve",
    "Plastic",
    "ReducedBody",
    "Rod",
    "Section",
    "Superelement",
    "ancf_beam",
    "ancf_beams",
    "ancf_part",
    "ancf_plate",
    "beam",
    "box",
    "cable",
    "catenary",
    "compare",
    "cylinder",
    "mesh_surface",
    "missing_statics",
    "mixed",
    "plate",
    "rayleigh",
    "read_abaqus",
    "read_ansys",
    "read_axis",
    "read_body",
    "read_nastran",
    "reduce",
    "rod",
    "shell",
    "show_modes",
    "solid",
    "spider",
    "tape_spring",
    "tape_spring_law",
]

explain(globals(), __all__)
