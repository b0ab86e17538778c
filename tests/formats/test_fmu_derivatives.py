"""Directional and adjoint derivatives of FMUs: closed forms, machines that are moved away, differences of rates."""

import shutil
from ctypes import c_double, c_size_t

import fmu_library
import numpy as np
import pytest
import test_fmu_export

import holonom as hn

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("gcc", "cc", "clang"))), reason="the runtime of FMUs is linked by a C compiler"
)
M, K, C, L = 2.0, 300.0, 4.0, 0.4


def slide():
    """A mass on a slide with a spring to ground, an integral of its position that pulls it back, and two inputs."""
    model = hn.Model("slide", units="SI")
    model.gravity = (0, 0, 0)
    block = model.part("block", mass=M, inertia=(0.1, 0.2, 0.3), position=(0.5, 0, 0), velocity=(0.7, 0, 0))
    model.translational(block, model.ground, "slide", at=(0.5, 0, 0), axis=(1, 0, 0))
    spring = model.spring_damper(block.cm, model.marker(model.ground), stiffness=K, damping=C, length=L, name="spring")
    force, aim = model.input("force", 1.5), model.input("aim", 0.3)
    kept = model.diff(f"DX({block.cm}) - VARVAL({aim.id})", name="kept")
    push = model.vforce(
        block.cm, model.ground, fx=f"VARVAL({force.id})**2 - 5*DIF({kept.id}) + SIN(VARVAL({aim.id})*DX({block.cm}))"
    )
    model.variable(f"DX({block.cm})*VX({block.cm}) + 3*VARVAL({aim.id})", "product")
    model.variable(f"SPDP({spring.id},0,2)*DX({block.cm})", "work")
    model.variable(f"VFORCE({push.id},1,2)", "push")
    return model


def opened(tmp_path, model, version="3.0", **options):
    path = hn.export_fmu(model, tmp_path / "machine.fmu", fmi=version, kind="me", **options)
    return (fmu_library.Fmu2 if version == "2.0" else fmu_library.Fmu3)(path, tmp_path / "unpacked", True)


def jacobian(fmu, unknowns, knowns):
    """(unknowns, knowns), a column a call."""
    n, one, three = len(unknowns), c_size_t(1), fmu.prefix == "fmi3"
    out, columns = (c_double * n)(), []
    for name in knowns:
        given = fmu._references(unknowns), c_size_t(n), fmu._references([name]), one, (c_double * 1)(1.0)
        fmu.ok("GetDirectionalDerivative", *given, *((one, out, c_size_t(n)) if three else (out,)))
        columns.append(out[:])
    return np.array(columns).T


def states_of(fmu):
    return [name for name in fmu.references if f"der({name})" in fmu.references]


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_linear_machine(tmp_path, version):
    """m x'' = F^2 - 5 z + sin(u x) - c x' - k (x - l), z' = x - u: all derivatives in closed form, to rounding; the
    state is then as before, to the last byte."""
    fmu = opened(tmp_path, slide(), version, parameters=["spring.k", "spring.c"])
    fmu.begin()
    fmu.set(force=2.5, aim=0.25)
    fmu.rates(0.0, fmu.states(14))
    x, v, u, F = 0.5, 0.7, 0.25, 2.5
    cosine = np.cos(u * x)
    knowns = ["block.r[1]", "block.v[1]", "state[1]", "force", "aim", "'spring'.k", "'spring'.c"]
    knowns = [k if k in fmu.references else k.replace("'", "") for k in knowns]
    unknowns = ["der(block.r[1])", "der(block.v[1])", "der(state[1])", "product", "block.v[1]", "work", "push"]
    pull = -K * (x - L) - C * v
    wanted = [
        [0, 1, 0, 0, 0, 0, 0],
        [(-K + u * cosine) / M, -C / M, -5 / M, 2 * F / M, x * cosine / M, -(x - L) / M, -v / M],
        [1, 0, 0, 0, -1, 0, 0],
        [v, x, 0, 0, 3, 0, 0],
        [0, 1, 0, 0, 0, 0, 0],
        [pull - K * x, -C * x, 0, 0, 0, -(x - L) * x, -v * x],
        [-u * cosine, 0, 5, -2 * F, -x * cosine, 0, 0],
    ]
    before = fmu.bytes_of(fmu.keep())
    np.testing.assert_allclose(jacobian(fmu, unknowns, knowns), wanted, rtol=1e-12, atol=1e-12)
    assert fmu.bytes_of(fmu.keep()) == before
    fmu.set(force=1.0)  # and at another point
    wanted[1][3], wanted[6][3] = 2 / M, -2
    np.testing.assert_allclose(jacobian(fmu, unknowns, knowns), wanted, rtol=1e-12, atol=1e-12)
    if version == "3.0":
        for unknown, row in zip(unknowns, wanted):
            np.testing.assert_allclose(fmu.adjoint(unknown, knowns), row, rtol=1e-12, atol=1e-12)
    fmu.close()


