"""Inputs of a simulation that is stepped: VARIABLEs whose values come from outside, held or led on a straight line
between calls.

The function of an input is  v(t) = VALUE + SLOPE (TIME - SINCE)  with three parameters that `set` changes, as sensors
change SENVAL; so functions, forces and motions that read it have their exact derivatives, and nothing is compiled
again. A VARIABLE that the model does not declare as an input (a plant input of a dataset, or one that `Simulation.open`
names) follows its own function until it is set for the first time.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from ...expressions import ExpressionError, Fault, evaluate, parse
from ...model import Model, ModelError
from ...model.base import Element, close_word
from ...system.names import GIVEN, INPUT, SINCE, SLOPE, VALUE

SHOWN = 12  # names of inputs in a sentence


@dataclass
class Course:
    """``value`` at time ``since`` with ``slope`` until ``until``, where it is ``target``; ``given``: it has been
    set."""

    value: float = 0.0
    slope: float = 0.0
    since: float = 0.0
    until: float = math.inf
    target: float = 0.0
    given: bool = False

    def at(self, t: float) -> float:
        return self.target if t >= self.until else self.value + self.slope * (t - self.since)


class Inputs:
    """The inputs of one simulation and their courses, by the id of their VARIABLE."""

    def __init__(self, model: Model):
        self.courses: dict[int, Course] = {}
        self.named: set[int] = set()  # those that `Simulation.open` names
        self.declare(model)

    def declare(self, model: Model) -> None:
        """Those that the model declares, and those of its PINPUTs."""
        self.model = model
        table = model.table("VARIABLE")
        plant = {v for p in model.table("PINPUT").values() if p.active for v in p.variables if v in table}
        self.named &= set(table)
        ids = [v.id for v in table.values() if v.active and (v.input or v.id in plant or v.id in self.named)]
        kept = self.courses
        self.courses = {}
        for number in ids:
            v = table[number]
            value = constant(v) if v.input else 0.0
            self.courses[number] = kept.get(number) or Course(value, target=value)
        self.names = {table[n].name.lower(): n for n in self.courses}

    def name(self, what: Any) -> None:
        """Another VARIABLE becomes an input.  Raises ModelError where there is none."""
        self.named.add(self.model.find("VARIABLE", what).id)
        self.declare(self.model)

    def present(self, stepped: bool) -> frozenset[int]:
        """Ids of those that a system must take from here: all while it is ``stepped``, else those that have been
        set."""
        return frozenset(n for n, c in self.courses.items() if stepped or c.given)

    def find(self, what: Any) -> int:
        """Id of an input by name, id or itself.  Raises ModelError that states what there is."""
        table = self.model.table("VARIABLE")
        if isinstance(what, Element):
            number = self.model.find("VARIABLE", what).id
        elif isinstance(what, (int, np.integer)) and not isinstance(what, bool):
            number = int(what)
        else:
            names = self.names
            key = str(what).strip().lower()
            number = names.get(key, -1)
            if number < 0:
                other = next((v for v in table.values() if v.name.lower() == key), None)
                number = -1 if other is None else other.id
                close = close_word(key, names)
                if other is None and close:
                    raise ModelError(f"there is no input '{what}'; did you mean '{table[names[close]].name}'?")
        if number in self.courses:
            return number
        if number in table:
            raise ModelError(
                f"{table[number].label} is not an input, its FUNCTION gives its value; name it with "
                f"sim.open(inputs=['{table[number].name}']), or make it "
                "with model.input"
            )
        names_of = [table[n].name for n in self.courses]
        have = (
            f"the inputs are {', '.join(names_of[:SHOWN])}"
            if names_of
            else "the model has none; make one with model.input"
        )
        raise ModelError(f"there is no input '{what}'; {have}{' and others' if len(names_of) > SHOWN else ''}")

    def course(self, number: int, value: Any, t: float, by: Any, present: float) -> Course:
        """The course from (t, ``present``) to ``value``: at once, or on a straight line until time ``by``.  Raises
        ModelError for values that are not numbers."""
        label = self.model.table("VARIABLE")[number].label
        goal = _number(value, f"{label}: the value of an input")
        if by is None:
            return Course(goal, since=t, target=goal, given=True)
        until = _number(by, f"{label}: the time by which its value is reached")
        if not until > t:
            raise ModelError(
                f"{label}: by = {until:.9g} does not lie after the present time {t:.9g}; leave it out to change the "
                "value at once"
            )
        return Course(present, (goal - present) / (until - t), t, until, goal, True)

    # ---- to disk and back -------------------------------------------------------------------------------------------
    def saved(self) -> dict[int, tuple[float, ...]]:
        """The courses as numbers, by the id of their VARIABLE."""
        return {n: tuple(map(float, astuple(c))) for n, c in self.courses.items()}

    def take(self, courses: dict[int, tuple[float, ...]], named: set[int], model: Model) -> None:
        """Inputs of ``model`` take `saved` courses; those that have none begin again."""
        self.courses, self.named = {}, set(named)
        self.declare(model)
        for n in set(courses) & set(self.courses):
            value, slope, since, until, target, given = courses[n]
            self.courses[n] = Course(value, slope, since, until, target, bool(given))

    # ---- in a system ------------------------------------------------------------------------------------------------
    def put(self, system: Any) -> None:
        """Give a system the courses as they are."""
        for number in self.courses:
            if number in system.inputs:
                self.put_one(system, number)

    def put_one(self, system: Any, number: int) -> None:
        c = self.courses[number]
        given = c.given or self.model.table("VARIABLE")[number].input
        for part, value in ((GIVEN, float(given)), (VALUE, c.value), (SLOPE, c.slope), (SINCE, c.since)):
            system.set_parameter((INPUT, number, part), value)

    # ---- in time ----------------------------------------------------------------------------------------------------
    def corner(self, t: float) -> float:
        """The first time after t at which a course ends."""
        return min((c.until for c in self.courses.values() if c.until > t), default=math.inf)

    def ended(self, t: float) -> list[int]:
        """Those whose course ends at t or has ended; they hold their targets from now on."""
        found = [n for n, c in self.courses.items() if c.until <= t]
        for n in found:
            c = self.courses[n]
            self.courses[n] = Course(c.target, since=t, target=c.target, given=True)
        return found

    def hold(self, t: float) -> None:
        """All stay as they are at time t."""
        for n, c in self.courses.items():
            if c.slope:
                v = c.at(t)
                self.courses[n] = Course(v, since=t, target=v, given=True)

    def bake(self, model: Model, t: float) -> None:
        """Inputs of a copy of the model become the numbers that they are at time t."""
        for n, c in self.courses.items():
            v = model.table("VARIABLE").get(n)
            if v is not None and c.given:
                v.function, v.routine, v.input = repr(c.at(t)), None, False


def constant(variable: Any) -> float:
    """What a declared input is until it is set: the number that its function is.  Raises ModelError where that is
    none."""
    try:
        return float(evaluate(parse(variable.function), {}))
    except (ExpressionError, Fault, TypeError, KeyError):
        raise variable.error(
            f"FUNCTION = {variable.function}: an input has a number as its function; give one, or make it no input"
        ) from None


def _number(value: Any, what: str) -> float:
    try:
        number = float(value.item() if isinstance(value, np.ndarray) else value)  # an array of one number is one
    except (TypeError, ValueError):
        raise ModelError(f"{what} is {value!r}; give a number") from None
    if isinstance(value, str) or not math.isfinite(number):
        raise ModelError(f"{what} is {value!r}; give a finite number")
    return number
