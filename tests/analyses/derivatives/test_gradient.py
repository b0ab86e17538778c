"""Gradients of runs against differences of runs, along a random direction in all numbers of a model."""

import re
from pathlib import Path

import numpy as np
import pytest

import holonom as hn

SIX = {-3: -1 / 60, -2: 9 / 60, -1: -45 / 60, 1: 45 / 60, 2: -9 / 60, 3: 1 / 60}


def two(joint=None, *args, gravity=(0.3, -0.2, -9.81), **words):
    """Two parts, the first on a ball joint to ground, with a spring to ground; the second joined to it."""
    m = hn.Model("m")
    m.gravity = gravity
    a = m.part("a", mass=2.0, inertia=(0.05, 0.08, 0.1, 0.01, -0.01, 0.005), position=(0.4, 0.1, 0.2),
               euler=(0.1, 0.2, 0.3), velocity=(0.0, 0.3, 0.0))  # fmt: skip
    b = m.part("b", mass=1.0, inertia=(0.03, 0.02, 0.04), position=(0.9, 0.3, 0.1))
    m.spherical(a, m.ground, "base", at=(0, 0, 0))
    m.spring_damper(m.marker(b, (0.1, 0.05, 0.02)), m.marker(m.ground, (0.3, 0, 0.8)), 60.0, 1.0, 0.5, name="spring")
    if joint is not None:
        getattr(m, joint)(a, b, *args, name="joint", at=(0.6, 0.2, 0.1), axis=(0.3, 0.2, 1.0), **words)
    return m, a, b


def check(m, functional, names, end=0.3, tolerance=2e-8, seed=0, size=1e-3, **options):
    """The derivative along a random direction against differences of six runs, exact to 1e-11 or so."""
    rng = np.random.default_rng(seed)
    g = hn.gradient(m, functional, names, end=end, **options)
    base, way = {}, {}
    for name in names:
        value = m.parameters[name].value if name in m.parameters else m.number(name).read(m)
        base[name] = np.asarray(value, float)
        way[name] = rng.standard_normal(base[name].shape) * np.where(base[name] == 0.0, 0.3, np.abs(base[name]))
    ours = sum(float(np.sum(np.asarray(g[n]) * way[n])) for n in names)

    def run(k):
        moved = {n: (base[n] + k * size * way[n]).tolist() for n in names}
        return hn.gradient(m.with_parameters(moved), functional, [], end=end, **{"error": 1e-12, **options}).value

    theirs = sum(w * run(k) for k, w in SIX.items()) / size
    assert ours == pytest.approx(theirs, rel=tolerance), (ours - theirs) / theirs
    return g


OF_PARTS = ["PART/2.MASS", "PART/3.MASS", "PART/2.IP", "PART/3.IP", "GRAVITY"]
OF_SPRING = ["SPRINGDAMPER/1.K", "SPRINGDAMPER/1.C", "SPRINGDAMPER/1.LENGTH", "SPRINGDAMPER/1.FORCE"]


def places(m, element):
    return [f"MARKER/{n}.QP" for n in element.ports]


JOINTS = {
    "revolute": (), "spherical": (), "translational": (), "cylindrical": (), "universal": (), "hooke": (),
    "constant_velocity": (), "planar": (), "fixed": (), "screw": (0.1,),
}  # fmt: skip


@pytest.mark.parametrize("joint", JOINTS)
def test_numbers_of_a_mechanism_with_each_joint(joint):
    m, a, b = two(joint, *JOINTS[joint])
    tip = m.marker(b, (0.12, 0, 0.01))
    spring = m.find("SPRINGDAMPER", "spring")
    functional = hn.final(f"DX({tip})") + 0.3 * hn.final(f"WZ({tip})*DY({tip})") + hn.integral(f"VM({tip})**2")
    check(m, functional, [*OF_PARTS, *OF_SPRING, *places(m, spring)])


