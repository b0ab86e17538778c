"""Faults and doubts of contacts, and which pairs may meet."""

from __future__ import annotations

import itertools

import pytest

from holonom.model import Model
from holonom.model.touching import Touching
from holonom.model.validate import contact_missing, doubts, faults


def scene():
    m = Model("m", units="mm")
    a, b = (m.part(n, 1.0, (1, 1, 1), position=(x, 0, 5)) for n, x in (("a", 0), ("b", 5)))
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    return m, a, b, m.sphere(a, (0, 0, 5), 1.0), m.sphere(b, (5, 0, 5), 1.0), floor


def faults_of(**fields) -> list[str]:
    m, _, _, ball, _, floor = scene()
    contact = m.contact(ball, floor, stiffness=1e5, exponent=1.5)
    for name, value in fields.items():
        setattr(contact, name, value)
    return faults(m)


def test_a_good_contact_has_no_fault_and_no_doubt():
    m, _, _, ball, _, floor = scene()
    contact = m.contact(ball, floor, stiffness=1e5, exponent=1.5, mu=(0.3, 0.2))
    assert faults(m) == [] and doubts(m) == [] and contact_missing(m, contact) == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"law": "HURTZ"}, "there is no contact law 'HURTZ'"),
        ({"law": "IMPCT"}, "did you mean IMPACT?"),
        ({"model": "MAGIC"}, "unknown model 'MAGIC'"),
        ({"friction": "ICE", "coulomb_friction": "ON"}, "there is no friction model 'ICE'"),
        ({"coulomb_friction": "MAYBE"}, "not one of OFF, ON, DYNAMICS_ONLY"),
        ({"initial": "explode"}, "not one of report, resolve"),
        ({"stiffness": -1.0}, "STIFFNESS must not be negative"),
        ({"stiffness": 0.0}, "IMPACT needs STIFFNESS"),
        ({"damping": -2.0}, "DAMPING must not be negative"),
        ({"dmax": -0.1}, "DMAX must not be negative"),
        ({"exponent": 0.9}, "EXPONENT must lie between 1 and 10, it is 0.9"),
        ({"exponent": 40.0}, "nothing real is so steep"),
        ({"model": "POISSON"}, "POISSON needs PENALTY"),
        ({"model": "POISSON", "penalty": 1.0, "restitution": 1.2}, "between 0 and 1, it is 1.2"),
        ({"restitution": -0.1}, "between 0 and 1"),
        ({"law": "FLORES", "parameters": {"restitution": 1.5}}, "between 0 and 1"),
        ({"parameters": {"dmax": float("nan")}}, "its parameter dmax is nan"),
        (
            {"law": "VISCOELASTIC", "parameters": {"g1": 0.5, "tau1": 1.0, "tua2": 1.0}},
            "has no parameter 'tua2'; did you mean tau2?",
        ),
        ({"parameters": {"hardness": 1.0}}, "the law IMPACT has no parameter 'hardness'; remove it"),
        ({"parameters": {"max_stiction_deformation": 1.0}}, "has no parameter 'max_stiction_deformation'"),
        (
            {
                "friction": "BRISTLE",
                "coulomb_friction": "ON",
                "mu_static": 0.3,
                "mu_dynamic": 0.2,
                "stiction_transition_velocity": 1.0,
                "friction_transition_velocity": 2.0,
                "parameters": {"tangential_damping": 1.0},
                "friction_parameters": {"tangential_stiffness": 1.0},
            },
            "the law IMPACT has no parameter 'tangential_damping'; give it in friction_parameters",
        ),
        ({"mu_static": -0.3}, "MU_STATIC must not be negative"),
        ({"rolling_resistance": -0.3}, "ROLLING_RESISTANCE must not be negative"),
        ({"stiffness": float("inf")}, "STIFFNESS is inf"),
        (
            {
                "coulomb_friction": "ON",
                "mu_static": 0.3,
                "stiction_transition_velocity": 2.0,
                "friction_transition_velocity": 1.0,
            },
            "exceeds FRICTION_TRANSITION_VELOCITY",
        ),
        ({"materials": ("steel",)}, "a material for each of its two sides"),
        ({"materials": (3, "steel")}, "there is no MATERIAL/3"),
        ({"igeom": ()}, "names no geometry for IGEOM"),
        ({"igeom": (99,)}, "there is no GRAPHICS/99"),
        ({"exclude": ((1, 99),)}, "it excludes GRAPHICS/99"),
        ({"exclude": ((1, 2), (1, 3))}, "excludes all of its pairs"),
    ],
)
def test_one_sentence_for_each_fault(fields, words):
    found = faults_of(**fields)
    assert len(found) == 1 and words in found[0] and found[0].startswith("CONTACT/1") and "\n" not in found[0], found


