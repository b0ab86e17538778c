"""Fixtures of all tests, and the lines at the end: what was skipped for want of data, CPU seconds by folder."""

import contextlib
import gc
import importlib
import os
import re
import sys
from bisect import bisect_left
from itertools import accumulate
from pathlib import Path

import pytest

gc.set_threshold(20_000, 10, 10)  # modules, tests and kernels stay: to search them for garbage is in vain
os.environ.setdefault("HOLONOM_DECLARED_KERNELS", "1")  # a kernel that is called with undeclared types fails the test
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
sys.path.insert(0, str(Path(__file__).parent))
from _cpu_budget import CpuBudget  # noqa: E402
from _cpu_limit import CpuLimit  # noqa: E402
from _plain_kernels import is_plain, use_plain_kernels  # noqa: E402
from _public_data import NEEDS  # noqa: E402
from _slow_cases import mark  # noqa: E402


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the public data files next to the repository; tests that need it are skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"{NEEDS}: {SHARED} is absent")
    return SHARED


@pytest.fixture(autouse=True)
def _plain_kernels(request):
    """Kernels as plain Python where a test calls them with a few numbers (`_plain_kernels`)."""
    if is_plain(request.path, request.node.name):
        use_plain_kernels(request.getfixturevalue("monkeypatch"))


#: packages that the tests come to last: the second worker begins with them, since two workers that import the same ones
#: at the same time in a fresh environment compile their bytecode twice (10 CPU s)
LATE = ("distributed", "gymnasium", "hypothesis", "matplotlib.figure", "trimesh", "meshio", "skfem", "xarray")


def _import_late(config) -> None:
    if getattr(config, "workerinput", {}).get("workerid") == "gw1":
        for name in LATE:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


BUDGET = pytest.StashKey[CpuBudget]()

#: files and folders whose tests compile little
LIGHT = (
    "expressions",
    "formats",
    "linalg",
    "model",
    "reference",
    "results",
    "studio",
    "test_cli",
    "test_compiled_sources",
    "test_docs_site",
    "test_docstrings",
    "test_layout",
)


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marks
def pytest_collection_modifyitems(config, items):
    """Cases of `slow_cases.toml` are slow.

    Of two workers, each with half of the list, one begins to compile while the other runs tests that need few kernels,
    which therefore stand in the middle; when that one comes to the rest of the list, kernels that all runs need are
    there.  Else both begin with the same ones, and one waits.

    Tests that share a window of the Studio follow each other: a test with a loop of its own between them would end
    it, and a new window takes 7 CPU s."""
    mark(config, items)
    here = Path(__file__).parent
    runs = lambda item: config.option.markexpr != "not slow" or item.get_closest_marker("slow") is None
    light, others, windows = [], [], []
    for item in items:
        top = item.path.relative_to(here).parts[0].removesuffix(".py")
        shared = "shop" in getattr(item, "fixturenames", ())
        (windows if shared else light if top in LIGHT else others).append(item)
    half = bisect_left(list(accumulate(map(runs, others))), sum(map(runs, items)) // 2) + 1
    items[:] = [*others[:half], *light, *windows, *others[half:]]


def pytest_collection_finish(session):
    """What is there before the first test is not searched for garbage again and again."""
    gc.collect()
    gc.freeze()
    providers = sys.modules.get("hypothesis.internal.conjecture.providers")
    if session.config.option.markexpr == "not slow" and hasattr(providers, "_get_local_constants"):
        # Hypothesis parses each module of the package and of the tests for numbers to try, 1,600 of them: 10 CPU s in
        # each worker; and what it tries would change with sources that have nothing to do with a test
        providers._get_local_constants = lambda: providers._local_constants


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """What a file leaves behind, kernels for the most part, is not searched for garbage again."""
    result = yield
    if nextitem is not None and nextitem.path != item.path:
        gc.collect()
        gc.freeze()
    return result


#: packages that `make setup` installs, as reasons of skipped tests name them
PACKAGES = (
    "SALib",
    "cma",
    "control",
    "distributed",
    "fatpack",
    "meshio",
    "nptdms",
    "optuna",
    "playwright",
    "pymoo",
    "rainflow",
    "skfem",
    "trimesh",
)


def _skipped(config) -> list[tuple[str, str]]:
    """Test or file, and reason, of all that was skipped."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter is not None else []
    reason = lambda report: report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return [(r.nodeid, reason(r)) for r in skipped]


def _without_data(config) -> list[str]:
    """Tests that were skipped because a file of the public data is not there."""
    return [test for test, why in _skipped(config) if NEEDS in why or "got empty parameter set" in why]


def _without_packages(config) -> list[str]:
    """Tests that were skipped because a package is not installed."""
    missing = re.compile(rf"could not import '({'|'.join(PACKAGES)})\b|\b({'|'.join(PACKAGES)}) is not installed")
    return [test for test, why in _skipped(config) if missing.search(why)]


#: variable that makes such a skip fail the run (`.ci/run` sets both) -> which tests were skipped
DEMANDS = {"HOLONOM_DATA_REQUIRED": _without_data, "HOLONOM_PACKAGES_REQUIRED": _without_packages}


def pytest_sessionfinish(session):
    """Where data or packages are demanded, a test that was skipped without them fails the run."""
    if not hasattr(session.config, "workerinput") and any(
        os.environ.get(variable) and found(session.config) for variable, found in DEMANDS.items()
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    if not hasattr(session.config, "workerinput") and session.exitstatus == pytest.ExitCode.OK:
        if session.config.stash[BUDGET].failures():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return item.config.stash[BUDGET].measured((yield))


def pytest_terminal_summary(terminalreporter, config):
    for line in (*config.stash[BUDGET].lines(), *config.stash[BUDGET].failures()):
        terminalreporter.write_line(line)
    missing = _without_data(config)
    if missing:
        where = f"is not at {SHARED}" if not SHARED.is_dir() else f"is at {SHARED}, but lacks what they require"
        files = sorted({test.split("::")[0] for test in missing})
        required = (
            "; HOLONOM_DATA_REQUIRED is set, so this fails the run" if os.environ.get("HOLONOM_DATA_REQUIRED") else ""
        )
        terminalreporter.write_line(
            f"{len(missing)} tests were skipped because they need the folder of public data files, which {where}: "
            f"{', '.join(files)}{required}"
        )
    missing = _without_packages(config)
    if missing:
        files = sorted({test.split("::")[0] for test in missing})
        required = (
            "; HOLONOM_PACKAGES_REQUIRED is set, so this fails the run"
            if os.environ.get("HOLONOM_PACKAGES_REQUIRED")
            else ""
        )
        terminalreporter.write_line(
            f"{len(missing)} tests or files were skipped because packages are not installed (make setup): "
            f"{', '.join(files)}{required}"
        )


def pytest_configure(config):
    """Models of tests are doubtful on purpose; tests of warnings see theirs by `pytest.warns`."""
    config.addinivalue_line("filterwarnings", "ignore::holonom.ModelWarning")
    config.stash[BUDGET] = CpuBudget(config)
    config.pluginmanager.register(config.stash[BUDGET], "cpu-budget")
    config.pluginmanager.register(CpuLimit(), "cpu-limit")
    _import_late(config)
