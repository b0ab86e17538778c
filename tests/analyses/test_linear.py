"""Linearisation against formulas and published eigenvalues."""

import sys
from pathlib import Path

import numpy as np
import pytest
from _bicycle import bicycle, published
from scipy.sparse import csc_matrix

import holonom as hn
from holonom.analyses.session.simulation import Simulation

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))
from machines import double_pendulum, four_bars, modelica_double_pendulum  # noqa: E402

Z = (0.0, 0.0, 1.0)


def values(linear, zeros=False):
    """Eigenvalues, sorted; without rigid-body zeros unless requested."""
    e = linear.eigenvalues
    return np.sort_complex(e if zeros else e[e != 0])


def same(got, expected, rel=1e-9):
    got, expected = np.sort_complex(np.asarray(got)), np.sort_complex(np.asarray(expected, complex))
    assert got.shape == expected.shape
    left = list(expected)
    for value in got:
        k = int(np.argmin(np.abs(np.array(left) - value)))
        assert abs(left.pop(k) - value) <= rel * max(abs(value), 1e-3), (got, expected)


def pencil(M, C, K):
    """Eigenvalues of M q'' + C q' + K q = 0."""
    M, C, K = (np.atleast_2d(np.asarray(a, float)) for a in (M, C, K))
    n = len(M)
    return np.linalg.eigvals(
        np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    )


# ---- pendulums, chains -----------------------------------------------------------------------------------------------
def test_double_pendulum():
    """Two uniform rods with a damper at the hip, hanging: absolute angles as coordinates."""
    m, l, g = 7700.0 * 0.5 * 0.06 * 0.06, 0.5, 9.80665
    J = m * (l * l + 0.06**2) / 12
    M = [[J + m * l * l / 4 + m * l * l, m * l * l / 2], [m * l * l / 2, J + m * l * l / 4]]
    K = np.diag([1.5 * m * g * l, 0.5 * m * g * l])
    C = np.diag([0.1, 0.0])
    linear = hn.linearize(modelica_double_pendulum(), statics=True)
    same(values(linear), pencil(M, C, K))
    found = linear.mkb()
    assert found["coordinates"] == ["upper.rz", "lower.rz"]
    for name, expected in (("M", M), ("B", C), ("K", K)):
        assert found[name] == pytest.approx(np.asarray(expected), rel=1e-9, abs=1e-8)
    same(np.linalg.eigvals(linear.state_space().A), pencil(M, C, K))
    assert linear.states == ["upper.rz", "lower.rz", "d(upper.rz)/dt", "d(lower.rz)/dt"]
    same(values(hn.linearize(modelica_double_pendulum(), statics=True, damping=False)), pencil(M, 0 * C, K))


def sliders(n, k, c=0.0, m=1.0, ends=True):
    """n masses on a rail along x, joined by springs (and to ground at the first)."""
    model = hn.Model("sliders")
    before, parts = model.ground, []
    for i in range(n):
        part = model.part(f"mass{i + 1}", m if np.isscalar(m) else m[i], (1.0, 1.0, 1.0), (i + 1.0, 0, 0))
        model.translational(part, model.ground, at=(i + 1.0, 0, 0), axis=(1, 0, 0))
        if i or ends:
            stiff = k if np.isscalar(k) else k[i]
            a, b = model.marker_at(part, (i + 1.0, 0, 0)), model.marker_at(before, (float(i), 0, 0))
            model.spring_damper(a, b, stiffness=stiff, damping=c, length=1.0, name=f"spring{i + 1}")
        before = part
        parts.append(part)
    return model


