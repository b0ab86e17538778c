"""The package without what its ``__init__`` loads: half the time of a process that needs the compiler alone."""

from pathlib import Path

SRC = Path(__file__).resolve().parents[1] / "src"

#: first line of a program in a process of its own; ``holonom._jit`` and its like are imported as ever
BARE = (
    "import sys, types; package = types.ModuleType('holonom'); "
    f"package.__path__ = [{str(SRC / 'holonom')!r}]; sys.modules['holonom'] = package\n"
)
