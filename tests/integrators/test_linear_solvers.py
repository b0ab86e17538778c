"""The two linear solvers: pivots that are held and refuse dependent equations, and pivots by threshold, which cope."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import holonom as hn
from holonom.formats import parse_adm, write_adm
from holonom.linalg.lu import PIVOT_SHARE, DecayedPivot, FrozenLU


def pattern(A):
    A = sp.csc_matrix(A)
    A.sort_indices()
    return FrozenLU(A.shape[0], A.indptr, A.indices), A


def turned(t):
    """A regular matrix whose diagonal vanishes at t = 0: pivots chosen at t = 1 are worth nothing there."""
    return np.array([[t, 1.0, 0.5], [1.0, t, 0.25], [0.5, 0.25, 2.0]])


@pytest.mark.parametrize("policy", ["auto", "threshold"])
def test_pivots_that_vanish_are_chosen_anew(policy):
    lu, A = pattern(turned(9.0))
    lu.set_policy(policy)
    lu.factor(A.data)
    b = np.array([1.0, -2.0, 3.0])
    for t in (1e-3, 0.0, 5.0, -1e-14):
        data = turned(t).T.ravel()  # column by column, with its zeros
        lu.factor(data)
        np.testing.assert_allclose(lu.solve(b, data), np.linalg.solve(turned(t), b), rtol=1e-12)


def test_held_pivots_are_refused_where_they_have_decayed():
    lu, A = pattern(turned(9.0))
    lu.set_policy("fixed")
    lu.factor(A.data)
    order = lu.arrays.pr.copy(), lu.arrays.pc.copy()
    near = turned(0.5).T.ravel()
    lu.factor(near)  # worse, and good enough
    b = np.array([1.0, -2.0, 3.0])
    np.testing.assert_allclose(lu.solve(b, near), np.linalg.solve(turned(0.5), b), rtol=1e-12)
    assert (lu.arrays.pr == order[0]).all() and (lu.arrays.pc == order[1]).all() and lu.repivots == 0
    with pytest.raises(DecayedPivot):
        lu.factor(turned(0.0).T.ravel())


def test_threshold_bounds_the_growth():
    """Every pivot is at least `PIVOT_SHARE` of the largest entry below it; those held are a millionth of it."""
    lu, A = pattern(turned(9.0))
    held, _ = pattern(turned(9.0))
    lu.set_policy("threshold")
    held.set_policy("fixed")
    small = turned(1e-6).T.ravel()
    for one in (lu, held):
        one.factor(A.data)
    assert lu.factor(small).worst >= PIVOT_SHARE and held.factor(small).worst < 1e-5


def four_bar():
    """A leaning parallel crank mechanism: in space 3 of the 20 equations of its four revolutes depend on the others."""
    m = hn.Model("four bar")
    m.gravity = (0, -9.81, 0)
    corners = [(0, 0, 0), (0.6, 0.8, 0), (2.6, 0.8, 0), (2, 0, 0)]
    names = ("crank", "coupler", "rocker")
    bars = [
        m.part(n, 1.0, (0.1, 0.1, 0.1), tuple(0.5 * (np.array(corners[k]) + corners[k + 1])))
        for k, n in enumerate(names)
    ]
    chain = [m.ground, *bars, m.ground]
    for k in range(4):
        m.revolute(chain[k + 1], chain[k], f"pin {k}", at=corners[k], axis=(0, 0, 1))
    return m


def test_dependent_equations_are_refused_by_the_one_and_left_out_by_the_other():
    """The run that leaves them out keeps the energy of the mechanism, in closed form of the crank's angle and speed."""
    with pytest.raises(hn.ModelError, match=r"pin .*depends on others, and so do 2 more.*linear_solver = threshold"):
        hn.simulate(four_bar(), 0.2, 4, integrator="GSTIFF", linear_solver="fixed")
    run = hn.simulate(
        four_bar(), 0.2, 20, integrator="GSTIFF", linear_solver="threshold", error=1e-7, formulation="SI2"
    )
    crank = run.part("crank")
    # crank and rocker turn about their pins (I = 0.1 + 1/4), the coupler does not turn: I w^2 + m v^2 / 2 + weights
    angle = np.arctan2(crank.position.values[:, 0], crank.position.values[:, 1])
    spin = crank.angular_velocity.values[:, 2]
    energy = 0.5 * (2 * 0.35 + 1.0) * spin**2 + (2 * 0.5 + 1.0) * 9.81 * np.cos(angle)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-5)
    assert abs(spin[-1]) > 0.5


def pendulum():
    m = hn.Model("pendulum")
    m.gravity = (0, -9.81, 0)
    rod = m.part("rod", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0))
    m.revolute(rod, m.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    return m


def test_both_give_the_same_motion_and_the_statement_of_a_dataset_chooses():
    options = {"integrator": "GSTIFF", "error": 1e-6}
    one, other = (hn.simulate(pendulum(), 0.5, 10, linear_solver=s, **options) for s in ("CALAHAN", "harwell"))
    np.testing.assert_allclose(one.part("rod").position.values, other.part("rod").position.values, rtol=0, atol=1e-9)
    model = parse_adm(write_adm(four_bar()).replace("END\n", "LSOLVER/CALAHAN\nEND\n"), "t.adm")
    with pytest.raises(hn.ModelError, match="LSOLVER/CALAHAN"):
        hn.simulate(model, 0.1, 1, integrator="GSTIFF")
    hn.simulate(model, 0.1, 1, integrator="GSTIFF", linear_solver="auto")
    with pytest.raises(hn.ModelError, match="LINEAR_SOLVER = fastest is not one of auto, fixed, threshold"):
        hn.simulate(pendulum(), 0.1, 1, integrator="GSTIFF", linear_solver="fastest")
