"""What a run shows of flexible bodies: stresses, sections, energies, momentum, hot spots; against closed forms and the
finite elements themselves."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse.linalg as sla
from _bending import RHO, SECTION, E, L, bar, blade, box, cantilever, swing

import holonom as hn
from holonom.flexible import Section, beam, reduce
from holonom.results.views.flexible import principal, von_mises


# ---- sections --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "sides, k2, k3",
    [(1.0, 0.208, 1.0), (1.5, 0.231, 0.859), (2.0, 0.246, 0.795), (3.0, 0.267, 0.753), (10.0, 0.312, 0.742)],
)
def test_torsion_of_rectangles(sides, k2, k3):
    """Timoshenko & Goodier (1951), art. 94, table for T = k2 tau b^2 a; the share of the short sides after the DIN
    table of the same series."""
    s = Section.rectangle(0.01 * sides, 0.01)
    assert s.Wt == pytest.approx(k2 * 0.01**2 * 0.01 * sides, rel=5e-3)
    tau = np.abs(s.law[:4, 1:, 3]).max(axis=1)  # middle of the short sides, of the long sides, corners
    assert tau[1] == pytest.approx(1 / s.Wt) and tau[0] == pytest.approx(k3 / s.Wt, rel=5e-3) and not tau[2:].any()
    turned = Section.rectangle(0.01, 0.01 * sides)
    assert np.abs(turned.law[:4, 1:, 3]).max(axis=1)[[1, 0]] == pytest.approx(tau[:2])


def test_tube():
    r, h = 0.02, 0.015
    s = Section.round(r, h)
    at = np.array(s.fibres)
    assert np.hypot(*at.T) == pytest.approx(r) and s.Wt == pytest.approx(np.pi * (r**4 - h**4) / (2 * r))
    tau = s.law[:, 1:, 3]
    assert (
        np.einsum("kc,kc->k", tau, at) == pytest.approx(0, abs=1e-9) and at[0, 0] * tau[0, 1] > 0
    )  # along the rim, with the torque
    # shear across: the mean over the neutral axis of a thin tube is twice force over area
    thin = Section.round(1.0, 0.999)
    assert thin.law[2, 1, 1] == pytest.approx(2 / thin.A, rel=1e-3) and thin.law[0, 1, 1] == pytest.approx(0, abs=1e-12)
    assert Section.round(1.0).law[2, 1, 1] == pytest.approx(4 / 3 / np.pi)


def test_sections_of_one_kind_are_equal_in_all_axes():
    """A square turned by a quarter: the same stresses on other fibres."""
    s = Section.rectangle(0.02, 0.02)
    load = np.array([1.0, 2.0, 0.0, 3.0, 0.0, 0.5])
    other = np.array([1.0, 0.0, 2.0, 3.0, -0.5, 0.0])  # y -> z: Vy -> Vz, Mz -> -My
    size = lambda f: np.sort(np.sqrt((s.law @ f)[:, 0] ** 2 + 3 * ((s.law @ f)[:, 1:] ** 2).sum(1)))
    assert size(load) == pytest.approx(size(other))


def test_bad_sections():
    with pytest.raises(hn.ModelError, match="fibres of a section"):
        Section(1, 1, 1, 1, fibres=(1, 2))
    with pytest.raises(hn.ModelError, match="Wt of a section"):
        Section(1, 1, 1, 1, Wt=-1)


# ---- stresses in statics ---------------------------------------------------------------------------------------------
def test_cantilever_stress():
    view = cantilever().flexible("bar")
    root = view.section_forces(1).values[-1]
    assert root == pytest.approx([0, -0.1, 0.03, 0.002, -0.03 * L, -0.1 * L], rel=1e-3, abs=1e-5)
    assert view.section_forces(11).values[-1][4:] == pytest.approx([-0.015, -0.05], rel=1e-3)
    assert view.section_forces(1).units.values[-1] == "N*m"
    s = view.stress(1)
    k = [f.replace("=", "").replace(",", "") for f in s.fibre.values].index("y0.01 z-0.005")
    assert s.sel(component="xx").values[-1, k] == pytest.approx(
        0.1 * 0.01 / SECTION.Iz + 0.03 * 0.005 / SECTION.Iy, rel=1e-3
    )
    # the middle of a long side: bending, torsion and shear across
    k = [f for f in s.fibre.values].index("y=0, z=0.005")
    six = s.values[-1, k]
    assert six[0] == pytest.approx(-0.03 * 0.005 / SECTION.Iy, rel=1e-3)
    assert six[3] == pytest.approx(-0.002 / SECTION.Wt - 1.5 * 0.1 / SECTION.A, rel=1e-3)
    assert view.von_mises(1).values[-1] == pytest.approx(von_mises(s.values[-1]).max())
    assert view.von_mises().sel(node=1).values[-1] == pytest.approx(view.von_mises(1).values[-1])
    assert view.principal(1).values[-1, k] == pytest.approx(principal(six))


def test_hot_spots():
    view = cantilever().flexible()
    spots = view.hot_spots(3)
    assert list(spots["node"]) == [1, 2, 3] and spots["von_mises"][0] == pytest.approx(view.von_mises(1).values.max())
    assert spots["x"][0] == pytest.approx(-0.5) and "y=0.01" in spots["fibre"][0]
    assert list(view.hot_spots(3, apart=0.2)["node"]) == [1, 5, 9] or list(view.hot_spots(3, apart=0.2)["node"]) == [
        1,
        6,
        10,
    ]
    with pytest.raises(hn.ModelError, match="count = 0"):
        view.hot_spots(0)


def test_invariants():
    six = np.random.default_rng(1).normal(size=(50, 6))
    p = principal(six)
    assert np.all(np.diff(p, axis=-1) <= 0)
    assert von_mises(six) == pytest.approx(
        np.sqrt(0.5 * ((p[:, 0] - p[:, 1]) ** 2 + (p[:, 1] - p[:, 2]) ** 2 + (p[:, 2] - p[:, 0]) ** 2))
    )
    assert von_mises(np.array([3.0, 0, 0, 0, 0, 0])) == 3.0 and von_mises(
        np.array([0, 0, 0, 1.0, 0, 0])
    ) == pytest.approx(np.sqrt(3))


def test_hanging_bar():
    """Weight spread over a bar that hangs, and over one that is clamped level: forces at the very ends too, with one
    mode."""
    for gravity, what, exact in (((0, 0, 0), 0, 0.0), ((9.81, 0, 0), 0, 1.0), ((0, -9.81, 0), 1, -1.0)):
        m = hn.Model("hanging")
        m.gravity = gravity
        p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
        m.fixed(p, m.ground, at=(0, 0, 0))
        m.make_flexible(p, bar(elements=4), modes=1)
        V = hn.simulate(m, end=0, kind="statics").flexible().section_forces().values[-1]
        weight = RHO * SECTION.A * L * 9.81 * exact
        assert V[:, what] == pytest.approx(weight * np.linspace(1, 0, 5), rel=2e-3, abs=2e-3 * abs(weight) + 1e-9)
        if what == 1:
            assert V[:, 5] == pytest.approx(
                0.5 * weight * np.linspace(1, 0, 5) ** 2 * L, rel=2e-3, abs=2e-3 * abs(weight)
            )


def test_centrifugal_force_in_a_blade():
    """N(x) = rho A W^2 (L^2 - x^2) / 2, with four bending modes: none of it is in the modes, all of it in the
    residual."""
    run = blade()
    x = np.linspace(0, L, 21)
    exact = RHO * SECTION.A * 20.0**2 * (L**2 - x**2) / 2
    N = run.flexible().section_forces().sel(force="N").values.mean(axis=0)
    assert np.abs(N - exact).max() < 1e-6 * exact[0]
    alone = run.flexible(residual=False).section_forces().sel(force="N").values
    assert np.abs(alone).max() < 1e-9 * exact[0]


def test_sections_against_the_finite_elements():
    """All loads on the mesh at one time, inertia and damping of the modes among them, solved as a static problem: what
    differs is of second order (the axial force on the bent bar) and falls with more modes."""
    run, fe, row = swing(1.0, 0.3, 8), bar(), 13
    view = run.flexible("bar")
    loads, body = view.interface_loads(), view.body
    f = np.zeros(6 * len(fe.nodes))
    for k, node in enumerate(loads.nodes):
        f[6 * (node - 1) : 6 * node] = np.concatenate([loads.forces[row, k], loads.moments[row, k]])
    s = fe.places - body.centre
    W, alpha = loads.omega[row], loads.alpha[row]
    field = np.hstack(
        [
            loads.gravity[row] - loads.acceleration[row] - np.cross(alpha, s) - np.cross(W, np.cross(W, s)),
            np.tile(-alpha, (len(s), 1)),
        ]
    )
    b = field.ravel() - body.shapes.reshape(-1, body.modes) @ (
        view.acceleration.values[row] + 0.6 * body.frequency * view.speed.values[row]
    )
    f += fe.M @ b
    free = np.arange(6, 6 * len(s))
    u = np.zeros(len(f))
    u[free] = sla.spsolve(fe.K[free][:, free].tocsc(), f[free])
    want = (fe.sections.forces(u[:, None]) + fe.sections.spread(b[:, None]))[:, :, 0]
    off = lambda v: np.abs(v.section_forces().values[row] - want).max(axis=0) / np.abs(want).max(axis=0)
    with_all, alone = off(view), off(run.flexible("bar", residual=False))
    assert with_all[0] < 2e-3 < 0.1 < alone[0]  # N
    assert with_all[4] < 8e-3 and with_all[5] < 6e-3 < 0.02 < alone[5]  # My, Mz


# ---- motion and energies ---------------------------------------------------------------------------------------------
def test_displacements_and_positions():
    run = swing()
    view = run.flexible("bar")
    assert view.position(21).values == pytest.approx(run.marker("tip").position.values, abs=1e-12)
    assert view.velocity(21).values == pytest.approx(run.marker("tip").velocity.values, abs=1e-9)
    assert view.position().sel(node=21).values == pytest.approx(view.position(21).values, abs=1e-12)
    assert view.displacement().sel(node=7).values == pytest.approx(view.displacement(7).values, abs=1e-15)
    assert view.rotation().sel(node=7).values == pytest.approx(view.rotation(7).values, abs=1e-15)
    way, node, time = view.largest_displacement
    u = np.linalg.norm(view.displacement().values, axis=2)
    assert way == pytest.approx(u.max()) and u[list(run.time).index(time), node - 1] == pytest.approx(way)
    assert view.q.shape == (21, view.modes) and view.q.attrs["units"] == "(N*m)^0.5*s"
    assert view.q.values[:, 1] == pytest.approx(run.state("FLEXIBILITY_1[2]").values)
    # the floating frame has no momentum of its own: the mass-weighted mean of displacements is zero
    fe = bar(E / 100)
    Phi = view.body.shapes.reshape(-1, view.modes)
    assert np.abs(fe.rigid(view.body.centre).T @ (fe.M @ (Phi @ view.q.values.T))).max() < 1e-12


def test_strain_energy():
    run = swing()
    view = run.flexible("bar")
    assert view.strain_energy.sum("mode").values == pytest.approx(run.energy.elastic.values, rel=1e-12)
    assert (
        run.strain_energy["bar"].values == pytest.approx(run.energy.elastic.values, rel=1e-12)
        and run.strain_energy["bar"].attrs["units"] == "J"
    )
    assert (
        view.energy_share.sum() == pytest.approx(1)
        and view.energy_share.argmax() == view.strain_energy.values.sum(0).argmax()
    )


def test_angular_momentum():
    """A body that bends, spins and is left alone keeps it; that of the rigid body alone does not."""
    m = hn.Model("free")
    m.gravity = (0, 0, 0)
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0), angular_velocity=(5, 3, 8))
    e = m.make_flexible(p, bar(E / 3000), modes=2, interfaces=[1, 21])
    e.q = tuple([0.01, 0.006] + [0.0] * (e.modes - 2))
    run = hn.simulate(m, end=0.2, steps=20, integrator="RADAU5", error=1e-9)
    have = run.part("bar").angular_momentum.values
    A, w = run.part("bar").axes.values, run.part("bar").angular_velocity.values
    rigid = np.einsum("tij,jk,tlk,tl->ti", A, run._mass(("PART", p.id, "bar"))[1], A, w)
    scale = np.abs(have).max()
    assert np.abs(have - have[0]).max() < 1e-6 * scale
    assert np.abs(rigid - rigid[0]).max() > 1e-3 * scale


def test_other_units():
    """Millimetres, kilograms, newtons: the same machine, stresses a million times smaller in number, energies in J."""
    out = []
    for k, units in ((1.0, None), (1000.0, hn.Units(length="MILLIMETER"))):
        m = hn.Model("bar")
        if units is not None:
            m.units = units
        m.gravity = (0, -9.81 * k, 0)
        p = m.part("bar", 1.0, (1, 1, 1), position=(0.5 * k, 0, 0))
        m.fixed(p, m.ground, at=(0, 0, 0))
        fe = beam(
            (0, 0, 0), (k, 0, 0), Section.rectangle(0.02 * k, 0.01 * k), E=E / k**2, density=RHO / k**3, y=(0, 1, 0)
        )
        m.make_flexible(p, fe, modes=2)
        view = hn.simulate(m, end=0, kind="statics").flexible()
        out.append(
            (
                view.von_mises(1).values[-1] * k**2,
                float(view.strain_energy.sum()),
                view.interface_loads().forces[-1, 0, 1],
                view.von_mises(1).attrs["units"],
            )
        )
    assert out[1][:3] == pytest.approx(out[0][:3], rel=1e-6) and out[1][3] == "N/mm^2"


# ---- names and bad input ---------------------------------------------------------------------------------------------
def test_names():
    run = swing()
    element = run.model.table("FLEXIBILITY")[1]
    for reference in ("bar", "BAR", element, "FLEXIBILITY/1", run.model.find("PART", "bar"), None):
        assert run.flexible(reference).name == "bar"
    assert "21 nodes" in repr(run.flexible())
    with pytest.raises(hn.ModelError, match="there is no FLEXIBILITY named 'abc'"):
        run.flexible("FLEXIBILITY/abc")
    with pytest.raises(hn.ModelError, match=r"count = 2\.5"):
        run.flexible().hot_spots(2.5)
    with pytest.raises(hn.ModelError, match="it is rigid"):
        run.flexible("bob")
    with pytest.raises(hn.ModelError, match="did you mean 'bar'"):
        run.flexible("barr")
    with pytest.raises(hn.ModelError, match="it has no node 99; it has 21, from 1 to 21"):
        run.flexible().displacement(99)
    with pytest.raises(hn.ModelError, match="the model has 0 flexible bodies"):
        m = hn.Model("rigid")
        m.part("p", 1.0, (1, 1, 1))
        hn.simulate(m, end=0.1, steps=1).flexible()


def test_without_stresses():
    """A section without fibres has forces, and states what it lacks; a foreign body has neither."""
    bare = Section(SECTION.A, SECTION.Iy, SECTION.Iz, SECTION.J)
    m = hn.Model("bare")
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    m.make_flexible(p, bar(section=bare), modes=1, interfaces=[1])
    run = hn.simulate(m, end=0.01, steps=1)
    assert run.flexible().section_forces().shape == (2, 21, 6)
    with pytest.raises(hn.ModelError, match="has no fibres: give Section.round"):
        run.flexible().stress()
    own = replace(bare, fibres=((0.01, 0.0), (0.0, 0.005)), Wt=SECTION.Wt)
    assert own.law[0, 2, 3] == pytest.approx(1 / SECTION.Wt) and own.law[1, 1, 3] == pytest.approx(-1 / SECTION.Wt)
    body = replace(
        reduce(bar(), (1, 21), 2),
        section=np.zeros(0),
        station=np.zeros(0, int),
        triad=np.zeros(0),
        fibre=np.zeros(0),
        law=np.zeros(0),
        section_residual=np.zeros(0),
    )
    m = hn.Model("foreign")
    m.make_flexible(m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0)), body)
    view = hn.simulate(m, end=0.01, steps=1).flexible()
    with pytest.raises(hn.ModelError, match="its body gives none"):
        view.hot_spots()
    with pytest.raises(hn.ModelError, match="not a beam"):
        view.section_forces()


def test_corners_have_two_stations():
    fe = beam((0, 0, 0), (0.3, 0, 0.4), SECTION, E=E, density=RHO, elements=4, via=[(0.3, 0, 0)])
    body = reduce(fe, (1, 9), 2)
    assert list(body.station) == [0, 1, 2, 3, 4, 4, 5, 6, 7, 8] and body.stress_points[2].shape == (80, 6, body.modes)
    # a pull on the ends opens the corner: the bending moment there is the same on both sides, about the same axis of
    # ground
    moment = lambda k: body.triad[k] @ body.section[k, 3:]
    q = body.section[4]
    assert moment(4) == pytest.approx(moment(5), rel=0.3, abs=0.05 * np.abs(q).max())


def test_kept_in_files(tmp_path):
    run = cantilever()
    run.save(tmp_path / "run.h5")
    back = hn.load(tmp_path / "run.h5")
    assert back.flexible().von_mises().values == pytest.approx(run.flexible().von_mises().values, rel=1e-14)
    body = run.flexible().body
    assert hn.flexible.read_body(body.save(tmp_path / "body.h5").file) == body
    again = hn.Model.from_json(run.model.to_json()).table("FLEXIBILITY")[1].body
    assert again == body and again.law.shape == body.law.shape


def test_a_turning_bar_of_solids():
    """The axial stress in its middle, rho W^2 (L^2 - x^2) / 2, with free modes and loads at one node; near that node
    the mesh decides."""
    pytest.importorskip("skfem", reason="scikit-fem (holonom[flex]) is not installed")
    speed = 50.0
    m = hn.Model("bar")
    p = m.part(
        "bar", 1.0, (1, 1, 1), position=(0.25, 0, 0), velocity=(0, 0.25 * speed, 0), angular_velocity=(0, 0, speed)
    )
    m.motion(m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"{speed}*time")
    mesh = hn.flexible.box((0, -0.01, -0.01), (0.5, 0.01, 0.01), (20, 2, 2))
    m.make_flexible(p, mesh, hn.flexible.Material(2.1e11, 0.3, 7850.0), modes=4, damping=0.5)
    run = hn.simulate(m, end=0.02, steps=5, integrator="RADAU5", error=1e-6)
    x, y, z = run.flexible().body.places.T
    middle = np.flatnonzero((np.abs(y) < 1e-9) & (np.abs(z) < 1e-9) & (x > 0.09))
    exact = 0.5 * 7850.0 * speed**2 * (0.25 - x[middle] ** 2)
    stress = lambda **o: run.flexible(**o).stress().sel(component="xx").values[-1][middle]
    assert np.abs(stress() - exact).max() < 3e-3 * exact.max()
    assert np.abs(stress(residual=False) - exact).max() > 0.1 * exact.max()
    spots = run.flexible().hot_spots(2)
    far = run.flexible().hot_spots(2, away=0.1)
    assert (
        spots["x"][0] == pytest.approx(-0.25) and far["von_mises"][0] < 1.02 * exact.max() and far["x"].min() > -0.151
    )


def test_forces_beside_interfaces_are_told():
    """A weight on a node that is not an interface: what its stresses lack is a warning, and in the report and the
    picture."""
    m = hn.Model("beside")
    m.gravity = (0, 0, 0)
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    m.fixed(p, m.ground, at=(0, 0, 0))
    m.make_flexible(p, bar(), modes=2)
    m.sforce(m.marker_at(p, (0.55, 0, 0), z=(0, 1, 0)), m.marker_at(m.ground, (0.55, 1, 0), z=(0, 1, 0)), "5")
    run = hn.simulate(m, end=0, kind="statics")
    with pytest.warns(UserWarning, match="forces act on node 12, no interface of its body"):
        run.flexible().von_mises(1)
    assert run.flexible(residual=False).doubts == []
    from holonom.results.pages.animation import scene

    assert any("forces act on node 12" in text for text in scene(run)["missing"])


def test_turned_and_far():
    """The swing far from the origin, turned, its mesh in ground and its part in axes of its own: the same stresses and
    loads."""
    from scipy.spatial.transform import Rotation

    out = []
    for turn, shift in (
        (np.eye(3), np.zeros(3)),
        (Rotation.from_rotvec([0.3, -1.1, 0.7]).as_matrix(), np.array([300.0, -200.0, 50.0])),
    ):
        at = lambda p, turn=turn, shift=shift: turn @ np.asarray(p, float) + shift
        m = hn.Model("turned")
        m.gravity = tuple(turn @ [1.0, -9.0, 3.0])
        p = m.part("bar", 1.0, (1, 1, 1), position=at((0.5, 0.1, 0)))
        m.spherical(p, m.ground, at=at((0, 0, 0)))
        fe = beam(at((0, 0, 0)), at((L, 0, 0)), SECTION, E=E / 100, density=RHO, elements=8, y=turn @ [0, 1, 0])
        m.make_flexible(p, fe, modes=2, damping=0.1)
        m.marker_at(p, at((L, 0, 0)), name="tip")
        run = hn.simulate(m, end=0.1, steps=5, integrator="RADAU5", error=1e-8)
        view = run.flexible()
        assert np.abs(view.position(9).values - run.marker("tip").position.values).max() < 1e-10
        loads = view.interface_loads()
        out.append(
            (
                view.von_mises().values,
                view.section_forces().values,
                loads.forces @ turn,
                view.strain_energy.sum("mode").values,
            )
        )
    for a, b in zip(*out):
        assert np.abs(a - b).max() < 1e-5 * np.abs(a).max()


def test_two_links_joined_at_nodes():
    """What a joint does to one it does to the other: loads of both balance, and are opposite in ground."""
    m = hn.Model("links")
    m.gravity = (0, -9.81, 0)
    parts = [m.part(f"link{k}", 1.0, (1, 1, 1), position=(k + 0.5, 0, 0)) for k in (0, 1)]
    m.revolute(parts[0], m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(*parts, at=(1, 0, 0), axis=(0, 0, 1))
    for k, p in enumerate(parts):
        m.make_flexible(
            p, beam((k, 0, 0), (k + 1, 0, 0), SECTION, E=E / 10, density=RHO, elements=6), modes=2, damping=0.05
        )
    run = hn.simulate(m, end=0.05, steps=5, integrator="RADAU5", error=1e-7)
    loads = [run.flexible(p).interface_loads() for p in parts]
    A = [run.part(p).axes.values for p in parts]
    one, other = (np.einsum("tij,tj->ti", a, load.forces[:, k]) for a, load, k in zip(A, loads, (1, 0)))
    assert one == pytest.approx(-other, abs=1e-9) and np.abs(one).max() > 1.0
    assert list(run.strain_energy) == ["link0", "link1"]
    assert sum(run.strain_energy[n] for n in run.strain_energy).values == pytest.approx(
        run.energy.elastic.values, rel=1e-9
    )
    with pytest.raises(hn.ModelError, match="the model has 2 flexible bodies; name one"):
        run.flexible()


def test_solids():
    """Stress at nodes, in axes of the part, which are not those of the mesh."""
    body = box()
    m = hn.Model("box")
    m.gravity = (0, 0, 0)
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    p = m.part("box", 1.0, (1, 1, 1))
    e = m.make_flexible(p, body)
    e.axes = tuple(turn.ravel())
    e.q = (0.01, 0.002)
    run = hn.simulate(m, end=1e-6, steps=1)
    view = run.flexible()
    q = view.q.values[0]
    own = body.stress[4] @ q
    six = view.stress(5).values[0]
    assert six[[0, 1, 3]] == pytest.approx([own[1], own[0], -own[3]], rel=1e-12, abs=1e-6)
    assert view.von_mises(5).values[0] == pytest.approx(von_mises(own))
    assert view.stress().dims == ("time", "node", "component") and view.hot_spots(1)["fibre"][0] == ""
    assert view.displacement(5).values[0] == pytest.approx(turn @ (body.shapes[4, :3] @ q))
