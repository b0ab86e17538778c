"""Pair kernels: contact points of two shapes, one file a pair (or a family of pairs).

    contact(sh, a, b, reach, out, first, limit) -> number of points

writes rows first, first+1, ... of ``out`` (columns in `tables`): points of shape a (kind of lower number) against shape
b whose gap is less than ``reach``, the deepest ones when there are more than ``limit``.
"""

from __future__ import annotations

from importlib import import_module

from ...model.contact_pairs import PAIRS, kernel_module
from ...model.shape_kinds import shape_kind
from ..shape_kinds import ROWS, check_served
from ..tables import SHAPE_TYPES

__all__ = ["PAIRS", "kernel_module", "pack", "pair"]


def pair(a: str, b: str):
    """(kernel, most points it writes, swapped) of two types, or None where there is none."""
    swapped = SHAPE_TYPES.index(a) > SHAPE_TYPES.index(b)
    for type in (a, b):
        check_served(type, shape_kind(type).meets_as)
    name = kernel_module(a, b)
    if not name:
        return None
    module = import_module(f"{__name__}.{name}")
    return module.contact, getattr(module, "POINTS", 1), swapped


def pack(solid, sizes: dict[str, int]):
    """(first, {pool: rows}) of a shape's data: offsets and counts for ``Shapes.first``, and rows to append to the
    pools, whose present sizes are ``sizes``."""
    if not ROWS[solid.kind].data:
        return (), {}
    module = import_module(f"{__name__}.{ROWS[solid.kind].data}")
    return module.pack(solid, sizes)
