"""Elements leave a model with what names them, or not at all; names lead to what is there."""

import dataclasses

import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.model.base import ELEMENT_TYPES


def machine():
    model = hn.Model("m")
    a = model.part("a", 1.0, (1, 1, 1))
    b = model.part("b", 1.0, (1, 1, 1), (1, 0, 0))
    pin = model.revolute(a, b, "pin", at=(0.5, 0, 0), axis=(0, 0, 1))
    model.revolute(a, model.ground, "foot", at=(0, 0, 0), axis=(0, 0, 1))
    model.motion(pin, "TIME", "drive")
    model.sphere(b, (1, 0, 0), 0.1, name="ball")
    return model


def test_users_are_all_that_could_not_stay():
    model = machine()
    names = {e.name for e in model.users(model.find("PART", "b"))}
    assert {"pin", "drive", "ball", "b.cm"} <= names and "a" not in names and "foot" not in names


def test_removed_with_users_leaves_a_model_that_runs():
    model = machine()
    with pytest.raises(ModelError, match="would be left without it"):
        model.remove(model.find("PART", "b"))
    assert "b" in [p.name for p in model.parts.values()]
    gone = model.remove(model.find("PART", "b"), with_users=True)
    assert {e.KIND for e in gone} == {"PART", "MARKER", "JOINT", "MOTION", "GRAPHICS"}
    assert hn.check(model).degrees_of_freedom == 1
    with pytest.raises(ModelError, match="no PART named 'b'"):
        model.find("PART", "b")
    assert model.part("c", 1.0, (1, 1, 1)).id == 4  # ids are not given again


def test_a_part_without_users_goes_with_its_own_marker():
    model = hn.Model("m")
    model.remove(model.part("a", 1.0, (1, 1, 1)))
    assert len(model.parts) == 1 and not model.markers


@pytest.mark.parametrize("what", ["ground", "gone", "other"])
def test_refused(what):
    model = machine()
    if what == "ground":
        with pytest.raises(ModelError, match="ground cannot be removed"):
            model.remove(model.ground, with_users=True)
    elif what == "gone":
        motion = model.find("MOTION", "drive")
        model.remove(motion)
        with pytest.raises(ModelError, match="not in this model"):
            model.remove(motion)
    else:
        with pytest.raises(ModelError, match="another model"):
            model.remove(machine().find("MOTION", "drive"))


def test_renamed_is_found_by_its_name():
    model = machine()
    model.part("pivot", 1.0, (1, 1, 1))
    pin = model.rename(model.find("JOINT", "pin"), "Hinge")
    assert model.find("JOINT", "hinge") is pin
    with pytest.raises(ModelError, match="no JOINT named 'pin'"):
        model.find("JOINT", "pin")
    for name in ("", "  ", 3):
        with pytest.raises(ModelError, match="cannot be"):
            model.rename(pin, name)


def test_elements_that_contacts_and_others_name_are_not_taken_from_them():
    """Every reference by number that an element of a model can hold."""
    m = hn.Model("m")
    a, b = (m.part(n, 1.0, (1, 1, 1)) for n in "ab")
    ball, floor = m.sphere(a, (0, 0, 1), 0.5, name="ball"), m.plane(m.ground, (0, 0, 0), (0, 0, 1), name="floor")
    touch = m.contact(ball, floor, stiffness=1e5, damping=1.0, dmax=1e-3, name="touch")
    assert m.users(ball) == [touch] and m.users(floor) == [touch]
    with pytest.raises(ModelError, match="CONTACT/1 'touch' would be left without it"):
        m.remove(ball)
    pin = m.revolute(a, b, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    lock = m.lock(pin, when="TIME-1")
    assert lock in m.users(pin)
    speed = m.variable("TIME", "speed")
    inputs = m.array("U", variables=[speed])
    assert inputs in m.users(speed)
    assert touch in m.remove(ball, with_users=True)


def test_every_field_that_holds_ids_is_a_reference():
    """Fields that are whole numbers, or tuples of them, are references or counts named here."""
    counts = set(
        "width cells held first vectors part node_id node_label curve seed count region node case number size ns no nd "
        "channel order rows columns on hold resisting elements mode nodes onto_nodes divisions".split()
    )
    for kind, cls in ELEMENT_TYPES.items():
        for f in dataclasses.fields(cls):
            if (
                f.name not in ("id", "name", "active", "source", *cls.REFERENCES, *cls.USES)
                and "int" in str(f.type).split("|")[0]
            ):
                assert f.name in counts, (kind, f.name)
