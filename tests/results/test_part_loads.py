"""Loads of parts at their hardpoints against closed forms, their balance, and what finite elements read."""

import csv

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError

M, L, J, G = 3.0, 0.4, 0.09, 9.80665


def pendulum():
    """A rod let go level about y; its centre 0.4 from the pivot; a torsion spring that does nothing, a second, loose
    part."""
    m = hn.Model("pendulum")
    m.gravity = (0.0, 0.0, -G)
    rod = m.part("rod", M, (0.02, J, J), (L, 0.0, 0.0))
    m.revolute(rod, m.ground, "pivot", at=(0, 0, 0), axis=(0, 1, 0))
    m.marker(rod, (0.1, 0.0, 0.0), euler=(0.3, 0.4, -0.2), name="gauge")
    other = m.part("loose", 1.0, (1, 1, 1), (5.0, 0.0, 0.0))
    m.spring_damper(
        m.marker_at(rod, (2 * L, 0, 0)), m.marker_at(other, (2 * L, 0, 0.7)), stiffness=0.0, length=0.7, name="nothing"
    )
    return m


@pytest.fixture(scope="module")
def run():
    return hn.simulate(pendulum(), end=0.5, steps=50, error=1e-10)


def test_pivot_of_a_pendulum_is_the_closed_form(run):
    """Along the rod towards the pivot m l w^2 + m g sin phi with w^2 = 2 m g l sin phi/(J + m l^2); across it m g cos
    phi J/(J + m l^2)."""
    loads = run.part_loads("rod")
    assert loads.balanced and loads.names == ["pivot", "nothing"]
    x = run.part("rod").axes.values[:, :, 0]
    phi = np.arctan2(-x[:, 2], x[:, 0])
    whole = J + M * L * L
    f = loads.history("pivot")["force"].values
    np.testing.assert_allclose(-f[:, 0], 2 * M * M * G * L * L * np.sin(phi) / whole + M * G * np.sin(phi), atol=1e-6)
    np.testing.assert_allclose(f[:, 2], M * G * np.cos(phi) * J / whole, atol=1e-6)
    np.testing.assert_allclose(loads.history("pivot")["moment"].values[:, [0, 2]], 0.0, atol=1e-9)
    assert loads.residual.max() < 1e-9 * loads.scale and np.ptp(phi) > 1.0
    rows = {(r["element"], r["component"]): r for r in loads.extremes()}
    top = rows["pivot", "F"]
    size = np.linalg.norm(f, axis=1)
    assert (
        top["most"] == size.max() and top["when"] == run.time[size.argmax()] and top["range"] == size.max() - size.min()
    )
    assert "balance with inertia" in loads.text() and "nothing" not in loads.text()


def test_axes_turn_vectors_and_places(run):
    own, there, ground = (run.part_loads("rod", axes) for axes in ("part", "gauge", "ground"))
    from holonom.model.orientation import euler313

    R = euler313(0.3, 0.4, -0.2)
    np.testing.assert_allclose(there.forces, own.forces @ R, atol=1e-12)
    body = run.part("rod").axes.values
    np.testing.assert_allclose(ground.forces[:, 0], np.einsum("tij,tj->ti", body, own.forces[:, 0]), atol=1e-12)
    np.testing.assert_allclose(
        ground.forces[:, 0], run.joint("pivot").force.values, atol=1e-12
    )  # I of the joint lies on the rod
    np.testing.assert_allclose(there.places @ R.T, own.places - run.model.find("MARKER", "gauge").qp, atol=1e-12)


