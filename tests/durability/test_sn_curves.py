"""Mean stresses and S-N curves against formulas, standards and published examples."""

import numpy as np
import pytest
from scipy.stats import linregress

import holonom as hn
from holonom import durability as hd


# ---- mean stresses ---------------------------------------------------------------------------------------------------
def test_formulas():
    a, m = np.array([100.0, 150.0, 40.0]), np.array([50.0, 200.0, 10.0])
    for ours, formula in (
        (hd.goodman(600), a / (1 - m / 600)),
        (hd.soderberg(400), a / (1 - m / 400)),
        (hd.morrow(900), a / (1 - m / 900)),
        (hd.gerber(600), a / (1 - (m / 600) ** 2)),
        (hd.swt(), np.sqrt((a + m) * a)),
        (hd.walker(0.65), (a + m) ** 0.35 * a**0.65),
    ):
        assert np.allclose(ours.equivalent(a, m), formula, rtol=1e-14)
    assert np.allclose(hd.walker(0.5).equivalent(a, m), hd.swt().equivalent(a, m), rtol=1e-14)
    assert np.allclose(hd.walker(1.0).equivalent(a, m), a)


def test_fkm_in_pieces():
    """Points of one damage in a Haigh diagram with M = 0.5, worked by hand in the tests of pyLife
    (`test_meanstress.py`)."""
    m = np.array([-4, -2, -1, 0, 0.4, 2 / 3, 7 / 6])
    a = np.array([2, 2, 1.5, 1, 0.8, 2 / 3, 7 / 12])
    assert np.allclose(hd.fkm(0.5).equivalent(a, m), 1.0)
    # beyond R = 1/2 the mean no longer matters: (1 + M/3) / (1 + M)^2 of the amplitude at R = -1
    assert np.allclose(hd.fkm(0.5).equivalent([14 / 27, 14 / 27], [14 / 9, 4.0]), 1.0)
    for ratio, wanted in ((-1.0, 2.0), (0.0, 4 / 3), (-1 / 3, 8 / 5), (1 / 3, 14 / 12)):
        assert hd.fkm(0.5).equivalent(2.0, 0.0, ratio) == pytest.approx(wanted)


def test_compression():
    for rule in (hd.goodman(600), hd.gerber(600), hd.soderberg(400)):
        assert rule.equivalent(100.0, -300.0) == 100.0
    assert hd.goodman(600, compression=True).equivalent(100.0, -300.0) == pytest.approx(100 / 1.5)
    assert hd.morrow(600).equivalent(100.0, -300.0) == pytest.approx(100 / 1.5)
    assert hd.swt().equivalent(100.0, -100.0) == 0.0 and hd.swt().equivalent(100.0, -150.0) == 0.0


@pytest.mark.parametrize(
    "rule",
    [hd.goodman(700), hd.gerber(700), hd.morrow(700), hd.swt(), hd.walker(0.7), hd.fkm(0.4)],
    ids=lambda r: r.name,
)
def test_there_and_back_to_a_stress_ratio(rule):
    """An amplitude at R is what it is at R: by way of zero mean it returns."""
    for ratio in (-3.0, -1.0, -0.3, 0.0, 0.1, 0.5, 0.7):
        a = 60.0
        assert rule.equivalent(a, a * (1 + ratio) / (1 - ratio), ratio) == pytest.approx(a, rel=1e-12)


def test_a_curve_at_another_stress_ratio():
    """Of tests at R = 0.1 cycles at R = 0.1 have the life of the curve, whatever the correction."""
    curve = hd.SNCurve.basquin(120.0, 1e6, 6.0, ratio=0.1)
    top = 2 * 150.0 / 0.9
    x = np.array([0.1 * top, top] * 2)
    for rule in (hd.goodman(900), hd.swt(), hd.fkm(0.3)):
        assert hd.damage(x, curve, mean=rule, residue="repeat").total == pytest.approx(2 / curve.life(150.0), rel=1e-12)


