"""VISCOELASTIC among spheres: relaxation at a held depth, creep under a load, memory over new lists; closed forms."""

import numpy as np
import pytest
from scipy.linalg import expm

from holonom import ModelError
from holonom.granular import Granular, Law

SHARES, TIMES = (0.3, 0.2), (0.01, 0.08)
K = 1e5


def prony(t):
    return 1.0 - sum(g * (1.0 - np.exp(-np.asarray(t) / tau)) for g, tau in zip(SHARES, TIMES))


@pytest.mark.parametrize("exponent", [1.0, 1.5])
@pytest.mark.parametrize("wall", [False, True])
def test_a_held_depth_relaxes_as_the_prony_series(wall, exponent):
    law = Law("VISCOELASTIC", stiffness=K, exponent=exponent, shares=SHARES, times=TIMES)
    g = Granular(law, step=1e-3, method="VERLET")
    d = 0.01
    g.add((0, 0, 0.1 - d), 0.1, mass=1e12)
    if wall:
        g.wall("floor").plane((0, 0, 0), (0, 0, 1))
    else:
        g.add((0, 0, -0.1), 0.1, mass=1e12)
    for k in range(1, 6):
        g.advance(20)
        c = g.contacts()
        assert c.force[0, 2] == pytest.approx(K * d**exponent * prony(0.02 * k), rel=1e-6)
        # each branch stores (n y + S d)/(n+1) - d z; what is left at long times is the soft spring alone
    assert c.elastic[0] < K * d ** (exponent + 1.0) / (exponent + 1.0)
    g.advance(1000)
    assert g.contacts().elastic[0] == pytest.approx(0.5 * K * d ** (exponent + 1.0) / (exponent + 1.0), rel=1e-4)


def creep(t, mass, load):
    """Depth of a mass put upon a linear contact at rest, with the branches as states: m d'' = load - F, h' = k d' -
    h/tau."""
    a = np.zeros((5, 5))
    a[0, 1] = 1.0
    a[1] = np.array([-(1.0 - sum(SHARES)) * K, 0.0, -SHARES[0], -SHARES[1], load]) / mass
    for i, tau in enumerate(TIMES):
        a[2 + i, 1], a[2 + i, 2 + i] = K, -1.0 / tau
    return expm(a * t) @ np.array([0.0, 0.0, 0.0, 0.0, 1.0])


@pytest.mark.parametrize(("method", "within"), [("VERLET", 2e-5), ("EULER", 2e-3)])
def test_a_load_creeps_in_as_the_linear_theory_says(method, within):
    """A ball of 2 kg lies down on a fixed one; at last its depth is that of the soft spring."""
    mass, gravity = 2.0, 10.0
    law = Law("VISCOELASTIC", stiffness=K, exponent=1.0, shares=SHARES, times=TIMES)
    g = Granular(law, step=1e-5, gravity=(0, 0, -gravity), method=method)
    g.add((0, 0, 0.2), 0.1, mass=mass)
    wall = g.wall("floor")
    wall.plane((0, 0, 0.1), (0, 0, 1))
    rest = mass * gravity / K
    for k in range(1, 9):
        g.advance(5000)
        d = 0.2 - g.pos[0, 2]
        assert d == pytest.approx(creep(0.05 * k, mass, mass * gravity)[0], abs=within * rest)
    assert creep(5.0, mass, mass * gravity)[0] == pytest.approx(2.0 * rest, rel=1e-6)
    assert d > 1.9 * rest


def test_it_is_of_second_order_and_loses_energy():
    """Two balls that bounce: the restitution converges with the square of the step, and lies below one."""
    found = []
    for step in (4e-5, 2e-5, 1e-5, 2.5e-6):
        g = Granular(
            Law("VISCOELASTIC", stiffness=1e6, exponent=1.5, shares=(0.6,), times=(3e-3,)), step=step, method="VERLET"
        )
        g.add([(0, 0, 0), (0.19999, 0, 0)], 0.1, mass=1.0, vel=[(0, 0, 0), (-1.0, 0, 0)])
        g.advance(round(0.06 / step))
        assert not len(g.contacts().a)
        v = g.vel[:, 0]
        assert v.sum() == pytest.approx(-1.0, abs=1e-12)
        found.append(v[1] - v[0])
    errors = np.abs(np.array(found[:3]) - found[3])
    assert 0.3 < found[3] < 0.9
    assert errors[2] < 1e-5 and errors[0] > 2.5 * errors[1] or errors[0] < 1e-6


def test_what_branches_hold_survives_new_lists_and_is_forgotten_when_spheres_part():
    law = Law("VISCOELASTIC", stiffness=K, exponent=1.0, shares=SHARES, times=TIMES)

    def pair(far):
        g = Granular(law, step=1e-3, method="VERLET")
        g.add([(0, 0, 0), (0.19, 0, 0)], 0.1, mass=1e12)
        if far:  # one that goes by makes new lists again and again, and rows change their order
            g.add((1.0, -1.6, 0), 0.05, mass=1.0, vel=(-20.0, 20.0, 0))
        g.advance(50)
        return g, g.contacts().normal_force[0]

    alone, force = pair(False)
    g, other = pair(True)
    assert (
        g.builds > 3
        and other == pytest.approx(force, rel=1e-12)
        and force == pytest.approx(K * 0.01 * prony(0.05), rel=1e-6)
    )


def test_what_branches_hold_is_forgotten_when_the_spheres_part():
    """A ball that was held in a wall is lifted off by 25 mm and put back in 20 ms: it has relaxed no more than since it
    returned."""
    law = Law("VISCOELASTIC", stiffness=K, exponent=1.0, shares=SHARES, times=TIMES)
    g = Granular(law, step=1e-3, method="VERLET")
    g.add((0, 0, 0.09), 0.1, mass=1e12)
    g.wall("floor").plane((0, 0, 0), (0, 0, 1))
    g.advance(500)
    assert g.contacts().normal_force[0] == pytest.approx(K * 0.01 * prony(0.5), rel=1e-6)
    for sign, steps in ((1, 5), (-1, 10), (1, 5)):
        g.gravity = (0.0, 0.0, 1e3 * sign)
        g.advance(steps)
        if sign < 0:
            assert g.pos[0, 2] > 0.09
    g.gravity = (0.0, 0.0, 0.0)
    assert g.pos[0, 2] == pytest.approx(0.09, abs=1e-9)
    since = 5e-3  # from touching again to rest
    assert K * 0.01 * prony(since) < g.contacts().normal_force[0] < K * 0.01


def test_bad_branches_are_told():
    for text, numbers in (
        ("same number of branches, at most 4", dict(shares=(0.1,), times=())),
        ("same number of branches, at most 4", dict(shares=(0.1,) * 5, times=(1.0,) * 5)),
        ("sum to at most 1, they sum to 1.2", dict(shares=(0.6, 0.6), times=(1.0, 1.0))),
        ("times of VISCOELASTIC must be above 0", dict(shares=(0.6,), times=(0.0,))),
        ("does not use restitution", dict(restitution=0.5)),
    ):
        with pytest.raises(ModelError, match=text):
            Law("VISCOELASTIC", stiffness=1.0, **numbers)
    with pytest.raises(ModelError, match="law IMPACT with friction NONE does not use shares"):
        Law("IMPACT", stiffness=1.0, shares=(0.1,), times=(1.0,))
