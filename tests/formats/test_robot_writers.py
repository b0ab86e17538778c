"""Robot files that are written: read again they move as the model, in all formats; what a format lacks is named."""

import warnings

import pytest

import holonom as hn

READERS = {"urdf": hn.read_urdf, "mjcf": hn.read_mjcf, "sdf": hn.read_sdf}
WRITERS = {"urdf": hn.write_urdf, "mjcf": hn.write_mjcf, "sdf": hn.write_sdf}
ENDINGS = {"urdf": ".urdf", "mjcf": ".xml", "sdf": ".sdf"}


def arm(millimetres=False):
    """A hinge and a slider with limits, damping, a box; the second joint has its first part as I."""
    model = hn.Model("arm")
    if millimetres:
        model.units = hn.Units(length="MILLIMETER")
    u = 1000.0 if millimetres else 1.0
    model.gravity = (0, 0, -9.81 * u)
    a = model.part("upper", 2.0, (0.02 * u * u, 0.03 * u * u, 0.01 * u * u, 0.002 * u * u, 0, 0), (0.3 * u, 0, u))
    b = model.part("lower", 1.0, (0.01 * u * u, 0.02 * u * u, 0.02 * u * u), (0.7 * u, 0.1 * u, u))
    p = model.revolute(a, model.ground, "p", at=(0, 0, u), axis=(0, 1, 0.2), lower=-2.0, upper=2.5)
    model.torsion_spring(p.i, p.j, damping=0.1 * u * u / u, name="p damping")
    model.translational(a, b, "q", at=(0.5 * u, 0, u), axis=(1, 0, 0), lower=-u, upper=2 * u)
    model.box(b, (0.7 * u, 0.1 * u, u), (0.1 * u, 0.2 * u, 0.3 * u), name="box")
    return model


def quietly(call, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hn.ModelWarning)
        return call(*args, **options)


def said(call, *args):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call(*args)
    return " ".join(str(w.message) for w in seen)


def swing(model):
    run = hn.simulate(model, end=0.3, steps=1, error=1e-10, integrator="DOP853", progress=False)
    return run.joint("p").angle.values[-1], run.joint("q").travel.values[-1] * model.units.si_length


@pytest.mark.parametrize("kind", WRITERS)
def test_a_written_model_moves_alike(tmp_path, kind):
    path = tmp_path / f"arm{ENDINGS[kind]}"
    want = swing(arm())
    quietly(WRITERS[kind], arm(), path)
    again = quietly(READERS[kind], path)
    got = swing(again)
    # coordinates of a joint whose I part is the parent: both run along the axis of the file
    assert got == pytest.approx(want, abs=2e-9) and abs(want[0]) > 0.1 and abs(want[1]) > 0.01
    (box,) = [g for g in again.table("GRAPHICS").values() if "box" in g.name]
    assert sorted(box.arguments[x] for x in "xyz") == pytest.approx([0.1, 0.2, 0.3])
    assert len(again.table("SWITCH")) == 2


def test_units_are_those_of_si(tmp_path):
    for kind, write in WRITERS.items():
        path = tmp_path / f"arm{ENDINGS[kind]}"
        quietly(write, arm(millimetres=True), path)
        again = quietly(READERS[kind], path)
        part = again.find("PART", "upper")
        assert part.mass == pytest.approx(2.0) and max(part.inertia[k][k] for k in range(3)) < 0.04
        assert again.find("PART", "lower").position == pytest.approx((0.7, 0.1, 1.0))


