"""Models of a Studio that are not saved: kept after edits, found again, discarded; and the lock of the project."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..model import ModelError
from ..model.base import shown
from .document import Document
from .project import BEAT, read_kept

KEEP = 0.5  # seconds at most between an edit and the file that keeps it, also while edits go on


class Unsaved:
    """Requests on unsaved models and on the lock of the project, as a part of `session.Session`."""

    def _resume_last(self) -> None:
        """Open the model that was open and not saved when the last server of this project ended."""
        if self.project.holder:
            return
        for row in self.project.unsaved():
            if row["open"] and not row["elsewhere"]:
                self._recover(row["key"])
                return

    def _recover(self, key: str) -> bool:
        """Make an unsaved model the document; whether there was one.  One that cannot be read remains where it is."""
        try:
            file = self.own(key)
            if file.is_symlink() or not file.is_file():
                return False
            data = read_kept(file)
            if data is None:
                raise ModelError(f"{key} is damaged, or too large to be read")
            path, digest = data.get("path"), str(data.get("digest") or "")
            base = Path(path) if isinstance(path, str) and path else None
            inside = base is not None and base.is_relative_to(self.folder)
            if base is not None:
                base = self.path(str(base)) if inside else base
            spare = self.project.spare(digest, base.name) if base is not None and digest else None
            document, words = Document.recovered(file, base.parent if base else self.folder, spare)
        except (ModelError, OSError, ValueError, AttributeError, RecursionError) as error:
            with contextlib.suppress(OSError, ModelError):
                if key == self._key:  # new edits of this file must not overwrite it
                    self.project.set_aside(key)
            self.say(
                f"unsaved edits were not recovered: {error}; they remain in the list of recovered models", "warning"
            )
            return False
        if not (document.position or document.mark < 0):
            return False
        if base is not None and not inside:  # a copied folder: the file of another one is not touched
            document.base, document.digest, document.mark = None, "", -1
        before, self.document, self._key = self.document.base, document, key
        document.home = self.folder
        if document.base is None or document.base != before:
            self._begin()
        self.say(f"{words}; undo takes them back" if document.mark >= 0 else words, "warning")
        return True

    def unsaved(self) -> list[dict[str, Any]]:
        """Unsaved models of the project other than the one that is open (`Project.unsaved`)."""
        return [row for row in self.project.unsaved() if row["key"] != self._key]

    def _keepable(self, open_: bool = True) -> Callable[[], None] | None:
        """What writes the present state of the document to its kept file, without a look at the document itself; None:
        there is nothing unsaved."""
        d, key = self.document, self._key
        if not d.changed and not d.whole:
            return None
        data, twin = {**d.kept(), "open": open_}, self.frozen() if d.whole else None

        def write() -> None:
            if twin is not None:
                data["model"] = twin.to_dict()
            self.project.keep(key, data, d.base)

        return write

    def keep(self, open_: bool = True) -> str:
        """Put unsaved edits on disk, whole or not at all; remove the file where there are none.  Returns why that
        failed, else an empty text."""
        return self._written_down(self._keepable(open_), self._key)

    def _written_down(self, write: Callable[[], None] | None, key: str) -> str:
        try:
            if write is None:
                self.project.drop(key)
            else:
                write()
            self._unkept = ""
        except (OSError, ModelError, TypeError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            text = f"unsaved edits could not be kept against a crash: {self.project.clean(why)}"
            if text != self._unkept:
                self.say(text, "warning")
            self._unkept = text
        return self._unkept

    async def _keep(self) -> str:
        write, key = self._keepable(), self._key
        return await asyncio.to_thread(self._written_down, write, key)

    async def _keep_on(self) -> None:
        """Keep what was edited, at most `KEEP` seconds after the first edit, until no edit is new."""
        version = -1
        while version != self.document.version:
            await asyncio.sleep(KEEP)
            version = self.document.version
            await self._keep()

    async def _leave(self, message: dict) -> dict | None:
        """Keep the present document before another one is opened; an answer that asks where it would be lost."""
        write, key = self._keepable(False), self._key
        problem = await asyncio.to_thread(self._written_down, write, key)
        if self._keeping is not None:
            self._keeping.cancel()
        if write is not None and problem and not message.get("lose"):
            return {
                "unsaved": f"'{self.document.model.name}' is not saved, and {problem}. Continue and lose its edits?"
            }
        self._left = self.document.model.name if write is not None and not problem else ""
        return None

    def _on_unsaved(self, message: dict) -> dict:
        return {"unsaved": self.unsaved()}

    async def _on_recover(self, message: dict) -> dict:
        """Open an unsaved model of the list."""
        self._free()
        key = self._unsaved_key(message)
        asked = await self._leave(message)
        if asked is not None:
            return asked
        if not self._recover(key):
            raise ModelError("this unsaved model could not be recovered; see the console for the reason")
        self._afresh()
        return {}

    def _on_discard(self, message: dict) -> dict:
        """Remove an unsaved model of the list."""
        self.project.writes()
        self.project.drop(self._unsaved_key(message))
        self.tell({"event": "unsaved", "unsaved": self.unsaved()})
        return {}

    def _unsaved_key(self, message: dict) -> str:
        key = message.get("key")
        if key not in [row["key"] for row in self.unsaved()]:
            raise ModelError(f"there is no unsaved model {shown(key)}")
        return str(key)

    def _on_take_over(self, message: dict) -> dict:
        """Become the server that may write."""
        self.project.acquire(take=True)
        self.say("this Studio has taken over the project; the other one is read-only now", "warning")
        self._tell_lock()
        return {}

    def _tell_lock(self) -> None:
        self.tell({"event": "lock", **self._lock()})

    def _lock(self) -> dict[str, Any]:
        """Why nothing is saved at present; ``moved``: as the folder was moved, not as another server is there."""
        moved = self.project.moved
        return {"locked": moved or (self._holder_words() if self.project.holder else ""), "moved": bool(moved)}

    async def watch(self) -> None:
        """Give signs of life in the lock of the project, and say when another server takes over or ends, and when the
        folder of the project is moved."""
        moved = ""
        while True:
            await asyncio.sleep(BEAT)
            before, moved = moved, self.project.moved
            if moved != before:
                self.say(moved or "the project's folder is there again", "error" if moved else "info")
                self._tell_lock()
                if not moved:
                    await self._keep()
            if moved:
                continue
            if await asyncio.to_thread(self.project.beat):
                holder = self.project.holder
                self.say(
                    f"{self._holder_words()} and has taken over: this one is read-only now"
                    if holder
                    else "the other Studio has ended: this one writes the project now",
                    "warning",
                )
                self._tell_lock()
