"""No function takes more than a dozen arguments by position: what belongs together is passed together."""

import ast

import pytest

from holonom import _jit

MOST = 12
#: functions with more, and how many: why
WIDE = {
    "model/builder/forces.py:beam": (16, "a builder: the constants of a BEAM, which users name"),
    "cli/run.py:run": (28, "options of a command"),
    "cli/run.py:linear": (17, "options of a command"),
    "cli/models.py:fmu": (14, "options of a command"),
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


def wide(tree: ast.AST) -> dict[str, int]:
    """Function -> number of arguments that may be given by position, where there are more than ``MOST``."""
    out = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
            count = len(names) - (names[:1] in (["self"], ["cls"]))
            if count > MOST:
                out[node.name] = max(count, out.get(node.name, 0))
    return out


def found() -> dict[str, int]:
    out = {}
    for path in sorted(_jit._PACKAGE.rglob("*.py")):
        name = path.relative_to(_jit._PACKAGE).as_posix()
        out |= {f"{name}:{f}": n for f, n in wide(ast.parse(path.read_text(encoding="utf-8"))).items()}
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
