"""What files that are read without Numba define by it: files of elements hold kernels next to data, and a drawing needs
only the data.

Names that kernels read are defined by a function that waits until Numba is loaded (`with_numba`); types of kernels that
are called by address stand as text (`Signature`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from . import _entry_types

_waiting: list[Callable[[], None]] = []
_loading = threading.RLock()
_loaded = False


def with_numba(define: Callable[[], None]) -> Callable[[], None]:
    """Call a function, which defines global names of its module, when Numba is loaded (`load`): before anything is
    compiled, and at once where it is there already."""
    with _loading:
        if not _loaded:
            _waiting.append(define)
            return define
    define()
    return define


def load() -> None:
    """Load Numba, and define what waits for it, in the order of the modules."""
    global _loaded
    if _loaded and not _waiting:
        return
    with _loading:
        import numba  # noqa: F401

        _loaded = True
        while _waiting:
            _waiting.pop(0)()


class Signature:
    """Types of the result and of the arguments of kernels that are called by address, as declarations write them
    (`_entry_types`); arguments are a list of types in one text."""

    def __init__(self, result: str, arguments: str) -> None:
        self._result, self._arguments = result, arguments

    @cached_property
    def result(self) -> Any:
        """The type of Numba."""
        return _entry_types.parsed(self._result, self._unknown)

    @cached_property
    def arguments(self) -> tuple:
        """The types of Numba."""
        return tuple(_entry_types.parsed(t, self._unknown) for t in _entry_types.split(self._arguments))

    def __iter__(self) -> Iterator[Any]:
        return iter((self.result, self.arguments))

    def _unknown(self, text: str) -> Any:
        raise TypeError(f"there is no type '{text}' for a kernel that is called by address")
