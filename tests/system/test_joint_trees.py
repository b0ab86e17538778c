"""Joint coordinates against the equations of all bodies: every joint in both directions, random trees, Jacobians by
differences, and figures of Pinocchio 4.1."""

import json
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom import Model, ModelError
from holonom.elements.bodies import layout
from holonom.elements.joints import JOINTS
from holonom.integrators.entry import PROJECT, RATE, enter, explicit_handle
from holonom.recursive.dynamics import JointCoordinates
from holonom.recursive.kernels import move_coordinates
from holonom.system.build import System

MORE = {"SCREW": {"pitch": 0.3}, "RACKPIN": {"pd": 0.4}}
PRIMITIVES = ("ATPOINT", "INLINE", "INPLANE", "ORIENTATION", "PARALLEL_AXES", "PERPENDICULAR")
CARRIED = [k for k, joint in JOINTS.items() if joint.subspace is not None]


def hang(m, r, kind, body, parent, backwards):
    """A joint between random markers of two bodies."""
    i, j = (m.marker(p, at=r.normal(size=3), euler=r.normal(size=3)) for p in (body, parent))
    i, j = (j, i) if backwards else (i, j)
    return m.primitive(kind, i, j) if kind in PRIMITIVES else m.joint(kind, i, j, **MORE.get(kind, {}))


