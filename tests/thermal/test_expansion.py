"""Thermal deformation against closed forms: free and clamped bodies, gradients, Timoshenko's bimetal, modes."""

import numpy as np
import pytest
from _meshes import box, tube

import holonom as hn
from holonom.flexible import Material, Mesh, reduce
from holonom.thermal import Expansion, join

pytest.importorskip("skfem", reason="scikit-fem is not installed (extra 'flex')")
STEEL = Material(2.1e11, 0.3, 7850.0, conductivity=50.0, specific_heat=460.0, expansion=1.2e-5)
CELL_TYPES = ("tetra", "tetra10", "hexahedron", "hexahedron20", "hexahedron27")


def moved(mesh, seed=0):
    """Turned, and far from the origin."""
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    return Mesh(mesh.points @ turn.T + (10.0, -20.0, 5.0), mesh.cells, mesh.ids, mesh.groups), turn


@pytest.mark.parametrize("kind", CELL_TYPES)
def test_free_body_that_is_heated_evenly(kind):
    """u = alpha dT (x - centre), no stress, no resultant."""
    mesh, _ = moved(box((0.3, 0.1, 0.2), (2, 1, 2), kind))
    body = Expansion(mesh, STEEL, reference=20.0)
    u, load = body.free(70.0), body.load(70.0)
    strain = 1.2e-5 * 50.0
    differences = u - u[0]
    assert differences == pytest.approx(strain * (mesh.points - mesh.points[0]), abs=1e-9 * strain)
    assert np.abs(body.stress(u, 70.0)).max() < 1e-7 * 2.1e11 * strain
    size = np.abs(load).sum()
    assert (
        np.abs(load.sum(0)).max() < 1e-12 * size
        and np.abs(np.cross(mesh.points - mesh.points.mean(0), load).sum(0)).max() < 1e-12 * size
    )


@pytest.mark.parametrize("kind", CELL_TYPES)
def test_gradient_across_a_free_bar(kind):
    """A linear field makes no stress: u_x = a g x y, u_y = a g (y^2 - x^2 - z^2) / 2; the curvature is a g."""
    L, h, g = 1.0, 0.1, 400.0
    mesh = box((L, h, h), (8, 2, 1), kind, origin=(-L / 2, -h / 2, -h / 2))
    bar = Expansion(mesh, STEEL, reference=0.0)
    T = g * mesh.points[:, 1]
    u = bar.free(T)
    x, y, z = mesh.points.T
    exact = 1.2e-5 * g * np.stack([x * y, (y**2 - x**2 - z**2) / 2, y * z], 1)
    exact -= exact.mean(0)
    sag = 1.2e-5 * g * L**2 / 8
    fine = kind in ("tetra10", "hexahedron20", "hexahedron27")
    middle = (np.abs(x) < 1e-9) & (np.abs(y) < 1e-9)
    ends = (np.abs(np.abs(x) - L / 2) < 1e-9) & (np.abs(y) < 1e-9)
    bow = u[middle, 1].mean() - u[ends, 1].mean()
    assert bow == pytest.approx(sag, rel={"tetra": 0.8, "hexahedron": 2e-2}.get(kind, 1e-9))
    if fine:
        assert u - u.mean(0) == pytest.approx(exact, abs=1e-9 * sag)
        assert np.abs(bar.stress(u, T)).max() < 1e-7 * 2.1e11 * 1.2e-5 * g * h


@pytest.mark.parametrize("kind", ["tetra10", "hexahedron", "hexahedron20"])
def test_clamped_bar(kind):
    """Held along its length and free across: -E alpha dT; held all around: -E alpha dT / (1 - 2 nu)."""
    bar = Expansion(box((1.0, 0.1, 0.1), (3, 1, 1), kind), STEEL)
    u = bar.held(120.0, {"x-": "x", "x+": "x", "y-": "y", "z-": "z"})
    stress = bar.stress(u, 120.0)
    assert stress[:, 0] == pytest.approx(-2.1e11 * 1.2e-5 * 100.0, rel=1e-9) and np.abs(stress[:, 1:]).max() < 1.0
    tight = bar.held(120.0, {f"{c}{s}": c for c in "xyz" for s in "-+"})
    assert np.abs(tight).max() < 1e-15 and bar.stress(tight, 120.0)[:, :3] == pytest.approx(
        -2.1e11 * 1.2e-5 * 100.0 / 0.4, rel=1e-9
    )


