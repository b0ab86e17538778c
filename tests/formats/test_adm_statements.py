# ruff: noqa: E501  (datasets inline)
"""Every form of statement on small datasets: what is read, and that it is written back."""

import math

import pytest
from _adams_data import plain

from holonom.formats import parse_adm, write_adm
from holonom.model import Model

BASE = """title of the model
PART/1, GROUND
PART/2, MASS = 2, CM = 20, IP = 1, 1, 1
MARKER/10, PART = 1
MARKER/11, PART = 1, FLOATING
MARKER/20, PART = 2
MARKER/21, PART = 2
"""


def read(text, base=BASE, **more):
    model = parse_adm(base + text + "\nEND\n", "t.adm", **more)
    again = parse_adm(write_adm(model), "t.adm", **more)
    assert plain(again) == plain(model)
    return model


def one(text, kind, number=1, **more):
    return read(text, **more).table(kind)[number]


# ---- layout -------------------------------------------------------------------------------------------------------


def test_title_names_comments_and_units():
    model = parse_adm(
        "Adams View model name: swing ! not a comment\n"
        "!   adams_view_name='ground'\n"
        "PART/01, GROUND ! behind a statement\n"
        "!\n!   adams_view_name='stiff'\n!  adams_view_units='force'\n"
        "MATRIX/7\n, FULL = RORDER, ROWS = 1\n! between\n\n   , COLUMNS = 2, VALUES = 1,\n, 2\n"
        "END\n"
    )
    assert model.title.startswith("Adams View model name: swing") and model.name.startswith("swing")
    assert model.parts[1].name == "ground" and model.parts[1].source.line == 3
    matrix = model.table("MATRIX")[7]
    assert (matrix.name, matrix.view_units, matrix.values, matrix.source.line) == ("stiff", "force", (1.0, 2.0), 7)
    assert plain(parse_adm(write_adm(model))) == plain(model)


def test_case_abbreviations_and_several_arguments_on_a_line():
    model = read("joint/1, rev, i=020, J=10\nSpring/1, TRANS, I=20, J=10, K=3, C=.5\nmot/1,joi=1,rot,func=90d*time\n")
    assert model.joints[1].type == "REVOLUTE" and (model.joints[1].i, model.joints[1].j) == (20, 10)
    assert model.table("SPRINGDAMPER")[1].k == 3.0 and model.table("SPRINGDAMPER")[1].c == 0.5
    assert model.table("MOTION")[1].function == "90d*time" and model.table("MOTION")[1].kind == "ROTATIONAL"
    request = one("REQUEST/3, A,I=20,J=10,C=ACCELERATION X, Y Z (m/s)", "REQUEST", 3)
    assert request.kind == "ACCELERATION" and request.comment == "ACCELERATION X, Y Z (m/s)"
    for letter, kind in (("D", "DISPLACEMENT"), ("V", "VELOCITY"), ("F", "FORCE")):
        assert one(f"REQUEST/1,{letter},I=20,J=10", "REQUEST").kind == kind


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_encodings(end):
    text = (BASE + "! gr\u00f6\u00dfe\nJOINT/1, FIXED\n, I = 20, J = 10\nEND\n").replace("\n", end)
    for data in (text, text.encode("utf-8"), text.encode("latin-1"), b"\xef\xbb\xbf" + text.encode("utf-8")):
        assert parse_adm(data).joints[1].type == "FIXED"


def test_ampersand_and_comma_continue():
    joined = one("VARIABLE/1, IC = 2, FUNCTION = SIN(TIME) &\n + 2*MAX(1,&\n2)", "VARIABLE")
    assert joined.function == "SIN(TIME) + 2*MAX(1,2)" and joined.ic == 2.0
    glued = one("VARIABLE/1 &\n, FUNCTION=DX(2&\n0) * &\n, (STEP(TIME,0,0,1,1))", "VARIABLE")
    assert glued.function == "DX(20) * (STEP(TIME,0,0,1,1))"