def swing(away):
    """Two bodies in space, on a ball joint and on a stiff spring, at a distance from the origin."""
    model = hn.Model("swing", units="SI")
    model.gravity = (0, 0, -9.81)
    a = model.part("a", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(away + 0.3, 0.2, 0.1))
    b = model.part(
        "b", mass=2.0, inertia=(0.3, 0.1, 0.2), position=(away + 1.3, 0.4, -0.1), angular_velocity=(0.3, -0.2, 0.5)
    )
    model.spherical(a, model.ground, at=(away, 0, 0))
    model.spring_damper(
        model.marker_at(a, (away + 0.8, 0.3, 0)), model.marker_at(b, (away + 0.8, 0.3, 0.4)), 1e6, 20.0, length=0.39
    )
    return model


def test_far_from_the_origin(tmp_path):
    """The Jacobian of a machine that stands 10 km away is that of the machine at the origin, as states are
    differences of positions, and turns about centres of mass."""
    found = []
    for away in (0.0, 1e4):
        folder = tmp_path / f"{away:g}"
        folder.mkdir()
        fmu = opened(folder, swing(away))
        fmu.begin()
        states = states_of(fmu)
        fmu.rates(0.0, fmu.states(len(states)))
        found.append(jacobian(fmu, [f"der({s})" for s in states], states))
        fmu.close()
    size = np.abs(found[0]).max(axis=1, keepdims=True)
    assert np.abs(found[0]).max() > 1e5
    np.testing.assert_allclose(found[1] / size, found[0] / size, rtol=0, atol=1e-10)


ROD, TURNED, ARM, G = 2.0, 0.05, 0.6, 9.81  # mass, moment of inertia about the centre of mass, its distance to the pin
STIFFNESS = 7.0  # of the spring at the pin


def pendulum(stiffness=0.0):
    """A rod on a pin with a torque and a spring, and the reaction of the pin, accelerations and what depends on them as
    outputs."""
    model = hn.Model("pendulum", units="SI")
    model.gravity = (0, 0, -G)
    rod = model.part("rod", mass=ROD, inertia=(TURNED, TURNED, 0.02), position=(0, 0, -ARM))
    pin = model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    tip = model.marker_at(rod, (0, 0, -2 * ARM))
    torque = model.input("torque", 0.3)
    model.vtorque(rod.cm, model.ground, ty=f"-VARVAL({torque.id})")
    if stiffness:
        model.torsion_spring(
            model.marker(rod, z=(0, 1, 0)), model.marker(model.ground, z=(0, 1, 0)), stiffness, name="spiral"
        )
    model.variable(f"AZ({pin.i},{pin.j})", "angle")
    model.variable(f"WY({rod.cm})", "speed")
    model.variable(f"FX({pin.i},{pin.j})", "fx")
    model.variable(f"FZ({pin.i},{pin.j},{rod.cm})", "along")  # in axes of the rod
    model.variable(f"FM({pin.i},{pin.j})", "size")
    model.variable(f"ACCX({tip.id})", "ax")
    model.variable(f"WDTY({rod.cm})", "alpha")
    model.variable(f"JOINT({pin.id},0,4,0)*VX({tip.id}) + 2*VARVAL({torque.id})", "product")
    return model


REACTIONS = ["fx", "along", "size", "ax", "alpha", "product"]


