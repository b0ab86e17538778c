"""Inertia of modes: all terms, or those of the undeformed body and their first change (``invariants="constant"``)."""

import numpy as np
import pytest

import holonom as hn

SECTION = hn.flexible.Section.rectangle(0.02, 0.002)


def blade(invariants, speed=0.0):
    m = hn.Model("blade")
    p = m.part(
        "blade", 1.0, (1, 1, 1), position=(0.5, 0, 0), velocity=(0, 0.5 * speed, 0), angular_velocity=(0, 0, speed)
    )
    m.motion(m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"{speed}*time")
    fe = hn.flexible.beam((0, 0, 0), (1, 0, 0), SECTION, E=2.1e11, density=7850.0, elements=8, y=(0, 1, 0))
    m.make_flexible(p, fe, modes=4, invariants=invariants)
    return m


def frequencies(model):
    return np.sort(np.abs(hn.linearize(model).eigenvalues.imag))[::2]


def test_at_rest_they_are_the_same_and_a_spin_tells():
    """Of the stiffness by spin what forces at the root make is there in both, the rest in full ones alone."""
    scale = np.sqrt(7850.0 * SECTION.A / (2.1e11 * SECTION.Iy))
    full, constant = (frequencies(blade(i)) for i in ("full", "constant"))
    assert constant == pytest.approx(full, rel=1e-9)
    first = [frequencies(blade(i, 4.0 / scale))[0] * scale for i in ("full", "constant")]
    assert first[0] == pytest.approx(5.585, abs=2e-3)  # Wright et al. (1982)
    assert 3.6 < first[1] < 5.56


def test_a_free_body_keeps_its_energy():
    """What is left comes from a kinetic energy: it is kept, and momentum too."""
    m = hn.Model()
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0), velocity=(1, 2, 3), angular_velocity=(0.3, 4.0, 5.0))
    fe = hn.flexible.beam(
        (0, 0, 0), (1, 0, 0), hn.flexible.Section.rectangle(0.02, 0.01), E=1e8, density=7850.0, elements=8, y=(0, 1, 0)
    )
    f = m.make_flexible(p, fe, modes=6, interfaces=[], invariants="constant")
    f.speed = tuple(0.05 * np.cos(np.arange(f.modes)))
    assert hn.Model.from_dict(m.to_dict()).table("FLEXIBILITY")[1].invariants == "constant"
    run = hn.simulate(m, end=1.0, steps=10, integrator="DOP853", error=1e-11)
    e = run.energy.total.values
    assert np.abs(e - e[0]).max() < 1e-9 * e[0]
    assert np.abs(run.part("bar").position.values[-1] - [1.5, 2.0, 3.0]).max() < 1e-9


def test_others_are_refused():
    with pytest.raises(hn.ModelError, match="invariants is 'linear'; choose one of full, constant"):
        blade("linear")


def test_parts_with_the_same_numbers_share_their_tables():
    from holonom.elements.bodies.modes import make_modes

    rng = np.random.default_rng(2)
    S, H = rng.normal(size=(3, 3, 3, 3)), rng.normal(size=(3, 3, 3))
    m = make_modes([2, 2, 2], [0, 0, 0], [S, S + 1.0, S], [H, H, H], np.zeros((0, 3)), [], [])
    assert m.tptr.tolist() == [0, 81, 0] and len(m.T) == 162 and m.full.all()
