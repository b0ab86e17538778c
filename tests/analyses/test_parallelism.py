"""Loops of hinges whose axes are nearly parallel: they cannot move, and the message names the axis and its angle."""

import numpy as np
import pytest

import holonom as hn


def four_bar(degrees, driven, tilted="C"):
    """A four-bar with the axis of one hinge turned out of the plane."""
    m = hn.Model("four-bar", units="SI")
    m.gravity = (0, -9.81, 0)
    axis = lambda name: (np.sin(np.radians(degrees)), 0, np.cos(np.radians(degrees))) if name == tilted else (0, 0, 1)
    points = {"A": (0, 0, 0), "B": (0, 0.3, 0), "C": (1.0, 0.6, 0), "D": (0.8, 0, 0)}
    middle = lambda p, q: tuple((np.array(points[p]) + np.array(points[q])) / 2)
    crank = m.part("crank", 1.0, (0.01, 0.01, 0.01), middle("A", "B"))
    rod = m.part("rod", 2.0, (0.1, 0.1, 0.1), middle("B", "C"))
    rocker = m.part("rocker", 1.5, (0.05, 0.05, 0.05), middle("C", "D"))
    for name, i, j in (("A", crank, m.ground), ("B", crank, rod), ("C", rod, rocker), ("D", rocker, m.ground)):
        joint = m.revolute(i, j, name, at=points[name], axis=axis(name))
        if name == "A" and driven:
            m.motion(joint, "2*TIME")
    if not driven:
        crank.wz = 1.0
    return m


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("degrees, tilted", [(1e-5, "C"), (1e-3, "B")])
def test_the_axis_and_its_angle_are_named(degrees, tilted, driven):
    with pytest.raises(hn.ModelError) as error:
        hn.simulate(four_bar(degrees, driven, tilted), 1.0, 20)
    text = str(error.value)
    assert f"'{tilted}' is {degrees:.3g} degrees out of parallel" in text
    assert driven or "follow its motions" not in text and "motions that require" not in text


@pytest.mark.parametrize("driven", [False, True])
def test_within_roundoff_it_moves(driven):
    run = hn.simulate(four_bar(1e-7, driven), 0.5, 10)
    turned = run.joint("A").angle.values
    assert abs(turned[-1] - turned[0]) > 0.05
    flat = hn.simulate(four_bar(0.0, driven), 0.5, 10).joint("A").angle.values
    np.testing.assert_allclose(turned, flat, atol=1e-6)


def test_a_loop_that_does_not_move_at_all_is_a_warning():
    with pytest.warns(hn.ModelWarning, match="'C' is 0.3 degrees out of parallel"):
        hn.simulate(four_bar(0.3, False), 0.5, 5)
