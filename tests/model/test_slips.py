"""Slips of the pen in a script are reported in one sentence where they are written, with the element, the value and the
fix."""

import numpy as np
import pytest

import holonom as hn
from holonom import Model
from holonom.model.base import ModelError
from holonom.model.validate import doubts, faults


def two_parts():
    m = Model(units="SI")
    return m, m.part("rod", 1.0, (1, 1, 1)), m.part("block", 1.0, (1, 1, 1), (1, 0, 0))


def test_unknown_attributes_name_the_nearest():
    m, rod, _ = two_parts()
    with pytest.raises(ModelError, match=r"PART/2 'rod': there is no attribute 'mas'; did you mean 'mass'\?"):
        rod.mas = 2.0
    with pytest.raises(ModelError, match=r"there is no attribute 'gravty'; did you mean 'gravity'\?"):
        m.gravty = (0, 0, -9.81)
    rod.mass, m.title = 2.0, "a title"
    assert (rod.mass, m.title) == (2.0, "a title")


@pytest.mark.parametrize("value", [(0, -9.81), -9.81, (0, 0, "9"), None, "down", (0, 0, 0, -9.81)])
def test_gravity_is_three_numbers(value):
    m = Model()
    with pytest.raises(ModelError, match=r"gravity is .*; give three numbers"):
        m.gravity = value
    assert m.gravity == (0.0, 0.0, 0.0)


def test_gravity_of_arrays_and_lists():
    m = Model()
    m.gravity = np.array([0, 0, -9.81])
    assert m.gravity == (0.0, 0.0, -9.81) and type(m.gravity[2]) is float
    m.gravity = [0, 0, -1]
    assert m.gravity == (0, 0, -1)


def test_gravity_of_metres_in_a_model_of_millimetres():
    m = Model(units="mm")
    m.gravity = (0, 0, -9.81)
    (text,) = doubts(m)
    assert "gravity is 9.81 mm/s^2, which is 0.00981 m/s^2; on Earth it is 9806.65 mm/s^2" in text
    m.gravity = (0, 0, -9806.65)
    assert doubts(m) == []


def test_elements_of_another_model_are_refused_and_those_of_a_copy_are_not():
    m, rod, _ = two_parts()
    other = Model("second")
    with pytest.raises(ModelError, match=r"PART/2 'rod': it belongs to another model, not to 'second'"):
        other.revolute(other.ground, rod, at=(0, 0, 0), axis=(0, 0, 1))
    with pytest.raises(ModelError, match="belongs to another model"):
        other.marker(rod)
    twin = m.copy()
    assert twin.marker(rod).part == rod.id


def test_words_of_enumerated_fields():
    m, rod, block = two_parts()
    i, j = m.marker(rod), m.marker(block)
    with pytest.raises(
        ModelError,
        match=r"sforce: unknown kind 'ROTATION'; choose one of TRANSLATIONAL, ROTATIONAL \(did you mean ROTATIONAL\?\)",
    ):
        m.sforce(i, j, "1", kind="ROTATION")
    m.sforce(i, j, "1", kind="rotational").kind = "ROTATION"  # behind the builder's back: a fault
    assert any(
        "unknown kind 'ROTATION'; choose one of TRANSLATIONAL, ROTATIONAL (did you mean ROTATIONAL?)" in t
        for t in faults(m)
    )


@pytest.mark.parametrize(
    "element, field",
    [
        ("spring_damper", "kind"),
        ("joint", "type"),
        ("primitive", "type"),
        ("motion", "level"),
        ("sensor", "comparison"),
        ("array", "kind"),
    ],
)
def test_each_enumerated_field_is_a_fault(element, field):
    m, rod, block = two_parts()
    i, j = m.marker(rod), m.marker(block)
    made = {
        "spring_damper": lambda: m.spring_damper(i, j),
        "joint": lambda: m.joint("REVOLUTE", i, j),
        "primitive": lambda: m.primitive("INLINE", i, j),
        "motion": lambda: m.motion(i=i, j=j, component="X"),
        "sensor": lambda: m.sensor("time", 1.0),
        "array": lambda: m.array("IC", numbers=(1,)),
    }[element]()
    assert not [t for t in faults(m) if f"unknown {field}" in t]
    setattr(made, field, "NONSENSE")
    assert len([t for t in faults(m) if f"unknown {field} 'NONSENSE'; choose one of " in t]) == 1


