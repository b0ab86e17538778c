"""Loops, motions and couplers over a tree of joints: random mechanisms in both numberings, and the positions where rows
become dependent."""

import math
from importlib.resources import files

import numpy as np
import pytest
from benchmarks.ladders import energy, ladder
from test_joint_numbering import agree

import holonom as hn
from holonom.analyses.assemble import assemble
from holonom.integrators import Options, make_integrator
from holonom.integrators.numbering import numbering
from holonom.system.build import System


def polygon(lengths, angles, mass=1.0, spin=None):
    """Planar chain of rods from the origin, hinged to each other and at its end to ground."""
    m = hn.Model("polygon")
    m.gravity = (0, 0, -9.81)
    x, last = np.zeros(3), m.ground
    for k, (length, angle) in enumerate(zip(lengths, angles)):
        way = length * np.array([math.cos(angle), 0.0, math.sin(angle)])
        axes = np.column_stack([way / length, [0, 1, 0], np.cross(way / length, [0, 1, 0])])
        rod = m.part(f"rod{k}", mass, (0.001, mass * length**2 / 12, mass * length**2 / 12), x + way / 2, axes=axes)
        if spin and k == 0:
            rod.wy = spin
        m.revolute(rod, last, f"pin{k}", at=x, axis=(0, 1, 0))
        x, last = x + way, rod
    m.revolute(last, m.ground, "closing", at=x, axis=(0, 1, 0))
    return m


