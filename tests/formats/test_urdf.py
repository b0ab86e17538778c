"""Robot files: motion against MuJoCo and closed forms, merging of links, refusals, what is listed as not read."""

import math
import random
import re
import warnings
from functools import partial

import numpy as np
import pytest
from _robots import ROBOTS, public_files_read, quiet

import holonom as hn
from _public_data import NEEDS


def robot(tmp_path, body, name="r.urdf"):
    path = tmp_path / name
    path.write_text(f'<?xml version="1.0"?>\n<robot name="r">\n{body}\n</robot>\n')
    return path


def link(name, mass=0.0, at=(0, 0, 0), inertia=0.01, rest="", rpy="0 0 0"):
    if not mass:
        return f'<link name="{name}">{rest}</link>'
    return (
        f'<link name="{name}"><inertial><origin xyz="{at[0]} {at[1]} {at[2]}" rpy="{rpy}"/><mass value="{mass}"/>'
        f'<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial>{rest}</link>'
    )


def joint(name, kind, parent, child, at="0 0 0", axis="0 1 0", rpy="0 0 0", rest=""):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{at}" rpy="{rpy}"/><axis xyz="{axis}"/>{rest}</joint>'
    )


quietly = partial(quiet, hn.read_urdf)


#: start and end of joints that swing from rest under gravity for so many seconds; MuJoCo 4.0.0 with RK4 of 1e-4 s,
#: limits, contacts and friction off, shapes removed
SWINGS = {
    "drake/kuka_iiwa_robot.urdf": (0.1, (0.252441, 0.272789, 0.042336, -0.227041, -0.287677, -0.083825, 0.197096),
        (0.25350660456, 0.277481161228, 0.017858690241, -0.295386780751, -0.245627232148, -0.242372015746,
         0.175868691548)),
    "double_pendulum_description/urdf/double_pendulum_simple.urdf": (0.5, (0.252441, 0.272789),
        (2.576887697404, 0.628741519871)),
    "newton/cartpole.urdf": (0.5, (1.346354, 0.272789, 0.042336), (1.443123682596, 0.70981256588, -0.352591228861)),
    "newton/quadruped.urdf": (0.1, (0.252441, 0.272789, 0.042336, -0.227041, -0.287677, -0.083825, 0.197096, 0.296807,
        0.123636, -0.163206, -0.299997, -0.160972),
        (0.185967927404, 0.219216876227, None, None, None, None, None, None, None, -0.167765794168, -0.28026342491,
         -0.060220848574)),
}  # fmt: skip


@pytest.mark.parametrize("file", SWINGS)
def test_robots_swing_as_in_mujoco(file):
    if not (ROBOTS / file).exists():
        pytest.skip(f"{NEEDS}: {ROBOTS / file} is absent")
    end, start, want = SWINGS[file]
    names = re.findall(r'<joint\s[^>]*?name="(\w+)"[^>]*?type="(?:revolute|continuous|prismatic)"',
        (ROBOTS / file).read_text())  # fmt: skip
    model = quietly(ROBOTS / file, positions=dict(zip(names, start, strict=True)), shapes="none")
    run = hn.simulate(model, end=end, steps=1, error=1e-10, integrator="DOP853", progress=False)
    for name, q in zip(names, want):
        found = run.joint(name).travel if name == "slider_to_cart" else run.joint(name).angle
        assert q is None or found.values[-1] == pytest.approx(q, abs=2e-9), name


def test_all_public_files_are_read_or_refused_with_a_sentence():
    assert public_files_read(hn.read_urdf, "urdf") >= 18


