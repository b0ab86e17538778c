"""Ten elastic impacts of a ball on a plane against the closed form: parabolas, and the time of contact by quadrature of
m v^2 / 2 = m v0^2 / 2 + m g d - K d^(n + 1) / (n + 1).  The table of docs/contact.md has these errors."""

import math

import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import holonom as hn

G, MASS, DROP, K, N = 9.81, 0.5, 0.05, 2.89e5 * 1e3**1.5, 1.5


def contact():
    """Depth and duration of an impact."""
    square = lambda d: 2 * G * (DROP + d) - 2 * K / (MASS * (N + 1)) * d ** (N + 1)
    depth = brentq(square, 1e-6, 1e-3, xtol=1e-18)
    # d = depth (1 - s^2): what is integrated stays finite where the ball turns back
    slow = lambda s: 4 * depth * s / math.sqrt(square(depth * (1 - s * s)))
    return depth, quad(slow, 0.0, 1.0, epsabs=0.0, epsrel=1e-12)[0]


def height(t):
    """Of the lowest point of the ball, in flight."""
    fall, (_, touch) = math.sqrt(2 * DROP / G), contact()
    late = (t - fall) % (touch + 2 * fall) - touch - fall if t > fall else t
    assert late > -fall
    return DROP - G * late**2 / 2


@pytest.mark.parametrize(
    "method, errors", [("DOP853", {1e-3: 3.1e-3, 1e-6: 8.7e-7}), ("RADAU5", {1e-4: 3.6e-4, 1e-6: 6.5e-6})]
)
def test_heights_after_ten_impacts(method, errors):
    depth, touch = contact()
    assert depth == pytest.approx(85e-6, rel=5e-3) and touch == pytest.approx(0.25e-3, rel=0.02)
    for error, want in errors.items():
        m = hn.Model("ball")
        m.gravity = (0, 0, -G)
        body = m.part("ball", MASS, (2e-5,) * 3, (0, 0, DROP + 0.01))
        ball, plane = m.sphere(body, (0, 0, DROP + 0.01), 0.01), m.plane(m.ground, (0, 0, 0), (0, 0, 1))
        m.contact(ball, plane, stiffness=K, exponent=N, damping=0.0, dmax=1e-4)
        run = hn.simulate(m, end=2.0, steps=1, integrator=method, error=error)
        assert run.counters["onsets"] == 10
        found = run.part("ball").position.values[-1, 2] - 0.01
        assert abs(found - height(2.0)) < 1.2 * want * DROP, (error, (found - height(2.0)) / DROP)
