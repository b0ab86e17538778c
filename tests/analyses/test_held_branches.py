"""Branches that are held within a step where they have no value on the other side of their condition: powers, roots and
logarithms of MAX, DIM and IF that act from a place on.  Oracle: masses of 1 that meet such a wall and leave it with the
speed they came with, after the time 2 int_0^d du / sqrt(v^2 - 2 V(u)), V the potential of the wall, V(d) = v^2/2."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import holonom as hn
from holonom.analyses.dynamics.events import moment_later
from holonom.integrators.entry import explicit_handle
from holonom.system.build import System

#: law of a wall from the depth U on, and its potential for K = 1
WALLS = {
    "-{k}*MAX(0,{u})**1.5": lambda u: u**2.5 / 2.5,
    "-{k}*SQRT(DIM({u},0))**3": lambda u: u**2.5 / 2.5,
    "-{k}*IF({u}: 0, 0, ({u})**1.5)": lambda u: u**2.5 / 2.5,
    "-{k}*SQRT(MAX({u},0))": lambda u: u**1.5 / 1.5,
    "{k}*IF({u}: 0, 0, ({u})*LOG({u}))": lambda u: u * u * (0.25 - 0.5 * math.log(u)) if u > 0.0 else 0.0,
    "depth": lambda u: u**2.5 / 2.5,
    "loop": lambda u: u**2.5 / 2.5,
}


def wall(model, law, k, u):
    """The text of a force; "depth": the branch is held in one VARIABLE, and the power is that of another; "loop": two
    VARIABLEs read each other."""
    if law == "depth":
        depth = model.variable(f"MAX(0,{u})")
        return f"-{k!r}*VARVAL({depth.id})**1.5"
    if law == "loop":
        first = model.variable("0")
        second = model.variable(f"0.1*VARVAL({first.id})")
        first.function = f"0.9*MAX(0,{u})**1.5+VARVAL({second.id})"
        return f"-{k!r}*VARVAL({first.id})"
    return law.format(k=repr(k), u=u)


def contact_time(potential, k, v):
    depth = brentq(lambda u: k * potential(u) - 0.5 * v * v, 0.0, 0.9, xtol=1e-15)
    # u = d (1 - s^2) takes the root at the end out of the integrand
    rate = lambda s: 2.0 * depth * s / math.sqrt(v * v - 2.0 * k * potential(depth * (1.0 - s * s)))
    return 2.0 * quad(rate, 0.0, 1.0, epsabs=1e-12, epsrel=1e-12)[0]


def masses(seed, laws=WALLS):
    """A model of three masses for each wall, which begin a hair before it, a hair behind it, and in front of it, with
    what speed and place they have at a time."""
    draw = np.random.default_rng(seed)
    model, came = hn.Model(units="SI"), []
    model.gravity = (0, 0, 0)
    for law in laws:
        for gap in (10.0 ** draw.uniform(-17, -9), -(10.0 ** draw.uniform(-17, -9)), draw.uniform(0.02, 0.2)):
            k, v, place = 10.0 ** draw.uniform(1.0, 2.5), draw.uniform(0.5, 1.5), draw.uniform(-1.0, 1.0)
            p = model.part(f"p{len(came)}", 1.0, (1, 1, 1), position=(place - gap * v, 0.3, -0.2), velocity=(v, 0, 0))
            model.vforce(p.cm, None, wall(model, law, k, f"(DX({p.cm})-{place!r})"), "0", "0")
            came.append((law, p, v, place, gap + contact_time(WALLS[law], k, v)))
    return model, came


#: integrator, error, tolerance: about what the run has without events too
ALL = [
    ("RADAU5", 1e-7, 1e-5),
    ("DOP853", 1e-10, 5e-6),
    ("DOPRI5", 1e-9, 2e-5),
    ("RKF45", 1e-9, 2e-5),
    ("ABAM", 1e-9, 1e-4),
    ("GSTIFF", 1e-6, 2e-3),
    ("WSTIFF", 1e-6, 2e-3),
    ("DSTIFF", 1e-6, 2e-3),
    ("HHT", 1e-7, 2e-3),
    ("GENERALIZED_ALPHA", 1e-7, 2e-3),
]


@pytest.mark.parametrize("integrator, error, tolerance", ALL)
def test_walls_give_back_the_speed_whatever_roundoff_makes_of_the_depth(integrator, error, tolerance):
    model, came = masses(sum(map(ord, integrator)))
    end = max(until for *_, until in came) + 0.1
    run = hn.simulate(model, end=end, steps=1, integrator=integrator, error=error)
    assert run.counters.get("rejected: not a number", 0) == 0
    for law, part, v, place, until in came:
        moved = run.part(part.name)
        assert moved.velocity.values[-1, 0] == pytest.approx(-v, rel=tolerance), law
        assert moved.position.values[-1, 0] == pytest.approx(place - v * (end - until), abs=tolerance), law


def test_the_derivative_is_that_of_the_law():
    """Where a mass is at the end depends on the stiffness by the time in the wall, which goes with k^-0.4."""
    v, k, gap = 0.8, 90.0, 0.1
    model = hn.Model(units="SI")
    model.gravity = (0, 0, 0)
    p = model.part("p", 1.0, (1, 1, 1), position=(-gap, 0.3, -0.2), velocity=(v, 0, 0))
    stiffness = model.parameter("k", k)
    model.vforce(p.cm, None, f"-{stiffness}*MAX(0,DX({p.cm}))**1.5", "0", "0")
    inside = contact_time(WALLS["depth"], k, v)
    for integrator in ("DOP853", "RADAU5"):
        g = hn.gradient(
            model, hn.final(f"DX({p.cm})"), ["k"], end=gap / v + inside + 0.1, integrator=integrator, error=1e-10
        )
        assert g.value == pytest.approx(-0.1 * v, rel=1e-6)
        assert g["k"] == pytest.approx(-0.4 * inside * v / k, rel=1e-5)


def test_a_branch_that_is_let_go_is_held_again():
    """Within one evaluation only those conditions decide that the function without a number reads; the next one holds
    them again."""
    model = hn.Model(units="SI")
    p = model.part("p", 1.0, (1, 1, 1), position=(-1e-3, 0, 0))
    model.vforce(p.cm, None, f"MAX(0,DX({p.cm}))**1.5", f"ABS(DX({p.cm})+2)", "0")
    system = System(model)
    held = [s.input for s in system.functions.set.switches]
    f, y = system.W.f, system.y0.copy()
    explicit_handle(system)
    f.x[held] = -1.0, 1.0  # 0 - u < 0
    for x, force, let_go in ((-1e-3, 0.0, True), (0.04, 8e-3, False)):
        y[0] = x
        moment_later(system, 0.0, y, 0.0)  # evaluates it
        assert {force, x + 2.0} <= set(np.round(f.fval, 12))
        assert list(f.x[held]) == [-1e-300 if let_go else -1.0, 1.0]
