"""The key of a compiled kernel is that of all sources that its file reaches: an edit of the drawing, of what builds tables from it, or of
contacts must not compile the equations of motion and the integrators anew."""

import re

import pytest

from holonom import _jit
from holonom.elements.kinds import FORCE_FILES

ROOT = _jit._PACKAGE
KERNELS = sorted(
    str(p.relative_to(ROOT))
    for room in ("elements", "system", "integrators", "linalg", "expressions", "analyses")
    for p in (ROOT / room).rglob("*.py")
    if re.search(r"^@(jit|overload)\b", p.read_text(encoding="utf-8"), re.M)
)
#: behind these stand models, their reader, or the contact engine; kernels may know errors and rotations of the drawing, no more
APART = re.compile(r"model/(?!base|orientation)|system/(build|function_set|functions_build|contacts|contact_stand_ins|outputs)\.py|contact/(engine|shapes|laws|friction)"
                   r"|results/|formats/")  # fmt: skip

#: files that hold data and builder of an element beside its law: compiled by itself, and called through its address
WHOLE = {f"elements/forces/{name.replace('.', '/')}.py" for name in FORCE_FILES}


def reached(path):
    """Every source in the key of a module, and the one that imports it."""
    seen, todo = {}, [(path, None)]
    while todo:
        at, by = todo.pop()
        if at not in seen:
            seen[at] = by
            todo += [(other, at) for other in _jit._imports(at)]
    return {str(p.relative_to(ROOT)): by and str(by.relative_to(ROOT)) for p, by in seen.items()}


def test_there_are_kernels():
    assert {"system/kernels.py", "system/output_kernels.py", "integrators/radau.py", "linalg/ldl.py"} <= set(KERNELS)
    assert "system/build.py" not in KERNELS and "elements/joints/rows.py" in reached(ROOT / "system" / "kernels.py")


@pytest.mark.parametrize("name", sorted(set(KERNELS) - WHOLE))
def test_kernels_do_not_reach_models_or_contacts(name):
    wrong = {other: by for other, by in reached(ROOT / name).items() if APART.search(other) or other in WHOLE}
    assert not wrong, f"{name} is compiled anew by edits of {wrong}"
