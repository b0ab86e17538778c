"""Bodies that are reduced wrongly without notice: mechanisms, cells given twice, cut modes, loads outside of the
shapes, masses in other units, damping."""

import warnings

import numpy as np
import pytest

import holonom as hn

f = hn.flexible
STEEL = f.Material(E=2.1e11, nu=0.3, density=7850.0)
SECTION = f.Section.rectangle(0.02, 0.01)


def bar(**more):
    return f.beam((0, 0, 0), (1, 0, 0), SECTION, E=2.1e11, density=7850.0, y=(0, 1, 0), **more)


def joined(first, second, kind):
    """One mesh of two, with nodes at the same point merged."""
    points = np.vstack([first.points, second.points])
    key, own = np.unique(np.round(points, 9), axis=0, return_inverse=True)
    own, n = own.ravel(), len(first.points)
    return f.Mesh(key, {kind: np.vstack([own[:n][first.cells[kind]], own[n:][second.cells[kind]]])})


@pytest.mark.parametrize("kind", ["hexahedron", "hexahedron20", "tetra", "tetra10"])
@pytest.mark.parametrize("contact", ["edge", "corner"])
@pytest.mark.parametrize("interfaces", [0, 1, 2])
def test_mechanisms_are_refused(kind, contact, interfaces):
    pytest.importorskip("skfem")
    a, b = (
        f.box((0, 0, 0), (1, 1, 1), (1, 1, 1), kind),
        f.box((1, 1, contact == "corner"), (2, 2, 1 + (contact == "corner")), (1, 1, 1), kind),
    )
    mesh = joined(a, b, kind)
    ends = [int(mesh.nearest((0, 0, 0))), int(mesh.nearest((2, 2, 1)))][:interfaces]
    with pytest.raises(hn.ModelError, match="motion without stiffness|rotation"):
        f.reduce(f.solid(mesh, STEEL), ends, 10)


def test_slender_bodies_are_no_mechanisms():
    pytest.importorskip("skfem")
    blade = f.box((0, 0, 0), (1, 0.02, 0.002), (80, 2, 1), "hexahedron20")
    got = f.reduce(f.solid(blade, STEEL), [], 2).frequency[0]
    assert got == pytest.approx(22.3733 * np.sqrt(2.1e11 * 0.002**2 / 12 / 7850.0), rel=5e-3)


def test_cells_given_twice_are_refused():
    pytest.importorskip("skfem")
    mesh = f.box((0, 0, 0), (2, 1, 1), (2, 1, 1), "hexahedron")
    twice = f.Mesh(
        mesh.points, {"hexahedron": np.vstack([mesh.cells["hexahedron"], mesh.cells["hexahedron"][1:, ::-1]])}
    )
    with pytest.raises(hn.ModelError, match="hexahedron 1 and 2 .* are the same cell"):
        f.solid(twice, STEEL)
    sheet = f.plate((0, 0, 0), (1, 0, 0), (0, 1, 0), (2, 1))
    ((kind, table),) = sheet.cells.items()
    with pytest.raises(hn.ModelError, match="are the same cell"):
        f.shell(f.Mesh(sheet.points, {kind: np.vstack([table, table[:1]])}), STEEL, 0.01)


def clamped(body=None, **options):
    m = hn.Model("x")
    m.gravity = (0, 0, 0)
    p = m.part("p", 1.57, (1, 1, 1), position=(0.5, 0, 0))
    m.fixed(p, m.ground, at=(0, 0, 0))
    return m, p, m.make_flexible(p, body or bar(), **options)


CANTILEVER = np.array([3.516, 22.03]) * np.sqrt(2.1e11 * SECTION.Iy / (7850.0 * SECTION.A))


@pytest.mark.parametrize("highest", [None, 3000.0, 200.0, 150.0])
def test_a_highest_frequency_keeps_statics(highest):
    m, _, _ = clamped(modes=20, highest=highest)
    found = np.sort(np.abs(hn.linearize(m).eigenvalues.imag))
    found = found[found > 1.0][::2]
    heights = np.sort(np.array([np.sqrt(2.1e11 / 7850.0 / 12) * h * 3.516 for h in (0.01, 0.02)]))
    assert found[: 1 if highest and highest < 200 else 2] == pytest.approx(
        heights[: 1 if highest and highest < 200 else 2], rel=2e-3
    )


def test_damping_above_critical_by_a_function_alone():
    beta = (
        2 * 0.02 / 52.5
    )  # stiffness-proportional: 2 % of the first mode of the clamped beam, far above 1 of the highest of the free one
    m, _, e = clamped(modes=6, damping=f.rayleigh(0.0, beta))
    assert max(e.damping) > 1.0
    w = hn.linearize(m).eigenvalues
    w = w[w.imag > 1.0]
    first = w[np.abs(w).argmin()]
    assert -first.real / abs(first) == pytest.approx(0.02, rel=2e-3)
    for wrong in (2.0, [0.01] * 5 + [3.0], "much", [0.1, 0.2]):
        with pytest.raises(hn.ModelError, match="damping is"):
            clamped(modes=0, interfaces=[1, 21], damping=wrong)


