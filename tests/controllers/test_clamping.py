"""Continuous PID with anti_windup="clamping" that stays at its limit while the error falls: against the solution in
pieces, and against the rule itself in small steps."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

import holonom as hn

K, KI, UPPER, LAG = 1.0, 5.0, 1.2, 2.0


def loop(sign=1.0, **options):
    """PI on a lag, to a reference of 1; ``sign``: the same with the lower limit."""
    m = hn.Model("loop", units="SI")
    limits = {"lower": -0.6, "upper": UPPER} if sign > 0.0 else {"lower": -UPPER, "upper": 0.6}
    m.control.pid("u", reference=sign, measurement="y", kp=K, ti=K / KI, form="ideal", anti_windup="clamping", **limits)
    m.control.lag("y", "u", time_constant=LAG)
    return m


def pieces(times):
    """y: I' = 5 e and u = e + I until u = 1.2; u = 1.2 and I = 0.2 + y until 5 e = y', e = 1 - y; the first again."""
    A = np.array([[-2.0 / LAG, 1.0 / LAG, 1.0 / LAG], [-KI, 0.0, KI], [0.0, 0.0, 0.0]])  # y, I, 1
    inside = lambda z, t: expm(A * t) @ z
    lo, hi = 0.0, 0.2
    for _ in range(60):
        t1 = 0.5 * (lo + hi)
        y, i, _one = inside(np.array([0.0, 0.0, 1.0]), t1)
        lo, hi = (t1, hi) if 1.0 - y + i < UPPER else (lo, t1)
    y2 = (KI - UPPER / LAG) / (KI - 1.0 / LAG)
    t2 = t1 + LAG * math.log((UPPER - y) / (UPPER - y2))
    out = []
    for t in times:
        if t < t1:
            out.append(inside(np.array([0.0, 0.0, 1.0]), t)[0])
        elif t < t2:
            out.append(UPPER - (UPPER - y) * math.exp(-(t - t1) / LAG))
        else:
            out.append(inside(np.array([y2, UPPER - 1.0 + y2, 1.0]), t - t2)[0])
    return np.array(out)


@pytest.mark.parametrize(
    ("integrator", "error", "tolerance"),
    [
        ("DOP853", 1e-9, 1e-7),
        ("ABAM", 1e-8, 1e-5),
        ("RADAU5", 1e-8, 1e-6),
        ("GSTIFF", 1e-7, 1e-4),
        ("HHT", 1e-7, 1e-3),
    ],
)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_it_slides_along_the_limit(integrator, error, tolerance, sign):
    run = hn.simulate(loop(sign), end=4.0, steps=40, integrator=integrator, error=error)
    assert sign * run.variable("y").values == pytest.approx(pieces(run.time), abs=tolerance)
    u, t = sign * run.variable("u").values, run.time
    assert u[(t > 0.05) & (t < 3.0)] == pytest.approx(UPPER, abs=1e-14)
    assert not any("changes back at once" in text for text in run.info["messages"])
    if integrator in ("DOP853", "RADAU5"):
        assert run.counters["steps"] + run.counters.get("rejected: error", 0) < 300  # 11,448 in 0.3 s before


def small_steps(error, kp, ki, upper, end, n):
    """Outputs by the rule: the integral stops while the output is beyond the limit and the error leads further."""
    h, integral, out = end / n, 0.0, []
    for k in range(n + 1):
        e = error(k * h)
        v = kp * e + integral
        out.append(min(v, upper))
        if not (v > upper and e > 0.0):
            integral += h * ki * e
    return np.array(out)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("0.5+0.7*COS(2*TIME)", lambda t: 0.5 + 0.7 * math.cos(2 * t)),
        ("0.3+0.4*SIN(5*TIME)+0.3*COS(1.7*TIME)", lambda t: 0.3 + 0.4 * math.sin(5 * t) + 0.3 * math.cos(1.7 * t)),
        (
            "0.4+0.5*COS(3*TIME)+IF(TIME-0.9: 0, 0, 0.3)-IF(TIME-1.6: 0, 0, 0.2)",
            lambda t: 0.4 + 0.5 * math.cos(3 * t) + 0.3 * (t > 0.9) - 0.2 * (t > 1.6),
        ),
    ],
)
def test_it_is_the_limit_of_small_steps(text, error):
    """Errors that lead beyond the limit while it slides, from it, and that jump there."""
    m = hn.Model("open", units="SI")
    m.control.pid("u", text, kp=1.0, ki=2.0, upper=1.0, anti_windup="clamping")
    m.control.lag("y", "u", time_constant=1.0)
    run = hn.simulate(m, end=4.0, steps=400, integrator="DOP853", error=1e-9)
    expected = small_steps(error, 1.0, 2.0, 1.0, 4.0, 400_000)[::1000]
    assert (expected == 1.0).sum() > 40 and (expected < 0.9).sum() > 40
    jumps = np.abs(run.time[:, None] - np.array([0.9, 1.6])).min(axis=1) < 1e-9
    assert np.abs(run.variable("u").values - expected)[~jumps].max() < 1e-4
    assert run.counters["steps"] < 400 and "discontinuities located" in run.counters


def test_snapshots_and_samples_find_the_integral_where_it_is():
    """A return to a moment of sliding has the same bits; a sensor and a sampled block that begin steps anew in between
    do not change the motion."""
    sim = hn.Simulation(loop())
    sim.open(integrator="DOP853", error=1e-9, record="none", duration=4.0)
    sim.advance(1.0)
    kept = sim.snapshot()
    ends = []
    for _ in range(2):
        sim.advance(3.7)
        ends.append((sim.output("u"), sim.output("y")))
        sim.restore(kept)
    assert ends[0] == ends[1]
    assert ends[0][1] == pytest.approx(pieces([3.7])[0], abs=1e-7)

    m = loop()
    m.control.gain("seen", "y", gain=1.0, sample_time=0.13)
    m.sensor(f"VARVAL({m.find('VARIABLE', 'y').id})", 0.5, "GE", error=1e-6)
    run = hn.simulate(m, end=4.0, steps=40, integrator="DOP853", error=1e-9)
    assert run.variable("y").values == pytest.approx(pieces(run.time), abs=1e-7)


@pytest.mark.parametrize("integrator", ["DOP853", "RADAU5"])
def test_inputs_that_jump_while_it_slides_leave_the_integral_where_it_is(integrator):
    """A step of the reference moves the proportional part and not the integral, against the rule in small steps."""
    m = hn.Model("loop", units="SI")
    r = m.input("r", 1.0)
    m.control.pid(
        "u",
        reference=f"VARVAL({r.id})",
        measurement="y",
        kp=K,
        ti=K / KI,
        form="ideal",
        upper=UPPER,
        anti_windup="clamping",
    )
    m.control.lag("y", "u", time_constant=LAG)
    sim = hn.Simulation(m)
    sim.open(integrator=integrator, error=1e-9, record="none", duration=2.0)
    n, y, integral = 200_000, 0.0, 0.0
    for until, reference in ((1.0, 1.0), (1.1, 0.8), (1.4, 1.05), (2.0, 0.4)):
        sim.set_input("r", reference)
        before = sim.time
        for _ in range(round((until - before) * n)):
            v = K * (reference - y) + integral
            if not (v > UPPER and reference > y):
                integral += KI * (reference - y) / n
            y += (min(v, UPPER) - y) / LAG / n
        sim.advance(until)
        assert sim.output("y") == pytest.approx(y, abs=2e-5)
        assert sim.output("u") == pytest.approx(min(K * (reference - y) + integral, UPPER), abs=1e-4)


def test_its_derivative_is_refused():
    m = loop()
    gain = m.parameter("T", 1.0)
    m.control.function("twice", f"{gain}*y")
    with pytest.raises(hn.ModelError, match="CONTROL/1 'u': its integral stays at a limit.*back_calculation"):
        hn.gradient(m, hn.final(f"VARVAL({m.find('VARIABLE', 'twice').id})"), ["T"], end=1.0)
