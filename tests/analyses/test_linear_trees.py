"""Linear analyses of trees of joints: exact derivatives of joint coordinates against differences of the equations of
all bodies, and closed forms."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from tests.system.test_joint_trees import CARRIED, random_tree

import holonom as hn
from holonom.analyses.linear import linearisation
from holonom.recursive.dynamics import JointCoordinates


def chain(n, stiffness=5.0):
    m = hn.Model("chain")
    m.gravity = (0, 0, -9.81)
    before = m.ground
    for k in range(n):
        body = m.part(f"link{k}", 1.0, (0.01, 0.012, 0.001), (0, 0, -0.1 * k - 0.05))
        axis = (0, 1, 0) if k % 2 else (1, 0, 0)
        joint = m.revolute(body, before, f"pin{k}", at=(0, 0, -0.1 * k), axis=axis)
        if stiffness:
            m.torsion_spring(joint.i, joint.j, stiffness=stiffness, damping=0.05)
        before = body
    return m


def mixed():
    """Ball joints, a cylindrical joint, a body that floats and spins; springs and a force between moving bodies."""
    m = hn.Model("mixed")
    m.gravity = (1, 2, -9.81)
    a = m.part("a", 2.0, (0.1, 0.2, 0.25), (0.3, 0.1, 0.2))
    b = m.part("b", 1.5, (0.05, 0.06, 0.07), (0.8, 0.2, 0.1))
    c = m.part("c", 1.0, (0.03, 0.02, 0.04), (1.3, 0.1, 0.4))
    d = m.part("d", 0.7, (0.03, 0.02, 0.04), (-1.0, 0.1, 0.4))
    m.spherical(a, m.ground, "hip", at=(0, 0, 0))
    m.cylindrical(b, a, "slide", at=(0.5, 0.1, 0.1), axis=(1, 1, 0))
    m.spherical(b, c, "elbow", at=(1.0, 0.1, 0.2))
    d.wx, d.wy, d.vx, b.wz = 1.0, 2.0, 0.5, 0.4
    on_c, on_d = m.marker_at(c, (1.3, 0.2, 0.4)), m.marker_at(d, (-1.3, 0.2, 0.4))
    m.spring_damper(on_c, m.marker_at(m.ground, (2, 0.3, 1)), stiffness=300.0, damping=4.0, length=0.5)
    m.spring_damper(on_d, m.marker_at(a, (0.3, 0.3, 0.3)), stiffness=200.0, damping=2.0, length=0.5)
    m.sforce(on_c, on_d, f"-3*DM({on_c.id},{on_d.id})**2", name="pull")
    return m


def linear(model, end=None, exact=True, **options):
    """The linear analysis at the beginning or after a run, in joint coordinates or by differences of all bodies."""
    sim = hn.Simulation(model)
    if end is None:
        sim.initial()
    else:
        sim.dynamics(end=end, steps=1, error=1e-9)
    with pytest.MonkeyPatch.context() as patch:
        if not exact:
            patch.setattr(linearisation, "no_small_motions", lambda *_: "differences")
        return sim.linearize(**options)


def apart(one, other):
    """Largest distance between the eigenvalues of two analyses, in units of the largest."""
    a, b = one.eigenvalues, other.eigenvalues
    assert len(a) == len(b)
    distance = np.abs(a[:, None] - b[None])
    return distance[linear_sum_assignment(distance)].max(initial=0.0) / np.abs(b).max(initial=1e-300)


def sizes(values, answer):
    """Norms over displacements and over velocities, which no choice of directions changes."""
    n = answer.nq
    return np.array([np.linalg.norm(part, axis=-1) for part in (values[..., :n], values[..., n:])])


@pytest.mark.parametrize("end, damping", [(None, True), (0.3, True), (0.3, False)])
def test_a_moving_tree_as_all_bodies(end, damping):
    model = mixed()
    (pull,) = model.table("SFORCE").values()
    output = f"DM({pull.i},{pull.j})"
    exact, other = (linear(model, end, how, damping=damping, outputs=[output]) for how in (True, False))
    assert apart(exact, other) < 1e-9
    assert exact.warnings == other.warnings == []
    for name in ("A", "C", "force_change", "rates"):
        one, two = (sizes(getattr(answer, name), answer) for answer in (exact, other))
        if name == "A":
            one, two = (np.linalg.norm(rows.reshape(2, 2, -1), axis=2) for rows in (one, two))
        assert np.allclose(one, two, rtol=1e-6, atol=1e-7 * np.abs(two).max()), name


def test_a_chain_needs_no_differences_of_accelerations(monkeypatch):
    """Eigenvalues of a hanging chain of 40 links as of H, K and C of its joints; accelerations of all bodies are not
    evaluated for each direction."""
    calls = []
    rates = linearisation.Point.rates
    monkeypatch.setattr(linearisation.Point, "rates", lambda self, y: calls.append(1) or rates(self, y))
    model = chain(40)
    exact = linear(model)
    assert len(calls) <= 3
    joints = JointCoordinates(model)
    slopes = joints.forward_dynamics_derivatives(joints.q, joints.v)
    n = joints.nv
    A = np.block([[np.zeros((n, n)), np.eye(n)], [slopes[0], slopes[1]]])
    distance = np.abs(exact.eigenvalues[:, None] - np.linalg.eigvals(A)[None])
    assert distance[linear_sum_assignment(distance)].max() < 1e-9 * np.abs(exact.eigenvalues).max()
    strain, gravity = exact.strain_energy(1)
    assert strain.sum() + gravity == pytest.approx(exact.kinetic_energy(1).sum(), rel=1e-6)


def test_wrong_derivatives_of_forces_are_found(monkeypatch):
    """Where differences of the forces disagree with their derivatives, those of the whole are taken."""
    right = linear(chain(3))
    changes = JointCoordinates.force_changes
    monkeypatch.setattr(JointCoordinates, "force_changes", lambda self, *given: 1.01 * changes(self, *given))
    assert apart(linear(chain(3)), right) < 1e-9


def test_a_kink_is_reported():
    model = hn.Model("flap")
    model.gravity = (0, 0, 0)
    flap = model.part("flap", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0))
    pin = model.revolute(flap, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    angle = f"AZ({pin.i},{pin.j})"
    model.sforce(pin.i, pin.j, f"IF({angle}: -5*{angle}, 0, -10*{angle})", kind="ROTATIONAL", name="stop")
    with pytest.warns(hn.ModelWarning, match="not smooth"):
        linear(model)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_random_trees(seed):
    model = random_tree(seed, [*CARRIED, "FLOATING"])
    assert apart(linear(model), linear(model, exact=False)) < 1e-8


def test_what_closes_a_loop_and_moves_is_no_tree():
    model = chain(3)
    model.spherical(model.find("PART", "link2"), model.ground, "closing", at=(0, 0, -0.3))
    model.find("PART", "link0").vx = 0.1
    system = hn.Simulation(model).prepare("linear")
    why = linearisation.no_small_motions(system, system.y0)
    assert why == "JOINT/3 'pin2': not a joint of a tree, and the bodies move"
