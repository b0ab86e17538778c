"""Damage at nodes against the same counted by hand, and spectra against rainflow of a signal that has them."""

import importlib.util
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.special import gamma

import holonom as hn
from holonom import durability as hd
from holonom.durability import fields, kernels, stress

CURVE = hd.SNCurve.basquin(100.0, 1e6, 5.0)
STEEL = hd.StrainLife(E=210000.0, sigma_f=1000.0, epsilon_f=1.1, b=-0.1, c=-0.6, K=1200.0, n=0.2)
AT = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))


def tensors(sigma):
    """(.., 3, 3) of (.., 6)."""
    out = np.empty((*sigma.shape[:-1], 3, 3))
    for c, (i, j) in enumerate(AT):
        out[..., i, j] = out[..., j, i] = sigma[..., c]
    return out


def components(t):
    return np.stack([t[..., i, j] for i, j in AT], axis=-1)


def history(n=200, a=5, seed=0):
    return 80 * np.random.default_rng(seed).normal(size=(n, a, 6))


def test_principal_stresses():
    sigma = np.vstack(
        [
            history(50, 1)[:, 0],
            np.eye(6) * 7,
            np.eye(6) * -7,
            np.ones((1, 6)),
            np.zeros((1, 6)),
            [[5, 5, 5, 0, 0, 0]],
            [[1, 1, 3, 0, 0, 0]],
        ]
    )
    for s in sigma:
        low, high, mises = kernels.extremes(*s)
        w = np.linalg.eigvalsh(tensors(s))
        d = tensors(s) - np.trace(tensors(s)) / 3 * np.eye(3)
        assert np.allclose([low, high, mises], [w[0], w[2], np.sqrt(1.5 * np.sum(d * d))], atol=1e-7)


@pytest.mark.parametrize("residue", ["half", "repeat", "none"])
@pytest.mark.parametrize(
    "material, mean", [(CURVE, None), (CURVE, hd.goodman(2000)), (hd.eurocode3(90), None), (STEEL, None)]
)
def test_every_method_is_what_one_counts_by_hand(residue, material, mean):
    sigma = history()
    w = np.linalg.eigvalsh(tensors(sigma))
    larger = w[..., 2] + w[..., 0] >= 0
    principal = np.where(larger, w[..., 2], w[..., 0])
    d = tensors(sigma) - (np.trace(tensors(sigma), axis1=-2, axis2=-1) / 3)[..., None, None] * np.eye(3)
    mises = np.where(larger, 1, -1) * np.sqrt(1.5 * (d * d).sum(axis=(-1, -2)))
    for method, x in (("max_abs_principal", principal), ("von_mises_signed", mises)):
        found = hd.life(sigma, material, method=method, mean=mean, residue=residue)
        wanted = [hd.damage(x[:, k], material, mean=mean, residue=residue).total for k in range(5)]
        assert np.allclose(found.damage, wanted, rtol=1e-6)
        assert np.allclose(found.swing, np.ptp(x, axis=0)) and found.worst == 1 + int(np.argmax(wanted))


def test_critical_plane_by_hand():
    sigma = history(150, 3)
    up = np.array([[0, 0, 1.0], [1, 2, 3.0], [0, 0, 0]])
    found = hd.life(sigma, CURVE, method="critical_plane", surface=up, step=15.0)
    for k in range(3):
        planes = fields.on_surface(up[k] / np.linalg.norm(up[k]), 15.0) if up[k].any() else fields.half_sphere(15.0)
        each = [hd.damage(np.einsum("i,tij,j->t", n, tensors(sigma[:, k]), n), CURVE).total for n in planes]
        assert found.damage[k] == pytest.approx(max(each)) and np.allclose(found.plane[k], planes[int(np.argmax(each))])
    assert np.allclose(np.einsum("ai,ai->a", found.plane[:2], up[:2]), 0.0)


def test_planes_cover_what_they_should():
    ball = fields.half_sphere(10.0)
    assert np.allclose(np.linalg.norm(ball, axis=1), 1.0) and 150 < len(ball) < 250
    some = np.random.default_rng(0).normal(size=(500, 3))
    some /= np.linalg.norm(some, axis=1, keepdims=True)
    assert np.degrees(np.arccos(np.abs(some @ ball.T).max(axis=1))).max() < 7.5  # half a diagonal of 10 degrees
    assert np.abs(ball @ ball.T - 2 * np.eye(len(ball))).max() < 1.0 + 1e-12  # none twice
    flat = fields.on_surface(np.array([0.0, 1.0, 0.0]))
    assert len(flat) == 18 and np.allclose(flat[:, 1], 0.0)


