"""Joint coordinates integrate the same machine: positions, reactions, energies and states of both numberings agree, and
what a tree does not carry runs in maximal coordinates with its reason."""

import numpy as np
import pytest

import holonom as hn

KINDS = ("revolute", "translational", "cylindrical", "universal", "spherical", "planar", "fixed", "hooke")


def machine(seed, n=4, floating=True):
    """A random tree with springs, a function force with a state, and damping in a joint."""
    r = np.random.default_rng(seed)
    m = hn.Model(f"tree {seed}")
    m.gravity = (0.5, -1.0, -9.0)
    bodies = [m.ground]
    for k in range(n):
        body = m.part(
            f"b{k}",
            mass=float(r.uniform(0.5, 3.0)),
            inertia=tuple(r.uniform(0.1, 0.19, 3)),
            position=r.normal(size=3),
            euler=r.normal(size=3),
        )
        parent = bodies[int(r.integers(len(bodies)))]
        pair = (body, parent) if r.integers(2) else (parent, body)
        kind = KINDS[int(r.integers(len(KINDS)))]
        if not (floating and k == 2):
            getattr(m, kind)(*pair, f"j{k}", at=r.normal(size=3), axis=r.normal(size=3))
        bodies.append(body)
    a, b = (m.marker(bodies[k], at=0.2 * r.normal(size=3)) for k in (n, n // 2))
    m.spring_damper(a, b, stiffness=30.0, damping=1.0, length=0.4)
    hook = m.marker(m.ground)
    m.spring_damper(m.marker(bodies[n // 2 + 1]), hook, stiffness=20.0, damping=0.5, length=0.1)
    m.diff("1.0 - 2.0*DIF(1)", name="lag")
    m.vforce(a, None, fx="3*DIF(1)", fz="SIN(3*TIME)")
    return m


def agree(m, tolerance=1e-7, end=0.6, **options):
    runs = [
        hn.simulate(m, end=end, steps=6, error=1e-10, progress=False, coordinates=c, **options)
        for c in ("maximal", "joint")
    ]
    assert any(text.startswith("joint coordinates:") for text in runs[1].info["messages"]), runs[1].info["messages"]
    a, b = (vars(run.data) for run in runs)
    compared = 0
    for name, x in a.items():
        if not isinstance(x, np.ndarray) or x.dtype.kind != "f" or name.startswith("solver"):
            continue
        scale = max(1.0, np.nanmax(np.abs(x), initial=0.0))
        assert np.nanmax(np.abs(x - b[name]), initial=0.0) < tolerance * scale, name
        compared += 1
    assert compared > 10
    return runs


@pytest.mark.parametrize("seed", range(4))
def test_trees_move_as_all_bodies_do(seed):
    agree(machine(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 60))
def test_many_trees_move_as_all_bodies_do(seed):
    agree(machine(seed, 3 + seed % 6, seed % 2 == 0), 1e-6)


def pendulum(n=2, across=(0, 1, 0)):
    m = hn.Model("pendulum")
    m.gravity = (0, 0, -9.81)
    last = m.ground
    for k in range(n):
        body = m.part(f"b{k}", 1.0, (0.01, 0.02, 0.03), (0.5 + k, 0, 0))
        m.revolute(body, last, f"pin{k}", at=(k, 0, 0), axis=across if k % 2 else (0, 1, 0))
        last = body
    return m, last


@pytest.mark.parametrize("method", ("DOPRI5", "RKF45", "RK4"))
def test_all_runge_kutta_methods(method):
    """Energy of a double pendulum, whatever the method."""
    m, _ = pendulum()
    step = {"step": 1e-3} if method == "RK4" else {"error": 1e-9}
    run = hn.simulate(m, end=0.5, steps=5, integrator=method, coordinates="joint", progress=False, **step)
    energy = run.energy.total.values
    assert np.ptp(energy) < 1e-6
    assert "joint coordinates: requested" in run.info["messages"]


def test_many_turns_events_and_contact():
    """Turns are counted, a ball on the tip bounces on ground, and a sensor stops the run, as with all bodies."""
    m, tip = pendulum()
    ball = m.part("ball", 0.2, (1e-3, 1e-3, 1e-3), (3.0, 0, -1.0))
    m.spherical(ball, tip, at=(2.0, 0, 0))
    m.part("flying", 0.3, (1e-3, 2e-3, 3e-3), (0, 2, 0.5), angular_velocity=(30.0, 1.0, 2.0))
    spinner = m.part("spinner", 1.0, (0.1, 0.1, 0.1), (0, 5, 0), angular_velocity=(0, 0, 40.0))
    spin = m.revolute(spinner, m.ground, "spin", at=(0, 5, 0), axis=(0, 0, 1))
    floor = m.plane(m.ground, (0, 0, -2.2), (0, 0, 1))
    m.contact(floor, m.sphere(ball, (3.0, 0, -1.0), 0.1), "impact", stiffness=1e4, damping=10.0, exponent=1.5)
    a, b = agree(m, 1e-5, end=1.0)
    assert spin.name in str(a.joint("spin").name)
    assert a.joint("spin").angle.values[-1] == pytest.approx(40.0, rel=1e-9)
    assert b.joint("spin").angle.values[-1] == pytest.approx(40.0, rel=1e-9)


def test_what_a_tree_does_not_carry_runs_in_maximal_coordinates():
    m, tip = pendulum(across=(0, 0.6, 0.8))
    run = lambda **options: hn.simulate(m, end=0.05, steps=2, coordinates="auto", progress=False, **options)
    said = next(t for t in run(integrator="GSTIFF").info["messages"] if t.startswith("maximal coordinates:"))
    assert "GSTIFF does not integrate joint coordinates, RADAU5, DOP853, " in said
    assert "joint coordinates: the joints form a tree" in run().info["messages"]
    ball, floor = m.sphere(tip, (2, 0, 0), 0.1), m.plane(m.ground, (0, 0, -5), (0, 0, 1))
    m.contact(ball, floor, "impact", stiffness=1e4)
    assert "joint coordinates: the joints form a tree" in run().info["messages"]
    for name in "abc":
        m.part(name, 1.0, (0.1, 0.1, 0.1), (0, 5, 0))
    assert "maximal coordinates: most bodies float" in run().info["messages"]
    said = run(contact="events").info["messages"]
    assert "maximal coordinates: contacts are rigid constraints" in said
    with pytest.raises(hn.ModelError, match="INDEX1 is of maximal coordinates"):
        hn.simulate(m, end=0.1, steps=1, formulation="INDEX1", coordinates="joint")
    with pytest.raises(hn.ModelError, match="COORDINATES = minimal is not one of maximal, joint, auto"):
        hn.simulate(m, end=0.1, steps=1, coordinates="minimal")


def test_axes_in_opposite_directions_run_in_maximal_coordinates():
    """The rows of a hinge are fulfilled by axes that point in opposite directions, which an angle does not describe."""
    model = hn.Model("turned over")
    model.gravity = (0, 0, -9.81)
    arm = model.part("arm", 1.0, (0.02, 0.03, 0.04), (0.5, 0, 0))
    on_arm = model.marker(arm, at=(0, 0, 0), euler=(0, np.pi / 2, 0))
    on_ground = model.marker(model.ground, at=(0, 0, 0), euler=(np.pi, np.pi / 2, 0))
    model.joint("REVOLUTE", on_arm, on_ground, name="hinge")
    turned = hn.simulate(model, end=0.5, steps=5, error=1e-9, coordinates="joint")
    same = hn.simulate(model, end=0.5, steps=5, error=1e-9)
    assert hn.compare(turned, same).within(1e-9)
    assert (
        "maximal coordinates: JOINT/1 'hinge' is closed with its axes in opposite directions" in turned.info["messages"]
    )


def test_without_a_request_trees_are_joint_and_contacts_maximal():
    """Bits tell which coordinates were integrated; joint ones are told. Contacts rely on bounds that are proved for
    maximal coordinates alone."""
    ends = lambda m, *asked: [
        hn.simulate(m, end=0.1, steps=2, progress=False, **({"coordinates": c} if c else {})).data.body_position[-1]
        for c in asked
    ]
    tree, tip = pendulum(across=(0, 0.6, 0.8))
    messages = hn.simulate(tree, end=0.1, steps=2, progress=False).info["messages"]
    assert "joint coordinates: the joints form a tree" in messages
    plain, joint, maximal = ends(tree, None, "joint", "maximal")
    assert (plain == joint).all() and (plain != maximal).any()
    flat, _ = pendulum()
    plain, joint, maximal = ends(flat, None, "joint", "maximal")
    assert (plain == maximal).all() and (plain != joint).any()
    tree.contact(
        tree.sphere(tip, (2, 0, 0), 0.1), tree.plane(tree.ground, (0, 0, -5), (0, 0, 1)), "impact", stiffness=1e4
    )
    plain, joint, maximal = ends(tree, None, "joint", "maximal")
    assert (plain == maximal).all() and (plain != joint).any()
    messages = hn.simulate(tree, end=0.1, steps=2, progress=False).info["messages"]
    assert not any("joint coordinates" in text for text in messages)
