"""The command line: ``holonom run``, ``linear``, ``check``, ``equations``, ``export``, ``report``, ``compare``,
``compare-formulations``, ``clearance``, ``fatigue``, ``vehicle``, ``rail``, ``structures``, ``machinery``,
``flexible``, ``study``, ``convert``, ``fmu``, ``demo``, ``studio``, ``warmup``, ``version``; one module for each
group of commands.

There is no physics here. Heavy modules are imported inside the command that needs them, so that help appears at once.

Exit codes: 0 done; 1 a run failed part-way (the results so far are kept), or compared runs differ; 2 bad input; 3
interrupted (the results so far are kept); 4 internal error (``--debug`` shows where).
"""

from __future__ import annotations

import sys

from .application import INTERRUPTED, app, complain
from .files import read_model

# the help lists commands in this order
# isort: off
from . import run, models, results, start, vehicle, rail, structures, machinery, flexible, studies  # noqa: F401

# isort: on

__all__ = ["app", "main", "read_model"]


def main() -> None:
    """Entry point of the ``holonom`` command."""
    try:
        app()
    except KeyboardInterrupt:  # while Python was still importing
        complain("stopped by the user", "interrupted")
        sys.exit(INTERRUPTED)
