"""BEAM with FORMULATION = NONLINEAR: the elastica of Bisshopp and Drucker, end moments, small loads, and that its force
has an energy."""

import numpy as np
import pytest
from scipy.integrate import solve_bvp
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.elements.forces import beam as linear
from holonom.elements.forces.nonlinear_beam import NonlinearBeam
from holonom.formats.adams import parse_adm
from holonom.model.forces import Beam
from holonom.model.idle import idle

#: P L^2/EI -> tip deflection, shortening, over L (Bisshopp, Drucker, Quarterly of Applied Mathematics 3 (1945) 272;
#: Mattiasson, Int. J. Numer. Meth. Eng. 17 (1981) 145, table I)
ELASTICA = {
    1.0: (0.30172, 0.05643),
    2.0: (0.49346, 0.16064),
    3.0: (0.60325, 0.25442),
    5.0: (0.71379, 0.38763),
    10.0: (0.81061, 0.55500),
}
E, L = 2.0e11, 1.0
SECTION = dict(area=1e-4, ixx=1.4e-9, iyy=8e-10, izz=8e-10, emodulus=E, gmodulus=8e10)
EI = E * 8e-10


def cantilever(n, formulation, load=(0.0, 0.0, 0.0), moment=(0.0, 0.0, 0.0), mass=0.1, **more):
    """n beams between light parts along x; dead loads on the tip."""
    m = hn.Model("cantilever", units="SI")
    before = m.marker_at(m.ground, (0, 0, 0))
    for k in range(1, n + 1):
        b = m.part(f"p{k}", mass, (1e-3 * mass,) * 3, (k * L / n, 0, 0))
        m.beam(b.cm, before, length=L / n, formulation=formulation, **{**SECTION, **more})
        before = b.cm
    m.gforce(before, m.ground, *(repr(float(f)) for f in (*load, *moment)), rm=m.marker_at(m.ground, (0, 0, 0)))
    return m, f"p{n}"


def tip(n, formulation, load=(0.0, 0.0, 0.0), moment=(0.0, 0.0, 0.0)):
    """Position and axes of the tip at the end of a ramp of the load and a rest, in a medium that brakes all parts."""
    m, name = cantilever(n, formulation)
    ground = m.marker_at(m.ground, (0, 0, 0))
    for part in [p for p in m.table("PART").values() if not p.ground]:
        part.ip = (1e-3,) * 3
        acts = [*load, *moment] if part.name == name else [0.0] * 6
        drags = [*(f"-15*V{c}({part.cm})" for c in "XYZ"), *(f"-0.5*W{c}({part.cm})" for c in "XYZ")]
        m.gforce(part.cm, m.ground, *(f"STEP(TIME,0,0,1,{float(x)!r}){d}" for x, d in zip(acts, drags)), rm=ground)
    part = hn.simulate(m, end=2.0, steps=4, integrator="HHT", error=1e-5).part(name)
    assert np.abs(part.velocity.values[-1]).max() < 1e-4
    return part.position.values[-1], part.axes.values[-1]


@pytest.mark.parametrize(("P", "axis"), [(1.0, 1), (3.0, 1), (3.0, 2), (10.0, 1)])
def test_one_beam_is_the_elastica(P, axis):
    load = np.zeros(3)
    load[axis] = P * EI / L**2
    place, _ = tip(1, "NONLINEAR", load)
    down, short = ELASTICA[P]
    assert place[axis] == pytest.approx(down, abs=1e-4) and 1.0 - place[0] == pytest.approx(short, abs=1e-4)


def test_linear_beams_come_to_it_as_they_are_divided():
    load = (0.0, 3.0 * EI / L**2, 0.0)
    want = ELASTICA[3.0][0]
    errors = [abs(tip(n, "LINEAR", load)[0][1] - want) for n in (1, 2, 4)]
    assert errors[0] == pytest.approx(1.0 - want, abs=1e-3)  # P L^3/(3 EI)
    assert errors[2] < errors[1] < errors[0] and errors[2] > 1e-3
    assert abs(tip(2, "NONLINEAR", load)[0][1] - want) < 1e-4


@pytest.mark.parametrize("angle", [0.5, 3.0])
def test_an_end_moment_bends_it_to_a_circle(angle):
    place, axes = tip(1, "NONLINEAR", moment=(0, 0, angle * EI / L))
    assert place == pytest.approx([np.sin(angle) / angle, (1 - np.cos(angle)) / angle, 0.0], abs=1e-4)
    assert axes[:, 0] == pytest.approx([np.cos(angle), np.sin(angle), 0.0], abs=1e-4)


@pytest.mark.parametrize("P", ELASTICA)
@pytest.mark.parametrize("stretch", [1e4, 1e7])
def test_the_force_at_the_end_of_an_elastica_is_its_load(P, stretch):
    """Position and axes from another solution of the rod (collocation) with stretch stiffness EA L^2/EI: the force is
    the load, and no moment."""

    def rates(s, y):
        t = (1.0 + P * np.sin(y[0]) / stretch) * np.array([np.cos(y[0]), np.sin(y[0])])
        return np.array([y[1], -P * t[0], *t])

    s = np.linspace(0, 1, 201)
    rod = solve_bvp(
        rates,
        lambda a, b: np.array([a[0], b[1], a[2], a[3]]),
        s,
        np.array([s * min(P / 2, 1.2), 0 * s + 0.5, s, 0.3 * s]),
        tol=1e-10,
        max_nodes=100000,
    )
    turn, _, x, y = rod.y[:, -1]
    f, _ = routine(area=stretch, iyy=1.0, izz=1.0, ixx=2.0, emodulus=1.0, gmodulus=1.0)
    F = ask(f, np.array([x, y, 0.0]), Rotation.from_rotvec([0, 0, turn]).as_matrix())
    assert F == pytest.approx([0, -P, 0, 0, 0, 0], abs=1e-4 * P)
    assert (y, 1.0 - x) == pytest.approx(ELASTICA[P], abs=1e-5 if stretch > 1e6 else 3e-3)


