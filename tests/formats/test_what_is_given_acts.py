"""Every argument of a dataset that runs, set to a value of its own: another value changes the results of the run, or is
reported.

`test_nothing_is_swallowed` shows that what a dataset gives reaches the model; here it is shown to reach the motion.
"""

import re
import warnings

import numpy as np
import pytest

import holonom as hn
from holonom.elements.kinds import FORCES
from holonom.formats import parse_adm
from holonom.formats.adams import grammar
from holonom.model import ModelError

HEAD = """title
UNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND
ACCGRAV/IGRAV = 0.3, JGRAV = -9.81, KGRAV = 0.2
PART/1, GROUND
MARKER/10, PART = 1, QP = 0.1, 0.2, 0.3, REULER = 10D, 20D, 30D
MARKER/12, PART = 1, QP = -0.4, 0.2, 0.6, REULER = 40D, 20D, 30D
MARKER/11, PART = 1, FLOATING
MARKER/13, PART = 1
MARKER/14, PART = 1, QP = 0.5, 0, 0
"""
BODY = """PART/2, MASS = 2, CM = 20, IP = 0.3, 0.4, 0.5, QG = 0.3, 0.4, 0.5, VX = 0.3, VY = 0.2, VZ = 0.1, WX = 0.7, WY = 0.5, WZ = 0.3
MARKER/20, PART = 2, QP = 0.05, 0.02, 0.01
MARKER/21, PART = 2, QP = 0.15, -0.1, 0.2, REULER = 15D, 25D, 35D
MARKER/22, PART = 2, QP = -0.05, -0.1, 0.1
"""  # noqa: E501
HINGE = """PART/2, MASS = 2, CM = 20, IP = 0.3, 0.4, 0.5
MARKER/20, PART = 2, QP = 0.35, 0.1, 0.05
MARKER/21, PART = 2
PART/3, MASS = 1.5, CM = 30, IP = 0.2, 0.4, 0.5
MARKER/30, PART = 3, QP = 0.25, 0.1, 0.05
MARKER/31, PART = 3
MARKER/32, PART = 3, QP = 0.2, 0.3, 0.1
JOINT/1, REVOLUTE, I = 21, J = 13
"""
#: close to the ground's ball, and moving
CLOSE = HEAD + BODY.replace("VX = 0.3", "VX = 3").replace("QG = 0.3, 0.4, 0.5", "QG = 0.3, 0.35, 0.3")
BALLS = (
    "GRAPHICS/1, ELLIPSOID, CM = 20, XSCALE = 1, YSCALE = 1, ZSCALE = 1\n"
    "GRAPHICS/2, ELLIPSOID, CM = 13, XSCALE = 0.3, YSCALE = 0.3, ZSCALE = 0.3\n"
)
RUN = {"end": 0.06, "steps": 3}
MATRIX = ", ".join(str(40 * (r == c) + 0.1 * (r + c)) for c in range(6) for r in range(6))
#: name, the rest of the dataset, the statement whose arguments vary (one argument a line)
RACK = (
    "MARKER/33, PART = 3, REULER = 0D, 90D, 0D\nMARKER/15, PART = 1, REULER = 0D, 90D, 0D\nJOINT/3, TRANSLATIONAL, "
    "I = 33, J = 15\n"
)
SCALARS = "".join(
    f"MATRIX/{k}, FULL = RORDER, ROWS = 1, COLUMNS = 1, VALUES = {v}\n" for k, v in enumerate((-1, 2, 3, 4), 1)
)
PUSH = "SFORCE/1, TRANSLATIONAL, I = 21, J = 12, FUNCTION = "
ARRAYS = "ARRAY/1, X, SIZE = 1\nARRAY/2, U, VARIABLES = 1\nARRAY/3, Y, SIZE = 1\nVARIABLE/1, FUNCTION = 5 + TIME\n"
HELD = "BUSHING/1, I = 23, J = 10, K = 100, 200, 300, C = 1, 2, 3, KT = 4, 5, 6\n"
CASES = {
    "PART": (
        HEAD + "MARKER/20, PART = 2, QP = 0.05, 0.02, 0.01\nMARKER/21, PART = 2, QP = 0.15, -0.1, 0.2, REULER = 15D, "
        "25D, 35D\n"
        "JOINT/1, SPHERICAL, I = 21, J = 10\n",
        "PART/2\n, MASS = 2\n, CM = 20\n, IM = 21\n, IP = 0.3, 0.4, 0.5, 0.01, 0.02, 0.03\n, QG = 0.3, 0.4, 0.5\n, "
        "REULER = 5D, 7D, 9D\n, EXACT = PHI : X\n"
        ", VX = 0.3\n, VY = 0.2\n, VZ = 0.1\n, WX = 0.7\n, WY = 0.5\n, WZ = 0.3\n, VM = 10\n, WM = 12",
    ),
    "POINT_MASS": (
        HEAD + "MARKER/20, POINT_MASS = 2, QP = 0, 0, 0\nSFORCE/1, TRANSLATIONAL, I = 20, J = 10, FUNCTION = "
        "-9*DM(20, 10)\n",
        "POINT_MASS/2\n, MASS = 2\n, CM = 20\n, QG = 0.3, 0.4, 0.5\n, VX = 0.3\n, VY = 0.2\n, VZ = 0.1\n, VM = 10",
    ),
    "MARKER": (HEAD + BODY + HELD, "MARKER/23\n, PART = 2\n, QP = 0.1, 0.2, 0.3\n, REULER = 10D, 20D, 30D"),
    "MARKER by axes": (
        HEAD + BODY + HELD,
        "MARKER/23\n, PART = 2\n, QP = 0.1, 0.2, 0.3\n, ZP = 1, 2, 3\n, XP = 2, 2, 1\n, USEXP",
    ),
    "JOINT": (HEAD + HINGE, "JOINT/2\n, REVOLUTE\n, I = 30\n, J = 20\n, IC = 0.3, 0.7"),
    "JOINT screw": (HEAD + HINGE, "JOINT/2\n, SCREW\n, I = 30\n, J = 20\n, PITCH = 0.7"),
    "JOINT rack": (HEAD + HINGE + RACK, "JOINT/2\n, RACKPIN\n, I = 20\n, J = 33\n, PD = 0.7"),
    "JOINT cylindrical": (
        HEAD + HINGE,
        "JOINT/2\n, CYLINDRICAL\n, I = 30\n, J = 20\n, ICTRAN = 0.2, 0.7\n, ICROT = 0.3, 0.4",
    ),
    "JPRIM": (HEAD + HINGE, "JPRIM/2\n, INLINE\n, I = 30\n, J = 20"),
    "COUPLER": (
        HEAD + HINGE + "JOINT/2, TRANSLATIONAL, I = 31, J = 13\n",
        "COUPLER/1\n, JOINTS = 1, 2\n, TYPE = R, T\n, SCALES = 1, 2",
    ),
    "GEAR": (
        HEAD + HINGE + "MARKER/15, PART = 1, QP = 0.3, 0, 0, REULER = 0D, 90D, 0D\nJOINT/2, REVOLUTE, I = 31, J = 14\n",
        "GEAR/1\n, JOINTS = 1, 2\n, CV = 15",
    ),
    "GCON": (
        HEAD + HINGE + "JOINT/2, SPHERICAL, I = 30, J = 20\n",
        "GCON/1\n, FUNCTION = DX(32, 13) - 0.55 - 0.1*TIME",
    ),
    "MOTION": (HEAD + HINGE, "MOTION/1\n, JOINT = 1\n, ROTATIONAL\n, VELOCITY\n, ICDISP = 0.2\n, FUNCTION = 0.7*TIME"),
    "MOTION acceleration": (
        HEAD + HINGE,
        "MOTION/1\n, JOINT = 1\n, ROTATIONAL\n, ACCELERATION\n, ICDISP = 0.2\n, ICVEL = 0.3\n, FUNCTION = 0.7*TIME",
    ),
    "MOTION of markers": (HEAD + BODY, "MOTION/1\n, I = 21\n, J = 10\n, Z\n, FUNCTION = 0.15 + 0.7*TIME"),
    "FRICTION revolute": (
        HEAD
        + HINGE.replace("JOINT/1", "JOINT/9")
        + "JOINT/1, REVOLUTE, I = 31, J = 12\nSFORCE/2, ROTATIONAL, I = 31, J = 12, FUNCTION = 60\n",
        "FRICTION/1\n, JOINT = 1\n, MU_STATIC = 0.4\n, MU_DYNAMIC = 0.2\n, STICTION_TRANSITION_VELOCITY = 0.05\n, "
        "TRANSITION_VELOCITY_COEFFICIENT = 3\n"
        ", MAX_STICTION_DEFORMATION = 0.02\n, PIN_RADIUS = 0.3\n, FRICTION_ARM = 0.4\n, BENDING_REACTION_ARM = 0.5\n, "
        "FRICTION_TORQUE_PRELOAD = 0.6\n"
        ", EFFECT = SLIDING\n, INPUTS = PRELOAD : REACTION_FORCE : BENDING_MOMENT\n, SMOOTH = 1\n, INACTIVE = STATIC",
    ),
    "FRICTION free": (
        HEAD
        + HINGE.replace("JOINT/1", "JOINT/9")
        + "JOINT/1, REVOLUTE, I = 31, J = 12\nSFORCE/2, ROTATIONAL, I = 31, J = 12, FUNCTION = 60\n",
        "FRICTION/1\n, JOINT = 1\n, MU_STATIC = 0.4\n, MU_DYNAMIC = 0.2\n, STICTION_TRANSITION_VELOCITY = 0.05\n, "
        "TRANSITION_VELOCITY_COEFFICIENT = 3\n"
        ", MAX_STICTION_DEFORMATION = 0.02\n, PIN_RADIUS = 0.3\n, FRICTION_ARM = 0.4\n, BENDING_REACTION_ARM = 0.5\n, "
        "FRICTION_TORQUE_PRELOAD = 0.6",
    ),
    "FRICTION translational": (
        HEAD
        + HINGE.replace("JOINT/1", "JOINT/9")
        + "JOINT/1, TRANSLATIONAL, I = 31, J = 12\nSFORCE/2, TRANSLATIONAL, I = 31, J = 13, FUNCTION = 60\n",
        "FRICTION/1\n, JOINT = 1\n, MU_STATIC = 0.4\n, MU_DYNAMIC = 0.2\n, REACTION_ARM = 0.3\n, INITIAL_OVERLAP = "
        "4\n, OVERLAP_DELTA = INCREASE\n"
        ", FRICTION_FORCE_PRELOAD = 0.6\n, INPUTS = PRELOAD : BENDING_MOMENT : TORSIONAL_MOMENT",
    ),
    "FRICTION greatest torque": (
        HEAD
        + HINGE.replace("JOINT/1", "JOINT/9")
        + "JOINT/1, REVOLUTE, I = 31, J = 12\nSFORCE/2, ROTATIONAL, I = 31, J = 12, FUNCTION = 60\n",
        "FRICTION/1\n, JOINT = 1\n, MAX_FRICTION_TORQUE = 0.9",
    ),
    "FRICTION greatest force": (
        HEAD
        + HINGE.replace("JOINT/1", "JOINT/9")
        + "JOINT/1, TRANSLATIONAL, I = 31, J = 12\nSFORCE/2, TRANSLATIONAL, I = 31, J = 13, FUNCTION = 60\n",
        "FRICTION/1\n, JOINT = 1\n, MAX_FRICTION_FORCE = 0.9",
    ),
    "FRICTION spherical": (
        HEAD
        + HINGE.replace("JOINT/1", "JOINT/9")
        + "JOINT/1, SPHERICAL, I = 31, J = 12\nVTORQUE/2, I = 31, JFLOAT = 11, RM = 13, TX = 50\n",
        "FRICTION/1\n, JOINT = 1\n, BALL_RADIUS = 0.3\n, FRICTION_TORQUE_PRELOAD = 0.6",
    ),
    "FRICTION lugre": (
        HEAD
        + HINGE.replace("JOINT/1", "JOINT/9")
        + "JOINT/1, REVOLUTE, I = 31, J = 12\nSFORCE/2, ROTATIONAL, I = 31, J = 12, FUNCTION = 60\n",
        "FRICTION/1\n, JOINT = 1\n, FORMULATION = LUGRE\n, MU_STATIC = 0.4\n, MU_DYNAMIC = 0.2\n, PIN_RADIUS = 0.3\n, "
        "FRICTION_TORQUE_PRELOAD = 9\n"
        ", BRISTLE_STIFFNESS_COEFFICIENT = 40\n, DAMPING_COEFFICIENT = 2\n, VISCOUS_FRICTION_COEFFICIENT = 0.1\n, "
        "VELOCITY_THRESHOLD_STRIBECK = 0.3\n"
        ", DECAY_EXPONENT_STRIBECK = 1.2",
    ),
    "FRICTION hooke": (
        HEAD
        + HINGE.replace("JOINT/1", "JOINT/9")
        + "MARKER/15, PART = 1, REULER = 0D, 90D, 0D\nJOINT/1, HOOKE, I = 31, J = 15\n"
        "VTORQUE/2, I = 31, JFLOAT = 11, RM = 13, TX = 50, TY = 40\n",
        "FRICTION/1\n, JOINT = 1\n, J_YOKE",
    ),
    "SFORCE": (HEAD + BODY, "SFORCE/1\n, TRANSLATIONAL\n, I = 21\n, J = 12\n, ACTIONONLY\n, FUNCTION = 7 + DM(21, 12)"),
    "SFORCE moment": (HEAD + BODY, "SFORCE/1\n, ROTATIONAL\n, I = 21\n, J = 12\n, FUNCTION = 7 + AZ(21, 12)"),
    "VFORCE": (HEAD + BODY, "VFORCE/1\n, I = 21\n, JFLOAT = 11\n, RM = 12\n, FX = 3\n, FY = 2*TIME\n, FZ = 5"),
    "VTORQUE": (HEAD + BODY, "VTORQUE/1\n, I = 21\n, JFLOAT = 11\n, RM = 12\n, TX = 3\n, TY = 2*TIME\n, TZ = 5"),
    "GFORCE": (
        HEAD + BODY,
        "GFORCE/1\n, I = 21\n, JFLOAT = 11\n, RM = 12\n, FX = 3\n, FY = 2*TIME\n, FZ = 5\n, TX = 3\n, TY = 2*TIME\n, "
        "TZ = 5",
    ),
    "SPRINGDAMPER": (
        HEAD + BODY,
        "SPRINGDAMPER/1\n, TRANSLATIONAL\n, I = 21\n, J = 12\n, C = 3\n, K = 40\n, FORCE = 5\n, LENGTH = 0.6",
    ),
    "SPRINGDAMPER moment": (
        HEAD + BODY,
        "SPRINGDAMPER/1\n, ROTATIONAL\n, I = 21\n, J = 12\n, CT = 3\n, KT = 40\n, TORQUE = 5\n, ANGLE = 6D",
    ),
    "BUSHING": (
        HEAD + BODY,
        "BUSHING/1\n, I = 21\n, J = 12\n, C = 3, 4, 5\n, K = 40, 50, 60\n, CT = 1, 2, 3\n, KT = 7, 8, 9\n, FORCE = 1, "
        "2, 3\n, TORQUE = 2, 3, 4",
    ),
    "FIELD": (
        HEAD + BODY,
        f"FIELD/1\n, I = 21\n, J = 12\n, CMATRIX = {MATRIX}\n, KMATRIX = {MATRIX}\n"
        ", FORCE = 1, 2, 3, 4, 5, 6\n, LENGTH = 0.1, 0.2, 0.3, 0.4, 0.5, 0.6\n, FORMULATION = LINEAR",
    ),
    "FIELD ratio": (HEAD + BODY, f"FIELD/1\n, I = 21\n, J = 12\n, CRATIO = 0.05\n, KMATRIX = {MATRIX}"),
    "BEAM": (
        HEAD + BODY.replace("QG = 0.3, 0.4, 0.5", "QG = 0.4, 0.01, 0.02"),
        "BEAM/1\n, I = 22\n, J = 13\n, LENGTH = 0.36\n"
        ", IXX = 2E-8\n, IYY = 1E-8\n, IZZ = 3E-8\n, AREA = 1E-4\n, ASY = 1.1\n, ASZ = 1.3\n, EMODULUS = 2E9\n, "
        "GMODULUS = 8E8\n, CRATIO = 0.01",
    ),
    "CONTACT": (
        CLOSE + BALLS,
        "CONTACT/1\n, IGEOM = 1\n, JGEOM = 2\n, IMPACT\n, STIFFNESS = 1E4\n, DAMPING = 20\n, DMAX = 0.1\n, EXPONENT = "
        "1.4\n, COULOMB_FRICTION = ON\n"
        ", MU_STATIC = 0.4\n, MU_DYNAMIC = 0.2\n, STICTION_TRANSITION_VELOCITY = 0.5\n, "
        "FRICTION_TRANSITION_VELOCITY = 4",
    ),
    "CONTACT of Poisson": (
        CLOSE + BALLS,
        "CONTACT/1\n, IGEOM = 1\n, JGEOM = 2\n, POISSON\n, PENALTY = 1E4\n, RESTITUTION_COEFFICIENT = 0.6\n, "
        "AUGMENTED_LAGRANGIAN_FORMULATION",
    ),
    "GRAPHICS": (
        CLOSE
        + BALLS.split("\n")[1]
        + "\nCONTACT/1, IGEOM = 1, JGEOM = 2, IMPACT, STIFFNESS = 1E4, DAMPING = 20, DMAX = 0.1, EXPONENT = 1.4\n",
        "GRAPHICS/1\n, ELLIPSOID\n, CM = 20\n, XSCALE = 1\n, YSCALE = 0.9\n, ZSCALE = 0.8",
    ),
    "VARIABLE": (HEAD + BODY + PUSH + "VARVAL(1)\n", "VARIABLE/1\n, IC = 3\n, FUNCTION = 5 + TIME"),
    "DIFF": (HEAD + BODY + PUSH + "DIF(1)\n", "DIFF/1\n, IC = 3\n, FUNCTION = 5 + TIME - DIF(1)"),
    "DIFF implicit": (
        HEAD + BODY + PUSH + "DIF(1)\n",
        "DIFF/1\n, IC = 3, 2\n, IMPLICIT\n, FUNCTION = 5 + TIME - DIF(1) - 2*DIF1(1)",
    ),
    "LSE": (
        HEAD + BODY + PUSH + "ARYVAL(3, 1)\n" + ARRAYS + "ARRAY/4, IC, SIZE = 1, NUMBERS = 2\n" + SCALARS,
        "LSE/1\n, X = 1\n, U = 2\n, Y = 3\n, IC = 4\n, A = 1\n, B = 2\n, C = 3\n, D = 4",
    ),
    "TFSISO": (
        HEAD
        + BODY
        + PUSH
        + "ARYVAL(3, 1)\n"
        + ARRAYS
        + "ARRAY/5, IC, SIZE = 1, NUMBERS = 6\nARRAY/6, IC, SIZE = 2, NUMBERS = 7, 8\n",
        "TFSISO/1\n, X = 1\n, U = 2\n, Y = 3\n, NUMERATOR = 5\n, DENOMINATOR = 6",
    ),
    "SPLINE": (
        HEAD + BODY + PUSH + "CUBSPL(TIME*20, 0, 1)\n",
        "SPLINE/1\n, X = 0, 0.1, 0.2, 0.3, 0.4\n, Y = 1, 20, 5, 30, 4\n, LINEAR_EXTRAPOLATE",
    ),
    "SENSOR": (HEAD + BODY, "SENSOR/1\n, VALUE = 0.0312\n, GE\n, ERROR = 0.001\n, HALT\n, FUNCTION = TIME"),
    "REQUEST": (HEAD + BODY, "REQUEST/1\n, DISPLACEMENT\n, I = 21\n, J = 12\n, RM = 10"),
    "REQUEST of functions": (
        HEAD + BODY,
        "REQUEST/1\n, F2 = DX(21)\n, F3 = DY(21)\n, F4 = DZ(21)\n, F6 = VX(21)\n, F7 = VY(21)\n, F8 = VZ(21)",
    ),
    "MATRIX": (
        HEAD
        + BODY
        + PUSH
        + "ARYVAL(1, 1)\nARRAY/1, X, SIZE = 2\nLSE/1, X = 1, A = 1, IC = 2\nARRAY/2, IC, SIZE = 2, NUMBERS = 5, 6\n",
        "MATRIX/1\n, FULL = RORDER\n, ROWS = 2\n, COLUMNS = 2\n, VALUES = -1, 20, -3, -40",
    ),
}
#: what may stay without effect on this run, and why
IDLE = {
    ("PART", "EXACT"): "nothing has to move in the assembly",
    ("FRICTION revolute", "INACTIVE"): "no static analysis runs",
    ("FRICTION revolute", "MU_STATIC"): "EFFECT = SLIDING",
    ("FRICTION revolute", "TRANSITION_VELOCITY_COEFFICIENT"): "EFFECT = SLIDING",
    ("FRICTION revolute", "MAX_STICTION_DEFORMATION"): "EFFECT = SLIDING",
    ("VARIABLE", "IC"): "a first guess",
    ("DIFF", "IMPLICIT"): "explicit",
    ("SPLINE", "LINEAR_EXTRAPOLATE"): "changed below the run's end only",
    ("MOTION", "ROTATIONAL"): "the default",
    ("MOTION acceleration", "ROTATIONAL"): "the default",
    ("CONTACT", "IMPACT"): "the default",
    ("FIELD", "FORMULATION"): "the default",
    ("SENSOR", "GE"): "the value is crossed from below",
    ("SENSOR", "ERROR"): "the event is located at the value itself",
    ("MARKER by axes", "USEXP"): "ZP and XP are at right angles or both used",
}


