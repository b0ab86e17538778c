"""Which shapes of a model need stand-ins (`contact.shapes.stand_in`), their rows in the table of shapes, and what
people are reported."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import replace
from functools import cached_property

import numpy as np

from .._address import address_of
from .._warnings import WarningText
from ..contact.shape_kinds import ROWS
from ..contact.shapes import kernel_module, pair
from ..contact.shapes._address import MESHED, PAIR_ARGUMENTS, ROLLED
from ..contact.shapes.stand_in import (
    FACETING,
    ball_kernels,
    endless,
    hollow,
    mesh,
    plane_kernels,
    prism,
    twisted,
    wanted,
)
from ..contact.tables import SHAPE_TYPES
from ..model import ModelError
from ..model.bounds import bounds
from ..model.joint_facts import facts

#: a row behind those of the user: number of the shape that it represents, "MESH", "BALL" or "PRISM", a solid of its
#: kind and position
Row = namedtuple("Row", "owner word solid")
SHOWN = 8  # pairs named in messages


class StandIns:
    """``rows``: what is added to the table of shapes of a `system.contacts.Contacts`; ``notes``: sentences for the
    user."""

    def __init__(self, contacts) -> None:
        self.contacts = contacts
        self.solids = contacts.solids
        self.rows: list[Row] = []
        self.notes: list[str] = []
        self._at: dict[tuple[int, str], int] = {}
        self._meshes: dict = {}
        self._axes: dict = {}
        self._told = 0
        self._ball: int | None = None
        #: types that meet bounded planes, and so their prisms
        self.on_planes: set[str] = set()
        for element, (i, j) in zip(contacts.elements, contacts.sides):
            self._of(element, i, j)
        if self.on_planes:
            for a, solid in enumerate(self.solids):
                if ROWS[solid.kind].half_space:
                    self._add(a, "PRISM")
        if self._told > SHOWN:
            self.notes.append(f"{self._told - SHOWN} more types of pairs meet as meshes")

    def _of(self, element, i, j) -> None:
        groups = []
        for side in (i, j):
            group: dict = {}
            shapes, bulk = self.contacts.parts_of(side)
            for a in shapes.tolist():
                s = self.solids[a]
                group.setdefault((s.kind, hollow(s), twisted(s)), []).append(a)
            groups.append((group, bulk))
        self._grains(element, groups)
        for first in groups[0][0].values():
            for second in groups[1][0].values():
                self._on_a_plane(element, first, second)
                a, b = self.solids[first[0]], self.solids[second[0]]
                when, of_a, of_b = wanted(a, b, kernel_module(a.kind, b.kind))
                if not when or not any(
                    self.solids[p].body is not self.solids[q].body for p in (first[0], first[-1]) for q in second
                ):
                    continue
                if when == "tilted" and self._parallel([*first, *second]):
                    continue
                try:
                    within = [
                        self._add(x, word)
                        for side, words in ((first, of_a), (second, of_b))
                        for x in side
                        for word in words
                    ]
                except ModelError as error:
                    text = f"{element.label}: {a.graphic.label} and {b.graphic.label}"
                    if when == "always":
                        raise element.error(f"{a.graphic.label} and {b.graphic.label}: {error}") from None
                    self.notes.append(WarningText(f"{text} touch only while their axes are within 25 degrees: {error}"))
                    continue
                if "MESH" in (*of_a, *of_b):
                    self._told += 1
                    if self._told <= SHOWN:
                        unit = self.contacts.model.units.symbol("length")
                        only = " where their axes are not parallel, or end on end" if when == "tilted" else ""
                        self.notes.append(
                            f"{element.label}: {a.graphic.label} and {b.graphic.label} meet as meshes{only}, within "
                            f"{max(within):.3g} {unit}"
                        )

    def _on_a_plane(self, element, first, second) -> None:
        """Shapes that reach beyond a plane's rectangle meet the prism under it (`contact.shapes.bounded_plane`)."""
        for planes, others in ((first, second), (second, first)):
            bounded = [
                self.solids[a] for a in planes if ROWS[self.solids[a].kind].half_space and self.solids[a].par[0] > 0.0
            ]
            other = self.solids[others[0]]
            if not bounded or ROWS[other.kind].ball or ROWS[other.kind].half_space:
                continue
            self.on_planes.add(other.kind)
            _, _, words = wanted(prism(bounded[0]), other, kernel_module("BOX", other.kind))
            try:
                if endless(other):
                    raise ModelError("the curve has no end")
                within = [self._add(a, word) for a in others for word in words]
            except ModelError as error:
                self.notes.append(
                    WarningText(
                        f"{element.label}: {other.graphic.label} meets the bounded plane {bounded[0].graphic.label} "
                        "with its lowest points and corners "
                        f"only, and passes where none of them lies over the plane: {error}"
                    )
                )
                continue
            if "MESH" in words:
                self._told += 1
                if self._told <= SHOWN:
                    unit = self.contacts.model.units.symbol("length")
                    self.notes.append(
                        f"{element.label}: {other.graphic.label} meets the rim of {bounded[0].graphic.label} as a "
                        f"mesh, within {max(within):.3g} {unit}"
                    )

    def prism_kernels(self, kernels) -> dict:
        """(kind, kind) -> (`bounded_plane.contact`, most points) for the pairs of planes that it serves; ``kernels``:
        those of all pairs."""
        if not self.on_planes:
            return {}
        from ..contact.shapes import bounded_plane

        out = {}
        for (ka, kb), (_, most) in kernels.items():
            if meets_prism(ka, kb):
                out[ka, kb] = bounded_plane.contact, max(most, pair("BOX", SHAPE_TYPES[kb])[1])
        return out

    def _grains(self, element, groups) -> None:
        """What grains meet may have stand-ins, grains have none."""
        for (_, bulk), (group, others) in (groups, groups[::-1]):
            for g in bulk:
                for solid, shapes in [
                    *((self.solids[x[0]], x) for x in group.values()),
                    *((h.solid, []) for h in others),
                ]:
                    when, of_grain, of_other = wanted(g.solid, solid, kernel_module(g.solid.kind, solid.kind))
                    if when and (of_grain or (of_other and not shapes)):
                        raise element.error(
                            f"grains of shape {g.solid.kind} and a {solid.kind} cannot touch in this version; draw the "
                            f"{solid.kind} as a mesh, or "
                            "take grains of another shape"
                        )
                    for x in shapes if when else ():
                        for word in of_other:
                            self._add(x, word)

    # ---- rows -------------------------------------------------------------------------------------------------------
    def _add(self, a: int, word: str) -> float:
        """A stand-in of shape a, once; how far it departs from it."""
        solid = self.solids[a]
        deviation = self._mesh(solid)[2] if word == "MESH" and not ROWS[solid.kind].mesh else 0.0
        if (a, word) not in self._at and not (word == "MESH" and ROWS[solid.kind].mesh):
            if word == "BALL" and self._ball is not None:  # one serves all: kernels state where it is
                self._at[a, word] = self._ball
                return 0.0
            self._at[a, word] = len(self.rows)
            if word == "PRISM":
                self.rows.append(Row(a, word, prism(solid)))
            elif word == "BALL":
                self._ball = len(self.rows)
                self.rows.append(Row(a, word, replace(solid, kind="SPHERE", par=(1.0, 0.0))))
            else:
                self.rows.append(Row(a, word, replace(solid, kind="MESH", par=())))
        return deviation

    def _key(self, solid):
        data = [x.tobytes() for x in (solid.vertices, solid.heights) if x is not None]
        if solid.profile is not None:
            p = solid.profile
            data += [p.points.tobytes(), p.bulge.tobytes(), p.handles.tobytes(), p.order, p.closed, p.control]
        return solid.kind, solid.par, *data

    def _mesh(self, solid):
        key = self._key(solid)
        if key not in self._meshes:
            self._meshes[key] = mesh(solid, self._faceting(), self._width, cut=twisted(solid))
        return self._meshes[key]

    @cached_property
    def _width(self) -> float:
        """Width that a mesh has where its shape has no end: more than any other shape reaches."""
        return 8.0 * max((s for s in map(_radius, self.solids) if np.isfinite(s)), default=1.0)

    def _faceting(self) -> float:
        """Tolerance of PREFERENCES, CONTACT_FACETING_TOLERANCE: the larger, the finer."""
        for name, text in self.contacts.model.preferences.get("PREFERENCES", ()):
            if name.upper().startswith("CONTACT_FACET"):
                try:
                    return min(max(float(text), 10.0), 1e4)
                except ValueError:
                    break
        return FACETING

    def pack(self, k: int, sizes, kept: dict):
        """``first`` and rows of the pools of stand-in k; equal meshes are stored once."""
        row = self.rows[k]
        if row.word == "BALL":
            return (sizes["link"], 0, 0, 0), {
                "link": ball_kernels(
                    {s.kind for s in self.solids}
                    | ({"BOX"} if self.on_planes else set())
                    | {g.solid.kind for g in self.contacts.bulk}
                )
            }
        if row.word == "PRISM":
            if "PRISM" not in kept:
                kept["PRISM"] = (sizes["link"], 0, 0, 0)
                return kept["PRISM"], {
                    "link": plane_kernels({b for a, b in self.contacts.kernels if meets_prism(a, b)})
                }
            return kept["PRISM"], {}
        from ..contact.shapes import as_meshes
        from ..contact.shapes.mesh import tables

        key = self._key(self.solids[row.owner])
        if key in kept:
            return kept[key], {}
        points, triangles, _ = self._mesh(self.solids[row.owner])
        t = tables(points, triangles)
        t["link"][0, 3] = address_of(as_meshes.contact, PAIR_ARGUMENTS)
        kept[key] = t["first"](sizes)
        return kept[key], {name: t[name] for name in ("vert", "tri", "node", "link")}

    def enter(self, par: np.ndarray) -> None:
        """Write the rows of stand-ins into the numbers of those whom they represent."""
        for (a, word), k in self._at.items():
            par[a, MESHED if word == "MESH" else ROLLED] = self.contacts.count + k

    # ---- axes -------------------------------------------------------------------------------------------------------
    def _parallel(self, shapes) -> bool:
        """Whether all these shapes have one direction of axis, and joints keep it so."""
        found = set()
        for a in shapes:
            s = self.solids[a]
            if ROWS[s.kind].prism or (ROWS[s.kind].rolls == "rod" and ROWS[s.kind].core == "DRUM"):
                axis = (s.body.frame @ s.frame).axes[:, 2]
                lead = next((x for x in axis[::-1] if abs(x) > 1e-6), 1.0)
                axis = np.round(axis * np.sign(lead), 6) + 0.0
                found.add((tuple(axis), self._kept(axis, (s.body.KIND, s.body.id))))
        return len(found) == 1

    def _kept(self, axis, body):
        """A body that represents all whose direction ``axis`` joints keep the same."""
        key = tuple(axis)
        if key not in self._axes:
            self._axes[key] = _together(self.contacts.model, axis)
        root = self._axes[key]
        while root.get(body, body) != body:
            body = root[body]
        return body


