"""Plane frames of steel beams: columns and girders between nodes, their mass lumped or consistent, on supports that
shake together or each by its own record.

Nodes have three degrees of freedom in the plane of x and z: two displacements, one rotation about y.  Beams are Euler
and Bernoulli's; the floor's mass is spread along its girders.

    lumped       half of each beam's mass at its ends, and a rotary inertia m L^2 / 78 at each (Hinton, Rock,
        Zienkiewicz, Earthq. Eng. Struct. Dyn. 4 (1976)
    245-249)
    consistent   M of the cubic shape functions with rotary inertia of sections: a flexible body, with all its modes

Damping C acts on velocities relative to the quasi-static motion R of the supports, so a building that rides on them as
they move slowly loses nothing:

    M u'' + C (u' - R us') + K u + K_s us = 0,      R = -K^-1 K_s
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh

from .._summary import Summary
from ..flexible import FiniteElements, Section
from ..flexible.beams import element
from ..model import Model, ModelError
from ..model.base import did_you_mean, shown
from .building import Building, damping_matrix, lateral_building, shaken, summed
from .ground_motion import GroundMotion
from .spectrum import response

if TYPE_CHECKING:
    from ..model.base import Element

#: rolled sections (EN 10365), bent about their strong axis: A, Iy, Iz, J in m^2 and m^4
SECTIONS = {
    "IPE300": Section(53.81e-4, 8356e-8, 603.8e-8, 20.12e-8),
    "IPE400": Section(84.46e-4, 23130e-8, 1318e-8, 51.08e-8),
    "IPE500": Section(115.5e-4, 48200e-8, 2142e-8, 89.29e-8),
    "HEB200": Section(78.08e-4, 5696e-8, 2003e-8, 59.28e-8),
    "HEB300": Section(149.1e-4, 25170e-8, 8563e-8, 185.0e-8),
    "HEB400": Section(197.8e-4, 57680e-8, 10820e-8, 355.7e-8),
}
PLANE = (0, 2, 4)  # x, z, rotation about y of six degrees of freedom
LUMPING = 1.0 / 78.0
SWAY = 0.9  # share of the mass along x that the modes carry which are to be right
OFF = 0.05  # of a frequency


@dataclass
class Frame(Summary):
    """A plane frame in a model.  ``places`` (a, 3): nodes, those of the supports first, then floor by floor, from the
    left; ``markers``: one a node; ``M``, ``K``, ``C`` (3 a, 3 a): of all nodes (x, z, rotation about y of each);
    ``free``: those of the nodes above the supports; ``R``: their quasi-static motion by that of the supports along x
    (len(free), supports); ``motions``: a record for each support, or none;
    ``dampers``: by storey from 1."""

    model: Model
    places: np.ndarray
    markers: tuple[Any, ...]
    members: tuple[tuple[int, int], ...]
    M: np.ndarray
    K: np.ndarray
    C: np.ndarray
    free: np.ndarray
    R: np.ndarray
    storeys: int
    bays: int
    motions: tuple[GroundMotion, ...] = ()
    damping: float = 0.0
    rayleigh: tuple[int, int] | None = None
    dampers: dict[int, list[Any]] = field(default_factory=dict)

    def modes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Frequencies (m,) in rad per time with the supports held, mass-orthonormal shapes (m, m), participation
        factors (m,) of a common motion."""
        f = np.ix_(self.free, self.free)
        values, shapes = eigh(self.K[f], self.M[f])
        return np.sqrt(values), shapes, shapes.T @ self._load().sum(axis=1)

    def _load(self) -> np.ndarray:
        """(m, supports): M R + M_s of the supports' accelerations."""
        sway = 3 * np.arange(self.bays + 1)
        return self.M[np.ix_(self.free, self.free)] @ self.R + self.M[np.ix_(self.free, sway)]

    def superposition(self) -> dict[str, np.ndarray]:
        """Response of the frame without dampers by modal superposition, exact for piecewise linear records: ``time``
        (t,), ``nodes`` (t, m) of the free degrees of freedom, ``displacement`` (t, storeys) as in `results`. Raises
        `ModelError` without a record, and for a damping that couples the modes."""
        if not self.motions:
            raise ModelError("this frame has no record; give motion=")
        w, shapes, _ = self.modes()
        modal = shapes.T @ self.C[np.ix_(self.free, self.free)] @ shapes
        if np.abs(modal - np.diag(np.diag(modal))).max() > 1e-9 * max(np.abs(modal).max(), 1e-300):
            raise ModelError("the damping of this frame couples its modes; give modal or Rayleigh damping")
        load = shapes.T @ self._load()
        records = self.motions if len(self.motions) > 1 else self.motions * (self.bays + 1)
        q = sum(
            load[:, s, None]
            * np.array([response(r, 2 * np.pi / wk, modal[k, k] / (2 * wk))[:, 0] for k, wk in enumerate(w)])
            for s, r in enumerate(records)
        )
        ground = np.stack([r.displacement() for r in records], axis=1)
        u = q.T @ shapes.T + ground @ self.R.T
        return {"time": records[0].time, "nodes": u, "displacement": self._sway(u) - ground[:, :1]}

    def _sway(self, u: np.ndarray) -> np.ndarray:
        """(t, storeys): mean of the nodes of each floor along x."""
        return u[:, ::3].reshape(len(u), self.storeys, self.bays + 1).mean(axis=2)

    def condensed(self) -> Building:
        """The frame as a building of rigid floors: nodes of a floor sway together (a slab), K condensed to one
        displacement a floor, masses of floors with their share
        of the columns, the same damping ratio.  For studies: six floors in place of dozens of nodes.  Raises
        `ModelError` for several records."""
        if len(self.motions) > 1:
            raise ModelError(
                "a building of rigid floors stands on one ground; a frame with several records cannot be condensed"
            )
        n, width, m = self.storeys, self.bays + 1, len(self.free)
        M, K = (A[np.ix_(self.free, self.free)] for A in (self.M, self.K))
        B = np.zeros((m, n))
        for s in range(n):
            B[3 * np.arange(s * width, (s + 1) * width), s] = 1.0
        rest = np.array([k for k in range(m) if k % 3])
        B[rest] = -np.linalg.solve(K[np.ix_(rest, rest)], K[rest] @ B)
        sway = 3 * np.arange(m // 3)
        masses = M[np.ix_(sway, sway)].sum(axis=1).reshape(n, width).sum(axis=1)
        heights = np.diff(self.places[::width, 2])
        motion = self.motions[0] if self.motions else None
        return lateral_building(
            masses,
            B.T @ K @ B,
            motion,
            damping=self.damping,
            rayleigh=self.rayleigh,
            heights=heights,
            name=self.model.name,
        )

    def add_damper(self, storey: int, kind: str, *, bay: int = 1, name: str = "", **parameters: Any) -> Element:
        """Put a damper into a storey and a ``bay`` (from 1), along the diagonal from lower left to upper right:
        ``kind`` is the name of a builder of forces along a line
        ("power_damper", "maxwell_damper", ...), ``parameters`` are its own.  Raises `ModelError` for storeys and bays
        that the frame does not have, and unknown types."""
        for what, value, most in (("storey", storey, self.storeys), ("bay", bay, self.bays)):
            if value not in range(1, most + 1):
                raise ModelError(f"{what} is {shown(value)}; the frame has 1 to {most}")
        builder = getattr(self.model, kind, None) if kind[:1] != "_" else None
        if not callable(builder):
            raise ModelError(f"kind is {shown(kind)}; give the name of a force along a line, as 'power_damper'")
        low = self.markers[(storey - 1) * (self.bays + 1) + bay - 1]
        high = self.markers[storey * (self.bays + 1) + bay]
        e = builder(high, low, name=name or f"damper {storey}.{len(self.dampers.get(storey, [])) + 1}", **parameters)
        self.dampers.setdefault(storey, []).append(e)
        return e

    def results(self, run: Any) -> dict[str, np.ndarray]:
        """Of a run, over its times: ``moved`` (t, a, 3) of all nodes in ground; ``displacement`` (t, storeys) along x,
        mean of a floor, relative to the first support;
        ``drift`` (t, storeys); ``acceleration`` (t, storeys) of floors, absolute; ``base_shear`` (t,) of all supports
        together; ``damper_work`` (t, storeys): work absorbed by the dampers of each storey (dissipated or stored),
        ``own_loss`` (t,): lost by the frame's own damping, ``input`` (t,): work of the inertia forces of the supports'
        motion on the motion relative to the quasi-static one (C.-M. Uang, V. V. Bertero, Earthq. Eng. Struct. Dyn. 19
        (1990) 77-90)."""
        view = [run.marker(m.id) for m in self.markers]
        moved, speed, pushed = (
            np.stack([getattr(v, what).values for v in view], axis=1)
            for what in ("position", "velocity", "acceleration")
        )
        turned, turns = (
            np.stack([getattr(v, what).values[:, 1] for v in view], axis=1)
            for what in ("angular_acceleration", "angular_velocity")
        )
        moved = moved - self.places
        count, first = len(moved), self.bays + 1
        floor = lambda x: x[:, first:, 0].reshape(count, self.storeys, first).mean(axis=2)
        u = floor(moved) - moved[:, :1, 0]
        inertia = self.M[::3].sum(axis=0)  # (3 a,): force along x of all nodes together
        inertia = inertia - self.M[: 3 * first : 3].sum(axis=0)  # less that of the supports themselves
        all_of = np.stack([pushed[:, :, 0], pushed[:, :, 2], turned], axis=2).reshape(count, -1)
        works, t, at = (
            np.zeros((count, self.storeys)),
            np.asarray(run.time),
            {m.id: k for k, m in enumerate(self.markers)},
        )
        for storey, elements in self.dampers.items():
            for e in elements:
                f = run.force(f"{e.KIND}/{e.id}").force.values
                v = speed[:, at[e.i]] - speed[:, at[e.j]]
                works[:, storey - 1] += summed(t, -(f * v).sum(axis=1))
        free, sway = self.free, 3 * np.arange(first)
        quick = np.stack([speed[:, :, 0], speed[:, :, 2], turns], axis=2).reshape(count, -1)
        relative = quick[:, free] - quick[:, sway] @ self.R.T
        driven = self.M[np.ix_(free, free)] @ self.R + self.M[np.ix_(free, sway)]
        return {
            "moved": moved,
            "displacement": u,
            "drift": np.diff(np.concatenate([np.zeros((count, 1)), u], axis=1), axis=1),
            "acceleration": floor(pushed),
            "base_shear": -all_of @ inertia,
            "damper_work": works,
            "own_loss": summed(t, np.einsum("ti,ij,tj->t", relative, self.C[np.ix_(free, free)], relative)),
            "input": summed(t, -np.einsum("ti,ij,tj->t", relative, driven, pushed[:, :first, 0])),
        }


def lumped_range(K: np.ndarray, lumped: np.ndarray, consistent: np.ndarray) -> str:
    """A message where lumped masses do not represent the sway of a frame, else nothing: one of the modes that together
    carry `SWAY` of its mass along x has a frequency that differs from that of the consistent mass by more than `OFF`.

    K, ``lumped``, ``consistent`` (3 n, 3 n): of the free nodes (x, z, rotation of each).  Modes of both are paired by
    the largest modal assurance criterion."""
    (w2, V), (c2, U) = eigh(K, lumped), eigh(K, consistent)
    part = V.T @ lumped[:, ::3].sum(axis=1)
    order = np.argsort(-(part**2))
    count = int(np.searchsorted(np.cumsum(part[order] ** 2), SWAY * float(lumped[::3, ::3].sum()))) + 1
    likeness = (V.T @ consistent @ U) ** 2
    frequency, exact = np.sqrt(w2), np.sqrt(c2)[likeness.argmax(axis=1)]
    off = np.abs(frequency / exact - 1.0)
    mode = max(order[:count], key=lambda k: off[k])
    if not off[mode] > OFF:
        return ""
    return (
        f"with mass='lumped' its mode {mode + 1}, which takes part in its sway, has {frequency[mode]:.4g} rad/s, and "
        f"{exact[mode]:.4g} rad/s with consistent masses, as its members move between their nodes; give "
        "mass='consistent'"
    )


def section_of(what: Section | str) -> Section:
    """A rolled section by its name, or what is one."""
    if isinstance(what, Section):
        return what
    if what not in SECTIONS:
        raise ModelError(
            f"section is {shown(what)}{did_you_mean(str(what), SECTIONS)}; give one of {', '.join(SECTIONS)}, or a "
            "`holonom.flexible.Section`"
        )
    return SECTIONS[what]


def _sizes(storeys: int, bays: int, height: Any, span: Any, floor_mass: Any, mass: str) -> dict[str, np.ndarray]:
    """Heights and masses of each storey, spans of each bay.  Raises `ModelError` for invalid ones."""
    for what, value in (("storeys", storeys), ("bays", bays)):
        if not (isinstance(value, (int, np.integer)) and 1 <= value <= 100):
            raise ModelError(f"{what} is {shown(value)}; give a whole number from 1 to 100")
    if mass not in ("lumped", "consistent"):
        raise ModelError(
            f"mass is {shown(mass)}{did_you_mean(str(mass), ('lumped', 'consistent'))}; give 'lumped' or 'consistent'"
        )
    sizes: dict[str, np.ndarray] = {}
    given = (("height", height, storeys), ("span", span, bays), ("floor_mass", floor_mass, storeys))
    for what, size, count in given:
        try:
            sizes[what] = np.broadcast_to(np.asarray(size, float), count).astype(float)
        except ValueError:
            raise ModelError(f"{what} is {shown(size)}; give one number, or {count}") from None
        if (
            not np.all(np.isfinite(sizes[what]))
            or not np.all(sizes[what] >= 0.0)
            or what != "floor_mass"
            and not np.all(sizes[what] > 0.0)
        ):
            raise ModelError(f"{what} is {shown(size)}; give positive numbers")
    return sizes


def _matrices(places: np.ndarray, members: Sequence[tuple], E: float, density: float) -> tuple[np.ndarray, ...]:
    """Stiffness, lumped mass and consistent mass (6 n, 6 n) of members between nodes; loads move with their member."""
    count = len(places)
    K6 = np.zeros((6 * count, 6 * count))
    of_lumps, of_shapes = np.zeros_like(K6), np.zeros_like(K6)
    G = E / 2.6
    for a, b, section, load in members:
        along = places[b] - places[a]
        length = float(np.linalg.norm(along))
        T = np.kron(np.eye(4), np.stack([along / length, (0.0, 1.0, 0.0), np.cross(along / length, (0.0, 1.0, 0.0))]))
        heavy = density + load / section.A
        Ke, Me = element(section, length, E, G, density)
        whole = heavy * section.A * length
        turn = whole * length**2 * LUMPING
        lumps = np.diag([0.5 * whole] * 3 + [turn] * 3 + [0.5 * whole] * 3 + [turn] * 3)
        if load:
            # what lies on a girder moves with it and has no inertia of turning of its own
            thin = Section(section.A, 1e-12 * section.Iy, 1e-12 * section.Iz, section.J)
            Me = Me + element(thin, length, E, G, heavy - density)[1]
        at = np.concatenate([6 * a + np.arange(6), 6 * b + np.arange(6)])
        K6[np.ix_(at, at)] += T.T @ Ke @ T
        of_lumps[np.ix_(at, at)] += T.T @ lumps @ T
        of_shapes[np.ix_(at, at)] += T.T @ Me @ T
    return K6, of_lumps, of_shapes


def _supports(model: Model, places: np.ndarray, records: Sequence[GroundMotion], mass: float) -> list[Any]:
    """Markers of the supports: on a part each that its own record moves, or on one base of all."""
    markers: list[Any] = []
    bases: list[Any] = []
    for b in range(len(places)):
        if len(records) > 1 or not b:
            word = f"support {b + 1}" if len(records) > 1 else "base"
            base = model.part(word, mass, (1.0, 1.0, 1.0), places[b])
            slide = model.translational(base, model.ground, f"{word} slide", at=places[b], axis=(1, 0, 0))
            shaken(model, slide, records[b] if records else None, word)
            bases.append(base)
        markers.append(model.marker_at(bases[-1], places[b], name=f"node {b + 1}"))
    return markers


def _lumped(
    model: Model, markers: list[Any], places: np.ndarray, members: Sequence[tuple], M: np.ndarray, E: float
) -> None:
    """A part for each node above the supports, whose ``markers`` are given, and beams between; adds markers of these
    nodes."""
    G = E / 2.6
    for k in range(len(markers), len(places)):
        body = model.part(f"node {k + 1}", float(M[3 * k, 3 * k]), (float(M[3 * k + 2, 3 * k + 2]),) * 3, places[k])
        model.planar(body, model.ground, f"plane {k + 1}", at=places[k], axis=(0, 1, 0))
        markers.append(model.marker_at(body, places[k], name=f"node {k + 1}"))
    for a, b, section, _ in members:
        along = (places[b] - places[a]) / np.linalg.norm(places[b] - places[a])
        i, j = (
            model.marker_at(model.body_of(markers[k]), places[k], x=along, z=np.cross(along, (0.0, 1.0, 0.0)))
            for k in (b, a)
        )
        length = float(np.linalg.norm(places[b] - places[a]))
        model.beam(i, j, length, section.A, section.J, section.Iy, section.Iz, E, G)


def _consistent(
    model: Model, markers: list[Any], places: np.ndarray, members: Sequence[tuple], M: np.ndarray, matrices: tuple
) -> None:
    """One flexible body with the ``matrices`` (stiffness, mass) of all members, fixed to the supports, whose
    ``markers`` are given; adds markers of the nodes above."""
    width, count = len(markers), len(places)
    body = model.part("steel", float(M[::3, ::3].sum()), (1.0, 1.0, 1.0), places[width:].mean(axis=0))
    elements = FiniteElements(
        list(range(1, count + 1)),
        places,
        *map(sp.csc_matrix, matrices),
        np.array([(a, b) for a, b, *_ in members]),
    )
    model.make_flexible(
        body, elements, modes=6 * (count - width), interfaces=list(range(1, width + 1)), geometric=False
    )
    for k in range(width):
        model.fixed(body, model.body_of(markers[k]), f"foot {k + 1}", at=places[k])
    markers += [model.marker_at(body, places[k], name=f"node {k + 1}") for k in range(width, count)]


def steel_frame(
    storeys: int = 6,
    bays: int = 2,
    motion: GroundMotion | Sequence[GroundMotion] | None = None,
    *,
    height: float | Sequence[float] = 3.6,
    span: float | Sequence[float] = 6.0,
    column: Section | str | Sequence[Section | str] = "HEB400",
    girder: Section | str = "IPE500",
    floor_mass: float | Sequence[float] = 4e4,
    mass: str = "lumped",
    E: float = 2.1e11,
    density: float = 7850.0,
    damping: float = 0.02,
    rayleigh: tuple[int, int] | None = None,
    name: str = "frame",
) -> Frame:
    """A plane frame of ``storeys`` and ``bays``, columns clamped at their supports, girders stiffly joined; SI, x along
    the frame, z up, without weight.

    ``height`` (m) of storeys, ``span`` (m) of bays; ``column``, ``girder``: names of `SECTIONS` or sections (of a
    column one for all or one a storey);
    ``floor_mass``: kg on
    the girders of each floor, compared with the steel's own; ``mass``: "lumped" (a part a node, beams between them) or
    "consistent" (one flexible body, all its modes);
    ``damping``: ratio of all modes, or with ``rayleigh`` of two of them, in C = a M + b K; ``motion``: a record for all
    supports, or one for each, from the left (same step
    and length).  Raises `ModelError` for invalid numbers, names and records.

        quake = hn.structures.read_ground_motion("elcentro.csv", units="g")
        frame = hn.structures.steel_frame(6, 2, quake)
        frame.add_damper(1, "power_damper", damping=4e5, exponent=0.4, bay=1)
        run = hn.simulate(frame.model, end=30.0, dt=0.02, integrator="RADAU5", error=1e-5)
    """
    sizes = _sizes(storeys, bays, height, span, floor_mass, mass)
    for what, number in (("E", E), ("density", density)):
        if not (np.isfinite(number) and number > 0.0):
            raise ModelError(f"{what} is {shown(number)}; give a positive number")
    columns = [column] * storeys if isinstance(column, (str, Section)) else list(column)
    if len(columns) != storeys:
        raise ModelError(
            f"{len(columns)} sections of columns are given for {storeys} storeys; give one, or one a storey"
        )
    posts, beam = [section_of(c) for c in columns], section_of(girder)
    width = bays + 1
    records = () if motion is None else (motion,) if isinstance(motion, GroundMotion) else tuple(motion)
    if len(records) > 1 and (len(records) != width or len({(r.dt, len(r.acceleration)) for r in records}) > 1):
        raise ModelError(
            f"{len(records)} records are given for {width} supports; give one, or one for each, of the same step and "
            "length"
        )
    x, z = np.concatenate([[0.0], np.cumsum(sizes["span"])]), np.concatenate([[0.0], np.cumsum(sizes["height"])])
    places = np.array([(a, 0.0, b) for b in z for a in x])
    members = [(s * width + b, (s + 1) * width + b, posts[s], 0.0) for s in range(storeys) for b in range(width)]
    members += [
        ((s + 1) * width + b, (s + 1) * width + b + 1, beam, sizes["floor_mass"][s] / x[-1])
        for s in range(storeys)
        for b in range(bays)
    ]
    count = len(places)
    K6, of_lumps, of_shapes = _matrices(places, members, E, density)
    M6 = of_lumps if mass == "lumped" else of_shapes
    plane = np.concatenate([6 * k + np.array(PLANE) for k in range(count)])
    K, M = K6[np.ix_(plane, plane)], M6[np.ix_(plane, plane)]
    free = np.arange(3 * width, 3 * count)
    sway = 3 * np.arange(width)
    R = -np.linalg.solve(K[np.ix_(free, free)], K[np.ix_(free, sway)])
    inner = damping_matrix(M[np.ix_(free, free)], K[np.ix_(free, free)], damping, rayleigh)
    B = np.zeros((len(free), 3 * count))
    B[:, free], B[:, sway] = np.eye(len(free)), -R
    C = B.T @ inner @ B

    model = Model(name)
    model.gravity = (0, 0, 0)
    if mass == "lumped":
        inner_of = lambda X: X[np.ix_(plane[free], plane[free])]
        text = lumped_range(inner_of(K6), inner_of(of_lumps), inner_of(of_shapes))
        if text:
            model.warn(f"{name}: {text}")
    markers = _supports(model, places[:width], records, float(M.trace()) / 3.0 + 1.0)
    if mass == "lumped":
        _lumped(model, markers, places, members, M, E)
    else:
        _consistent(model, markers, places, members, M, (K6, M6))
    if C.any():
        rates = np.zeros((6 * count, 6 * count))
        rates[np.ix_(plane, plane)] = C
        origin = model.marker(model.ground)
        model.nforce(markers, origin, stiffness=np.zeros_like(rates), damping=rates, name="damping")
    return Frame(
        model,
        places,
        tuple(markers),
        tuple((a, b) for a, b, *_ in members),
        M,
        K,
        C,
        free,
        R,
        int(storeys),
        int(bays),
        records,
        damping,
        rayleigh,
    )
