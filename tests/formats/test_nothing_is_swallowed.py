"""Every argument of every statement of the grammar: it changes the model that is read, or it is reported; and what is
read is used, or told."""

import dataclasses
import functools
import re
from pathlib import Path

import pytest
from _adams_data import plain

import holonom
from holonom.formats import parse_adm
from holonom.formats.adams import grammar
from holonom.formats.adams.arguments import Arg
from holonom.model import ModelError
from holonom.model.base import ELEMENT_TYPES
from holonom.model.idle import IDLE, KEPT, PASSED_OVER, settings_passed_over
from holonom.model.model import Model
from holonom.model.validate import cannot_run, doubts

CONTEXT = """title
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
PART/2, MASS = 2, CM = 20, IP = 1, 1, 1
PART/7, MASS = 2, CM = 70, IP = 1, 1, 1
MARKER/10, PART = 1
MARKER/11, PART = 1, FLOATING
MARKER/20, PART = 2
MARKER/21, PART = 2
MARKER/70, PART = 7
JOINT/20, REVOLUTE, I = 20, J = 10
JOINT/30, REVOLUTE, I = 70, J = 10
JOINT/40, TRANSLATIONAL, I = 70, J = 20
CURVE/20, CLOSED, FUNCTION = USER(1)
CURVE/21, CLOSED, FUNCTION = USER(2)
MATRIX/20, FULL = RORDER, ROWS = 1, COLUMNS = 1, VALUES = 2
MATRIX/21, FULL = RORDER, ROWS = 1, COLUMNS = 1, VALUES = 3
ARRAY/20, X, SIZE = 1
ARRAY/21, U, VARIABLES = 20
ARRAY/22, Y, SIZE = 1
ARRAY/23, IC, SIZE = 1, NUMBERS = 1
ARRAY/24, X, SIZE = 1
VARIABLE/20, FUNCTION = TIME
VARIABLE/21, FUNCTION = 2*TIME
MATERIAL/20, NAME = steel
GRAPHICS/20, ELLIPSOID, CM = 20, XSCALE = 1, YSCALE = 1, ZSCALE = 1
GRAPHICS/21, ELLIPSOID, CM = 70, XSCALE = 1, YSCALE = 1, ZSCALE = 1
"""
IJ = {"I": "20", "J": "10"}
#: least statement of each keyword: argument -> text, None for a keyword alone
BASES = {
    "PART": {"MASS": "1"},
    "POINT_MASS": {"MASS": "1"},
    "MARKER": {"PART": "2"},
    "JOINT": {"SPHERICAL": None, **IJ},
    "JPRIM": {"INLINE": None, **IJ},
    "COUPLER": {"JOINTS": "20, 30", "SCALES": "1, 2"},
    "GEAR": {"JOINTS": "20, 30", "CV": "21"},
    "PTCV": {"I": "20", "RM": "10", "CURVE": "20"},
    "CVCV": {"IRM": "20", "JRM": "10", "ICURVE": "20", "JCURVE": "21"},
    "GCON": {"FUNCTION": "DX(20)"},
    "UCON": {"FUNCTION": "DX(20)"},
    "MOTION": {"I": "20", "J": "10", "Z": None, "FUNCTION": "TIME"},
    "FRICTION": {"JOINT": "20"},
    "SFORCE": {"TRANSLATIONAL": None, **IJ, "FUNCTION": "1"},
    "VFORCE": {"I": "20", "JFLOAT": "11", "FX": "1"},
    "VTORQUE": {"I": "20", "JFLOAT": "11", "TX": "1"},
    "GFORCE": {"I": "20", "JFLOAT": "11", "FX": "1"},
    "SPRINGDAMPER": {"TRANSLATIONAL": None, **IJ, "K": "3"},
    "BUSHING": {**IJ, "K": "1, 1, 1"},
    "FIELD": {**IJ, "KMATRIX": ", ".join(["1"] * 36)},
    "BEAM": {**IJ, "LENGTH": "1", "AREA": "1", "EMODULUS": "1"},
    "CONTACT": {
        "IGEOM": "20",
        "JGEOM": "21",
        "IMPACT": None,
        "STIFFNESS": "1",
        "EXPONENT": "2",
        "DAMPING": "1",
        "DMAX": "1",
    },
    "VARIABLE": {"FUNCTION": "TIME"},
    "DIFF": {"IC": "0", "FUNCTION": "TIME"},
    "ARRAY": {"IC": None, "SIZE": "2", "NUMBERS": "1, 2"},
    "LSE": {"X": "20", "A": "20"},
    "TFSISO": {"X": "20", "U": "21", "Y": "22", "NUMERATOR": "23", "DENOMINATOR": "23"},
    "GSE": {"X": "20", "U": "21", "Y": "22", "NS": "1", "NO": "1", "FUNCTION": "USER(1)"},
    "SPLINE": {"X": "1, 2, 3", "Y": "1, 2, 4"},
    "CURVE": {"OPEN": None, "MATRIX": "20"},
    "MATRIX": {"FULL": "RORDER", "ROWS": "2", "COLUMNS": "2", "VALUES": "1, 2, 3, 4"},
    "STRING": {"STRING": "words"},
    "PINPUT": {"VARIABLES": "20"},
    "POUTPUT": {"VARIABLES": "20"},
    "PSTATE": {"VARIABLES": "20"},
    "SENSOR": {"VALUE": "1", "EQ": None, "ERROR": "0.1", "FUNCTION": "TIME"},
    "REQUEST": {"DISPLACEMENT": None, "I": "20"},
    "GRAPHICS": {"CIRCLE": None, "CM": "20", "RADIUS": "1"},
    "MATERIAL": {"NAME": "iron"},
    "FLEX_BODY": {"MATRICES": "20"},
    "FE_PART": {"NODES": "3"},
    "NFORCE": {"IMARKERS": "20", "J": "10", "FORCE": "20"},
    "MFORCE": {"FLEX_BODY": "1"},
    "UNITS": {"FORCE": "NEWTON", "MASS": "KILOGRAM", "LENGTH": "METER", "TIME": "SECOND"},
    "ACCGRAV": {},
    "INTEGRATOR": {},
    "EQUILIBRIUM": {},
    "KINEMATICS": {},
    "IC": {},
}
#: keyword -> argument -> a text that differs from that of the base, where the kind of the argument does not say one
OTHER = {
    "MARKER": {"FLEX_BODY": "9", "FE_PART": "9", "POINT_MASS": "9"},
    "COUPLER": {"TYPE": "T, R", "SCALES": "3, 4"},
    "ARRAY": {"SIZE": "3"},
    "MATRIX": {"FULL": "CORDER", "ROWS": "3", "VALUES": "5, 6, 7, 8"},
    "SPLINE": {"X": "1, 2, 5", "Y": "1, 2, 5"},
    "DIFF": {"IC": "4"},
    "FRICTION": {"FORMULATION": "LUGRE", "OVERLAP_DELTA": "INCREASE"},
    "UNITS": {"FORCE": "DYNE", "MASS": "GRAM", "LENGTH": "INCH", "TIME": "HOUR", "SYSTEM": "CGS"},
}
#: words that change nothing in Adams either: the reason
EXCEPTIONS = {
    ("SPRINGDAMPER", "TRANSLATIONAL"): "the default, is in the base",
    ("EQUILIBRIUM", "STATIC"): "puts back what DYNAMIC sets, which is the default",
    ("JOINT", "SPHERICAL"): "is in the base",
    ("JPRIM", "INLINE"): "is in the base",
    ("ARRAY", "IC"): "is in the base",
    ("SFORCE", "TRANSLATIONAL"): "is in the base",
    ("CONTACT", "IMPACT"): "is in the base",
    ("CURVE", "OPEN"): "is in the base",
    ("CURVE", "CURVE_POINTS"): "the default",
    ("MOTION", "TRANSLATIONAL"): "follows from Z",
    ("MOTION", "Z"): "is in the base",
    ("MOTION", "DISPLACEMENT"): "the default",
    ("SENSOR", "EQ"): "is in the base",
    ("REQUEST", "DISPLACEMENT"): "is in the base",
    ("GRAPHICS", "CIRCLE"): "is in the base",
    ("CONTACT", "NO_FRICTION"): "the default",
    **{
        (k, "DEFAULT"): "in a dataset nothing was set before it"
        for k in ("INTEGRATOR", "EQUILIBRIUM", "KINEMATICS", "IC")
    },
}
VALUES = {"int": "7", "id": "21", "real": "7.25", "expr": "3*TIME", "text": "some words", "line": "some words",
    "bool": "ON", "raw": "7.25",
          "strings": "one, two", "pair": "0.5, 0.25", "value": "7.25"}  # fmt: skip
