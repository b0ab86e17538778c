"""Loads of flexible bodies for finite elements: momentum balance at the exported times, the cards read back, what is
refused."""

import csv

import numpy as np
import pytest
from _bending import E, L, bar, cantilever, swing

import holonom as hn
from holonom.results.views.sides import sides


def test_momentum_balance():
    """F + m g = m a and the moments about the centre of mass against the change of angular momentum, with modes, at all
    times."""
    loads = swing().flexible("bar").interface_loads()
    assert list(loads.nodes) == [1, 21] and len(loads.sources) == 2
    assert loads.residual.max() < 1e-12 * loads.scale and loads.moment_residual.max() < 1e-10 * loads.moment_scale
    view = swing().flexible("bar")
    # angular momentum, differentiated: a look that shares nothing with the equations but the record
    H = view.angular_momentum()
    A = view.part.axes.values
    arms = [
        np.cross(
            view.position(int(n)).values - view.part.position.values, np.einsum("tij,tj->ti", A, loads.forces[:, k])
        )
        for k, n in enumerate(loads.nodes)
    ]
    moment = sum(arms) + np.einsum("tij,tkj->ti", A, loads.moments)
    t = swing().time
    got = np.concatenate([[np.zeros(3)], np.cumsum(0.5 * (moment[1:] + moment[:-1]) * np.diff(t)[:, None], axis=0)])
    assert np.abs(H - H[0] - got).max() < 0.05 * np.abs(H - H[0]).max()


def test_sum_of_the_exported_csv(tmp_path):
    """Forces of the files, summed, are mass times acceleration, in axes of the mesh; between outputs too."""
    run = swing()
    view = run.flexible("bar")
    paths = view.loads(tmp_path / "loads.csv", times=[0.0, 0.035, 0.0525])
    assert [p.name for p in paths] == ["loads.csv", "loads_frame.csv"]
    rows = list(csv.reader(paths[0].open()))
    assert rows[0][:2] == ["time [s]", "node"] and rows[0][5] == "Fx [N]" and rows[0][8] == "Mx [N*m]"
    table, frame = np.array(rows[1:], float), np.array(list(csv.reader(paths[1].open()))[1:], float)
    mass = view.body.mass
    for time, *values in frame:
        F = table[table[:, 0] == time][:, 5:8].sum(axis=0)
        a, g = np.array(values[:3]), np.array(values[3:6])
        assert F == pytest.approx(mass * (a - g), abs=1e-9 * np.abs(table[:, 5:8]).max())
    row = list(run.time).index(0.035)
    A = view.part.axes.values[row]
    assert frame[1, 1:4] == pytest.approx(A.T @ view.part.acceleration.values[row], rel=1e-9)
    assert frame[1, 7:10] == pytest.approx(A.T @ view.part.angular_velocity.values[row], rel=1e-9)


def test_abaqus_cards(tmp_path):
    view = swing().flexible("bar")
    (path,) = view.loads(tmp_path / "loads.inp", "abaqus", times=[0.05, 0.1], elements="ROD")
    lines = path.read_text().splitlines()
    loads = view.interface_loads()
    assert sum(line.startswith("*STEP") for line in lines) == sum(line == "*END STEP" for line in lines) == 2
    assert all(
        line.startswith(("**", "*STEP", "time", "*STATIC", "*CLOAD", "*DLOAD", "*END", "ROD, ", "1, ", "21, "))
        for line in lines
    )
    first = lines[: lines.index("*END STEP")]
    sums = np.zeros(6)
    for line in first:
        if line[:1].isdigit():
            node, freedom, value = line.split(",")
            sums[int(freedom) - 1] += float(value)
    assert sums[:3] == pytest.approx(loads.forces[10].sum(axis=0), rel=1e-6)
    words = {
        w[1].strip(): np.array(w[2:], float) for w in (line.split(",") for line in first if line.startswith("ROD"))
    }
    assert words["GRAV"][0] * words["GRAV"][1:] == pytest.approx(loads.gravity[10] - loads.acceleration[10], rel=1e-6)
    assert words["GRAV"][0] * words["GRAV"][1:] == pytest.approx(-sums[:3] / view.body.mass, rel=1e-6)
    assert words["CENTRIF"][0] == pytest.approx((loads.omega[10] ** 2).sum(), rel=1e-6) and words["CENTRIF"][
        1:4
    ] == pytest.approx([0.5, 0, 0])
    assert words["ROTA"][0] * words["ROTA"][4:] == pytest.approx(loads.alpha[10], rel=1e-6)


def test_nastran_cards(tmp_path):
    view = swing().flexible("bar")
    (path,) = view.loads(tmp_path / "loads.bdf", "nastran", times=[0.05, 0.1], first=7)
    loads, cards = view.interface_loads(), []
    for line in path.read_text().splitlines():
        if line.startswith("$"):
            continue
        assert len(line) <= 73
        name, fields = line[:8].strip(), [line[8 + 16 * k : 24 + 16 * k].strip() for k in range(4)]
        if name != "*":
            cards.append([name.rstrip("*")])
        cards[-1] += fields
    number = lambda card, *at: np.array([float(card[k]) for k in at])
    sets = {int(c[1]): [int(v) for v in c[4::2] if v] for c in cards if c[0] == "LOAD"}
    assert list(sets) == [7, 8] and len({s for v in sets.values() for s in v}) == 6
    F = sum(number(c, 4)[0] * number(c, 5, 6, 7) for c in cards if c[0] == "FORCE" and int(c[1]) in sets[7])
    assert F == pytest.approx(loads.forces[10].sum(axis=0), rel=1e-6)
    (grav,) = [c for c in cards if c[0] == "GRAV" and int(c[1]) in sets[7]]
    assert view.body.mass * number(grav, 3)[0] * number(grav, 4, 5, 6) == pytest.approx(-F, rel=1e-6)
    spin, turn = [c for c in cards if c[0] == "RFORCE" and int(c[1]) in sets[7]]
    assert 2 * np.pi * number(spin, 4)[0] * number(spin, 5, 6, 7) == pytest.approx(loads.omega[10], rel=1e-6)
    assert (
        -2 * np.pi * number(turn, 9)[0] * number(turn, 5, 6, 7) == pytest.approx(loads.alpha[10], rel=1e-6)
        and float(turn[4]) == 0
    )
    assert [c[1] for c in cards if c[0] == "GRID"] == ["22"] and spin[2] == "22"


