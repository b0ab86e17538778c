"""Gradients of reactions and accelerations: closed forms, differences of runs, and what is refused."""

import numpy as np
import pytest
from test_gradient import OF_PARTS, OF_SPRING, SIX, check, four_bar, pendulum, places, two

import holonom as hn


def test_pin_force_and_acceleration_of_a_pendulum_against_elliptic_functions():
    """theta = 2 arcsin(k sn(K - w t, k)); force along the rod m g cos(theta) + m l theta'^2, theta'^2 =
    2 w^2 (cos(theta) - cos(angle)), theta'' = -w^2 sin(theta)."""
    from scipy.special import ellipj, ellipk

    values = {"l": 0.8, "m": 2.0, "J": 0.1, "g": 9.81, "angle": 1.2}
    T = 1.7

    def exact(l, m, J, g, angle):
        w, k = np.sqrt(m * g * l / (J + m * l * l)), np.sin(angle / 2)
        theta = 2 * np.arcsin(k * ellipj(ellipk(k * k) - w * T, k * k)[0])
        along = m * g * np.cos(theta) + 2 * m * l * w * w * (np.cos(theta) - np.cos(angle))
        across = m * g * np.sin(theta) - m * l * w * w * np.sin(theta)
        return np.hypot(along, across), l * w * w * np.hypot(np.sin(theta), 2 * (np.cos(theta) - np.cos(angle)))

    m, rod = pendulum()
    pin = m.find("JOINT", "pin")
    for text, which in ((f"FM({pin.i},{pin.j})", 0), (f"ACCM({rod.cm})", 1)):
        g = hn.gradient(m, hn.final(text), list(values), end=T)
        assert g.value == pytest.approx(exact(**values)[which], rel=1e-8)
        for name, value in values.items():
            h = 2e-3 * value
            slope = sum(w * exact(**{**values, name: value + k * h})[which] for k, w in SIX.items()) / h
            assert g[name] == pytest.approx(slope, rel=1e-7, abs=1e-8), name


def functional(*texts):
    """A sum of values, each of which counts, at the end and before."""
    return sum((hn.final(t) + 0.3 * hn.value_at(t, 0.17) for t in texts[1:]), hn.final(texts[0]))


@pytest.mark.parametrize(
    "joint",
    ["revolute", *(pytest.param(k, marks=pytest.mark.slow) for k in
                   ("spherical", "translational", "universal", "constant_velocity", "fixed"))],
)  # fmt: skip
def test_reactions_and_accelerations_along_a_random_direction(joint):
    m, a, b = two(joint)
    j, base, spring = m.find("JOINT", "joint"), m.find("JOINT", "base"), m.find("SPRINGDAMPER", "spring")
    tip = m.marker(b, (0.12, 0, 0.01), euler=(0.2, 0.3, 0.1))
    texts = [
        f"JOINT({base},0,3,{tip})", f"FX({base.j},{base.i})", f"JOINT({j},1,2,{tip})**2", f"FM({j.i},{j.j})",
        f"JOINT({j},1,6,{tip})*DX({tip})", f"ACCX({tip})", f"ACCM({tip},{base.j})", f"ACCY({tip},{j.j},{tip},{j.j})",
        f"WDTZ({tip})", f"WDTM({j.i},{base.j})",
    ]  # fmt: skip
    names = [*OF_PARTS, *OF_SPRING, *places(m, spring), f"MARKER/{tip.id}.QP", f"MARKER/{tip.id}.REULER"]
    check(m, functional(*texts), [*names, f"MARKER/{j.i}.QP"], size=3e-4)


@pytest.mark.parametrize(
    "method, tolerance, fixed",
    [
        ("HHT", 1e-7, {"hmin": 0.005, "hmax": 0.005, "newton": 1e-11, "error": 1e-6}),
        ("RADAU5", 1e-8, {"hmin": 0.01, "hmax": 0.01, "newton": 1e-12, "error": 1e-6}),
    ],
)
def test_reactions_and_accelerations_with_implicit_methods(method, tolerance, fixed):
    """Those of the state with projected velocities, which index 3 does not end at."""
    m, a, b = two("revolute")
    j, base, spring = m.find("JOINT", "joint"), m.find("JOINT", "base"), m.find("SPRINGDAMPER", "spring")
    tip = m.marker(b, (0.12, 0, 0.01), euler=(0.2, 0.3, 0.1))
    texts = (f"FM({j.i},{j.j})", f"JOINT({base},0,3,{tip})", f"ACCX({tip})*VX({tip})", f"WDTZ({tip})")
    value = sum((hn.final(t) + 0.3 * hn.value_at(t, 0.05) for t in texts[1:]), hn.final(texts[0]))
    names = [*OF_PARTS, *OF_SPRING, *places(m, spring), f"MARKER/{tip.id}.QP", f"MARKER/{j.i}.QP"]
    check(m, value, names, 0.1, tolerance, size=3e-4, integrator=method, **fixed)


@pytest.mark.slow
def test_least_squares_and_peaks_of_reactions():
    m, a, b = two("revolute")
    j = m.find("JOINT", "joint")
    text = f"FM({j.i},{j.j})"
    check(m, hn.least_squares(text, [0.1, 0.2, 0.25], [5.0, 6.0, 7.0]), [*OF_PARTS, *OF_SPRING])
    check(m, hn.peak(text), ["PART/3.MASS", "SPRINGDAMPER/1.K", "GRAVITY"], tolerance=1e-6)


def test_outputs_without_a_derivative_are_refused():
    m, a, b = two("revolute")
    j = m.find("JOINT", "joint")
    names, end = ["PART/2.MASS"], 0.05
    with pytest.raises(hn.ModelError, match="an integral uses FM"):
        hn.gradient(m, hn.integral(f"FM({j.i},{j.j})"), names, end=end)
    m.sforce(j.i, j.j, f"-0.05*JOINT({j},0,1,0)", kind="ROTATIONAL")
    with pytest.raises(hn.ModelError, match="a force, a state or an integral uses JOINT"):
        hn.gradient(m, hn.final(f"DX({b.cm})"), names, end=end)
    loop, parts, joints, _ = four_bar()
    with pytest.raises(hn.ModelError, match="the reaction of JOINT/1 .* is not determined"):
        hn.gradient(loop, hn.final(f"FY({joints[0].i},{joints[0].j})"), names, end=end)
    g = hn.gradient(loop, hn.final(f"ACCX({parts[1].cm})"), names, end=end)
    assert np.isfinite(g.vector).all() and g.vector[0] != 0.0