ITEMS = [(k, item) for k, s in grammar.STATEMENTS.items() for item in s.grammar.items]


def statement(keyword, given):
    number = "" if grammar.STATEMENTS[keyword].settings else "1" if keyword not in ("PART", "MARKER") else "5"
    return (
        f"{keyword}/{number}"
        + "".join(f"\n, {name}" + (f" = {text}" if text is not None else "") for name, text in given.items())
        + "\n"
    )


def sample(keyword, item):
    """A value for an argument that is not that of the base."""
    if item.name in OTHER.get(keyword, {}):
        return OTHER[keyword][item.name]
    if item.kind == "id" and BASES[keyword].get(item.name) == VALUES["id"]:
        return "20"
    if item.choices:
        return next(c for c in reversed(item.choices) if c != BASES[keyword].get(item.name))
    if item.kind in ("ids", "reals", "words"):
        count = item.counts[0] if item.counts else 2
        return ", ".join({"ids": "21", "reals": "7.25", "words": "T"}[item.kind] for _ in range(count))
    return VALUES[item.kind]


def read(keyword, given):
    """Model and all that is reported of it, or the errors."""
    text = CONTEXT + statement(keyword, given) + "END\n"
    try:
        model = parse_adm(text, "t.adm")
    except ModelError as error:
        return None, {str(error)}
    return plain(model), {*model.warnings, *doubts(model), *settings_passed_over(model), *cannot_run(model)}


