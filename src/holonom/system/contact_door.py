"""How the equations of motion reach the contact engine: through the addresses in ``S.contacts``, zero where a model has no contacts.

Nothing of the engine is imported here, so that its edits do not make the integrators compile anew.
"""

from __future__ import annotations

from .._jit import jit
from ..contact.call import ACCEPT, ACTIVE_ARGUMENTS, ENGINE_ARGUMENTS, FORCES, INDEX, ROWS, SLIDE, TELL, caller

_engine = caller(INDEX, ENGINE_ARGUMENTS)
_active = caller(INDEX, ACTIVE_ARGUMENTS)


@jit
def contact_forces(S, W, t, y):
    """F += contact forces at (t, y); rotations must be current."""
    if S.contacts[0] != 0:
        _engine(S.contacts[0], (S.contacts[1], FORCES, t, y, W.R, W.F, W.F, W.F))


@jit
def contact_stiffness(S, W, t, y, K, C):
    """K, C += derivatives of the contact forces of the last evaluation, which was at (t, y)."""
    if S.contacts[4] != 0:
        _engine(S.contacts[4], (S.contacts[1], FORCES, t, y, W.R, W.F, K, C))


@jit
def accept_contacts(S, W, t, y):
    """(t, y) is the end of an accepted step: contacts that remember something do so now."""
    if S.contacts[0] != 0:
        _engine(S.contacts[0], (S.contacts[1], ACCEPT, t, y, W.R, W.F, W.F, W.F))


@jit
def active_rows(S, W, t, y):
    """Rows of the contacts that are constraints at present; frames must be current."""
    if S.contacts[2] != 0:
        _active(S.contacts[2], (S.contacts[3], ROWS, t, y, W.R, 0.0))


@jit
def slide_rows(S, W):
    """The multipliers W.lam, found as if no contact had friction, with that of contacts that slide."""
    if S.contacts[2] != 0:
        _active(S.contacts[2], (S.contacts[3], SLIDE, 0.0, W.z, W.R, 0.0))


@jit
def tell_rows(S, W):
    """Functions that ask for forces of closed contacts see the multipliers W.lam as they are now."""
    if S.contacts[2] != 0:
        _active(S.contacts[2], (S.contacts[3], TELL, 0.0, W.z, W.R, 0.0))


@jit
def ask(door, tables, mode, t, y, R, F, K, C):
    """A door of the engine for Python, whose own form of it would be compiled a second time; ``tables``: address of its handle."""
    return _engine(door, (tables, mode, t, y, R, F, K, C))
