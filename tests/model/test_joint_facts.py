"""What types of joints have and do is in one table; what rests on it agrees with it."""

from types import SimpleNamespace

import pytest

import holonom as hn
from holonom.elements.joints import JOINTS, friction
from holonom.model.joint_facts import FACTS, having
from holonom.model.joints import JOINT_TYPES, PRIMITIVE_TYPES
from holonom.model.validate import faults


def test_every_type_stands_in_the_table():
    assert set(FACTS) == {*JOINT_TYPES, *PRIMITIVE_TYPES} == set(JOINTS)
    rows = {k: len(j.equations) + (j.setup is not None) for k, j in JOINTS.items()}  # one couples two coordinates
    assert {name: f.equations for name, f in FACTS.items()} == rows


@pytest.mark.parametrize("name", JOINT_TYPES)
def test_what_can_be_driven_is_what_the_equations_leave_free(name):
    word = {"angle": "ROTATIONAL", "distance": "TRANSLATIONAL"}
    assert set(FACTS[name].driven) == {word[c] for c in JOINTS[name].coordinates}
    assert set(FACTS[name].locked) <= set(FACTS[name].driven)


def test_friction_acts_where_its_kernel_knows_how():
    of = {name: friction.kind(None, SimpleNamespace(type=name)) for name in having("friction")}
    assert [of[n] for n in ("TRANSLATIONAL", "CYLINDRICAL", "SPHERICAL")] == [
        friction.SLIDE,
        friction.CYLINDER,
        friction.BALL,
    ]
    assert [of.pop(n) for n in ("REVOLUTE", "HOOKE", "UNIVERSAL")] == 3 * [friction.AXIS] and len(of) == 3


@pytest.mark.parametrize("name", JOINT_TYPES)
@pytest.mark.parametrize("kind", ["ROTATIONAL", "TRANSLATIONAL"])
def test_a_motion_is_refused_by_validation_or_runs(name, kind):
    """A MOTION on a rack and pinion once passed validation and was refused when it ran."""
    m = hn.Model()
    a, b = m.part("a", 1.0, (1, 1, 1)), m.part("b", 1.0, (1, 1, 1))
    m.fixed(b, m.ground, at=(0, 0, 0))
    joint = m.joint(name, m.marker(a), m.marker(b, x=(0, 1, 0) if name == "UNIVERSAL" else None), "j")
    joint.pitch = joint.pd = 0.1
    m.motion("j", "0.1*TIME", kind=kind)
    wrong = faults(m)
    assert bool(wrong) == (kind not in FACTS[name].driven)
    if wrong:
        assert "to drive; choose another joint or kind" in wrong[0]
    else:
        assert hn.check(m).ok
