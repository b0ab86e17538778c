"""Where a marker of a robot can be, and how well it moves there: reachable workspace and manipulability.

The Jacobian J of the marker maps the rates of the freedoms to its velocity and angular velocity.  With its singular
values s_1 >= ... >= s_k in the k directions in which the marker can move at all,

    w = s_1 ... s_k,    c = s_1 / s_k:

w is Yoshikawa's manipulability (Int. J. Robot. Res. 4 (1985) 3), sqrt(det J J^T) where J has full rank: the volume of
the ellipsoid of velocities for rates of unit norm, in units of the unit ball; c is the condition number of J (Salisbury
and Craig, Int. J. Robot. Res. 1 (1982) 4).  Where loops leave the directions N, and the actuated freedoms are S v, J is
J N (S N)^+.

Coordinates are sampled by the additive recurrence x_k = k a mod 1 with a_i = g^-i, g the root of g^(d+1) = g + 1
(Roberts 2018; of d = 1 the golden ratio), which fills the box of the limits evenly and is the same at every call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from .._summary import Summary
from ..elements.bodies import layout
from ..elements.joints.composition import BALL, SLIDE
from ..model import Model, ModelError
from ..model.bodies import Marker
from ..model.orientation import from_quaternion
from .entry import JACOBIAN
from .inverse_kinematics import Positions
from .kinematics import JointKinematics
from .stops import stop_limits

if TYPE_CHECKING:
    from ..results.pictures.figures import Figure

SINGULAR = 1e-9  # of the largest singular value: smaller is none
TREE_COUNT, LOOP_COUNT = 20000, 500
#: loops are followed in steps of the actuated coordinates (radians, shares of the extent) from so many samples, with so
#: many iterations; coordinates that change by more in a step have gone over to another assembly mode
STEP, NEIGHBOURS, CLOSINGS, JUMP = 0.25, 2, 10, 1.0
GENERIC = 16  # positions that show in how many directions a marker moves
REFINED = 8  # samples from which an extreme distance is searched
VALUES = ("manipulability", "condition", "density")


@dataclass(repr=False)
class Manipulability(Summary):
    """How well a marker moves at one position.

    ``value``: product of the singular values, in ``units``; ``condition``: largest over smallest of them, infinite at
    singular positions; ``singular_values`` (k,), ``axes`` (rows, k): of the ellipsoid of velocities, largest first;
    ``directions``: k, in how many directions the marker moves at positions that are not singular."""

    value: float
    condition: float
    units: str
    directions: int
    singular_values: np.ndarray
    axes: np.ndarray


@dataclass(repr=False)
class ReachableWorkspace(Summary):
    """Positions of a marker over the limits of the joints.

    ``points`` (k, 3): in ground, model units; ``q`` (k, nq): the coordinates there, of which ``coordinates`` are the
    names; ``manipulability``, ``condition`` (k,): see `Manipulability`; ``tried``: number of sampled coordinates, of
    which k close the loops within the limits."""

    marker: str
    tried: int
    points: np.ndarray
    manipulability: np.ndarray
    condition: np.ndarray
    units: str
    directions: int
    coordinates: list[str]
    q: np.ndarray = field(repr=False)
    length_unit: str = field(repr=False)
    _sampler: _Sampler = field(repr=False)

    def bounds(self) -> np.ndarray:
        """Smallest and largest x, y, z (2, 3) of the points."""
        return np.array([self.points.min(axis=0), self.points.max(axis=0)])

    def nearest(self, point: ArrayLike) -> np.ndarray:
        """Coordinates (nq,) of the sample whose marker is nearest to a point (3,): a start for `inverse_kinematics`."""
        return self.q[int(np.argmin(np.linalg.norm(self.points - np.asarray(point, float), axis=1)))].copy()

    def radii(self, centre: ArrayLike) -> tuple[float, float]:
        """Smallest and largest distance of the marker from a point (3,) of ground, within the limits.

        For trees a search (L-BFGS-B) from the nearest and the farthest samples refines them; for loops they are those
        of the samples."""
        here = np.asarray(centre, float)
        far = np.linalg.norm(self.points - here, axis=1)
        order = np.argsort(far)
        near, most = float(far[order[0]]), float(far[order[-1]])
        for k in order[:REFINED]:
            near = min(near, self._sampler.extreme(self.q[k], here, 1.0))
        for k in order[-REFINED:]:
            most = max(most, self._sampler.extreme(self.q[k], here, -1.0))
        return near, most

    def cells(self, size: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Cubes of an edge ``size`` that hold points: centres (c, 3), share of the samples in each (c,), largest
        manipulability there (c,)."""
        if not size > 0.0:
            raise ModelError(f"size of the cells is {size:g}; give a positive length")
        at = np.floor(self.points / size).astype(np.int64)
        cells, which = np.unique(at, axis=0, return_inverse=True)
        which = which.ravel()
        best = np.full(len(cells), -np.inf)
        np.maximum.at(best, which, self.manipulability)
        return (cells + 0.5) * size, np.bincount(which, minlength=len(cells)) / self.tried, best

    def plot(
        self,
        plane: str = "xz",
        value: str = "manipulability",
        *,
        cells: int = 80,
        slab: tuple[float, float] | None = None,
        path: str | Path | None = None,
    ) -> Figure:
        """Map over a plane of ground (``"xy"``, ``"xz"``, ``"yz"``), seen along the third axis.

        ``value``: ``"manipulability"`` (largest in each of ``cells`` columns and rows), ``"condition"`` (smallest) or
        ``"density"`` (share of the samples).  ``slab``: only points whose third coordinate is between two values.
        ``path``: writes a file (``.png``, ``.svg``, ``.pdf``).  Cells without points stay white."""
        from ..results.pictures.figures import Figure, FigureCanvasAgg

        if plane not in ("xy", "xz", "yz"):
            raise ModelError(f"plane is {plane!r}; write 'xy', 'xz' or 'yz'")
        if value not in VALUES:
            raise ModelError(f"value is {value!r}; write {', '.join(map(repr, VALUES))}")
        a, b = ("xyz".index(c) for c in plane)
        points, w, c = self.points, self.manipulability, self.condition
        if slab is not None:
            third = points[:, 3 - a - b]
            keep = (third >= slab[0]) & (third <= slab[1])
            if not keep.any():
                raise ModelError(
                    f"slab {slab[0]:g} to {slab[1]:g} holds no point; they lie at {third.min():g} to {third.max():g}"
                )
            points, w, c = points[keep], w[keep], c[keep]
        low, high = points[:, [a, b]].min(axis=0), points[:, [a, b]].max(axis=0)
        edge = max(float((high - low).max()) / cells, 1e-12)
        at = np.minimum(((points[:, [a, b]] - low) / edge).astype(np.int64), cells - 1)
        image = np.full((cells, cells), np.nan)
        flat = at[:, 1] * cells + at[:, 0]
        if value == "density":
            held = np.bincount(flat, minlength=cells * cells) / self.tried
            image = np.where(held > 0.0, held, np.nan).reshape(cells, cells)
        else:
            best = np.full(cells * cells, np.inf if value == "condition" else -np.inf)
            if value == "condition":
                np.minimum.at(best, flat, c)
            else:
                np.maximum.at(best, flat, w)
            image = np.where(np.isfinite(best), best, np.nan).reshape(cells, cells)
        figure = Figure(figsize=(6.4, 5.2), layout="constrained")
        FigureCanvasAgg(figure)
        ax = figure.add_subplot()
        extent = (low[0], low[0] + cells * edge, low[1], low[1] + cells * edge)
        drawn = ax.imshow(1.0 / image if value == "condition" else image, origin="lower", extent=extent, cmap="viridis")
        label = {
            "manipulability": f"manipulability [{self.units}]",
            "condition": "1 / condition number",
            "density": "share of the samples",
        }[value]
        figure.colorbar(drawn, ax=ax, label=label)
        ax.set(xlabel=f"{plane[0]} [{self.length_unit}]", ylabel=f"{plane[1]} [{self.length_unit}]", title=self.marker)
        ax.set_aspect("equal")
        if path is not None:
            figure.savefig(path, dpi=150)
        return figure


