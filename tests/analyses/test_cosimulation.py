"""FMUs in models and co-simulation: coupled motion against matrix exponentials, digital controllers, algebraic loops,
units, and FMUs that crash, hang, fail or reject steps."""

import json
import math
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from _fmu_files import COMPILER, NEEDS, description, write_fmu
from scipy.linalg import expm

import holonom as hn
from holonom.analyses.cosimulation.process import FmuProcess
from holonom.model.fmu import read_fmu

pytestmark = pytest.mark.skipif(COMPILER is None, reason=NEEDS)

BODY, WHEEL, K, D, TYRE, ROAD = 400.0, 40.0, 15e3, 1e3, 15e4, 0.1
TIMES = np.linspace(0, 0.25, 6)
#: quarter truck: height and speed of body and wheel, 1
TRUCK = np.array(
    [
        [0, 1, 0, 0, 0],
        [-K / BODY, -D / BODY, K / BODY, D / BODY, 0],
        [0, 0, 0, 1, 0],
        [K / WHEEL, D / WHEEL, -(K + TYRE) / WHEEL, -D / WHEEL, TYRE * ROAD / WHEEL],
        [0, 0, 0, 0, 0],
    ]
)


@pytest.fixture
def files(tmp_path):
    return lambda model, version="2.0", **words: write_fmu(tmp_path, model, version, **words)


def slider(units="SI", mass=BODY, speed=0.0):
    """A body on a vertical line; its marker, and one of ground."""
    m = hn.Model("slider", units=units)
    body = m.part("body", mass=mass, inertia=(1, 1, 1), position=(0, 0, 0), velocity=(0, 0, speed))
    m.translational(body, m.ground, "slide", at=(0, 0, 0), axis=(0, 0, 1))
    return m, body.cm, m.marker(m.ground, (0, 0, 0))


def truck(path, **words):
    m, tip, ground = slider()
    wheel = m.fmu(path, {"velocity": f"VZ({tip},{ground})"}, ["force", "height"], name="wheel", **words)
    m.vforce(tip, m.ground, fz=f"VARVAL({wheel.output_variables[0]})")
    return m


def height(run):
    return np.asarray(run.part("body").position.values)[:, 2]


def truck_error(run, damping=D):
    a = TRUCK.copy()
    a[1] += np.array([0, D - damping, 0, damping - D, 0]) / BODY
    a[3] -= np.array([0, D - damping, 0, damping - D, 0]) / WHEEL
    exact = np.array([(expm(a * t) @ [0, 0, 0, 0, 1.0])[[0, 2]] for t in np.asarray(run.time)])
    there = np.asarray(run.variable("wheel.height").values)
    off = np.array([height(run), there]).T - exact
    return (np.abs(off).max(axis=0) / np.abs(exact).max(axis=0)).max()


def simulated(model, **words):
    return hn.simulate(model, end=TIMES[-1], steps=len(TIMES) - 1, **{"error": 1e-8, **words})


def coupled(run):
    return next(text for text in run.info["messages"] if text.startswith("co-simulation"))


# ---- error of the coupling ------------------------------------------------------------------------------------------
def test_fixed_steps_are_of_second_order_where_inputs_have_slopes(files):
    path = files("wheel")
    errors = [truck_error(simulated(truck(path, step=h))) for h in (0.005, 0.0025)]
    assert 3.5 < errors[0] / errors[1] < 4.6 and errors[1] < 2e-2


def test_held_inputs_are_means_where_no_output_depends_on_them(files):
    """Without slopes of inputs: order 2 for a force that depends on positions only, order 1 for a damper."""
    outputs = '<Outputs><Unknown index="2" dependencies=""/><Unknown index="3" dependencies=""/></Outputs>'
    path = files("wheel", text=description("wheel", "2.0", outputs, canInterpolateInputs="false"))
    errors = [truck_error(simulated(truck(path, step=h, parameters={"d": 0})), 0.0) for h in (0.005, 0.0025)]
    assert 3.5 < errors[0] / errors[1] < 4.6 and errors[1] < 5e-2
    path = files("wheel", "3.0")
    errors = [truck_error(simulated(truck(path, step=h))) for h in (0.005, 0.0025)]
    assert 1.6 < errors[0] / errors[1] < 2.6 and errors[1] < 0.1