def test_a_double_pendulum_by_hand(tmp_path):
    """Accelerations at the start, of M q'' = Q written down for a cart with two rods in turned frames."""
    path = robot(
        tmp_path,
        link("base") + link("a", 2.0, (0, 0, -0.5), 0.02) + link("b", 1.0, (0.1, 0, -0.3), 0.03, rpy="0.3 0.2 0.1")
        + joint("j1", "continuous", "base", "a", "1 2 3", "0 -2 0", "0 0 1.2")
        + joint("j2", "continuous", "a", "b", "0 0 -1", "0 1 0", "0 0.4 0"),
    )  # fmt: skip
    model = quietly(path, positions={"j1": 0.3, "j2": -0.7})
    run = hn.simulate(model, end=1e-3, steps=1, error=1e-10, progress=False)
    # angles about +y of the plane, whose x is turned by 1.2 about z: a = -q1, b = a + 0.4 + q2
    a, b = -0.3, -0.3 + 0.4 - 0.7
    turn = lambda x, z, t: np.array([x * math.cos(t) + z * math.sin(t), -x * math.sin(t) + z * math.cos(t)])
    ra, rb, rj = turn(0, -0.5, a), turn(0.1, -0.3, b), turn(0, -1.0, a)
    d = lambda r: np.array([r[1], -r[0]])  # derivative with the angle
    J = [(d(ra), np.zeros(2), 2.0, 0.02, (1, 0)), (d(rj), d(rb), 1.0, 0.03, (0, 1))]
    M, Q = np.zeros((2, 2)), np.zeros(2)
    for da, db, m, i, spin in J:
        D = np.column_stack((da, db))
        M += m * D.T @ D + i * np.outer(spin, spin)
        Q += D.T @ (0.0, -9.81 * m)
    acc = np.linalg.solve(M, Q)
    want = 0.3 - 0.5e-6 * acc[0], -0.7 + 0.5e-6 * (acc[1] - acc[0])
    got = run.joint("j1").angle.values[-1], run.joint("j2").angle.values[-1]
    assert got == pytest.approx(want, abs=1e-10) and abs(acc[0]) > 0.5


def test_links_of_fixed_joints_are_one_body(tmp_path):
    """A dumbbell of three links: mass, centre and inertia by Steiner; each link keeps its frame."""
    path = robot(
        tmp_path,
        link("m", 1.0, inertia=0.1) + link("l", 2.0, (0, 0, 0.5)) + link("r", 2.0, (0.0, 0, -0.5))
        + joint("f", "fixed", "m", "l", "1 0 0", rpy="0 1.5707963267948966 0")
        + joint("g", "fixed", "m", "r", "-1 0 0", rpy="0 1.5707963267948966 0"),
    )  # fmt: skip
    model = quietly(path, base="free", position=(0, 0, 7))
    (part,) = [p for p in model.parts if p.name == "m"]
    assert part.mass == 5.0 and part.position == pytest.approx((0, 0, 7))
    side = 0.1 + 2 * 0.01 + 2 * 2.0 * 1.5**2
    assert np.allclose(np.linalg.eigvalsh(part.inertia), (0.12, side, side))
    assert {m.name for m in model.table("MARKER").values()} >= {"m", "l", "r"}
    assert hn.check(model).degrees_of_freedom == 6
    held = quietly(path)
    assert not [p for p in held.parts if p.name == "m"] and hn.check(held).degrees_of_freedom == 0


def test_damping_friction_limits_and_mimics(tmp_path):
    arm = link("base") + link("a", 1.0, (1, 0, 0)) + link("b", 1.0, (1, 0, 0))
    slider = arm + joint("x", "prismatic", "base", "a", axis="1 0 0", rest='<limit lower="-9" upper="9"/>'
        '<dynamics damping="2"/>') + joint("y", "prismatic", "base", "b", axis="1 0 0",
        rest='<limit lower="-9" upper="9"/><mimic joint="x" multiplier="-0.5"/>')  # fmt: skip
    run = hn.simulate(quietly(robot(tmp_path, slider), gravity=(4, 0, 0)), end=1.0, steps=1, progress=False)
    x, y = run.joint("x").travel.values[-1], run.joint("y").travel.values[-1]
    # (1 + 1/4) x'' = 4 (1 - 1/2) - 2 x'
    assert y == pytest.approx(-0.5 * x, abs=1e-9)
    assert x == pytest.approx(1.0 - 0.625 * (1.0 - math.exp(-1.6)), abs=1e-6)
    turning = arm + joint("p", "revolute", "base", "a", axis="0 0 1", rest='<limit lower="-1" upper="0.5"/>'
        '<dynamics friction="0.2"/>') + joint("q", "continuous", "base", "b", axis="0 0 1",
        rest='<mimic joint="p" multiplier="2" offset="0.3"/>')  # fmt: skip
    model = quietly(robot(tmp_path, turning), gravity=(0, 0.1, 0), positions={"p": 0.1})
    run = hn.simulate(model, end=3.0, steps=300, progress=False)
    p, q = run.joint("p").angle.values, run.joint("q").angle.values
    assert np.allclose(q, 2 * p + 0.3, atol=1e-8) and q[0] == pytest.approx(0.5) and p.max() < 0.5 + 1e-9
    still = hn.simulate(quietly(robot(tmp_path, turning), gravity=(0, 0.05, 0)), end=1.0, steps=2, progress=False)
    assert abs(still.joint("p").angle.values[-1]) < 1e-3  # 0.05 (cos 0 + 2 cos 0.3) < 0.2 N m


