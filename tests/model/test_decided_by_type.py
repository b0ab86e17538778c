"""Statements whose type, or another argument, decides which numbers count: every other number that is given is an error
or a warning that names it."""

import dataclasses

import pytest

import holonom as hn
from holonom.formats import parse_adm
from holonom.model import ModelError, forces, joints
from holonom.model.idle import DECIDED

HEAD = """by type
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
MARKER/10, PART=1
MARKER/11, PART=1, FLOATING
PART/2, MASS=2, CM=20, IP=1,1,1
MARKER/20, PART=2
MARKER/21, PART=2, QP=0.1,0,0
"""
REVOLUTE = "JOINT/9, REVOLUTE, I=20, J=10\n"
NONLINEAR_BEAM = (
    "BEAM/1, I=20, J=10, LENGTH=1, AREA=1, EMODULUS=1, GMODULUS=1, IXX=1, IYY=1, IZZ=1, FORMULATION=NONLINEAR"
)
MATRIX = ", ".join(["1"] * 36)
#: the statement without the argument, the argument, whether it counts
WALK = [
    *(
        ("SPRINGDAMPER/1, TRANSLATIONAL, I=20, J=10, LENGTH=0", f"{n}=4", False)
        for n in ("KT", "CT", "TORQUE", "ANGLE")
    ),
    *(("SPRINGDAMPER/1, ROTATIONAL, I=20, J=10", f"{n}=4", False) for n in ("K", "C", "FORCE", "LENGTH")),
    ("SPRINGDAMPER/1, ROTATIONAL, I=20, J=10", "KT=4", True),
    ("SPRINGDAMPER/1, TRANSLATIONAL, I=20, J=10, LENGTH=0.5", "K=4", True),
    *((f"JOINT/1, {t}, I=20, J=10", "PITCH=4", False) for t in joints.JOINT_TYPES if t not in ("SCREW", "RACKPIN")),
    *((f"JOINT/1, {t}, I=20, J=10", "PD=4", False) for t in joints.JOINT_TYPES if t not in ("SCREW", "RACKPIN")),
    ("JOINT/1, SCREW, I=20, J=10, PITCH=1", "PD=4", False),
    ("JOINT/1, RACKPIN, I=20, J=10, PD=1", "PITCH=4", False),
    *(
        (f"JOINT/1, {t}, I=20, J=10", f"{n}=0.1,0.2", False)
        for t, n in (("REVOLUTE", "ICTRAN"), ("TRANSLATIONAL", "ICROT"), ("FIXED", "ICTRAN"))
    ),
    ("JOINT/1, CYLINDRICAL, I=20, J=10", "ICROT=0.1,0.2", True),
    (REVOLUTE + "MOTION/1, JOINT=9, ROTATIONAL, VELOCITY, FUNCTION=1", "ICVEL=4", False),
    (REVOLUTE + "MOTION/1, JOINT=9, ROTATIONAL, VELOCITY, FUNCTION=1", "ICDISP=4", True),
    (REVOLUTE + "MOTION/1, JOINT=9, ROTATIONAL, ACCELERATION, FUNCTION=1", "ICVEL=4", True),
    (REVOLUTE + "MOTION/1, JOINT=9, ROTATIONAL, DISPLACEMENT, FUNCTION=1", "ICVEL=4", False),
    (REVOLUTE + "MOTION/1, JOINT=9, ROTATIONAL, FUNCTION=1", "B3", False),
    ("MOTION/1, I=20, J=10, Z, FUNCTION=1", "ROTATIONAL", False),
    *(
        ("FIELD/1, I=20, J=10, FUNCTION=USER(1)", f"{n}={v}", False)
        for n, v in (("KMATRIX", MATRIX), ("CMATRIX", MATRIX), ("CRATIO", "4"), ("FORCE", "1,2,3,4,5,6"))
    ),
    (f"FIELD/1, I=20, J=10, KMATRIX={MATRIX}, CRATIO=0.1", f"CMATRIX={MATRIX}", False),
    ("BEAM/1, I=20, J=10, LENGTH=1, AREA=1, EMODULUS=1, CRATIO=0.1", f"CMATRIX={MATRIX}", False),
    (NONLINEAR_BEAM, "ASY=4", False),
    *(
        (f"JOINT/9, {t}, I=20, J=10\nFRICTION/1, JOINT=9", f"{n}={v}", counts)
        for t, n, v, counts in (
            ("REVOLUTE", "BALL_RADIUS", 4, False),
            ("REVOLUTE", "REACTION_ARM", 4, False),
            ("REVOLUTE", "INITIAL_OVERLAP", 4, False),
            ("REVOLUTE", "OVERLAP_DELTA", "INCREASE", False),
            ("REVOLUTE", "FRICTION_FORCE_PRELOAD", 4, False),
            ("REVOLUTE", "MAX_FRICTION_FORCE", 4, False),
            ("REVOLUTE", "YOKE", "J_YOKE", False),
            ("REVOLUTE", "PIN_RADIUS", 4, True),
            ("REVOLUTE", "MAX_FRICTION_TORQUE", 4, True),
            ("TRANSLATIONAL", "PIN_RADIUS", 4, False),
            ("TRANSLATIONAL", "FRICTION_ARM", 4, False),
            ("TRANSLATIONAL", "BENDING_REACTION_ARM", 4, False),
            ("TRANSLATIONAL", "FRICTION_TORQUE_PRELOAD", 4, False),
            ("TRANSLATIONAL", "MAX_FRICTION_TORQUE", 4, False),
            ("TRANSLATIONAL", "REACTION_ARM", 4, True),
            ("CYLINDRICAL", "BENDING_REACTION_ARM", 4, False),
            ("CYLINDRICAL", "INITIAL_OVERLAP", 4, True),
            ("SPHERICAL", "PIN_RADIUS", 4, False),
            ("SPHERICAL", "BALL_RADIUS", 4, True),
        )
    ),
    (REVOLUTE + "FRICTION/1, JOINT=9, EFFECT=SLIDING", "MU_STATIC=0.7", False),
    (REVOLUTE + "FRICTION/1, JOINT=9, EFFECT=STICTION", "MU_DYNAMIC=0.2", False),
    (
        REVOLUTE + "FRICTION/1, JOINT=9, FORMULATION=LUGRE, BRISTLE_STIFFNESS=9, VELOCITY_THRESHOLD_STRIBECK=1",
        "MAX_STICTION_DEFORMATION=4",
        False,
    ),
]


