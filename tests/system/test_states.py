"""Variables, differential equations and control blocks against closed forms and scipy.signal."""

import numpy as np
import pytest
from scipy import signal
from scipy.optimize import brentq

from holonom import Model, ModelError, simulate

T = 2.0


def machine():
    m = Model("states")
    m.part("b", 1.0, (0.1, 0.1, 0.1), velocity=(1.0, 0, 0))
    return m


def run_of(m):
    return simulate(m, end=T, steps=50, integrator="DOP853", error=1e-9)


def test_implicit_variables():
    """VARIABLEs in a circle: a = cos(b)/2 + t/10, b = a."""
    m = machine()
    a = m.variable("0", name="a")
    b = m.variable(f"VARVAL({a.id})", name="b")
    a.function = f"0.5*COS(VARVAL({b.id})) + 0.1*TIME"
    m.diff(f"VARVAL({a.id})", name="d")
    run = run_of(m)
    exact = [brentq(lambda x, t=t: x - 0.5 * np.cos(x) - 0.1 * t, -5, 5) for t in np.asarray(run.time)]
    np.testing.assert_allclose(np.asarray(run.variable("a")), exact, rtol=1e-10)
    np.testing.assert_allclose(np.asarray(run.variable("b")), exact, rtol=1e-10)


def test_explicit_and_implicit_diff():
    """y' = -2 y + sin t both ways; DIF1 reads the rate."""
    m = machine()
    d = m.diff("0", ic=1.0)
    d.function = f"-2*DIF({d.id}) + SIN(TIME)"
    e = m.diff("0", ic=(1.0, -2.0), implicit=True)
    e.function = f"DIF1({e.id}) + 2*DIF({e.id}) - SIN(TIME)"
    for k, text in enumerate((f"DIF({d.id})", f"DIF({e.id})", f"DIF1({d.id})", f"DIF1({e.id})")):
        m.variable(text, name=f"v{k}")
    run = run_of(m)
    t = np.asarray(run.time)
    y = 1.2 * np.exp(-2 * t) + 0.4 * np.sin(t) - 0.2 * np.cos(t)
    for k in (0, 1):
        np.testing.assert_allclose(np.asarray(run.variable(f"v{k}")), y, atol=1e-7)
        np.testing.assert_allclose(np.asarray(run.variable(f"v{k + 2}")), -2 * y + np.sin(t), atol=1e-7)


NUM, DEN = (2.0, 0.5, 0.3), (4.0, 1.2, 1.0)  # ascending powers
A = np.array([[0.0, 1.0], [-4.0, -1.2]])


@pytest.mark.parametrize("block", ["LSE", "TFSISO", "GSE"])
def test_blocks(block):
    """Step response of y/u = (0.3 s^2 + 0.5 s + 2)/(s^2 + 1.2 s + 4)."""
    m = machine()
    u = m.variable("1", name="u")
    U, X, Y = m.array("U", variables=[u]), m.array("X", size=2), m.array("Y", size=1)
    C = np.array([[NUM[0] - NUM[2] * DEN[0], NUM[1] - NUM[2] * DEN[1]]])
    if block == "TFSISO":
        m.transfer_function(X, U, Y, m.array("IC", numbers=NUM), m.array("IC", numbers=DEN))
    elif block == "LSE":
        m.linear_state_equations(X, m.matrix(A), U, m.matrix([[0], [1]]), Y, m.matrix(C), m.matrix([[NUM[2]]]))
    else:

        def routine(call):
            x = np.array([call.measure("ARYVAL", X.id, k) for k in (1, 2)])
            w = call.measure("ARYVAL", U.id, 1)
            xd = A @ x + [0.0, w]
            return [*xd, float(C[0] @ x + NUM[2] * w)]

        m.state_equations(routine, ns=2, no=1, x=X, u=U, y=Y)
    m.variable(f"ARYVAL({Y.id},1)", name="y")
    run = run_of(m)
    _, y = signal.step((NUM[::-1], DEN[::-1]), T=np.asarray(run.time))
    np.testing.assert_allclose(np.asarray(run.variable("y")), y, atol=1e-6)


def test_implicit_diff_without_its_own_rate_is_an_algebraic_equation():
    """0 = y1 - y2 with y1' = -2 y1: y2 follows y1 and its rate is that of y1."""
    m = Model()
    m.part("idle", 1.0, (1, 1, 1))
    m.diff("-2*DIF(1)", ic=1.0)
    m.diff("DIF(1)-DIF(2)", ic=1.0, implicit=True)
    m.request("R", functions=["DIF(2)", "DIF1(2)"])
    run = simulate(m, end=1.0, steps=4, kind="dynamics", error=1e-10)
    values = run.data.request_values[:, 0, 1:3]
    np.testing.assert_allclose(values[:, 0], np.exp(-2 * run.time), atol=1e-9)
    np.testing.assert_allclose(values[:, 1], -2 * np.exp(-2 * run.time), atol=1e-9)


def test_implicit_diff_that_measures_and_lacks_its_rate_is_refused():
    m = Model()
    p = m.part("idle", 1.0, (1, 1, 1))
    m.diff(f"DIF(1)-DX({p.cm})", implicit=True)
    with pytest.raises(ModelError, match="DIFF/1.*algebraic equation"):
        simulate(m, end=0.1, steps=1)
