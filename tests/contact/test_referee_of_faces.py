"""The contact referee sees faces of flexible bodies: passages where the contact is switched off are reported, sound
runs are silent."""

import math
from dataclasses import replace

import numpy as np
import pytest
import trimesh

import holonom as hn
from holonom.analyses.contact.refereeing import PassageError
from holonom.contact.referee.faces import FlexibleSide, Pose, points_of, through_facets
from holonom.contact.surfaces.columns import LAW_ACTS, MODE, MUTE
from holonom.elements.kinds import FORCES
from holonom.flexible import Material

RUBBER = Material(1e8, 0.3, 1000.0)
R, SPEED = 0.02, 2.0


def blind(monkeypatch, begin=0.0, end=math.inf):
    """No surface touches anything in steps that begin between two times, for the solver."""
    known = FORCES["SURFACE_CONTACT"]

    def horizon(k, system, skin, t, y):
        off = begin <= t < end
        for one in (skin, skin.back, skin.edges):
            if one is not None:
                one.S.par[MODE] = MUTE if off else LAW_ACTS
        return known.horizon(k, system, skin, t, y)

    monkeypatch.setitem(FORCES, "SURFACE_CONTACT", replace(known, horizon=horizon))


def solid_angles(x, corners):
    """Sum of the solid angles of triangles (t, 3, 3) seen from points (k, 3), over 4 pi (A. Van Oosterom, J. Strackee,
    IEEE Trans. Biomed. Eng. 30 (1983) 125): 1 inside of a closed surface, 0 outside."""
    a, b, c = np.moveaxis(corners[None] - x[:, None, None], 2, 0)
    la, lb, lc = (np.linalg.norm(e, axis=2) for e in (a, b, c))
    dot = lambda u, v: np.einsum("kti,kti->kt", u, v)
    top = dot(a, np.cross(b, c))
    return 2.0 * np.arctan2(top, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb).sum(1) / (4.0 * np.pi)


def box_faces():
    mesh = trimesh.creation.box((2.0, 1.0, 0.6)).subdivide()
    return np.array(mesh.vertices), np.array(mesh.faces, np.int64)


def test_facets_that_move_are_passed_as_often_as_points_change_sides():
    """Of points and a closed surface that both move: entries less exits, against solid angles at both ends."""
    rng = np.random.default_rng(3)
    places, faces = box_faces()
    inside = lambda x, corners: np.round(solid_angles(x, corners[faces])).astype(int)
    changed = 0
    for _ in range(20):
        before = places + 0.05 * rng.normal(size=places.shape)
        after = places @ (np.eye(3) + 0.2 * rng.normal(size=(3, 3))) + 0.3 * rng.normal(size=3)
        starts, ends = (rng.uniform(-1.5, 1.5, (60, 3)) for _ in range(2))
        events, safe = np.zeros((600, 10)), np.zeros(60)
        n = through_facets(before, after, faces, starts, ends, safe, events)
        signs = np.zeros(60)
        np.add.at(signs, events[:n, 0].astype(int), events[:n, 3])
        want = inside(ends, after) - inside(starts, before)
        assert (signs == want).all()
        assert (safe <= np.linalg.norm(ends[:, None] - after, axis=2).min(1) + 1e-12).all()
        changed += np.abs(want).sum()
    assert changed > 100


def test_points_inside_a_flexible_body_move_with_it():
    """They are inside at rest at their depths, and follow a field that is linear in position exactly."""
    places, faces = box_faces()
    field = np.random.default_rng(4).normal(size=(3, 3, 4))
    side = FlexibleSide(places, np.einsum("ijn,aj->ain", field, places), faces, np.ones(len(faces), bool))
    frame = np.concatenate([np.zeros(3), np.eye(3).ravel(), np.zeros(6)])
    x = points_of(side, Pose(frame, np.zeros(4)))
    assert side.closed and len(x) > 30 and np.abs(solid_angles(x, places[faces]) - 1.0).max() < 1e-9
    assert (np.array([1.0, 0.5, 0.3]) - np.abs(x)).min(1) == pytest.approx(side.depth, abs=1e-9)
    q = np.array([0.3, -0.2, 0.1, 0.4])
    moved = points_of(side, Pose(frame, q))
    assert np.abs(moved - x - np.einsum("ijn,kj,n->ki", field, x, q)).max() < 1e-12


def block(m, low, high, counts, contact, name="block"):
    part = m.part(name, 1.0, (1, 1, 1), tuple(0.5 * (np.array(low) + high)))
    mesh = hn.flexible.box(low, high, counts, "hexahedron")
    m.make_flexible(part, mesh, RUBBER, contact=contact, modes=4)
    return part