@pytest.mark.parametrize("keyword", grammar.STATEMENTS)
def test_the_least_statement_is_read(keyword):
    model, told = read(keyword, BASES[keyword])
    assert model is not None, told


@pytest.mark.parametrize("keyword, item", ITEMS, ids=[f"{k}-{i.name}" for k, i in ITEMS])
def test_every_argument_changes_the_model_or_is_told(keyword, item):
    base = BASES[keyword]
    mine = (
        {i.name for i in grammar.STATEMENTS[keyword].grammar.items if not isinstance(i, Arg) and i.key == item.key}
        if not isinstance(item, Arg)
        else {item.name}
    )
    given = {name: text for name, text in base.items() if name not in mine}
    given[item.name] = sample(keyword, item) if isinstance(item, Arg) else None
    before, known = read(keyword, base)
    after, told = read(keyword, given)
    if (keyword, item.name) in EXCEPTIONS:
        assert after == before and told <= known, "the exception is none any more"
        return
    assert after != before or told - known, f"{keyword}: {item.name} = {given[item.name]} is swallowed"
    if after is None:
        assert all(keyword in text for text in told), told  # the sentence names the statement


@pytest.mark.parametrize("keyword", [k for k, s in grammar.STATEMENTS.items() if s.grammar.generic])
def test_arguments_of_no_table_are_told(keyword):
    _, known = read(keyword, BASES[keyword])
    _, told = read(keyword, {"ZEBRA": "5", **BASES[keyword]})
    assert any("ZEBRA = 5" in text for text in told - known) or grammar.STATEMENTS[keyword].element.KIND in (
        "FLEX_BODY",
        "FE_PART",
        "MFORCE",
    )
    if grammar.STATEMENTS[keyword].element.KIND in ("FLEX_BODY", "FE_PART", "MFORCE"):
        assert any("not computed in this version" in text for text in known)


#: statements whose last argument is the rest of the text, and those that are refused as a whole
TO_THE_END, REFUSED = ("STRING",), ("FLEX_BODY", "FE_PART", "MFORCE")


@pytest.mark.parametrize("keyword", [k for k in grammar.STATEMENTS if k not in TO_THE_END])
def test_an_argument_that_no_statement_has(keyword):
    """The register of statements as a whole: an error, or a warning that names it."""
    _, told = read(keyword, {**BASES[keyword], "ZEBRA": "5"})
    assert any("ZEBRA" in text for text in told) or keyword in REFUSED and any("not computed" in t for t in told), told


@pytest.mark.parametrize("keyword", [k for k in grammar.STATEMENTS if k not in (*TO_THE_END, *REFUSED)])
def test_an_argument_that_is_given_twice(keyword):
    base = {name: text for name, text in BASES[keyword].items() if text is not None}
    for name, text in base.items():
        body = CONTEXT + statement(keyword, BASES[keyword]).rstrip() + f"\n, {name} = {text}\nEND\n"
        try:
            model = parse_adm(body, "t.adm")
        except ModelError as error:
            assert name in str(error)
        else:
            assert any(name in text for text in model.warnings), f"{keyword}: {name} twice is swallowed"


@pytest.mark.parametrize("keyword", grammar.PREFERENCES)
def test_preferences_are_told(keyword):
    model = parse_adm(CONTEXT + f"{keyword}/ZEBRA = 5\nEND\n", "t.adm")
    assert any(text.startswith(f"{keyword}: ZEBRA = 5 ha") for text in doubts(model))


@pytest.mark.parametrize("keyword", grammar.FOREIGN)
def test_statements_without_a_table_are_told(keyword):
    model = parse_adm(CONTEXT + f"{keyword}/1, ZEBRA = 5\nEND\n", "t.adm")
    told = cannot_run(model) if grammar.FOREIGN[keyword] else doubts(model)
    assert any(keyword in text for text in told)


