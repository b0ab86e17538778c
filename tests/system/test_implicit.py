"""The iteration matrix against finite differences of the residual, for every joint; redundant rows; set-up time."""

import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import holonom as hn
from _matrix_kernels import assemble, decide_rows, residual, stiffness
from holonom.elements.bodies.rigid import move
from holonom.elements.joints import JOINTS
from holonom.model import Model
from holonom.system.build import System
from holonom.system.implicit import Implicit, Pattern, R, T

PAR = dict(cm=0.8, aa=90.0, au=8.0, ax=11.0)
BA, BU = 40.0, 0.5


def two_bodies():
    m = Model()
    m.gravity = (0.0, -9.81, 1.0)
    a = m.part("a", 2.0, (0.3, 0.2, 0.4, 0.02, 0.03, -0.01), position=(0.4, 0.1, 0.2), euler=(0.3, 0.5, -0.2))
    b = m.part("b", 1.5, (0.1, 0.2, 0.15), position=(1.0, -0.3, 0.1), euler=(0.1, -0.4, 0.6))
    return m, a, b


def joint_model(kind):
    m, a, b = two_bodies()
    more = {"SCREW": {"pitch": 0.3}, "RACKPIN": {"diameter": 0.4}}.get(kind, {})
    i, j = m.marker(a, (0.3, -0.1, 0.2), euler=(0.2, 0.3, 0.4)), m.marker(b, (-0.2, 0.1, 0.1), euler=(-0.5, 0.2, 0.1))
    if kind == "SCREW":
        m.screw(i, j, **more)
    elif kind == "RACKPIN":
        m.rack_and_pinion(i, j, **more)
    elif kind in ("ATPOINT", "INLINE", "INPLANE", "ORIENTATION", "PARALLEL_AXES", "PERPENDICULAR"):
        m.primitive(kind, i, j)
    else:
        m.joint(kind, i, j)
    m.spherical(a, m.ground, at=(0, 0, 0))
    return m


def driven_model():
    m, a, b = two_bodies()
    r = m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    c = m.cylindrical(b, a, at=(0.7, 0, 0), axis=(0, 1, 1))
    m.motion(r, "0.3*TIME**2")
    m.coupler([r, c], [1.0, -2.0])
    p = m.point_mass("p", 0.7, position=(0.2, 0.9, 0.3))
    m.joint("SPHERICAL", m.marker(p), m.marker(b, (0.1, 0.2, 0.3)))
    return m


def pair_model():
    m, a, b = two_bodies()
    i, j = m.marker(a, (0.3, -0.1, 0.2), euler=(0.2, 0.3, 0.4)), m.marker(b, (-0.2, 0.1, 0.1), euler=(-0.5, 0.2, 0.1))
    m.spring_damper(i, j, stiffness=70.0, damping=3.0, length=0.2)
    m.bushing(
        i,
        j,
        stiffness=(50, 60, 70),
        rotational_stiffness=(5, 6, 7),
        damping=(1, 2, 3),
        rotational_damping=(0.1, 0.2, 0.3),
    )
    m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    return m


def random_state(system, rng):
    n = system.nb
    y = system.y0.copy()
    move(n, y, 0.2 * rng.normal(size=6 * n + 6))
    for k in range(n):
        y[13 * k + 7 : 13 * k + 13] = rng.normal(size=6)
        if not system.S.bodies.rotates[k]:
            y[13 * k + 10 : 13 * k + 13] = 0.0
    return y


def check(model, seed=1, t=0.7):
    """Largest difference between the matrix and central differences of the residual, columns tied as the methods tie
    them."""
    rng = np.random.default_rng(seed)
    system = System(model)
    A = Implicit(system)
    S, W, I, p = A.S, A.W, A.I, A.pattern
    n = system.nb
    y = random_state(system, rng)
    I.lam[:] = rng.normal(size=system.m)
    acc = np.zeros(6 * n + 6)
    I.acc[: 6 * n] = acc[: 6 * n] = rng.normal(size=6 * n)
    lam, xd = I.lam.copy(), rng.normal(size=system.nx)
    I.xd[:] = xd
    residual(S, W, I, t, y, *PAR.values())
    stiffness(S, W, I, t, y)
    assemble(S, W, I, y, False, *PAR.values(), BA, BU)
    matrix = sp.csc_matrix((I.data[: p.nnz].copy(), p.indices, p.indptr), shape=(p.N, p.N)).toarray()
    aa, au, ax = PAR["aa"], PAR["au"], PAR["ax"]

    def moved(k, e):
        z, d = y.copy(), np.zeros(6 * n + 6)
        I.acc[:], I.lam[:], I.xd[:] = acc, lam, xd
        if k >= p.nq + p.nx:
            I.lam[k - p.nq - p.nx] += aa * e
        elif k >= p.nq:
            z[13 * n + 13 + k - p.nq] += e
            I.xd[k - p.nq] += ax * e
        else:
            b = int(np.searchsorted(p.at, k, side="right") - 1)
            c = k - p.at[b]
            d[6 * b + c] = e
            move(n, z, d)
            dq = np.zeros(6)
            dq[c] = e
            turn = np.zeros(6)
            turn[3:] = np.cross(y[13 * b + 10 : 13 * b + 13], dq[3:])
            z[13 * b + 7 : 13 * b + 13] += au * dq + BU * turn
            I.acc[6 * b : 6 * b + 6] += aa * dq + BA * turn
        residual(S, W, I, t, z, *PAR.values())
        return -I.res.copy()

    e = 1e-6
    numbers = np.stack([(moved(k, e) - moved(k, -e)) / (2 * e) for k in range(p.N)], 1)
    return np.abs(matrix - numbers).max() / np.abs(numbers).max()


