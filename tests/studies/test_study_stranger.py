"""Rough habits of a new user: each of these was lost silently, or ended with a traceback or a sentence that did not
help."""

import math
import sys

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studies import Measure, StudyParameter
from holonom.studies.formulas import Formula
from holonom.studies.study_file import read_study_file
from holonom.studies.worker import Evaluator

SPRING = """mass on a spring
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
PART/1, GROUND
MARKER/1, PART = 1, QP = 0, 0, 0
MARKER/5, PART = 1, QP = 0, 0, 0, REULER = 1.5707963267948966, 1.5707963267948966, 0
PART/2, MASS = 2, CM = 3, IP = 1, 1, 1, QG = 0.5, 0, 0
MARKER/3, PART = 2, QP = 0, 0, 0
MARKER/4, PART = 2, QP = 0, 0, 0, REULER = 1.5707963267948966, 1.5707963267948966, 0
JOINT/1, TRANSLATIONAL, I = 4, J = 5
SPRINGDAMPER/3, I = 3, J = 1, TRANSLATION, K = 50, C = 0, LENGTH = 0.5
END
"""


def square(v):
    return {"f": v["x"] ** 2}


def opened(folder, function=square, space=None, name="a.study", **options):
    return hn.Study(folder / name, function, space or {"x": (0.0, 4.0)}, workers=0, progress=False, **options)


@pytest.fixture
def spring(tmp_path):
    path = tmp_path / "spring.adm"
    path.write_text(SPRING)
    frequency = {"f": Measure("undamped_frequency", mode=1)}

    def study(space, **options):
        return opened(tmp_path, str(path), space, measures=frequency, analyses={"kind": "linear"}, **options)

    return study


def test_a_table_outlives_its_study(tmp_path, monkeypatch):
    def collected():
        return opened(tmp_path, name="b.study").run([{"x": 2.0}, {"x": 3.0}])  # nothing holds the study

    assert list(collected()["f"]) == [4.0, 9.0]
    monkeypatch.chdir(tmp_path)
    with hn.Study("a.study", square, {"x": (0.0, 4.0)}, workers=0, progress=False) as s:
        table = s.run([{"x": 2.0}])
    monkeypatch.chdir("/")
    assert table.best("f").measures["f"] == 4.0 and "ok" in str(table) and len(table) == 1
    with opened(tmp_path) as s:  # a table that reads does not keep the study from going on
        s.run([{"x": 1.0}])
    assert list(table["f"]) == [4.0]
    with opened(tmp_path) as s:
        table = s.run([{"x": 2.0}])
    (tmp_path / "a.study").unlink()
    with pytest.raises(ModelError, match="there is no study"):
        len(table)
    with opened(tmp_path, space={"x": (0.0, 9.0)}) as s:
        s.run([{"x": 7.0}])
    with pytest.raises(ModelError, match="holds another study than that of this table"):
        table["f"]


def test_texts_do_not_calculate(tmp_path):
    for text in ("2 * size", "size", "min(size, 3)", "-size", "size ** 2"):
        with pytest.raises(ModelError, match="size is the text '2', not a number"):
            Formula(text, ["size"], "c")({"size": "2"})
        assert Formula(text, ["size"], "c")({"size": 2.0}) in (4.0, 2.0, -2.0)
    with pytest.raises(ModelError, match="not a number"):
        Formula("size < 10", ["size"], "c", comparison=True)({"size": "9"})
    assert Formula("a != b", ["a", "b"], "c", comparison=True)({"a": "steel", "b": "iron"})
    with opened(tmp_path, space={"size": ["1", "2"]}, derived={"double": "2 * size"}) as s:
        assert "size is the text '1', not a number" in s.run([{"size": "1"}]).rows[0].message


class Silent(Exception):
    def __str__(self):
        raise RuntimeError("no text")


def raising(error):
    def function(v):
        raise error

    return Evaluator({"kind": "function"}, function)


def test_errors_of_all_sorts_become_sentences(monkeypatch):
    found = raising(Silent())({"x": 1.0}, 0)
    assert found["status"] == "failed" and "Silent: its text cannot be made: RuntimeError" in found["message"]
    message = raising(ValueError("file \udcff.csv"))({"x": 1.0}, 0)["message"]
    assert message.encode() and "file \\udcff.csv" in message
    with pytest.raises(KeyboardInterrupt):  # Ctrl-C of the session
        raising(KeyboardInterrupt())({"x": 1.0}, 0)
    monkeypatch.setattr(sys.modules["__main__"], "holonom_study_worker", True, raising=False)
    assert raising(KeyboardInterrupt())({"x": 1.0}, 0)["message"].startswith("KeyboardInterrupt")


