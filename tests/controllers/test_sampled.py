"""Sampled control blocks against recurrences of sampled-data theory: exact at samples, with delay, offset, jitter and
several rates."""

import numpy as np
import pytest
from scipy import signal

import holonom as hn
from holonom.model import ModelError
from holonom.model.control import SampleTime
from holonom.system.control import standard_normal, uniform


def mass_on_line(mass=2.0, start=0.0):
    model = hn.Model("cart", units="SI")
    model.gravity = (0, 0, 0)
    block = model.part("block", mass=mass, inertia=(1, 1, 1), position=(start, 0, 0))
    model.translational(block, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    model.control.function("x", f"DX({block.cm})")
    model.vforce(block.cm, None, fx="VARVAL(servo)")
    return model


def value(found, name):
    return np.asarray(found.variable(name).values)


def simulate(model, end, steps, **words):
    return hn.simulate(model, end=end, steps=steps, **{"integrator": "DOP853", "error": 1e-11, **words})


def exact_flight(law, times, end, mass=2.0):
    """Position and velocity of the mass at ``times``, pushed by a force that changes at events: ``law(events)`` yields
    (time, force) in order when sent (x, v) at each time."""
    generator = law()
    moment = next(generator)
    t = x = v = f = 0.0
    out, wanted = [], list(times)
    while wanted:
        until = min(moment, wanted[0])
        h = until - t
        x, v, t = x + v * h + 0.5 * f / mass * h * h, v + f / mass * h, until
        if wanted[0] <= moment:  # a row at a sample holds what was before it
            out.append((x, v, f))
            wanted.pop(0)
        if until == moment:
            f, moment = generator.send((x, f))
    return np.array(out)


@pytest.mark.parametrize("method", ["backward", "forward", "trapezoidal"])
@pytest.mark.parametrize("timing", [{}, {"delay": 0.013}, {"offset": 0.07, "jitter": 0.02, "seed": 5}])
def test_sampled_pid_follows_its_recurrence(method, timing):
    T, kp, ki, kd, tf = 0.05, 6.0, 3.0, 4.0, 0.02
    model = mass_on_line()
    words = dict(kp=kp, ki=ki, kd=kd, filter=tf, b=0.8, c=0.3, lower=-5.0, upper=2.0, tracking=0.7)
    model.control.pid(
        "servo", reference="1", measurement="x", sample_time=SampleTime(T, **timing), method=method, **words
    )
    found = simulate(model, 2.0, 40)
    rng = lambda k: uniform(timing.get("seed", 0), -1 - k, 1)[0]

    def law():
        integral = last = part = before = 0.0
        k = 0
        at = lambda k: timing.get("offset", 0.0) + k * T + timing.get("jitter", 0.0) * rng(k)
        x, f = yield at(0)
        while True:
            e, d = 1 - x, 0.3 - x
            used = {"backward": e, "forward": last, "trapezoidal": 0.5 * (e + last)}[method]
            part = (tf * part + kd * (d - before)) / (tf + T)
            integral += ki * T * used
            v = kp * (0.8 - x) + integral + part
            u = min(max(v, -5.0), 2.0)
            integral += T / 0.7 * (u - v)
            last, before = e, d
            if "delay" in timing:
                x, _ = yield f, at(k) + timing["delay"]
            k += 1
            f = u
            x, f = yield u, at(k)

    exact = exact_flight(law, np.linspace(0, 2, 41), 2.0)
    assert abs(value(found, "x") - exact[:, 0]).max() < 1e-9
    assert abs(value(found, "servo") - exact[:, 2]).max() < 1e-9


@pytest.mark.parametrize("method", ["zoh", "tustin", "given"])
def test_sampled_transfer_functions_follow_scipy(method):
    T, num, den = 0.1, [1.0, 3.0], [1.0, 0.5, 5.0]
    model = hn.Model("signals", units="SI")
    model.control.transfer_function("tf", "SIN(2*TIME)", numerator=num, denominator=den, sample_time=T, method=method)
    found = simulate(model, 2.0, 40)
    t = np.arange(21) * T
    if method == "given":
        numd, dend = num, den
    else:
        numd, dend, _ = signal.cont2discrete((num, den), T, method={"zoh": "zoh", "tustin": "bilinear"}[method])
    y = signal.lfilter(np.ravel(numd) if len(np.ravel(numd)) == len(dend) else [0, *num], dend, np.sin(2 * t))
    held = value(found, "tf")[1::2]  # half-way between samples
    assert abs(held - y[:20]).max() < 1e-9


def test_prewarped_notch_keeps_its_frequency():
    w, T = 20.0, 0.05
    model = hn.Model("signals", units="SI")
    model.control.notch("notch", f"SIN({w}*TIME)", frequency=w, width=0.5, sample_time=T)
    assert abs(value(simulate(model, 6.0, 119), "notch")[-20:]).max() < 1e-9


def test_blocks_at_one_sample_see_each_other_and_unit_delays_the_past():
    """error -> controller -> saturation act at one sample; the loop through a unit delay has the sample before."""
    model = hn.Model("signals", units="SI")
    c = model.control
    c.saturation("sat", "controller", lower=-2.0, upper=2.0, sample_time=0.1)  # before what it needs
    c.gain("controller", "error", gain=3.0, sample_time=0.1)
    c.sum("error", "COS(5*TIME)", "last", weights="+-", sample_time=0.1)
    c.unit_delay("last", "sat", sample_time=0.1)
    c.unit_delay("older", "sat", samples=3, sample_time=0.1)
    c.gain("slow", "sat", gain=1.0, sample_time=0.3)
    found = simulate(model, 2.0, 40)
    last, outputs, slow = 0.0, [], []
    for k in range(20):
        outputs.append(min(max(3.0 * (np.cos(5 * 0.1 * k) - last), -2.0), 2.0))
        last = outputs[-1]
        slow.append(outputs[k - k % 3])
    assert abs(value(found, "sat")[1::2] - outputs).max() < 1e-12
    assert abs(value(found, "slow")[1::2] - slow).max() < 1e-12
    assert abs(value(found, "older")[1::2] - [0, 0, 0, *outputs[:-3]]).max() < 1e-12


def test_sampled_nonlinear_blocks():
    model = hn.Model("signals", units="SI")
    c = model.control
    T = 0.1
    c.function("wave", "2*SIN(4*TIME)")
    c.rate_limit("rate", "wave", rising=5.0, falling=3.0, sample_time=T)
    c.relay("relay", "wave", on=2.0, off=-1.0, above=0.8, below=-1.2, sample_time=T)
    c.quantizer("counts", "wave", step=0.3, sample_time=T)
    c.latch("latch", "wave - 1", "TIME - 0.9", sample_time=T)
    c.state_machine("gear", [(1, "wave - 0.4", 2), (2, "-wave - 0.5", 3), (3, "wave - 1", 1)], sample_time=T)
    c.integrator("sum", "wave", sample_time=T, method="trapezoidal", initial=0.5)
    found = simulate(model, 2.0, 40)
    wave = 2 * np.sin(4 * T * np.arange(20))
    y, r, latch, gear, total = 0.0, -1.0, 0.0, 1, 0.5
    rows = []
    for k, w in enumerate(wave):
        y += min(max(w - y, -0.3), 0.5)
        r = 2.0 if w >= 0.8 else -1.0 if w <= -1.2 else r
        latch = 1.0 if w - 1 > 0.5 else latch
        latch = 0.0 if T * k - 0.9 > 0.5 else latch
        gear = {1: 2 if w > 0.9 else 1, 2: 3 if -w > 1 else 2, 3: 1 if w > 1.5 else 3}[gear]
        total += T * 0.5 * (w + wave[k - 1]) if k else 0.0
        rows.append((y, r, 0.3 * round(w / 0.3), latch, gear, total))
    for name, exact in zip(("rate", "relay", "counts", "latch", "gear"), np.array(rows).T):
        assert abs(value(found, name)[1::2] - exact).max() < 1e-9, name
    # the trapezoidal sum starts with half of the first input, which is zero here
    assert abs(value(found, "sum")[1::2] - np.array(rows)[:, 5]).max() < 1e-9


@pytest.mark.parametrize("integrator", ["RK4", "GSTIFF", "HHT", "RADAU5"])
def test_steps_end_at_samples(integrator):
    """An input that is a ramp is sampled at exact times, whatever the steps."""
    model = mass_on_line()
    model.control.zero_order_hold("servo", "TIME", sample_time=0.0371)
    words = {"step": 0.01} if integrator == "RK4" else {"error": 1e-4}
    found = hn.simulate(model, end=1.0, steps=13, integrator=integrator, **words)
    t = np.linspace(0, 1, 14)[1:]
    k = np.ceil(t / 0.0371 - 1e-9) - 1
    assert abs(value(found, "servo")[1:] - 0.0371 * k).max() < 1e-12


def test_stepping_snapshots_and_saved_states_continue(tmp_path):
    def build():
        model = mass_on_line()
        model.control.pid(
            "servo", "1 - x", kp=6.0, ki=1.0, kd=4.0, sample_time=SampleTime(0.05, delay=0.02, jitter=0.01, seed=3)
        )
        return model

    whole = hn.Simulation(build())
    whole.dynamics(end=1.0, steps=10, integrator="DOP853", error=1e-10)
    goal = whole.output("x")
    sim = hn.Simulation(build())
    sim.open(integrator="DOP853", error=1e-10, record="none")
    sim.advance(0.53)
    moment = sim.snapshot()
    ends = []
    for _ in range(2):
        sim.restore(moment)
        sim.advance(1.0)
        ends.append(sim.output("x"))
    assert ends[0] == ends[1] and abs(ends[0] - goal) < 1e-8
    first = hn.Simulation(build())
    first.dynamics(end=0.53, steps=5, integrator="DOP853", error=1e-10)  # between computation and release
    first.save(tmp_path / "state.h5")
    second = hn.Simulation(build())
    second.reload(tmp_path / "state.h5")
    second.dynamics(end=1.0, steps=5, integrator="DOP853", error=1e-10)
    assert abs(second.output("x") - goal) < 1e-8


def test_random_numbers_depend_on_seed_and_sample_alone():
    z = np.concatenate([standard_normal(1, k, 5) for k in range(4000)])
    assert abs(z.mean()) < 0.03 and abs(z.std() - 1.0) < 0.03 and abs((z**4).mean() - 3.0) < 0.25
    assert np.array_equal(standard_normal(1, 7, 3), standard_normal(1, 7, 3))
    assert not np.array_equal(standard_normal(1, 7, 3), standard_normal(2, 7, 3))


def test_sampled_loops_are_refused_by_name():
    model = hn.Model("loop", units="SI")
    model.control.gain("a", "b + TIME", gain=0.5, sample_time=0.1)
    model.control.gain("b", "a", gain=0.5, sample_time=0.1)
    with pytest.raises(ModelError, match="'a' <- 'b' <- 'a' form an algebraic loop.*unit_delay"):
        simulate(model, 1.0, 2)
    late = hn.Model("loop", units="SI")
    late.control.gain("a", "b + TIME", gain=0.5, sample_time=SampleTime(0.1, delay=0.01))
    late.control.gain("b", "a", gain=0.5, sample_time=0.1)
    simulate(late, 0.3, 2)


def test_a_sample_time_longer_than_the_run_warns():
    model = hn.Model("slow", units="SI")
    model.control.gain("g", "TIME", gain=1.0, sample_time=5.0)
    with pytest.warns(hn.ModelWarning, match="its sample time 5 is longer than the run of 1"):
        simulate(model, 1.0, 2)


@pytest.mark.parametrize(
    "words, text",
    [
        (dict(period=0.0), "the period is 0"),
        (dict(period=0.1, delay=0.1), "the delay is 0.1"),
        (dict(period=0.1, jitter=-1.0), "the jitter is -1"),
        (dict(period=0.1, jitter=0.06, delay=0.05), "together reach the period"),
        (dict(period="fast"), "period is 'fast'"),
    ],
)
def test_invalid_timing(words, text):
    with pytest.raises(ModelError, match=text):
        SampleTime(**words)


def test_a_delayed_input_has_its_past():
    """TIME delayed by 0.25 s at samples of 0.1 s, which nothing else reads."""
    model = mass_on_line()
    model.control.gain("servo", "0*x", gain=1.0, sample_time=0.1)
    model.control.gain("late", "DELAY(TIME, 0.25, -1)", gain=1.0, sample_time=0.1)
    found = simulate(model, 1.0, 20)
    assert value(found, "late")[0] == 0.0
    for t, seen in list(zip(found.time, value(found, "late")))[1:]:
        sample = np.ceil(round(t / 0.1, 6)) * 0.1 - 0.1  # a row at a sample holds what was before it
        assert seen == pytest.approx(sample - 0.25 if sample >= 0.25 else -1.0, abs=1e-9), t
