import numpy as np
import pytest
from moving_frames import assert_derivative, carried, moved, perturbed, random_frames
from scipy.spatial.transform import Rotation

from holonom.elements import measures as m

NAMES = list(m.MEASURES)
CASES = [(1, 2, 3, 4), (1, 2, 2, 2), (1, 0, 2, 1), (2, 1, 0, 0), (3, 1, 1, 2)]


def value(name, ijkl, fr, ref=0.0):
    return m.measure_value(m.CODES[name], *ijkl, fr, ref)


def covectors(name, ijkl, fr, ref=0.0):
    g = np.full(72, np.nan)
    return m.measure(m.CODES[name], *ijkl, fr, ref, g), g.reshape(4, 18)


@pytest.mark.parametrize("name", NAMES)
def test_taylor(name):
    rng = np.random.default_rng(1)
    for ijkl in CASES:
        fr = random_frames(rng)
        x, g = covectors(name, ijkl, fr)
        assert x == pytest.approx(value(name, ijkl, fr), rel=1e-14)
        d = rng.normal(size=(6, 18))
        exact = sum(g[s] @ d[ijkl[s]] for s in range(4))
        assert_derivative(lambda h, s=(ijkl, fr, d, x): value(name, s[0], perturbed(s[1], s[2], h), s[3]), exact)


@pytest.mark.parametrize("name", NAMES)
def test_level_bounds_covectors(name):
    rng = np.random.default_rng(2)
    _, g = covectors(name, (1, 2, 3, 4), random_frames(rng))
    assert not g[:, 6 + 6 * m.MEASURES[name].level :].any()
    for s, slot in enumerate("ijkl"):
        assert g[s].any() == (slot in m.MEASURES[name].slots) or name in ("VR", "WDTM", "WM")


@pytest.mark.parametrize("name", [n for n in NAMES if m.MEASURES[n].level < 2])
def test_jet(name):
    rng = np.random.default_rng(3)
    for ijkl in CASES:
        fr = random_frames(rng)
        fr.a[:] = fr.ab
        fr.al[:] = 0.0
        x, xd, xdd = m.measure_jet(m.CODES[name], *ijkl, fr, 0.0)
        assert x == pytest.approx(value(name, ijkl, fr), rel=1e-14)
        assert_derivative(lambda t, s=(ijkl, fr, x): value(name, s[0], moved(s[1], t), s[2]), xd)
        if m.MEASURES[name].level == 0:
            rate = lambda t, s=(ijkl, fr, x): m.measure_jet(m.CODES[name], *s[0], moved(s[1], t), s[2])[1]
            assert_derivative(rate, xdd)
        else:
            assert xdd == 0.0


def test_velocity_and_acceleration_are_derivatives_seen_from_l():
    """l = k: VX and ACCX are the plain first and second derivatives of DX; and without l of the ground components."""
    rng = np.random.default_rng(4)
    fr = random_frames(rng)
    fr.a[:] = fr.ab
    fr.al[:] = 0.0
    for c in "XYZ":
        x, xd, xdd = m.measure_jet(m.CODES["D" + c], 1, 2, 3, 0, fr, 0.0)
        assert value("V" + c, (1, 2, 3, 3), fr) == pytest.approx(xd, rel=1e-12)
        assert value("ACC" + c, (1, 2, 3, 3), fr) == pytest.approx(xdd, rel=1e-12)
        x, xd, _ = m.measure_jet(m.CODES["W" + c], 1, 2, 3, 0, fr, 0.0)
        assert value("WDT" + c, (1, 2, 3, 3), fr) == pytest.approx(xd, rel=1e-12)


