"""Flexible bodies: modes in a floating frame, against closed forms, published tables and a converged nonlinear solution
of others."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.flexible import Section, beam, reduce

E, RHO, L = 2.1e11, 7850.0, 1.0
EYE = np.eye(3)
SECTION = Section.rectangle(
    0.02, 0.01
)  # y, z; y of a beam along x is along z of ground: what is nearest to a global axis across


def bar(E=E, section=SECTION, elements=20, **options):
    return beam((0, 0, 0), (L, 0, 0), section, E=E, density=RHO, elements=elements, y=(0, 1, 0), **options)


def pendulum(joint="revolute", *, modes=4, damping=0.0, E=1e9, gravity=(0.0, -9.81, 0.0), **options):
    m = hn.Model()
    m.gravity = gravity
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    axis = {} if joint in ("spherical", "fixed") else {"axis": (0, 0, 1)}
    getattr(m, joint)(p, m.ground, at=(0, 0, 0), **axis)
    m.make_flexible(p, bar(E, elements=10), modes=modes, damping=damping, **options)
    m.marker_at(p, (L, 0, 0), name="tip")
    return m, p


def frequencies(model):
    """Undamped frequencies, rad/s, in order."""
    return np.sort(np.abs(hn.linearize(model).eigenvalues.imag))[::2]


# ---- finite elements and their reduction -----------------------------------------------------------------------------
def test_free_beam():
    fe = bar()
    modal = reduce(fe, (1, 21), 12)
    assert modal.mass == pytest.approx(RHO * SECTION.A * L) and modal.centre == pytest.approx([0.5, 0, 0])
    m = modal.mass
    assert modal.inertia[1, 1] == pytest.approx(m * L**2 / 12 + RHO * SECTION.Iy * L, rel=1e-12)
    for I in (SECTION.Iy, SECTION.Iz):
        for root in (4.730041, 7.853205, 10.995608):
            exact = root**2 * np.sqrt(E * I / (RHO * SECTION.A))
            assert np.abs(modal.frequency / exact - 1).min() < 2e-3  # which is rotary inertia
    Phi = modal.shapes.reshape(-1, len(modal.frequency))
    assert np.abs(Phi.T @ (fe.M @ Phi) - np.eye(Phi.shape[1])).max() < 1e-9
    assert np.abs(fe.rigid(modal.centre).T @ (fe.M @ Phi)).max() < 1e-9


def test_shear_lowers_frequencies():
    """Timoshenko: pinned beam, w^2 = w0^2 / (1 + (n pi / L)^2 (I/A) (1 + E / k G)) to first order (Timoshenko,
    Vibration Problems (1955), sect. 55)."""
    h = 0.1
    fe = beam((0, 0, 0), (L, 0, 0), Section.rectangle(h, h, shear=True), E=E, density=RHO, elements=40)
    K, M = fe.K.toarray(), fe.M.toarray()
    free = np.setdiff1d(np.arange(6 * 41), [0, 1, 2, 3, 6 * 40 + 1, 6 * 40 + 2])
    from scipy.linalg import eigh

    w = np.sqrt(eigh(K[np.ix_(free, free)], M[np.ix_(free, free)], eigvals_only=True, subset_by_index=(0, 0)))[0]
    I, A, k = h**4 / 12, h**2, np.pi / L
    exact = k**2 * np.sqrt(E * I / (RHO * A) / (1 + k**2 * I / A * (1 + 2 * 1.3 * 6 / 5)))
    assert w == pytest.approx(exact, rel=1e-3)


def test_bad_matrices():
    fe = bar(elements=4)
    from dataclasses import replace

    with pytest.raises(hn.ModelError, match="there is no node 9"):
        reduce(fe, [9])
    K = fe.K.tolil()
    K[0, 1] += 1e3
    with pytest.raises(hn.ModelError, match="stiffness is not symmetric"):
        reduce(replace(fe, K=K.tocsc()), [1])
    K = fe.K.tolil()
    K[0, 0] *= 2
    with pytest.raises(hn.ModelError, match="resists a rigid motion along x"):
        reduce(replace(fe, K=K.tocsc()), [1])
    with pytest.raises(hn.ModelError, match="its mass is -"):
        reduce(replace(fe, M=-fe.M), [1])
    with pytest.raises(hn.ModelError, match="four|degrees of freedom"):
        reduce(replace(fe, K=fe.K[:6, :6]), [1])


# ---- statics and frequencies -----------------------------------------------------------------------------------------
def test_cantilever():
    m, p = pendulum("fixed", modes=6, E=E)
    w = frequencies(m)
    for I in (SECTION.Iy, SECTION.Iz):
        for root in (1.875104, 4.694091):
            exact = root**2 * np.sqrt(E * I / (RHO * SECTION.A))
            assert np.abs(w / exact - 1).min() < 1e-3
    run = hn.simulate(m, end=0, kind="statics")
    x = run.marker("tip").position.values[-1]
    assert x[1] == pytest.approx(-RHO * SECTION.A * 9.81 * L**4 / (8 * E * SECTION.Iz), rel=2e-3)
    joint = run.joint("JOINT_1")
    weight = RHO * SECTION.A * L * 9.81
    assert np.abs(joint.force.values[-1]) == pytest.approx([0, weight, 0], abs=1e-3 * weight)


def test_both_ends_clamped():
    """Bodies rather move than bend where they are put together; where nothing but bending is left they bend."""
    m = hn.Model()
    m.gravity = (0, -9.81, 0)
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    for x in (0.0, L):
        m.fixed(p, m.ground, at=(x, 0, 0))
    m.make_flexible(p, bar(), modes=8)
    assert frequencies(m)[0] == pytest.approx(4.730041**2 * np.sqrt(E * SECTION.Iy / (RHO * SECTION.A)), rel=1e-3)
    m.marker_at(p, (L / 2, 0, 0), name="middle")
    x = hn.simulate(m, end=0, kind="statics").marker("middle").position.values[-1]
    assert x[1] == pytest.approx(-RHO * SECTION.A * 9.81 * L**4 / (384 * E * SECTION.Iz), rel=5e-3)


#: first and second flapping frequency of a clamped uniform beam over its speed, both in sqrt(E I / rho A L^4): Wright,
#: Smith, Thresher & Wang, Journal of Applied Mechanics 49 (1982) 197-202
FLAPPING = {
    0: (3.5160, 22.0345),
    1: (3.6817, 22.1810),
    2: (4.1373, 22.6149),
    4: (5.5850, 24.2733),
    12: (13.1702, 37.6031),
}


@pytest.mark.parametrize("speed", FLAPPING)
def test_rotating_beam(speed):
    section = Section.rectangle(0.02, 0.002)
    T = np.sqrt(RHO * section.A * L**4 / (E * section.Iy))
    m = hn.Model()
    p = m.part(
        "blade",
        1.0,
        (1, 1, 1),
        position=(0.5, 0, 0),
        velocity=(0, 0.5 * speed / T, 0),
        angular_velocity=(0, 0, speed / T),
    )
    m.motion(m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"{speed / T}*time")
    m.make_flexible(p, bar(section=section), modes=8)
    w = frequencies(m) * T
    for exact in FLAPPING[speed]:
        assert np.abs(w / exact - 1).min() < 1e-3


# ---- motion ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("joint", ("revolute", "spherical", "cylindrical", "translational", "hooke", "planar", "fixed"))
def test_energy_is_kept(joint):
    m, _ = pendulum(joint)
    run = hn.simulate(m, end=0.2, steps=10, integrator="RADAU5", error=1e-9)
    e = run.energy.total.values
    scale = np.abs(run.energy.kinetic.values).max() + 1e-3
    assert np.abs(e - e[0]).max() < 1e-7 * scale


def test_all_integrators_agree():
    want = (
        hn.simulate(pendulum(modes=2)[0], end=0.3, steps=3, integrator="RADAU5", error=1e-10)
        .marker("tip")
        .position.values[-1]
    )
    for integrator, error, close in (
        ("DOP853", 1e-8, 1e-6),
        ("GSTIFF", 1e-6, 1e-4),
        ("HHT", 1e-7, 2e-3),
        ("CONSTANT_BDF", 1e-6, 2e-3),
    ):
        run = hn.simulate(pendulum(modes=2)[0], end=0.3, steps=3, integrator=integrator, error=error)
        assert np.abs(run.marker("tip").position.values[-1] - want).max() < close, integrator


def test_free_body_keeps_its_momentum():
    m = hn.Model()
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0), velocity=(1, 2, 3), angular_velocity=(0.3, 4.0, 5.0))
    f = m.make_flexible(p, bar(E=1e8, elements=8), modes=6, interfaces=[])
    f.speed = tuple(0.05 * np.cos(np.arange(f.modes)))
    run = hn.simulate(m, end=1.0, steps=10, integrator="DOP853", error=1e-11)
    e = run.energy.total.values
    assert np.abs(e - e[0]).max() < 1e-9 * e[0]
    assert np.abs(run.state(f"FLEXIBILITY_{f.id}").values).max() > 1e-4  # it rings
    assert np.abs(run.part("bar").position.values[-1] - [1.5, 2.0, 3.0]).max() < 1e-9


def test_two_links_carry_each_other():
    """What one link does to the other at a joint between nodes of both: energy, and the same machine with its links in
    the other order."""

    def machine(order):
        m = hn.Model()
        m.gravity = (0, -9.81, 0)
        links = {}
        for k in order:
            links[k] = m.part(f"link{k}", 1.0, (1, 1, 1), position=(0.5 + k, 0, 0))
        m.revolute(links[0], m.ground, at=(0, 0, 0), axis=(0, 0, 1))
        m.revolute(links[0], links[1], at=(1, 0, 0), axis=(0, 0, 1))
        for k in order:
            fe = beam((k, 0, 0), (k + 1, 0, 0), SECTION, E=1e10, density=RHO, elements=6, y=(0, 1, 0))
            m.make_flexible(links[k], fe, modes=2)
        m.marker_at(links[1], (2, 0, 0), name="tip")
        return hn.simulate(m, end=0.3, steps=3, integrator="RADAU5", error=1e-9)

    runs = [machine(order) for order in ((0, 1), (1, 0))]
    for run in runs:
        e = run.energy.total.values
        assert np.abs(e - e[0]).max() < 1e-7 * run.energy.kinetic.values.max()
    assert np.abs(runs[0].marker("tip").position.values[-1] - runs[1].marker("tip").position.values[-1]).max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("geometric", (True, False))
def test_spin_up(geometric):
    """Beam of 8 m turned up to 6 rad/s in 15 s (Kane, Ryan & Banerjee, J. Guidance 10 (1987) 139-151): it is flexible
    back by 0.751 m at most (absolute nodal coordinates, 32 elements) and straightens; without the stiffness by stress
    it is flexible by a third more. (Not without bound, as with clamped modes: the mean axes turn with the blade, and
    carry most of the centrifugal stiffness.)"""
    section = Section(7.2968e-5, 8.2189e-9, 8.2189e-9, 1.6e-8)
    m = hn.Model()
    p = m.part("beam", 1.0, (1, 1, 1), position=(4, 0, 0))
    turn = "6/15*(time**2/2+(15/2/pi)**2*(cos(2*pi*time/15)-1))"
    m.motion(m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"if(time-15:{turn},{turn},6*(time-7.5))")
    m.make_flexible(
        p, beam((0, 0, 0), (8, 0, 0), section, E=6.8952e10, density=2766.67, elements=16), modes=4, geometric=geometric
    )
    m.marker_at(p, (8, 0, 0), name="tip")
    run = hn.simulate(m, end=20.0 if geometric else 12.0, steps=400, integrator="RADAU5", error=1e-5)
    t, x = np.asarray(run.time), run.marker("tip").position.values
    a = np.where(t < 15, 6 / 15 * (t**2 / 2 + (15 / 2 / np.pi) ** 2 * (np.cos(2 * np.pi * t / 15) - 1)), 6 * (t - 7.5))
    across = -np.sin(a) * x[:, 0] + np.cos(a) * x[:, 1]
    if geometric:
        assert -across.min() == pytest.approx(0.751, abs=0.012)
        assert np.abs(across[t > 17]).max() < 0.02
    else:
        assert -across.min() > 0.95


# ---- what a user may do wrong ----------------------------------------------------------------------------------------
def test_what_cannot_be_says_so():
    m, p = pendulum()
    with pytest.raises(hn.ModelError, match="is flexible already"):
        m.make_flexible(p, bar())
    with pytest.raises(hn.ModelError, match="has no node 99"):
        m.attachment(p, 99)
    with pytest.raises(hn.ModelError, match="only a part that moves"):
        m.make_flexible(m.ground, bar())
    q = m.part("other", 1.0, (1, 1, 1))
    with pytest.raises(hn.ModelError, match="rigid and has no nodes"):
        m.attachment(q, 1)
    with pytest.raises(hn.ModelError, match="finite elements"):
        m.make_flexible(q, "link.mnf")
    with pytest.raises(hn.ModelError, match="damping ratio of mode 1 is -0.1"):
        m.make_flexible(q, bar(elements=4), damping=-0.1)
    assert any("its mass was" in w for w in m.warnings)
    f = next(iter(m.table("FLEXIBILITY").values()))
    f.body = replace(f.body, frequency=np.concatenate([[0.0], f.frequency[1:]]))
    with pytest.raises(hn.ModelError, match="frequency of mode 1 is 0"):
        hn.simulate(m, end=0.1)


def test_a_force_on_the_floating_frame_is_told():
    m, p = pendulum()
    m.spring_damper(m.find("MARKER", p.cm), m.marker_at(m.ground, (0.5, 1, 0)), stiffness=10.0, length=1.0)
    run = hn.simulate(m, end=0.01, steps=1, integrator="RADAU5")
    assert any("floating frame" in text for text in run.info["warnings"])
    assert not any(
        "floating frame" in text
        for text in hn.simulate(pendulum()[0], end=0.01, steps=1, integrator="RADAU5").info["warnings"]
    )


def test_large_deformations_are_told():
    few, many = (
        hn.simulate(pendulum("fixed", modes=2, E=E)[0], end=0.3, steps=50, integrator="RADAU5") for E in (1e10, 1e9)
    )
    assert not any("small deformations" in text for text in few.info["warnings"])
    text = next(text for text in many.info["warnings"] if "small deformations" in text)
    # of a beam clamped at node 1, which is farthest from the mean axes
    assert text.startswith("FLEXIBILITY/1 'FLEXIBILITY_1' deflects by 6 % of its size at time 0.3 (node 1)")


@pytest.mark.parametrize("units", ("SI", "mm"))
def test_bent_at_the_start(units):
    """Parts with coordinates of modes at the start are put together: twist, which displaces no node of a straight beam,
    is not a free way out."""
    f = 1.0 if units == "SI" else 1000.0
    m = hn.Model("bent", units=units)
    a = m.part("a", 1.0, (f * f,) * 3, position=(0.5 * f, 0, 0))
    b = m.part("b", 1.0, (f * f,) * 3, position=(f, -0.3 * f, 0))
    m.spherical(a, m.ground, at=(0, 0, 0))
    m.spherical(a, b, at=(f, 0, 0))
    section = Section.rectangle(0.02 * f, 0.01 * f)
    more = dict(E=1e10 / (f * f), density=RHO / f**3)
    m.make_flexible(a, beam((0, 0, 0), (f, 0, 0), section, elements=5, **more), modes=2)
    e = m.make_flexible(b, beam((f, 0, 0), (f, -0.6 * f, 0), section, elements=4, **more), modes=2)
    e.q = tuple(1e-3 * np.sqrt(f) / (k + 1) for k in range(e.modes))
    run = hn.simulate(m, end=1e-5, steps=1)
    q = run.state(f"FLEXIBILITY_{e.id}").values[0, ::2]
    assert q == pytest.approx(e.q, rel=1e-2)


def test_json_keeps_modes():
    m, _ = pendulum(damping=0.02)
    again = hn.Model.from_json(m.to_json())
    a, b = (hn.simulate(x, end=0.05, steps=2, integrator="RADAU5") for x in (m, again))
    assert (a.marker("tip").position.values == b.marker("tip").position.values).all()


def crank(Q=EYE, at=(0, 0, 0), own=None, units="SI", contact=False):
    """A bent link, hinged at one end, its axes of ground turned by Q and moved."""
    f = 1.0 if units == "SI" else 1000.0
    m = hn.Model(units=units)
    m.gravity = tuple(f * (Q @ (0, -9.81, 2.0)))
    P, D = (lambda *x: tuple(f * (Q @ np.array(x) + at))), (lambda *x: tuple(Q @ np.array(x, float)))
    p = m.part("L", 1.0, (1, 1, 1), position=P(0.3, 0.2, 0.0), axes=own)
    m.revolute(p, m.ground, at=P(0, 0, 0), axis=D(0.2, 0.1, 1))
    section = Section.rectangle(0.02 * f, 0.01 * f)
    fe = beam(
        P(0, 0, 0),
        P(0.6, 0.4, 0.2),
        section,
        E=1e9 / f**2,
        density=RHO / f**3,
        elements=4,
        via=[P(0.6, 0, 0)],
        y=D(0.1, 0.2, 1),
    )
    m.make_flexible(p, fe, modes=4, damping=0.01)
    m.marker_at(p, P(0.6, 0.4, 0.2), name="tip")
    if contact:
        m.contact(
            m.sphere(p, P(0.6, 0.4, 0.2), 0.05), m.sphere(m.ground, P(0.6, 0.2, 0.25), 0.05), stiffness=1e4, damping=5.0
        )
    return m


@pytest.mark.parametrize("contact", (False, True))
def test_no_place_and_no_axes_are_special(contact):
    found = []
    for seed in (None, 1, 2):
        turn = lambda k, seed=seed: Rotation.random(random_state=seed + k).as_matrix()
        Q, at, own = (np.eye(3), np.zeros(3), None) if seed is None else (turn(0), np.array([3.0, -20.0, 5.0]), turn(9))
        run = hn.simulate(crank(Q, at, own, contact=contact), end=0.3, steps=3, integrator="RADAU5", error=1e-8)
        found.append(Q.T @ (run.marker("tip").position.values[-1] - at))
        assert np.abs(found[-1] - found[0]).max() < 1e-6
    if contact:  # it meets the sphere
        assert np.abs(found[0] - [0.7479, -0.0708, 0.0529]).max() < 1e-3


def test_units_do_not_matter():
    a, b = (np.sort(np.abs(hn.linearize(crank(units=u)).eigenvalues.imag)) for u in ("SI", "mm"))
    assert np.abs(a - b)[-20:].max() < 1e-6 * a.max()


def test_accelerations_are_those_of_velocities():
    """Of a marker next to a node, which turns with it."""
    m = crank()
    off, ground = m.marker_at(m.find("PART", "L"), (0.6, 0.45, 0.2), z=(1, 0, 0)), m.marker_at(m.ground, (0, 0, 0))
    pairs = (("VX", "ACCX"), ("VY", "ACCY"), ("WX", "WDTX"), ("WY", "WDTY"))
    for word in (w for pair in pairs for w in pair):
        m.variable(f"{word}({off},{ground})", name=word)
    run = hn.simulate(m, end=0.02, steps=2000, integrator="RADAU5", error=1e-9)
    for v, a in pairs:
        v, a = (run.variable(w).values.ravel() for w in (v, a))
        slope = np.gradient(v, np.asarray(run.time), edge_order=2)
        assert np.abs(slope - a)[5:-5].max() < 1e-4 * np.abs(a).max()


def test_results_are_written(tmp_path):
    run = hn.simulate(crank(), end=0.05, steps=3, integrator="RADAU5")
    run.export_csv(tmp_path / "r")
    run.report(tmp_path / "r.html")
    run.save(tmp_path / "r.h5")
    again = hn.load(tmp_path / "r.h5")
    assert (again.marker("tip").position.values == run.marker("tip").position.values).all()
    linear = hn.linearize(crank())
    assert linear.kinetic_energy(2).sum() == pytest.approx(1.0)


def test_who_knows_no_modes_says_so():
    m = crank()
    with pytest.raises(hn.ModelError, match="flexible bodies are not supported where contacts are located as events"):
        hn.simulate(m, end=0.1, contact="events")
    with pytest.raises(hn.ModelError, match="minimal coordinates"):
        hn.simulate(m, end=0.1, integrator="ABAM")
    with pytest.raises(hn.ModelError, match="flexible bodies"):
        hn.equations(m)


def test_markers_go_to_the_nearest_node():
    m, p = pendulum()
    tip = next(x for x in m.markers.values() if x.name == "tip")
    body = m.body_of(tip)
    assert (body.KIND, body.node) == ("ATTACHMENT", 11) and np.allclose(m.body_frame(tip).origin, (L, 0, 0))
    off = m.marker_at(p, (0.52, 0.05, 0.0), z=(0, 1, 0))
    assert m.body_of(off).node == 6 and np.allclose((m.body_frame(off) @ off.frame).origin, (0.52, 0.05, 0.0))
    assert m.marker(p, (0.5, 0, 0)).part == m.attachment(p, 11).id  # in axes of the part, from its own origin


def test_a_reduced_body_has_a_file(tmp_path):
    """Of its own, named in JSON; and result files and saved analyses hold it themselves."""
    body = reduce(bar(), (1, 21), 3).save(tmp_path / "bar.h5")
    again = hn.flexible.read_body(tmp_path / "bar.h5")
    assert again == body and again.modes == body.modes
    m = hn.Model()
    for k in range(2):  # two parts share one body
        p = m.part(f"p{k}", 1.0, (1, 1, 1), position=(0.5, 0, 0))
        m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
        m.make_flexible(p, body)
        m.marker_at(p, (L, 0, 0), name=f"tip{k}")
    text = m.to_json()
    assert len(text) < 20000 and "bar.h5" in text
    a, b = (hn.simulate(x, end=0.05, steps=2, integrator="RADAU5") for x in (m, hn.Model.from_json(text)))
    assert (a.marker("tip1").position.values == b.marker("tip1").position.values).all()
    a.save(tmp_path / "run.h5")
    hn.linearize(m).save(tmp_path / "linear.h5")
    (tmp_path / "bar.h5").unlink()
    assert hn.load(tmp_path / "run.h5").model.table("FLEXIBILITY")[2].body == body
    from holonom.results.modes import Linear

    assert Linear.load(tmp_path / "linear.h5").model.table("FLEXIBILITY")[1].body == body
    with pytest.raises(hn.ModelError, match=r"FLEXIBILITY/1: '.*bar.h5' cannot be read"):
        hn.Model.from_json(text)
    reduce(bar(), (1, 21), 2).save(tmp_path / "bar.h5")
    with pytest.raises(hn.ModelError, match="holds another body"):
        hn.Model.from_json(text)


def test_files_of_bodies_that_are_none(tmp_path):
    import h5py

    path = tmp_path / "b.h5"
    body = reduce(bar(elements=2), (1,), 1)
    for spoil, match in (
        (lambda f: f.attrs.__setitem__("format", "mine"), "its format is not"),
        (lambda f: f.__delitem__("S"), "has no table 'S'"),
        (lambda f: f.create_dataset("extra", data=1.0), "'extra', which is not a table"),
        (lambda f: (f.__delitem__("H"), f.create_dataset("H", data=np.zeros((2, 2)))), "H has 2 x 2 numbers"),
        (lambda f: f["frequency"].write_direct(np.full(body.modes, np.nan)), "not finite"),
        (lambda f: (f.__delitem__("S"), f.__setitem__("S", h5py.SoftLink("/H"))), "'S', which is not a table"),
    ):
        body.save(path)
        with h5py.File(path, "r+") as file:
            spoil(file)
        with pytest.raises(hn.ModelError, match=match):
            hn.flexible.read_body(path)
    path.write_bytes(b"nonsense")
    with pytest.raises(hn.ModelError, match="cannot be read"):
        hn.flexible.read_body(path)


def test_a_part_that_turns_is_told_in_ground_axes():
    """Lagging of a blade is that of a turning observer; from ground a sentence reports this."""
    section = Section.rectangle(0.02, 0.002)
    scale = np.sqrt(RHO * section.A / (E * section.Iy))
    m = hn.Model()
    p = m.part(
        "blade",
        1.0,
        (1, 1, 1),
        position=(0.5, 0, 0),
        velocity=(0, 2.0 / scale, 0),
        angular_velocity=(0, 0, 4.0 / scale),
    )
    m.motion(m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"{4.0 / scale}*time")
    m.make_flexible(p, bar(section=section, elements=8), modes=4)
    assert any("give rm = a marker on it" in text for text in hn.linearize(m).warnings)
    assert not hn.linearize(m, rm=p.cm).warnings
