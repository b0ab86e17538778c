"""Checks of data elements, equations, sensors and switches (`validate`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .base import ELEMENT_TYPES, ModelError
from .data_files import matrix_values, spline_points
from .switches import HOLDING

if TYPE_CHECKING:
    from .model import Model


def spline_faults(model: Model, e: Any) -> Iterator[str]:
    if e.routine:
        yield (
            f"its data come from a routine (ROUTINE = {e.routine}), which is not called here; give X and Y, or a "
            "FILE of a format that is read"
        )
        return
    if e.file is not None:
        try:
            data = spline_points(model, e)
        except ModelError as error:
            yield str(error).removeprefix(f"{e.label}: ")
            return
        down = np.flatnonzero(np.diff(data.x) <= 0)
        if down.size:
            yield (
                f"x must increase, but value {down[0] + 2} of {e.file} ({data.x[down[0] + 1]:g}) follows "
                f"{data.x[down[0]]:g}; sort them and remove doubles"
            )
        return
    if len(e.x) < 2:
        yield f"it needs points to run through, it has {len(e.x)} x values"
    rows = max(1, len(e.z))
    if len(e.y) != rows:
        yield f"it needs {rows} row{'s' * (rows > 1)} of y, one for each z, it has {len(e.y)}"
    for k, row in enumerate(e.y):
        if len(row) != len(e.x):
            yield f"row {k + 1} of y has {len(row)} numbers for {len(e.x)} x values; give as many"
    for name, values in (("x", e.x), ("z", e.z)):
        for k, (a, b) in enumerate(zip(values, values[1:])):
            if not b > a:
                yield f"{name} must increase, but value {k + 2} ({b:g}) follows {a:g}; sort them and remove doubles"
                break


def matrix_faults(model: Model, e: Any) -> Iterator[str]:
    if e.file is not None:
        try:
            matrix_values(model, e)
        except ModelError as error:
            yield str(error).removeprefix(f"{e.label}: ")
        return
    if len(e.values) != e.rows * e.columns:
        yield f"{e.rows} rows of {e.columns} need {e.rows * e.columns} values, it has {len(e.values)}"


def array_faults(model: Model, e: Any) -> Iterator[str]:
    if e.kind == "IC" and e.size is not None and len(e.numbers) != e.size:
        yield f"SIZE is {e.size}, but it has {len(e.numbers)} numbers; make them agree"
    for number in e.variables:
        if number not in model.table("VARIABLE"):
            yield f"there is no VARIABLE/{number}; correct the id or add the VARIABLE"


def state_equation_faults(model: Model, e: Any) -> Iterator[str]:
    """Sizes of x' = A x + B u, y = C x + D u."""
    matrix = lambda number: model.table("MATRIX").get(number) if number else None
    a = matrix(e.a)
    if a is None:
        yield "it needs a matrix A; give A = id"
        return
    try:
        shape = {m.id: matrix_values(model, m).shape for k in (e.a, e.b, e.c, e.d) if (m := matrix(k)) is not None}
    except ModelError:  # a fault of the matrix
        return
    n = shape[a.id][0]
    if shape[a.id][1] != n:
        yield f"its matrix A, {a.label}, must be square, it is {n} x {shape[a.id][1]}"
        return
    inputs = _array_size(model, e.u)
    outputs = _array_size(model, e.y)
    for name, number, rows, columns in (("B", e.b, n, inputs), ("C", e.c, outputs, n), ("D", e.d, outputs, inputs)):
        m = matrix(number)
        if m is None:
            continue
        has = shape[m.id]
        if (rows is not None and has[0] != rows) or (columns is not None and has[1] != columns):
            shown = f"{rows if rows is not None else has[0]} x {columns if columns is not None else has[1]}"
            yield (
                f"its matrix {name}, {m.label}, must be {shown} to fit its states, inputs and outputs, it is "
                f"{has[0]} x {has[1]}"
            )
    for name, number in (("X", e.x), ("IC", e.ic)):
        size = _array_size(model, number)
        if size is not None and size != n:
            yield f"its array {name} has {size} values for {n} states; make them agree"