def test_commas_at_the_start_of_lines_inside_functions():
    text = "VARIABLE/1, FUNCTION = IF( TIME - 1:\n, STEP( TIME, 0,\n, 0, 1, 1), 2,\n,   3)\n, -2*TIME"
    assert one(text, "VARIABLE").function == "IF( TIME - 1: STEP( TIME, 0, 0, 1, 1), 2, 3) -2*TIME"
    missing = "VARIABLE/1, FUNCTION = STEP(TIME, 0\n, 0, 1, 1)"  # the comma is continuation and separator at once
    assert one(missing, "VARIABLE").function == "STEP(TIME, 0, 0, 1, 1)"


def test_backslash_separates_functions():
    force = one(
        "GFORCE/1, I=20, JFLOAT=11, RM=10, FX=1\\ FY=2*TIME\\FZ=SIN(TIME)\n, +1\\\n, TX=0\\ TY=0\\ TZ=5", "GFORCE"
    )
    assert (force.fx, force.fy, force.fz, force.tz) == ("1", "2*TIME", "SIN(TIME) +1", "5")
    request = one("REQUEST/1, F2=DX(20)\\F3=DY(20)\\\n, F4=1\\, TITLE = a:b:c", "REQUEST")
    assert request.functions == {"F2": "DX(20)", "F3": "DY(20)", "F4": "1"} and request.title == "a:b:c"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.0D+03", 1000.0),
        ("1d-2", 0.01),
        ("2.5E3", 2500.0),
        (".5", 0.5),
        ("-3.", -3.0),
        ("+4", 4.0),
        ("90D", math.pi / 2),
        ("-30.0d", -math.pi / 6),
        ("1D3", 1000.0),
        ("1.5E1D", math.radians(15.0)),
        ("0D", 0.0),
    ],
)
def test_numbers(text, value):
    assert one(f"SPRINGDAMPER/1, ROT, I=20, J=10, ANGLE = {text}", "SPRINGDAMPER").angle == pytest.approx(
        value, rel=1e-15
    )


def test_degrees_are_written_as_degrees_where_exact():
    model = read("MARKER/30, PART = 2, REULER = 120D, 38.65980825D, 245.7324904D\n")
    assert model.markers[30].reuler == tuple(map(math.radians, (120, 38.65980825, 245.7324904)))
    assert ", REULER = 120D, 38.65980825D, 245.7324904D" in write_adm(model)
    model = read("MARKER/30, PART = 2, REULER = 0.1, 0.2, 0.3\n")
    assert model.markers[30].reuler == (0.1, 0.2, 0.3)


def test_deactivated_elements_survive():
    model = read("JOINT/1, FIXED, I=20, J=10\n")
    model.joints[1].active = False
    again = parse_adm(write_adm(model), "t.adm")
    assert again.joints[1].active is False and plain(again) == plain(model)


# ---- statements ------------------------------------------------------------------------------------------------------


def test_part_and_point_mass():
    part = one(
        "PART/3, MASS=1.5, CM=30, IM=31, IP=1,2,3,.1,.2,.3, QG=1,2,3, REULER=90D,0,0, EXACT=X:Y:PSI, VX=1, WZ=-2, "
        "VM=10, WM=10"
        "\nMARKER/30, PART=3\nMARKER/31, PART=3",
        "PART",
        3,
    )
    assert (
        part.ip == (1, 2, 3, 0.1, 0.2, 0.3)
        and part.exact == ("X", "Y", "PSI")
        and (part.vx, part.vy, part.wz) == (1, None, -2)
    )
    assert part.reuler == (math.pi / 2, 0, 0) and part.vm == 10 and part.im == 31
    part = one("PART/3, QG=1,2,3, ZG=1,2,4, XG=2,2,3", "PART", 3)
    assert part.zg == (1, 2, 4) and part.xg == (2, 2, 3)
    mass = one("POINT_MASS/1, MASS=3, CM=30, QG=1,0,0, EXACT=X, VY=2\nMARKER/30, POINT_MASS=1", "POINT_MASS")
    assert mass.mass == 3 and mass.vy == 2


