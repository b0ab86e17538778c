"""Gradients of models with modal flexible bodies and sliding masses: closed forms, the rigid limit, differences."""

import cmath

import numpy as np
import pytest
from test_gradient import SIX, check

import holonom as hn
from holonom.model.base import ModelError

E, RHO, LENGTH = 2e7, 1000.0, 1.0
WIDE, HIGH = 0.05, 0.03
EI = E * WIDE * HIGH**3 / 12
FIXED = {"hmin": 0.002, "hmax": 0.002, "newton": 1e-10, "error": 1e-6}
OF_RADAU = {"hmin": 0.0025, "hmax": 0.0025, "newton": 1e-11, "error": 1e-6}


def bar(m, at=(0, 0, 0), modulus=E, **words):
    """A soft beam along x whose first node lies at a point: its part and its flexibility."""
    part = m.part("bar", 1.0, (1, 1, 1), position=(at[0] + 0.5 * LENGTH, at[1], at[2]))
    section = hn.flexible.Section.rectangle(WIDE, HIGH)
    end = (at[0] + LENGTH, at[1], at[2])
    elements = hn.flexible.beam(at, end, section, E=modulus, density=RHO, elements=4, y=(0, 1, 0))
    with pytest.warns(hn.ModelWarning, match="mass"):
        body = m.make_flexible(part, elements, **{"modes": 2, "interfaces": [1, 5], "damping": 0.02, **words})
    return part, body


def hanging(**words):
    """A bar on a pin, a load on its tip, a spring, a force by a function."""
    m = hn.Model("m")
    m.gravity = (0.3, -0.2, -9.81)
    part, body = bar(m, **words)
    m.revolute(part, m.ground, "pin", at=(0, 0, 0), axis=(0.1, 1, 0))
    load = m.part("load", 0.3, (0.001, 0.0012, 0.0015), position=(1.0, 0.0, -0.1))
    m.spherical(part, load, "hook", at=(1, 0, 0))
    m.spring_damper(m.marker(load, (0.01, 0.02, 0)), m.marker(m.ground, (1.2, 0.2, 0.3)), 20.0, 0.1, 0.3)
    middle = m.marker_at(part, (0.5, 0.02, 0.01))
    m.vforce(middle, m.ground, fy=f"-1.5*DY({middle})-0.2*VY({middle})+0.4*SIN(7*TIME)", rm=m.marker(m.ground))
    m.modal_force(part, "0.5+0.3*SIN(5*TIME)", nodes={3: (0.1, 0.2, -0.1, 0.03, 0.02, 0.01)})
    m.modal_damping(part, 0.3 * np.eye(body.modes))
    tip = m.marker_at(part, (1, 0.01, 0))
    return m, part, body, load, tip, middle


def numbers(m, body, middle):
    return ["GRAVITY", "PART/3.MASS", "PART/3.IP", "SPRINGDAMPER/1.K", "SPRINGDAMPER/1.LENGTH", "VFORCE/1.FY(1)",
            "VFORCE/1.FY(2)", "MFORCE/1.SCALE(1)", "MFORCE/1.SCALE(2)", f"FLEXIBILITY/{body.id}.DAMPING",
            f"MARKER/{middle.id}.QP"]  # fmt: skip


def of_tip(tip):
    return hn.final(f"DX({tip})+0.3*VZ({tip})") + hn.integral(f"DZ({tip})**2") + 0.1 * hn.value_at(f"WX({tip})", 0.03)


