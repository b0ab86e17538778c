"""Files of others, whole, within a size: tyres, roads, vehicles, profiles, records."""

from __future__ import annotations

from pathlib import Path

from .base import ModelError


def read_bounded(path: Path, most: int, otherwise: str) -> bytes:
    """All of a file of at most ``most`` bytes.  Raises `ModelError` for one that is larger (``otherwise``: the end of
    the sentence) or cannot be read."""
    try:
        if path.stat().st_size > most:
            raise ModelError(f"'{path}' is larger than {most} bytes; {otherwise}")
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror}") from None
