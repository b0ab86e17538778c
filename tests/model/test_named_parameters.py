"""Named parameters and addressed numbers: values, repeated builder calls, files, refusals."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.expressions.functions import FUNCTIONS
from holonom.model.constants import ARITHMETIC, constants_of, with_constant
from holonom.model.parameter_data import linear_uses


def drawn(k=2000.0, x=0.3, mass=2.0, angle=0.4):
    """A part on a turned arm with a spring: the drawing as a script with these numbers."""
    model = hn.Model("m")
    if isinstance(k, str):
        k, x, mass, angle = (
            model.parameter(n, v) for n, v in (("k", 2000.0), ("x", 0.3), ("mass", 2.0), ("angle", 0.4))
        )
    part = model.part("p", mass=mass, inertia=(mass * 0.02, mass * 0.03, mass * 0.04), position=(x, 0.1, 0.0),
                      euler=(0.2, 0.1, 0.0))  # fmt: skip
    y = x * 2.0 - 0.1
    hinge = model.revolute(part, model.ground, "hinge", at=(x, y, 0.2), axis=(0, 0, 1))
    model.spring_damper(
        model.marker_at(part, (x + 0.1, 0.1, 0.0)), model.marker_at(model.ground, (0, 0, 1)),
        stiffness=k, damping=k / 100.0, length="drawn",
    )  # fmt: skip
    model.torsion_spring(hinge.i, hinge.j, stiffness=3.0 * k + 1.0, angle=angle)
    return model


def plain(model):
    return {kind: {n: e.to_dict() for n, e in table.items()} for kind, table in model._tables.items() if table}


def test_other_values_are_what_a_script_with_them_draws():
    model = drawn("parameters")
    assert plain(model) == plain(drawn())
    other = model.with_parameters({"k": 3000.0, "angle": -0.2, "mass": 5.0})
    assert plain(other) == plain(drawn(3000.0, 0.3, 5.0, -0.2))
    assert plain(model) == plain(drawn())  # the first one stays
    assert other.parameters["k"].value == 3000.0
    moved = other.with_parameters({"x": 0.5})
    spring = drawn(3000.0, 0.5, 5.0, -0.2).find("SPRINGDAMPER", 1)
    assert plain(moved) == plain(drawn(3000.0, 0.5, 5.0, -0.2))
    assert spring.length == moved.find("SPRINGDAMPER", 1).length
    assert plain(moved.with_parameters({"x": 0.3, "k": 2000.0, "mass": 2.0, "angle": 0.4})) == plain(drawn())


def test_a_parameter_does_not_become_a_plain_number_unnoticed():
    model = hn.Model("m")
    k, p = model.parameter("k", 2.0), model.parameter("p", (1.0, 2.0, 3.0))
    for attempt in (lambda: float(k), lambda: math.sin(k)):
        with pytest.raises(ValueError, match="plain number"):
            attempt()
    with pytest.raises(hn.ModelError, match="p\\[0\\]"):
        p * 2.0
    assert (np.float64(3.0) * k + k**2 / (1.0 - k)).value == 3 * 2.0 + 4.0 / (1 - 2.0)
    assert k.apply(math.sin).value == math.sin(2.0)
    assert [c.value for c in p] == [1.0, 2.0, 3.0]
    with pytest.raises(hn.ModelError, match="different models"):
        hn.Model("n").parameter("j", 1.0) + k


def test_functions_take_parameters_as_variables():
    model = hn.Model("m")
    k = model.parameter("k", 40.0)
    a = model.part("a", mass=1.0, inertia=(1, 1, 1))
    tip, base = model.marker_at(a, (0, 0, 0.1)), model.marker_at(model.ground, (0, 0, 0))
    f = model.sforce(tip, base, f"-{k}*DM({tip},{base})**1.5")
    g = model.sforce(tip, base, k)
    other = model.with_parameters({"k": 50.0})
    assert other.find("VARIABLE", "parameter_k").function == "50.0"
    assert other.find("SFORCE", f.id).function == f.function
    assert other.find("SFORCE", g.id).function == "50.0"
    assert f.number(1).read(model) == 1.5  # ids are not constants; the exponent is the only one
    assert model.with_parameters({f.number(1): 2.0}).find("SFORCE", f.id).function.endswith("**2.0")


@pytest.mark.parametrize(
    "text, values",
    [
        ("-40*(DM(3,4)-0.3)**3", [40.0, 0.3, 3.0]),
        ("IF(TIME-1.0D0: 2,3,SIN(4*TIME))", [1.0, 2.0, 3.0, 4.0]),
        ("AKISPL(0.5*TIME, 0, 7)", [0.5, 0.0]),
        ("STEP(TIME,0,0,.1,90D)", [0.0, 0.0, 0.1, math.pi / 2]),
        ("2*(-3.5)-ABS(-4)", [2.0, -3.5, 4.0]),
        ("VARVAL(3)", []),
        ("no expression (", []),
    ],
)
def test_constants_of_expressions(text, values):
    assert [v for _, _, v in constants_of(text)] == values
    for k in range(len(values)):
        new = constants_of(with_constant(text, k, -7.5))
        assert [v for _, _, v in new] == [*values[:k], -7.5, *values[k + 1 :]]


def test_all_functions_of_the_language_are_known_to_take_constants():
    assert set(ARITHMETIC) == {*FUNCTIONS, "IF"}


def test_hardpoints_move_the_markers_of_both_sides():
    model = hn.Model("m")
    a = model.part("a", mass=1.0, inertia=(1, 1, 1), position=(0.1, 0, 0), euler=(0.3, 0.4, 0.5))
    b = model.part("b", mass=1.0, inertia=(1, 1, 1), position=(0.5, 0, 0), euler=(-0.3, 0.1, 0.2))
    pin = model.spherical(a, b, at=(0.3, 0.1, 0.2))
    tower = model.parameter("tower", (0.3, 0.1, 0.2), moves=[pin])
    assert tower.value == (0.3, 0.1, 0.2)
    other = model.with_parameters({tower: (0.35, 0.0, 0.3)})
    for side in (pin.i, pin.j):
        marker = other.find("MARKER", side)
        np.testing.assert_allclose(other._place(marker).origin, (0.35, 0.0, 0.3), atol=1e-15)
    with pytest.raises(hn.ModelError, match="moves= takes a point"):
        model.parameter("one", 0.3, moves=[pin])


def test_numbers_by_address():
    model = drawn()
    spring, part = model.find("SPRINGDAMPER", 1), model.find("PART", "p")
    assert spring.number("stiffness") == spring.number("k") == model.number("SPRINGDAMPER/1.K")
    assert model.find("SPRINGDAMPER", 2).number("stiffness").name == "SPRINGDAMPER/2.KT"
    assert part.number("inertia").read(model) == part.ip
    assert part.number("inertia", 2).name == f"PART/{part.id}.IP(2)"
    other = model.with_parameters({"SPRINGDAMPER/1.K": 7.0, part.number("inertia", 2): 0.5, "GRAVITY(3)": -9.0})
    assert other.find("SPRINGDAMPER", 1).k == 7.0
    assert other.find("PART", "p").ip == (part.ip[0], 0.5, part.ip[2])
    assert other.gravity == (0.0, 0.0, -9.0)
    for bad, sentence in (
        ("SPRINGDAMPER/1.KK", "no number 'KK'|no number 'kk'"),
        ("SPRINGDAMPER/1.I", "not a number"),
        ("PART/2.IP(9)", "no number 9"),
        ("SPRINGDAMPER/9.K", "there is no SPRINGDAMPER/9"),
        ("stiffness", "no parameter"),
    ):
        with pytest.raises(hn.ModelError, match=sentence):
            model.with_parameters({bad: 1.0})


def test_gravity_and_bounds():
    model = hn.Model("m")
    g = model.parameter("g", 9.81, bounds=(0.0, 20.0))
    model.gravity = (0, 0, -g)
    assert model.gravity == (0, 0, -9.81)
    assert model.with_parameters({"g": 1.62}).gravity == (0, 0, -1.62)
    with pytest.raises(hn.ModelError, match="outside of its bounds 0 to 20"):
        model.with_parameters({"g": 30.0})
    for name, words, sentence in (
        ("g", {}, "already"), ("2k", {}, "cannot be named"), ("h", {"bounds": (2.0, None)}, "outside"),
        ("h", {"bounds": (2.0, 1.0)}, "above high"), ("h", {"bounds": 3}, "pair"),
    ):  # fmt: skip
        with pytest.raises(hn.ModelError, match=sentence):
            model.parameter(name, 1.0, **words)
    model.gravity = (0, 0, -1)
    assert model.with_parameters({"g": 1.62}).gravity == (0, 0, -1)


@pytest.mark.parametrize("way", ["json", "adams"])
def test_files_keep_linear_uses(way, tmp_path):
    model = drawn("parameters")
    h = model.parameter("pin", (0.3, 0.5, 0.2), moves=[model.find("JOINT", "hinge")], unit="m", bounds=(-1.0, 1.0))
    k = model.parameters["k"]
    model.variable(f"{k}*TIME")
    if way == "json":
        read = hn.Model.from_json(model.to_json())
    else:
        hn.write_adams(model, tmp_path / "m.adm")
        read = hn.read_adams(tmp_path / "m.adm")
    assert list(read.parameters) == ["k", "x", "mass", "angle", "pin"]
    assert read.parameters["pin"].value == h.value and read.parameters["pin"].low == (-1.0,) * 3
    new = {"k": 2500.0, "mass": 3.0, "angle": 0.1, "pin": (0.31, 0.5, 0.2)}
    ours, theirs = model.with_parameters(new), read.with_parameters(new)
    for kind in ("SPRINGDAMPER", "MARKER", "PART", "VARIABLE"):
        for n, e in ours.table(kind).items():
            for field, value in e.to_dict().items():
                other = theirs.table(kind)[n].to_dict()[field] if field != "source" else value
                if isinstance(value, (float, list)) and field not in ("exact",):
                    np.testing.assert_allclose(np.array(other, float), np.array(value, float), rtol=1e-12, atol=1e-14)


def test_uses_that_are_not_linear_are_named_when_a_file_loses_them():
    model = hn.Model("m")
    angle = model.parameter("angle", 0.3)
    model.marker_at(model.ground, (angle.apply(math.cos), angle.apply(math.sin), 0.0))
    uses, curved = linear_uses(model, "angle")
    assert curved and {s.number.name: round(s.factor, 9) for s in uses} == {
        "MARKER/1.QP(1)": round(-math.sin(0.3), 9), "MARKER/1.QP(2)": round(math.cos(0.3), 9),
    }  # fmt: skip
    with pytest.warns(hn.ModelWarning, match="'angle' does not enter MARKER/1.QP"):
        model.to_json()


def test_products_of_parameters_are_not_linear():
    model = hn.Model("m")
    a, b = model.parameter("a", 2.0), model.parameter("b", 3.0)
    part = model.part("p", mass=a * b, inertia=(a + b, a + 2 * b, b + 1))
    assert linear_uses(model, "a")[1] == [part.number("mass").name]
    assert model.with_parameters({"a": 4.0, "b": 5.0}).find("PART", "p").mass == 20.0


def test_a_call_that_makes_nothing_takes_no_parameter():
    """It could not be repeated: `with_parameters` would keep what the first value did."""
    m = hn.Model()
    h = m.parameter("h", 0.3)
    block = m.part("block", 1.0, (1, 1, 1))
    for change in (lambda: m.move(block, by=(h, 0, 0)), lambda: m.move(block, turn=(0, 0, 0.1 * h))):
        with pytest.raises(hn.ModelError, match="move changes what is there and would not follow the parameter h"):
            change()
    m.rename(block, "cube")
    m.move(block, by=(h.value, 0, 0))


def test_changes_that_would_not_follow_are_refused():
    """Calls with parameters are repeated with other values; what changes elements after them is not."""
    m = hn.Model(units="mm")
    p = m.parameter("p", 3.0)
    block = m.part("block", 1.0, (1e3,) * 3)
    m.box(block, (0, 0, 0), (p, 20, 30))
    with pytest.raises(hn.ModelError, match="mass_from_shapes would not follow other values of p"):
        m.mass_from_shapes(block, 1e-6)
    post = m.part("post", 1.0, (1e3,) * 3, position=(0, 0, p))
    foot = m.part("foot", 1.0, (1e3,) * 3, position=(0, 0, 100))
    tip = m.marker_at(foot, (p, 0, 100))
    for element in (post, foot, tip):
        with pytest.raises(hn.ModelError, match="move would not follow other values of p"):
            m.move(element, by=(0, 0, 7))
    post.qg = (0, 0, 10)
    with pytest.raises(hn.ModelError, match="'post': QG was set after p gave it"):
        m.with_parameters({"p": 4.0})
    free = m.part("free", 1.0, (1e3,) * 3)
    m.box(free, (0, 0, 0), (10, 20, 30))
    m.mass_from_shapes(free, 1e-6)
    m.move(free, by=(0, 0, 7))
    twin = m.duplicate(free, by=(0, 0, 1))
    assert twin.qg == (0, 0, 8)


def test_a_copy_made_with_parameters_follows():
    m = hn.Model()
    p = m.parameter("p", 1.0)
    block = m.part("block", 1.0, (1.0,) * 3, position=(0, 0, p))
    twin = m.duplicate(block, by=(0, p, 0))
    assert m.with_parameters({"p": 3.0}).find("PART", twin.id).qg == (0, 3, 3)


def test_a_copy_of_a_body_with_markers_of_parameters_is_refused():
    m = hn.Model()
    p = m.parameter("p", 0.05)
    a = m.part("a", 1.0, (1.0,) * 3, position=(0, 0, 0.1))
    m.revolute(a, m.ground, "j", at=(0, 0, p), axis=(0, 1, 0))
    for copy in (lambda: m.duplicate(a, by=(0, 0.3, 0)), lambda: m.mirror(a)):
        with pytest.raises(hn.ModelError, match="'a': a copy would not follow other values of p"):
            copy()
    assert len(m.parts) == 2


def test_what_would_make_a_plain_number_is_an_error():
    p = hn.Model().parameter("p", 0.1)
    for use in (lambda: f"{p:.3f}", lambda: f"{p:g}", lambda: p == 0.1, lambda: p != 0, lambda: float(p)):
        with pytest.raises(hn.ModelError, match="value"):
            use()
    assert p == p and p in [p] and p != "p"


def test_a_number_is_given_once():
    m = hn.Model()
    k = m.parameter("k", 50.0)
    a = m.part("a", 1.0, (1.0,) * 3)
    spring = m.spring_damper(a.cm, m.marker_at(m.ground, (1, 0, 0)), stiffness=k, length=1.0)
    with pytest.raises(hn.ModelError, match="SPRINGDAMPER/1.K follows from k and is given a value too"):
        m.with_parameters({"k": 60.0, spring.number("k"): 70.0})
    with pytest.raises(hn.ModelError, match="k is given twice"):
        m.with_parameters({k: 60.0, "k": 70.0})
    assert m.with_parameters({"k": 60.0, spring.number("damping"): 2.0}).find("SPRINGDAMPER", 1).k == 60.0


def test_ids_of_markers_are_followed():
    """``part.cm`` and ``joint.i`` are ids: lengths as drawn, and markers of joints, are those of the moved part."""
    m = hn.Model()
    p = m.parameter("p", 0.05)
    a = m.part("a", 1.0, (1.0,) * 3, position=(0, 0, p))
    c = m.part("c", 1.0, (1.0,) * 3, position=(0, 0, 0.5))
    spring = m.spring_damper(a.cm, m.marker_at(m.ground, (0, 0, 0.3)), 3.0, length="drawn")
    ball = m.spherical(a.cm, c)
    other = m.with_parameters({"p": 0.1})
    assert spring.length == pytest.approx(0.25) and other.find("SPRINGDAMPER", 1).length == pytest.approx(0.2)
    assert other.find("MARKER", ball.j).qp == pytest.approx((0, 0, -0.4)) and ball.i == a.cm


def test_functions_of_numpy_of_a_quantity():
    m = hn.Model("m")
    k = m.parameter("k", 0.5)
    made = [np.sin(k), np.exp(2.0 * k), abs(-k), 2**k, np.power(3.0, k), np.float64(3.0) / k, np.sqrt(k + 1.0)]
    values = [math.sin(0.5), math.e, 0.5, math.sqrt(2.0), math.sqrt(3.0), 6.0, math.sqrt(1.5)]
    assert [q.value for q in made] == pytest.approx(values, rel=1e-15)
    with pytest.raises(hn.ModelError, match="is one number, which numpy.multiply cannot combine with an array"):
        k * np.ones(2)
    with pytest.raises(hn.ModelError, match="compare its .value"):
        np.float64(0.5) == k  # noqa: B015