def random_mechanism(seed):
    """A random tree, closed by joints that leave freedoms, as drawn; some have a motion or a coupler."""
    r = np.random.default_rng(seed)
    m = hn.Model(f"mechanism {seed}")
    m.gravity = (0.5, -1.0, -9.0)
    bodies = [m.ground]
    for k in range(int(r.integers(4, 8))):
        body = m.part(
            f"b{k}",
            mass=float(r.uniform(0.5, 3.0)),
            inertia=tuple(r.uniform(0.1, 0.19, 3)),
            position=r.normal(size=3),
            euler=r.normal(size=3),
        )
        kind = ("spherical", "universal", "cylindrical", "planar")[int(r.integers(4))]
        pair = (body, bodies[max(int(r.integers(len(bodies))), len(bodies) - 2)])
        getattr(m, kind)(*(pair if r.integers(2) else pair[::-1]), f"j{k}", at=r.normal(size=3), axis=r.normal(size=3))
        bodies.append(body)
    for k in range(int(r.integers(1, 3))):
        a, b = r.choice(len(bodies), 2, replace=False)
        kind = ("spherical", "in_plane", "in_line")[int(r.integers(3))]
        at, axis = r.normal(size=3), r.normal(size=3)
        if kind == "spherical":
            m.spherical(bodies[a], bodies[b], f"c{k}", at=at)
        else:
            m.primitive(kind.upper().replace("_", ""), bodies[a], bodies[b], f"c{k}", at=at, axis=axis)
    a, b = (m.marker(bodies[k], at=0.2 * r.normal(size=3)) for k in (-1, len(bodies) // 2))
    m.spring_damper(a, b, stiffness=30.0, damping=1.0, length=0.4)
    return m


def test_a_four_bar_with_redundant_rows():
    m = polygon((1.0, 2.0, 1.5), (1.2, 0.2, -1.5))
    a, b = agree(m, 1e-6, end=1.0)
    assert np.ptp(b.energy.total.values) < 1e-7
    said = next(
        t for t in b.info["messages"] if t.startswith("joint coordinates: requested; over the tree: 5 equations")
    )
    assert said
    chosen = hn.simulate(m, end=0.01, steps=1, coordinates="auto", progress=False).info["messages"]
    assert "maximal coordinates: 2 equations over the tree of joints, in a plane, cost less there" in chosen


def test_motions_and_couplers_are_rows():
    m = polygon((1.0, 2.0, 1.5), (1.2, 0.2, -1.5))
    m.motion(m.joints[1], "0.8*SIN(2*TIME)")
    agree(m, 1e-6)
    m = hn.Model("coupled")
    m.gravity = (0, 0, -9.81)
    wheels = [m.part(f"w{k}", 1.0, (0.1, 0.2, 0.1), (k + 0.1, 0, 0.3)) for k in range(2)]
    pins = [m.revolute(w, m.ground, f"p{k}", at=(k, 0, 0), axis=(0, 1, 0)) for k, w in enumerate(wheels)]
    m.coupler(pins, [1.0, -2.0])
    slider = m.part("slider", 1.0, (0.1, 0.1, 0.1), (3, 0, 0))
    rail = m.translational(slider, m.ground, "rail", at=(3, 0, 0), axis=(1, 0, 1))
    m.motion(rail, "0.3*TIME", level="VELOCITY")
    agree(m, 1e-6)


def driven(m):
    """Freedoms that joint coordinates take as functions of time."""
    stepper = make_integrator("DOP853", System(m), Options(error=1e-8, extra={"coordinates": "joint"}))
    return len(stepper.M.drives.freedom), len(stepper.M.loops.row)


@pytest.mark.parametrize("backwards", [False, True])
def test_motions_of_joints_of_the_tree_are_given_coordinates(backwards):
    """Through several turns and a restart, with a free link behind them, in both directions of the joints."""
    m = hn.Model("driven")
    m.gravity = (1, -2, -9.81)
    pair = lambda a, b: (b, a) if backwards else (a, b)
    arm = m.part("arm", 1.0, (0.1, 0.2, 0.3), (0.5, 0, 0))
    turn = m.revolute(*pair(arm, m.ground), "turn", at=(0, 0, 0), axis=(0, 0.6, 0.8))
    block = m.part("block", 2.0, (0.1, 0.2, 0.3), (1.0, 0.1, 0))
    way = m.translational(*pair(block, arm), "way", at=(1, 0, 0), axis=(1, 1, 0))
    bob = m.part("bob", 0.5, (0.01, 0.02, 0.01), (1.0, 0.1, -0.5))
    m.spherical(bob, block, "free", at=(1.0, 0.1, 0))
    m.motion(turn, "9*TIME+SIN(3*TIME)")
    m.motion(way, "0.2*SIN(4*TIME)")
    m.sforce(m.marker(bob), m.marker(m.ground), "IF(TIME-0.7:0,2,2)")
    assert driven(m) == (2, 0)
    a, b = agree(m, 1e-6, end=1.5)
    assert abs(b.joint("turn").angle.values[-1]) == pytest.approx(13.5 + math.sin(4.5), rel=1e-9)


def test_a_driven_loop_and_motions_that_stay_rows():
    m = polygon((1.0, 2.0, 1.5), (1.2, 0.2, -1.5))
    m.motion(m.joints[1], "0.8*SIN(2*TIME)")
    assert driven(m) == (1, 2)
    m.motion(m.joints[1], "0.8*SIN(2*TIME)")  # the same again
    assert driven(m)[0] == 1
    slow = hn.Model("rail")
    slider = slow.part("slider", 1.0, (0.1, 0.1, 0.1), (3, 0, 0))
    rail = slow.translational(slider, slow.ground, "rail", at=(3, 0, 0), axis=(1, 0, 1))
    slow.motion(rail, "0.3*TIME", level="VELOCITY")
    assert driven(slow) == (0, 1)
    run = hn.simulate(slow, end=0.1, steps=2, coordinates="joint", progress=False)
    assert any("over the tree: 1 equation of" in text for text in run.info["messages"])


@pytest.mark.parametrize("seed", range(3))
def test_random_mechanisms_move_as_all_bodies_do(seed):
    agree(random_mechanism(seed), 1e-5, end=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 110))
def test_many_random_mechanisms(seed):
    agree(random_mechanism(seed), 1e-4, end=0.3)


@pytest.mark.parametrize("error", (1e-6, 1e-8, 1e-10))
def test_a_parallelogram_passes_the_position_where_it_may_branch(error):
    """All rods on one line: the closing rows become dependent there, and the parallelogram must stay one."""
    m = polygon((1.0, 2.0, 1.0), (math.pi / 2, 0.0, -math.pi / 2), spin=8.0)
    run = hn.simulate(m, end=3.0, steps=300, error=error, coordinates="joint", progress=False)
    axes = [run.part(f"rod{k}").position.values for k in (0, 2)]
    # the coupler keeps its direction: its ends are as high
    assert np.abs(axes[0][:, 2] - axes[1][:, 2]).max() < 1e-4
    assert np.ptp(run.energy.total.values) < 1e-3 * np.abs(run.energy.kinetic.values).max()
    assert run.joint("pin0").angle.values.min() < -4 * math.pi or run.joint("pin0").angle.values.max() > 4 * math.pi


def test_bricard():
    """Six rods of one length, hinged in a closed overconstrained loop (IFToMM benchmark): energy is kept although one
    row repeats others everywhere."""
    m = hn.Model("bricard")
    m.gravity = (0, 0, -9.81)
    points = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1), (0, 0, 0)], float)
    axes = np.array([(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)], float)
    last = m.ground
    for k in range(5):
        a, b = points[k], points[k + 1]
        inertia = np.diag(1.0 / 12 * (1 - (b - a) ** 2)) + 1e-4 * np.eye(3)
        rod = m.part(f"rod{k}", 1.0, inertia, (a + b) / 2)
        m.revolute(rod, last, f"pin{k}", at=a, axis=axes[k])
        last = rod
    m.revolute(last, m.ground, "closing", at=points[5], axis=axes[5])
    run = hn.simulate(m, end=2.0, steps=20, error=1e-8, coordinates="joint", progress=False)
    assert np.ptp(run.energy.total.values) < 1e-5
    assert np.ptp(run.part("rod2").position.values[:, 2]) > 0.5