def test_chain_of_masses():
    """omega_j = 2 sqrt(k/m) sin((2j-1) pi / (4n+2)), one end fixed; shapes, energies and matrices go with it."""
    n, k = 6, 40.0
    linear = hn.linearize(sliders(n, k))
    omega = 2 * np.sqrt(k) * np.sin((2 * np.arange(1, n + 1) - 1) * np.pi / (4 * n + 2))
    assert [mode.undamped_frequency for mode in linear.modes] == pytest.approx(omega / (2 * np.pi), rel=1e-11)
    for j in (1, 4):
        shape = np.sin((2 * j - 1) * np.pi * np.arange(1, n + 1) / (2 * n + 1))
        found = linear.mode(j).shape[:, 0]
        assert np.abs(found).max() == pytest.approx(1.0)
        assert np.real(found) / np.real(found[0]) == pytest.approx(shape / shape[0], rel=1e-9)
        assert linear.kinetic_energy(j)[:, 0] == pytest.approx(shape**2 / (shape**2).sum(), rel=1e-9)
        stretch = np.diff(shape, prepend=0.0) ** 2
        strain, rest = linear.strain_energy(j)
        assert strain == pytest.approx(stretch / stretch.sum(), rel=1e-8) and rest == pytest.approx(0.0, abs=1e-9)
    K = k * (2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    K[-1, -1] = k
    assert linear.mkb()["K"] == pytest.approx(K, rel=1e-9, abs=1e-8) and linear.mkb()["M"] == pytest.approx(
        np.eye(n), abs=1e-12
    )


def test_overdamped_and_rigid():
    """A free pair of masses with a strong damper: a double zero and two real eigenvalues -1/2 ..., as the formula has
    them."""
    k, c, m = 1.0, 5.0, 2.0
    linear = hn.linearize(sliders(2, k, c, m, ends=False))
    same(values(linear), np.roots([m / 2, c, k]))
    assert linear.modes[0].kind == "rigid" and linear.modes[0].multiplicity == 2
    assert [mode.kind for mode in linear.modes] == ["rigid", "real", "real"]
    assert linear.modes[1].damping_ratio == 1.0 and linear.modes[1].time_constant > 0 and linear.stable
    assert "rigid body (double zero)" in linear.text()


def test_free_body_has_six_rigid_modes():
    model = hn.Model("free")
    model.part("block", 2.0, (1.0, 2.0, 3.0), (1.0, 2.0, 3.0))
    linear = hn.linearize(model)
    assert [mode.multiplicity for mode in linear.modes] == [2] * 6
    assert np.linalg.matrix_rank(np.array([mode.shape.ravel() for mode in linear.modes])) == 6


def test_soft_mode_beside_a_stiff_spring():
    """Stiffness ratio 1e10: the soft mode keeps eight digits although the stiff spring's forces are ten powers
    larger."""
    linear = hn.linearize(sliders(3, [1.0, 1e10, 2.0], m=[1.0, 3.0, 2.0]))
    K = np.array([[1.0 + 1e10, -1e10, 0], [-1e10, 1e10 + 2.0, -2.0], [0, -2.0, 2.0]])
    # two stiffly joined masses move as one of 4 kg (to 1e-10)
    slow = np.sqrt(np.linalg.eigvals(np.linalg.solve(np.diag([4.0, 2.0]), [[3.0, -2.0], [-2.0, 2.0]])))
    found = [2 * np.pi * mode.undamped_frequency for mode in linear.modes]
    assert found[:2] == pytest.approx(np.sort(slow), rel=1e-8)
    assert found[2] == pytest.approx(np.sqrt(np.linalg.eigvals(K / np.array([[1.0], [3.0], [2.0]])).max()), rel=1e-8)


def test_millimetres():
    """The same machine in mm: the same eigenvalues."""
    model = double_pendulum()
    metre = hn.linearize(model, statics=True)
    twin = hn.Model.from_json(model.to_json())
    twin.units = hn.Units.named("mm")
    twin.gravity = tuple(1e3 * g for g in twin.gravity)
    for part in twin.parts.values():
        part.qg = tuple(1e3 * q for q in part.qg)
        part.ip = tuple(1e6 * j for j in part.ip)
    for marker in twin.markers.values():
        marker.qp = tuple(1e3 * q for q in marker.qp)
    same(values(hn.linearize(twin, statics=True)), values(metre))


def test_redundant_parallelograms():
    """Upright four-bars with every pin a revolute (redundant): one freedom, M = (n + 1)/3 + n, K = -g ((n + 1)/2 +
    n)."""
    n = 3
    model = four_bars(n, v0=0.0)
    sim = Simulation(model, progress=False)
    linear = sim.linearize()
    assert len(linear.A) == 2
    growth = np.sqrt(9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n))
    same(values(linear), [growth, -growth])
    assert not linear.stable and "unstable" in linear.text()


