"""Carriers and their attachments by the Jacobians and clouds of particles of `test_carrier`, with kernels as plain
Python: nothing is compiled, and masses that slide are tried as often as modes."""

import numpy as np
import pytest
import test_carrier as oracles
from test_carrier import (  # noqa: F401
    BODIES,
    test_an_impulse_on_one_body,
    test_derivatives_of_forces,
    test_derivatives_of_inertia,
    test_forces_energy_and_momentum_are_those_of_the_points,
    test_loads_on_attachments,
    test_mass_and_its_inverse,
    test_motion_of_attachments,
    test_power_balance,
)

from holonom import _jit
from holonom.elements.bodies import carrier, carrier_nodes, layout, mass, modes
from holonom.elements.frames import make_frames

KERNELS = {
    "prepare_coupled": carrier_nodes.prepare,
    "solve_coupled": carrier.solve,
    "multiply_coupled": carrier.multiply,
    "give_coupled": carrier.give,
    "respond_coupled": carrier.respond_one,
    "place_coupled": carrier_nodes.place,
    "coupled_forces": carrier.forces,
    "condense_coupled": carrier_nodes.condense,
    "coupled_energies": carrier.energies,
    "coupled_power": carrier.damped,
    "coupled_momenta": carrier.momenta,
    "coupled_stiffness": carrier.stiffness,
    "prepare_slopes": carrier_nodes.prepare_slopes,
    "coupled_mass": carrier.mass_entries,
}


@pytest.fixture(params=("masses", "modes"))
def scene(request):
    return oracles.make_scene(request.param)


@pytest.fixture(params=("masses", "modes"))
def attached(request):
    return oracles.make_attached(request.param == "masses")


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """The operations as plain Python, on tables that are given and not looked up by address."""
    monkeypatch.setattr(_jit, "_plain", {})
    monkeypatch.setattr(_jit.Kernel, "__call__", lambda kernel, *args: _jit.interpreted(kernel)(*args))
    by_type = lambda real, other, F: other if F.dtype.kind == "c" else real
    monkeypatch.setattr(carrier, "of_type", by_type)
    monkeypatch.setattr(carrier_nodes, "of_type", by_type)
    for name, kernel in KERNELS.items():
        run = lambda bodies, *args, kernel=kernel: _jit.interpreted(kernel)(bodies.carriers, bodies, *args)
        monkeypatch.setattr(oracles, name, run)

    def node_stiffness(bodies, y, K, C):
        carrier_nodes.prepare_slopes(bodies.carriers, bodies, y)
        carrier_nodes.condense_entries(bodies.carriers, bodies, K, C)
        carrier_nodes.load_nodes(bodies.carriers, bodies, y, K)

    monkeypatch.setattr(oracles, "coupled_node_stiffness", node_stiffness)