def test_markers_before_and_after_their_part():
    model = read("MARKER/40, PART = 4, QP = 1, 2, 3, ZP = 0, 0, 1, XP = 1, 0, 0, USEXP\nPART/4, MASS = 1\n")
    marker = model.markers[40]
    assert marker.usexp and marker.zp == (0, 0, 1) and marker.part == 4
    flexible = read(
        "FLEX_BODY/1\n, MATRICES = 1, 2, 3\n, CRATIO = 0.2\\\n, MNF_FILE = mdids://data/flex.tbl/a.mnf\nMARKER/41, "
        "FLEX_BODY = 1, NODE_ID = 7"
    )
    assert flexible.table("FLEX_BODY")[1].arguments == (
        ("MATRICES", "1, 2, 3"),
        ("CRATIO", "0.2"),
        ("MNF_FILE", "mdids://data/flex.tbl/a.mnf"),
    )
    assert flexible.markers[41].body_kind == "FLEX_BODY" and flexible.markers[41].node_id == 7


def test_joints_and_primitives():
    for text, field, value in (
        ("REVOLUTE, I=20, J=10, IC=10D, 2", "icrot", (math.radians(10), 2.0)),
        ("TRANSLATIONAL, I=20, J=10, IC=1", "ictran", (1.0, None)),
        ("CYLINDRICAL, I=20, J=10, ICTRAN=, 3, ICROT=1, 2", "ictran", (None, 3.0)),
        ("SCREW, I=20, J=10, PITCH=5", "pitch", 5.0),
        ("RACKPIN, I=20, J=10, PD=.1", "pd", 0.1),
        ("CONVEL, I=20, J=10", "type", "CONVEL"),
        ("HOOKE, I=20, J=10", "type", "HOOKE"),
        ("PLANAR, I=20, J=10", "type", "PLANAR"),
        ("UNIVERSAL, I=20, J=10", "type", "UNIVERSAL"),
        ("SPHERICAL, I=20, J=10", "type", "SPHERICAL"),
    ):
        assert getattr(one(f"JOINT/1, {text}", "JOINT"), field) == value
    for kind in ("ATPOINT", "INLINE", "INPLANE", "ORIENTATION", "PARALLEL_AXES", "PERPENDICULAR"):
        assert one(f"JPRIM/1, I=20, J=10, {kind}", "JPRIM").type == kind


JOINTS = "JOINT/1, REVOLUTE, I=20, J=10\nJOINT/2, TRANSLATIONAL, I=20, J=10\nJOINT/3, REVOLUTE, I=20, J=10\n"


def test_couplers_gears_motions_friction():
    coupler = one(JOINTS + "COUPLER/1, JOINTS=1,2, TYPE=R:T, SCALES=-2", "COUPLER")
    assert coupler.scales == (1.0, -2.0) and coupler.types == ("R", "T")
    coupler = one(JOINTS + "COUPLER/1, JOINTS=1,2,3, SCALES=1,2,3", "COUPLER")
    assert coupler.scales == (1, 2, 3)
    coupler = one(JOINTS + "COUPLER/1, JOINTS=1,2, FUNCTION=USER(1,2)\\, ROUTINE=a::b, c::d, e::f", "COUPLER")
    assert coupler.function == "USER(1,2)" and coupler.routine == "a::b, c::d, e::f"
    assert one(JOINTS + "GEAR/1, JOINTS=1,3, CV=10", "GEAR").cv == 10
    motion = one(JOINTS + "MOTION/1, JOINT=2, FUNC=TIME", "MOTION")
    assert motion.kind == "TRANSLATIONAL"  # from the joint
    motion = one(JOINTS + "MOTION/1, I=20, J=10, B3, VELOCITY, ICDISP=90D, FUNCTION=1", "MOTION")
    assert (motion.component, motion.kind, motion.level, motion.icdisp) == ("B3", "ROTATIONAL", "VELOCITY", math.pi / 2)
    friction = one(
        JOINTS + "FRICTION/1, JOINT=1, MU_STATIC=.4, EFFECT=STICTION, INPUTS=PRELOAD:BENDING_MOMENT, PIN_RADIUS=2,"
        " FRICTION_TORQUE_PRELOAD=7, INACTIVE=STATIC",
        "FRICTION",
    )
    assert (
        friction.effect == "STICTION"
        and friction.inputs == ("PRELOAD", "BENDING_MOMENT")
        and friction.torque_preload == 7
    )
    friction = one(
        JOINTS + "FRICTION/1, JOINT=1, INPUTS=NONE, FORMULATION=LUGRE, BRISTLE_STIFFNESS=1e3, ZEBRA=2", "FRICTION"
    )
    assert (
        friction.inputs == ()
        and friction.formulation == "LUGRE"
        and friction.bristle_stiffness_coefficient == 1e3
        and friction.extra == (("ZEBRA", "2"),)
    )