def manipulability(
    model: Model | JointKinematics,
    marker: Marker,
    q: ArrayLike | None = None,
    *,
    rows: Sequence[int] = (0, 1, 2),
    actuated: Sequence[str] | None = None,
    length: float | None = None,
) -> Manipulability:
    """Manipulability and condition number of a marker at coordinates q (nq,), by default as drawn.

    ``rows``: of the Jacobian, 0 to 2 velocities along x, y, z of ground, 3 to 5 angular velocities about them.
    ``actuated``: names of the freedoms whose rates count, all by default; of a mechanism with loops as many as it has
    freedoms.  ``length``: what a radian counts as where velocities and angular velocities, or slides and angles, come
    together, so that the result does not depend on units by accident; in model units.

    Raises ModelError where ``length`` is missing, and for names and rows that do not exist."""
    joints = model if isinstance(model, JointKinematics) else JointKinematics(model)
    sampler = _Sampler(joints, marker, {}, rows, actuated, length)
    here = joints.q if q is None else joints._vector("q", q, joints.nq)
    J = sampler.jacobian(here)
    k = sampler.directions()
    U, s, _ = np.linalg.svd(J, full_matrices=False)
    s, U = s[:k], U[:, :k]
    condition = float(s[0] / s[-1]) if s[-1] > SINGULAR * s[0] else np.inf
    return Manipulability(float(np.prod(s)), condition, sampler.units(k), k, s, U)


