"""Conduction against closed forms: steady and transient, all types of cells, contacts, radiation, balances of heat."""

import numpy as np
import pytest
from _meshes import box, tube
from scipy.optimize import brentq
from scipy.special import erfc

import holonom as hn
from holonom.flexible import Material, Mesh
from holonom.thermal import Conduction, cells, join
from holonom.thermal.course import course
from holonom.thermal.solve import _slope

pytest.importorskip("skfem", reason="scikit-fem is not installed (extra 'flex')")
STEEL = Material(2.1e11, 0.3, 7850.0, conductivity=50.0, specific_heat=460.0, expansion=1.2e-5)
DIFFUSIVITY = 50.0 / (7850.0 * 460.0)
SOLIDS = ("tetra", "tetra10", "hexahedron", "hexahedron20", "hexahedron27")


@pytest.mark.parametrize("kind", SOLIDS)
def test_bar_between_two_temperatures(kind):
    """Linear from 100 to 20 degrees, k A dT / L of power, on a bar that lies askew and far from the origin."""
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    mesh = box((1.0, 0.1, 0.2), (3, 2, 2), kind)
    along = mesh.points[:, 0].copy()
    askew = Mesh(mesh.points @ turn.T + 300.0, mesh.cells, (), mesh.groups)
    bar = Conduction(askew, STEEL)
    bar.temperature("x-", 100.0)
    bar.temperature("x+", 20.0)
    T = bar.steady()
    assert T.values[0] == pytest.approx(100.0 - 80.0 * along, abs=1e-8)
    assert T.power("temperature x-")[0] == pytest.approx(80.0, rel=1e-9) and T.power("temperature x+")[
        0
    ] == pytest.approx(-80.0, rel=1e-9)
    assert T.at(turn @ (0.31, 0.05, 0.11) + 300.0)[0] == pytest.approx(100.0 - 80.0 * 0.31, abs=1e-8)
    assert T.audit().ok() and bar.area("x-") == pytest.approx(0.02) and bar.volume.sum() == pytest.approx(0.02)


def test_matrices_are_those_of_scikit_fem():
    """Conductivity and capacity of tetrahedra next to scikit-fem's own assembly, which knows nothing of ours."""
    from skfem import Basis, ElementTetP1, MeshTet
    from skfem.models.poisson import laplace, mass

    mesh = box((1.0, 0.7, 0.4), (3, 2, 2), "tetra")
    points = mesh.points + 0.03 * np.random.default_rng(0).normal(size=mesh.points.shape)
    heat = Conduction(Mesh(points, mesh.cells), STEEL)
    basis = Basis(MeshTet(points.T.copy(), mesh.cells["tetra"].T.copy()), ElementTetP1())
    assert abs(heat.conductivity - 50.0 * laplace.assemble(basis)).max() < 1e-12
    assert abs(heat.capacity - 7850.0 * 460.0 * mass.assemble(basis)).max() < 1e-8
    lumped = Conduction(Mesh(points, mesh.cells), STEEL, lumped=True).capacity
    assert lumped.sum() == pytest.approx(heat.capacity.sum()) and lumped.nnz == heat.size


def test_fin():
    """cosh m (L - x) / cosh m L with an insulated tip, m^2 = h P / (k A); thin, so that one dimension is enough."""
    L, side, h = 0.1, 1e-3, 40.0
    fin = Conduction(box((L, side, side), (20, 1, 1), "hexahedron20"), STEEL)
    fin.temperature("x-", 90.0)
    for face in ("y-", "y+", "z-", "z+"):
        fin.convection(face, h, 20.0)
    T = fin.steady()
    m = np.sqrt(h * 4.0 * side / (50.0 * side**2))
    x = fin.mesh.points[:, 0]
    assert T.values[0] == pytest.approx(20.0 + 70.0 * np.cosh(m * (L - x)) / np.cosh(m * L), abs=0.02)
    assert T.power("temperature x-")[0] == pytest.approx(
        np.sqrt(h * 4.0 * side * 50.0 * side**2) * 70.0 * np.tanh(m * L), rel=1e-3
    )
    assert T.audit().ok()


