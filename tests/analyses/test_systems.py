"""A simulation builds one system for each topology, and analyses that share it have the bits of systems of their
own."""

from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.session import systems
from holonom.results._data import RunData

SHIPPED = Path(hn.__file__).parent / "models"


@pytest.fixture
def builds(monkeypatch):
    """Systems that have been built, in order."""
    made = []

    class Counted(systems.System):
        def __init__(self, *args, **more):
            made.append(more)
            super().__init__(*args, **more)

    monkeypatch.setattr(systems, "System", Counted)
    return made


def slider():
    m = hn.Model(units="SI")
    m.gravity = (0.0, 0.0, -9.81)
    block = m.part(mass=2.0, inertia=(0.1, 0.2, 0.3), position=(0, 0, 0.5), name="block")
    rail = m.translational(block, m.ground, at=(0, 0, 0), axis=(0, 0, 1), name="rail")
    m.spring_damper(
        m.marker(block, (0, 0, 0.5)), m.marker(m.ground, (0, 0, 0)), stiffness=100.0, damping=0.5, length=0.5
    )
    return m, block, rail


def everything(sim):
    sim.statics()
    sim.dynamics(duration=0.01, steps=3)
    linear = sim.linearize()
    sim.dynamics(duration=0.01, steps=3)
    return linear


def same(a: RunData, b: RunData) -> None:
    for name, value in vars(a).items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            assert np.array_equal(value, getattr(b, name), equal_nan=True), name


def test_statics_dynamics_and_linear_analysis_share_one_system(builds):
    sim = hn.Simulation(slider()[0], progress=False)
    everything(sim)
    assert len(builds) == 1
    sim.initial()
    assert sim.degrees_of_freedom() == 1
    assert len(builds) == 1


@pytest.mark.parametrize(
    "name", ["flyball_governor", "newtons_cradle", "clearance_slider_crank", "geneva_wheel", "bicycle"]
)
def test_a_shared_system_has_the_bits_of_a_new_one(name):
    def of_one(share: bool):
        sim = hn.Simulation(hn.read_adams(SHIPPED / f"{name}.adm"), progress=False, missing="zero")
        sim.systems.share = share
        try:
            sim.statics()
        except hn.ModelError:
            assert name == "bicycle"  # which has no static equilibrium
        sim.dynamics(duration=0.01, steps=3)
        linear = sim.linearize()
        sim.dynamics(duration=0.01, steps=3, integrator="GSTIFF")
        sim.dynamics(duration=0.005, steps=2)
        return sim, linear

    (a, la), (b, lb) = of_one(True), of_one(False)
    assert a.messages == b.messages
    assert np.array_equal(la.A, lb.A)
    same(a.run().data, b.run().data)


def test_what_a_linear_analysis_takes_goes_back_to_a_simulation_that_is_stepped():
    runs = []
    for linear in (True, False):
        m, *_ = slider()
        sim = hn.Simulation(m, progress=False)
        sim.open("DOP853")
        sim.advance(0.02)
        if linear:
            sim.linearize()
        sim.advance(0.05)
        runs.append((sim.y.copy(), sim.run().data))
    assert np.array_equal(runs[0][0], runs[1][0])
    same(runs[0][1], runs[1][1])


def test_a_change_of_the_drawing_is_another_system(builds):
    m, block, rail = slider()
    sim = hn.Simulation(m, progress=False)
    sim.statics()
    one = sim.y[2]
    block.mass = 4.0
    sim.statics()
    assert len(builds) == 2
    assert one - sim.y[2] == pytest.approx(2.0 * 9.81 / 100.0)
    block.mass = 2.0
    sim.statics()
    assert len(builds) == 2, "the first one is there still"
    assert sim.y[2] == pytest.approx(one, abs=1e-12)
    m.gravity = (0.0, 0.0, 0.0)
    sim.deactivate(rail)
    assert sim.degrees_of_freedom() == 6
    sim.dynamics(duration=0.01, steps=1)
    assert len(builds) == 3
    sim.activate(rail)
    sim.dynamics(duration=0.01, steps=1)
    assert len(builds) == 4


def test_contacts_as_forces_and_as_constraints_are_two_systems(builds):
    m = hn.Model(units="SI")
    m.gravity = (0.0, 0.0, -9.81)
    ball = m.part(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.3))
    m.contact(
        m.sphere(ball, (0, 0, 0.3), 0.1),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        stiffness=1e5,
        damping=10.0,
        restitution=0.5,
    )
    sim = hn.Simulation(m, progress=False)
    for contact in ("compliant", "events", "compliant", "time-stepping"):
        sim.dynamics(duration=0.02, steps=2, contact=contact)
    assert len(builds) == 2


def test_a_file_that_has_changed_is_read_anew(builds, tmp_path):
    m, block, _ = slider()
    table = tmp_path / "force.csv"
    m.path = str(tmp_path / "model.adm")
    before = systems.mark(m, {})
    table.write_text("0 1\n1 2\n")
    spline = m.spline([0, 1, 2, 3], [0, 1, 2, 3], name="force")
    assert systems.mark(m, {}) != before
    spline.file = "force.csv"
    named = systems.mark(m, {})
    table.write_text("0 1\n1 2\n2 3\n")
    assert systems.mark(m, {}) != named


def test_a_routine_is_told_of_the_beginning_of_each_analysis(builds):
    m, block, _ = slider()
    begun = []

    def push(call):
        if call.initial:
            begun.append(call.time)
        return 0.0

    m.sforce(m.marker(block, (0, 0, 0.5)), m.marker(m.ground, (0, 0, 0)), push)
    sim = hn.Simulation(m, progress=False)
    sim.dynamics(duration=0.01, steps=1)
    first = len(begun)
    sim.dynamics(duration=0.01, steps=1)
    assert len(builds) == 2 and len(begun) == 2 * first


def test_one_analysis_takes_no_marks(monkeypatch):
    monkeypatch.setattr(systems, "mark", None)
    assert hn.simulate(slider()[0], end=0.01, steps=1, progress=False).time[-1] == 0.01
