"""Conditions that end a run or change branches of its functions, as functions of the equations of motion.

Forces that act on nothing carry them (as they carry functionals), so that their derivatives by states and numbers are
those of every function.  Numbers of the functions that branch are numbers of the carriers too: whoever builds the
system with other numbers calls `read_conditions` before.
"""

from __future__ import annotations

from ...expressions import ExpressionError, to_text
from ...model import Model
from ...system.build import System
from ...system.names import read_function

NAME = "condition of the run"


def carriers_of(model: Model) -> list:
    """The forces that carry conditions, in their order."""
    return [f for f in model.table("SFORCE").values() if f.name.startswith(NAME)]


def carry_conditions(model: Model, rigid: bool) -> tuple[list[str | None], dict[int, int]]:
    """Give a model carriers.  Returns for each carrier the text of its condition, and sensor -> number of carrier of
    the sensors that end the run."""
    texts, sensors = _texts(model, rigid)
    here = model.marker(model.ground)
    for k, text in enumerate(texts):
        model.sforce(here, here, text or "0", f"{NAME} {k + 1}", actiononly=True)
    return texts, sensors


def read_conditions(model: Model, rigid: bool) -> None:
    """The carriers of a model follow the numbers that its functions and sensors have now."""
    carriers = carriers_of(model)
    if not carriers:
        return
    for carrier in carriers:
        carrier.function = "0"
    for carrier, text in zip(carriers, _texts(model, rigid)[0], strict=True):
        carrier.function = text or "0"


def _texts(model: Model, rigid: bool) -> tuple[list[str | None], dict[int, int]]:
    """Texts of the conditions of a model without carriers; None of what no text can hold."""
    texts: list[str | None] = []
    for switch in System(model.copy(), rigid=rigid).functions.set.switches or []:
        text = to_text(switch.condition)
        try:
            same = to_text(read_function(model, text)) == text
        except ExpressionError:
            same = False
        texts.append(text if same else None)
    sensors: dict[int, int] = {}
    for sensor in model.table("SENSOR").values():
        if sensor.active and sensor.halt and sensor.routine is None:
            sensors[sensor.id] = len(texts)
            texts.append(f"({sensor.function})-({float(sensor.value)!r})")
    return texts, sensors
