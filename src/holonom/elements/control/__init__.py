"""Types of control blocks: one file per family, which are registered like forces.

A file has ``BLOCK_TYPES``, its types (`model.control.BlockType`: name, builder, ports, law), and ``SHORTHANDS``,
builders of blocks of these types.  A law is equations (`algebra`); the system evaluates them (`system.control`), so
that a new type is a function of a few lines and compiles no kernel.
"""

from __future__ import annotations

from importlib import import_module

from ...model.builder.control import attach
from ...model.control import BLOCKS, BlockType

#: files of this package with types of blocks
CONTROL_FILES = ("actuators", "fuzzy", "linear", "neural", "nonlinear", "pid", "sensors")


def register(block_type: BlockType) -> BlockType:
    """Make a type of block known, also one that is defined outside of this package.  Raises ValueError where another
    has its name."""
    if not block_type.type or BLOCKS.get(block_type.type, block_type) is not block_type:
        raise ValueError(f"the type of block '{block_type.type}' exists already; give another name")
    BLOCKS[block_type.type] = block_type
    attach(block_type.builder)
    return block_type


for _file in CONTROL_FILES:
    _module = import_module(f".{_file}", __package__)
    for _type in _module.BLOCK_TYPES:
        register(_type)
    for _builder in _module.SHORTHANDS:
        attach(_builder)
