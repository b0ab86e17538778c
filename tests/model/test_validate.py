"""Every kind of bad input gives one sentence: the element, the file and line, what is wrong, how to fix it."""

import math

import pytest

import holonom as hn
from holonom.formats import parse_adm
from holonom.model import ModelErrors
from holonom.model.base import Source
from holonom.model.bodies import Marker, Part
from holonom.model.joints import Joint
from holonom.model.validate import cannot_run, doubts, faults, validate


def machine() -> hn.Model:
    """Two bodies in a row, sound in every respect."""
    m = hn.Model("machine")
    a = m.part("a", 1.0, (1.0, 1.0, 1.0), (0.5, 0.0, 0.0))
    b = m.part("b", 1.0, (1.0, 1.0, 1.0), (1.5, 0.0, 0.0))
    m.revolute(m.ground, a, "hinge", at=(0, 0, 0), axis=(0, 0, 1))
    m.translational(a, b, "slide", at=(1, 0, 0), axis=(1, 0, 0))
    return m


def one(m: hn.Model) -> str:
    found = faults(m)
    assert len(found) == 1, found
    return found[0]


def test_a_sound_model_has_no_faults():
    m = machine()
    validate(m)
    assert faults(m) == [] and cannot_run(m) == [] and doubts(m) == []


@pytest.mark.parametrize(
    "mass, text",
    [
        (None, "it has no mass, and no joint holds it; give MASS = a positive number"),
        (0.0, "its mass must be positive, it is 0; give MASS"),
        (-2.0, "its mass must be positive, it is -2; give MASS"),
        (math.nan, "MASS is nan; give a finite number"),
        (math.inf, "MASS is inf; give a finite number"),
    ],
)
def test_mass(mass, text):
    m = machine()
    m.parts[2].mass = mass
    if not mass:  # with a joint it is a dummy
        m.find("JOINT", "hinge").active = m.find("JOINT", "slide").active = False
    m.parts[2].source = Source("x.adm", 7)
    assert one(m).startswith(f"PART/2 'a' (x.adm:7): {text}")


@pytest.mark.parametrize(
    "ip, text",
    [
        ((), "it has mass but no inertia, and no joint holds it; give IP"),
        ((-1.0, 1.0, 1.0), "its inertia is impossible: a principal moment is negative (-1); correct IP"),
        (
            (0.0, 1.0, 1.0),
            "it has no inertia about one of its axes (principal moments 0, 1, 1); give a small positive moment",
        ),
        ((1.0, 1.0, 1.0, 3.0, 0.0, 0.0), "its inertia is impossible: a principal moment is negative (-2)"),
        ((1.0, math.nan, 1.0), "IP holds nan at position 2; give finite numbers"),
        ((1.0, 1.0), "IP must be 3 or 6 numbers, not 2"),
    ],
)
def test_inertia(ip, text):
    m = machine()
    m.parts[3].ip = ip
    if not ip:
        m.find("JOINT", "slide").active = False
    assert one(m).startswith(f"PART/3 'b': {text}")


def test_a_body_for_one_axis_is_a_doubt_only():
    m = machine()
    m.parts[2].ip = (0.001, 0.001, 4000.0)
    assert faults(m) == []
    assert doubts(m)[0].startswith(
        "PART/2 'a': no body has such an inertia: the largest principal moment 4000 exceeds the sum"
    )


def test_an_inertia_that_no_body_has_is_a_doubt():
    """Adams runs it; the equations of motion need positive moments only."""
    m = machine()
    m.parts[3].ip = (1.0, 1.0, 2.5)
    assert faults(m) == []
    assert doubts(m)[0] == (
        "PART/3 'b': no body has such an inertia: the largest principal moment 2.5 exceeds the sum of the other two (1 "
        "+ 1); "
        "check IP; the run uses it as it is"
    )


def test_rounded_inertia_of_a_flat_plate_passes():
    m = machine()
    m.parts[2].ip = (1.0, 1.0, 2.0005)
    assert faults(m) == []


def test_centre_of_mass():
    m = machine()
    m.parts[2].cm = None
    assert "it has mass and no centre-of-mass marker; give CM = id of a marker of this part" in one(m)
    m.parts[2].cm = m.parts[3].cm
    assert "lies on another body; give a marker of its own" in one(m)
    m.parts[2].cm = 999
    assert "PART/2 'a': CM = 999: there is no MARKER/999; correct the id or add the MARKER" in one(m)


def test_references_of_every_kind_of_element():
    m = machine()
    for element in list(m):
        for name, kind in element.REFERENCES.items():
            value = getattr(element, name)
            if not value:
                continue
            setattr(element, name, (777,) if isinstance(value, tuple) else 777)
            text = f"{element.label}: {name.upper()} = 777: there is no {kind}/777; correct the id or add the {kind}"
            assert text in faults(m)
            setattr(element, name, value)
    assert faults(m) == []
    m.add(Marker(id=50, part=60))
    assert "MARKER/50 'MARKER_50': its body PART/60 does not exist" in one(m)


