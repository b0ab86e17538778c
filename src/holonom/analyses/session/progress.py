"""Progress of a long run: a bar on standard error where that is a terminal, or below the cell of a notebook, else a
line now and then, for logs."""

from __future__ import annotations

import logging
import sys
import time as clock
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..._compiling import notebook as _notebook
from ..._compiling import notice
from ..._warnings import LOG

if TYPE_CHECKING:
    import rich.progress

LINE_SECONDS = 10.0  # before the first line of a log, and between two
CALL_SECONDS = 0.2  # between two calls of a function
CELL_SECONDS = 0.5  # before the first bar in a notebook, so that short runs show none, and between two


class Progress:
    """``with Progress(show, start, end) as bar: bar.update(t, h)``.

    ``show``: None shows a bar on a terminal and in a notebook and nothing else; "log" writes lines where there is no
    terminal; True shows a bar anywhere.  A function shows nothing and is called with the time and the step, at most
    every `CALL_SECONDS`.
    """

    def __init__(self, show: bool | str | Callable[[float, float], None] | None, start: float, end: float):
        self.call: Callable[[float, float], None] | None = None
        if callable(show):
            self.call, show = show, False
        self._called = 0.0
        terminal = sys.stderr.isatty()
        self._cell = _notebook() if not terminal and show is not False else None
        self._shown: Any = None
        self.show = self._cell is None and (terminal if show is None or show == "log" else bool(show))
        self.log = show == "log" and not terminal and self._cell is None
        #: lines go to the logger "holonom" too, where an application has it at level INFO
        self.logged = show is not False and LOG.isEnabledFor(logging.INFO)
        self.start, self.end = start, end
        self._bar: rich.progress.Progress | None = None
        self._last = 0.0
        self._begun = self._said = 0.0

    def __enter__(self) -> Progress:
        self._begun = self._said = clock.monotonic()
        if self.log or self.logged or self._cell is not None:
            self._last = self._begun
        if self.show:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = bar = Progress(
                TextColumn("time {task.fields[t]}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f}%"),
                TextColumn("step {task.fields[h]}"),
                TextColumn("left"),
                TimeRemainingColumn(),
                TextColumn("{task.fields[note]}"),
                console=Console(stderr=True),
                transient=True,
            )
            bar.start()
            self._task = bar.add_task("", total=1.0, t=f"{self.start:.4g}", h="-", note="")
            self._note = notice.showing(self._compiling)
            self._note.__enter__()
        return self

    def update(self, t: float, h: float) -> None:
        now = clock.monotonic()
        if self.call is not None and now - self._called >= CALL_SECONDS:
            self._called = now
            self.call(t, h)
        if self.log and now - self._last >= LINE_SECONDS:
            self._last = now
            print(f"holonom: progress: {self._line(t, h, now - self._begun)}", file=sys.stderr, flush=True)
        if self.logged and now - self._said >= LINE_SECONDS:
            self._said = now
            LOG.info("progress: %s", self._line(t, h, now - self._begun))
        if self._cell is not None and now - self._last >= CELL_SECONDS:
            self._last = now
            self._draw(t, h, now - self._begun)
        if self._bar is None or now - self._last < 0.1:
            return
        self._last = now
        self._bar.update(self._task, completed=(t - self.start) / (self.end - self.start), t=f"{t:.4g}", h=f"{h:.2g}")

    def _compiling(self, words: str) -> None:
        """Kernels are compiled while the bar is up."""
        if self._bar is not None:
            self._bar.update(self._task, note=words)

    def _line(self, t: float, h: float, spent: float) -> str:
        part = min(max((t - self.start) / (self.end - self.start), 0.0), 1.0)
        left = f", about {spent * (1.0 - part) / part:.0f} s left" if part > 0.0 else ""
        return f"time {t:.6g} of {self.end:.6g} ({100 * part:.0f}%), step {h:.2g}, {spent:.0f} s{left}"

    def _draw(self, t: float, h: float, spent: float) -> None:
        """The bar below a cell, in place of the one before."""
        part = min(max((t - self.start) / (self.end - self.start), 0.0), 1.0)
        left = f", about {spent * (1.0 - part) / part:.0f} s left" if part > 0.0 else ""
        words = f"time {t:.4g} of {self.end:.4g} ({100 * part:.0f}%), step {h:.2g}{left}"
        bundle = {"text/plain": words, "text/html": f'<progress value="{part:.4f}" max="1"></progress> {words}'}
        if self._shown is not None:
            self._shown.update(bundle, raw=True)
        elif self._cell is not None:
            self._shown = self._cell(bundle, raw=True, display_id=True)

    def __exit__(self, *exc) -> None:
        if self._shown is not None:
            self._shown.update({"text/plain": "", "text/html": ""}, raw=True)
        if self._bar is not None:
            self._note.__exit__(None, None, None)
            self._bar.stop()
