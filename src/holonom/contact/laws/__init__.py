"""Normal force laws, one file each: what a contact point answers to its depth and its rate.

COLUMNS                                  name, meaning, unit of the numbers in a parameter row (at most 16)
MEMORY                                   numbers remembered for a point, at most 7
row(contact, context)                    parameters from a `model.Contact`
force(p, k, d, v, mem, q, t, out)        normal force at depth d > 0 and rate v = d' (> 0 approaching); out[0] dF/dd,
out[1] dF/dv,
                                         out[2] elastic part of F, out[3] elastic energy stored
accept(p, k, d, v, mem, q, t)            takes over what is remembered, at accepted steps and at located onsets
PARAMETER                                name of the number that damping_for finds
damping_for(restitution, speed, row, mass)  the damping that gives a wanted restitution, or ModelError with the range of
the law kink(p)                                  optional: depth at which its slope changes, for those who step exactly
there HISTORY                                  True where accept must be called at every accepted step, not only at the
onset RELAXES                                  True where energy is lost at rest too: force writes the power lost to
out[4], and out[2] is not read

`bounce` measures what a law gives in an impact.
"""

from __future__ import annotations

from importlib import import_module

from ...model.base import ModelError
from ...model.contact_words import LAWS
from ._read import Context, checked

__all__ = ["LAWS", "Context", "module", "parameters"]

FIELDS = ("stiffness", "damping", "dmax", "penalty", "restitution")


def module(name: str):
    """The module of a law.  Raises ModelError when there is none of that name."""
    if name.upper() not in LAWS:
        raise ModelError(f"there is no contact law {name}; choose one of {', '.join(LAWS)}")
    return import_module(f"{__name__}.{LAWS[name.upper()].module}")


def parameters(contact, context: Context | None = None) -> tuple[float, ...]:
    """Parameter row of the law of a `model.Contact`.

    Raises ModelError for missing, absurd and unused numbers (fields that the law does not use are an error only where
    ``law`` was
    chosen: datasets may carry those of another model).
    """
    name = contact.law_name
    return checked(contact, f"law {name}", module(name).row, context, "parameters", FIELDS if contact.law else ())
