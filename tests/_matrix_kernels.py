"""Kernels of the iteration matrix for tests: tables behind a handle, as integrators have them (optional parts are
called with references to these)."""

from __future__ import annotations

from holonom._handle import make_handle, view_P, view_S, view_W
from holonom._jit import jit
from holonom.system import friction, implicit


@jit
def _residual(handle, t, y, cm, aa, au, ax):
    implicit.residual(view_S(handle), view_W(handle), view_P(handle).I, t, y, cm, aa, au, ax)


@jit
def _stiffness(handle, t, y):
    implicit.stiffness(view_S(handle), view_W(handle), view_P(handle).I, t, y)


@jit
def _assemble(handle, y, drop, cm, aa, au, ax, ba, bu):
    I = view_P(handle).I
    implicit.assemble(view_S(handle), view_W(handle), I, I.data, y, drop, cm, aa, au, ax, ba, bu)


@jit
def _decide_rows(handle, eps):
    return implicit.decide_rows(view_S(handle), view_W(handle), view_P(handle).I, eps)


@jit
def _friction_forces(handle, t, y, yd):
    friction.friction_forces(view_S(handle), view_W(handle), t, y, yd)


@jit
def _friction_stiffness(handle, t, y, K, C):
    friction.friction_stiffness(view_S(handle), view_W(handle), t, y, K, C)


def residual(S, W, I, *rest):
    _residual(make_handle(S, W, implicit.Linear(I)), *rest)


def stiffness(S, W, I, *rest):
    _stiffness(make_handle(S, W, implicit.Linear(I)), *rest)


def assemble(S, W, I, *rest):
    """`implicit.assemble` into I.data."""
    _assemble(make_handle(S, W, implicit.Linear(I)), *rest)


def decide_rows(S, W, I, eps):
    return _decide_rows(make_handle(S, W, implicit.Linear(I)), eps)


def friction_forces(S, W, *rest):
    _friction_forces(make_handle(S, W, ()), *rest)


def friction_stiffness(S, W, *rest):
    _friction_stiffness(make_handle(S, W, ()), *rest)
