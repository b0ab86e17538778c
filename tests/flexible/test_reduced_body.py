"""Reduced bodies: other units, a selection of modes, load cases; and what acts on them as distributions."""

from dataclasses import replace

import h5py
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import holonom as hn
from holonom.flexible import FiniteElements, Section, beam, read_body


def bar(f=1.0, elements=6, E=1e10):
    """A bar of 1 m, ``f`` units of length in a metre, force in N."""
    section = Section.rectangle(0.02 * f, 0.01 * f)
    return beam((0, 0, 0), (f, 0, 0), section, E=E / f**2, density=7850.0 / f**4, elements=elements, y=(0, 1, 0))


ARRAYS = ("mass", "centre", "inertia", "frequency", "S", "H", "places", "shapes", "bends")


def test_units():
    """Numbers in metres become those of the same body reduced in millimetres (signs of modes are free), and back."""
    metre, millimetre = (bar(f).reduced((1, 7), 3) for f in (1.0, 1000.0))
    loads = np.arange(2.0 * (6 + metre.modes)).reshape(2, -1)
    metre = replace(metre, units="m, N, s", loads=loads, stress=np.ones((7, 6, metre.modes)))
    got = metre.in_units(hn.Units.named("mm"))
    for name in ARRAYS:
        ours, theirs = np.abs(getattr(got, name)), np.abs(getattr(millimetre, name))
        # vectors of an iteration are good to the root of what their frequencies are
        assert np.abs(ours - theirs).max() < (1e-10 if name == "frequency" else 1e-9) * np.abs(theirs).max(), name
    # forces stay, moments are in N mm; power of a load and stress per displacement are the same
    assert got.loads[:, :3] == pytest.approx(loads[:, :3]) and got.loads[:, 3:6] == pytest.approx(1e3 * loads[:, 3:6])
    work = lambda body, k: body.loads[1, 6 + k] / np.abs(body.shapes[-1, :3, k]).max()
    assert [work(got, k) for k in range(4)] == pytest.approx([work(metre, k) for k in range(4)], rel=1e-12)
    stress = lambda body, k: body.stress[0, 0, k] / np.abs(body.shapes[-1, :3, k]).max()
    assert stress(got, 1) == pytest.approx(stress(metre, 1) * 1e-6 / 1e3, rel=1e-12)
    back = replace(got, units="mm, N, s").in_units(hn.Units())
    for name in (*ARRAYS, "loads", "stress"):
        assert getattr(back, name) == pytest.approx(
            getattr(metre, name), rel=1e-12, abs=1e-12 * np.abs(getattr(metre, name)).max()
        ), name
    assert metre.in_units(hn.Units()) is metre


def test_a_body_in_other_units_swings_the_same(tmp_path):
    """One file in metres in models of three systems of units; a stiff bar falls as a rigid one does."""
    body = replace(bar(E=2e11).reduced((1, 7), 2), units="METER, N, s").save(tmp_path / "bar.h5")
    assert read_body(tmp_path / "bar.h5") == body and read_body(tmp_path / "bar.h5").units == "METER, N, s"
    tips = []
    for units, f in (("SI", 1.0), ("mm", 1e3), ("in", 1 / 0.0254)):
        m = hn.Model("swing", units=units)
        m.gravity = (0, -9.81 * f, 0)
        p = m.part("bar", 1.0, (1, 1, 1), position=(0.5 * f, 0, 0))
        m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
        m.make_flexible(p, tmp_path / "bar.h5")
        assert p.mass * m.units.si_mass == pytest.approx(1.57)
        m.marker_at(p, (f, 0, 0), name="tip")
        tips.append(
            hn.simulate(m, end=0.2, steps=2, integrator="RADAU5", error=1e-7).marker("tip").position.values[-1] / f
        )
    assert np.abs(np.diff(tips, axis=0)).max() < 1e-6
    turn = solve_ivp(lambda t, y: (y[1], -1.5 * 9.81 * np.cos(y[0])), (0, 0.2), (0, 0), rtol=1e-10, atol=1e-12).y[0, -1]
    assert tips[0] == pytest.approx([np.cos(turn), np.sin(turn), 0.0], abs=2e-4)


@pytest.mark.parametrize(
    "units, says",
    [
        ("mm", "its units are 'mm'; give length, force and time"),
        ("mm, N, parsec", "its unit of time is 'parsec'"),
        ("kg, N, s", "its unit of length is 'kg'"),
    ],
)
def test_units_that_are_none(units, says):
    m = hn.Model()
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    with pytest.raises(hn.ModelError, match=says):
        m.make_flexible(p, replace(bar().reduced((1,), 2), units=units))


