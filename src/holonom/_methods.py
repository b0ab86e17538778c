"""Methods of a class whose functions are in modules of their own, which are loaded when a method is first used.

A register has one row per method, its name and ``"module:function"``; the function takes the object first.  `attach`
puts the rows on a class; `tools/stubs.py` writes them into a stub for type checkers, editors and the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MethodType
from typing import Any


class Method:
    """Descriptor of one row: bound to an object it is a method, taken from the class the function itself."""

    def __init__(self, package: str, address: str) -> None:
        self.package, self.address = package, address
        self._function: Callable[..., Any] | None = None

    @property
    def function(self) -> Callable[..., Any]:
        """The function; its module is imported when it is first requested."""
        if self._function is None:
            module, _, name = self.address.partition(":")
            self._function = getattr(import_module(module, self.package), name)
        return self._function

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self.function if instance is None else MethodType(self.function, instance)


def attach(cls: type, rows: Mapping[str, str], package: str) -> None:
    """Give a class a method per row; modules are relative to ``package``."""
    for name, address in rows.items():
        setattr(cls, name, Method(package, address))
