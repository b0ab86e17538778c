"""CPU seconds by folder: every folder has a budget; what is measured, and when a run fails."""

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from _cpu_budget import FILES, LIST, TIMES, Compiling, CpuBudget, beyond, budgets, cpu, folder_of, whole

ROOT = Path(__file__).resolve().parents[1]


def test_every_folder_has_a_budget():
    folders = {p.parent.relative_to(ROOT / "tests").parts[0] for p in (ROOT / "tests").glob("*/**/test_*.py")}
    assert set(budgets()) == folders | {FILES}


def test_the_folder_of_a_test():
    assert folder_of("tests/contact/test_grip.py::test_a[1/2]") == "contact"
    assert folder_of("tests/test_cli.py::test_b") == FILES
    assert folder_of("tests/elements/forces/test_c.py::test_d") == "elements"


def test_a_folder_fails_beyond_twice_its_budget():
    allowed = {"a": 10.0, "b": 10.0}
    assert beyond({"a": TIMES * 10.0, "b": 1.0}, allowed) == []
    assert "tests/a took 21 CPU s" in beyond({"a": 21.0}, allowed)[0] and "budget" in beyond({"c": 0.1}, allowed)[0]


@pytest.mark.parametrize(
    "given, mark, keyword, all_of_it",
    [
        (["tests"], "not slow", "", True),
        (["tests"], "", "", False),
        (["tests"], "not slow", "cable", False),
        (["tests/contact"], "not slow", "", False),
    ],
)
def test_only_the_whole_fast_suite_can_fail(given, mark, keyword, all_of_it):
    option = SimpleNamespace(keyword=keyword, lf=False, deselect=None, collectonly=False, markexpr=mark)
    config = SimpleNamespace(
        option=option,
        rootpath=ROOT,
        args=given,
        invocation_params=SimpleNamespace(dir=ROOT),
        getini=lambda name: ["tests"],
    )
    assert whole(config) is all_of_it


def test_the_clock_counts_work_of_children_and_no_sleep():
    code = "import time\nt = time.process_time()\nwhile time.process_time() < t + 0.3: pass"
    before = cpu()
    subprocess.run([sys.executable, "-c", code], check=True)
    assert cpu() - before > (0.3 if os.name == "posix" else 0.0)
    before = cpu()

    time.sleep(0.3)
    assert cpu() - before < 0.1


def test_the_summary_of_a_run(tmp_path):
    """A run of two tests, in one process and (xdist) in workers."""
    (tmp_path / "tests" / "contact").mkdir(parents=True)
    for name in ("_cpu_budget.py", "cpu_budgets.toml"):
        (tmp_path / "tests" / name).write_text((ROOT / "tests" / name).read_text(encoding="utf-8"), encoding="utf-8")
    plugin = """
import pytest, sys
sys.path.insert(0, __file__.rpartition("/")[0])
from _cpu_budget import FILES, LIST, TIMES, Compiling, CpuBudget, beyond, budgets, cpu, folder_of, whole
def pytest_configure(config):
    config.budget = CpuBudget(config)
    config.pluginmanager.register(config.budget)
@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return item.config.budget.measured((yield))
def pytest_terminal_summary(terminalreporter, config):
    for line in config.budget.lines():
        terminalreporter.write_line(line)
"""
    burn = "import time\ndef test_it():\n    t = time.process_time()\n    while time.process_time() < t + 0.7: pass\n"
    (tmp_path / "tests" / "conftest.py").write_text(plugin, encoding="utf-8")
    (tmp_path / "tests" / "contact" / "test_one.py").write_text(burn, encoding="utf-8")
    (tmp_path / "tests" / "test_two.py").write_text("def test_it(): pass\n", encoding="utf-8")
    env = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # two seconds a process
    for more in ([], ["-p", "xdist", "-n", "1"]):
        if more:
            pytest.importorskip("xdist")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *more, "tests"]
        text = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True).stdout
        assert "CPU seconds: contact 1, files 0; together 1" in text, text


def test_compilation_is_counted_apart():
    """Of what Numba compiles, once for kernels that compile others; nothing of a second call."""
    numba = pytest.importorskip("numba")
    clock = Compiling()
    clock.listen()
    inner = numba.njit(lambda x: x + 1.0)
    outer = numba.njit(lambda x: inner(x))
    before = time.process_time()
    assert outer(1.0) == 2.0
    whole_call = time.process_time() - before
    assert 0.0 < clock.spent <= whole_call
    compiled = clock.spent
    outer(2.0)
    assert clock.spent == compiled


def test_the_dearest_tests_come_first(monkeypatch, tmp_path):
    budget = CpuBudget(SimpleNamespace())
    for test, seconds, compiled in (
        ("tests/a.py::x", 1.0, 0.5),
        ("tests/a.py::y", 3.0, 0.0),
        ("tests/a.py::x", 0.5, 0.0),
    ):
        budget.pytest_runtest_logreport(SimpleNamespace(nodeid=test, cpu_seconds=seconds, compile_seconds=compiled))
    assert [line.split() for line in budget.dearest()] == [
        ["3.00", "0.00", "tests/a.py::y"], ["1.50", "0.50", "tests/a.py::x"],
    ]  # fmt: skip
    monkeypatch.setenv(LIST, str(tmp_path / "list"))
    budget.pytest_sessionfinish(SimpleNamespace(config=SimpleNamespace()))
    assert (tmp_path / "list").read_text().splitlines() == budget.dearest()