@pytest.mark.parametrize("kind", sorted(JOINTS))
def test_matrix_of_every_joint(kind):
    assert check(joint_model(kind)) < 1e-8


def test_matrix_of_motion_coupler_and_point_mass():
    assert check(driven_model()) < 1e-8


@pytest.mark.parametrize("component", ["B1", "B2", "B3"])
def test_matrix_of_sequence_angles(component):
    m, a, b = two_bodies()
    i, j = m.marker(a, (0.3, -0.1, 0.2), euler=(0.2, 0.3, 0.4)), m.marker(b, (-0.2, 0.1, 0.1), euler=(-0.5, 0.2, 0.1))
    m.motion(None, "0.3*TIME**2", i=i, j=j, component=component)
    assert check(m) < 1e-8


def test_matrix_of_pair_forces():
    assert check(pair_model()) < 1e-8


def test_pattern_gives_ground_and_point_masses_the_dummy():
    system = System(driven_model())
    p = Pattern(system.S.bodies, 2, 3)
    assert p.N == 6 + 6 + 3 + 2 + 3
    one = p.block([0, 2, system.nb], R, [1, 1, 1], T)
    states = p.entries(p.state([0, 1]), p.unknown(0, 4))
    p.finish()
    assert np.all(one.positions[0] < p.nnz) and np.all(one.positions[1:] == p.nnz)
    row, col = p.indices[states.positions], np.searchsorted(p.indptr, states.positions, side="right") - 1
    assert np.all(row == p.nq + np.arange(2)) and np.all(col == 4)


def four_bar():
    m = Model()
    m.gravity = (0, -9.81, 0)
    up, flat = (1 / 12, 1 / 1200, 1 / 12), (1 / 1200, 1 / 12, 1 / 12)
    go = dict(velocity=(0.5, 0, 0), angular_velocity=(0, 0, -1))
    a, b = m.part("left", 1.0, up, position=(0, 0.5, 0), **go), m.part("right", 1.0, up, position=(1, 0.5, 0), **go)
    c = m.part("top", 1.0, flat, position=(0.5, 1, 0), velocity=(1, 0, 0))
    for i, j, x, y in ((a, m.ground, 0, 0), (b, m.ground, 1, 0), (c, a, 0, 1), (c, b, 1, 1)):
        m.revolute(i, j, at=(x, y, 0), axis=(0, 0, 1))
    return m


def test_redundant_rows_keep_the_matrix_regular():
    system = System(four_bar())
    A = Implicit(system)
    S, W, I = A.S, A.W, A.I
    assert not A.tree
    I.lam[:] = 1.0
    residual(S, W, I, 0.0, system.y0, 1.0, 1e6, 1e3, 1e3)
    worst, dropped = decide_rows(S, W, I, 1e-8)
    assert dropped == 3 and np.count_nonzero(I.lam == 0) == 3
    stiffness(S, W, I, 0.0, system.y0)
    assemble(S, W, I, system.y0, True, 1.0, 1e6, 1e3, 1e3, 0.0, 0.0)
    report = A.lu.factor(I.data)
    assert report.residual < 1e-12


def chain(n):
    m = Model()
    m.gravity = (0.0, -3.0, -9.81)
    prev = m.ground
    for k in range(n):
        p = m.part(f"b{k}", 0.5, (3e-5, 4.3e-4, 4.3e-4), position=(0.1 * (k + 0.5), 0, 0))
        m.revolute(p, prev, at=(0.1 * k, 0, 0), axis=(0, 1, 0) if k % 2 == 0 else (0, 0, 1))
        prev = p
    return m


def test_chain_of_a_thousand_bodies_is_set_up_quickly():
    Implicit(System(chain(3)))  # compiles the ordering
    system = System(chain(1000))
    start = time.process_time()
    A = Implicit(system)
    assert time.process_time() - start < 1.0
    assert A.tree


def test_rows_of_closed_contacts_are_nodes_of_their_own(monkeypatch):
    """Their groups were what memory happened to hold: the order of the elimination, and the last digits, differed from
    process to process."""
    made = []
    init = Implicit.__init__

    def keep(self, *args, **more):
        init(self, *args, **more)
        made.append(self)

    monkeypatch.setattr(Implicit, "__init__", keep)
    hn.simulate(
        hn.read_adams(Path(hn.__file__).parent / "models" / "rocking_block.adm"),
        end=0.002,
        steps=2,
        integrator="GSTIFF",
    )
    found = 0
    for im in made:
        known = sum(len(c.rows) for c in im.system.constraints)
        rows = im.pattern.multiplier(np.arange(known, im.pattern.m))
        rows = rows[rows >= 0]
        others = np.delete(im.groups, rows)
        assert len(np.unique(im.groups[rows])) == len(rows) and not np.isin(im.groups[rows], others).any()
        found += len(rows)
    assert found > 0
