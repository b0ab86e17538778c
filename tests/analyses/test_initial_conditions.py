"""Assembly against closed forms of its constrained minima: which coordinates move, by how much, and which velocities
are kept.

Positions: least sum of (dr / L)^2 + dtheta^2 over the parts, L the extent of the model, whatever the masses.
Velocities alike, in those that are not given; where those given contradict each other, in these too.
"""

from __future__ import annotations

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.assemble import assemble
from holonom.formats import parse_adm
from holonom.system.build import System


def fitted(model):
    system = System(model, initial=True)
    y = assemble(system).y[: 13 * system.nb].reshape(-1, 13)
    return system, y[:, :3], y[:, 7:10], y[:, 10:13]


def apart(masses, exact=()):
    """Two parts whose centres a spherical joint must bring together from 1 and 0.4 apart."""
    m = hn.Model("apart")
    a = m.part("a", masses[0], (1, 1, 1), (0, 0, 0))
    b = m.part("b", masses[1], (1, 1, 1), (1.0, 0.4, 0))
    m.joint("SPHERICAL", m.marker(a, (0, 0, 0)), m.marker(b, (0, 0, 0)), "ball")
    a.exact = tuple(exact)
    return m


@pytest.mark.parametrize("masses", [(1.0, 1.0), (1.0, 1000.0)])
def test_both_parts_move_half_whatever_they_weigh(masses):
    _, r, _, _ = fitted(apart(masses))
    np.testing.assert_allclose(r, [[0.5, 0.2, 0.0]] * 2, atol=1e-12)


def test_exact_coordinates_stay_and_the_other_part_comes():
    _, r, _, _ = fitted(apart((1.0, 1.0), exact=("X",)))
    np.testing.assert_allclose(r, [[0.0, 0.2, 0.0]] * 2, atol=1e-12)
    _, r, _, _ = fitted(apart((1.0, 1.0), exact=("X", "Y", "Z")))
    np.testing.assert_allclose(r, np.zeros((2, 3)), atol=1e-12)


DATASET = """apart
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
PART/2, MASS=1, CM=20, IP=1,1,1{exact}
MARKER/20, PART=2
PART/3, MASS=1, CM=30, IP=1,1,1, QG=1,0.4,0{other}
MARKER/30, PART=3
JOINT/1, SPHERICAL, I=20, J=30
END
"""


def test_exact_of_a_dataset():
    _, r, _, _ = fitted(parse_adm(DATASET.format(exact=", EXACT=Y", other="")))
    np.testing.assert_allclose(r, [[0.5, 0.0, 0.0]] * 2, atol=1e-12)


def test_what_is_exact_on_both_sides_cannot_be_closed():
    model = parse_adm(DATASET.format(exact=", EXACT=X:Y:Z", other=", EXACT=X:Y:Z"))
    with pytest.raises(
        hn.ModelError, match=r"JOINT_1: translation along ground x stays open by -1; try .* its parts without EXACT"
    ):
        fitted(model)


def lever(gap=0.0):
    """A part with its pin 0.7 above the centre, which must move by ``gap`` along x."""
    m = hn.Model("lever")
    part = m.part("lever", 3.0, (0.2, 0.3, 0.4), (0, 0, 0))
    m.revolute(m.marker(part, (0, 0, 0.7), z=(0, 1, 0)), m.marker(m.ground, (gap, 0, 0.7), z=(0, 1, 0)), "pin")
    return m, part


def test_translations_in_lengths_of_the_model_and_rotations_in_radians():
    """dx + 0.7 dtheta = gap, (dx / L)^2 + dtheta^2 least: dx = gap L^2 / (L^2 + 0.7^2)."""
    gap = 1e-5
    system, r, _, _ = fitted(lever(gap)[0])
    assert r[0, 0] == pytest.approx(gap * system.extent**2 / (system.extent**2 + 0.7**2), rel=1e-4)
    assert 0.1 * gap < r[0, 0] < 0.9 * gap  # both take part


