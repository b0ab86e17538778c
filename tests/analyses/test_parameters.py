"""Numbers of forces that change while a simulation is stepped: against closed forms, with the energy booked, and back
by a snapshot."""

import numpy as np
import pytest

import holonom as hn

M, K1, K2, X0, T1, END = 2.0, 50.0, 200.0, 0.1, 0.35, 1.1


def oscillator(**spring):
    """A mass in a slide along x on a spring from (-1, 0, 0), unloaded at the origin."""
    model = hn.Model("oscillator", units="SI")
    body = model.part("block", mass=M, inertia=(1, 1, 1), position=(X0, 0, 0))
    model.translational(body, model.ground, "slide", at=(X0, 0, 0), axis=(1, 0, 0))
    model.spring_damper(
        body.cm, model.marker(model.ground, (-1, 0, 0)), **{"k": K1, "length": 1.0, "name": "spring", **spring}
    )
    return model


def swung(t):
    """Position at times of the mass whose stiffness goes from K1 to K2 at T1, in closed form."""
    a, b = np.sqrt(K1 / M), np.sqrt(K2 / M)
    x, v = X0 * np.cos(a * T1), -X0 * a * np.sin(a * T1)
    return np.where(t <= T1, X0 * np.cos(a * t), x * np.cos(b * (t - T1)) + v / b * np.sin(b * (t - T1)))


@pytest.mark.parametrize("record", ["advance", "none"])
@pytest.mark.parametrize(
    ("method", "near"),
    [
        ({"integrator": "RK4", "step": 1e-3}, 1e-9),
        ({"integrator": "DOP853", "error": 1e-10}, 1e-8),
        ({"integrator": "GSTIFF", "error": 1e-7}, 1e-5),
    ],
)
def test_a_stiffness_that_jumps_gives_the_closed_form_and_its_energy_is_booked(method, near, record):
    model = oscillator()
    spring = model.table("SPRINGDAMPER")[1]
    sim = hn.Simulation(model)
    sim.open(**method, record=record, duration=END)
    places = []
    times = np.linspace(0, END, 111)[1:]
    for t in times:
        sim.advance(float(t))
        places.append(sim.state["block"].position[0])
        if abs(t - T1) < 1e-9:
            sim.set_parameter(spring, "k", K2)
    assert np.abs(np.array(places) - swung(times)).max() < near
    if record == "advance":
        run = sim.run()
        x = swung(np.array([T1]))[0]
        assert run.data.energy_input[-1] == pytest.approx(
            0.5 * (K2 - K1) * x**2, abs=(K2 - K1) * abs(x) * near
        ) and run.audit().ok(1e-4)
        assert run.info["parameters"] == [[pytest.approx(T1), "SPRINGDAMPER", 1, "k", K1, K2]]
        assert any("K of SPRINGDAMPER/1 was changed at time 0.35, from 50 to 200" in m for m in run.info["messages"])


def test_many_numbers_of_other_pair_forces_are_those_of_a_model_that_has_them():
    """A bushing changed before the first step runs as the one that was drawn so; a beam too."""

    def mounted(k, c):
        model = hn.Model("mounted", units="SI")
        body = model.part("block", mass=M, inertia=(0.1, 0.2, 0.3), position=(0.01, 0.02, -0.01))
        model.bushing(
            body.cm,
            model.marker(model.ground, (0, 0, 0)),
            stiffness=k,
            damping=c,
            rotational_stiffness=(5.0, 6.0, 7.0),
            rotational_damping=(0.1, 0.1, 0.1),
        )
        return model

    want = hn.simulate(mounted((300.0, 200.0, 100.0), (1.0, 2.0, 3.0)), end=0.5, steps=10, integrator="RK4", step=1e-3)
    model = mounted((30.0, 20.0, 10.0), (0.0, 0.0, 0.0))
    sim = hn.Simulation(model)
    sim.open(integrator="RK4", step=1e-3, duration=0.5)
    bushing = model.table("BUSHING")[1]
    sim.set_parameter(bushing, "k", np.array([300, 200, 100]))
    sim.set_parameter(bushing, "c", [1, 2, 3])
    for t in want.time[1:]:
        sim.advance(float(t))
    got = sim.run()
    assert np.abs(got.part("block").position.values - want.part("block").position.values).max() < 1e-14
    assert bushing.k == (300.0, 200.0, 100.0)


def test_a_snapshot_has_the_number_that_was_and_other_analyses_take_the_last():
    model = oscillator()
    spring = model.table("SPRINGDAMPER")[1]
    sim = hn.Simulation(model)
    sim.open(integrator="RK4", step=1e-3, record="none")
    sim.advance(0.2)
    start, ends = sim.snapshot(), []
    for k in (K1, K2, K1):
        sim.restore(start)
        sim.set_parameter(spring, "k", k)
        sim.advance(0.5)
        ends.append(sim.state["block"].position[0])
    assert ends[0] == ends[2] and abs(ends[0] - ends[1]) > 1e-3
    sim.set_parameter(spring, "k", K2)
    sim.set_parameter(spring, "force", 30.0)
    sim.close()
    sim.statics()
    assert sim.state["block"].position[0] == pytest.approx(30.0 / K2, rel=1e-9)
    sim.set_parameter(
        spring, "k", K1
    )  # nothing is open: the next analysis takes it, and not the system that was built with it first
    sim.statics()
    assert sim.state["block"].position[0] == pytest.approx(30.0 / K1, rel=1e-9)


