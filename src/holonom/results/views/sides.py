"""What each element does to the bodies that it acts on: the wrenches on all of its markers, of constraints, forces and
contacts.

An element between two markers acts on J with the opposite of what it does on I, at the origin of I, as action and
reaction have it; of one that acts on more (coupler, gear, general constraint, NFORCE) the run holds the wrench on each
marker (`system.shares`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._names import Named

if TYPE_CHECKING:
    from .._data import Key
    from ..run import Run

FUNCTIONS = ("VFORCE", "VTORQUE", "GFORCE")  # RM gives axes to these, and takes no reaction


@dataclass(frozen=True)
class Side(Named):
    """``force``, ``torque`` (nt, 3) on the body of ``marker``, about the points ``at`` (nt, 3); all in ground."""

    marker: Any
    force: np.ndarray
    torque: np.ndarray
    at: np.ndarray

    @property
    def known(self) -> bool:
        """At all times."""
        return bool(np.isfinite(self.force).all() and np.isfinite(self.torque).all())


@dataclass(frozen=True)
class ContactSide(Named):
    """What a CONTACT does to the bodies of its ``shapes`` (GRAPHICS) on one side: ``force``, ``torque`` (nt, 3) about
    ``point`` (nt, 3), zero where nothing touches."""

    shapes: tuple[Any, ...]
    force: np.ndarray
    torque: np.ndarray
    point: np.ndarray


def shares(run: Run) -> dict[tuple[str, int], list[tuple[int, np.ndarray]]]:
    """(kind, id) of elements that act on several markers -> id and wrench (nt, 6) of each."""
    out: dict[tuple[str, int], list[tuple[int, np.ndarray]]] = {}
    for name, values in run.data.extra.items():
        if name.startswith("wrench/"):
            _, kind, ident, marker = name.split("/")
            out.setdefault((kind, int(ident)), []).append((int(marker), values))
    return out


def sides(run: Run, *tables: str) -> Iterator[tuple[Key, list[Side]]]:
    """Key and sides of each element of ``tables`` ("constraint", "force"; default both)."""
    d, markers, several = run.data, run.model.table("MARKER"), shares(run)
    for table in tables or ("constraint", "force"):
        forces, torques = getattr(d, f"{table}_force"), getattr(d, f"{table}_torque")
        for k, key in enumerate(getattr(d, f"{table}s")):
            if key[:2] in several:
                yield (
                    key,
                    [Side(markers[m], w[:, :3], w[:, 3:], run.marker(m).position.values) for m, w in several[key[:2]]],
                )
                continue
            i, j = (markers.get(int(getattr(d, f"{table}_{side}")[k])) for side in "ij")
            if i is None:
                continue
            at = run.marker(i).position.values
            found = [Side(i, forces[:, k], torques[:, k], at)]
            if j is not None and _reacts(run.model.table(key[0]).get(key[1])):
                found.append(Side(j, -forces[:, k], -torques[:, k], at))
            yield key, found


def _reacts(element: Any) -> bool:
    """Whether the reaction acts on the body of the J marker that a run names."""
    if element is None:
        return True
    return element.jfloat is not None if element.KIND in FUNCTIONS else not getattr(element, "actiononly", False)


def contact_sides(run: Run) -> Iterator[tuple[Any, list[ContactSide]]]:
    """Each CONTACT that acts at some time, and its I and J side."""
    d, graphics = run.data, run.model.table("GRAPHICS")
    for k, (kind, ident, _) in enumerate(d.contacts):
        if not np.any(np.nan_to_num(d.contact_normal[:, k])):
            continue
        contact = run.model.table(kind)[ident]
        force, torque, point = (np.nan_to_num(getattr(d, f"contact_{w}")[:, k]) for w in ("force", "torque", "point"))
        yield (
            contact,
            [
                ContactSide(tuple(graphics[g] for g in shapes), sign * force, sign * torque, point)
                for shapes, sign in ((contact.igeom, 1.0), (contact.jgeom, -1.0))
            ],
        )
