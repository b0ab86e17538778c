"""Flat shells: patch tests, bending in and out of the plane, plates against closed forms and Leissa's tables, MacNeal
and Harder's twisted beam, a roof."""

import numpy as np
import pytest
import scipy.sparse.linalg as sla

import holonom as hn
from holonom.flexible import Material, Mesh, Section, beam, plate, reduce, shell, spider

E, NU, RHO, T = 2.1e11, 0.3, 7850.0, 0.01
STEEL = Material(E, NU, RHO)
CELL_TYPES = ("quad", "triangle")


def skewed(kind):
    """A plate 1.2 x 0.8, turned in space, whose inner nodes are moved; with the axes of its plane."""
    mesh = plate((0, 0, 0), (1.2, 0, 0), (0, 0.8, 0), (3, 3), kind)
    points = mesh.points.copy()
    inner = np.setdiff1d(np.arange(len(points)), np.concatenate(list(mesh.groups.values())))
    points[inner, :2] += np.random.default_rng(0).uniform(-0.1, 0.1, (len(inner), 2))
    axes = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    axes *= np.sign(np.linalg.det(axes))
    return Mesh(points @ axes.T + [3.0, -2.0, 1.0], mesh.cells, groups=mesh.groups), points, axes, inner


@pytest.mark.parametrize("kind", CELL_TYPES)
def test_patch(kind):
    """Constant strains and constant curvatures: exact stresses on both sides, no force on inner nodes; rigid motions
    and the mass."""
    mesh, p, axes, inner = skewed(kind)
    x, y, _ = p.T
    zero = np.zeros_like(x)
    law = E / (1 - NU**2) * np.array([[1, NU, 0], [NU, 1, 0], [0, 0, (1 - NU) / 2]])
    a, b, c, k, l, m = 1e-4, -2e-4, 3e-4, 0.02, -0.03, 0.01
    # w = -(k x^2 + l y^2 + m x y) / 2; rotations w,y and -w,x; drilling: half the curl, zero
    u = np.column_stack([a * x + c / 2 * y, b * y + c / 2 * x, -(k * x**2 + l * y**2 + m * x * y) / 2])
    r = np.column_stack([-(l * y + m / 2 * x), k * x + m / 2 * y, zero])
    d = np.hstack([u @ axes.T, r @ axes.T])
    for side, height in (("top", 0.5), ("bottom", -0.5), ("middle", 0.0)):
        fe = shell(mesh, STEEL, T, side=side)
        s = law @ (np.array([a, b, c]) + height * T * np.array([k, l, m]))
        tensor = axes @ np.array([[s[0], s[2], 0], [s[2], s[1], 0], [0, 0, 0]]) @ axes.T
        want = tensor[[0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]]
        assert fe.stress(d.reshape(-1, 1))[:, :, 0] == pytest.approx(
            np.tile(want, (len(p), 1)), rel=1e-8, abs=1e-8 * np.abs(want).max()
        )
    force = (fe.K @ d.ravel()).reshape(-1, 6)
    assert len(inner) and np.abs(force[inner]).max() < 1e-9 * np.abs(force).max()
    assert np.abs(fe.K @ fe.rigid(np.ones(3))).max() < 1e-10 * abs(fe.K).max()
    total = fe.rigid(p.mean(0)).T @ (fe.M @ fe.rigid(p.mean(0)))
    assert total[0, 0] == pytest.approx(RHO * T * 0.96)


@pytest.mark.parametrize("kind", CELL_TYPES)
@pytest.mark.parametrize("a, b", ((1.0, 1.0), (3.0, 1.0), (1.0, 4.0)))
def test_one_cell_bends_in_its_plane(kind, a, b):
    """Energy of pure bending of a rectangle, of every aspect ratio."""
    fe = shell(plate((0, -b / 2, 0), (a, 0, 0), (0, b, 0), (1, 1), kind), STEEL, T)
    x, y, _ = fe.places.T
    u = np.column_stack([-x * y, x**2 / 2, 0 * x, 0 * x, 0 * x, x]).ravel()
    assert u @ (fe.K @ u) == pytest.approx(E * T * b**3 / 12 * a, rel=1e-9)


