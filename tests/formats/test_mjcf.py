"""MJCF files: motion against MuJoCo 4.0.0 and closed forms, includes and classes, contacts, refusals, what is named."""

import json
import math
import random
import re
import warnings
from functools import partial
from xml.etree import ElementTree

import numpy as np
import pytest
from _robots import ROBOTS, quiet, reported

import holonom as hn
from _public_data import NEEDS
from holonom.formats.robots.mjcf.contacts import law
from holonom.formats.robots.mjcf.geoms import unit_moments


def write(tmp_path, text, name="m.xml"):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


quietly = partial(quiet, hn.read_mjcf)
reports = partial(reported, hn.read_mjcf)


def one(joint="", rest="", geom='<geom type="sphere" size="0.1" mass="1"/>', after="", before="", body=""):
    return (
        f'<mujoco model="m">{before}<worldbody><body name="a" {body}>{joint}{geom}{rest}</body></worldbody>{after}'
        "</mujoco>"
    )


HINGE = '<joint name="h" axis="0 1 0"/>'

JOINTS = """<mujoco model="joints">
  <compiler angle="radian" eulerseq="zyX"/>
  <option gravity="0.3 0 -9.81"/>
  <default>
    <joint damping="0.05"/>
    <default class="heavy"><geom density="2000"/><joint armature="0.03"/></default>
  </default>
  <worldbody>
    <body name="a" pos="0 0 1" euler="0.3 -0.2 0.5" childclass="heavy">
      <joint name="a1" axis="0 1 0" pos="0.02 0 0.1" ref="0.2" springref="0.5" stiffness="3"/>
      <joint name="a2" axis="1 0 0.2" pos="0 0 0.1"/>
      <joint name="a3" type="slide" axis="0 0 1" stiffness="200" damping="2" ref="0.01"/>
      <geom type="box" size="0.1 0.05 0.2"/>
      <geom type="ellipsoid" size="0.1 0.06 0.05" pos="0.1 0 0" mass="0.4"/>
      <frame pos="0 0 -0.2" axisangle="1 0 0 0.4">
        <body name="b" pos="0 0 -0.1" xyaxes="0 1 0 -1 0 0.3">
          <joint name="b1" type="ball" pos="0 0 0.1" damping="0.02" armature="0.01"/>
          <geom type="capsule" fromto="0 0 0 0.2 0.1 -0.3" size="0.04" shellinertia="true" density="50"/>
          <body name="c" pos="0.2 0.1 -0.3">
            <geom type="cylinder" size="0.05 0.1" zaxis="1 1 0"/>
          </body>
          <body name="d" pos="0.2 0.1 -0.3" gravcomp="0.7">
            <joint name="d1" axis="0 1 0" class="main"/>
            <inertial pos="0.1 0 0" mass="0.5" fullinertia="0.004 0.006 0.005 0.001 -0.0005 0.0002"/>
          </body>
        </body>
      </frame>
    </body>
    <body name="e" pos="1 0 1" quat="1 0.2 0.1 0">
      <joint type="free" armature="0.1"/>
      <geom type="capsule" size="0.05 0.2"/>
      <geom type="sphere" size="0.07" pos="0 0.1 0.2" shellinertia="true"/>
    </body>
  </worldbody>
</mujoco>"""

DRIVES = """<mujoco model="drives">
  <worldbody>
    <site name="anchor" pos="0 0 1.5"/>
    <replicate count="2" offset="0.6 0 0" euler="0 0 20">
      <body name="a" pos="0 0 1">
        <joint name="h" axis="0 1 0" damping="0.1"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
        <site name="tip" pos="0.3 0 0"/>
        <body name="b" pos="0.3 0 0">
          <joint name="s" type="slide" axis="1 0 0" damping="1"/>
          <geom type="box" size="0.05 0.05 0.05"/>
        </body>
      </body>
    </replicate>
  </worldbody>
  <tendon>
    <fixed name="sum" stiffness="30" damping="0.5" springlength="0.1">
      <joint joint="h0" coef="0.5"/><joint joint="s1" coef="-2"/>
    </fixed>
    <spatial name="rope" stiffness="40" springlength="0.2 0.4"><site site="anchor"/><site site="tip"/></spatial>
  </tendon>
  <actuator>
    <motor name="m" joint="h0" gear="2" ctrlrange="-1 1"/>
    <position name="p" joint="s0" kp="80" kv="3" forcerange="-12 12"/>
    <velocity name="v" joint="h1" kv="0.7"/>
    <general name="g" tendon="sum" dyntype="filter" dynprm="0.05" gainprm="4" biastype="affine"
      biasprm="0.5 -2 -0.1"/>
    <motor name="t" site="tip1" gear="0 0 1 0 0.2 0"/>
    <cylinder name="c" joint="s1" timeconst="0.1" area="3" bias="0.2 -1 -0.3"/>
  </actuator>
</mujoco>"""