def test_uniaxial_stress_is_the_same_for_all():
    """In any direction; on the free surface a plane lies across it to within five degrees."""
    x = 100 * np.random.default_rng(3).normal(size=300)
    wanted = hd.damage(x, CURVE).total
    for seed in range(3):
        e = Rotation.random(random_state=seed).as_matrix()
        sigma = components(x[:, None, None] * np.outer(e[0], e[0]))[:, None]
        for method in ("max_abs_principal", "von_mises_signed"):
            assert hd.life(sigma, CURVE, method=method).damage[0] == pytest.approx(wanted)
        for surface in (e[1][None], None):
            found = hd.life(sigma, CURVE, method="critical_plane", surface=surface)
            assert wanted * np.cos(np.radians(7.5)) ** 10 <= found.damage[0] <= wanted * (1 + 1e-12)
    sigma = np.zeros((300, 1, 6))
    sigma[:, 0, 3] = x  # shear: tension at 45 degrees
    assert hd.life(np.abs(sigma), CURVE).damage[0] == pytest.approx(hd.damage(np.abs(x), CURVE).total)
    assert hd.life(np.abs(sigma), CURVE, method="von_mises_signed").damage[0] == pytest.approx(
        hd.damage(np.abs(x) * np.sqrt(3), CURVE).total
    )
    assert hd.life(sigma, CURVE, method="critical_plane", surface=[[0, 0, 1]], step=5.0).damage[0] == pytest.approx(
        hd.damage(x, CURVE).total
    )


def test_jumps_of_sign_are_told():
    """A steady shear with a little tension to and fro: the sign of what is largest follows the tension, and 100 becomes
    -100."""
    t = np.linspace(0, 6 * np.pi, 601)
    sigma = np.zeros((601, 2, 6))
    sigma[:, :, 3] = 100.0
    sigma[:, 1, 0] = 2.0 * np.sin(t)
    for method in ("max_abs_principal", "von_mises_signed"):
        found = hd.life(sigma, CURVE, method=method, nodes=[7, 8])
        assert found.damage[0] == 0.0 and found.swing[1] > 200.0
        assert (
            len(found.warnings) == 1
            and "at 1 of 2 nodes, the first of them 8, the sign of what is counted jumps" in found.warnings[0]
        )
    found = hd.life(sigma, CURVE, method="critical_plane")
    assert not found.warnings and found.swing[1] < 5.0
    # tension and compression to and fro pass zero; more than six times the change of all numbers is a jump
    out = np.zeros(601)
    wave = np.zeros((1, 6, 601))
    wave[0, 0] = 100.0 * np.sin(t)
    assert kernels.scalar(wave, 0, kernels.PRINCIPAL, np.zeros(3), out) == 0.0 and np.allclose(out, wave[0, 0])
    for s, jump in ((1.99, 0.0), (2.01, 2 * 3.01)):
        two = np.zeros((1, 6, 2))
        two[0, :2] = [[s + 1.0, s], [-s, -s - 1.0]]
        assert kernels.scalar(two, 0, kernels.PRINCIPAL, np.zeros(3), out) == pytest.approx(jump)


def test_modes_are_summed_in_blocks():
    rng = np.random.default_rng(1)
    modes, q, rest = rng.normal(size=(23, 6, 4)), 40 * rng.normal(size=(300, 4)), 10 * rng.normal(size=(23, 6))
    modal = hd.ModalStress(modes, q, rest, nodes=100 + np.arange(23), time=np.linspace(0, 2, 300))
    sigma = np.einsum("acn,tn->tac", modes, q) + rest
    whole = hd.life(sigma, CURVE, nodes=100 + np.arange(23))
    for memory in (1, 100_000, 10**9):
        found = hd.life(modal, CURVE, memory=memory)
        assert np.allclose(found.damage, whole.damage, rtol=1e-9) and (found.nodes == whole.nodes).all()
    assert (
        found.duration == 2.0 and np.allclose(found.time, 2.0 * found.life) and np.allclose(modal.at(105), sigma[:, 5])
    )
    assert hd.life(modal, CURVE, factor=2.0).damage == pytest.approx(hd.life(2 * sigma, CURVE).damage)
    assert found.hot_spots(2)[0]["node"] == found.worst


