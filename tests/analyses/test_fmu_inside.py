"""FMUs for model exchange whose states are states of the model: the quarter truck against the matrix exponential with
all families of integrators, orders of convergence, state, time and step events, algebraic loops, linearisation,
snapshots, and what ends a run."""

import math
import warnings

import numpy as np
import pytest
from _fmu_files import COMPILER, NEEDS, description, write_fmu
from scipy.linalg import expm
from test_cosimulation import BODY, TIMES, TRUCK, height, slider, truck, truck_error

import holonom as hn

pytestmark = pytest.mark.skipif(COMPILER is None, reason=NEEDS)


@pytest.fixture
def files(tmp_path):
    return lambda model, version="2.0", **words: write_fmu(
        tmp_path, model, version, **{"element": "ModelExchange", **words}
    )


def simulated(model, **options):
    return hn.simulate(model, end=TIMES[-1], steps=len(TIMES) - 1, **options)


# ---- smooth motion --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_error_control_covers_both_sides(files, version):
    """Body and wheel in the same steps: no coupling error."""
    m = truck(files("wheel", version))
    for error in (1e-6, 1e-9):
        run = simulated(m, error=error)
        assert truck_error(run) < 3.0 * error
        assert not any("co-simulation" in text for text in run.info["messages"])


def test_a_fixed_step_has_the_order_of_its_method(files):
    m = truck(files("wheel"))
    a, b = (truck_error(simulated(m, integrator="RK4", step=h)) for h in (2e-3, 1e-3))
    assert 13.0 < a / b < 18.0 and b < 1e-6


@pytest.mark.parametrize(("method", "error", "bound"), [("RADAU5", 1e-8, 1e-8), ("GSTIFF", 1e-6, 5e-6)])
def test_implicit_methods(files, method, error, bound):
    """Derivatives of the FMU by differences."""
    assert truck_error(simulated(truck(files("wheel")), integrator=method, error=error)) < bound


def test_the_machine_is_linearised_with_its_fmu(files):
    """A pole at zero is that of the path of the body, which the FMU integrates."""
    poles = hn.linearize(truck(files("wheel", "3.0"))).eigenvalues
    exact = [*np.linalg.eigvals(TRUCK[:4, :4]), 0.0]
    for p in exact:
        assert np.abs(poles - p).min() < 1e-6 * max(abs(p), 1.0)


def test_a_second_analysis_and_a_model_from_json_go_on(files):
    m = hn.Model.from_json(truck(files("wheel")).to_json())
    sim = hn.Simulation(m)
    sim.dynamics(end=0.1, steps=2, error=1e-9)
    sim.dynamics(end=0.25, steps=3, error=1e-9)
    assert truck_error(sim.run()) < 3e-9


def test_steps_from_outside_and_snapshots(files):
    sim = hn.Simulation(truck(files("wheel")))
    sim.open(error=1e-9)
    sim.advance(0.1)
    kept = sim.snapshot()
    sim.advance(0.25)
    first = sim.y.copy()
    sim.restore(kept)
    sim.advance(0.25)
    assert np.array_equal(first, sim.y)
    sim = hn.Simulation(truck(files("wheel", canGetAndSetFMUstate="false")))
    sim.open()
    with pytest.raises(hn.ModelError, match="does not state canGetAndSetFMUState"):
        sim.snapshot()


def test_next_to_an_fmu_with_its_own_solver(files):
    m = truck(files("wheel"))
    m.fmu(files("controller", element="CoSimulation"), {"x": 0.0, "v": 1.0}, ["force"], step=0.05, name="other")
    run = simulated(m, error=1e-8)
    assert truck_error(run) < 3e-8 and run.variable("other.force").values[-1] == -12.0


