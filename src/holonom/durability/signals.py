"""Loads of a run as signals, by names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..model.base import ModelError, close_word
from ..results.quantities import quantities

if TYPE_CHECKING:
    from ..results.run import Run

AXES = {"X": 0, "Y": 1, "Z": 2}


def signal(run: Run, name: str) -> np.ndarray:
    """A history (time,) of a run by its name, in units of the model.

    ``"JOINT/3.FX"``, ``"boom pivot.FM"``: force (F) or torque (T) of a constraint or an applied force on its I marker,
    along X, Y, Z of ground or its magnitude (M); otherwise a name as in the tables of results, ``"cylinders.F2"``,
    ``"ROTOR.position.x"``, ``"REACH"``; not case-sensitive. Raises `ModelError` for an unknown name.
    """
    owner, _, component = str(name).rpartition(".")
    word = component.upper()
    if owner and len(word) == 2 and word[0] in "FT" and word[1] in "XYZM":
        found = []
        for view in (run.constraint, run.force):
            try:
                found.append(view(owner))
            except ModelError:
                continue
        if len(found) > 1:
            raise ModelError(
                f"'{owner}' is a constraint and a force; give {found[0].kind}/{found[0].id} or "
                f"{found[1].kind}/{found[1].id}"
            )
        if found:
            values = (found[0].force if word[0] == "F" else found[0].torque).values
            return np.linalg.norm(values, axis=1) if word[1] == "M" else np.ascontiguousarray(values[:, AXES[word[1]]])
    labels: dict[str, np.ndarray] = {}
    known = []
    for q in quantities(run):
        for k, label in enumerate(q.labels):
            known.append(label)
            labels.setdefault(label.lower(), q.values[:, k])
    if str(name).lower() in labels:
        return np.ascontiguousarray(labels[str(name).lower()], float)
    if owner and len(word) == 2 and word[0] in "FT" and word[1] in "XYZM":
        known = [f"{key[2]}.{word}" for key in (*run.data.constraints, *run.data.forces)] + known
    meant = close_word(str(name), known)
    raise ModelError(
        f"there is no signal '{name}' in this run"
        + (f"; did you mean '{meant}'?" if meant else "; give JOINT/3.FX or a name as run.export_csv has it")
    )
