"""Grains that come and go in the middle of a simulation: what feeders make, what sinks take, what is added and removed
by hand.

A simulation that does so works on GRAINS of its own, so that the user's model stays as it is; rows of an element are
never used again: a grain that is gone leaves its row, and results hold NaN there.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model import Model
from ...model.base import Element, kinds_of
from ...model.feeding import Feeder
from ...model.grains import Grains
from ...model.region import Region

if TYPE_CHECKING:
    from ..session.simulation import Simulation

# rounds of trials for the grains that are due at one time, and positions tried for each in a round
ROUNDS, TRIALS = 20, 4


def own_grains(model: Model) -> Model:
    """The same model with GRAINS of its own; all other elements are shared."""
    twin = copy.copy(model)
    twin._tables = dict(model._tables)
    twin._tables["GRAINS"] = {n: copy.copy(g) for n, g in model.table("GRAINS").items()}
    return twin


def append(
    e: Grains,
    positions: np.ndarray,
    sizes: Any,
    masses: Any,
    velocities: Any = None,
    spins: Any = None,
    orientations: Any = None,
) -> np.ndarray:
    """Add rows to an element; returns their numbers.  Raises ModelError for a value that is not a grain."""
    from ...model.grains import ARRAYS, _array, _each, faults

    p = _array(positions, (3,), f"{e.label}: positions")
    n = len(p)
    fail = lambda text: e.error(text)
    rows = {"positions": p, "sizes": _each(sizes, n, (), fail, "radius"), "masses": _each(masses, n, (), fail, "mass")}
    for name, value, tail, blank in (
        ("velocities", velocities, (3,), (0.0, 0.0, 0.0)),
        ("spins", spins, (3,), (0.0, 0.0, 0.0)),
        ("orientations", orientations, (4,), (1.0, 0.0, 0.0, 0.0)),
    ):
        have = getattr(e, name)
        if value is not None or len(have):
            rows[name] = _each(blank if value is None else value, n, tail, fail, name)
            if not len(have):
                setattr(e, name, _array(np.tile(np.array(blank), (len(e), 1)), tail, name))
    trial = copy.copy(e)
    trial.present = np.zeros(0, bool)
    for name in ("velocities", "spins", "orientations"):
        setattr(trial, name, rows.get(name, np.zeros((0, ARRAYS[name][0]))))
    trial.positions, trial.sizes, trial.masses = rows["positions"], rows["sizes"], rows["masses"]
    wrong = next(faults(trial), None) if n else None
    if wrong is not None:
        raise e.error(wrong)
    first, there = len(e), e.exists
    for name, value in rows.items():
        setattr(e, name, _array(np.concatenate([getattr(e, name), value]), ARRAYS[name], name))
    e.present = np.concatenate([there, np.ones(n, bool)])
    return np.arange(first, first + n)


class Feeding:
    """Feeders and sinks of a simulation; counts continue from one analysis to the next."""

    def __init__(self) -> None:
        self.made: dict[int, int] = {}
        self.counts: dict[int, int] = {}
        self.masses: dict[int, float] = {}
        self._random: dict[int, np.random.Generator] = {}
        self._wait: dict[int, float] = {}
        self.said: list[str] = []

    @staticmethod
    def active(model: Model) -> bool:
        return any(e.active for kind in ("FEEDER", "SINK") for e in model.table(kind).values())

    def interval(self, model: Model) -> float:
        """Time between two checks: a grain moves by about half its radius in it."""
        g = float(np.linalg.norm(model.gravity))
        out = []
        for f in model.table("FEEDER").values():
            if f.active:
                speed = max(float(np.linalg.norm(f.velocity)), np.sqrt(g * f.radius[0]))
                out.append(0.5 * f.radius[0] / speed if speed > 0.0 else 1.0 / f.rate)
        sizes = [float(e.sizes.min()) for e in model.table("GRAINS").values() if e.active and len(e)]
        if sizes and g > 0.0:
            out.append(0.5 * np.sqrt(min(sizes) / g))
        return min(out, default=np.inf)

    # ---- sinks ------------------------------------------------------------------------------------------------------
    def taken(self, model: Model, e: Grains, slots: np.ndarray, positions: np.ndarray) -> np.ndarray:
        """Which of the grains ``slots`` of an element at ``positions`` sinks take out; they are counted."""
        gone = np.zeros(len(slots), bool)
        for sink in model.table("SINK").values():
            if sink.active and (not sink.grains or e.id in sink.grains):
                inside = sink.place.contains(positions) & ~gone
                self.counts[sink.id] = self.counts.get(sink.id, 0) + int(inside.sum())
                self.masses[sink.id] = self.masses.get(sink.id, 0.0) + float(e.masses[slots[inside]].sum())
                gone |= inside
        return gone

    # ---- feeders ----------------------------------------------------------------------------------------------------
    def due(self, f: Feeder, t: float) -> int:
        """How many grains a feeder should make now."""
        until = min(t, f.stop if f.stop is not None else t)
        wanted = int(np.floor(f.rate * (until - f.start) * (1 + 1e-12))) if until > f.start else 0
        if f.count:
            wanted = min(wanted, f.count)
        return max(0, wanted - self.made.get(f.id, 0))

    def feed(
        self, f: Feeder, t: float, e: Grains, centres: np.ndarray, reaches: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Positions (n, 3) and sizes (n,) of the grains that find space among balls at ``centres`` of radii
        ``reaches``."""
        from scipy.spatial import cKDTree

        n = self.due(f, t)
        if n == 0:
            return np.zeros((0, 3)), np.zeros(0)
        rng = self._random.setdefault(f.id, np.random.default_rng(f.seed))
        low, high = f.place.bounds()
        sizes = rng.uniform(*f.radius, n)
        r = sizes * e.reach
        most = float(max(r.max(), reaches.max(initial=0.0)))
        near = ((centres > low - 2 * most) & (centres < high + 2 * most)).all(axis=1)
        there, theirs = centres[near], reaches[near]
        places = np.zeros((n, 3))
        done = np.zeros(n, bool)
        for _ in range(ROUNDS):
            todo = np.repeat(np.flatnonzero(~done), TRIALS)
            if not len(todo):
                break
            trial = low + r[todo, None] + rng.random((len(todo), 3)) * np.maximum(high - low - 2 * r[todo, None], 0.0)
            good = f.place.contains(trial, r[todo])
            if len(there):
                tree = cKDTree(there)
                for k, found in enumerate(tree.query_ball_point(trial, r[todo] + most)):
                    if (
                        found
                        and (((trial[k] - there[found]) ** 2).sum(axis=1) < (r[todo[k]] + theirs[found]) ** 2).any()
                    ):
                        good[k] = False
            index = np.flatnonzero(good)
            if len(index) > 1:
                pairs = index[cKDTree(trial[index]).query_pairs(2 * float(r.max()), output_type="ndarray")]
                if len(pairs):
                    i, j = pairs.min(axis=1), pairs.max(axis=1)
                    good[j[((trial[i] - trial[j]) ** 2).sum(axis=1) < (r[todo[i]] + r[todo[j]]) ** 2]] = False
            found, which = np.unique(todo[good], return_index=True)
            places[found], done[found] = trial[good][which], True
            there, theirs = np.concatenate([there, places[found]]), np.concatenate([theirs, r[found]])
        self.made[f.id] = self.made.get(f.id, 0) + int(done.sum())
        if not done.all() and f.id not in self._wait:
            self._wait[f.id] = t
            self.said.append(
                f"at time {t:.6g} {f.label} has no space for {int((~done).sum())} of its grains; they wait"
            )
        return places[done], sizes[done]


