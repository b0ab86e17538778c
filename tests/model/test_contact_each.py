"""Contacts and their shapes by name: lists, groups, patterns, one contact for each pair."""

import math

import pytest

import holonom as hn


def scene():
    m = hn.Model("balls", units="mm")
    for k in range(3):
        m.sphere(
            m.part(f"ball_{k}", 1.0, (1, 1, 1), (40 * k, 0, 0)), (40 * k, 0, 0), 10 + k, name=f"skin_{k}", group="skins"
        )
    m.plane(m.ground, (0, 0, -20), (0, 0, 1), name="plate")
    return m


@pytest.mark.parametrize(
    "balls",
    [
        ["skin_0", "skin_1", "SKIN_2"],
        "skins",
        ["ball_0", "ball_1", "ball_2"],
        "ball_*",
        "skin_?",
        [1, "skin_1", "ball_2"],
    ],
)
def test_shapes_by_name(balls):
    c = scene().contact(balls, "plate", stiffness=1.0)
    assert c.igeom == (1, 2, 3) and c.jgeom == (4,)


def test_names_that_are_not_there():
    m = scene()
    for wrong, meant in (("skin_4", "skin_"), ("bal_0", "ball_0"), ("skns", "skins"), ("plates", "plate")):
        with pytest.raises(
            hn.ModelError, match=f"no shape, group of shapes or body named '{wrong}'; did you mean '{meant}"
        ):
            m.contact([wrong], "plate", stiffness=1.0)
    with pytest.raises(hn.ModelError, match="has a name that fits 'cube"):
        m.contact("cube*", "plate", stiffness=1.0)
    assert not m.table("CONTACT")


def test_one_contact_for_each_pair():
    m = scene()
    made = m.contact_each("skins", "plate", law="HERTZ", materials="steel", name="balls")
    assert [c.name for c in made] == [f"balls: skin_{k} / plate" for k in range(3)]
    assert m.contacts_of("balls") == made and m.find("CONTACT", "BALLS: skin_1 / plate") is made[1]
    run = hn.simulate(m, 1e-4, 1)  # three curvatures
    rows = run.contacts_of("balls")
    assert [v.name for v in rows] == [c.name for c in made] and run.contact("balls: skin_1 / plate").id == made[1].id
    with pytest.raises(hn.ModelError, match="'balls' is a group of 3 contacts: run.contacts_of"):
        run.contact("balls")
    with pytest.raises(hn.ModelError, match="did you mean 'balls: skin_1 / plate'"):
        run.contact("balls: skin_1 plate")


def test_pairs_within_a_list_are_named_once():
    m = scene()
    m.revolute(m.find("PART", "ball_0"), m.find("PART", "ball_1"), at=(20, 0, 0))
    made = m.contact_each(["skins", "plate"], name="all", stiffness=2.0, exclude=[("ball_2", "plate")], mu=0.3)
    assert [c.name for c in made] == [
        "all: skin_0 / skin_2",
        "all: skin_0 / plate",
        "all: skin_1 / skin_2",
        "all: skin_1 / plate",
    ]
    assert all(c.mu_static == 0.3 and c.group == "all" for c in made)
    again = m.contact_each("skin_0", "plate", name="all", stiffness=2.0)
    assert again[0].name == "all: skin_0 / plate (2)"
    assert len(m.contact_each("ball_0", "ball_1", joined=True, stiffness=1.0)) == 1
    with pytest.raises(hn.ModelError, match="nothing can touch"):
        m.contact_each("ball_0", "ball_1", stiffness=1.0)


def test_each_is_not_for_crowds():
    m = scene()
    sand = m.grains([(0, 0, 100)], 1.0, "sand", mass=1.0)
    with pytest.raises(hn.ModelError, match="grains are too many"):
        m.contact_each(sand, "plate", stiffness=1.0)
    body = m.part("grid", 1.0, (1, 1, 1))
    many = [m.point(body, (k, 0, 50)) for k in range(math.isqrt(3 * 10_000))]
    other = m.part("other", 1.0, (1, 1, 1))
    with pytest.raises(hn.ModelError, match="would make .* contacts, more than 10000; use contact"):
        m.contact_each(many, [m.point(other, (k, 0, 60)) for k in range(100)], stiffness=1.0)
