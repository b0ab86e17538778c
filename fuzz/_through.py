"""What is read goes through everything that checks a model; nothing but sentences may come out."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

from holonom.analyses.checks.check import check
from holonom.expressions import CurveError, ExpressionError, SplineError
from holonom.formats import parse_adm, write_adm
from holonom.model import Model, ModelError
from holonom.model.validate import cannot_run, doubts, faults
from holonom.system.build import System
from holonom.system.user import MissingRoutine

from . import Finding

#: text of an error of Python that was not turned into a message
RAW = re.compile(
    r"Traceback|NoneType|object has no attribute|subscriptable|unsupported operand|positional argument|index out of "
    r"range|invalid literal|"
    r"could not convert|not iterable|unhashable|int\(\) argument|float\(\) argument|math domain|math "
    r"range|\b0x[0-9a-f]{7}|object at |"
    r"not supported between|must be real number|cannot convert float|too many values to unpack|not enough "
    r"values|cannot reshape|broadcast|"
    r"recursion depth|division by zero'|keyword argument|Expecting |<class"
)


def sentences(texts: Any, what: str) -> None:
    """Each text is one clear sentence."""
    for text in texts:
        line = str(text).strip()
        if not line or "\n" in line:
            raise Finding(f"{what} is not a sentence: {text!r}")
        if RAW.search(line):
            raise Finding(f"{what} is an error of Python: {line[:300]}")


def attempt_to(what: str, work: Callable[[], Any]) -> Any:
    """What results, None where it was refused with sentences."""
    try:
        return work()
    except ModelError as error:
        sentences(getattr(error, "errors", None) or getattr(error, "missing", None) or [error], what)
        return None


def alike(value: Any) -> Any:
    """What a text of statements keeps of a value: numbers as such, texts without their spaces, a list of one as that
    one."""
    if isinstance(value, dict):
        return {key: alike(x) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        return alike(value[0]) if len(value) == 1 else [alike(x) for x in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value) if abs(value) < 1e300 else value
    return re.sub(r"\s", "", value) if isinstance(value, str) else value


def plain(model: Model) -> dict[str, Any]:
    """A model without the places of its statements."""
    data = model.to_dict()
    for rows in data["elements"].values():
        for row in rows:
            row.pop("source", None)
    return data


def build(model: Model) -> Any:
    """The numbers of a model without faults, None where they are refused with sentences; nothing is compiled."""
    try:
        return System(model, missing="zero", initial=True)
    except MissingRoutine as error:
        sentences([error], "a refusal to build")
    except (ModelError, ExpressionError, SplineError, CurveError) as error:
        sentences(getattr(error, "errors", None) or getattr(error, "missing", None) or [error], "a refusal to build")
    return None


def through(
    model: Model,
    rng: random.Random,
    building: float = 0.5,
    again: float = 0.1,
    looking: float = 0.1,
    assembly: float = 0.0,
) -> str:
    """Validation both ways, doubts, what is missing, writing and reading back, JSON, building, `check`; a keyword for
    the counts.

    The numbers are how often each of the dearer ones is done.  Assembly compiles kernels for each new mixture of
    elements, some tens of seconds each, so the generator `assembly` does it.
    """
    sentences(model.warnings, "a warning")
    found = faults(model)
    sentences(found, "a fault")
    sentences(faults(model, rigid=True), "a fault")
    if not found:
        sentences(doubts(model), "a doubt")
        sentences(cannot_run(model), "what is missing")
    if rng.random() < again and not found:
        text = attempt_to("a refusal to write", lambda: write_adm(model))
        if text is not None:
            twin = attempt_to("a refusal of what was written", lambda: parse_adm(text, "again.adm", True))
            if twin is None:
                raise Finding("what was written cannot be read again")
            if alike(plain(twin)["elements"]) != alike(plain(model)["elements"]):
                raise Finding("what was written reads back as another model")
        twin = attempt_to("a refusal of JSON", lambda: Model.from_json(model.to_json()))
        if twin is None or faults(twin) != found:
            raise Finding("the model returns from JSON with other faults")
    fit = rng.random() < assembly
    if fit or rng.random() < looking:
        answer = check(model, assemble=fit)
        sentences(
            [*answer.faults, *answer.missing, *answer.warnings, *answer.geometry, *answer.contacts],
            "an answer of check",
        )
        str(answer)
        if fit and answer.degrees_of_freedom is not None:
            return "assembled"
    if not found and rng.random() < building:
        return "built" if build(model) is not None else "not built"
    return "with faults" if found else "read"
