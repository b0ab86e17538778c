"""Bodies of finite elements that are to touch, and their coordinates of nodes and modes: closed forms, SciPy on the
matrices, bad input."""

import numpy as np
import pytest
import scipy.linalg as la

import holonom as hn
from holonom.flexible import Material, Mesh, mixed
from holonom.flexible.mixed.coordinates import inertia_relief

pytest.importorskip("skfem")
STEEL = Material(2.1e11, 0.3, 7850.0)
BRASS = Material(1.0e11, 0.34, 8500.0)
LENGTH, RADIUS = 0.2, 0.01


@pytest.fixture(scope="module")
def bar():
    across, along = np.linspace(0, RADIUS, 5), mixed.graded(1e-3, LENGTH, 1.5, 8e-3, even=3)
    return mixed.axisymmetric(mixed.bar(RADIUS, LENGTH, across, along), BRASS, name="bar")


@pytest.fixture(scope="module")
def block():
    return mixed.space(hn.flexible.box((0, 0, 0), (0.1, 0.02, 0.02), (6, 2, 2), "hexahedron"), STEEL, name="block")


def test_mass_and_strains_of_revolution(bar):
    """The mass of the cylinder; under uniform pressure all around e_r = e_t = -(1 - 2 nu) p / E, and no force on inner
    nodes."""
    assert bar.mass == pytest.approx(8500 * np.pi * RADIUS**2 * LENGTH, rel=1e-12)
    squeeze = bar.places * np.array([-1e-4, -1e-4])
    force = (bar.K @ squeeze.ravel()).reshape(-1, 2)
    inner = np.setdiff1d(np.arange(len(bar.places)), bar.skin)
    inner = inner[bar.places[inner, 0] > 0]
    assert np.abs(force[inner]).max() < 1e-9 * np.abs(force).max()
    pressure = 1e-4 * 1e11 / (1 - 2 * 0.34)
    assert force[bar.groups["back"], 1].sum() == pytest.approx(-pressure * np.pi * RADIUS**2, rel=1e-12)


@pytest.mark.parametrize("state, modulus", [("stress", 2.1e11), ("strain", 2.1e11 / (1 - 0.09))])
def test_plane_states(state, modulus):
    sheet = mixed.plane(mixed.grid([0, 1, 2.5], [0, 0.5, 1]), STEEL, thickness=0.02, state=state)
    u = sheet.places * np.array([1e-5, -1e-5 * (0.3 if state == "stress" else 0.3 / 0.7)])
    force = (sheet.K @ u.ravel()).reshape(-1, 2)
    assert force[sheet.groups["x+"], 0].sum() == pytest.approx(modulus * 1e-5 * 0.02, rel=1e-12)
    assert np.abs(force[:, 1]).max() < 1e-9 * np.abs(force).max()
    assert sheet.mass == pytest.approx(7850 * 2.5 * 0.02)


def test_modes_of_the_free_bar(bar):
    """n c / 2 L."""
    w = bar.modal(3).frequencies
    assert w / 2 / np.pi == pytest.approx(np.sqrt(1e11 / 8500) / 2 / LENGTH * np.array([1, 2, 3]), rel=0.02)


def test_mixed_coordinates_against_the_matrices(bar):
    """Frequencies with the nodes held, by SciPy on the full matrices; statics of a force on a kept node exact; few
    modes, true low frequencies."""
    start = int(bar.groups["end"][0])
    nodes = bar.region("end", start, 2, 1)
    c = bar.kept(nodes, 6)
    assert c.size == 3 + 6 and c.kind == "mixed"
    free = np.flatnonzero(~bar.held)
    rest = np.setdiff1d(free, (2 * nodes[:, None] + np.arange(2)).ravel())
    K, M = bar.K.toarray(), bar.M.toarray()
    exact = np.sqrt(la.eigh(K[np.ix_(rest, rest)], M[np.ix_(rest, rest)], eigvals_only=True, subset_by_index=[0, 5]))
    assert c.frequencies == pytest.approx(exact, rel=1e-8)
    # against its own inertia: exact in statics next to what inertia bends, which modes hold
    f = np.zeros(len(bar.held))
    f[2 * start + 1] = 1.0
    u = inertia_relief(bar)(f)
    many = bar.kept(nodes, 40)
    q = la.lstsq(many.K, many.T.T @ (f - bar.M @ bar.rigid()[:, 0] / bar.mass))[0]
    tip, back = 2 * start + 1, 2 * int(bar.groups["back"][0]) + 1
    small = many.T @ q
    assert small[tip] - small[back] == pytest.approx(u[tip] - u[back], rel=1e-4)
    w = np.sqrt(np.abs(la.eigh(c.K, c.M, eigvals_only=True)))
    assert w[0] < 1e-3 * w[1] and w[1:3] == pytest.approx(bar.modal(2).frequencies, rel=1e-3)


def test_held_and_static(bar):
    """A bar held at its back under a pull: F L / E A."""
    held = bar.hold("back")
    assert held.rigid().shape[1] == 0
    f = np.zeros(len(bar.held))
    x = bar.places[bar.groups["end"], 0]
    weight = np.interp(x, x, x)  # int N r over even edges: r of the node, and less at the rim and on the axis
    weight[0], weight[-1] = x[1] / 6, x[-1] / 2 - x[1] / 6
    f[2 * bar.groups["end"] + 1] = weight / weight.sum()
    u = inertia_relief(held)(f)
    assert u[2 * bar.groups["end"] + 1].mean() == pytest.approx(LENGTH / 1e11 / (np.pi * RADIUS**2), rel=1e-2)


