"""Kernels called by address: compiled at once, or at the first call."""

import numpy as np
import pytest

from holonom import _later
from holonom._address import REAL, address_of, caller, when_called
from holonom._jit import jit

CALL = caller(REAL, (REAL,))


@jit
def through(table, x):
    return CALL(table[0], (x,))


@jit(later=("float64", "int64"))
def parts(x, n):
    return x * n, n + 1


@jit
def through_parts(x, rare):
    a, b = 0.0, 0
    if rare:
        a, b = parts(x, 3)
        a, b = parts(a, b)
    return a, b


def kernel(factor):
    @jit
    def law(x):
        return factor * x

    return law


def test_a_deferred_kernel_is_compiled_at_the_first_call():
    law = kernel(3.0)
    table = np.array([when_called(law, (REAL,), REAL)])
    assert table[0] < 0 and law._inner is None
    assert when_called(law, (REAL,), REAL) == table[0]
    assert [through(table, x) for x in (2.0, 5.0)] == [6.0, 15.0]
    assert law._inner.overloads
    assert when_called(law, (REAL,), REAL) == address_of(law, (REAL,), REAL) > 0
    assert through(table, 1.0) == 3.0  # what was deferred stays callable


def test_deferred_kernels_are_told_apart():
    laws = [kernel(float(k)) for k in range(1, 6)]
    tables = [np.array([when_called(law, (REAL,))]) for law in laws]
    assert [through(t, 10.0) for t in reversed(tables)] == [50.0, 40.0, 30.0, 20.0, 10.0]


def test_a_deferred_kernel_calls_another():
    inner = np.array([when_called(kernel(2.0), (REAL,), REAL)])
    place = int(inner[0])

    @jit
    def outer(x):
        return 1.0 + CALL(place, (x,))

    assert through(np.array([when_called(outer, (REAL,), REAL)]), 4.0) == 9.0


def test_an_interruption_while_compiling_is_put_off(monkeypatch):
    """A kernel cannot raise what interrupts Python within it; the result is right and the interruption comes then."""
    table = np.array([when_called(kernel(7.0), (REAL,), REAL)])
    compiling, calls = _later.address_of, []

    def interrupted(*given):
        calls.append(given)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return compiling(*given)

    monkeypatch.setattr(_later, "address_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        assert through(table, 1.0) == 7.0
        for _ in range(10**8):  # Python goes on
            pass
    assert len(calls) == 2 and through(table, 2.0) == 14.0


def test_more_kernels_than_there_are_places_are_compiled_at_once(monkeypatch):
    monkeypatch.setattr(_later, "_FOUND", np.zeros(len(_later._deferred), np.int64))
    assert when_called(kernel(11.0), (REAL,), REAL) > 0


def test_a_kernel_for_later_is_compiled_by_its_first_call():
    assert through_parts(1.5, False) == (0.0, 0)
    assert parts._inner is None or not parts._inner.overloads
    assert through_parts(1.5, True) == (18.0, 5)
    assert len(parts._inner.overloads) == 1
    assert parts(1.5, 3) == (4.5, 4)  # from Python too


def test_those_who_compile_on_stock_compile_at_once():
    @jit
    def rarely(x, rare):
        return parts(x, 3)[0] if rare else x

    rarely.outer._cache.disable()  # what is read from a file compiles nothing
    with _later.eager():
        assert when_called(kernel(13.0), (REAL,), REAL) > 0
        assert rarely(np.float32(2.0), False) == 2.0
    assert any("float32" in str(signature) for signature in parts.inner.overloads)
