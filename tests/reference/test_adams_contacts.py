"""The real Adams models with CONTACT, their missing Parasolid bodies replaced: held against what statics gives they
must do."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from _public_data import NEEDS
from holonom.analyses.session.script import ScriptRunner
from holonom.contact.friction.coulomb import coefficients
from holonom.formats.adams.script import parse_acf, read_acf
from holonom.formats.geometry_file import apply_geometry_file

ADAMSPY = Path(__file__).resolve().parents[3] / "shared" / "data" / "adams" / "adamspy"
STAND_INS = Path(__file__).resolve().parents[1] / "data" / "adams_contact"
pytestmark = pytest.mark.skipif(not ADAMSPY.is_dir(), reason=f"{NEEDS}: the real Adams models are not here")

BETA = math.radians(14.0)  # angle of the logarithmic spirals
REACH = 0.787 + 0.262  # from an axle to the rock, inch
RADIUS = REACH / math.cos(BETA) ** 2  # of curvature where a spiral of 14 degrees touches the rock


def lobes() -> str:
    """Balls that osculate the spirals where they touch the rock, about the markers of the solids at (0, -0.195, 0)."""
    drop = REACH * math.tan(BETA)
    out = []
    for name, side, y in (("SOLID9", 1, 0.766), ("SOLID8", 1, -0.767), ("SOLID6", -1, 0.317), ("SOLID7", -1, -0.318)):
        out.append(
            f'{name} = {{ type = "SPHERE", radius = {RADIUS}, at = [{side * (0.787 - RADIUS)}, {y + 0.195}, {-drop}] }}'
        )
    for name, x in (("SOLID2", -0.262), ("SOLID3", 0.262)):
        out.append(
            f'{name} = {{ type = "CYLINDER", radius = 0.1, length = 2.0, at = [{x}, 1.195, 0], euler = [0, 90, 0] }}'
        )
    return "\n".join(out)


def test_a_climbing_cam_holds_by_its_angle(tmp_path):
    """camelot: a pull F on the stem presses each of four lobes on the rock with F / 4 tan(beta), whatever the
    friction."""
    model = hn.read_adams(ADAMSPY / "camelot_1_pull0_offset0.adm")
    (tmp_path / "lobes.toml").write_text(lobes())
    assert len(apply_geometry_file(model, tmp_path / "lobes.toml")) == 6
    # the stops of the lobes on the axles (contacts 1 to 4) would need their slots; the rest is as the model's own
    # script has it
    script = parse_acf(
        "DEACTIVATE/CONTACT, RANGE=1, 4\nDEACTIVATE/JOINT, ID=12\nSIMULATE/DYNAMIC, END=1.5, DTOUT=1.0E-02\nstop\n"
    )
    run = hn.run_script(script, model, progress=False)
    t, z = np.asarray(run.time), run.part("stem").position.values[:, 2]
    normal = np.asarray(run.data.contact_normal)
    at = lambda time: int(np.argmin(np.abs(t - time)))
    for time, pull in ((1.2, 450.0), (1.5, 150.0)):
        four = normal[at(time), 4:8]
        assert four.sum() == pytest.approx(pull / math.tan(BETA), rel=0.03)
        assert four.max() - four.min() < 0.01 * four.mean()
    assert (normal[:, :4] == 0).all()
    assert abs(z[-1] - z[at(0.9)]) < 0.3  # it gives by the depth of its contacts, it does not slip


def test_a_climbing_cam_runs_as_its_script_says():
    """camelot with lobes that have slots: statics of the springs, the pull, and without rocks the stops of the
    lobes."""
    model = hn.read_adams(ADAMSPY / "camelot_1_pull0_offset0.adm")
    assert len(apply_geometry_file(model, STAND_INS / "camelot.toml")) == 12
    run = hn.run_script(read_acf(ADAMSPY / "camelot_1_pull0_offset0.acf"), model, progress=False)
    t, normal = np.asarray(run.time), np.asarray(run.data.contact_normal)
    assert t[-1] == pytest.approx(1.5)
    # at rest each spring's torque holds a force at the arm of the spiral
    torque = lambda run, k: np.abs([run.variable(f"spring_{i}.torque").values[k] for i in (1, 2, 3, 4)])
    assert normal[0, 4:8] == pytest.approx(torque(run, 0) / (REACH * math.tan(BETA)), rel=5e-3)
    for time, pull in ((1.2, 450.0), (1.5, 150.0)):
        four = normal[int(np.argmin(np.abs(t - time))), 4:8]
        assert four.sum() == pytest.approx(pull / math.tan(BETA), rel=0.03)
    free = hn.Simulation(model, progress=False)
    free.deactivate("CONTACT", 5, 6, 7, 8, 9, 10)  # the rocks are gone: the springs open the lobes to their stops
    free.dynamics(end=0.4, dt=0.01)
    run = free.run()
    angles = [abs(math.degrees(run.variable(f"spring_{k}.deformation").values[-1])) for k in (1, 2, 3, 4)]
    assert angles == pytest.approx([25.0] * 4, abs=0.5)  # and the depth in which the stop acts
    arm = math.sqrt((2 * 0.26225) ** 2 - 0.1**2)  # where the end of a slot touches the other axle
    assert np.asarray(run.data.contact_normal)[-1, [0, 1, 2, 3]] == pytest.approx(torque(run, -1) / arm, rel=5e-3)


@pytest.mark.slow
def test_a_feeder_of_110_contacts_brings_its_first_cartridge_to_the_stop():
    """FRS5 with stand-ins as its script says, up to the sensor at the first stop, which Adams' log has at 1.543154
    s."""
    model = hn.read_adams(ADAMSPY / "FRS5_doe_8_LAUL_analysis.adm")
    apply_geometry_file(model, STAND_INS / "frs5.toml")
    script = read_acf(ADAMSPY / "FRS5_doe_8_LAUL_analysis.acf")
    runner = ScriptRunner(script, model, progress=False)
    runner.simulation.work = True
    for command in script:
        runner.carry_out(command)
        if runner.simulation.returned:
            break
    run = runner.simulation.run()
    t, depth = np.asarray(run.time), np.asarray(run.data.contact_depth)
    assert t[-1] == pytest.approx(1.543154, abs=0.01)
    assert t.size > 300 and (np.asarray(run.data.contact_normal) > 0).any(0).sum() >= 8
    assert depth.max() < 0.25  # of radii of 3.6 to 22 mm: nothing has passed through anything
    # the cam turns once; the rotor rests, continues by a third of a turn in the second and third quarter, and rests
    cam, rotor = (turned(run, name) for name in ("ferguson_camF", "feed_rotorF"))
    assert cam[-1] == pytest.approx(-360.0, abs=15.0)
    assert np.abs(rotor[cam > -85.0]).max() < 0.3
    assert np.abs(rotor[cam < -275.0] - 120.0).max() < 0.3
    law = lambda s: 120.0 * (s - np.sin(2 * np.pi * s) / (2 * np.pi))  # that the cams were made from
    moves = (cam < -100.0) & (cam > -260.0)
    assert moves.sum() > 50
    assert np.abs(rotor - law((-cam - 90.0) / 180.0))[moves].max() < 2.0  # play between pins and cams
    # energy: what the motions bring in is there or was lost.  At the beginning of each analysis dampers between bodies
    # of 1e-10 t stop what these have of velocity, within nanoseconds, and the quadrature of their power gives no
    # information there
    d = run.data
    rest = np.diff(d.energy_kinetic + d.energy_elastic - d.energy_input + d.energy_dissipated)
    begins = [t[s.start] for s in d.segments]
    rest = rest[np.min([np.where(t[1:] < b, 1.0, t[1:] - b) for b in begins], axis=0) > 0.012]
    assert rest.size > 290
    assert np.abs(np.cumsum(rest)).max() < 2e-3 * (np.nanmax(d.energy_input) - np.nanmin(d.energy_input))


def turned(run, part):
    """Angle in degrees about the y axis of ground since the start, counted on."""
    q = run.part(part).quaternion.values
    relative = q[:, :1] * q[0, 1:] * -1.0 + q[0, 0] * q[:, 1:] - np.cross(q[:, 1:], q[0, 1:])
    return np.degrees(np.unwrap(2 * np.arctan2(relative[:, 1], q @ q[0])))


def test_friction_of_dynamics_only_has_one_coefficient():
    model = hn.Model("m")
    ball, floor = (
        model.sphere(model.part("b", 1.0, (1, 1, 1)), (0, 0, 1), 1.0),
        model.plane(model.ground, (0, 0, 0), (0, 0, 1)),
    )
    contact = model.contact(
        ball, floor, stiffness=1.0, mu=(0.3, 0.2), stiction_transition_velocity=1.0, friction_transition_velocity=2.0
    )
    assert coefficients(contact) == (0.3, 0.2, 1.0, 2.0)
    contact.coulomb_friction = "DYNAMICS_ONLY"
    contact.stiction_transition_velocity = 0.0
    assert coefficients(contact) == (0.2, 0.2, 2.0, 2.0)
