"""A handle: tables, work and an integrator's arrays behind one pointer.

Numba unpacks every array of every tuple at each call from Python: 0.12 us an array, 12-16 us for the tables and the work of
a system.  Behind a structref they are unpacked once, and a call costs 0.6 us.  Arrays inside a handle are shared, not
copied; to replace one, make a new handle.
"""

from __future__ import annotations

from numba import types
from numba.experimental import structref

from .._jit import jit


@structref.register
class HandleType(types.StructRef):
    """Numba type of a `Handle`."""


class Handle(structref.StructRefProxy):
    """``S``: tables; ``W``: work; ``P``: a tuple of whatever else a kernel needs.  Make it with `make_handle`."""


structref.define_boxing(HandleType, Handle)
structref.define_constructor(Handle, HandleType, ["S", "W", "P"])


@jit(_nrt=True)
def make_handle(S, W, P):
    """Handle on tables ``S``, work ``W`` and a tuple ``P``; kernels read ``handle.S`` and so on."""
    return Handle(S, W, P)
