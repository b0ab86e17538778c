"""Studies of the parameters table: a `holonom.Study` of the open model over a grid of values, in a process of its own.

`main` reads one request as JSON from standard input and writes one answer as JSON to standard output: ``rows`` of the
study and ``files`` with the results of its runs, or an ``error``.
"""

from __future__ import annotations

import itertools
import math
import os
from pathlib import Path
from typing import Any

from ..model import ModelError
from ..model.base import shown
from .forms import typed, wanted_number
from .live import split
from .one_request import answer_one

MAX_POINTS = 200
MAX_KEPT = 12  # runs whose curves are kept
MAX_MEASURES = 12
MAX_VARIED = 2
MAX_WORKERS = 4


def address(key: str) -> str:
    """The address of a number (`Model.with_parameters`) whose key `live.parameters` gives."""
    kind, number, name, place = split(key)
    if not name:
        return f"{kind}/{number}.FUNCTION(1)"
    return f"{kind}/{number}.{name.upper()}" + ("" if place is None else f"({place + 1})")


def grid(varied: list[dict[str, Any]]) -> list[dict[str, float]]:
    """All combinations of the values of one or two parameters: ``name``, ``from``, ``to``, ``count``.  Raises
    ModelError for ranges that are empty, and for too many runs."""
    axes = []
    for one in varied:
        low, high, count = one["from"], one["to"], one["count"]
        for word, value in (("From", low), ("To", high)):
            if not math.isfinite(value):
                raise ModelError(f"'{one['name']}': {word} is not finite; give a finite number")
        if low == high:
            raise ModelError(f"'{one['name']}' goes from {low:g} to {high:g}; give two different numbers")
        if not 2 <= count <= MAX_POINTS:
            raise ModelError(f"'{one['name']}' has {count} values; give a whole number from 2 to {MAX_POINTS}")
        axes.append([float(f"{low + (high - low) * k / (count - 1):.10g}") for k in range(count)])
    points = [dict(zip((one["name"] for one in varied), values)) for values in itertools.product(*axes)]
    if len(points) > MAX_POINTS:
        raise ModelError(f"the study has {len(points)} runs; give at most {MAX_POINTS}")
    return points


def request_of(message: dict[str, Any], rows: list[list[Any]], settings: dict[str, Any], store: Path) -> dict[str, Any]:
    """The request for `main` that a window makes; ``rows``: `live.parameters` of the model.  Raises ModelError
    for what cannot be varied or measured."""
    from ..studies.measures import REDUCTIONS
    from ..studies.simulation import ANALYSIS_TYPES

    known = {row[0]: row for row in rows}
    given = message.get("parameters")
    if not isinstance(given, list) or not 1 <= len(given) <= MAX_VARIED:
        raise ModelError("a study varies one or two parameters; choose them")
    varied = []
    for one in given:
        key = one.get("key") if isinstance(one, dict) else None
        if key not in known:
            raise ModelError(f"there is no parameter {shown(key)} in the model")
        _, name, value, unit = known[key]
        low, high, count = (typed(one.get(word)) for word in ("from", "to", "count"))
        for word, number, of in (("From", low, unit), ("To", high, unit), ("Number of values", count, "")):
            if not isinstance(number, float):
                raise ModelError(f"'{name}': {word} is {shown(number)}; {wanted_number(number, of)}")
        if not count.is_integer():
            raise ModelError(f"'{name}' has {count:g} values; give a whole number from 2 to {MAX_POINTS}")
        span = {"from": low, "to": high, "count": int(count)}
        varied.append({"key": key, "name": name, "value": value, "unit": unit, **span})
    if len({one["key"] for one in varied}) < len(varied):
        raise ModelError("the two parameters of a study are the same; choose another one")
    if len({one["name"] for one in varied}) < len(varied):
        varied = [{**one, "name": f"{one['name']} {one['key']}"} for one in varied]
    measures = message.get("measures")
    if not isinstance(measures, list) or not 1 <= len(measures) <= MAX_MEASURES:
        raise ModelError(f"a study needs 1 to {MAX_MEASURES} measures; add one")
    table = {}
    for one in measures:
        of, reduce = (one.get("of"), one.get("reduce")) if isinstance(one, dict) else (None, None)
        if not isinstance(of, str) or not of.strip() or reduce not in REDUCTIONS:
            raise ModelError(f"a measure is {shown(one)}; give a quantity and one of {', '.join(REDUCTIONS)}")
        table[f"{reduce} of {of.strip()}"] = {"of": of.strip(), "reduce": reduce}
    if settings["kind"] not in ANALYSIS_TYPES:
        raise ModelError(f"a study does not run '{settings['kind']}'; choose another analysis in the tool bar")
    points = grid(varied)
    return {
        "varied": varied,
        "points": points,
        "measures": table,
        "settings": settings,
        "store": str(store),
        "keep": len(points) <= MAX_KEPT,
    }


def study(given: dict[str, Any]) -> dict[str, Any]:
    """Run the study of a request."""
    from ..studies import Study, StudyParameter
    from ..studies.keeping import kept_runs
    from .solver import model_of

    os.chdir(given["folder"])  # where its worker processes look for meshes, too
    model = model_of({"path": given.get("path")}, given["model"].encode("utf-8"))
    parameters = [
        StudyParameter(
            one["name"],
            min(max(one["value"], min(one["from"], one["to"])), max(one["from"], one["to"])),
            (min(one["from"], one["to"]), max(one["from"], one["to"])),
            one["unit"],
            address=address(one["key"]),
        )
        for one in given["varied"]
    ]
    workers = min(MAX_WORKERS, os.cpu_count() or 1, len(given["points"]))
    with Study(
        given["store"],
        model,
        parameters,
        measures=given["measures"],
        analyses={"name": "run", **given["settings"]},
        workers=workers if workers > 1 else 0,
        keep="all" if given["keep"] else "none",
        stop_after=0,
        progress=False,
    ) as made:
        rows = [
            {"number": r.number, "status": r.status, "values": r.parameters, "measures": r.measures, "why": r.message}
            for r in made.run(given["points"])
        ]
    return {"rows": rows, "files": {str(k.number): str(k.path) for k in kept_runs(Path(given["store"]))}}


def count_of(store: Path) -> int:
    """How many runs a study has so far."""
    from ..studies.store import Store

    try:
        with Store(store) as held:
            return held.count()
    except ModelError:  # it is being made
        return 0


def main() -> None:
    """Answer one request."""
    answer_one(study)