def test_magnitudes():
    fr = random_frames(np.random.default_rng(5))
    for f in ("D", "V", "W", "ACC", "WDT"):
        parts = [value(f + c, (1, 2, 3, 4), fr) for c in "XYZ"]
        assert value(f + "M", (1, 2, 0, 4), fr) == pytest.approx(np.linalg.norm(parts), rel=1e-14)
    assert value("VR", (1, 2, 0, 0), fr) == pytest.approx(m.measure_jet(0, 1, 2, 0, 0, fr, 0.0)[1], rel=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_invariant_under_a_common_rigid_motion(name):
    rng = np.random.default_rng(6)
    fr = random_frames(rng)
    far = carried(fr, Rotation.random(random_state=7).as_matrix(), rng.normal(size=3))
    assert value(name, (1, 2, 3, 4), far) == pytest.approx(value(name, (1, 2, 3, 4), fr), rel=1e-11)


def two(R, p=(0, 0, 0)):
    fr = random_frames(np.random.default_rng(8), n=2)
    fr.A[1] = np.asarray(R).ravel()
    fr.p[1] = p
    return fr


def test_angles_match_the_manual():
    for axis, name in zip(np.eye(3), ("AX", "AY", "AZ")):
        for angle in (-3.0, -0.5, 1.0, 2.5):
            fr = two(Rotation.from_rotvec(angle * axis).as_matrix())
            assert value(name, (1, 0, 0, 0), fr) == pytest.approx(angle)
    fr = two(Rotation.from_euler("ZXZ", [0.3, 0.7, -1.1]).as_matrix())
    assert [value(n, (1, 0, 0, 0), fr) for n in ("PSI", "THETA", "PHI")] == pytest.approx([0.3, 0.7, -1.1])
    fr = two(Rotation.from_euler("ZYX", [0.3, 0.7, -1.1]).as_matrix())
    assert [value(n, (1, 0, 0, 0), fr) for n in ("YAW", "PITCH", "ROLL")] == pytest.approx([0.3, -0.7, -1.1])


def test_the_nearest_branch_is_repeated_to_the_last_bit():
    """An angle that is accepted twice at one state stays as it is: FMUs and simulations evaluate states once or twice,
    and a bit between them grows where a mechanism clatters."""
    draw = np.random.default_rng(1)
    for angle, turns in zip(draw.uniform(-np.pi, np.pi, 1000), draw.integers(-50, 50, 1000)):
        once = m.nearest.py_func(angle, angle + 2 * np.pi * turns + draw.uniform(-3, 3))
        assert m.nearest.py_func(angle, once) == once
        assert once == pytest.approx(angle + 2 * np.pi * turns, abs=1e-12)


@pytest.mark.parametrize("name", ["AX", "AY", "AZ", "PSI", "PHI", "YAW", "ROLL"])
def test_angles_run_on(name):
    tilt = Rotation.from_rotvec([0.0, 0.0, 0.0] if name[0] == "A" else [0.02, 0.03, 0.0])
    axis = np.eye(3)[{"AX": 0, "AY": 1, "ROLL": 0}.get(name, 2)]
    ref, start = 0.0, None
    for angle in np.linspace(0, 20, 41):
        spin = Rotation.from_rotvec(angle * axis)
        R = tilt * spin if name in ("PHI", "ROLL") else spin * tilt
        x = value(name, (1, 0, 0, 0), two(R.as_matrix()), ref)
        start = x if start is None else start
        assert abs(x - ref) < 1.0 or angle == 0.0
        ref = x
    assert ref - start == pytest.approx(20, abs=0.1)


@pytest.mark.parametrize("R", [np.eye(3), np.diag([1.0, -1, -1]), np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]])])
def test_finite_in_singular_places(R):
    fr = two(R)
    for name in NAMES:
        x, g = covectors(name, (1, 0, 0, 0), fr, 0.25)
        assert np.isfinite(x) and np.isfinite(g).all(), name
        assert np.isfinite(m.measure_jet(m.CODES[name], 1, 0, 0, 0, fr, 0.25)).all(), name
    for name in ("DM", "VR", "VM", "WM", "ACCM", "WDTM", "INCANG"):
        x, g = covectors(name, (1, 1, 1, 1), fr)
        assert x == 0.0 and not g.any(), name
        assert not np.any(m.measure_jet(m.CODES[name], 1, 1, 1, 1, fr, 0.0)), name


def test_psi_takes_the_whole_turn_when_z_axes_are_parallel():
    fr = two(Rotation.from_rotvec([0, 0, 0.4]).as_matrix())
    assert value("PSI", (1, 0, 0, 0), fr) == pytest.approx(0.4)
    assert value("PHI", (1, 0, 0, 0), fr, 0.1) == 0.0


def test_arguments():
    assert m.frames_of("DX", (5,)) == (5, 0, 0, 0)
    assert m.frames_of("dx", (5, 6, 7)) == (5, 6, 7, 0)
    assert m.frames_of("VM", (5, 6, 7)) == (5, 6, 0, 7)
    assert m.frames_of("ACCX", (5, 0, 7, 8)) == (5, 0, 7, 8)
    with pytest.raises(ValueError, match="DX takes 1 to 3 markers, i, j, k; 4 given"):
        m.frames_of("DX", (1, 2, 3, 4))


@pytest.mark.parametrize("system", range(1, 25))
def test_orient_sequences(system):
    """Angles rebuild the matrix, also where the sequence is singular."""
    axes = "".join("xyz"[int(c) - 1] for c in m.SEQUENCES[(system - 1) % 12])
    angles = [0.3, 0.7, -1.1]
    for second in (0.7, -0.4, 0.0, np.pi / 2, -np.pi / 2, np.pi):
        angles[1] = second
        sequence = axes.upper() if system <= 12 else axes
        R = Rotation.from_euler(sequence, angles).as_matrix()
        got = [m.orient(system, c, 1, 0, two(R)) for c in (1, 2, 3)]
        np.testing.assert_allclose(Rotation.from_euler(sequence, got).as_matrix(), R, atol=1e-12)
        if second == 0.7:
            assert got == pytest.approx(angles)


def test_orient_euler_parameters():
    for R in Rotation.random(20, random_state=9):
        e = [m.orient(27, c, 1, 0, two(R.as_matrix())) for c in (1, 2, 3, 4)]
        q = R.as_quat(canonical=True)
        assert e == pytest.approx([q[3], q[0], q[1], q[2]], abs=1e-12)
        before = -np.array(e)
        assert m.orient(27, 1, 1, 0, two(R.as_matrix()), before) == pytest.approx(-e[0], abs=1e-12)
