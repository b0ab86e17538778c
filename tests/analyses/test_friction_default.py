"""Friction of joints at default settings against half cycles by hand."""

import numpy as np
import pytest

import holonom as hn

MASS, STIFF, G, X0, STATIC, DYNAMIC = 1.0, 100.0, 9.80665, 0.1, 0.1, 0.05


def test_a_block_on_a_spring_loses_equal_amplitudes_and_sticks():
    """Each half cycle takes 2 mu m g / k of the amplitude; the block rests where the spring is below mu_s m g."""
    m = hn.Model("block")
    m.gravity = (0, 0, -G)
    block = m.part("block", MASS, (1, 1, 1), position=(X0, 0, 0))
    m.translational(block, m.ground, "way", at=(0, 0, 0), axis=(1, 0, 0), friction=(STATIC, DYNAMIC))
    m.spring_damper(m.marker_at(block, (X0, 0, 0)), m.marker_at(m.ground, (-1, 0, 0)), stiffness=STIFF, length=1.0)
    run = hn.simulate(m, end=4.0, steps=8)
    x, n = X0, 0
    while STIFF * abs(x) > STATIC * MASS * G:
        x, n = -np.sign(x) * (abs(x) - 2 * DYNAMIC * MASS * G / STIFF), n + 1
    assert n == 10
    assert run.part("block").position.values[-1, 0] == pytest.approx(x, abs=5e-5)  # 0.1 mm/s of creep over a moment


def test_options_that_the_explicit_method_does_not_have_are_warned_of():
    m = hn.Model("free")
    m.part("ball", 1, (1, 1, 1), velocity=(1, 0, 0))
    for option in ({"maxit": 3}, {"kmax": 3}, {"corrector": "modified"}, {"adaptivity": 0.1}, {"pattern": "T"}):
        name = next(iter(option)).upper()
        with pytest.warns(hn.ModelWarning, match=f"{name} has no influence on DOP853"):
            hn.simulate(m, end=0.1, steps=1, integrator="DOP853", **option)
    with pytest.raises(hn.ModelError, match="JACOBIAN = 5"):
        hn.simulate(m, end=0.1, integrator="DOP853", jacobian=5)