def test_duplicate_ids():
    m = machine()
    with pytest.raises(
        hn.ModelError, match="PART/2 'again': this id is taken by PART/2 'a'; give each PART an id of its own"
    ):
        m.part("again", id=2)
    with pytest.raises(
        hn.ModelError, match=r"x.adm:5: PART/2: this id is taken already \(line 3\); give it another id"
    ):
        parse_adm("t\nPART/1, GROUND\nPART/2, MASS=1\nMARKER/1, PART=1\nPART/2, MASS=2\nEND\n", "x.adm")


def test_joints():
    m = machine()
    m.joints[1].j = m.joints[1].i
    assert "JOINT/1 'hinge': both its markers, " in one(m) and "lie on PART/1; connect two bodies" in one(m)
    m = machine()
    m.joints[2].type = "WELD"
    assert "unknown type 'WELD'; choose one of REVOLUTE, " in one(m)
    m.joints[2].type = "SCREW"
    assert "a screw needs PITCH" in one(m)
    m = machine()
    m.add(Joint(type="FIXED", i=m.joints[1].i))
    assert "JOINT/3 'JOINT_3': it names no MARKER for J; give J = id" in one(m)
    m = machine()
    m.joints[1].j = m.floating_marker("a").id
    assert "is a floating marker; give one with a position of its own" in one(m)


def test_motions():
    m = machine()
    motion = m.motion("hinge", "TIME")
    motion.joint = 9
    assert "MOTION/1 'MOTION_1': JOINT = 9: there is no JOINT/9; correct the id or add the JOINT" in one(m)
    motion.joint, motion.kind = 1, "TRANSLATIONAL"
    assert "JOINT/1 'hinge' is REVOLUTE and has no free distance to drive; choose another joint or kind" in one(m)
    motion.kind, motion.level = "ROTATIONAL", "JERK"
    assert "unknown level 'JERK'" in one(m)
    motion.level = "DISPLACEMENT"
    m.joints[1].active = False
    assert "it needs JOINT/1 'hinge', which is not active; deactivate both or neither" in one(m)
    m.joints[1].active = True
    m.motion("hinge", "2*TIME", "again")
    expected = (
        "it drives the rotation of JOINT/1, which MOTION/1 'MOTION_1' drives already; remove or deactivate one of them"
    )
    assert one(m) == f"MOTION/2 'again': {expected}"
    motion.active = False
    assert faults(m) == []
    motion.active, motion.joint = True, None
    assert "it drives nothing: give a joint, or markers I and J and a component" in one(m)


def test_couplers_and_gears():
    m = machine()
    coupler = m.coupler(["hinge", "slide"], (1.0, 2.0))
    assert faults(m) == []
    coupler.scales = (1.0,)
    assert "it needs one scale for each of its 2 joints, it has 1" in one(m)
    coupler.scales = (1.0, 0.0)
    assert "a scale is zero" in one(m)
    coupler.scales, coupler.joints = (1.0, 2.0), (1, 1)
    assert "it names the same joint twice" in one(m)
    coupler.joints = (1, 2)
    m.joints[2].type = "SPHERICAL"
    assert "JOINT/2 'slide' is SPHERICAL; couple revolute, translational, cylindrical or screw joints" in one(m)
    m = machine()
    m.gear("hinge", "slide", m.marker(m.ground))
    assert "must lie on the carrier, the part that JOINT/2 'slide' shares with the other joint" in one(m)


@pytest.mark.parametrize(
    "x, y, z, text",
    [
        ((0.0, 1.0, 2.0, math.nan), ((1.0,) * 4,), (), "X holds nan at position 4; give finite numbers"),
        ((0.0, 1.0, 2.0, 3.0), ((1.0, 2.0, math.inf, 3.0),), (), "Y holds inf at position 3; give finite numbers"),
        (
            (0.0, 1.0, 1.0, 3.0),
            ((1.0,) * 4,),
            (),
            "x must increase, but value 3 (1) follows 1; sort them and remove doubles",
        ),
        ((0.0, 1.0, 2.0, 3.0), ((1.0,) * 3,), (), "row 1 of y has 3 numbers for 4 x values; give as many"),
        ((0.0, 1.0, 2.0, 3.0), ((1.0,) * 4,), (0.0, 1.0), "it needs 2 rows of y, one for each z, it has 1"),
        ((0.0, 1.0, 2.0, 3.0), ((1.0,) * 4,) * 2, (1.0, 0.0), "z must increase, but value 2 (0) follows 1"),
    ],
)
def test_splines(x, y, z, text):
    m = machine()
    s = m.spline(range(4), range(4), name="s")
    s.x, s.y, s.z = x, y, z
    assert one(m).startswith(f"SPLINE/1 's': {text}")


