"""Pair kernels: contact points of two shapes, one file a pair (or a family of pairs).

    contact(sh, a, b, reach, out, first, limit) -> number of points

writes rows first, first+1, ... of ``out`` (columns in `tables`): points of shape a (kind of lower number) against shape b whose gap is
less than ``reach``, the deepest ones when there are more than ``limit``.
"""

from __future__ import annotations

from importlib import import_module

from ...model.contact_pairs import PACKERS, PAIRS
from ..tables import KINDS

__all__ = ["PACKERS", "PAIRS", "module_of", "pack", "pair"]


def pair(a: str, b: str):
    """(kernel, most points it writes, swapped) of two kinds, or None where there is none."""
    swapped = KINDS.index(a) > KINDS.index(b)
    name = PAIRS.get((b, a) if swapped else (a, b))
    if name is None:
        return None
    module = import_module(f"{__name__}.{name}")
    return module.contact, getattr(module, "POINTS", 1), swapped


def pack(solid, sizes: dict[str, int]):
    """(first, {pool: rows}) of a shape's data: offsets and counts for ``Shapes.first``, and rows to append to the pools, whose
    present sizes are ``sizes``."""
    if solid.kind not in PACKERS:
        return (), {}
    module = import_module(f"{__name__}.{PACKERS[solid.kind]}")
    return module.pack(solid, sizes)


def module_of(a: str, b: str) -> str:
    """Name of the module that has the kernel of two kinds; empty where there is none."""
    return PAIRS.get((b, a) if KINDS.index(a) > KINDS.index(b) else (a, b), "")
