"""Surfaces of flexible bodies: derivatives, balance, momentum and energy of impacts, what rests and slides, what cannot
be."""

import types

import numpy as np
import pytest
from numba import types as nb
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom._address import address_of, caller
from holonom._handle import make_handle, view_S
from holonom._jit import jit
from holonom.contact.surfaces import columns, kernels, surface_contact, tangents
from holonom.contact.surfaces.look import ask
from holonom.contact.surfaces.skin import LAW
from holonom.elements.frames import make_frames
from holonom.flexible import Material
from holonom.system.port_kernels import TANGENT

RUBBER = Material(1e8, 0.3, 1000.0)
_tangent = caller(nb.none, TANGENT)


@jit
def ask_tangent(address, fr, c, f, ref, u, x, W, D):
    _tangent(address, (c, f, view_S(fr), ref, 0.3, u, x, W, D))


def block(m, name="block", bottom=0.0, side=0.1, counts=(2, 2, 1), contact="z-", **more):
    """A rubber block of 0.1 m height whose bottom lies at a height, its region that may touch."""
    part = m.part(name, 1.0, (1, 1, 1), (0, 0, bottom + 0.05))
    mesh = hn.flexible.box((-side, -side, bottom), (side, side, bottom + 0.1), counts, "hexahedron")
    m.make_flexible(part, mesh, RUBBER, contact=contact, **({"modes": 4} | more))
    return part


#: shape under the block -> how it is made, and where the block's frame lies in its marker so that it is deep in it
SHAPES = {
    "plane": (lambda m: m.plane(m.ground, (0, 0, 0), (0, 0, 1)), (0, 0, 0.045)),
    "sphere": (lambda m: m.sphere(m.ground, (0, 0, -0.5), 0.5), (0.01, 0.02, 0.53)),
    "cylinder": (lambda m: m.cylinder(m.ground, (0, 0, -2), (0, 0, -1), 0.6), (0.01, 0.02, 0.545)),
    "box": (lambda m: m.box(m.ground, (0, 0, -0.1), (2, 2, 0.2)), (0.01, 0.02, 0.145)),
    "ball between nodes": (lambda m: m.sphere(m.ground, (0, 0, -0.03), 0.03), (-0.032, -0.064, 0.044)),
    "extrusion": (
        lambda m: m.extrusion(m.ground, [(-1, -1), (1, -1), (1, 1), (-1, 1)], 0.5, at=(0, 0, -0.5)),
        (0.01, 0.02, 0.545),
    ),
}
FAST = ("plane", "flexible", "dents", "ball between nodes")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(k, marks=() if k in FAST else pytest.mark.slow)
        for k in ("plane", "flexible", "dents", "sphere", "ball between nodes", "cylinder", "box", "extrusion")
    ],
)
@pytest.mark.parametrize("way", surface_contact.WAYS)
def test_taylor_and_balance(name, way):
    """Derivatives of all forces by both frames, their velocities, modes and their rates; action is reaction."""
    rng = np.random.default_rng(1)
    m = hn.Model()
    part = block(m, **(dict(modes=None, accuracy=0.5) if name == "dents" else {}))
    if name == "flexible":
        onto, at = block(m, "floor", -0.1, 0.15, (3, 3, 1), contact="z+"), (0.01, 0.02, 0.095)
    else:
        make, at = SHAPES["plane" if name == "dents" else name]
        onto = make(m)
    e = m.surface_contact(part, onto, mu=0.3, transition=0.5, damping=0.05, way=way)
    handle = surface_contact.tables(e, types.SimpleNamespace(model=m))
    c, f, ref, x = np.array([float(handle.address)]), np.arange(2), np.zeros((2, 3)), np.zeros(0)
    nq = sum(b.modes for b in surface_contact.coordinates(e, m))

    B = Rotation.random(random_state=3)
    A = B * Rotation.from_rotvec([0.01, -0.02, 0.4])
    p = np.zeros((2, 3))
    p[1] = rng.normal(size=3)
    p[0] = p[1] + B.apply(at)
    vw = rng.normal(size=(2, 6))
    u = np.concatenate([1e-5 * rng.normal(size=nq), 1e-2 * rng.normal(size=nq)])

    def frames(d):
        fr = make_frames(np.zeros(2), np.zeros((2, 3)), np.zeros((2, 9)))
        q = d[:12].reshape(2, 6)
        fr.p[:] = p + q[:, :3]
        for k, R in enumerate((A, B)):
            fr.A[k] = (Rotation.from_rotvec(q[k, 3:]) * R).as_matrix().ravel()
        fr.v[:], fr.w[:] = np.split(vw + d[12:24].reshape(2, 6), 2, axis=1)
        return fr

    def force(d):
        W, xd, fr = np.zeros(12), np.zeros(nq + 1), frames(d)
        ask(address_of(kernels.force, LAW), make_handle(fr, (), ()), c, f, ref, 0.3, u + d[24:], x, W, xd)
        rows = slice(handle.W.count[columns.TOUCHING])
        return np.concatenate([W, xd[:nq]]), np.column_stack(
            [handle.W.act[rows], handle.W.res[rows, columns.R_WHICH]]
        ).tolist()

    zero = np.zeros(24 + 2 * nq)
    base, touching = force(zero)
    assert len(touching) > 1
    W = base[:12].reshape(2, 6)
    assert np.abs(W[:, :3].sum(0)).max() < 1e-12 * np.abs(W).max()
    assert np.abs((W[:, 3:] + np.cross(p, W[:, :3])).sum(0)).max() < 1e-12 * np.abs(W).max()
    D = np.zeros((12 + nq, 24 + 2 * nq))
    fr = frames(zero)
    ask_tangent(address_of(tangents.tangent, TANGENT), make_handle(fr, (), ()), c, f, ref, u, x, base[:12].copy(), D)
    # points close together: a longer step brings some into touch, or from one facet to the next
    far, bend = {"ball between nodes": (1e-6, 1e-9), "flexible": (1e-5, 1e-7), "dents": (1e-4, 1e-6)}.get(
        name, (1e-4, 1e-7)
    )
    for size, part in (
        (far, slice(0, 12)),
        (1e-2, slice(12, 24)),
        (bend, slice(24, 24 + nq)),
        (1e-3, slice(24 + nq, None)),
    ):
        d = np.zeros(24 + 2 * nq)
        d[part] = size * rng.normal(size=len(d[part]))
        rest = []
        for h in (1.0, 0.1):
            there, same = force(h * d)
            assert same == touching, (
                part,
                h,
            )  # the same points on the same facets: between facets forces are not smooth
            rest.append(np.linalg.norm(there - base - h * D @ d))
        assert 60.0 < rest[0] / rest[1] < 160.0, (part, rest)