CURVES = (
    "MATRIX/5, FULL=RORDER, ROWS=4, COLUMNS=3, VALUES=0,0,0,1,0,0,2,1,0,3,0,0\nCURVE/5, CLOSED, MATRIX=5, "
    "CONTROL_POINTS, ORDER=3\nCURVE/6, OPEN, MATRIX=5\n"
)


def test_curves_and_their_constraints():
    model = read(
        CURVES + "PTCV/1, I=20, JFLOAT=11, RM=10, CURVE=5, DISP=1,2,3, VEL=4\n"
        "CVCV/1, IFLOAT=11, JFLOAT=11, IRM=10, JRM=20, ICURVE=5, JCURVE=6, IDISP=1,0,0"
    )
    point = model.table("PTCV")[1]
    assert point.ic == (1, 2, 3) and point.velocity_ic == 4 and point.curve == 5
    assert model.table("CVCV")[1].i_ic == (1, 0, 0) and model.table("CVCV")[1].jcurve == 6
    curve = model.table("CURVE")[5]
    assert curve.closed and curve.points == "CONTROL" and curve.order == 3
    user = one("CURVE/1, OPEN, MINPAR=0, MAXPAR=1, FUNCTION=USER(0)\\\n, ROUTINE=lib::sub", "CURVE")
    assert user.function == "USER(0)" and user.routine == "lib::sub"


def test_general_and_user_constraints():
    assert one("GCON/1\n, I = 0020, FUNCTION = DM(0020, 0010)-2", "GCON").function == "DM(0020, 0010)-2"
    assert one("UCON/1, FUNCTION=USER(1)", "UCON").function == "USER(1)"


def test_forces():
    force = one("SFORCE/1, ROTATION, ACTIONONLY, I=20, J=10, FUNCTION=USER(1, 2)\\, ROUTINE=lib::sub", "SFORCE")
    assert (force.kind, force.actiononly, force.function, force.routine) == (
        "ROTATIONAL",
        True,
        "USER(1, 2)",
        "lib::sub",
    )
    assert one("VFORCE/1, I=20, JFLOAT=11, RM=10, FX=1\\FY=2\\FZ=3", "VFORCE").fz == "3"
    assert one("VTORQUE/1, I=20, JFLOAT=11, FUNCTION=USER(3)", "VTORQUE").function == "USER(3)"
    bushing = one("BUSHING/1, I=20, J=10, K=1,2,3, C=4,5,6, KT=7,8,9, CT=1,1,1, FORCE=1,0,0, TORQUE=0,0,2", "BUSHING")
    assert bushing.kt == (7, 8, 9) and bushing.torque == (0, 0, 2)
    beam = one(
        "BEAM/1, I=20, J=10, LENGTH=1, IXX=1, IYY=2, IZZ=3, AREA=4, ASY=1.2, EMODULUS=5, GMODULUS=6, CMATRIX="
        + ",".join(map(str, range(1, 22)))
        + ", FORMULATION=NONLINEAR",
        "BEAM",
    )
    assert beam.asy == 1.2 and beam.formulation == "NONLINEAR"
    assert beam.cmatrix[:7] == (1, 2, 3, 4, 5, 6, 2) and beam.cmatrix[35] == 21


