"""The mutation test of formulas: which changes it tries, and that the tests of a file are really run on the change."""

import ast
import gc
import importlib
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import mutate  # noqa: E402
import mutation_server  # noqa: E402

SOURCE = '''"""A module."""

LIMIT = 3.0


def force(x, v, k=2.0):
    """k x plus 4 v."""
    if k < 0.0:
        raise ValueError("k is below 0.0")
    if x > 0.0 and not v:
        return min(k * x, LIMIT)
    f = hypot(x, v) + pull(x, v)
    f -= 0.5 * v
    return f * 0.0 + k * x


def faults(e):
    yield e.k < 0.0
'''


@pytest.fixture
def changes(tmp_path, monkeypatch):
    monkeypatch.setattr(mutate, "ROOT", tmp_path)
    file = tmp_path / "file.py"
    file.write_text(SOURCE)
    return mutate.changes_of(file)


def test_every_kind_of_change_is_tried_and_checks_of_input_are_left_alone(changes):
    texts = {c.text for c in changes}
    assert {"max(k * x, LIMIT)", "(k / x)", "pull(v, x)", "0.55", "(x < 0.0)", "v", "f += 0.5 * v"} <= texts
    assert {"(x > 0.0 or not v)", "(hypot(x, v) - pull(x, v))", "hypot(x, v)", "pull(x, v)"} <= texts
    assert all(c.function == "force" and c.line > 9 for c in changes)  # neither defaults, nor raise, nor faults
    assert not any("/ 0.0" in c.text or c.old == "hypot(x, v)" for c in changes)  # zeros of a type; what is symmetric


def test_what_only_gives_a_type_and_checks_of_rows_are_left_alone(tmp_path, monkeypatch):
    """x + zero and 0.0 x + 1.0 have the values of x and 1.0, so leaving that zero out changes no result."""
    monkeypatch.setattr(mutate, "ROOT", tmp_path)
    file = tmp_path / "file.py"
    file.write_text("def f(x, zero):\n    return x + zero, x * 0.0 + 1.0\n\n\ndef row_faults(x):\n    yield x < 1.0\n")
    found = {c.text for c in mutate.changes_of(file) if c.function == "f"}
    assert found == {"zero", "(x * 0.0)", "(x * 0.0 - 1.0)", "1.1"}
    assert {c.function for c in mutate.changes_of(file)} == {"f"}


def test_changes_that_read_alike_have_names_of_their_own(tmp_path, monkeypatch):
    """Reasons name one change of a function, not all that read alike; functions can be left out of a draw."""
    monkeypatch.setattr(mutate, "ROOT", tmp_path)
    file = tmp_path / "file.py"
    file.write_text("def f(x):\n    return x[1] + x[1]\n\n\ndef draw(x):\n    return x[1]\n")
    names = [c.name for c in mutate.changes_of(file)]
    assert len(set(names)) == len(names) and {"f: 1 -> 2", "f: 1 -> 2 (2)", "draw: 1 -> 2"} <= set(names)
    options = SimpleNamespace(only="", skip=["draw"], sample=0, total=0, seed=0)
    assert {c.function for c in mutate.drawn([file], options)[file]} == {"f"}


BUILDER = '''"""A module."""


def wheel(model, radius):
    wide = 2.5 * radius
    model.cylinder((0, 0, 0), 1.5 * wide,
                   color="RED")
    return model.part("wheel", 3.0 * radius, (1.0, 1.0, 2.0))


def rate(radius):
    return 2.0 * radius


def load(m, k):
    def text(v):
        return f"{v}"

    return m.sforce(1, 2, text(0.5 * k))
'''


def test_builders_are_drawn_without_their_pictures(tmp_path):
    """Functions that make elements, by their calls on a model; not what only draws."""
    file = tmp_path / "file.py"
    file.write_text(BUILDER)
    assert mutate.builders_of(file) == {"wheel", "load"}
    assert mutate.lines_of_pictures(file) == {5, 6, 7}
    assert {"part", "sforce", "variable", "bushing"} <= mutate.builder_names()
    assert "tests/test_builder_numbers.py" in mutate.tests_of_builders(ROOT / "src/holonom/rail/vehicle.py")


