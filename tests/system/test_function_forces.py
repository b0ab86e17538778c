"""Forces given by functions: action and reaction, axes, momentum."""

import numpy as np
import pytest

from holonom import Model, ModelError, Simulation, simulate


def two(**more):
    m = Model("two")
    a = m.part("a", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0), **more)
    b = m.part("b", 2.0, (0.2, 0.2, 0.2), position=(1.0, 0.2, -0.3), angular_velocity=(0.3, 0.1, -0.4))
    return m, a, b


def momenta(run):
    """Linear and angular momentum about the origin, over time (isotropic inertias)."""
    P = L = 0
    for name, mass, J in (("a", 1.0, 0.1), ("b", 2.0, 0.2)):
        p = run.part(name)
        P = P + mass * p.velocity.values
        L = L + mass * np.cross(p.position.values, p.velocity.values) + J * p.angular_velocity.values
    return P, L


FORCES = {
    "sforce": lambda m, i, j, b: m.sforce(i, j, f"-30*(DM({i.id},{j.id}) - 0.8) - 0.5*VR({i.id},{j.id})"),
    "storque": lambda m, i, j, b: m.sforce(i, j, f"-2*WZ({i.id},{j.id},{j.id}) + SIN(TIME)", kind="ROTATIONAL"),
    "vforce": lambda m, i, j, b: m.vforce(i, b, "3*SIN(5*TIME)", f"-DY({i.id},{j.id},{j.id})", "1", rm=j),
    "vtorque": lambda m, i, j, b: m.vtorque(i, b, "0.3", "0.2*TIME", f"-0.1*WZ({i.id},{j.id})", rm=j),
    "gforce": lambda m, i, j, b: m.gforce(
        i, b, "1", "2*TIME", f"-DZ({i.id},{j.id})", "0.1", "0.2", "0.3*SIN(TIME)", rm=i
    ),
}


@pytest.mark.parametrize("kind", FORCES)
def test_momentum_is_kept(kind):
    m, a, b = two()
    i, j = m.marker(a, at=(0.1, 0.2, 0)), m.marker(b, at=(-0.1, 0, 0.1), euler=(0.2, 0.3, 0.1))
    FORCES[kind](m, i, j, b)
    run = simulate(m, end=1.0, steps=20, integrator="DOP853", error=1e-9)
    P, L = momenta(run)
    np.testing.assert_allclose(P - P[0], 0, atol=1e-6)
    np.testing.assert_allclose(L - L[0], 0, atol=1e-6)
    moved = run.part("a").angular_velocity.values[-1] if "torque" in kind else run.part("a").velocity.values[-1]
    assert np.abs(moved).max() > 1e-2


@pytest.mark.parametrize("kind", ["TRANSLATIONAL", "ROTATIONAL"])
def test_action_only(kind):
    """ACTIONONLY: along z of J, on I alone."""
    m, a, b = two()
    i, j = m.marker(a), m.marker(m.ground, euler=(0.0, np.pi / 2, 0.0))
    m.sforce(i, j, "2", kind=kind, actiononly=True)
    run = simulate(m, end=1.0, steps=4, integrator="DOP853")
    axis = np.array([0, -1.0, 0])
    part = run.part("a")
    if kind == "TRANSLATIONAL":
        np.testing.assert_allclose(part.velocity.values[-1], 2.0 * axis, atol=1e-9)
    else:
        np.testing.assert_allclose(part.angular_velocity.values[-1], 20.0 * axis, atol=1e-8)


def test_reaction_in_a_force():
    """A force that reads a joint's reaction: a rope over a block that gets back half of what its joint carries."""
    m = Model("feedback")
    m.gravity = (0, 0, -9.81)
    a = m.part("a", 1.0, (0.1, 0.1, 0.1))
    j = m.fixed(a, m.ground, at=(0, 0, 0))
    i = m.marker(a)
    m.vforce(i, None, "0", "0", f"0.5*JOINT({j.id},0,4,0)")
    run = simulate(m, end=0.1, steps=2, integrator="DOP853")
    np.testing.assert_allclose(run.constraint(j.name).force.values[-1, 2], 9.81 / 1.5, rtol=1e-9)


