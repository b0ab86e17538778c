"""No function takes more than a dozen arguments by position: what belongs together is passed together.  What public
functions return has a type, which editors complete and checkers check."""

import ast
import functools
import inspect
from collections.abc import Iterator

import pytest

import holonom as hn
from _source import outline
from holonom import _jit

MOST = 12
#: functions with more, and how many: why
WIDE = {
    "model/builder/forces.py:beam": (16, "a builder: the constants of a BEAM, which users name"),
    "cli/run.py:run": (28, "options of a command"),
    "cli/run.py:linear": (17, "options of a command"),
    "cli/models.py:fmu": (16, "options of a command"),
    "cli/rail.py:coach": (13, "options of a command"),
    "cli/rail.py:curve": (16, "options of a command"),
    "cli/structures.py:structures_study": (14, "options of a command"),
    "cli/vehicle.py:drive": (16, "options of a command"),
    "contact/pull.py:contact_pull": (14, "called by its address, with numbers and arrays only"),
    "contact/referee/energy.py:book_work": (15, "a kernel of the referee, which has no table of the solver"),
    "granular/laws.py:spring": (15, "compiled for processors and GPUs, numbers only"),
    "granular/laws.py:rolling": (14, "compiled for processors and GPUs, numbers only"),
    "granular/laws.py:touch": (14, "compiled for processors and GPUs, numbers only"),
    "granular/points.py:meeting": (14, "compiled for processors and GPUs, numbers only"),
}


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements below one, without their expressions, which hold no function with a name."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for one in getattr(tree, name, ()):
            yield one
            yield from statements(one)


def wide(tree: ast.AST) -> dict[str, int]:
    """Function -> number of arguments that may be given by position, where there are more than ``MOST``."""
    out = {}
    for node in statements(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
            count = len(names) - (names[:1] in (["self"], ["cls"]))
            if count > MOST:
                out[node.name] = max(count, out.get(node.name, 0))
    return out


@functools.cache
def found() -> dict[str, int]:
    out = {}
    for path in sorted(_jit._PACKAGE.rglob("*.py")):
        name = path.relative_to(_jit._PACKAGE).as_posix()
        out |= {f"{name}:{f}": n for f, n in wide(outline(path)).items()}
    return out


def test_the_count_sees_wide_functions():
    names = ", ".join(f"a{k}" for k in range(13))
    assert wide(ast.parse(f"def f({names}): pass\nclass A:\n    def g(self, {names}): pass")) == {"f": 13, "g": 13}
    assert wide(ast.parse(f"def f(a, *, {names}): pass\nclass A:\n    def g(self, {names[4:]}): pass")) == {}


def test_no_function_takes_more_than_a_dozen_arguments():
    more = {name: n for name, n in found().items() if n > WIDE.get(name, (MOST,))[0]}
    assert not more, "pass together what belongs together (a named tuple, a point, a matrix)"


@pytest.mark.parametrize("name", WIDE)
def test_the_table_of_wide_functions_is_true(name):
    assert found().get(name) == WIDE[name][0], "no longer there, or narrower: correct the table"


# ---- types of the public API ----------------------------------------------------------------------------------------
ANYTHING = ("Any", "typing.Any", "Any | None")
#: public functions that may return anything, and why
UNKNOWN = {
    "hn.Model.element": "an element of the type that is named",
    "hn.Model.find": "an element of the type that is named",
    "hn.Model.move": "what was given, or the element of a name",
    "hn.Model.duplicate": "an element of the type of what was given, or of the element of a name",
    "hn.Simulation.output": "a number or an array, by what is requested",
    "hn.machinery.laid_rope": "the cable or the beam that is named",
    "hn.studies.StudyParameter.at": "a value of any type among choices",
}
#: arguments that take anything by their type; each that gets a type lowers the bar
MOST_UNKNOWN_ARGUMENTS = 515


def parts_of(owner: object) -> dict[str, object]:
    """Public parts of a module, or of a class with those that it inherits from ours."""
    if inspect.ismodule(owner):
        return {name: getattr(owner, name) for name in getattr(owner, "__all__", [])}
    bases = [base for base in reversed(owner.__mro__) if base.__module__.startswith("holonom")]
    return {n: part for base in bases for n, part in vars(base).items() if n[0] != "_" or n == "__init__"}


def functions_of(owner: object, name: str, seen: set[int]) -> Iterator[tuple[str, object]]:
    """Public functions and methods below a module or class, with their names as users write them."""
    for part, one in sorted(parts_of(owner).items()):
        one = getattr(one, "fget", None) or getattr(one, "__func__", one)
        one = inspect.unwrap(one) if callable(one) else one
        ours = one.__name__ if inspect.ismodule(one) else getattr(one, "__module__", "")
        if not str(ours).startswith("holonom") or ours == "holonom._moved" or id(one) in seen:
            continue
        seen.add(id(one))
        if inspect.isfunction(one):
            yield f"{name}.{part}", one
        elif inspect.isclass(one) or inspect.ismodule(one):
            yield from functions_of(one, f"{name}.{part}", seen)


@pytest.fixture(scope="module")
def public() -> dict[str, dict[str, str]]:
    """Public function -> its annotations."""
    return {name: dict(f.__annotations__) for name, f in functions_of(hn, "hn", set())}


def test_public_functions_are_found(public):
    for name in ("hn.simulate", "hn.Model.add", "hn.Model.revolute", "hn.Study.minimize"):
        assert name in public
    assert len(public) > 1000 and public["hn.simulate"]["return"] == "Run"


def test_public_functions_say_what_they_return(public):
    found = {name for name, types in public.items() if str(types.get("return")) in ANYTHING}
    assert found == set(UNKNOWN), "give the type; or, where it is given now, correct the table"


def test_arguments_that_take_anything_become_fewer(public):
    count = sum(str(t) in ANYTHING for types in public.values() for name, t in types.items() if name != "return")
    assert count <= MOST_UNKNOWN_ARGUMENTS
