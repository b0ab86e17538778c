"""Rope on a drum: closed form, both models against it, units of the damping of contact, commands, bad input."""

import numpy as np
import pytest
from typer.testing import CliRunner

import holonom as hn
from holonom.cli import app
from holonom.flexible import Section, rod
from holonom.machinery import Sheave, laid_rope, rope_on_drum, rope_over_pulley, tension_ratio
from holonom.machinery.drum import END, pulls


def test_the_closed_form_solves_its_equation():
    """dT/d(angle) = mu R/(R + r) T, integrated by steps of a millionth of a turn."""
    mu, R, r, angle = 0.37, 0.1, 0.004, 2.2
    steps = 200_000
    assert tension_ratio(mu, angle, R, r) == pytest.approx((1 + mu * R / (R + r) * angle / steps) ** steps, rel=1e-5)
    assert tension_ratio(0.0, 3.0) == 1.0
    with pytest.raises(hn.ModelError, match="friction of a rope on a drum is -0.1; give a number from 0 on"):
        tension_ratio(-0.1, 1.0)
    with pytest.raises(hn.ModelError, match="radius of a rope on a drum is 0; give a positive number"):
        tension_ratio(0.1, 1.0, 0)


@pytest.mark.parametrize(
    "words, given",
    [
        ("the model of a rope is 'chain'; give rod or cable", {"model": "chain"}),
        ("nodes on half a turn of a rope are 3", {"nodes": 3}),
        ("turns of a rope on a drum is 0", {"turns": 0}),
        ("friction of a rope on a drum is nan", {"friction": float("nan")}),
    ],
)
def test_what_cannot_be(words, given):
    with pytest.raises(hn.ModelError, match=words):
        rope_on_drum(**given)


def test_the_damping_of_a_contact_is_the_same_in_all_units():
    """Of one rope drawn in metres and in millimetres: N s/mm is a thousandth of N s/m."""
    found = []
    for units, f in (("SI", 1.0), ("mm", 1e3)):
        m = hn.Model(units=units)
        rope = rod(
            m, [(0, 0, 0), (f, 0, 0)], Section.round(0.005 * f), E=1e8 / f**2, density=1200.0 / f**3, elements=10
        )
        touch = rope.touch(m.plane(m.ground, (0, 0, -0.01 * f), (0, 0, 1)), mu=0.3)
        assert touch.stiffness * f == pytest.approx(1e8 * np.pi * 0.005**2 / 0.1)
        found.append(touch.damping * f)
    assert found[1] == pytest.approx(found[0], rel=1e-12)
    assert found[0] == pytest.approx(np.sqrt(1e8 * np.pi * 0.005**2 / 0.1 * 1200 * np.pi * 0.005**2 * 0.1))


@pytest.mark.slow
@pytest.mark.parametrize("model, friction, turns", [("rod", 0.2, 0.5), ("rod", 0.3, 1.0), ("cable", 0.3, 0.5)])
def test_euler_and_eytelwein(model, friction, turns):
    run = hn.simulate(rope_on_drum(friction, turns, model=model), end=END * turns, steps=60, error=1e-4)
    load, pull = pulls(run)
    assert load == pytest.approx(10.0, rel=5e-3)
    assert pull / load == pytest.approx(tension_ratio(friction, 2 * np.pi * turns, 0.1, 0.001), rel=1e-2)


def laid(kind="cable", friction=0.3, **more):
    """A weight on a rail hangs on a rope over a fixed sheave and under another one, drawn on at its last position; and
    the rope."""
    m = hn.Model("laid")
    m.gravity = (0, 0, 0)
    load, hand = (
        m.part("load", 0.01, (1e-4,) * 3, (-0.101, -0.1, 0)),
        m.part("hand", 0.2, (1e-4,) * 3, (0.351, 0.05, 0)),
    )
    for part in (load, hand):
        m.translational(part, m.ground, f"rail of {part.name}", at=part.frame.origin, axis=(0, 1, 0))
    path = [
        Sheave(load, (-0.101, -0.1, 0)),
        Sheave(m.ground, (0, 0, 0), 0.1, -1),
        Sheave(m.ground, (0.25, 0, 0), 0.1, 1),
        Sheave(hand, (0.351, 0.05, 0)),
    ]
    rope = laid_rope(
        m, path, 0.001, young=2e9, density=2000.0, kind=kind, friction=friction, tension=10.0, damping=1e-3, **more
    )
    m.vforce(load.cm, m.ground, "0", "-10", "0", rm=m.marker(m.ground))
    m.motion(m.find("JOINT", "rail of hand"), "0.05*TIME*STEP(TIME,0,0,0.03,1)")
    return m, rope