#: file, coordinates and controls at the start, seconds; positions of bodies at the end by MuJoCo 4.0.0, RK4 of 1e-4 s
MOTIONS = {
    "joints": (JOINTS, {"a1": 0.4, "a2": -0.3, "a3": 0.02, "d1": 0.6}, {}, 0.3, {
        "a": (0.001590456039, -0.012639823454, 0.591397318643), "b": (0.010943310444, 0.061143684237, 0.30715732798),
        "d": (-0.21273240207, 0.331290122842, 0.176811337093), "e": (1.012660673334, -0.000263936181, 0.559437132866),
    }),
    "drives": (DRIVES, {"h0": 0.1, "s0": 0.05, "h1": -0.2, "s1": 0.01},
        {"m": 1.7, "p": 0.3, "v": 0.5, "g": 1.2, "t": 2.0, "c": 1.5}, 0.4, {
        "b0": (0.538055381807, 0.0, 0.181005269368), "b1": (1.003577967626, 0.146890367421, 1.087436429578),
    }),
}  # fmt: skip


def places(run, model, names):
    """Positions of markers at the end."""
    return {name: run.request(f"at {name}").values[-1, 1:4] for name in names}


def asked(model, names):
    for name in names:
        m = model.find("MARKER", name).id
        model.request(f"at {name}", functions=[f"DX({m})", f"DY({m})", f"DZ({m})"])


@pytest.mark.parametrize("which", MOTIONS)
def test_bodies_move_as_in_mujoco(tmp_path, which):
    text, start, controls, end, want = MOTIONS[which]
    model = quietly(write(tmp_path, text), positions=start, shapes="none")
    for name, value in controls.items():
        model.find("VARIABLE", name).function = repr(value)
    asked(model, want)
    run = hn.simulate(model, end=end, steps=1, error=1e-11, integrator="DOP853", progress=False)
    for name, at in places(run, model, want).items():
        assert at == pytest.approx(want[name], abs=4e-9), name


def public(name, mass, **options):
    """A public robot, without contacts; ``mass`` is that of MuJoCo."""
    path = ROBOTS / "mjcf" / name
    if not path.exists():
        pytest.skip(f"{NEEDS}: {path} is absent")
    model = quietly(path, contacts=False, **options)
    assert hn.check(model).ok
    assert sum(part.mass or 0.0 for part in model.parts.values()) == pytest.approx(mass, rel=1e-10)
    return model


@pytest.mark.slow
def test_a_public_car_is_read():
    public("car.xml", 0.5430345024703865)


#: start and end of the joints of MuJoCo's humanoid, which falls and swings for 0.1 s; MuJoCo 4.0.0 with RK4 of 1e-4 s,
#: limits, contacts and friction off
HUMANOID = {
    "abdomen_z": (0.285664, 0.232677535582),
    "abdomen_y": (-0.340976, -0.343890584538),
    "abdomen_x": (-0.184922, -0.152444447687),
    "hip_x_right": (-0.308424, -0.322994357565),
    "hip_z_right": (-0.310824, -0.281496013604),
    "hip_y_right": (-0.7446, -0.672083292014),
    "knee_right": (-0.819341, -0.728750041320),
    "ankle_y_right": (0.143856, 0.028706799267),
    "ankle_x_right": (-0.189899, -0.097499306527),
    "hip_x_left": (-0.314158, -0.326327846027),
    "hip_z_left": (-0.3961, -0.365913629943),
    "hip_y_left": (-0.885132, -0.776607808632),
    "knee_left": (-0.818635, -0.737052553789),
    "ankle_y_left": (0.226993, 0.035875331448),
    "ankle_x_left": (-0.100497, -0.058342410591),
    "shoulder1_right": (-0.704773, -0.676077365998),
    "shoulder2_right": (-0.598275, -0.611524106134),
    "elbow_right": (-0.357857, -0.376959681641),
    "shoulder1_left": (0.243917, 0.278720775929),
    "shoulder2_left": (0.205303, 0.211101039541),
    "elbow_left": (-0.440967, -0.484634917411),
}


@pytest.mark.slow
def test_a_public_humanoid_swings_as_in_mujoco():
    start = {name: angles[0] for name, angles in HUMANOID.items()}
    model = public("humanoid.xml", 40.84402122162133, positions=start, shapes="none")
    for e in (*model.table("SWITCH").values(), *model.table("FRICTION").values()):
        e.active = False
    run = hn.simulate(model, end=0.1, steps=1, error=1e-11, integrator="DOP853", progress=False)
    for name, (_, end) in HUMANOID.items():
        assert run.joint(name).angle.values[-1] == pytest.approx(end, abs=1e-9), name


