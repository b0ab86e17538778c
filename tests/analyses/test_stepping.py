"""Simulations that are stepped from outside: the bits of a run, inputs, outputs, snapshots, and what is refused."""

import numpy as np
import pytest

import holonom as hn

METHODS = {
    "RK4": {"integrator": "RK4", "step": 1e-3},
    "DOP853": {"integrator": "DOP853", "error": 1e-9},
    "default": {},
    "ABAM": {"integrator": "ABAM", "error": 1e-8},
    "GSTIFF": {"integrator": "GSTIFF", "error": 1e-5},
    "SI2": {"integrator": "GSTIFF", "formulation": "SI2", "error": 1e-6},
    "HHT": {"integrator": "HHT", "error": 1e-6},
    "RADAU5": {"integrator": "RADAU5", "error": 1e-8},
}
IMPLICIT_AND_NOT = ("RK4", "DOP853", "GSTIFF", "SI2", "HHT", "RADAU5")


def pendulum(**more) -> hn.Model:
    """The pendulum of the README."""
    model = hn.Model("pendulum", units="SI")
    model.gravity = (0, 0, -9.80665)
    rod = model.part("rod", mass=2.0, inertia=(0.001, 0.167, 0.167), position=(0.5, 0, 0), **more)
    model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    return model


def sled(force=None, damping=0.5, mass=2.0) -> hn.Model:
    """A mass on a straight slide, pushed by the input u and braked by a linear damper: m v' = u - c v."""
    model = hn.Model("sled", units="SI")
    body = model.part("sled", mass=mass, inertia=(1, 1, 1))
    model.translational(body, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    u = model.input("u", 1.0)
    model.vforce(body.cm, model.marker(model.ground, (0, 0, 0)), fx=force or f"VARVAL({u.id})-{damping}*VX({body.cm})")
    return model


def ball(**law) -> hn.Model:
    model = hn.Model("ball", units="SI")
    model.gravity = (0, 0, -9.81)
    part = model.part("ball", mass=1.0, inertia=(0.004,) * 3, position=(0, 0, 0.5), velocity=(0.3, 0, 0))
    model.contact(
        model.sphere(part, (0, 0, 0.5), 0.1),
        model.plane(model.ground, (0, 0, 0), (0, 0, 1), size=3.0),
        name="floor",
        **law,
    )
    return model


def press() -> hn.Model:
    """A ram that falls onto a stop: systems take turns."""
    model = hn.Model("press", units="SI")
    model.gravity = (0, 0, -9.81)
    ram = model.part("ram", 2.0, (0.01, 0.01, 0.01), position=(0, 0, 1))
    slide = model.translational(ram, model.ground, "slide", at=(0, 0, 1), axis=(0, 0, 1))
    model.stop(slide, lower=-1.0, restitution=0.4, name="anvil")
    return model


def opened(model: hn.Model, **options) -> hn.Simulation:
    sim = hn.Simulation(model)
    sim.open(**options)
    return sim


# ---- the bits of a run -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", METHODS)
def test_advancing_gives_the_bits_of_a_run(method):
    options = METHODS[method]
    run = hn.simulate(pendulum(), end=2.0, steps=150, interpolate=False, **options)
    sim = opened(pendulum(), duration=2.0, **options)
    for t in run.time[1:]:
        assert sim.advance(t) == t == sim.time
    found = sim.run()
    for name in (
        "time",
        "body_position",
        "body_quaternion",
        "body_velocity",
        "constraint_force",
        "energy_input",
        "angle_values",
    ):
        np.testing.assert_array_equal(getattr(found.data, name), getattr(run.data, name), name)
    assert found.counters["steps"] == run.counters["steps"]  # nothing was begun anew


def test_works_continue_after_an_analysis_without_them():
    """An analysis that integrates no works takes none from those that follow."""
    sim = hn.Simulation(sled())
    for first in (True, False):
        sim.open(record="none")
        sim.advance(sim.time + 0.2)
        start = sim.time
        sim.dynamics(duration=1.0, steps=4)
        run = sim.run()
        rows = run.time >= start
        put, lost = run.energy.input.values[rows], run.energy.dissipated.values[rows]
        speed = lambda t: 2.0 * (1.0 - np.exp(-0.25 * t))  # 2 v' = 1 - 0.5 v
        gained = speed(run.time[rows]) ** 2 - speed(start) ** 2
        np.testing.assert_allclose(put - put[0] - (lost - lost[0]), gained, atol=1e-6)
        if first:
            assert put[0] == lost[0] == 0.0
            before = put[-1], lost[-1]
        else:
            assert (put[0], lost[0]) == before
    assert run.audit().ok(1e-6)


@pytest.mark.slow
def test_ten_thousand_calls_without_rows_give_the_bits_of_one_run():
    run = hn.simulate(pendulum(), end=10.0, steps=10_000, integrator="RK4", step=1e-3, interpolate=False)
    sim = opened(pendulum(), integrator="RK4", step=1e-3, record="none")
    assert sim._stepping._plain is not None  # the short way
    for t in run.time[1:]:
        sim.advance(t)
    assert sim.output("pin") == pytest.approx(run.joint("pin").angle.values[-1], abs=1e-15)
    np.testing.assert_allclose(
        sim.state.positions[0], run.part("rod").position.values[-1], rtol=0, atol=1e-16
    )  # rows are closed once more
    long = opened(pendulum(), integrator="RK4", step=1e-3)  # the general way, a row each
    for t in run.time[1:]:
        long.advance(t)
    np.testing.assert_array_equal(long.y, sim.y)
    np.testing.assert_array_equal(long.run().data.body_position, run.data.body_position)
    assert len(sim.run().time) == 0


@pytest.mark.parametrize("record", ["advance", "none"])
def test_steps_are_those_of_one_long_call(record):
    options = {"integrator": "RK4", "step": 1e-3, "duration": 3.0, "record": record}
    one, many = opened(pendulum(), **options), opened(pendulum(), **options)
    for _ in range(2500):
        many.step()
    assert many.time == pytest.approx(2.5, abs=1e-12) and len(many.run().time) == (2501 if record == "advance" else 0)
    one.advance(2.7002)
    many.advance(2.7002)
    np.testing.assert_array_equal(one.y, many.y)
    free = opened(pendulum(), integrator="DOP853", duration=1.0)
    steps = [free.step() for _ in range(40)]  # far beyond what it was opened for
    assert np.all(np.diff(steps) > 0) and steps[-1] > 1.0
    assert abs(free.run().energy.total.values - free.run().energy.total.values[0]).max() < 1e-4


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"integrator": "GSTIFF"},
        {"integrator": "RK4", "step": 1e-4},
        {"contact": "events"},
        {"contact": "time-stepping", "step": 1e-3},
    ],
    ids=str,
)
def test_a_ball_bounces_as_in_a_run(options):
    model = lambda: ball(restitution=0.7) if "contact" in options else ball(stiffness=1e5, damping=50.0, exponent=1.5)
    run = hn.simulate(model(), end=1.2, steps=60, interpolate=False, **options)
    sim = opened(model(), duration=1.2, **options)
    for t in run.time[1:]:
        sim.advance(t)
    np.testing.assert_array_equal(sim.run().data.body_position, run.data.body_position)
    assert run.part("ball").velocity.values[:, 2].max() > 1.0  # it has bounced
    bare = opened(model(), duration=1.2, record="none", **options)
    for t in run.time[1:]:
        bare.advance(t)
    np.testing.assert_array_equal(bare.y, sim.y)


