"""Requests, sensors, and graphics as Adams has them."""

from __future__ import annotations

from dataclasses import fields

from ..base import ModelError, shown
from ..outputs import Graphic, Request, Sensor
from ..values import number, word_of
from .bodies import Bodies, expression
from .teaching import known_words, teach

ACTIONS = tuple(
    f.name
    for f in fields(Sensor)
    if f.name not in ("id", "name", "active", "source", "function", "routine", "value", "tolerance", "comparison")
)


@teach
class Outputs(Bodies):
    """Additional outputs of a run, and sensors."""

    def request(
        self,
        name: str = "",
        *,
        kind: str | None = None,
        i=None,
        j=None,
        rm=None,
        functions=None,
        comment: str = "",
        id: int = 0,
    ) -> Request:
        """Up to eight expressions, or a standard request: ``kind`` DISPLACEMENT, VELOCITY, ACCELERATION or FORCE of
        marker I against J in axes of ``rm`` (model units, radians).

        ``functions``: a dict F1..F8, or a list; a list of fewer than eight begins at F2, as in Adams, where F1 is the
        magnitude. Read back by ``run.request(name)``. Raises `ModelError` for other types, other names of components,
        and more than eight functions.

            model.request("tip", functions=[f"DX({tip})", f"DY({tip})"])
        """
        if isinstance(functions, str):
            functions = [functions]
        if functions is not None and not isinstance(functions, dict):
            given = list(functions) if hasattr(functions, "__iter__") else [functions]
            if len(given) > 8:
                raise ModelError(f"functions holds {len(given)} expressions, and a request has eight; make two of them")
            functions = {f"F{n}": f for n, f in enumerate(given, start=2 if len(given) < 8 else 1)}
        table = {}
        for key, f in (functions or {}).items():
            table[word_of(key, "component in functions", tuple(f"F{n}" for n in range(1, 9)))] = expression(f, str(key))
            if callable(f):
                raise ModelError(
                    f"{key} is a Python function; give an expression, or a VARIABLE made of the function: VARVAL(id)"
                )
        mark = lambda r: None if r is None else self._marker(r)
        kind = None if kind is None else word_of(kind, "kind", Request.WORDS["kind"])
        if kind is not None and i is None:
            raise ModelError(f"a request of kind {kind} needs the marker i (and j, where it is not against ground)")
        return self.add(
            Request(id=id, name=name, kind=kind, i=mark(i), j=mark(j), rm=mark(rm), functions=table, comment=comment)
        )

    def sensor(
        self,
        function,
        value: float,
        comparison: str = "GE",
        error: float = 1e-3,
        name: str = "",
        id: int = 0,
        *,
        halt: bool = False,
        **actions,
    ) -> Sensor:
        """SENSOR: acts when ``function`` is EQ, GE or LE ``value`` within ``error`` (units of the function).

        ``halt`` ends the run; other ``actions``: returns, restart, bisection, time_error, dt, stepsize, evaluate (an
        expression kept as SENVAL). Raises `ModelError` for other comparisons and actions.

            model.sensor(f"DY({ball})", 0.0, "LE", halt=True)
        """
        known_words(Sensor, actions, ("halt", "comparison", "error", "value"))
        for word in actions:
            if word not in ACTIONS:
                raise ModelError(f"there is no action '{word}'; choose from {', '.join(ACTIONS)}")
        given = expression(function)
        made = Sensor(
            id=id,
            name=name,
            value=number(value, "value"),
            comparison=word_of(comparison, "comparison", Sensor.WORDS["comparison"]),
            tolerance=number(error, "error"),
            halt=halt,
            **actions,
        )
        if not made.tolerance > 0.0:
            raise ModelError(f"error is {made.tolerance:g}; give a positive number")
        return self._function(self.add(made), given)

    def graphic(self, type: str, name: str = "", id: int = 0, **arguments) -> Graphic:
        """GRAPHICS statement of a dataset: a ``type`` and its arguments in lower case (lengths in model units).

        `box`, `cylinder`, `sphere` and similar methods are simpler and check their arguments at once. Raises
        `ModelError` for a type that is not text.
        """
        if not isinstance(type, str):
            raise ModelError(f"type is {shown(type)}; give a text, as 'BOX'")
        return self.add(Graphic(id=id, name=name, type=type.upper(), arguments=arguments))
