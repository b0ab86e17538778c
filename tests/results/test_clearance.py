"""Minimum distances of parts over motions, against closed forms and brute force in NumPy."""

from types import SimpleNamespace

import numpy as np
import pytest

import holonom as hn
from holonom.contact.nearest import Nearest
from holonom.model import ModelError
from holonom.model.orientation import from_quaternion, to_quaternion
from holonom.model.shape import shape_of
from holonom.results import Run, RunData
from holonom.results.clearance import picture


def motion(model, places, speeds, t):
    """A run of bodies that move straight on, without turning: positions (nb, 3) at 0, speeds (nb, 3)."""
    bodies = [("PART", p.id, p.name) for p in model.parts.values() if not p.ground]
    nb = len(bodies)
    z = np.zeros((len(t), nb, 3))
    q = np.zeros((len(t), nb, 4))
    q[..., 0] = 1.0
    p, v = np.asarray(places, float), np.asarray(speeds, float)
    return Run(
        model,
        RunData(
            t,
            bodies=bodies,
            body_position=p + t[:, None, None] * v,
            body_quaternion=q,
            body_velocity=z + v,
            body_acceleration=z,
            body_angular_velocity=z,
            body_angular_acceleration=z,
        ),
    )


def two(draw_a, draw_b):
    m = hn.Model("pair", units="mm")
    a, b = m.part("A", 1.0), m.part("B", 1.0)
    return m, draw_a(m, a), draw_b(m, b)


def pose(rng, far):
    out = np.empty((2, 12))
    for k in range(2):
        q = rng.normal(size=4)
        out[k] = [*(k * far * rng.normal(size=3)), *from_quaternion(q / np.linalg.norm(q)).ravel()]
    return out


def box(m, p):
    return m.box(p, (0, 0, 0), (2.0, 1.0, 3.0))


def sphere(m, p):
    return m.sphere(p, (0, 0, 0), 0.7)


def capsule(m, p):
    return m.capsule(p, (0, 0, -1.0), (0, 0, 1.0), 0.4)


def cylinder(m, p):
    return m.cylinder(p, (0, 0, -1.0), (0, 0, 1.0), 0.6)


def of_box(x, half=(1.0, 0.5, 1.5)):
    return np.linalg.norm(np.maximum(np.abs(x) - half, 0.0), axis=-1)


def local(pose_, k, x):
    return (x - pose_[k, :3]) @ pose_[k, 3:].reshape(3, 3)


def spread(pose_, k, s):
    """Points on the axis of a rod from -1 to 1, in ground."""
    return pose_[k, :3] + np.asarray(s)[:, None] * pose_[k, 3:].reshape(3, 3)[:, 2]


def convex_minimum(f):
    """Of a convex function over [-1, 1] by golden section."""
    from scipy.optimize import minimize_scalar

    return minimize_scalar(f, bounds=(-1.0, 1.0), method="bounded", options={"xatol": 1e-13}).fun


def cylinder_distance(x):
    return np.hypot(max(np.hypot(x[0], x[1]) - 0.6, 0.0), max(abs(x[2]) - 1.0, 0.0))


CLOSED = {
    "sphere-sphere": (sphere, sphere, lambda p: np.linalg.norm(p[1, :3] - p[0, :3]) - 1.4),
    "sphere-box": (sphere, box, lambda p: of_box(local(p, 1, p[0, :3])) - 0.7),
    "sphere-capsule": (
        sphere,
        capsule,
        lambda p: convex_minimum(lambda s: np.linalg.norm(spread(p, 1, [s])[0] - p[0, :3])) - 1.1,
    ),
    "sphere-cylinder": (sphere, cylinder, lambda p: cylinder_distance(local(p, 1, p[0, :3])) - 0.7),
    "capsule-box": (
        capsule,
        box,
        lambda p: convex_minimum(lambda s: float(of_box(local(p, 1, spread(p, 0, [s])[0])))) - 0.4,
    ),
    "capsule-capsule": (
        capsule,
        capsule,
        lambda p: (
            convex_minimum(
                lambda s: convex_minimum(lambda u: np.linalg.norm(spread(p, 0, [s])[0] - spread(p, 1, [u])[0]))
            )
            - 0.8
        ),
    ),
    "capsule-cylinder": (
        capsule,
        cylinder,
        lambda p: convex_minimum(lambda s: cylinder_distance(local(p, 1, spread(p, 0, [s])[0]))) - 0.4,
    ),
}


