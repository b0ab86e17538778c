"""Contacts of a model as tables of the engine (`contact.engine`), and what it finds as sums and lists for people."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from .._address import address_of
from .._handle import Handle, make_handle
from .._jit import Entry
from ..contact import friction as frictions
from ..contact import laws
from ..contact.call import (
    ADDRESSES,
    COLLECT,
    DERIVATIVES,
    ENGINE,
    ENGINE_ARGUMENTS,
    ENGINE_TABLES,
    FORCES,
    GAPS,
    SEARCH,
    SUMS,
)
from ..contact.engine import (
    ACCEPT_ARGUMENTS,
    FRICTION_ACCEPT_ARGUMENTS,
    FRICTION_ARGUMENTS,
    LAW_ARGUMENTS,
    derivatives,
    empty_tables,
    engine,
)
from ..contact.shape_kinds import ROWS
from ..contact.shapes import pair
from ..contact.shapes._address import PAIR_ARGUMENTS
from ..contact.shapes.hull_data import convex_mesh_as_hull
from ..contact.shapes.stand_in import facing, refusal
from ..contact.tables import (
    ALL_PAIRS,
    AT,
    CONTACT_DATA,
    FORCE,
    FRICTION_ACCEPT,
    FRICTION_FORCE,
    FULL,
    GIVEN,
    HELD,
    JOINED,
    LAW_ACCEPT,
    LAW_FORCE,
    LAWS,
    LEAST_MARGIN,
    LIST_SPAN,
    MOST_MARGIN,
    MUTE,
    NEAR,
    POINTS,
    PUBLISHED,
    REACH,
    RELAXES,
    ROLLING,
    SHAPE_TYPES,
    SPINNING,
    TRANSITION,
    VERSION,
)
from ..contact.walls import WALL, thickness_of
from ..elements.bodies import layout
from ..elements.bodies.carrier import alone
from ..elements.bodies.coordinates import rotations
from ..model import ModelError
from ..model.base import MissingParts
from ..model.bounds import bounds
from ..model.grains import SLOTS
from ..model.settings import IMPACT_LAWS
from ..model.touching import Touching
from .bulk import GrainShapes
from .contact_context import context, meeting
from .contact_entry import ask
from .contact_stand_ins import StandIns

LEAST, MOST = 0.05, 1.0  # margins of the search as shares of a typical radius
NARROWER = 8  # times that margins are cut where near pairs find no room
LEAST_ROOM = 256, 1024  # near pairs and points of the smallest model
NEAR_EACH = 48  # near pairs a shape may have on average
NEAR_GRAIN, POINTS_BALL, POINTS_GRAIN = (
    24,
    10,
    48,
)  # near pairs of a grain, points of a ball and of a grain of another shape


class Contacts:
    """Contacts of one system: shapes, pairs, laws; ``on`` is false without any.

    ``elements``: active `model.Contact`; ``solids``: their shapes, ``shape_index``: GRAPHICS id -> number; ``bulk``:
    shapes of grains, which come behind them, ``sides``: numbers of the shapes of both sides of each contact; ``body``:
    bodies of all these shapes;
    ``sums`` (contacts, CONTACT_DATA): see `contact.tables`, and ``ground`` (6): force on ground and its moment about
    its origin, filled by `sum`.  Raises ModelError that names contact and graphic.
    """

    def __init__(self, system):
        self.system = system
        self.model = system.model
        #: contacts are constraints: they have no laws, and what acts at their points is put there (`hold`)
        self.rigid = system.rigid
        #: who knows what acts at the points of rigid contact while results are evaluated: ``fill(t, y)`` puts it into
        #: W.pd
        self.holder = None
        self.elements: list = []
        self.sides: list[tuple[np.ndarray, np.ndarray]] = []
        self.addresses = np.zeros(ADDRESSES, np.int64)  # see `system.kernels.Tables`
        self.ground = np.zeros(6)
        self.sums = np.zeros((0, CONTACT_DATA))
        self.shape_index: dict[int, int] = {}
        self.solids: list = []
        self.bulk: list[GrainShapes] = []
        named: list[tuple] = []  # shapes and grains of both sides
        for element in self.model.table("CONTACT").values():
            if not element.active:
                continue
            try:
                sides = (
                    (self._shapes(element, element.igeom, "IGEOM", element.igrains), element.igrains),
                    (self._shapes(element, element.jgeom, "JGEOM", element.jgrains), element.jgrains),
                )
            except ModelError as error:
                if str(error) not in system.missing:  # a shape that many contacts need is missing once
                    system.leave_out(str(error))
                continue
            self.elements.append(element)
            named.append(sides)
        self._number(named)
        if not system.ignore_missing and len(self.elements) < sum(
            e.active for e in self.model.table("CONTACT").values()
        ):
            raise MissingParts(system.missing)
        if system.ignore_missing:
            self._drop_idle()
        elif self.model.table("SWITCH"):  # joints that are on may hold what touches when they are off
            touching = Touching(self.model)
            kept = [bool(e.igrains or e.jgrains or touching.pairs(e).defined) for e in self.elements]
            self.elements = [e for e, k in zip(self.elements, kept) if k]
            self.sides = [s for s, k in zip(self.sides, kept) if k]
        self.on = bool(self.elements)
        self.defined, self.most_points = 0, 1  # pairs that may touch, points of one at most
        if self.on:
            self._build()

    def _drop_idle(self) -> None:
        """Where what is missing is left out: contacts between parts that joints connect and that do not say JOINED."""
        for k in range(len(self.elements) - 1, -1, -1):
            try:
                self._pairs(self._excluded(), slice(k, k + 1))
            except ModelError as error:
                self.system.leave_out(str(error))
                del self.elements[k], self.sides[k]

    # ---- shapes -----------------------------------------------------------------------------------------------------
    def _shapes(self, element, ids, side: str, grains=()) -> list[int]:
        from ..model.shape import shape_of

        out = []
        if element.iflex is not None or element.jflex is not None:
            raise element.error("contact of flexible bodies is not computed in this version; give IGEOM and JGEOM")
        for id in ids:
            if id not in self.shape_index:
                graphic = self.model.table("GRAPHICS").get(id)
                if graphic is None:
                    raise element.error(f"{side} names GRAPHICS/{id}, which does not exist; correct the id")
                solid = facing(shape_of(self.model, graphic))
                if self.rigid:  # compliant laws share their force by the area of a mesh
                    solid = convex_mesh_as_hull(solid)
                self.shape_index[id] = len(self.solids)
                self.solids.append(solid)
            out.append(self.shape_index[id])
        if not out and not grains:
            raise element.error(f"it names no {side}; give the graphics that touch")
        return out

    def _number(self, named) -> None:
        """Numbers of all shapes: those of graphics, then those of grains; their bodies and kinds."""
        system = self.system
        wanted = {g for sides in named for _, grains in sides for g in grains}
        first = len(self.solids)
        for bodies in system.grains:
            if bodies.element.id in wanted:
                self.bulk.append(GrainShapes(bodies, first))
                first += len(bodies)
        self.count = first
        own = [system.body_index[s.body.KIND, s.body.id] for s in self.solids]
        ranges = [np.arange(g.bodies.first, g.bodies.first + len(g)) for g in self.bulk]
        self.body = np.concatenate([np.array(own, np.int64), *ranges]).astype(np.int64)
        kinds = [SHAPE_TYPES.index(s.kind) for s in self.solids]
        self.kinds = np.concatenate(
            [np.array(kinds, np.int64), *(np.full(len(g), SHAPE_TYPES.index(g.solid.kind)) for g in self.bulk)]
        ).astype(np.int64)
        rows = {g.element.id: g.rows for g in self.bulk}
        empty = np.zeros(0, np.int64)
        indices = lambda shapes, grains: np.concatenate(
            [np.array(shapes, np.int64), *(rows.get(g, empty) for g in dict.fromkeys(grains))]
        )
        self.sides = [(indices(*i), indices(*j)) for i, j in named]

    def parts_of(self, side: np.ndarray) -> tuple[np.ndarray, list[GrainShapes]]:
        """Shapes of graphics and of grains among the shapes of one side."""
        return side[side < len(self.solids)], [g for g in self.bulk if len(g) and g.first in side]

    def samples(self, side: np.ndarray) -> list:
        """Solids that represent the shapes of a side: all of graphics, the smallest and the largest of grains."""
        shapes, bulk = self.parts_of(side)
        return [*(self.solids[a] for a in shapes), *(s for g in bulk for s in g.ends())]

    def body_name(self, a: int) -> str:
        """Name of the part that carries a shape, or of the grain."""
        if a < len(self.solids):
            return self.solids[a].body.name
        return self.system.body_elements[int(self.body[a])].name

    def pair_names(self, k: int) -> str:
        """Names of the parts of near pair k."""
        return " and ".join(self.body_name(int(a)) for a in self.near[k, 1:3])

    def _build(self) -> None:
        system = self.system
        n, nc, nb = self.count, len(self.elements), system.nb
        excluded = self._excluded()
        self._pairs(excluded)
        self.stand_ins = StandIns(self)
        served = self.stand_ins.prism_kernels(self.kernels)
        self.most_points = max([self.most_points, *(most for _, most in served.values())])
        rows = n + len(self.stand_ins.rows)
        size = self._size()
        found = [
            ((None, self._constraint(e)), None, False) if self.rigid else self._law(e, sides, excluded)
            for e, sides in zip(self.elements, self.sides)
        ]
        remembers = any(m for _, _, m in found)
        memory = self.most_points if remembers else 0
        own = NEAR_EACH * len(self.solids)
        near = int(min(self.defined, max(LEAST_ROOM[0], own + NEAR_GRAIN * (n - len(self.solids)))))
        many = sum(len(g) * (POINTS_BALL if g.element.by_radius else POINTS_GRAIN) for g in self.bulk)
        points = int(min(self.defined * self.most_points, max(LEAST_ROOM[1], 8 * own + many)))
        self._sizes = rows, nc, max(near, 1), max(points, self.most_points, 1), memory, alone(system.bodies), 0
        S, W = empty_tables(*self._sizes)
        S = S._replace(sh=self._table(S.sh), excluded=excluded, barred=self._barred())
        for (ka, kb), (kernel, most) in (self.kernels | served).items():
            S.kern[ka, kb] = address_of(kernel, PAIR_ARGUMENTS)
            S.most[ka, kb] = most
        for c, (e, of) in enumerate(zip(self.elements, found)):
            S.law[c], S.p[c], S.pf[c], S.pe[c] = self._numbers(S, e, of)
        if any(len(np.unique(side)) < len(side) for sides in self.sides for side in sides):
            raise ModelError("a contact names the same graphic twice on one side; name it once")
        shape = np.concatenate([side for sides in self.sides for side in sides])
        which = np.repeat(np.arange(2 * nc), [len(side) for sides in self.sides for side in sides])
        ptr = np.concatenate([[0], np.cumsum(np.bincount(shape, minlength=rows))]).astype(np.int64)
        S = S._replace(side_ptr=ptr, side=which[np.argsort(shape, kind="stable")].astype(np.int64))
        S.settings[LEAST_MARGIN], S.settings[MOST_MARGIN], S.settings[ALL_PAIRS] = LEAST * size, MOST * size, 0.0
        S.settings[GIVEN] = MUTE if self.rigid else LAWS
        # only shapes of the user are searched: a stand-in is near when its owner is, and the ball of rods is moved
        # about by kernels
        unbounded = np.flatnonzero(~np.isfinite(S.sh.half[:n, 0]))
        self._unbounded = unbounded.astype(np.int64)
        self.S, self.W = S, self._work(W)
        self.handle = make_handle(S, self.W, ())
        self.addresses[[ENGINE, ENGINE_TABLES]] = address_of(engine, ENGINE_ARGUMENTS), self.handle.address
        self.sums = self.W.cw
        self._handles: list = []  # of matrices, with places of their own
        self._bristle: float | None = None
        self._none = np.zeros(system.bodies.moves)
        self._R = np.zeros((nb + 1, 9))
        self._on_ground = layout.move(self._none, nb)
        self._ask, self._rotations = Entry(ask), Entry(rotations)
        self._R[:] = np.eye(3).ravel()

    def _work(self, W=None):
        """Work arrays as they are at first: nothing is near, nothing remembered.  W: fresh ones, where there are
        some."""
        W = empty_tables(*self._sizes)[1] if W is None else W
        W.clock[LIST_SPAN] = 1e-6
        return W._replace(order=np.arange(self.count), unbounded=self._unbounded)

    def renew(self) -> None:
        """Work arrays as they were when the system was built, for another analysis."""
        if self.on:
            self.W = self._work()._replace(wr=self.W.wr, wrow=self.W.wrow)
            self.sums = self.W.cw
            self.handle = make_handle(self.S, self.W, ())
            self.addresses[ENGINE_TABLES] = self.handle.address

    def share(self, wrenches) -> None:
        """Where functions search for the wrenches of contacts."""
        if not self.on:
            return
        rows = [self.system.functions.element_source("CONTACT", e.id) for e in self.elements]
        self.W = self.W._replace(wr=wrenches.out, wrow=np.array(rows, np.int64))
        self.S.settings[PUBLISHED] = 1.0
        self.handle = make_handle(self.S, self.W, ())
        self.addresses[ENGINE_TABLES] = self.handle.address

    def _size(self) -> float:
        """A typical size of the shapes that are bounded."""
        if not hasattr(self, "_typical"):
            radii = np.concatenate([[bounds(s)[2] for s in self.solids], *(g.radii() for g in self.bulk)])
            radii = radii[np.isfinite(radii) & (radii > 0.0)]
            self._typical = float(np.median(radii)) if len(radii) else float(self.system.extent)
        return self._typical

    def _table(self, sh):
        """The table of shapes: frames, numbers, pools."""
        from ..contact.shapes import pack
        from ..elements.frames import make_frames

        system = self.system
        solids = [*self.solids, *(row.solid for row in self.stand_ins.rows)]
        own = len(self.solids)
        sb, Ab = np.zeros((len(solids), 3)), np.zeros((len(solids), 9))
        pools: dict[str, list[np.ndarray]] = {name: [] for name in ("vert", "tri", "node", "link", "seg")}
        sizes = dict.fromkeys(pools, 0)
        shared: dict[tuple, int] = {}
        row = np.zeros(len(solids), np.int64)
        kept: dict = {}
        self._thick: dict[tuple[int, int], float] = {}
        for k, solid in enumerate(solids):
            a = k if k < own else self.count + k - own  # stand-ins come behind grains
            local = system.local[self.shape_body(a)]
            sb[k] = local.axes.T @ (solid.frame.origin - local.origin)
            Ab[k] = (local.axes.T @ solid.frame.axes).ravel()
            sh.kind[a] = SHAPE_TYPES.index(solid.kind)
            # shapes that are drawn in one frame (flanks of a gear) share it
            alone = a if ROWS[solid.kind].ball and k >= own else -1  # a ball that is moved
            sh.frame[a] = shared.setdefault(
                (int(self.shape_body(a)), sb[k].tobytes(), Ab[k].tobytes(), alone), len(shared)
            )
            row[sh.frame[a]] = k
            sh.par[a, : len(solid.par)] = solid.par
            if k < own:
                sh.centre[a], sh.half[a], sh.radius[a] = bounds(solid)
                first, added = pack(solid, sizes)
                sh.par[a, WALL] = self._wall(solid, added)
            else:
                first, added = self.stand_ins.pack(k - own, sizes, kept)
            sh.first[a, : len(first)] = first
            for name, rows in added.items():
                pools[name].append(rows)
                sizes[name] += len(rows)
        self.stand_ins.enter(sh.par)
        row = row[: len(shared)]
        body = [np.array([self.shape_body(int(k) if k < own else self.count + int(k) - own) for k in row], np.int64)]
        sb, Ab = [sb[row]], [Ab[row]]
        frames = len(shared)
        for g in self.bulk:
            g.enter(sh, frames, sizes, pools)
            frames += len(g)
            place, axes = g.frames()
            sb.append(place)
            Ab.append(axes)
            body.append(self.body[g.rows])
        stacked = {name: np.ascontiguousarray(np.vstack(rows)) for name, rows in pools.items() if rows}
        fr = make_frames(np.concatenate(body), np.concatenate(sb), np.concatenate(Ab))
        a = sh.frame
        sh.arm[:] = np.linalg.norm(fr.sb[a] + np.einsum("kij,kj->ki", fr.Ab[a].reshape(-1, 3, 3), sh.centre), axis=1)
        return sh._replace(fr=fr, **stacked)

    def _wall(self, solid, pools: dict[str, np.ndarray]) -> float:
        """`contact.walls.thickness_of` a solid; copies of one mesh are measured once."""
        if solid.vertices is None or solid.triangles is None:
            return thickness_of(solid, pools)
        key = id(solid.vertices), id(solid.triangles)
        if key not in self._thick:
            self._thick[key] = thickness_of(solid, pools)
        return self._thick[key]

    def shape_body(self, a: int) -> int:
        """Number of the body of a row of the table of shapes, stand-ins among them."""
        return int(self.body[a if a < self.count else self.stand_ins.rows[a - self.count].owner])

    # ---- pairs ------------------------------------------------------------------------------------------------------
    def _excluded(self) -> np.ndarray:
        """Keys of body pairs that joints connect or that are fixed to each other, rising."""
        from ..model.touching import Touching

        system = self.system
        touching = Touching(self.model)
        groups: dict = {}
        for key, b in system.body_index.items():
            groups.setdefault(touching.root(key), []).append(b)
        together = [(g, g) for g in groups.values() if len(g) > 1]
        together += [(groups[p], groups[q]) for p, q in touching.joints if p in groups and q in groups]
        keys = {min(i, j) * (system.nb + 1) + max(i, j) for g, h in together for i in g for j in h if i != j}
        return np.array(sorted(keys), np.int64)

    def _barred(self) -> np.ndarray:
        """Keys of pairs of shapes that a contact excludes, rising."""
        n = self.count + len(self.stand_ins.rows)
        keys = set()
        for e in self.elements:
            for pair_ids in e.exclude:
                if all(g in self.shape_index for g in pair_ids):
                    a, b = sorted(self.shape_index[g] for g in pair_ids)
                    keys.add(a * n + b)
        return np.array(sorted(keys), np.int64)

    def _pairs(self, excluded, which=slice(None)) -> None:
        """Kernels of the pairs of types that occur, the number of defined pairs, and the bodies that may touch
        something.

        Counts of shapes by kind and body, never a walk over pairs: the time grows with shapes, joints and kinds.
        """
        nb = self.system.nb
        kinds = self.kinds
        lo, hi = excluded // (nb + 1), excluded % (nb + 1)
        self.kernels: dict[tuple[int, int], tuple] = {}
        touched = np.zeros(nb + 1, bool)
        self.defined, self.most_points = 0, 1
        for element, (i, j) in zip(self.elements[which], self.sides[which]):
            for a, b in meeting(self.samples(i), self.samples(j), self._meet(element, excluded), element.exclude):
                why = refusal(a, b)
                if why:
                    raise element.error(f"{a.graphic.label} and {b.graphic.label}: {why}")
            sides = [self._counts(side, kinds) for side in (i, j)]
            touching = 0
            for ki, m in sides[0].items():
                for kj, n in sides[1].items():
                    partners = n.sum() - n  # of each body: shapes of the other side that other bodies have
                    others = m.sum() - m
                    if not element.joined:
                        for x, counts in ((partners, n), (others, m)):
                            np.subtract.at(x, lo, counts[hi])
                            np.subtract.at(x, hi, counts[lo])
                    pairs = int(m @ partners)
                    if not pairs:
                        continue
                    found = pair(SHAPE_TYPES[ki], SHAPE_TYPES[kj])
                    if found is None:
                        raise element.error(
                            f"a {SHAPE_TYPES[ki]} and a {SHAPE_TYPES[kj]} cannot touch in this version; draw one of "
                            "them as another shape or a mesh"
                        )
                    kernel, most, _ = found
                    self.kernels[min(ki, kj), max(ki, kj)] = kernel, most
                    self.most_points = max(self.most_points, most)
                    touched |= (m > 0) & (partners > 0) | (n > 0) & (others > 0)
                    touching += pairs
            if not touching and not (element.igrains or element.jgrains):  # grains may come later
                raise element.error(
                    "its shapes belong to one part, or to parts that joints connect: nothing can touch; set JOINED, or "
                    "correct it"
                )
            self.defined += touching // 2 if len(np.intersect1d(i, j)) else touching
        self.touched = np.flatnonzero(touched[:nb])

    def _counts(self, shapes, kinds) -> dict[int, np.ndarray]:
        """Shapes of each kind on each body."""
        a = shapes
        return {
            int(k): np.bincount(self.body[a[kinds[a] == k]], minlength=self.system.nb + 1) for k in np.unique(kinds[a])
        }

    @cached_property
    def body_pairs(self) -> np.ndarray:
        """Bodies (k, 2) of all pairs that may touch, the lower one first, rising: as many as there are pairs of bodies,
        so only where they are requested (arrangements other than "active")."""
        nb = self.system.nb
        keys = []
        for element, (i, j) in zip(self.elements, self.sides):
            p, q = (np.unique(self.body[side]) for side in (i, j))
            a, b = np.meshgrid(p, q)
            key = np.unique(np.minimum(a, b) * (nb + 1) + np.maximum(a, b))
            keys.append(key if element.joined else np.setdiff1d(key, self.S.excluded))
        key = np.unique(np.concatenate(keys)) if keys else np.zeros(0, np.int64)
        pairs = np.column_stack([key // (nb + 1), key % (nb + 1)])
        return pairs[pairs[:, 0] != pairs[:, 1]]

    def _meet(self, element, excluded):
        """May two solids of this contact ever touch?  Not those of joined parts, nor those that it excludes."""
        index, nb = self.system.body_index, self.system.nb
        barred = {frozenset(pair) for pair in element.exclude}

        def meet(a, b) -> bool:
            if "GRAINS" in (a.body.KIND, b.body.KIND):
                return True
            if frozenset((a.graphic.id, b.graphic.id)) in barred:
                return False
            i, j = sorted((index[a.body.KIND, a.body.id], index[b.body.KIND, b.body.id]))
            key = i * (nb + 1) + j
            at = int(np.searchsorted(excluded, key))
            return element.joined or at == len(excluded) or int(excluded[at]) != key

        return meet

    # ---- laws -------------------------------------------------------------------------------------------------------
    def _law(self, element, sides, excluded):
        """((module, parameters), (friction module, parameters) or None, whether something is remembered)."""
        name = element.law_name
        if name not in laws.LAWS:
            raise element.error(f"unknown law '{name}'; choose one of {', '.join(sorted(laws.LAWS))}")
        law = laws.module(name)
        about = context(self.model, element, [self.samples(side) for side in sides], self._meet(element, excluded))
        row = laws.parameters(element, about)
        friction = None
        word = element.friction_name
        if word:
            if word not in frictions.FRICTIONS:
                raise element.error(
                    f"unknown friction '{word}'; choose one of {', '.join(sorted(frictions.FRICTIONS))}"
                )
            model = frictions.module(word)
            friction = model, frictions.parameters(element, about)
        return (law, row), friction, bool(getattr(law, "MEMORY", 0) or (friction and getattr(friction[0], "MEMORY", 0)))

    def _numbers(self, S, e, found) -> list[np.ndarray]:
        """Rows of the tables ``law``, ``p``, ``pf``, ``pe`` of a contact, of what `_law` has found."""
        (law, p), friction, _ = found
        rows = kernels, own, sliding, more = [np.zeros_like(table[0]) for table in (S.law, S.p, S.pf, S.pe)]
        own[: len(p)] = p
        if law is not None:
            kernels[LAW_FORCE] = address_of(law.force, LAW_ARGUMENTS)
        if getattr(law, "MEMORY", 0):
            kernels[LAW_ACCEPT] = address_of(law.accept, ACCEPT_ARGUMENTS)
        if friction is not None:
            model, p = friction
            kernels[FRICTION_FORCE] = address_of(model.force, FRICTION_ARGUMENTS)
            if getattr(model, "MEMORY", 0):
                kernels[FRICTION_ACCEPT] = address_of(model.accept, FRICTION_ACCEPT_ARGUMENTS)
            sliding[: len(p)] = p
        more[[JOINED, RELAXES, ROLLING, SPINNING]] = (
            e.joined,
            getattr(law, "RELAXES", False),
            e.rolling_resistance,
            e.spinning_resistance,
        )
        more[TRANSITION] = e.resistance_transition or e.friction_transition_velocity / self._size() or 0.1
        return rows

    def rewrite(self, element) -> bool:
        """Write the numbers of a contact again where they lie.  False, and nothing is written, where they need other
        kernels (friction that there was none of) or another matrix (resistances that were none), and for contacts that
        are constraints."""
        c = next((k for k, e in enumerate(self.elements) if e is element), -1)
        if c < 0 or self.rigid:
            return False
        kernels, own, sliding, more = self._numbers(self.S, element, self._law(element, self.sides[c], self.S.excluded))
        fixed = (self.S.law[c], kernels), (self.S.pe[c, [JOINED, RELAXES]], more[[JOINED, RELAXES]])
        turns = (self.S.pe[c, [ROLLING, SPINNING]] != 0.0, more[[ROLLING, SPINNING]] != 0.0)
        if not all(np.array_equal(a, b) for a, b in (*fixed, turns)):
            return False
        self.S.p[c], self.S.pf[c], self.S.pe[c] = own, sliding, more
        self._bristle = None
        return True

    def _constraint(self, e) -> list[float]:
        """Row of a rigid contact: `RIGID_COLUMNS`."""
        rigid = self.model.rigid
        law = IMPACT_LAWS.index((e.impact_law or rigid.impact_law).upper())
        restitution = e.restitution or e.parameters.get("restitution", rigid.restitution)
        return [
            restitution,
            e.mu,
            e.tangential_restitution,
            e.spinning_resistance,
            e.rolling_resistance,
            float(law),
            e.mu_at_rest,
        ]

    def bristle_step(self) -> float:
        """Longest step that follows the springs of friction with memory, `bristle_limit`; infinite where nothing is
        remembered."""
        if not self.on or self.rigid or not self.S.memory or not self.W.nmem.any():
            return np.inf
        return self.bristle_limit()

    def bristle_limit(self) -> float:
        """A fortieth of the quickest period 2 pi sqrt(m / kt) of friction with memory, infinite without such.

        The springs are frozen over a step, to second order, which no error estimate of an explicit method sees.
        """
        if self._bristle is None:
            from ..contact.friction.bristle import KT

            quickest = 0.0
            for c, sides in enumerate(self.sides):
                if not self.S.law[c, FRICTION_ACCEPT]:
                    continue
                bodies = {int(self.shape_body(a)) for side in sides for a in side}
                lightest = min((self.system.bodies.mass[k] for k in bodies if 0 <= k < self.system.nb), default=0.0)
                if lightest > 0.0:
                    quickest = max(quickest, self.S.pf[c, KT] / lightest)
            self._bristle = 0.05 * np.pi / np.sqrt(quickest) if quickest > 0.0 else np.inf
        return self._bristle

    # ---- questions --------------------------------------------------------------------------------------------------
    def ask(self, mode: int, t: float, y: np.ndarray) -> int:
        """The engine at (t, y), outside of the equations of motion."""
        self._rotations.call(self.system.bodies, y, self._R)
        self._none[:] = 0.0
        entry = self.addresses[ENGINE], self.handle.address
        points = self._ask.call(*entry, mode, float(t), y, self._R, self._none, self._none, self._none)
        tries = 0
        while self.W.count[FULL] and self.rigid and tries < NARROWER:
            tries += 1
            if self.grows and (tries > 2 or self.W.count[NEAR] < len(self.W.near)):
                self._grow()
            else:  # near pairs that find no room: with narrower margins lists serve for less time, and hold less
                self.W.clock[LIST_SPAN] *= 0.3
            self.W.count[FULL] = 0
            entry = self.addresses[ENGINE], self.handle.address
            self._ask.call(*entry, SEARCH, float(t), y, self._R, self._none, self._none, self._none)
            points = self._ask.call(*entry, mode, float(t), y, self._R, self._none, self._none, self._none)
        if self.W.count[FULL]:
            raise ModelError(
                f"at time {t:.6g} more pairs of shapes are near than space was reserved for; the scene may have "
                "collapsed"
            )
        return points

    def place(self, y: np.ndarray) -> None:
        """Nodes of the state y are put where their carriers have them: kernels of contacts see bodies one by one."""
        if layout.has_nodes(self.system.bodies):
            self._rotations.call(self.system.bodies, y, self._R)

    def search(self, t: float, y: np.ndarray) -> None:
        self.ask(SEARCH, t, y)

    def sum(self, t: float, y: np.ndarray) -> np.ndarray:
        """Sums of each contact at (t, y) (contacts, CONTACT_DATA)."""
        if self.holder is not None:
            self.holder.fill(t, y)
            self.hold(HELD)
        self.ask(FORCES, t, y)
        self.ground[:] = self._on_ground
        if self.holder is not None:
            self.hold(MUTE)
        none = self._none
        self._ask.call(self.addresses[ENGINE], self.handle.address, SUMS, float(t), y, self._R, none, none, none)
        return self.sums

    def collect(self, t: float, y: np.ndarray, reach: float) -> int:
        """Points with a gap below ``reach`` at (t, y) into W.pts, W.pair; their number.  What acts there (W.pd) is
        zero."""
        self.S.settings[REACH] = reach
        return self.ask(COLLECT, t, y)

    def aside(self) -> None:
        """Exchange the space of the points with a second one, for a check of another state, and back: what is there is
        kept and not copied."""
        if self._second is None:
            points = {
                n: np.zeros(a.shape, a.dtype) for n, a in self.W._asdict().items() if n in ("pts", "pair", "pd")
            }  # pages as used
            W = self.W._replace(**points)
            second = W, make_handle(self.S, W, ())
        else:
            second = self._second
        self._second = self.W, self.handle
        self.W, self.handle = second
        self.addresses[ENGINE_TABLES] = self.handle.address

    def collect_near(self, t: float, y: np.ndarray, reach: float) -> int:
        """As `collect`, of the pairs that are near already: numbers of near pairs keep their meaning.  0 where there is
        no space for all."""
        self.S.settings[REACH], self.S.settings[ALL_PAIRS] = reach, 1.0
        self._rotations.call(self.system.bodies, y, self._R)
        points = self._ask.call(
            self.addresses[ENGINE],
            self.handle.address,
            COLLECT,
            float(t),
            y,
            self._R,
            self._none,
            self._none,
            self._none,
        )
        self.S.settings[ALL_PAIRS] = 0.0
        full, self.W.count[FULL] = self.W.count[FULL], 0
        return 0 if full else points

    def hold(self, given: float) -> None:
        """What acts at the points of a rigid contact: HELD (what is in W.pd) or MUTE (nothing); see
        `contact.tables`."""
        self.S.settings[GIVEN] = given

    def held(self) -> tuple[np.ndarray, ...]:
        """What acts at the points of a rigid contact (points, what acts there, keys of their near pairs), to be put
        back by `put`."""
        W = self.W
        n = int(W.count[POINTS])
        return W.pts[:n].copy(), W.pd[:n].copy(), W.key[W.pair[:n]]

    def alike(self, other: Contacts) -> bool:
        """Are these the contacts and shapes of another system, in the same order?"""
        names = [([e.id for e in c.elements], [s.graphic.id for s in c.solids], len(c.bulk)) for c in (self, other)]
        return names[0] == names[1] and not self.bulk

    def put(self, held: tuple[np.ndarray, ...]) -> None:
        """Let this act again, as far as the pairs are near (`held`)."""
        W, key = self.W, held[2]
        near = W.key[: W.count[NEAR]]
        place = np.searchsorted(near, key)
        known = np.flatnonzero((place < len(near)) & (np.append(near, -1)[place] == key))
        n = len(known)
        W.pts[:n], W.pd[:n], W.pair[:n] = held[0][known], held[1][known], place[known]
        W.count[POINTS] = n

    def of_bodies(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """At the state y of the last `sum`: points that act on each body (nb,), and the symmetric part of the moment of
        their forces about its centre, sum of (c - r) f (nb, 6: xx, yy, zz, xy, xz, yz)."""
        nb = self.system.nb
        number, moment = np.zeros(nb + 1), np.zeros((nb + 1, 6))
        if self.on:
            m = int(self.W.count[POINTS])
            near = self.W.near[self.W.pair[:m]]
            place = layout.places(y, nb + 1)
            force = self.W.pd[:m, FORCE : FORCE + 3]
            for side, sign in ((1, 1.0), (2, -1.0)):
                b = self.body[near[:, side]]
                d = self.W.pd[:m, AT : AT + 3] - place[b]
                number += np.bincount(b, minlength=nb + 1)
                for k, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))):
                    value = 0.5 * sign * (d[:, i] * force[:, j] + d[:, j] * force[:, i])
                    moment[:, k] += np.bincount(b, value, minlength=nb + 1)
        return number[:nb], moment[:nb]

    def gaps(self, t: float, y: np.ndarray) -> np.ndarray:
        """Least gap of each near pair, in the order of ``self.near``."""
        self.ask(GAPS, t, y)
        return self.W.gap[: self.W.count[NEAR]]

    # ---- memory -----------------------------------------------------------------------------------------------------
    def _names(self, k: int) -> tuple[int, int, int]:
        """Contact and graphics of near pair k, the same in every system of a model."""
        c, a, b = (int(v) for v in self.W.near[k, :3])
        return self.elements[c].id, self.key_of(a), self.key_of(b)

    def key_of(self, a: int) -> int:
        """A number for a shape that is the same in every system of a model."""
        if a < len(self.solids):
            return self.solids[a].graphic.id
        g = next(g for g in self.bulk if a < g.first + len(g))
        return -1 - (g.element.id * SLOTS + int(g.bodies.slots[a - g.first]))

    def memories(self) -> dict[tuple[int, int, int], tuple[np.ndarray, ...]]:
        """What laws and friction remember of the points that act: features, rows of laws, rows of friction."""
        if not self.on or not self.S.memory:
            return {}
        W, M = self.W, self.S.memory
        rows = {k: slice(k * M, k * M + int(W.nmem[k])) for k in range(len(self.near)) if W.nmem[k]}
        return {self._names(k): (W.feat[r].copy(), W.mem[r].copy(), W.fmem[r].copy()) for k, r in rows.items()}

    def recall(self, memories: dict[tuple[int, int, int], tuple[np.ndarray, ...]]) -> None:
        """Give them to the same pairs of this system, whose near pairs have been searched; others keep what they
        have."""
        if not self.on or not self.S.memory or not memories:
            return
        W, M = self.W, self.S.memory
        for k in range(len(self.near)):
            kept = memories.get(self._names(k))
            if kept is not None:
                n = min(M, len(kept[0]))
                rows = slice(k * M, k * M + n)
                W.nmem[k] = n
                W.feat[rows], W.mem[rows], W.fmem[rows] = (x[:n] for x in kept)

    @property
    def notes(self) -> list[str]:
        """What the user should know of pairs that have no kernel of their own."""
        return self.stand_ins.notes if self.on else []

    @property
    def near(self) -> np.ndarray:
        """Near pairs (n, 4): contact, shape a, shape b, whether a belongs to J."""
        return self.W.near[: self.W.count[NEAR]]

    # ---- matrix -----------------------------------------------------------------------------------------------------
    @property
    def version(self) -> int:
        """Rises with every search for near pairs."""
        return int(self.W.count[VERSION])

    def near_bodies(self) -> np.ndarray:
        """Bodies (k, 2) of the near pairs."""
        return self.body[self.near[:, 1:3]]

    def every_pair(self):
        """Bodies (k, 2) of every pair of shapes that may touch, by rising key; numbers and bodies of near pairs, to be
        filled; their count."""
        n, nb = len(self.S.sh.kind), self.system.nb
        body = self.body
        gone, barred = set(self.S.excluded.tolist()), set(self.S.barred.tolist())
        keys = []
        for c, (i, j) in enumerate(self.sides):
            joined = self.elements[c].joined
            pairs = {
                (min(a, b), max(a, b))
                for a in i.tolist()
                for b in j.tolist()
                if body[a] != body[b] and min(a, b) * n + max(a, b) not in barred
            }
            for a, b in pairs:
                lo, hi = sorted((int(body[a]), int(body[b])))
                if joined or lo * (nb + 1) + hi not in gone:
                    a, b = (a, b) if self.S.sh.kind[a] <= self.S.sh.kind[b] else (b, a)
                    keys.append((c * n + a) * n + b)
        self._keys = np.unique(np.array(keys, np.int64))
        pairs = np.column_stack([body[self._keys // n % n], body[self._keys % n]])
        self._numbers = np.zeros((len(self.W.near), 3), np.int64)
        return pairs, self._numbers, self.W.count

    def attach(self, places, scratch: int = 0) -> np.ndarray:
        """Addresses (3,) of the engine, of its tables with the places of a matrix, of its derivatives; scratch: see
        `contact.tables.ContactWork`."""
        W = self.W._replace(bkey=places.keys, dpos=places.dpos, opos=places.opos, scratch=np.array([scratch]))
        if scratch:
            W = W._replace(dkey=self._keys, dnum=self._numbers)
        handle = make_handle(self.S, W, ())
        self._handles.append(handle)
        if self.addresses[DERIVATIVES] == 0:
            self.addresses[DERIVATIVES] = address_of(derivatives, ENGINE_ARGUMENTS)
        return np.array([self.addresses[ENGINE], handle.address, self.addresses[DERIVATIVES]])

    activation = "active"
    #: may tables be replaced by larger ones when they are full?  Set by those who search for them anew after every
    #: question
    grows = False
    _second: tuple[Any, Handle] | None = None  # work and handle that `aside` exchanges

    def arrange(self, activation: str) -> None:
        """How contacts enter the matrix, and whether near pairs are searched: one of
        `contact.activation.ACTIVATIONS`."""
        if activation == self.activation:
            return
        self.activation = activation
        self.S.settings[ALL_PAIRS] = float(activation in ("all-pairs", "unknown-forces"))
        n = self.defined
        if self.S.settings[ALL_PAIRS] and len(self.W.near) < n:
            self._room(n, max(len(self.W.pts), 8 * n))
        self.W.count[NEAR] = 0
        self.W.lo[:] = np.inf  # no shape is within its box: the search begins anew

    def _room(self, near: int, points: int) -> None:
        """Tables with space for so many near pairs and points, empty."""
        _, room = empty_tables(len(self.S.sh.kind), len(self.elements), near, points, self.S.memory, self.S.bodies, 0)
        names = ("near", "key", "near2", "key2", "lock", "lock2", "pts", "pair", "pd", "nmem", "mem", "fmem", "feat",
            "nmem2", "mem2",
                 "fmem2", "feat2", "gap")  # fmt: skip
        self.W = self.W._replace(**{name: getattr(room, name) for name in names})
        self.handle, self._second = make_handle(self.S, self.W, ()), None
        self.addresses[ENGINE_TABLES] = self.handle.address

    def _grow(self) -> None:
        """Twice the space of the table that is full."""
        near, points = len(self.W.near), len(self.W.pts)
        full = self.W.count[NEAR] >= near
        self._room(2 * near if full else near, points if full else 2 * points)
        self.W.count[NEAR] = self.W.count[POINTS] = 0
