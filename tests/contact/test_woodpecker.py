"""The woodpecker toy against the stored run of another program: equations of small angles, which the example meets when
play and weight are scaled.

The published equations are linear: M q'' + K q = f, gaps W^T q + b, for q = (height, angle of the sleeve, angle of the
bird).  With f, b and the start multiplied by one number, so is q, at the same times: for a small number our large-angle
model is theirs.

After the second peck (0.228 s) the sleeve strikes several times within a millisecond; which of these fall into one step
decides by how much it drops, so only the first 0.2 s are compared.
"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import holonom as hn

ROOT = Path(__file__).resolve().parents[2]
SCALE, STEP = 1e-3, 2e-5
# Siconos, examples/Mechanics/Woodpecker/Woodpecker.ref (Moreau-Jean, 2e-5 s): time; height, its rate, angle and rate of
# sleeve, of bird
STORED = {
    0.001: (
        -3.374336917686172e-04,
        -3.336467521231554e-01,
        -1.036e-01,
        0.0,
        -2.863056102841972e-01,
        -7.553586406832398e00,
    ),
    0.101: (
        -7.150665647751059e-03,
        -6.500431258925483e-02,
        1.595776503535334e-02,
        -6.660303083984907,
        2.533324165819136e-03,
        -5.615106280463634,
    ),
    0.2: (-2.388345040694615e-02, 0.0, -1.034542612275340e-01, 0.0, -3.309479788550473e-01, 1.646075215954198e01),
}
# of each column: what its values range over in the stored run
RANGE = np.array([0.042, 0.5, 0.21, 60.0, 0.6, 35.0])


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("woodpecker", ROOT / "examples" / "woodpecker.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def small(example):
    """State by time at small angles, in the columns of the stored run, and the run."""
    run = hn.simulate(example.build(SCALE), 0.3, 15000, contact="time-stepping", step=STEP, progress=False)
    sleeve, bird = run.part("sleeve"), run.part("bird")
    tilt, swing = example.angles(run).T
    state = (
        np.array(
            [
                sleeve.position.values[:, 2],
                sleeve.velocity.values[:, 2],
                tilt,
                -sleeve.angular_velocity.values[:, 1],
                swing,
                -bird.angular_velocity.values[:, 1],
            ]
        ).T
        / SCALE
    )
    return run.time, state, run


@pytest.mark.slow
@pytest.mark.parametrize("time", STORED)
def test_stored_run(small, time):
    t, state, _ = small
    np.testing.assert_array_less(np.abs(state[round(time / STEP)] - STORED[time]) / RANGE, 0.01)


@pytest.mark.slow
def test_one_peck_a_period_and_the_sleeve_sticks(example, small):
    t, state, run = small
    rows = example.pecks(run)
    assert len(rows) == 2 and 0.14 < np.diff(t[rows])[0] < 0.15
    assert (np.abs(state[rows[0] : rows[1], 1]) < 1e-6).mean() > 0.2  # not sliding, jammed
    assert (
        np.abs(state[:, 2]).max() < (example.SLEEVE - example.POLE) / example.HALF + 2e-4
    )  # the sleeve keeps to its play
    dissipated = run.energy.dissipated.values
    assert np.diff(dissipated).min() > -1e-9 * dissipated[-1]
