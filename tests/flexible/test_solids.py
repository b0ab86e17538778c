"""Finite elements of solids: patch tests, closed forms, the matrices of Abaqus, stiffness by stress, and meshes that
cannot be."""

from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from _public_data import NEEDS
from holonom.flexible import Material, Mesh, Section, beam, box, read_abaqus, reduce, solid
from holonom.flexible.mesh_makers import CELL_TYPES

pytest.importorskip("skfem")
BLOCK = Path(__file__).parents[3] / "shared/data/fe/block"
E, NU, RHO = 2.1e11, 0.3, 7850.0
STEEL = Material(E, NU, RHO)
GRADIENT = np.random.default_rng(0).normal(size=(3, 3))
VOIGT = ([0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0])


def law(gradient):
    e = 0.5 * (gradient + gradient.T)
    return E * NU / (1 + NU) / (1 - 2 * NU) * np.trace(e) * np.eye(3) + E / (1 + NU) * e


def skewed(kind, counts=(2, 2, 2)):
    """A block whose inner nodes, and those between, are moved: faces stay flat, edges straight."""
    mesh = box((0, 0, 0), (1.0, 0.8, 0.6), counts, "hexahedron" if kind.startswith("hexa") else "tetra")
    inner = np.all((mesh.points > 1e-9) & (mesh.points < np.array([1.0, 0.8, 0.6]) - 1e-9), axis=1)
    points = mesh.points.copy()
    points[inner] += np.random.default_rng(1).uniform(-0.08, 0.08, (inner.sum(), 3))
    if kind in ("hexahedron", "tetra"):
        return Mesh(points, mesh.cells)
    from holonom.flexible import cells, mesh_makers

    table = next(iter(mesh.cells.values()))
    edges = cells.TETRA_EDGES if kind == "tetra10" else cells.HEXAHEDRON_EDGES
    between = lambda a, b: 0.5 * (a + b)
    return mesh_makers._with_middles(points, table, edges, kind, between)


@pytest.mark.parametrize(
    "kind, way",
    [(k, "full") for k in ("hexahedron", "hexahedron20", "tetra", "tetra10")]
    + [("hexahedron", "incompatible"), ("hexahedron", "dilatation")],
)
def test_patch(kind, way):
    """A linear field of displacements: its stresses everywhere, no force on inner nodes; rigid motions without force;
    the mass of the volume."""
    fe = solid(skewed(kind), STEEL, hexahedra=way)
    u = fe.places @ GRADIENT.T
    stress = fe.stress(u.reshape(-1, 1))[:, :, 0]
    assert stress == pytest.approx(np.tile(law(GRADIENT)[VOIGT], (len(stress), 1)), rel=1e-9, abs=1e-9 * E)
    force = (fe.K @ u.ravel()).reshape(-1, 3)
    inner = np.setdiff1d(np.arange(len(force)), np.unique(fe.faces))
    assert len(inner) and np.abs(force[inner]).max() < 1e-10 * np.abs(force).max()
    assert np.abs(fe.K @ fe.rigid(np.ones(3))).max() < 1e-10 * abs(fe.K).max()
    R = fe.rigid(np.zeros(3))
    assert (R.T @ (fe.M @ R))[0, 0] == pytest.approx(RHO * 0.48, rel=1e-12)
    assert np.linalg.eigvalsh(fe.K.toarray())[6] > 1e-4 * abs(fe.K).max()


@pytest.mark.parametrize(
    "file, kind, options",
    (("C3D10", "tetra10", {}), ("C3D8", "hexahedron", {"hexahedra": "dilatation", "mass": "lumped"})),
)
def test_matrices_of_abaqus(file, kind, options):
    """Stiffness and mass of two blocks that Abaqus wrote (steel of E = 2e11, nu = 0.3, 2900 kg/m^3), to the digits that
    it prints."""
    path = BLOCK / f"block{file}.inp"
    if not path.exists():
        pytest.skip(f"{NEEDS}: {path} is absent")
    pytest.importorskip("meshio")
    theirs = read_abaqus(path)
    ours = solid(Mesh.read(path), Material(2e11, 0.3, 2900.0), **options)
    assert ours.nodes == theirs.nodes and np.array_equal(ours.places, theirs.places)
    assert abs(ours.K - theirs.K).max() < 1e-13 * abs(theirs.K).max()
    assert abs(ours.M - theirs.M).max() < 2e-8 * abs(theirs.M).max()


@pytest.mark.parametrize(
    "kind, mass",
    [(k, "consistent") for k in ("hexahedron", "hexahedron20", "hexahedron27", "tetra10")]
    + [("hexahedron", "lumped"), ("tetra10", "lumped")],
)
def test_free_bar(kind, mass):
    """Bending of a free bar in two planes, L / h = 25 and 50, against Timoshenko beams, which differ by less than 1e-3
    from finer meshes."""
    fe = solid(
        box((0, 0, 0), (1, 0.04, 0.02), (20, 2, 2) if kind == "hexahedron" else (16, 1, 1), kind), STEEL, mass=mass
    )
    w = reduce(fe, [], 4).frequency
    exact = reduce(
        beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.04, 0.02, shear=True), E=E, density=RHO, elements=40), [], 4
    ).frequency
    assert w[:2] == pytest.approx(exact[:2], rel=1e-2 if kind == "hexahedron" else 5e-3 if mass == "lumped" else 3e-3)