def test_bimetal():
    """Curvature of two strips after Timoshenko (J. Optical Society of America 11 (1925) 233-255); plain stress across,
    so nu = 0."""
    t1, t2, L = 0.002, 0.003, 0.1
    brass, invar = Material(1.0e11, 0.0, 8500.0, expansion=1.9e-5), Material(1.45e11, 0.0, 8100.0, expansion=1.2e-6)
    low, high = (
        box((L, t1, 0.004), (20, 2, 1), "hexahedron20"),
        box((L, t2, 0.004), (20, 2, 1), "hexahedron20", origin=(0, t1, 0)),
    )
    points, number = np.unique(np.round(np.vstack([low.points, high.points]), 9), axis=0, return_inverse=True)
    cells = np.vstack([low.cells["hexahedron20"], high.cells["hexahedron20"] + len(low.points)])
    n = len(low.cells["hexahedron20"])
    regions = {"brass": {"hexahedron20": np.arange(n)}, "invar": {"hexahedron20": np.arange(n, 2 * n)}}
    strip = Expansion(Mesh(points, {"hexahedron20": number[cells]}, regions=regions), {"brass": brass, "invar": invar})
    u = strip.free(120.0)
    line = (
        (np.abs(points[:, 1] - t1) < 1e-9)
        & (np.abs(points[:, 2]) < 1e-9)
        & (points[:, 0] > 0.2 * L)
        & (points[:, 0] < 0.8 * L)
    )
    curvature = 2.0 * np.polyfit(points[line, 0], u[line, 1], 2)[0]
    m, ratio, h = t1 / t2, 1.0e11 / 1.45e11, t1 + t2
    exact = (
        6.0
        * (1.9e-5 - 1.2e-6)
        * 100.0
        * (1 + m) ** 2
        / (h * (3 * (1 + m) ** 2 + (1 + m * ratio) * (m**2 + 1 / (m * ratio))))
    )
    assert abs(curvature) == pytest.approx(exact, rel=1e-3) and curvature > 0.0  # brass lies below and is longer


def test_tube_with_a_hot_bore():
    """Stresses of a long tube under a radial field (Boley & Weiner 9.10): hoop stress at the bore, ends free, away from
    them."""
    a, b, rise = 0.02, 0.04, 80.0
    mesh = tube(a, b, 0.16, (4, 12, 4))
    body = Expansion(mesh, STEEL, reference=0.0)
    r = np.hypot(*mesh.points[:, :2].T)
    T = rise * np.log(b / r) / np.log(b / a)
    u = body.free(T)
    stress = body.stress(u, T)
    at = int(np.argmin(np.linalg.norm(mesh.points - (a, 0, 0.08), axis=1)))
    hoop = stress[at, 1] if abs(mesh.points[at, 0]) > abs(mesh.points[at, 1]) else stress[at, 0]
    k = 2.1e11 * 1.2e-5 * rise / (2.0 * 0.7 * np.log(b / a))
    exact = k * (1.0 - 2.0 * b**2 / (b**2 - a**2) * np.log(b / a))
    assert hoop == pytest.approx(exact, rel=0.03) and hoop < 0.0