def test_wall_with_generation():
    """T - T_wall = s (L^2 - x^2) / (2 k), exact with quadratic cells at all nodes."""
    wall = Conduction(box((0.05, 0.01, 0.01), (4, 1, 1), "tetra10"), STEEL)
    wall.generate(2e6, name="oven")
    wall.temperature("x+", 30.0)
    x, T = wall.mesh.points[:, 0], wall.steady()
    assert T.values[0] == pytest.approx(30.0 + 2e6 * (0.05**2 - x**2) / 100.0, abs=1e-9)
    assert T.power("oven")[0] == pytest.approx(2e6 * 5e-6, rel=1e-12)
    half = Conduction(box((0.05, 0.01, 0.01), (4, 1, 1)), STEEL)
    half.generate(2e6, lambda p: p[:, 0] < 0.0251)
    half.temperature("x+", 30.0)
    assert half.steady().power("temperature x+")[0] == pytest.approx(-2e6 * 0.025 * 1e-4, rel=1e-9)


def test_cylinder():
    """Radial: logarithm; with generation: Carslaw & Jaeger 7.2 for a hollow cylinder, bore insulated."""
    a, b = 0.02, 0.05
    ring = Conduction(tube(a, b, 0.01, (6, 24, 1)), STEEL)
    ring.temperature("bore", 80.0)
    ring.temperature("surface", 20.0)
    T, r = ring.steady(), np.hypot(*ring.mesh.points[:, :2].T)
    assert T.values[0] == pytest.approx(20.0 + 60.0 * np.log(b / r) / np.log(b / a), abs=0.02)
    assert T.power("temperature bore")[0] == pytest.approx(2.0 * np.pi * 50.0 * 0.01 * 60.0 / np.log(b / a), rel=2e-4)
    hot = Conduction(tube(a, b, 0.01, (6, 24, 1)), STEEL)
    hot.generate(1e6)
    hot.convection("surface", 200.0, 20.0)
    surface = 20.0 + 1e6 * (b**2 - a**2) / (2.0 * b * 200.0)
    assert hot.steady().values[0] == pytest.approx(
        surface + 1e6 / 200.0 * (b**2 - r**2) - 1e6 * a**2 / 100.0 * np.log(b / r), rel=2e-4
    )


@pytest.mark.parametrize("method", ["TR-BDF2", "theta"])
@pytest.mark.parametrize("lumped", [False, True])
def test_slab_in_a_fluid(method, lumped):
    """Series of Carslaw & Jaeger 3.11: roots of b tan b = Bi."""
    L, h = 0.05, 1000.0
    slab = Conduction(box((L, 0.01, 0.01), (16, 1, 1), "hexahedron"), STEEL, lumped=lumped)
    slab.convection("x+", h, 20.0)
    end = 0.8 * L**2 / DIFFUSIVITY
    T = slab.transient(end, 80, start=100.0, method=method, error=1e-3)
    Bi = h * L / 50.0
    b = np.array(
        [brentq(lambda z: z * np.sin(z) - Bi * np.cos(z), k * np.pi + 1e-9, (k + 0.5) * np.pi) for k in range(40)]
    )
    c = 4.0 * np.sin(b) / (2.0 * b + np.sin(2.0 * b))
    late = 24 if method == "theta" else 8  # Crank and Nicolson's rule rings after a jump
    for x in (0.0, 0.025, 0.05):
        exact = 20.0 + 80.0 * (c * np.cos(b * x / L) * np.exp(-(b**2) * DIFFUSIVITY * T.time[late:, None] / L**2)).sum(
            1
        )
        assert T.at((x, 0.005, 0.005))[late:] == pytest.approx(exact, abs=0.12)
    assert T.audit().ok(1e-10) and T.audit(7).ok(1e-10)


