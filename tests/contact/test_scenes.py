"""Scenes with contact against closed forms and published figures: restitution, sliding, sticking, rolling; what laws
and friction do with energy."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.contact.laws import LAWS, module
from holonom.contact.laws import bounce as B
from holonom.system.build import System

G = 9.81

# BENCHMARKS 18 and the other rows of the same test of Exudyn: speeds after impacts 1, 2, 3 of a ball of 1.6 kg at 10
# m/s, k = 1e6 N/m
PUBLISHED = {
    ("GONTHIER", 0.9): (9.000168963897542, 8.100761764779794, 7.290837898880879),
    ("GONTHIER", 0.8): (8.000159389915021, 6.400886105172352, 5.120771413440074),
    ("GONTHIER", 0.5): (5.001784818335925, 2.501696294255996, 1.251250609056101),
    ("GONTHIER", 0.3): (3.0423710530759065, 0.9256019663437189),
    ("GONTHIER", 0.1): (1.0098986986792768, 0.10198953720292783),
    ("GONTHIER", 0.025): (0.25015634771732226,),
    ("HUNT_CROSSLEY", 0.9): (9.090298887177969, 8.263743088547175, 7.512142692359256),
    ("HUNT_CROSSLEY", 0.8): (8.32903493005253, 6.937608834244499, 5.778355621679387),
    ("HUNT_CROSSLEY", 0.5): (6.629838391096419, 4.3951552519078065, 2.913688143667944),
    ("HUNT_CROSSLEY", 0.3): (5.813176318310211, 3.3794625180566293, 1.964542613454227),
    ("HUNT_CROSSLEY", 0.1): (5.158573889338283, 2.6613482605395395, 1.3728789060291537),
    ("CARVALHO_MARTINS", 0.9): (9.0, 8.1, 7.29),
    ("CARVALHO_MARTINS", 0.5): (5.0, 2.5, 1.25),
    ("CARVALHO_MARTINS", 0.1): (1.0, 0.1),
}  # fmt: skip


def levels(values, free):
    """Values of each flight: the median of every run of rows in which nothing touches and nothing jumps."""
    apart = ~free | (np.abs(np.diff(values, prepend=values[0])) > 1e-6 * np.abs(values).max())
    return np.array(
        [np.median(x[1:] if k else x) for k, x in enumerate(np.split(values, np.flatnonzero(apart))) if len(x) > 4]
    )


def test_restitution_of_spheres():
    """Every row of the case in one run: each speed to 1e-4 an impact (Exudyn's errors add up)."""
    m = hn.Model("walls")
    m.gravity = (0, 0, 0)
    for k, (law, e) in enumerate(PUBLISHED):
        body = m.part(f"{law} {e}", 1.6, (0.01,) * 3, (0, k, 0), velocity=(10, 0, 0))
        walls = [m.plane(m.ground, (0.6 * s, k, 0), (-s, 0, 0), size=0.8) for s in (-1, 1)]
        m.contact(
            m.sphere(body, (0, k, 0), 0.1), walls, law=law, stiffness=1e6, exponent=1.0, restitution=e, name=body.name
        )
    run = hn.simulate(m, end=1.9, steps=7600, integrator="DOP853", error=1e-10, progress=False)
    for (law, e), published in PUBLISHED.items():
        speed = np.abs(run.part(f"{law} {e}").velocity.values[:, 0])
        found = levels(speed, run.contact(f"{law} {e}").points.values == 0)
        for n, v in enumerate(published, 1):
            assert found[n] == pytest.approx(v, rel=1e-4 * n), (law, e, n)
    assert run.audit().ok(1e-5)
    assert (np.diff(run.energy["dissipated"].values) > -1e-6).all()


# --- laws in one scene ------------------------------------------------------------------------------------------------

NUMBERS = {
    "IMPACT": {"damping": 300.0, "dmax": 1e-4}, "POISSON": {"penalty": 1e8, "restitution": 0.6},
    "HERTZ": {"materials": "steel", "damping": 0.1},
    "HUNT_CROSSLEY": {"damping": 0.1}, "KELVIN_VOIGT": {"stiffness": 1e7, "damping": 300.0},
    "VISCOELASTIC": {"g1": 0.4, "tau1": 2e-4},
    "ELASTIC_PLASTIC": {"plasticity": 0.4},
}  # fmt: skip
BALLS = [law for law in LAWS if law != "HERTZ_LINE"]


def bouncing(laws):
    m = hn.Model("laws")
    m.gravity = (0, 0, -G)
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    for k, law in enumerate(laws):
        body = m.part(law, 0.5, (2e-5,) * 3, (0.05 * k, 0, 0.06))
        own = {"stiffness": 1e9, "exponent": 1.5} | (NUMBERS[law] if law in NUMBERS else {"restitution": 0.7})
        for name in (
            ("stiffness", "exponent") if law in ("POISSON", "HERTZ") else ("exponent",) if law == "KELVIN_VOIGT" else ()
        ):
            own.pop(name)
        m.contact(m.sphere(body, (0.05 * k, 0, 0.06), 0.01), floor, law=law, name=law, **own)
    return m


@pytest.mark.parametrize("law", BALLS)
def test_no_law_creates_energy(law):
    """From flight to flight a ball has less, after the first impact what the law gives to a free mass (less the work of
    its weight); work and energy agree."""
    m, end = bouncing([law]), 0.6 if law in ("HERTZ", "HUNT_CROSSLEY") else 0.45  # these bounce highest
    run = hn.simulate(m, end=end, steps=round(5000 * end), integrator="DOP853", error=1e-9, progress=False)
    ball, contact = run.part(law), run.contact(law)
    energy = 0.5 * ball.velocity.values[:, 2] ** 2 + G * (ball.position.values[:, 2] - 0.01)
    found = levels(energy, contact.points.values == 0)
    assert len(found) > 3
    assert (np.diff(found) < 1e-6 * energy[0]).all()
    free = B.bounce(module(law), System(m).contacts.S.p[0], math.sqrt(2 * G * 0.05), 0.5).restitution
    assert math.sqrt(found[1] / found[0]) == pytest.approx(free, abs=2e-3)
    lost = run.energy["dissipated"].values
    assert (np.diff(lost) >= 0.0).all()
    assert lost[-1] > 0.3 * energy[0] * 0.5
    # the update of VISCOELASTIC is of fourth order in steps over which the force grows as t^1.5
    assert run.audit().ok(1e-4 if law == "VISCOELASTIC" else 5e-5)
    # what the plate gives is what the ball gains and what gravity took
    assert run.momentum_audit().ok(2e-5)
    assert run.momentum["contact_impulse"].values[-1, 2] == pytest.approx(
        run.momentum["momentum"].values[-1, 2] + 0.5 * G * end, abs=1e-5
    )


def test_the_same_to_the_bit():
    first, again = (hn.simulate(bouncing(BALLS), end=0.3, steps=300, error=1e-7, progress=False) for _ in range(2))
    assert first.counters["steps"] == again.counters["steps"] > 100
    for law in BALLS:
        assert (again.part(law).position.values == first.part(law).position.values).all()
        assert (again.contact(law).force.values == first.contact(law).force.values).all()


# --- friction ---------------------------------------------------------------------------------------------------------

FRICTION = {"stiction_transition_velocity": 1e-3, "friction_transition_velocity": 1e-2}
PRESS = {"stiffness": 1e7, "exponent": 1.5, "damping": 3e3, "dmax": 1e-5}


def on_incline(angle, mu, speed=0.0, **friction):
    """A block on a slope along x, its depth already that of rest, sliding down at ``speed``."""
    m = hn.Model("incline")
    m.gravity = (0, 0, -G)
    c, s = math.cos(angle), math.sin(angle)
    down, out = np.array([c, 0, -s]), np.array([s, 0, c])
    depth = (2.0 * G * math.cos(angle) / PRESS["stiffness"]) ** (1 / 1.5)
    at = (0.005 - depth) * out
    block = m.part("block", 2.0, (0.01, 0.01, 0.01), at, velocity=speed * down)
    m.contact(
        m.box(block, at, (0.4, 0.2, 0.01), x=down, z=out),
        m.plane(m.ground, (0, 0, 0), out, x=down),
        mu=mu,
        **PRESS,
        **FRICTION,
        **friction,
    )
    m.request(
        "down", functions=[f"{c!r}*DX({block.cm})-{s!r}*DZ({block.cm})", f"{c!r}*VX({block.cm})-{s!r}*VZ({block.cm})"]
    )
    return m


def test_block_slides_down_as_coulomb_says():
    """x = v0 t + g (sin a - mu cos a) t^2 / 2."""
    angle, mu = math.radians(25), 0.3
    run = hn.simulate(on_incline(angle, mu, speed=0.5), end=0.5, steps=50, error=1e-9, progress=False)
    a = G * (math.sin(angle) - mu * math.cos(angle))
    found = run.request("down").values
    t = run.time
    assert found[:, 1] == pytest.approx(0.5 * t + 0.5 * a * t**2, abs=1e-5)
    assert found[:, 2] == pytest.approx(0.5 + a * t, abs=1e-5)
    assert run.contact(1).friction.values == pytest.approx(mu * 2.0 * G * math.cos(angle), rel=1e-3)
    assert run.audit().ok(1e-5)


def test_block_creeps_as_the_smoothed_curve_says():
    """COULOMB holds a block only while it creeps: mu(u) = tan a at u below the transition velocity."""
    angle, mu = math.radians(10), 0.3
    run = hn.simulate(on_incline(angle, mu), end=1.0, steps=50, error=1e-9, progress=False)
    x = np.roots([-0.5 * mu, 0.0, 1.5 * mu, -math.tan(angle)])
    creep = 1e-3 * min(r.real for r in x if abs(r.imag) < 1e-12 and 0 < r.real < 1)
    assert run.request("down").values[-1, 2] == pytest.approx(creep, rel=1e-6)


def test_block_sticks_with_bristles():
    """It moves by the force over the tangential stiffness, and stays there."""
    angle, mu = math.radians(10), 0.3
    bristles = {"friction": "BRISTLE", "friction_parameters": {"tangential_stiffness": 1e5, "tangential_damping": 2e2}}
    run = hn.simulate(on_incline(angle, mu, **bristles), end=2.0, steps=100, error=1e-8, progress=False)
    found = run.request("down").values
    push = 2.0 * G * math.sin(angle)
    assert found[-1, 1] == pytest.approx(push / 4e5, rel=1e-2)  # four corners
    assert np.ptp(found[50:, 1]) < 1e-9
    assert abs(found[-1, 2]) < 1e-8


def test_explicit_methods_follow_bristles():
    """Their deformation is frozen over a step, which no error estimate sees: a ball pushed to and fro loses with DOP853
    what it loses with RADAU5."""
    lost = []
    for method, error in (("DOP853", 1e-6), ("RADAU5", 1e-8)):
        m = rolling(
            0.0, 0.5, friction="BRISTLE", friction_parameters={"tangential_stiffness": 1e4, "tangential_damping": 1.0}
        )
        x = [m.marker_at(p, (0, 0, 0.1), z=(1, 0, 0)) for p in (m.find("PART", "ball"), m.ground)]
        m.sforce(*x, "30*SIN(6.283185*TIME)", "push", actiononly=True)
        run = hn.simulate(m, end=0.5, steps=10, integrator=method, error=error, progress=False)
        lost.append(run.energy["dissipated"].values[-1])
        assert run.audit().ok(1e-5)
    assert lost[0] == pytest.approx(lost[1], rel=2e-3)


def rolling(speed, mu=0.0, **more):
    m = hn.Model("ball")
    m.gravity = (0, 0, -G)
    depth = (G / 1e8) ** (1 / 1.5)
    ball = m.part(
        "ball",
        1.0,
        (0.4 * 0.01,) * 3,
        (0, 0, 0.1 - depth),
        velocity=(speed, 0, 0),
        angular_velocity=more.pop("spin", (0, 0, 0)),
    )
    m.contact(
        m.sphere(ball, (0, 0, 0.1 - depth), 0.1),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        stiffness=1e8,
        exponent=1.5,
        mu=mu,
        stiction_transition_velocity=1e-4,
        friction_transition_velocity=2e-4,
        **more,
    )
    return m


def test_ball_slides_then_rolls():
    """It rolls from t = 2 v0/(7 mu g) on at 5/7 v0: the moment of momentum about the track stays."""
    v0, mu = 2.0, 0.2
    run = hn.simulate(rolling(v0, mu), end=0.5, steps=500, error=1e-9, progress=False)
    v, w = run.part("ball").velocity.values[:, 0], run.part("ball").angular_velocity.values[:, 1]
    change = 2 * v0 / (7 * mu * G)
    t = run.time
    assert v[t < 0.98 * change] == pytest.approx(v0 - mu * G * t[t < 0.98 * change], abs=1e-4)
    arm = 0.1 - 0.5 * (G / 1e8) ** (1 / 1.5)  # friction acts half way into the depth
    assert v[t > 1.05 * change] == pytest.approx(v0 / (1 + 0.4 * 0.1**2 / arm**2), rel=1e-6)
    assert v[-1] == pytest.approx(arm * w[-1], rel=1e-6)
    assert v[-1] == pytest.approx(5 / 7 * v0, rel=1e-4)
    kinetic = run.energy["kinetic"].values
    assert kinetic[-1] / kinetic[0] == pytest.approx(5 / 7, rel=2e-4)
    assert run.audit().ok(1e-4) and (np.diff(run.energy["dissipated"].values) > -1e-8).all()


def test_rolling_resistance_slows_a_ball_down():
    """a = -5/7 g rho/r for a couple rho N."""
    v0, rho = 1.0, 0.002
    run = hn.simulate(
        rolling(v0, 0.5, spin=(0, v0 / 0.1, 0), rolling_resistance=rho, resistance_transition=1e-3),
        end=1.0,
        steps=100,
        error=1e-9,
        progress=False,
    )
    v = run.part("ball").velocity.values[:, 0]
    assert v == pytest.approx(v0 - 5 / 7 * G * rho / 0.1 * run.time, abs=2e-4)
    assert run.audit().ok(1e-4)


def test_spinning_resistance_slows_a_top_down():
    """w' = -sigma N / J."""
    sigma = 1e-4
    run = hn.simulate(
        rolling(0.0, 0.0, spin=(0, 0, 5.0), spinning_resistance=sigma, resistance_transition=1e-3),
        end=1.0,
        steps=50,
        error=1e-9,
        progress=False,
    )
    assert run.part("ball").angular_velocity.values[:, 2] == pytest.approx(5.0 - sigma * G / 0.004 * run.time, abs=1e-5)
    assert run.audit().ok(1e-4)
