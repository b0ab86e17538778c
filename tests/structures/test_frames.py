"""Frames of beams, E-shaped steel dampers, closed forms of dampers, studies: modal superposition, portal formula,
plastic hinges, energies."""

from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from _public_data import NEEDS
from holonom.structures import (
    EDamper,
    GroundMotion,
    Steel,
    closed_forms,
    compare_integrators,
    damper_study,
    lateral_building,
    read_ground_motion,
    shear_building,
    steel_frame,
)


def pulse(size=1e-3, late=0.0):
    t = 0.02 * np.arange(160)
    u = size * np.exp(-(((t - 1.0 - late) / 0.6) ** 2)) * np.sin(9.0 * (t - late))
    return GroundMotion(u - u[0], 0.02, "pulse")


# ---- frames ----------------------------------------------------------------------------------------------------------
def test_a_frame_is_that_of_opensees():
    """OpenSees 3.7.1 (`benchmarks/opensees_frame.py`), six storeys and two bays, Rayleigh damping of 2 % in modes 1 and
    2, El Centro 1940 NS for 10 s, Newmark's average acceleration with steps of 1 ms: periods 1 and 6, s; largest
    displacement of the roof and drift of storey 2, m."""
    file = Path(__file__).parents[3] / "shared/data/earthquake/elcentro1940_NS_chopra.csv"
    if not file.exists():
        pytest.skip(f"{NEEDS}: {file} is absent")
    frame = steel_frame(6, 2, read_ground_motion(file, units="g"), damping=0.02, rayleigh=(1, 2))
    assert 2 * np.pi / frame.modes()[0][[0, 5]] == pytest.approx([1.04084, 0.09030], abs=5.1e-6)
    found = frame.superposition()
    u = found["displacement"][np.asarray(found["time"]) <= 10.0 + 1e-9]
    assert np.abs(u[:, -1]).max() == pytest.approx(0.179898, rel=5e-5)
    assert np.abs(u[:, 1] - u[:, 0]).max() == pytest.approx(0.043389, rel=5e-5)


@pytest.mark.parametrize("mass", ("lumped", pytest.param("consistent", marks=pytest.mark.slow)))
def test_a_frame_is_its_modes(mass):
    """One ground, and two supports by records of their own; small, since beams of a model know that they turn."""
    for motion, rayleigh in ((pulse(1e-5), None), ((pulse(1e-5), pulse(1e-5, 0.1)), (1, 2))):
        frame = steel_frame(2, 1, motion, mass=mass, damping=0.03, rayleigh=rayleigh)
        run = hn.simulate(frame.model, end=2.4, dt=0.1, integrator="RADAU5", error=1e-8)
        found, want = frame.results(run), frame.superposition()
        k = np.round(np.asarray(run.time) / 0.02).astype(int)
        assert np.abs(found["displacement"] - want["displacement"][k]).max() < 1e-6 * np.abs(want["displacement"]).max()
        across = want["nodes"][k].reshape(len(k), -1, 3)[:, :, 0]
        assert np.abs(found["moved"][:, 2:, 0] - across).max() < 1e-6 * np.abs(across).max()


def test_energies_of_a_frame_add_up():
    """Input, own loss, dampers, and what is held: of the nodes' motion, with its stiffness matrix; the damper's loss is
    that of the run."""
    frame = steel_frame(2, 1, pulse(0.1), damping=0.03)
    frame.add_damper(1, "spring_damper", damping=3e5)
    run = hn.simulate(frame.model, end=2.0, dt=0.005, integrator="RADAU5", error=1e-7)
    r = frame.results(run)
    view = [run.marker(m.id) for m in frame.markers]
    ground = np.stack([getattr(run.part("base"), w).values[:, 0] for w in ("position", "velocity")])
    ground[0] -= ground[0, 0]
    state = []
    for moved, turns in (("position", None), ("velocity", "angular_velocity")):
        across = np.stack([getattr(v, moved).values for v in view], axis=1) - (frame.places if turns is None else 0.0)
        across[:, :, 0] -= ground[0 if turns is None else 1][:, None]
        turned = np.stack(
            [(v.axes.values[:, 0, 2] if turns is None else getattr(v, turns).values[:, 1]) for v in view], axis=1
        )
        state.append(
            np.stack([across[:, :, 0], across[:, :, 2], turned], axis=2).reshape(len(across), -1)[:, frame.free]
        )
    K, M = (m[np.ix_(frame.free, frame.free)] for m in (frame.K, frame.M))
    held = 0.5 * np.einsum("ti,ij,tj->t", state[0], K, state[0]) + 0.5 * np.einsum("ti,ij,tj->t", state[1], M, state[1])
    balance = r["input"] - r["own_loss"] - r["damper_work"].sum(axis=1) - held
    assert r["input"][-1] > 0 and np.abs(balance).max() < 3e-3 * r["input"].max()
    assert r["own_loss"][-1] > 0 and r["damper_work"][-1, 0] > 0.1 * r["input"][-1]


