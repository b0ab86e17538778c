"""Whoever follows a run sees its rows, changes nothing, and may stop it."""

from pathlib import Path

import numpy as np

import holonom as hn

FILE = Path(hn.__file__).parent / "models" / "double_pendulum.adm"


def test_rows_are_those_of_the_run_and_bits_stay():
    seen = []
    plain = hn.simulate(hn.read_adams(FILE), 0.2, 10)
    run = hn.simulate(hn.read_adams(FILE), 0.2, 10, follow=lambda t, row: seen.append((t, row["body_position"].copy())))
    assert [t for t, _ in seen] == run.time.tolist()
    assert np.array_equal(np.stack([p for _, p in seen]), run.data.body_position)
    assert np.array_equal(plain.data.constraint_force, run.data.constraint_force)


def test_who_follows_may_stop_it():
    def stop(t, row):
        if t > 0.05:
            raise KeyboardInterrupt

    run = hn.simulate(hn.read_adams(FILE), 0.2, 20, follow=stop)
    assert run.info["stopped"].startswith("stopped by the user") and 0.05 < run.time[-1] < 0.1
