"""Code that callers copy is a draft; machine code is made of optimised code, also where the cache has kept a draft."""

import numpy as np
from numba import types

from holonom import _jit
from holonom._jit import jit
from holonom._later import address_of

TYPES = (types.float64[::1], types.float64[::1])
WIDE = " x double>"  # numbers side by side: a loop that LLVM has vectorised


def library(dispatcher):
    dispatcher.compile(TYPES)
    return dispatcher.overloads[TYPES].library


def text(found):
    return str(found._final_module)


def test_loops_are_vectorised_where_machine_code_is_made_and_not_before(monkeypatch, tmp_path):
    monkeypatch.setattr(_jit, "cache_root", lambda: tmp_path)

    @jit
    def add(a, b):
        for i in range(a.shape[0]):
            a[i] += 2.0 * b[i]
        return a.shape[0]

    @jit
    def twice(a, b):
        return add(a, b) + add(a, b)

    a, b = np.arange(9.0), np.arange(9.0) ** 2
    assert twice(a, b) == 18
    assert a.tolist() == [k + 4.0 * k * k for k in range(9)]
    copied, called = library(add.inner), library(twice.outer)
    assert copied.draft and not copied.emitted and WIDE not in text(copied)
    assert called.emitted and not called.draft and WIDE in text(called)

    again = jit(add.py_func)  # as another process has it: what the cache has kept is the draft
    kept = library(again.inner)
    assert kept.draft and not kept.emitted
    for kernel, found in ((again, kept), (add, copied)):
        assert address_of(kernel, TYPES) > 0
        assert found.emitted and not found.draft and WIDE in text(found)
    assert library(jit(add.py_func).inner).emitted  # it has been kept with its machine code