def test_portal_and_masses():
    """k = (24 E Ic / h^3) (12 r + 1)/(12 r + 4), r = (Ib/L)/(2 Ic/h) (Chopra, Dynamics of Structures, 1.3); masses add
    up; the consistent frame is a little stiffer."""
    rigid = hn.flexible.Section(10.0, 2e-4, 1e-4, 1e-6)
    girder = hn.flexible.Section(10.0, 3e-4, 1e-4, 1e-6)
    frame = steel_frame(1, 1, column=rigid, girder=girder, height=4.0, span=6.0, density=1e-3, floor_mass=1e4)
    r = (3e-4 / 6.0) / (2 * 2e-4 / 4.0)
    k = 24 * 2.1e11 * 2e-4 / 4.0**3 * (12 * r + 1) / (12 * r + 4)
    assert frame.condensed().K[0, 0] == pytest.approx(k, rel=1e-3)  # of columns that hardly stretch
    assert frame.condensed().masses[0] == pytest.approx(1e4, rel=1e-4)
    frames = [
        steel_frame(3, 2, mass=mass, floor_mass=[1e4, 2e4, 3e4], height=[4.0, 3.5, 3.0], span=[5.0, 6.0])
        for mass in ("lumped", "consistent")
    ]
    steel = 7850.0 * (197.8e-4 * 3 * 10.5 + 115.5e-4 * 3 * 11.0)
    across = [f.M[::3, ::3].sum() for f in frames]
    assert across == pytest.approx([6e4 + steel] * 2, rel=1e-9)
    w = [f.modes()[0][0] for f in frames]
    assert w[0] == pytest.approx(w[1], rel=0.02)
    ratios = [
        float(s @ frames[0].C[np.ix_(frames[0].free, frames[0].free)] @ s) / (2 * v)
        for v, s in zip(frames[0].modes()[0], frames[0].modes()[1].T)
    ]
    assert ratios == pytest.approx([0.02] * len(ratios))


def test_frames_that_cannot_be():
    quake = pulse()
    for call, match in (
        (lambda: steel_frame(0), "storeys is 0"),
        (lambda: steel_frame(2, mass="lump"), "did you mean 'lumped'"),
        (lambda: steel_frame(2, column="HEB301"), "section is 'HEB301'"),
        (lambda: steel_frame(2, column=["HEB300"]), "1 sections of columns are given for 2 storeys"),
        (lambda: steel_frame(2, 2, [quake, quake]), "2 records are given for 3 supports"),
        (lambda: steel_frame(2, span=-1.0), "span is -1"),
        (lambda: steel_frame(2, height=[1.0, 2.0, 3.0]), "give one number, or 2"),
        (lambda: steel_frame(2, damping=1.5), "damping is 1.5"),
        (lambda: steel_frame(2, damping=0.02, rayleigh=(2, 1)), "rayleigh is"),
        (
            lambda: steel_frame(2, 1, quake).add_damper(1, "power_damper", bay=2, damping=1.0),
            "bay is 2; the frame has 1 to 1",
        ),
        (lambda: steel_frame(2, 1, quake).add_damper(1, "powder", c=1.0), "kind is 'powder'"),
        (lambda: steel_frame(2, 1, [quake, quake]).condensed(), "cannot be condensed"),
        (lambda: steel_frame(2, 1).superposition(), "no record"),
        (lambda: lateral_building([1.0, 1.0], [[1.0, 0.0]]), r"shape \(1, 2\)"),
        (lambda: lateral_building([1.0, 1.0], [[1.0, -1.0], [-1.0, 1.0]]), "not positive definite"),
        (lambda: damper_study(steel_frame, [quake], [[]], [1.0], [1.0]), "a placement is empty"),
        (lambda: damper_study(steel_frame, [quake], [[1]], [], [1.0]), "c of a study is empty"),
    ):
        with pytest.raises(hn.ModelError, match=match):
            call()