def test_a_rope_is_laid_on_its_sheaves():
    """Straight pieces and arcs of the rope's axis by hand; what cannot be laid."""
    for kind in ("rod", "cable"):
        m, rope = laid(kind)
        lean = np.arcsin(0.202 / 0.25)  # the crossing piece leans by this against the line of centres
        length = 0.1 + 0.05 + np.sqrt(0.25**2 - 0.202**2) + 2 * 0.101 * (0.5 * np.pi + lean)
        places = np.asarray(rope.places)
        steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
        assert steps.sum() == pytest.approx(length, rel=2e-3) and np.ptp(steps) < 2e-3 * steps.mean() * 10
        for centre in ((0, 0, 0), (0.25, 0, 0)):
            assert np.linalg.norm(places - centre, axis=1).min() == pytest.approx(0.101, rel=1e-6)
        assert [c.name for c in m.table("CONTACT").values()] == ["rope on 2", "rope on 3"]
    for words, more in (
        ("kind of the rope 'rope' is 'chain'", {"kind": "chain"}),
        ("elements of the rope 'rope' are 4", {"elements": 4}),
    ):
        with pytest.raises(hn.ModelError, match=words):
            laid(**more)
    m = hn.Model()
    ground = lambda x, r=0.0: Sheave(m.ground, (x, 0, 0), r)
    for words, path, thick in (
        ("position 2 of the rope 'rope' has no radius", [ground(0), ground(1), ground(2)], 0.01),
        ("an end of the rope", [ground(0, 0.1), ground(1)], 0.01),
        (r"radius \(thick\) of the rope 'rope' is -1", [ground(0), ground(1)], -1),
        ("too near for their radii", [ground(0), ground(0.1, 0.2), ground(2)], 0.01),
    ):
        with pytest.raises(hn.ModelError, match=words):
            laid_rope(m, path, thick, young=1e9, density=1e3)


@pytest.mark.slow
def test_a_laid_rope_slides():
    """Over two fixed sheaves, one after the other: Euler and Eytelwein over the sum of both arcs."""
    m, rope = laid()
    run = hn.simulate(m, end=0.12, steps=40, error=1e-4)
    pull = run.mesh("rope").section("axial force").values[-8:].mean(axis=0)
    angle = 2 * (0.5 * np.pi + np.arcsin(0.202 / 0.25))
    assert pull[0] == pytest.approx(10.0, rel=1e-2)
    assert pull[-1] / pull[0] == pytest.approx(tension_ratio(0.3, angle, 0.1, 0.001), rel=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["cable", "rod"])
def test_a_rope_slides_over_a_pulley_that_stands(model):
    """A pulley of great inertia stands; the pull, above what friction holds, draws the load over it: tensions next to
    the pulley by Euler and Eytelwein."""
    m = rope_over_pulley(30, behind=12, model=model, pulley=(10.0, 1e9), offset=0.0, mu=0.3)
    run = hn.simulate(m, end=0.2, steps=40, error=1e-4)
    force = (run.rod("rope") if model == "rod" else run.mesh("rope")).section("axial force").values[-12:].mean(axis=0)
    bottom = 20.0 / np.tan(np.pi / 12) - 10.0
    total = 24 * 40.0 + np.pi * (bottom + 10.0)
    s = (np.arange(len(force)) + 0.5) / len(force) * total
    before = force[(s > 12 * 40 - 120) & (s < 12 * 40 - 20)].mean()
    after = force[(s > total - 12 * 40 + 20) & (s < total - 12 * 40 + 120)].mean()
    assert after / before == pytest.approx(tension_ratio(0.3, np.pi, bottom, 10.0), rel=1e-2)


@pytest.mark.slow
def test_the_commands(tmp_path):
    page = tmp_path / "rope.html"
    told = CliRunner().invoke(app, ["flexible", "rope", "--friction", "0.3", "--turns", "0.5", "--report", str(page)])
    assert told.exit_code == 0 and "2.5425" in told.output and page.stat().st_size > 100_000
    ratio, want = map(float, told.output.splitlines()[1].split()[4:6])
    assert ratio == pytest.approx(want, rel=0.01)
    told = CliRunner().invoke(app, ["flexible", "belt", "--model", "cable", "--report", str(tmp_path / "belt.html")])
    assert told.exit_code == 0 and "creep" in told.output
    moments = [line.split() for line in told.output.splitlines() if "N m" in line]
    assert all(float(line[-4]) == pytest.approx(4.0, rel=0.02) for line in moments) and len(moments) == 2
