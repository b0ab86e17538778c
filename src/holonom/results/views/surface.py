"""Results of a flexible surface: forces and pressures at the nodes of its region, and where it was in contact.

All follows from the recorded motion of both sides and the coordinates of their modes: the contact law is evaluated
again at each output time. Where contacts were constraints (`contact = time-stepping`), the recorded forces are means
since the previous output.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._warnings import warn_model
from ...contact.shapes.measure import signed_distances
from ...contact.surfaces.columns import R_FORCE, R_GAP, R_NORMAL, R_SHARE, R_WHICH, RESULTS, TOUCHING
from ...contact.surfaces.spacing import COARSE, divisions_for, size_of
from ...contact.surfaces.surface_contact import WAYS, Facets, Region, facet_gaps, solids_of, tables
from ...model.bounds import half_width
from ...model.triangles import area_vectors, at_corners
from .._names import Named

if TYPE_CHECKING:
    import xarray as xr

    from ..run import Run

XYZ = ("x", "y", "z")
CHECKED = 2000  # positions on faces at which `missed` looks
BETWEEN = (
    0.02  # share of forces that fall to other corners of a facet than the nearest, above which meshes do not match
)


class SurfaceView(Named):
    """One SURFACE_CONTACT over time: forces on the first part; those on the other side are in `onto_force`.

    Forces at points within triangles ("surface-to-surface") are distributed to the corners.
    """

    def __init__(self, run: Run, element: Any) -> None:
        self.run, self.element = run, element
        self.name = element.name
        self._skin = tables(element, SimpleNamespace(model=run.model))

    def __repr__(self) -> str:
        return f"<{self.element.label}: {len(self.nodes)} nodes, {len(self.run)} times>"

    @property
    def nodes(self) -> np.ndarray:
        """(a,) ids of the nodes of the region; numbers without unit."""
        return self._skin.ids

    @property
    def onto_nodes(self) -> np.ndarray:
        """(b,) ids of the nodes of the region of the other part, none where that is rigid; numbers without unit."""
        return self._onto.ids if self._onto is not None else np.zeros(0, np.int64)

    @cached_property
    def _onto(self) -> Region | None:
        e, model = self.element, self.run.model
        return (
            None
            if e.onto is None
            else Region(model.table("FLEXIBILITY")[e.onto], e.onto_nodes, model.markers[e.j].frame)
        )

    @cached_property
    def lacking(self) -> float:
        """Neglected inertia of the local deformation (`make_flexible` with an accuracy): H f'' relative to C f
        (`ReducedBody.inert`, ``dents``), root mean square over nodes and time, the larger of both sides; no unit, 0.0
        without local compliance, NaN with fewer than five outputs.

        A small value approximates the error of the forces. It is computed from the outputs, which should be at most a
        fiftieth of the contact duration apart.
        """
        e, model, t, worst = self.element, self.run.model, self.run.time, 0.0
        for flexibility, nodes, marker, f in (
            (e.flexibility, e.nodes, e.i, self._found["normal"]),
            (e.onto, e.onto_nodes, e.j, self._found["onto_normal"]),
        ):
            side = (
                None
                if flexibility is None
                else Region(model.table("FLEXIBILITY")[flexibility], nodes, model.markers[marker].frame)
            )
            if side is None or not len(side.dents) or not f.any():
                continue
            if len(t) < 5:
                return float("nan")
            second = np.gradient(np.gradient(f, t, axis=0), t, axis=0)
            missing, there = ((((x @ table) ** 2).sum(1)) for x, table in ((second, side.inert), (f, side.dents)))
            worst = max(worst, float(np.sqrt(np.trapezoid(missing, t) / np.trapezoid(there, t))))
        return worst

    @cached_property
    def missed(self) -> float:
        """Largest penetration, over the outputs, of surface nodes outside the region into the partner of the region,
        length; 0.0 where there is none. Points on its faces count too, by how much deeper they are in a rigid shape
        than the contact points.

        Such points penetrate without a force: this shows a region that does not cover the contact, or whose points are
        too far apart. Add these nodes to the region (`make_flexible(contact=)`, ``region=``), or use more
        ``divisions``.
        """
        e, model, run = self.element, self.run.model, self.run
        bent = model.table("FLEXIBILITY")[e.flexibility]
        rest = np.setdiff1d(bent.body.nodes[np.unique(bent.body.faces)], self.nodes)
        deep = self._between_points(bent)
        if not len(rest):
            return deep
        other = Region(bent, rest, model.markers[e.i].frame)
        normals = self._outward(bent)[[bent.body.place[int(k)] for k in other.ids]] @ model.markers[e.i].frame.axes
        q = run.state(f"FLEXIBILITY_{e.flexibility}").values[:, ::2]
        first, second = run.marker(e.i)._motion, run.marker(e.j)._motion if e.j else None
        solids = [] if e.onto is not None else solids_of(model, e)
        for k in range(len(run)):
            x = first[0][k] + (other.places + other.shapes @ q[k]) @ first[1][k].T
            place, axes = (second[0][k], second[1][k]) if second is not None else (np.zeros(3), np.eye(3))
            x = (x - place) @ axes
            for b, solid in enumerate(solids):
                gap = signed_distances(solid, (x - self._skin.S.so[b]) @ self._skin.S.sA[b].reshape(3, 3))
                deep = max(deep, -float(gap.min()))
            if self._onto is not None:
                own = self._onto
                places = own.places + own.shapes @ run.state(f"FLEXIBILITY_{e.onto}").values[k, ::2]
                n = area_vectors(places, own.triangles)
                now = Facets(places, own.triangles, n, np.linalg.norm(n, axis=1), own.edges)
                gap = facet_gaps(x, normals @ first[1][k].T @ axes, now)
                deep = max(deep, -float(gap.min()))
        return deep

    def _between_points(self, bent: Any) -> float:
        """How much deeper positions on the faces have come to lie in rigid shapes, over the outputs, than points that
        touch; 0.0 where it is what points that are close enough together leave."""
        e, model, run = self.element, self.run.model, self.run
        surface = Region(bent, bent.body.nodes[np.unique(bent.body.faces)], model.markers[e.i].frame)
        solids = [s for s in solids_of(model, e) if np.isfinite(size_of(s))] if e.onto is None else []
        side = float(surface.edges.max())
        most = max(2, math.isqrt(2 * CHECKED // len(surface.triangles)))
        finer = [min(most, 2 * divisions_for([size_of(s)], 2.0 * side, len(surface.triangles))) for s in solids]
        if not solids or max(finer) <= 2:
            return 0.0
        places, shapes, _, _, _ = surface.points(WAYS[0], max(finer))
        q = run.state(f"FLEXIBILITY_{e.flexibility}").values[:, ::2]
        first, second = run.marker(e.i)._motion, run.marker(e.j)._motion if e.j else None
        number = {s.graphic.id: b for b, s in enumerate(solids_of(model, e))}
        left = [min(0.5 * COARSE**2 * size_of(s), 0.5 * (half_width(s) or math.inf)) for s in solids]
        deep = 0.0
        for k in range(len(run)):
            x = first[0][k] + (places + shapes @ q[k]) @ first[1][k].T
            place, axes = (second[0][k], second[1][k]) if second is not None else (np.zeros(3), np.eye(3))
            x = (x - place) @ axes
            for solid, unseen in zip(solids, left):
                b = number[solid.graphic.id]
                gap = signed_distances(solid, (x - self._skin.S.so[b]) @ self._skin.S.sA[b].reshape(3, 3))
                more = -float(gap.min()) - float(self._found["depth"][k])
                deep = max(deep, more if more > unseen else 0.0)
        return deep

    @staticmethod
    def _outward(bent: Any) -> np.ndarray:
        """(a, 3) along the outward normals of all nodes of a part, in its own axes."""
        return at_corners(bent.body.faces, area_vectors(bent.points, bent.body.faces), len(bent.points))

    @cached_property
    def _found(self) -> dict[str, Any]:
        e, run, skin = self.element, self.run, self._skin
        recorded = f"surface/{e.id}" in run.data.extra
        acting = self._recorded() if recorded else self._asked()
        nt, a, b = len(run), len(self.nodes), len(self.onto_nodes)
        out: dict[str, Any] = {
            "force": np.zeros((nt, a, 3)),
            "normal": np.zeros((nt, a)),
            "onto": np.zeros((nt, b, 3)),
            "onto_normal": np.zeros((nt, b)),
            "area": np.zeros(nt),
            "depth": np.zeros(nt),
            "touching": np.zeros(nt, np.int64),
        }
        pushed = between = 0.0
        for k, (act, res) in enumerate(acting):
            share = skin.share[act]
            out["force"][k] = share.T @ res[:, R_FORCE : R_FORCE + 3]
            out["normal"][k] = share.T @ res[:, R_NORMAL]
            out["area"][k] = skin.S.area[act].sum()
            out["depth"][k] = -res[:, R_GAP].min(initial=0.0)
            out["touching"][k] = len(act)
            if self._onto is not None:
                pushed += float(res[:, R_NORMAL].sum())
                between += float(res[:, R_NORMAL] @ (1.0 - res[:, R_SHARE : R_SHARE + 3].max(axis=1, initial=0.0)))
                corners = self._onto.triangles[res[:, R_WHICH].astype(np.int64)]
                for c in range(3):
                    np.add.at(out["onto_normal"][k], corners[:, c], res[:, R_SHARE + c] * res[:, R_NORMAL])
                    np.add.at(out["onto"][k], corners[:, c], -res[:, R_SHARE + c, None] * res[:, R_FORCE : R_FORCE + 3])
            if not recorded:
                self._add_back(out, k)
                self._add_edges(out, k)
        out["between"] = between / pushed if pushed > 0.0 else 0.0
        return out

    def _add_back(self, out: dict[str, Any], k: int) -> None:
        """What acts at the points of the other side at the last evaluation, into row k."""
        back = self._skin.back
        if back is None or not back.W.count[TOUCHING]:
            return
        rows = back.acting()
        act, res = rows[:, 0].astype(np.int64), rows[:, 1:]
        force, normal = res[:, R_FORCE : R_FORCE + 3], res[:, R_NORMAL]
        corners = self._facets[res[:, R_WHICH].astype(np.int64)]
        for c in range(3):
            share = res[:, R_SHARE + c]
            np.add.at(out["force"][k], corners[:, c], -share[:, None] * force)
            np.add.at(out["normal"][k], corners[:, c], share * normal)
        if self._onto is not None:
            share = back.share[act]
            out["onto"][k] += share.T @ force
            out["onto_normal"][k] += share.T @ normal
        if not out["touching"][k]:  # the area around points of one side only, or it would count twice
            out["area"][k] = back.S.area[act].sum()
        out["depth"][k] = max(out["depth"][k], -res[:, R_GAP].min())

    def _add_edges(self, out: dict[str, Any], k: int) -> None:
        """What acts where edges cross at the last evaluation, into row k."""
        edges = self._skin.edges
        if edges is None or not edges.W.count[TOUCHING]:
            return
        rows = edges.acting()
        res = rows[:, 1:]
        force, normal = res[:, R_FORCE : R_FORCE + 3], res[:, R_NORMAL]
        own = edges.share[rows[:, 0].astype(np.int64) // len(edges.S.tri)]
        along = res[:, R_SHARE + 2]
        for c, share in enumerate((1.0 - along, along)):
            np.add.at(out["force"][k], own[:, c], share[:, None] * force)
            np.add.at(out["normal"][k], own[:, c], share * normal)
        if self._onto is not None:
            other = edges.S.tri[res[:, R_WHICH].astype(np.int64)]
            for c in range(2):
                share = res[:, R_SHARE + c]
                np.add.at(out["onto"][k], other[:, c], -share[:, None] * force)
                np.add.at(out["onto_normal"][k], other[:, c], share * normal)
        out["depth"][k] = max(out["depth"][k], -res[:, R_GAP].min())

    @cached_property
    def _facets(self) -> np.ndarray:
        """(t, 3) triangles of the region, by place of the node."""
        e, model = self.element, self.run.model
        return Region(model.table("FLEXIBILITY")[e.flexibility], e.nodes, model.markers[e.i].frame).triangles

    @property
    def doubts(self) -> list[str]:
        """Sentences about pressures of limited accuracy: nodes in contact between the nodes of another mesh."""
        e = self.element
        if e.onto is None or e.way != WAYS[0] or not self._found["between"] > BETWEEN:
            return []
        return [
            f"{e.label}: nodes press between the nodes of the other mesh, where {WAYS[0]} passes no even pressure (of "
            "Hertz's point contact half axis and largest "
            f"pressure are 22 and 8 % off with 4 edges in the half axis, 8 and 3 % with 5); take way = {WAYS[1]}"
        ]

    def _recorded(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Points on which something acts at each time, and what, as a run with contacts as constraints has recorded
        them."""
        for rows in self.run.data.extra[f"surface/{self.element.id}"]:
            there = rows[np.isfinite(rows[:, 0])] if rows.ndim == 2 else rows.reshape(0, 1 + RESULTS)
            yield there[:, 0].astype(np.int64), there[:, 1:]

    def _asked(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The same from the motion, by the law."""
        e, run, skin = self.element, self.run, self._skin
        motions = [run.marker(m)._motion for m in (e.i, e.j)]
        bent = [run.state(f"FLEXIBILITY_{f}").values for f in (e.flexibility, e.onto) if f is not None]
        u = np.hstack([*(b[:, ::2] for b in bent), *(b[:, 1::2] for b in bent)])
        for k, t in enumerate(run.time):
            res = skin.at(t, [(m[0][k], m[1][k], m[2][k], m[4][k]) for m in motions], u[k])
            yield skin.W.act[: int(skin.W.count[TOUCHING])], res

    def _at_nodes(self, values: np.ndarray, nodes: np.ndarray, quantity: str, name: str) -> xr.DataArray:
        dims: tuple[str, ...] = ("node",)
        coords: dict[str, np.ndarray | list[str]] = {"node": nodes}
        if values.ndim == 3:
            dims, coords = ("node", "axis"), {"node": nodes, "axis": list(XYZ)}
        return self.run._array(values, dims, coords, quantity, f"{self.name}.{name}")

    @property
    def force(self) -> xr.DataArray:
        """On the nodes of the first part, ground axes, dims (time, node, axis)."""
        return self._at_nodes(self._found["force"], self.nodes, "force", "force")

    @property
    def onto_force(self) -> xr.DataArray:
        """On the nodes of the other flexible body, ground axes, dims (time, node, axis)."""
        return self._at_nodes(self._found["onto"], self.onto_nodes, "force", "onto force")

    @property
    def normal(self) -> xr.DataArray:
        """Normal force on each node, dims (time, node)."""
        return self._at_nodes(self._found["normal"], self.nodes, "force", "normal")

    @property
    def pressure(self) -> xr.DataArray:
        """Normal force over the area around each node, dims (time, node), force / length^2; see `doubts`."""
        for text in self.doubts:
            warn_model(text)
        area = self._skin.share.T @ self._skin.S.area
        values = np.divide(self._found["normal"], area, out=np.zeros_like(self._found["normal"]), where=area > 0.0)
        unit = f"{self.run.units('force')}/{self.run.units('length')}^2"
        return self.run._array(values, ("node",), {"node": self.nodes}, None, f"{self.name}.pressure", {"units": unit})

    @property
    def area(self) -> xr.DataArray:
        """Area around the points in contact, undeformed, dims (time,), length^2."""
        return self.run._array(
            self._found["area"], (), {}, None, f"{self.name}.area", {"units": f"{self.run.units('length')}^2"}
        )

    @property
    def depth(self) -> xr.DataArray:
        """Largest overlap of the surfaces, dims (time,); zero without contact."""
        return self.run._array(self._found["depth"], (), {}, "length", f"{self.name}.depth")

    @property
    def touching(self) -> np.ndarray:
        """(nt,) number of points of the region of the first body that touch, without unit.

        Points of the other surface and crossings of edges (``two_way``) are not counted; `force`, `normal` and `depth`
        contain them. Where triangles are divided (``divisions``) the points on their faces are counted too."""
        return self._found["touching"]


def surface(run: Run, reference: Any) -> SurfaceView:
    """Forces and pressures at the nodes of a SURFACE_CONTACT, by the element, its name or id.  Raises `ModelError`
    where there is none."""
    return SurfaceView(run, run.model.find("SURFACE_CONTACT", reference))