def test_numbers_of_bushings_fields_beams_and_torsion_springs():
    m, a, b = two("revolute")
    hinge = m.find("JOINT", "joint")
    m.torsion_spring(hinge.i, hinge.j, 3.0, 0.2, 0.1, 0.05)
    ends = lambda: (m.marker(a, (0.1, 0.02, 0)), m.marker(b, (-0.1, 0, 0.03)))
    m.bushing(*ends(), (100, 200, 300), (1, 2, 3), (1, 2, 3), (0.1, 0.2, 0.3), (0.1, 0.2, 0.3), (0.01, 0.02, 0.03))
    bent = (m.marker(b, (-0.1, 0, 0.03)), m.marker(a, (0.1, 0.02, 0)))
    K = np.diag([100.0, 200, 300, 1, 2, 3])
    K[0, 1] = 20.0
    m.field(*ends(), kmatrix=K, cratio=0.01)
    m.beam(*bent, 0.3156, 1e-4, 1e-8, 1e-8, 1e-8, 1e7, 4e6, cratio=0.001)
    tip = m.marker(b, (0.12, 0, 0.01))
    names = [
        "SPRINGDAMPER/2.KT", "SPRINGDAMPER/2.CT", "SPRINGDAMPER/2.ANGLE", "SPRINGDAMPER/2.TORQUE", "BUSHING/1.K",
        "BUSHING/1.KT", "BUSHING/1.C", "BUSHING/1.CT", "BUSHING/1.FORCE", "BUSHING/1.TORQUE", "FIELD/1.KMATRIX",
        "FIELD/1.CRATIO", "BEAM/1.AREA", "BEAM/1.IXX", "BEAM/1.IYY", "BEAM/1.EMODULUS",
        *places(m, m.find("BUSHING", 1)), *places(m, m.find("FIELD", 1)), *places(m, m.find("BEAM", 1)), "PART/2.MASS",
    ]  # fmt: skip
    check(m, hn.final(f"DX({tip})+0.1*VY({tip})"), names, size=3e-4)


def test_forces_by_functions_and_states():
    m, a, b = two()
    i, j = m.marker(a, (0.1, 0, 0)), m.marker(b, (0, 0.1, 0.02))
    k, c = m.parameter("k", 40.0), m.parameter("c", 2.0)
    m.sforce(i, j, f"-{k}*(DM({i},{j})-0.3)**3-{c}*VR({i},{j})*SIN(TIME+1)")
    m.sforce(i, j, f"-0.3*AZ({i},{j})", kind="ROTATIONAL")
    m.sforce(i, j, "0.7*COS(3*TIME)", actiononly=True)
    rm = m.marker(a, (0, 0.1, 0.1), euler=(0.3, 0.2, 0.1))
    m.gforce(i, b, fx=f"-10*DX({i},{j})", fy=f"-VY({i},{j})", fz="SIN(TIME)", tx=f"-AX({i},{j})", tz=f"-WZ({i},{j})",
             rm=rm)  # fmt: skip
    m.vforce(j, fz="-1.5*SIN(4*TIME)")
    m.vtorque(j, a, ty="0.2", rm=rm)
    d = m.diff(f"-3*DIF(1)+DM({i},{j})+0.1*VR({i},{j})", ic=0.2, id=1)
    v = m.variable(f"-{k}*0.5*DIF({d})*DX({i},{j})")
    m.sforce(i, j, f"VARVAL({v})")
    tip = m.marker(b, (0.12, 0, 0.01))
    names = ["k", "c", f"MARKER/{i.id}.QP", f"MARKER/{j.id}.QP", f"MARKER/{rm.id}.QP", "DIFF/1.FUNCTION(1)",
             "SFORCE/1.FUNCTION(1)", "SFORCE/2.FUNCTION(1)", "PART/2.MASS", "PART/3.IP", "GRAVITY",
             f"MARKER/{rm.id}.REULER", f"MARKER/{tip.id}.QP"]  # fmt: skip
    check(m, hn.final(f"DX({tip})") + hn.integral(f"DIF({d})*VX({tip})"), names, tolerance=5e-8)


def test_driven_and_coupled_joints():
    m = hn.Model("m")
    m.gravity = (0.0, 0.0, -9.81)
    a = m.part("a", mass=2.0, inertia=(0.05, 0.08, 0.1), position=(0.4, 0.1, 0.2))
    b = m.part("b", mass=1.0, inertia=(0.03, 0.02, 0.04), position=(0.7, 0.3, 0.1))
    c = m.part("c", mass=1.5, inertia=(0.03, 0.05, 0.04), position=(1.1, 0.0, 0.0))
    j = m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    k = m.revolute(b, a, at=(0.6, 0, 0.1), axis=(0, 0, 1))
    l = m.translational(c, m.ground, at=(1.0, 0, 0), axis=(1, 0.2, 0))
    m.motion(j, "0.5*SIN(3*TIME)")
    m.coupler([k, l], [1.0, -2.0])
    tip = m.marker(b, (0.1, 0.05, 0))
    m.spring_damper(tip, m.marker(c, (-0.02, 0.1, 0)), 80.0, 1.0, 0.3, name="spring")
    names = [*OF_PARTS, "PART/4.MASS", *OF_SPRING, *places(m, m.find("SPRINGDAMPER", "spring"))]
    check(m, hn.final(f"DX({tip})") + hn.least_squares(f"DY({tip})", [0.1, 0.25], [0.1, 0.2]), names)