def test_one_node_in_space_leaves_rotations(block):
    """Three degrees of freedom of a node do not give how the body turns: those motions come in addition to the
    modes."""
    c = block.kept([0], 25)
    assert c.size == 3 + 3 + 25
    v = np.cross([1.0, 2.0, 3.0], block.places - 5.0) + [1, 2, 3]
    assert c.displacements(c.fit(v)) == pytest.approx(v, abs=1e-9)
    w = np.sqrt(np.abs(la.eigh(c.K, c.M, eigvals_only=True)))
    assert (w[:6] < 1e-4 * w[6]).all()
    assert w[6] == pytest.approx(block.modal(1).frequencies[0], rel=2e-3)


def test_regions_by_rings_and_layers(bar):
    start = int(bar.groups["end"][0])
    nodes = bar.region("end", start, 3, 2)
    r, z = np.unique(bar.places[:, 0]), np.unique(bar.places[:, 1])
    assert sorted(map(tuple, bar.places[nodes])) == sorted((a, b) for a in r[:3] for b in z[:2])


def test_other_units_and_places():
    """Millimetres, tonnes, seconds, and a kilometre away: the same coordinates."""
    out = []
    for scale, stuff, at in ((1.0, BRASS, 0.0), (1e3, Material(1.0e5, 0.34, 8.5e-9), 1e6)):
        mesh = mixed.bar(
            RADIUS * scale, LENGTH * scale, scale * np.linspace(0, RADIUS, 4), scale * np.linspace(0, LENGTH, 12)
        )
        body = mixed.axisymmetric(mesh, stuff).moved((0, at))
        out.append(body.kept("end", 3).frequencies)
    assert out[0] == pytest.approx(out[1], rel=1e-6)


def without_rigid(c):
    return mixed.Coordinates(c.body, c.T[:, 1:], c.free, c.K[1:, 1:], c.M[1:, 1:], c.nodes, c.frequencies, c.kind)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda b: b.region("end", 0, 0), "rings"),
        (lambda b: b.kept([10**6], 1), "has no node 1000000"),
        (lambda b: b.kept([0.5], 1), "give a group"),
        (lambda b: b.kept("ned", 1), "has no group 'ned'"),
        (lambda b: b.kept([0], -1), "whole number from 0"),
        (lambda b: b.kept([0], 10**6), "it has"),
        (lambda b: b.kept(b.skin, True), "modes of mixed coordinates are True"),
        (lambda b: b.on_surface([int(np.setdiff1d(np.arange(len(b.places)), b.skin)[-1])]), "is not on its surface"),
        (lambda b: b.moved((1.0, 0.0)), "across its axis"),
        (lambda b: b.hold("back", "x"), "give some of r, z"),
        (lambda b: b.hold(lambda p: p[:, 0] > 0, "rz").kept(lambda p: p[:, 0] > 0.009, 1), "all kept nodes"),
        (lambda b: b.nodes(lambda p: 3), "booleans"),
        (lambda b: without_rigid(b.modal(1)).fit(np.tile([0.0, 1.0], (len(b.places), 1))), "a rigid motion is missing"),
    ],
)
def test_bad_bodies(bar, make, words):
    with pytest.raises(hn.ModelError, match=words):
        make(bar)


def test_bad_meshes():
    good = mixed.grid([0, 1], [0, 1])
    turned = Mesh(good.points, {"quad": good.cells["quad"][:, ::-1]})
    for make, words in (
        (lambda: mixed.axisymmetric(turned, STEEL), "inside out or folded"),
        (lambda: mixed.plane(Mesh(good.points - [2, 0, 0], good.cells), STEEL, thickness=-1), "thickness"),
        (lambda: mixed.axisymmetric(Mesh(good.points - [2, 0, 0], good.cells), STEEL), "radius -2"),
        (lambda: mixed.axisymmetric(hn.flexible.box((0, 0, 0), (1, 1, 1)), STEEL), "mesh of quadrilaterals"),
        (lambda: mixed.plane(good, "steel"), "give a holonom.flexible.Material"),
        (lambda: mixed.plane(good, STEEL, state="stretch"), "strain or stress"),
        (lambda: mixed.plane(good, STEEL, mass="none"), "lumped or consistent"),
        (lambda: mixed.grid([0, 0], [0, 1]), "rising"),
        (lambda: mixed.bar(1.0, 3.0, [0, 1], [0, 3], end=0.5), "sharper"),
        (lambda: mixed.bar(1.0, 3.0, [0, 2], [0, 3]), "rising numbers from 0 to 1"),
        (lambda: mixed.graded(2.0, 1.0), "shorter first step"),
    ):
        with pytest.raises(hn.ModelError, match=words):
            make()
    pieces = Mesh(
        np.vstack([good.points, good.points + [5, 0, 0]]),
        {"quad": np.vstack([good.cells["quad"], good.cells["quad"] + 4])},
    )
    with pytest.raises(hn.ModelError, match="falls apart"):
        mixed.plane(pieces, STEEL).kept([0, 1], 1)