# ---- what is read is used --------------------------------------------------------------------------------------------
#: kind and field that no computation reads, and that is not reported: why
UNUSED = {
    ("PART", "material"): "mass and inertia are those of the statement, in Adams too",
    ("FRICTION", "i_yoke"): "the yoke is that of I unless J_YOKE is there",
    ("ARRAY", "view_units"): "a note of Adams View",
    ("SPLINE", "view_units"): "a note of Adams View",
    ("MATRIX", "view_units"): "a note of Adams View",
    **dict.fromkeys(
        [("CONTACT", "normal_function"), ("CONTACT", "friction_function")],
        "user routines of contacts are refused by cannot_run",
    ),
}
ROOT = Path(holonom.__file__).parent
SOURCES = {
    p: p.read_text(encoding="utf-8")
    for p in ROOT.rglob("*.py")
    if "formats" not in p.relative_to(ROOT).parts and p.name not in ("idle.py", "builder.py")
}


@functools.cache
def words():
    """Every ``.name``, ``"name"`` and ``name=`` of the source."""
    found = set()
    for text in SOURCES.values():
        found.update(re.findall(r"\.(\w+)", text), re.findall(r"\b(\w+)=", text))
        found.update(re.findall(r"[\"'](\w+)(?=[\"'])", text))
    return found


def mentioned(name):
    return name in words()


@pytest.mark.parametrize("keyword", [k for k, s in grammar.STATEMENTS.items() if s.element is not None])
def test_every_field_is_read_by_something_or_told(keyword):
    cls = grammar.STATEMENTS[keyword].element
    for field in dataclasses.fields(cls):
        key = (cls.KIND, field.name)
        told = field.name in IDLE.get(cls.KIND, {}) or KEPT.get(cls.KIND) == field.name
        assert told or key in UNUSED or mentioned(field.name), (
            f"{keyword}: nothing reads {field.name}, and nothing tells it"
        )


@pytest.mark.parametrize("kind, name", [(kind, name) for kind, fields in IDLE.items() for name in fields])
def test_idle_fields_are_told(kind, name):
    model = Model("m")
    element = ELEMENT_TYPES[kind](id=4, name="it")
    assert hasattr(element, name)
    type_of = next(f.type for f in dataclasses.fields(element) if f.name == name)
    value = (
        True
        if "bool" in type_of
        else 7
        if "int" in type_of
        else (1.0, 2.0)
        if "tuple" in type_of
        else 0.5
        if "float" in type_of
        else "LUGRE"
    )
    setattr(element, name, value)
    model.add(element)
    told = [text for text in doubts(model) if "'it'" in text and "has no influence: " in text]
    assert len(told) == 1 and (value is True or str(value).strip("()").split(",")[0].removesuffix(".0") in told[0])
    element.active = False
    assert not [text for text in doubts(model) if "'it'" in text]


def test_many_of_a_kind_are_one_sentence():
    text = "".join(
        f"FRICTION/{n}, JOINT = {j}, SMOOTH = {n}, ZEBRA = 4\n" for n, j in ((1, 20), (2, 30), (3, 40), (4, 20))
    )
    told = [text for text in doubts(parse_adm(CONTEXT + text + "END\n", "t.adm")) if "is left out" not in text]
    assert len(told) == 2
    assert (
        "FRICTION/3 'FRICTION_3' (t.adm:30) and 1 more: SMOOTH has no influence: the force is smooth as it is"
        in told[0]
    )
    assert told[1].endswith("and 1 more: ZEBRA = 4 is kept, but has no influence")


def test_spellings_of_inactive():
    for word in ("INACTIVE", "INACTIVE_DURING", "INACT"):
        model = parse_adm(CONTEXT + f"FRICTION/1, JOINT = 20, {word} = STATIC\nEND\n", "t.adm")
        assert model.table("FRICTION")[1].inactive == "STATIC" and model.table("FRICTION")[1].extra == ()


@pytest.mark.parametrize("keyword, word", [("FIELD", "NONLINEAR"), ("FIELD", "STRING")])
def test_formulations_that_are_not_computed_are_faults(keyword, word):
    from holonom.model.validate import faults

    model = parse_adm(CONTEXT + statement(keyword, {**BASES[keyword], "FORMULATION": word}) + "END\n", "t.adm")
    assert any(
        text.startswith(f"{keyword}/1") and f"FORMULATION = {word} is not computed" in text for text in faults(model)
    )


def test_the_tables_name_what_exists():
    assert set(PASSED_OVER) | {"OUTPUT", "RESULTS"} == set(grammar.PREFERENCES)
    assert {k for k, _ in EXCEPTIONS} <= set(grammar.STATEMENTS) and set(BASES) == set(grammar.STATEMENTS)
    for (kind, name), why in UNUSED.items():
        assert why and name in {f.name for f in dataclasses.fields(ELEMENT_TYPES[kind])}
