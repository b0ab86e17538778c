"""Joint coordinates of closed loops for users: accelerations by the equations of all bodies, derivatives by
differences, efforts of drives by power and by going forwards again, and figures of Pinocchio 4.1."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.system._closed_chains import CLOSED_BY, closed_chain, rods
from tests.system.test_joint_trees import of_all_bodies

import holonom as hn
from holonom import ModelError
from holonom.system.build import System


def closed_state(j, seed=1, time=0.0):
    """Coordinates and rates at random near the design, closed."""
    r = np.random.default_rng(seed)
    q, v = j.moved(j.q, 0.1 * r.normal(size=j.nv)), r.normal(size=j.nv)
    return j.closed(q, v, time)


@pytest.mark.parametrize("kind", CLOSED_BY)
def test_accelerations_are_those_of_all_bodies(kind):
    m = closed_chain(kind)
    j = hn.JointCoordinates(m)
    assert j.loops and len(j.constraint_jacobian(j.q)) > 0
    q, v = closed_state(j)
    a = j.forward_dynamics(q, v)
    phi, speed, whole = of_all_bodies(System(m), j.state(q, v))
    assert np.abs(phi).max() < 1e-11 and np.abs(speed).max() < 1e-10
    bodies = j.body_motions(q, v)
    local = [j.system.local[b] for b in np.asarray(j._tree.body)]
    for i, b in enumerate(np.asarray(j._tree.body)):
        x = bodies.jacobians[i] @ a + bodies.bias[i]
        arm = bodies.axes[i] @ local[i].origin
        w, al = bodies.spins[i], x[3:]
        centre = x[:3] + np.cross(al, arm) + np.cross(w, np.cross(w, arm))
        turn = (bodies.axes[i] @ local[i].axes).T @ al
        scale = max(1.0, np.abs(whole).max())
        assert np.abs(np.concatenate([centre, turn]) - whole[b]).max() < 1e-10 * scale


@pytest.mark.parametrize("kind", CLOSED_BY)
def test_derivatives_by_differences(kind):
    """Along displacements and rates that keep the loop closed, and with efforts."""
    m = closed_chain(kind)
    j = hn.JointCoordinates(m)
    q, v = closed_state(j)
    tau = np.random.default_rng(5).normal(size=j.nv)
    dq, dv, P = j.forward_dynamics_derivatives(q, v, tau)
    basis, h = j.basis(q), 1e-5
    G = j.constraint_jacobian(q)
    assert np.abs(G @ basis).max() < 1e-12 * np.abs(G).max() * np.abs(basis).max()
    assert np.abs(P - basis @ basis.T).max() < 1e-10 * np.abs(P).max()
    size = max(1.0, np.abs(dq @ basis).max(), np.abs(dv @ basis).max())
    for k in range(basis.shape[1]):
        sides = []
        for sign in (1.0, -1.0):
            there, rates = j.closed(j.moved(q, sign * h * basis[:, k]), v)
            sides.append((j.forward_dynamics(there, rates, tau), rates))
        slope = (sides[0][0] - sides[1][0]) / (2 * h)
        change = (sides[0][1] - sides[1][1]) / (2 * h)  # rates had to turn with the loop
        assert np.abs(slope - dq @ basis[:, k] - dv @ change).max() < 1e-5 * size
        sides = [j.forward_dynamics(q, v + s * h * basis[:, k], tau) for s in (1.0, -1.0)]
        assert np.abs((sides[0] - sides[1]) / (2 * h) - dv @ basis[:, k]).max() < 1e-6 * size
    ahead = j.forward_dynamics(q, v, tau + 1.0) - j.forward_dynamics(q, v, tau)
    assert np.abs(ahead - P.sum(axis=1)).max() < 1e-10 * max(1.0, np.abs(P).max())


@pytest.mark.parametrize("kind", ["revolute", "inplane", "universal"])
def test_drives_cause_the_motion(kind):
    """Efforts of as many drives as there are freedoms give the accelerations back; of more, they are smaller."""
    j = hn.JointCoordinates(closed_chain(kind))
    q, v = closed_state(j)
    r = np.random.default_rng(2)
    a = j.forward_dynamics(q, v, r.normal(size=j.nv))
    f = j.basis(q).shape[1]
    order = r.permutation(j.nv)
    some = [j.freedoms[k] for k in order[:f]]
    tau = j.inverse_dynamics(q, v, a, actuated=some)
    assert not tau[order[f:]].any()
    assert np.abs(j.forward_dynamics(q, v, tau) - a).max() < 1e-8 * max(1.0, np.abs(a).max())
    least = j.inverse_dynamics(q, v, a, actuated=j.freedoms)
    assert np.abs(j.forward_dynamics(q, v, least) - a).max() < 1e-10 * max(1.0, np.abs(a).max())
    assert np.linalg.norm(least) <= np.linalg.norm(tau) * (1 + 1e-9)
    assert np.abs(least @ np.linalg.svd(j.constraint_jacobian(q))[2][: j.nv - f].T).max() < 1e-9 * np.abs(tau).max()
    with pytest.raises(ModelError, match="cannot cause this motion"):
        j.inverse_dynamics(q, v, a, actuated=some[:-1])
    with pytest.raises(ModelError, match="closing'.*would open with these accelerations"):
        j.inverse_dynamics(q, v, a + 1.0, actuated=some)
    with pytest.raises(ModelError, match="name the freedoms on which drives act"):
        j.inverse_dynamics(q, v, a)
    with pytest.raises(ModelError, match="no freedom 'crank'"):
        j.inverse_dynamics(q, v, a, actuated=["crank"])


def test_a_parallelogram_crank_by_virtual_power():
    """The effort of the crank of a parallelogram: its coupler moves without turning; three of five rows repeat."""
    m = rods((1.0, 2.0, 1.0), (1.1, 0.0, 1.1 + np.pi))
    j = hn.JointCoordinates(m)
    q, v = j.closed(j.q)
    assert j.basis(q).shape == (3, 1)
    way = j.basis(q)[:, 0] / j.basis(q)[0, 0]
    crank = [j.freedoms[0]]
    a = 0.7 * way
    # cranks: m l^2/3 each, the coupler m l^2; weights at l/2, l, l/2; a positive turn about y lowers
    angle = 1.1
    expected = 0.7 * (2.0 / 3.0 + 1.0) - 9.81 * np.cos(angle) * (0.5 + 1.0 + 0.5)
    tau = j.inverse_dynamics(q, v, a, actuated=crank)
    assert tau[0] == pytest.approx(expected, rel=1e-10) and not tau[1:].any()
    assert 1.0 / j.forward_dynamics_derivatives(q, v, tau)[2][0, 0] == pytest.approx(5.0 / 3.0, rel=1e-10)
    assert hn.inverse_dynamics(m, q, v, a, actuated=crank) == pytest.approx(tau)


def test_accelerations_of_pinocchio():
    """Two arms of three hinges, closed by a ball joint: `constraintDynamics`, and `lcaba` as far as it iterates."""
    data = json.loads((Path(__file__).parents[1] / "reference" / "pinocchio_closed_arms.json").read_text())
    m = hn.Model("arms")
    m.gravity = tuple(data["gravity"])
    ends = {}
    for k, body in enumerate(data["bodies"]):
        last, R, p = ends.get(body["arm"], (m.ground, np.eye(3), np.zeros(3)))
        R, p = R @ np.array(body["axes"]), p + R @ np.array(body["origin"])
        part = m.part(f"b{k}", body["mass"], tuple(body["inertia"]), p + R @ np.array(body["centre"]), axes=R)
        m.revolute(part, last, f"j{k}", at=p, axis=R[:, 2])
        ends[body["arm"]] = part, R, p
    m.spherical(ends[0][0], ends[1][0], "closing", at=data["point"])
    j = hn.JointCoordinates(m)
    order = [j.freedoms.index(f"j{k}.angle") for k in range(6)]
    assert j.rest[0].element.name == "closing"
    for state in data["states"]:
        q, v, tau = np.zeros((3, 6))
        q[order], v[order], tau[order] = state["q"], state["v"], state["tau"]
        a = j.forward_dynamics(q, v, tau)[order]
        assert np.abs(a - state["a"]).max() < 1e-12 * np.abs(a).max()
        assert np.abs(a - state["lcaba"]).max() < 1e-9 * np.abs(a).max()


def test_couplers_and_motions_at_a_time():
    m = hn.Model("geared")
    pins = []
    for k in range(2):
        wheel = m.part(f"w{k}", 1.0, (0.1, 0.3, 0.1), (k, 0, 0))
        pins.append(m.revolute(wheel, m.ground, f"p{k}", at=(k, 0, 0), axis=(0, 1, 0)))
    m.coupler(pins, [1.0, -2.0])
    j = hn.JointCoordinates(m)
    q, v = j.closed([0.4, 0.3], [1.0, 0.2])
    assert q[0] == pytest.approx(2.0 * q[1], abs=1e-12) and v[0] == pytest.approx(2.0 * v[1], abs=1e-12)
    assert j.forward_dynamics(q, v, [1.0, 0.0]) == pytest.approx([4.0 / 1.5, 2.0 / 1.5])
    m.motion(pins[0], "0.2*TIME**2+0.1*TIME")
    j = hn.JointCoordinates(m)
    q, v = j.closed(j.q, None, time=3.0)
    assert q == pytest.approx([2.1, 1.05]) and v == pytest.approx([1.3, 0.65])
    assert j.forward_dynamics(q, v, time=3.0) == pytest.approx([0.4, 0.2])
    assert j.basis(q).shape == (2, 0)


def test_open_loops_and_what_needs_a_tree_are_refused():
    m = rods((1.0, 2.0, 1.5), (1.2, 0.2, -1.5))
    j = hn.JointCoordinates(m)
    q, v = j.closed(j.q, np.ones(3))
    with pytest.raises(ModelError, match="open by .*closed\\(q, v\\) gives the nearest"):
        j.forward_dynamics(q + 0.01, v)
    with pytest.raises(ModelError, match="not fulfilled by these rates"):
        j.forward_dynamics(q, v + 0.01)
    with pytest.raises(ModelError, match="derivative of inverse dynamics needs joints in a tree"):
        j.inverse_dynamics_derivatives(q, v, v)
    with pytest.raises(ModelError, match="a controller of joints needs joints in a tree"):
        hn.control.GravityCompensation(j, np.zeros(3), 1.0, 1.0)
    far = rods((1.0, 2.0, 1.5), (1.2, 0.2, -1.5))
    far.constraint(f"DX({far.marker(far.parts['rod0'])},{far.marker(far.ground)})-9")
    with pytest.raises(ModelError, match="cannot be closed"):
        hn.JointCoordinates(far).closed(q)