# ---- events ---------------------------------------------------------------------------------------------------------
def flight(times, pushes=0.5, doubled=math.inf):
    """Heights of a ball that bounces, is pushed once, and whose speed is doubled once; bounces."""
    g, e = 9.81, 0.7
    t, h, v, n, out = 0.0, 1.0, 0.0, 0, []
    for end in times:
        while True:
            landing = t + (v + math.sqrt(v * v + 2 * g * h)) / g
            event = min(landing, pushes, doubled)
            if event > end + 1e-12:
                break
            dt = event - t
            t, h, v = event, h + v * dt - g * dt**2 / 2, v - g * dt
            if event == landing:
                h, v, n = 0.0, -e * v, n + 1
            elif event == pushes:
                v, pushes = v + 1.0, math.inf
            else:
                v, doubled = 2.0 * v, math.inf
        out.append((h + v * (end - t) - g * (end - t) ** 2 / 2, n))
    return np.array(out)


def flown(run):
    return np.column_stack([run.variable("ball.h").values, run.variable("ball.bounces").values])


@pytest.mark.parametrize(
    ("version", "options", "bound"),
    [
        ("2.0", {"error": 1e-8}, 1e-11),
        ("3.0", {"error": 1e-8}, 1e-11),
        ("3.0", {"integrator": "RK4", "step": 5e-3}, 1e-11),
        ("2.0", {"integrator": "RADAU5", "error": 1e-8}, 1e-11),
        ("2.0", {"integrator": "GSTIFF", "error": 1e-7}, 1e-6),
    ],
)
def test_state_and_time_events(files, version, options, bound):
    """Parabolas: every event is where it belongs, to roundoff."""
    m, _, _ = slider()
    m.fmu(files("ball", version), {"u": "0*TIME"}, ["h", "bounces"], name="ball")
    run = hn.simulate(m, end=1.5, steps=30, **options)
    exact = flight(run.time)
    assert np.abs(flown(run) - exact).max() < bound and exact[-1, 1] == 2
    assert run.counters["events of FMUs"] >= 4


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_step_events(files, version):
    """The FMU requests an event at the end of the step that ends at 0.2 s, and changes its speed."""
    m, _, _ = slider()
    m.fmu(files("ball", version), {"u": 0.0}, ["h", "bounces"], name="ball", parameters={"fault": 9})
    run = hn.simulate(m, end=0.4, steps=4, integrator="RK4", step=0.01)
    assert np.abs(flown(run) - flight(run.time, doubled=0.2)).max() < 1e-12


def test_an_event_changes_what_acts_on_the_machine(files):
    """A mass is pushed by the number of bounces: its acceleration changes at each of them."""
    m, tip, ground = slider(mass=2.0)
    ball = m.fmu(files("ball"), {"u": 0.0}, ["h", "bounces"], name="ball")
    m.vforce(tip, m.ground, fz=f"VARVAL({ball.output_variables[1]})")
    run = hn.simulate(m, end=2.0, steps=20, error=1e-9)
    g, e, t0 = 9.81, 0.7, math.sqrt(2 / 9.81)
    up = e * g * t0
    before = 0.5 - t0
    h, v = up * before - g * before**2 / 2, up - g * before + 1.0
    t1 = 0.5 + (v + math.sqrt(v * v + 2 * g * h)) / g
    t2 = t1 + 2 * e * math.sqrt(v * v + 2 * g * h) / g
    exact = sum(np.maximum(np.asarray(run.time) - t, 0.0) ** 2 / 4 for t in (t0, t1, t2))
    assert np.abs(height(run) - exact).max() < 1e-9 and t2 < 2.0


def test_the_model_drives_an_event_of_the_fmu(files):
    """The ball is carried upwards by a force of the model; the instant at which it lands follows from both."""
    m, _, _ = slider()
    m.fmu(files("ball"), {"u": "6*TIME"}, ["h", "bounces"], name="ball", parameters={"kick": 9.0})
    run = hn.simulate(m, end=0.6, steps=12, error=1e-10)
    t = np.asarray(run.time)
    free = 1 - 9.81 * t**2 / 2 + t**3
    land = np.roots([1, -9.81 / 2, 0, 1])
    land = min(x.real for x in land if abs(x.imag) < 1e-12 and x.real > 0)
    v = -0.7 * (-9.81 * land + 3 * land**2)
    s = t - land
    after = v * s - 9.81 * s**2 / 2 + t**3 - land**3 - 3 * land**2 * s
    assert np.abs(flown(run)[:, 0] - np.where(t < land, free, after)).max() < 1e-9 and land < 0.55


