"""Clearance: the minimum distance between two parts over a motion, when and where, also between outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._moved import former_attribute
from ..model import ModelError
from ..model.base import Element, shown
from ..model.kinds import is_number
from . import _rotation as rotation
from ._data import XYZ, Key, RunData
from ._names import Named
from .run import Run

if TYPE_CHECKING:
    import xarray as xr

MOST = 4000  # looks between outputs
# of the size of the parts: intervals in which the distance cannot fall further below the smallest one are left alone
CLOSE = 1e-4
SAFE = 1.1  # for what relative motion of two cubics departs from a cubic
POLISH = 40  # checks the smallest position itself
TAGS = ("on_a", "on_b")


@dataclass
class Clearance(Named):
    """Distance between two parts: ``time`` (n,), ``distance`` (n,), ``points`` (n, 2, 3): the nearest points of both in
    ground, ``shapes`` (n, 2): names of the GRAPHICS that they lie on; at the outputs of the run.

    ``minimum``, ``when``, ``where`` (2, 3), ``between`` (names of the two shapes): over the whole motion, also between
    outputs, where `Run.at` interpolates it. ``sure``: a guaranteed lower bound of the minimum. Negative distances: see
    `holonom.contact.nearest.Nearest.at`. ``deviation``: how far the triangles of shapes that are not convex are from
    these. ``notes``: messages about its accuracy."""

    names: tuple[str, str]
    keys: tuple[Key, Key]
    time: np.ndarray
    distance: np.ndarray
    points: np.ndarray
    shapes: np.ndarray
    minimum: float
    when: float
    where: np.ndarray
    between: tuple[str, str]
    sure: float
    deviation: float
    unit: str
    second: str
    notes: list[str] = field(default_factory=list)
    least = former_attribute("least", "minimum")

    @property
    def touch(self) -> bool:
        """Whether the parts touch or overlap at any time."""
        return bool(self.minimum <= 0.0)

    def history(self) -> xr.Dataset:
        """``distance`` (time) and the nearest points ``on_a``, ``on_b`` (time, axis), ground axes."""
        import xarray as xr

        coords = {"time": ("time", self.time, {"units": self.second}), "axis": list(XYZ)}
        out: dict[str, tuple[str | tuple[str, str], np.ndarray, dict[str, str]]] = {
            "distance": ("time", self.distance, {"units": self.unit})
        }
        for k, tag in enumerate(TAGS):
            out[tag] = (("time", "axis"), self.points[:, k], {"units": self.unit, "axes": "ground"})
        return xr.Dataset(out, coords)

    def text(self) -> str:
        """One line, and its notes."""
        word = "overlap by" if self.minimum < 0.0 else "touch" if self.minimum == 0.0 else "minimum distance"
        size = "" if self.minimum == 0.0 else f" {abs(self.minimum):.6g} {self.unit}"
        place = ", ".join(f"{x:.6g}" for x in 0.5 * (self.where[0] + self.where[1]))
        lines = [
            f"{self.names[0]} - {self.names[1]}: {word}{size} at {self.when:.6g} {self.second}, at ({place}), "
            f"{self.between[0]} and {self.between[1]}"
        ]
        return "\n".join(lines + [f"  {note}" for note in self.notes])

    __str__ = text


def clearance(run: Run, part_a: Any, part_b: Any, *, refine: bool = True, faceting: float | None = None) -> Clearance:
    """Minimum distance between two parts over a run, from their shapes (GRAPHICS), when and where.

    ``part_a``, ``part_b``: a part (or ground), or GRAPHICS of one part, single or as a list. Evaluated at all outputs;
    with ``refine`` also between them, with the motion interpolated by `Run.at`: intervals that may contain a smaller
    distance, by bounds on the speeds of both parts, are halved until none is left (S. A. Piyavskii, USSR Comput. Math.
    12 (1972) 57). ``faceting``: resolution of shapes that are triangulated, larger is finer (default 300).

    Raises `ModelError` for parts without shapes, for the same part twice, and for shapes for which distance is not
    defined.
    """
    if not len(run):
        raise ModelError("this run has no outputs, so there are no distances")
    from ..contact.nearest import Nearest
    from ..contact.shapes.stand_in import FACETING

    notes: list[str] = []
    sides = [_solids(run, part, notes) for part in (part_a, part_b)]
    (key_a, first), (key_b, second) = sides
    if key_a == key_b:
        raise ModelError(
            f"both shapes are of {key_a[0]}/{key_a[1]} '{key_a[2]}', and shapes of one part do not move against each "
            "other; name two parts"
        )
    for key in (key_a, key_b):
        bends = [e for e in run.model.table("FLEXIBILITY").values() if e.active and key[:2] == ("PART", e.part)]
        if bends:
            notes.append(f"{key[2]} is flexible: its shapes are taken as drawn, without its deflection")
    given = FACETING if faceting is None else faceting
    if not (is_number(given) and np.isfinite(given) and 1.0 <= given <= 1e5):
        raise ModelError(f"faceting is {shown(given)}; give a number from 1 to 100000")
    near = Nearest(first, second, float(given))
    pair = _pair(run, key_a, key_b)
    centres = [_centre(run, key) for key in (key_a, key_b)]

    def look(data: RunData) -> np.ndarray:
        axes = rotation.matrices(data.body_quaternion)
        out = np.empty((len(data.time), 9))
        pose = np.empty((2, 12))
        for k in range(len(data.time)):
            for b in range(2):
                pose[b, :3] = data.body_position[k, b] - axes[k, b] @ centres[b]
                pose[b, 3:] = axes[k, b].ravel()
            if not np.isfinite(pose).all():
                raise ModelError(
                    f"the positions of {key_a[2]} and {key_b[2]} at {data.time[k]:g} are not finite numbers, so "
                    f"they have "
                    "no distance"
                )
            out[k] = near.at(pose)
        return out

    rows = look(pair.data)
    best, when, sure = (
        rows[int(np.argmin(rows[:, 0]))],
        float(run.time[int(np.argmin(rows[:, 0]))]),
        float(rows[:, 0].min()),
    )
    if refine and not np.isfinite(near.radius).any():
        notes.append("half-spaces on both sides: checked outputs only")
    elif refine and len(run) > 1:
        radius = [r + float(np.linalg.norm(c)) for r, c in zip(near.radius, centres)]  # about the centres of mass
        best, when, sure, left = _between(pair, rows, look, CLOSE * near.size, radius)
        if left:
            notes.append(
                f"between outputs the distance may be less, down to {max(sure, -near.size):.4g}: {MOST} checks were "
                "made; request outputs closer together"
            )
    if near.deviation > 0.0:
        notes.append(
            f"shapes that are not convex are triangles, at most {near.deviation:.3g} {run.units('length')} off "
            "their surface"
        )
    name = lambda n: near.solids[int(n)].graphic.name or f"GRAPHICS/{near.solids[int(n)].graphic.id}"
    shapes = np.array([[name(r[1]), name(r[2])] for r in rows])
    return Clearance(
        (key_a[2], key_b[2]),
        (key_a, key_b),
        np.asarray(run.time, float),
        rows[:, 0],
        rows[:, 3:].reshape(-1, 2, 3),
        shapes,
        float(best[0]),
        when,
        best[3:].reshape(2, 3),
        (name(best[1]), name(best[2])),
        min(sure, float(best[0])),
        near.deviation,
        run.units("length"),
        run.units("time"),
        notes,
    )


def _solids(run: Run, given: Any, notes: list[str]) -> tuple[Key, list[Any]]:
    """Body and solids that a part, a GRAPHICS element or a list of these elements means."""
    from ..model.shape import carrier_of, is_shape, shape_of

    graphics = run.model.table("GRAPHICS")
    named = given if isinstance(given, (list, tuple)) else [given]
    picked = []
    for one in named:
        text = str(one).strip().upper()
        if isinstance(one, Element) and one.KIND == "GRAPHICS" or text.startswith("GRAPHICS/"):
            picked.append(run.model.find("GRAPHICS", one if isinstance(one, Element) else text[9:]))
    if picked and len(picked) < len(named) or isinstance(given, (list, tuple)) and not picked:
        raise ModelError("give a part, or a list of GRAPHICS of one part")
    if picked:
        bodies = {(b.KIND, b.id, b.name) for b in (carrier_of(run.model, g) for g in picked)}
        if len(bodies) > 1:
            raise ModelError(
                "the GRAPHICS of one side lie on several parts: "
                + ", ".join(sorted(f"{k}/{i} '{n}'" for k, i, n in bodies))
            )
        key = run.part(next(f"{k}/{i}" for k, i, _ in bodies)).key
        return key, [shape_of(run.model, g) for g in picked]
    key = run.part(given).key
    mine = []
    for graphic in graphics.values():
        if is_shape(graphic):
            try:
                body = carrier_of(run.model, graphic)
            except ModelError:
                continue
            if (body.KIND, body.id) == key[:2]:
                mine.append(shape_of(run.model, graphic))
    if not mine:
        raise ModelError(
            f"{key[0]}/{key[1]} '{key[2]}' has no shapes, so it has no distance from anything; draw one (model.box, "
            "model.mesh, ...) or name another part"
        )
    return key, mine


def _centre(run: Run, key: Key) -> np.ndarray:
    return run._centre(run.model.table(key[0])[key[1]])


def _pair(run: Run, *keys: Key) -> Run:
    """A run that holds the motion of two bodies and nothing else."""
    position, quaternion, velocity, acceleration, omega, alpha = (
        np.stack(column, axis=1) for column in zip(*(run._body_arrays(key) for key in keys))
    )
    return Run._of_kept(
        run.model,
        RunData(
            np.asarray(run.time, float),
            bodies=list(keys),
            body_position=position,
            body_quaternion=quaternion,
            body_velocity=velocity,
            body_acceleration=acceleration,
            body_angular_velocity=omega,
            body_angular_acceleration=alpha,
        ),
    )


def _speeds(pair: Run, radius: Sequence[float]) -> np.ndarray:
    """(n - 1,) bound of the rate of the distance in each interval, from the motion of one body in axes of the other
    (the one that reaches less far moves):
    |v| + |w| r; of a cubic the rate has control values at both ends and 3 chord/h less both."""
    d = pair.data
    b = int(np.argmin(radius))
    a = 1 - b
    norm = lambda x: np.linalg.norm(x, axis=-1)
    axes = rotation.matrices(d.body_quaternion)
    v, w = np.nan_to_num(d.body_velocity), np.nan_to_num(d.body_angular_velocity)
    arm = d.body_position[:, b] - d.body_position[:, a]
    into = lambda x: np.einsum("tji,tj->ti", axes[:, a], x)
    place, speed, spin = into(arm), into(v[:, b] - v[:, a] - np.cross(w[:, a], arm)), norm(w[:, b] - w[:, a])
    h = np.diff(d.time)
    step = np.where(h > 0.0, h, 1.0)
    chord = np.diff(place, axis=0) / step[:, None]
    rate = np.maximum.reduce(
        [norm(speed[:-1]), norm(speed[1:]), norm(3.0 * chord - speed[:-1] - speed[1:]), norm(chord)]
    )
    seen = np.einsum("tji,tjk->tik", axes[:, a], axes[:, b])
    cosine = 0.5 * (np.einsum("tij,tij->t", seen[:-1], seen[1:]) - 1.0)
    turn = np.arccos(cosine.clip(-1.0, 1.0)) / step
    turning = np.maximum.reduce([spin[:-1], spin[1:], 3.0 * turn - spin[:-1] - spin[1:], turn])
    return SAFE * (rate + turning * radius[b])


def _between(
    pair: Run, rows: np.ndarray, look: Any, tolerance: float, radius: Sequence[float]
) -> tuple[np.ndarray, float, float, bool]:
    """(least row, its time, a bound below all, whether looks ran out) of a motion between its outputs too."""
    t, d = pair.data.time, rows[:, 0]
    k = int(np.argmin(d))
    best, when = rows[k], float(t[k])
    rate = _speeds(pair, radius)
    inside = np.diff(t) > 0.0
    ta, tb, da, db, U = t[:-1][inside], t[1:][inside], d[:-1][inside], d[1:][inside], rate[inside]
    looks, closed = 0, np.inf
    out_of_looks = False
    while len(ta):
        low = 0.5 * (da + db - U * (tb - ta))
        open_ = (low < best[0] - tolerance) & (tb - ta > 1e-9 * (t[-1] - t[0]))
        closed = min(closed, float(low[~open_].min(initial=np.inf)))
        ta, tb, da, db, U, low = (x[open_] for x in (ta, tb, da, db, U, low))
        if not len(ta):
            break
        if looks + len(ta) > MOST:
            out_of_looks = True
            order = np.argsort(low)[: max(MOST - looks, 0)]
            closed = min(closed, float(low.min()))
            ta, tb, da, db, U = (x[order] for x in (ta, tb, da, db, U))
            if not len(ta):
                break
        middle = 0.5 * (ta + tb)
        found = look(pair.at(middle).data)
        looks += len(middle)
        k = int(np.argmin(found[:, 0]))
        if found[k, 0] < best[0]:
            best, when = found[k], float(middle[k])
        ta, tb, da, db, U = (
            np.concatenate(x) for x in ((ta, middle), (middle, tb), (da, found[:, 0]), (found[:, 0], db), (U, U))
        )
    best, when = _polished(pair, look, best, when)
    return best, when, min(closed, float(best[0])), out_of_looks


def _polished(pair: Run, look: Any, best: np.ndarray, when: float) -> tuple[np.ndarray, float]:
    """The smallest position by golden section and parabolas within the two outputs next to it."""
    from scipy.optimize import minimize_scalar

    t = pair.data.time
    k = int(np.searchsorted(t, when))
    low, high = float(t[max(k - 1, 0)]), float(t[min(k + 1, len(t) - 1)])
    step = min(when - low, high - when) or (high - low)
    low, high = max(low, when - step), min(high, when + step)
    seen: list[tuple[float, np.ndarray]] = []

    def value(x: float) -> float:
        row = look(pair.at(float(x)).data)[0]
        seen.append((float(x), row))
        return float(row[0])

    if high > low:
        minimize_scalar(
            value,
            bounds=(low, high),
            method="bounded",
            options={"xatol": 1e-10 * max(high - low, 1e-300), "maxiter": POLISH},
        )
        x, row = min(seen, key=lambda pair_: pair_[1][0])
        if row[0] < best[0]:
            return row, x
    return best, when


def free_pairs(run: Run) -> list[tuple[str, str]]:
    """Pairs of bodies with shapes that nothing of the model holds together (no joint, primitive or motion between
    them), as "KIND/id", ground among them."""
    from itertools import combinations

    from ..model.shape import carrier_of, is_shape

    model = run.model
    held = set()
    markers = model.table("MARKER")
    for k, _ in enumerate(run.data.constraints):
        ends = [int(run.data.constraint_i[k]), int(run.data.constraint_j[k])]
        if all(e in markers for e in ends):
            held.add(frozenset((b.KIND, b.id) for b in (model.body_of(markers[e]) for e in ends)))
    drawn: list[tuple[str, int]] = []
    known = {key[:2] for key in run.data.bodies}
    for graphic in model.table("GRAPHICS").values():
        if is_shape(graphic):
            try:
                body = carrier_of(model, graphic)
            except ModelError:
                continue
            key = (body.KIND, body.id)
            if key not in drawn and (key in known or getattr(body, "ground", False)):
                drawn.append(key)
    return [(f"{a[0]}/{a[1]}", f"{b[0]}/{b[1]}") for a, b in combinations(drawn, 2) if frozenset((a, b)) not in held]


def write_csv(found: Sequence[Clearance], path: str | Path) -> Path:
    """Distances over time, a column a pair: CSV of one run.  Raises ModelError where the file cannot be written."""
    import csv

    path = Path(path)
    try:
        with path.open("w", newline="", encoding="utf-8") as stream:
            out = csv.writer(stream)
            out.writerow([f"time ({found[0].second})", *(f"{f.names[0]} - {f.names[1]} ({f.unit})" for f in found)])
            out.writerows(
                [repr(float(t)), *(repr(float(f.distance[k])) for f in found)] for k, t in enumerate(found[0].time)
            )
    except OSError as problem:
        raise ModelError(f"cannot write '{path}': {problem.strerror}") from None
    return path


def picture(found: Sequence[Clearance], path: str | Path) -> Path:
    """Distances over time with their minima marked, as PNG (or what the name ends in)."""
    from .pictures.figures import Figure, FigureCanvasAgg
    from .pictures.plots import COLOURS

    figure = Figure(figsize=(7.5, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    axis = figure.subplots()
    for k, f in enumerate(found):
        colour = COLOURS[k % len(COLOURS)]
        axis.plot(f.time, f.distance, color=colour, label=f"{f.names[0]} - {f.names[1]}")
        axis.plot([f.when], [f.minimum], "o", color=colour, ms=6)
        axis.annotate(
            f"{f.minimum:.4g} at {f.when:.4g}",
            (f.when, f.minimum),
            textcoords="offset points",
            xytext=(6, 6),
            fontsize=9,
            color=colour,
        )
    low = min(0.0, *(float(f.distance.min()) for f in found), *(f.minimum for f in found))
    if low <= 0.0:
        axis.axhspan(low * 1.05 if low < 0.0 else 0.0, 0.0, color="#C1272D", alpha=0.12, lw=0)
    axis.axhline(0.0, color="#C1272D", lw=0.8)
    axis.set_xlabel(f"time ({found[0].second})")
    axis.set_ylabel(f"distance ({found[0].unit})")
    axis.legend(fontsize=9)
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as problem:
        raise ModelError(f"cannot write '{path}': {getattr(problem, 'strerror', '') or problem}") from None
    return Path(path)


SHOWN = 20  # pairs of a table where none is named
PAIRS = 300  # that are checked where none is named


def command(
    run: Run,
    between: Sequence[str],
    say: Any,
    *,
    plot: Path | None = None,
    animation: Path | None = None,
    csv: Path | None = None,
) -> list[Clearance]:
    """What ``holonom clearance`` does: table, picture, animation.  ``between``: "A,B"; none: all `free_pairs`.  Raises
    ModelError for a value that is not a pair."""
    pairs = []
    for text in between:
        names = [word.strip() for word in text.split(",")]
        if len(names) != 2 or not all(names):
            raise ModelError(f"--between {text[:60]}: give two parts, as BOOM,CAB")
        pairs.append((names[0], names[1]))
    if not between:
        pairs = free_pairs(run)
        if not pairs:
            raise ModelError("no two parts with shapes are without a joint between them; name pairs with --between A,B")
        if len(pairs) > PAIRS:
            raise ModelError(
                f"{len(pairs)} pairs of parts have shapes, which is too many to check; name some with --between A,B"
            )
    found = sorted((clearance(run, a, b) for a, b in pairs), key=lambda f: f.minimum)
    wide = max(len(f"{f.names[0]} - {f.names[1]}") for f in found)
    say(
        f"{'parts':{wide}}  {'minimum (' + found[0].unit + ')':>14}  {'at (' + found[0].second + ')':>12}  where and "
        "between"
    )
    shown = found if between else found[:SHOWN]
    for f in shown:
        place = ", ".join(f"{x:.5g}" for x in 0.5 * (f.where[0] + f.where[1]))
        word = "" if f.minimum > 0.0 else "  OVERLAP" if f.minimum < 0.0 else "  TOUCH"
        say(
            f"{f.names[0] + ' - ' + f.names[1]:{wide}}  {f.minimum:14.6g}  {f.when:12.6g}  ({place}), "
            f"{f.between[0]} and {f.between[1]}{word}"
        )
    if len(found) > len(shown):
        say(f"  and {len(found) - len(shown)} pairs farther apart")
    for note in dict.fromkeys(note for f in shown for note in f.notes):
        say(f"  {', '.join(f'{f.names[0]} - {f.names[1]}' for f in shown if note in f.notes)}: {note}")
    if plot is not None:
        say(f"picture: {picture(found[:7], plot)}")
    if animation is not None:
        run.animate(animation, distances=found[:20])
        say(f"animation: {animation}")
    if csv is not None:
        say(f"table: {write_csv(found, csv)}")
    return found
