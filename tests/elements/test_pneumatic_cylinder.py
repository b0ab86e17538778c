"""PNEUMATIC_CYLINDER: mass and inner energy as states in place of pressure and temperature, enclosed air as a spring, a
vessel that is filled, flows of ISO 6358."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import holonom as hn
from holonom._jit import interpreted
from holonom.elements.forces import pneumatic_cylinder as air

A, B, STROKE, SUPPLY, AROUND, C, LIMIT, T0 = 8e-4, 6.9e-4, 0.3, 7e5, 101325.0, 1.5e-8, 0.25, 293.15
R, GAMMA = 287.05, 1.4


def cylinder(units="SI", opening="1", **more):
    m = hn.Model("door", units=units)
    long, mass = (1000.0, 1.0) if units == "mm" else (1.0, 1.0)
    m.gravity = (0, 0, 0)
    part = m.part("door", 8.0 * mass, (1, 1, 1), position=(0, 0, 1.0 * long))
    m.translational(part, m.ground, at=(0, 0, long), axis=(0, 0, 1))
    given = dict(area_a=A, area_b=B, stroke=STROKE, length=0.9, supply=SUPPLY, conductance=C, critical=LIMIT, wall=0.5)
    given |= dict(viscous=60.0, leakage=2e-10, stop_stiffness=1e6) | more
    sizes = {"area": 1e6, "stroke": 1e3, "length": 1e3, "supply": 1e-6, "pressure": 1e-6, "conductance": 1e15,
             "leakage": 1e15, "wall": 1e3, "viscous": 1e-3, "stop": 1e-3, "dead": 1e9}  # fmt: skip
    if units == "mm":
        given = {k: v * next((s for n, s in sizes.items() if k.startswith(n)), 1.0) for k, v in given.items()}
    m.pneumatic_cylinder(m.marker_at(part, (0, 0, long)), m.marker_at(m.ground, (0, 0, 0)), opening=opening, **given)
    return m


def flow(c, up, warm, down):
    """Mass per time by ISO 6358: C p rho0 (T0/T)^(1/2) phi."""
    r = down / up
    y = 1.0 if r <= LIMIT else math.sqrt(1.0 - ((r - LIMIT) / (1.0 - LIMIT)) ** 2)
    if r > 0.999:
        y = math.sqrt(1.0 - ((0.999 - LIMIT) / (1.0 - LIMIT)) ** 2) * (1.0 - r) / 0.001
    return c * up * 1e5 / (R * T0) * math.sqrt(T0 / warm) * y


def between(c, p, warm, q, cold):
    """(mass, enthalpy) per time from a place to another."""
    if p >= q:
        m = flow(c, p, warm, q)
        return m, m * warm * R * GAMMA / (GAMMA - 1.0)
    m = -flow(c, q, cold, p)
    return m, m * cold * R * GAMMA / (GAMMA - 1.0)


def by_hand(end, turn):
    """Mass and inner energy of both chambers; the valve is turned round at ``turn``."""
    dead = 0.05 * A * STROKE, 0.05 * B * STROKE

    def rates(t, y, lines):
        z, v, ma, ua, mb, ub = y
        s = z - 0.9
        va, vb = dead[0] + A * s, dead[1] + B * (STROKE - s)
        pa, pb = (GAMMA - 1.0) * ua / va, (GAMMA - 1.0) * ub / vb
        ta, tb = pa * va / (ma * R), pb * vb / (mb * R)
        (fa, ha), (fb, hb) = between(C, lines[0], T0, pa, ta), between(C, lines[1], T0, pb, tb)
        fl, hl = between(2e-10, pb, tb, pa, ta)
        stop = -1e6 * (s - STROKE) if s > STROKE else -1e6 * s if s < 0.0 else 0.0
        f = A * (pa - AROUND) - B * (pb - AROUND) - 60.0 * v + stop
        return [
            v,
            f / 8.0,
            fa + fl,
            ha + hl + 0.5 * (T0 - ta) - pa * A * v,
            fb - fl,
            hb - hl + 0.5 * (T0 - tb) + pb * B * v,
        ]

    va, vb = dead[0] + A * 0.1, dead[1] + B * (STROKE - 0.1)
    y = [1.0, 0.0, AROUND * va / (R * T0), AROUND * va / 0.4, AROUND * vb / (R * T0), AROUND * vb / 0.4]
    for a, b, lines in ((0.0, turn, (SUPPLY, AROUND)), (turn, end, (AROUND, SUPPLY))):
        y = solve_ivp(rates, (a, b), y, args=(lines,), method="LSODA", rtol=1e-10, atol=1e-12, max_step=1e-3).y[:, -1]
    s = y[0] - 0.9
    va, vb = dead[0] + A * s, dead[1] + B * (STROKE - s)
    pa, pb = 0.4 * y[3] / va, 0.4 * y[5] / vb
    return y[0], pa, pa * va / (y[2] * R), pb, pb * vb / (y[4] * R)


@pytest.mark.parametrize(
    "method, units",
    [("RADAU5", "SI"), ("DOP853", "mm"), *(pytest.param(m, "SI", marks=pytest.mark.slow) for m in ("GSTIFF", "HHT"))],
)
def test_against_mass_and_inner_energy(method, units):
    run = hn.simulate(cylinder(units, "IF(TIME-0.25: 1, 1, -1)"), end=0.4, steps=40, integrator=method, error=1e-7)
    exact, size = by_hand(0.4, 0.25), 1000.0 if units == "mm" else 1.0
    off = 5e-6 if method == "GSTIFF" else 2e-6  # several steps with the error of one: 2.3e-6, and 4e-8 at error 1e-8
    assert run.data.body_position[-1, 0, 2] / size == pytest.approx(exact[0], abs=off)
    for k, scale in enumerate((size**2, 1.0) * 2):
        assert run.state(f"PNEUMATIC_CYLINDER_1[{k}]")[-1] * scale == pytest.approx(exact[1 + k], rel=1e-4)
    d = run.data
    total = d.energy_kinetic + d.energy_elastic - d.energy_input + d.energy_dissipated
    assert np.abs(total - total[0]).max() < 1e-4 * np.ptp(d.energy_input)


@pytest.mark.parametrize("wall, ratio", [(0.0, 1.4), (1e6, 1.0)])
def test_enclosed_air_is_a_spring(wall, ratio):
    """Valve closed: stiffness n (p_a A^2/V_a + p_b B^2/V_b), n = gamma without heat, 1 with constant temperature."""
    p = 3e5
    m = cylinder(
        opening="0", wall=wall, viscous=0.0, leakage=0.0, pressure_a=p, pressure_b=AROUND + (p - AROUND) * A / B
    )
    va, vb = 0.05 * A * STROKE + A * 0.1, 0.05 * B * STROKE + B * 0.2
    k = ratio * (p * A * A / va + (AROUND + (p - AROUND) * A / B) * B * B / vb)
    found = hn.linearize(m).eigenvalues
    assert np.abs(found.imag).max() == pytest.approx(math.sqrt(k / 8.0), rel=1e-4)


def test_a_vessel_that_is_filled():
    """A chamber that cannot move, choked: p' = gamma C p_s p_n (T_s/T_n)^(1/2)/V, T = gamma T0/(1 + (p0/p)(gamma - 1)),
    the supply being as warm as the air at the start."""
    m = cylinder(opening="1", wall=0.0, leakage=0.0)
    m.fixed(m.find("PART", "door"), m.ground, at=(0, 0, 1))
    m.remove(next(j for j in m.joints.values() if j.type == "TRANSLATIONAL"))
    v = 0.05 * A * STROKE + A * 0.1
    slope = GAMMA * C * SUPPLY * 1e5 / v
    end = 0.4 * (LIMIT * SUPPLY - AROUND) / slope
    run = hn.simulate(m, end=end, steps=2, error=1e-9)
    p = AROUND + slope * end
    assert run.state("PNEUMATIC_CYLINDER_1[0]")[-1] == pytest.approx(p, rel=1e-7)
    exact = GAMMA * T0 / (1.0 + AROUND / p * (GAMMA - 1.0))
    assert run.state("PNEUMATIC_CYLINDER_1[1]")[-1] == pytest.approx(exact, rel=1e-7)


def test_flows_of_the_standard():
    """C = 1 dm^3/(s bar) at 7 bar: 7 dm^3/s of normal air where it is choked, less by the ellipse; none at equal
    pressures, as much back."""
    c = np.zeros(len(air.NUMBERS) + 1)
    c[air.CRITICAL], c[air.REFERENCE] = 0.3, 1e5
    normal = lambda p, q, warm=T0: interpreted(air.flow)(c, 1e-8, p, warm, q, T0)[0] / 1e5 * 1e3  # dm^3/s
    assert normal(7e5, 1e5) == pytest.approx(7.0, rel=1e-12) == normal(7e5, 2.1e5)
    assert normal(7e5, 6e5) == pytest.approx(7.0 * math.sqrt(1 - ((6 / 7 - 0.3) / 0.7) ** 2), rel=1e-12)
    assert normal(5e5, 5e5) == 0.0 and normal(1e5, 7e5) == -normal(7e5, 1e5)
    assert normal(7e5, 1e5, 4 * T0) == pytest.approx(14.0)  # pressure times volume of warmer air: half the mass


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"critical": 1.2}, "critical is 1.2; give a ratio from 0 to 0.9"),
        ({"gamma": 0.9}, "gamma is 0.9; give the ratio of specific heats"),
        ({"supply": -1.0}, "supply is -1; give a positive number"),
        ({"length": 0.2}, "its markers are drawn 1 apart; the cylinder reaches from 0.2"),
    ],
)
def test_wrong_sizes_are_sentences(change, sentence):
    with pytest.raises(hn.ModelError) as caught:
        cylinder(**change)
    assert sentence in str(caught.value)
    with pytest.warns(hn.ModelWarning, match=r"supply is 50000, below ambient, 101325: pressures are absolute"):
        cylinder(supply=5e4)