def meets_prism(a: int, b: int) -> bool:
    """Whether of two types (numbers) the first is a plane and the second is bounded by more than the foot of its
    centre."""
    of_a, of_b = ROWS[SHAPE_TYPES[a]], ROWS[SHAPE_TYPES[b]]
    return of_a.half_space and not (of_b.ball or of_b.half_space)


def _radius(solid) -> float:
    half = bounds(solid)[1]
    return float(half[:2].max()) if ROWS[solid.kind].endless >= 0 else float(half.max())


def _together(model, axis) -> dict:
    """Union of bodies that stay parallel along a direction in ground: body -> a body nearer to the one that represents
    them."""
    root: dict = {}

    def find(x):
        while root.setdefault(x, x) != x:
            x = root[x]
        return x

    for table in ("JOINT", "JPRIM"):
        for joint in model.table(table).values():
            if not joint.active or not facts(joint).keeps:
                continue
            ends = [model.markers.get(m) for m in (joint.i, joint.j)]
            if None in ends:
                continue
            a, b = ((m.body_kind, m.part) for m in ends)
            if facts(joint).keeps == "all" or all(
                abs(abs((model.body_of(m).frame @ m.frame).axes[:, 2] @ axis) / np.linalg.norm(axis) - 1.0) < 1e-6
                for m in ends
                if not m.floating
            ):
                root[find(a)] = find(b)
    return root