def pendulum_outputs(angle, speed, torque, given):
    """`REACTIONS` of a pendulum in closed form, of complex numbers too; ``given``: the torque without that of the
    spring."""
    turn = (torque - ROD * G * ARM * np.sin(angle)) / (TURNED + ROD * ARM**2)
    fx = ROD * ARM * (turn * np.cos(angle) - speed**2 * np.sin(angle))
    fz = ROD * ARM * (turn * np.sin(angle) + speed**2 * np.cos(angle)) + ROD * G
    along = fz * np.cos(angle) - fx * np.sin(angle)
    size = np.sqrt(fx**2 + fz**2)
    product = fz * 2 * ARM * speed * np.cos(angle) + 2 * given
    return np.array([fx, along, size, 2 * fx / ROD, -turn, product])


def pendulum_state(angle, speed):
    """Position, quaternion, velocity and angular velocity of the rod."""
    sine, cosine, half = np.sin(angle), np.cos(angle), angle / 2
    place = [ARM * sine, 0, -ARM * cosine, np.cos(half), 0, -np.sin(half), 0]
    return np.array([*place, speed * ARM * cosine, 0, speed * ARM * sine, 0, -speed, 0])


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_reactions_and_accelerations(tmp_path, version):
    """Reaction of the pin of a pendulum, accelerations and functions of both: derivatives by angle, speed and torque
    are those of the closed form (by complex steps), to 1e-10; one adjoint has those of all outputs and of a rate."""
    fmu = opened(tmp_path, pendulum(), version)
    fmu.begin()
    angle, speed, torque, h = 0.7, 1.3, 0.4, 1e-30
    fmu.set(torque=torque)
    fmu.rates(0.0, pendulum_state(angle, speed))
    assert fmu.get(*REACTIONS) == pytest.approx(pendulum_outputs(angle, speed, torque, torque), rel=1e-12)
    states = states_of(fmu)
    along = [pendulum_state(angle + 1j * h, speed).imag / h, pendulum_state(angle, speed + 1j * h).imag / h]
    steps = np.array([[1j * h, 0, 0], [0, 1j * h, 0], [0, 0, 1j * h]]) + [angle, speed, torque]
    wanted = np.array([pendulum_outputs(*step, step[2]).imag / h for step in steps]).T
    before = fmu.bytes_of(fmu.keep())
    J = jacobian(fmu, REACTIONS, [*states, "torque"])
    found = np.column_stack([*(J[:, :-1] @ direction for direction in along), J[:, -1]])
    assert (np.abs(wanted).max(axis=0) > 3.0).all()
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)
    assert fmu.bytes_of(fmu.keep()) == before
    if version == "3.0":
        unknowns = [*REACTIONS, "der(rod.w[2])"]
        whole = np.vstack([J, jacobian(fmu, unknowns[-1:], [*states, "torque"])])
        weights = np.linspace(1.0, 2.0, len(unknowns))
        found = fmu.adjoint(unknowns, [*states, "torque"], weights)
        np.testing.assert_allclose(found, weights @ whole, rtol=1e-11, atol=1e-11)
    fmu.close()