def test_an_fmu_that_switches_for_ever(files):
    m, _, _ = slider()
    m.fmu(files("ball"), {"u": 0.0}, ["h"], parameters={"fault": 8})
    with pytest.raises(hn.ModelError, match="1000 events within 0 .* it switches again and again"):
        hn.simulate(m, end=0.1, steps=1)


# ---- derivatives of runs --------------------------------------------------------------------------------------------
def final_height(mass):
    a = TRUCK.copy()
    a[1, :4] *= BODY / mass
    return (expm(a * 0.25) @ [0, 0, 0, 0, 1.0])[0]


@pytest.mark.parametrize(
    "options",
    [
        {"error": 1e-10},
        pytest.param({"integrator": "RK4", "step": 1e-3}, marks=pytest.mark.slow),
        pytest.param({"integrator": "RADAU5", "error": 1e-8}, marks=pytest.mark.slow),
    ],
)
def test_gradients(files, options):
    """The height of the body by its mass, through the FMU, against the matrix exponential."""
    m = truck(files("wheel"))
    g = hn.gradient(m, hn.final("DZ(1)"), ["PART/2.MASS"], end=0.25, **options)
    d = 1e-3
    assert g["PART/2.MASS"] == pytest.approx((final_height(BODY + d) - final_height(BODY - d)) / (2 * d), rel=1e-6)
    assert g.value == pytest.approx(final_height(BODY), rel=1e-7)


def test_gradients_that_are_refused(files):
    for make, said in (
        (lambda: truck(files("wheel"), error=1e-2), "FMUs that have solvers of their own has no derivative"),
        (
            lambda: truck(
                files("wheel", text=description("wheel", "2.0", "", "ModelExchange").replace("exact", "approx"))
            ),
            "its states at the start may depend on its inputs",
        ),
    ):
        with pytest.raises(hn.ModelError, match=said):
            hn.gradient(make(), hn.final("DZ(1)"), ["PART/2.MASS"], end=0.1)
    m, tip, ground = slider()
    ball = m.fmu(files("ball"), {"u": f"DZ({tip},{ground})"}, ["h"], name="ball")
    m.vforce(tip, m.ground, fz=f"VARVAL({ball.output_variables[0]})")
    with pytest.raises(hn.ModelError, match="an FMU has an event at time 0.45.*, and events of FMUs have no"):
        hn.gradient(m, hn.final("DZ(1)"), ["PART/2.MASS"], end=0.6)


# ---- what FMUs do wrong ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (1, "its process ended by signal SIGSEGV during an evaluation at"),
        (2, "did not end within its time limit of 3 s, and its process was ended"),
        (3, "fmi2GetDerivatives returned 'error' during an evaluation at"),
        (5, "the routine returned a value that is not finite"),
        (6, "its process ended with exit code 3 during an evaluation at"),
    ],
)
def test_faults_of_an_fmu_are_sentences(files, fault, said):
    """The rows until then are kept."""
    m = truck(files("wheel"), parameters={"fault": fault}, time_limit=3.0 if fault == 2 else 20.0)
    with pytest.raises(hn.ModelError) as error:
        hn.simulate(m, end=0.2, steps=20, error=1e-6)
    assert said in str(error.value) and "FMU/1 'wheel'" in str(error.value)
    assert 0.0 < np.asarray(error.value.run.time).max() < 0.06


# ---- what is refused ------------------------------------------------------------------------------------------------
def loop(path, gain):
    """y = g (1 + y)"""
    m, _, _ = slider()
    y = m.input("y")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m.fmu(path, {"u": f"1 + VARVAL({y.id})", "w": 0}, {"y": y}, parameters={"g": gain})
    return m


