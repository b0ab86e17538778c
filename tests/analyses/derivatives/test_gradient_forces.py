"""Gradients through joint friction, tyres and other forces of registered types: closed forms, differences of runs."""

import dataclasses
import warnings

import numpy as np
import pytest
from test_gradient import OF_PARTS, check, two

import holonom as hn
from _line_forces import LINE_FORCES
from _tyres import TYRES
from holonom.elements import duals


def slider(mass=2.0, speed=3.0, gravity=9.81):
    m = hn.Model("slider")
    m.gravity = (0, 0, -gravity)
    block = m.part("block", mass=mass, inertia=(0.01, 0.02, 0.03), position=(0, 0, 0), velocity=(speed, 0, 0))
    return m, block, m.translational(block, m.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))


def test_sliding_friction_under_weight_and_preload_against_its_parabola():
    """x = v0 T - mu (g + N / m) T^2 / 2 while it slides: the load is the reaction of the joint and the preload."""
    mu, preload, mass, T = 0.2, 3.0, 2.0, 0.6
    m, block, joint = slider(mass)
    law = m.friction(
        joint, mu_static=0.2, mu_dynamic=mu, stiction_transition_velocity=0.01, max_stiction_deformation=1e-3,
        effect="SLIDING", force_preload=preload,
    )  # fmt: skip
    x = f"DX({block.cm})"
    names = ["MU_DYNAMIC", "FORCE_PRELOAD"]
    with pytest.warns(UserWarning, match="have no influence"):
        g = hn.gradient(m, hn.final(x), [*map(law.number, names), "PART/2.MASS", "GRAVITY(3)", "PART/2.VX"], end=T)
    half = 0.5 * T * T
    exact = [-(9.81 + preload / mass) * half, -mu / mass * half, mu * preload / mass**2 * half, mu * half, T]
    assert g.value == pytest.approx(3.0 * T - mu * (9.81 + preload / mass) * half, rel=1e-9)
    assert g.vector == pytest.approx(exact, rel=1e-9)


def test_bristles_of_lugre_that_feel_reactions():
    """Bending and lateral loads of a joint that a spring pulls aside, by differences of runs."""
    m, block, joint = slider()
    m.spring_damper(m.marker_at(block, (0, 0, 0.3)), m.marker_at(m.ground, (-0.4, 0.3, 0.9)), 60.0, 0.5, 0.5)
    law = m.friction(
        joint, mu_static=0.03, mu_dynamic=0.02, formulation="LUGRE", bristle_stiffness_coefficient=5.0,
        damping_coefficient=0.05, viscous_friction_coefficient=0.01, velocity_threshold_stribeck=0.3,
        decay_exponent_stribeck=2.0, reaction_arm=0.8, initial_overlap=0.9, force_preload=1.0, overlap_delta="INCREASE",
    )  # fmt: skip
    fields = "mu_static mu_dynamic bristle_stiffness_coefficient viscous_friction_coefficient reaction_arm".split()
    names = [law.number(f).name for f in fields] + ["PART/2.MASS", "SPRINGDAMPER/1.K", f"MARKER/{joint.i}.QP"]
    check(m, hn.final(f"DX({block.cm})+0.3*VX({block.cm})"), names, end=0.1, tolerance=1e-7)


@pytest.mark.parametrize(
    "method", ["DOP853", pytest.param("HHT", marks=pytest.mark.slow)],
)  # fmt: skip
def test_two_pins_whose_friction_feels_each_other(method):
    """Loads of either feed the reactions of both: the transposed equations need both (Woodbury's correction)."""
    m = hn.Model("pins")
    m.gravity = (0, 0, -9.81)
    a = m.part("a", mass=3.0, inertia=(0.12, 0.13, 0.14), position=(0.3, 0.1, 0.2))
    b = m.part("b", mass=0.5, inertia=(0.02, 0.03, 0.01), position=(0.6, 0.2, 0.2))
    a.wy, b.wy = -5.0, 3.0
    first = m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    second = m.revolute(b, a, at=(0.4, 0.2, 0.2), axis=(0.2, 1, 0))
    words = dict(mu_static=0.3, mu_dynamic=0.2, stiction_transition_velocity=0.05, max_stiction_deformation=0.002)
    laws = [
        m.friction(j, **words, pin_radius=r, friction_arm=0.02, bending_reaction_arm=5.0, torque_preload=0.1,
                   effect="SLIDING")
        for j, r in ((first, 0.03), (second, 0.02))
    ]  # fmt: skip
    fields = ("mu_dynamic", "pin_radius", "torque_preload")
    names = [law.number(f).name for law in laws for f in fields] + OF_PARTS
    J = hn.final(f"WY({a.cm})+0.2*DX({b.cm})") + hn.integral(f"WY({b.cm})**2")
    more = {"hmax": 5e-4} if method == "DOP853" else {"integrator": "HHT", "hmax": 1e-3, "hmin": 1e-3, "error": 1e-9}
    with pytest.warns(UserWarning, match="have no influence"):
        check(m, J, names, end=0.05, tolerance=1e-6, size=2e-4, **more)


