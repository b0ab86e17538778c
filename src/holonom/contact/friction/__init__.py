"""Friction at a contact point, one file a model.

COLUMNS, MEMORY, row(contact)                as for laws; vectors in memory are in ground axes
force(p, k, N, s, mem, q, t, out)            out[0:3] friction force on a at normal force N and slip velocity s (3) of a
on b;
                                             out[3:6] d/dN, out[6:15] d/ds row by row
                                             out[15] power lost: -F.s less what a spring took up
accept(p, k, N, s, mem, q, t)                at accepted steps; vectors remembered should follow the tangent plane
"""

from __future__ import annotations

from importlib import import_module

from ...model.base import ModelError
from ...model.contact_words import FRICTIONS
from ..laws._read import checked

__all__ = ["FRICTIONS", "module", "parameters"]


def module(name: str):
    """The module of a friction model.  Raises ModelError when there is none of that name."""
    if name.upper() not in FRICTIONS:
        raise ModelError(f"there is no friction model {name}; choose one of {', '.join(FRICTIONS)}")
    return import_module(f"{__name__}.{FRICTIONS[name.upper()].module}")


def parameters(contact, context=None) -> tuple[float, ...]:
    """Parameter row of the friction of a `model.Contact`.  Raises ModelError for missing, absurd and unused numbers."""
    name = contact.friction_name
    return checked(contact, f"friction {name}", module(name).row, context, "friction_parameters")