def read(text):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = parse_adm(text + "END\n", "t.adm")
            run = hn.simulate(model, **RUN)
        except (ModelError, RuntimeError) as error:
            return None, {str(error)}
    arrays = {k: v for k, v in vars(run.data).items() if isinstance(v, np.ndarray) and k not in ("history",)}
    return arrays, {re.sub(r"[0-9.e-]+", "#", str(w.message)) for w in caught} | {
        re.sub(r"[0-9.e-]+", "#", w) for w in run.info["warnings"]
    }


def other(text):
    """An argument with another value; None for a flag, which is left out."""
    name, mark, given = text.partition("=")
    if not mark:
        return None
    words = {
        "FUNCTION": f"{given}+1.7",
        "EFFECT": "STICTION",
        "OVERLAP_DELTA": "DECREASE",
        "COULOMB_FRICTION": "OFF",
        "EXACT": "Y",
        "TYPE": "T, R",
        "INPUTS": "PRELOAD",
        "FULL": "CORDER",
        "FORMULATION": None,
        "INACTIVE": None,
    }
    key = name.strip()
    if key in words:
        return None if words[key] is None else f"{name}= {words[key]}"
    if key[0] in "FT" and len(key) == 2:
        return f"{name}={given}+1.7"
    if key in (
        "I",
        "J",
        "JOINT",
        "CM",
        "IM",
        "VM",
        "WM",
        "RM",
        "CV",
        "CURVE",
        "PART",
        "POINT_MASS",
        "JFLOAT",
        "JOINTS",
        "IGEOM",
        "JGEOM",
        "IC",
        "X",
        "U",
        "Y",
        "A",
        "B",
        "C",
        "D",
        "NUMERATOR",
        "DENOMINATOR",
        "ROWS",
        "COLUMNS",
    ) and re.fullmatch(r"[ 0-9,]*", given):
        return None if key in ("IM", "VM", "WM", "RM", "U", "IC", "B", "C", "D") else ""
    values = [
        f"{float(v.strip(' D')) * 1.37 + 0.011}{'D' if v.strip().endswith('D') else ''}" for v in given.split(",")
    ]
    return f"{name}= {', '.join(values)}"


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_another_value_changes_the_run_or_is_reported(name):
    rest, statement = CASES[name]
    head, *arguments = statement.split("\n, ")
    before, known = read(rest + statement + "\n")
    assert before is not None, known
    swallowed = []
    for k, text in enumerate(arguments):
        key = text.partition("=")[0].strip()
        new = other(text)
        if new == "":  # refers to an element that the statement cannot do without
            continue
        kept = [*arguments[:k], *([new] if new is not None else []), *arguments[k + 1 :]]
        after, told = read(rest + "\n, ".join([head, *kept]) + "\n")
        same = after is not None and all(np.array_equal(after[n], before[n]) for n in before)
        if (name, key) in IDLE:
            continue
        if same and not (told ^ known) and not any(f"{key} = #" in text for text in told):
            swallowed.append(text)
    assert not swallowed