def numbers(element):
    """Addresses of what a law reads: its fields, or two coefficients."""
    table = getattr(element, "coefficients", None)
    if isinstance(table, dict) and table:
        names = [n for n in ("PKY1", "VERTICAL_STIFFNESS", "UNLOADED_RADIUS", "PCX1", "PTY1") if n in table]
        return [element.number(n).name for n in names]
    if own := getattr(element, "coefficients", None):  # of a function
        return [f"{element.KIND}/{element.id}.COEFFICIENTS({k + 1})" for k in range(len(own))]
    skip = ("length", "id")
    found = [f.name for f in dataclasses.fields(element) if isinstance(getattr(element, f.name), float)]
    return [element.number(f).name for f in found if f not in skip and getattr(element, f)][:5]


FAST = ("MAXWELL_DAMPER", "POWER_DAMPER", "TYRE_PAC2002", "TYRE_USER")
LINES = [n for n in sorted(LINE_FORCES) if n != "MODAL_DAMPING"]
slow = lambda names: [n if n in FAST else pytest.param(n, marks=pytest.mark.slow) for n in names]


@pytest.mark.parametrize("name", slow(["MAXWELL_DAMPER", *(n for n in LINES if n != "MAXWELL_DAMPER"), "EXACT_BEAM"]))
def test_line_forces_along_a_random_direction(name):
    m, a, b = two("spherical")
    i, j = m.marker(a, (0.1, 0.02, 0.03)), m.marker(m.ground, (0.5, -0.3, 0.9))
    if name == "MAXWELL_DAMPER":
        law = m.maxwell_damper(i, j, stiffness=30.0, series_stiffness=70.0, damping=5.0, force=3.0, length=0.4)
    elif name == "EXACT_BEAM":
        law = m.exact_beam(i, j, EA=90.0, GAy=30.0, GAz=25.0, GJ=3.0, EIy=5.0, EIz=7.0, damping=0.1)
    else:
        law = LINE_FORCES[name](m, i, j)
    places = [f"MARKER/{i}.QP", f"MARKER/{j}.QP"]
    # steps that pass kinks of the hysteretic spring leave so much, which is reported and falls with the error
    bound = {"tolerance": 1e-5, "error": 1e-13} if name == "HYSTERETIC_SPRING" else {"tolerance": 1e-7}
    check(m, hn.final(f"DX({b.cm})+0.3*VZ({b.cm})"), [*OF_PARTS, *numbers(law), *places], end=0.2, **bound)


def rig(name):
    """A rolling, steered wheel that carries a mass on its axle."""
    m = hn.Model("rig")
    m.gravity = (0, 0, -9.81)
    radius = 0.3
    height = radius - 0.012
    hub = m.part("hub", mass=300.0, inertia=(20, 21, 22), position=(0, 0, height), velocity=(20, 0.5, 0))
    wheel = m.part("wheel", mass=20.0, inertia=(0.6, 1.1, 0.6), position=(0, 0, height), velocity=(20, 0.5, 0))
    wheel.wy = 20.0 / radius
    bearing = m.revolute(wheel, hub, at=(0, 0, height), axis=(0.0, 1, 0.0))
    for z in ((1, 0, 0), (0, 1, 0)):
        up = m.marker_at(m.ground, (0, 0, 0), z=(0, 0, 1))
        m.primitive("PERPENDICULAR", m.marker_at(hub, (0, 0, height), z=z), up)
    m.sforce(bearing.i, bearing.j, "30*SIN(3*TIME)", kind="ROTATIONAL")
    centre = m.marker(wheel)
    return m, hub, wheel, centre, TYRES[name](m, centre, m.marker(m.ground))


