"""A control engineer's way: a crane is exported, run by FMPy in a process without Holonom, its controller comes back as
an FMU; the closed loop has the numbers, the margins and the gradient of the controller's blocks in the model."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

import holonom as hn

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("gcc", "cc", "clang"))), reason="the runtime of FMUs is linked by a C compiler"
)
G, TROLLEY, LOAD, ROPE = 9.81, 200.0, 100.0, 5.0
KP, KI, KD, KS, FILTER = 150.0, 10.0, 500.0, -900.0, 0.05


def crane():
    """Trolley and load on a rope, with the force on the trolley as its input."""
    m = hn.Model("crane", units="SI")
    m.gravity = (0, 0, -G)
    trolley = m.part("trolley", TROLLEY, (1, 1, 1), (0, 0, 0))
    load = m.part("load", LOAD, (1, 1, 1), (0, 0, -ROPE))
    m.translational(trolley, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    rope = m.revolute(load, trolley, "rope", at=(0, 0, 0), axis=(0, 1, 0))
    m.variable(f"DX({trolley.cm})", "x")
    m.variable(f"AZ({rope.i},{rope.j})", "swing")
    m.variable(f"DX({load.cm})", "place")
    return m, trolley


def controller(m, offset, swing):
    """PID of the offset and a lead of the swing: the text of the force."""
    m.control.pid("pid", offset, kp=KP, ki=KI, kd=KD, filter=FILTER)
    m.control.transfer_function("damper", swing, numerator=[KS, 0.0], denominator=[FILTER, 1.0])
    return "VARVAL(pid) + VARVAL(damper)"


def with_blocks(open_at=False):
    m, trolley = crane()
    text = controller(m, "1 - VARVAL(x)", "VARVAL(swing)")
    m.variable(text, "command")
    force = m.input("force")
    m.vforce(trolley.cm, None, fx=f"VARVAL({force.id})" if open_at else "VARVAL(command)")
    return m


def with_fmu(path, open_at=False):
    m, trolley = crane()
    fmu = m.fmu(
        path, {"offset": "1 - VARVAL(x)", "swing": "VARVAL(swing)"}, {"u": "command"}, kind="me", name="controller"
    )
    force = m.input("force")
    m.vforce(trolley.cm, None, fx=f"VARVAL({force.id})" if open_at else "VARVAL(command)")
    assert fmu.solver == "model"
    return m


@pytest.fixture(scope="module")
def controller_fmu(tmp_path_factory):
    m = hn.Model("controller", units="SI")
    offset, swing = m.input("offset"), m.input("swing")
    m.variable(controller(m, f"VARVAL({offset.id})", f"VARVAL({swing.id})"), "u")
    return hn.export_fmu(m, tmp_path_factory.mktemp("fmu") / "controller.fmu", outputs=["u"], kind="cs,me", fmi="2.0")


@pytest.mark.slow
def test_the_crane_in_a_foreign_tool(tmp_path):
    """FMPy in a process that cannot import Holonom, with a force over time: co-simulation has the simulation's
    numbers."""
    pytest.importorskip("fmpy")
    m, trolley = crane()
    force = m.input("force")
    m.vforce(trolley.cm, None, fx=f"VARVAL({force.id})")
    path = hn.export_fmu(m, tmp_path / "crane.fmu", outputs=["x", "swing"], kind="cs,me", fmi="2.0", error=1e-10)
    code = f"""
import json, sys
sys.modules["holonom"] = None
import fmpy, numpy as np
assert not fmpy.validation.validate_fmu({str(path)!r}) if hasattr(fmpy, "validation") else True
u = np.array([(0.0, 50.0), (4.0, 50.0)], dtype=[("time", float), ("force", float)])
out = {{}}
for kind in ("CoSimulation", "ModelExchange"):
    how = dict(stop_time=4.0, output_interval=0.5, relative_tolerance=1e-10, fmi_type=kind, input=u)
    r = fmpy.simulate_fmu({str(path)!r}, **how)
    out[kind] = [r["x"].tolist(), r["swing"].tolist()]
print(json.dumps(out))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    found = json.loads(done.stdout.strip().splitlines()[-1])
    sim = hn.Simulation(m)
    sim.open(error=1e-10)
    sim.set_input("force", 50.0)
    wanted = []
    for k in range(9):
        if k:
            sim.advance(0.5 * k)
        wanted.append([sim.output("x"), sim.output("swing")])
    wanted = np.array(wanted).T
    assert np.abs(np.array(found["CoSimulation"]) - wanted).max() < 1e-12
    assert np.abs(np.array(found["ModelExchange"])[:, -1] - wanted[:, -1]).max() < 1e-5


def test_the_controller_comes_back(controller_fmu):
    """The same motion, margins and poles."""
    runs = [hn.simulate(m, end=6.0, steps=12, error=1e-9) for m in (with_blocks(), with_fmu(controller_fmu))]
    for name in ("x", "swing", "command"):
        a, b = (np.asarray(run.variable(name).values) for run in runs)
        assert np.abs(a - b).max() < 1e-7 * np.abs(a).max()
    loops = [
        hn.linearize(m, inputs=["force"], outputs=["-VARVAL(command)"]).state_space().margins()
        for m in (with_blocks(True), with_fmu(controller_fmu, True))
    ]
    for name in ("phase", "gain", "delay"):
        assert getattr(loops[1], name) == pytest.approx(getattr(loops[0], name), rel=1e-6)
    assert 20.0 < loops[0].phase < 120.0


@pytest.mark.slow
def test_the_gradient_of_the_closed_loop(controller_fmu):
    """Overshoot of the load by its mass and by gravity, with the controller as blocks (exact) and as an FMU."""
    target = hn.integral("(VARVAL(place) - 1)**2")
    found = [
        hn.gradient(m, target, ["PART/3.MASS", "GRAVITY(3)"], end=3.0, error=1e-9)
        for m in (with_blocks(), with_fmu(controller_fmu))
    ]
    assert found[1].value == pytest.approx(found[0].value, rel=1e-8)
    for name in found[0].names:
        assert found[1][name] == pytest.approx(found[0][name], rel=1e-5)