def space_pendulum():
    """A trolley on a rail between springs with a force, a load on a ball joint, a rod on a hinge at the load: they move
    in space.  Outputs are reactions, accelerations and functions of these, in axes of moving parts too."""
    model = hn.Model("space", units="SI")
    model.gravity = (0, 0, -G)
    trolley = model.part("trolley", mass=5.0, inertia=(1, 1, 1), position=(0, 0, 0), velocity=(0.2, 0, 0))
    rail = model.translational(trolley, model.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    model.spring_damper(trolley.cm, model.marker_at(model.ground, (1, 0.5, 0.2)), 400.0, 5.0, length=1.0, name="spring")
    force = model.input("force", 2.0)
    model.vforce(trolley.cm, model.ground, fx=f"VARVAL({force.id})")
    spin, arm, end = np.array([0.3, -0.5, 1.5]), np.array([0.3, 0.2, -0.9]), np.array([0.4, 0.4, -1.6])
    speeds = [tuple(np.cross(spin, x) + [0.2, 0, 0]) for x in (arm, end)]
    load = model.part("load", 2.0, (0.02, 0.03, 0.04), tuple(arm), velocity=speeds[0], angular_velocity=tuple(spin))
    rod = model.part("rod", 1.0, (0.01, 0.02, 0.015), tuple(end), velocity=speeds[1], angular_velocity=tuple(spin))
    ball = model.spherical(load, trolley, "ball", at=(0, 0, 0))
    hinge = model.revolute(rod, load, "hinge", at=tuple(1.2 * arm), axis=(0.2, 1, 0.1))
    for name, text in {
        "pull": f"FM({ball.i},{ball.j})",
        "sides": f"FY({rail.i},{rail.j})*FZ({rail.i},{rail.j})",
        "moment": f"TX({hinge.i},{hinge.j},{rod.cm})",
        "away": f"ACCM({rod.cm},{load.cm})",
        "turning": f"WDTX({load.cm},{trolley.cm},{rod.cm})",
        "held": f"JOINT({hinge.id},1,4,{load.cm}) + ACCZ({load.cm})**2",
    }.items():
        model.variable(text, name)
    return model


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_at_communication_points_of_fmpy(tmp_path, version):
    """Co-simulation by FMPy: derivatives of outputs by the torque, which has changed since the step, and by the
    stiffness of a spring are those of the closed form at the angle and speed of outputs, to 1e-10.  Steps afterwards
    have the bits of steps without derivatives."""
    fmpy = pytest.importorskip("fmpy")
    model = pendulum(STIFFNESS)
    options = {"fmi": version, "parameters": ["spiral.kt"], "derivatives": "exact", "error": 1e-10}
    path = hn.export_fmu(model, tmp_path / "machine.fmu", **options)
    description = fmpy.read_model_description(path)
    of = {v.name: v.valueReference for v in description.modelVariables}
    unknowns, knowns = [of[n] for n in REACTIONS], [of["torque"], of["spiral.kt"]]
    folder, three = fmpy.extract(path, str(tmp_path / "unpacked")), version == "3.0"
    runs = []
    for derived in (False, True):
        fmu = (fmpy.fmi3.FMU3Slave if three else fmpy.fmi2.FMU2Slave)(
            guid=description.guid,
            unzipDirectory=folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="one",
        )
        fmu.instantiate()
        if not three:
            fmu.setupExperiment(startTime=0.0)
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()
        get, put = (fmu.getFloat64, fmu.setFloat64) if three else (fmu.getReal, fmu.setReal)
        runs.append([])
        for k in range(5):
            fmu.doStep(0.1 * k, 0.1)
            torque = 4.0 - 1.5 * k
            put([of["torque"]], [torque])
            values = get([of["angle"], of["speed"], *unknowns])
            runs[-1].append(values)
            if not derived:
                continue
            angle, speed = -values[0], -values[1]
            at = lambda u, k, a=angle, v=speed: pendulum_outputs(a, v, u - k * a, u)
            assert values[2:] == pytest.approx(at(torque, STIFFNESS), rel=1e-12)
            h = 1e-30
            wanted = np.array([at(torque + 1j * h, STIFFNESS), at(torque, STIFFNESS + 1j * h)]).imag.T / h
            columns = [fmu.getDirectionalDerivative(unknowns, [r], [1.0]) for r in knowns]
            np.testing.assert_allclose(np.array(columns).T, wanted, rtol=1e-10, atol=1e-12)
            if three:
                weights = np.linspace(1.0, 2.0, len(unknowns))
                found = fmu.getAdjointDerivative(unknowns, knowns, list(weights), len(knowns))
                np.testing.assert_allclose(found, weights @ wanted, rtol=1e-10, atol=1e-12)
        fmu.terminate()
        fmu.freeInstance()
    assert runs[0] == runs[1] and abs(runs[0][-1][0]) > 0.1


def test_where_there_are_no_exact_derivatives(tmp_path):
    """They are refused by name where they are requested, and an unknown word is."""
    model = pendulum()
    model.control.gain("twice", "TIME", gain=2.0, sample_time=0.1)
    with pytest.raises(hn.ModelError, match="no exact derivatives.*at samples.*give derivatives='differences'"):
        hn.export_fmu(model, tmp_path / "a.fmu", derivatives="exact")
    with pytest.raises(hn.ModelError, match="derivatives = 'both' is not one of exact, differences"):
        hn.export_fmu(model, tmp_path / "a.fmu", derivatives="both")


def bead():
    """A bead on the parabola z = a x^2, and the force on it."""
    model = hn.Model("bead", units="SI")
    model.gravity = (0, 0, -G)
    mass = model.point_mass("bead", ROD, (0.5, 0, 0.5**2 * ARM))
    x = np.linspace(-2.0, 2.0, 9)
    on, base = model.marker(mass), model.marker(model.ground)
    model.point_on_curve(on, base, model.curve(np.c_[x, 0 * x, ARM * x**2]))
    for k in "XZM":
        model.variable(f"F{k}({on.id},{base.id})", f"f{k.lower()}")
    return model


def force_on_bead(x, v):
    """Its components and size, where x changes at the rate v; of complex numbers too."""
    turn = (-2 * ARM * x * G - 4 * ARM**2 * x * v**2) / (1 + 4 * ARM**2 * x**2)
    fx, fz = ROD * turn, ROD * (2 * ARM * (v**2 + x * turn) + G)
    return np.array([fx, fz, np.sqrt(fx**2 + fz**2)])


def test_reaction_of_a_curve(tmp_path):
    """The force on a bead on a parabola: derivatives by position and speed are those of the closed form."""
    fmu = opened(tmp_path, bead())
    fmu.begin()
    state = lambda x, v: np.array([x, 0, ARM * x**2, 1, 0, 0, 0, v, 0, 2 * ARM * x * v, 0, 0, 0])
    x, v, h, names = 0.4, 1.5, 1e-30, ["fx", "fz", "fm"]
    states = states_of(fmu)
    fmu.rates(0.0, [*state(x, v), *fmu.states(len(states))[13:]])
    assert fmu.get(*names) == pytest.approx(force_on_bead(x, v), rel=1e-12)
    J = jacobian(fmu, names, states[:13])
    for step in ((1j * h, 0), (0, 1j * h)):
        wanted = force_on_bead(x + step[0], v + step[1]).imag / h
        found = J @ (state(x + step[0], v + step[1]).imag / h)
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)
    fmu.close()


