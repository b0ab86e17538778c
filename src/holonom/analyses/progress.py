"""Progress bar of a long run: simulated time, step size, time left; silent when standard error is not a terminal."""

from __future__ import annotations

import sys
import time as clock


class Progress:
    """``with Progress(show, start, end) as bar: bar.update(t, h)``."""

    def __init__(self, show: bool | None, start: float, end: float):
        self.show = sys.stderr.isatty() if show is None else show
        self.start, self.end = start, end
        self._bar = None
        self._last = 0.0

    def __enter__(self) -> Progress:
        if self.show:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(TextColumn("time {task.fields[t]}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"),
                                 TextColumn("step {task.fields[h]}"), TextColumn("left"), TimeRemainingColumn(),
                                 console=Console(stderr=True), transient=True)  # fmt: skip
            self._bar.start()
            self._task = self._bar.add_task("", total=1.0, t=f"{self.start:.4g}", h="-")
        return self

    def update(self, t: float, h: float) -> None:
        now = clock.monotonic()
        if self._bar is None or now - self._last < 0.1:
            return
        self._last = now
        self._bar.update(self._task, completed=(t - self.start) / (self.end - self.start), t=f"{t:.4g}", h=f"{h:.2g}")

    def __exit__(self, *exc) -> None:
        if self._bar is not None:
            self._bar.stop()
