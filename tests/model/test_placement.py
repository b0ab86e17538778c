"""Moved, doubled and mirrored parts: positions by SciPy's rotations, masses of mirror images from their geometry,
motion of a mirrored machine."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.model import ModelError
from holonom.model.mass_properties import mass_of_body

SI = {"units": "SI"}


def lopsided(model, name="bracket"):
    """A part without any plane of symmetry, whose mass follows from its shapes."""
    part = model.part(name, 1.0, (1, 1, 1), (0.3, 0.2, -0.1))
    model.move(part, turn=(0.3, -0.5, 0.8))
    model.box(part, (0.3, 0.5, 0.1), (0.4, 0.2, 0.1), x=(1, 0.4, 0), z=(0, 0, 1), name=f"{name}.plate")
    model.cylinder(part, (0.1, 0.2, 0.0), (0.4, 0.6, 0.9), 0.05, name=f"{name}.rod")
    model.sphere(part, (-0.4, 0.3, 0.2), 0.12, name="ball")
    return model.mass_from_shapes(part, 7850.0)


def test_a_move_is_a_turn_about_a_point_and_a_way():
    model = hn.Model("m", **SI)
    part = lopsided(model)
    tip = model.marker_at(part, (0.7, 0.1, 0.4), z=(1, 2, 3))
    other = model.marker_at(model.ground, (1, 1, 1))
    before, frame = model.body_frame(part), model.body_frame(tip) @ tip.frame
    turn, about, by = np.array([0.4, -1.1, 0.7]), np.array([0.2, 0.3, 0.5]), np.array([1.0, -2.0, 0.5])
    R = Rotation.from_rotvec(turn).as_matrix()
    assert model.move(part, by, turn, about) is part
    after, moved = model.body_frame(part), model.body_frame(tip) @ tip.frame
    assert np.allclose(after.origin, about + R @ (before.origin - about) + by, atol=1e-14) and np.allclose(
        after.axes, R @ before.axes, atol=1e-14
    )
    assert np.allclose(moved.origin, about + R @ (frame.origin - about) + by, atol=1e-14) and np.allclose(
        moved.axes, R @ frame.axes, atol=1e-14
    )
    assert other.qp == (1.0, 1.0, 1.0)
    model.move(tip, by=(0, 0, 1), turn=(0, 0, 0.5))
    again = model.body_frame(tip) @ tip.frame
    assert np.allclose(again.origin, moved.origin + [0, 0, 1], atol=1e-14)
    assert np.allclose(again.axes, Rotation.from_rotvec([0, 0, 0.5]).as_matrix() @ moved.axes, atol=1e-14)
    assert np.array_equal(model.body_frame(part).origin, after.origin)


def test_a_plain_way_keeps_the_numbers_as_they_are_written():
    model = hn.Model("m", **SI)
    part = model.part("a", 1.0, (1, 1, 1), (0.1, 0.2, 0.3))
    part.zg, part.xg = (0.1, 0.2, 1.3), (1.1, 0.2, 0.3)
    axes = part.frame.axes
    model.move(part, by=(1, 0, 0))
    assert part.qg == (1.1, 0.2, 0.3) and part.zg == (1.1, 0.2, 1.3) and np.array_equal(part.frame.axes, axes)


def test_the_double_of_a_part_has_its_shapes_and_markers_and_no_joints():
    model = hn.Model("m", **SI)
    part = lopsided(model)
    model.revolute(part, model.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    twin = model.duplicate(part, by=(0, 0, 2))
    assert twin.name == "bracket 2" and len(model.joints) == 1
    names = {g.name for g in model.table("GRAPHICS").values()}
    assert {"bracket 2.plate", "bracket 2.rod", "bracket 2.ball"} <= names
    found, want = mass_of_body(model, twin, 7850.0), mass_of_body(model, part, 7850.0)
    assert (
        found.mass == want.mass
        and np.allclose(found.centre, want.centre, atol=1e-15)
        and np.array_equal(twin.ip, part.ip)
    )
    assert not {m for g in model.table("GRAPHICS").values() if g.name.startswith("bracket 2") for m in g.markers} & {
        m.id for m in model.markers.values() if m.part == part.id
    }
    pin = model.duplicate(model.find("JOINT", "pin"))
    assert (pin.i, pin.j, pin.name) == (model.find("JOINT", "pin").i, model.find("JOINT", "pin").j, "pin 2")


@pytest.mark.parametrize("normal", [(0, 1, 0), (1, -2, 0.5)])
def test_a_mirror_image_has_the_mass_of_its_mirrored_shapes(normal):
    """Inertia that was mirrored by signs against that integrated over the shapes, which were mirrored by their
    markers."""
    model = hn.Model("m", **SI)
    part = lopsided(model)
    at = np.array([0.1, 0.6, 0.2])
    twin = model.mirror(part, at, normal)
    n = np.array(normal) / np.linalg.norm(normal)
    S = np.eye(3) - 2 * np.outer(n, n)
    want = mass_of_body(model, twin, 7850.0)
    cm = model.find("MARKER", twin.cm)
    assert twin.mass == pytest.approx(want.mass, rel=1e-12) and np.allclose(cm.qp, want.centre, atol=1e-12)
    assert np.allclose(twin.ip, want.about(cm.axes), rtol=1e-9, atol=1e-9 * max(want.about(cm.axes)[:3]))
    place = lambda p: model.body_frame(p).origin + model.body_frame(p).axes @ np.array(model.find("MARKER", p.cm).qp)
    assert np.allclose(place(twin), at + S @ (place(part) - at), atol=1e-14)
    assert np.linalg.det(model.body_frame(twin).axes) == pytest.approx(1.0)


@pytest.mark.slow
def test_a_mirrored_pendulum_swings_as_the_image_of_the_first():
    model = hn.Model("m", **SI)
    model.gravity = (0, 0, -9.80665)
    part = lopsided(model)
    part.wx, part.wy, part.wz = 1.0, 2.0, -3.0
    twin = model.mirror(part, (0, 2.0, 0), (0, 1, 0))
    S = np.diag([1.0, -1.0, 1.0])
    pivot = np.array([0.1, 0.1, 0.9])
    model.spherical(part, model.ground, "first", at=pivot)
    model.spherical(twin, model.ground, "second", at=(0.1, 3.9, 0.9))
    for p in (part, twin):
        p.vx = p.vy = p.vz = None
    run = hn.simulate(model, end=1.0, steps=50, error=1e-9)
    a, b = (run.part(p).position.values for p in (part, twin))
    assert np.abs(a - a[0]).max() > 0.1 and np.allclose(b, a @ S + [0, 4.0, 0], atol=1e-6)


def test_what_cannot_be_moved_or_mirrored_says_why():
    model = hn.Model("m", **SI)
    part = lopsided(model)
    pin = model.revolute(part, model.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    for call, words in (
        (lambda: model.move(model.ground), "the ground, which does not move"),
        (lambda: model.duplicate(model.ground), "one only"),
        (lambda: model.mirror(part, normal=(0, 0, 0)), "normal of the mirror is zero"),
        (lambda: model.move(pin), "no position of its own"),
        (lambda: model.move(part, by=(1, 2)), "three finite numbers|by"),
        (lambda: model.move(part, turn=(math.nan, 0, 0)), "turn"),
        (lambda: model.move(hn.Model("other").part("x", 1, (1, 1, 1))), "another model"),
    ):
        with pytest.raises(ModelError, match=words):
            call()
    model.hull(part, [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    with pytest.raises(ModelError, match="has no mirror image"):
        model.mirror(part)
    part.vx, part.vy, part.vz = 1.0, None, None
    with pytest.raises(ModelError, match="HULL|one component"):
        model.mirror(part, normal=(1, 1, 0))


def test_sliding_masses_are_copied_and_mirrored():
    """The copy swings as its original does, the image in a plane across y as well, with the line along (1, -0.5, 0)."""
    m = hn.Model("w")
    m.gravity = (0, 0, -9.81)
    t = m.part("p", 3.0, (1, 1.2, 0.7), (0, 0.4, -1))
    m.sliding_mass(t, (0, 0.6, -1.3), (1, 0.5, 0), mass=1.0, stiffness=20.0, travel=0.1)
    m.duplicate(t, "d", by=(0, 5, 0))
    m.mirror(t, name="e")
    run = hn.simulate(m, end=0.5, steps=5)
    first = run.part("p").position.values
    for name, moved, sign in (("d", (0, 5, 0), 1), ("e", (0, 0, 0), -1)):
        assert run.part(name).position.values == pytest.approx(first * [1, sign, 1] + moved, abs=1e-7)
    travels = [run.state(f"SLIDING_MASS_{k}").values for k in (1, 2, 3)]
    assert travels[1] == pytest.approx(travels[0], abs=1e-7) and travels[2] == pytest.approx(travels[0], abs=1e-7)