def test_modes_that_hold_the_expansion():
    """With its field among the modes the reduced body rests where the finite elements do, to the last digits; without,
    it does not."""
    mesh, _ = moved(box((1.0, 0.1, 0.1), (4, 1, 1), "hexahedron20"))
    bar = Expansion(mesh, STEEL)
    s = mesh.points - mesh.points.mean(0)
    along, across = np.linalg.svd(s, full_matrices=False)[2][:2]
    fields = [20.0 + 100.0 * (s @ along) ** 2, 20.0 + 300.0 * s @ across, 50.0]
    ends = [int(mesh.ids[mesh.groups[g][0]]) for g in ("x-", "x+")]
    body = bar.reduce(ends, 4, fields=fields)
    plain = bar.reduce(ends, 4)
    assert body.faults() == [] and plain.modes < body.modes <= plain.modes + 3
    rises = [np.broadcast_to(f, len(mesh.points)) - 20.0 for f in fields]
    for T in (*fields, 20.0 + 0.3 * rises[0] - 2.0 * rises[1] + rises[2]):
        exact = bar.free(T)
        u = body.shapes[:, :3] @ bar.coordinates(body, T)
        assert u == pytest.approx(exact, abs=1e-8 * np.abs(exact).max())
        # the stresses of the modes less what is held: those of the finite elements
        q = bar.coordinates(body, T)
        rise = np.broadcast_to(T, len(mesh.points)) - 20.0
        held = bar.elements.expansion(rise)[1]
        assert body.stress @ q + held == pytest.approx(
            bar.stress(exact, T), abs=1e-6 * 2.1e11 * 1.2e-5 * np.abs(rise).max()
        )
    lacking = plain.shapes[:, :3] @ bar.coordinates(plain, 50.0)
    assert np.abs(lacking - bar.free(50.0)).max() > 0.02 * np.abs(bar.free(50.0)).max()
    # reduce itself, by hand
    again = reduce(bar.elements, ends, 4, loads=np.column_stack([bar.load(T)[bar.used].ravel() for T in fields]))
    assert again.frequency == pytest.approx(body.frequency, rel=1e-9)
    with pytest.raises(hn.ModelError, match="loads have the size"):
        reduce(bar.elements, ends, 4, loads=np.ones((5, 1)))


def test_lengths_between_end_faces_follow_from_the_mean():
    """Maysel: whatever the field, the mean way of the ends of a prism is alpha times the integral of dT over its
    section and length; exactly, in any mesh."""
    for kind in ("hexahedron", "tetra", "hexahedron20"):
        mesh = box((0.5, 0.1, 0.2), (4, 2, 2), kind)
        body = Expansion(mesh, STEEL, reference=0.0)
        heat = hn.thermal.Conduction(mesh, STEEL)
        T = np.random.default_rng(3).uniform(0, 100, len(mesh.points))
        u = body.free(T)
        weights = [
            sum(np.bincount(f.nodes.ravel(), f.loads.ravel(), heat.size) for f in heat.faces(g)) for g in ("x-", "x+")
        ]
        way = [(w @ u[:, 0]) / w.sum() for w in weights]
        assert way[1] - way[0] == pytest.approx(1.2e-5 * (heat.volume @ T) / heat.volume.sum() * 0.5, rel=1e-9)


def test_units():
    """Millimetres, newtons, MPa: the same ways in millimetres."""
    one = Expansion(box((0.3, 0.1, 0.1), (2, 1, 1), "hexahedron20"), STEEL)
    mm = Expansion(
        box((300.0, 100.0, 100.0), (2, 1, 1), "hexahedron20"), Material(2.1e5, 0.3, 7.85e-9, expansion=1.2e-5)
    )
    T = 20.0 + 50.0 * np.random.default_rng(0).random(len(one.mesh.points))
    assert mm.free(T) == pytest.approx(1e3 * one.free(T), abs=1e-9)
    assert mm.stress(mm.free(T), T) == pytest.approx(1e-6 * one.stress(one.free(T), T), abs=1e-6)