@pytest.mark.parametrize("name", CLOSED)
def test_convex_shapes_against_closed_forms(name):
    a, b, exact = CLOSED[name]
    m, ga, gb = two(a, b)
    near = Nearest([shape_of(m, ga)], [shape_of(m, gb)])
    rng = np.random.default_rng(5)
    checked = 0
    for _ in range(60):
        p = pose(rng, 3.0)
        d = exact(p)
        if d < 0.05:
            continue
        found = near.at(p)
        assert found[0] == pytest.approx(d, abs=2e-7)
        assert np.linalg.norm(found[3:6] - found[6:9]) == pytest.approx(
            found[0], abs=1e-9
        )  # the points are that far apart
        checked += 1
    assert checked > 20


def test_overlap_of_convex_shapes_is_the_shortest_way_out():
    m, ga, gb = two(box, sphere)
    near = Nearest([shape_of(m, ga)], [shape_of(m, gb)])
    p = np.zeros((2, 12))
    p[:, [3, 7, 11]] = 1.0
    p[1, :3] = 0.2, 0.3, 0.1  # the nearest face of the box is y = 0.5
    assert near.at(p)[0] == pytest.approx(-(0.5 - 0.3 + 0.7), abs=1e-9)


def test_meshes_against_all_pairs_of_their_corners_and_triangles():
    """Two icosahedra by SciPy's quadratic programme over their hulls; as meshes and as hulls alike."""
    from scipy.optimize import nnls

    g = (1 + 5**0.5) / 2
    corners = np.array(
        [(s, t * g, 0) for s in (-1, 1) for t in (-1, 1)]
        + [(0, s, t * g) for s in (-1, 1) for t in (-1, 1)]
        + [(t * g, 0, s) for s in (-1, 1) for t in (-1, 1)]
    )
    from scipy.spatial import ConvexHull

    hull = ConvexHull(corners)
    faces = hull.simplices.copy()
    out = np.einsum(
        "ij,ij->i",
        np.cross(corners[faces[:, 1]] - corners[faces[:, 0]], corners[faces[:, 2]] - corners[faces[:, 0]]),
        hull.equations[:, :3],
    )
    faces[out < 0] = faces[out < 0][:, ::-1]
    m, ga, gb = two(lambda m, p: m.mesh(p, (corners, faces)), lambda m, p: m.hull(p, corners))
    near = Nearest([shape_of(m, ga)], [shape_of(m, gb)])
    both = Nearest([shape_of(m, ga)], [shape_of(m, ga)])
    rng = np.random.default_rng(2)
    for _ in range(12):
        p = pose(rng, 5.0)
        A = [corners @ p[k, 3:].reshape(3, 3).T + p[k, :3] for k in range(2)]
        heavy = 1e5  # shares that sum to one, by weight
        rows = np.vstack([np.hstack([A[0].T, -A[1].T]), heavy * np.repeat(np.eye(2), 12, axis=1)])
        x, _ = nnls(rows, np.array([0.0, 0.0, 0.0, heavy, heavy]), maxiter=1000)
        exact = np.linalg.norm(A[0].T @ x[:12] - A[1].T @ x[12:])
        if exact < 0.05:
            continue
        assert near.at(p)[0] == pytest.approx(exact, rel=1e-6)
        assert both.at(p)[0] == pytest.approx(near.at(p)[0], rel=1e-9)