def test_nastran_cards_balance_when_summed(run, tmp_path):
    """Cards read by a reader of a few lines: FORCE and MOMENT about the centre of mass against GRAV and RFORCE of the
    mass."""
    loads = run.part_loads("rod")
    path = loads.nastran(tmp_path / "rod.bdf", [0.123, 0.4], first=7, grid=101)
    cards = []
    for line in path.read_text().splitlines():
        if line.startswith("$"):
            continue
        fields = [line[8 + 16 * k : 24 + 16 * k].strip(" *") for k in range(4)]
        if line.startswith("*"):
            cards[-1] += fields
        else:
            cards.append([line[:8].strip(" *"), *fields])
    number = lambda x: float(x) if x else 0.0
    grids = {int(c[1]): np.array([number(x) for x in c[3:6]]) for c in cards if c[0] == "GRID"}
    centre = max(grids)
    sets = {
        int(c[1]): [int(c[4 + 2 * k]) for k in range((len(c) - 3) // 2) if c[4 + 2 * k]]
        for c in cards
        if c[0] == "LOAD"
    }
    assert sorted(sets) == [7, 8] and len(grids) == 3
    for case in sets.values():
        F, T = np.zeros(3), np.zeros(3)
        turn = {}
        for c in cards:
            if c[0] in ("FORCE", "MOMENT") and int(c[1]) in case:
                v = number(c[4]) * np.array([number(x) for x in c[5:8]])
                F, T = (F + v, T + np.cross(grids[int(c[2])] - grids[centre], v)) if c[0] == "FORCE" else (F, T + v)
            if c[0] == "GRAV" and int(c[1]) in case:
                F = F + M * number(c[3]) * np.array([number(x) for x in c[4:7]])
            if c[0] == "RFORCE" and int(c[1]) in case and len(c) > 9 and c[9]:
                turn = {"alpha": -2 * np.pi * number(c[9]) * np.array([number(x) for x in c[5:8]])}
        assert np.linalg.norm(F) < 1e-7 * M * G
        np.testing.assert_allclose(
            T, np.diag([0.02, J, J]) @ turn["alpha"], atol=1e-3 * J
        )  # between outputs both are straight lines
    assert len(loads.nastran(tmp_path / "worst.bdf").read_text()) > 500
    with pytest.raises(ModelError, match="own axes"):
        run.part_loads("rod", "ground").nastran(tmp_path / "x.bdf")
    with pytest.raises(ModelError, match="times of this run"):
        loads.nastran(tmp_path / "x.bdf", [9.0])


def test_tables_as_files(run, tmp_path):
    loads = run.part_loads("rod")
    history, extremes = loads.to_csv(tmp_path / "rod.csv")
    with history.open() as file:
        rows = list(csv.reader(file))
    assert rows[0][1] == "pivot Fx [N]" and len(rows) == 52
    np.testing.assert_allclose([float(v) for v in rows[11][1:4]], loads.forces[10, 0])
    with extremes.open() as file:
        assert len(list(csv.reader(file))) == 1 + 8 * 2
    assert loads.plot(tmp_path / "rod.png").stat().st_size > 5000


def test_bad_input_and_what_is_missing_are_told(run):
    with pytest.raises(ModelError, match="did you mean 'pivot'"):
        run.part_loads("rod").history("pivott")
    with pytest.raises(ModelError, match="ground, which has no inertia"):
        run.part_loads("ground")
    with pytest.raises(ModelError, match="sits on"):
        run.part_loads("loose", "gauge")
    run_ = run.between(0.0, 0.2)
    run_.data.constraints, kept = [], run_.data.constraints
    force, torque = run_.data.constraint_force, run_.data.constraint_torque
    run_.data.constraint_force = run_.data.constraint_torque = np.zeros((len(run_), 0, 3))
    with pytest.raises(ModelError, match="does not hold"):
        run_.part_loads("rod")
    part = run_.part_loads("rod", strict=False)
    assert not part.balanced and "differ by" in part.text() and kept and len(force) == len(torque)


def machine():
    """Two arms on one frame that swings, coupled; a third whose angle a general constraint makes of theirs; an NFORCE
    on two markers of the third; forces without a reaction."""
    m = hn.Model("machine")
    m.gravity = (0.3, 0.0, -G)
    frame = m.part("frame", 5.0, (0.3, 0.4, 0.5), (0.1, 0.0, -0.3))
    m.revolute(frame, m.ground, "swing", at=(0, 0, 0), axis=(0, 1, 0.2))
    joints, arms = [], []
    for k, y in enumerate((-0.3, 0.0, 0.3)):
        arm = m.part(f"arm {k}", 1.0 + k, (0.02, 0.03 + 0.01 * k, 0.04), (0.3, y, -0.4 + 0.1 * k))
        joints.append(m.revolute(arm, frame, f"pin {k}", at=(0.1, y, -0.4), axis=(0, 1, 0)))
        arms.append(arm)
    m.coupler((joints[0], joints[1]), scales=(1.0, 0.6), name="belt")
    angle = [f"AZ({j.i},{j.j})" for j in joints]
    m.constraint(f"{angle[2]}-0.5*{angle[0]}-0.4*{angle[1]}*{angle[1]}", i=joints[2].i, name="cam")
    tips = [m.marker_at(arms[2], (0.3, y, -0.2), name=f"tip {y}") for y in (0.25, 0.35)]
    K = np.diag([300.0, 200.0, 400.0, 3.0, 2.0, 1.0] * 2)
    K[0, 6] = K[6, 0] = 50.0
    m.nforce(tips, m.marker_at(m.ground, (0.3, 0.3, -0.2)), stiffness=K, name="mat")
    own = m.marker_at(arms[0], (0.35, -0.3, -0.4))
    m.vforce(own, None, fz="4", fx="1", rm=own, name="jet")
    m.sforce(
        m.marker_at(arms[1], (0.3, 0.1, -0.3), z=(1, 0, 0)),
        m.marker_at(frame, (0.1, 0.1, -0.3), z=(1, 0, 0)),
        "3",
        "push",
        actiononly=True,
    )
    return m


def test_elements_on_several_markers_balance_each_part():
    """Newton and Euler of each part, with what a coupler, a general constraint and an NFORCE do to each of their
    bodies."""
    run = hn.simulate(machine(), end=0.4, steps=20, error=1e-10)
    for part in ("frame", "arm 0", "arm 1", "arm 2"):
        loads = run.part_loads(part)
        assert loads.residual.max() < 1e-8 * loads.scale and loads.moment_residual.max() < 1e-8 * loads.moment_scale, (
            part
        )
    assert {"belt", "cam", "jet", "pin 0"} <= set(run.part_loads("arm 0").names) and "push" not in run.part_loads(
        "frame"
    ).names
    # the coupler turns each arm by its scale: M_1 = 0.6 M_0 about the pins' axis, and the frame takes the sum
    axis = run.part("frame").axes.values[:, :, 1]
    moment = {
        p: np.einsum("ti,ti->t", run.part_loads(p, "ground").history("belt")["moment"].values, axis)
        for p in ("arm 0", "arm 1", "frame")
    }
    np.testing.assert_allclose(moment["arm 1"], 0.6 * moment["arm 0"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(moment["frame"], -1.6 * moment["arm 0"], rtol=1e-9, atol=1e-9)
    assert np.abs(moment["arm 0"]).max() > 0.1
    rows = [str(r["element"]) for r in run.reactions().rows]
    assert sum(r.startswith("belt") for r in rows) == 3 and sum(r.startswith("cam") for r in rows) == 4
    between = run.at(np.linspace(0.01, 0.39, 7)).part_loads("arm 2", strict=False)
    assert "mat (NFORCE/1)" in " ".join(between.names) or between.names.count("mat") == 2
