"""A part of a model becomes a beam in absolute nodal coordinates: what was on it goes on the points of its axis; and axes from files."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from ..elements.absolute import KINDS, NAMES
from ..model.base import ModelError
from ..model.orientation import to_euler313
from .ancf_beam import AncfBeam, ancf_beam

FINE = 32  # places of each element among which the nearest is looked for
SNAP = 0.02  # share of an element within which a marker goes on its node
FAR = 0.5  # share of the length beyond which a marker is told to lie far from the axis
LARGEST = 10_000_000  # bytes of a file of points
ROWS = 100_000


def ancf_part(model: Any, part: Any, points: Any, section: Any, **words: Any) -> AncfBeam:
    """Make a part, rigid until now, a beam along ``points`` (k, 3) in ground as drawn; ``words`` are those of `ancf_beam`.  Returns the beam; the part is gone.

    Joints, forces, shapes and markers of the part keep their places and axes and go on the points of the axis that are nearest to them, which turn with the
    section.  Its mass is that of the section: what was heavy on the part is put on the beam as a part of its own.

    Raises `ModelError` for ground, a part that bends already or carries masses that slide, one with a velocity at the start (give ``velocity`` and ``spin``),
    elements that name the part itself, and as `ancf_beam`.

        crank = hn.flexible.ancf_part(model, "connecting rod", [(0, 0, 0), (0.3, 0, 0)], section, E=2.1e11, density=7850.0, plane="xy")
    """
    body = model.find("PART", part)
    if body.ground:
        raise body.error("ground cannot bend; give a part that moves")
    if any(f.part == body.id for f in model.table("FLEXIBILITY").values()):
        raise body.error("it bends by modes already; give a part that is rigid")
    moving = [name for name in ("vx", "vy", "vz", "wx", "wy", "wz") if getattr(body, name, None)]
    if moving and not {"velocity", "spin"} & set(words):
        raise body.error(f"it starts with {', '.join(moving)}, which a beam has not; give velocity= and spin= of its first point")
    markers = [m for m in model.markers.values() if (m.body_kind, m.part) == ("PART", body.id)]
    own = {body.cm, body.im, body.vm, body.wm}
    named = [e for e in model.users(body) if e.KIND != "MARKER" and getattr(e, "part", None) == body.id]
    floating = next((m for m in markers if m.floating), None)
    if named or floating is not None:
        who = named[0] if named else floating
        raise body.error(f"{who.label} needs it as a rigid part; take that out, or leave the part rigid")
    frame = model.body_frame(body)
    beam = ancf_beam(model, points, section, **{"name": body.name, **words})
    fine, places = _along(beam)
    for m in markers:
        others = [u for u in model.users(m) if u is not body]
        if m.id in own and not others:
            continue  # of its mass: it goes with the part
        world = frame @ m.frame
        k = int(((places - world.origin) ** 2).sum(1).argmin())
        away = float(np.linalg.norm(places[k] - world.origin))
        if away > FAR * beam.length and others:
            model.warnings.append(
                f"{m.label} lies {away:.3g} from the axis of '{body.name}', which is {beam.length:.3g} long; do its points fit the part?"
            )
        point = beam.at(_snapped(beam, fine[k]))
        at = model.body_frame(point)
        m.body_kind, m.part = point.KIND, point.id
        m.qp, m.reuler = tuple(map(float, at.axes.T @ (world.origin - at.origin))), to_euler313(at.axes.T @ world.axes)
        m.zp = m.xp = None
    model.remove(body, with_users=True)
    return beam


def _along(beam: AncfBeam) -> tuple[np.ndarray, np.ndarray]:
    """Lengths (k,) and places (k, 3) along the axis as drawn."""
    mesh = beam.mesh
    kind = KINDS[NAMES.index(mesh.element)]
    flat = np.array(mesh.places).reshape(mesh.nodes, -1, 3)
    properties = np.array(mesh.properties).reshape(len(beam.lengths), -1)
    begin = np.concatenate([[0.0], np.cumsum(beam.lengths)])
    s, places = [], []
    for e, (a, b) in enumerate(np.reshape(mesh.cells, (-1, 2))):
        vectors = np.concatenate([flat[a], flat[b]])
        for x in np.linspace(0.0, 1.0, FINE + 1):
            s.append(begin[e] + x * beam.lengths[e])
            places.append(kind.weights(properties[e], float(x), mesh.unit)[0] @ vectors)
    return np.array(s), np.array(places)


def _snapped(beam: AncfBeam, s: float) -> float:
    ends = np.concatenate([[0.0], np.cumsum(beam.lengths)])
    k = int(np.abs(ends - s).argmin())
    return float(ends[k]) if abs(ends[k] - s) <= SNAP * beam.lengths.min() else float(s)


def read_axis(path: str | Path, factor: float = 1.0) -> np.ndarray:
    """(k, 3) places of an axis from a CSV file: three numbers a row (x, y, z), or two (x, y); words in the first row are passed over; times ``factor``.

    Raises `ModelError`, with file and line, for a row that is no place, and for files without two places or too large.

        rope = hn.flexible.cable(model, hn.flexible.read_axis("hose.csv", 1e-3), EA=1e5, EI=0.5, mass=0.3)
    """
    path = Path(path)
    try:
        size = path.stat().st_size
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror}); give a CSV file of places") from None
    if size > LARGEST:
        raise ModelError(f"{path}: larger than {LARGEST} bytes; give fewer places")
    rows: list[list[float]] = []
    wide = 0
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    comma = ";" if text.partition("\n")[0].count(";") else ","
    for line, row in enumerate(csv.reader(text.splitlines(), delimiter=comma), 1):
        words = [w.strip() for w in row if w.strip()]
        if not words or words[0].startswith("#"):
            continue
        try:
            numbers = [float(w) for w in words]
        except ValueError:
            if not rows and line == 1:
                continue
            raise ModelError(f"{path}, line {line}: {', '.join(words)[:60]!r} is no place; give x, y, z") from None
        wide = wide or len(numbers)
        if len(numbers) not in (2, 3) or len(numbers) != wide or not np.all(np.isfinite(numbers)):
            raise ModelError(f"{path}, line {line}: {len(numbers)} numbers; give x, y, z (or x, y in all rows), finite")
        rows.append([*numbers, 0.0][:3])
        if len(rows) > ROWS:
            raise ModelError(f"{path}: more than {ROWS} places; give fewer")
    if len(rows) < 2:
        raise ModelError(f"{path}: {len(rows)} places; an axis needs two")
    return float(factor) * np.array(rows)