def test_stresses_that_are_given_for_a_flexible_body():
    """Amplitudes are every second state; nodes are those of the body where there are as many, else they are counted."""
    body = SimpleNamespace(stress=(), nodes=[11, 12], places=np.eye(3)[:2], faces=())
    e = SimpleNamespace(id=3, name="rod", part=2, label="FLEXIBILITY/3", body=body)
    states = SimpleNamespace(values=np.arange(8.0).reshape(2, 4))
    run = SimpleNamespace(model=SimpleNamespace(table=lambda kind: {3: e}), state=lambda name: states, time=[0.0, 0.1])
    found = hd.modal_stress(run, "rod", np.ones((2, 6, 2)))
    assert found.nodes.tolist() == [11, 12] and (found.points == body.places).all()
    assert found.q.tolist() == [[0.0, 2.0], [4.0, 6.0]] and found.time.tolist() == [0.0, 0.1]
    more = hd.modal_stress(run, "rod", np.ones((3, 6, 2)))
    assert more.nodes.tolist() == [1, 2, 3] and more.points is None


def test_arrays_of_results_bring_nodes_and_times():
    import xarray as xr

    six = ["xx", "yy", "zz", "xy", "yz", "zx"]
    sigma = xr.DataArray(
        history(50),
        dims=("time", "node", "component"),
        coords={"time": np.linspace(2, 5, 50), "node": [3, 5, 7, 8, 11], "component": six},
    )
    found = hd.life(sigma, CURVE)
    assert (
        found.nodes.tolist() == [3, 5, 7, 8, 11]
        and found.duration == 3.0
        and (found.damage == hd.life(history(50), CURVE).damage).all()
    )
    with pytest.raises(hn.ModelError, match="give them as xx, yy, zz, xy, yz, zx"):
        hd.life(sigma.assign_coords(component=["xx", "yy", "zz", "xy", "zx", "yz"]), CURVE)


def test_memory_is_bounded():
    rng = np.random.default_rng(1)
    modal = hd.ModalStress(rng.normal(size=(400, 6, 5)), rng.normal(size=(2000, 5)))  # 38 MB if it stood there at once
    hd.life(hd.ModalStress(modal.modes[:2], modal.q), CURVE)
    tracemalloc.start()
    hd.life(modal, CURVE, memory=2 * 2**20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * 2**20


def test_normals_of_a_surface():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [9, 9, 9.0]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    n = stress.normals(points, faces)
    assert np.allclose(n[0], -np.ones(3) / np.sqrt(3)) and not n[4].any()
    modal = hd.ModalStress(np.ones((5, 6, 1)), np.array([[0.0], [50.0], [0.0]]), points=points, faces=faces)
    found = hd.life(modal, CURVE, method="critical_plane")
    assert np.allclose(np.einsum("ai,ai->a", found.plane[:4], n[:4]), 0.0) and np.linalg.norm(
        found.plane[4]
    ) == pytest.approx(1.0)


def test_mean_beyond_the_strength_is_told():
    sigma = np.zeros((3, 4, 6))
    sigma[:, 2, 0] = 500.0, 700.0, 500.0
    sigma[:, 1, 0] = 0.0, 50.0, 0.0
    found = hd.life(sigma, CURVE, mean=hd.goodman(600.0), nodes=[5, 6, 7, 8])
    assert found.life[2] == 0.0 and found.worst == 7 and found.life[0] == np.inf and np.isfinite(found.life[1])
    assert found.warnings == (
        "at 1 of 4 nodes, the first of them 7, the mean stress reaches the limit 600 of goodman: there is no life "
        "left, damage is infinite there",
    )
    assert "warning" in repr(found)


def test_pictures(tmp_path):
    points, faces = (
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]),
        np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
    )
    modal = hd.ModalStress(
        np.arange(24.0).reshape(4, 6, 1), np.array([[0.0], [5.0], [0.0]]), points=points, faces=faces
    )
    found = hd.life(modal, CURVE)
    whole = modal.block(0, 4).transpose(2, 0, 1)
    same = hd.life(whole, CURVE, points=points, faces=faces, method="critical_plane")
    assert np.allclose(same.plane, hd.life(modal, CURVE, method="critical_plane").plane) and (same.faces == faces).all()
    for what in ("life", "damage", "swing"):
        found.plot(what=what).savefig(tmp_path / f"{what}.png")
    x = np.cumsum(np.random.default_rng(0).normal(size=300))
    cycles = hd.rainflow(x)
    hd.plot_matrix(cycles).savefig(tmp_path / "matrix.png")
    hd.plot_spectrum({"a": cycles, "b": cycles.times(3)}).savefig(tmp_path / "spectrum.png")
    hd.plot_curve(hd.eurocode3(80), cycles, repeats=1e5).savefig(tmp_path / "curve.png")
    hd.plot_curve(CURVE, cycles, mean=hd.goodman(300)).savefig(tmp_path / "curve2.png")
    hd.plot_loops(STEEL, 30 * x, "half").savefig(tmp_path / "loops.png")
    assert all(p.stat().st_size > 5000 for p in tmp_path.iterdir()) and len(list(tmp_path.iterdir())) == 8
    with pytest.raises(hn.ModelError, match="no positions"):
        hd.life(history(), CURVE).plot()
    with pytest.raises(hn.ModelError, match="did you mean damage"):
        found.plot(what="damge")
    with pytest.raises(hn.ModelError, match="no cycles to draw"):
        hd.plot_matrix(hd.rainflow([1.0, 1.0]))