def reachable_workspace(
    model: Model | JointKinematics,
    marker: Marker,
    limits: Mapping[str, tuple[float, float]] | None = None,
    *,
    count: int | None = None,
    rows: Sequence[int] = (0, 1, 2),
    actuated: Sequence[str] | None = None,
    length: float | None = None,
) -> ReachableWorkspace:
    """Positions that a marker reaches while the joints go over their limits, and its manipulability there.

    ``limits``: name of a coordinate -> (low, high), radians or model units, instead of those of the model's stops;
    angles without limits make full turns, ball joints take all attitudes, slides need limits.  ``count``: number of
    samples, 20,000, with loops 500 by default; the same at every call.  ``rows``, ``actuated``, ``length``: see
    `manipulability`.  Of a mechanism with loops the ``actuated`` freedoms are sampled; the assembly mode of the
    drawing is followed from sample to sample in small steps, and samples that no straight way from one of the nearest
    two reaches are left out.  Contacts between bodies are not considered.

    Raises ModelError for names that do not exist, slides without limits, and loops without ``actuated``."""
    joints = model if isinstance(model, JointKinematics) else JointKinematics(model)
    sampler = _Sampler(joints, marker, limits or {}, rows, actuated, length)
    tried = (LOOP_COUNT if sampler.loops else TREE_COUNT) if count is None else int(count)
    if tried < 1:
        raise ModelError(f"count is {tried}; give at least one sample")
    q = sampler.samples(tried)
    if not len(q):
        raise ModelError(
            f"{sampler.positions.names_of_loops()}: the loops close at none of {tried} samples; check limits"
        )
    J, points = np.empty((len(q), len(sampler.rows), sampler.columns)), np.empty((len(q), 3))
    for k, values in enumerate(q):
        J[k], points[k] = sampler.jacobian(values), sampler.point
    s = np.linalg.svd(J, compute_uv=False)
    k = max(int((s > SINGULAR * s.max(initial=0.0)).sum(axis=1).max(initial=0)), 1)
    regular = s[:, k - 1] > SINGULAR * s[:, 0]
    condition = np.full(len(s), np.inf)
    np.divide(s[:, 0], s[:, k - 1], out=condition, where=regular)
    return ReachableWorkspace(
        marker.label,
        tried,
        points,
        np.prod(s[:, :k], axis=1),
        condition,
        sampler.units(k),
        k,
        list(joints.coordinates),
        q,
        joints.model.units.symbol("length"),
        sampler,
    )


