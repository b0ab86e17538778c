"""The motion of a run as one HTML file that opens without a network connection: a viewer based on three.js.

three.js (MIT) is not in this repository.  It is taken, when the page is written, from the installed package `trimesh`
(MIT, one wheel under 1 MB, needs NumPy only; it ships three.js r140 inside the template of its notebook viewer), which
also reads meshes.  Without it, or in a browser without WebGL, the same viewer draws on a plain 2D canvas.
"""

from __future__ import annotations

import html
import io
import math
import numbers
import re
import zipfile
from collections.abc import Collection, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from ..._warnings import warn_model
from ...model import ModelError
from ...model.base import shown
from ...model.shape_kinds import shape_kind
from ..files.targets import file_path
from ..pictures import mesh_skin, tubes
from ..pictures.geometry import COLORS, Anchor, Key, Look, Shape, Strand, build_look, ellipsoid, grain_mesh
from ..views import mesh as mesh_view
from ..views import rod as rod_view
from ..views.body_values import body_values
from .data import embedded, pack, rounded, squeezed_text
from .motion import RAMP

INSTALL = (
    "three.js, which comes with trimesh, was not found, so the animation is drawn on a plain canvas; run: pip "
    "install holonom[report]"
)
MAX_ARROWS = 150
MAX_MARKERS = 3000
GRAIN_NUMBERS = 12_000_000  # places of grains are 16-bit numbers: the page stays below some 40 MB
MIN_FRAMES = 24
PALETTE = ("#4e8fd0", "#e08a3c", "#56a868", "#c75d68", "#8d7cc8", "#a98467", "#d884b9", "#b9a93a", "#3fa9ab", "#7f93a8")
GROUND = "#8a8f96"
NEAREST = "#d9443f"


def write_animation(
    run: Any,
    path: str | Path,
    *,
    title: str | None = None,
    max_frames: int = 600,
    renderer: str = "auto",
    folder: str | Path | None = None,
    colors: str = "",
    arrows: str = "",
    distances: Sequence[Any] = (),
    follow: str = "",
) -> Path:
    """Write the animation of ``run`` (`holonom.results.Run`) to the HTML file ``path`` and return it.

    ``max_frames``: number of stored positions, evenly distributed over the output rows and interpolated during
    playback.
    ``renderer``: "auto" (three.js, else canvas with a warning), "three" (raises without it) or "canvas".
    ``folder``: where meshes of EXTERNAL graphics lie; default is the folder of the model.
    ``colors``: quantity for the initial colours of bodies: "velocity" (its magnitude), "acceleration",
    "angular_velocity", "force" (the largest that one joint, force or contact has on the body); ``arrows``: vector drawn
    at centres of mass: "velocity", "acceleration", "angular_velocity". Both can be changed in the page.
    ``distances``: of `Run.clearance`, drawn as lines between the nearest points.
    ``follow``: name of a part that the camera follows initially.

    Raises ValueError for a run without output rows or bodies, or an unknown renderer; `ModelError` for a part to follow
    that does not exist; RuntimeError when three.js is requested and not installed.
    """
    path = page_path(path)
    page = animation_page(
        run,
        title=title,
        max_frames=max_frames,
        renderer=renderer,
        folder=folder,
        colors=colors,
        arrows=arrows,
        distances=distances,
        follow=follow,
    )
    return write_page(path, page)


def animation_page(
    run: Any,
    *,
    title: str | None = None,
    max_frames: int = 600,
    renderer: str = "auto",
    folder: str | Path | None = None,
    colors: str = "",
    arrows: str = "",
    distances: Sequence[Any] = (),
    follow: str = "",
) -> str:
    """The page that `write_animation` writes, as text."""
    name = title or f"{run.model.name}: animation"
    return fill(
        template("animation.html"),
        title=html.escape(name),
        style=template("viewer.css"),
        viewer=viewer(
            scene(
                run,
                title=name,
                max_frames=max_frames,
                folder=folder,
                colors=colors,
                arrows=arrows,
                distances=distances,
                follow=follow,
            ),
            renderer=renderer,
        ),
    )