def four_bar(**words):
    """A planar four-bar of four revolute joints, of which three rows are redundant, with a spring."""
    m = hn.Model("m")
    m.gravity = (0, 0, -9.81)
    P = [(0, 0, 0), (0, 0, 0.3), (0.8, 0, 0.6), (0.9, 0, 0)]
    middle = lambda a, b: tuple((np.array(a) + b) / 2)
    parts = [
        m.part(f"p{k}", mass=1.0 + k, inertia=(0.01, 0.02, 0.015), position=middle(P[k], P[k + 1])) for k in range(3)
    ]
    ends = [(parts[0], m.ground), (parts[0], parts[1]), (parts[1], parts[2]), (parts[2], m.ground)]
    joints = [m.revolute(*pair, f"j{k}", at=P[k], axis=(0, 1, 0)) for k, pair in enumerate(ends)]
    m.spring_damper(m.marker(parts[1], (0, 0, 0.1)), m.marker(m.ground, (0.2, 0, 1.0)), 60.0, 1.0, 0.3)
    return m, parts, joints, P


def test_hardpoints_of_a_redundant_loop():
    m, parts, joints, P = four_bar()
    m.parameter("h", P[2], moves=[joints[2]])
    tip = m.marker(parts[1], (0.1, 0, 0))
    i = joints[1].i
    functional = hn.final(f"DX({tip})+DZ({tip})")
    check(m, functional, ["h", "PART/3.MASS", "SPRINGDAMPER/1.K"], end=0.4)
    for name in (f"MARKER/{i}.QP(1)", f"MARKER/{i}.QP(3)"):  # one side alone: assembly closes the loop elsewhere
        check(m, functional, [name], end=0.4, size=1e-4, tolerance=1e-6)
    with pytest.raises(hn.ModelError, match="does not exist: .* repeats other constraints"):
        hn.gradient(m, functional, f"MARKER/{i}.QP(2)", end=0.4)


@pytest.mark.parametrize("integrator, options", [("DOPRI5", {}), ("RKF45", {}), ("RK4", {"hmax": 0.002})])
def test_each_method_has_the_transpose_of_its_own_steps(integrator, options):
    m, a, b = two("revolute")
    tip = m.marker(b, (0.12, 0, 0.01))
    exact = {"error": 1e-11} if integrator != "RK4" else options
    names = ["PART/3.MASS", "SPRINGDAMPER/1.K", "MARKER/6.QP"]
    g = hn.gradient(m, hn.final(f"DX({tip})"), names, end=0.3, integrator=integrator, **exact)
    best = hn.gradient(m, hn.final(f"DX({tip})"), names, end=0.3, error=1e-12)
    np.testing.assert_allclose(g.vector, best.vector, rtol=3e-8)


def test_what_has_no_derivative_is_refused_by_name():
    m, a, b = two("revolute")
    tip = m.marker(b, (0.12, 0, 0.01))
    final = hn.final(f"DX({tip})")
    refused = lambda sentence, *args, **words: pytest.raises(hn.ModelError, match=sentence)
    with refused("MOREAU_JEAN has no adjoint; choose DOP853"):
        hn.gradient(m, final, "PART/2.MASS", end=0.1, integrator="MOREAU_JEAN")
    with refused("no parameter 'mass'"):
        hn.gradient(m, final, "mass", end=0.1)
    with refused("needs a functional"):
        hn.gradient(m, f"DX({tip})", "PART/2.MASS", end=0.1)
    with refused("the functional needs time 2"):
        hn.gradient(m, hn.value_at(f"DX({tip})", 2.0), "PART/2.MASS", end=0.1)
    m.constraint(f"VX({tip})-0.5*VY({tip})")
    with refused("GCON_1: .*constraints of velocities and of states have no derivative"):
        hn.gradient(m, final, "PART/2.MASS", end=0.1)


