"""Records, spectra, shear buildings and their dampers: printed digits, closed forms, modal superposition."""

from math import gamma
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from _public_data import NEEDS
from holonom.structures import GroundMotion, read_ground_motion, response, response_spectrum, shear_building

QUAKES = Path(__file__).parents[3] / "shared/data/earthquake"
G = 9.81


def record(name, **options):
    if not (QUAKES / name).exists():
        pytest.skip(f"{NEEDS}: {QUAKES / name} is absent")
    return read_ground_motion(QUAKES / name, **options)


def shake(n=400, dt=0.02, seed=1):
    t = dt * np.arange(n)
    rng = np.random.default_rng(seed)
    return GroundMotion(3.0 * np.exp(-((t - 3) ** 2)) * np.sin(9 * t) + 0.2 * rng.normal(size=n) * (t < 6), dt, "shake")


# ---- records and spectra ---------------------------------------------------------------------------------------------
#: T -> peak relative displacement, m, damping 0.02 and 0.05, g = 9.81: exact for a piecewise-linear record; Chopra
#: prints .0678, .1516, .1897 for 0.5, 1, 2 s
CHOPRA = {
    0.2: (0.01048327, 0.00787759),
    0.5: (0.06794007, 0.05690374),
    1.0: (0.15159223, 0.11283152),
    2.0: (0.18967494, 0.13646046),
    3.0: (0.39482208, 0.27478517),
}


def test_el_centro_to_the_printed_digits():
    quake = record("elcentro1940_NS_chopra.csv", units="g").scaled(G / 9.80665)
    assert quake.peak == pytest.approx(0.31882 * G) and quake.dt == pytest.approx(0.02)
    for T, want in CHOPRA.items():
        found = [np.abs(response(quake, T, z)[:, 0]).max() for z in (0.02, 0.05)]
        assert found == pytest.approx(want, abs=5.1e-9)  # as printed
    spectrum = response_spectrum(quake, [0.5, 1.0, 2.0], 0.02)
    assert spectrum["displacement"] == pytest.approx([0.0678, 0.1516, 0.1897], abs=2e-4)
    assert spectrum["pseudo_acceleration"] == pytest.approx(
        (2 * np.pi / spectrum["period"]) ** 2 * spectrum["displacement"]
    )


@pytest.mark.parametrize(
    ("file", "options", "dt", "count", "peaks"),
    [
        ("RSN6_ELC180.AT2", {}, 0.01, 5372, {0.5: 0.04582317, 1.0: 0.11674586, 2.0: 0.19634544}),
        ("kobe.txt", {}, 0.005, None, {0.5: 0.13308965, 1.0: 0.37897089, 2.0: 0.37938148}),
    ],
)
def test_other_records(file, options, dt, count, peaks):
    quake = record(file, **options)
    assert quake.dt == pytest.approx(dt) and (count is None or len(quake.time) == count)
    factor = G / 9.80665 if file.endswith("AT2") else 1.0
    for T, want in peaks.items():
        assert np.abs(response(quake.scaled(factor), T, 0.05)[:, 0]).max() == pytest.approx(want, rel=1e-6)


def test_integrals_baselines_and_filters():
    t = np.arange(2001) * 0.005
    quake = GroundMotion(np.sin(3 * t) + 0.01, 0.005)
    assert quake.velocity() == pytest.approx((1 - np.cos(3 * t)) / 3 + 0.01 * t, abs=2e-5)
    straight = GroundMotion(2.0 * t, 0.005)
    assert straight.displacement() == pytest.approx(t**3 / 3, rel=1e-9, abs=1e-12)
    drifting = GroundMotion(np.sin(20 * t) + 0.3, 0.005).corrected()
    assert abs(drifting.velocity()[-1]) < 0.1 and "baseline of order 1" in drifting.done[-1]
    mixed = GroundMotion(np.sin(2 * np.pi * t) + np.sin(2 * np.pi * 40 * t), 0.005).filtered(high=10.0)
    assert np.abs(mixed.acceleration - np.sin(2 * np.pi * t))[200:-200].max() < 1e-3
    with pytest.raises(hn.ModelError, match="give one or two frequencies that rise"):
        quake.filtered(5.0, 2.0)


