"""Small patterns are analysed in plain Python: the results are those of the kernels, and no kernel is compiled for
it."""

import numpy as np
import pytest

from holonom import _jit
from holonom.linalg import _ordering, ldl, lu


@pytest.fixture
def ways(monkeypatch):
    """Do the same in plain Python and with kernels; both results."""

    def both(work):
        plain, real = [], _jit.interpreted
        monkeypatch.setattr(_jit, "_spent", 0.0)
        monkeypatch.setattr(_jit, "BUDGET", 1e9)
        monkeypatch.setattr(_jit, "interpreted", lambda kernel: plain.append(kernel.py_func.__name__) or real(kernel))
        first = work()
        monkeypatch.setattr(_ordering, "SMALL", (0, 0))
        told = list(plain)
        second = work()
        assert told and plain == told, "the first way is plain Python, the second is not"
        monkeypatch.undo()
        return first, second, told

    return both


@pytest.mark.parametrize("seed", range(12))
def test_symmetric_patterns(ways, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    rows, cols = rng.integers(0, n, (2, int(rng.integers(1, 3 * n))))
    groups = rng.integers(0, max(n // 3, 1), n) if seed % 2 else None
    a, b, told = ways(lambda: ldl.build_ldl(n, rows, cols, groups))
    assert "minimum_degree" in told and "_symbolic" in told and a.n == b.n == n
    for x, y in zip(a.arrays, b.arrays):
        assert x.dtype == y.dtype and np.array_equal(x, y)


def test_orders_of_constraints_and_bodies(ways):
    """A chain of bodies and joints, whose joints wait for bodies (`after`)."""
    n = 19
    rows, cols = np.arange(1, n), np.arange(n - 1)
    after = [(k, (k - 1, k + 1 if k + 1 < n else -1)) for k in range(1, n, 2)]
    a, b, _ = ways(lambda: _ordering.order_rows(n, rows, cols, after=after))
    assert np.array_equal(a, b) and sorted(a) == list(range(n))


@pytest.mark.parametrize("seed", range(4))
def test_unsymmetric_patterns(ways, seed):
    rng = np.random.default_rng(seed)
    n = 12
    dense = (rng.random((n, n)) < 0.25) | np.eye(n, dtype=bool)
    Ap = np.concatenate([[0], np.cumsum(dense.sum(0))]).astype(np.int64)
    Ai = np.nonzero(dense.T)[1].astype(np.int64)
    p = np.arange(n)
    a, b, told = ways(lambda: lu.analyse(n, Ap, Ai, np.arange(len(Ai)), p, p))
    assert told[0] == "_analyse"
    for x, y in zip(a, b):
        assert np.array_equal(x, y) and getattr(x, "dtype", None) == getattr(y, "dtype", None)


def test_after_half_a_second_kernels_take_over(monkeypatch):
    monkeypatch.setattr(_jit, "_spent", 0.0)
    monkeypatch.setattr(_jit, "interpreted", lambda kernel: lambda *args: "plain")
    kernel = lambda *args: "compiled"
    assert _jit.small(kernel, 1) == "plain"
    monkeypatch.setattr(_jit, "_spent", _jit.BUDGET)
    assert _jit.small(kernel, 1) == "compiled"


def test_large_ones_are_for_kernels():
    kernel = lambda *args: args
    n, entries = _ordering.SMALL
    assert _ordering.choose(n, entries) is _jit.small
    assert _ordering.choose(n + 1, 1)(kernel, 1, 2) == _ordering.choose(1, entries + 1)(kernel, 1, 2) == (1, 2)


@_jit.jit
def _double_factorial(n):
    return n * _other(n - 2) if n > 1 else 1


@_jit.jit
def _other(n):
    return _double_factorial(n)


def test_kernels_that_call_each_other_run_as_plain_python():
    assert _jit.interpreted(_double_factorial)(9) == 9 * 7 * 5 * 3
    assert _jit.interpreted(_other) is _jit.interpreted(_other)
