from collections import namedtuple

import numpy as np
import pytest
from moving_frames import assert_derivative, carried, copy, moved, perturbed, random_frames
from scipy.spatial.transform import Rotation

from holonom.elements import forces
from holonom.elements.forces import beam, bushing, field, spring_damper, torsion_spring
from holonom.elements.forces.pair_kinds import PAIR_KINDS
from holonom.elements.frames import project_tangent
from holonom.model.base import ModelError
from holonom.model.forces import Beam, Bushing, Field, SpringDamper
from holonom.system.pairs import Pairs, pair_forces

Tables, Work = namedtuple("Tables", "pairs fr"), namedtuple("Work", "R F")

rng = np.random.default_rng(0)
spd = lambda n: (lambda B: B @ B.T)(rng.normal(size=(n, n)))
six = lambda s=1.0: tuple(s * rng.normal(size=6))
BEAM = Beam(
    length=1.3, area=0.02, ixx=3e-3, iyy=1e-3, izz=2e-3, asy=1.2, asz=1.1, emodulus=2e3, gmodulus=8e2, cratio=0.1
)
ELEMENTS = {
    "spring": (spring_damper, SpringDamper(k=3.0, c=0.7, force=0.4, length=1.1)),
    "torsion": (torsion_spring, SpringDamper(kind="ROTATIONAL", kt=3.0, ct=0.7, torque=0.4, angle=0.2)),
    "bushing": (
        bushing,
        Bushing(
            k=(3, 4, 5),
            c=(0.3, 0.1, 0.6),
            kt=(1, 2, 3),
            ct=(0.4, 0.2, 0.1),
            force=(1, -1, 0.5),
            torque=(0.2, 0.3, -0.1),
        ),
    ),
    "field": (
        field,
        Field(
            kmatrix=tuple(spd(6).ravel()),
            cmatrix=tuple(spd(6).ravel()),
            force=(1, 2, 3),
            torque=(0.1, 0.3, -0.2),
            length=six(0.1),
        ),
    ),
    "beam": (beam, BEAM),
}
all_kinds = pytest.mark.parametrize("name", ELEMENTS)


def table(name):
    module, element = ELEMENTS[name]
    t = np.array([module.row(element)])
    assert t.shape == (1, len(module.COLUMNS))
    return module, t


def wrench(module, t, fr, i=1, j=2, ref=None):
    W = np.full(12, np.nan)
    module.wrench(t, 0, i, j, fr, np.zeros((1, 3)) if ref is None else ref, W)
    return W


def angles_now(fr, i=1, j=2):
    ref = np.zeros((1, 3))
    forces.accept(np.array([i]), np.array([j]), fr, ref)
    return ref


@all_kinds
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tangent(name, seed):
    """Exact for any rotation, i and j in the air or j at rest."""
    module, t = table(name)
    r = np.random.default_rng(seed)
    fr = random_frames(r)
    for i, j in ((1, 2), (3, 0), (0, 4)):
        ref = angles_now(fr, i, j)
        W, D = np.full(12, np.nan), np.full((12, 24), np.nan)
        module.tangent(t, 0, i, j, fr, ref, W, D)
        np.testing.assert_array_equal(W, wrench(module, t, fr, i, j, ref))
        d = r.normal(size=(6, 18))
        exact = D @ np.concatenate([d[i, 0:6], d[j, 0:6], d[i, 6:12], d[j, 6:12]])
        assert_derivative(lambda h, s=(fr, d, i, j, ref): wrench(module, t, perturbed(s[0], s[1], h), *s[2:]), exact)


@all_kinds
def test_action_is_reaction(name):
    module, t = table(name)
    fr = random_frames(np.random.default_rng(4))
    W = wrench(module, t, fr)
    point = np.array([0.3, -2.0, 5.0])
    np.testing.assert_allclose(W[0:3] + W[6:9], 0, atol=1e-13)
    moment = W[3:6] + W[9:12] + np.cross(fr.p[1] - point, W[0:3]) + np.cross(fr.p[2] - point, W[6:9])
    np.testing.assert_allclose(moment, 0, atol=1e-12)