def loop():
    """A plane four-bar linkage of hinges, three rows of which repeat others."""
    model = hn.Model("loop", units="SI")
    model.gravity = (0, -G, 0)
    corners = [(0, 0, 0), (0.2, 0.5, 0), (1.1, 0.7, 0), (1.0, 0, 0)]
    held, mass = model.ground, 1.0
    hinges = []
    for k in range(3):
        middle = tuple((a + b) / 2 for a, b in zip(corners[k], corners[k + 1]))
        bar = model.part(f"bar{k}", mass * (k + 1), (0.02, 0.03, 0.04), middle)
        hinges.append(model.revolute(bar, held, f"hinge{k}", at=corners[k], axis=(0, 0, 1)))
        held = bar
    hinges.append(model.revolute(held, model.ground, "hinge3", at=corners[3], axis=(0, 0, 1)))
    for k, hinge in enumerate(hinges):
        model.variable(f"FX({hinge.i},{hinge.j})", f"x{k}")
        model.variable(f"FM({hinge.i},{hinge.j})", f"size{k}")
    return model


EIGHTH, SIXTH = (4 / 5, -1 / 5, 4 / 105, -1 / 280), (3 / 4, -3 / 20, 1 / 60, 0)


def difference(weights, values, h):
    """Derivative of ``values`` at -4 h .. 4 h."""
    return sum(w * (values[4 + k] - values[4 - k]) for k, w in enumerate(weights, 1)) / h


def motion_of(model, names, t, h=2e-3, inputs=()):
    """State of a simulation at ``t`` without that of the ground, outputs there, derivatives of these along the motion
    and by each input by differences of eighth order; relative differences to those of sixth order."""
    sim = hn.Simulation(model)
    sim.open(integrator="DOP853", error=1e-13, events=False, record="none", coordinates="maximal")
    outputs = lambda: np.array([sim.output(name) for name in names])
    found, values, now = [], [], []
    for k in range(-4, 5):
        sim.advance(t + k * h)
        values.append(outputs())
        if k == 0:
            nb = sim._stepping.dynamics.system.nb
            x, now = np.delete(sim.y, np.s_[13 * nb : 13 * nb + 13]), values[-1]
            for name, value in inputs:
                there = []
                for n in range(-4, 5):
                    sim.set_input(name, value + n)
                    there.append(outputs())
                sim.set_input(name, value)
                found.append((there, 1.0))
    sim.close()
    found.insert(0, (values, h))
    wanted, rough = (np.array([difference(w, *one) for one in found]).T for w in (EIGHTH, SIXTH))
    return x, now, wanted, np.abs(rough / wanted - 1).max()