def test_half_space_after_a_jump():
    """erfc(x / 2 sqrt(a t)) under a temperature that jumps, and 2 q sqrt(a t / pi) / k at a surface with a flux, before
    the far end knows."""
    body = Conduction(box((0.2, 0.01, 0.01), (80, 1, 1), "hexahedron"), STEEL)
    body.temperature("x-", 100.0)
    T = body.transient(100.0, 10, start=0.0, error=1e-3)
    x = body.mesh.points[:, 0]
    for t, row in list(zip(T.time, T.values))[3:]:
        assert row == pytest.approx(100.0 * erfc(x / np.sqrt(4.0 * DIFFUSIVITY * t)), abs=0.15)
    balance = T.audit()
    assert balance.ok() and balance.heat["temperature x-"] == pytest.approx(
        1e-4 * 50.0 * 100.0 * 2.0 * np.sqrt(100.0 / (np.pi * DIFFUSIVITY)), rel=2e-3
    )
    heated = Conduction(body.mesh, STEEL)
    heated.flux("x-", 5e4)
    T = heated.transient(100.0, 10, start=20.0, error=1e-3)
    assert T.at((0, 0, 0))[2:] == pytest.approx(
        20.0 + 2.0 * 5e4 / 50.0 * np.sqrt(DIFFUSIVITY * T.time[2:] / np.pi), rel=2e-3
    )


def test_lumped_body():
    """A body of small Biot number: exp(-h A t / (rho c V)); a sinusoidal ambient: amplitude and lag of a first-order
    lag."""
    side, h = 0.01, 5.0
    cube = Conduction(box((side,) * 3, (2, 2, 2)), STEEL)
    cube.convection(None, h, 20.0)
    rate = h * 6.0 / (7850.0 * 460.0 * side)
    T = cube.transient(2.0 / rate, 10, start=120.0, error=1e-4)
    assert T.mean() == pytest.approx(20.0 + 100.0 * np.exp(-rate * T.time), abs=0.1)
    wave = Conduction(cube.mesh, STEEL)
    wave.convection(None, h, f"20 + 10*sin({rate}*time)")
    T = wave.transient(12.0 / rate, 60, start=20.0, error=1e-3)
    t = rate * T.time
    assert T.mean() == pytest.approx(20.0 + 5.0 * (np.sin(t) - np.cos(t) + np.exp(-t)), abs=0.02)
    assert T.power("convection")[-1] == pytest.approx(
        h * 6.0 * side**2 * (20.0 + 10.0 * np.sin(t[-1]) - T.mean(lambda p: p[:, 0] > -1)[-1]), rel=1e-9
    )


@pytest.mark.parametrize(
    "kinds, counts, close",
    [
        (("hexahedron20", "hexahedron20"), (3, 3, 2), 1e-9),
        (("hexahedron20", "tetra"), (3, 2, 5), 1e-4),
        (("tetra10", "hexahedron"), (3, 2, 5), 1e-4),
    ],
)
def test_two_slabs_in_contact(kinds, counts, close):
    """Resistances in a row: L1 / k1 + 1 / g + L2 / k2; exact where meshes match, and near it where they do not and
    cells are of other kinds."""
    copper = Material(1.2e11, 0.3, 8900.0, conductivity=380.0, specific_heat=390.0)
    first = box((0.03, 0.02, 0.02), (2, 3, 2), kinds[0])
    second = box((0.05, 0.02, 0.02), counts, kinds[1], origin=(0.03, 0, 0))
    both = Conduction(join(one=first, other=second), {"one": STEEL, "other": copper})
    both.temperature("one.x-", 100.0)
    both.temperature("other.x+", 20.0)
    both.contact("one.x+", "other.x-", 3000.0, name="joint")
    T = both.steady()
    q = 80.0 / (0.03 / 50.0 + 1.0 / 3000.0 + 0.05 / 380.0)
    assert T.power("temperature one.x-")[0] == pytest.approx(q * 4e-4, rel=close)
    assert T.power("joint")[0] == pytest.approx(-T.power("temperature one.x-")[0], rel=1e-9)
    assert T.mean("one.x+")[0] - T.mean("other.x-")[0] == pytest.approx(q / 3000.0, rel=close)
    assert T.audit().ok() and "joint" in T.audit().inside
    linked = Conduction(both.mesh, {"one": STEEL, "other": copper})
    linked.temperature("one.x-", 100.0)
    linked.temperature("other.x+", 20.0)
    linked.link("one.x+", "other.x-", 3000.0 * 4e-4)
    assert linked.steady().power("temperature one.x-")[0] == pytest.approx(
        q * 4e-4, rel=5e-3
    )  # of means: no longer uniform


