"""The contact referee: it shares nothing with the search, sees passages of every method, and is silent on sound
runs."""

import ast
import math
from pathlib import Path

import numpy as np
import pytest
import trimesh

import holonom as hn
from holonom.analyses.contact import refereeing
from holonom.analyses.contact.ledger import Ledger
from holonom.analyses.contact.refereeing import PassageError, check_choice
from holonom.contact.acting import acting_pairs
from holonom.contact.call import FORCES
from holonom.contact.referee.points import reference_points
from holonom.contact.referee.surfaces import NOTHING, clearance, crossings, inside, pack, surface_of
from holonom.contact.shapes.measure import volume
from holonom.contact.tables import POINTS
from holonom.model import ModelError
from holonom.model.shape import shape_of
from holonom.model.shape_kinds import shape_kind
from holonom.system.build import System

PACKAGE = Path(hn.__file__).parent


# ---- independence ----------------------------------------------------------------------------------------------------
def test_imports_neither_the_search_nor_the_monitors_nor_the_kernels():
    """Followed through everything that it imports: of the contact package only itself, of the rest only plain data of
    the drawing."""
    seen, todo = set(), list((PACKAGE / "contact" / "referee").glob("*.py"))
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                for found in [base, *(base / alias.name for alias in node.names)]:
                    for file in (found.with_suffix(".py"), found / "__init__.py"):
                        if file.is_file() and file.name != "__init__.py":
                            todo.append(file)
    reached = {str(p.relative_to(PACKAGE)) for p in seen}
    foreign = {
        name
        for name in reached
        if name.startswith(("contact/", "analyses/", "system/", "integrators/"))
        and not name.startswith("contact/referee/")
    }
    assert foreign == set()


# ---- surfaces and reference points -----------------------------------------------------------------------------------
def cup(t=1e-3):
    mesh = trimesh.creation.revolve(
        np.array([(0, 0), (0.1, 0), (0.1, 0.1), (0.1 - t, 0.1), (0.1 - t, t), (0, t)]), sections=24
    )
    mesh.merge_vertices()
    if mesh.volume < 0:
        mesh.invert()
    return mesh