@pytest.mark.parametrize("kind", CELL_TYPES)
def test_plates(kind):
    """A square plate of 20 x 20: simply supported, pi^2 (m^2 + n^2), and free, Leissa, J. Sound and Vibration 31 (1973)
    257-293, whose values are upper bounds by Ritz's method with 36 terms."""
    mesh = plate((0, 0, 0), (1, 0, 0), (0, 1, 0), (20, 20), kind)
    fe = shell(mesh, STEEL, T)
    scale = np.sqrt(RHO * T / (E * T**3 / 12 / (1 - NU**2)))
    edge = np.unique(np.concatenate(list(mesh.groups.values())))
    keep = np.setdiff1d((6 * np.arange(441)[:, None] + [2, 3, 4]).ravel(), 6 * edge + 2)
    w = (
        np.sqrt(sla.eigsh(fe.K[keep][:, keep], 3, fe.M[keep][:, keep], sigma=0, v0=np.ones(len(keep)))[0])
        * scale
        / np.pi**2
    )
    assert w == pytest.approx([2, 5, 5], rel=1e-2)
    free = reduce(fe, [], 4, geometric=False).frequency * scale
    leissa = np.array([13.489, 19.789, 24.432, 35.024])
    assert np.all(free < 1.001 * leissa) and np.all(free > 0.99 * leissa)


def deflection(fe, fixed, force):
    free = np.setdiff1d(np.arange(fe.K.shape[0]), fixed)
    u = np.zeros(len(force))
    u[free] = sla.spsolve(fe.K[free][:, free].tocsc(), force[free])
    return u.reshape(-1, 6)


@pytest.mark.parametrize("kind", CELL_TYPES)
def test_twisted_beam(kind):
    """MacNeal and Harder (Finite Elements in Analysis and Design 1 (1985) 3-20): a beam twisted by 90 degrees, cells
    warped: 0.005424 and 0.001754."""
    flat = plate((0, -0.55, 0), (12, 0, 0), (0, 1.1, 0), (24, 4), kind)
    x, y, _ = flat.points.T
    turn = np.pi / 2 * x / 12
    fe = shell(
        Mesh(np.column_stack([x, y * np.cos(turn), y * np.sin(turn)]), flat.cells), Material(29e6, 0.22, 1.0), 0.32
    )
    fixed = (6 * flat.groups["along-"][:, None] + np.arange(6)).ravel()
    end, share = flat.groups["along+"], np.array([1, 2, 2, 2, 1]) / 8
    for axis, exact in ((2, 0.005424), (1, 0.001754)):
        force = np.zeros(6 * len(x))
        force[6 * end + axis] = share
        assert share @ deflection(fe, fixed, force)[end, axis] == pytest.approx(exact, rel=1.2e-2)


def test_roof():
    """Scordelis and Lo's roof, a quarter of it, 16 x 16: the middle of its edge sinks by 0.3024."""
    flat = plate((0, 0, 0), (25, 0, 0), (0, 1, 0), (16, 16))
    angle, z = np.radians(40) * flat.points[:, 1], flat.points[:, 0]
    mesh = Mesh(np.column_stack([25 * np.sin(angle), 25 * np.cos(angle), z]), flat.cells)
    fe = shell(mesh, Material(4.32e8, 1e-9, 360.0), 0.25)
    at = lambda name, freedoms: (6 * flat.groups[name][:, None] + freedoms).ravel()
    fixed = np.unique(np.concatenate([at("along-", [0, 1]), at("along+", [2, 3, 4]), at("across-", [0, 4, 5])]))
    down = np.tile([0.0, -1, 0, 0, 0, 0], len(z))
    u = deflection(fe, fixed, fe.M @ down)
    corner = np.intersect1d(flat.groups["along+"], flat.groups["across+"])[0]
    assert u[corner, 1] == pytest.approx(-0.3024, rel=1e-2)


def test_rotating_blade():
    """A thin blade, held by its root, whose flapping rises with its speed as that of a beam does (nu = 0), and a spider
    that holds it."""
    mesh = plate((0, -0.01, 0), (1, 0, 0), (0, 0.02, 0), (20, 1))
    scale = np.sqrt(RHO * 4e-5 / (E * 0.02 * 0.002**3 / 12))
    blade = shell(mesh, Material(E, 0.0, RHO), 0.002).tied(spider(mesh.group("along-")))
    body = reduce(blade, [blade.spiders[0].id], 8)
    for speed, exact in ((0.0, 3.5160), (4.0, 5.5850)):
        m = hn.Model()
        p = m.part(
            "blade",
            0.314,
            (1, 1, 1),
            position=(0.5, 0, 0),
            velocity=(0, 0.5 * speed / scale, 0),
            angular_velocity=(0, 0, speed / scale),
        )
        m.motion(m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"{speed / scale}*time")
        m.make_flexible(p, body)
        assert not m.warnings
        w = scale * np.abs(hn.linearize(m).eigenvalues.imag)
        assert w.min() == pytest.approx(exact, rel=3e-3)