def test_axes_and_angles():
    m, rod, _ = two_parts()
    for axes, words in (
        (2 * np.eye(3), "right angles"),
        (np.diag([1, 1, -1]), "left-handed"),
        (np.eye(2), "3x3"),
        ("xyz", "3x3"),
    ):
        with pytest.raises(ModelError, match=words):
            m.marker(rod, axes=axes)
        with pytest.raises(ModelError, match=words):
            m.marker_at(rod, (0, 0, 0), axes=axes)
    with pytest.raises(ModelError, match="look like degrees"):
        m.part("turned", 1.0, (1, 1, 1), euler=(90, 0, 0))


def test_places_that_are_no_places():
    m, rod, _ = two_parts()
    for at in (None, 5.0, (1, 2), "abc", (1, 2, "x"), (1, 2, None)):
        with pytest.raises(ModelError, match="expected three numbers|at has 'x'; give a number"):
            m.marker(rod, at)


def test_names_of_bodies_and_of_friction():
    m, rod, _ = two_parts()
    with pytest.raises(ModelError, match=r"there is no PART named 'rodd'; did you mean 'rod'\?"):
        m.marker("rodd")
    with pytest.raises(
        ModelError, match="friction is 0.5, and names a model; give a text; a coefficient is given as mu="
    ):
        m.contact(rod, m.ground, friction=0.5)


def test_names_that_two_elements_share():
    m, _, _ = two_parts()
    m.part("Rod", 1.0, (1, 1, 1))
    assert [t for t in doubts(m) if "PART/4 'Rod': PART/2 has this name too" in t]


def test_a_known_function_is_not_offered_for_itself():
    from holonom.expressions.errors import UnknownFunction

    assert (
        str(UnknownFunction("INVPSD", ["INVPSD"], 4))
        == "function 'INVPSD' is known but cannot be used here at column 4"
    )
    assert str(UnknownFunction("DXX", ["DX"])) == "unknown function 'DXX'; did you mean DX?"


def test_keywords_axes_and_names_of_the_wrong_kind():
    m, rod, block = two_parts()
    with pytest.raises(ModelError, match="joint 'hinge': there is no argument 'pich'; did you mean 'pitch'"):
        m.joint("SCREW", rod, block, "hinge", at=(0, 0, 0), pich=3)
    with pytest.raises(ModelError, match="friction 'f': there is no argument 'mu'; did you mean 'mu_static'"):
        m.friction(m.revolute(rod, block, at=(0, 0, 0)), "f", mu=0.1)
    for axis in ("z", (0, 1), 3):
        with pytest.raises(ModelError, match="expected three numbers"):
            m.revolute(rod, block, at=(0, 0, 0), axis=axis)
    with pytest.raises(ModelError, match="a PART has the name 1.0; give a text"):
        m.part(1.0)