@all_kinds
def test_rigid_motion_of_the_scene(name):
    """Turned and shifted scene: the wrench turns with it.  Carried along at any velocity: the same wrench."""
    module, t = table(name)
    r = np.random.default_rng(5)
    fr = random_frames(r)
    R = Rotation.random(random_state=6).as_matrix()
    W = wrench(module, t, fr)
    turned = wrench(module, t, carried(fr, R, r.normal(size=3)))
    np.testing.assert_allclose(turned.reshape(4, 3), W.reshape(4, 3) @ R.T, atol=1e-12)
    v, w = r.normal(size=(2, 3))
    fast = copy(fr)
    fast.v[:] += v + np.cross(w, fr.p)
    fast.w[:] += w
    np.testing.assert_allclose(wrench(module, t, fast), W, atol=1e-12)


@all_kinds
def test_damping_dissipates(name):
    module, t = table(name)
    for seed in range(20):
        fr = random_frames(np.random.default_rng(seed))
        W = wrench(module, t, fr)
        elastic, viscous = module.power(t, 0, 1, 2, fr, np.zeros((1, 3)), W)
        total = W[0:3] @ fr.v[1] + W[3:6] @ fr.w[1] + W[6:9] @ fr.v[2] + W[9:12] @ fr.w[2]
        assert viscous <= 0 and elastic + viscous == pytest.approx(total, abs=1e-12)


@all_kinds
def test_energy_is_the_work_of_springs(name):
    """-dE/dt is the elastic power while I and J are parallel, whatever they do next (for the spring: always)."""
    module, t = table(name)
    for seed in range(5):
        fr = random_frames(np.random.default_rng(seed))
        if name != "spring":
            fr.A[1] = fr.A[2]
        ref = np.zeros((1, 3))
        elastic, _ = module.power(t, 0, 1, 2, fr, ref, wrench(module, t, fr))
        assert_derivative(lambda h, s=(fr, ref): module.energy(t, 0, 1, 2, moved(s[0], h), s[1]), -elastic)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_bushing_energy_is_exact_for_turns_about_one_axis(axis):
    _, t = table("bushing")
    for angle in (0.3, 1.2, 1.5):
        fr = random_frames(np.random.default_rng(7))
        turn = np.eye(3)[axis]
        fr.A[1] = (fr.A[2].reshape(3, 3) @ Rotation.from_rotvec(angle * turn).as_matrix()).ravel()
        fr.w[1] = fr.w[2] + 0.7 * fr.A[2].reshape(3, 3) @ turn
        ref = angles_now(fr)
        elastic, _ = bushing.power(t, 0, 1, 2, fr, ref, wrench(bushing, t, fr))
        assert_derivative(lambda h, s=(fr, ref): bushing.energy(t, 0, 1, 2, moved(s[0], h), s[1]), -elastic)


def test_unsymmetric_field_has_no_energy():
    K = np.eye(6)
    K[0, 1] = 0.1
    t = np.array([field.row(Field(kmatrix=tuple(K.ravel())))])
    assert np.isnan(field.energy(t, 0, 1, 2, random_frames(rng), np.zeros((1, 3))))


@all_kinds
def test_units(name):
    """The same machine in metres and in millimetres: kg m/s^2 = 1e3 kg mm/s^2."""
    module, t = table(name)
    mm = t.copy()
    L = 1e3
    if name == "spring":
        mm[0, 2] *= L
        mm[0, 3] *= L
    elif name == "torsion":
        mm[0, :3] *= L * L
    else:
        s = np.array([1, 1, 1, L, L, L])  # columns scale by 1/length, rows by force: K_mm = L s K s / L
        scale = np.outer(s, s).ravel() if name != "bushing" else s * s
        n = 36 if name != "bushing" else 6
        mm[0, :n] *= scale
        mm[0, n : 2 * n] *= scale
        mm[0, 2 * n : 2 * n + 6] *= L * s
        if name != "bushing":
            mm[0, 78:81] *= L
    fr = random_frames(np.random.default_rng(8))
    big = copy(fr)
    for x in (big.p, big.v):
        x *= L
    f = np.array([L] * 3 + [L * L] * 3)
    np.testing.assert_allclose(wrench(module, mm, big), wrench(module, t, fr) * np.tile(f, 2), rtol=1e-10)