def test_contact_of_curved_faces():
    """A ring in a ring: resistances of both and of the joint, with faces that are cut otherwise."""
    inner, outer = tube(0.01, 0.02, 0.01, (4, 24, 1)), tube(0.02, 0.04, 0.01, (4, 36, 2))
    rings = Conduction(join(inner=inner, outer=outer), STEEL)
    rings.temperature("inner.bore", 60.0)
    rings.convection("outer.surface", 500.0, 20.0)
    rings.contact("inner.surface", "outer.bore", 2000.0)
    per_length = (
        np.log(2.0) / (2.0 * np.pi * 50.0) * 2
        + 1.0 / (2000.0 * 2.0 * np.pi * 0.02)
        + 1.0 / (500.0 * 2.0 * np.pi * 0.04)
    )
    T = rings.steady()
    assert T.power("temperature inner.bore")[0] == pytest.approx(0.01 * 40.0 / per_length, rel=2e-3)
    assert T.audit().ok()


@pytest.mark.parametrize("zero", [0.0, -273.15])
def test_radiation(zero):
    """A plate in vacuum: what is generated is radiated; and the cooling of a small body, by the integral of 1 / (T^4 -
    Ta^4)."""
    ambient, sigma = 300.0 + zero, 5.670374419e-8
    plate = Conduction(box((0.1, 0.1, 0.01), (2, 2, 1)), STEEL)
    plate.radiation(None, 0.8, ambient, zero=zero)
    plate.generate(1e6)
    T = plate.steady()
    area = 2 * 0.1 * 0.1 + 4 * 0.1 * 0.01
    hot = ((1e6 * 1e-4) / (0.8 * sigma * area) + 300.0**4) ** 0.25 + zero
    assert T.mean()[0] == pytest.approx(hot, abs=2.0) and T.power("radiation")[0] == pytest.approx(-100.0, rel=1e-9)
    ball = Conduction(box((0.01,) * 3, (1, 1, 1)), STEEL)
    ball.radiation(None, 0.8, ambient, zero=zero)
    T = ball.transient(2000.0, 10, start=900.0 + zero, error=1e-3)
    from scipy.integrate import solve_ivp

    rate = 0.8 * sigma * 6.0 / (7850.0 * 460.0 * 0.01)
    exact = (
        solve_ivp(lambda t, y: -rate * (y**4 - 300.0**4), (0, 2000.0), [900.0], t_eval=T.time, rtol=1e-10, atol=1e-8).y[
            0
        ]
        + zero
    )
    assert T.mean() == pytest.approx(exact, abs=1.0) and T.audit().ok()