def test_arrays_and_matrices():
    m = machine()
    m.matrix([[1.0, 2.0], [3.0, 4.0]]).values = (1.0, 2.0, 3.0)
    assert "2 rows of 2 need 4 values, it has 3" in one(m)
    m = machine()
    m.array("IC", numbers=(1, 2), size=3)
    assert "SIZE is 3, but it has 2 numbers; make them agree" in one(m)
    m = machine()
    u = m.variable("TIME")
    arrays = [m.array("X", size=2), m.array("U", variables=[u]), m.array("Y", size=1)]
    lse = m.linear_state_equations(
        arrays[0], m.matrix([[0, 1], [-1, 0]]), u=arrays[1], b=m.matrix([[1], [0]]), y=arrays[2], c=m.matrix([[1, 0]])
    )
    assert faults(m) == []
    lse.b = lse.c
    assert "its matrix B, MATRIX/3 'MATRIX_3', must be 2 x 1 to fit its states, inputs and outputs, it is 1 x 2" in one(
        m
    )
    lse.a = lse.c
    assert "its matrix A, MATRIX/3 'MATRIX_3', must be square, it is 1 x 2" in one(m)


def test_forces_and_data():
    m = machine()
    i, j = m.marker("a"), m.marker("b")
    field = m.field(i, j, kmatrix=[[0.0] * 6] * 6)
    field.kmatrix = (1.0,) * 35
    assert "KMATRIX needs 36 numbers, it has 35" in one(m)
    m = machine()
    m.spring_damper(m.marker("a"), m.marker("b")).k = math.nan
    assert "SPRINGDAMPER/1 'SPRINGDAMPER_1': K is nan; give a finite number" in one(m)
    m = machine()
    m.sensor("TIME", 1.0, "GE").comparison = "GT"
    assert "unknown comparison 'GT'; choose one of EQ, GE, LE" in one(m)
    m = machine()
    m.gravity = (0.0, math.nan, 0.0)
    assert one(m) == "ACCGRAV: gravity along y is nan; give a finite number"
    m = machine()
    m.add(Part(ground=True, name="other"))
    assert "PART/4 'other': a second ground part in addition to PART/1 'ground'; only one is allowed" in one(m)
    m = machine()
    marker = m.markers[2]
    marker.qp, marker.reuler, marker.zp, marker.xp = (0.0, 0.0, 0.0), None, (0.0, 0.0, 1.0), (0.0, 0.0, 2.0)
    assert "its axes are not defined: the z and x axes are parallel" in one(m)


def test_all_faults_at_once_and_inactive_elements_apart():
    m = machine()
    m.parts[2].mass, m.parts[3].ip = -1.0, (-1.0, 1.0, 1.0)
    m.motion("hinge", "TIME").kind = "TRANSLATIONAL"
    with pytest.raises(ModelErrors) as caught:
        validate(m)
    assert len(caught.value.errors) == 3
    m.table("MOTION")[1].active = False
    assert len(faults(m)) == 2


def test_missing_routines_are_named_together():
    m = machine()
    i, j = m.marker("a"), m.marker("b")
    m.sforce(i, j, "USER(1, 2.5)", "push")
    m.variable("USER(7)").routine = "lib::volume"
    texts = cannot_run(m)
    assert len(texts) == 2
    assert "SFORCE/1 'push': user routine 'SFORCE/1' with parameters [1, 2.5] is not registered" in texts[0]
    assert (
        "user routine 'lib::volume' with parameters [7] is not registered; give it with model.register('lib::volume', "
        "function)" in texts[1]
    )
    m.register("push", lambda call: 0.0)
    m.register("volume", lambda call: 0.0)
    assert cannot_run(m) == []


def test_thousands_of_elements_take_no_time():
    import time

    m = hn.Model("long")
    last = m.ground
    for k in range(1500):
        body = m.part(f"p{k}", 1.0, (1.0, 1.0, 1.0), (float(k), 0.0, 0.0))
        m.revolute(last, body, at=(float(k), 0, 0), axis=(0, 0, 1))
        last = body
    start = time.process_time()
    assert faults(m) == []
    assert time.process_time() - start < 2.0


def test_unknown_kinds_and_fields():
    with pytest.raises(hn.ModelError, match="unknown kind of element 'WHEEL'; choose one of"):
        hn.Model().table("WHEEL")
    data = machine().to_dict()
    data["elements"]["PART"][1]["weight"] = 3
    with pytest.raises(hn.ModelError, match="PART/2: unknown field 'weight'"):
        hn.Model.from_dict(data)


def test_exact_of_one_angle_alone_is_told():
    m = hn.Model("one angle")
    part = m.part("arm", 1.0, (1, 1, 1))
    part.exact = ("X", "PSI")
    (text,) = doubts(m)
    assert "EXACT of PSI alone has no influence: an attitude is kept as a whole; name PSI, THETA and PHI" in text
    part.exact = ("PSI", "THETA", "PHI")
    assert not doubts(m)
