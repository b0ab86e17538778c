"""DELAY and `dead_time` against closed forms by the method of steps: what they delay jumps and has corners."""

import math
import warnings

import numpy as np
import pytest

import holonom as hn


def oscillation(t):
    """y' = -y(t - 1), y = 1 before 0: a polynomial of one degree more in each unit of time."""
    return sum((-1) ** k * (t - k + 1) ** k / math.factorial(k) for k in range(math.floor(t) + 2))


def delayed_decay():
    model = hn.Model("decay", units="SI")
    model.control.dead_time("late", "y", delay=1.0, before=1.0)
    model.control.integrator("y", "-late", initial=1.0)
    return model


def run(model, end, steps, **options):
    """The run, in which no warning occurs."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", hn.ModelWarning)
        return hn.simulate(model, end=end, steps=steps, progress=False, **options)


def value(found, name):
    return np.asarray(found.variable(name).values)


@pytest.mark.parametrize("integrator", ["DOP853", "RADAU5", "GSTIFF", "ABAM", "RKF45"])
def test_the_requested_error_is_kept(integrator):
    """At 6, where the solution is a polynomial of degree seven; errors fall with what is requested."""
    for error in (1e-5, 1e-8, 1e-11) if integrator in ("DOP853", "RADAU5") else (1e-5, 1e-8):
        found = run(delayed_decay(), 6.0, 24, integrator=integrator, error=error)
        off = max(abs(y - oscillation(t)) for t, y in zip(np.asarray(found.time), value(found, "y")))
        assert off < (error if integrator in ("DOP853", "RADAU5") else 15 * error)


@pytest.mark.parametrize("order, integrator", [(1, "EXPLICIT_EULER"), (4, "RK4"), (5, "DOPRI5")])
def test_the_order_of_fixed_steps_is_kept(order, integrator):
    """Steps that are halved: the error falls with the order of the method, since steps end at corners."""
    off = []
    for h in (0.125, 0.0625, 0.03125):
        found = run(delayed_decay(), 5.5, 1, integrator=integrator, fixed=True, hmax=h)
        off.append(abs(value(found, "y")[-1] - oscillation(5.5)))
    rates = np.log2(np.array(off[:-1]) / off[1:])
    assert rates == pytest.approx([order, order], abs=0.35)


@pytest.mark.parametrize("integrator", ["DOP853", "RADAU5", "GSTIFF", "HHT", "ABAM"])
@pytest.mark.parametrize("signal", ["IF", "sampled", "start"])
def test_a_jump_arrives_when_it_should(signal, integrator):
    model = hn.Model("jump", units="SI")
    if signal == "sampled":
        model.control.gain("r", "IF(TIME-0.999: 0, 1, 1)", gain=1.0, sample_time=1.0)
    else:
        model.control.function("r", "IF(TIME-1: 0, 1, 1)" if signal == "IF" else "1.0")
    model.control.dead_time("late", "r", delay=0.5)
    model.control.integrator("y", "late")
    t = np.arange(5.0)
    exact = np.maximum(t - (0.5 if signal == "start" else 1.5), 0.0)
    found = run(model, 4.0, 4, integrator=integrator, error=1e-4)
    assert value(found, "y") == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("integrator", ["DOP853", "RADAU5", "GSTIFF", "HHT"])
def test_dead_times_in_a_chain_and_in_an_algebraic_loop(integrator):
    """A signal of 1 that falls to -0.5 at 3, late by 0.31 and by 0.47 more; z = 1 - z(t - 0.35)/2."""
    model = hn.Model("chain", units="SI")
    c = model.control
    c.function("r", "IF(TIME-3: 1, 1, -0.5)")
    c.dead_time("a", "r", delay=0.31)
    c.dead_time("b", "a", delay=0.47)
    c.integrator("y", "b")
    c.dead_time("d", "z", delay=0.35)
    c.function("z", "1 - 0.5*d")
    c.integrator("sum", "z")
    found = run(model, 4.0, 20, integrator=integrator, error=1e-4)
    t = np.asarray(found.time)
    level = [1.0]
    for _ in range(12):
        level.append(1.0 - 0.5 * level[-1])
    area = np.concatenate([[0.0], np.cumsum(level) * 0.35])
    number = (t / 0.35).astype(int)
    assert value(found, "y") == pytest.approx(np.maximum(t - 0.78, 0.0) - 1.5 * np.maximum(t - 3.78, 0.0), abs=1e-12)
    assert value(found, "sum") == pytest.approx(area[number] + (t - 0.35 * number) * np.array(level)[number], abs=1e-12)
    inner = abs(t / 0.35 - np.rint(t / 0.35)) > 1e-6  # the rows at jumps are those of one side
    assert value(found, "z")[inner] == pytest.approx(np.array(level)[number][inner], abs=1e-13)


def test_a_sampled_controller_with_a_dead_time():
    """u = 2 (1 - y) at samples, late by two and a half of them, to y' = u - y: the recurrence of half samples."""
    h, late = 0.1, 0.25
    model = hn.Model("loop", units="SI")
    model.control.gain("u", "1 - y", gain=2.0, sample_time=h)
    model.control.dead_time("late", "u", delay=late)
    model.control.lag("y", "late", time_constant=1.0)
    found = run(model, 3.0, 30, error=1e-9)
    y, u, x = [0.0], [], 0.0
    for k in range(30):
        u.append(2.0 * (1.0 - x))
        for back in (3, 2):
            v = u[k - back] if k >= back else 0.0
            x = v + (x - v) * math.exp(-0.5 * h)
        y.append(x)
    assert value(found, "y") == pytest.approx(np.array(y), abs=2e-9)


