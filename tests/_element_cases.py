"""Machines with one element of each type, or one form of it, that tests of all types walk over: ``CASES``."""

import numpy as np

import holonom as hn
from holonom.elements.joints import JOINTS

CIRCLE = np.linspace(0.0, 2.0 * np.pi, 41)


def _ring(m, x=1.0, y=1.0):
    return m.curve(np.c_[x * np.cos(CIRCLE), y * np.sin(CIRCLE), 0 * CIRCLE], closed=True)


def _gear(m, a, b):
    one = m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    two = m.revolute(b, m.ground, at=(1.5, 0, 0), axis=(0, 0, 1))
    m.gear(one, two, m.marker(m.ground, (0.6, 0, 0), euler=(0.0, -np.pi / 2, 0)))


def _coupler(m, a, b):
    one = m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 1, 1))
    two = m.translational(b, m.ground, at=(1.5, 0, 0), axis=(1, 0, 1))
    m.coupler([one, two], [1.0, -2.0])


def _motion(level, joint="revolute"):
    def build(m, a, b):
        m.motion(getattr(m, joint)(a, b, at=(1, 0.2, 0), axis=(0.2, 0.1, 1)), "0.3*SIN(3*TIME)", level=level)

    return build


def _motion_of(component):
    return lambda m, a, b: m.motion(None, "0.3*TIME**2", i="ma", j="mb", component=component)


LUGRE = dict(
    formulation="LUGRE", bristle_stiffness_coefficient=50.0, damping_coefficient=0.5, viscous_friction_coefficient=0.1,
    velocity_threshold_stribeck=5.0,
)  # fmt: skip


def _friction(joint, **more):
    """Loads from the preload: those from reactions count as held in the matrix (`system.friction`)."""

    def build(m, a, b):
        j = getattr(m, joint)(a, b, at=(1, 0.2, 0), axis=(0.2, 0.1, 1))
        words = dict(mu_static=0.3, mu_dynamic=0.2, stiction_transition_velocity=20.0, max_stiction_deformation=1.0)
        words |= dict(inputs=("PRELOAD",), force_preload=3.0, torque_preload=2.0, pin_radius=0.5, ball_radius=0.6)
        m.friction(j, **words, **more)

    return build


def _point_on_curve(m, a, b):
    m.point_on_curve("ma", m.marker(b, (0.1, 0.2, 0), euler=(0.3, 0.4, 0.1)), _ring(m, 1.3, 0.9))


def _curve_on_curve(m, a, b):
    i, j = m.marker(a, (0, 0, 0), euler=(0.2, 0, 0)), m.marker(b, (0, 0.1, 0))
    m.curve_on_curve(i, _ring(m, 0.5, 0.35), j, _ring(m, 0.6, 0.4))


def _linear_states(m, a, b):
    out = m.variable("DX(ma,mb)+0.3*VY(ma)")
    x, u, y = m.array("X"), m.array("U", variables=[out]), m.array("Y")
    m.linear_state_equations(x, m.matrix([[-1, 2], [-3, -0.5]]), u, m.matrix([[0.3], [1.0]]), y, m.matrix([[1.0, 2.0]]))
    m.sforce("ma", "mb", f"ARYVAL({y.id},1)")


def _transfer(m, a, b):
    x, u, y = m.array("X"), m.array("U", variables=[m.variable("DM(ma,mb)+VR(ma,mb)")]), m.array("Y")
    m.transfer_function(x, u, y, m.array("IC", numbers=[1.0, 0.5]), m.array("IC", numbers=[1.0, 0.7, 2.0]))
    m.sforce("ma", "mb", f"ARYVAL({y.id},1)")


def _controlled(m, a, b):
    m.control.function("travel", "DX(ma,mb)+0.2*VY(ma)")
    m.control.pid("servo", reference="0.3*SIN(TIME)", measurement="travel", kp=3.0, ki=2.0, kd=0.5)
    m.sforce("ma", "mb", "VARVAL(servo)")


