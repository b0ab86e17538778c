"""Pages of plots of a project."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
from pathlib import Path
from typing import Any

from ..model import ModelError
from .project import write_text

MAX_PAGES = 500_000  # bytes of pages of plots


class Pages:
    """Requests on pages of plots, as a part of `session.Session`."""

    def _pages_file(self) -> Path:
        """Where they are kept: by the path of the model in the project."""
        base = self.document.base
        if base is None or base.parent == self.folder:
            return self.own(f"{base.name if base else 'new model'}.pages.json")
        number = hashlib.sha256(self.project.named(base).encode("utf-8", "surrogateescape")).hexdigest()[:8]
        return self.own(f"{base.name}-{number}.pages.json")

    def _read_pages(self) -> list[Any]:
        """Pages of plots of this model, as they were kept; none where the file is no such."""
        try:
            file = self._pages_file()
            if file.stat().st_size <= MAX_PAGES:
                return pages_of(json.loads(file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            pass
        except (OSError, ValueError, RecursionError, ModelError) as error:
            self.say(f"the pages of plots that were kept cannot be read: {error}", "warning")
        return []

    async def _on_pages(self, message: dict) -> dict:
        """Keep pages of plots with the project; other windows get them, too."""
        pages = pages_of(message.get("pages"))
        if pages != self.pages:
            text = json.dumps(pages)
            if len(text) > MAX_PAGES:
                raise ModelError("these pages of plots are too many to be kept")
            self.pages = pages
            self.tell({"event": "pages", "pages": pages})
            try:
                await asyncio.to_thread(write_text, self._pages_file(), text)
            except OSError as error:
                raise ModelError(f"pages of plots cannot be kept: {error.strerror or error}") from None
        return {}


def pages_of(data: Any) -> list[dict[str, Any]]:
    """Pages of plots as a browser or a file gives them, with what belongs to them alone.  Raises ModelError for what
    are none."""
    text = lambda v, most=200: v[:most] if isinstance(v, str) else ""
    curve = lambda c: {k: text(c.get(k)) for k in ("name", "part", "unit")} if isinstance(c, dict) else None

    def plot(p: Any) -> dict[str, Any]:
        given = p.get("state") if isinstance(p.get("state"), dict) else {}
        state: dict[str, Any] = {k: text(given[k], 20) for k in ("change", "filter") if k in given}
        state |= {
            k: given[k]
            for k in ("width", "reference", "log")
            if isinstance(given.get(k), (int, float)) and math.isfinite(given[k])
        }
        return {
            "curves": [c for c in map(curve, p.get("curves") or ()) if c and c["name"]][:24],
            "x": curve(p.get("x")),
            "state": state,
        }

    try:
        pages = [{"name": text(p["name"], 60), "plots": [plot(one) for one in p["plots"][:12]]} for p in data[:20]]
    except (TypeError, KeyError, AttributeError, ValueError):
        raise ModelError("pages of plots are a list of tables with 'name' and 'plots'") from None
    return pages