@pytest.mark.parametrize("name", slow(sorted(TYRES)))
def test_tyres_along_a_random_direction(name):
    m, hub, wheel, centre, law = rig(name)
    J = hn.final(f"DY({hub.cm})+0.01*WZ({hub.cm})+DZ({hub.cm})+0.001*WY({wheel.cm})")
    names = [f"PART/{hub.id}.MASS", f"PART/{wheel.id}.IP", f"MARKER/{centre.id}.QP", *numbers(law)]
    # kinks of the laws (load curves, ranges of slip) leave so much, which is reported
    error = 1e-13 if name == "TYRE_UA" else 1e-11
    check(m, J, names, end=0.1, tolerance=1e-6 if name in FAST else 1e-4, size=5e-5, error=error)


@pytest.mark.parametrize("name", slow(n for n in sorted(TYRES) if n != "TYRE_UA"))
def test_numbers_of_tyres_by_the_law_alone_and_by_the_whole_force(name, monkeypatch):
    """Coefficients, the friction of the road, waves and the radius: `numbers` of tyres against differences of the whole
    force."""
    from holonom.elements.kinds import FORCES

    kind, found = FORCES[name], []
    for own in (kind.numbers, None):
        assert kind.numbers is not None
        monkeypatch.setitem(FORCES, name, dataclasses.replace(kind, numbers=own))
        m, hub, wheel, _, law = rig(name)
        road = m.road("SINE", marker=law.j, mu=0.9, amplitude=0.002, wavelength=1.5)
        law.road = road.id
        table = getattr(law, "coefficients", None)
        names = [law.number(n).name for n in table] if isinstance(table, dict) else numbers(law)
        names += [road.number("mu").name, f"ROAD/{road.id}.SIZES(AMPLITUDE)"]
        J = hn.final(f"DY({hub.cm})+0.01*WZ({hub.cm})+DZ({hub.cm})+0.001*WY({wheel.cm})")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some have no influence
            found.append(hn.gradient(m, J, names, end=0.01, compare=False))
    size = np.array([abs(float(m.number(n).read(m))) or 1.0 for n in names])
    ours, theirs = (size * g.vector for g in found)
    assert np.count_nonzero(theirs[-2:]) == 2
    assert ours == pytest.approx(theirs, rel=1e-8, abs=1e-11 * np.abs(theirs).max())


def forgetful(c, fz, kappa, tana, gamma, vx, omega, psi, mu):
    """A side force that loses what of its derivative is in a dual number."""
    return 0.0 * fz, -c[0] * duals.real(tana) * fz, 0.0 * fz, 0.0 * fz, 0.0 * fz


def test_a_function_of_a_tyre_that_loses_derivatives_is_refused():
    m, hub, wheel, centre, law = rig("TYRE_USER")
    m.table("TYRE_USER")[law.id].active = False
    m.tyre_user(centre, m.marker(m.ground), forgetful, radius=0.3, stiffness=2e5, coefficients=(15.0,),
                slip_stiffness_x=8e4, slip_stiffness_y=6e4)  # fmt: skip
    with pytest.raises(hn.ModelError, match="its tangent states .* compute its function with sin, sqrt"):
        hn.gradient(m, hn.final(f"DY({hub.cm})"), "GRAVITY(3)", end=0.01)


