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
        self._call: Callable[..., Any] | None = None
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def function(self) -> Callable[..., Any]:
        """The function; its module is imported when it is first requested."""
        if self._function is None:
            module, _, name = self.address.partition(":")
            self._function = getattr(import_module(module, self.package), name)
        return self._function

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self.function
        if self._call is None:  # not an import to the eye: this module is below all packages
            calls = import_module(".model.calls", __package__)
            self._call = calls.explained(self.function, self.name, bound=True)
        return MethodType(self._call, instance)


def attach(cls: type, rows: Mapping[str, str], package: str) -> None:
    """Give a class a method per row; modules are relative to ``package``."""
    for name, address in rows.items():
        method = Method(package, address)
        method.__set_name__(cls, name)  # which Python calls in a class body alone
        setattr(cls, name, method)