# ---- steel dampers ---------------------------------------------------------------------------------------------------
def test_the_back_flows_as_a_rectangle_does():
    """M / M_p = 1 - (kappa_y / kappa)^2 / 3 without hardening; loops against Masing's and the bilinear closed forms;
    the legs' own bending by hand."""
    d = EDamper(steel=Steel("ideal", fy=235e6, hardening=0.0))
    assert d.stiffness == pytest.approx(2 * 2.1e11 * 0.06 * 0.04**3 / 12 / (0.2 * 0.25**2))
    mu = np.linspace(0, 10, 300)
    want = np.where(mu < 1, 2 / 3 * mu, 1 - 1 / (3 * np.maximum(mu, 1) ** 2)) * d.plastic_force
    assert d.force(mu * d.yield_stretch, fibres=200) == pytest.approx(want, abs=1e-4 * d.plastic_force)
    for law in ("elastic-plastic", "bilinear", "fibre"):
        assert d.loop(5 * d.yield_stretch, law, fibres=200)["loss"] == pytest.approx(
            d.loss(5 * d.yield_stretch, law), rel=1e-4
        )
    legs = EDamper(legs=(0.06, 0.085))
    give = 0.2 * 0.25**2 / (2 * legs.inertia) + 0.25**3 / 3 * 12 / 0.06 * (0.5 / 0.06**3 + 1.0 / 0.085**3)
    assert 1 / legs.stiffness == pytest.approx(give / 2.1e11)
    x = 3 * legs.yield_stretch * np.sin(np.linspace(0, 9, 200))
    assert np.abs(legs.force(0.1 * x) - 0.1 * legs.stiffness * x).max() < 1e-6 * legs.plastic_force  # elastic
    assert legs.force(x)[-1] != pytest.approx(legs.stiffness * x[-1], rel=0.1)


def test_mild_steel_damps_more_than_hard_at_one_amplitude():
    loops = [EDamper(steel=s).loop(0.03) for s in ("LY100", "S235", "S690")]
    assert loops[0]["loss"] < loops[1]["loss"] < loops[2]["loss"]  # forces are larger
    assert loops[1]["damping"] > 1.3 * loops[2]["damping"]  # but so is what is stored


def test_fibres_in_a_model_are_the_section():
    """One storey without mass of note, driven through the damper: springs side by side against the section, in the same
    history of stretches."""
    quake = GroundMotion(4.0 * np.sin(2 * np.pi * np.arange(100) / 50.0), 0.02, "sine")
    d = EDamper(steel="S235")
    frame = shear_building([2e4], [2e6], quake, damping=0.02)
    parts = d.into(frame, 1, "fibre", fibres=8)
    assert len(parts) == 4 and frame.dampers[1] == parts
    run = hn.simulate(frame.model, end=1.98, dt=0.01, integrator="RADAU5", error=1e-6)
    drift = frame.results(run)["drift"][:, 0]
    got = -sum(run.force(f"{e.KIND}/{e.id}").force.values[:, 0] for e in parts)
    assert np.abs(drift).max() > 3 * d.yield_stretch
    assert got == pytest.approx(d.force(drift, fibres=8), abs=0.02 * d.plastic_force)
    assert sum(e.k for e in parts) == pytest.approx(d.stiffness)


def test_steel_dampers_that_cannot_be():
    for call, match in (
        (lambda: EDamper(height=-1.0), "height of an E-shaped damper is -1"),
        (lambda: EDamper(steel="S236"), "did you mean 'S235'"),
        (lambda: EDamper(legs=(0.04, 0.1)), "legs yield before the back"),
        (lambda: EDamper().force([0.0], "bilinaer"), "did you mean 'bilinear'"),
        (lambda: EDamper().loop(0.0), "amplitude is 0"),
        (lambda: EDamper().loss(0.03, "bouc-wen"), "no closed form"),
        (lambda: EDamper(legs=(0.06, 0.085)).into(shear_building([1.0], [1.0]), 1), "legs of this damper are flexible"),
        (lambda: EDamper().into(shear_building([1.0], [1.0]), 1, fibres=7), "fibres is 7"),
        (lambda: Steel("x", hardening=1.0), "hardening of steel 'x' is 1"),
        (lambda: closed_forms.loss_a_cycle("power_damper", 0.1, 1.0, damping=1.0), "power_damper lacks exponent"),
        (
            lambda: closed_forms.complex_stiffness("hysteretic_spring", 1.0, stiffness=1.0, yield_force=1.0),
            "not linear",
        ),
        (lambda: closed_forms.measure("maxwel_damper", 0.1, 1.0), "did you mean 'maxwell_damper'"),
    ):
        with pytest.raises(hn.ModelError, match=match):
            call()


