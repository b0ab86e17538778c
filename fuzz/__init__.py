"""Seeded generators that try to break Holonom: ``make fuzz SECONDS=600``.

A generator is a module of this folder with

- ``LIMIT``: seconds of CPU that one case may take;
- ``SLICE``: how many cases ``make test-all`` runs (``make test`` fewer of the dear ones: `test_fuzz_slices.py`);
- ``attempt(seed)``: builds the case of this seed, runs it against its oracle and returns nothing.  It raises `Finding`
  when an answer is wrong; any other exception, and more CPU than ``LIMIT``, is a finding too.  It may return a keyword
  (``"refused"``, ``"ran"``) for the counts.

Generators may stand in other folders too: ``FUZZ_PATH`` names them, as PATH does.

The same seed makes the same case on every machine, so a finding is repeated by ``python -m fuzz NAME SEED``.
"""

from __future__ import annotations

import importlib
import os
import pkgutil

__path__ += [folder for folder in os.environ.get("FUZZ_PATH", "").split(os.pathsep) if folder]


class Finding(AssertionError):
    """A wrong answer, a silent loss or a raw error, in one sentence."""


def names() -> list[str]:
    """Names of all generators, in alphabetical order."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))


def generator(name: str):
    """The module of one generator; ValueError when there is none of that name."""
    if name not in names():
        raise ValueError(f"no generator is called {name!r}: there are {', '.join(names())}")
    return importlib.import_module(f"{__name__}.{name}")