def test_records_that_cannot_be_read(tmp_path):
    path = tmp_path / "a.txt"
    for text, options, match in (
        ("0 1\n0.1 2\n0.2 nonsense\n", {"units": "g"}, r"a.txt:3': '0.2 nonsense' is not a row of numbers"),
        ("1\n2\n3\n", {"units": "g"}, "does not give its step of time; give dt="),
        ("0 1\n0.1 2\n0.2 3\n", {}, "does not give its units"),
        ("0 1\n0.1 2\n0.2 3\n", {"units": "cm/s"}, "did you mean 'cm/s2'"),
        ("UNITS OF G\nNPTS= 9, DT= .01 SEC\n1 2 3\n", {}, "has 3 numbers and its header states 9"),
        ("words\n", {"units": "g"}, "has no row of numbers"),
        ("0 1\n0.1 2\n0.2 3\n", {"units": "g", "column": 2}, "column is 2"),
    ):
        path.write_text(text)
        with pytest.raises(hn.ModelError, match=match):
            read_ground_motion(path, **options)


# ---- buildings -------------------------------------------------------------------------------------------------------
def modal(building, motion, t):
    """Displacements of the floors (t, n) by modal superposition: each mode exact for the piecewise-linear record."""
    w, shapes, part = building.modes()
    out = 0.0
    for k in range(len(w)):
        zeta = float(shapes[:, k] @ building.C @ shapes[:, k]) / (2 * w[k])
        out = out + part[k] * np.outer(response(motion, 2 * np.pi / w[k], zeta)[:, 0], shapes[:, k])
    return out[np.round(t / motion.dt).astype(int)]


@pytest.mark.parametrize("damping", ("modal", "rayleigh"))
def test_a_building_is_its_modes(damping):
    quake = shake()
    options = {"damping": [0.02, 0.05, 0.03]} if damping == "modal" else {"damping": 0.05, "rayleigh": (1, 3)}
    frame = shear_building([2e5, 1.8e5, 1.5e5], [9e7, 8e7, 6e7], quake, **options)
    run = hn.simulate(frame.model, end=7.0, dt=0.1, integrator="DOP853", error=1e-9)
    found = frame.results(run)
    want = modal(frame, quake, np.asarray(run.time))
    assert np.abs(found["displacement"] - want).max() < 1e-6 * np.abs(want).max()
    if damping == "rayleigh":
        w, shapes, _ = frame.modes()
        assert [shapes[:, k] @ frame.C @ shapes[:, k] / (2 * w[k]) for k in (0, 2)] == pytest.approx([0.05, 0.05])
    # the shear of the first storey and the mass that it accelerates
    assert np.abs(found["shear"][:, 0] - found["base_shear"]).max() < 1e-5 * np.abs(found["base_shear"]).max()


def test_frequencies_of_a_uniform_building():
    """w_k = 2 sqrt(k/m) sin((2 k - 1) pi / (4 n + 2)), and the linear analysis finds them."""
    frame = shear_building([1e5] * 6, [1e8] * 6)
    want = 2 * np.sqrt(1e3) * np.sin((2 * np.arange(1, 7) - 1) * np.pi / 26)
    assert frame.frequencies() == pytest.approx(want)
    assert np.unique(np.round(np.abs(hn.linearize(frame.model).eigenvalues.imag), 6)) == pytest.approx(want, rel=1e-6)


def test_dampers_take_the_energy():
    quake = shake()
    drift = []
    for kinds in (
        (),
        (
            ("power_damper", dict(damping=8e5, exponent=0.5)),
            ("hysteretic_spring", dict(stiffness=5e7, yield_force=5e4)),
        ),
    ):
        frame = shear_building([1e5] * 3, [6e7] * 3, quake, damping=0.02)
        for kind, parameters in kinds:
            for storey in (1, 2):
                frame.add_damper(storey, kind, **parameters)
        run = hn.simulate(frame.model, end=7.0, dt=0.02, integrator="RADAU5", error=1e-6)
        drift.append(np.abs(frame.results(run)["drift"]).max())
    assert drift[1] < 0.6 * drift[0]
    with pytest.raises(hn.ModelError, match="storey is 4; the building has 1 to 3"):
        frame.add_damper(4, "power_damper", damping=1.0)
    with pytest.raises(hn.ModelError, match="kind is 'spong'"):
        frame.add_damper(1, "spong")


