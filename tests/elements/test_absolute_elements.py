"""Absolute nodal elements on their own: derivatives, rigid motions, patch tests, closed forms and published numbers,
assembled with SciPy."""

from types import SimpleNamespace

import numpy as np
import pytest
from absolute_meshes import cantilever, clamp, classic_stiffness, line, of, sheet, turning
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.elements.absolute import conforming_plate, planar_beam, spatial_beam, thick_plate, thin_plate
from holonom.elements.absolute.assembly import Assembly
from holonom.elements.absolute.lumping import unity
from holonom.elements.absolute.materials import Linear, MooneyRivlin

STEEL = Linear(2.07e11, 0.3)
SOFT = Linear(100.0, 0.3, 2.0, tau=0.1)
RUBBER = MooneyRivlin(10.0, 3.0, 500.0, 2.0)
SECTION = hn.flexible.Section.rectangle(0.3, 0.2, shear=True)
#: name -> kind, one element as drawn (nodes, PER_NODE), properties
CASES = {
    f"{kind.WHAT} {form} {type(material).__name__}": (kind, line(kind, 1, 2.0)[0], properties)
    for kind, form, material, properties in [
        *[
            (planar_beam, f, SOFT, planar_beam.properties(0.3, 0.2, SOFT, formulation=f))
            for f in planar_beam.FORMULATIONS
        ],
        (
            planar_beam,
            "continuum",
            RUBBER,
            planar_beam.properties(0.3, 0.2, RUBBER, formulation="continuum", plane="strain"),
        ),
        *[
            (spatial_beam, f, m, spatial_beam.properties(SECTION, m, formulation=f, sides=(0.3, 0.2)))
            for f, m in [*[(f, SOFT) for f in spatial_beam.FORMULATIONS], ("continuum", RUBBER)]
        ],
    ]
}
for _kind in (thin_plate, conforming_plate, thick_plate):
    _q, _cells, _ = sheet(_kind, [0.0, 2.0], [0.0, 1.0], (0.96, 0.28), (0.28, 0.96))
    CASES[_kind.WHAT] = (_kind, _q[_cells[0]], _kind.properties(0.1, SOFT))


def numbers(kind, data, q, v):
    n = len(q)
    f, K, C = np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
    kind.forces(data, 0, q, v, f)
    kind.stiffness(data, 0, q, v, K, C)
    return f, K, C


@pytest.mark.parametrize("name", CASES)
def test_forces_and_matrices_are_derivatives(name):
    """Central differences of energy and forces, moving and at rest; what dampers take is their force times velocity."""
    kind, q, properties = CASES[name]
    rng = np.random.default_rng(1)
    data, n, h = kind.rows(q.ravel(), properties), q.size, 1e-6
    q = q.ravel() + 0.1 * rng.standard_normal(n)
    v, d = rng.standard_normal((2, n))
    f, K, C = numbers(kind, data, q, v)
    at = lambda q, v: numbers(kind, data, q, v)[0]
    assert np.abs((at(q + h * d, v) - at(q - h * d, v)) / (2 * h) + K @ d).max() < 3e-8 * np.abs(K @ d).max()
    damped = properties[-1] > 0.0
    assert np.abs((at(q, v + h * d) - at(q, v - h * d)) / (2 * h) + C @ d).max() < 3e-8 * max(
        np.abs(C @ d).max(), damped and 1.0, 1e-12
    )
    assert damped == (np.abs(C).max() > 0.0)
    still = at(q, 0 * v)
    energy = lambda q: kind.energies(data, 0, q, 0 * v)[0]
    assert (energy(q + h * d) - energy(q - h * d)) / (2 * h) == pytest.approx(-still @ d, rel=1e-7)
    power = kind.energies(data, 0, q, v)[1]
    assert power == pytest.approx((f - still) @ v, rel=1e-9, abs=1e-12) and (power < 0.0) == damped
    still_K = numbers(kind, data, q, 0 * v)[1]
    assert np.abs(still_K - still_K.T).max() < 1e-12 * np.abs(still_K).max()


