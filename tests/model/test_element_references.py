"""Elements in the texts of functions: an id means an element of the type that the function takes, or is refused."""

import pytest

import holonom as hn
from holonom.elements.measures import MEASURES
from holonom.expressions import ELEMENT_FORCES, ExpressionError, parse, plain_references
from holonom.expressions.references import FIRST, NAMED
from holonom.model.base import ELEMENT_TYPES
from holonom.system.function_set import FORCE_COMPONENTS

MARKERS = sorted({*MEASURES, *FORCE_COMPONENTS})


def hinged():
    m = hn.Model("m")
    rod = m.part("rod", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    return m, rod, m.revolute(rod, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))


@pytest.mark.parametrize("function", MARKERS)
def test_functions_of_markers_refuse_other_elements(function):
    m, _, pin = hinged()
    for arguments in (f"{pin}", f"7,{pin}", f"7,8,{pin}"):
        text = f"2+{function}({arguments})"
        with pytest.raises(hn.ModelError, match=rf"'r': .*{function} takes a MARKER there, and JOINT/1 is given"):
            m.request("r", functions=[text])
        with pytest.raises(ExpressionError, match="takes a MARKER there"):
            parse(text)


@pytest.mark.parametrize("function", sorted(NAMED))
def test_functions_of_elements_take_their_own_type_alone(function):
    place, kind = NAMED[function]
    arguments = ["1"] * (place + 2)
    for other in sorted(ELEMENT_TYPES):
        arguments[place] = f"{other}/12"
        text = f"{function}({','.join(arguments)})"
        if other == kind:
            assert plain_references(text) == text.replace(f"{kind}/12", "12")
        else:
            with pytest.raises(ExpressionError, match=f"takes a {kind} there, and {other}/12 is given"):
                plain_references(text)


def test_all_functions_of_elements_are_listed():
    assert set(ELEMENT_FORCES) | {
        "VARVAL",
        "DIF",
        "DIF1",
        "ARYVAL",
        "SENVAL",
        "PINVAL",
        "POUVAL",
        "CONTROL",
        "FMU",
    } == set(FIRST)
    assert {kind for _, kind in NAMED.values()} <= set(ELEMENT_TYPES)


@pytest.mark.parametrize(
    "text",
    ["TIME/4", "SIN(TIME/4)", "STEP(TIME, PI/2, 0, MODE/3, 1)", "a folder/PART/3", "gear (PART/3)", "MAX(1/2, 3)"],
)
def test_quotients_and_other_texts_stay(text):
    assert plain_references(text) == text


def test_what_elements_are_in_texts():
    m, rod, pin = hinged()
    speed = m.variable(f"WZ({pin.i},{pin.j},{pin.j})", "speed")
    mass = m.point_mass("p", 1.0, (1, 0, 0))
    m.request("r", functions=[f"VARVAL({speed})", f"DX({rod},{mass})", f"JOINT({pin},0,2,{pin.j})", f"DZ({rod.cm})"])
    found = m.table("REQUEST")[1].functions
    assert list(found.values()) == [
        f"VARVAL({speed.id})",
        f"DX({rod.cm},{mass.cm})",
        f"JOINT({pin.id},0,2,{pin.j})",
        f"DZ({rod.cm})",
    ]
    assert f"{pin}" == "JOINT/1" and f"{pin:d}" == "1" and f"{m.find('MARKER', pin.i)}" == str(pin.i)
    torque = m.sforce(pin.i, pin.j, "0", kind="ROTATIONAL")
    with pytest.raises(hn.ModelError, match="WZ takes a MARKER"):
        torque.function = f"-WZ({pin})"
    torque.function = f"-VARVAL({speed})"
    assert torque.function == "-VARVAL(1)"
    with pytest.raises(hn.ModelError, match="VARVAL takes a VARIABLE there, and PART/"):
        m.variable(f"VARVAL(PART/{rod.id})")


def test_an_id_of_another_element_is_named():
    m, _, pin = hinged()
    m.fixed(m.part("b", 1.0, (1, 1, 1)), m.ground, "weld", at=(0, 0, 0), id=77)
    m.request("r", functions=["DX(77)"])
    with pytest.raises(hn.ModelError, match="no MARKER/77 .*JOINT/77 'weld' has that id, and is not a marker"):
        hn.simulate(m, end=0.1)