def test_linear_motions_of_masses():
    """Changes of places, velocities and spring forces of masses with those of all coordinates, in ground axes: by
    differences."""
    bodies, y, free, rng = oracles.make_scene("masses")
    c, h = bodies.carriers, 1e-6
    d, du = rng.normal(size=(2, bodies.moves)) * free

    def masses(z):
        """Place, velocity, spring force on the mass, its moment about the carrier; motions of carriers."""
        out, own = [], []
        q, v, A = layout.coordinates(z, bodies), layout.coordinate_rates(z, bodies), oracles.attitudes(z).as_matrix()
        for b in range(oracles.N):
            W, r, u = A[b] @ layout.spins(z, 2)[b], layout.places(z, 2)[b], layout.velocities(z, 2)[b]
            own.append(np.r_[u, W])
            for k in range(c.masses[b]):
                i, s = c.ptr[b] + k, c.at[b] + k
                e, p = A[b] @ c.axis[i], A[b] @ (c.base[i] + q[s] * c.axis[i])
                force = (-c.stiffness[i] * (q[s] - c.length[i]) - c.damping[i] * v[s]) * e
                out.append(np.r_[r + p, u + np.cross(W, p) + v[s] * e, force, np.cross(p, force)])
        return np.array(out), np.array(own)

    up, down = masses(oracles.moved(bodies, y, h * d, h * du)), masses(oracles.moved(bodies, y, -h * d, -h * du))
    change, own = ((a - b) / (2 * h) for a, b in zip(up, down))
    R = oracles.attitudes(y).as_matrix()
    dq, dv = d.reshape(-1, 6).copy(), du.reshape(-1, 6).copy()
    for b in range(oracles.N):
        dq[b, 3:] = R[b] @ dq[b, 3:]
    dv[: oracles.N] = own
    dq, dv = (np.delete(x, oracles.N, 0)[:, :, None] for x in (dq, dv))  # without ground
    found = list(carrier.mass_motions(bodies, y, R, dq, dv))
    assert len(found) == len(change) == int(c.masses.sum())
    owner = np.repeat(c.body, c.masses)
    for (b, at, moves, rates, spring), want, start, own_body in zip(found, change, masses(y)[0], owner):
        assert b == own_body
        np.testing.assert_allclose(at, start[:3], atol=1e-13)
        np.testing.assert_allclose(moves[:, 0], [*want[:3], *dq[b, 3:, 0]], atol=1e-7)
        np.testing.assert_allclose(rates[:, 0], [*want[3:6], *dv[b, 3:, 0]], atol=1e-7)
        np.testing.assert_allclose(spring[0, :, 0], [*want[6:9], 0, 0, 0], atol=1e-7)
        np.testing.assert_allclose(spring[1, :, 0], -want[6:], atol=1e-7)


@pytest.mark.parametrize("count", [3, 4, 11])
def test_sums_over_shapes(count):
    r = np.random.default_rng(count)
    T, y, out = r.normal(size=200), r.normal(size=40), r.normal(size=7)
    want = out + sum(y[5 + k] * T[13 + 9 * k : 20 + 9 * k] for k in range(count))
    modes.add_rows(T, 13, 9, count, y, 5, out)
    np.testing.assert_allclose(out, want, atol=1e-13)


# ---- nodes, rows and bounds ------------------------------------------------------------------------------------------
FIRST = layout.MOVES * (BODIES + 1)


def in_motion(attached):
    """A state in which all moves; bodies, the numbers of the coordinates of the carrier, its mass over these."""
    bodies, y, free, rng = attached
    start = lambda: np.where(np.isin(np.arange(bodies.moves), free), rng.normal(size=bodies.moves), 0.0)
    y = oracles.put(bodies, y, 0.4 * start(), start())
    M = np.array([oracles.times(bodies, 1.0, one)[free] for one in np.eye(bodies.moves)[free]])
    assert np.abs(M - M.T).max() < 1e-13
    return bodies, y, free, M, rng


def test_impulses_on_nodes_and_motions_that_they_follow(attached):
    """M^-1 J^T f of the carrier, and J times any motion for its nodes."""
    bodies, y, free, M, rng = in_motion(attached)
    c, nodes = bodies.carriers, bodies.carriers.nodes
    n, f = len(free), rng.normal(size=9)
    at = lambda k: slice(6 * nodes.body[k], 6 * nodes.body[k] + 6)
    for k in range(3):
        u = np.ones(bodies.moves)
        carrier.respond_one(c, bodies, nodes.body[k], f, 3, u)
        want = np.linalg.solve(M, nodes.J[k][:, :n].T @ f[3:])
        np.testing.assert_allclose(u[free] - 1.0, want, atol=1e-12)
        for j in range(3):
            np.testing.assert_allclose(u[at(j)] - 1.0, nodes.J[j][:, :n] @ want, atol=1e-12)
    u = np.ones(bodies.moves)
    carrier.respond_one(c, bodies, 2, f, 3, u)
    assert (u == 1.0).all()
    for kind in (float, complex):
        F = rng.normal(size=bodies.moves).astype(kind) * (1 if kind is float else 1 - 0.3j)
        loads = sum(nodes.J[k][:, :n].T @ F[at(k)] for k in range(3))
        want = np.linalg.solve(M, F[free] + loads)
        carrier.solve(c, bodies, F)
        u = np.ones(bodies.moves, kind)
        carrier.give_motion(c, bodies, u, True)
        np.testing.assert_allclose(u[free], 1.0 + want, atol=1e-12)
        np.testing.assert_allclose(u[at(1)], 1.0 + nodes.J[1][:, :n] @ want, atol=1e-12)
        u[:] = 7.0
        u[free] = want
        carrier_nodes.lead_nodes(c, bodies, u)
        np.testing.assert_allclose(u[at(2)], nodes.J[2][:, :n] @ want, atol=1e-12)
        assert (u[12:18] == 7.0).all()