def test_a_snapshot_between_a_jump_and_its_arrival_returns_with_its_bits():
    def opened():
        model = hn.Model("mass", units="SI")
        pull = model.input("pull", 0.0)
        model.control.dead_time("late", f"VARVAL({pull.id})", delay=0.3)
        model.control.dead_time("back", "x", delay=0.2)
        model.control.integrator("x", "late - back")
        sim = hn.Simulation(model)
        sim.open(integrator="DOP853", error=1e-9)
        return sim

    def on(sim):
        out = []
        for t in np.arange(0.45, 1.5, 0.05):
            sim.advance(float(t))
            out.append(sim.output("x"))
        return out

    sim = opened()
    sim.advance(0.25)
    sim.set_input("pull", 1.0)
    sim.advance(0.4)
    moment = sim.snapshot()
    first = on(sim)
    sim.restore(moment)
    assert on(sim) == first
    # x' = 1 from 0.55 on, and -x(t - 0.2) from 0.75 on
    t = np.arange(0.45, 1.5, 0.05)
    exact = np.zeros_like(t)
    for k in range(6):
        s = np.maximum(t - 0.55 - 0.2 * k, 0.0)
        exact += (-1) ** k * s ** (k + 1) / math.factorial(k + 1)
    assert np.array(first) == pytest.approx(exact, abs=1e-9)
    # from a file
    sim = opened()
    sim.advance(0.25)
    sim.set_input("pull", 1.0)
    sim.advance(0.4)
    kept = sim.state()
    sim.close()
    other = opened()
    other.take(kept)
    other.open(integrator="DOP853", error=1e-9)
    assert np.array(on(other)) == pytest.approx(exact, abs=1e-9)


def test_pieces_of_a_run_arrive_at_jumps_too():
    """The first analysis ends, and the second begins, at the moment when the jump arrives."""
    model = hn.Model("pieces", units="SI")
    model.control.function("r", "IF(TIME-1: 0, 1, 1)")
    model.control.dead_time("late", "r", delay=0.5)
    model.control.integrator("y", "late")
    sim = hn.Simulation(model)
    for end in (0.7, 1.0, 1.5, 2.0, 4.0):
        sim.dynamics(end=end, steps=1, error=1e-5)
    assert sim.time == 4.0
    assert sim.run().variable("y").values[-1] == pytest.approx(2.5, abs=1e-12)


def test_the_memory_of_the_past_is_bounded():
    model = hn.Model("long", units="SI")
    model.control.dead_time("late", "COS(7*TIME)", delay=0.5)
    model.control.integrator("y", "late")
    sim = hn.Simulation(model)
    sim.dynamics(end=60.0, steps=1, error=1e-8)
    (past,) = sim.carried.past.values()
    assert len(past.pieces) < 200 and past.pieces[0][0] > 50.0
    assert sim.run().variable("y").values[-1] == pytest.approx(math.sin(7 * 59.5) / 7, abs=1e-7)


def arrival(moment, delay, low, high):
    """Time t with t - delay(t) = moment."""
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if middle - delay(middle) < moment else (low, middle)
    return low


