"""Gradients of forces with a law (FX, SFORCE, BUSH, ...): closed forms, differences of runs, and what is refused."""

import numpy as np
import pytest
from test_gradient import OF_PARTS, check, pendulum, places, two

import holonom as hn
from _line_forces import LINE_FORCES


def test_force_of_a_spring_against_its_oscillation():
    """x = c cos(w t), w^2 = k/m: the tension k x - d x', and the pull of the ground, its opposite."""
    k, m, c, T = 50.0, 2.0, 0.3, 0.7
    model = hn.Model("oscillator")
    mass = model.part("mass", mass=m, inertia=(1, 1, 1), position=(1.0 + c, 0, 0))
    model.translational(mass, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    spring = model.spring_damper(
        model.marker_at(mass, (1.0 + c, 0, 0)), model.marker_at(model.ground, (0, 0, 0)), k, 0.0, 1.0
    )
    names = ["SPRINGDAMPER/1.K", "PART/2.MASS", "SPRINGDAMPER/1.LENGTH"]
    force = lambda k, m, d: -k * (c + 1.0 - d) * np.cos(np.sqrt(k / m) * T)
    for text, sign in (
        (f"FX({spring.i},{spring.j})", 1.0),
        (f"FX({spring.j},{spring.i})", -1.0),
        (f"SPDP({spring.id},0,2,{spring.i})", 1.0),
        (f"FM({spring.i},{spring.j})", np.sign(force(k, m, 1.0))),
    ):
        g = hn.gradient(model, hn.final(text), names, end=T)
        at, h = np.array([k, m, 1.0]), 1e-20
        exact = [sign * (force(*(at + 1j * h * e))).imag / h for e in np.eye(3)]
        assert g.value == pytest.approx(sign * force(k, m, 1.0), rel=1e-9)
        assert g.vector == pytest.approx(exact, rel=1e-8)


def functional(*texts):
    return sum((hn.final(t) + 0.3 * hn.value_at(t, 0.07) for t in texts[1:]), hn.final(texts[0]))


def bodies():
    m, a, b = two("spherical")
    rm = m.marker(b, (0.12, 0, 0.01), euler=(0.2, 0.3, 0.1))
    i, j = m.marker(a, (0.1, 0.02, 0.03), euler=(0.1, 0.2, 0)), m.marker(b, (0.2, -0.1, 0.1), euler=(0, 0.1, 0.3))
    return m, a, b, i, j, rm


PAIRS = {
    "SPRINGDAMPER": lambda m, i, j: m.spring_damper(i, j, 60.0, 2.0, 0.1),
    "TORSION": lambda m, i, j: m.torsion_spring(i, j, 2.0, 0.1, 0.05),
    "BUSHING": lambda m, i, j: m.bushing(i, j, (20, 30, 40), (1, 2, 3), (2, 1, 3), (0.1, 0.2, 0.1)),
    "BEAM": lambda m, i, j: m.beam(
        m.marker_at(m.parts[3], (0.8, 0.14, 0.22)), m.marker_at(m.parts[2], (0.5, 0.12, 0.23)),
        0.31, 1e-5, 1e-6, 2e-6, 3e-6, 1e6, 4e5, asy=1.2, asz=1.1, cratio=0.01,
    ),
}  # fmt: skip
REGISTERED = ("MAXWELL_DAMPER", "POWER_DAMPER")


@pytest.mark.parametrize(
    "name", [*PAIRS, *REGISTERED, *(pytest.param(n, marks=pytest.mark.slow) for n in sorted(LINE_FORCES)
                                    if n not in (*REGISTERED, "MODAL_DAMPING"))],
)  # fmt: skip
def test_forces_between_markers_along_a_random_direction(name):
    m, a, b, i, j, rm = bodies()
    if name == "MAXWELL_DAMPER":
        law = m.maxwell_damper(i, j, stiffness=30.0, series_stiffness=70.0, damping=5.0, force=3.0, length=0.4)
    else:
        law = (PAIRS.get(name) or LINE_FORCES[name])(m, i, j)
    i, j = law.ports
    texts = [f"FX({i},{j},{rm})", f"FM({j},{i})", f"TY({i},{j},{rm})*DX({rm})", f"TM({j},{i})", f"FZ({j},{i})"]
    if name == "TORSION":
        texts = texts[2:4]
    elif name in LINE_FORCES or name == "SPRINGDAMPER":
        texts = [*texts[:2], texts[4], f"FY({j})"]
    bound = {"tolerance": 1e-5, "error": 1e-13} if name == "HYSTERETIC_SPRING" else {"tolerance": 1e-7}
    own = [law.number("k").name] if name == "SPRINGDAMPER" else []
    check(m, functional(*texts), [*OF_PARTS, *own, *places(m, law), f"MARKER/{rm.id}.REULER"], end=0.15, **bound)


def test_function_forces_along_a_random_direction():
    m, a, b, i, j, rm = bodies()
    line = m.sforce(i, j, f"-30*(DM({i},{j})-0.1)-2*VR({i},{j})")
    turn = m.sforce(i, j, f"-0.3*AZ({i},{j})", kind="ROTATIONAL")
    vector = m.gforce(
        i, j, f"3*DX({i},{j},{rm})", f"VY({i},{j},{rm})", "0.2", "0.1", f"-0.2*WY({i},{j},{rm})", "0", rm=rm
    )
    texts = [
        f"SFORCE({line.id},0,1,{rm})", f"SFORCE({line.id},1,3,{rm})", f"SFORCE({turn.id},0,7,{rm})",
        f"GFORCE({vector.id},0,2,{rm})**2", f"GFORCE({vector.id},1,7,{rm})", f"TM({i},{j})",
    ]  # fmt: skip
    check(m, functional(*texts), [*OF_PARTS, *places(m, line), f"MARKER/{rm.id}.REULER"], end=0.15)


@pytest.mark.parametrize(
    "method, tolerance, fixed",
    [
        ("HHT", 1e-7, {"hmin": 0.005, "hmax": 0.005, "newton": 1e-11, "error": 1e-6}),
        ("RADAU5", 1e-8, {"hmin": 0.01, "hmax": 0.01, "newton": 1e-12, "error": 1e-6}),
    ],
)
def test_forces_with_implicit_methods(method, tolerance, fixed):
    """They are those of the state with projected velocities, as reactions are."""
    m, a, b, i, j, rm = bodies()
    spring, bush = PAIRS["SPRINGDAMPER"](m, i, j), PAIRS["BUSHING"](m, i, j)
    line = m.sforce(i, j, f"-3*VR({i},{j})")
    texts = f"SPDP({spring.id},0,1)", f"BUSH({bush.id},0,2,{rm})", f"SFORCE({line.id},0,1)"
    value = sum((hn.final(t) + 0.3 * hn.value_at(t, 0.05) for t in texts[1:]), hn.final(texts[0]))
    check(m, value, [*OF_PARTS, *places(m, spring)], 0.1, tolerance, size=3e-4, integrator=method, **fixed)


def test_forces_at_an_equilibrium():
    """A mass between two springs in line, F1 = (W + k2 s) k1/(k1 + k2) of the upper, s the sum of what both lack."""
    m = hn.Model("hung")
    m.gravity = (0, 0, -9.81)
    mass = m.part("mass", mass=2.0, inertia=(1, 1, 1), position=(0, 0, 0.5))
    m.translational(mass, m.ground, "slide", at=(0, 0, 0.5), axis=(0, 0, 1))
    top, bottom = m.marker_at(m.ground, (0, 0, 1.0)), m.marker_at(m.ground, (0, 0, 0.0))
    middle = m.marker_at(mass, (0, 0, 0.5))
    upper = m.spring_damper(middle, top, 300.0, 1.0, 0.4)
    m.spring_damper(middle, bottom, 500.0, 1.0, 0.3)
    names = ["SPRINGDAMPER/1.K", "SPRINGDAMPER/2.K", "PART/2.MASS", "SPRINGDAMPER/1.LENGTH"]
    # tensions k1 (1 - z - l1), k2 (z - l2); balance k1 (1 - z - l1) - k2 (z - l2) = W
    tension = lambda k1, k2, w, l1: (w * 9.81 + k2 * (1.0 - l1 - 0.3)) * k1 / (k1 + k2)
    g = hn.gradient(m, hn.final(f"FZ({middle},{top})"), names, kind="statics")
    at, h = np.array([300.0, 500.0, 2.0, 0.4]), 1e-20
    assert g.value == pytest.approx(tension(*at), rel=1e-9)
    assert g.vector == pytest.approx([tension(*(at + 1j * h * e)).imag / h for e in np.eye(4)], rel=1e-8)
    assert upper.i == middle.id


def test_forces_without_a_derivative_are_refused():
    m, rod = pendulum()
    pin = m.find("JOINT", "pin")
    here, there = m.marker(m.ground, (0, 0, 1)), m.marker(m.ground, (0, 1, 1))
    force = m.sforce(here, there, f"FX({pin.i},{pin.j})", actiononly=True)  # on ground alone: no feedback
    with pytest.raises(hn.ModelError, match=r"SFORCE\(1, 0, 1, 0\) is the force of SFORCE/1.*whose function uses FX"):
        hn.gradient(m, hn.final(f"SFORCE({force.id},0,1,0)"), ["m"], end=0.05)