animate = write_animation


def viewer(data: dict[str, Any], *, renderer: str = "auto", ident: str = "holonom-viewer") -> str:
    """HTML of one viewer (its scripts included, its style not) for the dict of `scene`."""
    if renderer not in ("auto", "three", "canvas"):
        raise ValueError(f"unknown renderer '{renderer}'; choose auto, three or canvas")
    code = "" if renderer == "canvas" else three_js()
    if code is None:
        if renderer == "three":
            raise RuntimeError("three.js is not installed; run: pip install holonom[report]")
        warn_model(INSTALL)
        data = {**data, "missing": [*data.get("missing", []), INSTALL]}
    return fill(
        template("viewer.html"),
        ident=html.escape(ident),
        data=embedded({"ramp": RAMP.astype(int).tolist(), **data}),
        unpack=unpacker(),
        three=_packed_script(code) if code else "",
        code=template("viewer.js"),
    )


def unpacker() -> str:
    """Script element with what reads packed numbers and what moves by them; a page may hold it more than once."""
    unzip = f"if (!window.holonomUnpack) {{\n{template('vendor/fflate.unzlib.min.js')}\nwindow.fflate = fflate;\n}}"
    return f"<script>\n{unzip}\n{template('unpack.js')}\n{template('moving.js')}</script>"


def _packed_script(code: str) -> str:
    """three.js compressed, with its licence in plain text."""
    notice = re.match(r"/\*.*?\*/", code, re.S)
    words = notice.group(0).replace("--", "- -").replace(">", "") if notice else ""
    data = f'<script type="application/octet-stream" id="holonom-three">{squeezed_text(code)}</script>'
    return (
        f'<!-- {words} -->\n{data}\n<script>if (typeof THREE === "undefined") holonomScript("holonom-three")</script>'
    )


