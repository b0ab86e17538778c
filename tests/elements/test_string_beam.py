"""BEAM with FORMULATION = STRING: stiffened by tension, weakened by compression and shortened by bending as closed
forms have it, with an energy."""

import math

import numpy as np
import pytest
from test_nonlinear_beam import EI, SECTION, E, L, cantilever

import holonom as hn
from holonom.elements.forces.string_beam import components
from holonom.formats import parse_adm
from holonom.model.forces import Beam
from holonom.model.idle import idle


def tip(n, load, formulation="STRING"):
    """Place of the tip in equilibrium."""
    m, name = cantilever(n, formulation, load)
    return hn.simulate(m, kind="statics").part(name).position.values[-1]


def test_forces_are_the_slopes_of_the_energy():
    """The written functions against differences of U (Przemieniecki's cubic shapes) and a full matrix of dampings."""
    length, area, ixx, iyy, izz, modulus, shear = 1.3, 0.02, 3e-3, 1e-3, 2e-3, 2e3, 8e2
    C = np.arange(36.0) - 11.0
    section = dict(area=area, ixx=ixx, iyy=iyy, izz=izz)
    beam = Beam(length=length, emodulus=modulus, gmodulus=shear, cmatrix=tuple(C), formulation="STRING", **section)

    def energy(q):
        x, y, z, a, b, c = q
        t = np.linspace(0.0, 1.0, 2001)  # along the beam: cubic shapes with end slopes c and -b
        slope_y = (6 * t - 6 * t**2) * y / length + (3 * t**2 - 2 * t) * c
        slope_z = (6 * t - 6 * t**2) * z / length - (3 * t**2 - 2 * t) * b
        bend_y = ((6 - 12 * t) * y / length + (6 * t - 2) * c) / length
        bend_z = ((6 - 12 * t) * z / length - (6 * t - 2) * b) / length
        whole = lambda f: length * np.trapezoid(f, t)
        stretch = x - length + 0.5 * whole(slope_y**2 + slope_z**2)
        bent = 0.5 * modulus * whole(izz * bend_y**2 + iyy * bend_z**2)
        return modulus * area / (2 * length) * stretch**2 + bent + 0.5 * shear * ixx / length * a**2

    q, v = np.array([1.32, 0.05, -0.08, 0.2, 0.11, -0.07]), np.array([0.3, -0.2, 0.5, 0.7, -0.4, 0.9])
    names = {n: lambda *_, k=k: q[k] for k, n in enumerate(("DX", "DY", "DZ", "AX", "AY", "AZ"))}
    names |= {n: lambda *_, k=k: v[k] for k, n in enumerate(("VX", "VY", "VZ", "WX", "WY", "WZ"))}
    found = [eval(text, names) for text in components(beam, 1, 2)]
    step = 1e-4 * np.eye(6)
    slopes = [(energy(q + d) - energy(q - d)) / 2e-4 for d in step]
    assert found == pytest.approx(-np.array(slopes) - C.reshape(6, 6) @ v, rel=2e-6)


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_a_tension_stiffens_it(share):
    """Tip load F under a tension P (Timoshenko, Gere, Theory of Elastic Stability, 1.11): y = F/(P k) (k L - tanh k L),
    k^2 = P/EI."""
    P, F = share * EI / L**2, 1e-3 * EI / L**2
    k = math.sqrt(P / EI)
    want = F / (P * k) * (k * L - math.tanh(k * L))
    assert tip(4, (P, F, 0.0))[1] == pytest.approx(want, rel=1e-3)
    assert tip(4, (P, 0.0, F))[2] == pytest.approx(want, rel=1e-3)


def test_a_compression_weakens_it():
    """y = F/(P k) (tan k L - k L), at 0.8 of the load of Euler; without bending shapes of its own one linear beam does
    not see the load."""
    P, F = 0.8 * math.pi**2 / 4 * EI / L**2, 1e-4 * EI / L**2
    k = math.sqrt(P / EI)
    assert tip(4, (-P, F, 0.0))[1] == pytest.approx(F / (P * k) * (math.tan(k * L) - k * L), rel=2e-3)
    assert tip(1, (-P, F, 0.0), "LINEAR")[1] == pytest.approx(F * L**3 / (3 * EI), rel=1e-4)