def random_tree(seed, kinds, n=6):
    r = np.random.default_rng(seed)
    m = Model("tree")
    m.gravity = (1.0, -2.0, -9.0)
    bodies = [m.ground]
    for k in range(n):
        body = m.part(
            f"b{k}",
            mass=float(r.uniform(0.5, 3.0)),
            inertia=tuple(r.uniform(1.0, 1.9, 3)),
            position=r.normal(size=3),
            euler=r.normal(size=3),
        )
        kind = kinds[int(r.integers(len(kinds)))]
        if kind != "FLOATING":
            hang(m, r, kind, body, bodies[int(r.integers(len(bodies)))], bool(r.integers(2)))
        bodies.append(body)
    a, b = (m.marker(bodies[k], at=r.normal(size=3)) for k in (n, n // 2))
    m.spring_damper(a, b, stiffness=30.0, damping=2.0, length=0.4)
    for joint in m.joints.values():
        if joint.type in ("REVOLUTE", "TRANSLATIONAL", "SCREW"):
            joint.armature = 0.7
    return m


def random_state(j, r):
    q, v = r.normal(size=j.nq), r.normal(size=j.nv)
    names = np.array(j.coordinates)
    for k, name in enumerate(names):
        if name.endswith(".q0"):
            q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    return q, v


def of_all_bodies(system, y):
    """Gap of the rows, their speed and accelerations (n, 6) by the equations of all bodies at the state y."""
    handle = explicit_handle(system)
    stages = system.workspace.equations.stages
    enter(handle, PROJECT, y.copy(), 0.0, 0.0, 1e-8, 0, stages.d)
    stages.ya[:] = y
    enter(handle, RATE, y, 0.0, 0.0, 1e-8, 0, stages.d)
    W = system.W
    speed = np.zeros(system.m)
    u = layout.all_speeds(y, system.bodies).reshape(-1, 6)
    np.add.at(speed, system.slot_row[:-1], (W.rw.G[:-1] * u[system.slot_body[:-1]]).sum(axis=1))
    speed[system.S.rows.level == 2] = 0.0  # inertias of drives bind no speed
    return W.rw.phi.copy(), speed, layout.body_moves(W.acc, system.nb).copy()


def compare(m, seed):
    j = JointCoordinates(m)
    r = np.random.default_rng(seed)
    q, v = random_state(j, r)
    y = j.state(q, v)
    phi, speed, acc = of_all_bodies(System(m), y)
    angles = [k for k, name in enumerate(j.coordinates) if ".angle" in name]
    back = j.from_state(y)
    back[0][angles] += 2 * np.pi * np.round((q - back[0])[angles] / (2 * np.pi))
    for k in np.flatnonzero([name.endswith(".q0") for name in j.coordinates]):
        back[0][k : k + 4] *= np.sign(back[0][k : k + 4] @ q[k : k + 4])
    assert np.abs(y[j.system.bodies.end :]).max(initial=0.0) == 0.0
    assert np.abs(back[1] - v).max(initial=0.0) < 1e-10 and np.abs(back[0] - q).max(initial=0.0) < 1e-10
    assert np.abs(phi).max(initial=0.0) < 1e-12 and np.abs(speed).max(initial=0.0) < 1e-11
    j.forward_dynamics(q, v)
    own = layout.body_moves(j.system.W.acc, j.system.nb)
    scale = max(1.0, np.abs(acc).max())
    assert np.abs(own - acc).max() < 1e-10 * scale, np.abs(own - acc).max() / scale
    return j, q, v


@pytest.mark.parametrize("backwards", (False, True))
@pytest.mark.parametrize("kind", CARRIED)
def test_every_joint_moves_along_its_rows(kind, backwards):
    r = np.random.default_rng(3)
    m = Model("pair")
    m.gravity = (1.0, -2.0, -9.0)
    a, b = (m.part(n, 1.5, (1.0, 1.2, 1.4), position=r.normal(size=3), euler=r.normal(size=3)) for n in "ab")
    hang(m, r, kind, a, m.ground, backwards)
    hang(m, r, kind, b, a, backwards)
    j, q, v = compare(m, 5)
    assert j.nv == 2 * (6 - System(m).m // 2)


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_accelerate_as_all_bodies_do(seed):
    j, q, v = compare(random_tree(seed, [*CARRIED, "FLOATING"]), seed)
    r = np.random.default_rng(seed)
    tau, acc = r.normal(size=j.nv), j.forward_dynamics(q, v)
    assert j.inverse_dynamics(q, v, acc) == pytest.approx(0.0, abs=1e-10 * max(1.0, np.abs(j.bias(q, v)).max()))
    H = j.mass_matrix(q)
    assert np.linalg.eigvalsh(H).min() > 0.0
    assert H @ j.forward_dynamics(q, v, tau) + j.bias(q, v) == pytest.approx(tau, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 300))
def test_many_random_trees(seed):
    compare(random_tree(seed, [*CARRIED, "FLOATING"], 4 + seed % 12), seed)


def test_jacobian_and_mass_matrix_by_differences():
    m = random_tree(4, ["REVOLUTE", "UNIVERSAL", "SPHERICAL", "PLANAR", "INLINE"], 5)
    j = JointCoordinates(m)
    r = np.random.default_rng(1)
    q, v = random_state(j, r)
    marker = m.marker(m.parts["b4"], at=(0.3, 0.2, 0.1), euler=(0.1, 0.2, 0.3))
    h = 1e-6
    f, g = (j.frame(marker, q + s * h * j.rates(q, v)) for s in (1, -1))
    J = j.jacobian(marker, q) @ v
    assert J[:3] == pytest.approx((f.origin - g.origin) / (2 * h), abs=1e-8)
    W = (f.axes - g.axes) / (2 * h) @ j.frame(marker, q).axes.T
    assert J[3:] == pytest.approx([W[2, 1], W[0, 2], W[1, 0]], abs=1e-8)
    # kinetic energy of bodies and drives is that of the mass matrix
    s = j.system
    u = layout.speeds(j.state(q, v), s.nb)
    energy = 0.5 * (s.bodies.mass * (u[:, :3] ** 2).sum(axis=1)).sum() + 0.5 * (s.bodies.J * u[:, 3:] ** 2).sum()
    drives = {joint.name: joint.armature for joint in m.joints.values() if joint.armature}
    energy += sum(0.5 * drives.get(name.split(".")[0], 0.0) * rate**2 for name, rate in zip(j.freedoms, v))
    assert 0.5 * v @ j.mass_matrix(q) @ v == pytest.approx(energy, rel=1e-13)


def test_rows_of_a_motion_and_bad_input():
    m = random_tree(2, ["REVOLUTE"], 2)
    j = JointCoordinates(m)
    r = np.random.default_rng(0)
    q, v, a = r.normal(size=(3, 4, 2))
    tau = hn.inverse_dynamics(m, q, v, a)
    assert tau.shape == (4, 2) and tau[2] == pytest.approx(j.inverse_dynamics(q[2], v[2], a[2]))
    with pytest.raises(hn.ModelError, match=r"q has shape \(3,\); give 2 finite numbers, one for each of JOINT_"):
        j.forward_dynamics(np.zeros(3), np.zeros(2))
    with pytest.raises(hn.ModelError, match="4, 4 and 3 rows"):
        j.inverse_dynamics(q, v, a[:3])
    m.motion(next(iter(m.joints.values())), "TIME")
    with pytest.raises(hn.ModelError, match="MOTION.*efforts are not unique where loops, couplers or motions"):
        JointCoordinates(m).inverse_dynamics(q[0], v[0], a[0])


def of_pinocchio(data, gravity):
    """Joint coordinates of a tree in the file of Pinocchio, the frames I of its joints, q, v, a, and where its freedoms
    are among ours."""
    m = Model("tree")
    m.gravity = tuple(gravity)
    bodies, frames, tips = [m.ground], [np.eye(4)], []
    for k, b in enumerate(data["bodies"]):
        T = frames[b["parent"]] @ np.array(b["placement"])  # joint frame in ground at q = 0
        frames.append(T)
        com, A = T[:3, 3] + T[:3, :3] @ b["com"], T[:3, :3]
        body = m.part(f"b{k}", mass=b["mass"], inertia=np.array(b["inertia"]), position=com, axes=A)
        bodies.append(body)
        parent = bodies[b["parent"]]
        i, j = (m.marker_at(p, T[:3, 3], axes=A) for p in (body, parent))
        tips.append(i)
        if b["type"] != "FLOATING":
            m.joint(b["type"], i, j)
    j = JointCoordinates(m)
    order = [j._at[j.system.body_index["PART", b.id]] for b in bodies[1:]]
    T = j._tree
    q, v, a = np.zeros(j.nq), np.zeros(j.nv), np.zeros(j.nv)
    places = []
    for k, b in zip(order, data["bodies"]):
        c, f = T.coordinate[T.step[k]], T.first[k]
        q[c : c + len(b["q"])], v[f : f + len(b["v"])], a[f : f + len(b["v"])] = b["q"], b["v"], b["a"]
        places += range(f, f + len(b["v"]))
    return j, tips, q, v, a, np.array(places)


def reference():
    return json.loads((Path(__file__).parents[1] / "reference" / "pinocchio_tree.json").read_text(encoding="utf-8"))


def test_against_pinocchio():
    """Figures of Pinocchio 4.1.0 (aba, rnea, crba, frame Jacobian) for a tree of revolute, prismatic, spherical and
    free joints, by the script named in the file."""
    data = reference()
    j, _, q, v, a, pick = of_pinocchio(data, data["gravity"])
    acc, tau, H = (
        j.forward_dynamics(q, v)[pick],
        j.inverse_dynamics(q, v, a)[pick],
        j.mass_matrix(q)[np.ix_(pick, pick)],
    )
    for own, name in ((acc, "aba"), (tau, "rnea"), (H, "crba")):
        theirs = np.array(data[name])
        assert np.abs(own - theirs).max() < 1e-12 * np.abs(theirs).max(), (name, np.abs(own - theirs).max())


def test_derivatives_momentum_and_frames_against_pinocchio():
    """computeRNEADerivatives, computeABADerivatives, ccrba, a Jacobian and its time variation of Pinocchio 4.1.0."""
    everything = reference()
    data = everything["fixed"]
    j, tips, q, v, a, pick = of_pinocchio(data, everything["gravity"])
    square = lambda M: M[np.ix_(pick, pick)]
    effort = np.zeros(j.nv)
    effort[pick] = data["effort"]
    tip = tips[data["body"]]
    own = {
        **dict(zip(("rnea_q", "rnea_v"), map(square, j.inverse_dynamics_derivatives(q, v, a)))),
        **dict(zip(("aba_q", "aba_v", "aba_tau"), map(square, j.forward_dynamics_derivatives(q, v, effort)))),
        "momentum": j.centroidal_momentum(q, v),
        "momentum_matrix": j.centroidal_matrix(q)[:, pick],
        "com": j.centre_of_mass(q),
        "jacobian": j.jacobian(tip, q)[:, pick],
        "rate": j.jacobian_rate(tip, q, v)[:, pick],
        "inertia": j.operational_inertia(tip, q),
    }
    for name, value in own.items():
        theirs = np.array(data[name])
        assert np.abs(value - theirs).max() < 1e-12 * np.abs(theirs).max(), (name, np.abs(value - theirs).max())


@pytest.mark.parametrize("kinds", [CARRIED, ("SPHERICAL", "INLINE"), ("FLOATING", "UNIVERSAL"), ("REVOLUTE", "SCREW")])
def test_derivatives_against_differences(kinds):
    """Every type of joint in both directions, with a spring and damper between two bodies."""
    j = JointCoordinates(random_tree(5, list(kinds)))
    r = np.random.default_rng(5)
    q, v = random_state(j, r)
    a = r.normal(size=j.nv)

    def moved(d):
        out = q.copy()
        move_coordinates(j._tree, out, d)
        return out

    def slopes(f, h=1e-4):
        columns = [(8 * (f(h * e) - f(-h * e)) - f(2 * h * e) + f(-2 * h * e)) / (12 * h) for e in np.eye(j.nv)]
        return np.array(columns).T

    ways = (lambda d: j.inverse_dynamics(moved(d), v, a), lambda d: j.inverse_dynamics(q, v + d, a))
    for own, way in zip(j.inverse_dynamics_derivatives(q, v, a), ways):
        expected = slopes(way)
        assert np.abs(own - expected).max() < 1e-9 * np.abs(expected).max()
    ways = (
        lambda d: j.forward_dynamics(moved(d), v),
        lambda d: j.forward_dynamics(q, v + d),
        lambda d: j.forward_dynamics(q, v, d),
    )
    for own, way in zip(j.forward_dynamics_derivatives(q, v), ways):
        expected = slopes(way)
        assert np.abs(own - expected).max() < 1e-8 * np.abs(expected).max()


def test_derivatives_and_operational_inertia_report_what_they_lack():
    m = Model("pendulum")
    bar = m.part("bar", 1.0, (0.1, 0.1, 0.1), (0, 0, -0.5))
    m.revolute(bar, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    tip = m.marker_at(bar, (0, 0, -1.0))
    j = JointCoordinates(m)
    with pytest.raises(ModelError, match="cannot move in 6 independent directions"):
        j.operational_inertia(tip, j.q)
    assert j.operational_inertia(tip, j.q, rows=[0]) == pytest.approx(0.35)  # (J + m l^2 / 4) / l^2
    m.diff("-1", "x")
    with pytest.raises(ModelError, match="states of differential equations"):
        JointCoordinates(m).inverse_dynamics_derivatives(j.q, j.v, [0.0])


def test_inputs_are_checked_whatever_their_type():
    j = JointCoordinates(random_tree(2, ["REVOLUTE"]))
    zero = np.zeros(j.nv)
    assert np.array_equal(j.forward_dynamics(j.q, zero, time=1), j.forward_dynamics(list(j.q), [0] * j.nv, time=1.0))
    for bad in (np.nan, np.inf, -np.inf):
        wrong = zero.copy()
        wrong[1] = bad
        for name, arguments in (
            ("forward_dynamics", (j.q + wrong, zero)),
            ("forward_dynamics", (j.q, wrong)),
            ("forward_dynamics", (j.q, zero, wrong)),
            ("inverse_dynamics", (j.q, zero, wrong)),
        ):
            with pytest.raises(ModelError, match="a value that is not finite"):
                getattr(j, name)(*arguments)


def test_states_that_coordinates_do_not_describe_are_refused():
    """A hinge that is open, and one that is closed with its axes in opposite directions."""
    m = Model("turned over")
    arm = m.part("arm", 1.0, (0.02, 0.03, 0.04), (0.5, 0, 0))
    on_arm, on_ground = (m.marker(p, at=(0, 0, 0), euler=(a, np.pi / 2, 0)) for p, a in ((arm, 0), (m.ground, np.pi)))
    m.joint("REVOLUTE", on_arm, on_ground, name="hinge")
    j = JointCoordinates(m)
    with pytest.raises(ModelError, match="JOINT/1 'hinge': its coordinates do not describe this state"):
        j.from_state(j.system.y0)
    y = j.state(j.q + 0.3, j.v + 1.0)
    q, v = j.from_state(y)
    assert np.allclose(np.exp(1j * (q - j.q - 0.3)), 1.0) and np.allclose(v, j.v + 1.0)  # q up to a whole turn
    y[0] += 0.01
    with pytest.raises(ModelError, match="at which it is open"):
        j.from_state(y)
