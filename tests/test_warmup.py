"""What a wheel is compiled from: everything that `holonom.warmup.everything` will use exists.  Nothing is compiled
here."""

import inspect
import pkgutil
from importlib import import_module

import pytest

from holonom import _jit, warmup
from holonom.contact import friction, laws


def arity(kernel):
    return len(inspect.signature(kernel.py_func).parameters)


@pytest.mark.parametrize("listed", [warmup.contact_kernels, warmup.registered_forces, warmup.laws_of_forces])
def test_kernels_that_are_called_by_address_exist_and_take_these_arguments(listed):
    found = list(listed())
    assert len(found) > 10
    for kernel, *_, arguments in found:
        assert isinstance(kernel, _jit.Kernel) and arity(kernel) == len(arguments), kernel


def test_every_contact_law_and_friction_model_is_among_them():
    compiled = {kernel for kernel, _ in warmup.contact_kernels()}
    for package in (laws, friction):
        modules = [import_module(f"{package.__name__}.{m.name}") for m in pkgutil.iter_modules(package.__path__)]
        own = [m.force for m in modules if hasattr(m, "COLUMNS")]
        assert own and set(own) <= compiled


def test_works_have_names_and_are_callable():
    works = list(warmup.everything())
    assert len(works) > 50 and all(callable(work) for _, work in works)
    assert len({name for name, _ in works}) == len(works)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(12))
def test_every_work_runs(number):
    """A twelfth of what ``holonom warmup --all`` and ``make wheel`` run."""
    for _, work in list(warmup.everything())[number::12]:
        work()
