"""What is shown while a stage runs: a table in a terminal or a notebook, renewed at most twice a second."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from .._compiling import notebook
from ..model.html import block

if TYPE_CHECKING:
    from rich.table import Table

    from .study import Stage

PERIOD = 0.5  # s between two pictures
MOST_SENTENCES = 3
WIDTH = 90  # of a sentence


def wanted(progress: bool | None) -> bool:
    """Whether progress is shown: by default in a terminal and in a notebook."""
    return sys.stderr.isatty() or notebook() is not None if progress is None else bool(progress)


class LiveTable:
    """Runs of a stage, their rate, the best ones and the reasons of failures.

    ``total``: runs that are known to be asked for.  Where nothing is drawn (``on`` False) it costs nothing."""

    def __init__(self, on: bool, name: str) -> None:
        self.on, self.name = on, name
        self.began, self.last, self.count = time.monotonic(), 0.0, 0
        self.best: dict[str, tuple[float, float]] = {}
        self._live: Any = None  #: of rich
        self._cell: Any = None  #: of a notebook

    def show(self, stage: Stage, measures: dict[str, float], total: int) -> None:
        """One more run has ended."""
        if not self.on:
            return
        self.count += 1
        for name, value in measures.items():
            if not name.startswith("d "):
                low, high = self.best.get(name, (value, value))
                self.best[name] = (min(low, value), max(high, value))
        now = time.monotonic()
        if now - self.last > PERIOD:
            self.last = now
            self._draw(stage, total)

    def end(self, stage: Stage) -> None:
        """The stage has ended; the last picture stays."""
        if self.on and self.count:
            self._draw(stage, stage.position)
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _draw(self, stage: Stage, total: int) -> None:
        if (display := notebook()) is not None:
            bundle = {"text/html": self.html(stage, total), "text/plain": self.title(stage)}
            if self._cell is None:
                self._cell = display(bundle, raw=True, display_id=True)
            else:
                self._cell.update(bundle, raw=True)
            return
        from rich.console import Console
        from rich.live import Live

        if self._live is None:
            self._live = Live(console=Console(stderr=True), auto_refresh=False)
            self._live.start()
        self._live.update(self.table(stage, total), refresh=True)

    def title(self, stage: Stage) -> str:
        """What the table is about."""
        return f"stage {stage.number}, {self.name}"

    def rows(self, stage: Stage, total: int) -> list[tuple[str, str]]:
        """Names and values of the table."""
        failed = sum(count for count, _ in stage.failures.values())
        done, rate = stage.succeeded + failed, self.count / max(time.monotonic() - self.began, 1e-9)
        left = max(total - done, 0)
        out = [
            ("runs", f"{done} of {total}" if left else str(done)),
            ("ok, failed", f"{stage.succeeded}, {failed}"),
            ("rate", f"{rate:.3g} per s" + (f", {_clock(left / rate)} left" if left and rate > 0.0 else "")),
        ]
        out += [(name, f"{low:.6g} to {high:.6g}") for name, (low, high) in list(self.best.items())[:6]]
        commonest = sorted(stage.failures.values(), key=lambda found: -found[0])[:MOST_SENTENCES]
        for count, sentence in commonest:
            text = sentence if len(sentence) <= WIDTH else sentence[: WIDTH - 3] + "..."
            out.append(("failed", f"{count} x {text}"))
        return out

    def html(self, stage: Stage, total: int) -> str:
        """The picture in a notebook."""
        return block(self.title(stage), self.rows(stage, total))

    def table(self, stage: Stage, total: int) -> Table:
        """The picture in a terminal."""
        from rich.table import Table
        from rich.text import Text

        out = Table(show_header=False, box=None, title=self.title(stage), title_justify="left")
        for name, value in self.rows(stage, total):
            out.add_row(Text(name), Text(value))
        return out


def _clock(seconds: float) -> str:
    """A duration, "1:05:20"."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
