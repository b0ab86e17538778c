"""Transposed derivatives of the rows of points on curves and of curves on curves, against differences of the rates."""

import numpy as np
import pytest
from test_pull_flexible import check

from _element_cases import ROWS, machine
from holonom.elements.bodies import layout
from holonom.integrators.adjoint_linear import LinearAdjoint, transposed
from holonom.system.build import System


@pytest.fixture(scope="module", params=["PTCV", "CVCV"])
def point(request):
    """As in `test_pull_flexible`: a random state near the design, whose constraints need not be satisfied; a bushing
    makes forces for the constraints to bear."""

    def build(m, a, b):
        ROWS[request.param](m, a, b)
        m.bushing("ma", "mg", (10, 20, 30), (3, 4, 5), (1, 2, 3), (0.1, 0.2, 0.3))

    system = System(machine(build))
    rng = np.random.default_rng(5)
    y = system.y0 + 0.02 * rng.normal(size=len(system.y0))
    for b in range(system.nb):
        layout.body(y, b)[7:] = rng.normal(size=6)
    layout.ground(y, system.nb)[:] = layout.ground(system.y0, system.nb)
    adjoint = LinearAdjoint(system, [np.zeros(t.shape, np.uint8) for t in system.S.pairs.t], ())
    kb = rng.normal(size=len(y))
    layout.ground(kb, system.nb)[:] = 0.0
    yb = np.zeros_like(y)
    transposed(adjoint.handle, 0.3, y, kb, np.zeros(0), yb, 0)
    assert np.abs(system.W.lam).min() > 0.01  # the rows bear forces
    return system, adjoint, y, kb, yb


def test_by_states(point):
    system, _, y, _, yb = point
    v = np.random.default_rng(1).normal(size=len(y))
    layout.ground(v, system.nb)[:] = 0.0
    check(point, lambda h: y + h * v, float(yb @ v), float(np.abs(yb) @ np.abs(v)))


def test_by_places_and_directions_of_markers(point):
    system, adjoint, y, *_ = point
    fr, P = system.S.fr, adjoint.P
    rng = np.random.default_rng(2)
    way, turn = rng.normal(size=(2, *fr.sb.shape))
    kept = fr.sb.copy(), fr.Ab.copy()

    def change(h):
        fr.sb[:] = kept[0] + h * way
        for f, t in enumerate(turn):
            x = h * np.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0]])
            a = np.linalg.norm(h * t) or 1.0
            R = np.eye(3) + np.sin(a) / a * x + (1 - np.cos(a)) / a**2 * x @ x
            fr.Ab[f] = (R @ kept[1][f].reshape(3, 3)).ravel()
        return y

    ours = float((P.out.place * way).sum() + (P.out.turn * turn).sum())
    check(point, change, ours, float(np.abs(P.out.place * way).sum() + np.abs(P.out.turn * turn).sum()))
