"""Gradients of random mechanisms by all of their numbers, against differences along random directions."""

import numpy as np
import pytest
from test_gradient import SIX

import holonom as hn

JOINTS = ("revolute", "spherical", "translational", "cylindrical", "universal", "hooke", "constant_velocity", "planar",
          "fixed", "screw", None)  # fmt: skip


def mechanism(seed):
    """A tree of 2 to 4 parts on random joints, with springs, bushings, fields and forces between random markers: the
    model, a functional of random terms, the addresses of its numbers."""
    rng = np.random.default_rng(seed)
    m = hn.Model(f"random {seed}")
    vector = lambda size=1.0: tuple(size * rng.normal(size=3))
    m.gravity = vector(3.0)
    names, bodies = ["GRAVITY"], [m.ground]
    for k in range(rng.integers(2, 5)):
        inertia = tuple(np.sort(rng.uniform(0.05, 0.09, 3)))
        part = m.part(f"p{k}", rng.uniform(0.5, 2.0), inertia, position=vector(0.5), euler=vector())
        joint = JOINTS[rng.integers(len(JOINTS))]
        if joint is not None:
            pitch = (0.1,) if joint == "screw" else ()
            getattr(m, joint)(part, bodies[rng.integers(len(bodies))], *pitch, at=vector(0.4), axis=vector())
        bodies.append(part)
        names += [f"PART/{part.id}.MASS", f"PART/{part.id}.IP"]

    def pair():
        a, b = rng.choice(len(bodies), 2, replace=False)
        return m.marker(bodies[a], vector(0.2), euler=vector()), m.marker(bodies[b], vector(0.2), euler=vector())

    for part in bodies[1:]:
        i, j = m.marker(part, vector(0.2)), m.marker(m.ground, vector(0.5))
        s = m.spring_damper(i, j, rng.uniform(5, 20), rng.uniform(0.1, 0.5), length=rng.uniform(0.1, 0.4))
        names += [f"SPRINGDAMPER/{s.id}.{f}" for f in ("K", "C", "LENGTH")] + [f"MARKER/{i.id}.QP", f"MARKER/{j.id}.QP"]
    i, j = pair()
    b = m.bushing(i, j, rng.uniform(5, 20, 3), rng.uniform(0.5, 2, 3), rng.uniform(0.1, 0.5, 3),
                  rng.uniform(0.05, 0.1, 3))  # fmt: skip
    names += [f"BUSHING/{b.id}.{f}" for f in ("K", "KT", "C", "CT")] + [f"MARKER/{k.id}.QP" for k in (i, j)]
    i, j = pair()
    f = m.sforce(i, j, f"-3.5*(DM({i},{j})-0.3)-0.2*VR({i},{j})+0.4*SIN(3*TIME)")
    names += [f"SFORCE/{f.id}.FUNCTION({k})" for k in (1, 2, 3, 4, 5)] + [f"MARKER/{i.id}.QP"]
    tip = m.marker(bodies[-1], vector(0.2))
    x, v = f"DX({tip})", f"VY({tip})"
    J = hn.final(f"{x}+{v}") + hn.integral(f"({x})**2+WZ({tip})*{v}") + 0.5 * hn.value_at(f"{v}*{x}", 0.07)
    return m, J, names, rng


def error(seed, **options):
    """Relative error of the derivative along a random direction, over that of its largest part."""
    m, J, names, rng = mechanism(seed)
    g = hn.gradient(m, J, names, end=0.2, **options)
    base = {n: np.asarray(m.number(n).read(m), float) for n in names}
    way = {n: 0.3 * rng.standard_normal(v.shape) * np.abs(v) for n, v in base.items()}
    parts = [float(np.sum(np.asarray(g[n]) * way[n])) for n in names]

    def run(k):
        moved = {n: (v + k * 1e-3 * way[n]).tolist() for n, v in base.items()}
        return hn.gradient(m.with_parameters(moved), J, [], end=0.2, **{"error": 1e-12, **options}).value

    theirs = sum(w * run(k) for k, w in SIX.items()) / 1e-3
    return abs(sum(parts) - theirs) / max(*map(abs, parts), 1e-4 * abs(g.value))


@pytest.mark.parametrize("seed", range(2))
def test_a_random_mechanism(seed):
    assert error(seed) < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 100))
def test_many_random_mechanisms(seed):
    assert error(seed) < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_random_mechanisms_with_an_implicit_method(seed):
    assert error(seed, integrator="HHT", hmin=0.005, hmax=0.005, error=1e-6, newton=1e-10) < 1e-6