def test_field_matrices_are_given_by_columns():
    columns = ", ".join(str(10 * (r + 1) + c + 1) for c in range(6) for r in range(6))
    field = one(f"FIELD/1, I=20, J=10, KMATRIX={columns}, CRATIO=.1, FORCE=1,2,3,4,5,6, LENGTH=1,0,0,90D,0,0", "FIELD")
    assert field.kmatrix == tuple(float(10 * (r + 1) + c + 1) for r in range(6) for c in range(6))
    assert field.force == (1, 2, 3) and field.torque == (4, 5, 6) and field.length[3] == math.pi / 2


def test_contact_and_graphics():
    text = (
        "GRAPHICS/1, CYLINDER, CM=20, LENGTH=2, RADIUS=.5, RANGLE=360D, SIDES=20\nGRAPHICS/2, BOX, COR=20, X=1, Y=2, "
        "Z=3.5\n"
        "GRAPHICS/3, OUTLINE=20, 21, 20\nGRAPHICS/4, FRUSTUM, CM=20, LENGTH=1, TOP=2, BOTTOM=3\n"
        "GRAPHICS/5, EXTERNAL, RM=20, FILE=my file, v2.shl, ELEMENT=SOLID 1\nGRAPHICS/6, FORCE, ETYPE=SFORCE, EID=1, "
        "EMARKER=20\n"
        "CONTACT/1, TYPE=SOLID_TO_SOLID, IGEOM=1, JGEOM=2,3, POISSON, PENALTY=1e5, RESTITUTION_COEFFICIENT=.8, "
        "COULOMB_FRICTION=OFF\n"
        "CONTACT/2, IGEOM=1, JGEOM=2, IMPACT, STIFFNESS=1, DAMPING=2, DMAX=3, EXPONENT=2.2, COULOMB_FRICTION=ON, "
        "MU_STATIC=.3"
    )
    model = read(text)
    graphics = model.table("GRAPHICS")
    assert graphics[1].arguments == {"cm": 20, "length": 2, "radius": 0.5, "rangle": 2 * math.pi, "sides": 20}
    assert graphics[2].arguments["corner"] == 20 and graphics[3].arguments == {"points": (20, 21, 20)}
    assert graphics[5].arguments == {"rm": 20, "file": "my file, v2.shl", "element": "SOLID 1"}
    assert graphics[6].arguments == {"etype": "SFORCE", "eid": 1, "emarker": 20} and graphics[6].type == "FORCE"
    contact = model.table("CONTACT")[1]
    assert contact.model == "POISSON" and contact.restitution == 0.8 and contact.jgeom == (2, 3)
    assert contact.type == "SOLID_TO_SOLID" and not contact.arguments and model.table("CONTACT")[2].exponent == 2.2


