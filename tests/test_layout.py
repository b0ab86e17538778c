"""Where the numbers of bodies lie is said in one place: rooms that have been freed of strides stay so."""

import re

import numpy as np
import pytest

from holonom import _jit
from holonom.elements.bodies import layout

#: rooms that know nothing of where bodies lie
FREE = ("analyses", "integrators", "contact", "granular", "system")
STRIDES = re.compile(
    r"(?<![\w.-])13 \*|\* 13\b|, 13\)|10:13\]|7:13\]|7:10\]\s*\*\*|(?<![\w.-])6 \* \(?[a-z]|reshape\(-1, 6\)|turn_quaternion"
)
#: inverse masses, and which bodies turn, are read by `elements.bodies` alone; masses too where there are kernels
INERTIA = {
    "analyses": re.compile(r"\bMinv\b|\brotates\b"),
    "integrators": re.compile(r"\bMinv\b|\brotates\b|(?<!elements\.)bodies\.(mass|J)\b"),
}
FILES = sorted(p for room in FREE for p in (_jit._PACKAGE / room).rglob("*.py"))
#: elements see frames and have matrices of 6 x 6 of their own, but no states or masses of bodies
STATES = re.compile(r"(?<![\w.-])13 \*|\* 13\b|, 13\)|turn_quaternion|\bMinv\b|\brotates\b|(?<!elements\.)bodies\.(mass|J)\b")
ELEMENTS = sorted(p for p in (_jit._PACKAGE / "elements").rglob("*.py") if p.parent.name != "bodies")


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_no_strides_of_bodies(path):
    found = [
        f"{path.name}:{n}: {line.strip()}"
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if STRIDES.search(line)
    ]
    assert not found, "say it with elements.bodies.layout: " + "; ".join(found)


@pytest.mark.parametrize("path", [p for p in FILES if p.parent.name in INERTIA], ids=lambda p: p.stem)
def test_no_inertia_of_bodies(path):
    found = [
        f"{path.name}:{n}: {line.strip()}"
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if INERTIA[path.parent.name].search(line)
    ]
    assert not found, "say it with elements.bodies.mass: " + "; ".join(found)


@pytest.mark.parametrize("path", ELEMENTS, ids=lambda p: p.stem)
def test_elements_see_frames(path):
    found = [
        f"{path.name}:{n}: {line.strip()}"
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if STATES.search(line) and not line.startswith("def turn_quaternion")
    ]
    assert not found, "say it with elements.frames or elements.bodies: " + "; ".join(found)


def test_the_pattern_finds_strides():
    for line in ("y[: 13 * n]", "x.reshape(n, 13)", "v[:, 10:13]", "d[6 * b : 6 * b + 3]", "step.reshape(-1, 6)"):
        assert STRIDES.search(line)
    assert not STRIDES.search("tolerance = 1e-13 * h; 1e-6 * L; g13 * g23")
    for line in ("x * S.bodies.Minv[i, c]", "3 if S.bodies.rotates[i] else 6", "s * bodies.mass[i]", "system.bodies.J[:, c]"):
        assert INERTIA["integrators"].search(line)
    assert not INERTIA["integrators"].search("S.bodies.massless; inverse_masses(bodies)")


def test_views_are_the_state_itself():
    y = np.arange(13.0 * 3 + 2)
    assert layout.end(2) == 39 and layout.unknowns(2) == 18
    assert np.array_equal(layout.places(y, 2), [[0, 1, 2], [13, 14, 15]]) and np.array_equal(layout.spins(y, 2)[1], [23, 24, 25])
    layout.speeds(y, 2)[:] = 0.0
    layout.body(y, 1)[layout.PLACE] = 7.0
    assert (y[7:13] == 0.0).all() and (y[13:16] == 7.0).all() and y[16] == 16.0 and y[39] == 39.0
    assert np.array_equal(layout.columns(np.array([0, 2])), [[0, 1, 2, 3, 4, 5], [12, 13, 14, 15, 16, 17]])
    d = np.zeros(18)
    layout.move(d, 1)[layout.TURN] = 1.0
    assert np.array_equal(layout.moves(d)[1], [0, 0, 0, 1, 1, 1])
