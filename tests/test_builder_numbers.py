"""Functions that build models: each number of a builder, changed alone, appears in the built model as its closed form
says, at rest, in steady motion and in small motion.  Nothing runs.

The register: a number of a public builder has a row, or it is named in ``builder_gaps.toml``, which may only shrink.
"""

import importlib
import inspect
import re
import tomllib
from pathlib import Path

import pytest

import _rows_drives
import _rows_machinery
import _rows_rail
import _rows_ropes
import _rows_structures
import _rows_teeth
import _rows_vehicle

ROWS = [
    *_rows_drives.ROWS,
    *_rows_machinery.ROWS,
    *_rows_rail.ROWS,
    *_rows_ropes.ROWS,
    *_rows_structures.ROWS,
    *_rows_teeth.ROWS,
    *_rows_vehicle.ROWS,
]
CASES = [
    pytest.param(row, number, id=f"{k}-{row.builder}-{number}") for k, row in enumerate(ROWS) for number in row.changed
]
GAPS = Path(__file__).parent / "builder_gaps.toml"
PACKAGES = ("vehicle", "rail", "machinery", "structures")
#: what makes a function a builder: it returns a model or what holds one, or its first argument is the model or vehicle
BUILT = re.compile(r"\b(Model|Building|Frame|Drive|FrequencyResponse)\b")
FIRST = {"model", "vehicle", "building"}
#: numbers are annotated as such, or have one as their default
NUMBER = re.compile(r"\b(float|int|Sequence\[float\]|tuple\[float)")


def numbers_of(function):
    """Names of the arguments of a builder that are numbers."""
    out = []
    for name, p in inspect.signature(function).parameters.items():
        default = p.default[0] if isinstance(p.default, tuple) and p.default else p.default
        plain = isinstance(default, (int, float)) and not isinstance(default, bool)
        if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL) and (plain or NUMBER.search(str(p.annotation))):
            out.append(name)
    return out


def public_builders():
    """Functions by their public names."""
    out = {}
    for package in PACKAGES:
        module = importlib.import_module(f"holonom.{package}")
        for name in module.__all__:
            f = getattr(module, name)
            if not inspect.isfunction(f):
                continue
            signature = inspect.signature(f)
            first = next(iter(signature.parameters), "")
            if BUILT.search(str(signature.return_annotation)) or first in FIRST:
                out[f"{package}.{name}"] = f
    return out


#: a number of a signature that rows have under another name, or as a number of another builder that calls this one
ALIASES = {
    **dict.fromkeys(
        (("machinery.planetary_set", w) for w in ("sun", "planet", "ring")), "machinery.planetary_set teeth"
    ),
    ("machinery.table_bearing", "radial"): "machinery.table_bearing stiffness",
    ("machinery.table_bearing", "axial"): "machinery.table_bearing along",
    ("machinery.add_mesh", "damping"): "machinery.gear_pair damping",
    ("machinery.add_mesh", "inertia"): "machinery.gear_pair inertia",
    ("machinery.add_mesh", "load"): "machinery.gear_pair torque",
}


def open_numbers():
    """Numbers without a row: {builder: names}."""
    held = {f"{row.builder} {number}" for row in ROWS for number in row.changed}
    out = {}
    for name, f in public_builders().items():
        left = [n for n in numbers_of(f) if ALIASES.get((name, n), f"{name} {n}") not in held]
        if left:
            out[name] = sorted(left)
    return out


@pytest.mark.parametrize(("row", "number"), CASES)
def test_number_of_a_builder(row, number):
    row.check(number)


def test_every_number_of_a_public_builder_has_a_row_or_is_a_named_gap():
    gaps = tomllib.loads(GAPS.read_text())
    named = {f"{p}.{f}": sorted(names) for p, functions in gaps["open"].items() for f, names in functions.items()}
    found = open_numbers()
    new = {f: sorted(set(n) - set(named.get(f, ()))) for f, n in found.items()}
    closed = {f: sorted(set(n) - set(found.get(f, ()))) for f, n in named.items()}
    assert not {f: n for f, n in new.items() if n}, "numbers of builders without a row: add one to _rows_*.py"
    assert not {f: n for f, n in closed.items() if n}, f"these have a row now: take them out of {GAPS.name}"
    assert sum(map(len, named.values())) <= gaps["most"], "the list of open numbers may only shrink"


def test_rows_name_what_exists():
    """Public functions and classes, methods of these, and templates of vehicles."""
    for name in {r.builder for r in ROWS}:
        package, *words = name.split(".")
        found = importlib.import_module(f"holonom.{package}")
        if words[0] != "templates":
            for word in words:
                found = getattr(found, word)


def test_a_row_notices_a_halved_coefficient():
    """Each row compares, and says so where its closed form does not depend on what is changed."""
    from dataclasses import replace

    row = _rows_machinery.ROWS[0]
    with pytest.raises(AssertionError):
        replace(row, closed=lambda **g: [0.5 * v for v in row.closed(**g)], kept={}).check("damping")
    with pytest.raises(AssertionError, match="nothing in this row depends on damping"):
        still = lambda **g: row.closed(**{**g, "damping": 0.02})
        replace(row, build=lambda **g: row.build(**{**g, "damping": 0.02}), closed=still, kept={}).check("damping")
