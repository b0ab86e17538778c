"""Every function: value against the manual's definition, gradient and jet against Taylor's theorem."""

import math

import numpy as np
import pytest
from _expression_machine import NAMES, Machine
from numpy.polynomial import chebyshev, polynomial

from holonom.expressions import FUNCTIONS, evaluate, hessian, value, values

# text, and points (TIME, X, Y) away from kinks
T, X, Y = 0.37, 0.62, 1.41
POINTS = [(T, X, Y), (1.21, 0.83, 2.3), (0.15, 0.29, 0.4)]
SMOOTH = [
    "x + y*time - x/y + 3",
    "-x*(time - y)",
    "x**2 + x**3 - y**-2 + x**8 + time**1 + y**0",
    "x**2.5 + y**x + 2**time",
    "(x - 2)**2 + (x - 2)**3",
    "ABS(x) + ABS(-y*time)",
    "ACOS(x) + ASIN(x) + ATAN(y)",
    "ATAN2(x, y) + ATAN2(-y, time) + ATAN2(-x, -y)",
    "SIN(x*y) + COS(x - time) + TAN(x)",
    "SINH(x) + COSH(y) + TANH(x*y)",
    "EXP(x*time) + LOG(x) + LOG10(y)",
    "SQRT(x + y)",
    "DIM(x, -y) + DIM(x, y + 9)",
    "MAX(x, 10*y, time) + MIN(x, 10*y, time + 8)",
    "MOD(7*x, 3.1) + MOD(-7*x, y + 0.7)",
    "SIGN(x, -y) + SIGN(x*time, y)",
    "AINT(7*x + 0.1)*x + INT(-7*x)*y + ANINT(7*x)*time + NINT(-9*y)*x",
    "STEP(x, 0.1, -1, 0.9, 2) + STEP(x, y - 2, time, y + 2, x)",
    "STEP5(x, 0.1, -1, 0.9, 2)*time + STEP5(x, 5, 1, 6, 2) + STEP5(x, -6, 1, -5, 2)",
    "HAVSIN(x, 0.1, -1, 0.9, 2)*y",
    "IMPACT(x, y, 1, 100, 2.2, 3, 0.5) + IMPACT(x, -y, 1, 100, 1.5, 3, 0.1) + IMPACT(x, y, 0, 1E8, 2.2, 10, 0.1)",
    "BISTOP(x, y, 1, 2, 100, 2.2, 1, 0.9) + BISTOP(x, -y, -1, 0.1, 100, 2.2, 3, 0.9) + BISTOP(x, y, -1, 1, 1, 2, 3, 4)",
    "POLY(x, 0.3, 1, -2, 3, 0.5, y)",
    "POLY(x, time, 4)",
    "CHEBY(x, 0.1, 1, -2, 3, 0.5, y)",
    "CHEBY(x, 0.1, 1, -2)",
    "FORSIN(x, 0.2, 3, 1, 0.5, y, 0.3)",
    "FORCOS(x, 0.2, 30D, 1, 0.5, y, 0.3)",
    "SHF(time, 25D, PI, 360D, x, 10)",
    "SWEEP(time, x, 0, 2, 5, 6, 0.01) + SWEEP(x, y, 0.1, 2, 0.2, 6, 2)",
    "SWEEP(x, y, -9, 1, -8, 3, 2)",
    "IF(x - 0.5: y**2, 3, SIN(y)) + IF(time: 1, 2, x*y)*x",
    "DX(tip, base)*x + DX(TIP, BASE)**2 + RTOD*time*DTOR",
]


def padded(point):
    return np.array([*point, 0.7])


@pytest.mark.parametrize("text", SMOOTH)
@pytest.mark.parametrize("point", POINTS)
def test_value_is_the_manual_definition(text, point):
    machine = Machine(text)
    x = padded(point)
    expected = evaluate(machine.node, dict(zip(NAMES, x)))
    assert machine(*x) == pytest.approx(expected, rel=1e-13, abs=1e-13)
    assert machine.gradient(*x)[0] == machine(*x) == machine.jet(x, x, x)[0]


def check_rate(errors, rate, scale):
    """Each error is 10**-rate of the one before, until rounding takes over."""
    for a, b in zip(errors, errors[1:]):
        assert b <= max(3.0 * a * 10.0**-rate, 2e-13 * scale), errors


@pytest.mark.parametrize("text", SMOOTH)
@pytest.mark.parametrize("point", POINTS)
def test_taylor(text, point):
    machine = Machine(text)
    x = padded(point)
    f, slopes = machine.gradient(*x)
    direction = np.array([0.3, -0.5, 0.4, 0.6])
    acceleration = np.array([0.2, 0.7, -0.3, 0.1])
    h = 3e-3 * 10.0 ** -np.arange(3.0)
    scale = max(1.0, abs(f), np.abs(slopes).max())
    check_rate([abs(machine(*(x + s * direction)) - f - s * slopes @ direction) for s in h], 2, scale)
    f, fd, fdd = machine.jet(x, direction, acceleration)
    scale = max(1.0, abs(f), abs(fd), abs(fdd))
    path = [machine(*(x + s * direction + s * s / 2 * acceleration)) for s in h]
    check_rate([abs(p - f - s * fd - s * s / 2 * fdd) for p, s in zip(path, h)], 3, scale)
    assert fd == pytest.approx(slopes @ direction, rel=1e-12, abs=1e-12)


