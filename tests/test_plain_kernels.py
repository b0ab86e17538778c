"""Tests that run kernels as plain Python are those of the list, and nothing is compiled for them."""

import re

import pytest

from _plain_kernels import FILES, HERE, is_plain, use_plain_kernels
from holonom._jit import jit


@pytest.mark.parametrize("file", FILES)
def test_files_and_tests_of_the_list_exist(file):
    text = (HERE / file).read_text(encoding="utf-8")
    for name in FILES[file].split("|") if FILES[file] else ["test_"]:
        assert re.search(rf"^def {re.match('[a-z_]*', name)[0]}", text, re.MULTILINE), name


def test_a_test_is_plain_unless_kernels_shall_be_compiled(monkeypatch):
    monkeypatch.delenv("HOLONOM_COMPILED_KERNELS", raising=False)
    forces = HERE / "elements" / "test_registered_forces.py"
    assert is_plain(forces, "test_taylor[NFORCE]") and not is_plain(forces, "test_taylor[TYRE_UA]")
    assert not is_plain(forces, "test_statics_relax_the_damper") and not is_plain(HERE / "test_cli.py", "test_x")
    monkeypatch.setenv("HOLONOM_COMPILED_KERNELS", "1")
    assert not is_plain(forces, "test_taylor[NFORCE]")


def test_nothing_is_compiled(monkeypatch):
    @jit
    def twice(x):
        return 2 * x

    @jit
    def four_times(x):
        return twice(twice(x))

    use_plain_kernels(monkeypatch)
    assert four_times(0.5) == 2.0 and four_times.entry(1)(3) == 12
    assert four_times._outer is None and twice._inner is None