def test_a_warning_that_no_file_can_hold(tmp_path):
    def warned(v):
        __import__("warnings").warn("\udcff.csv is old", stacklevel=1)
        return {"f": 1.0}

    with opened(tmp_path, warned) as s:
        assert s.run([{"x": 1.0}]).rows[0].warnings == ["\\udcff.csv is old"]
    with opened(tmp_path, lambda v: {"\udcff": 1.0}, name="b.study") as s:
        assert "UTF-8" in s.run([{"x": 1.0}]).rows[0].message


@pytest.mark.parametrize("limit", ["time_limit", "memory_limit"])
def test_limits_need_a_worker(tmp_path, limit):
    with pytest.raises(ModelError, match=f"{limit} ends the worker process of a run, and with workers=0 there is none"):
        opened(tmp_path, **{limit: 1e9})


def test_results_that_nobody_keeps(tmp_path):
    with opened(tmp_path, keep="all") as s, pytest.raises(ModelError, match="the function has no argument keep"):
        s.run([{"x": 1.0}])
    keep = {"rule": "best", "measure": "fx"}
    with opened(tmp_path, lambda v, keep: {"f": 1.0}, name="b.study", keep=keep) as s:
        with pytest.raises(ModelError, match="keep: run 0 has no measure 'fx'"):
            s.run([{"x": 1.0}])


def test_a_text_in_place_of_a_number(tmp_path):
    with pytest.raises(ModelError, match="parameter 'x' is the text '0,5'; give a number"):
        opened(tmp_path, space={"x": "0,5"})
    with pytest.raises(ModelError, match="the choice True is given twice, as 1"):
        opened(tmp_path, space={"x": [1, True]})


@pytest.mark.parametrize("text", ["010", "1:30", "-0755", "1:30.5", "0_10"])
def test_numbers_that_yaml_reads_as_others(tmp_path, text):
    pytest.importorskip("yaml")
    path = tmp_path / "a.yaml"
    head = "study: a.study\nfunction: a.py:f\nstages: [{design: sobol, count: 2}]\n"
    path.write_text(f"{head}parameters: {{x: {{bounds: [{text}, 100]}}}}\n")
    with pytest.raises(ModelError, match=f"YAML reads {text} as "):
        read_study_file(path)
    path.write_text(f"{head}parameters: {{x: {{bounds: [0, 1_000]}}, y: {{bounds: [-0.5, 1e1]}}}}\n")
    assert read_study_file(path)["parameters"]["x"]["bounds"] == [0, 1000]


def test_two_parameters_of_one_number(spring):
    space = {n: StudyParameter(n, 50.0, (10.0, 500.0), address=a) for n, a in
             (("k", "SPRINGDAMPER/3.K"), ("q", "springdamper/3.stiffness"))}  # fmt: skip
    with pytest.raises(ModelError, match="parameters 'k' and 'q' are both SPRINGDAMPER/3.K"):
        spring(space)


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        (StudyParameter("k", 50.0, (10.0, 90.0), "N/mm", address="SPRINGDAMPER/3.K"), "its unit is 'N/mm'.*'N/m'"),
        (StudyParameter("m", 2.0, (1.0, 3.0), "g", address="PART/2.MASS"), "its unit is 'g'"),
        (StudyParameter("k", 50.0, (10.0, 90.0), address="SPRINGDAMPER/4.K"), "there is no SPRINGDAMPER/4"),
        (StudyParameter("k", 50.0, (10.0, 90.0)), "has no parameter 'k'"),
        (StudyParameter("k", 0.1, (0.0, 0.9), address="PART/2.QG[0]"), r"counted from 1.*'PART/2.QG\(1\)'"),
    ],
)
def test_an_address_is_refused_before_the_first_run(spring, parameter, text):
    with pytest.raises(ModelError, match=text):
        spring({parameter.name: parameter})


def test_parameters_that_only_formulas_read(spring):
    """Frequency of a mass on a spring from its natural frequency w: k = m w^2."""
    space = {"w": (1.0, 9.0), "m": StudyParameter("m", 2.0, (1.0, 9.0), "kg", address="PART/2.MASS")}
    derived = {"square": "w * w", "SPRINGDAMPER/3.K": "m * square"}
    with spring(space, derived=derived, where=["m < 8"]) as s:
        table = s.run([{"w": 5.0}, {"w": 7.0, "m": 4.0}])
        assert table["f"] == pytest.approx(np.array([5.0, 7.0]) / (2 * math.pi), rel=1e-9)
        assert s.model({"w": 3.0}).find("SPRINGDAMPER", 3).k == pytest.approx(18.0)
    with pytest.raises(ModelError, match="has no parameter 'unused'"):
        spring({"w": (1.0, 9.0)}, derived={"SPRINGDAMPER/3.K": "w", "unused": "2 * w"}, name="b.study")