#: motors of MuJoCo's humanoid: control, rate and acceleration of their joint in the default pose (other rates zero),
#: angle 0.05 s after a start at rest; MuJoCo 4.0.0, `mj_forward`, RK4 of 5e-5 s (1e-4 s: 5e-13), no limits and contacts
DRIVEN = {
    "abdomen_z": (0.2, 0.42073549240394825, 45.387256594613696, 0.03313639045601704),
    "abdomen_y": (0.10806046117362796, 0.45464871341284085, -68.3090407543463, 0.046210236188581624),
    "abdomen_x": (-0.08322936730942848, 0.0705600040299336, -21.383457765845456, -0.006666453448885767),
    "hip_x_right": (-0.1979984993200891, -0.3784012476539641, 13.898448671437468, -0.0021288584248703984),
    "hip_z_right": (-0.13072872417272238, -0.4794621373315692, -149.88248236778162, -0.050911317351321955),
    "hip_y_right": (0.05673243709264525, -0.13970774909946293, 227.2493947511351, 0.10507711883448785),
    "knee_right": (0.1920340573300732, 0.32849329935939453, 379.79079095225813, 0.3239507930578102),
    "ankle_y_right": (0.15078045086866093, 0.4946791233116909, 354.9442561416116, 0.33076486441043235),
    "ankle_x_right": (-0.02910000676172271, 0.2060592426208783, -5.507679978904832, -0.025774612231198382),
    "hip_x_left": (-0.1822260523769354, -0.2720105554446849, -17.583182365296366, -0.005889663605691019),
    "hip_z_left": (-0.1678143058152905, -0.49999510327535174, -128.25063556324776, -0.05183968083248554),
    "hip_y_left": (0.0008851395976101572, -0.26828645900021747, 168.67129213063268, 0.056132043148909794),
    "knee_left": (0.16877079174649845, 0.21008351841332046, 286.32299706449345, 0.24911531687098623),
    "ankle_y_left": (0.18148935629003926, 0.4953036778474352, 350.05045674956426, 0.3377473678976476),
    "ankle_x_left": (0.027347443641566722, 0.3251439200785584, 100.6357891169132, 0.07390865262541972),
    "shoulder1_right": (-0.15193758257176426, -0.14395165833253265, -44.42563136829422, -0.03551954082970982),
    "shoulder2_right": (-0.19153189606467694, -0.4806987459397784, -28.98364605257617, -0.06882616292468002),
    "elbow_right": (-0.055032667610319386, -0.375493623385838, -16.70661975177022, -0.010721127627476781),
    "shoulder1_left": (0.13206334164881603, 0.07493860483147617, 35.507351948822475, 0.06076885570481035),
    "shoulder2_left": (0.19774092363733387, 0.45647262536381383, 38.96501691069891, 0.025290455017436476),
    "elbow_left": (0.0816164123626784, 0.41832781926802803, 26.259461047886585, 0.03991838718423607),
}


def driven_humanoid():
    model = public("humanoid.xml", 40.84402122162133, shapes="none")
    for e in (*model.table("SWITCH").values(), *model.table("FRICTION").values()):
        e.active = False
    for name, (control, *_) in DRIVEN.items():
        model.find("VARIABLE", name).function = repr(control)
    return model


def test_humanoid_accelerates_as_in_mujoco():
    """From the default pose: three hinges at one body, with parts of almost no mass between them."""
    joints = hn.JointCoordinates(driven_humanoid())
    v = np.array([DRIVEN.get(name.split(".")[0], (0.0, 0.0))[1] for name in joints.freedoms])
    acceleration = dict(zip(joints.freedoms, joints.forward_dynamics(joints.q, v)))
    want = {f"{name}.angle": values[2] for name, values in DRIVEN.items()}
    assert np.count_nonzero(v) == len(want) == 21
    for name, value in want.items():
        assert acceleration[name] == pytest.approx(value, rel=1e-9, abs=1e-9), name


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_humanoid_moves_as_in_mujoco(coordinates):
    run = hn.simulate(driven_humanoid(), end=0.05, steps=1, error=1e-11, coordinates=coordinates, progress=False)
    for name, (*_, end) in DRIVEN.items():
        assert run.joint(name).angle.values[-1] == pytest.approx(end, abs=1e-9), name


def test_limits_friction_and_equalities(tmp_path):
    """A wheel on another by an equality, one that stops, one that dry friction holds; closed forms."""
    text = """<mujoco><compiler angle="radian"/><option gravity="0 0.1 0"/><worldbody>
      <body name="a"><joint name="p" limited="true" range="-1 0.5" frictionloss="0.02"/>
        <geom type="sphere" size="0.1" pos="1 0 0" mass="1"/></body>
      <body name="b" pos="0 0 1"><joint name="q" ref="0.3"/><geom type="sphere" size="0.1" pos="1 0 0" mass="1"/></body>
      <body name="c" pos="0 0 2"><joint name="r" frictionloss="0.2"/><geom type="sphere" size="0.1" pos="1 0 0"
        mass="1"/></body>
      </worldbody><equality><joint joint1="q" joint2="p" polycoef="0.1 2"/></equality></mujoco>"""
    model = quietly(write(tmp_path, text), positions={"p": 0.1})
    run = hn.simulate(model, end=6.0, steps=300, progress=False)
    p, q = run.joint("p").angle.values, run.joint("q").angle.values
    assert q[0] == pytest.approx(0.3 + 0.1 + 0.2) and np.allclose(q - 0.3, 0.1 + 2 * p, atol=1e-8)
    assert p.max() < 0.5 + 1e-9 and p.max() > 0.49
    assert abs(run.joint("r").angle.values[-1]) < 1e-3