def test_conductivity_that_changes():
    """Kirchhoff: int k dT is linear along a bar; k = 40 + 0.1 T."""
    table = [(0.0, 40.0), (1000.0, 140.0)]
    bar = Conduction(box((1.0, 0.1, 0.1), (10, 1, 1), "hexahedron20"), STEEL, conductivity=table)
    bar.temperature("x-", 500.0)
    bar.temperature("x+", 0.0)
    T, x = bar.steady(), bar.mesh.points[:, 0]
    theta = (40.0 * 500.0 + 0.05 * 500.0**2) * (1.0 - x)
    assert T.values[0] == pytest.approx((-40.0 + np.sqrt(1600.0 + 0.2 * theta)) / 0.1, abs=0.02)
    assert (
        T.power("temperature x-")[0] == pytest.approx(0.01 * (40.0 * 500.0 + 0.05 * 500.0**2), rel=1e-6)
        and T.audit().ok()
    )
    assert bar.transient(100.0, 4, start=250.0).audit().ok()


def test_course_of_a_table():
    """Straight between its times, constant outside."""
    function, steady = course([(0.0, 1.0), (2.0, 5.0), (3.0, 4.0)], "a film")
    assert [function(t) for t in (-1.0, 1.0, 2.5, 9.0)] == [1.0, 3.0, 4.5, 4.0] and not steady
    with pytest.raises(hn.ModelError, match="times of its table must rise"):
        course([(0.0, 1.0), (0.0, 5.0)], "a film")


def test_points_among_many_cells():
    """Shape functions of the cell that holds a point give the point back."""
    block = Conduction(box((1.0, 1.0, 0.2), (12, 12, 2)), STEEL)
    for point in np.random.default_rng(4).uniform(0.01, [0.99, 0.99, 0.19], (20, 3)):
        nodes, weights = block.locate(point)
        assert weights @ block.mesh.points[nodes] == pytest.approx(point, abs=1e-12)
        assert np.ptp(block.mesh.points[nodes], axis=0) == pytest.approx([1 / 12, 1 / 12, 0.1])


def test_slope_of_a_table():
    """Of three pieces, constant outside."""
    table = np.array([(0.0, 1.0), (1.0, 2.0), (3.0, 8.0), (4.0, 6.0)])
    at = np.array([-1.0, 0.0, 0.5, 1.0, 2.9, 3.5, 4.0, 9.0])
    assert _slope(table, at).tolist() == [0.0, 1.0, 1.0, 3.0, 3.0, -2.0, 0.0, 0.0]
    assert not _slope(table[:1], at).any()


@pytest.mark.parametrize("d", [2, 3])
def test_nearest_position_in_a_simplex(d):
    """No position of it is nearer: the way to any corner does not lead towards the point outside."""
    points = np.random.default_rng(d).normal(0.25, 0.5, (300, d))
    found = cells._inside(points, True)
    assert (found >= 0.0).all() and (found.sum(axis=1) <= 1.0 + 1e-14).all()
    for corner in np.vstack([np.zeros(d), np.eye(d)]):
        assert (((points - found) * (corner - found)).sum(axis=1) < 1e-13).all()
    inside = (points >= 0.0).all(axis=1) & (points.sum(axis=1) <= 1.0)
    assert 5 < inside.sum() < 200 and (found[inside] == points[inside]).all()


@pytest.mark.parametrize(
    "kind, order", [("hexahedron", 2), ("tetra", 2), ("hexahedron20", 3), ("tetra10", 3), ("hexahedron27", 3)]
)
def test_convergence(kind, order):
    """L2 error of sin(x) sinh(y) + z, harmonic, held on the boundary: h^(p + 1)."""
    exact = lambda p: np.sin(3 * p[..., 0]) * np.sinh(3 * p[..., 1]) + p[..., 2]
    errors = []
    for n in (2, 4):
        heat = Conduction(box((1.0, 1.0, 0.5), (n, n, n), kind), STEEL)
        rim = np.unique(np.concatenate([heat.nodes(f"{a}{s}") for a in "xyz" for s in "-+"]))
        inner = np.setdiff1d(np.arange(heat.size), rim)
        T = exact(heat.mesh.points)
        K = heat.conductivity
        T[inner] = np.linalg.solve(K[inner][:, inner].toarray(), -K[inner][:, rim] @ T[rim])
        each = heat._integrals[kind]
        errors.append(np.sqrt((each.weights * (T[each.nodes] @ each.N.T - exact(each.at)) ** 2).sum()))
    assert np.log2(errors[0] / errors[1]) > order - 0.4