def test_mean_that_reaches_the_strength():
    with pytest.raises(
        hn.ModelError, match=r"goodman: the mean stress 650 reaches the ultimate strength 600; there is no life left"
    ):
        hd.goodman(600).equivalent(10.0, 650.0)
    with pytest.raises(hn.ModelError, match="gerber: the mean stress 600 reaches"):
        hd.damage([500.0, 700.0, 500.0], hd.SNCurve.basquin(100, 1e6, 5), mean=hd.gerber(600))
    assert hd.goodman(600).equivalent(0.0, 650.0) == 0.0  # nothing swings


# ---- curves ----------------------------------------------------------------------------------------------------------
def test_basquin_and_what_holds_below():
    for below, slope in (("haibach", 9.0), ("elementary", 5.0), ("original", np.inf), (22.0, 22.0)):
        c = hd.SNCurve.basquin(100.0, 2e6, 5.0, below=below)
        assert c.life(100.0) == pytest.approx(2e6) and c.life(200.0) == pytest.approx(2e6 / 32)
        assert c.life(50.0) == (np.inf if slope == np.inf else pytest.approx(2e6 * 2**slope))
        assert c.strength(2e6 / 32) == pytest.approx(200.0)
        assert c.life(0.0) == np.inf
    c = hd.SNCurve.basquin(100.0, 2e6, 5.0, kind="range")
    assert c.life(200.0) == pytest.approx(2e6 / 32)
    assert hd.damage([0.0, 200.0, 0.0], c).total == pytest.approx(32 / 2e6)
    assert hd.SNCurve.power(1000.0, -0.1).life(1000.0 * (2 * 5e4) ** -0.1) == pytest.approx(5e4)


def test_shigley_example():
    """Shigley's Mechanical Engineering Design, example 6-2 (AISI 1050, Sut = 90 kpsi, f = 0.86, Se = 45 kpsi): 64.6
    kpsi at 1e4, 77.5e3 cycles at 55."""
    c = hd.SNCurve.through([0.86 * 90.0, 45.0], [1e3, 1e6], below="original")
    assert c.strength(1e4) == pytest.approx(64.6, abs=0.05)
    assert c.life(55.0) == pytest.approx(77.5e3, rel=2e-2)  # printed with a rounded exponent
    assert c.life(44.9) == np.inf
    assert np.allclose(hd.SNCurve.through([0.86 * 90.0, 45.0], [1e3, 1e6]).slopes[2], 2 * c.slopes[1] - 1)


def test_miner_of_the_package_reliability():
    """Modarres et al., Probabilistic Physics of Failure (2017), as in the documentation of the package: 7400.37951 load
    cycles."""
    c = hd.SNCurve.through([4.0, 2.0, 1.0], [1000.0, 6500.0, 50000.0])
    blocks = [(hd.rainflow([-s, s], "repeat"), minutes / 60) for s, minutes in ((1.0, 40), (2.0, 15), (4.0, 5))]
    d = hd.damage(hd.combine(blocks), c)
    assert d.life == pytest.approx(7400.37951, rel=1e-8)
    assert np.allclose(d.each / d.total, [0.0986717, 0.28463, 0.6166983], atol=1e-6)


def test_eurocode():
    """EN 1993-1-9: 0.737 and 0.549 of the category at the constant amplitude limit and the cut-off, 0.457 in shear."""
    c = hd.eurocode3(80)
    assert (
        c.life(80.0) == pytest.approx(2e6)
        and c.stress[0] == pytest.approx(0.737 * 80, rel=1e-3)
        and c.stress[1] == pytest.approx(0.549 * c.stress[0], rel=1e-3)
    )
    assert np.allclose(c.slopes, [3, 5, np.inf]) and c.life(0.99 * c.stress[1]) == np.inf
    s = hd.eurocode3(100, shear=True)
    assert (
        s.life(100.0) == pytest.approx(2e6) and s.stress[0] == pytest.approx(45.7, abs=0.05) and s.life(45.0) == np.inf
    )
    assert hd.eurocode3(80, units=hn.Units.named("SI")).life(80e6) == pytest.approx(2e6)
    assert hd.eurocode3(80, units=hn.Model(units="mm").units).life(80.0) == pytest.approx(2e6)


