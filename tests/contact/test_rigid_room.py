"""Tables of the contact search grow with a heap that time-stepping makes denser than they were sized for."""

import numpy as np

from holonom import Model
from holonom.analyses.assemble import assemble
from holonom.contact.tables import POINTS
from holonom.integrators import Options, make_integrator
from holonom.system import contacts
from holonom.system.build import System


def heap():
    m = Model("heap")
    m.gravity = (0, 0, -9.81)
    m.rigid.theta = 1.0
    at = 0.09 * np.stack(np.meshgrid(*3 * [np.arange(5.0)], indexing="ij"), axis=-1).reshape(-1, 3) + (0, 0, 0.05)
    grains = m.grains(
        at + np.random.default_rng(3).uniform(-2e-3, 2e-3, at.shape),
        shape="BOX",
        dimensions=(0.08,) * 3,
        density=1000.0,
    )
    m.contact(grains, grains, mu=0.5)
    m.contact(grains, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), mu=0.5)
    return m


def run(steps=60):
    system = System(heap(), rigid=True)
    first = len(system.contacts.W.pts), len(system.contacts.W.near)
    stepper = make_integrator("MOREAU_JEAN", system, Options(hmax=2e-3, fixed=True))
    stepper.start(0.0, assemble(system).y, 1.0)
    for _ in range(steps):
        stepper.step(1.0)
    return (
        stepper.y.copy(),
        first,
        (len(system.contacts.W.pts), len(system.contacts.W.near)),
        int(system.contacts.W.count[POINTS]),
    )


def test_full_tables_grow_and_change_no_bit(monkeypatch):
    y, first, last, points = run()
    assert points > 300
    assert first == last  # enough room from the start
    for name in ("NEAR_EACH", "NEAR_GRAIN", "POINTS_GRAIN"):
        monkeypatch.setattr(contacts, name, 1)
    monkeypatch.setattr(contacts, "LEAST_ROOM", (16, 64))
    again, first, last, _ = run()
    assert (again == y).all()
    assert last[0] >= points > first[0] and last[1] > first[1]