def test_order_in_time():
    """Halving of a fixed step: 4 of Crank and Nicolson, 2 of Euler; the adaptive method keeps what it was requested."""

    def run(**how):
        slab = Conduction(box((0.05, 0.01, 0.01), (4, 1, 1)), STEEL)
        slab.convection("x+", 1000.0, "20 + 30*sin(0.1*time)")
        return slab.transient(start=20.0, **how)

    exact = run(times=[0.0, 40.0], error=1e-7).values[-1]
    for theta, order in ((0.5, 2), (1.0, 1)):
        errors = [
            np.abs(run(end=40.0, steps=n, method="theta", theta=theta).values[-1] - exact).max() for n in (20, 40)
        ]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)
    coarse, fine = (run(end=40.0, steps=1, error=e) for e in (1e-1, 1e-4))
    assert np.abs(coarse.values[-1] - exact).max() < 0.2 and np.abs(fine.values[-1] - exact).max() < 1e-3
    assert fine.counters["steps"] > 4 * coarse.counters["steps"]


def test_modes():
    """Rates of a slab held on one side, ((2 k - 1) pi / 2 L)^2 a; and the body in a few of them next to the whole."""
    L = 0.05
    slab = Conduction(box((L, 0.01, 0.01), (24, 1, 1), "hexahedron20"), STEEL)
    slab.temperature("x-", "20 + 20*sin(0.05*time)")
    slab.flux("x+", 3e4)
    modes = slab.modes(12)
    assert modes.rate[:4] == pytest.approx(
        [((2 * k + 1) * np.pi / (2 * L)) ** 2 * DIFFUSIVITY for k in range(4)], rel=2e-4
    )
    whole, few = slab.transient(120.0, 60, start=20.0, error=1e-3), modes.transient(120.0, 60, start=20.0)
    assert few.values[5:] == pytest.approx(whole.values[5:], abs=0.05)
    assert modes.time_constants[0] == pytest.approx(1.0 / modes.rate[0])


def test_sheet():
    """A plate of triangles and squares with a thickness conducts as the solid does."""
    for kind in ("quad", "quad9", "triangle6"):
        solid = box(
            (1.0, 0.2, 0.1), (4, 2, 1), {"quad": "hexahedron", "quad9": "hexahedron27", "triangle6": "tetra10"}[kind]
        )
        faces = cells.boundary(solid.cells)[kind]
        flat = Mesh(solid.points, {kind: faces[np.isin(faces, solid.groups["z-"]).all(1)]}, (), solid.groups)
        sheet = Conduction(flat, STEEL, thickness=0.003)
        sheet.temperature("x-", 100.0)
        sheet.temperature("x+", 0.0)
        T = sheet.steady()
        assert T.power("temperature x-")[0] == pytest.approx(50.0 * 0.2 * 0.003 * 100.0)
        assert sheet.volume.sum() == pytest.approx(1.0 * 0.2 * 0.003) and T.audit().ok()
        assert np.isfinite(T.values).all()


def test_point_source_and_shared_edges():
    bar = Conduction(box((1.0, 0.1, 0.1), (5, 1, 1)), STEEL)
    bar.source((0.5, 0.04, 0.07), 25.0)
    bar.temperature("x-", 10.0)
    T = bar.steady()
    assert T.power("temperature x-")[0] == pytest.approx(-25.0) and T.mean("x+")[0] == pytest.approx(
        10.0 + 25.0 * 0.5 / (50.0 * 0.01), rel=1e-3
    )
    plate = Conduction(box((1.0, 1.0, 0.1), (4, 4, 1)), STEEL)
    plate.temperature("x-", 10.0)
    plate.temperature("y-", 50.0)
    corner = np.intersect1d(plate.nodes("x-"), plate.nodes("y-"))
    assert (plate.steady().values[0][corner] == 50.0).all()