# ---- templates ------------------------------------------------------------------------------------------------------
@cache
def template(name: str) -> str:
    """Text of a file in ``templates/``."""
    return resources.files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def fill(text: str, **values: str) -> str:
    """Replace each ``{{name}}`` once, in one pass: what is put in is never checked again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda m: values[m.group(1)], text)


def page_path(path: Any) -> Path:
    """The file of a page.  Raises ModelError for a name that does not end in .html: a PDF or a picture is not what it
    holds."""
    path = file_path(path, "a page is one file", "page.html")
    if path.suffix.lower() not in (".html", ".htm"):
        raise ModelError(f"'{path.name}' is a page for a browser; give a name that ends in .html")
    return path


def write_page(path: Path, page: str) -> Path:
    """Write a page, in a folder that is made where there is none.  Raises ModelError where it cannot be written, and
    as `page_path`."""
    path = page_path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    except OSError as problem:
        raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None
    return path


@cache
def three_js() -> str | None:
    """Source text of three.js as a classic script that defines ``THREE``, or None when trimesh is missing or changed.

    trimesh keeps it in ``resources/templates/viewer.zip``: an HTML page whose only script starts with the three.js
    build, marked by its licence comment, followed by trimesh's own code; only the build (with the comment) is taken.
    """
    try:
        raw = resources.files("trimesh").joinpath("resources/templates/viewer.zip").read_bytes()
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            name = next(n for n in archive.namelist() if n.endswith(".template"))
            page = archive.read(name).decode("utf-8")
    except (ImportError, OSError, StopIteration, zipfile.BadZipFile, UnicodeDecodeError):
        return None
    start = page.find("/**\n * @license")
    end = re.compile(
        r'Object\.defineProperty\(\w+,\s*"__esModule",\s*\{\s*value:\s*(?:!0|true)\s*\}\)\s*;?\s*\}\)\);?'
    ).search(page, max(start, 0))
    if start < 0 or end is None:
        return None
    code = page[start : end.end()]
    good = "Three.js Authors" in code[:200] and "WebGLRenderer" in code and "</script" not in code.lower()
    return code if good else None


# ---- data -----------------------------------------------------------------------------------------------------------
def check_options(run: Any, max_frames: Any, follow: Any) -> None:
    """Raise ModelError for a number of positions that is none, and for a part to follow that does not exist."""
    if not isinstance(max_frames, numbers.Integral) or isinstance(max_frames, bool) or max_frames < 1:
        raise ModelError(f"max_frames is {shown(max_frames)}; give a whole number above zero")
    if follow:
        try:
            run.model.find("PART", follow)
        except ModelError as error:
            raise ModelError(f"follow: {error}; give the name of a part") from None


def scene(
    run: Any,
    *,
    title: str = "",
    max_frames: int = 600,
    folder: str | Path | None = None,
    colors: str = "",
    arrows: str = "",
    distances: Sequence[Any] = (),
    follow: str = "",
    pieces: bool = False,
) -> dict[str, Any]:
    """What the viewer shows, as plain JSON data; arrays are base64 of little-endian floats.

    ``time`` f64 (nf,); ``motion`` f32 (nf, nb, 7): centre of mass from ``origin`` and quaternion, scalar first;
    ``arrows.values`` f32 (nf, na, 3); ``contacts.values`` f32 (nf, slots, 6): position from ``origin`` and force on the
    I side of the contact that ``contacts.which`` i32 (nf, slots) says (-1: none); ``tubes``: rods and cables, see
    `tubes.page_data`, or (``pieces``) short bodies instead. Raises ValueError when there is nothing to show.
    """
    data, model = run.data, run.model
    check_options(run, max_frames, follow)
    if not len(data.time):
        raise ValueError("the run has no output rows, so there is nothing to animate")
    rods = [v.element for v in rod_view.recorded(run)]
    look = build_look(model, folder, [*rods, *(v.element for v in mesh_view.recorded(run))])
    bulk = _recorded_grains(run)
    many = sum(len(g) * (7 if "quaternion" in g.element.record else 3) for g in bulk)
    rows = frame_rows(len(data.time), min(max_frames, max(MIN_FRAMES, GRAIN_NUMBERS // many)) if many else max_frames)
    keys, position, quaternion = _motion(data, look, rows)
    table = model.table("ABSOLUTE_MESH")
    seen = [
        k
        for k, key in enumerate(keys)
        if key[0] != "MESH_POINT" or not (p := model.table("MESH_POINT")[key[1]]).is_gradient(table[p.mesh])
    ]
    keys, position, quaternion = [keys[k] for k in seen], position[:, seen], quaternion[:, seen]
    drawn = tubes.recorded(run, rows, look.size)
    look.bodies.update({t.key: t.name for t in drawn})
    of_tubes = tubes.as_bodies(drawn, look, len(rows)) if pieces else tubes.poses(drawn, len(rows))
    skins = [v for v in mesh_view.recorded(run) if not v.is_cable]
    look.bodies.update({(v.element.KIND, v.element.id): v.name for v in skins})
    still = (
        [(v.element.KIND, v.element.id) for v in skins],
        np.zeros((len(rows), len(skins), 3)),
        np.tile([1.0, 0.0, 0.0, 0.0], (len(rows), len(skins), 1)),
    )
    for made in (still, of_tubes, _nearest(distances, look, rows, len(data.time))):
        keys += made[0]
        position, quaternion = (np.concatenate(pair, axis=1) for pair in zip((position, quaternion), made[1:]))
    if not keys:
        raise ValueError("the run has no bodies, so there is nothing to animate")
    index = {key: n for n, key in enumerate(keys)}
    skinned = {(v.element.KIND, v.element.id) for v in skins}  # stand at the origin of ground
    moving = [n for n, key in enumerate(keys) if key not in look.ground and key not in skinned]
    if moving or not bulk:
        origin = np.round(np.median(position[0, moving or list(range(len(keys)))], axis=0), 12)
    else:
        origin = np.round(np.nan_to_num(np.median(bulk[0].element.positions, axis=0)), 12)
    motion = np.concatenate([rounded(position - origin, 22), rounded(quaternion, 22, 1.0)], axis=2)
    _widen(look, index, position, quaternion, bulk)
    out: dict[str, Any] = {
        "title": title,
        "model": model.name,
        "rows": len(data.time),
        "frames": len(rows),
        "time": pack(data.time[rows], "<f8"),
        "motion": pack(motion, "<f4"),
        "origin": origin.tolist(),
        "bodies": _bodies(keys, look, {("PART", p) for e in rods for p in e.parts}),
        "flexible": _flexible(run, look, index, rows)
        + [mesh_skin.page_data(v, index[v.element.KIND, v.element.id], rows, pack) for v in skins],
        "tubes": [] if pieces else tubes.page_data(drawn, index, pack),
        "grains": [_grains(g, rows, origin, n) for n, g in enumerate(bulk)],
        "markers": _markers(look, index),
        "springs": [s for s in (_spring(s, index) for s in look.springs) if s],
        "strands": [
            {"name": s.name, "a": a, **({"color": s.color} if s.color else {})}
            for s in look.strands
            if (a := _anchors(s.anchors, index))
        ],
        "arrows": _arrows(run, look, index, rows, {("EXACT_BEAM", b) for e in rods for b in e.beams}),
        "contacts": _contacts(run, look, rows, origin),
        "quantities": body_values(run, keys, rows, colors, arrows, look.missing),
        "size": look.size,
        "up": _up(model),
        "units": {q: model.units.symbol(q) for q in ("length", "time", "force")}
        | {"stress": f"{model.units.symbol('force')}/{model.units.symbol('length')}²"},
        "missing": list(look.missing),
    }
    if any(s.kind == "linear" for s in run.segments):
        out["relative"] = True
    if follow:
        out["follow"] = index["PART", run.model.find("PART", follow).id]
    return out


def _nearest(
    distances: Sequence[Any], look: Look, rows: np.ndarray, count: int
) -> tuple[list[Key], np.ndarray, np.ndarray]:
    """Nearest points of `clearance.Clearance` as two small balls and a line between them: keys, positions,
    quaternions.  Raises ModelError for those of another run."""
    keys: list[Key] = []
    places = [np.zeros((len(rows), 0, 3))]
    for n, d in enumerate(distances):
        if len(d.time) != count:
            raise ModelError(
                f"the distance of {d.names[0]} and {d.names[1]} has {len(d.time)} times, the run {count}; ask this run "
                "for it"
            )
        pair = [(f"NEAREST_{n}", k) for k in range(2)]
        points, triangles = ellipsoid(0.015 * look.size, 0.015 * look.size, 0.015 * look.size)
        for key, name in zip(pair, d.names):
            look.bodies[key] = f"nearest point of {name}"
            look.shapes.append(Shape(key, points, triangles, look.bodies[key], color=NEAREST))
        look.strands.append(Strand([Anchor(key, np.zeros(3)) for key in pair], f"{d.names[0]} - {d.names[1]}", NEAREST))
        keys += pair
        places.append(d.points[rows])
    turns = np.zeros((len(rows), len(keys), 4))
    turns[:, :, 0] = 1.0
    return keys, np.concatenate(places, axis=1), turns


def _flexible(run: Any, look: Look, index: dict[Key, int], rows: np.ndarray) -> list[dict[str, Any]]:
    """Flexible bodies, see `flexible_surface.page_data`; those whose modes the run does not hold are a sentence."""
    from ..pictures.flexible_surface import page_data

    out = []
    for element in run.model.table("FLEXIBILITY").values():
        key = ("PART", element.part)
        if not element.active or key not in index:
            continue
        try:
            data, words = page_data(run.flexible(element), index[key], rows, pack)
        except ModelError as error:
            look.missing.append(f"{look.bodies[key]} is drawn without its bending: {error}.")
            continue
        out.append(data)
        look.missing += words
    return out


def _recorded_grains(run: Any) -> list[Any]:
    """Views of the grains whose places the run holds."""
    table = run.model.table("GRAINS").values()
    return [run.grains(e) for e in table if f"grains/{e.id}/position" in run.data.extra and len(e)]


def _grains(view: Any, rows: np.ndarray, origin: np.ndarray, number: int) -> dict[str, Any]:
    """Positions as whole numbers of 16 bits within their box (65535: not there), u16 (nf, n, 3); quaternions i16 (nf,
    n,
    4) of what is not a ball; sizes f32 (n,); the surface of one grain of size 1."""
    e = view.element
    place = np.asarray(view.values("position")[rows], float) - origin
    there = np.isfinite(place).all(axis=2)
    some = place[there] if there.any() else np.zeros((1, 3))
    low, span = some.min(axis=0), np.maximum(np.ptp(some, axis=0), 1e-12)
    most = np.quantile(
        some[:: max(1, len(some) // 200_000)], (0.004, 0.996), axis=0
    )  # what flew far does not decide the picture
    code = np.where(there[:, :, None], np.round(np.nan_to_num((place - low) / span) * 65534), 65535)
    n = len(e)
    points, triangles = grain_mesh(e, 20 if n <= 2000 else 12 if n <= 20_000 else 7)
    out = {
        "name": e.name,
        "count": n,
        "color": COLORS.get(e.color.strip().upper().replace(" ", "_"), PALETTE[(number + 1) % len(PALETTE)]),
        "low": low.tolist(),
        "span": span.tolist(),
        "view": most.tolist(),
        "p": pack(code, "<u2"),
        "s": pack(e.sizes, "<f4"),
        "reach": e.reach,
        "mesh": {"p": pack(points, "<f4"), "t": pack(triangles, "<u2"), "flat": shape_kind(e.shape).flat},
    }
    if not e.by_radius and "quaternion" in e.record:
        out["q"] = pack(np.round(np.nan_to_num(view.values("quaternion")[rows]) * 32767), "<i2")
    return out


def frame_rows(count: int, limit: int) -> np.ndarray:
    """At most ``limit`` row numbers of 0..count-1, evenly spread, first and last kept."""
    if count <= max(limit, 1):
        return np.arange(count)
    return np.unique(np.round(np.linspace(0, count - 1, max(limit, 2))).astype(int))


def _motion(data: Any, look: Look, rows: np.ndarray) -> tuple[list[Key], np.ndarray, np.ndarray]:
    """Keys, positions (nf, nb, 3), quaternions (nf, nb, 4) of recorded bodies, then of ground at rest."""
    keys = [(kind, ident) for kind, ident, _ in data.bodies]
    position = _filled(np.asarray(data.body_position, float)[rows])
    quaternion = np.asarray(data.body_quaternion, float)[rows]
    quaternion = np.where(np.isfinite(quaternion).all(axis=2, keepdims=True), quaternion, np.nan)
    quaternion = _filled(quaternion)
    norm = np.linalg.norm(quaternion, axis=2, keepdims=True)
    quaternion = np.where(norm > 1e-9, quaternion / np.where(norm > 1e-9, norm, 1.0), [1.0, 0.0, 0.0, 0.0])
    flip = np.cumprod(np.where(np.sum(quaternion[1:] * quaternion[:-1], axis=2) < 0, -1.0, 1.0), axis=0)
    quaternion[1:] *= flip[:, :, None]
    for kind, ident, name in data.bodies:
        look.bodies.setdefault((kind, ident), name)
    from holonom.model.orientation import to_quaternion

    for key in look.ground - set(keys):
        place, axes = look.placement[key]
        keys.append(key)
        position = np.concatenate([position, np.broadcast_to(place, (len(rows), 1, 3))], axis=1)
        quaternion = np.concatenate([quaternion, np.broadcast_to(to_quaternion(axes), (len(rows), 1, 4))], axis=1)
    return keys, position, quaternion


def _filled(values: np.ndarray) -> np.ndarray:
    """Numbers that are not finite take the last finite one of their column, or zero."""
    values = np.array(values, float)
    bad = ~np.isfinite(values)
    if bad.any():
        last = np.where(bad, 0, np.arange(len(values)).reshape(-1, *[1] * (values.ndim - 1)))
        values = np.take_along_axis(np.where(bad, 0.0, values), np.maximum.accumulate(last, axis=0), axis=0)
    return values


def _bodies(keys: list[Key], look: Look, nodes: Collection[Key] = ()) -> list[dict[str, Any]]:
    """``nodes``: parts that are nodes of rods."""
    meshes: dict[Key, dict[tuple[bool, str, bool], list]] = {key: {} for key in keys}
    lines: dict[Key, list] = {key: [] for key in keys}
    skeleton: dict[Key, bool] = {}
    for shape in look.shapes:
        if shape.body not in meshes:
            continue
        skeleton[shape.body] = skeleton.get(shape.body, True) and shape.skeleton
        if not np.isfinite(shape.points).all():
            look.missing.append(f"A graphic of {look.bodies[shape.body]} is not drawn: its numbers are not finite.")
        elif shape.triangles is None:
            lines[shape.body].append(shape.points)
        else:
            meshes[shape.body].setdefault((shape.flat, shape.color, shape.plane), []).append(
                (shape.points, shape.triangles)
            )
    out, colour = [], 0
    for key in keys:
        ground = key in look.ground
        body: dict[str, Any] = {
            "name": look.bodies.get(key, f"{key[0]}_{key[1]}"),
            "kind": key[0],
            "id": key[1],
            "ground": ground,
            "color": GROUND if ground else PALETTE[colour % len(PALETTE)],
            "skeleton": skeleton.get(key, True) and key not in look.bent,
        }
        if key in look.bent and (key[0] != "PART" or key in nodes and not meshes[key] and not lines[key]):
            body["soft"] = True  # what goes with a node is seen through, so that it does not hide the part
        colour += not ground
        body["meshes"] = [_mesh(pieces, flat, color, plane) for (flat, color, plane), pieces in meshes[key].items()]
        tints = [m["color"] for m in body["meshes"] if "color" in m]
        if tints and len(tints) == len(body["meshes"]):
            body["color"] = tints[0]
        if lines[key]:
            body["lines"] = pack(np.vstack(lines[key]), "<f4")
        out.append(body)
    return out


def _mesh(
    pieces: list[tuple[np.ndarray, np.ndarray]], flat: bool, color: str = "", plane: bool = False
) -> dict[str, Any]:
    """Several surfaces of one colour as one: points f32, triangles u16 or (``wide``) u32."""
    shift = np.cumsum([0] + [len(points) for points, _ in pieces])
    wide = bool(shift[-1] > 65535)
    triangles = np.vstack([t + n for (_, t), n in zip(pieces, shift)])
    points = np.vstack([p for p, _ in pieces])
    mesh: dict[str, Any] = {
        "p": pack(points, "<f4"),
        "t": pack(triangles, "<u4" if wide else "<u2"),
        "wide": wide,
        "flat": flat,
    }
    if plane:
        mesh["plane"] = True
    return {**mesh, "color": color} if color else mesh


def _markers(look: Look, index: dict[Key, int]) -> list[dict[str, Any]]:
    from holonom.model.orientation import to_quaternion

    found = [m for m in look.markers.values() if m.body in index and np.isfinite(m.origin).all()]
    if len(found) > MAX_MARKERS:
        look.missing.append(f"{len(found) - MAX_MARKERS} of {len(found)} markers are left out of the animation.")
    return [
        {"id": m.id, "name": m.name, "body": index[m.body], "o": _round(m.origin), "q": _round(to_quaternion(m.axes))}
        for m in found[:MAX_MARKERS]
    ]


def _anchors(anchors: list[Anchor], index: dict[Key, int]) -> list[list[float]] | None:
    if any(a.body not in index or not np.isfinite(a.point).all() for a in anchors):
        return None
    return [[index[a.body], *_round(a.point)] for a in anchors]


def _spring(spring: Any, index: dict[Key, int]) -> dict[str, Any] | None:
    anchors = _anchors([spring.i, spring.j], index)
    if anchors is None:
        return None
    sizes = {k: getattr(spring, k) for k in ("da", "db", "dc", "la", "lb", "lc", "ld")}
    return {"name": spring.name, "i": anchors[0], "j": anchors[1], "coils": spring.coils, **sizes}


def _arrows(run: Any, look: Look, index: dict[Key, int], rows: np.ndarray, within: set[Key]) -> dict[str, Any]:
    """Forces on I markers: constraints and applied forces that are not zero, the largest MAX_ARROWS of each, but not
    those ``within`` rods that are drawn; and what GRAPHICS/FORCE elements require: the force on I, the opposite force
    on J, or both."""
    data = run.data
    items, columns = [], []
    wanted: dict[Key, set[int]] = {}
    for kind, ident, marker in look.arrows:
        wanted.setdefault((kind, ident), set()).add(marker)
    for table, label in (("force", "force"), ("constraint", "reaction")):
        keys = getattr(data, f"{table}s")
        if not keys:
            continue
        values = np.nan_to_num(
            np.asarray(getattr(data, f"{table}_force"), float)[rows], nan=0.0, posinf=0.0, neginf=0.0
        )
        largest = np.linalg.norm(values, axis=2).max(axis=0)
        i, j = (np.asarray(getattr(data, f"{table}_{s}")) for s in "ij")
        order = [
            int(k) for k in np.argsort(-largest, kind="stable") if keys[k][:2] not in within or keys[k][:2] in wanted
        ]
        for k in order[:MAX_ARROWS]:
            kind, ident, name = keys[k]
            asked = wanted.get((kind, ident), set()) & {int(i[k]), int(j[k])} or {int(i[k])}
            for marker in sorted(asked):
                place = look.markers.get(marker)
                if largest[k] > 0 and place is not None and place.body in index:
                    items.append(
                        {
                            "name": name,
                            "kind": label,
                            "of": f"{kind}/{ident}",
                            "body": index[place.body],
                            "o": _round(place.origin),
                        }
                    )
                    columns.append(values[:, k] if marker == int(i[k]) else -values[:, k])
    top = float(max((np.linalg.norm(c, axis=1).max() for c in columns), default=0.0))
    values = np.stack(columns, axis=1) if columns else np.zeros((len(rows), 0, 3))
    return {"items": items, "values": pack(rounded(values, 22), "<f4"), "largest": top}


def _contacts(run: Any, look: Look, rows: np.ndarray, origin: np.ndarray) -> dict[str, Any]:
    """Forces on the I sides and the positions where they act: of each point where the run holds points, else of each
    contact altogether.
    ``scale``: the force of an arrow of common length, which one impact does not decide."""
    data = run.data
    out: dict[str, Any] = {"items": [], "values": "", "which": "", "slots": 0, "scale": 0.0, "largest": 0.0}
    points = data.extra.get("contacts/points")
    number: np.ndarray
    if (
        points is not None
        and len(data.contacts)
        and points.shape[1:2]
        and points.shape[2:] == (7,)
        and np.isfinite(points).any()
    ):
        at = np.asarray(points, float)[rows]
        at = at[:, : max(1, int(np.isfinite(at[:, :, 0]).sum(axis=1).max(initial=0)))]
        number = np.where(
            np.isfinite(at[:, :, 0]) & (at[:, :, 0] < len(data.contacts)), np.nan_to_num(at[:, :, 0]), -1
        ).astype(int)
        place, force = at[:, :, 1:4], at[:, :, 4:]
        if points.shape[1] and np.isfinite(points[:, -1, 0]).any():
            look.missing.append(
                f"Of the points of contact of a time the {points.shape[1]} with the largest forces are drawn."
            )
    elif data.contacts:
        place, force = np.asarray(data.contact_point, float)[rows], np.asarray(data.contact_force, float)[rows]
        top = np.linalg.norm(np.nan_to_num(force), axis=2).max(axis=0, initial=0.0)
        kept = [int(k) for k in np.argsort(-top, kind="stable")[:MAX_ARROWS] if top[k] > 0]
        if np.count_nonzero(top) > MAX_ARROWS:
            look.missing.append(f"{np.count_nonzero(top) - MAX_ARROWS} contacts with smaller forces have no arrow.")
        place, force = place[:, kept], force[:, kept]
        number = np.broadcast_to(np.array(kept, int), force.shape[:2])
    else:
        return out
    good = np.isfinite(place).all(axis=2) & np.isfinite(force).all(axis=2) & (number >= 0)
    size = np.linalg.norm(np.where(good[:, :, None], force, 0.0), axis=2)
    if not (size > 0).any():
        return out
    values = np.where(good[:, :, None], np.concatenate([rounded(place - origin, 22), rounded(force, 22)], axis=2), 0.0)
    acting = size[size > 1e-9 * size.max()]
    out |= {
        "items": [{"name": name, "of": f"{kind}/{ident}"} for kind, ident, name in data.contacts],
        "values": pack(values, "<f4"),
        "which": pack(np.where(good, number, -1), "<i4"),
        "slots": int(size.shape[1]),
        "scale": float(np.quantile(acting, 0.9)),
        "largest": float(size.max()),
    }
    return out


def _widen(
    look: Look, index: dict[Key, int], position: np.ndarray, quaternion: np.ndarray, bulk: Sequence[Any]
) -> None:
    """Half-spaces are drawn below everything that is seen in the run."""
    planes = [s for s in look.shapes if s.plane and s.body in index]
    if not planes:
        return
    from holonom.model.orientation import from_quaternion

    some = np.unique(np.linspace(0, len(position) - 1, 30).astype(int))
    moving = [n for key, n in index.items() if key not in look.ground and not key[0].startswith("ABSOLUTE_MESH")]
    for shape in planes:
        b, corner = index[shape.body], shape.points
        middle, u, v = corner.mean(axis=0), corner[1] - corner[0], corner[3] - corner[0]
        axes = np.array([u / np.linalg.norm(u), v / np.linalg.norm(v)])
        reach = [
            -0.5 * np.array([np.linalg.norm(u), np.linalg.norm(v)]),
            0.5 * np.array([np.linalg.norm(u), np.linalg.norm(v)]),
        ]
        for f in some:
            turn = from_quaternion(quaternion[f, b])
            places = [position[f, moving]]
            if f == some[0]:
                places += [np.asarray(g.element.positions, float).reshape(-1, 3) for g in bulk]
            there = np.concatenate(places)
            there = ((there[np.isfinite(there).all(axis=1)] - position[f, b]) @ turn - middle) @ axes.T
            if len(there):
                reach = [
                    np.minimum(reach[0], there.min(axis=0) - look.size),
                    np.maximum(reach[1], there.max(axis=0) + look.size),
                ]
        corners = [(reach[i][0], reach[j][1]) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
        shape.points = np.array([middle + x * axes[0] + y * axes[1] for x, y in corners])


def _up(model: Any) -> list[float]:
    """Against gravity along the nearest axis; z without gravity."""
    gravity = np.asarray(model.gravity, float)
    if not np.linalg.norm(gravity) > 0:
        return [0.0, 0.0, 1.0]
    k = int(np.argmax(np.abs(gravity)))
    return [-math.copysign(1.0, gravity[k]) if n == k else 0.0 for n in range(3)]


def _round(values: np.ndarray) -> list[float]:
    return [float(f"{v:.7g}") for v in values]
