"""What docs/support-matrix.md says is what happens: statements, joints and integrators are asked, not the tables from
which the page is written."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_nothing_is_swallowed import BASES, CONTEXT, statement

import holonom as hn
from holonom.analyses.derivatives.supported import check_model, status
from holonom.formats.adams.reader import parse_adm
from holonom.integrators.selection import METHODS
from holonom.model.base import ELEMENT_TYPES
from holonom.model.validate import cannot_run
from holonom.system.build import System

DOCS = Path(__file__).parents[2] / "docs"
spec = importlib.util.spec_from_file_location("make_support_matrix", DOCS / "make_support_matrix.py")
matrix = importlib.util.module_from_spec(spec)
spec.loader.exec_module(matrix)
PAGE = (DOCS / "support-matrix.md").read_text(encoding="utf-8")


def rows(title):
    """Rows of the table under a heading, as lists of words, without its head."""
    lines = PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0].splitlines()
    return [[c.strip().strip("`") for c in line.strip("|").split("|")] for line in lines if line.startswith("| ")][1:]


WITH_MODES = {
    "FLEX_BODY": "FLEX_BODY/1, MATRICES = 20\n",
    "MFORCE": "FLEX_BODY/1, MATRICES = 20\nMFORCE/1, FLEX_BODY = 1, CASE_INDEX = 1, SCALE = TIME\n",
}


@pytest.mark.parametrize(
    "keyword, runs", [(r[0], r[1]) for r in rows("Statements of a dataset (.adm)") if r[0] in BASES]
)
def test_statements_that_do_not_run_are_told_and_no_others(keyword, runs):
    text, flexible = statement(keyword, BASES[keyword]), None
    if keyword in WITH_MODES:  # they run where the modes are given, and are reported where not
        assert any("not computed" in t for t in cannot_run(parse_adm(CONTEXT + text + "END\n", "t.adm")))
        body = hn.flexible.beam(
            (0, 0, 0), (1, 0, 0), hn.flexible.Section.round(0.1), E=1.0, density=1.0, elements=1
        ).reduced((), 2)
        text, flexible = WITH_MODES[keyword], {1: replace(body, loads=np.ones((1, 6 + body.modes)))}
    model = parse_adm(CONTEXT + text + "END\n", "t.adm", flexible=flexible)
    told = [text for text in cannot_run(model) if text.startswith(keyword) and "not computed" in text]
    assert bool(told) == (runs == matrix.NO), told or f"{keyword} is reported not to run, and nothing tells it"


@pytest.mark.parametrize(
    "keyword, words", [(r[0], r[2]) for r in rows("Statements of a dataset (.adm)") if r[0] in BASES]
)
def test_gradients_refuse_statements_without_derivatives_and_no_others(keyword, words):
    model = parse_adm(CONTEXT + statement(keyword, BASES[keyword]) + "END\n", "t.adm")
    refused = f"a run with {keyword} elements has no derivative yet"
    try:
        check_model(model)
        told = ""
    except hn.ModelError as error:
        told = str(error)
    assert (refused in told) == (words == matrix.NO or keyword == "FLEX_BODY"), told


def test_elements_without_derivatives_stand_in_the_matrix():
    """All kinds that `gradient` refuses, once, with "no"; in part only what it does not refuse as a whole."""
    from holonom.analyses.derivatives.supported import PARTLY

    table = {r[0]: r[2] for r in rows("Statements of a dataset (.adm)") + rows("Elements and settings beyond Adams")}
    refused = {k for k in ELEMENT_TYPES if status(k) == "refused" and k not in ("FOREIGN", "FLEX_BODY")}
    assert {k for k, words in table.items() if words == "no"} == refused
    assert {k for k, words in table.items() if words.startswith("in part")} - {"KINEMATICS", "model.rigid"} == set(
        PARTLY
    )


def joined(kind):
    """A part at ground by one joint whose markers lie as this type wants them."""
    m = hn.Model("pair")
    part = m.part("a", 1.0, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    crossed = kind in ("UNIVERSAL", "HOOKE", "RACKPIN")
    i, j = (
        m.marker(part, z=(1, 0, 0)) if crossed else m.marker(part),
        m.marker(m.ground, z=(0, 1, 0)) if crossed else m.marker(m.ground),
    )
    element = hn.model.joints.Joint if kind in hn.model.joints.JOINT_TYPES else hn.model.joints.Primitive
    more = {"SCREW": {"pitch": 1.0}, "RACKPIN": {"pd": 1.0}}.get(kind, {})
    m.add(element(type=kind, i=i.id, j=j.id, **more))
    return m


@pytest.mark.parametrize("kind, equations", [(r[0], int(r[1])) for r in rows("Joints and primitives")])
def test_joints_have_the_equations_that_they_are_said_to_have(kind, equations):
    assert System(joined(kind)).m == equations


@pytest.mark.parametrize("name, formulation", [(r[0], f.strip()) for r in rows("Integrators") for f in r[2].split(",")])
def test_integrators_run_in_the_formulations_that_they_are_said_to_have(name, formulation):
    model = hn.read_adams(Path(hn.__file__).parent / "models" / "double_pendulum.adm")
    options = {"hmax": 1e-4} if METHODS[name].error is None else {}
    if formulation:
        options["formulation"] = formulation
    run = hn.simulate(model, end=2e-3, steps=2, integrator=name, **options)
    assert len(run) == 3


@pytest.mark.parametrize("name", [r[0] for r in rows("Integrators")])
def test_integrators_refuse_other_formulations(name):
    others = {"I3", "SI2", "SI1"} - set(METHODS[name].formulations)
    model = hn.read_adams(Path(hn.__file__).parent / "models" / "double_pendulum.adm")
    for formulation in sorted(others):
        with pytest.raises(hn.ModelError, match="ormulation"):
            hn.simulate(model, end=1e-3, steps=1, integrator=name, formulation=formulation)