def test_every_kind_of_element_is_supported_silent_or_refused():
    from holonom.analyses.derivatives.supported import SILENT, SUPPORTED, status
    from holonom.model.base import ELEMENT_TYPES

    assert not SUPPORTED & SILENT
    assert set(ELEMENT_TYPES) >= SUPPORTED | SILENT
    refused = {k for k in ELEMENT_TYPES if status(k) == "refused"}
    # a new kind of element is here until it has derivatives, and the page says so
    page = (Path(__file__).parents[3] / "docs/derivatives.md").read_text()
    assert [k for k in sorted(ELEMENT_TYPES) if f"`{k}`" not in page] == []
    assert {"UCON", "FLEX_BODY", "SWITCH"} <= refused


def pendulum(length=0.8, mass=2.0, inertia=0.1, g=9.81, angle=1.2):
    """A rigid pendulum about y, at rest at an angle from the vertical, as parameters."""
    m = hn.Model("pendulum")
    l, w, j, a, p = (
        m.parameter(n, v) for n, v in (("l", length), ("m", mass), ("J", inertia), ("g", g), ("angle", angle))
    )
    m.gravity = (0, 0, -a)
    sin, cos = p.apply(np.sin), p.apply(np.cos)
    rod = m.part("rod", mass=w, inertia=(0.01, j, 0.02), position=(l * sin, 0.0, -l * cos))
    m.revolute(rod, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    return m, rod


def test_pendulum_against_elliptic_functions():
    """theta = 2 arcsin(k sn(K - w t, k)), k = sin(angle/2), w^2 = m g l / (J + m l^2); x = l sin(theta)."""
    from scipy.special import ellipj, ellipk

    values = {"l": 0.8, "m": 2.0, "J": 0.1, "g": 9.81, "angle": 1.2}
    T = 3.0

    def exact(l, m, J, g, angle):
        w, k = np.sqrt(m * g * l / (J + m * l * l)), np.sin(angle / 2)
        theta = 2 * np.arcsin(k * ellipj(ellipk(k * k) - w * T, k * k)[0])
        return l * np.sin(theta)

    m, rod = pendulum()
    g = hn.gradient(m, hn.final(f"DX({rod})"), list(values), end=T)
    assert g.value == pytest.approx(exact(**values), rel=1e-9)
    for name, value in values.items():
        h = 2e-3 * value
        slope = sum(w * exact(**{**values, name: value + k * h}) for k, w in SIX.items()) / h
        assert g[name] == pytest.approx(slope, rel=2e-8), name


def test_remainder_falls_as_the_square_of_the_step():
    m, rod = pendulum()
    functional = hn.final(f"DX({rod})")
    names, fixed = ["l", "m", "J", "g"], {"integrator": "RK4", "hmax": 0.01, "end": 1.0}
    g = hn.gradient(m, functional, names, **fixed)
    way = dict(zip(names, (0.3, -0.5, 0.02, 0.7)))
    ours, rests = sum(g[n] * w for n, w in way.items()), []
    for size in (1e-1, 1e-2, 1e-3):
        moved = m.with_parameters({n: m.parameters[n].value + size * w for n, w in way.items()})
        rests.append(abs(hn.gradient(moved, functional, [], **fixed).value - g.value - size * ours))
    assert 80 < rests[0] / rests[1] < 125 and 90 < rests[1] / rests[2] < 110


def test_chaos_is_reported():
    m = hn.Model("m")
    m.gravity = (0, 0, -9.81)
    a = m.part("a", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.5, 0, 0.1))
    b = m.part("b", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(1.0, 0, 0.6))
    m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute(a, b, at=(1.0, 0, 0.2), axis=(0, 1, 0))
    g = hn.gradient(m, hn.final(f"DX({b})"), "PART/2.MASS", end=12.0, error=1e-6)
    assert any("magnifies changes of its start" in w for w in g.warnings)


