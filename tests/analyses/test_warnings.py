"""Warnings reach their reader: through Python's `warnings`, in `print(run)`, on the command line, first in reports;
messages go to `logging`."""

import logging
import re
import warnings
from pathlib import Path

import pytest

import holonom as hn
from holonom import _warnings
from holonom.formats.adams.reader import parse_adm


def doubtful(steps: int = 1) -> hn.Model:
    """A pendulum in mm under the gravity of metres."""
    model = hn.Model("p", units="mm")
    model.gravity = (0, 0, -9.80665)
    rod = model.part("rod", 2.0, (1e3, 1.67e5, 1.67e5), (500, 0, 0))
    model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    return model


def test_a_plain_script_sees_the_warnings_of_a_run_at_its_own_line():
    with pytest.warns(hn.ModelWarning, match="ACCGRAV") as caught:
        run = hn.simulate(doubtful(), 0.01, 2)
    assert [Path(w.filename).name for w in caught] == ["test_warnings.py"]
    assert [str(w.message) for w in caught] == run.info["warnings"]
    assert "warning: ACCGRAV" in str(run)


def test_several_warnings_are_counted_in_print_of_a_run():
    model = doubtful()
    model.warn("the second")
    with pytest.warns(hn.ModelWarning):
        run = hn.simulate(model, 0.01, 2)
    assert "warnings: 2, the first: the second" in str(run)
    run.info["warnings"] = []
    assert "warning" not in str(run)


def test_warnings_can_be_made_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error", hn.ModelWarning)
        with pytest.raises(hn.ModelWarning, match="ACCGRAV"):
            hn.simulate(doubtful(), 0.01, 2)


def test_a_warning_of_a_run_is_issued_once_and_is_among_its_messages():
    sim = hn.Simulation(doubtful())
    with pytest.warns(hn.ModelWarning) as caught:
        sim.warn("twice")
        sim.warn("twice")
        sim.say(_warnings.WarningText("by its class"))
    assert [str(w.message) for w in caught] == ["twice", "by its class"]
    sim.initial()
    run = sim.run()
    assert run.info["messages"][:2] == ["twice", "by its class"]
    assert {"twice", "by its class"} < set(run.info["warnings"])
    assert all(type(text) is str for text in run.info["messages"] + run.info["warnings"])  # plain data for files


def test_check_issues_what_it_finds():
    with pytest.warns(hn.ModelWarning, match="ACCGRAV"):
        hn.check(doubtful())


def test_readers_issue_what_they_doubt():
    with pytest.warns(hn.ModelWarning, match="does not end with END"):
        model = parse_adm("a dataset\nPART/1, GROUND\n")
    assert any("does not end with END" in text for text in model.warnings)


def test_what_has_no_influence_on_a_run_is_a_warning():
    model = doubtful()
    model.gravity = (0, 0, -9806.65)
    with pytest.warns(hn.ModelWarning, match="INTEGRATOR = HHT has no influence on statics"):
        hn.simulate(model, kind="statics", integrator="HHT")
    with pytest.warns(hn.ModelWarning, match='end, steps have no influence on statics.* give kind="quasistatics"'):
        hn.simulate(model, kind="statics", end=1.0, steps=5)
    assert not any("end" in text for text in hn.simulate(model, kind="statics", end=0).info["warnings"])


def test_a_report_begins_with_the_warnings(tmp_path):
    with pytest.warns(hn.ModelWarning):
        run = hn.simulate(doubtful(), 0.01, 2)
    page = run.report(tmp_path / "page.html", animation=False).read_text(encoding="utf-8")
    assert re.search(r"<section id=\"(.*?)\"", page)[1] == "warnings"
    assert page.count("gravity is 9.80665") == 1


def test_progress_that_is_nothing_known_is_refused():
    with pytest.raises(hn.ModelError, match="progress is 'bar'; choose True, False, None, 'log' or a function"):
        hn.simulate(hn.Model("m"), end=1.0, steps=1, progress="bar")


def test_messages_and_progress_go_to_the_logger(caplog):
    model = doubtful()
    model.gravity = (0, 0, -9806.65)
    with caplog.at_level(logging.INFO, logger="holonom"):
        run = hn.simulate(model, 0.01, 2)
    assert [r.getMessage() for r in caplog.records] == run.info["messages"]


def test_the_way_of_command_lines_takes_each_text_once_and_leaves_others_alone():
    texts = []
    with pytest.warns(UserWarning, match="of somebody else") as caught:
        with _warnings.model_warnings_to(texts.append):
            for _ in range(2):
                _warnings.warn_model("ours")
            warnings.warn("of somebody else", stacklevel=1)
    assert texts == ["ours"] and len(caught) == 1


def test_all_warnings_of_the_package_go_through_one_function():
    """`warnings.warn` and lists that nobody reads would keep a warning from its reader."""
    package = Path(hn.__file__).parent
    found = []
    for path in package.rglob("*.py"):
        if path.name == "_warnings.py":
            continue
        for k, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if (
                re.search(r"(?<!\w)warnings\.warn\(|model\.warnings\.(append|extend)\(", line)
                and "DeprecationWarning" not in line
            ):
                found.append(f"{path.relative_to(package)}:{k}: {line.strip()}")
    assert not found


def test_a_warning_reaches_code_without_a_module():
    """Code that runs in `exec` with globals of its own: Python drops a warning that names no module."""
    code = compile("import holonom as hn\nhn.Model('m').warn('a doubt')", "<cell>", "exec")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        exec(code, {})
        exec(code, {"__name__": None})
    assert [str(w.message) for w in found] == ["a doubt"] * 2
