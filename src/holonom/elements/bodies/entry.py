"""Operations of `coordinates` for Python, with the bodies behind a handle: unpacking their tables at each call would
cost three times the work."""

from __future__ import annotations

from ..._handle import Handle, make_handle, view_S
from ..._jit import jit
from . import coordinates


def bodies_handle(bodies) -> Handle:
    """What the functions of this file take for ``bodies``."""
    return make_handle(bodies, (), ())


@jit(entry="Handle(Bodies, (), ()), float64[::1], float64[::1]")
def retract(handle, y, d):
    """`coordinates.retract`"""
    coordinates.retract(view_S(handle), y, d)


@jit(entry="Handle(Bodies, (), ()), float64[::1], float64[::1]")
def speeds_of(handle, y, u):
    """`coordinates.speeds_of`"""
    coordinates.speeds_of(view_S(handle), y, u)


@jit(entry="Handle(Bodies, (), ()), float64[::1], float64[::1]")
def put_speeds(handle, u, y):
    """`coordinates.put_speeds`"""
    coordinates.put_speeds(view_S(handle), u, y)