def test_fast_turns_inside_of_a_step():
    """A screw that is driven through many turns a step: rows of angles do not lose turns where outputs are."""
    m = hn.Model("jack")
    nut = m.part("nut", 1.0, (0.1, 0.1, 0.1), (0, 0, 0.2))
    screw = m.joint("SCREW", nut, m.ground, "screw", at=(0, 0, 0), axis=(0, 0, 1), pitch=0.01)
    table = m.part("table", 2.0, (0.1, 0.1, 0.1), (0, 0, 0.5))
    m.translational(table, m.ground, "guide", at=(0, 0, 0.5), axis=(0, 0, 1))
    m.revolute(nut, table, "bearing", at=(0, 0, 0.5), axis=(0, 0, 1))
    pin = m.part("pin", 1.0, (0.1, 0.1, 0.1), (1, 0, 0))
    m.motion(m.revolute(pin, m.ground, "turn", at=(1, 0, 0), axis=(0, 0, 1)), "STEP5(TIME,0,0,1.5,190)")
    nut.wz = 50.0
    assert screw.pitch == 0.01
    a, b = agree(m, 1e-6, end=1.0)
    assert b.joint("turn").angle.values[-1] == pytest.approx(190 * (10 / 1.5**3 - 15 / 1.5**4 + 6 / 1.5**5), rel=1e-9)


def steps_of(m, coordinates, end, error=1e-6):
    """The stepper at the end, and the states after its steps."""
    stepper = make_integrator("DOP853", system := System(m), Options(error=error, extra={"coordinates": coordinates}))
    stepper.start(0.0, assemble(system).y.copy(), end)
    states = [stepper.y.copy()]
    while stepper.t < end:
        stepper.step(end)
        states.append(stepper.y.copy())
    return stepper, np.array(states)


