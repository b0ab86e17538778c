"""Running safety next to its limits: a wheelset under a known force, steady curving in closed form, a coach in a curve
against it, refusals."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import holonom as hn
from holonom.durability import rainflow
from holonom.model import ModelError
from holonom.rail import (
    assess,
    assessment,
    cone,
    curve,
    nadal,
    quasi_static,
    rail_vehicle,
    round_head,
    uic60,
    wheel_history,
    wheelset,
)
from holonom.rail.command import body_loads
from holonom.rail.vehicle import COACH

G = 9.81


@pytest.fixture(scope="module")
def pushed():
    """A wheelset of 2000 kg at 4 m/s whose axle is pushed to the left by 6 kN from 0.2 s on."""
    m = hn.Model("pushed")
    m.gravity = (0, 0, -G)
    track = m.rail_track(rail=round_head(0.3))
    w = wheelset(m, track, load=2000 * G, speed=4.0, profile=cone(0.05), mass=1800.0, law="LINEAR")
    m.vforce(m.marker_at(w.part, m.body_frame(w.part).origin), None, fy="STEP(TIME, 0.0, 0.0, 0.2, 6000.0)")
    return w, hn.simulate(m, end=0.5, steps=200, integrator="RADAU5", error=1e-6)


def test_a_known_force(pushed):
    """Sum of Y, unloading and quotient of a wheelset by its equilibrium: what is not its lateral acceleration is on the
    rails; it tips about them by F r0."""
    w, run = pushed
    found = assess(run, [w], steady=0.1)[0]
    k = run.time >= run.time[-1] - 0.1
    acceleration = run.data.body_acceleration[k, 0, 1].mean()
    sum_y = -(6000.0 - 2000.0 * acceleration)
    assert sum(found.mean_y) == pytest.approx(sum_y, rel=5e-3)
    assert found.guiding == pytest.approx(-sum_y, rel=0.02) and found.guiding_limit == pytest.approx(
        10e3 + 2000 * G / 3
    )
    sides = [wheel_history(run, c) for c in w.contacts]
    apart = (sides[0]["lateral"] + sides[0]["y"][:, 0] - sides[1]["lateral"] - sides[1]["y"][:, 0])[k].mean()
    middle = (sides[0]["lateral"] + sides[0]["y"][:, 0] + sides[1]["lateral"] + sides[1]["y"][:, 0])[k].mean() / 2
    place = run.data.body_position[k, 0, 1].mean() - middle
    gain = (-sum_y * 0.46 + 2000 * G * place) / apart  # of the left wheel
    assert found.mean_q[0] == pytest.approx(1000 * G + gain, rel=5e-3) and found.mean_q[1] == pytest.approx(
        1000 * G - gain, rel=5e-3
    )
    assert found.unloading == pytest.approx(gain / (1000 * G), rel=0.03)
    assert found.exceeded == [] and found.notes == ()
    assert assess(run, [w], factor=0.2)[0].exceeded == ["sum of Y"]
    tight = assess(run, [w], radius=200.0, mu=0.3, flange=math.radians(65.0))[0]
    assert math.isnan(tight.quotient_limit) and tight.nadal == nadal(math.radians(65.0), 0.3)


def test_largest_of_both_wheels(monkeypatch):
    """Constant forces, which no filter changes: quotient and unloading are those of the worse wheel."""
    t = np.linspace(0.0, 4.0, 801)
    left = {"Y": -3e3, "Q": 2e4, "quotient": -0.15, "s": 20.0 * t, "speed": 20.0}
    right = {"Y": 7e3, "Q": 1.4e4, "quotient": 0.5, "s": 20.0 * t, "speed": 20.0}
    sides = [{k: v + 0.0 * t for k, v in side.items()} | {"time": t, "left": ()} for side in (left, right)]
    for order in (sides, sides[::-1]):
        monkeypatch.setattr(assessment, "wheel_history", lambda run, c, order=order: order[c])
        axle = SimpleNamespace(contacts=(0, 1), load=3.4e4, part=SimpleNamespace(name="axle"))
        found = assess(SimpleNamespace(model=hn.Model()), [axle], start=10.0)[0]
        assert found.quotient == pytest.approx(0.5, rel=1e-6) and found.guiding == pytest.approx(4e3, rel=1e-6)
        assert found.unloading == pytest.approx(1 - 1.4 / 1.7, rel=1e-6)
        assert found.mean_y == tuple(s["Y"][0] for s in order) and found.mean_q == tuple(s["Q"][0] for s in order)
        assert found.guiding_limit == pytest.approx(1e4 + 3.4e4 / 3) and found.exceeded == []
    with pytest.raises(ModelError, match="does not run forwards"):
        sides[1]["speed"] = -20.0 + 0.0 * t
        assess(SimpleNamespace(model=hn.Model()), [axle], start=10.0)


def test_what_assess_refuses(pushed):
    w, run = pushed
    with pytest.raises(ModelError, match="does not reach 50"):
        assess(run, [w], start=50.0)
    with pytest.raises(ModelError, match="cutoff 300 is not below half the sampling rate.*more output steps"):
        assess(run, [w], cutoff=300.0)
    with pytest.raises(ModelError, match="radius is -5"):
        assess(run, [w], radius=-5.0)


def test_steady_curving_by_hand():
    """Lateral force m g d / s, load transfer m a h / s on hard springs; a body on its roll springs alone: roll = m a h
    / (k - m g h)."""
    hard = {"primary": {"k": (1e12, 1e12, 1e12)}, "secondary": {"k": (1e12, 1e12, 1e12)}}
    found = quasi_static(600.0, 30.0, 0.1, data=hard)
    masses = 32000.0, 2 * 2615.0, 4 * 1813.0
    small = sum(masses) * (900.0 / 600.0 - G * 0.1 / 1.5)  # without the cosine
    assert 4 * found.guiding == pytest.approx(small, rel=6e-3) and found.guiding == pytest.approx(
        found.axle * found.deficiency / 1.5, rel=0.012
    )
    moment = found.acceleration * (masses[0] * 1.8 + masses[1] * 0.6 + masses[2] * 0.46)
    assert 4 * found.transfer == pytest.approx(moment / 1.5, rel=1e-5) and found.rigid == pytest.approx(
        found.transfer, rel=1e-5
    )
    rolls = {"primary": {"k": (1e12, 1e12, 1e12)}, "secondary": {"k": (1e12, 1e12, 0.0), "kt": (0.0, 0.0, 0.0)}}
    found = quasi_static(800.0, 25.0, 0.0, data=rolls)
    h, a = 1.8 - 0.925, 625.0 / 800.0
    assert found.roll == pytest.approx(
        32000 * a * h / (2 * 940e3 - 32000 * G * h), rel=1e-5
    ) and found.body == pytest.approx(h * found.roll, rel=1e-4)
    still = quasi_static(600.0, 0.0, 0.1)
    assert still.deficiency == pytest.approx(-0.1) and still.transfer < still.rigid < 0
    with pytest.raises(ModelError, match="falls over"):
        quasi_static(600.0, 30.0, data={"roll_bar": 0.0, "secondary": {"k": (1e5, 1e5, 0.0), "kt": (0.0, 0.0, 0.0)}})
    with pytest.raises(ModelError, match="cant is 1"):
        quasi_static(600.0, 30.0, 1.0)


def test_steady_curving_on_soft_springs():
    """Free bodies: of the vehicle body about its springs, of the bogies about theirs, with weights where they lean."""
    springs = {
        "primary": {"k": (1e6, 0.6e6, 0.9e6)}, "secondary": {"k": (1e5, 1.3e5, 3e5), "kt": (2e4, 0.0, 0.0)},
        "traction": {"k": (5e6, 3e4, 0.0)},
    }  # fmt: skip
    found, d = quasi_static(500.0, 28.0, 0.05, data=springs), dict(COACH)
    alpha = math.asin(0.05 / 1.5)
    a = 28.0**2 / 500 * math.cos(alpha) - G * math.sin(alpha)
    g = 28.0**2 / 500 * math.sin(alpha) + G * math.cos(alpha)
    m2, m1, m0 = d["body"]["mass"], 2 * d["frame"]["mass"], 4 * (d["wheelset"]["mass"] + d["wheelset"]["box_mass"])
    h2, h1, h0, hs = d["body"]["height"], d["frame"]["height"], d["wheelset"]["radius"], d["secondary"]["height"]
    kt = d["primary"].get("kt", (0.0,))[0]
    roll1 = 8 * (0.9e6 * (0.5 * d["wheelset"]["box_spread"]) ** 2 + kt)
    roll2 = 4 * (3e5 * (0.5 * d["secondary"]["spread"]) ** 2 + 2e4) + 2 * d["roll_bar"]

    def balance(x):
        """Forces and moments that are left: bogies at y1, rolled by p1, the body at y2, rolled by p2."""
        y1, p1, y2, p2 = x
        seat = y2 - p2 * (h2 - hs)  # of the body on the secondary springs
        upper = (4 * 1.3e5 + 2 * 3e4) * (seat - y1 - p1 * (hs - h1)) - m2 * g * p1
        lower = 8 * 0.6e6 * (y1 + p1 * (h0 - h1)) - (m1 + m2) * g * p1
        tip = roll2 * (p2 - p1)
        return [
            m2 * a - upper,
            m2 * a * (h2 - hs) + m2 * g * (y2 - seat) - tip,
            m1 * a + upper - lower,
            m1 * a * (h1 - h0) + m1 * g * y1 + upper * (hs - h0) + m2 * g * seat + tip - roll1 * p1,
        ]

    at0 = np.array(balance(np.zeros(4)))
    y1, _, y2, roll = np.linalg.solve(np.array([balance(e) - at0 for e in np.eye(4)]).T, -at0)
    assert (found.body, found.roll) == pytest.approx((y2, roll), rel=1e-9)
    rigid = a * (m2 * h2 + m1 * h1 + m0 * h0) / 1.5
    assert 4 * found.transfer == pytest.approx(rigid + g * (m2 * y2 + m1 * y1) / 1.5, rel=1e-9)
    assert 4 * found.rigid == pytest.approx(rigid) and found.deficiency == pytest.approx(1.5 * a / G)
    assert 4 * found.guiding == pytest.approx((m0 + m1 + m2) * a) and 4 * found.axle == pytest.approx(
        (m0 + m1 + m2) * g
    )


@pytest.mark.slow
def test_coach_against_the_closed_form(tmp_path):
    """A coach in a curve: sums of Y, the moment of its vertical forces about the middle of the track, loads on its body
    against its weight and inertia."""
    m = hn.Model("coach")
    m.gravity = (0, 0, -G)
    track = m.rail_track(
        rail=uic60(), sections=curve(600.0, straight=60.0, transition=60.0, length=120.0, cant=0.1, out=0.0)
    )
    coach = rail_vehicle(m, track, speed=30.0, s=15.0, mu=0.35)
    run = hn.simulate(m, end=7.0, steps=1400, integrator="RADAU5", error=1e-5)
    rows, closed = assess(run, coach.wheelsets, start=60.0, radius=600.0), quasi_static(600.0, 30.0, 0.1)
    assert all(r.notes == () and r.exceeded == [] for r in rows)
    assert np.mean([sum(r.mean_y) for r in rows]) == pytest.approx(closed.guiding, rel=0.01)
    assert np.mean([sum(r.mean_q) for r in rows]) == pytest.approx(closed.axle, rel=2e-3)
    late, moment, aside = run.time > run.time[-1] - 1.0, 0.0, 0.0
    for w in coach.wheelsets:
        for side in (wheel_history(run, c) for c in w.contacts):
            touch = side["lateral"] + (side["normal"] * side["y"]).sum(axis=1) / side["normal"].sum(axis=1)
            moment -= (side["Q"] * touch)[late].mean()
            aside -= side["lateral"][late].mean() / 2 * closed.axle  # wheelsets run outside of the middle
    assert moment == pytest.approx(6.0 * closed.transfer + aside, rel=0.03)
    said = []
    body_loads(run, coach, tmp_path / "body.csv", rainflow, said.append)
    table = np.loadtxt(tmp_path / "body.csv", delimiter=",", skiprows=1)
    head = (tmp_path / "body.csv").read_text().splitlines()[0].split(",")
    up = sum(table[:, k] for k, word in enumerate(head) if " Fz " in word)
    assert up[: len(up) // 20].mean() == pytest.approx(32000 * G, rel=0.01)
    angle = math.asin(0.1 / 1.5)
    assert up[late].mean() == pytest.approx(32000 * (G * math.cos(angle) + 1.5 * math.sin(angle)), rel=0.01)
    assert sum("secondary" in line for line in said) == 12 and (tmp_path / "body_extremes.csv").exists()