# ---- parts ---------------------------------------------------------------------------------------------------------
def holders(model: Model, part: Any) -> list[Any]:
    """Active joints, motions and forces that name a marker of a body."""
    own = {m.id for m in model.markers.values() if (m.body_kind, m.part) == (part.KIND, part.id)}
    return [
        e
        for kind in kinds_of("constraint", "force")
        for e in model.table(kind).values()
        if e.active and own & set(e.ports)
    ]


def without_part(model: Model, part: Any) -> Model:
    """A model in which a body is not active and its shapes touch nothing.  Raises ModelError where a joint holds it or
    a force acts on it."""
    from ...model.shape import marker_id

    if getattr(part, "ground", False):
        raise part.error("the ground cannot be removed")
    if not part.active:
        raise part.error("it was removed before")
    held = holders(model, part)
    if held:
        word = "holds it" if held[0].ROLE == "constraint" else "acts on it"
        more = f" (and {len(held) - 1} more)" if len(held) > 1 else ""
        raise part.error(f"it cannot be removed: {held[0].label} {word}{more}; deactivate that first")
    twin = own_grains(model)
    twin._tables[part.KIND] = dict(model.table(part.KIND))
    gone = twin._tables[part.KIND][part.id] = copy.copy(part)
    gone.active = False
    markers = model.markers
    shapes = set()
    for g in model.table("GRAPHICS").values():
        number = marker_id(g)
        if number in markers and (markers[number].body_kind, markers[number].part) == (part.KIND, part.id):
            shapes.add(g.id)
    twin._tables["CONTACT"] = {}
    for n, c in model.table("CONTACT").items():
        if shapes & {*c.igeom, *c.jgeom}:
            c = copy.copy(c)
            c.igeom = tuple(g for g in c.igeom if g not in shapes)
            c.jgeom = tuple(g for g in c.jgeom if g not in shapes)
            c.active = c.active and bool(c.igeom or c.igrains) and bool(c.jgeom or c.jgrains)
        twin._tables["CONTACT"][n] = c
    return twin