def test_iiw():
    c = hd.iiw(90)
    assert c.life(90.0) == pytest.approx(2e6) and np.allclose(c.slopes, [3, 5]) and c.cycles[0] == 1e7
    assert hd.iiw(90, constant=True).slopes[1] == 22
    s = hd.iiw(100, shear=True)
    assert s.life(100.0) == pytest.approx(2e6) and np.allclose(s.slopes, [5, 9]) and s.cycles[0] == 1e8


def test_scatter_and_factors():
    c = hd.SNCurve.basquin(100.0, 1e6, 5.0, scatter=0.2)
    assert c.at_probability(0.1).life(150.0) / c.life(150.0) == pytest.approx(10 ** (-1.2815515655446004 * 0.2))
    assert c.at_probability(0.1).at_probability(0.5).cycles[0] == pytest.approx(1e6)
    assert c.scaled(0.8).strength(1e6) == pytest.approx(80.0)


def test_fit_finds_the_line():
    rng = np.random.default_rng(2)
    S = np.repeat([300.0, 250.0, 200.0, 150.0], 60)
    N = 1e6 * (S / 120.0) ** -5.5 * 10 ** (0.15 * rng.normal(size=len(S)))
    c = hd.SNCurve.fit(S, N)
    assert (
        c.first == pytest.approx(5.5, abs=0.25)
        and c.stress[0] == pytest.approx(120, rel=0.03)
        and c.scatter == pytest.approx(0.15, abs=0.02)
    )


def test_fit_is_that_of_scipy():
    """Slope, height and scatter of log N over log S by `scipy.stats.linregress`, at any number of cycles; tests without
    scatter lie on the curve."""
    rng = np.random.default_rng(3)
    S = np.array([300.0, 280.0, 250.0, 220.0, 200.0, 170.0])
    N = 4e5 * (S / 200.0) ** -6.0 * 10 ** (0.2 * rng.normal(size=len(S)))
    c, line = hd.SNCurve.fit(S, N), linregress(np.log10(S), np.log10(N))
    assert c.first == pytest.approx(-line.slope, rel=1e-10)
    lives = 10 ** (line.intercept + line.slope * np.log10([310.0, 240.0, 180.0]))
    assert c.life(np.array([310.0, 240.0, 180.0])) == pytest.approx(lives, rel=1e-9)
    rest = np.log10(N) - line.intercept - line.slope * np.log10(S)
    assert c.scatter == pytest.approx(np.sqrt(rest @ rest / 4), rel=1e-10)
    exact = hd.SNCurve.fit(S, 4e5 * (S / 200.0) ** -6.0)
    assert exact.cycles[0] == 1e6 and exact.life(200.0) == pytest.approx(4e5, rel=1e-10)


def test_probability_of_failure_of_the_codes():
    """EN 1993-1-9, 1.2.2: 95 % survive; IIW recommendations (2016), 3.2: 97.7 % survive."""
    assert hd.eurocode3(80).probability == hd.eurocode3(100, shear=True).probability == 0.05
    assert hd.iiw(90).probability == hd.iiw(100, shear=True).probability == 0.023


