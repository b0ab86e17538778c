"""Masses that slide in parts: one coordinate each in place of a body and its joint, against point masses on lines."""

import numpy as np
import pytest

import holonom as hn
from holonom.integrators.methods import METHODS

LINES = (
    ((1.3, 0.1, 0.2), (1, 0, 0), 0.8, 60.0, 0.5, 0.3, 0.35, 0.1),
    ((1.2, 0.0, -0.1), (0, 1, 1), 0.5, 40.0, 0.2, 0.2, 0.25, -0.2),
)


def machine(sliding: bool) -> hn.Model:
    """A tank hanging on an arm, with two masses in it, as coordinates of the tank or as bodies of their own."""
    m = hn.Model("slosh")
    m.gravity = (0, 0, -9.81)
    arm = m.part("arm", 2.0, (0.02, 0.3, 0.3), position=(0.5, 0, 0))
    m.revolute(arm, m.parts[1], at=(0, 0, 0), axis=(0, 1, 0))
    tank = m.part("tank", 3.0, (0.1, 0.12, 0.2), position=(1.2, 0.1, 0.0))
    m.spherical(arm, tank, at=(1.0, 0, 0))
    for at, z, mass, k, c, length, travel, speed in LINES:
        z = np.array(z, float) / np.linalg.norm(z)
        if sliding:
            m.sliding_mass(tank, at, z, mass=mass, stiffness=k, damping=c, length=length, travel=travel, speed=speed)
        else:
            p = m.point_mass(mass=mass, position=np.array(at) + travel * z, velocity=speed * z)
            base = m.marker_at(tank, at, z=z)
            m.primitive("INLINE", p.cm, base)
            m.spring_damper(p.cm, base, stiffness=k, damping=c, length=length)
    return m


@pytest.fixture(scope="module")
def reference():
    return hn.simulate(machine(False), end=0.5, steps=10, integrator="DOP853", error=1e-12)


#: largest difference of a position, m; methods of order one and those of a fixed step of 1e-4 are coarser
BOUNDS = {
    "SEMI_IMPLICIT_EULER": 1e-3,
    "EXPLICIT_EULER": 1e-2,
    "IMPLICIT_EULER": 5e-3,
    "GSTIFF": 1e-5,
    "CONSTANT_BDF": 1e-4,
    "HHT": 1e-4,
    "NEWMARK": 1e-4,
    "GENERALIZED_ALPHA": 1e-4,
}
QUICK = ("DOP853", "GSTIFF", "HHT", "ABAM")


@pytest.mark.parametrize(
    "method", [m if m in QUICK else pytest.param(m, marks=pytest.mark.slow) for m in METHODS if m != "MOREAU_JEAN"]
)
def test_a_coordinate_is_a_point_mass_on_a_line(method, reference):
    more = {"hmax": 1e-4} if METHODS[method].error is None else {"error": 1e-4 if method == "IMPLICIT_EULER" else 1e-7}
    if method in ("GSTIFF", "NEWMARK"):
        more["formulation"] = "SI2"
    run = hn.simulate(machine(True), end=0.5, steps=10, integrator=method, **more)
    assert np.abs(run.data.body_position[:, :2] - reference.data.body_position[:, :2]).max() < BOUNDS.get(method, 1e-6)
    for name in ("energy_kinetic", "energy_gravity", "energy_elastic", "energy_dissipated"):
        a, b = (getattr(r.data, name) for r in (run, reference))
        assert np.abs(a - b).max() < 100.0 * BOUNDS.get(method, 1e-6) * 10.0, name


def test_travel_is_the_distance_of_the_point_mass(reference):
    run = hn.simulate(machine(True), end=0.5, steps=10, integrator="DOP853", error=1e-10)
    for k in range(2):
        spring = reference.model.table("SPRINGDAMPER")[k + 1]
        base = reference.marker(spring.j).position.values
        mass = reference.marker(spring.i).position.values
        assert np.abs(np.linalg.norm(mass - base, axis=1) - run.state(f"SLIDING_MASS_{k + 1}[0]").values).max() < 1e-7


def test_statics_finds_the_same_energy():
    a, b = (hn.simulate(machine(s), end=0, kind="statics") for s in (True, False))
    energy = [r.data.energy_gravity[-1] + r.data.energy_elastic[-1] for r in (a, b)]
    assert energy[0] == pytest.approx(energy[1], abs=1e-9)
    assert np.abs(a.state("SLIDING_MASS_1[1]").values).max() == 0.0