@pytest.mark.parametrize("function", ["CUBSPL({z},0,1)", "MAX({z},-8)"])
def test_kinks_are_no_silent_error(function):
    """A mass that falls through the knots of a spline, where steps over them lose digits, and onto a force with a kink
    that is located."""
    m = hn.Model("mass", units="mm")
    m.gravity = (0, 0, -9810)
    q = m.parameter("q", 20.0)
    a = m.part("a", 1.0, (1e3,) * 3, position=(0, 0, 100))
    j = m.translational(a, m.ground, "j", at=(0, 0, 100), axis=(0, 0, 1))
    m.spline([-50, -10, 0, 10, 50], [-40, -15, 0, 20, 60])
    m.sforce(j.i, j.j, f"-({q})*" + function.format(z=f"DZ({j.i},{j.j},{j.j})"))
    try:
        g = hn.gradient(m, hn.final(f"DZ({a.cm})"), [q], end=0.1)
    except hn.ModelError as error:
        assert re.search(f"the gradient changes by .* kinks of {function[:3]}", str(error))
        return
    step = 1e-3
    ends = [
        hn.simulate(m.with_parameters({"q": 20.0 + s}), end=0.1, steps=1, error=1e-12).part("a").position.values[-1, 2]
        for s in (-step, step)
    ]
    assert g["q"] == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=0.02 if g.warnings else 1e-7)


@pytest.mark.parametrize("axis", [("e", 1, 0), (0, "e", 1), (1, "e", 0), (0, 1, "e"), (-1, "e", 0)])
def test_angles_at_their_pole_are_no_silent_error(axis):
    """The direction of a hinge: right against differences of runs, or refused where its Euler angles have a corner."""
    m = hn.Model("t")
    m.gravity = (0, 0, -9.81)
    e = m.parameter("e", 0.0)
    a = m.part("a", 2.0, (0.1,) * 3, position=(0.5, 0, 0.2))
    m.revolute(a, m.ground, "j", at=(0, 0, 0), axis=tuple(e if x == "e" else x for x in axis))
    J = hn.final(f"DX({a.cm})") + 2 * hn.final(f"DY({a.cm})") + 3 * hn.final(f"DZ({a.cm})")
    try:
        g = hn.gradient(m, J, [e], end=0.1)
    except hn.ModelError as error:
        assert "has a corner or a jump" in str(error) and axis in (("e", 1, 0), (0, "e", 1))
        return
    h = 1e-4
    ends = [
        hn.simulate(m.with_parameters({"e": s}), end=0.1, steps=1, error=1e-12).part("a").position.values[-1]
        @ (1, 2, 3)
        for s in (-h, h)
    ]
    assert g["e"] == pytest.approx((ends[1] - ends[0]) / (2 * h), abs=1e-6)


def test_numbers_added_to_functionals_and_the_end_with_a_unit():
    m, _, b = two()
    f = hn.final(f"DZ({b.cm})")
    plain = hn.gradient(m, f, ["PART/3.MASS"], end=0.05)
    for functional, factor, constant in ((f + 3, 1, 3), (2 - f, -1, 2), ((f - 1) / 4, 0.25, -0.25)):
        g = hn.gradient(m, functional, ["PART/3.MASS"], end="50 ms")
        assert g.value == pytest.approx(factor * plain.value + constant, rel=1e-12)
        assert g["PART/3.MASS"] == pytest.approx(factor * plain["PART/3.MASS"], rel=1e-6)


def test_the_number_of_models_that_are_made_does_not_grow_with_that_of_parameters(monkeypatch):
    m, a, b = two("revolute")
    names = [*OF_PARTS, *OF_SPRING, *places(m, m.find("SPRINGDAMPER", "spring"))]
    counted, copy = [], hn.Model.copy
    monkeypatch.setattr(hn.Model, "copy", lambda self: counted.append(1) or copy(self))
    functional = hn.final(f"DX({m.marker(b, (0.12, 0, 0.01))})")
    hn.gradient(m, functional, names[:1], end=0.05)
    few = len(counted)
    hn.gradient(m, functional, names, end=0.05)
    assert len(counted) == 2 * few


def test_numbers_are_put_back_to_the_bit_behind_differences():
    m, a, b = two("revolute")
    i, j = m.marker(a, (0.1, 0, 0)), m.marker(b, (0, 0.1, 0.02))
    m.sforce(i, j, f"-40.*DM({i},{j})")
    number = m.number("SFORCE/1.FUNCTION(1)")
    values = number.at_points(m, 0.5, lambda: number.read(m))
    assert values == pytest.approx([38.5, 39.0, 39.5, 40.5, 41.0, 41.5])
    assert m.find("SFORCE", 1).function == f"-40.*DM({i},{j})"
    with pytest.raises(ZeroDivisionError):
        number.at_points(m, 0.5, lambda: 1 / 0)
    assert m.find("SFORCE", 1).function == f"-40.*DM({i},{j})"