def said(text):
    """What the reading, the validation and the warnings say."""
    try:
        model = parse_adm(HEAD + text + "\nEND\n", "t.adm")
    except ModelError as error:
        return [str(error)]
    answer = hn.check(model)
    return [*answer.faults, *answer.warnings]


@pytest.mark.filterwarnings("ignore::holonom.ModelWarning")
@pytest.mark.parametrize(
    "statement, argument, counts", WALK, ids=[f"{s.split(chr(10))[-1][:40]}-{a[:12]}" for s, a, _ in WALK]
)
def test_a_number_that_does_not_count_is_named(statement, argument, counts):
    name = argument.partition("=")[0]
    new = [t for t in said(f"{statement}, {argument}") if t not in said(statement)]
    assert any(name in t or name[:2] == "IC" and "initial" in t for t in new) != counts, new


def test_elements_of_python_are_covered():
    m = hn.Model()
    p = m.part("p", 1.0, (1, 1, 1))
    m.add(
        forces.SpringDamper(
            name="s", kind="ROTATIONAL", i=p.cm, j=m.marker_at(m.ground, (1, 0, 0)).id, k=5.0, length=1.0
        )
    )
    with pytest.warns(hn.ModelWarning, match=r"'s': K = 5 and LENGTH = 1 have no influence .*give KT, CT, TORQUE"):
        hn.simulate(m, end=0.01, steps=1)


def test_every_statement_with_a_type_is_walked_or_has_none_to_walk():
    """An element type with words that choose, and numbers with them, is in the table or named with the reason."""
    free = {
        "SFORCE": "its function counts in both types",
        "JPRIM": "it has markers alone",
        "SENSOR": "its numbers count with every comparison",
    }
    for module in (forces, joints):
        for cls in vars(module).values():
            if dataclasses.is_dataclass(cls) and getattr(cls, "WORDS", None) and cls.KIND not in free:
                assert cls.KIND in DECIDED