def test_a_start_beyond_limits_is_reported(tmp_path):
    body = link("base") + link("a", 1.0, (1, 0, 0)) + joint("p", "revolute", "base", "a",
        rest='<limit lower="0.2" upper="1" effort="5" velocity="2"/>')  # fmt: skip
    path = robot(tmp_path, body)
    with pytest.warns(hn.ModelWarning, match="joint 'p' starts at 0.2, its limit, since 0 is beyond it"):
        hn.read_urdf(path)
    with pytest.warns(hn.ModelWarning, match="without effect: effort of <limit>, velocity of <limit>"):
        hn.read_urdf(path, positions={"p": 0.3})
    with pytest.raises(hn.ModelError, match=r"'p' is to start at 3, and its limits are 0.2 and 1"):
        hn.read_urdf(path, positions={"p": 3})
    with pytest.raises(hn.ModelError, match="positions has 'pp', .*; did you mean 'p'"):
        hn.read_urdf(path, positions={"pp": 3})


@pytest.mark.parametrize("sign", (1, -1))
def test_limits_of_a_joint_that_starts_beyond_half_a_turn(tmp_path, sign):
    """Results give its angle without whole turns; its stops are where the file has them."""
    lower, upper = sorted((5.0 * sign, 6.8 * sign))
    body = link("base") + link("a", 1.0, (1, 0, 0)) + joint("p", "revolute", "base", "a", axis="0 0 1",
        rest=f'<limit lower="{lower}" upper="{upper}"/>')  # fmt: skip
    path = robot(tmp_path, body)
    with pytest.warns(hn.ModelWarning, match=f"'p' starts at {6.4 * sign}.*without the {sign} whole turns"):
        model = hn.read_urdf(path, positions={"p": 6.4 * sign}, gravity=(0, 0.1 * sign, 0))
    p = sign * hn.simulate(model, end=6.0, steps=120, progress=False).joint("p").angle.values
    stop = 6.8 - math.tau
    assert p[0] == pytest.approx(6.4 - math.tau) and stop - 0.01 < p.max() < stop + 1e-9


TWO = link("base") + link("a", 1.0)


def test_a_fixed_joint_that_mimics_and_moments_of_roundoff_are_told(tmp_path):
    """As in the public Talos and iCub."""
    head = link("b", 1.0, inertia=0.0).replace('ixz="0"', 'ixz="2.4e-35"')
    fixed = joint("hold", "fixed", "a", "b", at="1 0 0", rest='<mimic joint="p"/>')
    path = robot(tmp_path, TWO + head + joint("p", "continuous", "base", "a") + fixed)
    with pytest.warns(hn.ModelWarning) as told:
        model = hn.read_urdf(path)
    texts = [str(w.message) for w in told]
    assert any("joint 'hold' is fixed; its <mimic> of 'p' has no effect" in t for t in texts)
    assert any("link 'b' are at most 2.4e-35 kg*m^2, which is roundoff" in t for t in texts)
    (arm,) = (p for p in model.parts if p.mass)
    assert arm.mass == 2.0 and np.max(arm.inertia) == pytest.approx(0.01 + 0.5)  # two masses half a metre away