def test_exact_angles_leave_it_to_the_translation():
    m, part = lever(1e-3)
    part.exact = ("PSI", "THETA", "PHI")
    _, r, _, _ = fitted(m)
    assert r[0, 0] == pytest.approx(1e-3, rel=1e-12)


def test_velocities_that_are_given_are_kept_and_the_others_follow():
    m, part = lever()
    part.vx = -1.4
    _, _, v, w = fitted(m)
    assert (v[0, 0], w[0, 1]) == pytest.approx((-1.4, 2.0), rel=1e-12)
    m, part = lever()
    part.wy = 2.0
    _, _, v, w = fitted(m)
    assert (v[0, 0], w[0, 1]) == pytest.approx((-1.4, 2.0), rel=1e-12)


def test_velocities_that_contradict_each_other_meet_at_the_weighted_minimum():
    """((vx - 1) / L)^2 + (wy - 3)^2 least with vx = -0.7 wy."""
    m, part = lever()
    part.vx, part.wy = 1.0, 3.0
    system, _, v, w = fitted(m)
    c = (0.7 / system.extent) ** 2
    spin = (3.0 - c / 0.7) / (1.0 + c)
    assert (v[0, 0], w[0, 1]) == pytest.approx((-0.7 * spin, spin), rel=1e-6)


def test_velocities_free_on_both_parts_share_by_size_not_by_mass():
    """Of two parts that a ball holds together one moves with 1; the other, which is free, follows alone."""
    m = hn.Model("pair")
    a = m.part("a", 1.0, (1, 1, 1), (0, 0, 0))
    b = m.part("b", 1e-3, (1, 1, 1), (0, 0, 0))
    m.joint("SPHERICAL", m.marker(a, (0, 0, 0)), m.marker(b, (0, 0, 0)), "ball")
    a.vx = 1.0
    _, _, v, _ = fitted(m)
    np.testing.assert_allclose(v, [[1.0, 0, 0]] * 2, atol=1e-12)
    b.vx = 0.0  # now they contradict each other
    _, _, v, _ = fitted(m)
    np.testing.assert_allclose(v, [[0.5, 0, 0]] * 2, atol=1e-9)


@pytest.mark.parametrize("kind", ["part", "point_mass"])
def test_assembly_weights_share_the_change_by_their_inverse(kind):
    """w_a (x - 0)^2 + w_b (x - 1)^2 least: x = w_b / (w_a + w_b), each axis by its own weights; 1 of the other body."""
    m = hn.Model("weights")
    many = (9.0, 4.0, 1.0, 1.0) if kind == "part" else (9.0, 4.0, 1.0)
    a = getattr(m, kind)("a", position=(0, 0, 0), assembly_weight=many, **({"mass": 5.0}))
    b = getattr(m, kind)("b", position=(1.0, 0.4, 0.2), mass=1.0)
    if kind == "part":
        a.ip = b.ip = (1.0, 1.0, 1.0)
    m.joint("SPHERICAL", m.marker(a, (0, 0, 0)), m.marker(b, (0, 0, 0)), "ball")
    _, r, _, _ = fitted(m)
    np.testing.assert_allclose(r, [[0.1, 0.08, 0.1]] * 2, atol=1e-12)


def test_assembly_weight_of_the_attitude_and_of_velocities():
    """w dtheta^2 against (dx / L)^2 of the lever; two contradicting speeds meet at their weighted mean."""
    gap = 1e-5
    m, part = lever(gap)
    part.assembly_weight = (1.0, 1.0, 1.0, 5.0)
    system, r, _, _ = fitted(m)
    assert r[0, 0] == pytest.approx(gap * system.extent**2 / (system.extent**2 + 0.7**2 / 5.0), rel=1e-4)
    m = hn.Model("pair")
    a = m.part("a", 1.0, (1, 1, 1), (0, 0, 0), velocity=(1.0, 0, 0), assembly_weight=3.0)
    b = m.part("b", 1e-3, (1, 1, 1), (0, 0, 0), velocity=(0.0, 0, 0))
    m.joint("SPHERICAL", m.marker(a, (0, 0, 0)), m.marker(b, (0, 0, 0)), "ball")
    _, _, v, _ = fitted(m)
    np.testing.assert_allclose(v, [[0.75, 0, 0]] * 2, atol=1e-9)