def test_full_hexahedra_lock():
    mesh = box((0, 0, 0), (1, 0.04, 0.02), (16, 2, 2), "hexahedron")
    w = {way: reduce(solid(mesh, STEEL, hexahedra=way), [], 1).frequency[0] for way in ("incompatible", "full")}
    assert w["full"] > 1.5 * w["incompatible"]


def test_stresses_of_bending():
    """Pure bending of a bar of quadratic cells: M y / I at every node."""
    for kind in ("hexahedron20", "hexahedron27", "tetra10"):
        fe = solid(box((0, -0.05, -0.1), (1, 0.05, 0.1), (4, 1, 2), kind), Material(E, 0.0, RHO))
        x, y, z = fe.places.T
        u = 1e-3 * np.column_stack([x * z, 0 * y, -0.5 * x**2])
        stress = fe.stress(u.reshape(-1, 1))[:, :, 0]
        assert stress[:, 0] == pytest.approx(1e-3 * E * z, abs=1e-9 * E) and np.abs(stress[:, 1:]).max() < 1e-9 * E


def test_stiffness_by_stress():
    """A pulled bar and a deflection x^2: N int w'^2 dx and the turning of its sections; the same after many calls."""
    for kind in CELL_TYPES[:4]:
        fe = solid(box((0, -0.01, -0.005), (1, 0.01, 0.005), (10, 2, 2), kind), STEEL)
        x, y, z = fe.places.T
        pull = 1e-3 * np.column_stack([x, -NU * y, -NU * z])
        shape = np.column_stack([-2 * x * z, 0 * x, x**2]).ravel()
        if kind in ("tetra", "hexahedron"):
            continue  # x^2 is not among their shapes
        for _ in range(2):
            Kg = fe.geometric(pull.ravel())
            assert abs(Kg - Kg.T).max() < 1e-12 * abs(Kg).max()
            assert shape @ (Kg @ shape) == pytest.approx(1e-3 * E * 2e-4 * (4 / 3 + 4 * (0.01**2 / 12)), rel=1e-9)


def test_tables_of_a_spun_bar_are_those_of_a_beam():
    """Stiffening by spins and by a force on an end: solid and beam of the same bar."""
    bar = reduce(beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.02, 0.01), E=E, density=RHO, y=(0, 1, 0)), [1], 8)
    mesh = box((0, -0.01, -0.005), (1, 0.01, 0.005), (20, 2, 2), "hexahedron20")
    fe = solid(mesh, STEEL)
    own = reduce(fe, [mesh.nearest((0, 0, 0))], 4)
    for k in range(3):
        assert own.frequency[k] == pytest.approx(bar.frequency[k], rel=1e-2)
        for a in range(3):
            assert own.S[1 + k, 1 + k, a, a] == pytest.approx(bar.S[1 + k, 1 + k, a, a], rel=1e-2, abs=5e-3)
        assert own.bends[0][0][k, k] == pytest.approx(bar.bends[0][0][k, k], rel=1e-2)
    assert own.stress.shape == (len(own.nodes), 6, own.modes) and len(own.faces)


def test_regions_of_materials():
    mesh = box((0, 0, 0), (2, 1, 1), (2, 1, 1), "hexahedron20")
    mesh = Mesh(
        mesh.points,
        mesh.cells,
        regions={"left": {"hexahedron20": [0]}, "right": {"hexahedron20": [1]}, "all": {"hexahedron20": [0, 1]}},
    )
    light = Material(7e10, 0.33, 2700.0)
    fe = solid(mesh, {"left": STEEL, "right": light})
    u = np.zeros((len(fe.nodes), 3))
    u[:, 0] = 1.0
    assert u.ravel() @ (fe.M @ u.ravel()) == pytest.approx(7850.0 + 2700.0)
    with pytest.raises(hn.ModelError, match="no region 'middle'; it has left, right, all"):
        solid(mesh, {"middle": STEEL})
    with pytest.raises(hn.ModelError, match=r"hexahedron20 1 \(from 0\), and 1 in all, have no material"):
        solid(mesh, {"left": STEEL})
    with pytest.raises(hn.ModelError, match="hexahedron20 0 is in two regions with a material, 'all' and 'left'"):
        solid(mesh, {"left": STEEL, "all": light})


