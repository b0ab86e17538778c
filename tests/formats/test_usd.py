"""USD stages: the same machine in other units and as MJCF, masses of colliders, joints by their free motions, and what
is reported.  Newton's humanoid_mjc.usda agrees with MuJoCo to single precision (docs/robots.md)."""

import numpy as np
import pytest
from _robots import quiet, reported

import holonom as hn

pytest.importorskip("pxr", reason="usd-core is not installed")

HEAD = """#usda 1.0
(
    metersPerUnit = {length}
    kilogramsPerUnit = {mass}
    upAxis = "{up}"
)
def PhysicsScene "scene"
{{
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = {gravity}
}}
"""


def body(name, inside="", mass=2.0, at=(0, 0, 0), inertia=(0.25, 0.5, 0.375), centre=(0, 0, 0), scale=(1, 1, 1)):
    return f"""
def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{{
    double3 xformOp:translate = {tuple(map(float, at))}
    float3 xformOp:scale = {tuple(scale)}
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    float physics:mass = {mass}
    point3f physics:centerOfMass = {tuple(centre)}
    float3 physics:diagonalInertia = {tuple(map(float, inertia))}
    {inside}
}}
"""


def joint(kind, name, one, two, at0, at1, more="", apis=""):
    ends = "".join(f"    rel physics:body{k} = </{b}>\n" for k, b in enumerate((one, two)) if b)
    schemas = f" (prepend apiSchemas = [{apis}])" if apis else ""
    return f"""
def Physics{kind}Joint "{name}"{schemas}
{{
{ends}    point3f physics:localPos0 = {tuple(map(float, at0))}
    point3f physics:localPos1 = {tuple(map(float, at1))}
    {more}
}}
"""


def head(length=1.0, mass=1.0, gravity=9.75, up="Z"):
    return HEAD.format(length=length, mass=mass, gravity=gravity, up=up)


def write(tmp_path, text, name="stage.usda"):
    path = tmp_path / name
    path.write_text(text)
    return path


DRIVE = """uniform token physics:axis = "Y"
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
    float drive:angular:physics:stiffness = {k}
    float drive:angular:physics:damping = {c}
    float drive:angular:physics:targetPosition = 45
    float physxJoint:armature = {a}"""


def test_units_of_the_stage_and_a_drive(tmp_path):
    """A pendulum in metres and kilograms and in quarters of a metre and half kilograms is that of our own builder."""
    k, c, a = 0.5, 0.0625, 0.125  # per degree; kg m^2
    runs = []
    for n, (L, M) in enumerate(((1.0, 1.0), (0.25, 0.5))):
        drive = DRIVE.format(k=k / M / L**2, c=c / M / L**2, a=a / M / L**2)
        text = head(L, M, 9.75 / L)
        text += body("rod", mass=2.0 / M, at=(0, 0, -0.5 / L), inertia=np.array([0.25, 0.5, 0.375]) / M / L**2)
        text += joint(
            "Revolute",
            "pin",
            "",
            "rod",
            (0, 0, 0),
            (0, 0, 0.5 / L),
            drive,
            '"PhysicsDriveAPI:angular", "PhysxJointAPI"',
        )
        runs.append(hn.read_usd(write(tmp_path, text, f"{n}.usda"), shapes="none"))
    own = hn.Model("own")
    own.gravity = (0, 0, -9.75)
    rod = own.part("rod", 2.0, (0.25, 0.5, 0.375), (0, 0, -0.5))
    pin = own.revolute(rod, own.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0), armature=a)
    degree = np.pi / 180.0
    torque = f"{k / degree!r}*({45 * degree!r}-AZ({pin.i},{pin.j}))-{c / degree!r}*WZ({pin.i},{pin.j},{pin.j})"
    own.sforce(pin.i, pin.j, torque, kind="ROTATIONAL")
    for model in runs:
        assert [e.name for e in model.table("VARIABLE").values()] == ["pin target"]
        for e in model.table("SWITCH").values():
            e.active = False
    want, *angles = (
        hn.simulate(m, end=0.5, steps=5, error=1e-10, progress=False).joint("pin").angle.values for m in (own, *runs)
    )
    assert np.abs(want).max() > 0.1
    for angle in angles:
        assert angle == pytest.approx(want, abs=1e-8)


