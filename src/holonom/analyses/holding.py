"""Constraints that hold what they find: the place of marker J of a joint, the coordinate of a motion, set again in a
system that is built."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elements.bodies import layout
from ..integrators.entry import CONSTRAINTS, enter, explicit_handle
from ..system.reference import accept_reference

Place = tuple[np.ndarray, np.ndarray]  # origin and axes (9,) of J in the principal axes of its body


def found(system: Any, refs: Any, t: float, y: np.ndarray) -> dict[tuple[str, int], Any]:
    """What the elements ``refs`` (KIND, id) of this system find at (t, y): a `Place`, or the coordinate of a motion."""
    wanted = {ref: info for ref, info in _infos(system).items() if ref in set(refs)}
    if not wanted:
        return {}
    for (kind, _), info in wanted.items():
        if kind == "MOTION":
            _set_motion(system, info, 0.0)
    enter(explicit_handle(system), CONSTRAINTS, y, t, 0.0, 1e-8, 0, system.workspace.stages.d)
    accept_reference(system, y)
    fr, R = system.S.fr, system.W.R
    out: dict[tuple[str, int], Any] = {}
    for ref, info in wanted.items():
        if ref[0] == "MOTION":
            out[ref] = float(system.W.rw.phi[info.rows.start])
            continue
        i, j = info.i, info.j
        b = int(fr.body[j])
        A = R[b].reshape(3, 3)
        out[ref] = A.T @ (fr.p[i] - layout.body(y, b)[layout.PLACE]), (A.T @ fr.A[i].reshape(3, 3)).ravel()
    return out


def hold(system: Any, values: dict[tuple[str, int], Any]) -> None:
    """Let the elements hold these values; elements that the system does not have are passed over."""
    infos = _infos(system)
    for ref, value in values.items():
        info = infos.get(ref)
        if info is None:
            continue
        if ref[0] == "MOTION":
            _set_motion(system, info, value)
        else:
            system.S.fr.sb[info.j], system.S.fr.Ab[info.j] = value


def _infos(system: Any) -> dict:
    return {
        (c.element.KIND, c.element.id): c
        for c in system.constraints
        if (c.element.KIND, c.element.id) in system.holding
    }


def _set_motion(system: Any, info: Any, value: float) -> None:
    """The program of a holding motion is one constant."""
    programs = system.motion_set.arrays
    k = system.rows[info.rows.start].motion
    programs.numbers[programs.words[7 * k + 4]] = value
