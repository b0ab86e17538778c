"""The collision of two bodies on mixed coordinates as one HTML file: both bodies deformed and coloured by stress, the
contact force over time, and numbers.

Bodies of revolution are drawn over three quarters of a turn, so that stresses inside are seen; plane ones with their
thickness. Displacements are reported by the page as few shapes (singular vectors of the samples), as those of flexible
bodies.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...flexible.mixed.stresses import stresses, von_mises
from ...model import ModelError
from ..pictures.flexible_surface import coloured
from .animation import PALETTE, fill, template, viewer, write_page
from .data import pack
from .still import still_picture

if TYPE_CHECKING:
    from ...flexible.mixed import Course

TURN, AROUND = (
    (math.pi, 2.5 * math.pi),
    37,
)  # angles and rings of bodies of revolution: what is cut out lies above, towards the first view
SHAPES = 60  # of one body in a page
SMALL = 2e-4  # of the largest displacement, that shapes may leave out
# times the stress that half of the nodes stay below: colours reach so far, so that waves are seen next to the dent
COMMON = 4.0
SEEN = 0.04  # of the size of both bodies, to which displacements are drawn
MOST_VERTICES = 65_000  # of one body


def write_collision(
    course: Course,
    path: str | Path,
    *,
    others: Mapping[str, Course] | None = None,
    title: str = "",
    facts: Sequence[tuple[str, str]] = (),
    renderer: str = "auto",
) -> Path:
    """Write the page of a result of `flexible.mixed.collide` to the HTML file ``path`` and return it.

    ``others``: results whose forces are drawn for comparison, by name; ``facts``: further rows (name, value) of its
    table; ``renderer``: see `write_animation`. Units are those of the result; the page labels them as kg, N, m, s.
    Raises `ModelError` for a path that is not .html or cannot be written, and for bodies of more than 65,000 vertices.

        holonom.results.pages.collision.write_collision(run, "bars.html", others={"all degrees of freedom": full})
    """
    path = Path(path)
    one, other = course.contact.one, course.contact.other
    name = title or f"{one.name} hits {other.name}"
    words = [
        ("coordinates", " + ".join(str(c.size) for c in course.coordinates)),
        ("largest contact force", f"{course.peak:.5g} N"),
        ("in contact", f"{course.duration:.4g} s"),
        ("impulse", f"{course.impulse:.5g} N s"),
        ("CPU of the steps", f"{course.cpu:.3g} s"),
        *facts,
    ]
    rows = "".join(f"<tr><td>{html.escape(a)}</td><td>{html.escape(b)}</td></tr>" for a, b in words)
    courses = {"this course": course, **(others or {})}
    plot = {"title": "contact force", "y": "contact force, N", "curves": [(n, k) for k, n in enumerate(courses)]}
    curves = {k: (c.time, c.force) for k, c in enumerate(courses.values())}
    end = max(float(c.time[-1]) for c in courses.values())
    curve = still_picture(plot, curves, 0.0, end, "s", (900, 240))
    page = fill(
        template("collision.html"),
        title=html.escape(name),
        style=template("viewer.css"),
        viewer=viewer(scene_of(course, name), renderer=renderer),
        force=curve,
        rows=rows,
    )
    return write_page(path, page)


def scene_of(course: Course, title: str) -> dict[str, Any]:
    """What the viewer shows of a course, as `animation.scene` has it of a run."""
    frames = len(course.sampled)
    bodies, flexible, missing = [], [], []
    corners = []
    for k, coordinates in enumerate(course.coordinates):
        body = coordinates.body
        item, words = _body(course, k)
        flexible.append(item)
        missing += words
        bodies.append(
            {
                "name": body.name,
                "kind": "BODY",
                "id": k + 1,
                "ground": False,
                "color": PALETTE[k],
                "skeleton": False,
                "meshes": [],
            }
        )
        corners.append(_placed(body, body.places, 0.0))
    every = np.concatenate(corners)
    low, high = every.min(axis=0), every.max(axis=0)
    size = float(np.linalg.norm(high - low))
    motion = np.zeros((frames, 2, 7), "<f4")
    motion[:, :, 3] = 1.0
    d = course.contact.one.dimension
    force = np.stack([np.interp(course.sampled, course.time, course.resultant[:, c]) for c in range(d)], axis=1)
    if course.contact.one.form == "axisymmetric":
        force[:, 0] = 0.0
    arrow = _directed(course.contact.one, force)
    largest = float(np.linalg.norm(arrow, axis=1).max(initial=0.0))
    tip = _placed(course.contact.one, course.contact.one.places[[course.contact.first[0]]], 0.0)[0]
    way = max(f["way"] for f in flexible)
    return {
        "title": title,
        "model": title,
        "rows": frames,
        "frames": frames,
        "time": pack(course.sampled, "<f8"),
        "motion": pack(motion, "<f4"),
        "origin": [0.0, 0.0, 0.0],
        "bodies": bodies,
        "flexible": flexible,
        "tubes": [],
        "grains": [],
        "markers": [],
        "springs": [],
        "strands": [],
        "arrows": {
            "items": [{"name": "contact force", "kind": "force", "of": "CONTACT/1", "body": 0, "o": tip.tolist()}],
            "values": pack(arrow[:, None], "<f4"),
            "largest": largest,
        },
        "contacts": {"items": [], "values": "", "which": "", "slots": 0, "scale": 0.0, "largest": 0.0},
        "size": size,
        "up": [0.0, 0.0, 1.0],
        "units": {"length": "m", "time": "s", "force": "N", "stress": "N/m²"},
        "missing": missing,
        "bend": SEEN * size / way if way > 0.0 else 1.0,
    }


def _placed(body: Any, places: np.ndarray, angle: float) -> np.ndarray:
    """(n, 3) in the picture: the axis of a body of revolution along x, a plane body in x and z."""
    return _directed(body, places, angle)


def _directed(body: Any, v: np.ndarray, angle: float = 0.0) -> np.ndarray:
    """(.., 3) in the picture of vectors (.., d) at an angle about the axis."""
    if body.form == "axisymmetric":
        return np.stack([v[..., 1], v[..., 0] * math.cos(angle), v[..., 0] * math.sin(angle)], axis=-1)
    if body.form == "plane":
        return np.stack([v[..., 0], np.zeros_like(v[..., 0]), v[..., 1]], axis=-1)
    return np.asarray(v, float)


def _surface(body: Any) -> tuple[np.ndarray, np.ndarray, list[tuple[np.ndarray, float]]]:
    """Triangles (t, 3) and nodes (v,) of the vertices of its surface in the picture, and their pieces: (nodes, angle or
    offset across) in order."""
    quads = body.cells
    pieces: list[tuple[np.ndarray, float]] = []
    triangles = []
    base = 0
    if body.form == "space":
        used = np.unique(np.concatenate([f.ravel() for f in body.facets]))
        new = np.full(len(body.places), -1)
        new[used] = np.arange(len(used))
        for f in body.facets:
            t = new[f]
            triangles += [t[:, [0, 1, 2]]] if t.shape[1] == 3 else [t[:, [0, 1, 2]], t[:, [0, 2, 3]]]
        return np.vstack(triangles), used, [(used, 0.0)]
    edges = np.vstack(body.facets)
    skin = np.unique(edges)
    new = np.full(len(body.places), -1)
    new[skin] = np.arange(len(skin))
    a, b = new[edges[:, 0]], new[edges[:, 1]]
    round_ = body.form == "axisymmetric"
    around = np.linspace(*TURN, AROUND) if round_ else np.array([-0.5, 0.5]) * body.thickness
    for k, angle in enumerate(around):
        pieces.append((skin, float(angle)))
        if k:
            p, q = base - len(skin), base
            triangles += [np.column_stack([p + a, p + b, q + b]), np.column_stack([p + a, q + b, q + a])]
        base += len(skin)
    every = np.arange(len(body.places))
    for angle in (around[0], around[-1]):  # the cuts, or both sides
        pieces.append((every, float(angle)))
        triangles += [base + quads[:, [0, 1, 2]], base + quads[:, [0, 2, 3]]]
        base += len(every)
    return np.vstack(triangles), np.concatenate([p[0] for p in pieces]), pieces


def _body(course: Course, k: int) -> tuple[dict[str, Any], list[str]]:
    """What the page needs of one body (as `flexible_surface.page_data`), and sentences on what is not shown."""
    body = course.coordinates[k].body
    u = course.displacements(k)
    triangles, node, pieces = _surface(body)
    if len(node) > MOST_VERTICES:
        raise ModelError(
            f"'{body.name}' has {len(node)} vertices in a picture; a page holds {MOST_VERTICES}, so draw one with a "
            "coarser mesh"
        )
    s, a, d = u.shape
    left, size, right = np.linalg.svd(u.reshape(s, a * d), full_matrices=False)
    rest = np.sqrt(np.cumsum((size**2)[::-1])[::-1])  # of what is left out, for all samples together
    count = min(SHAPES, max(1, int(np.count_nonzero(rest > SMALL * np.abs(u).max(initial=0.0)))))
    flat = right[:count].reshape(count, a, d)
    if body.form == "plane":
        across = lambda points, t: points + np.array([0.0, t, 0.0])
        place = lambda x, t: across(_directed(body, x), t)
        turned = lambda v, t: _directed(body, v)
    else:
        place = lambda x, t: _directed(body, x, t)
        turned = place
    points = np.concatenate([place(body.places[n], t) for n, t in pieces])
    shapes = np.concatenate([turned(flat[:, n], t) for n, t in pieces], axis=1)
    unit = np.abs(shapes).max(axis=(1, 2), initial=0.0) / 32767.0
    way = float(np.linalg.norm(u, axis=2).max(initial=0.0))
    words = []
    lost = float(
        np.linalg.norm(u.reshape(s, -1) - (left[:, :count] * size[:count]) @ right[:count], axis=1).max(initial=0.0)
    )
    if lost > 0.02 * way:
        words.append(
            f"Displacements of {body.name} are drawn with {count} shapes, which leave out up to "
            f"{100 * lost / way:.2g} %."
        )
    out: dict[str, Any] = {
        "name": body.name,
        "body": k,
        "count": len(node),
        "modes": list(range(1, count + 1)),
        "p": pack(points, "<f4"),
        "t": pack(triangles, "<u2"),
        "l": pack(np.zeros((0, 2)), "<u2"),
        "q": pack(left[:, :count] * size[:count], "<f4"),
        "phi": pack(np.round(shapes / np.where(unit > 0.0, unit, 1.0)[:, None, None]), "<i2"),
        "unit": unit.tolist(),
        "way": way,
        "size": float(np.linalg.norm(np.ptp(points, axis=0))),
    }
    if body.cells is None:
        return out, [*words, f"Stresses of {body.name} are not known here: it is a body in space."]
    vm = von_mises(stresses(body, u))
    out |= coloured(vm, pack, size=s * len(node), at=node, knee=COMMON * float(np.median(vm.max(axis=0))))
    return out, words
