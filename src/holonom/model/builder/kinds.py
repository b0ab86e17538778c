"""Methods of types of elements that are put into `Model` while it is imported; ``kinds.pyi`` next to it declares them
for type checkers and editors."""

from __future__ import annotations


class Kinds:
    """Methods of types of elements that are self-describing (`elements.kinds.register` puts them here).

    ``tools/stubs.py`` writes ``kinds.pyi`` from what is here after `holonom` is imported.
    """