def test_statics():
    loads = cantilever().flexible().interface_loads()
    assert loads.forces[-1].sum(axis=0) == pytest.approx(0, abs=1e-9) and np.abs(loads.acceleration).max() < 1e-6
    assert loads.forces[-1, 1] == pytest.approx([0, -0.1, 0.03], rel=1e-3, abs=1e-5)


def test_contact_force(tmp_path):
    """A ball presses on the free end of a clamped bar: the force of the contact is among the loads."""
    m = hn.Model("pressed")
    m.gravity = (0, -9.81, 0)
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    m.fixed(p, m.ground, at=(0, 0, 0))
    anvil = m.sphere(p, radius=0.02, at=(L, 0, 0))
    ball = m.part("ball", 0.2, (1e-4,) * 3, position=(L, 0.0399, 0))
    m.translational(ball, m.ground, at=(L, 0.04, 0), axis=(0, 1, 0))
    m.contact(anvil, m.sphere(ball, radius=0.02, at=(L, 0.0399, 0)), stiffness=1e5, damping=10.0)
    m.make_flexible(p, bar(), modes=2, damping=0.05)
    run = hn.simulate(m, end=0.05, steps=10, integrator="GSTIFF", error=1e-5)
    loads = run.flexible().interface_loads()
    assert len(loads.sources) == 2 and "CONTACT" in loads.sources[1]
    k = list(loads.nodes).index(21)
    A = run.part("bar").axes.values
    force = np.einsum("tij,tj->ti", A, loads.forces[:, k])
    assert force == pytest.approx(run.contact(run.contacts[0]).force.values, abs=1e-9) and np.abs(force).max() > 0.5


def test_coupler_and_what_is_not_known(tmp_path):
    """What a coupler does to the bar is the torque that turns the wheel; a run without it gives that something is
    missing."""
    m = hn.Model("coupled")
    m.gravity = (0, -9.81, 0)
    wheel = m.part("wheel", 1.0, (0.01,) * 3)
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    turn = m.revolute(wheel, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    swing_ = m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.coupler((turn, swing_), (1.0, -1.0))
    m.make_flexible(p, bar(), modes=2)
    run = hn.simulate(m, end=0.02, steps=4, integrator="RADAU5")
    torque = dict(sides(run))["COUPLER", 1, "COUPLER_1"]
    assert [s.marker.id for s in torque] == [turn.i, swing_.i]
    alpha = run.part("wheel").angular_acceleration.values[:, 2]
    assert torque[0].torque[:, 2] == pytest.approx(0.01 * alpha, rel=1e-6) and torque[1].torque[:, 2] == pytest.approx(
        -0.01 * alpha, rel=1e-6
    )
    assert (
        run.flexible("bar").interface_loads().residual.max() < 1e-6
        and len(run.flexible("bar").loads(tmp_path / "y.csv")) == 2
    )
    for name in [n for n in run.data.extra if n.startswith("wrench/")]:
        del run.data.extra[name]
    run = run.between(0.0, 0.02)
    view = run.flexible("bar")
    for ask in (lambda: view.loads(tmp_path / "x.csv"), view.hot_spots):
        with pytest.raises(hn.ModelError, match="does not hold"):
            ask()
    assert not (tmp_path / "x.csv").exists()
    with pytest.raises(hn.ModelError, match="residual=False"):
        view.section_forces()
    assert run.flexible("bar", residual=False).hot_spots(1)["von_mises"][0] > 0


def test_bad_input(tmp_path):
    view = swing().flexible("bar")
    with pytest.raises(hn.ModelError, match="format is 'ansys'; give csv, abaqus, nastran"):
        view.loads(tmp_path / "x", "ansys")
    with pytest.raises(hn.ModelError, match="inside this run"):
        view.loads(tmp_path / "x", times=[9.0])
    with pytest.raises(hn.ModelError, match="inside this run"):
        view.loads(tmp_path / "x", times="soon")
    with pytest.raises(hn.ModelError, match="name of a set of elements"):
        view.loads(tmp_path / "x", "abaqus", elements="A\n*STEP")
    with pytest.raises(hn.ModelError, match="first is 0"):
        view.loads(tmp_path / "x", "nastran", first=0)
    with pytest.raises(hn.ModelError, match="cannot be written"):
        view.loads(tmp_path / "no" / "x.csv")


def test_a_force_on_the_part_itself_is_refused():
    m = hn.Model("own")
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    m.make_flexible(p, bar(E), modes=1, interfaces=[1])
    cm = m.table("MARKER")[p.cm]
    m.sforce(cm, m.marker_at(m.ground, (0.5, 1, 0)), "1.0")
    run = hn.simulate(m, end=1e-3, steps=1)
    with pytest.raises(hn.ModelError, match="not on a node of it"):
        run.flexible().interface_loads()