def test_damage_adds_up():
    rng = np.random.default_rng(5)
    x, c = 100 * rng.normal(size=500), hd.eurocode3(90)
    d = hd.damage(x, c)
    assert (
        float(d) == pytest.approx(sum(n / N for n, N in zip(d.cycles.count, c.life(d.cycles.range))))
        and d.life == 1 / d.total
    )
    assert hd.damage(x, hd.SNCurve.basquin(1, 1, 3, below="elementary"), factor=2.0).total == pytest.approx(
        8 * hd.pseudo_damage(x, 3)
    )
    assert hd.damage(hd.rainflow(x), c).total == d.total
    assert hd.relative_damage({"a": x, "b": 2 * x}, "a", 5) == {"a": 1.0, "b": pytest.approx(32.0)}
    assert hd.damage([1.0, 1.0], c).life == np.inf


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: hd.goodman(-600), "ultimate is -600; give a positive"),
        (lambda: hd.soderberg(0), "yield_strength is 0"),
        (lambda: hd.morrow(np.nan), "fracture is nan"),
        (lambda: hd.walker(1.5), "exponent of Walker's rule is 1.5"),
        (lambda: hd.fkm(-0.1), "sensitivity is -0.1"),
        (lambda: hd.swt().equivalent(-1.0, 0.0), "not negative"),
        (lambda: hd.swt().equivalent(1.0, 0.0, 1.0), "give a number below 1"),
        (lambda: hd.SNCurve.basquin(-100, 1e6, 5), "stress is -100"),
        (lambda: hd.SNCurve.basquin(100, 1e6, -5), "slope is -5; give a positive"),
        (
            lambda: hd.SNCurve.basquin(100, 1e6, 5, below="haibach2"),
            "unknown rule below the knee 'haibach2'.*did you mean haibach",
        ),
        (lambda: hd.SNCurve.through([100, 200], [1e3, 1e6]), "must fall: from 100 at 1000 cycles it rises to 200"),
        (lambda: hd.SNCurve.through([200, 100], [1e6, 1e3]), "must fall"),
        (lambda: hd.SNCurve.through([200, 200, 100], [1e3, 1e4, 1e6]), "must fall"),
        (lambda: hd.SNCurve.through([200], [1e3]), "give two at least"),
        (lambda: hd.SNCurve.through([200, 100, 50], [1e3, 1e6]), "3 stresses"),
        (lambda: hd.SNCurve.basquin(100, 1e6, 5, kind="rang"), "did you mean range"),
        (lambda: hd.SNCurve.power(100, 0.1), "give a negative number"),
        (lambda: hd.SNCurve.basquin(100, 1e6, 5).at_probability(0.1), "no scatter"),
        (lambda: hd.SNCurve.fit([1, 2, 3], [1, 2, 3]), "live longer at higher stress"),
        (lambda: hd.eurocode3(81), "no class 81; the nearest is 80"),
        (lambda: hd.iiw("90"), "no class '90'"),
        (lambda: hd.eurocode3(80, units="mm"), "give those of a model"),
        (lambda: hd.eurocode3(90, shear=True), "no class 90"),
        (lambda: hd.damage([0, 1, 0], hd.eurocode3(80), mean=hd.goodman(500)), "represents every mean stress"),
        (lambda: hd.damage([0, 1, 0], hd.SNCurve.basquin(1, 1, 3), mean="goodman"), "give a correction such as"),
        (lambda: hd.damage([0, 1, 0], 5.0), "give an SNCurve or a StrainLife"),
        (lambda: hd.damage([0, 1, 0], hd.eurocode3(80), factor=np.nan), "factor is nan"),
        (lambda: hd.damage(hd.rainflow([0, 1, 0]), hd.eurocode3(80), hysteresis=1.0), "have been counted"),
        (lambda: hd.relative_damage({"a": [0, 1], "b": [1, 1]}, "b"), "does no damage"),
        (lambda: hd.relative_damage({"smooth": [0, 1]}, "smoth"), "did you mean smooth"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(hn.ModelError, match=words):
        call()


def test_curves_of_shear_say_so():
    assert hd.iiw(80, shear=True).name.endswith(", shear") and "shear" not in hd.iiw(80).name