def test_loads_outside_of_the_shapes():
    """A pressure on a block with few modes: the share that is missing is reported, and loads= brings it in."""
    pytest.importorskip("skfem")

    def block(**options):
        m = hn.Model("b")
        m.gravity = (0, 0, 0)
        p = m.part("p", 1.0, (1, 1, 1), position=(0.5, 0.5, 0.5), euler=(0.3, 0.2, 0.1))
        mesh = f.box((0, 0, 0), (1, 1, 1), (2, 2, 2), "hexahedron")
        e = m.make_flexible(p, mesh, STEEL, modes=4, interfaces=[], **options)
        m.modal_force(p, pressure=1e6)
        return m, e

    energy = lambda m, e: (np.array(m.table("MFORCE")[1].load) ** 2 / e.frequency**2).sum()
    m, e = block(loads=[{"pressure": 1.0}])
    assert not [w for w in m.warnings if "modes lack" in w]
    want = energy(m, e)
    # a uniform pressure strains a block evenly, energy (1 - 2 nu) 3 p^2 V / (2 E), but for how triangles share it among
    # the corners
    assert want == pytest.approx(3 * (1 - 2 * 0.3) * 1e12 / 2.1e11, rel=0.15)
    m, e = block()
    (text,) = [w for w in m.warnings if "modes lack" in w]
    assert (
        float(text.split("lack ")[1].split()[0]) == pytest.approx(1 - energy(m, e) / want, rel=0.02)
        and "loads=" in text
    )
    for wrong in (
        [{"force": 1}],
        [{"pressure": [1, 2]}],
        [{"nodes": {999: (0, 0, 1)}}],
        7,
        [{"nodes": {1: (0, 0, 0, 1, 0, 0)}}],
    ):
        with pytest.raises(hn.ModelError):
            block(loads=wrong)


@pytest.mark.parametrize("units", ["mm", "SI"])
def test_masses_in_consistent_units(units):
    """A steel bar in kg-mm, and one in tonne-mm, in a model in millimetres: first frequencies are those of steel,
    whichever it is, or the user is asked."""
    pytest.importorskip("skfem")

    def first(density, mass=0.157, E=2.1e5, **more):
        m = hn.Model("x", units=units)
        m.gravity = (0, 0, 0)
        k = 1.0 if units == "mm" else 1e-3
        p = m.part("p", mass, (1, 1, 1), position=(50 * k, 10 * k, 5 * k))
        e = m.make_flexible(
            p,
            f.box((0, 0, 0), (100, 20, 10), (4, 1, 1), "hexahedron20"),
            f.Material(E=E, nu=0.3, density=density),
            modes=2,
            **more,
        )
        return e.frequency[0] / (2 * np.pi), p.mass, m.warnings

    if units == "SI":
        got, mass, _ = first(7.85e-9, units="mm, N, s")
        assert got == pytest.approx(5222.8, rel=1e-3) and mass == pytest.approx(0.157)
        return
    for density, more, told in ((7.85e-6, {}, False), (7.85e-9, {}, True), (7.85e-9, {"units": "mm, N, s"}, False)):
        got, mass, warnings = first(density, **more)
        assert got == pytest.approx(5222.8, rel=1e-3) and mass == pytest.approx(0.157)
        assert any("masses of its finite elements are taken in" in w for w in warnings) == told
    with pytest.raises(hn.ModelError, match="unit of length is 'parsec'"):
        first(7.85e-9, units="parsec, N, s")


def test_stresses_of_modal_forces():
    m, p, _ = clamped(modes=6)
    m.modal_force(p, nodes={21: (0, -10.0, 0)})
    m.modal_force(p, load=[0.0] * m.table("FLEXIBILITY")[1].modes)
    run = hn.simulate(m, end=1.0, kind="quasistatics", steps=2)
    with pytest.warns(UserWarning, match="a modal force acts on it"):
        stress = float(run.flexible("p").von_mises(2).values.max())
    assert stress == pytest.approx(10.0 * 0.95 * 0.01 / SECTION.Iz, rel=0.1)


def test_modes_that_are_switched_off_are_missed():
    """A clamped beam without its highest free modes is too stiff at the clamp (62.4 rad/s for 52.5), which is a
    warning; of a free one it is none."""
    _, _, e = clamped(modes=20)
    with pytest.warns(hn.ModelWarning, match="the modes that are off hold .* under a load of node 1"):
        e.select(np.flatnonzero(e.frequency < 3000.0) + 1)
    m = hn.Model("free")
    p = m.part("p", 1.57, (1, 1, 1), position=(0.5, 0, 0))
    e = m.make_flexible(p, bar(), modes=8, interfaces=[])
    with warnings.catch_warnings():
        warnings.simplefilter("error", hn.ModelWarning)
        e.select([1, 2])
