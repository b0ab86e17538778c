"""Buildings that sway: floors that slide over each other, columns and walls as springs, dampers between storeys, a
ground that shakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh

from .._summary import Summary
from ..model import Model, ModelError
from ..model.base import shown
from .ground_motion import GroundMotion
from .spectrum import response

if TYPE_CHECKING:
    from ..model.base import Element

LEVEL = 10.0  # heights of a storey that a level brace is long


@dataclass
class Building(Summary):
    """A building of rigid floors in a model: ``floors`` (n) its parts, from below; ``markers`` (n + 1) their centres,
    that of the base first; ``heights`` (n,); ``masses`` (n,); ``stiffness`` (n,) of storeys that shear, None of others;
    ``K``, ``C`` (n, n): its stiffness and own damping; ``dampers``: those that were put into storeys, by storey from
    1; ``columns``: what the columns of storeys lose by yielding (`yielding_columns`), likewise."""

    model: Model
    floors: tuple[Any, ...]
    markers: tuple[Any, ...]
    masses: np.ndarray
    stiffness: np.ndarray | None
    heights: np.ndarray
    C: np.ndarray
    K: np.ndarray
    motion: GroundMotion | None = None
    dampers: dict[int, list[Any]] = field(default_factory=dict)
    columns: dict[int, list[Any]] = field(default_factory=dict)

    @property
    def M(self) -> np.ndarray:
        """(n, n) mass matrix."""
        return np.diag(self.masses)

    def frequencies(self) -> np.ndarray:
        """(n,) rad per time, without dampers."""
        return np.sqrt(eigh(self.K, self.M, eigvals_only=True))

    def modes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Frequencies (n,), mass-orthonormal shapes (n, n) and participation factors (n,)."""
        values, shapes = eigh(self.K, self.M)
        return np.sqrt(values), shapes, shapes.T @ self.masses

    def superposition(self) -> dict[str, np.ndarray]:
        """Response of the building without dampers by modal superposition, exact for a piecewise linear record:
        ``time`` (t,), ``displacement`` (t, n) of floors relative to the base. Raises `ModelError` without a record."""
        if self.motion is None:
            raise ModelError("this building has no record; give motion=")
        w, shapes, factors = self.modes()
        out = np.zeros((len(self.motion.acceleration), len(w)))
        for k, wk in enumerate(w):
            zeta = float(shapes[:, k] @ self.C @ shapes[:, k]) / (2.0 * wk)
            out += factors[k] * np.outer(response(self.motion, 2.0 * np.pi / wk, zeta)[:, 0], shapes[:, k])
        return {"time": self.motion.time, "displacement": out}

    def add_damper(
        self, storey: int, kind: str, *, angle: float | None = None, name: str = "", **parameters: Any
    ) -> Element:
        """Put a damper into a storey (from 1), along a brace at an ``angle`` (rad) to the floors, by default level:
        ``kind`` is the name of a builder of forces along a line
        ("power_damper", "maxwell_damper", "burgers_damper", "hysteretic_spring", "spring_damper" ...), ``parameters``
        are its own.

        Raises `ModelError` for storeys that do not exist and unknown types.
        """
        placed = self.dampers.setdefault(storey, [])
        return self._across(storey, placed, kind, angle, name or f"damper {storey}.{len(placed) + 1}", parameters)

    def _across(
        self, storey: int, placed: list[Any], kind: Any, angle: float | None, name: str, parameters: dict[str, Any]
    ) -> Element:
        """A force along a line across a storey, kept in ``placed``; ``kind``: a builder, or the name of one."""
        n = len(self.floors)
        if storey not in range(1, n + 1):
            raise ModelError(f"storey is {shown(storey)}; the building has 1 to {n}")
        builder = kind if callable(kind) else getattr(self.model, kind, None) if kind[:1] != "_" else None
        if not callable(builder):
            raise ModelError(f"kind is {shown(kind)}; give the name of a force along a line, as 'power_damper'")
        # a level brace is long compared with what storeys drift, an inclined one has the height of its storey
        below, above = float(self.heights[: storey - 1].sum()), float(self.heights[:storey].sum())
        reach = (above - below) / np.tan(angle) if angle is not None else LEVEL * (above - below)
        lower = self.model.parts[self.markers[storey - 1].part]
        a = self.model.marker_at(lower, (-reach, 0.0, below if angle is not None else above))
        b = self.model.marker_at(self.floors[storey - 1], (0.0, 0.0, above))
        e = builder(b, a, name=name, **parameters)
        placed.append(e)
        return e

    def results(self, run: Any) -> dict[str, np.ndarray]:
        """Of a run, over its times: ``displacement`` (t, n) of floors relative to the base, ``drift`` (t, n) of
        storeys, ``acceleration`` (t, n) of floors
        (absolute),
        ``shear`` (t, n) of storeys by columns and their damping, ``base_shear`` (t,): total force on the base,
        including dampers; ``damper_work`` (t, n): work absorbed by the dampers of each storey (dissipated or stored),
        ``column_work`` (t, n): by what yields in its columns, their elastic strain energy less that of elastic ones
        included,
        ``own_loss`` (t,): lost by the building's own damping, ``input`` (t,): work of inertia forces of the ground's
        motion on the floors relative to it (C.-M. Uang, V. V. Bertero, Earthq. Eng. Struct. Dyn. 19 (1990) 77-90)."""
        base = run.part(self.model.parts[self.markers[0].part].name)
        part = [run.part(f.name) for f in self.floors]
        x0, v0 = base.position.values[:, 0], base.velocity.values[:, 0]
        u = np.stack([p.position.values[:, 0] for p in part], axis=1) - x0[:, None]
        v = np.stack([p.velocity.values[:, 0] for p in part], axis=1) - v0[:, None]
        drift = np.diff(np.concatenate([np.zeros((len(u), 1)), u], axis=1), axis=1)
        own = (self.K @ u.T + self.C @ v.T).T
        acceleration = np.stack([p.acceleration.values[:, 0] for p in part], axis=1)
        shear = np.cumsum(own[:, ::-1], axis=1)[:, ::-1]
        works, yielded = np.zeros_like(u), np.zeros_like(u)
        speeds = np.concatenate([v0[:, None], v + v0[:, None]], axis=1)
        bodies = {self.markers[s].part: s for s in range(len(self.markers))}
        t = np.asarray(run.time)
        for work, placed in ((works, self.dampers), (yielded, self.columns)):
            for storey, elements in placed.items():
                for e in elements:
                    i, j = (bodies[self.model.body_of(self.model.table("MARKER")[m]).id] for m in (e.i, e.j))
                    work[:, storey - 1] += work_taken(run, e, t, speeds[:, i] - speeds[:, j])
        for storey, elements in self.columns.items():
            for e in elements:
                shear[:, storey - 1] -= run.force(f"{e.KIND}/{e.id}").force.values[:, 0]
        ground = base.acceleration.values[:, 0]
        return {
            "displacement": u,
            "drift": drift,
            "acceleration": acceleration,
            "shear": shear,
            "base_shear": -(acceleration * self.masses).sum(axis=1),
            "damper_work": works,
            "column_work": yielded,
            "own_loss": summed(t, np.einsum("ts,sr,tr->t", v, self.C, v)),
            "input": summed(t, -(v * self.masses).sum(axis=1) * ground),
        }


