"""Orders of the methods with a history: those of Adams' INTEGRATOR statement are reached, KMAX is kept, ABAM is exact
to its order."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.formats.adams import parse_adm
from holonom.integrators.abam import moulton


def pendulum():
    m = hn.Model("pendulum", units="SI")
    m.gravity = (0.0, 0.0, -9.81)
    b = m.part("bob", 1.0, (0.01, 0.01, 0.01), (1.0, 0, 0))
    m.revolute(b, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    return m


#: the highest order of each (Adams Solver manual, INTEGRATOR statement, KMAX)
HIGHEST = {"GSTIFF": 6, "WSTIFF": 6, "DSTIFF": 6, "CONSTANT_BDF": 6, "ABAM": 12}


@pytest.mark.parametrize(
    ("integrator", "kmax"),
    [(n, k) for n in ("GSTIFF", "WSTIFF", "DSTIFF", "CONSTANT_BDF") for k in (1, 3, 6)] + [("ABAM", 3), ("ABAM", 12)],
)
def test_kmax_is_reached_and_kept(integrator, kmax):
    fixed = {"hinit": 2e-3} if integrator == "CONSTANT_BDF" else {}
    error = 1e-11 if integrator == "ABAM" else 1e-3 if kmax == 1 else 1e-8
    run = hn.simulate(pendulum(), end=0.6, steps=6, integrator=integrator, kmax=kmax, error=error, **fixed)
    assert run.history["order"].max() == kmax
    assert not any("KMAX" in text for text in run.info["messages"])


@pytest.mark.parametrize(("integrator", "highest"), HIGHEST.items())
def test_more_than_the_highest_is_told(integrator, highest):
    if highest < 12:
        run = hn.simulate(pendulum(), end=0.01, steps=1, integrator=integrator, kmax=highest + 1, hinit=1e-4)
        assert f"KMAX = {highest + 1}: the highest order of {integrator} is {highest}" in run.info["messages"]
    else:
        with pytest.raises(hn.ModelError, match="KMAX = 13"):
            hn.simulate(pendulum(), end=0.01, steps=1, integrator=integrator, kmax=13)


def test_the_dataset_says_kmax():
    text = hn.write_adams(pendulum()).replace("END\n", "INTEGRATOR/DSTIFF, KMAX=6, ERROR=1E-8\nEND\n")
    model = parse_adm(text, "p.adm")
    assert model.integrator.kmax == 6
    run = hn.simulate(model, end=0.6, steps=6)
    assert run.history["order"].max() == 6


@pytest.mark.parametrize("order", [1, 2, 5, 8, 11, 12])
def test_abam_is_exact_for_rates_of_its_degree(order):
    """v' = t^n at a fixed step: increments of v are exact for n up to KMAX, and for the next degree off by gamma*
    h^(n+1) n! (Adams, Moulton)."""
    h = 0.1
    for degree in (order, order + 1):
        m = hn.Model("power", units="SI")
        b = m.part("b", 1.0, (1, 1, 1), (0, 0, 0))
        m.translational(b, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
        m.vforce(m.find("PART", "b").cm, m.ground, f"TIME**{degree}")
        run = hn.simulate(m, end=3.0, steps=30, integrator="ABAM", step=h, kmax=order)
        t = np.arange(31) * h
        v = run.part("b").velocity.values[:, 0]
        late = slice(order + 2, None)  # the start is by another method
        exact = np.diff(t ** (degree + 1) / (degree + 1))[late]
        off = np.diff(v)[late] - exact
        constant = moulton(order + 1)[order + 1] * h ** (degree + 1) * math.factorial(degree)
        if degree == order:
            assert np.abs(off).max() < 1e-13 * v.max()
        else:
            assert np.abs(off) == pytest.approx(constant, rel=1e-3, abs=1e-14 * v.max())
            assert constant > 10 * 1e-14 * v.max()
