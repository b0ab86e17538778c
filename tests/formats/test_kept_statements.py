"""Statements that are kept: they are written back word for word and determined by the name that the dataset gives
them."""

import pytest

import holonom
from _slider import slider
from holonom.formats import parse_adm, write_adm
from holonom.model.validate import cannot_run, doubts

HEAD = slider("kept")


@pytest.mark.parametrize(
    "statement, instead",
    [
        ("FEMDATA/7, LOADS, I=20, J=10, FILE=x", "no file of loads or motions for finite elements is written"),
        ("MREQUEST/7, DISPLACEMENT, I=20, J=10", "its outputs are not recorded; write a REQUEST for each"),
    ],
)
def test_outputs_that_are_kept(statement, instead):
    model = parse_adm(HEAD + statement + "\nEND\n", "t.adm")
    keyword = statement.split("/")[0]
    told = [text for text in doubts(model) if keyword in text]
    assert len(told) == 1 and told[0].startswith(
        f"{keyword}/7 (t.adm:8): {keyword} is kept, but has no influence: {instead}"
    )
    assert cannot_run(model) == []
    back = parse_adm(write_adm(model)).table("FOREIGN")
    assert [(e.statement, e.number, e.arguments) for e in back.values()] == [
        (e.statement, e.number, e.arguments) for e in model.table("FOREIGN").values()
    ]
    run = holonom.simulate(model, end=0.1, steps=1)
    assert any(f"{keyword}/7 (t.adm:8)" in text for text in run.info["warnings"])


def test_names_of_statements_that_a_run_would_need():
    model = parse_adm(HEAD + "!  adams_view_name='front left'\nTIRE/4, I=20, J=10\nSYSTEM/2, A=1\nEND\n", "t.adm")
    tire, system = cannot_run(model)
    assert (
        tire.startswith("TIRE/4 'front left' (t.adm:9): it is not computed in this version; ")
        and "hn.vehicle.tyre" in tire
    )
    assert system == "SYSTEM/2 (t.adm:10): it is not computed in this version"


@pytest.mark.parametrize(
    "statement, told",
    [
        (
            "SFORCE/1, TRANSLATIONAL, I=20, J=10, AUTOBALANCE, FUNCTION=3",
            "SFORCE/1: argument AUTOBALANCE is not computed in this version: a static",
        ),
        (
            "SFORCE/1, TRANSLATIONAL, I=20, J=10, AUTOB=ON, FUNCTION=3",
            "SFORCE/1: argument AUTOBALANCE is not computed in this version",
        ),
        ("VARIABLE/1, FUNCTION=3\\, AUTOBALANCE", "VARIABLE/1: argument AUTOBALANCE is not computed in this version"),
        (
            "GFORCE/1, I=20, JFLOAT=11, RM=10, FXYZ=3",
            "GFORCE/1: argument FXYZ is not computed in this version: give its components by FX, FY and FZ",
        ),
    ],
)
def test_arguments_that_are_refused_with_the_reason(statement, told):
    with pytest.raises(holonom.ModelError) as caught:
        parse_adm(HEAD + "MARKER/11, PART=1, FLOATING\n" + statement + "\nEND\n", "t.adm")
    assert told in str(caught.value) and "t.adm:9" in str(caught.value) and "unknown" not in str(caught.value)
    model = parse_adm(HEAD + "MARKER/11, PART=1, FLOATING\n" + statement + "\nEND\n", "t.adm", lenient=True)
    assert any(told in text for text in model.warnings)


@pytest.mark.parametrize("words", ["CALAHAN", "HARWELL", "UMF, STABILITY = 1E-8"])
def test_linear_solvers_count_and_what_else_is_said_of_them_does_not(words):
    told = [t for t in doubts(parse_adm(HEAD + f"LSOLVER/{words}\nEND\n", "t.adm")) if t.startswith("LSOLVER")]
    assert told == (["LSOLVER: STABILITY = 1E-8 has no influence and is ignored"] if "," in words else [])


def test_settings_in_several_statements_are_written_once():
    model = parse_adm(HEAD + "IC/TLIMIT=3, ALIMIT=5D, MAXIT=7\nIC/ALIMIT=6D, AERROR=1\nEND\n", "t.adm")
    assert model.initial.extra == (("TLIMIT", "3"), ("ALIMIT", "6D")) and (
        model.initial.maxit,
        model.initial.aerror,
    ) == (7, 1.0)
    assert model.warnings == ["t.adm:9: IC: a second IC (the first: line 8); what both give counts as said here"]
    back = parse_adm(write_adm(model))
    assert back.initial == model.initial and back.warnings == []


def test_a_picture_without_a_type_is_not_written():
    from holonom.model.outputs import Graphic

    for kind, shown in (("", "''"), ("BOXX", "'BOXX'")):
        model = parse_adm(HEAD + "END\n", "t.adm")
        model.add(Graphic(id=3, name="it", type=kind, arguments={"cm": 20}))
        with pytest.raises(
            holonom.ModelError,
            match=f"GRAPHICS/3 'it': its type {shown} does not exist in a dataset; give one of ARC, ARROW",
        ):
            write_adm(model)
