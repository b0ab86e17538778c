"""Kernels of arithmetic that Python calls seldom run as plain Python first: with the same bits as compiled, and only
for few things and a short time."""

import numpy as np
import pytest

import holonom as hn
from holonom import _jit
from holonom.analyses.checks.closed_joints import LINE, PLANE, POINT, widest
from holonom.analyses.session.peaks import COLUMNS, note
from holonom.elements.bodies.coordinates import rotations
from holonom.elements.bodies.rigid import move
from holonom.elements.frames import update_frames
from holonom.system.build import System


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(_jit, "_briefly", {})


def both(kernel, *args):
    """Results and arguments after a call in plain Python and after a compiled one."""
    out = []
    for size in (1, _jit.FEW + 1):
        given = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        _jit._briefly.clear()
        result = _jit.briefly(kernel, size, *given)
        assert (kernel in _jit._briefly) is (size == 1)
        out.append((result, [a for a in given if isinstance(a, np.ndarray)]))
    return out


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one[1], other[1], strict=True))


def linkage():
    model = hn.Model("linkage", units="SI")
    parts = [
        model.part(f"p{k}", 1.0, (0.1, 0.2, 0.3), (k + 0.5, 0.1 * k, 0.0), euler=(0.3 * k, 0.2, 0.1)) for k in range(3)
    ]
    for k, (a, b) in enumerate(zip([model.ground, *parts], parts)):
        model.revolute(a, b, at=(k, 0, 0), axis=(0, 1, 0))
    return System(model)


@pytest.mark.parametrize("seed", range(3))
def test_frames_have_the_same_bits(seed):
    system = linkage()
    rng = np.random.default_rng(seed)
    y = system.y0 + rng.normal(size=len(system.y0))
    plain, compiled = both(rotations, system.bodies, y, np.zeros((system.nb + 1, 9)))
    assert same(plain, compiled)
    R, found = plain[1][1], []
    for size in (1, _jit.FEW + 1):
        fr = type(system.S.fr)(*(a.copy() for a in system.S.fr))
        fr.turned[:] = 1
        _jit.briefly(update_frames, size, fr, y, R)
        found.append((None, list(fr)))
    assert same(*found) and np.abs(found[0][1][2]).max() > 0.0


def test_moved_bodies_have_the_same_bits():
    rng = np.random.default_rng(4)
    for scale in (1e-9, 1e-3, 1.0, 3.0):
        assert same(*both(move, 4, rng.normal(size=13 * 5), scale * rng.normal(size=24)))


@pytest.mark.parametrize("kept", [POINT, LINE, PLANE])
def test_the_widest_joint_has_the_same_bits(kept):
    rng = np.random.default_rng(kept)
    n = 5
    given = (
        rng.normal(size=13 * 4), rng.integers(0, 4, (n, 2)), np.full(n, kept), np.arange(n) % 2 == 0,
        rng.normal(size=(n, 2, 3)), rng.normal(size=(n, 2, 3)), 0.7,
    )  # fmt: skip
    plain, compiled = both(widest, *given)
    assert plain[0] == compiled[0] and plain[0][1] > 0.0


def test_peaks_have_the_same_bits():
    rng = np.random.default_rng(6)
    table, source = rng.normal(size=(5, COLUMNS)), np.array([2, -1, 0, 1])
    plain, compiled = both(note, 0.5, source, rng.normal(size=(3, 12)), 0, 3, 9, table, 1)
    assert same(plain, compiled) and not np.array_equal(plain[1][2], table)


def test_states_that_are_no_numbers_are_no_warnings(recwarn):
    given = np.full(26, np.nan), np.zeros((1, 2), np.int64), np.zeros(1, np.int64), np.ones(1, bool)
    k, gap = _jit.briefly(widest, 1, *given, np.ones((1, 2, 3)), np.ones((1, 2, 3)), 1.0)
    assert k == 0 and gap != gap and not recwarn.list


def test_time_is_limited(monkeypatch):
    monkeypatch.setattr(_jit, "interpreted", lambda kernel: lambda *args: "plain")

    class Compiled:
        def __call__(self, *args):
            return "compiled"

    kernel = Compiled()
    assert _jit.briefly(kernel, 1) == "plain" and _jit.briefly(kernel, _jit.FEW + 1) == "compiled"
    _jit._briefly[kernel] = _jit.BRIEF
    assert _jit.briefly(kernel, 1) == "compiled"