#: statements that are not met here: why
ELSEWHERE = {
    **dict.fromkeys(("FLEX_BODY", "FE_PART", "MFORCE", "NFORCE"), "flexible bodies"),
    **dict.fromkeys(("PTCV", "CVCV", "CURVE"), "tests of curves"),
    **dict.fromkeys(("UCON", "GSE"), "user routines"),
    **dict.fromkeys(
        ("ARRAY", "STRING", "PINPUT", "POUTPUT", "PSTATE", "MATERIAL"), "data that others read, or outputs"
    ),
    **dict.fromkeys(("UNITS", "ACCGRAV", "INTEGRATOR", "EQUILIBRIUM", "KINEMATICS", "IC"), "settings"),
}


def test_every_statement_is_met_or_named():
    own = {
        k
        for k, s in grammar.STATEMENTS.items()
        if s.element is None or s.element.__module__.startswith("holonom.model.")
    }
    assert own - {name.split()[0] for name in CASES} - set(ELSEWHERE) - set(FORCES) == set()


def test_a_rack_along_the_axis_of_its_pinion_is_told_by_name():
    rest, statement = CASES["JOINT rack"]
    with pytest.raises(ModelError, match=r"JOINT/2 .*the pinion's axis, is along z of J"):
        hn.simulate(parse_adm(rest + statement.replace("J = 33", "J = 30") + "\nEND\n", "t.adm"), **RUN)
