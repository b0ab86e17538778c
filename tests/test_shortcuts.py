"""What is remembered while kernels are compiled (`holonom._shortcuts`) changes nothing in their code."""

import math
import re
from collections import namedtuple
from contextlib import contextmanager, nullcontext

import numba
import numpy as np
import pytest

from holonom import _code_library, _shortcuts

pytestmark = pytest.mark.skipif(
    _code_library.remembered is nullcontext, reason="this version of Numba is compiled with as it is"
)

Pair = namedtuple("Pair", "values count")


def _sums(a, n):
    total = 0.0
    for i in range(n):
        if a[i] > 0.0:
            total += math.sqrt(a[i]) / (i + 1)
        elif i % 2 == 0:
            total -= abs(a[i]) ** 2
    return total


def _tables(pair, out):
    for row in range(pair.values.shape[0]):
        k = min(row, pair.count)
        out[row] = pair.values[row, 0] * out[k] if not (row == k and out[k] != out[k]) else max(pair.values[row, 1], 1)
    return out.size, pair.count // 3, out.shape


def _search(a, x):
    low, high = 0, len(a) - 1
    while low < high:
        middle = (low + high) >> 1
        if a[middle] < x:
            low = middle + 1
            continue
        high = middle
    return low, np.uint64(high), complex(a[low], 1.0) * 2


EXAMPLES = [
    (_sums, (np.ones(4), 4)),
    (_tables, (Pair(np.ones((3, 2)), 2), np.ones(3))),
    (_search, (np.arange(5.0), 2.5)),
]


def _code(function, arguments):
    """LLVM code of a function, without the numbers in names that differ from one compilation to the next."""
    dispatcher = numba.njit(error_model="numpy", _nrt=False)(function)
    with _code_library.compiling():
        dispatcher.compile(tuple(map(numba.typeof, arguments)))
    text = dispatcher.inspect_llvm(dispatcher.signatures[0])
    return re.sub(r"v\d+(?=[cB])|B\d+", "", re.sub(r"0x[0-9a-f]+|-?\d{9,}", "", text))


@pytest.mark.parametrize(("function", "arguments"), EXAMPLES, ids=lambda v: getattr(v, "__name__", ""))
def test_code_is_that_of_numba(function, arguments, monkeypatch):
    _code(function, arguments)  # what is remembered now is used below
    remembered = _code(function, arguments)
    monkeypatch.setattr(_code_library, "remembered", nullcontext)
    assert remembered == _code(function, arguments)


def test_outside_of_our_compilation_numba_is_as_it_was():
    from numba.core import event, ir
    from numba.core.postproc import PostProcessor
    from numba.core.registry import cpu_target
    from numba.core.typed_passes import AnnotateTypes, NopythonRewrites
    from numba.core.types.functions import BaseFunction

    def state():
        contexts = cpu_target.typing_context, cpu_target.target_context
        return (
            [sorted(vars(c)) for c in contexts],
            BaseFunction.get_call_type,
            PostProcessor.run,
            ir.Inst._rec_list_vars,
            event.trigger_event,
            event.start_event,
            event.end_event,
            AnnotateTypes.run_pass,
            NopythonRewrites.run_pass,
        )

    before = state()
    with _code_library.compiling():
        assert state() != before
    assert state() == before


def test_another_version_of_numba_is_left_as_it_is():
    assert _code_library._shortcuts("0.68.1") is _shortcuts.remembered
    for version in ("0.60.0", "0.67.0", "0.69.0rc1", "0.680.0", "1.0.0"):
        assert _code_library._shortcuts(version) is nullcontext


def test_implementations_registered_in_between_are_found():
    """A function that no implementation knew is resolved as soon as one has been registered, within one compilation
    too."""
    import numba.extending
    from numba.core.registry import cpu_target

    def twice(x):
        raise AssertionError

    def caller(x):
        return twice(x)

    with _code_library.compiling():
        cpu_target.target_context.refresh()
        with pytest.raises(numba.core.errors.TypingError):
            numba.njit(caller).compile((numba.float64,))
        numba.extending.overload(twice)(lambda x: lambda x: 2 * x)
        cpu_target.target_context.refresh()
        kernel = numba.njit(caller)
        kernel.compile((numba.float64,))
    assert kernel(1.5) == 3.0


@contextmanager
def _counted(counts):
    find = _shortcuts._call_type

    def counting(function, context, args, kws):
        counts.append((function, args))
        return find(function, context, args, kws)

    _shortcuts._call_type = counting
    try:
        yield
    finally:
        _shortcuts._call_type = find


def test_a_question_is_asked_once():
    function, arguments = EXAMPLES[0]
    _code(function, arguments)
    asked = []
    with _counted(asked):
        _code(function, arguments)
    assert not asked


def test_who_listens_hears_of_passes_too():
    from numba.core import event

    with event.install_recorder("numba:run_pass") as heard, _code_library.compiling():
        numba.njit(_nrt=False)(_sums).compile((numba.float64[::1], numba.int64))
    names = " ".join(record.data["name"] for _, record in heard.buffer if record.is_end)
    assert all(name in names for name in ("nopython_type_inference", "annotate_types", "nopython_rewrites"))
