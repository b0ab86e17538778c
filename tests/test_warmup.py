"""What a wheel is compiled from: all that `holonom.kernel_forms.everything` compiles exists.  None is compiled."""

import inspect
import pkgutil
from importlib import import_module

import pytest

from holonom import _jit, kernel_forms
from holonom.contact import friction, laws


def arity(kernel):
    return len(inspect.signature(kernel.py_func).parameters)


@pytest.mark.parametrize(
    "listed", [kernel_forms.contact_kernels, kernel_forms.registered_forces, kernel_forms.laws_of_forces]
)
def test_kernels_that_are_called_by_address_exist_and_take_these_arguments(listed):
    found = list(listed())
    assert len(found) > 10
    for kernel, *_, arguments in found:
        assert isinstance(kernel, _jit.Kernel) and arity(kernel) == len(arguments), kernel


def test_every_contact_law_and_friction_model_is_among_them():
    compiled = {kernel for kernel, _ in kernel_forms.contact_kernels()}
    for package in (laws, friction):
        modules = [import_module(f"{package.__name__}.{m.name}") for m in pkgutil.iter_modules(package.__path__)]
        own = [m.force for m in modules if hasattr(m, "COLUMNS")]
        assert own and set(own) <= compiled


def test_works_have_names_and_are_callable():
    works = list(kernel_forms.everything())
    assert len(works) > 10 and all(callable(work) for _, work in works)
    assert len({name for name, _ in works}) == len(works)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(4))
def test_every_form_compiles(number):
    """A quarter of what ``holonom warmup --all`` and ``make wheel`` compile."""
    for _, work in list(kernel_forms.everything())[number::4]:
        work()
