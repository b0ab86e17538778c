"""Names of results: an unknown attribute of a run or of one of its views names the one that is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model.base import unknown_attribute


class Named:
    """Base of every class that users read results from.  An attribute that does not exist raises `AttributeError` with
    the closest name, or with all names."""

    if not TYPE_CHECKING:  # type checkers know the attributes that exist

        def __getattr__(self, name: str) -> Any:
            """Called where the normal lookup has failed."""
            known = {n for n in (*dir(type(self)), *vars(self)) if n[:1] != "_"}
            if name[:1] == "_" or name in known:  # a protocol of Python, or a property whose own evaluation raised
                return object.__getattribute__(self, name)
            raise AttributeError(f"{type(self).__name__}: {unknown_attribute(name, sorted(known))}")
