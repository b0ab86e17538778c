"""Continuous control blocks against matrix exponentials, SciPy and NumPy; wiring, loops and mistakes."""

import json
import math

import numpy as np
import pytest
from scipy import signal
from scipy.linalg import expm

import holonom as hn
from holonom.model import ModelError
from holonom.model.builder.control import methods

EXACT = {"integrator": "DOP853", "error": 1e-11}


def run(model, end=2.0, steps=8, **words):
    return hn.simulate(model, end=end, steps=steps, **{**EXACT, **words})


def value(found, name):
    return np.asarray(found.variable(name).values)


def cart(mass=2.0):
    """A mass on a line that the signal ``servo`` pushes; its position is the signal ``x``."""
    model = hn.Model("cart", units="SI")
    model.gravity = (0, 0, 0)
    block = model.part("block", mass=mass, inertia=(1, 1, 1), position=(0, 0, 0))
    model.translational(block, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    model.control.function("x", f"DX({block.cm})")
    model.vforce(block.cm, None, fx="VARVAL(servo)")
    return model


def test_linear_blocks_follow_scipy():
    model = hn.Model("signals", units="SI")
    c = model.control
    c.transfer_function("tf", 1.0, numerator=[1, 3], denominator=[1, 2, 5])
    c.lag("lag", "1", gain=3.0, time_constant=0.4)
    c.lead_lag("lead", "1", gain=2.0, lead=0.5, lag=0.1)
    c.notch("notch", "1", frequency=7.0, depth=0.1, width=0.5)
    c.derivative("rate", "SIN(3*TIME)", filter=0.2)
    a, b = [[0, 1], [-2, -3]], [[0, 1], [1, 0]]
    c.state_space("ss", "1", "1", A=a, B=b, C=[[1, 0], [0, 1]], D=[[0, 0], [1, 0]], initial=[0.3, -0.2])
    c.sum("all", "ss.y2", c.gain("half", "tf", gain=0.5), 3.0, weights="+-+")
    found = run(model)
    t = np.linspace(0.0, 2.0, 9)
    step = lambda num, den: signal.step((num, den), T=t)[1]
    for name, num, den in (
        ("tf", [1, 3], [1, 2, 5]),
        ("lag", [3.0], [0.4, 1]),
        ("lead", [1.0, 2.0], [0.1, 1]),
        ("notch", [1, 0.35, 49], [1, 3.5, 49]),
    ):
        assert abs(value(found, name) - step(num, den)).max() < 1e-9, name
    exact = []
    for moment in t:
        both = np.zeros((3, 3))
        both[:2, :2], both[:2, 2] = a, np.sum(b, axis=1)
        exact.append((expm(both * moment) @ [0.3, -0.2, 1.0])[:2])
    exact = np.array(exact)
    assert abs(value(found, "ss.y1") - exact[:, 0]).max() < 1e-9
    assert abs(value(found, "ss.y2") - exact[:, 1] - 1.0).max() < 1e-9
    assert abs(value(found, "all") - (exact[:, 1] + 1.0 - 0.5 * step([1, 3], [1, 2, 5]) + 3.0)).max() < 1e-9
    # s/(0.2 s + 1) of sin 3t: with T = 0.2, w = 3
    T, w = 0.2, 3.0
    response = w / (1 + (w * T) ** 2) * (np.cos(w * t) + w * T * np.sin(w * t) - np.exp(-t / T))
    assert abs(value(found, "rate") - response).max() < 1e-9


@pytest.mark.parametrize(
    "form, words",
    [
        ("parallel", dict(kp=10.0, ki=6.0, kd=8.0)),
        ("ideal", dict(kp=10.0, ti=2.0, td=0.9)),
        ("series", dict(kp=10.0, ti=2.0, td=0.9)),
    ],
)
def test_pid_forms_close_the_loop_of_theory(form, words):
    tf, mass = 0.05, 2.0
    model = cart(mass)
    model.control.pid("servo", reference="1", measurement="x", form=form, filter=tf, b=0.7, c=0.2, **words)
    found = run(model, 1.5, 6)
    kp = words["kp"]
    one, s = np.poly1d([1.0]), np.poly1d([1.0, 0.0])
    F = np.poly1d([tf, 1.0])
    if form == "parallel":
        parts = ((kp, words["ki"], words["kd"]),)
    elif form == "ideal":
        parts = ((kp, kp / words["ti"], kp * words["td"]),)
    else:  # K (1 + 1/(Ti s)) (1 + Td s/(tf s + 1)), multiplied out by polynomials
        num = np.poly1d([words["ti"], 1.0]) * (F + words["td"] * s) * kp
        den = words["ti"] * s * F
        r, p, k = signal.residue(num.coeffs, den.coeffs)
        at = {round(q.real, 6): c.real for c, q in zip(r, p)}
        ki, lag = at[0.0], at[round(-1 / tf, 6)]  # k + ki/s + lag/(s + 1/tf)
        kd = -lag * tf * tf
        parts = ((k[0] - kd / tf, ki, kd),)
    (p_, i_, d_) = parts[0]
    # states: position, velocity, integral, filter
    A = np.zeros((4, 4))
    B = np.zeros(4)
    A[0, 1] = 1.0
    A[1] = np.array([-p_ - d_ / tf, 0.0, 1.0, -d_ / tf]) / mass
    B[1] = (0.7 * p_ + 0.2 * d_ / tf) / mass
    A[2, 0], B[2] = -i_, i_
    A[3, 0], A[3, 3], B[3] = -1 / tf, -1 / tf, 0.2 / tf
    both = np.zeros((5, 5))
    both[:4, :4], both[:4, 4] = A, B
    exact = [(expm(both * t) @ [0, 0, 0, 0, 1.0])[0] for t in np.linspace(0, 1.5, 7)]
    assert abs(value(found, "x") - exact).max() < 1e-9
    assert one.order == 0


def test_linearised_machine_has_the_poles_of_the_closed_loop():
    model = cart(2.0)
    model.control.pid("servo", "1 - x", kp=10.0, ki=6.0, kd=8.0, filter=0.05, lower=-1e3, upper=1e3)
    poles = np.sort_complex(hn.linearize(model).eigenvalues)
    den = np.polyadd(np.polymul([2.0, 0, 0, 0], [0.05, 1]), np.polymul([10, 6], [0.05, 1]))
    den = np.polyadd(den, [8.0, 0, 0])
    assert abs(poles - np.sort_complex(np.roots(den))).max() < 1e-8


def test_nonlinear_blocks():
    model = hn.Model("signals", units="SI")
    c = model.control
    c.function("ramp", "4*TIME - 3")
    c.saturation("sat", "ramp", lower=-1.0, upper=2.5)
    c.dead_zone("dead", "ramp", lower=-1.0, upper=0.5)
    c.quantizer("q", "ramp", step=0.25)
    c.lookup("table", "ramp", x=[-2, -1, 0, 3], y=[1, 4, 2, 5])
    c.lookup("short", "ramp", x=[-1, 1], y=[0, 1], beyond="extend")
    c.lookup("map", "ramp", "TIME", x=[-2, 0, 3], y=[[1, 2, 0], [4, 0, 1], [3, 3, 3]], z=[0, 0.5, 2])
    c.compare("high", "ramp", ">=", 1.0)
    c.compare("late", "TIME", ">", 0.3)
    c.logic("both", "high", "late", gate="and")
    c.logic("one", "high", "late", gate="xor")
    c.logic("none", "high", "late", gate="nor")
    c.select("chosen", "high", 7.0, "ramp")
    c.integrator("held", "COS(2*TIME)", upper=0.3, lower=-0.2)
    c.dead_time("before", "SIN(3*TIME)", delay=0.35, before=0.0)
    c.dead_time("nearly", "SIN(3*TIME)", delay=0.35, pade=8)
    t = np.linspace(0.0, 2.0, 24)
    found = run(model, 2.0, 23)
    ramp = 4 * t - 3
    expected = {
        "sat": np.clip(ramp, -1, 2.5),
        "dead": np.where(ramp > 0.5, ramp - 0.5, np.where(ramp < -1, ramp + 1, 0)),
        "q": 0.25 * np.round(ramp / 0.25),
        "table": np.interp(ramp, [-2, -1, 0, 3], [1, 4, 2, 5]),
        "short": (ramp + 1) / 2,
        "high": ramp >= 1,
        "both": (ramp >= 1) & (t > 0.3),
        "one": (ramp >= 1) ^ (t > 0.3),
        "none": ~((ramp >= 1) | (t > 0.3)),
        "chosen": np.where(ramp >= 1, 7.0, ramp),
        "before": np.where(t < 0.35, 0.0, np.sin(3 * (t - 0.35))),
    }
    curves = [np.interp(ramp, [-2, 0, 3], row) for row in ([1, 2, 0], [4, 0, 1], [3, 3, 3])]
    expected["map"] = [np.interp(t[k], [0, 0.5, 2], [row[k] for row in curves]) for k in range(len(t))]
    for name, exact in expected.items():
        assert abs(value(found, name) - exact).max() < 1e-8, name
    # at its upper limit from arcsin(0.6)/2 until the input turns at pi/4, then down from there
    turn = math.pi / 4
    free = np.where(t < turn, np.minimum(0.5 * np.sin(2 * t), 0.3), 0.3 + 0.5 * np.sin(2 * t) - 0.5)
    assert abs(value(found, "held") - np.maximum(free, -0.2)).max() < 1e-8
    assert abs(value(found, "nearly") - value(found, "before"))[t > 1.5].max() < 1e-4


def test_anti_windup_stops_the_integral():
    """A loop that is saturated for long: without anti-windup it overshoots far, with either kind hardly."""
    peaks = {}
    for windup in ("none", "clamping", "back_calculation"):
        model = cart(1.0)
        model.control.pid(
            "servo", "1 - x", kp=8.0, ki=4.0, kd=6.0, filter=0.02, lower=-0.8, upper=0.8, anti_windup=windup
        )
        peaks[windup] = value(run(model, 8.0, 80, integrator="DOP853", error=1e-7), "x").max()
    assert peaks["none"] > 1.3 and peaks["clamping"] < 1.15 and peaks["back_calculation"] < 1.15


def test_ports_of_a_pid_are_those_that_it_was_given():
    """An error is the same controller as a reference and a measurement, and its port is called so."""
    runs = []
    for ports in ({"error": "1 - x"}, {"reference": 1.0, "measurement": "x"}):
        model = cart()
        block = model.control.pid("servo", **ports, kp=10.0, ki=2.0, kd=8.0, filter=0.05, sample_time=0.01)
        assert block.port_names == tuple(ports)
        runs.append(value(run(model), "x"))
    assert abs(runs[0] - runs[1]).max() < 1e-12
    model = cart()
    model.control.connect(
        model.control.pid("servo", "x", kp=10.0, ki=2.0, kd=8.0, filter=0.05, sample_time=0.01), error="1 - x"
    )
    assert np.array_equal(value(run(model), "x"), runs[0])


def test_loops_are_solved_and_named():
    model = hn.Model("loop", units="SI")
    model.control.gain("half", "total", gain=0.5)
    model.control.sum("total", "half", "TIME")
    with pytest.warns(hn.ModelWarning, match="total.*half|half.*total"):
        found = run(model)
    assert abs(value(found, "total") - 2.0 * np.linspace(0, 2, 9)).max() < 1e-12


def test_blocks_survive_copies_json_and_parameters():
    model = cart()
    model.control.pid("servo", "1 - x", kp=10.0, ki=2.0, kd=8.0, filter=0.05)
    first = value(run(model), "x")
    other = hn.Model.from_json(model.to_json())
    assert json.loads(other.to_json()) == json.loads(model.to_json())
    for twin in (other, model.copy()):
        assert np.array_equal(value(run(twin), "x"), first)


def test_statics_finds_where_an_integral_part_rests():
    model = cart()
    model.gravity = (-9.0, 0, 0)
    model.control.pid("servo", "0.25 - x", kp=50.0, ki=20.0)
    sim = hn.Simulation(model)
    sim.statics()
    assert abs(sim.output("x") - 0.25) < 1e-8 and abs(sim.output("servo") - 18.0) < 1e-6


def broken(build):
    model = hn.Model("broken", units="SI")
    build(model.control)
    hn.simulate(model, end=1.0, steps=2)


MISTAKES = [
    (lambda c: c.gain("g", gain=2.0), "CONTROL/1 'g': its input 'u' is not connected"),
    (lambda c: c.pid("p", reference=1.0, kp=1.0), "its input 'measurement' is not connected"),
    (lambda c: (c.gain("angle", 1.0, gain=2.0), c.gain("g", "angel", gain=2.0)), "did you mean 'angle'"),
    (lambda c: c.gain("g", "2*(", gain=2.0), "input 'u'"),
    (lambda c: c.gain("9g", 1, gain=2.0), "the name of a block is '9g'"),
    (lambda c: c.gain("time", 1, gain=2.0), "the name of a block is 'time'"),
    (lambda c: (c.gain("g", 1, gain=2.0), c.gain("g", 1, gain=2.0)), "give the block another name"),
    (lambda c: c.gain("g", 1, gain="two"), "gain must be a number|gain is 'two'"),
    (lambda c: c.gain("g", 1, gane=2.0), "gane"),
    (lambda c: c.transfer_function("t", 1, numerator=[1, 0, 0], denominator=[1, 1]), "degree 2"),
    (lambda c: c.lag("t", 1, time_constant=0.0), "time_constant is 0"),
    (lambda c: c.state_space("s", 1, A=[[1, 2]], B=[[1]], C=[[1, 0]]), "do not fit together"),
    (lambda c: c.sum("s", 1, 2, weights="+"), "weights holds 1 values for 2 inputs"),
    (lambda c: c.saturation("s", 1, lower=2, upper=1), "lower is 2 and upper 1"),
    (lambda c: c.pid("p", 1, kp=1, ti=2.0), "form='ideal'"),
    (lambda c: c.pid("p", 1, kp=1, kd=1, filter=0.0), "not causal"),
    (lambda c: c.pid("p", 1, kp=1, form="idal"), "did you mean 'ideal'"),
    (lambda c: c.pid("p", 1, kp=1, sample_time=-0.1), "the period is -0.1"),
    (lambda c: c.rate_limit("r", 1, rising=1.0), "needs a lag"),
    (lambda c: c.quantizer("q", 1, step=0.0), "step is 0"),
    (lambda c: c.lookup("l", 1, x=[0, 1, 1, 2], y=[0, 1, 2, 3]), "x must increase"),
    (lambda c: c.lookup("l", 1, x=[0, 1], y=[[0, 1], [1, 2]]), "y has 2 rows; give one row, or z"),
    (lambda c: c.logic("l", 1, 2, gate="not"), "'not' has 2 inputs"),
    (lambda c: c.connect(c.gain("g", 1, gain=1), v=2), "it has no input 'v'"),
    (lambda c: c.pid("p", "angel", kp=1.0), "input 'error'"),
    (lambda c: c.pid("p", 1, kp=1.0, b=0.5), "b and c weigh the reference"),
    (lambda c: c.connect(c.pid("p", 1, kp=1.0), reference=2), "it has no input 'reference'.*error"),
]


@pytest.mark.parametrize("build, text", MISTAKES, ids=[text for _, text in MISTAKES])
def test_mistakes_are_one_sentence(build, text):
    with pytest.raises(ModelError, match=text) as caught:
        broken(build)
    assert "\n" not in str(caught.value)


def test_a_loop_without_solution_is_reported():
    model = hn.Model("loop", units="SI")
    model.control.gain("same", "total", gain=1.0)
    model.control.sum("total", "same", "TIME + 1")
    with pytest.warns(hn.ModelWarning), pytest.raises(Exception, match="same|total"):
        run(model)


def test_every_block_has_a_docstring_and_is_registered():
    from holonom.model.control import BLOCKS

    names = set(methods())
    assert {k.builder.__name__ for k in BLOCKS.values()} <= names
    with pytest.raises(AttributeError, match="did you mean 'pid'"):
        getattr(hn.Model("m").control, "pidd")  # noqa: B009
