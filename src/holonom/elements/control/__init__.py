"""Types of control blocks: one file per family, which are registered like forces.

A file has ``KINDS``, its types (`model.control.BlockKind`: name, builder, ports, law), and ``SHORTHANDS``, builders of
blocks of these types.  A law is equations (`algebra`); the system evaluates them (`system.control`), so that a new
type is a function of a few lines and compiles no kernel.
"""

from __future__ import annotations

from importlib import import_module

from ...model.builder.control import attach
from ...model.control import BLOCKS, BlockKind

#: files of this package with types of blocks
CONTROL_FILES = ("actuators", "fuzzy", "linear", "neural", "nonlinear", "pid", "sensors")


def register(kind: BlockKind) -> BlockKind:
    """Make a type of block known, also one that is defined outside of this package.  Raises ValueError where another
    has its name."""
    if not kind.type or BLOCKS.get(kind.type, kind) is not kind:
        raise ValueError(f"the type of block '{kind.type}' exists already; give another name")
    BLOCKS[kind.type] = kind
    attach(kind.builder)
    return kind


for _file in CONTROL_FILES:
    _module = import_module(f".{_file}", __package__)
    for _kind in _module.KINDS:
        register(_kind)
    for _builder in _module.SHORTHANDS:
        attach(_builder)
