"""RADAU5 in FMUs for co-simulation: its steps are those of the simulation, without Python."""

import random
import shutil
import subprocess
from pathlib import Path

import fmu_library
import numpy as np
import pytest
import test_fmu_export as made

import holonom as hn

pytestmark = [made.needs_compiler, pytest.mark.slow]  # linking its kernels takes 12 s of CPU time
#: matrix of contacts whose pattern does not change, which export_fmu takes by itself
OPENED = {"integrator": "RADAU5", "events": False, "contact_activation": "all-pairs", "coordinates": "maximal"}


def both(tmp_path, make, version="2.0", **options):
    """The FMU and the simulation, both at their start, and the names of the outputs."""
    path = hn.export_fmu(make(), tmp_path / "machine.fmu", integrator="RADAU5", fmi=version, **options)
    fmu = (fmu_library.Fmu2 if version == "2.0" else fmu_library.Fmu3)(path, tmp_path / "unpacked")
    fmu.begin()
    sim = hn.Simulation(make())
    sim.open(record="none", **OPENED | options)
    return fmu, sim, [n for n, c in fmu.causality.items() if c == "output"]


@pytest.mark.parametrize(
    ("make", "steps", "size", "options"),
    [
        (made.pendulum, 200, 0.02, {}),
        (made.pendulum, 50, 0.02, {"step": 1e-3}),
        (made.pendulum, 50, 0.02, {"hmax": 2e-3, "error": 1e-4}),
        (made.stop, 100, 0.02, {"events": True, "error": 1e-8}),
        (made.four_bar, 100, 0.01, {}),
        (made.crane, 100, 0.01, {}),
        (made.ball, 100, 0.01, {}),
        (made.sliding_ball, 100, 5e-3, {}),
        (made.clearance, 10, 1e-4, {}),
        (made.bending_four_bar, 30, 2e-3, {}),
        (made.sedan, 30, 0.01, {}),
    ],
)
def test_equal_to_the_simulation(tmp_path, make, steps, size, options):
    """Every output has the bits of the simulation, also where an input changes at random; after a return to an earlier
    state, by a copy or by its bytes in another instance, it has those of the first way."""
    fmu, sim, outputs = both(tmp_path, make, **options)
    draw, kept, rows, torque = random.Random(1), [], [], 0.0
    for k in range(steps):
        if "torque" in fmu.references and k % 7 == 3:
            torque = draw.uniform(-30.0, 30.0)
            fmu.set(torque=torque)
            sim.set_input("torque", torque)
        kept.append((fmu.keep(), torque))
        fmu.step(k * size, size)
        sim.advance(k * size + size)
        rows.append(fmu.get(*outputs))
        assert rows[-1] == [sim.output(n.strip("'")) for n in outputs], k
    assert np.ptp(rows) > 1e-3
    assert sim._stepping.dynamics.stepper.lu.repivots == 0  # the pivots of an FMU are those that it begins with
    first, other = fmu.instance, fmu.open()
    for n in range(10):
        k = draw.randrange(steps - 2)
        if n % 2:
            data = fmu.bytes_of(kept[k][0])
            fmu.instance = other
            if n == 1:
                fmu.begin()
            fmu.restore(fmu.from_bytes(data))
        else:
            fmu.instance = first
            fmu.restore(kept[k][0])
        fmu.step(k * size, size)
        assert fmu.get(*outputs) == rows[k]
    fmu.close()


def test_stiff_closed_form(tmp_path):
    """A slide with a damper of 5 MN s/m: after the first instants it creeps back as exp(-k t/c), in less than 200 steps
    where stability would ask an explicit method for 2.5 million a second."""

    def make():
        model = made.oscillator()
        spring = next(iter(model.table("SPRINGDAMPER").values()))
        spring.k, spring.c = 5e6, 5e6
        return model

    fmu, sim, _ = both(tmp_path, make, error=1e-8)
    mass, length = 2.0, 0.1  # of the spring: 1 m without force
    roots = np.roots([mass, 5e6, 5e6])
    slow, fast = max(roots), min(roots)
    for k in range(20):
        fmu.step(0.1 * k, 0.1)
        sim.advance(0.1 * (k + 1))
        t = 0.1 * (k + 1)
        wanted = length * (slow * np.exp(fast * t) - fast * np.exp(slow * t)) / (slow - fast)
        assert fmu.get("x")[0] == pytest.approx(wanted, abs=1e-8)
    assert sim._stepping.dynamics.stepper.statistics["steps"] < 200
    fmu.close()


def test_tolerance_of_the_importer(tmp_path):
    """A tolerance in place of the error of the export gives what an export with that error gives."""
    fmu, _, outputs = both(tmp_path, made.four_bar, error=1e-4)
    fmu.ok("Reset")
    fmu.ok("SetupExperiment", 1, fmu_library.c_double(1e-8), fmu_library.c_double(0), 0, fmu_library.c_double(0))
    fmu.ok("EnterInitializationMode")
    fmu.ok("ExitInitializationMode")
    (tmp_path / "other").mkdir()
    fine, _, _ = both(tmp_path / "other", made.four_bar, error=1e-8)
    far = 0.0
    for k in range(50):
        for one in (fmu, fine):
            one.step(0.02 * k, 0.02)
        np.testing.assert_allclose(fmu.get(*outputs), fine.get(*outputs), rtol=0, atol=1e-12)
        far = max(far, abs(fine.get(*outputs)[0]))
    assert far > 0.1
    fmu.close()
    fine.close()


@pytest.mark.parametrize("make", [made.pendulum, made.crane])
def test_in_a_process_without_python(tmp_path, make):
    """A C program loads it: of 1000 returns to an earlier state none differs in a byte."""
    fmu, sim, outputs = both(tmp_path, make)
    driver = tmp_path / "driver"
    compiler = next(filter(None, map(shutil.which, ("gcc", "cc", "clang"))))
    source = Path(__file__).with_name("fmu_driver.c")
    subprocess.run([compiler, "-O1", "-w", "-o", str(driver), str(source), "-ldl"], check=True)
    library = next((fmu.folder / "binaries").rglob("*.so"))
    assert "python" not in subprocess.run(["ldd", str(library)], capture_output=True, text=True, check=True).stdout
    given = [str(driver), str(library), fmu.token, (fmu.folder / "resources").as_uri(), "50", "0.01", "0"]
    given += [str(fmu.references[n]) for n in outputs]
    run = subprocess.run(given, capture_output=True, text=True, env={})
    print(make.__name__, run.stderr)
    assert run.returncode == 0, run.stderr
    for k, line in enumerate(run.stdout.splitlines()):
        sim.advance(k * 0.01 + 0.01)
        assert [float(v) for v in line.split()] == [sim.output(n.strip("'")) for n in outputs]


def test_what_is_refused(tmp_path):
    """Blocks of contacts that come and go, and other ways to choose pivots."""
    for options, sentence in (
        ({"contact_activation": "active"}, "contact_activation = active is not in the runtime; leave it out"),
        ({"linear_solver": "threshold"}, "linear_solver = threshold is not in the runtime; leave it out"),
    ):
        with pytest.raises(hn.ModelError, match=sentence):
            hn.export_fmu(made.ball(), tmp_path / "no.fmu", integrator="RADAU5", **options)