def test_one_call_of_a_routine_serves_all_components_of_a_force():
    """Two calls an evaluation with a measure (its difference) would be twelve without; the motion is that of the
    expressions."""
    calls = []

    def pull(call):
        calls.append(call.time)
        x = call.measure("DX", tip.id)
        return [-4.0 * x, 0.3, 0.0, 0.0, 0.1, -0.2 * call.time]

    def machine(**given):
        m, a, b = two()
        return m, m.gforce(tip := m.marker(a, at=(0.1, 0.2, 0)), rm=m.marker(m.ground), **given), tip

    m, _, tip = machine(function=pull)
    run = simulate(m, 0.5, 5, integrator="RK4", step=0.01)
    n = len(calls)
    m, _, tip = machine(fx="-4*DX(2)", fy="0.3", ty="0.1", tz="-0.2*TIME")
    m.find("MARKER", tip.id)
    for g in m.table("GFORCE").values():
        g.fx = f"-4*DX({tip.id})"
    same = simulate(m, 0.5, 5, integrator="RK4", step=0.01)
    assert np.abs(run.part("a").position.values - same.part("a").position.values).max() < 1e-12
    assert n < 400  # four stages of 50 steps, outputs, the start: six times as many without

    m, a, _ = two()
    m.sforce(m.marker(a), m.marker(m.ground), lambda call: float("nan"))
    with pytest.raises(ModelError, match="not finite"):
        simulate(m, 0.1, 1)


def test_a_routine_may_know_better_in_the_next_analysis():
    """What it answered last, at the same inputs, is not taken for what it answers now."""
    push = [1.0]
    m = Model()
    a = m.part("a", 1.0, (1, 1, 1))
    m.vforce(m.marker(a), function=lambda call: [push[0], 0.0, 0.0])
    sim = Simulation(m)
    sim.dynamics(1.0, 2, integrator="RK4", step=0.1)
    push[0] = -1.0
    sim.dynamics(2.0, 2, integrator="RK4", step=0.1)
    run = sim.run()
    assert run.part("a").acceleration.values[0, 0] == 1.0
    assert run.part("a").velocity.values[-1, 0] == pytest.approx(0.0, abs=1e-14)
    assert run.part("a").position.values[-1, 0] == pytest.approx(1.0, abs=1e-13)


def test_routines_that_are_missing_cost_nothing_where_zeros_stand_for_them():
    m = Model()
    a = m.part("a", 1.0, (1, 1, 1))
    m.gforce(m.marker(a), function="USER(1,2)")
    run = simulate(m, 1.0, 2, missing="zero")
    assert np.abs(run.part("a").position.values).max() == 0.0
    assert any("left out" in text or "zero" in text for text in run.info["messages"]), run.info["messages"]


@pytest.mark.parametrize("record", ["advance", "none"])
@pytest.mark.parametrize(
    "method",
    [
        {"integrator": "RK4", "step": 0.05},
        {"integrator": "SEMI_IMPLICIT_EULER", "step": 0.05},
        {"integrator": "GSTIFF"},
    ],
    ids=["RK4", "SEMI_IMPLICIT_EULER", "GSTIFF"],
)
def test_a_routine_may_know_better_in_the_next_call(method, record):
    """A controller keeps its force where the routine finds it, between calls of `advance`: forces of one value hold
    over each call."""
    push = [1.0]
    m = Model()
    a = m.part("a", 1.0, (1, 1, 1))
    force = m.variable(lambda call: push[0], "force")
    m.vforce(m.marker(a), function=lambda call: [push[0], 0.0, 0.0])
    sim = Simulation(m)
    sim.open(record=record, duration=1.0, **method)
    speed, told = 0.0, []
    for k in range(10):
        push[0] = (-1.0) ** k * (k + 1)
        told.append(sim.output(force) - push[0])
        sim.advance(0.1 * (k + 1))
        speed += 0.1 * push[0]
        assert sim.state["a"].velocity[0] == pytest.approx(speed, abs=1e-13 if "step" in method else 1e-6)
    assert np.abs(told).max() == 0.0


def test_a_variable_of_itself_is_solved_or_the_run_ends_with_a_sentence():
    """x = x^2/4 + c has the root 2 - 2 sqrt(1 - c); for c > 1 there is none, and results once held the start value
    silently."""

    def run(c):
        m = Model()
        body = m.part("b", 1.0, (1, 1, 1))
        x = m.variable(f"VARVAL(1)*VARVAL(1)/4 + {c}")
        m.sforce(m.marker(body), m.marker(m.ground), f"0*VARVAL({x.id})", kind="TRANSLATIONAL")
        return simulate(m, end=0.1, steps=2, progress=False)

    np.testing.assert_allclose(run(0.75).data.variable_values[:, 0], 1.0, rtol=1e-12)
    with pytest.raises(ModelError, match="no value of VARIABLE/1 .* is found that satisfies its function"):
        run(1.5)