# ---- turning machines ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("spin", [0.0, 50.0, 400.0])
def test_whirl_of_a_rigid_rotor(spin):
    """Two bearings at +-a: translation sqrt(2k/m), and tilting modes of J w^2 -+ Jp W w - 2 k a^2 = 0 (forward and
    backward)."""
    m, J, Jp, k, a = 3.0, 0.02, 0.03, 1e4, 0.2
    model = hn.Model("rotor")
    rotor = model.part("rotor", m, (J, J, Jp), (0, 0, 0), angular_velocity=(0, 0, spin))
    for z in (-a, a):
        at = (0, 0, z)
        model.bushing(model.marker_at(rotor, at), model.marker_at(model.ground, at), stiffness=(k, k, k))
    linear = hn.linearize(model)
    cross = np.sqrt(2 * k / m)
    tilt = [w for sign in (1, -1) for w in np.roots([J, -sign * Jp * spin, -2 * k * a * a]) if w > 0]
    expected = [1j * s * w for w in (cross, cross, cross, *tilt) for s in (1, -1)]
    same(values(linear), expected)
    assert [mode.multiplicity for mode in linear.modes if mode.kind == "rigid"] == [2]  # the spin
    if spin:  # forward whirl turns with the rotor: ry lags rx by a quarter of a turn
        tilting = [q for q in linear.modes if np.abs(q.shape[0, 3:5]).max() > 0.5]
        for mode, forward in zip(sorted(tilting, key=lambda q: q.value.imag), (False, True)):
            phase = mode.shape[0, 4] / mode.shape[0, 3]
            assert phase == pytest.approx(-1j if forward else 1j, abs=1e-8)


@pytest.mark.parametrize("spin", [60.0, 120.0])
def test_sleeping_top(spin):
    """A w^2 - C W w + m g l = 0: stable from C W > 2 sqrt(A m g l) on (here W = 88.6)."""
    m, g, l, A, C = 1.5, 9.81, 0.1, 0.02, 0.004
    model = hn.Model("top")
    model.gravity = (0, 0, -g)
    across = A - m * l * l
    top = model.part("top", m, (across, across, C), (0, 0, l), angular_velocity=(0, 0, spin))
    model.spherical(top, model.ground, at=(0, 0, 0), axis=Z)
    linear = hn.linearize(model)
    w = np.roots([A, -C * spin, m * g * l])
    same(values(linear), [*(1j * w), *(-1j * w.conj())][:4], rel=1e-8)
    assert linear.stable == (C * spin > 2 * np.sqrt(A * m * g * l))


def test_bead_on_a_turning_hoop():
    """Relative equilibrium of a pendulum on a driven turntable: w^2 = W^2 sin^2(theta) m l^2 / (m l^2 + J), seen by the
    turntable."""
    m, l, J, g, W = 2.0, 0.5, 0.1, 9.81, 6.0
    angle = np.arccos(g / (W * W * l))
    model = hn.Model("hoop")
    model.gravity = (0, 0, -g)
    table = model.part("table", 1.0, (1.0, 1.0, 1.0), (0, 0, 0), angular_velocity=(0, 0, W))
    bob = np.array([l * np.sin(angle), 0, -l * np.cos(angle)])
    swing = model.part("bob", m, (J, J, J), bob, velocity=(0, W * bob[0], 0), angular_velocity=(0, 0, W))
    drive = model.revolute(table, model.ground, at=(0, 0, 0), axis=Z)
    model.revolute(swing, table, at=(0, 0, 0), axis=(0, 1, 0))
    model.motion(drive, f"{W}*TIME")
    seat = model.marker_at(table, (0, 0, 0), name="seat")
    w = W * np.sin(angle) * np.sqrt(m * l * l / (m * l * l + J))
    same(values(hn.linearize(model, rm="seat")), [1j * w, -1j * w])
    later = hn.linearize(model, end=0.4, rm=seat, error=1e-10)  # the same at every time
    same(values(later), [1j * w, -1j * w], rel=1e-6)


@pytest.mark.parametrize("speed", range(11))
def test_whipple_bicycle(speed):
    """Weave, capsize and castering eigenvalues of the published benchmark at 0 to 10 m/s."""
    linear = hn.linearize(bicycle(float(speed)))
    assert (linear.nq, linear.nu) == (7, 3)
    same(values(linear), published(float(speed)), rel=1e-8)
    assert linear.stable == (4.29238253634111 < speed < 6.02426201538837)
    if speed == 5:  # the digits printed in the paper
        same(
            values(linear),
            [
                -14.07838969279822,
                -0.322866429004087,
                -0.775341882195845 + 4.464867713788229j,
                -0.775341882195845 - 4.464867713788229j,
            ],
            rel=1e-8,
        )


