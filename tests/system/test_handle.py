"""What kernels read through a handle is what the tuples hold, for each kind of content and order of sizes."""

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from holonom._handle import make_handle, view_P, view_S, view_W


class Inner(NamedTuple):
    held: bool
    first: np.ndarray
    none: None
    loose: bool


class Tables(NamedTuple):
    held: bool
    count: int
    grid: np.ndarray
    inner: Inner
    share: float
    strided: np.ndarray
    columns: np.ndarray
    pair: Any
    last: bool


class Work(NamedTuple):
    x: np.ndarray


@numba.njit
def _read(handle, out):
    S, W, P = view_S(handle), view_W(handle), view_P(handle)
    out[0] = S.held
    out[1] = S.count
    out[2] = (S.grid * np.arange(1, S.grid.size + 1).reshape(S.grid.shape)).sum()
    out[3] = S.inner.held
    out[4] = S.inner.first[-1]
    out[5] = S.inner.none is None
    out[6] = S.inner.loose
    out[7] = S.share
    out[8] = (S.strided * np.arange(1, len(S.strided) + 1)).sum()
    out[9] = S.columns[0, 2]
    out[10] = S.pair[1][0]
    out[11] = S.last
    out[12] = W.x[0]
    out[13] = len(P.x)
    W.x[0] += 1.0


def _tables(rng, rows: int) -> Tables:
    return Tables(
        held=bool(rng.integers(2)),
        count=int(rng.integers(-(1 << 40), 1 << 40)),
        grid=rng.normal(size=(rows, 3)),
        inner=Inner(bool(rng.integers(2)), rng.integers(0, 200, rows).astype(np.uint8), None, bool(rng.integers(2))),
        share=float(rng.normal()),
        strided=rng.normal(size=(rows, 4))[:, 1],
        columns=np.asfortranarray(rng.normal(size=(3, 3))),
        pair=(rng.normal(size=2), rng.normal(size=2)),
        last=bool(rng.integers(2)),
    )


def test_kernels_read_what_the_tuples_hold():
    rng = np.random.default_rng(3)
    kinds = set()
    for rows in (1, 2, 5, 5, 40):
        S, W = _tables(rng, rows), Work(rng.normal(size=1))
        handle = make_handle(S, W, Work(np.zeros(rows)))
        kinds.add(handle._numba_type_)
        before, out = W.x[0], np.zeros(14)
        _read(handle, out)
        assert out[0] == S.held and out[1] == S.count and out[11] == S.last
        assert out[2] == pytest.approx((S.grid.ravel() * np.arange(1, S.grid.size + 1)).sum(), rel=1e-13)
        assert (out[3], out[4], out[5], out[6]) == (S.inner.held, S.inner.first[-1], 1.0, S.inner.loose)
        assert out[7] == S.share
        assert out[8] == pytest.approx(S.strided @ np.arange(1, rows + 1), rel=1e-13)
        assert out[9] == S.columns[0, 2] and out[10] == S.pair[1][0]
        assert (out[12], out[13]) == (before, rows)
        assert W.x[0] == before + 1.0  # arrays are shared, not copied
    assert len(kinds) <= 2  # one row makes a strided column contiguous; sizes and values decide nothing else


def test_types_are_those_that_numba_finds():
    x = np.arange(6.0).reshape(2, 3)
    readonly = x.copy()
    readonly.flags.writeable = False
    unaligned = np.frombuffer(bytearray(17), np.uint8)[1:].view(float)
    contents = [
        (x,),
        (x.T,),
        (x[:, 1],),
        (x[:, ::2],),
        (x[:1, :1],),
        (readonly,),
        (unaligned,),
        (x.astype(np.float32),),
        (x.astype(np.int32),),
        (x > 1.0,),
        (np.zeros(2, ">f8").astype(float),),
        (1,),
        (1.0,),
        (True,),
        (None,),
        (np.float64(2.0),),
        (np.int64(2),),
        (np.bool_(True),),
        ((x, x),),
        ((x, 1.0),),
        (Work(x),),
        (Inner(True, x, None, False),),
        ((),),
        (),
    ]
    for _ in range(2):  # found, then known
        for P in contents:
            assert make_handle((), (), P)._numba_type_.content == numba.typeof(((), (), P)), P


def test_what_a_handle_cannot_hold():
    for value in ("text", 1j, [1.0], make_handle((), (), ())):
        with pytest.raises((TypeError, ValueError)):
            make_handle((), (), (value,))
    with pytest.raises(AssertionError, match="where kernels expect"):
        make_handle((), (), (1.0,), make_handle((), (), (1,)))