def test_a_mass_on_a_tyre_against_the_oscillator():
    """z'' = -g - k (z - R) / m, without damping, of a wheel that does not roll."""
    k, mass, R, T = 2e5, 320.0, 0.31, 0.11
    from _tyres import PASSENGER

    m = hn.Model("mass")
    m.gravity = (0, 0, -9.81)
    z0 = R - 0.02
    wheel = m.part("wheel", mass=mass, inertia=(10, 11, 12), position=(0, 0, z0))
    guide = m.marker_at(m.ground, (0, 0, z0), z=(0, 0, 1))
    m.translational(wheel, m.ground, at=(0, 0, z0), axis=(0, 0, 1))
    centre = m.marker(wheel)
    table = {**PASSENGER, "VERTICAL_STIFFNESS": k, "VERTICAL_DAMPING": 0.0, "UNLOADED_RADIUS": R}
    tyre = m.tyre_pac2002(centre, m.marker(m.ground), table)
    names = [tyre.number("VERTICAL_STIFFNESS"), "PART/2.MASS", tyre.number("UNLOADED_RADIUS"), "GRAVITY(3)"]
    g = hn.gradient(m, hn.final(f"DZ({centre},{guide})"), names, end=T)
    w = np.sqrt(k / mass)
    rest = -9.81 * mass / k + R - z0
    assert g.value == pytest.approx(rest * (1 - np.cos(w * T)), rel=1e-9)
    by_w = rest * T * np.sin(w * T)
    one = 1 - np.cos(w * T)
    exact = [
        9.81 * mass / k**2 * one + by_w * 0.5 * w / k, -9.81 / k * one - by_w * 0.5 * w / mass, one, one * mass / k,
    ]  # fmt: skip
    assert g.vector == pytest.approx(exact, rel=1e-8)


def test_given_velocities_that_a_change_contradicts_are_shared():
    """Both parts of a hinge have given velocities; a change of one is fitted as the start of a run does."""
    m = hn.Model("v")
    a = m.part("a", mass=350.0, inertia=(20, 21, 22), position=(0, 0, 0.3), velocity=(20, 0.5, 0))
    b = m.part("b", mass=20.0, inertia=(1, 1.5, 1), position=(0, 0, 0.3), velocity=(20, 0.5, 0))
    m.revolute(b, a, at=(0, 0, 0.3), axis=(0, 1, 0))
    g = hn.gradient(m, hn.final(f"DY({a.cm})"), ["PART/2.VY", "PART/3.VY"], end=0.3)
    assert g.vector == pytest.approx([0.15, 0.15], rel=1e-8)


def test_coefficients_of_a_tyre_have_addresses():
    m, *_, law = rig("TYRE_PAC2002")
    number = law.number("PKY1")
    assert number.name == f"TYRE_PAC2002/{law.id}.COEFFICIENTS(PKY1)"
    assert m.number(number.name) == number and number.read(m) == law.coefficients["PKY1"]
    assert m.with_parameters({number: -17.0}).find("TYRE_PAC2002", law.id).coefficients["PKY1"] == -17.0
    with pytest.raises(hn.ModelError, match="COEFFICIENTS has no number 'PKY9'"):
        law.number("coefficients", "PKY9")
    with pytest.raises(hn.ModelError, match="COEFFICIENTS is a table; give the name of a number in it"):
        law.number("coefficients")


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["compliant", "kinematic"])
def test_the_shipped_sedan(mode):
    """A step of the steering wheel at 20 m/s: mass, a tyre's coefficients, a bushing and a hardpoint, one by one."""
    from holonom.vehicle import Vehicle

    m = Vehicle("sedan", mode).model(20.0, "0.5*STEP5(TIME,0.1,0,0.4,1)")
    chassis, tyre = m.find("PART", "chassis"), m.find("TYRE_PAC2002", 1)
    ball = m.find("JOINT", "front left lower outer")
    text = f"DY({chassis.cm})+1000*AZ({chassis.cm})"
    names = [f"PART/{chassis.id}.MASS", tyre.number("PKY1").name, tyre.number("VERTICAL_STIFFNESS").name,
             f"MARKER/{ball.i}.QP(3)"]  # fmt: skip
    g = hn.gradient(m, hn.final(text), names, end=0.3, error=1e-9)
    if mode == "compliant":
        assert g.warnings and "kinks of CUBSPL, MAX, TYRE_PAC2002" in g.warnings[0]
    for name in names:
        value = m.number(name).read(m)
        h = 1e-3 * value

        ends = [
            hn.gradient(m.with_parameters({name: value + k * h}), hn.final(text), [], end=0.3, error=1e-10).value
            for k in (-1, 1)
        ]
        assert g[name] == pytest.approx((ends[1] - ends[0]) / (2 * h), rel=1e-4), name