# ---- spectra ---------------------------------------------------------------------------------------------------------
def test_narrow_band_is_the_closed_form():
    f = np.linspace(9.9, 10.1, 201)
    G = np.full(201, 500.0)
    m0 = 100.0
    curve = hd.SNCurve.basquin(100.0, 1e6, 5.0, below="elementary")
    wanted = hd.spectrum(f, G).crossings * (np.sqrt(2 * m0) / 100.0) ** 5 * gamma(1 + 5 / 2) / 1e6
    assert hd.spectral_damage(f, G, curve, method="narrow_band") == pytest.approx(wanted, rel=1e-6)
    assert hd.spectral_damage(f, G, curve) == pytest.approx(wanted, rel=0.02)
    assert hd.spectral_damage(f, G, curve, factor=2.0) == pytest.approx(32 * hd.spectral_damage(f, G, curve))


@pytest.mark.parametrize("slope", [3.0, 5.0, 8.0])
@pytest.mark.parametrize(
    "bands, within", [(((1, 5, 1.0),), 0.08), (((0.5, 30, 1.0),), 0.06), (((1, 2, 1.0), (20, 22, 0.3)), 0.35)]
)
def test_dirlik_against_rainflow(slope, bands, within):
    """Two bands far apart are what Dirlik's formula was not made for: with a slope of 8 it finds 0.71 of the damage
    (mean of twelve signals), Benasciutti and Tovo's 0.82."""
    f = np.linspace(0.0, 32.0, 6401)
    G = sum(np.where((f >= a) & (f <= b), g, 0.0) for a, b, g in bands)
    curve = hd.SNCurve.basquin(3.0, 1e6, slope, below="elementary")
    T = 4000.0
    x = hd.gaussian_signal(f, G, T, 0.004, seed=7)
    assert x.var() == pytest.approx(hd.spectrum(f, G).m0, rel=0.04)
    counted = hd.damage(x, curve).total / T
    assert hd.spectral_damage(f, G, curve) == pytest.approx(counted, rel=within)
    other = hd.spectral_damage(f, G, curve, method="benasciutti_tovo")
    assert other == pytest.approx(counted, rel=0.25 if within > 0.1 else 0.15)
    if within > 0.1 and slope > 3:
        assert abs(other / counted - 1) < abs(hd.spectral_damage(f, G, curve) / counted - 1)
    assert hd.spectral_damage(f, G, curve, method="narrow_band") > 1.02 * counted


