"""Kernels of the iteration matrix for tests: tables behind a handle, as integrators have them (optional parts are
called with references to these)."""

from __future__ import annotations

from holonom._handle import make_handle, view_P, view_S, view_W
from holonom._jit import jit
from holonom.system import implicit


@jit
def _residual(handle, t, y, cm, aa, au, ax):
    implicit.residual(view_S(handle), view_W(handle), view_P(handle).I, t, y, cm, aa, au, ax)


@jit
def _stiffness(handle, t, y):
    implicit.stiffness(view_S(handle), view_W(handle), view_P(handle).I, t, y)


def residual(S, W, I, *rest):
    _residual(make_handle(S, W, implicit.Linear(I)), *rest)


def stiffness(S, W, I, *rest):
    _stiffness(make_handle(S, W, implicit.Linear(I)), *rest)