def test_a_stop_is_hit_as_in_a_run():
    run = hn.simulate(press(), end=1.2, steps=60, interpolate=False)
    sim = opened(press(), duration=1.2)
    for t in np.linspace(0.0, 1.2, 61)[1:]:
        sim.advance(t)
    found = sim.run()
    np.testing.assert_array_equal(found.time, run.time)
    np.testing.assert_array_equal(found.data.body_position, run.data.body_position)
    np.testing.assert_array_equal(found.switches["time"], run.switches["time"])
    assert len(run.switches["time"]) > 2


def test_motions_break_beyond_the_first_piece_of_time():
    model = hn.Model("feed", units="SI")
    body = model.part("b", mass=2.0, inertia=(1, 1, 1))
    slide = model.translational(body, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    model.motion(slide, "IF(TIME-2.5: 0, 0, 2)", level="VELOCITY")
    sim = opened(model, integrator="DOP853", duration=1.0)
    sim.advance(0.5)
    sim.advance(3.5)
    assert sim.output("slide") == pytest.approx(2.0, abs=1e-12)


@pytest.mark.parametrize("record", ["advance", "none"])
@pytest.mark.parametrize("method", ["RK4", "DOP853", "GSTIFF", "HHT"])
def test_a_motion_breaks_where_a_call_ends(method, record):
    model = hn.Model("feed", units="SI")
    body = model.part("b", mass=2.0, inertia=(1, 1, 1))
    slide = model.translational(body, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    model.motion(slide, "IF(TIME-0.5: 0, 0, 2)", level="VELOCITY")
    sim = opened(model, record=record, **METHODS[method])
    for t in (0.25, 0.5, 0.75, 1.0):
        assert sim.advance(t) == t == sim.time
    assert sim.output("slide") == pytest.approx(1.0, abs=1e-12)


def test_steps_of_a_motion_at_rest_stay_within_the_duration():
    model = hn.Model("feed", units="SI")
    body = model.part("b", mass=2.0, inertia=(1, 1, 1))
    slide = model.translational(body, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    model.motion(slide, "2", level="VELOCITY")
    sim = opened(model, integrator="GSTIFF", duration=0.5)
    times = np.array([0.0] + [sim.step() for _ in range(60)])
    assert np.diff(times).max() == pytest.approx(0.5) and np.diff(times).min() > 0
    assert sim.output("slide") == pytest.approx(2 * times[-1], abs=1e-6)


# ---- inputs ----------------------------------------------------------------------------------------------------------
GIVEN, DT, K, M = (1.0, -2.0, 3.0, 3.0, 0.0, 5.0, -1.0, 2.0), 0.25, 0.25, 2.0
CLOSE = {"RK4": 1e-11, "DOP853": 1e-12, "GSTIFF": 5e-5, "SI2": 5e-6, "HHT": 1e-4, "RADAU5": 1e-11}


def held() -> tuple[float, float]:
    """Position and speed of the sled after the values `GIVEN`, each held for `DT`."""
    x = v = 0.0
    for u in GIVEN:
        end, fade = u / (M * K), np.exp(-K * DT)
        x, v = x + end * DT + (v - end) * (1 - fade) / K, end + (v - end) * fade
    return x, v


def led() -> tuple[float, float]:
    """The same on straight lines from value to value, from 1 on."""
    x, v, u = 0.0, 0.0, 1.0
    for to in GIVEN:
        b = (to - u) / DT / (M * K)
        a, fade = (u / M - b) / K, np.exp(-K * DT)
        x, v = x + a * DT + b * DT**2 / 2 + (v - a) * (1 - fade) / K, a + b * DT + (v - a) * fade
        u = to
    return x, v


@pytest.mark.parametrize("record", ["advance", "none"])
@pytest.mark.parametrize("method", IMPLICIT_AND_NOT)
def test_inputs_held_and_led(method, record):
    for lines, exact in ((False, held()), (True, led())):
        sim = opened(sled(), record=record, **METHODS[method])
        for k, u in enumerate(GIVEN):
            t = (k + 1) * DT
            sim.set_input("u", u, by=t if lines else None)
            sim.advance(t - 0.1)
            sim.advance(t)
            assert sim.output("u") == u
        assert sim.output("slide") == pytest.approx(exact[0], abs=CLOSE[method])
        assert sim.state["sled"].velocity[0] == pytest.approx(exact[1], abs=10 * CLOSE[method])


@pytest.mark.parametrize("method", IMPLICIT_AND_NOT)
def test_an_input_that_jumps_gives_what_a_piecewise_expression_gives(method):
    """The end of an input's line lies inside one call, its jump between two."""
    text = "IF(TIME-0.7: 1, 1, 4)-IF(TIME-1.2: 0, 0, MIN((TIME-1.2)/0.5, 1)*3)-0.5*VX({0})"
    model = sled(force=text.format(1))
    run = hn.simulate(model, end=2.5, steps=5, integrator="DOP853", error=1e-12)  # which locates the jumps
    sim = opened(sled(), duration=2.5, **METHODS[method])
    sim.advance(0.7)
    sim.set_input("u", 4.0)
    sim.advance(1.2)
    sim.set_input("u", 1.0, by=1.7)
    sim.advance(2.5)
    assert sim.output("slide") == pytest.approx(run.part("sled").position.values[-1, 0], abs=20 * CLOSE[method])


def test_the_short_way_with_inputs_has_the_bits_of_the_general_one():
    short, general = (opened(sled(), integrator="RK4", step=1e-3, record=record) for record in ("none", "advance"))
    assert short._stepping._plain is not None and general._stepping._plain is None
    for k, u in enumerate(GIVEN * 3):
        t = 0.05 * (k + 1)
        for sim in (short, general):
            sim.set_input("u", u, by=None if k % 3 else t + 0.02 * (k % 2))  # some end within the next call
            sim.advance(t)
        np.testing.assert_array_equal(short.y, general.y)


def test_one_value_again_begins_nothing_anew():
    sims = [opened(sled(), duration=2.0, integrator="GSTIFF") for _ in range(2)]
    for k in range(1, 21):
        sims[1].set_input("u", 1.0)
        for sim in sims:
            sim.advance(0.1 * k)
    np.testing.assert_array_equal(*(sim.run().data.body_position for sim in sims))


@pytest.mark.parametrize("record", ["advance", "none"])
@pytest.mark.parametrize(
    "options, near",
    [
        ({"contact": "events"}, 1e-9),
        ({"contact": "events", "integrator": "GSTIFF", "error": 1e-5}, 1e-5),
        ({"contact": "time-stepping", "step": 1e-3}, 2e-6),
    ],
    ids=str,
)
def test_a_block_is_pushed_over_a_rough_floor(options, near, record):
    """4 N do not move it, 8 N do, then it slides to rest: mu = 0.3, 2 kg."""
    model = hn.Model("block", units="SI")
    model.gravity = (0, 0, -9.81)
    block = model.part("block", mass=2.0, inertia=(0.01,) * 3, position=(0, 0, 0.1))
    floor = model.plane(model.ground, (0, 0, 0), (0, 0, 1), size=5.0)
    model.contact(model.box(block, (0, 0, 0.1), (0.4, 0.4, 0.2)), floor, restitution=0.0, mu=0.3)
    model.vforce(block.cm, model.marker(model.ground, (0, 0, 0)), fx=f"VARVAL({model.input('push').id})")
    sim = opened(model, record=record, **options)
    sim.set_input("push", 4.0)
    sim.advance(0.5)
    assert abs(sim.state.positions[0, 0]) < 1e-12
    sim.set_input("push", 8.0)
    sim.advance(1.0)
    v = 0.5 * (8.0 - 0.3 * 2.0 * 9.81) / 2.0
    assert sim.state.velocities[0, 0] == pytest.approx(v, abs=near)
    sim.set_input("push", 0.0)
    sim.advance(2.0)
    assert sim.state.positions[0, 0] == pytest.approx(0.25 * v + v * v / (2 * 0.3 * 9.81), abs=near)
    assert abs(sim.state.velocities[0, 0]) < 1e-12


def test_inputs_drive_motions():
    """A speed that jumps is an impact, whose energy is booked; a position that would jump is refused, and led there
    instead."""

    def driven(level):
        model = hn.Model("feed", units="SI")
        body = model.part("b", mass=2.0, inertia=(1, 1, 1))
        slide = model.translational(body, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
        model.motion(slide, f"2*VARVAL({model.input('u').id})", level=level)
        return model

    for method in IMPLICIT_AND_NOT:
        sim = opened(driven("VELOCITY"), **METHODS[method])
        for k in range(8):
            sim.set_input("u", float(k % 3))
            sim.advance((k + 1) * 0.1)
        assert sim.output("slide") == pytest.approx(2 * 0.1 * sum(k % 3 for k in range(8)), abs=1e-10), method
        run = sim.run()
        assert run.energy.total.values[-1] == pytest.approx(4.0, abs=1e-9)
        assert run.data.energy_input[-1] == pytest.approx(4.0, abs=1e-9)
        sim = opened(driven("DISPLACEMENT"), **METHODS[method])
        sim.set_input("u", 1.5, by=0.5)
        sim.advance(0.25)
        assert sim.state.velocities[0, 0] == pytest.approx(6.0, abs=1e-6)
        with pytest.raises(hn.ModelError, match=r"MOTION/1.*VARIABLE/1 'u'.*jump from 1.5 to 4.*by="):
            sim.set_input("u", 2.0)
        sim.advance(1.0)  # what was refused has changed nothing
        assert sim.output("slide") == pytest.approx(3.0, abs=1e-9)
        assert abs(sim.state.velocities[0, 0]) < 2e-3


def test_plant_inputs_follow_their_functions_until_they_are_set():
    model = hn.Model("sled", units="SI")
    body = model.part("sled", mass=2.0, inertia=(1, 1, 1))
    model.translational(body, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    v = model.variable("2+2*TIME", "push")
    w = model.variable("0", "more")
    model.add(hn.model.states.PInput(name="plant", variables=(v.id,)))
    model.vforce(body.cm, model.marker(model.ground, (0, 0, 0)), fx=f"VARVAL({v.id})+VARVAL({w.id})")
    sim = opened(model, integrator="RK4", step=0.01, inputs=["more"])
    sim.advance(1.0)
    assert sim.output("push") == 4.0
    assert sim.state.velocities[0, 0] == pytest.approx(1.5, abs=1e-12)
    sim.set_input("push", -2.0, by=2.0)  # from the 4 that it has come to
    sim.set_input(w, 1.0)
    sim.advance(2.0)
    assert sim.state.velocities[0, 0] == pytest.approx(1.5 + 0.5 + 0.5, abs=1e-12)
    assert hn.simulate(model, end=1.0, steps=10).part("sled").velocity.values[-1, 0] == pytest.approx(
        1.5, abs=1e-6
    )  # not stepped: its own function


def test_inputs_outlive_other_analyses_and_systems():
    model = press()
    u = model.input("lift")
    ram = model.find("PART", "ram")
    model.vforce(ram.cm, model.marker(model.ground, (0, 0, 0)), fz=f"VARVAL({u.id})")
    sim = opened(model, integrator="RK4", step=1e-3)
    sim.advance(1.0)  # bounces
    while sim.run().state_of("anvil")[-1] != "low":
        sim.advance(sim.time + 0.1)
    sim.set_input("lift", 2 * 9.81 - 1.0)
    sim.advance(sim.time + 0.1)
    assert sim.output("lift") == 2 * 9.81 - 1.0
    sim.set_input("lift", 2 * 9.81 + 2.0)  # 1 m/s^2 upwards: it leaves its stop
    t = sim.time
    sim.advance(t + 0.5)
    assert sim.state.velocities[0, 2] == pytest.approx(0.5, abs=1e-6)
    sim.dynamics(duration=0.5, steps=5, integrator="RK4", step=1e-3)
    assert sim.state.velocities[0, 2] == pytest.approx(1.0, abs=1e-6)
    sim.advance(sim.time + 0.5)  # opens again, as before
    assert sim.state.velocities[0, 2] == pytest.approx(1.5, abs=1e-6)
    assert [s.kind for s in sim.run().data.segments] == ["dynamics"] * 3
    linear = sim.linearize(inputs=["lift"], outputs=[f"VZ({ram.cm})"])
    assert linear.state_space().B == pytest.approx(linear.state_space().B)


def test_inputs_in_datasets_and_json(tmp_path):
    model = sled()
    assert hn.Model.from_json(model.to_json()).find("VARIABLE", "u").input
    hn.write_adams(model, tmp_path / "sled.adm")
    back = hn.read_adams(tmp_path / "sled.adm")
    assert back.find("VARIABLE", 1).function == "1.0" and not back.find("VARIABLE", 1).input
    sim = opened(back, inputs=[1], integrator="RK4", step=0.01)
    sim.set_input(1, 3.0)
    sim.advance(0.5)
    assert sim.state.velocities[0, 0] == pytest.approx(6.0 * (1 - np.exp(-0.125)), abs=1e-9)
    plain = hn.simulate(model, end=0.5, steps=5, integrator="RK4", step=0.01)  # an input that nobody sets is its number
    assert plain.part("sled").velocity.values[-1, 0] == pytest.approx(2.0 * (1 - np.exp(-0.125)), abs=1e-9)


# ---- a controller ----------------------------------------------------------------------------------------------------
def test_a_controller_in_python_tends_to_the_same_one_as_an_expression():
    """A torque u = -kp q - kd q', held from step to step: the error of the hold falls linearly with the step."""
    kp, kd, end = 30.0, 6.0, 1.0

    def arm(function=None) -> hn.Model:
        model = pendulum()
        pin = model.find("JOINT", "pin")
        u = model.input("torque")
        model.sforce(pin.i, pin.j, function(pin) if function else f"VARVAL({u.id})", kind="ROTATIONAL")
        return model

    law = lambda pin: f"-{kp}*AZ({pin.i},{pin.j})-{kd}*WZ({pin.i},{pin.j},{pin.j})"
    exact = hn.simulate(arm(law), end=end, steps=1, integrator="DOP853", error=1e-12).joint("pin").angle.values[-1]
    errors = []
    for n in (50, 100, 200, 400):
        model = arm()
        pin = model.find("JOINT", "pin")
        sim = opened(model, integrator="DOP853", error=1e-11, record="none")
        for k in range(n):
            angle, rate = sim.output("pin"), sim.output(f"WZ({pin.i},{pin.j},{pin.j})")
            sim.set_input("torque", -kp * angle - kd * rate)
            sim.advance((k + 1) * end / n)
        errors.append(abs(sim.output("pin") - exact))
    assert errors[0] > 1e-4
    assert np.array(errors[:-1]) / np.array(errors[1:]) == pytest.approx(2.0, rel=0.1)


# ---- snapshots -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("record", ["advance", "none"])
@pytest.mark.parametrize("method", METHODS)
def test_what_follows_a_snapshot_has_the_bits_that_it_had(method, record):
    sim = opened(sled(), record=record, **METHODS[method])
    sim.set_input("u", 5.0, by=0.3)
    for k in range(1, 20):
        sim.advance(0.01 * k)
    snapshot = sim.snapshot()

    def follow():
        out = []
        for k in range(20, 60):
            if k == 40:
                sim.set_input("u", -3.0)
            sim.advance(0.01 * k)
            out.append(sim.y.copy())
        return np.array(out)

    once = follow()  # straight on
    for _ in range(2):
        sim.restore(snapshot)
        assert sim.time == snapshot.time == 0.19 and len(sim.run().time) == (20 if record == "advance" else 0)
        np.testing.assert_array_equal(follow(), once)
    assert len(sim.run().time) == (60 if record == "advance" else 0)


@pytest.mark.parametrize(
    "options",
    [{}, {"integrator": "GSTIFF"}, {"contact": "events"}, {"contact": "time-stepping", "step": 1e-3}],
    ids=str,
)
def test_snapshots_of_contact_and_stops(options):
    for make in (
        lambda: ball(restitution=0.7) if "contact" in options else ball(stiffness=1e5, damping=50.0, exponent=1.5),
        press,
    ):
        sim = opened(make(), **options)
        sim.advance(0.3)
        snapshot = sim.snapshot()
        rows = []
        for _ in range(3):
            for k in range(31, 121):  # over impacts
                sim.advance(0.01 * k)
            run = sim.run()
            rows.append(
                (run.time, run.data.body_position, run.impacts, run.switches["time"] if make is press else np.zeros(0))
            )
            sim.restore(snapshot)
        for other in rows[1:]:
            for a, b in zip(rows[0], other):
                np.testing.assert_array_equal(a, b)


def test_snapshots_are_of_one_analysis():
    sim = opened(pendulum(), integrator="RK4", step=1e-3)
    sim.advance(0.1)
    snapshot, saved = sim.snapshot(), sim.state()
    assert "0.1" in repr(snapshot)
    sim.close()
    with pytest.raises(hn.ModelError, match=r"snapshot of time 0.1 .* closed"):
        sim.restore(snapshot)
    with pytest.raises(hn.ModelError, match="is not a snapshot"):
        sim.restore(saved)
    sim.advance(0.2)
    angle = sim.output("pin")
    sim.take(saved)
    assert sim.time == 0.1
    sim.advance(0.2)
    assert sim.output("pin") == pytest.approx(angle, abs=1e-12)


# ---- sensors ---------------------------------------------------------------------------------------------------------
def dropped(**actions) -> hn.Model:
    model = hn.Model("drop", units="SI")
    model.gravity = (0, 0, -10.0)
    body = model.part("stone", mass=1.0, inertia=(1, 1, 1))
    model.sensor(f"DZ({body.cm})", -1.0, "LE", 1e-9, name="deep", **actions)
    return model


@pytest.mark.parametrize("record", ["advance", "none"])
def test_a_sensor_halts(record):
    sim = opened(dropped(halt=True), integrator="RK4", step=1e-3, record=record)
    snapshot = sim.snapshot()
    assert sim.advance(0.3) == 0.3 and not sim.halted
    assert sim.advance(1.0) == pytest.approx(np.sqrt(0.2), abs=1e-8) == sim.time
    assert sim.halted
    for call in (lambda: sim.advance(1.0), sim.step, sim.snapshot):
        with pytest.raises(
            hn.ModelError, match=r"cannot be stepped on from time 0.44721\d*: SENSOR/1 'deep' has halted it"
        ):
            call()
    sim.restore(snapshot)
    assert not sim.halted and sim.advance(0.4) == 0.4


def test_a_sensor_cannot_ask_for_more_rows():
    sim = opened(dropped(dt=0.01), integrator="RK4", step=1e-3)
    sim.advance(1.0)
    assert any("DT of a SENSOR has no influence" in m for m in sim.run().info["messages"])
    np.testing.assert_allclose(sim.run().time, [0.0, np.sqrt(0.2), 1.0], atol=1e-8)


def test_a_sensor_that_returns_gives_control_back():
    sim = opened(dropped(returns=True), integrator="GSTIFF", error=1e-8)
    assert sim.advance(1.0) == pytest.approx(np.sqrt(0.2), abs=1e-6)
    assert sim.returned and not sim.halted
    assert sim.advance(1.0) == 1.0 and not sim.returned
    assert sim.state.positions[0, 2] == pytest.approx(-5.0, abs=1e-5)


# ---- what is requested
# ---------------------------------------------------------------------------------------------------
def test_state_and_outputs_are_those_of_the_run():
    model = pendulum(angular_velocity=(0.0, 20.0, 0.0))  # it goes round
    pin, rod = model.find("JOINT", "pin"), model.find("PART", "rod")
    model.variable(f"2*VX({rod.cm})", "twice")
    model.request("load", functions=[f"FZ({pin.i},{pin.j})", "TIME"])
    diff = model.diff("1-DIF(1)", ic=0.5)
    for record in ("advance", "none"):
        sim = opened(model, integrator="RK4", step=1e-3, record=record)
        for k in range(1, 401):
            sim.advance(0.005 * k)
        if record == "advance":
            run = sim.run()
            assert abs(run.joint("pin").angle.values[-1]) > 4 * np.pi
        state = sim.state
        assert state.names == ["rod"] and state.time == 2.0
        near = {"rtol": 0, "atol": 1e-12}
        np.testing.assert_allclose(state.positions[0], run.part("rod").position.values[-1], **near)
        np.testing.assert_allclose(state.velocities[0], run.part("rod").velocity.values[-1], **near)
        np.testing.assert_allclose(state["rod"].angular_velocity, run.data.body_angular_velocity[-1, 0], **near)
        np.testing.assert_allclose(abs(state.quaternions[0] @ run.data.body_quaternion[-1, 0]), 1.0, **near)
        assert state.states == {f"DIFF_{diff.id}": pytest.approx(1 - 0.5 * np.exp(-2.0), abs=1e-9)}
        assert sim.output("pin") == pytest.approx(run.joint("pin").angle.values[-1], abs=1e-10)
        assert sim.output(pin) == sim.output(f"AZ({pin.i},{pin.j})")  # over all turns
        snapshot = sim.snapshot()
        text, turned = f"2*AZ({pin.j},{pin.i})", []  # requested the first time behind the snapshot
        for _ in range(2):
            first = sim.output(text)
            for k in range(401, 601):
                sim.advance(0.005 * k)
            turned.append((first, sim.output(text), sim.output(pin)))
            sim.restore(snapshot)
        assert turned[0] == turned[1]
        assert (
            turned[0][1] - first == pytest.approx(-2 * (turned[0][2] - sim.output("pin")), abs=1e-9)
            and abs(turned[0][1] - first) > 4 * np.pi
        )
        assert sim.output("twice") == pytest.approx(2 * state.velocities[0, 0], abs=1e-12)
        np.testing.assert_allclose(sim.output("load"), run.data.request_values[-1, 0], rtol=0, atol=1e-9)
        assert sim.output("load")[2] == 2.0
        force = sim.output(f"FZ({pin.i},{pin.j})")
        assert force == pytest.approx(sim.output("load")[1], abs=1e-12) and abs(force) > 10.0
        np.testing.assert_array_equal(sim.output(["twice", "TIME"]), [sim.output("twice"), 2.0])


def test_asking_changes_nothing():
    quiet, asked = (opened(pendulum(), integrator="GSTIFF", record="none") for _ in range(2))
    pin = asked.model.find("JOINT", "pin")
    for k in range(1, 101):
        quiet.advance(0.01 * k)
        asked.advance(0.01 * k)
        asked.output("pin")
        asked.output(f"FX({pin.i},{pin.j})")
        assert len(asked.state.positions) == 1
    np.testing.assert_array_equal(quiet.y, asked.y)


def test_views_of_the_state_stay():
    sim = opened(pendulum(), integrator="RK4", step=1e-3, record="none")
    state = sim.state
    before = state.positions
    sim.advance(0.5)
    np.testing.assert_array_equal(state.positions, before)
    assert abs(sim.state.positions - before).max() > 0.1


def test_open_with_defaults_at_the_first_call():
    sim = hn.Simulation(pendulum())
    sim.advance(0.5)
    run = hn.simulate(pendulum(), end=0.5, steps=1)
    assert sim.output("pin") == pytest.approx(run.joint("pin").angle.values[-1], abs=1e-6)
    assert any("DOP853" in m for m in sim.run().info["messages"])


# ---- what is refused -------------------------------------------------------------------------------------------------
def test_refusals():
    sim = opened(sled(), integrator="RK4", step=1e-2)
    sim.advance(0.5)
    calls = {
        r"no input 'v'; the inputs are u": lambda: sim.set_input("v", 1.0),
        r"no input 'uu'; did you mean 'u'\?": lambda: sim.set_input("uu", 1.0),
        r"VARIABLE/1 'u'.*'fast'; give a number": lambda: sim.set_input("u", "fast"),
        r"VARIABLE/1 'u'.*nan; give a finite number": lambda: sim.set_input("u", np.nan),
        r"by = 0.2 does not lie after the present time 0.5": lambda: sim.set_input("u", 1.0, by=0.2),
        r"0.2 lies before the present time 0.5; restore a snapshot": lambda: sim.advance(0.2),
        r"'soon' is not a number": lambda: sim.advance("soon"),
        r"must be a finite number": lambda: sim.advance(np.inf),
        r"'DX\(77\)'.*MARKER/77": lambda: sim.output("DX(77)"),
        r"PART/2 'sled' has no value to be requested": lambda: sim.output(sim.model.find("PART", "sled")),
    }
    for words, call in calls.items():
        with pytest.raises(hn.ModelError, match=words):
            call()
    assert sim.advance(0.5) == 0.5  # none of them has moved it
    for words, options in {
        "INTERPOLATE = ON is not allowed": {"interpolate": True},
        "record = 'all' is not one of advance, none": {"record": "all"},
        "DURATION = 0": {"duration": 0.0},
        "no VARIABLE named 'push'": {"inputs": ["push"]},
        "unknown option 'stepp'.*did you mean step": {"stepp": 1.0},
    }.items():
        with pytest.raises(hn.ModelError, match=words):
            sim.open(**options)
    plain = sled(force="VARVAL(2)")
    plain.variable("TIME", "clock")
    with pytest.raises(hn.ModelError, match=r"VARIABLE/2 'clock' is not an input.*open\(inputs=\['clock'\]\)"):
        hn.Simulation(plain).set_input("clock", 1.0)
    with pytest.raises(hn.ModelError, match="the model has none; make one with model.input"):
        hn.Simulation(pendulum()).set_input("u", 1.0)
    bad = sled()
    bad.find("VARIABLE", "u").function = "TIME"
    with pytest.raises(hn.ModelError, match="FUNCTION = TIME: an input has a number"):
        hn.Simulation(bad)


def test_times_that_differ_by_roundoff_are_one():
    sim = opened(sled(), integrator="GSTIFF")
    for _ in range(3):
        t = sim.advance(sim.time + 0.1)
    assert t != 0.3 and sim.advance(np.nextafter(t, 1.0)) == t == sim.advance(0.3)
    for record in ("advance", "none"):
        for method in ("GSTIFF", "RK4"):
            sim = opened(sled(), record=record, **METHODS[method])
            for by, until in (
                (0.1 + 0.2, 0.3),
                (0.6, 0.3 * 2),
                (0.9, np.nextafter(0.9, 1.0)),
                (1.2, np.nextafter(1.2, 0.0)),
            ):
                sim.set_input("u", 3.0 * by, by=by)
                assert sim.advance(until) == until
                assert sim.output("u") == pytest.approx(3.0 * by, rel=1e-14)
            assert len(sim.run().time) == (5 if record == "advance" else 0)


@pytest.mark.parametrize("record", ["advance", "none"])
def test_the_user_breaks_off(record, monkeypatch):
    sim = opened(pendulum(), integrator="RK4", step=1e-3, record=record)
    sim.advance(0.1)
    stepper = sim._stepping.dynamics.stepper
    name, calls = "step" if record == "advance" else "advance", []  # of one step, of some steps
    monkeypatch.setattr(stepper, "together", 1)
    steps = getattr(stepper, name)

    def broken(*given):
        calls.append(given)
        if len(calls) == 50:
            raise KeyboardInterrupt
        return steps(*given)

    monkeypatch.setattr(stepper, name, broken)
    with pytest.raises(KeyboardInterrupt):
        sim.advance(0.2)
    assert sim.time == pytest.approx(0.149, abs=1e-12)
    with pytest.raises(hn.ModelError, match="interrupted by KeyboardInterrupt"):
        sim.advance(0.2)
    sim.open(integrator="RK4", step=1e-3)
    sim.advance(0.2)
    run = hn.simulate(pendulum(), end=0.2, steps=1, integrator="RK4", step=1e-3)
    assert sim.output("pin") == pytest.approx(run.joint("pin").angle.values[-1], abs=1e-9)


def test_feeders_and_the_granular_lane_are_refused():
    model = hn.Model("heap", units="SI")
    model.gravity = (0, 0, -9.81)
    model.grains([(0, 0, 0.5), (0, 0, 0.6)], 0.01, density=2000.0)
    with pytest.raises(hn.ModelError, match="grains = granular"):
        hn.Simulation(model).open(grains="granular")
    sim = opened(model, integrator="RK4", step=1e-3)
    sim.advance(0.1)
    assert sim.y[2] == pytest.approx(0.5 - 0.5 * 9.81 * 0.01, abs=1e-9)
    model.sink(hn.Box((0, 0, 0), (1, 1, 0.1)))
    with pytest.raises(hn.ModelError, match=r"SINK/1.*not while a simulation is stepped"):
        hn.Simulation(model).advance(0.1)


def test_after_a_failure():
    sim = opened(sled(force="SQRT(1-TIME)"), integrator="DOP853")
    sim.advance(0.5)
    snapshot = sim.snapshot()
    with pytest.raises(hn.ModelError):
        sim.advance(1.5)
    assert 0.5 < sim.time <= 1.0
    with pytest.raises(hn.ModelError, match="cannot be stepped on from time .*; restore a snapshot, or open it again"):
        sim.advance(1.5)
    assert sim.run().info["stopped"]
    sim.restore(snapshot)
    assert sim.advance(0.9) == 0.9
    x = sim.state.velocities[0, 0]
    assert x == pytest.approx((1 - 0.1**1.5) / 3.0, abs=1e-6)


@pytest.mark.parametrize("turns", [True, False])
def test_steps_of_one_size_in_one_kernel(turns):
    """Where nothing is between steps of one size, a kernel makes many of them: state, statistics and whole turns of a
    fast wheel, and of a slider, are those of single steps, and so is the error."""

    def opened():
        model = hn.Model("driven", units="SI")
        part = model.part("rod", mass=2.0, inertia=(0.001, 0.167, 0.167), position=(0.5, 0, 0))
        joint = model.revolute if turns else model.translational
        pin = joint(part, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
        load = model.input("load")
        model.sforce(pin.i, pin.j, f"VARVAL({load.id})", kind="ROTATIONAL" if turns else "TRANSLATIONAL")
        sim = hn.Simulation(model)
        sim.open(record="none", integrator="RK4", hmax=1e-3, fixed=True, coordinates="maximal")
        sim.set_input("load", 40.0)
        return sim

    one, two = opened(), opened()
    steppers = [sim._stepping.dynamics.stepper for sim in (one, two)]
    assert one._stepping._alone
    two._stepping._alone = False
    steppers[0].together = 14  # some kernels of 7 steps each
    for k in range(1, 60):
        one.advance(0.05 * k)
        two.advance(0.05 * k)
        assert (one.y == two.y).all()
    if turns:
        assert one.output("pin") == two.output("pin") > 20.0
    assert steppers[0].statistics == steppers[1].statistics
    one.set_input("load", 1e300)
    with pytest.raises(hn.IntegrationError, match="the fixed step of 0.001 fails"):
        one.advance(5.0)


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_steps_of_any_size_in_one_kernel(coordinates):
    """Where nothing is between steps that the error chooses either: state, statistics, whole turns and the size of the
    next step are those of single steps and those of the general way, in both coordinates."""

    def opened():
        model = hn.Model("double pendulum", units="SI")
        model.gravity = (0, 0, -9.81)
        before, joints = model.ground, []
        for k in range(2):
            rod = model.part(f"rod{k}", mass=1.0, inertia=(0.001, 0.02, 0.02), position=(0.5 * k + 0.25, 0, 0))
            joints.append(model.revolute(rod, before, f"pin{k}", at=(0.5 * k, 0, 0), axis=(0, 1, 0)))
            before = rod
        sim = hn.Simulation(model)
        sim.open(record="none", integrator="DOP853", error=1e-7, coordinates=coordinates)
        return sim

    sims = [opened() for _ in range(3)]
    steppers = [sim._stepping.dynamics.stepper for sim in sims]
    assert (type(steppers[0].reduced).__name__ == "JointSet") == (coordinates == "joint")
    assert all(sim._stepping._alone for sim in sims)
    sims[1]._stepping._alone = False
    sims[2]._stepping._plain = None
    steppers[0].together = 9  # some kernels of 3 steps each
    for k in range(1, 30):
        for sim in sims:
            sim.advance(0.1 * k)
        for sim, stepper in zip(sims[1:], steppers[1:]):
            sim._stepping._plain = None if sim is sims[2] else stepper
            assert (sims[0].y == sim.y).all()
            assert steppers[0].h == stepper.h and steppers[0].statistics == stepper.statistics
    assert sims[0].output("pin1") == sims[1].output("pin1")
