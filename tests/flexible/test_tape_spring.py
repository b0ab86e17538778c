"""Tape springs: the published moment curve, moments of folds, and a strip that snaps."""

import numpy as np
import pytest

import holonom as hn
from holonom.elements.absolute import section_laws
from holonom.flexible.tape_spring import tape_spring, tape_spring_law, wuest

#: of Seffen and Pellegrino's experiments: beryllium copper, R 13.3 mm, 106 degrees, 0.1 mm
TAPE = (0.0133, 1.85, 1e-4, 131e9, 0.3)
D = 131e9 * 1e-12 / 12 / (1 - 0.09)


def by_edges(k, radius, angle, thickness, E, nu):
    """The moment from the equation of the section as a boundary value problem (SciPy), half of it by symmetry."""
    from scipy.integrate import solve_bvp

    stiff, half = E * thickness**3 / (12 * (1 - nu**2)), 0.5 * radius * angle
    rate = lambda y, z: np.vstack([z[1:4], -E * thickness * k * k / stiff * z[0]])
    ends = lambda a, b: np.array([a[1], a[3], b[2] - (1 / radius - nu * k), b[3]])
    y = np.linspace(0, half, 60)
    z = solve_bvp(rate, ends, y, np.zeros((4, 60)), tol=1e-6).sol(np.linspace(0, half, 4001))
    return 2 * np.trapezoid(stiff * (k + nu * (z[2] - 1 / radius)) + E * thickness * k * z[0] ** 2, dx=half / 4000)


def test_the_moment_curve():
    """The closed form against the differential equation in both senses; moments of folds as published; the stiffness of
    the unloaded section."""
    k = np.array([-20.0, -0.3, 1.0])
    assert wuest(k, *TAPE) == pytest.approx([by_edges(one, *TAPE) for one in k], rel=1e-4)
    assert wuest(-1 / 0.0133, *TAPE) == pytest.approx(-1.3 * D * 1.85, rel=3e-3)
    assert wuest(1 / 0.0133, *TAPE) == pytest.approx(0.7 * D * 1.85, rel=4e-2)  # edges of the flat strip
    R, a, t, E, _ = TAPE
    I = R**3 * t * (a / 2 + np.sin(a) / 2 - 4 * np.sin(a / 2) ** 2 / a)  # of an arc about its centre of area
    deep = wuest(1e-7, R, 0.02, t, E, 0.0) / 1e-7  # shallow, as the formula has it
    assert deep == pytest.approx(E * (R * 0.02 * t**3 / 12 + R**5 * 0.02**5 * t / R**2 / 720), rel=1e-6)
    assert wuest(1e-6, *TAPE) / 1e-6 == pytest.approx(E * I, rel=0.15)


def test_curvatures_that_hardly_flatten_the_section():
    """Where the formula is a difference of equals its series: both of a slope that is nearly constant, as far as the
    digits of the difference go."""
    R, a, t, _, nu = TAPE
    edge = t * (0.02 / (3 * (1 - nu**2)) ** 0.25 / (R * a)) ** 2  # x = 0.02
    slopes = [wuest(s * x * edge, *TAPE) / (s * x * edge) for s in (1.0, -1.0) for x in (1e-4, 0.5, 0.98, 1.02, 4.0)]
    assert slopes == pytest.approx([slopes[0]] * 10, rel=1e-4)


def test_the_law():
    """The curve lies on the formula, on both sides; ``opens`` turns it round."""
    for opens in (1, -1):
        law = tape_spring_law(*TAPE, opens=opens)
        k = np.linspace(-100, 100, 1201)
        M = np.array([section_laws.moment(np.array(law.parameters), 0, 0, one)[0] for one in k])
        want = -opens * wuest(-opens * k, *TAPE)
        assert np.abs(M - want).max() < 2e-4 * np.abs(want).max()
        fold = M[[int(np.abs(k - side / 0.0133).argmin()) for side in (opens, -opens)]] * [opens, -opens]
        assert fold == pytest.approx([1.3 * D * 1.85, 0.7 * D * 1.85], rel=5e-2)
    wrong = {
        "angle": (4.0, "open section"),
        "thickness": (0.01, "thin strip"),
        "E": (0.0, "E of a tape"),
        "nu": (0.5, "nu of a tape"),
        "opens": (0, "opens of"),
    }
    for name, (value, words) in wrong.items():
        with pytest.raises(hn.ModelError, match=words):
            tape_spring_law(**({"radius": 0.0133, "angle": 1.85, "thickness": 1e-4, "E": 131e9} | {name: value}))
    with pytest.raises(hn.ModelError, match="density of a tape"):
        tape_spring(hn.Model(), [(0, 0, 0), (1, 0, 0)], *TAPE[:3], E=1e9, density=0.0, plane="xy")


@pytest.mark.slow
def test_it_snaps():
    """Bent by a torque, along its arc length: it turns at the peak of the published curve, whatever the elements."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    tape = tape_spring(m, [(0, 0, 0), (0.2, 0, 0)], *TAPE[:3], E=TAPE[3], density=8300.0, plane="xy", elements=7)
    m.fixed(tape.first, m.ground, at=(0, 0, 0))
    m.vtorque(m.marker(tape.last), m.ground, "0", "0", "0.4*TIME", rm=m.marker(m.ground))
    path = hn.Simulation(m).path("time", 1.0, points=30)
    peak = -wuest(-np.linspace(0.01, 5.0, 20000), *TAPE).min()
    assert 0.4 * path.limits[0].parameter == pytest.approx(peak, rel=1e-5) and path.limits[0].kind == "maximum"
