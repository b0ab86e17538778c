"""Texts to begin with, and seeded damage to them: bytes, tokens, lines."""

from __future__ import annotations

import random
import re
from functools import lru_cache
from pathlib import Path

from ._drive import HOME

MODELS = HOME / "src" / "holonom" / "models"
#: public files next to the repository, where they are
SHARED = HOME.parent / "shared" / "data" / "adams"
LARGEST = 24_000  # characters of a seed: larger ones cost more than they find

#: parts, point mass and markers that random statements refer to
BASE = """gen
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=MM, TIME=SECOND
PART/1, GROUND
MARKER/1, PART=1
MARKER/2, PART=1, QP=300,0,0
PART/2, MASS=1, CM=21, IP=10,10,10, QG=0,50,0
MARKER/20, PART=2, QP=0,-50,0
MARKER/21, PART=2
MARKER/22, PART=2, QP=0,50,0
PART/3, MASS=2, CM=31, IP=10,20,20, QG=150,100,0
MARKER/30, PART=3, QP=-150,0,0
MARKER/31, PART=3
MARKER/32, PART=3, QP=150,0,0
POINT_MASS/4, MASS=1, CM=40, QG=9,9,9
MARKER/40, POINT_MASS=4
MARKER/9, PART=1, FLOATING
JOINT/1, REVOLUTE, I=20, J=1
JOINT/2, REVOLUTE, I=30, J=22
"""
#: one or two of most statements
MANY = (
    BASE
    + """JPRIM/1, INPLANE, I=32, J=2
MOTION/1, JOINT=1, ROTATION, FUNCTION=360D*TIME
COUPLER/1, JOINTS=1,2, TYPE=R:R, SCALES=-2
GEAR/1, JOINTS=1,2, CV=22
FRICTION/1, JOINT=1, MU_STATIC=.4, EFFECT=ALL, INPUTS=PRELOAD:REACTION_FORCE
MATRIX/1, FULL=RORDER, ROWS=4, COLUMNS=3, VALUES=0,0,0, 1,0,0, 1,1,0, 0,1,0
MATRIX/2, SPARSE, ROWS=2, COLUMNS=2, I=1,2, J=2,1, VALUES=1,-2
MATRIX/3, FULL=CORDER, ROWS=2, COLUMNS=1, VALUES=1,1
CURVE/1, CLOSED, MATRIX=1, CURVE_POINTS
PTCV/1, I=31, JFLOAT=9, RM=1, CURVE=1, DISP=1,0,0
SPLINE/1, X=0,1,2,3,4, Y=0,1,4,9,16
SPLINE/2, X=1,2,3,4, Y=0,1,2,3,4, Y=10,5,6,7,8, LINEAR
VARIABLE/1, IC=1, FUNCTION=AKISPL(TIME, 0, 1) + VARVAL(2)
VARIABLE/2, FUNCTION=DX(31, 1)/10
ARRAY/1, X
ARRAY/2, Y, SIZE=2
ARRAY/3, U, VARIABLES=2
ARRAY/4, IC, NUMBERS=1,2
ARRAY/5, X
ARRAY/6, Y, SIZE=1
LSE/1, X=1, U=3, Y=2, A=2, B=3, C=2, IC=4
TFSISO/1, X=5, U=3, Y=6, NUMERATOR=4, DENOMINATOR=4
DIFF/1, FUNCTION=-DIF(1) + VARVAL(1), IC=1
DIFF/2, IMPLICIT, FUNCTION=DIF1(2) - DIF(1), IC=0,1
GCON/1, FUNCTION=DX(32,1)**2 - 90000
SFORCE/1, TRANSLATIONAL, I=31, J=1, FUNCTION=-STEP(TIME, 0, 0, 1, 5)*VARVAL(2)
VFORCE/1, I=31, JFLOAT=9, RM=1, FX=1\\ FY=IF(TIME-1: 1, 2, 3)\\ FZ=0
GFORCE/1, I=31, JFLOAT=9, RM=1, FX=1\\ FY=2*TIME\\FZ=0\\ TX=0\\ TY=0\\ TZ=5
SPRINGDAMPER/1, TRANSLATIONAL, I=32, J=1, K=1, C=0.1, LENGTH=300
SPRINGDAMPER/2, ROTATIONAL, I=32, J=1, KT=1, CT=0.1, ANGLE=30D
BUSHING/1, I=31, J=2, K=1,1,1, KT=1,1,1
BEAM/1, I=31, J=22, LENGTH=100, AREA=10, IXX=1, IYY=1, IZZ=1, EMODULUS=1E3, GMODULUS=1E3
FIELD/1, I=31, J=2, FORCE=1,2,3,4,5,6
MATERIAL/1, DENSITY=7.8E-6, YOUNGS_MODULUS=2E5, POISSONS_RATIO=.3
GRAPHICS/1, BOX, CORNER=20, X=10, Y=10, Z=10
GRAPHICS/2, CYLINDER, CM=30, LENGTH=10, RADIUS=5
GRAPHICS/3, ELLIPSOID, CM=31, XSCALE=10, YSCALE=10, ZSCALE=10
GRAPHICS/4, PLANE, RM=1, XMIN=-100, XMAX=100, YMIN=-100, YMAX=100
GRAPHICS/5, TORUS, CM=21, MAJOR=10, MINOR=2
GRAPHICS/6, FRUSTUM, CM=21, TOP=1, BOTTOM=2, LENGTH=5
GRAPHICS/7, CURVE, CID=1, CRM=2
GRAPHICS/8, LINK, I=30, J=32, WIDTH=5, DEPTH=5
GRAPHICS/9, EXTERNAL, RM=21, FILE=a.xmt_txt, ELEMENT=s1
!adams_view_name='p'
!holonom_fields='{"arguments": {"profile": [[0, 0], [5, 0], [5, 5], [0, 5]], "bulge": [0, 0.1, 0, 0]}}'
GRAPHICS/10, EXTRUSION, CM=21, LENGTH=3
!holonom_fields='{"arguments": {"vertices": [[0,0,0],[9,0,0],[0,9,0],[0,0,9]], "triangles": [[0,2,1],[0,1,3],[0,3,2],[1,2,3]]}}'
GRAPHICS/11, MESH, CM=32
CONTACT/1, IGEOM=1,2, JGEOM=4, IMPACT, STIFFNESS=1E3, DAMPING=1, DMAX=.1, EXPONENT=1.5, COULOMB=ON, MU_STATIC=.3, MU_DYNAMIC=.2, STICTION_TRANS=1, FRICTION_TRANS=10
CONTACT/2, IGEOM=3, JGEOM=11, POISSON, PENALTY=1E3, RESTITUTION=.5
SENSOR/1, FUNCTION=TIME, GE, VALUE=1, HALT, ERROR=1E-3
REQUEST/1, FORCE, I=20, J=1, RM=2, COMMENT=a b
REQUEST/2, F2=DX(20)\\F3=JOINT(1,0,2,0)\\, CNAMES="a", b
STRING/1, STRING = a, b = c
ACCGRAV/JGRAV=-9806.65
INTEGRATOR/GSTIFF, ERROR=1.0D-4, PATTERN=T:F
END
"""  # noqa: E501
)
SCRIPT = (
    "m\nout\nint/hht, err=1E-7\nVARIABLE/1, FUNC= -step5(time,0,0,2,20*PI) &\n +1\nsim/dyn, end=2, dtout=.1\n"
    "DEACTIVATE/JOINT, ID=1, RANGE=3,9\nACT/SENSOR\nLINEAR/EIGENSOL, COORDS=1, 2\nsim/stat\nACCGRAV/JGRAV=0\n"
    "EQUIL/MAXIT=90, ALIMIT=10D\nSAVE/SYSTEM, FILE=a\nsim/kin, dur=1, steps=9\nOUTPUT/REQSAVE\nstop\n"
)
COMMANDS = """model create model_name = m title = "a"
defaults units length = mm force = newton mass = kg time = second angle = deg
variable create variable_name = DV_1 real_value = 12.5
variable create variable_name = n integer_value = (2**3 + INT(3.7))
variable set variable_name = $s string_value = (eval("A" // RTOI(n)))
part create rigid_body name_and_position part_name = .m.A adams_id = 2 location = (DV_1), 0, (1inch) orientation = 90d, 0, 0
part create rigid_body mass_properties part_name = .m.A mass = 1 center_of_mass_marker = .m.A.cm ixx = 1 iyy = 1 izz = 1
marker create marker_name = .m.A.cm location = 0, 0, 0
marker create marker_name = .m.A.i location = (LOC_RELATIVE_TO({1, 0, 0}, .m.A.cm)) orientation = (ORI_ALONG_AXIS(.m.A.cm, .m.A.cm, "z"))
part create rigid_body mass_properties part_name = .m.A mass = 1 center_of_mass_marker = .m.A.cm ixx = 1 iyy = 1 izz = 1
part create point_mass name_and_position point_mass_name = .m.P location = 1, 2, 3
marker create marker_name = .m.ground.j location = 1, 0, 0 relative_to = .m.A
floating_marker create floating_marker_name = .m.ground.f
if condition = (n > 3 && DB_EXISTS(".m.A"))
constraint create joint revolute joint_name = .m.J1 i_marker_name = .m.A.i j_marker_name = .m.ground.j
elseif condition = (n < 0)
constraint create joint fixed joint_name = .m.J1 i_marker_name = .m.A.i j_marker_name = .m.ground.j
else
constraint create joint spherical joint_name = .m.J1 i_part_name = .m.A j_part_name = .m.ground location = 1,2,3
end
for variable_name = i start_value = 1 end_value = 3 increment_value = 1
marker create marker_name = (eval(".m.A.x" // RTOI(i))) location = (i*2), 0, (1inch)
while condition = (n > 0)
variable set variable_name = n integer_value = (n - 1)
end
end
constraint create motion_generator motion_name = .m.M joint_name = .m.J1 function = "30d * time"
force create direct single_component_force single_component_force_name = .m.F i_marker_name = .m.A.i j_marker_name = .m.ground.j &
 function = "DX(.m.A.i)", "+1*DV_1"
force create element_like translational_spring_damper spring_damper_name = .m.S i_marker_name = .m.A.i j_marker_name = .m.ground.j &
 stiffness = 1.0(newton/mm) damping = (STOI("2")) displacement_at_preload = 5
force create element_like bushing bushing_name = .m.B i_marker_name = .m.A.i j_marker_name = .m.ground.j stiffness = 1,2,3 damping=0,0,0 &
 tstiffness = 1,1,1 tdamping = 0,0,0
geometry create shape block block_name = .m.A.b corner_marker = .m.A.cm diag_corner_coords = 1, 2, 3
geometry create shape cylinder cylinder_name = .m.ground.c center_marker = .m.ground.j length = 5 radius = 2 angle_extent = 360
contact create contact_name = .m.C i_geometry_name = .m.A.b j_geometry_name = .m.ground.c stiffness = 1E5 damping = 1 dmax = .1 exponent = 1.5
data_element create spline spline_name = .m.sp x = 1, 2, 3, 4 y = 1, 2, 3, 4
data_element create variable variable_name = .m.v function = "AKISPL(TIME, 0, .m.sp)"
data_element create matrix full matrix_name = .m.mat row_count = 2 column_count = 2 values = 1, 2, 3, 4
data_element create array u_input_array array_name = .m.u size = 1 variable_name = .m.v
data_element create array x_state_array array_name = .m.x size = 2
part create equation differential_equation differential_equation_name = .m.d initial_condition = 1 function = "-DIF(.m.d)"
force create body gravitational gravity_field_name = g x_component_gravity = 0 y_component_gravity = -9806.65 z_component_gravity = 0
executive_control set numerical_integration_parameters model_name = .m error = 1E-4 integrator_type = gstiff
simulation script create sim_script_name = .m.sc solver_commands = "simulate/dynamic, end=1, steps=10"
"""  # noqa: E501

