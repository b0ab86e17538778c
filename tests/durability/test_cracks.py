"""Growth of cracks next to the closed form of Paris' law and next to quadrature."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

import holonom.durability as hd
from holonom.model import ModelError


def test_growth_of_a_crack_of_one_range_is_the_closed_form():
    """Paris: N = (a1^(1 - m/2) - a0^(1 - m/2)) / ((1 - m/2) C (Y S sqrt(pi))^m)."""
    cycles = hd.rainflow(np.tile([0.0, 80.0], 50), "repeat")
    n, S, Y, C = cycles.count.sum(), 80.0, 1.12, 5e-13
    for m in (3.0, 4.1):
        p = 1.0 - 0.5 * m
        wanted = (20.0**p - 2.0**p) / (p * C * (Y * S * math.sqrt(math.pi)) ** m) / n
        assert hd.crack_growth(cycles, 2.0, 20.0, C=C, m=m, geometry=Y) == pytest.approx(wanted, rel=1e-12)
    wanted = math.log(10.0) / (C * (Y * S * math.sqrt(math.pi)) ** 2) / n
    assert hd.crack_growth(cycles, 2.0, 20.0, C=C, m=2.0, geometry=Y) == pytest.approx(wanted, rel=1e-12)


def test_growth_of_a_crack_of_many_ranges_over_a_threshold_is_a_quadrature():
    cycles = hd.rainflow(np.random.default_rng(3).normal(0.0, 30.0, 400))
    C, m, threshold = 2e-12, 3.0, 250.0

    def rate(a):
        dK = cycles.range * math.sqrt(math.pi * a)
        return 1.0 / (C * (cycles.count * dK**m)[dK > threshold].sum())

    least = np.unique((threshold / cycles.range[cycles.range > 0.0]) ** 2 / math.pi)
    assert ((least > 2.0) & (least < 30.0)).sum() > 20
    for start in (2.0, 0.5 * (least[0] + least[1])):  # the second: one cycle alone begins
        edges = [start, *least[(least > start) & (least < 30.0)], 30.0]
        wanted = sum(quad(rate, a, b)[0] for a, b in zip(edges, edges[1:]))
        found = hd.crack_growth(cycles, start, 30.0, C=C, m=m, threshold=threshold)
        assert found == pytest.approx(wanted, rel=1e-6)
    assert hd.crack_growth(cycles, 0.1, 30.0, C=C, m=m, threshold=threshold) == math.inf
    with pytest.raises(ModelError, match="give an end above the start"):
        hd.crack_growth(cycles, 3.0, 2.0, C=C)