def test_bushing_is_a_diagonal_field():
    _, tb = table("bushing")
    b = ELEMENTS["bushing"][1]
    full = lambda *x: tuple(np.diag(np.ravel(x)).ravel())
    same = Field(kmatrix=full(b.k, b.kt), cmatrix=full(b.c, b.ct), force=b.force, torque=b.torque)
    tf = np.array([field.row(same)])
    fr = random_frames(np.random.default_rng(9))
    out = []
    for module, t in ((bushing, tb), (field, tf)):
        W, D = np.zeros(12), np.zeros((12, 24))
        module.tangent(t, 0, 1, 2, fr, np.zeros((1, 3)), W, D)
        out.append((W, D, module.energy(t, 0, 1, 2, fr, np.zeros((1, 3)))))
    for a, b in zip(*out):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_cratio():
    K = tuple(spd(6).ravel())
    assert field.row(Field(kmatrix=K, cratio=0.2)) == field.row(Field(kmatrix=K, cmatrix=tuple(0.2 * x for x in K)))


def cantilever(load):
    """Displacements of I under a load on I, J clamped at the origin with x along the beam."""
    t = np.array([beam.row(BEAM)])
    K = t[0, :36].reshape(6, 6)
    np.testing.assert_array_equal(K, K.T)
    return np.linalg.solve(K, load)


def test_cantilever():
    b = BEAM
    P, M, L, E, G = 0.7, 0.4, b.length, b.emodulus, b.gmodulus
    for v, r, inertia, a, sign in ((1, 5, b.izz, b.asy, 1.0), (2, 4, b.iyy, b.asz, -1.0)):
        x = cantilever(P * np.eye(6)[v])
        assert x[v] == pytest.approx(P * L**3 / (3 * E * inertia) + a * P * L / (G * b.area))
        assert x[r] == pytest.approx(sign * P * L**2 / (2 * E * inertia))
        x = cantilever(M * np.eye(6)[r])
        assert x[r] == pytest.approx(M * L / (E * inertia))
        assert x[v] == pytest.approx(sign * M * L**2 / (2 * E * inertia))
    assert cantilever(P * np.eye(6)[0])[0] == pytest.approx(P * L / (E * b.area))
    assert cantilever(M * np.eye(6)[3])[3] == pytest.approx(M * L / (G * b.ixx))


def test_beam_wrench_balances_the_tip_load_and_the_clamp():
    """Small tip load in y: I sits at (L, y), turned by c; the beam pushes back with -P, and clamps J with M = P L."""
    P, L = 1e-4, BEAM.length
    x = cantilever(P * np.eye(6)[1])
    fr = random_frames(rng)
    for k in (1, 2):
        fr.A[k] = np.eye(3).ravel()
        fr.v[k] = fr.w[k] = fr.p[k] = 0.0
    fr.p[1] = [L, x[1], 0.0]
    fr.A[1] = Rotation.from_rotvec([0, 0, x[5]]).as_matrix().ravel()
    W = wrench(beam, np.array([beam.row(BEAM)]), fr)
    np.testing.assert_allclose(W, [0, -P, 0, 0, 0, 0, 0, P, 0, 0, 0, P * L], atol=1e-12)


def test_beam_damping_from_21_numbers():
    C = spd(6)
    lower = tuple(C[r, s] for s in range(6) for r in range(s, 6))
    kwargs = dict(length=1.0, area=1.0, emodulus=1.0, gmodulus=1.0)
    np.testing.assert_array_equal(np.reshape(beam.row(Beam(cmatrix=lower, **kwargs))[36:72], (6, 6)), C)


