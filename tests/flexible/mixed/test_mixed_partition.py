"""A partition into nodes and modes without a reference run, checked against one."""

import numpy as np
import pytest

import holonom as hn
from holonom.flexible import Material, mixed

pytest.importorskip("skfem")
STEEL = Material(2.1e11, 0.3, 7850.0)


def bars():
    R = 0.01
    across = mixed.graded(2e-4, R, 1.5, even=3)
    along = lambda L: mixed.graded(2e-4, L, 1.6, 1e-2, even=2)
    one = mixed.axisymmetric(
        mixed.bar(R, 0.2, across, along(0.2), R, up=False), Material(1.0e11, 0.34, 8500.0), name="brass"
    )
    other = mixed.axisymmetric(mixed.bar(R, 0.3, across, along(0.3)), Material(7.0e10, 0.33, 2700.0), name="aluminium")
    return mixed.Contact(one, other, ("end", "end")), dict(velocity=((0, 0.21), (0, 0)), end=3.4e-4, step=4e-7)


def roller():
    """The round end of a free block on a held one, plane strain."""
    half = mixed.graded(1e-4, 0.006, 1.9, even=3)
    lines, along = np.concatenate([-half[:0:-1], half]), mixed.graded(1e-4, 0.02, 2.0, 4e-3, even=1)
    sag = lambda x: 0.02 - np.sqrt(0.02**2 - x**2)
    one = mixed.plane(
        mixed.grid(lines, along, lambda X, Y: (X, Y + sag(X) * np.maximum(0, 1 - Y / 0.01))),
        STEEL,
        thickness=0.01,
        name="round",
    )
    other = mixed.plane(mixed.grid(lines, -along[::-1]), STEEL, thickness=0.01, name="flat").hold("y-")
    return mixed.Contact(one, other, ("y-", "y+")), dict(velocity=((0, -0.4), (0, 0)), end=4e-5, step=1e-7)


@pytest.mark.parametrize("make, accuracy", [(bars, 0.02), (bars, 0.005), (roller, 0.02)])
def test_accuracy_without_a_reference(make, accuracy):
    contact, how = make()
    full = mixed.collide(contact, **how)
    found = mixed.partition(contact, **how, accuracy=accuracy)
    assert abs(found.course.peak / full.peak - 1) < accuracy
    assert 1 - mixed.correlation(found.course.force, full.force) < 0.5 * accuracy
    assert found.size < 0.12 * (contact.one.freedoms + contact.other.freedoms)
    last = found.history[-1]
    assert (
        last["indicator"] <= 0.5 * accuracy and last["change"] <= 0.5 * accuracy and last["coordinates"] == found.size
    )
    touched = np.flatnonzero(found.course.touched)
    assert np.isin(touched, found.nodes[0]).all() and not found.course.warnings
    again = mixed.collide(contact, found.coordinates, **how)
    assert again.peak == pytest.approx(found.course.peak, rel=1e-9)


def test_prediction_is_that_of_hertz():
    """The energy of the approach in two round ends: k d^2.5 2/5 = m v^2 / 2, a^2 = R d (mesh of four edges in the
    contact: some per cent)."""
    contact, how = bars()
    found = mixed.partition(contact, **how)
    m = 1 / (1 / contact.one.mass + 1 / contact.other.mass)
    E = 1 / ((1 - 0.34**2) / 1e11 + (1 - 0.33**2) / 7e10)
    d = (0.5 * m * 0.21**2 * 2.5 / (4 / 3 * E * np.sqrt(0.01))) ** 0.4
    assert found.predicted.force == pytest.approx(4 / 3 * E * np.sqrt(0.01) * d**1.5, rel=0.15)
    assert found.predicted.extent == pytest.approx(np.sqrt(0.01 * d), abs=1.5e-4)


def test_bad_partitions():
    contact, how = bars()
    for more, words in (
        (dict(accuracy=0.0), "from 1e-4 to 0.5"),
        (dict(modes=1.5), "whole number from 0"),
        (dict(modes=2, accuracy=0.002), "2 modes of '.*' are too few"),
        (dict(velocity=((0, -0.21), (0, 0))), "do not approach"),
        (dict(samples=3), "leave samples out"),
    ):
        with pytest.raises(hn.ModelError, match=words):
            mixed.partition(contact, **(how | more))
    apart = mixed.Contact(contact.one.moved((0, -1e-3)), contact.other, ("end", "end"))
    with pytest.raises(hn.ModelError, match="do not touch up to"):
        mixed.partition(apart, **how)
