"""Operations on the coordinates of all bodies: displacements, increments, rates, Lie group steps, weights and norms fit
each other."""

import numpy as np
import pytest

from holonom.elements.bodies import coordinates, dense, errors, history, increments, layout, lie_group, mass
from holonom.elements.bodies.layout import MOVES
from holonom.elements.bodies.tables import body_tables

N = 3


@pytest.fixture
def bodies():
    """Two rigid bodies and, last, a point mass."""
    rng = np.random.default_rng(3)
    m, J = 1.0 + rng.random(N), 1.0 + rng.random((N, 3))
    J[2] = 0.0
    inverse = np.zeros((N + 1, MOVES))
    inverse[:N, :3] = 1.0 / m[:, None]
    inverse[:2, 3:] = 1.0 / J[:2]
    turns = np.array([1, 1, 0, 0], np.uint8)
    return body_tables(m, J, inverse, np.zeros(3), turns)._replace(metric=(inverse > 0.0).astype(float))


def state(rng, nx=2):
    y = rng.standard_normal(layout.end(N) + nx)
    for k in range(N):
        b = layout.body(y, k)
        b[layout.QUATERNION] /= np.linalg.norm(b[layout.QUATERNION])
    layout.body(y, 2)[layout.QUATERNION] = 1.0, 0.0, 0.0, 0.0
    layout.body(y, 2)[layout.SPIN] = 0.0
    layout.ground(y, N)[:] = 0.0
    return y


def moves(rng, size=1.0):
    d = size * rng.standard_normal(layout.unknowns(N))
    layout.move(d, 2)[layout.TURN] = 0.0
    layout.move(d, N)[:] = 0.0
    return d


def test_the_rate_of_a_displacement_is_the_velocity(bodies):
    """Centred difference of retract(y, h u), which is what `rates` gives."""
    rng = np.random.default_rng(0)
    y = state(rng)
    u, acc, yd = np.zeros(bodies.moves), moves(rng), np.zeros_like(y)
    coordinates.speeds_of(bodies, y, u)
    coordinates.rates(bodies, y, acc, yd)
    h = 1e-5
    ends = [y.copy(), y.copy()]
    for end, s in zip(ends, (-h, h)):
        coordinates.retract(bodies, end, s * u)
        coordinates.add_speeds(bodies, s, acc, end)
    slope = (ends[1] - ends[0]) / (2 * h)
    assert np.allclose(slope[: layout.end(N)], yd[: layout.end(N)], atol=1e-8)
    assert (slope[layout.end(N) :] == 0.0).all()


def test_a_state_at_an_increment_and_back(bodies):
    """exp(a) then exp(-a) exp(b) leads where b leads; the tangent map of increments is their derivative; corrections
    follow a displacement."""
    rng = np.random.default_rng(1)
    y, a, b = state(rng), moves(rng, 0.6), moves(rng, 0.6)
    middle, end, other = y.copy(), y.copy(), y.copy()
    coordinates.place_at(bodies, y, a, middle)
    coordinates.place_at(bodies, y, b, end)
    rest = b.copy()
    increments.rebase_increment(bodies, a, rest, np.zeros(8))
    coordinates.place_at(bodies, middle, rest, other)
    assert np.allclose(np.abs(other), np.abs(end), atol=1e-14)  # quaternions up to sign
    rate, u, h = moves(rng), np.zeros(bodies.moves), 1e-5
    increments.add_increment_speeds(bodies, a, rate, u)
    for s in (-h, h):
        near, moved = y.copy(), middle.copy()
        coordinates.place_at(bodies, y, a + s * rate, near)
        coordinates.retract(bodies, moved, s * u)
        assert np.allclose(near, moved, atol=20 * h * h)
    small, x = moves(rng, 1e-6), a.copy()
    increments.correct_increment(bodies, small, x)
    coordinates.retract(bodies, middle, small)
    coordinates.place_at(bodies, y, x, other)
    assert np.allclose(other, middle, atol=1e-11)
    v = np.zeros_like(u)
    coordinates.put_speeds(bodies, rate, end)
    coordinates.place_at(bodies, y, a, end)
    increments.speeds_of_increments(bodies, a, end)
    coordinates.speeds_of(bodies, end, v)
    assert np.allclose(v, u, atol=1e-14)
    assert increments.turns_within(bodies, a, increments.largest_turn(bodies, a) + 1e-12)
    assert not increments.turns_within(bodies, a, increments.largest_turn(bodies, a) - 1e-12)