def test_a_part_wholly_inside_a_mesh_overlaps_and_one_in_its_cavity_does_not():
    m = hn.Model("case", units="mm")
    a, b = m.part("A", 1.0), m.part("B", 1.0)
    ring = m.torus(a, (0, 0, 0), (0, 0, 1), 3.0, 1.0)
    ball = m.sphere(b, (0, 0, 0), 0.25)
    near = Nearest([shape_of(m, ring)], [shape_of(m, ball)])
    p = np.zeros((2, 12))
    p[:, [3, 7, 11]] = 1.0
    assert near.at(p)[0] == pytest.approx(2.0 - 0.25, abs=near.deviation)  # in the hole of the ring
    p[1, 0] = 3.0
    assert near.at(p)[0] == pytest.approx(-(1.0 - 0.25), abs=near.deviation)  # within its material
    assert 0.0 < near.deviation < 5e-3


def test_passing_spheres_between_outputs():
    """Two balls pass each other at 3 between outputs at whole seconds: the minimum distance is 3 - 2 at 4.5; at outputs
    sqrt(9 + 4) - 2."""
    m, _, _ = two(lambda m, p: m.sphere(p, (0, 0, 0), 1.0), lambda m, p: m.sphere(p, (0, 0, 0), 1.0))
    run = motion(m, [(0, 0, 0), (-18.0, 3.0, 0)], [(0, 0, 0), (4.0, 0, 0)], np.arange(0.0, 10.0))
    found = run.clearance("A", "B")
    assert found.minimum == pytest.approx(1.0, abs=1e-9) and found.when == pytest.approx(4.5, abs=1e-4)
    assert found.distance.min() == pytest.approx(np.sqrt(13.0) - 2.0, abs=1e-12)
    assert found.sure <= found.minimum and found.minimum - found.sure < 0.01
    np.testing.assert_allclose(found.where, [(0, 1, 0), (0, 2, 0)], atol=1e-3)
    assert not found.touch and "at 4.5" in found.text()
    rough = run.clearance("A", "B", refine=False)
    assert rough.minimum == found.distance.min() and rough.when in (4.0, 5.0)
    h = found.history()
    assert h["distance"].attrs["units"] == "mm" and h["on_a"].dims == ("time", "axis")


def test_two_cars_side_by_side_are_not_looked_at_for_ever():
    """Both fast, their distance constant: the bound is that of relative motion."""
    m, _, _ = two(box, box)
    run = motion(m, [(0, 0, 0), (0, 5.0, 0)], [(1e5, 0, 0), (1e5, 0, 0)], np.linspace(0.0, 1.0, 11))
    found = run.clearance("A", "B")
    assert (
        found.minimum == pytest.approx(4.0, abs=1e-9) and found.sure == pytest.approx(4.0, abs=1e-6) and not found.notes
    )


def test_a_turning_bar_over_a_floor():
    """A pendulum of a box 2 x 1 x 3 turning about y through its centre, 2 above a half-space: its corner is lowest, at
    angle atan(2/3) from the upright."""
    m = hn.Model("bar", units="mm")
    a = m.part("A", 1.0)
    box(m, a)
    m.plane(m.ground, (0, 0, -3.0), (0, 0, 1))
    t = np.linspace(0.0, 1.0, 6)
    q = np.array(
        [to_quaternion(np.array([[np.cos(x), 0, np.sin(x)], [0, 1, 0], [-np.sin(x), 0, np.cos(x)]])) for x in t]
    )
    z = np.zeros((len(t), 1, 3))
    run = Run(
        m,
        RunData(
            t,
            bodies=[("PART", a.id, "A")],
            body_position=z,
            body_quaternion=q[:, None],
            body_velocity=z,
            body_acceleration=z,
            body_angular_velocity=z + [0, 1.0, 0],
            body_angular_acceleration=z,
        ),
    )
    found = run.clearance("A", m.ground)
    assert found.minimum == pytest.approx(3.0 - np.hypot(1.0, 1.5), abs=1e-6)
    assert found.when == pytest.approx(np.arctan2(1.0, 1.5), abs=2e-3)
    np.testing.assert_allclose(found.distance, 3.0 - (np.sin(t) + 1.5 * np.cos(t)), atol=1e-9)


