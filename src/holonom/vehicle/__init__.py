"""Vehicles: tyres from property files, and what engineers ask of them.  A toolkit over the public model; nothing below knows a car."""

from ..elements.forces.tyres.user import register_tyre
from .adams_tyres import adams_tyres
from .chrono_tyres import read_chrono_tyre, write_chrono_tyre
from .roads import CrgFile, coherence, crg_road, iso_profile, iso_road, mesh_road, rdf_road, read_crg
from .tir import TyreFile, read_tir, write_tir
from .tyre_fit import TyreFit, fit_fiala, fit_pac2002
from .tyre_rig import TyreRig, tyre, tyre_history

__all__ = [
    "CrgFile", "TyreFile", "TyreFit", "TyreRig", "adams_tyres", "coherence", "crg_road", "fit_fiala", "fit_pac2002", "iso_profile", "iso_road", "mesh_road",
    "rdf_road", "read_chrono_tyre", "read_crg", "read_tir", "register_tyre", "tyre", "tyre_history", "write_chrono_tyre", "write_tir",
]  # fmt: skip
