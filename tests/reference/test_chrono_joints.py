"""One body and one joint under gravity: 12 datasets that real Adams ran, every quantity that it printed."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from _adams_curves import ADAMS, Curve, need
from scipy.special import ellipj, ellipk

import holonom as hn

G = 9.80665
# dataset: first name of its curves
CASES = {
    "Cylindrical_Case01": "Cylindrical_Case01",
    "Cylindrical_Case02": "Cylindrical_Case02",
    "Distance_Case01": "Distance_Case01",
    "Distance_Case03": "Distance_Case03",
    "Prismatic_Case01": "Prismatic_Case01",
    "Prismatic_Case02": "Prismatic_Case02",
    "Revolute_Case01": "Revolute_Case01",
    "Spherical_Case01": "Spherical_Case01",
    # which start where this dataset starts; see test_spring_law_of_reference
    "TransSpring_Case01": "TranSpring_Case02",
    "Universal_Case01": "Universal_Case01",
    "Universal_Case02": "Universal_Case02",
}
# quantity: request number, its columns, absolute bar, bar relative to the range
QUANTITIES = {
    "Pos": (1, slice(1, 4), 1e-5, 0.0),
    "Vel": (2, slice(1, 4), 1e-4, 0.0),
    "Acc": (3, slice(1, 4), 0.0, 1e-3),
    "Quat": (4, [1, 2, 3, 5], 1e-5, 0.0),
    "Avel": (2, slice(5, 8), 1e-4, 0.0),
    "Aacc": (3, slice(5, 8), 0.0, 1e-3),
    "Rforce": (5, slice(1, 4), 0.0, 1e-3),
    "Rtorque": (5, slice(5, 8), 0.0, 1e-3),
}
ZERO = 1e-9  # of weight times length: what counts as nothing where the reference is zero but for its rounding
PENDULUMS = {"Spherical_Case01", "Universal_Case01", "Universal_Case02"}  # whose curves carry an error of Adams


@cache
def simulate(case: str):
    model = hn.read_adams(need(ADAMS / "chrono_joints" / f"test_{case}.adm"))
    if case == "TransSpring_Case01":  # the staged dataset has a damper of 1 N s/m, the curves were made with 5
        spring = model.find("SFORCE", 1)
        assert "- 1.0*vr(204,205)" in spring.function
        spring.function = spring.function.replace("- 1.0*vr", "- 5.0*vr")
    return hn.simulate(model, end=5.0, dt=0.01, kind="dynamics", error=1e-9)


def curve(case: str, quantity: str) -> Curve:
    return Curve(ADAMS / "chrono_joints_ref" / f"{CASES[case]}_ADAMS_{quantity}.txt")


def ours(case: str, quantity: str) -> np.ndarray:
    number, columns, _, _ = QUANTITIES[quantity]
    return simulate(case).request(number).values[:, columns]


def difference(case: str, quantity: str) -> np.ndarray:
    reference, value = curve(case, quantity), ours(case, quantity)
    assert np.allclose(reference.time, simulate(case).time, atol=1e-12)
    if quantity == "Quat":  # Euler parameters mean the same with both signs
        value = value * np.sign((value * reference.values).sum(axis=1, keepdims=True))
    return np.abs(value - reference.values)


def tolerance(case: str, quantity: str) -> np.ndarray:
    reference = curve(case, quantity)
    _, _, absolute, relative = QUANTITIES[quantity]
    return absolute + max(relative * reference.range, ZERO * G * 2.0) + reference.half


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("case", [c for c in CASES if c not in PENDULUMS])
def test_curve(case, quantity):
    excess = difference(case, quantity) - tolerance(case, quantity)
    assert excess.max() <= 0.0, f"row {excess.max(axis=1).argmax()}"


@pytest.mark.parametrize("case", CASES)
def test_part_agrees_with_requests(case):
    """The body's own histories are those of its requests."""
    run = simulate(case)
    part = run.part("PART/2")
    for history, quantity in (
        (part.position, "Pos"),
        (part.velocity, "Vel"),
        (part.acceleration, "Acc"),
        (part.angular_velocity, "Avel"),
        (part.angular_acceleration, "Aacc"),
    ):
        assert np.abs(history.values - ours(case, quantity)).max() < 1e-10 * (1 + np.abs(history.values).max())


