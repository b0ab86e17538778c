"""Rope over a pulley: stiffness of its joints, geometry, bad input."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.machinery import rope_over_pulley
from holonom.machinery.rope import pulley_profile, segment_stiffness


def test_joints_bend_and_stretch_as_the_section_says():
    """A row of joints under a force at its end against the closed forms of the bar: F L / E A, F L^3 / 3 E I, twisted T L / G J."""
    e, g, length, radius, n = 2e5, 8e4, 10.0, 2.0, 200
    (kx, ky, kz), (tx, ty, tz) = segment_stiffness(length, radius, e, g)
    total, area, second = n * length, math.pi * radius**2, 0.25 * math.pi * radius**4
    arms = (np.arange(n) + 0.5) * length  # from the end to joints in the middle of what they stand for
    assert n / kx == pytest.approx(total / (e * area))
    assert (arms**2).sum() / ty == pytest.approx(total**3 / (3 * e * second), rel=1e-5)
    assert n / tx == pytest.approx(total / (g * 2 * second))
    assert ty == tz and ky == kz == pytest.approx(g * area / length)
    assert segment_stiffness(length, radius, e, g, 0.01)[1] == pytest.approx((0.01 * tx, 0.01 * ty, 0.01 * tz))


def test_six_segments_lie_on_the_pulley():
    m = rope_over_pulley()
    assert len(m.table("CONTACT")) == 105
    on = [m.find("PART", f"segment {k}") for k in range(65, 71)]
    far = [math.hypot(*p.frame.origin[:2]) for p in on]
    assert np.allclose(far, 64.64 + 10.0, atol=5e-3)  # they touch the bottom in their middles
    turned = math.degrees(math.acos(on[0].frame.axes[:, 0] @ on[-1].frame.axes[:, 0]))
    assert turned == pytest.approx(150.0)
    points, bulge = pulley_profile(64.64, (15.0, 15.0), 108.0, 16.0, 4.0)
    assert points[:, 0].max() == pytest.approx(79.64) and np.ptp(points[:, 1]) == 108.0 and len(bulge) == len(points)


def test_bad_ropes():
    with pytest.raises(hn.ModelError, match="do not suffice"):
        rope_over_pulley(20)
    with pytest.raises(hn.ModelError, match="does not fit into a groove"):
        rope_over_pulley(groove=(9.0, 15.0))
    with pytest.raises(hn.ModelError, match="round a pulley"):
        rope_over_pulley(radius=80.0, groove=(90.0, 15.0))
