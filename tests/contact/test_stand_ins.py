"""Pairs without a kernel of their own: swept balls against brute force, meshes that represent shapes, and what a model
says of them."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import scene as S
from fuzz import _solids, geometry
from scipy.optimize import minimize_scalar

import holonom as hn
from holonom.contact import event_functions
from holonom.contact.advancement import HORIZON
from holonom.contact.call import FORCES, SEARCH
from holonom.contact.shapes import kernel_module, pair, stand_in
from holonom.contact.shapes import profile as F
from holonom.contact.shapes.measure import signed_distances, volume
from holonom.contact.tables import BUILDS, GAP, SHAPE_TYPES, WEIGHT, N, P
from holonom.elements.bodies.motion_bounds import BOUNDS
from holonom.model import ModelError
from holonom.model.mesh import check_mesh, mesh_volume
from holonom.model.shape import Profile, circle
from holonom.system.build import System

SQUARE = [(-5.0, -4.0), (5.0, -4.0), (5.0, 4.0), (-5.0, 4.0)]


def test_all_shapes_meet_all_shapes():
    without = [(a, b) for i, a in enumerate(SHAPE_TYPES) for b in SHAPE_TYPES[i:] if not kernel_module(a, b)]
    assert without == [("POINT", "POINT"), ("PLANE", "PLANE")]
    assert all(pair(a, b) is not None for a in SHAPE_TYPES for b in SHAPE_TYPES if kernel_module(a, b))


# ---- swept balls -----------------------------------------------------------------------------------------------------
def solid(kind, par, profile=None):
    return SimpleNamespace(
        kind=kind, par=tuple(map(float, par)), profile=profile, vertices=None, triangles=None, heights=None
    )


EGG = Profile(np.array([(1.0, 0.0), (0.0, 0.7), (-1.0, 0.0), (0.0, -0.7)]), True, np.zeros(0), 4)
SPOOL = Profile(
    np.array([(0.0, -0.6), (0.8, -0.6), (0.8, -0.4), (0.5, -0.2), (0.5, 0.2), (0.8, 0.4), (0.8, 0.6), (0.0, 0.6)])
)
OTHERS = {
    "BOX": (solid("BOX", (0.6, 0.5, 0.4)), None),
    "CYLINDER": (solid("CYLINDER", (0.5, 0.7, 0, 1)), None),
    "TORUS": (solid("TORUS", (0.7, 0.25)), None),
    "EXTRUSION": (solid("EXTRUSION", (0.5, 0.0), EGG), F.tables(EGG)),
    "REVOLUTION": (solid("REVOLUTION", (), SPOOL), F.tables(SPOOL, revolved=True)),
}


def places(number, seed):
    random = np.random.default_rng(seed)
    for _ in range(number):
        d = random.normal(size=3)
        yield d * random.uniform(1.75, 2.1) / np.linalg.norm(d), random.normal(size=3)


@pytest.mark.parametrize("other", OTHERS)
def test_rings(other):
    """The nearest point of a torus: minimum distance of many points of its circle, less the tube; exact rates, however
    it lies."""
    body, pools = OTHERS[other]
    kernel = pair("TORUS", other)[0]
    angle = np.linspace(0, 2 * np.pi, 601)[:-1]
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    for at, turn in places(3, 3):
        ours, theirs = ("TORUS", (1.0, 0.2), at, turn), (other, body.par, None, None, pools)
        swapped = SHAPE_TYPES.index(other) < SHAPE_TYPES.index("TORUS")
        sh = S.rolled(theirs, ours, 1) if swapped else S.rolled(ours, theirs, 0)
        rows = S.points(kernel, sh)
        place = lambda t, at=at, turn=turn: S._axes(turn) @ [math.cos(t), math.sin(t), 0.0] + at
        first = int(np.argmin(signed_distances(body, ring @ S._axes(turn).T + at)))
        gap = lambda t, body=body, place=place: float(signed_distances(body, [place(t)])[0]) - 0.2
        want = minimize_scalar(
            gap, bounds=(angle[first] - 0.02, angle[first] + 0.02), method="bounded", options={"xatol": 1e-10}
        ).fun
        best = int(np.argmin(rows[:, GAP]))
        np.testing.assert_allclose(rows[best, GAP], want, atol=1e-9)
        S.check_rates(kernel, sh, which=[best], tolerance=2e-5)
        S.check_invariance(
            kernel, S.rolled(theirs, ours, 1) if swapped else sh, tolerance=1e-7
        ) if other == "BOX" else None
        assert not len(S.points(kernel, sh, reach=want - 1e-5))


def test_a_ring_lies_flat_and_stands():
    """Flat on a box: a quarter of the law at four positions.  Upright: the whole at one.  Half of it beyond the edge:
    still the whole."""
    kernel = pair("BOX", "TORUS")[0]
    box = ("BOX", (2.0, 2.0, 0.5))
    rows = S.points(kernel, S.rolled(box, ("TORUS", (1.0, 0.2), (0.1, 0.2, 0.69)), 1), reach=0.0)
    np.testing.assert_allclose(rows[:, [GAP, WEIGHT]], [[-0.01, 0.25]] * 4, atol=1e-12)
    np.testing.assert_allclose(rows[:, N : N + 3], [[0, 0, -1]] * 4, atol=1e-12)
    np.testing.assert_allclose(rows[:, WEIGHT] @ rows[:, P : P + 2], (0.1, 0.2), atol=1e-9)
    rows = S.points(kernel, S.rolled(box, ("TORUS", (1.0, 0.2), (0.1, 0.2, 1.69), (np.pi / 2, 0, 0)), 1), reach=0.0)
    np.testing.assert_allclose(rows[:, [GAP, WEIGHT]], [[-0.01, 1.0]], atol=1e-12)
    rows = S.points(kernel, S.rolled(box, ("TORUS", (1.0, 0.2), (2.0, 0.2, 0.69)), 1), reach=0.0)
    np.testing.assert_allclose(rows[rows[:, N + 2] < -0.99][:, WEIGHT].sum(), 1.0, atol=1e-9)


def test_a_ring_squeezed_in_a_bore():
    """All round: as far as it moves aside, one side is pressed more and the other less, and nothing jumps on the
    way."""
    kernel = pair("CYLINDER", "TORUS")[0]
    last = None
    for x in np.linspace(-0.01, 0.01, 21):
        rows = S.points(
            kernel, S.rolled(("CYLINDER", (1.19, 1.0, 1, 0)), ("TORUS", (1.0, 0.2), (x, 0, 0.1)), 1), reach=0.0
        )
        force = -((rows[:, WEIGHT] * -rows[:, GAP])[:, None] * rows[:, N : N + 3]).sum(axis=0)  # on the ring
        np.testing.assert_allclose(force, (-2 * x, 0, 0), rtol=0.02, atol=1e-7)  # those across lean a little
        assert last is None or abs(force[0] - last) < 0.0021
        last = force[0]


def test_rods():
    """Capsules across and along an extrusion, as on a box of the same shape; a cylinder that lies across a curve."""
    profile = F.polyline(np.array([(-0.6, -0.5), (0.6, -0.5), (0.6, 0.5), (-0.6, 0.5)]))
    prism = ("EXTRUSION", (0.4, 0.0), None, None, F.tables(profile))
    box = ("BOX", (0.6, 0.5, 0.4))
    kernel, exact = pair("CAPSULE", "EXTRUSION")[0], pair("BOX", "CAPSULE")[0]
    for at, turn in places(3, 11):
        at = 0.7 * at
        rod = ("CAPSULE", (0.2, 0.5), at, turn)
        sh = S.rolled(rod, prism, 0)
        rows = S.points(kernel, sh)
        want = S.points(exact, S.scene(box, rod))[:, GAP].min()
        np.testing.assert_allclose(rows[:, GAP].min(), want, atol=1e-9)
        S.check_rates(kernel, sh, which=[int(np.argmin(rows[:, GAP]))], tolerance=2e-5)
    curve = ("CURVE", (0.8,), None, None, F.tables(profile))  # without end faces
    lying = S.points(
        pair("CYLINDER", "CURVE")[0],
        S.rolled(("CYLINDER", (0.2, 0.5, 0, 1), (0, 0.69, 0), (0, np.pi / 2, 0)), curve, 0),
        reach=0.0,
    )
    np.testing.assert_allclose(lying[:, GAP], -0.01, atol=1e-9)
    np.testing.assert_allclose(lying[:, WEIGHT].sum(), 1.0, atol=1e-9)
    np.testing.assert_allclose(lying[:, N : N + 3], [[0, 1, 0]] * len(lying), atol=1e-9)
    np.testing.assert_allclose(np.abs(lying[:, P]), 0.5, atol=1e-9)  # both ends of what lies


# ---- meshes that represent shapes ------------------------------------------------------------------------------------
GEAR = F.involute_gear(2.0, 18)
BODIES = {
    "gear": solid("EXTRUSION", (5.0, 0.02), GEAR),
    "disc": solid("EXTRUSION", (0.3, 0.0), circle(1.0)),
    "spool": solid("REVOLUTION", (), SPOOL),
    "ring": solid("REVOLUTION", (), Profile(circle(0.5).points + [2.0, 0.0], True, circle(0.5).bulge)),
    "bar": solid("CYLINDER", (1.0, 2.0, 0.0, 1.0)),
}


@pytest.mark.parametrize("name", BODIES)
def test_meshes(name):
    """Closed, facing outward; corners and volume within the deviation, which falls as the faceting tolerance rises; no
    long edges."""
    body = BODIES[name]
    last = math.inf
    for faceting in (stand_in.FACETING, 4 * stand_in.FACETING):
        points, triangles, deviation = stand_in.mesh(body, faceting)
        check_mesh(points, triangles)
        surface = (
            np.linalg.norm(np.cross(*(points[triangles[:, k]] - points[triangles[:, 0]] for k in (1, 2))), axis=1).sum()
            / 2
        )
        assert abs(mesh_volume(points, triangles) - volume(body)) < deviation * surface and deviation < 0.3 * last
        last = deviation
    points, triangles, deviation = stand_in.mesh(body)
    some = points[:: max(1, len(points) // 200)]
    assert np.abs(signed_distances(body, some)).max() < deviation
    if name != "gear":
        edges = points[triangles] - points[np.roll(triangles, 1, axis=1)]
        assert np.linalg.norm(edges, axis=2).max() < 1.01 * stand_in.FLAT * stand_in.size_of(body)


def test_only_what_is_sampled_has_corners_within_flat_faces():
    """The mesh by which a prism or a hull meets others has the corners of its outline, that of a disc those of its
    arcs; meshes that are sampled by their corners have more."""
    cube = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    hull = SimpleNamespace(kind="HULL", par=(), profile=None, vertices=cube, triangles=None, heights=None)
    for body, corners in ((solid("EXTRUSION", (3.0, 0.0), Profile(np.array(SQUARE))), 8), (hull, 8)):
        points, triangles, _ = stand_in.mesh(body, cut=False)
        check_mesh(points, triangles)
        assert len(points) == corners < len(stand_in.mesh(body)[0])


def test_hollow_meshes():
    for body in (
        solid("CYLINDER", (1.0, 2.0, 1.0, 0.0)),
        solid("CYLINDER", (1.0, 2.0, 1.0, 1.0)),
        solid("SPHERE", (1.0, 1.0)),
    ):
        points, triangles, _ = stand_in.mesh(body)
        check_mesh(points, triangles)
        shell = {0.0: math.pi * (1.5**2 - 1.0) * 4.0, 1.0: math.pi * (1.5**2 * 5.0 - 4.0)}
        want = 4 / 3 * math.pi * (1.5**3 - 1) if body.kind == "SPHERE" else shell[body.par[3]]
        assert mesh_volume(points, triangles) == pytest.approx(want, rel=6e-3)
    with pytest.raises(ModelError, match="open has no inside"):
        stand_in.mesh(solid("CURVE", (1.0,), Profile(np.array([(0.0, 0.0), (1.0, 0.0)]), False)))


# ---- models ----------------------------------------------------------------------------------------------------------
def touch(make_i, make_j, at, turn=(0, 0, 0), **more):
    """(sum of forces on I, contacts) where the part of I lies at ``at``, turned, against the part of J at the origin; K
    = 1 and exponent 1."""
    m = hn.Model(units="mm")
    p, q = (m.part(name, mass=1, inertia=(9, 9, 9), position=(0, 0, 0)) for name in ("p", "q"))
    m.contact(make_i(m, p), make_j(m, q), stiffness=1.0, exponent=1.0, name="c", **more)
    system = System(m)
    y = system.y0.copy()
    y[:3] = at
    w = S.Rotation.from_rotvec(turn).as_quat()
    y[3:7] = w[3], *w[:3]
    return system.contacts.sum(0.0, y)[0, :3].copy(), system.contacts


bar = lambda axis, x, at: lambda m, p: m.extrusion(p, SQUARE, 40.0, at, axis, x)


def test_extrusions_that_are_not_parallel():
    """Crossed bars, one lying on the other: as meshes, and that is reported.  Seen from the other side: the same as
    parallel ones."""
    force, contacts = touch(
        bar((0, 1, 0), (1, 0, 0), (0, -20, 0)), bar((1, 0, 0), (0, 1, 0), (-20, 0, 0)), (0.3, 0.2, 7.95)
    )
    np.testing.assert_allclose(force, (0, 0, 0.05), atol=1e-9)
    assert len(contacts.notes) == 1 and "meet as meshes where their axes are not parallel" in contacts.notes[0]
    both = [
        touch(bar((0, s, 0), (1, 0, 0), (0, -20 * s, 0)), bar((0, 1, 0), (1, 0, 0), (0, -20, 0)), (0.3, 0.2, 7.95))[0]
        for s in (1, -1)
    ]
    assert both[0][2] > 0.02
    np.testing.assert_allclose(both[1], both[0], atol=1e-12)
    turned, _ = touch(
        bar((0, 1, 0), (1, 0, 0), (0, -20, 0)),
        bar((0, 1, 0), (1, 0, 0), (0, -20, 0)),
        (0.3, 0.2, 7.95),
        (0, 0, np.pi / 2),
    )
    np.testing.assert_allclose(turned, (0, 0, 0.05), atol=1e-9)
    standing, _ = touch(bar((0, 0, 1), (1, 0, 0), (0, 0, 0)), bar((0, 0, 1), (1, 0, 0), (0, 0, 0)), (0.3, 0.2, 39.95))
    np.testing.assert_allclose(standing, (0, 0, 0.05), atol=1e-9)


def test_bars_that_stay_parallel_need_no_meshes():
    m = hn.Model(units="mm")
    parts = [m.part(name, mass=1, inertia=(9, 9, 9), position=(0, 0, 0)) for name in ("p", "q")]
    for k, p in enumerate(parts):
        m.revolute(p, m.ground, at=(0, 0, 8 * k), axis=(0, 1, 0))
    m.contact(
        bar((0, 1, 0), (1, 0, 0), (0, -20, 0))(m, parts[0]),
        bar((0, -1, 0), (1, 0, 0), (0, 20, 0))(m, parts[1]),
        stiffness=1.0,
    )
    contacts = System(m).contacts
    assert not contacts.notes and not contacts.stand_ins.rows


def test_pins_and_open_curves():
    """A pin across a wall touches it; a curve that is open and tilted has no inside: told, not hidden."""
    wall = lambda m, p: m.plane_curve(p, [(50.0, 0.0), (-50.0, 0.0)], closed=False, normal=(0, 0, 1), x=(1, 0, 0))
    pin = lambda m, p: m.cylinder(p, (0, 0, -6), (0, 0, 6), 2.0)
    for turn, high in (
        ((0, 0, 0), 2.0),
        ((np.pi / 3, 0, 0), 2 * math.cos(np.pi / 3) + 6 * math.sin(np.pi / 3)),
        ((0, np.pi / 2, 0), 2.0),
    ):
        force, contacts = touch(pin, wall, (0.3, high - 0.05, 0.2), turn)
        np.testing.assert_allclose(force, (0, 0.05, 0), atol=1e-9)
    across = lambda m, p: m.plane_curve(p, [(50.0, 0.0), (-50.0, 0.0)], closed=False, normal=(1, 0, 0), x=(0, 1, 0))
    _, contacts = touch(across, wall, (0, 0, 9.0))
    assert len(contacts.notes) == 1 and "touch only while their axes are within 25 degrees" in contacts.notes[0]
    with pytest.raises(ModelError, match="open has no inside"):
        touch(lambda m, p: m.box(p, (0, 0, 0), 3.0), wall, (0, 0, 9.0))


def test_the_ball_of_a_rod_makes_no_search():
    """Kernels move it about: lists of near pairs stay, and checks gaps continue in time."""
    m = hn.Model(units="mm")
    p = m.part("pin", mass=1, inertia=(9, 9, 9), position=(0, 0, 0))
    m.contact(
        m.cylinder(p, (0, 0, -6), (0, 0, 6), 2.0),
        m.plane_curve(m.ground, circle(30.0), width=20.0),
        stiffness=1.0,
        exponent=1.0,
    )
    system = System(m)
    c, y = system.contacts, system.y0.copy()
    w = S.Rotation.from_rotvec((np.pi / 3, 0.2, 0)).as_quat()
    y[3:7], y[7:10] = (w[3], *w[:3]), (1.0, 2.0, 0.0)
    out, none = np.zeros(event_functions.EVENT_DATA), np.zeros((1, event_functions.PAIR_DATA))
    for k in range(20):
        y[:3] = 1e-3 * k, 30.0 + 2e-3 * k, 0.0
        assert c.ask(FORCES, 1e-3 * k, y) > 0
        event_functions.event_function(
            c.handle.address,
            1e-3 * k,
            y,
            c._R,
            1e-3,
            np.zeros((len(c._R), BOUNDS)),
            0.0,
            (np.zeros(0, np.int64), np.zeros(0), 0),
            1e-9,
            none,
            out,
        )
        assert out[event_functions.AHEAD] >= HORIZON * 1e-3
    assert c.W.count[BUILDS] == 1


def test_solids_in_bores():
    """A cone in a bore, a turned piston in one, and an extrusion on the floor of a can: pushed back by what they are
    pressed in."""
    bore = lambda m, p: m.cylinder(p, (0, 0, -10), (0, 0, 10), 5.0, inside=True)
    cone = lambda m, p: m.cone(p, (0, 0, -4), (0, 0, 4), 4.0, 2.0)
    force, contacts = touch(cone, bore, (1.1, 0, 0))
    np.testing.assert_allclose(force, (-0.1, 0, 0), atol=0.02)
    assert "meet as meshes, within" in contacts.notes[0]
    piston = lambda m, p: m.revolution(p, [(0, -4), (4, -4), (4, 4), (0, 4)])
    force, _ = touch(piston, bore, (0, 1.1, 0))
    np.testing.assert_allclose(force, (0, -0.1, 0), atol=0.02)
    with pytest.raises(ModelError, match="PLANE in a bore"):
        touch(lambda m, p: m.plane(p, (0, 0, 0), (0, 0, 1)), bore, (0, 0, 0))


def test_rollers():
    """Turned rollers with parallel axes, by meshes: one law, the depth to the deviation that is reported."""
    roller = lambda m, p: m.revolution(p, [(0, -4), (5, -4), (5, 4), (0, 4)])
    force, contacts = touch(roller, roller, (9.9, 0.0, 0.3))
    deviation = float(contacts.notes[0].split("within ")[1].split()[0])
    assert force[0] == pytest.approx(0.1, abs=2.5 * deviation) and abs(force[1:]).max() < 0.01


# ---- deep inside each other at the start -----------------------------------------------------------------------------
STAR = [(1, -0.5), (1, 0.5), (0.3, 0.5), (0.3, 0.2), (-1, 0.2), (-1, -0.5)]
RING = [(0.5, -0.2), (0.8, -0.2), (0.8, 0.2), (0.5, 0.2)]


@pytest.mark.parametrize("inside", [True, False])
def test_what_is_buried_at_the_start_is_told(inside):
    """Two prisms in one position are named, by the contact that finds them or, where it finds nothing, by what is
    inside; a ring round a shaft, whose boxes overlap as much, is not."""
    m = hn.Model(units="m")
    part = m.part("loose", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    if inside:
        a = m.extrusion(part, STAR, 1.0, at=(0, 0, -0.5))
        b = m.extrusion(m.ground, STAR, 1.0, at=(0.05, 0.02, -0.5), axis=(0, 0.3, 1))
    else:
        a = m.revolution(part, RING)
        b = m.revolution(m.ground, [(0, -3), (0.49, -3), (0.49, 3), (0, 3)])
    m.contact(a, b, stiffness=1e4, name="pair")
    told = [
        t
        for t in hn.simulate(m, end=1e-7, steps=1, progress=False).info["messages"]
        if "so deep inside each other" in t or "shapes overlap at the start" in t
    ]
    assert bool(told) == inside
    assert not inside or ("loose and ground" in told[0] and "'pair'" in told[0])


def test_what_is_not_looked_at_for_lack_of_work_is_told(monkeypatch):
    monkeypatch.setattr("holonom.analyses.contact.overlap.WORK", -1)
    m = hn.Model(units="m")
    part = m.part("loose", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    m.contact(m.revolution(part, RING), m.revolution(m.ground, [(0, -3), (0.49, -3), (0.49, 3), (0, 3)]), stiffness=1e4)
    told = [t for t in hn.simulate(m, end=1e-3, steps=1, progress=False).info["messages"] if "not checked" in t]
    assert len(told) == 1 and told[0].startswith("1 pairs")


@pytest.mark.parametrize("method", ["compliant", "events", "time-stepping"])
def test_a_bar_across_the_corner_of_a_bounded_plane_is_held(method):
    """Its ends and corners all lie next to the plane: it meets the rim of the prism under it."""
    m = hn.Model(units="m")
    m.gravity = (0, 0, -9.81)
    c = np.sqrt(0.5)
    bar = m.part("bar", mass=1.0, inertia=(0.02, 0.02, 0.001), position=(0.45, 0.45, 0.1))
    shape = m.box(bar, (0.45, 0.45, 0.1), (0.02, 0.02, 1.0), z=(c, -c, 0))
    m.contact(
        shape,
        m.plane(m.ground, (0, 0, 0), (0, 0, 1), size=(1.0, 1.0)),
        stiffness=1e6,
        exponent=1.5,
        damping=300.0,
        mu=0.5,
    )
    options = {} if method == "compliant" else {"contact": method}
    if method == "time-stepping":
        options["step"] = 1e-3
    run = hn.simulate(m, end=0.25, steps=50, progress=False, **options)
    fallen = run.part("bar").position.values[:, 2]
    assert fallen.min() > 5e-3 and fallen[-1] == pytest.approx(
        0.01, abs=2e-3
    )  # the compliant one dips in by 3 mm as it lands
    assert run.part("bar").angular_velocity.values[-1] == pytest.approx(
        0.0, abs=0.3
    )  # it lies on both sides of the corner


def test_what_has_no_stand_in_at_the_rim_is_told():
    m = hn.Model(units="m")
    part = m.part("loose", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0.6))
    curve = m.plane_curve(part, [(0, 0), (0.3, 0.0), (0.1, 0.3)], at=(0, 0, 0.6), normal=(0, 1, 0))
    m.contact(curve, m.plane(m.ground, (0, 0, 0), (0, 0, 1), size=(0.2, 0.2)), stiffness=1e4, name="pair")
    told = [t for t in hn.simulate(m, end=1e-3, steps=1, progress=False).info["messages"] if "passes where none" in t]
    assert len(told) == 1 and "'pair'" in told[0]


@pytest.mark.parametrize(
    "kind",
    [pytest.param(k, marks=pytest.mark.slow) if k == "MESH" else k for k in _solids.SOLID_TYPES if k != "ELLIPSOID"],
)
@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 6), marks=pytest.mark.slow)], ids=["few", "more"])
def test_bounded_planes_against_their_prism(kind, seeds):
    """Gaps, normals and rates of every shape at the face and at the rim, against distances of points of the
    surfaces."""
    assert {geometry.attempt(1000 + seed, (kind, "PRISM")) for seed in seeds} <= {
        "apart",
        "overlap",
        "missed each other",
    }


def test_nothing_jumps_where_the_rim_begins():
    """A wheel that rolls over the rim: before it may reach beyond the rectangle it meets the plane, then the prism; the
    heights are the same."""
    m = hn.Model(units="m")
    part = m.part("wheel", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0.2))
    m.contact(
        m.cylinder(part, (0, -0.05, 0.2), (0, 0.05, 0.2), 0.2),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1), size=(1.0, 1.0)),
        stiffness=1e4,
        exponent=1.5,
    )
    contacts = System(m).contacts
    y, seen = contacts.system.y0.copy(), []
    for x in np.linspace(0.0, 0.49, 50):
        y[0], y[2] = x, 0.199
        contacts.ask(SEARCH, 0.0, y)
        n = contacts.collect(0.0, y, 0.0)
        rows = contacts.W.pts[:n]
        seen.append(float((rows[:, WEIGHT] * (-rows[:, GAP]) ** 2.5).sum()))
        assert rows[:, GAP] == pytest.approx(-1e-3, abs=1e-12)
    assert seen == pytest.approx(np.full(50, 1e-3**2.5), rel=1e-9)