def test_a_loop_closes_where_the_drawing_has_its_point(tmp_path):
    """A parallelogram by <connect>, read in another position than that of the drawing: its point of the second body is
    that of the drawing."""
    text = """<mujoco><compiler angle="radian"/><worldbody>
      <body name="a"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.02"/>
        <body name="b" pos="0 0 0.5"><joint name="b" axis="0 1 0"/>
          <geom type="capsule" fromto="0 0 0 1 0 0" size="0.02"/></body></body>
      <body name="c" pos="1 0 0"><joint name="c" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.02"/></body>
      </worldbody><equality><connect body1="b" body2="c" anchor="1 0 0"/></equality></mujoco>"""
    model = quietly(write(tmp_path, text), positions={"a": 0.3, "b": -0.3, "c": 0.3})
    run = hn.simulate(model, end=0.2, steps=2, progress=False)
    a, c = run.joint("a").angle.values, run.joint("c").angle.values
    assert a[0] == pytest.approx(0.3) and np.allclose(a, c, atol=1e-9) and a[-1] > 0.35


def test_keyframes_give_the_start(tmp_path):
    body = '<joint name="h" axis="0 1 0"/><joint name="s" type="slide" axis="1 0 0"/>'
    text = one(body, after='<actuator><motor name="m" joint="h"/></actuator><keyframe><key name="up" '
        'qpos="0.4 0.1" qvel="0.5 -0.2" ctrl="0.7"/><key qpos="1 0"/></keyframe>')  # fmt: skip
    model = quietly(write(tmp_path, text), keyframe="up", gravity=(0, 0, 0))
    run = hn.simulate(model, end=1e-4, steps=1, error=1e-10, progress=False)
    assert run.joint("h").angle.values[0] == pytest.approx(0.4)
    assert run.joint("s").travel.values[0] == pytest.approx(0.1)
    assert run.joint("s").travel.values[-1] == pytest.approx(0.1 - 2e-5, abs=1e-8)
    assert run.joint("h").angle.values[-1] == pytest.approx(0.4 + 5e-5, abs=1e-6)
    assert model.find("VARIABLE", "m").function == "0.7"
    free = write(tmp_path, one("<freejoint/>", after='<keyframe><key qpos="1 2 3 0.7 0 0.7 0" qvel="1 0 0 0 2 0"/>'
        "</keyframe>", body='pos="5 5 5"'))  # fmt: skip
    model = quietly(free, keyframe=0, gravity=(0, 0, 0))
    part = model.find("PART", "a")
    assert part.position == pytest.approx((1, 2, 3)) and (part.vx, part.wy) == (1.0, 2.0)
    with pytest.raises(hn.ModelError, match="there is no keyframe 'down'; it has 0"):
        hn.read_mjcf(free, keyframe="down")


def test_inertias_of_geoms():
    """Against integrals over points at random (solids), and closed forms of shells."""
    rng = np.random.default_rng(1)
    inside = {
        "box": lambda p, s: np.all(np.abs(p) < s, axis=1),
        "cylinder": lambda p, s: (np.hypot(p[:, 0], p[:, 1]) < s[0]) & (np.abs(p[:, 2]) < s[1]),
        "capsule": lambda p, s: np.linalg.norm(p - np.clip(p, (0, 0, -s[1]), (0, 0, s[1])), axis=1) < s[0],
        "ellipsoid": lambda p, s: ((p / s) ** 2).sum(1) < 1.0,
    }
    for kind, size in (("box", (0.2, 0.3, 0.4)), ("cylinder", (0.2, 0.4)), ("capsule", (0.2, 0.4)),
                       ("ellipsoid", (0.2, 0.3, 0.4))):  # fmt: skip
        box = np.array((size[0],) * 2 + (0.6,)) if kind in ("cylinder", "capsule") else np.array(size)
        p = rng.uniform(-1, 1, (400_000, 3)) * box
        p = p[inside[kind](p, np.array(size))]
        volume, moments = unit_moments(kind, size, False)
        assert volume == pytest.approx(8 * np.prod(box) * len(p) / 400_000, rel=5e-3)
        q = (p**2).mean(0)
        assert moments == pytest.approx(q.sum() - q, rel=1e-2)
    assert unit_moments("sphere", (2.0,), True)[1] == pytest.approx(np.full(3, 8 / 3))
    cube = unit_moments("box", (1.0, 1.0, 1.0), True)  # a hollow cube of edge 2: m a^2 5/18
    assert cube[0] == 24.0 and cube[1] == pytest.approx(np.full(3, 4 * 5 / 18))
    for length in (0.5, 1e-9):  # a short capsule is a sphere
        area, moments = unit_moments("capsule", (0.3, length), True)
        assert area == pytest.approx(4 * math.pi * 0.09 + 4 * math.pi * 0.3 * length)
    assert moments == pytest.approx(np.full(3, 0.06))