FORCES = {
    "SFORCE": lambda m, a, b: m.sforce("ma", "mb", "-10*(DM(ma,mb)-.3)-VR(ma,mb)+2*DIF(1)"),
    "VFORCE": lambda m, a, b: m.vforce("ma", b, "VX(ma,mb)+1", "DY(ma,mg,mb)*2", "3*WX(mb)", rm="mb"),
    "VTORQUE": lambda m, a, b: m.vtorque("ma", m.ground, "VM(mp,ma)", "2", "AY(ma,mb)", rm="ma"),
    "GFORCE": lambda m, a, b: m.gforce(
        "mb", a, "1", "2*DZ(mp,ma,mb)", "3", "DM(mp,mb)", "WM(ma,mb)", "DIF(1)", rm="mg"
    ),
    "SPRINGDAMPER": [
        lambda m, a, b: m.spring_damper("ma", "mb", stiffness=100, damping=3, length=0.5),
        lambda m, a, b: m.torsion_spring("mb", "mg", stiffness=5, damping=0.3),
    ],
    "BUSHING": lambda m, a, b: m.bushing("ma", "mg", (10, 20, 30), (3, 4, 5), (1, 2, 3), (0.1, 0.2, 0.3)),
    "FIELD": lambda m, a, b: m.field("ma", "mg", kmatrix=np.diag([10, 20, 30, 3, 4, 5.0]) + 1.0, cratio=0.1),
    "BEAM": lambda m, a, b: m.beam("ma", "mb", 0.9, 1e-4, 1e-8, 1e-8, 1e-8, 1e6, 4e5, cratio=0.01),
    "VARIABLE": lambda m, a, b: (
        m.variable("DM(ma,mb)**2+0.3*VARVAL(2)+DIF(1)"),
        m.variable("COS(AZ(ma,mb))+0.1*VARVAL(1)*VARVAL(2)+VR(ma,mb)"),
        m.sforce("ma", "mb", "VARVAL(1)*DIF(1)+VARVAL(2)"),
    ),
    "DIFF": [
        lambda m, a, b: m.diff("DX(ma,mb,mg)*VY(ma,mg,mb)"),
        lambda m, a, b: (m.diff("DIF1(2)+DIF(2)-DX(ma,mb)", implicit=True, id=2), m.sforce("ma", "mb", "DIF(2)")),
    ],
    "LSE": _linear_states,
    "CONTROL": _controlled,
    "TFSISO": _transfer,
}
ROWS = {
    "COUPLER": _coupler,
    "GEAR": _gear,
    "JPRIM": lambda m, a, b: m.primitive("INPLANE", "ma", "mb"),
    "MOTION": [
        _motion("DISPLACEMENT"), _motion("VELOCITY"), _motion("ACCELERATION"), _motion("DISPLACEMENT", "cylindrical"),
        *map(_motion_of, ("X", "Y", "Z", "B1", "B2", "B3")),
    ],
    "FRICTION": [
        *map(_friction, ("revolute", "translational", "cylindrical", "spherical")),
        _friction("revolute", effect="SLIDING"), _friction("revolute", **LUGRE),
    ],
    "PTCV": _point_on_curve,
    "CVCV": _curve_on_curve,
    "GCON": [
        lambda m, a, b: m.constraint("DM(ma,mb)**2+0.3*DX(ma,mg,mb)*DY(mb,ma)-0.9*SIN(TIME)"),
        lambda m, a, b: m.constraint("AZ(ma,mb)+DZ(mp,mg)-0.3", i="ma"),
        lambda m, a, b: m.constraint("VX(ma,mb,mb)*DY(ma,mb)+0.4*WZ(mb)-0.3*DM(ma,mp)"),
        lambda m, a, b: m.constraint("VX(ma,mb,mb)*VY(ma)+WZ(mb)**2+0.3*VM(mp)*DM(ma,mp)-0.8"),
        lambda m, a, b: (m.constraint("DX(ma,mb)-DY(mp,mb)*DZ(ma)"), m.constraint("DM(mp,mg)-1")),
        lambda m, a, b: (m.variable("DM(ma,mb)*DX(ma)"), m.constraint("VARVAL(1)**2-0.2")),
    ],
}  # fmt: skip


def joint(kind):
    def build(m, a, b):
        more = {"SCREW": {"pitch": 0.3}, "RACKPIN": {"diameter": 0.4}}.get(kind, {})
        if kind == "SCREW":
            m.screw("ma", "mb", **more)
        elif kind == "RACKPIN":
            m.rack_and_pinion("ma", "mb", **more)
        elif kind in ("ATPOINT", "INLINE", "INPLANE", "ORIENTATION", "PARALLEL_AXES", "PERPENDICULAR"):
            m.primitive(kind, "ma", "mb")
        else:
            m.joint(kind, "ma", "mb")

    return build


def cases():
    yield from ((f"JOINT {kind}", joint(kind)) for kind in sorted(JOINTS))
    for kind, builds in {**FORCES, **ROWS}.items():
        several = builds if isinstance(builds, list) else [builds]
        yield from ((f"{kind} {k}" if k else kind, build) for k, build in enumerate(several))


CASES = dict(cases())


def machine(build):
    m = hn.Model()
    m.gravity = (0.3, -9.81, 1.0)
    a = m.part("a", 1.3, (1, 1.2, 0.7, 0.1, 0.05, -0.02), position=(0.5, 0.2, 0.1), euler=(0.3, 0.5, 0.2))
    b = m.part("b", 2.0, (1, 2, 1.5), position=(1.5, 0.4, -0.3), euler=(0.6, 0.4, -0.7))
    p = m.point_mass("p", 0.7, (0.2, 1, 1.0))
    m.marker(a, (0.1, 0.2, 0.3), euler=(0.2, 0.3, 0.4), name="ma")
    m.marker(b, (-0.2, 0.1, 0.3), euler=(1, 0.3, 0.4), name="mb")
    m.marker(m.ground, (0.3, 0.1, -0.2), euler=(0.5, 0.6, 0.1), name="mg")
    m.marker(p, (0, 0, 0), name="mp")
    m.diff("-2*DIF(1)+SIN(TIME)", ic=0.3)
    build(m, a, b)
    return m