def test_algebraic_loops_are_solved_or_named(files):
    for gain in (0.5, -2.0):
        with pytest.warns(hn.ModelWarning, match="the blocks gain form an algebraic loop"):
            run = hn.simulate(loop(files("gain"), gain), end=0.1, steps=1)
        assert run.variable("y").values == pytest.approx(gain / (1 - gain), abs=1e-8)
    with pytest.raises(hn.ModelError, match="'gain.u', 'gain.w' depend on each other in an algebraic loop"):
        hn.simulate(loop(files("gain"), 1.0), end=0.1, steps=1)


def test_outputs_of_states_alone_close_no_loop(files):
    """The force of the wheel drives the acceleration that the FMU takes: a loop only where its description says so."""
    held = '<Outputs><Unknown index="2" dependencies=""/><Unknown index="3" dependencies=""/></Outputs>'
    text = description("wheel", "2.0", held, "ModelExchange")
    m, tip, ground = slider()
    wheel = m.fmu(files("wheel", text=text), {"velocity": f"ACCZ({tip},{ground})"}, ["force", "height"], name="wheel")
    m.vforce(tip, m.ground, fz=f"VARVAL({wheel.output_variables[1]})")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = hn.simulate(m, end=0.05, steps=1, error=1e-8)
    assert np.isfinite(run.variable("wheel.height").values).all()


def test_choices_that_do_not_fit(files):
    m, tip, ground = slider()
    speed = {"velocity": f"VZ({tip},{ground})"}
    with pytest.raises(hn.ModelError, match="is taken for co-simulation, which has its own solver; give kind='me'"):
        m.fmu(files("wheel", element="CoSimulation"), speed, ["force"], solver="model")
    with pytest.raises(hn.ModelError, match="without communication steps; leave out step, or give solver='own'"):
        m.fmu(files("wheel"), speed, ["force"], solver="model", step=0.1)
    with pytest.raises(hn.ModelError, match="its solver is 'mine'; it must be own or model"):
        m.fmu(files("wheel"), speed, ["force"], solver="mine")
    assert m.fmu(files("wheel"), speed, ["force"], name="a", error=1e-3).solver == "own"
    assert m.fmu(files("wheel"), speed, ["force"], name="b").solver == "model"
    m.motion(next(iter(m.joints.values())), function="VARVAL(b.force)")
    with pytest.raises(hn.ModelError, match="a motion may depend on TIME only"):
        hn.simulate(m, end=0.1, steps=1)


def test_constraints_do_not_read_an_fmu(files):
    m = truck(files("wheel"))
    follower = m.part("follower", mass=1, inertia=(1, 1, 1), position=(0, 0, 0))
    m.constraint(f"DZ({follower.cm}) - VARVAL(wheel.height)")
    with pytest.raises(hn.ModelError, match="its function reads FMU/1 'wheel', whose time derivatives are not known"):
        hn.simulate(m, end=0.1, steps=1)


def test_its_functions_name_their_fmu(files):
    m = truck(files("wheel"))
    for text, said in (
        ("FMU(1,3)", "has 2 connected outputs, no output 3"),
        ("FMU(7,1)", "no FMU/7"),
        ("FMU(1)", "FMU takes"),
    ):
        twin = m.copy()
        twin.variable(text, "wrong")
        with pytest.raises(hn.ModelError, match=said):
            hn.simulate(twin, end=0.1, steps=1)
    m.fmu(files("controller", element="CoSimulation"), {"x": 0, "v": 0}, ["force"], name="c")
    m.variable("FMU(2,1)", "wrong")
    with pytest.raises(hn.ModelError, match="stepped by its own solver"):
        hn.simulate(m, end=0.1, steps=1)
    with pytest.raises(hn.ModelError, match="routines in Python are not available"):
        hn.export_fmu(truck(files("wheel")), "never.fmu")