# ---- closed forms and studies ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("maxwell_damper", {"stiffness": 1e6, "series_stiffness": 4e6, "damping": 2e5}),
        (
            "burgers_damper",
            {"maxwell_stiffness": 8e6, "maxwell_damping": 4e5, "kelvin_stiffness": 8e6, "kelvin_damping": 1e5},
        ),
        ("power_damper", {"damping": 2e5, "exponent": 0.5}),
        ("spring_damper", {"stiffness": 1e6, "damping": 2e5}),
    ],
)
def test_closed_forms(kind, words):
    w = 2 * np.pi
    found = closed_forms.measure(kind, 0.02, w, cycles=4, **words)
    assert found["loss"] == pytest.approx(closed_forms.loss_a_cycle(kind, 0.02, w, **words), rel=1e-4)
    if kind != "power_damper":
        K = closed_forms.complex_stiffness(kind, w, **words)
        assert (found["storage"], found["loss_stiffness"]) == pytest.approx((K.real, K.imag), rel=1e-4)


def test_a_study_of_dampers(tmp_path):
    """Energies add up, dampers lessen drift, the table and its file hold every run."""
    quake = pulse(3.0)
    build = lambda motion: steel_frame(3, 1, motion).condensed()
    found = damper_study(build, [quake], [[1], [1, 2, 3]], [1e5, 2e5], [0.5], end=3.0, error=1e-6)
    assert len(found.rows) == 4 and found.rows[0]["placement"] == ()
    assert all(r["drift"] < found.rows[0]["drift"] for r in found.rows[1:])
    best = min(found.rows[1:], key=lambda r: r["drift"])
    assert f"least drift: dampers in {', '.join(map(str, best['placement']))}, C = {best['c']:.3g}" in found.text()
    table = found.to_csv(tmp_path / "t.csv").read_text().splitlines()
    assert len(table) == 5 and table[0].startswith("record,placement,c,exponent,roof")
    assert found.plot(tmp_path / "t.png").stat().st_size > 10000
    frame = build(quake)
    frame.add_damper(2, "power_damper", damping=1e5, exponent=0.5)
    run = hn.simulate(frame.model, end=2.0, dt=0.005, integrator="RADAU5", error=1e-7)
    r = frame.results(run)
    u = r["displacement"]
    v = np.stack(
        [run.part(f.name).velocity.values[:, 0] - run.part("base").velocity.values[:, 0] for f in frame.floors], axis=1
    )
    held = 0.5 * np.einsum("ti,ij,tj->t", u, frame.K, u) + 0.5 * (v * v) @ frame.masses
    balance = r["input"] - r["own_loss"] - r["damper_work"].sum(axis=1) - held
    assert np.abs(balance).max() < 2e-3 * r["input"].max()
    assert r["damper_work"][-1, 1] == pytest.approx(run.data.energy_dissipated[-1], rel=2e-3)


@pytest.mark.slow
def test_methods_against_superposition():
    """Newmark and HHT are of order 2; Runge and Kutta's methods are as good as their error says."""
    frame = lateral_building([1e5, 1e5], [[2e8, -1e8], [-1e8, 1e8]], pulse(1.0), damping=0.02)
    found = compare_integrators(frame, 2.0, steps=(0.01, 0.005), errors=(1e-8,))
    err = {(r["method"], r["step"]): r["error"] for r in found.rows}
    for method in ("NEWMARK", "HHT"):
        assert 3.4 < err[method, 0.01] / err[method, 0.005] < 4.6
    assert err["RADAU5", 0.0] < 1e-7 and err["DOP853", 0.0] < 1e-6
    assert "order" in found.text()
    frame.add_damper(1, "power_damper", damping=1.0, exponent=0.5)
    with pytest.raises(hn.ModelError, match="has dampers"):
        compare_integrators(frame, 1.0)