@pytest.mark.parametrize("name", CASES)
def test_rigid_motions_cost_nothing_and_nothing_else_does(name):
    """Large rotations and moves leave no energy and no force; the stiffness as drawn has the rigid motions and no other
    null directions."""
    kind, q, properties = CASES[name]
    plane = kind is planar_beam
    turn = Rotation.from_rotvec([0, 0, 2.5] if plane else [1.0, 2.0, -0.7]).as_matrix()
    data = kind.rows(q.ravel(), properties)
    vectors = q.reshape(-1, 3) @ turn.T
    vectors[:: kind.PER_NODE // 3] += [30.0, -20.0, 0.0 if plane else 10.0]
    size = np.abs(numbers(kind, data, q.ravel(), np.zeros(q.size))[1]).max()
    f, _, _ = numbers(kind, data, vectors.ravel(), np.zeros(q.size))
    assert np.abs(f).max() < 1e-12 * size * 30.0
    assert abs(kind.energies(data, 0, vectors.ravel(), np.zeros(q.size))[0]) < 1e-13 * size
    K = numbers(kind, data, q.ravel(), np.zeros(q.size))[1]
    if plane:
        inside = [i for i in range(q.size) if i % 3 != 2]
        K = K[np.ix_(inside, inside)]
    values = np.linalg.eigvalsh(K)
    rigid = 3 if plane else 6
    assert np.abs(values[:rigid]).max() < 1e-11 * values[-1] < 1e-6 * values[rigid]


@pytest.mark.parametrize("name", CASES)
def test_gradients_in_units_of_a_length_and_masses(name):
    """A mesh with gradients times a length is the same mesh; mass moves with it and knows its moment of inertia."""
    kind, q, properties = CASES[name]
    unit = 0.25
    per = kind.PER_NODE // 3
    own = [1.0, unit, unit, unit**2 if kind is conforming_plate else unit][:per]
    scale = np.repeat(np.tile(own, kind.NODES), 3)
    rng = np.random.default_rng(2)
    a, b = kind.rows(q.ravel(), properties), kind.rows(q.ravel() * scale, properties, unit)
    x = q.ravel() + 0.1 * rng.standard_normal(q.size)
    zero = np.zeros(q.size)
    assert kind.energies(b, 0, x * scale, zero)[0] == pytest.approx(kind.energies(a, 0, x, zero)[0], rel=1e-10)
    M = kind.masses(q.ravel(), properties)[0]
    assert (
        np.abs(kind.masses(q.ravel() * scale, properties, unit)[0] * np.outer(scale, scale) - M).max()
        < 1e-12 * np.abs(M).max()
    )
    one = np.kron(unity(kind)[0], [1.0, 0.0, 0.0])
    beam = kind.NODES == 2
    mass = 2.0 * 2.0 * 0.06 if beam else 2.0 * 0.1 * np.linalg.norm(np.cross([1.92, 0.56, 0], [0.28, 0.96, 0]))
    assert one @ M @ one == pytest.approx(mass, rel=1e-12)
    spin = np.cross([0, 0, 1.0], q.reshape(-1, 3)).ravel()  # of a turn about z through the first node
    if beam:
        assert spin @ M @ spin == pytest.approx(mass * (4.0 / 3.0 + 0.3**2 / 12.0), rel=1e-12)
    assert np.linalg.eigvalsh(M).min() > -1e-15 * np.abs(M).max()


def test_the_classic_matrices_are_the_forces():
    """-(K1 + K2 + K3) q of Omar and Shabana, in plane stress and plane strain."""
    rng = np.random.default_rng(3)
    q0 = line(planar_beam, 1, 2.0)[0].ravel()
    q = q0 + 0.2 * rng.standard_normal(18) * (np.arange(18) % 3 != 2)
    for plane in ("stress", "strain"):
        data = planar_beam.rows(q0, planar_beam.properties(0.3, 0.2, SOFT, formulation="continuum", plane=plane))
        f = numbers(planar_beam, data, q, 0 * q)[0]
        K = sum(classic_stiffness(q, 2.0, 0.3, 0.2, SOFT, plane))
        assert np.abs(f + K @ q).max() < 1e-13 * np.abs(f).max()


@pytest.mark.parametrize("plane", ["xy", "yx", "yz", "zx"])
def test_plane_beams_in_all_planes_of_ground(plane):
    """Across any axis of ground, seen from either side."""
    axes = {"xy": np.eye(3), "yx": np.eye(3)[[1, 0, 2]], "yz": np.eye(3)[[1, 2, 0]], "zx": np.eye(3)[[2, 0, 1]]}[plane]
    properties = planar_beam.properties(0.3, 0.2, SOFT)
    rng = np.random.default_rng(4)
    q0 = line(planar_beam, 1, 2.0)[0].reshape(-1, 3)
    q = q0 + 0.2 * rng.standard_normal(q0.shape) * [1, 1, 0]
    want = planar_beam.energies(planar_beam.rows(q0.ravel(), properties), 0, q.ravel(), np.zeros(18))[0]
    data = planar_beam.rows((q0 @ axes).ravel(), properties)
    assert planar_beam.energies(data, 0, (q @ axes).ravel(), np.zeros(18))[0] == pytest.approx(want, rel=1e-12)


# ---- beams -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("form", ["structural", "enhanced"])
def test_a_short_cantilever_is_exact_with_one_element(form):
    """Reissner's beam by shooting, 8.09903254e-4; Nachbagauer et al. (2011) print 6.1666656e-4 with one of their
    elements, 8.0990031e-4 with 256."""
    k = 10 * 1.3 / (12 + 11 * 0.3)
    section = hn.flexible.Section.rectangle(0.5, 0.1)
    section = SimpleNamespace(A=section.A, Iy=section.Iy, Iz=section.Iz, J=section.J, ky=k, kz=k)
    for kind, properties in (
        (planar_beam, planar_beam.properties(0.5, 0.1, STEEL, formulation=form)),
        (spatial_beam, spatial_beam.properties(section, STEEL, formulation=form)),
    ):
        assert cantilever(kind, 1, 2.0, properties, (0, 62500.0, 0))[1] == pytest.approx(8.09903254e-4, rel=2e-7)


def test_the_uncured_continuum_locks_by_poissons_ratio():
    """However fine the mesh, it is 1/(1 - nu^2) too stiff: 0.9 of the deflection."""
    tip = cantilever(
        planar_beam, 32, 2.0, planar_beam.properties(0.1, 0.1, STEEL, formulation="continuum"), (0, 100.0, 0)
    )[1]
    assert tip / (100.0 * 8.0 / (3 * 2.07e11 * 1e-4 / 12)) == pytest.approx(1 - 0.3**2, abs=4e-3)


@pytest.mark.parametrize("slender, tolerance", [(10.0, 8e-3), (1e3, 1e-4), (1e5, 1e-4)])
def test_beams_do_not_lock_when_they_are_slender(slender, tolerance):
    """Four elements, F = EI/L^2: 0.30172 of the elastica (Bisshopp, Drucker 1945) for any slenderness, with what shear
    adds to the shortest."""
    h = 1.0 / slender
    properties = planar_beam.properties(h, 1.0, Linear(12.0 / h**3, 0.0))
    tip = cantilever(planar_beam, 4, 1.0, properties, (0, 1.0, 0), steps=2)
    assert tip[1] == pytest.approx(0.30172077, rel=tolerance)


def test_large_deflection_of_bernoullis_cantilever():
    """F = 3 EI/L^2: (-0.508537304, -1.20723985); error of the fourth order and more, 5e-5 with 8 elements, 1e-6 with 32
    (shear coefficient 1e3: none)."""
    properties = planar_beam.properties(0.1, 0.1, Linear(2.07e11, 0.0), shear=1e3)
    force = -3 * 2.07e11 * 1e-4 / 12 / 4
    exact = np.array([-0.508537304326, -1.207239854550])
    error = [
        np.abs(cantilever(planar_beam, n, 2.0, properties, (0, force, 0), steps=4)[:2] - exact).max()
        for n in (4, 8, 32)
    ]
    assert error[0] < 6e-4 and error[1] < 6e-5 and error[2] < 1e-6


@pytest.mark.parametrize("beta, n, tolerance", [(0, 4, 1e-7), (30, 8, 3e-5), (90, 8, 4e-5)])
def test_the_princeton_beam(beta, n, tolerance):
    """Reissner's beam by shooting."""
    want = {
        0: (-1.355167926e-4, -0.01071276479, 0),
        30: (-0.007680972, -0.010207614, 0.079547377),
        90: (-0.02602148277, 0, 0.1462523572),
    }[beta]
    h, w = 12.3777e-3, 3.2024e-3
    Iz, Iy = w * h**3 / 12, h * w**3 / 12
    section = SimpleNamespace(A=h * w, Iy=Iy, Iz=Iz, J=0.198 * (Iy + Iz), ky=1.0, kz=1.0)
    c, s = np.cos(np.radians(beta)), np.sin(np.radians(beta))
    tip = cantilever(
        spatial_beam,
        n,
        0.508,
        spatial_beam.properties(section, Linear(71.7e9, 0.31)),
        (0, -8.896 * c, 8.896 * s),
        steps=6,
    )
    assert np.abs(tip - want).max() < tolerance


def test_a_moment_rolls_a_beam_up():
    """2 pi EI/L closes a circle: error of the fourth order."""
    gap = []
    for n in (8, 16):
        places, cells = line(planar_beam, n, 10.0)
        mesh = Assembly(planar_beam, places, cells, planar_beam.properties(0.1, 0.1, Linear(1e6, 0.0)))
        q = mesh.rest(turning(planar_beam, n, 2 * np.pi * 1e6 * 1e-4 / 12 / 10), clamp(planar_beam, n), steps=12)
        gap.append(np.linalg.norm(q[9 * n : 9 * n + 3]))
    assert gap[1] < 8e-3 and gap[0] / gap[1] > 14.0


def test_frequencies_of_a_supported_beam():
    """Timoshenko's beam: bending 95.604158 and 331.934733 (closed form; EXUDYN prints 95.6356, 332.2542), stretch
    280.3225, torsion 319.3466 rad/s."""
    inertia = 0.4**4 / 12
    section = SimpleNamespace(A=0.16, Iy=inertia, Iz=inertia, J=0.8436 * 2 * inertia, ky=0.8436, kz=0.8436)
    places, cells = line(spatial_beam, 16, 2.0)
    mesh = Assembly(spatial_beam, places, cells, spatial_beam.properties(section, Linear(1e9, 0.3, 7850.0)))
    found = mesh.frequencies(7, [0, 1, 2, 12 * 16 + 1, 12 * 16 + 2])
    assert found[0] < 1e-2
    assert found[1:] == pytest.approx([95.604158, 95.604158, 280.3225, 319.3466, 331.934733, 331.934733], rel=2e-3)


def test_rubber_stretches_as_it_should():
    """Uniaxial stretch of a nearly incompressible beam: force 2 (c10 + c01/l) (l - 1/l^2) per area as drawn, volume
    kept."""
    rubber = MooneyRivlin(1e5, 5e4, 1e9)
    places, cells = line(spatial_beam, 1, 1.0)
    section = hn.flexible.Section.rectangle(0.1, 0.1)
    mesh = Assembly(
        spatial_beam, places, cells, spatial_beam.properties(section, rubber, formulation="continuum", sides=(0.1, 0.1))
    )
    load = np.zeros(24)
    load[12] = 2e3
    q = mesh.rest(load, [0, 1, 2, 4, 5, 6, 8, 9, 10, 13, 14, 16, 17, 18, 20, 21, 22], steps=8)
    stretch = q[12]
    assert stretch > 1.3
    assert 0.01 * 2 * (1e5 + 5e4 / stretch) * (stretch - stretch**-2) == pytest.approx(2e3, rel=1e-3)
    assert stretch * q[7] * q[11] == pytest.approx(1.0, abs=1e-3)


# ---- plates ----------------------------------------------------------------------------------------------------------
PLATES = (thin_plate, conforming_plate, thick_plate)


def bent(kind, x, y, directions, w, tilt):
    """Places of a sheet with small deflections w(x, y) and gradients tilt(x, y) by coordinates of ground."""
    q, cells, node = sheet(kind, x, y, *directions)
    drawn = q.copy()
    for k in range(len(q)):
        px, py = q[k, :2]
        slope = np.array(tilt(px, py))
        q[k, 2] = w(px, py)
        q[k, 5], q[k, 8] = slope @ q[k, 3:5], slope @ q[k, 6:8]
        if kind is thick_plate:
            q[k, 9:11] = -slope
    return drawn, q, cells, node


@pytest.mark.parametrize("kind", PLATES)
@pytest.mark.parametrize("directions", [((1.0, 0.0), (0.0, 1.0)), ((0.96, 0.28), (0.6, 0.8))])
def test_patches_of_constant_curvature(kind, directions):
    """Elements of unequal sizes, rectangles and parallelograms, hold a field of constant curvature and twist with the
    node inside at rest."""
    small = 1e-6
    w = lambda x, y: small * (0.5 * x * x + 0.3 * x * y - 0.4 * y * y)
    tilt = lambda x, y: (small * (x + 0.3 * y), small * (0.3 * x - 0.8 * y))
    drawn, q, cells, node = bent(kind, [0.0, 0.7, 2.0], [0.0, 0.4, 1.0], directions, w, tilt)
    if kind is conforming_plate:
        a, b = np.array(directions)
        q[:, 11] = small * a @ np.array([[1.0, 0.3], [0.3, -0.8]]) @ b
    mesh = Assembly(kind, drawn, cells, kind.properties(0.05, Linear(1e3, 0.3)))
    d = (q - drawn).ravel()
    f = (mesh.stiffness(mesh.drawn) @ d).reshape(len(q), -1)
    inside = node(1, 1)
    assert np.abs(f[inside]).max() < 1e-10 * np.abs(f).max()
    K = 1e3 / (1 - 0.3**2) * 0.05**3 / 12
    area = abs(np.linalg.det(directions)) * 2.0
    k = small * np.array([1.0, -0.8, 0.3])
    want = 0.5 * K * area * (k[0] ** 2 + k[1] ** 2 + 0.6 * k[0] * k[1] + 1.4 * k[2] ** 2)
    assert 0.5 * d @ f.ravel() == pytest.approx(want, rel=1e-9)


def clamped(kind, n, h):
    """Deflection in the middle of a clamped square plate under an even load, times D/(p a^4): a quarter with n x n
    elements."""
    material = Linear(10.92, 0.3, 1.0 / h)
    D = 10.92 * h**3 / 12 / 0.91
    s = np.linspace(0, 0.5, n + 1)
    q, cells, node = sheet(kind, s, s)
    mesh = Assembly(kind, q, cells, kind.properties(h, material))
    edges = [node(0, j) for j in range(n + 1)] + [node(j, 0) for j in range(n + 1)]
    x_middle, y_middle = [node(n, j) for j in range(n + 1)], [node(j, n) for j in range(n + 1)]
    if kind is thick_plate:
        fixed = of(kind, edges, [0, 1, 2, 9, 10, 11]) + of(kind, x_middle, [0, 5, 9]) + of(kind, y_middle, [1, 8, 10])
        fixed += of(kind, edges[: n + 1], [8]) + of(kind, edges[n + 1 :], [5])
    else:
        twist = [11] if kind is conforming_plate else []
        fixed = (
            of(kind, edges, range(kind.PER_NODE))
            + of(kind, x_middle, [0, 5, *twist])
            + of(kind, y_middle, [1, 8, *twist])
        )
    up = np.zeros(q.shape)
    up[:, 2] = 1e-6 * D
    return mesh.rest(mesh.mass() @ up.ravel(), fixed)[kind.PER_NODE * node(n, n) + 2] / 1e-6


def test_a_clamped_plate_bends_as_kirchhoff_and_mindlin_say():
    """0.00126532 p a^4/D (Taylor, Govindjee 2004); conforming with the fourth power; the thick one for any thickness,
    and 0.0015046 with h = a/10."""
    thin = [clamped(thin_plate, n, 1e-3) - 0.00126532 for n in (2, 4)]
    assert thin[1] < 4.0e-5 and thin[0] / thin[1] > 3.3
    assert clamped(conforming_plate, 4, 1e-3) == pytest.approx(0.00126532, rel=1e-4)
    thick = [clamped(thick_plate, 4, h) for h in (1e-2, 1e-3, 1e-4)]
    assert (
        thick[1] == pytest.approx(0.00126532, rel=0.08)
        and thick[2] == pytest.approx(thick[1], rel=2e-3)
        and 0 < thick[0] - thick[1] < 4e-6
    )
    a, b = clamped(thick_plate, 4, 0.1), clamped(thick_plate, 8, 0.1)
    assert b + (b - a) / 3.0 == pytest.approx(0.0015046, rel=3e-3)  # extrapolated with the second order


@pytest.mark.parametrize("kind, n", [(thin_plate, 8), (conforming_plate, 8), (thick_plate, 16)])
def test_a_plate_bends_far_under_an_end_shear(kind, n):
    """Sze, Liu, Lo (2004), table 1: 3.286 and 6.698 with P = 4, 2.493 up at P = 0.8 and 0.381 along."""
    q, cells, node = sheet(kind, np.linspace(0, 10, n + 1), [0.0, 1.0])
    mesh = Assembly(kind, q, cells, kind.properties(0.1, Linear(1.2e6, 0.0)))
    load = np.zeros(q.shape)
    load[[node(n, 0), node(n, 1)], 2] = 2.0
    load[node(n, 0), 8], load[node(n, 1), 8] = 4.0 / 12, -4.0 / 12
    root = [node(0, 0), node(0, 1)]
    fixed = of(kind, root, [0, 1, 2, 6, 7, 8, 9, 10, 11] if kind is thick_plate else range(kind.PER_NODE))
    few = mesh.rest(0.2 * load.ravel(), fixed, steps=2)
    tip = few.reshape(q.shape)[node(n, 0)]
    assert [10 - tip[0], tip[2]] == pytest.approx([0.381, 2.493], rel=0.012)
    tip = mesh.rest(load.ravel(), fixed, steps=6, start=few).reshape(q.shape)[node(n, 0)]
    assert [10 - tip[0], tip[2]] == pytest.approx([3.286, 6.698], rel=6e-3)


# ---- what is refused -------------------------------------------------------------------------------------------------
def test_what_no_element_can_be_is_told():
    straight = line(planar_beam, 1, 2.0)[0]
    good = planar_beam.properties(0.3, 0.2, SOFT)
    backward = straight.copy()
    backward[:, 3] = -1.0
    cases = [
        (lambda: planar_beam.rows(backward.ravel(), good), "element 1 of a planar beam is inverted|to its right"),
        (lambda: planar_beam.rows(straight.ravel() * 0.0, good), "no length"),
        (lambda: planar_beam.rows(straight.ravel()[:12], good), r"give \(elements, 18\)"),
        (
            lambda: planar_beam.properties(0.3, 0.2, SOFT, formulation="thick"),
            "formulation of a planar beam is 'thick'",
        ),
        (lambda: planar_beam.properties(0.3, 0.2, RUBBER), "give formulation='continuum'"),
        (lambda: spatial_beam.properties(hn.flexible.Section.rectangle(1, 1), SOFT), "shear=True"),
        (lambda: Linear(1.0, 0.5), "nu of a material is 0.5"),
        (lambda: MooneyRivlin(-1.0, 0.0, 1.0), "c10 of a material is -1.0"),
        (lambda: thin_plate.properties(0.0, SOFT), "thickness of a thin plate is 0.0"),
    ]
    q, cells, _ = sheet(thick_plate, [0.0, 1.0], [0.0, 1.0])
    flipped = q.copy()
    flipped[2, 11] = -1.0
    cases.append(
        (
            lambda: thick_plate.rows(flipped[cells[0]].ravel(), thick_plate.properties(0.1, SOFT)),
            "r_z at node 4 of element 1|not across",
        )
    )
    crossed = sheet(thin_plate, [0.0, 1.0], [0.0, 1.0])[0][[0, 2, 1, 3]]
    cases.append(
        (
            lambda: thin_plate.rows(crossed.ravel(), thin_plate.properties(0.1, SOFT)),
            "element 1 of a thin plate is inverted",
        )
    )
    for make, words in cases:
        with pytest.raises(hn.ModelError, match=words):
            make()


def test_an_element_that_a_load_turns_inside_out_is_told():
    places, cells = line(planar_beam, 2, 1.0)
    properties = planar_beam.properties(0.1, 0.1, Linear(1.0, 0.0))
    q = places.copy()
    q[2, 0] = 0.2  # beyond the node before it
    q[2, 3] = -1.0
    assert "element 2 of a planar beam is inverted" in planar_beam.faults(q[cells].reshape(2, -1), properties)
    assert planar_beam.faults(places[cells].reshape(2, -1), properties) == ""


def test_resultants_of_what_is_bent_and_stretched():
    """Of a cantilever: the shear force, the moment in the middle of an element and at the clamp, by balance."""
    L, n = 2.0, 4
    for kind, properties, moment in (
        (planar_beam, planar_beam.properties(0.1, 0.1, STEEL, length=L / n), 2),
        (
            spatial_beam,
            spatial_beam.properties(hn.flexible.Section.rectangle(0.1, 0.1, shear=True), STEEL, length=L / n),
            5,
        ),
    ):
        places, cells = line(kind, n, L)
        mesh = Assembly(kind, places, cells, properties)
        load = np.zeros(places.size)
        load[kind.PER_NODE * n + 1] = 10.0
        q = mesh.rest(load, clamp(kind, n))
        found = kind.resultants(properties, 0.5, q[mesh.at])
        assert found[:, moment] == pytest.approx(10.0 * (L - (np.arange(n) + 0.5) * L / n), rel=1e-5)
        assert found[:, 1] == pytest.approx(10.0, rel=1e-4) and np.abs(found[:, 0]).max() < 1e-2
        assert kind.resultants(properties, 0.0, q[mesh.at])[0, moment] == pytest.approx(10.0 * L, rel=1e-5)
        mid = kind.weights(properties, 0.5)[0] @ q[mesh.at[0]].reshape(-1, 3)
        assert mid[0] == pytest.approx(L / n / 2, abs=1e-6)


def test_bending_moments_of_a_rolled_plate():
    """A cylinder of radius R: D/R along, nu D/R across; nothing else."""
    R, a = 2.0, 0.25
    phi = a / R
    q = np.zeros((4, 12))
    for k, (u, v) in enumerate(thin_plate.CORNERS):
        q[k, :3] = R * np.sin(u * phi), v, R * (1 - np.cos(u * phi))
        q[k, 3:6], q[k, 6:9] = (np.cos(u * phi), 0, np.sin(u * phi)), (0, 1, 0)
    properties = conforming_plate.properties(0.1, Linear(1e3, 0.3), a=a, b=1.0)
    D = 1e3 * 1e-3 / 12 / 0.91
    found = conforming_plate.resultants(properties, (0.5, 0.5), q.ravel())
    assert found[3:] == pytest.approx([-D / R, -0.3 * D / R, 0.0], rel=1e-3, abs=1e-9 * D)