def test_bad_input_is_one_sentence():
    m, ga, _ = two(box, sphere)
    m.part("BARE", 1.0)
    bore = m.part("BORE", 1.0)
    hole = m.cylinder(bore, (0, 0, 0), (0, 0, 1), 1.0, inside=True)
    m.plane(m.ground, (0, 0, -3.0), (0, 0, 1))
    run = motion(m, np.zeros((4, 3)), np.zeros((4, 3)), np.array([0.0, 1.0]))
    for names, word in (
        (("A", "A"), "name two parts"),
        (("A", "BARE"), "has no shapes"),
        (("A", "C"), "none of the bodies"),
        (("A", "BORE"), "hollow"),
        (([ga, "GRAPHICS/2"], "B"), "lie on several parts"),
        (([ga, "B"], "B"), "list of GRAPHICS"),
    ):
        with pytest.raises(ModelError, match=word):
            run.clearance(*names)
    with pytest.raises(ModelError, match="faceting"):
        run.clearance("A", "B", faceting=0.0)
    assert hole.id and run.clearance(ga, "GRAPHICS/2").touch


def test_command_and_animation(tmp_path, capsys):
    from holonom.cli import app
    from holonom.results.pages.animation import scene

    m, _, _ = two(lambda m, p: m.sphere(p, (0, 0, 0), 1.0), lambda m, p: m.sphere(p, (0, 0, 0), 1.0))
    run = motion(m, [(0, 0, 0), (-18.0, 3.0, 0)], [(0, 0, 0), (4.0, 0, 0)], np.arange(0.0, 10.0))
    run.save(tmp_path / "run.h5")
    call = lambda *words: pytest.raises(SystemExit, app, [str(w) for w in ("clearance", tmp_path, *words)]).value.code
    assert (
        call(
            "--between",
            "A,B",
            "--plot",
            tmp_path / "d.png",
            "--animation",
            tmp_path / "d.html",
            "--csv",
            tmp_path / "d.csv",
        )
        == 0
    )
    out = capsys.readouterr().out
    assert "A - B" in out and " 4.5 " in out and (tmp_path / "d.png").stat().st_size > 5000
    assert (
        "nearest point of A" in (tmp_path / "d.html").read_text(encoding="utf-8")
        or (tmp_path / "d.html").stat().st_size > 10000
    )
    assert len((tmp_path / "d.csv").read_text(encoding="utf-8").splitlines()) == 11
    assert call("--within", "1.5") == 1 and call("--within", "0.5") == 0
    assert call("--between", "A") == 2 and "two parts" in capsys.readouterr().err
    found = run.clearance("A", "B")
    data = scene(run, distances=[found])
    assert [b["name"] for b in data["bodies"]][-2:] == ["nearest point of A", "nearest point of B"] and len(
        data["strands"]
    ) == 1
    with pytest.raises(ModelError, match="ask this run"):
        scene(run.between(0.0, 3.0), distances=[found])


@pytest.mark.parametrize("name", ["d.nonsense", "no folder/d.png"])
def test_a_picture_that_cannot_be_written_is_one_sentence(tmp_path, name):
    seen = SimpleNamespace(time=[0.0, 1.0], distance=np.ones(2), names=("A", "B"), minimum=1.0, when=0.0)
    seen.second, seen.unit = "s", "m"
    with pytest.raises(ModelError, match="^cannot write .*(Format 'nonsense' is not supported|No such file)"):
        picture([seen], tmp_path / name)
