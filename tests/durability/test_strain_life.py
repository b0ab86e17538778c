"""Strain-life against published numbers and independent root finding."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

import holonom as hn
from holonom import durability as hd

#: of the example in the documentation of the package reliability (docs/Strain-life)
STEEL = hd.StrainLife(E=210000.0, sigma_f=1000.0, epsilon_f=1.1, b=-0.1, c=-0.6, K=1200.0, n=0.2)
#: FKM guideline nonlinear, 2.7.1, with its limit load ratio
FKM = hd.StrainLife(E=206e3, K=1184.0, n=0.187, sigma_f=1000.0, b=-0.1, epsilon_f=1.0, c=-0.6, limit_ratio=3.5)
FKM_LOADS = 1.4 * (250 + 6.6) / 250 * np.array([100, -200, 100, -250, 200, 0, 200, -200.0])


def test_life_of_the_package_reliability():
    """Strain from -0.0029 to 0.0049: 377.9702 at the top of the cyclic curve, 13771.39 cycles with the correction of
    Smith, Watson and Topper."""
    top = STEEL.cyclic_stress(0.0049)
    assert top == pytest.approx(377.9702002307027, rel=1e-10)
    assert STEEL.life(0.0039, 0.0, top) == pytest.approx(13771.39230726717, rel=1e-6)  # that is how far they solve


def test_table_of_the_guideline():
    """Example 2.7.1: points of the path for 359.3 and 176.057 MPa, and table 2.24, the loops of the second pass (its
    numbers as pyLife's tests have them)."""
    assert np.allclose(FKM.notch([3.592, 176.057, 359.3])[0], [3.592, 172.639, 299.78], rtol=1e-3)
    assert np.allclose(FKM.notch([176.057, 359.3])[1], [8.71e-4, 0.0021], rtol=2e-3)
    loops = FKM.path(FKM_LOADS)
    order = np.argsort(loops.strain_amplitude + 1e-6 * loops.first)
    amplitude = 0.5 * (loops.stress_high - loops.stress_low)
    assert np.allclose(amplitude[order], [142.47, 206.7, 206.7, 280.54], rtol=1e-3)
    assert np.allclose(loops.mean_stress[order], [118.87, -49.79, -49.79, -19.2], rtol=1e-3)
    assert np.allclose(loops.strain_amplitude[order], [0.070e-2, 0.109e-2, 0.109e-2, 0.181e-2], atol=1e-5)
    middle = 0.5 * (loops.strain_high + loops.strain_low)
    assert np.allclose(middle[order], [0.082e-2, -0.048e-2, -0.048e-2, -0.029e-2], atol=1e-5)
    assert (loops.count == 1.0).all()
    # first pass, from no load: the loops that close
    loops = FKM.path(FKM_LOADS, "none")
    assert np.allclose(sorted(loops.mean_stress), [-52.21, 118.87], rtol=1e-3)


def test_memory_of_the_guideline():
    """Example 3.2.2: stresses of the second pass through memory 1, 2 and 3."""
    steel = replace(FKM, K=2650.0)
    loops = steel.path(np.array([100, -100, 100, -200, -100, -200, 200, 0, 200, -200.0]))
    middle = sorted(loops.mean_stress)
    assert np.allclose(sorted(0.5 * (loops.stress_high - loops.stress_low))[-1], 199.898022, rtol=1e-6)
    assert any(abs(m - 99.900534) < 1e-3 for m in middle) and any(abs(m + 149.898084) < 1e-3 for m in middle)


def test_half_loops_from_no_load():
    """Once from no load to 600 and back to 200: on the cyclic curve, then twice it (Masing), by root finding."""
    neuber = lambda L: brentq(lambda s: s * STEEL.strain(s) - L * L / STEEL.E, 1e-9, 1e5, xtol=1e-12)
    top, back = neuber(600.0), 2 * neuber(200.0)
    loops = STEEL.path([0.0, 600.0, 200.0], "half")
    assert (loops.count == 0.5).all() and loops.stress_high == pytest.approx([top, top])
    assert loops.stress_low == pytest.approx([0.0, top - back], abs=1e-12)
    assert loops.strain_high == pytest.approx([STEEL.strain(top)] * 2)
    assert loops.strain_low == pytest.approx([0.0, STEEL.strain(top) - 2 * STEEL.strain(back / 2)], abs=1e-12)


@pytest.mark.parametrize("ratio", [np.inf, 2.0])
def test_neuber_by_root_finding(ratio):
    steel = replace(STEEL, limit_ratio=ratio)
    for L in (1.0, 100.0, 400.0, 1500.0, 8000.0):
        right = L * L / steel.E if ratio == np.inf else L * ratio * steel.strain(L / ratio)
        s = brentq(lambda s, right=right: s * steel.strain(s) - right, 1e-9, 1e5, xtol=1e-12, rtol=1e-14)
        assert steel.notch(L)[0] == pytest.approx(s, rel=1e-10) and steel.notch(-L)[0] == -steel.notch(L)[0]
    assert steel.notch(0.0) == (0.0, 0.0)


def test_lives_by_root_finding():
    E, sf, b, ef, c = STEEL.E, STEEL.sigma_f, STEEL.b, STEEL.epsilon_f, STEEL.c
    for ea, m in ((0.02, 50.0), (0.004, 100.0), (0.001, -80.0), (0.0006, 300.0)):
        top = m + STEEL.cyclic_stress(ea)
        left = 1 - m / sf
        for word, f in (
            ("none", lambda x, ea=ea: sf / E * x**b + ef * x**c - ea),
            ("morrow", lambda x, ea=ea, m=m: (sf - m) / E * x**b + ef * x**c - ea),
            (
                "modified_morrow",
                lambda x, ea=ea, m=m, left=left: (sf - m) / E * x**b + ef * left ** (c / b) * x**c - ea,
            ),
            ("swt", lambda x, ea=ea, top=top: sf**2 / E * x ** (2 * b) + sf * ef * x ** (b + c) - top * ea),
        ):
            x = np.exp(brentq(lambda u, f=f: f(np.exp(u)), -5.0, 80.0, xtol=1e-13))
            assert replace(STEEL, correction=word).life(ea, m) == pytest.approx(0.5 * x, rel=1e-9), word
    assert STEEL.life(0.0) == np.inf and STEEL.life(0.001, -2000.0) == np.inf  # closed all the time
    assert replace(STEEL, correction="morrow").life(0.001, 1000.0) == 0.0


def test_cyclic_stress_is_the_inverse():
    s = np.array([-900.0, -1.0, 0.0, 30.0, 500.0, 2000.0])
    assert np.allclose(STEEL.cyclic_stress(STEEL.strain(s)), s, rtol=1e-12)
    steel = hd.StrainLife(E=2e5, sigma_f=900.0, b=-0.09, epsilon_f=0.5, c=-0.6)
    assert steel.n == pytest.approx(0.15) and steel.K == pytest.approx(900 / 0.5**0.15)


@pytest.mark.parametrize("seed", range(4))
def test_loops_are_the_rainflow_cycles(seed):
    x = 200 * np.random.default_rng(seed).normal(size=400)
    loops = STEEL.path(x)
    assert np.allclose(loops.table(), hd.rainflow(x, "repeat").table()) and (loops.count == 1.0).all()
    # every loop is as wide as its swing of load says, wherever it hangs
    s = STEEL.notch(0.5 * loops.range)
    assert np.allclose(loops.stress_high - loops.stress_low, 2 * s[0]) and np.allclose(loops.strain_amplitude, s[1])
    # and hangs within its mother: no stress beyond that of the largest load
    assert loops.stress_high.max() <= STEEL.notch(np.abs(x).max())[0] * (1 + 1e-12)
    # the stable loops do not care where the history begins
    other = STEEL.path(np.roll(x, 100))
    assert np.allclose(sorted(other.mean_stress), sorted(loops.mean_stress))


def test_overload_leaves_a_mean_stress():
    """After a pull beyond yield small cycles about zero load run under compression, which none sees who counts loads
    alone."""
    small = [100.0, -100.0] * 20
    steel = replace(STEEL, correction="morrow")
    x = np.array([1500.0, *small])
    loops = steel.path(x)
    inner = loops.mean_stress[loops.range == 200.0]
    # all of them hang on the branch that comes down from the overload
    top, way = steel.notch(1500.0)[0], 2 * steel.notch(0.5 * 1600.0)[0]
    assert np.allclose(inner, top - way + steel.notch(100.0)[0]) and inner.max() < -100.0
    rest = lambda history: sum(
        d for d, r in zip(steel.damages(steel.path(history)), steel.path(history).range) if r == 200.0
    )
    assert rest(x) < 0.5 * rest(np.array([-1500.0, *small]))


def test_elastic_limit_is_the_stress_life():
    """With next to no plasticity Morrow's strain-life is Basquin's line with Morrow's correction."""
    steel = hd.StrainLife(E=2e5, sigma_f=1000.0, b=-0.1, epsilon_f=1e-9, c=-0.6, K=1e9, n=0.2, correction="morrow")
    x = 100 * np.random.default_rng(1).normal(size=300) + 80
    curve = hd.SNCurve.power(1000.0, -0.1)
    assert hd.damage(x, steel).total == pytest.approx(
        hd.damage(x, curve, mean=hd.morrow(1000.0), residue="repeat").total, rel=1e-6
    )
    swt = replace(steel, correction="swt")
    assert hd.damage(x, swt).total == pytest.approx(
        hd.damage(x, curve, mean=hd.swt(), residue="repeat").total, rel=1e-6
    )


def test_units_do_not_matter():
    x = 300 * np.random.default_rng(1).normal(size=300)
    pascal = replace(STEEL, E=STEEL.E * 1e6, sigma_f=STEEL.sigma_f * 1e6, K=STEEL.K * 1e6)
    assert hd.damage(x, STEEL).total == pytest.approx(hd.damage(1e6 * x, pascal).total, rel=1e-9)
    assert hd.damage(x / 3.0, STEEL, factor=3.0).total == pytest.approx(hd.damage(x, STEEL).total, rel=1e-9)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: replace(STEEL, E=-1.0), "E is -1.0; give a positive"),
        (lambda: replace(STEEL, b=0.1), "b of strain-life is 0.1; give a negative exponent"),
        (lambda: replace(STEEL, c=0.6), "c of strain-life is 0.6"),
        (lambda: replace(STEEL, n=3.0), "n of strain-life is 3.0"),
        (lambda: replace(STEEL, limit_ratio=0.5), "limit_ratio is 0.5"),
        (lambda: replace(STEEL, correction="smt"), "unknown correction 'smt'.*did you mean swt"),
        (lambda: STEEL.life(-0.1), "must not be negative"),
        (lambda: STEEL.path([np.nan, 1.0]), "not finite"),
        (lambda: hd.damage(hd.rainflow([0, 1, 0]), STEEL), "order of the turning points"),
        (lambda: hd.damage([0, 1, 0], STEEL, mean=hd.swt()), "a correction of its own"),
        (lambda: hd.damage([9e4, 8e4, 9e4], replace(STEEL, correction="morrow", K=1e5)), "reaches sf'"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(hn.ModelError, match=words):
        call()


def test_ties():
    """Few whole numbers, so that ranges are equal and plateaus long: all rules find the same cycles, and the material
    the same loops."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        x = 100.0 * (rng.integers(0, rng.integers(2, 8), size=rng.integers(2, 40)) - 3)
        for residue in ("half", "repeat"):
            a, b = (hd.rainflow(x, residue, method=m).table() for m in ("three_point", "four_point"))
            assert np.array_equal(a, b), seed
        if np.ptp(x):
            loops = STEEL.path(x)
            assert np.array_equal(loops.table(), a) and (loops.count == 1.0).all(), seed
            once = STEEL.path(x, "half")
            assert 2 * once.total == len(hd.turning_points(x)[0]) - 1