def test_spiders_hold_what_they_tie():
    """A bar whose ends are tied to rigid spiders: the modes rest where the finite elements do with these faces rigid,
    which along the bar is alpha dT L."""
    mesh = box((0.5, 0.05, 0.05), (4, 1, 1), "hexahedron20")
    bar = Expansion(mesh, STEEL)
    spiders = [hn.flexible.spider(mesh.group(g)) for g in ("x-", "x+")]
    body = bar.reduce(spiders, 4, fields=[70.0])
    q = bar.coordinates(body, 70.0)
    u = body.shapes[[body.place[int(k)] for k in bar.elements.nodes], :3] @ q
    low, high = (u[mesh.groups[g]] for g in ("x-", "x+"))
    assert np.ptp(low, axis=0) == pytest.approx(0.0, abs=1e-12) and np.ptp(high, axis=0) == pytest.approx(
        0.0, abs=1e-12
    )
    # the finite elements with these faces rigid, by elimination
    fe, number = bar.elements, {int(k): i for i, k in enumerate(bar.elements.nodes)}
    faces = [[number[k] for k in mesh.group(g)] for g in ("x-", "x+")]
    loose = np.setdiff1d(np.arange(len(fe.nodes)), np.concatenate(faces))
    T = np.zeros((3 * len(fe.nodes), 3 * len(loose) + 12))
    T[(3 * loose[:, None] + np.arange(3)).ravel(), np.arange(3 * len(loose))] = 1.0
    for k, own in enumerate(faces):
        rows = (3 * np.array(own)[:, None] + np.arange(3)).ravel()
        T[rows, 3 * len(loose) + 6 * k : 3 * len(loose) + 6 * k + 6] = fe.rigid(np.zeros(3))[rows]
    exact = (T @ np.linalg.pinv(T.T @ (fe.K @ T), rcond=1e-11) @ (T.T @ bar.load(70.0)[bar.used].ravel())).reshape(
        -1, 3
    )
    growth = exact[faces[1], 0].mean() - exact[faces[0], 0].mean()
    assert (high - low)[:, 0].mean() == pytest.approx(growth, rel=1e-6)
    # ends that are held across push the bar along: more than alpha dT L
    assert 1.0 < growth / (1.2e-5 * 50.0 * 0.5) < 1.1
    K, f = body.frequency**2, bar.modal_load(body, 70.0)
    more = bar.reduce(spiders, 60, fields=[70.0])
    assert (f**2 / K).sum() == pytest.approx(
        (bar.modal_load(more, 70.0) ** 2 / more.frequency**2).sum(), rel=1e-9
    )  # more modes add nothing


def at_rest(model, **how):
    model.gravity = (0, 0, 0)
    return hn.simulate(model, end=how.pop("end", 2.0), steps=40, integrator="RADAU5", error=1e-8, **how)


def test_part_that_expands_in_a_run():
    """A cantilever whose field rises over a second comes to rest where the finite elements are, seen from its root; a
    joint at its tip goes along."""
    L = 0.5
    mesh = box((L, 0.02, 0.02), (5, 1, 1), "hexahedron20")
    bar = Expansion(mesh, STEEL)
    root, tip = (
        int(mesh.ids[np.argmin(np.linalg.norm(mesh.points - p, axis=1))]) for p in ((0, 0.01, 0), (L, 0.01, 0))
    )
    T = 20.0 + 8.0 + 100.0 * (mesh.points[:, 1] - 0.01)
    body = bar.reduce(
        [root, tip], 4, fields=[T], geometric=False
    )  # whose terms are of second order, a share of the strain
    m = hn.Model("cantilever")
    part = m.part("bar", 1.0, (1, 1, 1), position=(L / 2, 0.01, 0.01))
    m.fixed(part, m.ground, at=(0, 0.01, 0), name="root")
    m.make_flexible(part, body, damping=0.3)
    bar.prestrain(m, part, T, "step(time, 0, 0, 1, 1)", name="heat")
    m.marker_at(part, (L, 0.01, 0), name="tip")
    run = at_rest(m)
    fe, u = bar.elements, bar.free(T)
    k = list(fe.nodes).index(root)
    at, how = fe.motion(k)
    moved = how @ u[bar.used].ravel()[at]
    there = mesh.points[list(mesh.ids).index(tip)] - mesh.points[list(mesh.ids).index(root)]
    exact = u[list(mesh.ids).index(tip)] - moved[:3] - np.cross(moved[3:], there)
    found = run.marker("tip").position.values[-1] - (L, 0.01, 0)
    assert found == pytest.approx(exact, abs=2e-4 * np.abs(exact).max())
    assert exact[0] == pytest.approx(1.2e-5 * 8.0 * L, rel=1e-3) and exact[1] == pytest.approx(
        -1.2e-5 * 100.0 * (L**2 / 2 - 0.05 * L), rel=1e-2
    )  # the root turns as its cell does
    assert np.abs(run.joint("root").force.values[-1]).max() < 1e-6 * 2.1e11 * 1.2e-5 * 80.0 * 4e-4
    q = run.state("FLEXIBILITY_1").values[-1, ::2]
    assert q == pytest.approx(bar.coordinates(body, T), abs=1e-4 * np.abs(q).max())


