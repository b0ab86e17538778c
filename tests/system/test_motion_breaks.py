"""Motions that jump, have corners or change for a short time only, against their integrals: at any output grid, with
all integrators."""

import numpy as np
import pytest
from scipy.integrate import quad

import holonom as hn
from holonom.analyses.dynamics.analysis import others
from holonom.integrators.stepper import TRIES, IntegrationError

ALL = (
    {},
    dict(integrator="DOP853"),
    dict(integrator="GSTIFF"),
    dict(integrator="GSTIFF", formulation="SI2"),
    dict(integrator="HHT"),
    dict(integrator="RADAU5"),
    dict(integrator="RK4", step=0.01),
)


def slide(function, level="VELOCITY", load=False):
    m = hn.Model("slide", units="SI")
    b = m.part("b", 2.0, (1, 1, 1), (0, 0, 0))
    m.motion(m.translational(b, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0)), function, level=level, name="drive")
    if load:  # a second body that hangs on a spring, so that there is a degree of freedom
        c = m.part("c", 1.0, (1, 1, 1), (1, 0, 0))
        m.translational(c, m.ground, "second", at=(1, 0, 0), axis=(1, 0, 0))
        m.vforce(c.cm, b, f"-9*(DX({c.cm},{b.cm})-1)")
    return m


def end(run, name="b"):
    return float(run.part(name).position[-1, 0])


@pytest.mark.parametrize("options", ALL)
@pytest.mark.parametrize("steps", [10, 7, 1])
def test_a_velocity_that_jumps_is_exact_at_any_grid(options, steps):
    run = hn.simulate(slide("IF(TIME-0.5:0,0,1)"), end=1.0, steps=steps, **options)
    assert end(run) == pytest.approx(0.5, abs=1e-13)
    assert float(run.part("b").velocity[-1, 0]) == pytest.approx(1.0, abs=1e-13)
    assert run.data.energy_input[-1] == pytest.approx(1.0, rel=1e-9)  # m v^2/2, all from the motion
    told = [s for s in run.info["messages"] if "changes its velocity at once" in s]
    assert told == [
        "at time 0.5 MOTION/1 'drive' changes its velocity at once from 0 to 1: what it drives is struck, and the "
        "kinetic energy changes by 1 N*m"
    ]
    assert not any("without a source" in s for s in run.info["messages"])


@pytest.mark.parametrize(
    ("function", "f", "corners"),
    [
        ("STEP(TIME,0.3,0,0.31,1)", lambda t: _step(t, 0.3, 0.31), (0.3, 0.31)),
        ("HAVSIN(TIME,0.42,0,0.43,5)-HAVSIN(TIME,0.43,0,0.44,5)", None, ()),
        ("ABS(SIN(20*TIME))", lambda t: abs(np.sin(20 * t)), tuple(np.pi * np.arange(1, 7) / 20)),
        ("MOD(7*TIME,1)", lambda t: (7 * t) % 1, tuple(np.arange(1, 7) / 7)),
        ("MAX(0.2,MIN(TIME,0.7))", lambda t: max(0.2, min(t, 0.7)), (0.2, 0.7)),
        ("IF(SIN(31*TIME)-0.3:-1,0,2)", lambda t: 2.0 if np.sin(31 * t) > 0.3 else -1.0, None),
    ],
)
def test_functions_of_velocity_in_pieces(function, f, corners):
    """The default of a mechanism without degrees of freedom, at steps that know nothing of the pieces."""
    if f is None:  # two half waves of 0.01 each: the mean of HAVSIN is one half
        want = 5 * 0.01
    elif corners is None:
        t = (np.arcsin(0.3) + 2 * np.pi * np.arange(6)) / 31, (np.pi - np.arcsin(0.3) + 2 * np.pi * np.arange(6)) / 31
        want = -1.0 + 3.0 * sum(max(min(b, 1.0) - min(a, 1.0), 0.0) for a, b in zip(*t))
    else:
        edges = (0.0, *corners, 1.0)
        want = sum(quad(f, a + 1e-15, b - 1e-15, epsabs=1e-13)[0] for a, b in zip(edges[:-1], edges[1:]))
    for steps in (10, 3):
        assert end(hn.simulate(slide(function), end=1.0, steps=steps)) == pytest.approx(want, abs=1e-9)


def _step(t, a, b):
    s = min(max((t - a) / (b - a), 0.0), 1.0)
    return s * s * (3 - 2 * s)


def test_a_polygon_of_velocities_from_a_spline():
    """A peak of 10 ms in a table: its knots are ends of steps."""
    m = slide("0")
    spline = m.spline((0, 0.6, 0.605, 0.61, 1.0, 1.1), (0, 0, 8.0, 0, 0, 0))
    m.table("MOTION")[1].function = f"INTERP(TIME,1,{spline.id})"
    assert end(hn.simulate(m, end=1.0, steps=4)) == pytest.approx(0.04, abs=1e-12)


