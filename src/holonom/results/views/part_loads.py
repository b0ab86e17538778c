"""Loads of a rigid part at its hardpoints: forces and moments of joints, force elements, springs, tyres and contacts
over time, balanced by its inertia (d'Alembert).

With m the mass, r the centre of mass, J the inertia about it, W the angular velocity and g the gravity,

    sum F_k + m (g - r'') = 0,     sum (M_k + s_k x F_k) - (J W)' = 0,      s_k from the centre of mass to hardpoint k.

What acts is known from the sides of all elements (`sides`); what this sum lacks is reported.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model import ModelError
from ...model.base import did_you_mean, shown
from .._data import XYZ
from .._interpolate import linear, locate
from .._names import Named
from ..run import Run
from .flexible_loads import BALANCE, Loads, body_motion, nastran_cards
from .sides import contact_sides, sides

if TYPE_CHECKING:
    import xarray as xr

COMPONENTS = ("Fx", "Fy", "Fz", "Mx", "My", "Mz", "F", "M")
SAME = 1e-9  # of the size of the part: markers nearer than that are one hardpoint


@dataclass(frozen=True)
class PartLoads(Named):
    """Of each of n elements that act on a part: ``sources`` (kind, id, name), ``markers``: names of the hardpoints,
    ``places`` (n, 3): of these, ``forces``, ``moments``
    (nt, n, 3): on the part, about its hardpoint; ``acceleration``, ``gravity`` (nt, 3) of the centre of mass,
    ``omega``, ``alpha`` (nt, 3), ``centre`` (3,).

    Components along ``axes``: "part" (its own axes, positions from its origin), the name of a marker of the part
    (positions from there), or "ground" (positions NaN: they move). ``residual``, ``moment_residual`` (nt,): error of
    the balance,
    ``scale``, ``moment_scale``: of the largest terms.  ``notes``: what a reader should know."""

    run: Run
    name: str
    axes: str
    time: np.ndarray
    sources: tuple[tuple[str, int, str], ...]
    markers: tuple[str, ...]
    places: np.ndarray
    forces: np.ndarray
    moments: np.ndarray
    acceleration: np.ndarray
    gravity: np.ndarray
    omega: np.ndarray
    alpha: np.ndarray
    centre: np.ndarray
    residual: np.ndarray
    scale: float
    moment_residual: np.ndarray
    moment_scale: float
    notes: tuple[str, ...] = field(default=())

    @property
    def balanced(self) -> bool:
        """Whether forces and moments balance the inertia to within 1e-4 of the largest term at all times."""
        return bool(
            self.residual.max() <= BALANCE * self.scale and self.moment_residual.max() <= BALANCE * self.moment_scale
        )

    @property
    def names(self) -> list[str]:
        """Of the elements, with the kind where two are called alike."""
        plain = [s[2] for s in self.sources]
        return [n if plain.count(n) == 1 else f"{n} ({s[0]}/{s[1]})" for n, s in zip(plain, self.sources)]

    def history(self, name: str) -> xr.Dataset:
        """``force``, ``moment`` (time, axis) of one element.  Raises ModelError for a name that does not act on the
        part."""
        import xarray as xr

        k = self._index(name)
        u = self.run.units
        coords = {"time": ("time", self.time, {"units": u("time")}), "axis": list(XYZ)}
        data = {
            "force": (("time", "axis"), self.forces[:, k], {"units": u("force")}),
            "moment": (("time", "axis"), self.moments[:, k], {"units": u("torque")}),
        }
        return xr.Dataset(data, coords, {"element": self.names[k], "hardpoint": self.markers[k], "axes": self.axes})

    def _index(self, name: str) -> int:
        low = str(name).strip().lower()
        for k, (full, (kind, ident, _)) in enumerate(zip(self.names, self.sources)):
            if low in (full.lower(), f"{kind}/{ident}".lower()):
                return k
        raise ModelError(
            f"nothing named {shown(name)} acts on {self.name}{did_you_mean(name, self.names, '')}; these do: "
            f"{', '.join(self.names)}"
        )

    def _values(self, k: int) -> np.ndarray:
        """(nt, 8) components and sizes of an element."""
        f, m = self.forces[:, k], self.moments[:, k]
        return np.column_stack([f, m, np.linalg.norm(f, axis=1), np.linalg.norm(m, axis=1)])

    def extremes(self) -> list[dict[str, Any]]:
        """Rows with element, hardpoint, component (Fx .. Mz, F, M: magnitudes), least, at, most, when, range; grouped
        by element."""
        out = []
        for k, name in enumerate(self.names):
            values = self._values(k)
            low, high = values.argmin(axis=0), values.argmax(axis=0)
            for c, word in enumerate(COMPONENTS):
                least, most = float(values[low[c], c]), float(values[high[c], c])
                out.append(
                    {
                        "element": name,
                        "hardpoint": self.markers[k],
                        "component": word,
                        "least": least,
                        "at": float(self.time[low[c]]),
                        "most": most,
                        "when": float(self.time[high[c]]),
                        "range": most - least,
                    }
                )
        return out

    def _balance(self) -> str:
        u = self.run.units
        force = f"{self.residual.max():.3g} {u('force')} of {self.scale:.4g}"
        return (
            f"balance with inertia: {force}, {self.moment_residual.max():.3g} {u('torque')} of {self.moment_scale:.4g}"
        )

    def text(self) -> str:
        """Table of extremes and the balance."""
        u = self.run.units
        rows = [
            r
            for r in self.extremes()
            if max(abs(r["least"]), abs(r["most"]))
            > 1e-9 * (self.scale if r["component"][0] == "F" else self.moment_scale)
        ]
        wide = max([len(r["element"]) for r in rows] + [7])
        lines = [
            f"{self.name}: loads at its hardpoints, axes of {self.axes}, {u('force')}, {u('torque')}, {u('time')}",
            f"{'element':{wide}}    {'least':>12} {'at':>10} {'most':>12} {'at':>10} {'range':>12}",
        ]
        for r in rows:
            lines.append(
                f"{r['element']:{wide}} {r['component']:2} {r['least']:12.5g} {r['at']:10.4g} {r['most']:12.5g} "
                f"{r['when']:10.4g} {r['range']:12.5g}"
            )
        lines.append(self._balance())
        return "\n".join([*lines, *self.notes])

    __str__ = text

    def worst(self, most: int = 12) -> list[tuple[float, str]]:
        """(time, reason) of the largest forces and moments of the elements, in descending order of their share, each
        time once: load cases for finite element models."""
        rows = []
        for k, name in enumerate(self.names):
            values = self._values(k)
            for c, word, whole in ((6, "force", self.scale), (7, "moment", self.moment_scale)):
                t = int(values[:, c].argmax())
                if values[t, c] > 1e-6 * whole:
                    rows.append((values[t, c] / whole, float(self.time[t]), f"largest {word} of {name}"))
        out: dict[float, str] = {}
        for _, when, why in sorted(rows, key=lambda r: -r[0]):
            if when in out:
                out[when] += f", {why}"
            elif len(out) < most:
                out[when] = why
        return sorted(out.items())

    # ---- files ------------------------------------------------------------------------------------------------------
    def to_csv(self, path: str | Path) -> list[Path]:
        """Write histories of all elements, one row per time, and the table of extremes in NAME_extremes.csv. Returns
        the paths; raises `ModelError` where they cannot be written."""
        u, path = self.run.units, Path(path)
        table = path.with_name(f"{path.stem}_extremes{path.suffix or '.csv'}")
        rows = self.extremes()
        try:
            with path.open("w", encoding="utf-8", newline="") as file:
                out = csv.writer(file)
                head = [
                    f"{n} {c} [{u('force' if c[0] == 'F' else 'torque')}]" for n in self.names for c in COMPONENTS[:6]
                ]
                out.writerow(
                    [f"time [{u('time')}]", *head, f"residual [{u('force')}]", f"moment residual [{u('torque')}]"]
                )
                both = np.concatenate([self.forces, self.moments], axis=2).reshape(len(self.time), -1)
                out.writerows(
                    [float(v) for v in row]
                    for row in np.column_stack([self.time, both, self.residual, self.moment_residual])
                )
            with table.open("w", encoding="utf-8", newline="") as file:
                out = csv.writer(file)
                out.writerow([*rows[0]] if rows else ["element"])
                out.writerows(list(r.values()) for r in rows)
        except OSError as error:
            raise ModelError(f"'{path}' cannot be written: {error.strerror}") from None
        return [path, table]

    def nastran(self, path: str | Path, times: Sequence[float] | None = None, *, first: int = 1, grid: int = 1) -> Path:
        """Bulk data: a GRID for each hardpoint (ids from ``grid``), and for each of ``times`` (default: those of
        `worst`) FORCE, MOMENT, and GRAV, RFORCE of the inertia, joined by LOAD sets from ``first``. Raises
        `ModelError` for axes that are not fixed to the part, and where the file cannot be written."""
        if self.axes == "ground":
            raise ModelError(
                "loads along ground axes turn against the part; request part_loads(part) in its own axes, or those of "
                "a marker of the part"
            )
        for word, value in (("first", first), ("grid", grid)):
            if not isinstance(value, int) or not 1 <= value < 90_000_000:
                raise ModelError(f"{word} is {shown(value)}; give a whole number from 1")
        causes = dict(self.worst()) if times is None else {}
        try:
            t = np.atleast_1d(np.asarray(sorted(causes) if times is None else times, float))
        except (TypeError, ValueError):
            t = np.zeros(0)
        if not len(t) or t.ndim != 1 or not np.all((t >= self.time[0]) & (t <= self.time[-1])):
            raise ModelError(
                f"times are {shown(times)}; give times of this run, from {self.time[0]:g} to {self.time[-1]:g}"
            )
        points, number = self.hardpoints()
        left, right, s, _ = locate(self.time, t)
        at = lambda v: linear(v, left, right, s)
        both = np.zeros((len(t), len(points), 6))
        for k, p in enumerate(number):
            both[:, p] += np.concatenate([at(self.forces[:, k]), at(self.moments[:, k])], axis=1)
        loads = Loads(
            t,
            grid + np.arange(len(points)),
            both[:, :, :3],
            both[:, :, 3:],
            at(self.acceleration),
            at(self.gravity),
            at(self.omega),
            at(self.alpha),
            self.centre,
            at(self.residual),
            self.scale,
            at(self.moment_residual),
            self.moment_scale,
            np.zeros((len(t), 0)),
            (),
        )
        u = self.run.units
        plain = lambda text: " ".join(text.split())[:80]
        lines = [
            f"Loads of {plain(self.name)} at its hardpoints, {len(t)} times, model {plain(self.run.model.name)}, "
            "written by Holonom",
            f"units {u('force')}, {u('length')}, {u('time')}; axes of {plain(self.axes)}, which turn with the part",
            self._balance(),
            "gravity and acceleration are loads of the mass: hold the part at three points, their reactions are "
            "about zero",
        ]
        lines += [
            f"GRID {grid + p}: " + ", ".join(plain(self.names[k]) for k, q in enumerate(number) if q == p)
            for p in range(len(points))
        ]
        lines += [
            f"LOAD {first + k}: time {x:.9g}" + (f", {plain(causes[float(x)])}" if float(x) in causes else "")
            for k, x in enumerate(t)
        ]
        try:
            Path(path).write_text(
                "\n".join(nastran_cards(lines, loads, first, ModelError, grids=points)) + "\n", encoding="utf-8"
            )
        except OSError as error:
            raise ModelError(f"'{path}' cannot be written: {error.strerror}") from None
        return Path(path)

    def hardpoints(self) -> tuple[np.ndarray, list[int]]:
        """Positions (k, 3) of distinct hardpoints, and which one each element has."""
        size = float(np.linalg.norm(np.ptp(np.vstack([self.places, self.centre[None]]), axis=0))) or 1.0
        points: list[np.ndarray] = []
        number = []
        for place in self.places:
            for k, p in enumerate(points):
                if np.linalg.norm(p - place) <= SAME * size:
                    number.append(k)
                    break
            else:
                number.append(len(points))
                points.append(place)
        return np.array(points).reshape(-1, 3), number

    def plot(self, path: str | Path, *, top: int = 6) -> Path:
        """Plot the magnitudes of the ``top`` largest forces and moments over time to a picture file. Raises
        `ModelError` where it cannot be written."""
        from ..pictures.figures import Figure, FigureCanvasAgg
        from ..pictures.plots import COLOURS

        figure = Figure(figsize=(9, 6), layout="constrained")
        FigureCanvasAgg(figure)
        for axis, what, unit, whole in zip(
            figure.subplots(2, 1, sharex=True),
            (self.forces, self.moments),
            ("force", "torque"),
            (self.scale, self.moment_scale),
        ):
            size = np.linalg.norm(what, axis=2)
            for n, k in enumerate(np.argsort(-size.max(axis=0), kind="stable")[:top]):
                if size[:, k].max() > 1e-8 * whole:  # more than rounding
                    axis.plot(self.time, size[:, k], color=COLOURS[n % len(COLOURS)], label=self.names[k], lw=1.3)
            axis.set_ylabel(f"{'force' if unit == 'force' else 'moment'} ({self.run.units(unit)})")
            axis.grid(alpha=0.3)
            if axis.lines:
                axis.legend(fontsize=8)
        axis.set_xlabel(f"time ({self.run.units('time')})")
        figure.suptitle(f"{self.name}: loads at its hardpoints")
        try:
            figure.savefig(path, dpi=120)
        except (OSError, ValueError) as error:
            raise ModelError(f"cannot write '{path}': {error}") from None
        return Path(path)


def part_loads(run: Run, part: Any, axes: Any = "part", *, strict: bool = True) -> PartLoads:
    """Histories of all forces and moments on a rigid part at its hardpoints.

    ``axes``: "part", "ground", or a marker of the part.  Contacts act at the marker of their shape.  Raises ModelError
    for flexible bodies (`run.flexible`), for markers of other parts, and, unless ``strict`` is False, where loads and
    inertia do not balance.
    """
    if not len(run):
        raise ModelError("this run has no outputs, so there are no loads to list")
    view = run.part(part)
    model = run.model
    body = model.table(view.kind)[view.id]
    if getattr(body, "ground", False):
        raise ModelError(
            f"{body.label} is ground, which has no inertia; request the loads of a part, or run.reactions()"
        )
    if any(e.active and (view.kind, view.id) == ("PART", e.part) for e in model.table("FLEXIBILITY").values()):
        raise ModelError(f"{body.label} is flexible: run.flexible('{view.name}').loads(...) has the loads on its nodes")
    found = _Found(run, view)
    found.elements()
    found.contacts()
    motion = body_motion(run, view.key)
    A, mass, tensor = motion.axes, motion.mass, motion.inertia
    centre = run._centre(body)
    own = lambda v: np.einsum("tji,t...j->t...i", A, v)
    F, M = (own(np.stack(x, axis=1)) if x else np.zeros((len(run), 0, 3)) for x in (found.forces, found.moments))
    places = np.array(found.places, float).reshape(-1, 3)
    a, al, w, g = map(own, (motion.acceleration, motion.turning, motion.velocity, motion.gravity))
    missing = F.sum(axis=1) + mass * (g - a)
    spin = np.einsum("ij,tj->ti", tensor, w)
    turning = np.einsum("ij,tj->ti", tensor, al) + np.cross(w, spin)
    arms = M + np.cross(places - centre, F)
    short = arms.sum(axis=1) - turning if view.kind == "PART" else np.zeros_like(a)
    scale = max(float(np.abs(F).max(initial=0.0)), float(mass * np.abs(a).max()), float(mass * np.abs(g).max()), 1e-300)
    reach = float(np.linalg.norm(places - centre, axis=1).max(initial=0.0))
    twist = max(float(np.abs(arms).max(initial=0.0)), float(np.abs(turning).max()), 1e-3 * scale * reach, 1e-300)
    notes = list(found.notes) + (["this run holds no accelerations: loads are those of rest"] if motion.rests else [])
    word, turn, origin = _axes(run, view, axes)
    into = (lambda v: v @ turn) if turn is not None else (lambda v: np.einsum("tij,t...j->t...i", A, v))
    shifted = (places - origin) @ turn if turn is not None else np.full_like(places, np.nan)
    out = PartLoads(
        run,
        view.name,
        word,
        np.asarray(run.time, float),
        tuple(found.sources),
        tuple(found.markers),
        shifted,
        into(F),
        into(M),
        into(a),
        into(g),
        into(w),
        into(al),
        (centre - origin) @ turn if turn is not None else np.full(3, np.nan),
        np.linalg.norm(missing, axis=1),
        scale,
        np.linalg.norm(short, axis=1),
        twist,
        tuple(notes),
    )
    if out.balanced:
        return out
    force = out.residual.max() > BALANCE * scale
    size, whole, unit = (out.residual, scale, "force") if force else (out.moment_residual, twist, "torque")
    k = int(size.argmax())
    words = (
        f"at time {run.time[k]:.6g} the {'forces' if force else 'moments'} on {view.name} and its inertia differ by "
        f"{size[k]:.4g} {run.units(unit)} "
        f"(largest {whole:.4g}): {_cause(model, view)}"
    )
    if strict:
        raise ModelError(f"{words}; strict=False gives what is known")
    return replace(out, notes=(*notes, words))


def _cause(model: Any, view: Any) -> str:
    """Why loads and inertia of a part may not balance."""
    markers = model.table("MARKER")
    masses = [
        e.label
        for e in model.table("SLIDING_MASS").values()
        if e.marker in markers and (markers[e.marker].body_kind, markers[e.marker].part) == (view.kind, view.id)
    ]
    if masses:
        return f"the reactions of {', '.join(masses)}, which slide in it, are not recorded"
    return "something acts on it that the run does not hold, or the run is not exact there"


def _axes(run: Run, view: Any, axes: Any) -> tuple[str, np.ndarray | None, np.ndarray]:
    """Word, axes (3, 3) and origin (3,) in those of the part; None: ground."""
    if isinstance(axes, str) and axes.strip().lower() == "part":
        return "part", np.eye(3), np.zeros(3)
    if isinstance(axes, str) and axes.strip().lower() == "ground":
        return "ground", None, np.zeros(3)
    marker = view.marker(axes).element
    if marker.floating:
        raise marker.error("it floats; give a marker with a position of its own")
    return marker.name, marker.axes, np.asarray(marker.qp, float)


class _Found:
    """What acts on a part; forces and moments in ground axes, about hardpoints given in axes of the part."""

    def __init__(self, run: Run, view: Any) -> None:
        self.run, self.view, self.model = run, view, run.model
        self.sources: list[tuple[str, int, str]] = []
        self.markers: list[str] = []
        self.places: list[np.ndarray] = []
        self.forces: list[np.ndarray] = []
        self.moments: list[np.ndarray] = []
        self.notes: list[str] = []

    def mine(self, body: Any) -> bool:
        return body is not None and (body.KIND, body.id) == (self.view.kind, self.view.id)

    def put(
        self, source: tuple[str, int, str], marker: Any, force: np.ndarray, torque: np.ndarray, at: np.ndarray
    ) -> None:
        """A force and a torque at points ``at`` (nt, 3) of ground, moved to a marker of the part."""
        here = self.run.marker(marker).position.values
        self.sources.append(source)
        self.markers.append(marker.name or f"MARKER/{marker.id}")
        self.places.append(np.asarray(marker.qp, float))
        self.forces.append(force)
        self.moments.append(torque + np.cross(at - here, force))

    def elements(self) -> None:
        for key, found in sides(self.run):
            on = [s for s in found if self.mine(self.model.body_of(s.marker))]
            if not on or 1 < len(found) == len(on):  # nothing, or within the part
                continue
            label = f"{key[0]}/{key[1]} '{key[2]}'"
            for side in on:
                if not side.known:
                    if not np.isnan(side.force).all():
                        self.notes.append(f"{label} is not known at all times and is left out")
                    continue
                seat = side.marker
                # it follows I, on this part: its position here changes, and the moment is taken about the centre of
                # mass
                if seat.floating:
                    centre = getattr(self.model.table(self.view.kind)[self.view.id], "cm", None)
                    seat = None if centre is None else self.model.table("MARKER").get(centre)
                    if seat is None:
                        self.notes.append(
                            f"{label} acts at a floating marker and is left out: the part has no marker at its centre "
                            "of mass"
                        )
                        continue
                self.put(key, seat, side.force, side.torque, side.at)

    def contacts(self) -> None:
        from ...model.shape import carrier_of, marker_id

        for contact, both in contact_sides(self.run):
            on = [[self.mine(carrier_of(self.model, g)) for g in side.shapes] for side in both]
            if not any(map(any, on)):
                continue
            if all(map(any, on)) or not all(next(x for x in on if any(x))):
                self.notes.append(
                    f"{contact.label} has shapes of several parts on one side, and the share of this one is not known"
                )
                continue
            side = both[0] if any(on[0]) else both[1]
            number = marker_id(side.shapes[0])
            if number is None:
                raise side.shapes[0].error("no marker places it, so the loads of its contact have no point; give CM")
            marker = self.model.table("MARKER")[number]
            here = self.run.marker(marker).position.values
            point = np.where(np.linalg.norm(side.force, axis=1, keepdims=True) > 0.0, side.point, here)
            self.put((contact.KIND, contact.id, contact.name), marker, side.force, side.torque, point)
