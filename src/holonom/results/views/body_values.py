"""What an animation can show of bodies: vectors at their centres of mass as arrows, sizes as colours."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model import ModelError
from ...model.shape import carrier_of
from .._data import Key
from ..pages.data import pack

#: name -> words, dimension, array of `RunData`
VECTORS = {
    "velocity": ("Velocity", "velocity", "body_velocity"),
    "acceleration": ("Acceleration", "acceleration", "body_acceleration"),
    "angular_velocity": ("Angular velocity", "angular_velocity", "body_angular_velocity"),
}
#: name -> words; a size of a vector, or the largest of the forces that joints, applied forces and contacts have on the
#: body
COLOURS = {
    "velocity": "Speed",
    "acceleration": "Size of the acceleration",
    "angular_velocity": "Angular speed",
    "force": "Largest force on it",
}
LEVELS = 1023  # steps from nothing to twice the common largest
MOST = 4_000_000  # numbers of all vectors together
COMMON = 0.98  # share of the values that are below the common largest: one impact does not make the rest vanish


def forces_on_bodies(run: Any, keys: list[tuple[str, int]], rows: np.ndarray) -> np.ndarray:
    """Largest force (nf, nb) that one joint, applied force or contact has on each body; the other end of each feels the
    same."""
    data, model = run.data, run.model
    index = {key: n for n, key in enumerate(keys)}
    out = np.zeros((len(rows), len(keys)))

    def enter(body: tuple[str, int] | None, force: np.ndarray) -> None:
        if body in index:
            np.maximum(out[:, index[body]], np.linalg.norm(np.nan_to_num(force), axis=1), out=out[:, index[body]])

    for table in ("constraint", "force"):
        for k in range(len(getattr(data, f"{table}s"))):
            force = np.asarray(getattr(data, f"{table}_force"), float)[rows, k]
            for side in "ij":
                marker = model.markers.get(int(getattr(data, f"{table}_{side}")[k]))
                enter((marker.body_kind, marker.part) if marker is not None else None, force)
    for k, key in enumerate(data.contacts):
        force = np.asarray(data.contact_force, float)[rows, k]
        for body in contact_bodies(model, key):
            enter(body, force)
    return out


def contact_bodies(model: Any, key: Key) -> list[tuple[str, int]]:
    """Bodies (kind, id) whose shapes a CONTACT names."""
    contact, graphics = model.table("CONTACT").get(key[1]), model.table("GRAPHICS")
    out: list[tuple[str, int]] = []
    for ident in (*contact.igeom, *contact.jgeom) if contact is not None else ():
        try:
            body = carrier_of(model, graphics[ident])
        except (ModelError, KeyError):  # grains, or a shape that the model does not have any more
            continue
        out.append((body.KIND, body.id))
    return list(dict.fromkeys(out))


def body_values(
    run: Any, keys: list[tuple[str, int]], rows: np.ndarray, colors: str, arrows: str, missing: list[str]
) -> dict[str, Any]:
    """For the viewer: ``vectors`` name -> words, unit, ``top`` (largest), ``common`` (COMMON of the moving ones are
    below), ``values`` i16
    (nf, nb, 3) in 1/LEVELS of twice the common largest, cut there; ``force`` alike, u16 (nf, nb).  ``colors`` and
    ``arrows``: what is shown at first.

    Raises ValueError for a name that is none of VECTORS and COLOURS.
    """
    for name, known, what in ((colors, COLOURS, "colors"), (arrows, VECTORS, "arrows")):
        if name and name not in known:
            raise ValueError(f"unknown {what} '{name}'; choose {', '.join(known)}")
    data, recorded = run.data, [(kind, ident) for kind, ident, _ in run.data.bodies]
    number = [recorded.index(key) if key in recorded else -1 for key in keys]
    out: dict[str, Any] = {"vectors": {}, "colors": colors, "arrows": arrows, "levels": LEVELS}
    wanted = list(VECTORS)
    if len(rows) * len(keys) * 3 * len(wanted) > MOST:
        wanted = [w for w in (colors, arrows) if w in VECTORS] or ["velocity"]
        missing.append(
            f"Of the motion of bodies the picture holds the {' and the '.join(VECTORS[w][0].lower() for w in wanted)} "
            "alone: there are many."
        )
    for name in dict.fromkeys(wanted):
        words, dimension, array = VECTORS[name]
        values = np.zeros((len(rows), len(keys), 3))
        there = [n for n, k in enumerate(number) if k >= 0]
        values[:, there] = np.nan_to_num(
            np.asarray(getattr(data, array), float)[rows][:, [number[n] for n in there]],
            nan=0.0,
            posinf=0.0,
            neginf=0.0,
        )
        held = _held(np.linalg.norm(values, axis=2), values, "<i2")
        if held:
            out["vectors"][name] = {
                "words": words,
                "colour": COLOURS[name],
                "unit": run.model.units.symbol(dimension),
                **held,
            }
    if data.constraints or data.forces or data.contacts:
        forces = forces_on_bodies(run, keys, rows)
        held = _held(forces, forces, "<u2")
        if held:
            out["force"] = {"colour": COLOURS["force"], "unit": run.model.units.symbol("force"), **held}
    return out


def _held(sizes: np.ndarray, values: np.ndarray, dtype: str) -> dict[str, Any]:
    top = float(sizes.max(initial=0.0))
    if not top > 0:
        return {}
    common = float(np.quantile(sizes[sizes > 1e-9 * top], COMMON))
    cut = 2.0 * common
    factor = np.minimum(1.0, cut / np.maximum(sizes, 1e-300))
    if values.ndim == 3:
        factor = factor[:, :, None]
    return {"top": top, "common": common, "values": pack(np.round(values * factor / cut * LEVELS), dtype)}