CONSTANTS = """MOST_BYTES = 10
STEEL: float = 7.85
HEAVY = 2.0 * STEEL
CAR = {"mass": 3.0, "arms": (0.5, -1)}


def mass():
    return HEAVY * CAR["mass"]
"""


def test_numbers_in_constants_are_changed_wherever_they_are_used(tmp_path, monkeypatch):
    """One number of a table at a time; what is made from it follows, and so do other modules that have it."""
    monkeypatch.setattr(mutate, "ROOT", tmp_path)
    file = tmp_path / "constants_of_a_car.py"
    file.write_text(CONSTANTS)
    found = {c.name: c for c in mutate.constants_of(file)}
    numbers = {"STEEL: 7.85 -> 8.635", "CAR: 3.0 -> 3.3000000000000003", "CAR: 0.5 -> 0.55", "CAR: 1 -> 2"}
    assert numbers | {"HEAVY: 2.0 -> 2.2", "HEAVY: 2.0 * STEEL -> (2.0 / STEEL)"} == set(found)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "user_of_a_car.py").write_text("from constants_of_a_car import CAR, HEAVY, mass\n")
    user = importlib.import_module("user_of_a_car")
    table = user.CAR
    source = found["STEEL: 7.85 -> 8.635"].applied(CONSTANTS)
    mutation_server.constant_changed(str(file), "STEEL", source)
    assert (user.HEAVY, user.mass()) == pytest.approx((2.0 * 8.635, 6.0 * 8.635), rel=1e-15)
    mutation_server.constant_changed(str(file), "CAR", found["CAR: 3.0 -> 3.3000000000000003"].applied(CONSTANTS))
    assert table["mass"] == pytest.approx(3.3) and user.CAR["mass"] == table["mass"]
    assert user.mass() == pytest.approx(3.3 * 2.0 * 8.635)


def test_functions_are_found_among_frozen_objects(tmp_path, monkeypatch):
    """`conftest.py` freezes what it has imported; a change that reaches no function would pass for a survivor."""
    file = tmp_path / "frozen_wheel.py"
    file.write_text("def mass(r):\n    return 2.0 * r\n")
    monkeypatch.syspath_prepend(tmp_path)
    wheel = importlib.import_module("frozen_wheel")
    gc.freeze()
    assert mutation_server.changed(str(file), file.read_text().replace("2.0", "3.0")) == 1
    assert wheel.mass(1.0) == 3.0
    assert mutation_server.changed(str(tmp_path / "nowhere.py"), "def mass(r):\n    return r\n") == 0


def test_tests_that_name_a_constant_are_among_those_of_its_changes():
    """A table that is compared with its source calls no function of the package."""
    files = {f.name for f in mutate.tests_with("SPROCKET")}
    assert {"test_constants.py", "test_builder_tables.py"} <= files and "test_cli.py" not in files
    assert "PASSES" in mutate.reasons_of(ROOT / "src/holonom/rail/geometry.py")


