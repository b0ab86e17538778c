"""Diagonal masses of absolute elements: frequencies and the longest step against matrices of polynomials, waves along a
bar against d'Alembert."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy.linalg import eigh

import holonom as hn
from holonom.elements.absolute.lumping import lumped
from holonom.flexible import Section, ancf_beam, ancf_plate, cable

L, EA, MASS, N = 1.0, 1e4, 0.1, 12
SPEED = np.sqrt(EA / MASS)


def cubic(n):
    """Stretching and consistent mass of n cubic elements of the unit length, over (r, r') of each node, by
    polynomials."""
    x = Polynomial([0.0, 1.0])
    shapes = [1 - 3 * x**2 + 2 * x**3, x - 2 * x**2 + x**3, 3 * x**2 - 2 * x**3, x**3 - x**2]
    matrix = lambda d: np.array(
        [[(a.deriv(d) * b.deriv(d)).integ()(1) if d else (a * b).integ()(1) for b in shapes] for a in shapes]
    )
    K, M = np.zeros((2, 2 * n + 2, 2 * n + 2))
    for e in range(n):
        s = slice(2 * e, 2 * e + 4)
        K[s, s] += matrix(1)
        M[s, s] += matrix(0)
    return K, M


def bar(m, **more):
    return cable(m, [(0, 0, 0), (L, 0, 0)], EA=EA, EI=1e-5, mass=MASS, elements=N, **more)


def test_frequencies_and_the_longest_step():
    """Lumped by hand: its frequencies are lower by the share that the page gives, and no step that is reported to be
    stable is not."""
    K, M = cubic(N)
    diagonal = np.diag(M) * M[0::2, 0::2].sum() / np.diag(M)[0::2].sum()
    ours = cubic(1)[1]
    by_element = lumped(np.kron(ours, np.eye(3))[None], np.array([[1.0, 0.0, 1.0, 0.0]]))[0]
    assert by_element == pytest.approx(np.diag(np.diag(by_element))) and np.diag(by_element)[0] == pytest.approx(0.5)
    assert diagonal[2] == pytest.approx(1.0) and diagonal[3] == pytest.approx(2.0 * by_element[3, 3])
    values = np.sqrt(np.maximum(eigh(K, np.diag(diagonal), eigvals_only=True), 0.0))
    k = np.pi / N * np.arange(1, 4)
    assert np.all(-0.025 * k**2 < values[1:4] / k - 1.0) and np.all(values[1:4] / k - 1.0 < -0.0128 * k**2)
    m = hn.Model()
    one, other = bar(m, lumped=True), bar(m, name="other")
    assert (
        2.0 / one.longest_step == pytest.approx(values[-1] * SPEED * N / L, rel=0.05)
        and 2.0 / one.longest_step >= values[-1] * SPEED * N / L
    )
    assert 2.0 / other.longest_step >= (1 - 1e-9) * np.sqrt(eigh(K, M, eigvals_only=True)[-1]) * SPEED * N / L
    assert one.longest_step > 3.5 * other.longest_step


@pytest.mark.parametrize("kind", ["cable", "thin", "conforming", "thick", "planar", "spatial"])
def test_systems_are_made_with_diagonal_masses(kind):
    """Equations of motion are made of each kind of element (they were not, for any)."""
    from holonom.system.build import System

    m = hn.Model()
    if kind == "cable":
        bar(m, lumped=True)
    elif kind in ("planar", "spatial"):
        section, plane = Section.rectangle(0.01, 0.02, shear=True), "xy" if kind == "planar" else None
        ancf_beam(m, [(0, 0, 0), (1, 0, 0)], section, E=2e11, density=7850.0, elements=2, plane=plane, lumped=True)
    else:
        corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        ancf_plate(m, corners, 0.01, E=2e11, density=7850.0, elements=(2, 2), formulation=kind, lumped=True)
    assert System(m).nb > 0


def pulled(h=None, end=1.5 * L / SPEED, **more):
    """A free bar, pulled at its end from the start on, at once; and how far its other end has come."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    c = bar(m, plane="xy", **more)
    m.vforce(m.marker(c.last), m.ground, "1.0", "0", "0", rm=m.marker(m.ground))
    run = hn.simulate(
        m, end=end, steps=30, kind="dynamics", integrator="VELOCITY_VERLET", hmax=h or 0.9 * c.longest_step
    )
    return run, run.part(c.first.name).position.values[-1, 0]


@pytest.mark.slow
def test_a_wave_along_a_bar():
    """Its end comes after L/c with twice the speed F c/EA (d'Alembert); momentum is the force's, energy is kept, longer
    steps than are stable are reported."""
    run, far = pulled(lumped=True)
    assert far == pytest.approx(L / EA, rel=0.02)
    assert abs(run.part("cable.1").position.values[run.time < 0.7 * L / SPEED, 0]).max() < 0.02 * L / EA
    work = run.part(f"cable.{N + 1}").position.values[:, 0] - L
    assert run.energy.total.values == pytest.approx(work, abs=5e-3 * work[-1])
    with pytest.raises(hn.ModelError, match="the fixed step of .* fails"):
        pulled(h=1.05 * 2.0 / (3.6056 * SPEED * N), end=20.0 * L / SPEED)


@pytest.mark.slow
def test_plates_and_beams_have_longer_steps_too():
    """A diagonal mass lets beams and plates step longer, and moves with the same momentum."""
    for kind in ("thin", "conforming", "thick", "planar", "spatial"):
        steps = []
        for one in (False, True):
            m = hn.Model()
            if kind in ("planar", "spatial"):
                bar = Section.rectangle(0.01, 0.02, shear=True)
                body = ancf_beam(
                    m,
                    [(0, 0, 0), (1, 0, 0)],
                    bar,
                    E=2e11,
                    density=7850.0,
                    elements=8,
                    plane="xy" if kind == "planar" else None,
                    lumped=one,
                )
            else:
                corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
                body = ancf_plate(
                    m, corners, 0.01, E=2e11, density=7850.0, elements=(2, 2), formulation=kind, lumped=one
                )
            steps.append(body.longest_step)
        assert steps[1] > 1.2 * steps[0]