# ---- dampers ---------------------------------------------------------------------------------------------------------
def driven(motion, builder, end, dt, **parameters):
    """A slider driven along x by an expression, with a force to ground; its stretch, force and the energy lost."""
    m = hn.Model("rig")
    m.gravity = (0, 0, 0)
    part = m.part("slide", 1.0, (1, 1, 1), position=(1, 0, 0))
    m.motion(m.translational(part, m.ground, at=(1, 0, 0), axis=(1, 0, 0)), motion)
    e = getattr(m, builder)(m.marker(part), m.marker(m.ground), **parameters)
    run = hn.simulate(m, end=end, dt=dt, integrator="RADAU5", error=1e-8)
    return (
        np.asarray(run.time),
        run.part("slide").position.values[:, 0] - 1.0,
        run.force(f"{e.KIND}/{e.id}").force.values[:, 0],
        run.data.energy_dissipated,
    )


@pytest.mark.parametrize("a", (0.3, 1.0, 1.7))
def test_loss_a_cycle_of_a_power_damper(a):
    c, X, w = 50.0, 0.1, 4.0
    T = 2 * np.pi / w
    t, x, f, lost = driven(f"{X}*SIN({w}*TIME)", "power_damper", 2 * T, T / 50, damping=c, exponent=a, slow=1e-6)
    want = 4 * 2**a * gamma(1 + a / 2) ** 2 / gamma(2 + a) * c * (w * X) ** a * X
    assert lost[-1] - lost[50] == pytest.approx(want, rel=1e-4)
    assert np.abs(f).max() == pytest.approx(c * (w * X) ** a, rel=1e-3)


def test_creep_of_a_burgers_damper():
    k1, c1, k2, c2, P = 40.0, 100.0, 30.0, 20.0, 5.0
    m = hn.Model("creep")
    m.gravity = (0, 0, 0)
    part = m.part("slide", 1e-3, (1, 1, 1), position=(1, 0, 0))
    m.translational(part, m.ground, at=(1, 0, 0), axis=(1, 0, 0))
    m.burgers_damper(
        m.marker(part),
        m.marker(m.ground),
        maxwell_stiffness=k1,
        maxwell_damping=c1,
        kelvin_stiffness=k2,
        kelvin_damping=c2,
    )
    m.vforce(m.marker(part), m.ground, fx=f"{P}-0.02*VX({part.cm})")
    run = hn.simulate(m, end=4.0, steps=8, integrator="RADAU5", error=1e-8)
    t = np.asarray(run.time)[2:]
    want = P * (1 / k1 + t / c1 + (1 - np.exp(-k2 * t / c2)) / k2)
    assert run.part("slide").position.values[2:, 0] - 1.0 == pytest.approx(want, rel=2e-3)


def test_storage_and_loss_of_burgers_and_maxwell():
    """Harmonic: f = Re(-K(iw) X exp(iwt)), K of springs and dampers in series and side by side."""
    w, X = 3.0, 0.05
    T = 2 * np.pi / w
    burgers = dict(maxwell_stiffness=40.0, maxwell_damping=25.0, kelvin_stiffness=30.0, kelvin_damping=8.0)
    K = 1 / (1 / 40.0 + 1 / (25.0j * w) + 1 / (30.0 + 8.0j * w))
    t, x, f, lost = driven(f"{X}*SIN({w}*TIME)", "burgers_damper", 8 * T, T / 40, **burgers)
    late = t > 6.9 * T
    want = -np.imag(K * X * np.exp(1j * w * t[late]))
    offset = (f[late] - want).mean()  # Maxwell's damper begins somewhere, and forgets it slowly
    assert np.abs(f[late] - want - offset).max() < 3e-3 * np.abs(want).max()
    assert lost[-1] - lost[-41] == pytest.approx(np.pi * K.imag * X**2, rel=5e-3)


