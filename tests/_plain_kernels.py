"""Tests that call kernels themselves, with a few numbers: in `make test` these run as plain Python, and nothing is
compiled for them.

A form for the tables that a test holds is one that no run uses, compiled with all that it calls: up to twelve CPU
seconds for a file whose tests then last a few milliseconds.  Where a formula is wrong, plain Python is wrong too.
`make test-all` sets HOLONOM_COMPILED_KERNELS and runs the same tests with compiled kernels; that kernels compile, and
give in a run what the tests of runs expect, `make test` sees there.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

HERE = Path(__file__).parent
#: files below ``tests`` -> which of their tests run so (a regular expression on their names)
FILES = {
    "contact/test_laws.py": "test_formulas_that_laws_share",
    "contact/test_materials.py": "",
    "durability/test_fields.py": "test_principal_stresses|test_jumps_of_sign_are_told",
    "elements/test_body_operations.py": "",
    "elements/test_joint_friction.py": "",
    "elements/test_line_force_formulas.py": "",
    "elements/test_measures.py": "",
    "elements/test_pair_forces.py": "",
    # those of tyres and wheels have laws by address
    "elements/test_registered_forces.py": r"test_taylor\[(?!TYRE|WHEEL)|test_action_and_reaction\[(?!TYRE|WHEEL)|"
    r"test_powers_add_up\[(?!TYRE|WHEEL)",
    "elements/test_section_laws.py": "test_it_is_the_cable|test_forces_and_matrices_are_derivatives",
    "elements/test_tyre_kernels.py": "",
    "granular/test_granular_laws.py": "test_normal_forces_are|test_linear_is_kelvin_voigt|test_coulomb_is_that",
    "rail/test_creep.py": "",
    "system/test_friction.py": "test_law_tangent",
    "vehicle/test_tyre_laws.py": "",
    "vehicle/test_tyre_limits.py": "test_friction_of_fiala_falls_with_slip|test_camber_and_friction_of_gim",
    "vehicle/test_tyre_models.py": "test_mf6_is_the_book|test_pac89_|test_brush_is_bristles|test_tmeasy_curves|"
    "test_tmeasy_trail",
    "vehicle/test_tyres.py": "test_fiala_is_the_brush_model",
}


def is_plain(path: Path, name: str) -> bool:
    """Whether a test runs with kernels as plain Python."""
    if os.environ.get("HOLONOM_COMPILED_KERNELS") or not path.is_relative_to(HERE):
        return False
    names = FILES.get(path.relative_to(HERE).as_posix())
    return names is not None and re.match(names, name) is not None


def use_plain_kernels(monkeypatch) -> None:
    """Until the end of a test Python calls kernels as plain Python."""
    from holonom import _jit

    monkeypatch.setattr(_jit.Kernel, "__call__", lambda kernel, *args: _jit.interpreted(kernel)(*args))
    monkeypatch.setattr(_jit.Kernel, "entry", lambda kernel, *args: _jit.interpreted(kernel))