def check(e: Any, slots: Any) -> np.ndarray:
    """Rows of grains that are there.  Raises ModelError."""
    n = len(e)
    rows = np.unique(np.atleast_1d(np.asarray(slots, np.int64)))
    bad = rows[(rows < 0) | (rows >= n)]
    if len(bad):
        raise e.error(f"it has no grain {bad[0]}; they are numbered from 0 to {n - 1}")
    gone = rows[~e.exists[rows]]
    if len(gone):
        raise e.error(f"its grain {gone[0]} was removed before")
    return rows


# ---- in a simulation, between two of its analyses --------------------------------------------------------------------
def exchange(sim: Simulation, t: float) -> None:
    """What sinks take and feeders make at time t, between two analyses."""
    sim.carried.keep(sim.system, sim.y)
    model, feeding = sim.model, sim.feeding
    state = {e.id: sim.carried.state["GRAINS", e.id] for e in model.table("GRAINS").values() if e.active}
    for n, kept in state.items():
        e = model.table("GRAINS")[n]
        slots = np.flatnonzero(e.exists)
        gone = slots[feeding.taken(model, e, slots, kept[slots, :3])]
        if len(gone):
            sim.remove_grains(e, gone)
            kept[gone] = np.nan
    for f in model.table("FEEDER").values():
        if f.active and f.grains in state:
            e = model.table("GRAINS")[f.grains]
            balls = [(k, model.table("GRAINS")[n]) for n, k in state.items()]
            centres = np.concatenate([k[np.isfinite(k[:, 0]), :3] for k, _ in balls])
            reach = np.concatenate([(g.sizes * g.reach)[: len(k)][np.isfinite(k[:, 0])] for k, g in balls])
            places, sizes = feeding.feed(f, t, e, centres, reach)
            if len(places):
                sim.add_grains(e, places, sizes, density=f.density, velocity=f.velocity)
                state[e.id] = np.concatenate([state[e.id], np.pad(places, ((0, 0), (0, 10)))])
    for text in feeding.said:
        sim.say(text)
    feeding.said.clear()


def add_grains(
    sim: Simulation,
    grains: Any,
    positions: Any,
    radius: Any,
    *,
    density: float | None = None,
    mass: Any = None,
    velocity: Any = None,
    spin: Any = None,
    orientation: Any = None,
) -> np.ndarray:
    """Add grains to an element before the next analysis; ``radius``: of spheres, scale of others.  Returns their
    numbers."""
    sim._prepared = None
    sim.own()
    e = sim.model.find("GRAINS", getattr(grains, "id", grains))
    if (density is None) == (mass is None):
        raise e.error("give either density or mass of the grains to be added")
    sizes = np.broadcast_to(np.asarray(radius, float), len(np.atleast_2d(np.asarray(positions, float))))
    one = e.solid_volume
    return append(
        e, positions, sizes, mass if density is None else float(density) * one * sizes**3, velocity, spin, orientation
    )


def remove_grains(sim: Simulation, grains: Any, which: Any) -> np.ndarray:
    """Take grains out before the next analysis: ``which`` are their numbers, or a region (`Box`, ...).  Returns
    their numbers."""
    sim._prepared = None
    sim.own()
    e = sim.model.find("GRAINS", getattr(grains, "id", grains))
    if isinstance(which, Region):
        slots = np.flatnonzero(e.exists)
        places = e.positions[slots]
        if sim.system is not None:
            sim.carried.keep(sim.system, sim.y)
            kept = sim.carried.state["GRAINS", e.id][slots, :3]
            places = np.where(np.isfinite(kept), kept, places)
        which = slots[which.contains(places)]
    rows = check(e, which)
    there = e.exists.copy()
    there[rows] = False
    e.present = there
    return rows


def own(sim: Simulation) -> None:
    """Grains of its own, so that the user's model stays as it is when some come and go."""
    if sim.model is sim._given:
        take_model(sim, own_grains(sim.model))


def take_model(sim: Simulation, model: Model) -> None:
    sim.close()
    sim.model = sim.recorder.model = model
    sim.recorder.grains = list(model.table("GRAINS").values())
    sim._prepared = None


def remove(sim: Simulation, body: Any) -> None:
    """Take a part or point mass out before the next analysis, with its shapes.  Raises ModelError where a joint or
    a force holds it."""
    if sim.system is not None:
        sim.carried.keep(sim.system, sim.y)
    part = body if isinstance(body, Element) else sim.model.find("PART", body)
    part = sim.model.table(part.KIND)[part.id]
    take_model(sim, without_part(sim.model, part))
