"""A part of a model becomes a beam in absolute nodal coordinates: what was on it goes on the points of its axis; and
axes from files."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from ..elements.absolute import ABSOLUTE_ELEMENTS, NAMES
from ..model.base import ModelError
from ..model.orientation import to_euler313
from .ancf_beam import AncfBeam, ancf_beam
from .section import Section

FINE = 32  # places of each element among which the nearest is searched for
SNAP = 0.02  # share of an element within which a marker continues its node
FAR = 0.5  # share of the length beyond which a marker is reported to lie far from the axis
LARGEST = 10_000_000  # bytes of a file of points
ROWS = 100_000
MEET = 1e-6  # share of the length by which two BEAMs may miss each other


def ancf_part(model: Any, part: Any, points: Any, section: Any, **words: Any) -> AncfBeam:
    """Replace a rigid part by a beam along ``points`` (k, 3) in ground at the design position; ``words``: arguments of
    `ancf_beam`. Returns the beam; the part is removed.

    Joints, forces, shapes and markers of the part keep their positions and axes and are attached to the nearest points
    of the axis, which rotate with the section. The mass follows from the section: add concentrated masses of the part
    to the beam as separate parts.

    Raises `ModelError` for ground, a part that is already flexible or has sliding masses, a part with an initial
    velocity (give ``velocity`` and ``spin``), elements that reference the part itself, and as `ancf_beam`.

        crank = hn.flexible.ancf_part(model, "connecting rod", [(0, 0, 0), (0.3, 0, 0)], section, E=2.1e11,
            density=7850.0, plane="xy")
    """
    body = model.find("PART", part)
    markers = _free(model, body, words)
    beam = ancf_beam(model, points, section, **{"name": body.name, **words})
    _put(model, beam, body, markers)
    return beam


def _free(model: Any, body: Any, words: dict[str, Any], but: Any = ()) -> list:
    """Markers of a part that may become a beam.  Raises `ModelError` as `ancf_part`; ``but``: elements that go with
    it."""
    if body.ground:
        raise body.error("ground cannot be flexible; give a part that moves")
    if any(f.part == body.id for f in model.table("FLEXIBILITY").values()):
        raise body.error("it has modes already; give a rigid part")
    moving = [name for name in ("vx", "vy", "vz", "wx", "wy", "wz") if getattr(body, name, None)]
    if moving and not {"velocity", "spin"} & set(words):
        raise body.error(
            f"it starts with {', '.join(moving)}, which a beam does not have; give velocity= and spin= of its first "
            f"point"
        )
    markers = [m for m in model.markers.values() if (m.body_kind, m.part) == ("PART", body.id)]
    named = [
        e for e in model.users(body) if e not in but and e.KIND != "MARKER" and getattr(e, "part", None) == body.id
    ]
    floating = next((m for m in markers if m.floating), None)
    if named or floating is not None:
        who = named[0] if named else floating
        raise body.error(f"{who.label} needs it as a rigid part; take that out, or leave the part rigid")
    return markers


def _put(model: Any, beam: AncfBeam, body: Any, markers: list) -> None:
    """``markers`` of a part go on the points of a beam that are nearest; the part is taken out."""
    own = {body.cm, body.im, body.vm, body.wm}
    frame = model.body_frame(body)
    fine, places = _along(beam)
    for m in markers:
        others = [u for u in model.users(m) if u is not body]
        if m.id in own and not others:
            continue  # of its mass: it goes with the part
        world = frame @ m.frame
        k = int(((places - world.origin) ** 2).sum(1).argmin())
        away = float(np.linalg.norm(places[k] - world.origin))
        if away > FAR * beam.length and others:
            model.warn(
                f"{m.label} lies {away:.3g} from the axis of '{body.name}', which is {beam.length:.3g} long; do its "
                "points fit the part?"
            )
        point = beam.at(_snapped(beam, fine[k]))
        at = model.body_frame(point)
        m.body_kind, m.part = point.KIND, point.id
        m.qp, m.reuler = tuple(map(float, at.axes.T @ (world.origin - at.origin))), to_euler313(at.axes.T @ world.axes)
        m.zp = m.xp = None
    model.remove(body, with_users=True)


def ancf_beams(model: Any, beams: Any = None, **words: Any) -> AncfBeam:
    """Replace a chain of parts connected by BEAMs by one beam in absolute nodal coordinates; ``words``: arguments of
    `ancf_beam`. Returns the beam.

    ``beams``: the BEAMs (elements, names or ids), by default all of the model. They define section, moduli and damping
    (``cratio``). Parts between two of them are removed, and their elements are attached to the nearest points of the
    axis, as by `ancf_part`; the parts at the ends, or ground, remain and are fixed to the beam. Unless a ``density`` is
    given, the mass is that of the removed parts, evenly distributed: parts at the ends keep theirs.

    Raises `ModelError` for BEAMs that do not form an open chain, differ, or are not connected, and as `ancf_part`.

        blade = hn.flexible.ancf_beams(model, plane="xy")
    """
    table = model.table("BEAM")
    chosen = list(table.values()) if beams is None else [model.find("BEAM", b) for b in beams]
    ways, ends = _line(model, chosen)
    section, given = _alike(chosen)
    inner = [w[1] for w in ways[:-1]]
    markers = {}
    for part in inner:
        markers[part.id] = _free(model, part, words, chosen)
    places = []
    for beam, _, turned in ways:
        i, j = (
            np.array((model.body_frame(model.markers[k]) @ model.markers[k].frame).origin) for k in (beam.i, beam.j)
        )
        places.append((i, j) if turned else (j, i))
    size = sum(float(np.linalg.norm(b - a)) for a, b in places)
    for (_, a), (b, _), (beam, part, _) in zip(places, places[1:], ways):
        if np.linalg.norm(b - a) > MEET * size:
            raise beam.error(
                f"it ends {np.linalg.norm(b - a):.3g} from the next BEAM on {part.label}; draw both to the same point"
            )
    first = ways[0][0]
    axes = (model.body_frame(model.markers[first.j]) @ model.markers[first.j].frame).axes
    if "density" not in words and "material" not in words:
        mass = sum(part.mass for part in inner)
        if not mass > 0.0:
            raise first.error("the parts between the BEAMs have no mass to spread along them; give density=")
        given["density"] = mass / (section.A * size)
    taken = sorted(b.id for b in chosen)
    for b in chosen:  # reported before anything is changed
        named = list(model.users(b))
        if named:
            raise b.error(f"{named[0].label} names it, which a beam in absolute coordinates is not; take that out")
    points = [places[0][0], *(b for _, b in places)]
    more = {} if words.get("plane") else {"y": tuple(map(float, axes[:, 1]))}
    made = ancf_beam(
        model, points, section, **{"name": first.name, "elements": max(len(chosen), 4), **given, **more, **words}
    )
    for k in taken:
        model.remove(table[k])
    for part in inner:
        _put(model, made, part, markers[part.id])
    for body, point, at in ((ends[0], made.first, points[0]), (ends[1], made.last, points[-1])):
        model.fixed(point, body, at=tuple(map(float, at)))
    return made


def _line(model: Any, beams: list) -> tuple[list[tuple[Any, Any, bool]], tuple[Any, Any]]:
    """Along the line: BEAM, the part behind it, whether it is run through from I to J; and the bodies at both ends."""
    if not beams:
        raise ModelError(
            "the model has no BEAM to make a beam in absolute coordinates of; give parts to ancf_part instead"
        )
    at: dict[tuple, list] = {}
    of = {}
    for b in beams:
        pair = []
        for k in (b.j, b.i):
            m = model.markers[k]
            body = model.table(m.body_kind)[m.part]
            of[m.body_kind, m.part] = body
            pair.append((m.body_kind, m.part))
        if pair[0] == pair[1]:
            raise b.error("both its ends are on one body; leave it out")
        at.setdefault(pair[0], []).append((b, pair[1], False))
        at.setdefault(pair[1], []).append((b, pair[0], True))
    split = next((key for key, ways in at.items() if len(ways) > 2), None)
    if split is not None:
        raise of[split].error("more than two BEAMs meet on it; name those of one line")
    tips = [key for key, ways in at.items() if len(ways) == 1]
    if len(tips) != 2:
        what = "a closed loop" if not tips else f"{len(tips) // 2} lines"
        raise beams[0].error(f"the BEAMs form {what}; name those of one open line")
    here, came, out = tips[0], None, []
    while came is None or len(at[here]) == 2:
        b, there, turned = next(way for way in at[here] if way[0] is not came)
        out.append((b, of[there], turned))
        here, came = there, b
    if len(out) < len(beams):
        raise beams[0].error("the BEAMs form a line and a loop; name those of one open line")
    fixed = next((part for _, part, _ in out[:-1] if part.KIND != "PART" or part.ground), None)
    if fixed is not None:
        raise fixed.error("it lies between two BEAMs and is rigid; name the BEAMs on one side of it")
    return out, (of[tips[0]], of[here])


def _alike(beams: list) -> tuple[Section, dict[str, Any]]:
    """Section and material of BEAMs.  Raises ModelError where they differ."""
    names = ("area", "ixx", "iyy", "izz", "asy", "asz", "emodulus", "gmodulus", "cratio")
    one = beams[0]
    for b in beams[1:]:
        for name in names:
            x, y = (float(getattr(e, name) or 0.0) for e in (one, b))
            if abs(x - y) > 1e-6 * max(abs(x), abs(y)):
                raise b.error(
                    f"its {name} is {y:g} and that of {one.label} {x:g}; sections of one beam are alike: name BEAMs of "
                    "one section"
                )
        if b.cmatrix != one.cmatrix:
            raise b.error(f"its cmatrix is not that of {one.label}; name BEAMs that are alike")
    if any(one.cmatrix):
        raise one.error(
            "it is damped by a cmatrix, which has no equivalent in absolute coordinates; give cratio, a time, instead"
        )
    nu = min(max(one.emodulus / (2.0 * one.gmodulus) - 1.0, -0.99), 0.49)
    share = one.gmodulus * 2.0 * (1.0 + nu) / one.emodulus  # of G of this nu: 1 but for a G that no material has
    shear = [min(share / a, 1.0) if a else 1.0 for a in (one.asy, one.asz)]
    section = Section(one.area, one.iyy, one.izz, one.ixx * share, *shear)
    return section, {"E": one.emodulus, "nu": nu, "damping": float(one.cratio or 0.0)}


def _along(beam: AncfBeam) -> tuple[np.ndarray, np.ndarray]:
    """Lengths (k,) and positions (k, 3) along the axis as drawn."""
    mesh = beam.mesh
    kind = ABSOLUTE_ELEMENTS[NAMES.index(mesh.element)]
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
    """Points (k, 3) of an axis from a CSV file: three numbers per row (x, y, z), or two (x, y), multiplied by
    ``factor``; text in the first row is skipped.

    Raises `ModelError`, with file and line, for an invalid row, for fewer than two points, and for files that are too
    large.

        rope = hn.flexible.cable(model, hn.flexible.read_axis("hose.csv", 1e-3), EA=1e5, EI=0.5, mass=0.3)
    """
    path = Path(path)
    try:
        size = path.stat().st_size
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror}); give a CSV file of positions") from None
    if size > LARGEST:
        raise ModelError(f"{path}: larger than {LARGEST} bytes; give fewer positions")
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
            raise ModelError(
                f"{path}, line {line}: {', '.join(words)[:60]!r} is not a position; give x, y, z"
            ) from None
        wide = wide or len(numbers)
        if len(numbers) not in (2, 3) or len(numbers) != wide or not np.all(np.isfinite(numbers)):
            raise ModelError(f"{path}, line {line}: {len(numbers)} numbers; give x, y, z (or x, y in all rows), finite")
        rows.append([*numbers, 0.0][:3])
        if len(rows) > ROWS:
            raise ModelError(f"{path}: more than {ROWS} positions; give fewer")
    if len(rows) < 2:
        raise ModelError(f"{path}: {len(rows)} positions; an axis needs two")
    return float(factor) * np.array(rows)