def _array_size(model: Model, number: int | None) -> int | None:
    array = model.table("ARRAY").get(number) if number else None
    if array is None:
        return None
    if array.kind == "U":
        return len(array.variables)
    return len(array.numbers) if array.kind == "IC" and array.numbers else array.size


def transfer_function_faults(model: Model, e: Any) -> Iterator[str]:
    arrays = model.table("ARRAY")
    for name in ("numerator", "denominator"):
        array = arrays.get(getattr(e, name))
        if array is None:
            yield f"it names no array for its {name}; give {name.upper()} = id"
        elif not array.numbers or not any(array.numbers):
            yield f"its {name} {array.label} holds no number other than zero"
    top, bottom = arrays.get(e.numerator), arrays.get(e.denominator)
    if top is not None and bottom is not None and len(top.numbers) > len(bottom.numbers):
        yield (
            "its numerator has a higher degree than its denominator, so the output would hold derivatives of the input"
        )


def diff_faults(model: Model, e: Any) -> Iterator[str]:
    if len(e.ic) not in (1, 2):
        yield f"IC takes y(0) and at most y'(0), not {len(e.ic)} numbers"


def sensor_faults(model: Model, e: Any) -> Iterator[str]:
    if not e.tolerance > 0:
        yield f"ERROR must be positive, it is {e.tolerance:g}"
    if e.dt is not None and not e.dt > 0:
        yield f"DT must be positive, it is {e.dt:g}"


def _switched(model: Model) -> dict[tuple[str, int], list[Any]]:
    """The active SWITCHes that turn each element on and off; kept while all are checked (`validate.faults`)."""
    kept = vars(model).get("_switched")
    if kept:
        return kept
    found: dict[tuple[str, int], list[Any]] = {}
    for s in model.table("SWITCH").values():
        for ref in s.elements if s.active else ():
            found.setdefault(ref, []).append(s)
    if kept is not None:
        kept.update(found)
    return found


def switch_faults(model: Model, e: Any) -> Iterator[str]:
    """States, the elements that they name, transitions between them."""
    if len(e.states) < 2 or len(set(e.states)) < len(e.states):
        yield "it needs two or more states with names of their own"
        return
    if len(e.on) != len(e.states):
        yield f"ON needs the elements that act in each of its {len(e.states)} states, it has {len(e.on)} lists"
        return
    if e.initial and e.initial not in e.states:
        yield f"its initial state '{e.initial}' is not one of {', '.join(e.states)}"
    elements = e.elements
    for kind, number in dict.fromkeys((*elements, *e.hold, *e.resisting)):
        if kind not in ELEMENT_TYPES or not ELEMENT_TYPES[kind].SWITCHABLE:
            able = ", ".join(name for name, cls in ELEMENT_TYPES.items() if cls.SWITCHABLE)
            yield f"{kind}/{number} cannot be switched; choose elements of kind {able}"
        elif number not in model.table(kind):
            yield f"it switches {kind}/{number}, which does not exist; correct the id or add the {kind}"
        elif kind == "PART" and model.parts[number].ground:
            yield f"{model.parts[number].label} is ground and cannot be switched"
        else:
            other = next((s for s in _switched(model).get((kind, number), ()) if s is not e), None)
            if other is not None and other.id < e.id:
                yield f"{model.table(kind)[number].label} is switched by {other.label} too; let one of them do it"
    for kind, number in e.hold:
        if kind not in HOLDING:
            yield f"{kind}/{number} cannot hold what it finds; choose a JOINT, JPRIM or MOTION"
        elif (kind, number) not in elements:
            yield f"HOLD names {kind}/{number}, which none of its states turns on"
    for t in e.transitions:
        for state in (t.source, t.target):
            if state not in e.states:
                yield f"a transition names the state '{state}', which is not one of {', '.join(e.states)}"
        if not t.when:
            yield f"its transition from {t.source} to {t.target} has no condition; give WHEN"
        if not 0.0 <= t.restitution <= 1.0:
            yield f"its coefficient of restitution is {t.restitution:g}; give a number from 0 (no rebound) to 1"