@pytest.mark.parametrize("name", ["plane", "dents", "flexible"])
def test_a_list_finds_what_a_new_search_finds(name):
    """Points are followed in the order of the gaps that they had: along a random walk of both frames and of the modes
    what acts is what new tables find."""
    rng = np.random.default_rng(2)
    m = hn.Model()
    part = block(m, counts=(4, 4, 1), **(dict(modes=None, accuracy=0.5) if name == "dents" else {}))
    flexible = name == "flexible"
    onto = (
        block(m, "floor", -0.1, 0.15, (3, 3, 1), contact="z+") if flexible else m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    )
    e = m.surface_contact(part, onto, way="surface-to-surface")
    kept = surface_contact.tables(e, types.SimpleNamespace(model=m))
    nq = sum(b.modes for b in surface_contact.coordinates(e, m))
    p, turn, q, found = np.array([0.0, 0.0, 0.095 if flexible else 0.045]), np.zeros(3), np.zeros(nq), 0
    home = p.copy()
    for _ in range(40):
        p = home + 0.8 * (p - home) + rng.normal(size=3) * [0.02, 0.02, 0.004]
        turn, q = 0.8 * turn + 0.02 * rng.normal(size=3), 0.8 * q + 2e-5 * rng.normal(size=nq)
        poses = [
            (p, Rotation.from_rotvec(turn).as_matrix(), np.zeros(3), np.zeros(3)),
            (np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3)),
        ]
        u, out = np.concatenate([q, np.zeros(nq)]), []
        for skin in (kept, surface_contact.tables(e, types.SimpleNamespace(model=m))):
            res = skin.at(0.0, poses, u)
            order = np.argsort(skin.W.act[: len(res)])
            out.append((skin.W.act[: len(res)][order], res[order], skin.wrench.copy()))
        assert out[0][0].tolist() == out[1][0].tolist()
        assert np.abs(out[0][2] - out[1][2]).max() <= 1e-8 * np.abs(out[1][2]).max()
        found += len(out[0][0])
    assert found > 100 and kept.W.count[columns.SEARCHES] < 35


def moments(run, *parts):
    """Momentum and moment of momentum about the origin."""
    p = sum(run.part(q).momentum.values for q in parts)
    L = sum(
        run.part(q).angular_momentum.values + np.cross(run.part(q).position.values, run.part(q).momentum.values)
        for q in parts
    )
    return p, L