def test_a_step_turns_no_joint_too_far():
    """From rest under a constant torque every step is exact, so that only turns limit it; they are known at its end."""
    m = hn.Model("flywheel")
    wheel = m.part("wheel", 1.0, (0.1, 0.1, 0.1))
    m.revolute(wheel, m.ground, "shaft", at=(0, 0, 0), axis=(0, 0, 1))
    m.vtorque(m.marker(wheel), None, tz="0.5")
    stepper, states = steps_of(m, "joint", 6.0)
    angle = states[:, 12] ** 2 / 10.0  # the speed is 5 t
    assert states[-1, 12] == pytest.approx(30.0, rel=1e-12)
    assert np.diff(angle).max() < 2.8 and np.diff(angle).max() > 2.0
    assert stepper.statistics["steps"] < 70  # 90 rad


def test_steps_after_an_impact_are_as_long_as_in_maximal_coordinates():
    m = hn.Model("knocker")
    m.gravity = (0, 0, -9.81)
    arm = m.part("arm", 1.0, (0.01, 0.1, 0.1), (0.5, 0, 0))
    pin = m.revolute(arm, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    stop = f"BISTOP(AZ({pin.i},{pin.j}),WZ({pin.i},{pin.j}),-0.2,0.2,1E5,1.5,1,0.001)"
    m.vtorque(m.marker(arm, at=(-0.5, 0, 0)), None, ty=stop)
    joint, whole = (steps_of(m, c, 1.0)[0].statistics["steps"] for c in ("joint", "maximal"))
    assert joint < 1.3 * whole


@pytest.mark.parametrize("name", ["heavy_top", "quarter_car"])
def test_errors_are_those_of_all_bodies(name):
    """Steps are as many, and errors as large, as in maximal coordinates: a test of joint speeds by the fastest of
    them lost 20 times in the heavy top, and exact driven coordinates inside of a step doubled the steps of the car."""
    m = hn.read_adams(files("holonom") / "models" / f"{name}.adm")
    exact = steps_of(m, "maximal", 1.0, 1e-11)[1][-1]
    (joint, found), (whole, usual) = (steps_of(m, c, 1.0) for c in ("joint", "maximal"))
    far = lambda y: np.abs((y[-1] - exact)[: 13 * whole.system.nb]).max()
    assert far(found) < max(4.0 * far(usual), 1e-7)
    assert joint.statistics["steps"] < 1.6 * whole.statistics["steps"]


@pytest.mark.parametrize(
    "name, joint",
    [
        ("cam_and_follower", True),  # all motion is given
        ("screw_jack", True),
        ("universal_drive", False),  # the same with four equations over the tree
        ("slider_crank", False),
        ("bicycle", True),  # loops in space
        ("gear_train", False),  # loops in a plane
        ("geneva_wheel", True),  # contacts on a tree
        ("ball_on_plate", False),  # bodies float
    ],
)
def test_coordinates_are_chosen_by_cost(name, joint):
    """The faster coordinates of shipped models by measurement (docs/joint-coordinates.md)."""
    system = System(hn.read_adams(files("holonom") / "models" / f"{name}.adm"))
    assemble(system)
    assert numbering(system, "auto")[0] == joint


def test_ladders_move_alike_and_are_maximal_from_five_cells():
    """The choice that benchmarks/ladders.py measures; energy, and positions in both numberings."""
    for cells, joint in ((3, True), (4, True), (5, False), (30, False)):
        assemble(system := System(ladder(cells)))
        assert numbering(system, "auto")[0] == joint
    m = ladder(3)
    first = assemble(system := System(m)).y
    (one, found), (other, usual) = (steps_of(m, c, 0.4, 1e-9) for c in ("joint", "maximal"))
    assert np.abs((found[-1] - usual[-1])[: 13 * system.nb]).max() < 1e-7
    assert len(one.reduced.arrays.loops.row) == 9 and other.reduced is None
    for y in (found[-1], usual[-1]):
        assert energy(system, y) == pytest.approx(energy(system, first), abs=1e-8)
        assert np.abs(y - first).max() > 0.05
