"""Points of convex shapes have an identity: a number that states which features meet, whatever the pose; rims are met
where they are deepest.

The oracles are the support function of a disc (its lowest point along a direction n lies r |n_t| below the centre of
its face), the corners of a box, and the rows of runs: the lowest point of a coin against the floor.
"""

import numpy as np
import pytest
import scene as S
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.contact.shapes import convex
from holonom.contact.tables import FEATURE, GAP, P
from holonom.system.active_rows import ActiveRows

COIN = (0.1, 0.01, 0, 1)  # radius, half thickness, no bore, closed ends
TILTS = 10.0 ** np.linspace(-7, -0.8, 60)


def under(A):
    """How far the coin with these axes reaches down from its centre."""
    return COIN[0] * np.hypot(A[2, 0], A[2, 1]) + COIN[1] * abs(A[2, 2])


def coin_over(floor, A, gap):
    """A coin ``gap`` above the upper side z = 0 of a floor that is wider."""
    coin = ("CYLINDER", COIN, (0.013, -0.021, under(A) + gap), A)
    if floor == "BOX":
        return S.scene(("BOX", (3.0, 3.0, 0.5), (0, 0, -0.5), None), coin)
    return S.scene(coin, ("CYLINDER", (3.0, 0.5, 0, 1), (0, 0, -0.5), None))


def poses(seed, number=60):
    random = np.random.default_rng(seed)
    for tilt in random.permutation(TILTS)[:number]:
        angle = random.uniform(0, 2 * np.pi)
        upside = Rotation.from_rotvec([0, np.pi * random.integers(2), 0])
        yield (
            tilt,
            (
                Rotation.from_rotvec(tilt * np.array([np.cos(angle), np.sin(angle), 0]))
                * upside
                * Rotation.from_rotvec([0, 0, random.uniform(0, 7)])
            ).as_matrix(),
        )


@pytest.mark.parametrize("floor", ["BOX", "CYLINDER"])
@pytest.mark.parametrize("gap", [-1e-6, 0.0, 1e-9, 1e-5])
def test_the_deepest_point_of_a_rim_is_there_at_any_tilt(floor, gap):
    for tilt, A in poses(int(1e9 * abs(gap)) + len(floor)):
        rows = S.points(convex.contact, coin_over(floor, A, gap), reach=0.05)
        assert rows[:, GAP].min() == pytest.approx(gap, abs=2e-9 if tilt < 1e-6 else 1e-12), tilt


@pytest.mark.parametrize("swap", [False, True])
def test_corners_of_a_box_keep_their_number_on_the_floor_and_under_it(swap):
    """A number belongs to one corner of the box, whichever way the box lies, slides and turns, on top of the other box
    or below it."""
    random = np.random.default_rng(4)
    half = np.array([0.3, 0.2, 0.1])
    corners = half * np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)])
    met: dict = {}
    for _ in range(60):
        tilt = 10.0 ** random.uniform(-8, -0.3)
        lies = Rotation.from_rotvec(np.pi / 2 * random.integers(4) * np.eye(3)[random.integers(3)])
        A = (
            Rotation.from_rotvec(tilt * random.normal(size=3))
            * Rotation.from_rotvec([0, 0, random.uniform(0, 7)])
            * lies
        ).as_matrix()
        side = -1.0 if swap else 1.0
        low = (side * (corners @ A.T)[:, 2]).min()
        at = np.array([*random.uniform(-0.5, 0.5, 2), side * (-low + random.choice([-1e-6, 1e-9, 1e-5]))])
        box, slab = ("BOX", half, at, A), ("BOX", (2.0, 2.0, 0.5), (0, 0, -0.5 * side), None)
        for order in (False, True):
            rows = S.points(convex.contact, S.scene(*((slab, box) if order else (box, slab))), reach=0.05)
            for row in rows:
                far = np.linalg.norm(corners @ A.T + at - row[P : P + 3], axis=1)
                if far.min() < 1e-4 or len(rows) > 1:
                    assert met.setdefault((order, row[FEATURE]), far.argmin()) == far.argmin()
    assert len(met) == len(set(met.items())) and len({c for _, c in met.items()}) == 8


def coin_on(floor, e, w):
    m = hn.Model("coin")
    m.gravity = (0, 0, -9.81)
    r, h = COIN[:2]
    A = Rotation.from_euler("xyz", [0.3, 0.1, 0]).as_matrix()
    at = np.array([0, 0, under(A) + 0.02])
    body = m.part(
        "coin", 1.0, (r * r / 4 + h * h / 3, r * r / 4 + h * h / 3, r * r / 2), at, axes=A, angular_velocity=w
    )
    coin = m.cylinder(body, at - h * A[:, 2], at + h * A[:, 2], r)
    plate = {
        "box": lambda: m.box(m.ground, (0, 0, -0.2), (3, 3, 0.4)),
        "bounded": lambda: m.plane(m.ground, (0, 0, 0), (0, 0, 1), size=(1.5, 1.5)),
        "hull": lambda: m.hull(
            m.ground, np.array([(x, y, z) for x in (-1.5, 1.5) for y in (-1.5, 1.5) for z in (-0.4, 0)])
        ),
    }
    m.contact(coin, plate[floor](), restitution=e, mu=0.3)
    return m


@pytest.mark.parametrize("floor", ["box", "bounded", "hull"])
def test_a_coin_that_bounces_and_wobbles_stays_above_a_bounded_floor(floor):
    run = hn.simulate(coin_on(floor, 0.5, (1.0, 2.0, -1.0)), 0.5, 200, contact="events")
    A, z = run.part("coin").axes.values, run.part("coin").position.values[:, 2]
    lowest = z - [under(a) for a in A]
    assert lowest.min() > -1e-9 * COIN[0]
    energy = run.data.energy_kinetic + run.data.energy_gravity
    assert np.diff(energy).max() < 1e-6 * energy[0] or any("gains energy" in text for text in run.info["messages"])


def test_trial_states_do_not_change_which_points_are_followed(monkeypatch):
    """The same state gives the same bits before and after others have been checked."""
    seen = []
    follow = ActiveRows.follow

    def watched(rows, y):
        renamed = follow(rows, y)
        if len(seen) < 3:
            first = rows.evaluate(y).copy()
            for k in range(1, 40):
                z = y.copy()
                z[:7] += 1e-3 * np.sin(k * np.arange(1, 8))
                rows.evaluate(z)
            seen.append(np.array_equal(first, rows.evaluate(y)))
        return renamed

    monkeypatch.setattr(ActiveRows, "follow", watched)
    hn.simulate(coin_on("box", 0.0, (0.0, 0.0, 3.0)), 0.2, 5, contact="events")
    assert len(seen) == 3 and all(seen)