def test_meshes_weigh_as_their_solid(tmp_path):
    corners = " ".join(f"{x} {y} {z}" for x in (0, 2) for y in (0, 1) for z in (0, 3))
    text = (
        f'<mujoco><asset><mesh name="b" vertex="{corners}" scale="0.1 0.1 0.1" refpos="0.1 0 0"/></asset><worldbody>'
        '<body name="a"><freejoint/><geom type="mesh" mesh="b" pos="0 0 1"/></body></worldbody></mujoco>'
    )
    (part,) = [p for p in quietly(write(tmp_path, text)).parts.values() if p.name == "a"]
    assert part.mass == pytest.approx(6.0) and part.position == pytest.approx((0.0, 0.05, 1.15))
    assert np.diag(part.inertia) == pytest.approx((0.5 * (0.01 + 0.09), 0.5 * (0.04 + 0.09), 0.5 * (0.04 + 0.01)))


def test_contacts_keep_the_time_constant_and_the_damping_ratio(tmp_path):
    """A ball that strikes a plane without gravity moves there as r'' + 2 z/T' r' + r/T'^2 ...: the rate at which its
    depth passes zero again is that of the oscillator."""
    stiffness, damping = law((0.05, 0.4), (0.9, 0.9, 0.001), 2.0)
    omega, decay = math.sqrt(stiffness / 2.0), damping / 2.0 / 2.0
    assert 1.0 / omega == pytest.approx(0.05 * 0.4 * 0.9 / 0.9) and decay == pytest.approx(0.9 / (0.9 * 0.05))
    ball = one("<freejoint/>", body='pos="0 0 0.101"', geom='<geom type="sphere" size="0.1" mass="2" '
        'solref="0.05 0.4" solimp="0.9 0.9 0.001" friction="0.3"/>',
        after='<worldbody><geom type="plane" size="1 1 1" solref="0.05 0.4" solimp="0.9 0.9 0.001" friction="0.1"/>'
        '</worldbody><keyframe><key qpos="0 0 0.101 1 0 0 0" qvel="0 0 -1 0 0 0"/></keyframe>',
        before='<option gravity="0 0 0"/>')  # fmt: skip
    model = quietly(write(tmp_path, ball), keyframe=0)
    (contact,) = model.table("CONTACT").values()
    assert contact.mu_static == 0.3 and contact.stiffness == pytest.approx(stiffness)
    model.request("v", functions=[f"VZ({model.find('MARKER', 'a').id})"])
    run = hn.simulate(model, end=0.1, steps=50, error=1e-8, progress=False)
    # the contact ends where the force K r + C v reaches zero (no adhesion): of x = exp(-d t) sin(w t) at tan(w t) = ...
    w = math.sqrt(omega**2 - decay**2)
    t = (math.pi - math.atan2(2 * decay * w, omega**2 - 2 * decay**2)) % math.pi
    x = lambda t: math.exp(-decay * t) * (math.cos(w * t) - decay / w * math.sin(w * t))
    force = lambda t: omega**2 * math.exp(-decay * t) * math.sin(w * t) / w + 2 * decay * x(t)
    grid = np.linspace(1e-4, math.pi / w, 200_001)
    ends = grid[np.argmax(np.array([force(t) for t in grid]) <= 0.0)]
    assert t > 0.0 and run.request("v").values[-1, 1] == pytest.approx(-x(ends), rel=5e-3)