def test_forces_brought_to_carriers(attached):
    """J^T z of the nodes is added to what their carrier has, of several vectors at a time."""
    bodies, y, free, M, rng = in_motion(attached)
    z, nodes = rng.normal(size=(2, bodies.moves)), bodies.carriers.nodes
    want = z.copy()
    for k, b in enumerate(nodes.body):
        want[:, free] += z[:, 6 * b : 6 * b + 6] @ nodes.J[k][:, : len(free)]
        want[:, 6 * b : 6 * b + 6] = 0.0
    before = z.copy()
    np.testing.assert_allclose(mass.on_carriers(bodies, z), want, atol=1e-13)
    np.testing.assert_array_equal(z, before)


def test_one_node_alone(attached):
    bodies, y, free, M, rng = in_motion(attached)
    c = bodies.carriers
    one = c.nodes._replace(body=c.nodes.body[:1], carrier=c.nodes.carrier[:1], which=c.nodes.which[:1])
    u, zero = rng.normal(size=bodies.moves), np.zeros(bodies.moves)
    want = one.J[0][:, : len(free)] @ u[free]
    carrier_nodes.lead_nodes(c._replace(nodes=one), bodies, u)
    np.testing.assert_allclose(u[18:24], want, atol=1e-12)
    none = one._replace(body=one.body[:0], carrier=one.carrier[:0], which=one.which[:0])
    carrier_nodes.lead_nodes(c._replace(nodes=none), bodies, zero)
    assert not zero.any()


def test_weights_in_place_of_masses(attached):
    """Coordinates that nothing couples."""
    bodies, y, free, M, rng = in_motion(attached)
    weights = rng.uniform(1, 2, (BODIES + 3, 6))
    bodies = bodies._replace(carriers=carrier.weighted(bodies.carriers, weights))
    F = np.zeros(bodies.moves)
    F[free] = rng.normal(size=len(free))
    want = F * weights.ravel()
    carrier.solve(bodies.carriers, bodies, F)
    out = np.zeros(bodies.moves)
    carrier.give(bodies.carriers, bodies, out, False)
    np.testing.assert_allclose(out[free], want[free], rtol=1e-14)


def test_products_of_rows(attached):
    """G M^-1 G^T of rows over the carrier and its nodes, several slots of one row among them; other bodies keep their
    places among the products."""
    bodies, y, free, M, rng = in_motion(attached)
    bodies = carrier.with_room(bodies, 8)
    c, nodes, n = bodies.carriers, bodies.carriers.nodes, len(free)
    on = np.array([0, 0, 1, 3, 1, 4, 5, 3, 1])  # two slots of a body before, seven of the carrier and its nodes
    row = np.array([0, 1, 0, 1, 2, 2, 3, 1, 4])
    order = rng.permutation(9)  # slots as they lie in G
    G = np.zeros((9, 6))
    G[order] = rng.normal(size=(9, 6))
    slot_body = np.zeros(9, np.uint32)
    slot_body[order] = on
    ptr = np.array([0, 2, *[9] * BODIES], np.uint32)
    node = {3: 0, 4: 1, 5: 2}
    E = np.zeros((5, n))
    for pp in range(2, 9):
        own = G[order[pp]]
        E[row[pp]] += np.r_[own, np.zeros(n - 6)] if on[pp] == 1 else own @ nodes.J[node[on[pp]]][:, :n]
    want = E @ np.linalg.solve(M, E.T)
    Lx, D, dest = np.zeros(30), np.zeros(5), np.arange(30, dtype=np.uint32)
    carrier.products(c, bodies, slot_body, ptr, order.astype(np.uint32), G, dest, row.astype(np.uint32), Lx, D)
    np.testing.assert_allclose(D, np.diag(want), atol=1e-12)
    t = 1  # behind the product of both slots of body 0
    pairs = np.zeros((5, 5))
    for p in range(2, 9):
        for q in range(2, p):
            if row[p] != row[q]:
                pairs[row[p], row[q]] += Lx[t]
            else:
                assert Lx[t] == 0.0
            t += 1
    pairs += pairs.T
    np.testing.assert_allclose(pairs, want - np.diag(np.diag(want)), atol=1e-12)
    assert Lx[0] == 0.0 and not Lx[t:].any()


