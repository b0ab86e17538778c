"""Forces of registered types: derivatives, balance, energy, and runs against solutions written out independently."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import holonom as hn
from _line_forces import LINE_FORCES
from _tyres import TYRES
from holonom._handle import make_handle
from holonom.elements.frames import make_frames
from holonom.elements.kinds import FORCES, ForceKind, register
from holonom.results.audit import audit

#: those that are called through addresses and see frames alone (flexible surfaces:
#: `tests/contact/test_surface_contact.py`)
CALLED = sorted(name for name, kind in FORCES.items() if kind.force is not None and kind.coordinates is None)


# ---- the laws by themselves ------------------------------------------------------------------------------------------
def frames(n, rng):
    fr = make_frames(np.zeros(n), np.zeros((n, 3)), np.zeros((n, 9)))
    fr.p[:] = rng.normal(size=(n, 3))
    fr.A[:] = Rotation.random(n, random_state=rng.integers(1000)).as_matrix().reshape(n, 9)
    # angles of frames in the last one: small but for that about z
    last = Rotation.from_matrix(fr.A[-1].reshape(3, 3))
    for k in range(n - 1):
        fr.A[k] = (
            (last * Rotation.from_rotvec([*rng.uniform(-0.2, 0.2, 2), rng.uniform(-1.0, 1.0)])).as_matrix().ravel()
        )
    fr.v[:], fr.w[:] = rng.normal(size=(2, n, 3))
    return fr


def placed(name, n, rng):
    """Frames among which such an element works: tyres roll near their road, everything else anywhere."""
    fr = frames(n, rng)
    if name.startswith("TYRE_"):
        road = Rotation.random(random_state=3)
        turn = road * Rotation.from_euler("zx", [0.4, 0.06])
        fr.A[1], fr.A[0] = road.as_matrix().ravel(), turn.as_matrix().ravel()
        fr.p[0] = fr.p[1] + road.apply([0.7, -0.4, 0.27])
        fr.w[1] *= 0.1
        fr.v[0] = (
            fr.v[1]
            + np.cross(fr.w[1], fr.p[0] - fr.p[1])
            + turn.apply([12.0, 0.4, 0.0])
            - 0.1 * road.apply([0, 0, 1.0])
        )
        fr.w[0] = fr.w[1] + turn.apply([0.05, 43.0, 0.1])
    if name == "WHEEL_RAIL":  # 0.1 mm deep in the left rail of a curve
        track = Rotation.random(random_state=3)
        at, axes = RAIL.frame(3.0)
        turn = track * Rotation.from_matrix(axes.T) * Rotation.from_euler("zx", [0.004, -0.003])
        fr.A[1], fr.A[0] = track.as_matrix().ravel(), turn.as_matrix().ravel()
        fr.p[0] = fr.p[1] + track.apply(at + 0.7525 * axes[1] + 0.45975 * axes[2])
        fr.w[1] *= 0.01
        fr.v[0] = (
            fr.v[1] + np.cross(fr.w[1], fr.p[0] - fr.p[1]) + turn.apply([12.0, 0.01, 0.0]) - 0.01 * track.apply(axes[2])
        )
        fr.w[0] = fr.w[1] + turn.apply([0.05, 12.0 / 0.46 * 1.001, 0.02])
    return fr


RAIL = hn.Model("rail").rail_track(
    rail=hn.rail.uic60(),
    sections=[(2, 0.02, 0.05), (2, 0.02, 0.05), (1, 0, 0)],
    spacing=4.0,
    irregularities=1e-5 * np.sin(np.arange(80.0).reshape(20, 4)),
)


def moved(fr, d, h):
    """Frames displaced by h d, d (24 n / 2) in the order of the columns of a tangent."""
    n = len(fr.p)
    out = make_frames(np.zeros(n), np.zeros((n, 3)), np.zeros((n, 9)))
    q, u = h * d[: 6 * n].reshape(n, 6), h * d[6 * n :].reshape(n, 6)
    out.p[:] = fr.p + q[:, :3]
    out.A[:] = (Rotation.from_rotvec(q[:, 3:]) * Rotation.from_matrix(fr.A.reshape(n, 3, 3))).as_matrix().reshape(n, 9)
    out.v[:], out.w[:] = fr.v + u[:, :3], fr.w + u[:, 3:]
    return out


def symmetric(n, rng, size):
    a = rng.normal(size=(n, n))
    return size * (a @ a.T + np.eye(n))


def case(name, rng):
    """A model with one such element, and values of states and inputs at which it works."""
    m = hn.Model("case")
    parts = [m.part(f"p{k}", 1.0, (1, 1, 1), rng.normal(size=3)) for k in range(3)]
    marks = [m.marker(p) for p in parts]
    if name == "MAXWELL_DAMPER":
        return (
            m,
            m.maxwell_damper(
                marks[0], marks[1], stiffness=30.0, series_stiffness=70.0, damping=5.0, force=3.0, length=0.4
            ),
            [0.2],
            [],
        )
    if name in LINE_FORCES:
        states = {
            "HYDRAULIC_CYLINDER": [8.0, 4.0],
            "PNEUMATIC_CYLINDER": [8.0, 310.0, 4.0, 280.0],
            "BURGERS_DAMPER": [0.2, -0.1],
            "HYSTERETIC_SPRING": [0.6],
        }
        inputs = [0.6] if name.endswith("_CYLINDER") else []
        return m, LINE_FORCES[name](m, marks[0], marks[1]), states.get(name, []), inputs
    if name == "EXACT_BEAM":
        return (
            m,
            m.exact_beam(
                marks[0], marks[1], EA=900.0, GAy=300.0, GAz=250.0, GJ=3.0, EIy=5.0, EIz=7.0, length=0.8, damping=0.1
            ),
            [],
            [],
        )
    if name in TYRES:
        return m, TYRES[name](m, marks[0], marks[1]), [-0.01, 0.012, 3.0][: len(FORCES[name].state_words)], []
    if name == "MFORCE":
        bar = hn.flexible.beam((0, 0, 0), (1, 0, 0), hn.flexible.Section.round(0.1), E=1e9, density=100.0, elements=2)
        m.make_flexible(parts[0], bar, modes=2, interfaces=())
        return (
            m,
            m.modal_force(parts[0], "time", nodes={3: rng.normal(size=6), 1: (1.0, 2.0, -1.0)}, reaction=marks[1]),
            [],
            [0.7],
        )
    if name == "WHEEL_RAIL":
        track = m.rail_track(
            marks[1], rail=RAIL.rail, sections=RAIL.sections, spacing=RAIL.spacing, irregularities=RAIL.irregularities
        )
        return m, m.wheel_rail(marks[0], track, side="LEFT", radius=0.46, profile=hn.rail.s1002()), [], []
    e = m.nforce(
        marks[:2],
        marks[2],
        stiffness=symmetric(12, rng, 3.0),
        damping=symmetric(12, rng, 0.5),
        force=rng.normal(size=12),
        length=0.1 * rng.normal(size=12),
    )
    return m, e, [], []


def evaluator(kind, element, model):
    c = np.array(kind.values(element, model), float).ravel()
    n = len(element.ports)
    f = np.arange(n)
    ref = np.zeros((n, 3))

    def wrench(fr, x, u):
        W, xd = np.zeros(6 * n), np.zeros(max(len(x), 1))
        kind.force(c, f, fr, ref, 0.3, np.asarray(u, float), np.asarray(x, float), W, xd)
        return W, xd[: len(x)]

    def tangent(fr, x, u):
        W, _ = wrench(fr, x, u)
        D = np.zeros((6 * n + len(x), 12 * n + len(x) + len(u)))
        if kind.late is not None:
            kind.late(element, model, c)
        kind.tangent(c, f, fr, ref, 0.3, np.asarray(u, float), np.asarray(x, float), W, D)
        return D

    def energies(fr, x, u):
        W, _ = wrench(fr, x, u)
        out = np.zeros(3)
        kind.energies(c, f, fr, ref, 0.3, np.asarray(u, float), np.asarray(x, float), W, out)
        return out

    return wrench, tangent, energies


def test_all_registered_kinds_are_examined():
    assert {"MAXWELL_DAMPER", "HYDRAULIC_CYLINDER", "NFORCE"} <= set(FORCES)


@pytest.mark.parametrize("name", CALLED)
def test_taylor(name):
    """The remainder of the first order falls with the square of the step."""
    rng = np.random.default_rng(5)
    model, element, x, u = case(name, rng)
    kind = FORCES[name]
    wrench, tangent, _ = evaluator(kind, element, model)
    n = len(element.ports)
    fr = placed(name, n, rng)
    x, u = np.array(x), np.array(u)
    D = tangent(fr, x, u)
    # a tyre's deflections are of hundredths, a rail's of micrometres
    d = rng.normal(size=D.shape[1]) * (0.01 if name.startswith("TYRE_") else 1e-4 if name == "WHEEL_RAIL" else 1.0)
    base = np.concatenate(wrench(fr, x, u))
    rest = []
    for h in (1e-2, 1e-3):
        there = np.concatenate(
            wrench(moved(fr, d[: 12 * n], h), x + h * d[12 * n : 12 * n + len(x)], u + h * d[12 * n + len(x) :])
        )
        rest.append(np.linalg.norm(there - base - h * D @ d))
        assert rest[-1] < 0.1 * np.linalg.norm(there - base) * (h / 1e-2) ** 0 + 1e-12
    assert 60.0 < rest[0] / rest[1] < 160.0


@pytest.mark.parametrize("name", CALLED)
def test_action_and_reaction(name):
    """Forces of all frames add up to nothing, and so do their moments about any point."""
    rng = np.random.default_rng(6)
    model, element, x, u = case(name, rng)
    wrench, _, _ = evaluator(FORCES[name], element, model)
    fr = placed(name, len(element.ports), rng)
    W = wrench(fr, x, u)[0].reshape(-1, 6)
    about = np.array([3.0, -2.0, 5.0])
    assert np.abs(W).max() > 0.1
    assert np.abs(W[:, :3].sum(axis=0)).max() < 1e-12 * np.abs(W).max()
    assert np.abs((W[:, 3:] + np.cross(fr.p - about, W[:, :3])).sum(axis=0)).max() < 1e-11 * np.abs(W).max()


@pytest.mark.parametrize("name", CALLED)
def test_powers_add_up(name):
    """Power on the frames + rate of the energy stored = power put in - power lost, at any velocity; turns about z of J
    alone, where a law of angles has an energy."""
    rng = np.random.default_rng(7)
    model, element, x, u = case(name, rng)
    wrench, _, energies = evaluator(FORCES[name], element, model)
    n = len(element.ports)
    fr = placed(name, n, rng)
    x = np.array(x)
    if FORCES[name].turns:  # displacements of all types, no turn but about z of J
        z = fr.A[-1].reshape(3, 3)[:, 2]
        last = Rotation.from_matrix(fr.A[-1].reshape(3, 3))
        for k in range(n - 1):
            fr.A[k] = (last * Rotation.from_rotvec([0, 0, rng.uniform(-1, 1)])).as_matrix().ravel()
            fr.w[k] = fr.w[-1] + z * rng.normal()
    W, xd = wrench(fr, x, u)
    d = np.concatenate([np.column_stack([fr.v, fr.w]).ravel(), np.zeros(6 * n)])
    h = 2e-6 if name == "WHEEL_RAIL" else 1e-4  # a depth of 0.1 mm
    stored = [energies(moved(fr, d, s * h), x + s * h * xd, u)[0] for s in (1, -1, 2, -2)]
    rate = (8 * (stored[0] - stored[1]) - (stored[2] - stored[3])) / (12 * h)
    power = (W.reshape(n, 6) * np.column_stack([fr.v, fr.w])).sum()
    _, lost, put_in = energies(fr, x, u)
    assert (lost > 0.0 or abs(put_in) > 0.1) and np.isfinite(rate)
    size = abs(power) + abs(rate) + abs(lost)
    assert power + rate == pytest.approx(put_in - lost, abs=1e-7 * size)


# ---- in machines -----------------------------------------------------------------------------------------------------
def slider(mass=2.0, gravity=0.0):
    m = hn.Model("slider")
    m.gravity = (0, 0, -gravity)
    part = m.part("a", mass, (1, 1, 1), (0, 0, 1.0))
    m.translational(part, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    return m, part, m.marker(m.ground)


def mount(**more):
    m, part, foot = slider()
    m.maxwell_damper(part.cm, foot, stiffness=50.0, series_stiffness=200.0, damping=8.0, length=0.9, **more)
    return m


MOUNT = np.array([[0, 1, 0], [-125, 0, 100], [25, 0, -25.0]])  # of (z - 0.9, z', s)


@pytest.mark.parametrize(
    "method, options, tolerance",
    [
        ("RADAU5", {}, 1e-9),
        ("GSTIFF", {}, 2e-9),
        ("GSTIFF", {"formulation": "SI2"}, 2e-9),
        ("HHT", {}, 5e-6),
        ("DOP853", {"coordinates": "maximal"}, 1e-10),
        ("DOP853", {"coordinates": "joint"}, 2e-10),
        ("RKF45", {}, 1e-9),
        ("ABAM", {}, 1e-10),
        ("RK4", {"hmax": 1e-3}, 1e-10),
    ],
)
def test_maxwell_damper_follows_its_exponential(method, options, tolerance):
    from scipy.linalg import expm

    run = hn.simulate(mount(), end=2.0, steps=20, integrator=method, error=1e-9, **options)
    exact = np.array([expm(t * MOUNT) @ [0.1, 0.0, 0.1] for t in run.time])
    assert np.abs(run.data.body_position[:, 0, 2] - 0.9 - exact[:, 0]).max() < tolerance
    assert np.abs(run.state("MAXWELL_DAMPER_1[0]") - exact[:, 2]).max() < tolerance
    assert (
        np.abs(
            run.force("MAXWELL_DAMPER/1").force.values[:, 2] - (-50 * exact[:, 0] - 200 * (exact[:, 0] - exact[:, 2]))
        ).max()
        < 300 * tolerance
    )
    d = run.data
    stored = d.energy_kinetic + d.energy_elastic + d.energy_dissipated
    assert np.ptp(stored) < max(1e-6, 100 * tolerance) * stored[0] and d.energy_dissipated[-1] > 0.2 * stored[0]


def test_maxwell_damper_is_linearised():
    found = np.sort_complex(hn.linearize(mount()).eigenvalues)
    assert np.abs(found - np.sort_complex(np.linalg.eigvals(MOUNT))).max() < 1e-7


def test_statics_relax_the_damper():
    m, part, foot = slider(gravity=10.0)
    m.maxwell_damper(part.cm, foot, stiffness=50.0, series_stiffness=200.0, damping=8.0, length=0.9)
    sim = hn.Simulation(m)
    sim.statics()
    run = sim.run()
    assert run.data.body_position[-1, 0, 2] == pytest.approx(0.9 - 20.0 / 50.0, abs=1e-9)
    assert run.state("MAXWELL_DAMPER_1[0]")[-1] == pytest.approx(-0.4, abs=1e-8)


A, B, STROKE, BULK, VALVE, SUPPLY = 5e-3, 3e-3, 0.8, 1.4e9, 2e-7, 21e6
OPENING = "STEP(TIME,0,0,0.05,1)-2*STEP(TIME,0.4,0,0.45,1)"


def cylinder(opening=OPENING, **more):
    m, part, foot = slider(500.0, 9.81)
    given = dict(
        area_a=A,
        area_b=B,
        stroke=STROKE,
        bulk=BULK,
        valve=VALVE,
        supply=SUPPLY,
        viscous=200.0,
        leakage=1e-12,
        bypass=1e-9,
        length=0.7,
        pressure_a=1e6,
        pressure_b=2e5,
    )
    m.hydraulic_cylinder(part.cm, foot, opening=opening, **(given | more))
    return m


def cylinder_by_hand(end):
    """Written from the text-book equations in scalars."""
    laminar = 1e-3 * SUPPLY
    phi = lambda x: x / (x * x + laminar * laminar) ** 0.25

    def ramp(t, a, b):
        s = min(max((t - a) / (b - a), 0.0), 1.0)
        return s * s * (3.0 - 2.0 * s)

    def rates(t, y):
        z, v, pa, pb = y
        s, u = z - 0.7, ramp(t, 0.0, 0.05) - 2.0 * ramp(t, 0.4, 0.45)
        la, lb = (SUPPLY, 0.0) if u > 0 else (0.0, SUPPLY)
        past = 1e-12 * (pb - pa) + 1e-9 * phi(pb - pa)
        qa, qb = VALVE * abs(u) * phi(la - pa), VALVE * abs(u) * phi(lb - pb)
        va, vb = 0.02 * A * STROKE + A * s, 0.02 * B * STROKE + B * (STROKE - s)
        return [
            v,
            (A * pa - B * pb - 200.0 * v) / 500.0 - 9.81,
            BULK * (qa + past - A * v) / va,
            BULK * (qb - past + B * v) / vb,
        ]

    return solve_ivp(rates, (0, end), [1.0, 0.0, 1e6, 2e5], rtol=1e-10, atol=1e-10, method="Radau", max_step=2e-3).y[
        :, -1
    ]


@pytest.mark.parametrize(
    "method, options", [("RADAU5", {}), ("GSTIFF", {"formulation": "SI2"}), ("HHT", {}), ("DOP853", {})]
)
def test_hydraulic_cylinder_against_its_equations(method, options):
    run = hn.simulate(cylinder(), end=0.8, steps=80, integrator=method, error=1e-7, **options)
    exact = cylinder_by_hand(0.8)
    assert run.data.body_position[-1, 0, 2] == pytest.approx(exact[0], abs=1e-6)
    for k in range(2):
        assert run.state(f"HYDRAULIC_CYLINDER_1[{k}]")[-1] == pytest.approx(exact[2 + k], rel=5e-5)
    assert "balance within" in str(audit(run))
    swing = np.ptp(run.data.energy_kinetic + run.data.energy_gravity + run.data.energy_elastic)
    total = (
        run.data.energy_kinetic
        + run.data.energy_gravity
        + run.data.energy_elastic
        - run.data.energy_input
        + run.data.energy_dissipated
    )
    assert np.abs(total - total[0]).max() < (5e-5 if method == "HHT" else 1e-6) * swing


def test_spring_of_locked_oil():
    """Valve closed: the oil is a spring of stiffness bulk (A^2/V_a + B^2/V_b)."""
    m = cylinder("0", viscous=0.0, leakage=0.0, bypass=0.0, pressure_a=500 * 9.81 / A, pressure_b=0.0)
    s = 0.3
    k = BULK * (A**2 / (0.02 * A * STROKE + A * s) + B**2 / (0.02 * B * STROKE + B * (STROKE - s)))
    found = hn.linearize(m).eigenvalues
    assert np.abs(found.imag).max() == pytest.approx(math.sqrt(k / 500.0), rel=1e-6)


def test_opening_may_depend_on_the_machine():
    """A position loop around the valve; the matrix has its gradient (test_force_stiffness), and all methods agree."""
    m, part, foot = slider(500.0, 9.81)
    m.hydraulic_cylinder(
        part.cm,
        foot,
        area_a=A,
        area_b=B,
        stroke=STROKE,
        bulk=BULK,
        valve=VALVE,
        supply=SUPPLY,
        length=0.7,
        viscous=3e4,
        leakage=2e-11,
        pressure_a=8e6,
        pressure_b=1e7,
        opening=f"2*(0.05-(DZ({part.cm},{foot})-1.0))",
    )
    ends = []
    for method, options in (("RADAU5", {}), ("GSTIFF", {"formulation": "SI2"}), ("DOP853", {})):
        run = hn.simulate(m, end=1.5, steps=30, integrator=method, error=1e-7, **options)
        ends.append(run.data.body_position[:, 0, 2])
    assert np.abs(ends[0] - ends[2]).max() < 1e-7 and np.abs(ends[1] - ends[2]).max() < 1e-5
    assert 1.01 < ends[2][-1] < 1.05 and np.ptp(ends[2][-5:]) < 5e-3


def test_end_stops_hold():
    run = hn.simulate(cylinder("STEP(TIME,0,0,0.02,1)", length=0.21), end=0.4, steps=100)
    s = run.data.body_position[:, 0, 2] - 0.21
    assert 0.79 < s.max() < 0.83


def two_parts(add):
    rng = np.random.default_rng(1)
    m = hn.Model("two")
    m.gravity = (0, 0, 0)
    a, b = m.part("a", 2.0, (1, 1.2, 1.4), (0.3, 0.1, 1.0)), m.part("b", 3.0, (2, 1.2, 1.4), (0.0, 0.2, 0.0))
    b.wx, b.wy, b.wz = 0.1, -0.2, 0.4
    add(m, m.marker(a, (0.1, 0.2, -0.3)), m.marker(b, (0.2, 0, 0.4)), symmetric(6, rng, 20.0), symmetric(6, rng, 0.2))
    return m


@pytest.mark.parametrize("method", ["DOP853", "GSTIFF"])
def test_nforce_of_one_marker_is_a_field(method):
    rest, load = [0.1, 0.2, 0.3, 0, 0, 0], [1, 2, 3, 0.4, 0.5, 0.6]
    field = two_parts(lambda m, i, j, K, C: m.field(i, j, K, C, force=load[:3], torque=load[3:], length=rest))
    nforce = two_parts(lambda m, i, j, K, C: m.nforce(i, j, stiffness=K, damping=C, force=load, length=rest))
    one, other = (hn.simulate(m, end=2.0, steps=20, integrator=method, error=1e-8) for m in (field, nforce))
    assert np.abs(one.data.body_position - other.data.body_position).max() < 1e-9
    assert np.abs(one.data.force_torque - other.data.force_torque).max() < 1e-7


def table_on_legs():
    """A slab on three springs that know of each other, by the stiffness of a frame that they stand on."""
    rng = np.random.default_rng(3)
    m = hn.Model("slab")
    m.gravity = (0, 0, -9.81)
    slab = m.part("slab", 12.0, (0.8, 0.9, 1.5), (0, 0, 0.5))
    points = [(0.4, 0, 0.5), (-0.3, 0.3, 0.5), (-0.2, -0.4, 0.5)]
    tops = [m.marker_at(slab, p) for p in points]
    rest = np.array([[*p, 0, 0, 0] for p in points]).ravel()
    C = symmetric(18, rng, 1e-6)
    return m, slab, tops, rest, C


def test_nforce_in_statics_carries_the_weight_and_its_compliance_is_the_inverse():
    m, slab, tops, rest, flexible = table_on_legs()
    base = m.marker(m.ground)
    e = m.nforce(tops, base, compliance=flexible, length=rest)
    sim = hn.Simulation(m)
    sim.statics()
    run = sim.run()
    # small displacements: the slab sinks by J (J' K J)^-1 J' weight
    K = np.linalg.inv(flexible)
    J = np.zeros((18, 6))
    for k, p in enumerate(((0.4, 0, 0), (-0.3, 0.3, 0), (-0.2, -0.4, 0))):
        J[6 * k : 6 * k + 6] = np.eye(6)
        x, y, z = p
        J[6 * k : 6 * k + 3, 3:] = -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    sinks = np.linalg.solve(J.T @ K @ J, [0, 0, -12 * 9.81, 0, 0, 0])
    assert run.data.body_position[-1, 0] - [0, 0, 0.5] == pytest.approx(sinks[:3], rel=1e-4, abs=1e-9)
    assert e.ports == (*(t.id for t in tops), base.id)


def test_nforce_gives_its_forces_at_each_marker():
    m, slab, tops, rest, flexible = table_on_legs()
    base = m.marker(m.ground)
    e = m.nforce(tops, base, compliance=flexible, length=rest)
    for t in (*tops, base):
        m.request(
            functions={
                "f2": f"NFORCE({e.id},{t.id},2,0)",
                "f3": f"NFORCE({e.id},{t.id},3,0)",
                "f4": f"NFORCE({e.id},{t.id},4,0)",
                "f6": f"FZ({t.id},{base.id},0)" if t is not base else f"FZ({base.id},{tops[0].id},0)",
            }
        )
    sim = hn.Simulation(m)
    sim.statics()
    values = sim.run().data.request_values[-1]
    legs, foot = values[:3], values[3]
    assert legs[:, 1:4].sum(axis=0) == pytest.approx([0, 0, 12 * 9.81], abs=1e-6)
    assert foot[1:4] == pytest.approx(-legs[:, 1:4].sum(axis=0), abs=1e-9)
    assert legs[:, 5] == pytest.approx(legs[:, 3], abs=1e-9) and foot[5] == pytest.approx(-legs[0, 3], abs=1e-9)


def test_a_dataset_has_nforce_there_and_back(tmp_path):
    m, slab, tops, rest, flexible = table_on_legs()
    e = m.nforce(tops, m.marker(m.ground), compliance=flexible, length=rest, force=np.arange(18.0))
    file = tmp_path / "slab.adm"
    hn.write_adams(m, file)
    back = hn.read_adams(file)
    assert f"NFORCE/{e.id}" in file.read_text()
    mine, theirs = (hn.simulate(x, end=0.05, steps=2, integrator="RADAU5") for x in (m, back))
    assert np.abs(mine.data.body_position - theirs.data.body_position).max() < 1e-12
    twin = hn.Model.from_json(m.to_json())
    assert twin.table("NFORCE")[e.id].to_dict() == e.to_dict()


@pytest.mark.parametrize("kind", ["maxwell_damper", "hydraulic_cylinder"])
def test_a_dataset_refuses_what_adams_does_not_have(kind, tmp_path):
    m = mount() if kind == "maxwell_damper" else cylinder()
    with pytest.raises(hn.ModelError, match="no statement for this kind of element"):
        hn.write_adams(m, tmp_path / "m.adm")
    twin = hn.Model.from_json(m.to_json())
    assert [e.to_dict() for e in twin] == [e.to_dict() for e in m]


# ---- faults ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "text, call",
    [
        ("c is -1; give a positive number", lambda m, i, j: m.maxwell_damper(i, j, series_stiffness=1.0, damping=-1.0)),
        ("series_stiffness and damping are missing", lambda m, i, j: m.maxwell_damper(i, j)),
        (
            "there is no argument 'dampng'",
            lambda m, i, j: m.maxwell_damper(i, j, series_stiffness=1.0, damping=1.0, dampng=3),
        ),
        (
            "bulk is 0; give a positive number",
            lambda m, i, j: m.hydraulic_cylinder(i, j, area_a=1, area_b=1, stroke=1, bulk=0),
        ),
        ("opening", lambda m, i, j: m.hydraulic_cylinder(i, j, area_a=1, area_b=1, stroke=1, bulk=1, opening=[1])),
        (
            "stiffness has the shape 3 x 3; for 1 markers give 6 x 6",
            lambda m, i, j: m.nforce(i, j, stiffness=np.eye(3)),
        ),
        ("compliance has no inverse", lambda m, i, j: m.nforce(i, j, compliance=np.zeros((6, 6)))),
        ("a marker is twice", lambda m, i, j: m.nforce([i, i], j, cratio=None, stiffness=np.eye(12))),
        ("it has no matrix", lambda m, i, j: m.nforce(i, j)),
    ],
)
def test_faults_are_told_where_they_are_written(text, call):
    m, part, foot = slider()
    with pytest.raises(hn.ModelError, match=text):
        call(m, part.cm, foot)
    assert not any(m.table(kind) for kind in FORCES)


def test_faults_of_files_are_told():
    m = mount()
    data = m.to_json()
    bad = hn.Model.from_json(data.replace('"c": 8.0', '"c": -8.0'))
    with pytest.raises(hn.ModelError, match="MAXWELL_DAMPER/1 .*c is -8; give a positive number"):
        hn.simulate(bad, end=0.1, steps=1)


def test_a_kind_must_be_new():
    kind = FORCES["MAXWELL_DAMPER"]
    with pytest.raises(ValueError, match="exists already"):
        register(ForceKind(**{**vars(kind), "turns": True}))


def test_forces_in_a_plane_are_the_same():
    """A planar machine is solved with planar rows; a force that it meets out of the plane as well would show."""
    results = []
    for method in ("GSTIFF", "DOP853"):
        m = hn.Model("arm")
        m.gravity = (0, -9.81, 0)
        arm = m.part("arm", 1.0, (0.01, 0.1, 0.1), (0.5, 0, 0))
        m.revolute(arm, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
        m.maxwell_damper(
            m.marker_at(arm, (0.8, 0, 0)),
            m.marker(m.ground, (0.8, 0.5, 0)),
            stiffness=40.0,
            series_stiffness=90.0,
            damping=3.0,
        )
        results.append(hn.simulate(m, end=1.0, steps=20, integrator=method, error=1e-8).data.body_position)
    assert np.abs(results[0] - results[1]).max() < 1e-6


def test_a_handle_holds_what_the_loop_needs():
    from holonom.system.port_kernels import HANDLE, empty_tables

    assert make_handle(*empty_tables(), ())._numba_type_ == HANDLE