def test_bad_input():
    for element, module, text in (
        (Beam(), beam, "length must be positive"),
        (Beam(length=1.0, formulation="NONLINEAR"), beam, "formulation NONLINEAR is not supported"),
        (Beam(length=1.0, asy=1.2), beam, "asy and asz need"),
        (Field(kmatrix=(1.0,)), field, "kmatrix needs 36 numbers"),
        (Field(function="USER(1)"), field, "user routine"),
    ):
        with pytest.raises(ModelError, match=text):
            module.row(element)


def test_spring_of_no_length_is_finite_when_the_ends_meet():
    t = np.array([spring_damper.row(SpringDamper(k=3.0, c=0.7))])
    W, D = np.zeros(12), np.zeros((12, 24))
    spring_damper.tangent(t, 0, 1, 1, random_frames(rng), np.zeros((1, 3)), W, D)
    assert not W.any()
    np.testing.assert_array_equal(D[:3, :3], -3.0 * np.eye(3))
    np.testing.assert_array_equal(D[:3, 12:15], -0.7 * np.eye(3))
    assert np.isfinite(D).all()


def test_torsion_spring_counts_turns():
    t = np.array([torsion_spring.row(SpringDamper(kind="ROTATIONAL", kt=2.0))])
    ref = np.zeros((1, 3))
    fr = random_frames(rng)
    for angle in np.linspace(0, 15, 31):
        fr.A[1] = (fr.A[2].reshape(3, 3) @ Rotation.from_rotvec([0, 0, angle]).as_matrix()).ravel()
        forces.accept(np.array([1]), np.array([2]), fr, ref)
    W = wrench(torsion_spring, t, fr, ref=ref)
    np.testing.assert_allclose(W[3:6], -30.0 * fr.A[2].reshape(3, 3)[:, 2], rtol=1e-12)


@all_kinds
def test_all_forces(name):
    """All wrenches and their sum on the bodies, moments about mass centres in body axes."""
    module, t = table(name)
    t = np.repeat(t, 3, axis=0)
    fr = random_frames(np.random.default_rng(11))
    R = Rotation.random(6, random_state=12).as_matrix()
    i, j = np.array([1, 2, 5]), np.array([2, 0, 1])
    ref, Q, out = np.zeros((3, 3)), np.zeros(36), np.zeros((3, 12))
    kind = next(q for q, one in enumerate(PAIR_KINDS) if module in (one.law, *one.sources))
    z = np.zeros
    pairs = Pairs(
        t=tuple(t if q == kind else z((0, len(one.law.COLUMNS))) for q, one in enumerate(PAIR_KINDS)),
        first=np.array([0 if q <= kind else 3 for q in range(len(PAIR_KINDS) + 1)]),
        i=i,
        j=j,
        ref=ref,
        out=out,
        pos=z((3, 144), np.uint32),
        W=z(12),
        D=z((12, 24)),
        KL=z((12, 12)),
        CL=z((12, 12)),
        idx=z(2, np.int64),
    )
    y = np.zeros(0)
    pair_forces(Tables(pairs, fr), Work(R.reshape(6, 9).copy(), Q), 0.0, y, y)
    expected = np.zeros((6, 6))
    for k in range(3):
        W = wrench(module, t, fr, i[k], j[k])
        np.testing.assert_array_equal(out[k], W)
        for b, f in ((i[k], W[:6]), (j[k], W[6:])):
            expected[b, :3] += f[:3]
            expected[b, 3:] += R[b].T @ (f[3:] + np.cross(fr.s[b], f[:3]))
    np.testing.assert_allclose(Q.reshape(6, 6), expected, atol=1e-12)


def on_bodies(state):
    """Frames 1 and 2 on two bodies whose (position, rotation, velocity, angular velocity in its axes) are given, at
    fixed places and attitudes of the bodies."""
    fr = random_frames(np.random.default_rng(20))
    r = np.random.default_rng(21)
    for k, (place, R, velocity, W) in zip((1, 2), state):
        own, axes = r.normal(size=3), Rotation.from_rotvec(r.normal(size=3)).as_matrix()
        fr.s[k], fr.w[k] = R @ own, R @ W
        fr.p[k], fr.A[k] = place + fr.s[k], (R @ axes).ravel()
        fr.v[k] = velocity + np.cross(fr.w[k], fr.s[k])
    return fr


