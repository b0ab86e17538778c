"""A model and its state at one time in a file (HDF5), so that a simulation can continue from there: SAVE and RELOAD.

Layout (format ``holonom-state-2``): root attributes ``format``, ``time``; datasets ``model`` and ``keys`` are JSON text
as bytes; ``bodies`` (n, 13) position, quaternion, velocity, body angular velocity in model units; ``grains/ID`` (n, 13)
the same of grains (NaN: it does not exist); ``states`` (m,); ``memory`` (k, 20):
contact, graphics of both sides, feature, 8 numbers of the law and 8 of friction for each point of a contact that
remembers; ``angles`` (a,): continuous angles over whole turns; ``inputs`` (i, 7): id, value, slope, since, until,
target, 1 where it has been set; ``past/K`` (pieces, 9): `system.delay.Past.rows` of the K-th delayed expression
(earlier files: (steps, 7)).  Files of ``holonom-state-1`` do not have these last three.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from ..._summary import Summary
from ...elements.bodies.layout import STATE
from ...model import Model, ModelError
from ...model.reduced_body import ReducedBody

FORMAT = "holonom-state-2"
#: former formats that are read -> what their files do not hold, and what then follows
FORMER = {
    "holonom-state-1": "whole turns of angles, values of inputs and the past of DELAY: angles begin within half a "
    "turn, inputs at their initial values, DELAY at its history"
}
MAX_TEXT = 200_000_000
NODES, ROW = 5, 9  # values and numbers of a piece of the past (`system.delay` has the same)


@dataclass
class SavedState(Summary):
    """``state``: the STATE numbers of each body (`elements.bodies.layout`) by (KIND, id), one of each further state by
    its key; ``senval``: values that sensors kept; ``disabled``: sensors switched off; ``memories``: of contacts, as
    `system.contacts.Contacts.memories` gives them;
    ``switched``: state of each SWITCH by id; ``held``: what elements hold that hold what they found (KIND, id): a
    coordinate, or a position; ``angles``: continuous angles over whole turns, as `system.reference.counted_angles`
    gives them; ``inputs``: fields of the `analyses.session.inputs.Course` of each input by the id of its VARIABLE,
    ``named``: those that `Simulation.open` named; ``past``: of each delayed expression, by its text,
    `system.delay.Past.rows`; ``lacks``: what a file of a former format does not hold, and what follows."""

    time: float
    model: Model
    state: dict[tuple, Any]
    senval: dict[int, float] = field(default_factory=dict)
    disabled: set[int] = field(default_factory=set)
    memories: dict[tuple[int, int, int], tuple[np.ndarray, ...]] = field(default_factory=dict)
    switched: dict[int, str] = field(default_factory=dict)
    held: dict[tuple[str, int], Any] = field(default_factory=dict)
    angles: dict[tuple, float] = field(default_factory=dict)
    inputs: dict[int, tuple[float, ...]] = field(default_factory=dict)
    named: set[int] = field(default_factory=set)
    past: dict[str, np.ndarray] = field(default_factory=dict)
    lacks: str = ""


def write_state(path: str | os.PathLike, saved: SavedState) -> None:
    """Write it; raises ModelError when the file cannot be written."""
    bodies = [(k, v) for k, v in saved.state.items() if isinstance(v, np.ndarray) and v.ndim == 1]
    grains = [(k, v) for k, v in saved.state.items() if isinstance(v, np.ndarray) and v.ndim == 2]
    states = [(k, v) for k, v in saved.state.items() if not isinstance(v, np.ndarray)]
    keys = {
        "bodies": [list(k) for k, _ in bodies],
        "states": [list(k) for k, _ in states],
        "senval": sorted(saved.senval.items()),
        "disabled": sorted(saved.disabled),
        "switched": sorted(saved.switched.items()),
        "held": [
            [*ref, v if isinstance(v, float) else [list(map(float, a)) for a in v]]
            for ref, v in sorted(saved.held.items())
        ],
        "angles": [list(k) for k in saved.angles],
        "named": sorted(saved.named),
        "past": list(saved.past),
    }
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with h5py.File(path, "w") as file:
            file.attrs["format"], file.attrs["time"] = FORMAT, saved.time
            for name, text in (
                ("model", json.dumps(ReducedBody.write_all(saved.model, file))),
                ("keys", json.dumps(keys)),
            ):
                file[name] = np.frombuffer(text.encode(), np.uint8)
            file["bodies"] = np.array([v for _, v in bodies], float).reshape(-1, STATE)
            for k, v in grains:
                file[f"grains/{k[1]}"] = v
            file["states"] = np.array([v for _, v in states], float)
            rows = [
                [*key, f, *law, *friction] for key, kept in saved.memories.items() for f, law, friction in zip(*kept)
            ]
            file["memory"] = np.array(rows, float).reshape(-1, 20)
            file["angles"] = np.array(list(saved.angles.values()), float)
            file["inputs"] = np.array([[n, *course] for n, course in saved.inputs.items()], float).reshape(-1, 7)
            for number, steps in enumerate(saved.past.values()):
                file[f"past/{number}"] = steps
    except OSError as problem:
        raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None


def read_state(path: str | os.PathLike) -> SavedState:
    """Read it; raises ModelError for a file that is none."""
    try:
        with h5py.File(path, "r") as file:
            found = str(file.attrs.get("format"))
            if found != FORMAT and found not in FORMER:
                raise ModelError(f"'{path}' holds no saved state; give a file that SAVE wrote")
            if max(file["model"].size, file["keys"].size) > MAX_TEXT:
                raise ModelError(f"'{path}' is too large to be a saved state")
            model = Model.from_dict(json.loads(file["model"][()].tobytes()), ReducedBody.read_all(file, str(path)))
            keys = json.loads(file["keys"][()].tobytes())
            state: dict[tuple, Any] = {
                tuple(k): row.copy() for k, row in zip(keys["bodies"], file["bodies"][()], strict=True)
            }
            if "grains" in file:
                state |= {("GRAINS", int(n)): v[()].astype(float).reshape(-1, STATE) for n, v in file["grains"].items()}
            state |= {tuple(k): float(x) for k, x in zip(keys["states"], file["states"][()], strict=True)}
            rows: dict[tuple[int, int, int], list] = {}
            for row in file["memory"][()] if "memory" in file else ():
                rows.setdefault((int(row[0]), int(row[1]), int(row[2])), []).append(row[3:20])
            memories: dict[tuple[int, int, int], tuple[np.ndarray, ...]] = {
                key: (np.array(r)[:, 0], np.array(r)[:, 1:9], np.array(r)[:, 9:]) for key, r in rows.items()
            }
            senval = {int(k): v for k, v in keys["senval"]}
            switched = {int(k): str(v) for k, v in keys.get("switched", ())}
            held: dict[tuple[str, int], Any] = {
                (str(kind), int(number)): tuple(map(np.array, v)) if isinstance(v, list) else float(v)
                for kind, number, v in keys.get("held", ())
            }
            saved = SavedState(
                float(file.attrs["time"]), model, state, senval, set(keys["disabled"]), memories, switched, held
            )
            if found in FORMER:
                saved.lacks = FORMER[found]
                return saved
            saved.angles = {tuple(k): float(v) for k, v in zip(keys["angles"], file["angles"][()], strict=True)}
            saved.inputs = {int(row[0]): tuple(map(float, row[1:])) for row in file["inputs"][()].reshape(-1, 7)}
            saved.named = {int(n) for n in keys["named"]}
            saved.past = {
                str(text): _pieces(file[f"past/{number}"][()].astype(float)) for number, text in enumerate(keys["past"])
            }
            return saved
    except (OSError, KeyError, ValueError, TypeError) as problem:
        if isinstance(problem, ModelError):
            raise
        raise ModelError(f"cannot read a saved state from '{path}': {problem}") from None


def _pieces(rows: np.ndarray) -> np.ndarray:
    """Rows of the past of a delayed expression, checked.  Raises ValueError."""
    if rows.ndim != 2 or rows.shape[1] not in (NODES + 2, ROW):
        raise ValueError(f"the past of a DELAY has the shape {rows.shape}")
    return rows
