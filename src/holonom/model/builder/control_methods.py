"""Methods of types of control blocks that are put into `model.control` while the package is imported; the stub
``control_methods.pyi`` declares them for type checkers and editors."""

from __future__ import annotations


class ControlMethods:
    """Methods of types of blocks (`elements.control.register` puts them here).

    ``tools/stubs.py`` writes ``control_methods.pyi`` from what is here after `holonom` is imported.
    """