def test_past_rates_are_those_of_increments(bodies):
    """z', z'' at a past state are first and second differences of the increments along the motion."""
    rng = np.random.default_rng(2)
    y, acc, yd = state(rng), moves(rng), np.zeros(layout.end(N) + 2)
    ref = y.copy()
    coordinates.retract(bodies, ref, moves(rng, 0.3))
    coordinates.rates(bodies, y, acc, yd)
    coord = np.array([0, 2, 4, 9, 11, 12])
    out = np.zeros(12)
    turn = history.past_rate(bodies, len(coord), coord, ref, y, yd, out)
    h, values = 1e-4, []
    for s in (-h, 0.0, h):  # the motion with these velocities and accelerations, to third order
        p, u = y.copy(), np.zeros(bodies.moves)
        coordinates.speeds_of(bodies, y, u)
        coordinates.retract(bodies, p, s * u + 0.5 * s * s * acc)
        z = np.zeros(bodies.moves)  # the increment that leads from ref to p, by Newton
        for _ in range(30):
            q, d = ref.copy(), np.zeros(bodies.moves)
            coordinates.place_at(bodies, ref, z, q)
            for k in range(N):
                a, b = layout.body(q, k), layout.body(p, k)
                layout.move(d, k)[:3] = b[:3] - a[:3]
                w = a[3] * b[4:7] - b[3] * a[4:7] - np.cross(a[4:7], b[4:7])
                layout.move(d, k)[3:] = 2.0 * w * np.sign(a[3:7] @ b[3:7])
            increments.correct_increment(bodies, d, z)
        values.append(z[coord])
        if s == 0.0:
            assert increments.largest_turn(bodies, z) == pytest.approx(turn, abs=1e-12)
    assert np.allclose(out[:6], (values[2] - values[0]) / (2 * h), atol=1e-6)
    assert np.allclose(out[6:], (values[2] - 2 * values[1] + values[0]) / h**2, atol=1e-5)


@pytest.mark.parametrize("screw", [False, True])
def test_steps_on_the_group_are_of_third_order_and_their_corrections_their_derivative(bodies, screw):
    rng = np.random.default_rng(4)
    y0, a0, zero = state(rng), moves(rng), np.zeros(layout.unknowns(N))
    turn, slide = np.zeros(3 * N), np.zeros(3 * N)

    def end(a1, h, d=zero):
        y, acc = y0.copy(), a1.copy()
        lie_group.step_by_accelerations(
            bodies, y0, a0, a1, d, h, (h / 4, h / 4, h / 2, h / 2), screw, turn, slide, y, acc
        )
        return y, acc

    h, change = 0.3, moves(rng, 1e-6)
    y, acc = end(a0, h)
    moved, _ = end(a0, h, -change)  # the step longer by ``change`` in the group
    a1 = a0.copy()
    d = np.zeros(layout.unknowns(N))  # the displacement between the ends
    for k in range(N):
        p, q = layout.body(y, k), layout.body(moved, k)
        layout.move(d, k)[:3] = q[:3] - p[:3]
        layout.move(d, k)[3:] = 2.0 * (p[3] * q[4:7] - q[3] * p[4:7] - np.cross(p[4:7], q[4:7]))
    end(a0, h)
    lie_group.add_step_correction(bodies, d, y, turn, slide, screw, 1.0, a1)
    small = 1e-10 if not screw else 0.2 * np.abs(change).max()  # of a screw to first order beyond the rotation
    assert np.allclose(a1 - a0, change, rtol=0, atol=small)
    if screw:
        back = np.zeros_like(acc)
        lie_group.screw_rates(bodies, y, acc, back)
        assert np.allclose(back, a0, atol=1e-13)


def test_dense_output_meets_both_ends(bodies):
    rng = np.random.default_rng(5)
    y0, acc0, acc1, d, h = state(rng), moves(rng), moves(rng), moves(rng, 0.4), 0.3
    y1 = y0.copy()
    coordinates.state_at(bodies, y0, d, moves(rng), y1)
    turn = layout.body_moves(d, N)[:, layout.TURN].ravel().copy()
    for s, y, acc in ((0.0, y0, acc0), (1.0, y1, acc1)):
        out, a, yd = y0.copy(), np.zeros_like(d), np.zeros_like(y0)
        dense.hermite_bodies(bodies, y0, y1, acc0, acc1, turn, h, s, out, a, yd)
        assert np.allclose(out[: layout.end(N)], y[: layout.end(N)], atol=1e-14) and np.allclose(a, acc, atol=1e-15)
    X = np.array([0.2 * d, 0.7 * d, d])
    V = np.array([moves(rng) for _ in range(3)])
    whole, part = y0.copy(), y0.copy()
    dense.combine_stages(bodies, y0, X, V, 0.0, 0.0, 1.0, whole)
    coordinates.state_at(bodies, y0, X[2], V[2], part)
    assert np.allclose(whole, part, atol=1e-15)