@pytest.mark.slow
def test_a_halved_coefficient_of_a_builder_is_noticed():
    """All changes of the torque of a brake: the rows of the table of builders notice them."""
    run = subprocess.run(
        [
            *(
                sys.executable,
                "tools/mutate.py",
                "src/holonom/machinery/brakes.py",
                "--builders",
                "--only",
                "add_brake",
            ),
            *("--tests", "tests/test_builder_numbers.py"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0 and ", 0 survive" in run.stdout, run.stdout


def test_each_change_is_another_program_and_differs_in_one_place(changes):
    original = ast.dump(ast.parse(SOURCE))
    sources = [c.applied(SOURCE) for c in changes]
    assert len(set(sources)) == len(sources) > 12
    assert all(ast.dump(ast.parse(s)) != original for s in sources)
    assert all(len(s.splitlines()) == len(SOURCE.splitlines()) for s in sources)


def test_every_pattern_of_the_table_has_files_and_tests():
    for pattern, tests in mutate._table()["tests"].items():
        assert list(ROOT.glob(pattern)), f"{pattern}: no file of src"
        assert tests and all((ROOT / t).exists() for t in tests), pattern


def test_reasons_name_changes_that_exist():
    for name, reasons in mutate._table().get("equal", {}).items():
        known = {c.name for c in mutate.changes_of(ROOT / name)}
        known |= {c.function for c in mutate.constants_of(ROOT / name)}  # of constants: all of their changes
        assert set(reasons) <= known, f"{name}: {sorted(set(reasons) - known)[:1]} is no change of this file"


@pytest.mark.slow
def test_a_wrong_formula_is_noticed():
    """Goodman's line with a term left out, one times 1.1 and so on: the durability tests notice all of them."""
    run = subprocess.run(
        [sys.executable, "tools/mutate.py", "src/holonom/durability/mean_stress.py", "--sample", "6"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0 and "6 changes in 1 files, 0 survive" in run.stdout, run.stdout


#: wrong formulas that all fast tests passed once: file of src, what is in it, what it is made to be
WRONG = {
    "UA: camber halved": ("elements/forces/tyres/ua.py", "- c[CGAMMA] * gamma * q", "- 0.5 * c[CGAMMA] * gamma * q"),
    "UA: half the fall of friction": (
        "elements/forces/tyres/ua.py",
        "u = c[UMAX] - (c[UMAX] - c[UMIN])",
        "u = c[UMAX] - 0.5 * (c[UMAX] - c[UMIN])",
    ),
    "Fiala: half the fall of friction": (
        "elements/forces/tyres/fiala.py",
        "grip = (c[UMAX] - (c[UMAX] - c[UMIN]) * s)",
        "grip = (c[UMAX] - 0.5 * (c[UMAX] - c[UMIN]) * s)",
    ),
    "PAC2002: relaxation length along": (
        "elements/forces/tyres/pac2002.py",
        "return at_least(sx, least), at_least(sy, least)",
        "return 0.7 * at_least(sx, least), at_least(sy, least)",
    ),
    "PAC2002: relaxation length across": (
        "elements/forces/tyres/pac2002.py",
        "return at_least(sx, least), at_least(sy, least)",
        "return at_least(sx, least), 0.7 * at_least(sy, least)",
    ),
    "PAC2002: LMX": ("elements/forces/tyres/pac2002.py", "* c[LMX]", ""),
    "PAC2002: LKYG": ("elements/forces/tyres/pac2002.py", "* gy * c[LKYG]", "* gy"),
    "PAC2002: LVYKA": ("elements/forces/tyres/pac2002.py", "* c[LVYKA]", ""),
    "PAC2002: LGAZ": ("elements/forces/tyres/pac2002.py", "gamma * c[LGAZ]", "gamma"),
    "Becker's film 17 % low": ("thermal/film.py", "return 0.133 *", "return 0.110 *"),
    "compliance of teeth 5 % up": ("machinery/gear_mesh.py", "* (tooth + body)", "* 1.05 * (tooth + body)"),
    "stiffness of a pair 2 % down": (
        "machinery/gear_mesh.py",
        "** 2 / (c1 + c2 + hertz)",
        "** 2 / (c1 + c2 + hertz) * 0.98",
    ),
}


@pytest.mark.slow
def test_wrong_formulas_that_tests_once_passed_are_noticed():
    """Each alone turns a fast test red."""
    benches, passed = {}, []
    try:
        for name, (file, old, new) in WRONG.items():
            path = ROOT / "src/holonom" / file
            source, tests = path.read_text(), tuple(mutate.tests_of(path))
            assert old in source, name
            if tests not in benches:
                benches[tests] = mutate.Bench(list(tests), path, plain=True, seconds=75.0)
            if not benches[tests].notices(path, source.replace(old, new)):
                passed.append(name)
    finally:
        for bench in benches.values():
            bench.close()
    assert not passed
