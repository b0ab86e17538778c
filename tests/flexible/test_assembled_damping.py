"""Damping ratios of the assembled machine: modes of clamped, hinged and joined beams, decay and energy, wrong
matrices."""

import numpy as np
import pytest

import holonom as hn
from holonom.flexible import Section

SECTION = Section.rectangle(0.02, 0.01)
LENGTH = 1.0


def beam(m, name, a, b, **more):
    part = m.part(name, 1.0, (1, 1, 1), tuple(0.5 * (np.array(a) + np.array(b))))
    return part, hn.flexible.beam(a, b, SECTION, E=2.1e11, density=7850.0, elements=8), more


def machine(how):
    """The model, its flexible parts, and how many of its modes are to have the ratio."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    part, elements, _ = beam(m, "beam", (0, 0, 0), (LENGTH, 0, 0))
    if how == "clamped":
        m.fixed(part, m.ground, at=(0, 0, 0))
    elif how == "hinged":
        m.revolute(part, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    elif how == "both ends":
        m.fixed(part, m.ground, at=(0, 0, 0))
        m.spherical(part, m.ground, at=(LENGTH, 0, 0))
    parts = [part]
    if how == "joined":
        m.fixed(part, m.ground, at=(0, 0, 0))
        other, more, _ = beam(m, "other", (LENGTH, 0, 0), (LENGTH, 0.7, 0))
        m.fixed(part, other, at=(LENGTH, 0, 0))
        m.make_flexible(other, more, modes=4)
        parts.append(other)
    m.make_flexible(part, elements, modes=4)
    return m, parts


@pytest.mark.parametrize("how", ["clamped", "hinged", "both ends", "joined", "free"])
def test_all_modes_have_the_ratio(how):
    """Eigenvalues of the damped machine, by its linear analysis."""
    m, _ = machine(how)
    bare = [k.undamped_frequency for k in hn.linearize(m, damping=False).modes if k.kind != "rigid"]
    found = hn.assembled_damping(m, 0.02)
    modes = [k for k in hn.linearize(m).modes if k.kind != "rigid"]
    assert len(modes) == len(bare) == len(found.frequency)
    assert [k.damping_ratio for k in modes] == pytest.approx([0.02] * len(modes), rel=2e-3)
    assert [k.undamped_frequency for k in modes] == pytest.approx(bare, rel=1e-5)
    assert found.ratio == pytest.approx(0.02, rel=1e-6) and found.elastic == pytest.approx(1.0, rel=1e-6)
    assert not [w for w in m.warnings if "damping" in w.lower()]


def test_springs_have_no_share():
    """A stiff beam on a soft spring: its slow mode, whose energy is in the spring, stays undamped; a mode with half of
    its energy there gets half."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    part, elements, _ = beam(m, "beam", (0, 0, 0), (LENGTH, 0, 0))
    m.translational(part, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.make_flexible(part, elements, modes=4)
    i, j = m.marker(part, (0, 0, 0)), m.marker(m.ground, (0, 0, -0.2))
    m.spring_damper(i, j, stiffness=2000.0, length=0.2)
    found = hn.assembled_damping(m, 0.02)
    modes = [k for k in hn.linearize(m).modes if k.kind != "rigid"]
    by = dict(zip(found.frequency / (2.0 * np.pi), 0.02 * found.elastic))
    seen = 0
    for k in modes:
        near = [r for w, r in by.items() if abs(w - k.undamped_frequency) < 1e-3 * w]
        if near:
            seen += 1
            assert k.damping_ratio == pytest.approx(near[0], abs=1e-3)
        else:
            assert k.damping_ratio < 2e-4
    assert seen == len(found.frequency) and found.elastic.min() < 0.98


def test_free_decay_of_a_clamped_beam():
    """Its tip falls by exp(-2 pi zeta n / sqrt(1 - zeta^2)) in n periods, and energy is accounted for."""
    m, (part,) = machine("clamped")
    hn.assembled_damping(m, 0.02)
    # of bending about its flat side, 1.8751^2 sqrt(E I / (rho A L^4))
    first = 1.875104**2 * np.sqrt(2.1e11 * min(SECTION.Iy, SECTION.Iz) / (7850.0 * SECTION.A))
    period = 2.0 * np.pi / first
    tip = m.marker(part, (LENGTH, 0, 0))
    m.vforce(tip, m.ground, 0, 0, f"0.5*(1-COS({first}*time))*STEP(time,0,1,{period},0)")
    run = hn.simulate(m, end=12 * period, steps=12 * 60, integrator="RADAU5", error=1e-8)
    z = run.marker(tip).position.values[:, 2]
    peaks = [np.abs(z[60 * k : 60 * k + 60]).max() for k in range(2, 12)]
    rate = np.log(peaks[0] / peaks[-1]) / 9
    assert rate == pytest.approx(2.0 * np.pi * 0.02 / np.sqrt(1 - 0.02**2), rel=0.02)
    d = run.data
    total = d.energy_kinetic + d.energy_elastic + d.energy_dissipated - d.energy_input
    assert np.abs(total).max() < 1e-4 * np.abs(d.energy_input).max()


def test_a_plain_ratio_of_a_held_body_is_reported():
    """0.02 of the free modes is much less of a clamped beam: the warning has the number that the linear analysis
    finds."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    part, elements, _ = beam(m, "beam", (0, 0, 0), (LENGTH, 0, 0))
    m.fixed(part, m.ground, at=(0, 0, 0))
    with pytest.warns(
        hn.ModelWarning, match="damping of 0.02 is that of the modes of the free body.*assembled_damping"
    ) as seen:
        m.make_flexible(part, elements, modes=4, damping=0.02)
    text = next(str(w.message) for w in seen if "free body" in str(w.message))
    least = min(
        (k for k in hn.linearize(m).modes if k.kind != "rigid"), key=lambda k: k.undamped_frequency
    ).damping_ratio
    assert f"{least:.2g}" in text


@pytest.mark.parametrize(
    "matrix, sentence",
    [
        (lambda n: np.eye(n - 1), "numbers; the .* modes of its flexible bodies need"),
        (lambda n: -np.eye(n), "would add energy"),
        (lambda n: np.triu(np.ones((n, n))), "is not symmetric"),
        (lambda n: "much", "give numbers"),
        (lambda n: np.full((n, n), np.nan), "not finite"),
    ],
)
def test_matrices_that_do_not_fit(matrix, sentence):
    m, (part,) = machine("clamped")
    n = m._flexibility_of(part).modes
    with pytest.raises(hn.ModelError, match=sentence):
        m.modal_damping(part, matrix(n))


@pytest.mark.parametrize("ratio", [0.0, -0.1, 1.5, "two per cent", float("nan")])
def test_ratios_that_are_none(ratio):
    m, _ = machine("clamped")
    with pytest.raises(hn.ModelError, match="ratio of the damping is"):
        hn.assembled_damping(m, ratio)


def test_rigid_machines():
    m = hn.Model()
    part = m.part("rigid", 1.0, (1, 1, 1))
    with pytest.raises(hn.ModelError, match="no flexible parts"):
        hn.assembled_damping(m, 0.02)
    with pytest.raises(hn.ModelError, match="is rigid and has no modes"):
        m.modal_damping(part, np.eye(2))
    m.make_flexible(part, hn.flexible.beam((0, 0, 0), (1, 0, 0), SECTION, E=2.1e11, density=7850.0), modes=2)
    other = m.part("other", 1.0, (1, 1, 1))
    with pytest.raises(hn.ModelError, match="is rigid and has no modes"):
        hn.assembled_damping(m, 0.02, [other])
