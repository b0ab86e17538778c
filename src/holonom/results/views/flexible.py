"""Results of a flexible body: modes, displacements, stresses, energies, and the loads on it.

All follows from what a run records: the coordinates q and rates q' of the modes, and the motion of the part, whose axes
are those of the floating frame up to a turn that never changes.  Displacement u = sum q_j phi_j and stress sigma = sum
q_j sigma_j are linear in q.  Strain energy of a mode is w_j^2 q_j^2 / 2 and its share of the kinetic energy q'_j^2 / 2
(modes are mass-orthonormal; `elements.bodies.modes`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._warnings import warn_model
from ...model import ModelError
from ...model.base import Element, shown
from .. import _rotation as rotation
from .._names import Named, suggestion
from .._units import to_si

if TYPE_CHECKING:
    import xarray as xr

    from ...model.flexible import Flexibility
    from ..run import Run
    from .flexible_loads import Loads

XYZ = ("x", "y", "z")
SIX = ("xx", "yy", "zz", "xy", "yz", "zx")
FORCES = ("N", "Vy", "Vz", "T", "My", "Mz")
MOST = 100_000_000  # numbers of one array
PIECE = 4_000_000  # numbers worked on at once
#: one row for each node, see `FlexibleView.hot_spots`
SPOT_DTYPE = np.dtype(
    [("node", "i8"), ("von_mises", "f8"), ("time", "f8"), ("x", "f8"), ("y", "f8"), ("z", "f8"), ("fibre", "U48")]
)


def von_mises(six: np.ndarray) -> np.ndarray:
    """Of stresses (..., 6): xx, yy, zz, xy, yz, zx."""
    a, b, c, d, e, f = np.moveaxis(six, -1, 0)
    return np.sqrt(0.5 * ((a - b) ** 2 + (b - c) ** 2 + (c - a) ** 2) + 3.0 * (d * d + e * e + f * f))


def principal(six: np.ndarray) -> np.ndarray:
    """(..., 3) principal stresses, largest first, of stresses (..., 6)."""
    a, b, c, d, e, f = np.moveaxis(np.asarray(six, float), -1, 0)
    tensor = np.stack([np.stack([a, d, f], -1), np.stack([d, b, e], -1), np.stack([f, e, c], -1)], -2)
    return np.linalg.eigvalsh(tensor)[..., ::-1]


class FlexibleView(Named):
    """A flexible body over time.

    ``element``: the `model.flexible.Flexibility`; ``body``: its modes and nodes (`holonom.flexible.ReducedBody`).
    Displacements and stresses are in axes of the part, from its floating frame, positions of nodes in ground. Nodes are
    given by their ids.

    ``residual``: whether stresses and section forces include, in addition to those of the modes, the static
    contribution of centrifugal loads and of loads on interfaces that the modes do not represent, where the body has it
    (mode acceleration method). It requires all loads on the nodes (`interface_loads`).
    """

    def __init__(self, run: Run, element: Flexibility, residual: bool = True) -> None:
        self.residual = residual
        self.run, self.element = run, element
        self.id = element.id
        self.part = run.part(f"PART/{element.part}")
        self.name = self.part.name
        self.body = element._own
        #: coordinates (nt, n) and rates (nt, n) of the modes
        self._state = run.state(f"FLEXIBILITY_{element.id}").values

    def __repr__(self) -> str:
        return (
            f"<FLEXIBILITY/{self.id} of '{self.name}': {len(self.nodes)} nodes, {self.modes} modes, {len(self.run)} "
            "times>"
        )

    # ---- modes ------------------------------------------------------------------------------------------------------
    @property
    def modes(self) -> int:
        """Number of modes, without unit."""
        return self.body.modes

    @property
    def nodes(self) -> np.ndarray:
        """(a,) ids of nodes; numbers without unit."""
        return self.body.nodes

    @property
    def frequency(self) -> np.ndarray:
        """(n,) frequencies of the free modes, rad per time."""
        return self.body.frequency

    def _modal(self, values: np.ndarray, name: str, unit: str) -> xr.DataArray:
        coords = {"mode": np.arange(1, self.modes + 1), "frequency": ("mode", self.frequency)}
        return self.run._array(values, ("mode",), coords, None, f"{self.name}.{name}", {"units": unit})

    @property
    def q(self) -> xr.DataArray:
        """Modal coordinates, dims (time, mode), in length times the square root of mass in force time^2 / length (modal
        masses are 1)."""
        return self._modal(self._state[:, ::2], "q", self._root())

    @property
    def speed(self) -> xr.DataArray:
        """Rates of the modal coordinates, dims (time, mode), in units of `q` per time."""
        return self._modal(self._state[:, 1::2], "speed", f"{self._root()}/{self.run.units('time')}")

    @property
    def acceleration(self) -> xr.DataArray:
        """Second time derivatives of the modal coordinates, dims (time, mode), in units of `q` per time^2: from the
        equations of motion of the modes with the recorded loads (raises as `interface_loads`)."""
        return self._modal(self.interface_loads().modal, "acceleration", f"{self._root()}/{self.run.units('time')}^2")

    def _root(self) -> str:
        force, length, time = (self.run.units(u) for u in ("force", "length", "time"))
        return f"({force}*{length})^0.5*{time}"

    # ---- energies ----------------------------------------------------------------------------------------------------
    @property
    def strain_energy(self) -> xr.DataArray:
        """w_j^2 q_j^2 / 2 of each mode, dims (time, mode), in J regardless of the units of the model; ``.sum("mode")``
        is that of the body.

        Geometric stiffness (``geometric``) is not included: its work is that of the applied forces.
        """
        joule = to_si(self.run.model.units, "energy")
        return self._modal(0.5 * joule * (self.frequency * self._state[:, ::2]) ** 2, "strain_energy", "J")

    @property
    def kinetic_energy(self) -> xr.DataArray:
        """q'_j^2 / 2 of each mode, dims (time, mode), in J: of the motion relative to the floating frame, without the
        terms that couple it with rotation."""
        joule = to_si(self.run.model.units, "energy")
        return self._modal(0.5 * joule * self._state[:, 1::2] ** 2, "kinetic_energy", "J")

    @property
    def energy_share(self) -> np.ndarray:
        """(n,) mean over the rows of each mode's strain energy as a fraction of that of the body; zeros where it does
        not deform."""
        mean = ((self.frequency * np.nan_to_num(self._state[:, ::2])) ** 2).mean(axis=0)
        return mean / mean.sum() if mean.sum() > 0.0 else mean

    # ---- displacements -----------------------------------------------------------------------------------------------
    def _place(self, node: Any) -> int:
        try:
            return self.body.place[int(node)]
        except (KeyError, TypeError, ValueError):
            raise self.element.error(
                f"it has no node {node!r}; it has {len(self.nodes)}, from {self.nodes.min()} to {self.nodes.max()}"
            ) from None

    def _few(self, width: int) -> None:
        if len(self.run) * width > MOST:
            raise self.element.error(
                f"{len(self.run)} times of {len(self.nodes)} nodes are too many numbers for one array; name a node, "
                "take fewer times (run.at, "
                "run.between), or request hot_spots"
            )

    def displacement(self, node: int | None = None) -> xr.DataArray:
        """u = sum q_j phi_j in axes of the part, length: dims (time, axis) of a node, or (time, node, axis) of all."""
        q, turn = self._state[:, ::2], self.element.turn
        if node is not None:
            values = q @ self.body.shapes[self._place(node), :3].T @ turn.T
            return self.run._vector(values, "length", f"{self.name}.{node}.displacement", "part")
        self._few(3 * len(self.nodes))
        return self._nodal(
            np.einsum("tj,acj,dc->tad", q, self.body.shapes[:, :3], turn, optimize=True),
            "displacement",
            "length",
            "part",
        )

    def rotation(self, node: int | None = None) -> xr.DataArray:
        """Small rotations of nodes about the axes of the part, radians: dims (time, axis) of a node, or (time, node,
        axis) of all."""
        q, turn = self._state[:, ::2], self.element.turn
        if node is not None:
            values = q @ self.body.shapes[self._place(node), 3:].T @ turn.T
            return self.run._vector(values, "angle", f"{self.name}.{node}.rotation", "part")
        self._few(3 * len(self.nodes))
        return self._nodal(
            np.einsum("tj,acj,dc->tad", q, self.body.shapes[:, 3:], turn, optimize=True), "rotation", "angle", "part"
        )

    def _nodal(self, values: np.ndarray, name: str, quantity: str, axes: str) -> xr.DataArray:
        coords = {"node": self.nodes, "axis": list(XYZ)}
        return self.run._array(values, ("node", "axis"), coords, quantity, f"{self.name}.{name}", {"axes": axes})

    def position(self, node: int | None = None) -> xr.DataArray:
        """Positions of nodes in ground, length: dims (time, axis) of a node, or (time, node, axis) of all. Those of
        interface nodes include the second-order displacement, so that they coincide with the markers there."""
        q = self._state[:, ::2]
        second = {
            int(k): 0.5 * np.einsum("tj,cjk,tk->tc", q, b, q, optimize=True) @ self.element.turn.T
            for k, b in zip(self.body.bent, self.body.bends)
        }
        A = rotation.matrices(self.part._arrays()[1])
        origin = self.part.origin.values
        if node is not None:
            k = self._place(node)
            here = self.element.points[k] + self.displacement(node).values + second.get(int(node), 0.0)
            return self.run._vector(origin + np.einsum("tij,tj->ti", A, here), "length", f"{self.name}.{node}.position")
        local = self.element.points[None] + self.displacement().values
        for k, way in second.items():
            local[:, self.body.place[k]] += way
        return self._nodal(origin[:, None] + np.einsum("tij,taj->tai", A, local), "position", "length", "ground")

    def velocity(self, node: int) -> xr.DataArray:
        """Velocity of a node, ground axes, dims (time, axis), length per time: sum of the motion of the frame and of
        the modes."""
        k, q, u = self._place(node), self._state[:, ::2], self._state[:, 1::2]
        slopes = np.broadcast_to(self.body.shapes[k, :3], (len(q), 3, self.modes))
        bent = np.flatnonzero(self.body.bent == node)
        if len(bent):
            slopes = slopes + np.einsum("cjk,tk->tcj", self.body.bends[bent[0]], q)
        r, quaternion, v, _, w, _ = self.part._arrays()
        own = np.einsum("tij,jc,tcm,tm->ti", rotation.matrices(quaternion), self.element.turn, slopes, u, optimize=True)
        values = v + np.cross(w, self.position(node).values - r) + own
        return self.run._vector(values, "velocity", f"{self.name}.{node}.velocity")

    @property
    def largest_displacement(self) -> tuple[float, int, float]:
        """Largest displacement of a node from the floating frame (length), the id of the node, and its time."""
        q = self._state[:, ::2]
        best = (0.0, int(self.nodes[0]), float(self.run.time[0]) if len(self.run) else 0.0)
        for rows in _pieces(len(self.nodes), 3 * max(len(q), 1)):
            way = np.linalg.norm(np.einsum("tj,acj->tac", q, self.body.shapes[rows, :3], optimize=True), axis=2)
            if way.size and np.nanmax(way) > best[0]:
                t, k = np.unravel_index(np.nanargmax(way), way.shape)
                best = (float(way[t, k]), int(self.nodes[rows][k]), float(self.run.time[t]))
        return best

    @property
    def doubts(self) -> list[str]:
        """Sentences about stresses that are incomplete: forces act on nodes that are not interfaces, so that neither
        modes nor residuals contain their static stress (force / length^2)."""
        if not self.residual or not (len(self.body.stress_residual) or len(self.body.section_residual)):
            return []
        if self._distributed:
            return [
                f"{self.element.label}: a modal force acts on it "
                f"({', '.join(e.label for e in self._distributed[:3])}), of whose static share no residual is "
                "known; stresses are those that the modes carry: keep the shape of the load, make_flexible(..., "
                "loads=[...])"
            ]
        loads = self.interface_loads()
        size = np.abs(loads.forces).max(axis=(0, 2), initial=0.0)
        strange = [
            int(n) for n, f in zip(loads.nodes, size) if n not in self.body.interfaces and f > 1e-6 * loads.scale
        ]
        if not strange:
            return []
        return [
            f"{self.element.label}: forces act on node "
            f"{', '.join(map(str, strange[:6]))}{' and others' if len(strange) > 6 else ''}, no interface of its "
            "body; stresses hold of them what the modes carry, which may be little: name it in interfaces of "
            "make_flexible"
        ]

    @property
    def _distributed(self) -> list[Any]:
        """Modal forces that act on it."""
        return [e for e in self.run.model.table("MFORCE").values() if e.active and e.flexibility == self.element.id]

    @cached_property
    def _residual_loads(self) -> np.ndarray:
        """(nt, m) loads of `ReducedBody.point_residuals`; m = 0 where they are left out."""
        body = self.body
        modes_of_machine = any(s.kind == "linear" for s in self.run.segments)  # a mode in motion: without loads
        if modes_of_machine or not self.residual or not (len(body.stress_residual) or len(body.section_residual)):
            return np.zeros((len(self.run), 0))
        if self._distributed:
            warn_model(self.doubts[0])
            return np.zeros((len(self.run), 0))
        try:
            loads = self.interface_loads()
        except ModelError as error:
            raise ModelError(
                f"{error}; run.flexible(..., residual=False) gives the stresses that the modes alone carry"
            ) from None
        if self.doubts:
            warn_model(self.doubts[0])
        W = loads.omega
        spins = [W[:, a] * W[:, b] for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))]
        out, at = list(spins), {int(n): k for k, n in enumerate(loads.nodes)}
        for node in body.interfaces:
            both = np.zeros((len(W), 6))
            if int(node) in at:
                both = np.concatenate([loads.forces[:, at[int(node)]], loads.moments[:, at[int(node)]]], axis=1)
            out += list(both.T)
        if not len(body.stress):  # sections of beams: the mass between nodes
            out += [*(loads.gravity - loads.acceleration).T, *loads.alpha.T, *spins, *loads.modal.T]
        return np.column_stack(out)

    # ---- stresses ----------------------------------------------------------------------------------------------------
    @cached_property
    def _points(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Place of the node, number of the fibre and stress (6, n) of each point."""
        found = self.body.stress_points
        if not len(found[0]):
            if len(self.body.station):
                why = (
                    "the section of its beam has no fibres: give Section.round or rectangle, or Section(..., "
                    "fibres=..., Wt=...); section_forces are known"
                )
            else:
                why = (
                    "its body gives none (ReducedBody.stress is empty): reduce a mesh or a beam of holonom.flexible, "
                    "or give stress"
                )
            raise self.element.error(f"it has no stresses; {why}")
        return found

    @property
    def _fibres(self) -> np.ndarray:
        """Words of the fibre of each stress point; empty for nodes of solids."""
        place = np.array([f"y={y:.6g}, z={z:.6g}" for y, z in self.body.fibre.reshape(-1, 2)], "U48")
        return place if len(place) and not len(self.body.stress) else np.zeros(len(self._points[0]), "U48")

    def _tensor(self, points: Any, rows: Any = slice(None)) -> np.ndarray:
        """(t, points, 6) in axes of the part."""
        own = np.einsum("tj,pcj->tpc", self._state[rows, ::2], self._points[2][points], optimize=True)
        if self._residual_loads.shape[1]:
            own += np.einsum(
                "tr,pcr->tpc", self._residual_loads[rows], self.body.point_residuals[points], optimize=True
            )
        turn = self.element.turn
        if np.allclose(turn, np.eye(3), atol=1e-15):
            return own
        full = own[..., [[0, 3, 5], [3, 1, 4], [5, 4, 2]]]
        full = np.einsum("ia,tpab,jb->tpij", turn, full, turn, optimize=True)
        return np.stack(
            [full[..., 0, 0], full[..., 1, 1], full[..., 2, 2], full[..., 0, 1], full[..., 1, 2], full[..., 2, 0]], -1
        )

    def _of_points(self, node: int | None, values: Any, width: int, more: dict[str, Any], name: str) -> xr.DataArray:
        places, _, _ = self._points
        at = np.arange(len(places)) if node is None else np.flatnonzero(places == self._place(node))
        self._few(6 * len(at))
        found = values(self._tensor(at))
        tail = tuple(more)
        title = f"{self.name}.{name}" if node is None else f"{self.name}.{node}.{name}"
        units = {"units": self._pressure, "axes": "part"}
        if node is not None and len(at) == 1:
            return self.run._array(found[:, 0], tail, more, None, title, units)
        coords = {"node": ("point", self.nodes[places[at]]), "fibre": ("point", self._fibres[at]), **more}
        if not len(self.body.stress):
            return self.run._array(found, ("point", *tail), coords, None, title, units)
        return self.run._array(found, ("node", *tail), {"node": self.nodes[places[at]], **more}, None, title, units)

    @property
    def _pressure(self) -> str:
        return f"{self.run.units('force')}/{self.run.units('length')}^2"

    def stress(self, node: int | None = None) -> xr.DataArray:
        """Stress, force / length^2, in axes of the part, with dim ``component`` xx, yy, zz, xy, yz, zx.

        Of solids at nodes: dims (time, node, component), or (time, component) of one node.  Of beams at fibres of their
        sections: dims (time, point, component) with coordinates ``node`` and ``fibre`` (y and z in the section).
        Raises `ModelError` where the body has none."""
        return self._of_points(node, lambda s: s, 6, {"component": list(SIX)}, "stress")

    def principal(self, node: int | None = None) -> xr.DataArray:
        """Principal stresses, largest first, force / length^2; dims as of `stress`, with ``principal`` in place of
        ``component``. Raises `ModelError` as `stress` does."""
        return self._of_points(node, principal, 3, {"principal": [1, 2, 3]}, "principal")

    def von_mises(self, node: int | None = None) -> xr.DataArray:
        """Von Mises stress at nodes, force / length^2: dims (time,) of a node, or (time, node) of all; for a beam, of
        the fibre with the highest stress at each time.

        Raises `ModelError` where the body has no stresses.
        """
        places = self._points[0]
        nodes = np.unique(places) if node is None else np.array([self._place(node)])
        self._few(len(nodes))
        out = np.zeros((len(self.run), len(nodes)))
        for at, values in self._worst(nodes):
            out[:, at] = values
        name = f"{self.name}.von_mises" if node is None else f"{self.name}.{node}.von_mises"
        if node is not None:
            return self.run._array(out[:, 0], (), {}, None, name, {"units": self._pressure})
        return self.run._array(out, ("node",), {"node": self.nodes[nodes]}, None, name, {"units": self._pressure})

    def _worst(self, nodes: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """For pieces of ``nodes`` (by position): which of them, and von Mises stress (nt, ..) of their worst points."""
        places = self._points[0]
        order = np.argsort(places, kind="stable")
        first, last = (np.searchsorted(places[order], nodes, side=s) for s in ("left", "right"))
        for rows in _pieces(len(nodes), 6 * max(len(self.run), 1) * int(max((last - first).max(initial=1), 1))):
            points = np.concatenate([order[a:b] for a, b in zip(first[rows], last[rows])])
            size = von_mises(self._tensor(points))
            starts = np.concatenate([[0], np.cumsum((last - first)[rows])[:-1]])
            yield np.arange(len(nodes))[rows], np.maximum.reduceat(size, starts, axis=1)

    def hot_spots(self, count: int = 10, *, apart: float = 0.0, away: float = 0.0) -> np.ndarray:
        """The ``count`` nodes with the largest von Mises stress over time, as a structured array: node, von_mises
        (force / length^2), time, x, y, z (position in the undeformed part, its axes, length) and fibre (of beams: y and
        z in the section).

        ``apart``: minimum distance (length) between them, so that a notch is listed once; ``away``: minimum distance
        (length) from interfaces, where point forces act on a solid and stresses depend on the mesh. Raises
        `ModelError` where the body has no stresses.
        """
        if not isinstance(count, (int, np.integer)) or count < 1 or not (apart >= 0.0 and away >= 0.0):
            raise ModelError(
                f"count = {count!r}, apart = {apart!r}, away = {away!r}: give one node at least, and lengths of "
                "zero or more"
            )
        if not len(self.run):
            raise ModelError("this run has no output times")
        places, _, _ = self._points
        nodes = np.unique(places)
        top, when = np.zeros(len(nodes)), np.zeros(len(nodes), int)
        for at, values in self._worst(nodes):
            values = np.nan_to_num(values, nan=-1.0)
            top[at], when[at] = values.max(axis=0), values.argmax(axis=0)
        points, out = self.element.points, []
        kept, held = np.zeros((0, 3)), points[[self._place(n) for n in self.body.interfaces]]
        for k in np.argsort(-top, kind="stable"):
            here = points[nodes[k]]
            if len(kept) and apart and np.linalg.norm(kept - here, axis=1).min() < apart:
                continue
            if len(held) and away and np.linalg.norm(held - here, axis=1).min() < away:
                continue
            kept = np.vstack([kept, here])
            own = np.flatnonzero(places == nodes[k])
            fibre = own[int(von_mises(self._tensor(own, slice(when[k], when[k] + 1)))[0].argmax())]
            out.append((int(self.nodes[nodes[k]]), top[k], float(self.run.time[when[k]]), *here, self._fibres[fibre]))
            if len(out) == count:
                break
        return np.array(out, SPOT_DTYPE)

    def section_forces(self, node: int | None = None) -> xr.DataArray:
        """Forces N, Vy, Vz and moments T, My, Mz in the sections of a beam, dims (time, station, force), in axes of the
        section, on the side that its x axis points to; for one node dims (time, force) where the beam is straight
        there. Coordinates: ``node`` of each station, ``units``.

        They are element end forces, K u minus the inertia loads between nodes, with u from the modes and the residual
        static displacement (``residual``); averaged over both sides of a node. Raises `ModelError` for a body that is
        not a beam.
        """
        body = self.body
        if not len(body.station):
            raise self.element.error(
                "its body is not a beam of holonom.flexible.beam, so it has no sections; request its stress"
            )
        at = np.arange(len(body.station)) if node is None else np.flatnonzero(body.station == self._place(node))
        self._few(6 * len(at))
        values = np.einsum("tj,pcj->tpc", self._state[:, ::2], body.section[at], optimize=True)
        if self._residual_loads.shape[1] and len(body.section_residual):
            values += np.einsum("tr,pcr->tpc", self._residual_loads, body.section_residual[at], optimize=True)
        more = {
            "force": list(FORCES),
            "units": ("force", [self.run.units("force")] * 3 + [self.run.units("torque")] * 3),
        }
        title = f"{self.name}.section_forces" if node is None else f"{self.name}.{node}.section_forces"
        if node is not None and len(at) == 1:
            return self.run._array(values[:, 0], ("force",), more, None, title)
        return self.run._array(
            values, ("station", "force"), {"node": ("station", self.nodes[body.station[at]]), **more}, None, title
        )

    # ---- momentum ----------------------------------------------------------------------------------------------------
    def _inertia(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """In axes of the part: J (nt, 3, 3), h (nt, 3), S_j (nt, n, 3, 3) and H_j (nt, n, 3) of
        `elements.bodies.modes`, j from 1."""
        S, H = self.element.tables
        q = np.column_stack([np.ones(len(self.run)), self._state[:, ::2]])
        Sj, Hj = np.einsum("tk,kjab->tjab", q, S, optimize=True), np.einsum("tk,kja->tja", q, H, optimize=True)
        return (
            np.einsum("tj,tjab->tab", q, Sj),
            np.einsum("tj,tja->ta", self._state[:, 1::2], Hj[:, 1:]),
            Sj[:, 1:],
            Hj[:, 1:],
        )

    def angular_momentum(self) -> np.ndarray:
        """(nt, 3) about the centre of mass, ground axes: A (J W + h), with the inertia of the deformed body, in torque
        times time."""
        A = rotation.matrices(self.part._arrays()[1])
        W = np.einsum("tji,tj->ti", A, self.part._arrays()[4])
        J, h, _, _ = self._inertia()
        return np.einsum("tij,tj->ti", A, np.einsum("tij,tj->ti", J, W) + h)

    # ---- loads -------------------------------------------------------------------------------------------------------
    def interface_loads(self) -> Loads:
        """Forces and moments of joints, forces and contacts on the nodes of the body, and the motion of its frame
        (`results.views.flexible_loads.Loads`).

        Units of the model. Raises `ModelError` where the loads do not balance the change of momentum.
        """
        return self._loads

    @cached_property
    def _loads(self) -> Loads:
        from .flexible_loads import loads_of

        return loads_of(self)

    def loads(
        self, path: str | Path, format: str = "csv", *, times: Any = None, elements: str = "EALL", first: int = 1
    ) -> list[Path]:
        """Write the loads at the nodes for a finite element program, in units of the model and axes of the mesh:
        ``format`` "csv", "abaqus" or "nastran".

        ``times``: default all output times; between them loads are linear; ``elements``: of Abaqus, the set of all
        elements, on which the inertia of the frame acts; ``first``: of Nastran, the number of the first load set.
        Returns the files. Raises `ModelError` for another format, for times outside the run, and where loads and the
        change of momentum do not balance.
        """
        from .flexible_loads import write

        return write(self, path, format, times, elements, first)


def _pieces(count: int, width: int) -> Iterator[slice]:
    """Slices of 0..count, each of some PIECE numbers."""
    step = max(1, PIECE // max(width, 1))
    for k in range(0, count, step):
        yield slice(k, min(k + step, count))


def flexible(run: Run, reference: Any = None, *, residual: bool = True) -> FlexibleView:
    """Modes, displacements, stresses and loads of a flexible body, by the part or its FLEXIBILITY; the name may be
    omitted if the model has only one.

    ``residual``: stresses include the static contribution of loads that the modes do not represent, see
    `results.views.flexible.FlexibleView`. Raises `ModelError` for a rigid part, and where the run has no modal
    coordinates of it.
    """
    table = run.model.table("FLEXIBILITY")
    if reference is None:
        if len(table) != 1:
            raise ModelError(f"the model has {len(table)} flexible bodies; name one of them")
        reference = next(iter(table.values()))
    if (
        isinstance(reference, Element)
        and reference.KIND == "FLEXIBILITY"
        or str(reference).upper().startswith("FLEXIBILITY/")
    ):
        element = run.model.find("FLEXIBILITY", reference if isinstance(reference, Element) else str(reference)[12:])
    else:
        try:
            part = run.model.find("PART", reference)
        except ModelError:
            names = [run.model.table("PART")[e.part].name for e in table.values()]
            raise ModelError(
                f"no flexible body is named {shown(reference)}{suggestion(str(reference).lower(), names)}"
            ) from None
        element = next((e for e in table.values() if e.part == part.id), None)
        if element is None:
            raise part.error(
                "it is rigid: it has no modes, displacements or stresses (model.make_flexible makes it flexible)"
            )
    return FlexibleView(run, element, residual)