@pytest.mark.parametrize("integrator", ["DOP853", "RADAU5", "GSTIFF", "HHT"])
def test_jumps_by_delays_that_vary_arrive_when_they_should(integrator):
    """By a delay that varies with time, by one with a state x = t + sin(t)/2 twice within 0.01, and in an algebraic
    loop z = 1 - z(t - delay)/2."""
    model = hn.Model("varying", units="SI")
    c = model.control
    c.function("r", "IF(TIME-1: 0, 1, 1)")
    c.function("late", "DELAY(VARVAL(r), 0.5+0.1*SIN(2*TIME), 0)")
    c.integrator("y", "late")
    c.integrator("x", "1+0.5*COS(TIME)")
    c.function("twice", "DELAY(IF(TIME-1: 0, 1, 1)+IF(TIME-1.01: 0, 1, 1), 0.3+0.1*VARVAL(x), 0)")
    c.integrator("w", "twice")
    c.function("z", "1-0.5*DELAY(VARVAL(z), 0.4+0.1*SIN(TIME), 0)")
    c.integrator("sum", "z")
    found = run(model, 3.0, 3, integrator=integrator, error=1e-8 if integrator != "HHT" else 1e-5)
    assert value(found, "y")[-1] == pytest.approx(
        3 - arrival(1, lambda t: 0.5 + 0.1 * math.sin(2 * t), 1, 2), abs=1e-11
    )
    slow = lambda t: 0.3 + 0.1 * (t + 0.5 * math.sin(t))
    exact = sum(3 - arrival(moment, slow, 1, 3) for moment in (1, 1.01))
    assert value(found, "w")[-1] == pytest.approx(exact, abs=1e-7 if integrator != "HHT" else 1e-4)
    ends, level, area = [0.0], 1.0, 0.0
    while ends[-1] < 3.0:
        ends.append(arrival(ends[-1], lambda t: 0.4 + 0.1 * math.sin(t), ends[-1], ends[-1] + 1))
        area += level * (min(ends[-1], 3.0) - ends[-2])
        level = 1.0 - 0.5 * level
    assert value(found, "sum")[-1] == pytest.approx(area, abs=1e-10)


def test_a_jump_that_returns_by_a_delay_that_grows_faster_than_time_is_reported():
    """t - delay passes 1 at 1.3, and from 1.5 on falls by 0.5 in each unit of time, back to 1 at 1.9."""
    model = hn.Model("back", units="SI")
    model.control.function("r", "IF(TIME-1: 0, 1, 1)")
    model.control.function("late", "DELAY(VARVAL(r), 0.3+1.5*MAX(TIME-1.5,0), 0)")
    model.control.integrator("y", "late")
    with pytest.warns(hn.ModelWarning, match="a jump of DELAY.* has arrived within a step"):
        found = hn.simulate(model, end=3.0, steps=3, progress=False, integrator="DOP853", error=1e-8)
    assert value(found, "y")[-1] == pytest.approx(0.6, abs=1e-6)


def test_files_of_states_know_the_pieces_of_the_past():
    from holonom.results.files import state
    from holonom.system import delay

    assert (state.NODES, state.ROW) == (delay.NODES, delay.ROW)


def test_fixed_steps_and_delays():
    """x' = -x(t - 0.5), x = 1 before: 1 - t, then 0.5 - (t - 0.5) + (t - 0.5)^2/2; a step that is longer is refused."""
    model = hn.Model("late", units="SI")
    x = model.diff("0", ic=1.0, name="x")
    x.function = f"-DELAY(DIF({x.id}), 0.5, 1)"
    for given in ({"step": 1e-2}, {"hmax": 1e-2, "fixed": True}):
        run = hn.simulate(model, end=1.0, steps=2, integrator="RK4", **given)
        assert float(run.state("DIFF_1")[-1]) == pytest.approx(0.125, abs=1e-12)
    with pytest.raises(hn.ModelError, match="the fixed step 0.6 is longer than the shortest delay .*, 0.5, whose past"):
        hn.simulate(model, end=1.2, steps=2, integrator="RK4", step=0.6)


@pytest.mark.parametrize("integrator", ["DOP853", "RADAU5"])
def test_a_delay_that_begins_at_zero_is_refused(integrator):
    """x' = -x(t/2): the past of the first step lies within it."""
    model = hn.Model("pantograph", units="SI")
    x = model.diff("0", ic=1.0, name="x")
    x.function = f"-DELAY(DIF({x.id}), 0.5*TIME, 1)"
    with pytest.raises(hn.ModelError, match=r"the delay of DELAY\(.* whose past is not known yet; keep it positive"):
        hn.simulate(model, end=1.0, steps=2, integrator=integrator)
