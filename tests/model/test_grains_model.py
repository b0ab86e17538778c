"""GRAINS in the drawing: arrays in and out, masses and inertias, filling of regions, bad input."""

import numpy as np
import pytest

import holonom as hn
from holonom import Box, Cylinder, HalfSpace, Model, ModelError
from holonom.model.grains import body_of, hull_moments, random_orientations
from holonom.model.region import region
from holonom.model.validate import faults

CUBE = [(x, y, z) for x in (0.0, 2.0) for y in (0.0, 3.0) for z in (0.0, 5.0)]


def test_masses_and_inertias_of_spheres():
    radius = np.array([0.1, 0.2])
    g = Model().grains([(0, 0, 0), (1, 0, 0)], radius, density=1000.0)
    assert g.masses == pytest.approx(1000 * 4 / 3 * np.pi * radius**3)
    assert g.inertias() == pytest.approx(np.outer(0.4 * g.masses * radius**2, np.ones(3)))
    assert Model().grains([(0, 0, 0)], 0.1, mass=2.0).inertias()[0] == pytest.approx([0.4 * 2 * 0.01] * 3)


@pytest.mark.parametrize(
    ("shape", "dimensions"),
    [("BOX", (1.0, 2.0, 3.0)), ("CYLINDER", (0.7, 1.5)), ("CAPSULE", (0.5, 1.0)), ("ELLIPSOID", (1.0, 0.6, 0.4))],
)
def test_volume_and_moments_agree_with_the_hull_of_many_points(shape, dimensions):
    from holonom.results.pictures.geometry import solid_mesh

    g = Model().grains([(0, 0, 0)], shape=shape, dimensions=dimensions, density=1.0)
    solid = g.solid()
    if shape in ("CAPSULE", "ELLIPSOID"):
        from holonom.model.facets import capsule, ellipsoid

        points = (
            capsule(*solid.par[:2], 120)[0] if shape == "CAPSULE" else ellipsoid(*(2 * x for x in dimensions), 120)[0]
        )
    elif shape == "CYLINDER":
        a = np.linspace(0, 2 * np.pi, 720)
        points = np.array([(0.7 * np.cos(x), 0.7 * np.sin(x), z) for x in a for z in (-0.75, 0.75)])
    else:
        points = solid_mesh(solid)[0]
    volume, centre, tensor = hull_moments(points)
    v, moments, _ = body_of(shape, dimensions, b"")
    assert volume == pytest.approx(v, rel=2e-3)
    assert centre == pytest.approx(np.zeros(3), abs=1e-9)
    assert np.diag(tensor) == pytest.approx(moments, rel=4e-3)


def test_hull_is_moved_to_its_centre_and_scaled():
    g = Model().grains(np.zeros((2, 3)), shape="HULL", points=CUBE, scale=[1.0, 2.0], density=2.0)
    assert g.points.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-15)
    assert g.masses == pytest.approx([60.0, 480.0])
    # edges 2, 3, 5: principal moments rising
    assert g.inertias()[0] == pytest.approx(60 / 12 * np.array([4 + 9, 4 + 25, 9 + 25]))
    assert g.inertias()[1] == pytest.approx(32 * g.inertias()[0])


def test_json_and_copy():
    m = Model()
    places = Box((0, 0, 0), (1, 1, 1)).random(0.02, 300, seed=4)
    a = m.grains(places, np.linspace(0.01, 0.02, 300), "sand", density=2500.0, velocity=(0, 0, -1), color="gold")
    b = m.grains(
        [(5, 0, 0)],
        shape="HULL",
        points=CUBE,
        mass=1.0,
        orientation=[(0.5, 0.5, 0.5, 0.5)],
        record=("position", "contacts"),
    )
    m.contact([a, "GRAINS_2"], m.plane(m.ground, (0, 0, 0), (0, 0, 1)), stiffness=1e5)
    twin = Model.from_json(m.to_json())
    assert twin.table("GRAINS")[1] == a and twin.table("GRAINS")[2] == b
    assert twin.table("GRAINS")[1].positions.tobytes() == a.positions.tobytes()
    assert twin.table("CONTACT")[1].igrains == (1, 2) and twin.table("CONTACT")[1].jgrains == ()
    copy = m.copy()
    copy.table("GRAINS")[1].positions = places + 1.0
    assert np.array_equal(a.positions, places)
    with pytest.raises(ValueError, match="read-only"):
        a.positions[0, 0] = 1.0
    assert faults(m) == []


def test_random_packing_does_not_overlap_and_repeats():
    r = np.random.default_rng(0).uniform(0.02, 0.04, 1000)
    box = Box((0, 0, 0), (1, 1, 0.7))
    p = box.random(r, seed=2)
    d = np.linalg.norm(p[:, None] - p[None], axis=2) - r[:, None] - r[None] + 10 * np.eye(len(r))
    assert d.min() >= 0.0
    assert (p - r[:, None] >= -1e-15).all() and (p + r[:, None] <= np.array(box.high) + 1e-15).all()
    assert np.array_equal(p, box.random(r, seed=2)) and not np.array_equal(p, box.random(r, seed=3))
    tube = Cylinder((0, 0, 0), (0, 0, 1), 0.3)
    q = tube.random(0.03, 500)
    assert tube.contains(q, 0.03 - 1e-12).all() and not tube.contains(q * 3).all()