def test_a_bar_on_a_pin_with_a_load_by_its_numbers():
    m, part, body, load, tip, middle = hanging()
    check(m, of_tip(tip), numbers(m, body, middle), 0.1, 1e-7, error=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("integrator, tolerance, fixed", [("HHT", 1e-7, FIXED), ("RADAU5", 1e-8, OF_RADAU)])
def test_implicit_methods(integrator, tolerance, fixed):
    m, part, body, load, tip, middle = hanging()
    check(m, of_tip(tip), numbers(m, body, middle), 0.05, tolerance, integrator=integrator, **fixed)


@pytest.mark.slow
def test_pin_force_and_acceleration():
    m, part, body, load, tip, middle = hanging()
    pin = m.find("JOINT", "pin")
    J = hn.final(f"FX({pin.i},{pin.j})+0.1*ACCZ({tip})+0.01*WDTY({tip})*FZ({pin.i},{pin.j})")
    check(m, J, numbers(m, body, middle), 0.05, 1e-7, error=1e-11)


def test_free_vibration_by_damping_and_start():
    """One mode of a free bar: q = exp(-z w t) (cos r t + z w/r sin r t) q0, r^2 = w^2 (1 - z^2)."""
    m = hn.Model("m")
    m.gravity = (0, 0, 0)
    part, body = bar(m)
    bending = int(np.argmax(np.abs(body.shape(5)[1][2]) > 1e-3)) + 1
    with pytest.warns(hn.ModelWarning, match="modes that are off"):
        body.select([bending])
    w, phi, start = float(body.frequency[0]), float(body.shape(5)[1][2, 0]), 0.01
    body.q, body.damping = (start,), (0.03,)
    tip = m.marker_at(part, (1, 0, 0))
    end = 2.0 / w

    def z(ratio, q0):
        r = w * cmath.sqrt(1 - ratio**2)
        return phi * q0 * cmath.exp(-ratio * w * end) * (cmath.cos(r * end) + ratio * w / r * cmath.sin(r * end))

    g = hn.gradient(m, hn.final(f"DZ({tip})"), ["FLEXIBILITY/1.DAMPING(1)", "FLEXIBILITY/1.Q(1)"], end=end, error=1e-11)
    assert g.value == pytest.approx(z(0.03, start).real, rel=1e-9)
    assert g["FLEXIBILITY/1.DAMPING(1)"] == pytest.approx(z(0.03 + 1e-30j, start).imag / 1e-30, rel=1e-8)
    assert g["FLEXIBILITY/1.Q(1)"] == pytest.approx(z(0.03, 1.0).real, rel=1e-8)


def test_cantilever_at_rest():
    """A tip force F against a spring k at the tip: z = F/(k + 3 E I/L^3)."""
    m = hn.Model("m")
    m.gravity = (0, 0, 0)
    part, body = bar(m)
    m.fixed(part, m.ground, at=(0, 0, 0))
    tip = m.marker_at(part, (1, 0, 0))
    k, F = m.parameter("k", 4.0), m.parameter("F", 1e-5)
    m.vforce(tip, m.ground, fz=f"{F}-{k}*DZ({tip})", rm=m.marker(m.ground))
    stiff = 4.0 + 3 * EI / LENGTH**3
    g = hn.gradient(m, hn.final(f"DZ({tip})"), ["k", "F"], kind="statics")
    assert g.value == pytest.approx(1e-5 / stiff, rel=1e-8)
    assert g["F"] == pytest.approx(1 / stiff, rel=1e-8)
    assert g["k"] == pytest.approx(-1e-5 / stiff**2, rel=1e-8)


@pytest.mark.slow
def test_small_motions_of_a_cantilever():
    m = hn.Model("m")
    m.gravity = (0, 0, -9.81)
    part, body = bar(m)
    m.fixed(part, m.ground, at=(0, 0, 0))
    tip = m.marker_at(part, (1, 0, 0))
    m.spring_damper(tip, m.marker(m.ground, (1.3, 0, 0.4)), 3.0, 0.02, 0.4)
    names = ["SPRINGDAMPER/1.K", "SPRINGDAMPER/1.LENGTH", "GRAVITY(3)", f"FLEXIBILITY/{body.id}.DAMPING(1)"]
    wanted = {"f": hn.natural_frequency(1), "d": hn.damping_ratio(1)}
    for functional in wanted.values():
        g = hn.gradient(m, functional, names)
        for name, ours in zip(names, g.vector):
            value = float(m.number(name).read(m))
            step = 1e-2 * abs(value)
            models = {k: m.with_parameters({name: value + k * step}) for k in SIX}
            theirs = sum(w * hn.gradient(models[k], functional, []).value for k, w in SIX.items()) / step
            assert ours == pytest.approx(theirs, rel=2e-7, abs=1e-9 * abs(g.value / value)), name


def test_a_sliding_mass_on_a_driven_part():
    """s'' = - k/m (s - l) - c/m s' - x'' of its part, which moves by a motion of constant acceleration."""
    m = hn.Model("m")
    m.gravity = (0, 0, -9.0)
    cart = m.part("cart", 5.0, (0.1, 0.2, 0.3), position=(0, 0, 0))
    rail = m.translational(cart, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.motion(rail, "1.5*TIME**2")
    mass = m.sliding_mass(cart, (0, 0, 0.2), mass=2.0, stiffness=80.0, damping=0.5, length=0.1, travel=0.3)
    place = m.marker(mass)

    def s(k=80.0, c=0.5, mass=2.0, length=0.1, travel=0.3, t=0.7):
        a = -9.0 - 3.0
        rest, d = length + a * mass / k, c / (2 * mass)
        r = cmath.sqrt(k / mass - d**2)
        return rest + (travel - rest) * cmath.exp(-d * t) * (cmath.cos(r * t) + d / r * cmath.sin(r * t))

    names = {"STIFFNESS": "k", "DAMPING": "c", "MASS": "mass", "LENGTH": "length", "TRAVEL": "travel"}
    g = hn.gradient(m, hn.final(f"DZ({place},{cart.cm})-0.2"), [f"SLIDING_MASS/1.{n}" for n in names], end=0.7)
    assert g.value == pytest.approx(s().real, rel=1e-9)
    usual = dict(k=80.0, c=0.5, mass=2.0, length=0.1, travel=0.3)
    for name, word in names.items():
        exact = s(**{**usual, word: usual[word] + 1e-30j}).imag / 1e-30
        assert g[f"SLIDING_MASS/1.{name}"] == pytest.approx(exact, rel=1e-8), name


@pytest.mark.slow
def test_rigid_limit():
    """A stiff bar swings as a rigid one does: derivatives by gravity and by a spring differ as 1/E."""

    def pendulum(modulus):
        m = hn.Model("m")
        m.gravity = (0, 0, -9.81)
        part, body = bar(m, modulus=modulus or E, modes=0, damping=0.5)
        if modulus is None:
            mass, inertia = part.mass, part.ip
            m = hn.Model("m")
            m.gravity = (0, 0, -9.81)
            part = m.part("bar", mass, inertia, position=(0.5, 0, 0))
        m.revolute(part, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
        tip = m.marker_at(part, (1, 0, 0))
        m.spring_damper(tip, m.marker(m.ground, (1, 0, 1)), 5.0, 0.0, 0.8)
        options = {} if modulus is None else {"integrator": "RADAU5", "error": 1e-9}
        return hn.gradient(m, hn.final(f"DZ({tip})"), ["SPRINGDAMPER/1.K", "GRAVITY(3)"], end=0.2, **options).vector

    rigid = pendulum(None)
    off = [np.abs(pendulum(E * f) / rigid - 1).max() for f in (1e2, 1e4)]
    assert off[1] < 1e-4 and off[1] < 0.03 * off[0], off


@pytest.mark.slow
def test_contact_of_the_tip():
    """The tip of a falling bar meets a plane and stays on it."""
    m = hn.Model("m")
    m.gravity = (0, 0, -9.81)
    part, body = bar(m, damping=0.1)
    m.revolute(part, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    ball = m.sphere(part, (1, 0, 0), 0.05)
    law = m.contact(ball, m.plane(m.ground, (0, 0, -0.051), (0, 0, 1)), "IMPACT", stiffness=3e3, exponent=1.5,
                    damping=0.0, dmax=1e-3)  # fmt: skip
    middle = m.marker_at(part, (0.5, 0, 0))
    names = [law.number("stiffness").name, "GRAVITY", f"FLEXIBILITY/{body.id}.DAMPING"]
    check(m, hn.final(f"DZ({middle})+0.1*VZ({middle})"), names, 0.04, 1e-6, size=3e-5, error=1e-11)


def test_what_has_no_derivative():
    m, part, body, load, tip, middle = hanging()
    with pytest.raises(ModelError, match="modes of flexible bodies"):
        hn.gradient(m, hn.final(f"DZ({tip})"), [f"FLEXIBILITY/{body.id}.ORIGIN(1)"], end=0.01)
    for name in ("MODAL_DAMPING/1.MATRIX(1)", "MFORCE/1.LOAD(2)"):
        with pytest.raises(ModelError, match="forces on modes"):
            hn.gradient(m, hn.final(f"DZ({tip})"), [name], end=0.01)
    m.remove(m.find("MODAL_DAMPING", 1))
    body.formulation = "KED"
    with pytest.raises(ModelError, match="KED has no derivative"):
        hn.gradient(m, hn.final(f"DZ({tip})"), ["GRAVITY(3)"], end=0.01)