@pytest.mark.parametrize("version", ["2.0", pytest.param("3.0", marks=pytest.mark.slow)])
def test_the_requested_error_is_kept(files, version):
    requested = {"2.0": 1e-2, "3.0": 0.1}[version]
    run = hn.simulate(truck(files("wheel", version), error=requested), end=0.2, steps=4, error=1e-8)
    text = coupled(run)
    assert truck_error(run) < requested
    assert 0.0 < float(text.split("estimated coupling error ")[1].split()[0]) <= requested
    assert np.array_equal(run.time, np.linspace(0, 0.2, 5))  # rows at the output times only
    assert run.audit().ok(1e-2)  # works of the force that comes from outside


@pytest.mark.slow
def test_model_exchange_is_coupled_with_the_requested_error(files):
    run = simulated(truck(files("wheel", element="ModelExchange"), error=1e-2))
    assert truck_error(run) < 1e-2 and "0 repeated" not in coupled(run)


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_events_of_model_exchange(files, version):
    """A ball that bounces (an event indicator) and is pushed at 0.5 s (a time event), against its parabolas."""
    ball = files("ball", version, element="ModelExchange")
    run = hn.cosimulate({"ball": ball}, end=1.5, steps=30)
    g, restitution = 9.81, 0.7
    t, h, v, pushed, bounces = 0.0, 1.0, 0.0, False, 0
    exact = []
    for end in np.asarray(run.time):
        while True:
            landing = t + (v + math.sqrt(v * v + 2 * g * h)) / g
            event = landing if pushed else min(landing, 0.5)
            if event > end + 1e-12:
                break
            dt = event - t
            t, h, v = event, h + v * dt - g * dt**2 / 2, v - g * dt
            if event == landing:
                h, v, bounces = 0.0, -restitution * v, bounces + 1
            else:
                v, pushed = v + 1.0, True
        exact.append((h + v * (end - t) - g * (end - t) ** 2 / 2, bounces))
    got = np.column_stack([run.signals["ball.h"], run.signals["ball.bounces"]])
    assert np.abs(got - np.array(exact)).max() < 1e-7 and got[-1, 1] > 1


def test_inputs_of_model_exchange_are_linear_in_a_step(files):
    ball = files("ball", element="ModelExchange")
    both = {"clock": slider()[0], "ball": ball}
    run = hn.cosimulate(both, {"ball.u": "clock.6*TIME"}, end=0.4, steps=2, step=0.1)
    t = np.asarray(run.time)
    assert np.abs(run.signals["ball.h"] - (1 - 9.81 * t**2 / 2 + t**3)).max() < 1e-7


@pytest.mark.slow
def test_smaller_errors_are_kept_too(files):
    path = files("wheel")
    for requested in (1e-3, 1e-4):
        assert truck_error(simulated(truck(path, error=requested), error=1e-10)) < requested


def test_without_rollback_an_indicator_chooses_the_steps(files):
    run = simulated(truck(files("wheel", canGetAndSetFMUstate="false"), error=1e-2))
    assert "not controlled, as not every component can return to an earlier state" in coupled(run)
    assert truck_error(run) < 2e-2


def test_steps_of_a_fixed_size(files):
    path = files("wheel", canHandleVariableCommunicationStepSize="false")
    with pytest.raises(hn.ModelError, match="only takes steps of a fixed size, and its file states none; give step"):
        simulated(truck(path))
    assert truck_error(simulated(truck(path, step=0.0025))) < 2e-2
    with pytest.raises(hn.ModelError, match="output times lie between them; choose dt as a multiple of 0.003"):
        simulated(truck(path, step=0.003))


def test_an_fmu_may_reject_large_steps(files):
    run = hn.simulate(truck(files("wheel"), error=0.2, parameters={"fault": 4}), end=0.1, steps=1, error=1e-8)
    assert truck_error(run) < 0.2
    with pytest.raises(hn.ModelError, match="'wheel': fmi2DoStep returned 'discard' during a step from 0 to 0.005 s"):
        simulated(truck(files("wheel"), step=0.005, parameters={"fault": 4}))


# ---- digital controllers --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_digital_controller_is_the_sampled_closed_loop(files, version):
    m, tip, ground = slider(mass=2.0, speed=1.0)
    inputs = {"x": f"DZ({tip},{ground})", "v": f"VZ({tip},{ground})"}
    c = m.fmu(files("controller", version), inputs, {"force": "thrust"}, step=0.05, sampled=True)
    m.vforce(tip, m.ground, fz=f"VARVAL({c.output_variables[0]})")
    run = hn.simulate(m, end=1.0, dt=0.025, error=1e-12)
    step = expm(np.array([[0, 1, 0], [0, 0, 0.5], [0, 0, 0]]) * 0.025)
    state, exact = np.array([0.0, 1.0, 0.0]), []
    for k in range(41):
        if k % 2 == 0:
            state[2] = -60.0 * state[0] - 12.0 * state[1]
        exact.append(state[0])
        state = step @ state
    assert np.abs(height(run) - exact).max() < 1e-9


