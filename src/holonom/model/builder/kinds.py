"""Methods of kinds of elements that are put into `Model` while it is imported; ``kinds.pyi`` beside it declares them
for type checkers and editors."""

from __future__ import annotations


class Kinds:
    """Methods of kinds of elements that tell all of themselves (`elements.kinds.register` puts them here).

    ``tools/stubs.py`` writes ``kinds.pyi`` from what stands here after `holonom` is imported.
    """
