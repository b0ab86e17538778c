"""Optional parts of the equations of motion: one type of tables for all models, addresses only for what a model has."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import typeof
from numba.core.errors import TypingError

import holonom as hn
from holonom.elements.bodies.coupled import COLUMNS
from holonom.elements.bodies.coupled import OPERATIONS as BODY_OPERATIONS
from holonom.elements.bodies.kinds import BODY_TYPES
from holonom.integrators.entry import explicit_handle
from holonom.system.build import System
from holonom.system.part_calls import OPERATIONS, prescribe
from holonom.system.parts import PARTS, Part, connect
from holonom.warmup import bare_machine, small_machine

BASE = {p.name: k for k, p in enumerate(PARTS)}
COLUMN = {name: k for k, name in enumerate(OPERATIONS)}


def slosh():
    m = hn.Model("slosh")
    tank = m.part("tank", 3.0, (0.1, 0.12, 0.2))
    m.spherical(tank, m.ground, at=(0, 0, 0.5))
    m.sliding_mass(tank, (0, 0, 0), (1, 0, 0), mass=0.5, stiffness=10.0, damping=0.1, length=0.0, travel=0.1)
    return m


def rope():
    m = hn.Model("rope")
    line = hn.flexible.cable(m, [(0, 0, 0), (1, 0, 0)], EA=40.0, EI=0.01, mass=8e-3, elements=2)
    m.spherical(line.first, m.ground, at=(0, 0, 0))
    return m


@pytest.fixture(scope="module")
def systems():
    return {make.__name__: System(make()) for make in (bare_machine, small_machine, slosh, rope)}


def test_all_models_have_tables_of_one_type(systems):
    """Kernels of the whole are compiled once: a second type would double what a first run compiles."""
    kinds = {explicit_handle(s)._numba_type_ for s in systems.values()}
    assert len(kinds) == 1
    assert len({(typeof(s.S), typeof(s.W)) for s in systems.values()}) == 1


def test_what_a_model_does_not_have_has_no_address(systems):
    assert not systems["bare_machine"].S.parts.any() and len(systems["bare_machine"].S.bodies.coupled) == 0
    some = systems["small_machine"].S.parts
    assert some[BASE["pairs"], COLUMN["forces"]] and some[BASE["functions"], COLUMN["forces"]]
    assert not some[BASE["friction"]].any() and not some[BASE["ports"]].any()
    for name, types in (("slosh", [0, 2]), ("rope", [1, 2])):
        coupled = systems[name].S.bodies.coupled
        assert len(coupled) == len(types)
        for row, k in zip(coupled, types):
            has = {COLUMNS[n] for n in BODY_TYPES[k].operations}
            has |= {COLUMNS[n] + 1 for n in BODY_TYPES[k].operations if BODY_OPERATIONS[n].complex_arguments}
            assert set(np.flatnonzero(row[1:]) + 1) == has


OPERATIONS_COMPILED = """
from test_parts import rope, small_machine
import holonom as hn
from holonom import _later
from holonom.system.build import System

def show():
    kernels = [key[0] for key in _later._KEPT]
    names = {k.py_func.__closure__[0].cell_contents.__name__ if k.__name__ == "run" else k.__name__ for k in kernels}
    print(*sorted(names))

System(small_machine()), System(rope())
show()
hn.simulate(rope(), end=1e-3, steps=1, progress=False)
show()
"""


def test_operations_are_compiled_when_they_are_called_first():
    """Neither building a system nor an explicit method compiles what only an iteration matrix calls."""
    place = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": place}
    command = [sys.executable, "-c", OPERATIONS_COMPILED]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    built, called = (set(line.split()) for line in done.stdout.strip().splitlines())
    assert built == {"place"}  # states of nodes at the design position
    assert {"prepare", "forces", "solve"} <= called
    assert not {"stiffness", "mass_entries", "multiply", "gradients", "respond_one"} & called


def test_a_copy_of_bodies_has_addresses_of_its_own_tables(systems):
    bodies = systems["slosh"].S.bodies
    copy = bodies._replace(mass=2.0 * bodies.mass)
    assert copy.carriers is bodies.carriers and not (copy.coupled[:, 0] == bodies.coupled[:, 0]).any()
    none = bodies._replace(carriers=None)
    assert none.carriers is None and len(none.coupled) == 0 and typeof(none) == typeof(bodies)


def test_kernels_take_what_their_operation_gives():
    arity = lambda kernel: len(inspect.signature(kernel.py_func).parameters)
    for part in PARTS:
        for name, kernel in part.operations.items():
            given = OPERATIONS[name].partition(")")[0].strip("(").split(", ")
            assert arity(kernel) == len(given), (part.name, name)
    for kind in BODY_TYPES:
        for name, kernel in kind.operations.items():
            assert arity(kernel) == 2 + len(BODY_OPERATIONS[name].arguments), (kind.name, name)


def test_wrong_declarations_are_refused(systems):
    with pytest.raises(
        ValueError, match="magnets: there is no operation 'attract'; choose from prescribe, rows, forces"
    ):
        Part("magnets", attract=prescribe)
    s = systems["bare_machine"]
    with pytest.raises(ValueError, match="there is no part 'magnets'"):
        connect(s.S, s.W, s.wrenches, ["magnets"])
    with pytest.raises(TypingError, match="give tables behind a handle"):
        prescribe(s.S, s.W, 0.0)