# ---- several analyses -----------------------------------------------------------------------------------------------
def test_a_second_analysis_goes_on_with_the_fmu(files):
    path = files("wheel")
    whole = hn.Simulation(truck(path, step=0.005))
    whole.dynamics(end=0.2, steps=4, integrator="RK4", step=0.001)
    two = hn.Simulation(truck(path, step=0.005))
    two.dynamics(end=0.1, steps=2, integrator="RK4", step=0.001)
    two.dynamics(end=0.2, steps=2, integrator="RK4", step=0.001)
    assert height(two.run())[-1] == pytest.approx(height(whole.run())[-1], abs=1e-9)
    assert two.coupling.fmus[0].process._process.poll() is None
    whole.coupling.close()
    two.coupling.close()
    with pytest.raises(hn.ModelError, match="its process has ended; begin the simulation again"):
        two.dynamics(end=0.3, steps=1)


def test_other_analyses_hold_outputs_or_refuse(files):
    m = truck(files("wheel"))
    with pytest.raises(hn.ModelError, match="stepped from outside does not step its FMUs"):
        hn.Simulation(m).open()
    with pytest.warns(hn.ModelWarning, match="its outputs are held at their present values in initial"):
        hn.simulate(m, end=0.1, kind="initial")
    with pytest.raises(hn.ModelError, match="FMU"):
        hn.write_adams(m, Path(tempfile.gettempdir(), "never.adm"))


def test_models_with_fmus_are_json(files):
    m = truck(files("wheel"), step=0.005, parameters={"m": 41.0})
    twin = hn.Model.from_json(m.to_json())
    assert twin.table("FMU") == m.table("FMU")
    assert np.array_equal(height(simulated(twin)), height(simulated(m)))


# ---- loops, units, connections --------------------------------------------------------------------------------------
def gain_loop(path, gain):
    """y = g (1 + y)"""
    m, tip, _ = slider()
    y = m.input("y")
    m.fmu(path, {"u": f"1 + VARVAL({y.id})", "w": 0}, {"y": y}, parameters={"g": gain}, step=0.05)
    return m


def test_algebraic_loops_are_solved_or_named(files):
    path = files("gain")
    run = hn.simulate(gain_loop(path, 0.5), end=0.1, steps=1)
    assert run.variable("y").values == pytest.approx(1.0, abs=1e-8)
    with pytest.raises(hn.ModelError, match="signals 'gain.u', 'gain.y' depend on each other in an algebraic loop"):
        hn.simulate(gain_loop(path, -2.0), end=0.1, steps=1)


def test_values_are_converted_between_units(files):
    """An angle in radians to an FMU in degrees and back; a speed of a model in millimetres."""
    m, tip, ground = slider("mm", speed=2000.0)
    path = files("gain")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        g = m.fmu(path, {"u": 1, "w": ("0.5 + 0 * TIME", "rad")}, {"z": ("angle", "rad")}, step=0.05)
        wheel = m.fmu(files("wheel"), {"velocity": (f"VZ({tip},{ground})", "mm/s")}, {"force": ("f", "N")}, step=0.05)
    run = hn.simulate(m, end=0.1, steps=2)
    assert run.variable("angle").values == pytest.approx(0.5, rel=1e-14)
    assert run.variable("f").values[0] == pytest.approx(-1000.0 * 2.0, rel=1e-12)
    assert (g.input_units, wheel.output_units) == (("", "rad"), ("N",))
    with pytest.warns(hn.ModelWarning, match="'velocity' is in m/s, which is not a unit of the model"):
        m.fmu(files("wheel"), {"velocity": f"VZ({tip},{ground})"}, name="again")
    with pytest.raises(hn.ModelError, match="velocity is in m/s, and 'mm' is a unit of another quantity"):
        m.fmu(files("wheel"), {"velocity": (f"VZ({tip},{ground})", "mm")}, name="wrong")