def test_grid_fills_from_below():
    p = Box((0, 0, 0), (1, 1, 10)).grid(0.1, spacing=1.0, count=60)
    assert len(p) == 60 and p[:25, 2] == pytest.approx(0.1) and p[59, 2] == pytest.approx(0.5)
    assert p[:25, :2].min() == pytest.approx(0.1) and p[:25, :2].max() == pytest.approx(0.9)
    moved = Box((0, 0, 0), (1, 1, 10)).grid(0.1, spacing=1.2, count=60, jitter=1.0, seed=1)
    d = np.linalg.norm(moved[:, None] - moved[None], axis=2) + 10 * np.eye(60)
    assert d.min() >= 0.2 - 1e-12 and np.ptp(moved[:16, 2]) > 1e-3


def test_regions_are_data():
    for one in (Box((0, 0, 0), (1, 2, 3)), Cylinder((0, 0, 0), (0, 1, 1), 0.5), HalfSpace((0, 0, 1), (0, 0, 2))):
        assert region(one.to_data()) == one
    half = HalfSpace((0, 0, 1), (0, 0, 2))
    assert half.contains(np.array([[0, 0, 0.5], [0, 0, 1.5]])).tolist() == [True, False]


BAD = [
    (dict(positions=[(0, 0, 0)]), "spheres need a radius"),
    (dict(positions=[(0, 0, 0)], radius=0.1), "give either density or mass"),
    (dict(positions=[(0, 0, 0)], radius=-0.1, mass=1.0), "the radius of grain 0 must be positive, it is -0.1"),
    (dict(positions=[(0, 0, 0), (1, 0, np.nan)], radius=0.1, mass=1.0), "positions of grain 1 is not finite"),
    (
        dict(positions=[(0, 0, 0), (1, 0, 0)], radius=[0.1, 0.2, 0.3], mass=1.0),
        "radius must be a number for all 2 grains",
    ),
    (dict(positions=[(0, 0)], radius=0.1, mass=1.0), "positions must be rows of 3 numbers"),
    (dict(positions=[(0, 0, 0)], shape="CUBE", density=1.0), "unknown shape 'CUBE'; choose one of SPHERE"),
    (dict(positions=[(0, 0, 0)], shape="BOX", dimensions=(1, 2), density=1.0), "a BOX needs 3 dimensions"),
    (
        dict(positions=[(0, 0, 0)], shape="HULL", points=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], density=1.0),
        "lie in a plane",
    ),
    (dict(positions=[(0, 0, 0)], radius=0.1, mass=1.0, orientation=[(1, 1, 0, 0)]), "does not have length 1"),
    (dict(positions=[(0, 0, 0)], radius=0.1, mass=1.0, record=("force",)), "record names 'force'"),
]


@pytest.mark.parametrize(("arguments", "text"), BAD)
def test_bad_input_is_one_sentence(arguments, text):
    arguments = dict(arguments)
    with pytest.raises(ModelError, match="GRAINS") as found:
        Model().grains(arguments.pop("positions"), arguments.pop("radius", None), **arguments)
    assert text in str(found.value) and "\n" not in str(found.value)


def test_faults_of_contacts_with_grains():
    m = Model()
    g = m.grains([(0, 0, 0), (1, 0, 0)], 0.1, mass=1.0)
    c = m.contact(g, stiffness=1e5)
    assert faults(m) == []
    c.jgrains = (7,)
    assert "JGRAINS = 7: GRAINS/7 does not exist" in faults(m)[0]
    c.jgrains = (1,)
    g.active = False
    assert "GRAINS/1 is not active" in faults(m)[0]
    g.active = True
    g.masses = np.array([1.0, -1.0])
    assert any("the mass of grain 1 must be positive" in f for f in faults(m))


def test_too_full_regions():
    box = Box((0, 0, 0), (1, 1, 1))
    with pytest.raises(ModelError, match="only 125 of 200 balls"):
        box.grid(0.1, spacing=1.0, count=200)
    with pytest.raises(ModelError, match="would fill 0.84 of the region"):
        box.random(0.1, 200)
    with pytest.raises(ModelError, match="found a position at random"):
        box.random(0.1, 105)
    with pytest.raises(ModelError, match="lowest to its highest corner"):
        Box((0, 0, 0), (1, 0, 1))


def test_orientations_are_unit_and_repeat():
    q = random_orientations(50, 3)
    assert (q**2).sum(axis=1) == pytest.approx(np.ones(50)) and np.array_equal(q, random_orientations(50, 3))
    assert hn.Box is Box