@pytest.mark.parametrize("options", ALL)
def test_an_acceleration_that_jumps(options):
    loose = options.get("integrator") == "GSTIFF"
    run = hn.simulate(slide("IF(TIME-0.5:0,0,1)", "ACCELERATION"), end=1.0, steps=7, **options)
    assert end(run) == pytest.approx(0.125, abs=2e-4 if loose else 1e-12)
    assert float(run.part("b").velocity[-1, 0]) == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(
    "options", [dict(integrator="DOP853"), dict(integrator="GSTIFF", formulation="SI2"), dict(integrator="ABAM")]
)
def test_a_corner_of_a_displacement_strikes_what_hangs_on_it(options):
    """x = max(0, t - 1/2) pulls a mass of 1 kg at a spring of 9 N/m: x_c = 1 + s - sin(3 s)/3 with s = t - 1/2."""
    error = {"error": 1e-8}
    run = hn.simulate(
        slide("IF(TIME-0.5:0,0,TIME-0.5)", "DISPLACEMENT", load=True), end=2.0, steps=9, **options, **error
    )
    assert end(run) == pytest.approx(1.5, abs=1e-9)
    assert end(run, "c") == pytest.approx(1.0 + 1.5 - np.sin(4.5) / 3.0, abs=2e-5)
    assert any("MOTION/1 'drive' changes its velocity at once from 0 to 1" in s for s in run.info["messages"])


def test_a_joint_driven_at_once_strikes_a_whole_chain():
    """A rod of 1 m hangs by a pin on a slider that starts at once: u+ by the projection, omega = 3 v/(2 l) about its
    end."""
    m = hn.Model("hung", units="SI")
    slider = m.part("slider", 1.0, (1, 1, 1), (0, 0, 0))
    rod = m.part("rod", 2.0, (2 / 12, 2 / 12, 1e-3), (0, 0, -0.5))
    m.motion(
        m.translational(slider, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0)), "IF(TIME-0.1:0,0,2)", level="VELOCITY"
    )
    m.revolute(rod, slider, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    run = hn.simulate(m, end=0.1 + 1e-6, steps=1, integrator="RADAU5")
    # about the pin: J w = - m c v with J = m l^2/3, c = l/2; the rod's middle goes at v - c 3v/(2l) = v/4
    assert float(run.part("rod").velocity[-1, 0]) == pytest.approx(2.0 / 4.0, rel=1e-4)
    assert abs(float(run.part("rod").angular_velocity[-1, 1])) == pytest.approx(3.0, rel=1e-4)


def test_a_displacement_that_jumps_is_refused_with_what_mends_it():
    for options in ALL:
        if options:
            with pytest.raises(
                IntegrationError,
                match=r"MOTION/1 'drive': its displacement jumps from 0 to 1 at time 0.5.*STEP\(TIME, 0.5, 0",
            ) as caught:
                hn.simulate(slide("IF(TIME-0.5:0,0,1)", "DISPLACEMENT"), end=1.0, steps=10, **options)
            assert caught.value.run.time[-1] == pytest.approx(0.5)


def test_what_failed_is_not_advised():
    every = " ".join(t for texts in TRIES.values() for t in texts)
    assert "RADAU5" in every and "SI2" in every and "HHT" in every
    assert "SI2" not in others(every, "GSTIFF", "SI2") and "RADAU5" in others(every, "GSTIFF", "SI2")
    assert "RADAU5" not in others(every, "RADAU5", "SI2") and "GSTIFF with SI2" in others(every, "RADAU5", "SI2")
    assert "HHT" not in others(every, "HHT", None) and "RADAU5" in others(every, "HHT", None)
    assert others(every, "GSTIFF", "I3") == every
    assert others(every, "WSTIFF", "SI1") == others(every, "GSTIFF", "SI2")  # their steps end at the same point


@pytest.mark.parametrize(
    "options",
    [
        dict(integrator="GSTIFF", formulation="SI2"),
        dict(integrator="GSTIFF", formulation="SI1"),
        dict(integrator="RADAU5"),
    ],
)
def test_a_velocity_that_nothing_can_follow_is_not_given_to_another_that_sees_velocities(options):
    """v = tan(3 t) has a pole at pi/6: whoever has velocities in its error test ends there, so none of these is advised
    in place of another."""
    with pytest.raises(IntegrationError) as caught:
        hn.simulate(slide("TAN(3*TIME)", "VELOCITY", load=True), end=1.0, steps=10, **options)
    advice = str(caught.value).split("; try ")[1]
    assert "GSTIFF with I3 or HHT" in advice and "MOTION" in advice
    assert "RADAU5" not in advice and "SI2" not in advice and "SI1" not in advice


@pytest.mark.parametrize("options", ALL)
def test_a_velocity_that_jumps_at_the_end_has_its_value_before_it(options):
    """A saw tooth, v = t mod 1/4, to the end of a tooth: x = 4 (1/4)^2/2 = 1/8; what follows begins behind the jump."""
    sim = hn.Simulation(slide("MOD(4*TIME,1)/4", "VELOCITY", load=True), progress=False)
    sim.dynamics(end=1.0, steps=8, **options)
    run = sim.run()
    assert run.time[-1] == 1.0 and sim.time == 1.0
    assert end(run) == pytest.approx(0.125, abs=1e-3)
    assert float(run.part("b").velocity[-1, 0]) == pytest.approx(0.25, abs=1e-9)
    sim.dynamics(end=1.125, steps=1, **options)
    assert end(sim.run()) == pytest.approx(0.125 + 0.125**2 / 2, abs=1e-3)