def test_shapes_of_contacts_are_checked():
    m, a, _, ball, _, floor = scene()
    wedge = m.graphic("CYLINDER", cm=a.cm, length=1.0, radius=1.0, rangle=1.0)
    m.contact([ball, wedge], floor, stiffness=1.0)
    found = faults(m)
    assert len(found) == 1 and "wedge" in found[0] and "IGEOM = 4 is not a shape that can touch" in found[0]
    wedge.active = False
    assert "is not active" in faults(m)[0]


def test_contact_within_one_part():
    m, a, _, ball, _, _ = scene()
    m.contact(ball, m.sphere(a, (0, 0, 8), 1.0), stiffness=1.0)
    assert "belong to one part" in faults(m)[0]


def test_contact_of_parts_fixed_to_each_other_over_others():
    m, a, b, one, two, _ = scene()
    c = m.part("c", 1.0, (1, 1, 1))
    m.fixed(a, c, at=(0, 0, 0))
    lock = m.fixed(c, b, at=(0, 0, 0))
    contact = m.contact(one, two, stiffness=1.0)
    assert "fixed to each other and can never meet" in faults(m)[0]
    lock.active = False
    assert faults(m) == []
    lock.active, contact.joined = True, True  # as Adams has it: allowed, and said
    assert faults(m) == [] and "its parts are fixed to each other at present" in doubts(m)[0]


def test_joints_suppress_contact_between_their_parts():
    m, a, b, one, two, floor = scene()
    joint = m.revolute(a, b, at=(2, 0, 5), axis=(0, 1, 0))
    contact = m.contact(one, two, stiffness=1.0)
    assert f"{joint.label} connects its parts" in faults(m)[0] and "joined=True" in faults(m)[0]
    contact.joined = True
    assert faults(m) == []
    contact.joined, contact.jgeom = False, (two.id, floor.id)
    assert faults(m) == [] and "1 of its 2 pairs are not checked, since JOINT/1 connect their parts" in doubts(m)[0]
    joint.type = "PLANAR"
    assert doubts(m) == []


def test_doubtful_friction():
    m, _, _, ball, _, floor = scene()
    m.contact(ball, floor, stiffness=1.0, mu=(0.2, 0.3))
    m.contact(ball, floor, stiffness=1.0, mu=20.0)
    found = doubts(m)
    assert any("0.3 exceeds the static one 0.2" in text for text in found)
    assert any("20 is implausible" in text for text in found)


def test_numbers_that_nothing_reads_and_absurd_stiffness_are_told():
    def doubts_of(**fields):
        m, _, _, ball, _, floor = scene()
        m.gravity = (0, 0, -9806.65)
        m.contact(ball, floor, **{"stiffness": 1e5, "exponent": 1.5} | fields)
        return doubts(m)

    assert doubts_of() == []
    assert "RESTITUTION_COEFFICIENT = 0.5 has no influence: IMPACT does not read it" in doubts_of(restitution=0.5)[0]
    assert "EXPONENT = 1.3 has no influence: that of HERTZ is its own" in doubts_of(law="HERTZ", exponent=1.3)[0]
    # 1 kg weighs 9.8 N on a ball of 1 mm
    assert (
        "implausible for PART/2 'a': the weight of that part alone presses its shape in by 9.81 mm"
        in doubts_of(stiffness=1.0, exponent=1.0)[0]
    )
    assert (
        "presses its shape in by" in doubts_of(stiffness=1e20)[0] and "check the units" in doubts_of(stiffness=1e20)[0]
    )


