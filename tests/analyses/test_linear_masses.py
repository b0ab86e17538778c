"""Linear analyses of parts with sliding masses, against closed forms and against slim parts on translational joints."""

import numpy as np
import pytest
from tests.system.test_nodes import hanging, machine

import holonom as hn

W, K, C, MASS = 5.0, 400.0, 0.5, 0.5  # rad/s, N/m, N s/m, kg

pytestmark = pytest.mark.slow  # two minutes of compilation for the forms of masses alone


def ordered(values):
    return values[np.lexsort((values.imag.round(5), values.real.round(5)))]


def near(found, wanted, error):
    wanted = ordered(np.asarray(wanted, complex))
    assert len(found) == len(wanted)
    assert np.abs(ordered(found) - wanted).max() < error * np.abs(wanted).max()


def rotor():
    m = hn.Model()
    m.gravity = (0, 0, 0)
    body = m.part("rotor", 3.0, (0.3, 0.3, 0.4))
    body.wz = W
    return m, body


def at_once(model, **wanted):
    """The linear analysis at the initial conditions."""
    sim = hn.Simulation(model)
    sim.initial()
    return sim.linearize(**wanted)


@pytest.mark.parametrize("marked", [False, True])
def test_spinning_top_with_a_mass_on_its_axis(marked):
    """A symmetric top about its lower end: precession at I3 w / I1; the mass swings by itself.  What the masses couple
    is gyroscopic here."""
    m, body = rotor()
    mass = m.sliding_mass(body, (0, 0, 0), (0, 0, 1), mass=MASS, stiffness=K, damping=C, length=0.3, travel=0.3)
    if marked:
        m.marker_at(mass, (0, 0, 0.3))
    m.spherical(m.marker_at(body, (0, 0, -1)), m.marker_at(m.ground, (0, 0, -1)))
    precession = 0.4 * W / (0.3 + 3.0 + MASS * 1.3**2)
    swing = np.emath.sqrt((C / 2 / MASS) ** 2 - K / MASS)
    near(at_once(m).eigenvalues, [0, 0, 0, 0, 1j * precession, -1j * precession, -0.5 + swing, -0.5 - swing], 1e-7)


def test_masses_that_swing_out_on_a_rotor():
    """Two masses on a spoke each: in phase they change the spin (w I = const.), against each other they do not."""
    m, body = rotor()
    s = 0.3
    for way in (1, -1):
        m.sliding_mass(
            body, (0, 0, 0), (way, 0, 0), mass=MASS, stiffness=K, damping=C, length=s - MASS * W**2 * s / K, travel=s
        )
    m.revolute(body, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    found = at_once(m, rm=m.markers[body.cm])
    inertia = 0.4 + 2 * MASS * s**2
    together, apart = K / MASS - W**2 + 8 * MASS * s**2 * W**2 / inertia, K / MASS - W**2
    swings = [-0.5 + way * np.emath.sqrt(0.25 - square) for square in (together, apart) for way in (1, -1)]
    near(found.eigenvalues, [0, 0, *swings], 1e-7)


def springs(m, cart, mass):
    for p in ((0.3, 0.3, 0.2), (0, 0.1, 0.2), (0.1, 0.4, 0.2)):
        m.spring_damper(
            m.marker_at(cart, p),
            m.marker_at(m.ground, np.array(p) + (0.1, 0, 1.0)),
            stiffness=200.0,
            damping=2.0,
            length=0.9,
        )


@pytest.mark.parametrize("build", [springs, hanging])
def test_modes_and_their_energies_are_those_of_slim_parts(build):
    found, wanted = (static(machine(build, twin=twin)) for twin in (False, True))
    near(found.eigenvalues, wanted.eigenvalues, 1e-7)
    assert len(found.modes) == len(wanted.modes) > 6
    for mode in range(1, len(found.modes) + 1):
        one, other = (shares(of, mode) for of in (found, wanted))
        assert one.keys() == other.keys()
        assert all(np.allclose(one[key], other[key], rtol=1e-4, atol=1e-4) for key in one), (mode, one, other)


def shares(linear, mode):
    """Energies of a mode by body and by force; the spring of the mass is a force of its own in the twin."""
    name = lambda key: "bob" if key[:2] == ("VFORCE", 1) else key[2]
    out = {("body", name(key)): row for key, row in zip(linear.bodies, linear.kinetic_energy(mode), strict=True)}
    strain, rest = linear.strain_energy(mode)
    lost = linear.dissipated_energy(mode)
    out["rest"] = rest
    return out | {
        ("force", name(key)): pair for key, pair in zip(linear.forces, np.column_stack([strain, lost]), strict=True)
    }


def static(m):
    sim = hn.Simulation(m)
    sim.statics()
    return sim.linearize()


def test_masses_without_markers_are_bodies_of_a_linear_analysis(tmp_path):
    """They carry energy, they are kept, and matrices over names of coordinates have their modes."""
    model = machine(springs)
    cart = model.parts[next(k for k in model.parts if model.parts[k].name == "cart")]
    model.sliding_mass(cart, (0.2, 0.1, 0.1), (0, 1, 0), mass=0.3, stiffness=25.0, damping=0.1)
    linear = static(model)
    assert [key[:2] for key in linear.bodies] == [("PART", cart.id), ("SLIDING_MASS", 1), ("SLIDING_MASS", 2)]
    energy = [linear.kinetic_energy(k)[2].sum() for k in range(1, len(linear.modes) + 1)]
    assert max(energy) > 0.5  # there is one in which it moves the most
    back = type(linear).load(linear.save(tmp_path / "masses.h5"))
    assert np.array_equal(back.A, linear.A) and back.bodies == linear.bodies and back.forces == linear.forces
    found = linear.mkb()
    n = len(found["M"])
    assert n == 8
    inverse = np.linalg.inv(found["M"])
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ found["K"], -inverse @ found["B"]]])
    near(np.linalg.eigvals(A), linear.eigenvalues, 1e-7)
    assert linear.animate(1, tmp_path / "mode.html").stat().st_size > 1000
