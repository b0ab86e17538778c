"""Meshes in absolute coordinates and their nodes: masses against dense matrices, nodes by rotation matrices and
differences, forces and energies as sums over elements.  Kernels run as plain Python: nothing is compiled."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from holonom import _jit
from holonom.elements.absolute import ABSOLUTE_ELEMENTS, cable, spatial_beam
from holonom.elements.absolute.lumping import unity
from holonom.elements.absolute.materials import Linear
from holonom.elements.bodies import absolute, layout, mesh_tables
from holonom.elements.bodies.carrier import make_carriers, weighted
from holonom.elements.bodies.nodes import make_nodes
from holonom.elements.bodies.tables import body_tables
from holonom.flexible import Section

BODIES, START, TAIL, UNIT = 6, 6, 48, 0.3
FIRST = layout.MOVES * (BODIES + 1)
WORDS = ("x", "xy", "yz", "zx", "y+z")
OWN = {"x": START + 6 + 3 * np.arange(4)} | {word: START + 18 + 3 * np.arange(8) for word in WORDS[1:]}
MESH = slice(FIRST + START, FIRST + TAIL)


def unit(v):
    return v / np.linalg.norm(v)


class Scene:
    """A cable of two elements and a beam of one, behind six coordinates of others; five nodes on them, whose axes
    follow one gradient and two in every way; a state in which all moves."""

    def __init__(self):
        r = self.rng = np.random.default_rng(4)
        string = np.array([[300.0, 2.0, 0.8, 0.02, 0.5, 0.0], [200.0, 3.0, 0.6, 0.02, 0.4, 0.0]])
        bar = spatial_beam.properties(Section.rectangle(0.3, 0.2, shear=True), Linear(100.0, 0.3, 2.0, 0.1), length=1.4)
        lines = np.zeros((3, 2, 3))
        lines[:, 0, 0], lines[:, 1, 0] = [0.0, 0.5, 0.9], UNIT
        beam = np.zeros((2, 4, 3))
        beam[1, 0, 0] = 1.4
        beam[:, 1:] = UNIT * np.eye(3)
        drawn = [np.concatenate([lines[:-1], lines[1:]], 1).reshape(2, 12), beam.reshape(1, 24)]
        at = [np.array([[6, 12], [12, 18]]), np.array([[24, 36]])]
        data = [cable.rows(drawn[0], string, UNIT), spatial_beam.rows(drawn[1], bar, UNIT)]
        self.own = [cable.masses(drawn[0], string, UNIT), spatial_beam.masses(drawn[1], bar, UNIT)]
        blocks, masses = [None] * len(ABSOLUTE_ELEMENTS), [None] * len(ABSOLUTE_ELEMENTS)
        self.kinds = [cable, spatial_beam]
        for kind, one, where, m in zip(self.kinds, data, at, self.own):
            k = ABSOLUTE_ELEMENTS.index(kind)
            blocks[k], masses[k] = (one, where), m
        self.data = data
        self.columns = [(w[:, :, None] + np.arange(n)).reshape(len(w), -1) for w, n in zip(at, (6, 12))]
        self.weights = {"x": cable.weights(string[1], 0.3, UNIT)}
        own = spatial_beam.weights(bar, 0.6, UNIT)
        for word, (u, w) in {"xy": (1, 2), "yz": (2, 3), "zx": (3, 1), "y+z": (2, 3)}.items():
            self.weights[word] = own[[0, u, w]]
        self.normal = {word: 0.1 * r.normal(size=3) * (word != "x") for word in WORDS}
        self.axes = {word: Rotation.from_rotvec(0.3 * r.normal(size=3)).as_matrix() for word in WORDS}
        side = lambda w: w[2] if len(w) > 2 else 0 * w[0]
        points = [
            (int(word != "x"), OWN[word], *self.weights[word][:2], side(self.weights[word]), self.normal[word], word,
             self.axes[word])
            for word in WORDS
        ]  # fmt: skip
        held = np.zeros(TAIL - START, np.uint8)
        meshes = mesh_tables.make_meshes([START, 24, TAIL], held, blocks, masses, points)
        moves = FIRST + TAIL
        made = list(meshes.blocks)
        for kind, columns in zip(self.kinds, self.columns):
            k = ABSOLUTE_ELEMENTS.index(kind)
            entries = [(moves * one[:, None] + one).ravel() for one in FIRST + columns]
            made[k] = made[k]._replace(places=np.array(entries, np.uint32))
        meshes = meshes._replace(blocks=tuple(made))
        none = np.zeros((0, 3))
        rows = (np.zeros(0), none, none, np.zeros(0), np.zeros(0), np.zeros(0))
        c = make_carriers((), (), [0], (), rows, (), BODIES + 1, None, meshes, range(1, 6), TAIL)
        # body 0 is a node of a carrier, of which those of meshes follow
        windows = [3 * len(OWN[word]) for word in WORDS]
        c = c._replace(nodes=make_nodes(BODIES + 1, range(6), [0], [0], [1, *windows], max(windows)))
        minv = np.zeros((BODIES + 1 + TAIL // 6, 6))
        gravity = np.array([0.3, -0.4, -9.8])
        one = np.ones(BODIES)
        flags = np.ones(BODIES + 1, np.uint8)
        self.bodies = body_tables(one, np.ones((BODIES, 3)), minv, gravity, flags, TAIL, c)
        assert moves == self.bodies.moves
        for k, word in enumerate(WORDS):
            w = (FIRST + OWN[word][:, None] + np.arange(3)).ravel()
            o = c.meshes.nptr[k]
            c.meshes.npos[o : o + len(w) ** 2] = (moves * w[:, None] + w).ravel()
            assert absolute.TURNS[word] == c.meshes.points.turn[k]
        c.meshes.laws[:] = 0
        for kind in self.kinds:
            q = ABSOLUTE_ELEMENTS.index(kind)
            c.meshes.laws[q, :3] = 1 + 3 * q + np.arange(3)
        self.y = np.zeros(self.bodies.end)
        self.y[3 : 13 * (BODIES + 1) : 13] = 1.0
        q = layout.coordinates(self.y, self.bodies)
        q[6:24], q[24:] = lines.ravel(), beam.ravel()
        q += 0.08 * r.normal(size=TAIL)
        layout.coordinate_rates(self.y, self.bodies)[:] = r.normal(size=TAIL)
        self.M = np.zeros((TAIL, TAIL))
        for columns, own in zip(self.columns, self.own):
            for k, m in zip(columns, own):
                self.M[np.ix_(k, k)] += m
        self.M = self.M[START:, START:]

    def run(self, name, *args):
        return getattr(absolute, name)(self.bodies.carriers, self.bodies, *args)

    def prepared(self, y):
        y = y.copy()
        self.run("place", y)
        self.run("prepare", y, None)
        self.run("prepare_slopes", y)
        return y

    def moved(self, d, du):
        """The state moved by d, rates by du (TAIL)."""
        z = self.y.copy()
        layout.coordinates(z, self.bodies)[:] += d
        layout.coordinate_rates(z, self.bodies)[:] += du
        return z

    def axes_at(self, word, q):
        """Place and axes of a node, by rotation matrices."""
        vectors = self.weights[word] @ q[OWN[word][:, None] + np.arange(3)]
        if word == "x":
            a, t = self.axes[word][:, 0], unit(vectors[1])
            n = np.cross(a, t)
            turn = np.eye(3) + hat(n) + hat(n) @ hat(n) / (1 + a @ t)
            return vectors[0], turn @ self.axes[word]
        u, w = vectors[1], vectors[2] + self.normal[word]
        f1, f3 = unit(u), unit(np.cross(u, w))
        f2 = np.cross(f3, f1)
        turn = {"xy": 0, "yz": 1, "zx": 2, "y+z": 1}[word]
        if word == "y+z":
            about = Rotation.from_rotvec(0.5 * (np.arccos(unit(u) @ unit(w)) - np.pi / 2) * f3)
            f1, f2 = about.apply(f1), about.apply(f2)
        A = np.zeros((3, 3))
        A[:, [turn, (turn + 1) % 3, (turn + 2) % 3]] = np.transpose([f1, f2, f3])
        return vectors[0], A


def hat(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


@pytest.fixture
def scene(monkeypatch):
    monkeypatch.setattr(_jit, "_plain", {})
    monkeypatch.setattr(_jit.Kernel, "__call__", lambda kernel, *args: _jit.interpreted(kernel)(*args))
    monkeypatch.setattr(absolute, "of_type", lambda real, other, F: other if F.dtype.kind == "c" else real)
    loop = lambda address, args: absolute._LOOPS[(address - 1) // 3][(address - 1) % 3](*args)
    for name in ("_force", "_stiffen", "_store"):
        monkeypatch.setattr(absolute, name, loop)
    return Scene()


def test_axes_of_nodes(scene):
    """Places and axes, and their velocities by differences of fourth order."""
    y, e = scene.prepared(scene.y), 1e-3
    q, v = layout.coordinates(y, scene.bodies), layout.coordinate_rates(y, scene.bodies)
    for k, word in enumerate(WORDS):
        x, A = scene.axes_at(word, q)
        found = layout.body(y, k + 1)
        np.testing.assert_allclose(found[:3], x, atol=1e-14)
        np.testing.assert_allclose(Rotation.from_quat(found[[4, 5, 6, 3]]).as_matrix(), A, atol=1e-13)
        ends = [scene.axes_at(word, q + s * e * v) for s in (-2, -1, 1, 2)]
        rate = lambda i, ends=ends: (ends[0][i] - 8 * ends[1][i] + 8 * ends[2][i] - ends[3][i]) / (12 * e)
        W = A.T @ rate(1)
        np.testing.assert_allclose(found[7:10], rate(0), atol=1e-10)
        np.testing.assert_allclose(found[10:], [W[2, 1], W[0, 2], W[1, 0]], atol=1e-9)


def test_quaternions_of_axes():
    """Of any attitude, by SciPy; axes are rows."""
    for A in Rotation.random(40, random_state=5):
        found = np.array(_jit.interpreted(absolute._quaternion)(A.as_matrix().T.ravel()))
        want = A.as_quat()[[3, 0, 1, 2]]
        np.testing.assert_allclose(found * np.sign(found @ want), want, atol=1e-14)


def between(a, b):
    turned = Rotation.from_quat(a[[4, 5, 6, 3]]).inv() * Rotation.from_quat(b[[4, 5, 6, 3]])
    return np.concatenate([b[:3] - a[:3], turned.as_rotvec()])


def test_motion_of_nodes(scene):
    """J, V and bias against differences of what `place` says."""
    y, h, zero, r = scene.prepared(scene.y), 1e-5, np.zeros(TAIL), scene.rng
    nodes, u = scene.bodies.carriers.nodes, layout.coordinate_rates(y, scene.bodies).copy()
    J, V, bias = nodes.J[1:].copy(), nodes.V[1:].copy(), nodes.bias[1:].copy()
    d, acc = r.normal(size=(2, TAIL))
    for k, word in enumerate(WORDS):
        own = (OWN[word][:, None] + np.arange(3)).ravel()
        n = len(own)
        at = lambda z, k=k: layout.body(scene.prepared(z), k + 1)
        assert np.abs(J[k][:, :n] @ u[own] - at(scene.y)[7:]).max() < 1e-13
        back, forth = at(scene.moved(-h * d, zero)), at(scene.moved(h * d, zero))
        assert np.abs(between(back, forth) / (2 * h) - J[k][:, :n] @ d[own]).max() < 1e-8
        assert np.abs((forth - back)[7:] / (2 * h) - V[k][:, :n] @ d[own]).max() < 1e-7
        forth, back = (at(scene.moved(s * u + 0.5 * s * s * acc, s * acc)) for s in (h, -h))
        off = np.abs((forth - back)[7:] / (2 * h) - J[k][:, :n] @ acc[own] - bias[k]).max()
        assert off < 1e-7 * max(1.0, np.abs(bias[k]).max())


def test_loads_on_nodes(scene):
    """What forces on nodes do to coordinates, and its derivative."""
    loads, d, h, zero = scene.rng.normal(size=(5, 6)), scene.rng.normal(size=TAIL), 1e-6, np.zeros(TAIL)
    moves, F0 = scene.bodies.moves, np.zeros(scene.bodies.moves)
    F0[6:36] = loads.ravel()

    def condensed(z):
        scene.prepared(z)
        F = F0.copy()
        scene.run("condense", F)
        assert not F[:FIRST].any()
        return F

    nodes = scene.bodies.carriers.nodes
    want = np.zeros(moves)
    found = condensed(scene.y)
    for k, word in enumerate(WORDS):
        own = (OWN[word][:, None] + np.arange(3)).ravel()
        want[FIRST + own] += nodes.J[k + 1][:, : len(own)].T @ loads[k]
    np.testing.assert_allclose(found, want, atol=1e-13)
    slope = (condensed(scene.moved(h * d, zero)) - condensed(scene.moved(-h * d, zero))) / (2 * h)
    K = np.zeros(moves**2)
    condensed(scene.y)
    scene.run("load_nodes", scene.y, K)
    full = np.r_[np.zeros(FIRST), d]
    assert np.abs(slope + K.reshape(moves, -1) @ full).max() < 1e-8 * np.abs(slope).max()


def test_masses(scene):
    """The dense sum of the masses of elements: times, inverse, impulses, motions of nodes, energy, momentum."""
    y, r, M = scene.prepared(scene.y), scene.rng, scene.M
    bodies, nodes, meshes = scene.bodies, scene.bodies.carriers.nodes, scene.bodies.carriers.meshes
    np.testing.assert_allclose(absolute.mass_matrix(meshes), M, atol=1e-15)
    J = np.zeros((30, TAIL))
    for k, word in enumerate(WORDS):
        own = (OWN[word][:, None] + np.arange(3)).ravel()
        J[6 * k : 6 * k + 6, own] = nodes.J[k + 1][:, : len(own)]
    assert not J[:, :START].any()
    J = J[:, START:]
    for kind in (float, complex):
        factor = 1.3 if kind is float else 1.3 - 0.4j
        u = r.normal(size=bodies.moves) * factor
        scene.run("multiply", factor, u)
        out = np.ones(bodies.moves, kind)
        scene.run("give", out, True)
        np.testing.assert_allclose(out[MESH], 1.0 + factor * M @ u[MESH], atol=1e-12)
        assert (np.delete(out, np.arange(bodies.moves)[MESH]) == 1.0).all()
        F = r.normal(size=bodies.moves) * factor
        z = np.linalg.solve(M, F[MESH] + J.T @ F[6:36])
        scene.run("solve", F)
        for add in (True, False):
            out = np.ones(bodies.moves, kind)
            scene.run("give_motion", out, add)
            np.testing.assert_allclose(out[MESH], add + z, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(out[6:36], add + J @ z, rtol=1e-9, atol=1e-9)
        u[6:36] = 7.0
        scene.run("lead_nodes", u)
        np.testing.assert_allclose(u[6:36], J @ u[MESH], atol=1e-12)
    f = r.normal(size=9)
    for k in range(5):
        u = np.ones(bodies.moves)
        scene.run("respond_one", k + 1, f, 3, u)
        z = np.linalg.solve(M, J[6 * k : 6 * k + 6].T @ f[3:])
        np.testing.assert_allclose(u[MESH], 1 + z, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(u[6:36], 1 + J @ z, rtol=1e-9, atol=1e-9)
    u = np.ones(bodies.moves)
    scene.run("respond_one", 0, f, 3, u)
    assert (u == 1.0).all()
    meshes.held[5] = 1  # what is held does not move
    F = r.normal(size=bodies.moves)
    z = np.linalg.solve(M, F[MESH] + J.T @ F[6:36])
    z[5] = 0.0
    scene.run("solve", F)
    out = np.ones(bodies.moves)
    scene.run("give", out, False)
    np.testing.assert_allclose(out[MESH], z, rtol=1e-9, atol=1e-9)
    meshes.held[5] = 0
    q, v = (x.reshape(-1, 3)[START // 3 :] for x in (layout.coordinates(y, bodies), layout.coordinate_rates(y, bodies)))
    small = M[::3, ::3]
    whole = np.zeros(14)
    for (columns, own), kind, data in zip(zip(scene.columns, scene.own), scene.kinds, scene.data):
        for k, m, one in zip(columns[:, ::3] // 3 - START // 3, own[:, ::3, ::3], unity(kind, len(data))):
            whole[k] += m @ one
    np.testing.assert_allclose(meshes.mass, whole, atol=1e-14)
    kinetic = 0.5 * np.einsum("ij,ia,ja->", small, v, v)
    assert absolute.kinetic(meshes, bodies, y) == pytest.approx(kinetic, rel=1e-13)
    found = scene.run("energies", y)
    assert found[:2] == pytest.approx((kinetic, -whole @ q @ bodies.gravity), rel=1e-12)
    out = np.zeros(12)
    scene.run("momenta", y, out)
    turn = sum(small[i, j] * np.cross(q[i], v[j]) for i in range(14) for j in range(14))
    pull = whole @ q
    want = [*(whole @ v), *turn, *(whole.sum() * bodies.gravity), *np.cross(pull, bodies.gravity)]
    np.testing.assert_allclose(out, want, atol=1e-12)


def test_forces_of_elements(scene):
    """Forces and energies are sums over elements and gravity; the iteration matrix their derivative."""
    y, r, bodies = scene.y, scene.rng, scene.bodies
    zero, h = np.zeros(TAIL), 1e-6

    def forces(z):
        F = np.zeros(bodies.moves)
        scene.run("forces", z, F)
        return F

    want, stored, power = np.zeros(TAIL), 0.0, 0.0
    q, v = layout.coordinates(y, bodies), layout.coordinate_rates(y, bodies)
    for kind, data, columns in zip(scene.kinds, scene.data, scene.columns):
        for e, k in enumerate(columns):
            f = np.zeros(len(k))
            kind.forces(data, e, q[k], v[k], f)
            want[k] += f
            a, b = kind.energies(data, e, q[k], v[k])
            stored, power = stored + a, power + b
    want[START:] += np.outer(bodies.carriers.meshes.mass, bodies.gravity).ravel()
    np.testing.assert_allclose(forces(y), np.r_[np.zeros(FIRST), want], atol=1e-12)
    assert scene.run("energies", y)[2] == pytest.approx(stored) and scene.run("damped", y) == pytest.approx(power)
    K, C = np.zeros((2, bodies.moves**2))
    scene.run("stiffness", y, K, C)
    d = r.normal(size=TAIL)
    for matrix, a, b in ((K, d, zero), (C, zero, d)):
        slope = (forces(scene.moved(h * a, h * b)) - forces(scene.moved(-h * a, -h * b))) / (2 * h)
        exact = -matrix.reshape(bodies.moves, -1) @ np.r_[np.zeros(FIRST), d]
        assert np.abs(slope - exact).max() < 1e-7 * np.abs(exact).max()
    bodies.carriers.meshes.held[4] = 1
    want[START + 4] = 0.0
    np.testing.assert_allclose(forces(y)[FIRST:], want, atol=1e-12)


def test_products_of_rows(scene):
    """G M^-1 G^T of slots on nodes, two of one row among them, and with weights in place of masses."""
    scene.prepared(scene.y)
    r, c = scene.rng, scene.bodies.carriers
    meshes = mesh_tables.with_rows(c.meshes, np.array([1, 1, 0, 1, 1]))
    on, row = np.array([0, 0, 1, 2, 1, 2, 4, 5, 2]), np.array([0, 1, 0, 1, 2, 3, 2, 4, 4])
    order = r.permutation(9)
    G, slot_body = np.zeros((9, 6)), np.zeros(9, np.uint32)
    G[order], slot_body[order] = r.normal(size=(9, 6)), on
    ptr = np.array([0, 2, 4, *[9] * 4, 9], np.uint32)  # body 0; the node of the cable, with which ...
    on[2:4], row[2:4] = (1, 1), (0, 1)  # ... its mesh stands; those of the beam stand with body 2
    on[4:], row[4:] = (2, 4, 5, 2, 5), (2, 2, 3, 1, 4)
    slot_body[order] = on
    weights = r.uniform(1, 2, (BODIES + 1 + TAIL // 6, 6))
    for weigh in (False, True):
        carriers = c._replace(meshes=meshes)
        inverse = np.linalg.inv(scene.M)
        if weigh:
            carriers = weighted(carriers, weights)
            inverse = np.diag(weights[BODIES + 1 :].ravel()[START:TAIL])
        E = np.zeros((5, TAIL))
        for pp in range(2, 9):
            word = WORDS[on[pp] - 1]
            own = (OWN[word][:, None] + np.arange(3)).ravel()
            J = c.nodes.J[on[pp]][:, : len(own)]
            E[row[pp], own] += G[order[pp]] @ J
        # rows of two meshes: each has its part
        parts = [np.where((np.arange(TAIL) < 24) == first, E, 0.0)[:, START:] for first in (True, False)]
        want = sum(part @ inverse @ part.T for part in parts)
        Lx, D, dest = np.zeros(30), np.zeros(5), np.arange(30, dtype=np.uint32)
        args = slot_body, ptr, order.astype(np.uint32), G, dest, row.astype(np.uint32), Lx, D
        absolute.products(carriers, scene.bodies, *args)
        np.testing.assert_allclose(D, np.diag(want), rtol=1e-9, atol=1e-9)
        pairs, t = np.zeros((5, 5)), 1
        for lo, hi in ((2, 4), (4, 9)):
            for p in range(lo, hi):
                for q in range(lo, p):
                    if row[p] != row[q]:
                        pairs[row[p], row[q]] += Lx[t]
                    t += 1
        pairs += pairs.T
        np.testing.assert_allclose(pairs, want - np.diag(np.diag(want)), rtol=1e-9, atol=1e-9)
        assert Lx[0] == 0.0 and not Lx[t:].any()


def test_entries_of_the_mass(scene):
    m = scene.bodies.carriers.meshes
    m = m._replace(mval=np.array([0.5, 2.0]), mpos=np.array([3, 7], np.uint32))
    data = np.ones(9)
    absolute.mass_entries(scene.bodies.carriers._replace(meshes=m), scene.bodies, 0.3, 0, 0, scene.y, scene.y, data)
    np.testing.assert_allclose(data, [1, 1, 1, 1.15, 1, 1, 1, 1.6, 1])