@pytest.mark.parametrize("wrong", [(1, 2, 3), "rough", (0.1, "a"), (), [[0.1, 0.2]], float("nan"), {}])
def test_numbers_for_all_or_one_each(wrong):
    """Arguments of one number or one each: other counts and other things are a sentence, not an error of NumPy."""
    m = Model("x")
    p = m.part("p", 1, (1, 1, 1), (0, 0, 1))
    ball, floor = m.sphere(p, (0, 0, 1), 0.5), m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    with pytest.raises(ModelError, match="contact 'c': mu must be one finite number or two, got"):
        m.contact(ball, floor, name="c", stiffness=1e5, mu=wrong)
    with pytest.raises(ModelError, match="edges of a plane must be one finite number or two, got"):
        m.plane(m.ground, (0, 0, 0), (0, 0, 1), size=wrong)
    wrong = (1, 2) if wrong == (1, 2, 3) else wrong
    with pytest.raises(ModelError, match="edges of a box must be one finite number or three, got"):
        m.box(p, (0, 0, 0), wrong)
    with pytest.raises(ModelError, match="semi-axes of an ellipsoid must be one finite number or three, got"):
        m.ellipsoid(p, (0, 0, 0), wrong)
    assert m.contact(ball, floor, stiffness=1e5, mu=[0.3]).mu_dynamic == 0.3


# ---- words, signs and units of newcomers ----------------------------------------------------------------------------
def hinge(**words):
    model = hn.Model("m")
    bar = model.part("bar", 2.0, (0.01, 0.1, 0.1), (0.5, 0, 0))
    return model, model.revolute(bar, model.ground, "pin", **({"at": (0, 0, 0), "axis": (0, 1, 0)} | words))


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (dict(position=(0, 0, 0)), "there is no argument 'position'; did you mean 'at'"),
        (dict(direction=(0, 0, 1)), "did you mean 'axis'"),
        (dict(restitution=0.5), "restitution belongs to a stop; write model.stop"),
        (dict(angle=90), 'give "90 deg" if it is in degrees, or 2.03541'),
        (dict(axis="y"), r"axis: expected three numbers, got 'y'; give \(0, 1, 0\)"),
        (dict(friction=dict(mu=0.1, radius=0.01)), "there is no argument 'mu'; did you mean 'mu_static'"),
        (dict(friction=-0.1), "mu_static is -0.1; give zero or a positive coefficient"),
        (dict(friction=dict(mu_dynamic=-0.1)), "mu_dynamic is -0.1; give zero or a positive coefficient"),
    ],
)
def test_arguments_of_a_hinge_that_mean_something_else(words, answer):
    with pytest.raises(ModelError, match=f"revolute 'pin': .*{answer}"):
        hinge(**words)


@pytest.mark.parametrize(
    ("mass", "answer"),
    [
        ("2,5 kg", r"a decimal point: '2\.5 kg'"),
        ("-0,5", r"a decimal point: '-0\.5'"),
        ("2", "the number 2 without quotes"),
        ("two", "a finite number"),
    ],
)
def test_masses_that_are_texts_without_a_unit(mass, answer):
    with pytest.raises(ModelError, match=f"part 'b': mass is '{mass}'; give {answer}"):
        hn.Model("m").part("b", mass, (1, 1, 1))


def test_a_joint_between_a_body_and_itself():
    model = hn.Model("m")
    bar = model.part("bar", 2.0, (0.01, 0.1, 0.1))
    with pytest.raises(ModelError, match="i and j are both PART/2 'bar'; give two bodies, or markers on them"):
        model.revolute(bar, bar, "pin", at=(0, 0, 0))


def test_units_in_other_letters():
    with pytest.raises(ModelError, match="unknown unit system 'MM'; did you mean 'mm'"):
        hn.Model("m", units="MM")


def test_elements_say_where_results_are():
    _, pin = hinge()
    with pytest.raises(AttributeError, match=r"JOINT/1 'pin': there is no attribute 'reaction'.*those of a run are at"):
        print(pin.reaction)


def test_a_controller_that_nothing_reads():
    model, pin = hinge()
    model.control.pid("servo", error="1 - AZ(2, 3)", kp=2.0)
    said = "nothing reads its output, so it acts on nothing"
    with pytest.warns(hn.ModelWarning, match=said):
        assert any(said in text for text in hn.check(model).warnings)
    model.motion(pin, "VARVAL(servo)")
    assert not any(said in text for text in hn.check(model).warnings)