def test_benasciutti_and_tovo_between_their_bounds():
    """Closed form for one slope: D = (b + (1 - b) g^(k - 1)) times that of a narrow band (their eq. 15)."""
    f = np.linspace(1.0, 5.0, 4001)
    m = hd.spectrum(f, np.ones(4001))
    assert (m.m0, m.m2, m.m4) == pytest.approx((4.0, 124 / 3, 3124 / 5), rel=1e-5)
    g, h = (124 / 3) / np.sqrt(4 * 3124 / 5), ((5**1.75 - 1) / 1.75) / np.sqrt(4 * (5**2.5 - 1) / 2.5)
    b = (h**2 - g**2) / (1 - g**2)
    curve = hd.SNCurve.basquin(3.0, 1e6, 5.0, below="elementary")
    narrow = hd.spectral_damage(f, np.ones(4001), curve, method="narrow_band")
    found = hd.spectral_damage(f, np.ones(4001), curve, method="benasciutti_tovo")
    assert found == pytest.approx((b + (1 - b) * g**4) * narrow, rel=1e-5)


def test_dirlik_is_its_closed_form():
    """Dirlik (1985): for one slope the mean of a^k is sigma^k (D1 Q^k k! + 2^(k/2) (k/2)! (D2 R^k + D3)); moments of a
    flat spectrum from 1 to 5 by hand."""
    f, k = np.linspace(1.0, 5.0, 8001), 5
    m0, m1, m2, m4 = 4.0, 12.0, 124 / 3, 3124 / 5
    g, x = m2 / np.sqrt(m0 * m4), m1 / m0 * np.sqrt(m2 / m4)
    D1 = 2 * (x - g**2) / (1 + g**2)
    R = (g - x - D1**2) / (1 - g - D1 + D1**2)
    D2 = (1 - g - D1 + D1**2) / (1 - R)
    D3 = 1 - D1 - D2
    Q = 1.25 * (g - D3 - D2 * R) / D1
    mean = 2.0**k * (D1 * Q**k * gamma(1 + k) + 2 ** (k / 2) * gamma(1 + k / 2) * (D2 * R**k + D3))
    curve = hd.SNCurve.basquin(3.0, 1e6, float(k), below="elementary")
    found = hd.spectral_damage(f, np.ones(8001), curve)
    assert found == pytest.approx(np.sqrt(m4 / m2) * mean / 3.0**k / 1e6, rel=1e-5)


def test_a_line_of_the_spectrum_has_rayleighs_density():
    """Amplitudes of a narrow band, by every method: a / m0 exp(-a^2 / 2 m0)."""
    m = hd.spectrum(np.linspace(10.0 - 1e-5, 10.0 + 1e-5, 5), np.full(5, 2e5))
    a = np.linspace(0.1, 8.0, 20)
    for method in ("narrow_band", "dirlik", "benasciutti_tovo"):
        assert hd.amplitude_density(a, m, method) == pytest.approx(a / 4.0 * np.exp(-(a**2) / 8.0), rel=1e-6), method