def test_units_of_millimetres():
    """The same bar in mm, mW, t / mm^3, mJ / (t K): the same temperatures, power in mW."""
    answers = []
    for unit, power, film in ((1.0, 1.0, 25.0), (1e3, 1e3, 25.0 * 1e-3)):
        mass = 1e-3 if unit > 1 else 1.0
        one = Material(2.1e11, 0.3, 7850.0 * mass / unit**3, 50.0 * power / unit, 460.0 * power / mass)
        bar = Conduction(box((unit, 0.1 * unit, 0.1 * unit), (4, 1, 1)), one)
        bar.temperature("x-", 100.0)
        bar.convection("x+", film, 20.0)
        T = bar.transient(3000.0, 5, start=20.0)
        answers.append((T.values, T.power("temperature x-") / power))
    assert answers[0][0] == pytest.approx(answers[1][0], rel=1e-8) and answers[0][1] == pytest.approx(
        answers[1][1], rel=1e-7
    )


def test_pictures(tmp_path):
    """A picture has the colours of what is hot and cold; a position leaves the rest out."""
    from matplotlib.image import imread

    bar = Conduction(box((1.0, 0.2, 0.2), (6, 2, 2), "tetra10"), STEEL)
    bar.temperature("x-", 100.0)
    bar.temperature("x+", 20.0)
    T = bar.steady()
    drawn = T.picture(tmp_path / "bar.png")
    assert len(drawn.get_array()) == 4 * sum(len(f) for f in bar._boundary.values())
    image = imread(tmp_path / "bar.png")[..., :3]
    assert (image < 0.2).all(2).mean() > 1e-3 and (
        (image[..., 0] > 0.9) & (image[..., 2] < 0.5)
    ).mean() > 1e-3  # black and yellow of inferno
    assert len(T.picture(where="z+", displacement=0.01 * bar.mesh.points).get_array()) == 4 * 24


def test_results():
    bar = Conduction(box((1.0, 0.1, 0.1), (4, 1, 1)), STEEL)
    bar.temperature("x-", 100.0, name="furnace")
    T = bar.transient(1000.0, 4, start=20.0)
    data = T.to_xarray()
    assert data["temperature"].sel(node=1).values == pytest.approx(T.node(1)) and list(data["condition"].values) == [
        "furnace"
    ]
    assert T.largest("x+")[-1] == T.values[-1][bar.nodes("x+")].max()
    with pytest.raises(hn.ModelError, match="did you mean 'furnace'"):
        T.power("furnac")
    with pytest.raises(hn.ModelError, match="no node 4711"):
        T.node(4711)
    with pytest.raises(hn.ModelError, match="lies .* outside of the mesh"):
        T.at((2.0, 0, 0))


def rotor(conductance=2.0):
    """Two bodies between which a link alone brings heat."""
    mesh = join(shaft=tube(0.01, 0.02, 0.05, (1, 8, 2)), housing=tube(0.03, 0.04, 0.05, (1, 8, 2)))
    heat = Conduction(mesh, STEEL)
    heat.heat("shaft.bore", 30.0)
    heat.link("shaft.surface", "housing.bore", conductance, name="balls")
    heat.convection("housing.surface", 200.0, 20.0)
    return heat