def test_a_controller_that_a_block_reads():
    model, _ = hinge()
    model.control.pid("servo", reference="1", measurement="speed", kp=2.0)
    model.control.lag("speed", "2*servo", time_constant=1.0)
    assert not any("nothing reads its output" in text for text in hn.check(model).warnings)


def test_a_cosimulation_without_an_end():
    with pytest.raises(ModelError, match="cosimulate needs an end; give end="):
        hn.cosimulate(hinge()[0], cut="pin", steps=2)


def test_sizes_of_a_cylinder_in_other_units():
    model = hn.Model("m", units="mm")
    rod = model.part("rod", 2.0, (1e4, 1e4, 1e4), (500, 0, 0))
    model.translational(rod, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    ends = model.marker_at(rod, (500, 0, 0)), model.marker_at(model.ground, (0, 0, 0))
    good = dict(area_a=5e3, area_b=3e3, stroke=800, bulk=1400, valve=2e5, supply=21, opening=1)
    cylinder = model.hydraulic_cylinder(*ends, **good)
    assert not hn.check(model).warnings
    for name, value in dict(bulk=1.4e9, supply=21e6, area_a=5e9, opening="100").items():
        before = getattr(cylinder, name)
        setattr(cylinder, name, value)
        with pytest.warns(hn.ModelWarning, match=f"HYDRAULIC_CYLINDER/1.*: {name} is"):
            hn.check(model)
        setattr(cylinder, name, before)


def test_a_motion_that_is_a_python_function():
    model, pin = hinge()
    with pytest.raises(ModelError, match="function is a Python function.*give an expression of TIME"):
        model.motion(pin, lambda t: 2.0 * t)


@pytest.mark.parametrize("outputs", [dict(dt=1e-9), dict(steps=10**9)])
def test_more_rows_than_memory(outputs):
    with pytest.raises(ModelError, match=r"gives 1e\+09 rows of results, and 20,000,000 fit at most"):
        hn.simulate(hinge()[0], end=1.0, **outputs)


def test_a_quantity_in_place_of_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = hn.simulate(hinge()[0], end=0.01, steps=1)
    with pytest.raises(ModelError, match=r"'pin.angle' is a quantity; for its curve write run\['pin'\].angle.plot\(\)"):
        run.plot("pin.angle")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("call", ["export_csv", "plot"])
def test_a_file_in_place_of_a_folder(call, tmp_path):
    run = hn.simulate(hinge()[0], end=0.01, steps=1)
    with pytest.raises(ModelError, match=rf"{call} writes several files into a folder.*give {call}\('out'\)"):
        getattr(run, call)(tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("call", ["report", "animate"])
def test_a_page_has_the_ending_of_one(call, tmp_path):
    run = hn.simulate(hinge()[0], end=0.01, steps=1)
    with pytest.raises(ModelError, match=r"'run\.pdf' is a page for a browser; give a name that ends in \.html"):
        getattr(run, call)(tmp_path / "run.pdf")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("equilibrium", r"Simulation\(model\)\.statics\(\)"),
        ("kinematics", r"Simulation\(model\)\.kinematics\(\)"),
        ("modes", r"linearize\(model\)"),
        ("run", r"simulate\(model, end=...\)"),
    ],
)
def test_analyses_that_are_methods_or_have_other_names(name, call):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'; .*holonom.{call}"):
        getattr(hn, name)


@pytest.mark.parametrize("units", [("mm", "kg", "N", "s"), None, 3])
def test_units_that_are_no_system(units):
    with pytest.raises(ModelError, match="model 'm': units are .*; give the name of a system, as 'mm'"):
        hn.Model("m", units=units)


def test_the_method_of_contact_is_chosen_in_the_call():
    model, _ = hinge()
    model.sphere("bar", (0.5, 0, 0), 0.1)
    model.plane(model.ground, (0, 0, -1), (0, 0, 1))
    with pytest.raises(ModelError, match=r"parameter method .* 'events'; write simulate\(model, contact='events'\)"):
        model.contact("bar", model.ground, method="events")


