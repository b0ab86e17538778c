"""What is said of a run whose energy grows without a source: when, by how much, and which contacts touch."""

from types import SimpleNamespace

import numpy as np
import pytest

from holonom.analyses.work import gain


def recorder(kinetic, points, dissipated=None):
    n = len(kinetic)
    zero = [0.0] * n
    rows = {"time": list(range(n)), "energy_kinetic": kinetic, "energy_gravity": zero, "energy_elastic": zero, "energy_input": zero,
            "energy_dissipated": dissipated or zero, "contact_points": [np.array(p) for p in points]}  # fmt: skip
    names = [SimpleNamespace(label=f"CONTACT/{k} 'pair{k}'") for k in range(1, len(points[0]) + 1)]
    return SimpleNamespace(rows=rows, contacts=names)


def test_it_names_the_contacts_that_touch():
    text = gain(recorder([1.0, 0.5, 1.2], [[0, 0], [0, 3], [0, 0]]), 0, 1e-6, "J")
    assert "at time 2 the energy has grown by 0.2 J" in text and "CONTACT/2 'pair2'" in text and "pair1" not in text
    text = gain(recorder([1.0, 0.5, 1.2], [[0] * 6] * 3), 0, 1e-6, "J")  # between outputs: all, in short
    assert "'pair4' and 2 more" in text
    text = gain(recorder([1.0, 0.5, 1.2], [[], [], []]), 0, 1e-6, "J")
    assert "contact in" not in text


@pytest.mark.parametrize("kinetic, lost", [([1.0, 0.5, 1.002], None), ([1.0, 0.4, 0.9], [0.0, 0.6, 0.1])])
def test_what_is_within_the_tolerance_or_paid_is_not_told(kinetic, lost):
    assert gain(recorder(kinetic, [[1]] * 3, lost), 0, 1e-6, "J") is None


def test_what_dampers_took_does_not_come_back():
    """The kinetic energy falls, but dampers are said to have taken more than that."""
    assert gain(recorder([1.0, 0.5, 0.5], [[1]] * 3, [0.0, 0.8, 0.8]), 0, 1e-6, "J") is not None


def test_rounding_in_free_flight_is_no_gain():
    assert gain(recorder([3.0, 3.0 - 4e-16, 3.0 + 4e-16], [[0]] * 3), 0, 1e-6, "J") is None
    assert gain(recorder([3.0, 3.0, 3.0 + 2e-5], [[0]] * 3), 0, 1e-6, "J") is not None