def routine(damping=0.0, **more):
    beam = Beam(length=L, **{**SECTION, **more})
    return NonlinearBeam(beam, [damping * x for x in linear.stiffness(beam)]), np.array(linear.stiffness(beam)).reshape(
        6, 6
    )


def ask(f, e, Q, u=(0.0,) * 6):
    return np.array(f([0.0, *e, *(e + L * Q[:, 0]), *(e + L * Q[:, 1]), *u]))


def test_small_displacements_give_the_forces_of_the_linear_beam():
    f, K = routine(iyy=5e-10)
    rng = np.random.default_rng(3)
    for _ in range(10):
        d = 1e-7 * rng.uniform(-1, 1, 6)
        F = ask(f, np.array([L, 0, 0]) + d[:3], Rotation.from_rotvec(d[3:]).as_matrix())
        assert F == pytest.approx(-K @ d, rel=1e-4, abs=1e-6 * np.abs(K @ d).max())


def test_damping_is_that_of_the_linear_beam():
    f, K = routine(damping=0.01)
    u = np.array([0.1, -0.2, 0.3, 0.4, 0.5, -0.6])
    assert ask(f, np.array([L, 0.0, 0.0]), np.eye(3), u) == pytest.approx(-0.01 * K @ u, rel=1e-9)


def test_its_force_does_no_work_around_a_loop():
    """A closed way in all six coordinates, with turns up to a radian: the wrench has an energy."""
    f, _ = routine(iyy=5e-10)

    def pose(s):
        c, d = 1.0 - np.cos(s), np.sin(s)
        e = np.array([L - 0.12 * c - 0.02 * d**2, 0.2 * d, 0.15 * c])
        return e, Rotation.from_rotvec([0.3 * d, -0.3 * c, 0.5 * d])

    n, work, size = 400, 0.0, 0.0
    for k in range(n):
        s, h = 2 * np.pi * k / n, 1e-5
        (ea, qa), (eb, qb) = pose(s - h), pose(s + h)
        e, q = pose(s)
        F = ask(f, e, q.as_matrix())
        power = F[:3] @ (eb - ea) / (2 * h) + F[3:] @ (qb * qa.inv()).as_rotvec() / (2 * h)
        work += power * 2 * np.pi / n
        size += abs(power) * 2 * np.pi / n
    assert size > 0.0 and abs(work) < 1e-6 * size


def test_the_answer_does_not_depend_on_the_way_there():
    f, _ = routine()
    g, _ = routine()
    e, Q = np.array([0.9, 0.3, 0.1]), Rotation.from_rotvec([0.2, -0.2, 0.7]).as_matrix()
    straight = ask(f, e, Q)
    for s in np.linspace(0.0, 1.0, 60):
        last = ask(
            g,
            np.array([L, 0, 0]) + s * (e - [L, 0, 0]) * (s, 1, 1),
            Rotation.from_rotvec(s * np.array([0.2, -0.2, 0.7])).as_matrix(),
        )
    assert last == pytest.approx(straight, rel=1e-5, abs=1e-5 * np.abs(straight).max())


def test_a_small_vibration_has_the_frequency_of_the_cantilever():
    """Mass on the tip, f = sqrt(3 EI/(m L^3))/(2 pi) less the mass's own turning (small): three periods."""
    m, name = cantilever(1, "NONLINEAR", mass=0.1)
    part = m.find("PART", name)
    part.ip = (1e-9,) * 3
    w = np.sqrt(3 * EI / (0.1 * L**3))
    part.vy = 1e-4 * w
    run = hn.simulate(m, end=3 * 2 * np.pi / w, steps=120, integrator="GSTIFF", error=1e-7)
    y, t = run.part(name).position.values[:, 1], np.asarray(run.time)
    assert np.abs(y).max() == pytest.approx(1e-4, rel=5e-3)
    up = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    crossings = t[up] - y[up] * (t[up + 1] - t[up]) / (y[up + 1] - y[up])
    assert np.diff(crossings).mean() == pytest.approx(2 * np.pi / w, rel=1e-3)


def test_datasets_and_what_is_told():
    m, _ = cantilever(1, "NONLINEAR", load=(0, EI, 0), asy=1.2)
    text = hn.write_adams(m)
    assert "NONLINEAR" in text
    twin = parse_adm(text, "beam.adm")
    assert any("ASY = 1.2 has no influence on a beam of FORMULATION = NONLINEAR" in s for s in idle(twin))
    run = hn.simulate(twin, end=1e-3, steps=2, integrator="RADAU5")
    assert run.part("p1").position.values[-1, 1] == pytest.approx(
        0.5 * EI / 0.1 * 1e-6, rel=1e-2
    )  # 0.1 kg hardly held yet
    twin.table("BEAM")[1].ixx = 0.0
    with pytest.raises(hn.ModelError, match="BEAM/1.*IXX must be positive, it is 0"):
        hn.simulate(twin, end=1e-3, steps=2)