def test_a_cylinder_that_cannot_be_as_drawn():
    model = hn.Model("m")
    rod = model.part("rod", 2.0, (0.01, 0.01, 0.01), (0.5, 0, 0))
    model.translational(rod, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    ends = model.marker_at(rod, (0.5, 0, 0)), model.marker_at(model.ground, (0, 0, 0))
    good = dict(area_a=5e-3, area_b=3e-3, stroke=0.2, bulk=1.4e9, valve=2e-7, supply=21e6)
    for length in (0.1, 0.6):  # fully out at 0.3, fully in at 0.6
        with pytest.raises(ModelError, match="its markers are drawn 0.5 apart; the cylinder reaches from"):
            model.hydraulic_cylinder(*ends, **good, length=length)
    cylinder = model.hydraulic_cylinder(*ends, **good, length=0.4)
    cylinder.length = 0.1
    assert any("HYDRAULIC_CYLINDER/1" in f and "drawn 0.5 apart" in f for f in hn.check(model).faults)
    with pytest.warns(hn.ModelWarning, match=r"tank is 2.2e\+07, above supply, 2.1e\+07"):
        model.hydraulic_cylinder(*ends, **good, tank=22e6)
    with pytest.warns(hn.ModelWarning, match="area_b is 0.006, above area_a, 0.005"):
        model.hydraulic_cylinder(*ends, **(good | {"area_b": 6e-3}))


def test_a_machine_that_a_second_hinge_locks():
    """Two parallel hinges 10 mm apart are not redundant, and leave nothing that could move."""
    model, pin = hinge()
    assert not any("nothing can move" in text for text in hn.check(model).warnings)
    second = model.revolute("bar", model.ground, "second", at=(0.01, 0, 0), axis=(0, 1, 0))
    said = f"0 degrees of freedom and no motion: nothing can move; '{pin.name}', 'second' close loops"
    with pytest.warns(hn.ModelWarning, match=said):
        assert any(said in text for text in hn.check(model).warnings)
    with pytest.warns(hn.ModelWarning, match=said):
        run = hn.simulate(model, end=0.01, steps=1)
    assert any(said in text for text in run.info["warnings"])
    second.active = False
    assert not any("nothing can move" in text for text in hn.check(model).warnings)


def test_sentences_about_arguments_in_another_place():
    model, pin = hinge()
    rod = model.part("rod", 1.0, (1, 1, 1))
    with pytest.raises(ModelError, match=r"pitch is given twice.*\(the order is i, j, pitch, name\)"):
        model.screw(rod, model.ground, "lead", pitch=0.01, at=(0, 0, 0), axis=(0, 0, 1))
    with pytest.raises(ModelError, match="kind is 'velocity', which is a level; give level=\"VELOCITY\""):
        model.motion(pin, 1.0, kind="velocity")
    with pytest.raises(ModelError, match="MARKER/.* is given, a marker; give a point as three numbers"):
        model.part("other", 1.0, (1, 1, 1), model.markers[pin.i])
    with pytest.raises(ModelError, match="no argument 'quaternion'; did you mean"):
        model.part("other", 1.0, (1, 1, 1), quaternion=(1, 0, 0, 0))
    model.sforce(pin.i, pin.j, "-3*DM({a},{b})")
    assert any("is the f before the quotes missing" in fault for fault in hn.check(model).faults)
    model.table("SFORCE").clear()
    model.gravity = (0, 0, -9806.65)
    assert "gravity is 9806.65 m/s^2; on Earth" in str(hn.check(model))


def test_a_functional_that_is_not_understood_is_named():
    model, _ = hinge()
    with pytest.raises(ModelError, match=r"'functional DZZ\(1\)'.*DZZ"):
        hn.gradient(model, hn.final("DZZ(1)"), ["PART/2.MASS"], end=0.01)
