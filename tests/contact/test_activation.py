"""The exchangeable contact blocks of the iteration matrix: positions, solutions, equal iterates of all arrangements,
cost."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spl
from _fake_contacts import Fake, machine, simulate

import holonom as hn
from _matrix_kernels import assemble, residual, stiffness
from holonom.integrators.entry import stepping_tables
from holonom.linalg.lu import lu_refactor, lu_solve
from holonom.model import Model
from holonom.system.build import System
from holonom.system.implicit import Implicit

PAR = dict(cm=0.8, aa=90.0, au=8.0, ax=11.0)


def scene(n, seed):
    """A random forest of bodies and joints, some of them point masses, some joints closing loops."""
    rng = np.random.default_rng(seed)
    m = Model()
    bodies = []
    for k in range(n):
        at = tuple(rng.normal(size=3))
        bodies.append(
            m.part(f"b{k}", 1.0, (0.1, 0.2, 0.15), position=at)
            if rng.random() < 0.8
            else m.point_mass(f"p{k}", 0.5, position=at)
        )
    for k in range(n):
        if rng.random() < 0.7:
            other = bodies[rng.integers(k)] if k and rng.random() < 0.7 else m.ground
            m.joint("SPHERICAL", m.marker(bodies[k]), m.marker(other))
    for _ in range(n // 3):
        i, j = rng.choice(n, 2, replace=False)
        m.spring_damper(m.marker(bodies[i]), m.marker(bodies[j]), stiffness=10.0, damping=1.0, length=0.1)
    return m, rng


def fill(implicit, rng):
    """Random numbers in the matrix: a dominant diagonal, blocks of the pairs."""
    lu, data = implicit.lu, implicit.I.data
    data[:] = 0.0
    data[lu.source] = 0.1 * rng.normal(size=lu.nnz)
    A = sp.csc_matrix((data[lu.source], lu.indices, lu.indptr), shape=(lu.n, lu.n))
    on = np.flatnonzero(np.repeat(np.arange(lu.n), np.diff(lu.indptr.astype(int))) == lu.indices)
    data[lu.source[on]] += 3.0
    A.data = data[lu.source]
    return A


class Defined:
    """Contacts that are only a list of pairs of bodies."""

    rigid = False

    on, version = True, 0

    def __init__(self, body_pairs, activation="active"):
        self.body_pairs, self.activation = np.asarray(body_pairs), activation

    def attach(self, places, scratch):
        return np.zeros(3, np.int64)


def implicit_of(model, pairs, activation="active"):
    system = System(model)
    c = vars(system)["contacts"] = Defined(pairs, activation)  # in the place of what it was built with
    c.touched = np.unique(c.body_pairs[c.body_pairs < system.nb])
    return Implicit(system)


@pytest.mark.parametrize("seed", range(6))
def test_random_pairs_against_splu(seed):
    m, rng = scene(12 + 5 * seed, seed)
    n = len(m.parts) + len(m.point_masses) if hasattr(m, "point_masses") else 12 + 5 * seed
    every = np.array([(i, j) for i in range(n + 1) for j in range(i)])  # ground is body n
    implicit = implicit_of(m, every)
    p = implicit.pattern
    u = p.unknown(np.arange(n))
    for count in (0, 3, n, 3 * n, 2):
        pairs = every[rng.choice(len(every), count, replace=False)]
        pairs = np.where(rng.random((count, 1)) < 0.5, pairs, pairs[:, ::-1])  # either direction
        implicit.use_pairs(pairs)
        lu, places = implicit.lu, implicit.places
        A = fill(implicit, rng)
        implicit.I.data[p.nnz] = 0.0
        dense = A.toarray()
        inside = np.sort(pairs[(pairs < n).all(axis=1)], axis=1)
        assert np.array_equal(places.keys[: len(inside)], np.sort(inside[:, 0] * (n + 1) + inside[:, 1]))
        for k, key in enumerate(places.keys[: len(inside)]):  # what is written at the positions lies where it belongs
            for first, (row, col) in ((0, divmod(key, n + 1)), (36, divmod(key, n + 1)[::-1])):
                at = places.opos[k, first : first + 36].reshape(6, 6)
                real = (u[row][:, None] >= 0) & (u[col] >= 0)
                assert np.all(at[~real] == p.nnz)
                assert np.array_equal(implicit.I.data[at], np.where(real, dense[u[row]][:, u[col]], 0.0))
        assert lu_refactor(lu.arrays, implicit.I.data) > 0.0
        b, x = rng.normal(size=lu.n), np.zeros(lu.n)
        lu_solve(lu.arrays, b, x)
        assert np.abs(x - spl.splu(A).solve(b)).max() < 1e-9 * np.abs(x).max()
    assert implicit.lu.ordering == "structural" and implicit.blocks.counts["patterns"] >= 4


def numbers(fake, implicit, y, lam, acc):
    S, W, I = implicit.S, implicit.W, implicit.I
    I.lam[:], I.acc[:] = lam, acc
    residual(S, W, I, 0.0, y, *PAR.values())
    stiffness(S, W, I, 0.0, y)
    assemble(S, W, I, y, False, *PAR.values(), 40.0, 0.5)
    lu = implicit.lu
    return sp.csc_matrix((I.data[lu.source], lu.indices, lu.indptr), shape=(lu.n, lu.n)).toarray()


@pytest.mark.parametrize(
    "planar", [pytest.param(False, marks=pytest.mark.slow), True]
)  # in space forms of their own, 110 s of compilation
def test_matrix_is_that_of_ordinary_forces(planar):
    """Blocks in the pool, with their spin terms and next to a spring that couples the same bodies, in space and in a
    plane; and the forces as unknowns leave that matrix behind when they are eliminated."""
    n, near = 6, np.array([1, 2, 4, 0])
    rng = np.random.default_rng(3)
    matrices = []
    for activation in (None, "active", "all-pairs", "unknown-forces"):
        fake = Fake(machine(n, planar), n, activation)
        stepping_tables(fake.system, 0.0, fake.system.y0.copy(), planar)
        plane = fake.system.workspace.plane
        assert (plane is not None) == planar
        implicit = Implicit(fake.system, plane)
        fake.touch(near[:3])
        if activation:
            fake.watch(implicit)
            for some in ([5, 3], near):
                fake.near, fake.version = some, fake.version + 1
                implicit.follow()
        y = fake.system.y0.copy()
        if not matrices:
            spins = rng.normal(size=(n + 1, 3)) * ((0, 0, 1) if planar else (1, 1, 1))
            lam, acc = rng.normal(size=fake.system.m), np.zeros(6 * n + 12)
            if planar:
                lam[np.setdiff1d(np.arange(len(lam)), plane.S.rows.on)] = 0.0
        y[: 13 * (n + 1)].reshape(-1, 13)[:, 10:] = spins
        matrices.append(numbers(fake, implicit, y, lam, acc))
    size = len(matrices[0])
    wide, big = matrices[3], np.abs(matrices[0]).max()
    f = slice(size, None)
    assert len(wide) == size + 3 * n
    assert np.array_equal(wide[f, f], np.eye(3 * n)) and np.count_nonzero(np.abs(wide[f, :size]).sum(1)) >= 6
    matrices[3] = wide[:size, :size] - wide[:size, f] @ wide[f, :size]
    for other in matrices[1:]:
        assert np.abs(other - matrices[0]).max() < 1e-13 * big


@pytest.mark.parametrize("kind, options", [("GSTIFF", {"formulation": "SI2"}), ("HHT", {})])
def test_all_arrangements_make_the_same_steps(kind, options):
    """Also with patterns that come from the store, and where the pool and the arrays of the LU have had to grow."""
    runs = {
        a: simulate(machine(8), 8, a, kind, 0.12, error=1e-4, **options)
        for a in ("active", "all-pairs", "unknown-forces")
    }
    path, stepper = runs["active"]
    assert stepper.statistics["patterns"] >= 6
    assert stepper.lu.n == runs["all-pairs"][1].lu.n and stepper.lu.fill < runs["all-pairs"][1].lu.fill
    for other, _ in (runs["all-pairs"], runs["unknown-forces"]):
        assert len(path) == len(other) and np.array_equal(path[:, 2], other[:, 2])
        assert np.abs(path[:, :2] - other[:, :2]).max() < 1e-9
        assert np.abs(path[-1] - other[-1]).max() < 1e-6


def test_same_motion_as_without_exchange_and_the_same_bits_each_time():
    """Fixed steps, corrector to roundoff: contacts as ordinary forces of the base with pivots of their own give the
    same motion."""
    options = dict(hmin=1e-3, hmax=1e-3, newton=1e-12, maxit=30, error=1e-4, corrector="modified")
    plain, _ = simulate(machine(8), 8, None, "HHT", 0.1, **options)
    active, one = simulate(machine(8), 8, "active", "HHT", 0.1, **options)
    again, two = simulate(machine(8), 8, "active", "HHT", 0.1, **options)
    assert np.array_equal(active, again) and one.statistics == two.statistics
    assert np.abs(active[:, 3:] - plain[:, 3:]).max() < 1e-9 * np.abs(plain).max()


def box():
    """Six balls that fall into a box, one upon another."""
    m = hn.Model("box")
    m.gravity = (0, 0, -9.81)
    balls = []
    for k in range(6):
        at = (0.2 * (k % 2) + 0.03 * k, 0.02 * k, 0.12 + 0.11 * k)
        balls.append(m.sphere(m.part(f"b{k}", 1.0, (0.004,) * 3, at), at, 0.1))
    walls = [
        m.plane(m.ground, at, n)
        for at, n in (((0, 0, 0), (0, 0, 1)), ((-0.15, 0, 0), (1, 0, 0)), ((0.5, 0, 0), (-1, 0, 0)))
    ]
    common = dict(
        stiffness=1e5,
        exponent=1.5,
        damping=20.0,
        dmax=1e-3,
        mu=0.3,
        stiction_transition_velocity=0.01,
        friction_transition_velocity=0.02,
    )
    m.contact(balls, balls, **common)
    m.contact(balls, walls, **common)
    return m


@pytest.mark.parametrize("integrator, formulation", [("GSTIFF", "SI2"), ("HHT", "I3")])
def test_scene_of_the_engine_in_all_arrangements(integrator, formulation):
    """The same steps until roundoff, which bouncing balls enlarge a millionfold, changes one (at 0.3 s)."""
    runs = {}
    for activation in ("active", "broad-phase", "all-pairs", "unknown-forces"):
        runs[activation] = hn.simulate(
            box(),
            end=0.15,
            steps=10,
            integrator=integrator,
            formulation=formulation,
            error=1e-4,
            contact_activation=activation,
            progress=False,
        )
    counts = {a: r.data.counters for a, r in runs.items()}
    last = {a: np.array([r.part(f"b{k}").position.values[-1] for k in range(6)]) for a, r in runs.items()}
    assert counts["active"]["patterns"] >= 2 and counts["active"]["iterations"] > 50
    for activation in runs:
        for name in ("steps", "rejected: error", "rejected: corrector", "iterations", "matrices"):
            # a trial that meets pairs which were not near before lacks their entries: its iterates are others, and so
            # may be its step
            room = 3 + 0.05 * counts["broad-phase"]["iterations"] if activation == "active" else 0
            assert abs(counts[activation].get(name) - counts["broad-phase"].get(name)) <= room
        assert np.abs(last[activation] - last["broad-phase"]).max() < 1e-6


def test_an_arrangement_that_does_not_exist_is_refused():
    with pytest.raises(
        hn.ModelError, match="CONTACT_ACTIVATION = some is not one of active, broad-phase, all-pairs, unknown-forces"
    ):
        hn.simulate(box(), end=0.1, steps=1, contact_activation="some", progress=False)
    with pytest.raises(hn.ModelError, match="RADAU5 has no form with contact forces as unknowns"):
        hn.simulate(box(), end=0.1, steps=1, integrator="RADAU5", contact_activation="unknown-forces", progress=False)


def chain(n):
    """A chain of n bodies in a plane and a hub, each link a possible contact of the hub."""
    m = Model()
    radius = n * 0.0127 / 2 / np.pi
    at = lambda k: (radius * np.cos(2 * np.pi * k / n), radius * np.sin(2 * np.pi * k / n), 0.0)
    links = [m.part(f"l{k}", 0.009, (1e-6, 1e-6, 1e-6), position=at(k)) for k in range(n)]
    hub = m.part("hub", 1.0, (1e-3, 1e-3, 1e-3))
    for k in range(n - 1):
        m.revolute(links[k], links[k + 1], at=at(k + 0.5), axis=(0, 0, 1))
    for p, k in ((links[0], 0), (hub, None)):
        m.revolute(p, m.ground, at=(0, 0, 0) if k is None else at(k), axis=(0, 0, 1))
    return m, np.stack([np.arange(n), np.full(n, n)], 1)


def test_what_a_change_costs():
    """Chain of 240 links, 1 hub, 25 near: a pattern is analysed once, comes from the store afterwards, and the fill
    grows with what is near. (Its milliseconds are measured by the benchmark of the chain drive.)"""
    m, defined = chain(240)
    implicit, every = implicit_of(m, defined), implicit_of(m, defined, "all-pairs")
    away = defined[210:230]
    implicit.use_pairs(away)
    for first in range(0, 180, 20):
        near = defined[first : first + 25]
        for symbolic in (1, 0):
            before = dict(implicit.blocks.counts)
            assert implicit.use_pairs(near)
            assert implicit.blocks.counts["symbolic"] - before["symbolic"] == symbolic
            implicit.use_pairs(away)
    assert implicit.blocks.counts["symbolic"] == 11 and implicit.blocks.counts["from store"] >= 18
    implicit.use_pairs(defined[:25])
    assert implicit.lu.fill < 0.7 * every.lu.fill


def test_stored_patterns_are_bounded(monkeypatch):
    import holonom.contact.activation as activation

    implicit = implicit_of(*chain(30))
    defined = implicit.contacts.body_pairs
    monkeypatch.setattr(activation, "STORE", 6 * implicit.blocks._bytes)
    for first in range(20):
        implicit.use_pairs(defined[first : first + 5])
    assert implicit.blocks._bytes <= activation.STORE and 1 < len(implicit.blocks._store) < 8
    assert implicit.blocks.counts["symbolic"] == 21