# ---- forces and controllers ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("load", [1.0, 2.2])
def test_follower_force_flutters(load):
    """Ziegler's column: two rods with springs k, a load P along the upper one; flutter (not divergence) at large
    loads."""
    m1, m2, J, l, k = 2.0, 1.0, 0.01, 1.0, 1.0
    model = hn.Model("ziegler")
    lower = model.part("lower", m1, (J, J, J), (0, l, 0))
    upper = model.part("upper", m2, (J, J, J), (0, 2 * l, 0))
    for i, j, y in ((lower, model.ground, 0.0), (upper, lower, l)):
        joint = model.revolute(i, j, at=(0, y, 0), axis=Z)
        model.torsion_spring(joint.i, joint.j, stiffness=k)
    tip = model.marker_at(upper, (0, 2 * l, 0))
    model.vforce(tip, None, fy=f"-{load}", rm=tip)
    M = [[(m1 + m2) * l * l + J, m2 * l * l], [m2 * l * l, m2 * l * l + J]]
    K = [[2 * k - load * l, -k + load * l], [-k, k]]
    linear = hn.linearize(model)
    same(values(linear), pencil(M, np.zeros((2, 2)), K), rel=1e-8)
    assert linear.stable == (load < 1.5)
    assert load < 1.5 or linear.modes[-1].kind == "oscillating"


def test_controllers_states():
    """A mass with a spring, a DIFF filter and a transfer function in the loop: eigenvalues of the matrix written by
    hand."""
    m, k, a, kp = 2.0, 30.0, 4.0, 7.0
    model = sliders(1, k, c=0.5, m=m)
    centre = model.parts[2].cm
    lag = model.diff(f"{a}*(DX({centre})-1 - DIF(1))", name="lag")
    u = model.variable(f"DIF({lag.id})+VX({centre})", name="u")
    arrays = {"U": model.array("U", variables=[u]), "X": model.array("X"), "Y": model.array("Y")}
    num, den = model.array("IC", numbers=[3.0]), model.array("IC", numbers=[5.0, 2.0, 1.0])
    model.transfer_function(arrays["X"], arrays["U"], arrays["Y"], num, den)
    model.vforce(centre, None, fx=f"-{kp}*ARYVAL({arrays['Y'].id},1)")
    A = np.zeros((5, 5))  # x, v, lag, z1, z2 with y = 3/(s^2 + 2 s + 5) u
    A[0, 1] = 1
    A[1] = [-k / m, -0.5 / m, 0, -kp / m * 3, 0]
    A[2, [0, 2]] = a, -a
    A[3, 4] = 1
    A[4] = [0, 1, 1, -5, -2]
    linear = hn.linearize(model)
    same(values(linear), np.linalg.eigvals(A))
    assert linear.nx == 3 and linear.x_names[0] == "DIFF_1"


def test_a_kink_is_reported():
    model = sliders(1, 10.0)
    centre = model.parts[2].cm
    model.vforce(centre, None, fx=f"IF(DX({centre})-1: 0, 0, -50*(DX({centre})-1))")
    linear = hn.linearize(model)
    assert any("not smooth" in text and "mass1" in text for text in linear.warnings)


def test_nothing_left_to_move():
    model = sliders(1, 10.0)
    model.motion(1, "0.1*TIME")
    linear = hn.linearize(model)
    assert linear.modes == [] and len(linear.eigenvalues) == 0 and linear.stable


def test_bad_input():
    model = sliders(1, 10.0)
    with pytest.raises(hn.ModelError, match="there is no mode 9; this analysis has 1"):
        hn.linearize(model).mode(9)
    with pytest.raises(hn.ModelError, match="VARIABLE named 'force'"):
        hn.linearize(model, inputs=["force"])
    with pytest.raises(hn.ModelError, match="unknown option 'hmx'"):
        hn.linearize(model, hmx=1.0)