def test_a_mesh_on_a_part():
    """A cantilever of a mesh: weight and frequency; units of millimetres, and far from the origin."""
    found = []
    for unit, place in ((1.0, 0.0), (1e3, 5e3)):
        m = hn.Model()
        if unit != 1.0:
            m.units.length = "MILLIMETER"
        at = lambda *p, unit=unit, place=place: tuple(unit * v + place for v in p)
        p = m.part("bar", 3.0, (1, 1, 1), position=at(0.5, 0, 0))
        m.fixed(p, m.ground, at=at(0, 0, 0))
        mesh = box(at(0, -0.02, -0.01), at(1, 0.02, 0.01), (20, 2, 2))
        m.make_flexible(p, mesh, Material(E * (1.0 if unit == 1.0 else 1e-6), NU, RHO / unit**3), modes=4)
        found.append(np.sort(np.abs(hn.linearize(m).eigenvalues.imag))[0])
        assert p.mass == pytest.approx(RHO * 8e-4)
        assert "its mass was 3 and is 6.28 now" in m.warnings[0]
    exact = 1.875104**2 * np.sqrt(E * 0.04 * 0.02**3 / 12 / (RHO * 8e-4))
    assert found[0] == pytest.approx(exact, rel=0.1)  # the clamp is on the nodes around one
    assert found[1] == pytest.approx(found[0], rel=1e-6)


def test_units_that_do_not_fit_are_told():
    """A mesh in millimetres on a part in metres; a density in kg/mm^3."""
    for factor, density in ((1e3, RHO), (1.0, 1e-9 * RHO)):
        m = hn.Model()
        p = m.part("bar", 6.28, (1, 1, 1), position=(0.5, 0, 0))
        m.revolute(p, m.ground, at=(0.9, 0, 0), axis=(0, 0, 1))
        shift = 2.0 * factor if factor > 1.0 else 0.0
        mesh = box((shift, -0.02 * factor, -0.01 * factor), (shift + factor, 0.02 * factor, 0.01 * factor), (4, 1, 1))
        m.make_flexible(p, mesh, Material(E, NU, density), modes=2)
        assert any("do density and lengths fit the units of the model (KILOGRAM, METER)?" in w for w in m.warnings)
        assert any("do their position and unit of length fit the part?" in w for w in m.warnings) == (factor > 1.0)


def test_packages_that_are_absent(monkeypatch):
    import importlib.util
    import sys

    from holonom.flexible import cells, mesh_surface

    monkeypatch.setitem(sys.modules, "skfem", None)
    cells.rule.cache_clear()
    with pytest.raises(hn.ModelError, match=r"need scikit-fem; install holonom\[flex\]"):
        solid(box((0, 0, 0), (1, 1, 1)), STEEL)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(hn.ModelError, match=r"need gmsh; install holonom\[mesh\]"):
        block = box((0, 0, 0), (1, 1, 1), (1, 1, 1), "tetra")
        mesh_surface(block.points[cells.triangles(cells.boundary(block.cells))])


def test_what_cannot_be_says_so():
    mesh = box((0, 0, 0), (1, 1, 1), (2, 1, 1), "hexahedron")
    table = mesh.cells["hexahedron"].copy()
    table[1] = table[1][[4, 5, 6, 7, 0, 1, 2, 3]]
    with pytest.raises(
        hn.ModelError,
        match=r"hexahedron 1 \(from 0; corners at nodes .*\) is inside out; fix the mesh or the order of its nodes",
    ):
        solid(Mesh(mesh.points, {"hexahedron": table}), STEEL)
    points = mesh.points.copy()
    points[:, 2] = 0.0
    with pytest.raises(hn.ModelError, match="hexahedron 0 .* has no volume, as are 1 more"):
        solid(Mesh(points, mesh.cells), STEEL)
    points = mesh.points.copy()
    points[table[0][6]] = points[table[0][0]] - 0.5
    with pytest.raises(hn.ModelError, match="is folded over itself"):
        solid(Mesh(points, {"hexahedron": mesh.cells["hexahedron"][:1]}), STEEL)
    with pytest.raises(hn.ModelError, match="needs cells with volume .* the mesh has quad"):
        solid(Mesh(mesh.points, {"quad": [[0, 1, 2, 3]]}), STEEL)
    with pytest.raises(hn.ModelError, match="mass of a solid is 'lump'; give consistent or lumped"):
        solid(mesh, STEEL, mass="lump")
    with pytest.raises(hn.ModelError, match="material is 'steel'; give a Material"):
        solid(mesh, "steel")
    apart = Mesh(
        np.vstack([mesh.points, mesh.points + [3, 0, 0]]),
        {"hexahedron": np.vstack([mesh.cells["hexahedron"], mesh.cells["hexahedron"] + 12])},
    )
    with pytest.raises(hn.ModelError, match="it is in 2 pieces that no element joins: .*node 1 and .*node 13"):
        reduce(solid(apart, STEEL), [], 4)
    m = hn.Model()
    p = m.part("p", 1.0, (1, 1, 1))
    with pytest.raises(hn.ModelError, match="a mesh has no stiffness without a material"):
        m.make_flexible(p, mesh)
    with pytest.raises(hn.ModelError, match="the elements have theirs already"):
        m.make_flexible(p, solid(mesh, STEEL), STEEL)
    with pytest.raises(hn.ModelError, match="there is no node 99"):
        m.make_flexible(p, mesh, STEEL, interfaces=[99])
