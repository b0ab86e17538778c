"""Equations of motion and integrators are compiled without the laws of contacts and elements, which they call through
their addresses: an edit of such a law, or of what builds tables from models, must not compile them anew."""

import importlib
import pkgutil
import re
from functools import cache

import pytest

import holonom
from holonom import _jit
from holonom._content_key import reached
from holonom.elements.kinds import FORCE_FILES

PACKAGES = ("elements", "system", "integrators", "linalg", "expressions", "analyses")
#: behind these are models, their reader, or the contact engine; kernels may know errors and rotations of models, no
#: more
APART = re.compile(
    r"model\.(?!base|orientation)|system\.(build|function_set|functions_build|contacts|contact_stand_ins|outputs)$|contact\.(engine|shapes|laws|friction)"
    r"|results\.|formats\."
)
#: files that hold data and builder of an element next to its law: compiled by itself, and called through its address
WHOLE = {f"elements.forces.{name.replace('/', '.')}" for name in FORCE_FILES}


@cache
def kernels():
    """{module: kernels defined in it} of the packages."""
    found = {}
    for package in PACKAGES:
        where = importlib.import_module(f"holonom.{package}").__path__
        for module in pkgutil.walk_packages(where, f"holonom.{package}."):
            items = vars(importlib.import_module(module.name)).values()
            mine = [k for k in items if isinstance(k, _jit.Kernel) and k.__module__ == module.name]
            if mine:
                found[module.name.removeprefix("holonom.")] = mine
    return found


def test_there_are_kernels():
    assert holonom.__name__ == "holonom"
    assert {"system.kernels", "system.output_kernels", "integrators.radau", "linalg.ldl"} <= set(kernels())
    modules = {f.__module__ for k in kernels()["system.kernels"] for f in reached(k.py_func)}
    assert "system.build" not in kernels() and "holonom.elements.joints.rows" in modules


@pytest.mark.parametrize("package", PACKAGES)
def test_kernels_do_not_reach_models_or_contacts(package):
    wrong = {}
    for module, mine in kernels().items():
        if module.partition(".")[0] != package or module in WHOLE:
            continue
        for kernel in mine:
            for f in reached(kernel.py_func):
                name = f.__module__.removeprefix("holonom.")
                if APART.search(name) or name in WHOLE:
                    wrong[f"{module}.{kernel.__name__}"] = f"{name}.{f.__name__}"
    assert not wrong, f"compiled anew by edits of laws or models: {wrong}"
