"""Loads and stresses of runs: names of signals, flexible bodies, the command line."""

import dataclasses

import numpy as np
import pytest
from typer.testing import CliRunner

import holonom as hn
from holonom import cli
from holonom import durability as hd

E, RHO, L = 2.1e11, 7850.0, 1.0
STEEL = hd.SNCurve.basquin(100e6, 1e6, 5.0)


def swing(units="SI"):
    """A rod on a pin that bends under its weight and swings, held by a spring; its reduced body knows the stresses at
    its nodes."""
    f = 1.0 if units == "SI" else 1000.0
    m = hn.Model("rod", units=units)
    m.gravity = (0, -9.80665 * f, 0)
    rod = m.part("rod", 1.0, (f**2, f**2, f**2), position=(0.5 * f, 0, 0))
    m.revolute(rod, m.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    section = hn.flexible.Section.rectangle(0.01 * f, 0.02 * f)
    fe = hn.flexible.beam((0, 0, 0), (L * f, 0, 0), section, E=E / f**2, density=RHO / f**3, y=(0, 1, 0), elements=10)
    body = fe.reduced((1, 11), 6, mass_factor=m.units.mass_factor)
    lines = hd.beam_stress(body, E / f**2, [(0.005 * f, 0.0)], y=(0, 1, 0))
    nodes = np.concatenate([lines[:1], 0.5 * (lines[1:] + lines[:-1]), lines[-1:]])
    m.make_flexible(rod, dataclasses.replace(body, stress=nodes), damping=0.02)
    m.spring_damper(
        m.marker_at(rod, (L * f, 0, 0), name="tip"),
        m.marker_at(m.ground, (L * f, f, 0)),
        2000.0 / f,
        5.0 / f,
        f,
        name="spring",
    )
    m.request("reach", functions={"F2": f"DY({m.find('MARKER', 'tip').id})"})
    return hn.simulate(m, end=1.0, steps=200, integrator="RADAU5", error=1e-6)


@pytest.fixture(scope="module")
def run():
    return swing()


def test_signals_by_name(run):
    force = run.joint("pin").force.values
    for name, wanted in (
        ("pin.FX", force[:, 0]),
        ("JOINT/1.FY", force[:, 1]),
        ("joint/1.fm", np.linalg.norm(force, axis=1)),
        ("pin.force.y", force[:, 1]),
        ("pin.TZ", run.joint("pin").torque.values[:, 2]),
        ("spring.FY", run.force("spring").force.values[:, 1]),
        ("reach.F2", run.request("reach").values[:, 1]),
        ("REACH.f2", run.request("reach").values[:, 1]),
    ):
        assert (hd.signal(run, name) == wanted).all(), name
    with pytest.raises(hn.ModelError, match="there is no signal 'pin.FQ'"):
        hd.signal(run, "pin.FQ")
    with pytest.raises(hn.ModelError, match="did you mean 'spring.FX'"):
        hd.signal(run, "sprng.FX")
    with pytest.raises(hn.ModelError, match="did you mean 'reach.F2'"):
        hd.signal(run, "reach.F22")
    assert hd.rainflow(run.force("spring").force.sel(axis="y")).total > 3  # histories of a run as they are


def test_stresses_of_a_part_that_bends(run):
    body = run.model.table("FLEXIBILITY")[1].body
    modes = hd.beam_stress(body, E, [(0.005, 0.0), (-0.005, 0.0), (0.0, 0.01)], y=(0, 1, 0))
    for part in (
        "rod",
        "FLEXIBILITY_1",
        "FLEXIBILITY/1",
        1,
        run.model.find("PART", "rod"),
        run.model.table("FLEXIBILITY")[1],
    ):
        stress = hd.modal_stress(run, part, modes)
        assert stress.shape == (201, 30, 6)
    upper, lower, side = (stress.block(3 * 4 + f, 3 * 4 + f + 1)[0, 0] for f in range(3))
    assert np.ptp(upper) > 1e6 and np.abs(upper + lower - 2 * side).max() < 1e-6 * np.abs(upper).max()
    found = hd.life(stress, STEEL)
    assert found.duration == pytest.approx(1.0) and 3 <= (found.worst - 1) // 3 <= 6  # towards the middle
    assert found.damage[12] == pytest.approx(hd.damage(upper, STEEL).total)
    at_nodes = hd.modal_stress(run, "rod")  # those that the body knows
    assert at_nodes.shape == (201, 11, 6) and (at_nodes.nodes == body.nodes).all()
    assert (
        np.abs(at_nodes.at(6)[:, 0] - 0.5 * (stress.block(12, 13) + stress.block(15, 16))[0, 0]).max()
        < 1e-6 * np.abs(upper).max()
    )
    bare = hn.Run(run.model.copy(), run.data)
    bare.model.table("FLEXIBILITY")[1].body = dataclasses.replace(body, stress=np.zeros((0, 6, body.modes)))
    with pytest.raises(hn.ModelError, match="its modes have no stresses; give them"):
        hd.modal_stress(bare, "rod")
    with pytest.raises(hn.ModelError, match="'rood' is not a flexible body; did you mean 'rod'"):
        hd.modal_stress(run, "rood")


def test_units_do_not_matter(run):
    """In mm stresses are MPa, and lives the same."""
    other = swing("mm")
    a = hd.life(hd.modal_stress(run, "rod"), hd.eurocode3(36, units=run.model.units), factor=5.0)
    b = hd.life(hd.modal_stress(other, "rod"), hd.eurocode3(36, units=other.model.units), factor=5.0)
    assert np.isfinite(a.life.min()) and b.life.min() == pytest.approx(a.life.min(), rel=1e-3)
    assert b.swing.max() == pytest.approx(1e-6 * a.swing.max(), rel=1e-4)


def test_beam_stress_is_that_of_the_beam():
    """Static shapes of a beam under end moments and pull, turned in space: M c / I and N / A."""
    from scipy.spatial.transform import Rotation

    Q = Rotation.random(random_state=4).as_matrix()
    section = hn.flexible.Section.rectangle(0.02, 0.01)
    fe = hn.flexible.beam((0, 0, 0), Q @ (L, 0, 0), section, E=E, density=RHO, y=Q[:, 1], elements=8)
    body = fe.reduced((1, 9), 0)
    load = np.zeros((9, 6))
    load[0, :3], load[-1, :3] = -1000 * Q[:, 0], 1000 * Q[:, 0]
    load[0, 3:], load[-1, 3:] = -5 * Q[:, 2] - 2 * Q[:, 1], 5 * Q[:, 2] + 2 * Q[:, 1]
    q = np.einsum("ain,ai->n", body.shapes, load) / body.frequency**2
    fibres = np.array([[0.01, 0.0], [0.003, 0.005]])
    sigma = (hd.beam_stress(body, E, fibres, y=Q[:, 1]) @ q).reshape(8, 2, 6)
    along = np.outer(Q[:, 0], Q[:, 0])
    outer = np.array([along[0, 0], along[1, 1], along[2, 2], along[0, 1], along[1, 2], along[2, 0]])
    wanted = 1000 / section.A - 5 * fibres[:, 0] / section.Iz + 2 * fibres[:, 1] / section.Iy
    assert np.allclose(sigma, wanted[:, None] * outer, rtol=1e-6, atol=1e-6 * np.abs(wanted).max())
    with pytest.raises(hn.ModelError, match="give positions"):
        hd.beam_stress(body, E, [1.0])


def test_command_line(run, tmp_path):
    run.save(tmp_path / "run.h5")

    def call(*words, code=0):
        result = CliRunner().invoke(cli.app, ["fatigue", str(tmp_path / "run.h5"), *map(str, words)])
        assert result.exit_code == code, result.output
        return result.output if code == 0 else result.stderr

    cycles = hd.rainflow(hd.signal(run, "pin.FY"))
    out = call("--signal", "pin.FY")
    assert (
        f"{cycles.total:g} cycles, largest range {cycles.range.max():.6g}" in out
        and f"pseudo-damage {cycles.pseudo_damage(5):.6g} (slope 5)" in out
    )
    units = run.model.units
    for sn, curve in (
        ("ec3=80", hd.eurocode3(80, units=units)),
        ("iiw=90", hd.iiw(90, units=units)),
        ("1e8,1e6,5,original", hd.SNCurve.basquin(1e8, 1e6, 5, below="original")),
        ("1e8,1e6,5,7", hd.SNCurve.basquin(1e8, 1e6, 5, below=7.0)),
    ):
        out = call("--signal", "pin.FY", "--sn", sn, "--factor", 1e7)
        assert f"damage {hd.damage(cycles, curve, factor=1e7).total:.6g} a pass" in out
    out = call(
        "--signal",
        "pin.FY",
        "--sn",
        "1e8,1e6,5",
        "--factor",
        1e6,
        "--mean",
        "goodman=6e8",
        "--csv",
        tmp_path / "c.csv",
        "--plot",
        tmp_path / "c.png",
    )
    assert f"damage {hd.damage(cycles, STEEL, factor=1e6, mean=hd.goodman(6e8)).total:.6g} a pass" in out
    table = np.loadtxt(tmp_path / "c.csv", delimiter=",", skiprows=1)
    assert np.allclose(table[:, 0], cycles.range, rtol=1e-8) and (tmp_path / "c.png").stat().st_size > 5000
    call("--signal", "pin.FY", "--plot", tmp_path / "s.png")
    for words, text in (
        ((), "give what is counted"),
        (("--signal", "pin.FF"), "there is no signal 'pin.FF'"),
        (("--signal", "pin.FY", "--sn", "1,2"), "give STRESS,CYCLES,SLOPE"),
        (("--signal", "pin.FY", "--sn", "a,1e6,5"), "'a' is not a number"),
        (("--signal", "pin.FY", "--sn", "ec4=80"), "unknown curve 'ec4'"),
        (("--signal", "pin.FY", "--sn", "ec3=81"), "no class 81"),
        (("--signal", "pin.FY", "--mean", "swt"), "give --sn too"),
        (("--signal", "pin.FY", "--sn", "1e8,1e6,5", "--mean", "goodmann=5"), "did you mean goodman"),
        (("--signal", "pin.FY", "--sn", "1e8,1e6,5", "--mean", "goodman"), "give its number"),
        (("--signal", "pin.FY", "--residue", "all"), "unknown residue"),
    ):
        assert text in call(*words, code=2), words