def test_contacts_are_those_that_mujoco_tests(tmp_path):
    """Parents and children, excluded bodies, masks and welded bodies have none; pairs have parameters of their own."""
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
      <body name="a" pos="0 0 1"><freejoint/><geom name="a" size="0.1"/>
        <body name="w" pos="0 0 0.3"><geom name="w" size="0.1"/>
          <body name="b" pos="0 0 0.3"><joint/><geom name="b" size="0.1"/>
            <body name="c" pos="0 0 0.3"><joint/><geom name="c" size="0.1" contype="2" conaffinity="0"/></body></body>
        </body></body>
      <body name="d" pos="1 0 1"><freejoint/><geom name="d" size="0.1" condim="1"/></body></worldbody>
      <contact><exclude body1="a" body2="d"/><pair geom1="c" geom2="floor" friction="0.2"/></contact></mujoco>"""
    model = quietly(write(tmp_path, text))
    found = set()
    names = {g.id: g.name for g in model.table("GRAPHICS").values()}
    for contact in model.table("CONTACT").values():
        excluded = {frozenset(pair) for pair in contact.exclude}
        found |= {
            (*sorted((names[i], names[j])), contact.mu_static or 0.0)
            for i in contact.igeom for j in contact.jgeom if frozenset((i, j)) not in excluded
        }  # fmt: skip
    assert found == {
        ("a", "floor", 1.0), ("floor", "w", 1.0), ("b", "floor", 1.0), ("c", "floor", 0.2), ("d", "floor", 1.0),
        ("d", "w", 1.0), ("b", "d", 1.0),
    }  # fmt: skip
    assert not quietly(write(tmp_path, text), contacts=False).table("CONTACT")


def test_sensors_and_sites(tmp_path):
    text = one(HINGE, '<site name="s" pos="0 0 -0.5"/>', after="""<actuator><motor name="m" joint="h"/></actuator>
      <sensor><jointpos name="angle" joint="h"/><framepos name="p" objtype="site" objname="s"/>
      <gyro name="w" site="s"/><actuatorfrc name="f" actuator="m"/><touch name="t" site="s"/></sensor>""",
        geom='<geom type="sphere" size="0.1" pos="0 0 -0.5" mass="1"/>')  # fmt: skip
    path = write(tmp_path, text)
    assert "without effect: <touch>" in reports(path)
    model = quietly(path, positions={"h": 0.4})
    model.find("VARIABLE", "m").function = "2.5"
    run = hn.simulate(model, end=0.1, steps=1, progress=False)
    assert run.request("angle").values[0, 1] == pytest.approx(0.4)
    assert run.request("p").values[0, 1:4] == pytest.approx((-0.5 * math.sin(0.4), 0, -0.5 * math.cos(0.4)))
    rate = run.joint("h").angle.values[-1] - 0.4
    assert run.request("w").values[-1, 2] * rate > 0.0 and run.request("f").values[-1, 1] == pytest.approx(2.5)


def test_includes_lie_below_the_root(tmp_path):
    write(
        tmp_path, "<mujocoinclude><body name='b'><freejoint/><geom size='0.1'/></body></mujocoinclude>", "parts/b.xml"
    )
    include = lambda name: f"<mujoco><worldbody><include file='{name}'/></worldbody></mujoco>"
    assert "b" in [p.name for p in quietly(write(tmp_path, include("parts/b.xml"))).parts.values()]
    deep = tmp_path / "x/y"
    for name, said in (("../../parts/b.xml", "is outside of"), ("../absent.xml", "is outside of"),
                       ("absent.xml", "there is no file"), ("m.xml", "is included twice")):  # fmt: skip
        assert said in reports(write(deep, include(name)), root=deep)


@pytest.mark.parametrize(
    ("text", "words"),
    (
        ("<mujoco/>", "the file has no body"),
        ("<sdf/>", "its outermost element is <sdf>; a file of this type has <mujoco>"),
        (one('<joint type="hing"/>'), "type of <joint> is 'hing'; choose from free, ball, slide, hinge"),
        (one('<joint axis="0 0 0"/>'), "the axis of joint 'a joint' has no length"),
        (one('<joint damping="-1"/>'), "damping of joint 'a joint' is -1; give 0 or more"),
        (one('<joint range="1 -1"/>'), "the lower limit must be below the upper one"),
        (one('<joint limited="true"/>'), "limited of <joint> is true and range is missing"),
        (one("<freejoint/><joint/>"), "must be its only joint"),
        (one('<joint class="x"/>', before='<default><default class="xx"/></default>'), "did you mean 'xx'?"),
        (one(HINGE + HINGE), "a second joint 'h'"),
        (one(geom='<geom type="box" size="1 1"/>'), "a box needs 3 positive numbers"),
        (one(geom='<geom type="mesh" mesh="m"/>'), "has the mesh 'm', which is not in <asset>"),
        (one(geom="", rest='<inertial mass="-1"/>'), "the mass of body 'a' is -1 kg"),
        (one(geom="", rest='<inertial mass="1" diaginertia="1 1 -1"/>'), "has the principal moment -1 kg"),
        (one(HINGE, after='<actuator><motor joint="hh"/></actuator>'), "which is no joint; did you mean 'h'?"),
        (one(HINGE, after='<tendon><spatial><site site="s"/></spatial></tendon>'), "'s', which is no site"),
        (one(HINGE, after='<equality><connect body1="b" anchor="0 0 0"/></equality>'), "'b', which is no body"),
        (one(before='<compiler eulerseq="xyw"/>'), "eulerseq is 'xyw'"),
        (one(body='quat="0 0 0 0"'), "quat of <body> is zero"),
        (one(after='<keyframe><key qpos="1 2"/></keyframe>'), ""),
        (one("<joint/>", after="<keyframe><key name='k' qpos='1 2'/></keyframe>"), "give a number"),
    ),
)  # fmt: skip
def test_bad_files_are_refused_with_file_and_line(tmp_path, text, words):
    path = write(tmp_path, text)
    if not words:
        quietly(path)
        return
    with pytest.raises(hn.ModelError) as found:
        quietly(path, **({"keyframe": "k"} if "name='k'" in text else {}))
    assert words in str(found.value) and "m.xml" in str(found.value)


EVERYTHING = """<mujoco model="m"><compiler angle="radian"/><option timestep="0.01"><flag energy="enable"/></option>
  <visual><global fovy="50"/></visual><statistic extent="1"/><size njmax="5"/>
  <default><geom density="500"/><default class="k"><joint damping="1"/></default><motor gear="2"/></default>
  <asset><texture name="t" type="2d" builtin="flat" width="9" height="9"/><material name="g" texture="t"/></asset>
  <worldbody><light pos="0 0 3"/><camera pos="1 0 0"/><geom type="plane" size="1 1 1" material="g"/>
    <body name="a" pos="0 0 1" childclass="k"><joint name="h"/><geom type="box" size="0.1 0.1 0.1" rgba="1 0 0 1"/>
      <site name="s"/><frame pos="0 0 1"><geom size="0.1"/></frame>
      <body name="b" pos="0 0 1"><joint name="q" type="slide"/><inertial mass="1" diaginertia="1 1 1"/></body></body>
    <replicate count="2" offset="1 0 0"><body pos="0 3 0"><freejoint/><geom size="0.1"/></body></replicate>
  </worldbody><contact><exclude body1="a" body2="b"/></contact>
  <tendon><fixed name="f"><joint joint="h" coef="1"/></fixed></tendon>
  <equality><joint joint1="q" joint2="h"/></equality><actuator><motor joint="h"/></actuator>
  <sensor><jointpos joint="h"/></sensor><keyframe><key qpos="0"/></keyframe>
  <custom><numeric name="n" data="1"/></custom>