def test_assembly_weights_of_files_and_what_is_no_weight(tmp_path):
    m = hn.Model("file")
    m.part("a", 1.0, (1, 1, 1), assembly_weight=(1.0, 2.0, 3.0, 4.0))
    m.part("b", 1.0, (1, 1, 1), (1, 0, 0))
    again = hn.Model.from_json(m.to_json())
    assert again.find("PART", "a").assembly_weight == (1.0, 2.0, 3.0, 4.0)
    hn.write_adams(m, tmp_path / "m.adm")
    assert hn.read_adams(str(tmp_path / "m.adm")).find("PART", "a").assembly_weight == (1.0, 2.0, 3.0, 4.0)
    assert hn.read_adams(str(tmp_path / "m.adm")).find("PART", "b").assembly_weight == ()
    for wrong in (0.0, -1.0, (1.0, 2.0), float("nan")):
        with pytest.raises(hn.ModelError, match="assembly_weight"):
            m.part("c", 1.0, (1, 1, 1), assembly_weight=wrong)
    again.find("PART", "a").assembly_weight = (1.0, 0.0, 1.0, 1.0)
    with pytest.raises(hn.ModelError, match="assembly_weight is .* give 4 positive numbers"):
        hn.simulate(again, 0.1, 1)


@pytest.mark.parametrize("units", ["SI", "mm"])
@pytest.mark.parametrize("travel", [-0.02, 0.0, 0.015])
def test_a_position_that_is_given_leaves_the_speed_that_is_given_elsewhere(units, travel):
    """Slider-crank: the piston's place is given and the crank's speed; closed form of both."""
    s, r, l, w = (1.0 if units == "SI" else 1000.0), 0.1, 0.3, 5.0
    m = hn.Model("crank", units=units)
    big, x = np.array([0.0, r, 0.0]), np.sqrt(l * l - r * r)
    small = np.array([x, 0.0, 0.0])
    crank, rod, piston = (
        m.part(name, 1, (1e-3 * s * s,) * 3, position=tuple(s * place))
        for name, place in (("crank", big / 2), ("rod", (big + small) / 2), ("piston", small))
    )
    crank.wz = w
    for one, other, at in ((crank, m.ground, 0 * big), (rod, crank, big), (piston, rod, small)):
        m.revolute(one, other, at=tuple(s * at), axis=(0, 0, 1))
    m.translational(piston, m.ground, "way", at=tuple(s * small), axis=(1, 0, 0), travel=s * travel)
    assert not hn.check(m).warnings
    run = hn.simulate(m, end=1e-3, steps=1)
    at = x + travel
    cos = (at * at + r * r - l * l) / (2.0 * at * r)
    sin = np.sqrt(1.0 - cos * cos)
    speed = -r * w * sin * (1.0 + r * cos / np.sqrt(l * l - (r * sin) ** 2))
    assert run.part("crank").angular_velocity.values[0, 2] == pytest.approx(w, rel=1e-9)
    assert run.part("piston").position.values[0, 0] == pytest.approx(s * at, rel=1e-9)
    assert run.part("piston").velocity.values[0, 0] == pytest.approx(s * speed, rel=1e-9)


def test_a_dead_centre_is_named():
    m = hn.Model("stretched")
    crank = m.part("crank", 1, (1e-3,) * 3, position=(0.05, 0, 0))
    rod = m.part("rod", 1, (1e-3,) * 3, position=(0.25, 0, 0))
    piston = m.part("piston", 1, (1e-3,) * 3, position=(0.4, 0, 0))
    for one, other, at in ((crank, m.ground, 0.0), (rod, crank, 0.1), (piston, rod, 0.4)):
        m.revolute(one, other, at=(at, 0, 0), axis=(0, 0, 1))
    m.translational(piston, m.ground, "way", at=(0.4, 0, 0), axis=(1, 0, 0), travel=-0.02)
    with pytest.raises(hn.ModelError, match="way cannot leave its position as drawn, which is a dead centre"):
        hn.simulate(m, end=0.1)