def test_connections_that_do_not_fit(files):
    m, tip, ground = slider()
    path = files("controller")
    with pytest.warns(hn.ModelWarning, match="an input is not connected and keeps its start value: 'v' = 0"):
        m.fmu(path, {"x": 0.0}, ["force"])
    for words, said in (
        ({"inputs": {"y": 0}}, "there is no input 'y'; it has x, v"),
        ({"inputs": {"x": [1, 2]}}, "the input 'x' has one value, and 2 are given"),
        ({"outputs": "force"}, "outputs are 'force'; give a list of names"),
        ({"outputs": ["forces"]}, "there is no output 'forces'; did you mean 'force'?"),
        ({"outputs": {"force": "controller.force"}}, "goes to 'controller.force', a name that is taken"),
        ({"parameters": {"kpp": 1}}, "there is no parameter 'kpp'; did you mean 'kp'?"),
        ({"parameters": {"kp": {}}}, "the parameter 'kp' is {}; give a number, a list of numbers or a text"),
        ({"error": -1.0}, "its error must be positive, it is -1"),
        ({"sampled": True}, "it is sampled without a period; give step"),
        ({"time_limit": 0}, "its time limit must be positive"),
    ):
        count = len(m.table("VARIABLE"))
        with pytest.raises(hn.ModelError) as error, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            m.fmu(path, **{"name": "other", **words})
        assert said in str(error.value)
        assert len(m.table("VARIABLE")) == count and len(m.table("FMU")) == 1
    for value, said in (("much", "the parameter 'kp' is 'much'; give a number"), ([1, 2], "has 1 value, and 2 are")):
        with pytest.raises(hn.ModelError) as error:
            hn.cosimulate({"c": path}, end=0.1, steps=1, parameters={"c.kp": value})
        assert said in str(error.value)


def test_inputs_that_are_not_connected_are_named(files):
    with pytest.warns(
        hn.ModelWarning, match="'c': inputs that are not connected keep their start values: 'x' = 0, 'v'"
    ):
        run = hn.cosimulate({"c": files("controller")}, end=0.1, steps=1)
    assert run.messages[-1].startswith("'c': inputs that are not connected")
    m = slider()[0]
    m.input("pull", 3.0)
    run = hn.cosimulate({"c": files("controller"), "m": m}, {"c.x": "m.TIME", "c.v": "m.TIME"}, end=0.1, steps=1)
    assert run.messages[-1] == "'m': inputs that are not connected keep their start values: 'pull' = 3.0"


def test_sample_times_longer_than_the_run(files):
    m, tip, ground = slider()
    inputs = {"x": f"DZ({tip},{ground})", "v": f"VZ({tip},{ground})"}
    m.fmu(files("controller"), inputs, ["force"], step=5.0, sampled=True)
    with pytest.warns(hn.ModelWarning, match="its sample time 5 is longer than the run of 0.1, so it acts once only"):
        hn.simulate(m, end=0.1, steps=1)
    with pytest.warns(hn.ModelWarning, match="FMU 'c': its sample time 3 is longer than the run of 0.1"):
        parts = {"c": files("controller"), "m": slider()[0]}
        hn.cosimulate(parts, {"c.x": "m.TIME", "c.v": "m.TIME"}, end=0.1, steps=1, sampled={"c": 3.0})
    with pytest.warns(hn.ModelWarning, match="the communication step 5 is longer than the run of 0.1"):
        hn.simulate(truck(files("wheel"), step=5.0), end=0.1, steps=1)


def test_units_that_are_none(files):
    for words, said in (
        ({"inputs": {"velocity": ("1", "furlong")}}, "'furlong'"),
        ({"outputs": {"force": ("f", "newtons per year")}}, "there is no unit 'newtons'"),
    ):
        with pytest.raises(hn.ModelError, match=said):
            slider()[0].fmu(files("wheel"), **words)


# ---- what FMUs do wrong ---------------------------------------------------------------------------------------------
FAULTS = [
    (1, "2.0", "its process ended by signal SIGSEGV during a step from 0.05 to 0.06 s; this is a fault of the FMU"),
    (2, "3.0", "a step from 0.05 to 0.06 s did not end within its time limit of 4 s, and its process was ended"),
    (3, "2.0", "fmi2DoStep returned 'error' during a step from 0.05 to 0.06 s: the hydraulic pressure is negative"),
    (3, "3.0", "fmi3DoStep returned 'error' during a step from 0.05 to 0.06 s: the hydraulic pressure is negative"),
    (5, "2.0", "its output 'y' is no finite number after the step from 0.05 to 0.06 s"),
    (6, "3.0", "its process ended with exit code 3 during a step from 0.05 to 0.06 s"),
]


