"""Reading the numbers of a law from a `model.Contact`: its own fields first, else ``parameters`` by name; with checks
that name the contact."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...model.base import ModelError


class Context(NamedTuple):
    """What the builder knows about a pair of shapes and a law may need; None where unknown.  Same units as the contact.

    radius: reduced radius R of a point contact, 1/R = 1/R_i + 1/R_j (a hollow counts negative; for unequal principal
    curvatures `materials.elliptic` has the equivalent); modulus: E*, 1/E* = (1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j; length
    of a line contact and
    ``spread``: R_i + R_j of its cylinders (R_j - R_i inside a bore); mass: effective mass along the normal; metre:
    length units in a metre; second: time units in a second; why: what to state where a law needs a radius or a line and
    there is none.
    """

    radius: float | None = None
    modulus: float | None = None
    length: float | None = None
    spread: float | None = None
    mass: float | None = None
    metre: float = 1.0
    second: float = 1.0
    why: str = ""


NOTHING = Context()


class Asked:
    """A contact as the ``row`` of a law reads it: ``asked`` are the names of the numbers that it has requested."""

    def __init__(self, contact) -> None:
        self.contact, self.asked = contact, set()

    def __getattr__(self, name: str):
        return getattr(self.contact, name)


def checked(contact, what: str, row, context, table: str, fields: tuple[str, ...] = ()) -> tuple[float, ...]:
    """row(contact, context); raises ModelError for numbers that were given in ``table`` or ``fields`` and that ``what``
    did not require."""
    read = Asked(contact)
    numbers = row(read, context)
    given = {*(getattr(contact, table, None) or {}), *(name for name in fields if getattr(contact, name, 0.0))}
    unused = sorted(given - read.asked)
    if unused:
        raise error(
            contact,
            f"{what} does not use {', '.join(n.upper() for n in unused)}; it uses "
            f"{', '.join(sorted(n.upper() for n in read.asked))}",
        )
    return numbers


def error(contact, text: str) -> ModelError:
    """ModelError that names the contact."""
    make = getattr(contact, "error", None)
    return make(text) if make is not None else ModelError(text)


def number(
    contact,
    name: str,
    default: float | None = None,
    *,
    above: float | None = None,
    least: float | None = None,
    most: float | None = None,
    table: str = "parameters",
) -> float:
    """A number of a contact.  Raises ModelError when it is missing without default, not finite, or outside its
    range."""
    if isinstance(contact, Asked):
        contact.asked.add(name)
    given = getattr(contact, table, None) or {}
    x = given.get(name, getattr(contact, name, None))
    if x is None:
        x = default
    if x is None:
        raise error(contact, f"its law needs {name.upper()}: give it in {table}={{'{name}': ...}}")
    x = float(x)
    bad = (
        not math.isfinite(x)
        or (above is not None and x <= above)
        or (least is not None and x < least)
        or (most is not None and x > most)
    )
    if bad:
        wanted = [
            f"above {above:g}" if above is not None else "",
            f"at least {least:g}" if least is not None else "",
            f"at most {most:g}" if most is not None else "",
        ]
        raise error(contact, f"{name.upper()} must be {' and '.join(w for w in wanted if w) or 'finite'}, it is {x:g}")
    return x


def slow(contact, context, name: str = "minimum_impact_speed") -> float:
    """A speed below which a law stops following the impact speed; 1 mm/s unless given."""
    c = context or NOTHING
    return number(contact, name, 1e-3 * c.metre / c.second, above=0.0)