def test_one_beam_has_the_geometric_stiffness_of_the_books():
    """Przemieniecki, 15.3: (K + P K_G) (y, c) = (F, 0); it buckles at 2.4860 EI/L^2."""
    K = EI / L**3 * np.array([[12, -6 * L], [-6 * L, 4 * L * L]])
    G = np.array([[36, -3 * L], [-3 * L, 4 * L * L]]) / (30 * L)
    assert np.linalg.det(K - 2.48596 * EI / L**2 * G) == pytest.approx(0.0, abs=1e-4 * np.linalg.det(K))
    for P in (-2.3, -1.0, 4.0):
        F = 1e-4 * EI / L**2
        want = np.linalg.solve(K + P * EI / L**2 * G, [F, 0.0])[0]
        assert tip(1, (P * EI / L**2, F, 0.0))[1] == pytest.approx(want, rel=1e-4)


def test_a_bent_beam_is_shortened():
    """Without an axial force its end approaches by S/2 = 3/5 y^2/L for a load at the tip."""
    place = tip(1, (0.0, 3 * EI * 0.05 / L**2, 0.0))
    assert L - place[0] == pytest.approx(0.6 * place[1] ** 2 / L, rel=2e-3)


def test_its_force_has_an_energy():
    """A free tip mass in the plane: kinetic energy and that of the law stay the same sum."""
    m, name = cantilever(1, "STRING", mass=1.0)
    m.parts[2].vy, m.parts[2].wz = 0.4, 0.9
    run = hn.simulate(m, end=0.5, steps=50, integrator="DOP853", error=1e-10)
    part = run.part(name)
    x, y = part.position.values[:, 0], part.position.values[:, 1]
    axes = part.axes.values
    c = np.arctan2(axes[:, 1, 0], axes[:, 0, 0])
    S = (36 * y * y - 6 * L * y * c + 4 * L * L * c * c) / (30 * L)
    U = (
        0.5 * EI / L**3 * (12 * y * y - 12 * L * y * c + 4 * L * L * c * c)
        + 0.5 * E * SECTION["area"] / L * (x - L + S / 2) ** 2
    )
    v, w = part.velocity.values, part.angular_velocity.values
    T = 0.5 * (v**2).sum(axis=1) + 0.5 * 1e-3 * (w**2).sum(axis=1)
    assert np.ptp(y) > 0.01 and np.ptp(T + U) < 1e-6 * T[0]


def test_damping_is_that_of_the_linear_beam():
    """CRATIO takes energy out: a small vibration fades as with LINEAR."""
    ends = []
    for word in ("LINEAR", "STRING"):
        m, name = cantilever(1, word, mass=1.0, cratio=0.002)
        m.parts[2].vy = 1e-4
        ends.append(hn.simulate(m, end=0.3, steps=30, integrator="DOP853", error=1e-9).part(name).position.values[:, 1])
    assert np.abs(ends[0] - ends[1]).max() < 1e-3 * np.abs(ends[0]).max()


def test_a_dataset_runs_and_says_what_is_computed():
    head = (
        "title\nUNITS/FORCE = NEWTON, MASS = KILOGRAM, LENGTH = METER, TIME = SECOND\nPART/1, GROUND\nMARKER/10, "
        "PART = 1\n"
    )
    body = "PART/2, MASS = 1, CM = 20, IP = 1, 1, 1, QG = 1, 0, 0\nMARKER/20, PART = 2\n"
    beam = (
        "BEAM/{}, I = 20, J = 10, LENGTH = 1, AREA = 1E-4, IXX = 2E-9, IYY = 1E-9, IZZ = 1E-9, EMODULUS = 2E11, "
        "GMODULUS = 8E10, FORMULATION = STRING\n"
    )
    model = parse_adm(head + body + beam.format(1) + beam.format(2) + "END\n", "t.adm")
    told = [text for text in idle(model) if "STRING" in text]
    assert len(told) == 1 and "BEAM/1" in told[0] and "and 1 more" in told[0] and "are not published" in told[0]
    assert np.isfinite(hn.simulate(model, end=0.01, steps=2).data.body_position).all()
