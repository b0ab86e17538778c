"""The bicycle of the examples: the machine, and the eigenvalues that its authors publish."""

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location(
    "example_bicycle", Path(__file__).resolve().parents[2] / "examples" / "bicycle.py"
)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)

bicycle, published = _module.build, _module.published
