"""Tests that never end are stopped, in Python code and in compiled code."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from _cpu_limit import TooLong, limited


def test_an_endless_loop_is_left():
    with pytest.raises(TooLong, match="this one has used 0.05 s of CPU time"), limited(0.05, "this one"):
        while True:
            pass


def test_what_ends_in_time_is_not_touched():
    with limited(5, "a sum"):
        assert sum(range(1000)) == 499500


def test_code_without_python_in_it_ends_with_its_process():
    """`sum` over an endless iterator answers no signal, as a kernel."""
    code = "from itertools import repeat; from _cpu_limit import limited\nwith limited(0.1, 'x'): sum(repeat(1))"
    r = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent, capture_output=True, text=True)
    assert r.returncode < 0 and 'File "<string>", line 2' in r.stderr


def test_a_test_of_the_run_is_limited():
    assert signal.getitimer(signal.ITIMER_PROF)[0] > 0, "the plugin of conftest.py is not at work"
