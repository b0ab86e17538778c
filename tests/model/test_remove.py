"""Elements leave a model with what names them, or not at all; names lead to what is there."""

import pytest

import holonom as hn
from holonom.model import ModelError


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
