"""The condition number of the iteration matrix does not depend on contacts that are idle; its size does."""

import importlib.util
from pathlib import Path

import numpy as np

import holonom as hn

SOURCE = Path(__file__).resolve().parents[2] / "benchmarks" / "contact_conditioning.py"
spec = importlib.util.spec_from_file_location("contact_conditioning", SOURCE)
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)


def balls(idle: int) -> hn.Model:
    """A ball that presses on a plane, and ``idle`` ones that hang far above it, on springs."""
    m = hn.Model("balls")
    m.gravity = (0, 0, -9.81)
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    for k in range(1 + idle):
        z = 0.0999 if k == 0 else 5.0
        ball = m.part(f"ball {k}", 1.0, (0.004,) * 3, (float(k), 0, z))
        m.contact(m.sphere(ball, (float(k), 0, z), 0.1), floor, stiffness=1e6, exponent=1.5, damping=10.0, dmax=1e-3)
        if k:
            top = m.marker(m.ground, (float(k), 0, 6.0))
            m.spring_damper(m.marker(ball), top, stiffness=100.0, damping=1.0, length=0.9)
    return m


def test_idle_contacts_enlarge_the_matrix_and_leave_its_condition():
    of = lambda idle, arrangement: bench.conditioning(balls(idle), arrangement, 1e-4)
    one, many = of(0, "unknown-forces"), of(4, "unknown-forces")
    active = of(4, "active")
    assert one.unknowns == 6 + 3 and many.unknowns == 5 * (6 + 3) and active.unknowns == 5 * 6
    assert many.scaled < 3.0 * one.scaled and active.scaled < 3.0 * one.scaled


def test_the_estimate_against_a_dense_inverse():
    A = np.array([[4.0, 1.0, 0.0], [2.0, 1e-3, 1.0], [0.0, -1.0, 3e2]])
    exact = np.linalg.norm(A, 1) * np.linalg.norm(np.linalg.inv(A), 1)
    sparse = bench.sp.csc_matrix(A)
    assert 0.3 * exact < bench.condition(sparse) < exact * (1 + 1e-12)
    largest = abs(bench.scaled(sparse, 20)).max(axis=0).toarray()
    assert np.abs(largest - 1.0).max() < 1e-3
