"""`model.control`: builder methods of control blocks, which `elements.control.register` puts on `Control`."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..base import Element, ModelError, did_you_mean, shown
from ..control import ControlBlock, SampleTime
from ..states import Variable
from ..values import number, number_tuple
from .bodies import expression
from .control_methods import ControlMethods
from .teaching import taught

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
SAMPLED = ("method", "prewarp")  # arguments of sampled blocks
RESERVED = ("TIME", "MODE", "PI", "DTOR", "RTOD", "IF")


class Control(ControlMethods):
    """Control blocks of a model.

    Each method adds a block under a name and returns it. Inputs are numbers, expressions or names: in the expression of
    an input a bare name is the output of the block, or the VARIABLE, of that name, also of one that is added later.
    Other functions read an output as ``VARVAL(name)``.
    """

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"model.control has no method '{name}'{did_you_mean(name, methods())}")

    def blocks(self) -> list[ControlBlock]:
        """All blocks of the model, in the order in which they were added."""
        return list(self._model.table("CONTROL").values())

    def connect(self, block: Any, **inputs: Any) -> ControlBlock:
        """Connect inputs of a block, by the names of its ports: ``connect("servo", reference="target")``.

        Raises `ModelError` for a port that the block does not have.
        """
        found = self._model.find("CONTROL", block)
        names = found.port_names
        texts = list(found.inputs)
        for port, value in inputs.items():
            if port not in names:
                raise found.error(f"it has no input '{port}'{did_you_mean(port, names)}")
            texts[names.index(port)] = wired(self._model, value, port)
        found.inputs = tuple(texts)
        return found


class Controlled:
    """The part of `Model` that has control blocks."""

    @property
    def control(self) -> Control:
        """Builder methods of control blocks: ``model.control.pid("servo", error="target - angle", kp=2.0)``."""
        return Control(self)


def methods() -> list[str]:
    """Names of the methods of `model.control`."""
    return sorted(name for cls in (Control, ControlMethods) for name in vars(cls) if name[0] != "_")


def attach(builder: Callable[..., Any]) -> None:
    """Put the builder of a type of block, ``builder(model, name, ...)``, on ``model.control``."""

    @functools.wraps(builder)
    def checked(model: Any, *args: Any, **words: Any) -> Any:
        if words.get("sample_time") is None and "sample_time" in inspect.signature(builder).parameters:
            needs = "for a continuous block; give a sample_time"
            without_effect(needs, **{k: words[k] for k in SAMPLED if k in words and words[k] not in ("given", 0)})
        return builder(model, *args, **words)

    inner = taught(checked)

    @functools.wraps(builder)
    def method(self: Control, *args: Any, **words: Any) -> Any:
        return inner(self._model, *args, **words)

    setattr(ControlMethods, builder.__name__, method)


def without_effect(reason: str, **given: Any) -> None:
    """Raise `ModelError` for the first argument that is given (not None) although it has no effect; ``reason``: for
    what, and what to give in its place."""
    for name, value in given.items():
        if value is not None:
            raise ModelError(f"{name} is {shown(value)}, which has no effect {reason}, or no {name}")


def wired(model: Any, value: Any, port: str) -> str:
    """The expression of an input: of a block or VARIABLE, a number or a text; None: not connected."""
    if value is None:
        return ""
    if isinstance(value, ControlBlock):
        if len(value.outputs) != 1:
            names = [model.find("VARIABLE", v).name for v in value.outputs]
            raise ModelError(f"{port} is {value.label}, which has several outputs; name one of {', '.join(names)}")
        return f"VARVAL({value.outputs[0]})"
    if isinstance(value, Variable):
        return f"VARVAL({value.id})"
    if isinstance(value, Element):
        raise ModelError(f"{port} is {value.label}, which is not a signal; give an expression that measures it")
    text = expression(value, port)
    if callable(text):
        raise ModelError(f"{port} is a Python function; give an expression, or a VARIABLE that has the function")
    return text


def add_block(
    model: Any,
    type: str,
    name: str,
    ports: Mapping[str, Any],
    parameters: Mapping[str, Any],
    *,
    sample_time: float | SampleTime | None = None,
    outputs: tuple[str, ...] = ("",),
    options: Mapping[str, str] | None = None,
    initial: Any = (),
    tables: Any = (),
) -> ControlBlock:
    """Add a block and the VARIABLEs of its outputs. Raises `ModelError` for a name that cannot be wired or is taken,
    and for what its `ControlBlock.faults` reports but for inputs that are connected later."""
    if not isinstance(name, str) or _NAME.fullmatch(name) is None or name.upper() in RESERVED:
        raise ModelError(
            f"the name of a block is {shown(name)}; give a name of letters, digits, '_' and '.', since expressions "
            "contain it"
        )
    names = [f"{name}.{label}" if label else name for label in outputs]
    taken = {v.name.lower(): v for v in model.table("VARIABLE").values()}
    for text in names:
        if text.lower() in taken:
            raise ModelError(f"there is {taken[text.lower()].label} already; give the block another name")
    timing = (
        sample_time
        if isinstance(sample_time, SampleTime) or sample_time is None
        else SampleTime(number(sample_time, "sample_time"))
    )
    block = ControlBlock(
        name=name,
        type=type,
        inputs=tuple(wired(model, value, port) for port, value in ports.items()),
        parameters={key: flat(value, key) for key, value in parameters.items()},
        options=dict(options or {}),
        initial=flat(initial, "initial"),
        tables=tuple(tables),
    )
    if timing is not None:
        block.period, block.offset, block.delay = float(timing.period), float(timing.offset), float(timing.delay)
        block.jitter, block.seed = float(timing.jitter), timing.seed
    block.outputs = tuple(range(1, len(names) + 1))  # until there are VARIABLEs
    for text in block.faults(model):
        if "is not connected" not in text:
            raise ModelError(text)
    block.outputs = ()
    model.add(block)
    block.outputs = tuple(
        model.add(Variable(name=text, function=f"CONTROL({block.id},{k + 1})")).id for k, text in enumerate(names)
    )
    return block


def flat(value: Any, what: str) -> tuple[float, ...]:
    """Numbers of a parameter: one, a list, or the rows of a matrix one after the other."""
    if isinstance(value, (int, float, np.number)):
        return (number(value, what),)
    return number_tuple(np.asarray(value, float).ravel() if not isinstance(value, tuple) else value, what)


def choice(value: Any, what: str, words: tuple[str, ...]) -> str:
    """One of some keywords. Raises `ModelError` for another."""
    if value not in words:
        raise ModelError(f"{what} is {shown(value)}{did_you_mean(value, words)}")
    return value
