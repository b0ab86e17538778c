"""`check` checks the functions of outputs too: what ends a run does not pass as a model that can run."""

import pytest

import holonom
from _slider import slider
from holonom.formats import parse_adm
from holonom.model import ModelError

HEAD = slider("outputs")


@pytest.mark.parametrize(
    "statement, told",
    [
        (
            "VARIABLE/9, FUNCTION=FRICTION(3,0,4,10)",
            "FRICTION(3,...) reads FRICTION/3, which does not exist; correct the id, or add the FRICTION, at column 1",
        ),
        ("REQUEST/1, F2=SFORCE(1,0,1,0)", "SFORCE(1,...) reads SFORCE/1, which does not exist"),
        ("SENSOR/1, FUNCTION=DXX(20), VALUE=1, EQ, HALT", "unknown function 'DXX' at column 1; did you mean DX?"),
    ],
)
def test_functions_of_outputs(statement, told):
    model = parse_adm(HEAD + statement + "\nEND\n", "t.adm")
    answer = holonom.check(model)
    assert not answer.ok and len(answer.faults) == 1 and told in answer.faults[0] and "t.adm:8" in answer.faults[0]
    with pytest.raises(ModelError) as caught:
        holonom.simulate(model, end=0.1, steps=1)
    assert str(caught.value) == answer.faults[0]


def test_what_outputs_doubt_is_told_once():
    model = parse_adm(HEAD + "MARKER/21, PART=2\nREQUEST/1, FORCE, I=21, J=10\nEND\n", "t.adm")
    for _ in range(2):
        answer = holonom.check(model)
        assert answer.ok and sum("no force acts between these markers" in text for text in answer.warnings) == 1
    assert model.warnings == []


def test_a_model_that_nothing_moves():
    """Two fixed joints and no force: a kinematic analysis without anything to move."""
    model = parse_adm(HEAD + "JOINT/2, FIXED, I=20, J=10\nREQUEST/1, F2=TIME\nEND\n")
    assert list(holonom.simulate(model, end=1.0, steps=2).request(1).values[:, 1]) == [0.0, 0.5, 1.0]