ODD = [
    "\\", "&", ",", "=", "(", ")", '"', "'", "!", "/", ":", "-", "D", "1e999", "9" * 400, "\x00", "\xff", "\u2028",
    "\t", "..", "**", "{", "}",
    "%s", "NaN", "inf", "-0", "0x1", "1_000", "\n,", "\n", ", ,", "END", "-1", "99999999999999999999", "1e15", "F1=",
    "(" * 300, "0", "1E300",
    "1E-300", "1E30", "1.5", "ABC", "-1E300", "<script>", "[]", "null", "true", "90D", "9**9**9", "$", "#",
    "1e308*1e308", "2147483648", ".m", "eval(",
    "\u0663", "\u00b2", "''", "while condition=(1)\nend\n", "\r", "e", "1/0",
]  # fmt: skip


def damage(text: str, rng: random.Random) -> str:
    """One to four wounds."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        kind = rng.randrange(13)
        if kind == 3:
            text = text[: rng.randrange(len(text) + 1)]
            continue
        if kind == 7:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(ODD) + text[at:]
            continue
        if kind == 8:
            tokens = re.findall(r"\w+", text)
            if tokens:
                text = text.replace(rng.choice(tokens), rng.choice(tokens), rng.randint(1, 3))
            continue
        if kind == 10:  # a number becomes another
            found = list(re.finditer(r"[-+]?\d+(?:\.\d*)?(?:[EeDd][-+]?\d+)?", text))
            if found:
                m = rng.choice(found)
                text = (
                    text[: m.start()]
                    + rng.choice(ODD + ["1", "2", "20", "21", "0.5", "1e100", "-1e100", "1e-100"])
                    + text[m.end() :]
                )
            continue
        if kind == 11:  # bytes
            raw = bytearray(text, "latin-1", "replace")
            for _ in range(rng.randint(1, 8)):
                if raw:
                    raw[rng.randrange(len(raw))] = rng.randrange(256)
            text = raw.decode("latin-1")
            continue
        lines = text.split("\n")
        k = rng.randrange(len(lines))
        if kind == 0:
            del lines[k]
        elif kind == 1:
            lines.insert(k, lines[rng.randrange(len(lines))])
        elif kind == 2:
            m = rng.randrange(len(lines))
            lines[k], lines[m] = lines[m], lines[k]
        elif kind in (4, 5, 6, 12):
            tokens = re.findall(r"\w+|\W", lines[k])
            if tokens:
                m = rng.randrange(len(tokens))
                if kind == 4:
                    del tokens[m]
                elif kind == 5:
                    tokens[m] = rng.choice(ODD)
                elif kind == 6:
                    rng.shuffle(tokens)
                else:
                    tokens[m] = rng.choice(re.findall(r"\w+", text) or [""])
            lines[k] = "".join(tokens)
        else:
            lines[k] = lines[k] * rng.randint(2, 30)
        text = "\n".join(lines) or "\n"
    return text


def _files(folder: Path, pattern: str) -> tuple[str, ...]:
    found = (path.read_text(encoding="latin-1") for path in sorted(folder.glob(pattern)))
    return tuple(text for text in found if len(text) <= LARGEST)


@lru_cache(maxsize=1)
def datasets() -> tuple[str, ...]:
    return (MANY, *_files(MODELS, "*.adm"))


@lru_cache(maxsize=1)
def small() -> tuple[str, ...]:
    """Machines of joints and springs, whose kernels are few."""
    return tuple(
        (MODELS / f"{name}.adm").read_text() for name in ("double_pendulum", "heavy_top", "quarter_car", "slider_crank")
    )


@lru_cache(maxsize=1)
def scripts() -> tuple[str, ...]:
    return (SCRIPT, *_files(MODELS, "*.acf"))


@lru_cache(maxsize=1)
def foreign() -> dict[str, tuple[str, ...]]:
    """Public files by their ending; empty where they are not."""
    return {kind: _files(SHARED, f"**/*.{kind}") for kind in ("adm", "acf", "cmd")}
