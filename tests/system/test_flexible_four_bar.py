"""A four-bar whose coupler bends, against values of a program for this mechanism alone: planar equations written out in
minimal form about mean-axis modes of a cloud of mass points, by DOP853 at 1e-11, without stiffness by stress (five
coordinates, five constraints)."""

import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))

from flexible_machines import four_bar  # noqa: E402

#: at 0.1 s, by modes: modal coordinates (their signs are those of the shapes), and the centre of mass of the coupler
VALUES = {
    2: ((1.96983783e-05, 9.20810037e-06), (0.18597597, 0.09948314)),
    4: ((1.85706782e-05, 9.20277044e-06, 6.33849080e-07, 8.78830374e-07), (0.185977, 0.09948232)),
}


@pytest.mark.parametrize("modes", VALUES)
def test_against_a_program_for_it_alone(modes):
    q, place = VALUES[modes]
    run = hn.simulate(four_bar(modes, geometric=False), end=0.1, steps=10, integrator="RADAU5", error=1e-9)
    assert np.abs(np.abs(run.state("FLEXIBILITY_1").values[-1, ::2]) - q).max() < 1e-5 * max(q)
    assert run.part("coupler").position.values[-1, :2] == pytest.approx(place, abs=1e-7)