def test_masses_and_unknowns(bodies):
    rng = np.random.default_rng(6)
    u, F, back = moves(rng), np.zeros(bodies.moves), np.zeros(bodies.moves)
    mass.multiply_mass(bodies, 2.0, u, F)
    coordinates.solve_mass(bodies, F, back)
    assert np.allclose(back, 2.0 * u, atol=1e-15)
    assert np.array_equal(mass.masses(bodies) > 0.0, mass.movable(bodies)[:N])
    pulls = rng.standard_normal((4, MOVES))
    expected = np.zeros((N + 1, MOVES))
    for b, f in zip((0, 3, 0, 2), pulls):
        expected[b] += f * mass.mobility(bodies)[b]
    assert np.allclose(mass.accelerations_by(bodies, np.array([0, 3, 0, 2]), pulls), expected.ravel(), atol=1e-15)
    places = np.flatnonzero(layout.free(bodies)).astype(np.uint32)
    assert len(places) == 15  # twice six and three
    solution, d, right = rng.standard_normal(20), np.ones(bodies.moves), np.zeros(20)
    coordinates.spread(places, solution, d)
    coordinates.gather(places, d, right)
    assert np.array_equal(right[:15], solution[:15]) and (right[15:] == 0.0).all() and np.count_nonzero(d) == 15
    assert [v.tolist() for v in layout.owners(bodies, np.array([0, 11]))] == [[0, 1], [0, 5]]
    assert [v.tolist() for v in layout.state_columns(bodies, np.array([1, 9]))] == [[1, 16], [8, 23]]
    assert layout.words(bodies, 11) == ("rotation about z", 1) and layout.is_turn(
        bodies, np.array([2, 3])
    ).tolist() == [False, True]
    assert np.array_equal(layout.per_move(bodies, np.arange(4.0))[[0, 5, 6, 23]], [0, 0, 1, 3])
    assert layout.owner_of_state(bodies, 38) == 2 and layout.owner_of_state(bodies, 60) == 3


def test_norms_are_sums_of_weighted_squares(bodies):
    rng = np.random.default_rng(7)
    w = errors.make_weights(bodies, 2, np.zeros, np.ones)
    w.floor[11] = 0.0  # scales of the groups over all bodies
    w.floor[:4], w.floor[4], w.floor[5:9] = (0.1, 0.0, 0.2, 0.3), 1e-3, 1e-3 * np.array([1.0, 2.0, 3.0, 4.0])
    y = state(rng)
    errors.weigh(bodies, y, w)
    sizes = [np.abs(v).max() for v in (layout.places(y, N), layout.velocities(y, N), layout.spins(y, N))]
    scale = np.array([sizes[0] + 0.1, 1.0, sizes[1] + 0.2, sizes[2] + 0.3])
    assert np.allclose(w.group, 1.0 / (w.floor[5:9] * scale)) and np.allclose(w.body, w.group)
    d, u = moves(rng), moves(rng)
    g = np.repeat(w.group, 3)
    by_body = (layout.body_moves(d, N) * g[:6]) ** 2
    total, most, where = errors.norm_of_moves(bodies, w, d, 0, 0, 0.0, 0.0, -1.0)
    assert (
        total == pytest.approx(by_body.sum())
        and most == pytest.approx(by_body.sum(axis=1).max())
        and where == by_body.sum(axis=1).argmax()
    )
    both = by_body.sum() + ((layout.body_moves(u, N) * g[6:]) ** 2).sum()
    assert errors.norm_of_errors(bodies, w, d, u, True, 0.0, 0.0)[0] == pytest.approx(both)
    assert errors.norm_by_groups(bodies, w.group, d, u, True, 0.0, 0.0)[0] == pytest.approx(both)
    assert errors.norm_of_moves(bodies, w, d, 0, 0, 3.0, 0.0, -1.0)[0] == pytest.approx(
        by_body.sum() + ((layout.body_moves(3.0 * d, N) * g[6:]) ** 2).sum()
    )
    w.floor[11] = 1.0  # each body by itself, its position from where it began
    w.first[:] = layout.places(y, N)
    errors.weigh(bodies, y, w)
    assert np.allclose(w.body[:, 0], 1.0 / (1e-3 * 0.1))
    assert np.allclose(w.body[:, 2], 1.0 / (3e-3 * (np.abs(layout.velocities(y, N)).max(axis=1) + 0.2)))
