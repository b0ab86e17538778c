"""The law VISCOELASTIC against axisymmetric finite elements of a sphere on a plane (`benchmarks.viscoelastic_contact`),
which are themselves held to closed forms."""

import math

import numpy as np
import pytest
from benchmarks.viscoelastic_contact import DEPTH, SHARES, TIMES, YOUNG, Sphere, compare, creep_of, march, table

from holonom.contact import fits


def test_elements_by_closed_forms():
    """Hertz's force within 5 % (a held sphere is no half-space), a force that grows with depth^1.5, and the
    relaxation of the material."""
    sphere = Sphere(0.006, 1.15)
    force = np.array([sphere.elastic(d - sphere.gap).sum() for d in (DEPTH, 2 * DEPTH)])
    assert force[0] == pytest.approx(4 / 3 * YOUNG / (1 - 0.4**2) * math.sqrt(0.01) * DEPTH**1.5, rel=0.05)
    assert math.log2(force[1] / force[0]) == pytest.approx(1.5, abs=0.03)
    time = np.array([0.0, 0.03, 0.1, 0.5, 2.0])
    held = march(sphere, time, depth=np.full(5, DEPTH))
    remains = 1 - sum(SHARES) + sum(g * np.exp(-time / tau) for g, tau in zip(SHARES, TIMES))
    assert held.force / held.force[0] == pytest.approx(remains, rel=1e-9)


def test_creep_of_the_law_by_its_compliance():
    """One branch: J(t)/J(0) = 1/g - (1/g - 1) exp(-g t / tau)."""
    law = fits.PronyFit(2e5, 1.5, (0.4,), (0.1,), 0.0)
    time = np.linspace(0.0, 1.0, 11)
    found = creep_of(law, time, 0.05)
    want = (0.05 / 2e5 * (1 / 0.6 - (1 / 0.6 - 1) * np.exp(-0.6 * time / 0.1))) ** (2 / 3)
    assert found == pytest.approx(want, rel=1e-4)


@pytest.mark.slow
def test_law_and_elements():
    found = compare()
    assert found.law.shares == pytest.approx(SHARES, abs=1e-4)
    off = lambda a, b: np.abs(a - b).max() / np.abs(a).max()
    assert off(found.ramp.force, found.by_law["ramp"]) < 0.02
    assert off(found.creep.depth, found.by_law["creep"]) < 0.01
    assert (
        0.03 < off(found.cycle.force, found.by_law["cycle"]) < 0.1
    )  # the area of contact shrinks: Ting, not Lee and Radok
    assert found.friction[1] == pytest.approx(1.0, abs=5e-3)
    assert "friction over mu N" in table(found)