</mujoco>"""


def inserted(text, rng, n):
    """The text with an attribute, or an element, that does not exist, and its name."""
    word = f"strange{n}"
    at = rng.choice([m.end() for m in re.finditer(r"<(?!/)\w+", text)])
    if rng.random() < 0.5:
        return f'{text[:at]} {word}="1"{text[at:]}', word
    tag, close = re.findall(r"<(\w+)$", text[:at])[0], text.index(">", at)
    if text[close - 1] == "/":
        return f"{text[: close - 1]}><{word}/></{tag}>{text[close + 1 :]}", word
    return f"{text[: close + 1]}<{word}/>{text[close + 1 :]}", word


def above(text, word):
    """Tags of the elements around an element or attribute."""
    found = []

    def look(node, tags):
        if node.tag == word or word in node.attrib:
            found.extend(tags if node.tag == word else [*tags, node.tag])
        for child in node:
            look(child, [*tags, node.tag])

    look(ElementTree.fromstring(text), [])
    return found


def test_nothing_is_dropped_silently(tmp_path):
    """Each tag and attribute that is added at random is read, refused or named, or is part of an element that is named
    as a whole."""
    rng = random.Random(7)
    for n in range(100):
        text, word = inserted(EVERYTHING, rng, n)
        said = reports(write(tmp_path, text))
        named = {re.sub(r"^[0-9]+ ", "", item) for item in re.split(", |: ", said)}
        assert word in said or {f"<{tag}>" for tag in above(text, word)} & named, (text, said)


def test_known_words_without_effect_are_named(tmp_path):
    said = reports(write(tmp_path, EVERYTHING))
    for word in (
        "<visual>",
        "<statistic>",
        "<light>",
        "<camera>",
        "<custom>",
        "timestep of <option>",
        "energy of <flag>",
    ):
        assert word in said, said
    assert "damping of" not in said and "density of" not in said and "gear of" not in said


def test_damaged_files_end_in_a_sentence(tmp_path):
    data = EVERYTHING.encode()
    rng = random.Random(3)
    for _ in range(150):
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
        (tmp_path / "bad.xml").write_bytes(bytes(bad))
        reports(tmp_path / "bad.xml", shapes="none")


def test_command_line_and_studio_open_it(tmp_path):
    from holonom.cli.files import read_model
    from holonom.studio.document import Document

    path = write(tmp_path, one(HINGE), "arm.xml")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert read_model(path).find("JOINT", "h") and Document.open(path).model.find("PART", "a").mass == 1.0
    assert json.loads(quietly(path).to_json())


FRAMES = """<mujoco><option gravity="0 0 -9.81"/>
<worldbody>
<body name="a" pos="0 0 1">
<joint name="h" type="hinge" axis="0 1 0"/>
<geom name="g" type="box" size=".1 .2 .3" pos="0.3 0 0" euler="10 20 30"/>
<body name="b" pos="0.6 0 0" euler="20 0 10">
<joint name="k" type="hinge" axis="0.2 0.3 1"/>
<geom type="box" size=".1 .1 .2" pos="0.2 0.1 0"/>
<site name="s" pos="0.1 0.2 0.3"/>
</body></body></worldbody>
<sensor>
<framepos name="p1" objtype="site" objname="s" reftype="xbody" refname="a"/>
<framepos name="p2" objtype="body" objname="b"/>
<framepos name="p3" objtype="geom" objname="g" reftype="body" refname="b"/>
<framelinvel name="v1" objtype="site" objname="s" reftype="xbody" refname="a"/>
<framelinvel name="v2" objtype="body" objname="b"/>
<framelinvel name="v3" objtype="geom" objname="g" reftype="body" refname="b"/>
<frameangvel name="w1" objtype="site" objname="s" reftype="xbody" refname="a"/>
<frameangvel name="w2" objtype="body" objname="b"/>
</sensor></mujoco>"""
#: MuJoCo 4.0.0, RK4 with steps of 0.1 ms, after 0.3 s
AFTER = {
    "p1": (0.696961509, 0.088675234, 0.350335794),
    "p2": (0.638867414, 0.065018821, 0.500064033),
    "p3": (-0.496312271, -0.138162937, 0.027251206),
    "v1": (0.410942165, -0.201841878, -0.062646173),
    "v2": (-2.059807664, -0.848100605, -3.071556559),
    "v3": (0.182279688, -1.187034883, 0.319654527),
    "w1": (-0.569859710, 0.124933388, -4.140654755),
    "w2": (-3.138759322, 4.577148066, -2.760063733),
}


def test_sensors_of_frames_in_moving_frames(tmp_path):
    """Positions and velocities of bodies, sites and geoms as other bodies see them, against MuJoCo."""
    (tmp_path / "frames.xml").write_text(FRAMES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = hn.read_mjcf(tmp_path / "frames.xml")
    run = hn.simulate(model, end=0.3, steps=1, error=1e-10, progress=False)
    for name, wanted in AFTER.items():
        assert run.request(name).values[-1, 1:4] == pytest.approx(wanted, abs=2e-9), name


def test_keyframes_turn_ball_joints(tmp_path):
    """MuJoCo 4.0.0: angular velocity in ground at the start, and the place after 0.3 s."""
    geom = '<geom type="box" size=".1 .2 .1" pos=".1 0 0"/>'
    text = one('<joint name="j" type="ball" damping=".4"/>', geom=geom, body='pos="0 0 1"',
        after='<keyframe><key name="k" qpos="0.6 0.5 0.3 0.2" qvel="4 5 6"/></keyframe>')  # fmt: skip
    run = hn.simulate(quietly(write(tmp_path, text), keyframe="k"), end=0.3, steps=3, error=1e-9, progress=False)
    assert run.part("a").angular_velocity.values[0] == pytest.approx([7.5405, 0.1081, 4.4865], abs=1e-4)
    assert run.part("a").position.values[-1] == pytest.approx([-0.03172, 0.09415, 1.01136], abs=2e-5)


def test_tendons_without_springlength_rest_at_springref(tmp_path):
    """MuJoCo 4.0.0 (RK4, 0.2 ms): angles after 0.3 s of two hinges, of which one has a ref and no springref."""
    text = """<mujoco><compiler angle="radian"/><worldbody><body pos="0 0 1">