@pytest.mark.parametrize(
    ("make", "names", "inputs", "t"),
    [
        (space_pendulum, ["pull", "sides", "moment", "away", "turning", "held"], [("force", 2.0)], 0.05),
        (space_pendulum, ["pull", "sides", "moment", "away", "turning", "held"], [("force", 2.0)], 0.3),
        (loop, [f"{n}{k}" for n in ("x", "size") for k in range(4)], [], 0.2),
    ],
)
def test_reactions_against_differences_of_a_simulation(tmp_path, make, names, inputs, t):
    """A machine in space, and one with redundant joints: the derivative of each output along the motion, and by the
    force, is that of differences of eighth order of a simulation, to 1e-10 (measured 6e-12 and, of the joints, 2e-11);
    those of sixth order, whose error is larger, are within 1e-8."""
    fmu = opened(tmp_path, make(), "2.0")
    fmu.begin()
    x, now, wanted, rough = motion_of(make(), names, t, inputs=inputs)
    states = states_of(fmu)
    rates = fmu.rates(t, x)
    assert fmu.get(*names) == pytest.approx(now, rel=1e-10)
    J = jacobian(fmu, names, [*states, *(name for name, _ in inputs)])
    found = np.column_stack([J[:, : len(states)] @ rates, J[:, len(states) :]])
    assert rough < 1e-8 and np.abs(wanted).min() > 1e-4
    np.testing.assert_allclose(found, wanted, rtol=1e-10)
    fmu.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "t"),
    [("four_bar", 0.1), ("crane", 0.1), ("bending_four_bar", 0.05), ("ball", 0.1), ("sedan", 0.1)],
)
def test_jacobian_against_differences(tmp_path, name, t):
    """Rigid, flexible, with contact and with tyres: each entry of the Jacobian of the rates on the motion is that of a
    difference of the rates of one of four steps, but for 1e-6 of the largest entry of its row."""
    make = getattr(test_fmu_export, name)
    fmu = opened(tmp_path, make(), "2.0")
    fmu.begin()
    states = states_of(fmu)
    sim = hn.Simulation(make())
    sim.open(integrator="DOP853", error=1e-10, events=False, record="none", coordinates="maximal")
    sim.advance(t)
    n = len(states)
    nb = sim._stepping.dynamics.system.nb
    x = np.delete(sim.y, np.s_[13 * nb : 13 * nb + 13])
    assert len(x) == n
    fmu.rates(t, x)
    J = jacobian(fmu, [f"der({s})" for s in states], states)
    fmu.rates(t, x)
    size = np.abs(J).max(axis=1)
    assert size.max() > 1.0
    for j in range(n):
        error = np.full(n, np.inf)
        for step in (1e-3, 1e-4, 1e-5, 1e-6):
            h, e = step * max(1.0, abs(x[j])), np.zeros(n)
            e[j] = h
            near, far = (np.subtract(fmu.rates(t, x + k * e), fmu.rates(t, x - k * e)) for k in (1, 2))
            error = np.fmin(error, np.abs(J[:, j] - (8 * near - far) / (12 * h)))
        wrong = error > 1e-6 * size + 1e-12 * size.max()
        assert not wrong.any(), (states[j], states[int(np.argmax(error * wrong))], error.max())
    fmu.close()


@pytest.mark.slow
def test_a_kernel_that_is_absent_is_never_a_zero(tmp_path, monkeypatch):
    """A binary without one of the pulls: derivatives are differences then, not zeros."""
    from holonom.formats.fmu import runtime

    note, folder = runtime._Linked._note_later, tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setattr(runtime, "cache_root", lambda: folder)

    def forgetful(self, part):
        note(self, part)
        for raw in [raw for raw in self._forms if b"pull_functions" in raw]:
            del self._forms[raw]

    monkeypatch.setattr(runtime._Linked, "_note_later", forgetful)
    fmu = opened(tmp_path, slide())
    fmu.begin()
    fmu.set(force=2.5, aim=0.25)
    fmu.rates(0.0, fmu.states(14))
    found = jacobian(fmu, ["der(block.v[1])"], ["force", "state[1]"])
    np.testing.assert_allclose(found, [[2 * 2.5 / M, -5 / M]], rtol=1e-9)
