"""Redundant rows are known by geometry: bodies that are slim, light or heavy lose no joint."""

import numpy as np
import pytest

import holonom as hn


def pendulum(inertia, mass=1.0):
    m = hn.Model("p")
    m.gravity = (0, 0, -9.81)
    rod = m.part("rod", mass, (inertia,) * 3, (0.2, 0, 0))
    m.revolute(rod, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    return m


@pytest.mark.parametrize("method", [None, "RADAU5"])
@pytest.mark.parametrize("inertia", [1e-12, 1e-14])
def test_a_pendulum_without_inertia_keeps_its_length_and_energy(method, inertia):
    run = hn.simulate(pendulum(inertia), 2.0, 100, integrator=method)
    length = np.linalg.norm(run.part("rod").position.values, axis=1)
    assert np.abs(length - 0.2).max() < 1e-7
    assert np.ptp(run.energy.total.values) < 1e-4
    point = hn.simulate(pendulum(1e-5), 2.0, 100, integrator=method)
    assert (
        np.abs(point.part("rod").position.values - run.part("rod").position.values).max() < 5e-3
    )  # J/(m l^2) = 2.5e-4


def test_slim_bars_in_a_loop_with_redundant_rows():
    m = hn.Model("m")
    m.gravity = (0, 0, -9.81)
    points = np.array([[0, 0, 0], [0, 0, 1], [3, 0, 2], [3, 0, 0]], float)
    bars = [
        m.part(f"bar{k}", 10.0 ** (k - 1), (1e-11,) * 3, tuple(0.5 * (points[k] + points[k + 1]))) for k in range(3)
    ]
    bodies = [m.ground, *bars, m.ground]
    for k in range(4):
        m.revolute(bodies[k + 1], bodies[k], f"pin{k}", at=tuple(points[k]), axis=(0, 1, 0))
    run = hn.simulate(m, 1.0, 20)
    assert len(run.info["redundant"]) == 3
    ends = [bars[0], bars[1]]
    tip = [
        run.part(b.name).position.values
        + run.part(b.name).axes.values @ (points[1] - 0.5 * (points[k] + points[k + 1]))
        for k, b in enumerate(ends)
    ]
    assert np.abs(tip[0] - tip[1]).max() < 1e-6
    assert np.ptp(run.energy.total.values) < 1e-4 * np.ptp(run.energy.kinetic.values)


def test_velocities_given_win_exactly_over_those_of_joined_parts():
    m = hn.Model("v")
    a = m.part("a", 1.0, (1, 1, 1), (1, 0, 0), angular_velocity=(0, 0, 10.0))
    b = m.part("b", 2.0, (1, 2, 3), (3, 0, 0))
    m.revolute(a, m.ground, "p", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(b, a, "q", at=(2, 0, 0), axis=(0, 0, 1))
    run = hn.simulate(m, 0.01, 1)
    assert run.part("a").angular_velocity.values[0, 2] == 10.0


def closed_bars(masses, inertias, frame, points):
    """A four-bar in a plane of ``frame``: pins O, A, B, D."""
    m = hn.Model("loop")
    m.gravity = tuple(9.81 * frame[:, 1])
    p = [frame @ np.array([*q, 0.0]) for q in points]
    names = ("crank", "coupler", "rocker")
    bars = {n: m.part(n, masses[k], (inertias[k],) * 3, tuple(0.5 * (p[k] + p[k + 1]))) for k, n in enumerate(names)}
    ends = [("crank", None), ("coupler", "crank"), ("rocker", "coupler"), ("rocker", None)]
    for k, (i, j) in enumerate(ends):
        m.revolute(
            bars[i],
            bars[j] if j else m.ground,
            "OABD"[k],
            at=tuple(p[k]),
            axis=tuple(frame[:, 2]),
            x=tuple(frame[:, 0]),
        )
    return m


TILTED = np.linalg.qr(np.random.default_rng(7).normal(size=(3, 3)))[0]
PLACES = [(0.0, 0.0), (0.3, 1.1), (1.6, 1.5), (1.9, 0.0)]


def test_what_16_digits_do_not_hold_is_told_with_its_mend():
    """A loop whose lightest bar has 1e-30 of the inertia of the heaviest does not start; the sentence names the bar and
    what it needs, and with that it runs."""
    masses, inertias = (1e6, 1.0, 1.0), (1e6, 1e-24, 1e-22)
    for method in ("HHT", "DOP853"):
        with pytest.raises(
            hn.ModelError, match=r"PART/\d+ 'coupler' has an inertia of 1e-24 kg\*m\^2.*double precision.*give it"
        ) as caught:
            hn.simulate(closed_bars(masses, inertias, TILTED, PLACES), 0.1, 5, integrator=method)
        need = float(str(caught.value).split("give it ")[1].split()[0])
        assert need < 1e-5  # of 1 kg m^2 that its mass has at its ends
        run = hn.simulate(closed_bars(masses, (1e6, need, need), TILTED, PLACES), 0.1, 5, integrator=method)
        assert run.time[-1] == pytest.approx(0.1)
