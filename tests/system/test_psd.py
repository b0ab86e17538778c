"""INVPSD is a signal of the density that it is given, and functions that no run computes are refused with the
reason."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.signal import periodogram

import holonom
from _slider import slider
from holonom.expressions.psd import amplitudes, phases
from holonom.formats import parse_adm
from holonom.model import ModelError

HEAD = slider("a road", "SPLINE/5, X=1,2,4,8,16, Y=4,1,2,0.5,0.1")
X, Y = np.array([1, 2, 4, 8, 16.0]), np.array([4, 1, 2, 0.5, 0.1])


def signal(function, end=10.0, steps=2000, more="JOINT/2, FIXED, I=20, J=10"):
    model = parse_adm(HEAD + f"{more}\nREQUEST/1, F2={function}\nEND\n")
    return holonom.simulate(model, end=end, steps=steps).request(1).values[:, 1]


@pytest.mark.parametrize("logarithmic", [False, True])
@pytest.mark.parametrize("count", [2, 7, 100])
def test_effective_values_agree(logarithmic, count):
    """Half the sum of the squares of the amplitudes is the integral of the density, whatever the number of
    frequencies."""
    f = np.linspace(1.5, 12.0, count)
    density = (
        (lambda v: np.exp(np.interp(np.log(v), np.log(X), np.log(Y))))
        if logarithmic
        else (lambda v: np.interp(v, X, Y))
    )
    whole = quad(density, 1.5, 12.0, points=[2, 4, 8], epsabs=1e-12)[0]
    assert np.isclose(0.5 * (amplitudes(X, Y, f, logarithmic) ** 2).sum(), whole, rtol=1e-9)


def test_a_density_that_falls_as_one_over_f():
    """Over logarithms its integral is a logarithm."""
    x = np.array([1.0, 10.0, 100.0])
    a = amplitudes(x, 3.0 / x, np.linspace(2, 50, 9), True)
    assert np.isclose(0.5 * (a**2).sum(), 3 * np.log(25), rtol=1e-12)


def test_the_signal_has_the_density():
    """The spectrum of what a run gives, by an independent estimator: lines at the frequencies asked, of the heights of
    the density."""
    y = signal("INVPSD(TIME, 5, 2, 12, 101, 0, 3)")[:-1]  # lines every 0.1 Hz, and 10 s are whole periods of all
    f, p = periodogram(y, fs=200.0, scaling="density")
    inside = (f > 2.05) & (f < 11.95) & ~np.isclose(f, 4) & ~np.isclose(f, 8)  # at the corners the cell sees both sides
    assert np.allclose(p[inside], np.interp(f[inside], X, Y), rtol=1e-6)
    assert p[(f < 1.95) | (f > 12.05)].max() < 1e-9


def test_seeds():
    one = signal("INVPSD(TIME, 5, 2, 12, 20, 0, 1)", 1.0, 50)
    same = signal("INVPSD(TIME, 5, 2, 12, 20, 0, 1.9)", 1.0, 50)  # the seed is cut to a whole number
    other = signal("INVPSD(TIME, 5, 2, 12, 20, 0, 2)", 1.0, 50)
    assert np.array_equal(one, same) and not np.allclose(one, other, atol=0.1)
    drawn = np.array(phases(7, 20000))
    assert (
        0 <= drawn.min()
        and drawn.max() < 2 * np.pi
        and abs(drawn.mean() - np.pi) < 0.05
        and abs(np.cos(drawn).mean()) < 0.02
    )


def test_a_motion_by_a_density_and_a_variable():
    """A motion follows the same signal as a request of it, also through a VARIABLE."""
    text = (
        "VARIABLE/3, FUNCTION=0.01*INVPSD(TIME, 5, 2, 6, 30, 1, 4)\nMOTION/1, JOINT=1, TRANSLATIONAL, "
        "FUNCTION=VARVAL(3)"
    )
    z = signal("DZ(20,10,10)", 1.0, 40, text)
    wanted = signal("0.01*INVPSD(TIME, 5, 2, 6, 30, 1, 4)", 1.0, 40)
    assert np.allclose(z, wanted, atol=1e-9) and np.abs(wanted).max() > 0.005


@pytest.mark.parametrize(
    "function, told",
    [
        (
            "INVPSD(TIME, 5, 2, 12, 20, 0)",
            "INVPSD(x, id, f0, f1, nf, linlog, seed) takes 7 arguments, not 6, at column 1",
        ),
        ("INVPSD(TIME, 6, 2, 12, 20, 0, 1)", "SPLINE/6"),
        ("INVPSD(TIME, 5, TIME, 12, 20, 0, 1)", "the lowest frequency of INVPSD must be a constant at column 17"),
        ("INVPSD(TIME, 5, 12, 2, 20, 0, 1)", "must rise from 0 or more, they go from 12 to 2"),
        ("INVPSD(TIME, 5, 2, 12, 1, 0, 1)", "INVPSD takes 2 to 2000 frequencies, not 1"),
        ("INVPSD(TIME, 5, 2, 12, 1E30, 0, 1)", "INVPSD takes 2 to 2000 frequencies"),
        ("INVPSD(TIME, 5, 2, 12, 20, 2, 1)", "0 (linear) or 1 (logarithmic) for linlog, not 20 and 2"),
        (
            "INVPSD(TIME, 5, 0.5, 12, 20, 0, 1)",
            "the frequencies 0.5 to 12 of INVPSD must lie within 1 to 16, where the density is given",
        ),
        ("INVPSD(TIME, 9, 2, 3, 20, 0, 1)", "the density of INVPSD is -1 somewhere"),
        ("INVPSD(TIME, 9, 1, 2, 20, 1, 1)", "all of them must be positive"),
        ("1+FXFREQ(1)", "FXFREQ is the frequency (Hz) of the mode whose damping CRATIO of a FLEX_BODY gives"),
        ("FXMODE(1)", "FXMODE is the number of the mode whose damping CRATIO of a FLEX_BODY gives"),
    ],
)
@pytest.mark.parametrize(
    "place", ["REQUEST/1, F2=", "VARIABLE/1, FUNCTION=", "MOTION/1, JOINT=1, TRANSLATIONAL, FUNCTION="]
)
def test_faults(function, told, place):
    model = parse_adm(HEAD + f"SPLINE/9, X=1,2,3,4, Y=1,1,-1,1\n{place}{function}\nEND\n")
    with pytest.raises(ModelError) as caught:
        holonom.simulate(model, end=0.1, steps=1)
    text = str(caught.value)
    assert told in text and "\n" not in text and "did you mean" not in text and text.startswith(place.split(",")[0])