def test_links():
    """All heat passes: the difference of the means is P / G; over time, in modes, and with conjugate gradients in place
    of a factor."""
    from holonom.thermal import solve

    heat = rotor()
    T = heat.steady()
    assert T.mean("shaft.surface")[0] - T.mean("housing.bore")[0] == pytest.approx(15.0, rel=1e-9)
    assert T.power("balls")[0] == pytest.approx(-30.0, rel=1e-9) and T.audit().ok()
    # the slowest mode is that of two lumps: C1 T1' = -G (T1 - T2), C2 T2' = G (T1 - T2) - h A T2
    C1, C2 = (
        STEEL.density * STEEL.specific_heat * np.pi * 0.05 * (b**2 - a**2) for a, b in ((0.01, 0.02), (0.03, 0.04))
    )
    hA = 200.0 * 2 * np.pi * 0.04 * 0.05
    lumps = np.linalg.eigvals([[2.0 / C1, -2.0 / C1], [-2.0 / C2, (2.0 + hA) / C2]]).min()
    assert heat.modes(3).rate[0] == pytest.approx(lumps, rel=0.03)
    whole = heat.transient(600.0, 6, start=20.0, error=1e-3)
    assert (
        heat.modes(30).transient(600.0, 6, start=20.0).values == pytest.approx(whole.values, abs=0.1)
        and whole.audit().ok()
    )
    changing = rotor("2 + sin(0.01*time)")
    with pytest.raises(hn.ModelError, match="conductances that change in time"):
        changing.modes(3)
    pulsing = changing.transient(600.0, 6, start=20.0)
    assert pulsing.audit().ok() and not np.allclose(pulsing.values, whole.values, atol=0.1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solve, "LARGE", 10)
        assert heat.steady().values == pytest.approx(T.values, abs=1e-7)
        assert heat.transient(600.0, 6, start=20.0, error=1e-3).values == pytest.approx(whole.values, abs=1e-5)
        patch.setattr(solve, "MOST", 2)  # none converges: a factor after all
        assert heat.steady().values == pytest.approx(T.values, abs=1e-7)


def test_regions_and_joined_meshes():
    mesh = box((1.0, 0.1, 0.1), (4, 1, 1))
    half = Mesh(
        mesh.points,
        mesh.cells,
        (),
        mesh.groups,
        {"hot": {"hexahedron": np.arange(2)}, "cold": {"hexahedron": np.arange(2, 4)}},
    )
    both = join(a=box((1.0, 0.1, 0.1), (2, 1, 1), origin=(0, 1.0, 0)), b=half)
    assert both.regions["b.hot"]["hexahedron"].tolist() == [2, 3]
    heat = Conduction(both, {"a": STEEL, "b.hot": STEEL, "b.cold": Material(1.0, 0.3, 1.0, conductivity=5.0)})
    heat.generate(1e4, "b.hot")
    heat.temperature("a.x-", 0.0)
    heat.temperature("b.x+", 0.0)
    T = heat.steady()
    assert T.power("temperature b.x+")[0] == pytest.approx(-1e4 * 0.005) and T.power("temperature a.x-")[
        0
    ] == pytest.approx(0.0, abs=1e-12)
    assert T.mean("b.x-")[0] == pytest.approx(1e4 * 0.5 * (0.5 / 5.0 + 0.25 / 50.0), rel=2e-2)


def test_bodies_that_are_all_free_or_all_held():
    insulated = Conduction(box((1.0, 0.1, 0.1), (3, 1, 1)), STEEL)
    insulated.heat("x-", 100.0)
    T = insulated.transient(1000.0, 4, start=20.0)
    assert T.mean() - 20.0 == pytest.approx(100.0 * T.time / (7850.0 * 460.0 * 0.01)) and T.audit().ok()
    driven = Conduction(insulated.mesh, STEEL)
    driven.temperature(None, "20 + time")
    T = driven.transient(10.0, 2, start=20.0)
    assert (
        (T.values[-1] == 30.0).all()
        and T.audit().stored == pytest.approx(7850.0 * 460.0 * 0.01 * 10.0)
        and T.audit().ok()
    )


def test_without_scikit_fem(monkeypatch):
    import sys

    from holonom.flexible import cells as solids

    monkeypatch.setitem(sys.modules, "skfem", None)
    cells.quadrature.cache_clear()
    solids.rule.cache_clear()
    with pytest.raises(hn.ModelError, match=r"holonom\[flex\]"):
        Conduction(box((1.0, 0.1, 0.1), (1, 1, 1)), STEEL)