def test_every_function_is_tested():
    tested = " ".join(SMOOTH)
    tables = {"AKISPL", "CUBSPL", "INTERP", "CURVE"}  # in test_splines and test_curves
    assert [name for name in FUNCTIONS if f"{name}(" not in tested and name not in tables] == []


@pytest.mark.parametrize("text", SMOOTH[:8])
def test_hessian_is_the_derivative_of_the_gradient(text):
    machine = Machine(text)
    x = padded(POINTS[0])
    own = list(machine.program.inputs)
    exact = hessian(machine.set.arrays, 0, x, machine.work)
    h = 1e-6
    for j, k in enumerate(own):
        step = np.eye(4)[k] * h
        difference = (machine.gradient(*(x + step))[1] - machine.gradient(*(x - step))[1])[own] / (2 * h)
        assert exact[:, j] == pytest.approx(difference, rel=1e-6, abs=1e-6 * max(1.0, np.abs(exact).max()))
    assert np.array_equal(exact, exact.T)


# -- independent formulas ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, formula",
    [
        ("AINT", np.trunc),
        ("INT", np.trunc),
        ("ANINT", lambda v: np.sign(v) * np.floor(abs(v) + 0.5)),
        ("NINT", lambda v: np.sign(v) * np.floor(abs(v) + 0.5)),
        ("SIN", np.sin),
        ("COSH", np.cosh),
        ("ATAN", np.arctan),
        ("TANH", np.tanh),
        ("ABS", np.abs),
    ],
)
def test_unary_against_numpy(name, formula):
    machine = Machine(f"{name}(x)")
    for v in (-3.5, -2.5, -1.2, -0.5, 0.0, 0.5, 1.5, 2.5, 7.9, 12.0):
        assert machine(0, v, 0, 0) == pytest.approx(formula(v), rel=1e-15)


def test_binary_against_numpy():
    mod, sign, angle = Machine("MOD(x, y)"), Machine("SIGN(x, y)"), Machine("ATAN2(x, y)")
    for x in (-7.3, -2.0, 0.0, 1.0, 5.5):
        for y in (-2.5, -1.0, 1.0, 3.0):
            assert mod(0, x, y, 0) == np.fmod(x, y)
            assert sign(0, x, y, 0) == np.copysign(abs(x), y)
            assert angle(0, x, y, 0) == np.arctan2(x, y)
    assert sign(0, -3.0, 0.0, 0) == 3.0


def test_series_against_numpy():
    a = [1.0, -2.0, 0.5, 0.25, -1.5]
    text = ", ".join(map(str, a))
    for x in (-1.3, 0.2, 0.9):
        t = x - 0.1
        assert Machine(f"CHEBY(x, 0.1, {text})")(0, x, 0, 0) == pytest.approx(chebyshev.chebval(t, a), rel=1e-14)
        assert Machine(f"POLY(x, 0.1, {text})")(0, x, 0, 0) == pytest.approx(polynomial.polyval(t, a), rel=1e-14)
        j = np.arange(5)
        assert Machine(f"FORCOS(x, 0.1, 2, {text})")(0, x, 0, 0) == pytest.approx(a @ np.cos(2 * j * t), rel=1e-13)
        sines = a[0] + np.array(a[1:]) @ np.sin(2 * j[1:] * t)
        assert Machine(f"FORSIN(x, 0.1, 2, {text})")(0, x, 0, 0) == pytest.approx(sines, rel=1e-13)


@pytest.mark.parametrize("name, smooth", [("STEP", 1), ("STEP5", 2), ("HAVSIN", 1)])
def test_steps_are_flat_outside_and_join_smoothly(name, smooth):
    machine = Machine(f"{name}(x, 1, -2, 3, 4)")
    for x, f in ((-5, -2), (1, -2), (2, 1), (3, 4), (9, 4)):
        assert machine(0, x, 0, 0) == pytest.approx(f, abs=1e-15)
    for end in (1.0, 3.0):
        for side in (-1e-7, 1e-7):
            _, fd, fdd = machine.jet([0, end + side, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0])
            assert abs(fd) < 1e-5 and (smooth < 2 or abs(fdd) < 1e-5)