<joint name="a" axis="0 1 0" ref=".4"/><geom type="box" size=".1 .2 .3" pos=".3 0 0"/><body pos=".6 0 0">
<joint name="b" axis="0 1 0"/><geom type="box" size=".1 .2 .3" pos=".3 0 0"/></body></body></worldbody><tendon>
<fixed stiffness="30" damping="2"><joint joint="a" coef="1"/><joint joint="b" coef="-2"/></fixed></tendon></mujoco>"""
    model = quietly(write(tmp_path, text), contacts=False)
    run = hn.simulate(model, end=0.3, steps=3, error=1e-9, progress=False)
    got = run.joint("a").angle.values[-1], run.joint("b").angle.values[-1]
    assert got == pytest.approx((0.89394, 0.10451), abs=2e-5)


def test_a_box_fitted_to_a_mesh_is_named(tmp_path):
    text = one(HINGE, geom='<geom name="g" type="box" mesh="t"/>',
        before='<asset><mesh name="t" vertex="0 0 0 .4 0 0 0 .5 0 0 0 .6"/></asset>')  # fmt: skip
    with pytest.warns(hn.ModelWarning, match="no mass of geom 'g': a box is not fitted to its mesh; give inertial"):
        hn.read_mjcf(write(tmp_path, text), contacts=False)