class _Sampler:
    """Coordinates over the limits, and scaled Jacobians of a marker."""

    def __init__(self, joints: JointKinematics, marker: Any, limits: Any, rows: Any, actuated: Any, length: Any):
        self.joints, self.marker = joints, marker
        self.body, self.place = joints._place(marker)
        if self.body == joints.system.nb:
            raise ModelError(f"{marker.label} belongs to ground and does not move; choose a marker of a body")
        self.rows = [int(r) for r in rows]
        if not self.rows or len(set(self.rows)) < len(self.rows) or not set(self.rows) <= set(range(6)):
            raise ModelError(f"rows is {list(rows)}; give different numbers of 0 to 5")
        self.positions = Positions(joints, (), {**stop_limits(joints), **limits}, 0.0, 1e-10)
        self.loops = bool(joints.gaps(joints.q, 0.0, motions=False)[0].size)
        carried = joints._carried[joints._at[self.body]]
        if actuated is not None:
            unknown = [name for name in actuated if name not in joints.freedoms]
            if unknown:
                raise ModelError(
                    f"actuated: there is no freedom '{unknown[0]}'; choose from {', '.join(joints.freedoms[:6])}"
                )
            self.freedoms = np.array([joints.freedoms.index(name) for name in actuated], np.int64)
        elif self.loops:
            raise ModelError(
                f"{self.positions.names_of_loops()}: closes a loop; name the freedoms that are driven by actuated=[...]"
            )
        else:
            self.freedoms = np.flatnonzero(carried)
        self.columns = len(self.freedoms)
        if not self.columns:
            raise ModelError(f"{marker.label} is moved by no freedom; choose another marker, or other actuated ones")
        if self.loops:
            G = joints.gaps(joints.q, 0.0, motions=False)[1] * self.positions.unit
            free = joints.nv - np.linalg.matrix_rank(G, tol=1e-8 * np.abs(G).max())
            if free != self.columns:
                raise ModelError(
                    f"the mechanism has {free} freedoms as drawn, and {self.columns} are actuated; name as many"
                )
        linear = [r < 3 for r in self.rows]
        slides = ~joints.turns[self.freedoms]
        self.mixed_rows = any(linear) and not all(linear)
        self.mixed_rates = bool(slides.any() and not slides.all())
        if length is not None and not float(length) > 0.0:
            raise ModelError(f"length is {length}; give a positive length")
        if length is None and (self.mixed_rows or self.mixed_rates):
            what = "velocities and angular velocities" if self.mixed_rows else "slides and angles"
            raise ModelError(
                f"the Jacobian of {marker.label} mixes {what}, so singular values depend on the units; give length=, "
                "the length that counts as a radian, or choose other rows or actuated freedoms"
            )
        self.linear, self.sliding = bool(linear[0]), bool(slides[0])
        size = 1.0 if length is None else float(length)
        self.left = np.where(linear, 1.0 / size if self.mixed_rows else 1.0, 1.0)[:, None]
        self.right = np.where(slides, size if self.mixed_rates or self.mixed_rows else 1.0, 1.0)
        self.point = np.zeros(3)

    def units(self, k: int) -> str:
        """Units of a product of k singular values."""
        length = self.joints.model.units.symbol("length")
        power = 0 if self.mixed_rows else int(self.linear)
        power -= int(self.sliding and not (self.mixed_rates or self.mixed_rows))
        power *= k
        return "1" if power == 0 else length if power == 1 else f"{length}^{power}"

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Scaled rows (rows, columns) at coordinates q; ``point`` (3,) is set to the marker's origin."""
        joints = self.joints
        P = joints._handle.P
        P.q[:], P.v[:] = q, 0.0
        joints._enter(joints._handle, JACOBIAN, 0.0, joints._at[self.body], 0.0, 0.0, 0.0)
        J = P.out[:6, : joints.nv].copy()
        state = layout.body(P.work.y, self.body)
        at = state[layout.PLACE] + from_quaternion(state[layout.QUATERNION]) @ self.place.origin
        self.point = at
        J[:3] += np.cross(J[3:].T, at).T  # it was that of the point of the body in the origin of ground
        if self.loops:
            unit = self.positions.unit
            G = joints.gaps(q, 0.0, motions=False)[1] * unit
            _, s, V = np.linalg.svd(G)
            N = unit[:, None] * V[int((s > 1e-8 * s.max()).sum()) :].T
            J = J @ N @ np.linalg.pinv(N[self.freedoms], rcond=1e-10)
        else:
            J = J[:, self.freedoms]
        return self.left * J[self.rows] * self.right

    def directions(self) -> int:
        """In how many directions the marker moves at positions that are not singular."""
        s = np.array([np.linalg.svd(self.jacobian(q), compute_uv=False) for q in self.samples(GENERIC, True)])
        return max(int((s > SINGULAR * s.max(initial=0.0)).sum(axis=1).max(initial=0)), 1)

    def samples(self, count: int, anywhere: bool = False) -> np.ndarray:
        """(k, nq) coordinates over the limits; ``anywhere``: slides without limits move by the extent."""
        joints, positions = self.joints, self.positions
        tree = joints._tree
        steps = [o for o in range(len(tree.kind)) if np.isin(tree.freedom[o], self.freedoms)]
        low, high = positions.low.copy(), positions.high.copy()
        for o in steps:
            k = int(tree.freedom[o])
            if tree.kind[o] == SLIDE:
                if not anywhere and not np.isfinite([low[k], high[k]]).all():
                    raise ModelError(
                        f"{joints.freedoms[k]} is a distance without two limits; give "
                        f"limits={{'{joints.freedoms[k]}': (low, high)}}"
                    )
                low[k], high[k] = max(low[k], -positions.extent), min(high[k], positions.extent)
            elif tree.kind[o] != BALL:  # half a turn to each side, or a whole one from the limit that there is
                turn = 2.0 * np.pi
                if not np.isfinite(low[k]):
                    low[k] = high[k] - turn if np.isfinite(high[k]) else -np.pi
                if not np.isfinite(high[k]):
                    high[k] = low[k] + turn
        number = sum(3 if tree.kind[o] == BALL else 1 for o in steps)
        x = spread_evenly(count, number)
        out = np.tile(joints.q, (count, 1))
        at = 0
        for o in steps:
            k, c = int(tree.freedom[o]), int(tree.coordinate[o])
            if tree.kind[o] == BALL:  # evenly over all attitudes: Shoemake, Graphics Gems III (1992) 124
                a, b, d = x[:, at], 2.0 * np.pi * x[:, at + 1], 2.0 * np.pi * x[:, at + 2]
                r, s = np.sqrt(1.0 - a), np.sqrt(a)
                out[:, c : c + 4] = np.column_stack([s * np.cos(d), r * np.sin(b), r * np.cos(b), s * np.sin(d)])
                at += 3
            else:
                out[:, c] = low[k] + (high[k] - low[k]) * x[:, at]
                at += 1
        return self._closed(out, low, high) if self.loops else out

    def _closed(self, q: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Of sampled coordinates those at which the loops close, closed from the nearest sample that did."""
        positions = self.positions
        k, at = self.freedoms, self.positions.at[self.freedoms]
        size = np.maximum(high[k] - low[k], 1e-300)
        kept = (positions.low.copy(), positions.high.copy(), positions.limited.copy())
        begin = positions.closed(positions.inside(self.joints.q))
        if begin is None:
            raise ModelError(f"{positions.names_of_loops()}: the loops do not close as drawn within the limits")
        found = [begin]
        for values in q:
            there = (np.array(found)[:, at] - values[at]) / size
            for n in np.argsort((there**2).sum(axis=1), kind="stable")[:NEIGHBOURS]:
                closed = self._follow(found[n], values[at])
                if closed is not None:
                    found.append(closed)
                    break
        positions.low, positions.high, positions.limited = kept
        return np.array(found[1:]).reshape(-1, self.joints.nq)

    def _follow(self, start: np.ndarray, target: np.ndarray) -> np.ndarray | None:
        """Closed coordinates with the actuated ones at ``target``, by steps from ``start`` so small that the assembly
        mode stays; None where the loops do not close on the way."""
        positions, k = self.positions, self.freedoms
        begin = start[positions.at[k]]
        way = float(np.abs((target - begin) / positions.unit[k]).max())
        here, done, step = start, 0.0, min(1.0, STEP / max(way, 1e-300))
        while done < 1.0:
            share = min(1.0, done + step)
            positions.low[k] = positions.high[k] = begin + share * (target - begin)
            positions.limited[k] = True
            closed = positions.closed(positions.inside(here), CLOSINGS)
            if closed is None or np.abs(positions.between(here, closed)).max() > JUMP:
                step *= 0.5
                if step * way < 0.2 * STEP:
                    return None
                continue
            here, done = closed, share
        return here

    def extreme(self, q: np.ndarray, centre: np.ndarray, sign: float) -> float:
        """Smallest (``sign`` 1) or largest (-1) distance of the marker from a point, near coordinates q."""
        self.jacobian(q)
        if self.loops or self.positions.ball.any():
            return float(np.linalg.norm(self.point - centre))
        k, at = self.freedoms, self.positions.at[self.freedoms]
        unit = self.positions.unit[k]

        def fall(x: np.ndarray) -> tuple[float, np.ndarray]:
            p = q.copy()
            p[at] = x * unit
            J = self.joints.jacobian(self.marker, p)[:3, k]
            way = self.joints.frame(self.marker, p).origin - centre
            return 0.5 * sign * float(way @ way), sign * (way @ J) * unit

        bounds = list(zip(self.positions.low[k] / unit, self.positions.high[k] / unit))
        found = minimize(fall, q[at] / unit, jac=True, bounds=bounds, method="L-BFGS-B", tol=1e-16)
        return float(np.sqrt(2.0 * abs(float(found.fun))))


def spread_evenly(count: int, number: int) -> np.ndarray:
    """(count, number) points that fill the unit cube evenly, the same at every call: see the text of this module."""
    g = 2.0
    for _ in range(60):
        g = (1.0 + g) ** (1.0 / (number + 1.0))
    steps = g ** -np.arange(1.0, number + 1.0)
    return (0.5 + np.outer(np.arange(count), steps)) % 1.0