def test_sweep_frequency_goes_from_f0_to_f1():
    machine = Machine("SWEEP(time, 1, 1, 2, 5, 6, 0.5)")
    t = np.linspace(2.0, 12.0, 200_001)
    f = np.array([machine(s, 0, 0, 0) for s in t[:: len(t) // 20_000]])
    t = t[:: len(t) // 20_000]
    zeros = t[:-1][(f[:-1] < 0) & (f[1:] >= 0)]
    late = zeros[zeros > 5.2]
    assert np.diff(late).mean() == pytest.approx(1 / 6, rel=1e-2)
    assert machine(0.9, 0, 0, 0) == 0.0


def test_impact_pushes_only():
    machine = Machine("IMPACT(x, y, 1, 100, 2, 50, 0.1)")
    assert machine(0, 1.0, -1.0, 0) == 0.0
    assert machine(0, 0.5, 0.0, 0) == pytest.approx(25.0)
    assert machine(0, 0.5, -1.0, 0) == pytest.approx(75.0)
    assert machine(0, 0.5, 10.0, 0) == 0.0


# -- faults and edges ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, x, message",
    [
        ("1 + SQRT(x)", -2.0, "SQRT(-2) fails: outside the domain of the function; it is in SQRT(X) at column 5"),
        ("LOG(x)", 0.0, "LOG(0) fails: outside the domain of the function; it is in LOG(X) at column 1"),
        ("LOG10(x)", -1.0, "LOG10(-1) fails: outside the domain of the function; it is in LOG10(X) at column 1"),
        ("2/x", 0.0, "2 / 0 fails: division by zero; it is in 2/X at column 2"),
        ("x**-1", 0.0, "0 ** -1 fails: division by zero; it is in X**(-1) at column 2"),
        ("x**0.5", -1.0, "-1 ** 0.5 fails: outside the domain of the function; it is in X**0.5 at column 2"),
        ("ACOS(x)", 1.5, "ACOS(1.5) fails: outside the domain of the function; it is in ACOS(X) at column 1"),
        ("MOD(3, x)", 0.0, "MOD(3, 0) fails: outside the domain of the function; it is in MOD(3, X) at column 1"),
        ("SIN(x)", math.nan, "the input X is nan at column 5"),
        ("IF(x: 1, 2, 3)", math.nan, "the input X is nan at column 4"),
        ("MAX(1, x)", math.nan, "the input X is nan at column 8"),
        ("MIN(x, 1)", math.nan, "the input X is nan at column 5"),
        ("STEP(1, 0, 0, x, 1)", 0.0, "STEP(1, 0, 0, 0, 1) fails: division by zero; it is in STEP(1, 0, 0, X, 1)"),
        ("1/0 + x", 0.0, "1 / 0 fails: division by zero; it is in 1/0 at column 2"),
    ],
)
def test_faults_give_nan_and_a_sentence(text, x, message):
    from holonom.expressions import explain

    machine = Machine(text)
    inputs = np.array([0.0, x, 0.0, 0.0])
    assert math.isnan(machine(*inputs))
    assert math.isnan(machine.gradient(*inputs)[0])
    assert math.isnan(machine.jet(inputs, inputs, inputs)[0])
    assert explain(machine.program, inputs).startswith(message)


@pytest.mark.parametrize(
    "text, x",
    [
        ("SQRT(x)", 0.0),
        ("SQRT(x**2 + y**2)", 0.0),
        ("ACOS(x) + ASIN(x)", 1.0),
        ("ASIN(x)", -1.0),
        ("x**0.5 + x**1.5 + x**1 + x**2.0 + x**y", 0.0),
        ("ABS(x)", 0.0),
        ("MAX(x, y) + MIN(x, y) + DIM(x, y)", 0.0),
        ("ATAN2(x, y)", 0.0),
        ("SIGN(x, y) + MOD(x, 2) + INT(x)", 0.0),
        ("IMPACT(x, time, 0, 1, 0.5, 1, 1)", 0.0),
        ("BISTOP(x, time, 0, 1, 1, 1.5, 1, 1)", 1.0),
        ("IF(x: 1, SQRT(x), 3)", 0.0),
    ],
)
def test_derivatives_are_finite_where_the_value_is(text, x):
    machine = Machine(text)
    inputs = np.array([1.0, x, 0.0, 0.0])
    f, slopes = machine.gradient(*inputs)
    assert np.isfinite(f) and np.isfinite(slopes).all()
    assert np.isfinite(machine.jet(inputs, np.ones(4), np.ones(4))).all()


def test_absolute_value_is_flat_at_zero():
    assert Machine("ABS(x)").gradient(0, 0, 0, 0)[1][1] == 0.0


def test_a_branch_not_taken_does_no_harm():
    machine = Machine("IF(x: 0, 1, LOG(x)) + IF(x: SQRT(-x), 5, 7)")
    assert machine(0, -4.0, 0, 0) == 2.0
    assert machine(0, 0.0, 0, 0) == 6.0
    assert machine(0, 1.0, 0, 0) == 7.0


def test_many_programs_in_one_set():
    from _expression_machine import Inputs

    from holonom.expressions import ProgramSet, compile_expression, parse

    texts = ["1", *SMOOTH, "2*PI"]
    ps = ProgramSet([compile_expression(parse(t), Inputs()) for t in texts])
    x, work, out = padded(POINTS[0]), ps.work(), np.empty(len(texts))
    values(ps.arrays, 0, len(ps), x, work, out)
    for e, text in enumerate(texts):
        assert out[e] == value(ps.arrays, e, x, work) == Machine(text)(*x)
    assert out[0] == 1.0 and out[-1] == 2 * math.pi