def summed(t: np.ndarray, power: np.ndarray) -> np.ndarray:
    """(t,) integral of a power over the outputs, by trapezoids."""
    return np.concatenate([[0.0], np.cumsum(0.5 * np.diff(t) * (power[1:] + power[:-1]))])


def work_taken(run: Any, element: Any, t: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """(t,) work that a force along a line took from its markers, which move along x: - integral of the force on I times
    ``speed`` (t,) of I against J."""
    return summed(t, -run.force(f"{element.KIND}/{element.id}").force.values[:, 0] * speed)


def stiffness_matrix(k: np.ndarray) -> np.ndarray:
    """(n, n) of storeys k (n,), from below."""
    n = len(k)
    K = np.zeros((n, n))
    for s in range(n):
        K[s, s] += k[s]
        if s:
            K[s - 1, s - 1] += k[s]
            K[s - 1, s] -= k[s]
            K[s, s - 1] -= k[s]
    return K


def damping_matrix(
    M: np.ndarray, K: np.ndarray, damping: float | Sequence[float], rayleigh: tuple[int, int] | None
) -> np.ndarray:
    """(n, n) of modal ratios, C = M Phi diag(2 zeta w) Phi^T M, or Rayleigh's a M + b K with one ratio at two modes
    (from 1).

    Raises `ModelError` for ratios that are none and modes that there are not.
    """
    n = len(M)
    w2, shapes = eigh(K, M)
    w = np.sqrt(w2)
    ratio = np.asarray(damping, float)
    if not np.all((ratio >= 0.0) & (ratio < 1.0)) or ratio.ndim and len(ratio) != n:
        raise ModelError(f"damping is {shown(damping)}; give one ratio from 0 to below 1, or one for each of {n} modes")
    if rayleigh is None:
        return M @ shapes @ np.diag(2.0 * np.broadcast_to(ratio, n) * w) @ shapes.T @ M
    try:
        i, j = (int(v) for v in rayleigh)
    except (TypeError, ValueError):
        i = j = 0
    if ratio.ndim or not (1 <= i < j <= n):
        raise ModelError(f"rayleigh is {shown(rayleigh)}; give two modes from 1 to {n}, and one ratio")
    a, b = np.linalg.solve(
        0.5 * np.array([[1 / w[i - 1], w[i - 1]], [1 / w[j - 1], w[j - 1]]]), np.full(2, float(ratio))
    )
    return a * M + b * K


def shaken(model: Model, slide: Any, motion: GroundMotion | None, name: str = "") -> None:
    """Drive a slide by the acceleration of a record, straight between its points, from rest; nothing after its end.
    Held where there is none."""
    if motion is None:
        model.motion(slide, "0", name)
        return
    record = model.spline(
        motion.time, motion.acceleration, linear_extrapolate=False, name=name or motion.name or "record"
    )
    model.motion(
        slide,
        f"IF(TIME-{float(motion.time[-1])!r}: INTERP(TIME, 1, {record.id}), 0, 0)",
        name,
        level="ACCELERATION",
        icdisp=0.0,
        icvel=0.0,
    )


def shear_building(
    masses: Sequence[float],
    stiffness: Sequence[float],
    motion: GroundMotion | None = None,
    *,
    damping: float | Sequence[float] = 0.0,
    rayleigh: tuple[int, int] | None = None,
    heights: float | Sequence[float] = 3.0,
    name: str = "building",
) -> Building:
    """A shear building of n rigid floors, in SI, with base excitation along x.

    ``masses`` (n,) kg, from below; ``stiffness`` (n,) N/m of the storeys; ``motion``: ground acceleration, piecewise
    linear, zero after its end; ``damping``: ratio of all modes, or one per mode (modal damping: C = M Phi diag(2 zeta
    w) Phi^T M); ``rayleigh``: two modes (from 1) that have the damping ratio, C = a M + b K;
    ``heights``: m, of each storey.  Raises `ModelError` for invalid masses, stiffnesses and ratios.

        quake = hn.structures.read_ground_motion("elcentro.csv", units="g")
        frame = hn.structures.shear_building([1e5] * 6, [1.2e8] * 6, quake, damping=0.02)
        frame.add_damper(1, "power_damper", damping=6e5, exponent=0.4)
        run = hn.simulate(frame.model, end=30.0, dt=0.01)
    """
    m, k = np.asarray(masses, float).ravel(), np.asarray(stiffness, float).ravel()
    if not len(m) or len(m) != len(k):
        raise ModelError(f"{len(m)} masses and {len(k)} stiffnesses are given; give one of each a storey")
    for what, values in (("masses", m), ("stiffness", k)):
        if not np.all(values > 0.0) or not np.all(np.isfinite(values)):
            raise ModelError(f"{what} are {shown(values.tolist())}; give positive numbers")
    building = lateral_building(
        m, stiffness_matrix(k), motion, damping=damping, rayleigh=rayleigh, heights=heights, name=name
    )
    building.stiffness = k
    return building


def lateral_building(
    masses: Sequence[float] | np.ndarray,
    K: np.ndarray,
    motion: GroundMotion | None = None,
    *,
    damping: float | Sequence[float] = 0.0,
    rayleigh: tuple[int, int] | None = None,
    heights: float | Sequence[float] | np.ndarray = 3.0,
    name: str = "building",
) -> Building:
    """A building of n rigid floors with any stiffness ``K`` (n, n), N/m, between their displacements relative to the
    base, as flexible columns and girders have
    (`Frame.condensed`); otherwise as `shear_building`. Raises `ModelError` for invalid masses, matrices, ratios and
    heights."""
    m, K = np.asarray(masses, float).ravel(), np.asarray(K, float)
    n = len(m)
    if not n or not np.all(m > 0.0) or not np.all(np.isfinite(m)):
        raise ModelError(f"masses are {shown(m.tolist())}; give positive numbers")
    if K.shape != (n, n) or not np.all(np.isfinite(K)) or np.abs(K - K.T).max() > 1e-9 * np.abs(K).max():
        raise ModelError(f"K of a building of {n} floors has the shape {K.shape}; give a symmetric matrix of {n} rows")
    if not eigh(K, eigvals_only=True)[0] > 0.0:
        raise ModelError(
            "K of this building is not positive definite, so it does not stand; give the stiffness with the base held"
        )
    K = 0.5 * (K + K.T)
    try:
        h = np.broadcast_to(np.asarray(heights, float), n).astype(float)
    except ValueError:
        raise ModelError(f"heights are {shown(heights)}; give one number, or {n}") from None
    if not np.all(h > 0.0):
        raise ModelError(f"heights are {shown(heights)}; give positive numbers")
    C = damping_matrix(np.diag(m), K, damping, rayleigh)
    model = Model(name)
    model.gravity = (0, 0, 0)
    base = model.part("base", float(m.sum()), (1, 1, 1), position=(0, 0, 0))
    slide = model.translational(base, model.ground, "ground", at=(0, 0, 0), axis=(1, 0, 0))
    shaken(model, slide, motion)
    markers, floors = [model.marker(base)], []
    z = np.cumsum(h)
    for s in range(n):
        floor = model.part(f"floor {s + 1}", float(m[s]), (1, 1, 1), position=(0, 0, float(z[s])))
        model.translational(floor, base, at=(0, 0, float(z[s])), axis=(1, 0, 0))
        floors.append(floor)
        markers.append(model.marker(floor))
    # forces of all columns and of modal damping on each floor, relative to the base
    for s in range(n):
        terms = []
        for r in range(n):
            if K[s, r] != 0.0:
                terms.append(f"-{float(K[s, r])!r}*DX({markers[r + 1]},{markers[0]})")
            if C[s, r] != 0.0:
                terms.append(f"-{float(C[s, r])!r}*VX({markers[r + 1]},{markers[0]})")
        model.vforce(markers[s + 1], base, "".join(terms).replace("--", "+"), "0", "0", rm=markers[0])
    return Building(model, tuple(floors), tuple(markers), m, None, h, C, K, motion)