def test_a_free_body_keeps_momentum_and_energy():
    m = hn.Model()
    p = m.part("p", 2.0, (0.1, 0.2, 0.3))
    p.vx, p.wy, p.wz = 1.0, 2.0, 0.5
    m.sliding_mass(p, (0.1, 0.2, 0), (1, 1, 0), mass=0.5, stiffness=20.0, travel=0.1)
    run = hn.simulate(m, end=5, steps=50, integrator="DOP853", error=1e-10)
    energy = run.data.energy_kinetic + run.data.energy_elastic
    assert np.ptp(energy) < 1e-7 * energy.max()
    assert np.ptp(run.data.energy_elastic) > 0.01 * energy.max()  # the mass swings all the while


def test_units_make_no_difference():
    runs = []
    for factor in (1.0, 1000.0):
        m = hn.Model(units="SI" if factor == 1.0 else "MMKS")
        m.gravity = (0, 0, -9.81 * factor)
        p = m.part("p", 2.0, tuple(factor**2 * np.array((0.1, 0.2, 0.3))), position=(0.3 * factor, 0, 0))
        m.revolute(p, m.parts[1], at=(0, 0, 0), axis=(0, 1, 0))
        m.sliding_mass(
            p,
            (0.3 * factor, 0, 0),
            (1, 0, 0),
            mass=0.5,
            stiffness=200.0 / factor,
            damping=1.0 / factor,
            travel=0.01 * factor,
        )
        runs.append(
            hn.simulate(m, end=1, steps=10, integrator="DOP853", error=1e-10).state("SLIDING_MASS_1[0]").values / factor
        )
    assert np.abs(runs[0] - runs[1]).max() < 1e-8


def test_saved_as_json_it_is_the_same():
    m = machine(True)
    a, b = (hn.simulate(x, end=0.1, steps=2) for x in (m, hn.Model.from_json(m.to_json())))
    assert np.array_equal(a.data.body_position, b.data.body_position)


def test_what_cannot_run_says_so():
    m = hn.Model()
    with pytest.raises(hn.ModelError, match="slides in a part that moves"):
        m.sliding_mass(m.parts[1], mass=1.0)
    p = m.part("p", 1.0, (1, 1, 1))
    with pytest.raises(hn.ModelError, match="mass is 0"):
        m.sliding_mass(p, mass=0.0)
    with pytest.raises(hn.ModelError, match="stiffness is -1"):
        m.sliding_mass(p, mass=1.0, stiffness=-1.0)
    m.sliding_mass(p, mass=1.0)
    with pytest.raises(hn.ModelError, match="not in time-stepping|contacts are rigid"):
        hn.simulate(m, end=0.1, contact="time-stepping")
    with pytest.raises(hn.ModelError, match="no statement for this kind"):
        hn.write_adams(m, "never.adm")
    m.gravity = (0, 0, -9.81)
    m.fixed(p, m.parts[1], at=(0, 0, 0))
    with pytest.raises(hn.ModelError, match="no static equilibrium"):
        hn.simulate(m, end=0, kind="statics")


def test_an_analysis_goes_on_where_the_one_before_ended(tmp_path):
    sim = hn.Simulation(machine(True))
    sim.dynamics(0.2, steps=2, integrator="DOP853", error=1e-10)
    sim.save(tmp_path / "half.state")
    sim.dynamics(0.4, steps=2, integrator="DOP853", error=1e-10)
    whole = hn.simulate(machine(True), end=0.4, steps=4, integrator="DOP853", error=1e-10)
    travel = (
        sim.run().state("SLIDING_MASS_2").values
        if callable(getattr(sim, "run", None))
        else sim.results().state("SLIDING_MASS_2").values
    )
    assert travel[-1] == pytest.approx(whole.state("SLIDING_MASS_2").values[-1], abs=1e-8)
    again = hn.Simulation(machine(True))
    again.reload(tmp_path / "half.state")
    again.dynamics(0.4, steps=2, integrator="DOP853", error=1e-10)
    assert again.y == pytest.approx(sim.y, abs=1e-8)


@pytest.mark.parametrize("method", ("DOP853", "GSTIFF"))
def test_other_states_stand_behind_the_coordinates(method):
    """Differential equations, measures and joint friction with states of its own next to sliding masses: against point
    masses."""
    runs = []
    for sliding in (True, False):
        m = machine(sliding)
        m.diff("1.0 - DIF(1)", ic=(0.25,))
        m.friction(next(iter(m.joints.values())), mu_static=0.3, mu_dynamic=0.2, pin_radius=0.05)
        more = {"formulation": "SI2"} if method == "GSTIFF" else {}
        runs.append(hn.simulate(m, end=0.3, steps=6, integrator=method, error=1e-8, **more))
    a, b = runs
    assert a.state("DIFF_1").values == pytest.approx(1.0 - 0.75 * np.exp(-a.time), abs=1e-6)
    assert np.abs(a.data.body_position[:, :2] - b.data.body_position[:, :2]).max() < 1e-5
    assert np.abs(a.state("SLIDING_MASS_1").values).max() < 1.0