def test_angle_profile_as_a_beam():
    """Two plates at a right angle, a folded shell: bending of a box profile, against a beam with its section."""
    a, n, k = 0.1, 10, 2
    sheets = [
        plate(c, (1, 0, 0), w, (n, k))
        for c, w in (((0, 0, 0), (0, a, 0)), ((0, a, 0), (0, 0, a)), ((0, a, a), (0, -a, 0)), ((0, 0, a), (0, 0, -a)))
    ]
    points = np.vstack([s.points for s in sheets])
    _, first, own = np.unique(np.round(points, 9), axis=0, return_index=True, return_inverse=True)
    quads = np.vstack([own.ravel()[s.cells["quad"] + i * len(sheets[0].points)] for i, s in enumerate(sheets)])
    fe = shell(Mesh(points[first], {"quad": quads}), STEEL, 0.002)
    A, I = 4 * a * 0.002, 2 / 3 * a**3 * 0.002
    tube = beam((0, 0, 0), (1, 0, 0), Section(A, I, I, a**3 * 0.002, 0.44, 0.44), E=E, density=RHO, elements=20)
    # between rigid ends, so that it keeps its section
    ends = [[i for i, p in zip(fe.nodes, fe.places) if abs(p[0] - x) < 1e-9] for x in (0.0, 1.0)]
    body = reduce(fe.tied(*(spider(e) for e in ends)), [len(fe.nodes) + 1, len(fe.nodes) + 2], 2, geometric=False)
    load = np.array([0, 0, 1.0])
    soft = []
    for b in (body, reduce(tube, [1, 21], 2, geometric=False)):
        p, q = (b.shapes[b.place[int(i)]] for i in b.interfaces)
        L = 1.0
        f = q[:3].T @ load - p[:3].T @ load + p[4] * L  # a force at one end, what holds it at the other
        c = f / b.frequency**2
        soft.append(q[2] @ c - p[2] @ c + p[4] @ c * L)
    assert soft[0] == pytest.approx(soft[1], rel=0.03)


def test_what_cannot_be_says_so():
    mesh = plate((0, 0, 0), (1, 0, 0), (0, 1, 0), (2, 1))
    mesh = Mesh(mesh.points, mesh.cells, regions={"left": {"quad": [0]}, "both": {"quad": [0, 1]}})
    for call, text in (
        (lambda: shell(mesh, STEEL, 0.0), "thickness of a shell is 0.*; give a positive number"),
        (lambda: shell(mesh, STEEL, {"left": 0.1}), r"quad 1 \(from 0\), and 1 in all, have no thickness"),
        (lambda: shell(mesh, STEEL, {"left": 0.1, "both": 0.1}), "quad 0 is in two regions with a thickness"),
        (lambda: shell(mesh, STEEL, {"right": 0.1}), "the mesh has no region 'right'"),
        (lambda: shell(mesh, 2e11, 0.1), "material is .*; give a Material"),
        (lambda: shell(mesh, STEEL, 0.1, side="upper"), "side of a shell is 'upper'; give top, bottom or middle"),
        (
            lambda: shell(hn.flexible.box((0, 0, 0), (1, 1, 1)), STEEL, 0.1),
            "needs cells 'triangle' or 'quad'; the mesh has hexahedron20",
        ),
        (
            lambda: shell(Mesh(np.random.rand(6, 3), {"triangle6": [range(6)]}), STEEL, 0.1),
            "the mesh has triangle6: mesh it with straight ones",
        ),
        (
            lambda: shell(Mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0]], {"triangle": [[0, 1, 2]]}), STEEL, 0.1),
            "the cell at nodes 1, 2, 3 has no area",
        ),
        (lambda: plate((0, 0, 0), (1, 0, 0), (2, 0, 0)), "give two vectors that span it"),
        (
            lambda: plate((0, 0, 0), (1, 0, 0), (0, 1, 0), kind="quad8"),
            "cells of kind 'quad8' are not available for a plate",
        ),
    ):
        with pytest.raises(hn.ModelError, match=text):
            call()
    turned = Mesh(mesh.points, {"quad": [mesh.cells["quad"][0], mesh.cells["quad"][1][::-1]]})
    fe, same = shell(turned, STEEL, 0.1), shell(mesh, STEEL, 0.1)
    u = np.random.default_rng(0).normal(size=(36, 1))
    assert fe.stress(u) == pytest.approx(same.stress(u)) and abs(fe.K - same.K).max() < 1e-9 * abs(fe.K).max()