def test_spring_law_of_reference():
    """Adams' force of TranSpring_Case02 is that of 100 N/m, 5 N s/m and 2 m, from Adams' own positions and
    velocities."""
    place, velocity, force = (curve("TransSpring_Case01", q).values for q in ("Pos", "Vel", "Rforce"))
    length = np.linalg.norm(place, axis=1)
    along = place / length[:, None]
    columns = np.column_stack([length, (velocity * along).sum(axis=1), np.ones(len(length))])
    law, *_ = np.linalg.lstsq(columns, (force * along).sum(axis=1), rcond=None)
    assert np.allclose(law, [100.0, 5.0, -200.0], atol=2e-4)


# ---- the pendulum: a closed form -------------------------------------------------------------------------------------
def pendulum(t):
    """Horizontal and vertical position, velocity and acceleration of the centre, and angle, rate and angular
    acceleration, of the pendulum (m = 1, L = 2, I = 0.1) released from the horizontal: sin(phi/2) = k cd(w t)."""
    m, L, inertia = 1.0, 2.0, 0.1
    w2 = m * G * L / (inertia + m * L * L)
    k = np.sqrt(0.5)
    sn, cn, dn, _ = ellipj(ellipk(k * k) - np.sqrt(w2) * t, k * k)
    phi = 2.0 * np.arcsin(k * sn)
    rate = -2.0 * k * np.sqrt(w2) * cn
    bend = -w2 * np.sin(phi)
    along, down = np.array([np.sin(phi), -np.cos(phi)]), np.array([np.cos(phi), np.sin(phi)])
    place, velocity = L * along, L * rate * down
    acceleration = L * (bend * down - rate**2 * along)
    return place.T, velocity.T, acceleration.T, phi, rate, bend


def planar(case):
    """Unit vector of the start, and of the axis of rotation of a swing from there, both in ground."""
    start = {
        "Spherical_Case01": (1, 0, 0),
        "Revolute_Case01": (1, 0, 0),
        "Cylindrical_Case02": (1, 0, 0),
        "Universal_Case01": (0, 1, 0),
        "Universal_Case02": (-1, 0, 0),
    }[case]
    start = np.array(start, float)
    return start, np.cross([0.0, 0.0, 1.0], start)


def exact(case, quantity):
    t = simulate(case).time
    place, velocity, acceleration, phi, rate, bend = pendulum(t)
    side, axis = planar(case)
    up = np.array([0.0, 0.0, 1.0])
    lift = lambda h: h[:, :1] * side + h[:, 1:] * up
    if quantity == "Rforce":  # on the I marker, which is ground's: minus what the body gets
        return -(lift(acceleration) + G * up)
    turn = -axis  # phi grows from the hanging position towards the start
    return {
        "Pos": lift(place),
        "Vel": lift(velocity),
        "Acc": lift(acceleration),
        "Avel": rate[:, None] * turn,
        "Aacc": bend[:, None] * turn,
    }[quantity]


SWING = ("Pos", "Vel", "Acc", "Avel", "Aacc", "Rforce")


@pytest.mark.parametrize("quantity", SWING)
@pytest.mark.parametrize("case", ["Revolute_Case01", "Cylindrical_Case02", *sorted(PENDULUMS)])
def test_pendulum_against_closed_form(case, quantity):
    value = exact(case, quantity)
    assert np.abs(ours(case, quantity) - value).max() < 2e-7 * (1.0 + np.abs(value).max())