def test_what_lines_hold_anyway_is_no_row(attached):
    """A row whose parts cancel is zero, without roundoff."""
    bodies, y, free, M, rng = in_motion(attached)
    bodies = carrier.with_room(bodies, 2)
    G = np.zeros((2, 6))
    G[0, 3:] = rng.normal(size=3)  # turns of the carrier, and of what turns with it
    G[1, 3:] = -G[0, 3:]
    lists = [np.array(x, np.uint32) for x in ([1, 3], [0, 0, *[2] * BODIES], [0, 1], range(3), [0, 0])]
    slot_body, ptr, slots, dest, row = lists
    Lx, D = np.zeros(3), np.zeros(1)
    carrier.products(bodies.carriers, bodies, slot_body, ptr, slots, G, dest, row, Lx, D)
    if bodies.carriers.masses[0]:
        assert D[0] == 0.0
    else:
        assert D[0] > 1e-3  # an attachment also turns in the carrier
    assert not Lx.any()


def test_biases_of_nodes(attached):
    """They enter rates, accelerations, right sides of rows and frames; nodes have neither weights nor errors."""
    bodies, y, free, M, rng = in_motion(attached)
    c, nodes = bodies.carriers, bodies.carriers.nodes
    own = [13 * b + 7 + np.arange(6) for b in nodes.body]
    yd = np.ones(bodies.end)
    carrier_nodes.add_bias(c, bodies, yd)
    want = np.ones(bodies.end)
    for at, bias in zip(own, nodes.bias):
        want[at] += bias
    np.testing.assert_array_equal(yd, want)
    bodies_of = np.array([0, 4, 3, 6, 4], np.uint32)
    ab = np.ones((5, 3))
    carrier_nodes.add_acceleration(c, bodies, bodies_of, ab)
    want = np.ones((5, 3))
    want[1] += nodes.bias[1, :3]
    want[2] += nodes.bias[0, :3]
    want[4] += nodes.bias[1, :3]
    np.testing.assert_array_equal(ab, want)
    bends = not c.masses[0]
    slot_row, G, gamma = np.array([0, 0, 1, 2, 1], np.uint32), rng.normal(size=(5, 6)), np.ones(3)
    carrier_nodes.turn_rows(c, bodies, slot_row, bodies_of, G, gamma)
    want = np.ones(3)
    for r, q, k in ((0, 1, 1), (1, 2, 0), (1, 4, 1)):
        want[r] -= G[q, 3:] @ nodes.bias[k, 3:]
    np.testing.assert_allclose(gamma, want, atol=1e-14)
    fr = make_frames(bodies_of, rng.normal(size=(5, 3)), np.zeros((5, 9)))
    fr.al[:], fr.a[:], fr.s[:] = 1.0, 1.0, rng.normal(size=(5, 3))
    R = np.array([np.ravel(r.as_matrix()) for r in oracles.Rotation.random(BODIES + 1, random_state=rng)])
    carrier_nodes.turn_frames(c, bodies, R, fr)
    al, a = np.ones((5, 3)), np.ones((5, 3))
    for f, k in ((1, 1), (2, 0), (4, 1)):
        turn = R[bodies_of[f]].reshape(3, 3) @ nodes.bias[k, 3:]
        al[f] += turn
        a[f] += np.cross(turn, fr.s[f])
    np.testing.assert_allclose(fr.al, al, atol=1e-14)
    np.testing.assert_allclose(fr.a, a, atol=1e-14)
    assert bends == bool(np.abs(nodes.bias[:, 3:]).max() > 0.0)
    weights, d = np.ones((BODIES, 4)), np.ones(bodies.moves)
    carrier_nodes.leave_nodes_out(c, bodies, weights)
    carrier_nodes.clear_nodes(c, bodies, d)
    assert weights[:3].all() and not weights[3:].any() and d[:18].all() and not d[18:36].any() and d[36:].all()