def test_equilibrium_of_a_part_that_expands():
    """Statics find the coordinates phi^T f / w^2 at once."""
    mesh = box((0.5, 0.02, 0.02), (4, 1, 1), "hexahedron20")
    bar = Expansion(mesh, STEEL)
    T = 20.0 + 8.0 + 100.0 * (mesh.points[:, 1] - 0.01)
    m = hn.Model("cantilever")
    m.gravity = (0, 0, 0)
    part = m.part("bar", 1.0, (1, 1, 1), position=(0.25, 0.01, 0.01))
    m.fixed(part, m.ground, at=(0, 0.01, 0))
    body = bar.reduce([mesh.nearest((0, 0.01, 0))], 4, fields=[T])
    m.make_flexible(part, body)
    bar.prestrain(m, part, T)
    simulation = hn.Simulation(m)
    simulation.statics()
    q = simulation.run().state("FLEXIBILITY_1").values[-1, ::2]
    assert q == pytest.approx(bar.coordinates(body, T), abs=1e-3 * np.abs(q).max()) and np.abs(q).max() > 0.0


def test_free_part_is_not_moved():
    """The expansion of a body that floats leaves its centre of mass and its attitude where they are."""
    mesh, _ = moved(box((0.5, 0.05, 0.02), (3, 1, 1), "hexahedron20"))
    bar = Expansion(mesh, STEEL)
    T = 20.0 + 100.0 * np.random.default_rng(1).random(len(mesh.points))
    m = hn.Model("floating")
    part = m.part("bar", 1.0, (1, 1, 1), position=tuple(mesh.points.mean(0)))
    m.make_flexible(part, bar.reduce((), 4, fields=[T]), damping=0.3)
    bar.prestrain(m, part, T, "step(time, 0, 0, 0.1, 1)")
    run = at_rest(m, end=0.3)
    way = run.part("bar").position.values
    assert np.abs(way - way[0]).max() < 1e-12 and np.abs(run.part("bar").angular_velocity.values[-1]).max() < 1e-9
    with pytest.raises(hn.ModelError, match="it is rigid and does not expand"):
        bar.prestrain(m, m.part("block", 1.0, (1, 1, 1)), T)


def test_told():
    mesh = box((1.0, 0.1, 0.1), (2, 1, 1))
    bar = Expansion(mesh, STEEL)
    other = Expansion(box((1.0, 0.2, 0.1), (2, 1, 1)), STEEL).reduce((), 3)
    for act, words in (
        (lambda: Expansion(mesh, Material(1.0, 0.3, 1.0)), "no expansion; give Material"),
        (
            lambda: bar.free([1.0, 2.0]),
            r"has the shape \(2,\); give one finite number, or one for each of the 12 nodes",
        ),
        (lambda: Expansion(mesh, STEEL, reference="cold"), "reference has the shape"),
        (lambda: bar.held(50.0, {"x-": "x"}), "leave a rigid motion of the body"),
        (lambda: bar.held(50.0, {"x-": "w"}), "components of a support are 'w'"),
        (lambda: bar.held(50.0, {"x": "xyz"}), "no group 'x'; did you mean|no group 'x'; it has"),
        (lambda: bar.stress(np.zeros((3, 3)), 50.0), r"displacements have the shape \(3, 3\)"),
        (lambda: bar.modal_load(other, 50.0), "nodes that are not those of this mesh"),
        (
            lambda: Expansion(join(a=mesh, b=mesh), STEEL),
            r"in 2 pieces that share no nodes \(12, 12 nodes\); expand each as a mesh",
        ),
    ):
        with pytest.raises(hn.ModelError, match=words):
            act()