def strike(kind="sphere", counts=(2, 2, 1), height=0.005, speed=SPEED, **more):
    """A small body flies down to the face z = 0 of a free block between its nodes."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    face = block(m, (-0.1, -0.1, -0.1), (0.1, 0.1, 0.0), counts, "z+")
    x = 0.037, 0.061, R + height
    if kind == "flexible":
        ball = block(m, (x[0] - R, x[1] - R, height), (x[0] + R, x[1] + R, height + 2 * R), (1, 1, 1), "z-", "ball")
        ball.vz = -speed
        m.surface_contact(face, ball, name="hit", **more)
    else:
        ball = m.part("ball", 0.02, (1e-5,) * 3, x, velocity=(0, 0, -speed))
        shape = m.sphere(ball, x, R) if kind == "sphere" else m.box(ball, x, (2 * R,) * 3)
        m.surface_contact(face, shape, name="hit", **more)
    return m


@pytest.mark.parametrize("kind", ["sphere", "flexible"])
def test_reports_what_goes_into_a_face_whose_contact_is_off(monkeypatch, kind):
    blind(monkeypatch)
    with pytest.raises(PassageError, match="'ball'.*overlaps 'block'|'block'.*overlaps 'ball'") as caught:
        hn.simulate(strike(kind), 0.05, 20)
    finding = caught.value.finding
    assert 0.005 / SPEED < finding.time < (0.005 + 2.0 * R) / SPEED
    assert finding.at[:2] == pytest.approx([0.037, 0.061], abs=1.1 * R)
    assert "SURFACE_CONTACT/1 'hit'" in str(caught.value) and "recorded no force" in str(caught.value)


@pytest.mark.parametrize("kind", ["sphere", pytest.param("flexible", marks=pytest.mark.slow)])
def test_is_silent_where_faces_throw_back(kind):
    run = hn.simulate(strike(kind), 0.012, 20, integrator="RADAU5", error=1e-5, referee="strict")
    assert run.part("ball").velocity.values[-1, 2] > 0.0
    seen = run.info["referee"]
    assert seen["shapes"] == 2 and seen["steps sampled"] > 0 and "not covered" not in seen
    assert seen["reference points"] > 20 and "no passage" in str(run)


def test_a_body_that_fits_between_the_points_of_a_face_is_seen():
    """The contact of a face with points at its corners alone, 0.1 m apart, does not see a ball of 40 mm."""
    with pytest.raises(PassageError, match=r"'block' overlaps 'ball'|'ball' .*overlaps 'block'"):
        hn.simulate(strike(divisions=1), 0.03, 10)


def test_a_face_that_is_no_part_of_the_contact_may_be_passed():
    """The ball comes from the side, where the block has no contact."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    face = block(m, (-0.1, -0.1, -0.1), (0.1, 0.1, 0.0), (2, 2, 1), "z+")
    ball = m.part("ball", 0.02, (1e-5,) * 3, (0.13, 0.01, -0.05), velocity=(-SPEED, 0, 0))
    m.surface_contact(face, m.sphere(ball, (0.13, 0.01, -0.05), R), divisions=4)
    run = hn.simulate(m, 0.15, 20)
    assert run.part("ball").position.values[-1, 0] < -0.1 and run.info["referee"]["crossings"] > 0


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 30))])
def test_contacts_of_faces_that_are_off_for_a_while_are_seen(monkeypatch, seed):
    """Bodies thrown at a plate or block of random meshes; the contact is off around the impact."""
    rng = np.random.default_rng([35, seed])
    kind = ("sphere", "box", "flexible")[seed % 3]
    speed, height = 10.0 ** rng.uniform(-0.5, 1.3), 10.0 ** rng.uniform(-3, -2)
    first = height / speed
    blind(monkeypatch, 0.5 * first, first + 1.5 * R / speed)
    counts = (*(int(n) for n in rng.integers(1, 5, 2)), 1)
    options = {"integrator": ("RADAU5", "DOP853")[seed % 2], "error": 10.0 ** rng.uniform(-7, -4), "hmax": 0.2 * first}
    with pytest.raises(hn.ModelError) as caught:
        hn.simulate(strike(kind, counts, height, speed), first + 3.0 * R / speed, 20, **options)
    assert isinstance(caught.value, PassageError) or "deep in" in str(caught.value)


def test_referee_off_is_reported_for_faces():
    run = hn.simulate(strike(), 1e-3, 2, referee=False)
    assert any("the contact referee is off" in text for text in run.info["messages"])
    assert run.info["referee"] == {"mode": "off"}
