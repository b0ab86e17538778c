"""What is reported while kernels are compiled: on a terminal and in a notebook a count that continues, in the log of a
command one line, else nothing.

Nothing is reported before half a second of compilation, nor when all kernels are found on disk.  On a terminal the
count stands on a line that is wiped whenever compilation pauses, so that what the program itself prints is never mixed
with it; a progress bar that is up shows the count in its own position (`showing`).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

from ._kernel_cache import KernelCache

PATIENCE = 0.5  # seconds of compilation before something is reported
EACH = 0.2  # seconds between two counts


def notebook() -> Any:
    """IPython's ``display`` where a notebook runs this, else None; nothing is loaded to find out."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    return display


def announcement() -> str:
    """Why kernels are compiled, how often, and where they are kept."""
    from ._jit import cache_root
    from ._shipped import FOLDER, shipped

    root = cache_root()
    often = (
        f"once for this version, kept in {root}"
        if root
        else "in every session, as no folder can be written (HOLONOM_CACHE_DIR names one)"
    )
    ready = shipped()
    why = f"; {ready.reason}" if ready.folder is None and FOLDER.is_dir() else ""
    return f"compiling kernels that this kind of model needs ({often}{why})"


class Notice(event.Listener):
    """Hears of every function that Numba compiles and reports ours, with those that they call."""

    def __init__(self) -> None:
        self.wanted, self.log = True, False
        self.count, self._spent = 0, 0.0
        self._depth, self._since = 0, 0.0
        self._last, self._told, self._line = 0.0, False, False
        self._cell: tuple[Any, Any] = None, None
        self._bars: list[Callable[[str], None]] = []

    @property
    def spent(self) -> float:
        """Seconds of compilation so far."""
        return self._spent + (time.monotonic() - self._since if self._depth else 0.0)

    @property
    def words(self) -> str:
        return f"{self.count} kernel{'s' if self.count != 1 else ''} compiled, {self.spent:.0f} s"

    def on_start(self, event: Any) -> None:
        if self._depth == 0 and not isinstance(getattr(event.data["dispatcher"], "_cache", None), KernelCache):
            return  # of another package
        if self._depth == 0:
            self._since = time.monotonic()
        self._depth += 1
        self._show()

    def on_end(self, event: Any) -> None:
        if self._depth == 0:
            return
        if self._depth == 1:
            self._spent = self.spent
        self._depth -= 1
        self.count += isinstance(getattr(event.data["dispatcher"], "_cache", None), KernelCache)
        self._show()
        if self._depth == 0:
            self._wipe()

    def _show(self) -> None:
        now = time.monotonic()
        if not self.wanted or self.spent < PATIENCE or now - self._last < EACH:
            return
        self._last = now
        words = self.words
        terminal = sys.stderr is not None and sys.stderr.isatty()
        display = None if terminal else notebook()
        if (terminal or self.log) and display is None and not self._told:
            self._told = True
            print(f"holonom: {announcement()}", file=sys.stderr, flush=True)
        if self._bars:
            self._bars[-1](words)
        elif terminal:
            self._line = True
            print(f"\r  {words}\x1b[K", end="", file=sys.stderr, flush=True)
        elif display is not None:
            self._draw(display, f"{announcement()}: {words}")

    def _draw(self, display: Any, words: str) -> None:
        """A line below the cell; a later cell gets its own."""
        bundle = {"text/plain": words}
        cell = getattr(sys.modules["IPython"].get_ipython(), "execution_count", None)
        if self._cell[1] is not None and self._cell[0] == cell:
            self._cell[1].update(bundle, raw=True)
        else:
            self._cell = cell, display(bundle, raw=True, display_id=True)

    def _wipe(self) -> None:
        if self._bars:
            self._bars[-1]("")
        if self._line:
            self._line = False
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        if self._cell[1] is not None:
            self._draw(notebook(), f"{announcement()}: {self.words}")

    @contextmanager
    def showing(self, put: Callable[[str], None]) -> Iterator[None]:
        """While a progress bar is up: ``put(words)`` shows the count in it, ``put("")`` takes it away."""
        self._bars.append(put)
        try:
            yield
        finally:
            self._bars.remove(put)


notice = Notice()
event.register("numba:compile", notice)