@pytest.mark.parametrize(
    ("body", "words"),
    (
        (link("a") + link("a"), "a second link 'a'"),
        (TWO, "the links 'base', 'a' have no parent; a robot has one root"),
        (TWO + joint("p", "fixed", "base", "aa"), "the child of joint 'p' is 'aa', which is no link; did you mean 'a'"),
        (TWO + joint("p", "hinge", "base", "a"), "the type of joint 'p' is 'hinge'"),
        (TWO + joint("p", "revolut", "base", "a"), "did you mean revolute?"),
        (TWO + joint("p", "continuous", "base", "a", axis="0 0 0"), "the axis of joint 'p' has no length"),
        (TWO + joint("p", "continuous", "base", "a", at="0 0"), "xyz of <origin> is '0 0'; give 3 numbers"),
        (TWO + joint("p", "continuous", "base", "a", at="0 0 nan"), "give 3 numbers"),
        (link("base") + link("a", -1.0), "the mass of link 'a' is -1 kg"),
        (link("base") + link("a", 1.0, inertia=-1), "has the principal moment -1 kg"),
        (TWO + joint("p", "fixed", "base", "a") + joint("q", "fixed", "a", "base"), "every link has a parent"),
        (TWO + joint("p", "fixed", "base", "a") + joint("q", "fixed", "base", "a"), "is the child of 'p' and of 'q'"),
        (link("base") + link("a", 1.0) + link("b", 1.0) + joint("p", "fixed", "a", "b")
         + joint("q", "fixed", "b", "a"), "link 'a' is not connected to the root"),
        (TWO + joint("p", "continuous", "base", "a", rest='<mimic joint="q"/>'), "mimics 'q', which is no joint"),
        (TWO + joint("p", "continuous", "base", "a", rest='<mimic joint="p"/>'), "mimics itself"),
        (TWO + joint("p", "continuous", "base", "a", rest='<dynamics damping="-1"/>'), "damping of joint 'p' is -1"),
        (TWO + joint("p", "prismatic", "base", "a", rest='<limit lower="2" upper="1"/>'), "must not be above"),
        (TWO + "<xacro:include filename='x'/>", "it has xacro macros"),
        ("<link/>", "<link> has no name"),
        ("", "the robot has no link"),
        ("<link name='a'", "it is not valid XML"),
    ),
)  # fmt: skip
def test_bad_files_are_refused_with_file_and_line(tmp_path, body, words):
    if "xacro" in body:
        body = body.replace("<xacro:include ", '<xacro:include xmlns:xacro="x" ')
    with pytest.raises(hn.ModelError) as found:
        hn.read_urdf(robot(tmp_path, body))
    assert words in str(found.value) and "r.urdf" in str(found.value)


def test_files_are_data(tmp_path):
    bomb = '<!DOCTYPE r [<!ENTITY a "aaaa">]>\n<robot name="r"><link name="&a;"/></robot>'
    (tmp_path / "b.urdf").write_text(bomb)
    with pytest.raises(hn.ModelError, match="declares a document type"):
        hn.read_urdf(tmp_path / "b.urdf")
    with pytest.raises(hn.ModelError, match="more than 200 elements"):
        hn.read_urdf(robot(tmp_path, "<a>" * 5000 + "</a>" * 5000))
    outside = tmp_path / "deep/er/r"
    outside.mkdir(parents=True)
    (tmp_path / "m.stl").write_text("solid\nendsolid\n")
    mesh = lambda name: link("a", 1.0, rest=f'<collision><geometry><mesh filename="{name}"/></geometry></collision>')
    for name in ("../../../m.stl", str(tmp_path / "m.stl"), "package://deep/../../m.stl"):
        with pytest.warns(hn.ModelWarning, match="1 shape left out: the file .* (is outside of|is not found)"):
            hn.read_urdf(robot(outside, mesh(name)), root=outside)


def test_shapes_and_packages(tmp_path):
    """Volumes and places of shapes; a mesh of a package; visual ones only where they are wanted."""
    folder = tmp_path / "bot_description"
    (folder / "urdf").mkdir(parents=True), (folder / "meshes").mkdir()
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    obj = "".join("v {} {} {}\n".format(*c) for c in corners)
    obj += "".join("f {} {} {}\n".format(*(i + 1 for i in f)) for f in faces)
    (folder / "meshes/t.obj").write_text(obj)
    shape = lambda kind, g: (
        f'<{kind}><origin xyz="1 0 0" rpy="0 1.5707963267948966 0"/><geometry>{g}</geometry></{kind}>'
    )
    rest = shape("collision", '<cylinder radius="0.1" length="2"/>') + shape("visual", '<sphere radius="3"/>')
    rest += shape("collision", '<mesh filename="package://bot_description/meshes/t.obj" scale="2 2 2"/>')
    path = robot(folder / "urdf", link("a", 1.0, rest=rest))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = hn.read_urdf(path, base="free")
    graphics = lambda m: list(m.table("GRAPHICS").values())
    cylinder, mesh = graphics(model)
    assert cylinder.type == "CYLINDER" and mesh.type == "MESH"
    (sphere,) = graphics(quietly(path, base="free", shapes="visual"))
    assert sphere.type == "ELLIPSOID" and not graphics(quietly(path, shapes="none"))
    assert {"a collision 1", "a collision 2"} == {g.name for g in graphics(model)}