def test_hinges_of_mujoco_in_series_are_those_of_mjcf(tmp_path):
    """Two hinges between the same bodies, springs, dampers and armature; the scale of a body stretches its places."""
    hinge = lambda name, axis, a: joint(
        "Revolute", name, "base", "arm", (0, 0, 0.5), (0, 0, -0.5),
        f"""uniform token physics:axis = "{axis}"
    uniform double mjc:armature = {a}
    uniform double mjc:damping = 0.25
    uniform double mjc:stiffness = 2""",
        '"MjcJointAPI"',
    )  # fmt: skip
    text = head(gravity=9.75) + body("base", at=(0, 0, 1))
    text += body(
        "arm", at=(0, 0, 1.75), mass=1.0, centre=(0.25, 0, 0), scale=(1, 1, 0.5), inertia=(0.125, 0.125, 0.0625)
    )
    text += hinge("first", "X", 0.125) + hinge("second", "Y", 0.25)
    text += joint("Revolute", "foot", "", "base", (0, 0, 1), (0, 0, 0), 'uniform token physics:axis = "Z"')
    model = quiet(hn.read_usd, write(tmp_path, text))
    same = tmp_path / "same.xml"
    same.write_text("""<mujoco><option gravity="0 0 -9.75"/><worldbody><body name="base" pos="0 0 1">
      <joint name="foot" axis="0 0 1"/><inertial pos="0 0 0" mass="2" diaginertia="0.25 0.5 0.375"/>
      <body name="arm" pos="0 0 0.5">
        <joint name="first" axis="1 0 0" armature="0.125" damping="0.25" stiffness="2"/>
        <joint name="second" axis="0 1 0" armature="0.25" damping="0.25" stiffness="2"/>
        <inertial pos="0.25 0 0.25" mass="1" diaginertia="0.125 0.125 0.0625"/>
      </body></body></worldbody></mujoco>""")
    ours, theirs = (hn.JointCoordinates(m) for m in (model, quiet(hn.read_mjcf, same)))
    assert ours.freedoms == theirs.freedoms == ["foot.angle", "first.angle", "second.angle"]
    q, v = [0.3, -0.4, 0.5], [1.0, -2.0, 0.5]
    assert ours.mass_matrix(q) == pytest.approx(theirs.mass_matrix(q), abs=1e-8)
    assert ours.forward_dynamics(q, v) == pytest.approx(theirs.forward_dynamics(q, v), rel=1e-8)


def test_masses_follow_from_colliders(tmp_path):
    """A box of 0.5 x 1 x 2 m and a ball of the radius 0.5 m at z = 2, closed forms."""
    text = (
        head()
        + """
def Xform "lump" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:density = 100
    def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {
        double size = 1
        float3 xformOp:scale = (0.5, 1, 2)
        uniform token[] xformOpOrder = ["xformOp:scale"]
    }
    def Sphere "ball" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"])
    {
        double radius = 0.5
        float physics:mass = 50
        double3 xformOp:translate = (0, 0, 2)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
"""
    )
    (part,) = (p for p in quiet(hn.read_usd, write(tmp_path, text)).parts.values() if not p.ground)
    assert part.mass == pytest.approx(150.0)
    xx = 100 / 12 * (1 + 4) + 100 * (2 / 3) ** 2 + 0.4 * 50 * 0.25 + 50 * (4 / 3) ** 2
    yy = 100 / 12 * (0.25 + 4) + 100 * (2 / 3) ** 2 + 0.4 * 50 * 0.25 + 50 * (4 / 3) ** 2
    zz = 100 / 12 * (0.25 + 1) + 0.4 * 50 * 0.25
    assert np.diag(part.inertia) == pytest.approx([xx, yy, zz])


LOCK = "float limit:{0}:physics:low = 1\n    float limit:{0}:physics:high = -1\n    "


@pytest.mark.parametrize(
    "free, type, freedoms",
    [
        (("rotZ",), "REVOLUTE", 1),
        (("transX",), "TRANSLATIONAL", 1),
        (("rotX", "transX"), "CYLINDRICAL", 2),
        (("rotX", "rotY"), "UNIVERSAL", 2),
        (("rotY", "transX", "transZ"), "PLANAR", 3),
        (("rotX", "rotY", "rotZ"), "SPHERICAL", 3),
        (("transX", "transY", "transZ"), "ORIENTATION", 3),
    ],
)
def test_joints_by_their_free_motions(tmp_path, free, type, freedoms):
    words = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
    locked = [w for w in words if w not in free]
    apis = ", ".join(f'"PhysicsLimitAPI:{w}"' for w in locked)
    text = head() + body("part", at=(0.5, 0, 0))
    text += joint("", "link", "", "part", (0, 0, 0), (-0.5, 0, 0), "".join(LOCK.format(w) for w in locked), apis)
    model = quiet(hn.read_usd, write(tmp_path, text))
    (made,) = (*model.joints.values(), *model.table("JPRIM").values())
    assert made.type == type
    joints = hn.JointCoordinates(model)
    assert joints.nv == freedoms
    # the free motions are those along and about the axes of the joint frame
    J = joints.jacobian(model.find("MARKER", made.i), joints.q)
    allowed = [words.index(w) for w in free]
    assert np.abs(np.delete(J, allowed, axis=0)).max() < 1e-12
    assert np.linalg.matrix_rank(J[allowed]) == freedoms


