"""Control blocks: an element with input ports, parameters and outputs, in continuous or sampled time.

The types of blocks are registered by the files of `elements.control`; this module has their data and the register.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from .base import Element, ModelError, close_word, shown
from .kinds import MOST_STATES


@dataclass(frozen=True)
class SampleTime:
    """When a sampled block acts: at ``offset + k period``, k = 0, 1, ...; all in units of time.

    ``delay``: its outputs change so much later (time of computation, less than ``period``); ``jitter``: each sample is
    late by a uniformly distributed share of it (less than ``period``), drawn from ``seed``. Raises `ModelError` for
    values out of range.
    """

    period: float
    offset: float = 0.0
    delay: float = 0.0
    jitter: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("period", "offset", "delay", "jitter"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                raise ModelError(f"sample time: {name} is {shown(value)}; give a number")
        for text in timing_faults(self):
            raise ModelError(f"sample time: {text}")


def timing_faults(s: Any) -> list[str]:
    """Sentences on the period, offset, delay and jitter of a sampled block or a `SampleTime`."""
    out = []
    if not s.period > 0.0:
        out.append(f"the period is {s.period:g}; give a positive time, or none for a continuous block")
    if s.offset < 0.0:
        out.append(f"the offset is {s.offset:g}; give zero or a positive time")
    if not 0.0 <= s.delay < s.period:
        out.append(
            f"the delay is {s.delay:g}; give a time from 0 to less than the period {s.period:g}, and whole periods by "
            "a unit_delay"
        )
    if not 0.0 <= s.jitter < s.period:
        out.append(f"the jitter is {s.jitter:g}; give a time from 0 to less than the period {s.period:g}")
    elif s.jitter + s.delay >= s.period > s.delay:
        out.append(
            f"jitter {s.jitter:g} and delay {s.delay:g} together reach the period {s.period:g}, so an output could "
            "change after the next sample; give smaller ones"
        )
    return out


@dataclass
class ControlBlock(Element):
    """CONTROL: a block of a controller, sensor or actuator with input ports and outputs.

    ``type``: one of the registered types; ``inputs``: an expression for each port, in which a bare name is a VARIABLE
    or block; ``outputs``: ids of the VARIABLEs that carry its outputs; ``parameters``, ``options``: numbers and
    keywords by name; ``initial``: initial values of its states; ``tables``: ids of the SPLINEs of a lookup table;
    ``period``: sample time, 0 for a continuous block; ``offset``, ``delay``, ``jitter``, ``seed``: see `SampleTime`.
    Other functions read an output as ``VARVAL(name)`` or ``CONTROL(id, k)``.
    """

    KIND: ClassVar[str] = "CONTROL"
    REFERENCES: ClassVar[dict[str, str]] = {"outputs": "VARIABLE", "tables": "SPLINE"}
    type: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[int, ...] = ()
    parameters: dict[str, tuple[float, ...]] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    initial: tuple[float, ...] = ()
    tables: tuple[int, ...] = ()
    period: float = 0.0
    offset: float = 0.0
    delay: float = 0.0
    jitter: float = 0.0
    seed: int = 0

    @property
    def sampled(self) -> bool:
        """Whether it acts at samples only."""
        return self.period > 0.0

    @property
    def port_names(self) -> tuple[str, ...]:
        """Names of its inputs."""
        found = BLOCKS.get(self.type)
        names = found.ports_of(len(self.inputs)) if found is not None else ()
        if len(names) == 1 and len(self.inputs) > 1:
            return tuple(f"{names[0]}{k + 1}" for k in range(len(self.inputs)))
        return names if names else tuple(f"u{k + 1}" for k in range(len(self.inputs)))

    def value(self, name: str, default: float = 0.0) -> float:
        """One of its parameters."""
        found = self.parameters.get(name, ())
        return found[0] if found else default

    def faults(self, model: Any) -> Any:
        """Unknown types, inputs that are not connected, invalid timing and parameters: one sentence each."""
        kind = BLOCKS.get(self.type)
        if kind is None:
            near = close_word(self.type, BLOCKS)
            yield f"there is no block of type '{self.type}'" + (
                f"; did you mean '{near}'?" if near else f"; choose from {', '.join(sorted(BLOCKS))}"
            )
            return
        if self.period != 0.0 or self.delay or self.jitter:
            yield from timing_faults(self)
        for port, text in zip(self.port_names, self.inputs):
            if not text.strip():
                yield (
                    f"its input '{port}' is not connected; give {port} = a number, an expression or the name of a "
                    f"block, or model.control.connect({self.name!r}, {port}=...)"
                )
        try:
            law = kind.law(self)
        except ModelError as error:
            yield str(error).removeprefix(f"{self.label}: ")
            return
        except (KeyError, IndexError, ValueError, ZeroDivisionError) as error:
            yield f"its parameters do not fit a block of type '{self.type}' ({error}); give those of its builder"
            return
        states = len(law.change)  # law.states are those of ``initial``, where it is given
        if states > MOST_STATES:
            yield f"it has {states} states; give at most {MOST_STATES}"
        if self.initial and len(self.initial) != states:
            wanted = f"give {states}, one for each state" if states else "give none, since it has no states"
            yield f"initial holds {len(self.initial)} number{'s' if len(self.initial) > 1 else ''}; {wanted}"
        if len(law.outputs) != len(self.outputs):
            yield f"it has {len(law.outputs)} outputs and {len(self.outputs)} VARIABLEs for them; give one for each"
        if law.draws and not self.sampled:
            yield "it draws random numbers, which a continuous block cannot; give it a sample_time"


@dataclass(frozen=True)
class BlockType:
    """A type of block: its name, builder (the method of ``model.control``), names of its ports (a single name may
    stand for any number of inputs), and ``law`` (block -> `elements.control.algebra.Law`); ``other_ports``: names of
    the ports of blocks that are built with another number of inputs."""

    type: str
    builder: Callable[..., Any]
    ports: tuple[str, ...]
    law: Callable[[ControlBlock], Any]
    other_ports: tuple[tuple[str, ...], ...] = ()

    def ports_of(self, count: int) -> tuple[str, ...]:
        """Names of the ports of a block with so many inputs."""
        return next((names for names in self.other_ports if len(names) == count), self.ports)


#: type -> what is registered of it
BLOCKS: dict[str, BlockType] = {}