def test_states_and_data():
    model = read(
        "VARIABLE/1, FUNCTION=TIME\nVARIABLE/2, FUNCTION=USER(1)\\, ROUTINE=a::b\nDIFF/1, IC=1,2, IMPLICIT, "
        "STATIC_HOLD, FUNCTION=DIF1(1)-TIME\n"
        "ARRAY/1, X, SIZE=2\nARRAY/2, U, SIZE=1, VARIABLES=1\nARRAY/3, Y\nARRAY/4, IC, SIZE=2, NUMBERS=1,2\nARRAY/5, "
        "NUMBERS=1,1\n"
        "ARRAY/6, X\nARRAY/7, Y\nMATRIX/1, FULL=CORDER, ROWS=2, COLUMNS=3, VALUES=1,2,3,4,5,6\n"
        "MATRIX/2, SPARSE, ROWS=2, COLUMNS=2, I=1,2, J=2,1, VALUES=5,-7\nMATRIX/3, FILE=a b.mtx, NAME=R_MODE\n"
        "LSE/1, X=1, U=2, Y=3, IC=4, A=2, B=2, C=2, D=2, STATIC_HOLD\nTFSISO/1, X=6, U=2, Y=7, NUMERATOR=5, "
        "DENOMINATOR=4\n"
        "GSE/1, NS=2, NO=1, X=1, U=2, Y=3, IC=4, FUNCTION=USER(1)\\, ROUTINE=lib::f\nSTRING/1, STRING = "
        "mdids://a/tires.tbl/x.tir\n"
        "PINPUT/1, VARIABLES=1,2\nPOUTPUT/1, VAR=2\n"
    )
    assert model.table("MATRIX")[1].values == (1, 3, 5, 2, 4, 6)
    assert model.table("MATRIX")[2].values == (0, 5, -7, 0) and model.table("MATRIX")[2].order == "SPARSE"
    assert (model.table("MATRIX")[3].file, model.table("MATRIX")[3].file_name) == ("a b.mtx", "R_MODE")
    assert model.table("DIFF")[1].ic == (1, 2) and model.table("DIFF")[1].implicit
    assert model.table("ARRAY")[5].kind == "IC" and model.table("ARRAY")[2].variables == (1,)
    assert model.table("TFSISO")[1].numerator == 5 and model.table("STRING")[1].text == "mdids://a/tires.tbl/x.tir"
    assert model.table("PINPUT")[1].variables == (1, 2) and model.table("GSE")[1].routine == "lib::f"


def test_splines():
    curve = one("SPLINE/1\n, X = 1, 2,\n, 3, 4\n, Y = 1, 4\n, 9, 16\n, LINEAR_EXTRAPOLATE", "SPLINE")
    assert curve.x == (1, 2, 3, 4) and curve.y == ((1, 4, 9, 16),) and curve.linear_extrapolate and curve.z == ()
    surface = one("SPLINE/1, X=1,2,3,4, Y=0, 1,2,3,4, Y=10, 5,6,7,8", "SPLINE")
    assert surface.z == (0, 10) and surface.y == ((1, 2, 3, 4), (5, 6, 7, 8))
    assert one("SPLINE/1, FILE=a.csv, BLOCK=b1", "SPLINE").file == "a.csv"


def test_requests_and_sensors():
    request = one(
        'REQUEST/1, CNAMES="a, b", "c (d)"\n, "", CUNITS = "mm", no_units, RESULTS_NAME = my res, F1=DX(20)\\F2=1',
        "REQUEST",
    )
    assert (
        request.cnames == ("a, b", "c (d)", "")
        and request.cunits == ("mm", "no_units")
        and request.results_name == "my res"
    )
    assert one("REQUEST/1, FUNCTION=USER(1,2)\\, ROUTINE=l::r, TITLE=x", "REQUEST").function == "USER(1,2)"
    sensor = one(
        "SENSOR/1, FUNCTION=TIME\\, VALUE=1, ERROR=1e-4, LE, HALT, EVALUATE=DX(20)\\, DT=.1, BISECTION", "SENSOR"
    )
    assert (sensor.comparison, sensor.halt, sensor.evaluate, sensor.dt, sensor.bisection) == (
        "LE",
        True,
        "DX(20)",
        0.1,
        True,
    )