def test_density_is_one():
    f = np.linspace(0.5, 30.0, 500)
    m = hd.spectrum(f, np.ones(500))
    a = np.linspace(0, 20 * np.sqrt(m.m0), 20001)
    for method in ("dirlik", "narrow_band"):
        assert np.trapezoid(hd.amplitude_density(a, m, method), a) == pytest.approx(1.0, abs=1e-4)
    assert m.irregularity < 0.8 and m.peaks > m.crossings


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: hd.life(np.zeros((4, 6)), CURVE), r"shape \(4, 6\); give \(time, nodes, 6\)"),
        (lambda: hd.life(np.zeros((4, 2, 3)), CURVE), r"shape \(4, 2, 3\)"),
        (lambda: hd.life("stress.h5", CURVE), "give an array"),
        (lambda: hd.life(np.zeros((1, 2, 6)), CURVE), "has 1 times"),
        (
            lambda: hd.life(np.full((4, 2, 6), np.nan), CURVE, nodes=[3, 4]),
            "stress at node 3 has numbers that are not finite",
        ),
        (lambda: hd.life(history(), CURVE, method="von_mises"), "did you mean von_mises_signed"),
        (lambda: hd.life(history(), CURVE, residue="halve"), "did you mean half"),
        (lambda: hd.life(history(), 5.0), "give an SNCurve"),
        (lambda: hd.life(history(), STEEL, mean=hd.swt()), "a correction of its own"),
        (lambda: hd.life(history(), hd.eurocode3(80), mean=hd.swt()), "every mean stress"),
        (lambda: hd.life(history(), CURVE, surface=np.zeros((5, 3))), "for the method critical_plane"),
        (lambda: hd.life(history(), CURVE, method="critical_plane", surface=np.zeros((4, 3))), r"give \(5, 3\)"),
        (lambda: hd.life(history(), CURVE, method="critical_plane", step=100.0), "step is 100"),
        (lambda: hd.life(history(), CURVE, nodes=[1, 2]), "2 ids of nodes do not fit 5"),
        (lambda: hd.life(history(), CURVE, points=np.zeros((4, 3))), r"give \(5, 3\), one for each node"),
        (lambda: hd.life(history(), CURVE, points=np.zeros((5, 3)), faces=[[0, 1, 5]]), "positions from 0 to 4"),
        (lambda: hd.life(history(), CURVE, faces=[[0.5, 1.0, 2.0]]), "give triangles"),
        (
            lambda: hd.life(hd.ModalStress(np.zeros((3, 6, 2)), np.zeros((9, 2))), CURVE, nodes=[1, 2, 3]),
            "give them there",
        ),
        (lambda: hd.life(history(), CURVE, duration=-1.0), "duration is -1.0"),
        (lambda: hd.life(history(), CURVE, factor="2"), "factor is '2'"),
        (lambda: hd.life(history(), CURVE).time, "duration of a pass is not known"),
        (lambda: hd.ModalStress(np.zeros((3, 5, 2)), np.zeros((9, 2))), r"give \(nodes, 6, modes\)"),
        (lambda: hd.ModalStress(np.zeros((3, 6, 2)), np.zeros((9, 3))), r"give \(time, 2\)"),
        (lambda: hd.ModalStress(np.zeros((3, 6, 2)), np.full((9, 2), np.nan)), "not finite"),
        (lambda: hd.ModalStress(np.zeros((3, 6, 2)), np.zeros((9, 2))).at(7), "no node 7"),
        (lambda: hd.spectrum([1, 0], [1, 1]), "must rise"),
        (lambda: hd.spectrum([0, 1], [1, -1]), "must not be negative"),
        (lambda: hd.spectrum([0, 1], [0, 0]), "no cycle in it"),
        (lambda: hd.spectrum([0, 1, 2], [0, 0]), "one density for each"),
        (lambda: hd.spectral_damage([0, 1], [1, 1], STEEL), "needs an SNCurve"),
        (lambda: hd.spectral_damage([0, 1], [1, 1], CURVE, method="dirlic"), "did you mean dirlik"),
        (lambda: hd.gaussian_signal([0, 10], [1, 1], 10.0, 0.1), "give a step below 0.05"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(hn.ModelError, match=words):
        call()


def test_plate_with_a_hole():
    """Kirsch: three times the pull at the sides of the hole; and by shear alone four times, at 45 degrees."""
    path = Path(__file__).resolve().parents[2] / "docs" / "make_durability.py"
    spec = importlib.util.spec_from_file_location("make_durability", path)
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    points, faces, modes = make.plate(12, 72)
    t = np.linspace(0, 2 * np.pi, 41)
    for j, factor, angle in ((0, 3.0, 90.0), (1, 3.0, 0.0), (2, 4.0, 45.0)):
        q = np.zeros((41, 3))
        q[:, j] = 20.0 * np.sin(t)
        for method in ("max_abs_principal", "critical_plane"):
            found = hd.life(
                hd.ModalStress(modes, q, points=points, faces=faces), CURVE, method=method, residue="repeat"
            )
            x, y, _ = points[found.worst - 1]
            assert np.hypot(x, y) == pytest.approx(1.0) and np.degrees(np.arctan2(abs(y), abs(x))) == pytest.approx(
                angle, abs=1e-9
            )
            close = np.cos(np.radians(5.0)) ** 2 if method == "critical_plane" else 1.0
            assert close * factor * 40.0 * (1 - 1e-9) <= found.swing[found.worst - 1] <= factor * 40.0 * (1 + 1e-9)
            assert found.life.min() == pytest.approx(CURVE.life(0.5 * found.swing.max()))