# ---- the other way: the iteration matrix of the implicit integrators -------------------------------------------------
def test_against_the_iteration_matrix():
    """K and C of `system.implicit` (exact for joints, springs, functions of states) projected on the null space of
    G."""
    from holonom.analyses.assemble import constraint_matrix
    from holonom.analyses.statics.equilibrium import _Problem
    from holonom.linalg.eigen import nullspace

    model = four_bars(2, v0=0.0)
    for i in range(3):
        model.torsion_spring(model.joints[i + 1].i, model.joints[i + 1].j, stiffness=40.0 + i, damping=0.7)
    sim = Simulation(model, progress=False)
    linear = sim.linearize()
    sim.prepare()
    problem = _Problem(sim.system)
    problem.I.lam[:] = sim.system.W.lam
    y = sim.y.copy()
    problem.linearise(0.0, y, 0.0)
    pattern, I = problem.implicit.pattern, problem.I
    dense = lambda data: csc_matrix((data[:-1], pattern.indices, pattern.indptr), (pattern.N,) * 2).toarray()
    nq = pattern.nq
    K, C = dense(I.K)[:nq, :nq], dense(I.C)[:nq, :nq]
    M = np.diag(np.ravel([[*[m] * 3, *J] for m, J in zip(sim.system.bodies.mass, sim.system.bodies.J)]))
    N = nullspace(constraint_matrix(sim.system), 1e-8)
    same(values(linear), pencil(N.T @ M @ N, N.T @ C @ N, N.T @ K @ N), rel=1e-8)


# ---- terms that the iteration matrix leaves out ----------------------------------------------------------------------
def test_bead_on_a_wire():
    """Point on a curve z = x^2/(2 a): w^2 = g / a, all of it from the curvature of the curve under the reaction."""
    a, g = 0.8, 9.81
    x = np.linspace(-1, 1, 81)
    model = hn.Model("wire")
    model.gravity = (0, 0, -g)
    bead = model.point_mass("bead", 0.7, (0.0, 0.0, 0.0))
    wire = model.curve(np.column_stack([x, 0 * x, x**2 / (2 * a)]))
    model.point_on_curve(bead.cm, model.marker(model.ground), wire)
    w = np.sqrt(g / a)
    same(values(hn.linearize(model)), [1j * w, -1j * w], rel=1e-6)


def test_force_that_depends_on_an_acceleration():
    """An added mass: w^2 = k / (m + added)."""
    m, k, added = 2.0, 30.0, 0.7
    model = sliders(1, k, m=m)
    centre = model.parts[2].cm
    model.vforce(centre, None, fx=f"-{added}*ACCX({centre})")
    w = np.sqrt(k / (m + added))
    same(values(hn.linearize(model)), [1j * w, -1j * w])


def test_force_that_depends_on_a_reaction():
    """A drag of mu N on a block whose track presses it down with N = N0 + c x: stiffness grows by mu c."""
    m, k, mu, c = 2.0, 30.0, 0.2, 12.0
    model = sliders(1, k, m=m)
    centre, joint = model.parts[2].cm, model.joints[1]
    model.vforce(centre, None, fz=f"-(5+{c}*(DX({centre})-1))")
    model.vforce(centre, None, fx=f"-{mu}*JOINT({joint.id},0,4,0)+{mu}*5")
    w = np.sqrt((k + mu * c) / m)
    same(values(hn.linearize(model)), [1j * w, -1j * w])


def test_driven_velocity():
    """A velocity motion holds the speed but not the place: one zero eigenvalue, not two; an acceleration motion leaves
    both."""
    for level, chains in (("VELOCITY", [1]), ("ACCELERATION", [2])):
        model = sliders(1, 10.0)
        model.motion(1, "0", level=level)
        linear = hn.linearize(model)
        assert [mode.multiplicity for mode in linear.modes] == chains, level


def test_state_of_a_running_simulation_is_not_disturbed():
    """A linear analysis between two halves of a run changes nothing in it."""
    once = hn.simulate(double_pendulum(), end=1.0, steps=10)
    sim = Simulation(double_pendulum(), progress=False)
    sim.dynamics(end=0.5, steps=5)
    first = sim.linearize()
    assert first.time == 0.5 and sim.time == 0.5
    sim.dynamics(end=1.0, steps=5)
    run = sim.run()
    assert run.linear == [first]
    assert run.part("lower").position.values[-1] == pytest.approx(once.part("lower").position.values[-1], abs=1e-6)
