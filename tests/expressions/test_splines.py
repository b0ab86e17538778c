import numpy as np
import pytest
from _expression_machine import NAMES, Inputs, Machine
from scipy.interpolate import Akima1DInterpolator, CubicSpline

from holonom.expressions import (
    AKIMA,
    CUBIC,
    LINEAR,
    Spline,
    SplineError,
    evaluate,
    explain,
    pack_splines,
    row_of,
)

X = np.array([-1.0, 0.0, 0.4, 1.5, 2.0, 3.5])
Y = np.array([0.3, -0.2, 1.0, 2.5, 2.4, 0.0])
Z = np.array([-1.0, 0.5, 2.0])
FAMILY = np.array([Y, Y**2, np.sin(Y)])
INSIDE = np.linspace(-1.0, 3.5, 91)


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize(
    "kind, oracle",
    [(AKIMA, Akima1DInterpolator(X, Y)), (CUBIC, CubicSpline(X, Y, bc_type="natural"))],
)
def test_inside_as_scipy(kind, oracle, order):
    spline = Spline(X, Y)
    for x in INSIDE[:-1]:
        assert spline.at(x, kind=kind, order=order) == pytest.approx(oracle(x, order), rel=1e-12, abs=1e-11)
    assert spline.at(X[-1], kind=kind) == Y[-1]


def test_linear_is_the_polygon():
    spline = Spline(X, Y)
    assert [spline.at(x, kind=LINEAR) for x in INSIDE] == pytest.approx(np.interp(INSIDE, X, Y), abs=1e-14)


@pytest.mark.parametrize("kind", [AKIMA, CUBIC, LINEAR])
@pytest.mark.parametrize("extrapolation, points", [("parabolic", 3), ("linear", 2), ("constant", 1)])
def test_beyond_the_ends(kind, extrapolation, points):
    spline = Spline(X, Y, extrapolation=extrapolation)
    first = np.polyfit(X[:points], Y[:points], points - 1)
    last = np.polyfit(X[-points:], Y[-points:], points - 1)
    for d in (0.1, 1.0, 7.0):
        assert spline.at(X[0] - d, kind=kind) == pytest.approx(np.polyval(first, X[0] - d), rel=1e-10, abs=1e-10)
        assert spline.at(X[-1] + d, kind=kind) == pytest.approx(np.polyval(last, X[-1] + d), rel=1e-10, abs=1e-10)
    for end in (X[0], X[-1]):
        assert spline.at(end - 1e-9, kind=kind) == pytest.approx(spline.at(end + 1e-9, kind=kind), abs=1e-6)


def test_family_is_linear_in_z():
    spline = Spline(X, FAMILY, Z)
    rows = [Spline(X, row) for row in FAMILY]
    for x in (-2.0, 0.1, 3.0, 4.0):
        at = [r.at(x) for r in rows]
        for z, row in zip(Z, at):
            assert spline.at(x, z) == pytest.approx(row, rel=1e-13)
        assert spline.at(x, -0.25) == pytest.approx((at[0] + at[1]) / 2, rel=1e-13)
        assert spline.at(x, 3.5) == pytest.approx(2 * at[2] - at[1], rel=1e-12)
        assert spline.at(x, -2.5) == pytest.approx(2 * at[0] - at[1], rel=1e-12)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([0, 1, 2], [0, 1, 2]), "spline: at least four x values are needed, got 3"),
        (([0, 1, 1, 2], [0, 1, 2, 3]), "spline: x must increase, but x[2] = 1 follows 1"),
        (([0, 1, 2, 3], [0, 1, 2]), "spline: y must have the shape (4,) to fit x, not (3,)"),
        (([0, 1, 2, 3], [0, 1, np.nan, 3]), "spline: y holds a value that is not finite"),
        (([0, 1, np.inf, 3], [0, 1, 2, 3]), "spline: x holds a value that is not finite"),
        (([0, 1, 2, 3], np.zeros((2, 4)), [1, 1]), "spline: z must increase, but z[1] = 1 follows 1"),
        (([0, 1, 2, 3], np.zeros((1, 4)), [1]), "spline: a family of curves needs at least two z values"),
        (([0, 1, 2, 3], np.zeros(4), [1, 2]), "spline: y must have the shape (2, 4) to fit x and z, not (4,)"),
        ((["a", 1, 2, 3], np.zeros(4)), "spline: x, y and z must be arrays of numbers"),
        (([0, 1, 2, 3], np.zeros(4), None, "cubic"), "spline: extrapolation is one of parabolic, linear, constant"),
    ],
)
def test_messages(arguments, message):
    with pytest.raises(SplineError) as error:
        Spline(*arguments)
    assert str(error.value).startswith(message)


