"""What objects hold at a moment, kept in memory and put back in place.

Arrays are put back where they are, since compiled code holds their addresses; objects, lists and dictionaries get back
what they held.  Elements of the model and tables of a system that nothing changes are not entered.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ...system.build import System
from ...system.equations import Equations

#: parts of the package whose objects change during an analysis; those of others hold what stays
LIVING = (
    "holonom.analyses.",
    "holonom.integrators.",
    "holonom.linalg.",
    "holonom.system.outputs",
    "holonom.system.contacts",
    "holonom.system.contact_",
    "holonom.system.implicit",
    "holonom.system.delassus",
    "holonom.system.active_rows",
    "holonom.system.multipliers",
    "holonom.system.planar",
    "holonom.system.workspace",
    "holonom.system.delay",
)
#: tables of addresses: what has been compiled stays compiled
ADDRESSES = ("parts", "coupled", "laws")
OUTSIDE = (
    "Simulation",
    "Recorder",
    "Stepping",
    "Progress",
    "Carried",
    "Systems",
)  # kept by `Snapshot` itself, or not at all

_known: dict[type, int] = {}
LEAF, ARRAY, SEQUENCE, LIST, MAPPING, DEQUE, SET, OBJECT, SYSTEM, EQUATIONS = range(10)


def _sort(kind: type) -> int:
    """How things of a type are kept."""
    if issubclass(kind, np.ndarray):
        return ARRAY
    if issubclass(kind, tuple):
        return SEQUENCE
    for base, sort in (
        (list, LIST),
        (dict, MAPPING),
        (deque, DEQUE),
        (set, SET),
        (System, SYSTEM),
        (Equations, EQUATIONS),
    ):
        if issubclass(kind, base):
            return sort
    living = kind.__module__.startswith(LIVING) and kind.__name__ not in OUTSIDE and not issubclass(kind, type)
    return OBJECT if living and hasattr(kind, "__dict__") else LEAF


class Memento:
    """What ``roots`` and all that they lead to hold now; `put_back` makes it so again.  ``skip``: objects that are left
    as they are then."""

    def __init__(self, *roots: Any, skip: tuple[Any, ...] = ()):
        self.arrays: list[tuple[np.ndarray, np.ndarray]] = []
        self.lists: list[tuple[Any, list]] = []
        self.dicts: list[tuple[dict, dict]] = []
        seen = {id(one) for one in skip}
        stack: list[Any] = list(roots)
        while stack:
            thing = stack.pop()
            kind = type(thing)
            sort = _known.get(kind)
            if sort is None:
                sort = _known[kind] = _sort(kind)
            if sort == LEAF or id(thing) in seen:
                continue
            seen.add(id(thing))
            if sort == ARRAY:
                if thing.dtype == object:
                    stack.extend(thing.ravel().tolist())
                elif thing.flags.writeable:
                    self.arrays.append((thing, thing.copy()))
            elif sort == SEQUENCE:
                fields = getattr(thing, "_fields", None)
                stack.extend(
                    thing if fields is None else (v for name, v in zip(fields, thing) if name not in ADDRESSES)
                )
                stack.extend(
                    getattr(thing, "__dict__", {}).values()
                )  # tables behind addresses (`elements.bodies.rigid.Bodies`)
            elif sort == MAPPING:
                self.dicts.append((thing, dict(thing)))
                stack.extend(thing.values())
            elif sort == SYSTEM:  # a value
                stack.extend((thing.workspace, thing.wrenches, thing.contacts, *thing.remembered().values()))
            elif sort == EQUATIONS:
                held = vars(thing)
                self.dicts.append((held, dict(held)))
                stack.extend((thing.S, thing.W, thing.ldl, thing.explicit, thing.stages, thing.weighted))
            elif sort == OBJECT:
                held = vars(thing)
                self.dicts.append((held, dict(held)))
                stack.extend(held.values())
            else:
                kept = list(thing)
                self.lists.append((thing, kept))
                stack.extend(kept)
        self.roots = roots, skip  # they stay alive: what is kept is found by where it lies

    def put_back(self) -> None:
        for d, held in self.dicts:
            d.clear()
            d.update(held)
        for thing, kept in self.lists:
            thing.clear()
            (thing.update if isinstance(thing, set) else thing.extend)(kept)
        for array, numbers in self.arrays:
            array[...] = numbers
