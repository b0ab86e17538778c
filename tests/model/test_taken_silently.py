"""What a newcomer did to a model and the model took silently: units of parameters, tables that are copies, angles in
degrees that are set later, springs without stiffness."""

import math

import pytest

import holonom as hn
from holonom import ModelError


def model(units="SI"):
    m = hn.Model("machine", units=units)
    rod = m.part("rod", 2.0, (0.01, 0.1, 0.1), position=(0.5, 0, 0))
    return m, rod, m.marker(m.ground, (1, 0, 0))


@pytest.mark.parametrize(
    ("units", "unit", "fits"),
    [
        ("SI", "N/m", True),
        ("SI", "kg/s^2", True),
        ("SI", "stiffness of the front spring", True),
        ("SI", "", True),
        ("mm", "N/mm", True),
        ("mm", "N/m", False),
        ("SI", "kN/m", False),
        ("SI", "N", False),
        ("SI", "N*s/m", False),
    ],
)
def test_the_unit_of_a_parameter_is_that_of_the_model(units, unit, fits):
    m, rod, hook = model(units)
    k = m.parameter("k", 100.0, unit=unit)
    if fits:
        assert m.spring_damper(rod.cm, hook, stiffness=k, length=1.0).k == 100.0
        return
    with pytest.raises(ModelError, match=r"spring_damper: stiffness: parameter 'k' is"):
        m.spring_damper(rod.cm, hook, stiffness=k, length=1.0)
    with pytest.raises(ModelError, match="stiffness"):
        m.spring_damper(rod.cm, hook, k, 0.0, length=1.0)
    assert not m.table("SPRINGDAMPER")
    with pytest.raises(ModelError, match="angle: parameter 'a' is in deg, .* 1 deg is 0.01745"):
        m.torsion_spring(rod.cm, hook, stiffness=1.0, angle=m.parameter("a", 30.0, unit="deg"))


def test_tables_are_read_only():
    m, rod, _ = model()
    k = m.parameter("k", 100.0)
    for change in (
        lambda: m.parameters.__setitem__("k", 9.0),
        lambda: m.parameters.update(k=9.0),
        lambda: m.parameters.pop("k"),
        lambda: m.parts.__setitem__("rod", rod),
        lambda: m.joints.__delitem__(1),
    ):
        with pytest.raises(ModelError, match="read-only"):
            change()
    assert m.parameters == {"k": k} and m.parameters["k"].value == 100.0


def test_a_parameter_is_no_number():
    m, _, _ = model()
    k = m.parameter("k", 100.0)
    for use in (lambda: k > 3, lambda: max(k, 1), lambda: min(2 * k, k), lambda: int(k), lambda: sorted([k, k])):
        with pytest.raises(ModelError, match=r"\.value"):
            use()


@pytest.mark.parametrize("angles", [(0, 0, 90), (20.0, 0.0, 0.5)])
def test_degrees_that_are_set_later(angles):
    m, rod, hook = model()
    rod.reuler, hook.reuler = angles, (0.0, 1.5, 3.0)
    (found,) = [w for w in hn.check(m).warnings if "look like degrees" in w]
    assert found.startswith("PART/2 'rod'")
    rod.reuler = tuple(map(math.radians, angles))
    assert not [w for w in hn.check(m).warnings if "look like degrees" in w]


def test_connections_without_effect():
    m, rod, hook = model()
    m.spring_damper(rod.cm, hook, length=1.0, name="forgotten")
    m.spring_damper(rod.cm, hook, damping=1.0, length=1.0)
    m.bushing(rod.cm, hook)
    found = [w.split(":")[0] for w in hn.check(m).warnings if "does nothing" in w]
    assert found == ["SPRINGDAMPER/1 'forgotten'", "BUSHING/1 'BUSHING_1'"]


def test_names_and_units_of_a_model():
    for name in (3, None, ["a"]):
        with pytest.raises(ModelError, match="the name of a model is"):
            hn.Model(name)
    m, rod, _ = model()
    with pytest.warns(hn.ModelWarning, match="units are changed after elements were made"):
        m.units = "mm"
    other = m.part("other", 1.0, (1, 1, 1))
    with pytest.warns(hn.ModelWarning, match="renamed to 'rod', the name of PART/2 too"):
        m.rename(other, "rod")
    for wrong in (3, "rod", None):
        with pytest.raises(ModelError, match="is not an element; add one"):
            m.add(wrong)
    for call in (lambda: m.to_json(3), lambda: m.copy("x")):
        with pytest.raises(ModelError, match="1 value is given in order; "):
            call()