def test_bounds_of_nodes(attached):
    """|v| <= |r'| + |W| |rho| + |s'|, |a| <= |r''| + (|W'| + W^2) |rho| + 2 |W| |s'| + |s''|, all of these bounded over
    the step; rates of coordinates by the cubic of velocities, by series, by stages."""
    bodies, y, free, M, rng = in_motion(attached)
    c, nodes, h = bodies.carriers, bodies.carriers.nodes, 0.2
    q, v = layout.coordinates(y, bodies), layout.coordinate_rates(y, bodies)
    y0, a0, a1 = y.copy(), *rng.normal(size=(2, bodies.moves))
    layout.coordinate_rates(y0, bodies)[:] = rng.normal(size=12)
    v0, b0, b1 = layout.coordinate_rates(y0, bodies), a0[FIRST:], a1[FIRST:]
    carrier_nodes.note_cubic(c, bodies, y0, y, a0, a1, h)
    s = np.linspace(0, 1, 2001)[:, None]  # the derivative of a cubic of Hermite
    rise = b0 * (1 - 4 * s + 3 * s**2) + b1 * (3 * s**2 - 2 * s) + (v - v0) / h * 6 * s * (1 - s)
    most, bound = np.abs(rise).max(0), c.rates[:12].copy()
    peak = np.abs(1.5 * (v - v0) / h - (b0 + b1) / 4)  # in the middle
    assert (bound >= np.maximum(most, peak) - 1e-12).all()
    np.testing.assert_allclose(bound, np.max(np.abs([b0, b1, 3 * (v - v0) / h - b0 - b1]), axis=0))
    Z, slopes = rng.normal(size=(5, bodies.end)), rng.uniform(1, 2, 3)
    carrier_nodes.note_series(c, bodies, Z, 1, 3, slopes)
    np.testing.assert_allclose(c.rates[:12], slopes @ np.abs(Z[1:4, -12:]))
    carrier_nodes.note_stages(c, bodies, Z, 3, 1.7)
    np.testing.assert_allclose(c.rates[:12], 1.7 * np.abs(Z[:3, -12:]).max(0))
    rates = c.rates[6:11].copy()
    out = rng.uniform(1, 2, (BODIES + 1, layout.BOUNDS))
    want = out.copy()
    carrier_nodes.bound_nodes(c, bodies, y, h, out)
    fast = np.abs(v[6:11]) + h * rates
    far = np.abs(q[6:11]) + h * fast
    for k, b in enumerate(nodes.body):
        want[b] = want[1]
        turn, turning = want[1, layout.TURN_BOUND], want[1, layout.TURN_RATE_BOUND]
        if c.masses[0]:
            j = nodes.which[k]
            way, speed, acceleration = far[j] + np.linalg.norm(c.base[j]), fast[j], rates[j]
        else:
            P, Psi = np.abs(c.modes.Phi[k, :3, :5]), np.abs(c.modes.Phi[k, 3:, :5]).sum(0)
            bend = np.abs(c.modes.G[k]) if c.modes.bends[k] else np.zeros((3, 5, 5))
            P = (P + bend[:, :5, :5] @ far).sum(0)
            way, speed = np.linalg.norm(c.modes.place[k]) + P @ far, P @ fast
            acceleration = P @ rates + fast @ bend.sum(0)[:5, :5] @ fast
            own, change = Psi @ fast, Psi @ rates
            want[b, layout.TURN_BOUND] += own
            want[b, layout.TURN_RATE_BOUND] += change + 0.5 * own**2 + turn * own
        want[b, layout.SPEED_BOUND] += turn * way + speed
        want[b, layout.ACCELERATION_BOUND] += (turning + turn**2) * way + 2 * turn * speed + acceleration
    np.testing.assert_allclose(out, want, rtol=1e-12)