L = [(0.0, 0.0), (0.1, 0.0), (0.1, 0.01), (0.01, 0.01), (0.01, 0.1), (0.0, 0.1)]
SHAPES = {
    "ball": lambda m, b: m.sphere(b, (0, 0, 0), 0.1),
    "box": lambda m, b: m.box(b, (0, 0, 0), (0.1, 0.2, 0.3)),
    "plate": lambda m, b: m.box(b, (0, 0, 0), (0.4, 0.4, 0.001)),
    "cylinder": lambda m, b: m.cylinder(b, (0, 0, 0), (0, 0, 1), 0.05),
    "capsule": lambda m, b: m.capsule(b, (0, 0, 0), (0, 0, 1), 0.02),
    "cone": lambda m, b: m.cone(b, (0, 0, 0), (0, 0, 0.3), 0.1, 0.03),
    "ellipsoid": lambda m, b: m.ellipsoid(b, (0, 0, 0), (0.1, 0.2, 0.3)),
    "torus": lambda m, b: m.torus(b, (0, 0, 0), (0, 0, 1), 0.3, 0.05),
    "mesh": lambda m, b: m.mesh(b, cup(0.01)),
    "hull": lambda m, b: m.hull(b, np.random.default_rng(0).normal(size=(30, 3))),
    "extrusion": lambda m, b: m.extrusion(b, L, 0.3),
    "twisted": lambda m, b: m.extrusion(b, L, 0.3, twist=3.0),
    "revolution": lambda m, b: m.revolution(b, [(0.09, 0), (0.1, 0), (0.1, 0.1), (0.09, 0.1)]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_volume_by_inside(name):
    """Share of random points that the referee finds inside, against the volume that the shape has: crossings have the
    right positions and signs."""
    m = hn.Model()
    solid = shape_of(m, SHAPES[name](m, m.part("b", 1.0, (1, 1, 1), (0, 0, 0))))
    s = surface_of(solid)
    table, out = pack([s]), np.empty((32, 5))
    x = s.low + (s.high - s.low) * np.random.default_rng(1).random((4000, 3))
    share = np.mean([inside(table, 0, p, 4.0 * s.radius, out) for p in x])
    true = volume(solid) / np.prod(s.high - s.low)
    assert abs(share - true) < 4.0 * math.sqrt(true * (1.0 - true) / len(x)) + 0.01 * true + 1e-12


@pytest.mark.parametrize("name", SHAPES)
def test_reference_points_lie_inside_at_their_depth(name):
    """All inside; a ball of the depth about each holds no point that is outside."""
    m = hn.Model()
    s = surface_of(shape_of(m, SHAPES[name](m, m.part("b", 1.0, (1, 1, 1), (0, 0, 0)))))
    points, table, out = reference_points(s), pack([s]), np.empty((32, 5))
    assert 1 <= len(points.at) <= 192 and (points.depth > 0.0).all()
    ways = np.random.default_rng(2).normal(size=(20, 3))
    ways *= 0.999 / np.linalg.norm(ways, axis=1)[:, None]
    for p, depth in zip(points.at, points.depth):
        assert inside(table, 0, p, 4.0 * s.radius, out)
        assert all(inside(table, 0, p + depth * w, 4.0 * s.radius, out) for w in ways)


@pytest.mark.parametrize("name", SHAPES)
def test_clearance_is_no_more_than_the_way_to_the_surface(name):
    m = hn.Model()
    s = surface_of(shape_of(m, SHAPES[name](m, m.part("b", 1.0, (1, 1, 1), (0, 0, 0)))))
    table, out, random = pack([s]), np.empty((32, 5)), np.random.default_rng(3)
    hit = 0
    for _ in range(300):
        p = s.centre + s.radius * random.uniform(-1.2, 1.2, 3)
        w = s.low + (s.high - s.low) * random.random(3) - p
        d = 3.0 * s.radius * w / np.linalg.norm(w)
        if crossings(table, 0, p, d, out):
            hit += 1
            assert clearance(table, 0, p, np.inf) <= out[0, 0] * 3.0 * s.radius * (1 + 1e-9) + 1e-12
    assert hit > 5


@pytest.mark.parametrize("name", SHAPES)
def test_surface_lies_where_the_shape_is_drawn(name):
    """A point a little within each triangle of the drawing is inside, one a little outside is not: a twist is zero in
    the middle of the width for both (the referee had it zero at one end)."""
    m = hn.Model()
    solid = shape_of(m, SHAPES[name](m, m.part("b", 1.0, (1, 1, 1), (0, 0, 0))))
    s = surface_of(solid)
    table, out = pack([s]), np.empty((32, 5))
    corners, faces = shape_kind(solid.kind).triangles(solid)
    a, b, c = (corners[faces[:, k]] for k in range(3))
    n, middle = np.cross(b - a, c - a), (a + b + c) / 3
    size = np.linalg.norm(n, axis=1)
    middle, n = middle[size > 0], n[size > 0] / size[size > 0, None]
    chosen = np.random.default_rng(4).permutation(len(n))[:60]
    by = {"plate": 2e-4, "mesh": 2e-3, "extrusion": 2e-3, "twisted": 2e-3, "revolution": 2e-3}.get(name, 5e-3)
    assert all(inside(table, 0, p, 4.0 * s.radius, out) for p in (middle - by * n)[chosen])
    assert not any(inside(table, 0, p, 4.0 * s.radius, out) for p in (middle + by * n)[chosen])


def test_thin_walls_have_points_in_their_middle():
    m = hn.Model()
    s = surface_of(shape_of(m, m.mesh(m.part("b", 1.0, (1, 1, 1), (0, 0, 0)), cup())))
    points = reference_points(s)
    assert len(points.at) > 50 and abs(points.typical - 0.5e-3) < 2e-5


def test_every_shape_has_a_surface():
    from holonom.contact.shape_kinds import ROWS
    from holonom.contact.tables import SHAPE_TYPES

    assert set(SHAPE_TYPES) == set(ROWS)
    m = hn.Model()
    assert surface_of(shape_of(m, m.point(m.ground, (0, 0, 0)))).type == NOTHING


# ---- runs ------------------------------------------------------------------------------------------------------------
def drop(height=0.5, speed=0.0, **contact):
    """A ball of radius 0.1 above a plate 0.1 thick."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    b = m.part("ball", 1.0, (4e-3,) * 3, (0, 0, height), velocity=(0, 0, -speed))
    m.contact(m.sphere(b, (0, 0, height), 0.1), m.box(m.ground, (0, 0, -0.05), (4, 4, 0.1)), name="c", **contact)
    return m


SOFT = {"stiffness": 1e5, "exponent": 1.5, "damping": 10.0, "dmax": 1e-4}


def blind(monkeypatch):
    """The search is off: nothing touches, for the solver."""
    from holonom.system.contacts import Contacts

    original = Contacts._build

    def build(self):
        original(self)
        self.S.side_ptr[:] = 0  # no shape has a contact

    monkeypatch.setattr(Contacts, "_build", build)


@pytest.mark.parametrize("method", ["compliant", "events", "time-stepping"])
def test_reports_a_passage_where_the_search_is_off(monkeypatch, method):
    blind(monkeypatch)
    law = SOFT if method == "compliant" else {"restitution": 0.5}
    with pytest.raises(PassageError) as caught:
        hn.simulate(drop(**law), 0.6, 20, contact=method)
    finding = caught.value.finding
    fall = lambda depth: math.sqrt(2.0 * (0.4 + depth) / 9.81)
    assert fall(0.0) < finding.time < fall(0.3)
    text = str(caught.value)
    assert "'ball'" in text and "'ground'" in text and "CONTACT/1" in text and "depth" not in text.split(";")[0]
    assert caught.value.run.time[-1] <= 0.6 and "referee=False" in text


@pytest.mark.parametrize("method", ["compliant", "events", "time-stepping"])
@pytest.mark.parametrize("referee", [True, "strict"])
def test_is_silent_where_the_ball_bounces(method, referee):
    law = SOFT if method == "compliant" else {"restitution": 0.5}
    run = hn.simulate(drop(**law), 0.6, 20, contact=method, referee=referee)
    assert run.part("ball").position.values[:, 2].min() > 0.05
    seen = run.info["referee"]
    assert seen["mode"] == ("strict" if referee == "strict" else "on") and seen["steps"] > 0
    assert referee is True or seen["steps sampled"] > 0 and seen["poses"] >= seen["steps"] + 99 * seen["steps sampled"]


def test_strict_is_silent_where_a_plate_comes_to_rest():
    """The long step at rest begins with the velocity behind the impact, not with the one that it ended: a path made of
    the latter leads a few millimetres into the floor."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    plate = m.part("plate", 1.0, (0.02,) * 3, (0, 0, 0.1))
    m.contact(m.box(plate, (0, 0, 0.1), (0.4, 0.4, 0.02)), m.box(m.ground, (0, 0, -0.5), (1, 1, 1)), restitution=0.0)
    run = hn.simulate(m, 0.4, 20, contact="events", referee="strict")
    assert run.part("plate").position.values[-1, 2] == pytest.approx(0.01, abs=1e-9)
    assert run.info["referee"]["steps sampled"] > 0


def test_off_is_said(monkeypatch):
    blind(monkeypatch)
    run = hn.simulate(drop(restitution=0.5), 0.6, 20, contact="events", referee=False)
    assert run.part("ball").position.values[-1, 2] < -0.5
    assert run.info["referee"] == {"mode": "off"} and refereeing.OFF in run.info["messages"]


def test_a_plate_that_can_not_store_the_energy():
    """A ball of 4.5 J goes through a plate whose contact, linear and 0.06 deep at most, can store 2.8 J: felt, and a
    passage all the same."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    a = m.part("a", 1.0, (4e-3,) * 3, (0, 0, 0.3), velocity=(0, 0, -3.0))
    m.contact(
        m.sphere(a, (0, 0, 0.3), 0.05),
        m.box(m.ground, (0, 0, 0), (1, 1, 0.02)),
        stiffness=2 * 2.8 / 0.06**2,
        exponent=1.0,
        damping=0.0,
        dmax=1e-3,
    )
    with pytest.raises(PassageError, match="'a'.*'ground'"):
        hn.simulate(m, 0.2, 20)


def test_deep_but_lawful_contact_is_allowed():
    """A soft ball sinks into a half-space by more than its radius and returns."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    b = m.part("ball", 1.0, (4e-3,) * 3, (0, 0, 0.3))
    m.contact(
        m.sphere(b, (0, 0, 0.3), 0.1),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        stiffness=150.0,
        exponent=1.0,
        damping=0.0,
        dmax=1e-3,
    )
    run = hn.simulate(m, 0.8, 40, referee="strict")
    z = run.part("ball").position.values[:, 2]
    assert z.min() < 0.0 and z[-1] > 0.05 and run.info["referee"]["crossings"] > 0


def test_shapes_that_overlap_at_the_start_may_part():
    m = hn.Model()
    m.gravity = (0, 0, 0)
    b = m.part("ball", 1.0, (4e-3,) * 3, (0, 0, 0.02))
    m.contact(m.sphere(b, (0, 0, 0.02), 0.1), m.box(m.ground, (0, 0, -0.5), (4, 4, 1.0)), **SOFT)
    assert hn.simulate(m, 0.5, 20).part("ball").position.values[-1, 2] > 0.1


def test_ball_in_a_hollow(monkeypatch):
    """Material outside: the ball rolls in it, and is found outside where the search is off."""

    def bowl():
        m = hn.Model()
        m.gravity = (0, 0, -9.81)
        b = m.part("ball", 1.0, (4e-3,) * 3, (0.3, 0, 0))
        m.contact(m.sphere(b, (0.3, 0, 0), 0.1), m.sphere(m.ground, (0, 0, 0), 0.5, inside=True), **SOFT)
        return m

    hn.simulate(bowl(), 1.0, 20)
    blind(monkeypatch)
    with pytest.raises(PassageError):
        hn.simulate(bowl(), 1.0, 20)


def test_choices():
    assert [check_choice(x) for x in (True, False, "strict", "ON", "off")] == [True, False, "strict", True, False]
    with pytest.raises(ModelError, match="referee = 'sometimes'"):
        hn.Simulation(drop(**SOFT), referee="sometimes")


def test_stepped_from_outside(monkeypatch):
    blind(monkeypatch)
    sim = hn.Simulation(drop(**SOFT))
    with pytest.raises(PassageError):
        for k in range(1, 61):
            sim.advance(0.01 * k)
    assert sim.time < 0.5


def test_joint_of_two_balls_of_a_cable(monkeypatch):
    """A cable of balls falls on the edge of a plate between two of its nodes, with the search off: the point between
    them is inside the cable."""
    blind(monkeypatch)
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    rope = hn.flexible.cable(m, [(0, 0, 0.1), (1, 0, 0.1)], EA=1e4, EI=0.1, mass=0.3, elements=5, radius=0.02)
    rope.touch(m.box(m.ground, (0.5, 0, -0.2), (0.02, 0.5, 0.4)), shape="sphere", points=1)
    with pytest.raises(PassageError, match="'cable.*overlaps 'ground'") as caught:
        hn.simulate(m, 0.3, 20)
    fall = lambda way: math.sqrt(2.0 * way / 9.81)
    assert 0.98 * fall(0.08) < caught.value.finding.time < 1.02 * fall(0.1)
    assert caught.value.finding.at[:2] == pytest.approx([0.5, 0.0], abs=0.02)


@pytest.mark.parametrize("shape", ["ball", "box"])
def test_grains_through_a_plate(monkeypatch, shape):
    def scene():
        m = hn.Model()
        m.gravity = (0, 0, -9.81)
        at = np.array([(0.1 * k, 0.0, 0.3 + 0.02 * k) for k in range(4)])
        grains = (
            m.grains(at, 0.03, density=1e3)
            if shape == "ball"
            else m.grains(at, shape="BOX", dimensions=(0.06, 0.05, 0.04), density=1e3)
        )
        m.contact(grains, m.box(m.ground, (0, 0, -0.02), (2, 2, 0.04)), restitution=0.2)
        m.contact(grains, grains, restitution=0.2)
        return m

    run = hn.simulate(scene(), 0.5, 10, contact="time-stepping", step=1e-3)
    assert run.info["referee"]["shapes"] == 5 and "not covered" not in run.info["referee"]
    blind(monkeypatch)
    with pytest.raises(PassageError, match="grain [0-3] of"):
        hn.simulate(scene(), 0.5, 10, contact="time-stepping", step=1e-3)


def test_overlap_without_a_force_is_found_where_no_inner_point_crosses(monkeypatch):
    """A ball that is 5 mm deep in a plate at the end, with the search off: its centre is 95 mm away from the surface,
    but the ball about it reaches into the plate."""
    blind(monkeypatch)
    m = hn.Model()
    m.gravity = (0, 0, 0)
    b = m.part("ball", 1.0, (4e-3,) * 3, (0, 0, 0.2), velocity=(0, 0, -0.105 / 0.4))
    m.contact(m.sphere(b, (0, 0, 0.2), 0.1), m.box(m.ground, (0, 0, -0.5), (4, 4, 1.0)), **SOFT)
    with pytest.raises(PassageError, match=r"'ball'.* overlaps 'ground'.* by 0\.00") as caught:
        hn.simulate(m, 0.4, 20)
    assert caught.value.finding.kind == "overlap" and 1e-4 < caught.value.finding.depth <= 0.005 * (1 + 1e-6)


def test_overlap_that_a_step_of_time_stepping_leaves_is_no_finding():
    """Two balls of 28 mm meet at 10 m/s in steps of 0.5 ms: the overlap of up to 5 mm stays behind an inelastic
    impact."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    a = m.part("a", 0.17, (5e-5,) * 3, (0, 0, 0), velocity=(10.0, 0, 0))
    b = m.part("b", 0.17, (5e-5,) * 3, (0.1013, 0, 0))
    m.contact(m.sphere(a, (0, 0, 0), 0.0286), m.sphere(b, (0.1013, 0, 0), 0.0286), restitution=0.0)
    run = hn.simulate(m, 0.02, 10, contact="time-stepping", step=5e-4, referee="strict")
    assert run.part("b").velocity.values[-1, 0] == pytest.approx(5.0, rel=1e-6)


def test_a_pair_whose_depths_count_from_further_in_is_allowed_that_overlap():
    """As after a jump of its depth (ledger): its law has no force until it is deeper, and that is no passage."""
    m = hn.Model()
    ball = m.part("ball", 1.0, (1e-3,) * 3, (0, 0, 0.099))
    shapes = m.sphere(ball, (0, 0, 0.099), 0.1), m.box(m.ground, (0, 0, -0.1), (1, 1, 0.2))
    m.contact(*shapes, stiffness=1e5)
    system = System(m)
    c, ledger = system.contacts, Ledger(system, print, 1e-6)
    keys = np.zeros(8, np.int64)

    def acting(height, shift):
        y = system.y0.copy()
        y[2] += height
        c.ask(FORCES, 0.0, y)
        c.W.shift[ledger._place(int(c.W.key[0]))] = shift
        c.gaps(0.0, y)
        c.ask(FORCES, 0.0, y)
        return int(c.W.count[POINTS]), acting_pairs(c.handle.address, 1e-6, c.count, keys)

    assert acting(0.0, 0.0) == (1, 1)
    assert acting(0.0, 2e-3) == (0, 1)
    assert acting(0.0, 0.5e-3) == (1, 1)
    assert acting(2e-3, 2e-3) == (0, 0)
