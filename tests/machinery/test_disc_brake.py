"""A floating caliper brake in contact against formulas that this file writes from statics."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.machinery.disc_brake import (
    SETTLE,
    SIDES,
    FadingStop,
    FloatingCaliper,
    SquealModel,
    disc_brake_assembly,
    first_order,
    pad_forces,
    pad_wear,
)


@pytest.fixture(scope="module")
def braked():
    brake = FloatingCaliper(grid=(2, 4))
    run = hn.simulate(disc_brake_assembly(brake), SETTLE + 0.01, 12, integrator="GSTIFF", error=1e-5)
    return brake, run, {side: pad_forces(run, brake, side, SETTLE) for side in SIDES}


def test_both_pads_carry_the_force_of_the_piston_and_brake(braked):
    """N = p pi d^2/4 on either side though only one has a piston; torque = mu sum(N r) of both pads, and with even
    pressure (2/3)(ro^3 - ri^3)/(ro^2 - ri^2) is the arm."""
    brake, run, forces = braked
    want = 2e6 * 0.25 * math.pi * 0.057**2
    for side in SIDES:
        assert forces[side].sum() == pytest.approx(want, rel=1e-5)
    torque = run.request("brake").values[-1, 3]
    r, _, _ = brake.points()
    assert torque == pytest.approx(0.38 * sum(f @ r for f in forces.values()), rel=1e-4)
    arm = (2.0 / 3.0) * (0.135**3 - 0.085**3) / (0.135**2 - 0.085**2)
    assert brake.mean_radius == pytest.approx(arm, rel=1e-12)
    assert torque == pytest.approx(2 * 0.38 * want * arm, rel=2e-3)


def test_pressure_moves_to_the_leading_edge_by_the_couple_of_friction_and_abutment(braked):
    """The disc turns towards -x at the pads: they lead at +x.  Moments about the middle of the back plate: sum(N x) = h
    sum(mu N cos a), h less half of the depth N/k; the pressure of a rigid pad is linear over it."""
    brake, _, forces = braked
    r, a, share = brake.points()
    x, y = r * np.sin(a), r * np.cos(a)
    for f in forces.values():
        height = 0.008 - 0.5 * f.sum() / 1e8
        assert f @ x == pytest.approx(height * 0.38 * (f @ np.cos(a)), rel=1e-3)
        plane = np.column_stack([np.ones(len(x)), x, y])
        pressure = f / share
        left = pressure - plane @ np.linalg.lstsq(plane, pressure, rcond=None)[0]
        assert np.abs(left).max() < 1e-5 * pressure.max()
    wear = pad_wear(forces["inner"], brake, 50.0, 1e-15)
    area = 0.5 * math.radians(50.0) * (0.135**2 - 0.085**2)
    assert wear == pytest.approx(1e-15 * forces["inner"] / (share * area) * r * 50.0, rel=1e-12)
    assert np.argmax(wear) == np.argmax(x + y) or wear[-1] == wear.max()


def test_a_wedge_makes_judder_once_a_turn_by_the_stiffness_of_the_fluid():
    """Springs in series: the fluid and both pads share half the wedge, as seen at the centroids of the pads."""
    brake = FloatingCaliper(grid=(1, 3), fluid=5e7, wedge=2e-5)
    end = SETTLE + 2 * math.pi / 10.0
    run = hn.simulate(disc_brake_assembly(brake, speed=10.0), end, 340, integrator="GSTIFF", error=1e-5)
    late = run.time >= SETTLE
    table = run.request("brake").values[late]
    mean, amplitude = first_order(table[:, 1], table[:, 3])
    r, a, share = brake.points()
    force = 1e-5 * (share @ (r * np.cos(a))) / (share @ r) / (1 / 5e7 + 2 / 1e8)
    assert amplitude == pytest.approx(2 * 0.38 * (share @ r) * force, rel=5e-3)
    assert mean == pytest.approx(2 * 0.38 * 2e6 * 0.25 * math.pi * 0.057**2 * (share @ r) / 2.0, rel=3e-3)


@pytest.mark.parametrize("mu", [0.3, 0.6])
def test_squeal_by_complex_eigenvalues(mu):
    """Eigenvalues of the first-order form of m x'' + K x = 0 with the unsymmetric K of friction, by LAPACK."""
    k1, k2, k3 = 11e6, 20e6, 11e6
    s1, s2 = (np.array([math.cos(math.radians(d)), math.sin(math.radians(d))]) for d in (150.0, 30.0))
    K = k1 * np.outer(s1, s1) + k2 * np.outer(s2, s2) + np.array([[0.0, -mu * k3], [0.0, k3]])
    want = np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-K, np.zeros((2, 2))]]))
    key = lambda v: sorted(np.asarray(v), key=lambda s: (round(s.imag, 3), round(s.real, 3)))
    model = SquealModel(mu)
    for found in (hn.linearize(model.model()).eigenvalues, model.eigenvalues()):
        np.testing.assert_allclose(key(found), key(want), rtol=0, atol=1e-4 * abs(want).max())
    assert (max(want.real) > 1.0) == (mu > model.critical_friction())


@pytest.mark.parametrize("grid", [(3, 5), (1, 1), (4, 60)])
def test_points_of_a_pad(grid):
    """Shares of a ring sector: as many points as the grid has, their mean radius exact, the centroid by the chord."""
    brake = FloatingCaliper(grid=grid, inner=0.08, outer=0.13, angle=1.1)
    r, a, share = brake.points()
    mean = 2 / 3 * (0.13**3 - 0.08**3) / (0.13**2 - 0.08**2)
    assert len(r) == len(a) == len(share) == grid[0] * grid[1] and share.sum() == pytest.approx(1.0)
    assert brake.mean_radius == pytest.approx(mean, rel=1e-14) and share @ a == pytest.approx(0.0, abs=1e-15)
    assert np.ptp(a) == pytest.approx(1.1 * (1 - 1 / grid[1]))
    if grid[1] > 50:
        assert brake.centre == pytest.approx(mean * math.sin(0.55) / 0.55, rel=1e-4)
        assert brake.pressure_offset == pytest.approx(brake.mu * brake.back * math.sin(0.55) / 0.55, rel=1e-4)
    fed = FloatingCaliper(grid=grid, inner=0.08, outer=0.13, fluid=4e7, stiffness=1e8, wedge=3e-5)
    assert fed.torque(2e6) == pytest.approx(2 * fed.mu * 2e6 * math.pi * fed.piston**2 / 4 * mean / 1.8)
    softly = 1 / (1 / 4e7 + 2 / 1e8)
    assert fed.judder == pytest.approx(2 * fed.mu * 1.5e-5 * softly * fed.centre) and brake.judder == 0.0


def test_squeal_begins_where_two_modes_merge():
    """Just below the critical friction no mode grows, just above one does, by the square root of what is beyond."""
    critical = SquealModel(0.3).critical_friction()
    below, above, farther = (SquealModel(critical * x).eigenvalues().real.max() for x in (1 - 1e-6, 1 + 1e-6, 1 + 4e-6))
    assert abs(below) < 1e-6 * above and farther / above == pytest.approx(2.0, rel=1e-3)


def test_fade_by_the_heat_of_the_stop():
    """By SciPy: J w' = -T (1 - f q), C q' = T (1 - f q) w."""
    from scipy.integrate import solve_ivp

    stop = FadingStop()
    rate = lambda t, y: (-1500 * (1 - 0.008 * y[1]) / 40, 1500 * (1 - 0.008 * y[1]) * y[0] / 2400)
    still = lambda t, y: y[0]
    still.terminal = True
    alone = solve_ivp(rate, (0, 10), (80.0, 0.0), rtol=1e-10, atol=1e-10, events=still)
    assert stop.time() == pytest.approx(alone.t[-1], rel=1e-7)
    run = hn.simulate(stop.model(), 2.0, 20, integrator="RADAU5", error=1e-8)
    table = run.request("brake").values[-1]
    there = solve_ivp(rate, (0, 2.0), (80.0, 0.0), rtol=1e-10, atol=1e-10).y[:, -1]
    assert table[1:3] == pytest.approx(there, rel=1e-6)
    with pytest.raises(hn.ModelError, match="give less than"):
        FadingStop(fade=0.02)
    for wrong in ({"mu": 0.0}, {"inner": 0.2}, {"wedge": -1.0}):
        with pytest.raises(hn.ModelError):
            FloatingCaliper(**wrong)
