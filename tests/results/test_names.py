"""An unknown attribute of a result names the one that is meant."""

import copy
import importlib
import inspect
import pickle
import pkgutil

import numpy as np
import pytest

import holonom as hn
from holonom import results
from holonom.results._names import Named
from holonom.results.modes import Mode


@pytest.fixture(scope="module")
def swing():
    m = hn.Model("x")
    p = m.part("p", 1.0, (1, 1, 1), (0.5, 0, 0))
    m.revolute(p, m.ground, "g", at=(0, 0, 0), axis=(0, 0, 1))
    return hn.simulate(m, 0.01, 1)


def test_unknown_attributes_name_the_nearest(swing):
    mode = Mode(1, 1j, "oscillating", 1, *(np.zeros((1, 6)) for _ in range(4)))
    for result, wrong, said in (
        (swing, "countrs", "did you mean 'counters'"),
        (swing.part("p"), "pos", "did you mean 'position'"),
        (swing.part("p"), "velocty", "did you mean 'velocity'"),
        (swing.part("p"), "qqq", "choose from acceleration, angular_acceleration"),
        (swing.joint("g"), "forces", "did you mean 'force'"),
        (mode, "frequency", "frequency'?"),
    ):
        with pytest.raises(AttributeError, match=f"there is no attribute '{wrong}'") as error:
            getattr(result, wrong)
        assert said in str(error.value) and type(result).__name__ in str(error.value)
        assert not hasattr(result, wrong)


def test_every_result_that_users_read_has_it():
    """All public classes with properties or methods of the package, but for writers of files and pictures."""
    missing = []
    for found in pkgutil.walk_packages(results.__path__, "holonom.results."):
        if ".files" in found.name or ".pictures" in found.name or ".pages" in found.name:
            continue
        module = importlib.import_module(found.name)
        missing += [
            f"{found.name}.{name}"
            for name, cls in vars(module).items()
            if inspect.isclass(cls) and cls.__module__ == found.name and name[0] != "_" and not issubclass(cls, Named)
        ]
    assert missing == ["holonom.results._data.Segment", "holonom.results._data.RunData", "holonom.results._names.Keys"]


def test_what_a_property_raises_is_not_hidden():
    class View(Named):
        @property
        def broken(self):
            return None.nothing

    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'nothing'"):
        View().broken  # noqa: B018


def test_copies_and_pickles(swing):
    mode = Mode(1, 1j, "oscillating", 1, *(np.zeros((1, 6)) for _ in range(4)))
    assert pickle.loads(pickle.dumps(mode)).value == copy.deepcopy(mode).value == 1j
    assert copy.copy(swing.part("p")).name == "p"
