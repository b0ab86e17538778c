"""What tests of the readers of robot files share: readings without warnings, readings by what they report."""

import warnings
from pathlib import Path

import pytest

import holonom as hn
from _public_data import NEEDS

ROBOTS = Path(__file__).parents[3] / "shared/data/robots"


def quiet(read, path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hn.ModelWarning)
        return read(path, **options)


def reported(read, path, **options):
    """All warnings of a reading, or the sentence of its refusal."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            read(path, **options)
        except hn.ModelError as error:
            return str(error)
    return " ".join(str(w.message) for w in seen)


def public_files_read(read, ending):
    """How many public files are read; each other one is refused with its name first."""
    files = sorted(ROBOTS.rglob(f"*.{ending}"))
    if not files:
        pytest.skip(f"{NEEDS}: {ROBOTS} is absent")
    count = 0
    for path in files:
        try:
            model = quiet(read, path)
        except hn.ModelError as error:
            assert str(error).startswith("'"), error
        else:
            count += 1
            assert hn.check(model).ok, path
    return count
