"""`Granular`: spheres and walls as flat arrays, advanced by an explicit step."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from .._warnings import warn_model
from ..model.base import ModelError
from .kernels import (
    CHUNKS,
    L_DEPTH,
    L_ENERGY,
    L_FORCE,
    L_NORMAL,
    L_POINT,
    L_ROW,
    L_SIZE,
    L_SURFACE,
    LOAD_AT,
    LOG,
    LOGGED,
    MATERIALS,
    PREDICTED,
    Q_AT,
    REMEMBERS,
    SKIN,
    VERLET,
    WALLS,
    G,
    H,
    State,
    accelerate,
    bounds,
    neighbours,
    remember,
    run,
    sort,
    spread,
    surfaces_near,
    touching,
    touching_walls,
)
from .laws import COLUMNS, REMEMBERED, Law, remembering
from .points import COLD, HOT, ID, II, IM, MATERIAL, N_COLUMNS, RADIUS, XB, V, W, X
from .walls import (
    BALL,
    BLOCK,
    P_KIND,
    P_MATERIAL,
    P_WALL,
    PLANE,
    PRIM,
    ROUND,
    TRIANGLE,
    W_MOVED,
    W_R,
    W_REACH,
    W_STILL,
    W_V,
    W_W,
    W_X,
    WALL,
    Wall,
)

METHODS = ("EULER", "VERLET")
SURFACES = 64  # of walls that a sphere may overlap at once
NEVER = 1e50  # a contact time of what does not touch
MOST = 1000  # steps between two checks the keyboard


class Contacts(NamedTuple):
    """Points that touch.  ``a`` (m,) ids; ``b`` (m,) ids, or -1 on a wall; ``wall`` (m,) number of the wall or -1;
    ``point``, ``normal`` (m, 3)
    (from b to a), ``depth`` (m,), ``force`` (m, 3) on a, ``normal_force`` (m,), ``elastic`` (m,) energy stored by the
    normal force."""

    a: np.ndarray
    b: np.ndarray
    wall: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    depth: np.ndarray
    force: np.ndarray
    normal_force: np.ndarray
    elastic: np.ndarray


class Energy(NamedTuple):
    kinetic: float
    rotational: float
    potential: float
    elastic: float

    @property
    def total(self) -> float:
        return self.kinetic + self.rotational + self.potential + self.elastic


def _aligned(rows: int, columns: int) -> np.ndarray:
    """Zeros whose rows start at cache lines where their length allows it."""
    raw = np.zeros(rows * columns + 16)
    shift = (-raw.ctypes.data % 128) // 8
    return raw[shift : shift + rows * columns].reshape(rows, columns)


class Granular:
    """Spheres and walls that push each other, by an explicit step of constant length.

    **Equations.**  m x'' = m g + sum F,  I w' = sum T  for each sphere, F and T from a `Law` for the pair of materials
    at every point where two spheres, or a sphere and a wall, overlap; the point lies in the middle of the overlap.
    Ground axes throughout; SI or any consistent units.

    **Making one.**

        Granular(law, step=1e-4, gravity=(0, 0, 0), method="EULER" | "VERLET", threads=1, skin=None, orientation=False)

    law: a `Law`, for all pairs of materials, or a dict {(a, b): Law} by material numbers (0, 1, ...; (a, b) serves (b,
    a) too). ``set_law(a, b, law)`` changes one later.  EULER: semi-implicit, first order; VERLET: velocity Verlet,
    second order.
    skin: how much further than touching the lists of near spheres reach (a length); None: found while running, from how
    often lists are made.

    **Spheres.**

        ids = g.add(pos (n, 3), radius, mass= or density=, inertia=None, vel=, omega=, material=0, orientation=)
        g.remove(ids)                               # any time; an id is never used again
        g.count, g.ids                              # (n,) int64, rising; all arrays below follow this order
        g.pos, g.vel, g.omega (n, 3)                # copies; omega in ground axes
        g.radius, g.mass, g.inertia, g.material (n,)
        g.orientation (n, 4)                        # unit quaternion (scalar first); only with orientation=True
        g.set(ids=None, pos=, vel=, omega=, ...)    # writes, of all spheres or of some
        g.load(ids, force=(n, 3), torque=(n, 3))    # a constant load from now on, in addition to gravity

    **Walls.**  ``w = g.wall(name, material=0, position=(0, 0, 0), rotation=I)``, then shapes in the wall's own axes,
    each returns w:

        w.plane(point, normal)                      # half space; the normal points to the free side
        w.box(low, high, open="")                   # inside of a box; sides left out: "top bottom left right front
            back" (z, x, y)
        w.block(low, high)                          # a solid box
        w.cylinder(a, b, radius)                    # a thin round shell from a to b, felt on both sides
        w.cone(a, b, ra, rb)                        # a shell whose radius goes from ra at a to rb at b: a hopper; a
            disc where a and b coincide
        w.disc(centre, normal, radius, hole=0)      # a round plate
        w.sphere(centre, radius, hollow=False)
        w.triangles(vertices (n, 3), faces (m, 3))  # a surface, felt on both sides

        w.position, w.rotation (3, 3), w.velocity, w.angular_velocity   # may be set at any time; it moves on with its
            velocities
        w.surface_velocity                          # of its material in its own axes: a belt
        w.force, w.moment                           # of the spheres on the wall in the last step; moment about
            w.position; ground axes
        w.impulse, w.angular_impulse                # their sums over time since w.reset(): mean force = impulse / time

    **Time.**

        g.advance(n, motion=None)                   # n steps; motion(t): called before each step to set walls and loads
        g.time, g.steps, g.step
        g.contact_time()                            # shortest time of a contact: the step should be a twentieth of it
            or less

    **What is there.**  ``g.contacts()`` -> Contacts(a, b, wall, point, normal, depth, force, memory...) of the points
    that touch now; ``g.energy()`` -> Energy(kinetic, rotational, potential, elastic); ``g.momentum()``; ``g.memory``
    bytes held; statistics in `holonom.granular.statistics`.

    **Threads.**  Results are equal to the last bit for any number of threads: spheres are cut into chunks whose number
    follows from their number alone, and sums run in the order of chunks.

    Raises ModelError for bad numbers, and when spheres leave the range of numbers (the step is too long for the
    stiffness).
    """

    def __init__(
        self,
        law: Law | dict[tuple[int, int], Law],
        *,
        step: float,
        gravity=(0.0, 0.0, 0.0),
        method: str = "EULER",
        threads: int = 1,
        skin: float | None = None,
        orientation: bool = False,
    ) -> None:
        self._laws: dict[tuple[int, int], Law] = {}
        self._law: Law | None = None
        if isinstance(law, Law):
            self._law = law
        else:
            for (a, b), one in law.items():
                self.set_law(a, b, one)
        self.step = self._positive("the step", step)
        self.gravity = np.array(gravity, float)
        if self.gravity.shape != (3,) or not np.isfinite(self.gravity).all():
            raise ModelError("grains: gravity is a vector of three finite numbers")
        self.method = method.upper()
        if self.method not in METHODS:
            raise ModelError(f"grains: there is no method {method}; choose one of {', '.join(METHODS)}")
        if not 1 <= int(threads) <= 256:
            raise ModelError(f"grains: 1 to 256 threads can be used, not {threads}")
        self.threads = int(threads)
        if skin is not None:
            self._positive("skin", skin)
        self._skin, self._part = skin, 0.1
        self._built, self._outdated = 0, False  # step of the last lists, and whether motion outdated them
        self._q_at = COLD if orientation else 0
        self._load_at = 0
        self.time, self.steps, self.builds = 0.0, 0, 0
        self._rows = 0  # in use, also of those removed since the lists were made
        self._next = 0  # id
        self._hot, self._hot2 = _aligned(0, HOT), _aligned(0, HOT)
        wide = COLD + (4 if orientation else 0)
        self._cold, self._cold2 = _aligned(0, wide), _aligned(0, wide)
        self._order: np.ndarray | None = None
        self._levels: np.ndarray | None = None  # largest radius of each level of sizes
        self._walls = np.zeros((0, WALL))
        self._prim = np.zeros((0, PRIM))
        self._bounds = np.zeros((0, 6))  # of the surfaces, in their walls' axes
        self._surfaces: list[np.ndarray] = []
        self.walls: list[Wall] = []
        self._stale = True  # lists
        self._fresh = True  # accelerations
        #: who hears what a run should know, once: a function of a text
        self.report: Callable[[str], object] = warn_model
        self._warned = False
        self._pool: ThreadPoolExecutor | None = None
        self._room = 8
        self._num = np.zeros(16, np.int64)
        self._num[LOGGED] = -1
        self._par = np.zeros(16)
        self._barrier = np.zeros(16, np.int64)
        self._s: State | None = None
        self._make_lists(0)

    @staticmethod
    def _positive(what: str, x) -> float:
        x = float(x)
        if not 0.0 < x < math.inf:
            raise ModelError(f"grains: {what} must be a positive number, it is {x:g}")
        return x

    # laws

    def set_law(self, a: int, b: int, law: Law) -> None:
        """The law between materials a and b."""
        if not isinstance(law, Law) or a < 0 or b < 0:
            raise ModelError(f"grains: a law is between two materials (0, 1, ...), not between {a} and {b}")
        self._laws[int(a), int(b)] = self._laws[int(b), int(a)] = law
        self._stale = True

    def law(self, a: int, b: int) -> Law:
        """The law between materials a and b.  Raises ModelError where there is none."""
        one = self._laws.get((a, b), self._law)
        if one is None:
            raise ModelError(
                f"grains: there is no law between materials {a} and {b}: give one with set_law({a}, {b}, ...)"
            )
        return one

    def _table(self) -> np.ndarray:
        used = {int(m) for m in np.unique(self._hot[: self._rows, MATERIAL][self._hot[: self._rows, RADIUS] > 0.0])}
        walls = {int(m) for m in np.unique(self._prim[:, P_MATERIAL])}
        n = max([*used, *walls, 0]) + 1
        table = np.zeros((n * n, COLUMNS))
        for a in used:
            for b in used | walls:
                table[a * n + b] = table[b * n + a] = self.law(a, b).row()
        self._num[MATERIALS] = n
        self._num[REMEMBERS] = remembering(table)
        return table

    # spheres

    def add(
        self, pos, radius, *, mass=None, density=None, inertia=None, vel=0.0, omega=0.0, material=0, orientation=None
    ) -> np.ndarray:
        """Adds spheres; returns their ids.  Each number may be one for all or one for each; inertia: 2/5 m r^2 unless
        given."""
        pos = np.atleast_2d(np.asarray(pos, float))
        n = len(pos)
        if pos.shape != (n, 3):
            raise ModelError(f"grains: positions are an array (n, 3), not {pos.shape}")
        radius = np.broadcast_to(np.asarray(radius, float), n)
        if (mass is None) == (density is None):
            raise ModelError("grains: give either mass or density of the spheres")
        mass = (
            np.broadcast_to(np.asarray(mass, float), n)
            if mass is not None
            else np.asarray(density, float) * 4.0 / 3.0 * np.pi * radius**3
        )
        inertia = 0.4 * mass * radius**2 if inertia is None else np.broadcast_to(np.asarray(inertia, float), n)
        vel, omega = np.broadcast_to(np.asarray(vel, float), (n, 3)), np.broadcast_to(np.asarray(omega, float), (n, 3))
        material = np.broadcast_to(np.asarray(material, int), n)
        for what, x in (("radius", radius), ("mass", mass), ("inertia", inertia)):
            bad = np.flatnonzero(~((x > 0.0) & (x < np.inf)))
            if len(bad):
                raise ModelError(
                    f"grains: {what} of sphere {bad[0]} of those added must be a positive number, it is {x[bad[0]]:g}"
                )
        for what, x in (("place", pos), ("velocity", vel), ("angular velocity", omega)):
            bad = np.flatnonzero(~np.isfinite(x).all(axis=1))
            if len(bad):
                raise ModelError(f"grains: {what} of sphere {bad[0]} of those added is not a number")
        if n and (material.min() < 0 or material.max() > 255):
            raise ModelError("grains: materials are numbered from 0 to 255")
        self._grow(self._rows + n)
        rows = slice(self._rows, self._rows + n)
        hot, cold = self._hot[rows], self._cold[rows]
        hot[:] = 0.0
        cold[:] = 0.0
        hot[:, X : X + 3], hot[:, RADIUS], hot[:, V : V + 3], hot[:, MATERIAL] = pos, radius, vel, material
        hot[:, W : W + 3], hot[:, IM], hot[:, II] = omega, 1.0 / mass, 1.0 / inertia
        ids = np.arange(self._next, self._next + n)
        cold[:, ID], cold[:, XB : XB + 3] = ids, pos
        if self._q_at:
            q = np.array((1.0, 0.0, 0.0, 0.0)) if orientation is None else np.asarray(orientation, float)
            cold[:, self._q_at : self._q_at + 4] = q / np.linalg.norm(q, axis=-1, keepdims=True)
        s = self._lists
        s["begin"][rows] = s["end"][rows] = s["wbegin"][rows] = s["wend"][rows] = 0
        self._rows += n
        self._next += n
        self._changed()
        self._fresh = True
        return ids

    def remove(self, ids) -> None:
        """Takes spheres out.  Raises ModelError for ids that are not there."""
        self._hot[self._find(ids), RADIUS] = 0.0
        self._changed()

    def _changed(self) -> None:
        self._order = self._levels = None
        self._stale = True

    def _grow(self, rows: int) -> None:
        have = len(self._hot)
        if rows <= have:
            return
        rows = max(rows, have + have // 2)
        for name in ("_hot", "_cold"):
            old = getattr(self, name)
            new = _aligned(rows, old.shape[1])
            new[: self._rows] = old[: self._rows]
            setattr(self, name, new)
            setattr(self, name + "2", _aligned(rows, old.shape[1]))
        self._make_lists(rows)

    def _make_lists(self, rows: int) -> None:
        old = getattr(self, "_lists", None)
        new = {name: np.zeros(rows, np.int32) for name in ("begin", "end", "wbegin", "wend")}
        if old is not None:
            for name in new:
                new[name][: self._rows] = old[name][: self._rows]
            new |= {name: old[name] for name in ("nbr", "wnbr", "mem", "wmem")}
        else:
            new |= {
                "nbr": np.zeros(1, np.int32),
                "wnbr": np.zeros(1, np.int32),
                "mem": np.zeros((1, REMEMBERED)),
                "wmem": np.zeros((1, REMEMBERED)),
            }
        self._lists = new
        self._spare: dict[str, np.ndarray] | None = None
        self._old, self._key = np.zeros(rows, np.int32), np.zeros(rows, np.int32)

    def _living(self) -> np.ndarray:
        """Rows in the order of their ids."""
        if self._order is None:
            rows = np.flatnonzero(self._hot[: self._rows, RADIUS] > 0.0)
            self._order = rows[np.argsort(self._cold[rows, ID], kind="stable")]
        return self._order

    def _find(self, ids) -> np.ndarray:
        rows = self._living()
        if ids is None:
            return rows
        ids = np.atleast_1d(np.asarray(ids, np.int64))
        have = self._cold[rows, ID].astype(np.int64)
        at = np.minimum(np.searchsorted(have, ids), max(len(have) - 1, 0))
        bad = np.flatnonzero(have[at] != ids) if len(have) else np.arange(len(ids))
        if len(bad):
            raise ModelError(f"grains: there is no sphere with id {ids[bad[0]]}")
        return rows[at]

    @property
    def count(self) -> int:
        return len(self._living())

    @property
    def ids(self) -> np.ndarray:
        return self._cold[self._living(), ID].astype(np.int64)

    @property
    def pos(self) -> np.ndarray:
        return self._hot[self._living(), X : X + 3]

    @property
    def vel(self) -> np.ndarray:
        return self._hot[self._living(), V : V + 3]

    @property
    def omega(self) -> np.ndarray:
        return self._hot[self._living(), W : W + 3]

    @property
    def radius(self) -> np.ndarray:
        return self._hot[self._living(), RADIUS]

    @property
    def mass(self) -> np.ndarray:
        return 1.0 / self._hot[self._living(), IM]

    @property
    def inertia(self) -> np.ndarray:
        return 1.0 / self._hot[self._living(), II]

    @property
    def material(self) -> np.ndarray:
        return self._hot[self._living(), MATERIAL].astype(np.int64)

    @property
    def orientation(self) -> np.ndarray:
        if not self._q_at:
            raise ModelError("grains: orientations are followed only when requested: Granular(..., orientation=True)")
        return self._cold[self._living(), self._q_at : self._q_at + 4]

    def set(
        self, ids=None, *, pos=None, vel=None, omega=None, radius=None, mass=None, inertia=None, material=None
    ) -> None:
        """Writes numbers of the spheres named, or of all.  A new mass or radius leaves the inertia as it is unless it
        is given too."""
        rows = self._find(ids)
        for what, x, at in (("pos", pos, X), ("vel", vel, V), ("omega", omega, W)):
            if x is not None:
                x = np.broadcast_to(np.asarray(x, float), (len(rows), 3))
                if not np.isfinite(x).all():
                    raise ModelError(f"grains: {what} must be finite numbers")
                self._hot[rows, at : at + 3] = x
        for what, x, at in (("radius", radius, RADIUS), ("mass", mass, IM), ("inertia", inertia, II)):
            if x is not None:
                x = np.broadcast_to(np.asarray(x, float), len(rows))
                if not ((x > 0.0) & (x < np.inf)).all():
                    raise ModelError(f"grains: {what} must be positive numbers")
                self._hot[rows, at] = x if at == RADIUS else 1.0 / x
        if material is not None:
            self._hot[rows, MATERIAL] = np.broadcast_to(np.asarray(material, int), len(rows))
        if radius is not None:
            self._levels = None
        self._stale = self._fresh = True

    def load(self, ids=None, force=0.0, torque=0.0) -> None:
        """A constant force and torque (ground axes) on spheres from now on, in place of those set before."""
        if not self._load_at:
            self._load_at = self._cold.shape[1]
            for name in ("_cold", "_cold2"):
                old = getattr(self, name)
                new = _aligned(len(old), old.shape[1] + 6)
                new[:, : self._load_at] = old
                setattr(self, name, new)
            self._stale = True
        rows = self._find(ids)
        self._cold[rows, self._load_at : self._load_at + 3] = np.broadcast_to(np.asarray(force, float), (len(rows), 3))
        self._cold[rows, self._load_at + 3 : self._load_at + 6] = np.broadcast_to(
            np.asarray(torque, float), (len(rows), 3)
        )

    # walls

    def wall(
        self,
        name: str = "",
        *,
        material: int = 0,
        position=None,
        rotation=None,
        velocity=None,
        angular_velocity=None,
        surface_velocity=None,
    ) -> Wall:
        """A new wall without surfaces; give it some."""
        self._walls = np.concatenate([self._walls, np.zeros((1, WALL))])
        wall = Wall(self, len(self.walls), name or f"{len(self.walls) + 1}", int(material))
        self._walls[-1, W_STILL] = 1.0
        for what, value in (
            ("position", position),
            ("rotation", rotation),
            ("velocity", velocity),
            ("angular_velocity", angular_velocity),
            ("surface_velocity", surface_velocity),
        ):
            if value is not None:
                setattr(wall, what, value)
        self.walls.append(wall)
        self._stale = True
        return wall

    def _add_surface(self, row: np.ndarray) -> None:
        self._surfaces.append(row)
        self._stale = True

    @staticmethod
    def _extent(p: np.ndarray) -> np.ndarray:
        """Bounds (6) of a surface in its wall's axes."""
        kind = p[P_KIND]
        if kind == TRIANGLE:
            corners = p[:9].reshape(3, 3)
            return np.concatenate([corners.min(axis=0), corners.max(axis=0)])
        if kind == BLOCK:
            return p[:6].copy()
        if kind == BALL and p[4] == 0.0:
            return np.concatenate([p[:3] - p[3], p[:3] + p[3]])
        if kind == ROUND:
            across = np.sqrt(np.maximum(0.0, 1.0 - p[3:6] ** 2))
            ends = p[:3], p[:3] + p[7] * p[3:6]
            low = np.minimum(ends[0] - p[6] * across, ends[1] - p[8] * across)
            return np.concatenate([low, np.maximum(ends[0] + p[6] * across, ends[1] + p[8] * across)])
        assert kind in (PLANE, BALL)
        return np.array([-1e300] * 3 + [1e300] * 3)

    # lists

    def _build(self) -> None:
        """Sorts the rows and makes the lists again."""
        if self._surfaces:
            self._prim = np.concatenate([self._prim, *(s[None, :] for s in self._surfaces)])
            self._bounds = np.concatenate([self._bounds, *(self._extent(s)[None, :] for s in self._surfaces)])
            self._surfaces = []
        out = np.zeros(12)
        bounds(self._hot, self._rows, out)
        if out[8] >= 0.0 or out[9] * self.step > 1.0:
            row = int(out[8] if out[8] >= 0.0 else out[11])
            safe = f"so fast, a step of {0.5 / out[9]:.2g} loses nothing; " if out[8] < 0.0 else ""
            raise ModelError(
                f"grains: at time {self.time:.6g} sphere {int(self._cold[row, ID])} flies further than its radius in "
                "one step: the step "
                f"{self.step:g} is too long for the stiffness or the speed, or spheres began deep inside each other; "
                f"{safe}a step of a twentieth of "
                "the contact time is safe (contact_time)"
            )
        if self.walls and not self._warned:
            self._look_at_walls()
        n, low, high, largest = int(out[7]), out[:3], out[3:6], out[6]
        if n == 0:
            low, high, largest, out[10] = np.zeros(3), np.zeros(3), 1.0, 1.0
        if (
            self._outdated
        ):  # a wider skin where spheres are fast, a thin one at rest: a function of steps alone, so reruns agree
            interval = self.steps - self._built
            self._part *= 1.2 if interval < OFTEN else 1.0 / 1.2 if interval > SELDOM else 1.0
            self._part = min(max(self._part, SKIN_PART[0]), SKIN_PART[1])
            self._outdated = False
        self._built = self.steps
        skin = self._skin if self._skin is not None else self._part * 2.0 * out[10] / max(n, 1)
        if self._levels is None:
            r = self._hot[: self._rows, RADIUS]
            self._levels = levels_of(r[r > 0.0])
        grid, g = self._grid(n, low, high, self._levels, skin)
        cells = int(g[-1, 6] + g[-1, :3].prod())
        if not hasattr(self, "_fill") or len(self._fill) < cells + 1:
            self._fill = np.zeros(cells + cells // 4 + 1, np.int32)
        levels = len(grid)
        edge = np.zeros(levels + 1, np.int64)
        sort(
            self._hot, self._cold, self._rows, grid, g, self._key, self._fill, edge, self._hot2, self._cold2, self._old
        )
        self._hot, self._hot2 = self._hot2, self._hot
        self._cold, self._cold2 = self._cold2, self._cold
        self._rows = n
        self._order = None

        law = self._table()
        remembers = self._num[REMEMBERS] != 0
        old = self._lists
        size = np.diff(edge)
        parts = np.maximum(1, np.round(max(1, min(CHUNKS_AT_MOST, n // 250)) * size / max(n, 1)).astype(int))
        cut = np.concatenate([*(edge[l] + np.arange(k) * size[l] // k for l, k in enumerate(parts)), edge[-1:]])
        level = np.repeat(np.arange(levels), parts)
        chunks = len(level)
        need, window = np.zeros(chunks, np.int64), np.zeros((2, chunks, levels), np.int64)
        self._num[CHUNKS], self._num[WALLS] = chunks, len(self.walls)
        self._num[Q_AT], self._num[LOAD_AT], self._num[VERLET] = self._q_at, self._load_at, self.method == "VERLET"
        self._par[H], self._par[G : G + 3], self._par[SKIN] = self.step, self.gravity, skin
        if remembers:  # new lists are filled next to the old ones; fresh memory would cost more than filling it
            self._lists = (
                self._spare if self._spare is not None else {name: np.zeros_like(a) for name, a in old.items()}
            )
            self._spare = old
        s = self._lists
        corner = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
        for k in range(len(self.walls)):
            self._walls[k, W_MOVED] = 0.0
            self._walls[k, W_REACH] = 1.1 * (
                np.linalg.norm(corner - self._walls[k, W_X : W_X + 3], axis=1).max() + largest + skin
            )
        one = np.zeros(1)
        state = State(
            hot=self._hot,
            cold=self._cold,
            begin=s["begin"],
            end=s["end"],
            nbr=s["nbr"],
            mem=one.reshape(1, 1),
            wbegin=s["wbegin"],
            wend=s["wend"],
            wnbr=s["wnbr"],
            wmem=one.reshape(1, 1),
            prim=self._prim,
            wall=self._walls,
            law=law,
            cut=cut,
            level=level,
            edge=edge,
            low=window[0],
            high=window[1],
            first=np.zeros(chunks, np.int64),
            at=np.zeros((chunks + 1, levels), np.int64),
            strip=np.zeros((1, 6)),
            wsum=np.zeros((chunks, len(self.walls), 8)),
            far=np.zeros((chunks, 8)),
            par=self._par,
            num=self._num,
            barrier=self._barrier,
            scratch=np.zeros((chunks, SURFACES, N_COLUMNS)),
            log=np.zeros((0, LOG + 2)),
        )
        while True:
            if len(s["nbr"]) < n * self._room:
                s["nbr"] = np.zeros(int(1.1 * n * self._room) + 64, np.int32)
            state = state._replace(nbr=s["nbr"])
            self._each(neighbours, state, grid, g, self._fill, self._room, need)
            worst = float((need / np.maximum(1, np.diff(cut))).max())
            if worst <= self._room:
                break
            self._room = int(1.15 * worst) + 1
        boxes = self._boxes()
        room = max(1024, int(1.1 * getattr(self, "_wall_pairs", 0)))
        while True:
            row, surface = np.zeros(room, np.int32), np.zeros(room, np.int32)
            m = surfaces_near(state, boxes, grid, g, self._fill, row, surface)
            if m <= room:
                break
            room = m
        self._wall_pairs = m
        if len(s["wnbr"]) < m:
            s["wnbr"] = np.zeros(m + m // 4, np.int32)
        state = state._replace(wnbr=s["wnbr"])
        spread(state, n, m, row, surface)
        if remembers:
            for name, rows in (("mem", len(s["nbr"])), ("wmem", max(1, len(s["wnbr"])))):
                if len(s[name]) < rows:
                    s[name] = np.zeros((rows, REMEMBERED))
            state = state._replace(mem=s["mem"], wmem=s["wmem"])
            remember(
                state,
                n,
                self._old,
                old["begin"],
                old["end"],
                old["nbr"],
                old["mem"],
                old["wbegin"],
                old["wend"],
                old["wnbr"],
                old["wmem"],
            )
        else:
            state = state._replace(mem=np.zeros((1, REMEMBERED)), wmem=np.zeros((1, REMEMBERED)))
        # strips: where the window of each level begins, and the first chunk that reaches into each
        low_row, high_row = window
        state.at.reshape(-1)[1 : chunks * levels + 1] = np.cumsum((high_row - low_row).reshape(-1))
        total = int(state.at[chunks, 0])
        if not hasattr(self, "_strip") or len(self._strip) < total:
            self._strip = _aligned(total + total // 8 + 1, 6)
        reaches = (high_row[:, level].T > cut[:-1, None]) & (low_row[:, level].T < cut[1:, None])
        state.first[:] = np.minimum(np.argmax(reaches, axis=1), np.arange(chunks))
        self._s = state._replace(strip=self._strip)
        self.builds += 1
        self._stale = False

    def _look_at_walls(self) -> None:
        """Say once when a wall and a sphere may move towards each other by more than the sphere's radius in a step: it
        could be behind a thin surface then.

        The error of a sphere that does so alone is in `_build`; both are checked when lists are made, which fast
        motion requires in every step.
        """
        w = self._walls
        moving = np.flatnonzero(w[:, W_STILL] == 0.0)
        if not len(moving):
            return
        hot = self._hot[: self._rows]
        hot = hot[hot[:, RADIUS] > 0.0]
        if not len(hot):
            return
        small = float(hot[:, RADIUS].min())
        speed = np.linalg.norm(hot[:, V : V + 3], axis=1)
        centre = hot[:, X : X + 3]
        for k in moving:
            spin = float(np.linalg.norm(w[k, W_W : W_W + 3]))
            reach = 0.0
            if spin > 0.0:
                own = self._bounds[self._prim[:, P_WALL] == k]
                far = np.maximum(np.abs(own[:, :3]), np.abs(own[:, 3:]))
                reach = min(
                    float(np.linalg.norm(far, axis=1).max(initial=0.0)),
                    float(np.linalg.norm(centre - w[k, W_X : W_X + 3], axis=1).max()) + float(hot[:, RADIUS].max()),
                )
            own_speed = float(np.linalg.norm(w[k, W_V : W_V + 3])) + spin * reach
            ratio = (own_speed + speed) / hot[:, RADIUS]
            worst = int(np.argmax(ratio))
            if ratio[worst] * self.step > 1.0:
                self._warned = True
                self.report(
                    f"grains: at time {self.time:.6g} wall {self.walls[k].name} moves at up to {own_speed:.3g} and may "
                    f"meet spheres that move at {speed[worst]:.3g} "
                    f"with more than their radius ({small:.3g} at least) in a step of {self.step:g}: what is thin "
                    "could pass through them; a step of "
                    f"{0.5 / ratio[worst]:.2g} is safe"
                )
                return

    def _grid(self, n: int, low, high, radii, skin: float) -> tuple[np.ndarray, np.ndarray]:
        """`cells_of`, not many more than spheres: what lies far off counts in the outer cells."""
        most = 4 * n + 1000
        if (np.floor((high - low) / (2.0 * radii[0] + skin)) + 1.0).prod() > most:
            x = self._hot[: self._rows, X : X + 3][self._hot[: self._rows, RADIUS] > 0.0]
            inner = np.quantile(x, (0.01, 0.99), axis=0)
            wide = 0.1 * (inner[1] - inner[0])
            low, high = np.maximum(low, inner[0] - wide), np.minimum(high, inner[1] + wide)
        return cells_of(low, high, radii, skin, most)

    def _boxes(self) -> np.ndarray:
        """Bounds of the surfaces in ground axes."""
        k = self._prim[:, P_WALL].astype(int)
        R = self._walls[k, W_R : W_R + 9].reshape(-1, 3, 3)
        middle, half = (
            0.5 * (self._bounds[:, :3] + self._bounds[:, 3:]),
            0.5 * (self._bounds[:, 3:] - self._bounds[:, :3]),
        )
        middle = np.einsum("kij,kj->ki", R, middle) + self._walls[k, W_X : W_X + 3]
        half = np.minimum(np.einsum("kij,kj->ki", np.abs(R), np.minimum(half, 1e200)), 1e200)
        return np.concatenate([middle - half, middle + half], axis=1)

    def _each(self, kernel, state, *rest) -> int:
        """kernel(state, t, T, ...) on all threads at once; what the first returns."""
        T = min(self.threads, int(self._num[CHUNKS]))
        if T == 1:
            return kernel(state, 0, 1, *rest)
        if self._pool is None or self._pool._max_workers < T - 1:
            self._pool = ThreadPoolExecutor(T - 1, "grains")
        if hasattr(kernel, "outer"):
            kernel.outer  # noqa: B018  made once, before the threads meet
        others = [self._pool.submit(kernel, state, t, T, *rest) for t in range(1, T)]
        first = kernel(state, 0, T, *rest)
        for o in others:
            o.result()
        return first

    # time

    def advance(self, steps: int, motion=None) -> None:
        """That many steps.  motion(time): called before each, to set walls, loads and gravity, or to add and remove
        spheres."""
        if steps < 0:
            raise ModelError(f"grains: a number of steps cannot be negative, it is {steps}")
        if motion is None:
            self._advance(int(steps))
            return
        for _ in range(int(steps)):
            motion(self.time)
            self._advance(1)

    def _advance(self, n: int) -> None:
        done = 0
        while done < n:
            if self._stale:
                self._build()
            if self._fresh and self.method == "VERLET" and not self._num[PREDICTED]:
                accelerate(self._s)
            self._fresh = False
            self._par[H], self._par[G : G + 3] = self._positive("the step", self.step), self.gravity
            most = min(MOST, n - done)
            k = self._each(run, self._s, most, n - done)
            done += k
            self.steps += k
            self.time += k * self.step
            if k < most:
                self._stale = self._outdated = True

    def _ready(self) -> State:
        if self._stale or self._s is None:
            self._build()
        assert self._s is not None
        return self._s

    def deepest(self, speed: float) -> float:
        """How much of its radius a sphere sinks into a surface at most that it strikes with this speed, without damping
        (speed times contact time / pi); 0 without surfaces that have a far side.  Behind more than 1 it is on the other
        side."""
        hot = self._hot[self._living()]
        thin = {int(m) for m in self._prim[self._prim[:, P_KIND] != PLANE, P_MATERIAL]}
        worst = 0.0
        for m in np.unique(hot[:, MATERIAL]):
            of = hot[hot[:, MATERIAL] == m]
            heavy, small = 1.0 / of[:, IM].min(), of[:, RADIUS].min()
            for other in thin:
                time = self.law(int(m), other).contact_time(heavy, small, speed)
                if time < NEVER:
                    worst = max(worst, speed * time / math.pi / small)
        return float(worst)

    def contact_time(self, speed: float | None = None) -> float:
        """Shortest duration of an elastic impact among the spheres that are there; ``speed`` of the impact for laws
        that are not linear."""
        rows = self._living()
        if not len(rows):
            raise ModelError("grains: there is no sphere yet")
        hot, times = self._hot[rows], []
        for m in np.unique(hot[:, MATERIAL]):
            of = hot[hot[:, MATERIAL] == m]
            light, small = 1.0 / of[:, IM].max(), of[:, RADIUS].min()
            for other in {*np.unique(hot[:, MATERIAL]), *np.unique(self._prim[:, P_MATERIAL])}:
                times.append(self.law(int(m), int(other)).contact_time(0.5 * light, 0.5 * small, speed))
        return float(min(times))

    # what is there

    def contacts(self) -> Contacts:
        """The points that touch now."""
        s = self._ready()
        row = np.zeros((1, REMEMBERED))
        empty = np.zeros((0, 2), np.int64), np.zeros((0, LOG))
        m = touching(s, self._rows, *empty, row)
        whole, pairs = np.zeros((m, 2), np.int64), np.zeros((m, LOG))
        touching(s, self._rows, whole, pairs, row)
        kept = s.wmem.copy()
        w = touching_walls(s)
        on = np.zeros((w, LOG + 2))
        touching_walls(s._replace(log=on))
        s.wmem[:] = kept
        ids = self._cold[: self._rows, ID].astype(np.int64)
        d = np.concatenate([pairs, on[:, :LOG]])
        a = np.concatenate([ids[whole[:, 0]], ids[on[:, L_ROW].astype(int)]])
        b = np.concatenate([ids[whole[:, 1]], np.full(w, -1)])
        wall = np.concatenate([np.full(m, -1), self._prim[on[:, L_SURFACE].astype(int), P_WALL].astype(np.int64)])
        three = lambda at: d[:, at : at + 3]
        return Contacts(
            a=a,
            b=b,
            wall=wall,
            point=three(L_POINT),
            normal=three(L_NORMAL),
            depth=d[:, L_DEPTH],
            force=three(L_FORCE),
            normal_force=d[:, L_SIZE],
            elastic=d[:, L_ENERGY],
        )

    def energy(self) -> Energy:
        """Kinetic, rotational, potential (in gravity, zero at the origin) and elastic energy (of normal forces)."""
        m, v, w = self.mass, self.vel, self.omega
        kinetic = 0.5 * float(m @ (v**2).sum(axis=1))
        rotational = 0.5 * float(self.inertia @ (w**2).sum(axis=1))
        return Energy(kinetic, rotational, -float(m @ (self.pos @ self.gravity)), float(self.contacts().elastic.sum()))

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """Momentum, and angular momentum about the origin."""
        m = self.mass[:, None]
        p = m * self.vel
        return p.sum(axis=0), (np.cross(self.pos, p) + self.inertia[:, None] * self.omega).sum(axis=0)

    @property
    def memory(self) -> int:
        """Bytes held in arrays."""
        held = [
            self._hot,
            self._hot2,
            self._cold,
            self._cold2,
            self._old,
            self._key,
            *self._lists.values(),
            *(self._spare or {}).values(),
        ]
        held += [getattr(self, name) for name in ("_fill", "_strip") if hasattr(self, name)]
        return sum(a.nbytes for a in held)


SKIN_PART = 0.05, 0.4  # minimum and maximum skin, of the mean diameter
OFTEN, SELDOM = 15, 60  # steps between two lists that make the skin grow and shrink


CHUNKS_AT_MOST = 64
LEVELS = 8  # at most: sizes as 1 to 256


def levels_of(radii: np.ndarray) -> np.ndarray:
    """Largest radius of each level, rising; a level holds sizes within a factor of two, counted from the largest."""
    if not len(radii):
        return np.ones(1)
    octave = np.minimum(np.log2(radii.max() / radii).astype(int), LEVELS - 1)
    return np.array([radii[octave == k].max() for k in range(LEVELS - 1, -1, -1) if (octave == k).any()])


def cells_of(low, high, radii, skin: float, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Cells between two corners for each level, as wide as its largest sphere and skin; in a level at most so many:
    wider ones where need be.

    (levels, 5): positions and 1/cell, and the largest radius; (levels, 7): numbers and axes, slowest first, and the
    number of its first cell.
    """
    grid, g, first, axes = np.zeros((len(radii), 5)), np.zeros((len(radii), 7), np.int64), 0, None
    for l, r in enumerate(radii):
        cell = 2.0 * r + skin
        count = np.floor((high - low) / cell) + 1.0
        while count.prod() > most:
            cell *= 1.26
            count = np.floor((high - low) / cell) + 1.0
        if axes is None:
            axes = np.argsort(-count, kind="stable")
        grid[l], g[l] = (*low[axes], 1.0 / cell, r), (*count[axes], *axes, first)
        first += int(count.prod())
    return grid, g


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
