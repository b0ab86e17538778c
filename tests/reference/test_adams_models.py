"""Real Adams models: what their ``.msg`` reports, and what this version cannot compute, by name."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from _adams_curves import ADAMS, need
from scipy.interpolate import PchipInterpolator

import holonom as hn
from change_detectors import detect
from holonom.analyses.session.simulation import Simulation

ADAMSPY = ADAMS / "adamspy"
TURBINES = ("02", "03", "05", "06", "08", "09", "11", "12", "14", "15", "17")


def zeros(call):
    """A user routine that gives nothing."""
    return [0.0] * call.outputs


@cache
def read(name: str, routines: bool = False):
    path = need(ADAMS / f"{name}.adm")
    model = hn.read_adams(path)
    if routines:
        model.register("*", zeros)
    return model


def prepared(model, missing: str = "zero") -> Simulation:
    simulation = Simulation(model, missing=missing)
    simulation.prepare()
    return simulation


# ---- two small mechanisms of an engineer -----------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["generic_model", "test_analysis_with_spikes"])
def test_redundancy_is_named_as_adams_does(name):
    message = need(ADAMSPY / f"{name}.msg").read_text(errors="replace")
    (equation, joint) = re.search(r"deactivating constraint equation\s+(\S+) in \w+\.(\w+)", message).groups()
    assert "kinematically determinate" in message
    simulation = prepared(read(f"adamspy/{name}"), missing="error")
    assert simulation.assembly.dof == 0
    (line,) = [m for m in simulation.messages if m.startswith("redundant: ")]
    assert line.startswith(f"redundant: {joint}: ") and line.endswith(
        f"[in Adams {equation} in {simulation.model.name}.{joint}]"
    )


def crank_and_rod(theta):
    """Position x of the rod's far end on its line, from the geometry of the dataset: crank 6, rod sqrt(180), line y = z
    = 0."""
    x, y = 6.0 * np.cos(theta), 6.0 * np.sin(theta)
    return x + np.sqrt(180.0 - y * y)


@pytest.mark.parametrize("name", ["generic_model", "test_analysis_with_spikes"])
def test_script_runs_as_written(name):
    script = need(ADAMSPY / f"{name}.acf")
    message = need(ADAMSPY / f"{name}.msg").read_text(errors="replace")
    end = float(re.search(r"END=([\d.]+)", script.read_text()).group(1))
    dt = float(re.search(r"DTOUT=([\d.E+-]+)", script.read_text()).group(1))
    run = hn.run_script(script)
    assert run.time[-1] == pytest.approx(end)
    assert len(run) == round(end / dt) + 1
    steps = int(re.findall(r"^ +[\d.E+-]+ +[\d.E+-]+ +\d+ +(\d+) +\d", message, re.M)[-1])
    detect("two small mechanisms: steps over Adams'", run.counters["steps"] / steps)
    # I of the motion is on ground: the crank turns back by 30 degrees a second, and the rod follows by geometry alone
    assert np.abs(run.marker(6).angular_velocity.values - [0.0, 0.0, -np.pi / 6]).max() < 1e-6
    far = run.marker(9).position.values
    assert np.abs(far[:, 1:]).max() < 1e-5
    assert np.abs(far[:, 0] - crank_and_rod(0.5 * np.pi - np.pi / 6 * run.time)).max() < 1e-5


def test_motion_takes_the_spike():
    """A torque spike of 10 on a driven crank goes to its motion, and nowhere else."""
    run = hn.simulate(read("adamspy/test_analysis_with_spikes"), end=2.0, dt=0.01)
    calm = hn.read_adams(need(ADAMSPY / "test_analysis_with_spikes.adm"))
    calm.find("SFORCE", 1).function = "0"
    other = hn.simulate(calm, end=2.0, dt=0.01)
    difference = run.variable(1).values - other.variable(1).values
    spike = np.where(np.abs(run.time - 1.01) < 1e-9, 10.0, 0.0)
    assert np.abs(difference - spike).max() < 1e-6
    assert np.abs(run.part("PART_3").position.values - other.part("PART_3").position.values).max() < 1e-12


# ---- two machines with contacts --------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["camelot_1_pull0_offset0", "FRS5_doe_8_LAUL_analysis"])
def test_machines_with_contacts_assemble(name):
    model = read(f"adamspy/{name}")
    graphics = model.table("GRAPHICS")
    used = {g for c in model.table("CONTACT").values() if c.active for g in (*c.igeom, *c.jgeom)}
    absent = [graphics[g].label for g in sorted(used) if "file" in graphics[g].arguments]
    assert absent  # solids in files that are not there
    with pytest.raises(hn.ModelError) as refused:
        prepared(model, missing="error")
    simulation = prepared(model)
    for label in absent:
        assert label in str(refused.value)
        assert any(label in text for text in simulation.system.missing)
    assert simulation.assembly.residual < 1e-9 * simulation.system.extent
    assert simulation.assembly.dof > 0
    shapes = [g.label for g in model.table("GRAPHICS").values() if "file" in g.arguments]
    missing = hn.check(model, assemble=False).geometry
    assert shapes and all(any(label.split()[0] in text and ".xmt_txt" in text for text in missing) for label in shapes)


def test_an_unstable_equilibrium_is_taken_up_again_with_a_warning():
    """Without its contacts nothing holds the lobes of the camelot: an unstable equilibrium is found and left, no stable
    one is near it, and it is found again: there the equations of motion have no acceleration."""
    dataset = need(ADAMS / "adamspy/camelot_1_pull0_offset0.adm")
    with pytest.warns(hn.ModelWarning, match="no stable equilibrium was found near it"):
        run = hn.run_script(dataset.with_suffix(".acf"), hn.read_adams(dataset), missing="zero", progress=False)
    moving = [p.name for p in run.model.parts if p.name != "ground"]
    assert len(moving) == 8
    for name in moving:
        assert np.abs(run.part(name).acceleration.values[0]).max() < 1e-9
        assert np.abs(run.part(name).angular_acceleration.values[0]).max() < 1e-9


# ---- drill string ----------------------------------------------------------------------------------------------------
def test_drill_string_needs_its_routines():
    with pytest.raises(hn.ModelError, match="adrill_solver"):
        prepared(read("adamspy/test_analysis_1"), missing="error")


def hole(model):
    """The user curve of the drill string (a survey that we do not have): through all points that ride on it at the
    start, a foot of straight hole at both ends, alpha = share of the arc length."""
    places = []
    for element in model.table("PTCV").values():
        marker = model.markers[element.i]
        frame = model.body_of(marker).frame
        places.append(frame.origin + frame.axes @ marker.frame.origin)
    places = np.array(places)
    places = places[np.argsort(places[:, 0])]
    arc = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
    ends = np.array(
        [places[0] - (places[1] - places[0]) / arc[1], places[-1] + (places[-1] - places[-2]) / (arc[-1] - arc[-2])]
    )
    curve = PchipInterpolator(np.concatenate([[-1.0], arc, [arc[-1] + 1.0]]), np.vstack([ends[0], places, ends[1]]))
    return lambda call: curve(-1.0 + (arc[-1] + 2.0) * call.alpha)


def test_drill_string_assembles():
    model = read("adamspy/test_analysis_1", True)
    model.register("CURVE/9001", hole(model))
    simulation = prepared(model)
    assert simulation.assembly.residual < 1e-8 * simulation.system.extent
    assert simulation.assembly.moved[0] < 1.0  # foot
    assert not any("STRING" in text for text in simulation.system.missing)


def test_drill_string_runs_structurally():
    """Every user routine replaced by zeros: beams, curve, state equations and an algebraic DIFF move together, alike by
    two methods."""
    model = read("adamspy/test_analysis_1", True)
    model.register("CURVE/9001", hole(model))
    places, velocities = [], []
    for integrator in ("GSTIFF", "HHT"):
        run = hn.simulate(model, end=0.02, steps=2, kind="dynamics", integrator=integrator, error=1e-3, missing="zero")
        assert len(run) == 3
        assert np.isfinite(run.data.constraint_force).all()
        places.append(run.data.body_position[-1] - run.data.body_position[0])
        velocities.append(run.data.body_velocity[-1])
    for a, b in (places, velocities):
        assert np.abs(a - b).max() < 5e-3 * np.abs(a).max()  # seen: 1.1e-3


# ---- wind turbines ---------------------------------------------------------------------------------------------------
SHORT = 0.1


def shortened(script: str) -> str:
    """The script with no analysis that goes past `SHORT` seconds."""
    cut = lambda m: m.group(1) + f"{min(float(m.group(2)), SHORT):.6E}"
    return re.sub(r"(SIMULATE/DYNAMICS, END =\s+)([\d.]+E[+-]\d+)", cut, script)


def registered(dataset):
    model = hn.read_adams(dataset)
    model.register("*", zeros)
    return model


@pytest.mark.parametrize("name", TURBINES)
def test_turbine_runs_without_its_aerodynamics(name, tmp_path):
    """Every user routine replaced by zeros.  As its script says: a few steps with all joints locked (no freedom,
    nothing redundant), then those locks are taken away and the structure moves, with GSTIFF."""
    dataset, script = (need(ADAMS / "nrel_fast" / f"Test{name}_ADAMS.{kind}") for kind in ("adm", "acf"))
    with pytest.raises(hn.ModelError, match="not registered"):
        prepared(hn.read_adams(dataset), missing="error")
    model = registered(dataset)
    simulation = prepared(model, missing="error")
    assert (simulation.assembly.dof, len(simulation.assembly.redundant.dropped)) == (0, 0)
    assert simulation.assembly.residual < 1e-12 * simulation.system.extent
    short = tmp_path / script.name
    short.write_text(shortened(script.read_text()))
    run = hn.run_script(short, model)
    assert run.time[-1] == pytest.approx(SHORT)
    assert [s.kind for s in run.segments] == ["dynamics", "dynamics"]
    assert run.segments[1].settings["integrator"].upper().startswith("GSTIFF")
    assert np.isfinite(run.data.body_acceleration).all()
    other = hn.run_script(short, registered(dataset), integrator="HHT", error=1e-5)  # another method, another error
    moved, too = (r.data.body_position[-1] - r.data.body_position[0] for r in (run, other))
    # blades that swing freely: 0.2 % (seen); towers that hardly move, at the script's error of 1e-3: 18 %
    assert np.abs(moved - too).max() < (0.005 if np.abs(moved).max() > 1.0 else 0.25) * np.abs(moved).max()
