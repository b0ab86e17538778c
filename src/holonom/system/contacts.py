"""Contacts of a model as tables of the engine (`contact.engine`), and the engine's address for the equations of motion."""

from __future__ import annotations

from .._jit import jit
from ..contact.call import INDEX, caller
from ..contact.engine import (
    ACCEPT,
    ENGINE_ARGUMENTS,
    FORCES,
    STIFFNESS,
)

_engine = caller(INDEX, ENGINE_ARGUMENTS)


# ---- what the equations of motion call ------------------------------------------------------------------------------
@jit
def contact_forces(S, W, t, y):
    """F += contact forces; frames need not be current, rotations must."""
    if S.contacts[0] != 0:
        _engine(S.contacts[0], (S.contacts[1], FORCES, t, y, W.R, W.F, W.F, W.F))


@jit
def contact_stiffness(S, W, t, y, K, C):
    """K, C += derivatives of the contact forces of the last evaluation."""
    if S.contacts[0] != 0:
        _engine(S.contacts[0], (S.contacts[1], STIFFNESS, t, y, W.R, W.F, K, C))


@jit
def accept_contacts(S, W, t):
    """The last evaluation was the end of an accepted step."""
    if S.contacts[0] != 0:
        _engine(S.contacts[0], (S.contacts[1], ACCEPT, t, W.F, W.R, W.F, W.F, W.F))