def test_numbers_of_a_contact_are_written_where_they_lie_and_the_rest_opens_the_analysis_anew():
    """A ball that lies on a floor sinks in by weight over stiffness; friction that was none needs another kernel, and
    slows it by mu g."""
    model = hn.Model("ball", units="SI")
    model.gravity = (0, 0, -9.81)
    ball = model.part("ball", mass=1.0, inertia=(0.004,) * 3, position=(0, 0, 0.0999))
    contact = model.contact(
        model.sphere(ball, (0, 0, 0.0999), 0.1),
        model.plane(model.ground, (0, 0, 0), (0, 0, 1), size=3.0),
        stiffness=1e5,
        damping=500.0,
        dmax=1e-6,
        exponent=1.0,
    )
    sim = hn.Simulation(model)
    sim.open(integrator="GSTIFF", error=1e-6)
    sim.advance(0.5)
    first, system = sim._stepping, sim.system
    assert 0.1 - sim.state["ball"].position[2] == pytest.approx(9.81 / 1e5, rel=1e-3)
    sim.set_parameter(contact, "stiffness", 2e4)
    sim.set_parameter(contact, "damping", 400.0)
    assert sim._stepping is first and sim.system is system and list(system.contacts.S.p[0, [0, 2]]) == [2e4, 400.0]
    sim.advance(1.5)
    assert 0.1 - sim.state["ball"].position[2] == pytest.approx(9.81 / 2e4, rel=1e-3)
    early = sim.run()
    assert early.audit().ok(1e-2)
    assert early.data.energy_input[-1] == pytest.approx(
        0.5 * (2e4 - 1e5) * (9.81 / 1e5) ** 2, rel=1e-2
    )  # of a spring of the first depth that grows soft
    before = sim._stepping
    sim.set_parameter(contact, "rolling_resistance", 0.01)
    assert sim._stepping is not before and sim.system.contacts.S.pe[0, 0] == 0.01
    now = sim._stepping
    sim.set_parameter(contact, "rolling_resistance", 0.02)
    assert sim._stepping is now and sim.system.contacts.S.pe[0, 0] == 0.02
    with pytest.raises(hn.ModelError, match="CONTACT/1"):
        sim.set_parameter(contact, "stiffness", -1.0)
    assert contact.stiffness == 2e4 and sim.system.contacts.S.p[0, 0] == 2e4


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("k", -1.0, "k is -1: a negative stiffness"),
        ("c", -1.0, "c is -1: a negative damping"),
        ("k", "3", "give"),
        ("k", (1.0, 2.0, 3.0), "give"),
        ("k", float("nan"), "give"),
        ("i", 3, "no parameter"),
        ("stifness", 1.0, "no parameter"),
    ],
)
def test_what_is_refused_says_why_and_changes_nothing(name, value, words):
    model = oscillator()
    spring = model.table("SPRINGDAMPER")[1]
    sim = hn.Simulation(model)
    sim.open(integrator="RK4", step=1e-3)
    sim.advance(0.1)
    with pytest.raises(hn.ModelError, match=words):
        sim.set_parameter(spring, name, value)
    assert spring.k == K1 and not sim.parameters


def test_negative_constants_of_a_dataset_may_change():
    """Another program accepts a spring that pushes apart: it continues with a warning."""
    model = oscillator()
    spring = model.table("SPRINGDAMPER")[1]
    spring.k = -1.0
    sim = hn.Simulation(model)
    with pytest.warns(hn.ModelWarning, match="k is -2: a negative stiffness"):
        sim.set_parameter(spring, "k", -2.0)
    assert spring.k == -2.0


@pytest.mark.parametrize("what", ["spring", "SPRING", "springdamper/1", "model.spring"])
def test_elements_are_found_by_name(what):
    model = oscillator(name="model.spring" if "." in what else "spring")
    sim = hn.Simulation(model)
    sim.set_parameter(what, "k", 20.0)
    assert model.table("SPRINGDAMPER")[1].k == 20.0


def test_names_that_none_or_several_have():
    model = oscillator()
    sim = hn.Simulation(model)
    for what, says in (("sprong", "did you mean 'spring'"), ("BUSHING/7", "no BUSHING/7"), (5, "5 is not an element")):
        with pytest.raises(hn.ModelError, match=says):
            sim.set_parameter(what, "k", 20.0)
    body = model.find("PART", "block")
    model.sforce(body.cm, model.marker(model.ground, (-1, 0, 0)), "1", name="spring")
    with pytest.raises(
        hn.ModelError, match="'spring' is the name of SFORCE/1 'spring', SPRINGDAMPER/1|SPRINGDAMPER/1 .*SFORCE"
    ):
        sim.set_parameter("spring", "k", 20.0)