@all_kinds
def test_stiffness_and_damping_on_the_bodies(name):
    """Forces, and torques in the axes of the bodies, about their centres: derivatives by differences of positions,
    turns, velocities and angular velocities of both bodies."""
    module, t = table(name)
    r = np.random.default_rng(22)
    R = [Rotation.from_rotvec(r.normal(size=3) * 0.4).as_matrix() for _ in range(2)]
    state = [(r.normal(size=3), R[k], r.normal(size=3), r.normal(size=3)) for k in range(2)]
    fr = on_bodies(state)
    ref = angles_now(fr)

    def forces_on_bodies(x):
        moved_state = [
            (p + d[:3], A @ Rotation.from_rotvec(d[3:6]).as_matrix(), v + d[6:9], W + d[9:])
            for (p, A, v, W), d in zip(state, x.reshape(2, 12))
        ]
        new = on_bodies(moved_state)
        w = wrench(module, t, new, ref=ref)
        out = []
        for k, f, (_, A, _, _) in zip((1, 2), (w[:6], w[6:]), moved_state):
            out += [f[:3], A.T @ (f[3:] + np.cross(new.s[k], f[:3]))]
        return np.concatenate(out)

    columns = np.array([forces_on_bodies(h) - forces_on_bodies(-h) for h in 1e-5 * np.eye(24)]).T / 2e-5
    K, C = columns.reshape(12, 2, 2, 6)[:, :, 0].reshape(12, 12), columns.reshape(12, 2, 2, 6)[:, :, 1].reshape(12, 12)
    axes = np.zeros((6, 9))
    axes[fr.body[1]], axes[fr.body[2]] = R[0].ravel(), R[1].ravel()
    KL, CL, W, D = np.zeros((12, 12)), np.zeros((12, 12)), np.zeros(12), np.zeros((12, 24))
    module.tangent(t, 0, 1, 2, fr, ref, W, D)
    project_tangent(fr, axes, 2, np.array([1, 2]), W, D, 2, KL, CL)
    scale = np.abs(columns).max()
    np.testing.assert_allclose(KL, K, atol=1e-7 * scale)
    np.testing.assert_allclose(CL, C, atol=1e-7 * scale)
    if hasattr(module, "add_stiffness"):  # in closed form, subtracted
        K_all, C_all, pos = np.zeros(144), np.zeros(144), np.arange(144, dtype=np.uint32)[None]
        module.add_stiffness(t, np.array([1]), np.array([2]), fr, axes, ref, W, pos, K_all, C_all)
        np.testing.assert_allclose(-K_all.reshape(12, 12), K, atol=1e-7 * scale)
        np.testing.assert_allclose(-C_all.reshape(12, 12), C, atol=1e-7 * scale)


def test_beam_with_one_shear_and_damping_of_36_numbers():
    """Shear across one axis alone softens that plane alone; 36 dampings are taken as they are."""
    numbers = dict(length=1.3, area=0.02, ixx=3e-3, iyy=1e-3, izz=2e-3, emodulus=2e3, gmodulus=8e2)
    stiff, both = (np.reshape(beam.stiffness(Beam(**numbers, **s)), (6, 6)) for s in ({}, {"asy": 1.2, "asz": 1.1}))
    y, z = (np.reshape(beam.stiffness(Beam(**numbers, **s)), (6, 6)) for s in ({"asy": 1.2}, {"asz": 1.1}))
    for rows, one, other in (([1, 5], y, z), ([2, 4], z, y)):
        np.testing.assert_allclose(one[np.ix_(rows, rows)], both[np.ix_(rows, rows)], rtol=1e-14)
        np.testing.assert_allclose(other[np.ix_(rows, rows)], stiff[np.ix_(rows, rows)], rtol=1e-14)
        assert one[rows[0], rows[0]] < 0.9 * stiff[rows[0], rows[0]]
    C = np.arange(36.0)
    np.testing.assert_array_equal(beam.row(Beam(cmatrix=tuple(C), **numbers))[36:72], C)