def test_nothing_is_dropped_silently(tmp_path):
    """Each tag and attribute that is added at random is read, refused or named in a warning."""
    body = (
        link("base", rest='<visual><geometry><box size="1 1 1"/></geometry></visual>')
        + link("a", 1.0, (1, 0, 0))
        + joint("p", "revolute", "base", "a", rest='<limit lower="-1" upper="1"/><dynamics damping="1"/>')
    )
    rng = random.Random(5)
    for n in range(120):
        places = [m.end() for m in re.finditer(r"<(?!/)\w+", body)]
        at = rng.choice(places)
        tag = re.findall(r"<(\w+)$", body[:at])[0]
        word = f"strange{n}"
        if rng.random() < 0.5:
            text = f'{body[:at]} {word}="1"{body[at:]}'
        else:
            close = body.index(">", at)
            if body[close - 1] == "/":
                text = f"{body[: close - 1]}><{word}/></{tag}>{body[close + 1 :]}"
            else:
                text = f"{body[: close + 1]}<{word}/>{body[close + 1 :]}"
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                hn.read_urdf(robot(tmp_path, text), shapes="visual")
                said = " ".join(str(w.message) for w in seen)
            except hn.ModelError as error:
                said = str(error)
        assert word in said or "must have one shape" in said, (text, said)


def test_damaged_files_end_in_a_sentence(tmp_path):
    """Bytes changed, cut and repeated at random."""
    body = link("base") + link("a", 1.0, (1, 0, 0)) + joint("p", "revolute", "base", "a",
        rest='<limit lower="-1" upper="1"/>')  # fmt: skip
    data = robot(tmp_path, body).read_bytes()
    rng = random.Random(3)
    for _ in range(300):
        bad = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(bad))
            kind = rng.random()
            if kind < 0.5:
                bad[at] = rng.randrange(256)
            elif kind < 0.75:
                del bad[at : at + rng.randint(1, 20)]
            else:
                bad[at:at] = bad[at : at + rng.randint(1, 20)]
        (tmp_path / "bad.urdf").write_bytes(bytes(bad))
        try:
            quietly(tmp_path / "bad.urdf")
        except hn.ModelError:
            pass


INERTIAL = '<link name="base"/><link name="arm"><inertial><mass value="1"/>{}</inertial></link>'
HINGE = '<joint name="q" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>'


def test_an_inertia_that_is_not_complete_is_reported(tmp_path):
    """Link, file and line: moments that are missing are not zeros."""
    path = robot(tmp_path, INERTIAL.format('<inertia ixx="1" ixy="0" ixz="0" iyz="0"/>') + HINGE)
    with pytest.raises(hn.ModelError, match=r"r.urdf:3': <inertia> of link 'arm' has no iyy, izz; give all three"):
        hn.read_urdf(path)
    path = robot(tmp_path, INERTIAL.format('<inertia ixx="1" iyy="1" izz="1" ixy="0"/>') + HINGE)
    with pytest.warns(hn.ModelWarning, match="r.urdf:3': <inertia> of link 'arm' has no ixz, iyz, taken as 0"):
        hn.read_urdf(path)
    path = robot(tmp_path, INERTIAL.format("") + HINGE)
    with pytest.warns(hn.ModelWarning, match="r.urdf:3': <inertial> of link 'arm' has no <inertia>; its moments"):
        hn.read_urdf(path)


@pytest.mark.parametrize(
    "tensor, words",
    [
        ("", "link 'arm' has no <inertia>: moments of 1 kg m\\^2, the default"),
        ("<inertia><ixx>1</ixx></inertia>", "<inertia> of link 'arm' has no iyy, izz: 1 kg m\\^2, the default"),
    ],
)
def test_an_inertia_of_sdf_that_is_not_complete_is_reported(tmp_path, tensor, words):
    path = tmp_path / "r.sdf"
    path.write_text(
        f'<sdf version="1.9"><model name="r"><link name="arm"><inertial><mass>1</mass>{tensor}</inertial></link>'
        "</model></sdf>"
    )
    with pytest.warns(hn.ModelWarning, match=f"r.sdf:1': {words}"):
        hn.read_sdf(path)


def test_an_inertia_of_mjcf_that_is_missing_is_reported(tmp_path):
    path = tmp_path / "r.xml"
    path.write_text(
        '<mujoco><worldbody><body name="arm"><joint name="q" axis="0 0 1"/><inertial mass="1" pos="0 0 0"/></body>'
        "</worldbody></mujoco>"
    )
    with pytest.warns(hn.ModelWarning, match="r.xml:1': <inertial> of body 'arm' has no diaginertia and no"):
        hn.read_mjcf(path)