def test_the_name_is_in_the_message():
    with pytest.raises(SplineError, match="spline damper: at least four"):
        Spline([0], [0], name="damper")


SPLINES = [Spline(X, Y), Spline(X, FAMILY, Z), Spline(X, Y, extrapolation="linear", name="K")]
RESOLVER = Inputs(splines=[11, 12, "K"])
TEXTS = [
    "AKISPL(x, 0, 11) + CUBSPL(x, 0, 11)*y",
    "AKISPL(x, 0, 11, 1) + CUBSPL(x, 0, 11, 1)*time",
    "CUBSPL(x, 0, 11, 2)*x",
    "AKISPL(2*x, y, 12) + CUBSPL(x, time*y, 12)",
    "AKISPL(x, y, 12, 1)",
    "INTERP(time, 3, k) + INTERP(time, 1, k)*x + INTERP(time, 3, k, 1)",
    "AKISPL(x + 40, 0, k) - AKISPL(x - 40, y, 11)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_functions_taylor(text):
    machine = Machine(text, RESOLVER, pack_splines(SPLINES))
    x = np.array([0.7, 1.1, 0.9, 0.0])
    f, slopes = machine.gradient(*x)
    assert explain(machine.program, x, machine.set) == f"the value is {f:.12g}"
    v, a = np.array([0.5, -0.4, 0.3, 0.0]), np.array([0.2, 0.3, -0.6, 0.0])
    f2, fd, fdd = machine.jet(x, v, a)
    assert f == f2 == machine(*x) and fd == pytest.approx(slopes @ v, rel=1e-12)
    scale = max(1.0, abs(f), abs(fdd))
    first, second = [], []
    for h in (1e-2, 1e-3, 1e-4):
        first.append(abs(machine(*(x + h * v)) - f - h * slopes @ v))
        second.append(abs(machine(*(x + h * v + h * h / 2 * a)) - f - h * fd - h * h / 2 * fdd))
    for errors, rate in ((first, 2), (second, 3)):
        for big, small in zip(errors, errors[1:]):
            assert small <= max(2.5 * big * 10.0**-rate, 1e-13 * scale), (rate, errors)


def test_only_used_rows_are_built():
    machine = Machine("CUBSPL(x, 0, k)", RESOLVER)
    assert machine.program.spline_rows == {row_of(2, CUBIC)}
    few = pack_splines(SPLINES, machine.program.spline_rows)
    assert few.data.size < pack_splines(SPLINES).data.size / 5
    machine = Machine("CUBSPL(x, 0, k)", RESOLVER, few)
    assert machine(0, 1.0, 0, 0) == pytest.approx(CubicSpline(X, Y, bc_type="natural")(1.0), rel=1e-13)
    assert np.isnan(Machine("AKISPL(x, 0, k)", RESOLVER, few)(0, 1.0, 0, 0))


def test_evaluate_without_tables_says_so():
    with pytest.raises(ValueError, match="no spline data were given"):
        evaluate(Machine("AKISPL(x, 0, 11)", RESOLVER).node, dict.fromkeys(NAMES, 1.0))