@pytest.mark.parametrize("kind", ["mjcf", "sdf"])
def test_loops_couplers_and_starts_are_written(tmp_path, kind):
    """A parallelogram in an inclined position, and a follower."""
    model = hn.Model("loop")
    model.gravity = (0, 0, -9.81)
    at = {"a": (0.05, 0, 0.25), "c": (1.05, 0, 0.25), "b": (0.6, 0, 0.5), "f": (3, 0, 0.25)}
    a, c, b, f = (model.part(n, 1.0, (0.02, 0.02, 0.01), at[n]) for n in ("a", "c", "b", "f"))
    hinge = lambda i, j, name, x, z: model.revolute(i, j, name, at=(x, 0, z), axis=(0, 1, 0))
    p = hinge(a, model.ground, "p", 0, 0)
    hinge(c, model.ground, "r", 1, 0)
    hinge(b, a, "s", 0.1, 0.5)
    hinge(c, b, "t", 1.1, 0.5)
    q = hinge(f, model.ground, "q", 3, 0)
    model.coupler([q, p], (1.0, 2.0))
    path = tmp_path / f"loop{ENDINGS[kind]}"
    quietly(WRITERS[kind], model, path)
    again = quietly(READERS[kind], path)
    assert hn.check(again).degrees_of_freedom == hn.check(model).degrees_of_freedom == 1
    ends = [
        [hn.simulate(m, end=0.2, steps=1, error=1e-9, progress=False).joint(n).angle.values[-1] for n in ("p", "q")]
        for m in (model, again)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-6) and abs(ends[0][0]) > 0.02


def test_what_a_format_lacks_is_named():
    model = arm()
    tip = model.marker(model.find("PART", "lower"), name="tip")
    model.request("tip", functions=[f"DX({tip})"])
    model.gravity = (0, 0, -1.62)
    ball = model.part("ball", 1.0, (1, 1, 1), (5, 0, 0))
    model.spherical(ball, model.ground, "socket", at=(5, 0, 1))
    for kind, write in WRITERS.items():
        text = said(write, model)
        assert "1 REQUEST" in text, kind
        assert ("gravity 0.0 0.0 -1.62" in text) == (kind != "mjcf")
        assert ("joint 'socket' (SPHERICAL), written as floating" in text) == (kind == "urdf")
    model.add(hn.Model("x").part("upper").__class__(name="lower"))
    with pytest.raises(hn.ModelError, match="two parts are named 'lower'"):
        hn.write_urdf(model)


def pendulum():
    model = hn.Model("pendulum")
    model.gravity = (0, 0, -9.81)
    return model, model.part("b", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0))


@pytest.mark.parametrize("kind", WRITERS)
def test_what_is_set_and_not_written_is_named(kind):
    model, b = pendulum()
    j = model.revolute(b, model.ground, "J", at=(0, 0, 0), axis=(0, 1, 0), angle=0.4)
    b.wy, b.vz = 2.0, -1.0
    model.stop(j, -0.1, 0.3, restitution=0.8)
    text = said(WRITERS[kind], model)
    for words in ("start and speed (icrot) of JOINT 'J'", "initial velocity wy of PART 'b'", "initial velocity vz"):
        assert words in text
    assert "restitution of SWITCH 'J.stop'" in text
    model, b = pendulum()
    model.revolute(b, model.ground, "J", at=(0, 0, 0), axis=(0, 1, 0), lower=-1.0, upper=1.0)
    assert said(WRITERS[kind], model) == ""


@pytest.mark.parametrize("kind", ["mjcf", "sdf"])
def test_two_springs_and_a_preload_are_one_spring(kind, tmp_path):
    """-3 (a - 0.5) + 0.7 - 4 (a + 0.5) = -7 (a - 0.2 / 7): the closed form, read again."""
    model, b = pendulum()
    j = model.revolute(b, model.ground, "J", at=(0, 0, 0), axis=(0, 1, 0))
    model.torsion_spring(j.i, j.j, stiffness=3.0, angle=0.5, torque=0.7)
    model.torsion_spring(j.i, j.j, stiffness=4.0, angle=-0.5)
    path = tmp_path / f"p{ENDINGS[kind]}"
    assert said(WRITERS[kind], model, path) == ""
    (spring,) = quietly(READERS[kind], path).table("SPRINGDAMPER").values()
    assert spring.kt == pytest.approx(7.0) and spring.angle == pytest.approx(0.2 / 7.0)
    run = [
        hn.simulate(m, end=0.3, steps=1, error=1e-10).part("b").position.values[-1]
        for m in (model, quietly(READERS[kind], path))
    ]
    assert run[0] == pytest.approx(run[1], abs=1e-8)


def test_a_constant_torque_of_a_spring_is_named():
    model, b = pendulum()
    j = model.revolute(b, model.ground, "J", at=(0, 0, 0), axis=(0, 1, 0))
    model.torsion_spring(j.i, j.j, damping=1.0, torque=0.7)
    assert "constant load 0.7 of the springs of joint 'J'" in said(hn.write_mjcf, model)
