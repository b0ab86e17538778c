"""Sampled state equations: a digital PID controller that holds a mass, against the modes z^k of the closed loop."""

import numpy as np
import pytest

import holonom as hn
from holonom.formats.adams import parse_adm

MASS, PERIOD = 2.0, 0.125
KP, KD, KI = 6.0, 4.0, 3.0
X0 = 0.3


def controller(model, cart, origin, **sampling):
    """The held force and the sum of the errors are the discrete states; the routine measures the mass itself."""
    xd, place = model.array("X", size=2, name="xd"), model.variable(f"DX({cart.cm},{origin.id})")

    def update(call):
        x, v = call.measure("VARVAL", place.id), call.measure("VX", cart.cm, origin.id)
        total = call.measure("ARYVAL", xd.id, 2) - KI * PERIOD * x
        return [total - KP * x - KD * v, total]

    gse = model.state_equations(None, nd=2, xd=xd, update=update, **({"sample_period": PERIOD} | sampling))
    model.vforce(cart.cm, model.ground, f"ARYVAL({xd.id},1)", rm=origin)
    return gse, xd, update


def machine(**sampling):
    model = hn.Model("pid", units="SI")
    cart = model.part("cart", MASS, (0.1, 0.1, 0.1), (X0, 0, 0))
    model.translational(cart, model.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    origin = model.marker_at(model.ground, (0, 0, 0))
    gse, xd, update = controller(model, cart, origin, **sampling)
    return model, gse, xd, update


def loop():
    """(x, v, sum) from sample to sample."""
    u = np.array([-KP - KI * PERIOD, -KD, 1.0])
    return np.array([[1.0, PERIOD, 0.0], [0.0, 1.0, 0.0], [-KI * PERIOD, 0.0, 1.0]]) + np.outer(
        [0.5 * PERIOD**2 / MASS, PERIOD / MASS, 0.0], u
    )


def closed(k, start=(X0, 0.0, 0.0)):
    """(x, v, sum) at sample k: the sum of the modes z^k."""
    z, modes = np.linalg.eig(loop())
    assert abs(z).max() < 1.0
    return (modes @ (np.linalg.solve(modes, np.array(start, complex)) * z**k)).real


@pytest.mark.parametrize(
    ("integrator", "options", "within"),
    [
        ("GSTIFF", {"error": 1e-7}, 2e-5),
        ("HHT", {"error": 1e-7}, 2e-5),
        ("RADAU5", {"error": 1e-9}, 1e-8),
        ("ABAM", {"error": 1e-9}, 1e-8),
        ("DOP853", {}, 1e-11),
        ("RK4", {"step": 0.03}, 1e-11),
    ],
)
def test_a_digital_controller_follows_the_modes_of_its_loop(integrator, options, within):
    model, *_ = machine()
    run = hn.simulate(model, end=4.0, steps=32, integrator=integrator, **options)
    want = np.array([closed(k) for k in range(33)])
    assert abs(want[:, 0]).min() < 0.02 < 0.1 < abs(want[:, 0]).max()
    got = np.asarray(run.part("cart").position[:, 0])
    assert np.abs(got - want[:, 0]).max() < within
    assert np.abs(run.part("cart").velocity.values[:, 0] - want[:, 1]).max() < 10 * within
    # a row at a sample holds the force before it: that of the sample before
    u = -KP * want[:, 0] - KD * want[:, 1] + want[:, 2] - KI * PERIOD * want[:, 0]
    force = np.asarray(run.state("X_1[0]"))
    assert np.abs(force[1:] - u[:-1]).max() < 30 * within and force[0] == 0.0


def test_rows_between_samples_lie_on_parabolas():
    model, *_ = machine()
    run = hn.simulate(model, end=1.0, dt=0.02, integrator="DOP853")
    t, x = np.asarray(run.time), np.asarray(run.part("cart").position[:, 0])
    for time, place in zip(t, x):
        k = int(time / PERIOD + 1e-9)
        s = time - k * PERIOD
        x0, v0, total = closed(k)
        u = total - KI * PERIOD * x0 - KP * x0 - KD * v0
        assert place == pytest.approx(x0 + v0 * s + 0.5 * u / MASS * s * s, abs=1e-11)


def test_sampling_begins_at_its_offset():
    model, gse, *_ = machine(sample_offset=0.5)
    run = hn.simulate(model, end=1.5, steps=12, integrator="DOP853")
    x = np.asarray(run.part("cart").position[:, 0])
    assert np.abs(x[:5] - X0).max() < 1e-14
    assert x[-1] == pytest.approx(closed(8)[0], abs=1e-11)


def test_a_routine_may_give_the_period():
    """GSE_SAMP: the same samples requested one by one, and others when the period changes."""
    model, *_ = machine(sample_period=lambda call: PERIOD)
    run = hn.simulate(model, end=2.0, steps=16, integrator="DOP853")
    assert float(run.part("cart").position[-1, 0]) == pytest.approx(closed(16)[0], abs=1e-10)
    times = []
    model, gse, xd, update = machine(sample_period=lambda call: 0.1 if call.time < 0.35 else 0.3)

    def noted(call):
        if not call.initial:
            times.append(call.time)
        return update(call)

    model.register(gse.interface[2], noted)
    hn.simulate(model, end=1.0, steps=10, integrator="GSTIFF")
    assert np.allclose(
        times, [0.0, 0.1, 0.2, 0.3, 0.4, 0.7], atol=1e-12
    )  # that at the end belongs to the next analysis


def test_samples_go_on_from_analysis_to_analysis_and_from_disk(tmp_path):
    model, *_ = machine()
    whole = hn.simulate(model.copy(), end=2.0, steps=16, integrator="DOP853").part("cart").position.values[-1, 0]
    sim = hn.Simulation(model, quiet=True)
    sim.dynamics(end=0.5, steps=4, integrator="DOP853")
    sim.dynamics(end=1.3, steps=4, integrator="DOP853")
    sim.save(tmp_path / "state.h5")
    sim.dynamics(end=2.0, steps=4, integrator="DOP853")
    assert float(sim.run().part("cart").position[-1, 0]) == pytest.approx(whole, abs=1e-10)
    other = hn.Simulation(machine()[0], quiet=True)
    other.reload(tmp_path / "state.h5")
    other.dynamics(end=2.0, steps=4, integrator="DOP853")
    assert float(other.run().part("cart").position[-1, 0]) == pytest.approx(whole, abs=1e-10)


def test_a_dataset_runs_with_its_update_routine():
    model, gse, xd, update = machine()
    text = hn.write_adams(model)
    assert "SAMPLE_PERIOD" in text and "XD" in text
    twin = parse_adm(text, "pid.adm")
    assert twin.table("GSE")[1].nd == 2 and twin.table("GSE")[1].sample_period == PERIOD
    with pytest.raises(
        hn.ModelError, match=r"GSE/1.*discrete states at every sample, is not registered; give it with model\.register"
    ):
        hn.simulate(twin, end=1.0, steps=8)
    twin.register("GSE_UPDATE", update)
    run = hn.simulate(twin, end=1.0, steps=8, integrator="DOP853")
    assert float(run.part("cart").position[-1, 0]) == pytest.approx(closed(8)[0], abs=1e-11)


def test_outputs_come_from_discrete_states_and_continuous_ones_go_with_them():
    """x' = x_d (continuous), x_d = 1 + 2 x at samples, y = x + 10 x_d: x grows by T (1 + 2 x) from sample to sample."""
    model = hn.Model("mixed", units="SI")
    X, XD, Y = model.array("X", size=1), model.array("X", size=1), model.array("Y", size=1)

    def rates(call):
        x, held = call.measure("ARYVAL", X.id, 1), call.measure("ARYVAL", XD.id, 1)
        return [held, x + 10.0 * held]

    model.state_equations(
        rates,
        ns=1,
        no=1,
        x=X,
        y=Y,
        nd=1,
        xd=XD,
        sample_period=0.25,
        update=lambda call: 1.0 + 2.0 * call.measure("ARYVAL", X.id, 1),
    )
    model.variable(f"ARYVAL({Y.id},1)", name="out")
    run = hn.simulate(model, end=1.1, dt=0.05, integrator="RADAU5")
    x = held = 0.0
    for k in range(5):
        held = 1.0 + 2.0 * x
        x += held * min(0.25, 1.1 - 0.25 * k)
    assert float(run.variable("out")[-1]) == pytest.approx(x + 10.0 * held, rel=1e-12)


def test_statics_and_linear_models_hold_discrete_states():
    """Under the held force of 1 a spring of 50 rests at 1/50, swings at sqrt(50/2), and the held states are no
    coordinates."""
    model, gse, *_ = machine()
    gse.icd = model.array("IC", numbers=(1.0, 0.0)).id
    cm = model.find("PART", "cart").cm
    model.vforce(cm, model.ground, f"-50*DX({cm},{model.marker_at(model.ground, (0, 0, 0)).id})")
    sim = hn.Simulation(model, quiet=True)
    sim.statics()
    assert float(sim.run().part("cart").position[-1, 0]) == pytest.approx(0.02, rel=1e-9)
    linear = sim.linearize()
    assert not [name for name in linear.states if name.startswith("X_")]
    assert np.allclose(np.sort(np.imag(linear.eigenvalues)), [-5.0, 5.0], rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sample_period": None}, r"SAMPLE_PERIOD must be positive, none is given"),
        ({"sample_period": -1.0}, r"SAMPLE_PERIOD must be positive, it is -1"),
        (
            {"sample_period": lambda call: 0.0},
            r"its routine for the sampling period gives 0 at time 0; it must be positive",
        ),
    ],
)
def test_bad_periods_are_refused(change, said):
    model, *_ = machine(**change)
    with pytest.raises(hn.ModelError, match=rf"GSE.*{said}"):
        hn.simulate(model, end=1.0, steps=8)


def test_what_fails_in_a_routine_is_named():
    model, gse, *_ = machine()
    model.register(gse.interface[2], lambda call: [1.0, 2.0] if call.initial else [1.0])
    with pytest.raises(
        hn.ModelError, match=r"routine 'gse_update_1' failed at time 0: ModelError: .*returned 1 values, 2 are needed"
    ):
        hn.simulate(model, end=1.0, steps=8)
    model, gse, *_ = machine()
    gse.xd = None
    with pytest.raises(hn.ModelError, match="it has 2 discrete states and no array for them; give XD"):
        hn.simulate(model, end=1.0, steps=8)