@pytest.mark.parametrize("quantity", SWING)
def test_reference_of_revolute_pendulum_is_exact(quantity):
    """Adams' own revolute curve is the closed form, to the bars of the issue ..."""
    reference = curve("Revolute_Case01", quantity)
    assert (
        np.abs(reference.values - exact("Revolute_Case01", quantity)) <= tolerance("Revolute_Case01", quantity)
    ).all()


@pytest.mark.parametrize("case", sorted(PENDULUMS))
def test_reference_of_spherical_and_hooke_pendulums_drifts(case):
    """... while its curves of the same motion in a spherical or Hooke joint leave it, and lose energy."""
    place, velocity, spin = (curve(case, q) for q in ("Pos", "Vel", "Avel"))
    energy = 0.5 * (velocity.values**2).sum(axis=1) + 0.05 * (spin.values**2).sum(axis=1) + G * place.values[:, 2]
    digits = 1e-5 * np.abs(velocity.values).max() + G * place.half.max()
    assert np.abs(energy).max() > 20.0 * digits
    error = np.abs(place.values - exact(case, "Pos")).max(axis=1)
    assert error.max() > 5e-4
    start, turn = planar(case)
    side, _ = planar("Revolute_Case01")
    revolute = curve("Revolute_Case01", "Pos").values
    same = (revolute @ side)[:, None] * start + revolute[:, 2:] * np.array([0.0, 0.0, 1.0])
    assert np.abs(np.abs(place.values - same).max() - error.max()) < 2e-5


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("case", sorted(PENDULUMS))
def test_curve_within_error_of_reference(case, quantity):
    """Within the error that Adams' curve itself has against the closed form, and within the bars at early times."""
    diff, bar = difference(case, quantity), tolerance(case, quantity)
    assert (diff[:50] <= bar[:50]).all()  # half a second: before the first passage through the bottom
    if quantity in SWING:
        own_error = np.abs(curve(case, quantity).values - exact(case, quantity))
        assert (diff <= own_error + bar).all()
    elif quantity == "Quat":  # half the angle: its error follows from that of the position
        own_error = np.abs(curve(case, "Pos").values - exact(case, "Pos")).max(axis=1, keepdims=True)
        assert (diff <= 0.5 * own_error + bar).all()
    else:
        assert (diff <= bar).all()


# ---- rack and pinion -------------------------------------------------------------------------------------------------
def test_rack_falls_with_its_pinion():
    """The rack (m = 1) falls at -y of the pinion marker, r = PD/2, J = 0.1: a = g / (1 + J/(m r^2)), no slip at the
    contact.

    Adams' curves of this case were never published; the pinion's z is ground's x, its x and the rack's z point down.
    """
    run = simulate("RackPinion_Case01")
    r, inertia = 0.05, 0.1
    a = G / (1.0 + inertia / r**2)
    t = run.time
    rack, pinion = run.part("PART/3"), run.part("PART/2")
    assert np.allclose(rack.position.values, np.column_stack([0 * t, 0.1 + 0 * t, -0.5 * a * t * t]), atol=1e-9)
    assert np.allclose(rack.velocity.values[:, 2], -a * t, atol=1e-9)
    assert np.allclose(rack.acceleration.values[:, 2], -a, atol=1e-9)
    assert np.allclose(pinion.position.values, 0.0, atol=1e-12)
    assert np.allclose(pinion.angular_acceleration.values, [a / r, 0, 0], atol=1e-8)
    # the point of the pinion that touches the rack moves with the rack
    contact = np.cross(pinion.angular_velocity.values, [0.0, -r, 0.0])
    assert np.allclose(contact[:, 2], rack.velocity.values[:, 2], atol=1e-9)
    # the tooth force lifts the rack: m (g - a); on the pinion marker I it points down
    tooth = run.joint("JOINT/3").force.values
    assert np.allclose(tooth, [0.0, 0.0, -(G - a)], atol=1e-8)
    assert np.allclose(run.energy.total.values, run.energy.total.values[0], atol=1e-7)
