"""Event-driven runs go through what has no order of events that can be followed, by time-stepping for a while, and
state this."""

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.contact.rigid_events import RigidEvents
from holonom.integrators.moreau_jean import MoreauJean
from holonom.integrators.stepper import IntegrationError
from holonom.integrators.switching import Switching

SIZE, G = 0.1, 9.81


def stack(offset, drop, e, masses=(1.0,) * 5):
    """Boxes one over the other, every second one shifted by ``offset``, each ``drop`` above the one below."""
    m = hn.Model("stack")
    m.gravity = (0, 0, -G)
    below = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    for k, mass in enumerate(masses):
        at = (offset * (k % 2), 0, SIZE * (k + 0.5) + drop * (k + 1))
        body = m.part(f"b{k}", mass, (mass * SIZE**2 / 6,) * 3, at)
        shape = m.box(body, at, (SIZE,) * 3)
        m.contact(shape, below, mu=0.5, restitution=e)
        below = shape
    return m


def told(run):
    return [text for text in run.info["messages"] if "taken by time-stepping" in text]


def test_snapshots_inside_and_outside_of_it_keep_their_bits():
    m = hn.Model("ball")
    m.gravity = (0, 0, -G)
    m.rigid.most_events = 5  # within a thousandth of the analysis
    ball = m.part("ball", 1.0, (0.004,) * 3, (0, 0, 0.1001))
    m.contact(m.sphere(ball, (0, 0, 0.1001), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=0.9)
    sim = hn.Simulation(m)
    sim.open(contact="events", duration=100.0)
    times = [0.02, 0.028, 0.04, 0.06, 0.15, 0.3]
    kept = []
    for t in times:
        sim.advance(t)
        kept.append(sim.snapshot())
    end = sim.y.copy()
    for k, snapshot in enumerate(kept[:-1]):
        sim.restore(snapshot)
        for t in times[k + 1 :]:
            sim.advance(t)
        assert np.array_equal(sim.y, end), times[k]
    assert told(sim.run())


def test_no_other_integrator_takes_over_within_it(monkeypatch):
    """Contacts are constraints of its steps alone: another integrator would go through them."""
    asked = []
    after = Switching.after
    monkeypatch.setattr(
        Switching,
        "after",
        lambda self, stepper, step, ahead: asked.append(stepper.name) or after(self, stepper, step, ahead),
    )
    m = hn.Model("ball")
    m.gravity = (0, 0, -G)
    m.rigid.most_events = 5
    ball = m.part("ball", 1.0, (0.004,) * 3, (0, 0, 0.1001))
    m.contact(m.sphere(ball, (0, 0, 0.1001), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=0.9)
    sim = hn.Simulation(m)
    sim.open(contact="events", duration=100.0)
    sim.advance(0.3)
    assert told(sim.run()) and asked and MoreauJean.name not in asked


def test_an_impact_that_was_missed_ends_the_run(monkeypatch):
    """What is inside something else got there by a fault of the search; nothing that follows would be right."""
    monkeypatch.setattr(RigidEvents, "_touching", lambda self, stepper, a, end: end if end > 0.2 else None)
    m = hn.Model("ball")
    m.gravity = (0, 0, -G)
    ball = m.part("ball", 1.0, (0.004,) * 3, (0, 0, 0.11))
    m.contact(m.sphere(ball, (0, 0, 0.11), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)))
    with pytest.raises(IntegrationError, match="inside each other by .* was not seen"):
        hn.simulate(m, 0.5, 10, contact="events", referee=False, hmax=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(("drop", "e"), [(0.02, 0.3), (0.005, 0.5)])
def test_a_stack_with_offsets_comes_to_rest(drop, e):
    run = hn.simulate(stack(0.01, drop, e), 1.0, 20, contact="events")
    z = np.array([run.part(f"b{k}").position.values[-1, 2] for k in range(5)])
    assert z == pytest.approx(SIZE * (np.arange(5) + 0.5), abs=1e-5)
    lost = G * drop * np.arange(1, 6).sum()
    assert run.data.energy_dissipated[-1] == pytest.approx(lost, rel=0.02)
    assert run.time[-1] == 1.0  # whether events are followed to the end or time-stepping helps for a while


@pytest.mark.slow
@pytest.mark.parametrize("heavy", [1e3, 1e6])
def test_a_heavy_box_on_a_light_one(heavy):
    run = hn.simulate(stack(0.0, 0.0, 0.0, (1.0, heavy, 1.0)), 0.1, 10, contact="time-stepping", step=2e-3)
    z = np.array([run.part(f"b{k}").position.values[-1, 2] for k in range(3)])
    assert z == pytest.approx(SIZE * (np.arange(3) + 0.5), abs=1e-5)