def test_settings():
    model = read(
        "UNITS/FORCE=KNEWTON, MASS=KILOGRAM, LENGTH=MM, TIME=SECOND\nACCGRAV/JGRAV=-9806.65\n"
        "INTEGRATOR/GSTIFF, SI2, ERROR=1.0D-04, HMAX=.01, INTERPOLATE=ON, PATTERN=T:F:T, ALPHA=-.1\n"
        "EQUILIBRIUM/ERROR=1, TLIMIT=2, ALIMIT=10D, MAXIT=50, STAB=.1, IMBALANCE=3\nKINEMATICS/HMAX=.1, "
        "MAXIT=7\nIC/VERROR=1e-5, AMAXIT=3\n"
        "OUTPUT/REQSAVE, "
        "GRSAVE\nRESULTS/XRF\nPREFERENCES/NTHREADS=8\nDEBUG/EPRINT\nLSOLVER/CALAHAN\nENVIRONMENT/NAME=A, VALUE=off\n"
    )
    assert (
        model.units.force == "KILONEWTON" and model.units.length == "MILLIMETER" and model.gravity == (0, -9806.65, 0)
    )
    assert (
        model.integrator.kind == "GSTIFF"
        and model.integrator.formulation == "SI2"
        and model.integrator.pattern == (True, False, True)
    )
    assert model.integrator.interpolate and model.integrator.alpha == -0.1 and model.integrator.extra == ()
    assert model.equilibrium.alimit == math.radians(10) and model.equilibrium.stability == 0.1
    assert model.kinematics.hmax == 0.1 and model.initial.verror == 1e-5
    assert model.preferences["OUTPUT"] == (("REQSAVE", ""), ("GRSAVE", "")) and model.preferences["ENVIRONMENT"] == (
        ("NAME", "A"),
        ("VALUE", "off"),
    )


def test_foreign_statements_are_kept():
    model = read(
        "TIRE/1, I=20, J=10, FILE=a.tir\nFE_NODE/1, LABEL=3, QG=1, 2, 3\nSURFACE/4, A=1\nPTSF/4, I=20\nCVSF/4, "
        "I=20\nMFORCE/2, I=20, JFLOAT=11\n"
        "MFORCE/1, FLEX_BODY=1, FUNCTION=USER(1)"
    )
    foreign = {f.statement: f for f in model.table("FOREIGN").values()}
    assert (
        foreign["TIRE"].needed
        and not foreign["FE_NODE"].needed
        and foreign["SURFACE"].needed
        and foreign["PTSF"].number == 4
    )
    assert foreign["FE_NODE"].arguments == (("LABEL", "3"), ("QG", "1, 2, 3"))
    assert model.table("MFORCE")[2].arguments == (("I", "20"), ("JFLOAT", "11"))


# ---- builder models --------------------------------------------------------------------------------------------------


def built() -> Model:
    model = Model("two words", units="mm")
    model.gravity = (0.0, 0.0, -9806.65)
    link = model.part(
        "link",
        1.5,
        (1, 2, 3, 0.1, 0.2, 0.3),
        (1.1, 2, 3),
        euler=(0.1, 0.2, 0.3),
        velocity=(1, 2, 3),
        angular_velocity=(0, 0, 1),
    )
    ball = model.point_mass("ball", 0.1, (0, 0, 1))
    pin = model.revolute(link, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 1))
    model.spherical(ball, link, at=(0, 0, 1), axis=(0, 0, 1))
    model.motion(
        pin, "10*TIME + STEP(TIME, 0, 0, 1, 1)*SIN(2*PI*TIME)*MAX(0.0, TIME)*MIN(TIME, 3)*EXP(-TIME)*(TIME - 1)"
    )
    m1, m2 = model.marker(link, (0, 0, 1)), model.marker(model.ground, (0, 0, 5))
    model.spring_damper(m1, m2, stiffness=3.0, damping=0.1, length=2.0)
    model.sforce(m1, m2, "-1.5*(DM(1,2)-3)" + "*(1+0*TIME)" * 30)
    model.graphic("CYLINDER", cm=m1.id, length=3.0, radius=1)
    return model


def test_builder_models_survive_adm():
    model = built()
    text = write_adm(model)
    again = parse_adm(text)
    assert plain(again) == plain(model)
    assert max(map(len, text.split("\n"))) < 80


def test_write_to_a_file(tmp_path):
    text = write_adm(built(), tmp_path / "a.adm")
    assert (tmp_path / "a.adm").read_text() == text