def test_an_fmu_that_switches_for_ever(files):
    ball = files("ball", element="ModelExchange")
    with pytest.raises(hn.ModelError, match="states cannot be integrated .* it switches again and again; use its co"):
        hn.cosimulate({"b": ball}, end=0.1, steps=1, parameters={"b.fault": 8})


@pytest.mark.parametrize(("fault", "version", "said"), FAULTS)
def test_faults_of_an_fmu_are_sentences(files, fault, version, said, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # other processes have folders of FMUs, too
    with pytest.raises(hn.ModelError) as error:
        hn.cosimulate({"g": files("gain", version)}, end=0.1, steps=10, step=0.01, parameters={"g.fault": fault},
                      time_limit=4.0 if fault == 2 else 20.0)  # fmt: skip
    assert said in str(error.value) and str(error.value).startswith("FMU 'g': ")
    assert not list(tmp_path.glob("holonom-fmu-*"))  # folder and process are gone


def test_results_up_to_a_fault_are_kept(files):
    with pytest.raises(hn.ModelError, match="the hydraulic pressure is negative") as error:
        simulated(truck(files("wheel"), step=0.01, parameters={"fault": 3}))
    assert np.asarray(error.value.run.time).max() == pytest.approx(0.05)


def test_an_fmu_that_ends_the_run(files):
    run = hn.cosimulate({"g": files("gain", "3.0")}, end=0.1, steps=10, step=0.01, parameters={"g.fault": 7})
    assert run.time[-1] == pytest.approx(0.05)
    assert run.messages[-1].startswith("FMU 'g': it requested the end of the run during a step from 0.05 to 0.06 s")


def test_libraries_that_cannot_be_loaded(files, tmp_path):
    path = files("gain", text=description("gain", "2.0").replace('guid="token"', 'guid="other"'))
    with pytest.raises(hn.ModelError, match="FMU 'g': the FMU cannot be instantiated"):
        hn.cosimulate({"g": path}, end=0.1, steps=1)
    path.write_bytes(path.read_bytes().replace(b"\x7fELF", b"\x7fELG"))
    with pytest.raises(hn.ModelError):
        hn.cosimulate({"g": path}, end=0.1, steps=1)


def test_processes_and_folders_end_with_their_owner(files):
    process = FmuProcess(read_fmu(files("gain")), "FMU 'g'", 5.0)
    worker, folder = process._process, Path(process._process.args[-3]).parent
    assert worker.poll() is None and folder.exists()
    unpacked = set(Path(tempfile.gettempdir()).glob("holonom-fmu-*"))
    del process
    assert worker.poll() is not None and set(Path(tempfile.gettempdir()).glob("holonom-fmu-*")) < unpacked


# ---- models and models ----------------------------------------------------------------------------------------------
def oscillators():
    """Two masses between springs, cut at the middle one: force one way, motion the other."""
    left, tip, ground = slider(mass=1.0, speed=1.0)
    force = left.input("force")
    left.vforce(tip, left.ground, fz=f"VARVAL({force.id}) - 10 * DZ({tip},{ground})")
    left.variable(f"DZ({tip},{ground})", "height")
    right, tip, ground = slider(mass=2.0)
    place = right.input("place")
    right.vforce(tip, right.ground, fz=f"-20 * DZ({tip},{ground}) - 5 * (DZ({tip},{ground}) - VARVAL({place.id}))")
    return left, right, f"5 * (DZ({tip},{ground}) - VARVAL({place.id}))"


@pytest.mark.parametrize("scheme", ["gauss-seidel", pytest.param("jacobi", marks=pytest.mark.slow)])
def test_two_models_move_as_one(scheme):
    left, right, spring = oscillators()
    both = hn.cosimulate(
        {"left": left, "right": right},
        {"left.force": f"right.{spring}", "right.place": "left.height"},
        end=0.2, steps=2, error=1e-2, scheme=scheme, options={"left": {"error": 1e-9}, "right": {"error": 1e-9}},
    )  # fmt: skip
    a = np.array([[0, 1, 0, 0], [-15, 0, 5, 0], [0, 0, 0, 1], [2.5, 0, -12.5, 0]])
    exact = np.array([(expm(a * t) @ [0, 1, 0, 0])[[0, 2]] for t in both.time])
    found = np.array([height(both.runs["left"]), height(both.runs["right"])]).T
    assert np.abs(found - exact).max() < 1e-2 * np.abs(exact).max()
    assert np.array_equal(both["left.height"], height(both.runs["left"]))
    assert 0.0 < both.statistics.estimate <= 1e-2 and both.statistics.calls["left"] == both.statistics.calls["right"]


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_solvers_of_fmus_take_a_share_of_the_requested_error(files, version):
    ball = files("ball", version, element="ModelExchange")
    for error, tolerance in ((1e-2, 1e-4), (1e-6, 1e-8), (1e-14, 1e-12)):
        run = hn.cosimulate({"ball": ball}, {}, 0.01, steps=1, error=error, record=["ball.tolerance"])
        assert run["ball.tolerance"] == pytest.approx(tolerance, rel=1e-12)


def test_every_number_can_be_recorded(files):
    left, *_ = oscillators()
    both = hn.cosimulate(
        {"left": left, "ball": files("ball", element="ModelExchange")}, {}, 0.3, steps=3,
        record=["ball.x1", "ball.g", "ball.h", "left.TIME"],
    )  # fmt: skip
    fall = both.time
    assert both["ball.x1"] == pytest.approx(-9.81 * fall, abs=1e-8)  # a state, local in the description
    assert both["ball.h"] == pytest.approx(1 - 9.81 * fall**2 / 2, abs=1e-8) and (both["ball.g"] == 9.81).all()
    assert both["left.TIME"] == pytest.approx(fall, abs=1e-12) and list(both.signals).count("ball.h") == 1
    assert "no continuous signal is connected" in both.messages[0]


def test_components_and_connections_are_checked(files):
    left, right, _ = oscillators()
    gain = files("gain")
    two = {"left": left, "right": right}
    for components, connections, words, said in (
        ({}, {}, {}, "there are no components"),
        ({"a.b": left}, {}, {}, "a component is named 'a.b'; give a name without points"),
        ({"a": 3}, {}, {}, "the component 'a' is 3; give a Model, a Simulation or the path of an FMU"),
        (two, {"left.forces": "right.1"}, {}, "there is no input 'forces'; did you mean 'force'?"),
        (two, {"lift.force": "right.1"}, {}, "'lift.force' does not begin with the name of a component and a point"),
        (two, {"left.force": "right.1", "left.FORCE": "right.2"}, {}, "'left.FORCE' is connected twice"),
        (two, {}, {"scheme": "newton"}, "unknown scheme 'newton'; choose one of gauss-seidel, jacobi"),
        (two, {}, {"step": 2.0}, "step = 2 is longer than the run of 1 s"),
        (two, {}, {"error": 0}, "error is 0; give a positive number"),
        (two, {}, {"sampled": {"left": 0.1}}, "there is no FMU 'left'"),
        (two, {}, {"options": {"middle": {}}}, "there is no model 'middle'"),
        (two, {}, {"record": "left.1"}, "record is the text 'left.1'; give a list of names, record=['left.1']"),
        (two, {}, {"record": [1]}, "record contains 1; give texts like 'component.variable'"),
        (two, {}, {"record": ["middle.1"]}, "'middle.1' does not begin with the name of a component and a point"),
        ({"gain": gain}, {}, {"record": ["gain.k"]}, "there is no variable 'k'; it has u, w, y, z, g"),
        ({"left": truck(files("wheel"))}, {}, {}, "'left' has FMUs in its model; give them as components here"),
    ):
        with pytest.raises(hn.ModelError) as error:
            hn.cosimulate(components, connections, 1.0, **words)
        assert said in str(error.value)
    both = hn.cosimulate({"left": left}, {}, 0.01, steps=1, step=0.01)
    with pytest.raises(hn.ModelError, match="there is no signal 'left.speed'"):
        both["left.speed"]
    assert json.dumps(both.messages) and math.isnan(both.statistics.estimate)


def test_the_method_of_exchange_fmus_is_dopri5():
    """The process of an FMU has the standard library alone, and so a table of its own."""
    from holonom.analyses.cosimulation import worker
    from holonom.integrators import dopri5

    assert [list(row) for row in worker.STAGES] == [*dopri5.A[1:], dopri5.B]
    assert list(worker.TIMES) == pytest.approx([*dopri5.C[1:], 1.0], rel=1e-16)
    assert list(worker.ESTIMATE) == dopri5.E
