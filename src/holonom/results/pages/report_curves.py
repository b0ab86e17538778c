"""Curves of a report: what is plotted, in which units, and what is left out because it is zero to rounding.

The numbers go into the page as data (32-bit floats from an offset, thinned where there are many) and are drawn by the
page's own script, so that letters keep their size on every screen and one set of numbers serves the plots of the whole
machine and those of one element.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...model.html import pretty
from .._data import Key
from .._units import to_si
from ..compare import NOISE, _kinds, _scales
from ..quantities import Quantity, quantities
from ..views.body_values import contact_bodies
from .data import pack, pack_curve
from .still import CURVE_POINTS, STILL, kept_rows, still_picture, thin

LEAST_POINTS = 200
MOST_POINTS = 500_000  # of all curves together: the page stays below some 3 MB
MOST_ROWS = 50_000  # of times in a page that thinned curves refer to by their numbers
MAX_CURVES = 8
MAX_ELEMENTS = 300
MAX_NAMES = 12
APART = 20.0  # components of a request without stated units share a plot up to this ratio of their sizes

#: what an element's own page shows, in this order: title, name of the curves, components
TITLES = {
    "position": "Place of the centre of mass", "velocity": "Velocity of the centre of mass",
    "acceleration": "Acceleration of the centre of mass",
    "angular_velocity": "Angular velocity", "angular_acceleration": "Angular acceleration", "angle": "Angle",
    "angles": "Angles of the cross",
    "angle_rates": "Rates of the angles", "travel": "Travel", "speed": "Speed", "slide": "Slide",
    "slide_velocity": "Speed of the slide",
    "value": "What is driven", "rate": "Its rate", "effort": "Effort of the drive", "power": "Power of the drive",
    "length": "Length",
    "length_rate": "Rate of the length", "line_force": "Force along its line", "axial_torque": "Torque about its axis",
    "force": "Force",
    "torque": "Torque", "normal": "Normal force", "friction": "Friction force", "depth": "Depth",
    "rate of depth": "Rate of the depth",
    "points": "Points that act", "point": "Place of the force",
}  # fmt: skip
AXES = {
    "position": ("x", "y", "z"),
    "velocity": ("vx", "vy", "vz"),
    "acceleration": ("ax", "ay", "az"),
    "angular_velocity": ("ωx", "ωy", "ωz"),
    "angular_acceleration": ("αx", "αy", "αz"),
    "force": ("Fx", "Fy", "Fz"),
    "torque": ("Tx", "Ty", "Tz"),
    "point": ("x", "y", "z"),
}
SIZES = {
    "velocity": "speed",
    "acceleration": "|a|",
    "angular_velocity": "|ω|",
    "angular_acceleration": "|α|",
    "force": "|F|",
    "torque": "|T|",
}
WORDS = {
    "length": "length",
    "velocity": "speed",
    "acceleration": "acceleration",
    "angle": "angle",
    "angular_velocity": "angular speed",
    "angular_acceleration": "angular acceleration",
    "force": "force",
    "torque": "torque",
    "watt": "power",
    "joule": "energy",
    "none": "number",
}
GROUPS = {"part": "Bodies", "constraint": "Joints and motions", "force": "Forces", "contact": "Contacts"}
RANKS = {"normal": 0, "depth": 1, "points": 2}  # of a contact, before its vectors
LEFT = {"angular_acceleration"}  # of bodies: not shown; results have it


def unique(keys: Sequence[Key]) -> dict[Key, str]:
    """A name for each element that no other of them has."""
    counts = Counter(k[2] for k in keys)
    return {k: k[2] if counts[k[2]] == 1 else f"{k[2]} ({k[0]}/{k[1]})" for k in keys}


def largest(sizes: Sequence[float] | np.ndarray) -> list[int]:
    """The MAX_CURVES largest that are not zero, in their first order."""
    order = np.argsort(-np.nan_to_num(np.asarray(sizes, float)), kind="stable")[:MAX_CURVES]
    return sorted(int(k) for k in order if sizes[k] > 0)


def size(values: np.ndarray) -> float:
    return float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))


COUNTS = ("points",)  # whole numbers: drawn as steps, never interpolated


class Curves:
    """Plots of one run, and over its curves those of ``others`` (name -> run) with the same names.  ``data`` is what
    the page's script draws."""

    def __init__(
        self, run: Any, found: list[Quantity] | None = None, others: Mapping[str, Any] | None = None, label: str = ""
    ) -> None:
        self.run = run
        self.time = np.asarray(run.data.time, float)
        self.many = len(self.time) >= 2
        found = (quantities(run, attitude=False) if found is None else found) if self.many else []
        self.found = [q for q in found if np.isfinite(q.values).any()]  # the rest was not recorded
        self.scales = _scales(run, self.found, self.time) if self.many else {}
        self.series: list[dict[str, Any]] = []
        self.plots: list[dict[str, Any]] = []
        self.elements: list[dict[str, Any]] = []
        self.hidden = 0  # elements without a position in the page
        self.first = 0  # the element that the page shows first
        self.zero_curves: list[
            tuple[str, str]
        ] = []  # plot and curve, of the present section, that are zero to rounding
        self._known: dict[tuple, int | None] = {}
        self._still: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.runs = [label or run.model.name, *(others or {})] if others else []
        self.others = [_alongside(run, other) for other in (others or {}).values()]
        columns = sum(len(q.components) + 1 for q in self.found) * (1 + len(self.others)) or 1
        self.points = int(np.clip(MOST_POINTS // columns, LEAST_POINTS, CURVE_POINTS))

    # ---- noise ------------------------------------------------------------------------------------------------------
    def noise(self, dimension: str | None) -> float:
        """Below this a value of the dimension is rounding: `compare.NOISE` of the largest that the run has of it."""
        return NOISE * self.scales.get(dimension or "", 0.0)

    def clean(self, values: Any, dimension: str | None) -> np.ndarray:
        """The same numbers with those that are only rounding set to zero."""
        values = np.array(values, float)
        values[np.abs(values) <= self.noise(dimension)] = 0.0
        return values

    def left_out(self) -> str:
        """One line on the curves that were zero to rounding since it was last requested."""
        text = self.words()
        return f'<p class="note quiet">{html.escape(text)}</p>' if text else ""

    def words(self) -> str:
        """The same without markup."""
        found: dict[str, list[str]] = {}
        for title, name in dict.fromkeys(self.zero_curves):
            found.setdefault(title, []).append(name)
        self.zero_curves = []
        if not found:
            return ""
        parts = []
        for title, names in list(found.items())[:MAX_NAMES]:
            some = ", ".join(n for n in names[:MAX_NAMES] if n) + (
                f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
            )
            parts.append(f"{title} ({some})" if some else title)
        more = f"; and {len(found) - MAX_NAMES} more plots" if len(found) > MAX_NAMES else ""
        return f"Zero to rounding all the time, so not drawn: {'; '.join(parts)}{more}."

    # ---- pieces -----------------------------------------------------------------------------------------------------
    def add(
        self, values: np.ndarray, dimension: str | None = None, t: np.ndarray | None = None, name: str = ""
    ) -> int | None:
        """Number of the curve in the page's data, or None where it has nothing to show.  ``name``: quantity under which
        other runs have it."""
        values = np.asarray(values, float)
        also = [(run, at, q.values[:, 0]) for run, at, q in self._elsewhere(name)]
        if max([size(values), *(size(v) for _, _, v in also)]) <= self.noise(dimension):
            return None
        return self._enter(values, self.time if t is None else t, self.noise(dimension), t is not None, also)

    def _elsewhere(self, name: str) -> list[tuple[int, np.ndarray, Quantity]]:
        """The quantity in other runs: number of the run, times, what it is."""
        return [
            (k + 1, at, named[name.lower()])
            for k, (at, named) in enumerate(self.others)
            if name and name.lower() in named
        ]

    def _enter(
        self, values: np.ndarray, t: np.ndarray, noise: float, own: bool, also: list[tuple[int, np.ndarray, np.ndarray]]
    ) -> int:
        number = len(self.series)
        self.series.append(self._stored(values, t, noise, own))
        self._still[number] = thin(t, np.where(np.isfinite(values), values, np.nan), STILL)
        for run, at, v in also:
            if np.isfinite(v).any():
                self.series[number].setdefault("also", []).append([run, len(self.series)])
                self.series.append(self._stored(v, at, noise, own=True))
        return number

    def _stored(self, values: np.ndarray, t: np.ndarray, noise: float, own: bool) -> dict[str, Any]:
        finite = values[np.isfinite(values)]
        low, high = float(finite.min()), float(finite.max())
        base = float(f"{0.5 * (low + high):.12g}") if high - low < 1e-3 * max(abs(low), abs(high)) else 0.0
        plain = lambda v: None if not np.isfinite(v) else 0.0 if abs(v) <= noise else float(v)
        out: dict[str, Any] = {"lo": plain(low), "hi": plain(high), "end": plain(values[-1]), "o": base}
        flat = max(noise, NOISE * max(abs(low), abs(high)))
        if high - low <= 2 * flat:  # a constant: its rounding is not a curve
            out["o"], values = float(finite[0]), np.where(np.isfinite(values), finite[0], np.nan)
        if len(t) > self.points:
            rows = kept_rows(values, self.points)
            out["n"] = len(t)
            if not own and len(t) <= MOST_ROWS:  # of the times that all curves have in common
                out["r"] = pack(rows, "<u4" if len(t) > 65535 else "<u2")
            else:
                out["t"] = pack_curve(t[rows] - self.time[0])
            values = values[rows]
        elif own:
            out["t"] = pack_curve(t - self.time[0])
        out["y"] = pack_curve(values - out["o"])
        return out

    def plot(self, title: str, label: str, curves: Iterable[tuple[str, int | None]], **more: Any) -> int | None:
        """Number of a plot of ``curves`` (name, number from `add`), or None where none of them has anything to show."""
        lines = []
        for name, number in curves:
            if number is None:
                self.zero_curves.append((title, name))
            else:
                lines.append([name, number])
        if not lines:
            return None
        self.plots.append({"title": title, "y": label, "curves": lines, **more})
        return len(self.plots) - 1

    def figure(self, number: int | None) -> str:
        """HTML of a plot in the page's text; empty for None."""
        if number is None:
            return ""
        title = html.escape(self.plots[number]["title"])
        still = f"<noscript>{self.picture(number)}</noscript>"
        return f'<figure class="plot" data-plot="{number}"><figcaption>{title}</figcaption>{still}</figure>'

    def picture(self, number: int) -> str:
        """A plot as it stands where scripts do not run: SVG with the limits of its axes and the names of its curves."""
        return still_picture(
            self.plots[number],
            self._still,
            float(self.time[0]),
            float(self.time[-1]),
            self.run.model.units.symbol("time"),
        )

    def label(self, dimension: str | None, text: str = "", word: str = "") -> str:
        """Words of an axis with their unit."""
        word = word or WORDS.get(dimension or "", "value")
        if dimension == "none":
            return f"{word} (–)"
        return f"{word} ({pretty(text)})" if text else f"{word} (unit not stated)"

    # ---- one quantity -----------------------------------------------------------------------------------------------
    def columns(self, q: Quantity) -> list[tuple[str, int | None]]:
        """Curves of a quantity with short names; angles in degrees; the size of a vector last."""
        what = q.name.rpartition(".")[2]
        names = AXES.get(what) if len(q.components) == 3 else None
        factor = np.degrees(1.0) if q.dimension == "angle" else 1.0
        out = []
        for k, component in enumerate(q.components):
            name = names[k] if names else component
            out.append((name, self._column(q, k, q.values[:, k], factor)))
        if what in SIZES and len(q.components) == 3:
            if sum(number is not None for _, number in out) > 1:
                out.append((SIZES[what], self.magnitude(q)))
        return out

    def magnitude(self, q: Quantity) -> int | None:
        """Size of a vector."""
        return self._column(q, -1, np.linalg.norm(q.values, axis=1), 1.0)

    def _column(self, q: Quantity, k: int, values: np.ndarray, factor: float) -> int | None:
        key = (q.owner, q.name, k)
        if key not in self._known:
            noise = self.noise(q.dimension)
            also = [
                (run, at, factor * (np.linalg.norm(o.values, axis=1) if k < 0 else o.values[:, k]))
                for run, at, o in self._elsewhere(q.name)
                if o.components == q.components
            ]
            is_zero = max([size(factor * values), *(size(v) for _, _, v in also)]) <= factor * noise
            self._known[key] = None if is_zero else self._enter(factor * values, self.time, factor * noise, False, also)
        return self._known[key]

    def unit(self, q: Quantity) -> str:
        return "°" if q.dimension == "angle" else q.units[0]

    # ---- elements ---------------------------------------------------------------------------------------------------
    def gather(self) -> None:
        """Plots of every body, joint, motion, force and contact, and what belongs together."""
        own: dict[tuple[str, Key], list[Quantity]] = {}
        for q in self.found:
            if q.table in GROUPS and q.owner is not None:
                own.setdefault((q.table, q.owner), []).append(q)
        names = {table: unique([key for t, key in own if t == table]) for table in GROUPS}
        shown = list(own)
        if len(shown) > MAX_ELEMENTS:  # bodies first, then those with the largest forces
            heavy = {k: max((size(q.values) for q in own[k] if q.dimension == "force"), default=0.0) for k in shown}
            ranks = sorted(shown, key=lambda k: (k[0] != "part", -heavy[k]))[:MAX_ELEMENTS]
            kept = set(ranks)
            shown = [k for k in shown if k in kept]
            self.hidden = len(own) - len(shown)
        index = {k: n for n, k in enumerate(shown)}
        outer, self.zero_curves = self.zero_curves, []
        for table, key in shown:
            element: dict[str, Any] = {
                "kind": key[0],
                "id": key[1],
                "name": names[table][key],
                "group": GROUPS[table],
                "plots": [],
            }
            for q in (
                sorted(own[table, key], key=lambda q: RANKS.get(q.name.rpartition(".")[2], 9))
                if table == "contact"
                else own[table, key]
            ):
                what = q.name.rpartition(".")[2]
                if what in LEFT or (what == "power" and key[0] != "MOTION"):
                    continue
                if table == "contact" and what in ("friction", "point", "torque", "rate"):
                    continue
                title = TITLES.get(what, what)
                if table == "contact" and what == "normal":
                    friction = next((r for r in own[table, key] if r.name.endswith(".friction")), None)
                    curves = [("normal", self.columns(q)[0][1])] + (
                        [("friction", self.columns(friction)[0][1])] if friction else []
                    )
                    number = self.plot("Normal and friction force", self.label("force", self.unit(q)), curves)
                else:
                    label = self.label(q.dimension, self.unit(q))
                    curves = [(name or title.lower(), number) for name, number in self.columns(q)]
                    counted = {"modes": ["steps"] * len(curves)} if what in COUNTS else {}
                    number = self.plot(title, label, curves, **counted)
                if number is not None:
                    element["plots"].append(number)
            element["quiet"] = self.words()
            self.elements.append(element)
        self.zero_curves = outer
        self.first = self._leading(shown, own)
        self._relate(shown, index)

    def _leading(self, shown: list[tuple[str, Key]], own: dict[tuple[str, Key], list[Quantity]]) -> int:
        """The element that the page shows first: the one that carries the largest force, else the body that moves
        farthest."""
        most = lambda dimension, spread: [
            max((spread(q.values) for q in own[k] if q.dimension == dimension), default=0.0) for k in shown
        ]
        forces = most("force", size)
        if forces and max(forces) > self.noise("force"):
            return int(np.argmax(forces))
        way = most("length", lambda v: float(np.nan_to_num(np.linalg.norm(np.ptp(np.atleast_2d(v), axis=0)))))
        return int(np.argmax(way)) if way else 0

    def _relate(self, shown: list[tuple[str, Key]], index: dict[tuple[str, Key], int]) -> None:
        """Bodies of each joint, force and contact, and the other way round."""
        d, markers = self.run.data, self.run.model.markers
        bodies = {(key[0], key[1]): n for (table, key), n in index.items() if table == "part"}
        near: dict[int, set[int]] = {n: set() for n in range(len(shown))}

        def join(n: int, body: int | None) -> None:
            if body is not None:
                near[n].add(body)
                near[body].add(n)

        for (table, key), n in index.items():
            if table in ("constraint", "force"):
                k = getattr(d, f"{table}s").index(key)
                for side in "ij":
                    marker = markers.get(int(getattr(d, f"{table}_{side}")[k]))
                    if marker is not None:
                        join(n, bodies.get((marker.body_kind, marker.part)))
            elif table == "contact":
                for body in contact_bodies(self.run.model, key):
                    join(n, bodies.get(body))
        for n, others in near.items():
            self.elements[n]["near"] = sorted(others)

    # ---- the machine as a whole -------------------------------------------------------------------------------------
    def whole(self) -> list[tuple[str, str]]:
        """Headings and figures of the section of curves."""
        self._of: dict[tuple[str, str], list[Quantity]] = {}
        for q in self.found:
            if q.table in GROUPS:
                self._of.setdefault((q.table, q.name.rpartition(".")[2]), []).append(q)
        parts = [
            ("Requests", self._requests()),
            ("Bodies", self._bodies()),
            ("Joints and motions", self._joints()),
            ("Forces", self._forces()),
            ("Contacts", self._contacts()),
            ("Variables and states", self._rest()),
        ]
        return [(heading, text) for heading, text in parts if text]

    def _block(self, numbers: Iterable[int | None]) -> str:
        figures = "".join(self.figure(n) for n in numbers)
        return (f'<div class="figures">{figures}</div>' if figures else "") + self.left_out()

    def _bodies(self) -> str:
        out: list[int | None] = []
        places = self._of.get(("part", "position"), [])
        names = unique([q.owner for q in places if q.owner is not None])
        moves = [float(np.nan_to_num(np.linalg.norm(q.values - q.values[:1], axis=1)).max(initial=0.0)) for q in places]
        still = NOISE * self.scales.get("length", 0.0)
        pick = [places[k] for k in largest([m if m > still else 0.0 for m in moves])]
        for axis, letter in enumerate("xyz"):
            if not any(size(q.values[:, axis] - q.values[0, axis]) > still for q in pick):
                if pick:
                    self.zero_curves.append(("displacements of the centres of mass", letter))
                continue
            curves = [(names[q.owner], self._column(q, axis, q.values[:, axis], 1.0)) for q in pick]  # type: ignore[index]
            out.append(
                self.plot(f"Centres of mass, {letter}", self.label("length", places[0].units[0], letter), curves)
            )
        for what, word, title in (
            ("velocity", "speed", "Speed of the centres of mass"),
            ("angular_velocity", "|ω|", "Angular speed of bodies"),
        ):
            out.append(self._sizes("part", what, title, word))
        return self._block(out)

    def _sizes(self, table: str, what: str, title: str, word: str) -> int | None:
        """Sizes of a vector of several elements in one plot."""
        found = self._of.get((table, what), [])
        if not found:
            return None
        names = unique([q.owner for q in found if q.owner is not None])
        noise = self.noise(found[0].dimension)
        sizes = np.array([size(q.values) for q in found])
        pick = [found[k] for k in largest(np.where(sizes > noise, sizes, 0.0))]
        if not pick:
            self.zero_curves.append((title, ""))
            return None
        curves = [(names[q.owner], self.magnitude(q)) for q in pick]  # type: ignore[index]
        return self.plot(title, self.label(found[0].dimension, found[0].units[0], word), curves)

    def _several(self, table: str, what: str, title: str, word: str = "") -> list[int | None]:
        """One coordinate of several elements, a plot for each unit."""
        out: list[int | None] = []
        found = self._of.get((table, what), [])
        names = unique([q.owner for q in found if q.owner is not None])
        for text in dict.fromkeys(q.units[0] for q in found):
            same = [q for q in found if q.units[0] == text]
            noise = self.noise(same[0].dimension)
            moves = [
                size(q.values - q.values[:1]) + 1e-9 * size(q.values) if size(q.values) > noise else 0.0 for q in same
            ]
            pick = [same[k] for k in largest(moves)]
            if not pick:
                self.zero_curves.append((title, ""))
                continue
            curves = []
            for q in pick:
                name = names[q.owner]  # type: ignore[index]
                curves += [(f"{name} {short}".strip(), number) for short, number in self.columns(q)]
            out.append(self.plot(title, self.label(same[0].dimension, self.unit(same[0]), word), curves))
        return out

    def _joints(self) -> str:
        out = [
            *self._several("constraint", "angle", "Angles of joints"),
            *self._several("constraint", "angles", "Angles of universal joints"),
        ]
        out += [
            *self._several("constraint", "travel", "Travel of joints"),
            *self._several("constraint", "slide", "Slides of planar joints"),
        ]
        out += self._several("constraint", "angular_velocity", "Angular speeds of joints")
        out += self._several("constraint", "speed", "Speeds of joints")
        out += [
            *self._several("constraint", "value", "What motions drive"),
            *self._several("constraint", "rate", "Rates of motions"),
        ]
        out += [
            *self._several("constraint", "effort", "Efforts of motions"),
            *self._several("constraint", "power", "Power of motions"),
        ]
        out += [
            self._sizes("constraint", "force", "Reactions: force", "force"),
            self._sizes("constraint", "torque", "Reactions: torque", "torque"),
        ]
        return self._block(out)

    def _forces(self) -> str:
        out = [
            *self._several("force", "length", "Lengths of springs"),
            *self._several("force", "angle", "Angles of torsion springs"),
        ]
        out += self._several("force", "line_force", "Forces of springs along their lines (positive pushes)")
        out += self._several("force", "axial_torque", "Torques of torsion springs")
        out += [
            self._sizes("force", "force", "Applied forces: force", "force"),
            self._sizes("force", "torque", "Applied forces: torque", "torque"),
        ]
        return self._block(out)

    def _contacts(self) -> str:
        return self._block(
            number
            for what, title, word in (
                ("normal", "Contacts: normal force", "force"),
                ("friction", "Contacts: friction force", "force"),
                ("depth", "Contacts: depth", "depth"),
            )
            for number in self._several("contact", what, title, word)
        )

    def _requests(self) -> str:
        out: list[int | None] = []
        asked = [q for q in self.found if q.table == "request"]
        names = unique([q.owner for q in asked if q.owner is not None])
        for q in asked[: 2 * MAX_CURVES]:
            name = names[q.owner] if q.owner is not None else q.name
            groups: dict[tuple[str, str | None], list[int]] = {}
            for k, (text, kind) in enumerate(zip(q.units, _kinds(self.run, q))):
                v = q.values[:, k]
                if size(v) > self.noise(kind):
                    groups.setdefault((text, kind), []).append(k)
                elif kind is not None and size(v) > 0:
                    self.zero_curves.append((f"Request {name}", q.components[k]))
            for (text, kind), columns in groups.items():
                for few in alike(columns, q.values) if not text and kind is None else [columns]:
                    angle = kind == "angle"
                    curves = [
                        (q.components[k], self._column(q, k, q.values[:, k], np.degrees(1.0) if angle else 1.0))
                        for k in few
                    ]
                    of = f": {q.components[few[0]]}" if len(groups) > 1 and len(few) == 1 else ""
                    out.append(self.plot(f"Request {name}{of}", self.label(kind, "°" if angle else text), curves))
        more = len(asked) - 2 * MAX_CURVES
        return self._block(out) + (f'<p class="note">{more} more requests are not plotted.</p>' if more > 0 else "")

    def _rest(self) -> str:
        out = []
        for table, title in (("variable", "Variables"), ("state", "States")):
            found = [q for q in self.found if q.table == table]
            pick = [found[k] for k in largest([size(q.values) for q in found])]
            for few in alike(range(len(pick)), np.column_stack([q.values[:, 0] for q in pick])) if pick else []:
                out.append(
                    self.plot(
                        title,
                        self.label(None),
                        [(pick[k].name, self.add(pick[k].values[:, 0], name=pick[k].name)) for k in few],
                    )
                )
        return self._block(out)

    # ---- the page's data --------------------------------------------------------------------------------------------
    def data(self) -> dict[str, Any]:
        """JSON data for the page's script."""
        shared = any("t" not in s for s in self.series)
        return {
            "time": pack_curve(self.time - self.time[0]) if shared and len(self.time) else "",
            "wide": len(self.time) > 65535,
            "start": float(self.time[0]) if len(self.time) else 0.0,
            "span": float(self.time[-1] - self.time[0]) if len(self.time) else 0.0,
            "second": self.run.model.units.symbol("time"),
            "model": self.run.model.name,
            "runs": self.runs,
            "series": self.series,
            "plots": self.plots,
            "elements": self.elements,
            "first": self.first,
        }


def _alongside(run: Any, other: Any) -> tuple[np.ndarray, dict[str, Quantity]]:
    """Times and quantities (by name, lower case) of another run in the units of the first; unit texts of requests are
    not converted."""
    out = {}
    for q in quantities(other, attitude=False) if len(other) else []:
        if q.dimension not in (None, "none", "joule", "watt"):
            q = replace(
                q, values=q.values * (to_si(other.model.units, q.dimension) / to_si(run.model.units, q.dimension))
            )
        out[q.name.lower()] = q
    return np.asarray(other.time, float) * (other.model.units.si_time / run.model.units.si_time), out


def alike(columns: Iterable[int], values: np.ndarray) -> list[list[int]]:
    """Columns whose sizes can share an axis."""
    sizes = {k: size(values[:, k]) for k in columns}
    out: list[list[int]] = []
    top = 0.0
    for k in sorted(sizes, key=lambda k: -sizes[k]):
        if not out or sizes[k] * APART < top:
            out.append([])
            top = sizes[k]
        out[-1].append(k)
    return [sorted(group) for group in out]
