"""How the equations of motion reach the contact engine: through the addresses in ``S.contacts``, zero where a model has
no contacts.

Nothing of the engine is imported here, so that its edits do not make the integrators compile again.
"""

from __future__ import annotations

from numba import types

from .._address import caller
from .._jit import jit
from ..contact.call import (
    ACCEPT,
    ACTIVE,
    ACTIVE_ARGUMENTS,
    ACTIVE_TABLES,
    DERIVATIVES,
    ENGINE,
    ENGINE_ARGUMENTS,
    ENGINE_TABLES,
    FORCES,
    INDEX,
    MATRIX,
    PUBLISH,
    ROWS,
    SLIDE,
    VECTOR,
)
from ..elements.bodies.coupled import place_coupled

_engine = caller(INDEX, ENGINE_ARGUMENTS)
_active = caller(INDEX, ACTIVE_ARGUMENTS)
#: see `contact.pull.ENTRY`
_WHOLE = types.int64[:, ::1]
_pull = caller(
    INDEX,
    (INDEX, types.float64, VECTOR, VECTOR, MATRIX, VECTOR, VECTOR, MATRIX, MATRIX, _WHOLE, *(VECTOR,) * 4),
)


@jit
def contact_forces(S, W, t, y):
    """F += contact forces at (t, y); rotations must be current."""
    if S.contacts[ENGINE] != 0:
        _engine(S.contacts[ENGINE], (S.contacts[ENGINE_TABLES], FORCES, t, y, W.R, W.F, W.F, W.F))


@jit
def contact_stiffness(S, W, t, y, K, C):
    """K, C += derivatives of the contact forces of the last evaluation, which was at (t, y)."""
    if S.contacts[DERIVATIVES] != 0:
        _engine(S.contacts[DERIVATIVES], (S.contacts[ENGINE_TABLES], FORCES, t, y, W.R, W.F, K, C))


@jit
def pull_contacts(S, W, P, t, y):
    """Cotangents of the power of contact forces in the virtual displacement P.nu (`contact_pull`); P.contact:
    `pull.ContactPull`."""
    c = P.contact
    if c.address[0] != 0:
        _pull(
            c.address[0],
            (
                S.contacts[ENGINE_TABLES],
                t,
                y,
                P.nu,
                W.R,
                c.F,
                P.out.body,
                c.place,
                c.turn,
                c.entries,
                c.weights,
                c.kept,
                c.steps,
                c.bar,
            ),
        )


@jit
def accept_contacts(S, W, t, y):
    """(t, y) is the end of an accepted step: contacts that remember something do so now."""
    if S.contacts[ENGINE] != 0:
        place_coupled(S.bodies, y)
        _engine(S.contacts[ENGINE], (S.contacts[ENGINE_TABLES], ACCEPT, t, y, W.R, W.F, W.F, W.F))


@jit
def active_rows(S, W, t, y):
    """Rows of the contacts that are constraints at present; frames must be current."""
    if S.contacts[ACTIVE] != 0:
        _active(S.contacts[ACTIVE], (S.contacts[ACTIVE_TABLES], ROWS, t, y, W.R, 0.0))


@jit
def slide_rows(S, W):
    """The multipliers W.lam, found as if no contact had friction, with that of contacts that slide."""
    if S.contacts[ACTIVE] != 0:
        _active(S.contacts[ACTIVE], (S.contacts[ACTIVE_TABLES], SLIDE, 0.0, W.z, W.R, 0.0))


@jit
def publish_rows(S, W):
    """Functions that require forces of closed contacts see the multipliers W.lam as they are now."""
    if S.contacts[ACTIVE] != 0:
        _active(S.contacts[ACTIVE], (S.contacts[ACTIVE_TABLES], PUBLISH, 0.0, W.z, W.R, 0.0))


@jit(entry=("int64, int64, int64, float64, float64[::1], float64[:, ::1], float64[::1], float64[::1], float64[::1]"))
def ask(entry, tables, mode, t, y, R, F, K, C):
    """An entry of the engine for Python, whose own form of it would be compiled a second time; ``tables``: address of
    its handle."""
    return _engine(entry, (tables, mode, t, y, R, F, K, C))
