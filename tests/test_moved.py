"""Old addresses of modules give the modules themselves, and state where they are."""

import importlib
import sys

import pytest

import holonom
from holonom import _moved


@pytest.mark.parametrize("old", sorted(_moved._addresses()))
def test_old_address(old):
    new = _moved._addresses()[old]
    module = importlib.import_module(new)
    spec = module.__spec__
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match=f"has moved to {new}$"):
        assert importlib.import_module(old) is module
    assert module.__spec__ is spec and spec.name == new == module.__name__


def test_names_through_an_old_address():
    sys.modules.pop("holonom.results.export", None)
    with pytest.warns(DeprecationWarning):
        from holonom.results.export import read_req
    from holonom.results.files import export

    assert read_req is export.read_req


def test_what_never_was_is_not_found():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("holonom.analyses.never")


def test_former_names():
    import holonom.model as module

    with pytest.warns(DeprecationWarning, match="holonom.model.KINDS is now called ELEMENT_TYPES"):
        assert module.KINDS is module.ELEMENT_TYPES
    with pytest.raises(AttributeError, match="has no attribute 'KIND'"):
        module.KIND  # noqa: B018


def test_former_attributes():
    from holonom.durability import goodman
    from holonom.flexible import Plastic

    law = Plastic(((1.0, 2.0),))
    with pytest.warns(DeprecationWarning, match="Plastic.numbers is now called parameters"):
        assert law.numbers == law.parameters
    with pytest.warns(DeprecationWarning, match="MeanStress.table is now called coefficients"):
        assert (goodman(400.0).table(-1.0) == goodman(400.0).coefficients(-1.0)).all()


def test_former_methods_of_runs():
    run = holonom.simulate(holonom.Model("empty"), end=1.0, steps=1)
    with pytest.warns(DeprecationWarning, match="Run.least_distance is now called clearance"):
        assert run.least_distance == run.clearance


def test_former_methods_of_models():
    from holonom.model.builder.arguments import FORMER_METHODS

    m = holonom.Model("m")
    for old, new in FORMER_METHODS.items():
        with pytest.warns(DeprecationWarning, match=f"Model.{old} is now called {new}"):
            assert getattr(m, old) == getattr(m, new)
        assert old not in dir(m)