@pytest.mark.parametrize(
    "text, sentence",
    [
        (head(), "no prim with PhysicsRigidBodyAPI, so there is no body"),
        (head(length=0.0) + body("a"), "metersPerUnit is 0"),
        (head() + body("a", inertia=(-1, 1, 1)), "principal moment -1; give positive ones"),
        (head() + body("a") + joint("Revolute", "j", "a", "a", (0, 0, 0), (0, 0, 0)), "connects body 'a' with itself"),
        (head() + body("a") + joint("Revolute", "j", "b", "a", (0, 0, 0), (0, 0, 0)), "no prim; name one body"),
        (
            head() + body("a") + joint("", "j", "", "a", (0, 0, 0), (0, 0, 0), LOCK.format("rotX")),
            "leaves transX, transY, transZ, rotY, rotZ free, for which there is no joint; lock some",
        ),
        (head() + body("a") + joint("", "j", "", "a", (0, 0, 0), (0, 0, 0)), "locks no motion, so it connects nothing"),
        (head() + body("a") + joint("Distance", "j", "", "a", (0, 0, 0), (0, 0, 0)), "limits a distance, which is not"),
        (head() + body("a", "bool physics:kinematicEnabled = 1"), "moved by the user .kinematicEnabled., here"),
        (head() + body("a", "float physxRigidBody:angularDamping = 0.5"), "effect: physxRigidBody:angularDamping"),
        (head() + body("a", "float3 newton:own = (1, 2, 3)"), "without effect: newton:own"),
        (head() + 'def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) { }', "it has 1 kg, as a ball"),
        (
            head()
            + body("a")
            + joint(
                "Spherical", "j", "", "a", (0, 0, 0), (0, 0, 0), "float physics:coneAngle0Limit = 30"
            ),
            "coneAngle0Limit has no effect",
        ),
        ("#usda 1.0\n(", "is not a USD stage that can be opened"),
        (
            head()
            + body("a")
            + joint("Revolute", "j", "", "a", (0, 0, 0), (0, 0, 0), 'uniform token physics:axis = "W"'),
            "physics:axis is 'W'; give X, Y or Z",
        ),
        (
            head()
            + body("a")
            + joint("Revolute", "j", "", "a", (0, 0, 0), (0, 0, 0),
                    DRIVE.format(k=1, c=1, a=0) + "\n    float drive:angular:physics:maxForce = -1",
                    '"PhysicsDriveAPI:angular"'),
            "the largest force -1; give finite targets and a force of 0 or more",
        ),
        (
            head() + body("a") + joint("Revolute", "j", "", "a", ("nan", 0, 0), (0, 0, 0)),
            "localPos0 is not finite",
        ),
        (head() + body("a", at=("nan", 0, 0)), "its transformation has numbers that are not finite"),
        (
            head()
            + body("a", "bool physics:kinematicEnabled = 1")
            + joint("Revolute", "j", "", "a", (0, 0, 0), (0, 0, 0)),
            "joint 'j' connects bodies that are fixed to ground and has no effect",
        ),
        (
            head()
            + body("a")
            + "".join(joint("Revolute", f"j{k}", "a", "", (0, 0, 0), (0, 0, 0), "", '"MjcJointAPI"') for k in (0, 1)),
            "joint 'j0' is one of several whose body1 is ground; make ground body0",
        ),
    ],
)  # fmt: skip
def test_what_is_not_modelled_is_reported(tmp_path, text, sentence):
    import re

    assert re.search(sentence, reported(hn.read_usd, write(tmp_path, text)))


def test_layers_lie_below_the_root(tmp_path):
    inside = tmp_path / "a" / "b" / "c"
    inside.mkdir(parents=True)
    write(tmp_path, head() + body("part"), "other.usda")
    text = '#usda 1.0\ndef Xform "robot" (references = @../../../other.usda@</part>) { }'
    path = write(inside, text)
    with pytest.raises(hn.ModelError, match="other.usda' is outside of .*name a folder that has it by root="):
        hn.read_usd(path, root=inside)
    assert len(quiet(hn.read_usd, path, root=tmp_path).parts) == 2