def total(run):
    d = run.data
    return d.energy_kinetic + d.energy_gravity + d.energy_elastic + d.energy_dissipated - d.energy_input


def test_impact_of_two_blocks_keeps_momentum_and_energy():
    m = hn.Model()
    m.gravity = (0, 0, 0)
    upper, lower = block(m, "upper", 0.0005), block(m, "lower", -0.1, counts=(3, 3, 1), contact="z+")
    upper.vz, upper.vx, upper.wz = -1.0, 0.2, 0.5
    m.surface_contact(upper, lower, mu=0.3, name="hit")
    run = hn.simulate(m, end=0.004, steps=40, integrator="RADAU5", error=1e-6)
    p, L = moments(run, upper, lower)
    force = run.force("hit").force.values
    assert force[:, 2].max() > 1e3 and np.abs(force[-1]).max() == 0.0  # they part
    assert np.abs(p - p[0]).max() < 1e-10 * np.abs(p[0]).max()
    assert np.abs(L - L[0]).max() < 1e-8 * np.abs(L[0]).max()
    assert np.ptp(total(run)) < 1e-4 * run.data.energy_kinetic[0]
    assert run.data.energy_dissipated[-1] > 0.0  # by friction


def test_surfaces_that_sink_into_each_other_are_told():
    m = hn.Model()
    m.gravity = (0, 0, 0)
    upper, lower = block(m, "upper", 0.0005), block(m, "lower", -0.1, counts=(3, 3, 1), contact="z+")
    upper.vz = -10.0
    m.surface_contact(upper, lower, stiffness=1e4)
    with pytest.raises(hn.ModelError, match="deep in each other, more than an edge; raise its stiffness of 1e"):
        hn.simulate(m, end=0.05, steps=10, referee=False)
    with pytest.raises(hn.ModelError, match="passed through.*the contact law acted, but did not stop it"):
        hn.simulate(m, end=0.05, steps=10)


def test_words_of_a_model_and_of_its_text():
    m = hn.Model()
    part = block(m, bottom=0.001)
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    e = m.surface_contact(part, floor, mu=0.2, name="touch")
    assert len(e.nodes) == 9 and e.stiffness > 0.0
    again = hn.Model.from_dict(m.to_dict())
    assert again.table("SURFACE_CONTACT")[e.id] == e
    assert again.table("FLEXIBILITY")[1].region == e.nodes


@pytest.mark.parametrize(
    "words, sentence",
    [
        (dict(region=[]), "has no region that may touch"),
        (dict(region=[1, 999]), "has no node 999"),
        (dict(region=[1, 2]), "no whole triangle of its surface"),
        (dict(mu=-0.1), "mu is -0.1; give zero or a positive number"),
        (dict(way="mortar"), "choose node-to-surface or surface-to-surface"),
        (dict(stiffness=0), "stiffness is 0"),
        (dict(onto_region=[1]), "leave it out for shapes"),
    ],
)
def test_what_cannot_be(words, sentence):
    m = hn.Model()
    part = block(m, bottom=0.001)
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    with pytest.raises(hn.ModelError, match=sentence):
        m.surface_contact(part, floor, **words)
    assert not m.table("SURFACE_CONTACT")


def test_places_that_cannot_be():
    m = hn.Model()
    deep = block(m, bottom=-0.03)
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    with pytest.raises(hn.ModelError, match="overlaps what it is to touch by 0.03 at"):
        m.surface_contact(deep, floor)
    with pytest.raises(hn.ModelError, match="it is rigid and its surface does not give way"):
        m.surface_contact(m.part("stiff", 1.0, (1, 1, 1), (0, 0, 1)), floor)
    with pytest.raises(hn.ModelError, match="does not touch its own shapes"):
        m.surface_contact(deep, m.sphere(deep, (0, 0, 0.02), 0.01))
    for contact, sentence in (
        ("bottom", "no group of that name; it has x-"),
        (lambda x: x[:, 2] > 9.0, "no node is in the region"),
        ([77], "node 77"),
    ):
        with pytest.raises(hn.ModelError, match=sentence):
            block(m, "other", contact=contact)
    inside = hn.flexible.box((0, 0, 1), (1, 1, 2), (2, 2, 2), "hexahedron")
    middle = inside.ids[int(np.linalg.norm(inside.points - (0.5, 0.5, 1.5), axis=1).argmin())]
    part = m.part("inside", 1.0, (1, 1, 1), (0.5, 0.5, 1.5))
    m.make_flexible(part, inside, RUBBER, contact=[middle, 1])
    with pytest.raises(hn.ModelError, match=r"at \(.*\) is not on its surface"):
        m.surface_contact(part, floor)