DATASET = """Adams View model name: x
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=MILLIMETER, TIME=SECOND
PART/1, GROUND
MARKER/1, PART=1
PART/2, MASS=1, CM=2, IP=1,1,1, QG=0,0,20
MARKER/2, PART=2
PART/3, MASS=1, CM=3, IP=1,1,1, QG=30,0,20
MARKER/3, PART=3
JOINT/1, FIXED, I=2, J=3
GRAPHICS/1, PLANE, RM=1, XMIN=-100, XMAX=100, YMIN=-100, YMAX=100
GRAPHICS/2, {shape}
GRAPHICS/3, ELLIPSOID, CM=3, XSCALE=10, YSCALE=10, ZSCALE=10
CONTACT/1, IGEOM=2, JGEOM={j}, {law}
END
"""
GOOD = {
    "shape": "ELLIPSOID, CM=2, XSCALE=9, YSCALE=9, ZSCALE=9",
    "law": "IMPACT, STIFFNESS=1E5, DAMPING=10, DMAX=0.1, EXPONENT=2.2",
    "j": "1",
}


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"law": "IMPACT, STIFFNESS=-1, DAMPING=1, DMAX=.1, EXPONENT=2"}, "STIFFNESS must not be negative, it is -1"),
        ({"law": "IMPACT, DAMPING=1, DMAX=.1, EXPONENT=2"}, "IMPACT needs STIFFNESS"),
        (
            {"law": "IMPACT, STIFFNESS=1, DAMPING=1, DMAX=.1, EXPONENT=.5"},
            "EXPONENT must lie between 1 and 10, it is 0.5",
        ),
        ({"law": "IMPACT, STIFFNESS=1, DAMPING=-1, DMAX=.1, EXPONENT=2"}, "DAMPING must not be negative"),
        (
            {"law": "POISSON, PENALTY=1E5, RESTITUTION_COEFFICIENT=1.5"},
            "RESTITUTION_COEFFICIENT must lie between 0 and 1, it is 1.5",
        ),
        (
            {"law": "POISSON, PENALTY=1E5, RESTITUTION_COEFFICIENT=-.5"},
            "RESTITUTION_COEFFICIENT must lie between 0 and 1, it is -0.5",
        ),
        (
            {"shape": "CYLINDER, CM=2, LENGTH=1, RADIUS=0"},
            "GRAPHICS/2 'GRAPHICS_2' (x.adm:11): its radius must be positive, it is 0; a shape without volume",
        ),
        ({"shape": "BOX, CORNER=2, X=1, Y=0, Z=1"}, "one of its edges is zero; a shape without volume cannot touch"),
        ({"shape": "TORUS, CM=2, MAJOR=1, MINOR=2"}, "must be thinner than its ring"),
        ({"j": "99"}, "JGEOM = 99: there is no GRAPHICS/99; correct the id or add it"),
        ({"j": "2"}, "its shapes all belong to one part and can never meet; give shapes of two parts"),
    ],
)
def test_faults_of_a_dataset_name_file_and_line(written, words):
    from holonom.formats import parse_adm

    assert faults(parse_adm(DATASET.format(**GOOD), "x.adm")) == []
    found = faults(parse_adm(DATASET.format(**GOOD | written), "x.adm"))
    assert (
        len(found) == 1
        and found[0].startswith("CONTACT/1 'CONTACT_1' (x.adm:13): ")
        and words in found[0]
        and "\n" not in found[0]
    ), found


def test_contact_of_fixed_parts_in_a_dataset_is_told():
    from holonom.formats import parse_adm

    found = doubts(parse_adm(DATASET.format(**GOOD | {"j": "3"}), "x.adm"))
    assert len(found) == 1 and "(x.adm:13): its parts are fixed to each other at present" in found[0]


def test_counts_are_those_of_looking_at_every_pair():
    m = Model("m", units="mm")
    bodies = [m.part(f"p{k}", 1.0, (1, 1, 1), position=(3 * k, 0, 0)) for k in range(6)]
    shapes = [m.sphere(b, (3 * k, s, 0), 0.4) for k, b in enumerate(bodies) for s in range(2)]
    shapes.append(m.plane(m.ground, (0, 0, -1), (0, 0, 1)))
    m.fixed(bodies[0], bodies[1], at=(0, 0, 0))
    m.revolute(bodies[1], bodies[2], at=(0, 0, 0), axis=(0, 0, 1))
    m.spherical(bodies[3], bodies[4], at=(0, 0, 0))
    m.revolute(bodies[5], m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    lists = [shapes, shapes[:7], shapes[4:], shapes[3:9], [shapes[0]], shapes[::2]]
    for i, j in itertools.product(lists, lists):
        for joined in (False, True):
            contact = m.contact(
                i, j, stiffness=1.0, joined=joined, exclude=[(shapes[0], shapes[8]), (shapes[8], shapes[0])]
            )
            touching = Touching(m)
            pairs = {frozenset((a.id, b.id)) for a in i for b in j if a.id != b.id}
            allowed = [p for p in pairs if not touching.refuses(contact, *p)]
            counts = touching.pairs(contact)
            assert counts.total == len(pairs)
            assert counts.defined == len(allowed)
            why = [touching.refuses(contact, *p) for p in pairs]
            assert why.count("they belong to one part") == counts.same_part
            assert why.count("their parts are fixed to each other") == counts.rigid
            assert sum("connects their parts" in w for w in why) == counts.joined


def test_pairs_that_have_no_kernel_are_named(monkeypatch):
    from holonom.model.contact_pairs import PAIRS

    for pair in (("MESH", "CURVE"), ("CURVE", "MESH")):
        monkeypatch.delitem(PAIRS, pair, raising=False)  # all shapes meet all shapes: one is taken away
    m, a, _, ball, _, floor = scene()
    curve = m.plane_curve(a, [(0, 0), (1, 0), (0, 1)])
    field = m.height_field(m.ground, [(0, 0), (0, 0)], 1.0)
    contact = m.contact([ball, curve], field, stiffness=1.0)
    texts = contact_missing(m, contact)
    assert all("is not computed in this version" in t for t in texts)
    assert (
        "contact of a curve with a height field is not computed in this version; give a mesh or hull in place of one "
        "of them" in texts
    )
