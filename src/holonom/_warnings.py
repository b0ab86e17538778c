"""Warnings and messages about models, files and runs.

`warn_model` issues a `ModelWarning` through Python's `warnings`, at the line of the caller's own code, so that a script
shows it once and a filter can silence it or turn it into an error. `Model.warn` and `Simulation.warn` issue it
and keep it: in ``model.warnings``, and in ``run.info["warnings"]``, which `print(run)`, reports, the command line and
the Studio show.  Messages that need no attention go to the logger "holonom" at level INFO.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: messages and progress of runs, at level INFO; silent unless the application configures logging
LOG = logging.getLogger("holonom")

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class ModelWarning(UserWarning):
    """A warning about a model, a file or the results of a run: results may not be what they seem.

    ``warnings.simplefilter("error", holonom.ModelWarning)`` turns them into errors, ``"ignore"`` silences them (they
    remain in ``run.info["warnings"]``).
    """


class WarningText(str):
    """A message that is a warning: where messages are collected in a list, those of this class are issued as
    `ModelWarning` by `Simulation.say`."""

    __slots__ = ()


def warn_model(text: str) -> None:
    """Issue ``text`` as a `ModelWarning` at the nearest line outside this package, which is the line of the user's
    script."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((_PACKAGE, "<frozen")):
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None:
        warnings.warn_explicit(str(text), ModelWarning, "holonom", 1)
        return
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    # without a module (code of `exec` whose globals have no __name__) Python drops a warning silently
    module = frame.f_globals.get("__name__") or "<unknown>"
    warnings.warn_explicit(str(text), ModelWarning, frame.f_code.co_filename, frame.f_lineno, module, registry)


@contextmanager
def model_warnings_to(receive: Callable[[str], object]) -> Iterator[None]:
    """Inside, the text of every `ModelWarning` goes to ``receive``, once, instead of to standard error; other warnings
    are shown as before.

    As `warnings.catch_warnings`, which it uses, it acts on the whole process."""
    seen: set[str] = set()
    with warnings.catch_warnings():
        show = warnings.showwarning

        def shown(message, category, *where, **more):
            if not issubclass(category, ModelWarning):
                show(message, category, *where, **more)
            elif str(message) not in seen:
                seen.add(str(message))
                receive(str(message))

        warnings.simplefilter("always", ModelWarning)
        warnings.showwarning = shown
        yield
