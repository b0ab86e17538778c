"""Impacts of rigid contact in terms of the drawing: names of contacts, bodies and shapes in addition to the numbers.

What is recorded and stored are ids (`_data.IMPACT_DTYPE`); names are those of the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model.base import ModelError
from ...model.grains import SLOTS
from ...model.shape import carrier_of
from .._data import IMPACT_DTYPE

#: fields that hold names, in this order behind ``time``, and the ids that they represent
NAMES = ("contact", "body_i", "body_j", "shape_i", "shape_j")
IDS = {"contact": "contact_id", "shape_i": "shape_i_id", "shape_j": "shape_j_id"}
NUMBERS = tuple(name for name in IMPACT_DTYPE.names or () if name != "time" and name not in IDS)


def named_impacts(model: Any, rows: np.ndarray) -> np.ndarray:
    """`Run.impacts` of recorded rows (n,) of `IMPACT_DTYPE`: time, names of contact, bodies and shapes (I side first),
    position, impulses, speeds, energy, and ids.  What the model does not have any more is named by its id."""
    contacts = model.table("CONTACT")
    contact = {n: contacts[n].name if n in contacts else f"CONTACT/{n}" for n in np.unique(rows["contact"]).tolist()}
    sides = {n: _shape(model, n) for n in np.unique(np.concatenate([rows["shape_i"], rows["shape_j"]])).tolist()}
    columns = [np.array([contact[n] for n in rows["contact"].tolist()], str)]
    for k in (0, 1):
        columns += [np.array([sides[n][k] for n in rows[side].tolist()], str) for side in ("shape_i", "shape_j")]
    width = {name: max(1, column.dtype.itemsize // 4) for name, column in zip(NAMES, columns)}
    out = np.zeros(
        len(rows),
        [
            ("time", "f8"),
            *((name, f"U{width[name]}") for name in NAMES),
            *((name, "f8") for name in NUMBERS),
            *((name, "i8") for name in IDS.values()),
        ],
    )
    for name, column in zip(NAMES, columns):
        out[name] = column
    for name in ("time", *NUMBERS):
        out[name] = rows[name]
    for name, id in IDS.items():
        out[id] = rows[name]
    return out


def _shape(model: Any, number: int) -> tuple[str, str]:
    """Names of the body and of the shape that a number of a recorded row means: a graphic, or a grain below zero
    (`model.grains.SLOTS`)."""
    if number < 0:
        id, slot = divmod(-1 - number, SLOTS)
        grains = model.table("GRAINS").get(id)
        name = f"grain {slot} of {grains.name if grains is not None else f'GRAINS/{id}'}"
        return name, name
    graphic = model.table("GRAPHICS").get(number)
    if graphic is None:
        return ("", "") if number == 0 else ("", f"GRAPHICS/{number}")
    try:
        return carrier_of(model, graphic).name, graphic.name
    except ModelError:
        return "", graphic.name
