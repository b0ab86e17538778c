"""The automatic choice where there are contacts: who hands over to whom, why, and what it gives."""

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.contact.events import ContactEvents

G = 9.81
STIFFNESS = 1e8


@pytest.fixture(scope="module")
def run():
    """A ball that bounces and comes to rest, next to a sled whose damper makes the model stiff for explicit methods."""
    m = hn.Model("ball and sled")
    m.gravity = (0, 0, -G)
    ball = m.part("ball", 0.5, (2e-5,) * 3, (0, 0, 0.012))
    m.contact(
        m.sphere(ball, (0, 0, 0.012), 0.01),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        stiffness=STIFFNESS,
        exponent=1.5,
        damping=300.0,
        dmax=1e-4,
    )
    sled = m.part("sled", 1.0, (1, 1, 1), (1, 0, 0))
    m.translational(sled, m.ground, at=(1, 0, 0), axis=(1, 0, 0))
    m.vforce(sled.cm, None, f"10*SIN(5*TIME)-1E4*VX({sled.cm})", "0", "0")
    return hn.simulate(m, end=1.0, steps=100, error=1e-3, progress=False)


def test_hand_overs_of_a_ball_that_comes_to_rest(run):
    changes = [t for t in run.info["messages"] if "switching to" in t]
    times = [float(t.split()[2]) for t in changes]
    assert times == sorted(times)
    assert "stability limits the step of DOP853: the model is stiff; switching to GSTIFF SI2" in changes[0]
    to_radau = next(i for i, t in enumerate(changes) if "impacts come every" in t and "switching to RADAU5" in t)
    back = next(i for i, t in enumerate(changes) if "contact lasts; switching to GSTIFF SI2" in t)
    assert 0 < to_radau < back
    assert times[to_radau] < 0.6  # while it still bounces


def test_nothing_is_gained_in_between(run):
    """Methods that check positions only, handed an impact that has begun, once threw the ball ten times as high as it
    fell from."""
    z = run.part("ball").position.values[:, 2] - 0.01
    assert z.max() <= 0.002 * (1 + 1e-9) and z.min() > -3e-4
    late = z[run.time > 0.9]
    rest = (0.5 * G / STIFFNESS) ** (1 / 1.5)
    assert late == pytest.approx(np.full(len(late), -rest), abs=0.5 * rest)


def test_explicit_methods_locate_again_after_patient_ones():
    """A method of the other kind begins with pairs held open, whatever the one before it had decided."""
    m = hn.Model("ball")
    ball = m.part("ball", 0.5, (2e-5,) * 3, (0, 0, 0.012))
    m.contact(
        m.sphere(ball, (0, 0, 0.012), 0.01), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), stiffness=STIFFNESS, dmax=1e-4
    )
    simulation = hn.Simulation(m, progress=False)
    simulation.dynamics(end=1e-3, steps=1, integrator="DOP853")
    system = simulation.system
    touch = ContactEvents(system)
    touch._arrivals = 1  # has just been in contact
    y = simulation.y.copy()
    touch.begin(0.0, y, True)
    assert not touch.held
    touch.begin(0.0, y, False)
    assert touch.held
    touch.release()


def test_advice_to_those_who_ask_for_a_method_that_impacts_do_not_suit():
    """Said once, and the method stays."""
    m = hn.Model("ball")
    m.gravity = (0, 0, -G)
    ball = m.part("ball", 0.5, (2e-5,) * 3, (0, 0, 0.011))
    m.contact(
        m.sphere(ball, (0, 0, 0.011), 0.01),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        stiffness=STIFFNESS,
        exponent=1.5,
        dmax=1e-4,
    )
    run = hn.simulate(m, end=0.25, steps=2, integrator="GSTIFF", error=1e-4, progress=False)
    told = [t for t in run.info["messages"] if "RADAU5, or DOP853 where nothing is stiff" in t]
    assert len(told) == 1 and "GSTIFF restarts at each" in told[0]
    assert not any("switching to" in t for t in run.info["messages"])