def test_files_that_are_no_bodies(tmp_path):
    m = hn.Model()
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    for name, says in (
        ("bar.mnf", "closed format"),
        ("bar.bdf", "read finite elements first"),
        ("bar.h5", "bar.h5' cannot be read"),
    ):
        with pytest.raises(hn.ModelError, match=f"PART/2 'bar'.*{says}"):
            m.make_flexible(p, tmp_path / name)


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "bar.h5"
    bar().reduced((1,), 2).save(path)
    whole = path.read_bytes()
    for at in range(96, len(whole), len(whole) // 12):
        path.write_bytes(whole[:at] + bytes(40) + whole[at + 40 :] if at % 2 else whole[:at])
        try:
            assert not read_body(path).faults()  # what was hit may have been empty room
        except hn.ModelError as error:
            assert str(path) in str(error)


def test_units_of_a_file_are_text_of_ours(tmp_path):
    bar().reduced((1,), 2).save(tmp_path / "bar.h5")
    with h5py.File(tmp_path / "bar.h5", "a") as file:
        file.attrs["units"] = "mm, N, s"  # of variable length: never read
    assert read_body(tmp_path / "bar.h5").units == ""


def test_selection_of_modes():
    """The others are off: a free body rings with those that are left, and statics loses what they hold."""
    m = hn.Model()
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    f = m.make_flexible(p, bar(), modes=6, interfaces=[], damping=lambda w: 1e-5 * w)
    whole, damping = f.body, f.damping
    assert f.select([1, 4, 2]) is f and f.modes == 3 and not f.body.faults()
    assert np.array_equal(f.frequency, whole.frequency[[0, 3, 1]]) and f.damping == tuple(damping[k] for k in (0, 3, 1))
    assert np.array_equal(f.body.S[2, 3], whole.S[4, 2]) and np.array_equal(f.body.H[1, 2], whole.H[1, 4])
    w = np.sort(np.abs(hn.linearize(m).eigenvalues))[::2]
    assert w[-3:] == pytest.approx(np.sort(whole.frequency[[0, 3, 1]]), rel=1e-9) and len(w) == 9
    again = hn.Model.from_json(m.to_json())
    assert again.table("FLEXIBILITY")[f.id].body == f.body
    for modes, says in (
        ([], "no mode is selected"),
        ([1, 1], "selected twice"),
        ([9], "there is no mode 9; it has modes 1 to 3"),
    ):
        with pytest.raises(hn.ModelError, match=says):
            f.select(modes)


def solid():
    """A tetrahedron with springs between all pairs of its corners, as finite elements with three degrees of freedom a
    node."""
    import scipy.sparse as sp

    places = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    K = np.zeros((12, 12))
    for a in range(4):
        for b in range(a):
            d = (places[a] - places[b]) / np.linalg.norm(places[a] - places[b])
            k = 1e4 * np.outer(d, d)
            for i, j, s in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
                K[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] += s * k
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    return FiniteElements(
        [1, 2, 3, 4], places, sp.csc_matrix(K), sp.csc_matrix(np.eye(12)), np.zeros((0, 2), int), faces=faces
    )


def test_pressure_and_acceleration():
    """A pressure on all of a closed surface has no resultant; on one triangle it is its area; an acceleration moves the
    body alone."""
    m = hn.Model()
    p = m.part("solid", 4.0, (1, 1, 1), position=(0.25, 0.25, 0.25), euler=(0.3, 0.7, -0.4))
    f = m.make_flexible(p, solid(), modes=6, interfaces=[])
    all_ = m.modal_force(p, pressure=2.0)
    assert np.abs(all_.force).max() < 1e-12 and np.abs(all_.moment).max() < 1e-12 and np.abs(all_.load).max() > 0.1
    one = m.modal_force(p, pressure=[0, 3.0, 0, 0])
    A = m.body_frame(p).axes
    assert A @ one.force == pytest.approx([0, 1.5, 0])  # the side y = 0, pressed inwards
    assert A @ one.moment == pytest.approx(np.cross([1 / 3 - 0.25, -0.25, 1 / 3 - 0.25], [0, 1.5, 0]))
    # the same from forces on its corners
    same = m.modal_force(p, nodes={k: A.T @ [0, 0.5, 0] for k in (1, 2, 4)})
    assert (
        same.load == pytest.approx(one.load)
        and same.force == pytest.approx(one.force)
        and same.moment == pytest.approx(one.moment)
    )
    pull = m.modal_force(p, acceleration=(0, 0, 2.0))
    assert pull.force == pytest.approx([0, 0, 8.0]) and not any(pull.load) and not any(pull.moment)
    for e in m.table("MFORCE").values():
        e.active = e is pull
    run = hn.simulate(m, end=1.0, steps=2)
    assert run.part("solid").position.values[-1] == pytest.approx(0.25 + A @ [0, 0, 1.0], abs=1e-9)
    assert np.abs(run.state(f"FLEXIBILITY_{f.id}").values).max() < 1e-12


def test_loads_that_cannot_be():
    m = hn.Model()
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    with pytest.raises(hn.ModelError, match="it is rigid and has no modes"):
        m.modal_force(p, nodes={1: (1, 0, 0)})
    m.make_flexible(p, bar(), modes=2, interfaces=[])
    for words, says in (
        ({}, "no distribution given; give one of load, nodes"),
        ({"load": [1.0], "case": 1}, "load and case given; give one"),
        ({"load": [1.0]}, "load has 1 numbers; 2 modes require 2"),
        ({"nodes": {99: (1, 0, 0)}}, "there is no node 99"),
        ({"nodes": {1: (1, 0)}}, r"the load on node 1 is \(1, 0\)"),
        ({"nodes": [1, 2]}, "give a dictionary"),
        ({"pressure": 1.0}, "no triangles of the surface"),
        ({"case": 1}, "case is 1; its body has no load cases"),
        ({"load": [1.0, np.nan]}, "load has numbers that are not finite"),
        ({"load": [1.0, 2.0], "reaction": "nobody"}, "nobody"),
        ({"load": [1.0, 2.0], "scale": ""}, "scale"),
    ):
        with pytest.raises(hn.ModelError, match=says):
            m.modal_force(p, **words)
    assert not m.table("MFORCE")
    m.modal_force(p, "SINN(time)", load=[1.0, 2.0])
    with pytest.raises(hn.ModelError, match="MFORCE/1.*SINN"):
        hn.simulate(m, end=0.1)