def test_loop_of_steel_that_yields():
    """Sharp knee: bilinear with kinematic hardening, loss 4 (1 - h) F (X - D) a cycle; a soft knee against an
    integration by SciPy."""
    from scipy.integrate import solve_ivp

    k, F, hard, X = 1000.0, 20.0, 0.05, 0.1
    t, x, f, lost = driven(
        f"{X}*SIN(TIME)",
        "hysteretic_spring",
        4 * np.pi,
        np.pi / 100,
        stiffness=k,
        yield_force=F,
        hardening=hard,
        knee=40,
    )
    assert lost[-1] - lost[200] == pytest.approx(4 * (1 - hard) * F * (X - F / k), rel=2e-2)
    assert np.abs(f).max() == pytest.approx(F * (1 - hard) + hard * k * X, rel=2e-3)
    t, x, f, lost = driven(
        f"{X}*SIN(TIME)", "hysteretic_spring", 7.0, 0.07, stiffness=k, yield_force=F, hardening=hard, knee=2, beta=0.7
    )
    D = F / k

    def rate(s, z):
        v = X * np.cos(s)
        return (v - 0.7 * abs(v) * abs(z) * z - 0.3 * v * z * z) / D

    z = solve_ivp(rate, (0, 7.0), [0.0], t_eval=t, rtol=1e-9, atol=1e-11, max_step=0.02).y[0]
    assert f == pytest.approx(-hard * k * x - (1 - hard) * F * z, abs=1e-4 * F)


def test_what_cannot_be_says_so():
    m = hn.Model()
    a, b = m.marker(m.part("p", 1.0, (1, 1, 1), position=(1, 0, 0))), m.marker(m.ground)
    for call, match in (
        (lambda: m.power_damper(a, b, damping=-1.0), "c is -1; give a positive number"),
        (lambda: m.power_damper(a, b, damping=1.0, exponent=3.0), "exponent is 3"),
        (
            lambda: m.burgers_damper(
                a, b, maxwell_stiffness=1, maxwell_damping=0, kelvin_stiffness=1, kelvin_damping=1
            ),
            "c_maxwell is 0",
        ),
        (lambda: m.hysteretic_spring(a, b, stiffness=1.0, yield_force=1.0, beta=0.2), "beta is 0.2"),
        (lambda: shear_building([1.0], [1.0, 2.0]), "1 masses and 2 stiffnesses"),
        (lambda: shear_building([1.0], [-1.0]), "stiffness are"),
        (lambda: shear_building([1.0], [1.0], damping=1.5), "damping is 1.5"),
        (lambda: response(shake(), -1.0), "period is -1"),
    ):
        with pytest.raises(hn.ModelError, match=match):
            call()


def test_records_with_times_beside_accelerations(tmp_path):
    """Two columns are times and accelerations, also where the head reports points and steps; rounded times; units as
    the head specifies them."""
    t, a = 0.0048828 * np.arange(200), np.sin(0.3 * np.arange(200))
    rows = "\n".join(f"{x:.3f} {y:.6f}" for x, y in zip(t, a))
    for head, unit in (
        ("NPTS= 200, DT= .0048828 SEC\nACCELERATION IN UNITS OF G", 9.80665),
        ("time [s]  acceleration [cm/s^2]", 0.01),
        ("t (s), acc (m/s2)", 1.0),
        ("record of Portugal, acceleration [g]", 9.80665),
        ("acceleration in Gal", 0.01),
    ):
        (tmp_path / "a.txt").write_text(f"{head}\n{rows}\n")
        found = read_ground_motion(tmp_path / "a.txt")
        assert np.asarray(found.acceleration) == pytest.approx(a * unit, abs=1e-5)
        assert found.dt == pytest.approx(0.0048828, rel=2e-3)
    (tmp_path / "a.txt").write_text("time [s] acceleration [g]\n0 0\n0.01 1\n0.02 2\n0.05 3\n0.06 2\n")
    with pytest.raises(hn.ModelError, match="a.txt:5': its times do not rise by equal steps"):
        read_ground_motion(tmp_path / "a.txt")
