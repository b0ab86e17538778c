"""``modelDescription.xml`` of an exported model, FMI 2.0 and 3.0: variables by the structured naming convention."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

from ... import __version__
from ...model.quantity_text import QUANTITIES, unit_of


@dataclass(frozen=True)
class VariableUnit:
    """A unit of an exported model: ``name``, SI value of 1, exponents of length, mass, time and angle."""

    name: str
    factor: float
    exponents: tuple[float, float, float, float]


@dataclass(frozen=True)
class Variable:
    """A variable of the FMU: ``causality`` independent, input, output, parameter (tunable) or local; ``start`` of an
    input, a parameter or a state; ``derivative``: number of the variable of which it is the derivative; ``indicator``:
    it is an event indicator; ``unit``: None where it is not known; ``array``: name of the array that it is part of, ""
    none; ``size`` of the array in its first element, 0 in the others; ``direct``: an output that may depend directly on
    inputs, not through states alone."""

    name: str
    causality: str
    start: float | None = None
    description: str = ""
    derivative: int | None = None
    indicator: bool = False
    unit: VariableUnit | None = None
    array: str = ""
    size: int = 1
    direct: bool = True


#: categories of the log of the runtime, which has the same
CATEGORIES = {
    "logEvents": "events: samples, sensors, functions that switch",
    "logStatusDiscard": "the end of the simulation by a sensor",
    "logStatusError": "errors, which are reported always",
}


@dataclass(frozen=True)
class Description:
    """What the description of an FMU states to importers.

    ``version`` of FMI; ``kinds``: cs, me; ``identifier`` of the binary, ``title`` of the model, ``token``; ``start``,
    ``end`` of a default run [s]; ``tolerance`` of an adaptive method, or ``step`` of one with steps of one size [s].
    """

    version: str
    kinds: tuple[str, ...]
    identifier: str
    title: str
    token: str
    variables: list[Variable]
    start: float
    end: float
    tolerance: float | None
    step: float | None

    @property
    def old(self) -> bool:
        """FMI 2.0."""
        return self.version == "2.0"

    def text(self) -> str:
        """The file."""
        count = sum(v.indicator for v in self.variables)
        own = {
            "fmiVersion": self.version,
            "modelName": self.title,
            "guid" if self.old else "instantiationToken": self.token,
            "generationTool": f"Holonom {__version__}",
            "variableNamingConvention": "structured",
        } | ({"numberOfEventIndicators": count} if self.old and "me" in self.kinds else {})
        run: dict[str, object] = {"startTime": self.start, "stopTime": self.end}
        run |= {} if self.tolerance is None else {"tolerance": self.tolerance}
        run |= {} if self.step is None else {"stepSize": self.step}
        return "\n".join(
            [
                '<?xml version="1.0" encoding="UTF-8"?>',
                f"<fmiModelDescription{_attributes(own)}>",
                *self._interfaces(),
                *self._units(),
                "  <LogCategories>",
                *(f"    <Category{_attributes({'name': n, 'description': d})}/>" for n, d in CATEGORIES.items()),
                "  </LogCategories>",
                f"  <DefaultExperiment{_attributes(run)}/>",
                "  <ModelVariables>",
                *(self._variable(k, v) for k, v in enumerate(self.variables) if self.old or v.size),
                "  </ModelVariables>",
                "  <ModelStructure>",
                *self._structure(),
                "  </ModelStructure>",
                "</fmiModelDescription>",
                "",
            ]
        )

    def _interfaces(self) -> list[str]:
        state, several = ("FMUstate", "") if self.old else ("FMUState", "s")
        able = {
            "modelIdentifier": self.identifier,
            f"canGetAndSet{state}": "true",
            f"canSerialize{state}": "true",
            f"providesDirectionalDerivative{several}": "true",
        }
        able |= {} if self.old else {"providesAdjointDerivatives": "true"}
        steps = {"canHandleVariableCommunicationStepSize": "true"}
        steps |= {"canInterpolateInputs": "true"} if self.old else {}
        out = [f"  <ModelExchange{_attributes(able)}/>"] if "me" in self.kinds else []
        return out + ([f"  <CoSimulation{_attributes(able | steps)}/>"] if "cs" in self.kinds else [])

    def _units(self) -> list[str]:
        found = {v.unit.name: v.unit for v in self.variables if v.unit is not None}
        lines = []
        for name, unit in found.items():
            powers: dict[str, object] = {n: int(e) for n, e in zip(("m", "kg", "s", "rad"), unit.exponents) if e}
            size: dict[str, object] = {"factor": unit.factor} if unit.factor != 1.0 else {}
            lines.append(f"    <Unit{_attributes({'name': name})}><BaseUnit{_attributes(powers | size)}/></Unit>")
        return ["  <UnitDefinitions>", *lines, "  </UnitDefinitions>"] if lines else []

    def _variable(self, number: int, v: Variable) -> str:
        whole = self.variables[number : number + v.size] if v.array and not self.old else [v]
        common: dict[str, object] = {"name": v.array if v.array and not self.old else v.name, "valueReference": number}
        said = "; ".join(one.description for one in whole)
        common |= {"description": said} if said.strip("; ") else {}
        tunable = v.causality == "parameter"
        common |= {"causality": v.causality, "variability": "tunable" if tunable else "continuous"}
        if v.causality in ("output", "local", "parameter"):
            common["initial"] = "calculated" if v.start is None else "exact"
        value: dict[str, object] = {} if v.unit is None else {"unit": v.unit.name}
        value |= {} if v.start is None else {"start": " ".join(repr(one.start) for one in whole)}
        if v.derivative is not None:
            value["derivative"] = v.derivative + (1 if self.old else 0)
        if self.old:
            return f"    <ScalarVariable{_attributes(common)}><Real{_attributes(value)}/></ScalarVariable>"
        if not v.array:
            return f"    <Float64{_attributes(common | value)}/>"
        return f'    <Float64{_attributes(common | value)}><Dimension start="{v.size}"/></Float64>'

    def _structure(self) -> list[str]:
        outputs = [k for k, v in enumerate(self.variables) if v.causality == "output" and (self.old or v.size)]
        rates = [k for k, v in enumerate(self.variables) if v.derivative is not None]
        indicators = [k for k, v in enumerate(self.variables) if v.indicator]
        if self.old:
            out = []
            for tag, rows in (("Outputs", outputs), ("Derivatives", rates), ("InitialUnknowns", outputs + rates)):
                if rows:
                    said = [self._dependencies(k) if tag == "Outputs" else "" for k in rows]
                    lines = [f'      <Unknown index="{k + 1}"{more}/>' for k, more in zip(rows, said)]
                    out += [f"    <{tag}>", *lines, f"    </{tag}>"]
            return out
        return [
            f'    <{tag} valueReference="{k}"{self._dependencies(k) if tag == "Output" else ""}/>'
            for tag, rows in (
                ("Output", outputs),
                ("ContinuousStateDerivative", rates),
                ("InitialUnknown", outputs + rates),
                ("EventIndicator", indicators),
            )
            for k in rows
        ]

    def _dependencies(self, number: int) -> str:
        """What an output depends on, where it is none of the inputs: time and, in model exchange, states."""
        whole = self.variables[number : number + max(self.variables[number].size, 1)]
        if any(v.direct for v in (whole if not self.old else whole[:1])):
            return ""
        states = sorted(v.derivative for v in self.variables if v.derivative is not None)
        known = [0, *(states if "me" in self.kinds else [])]
        return _attributes({"dependencies": " ".join(str(k + 1 if self.old else k) for k in known)})


def unit_for(quantity: str, units: Any, rate: bool = False) -> VariableUnit | None:
    """The unit of a quantity of `QUANTITIES` in a model with these units, or of its ``rate`` per second; None for
    numbers without a unit, and for units with powers that are not whole."""
    text, (_, exponents) = units.symbol(quantity), unit_of(QUANTITIES[quantity] or "rad/rad")
    length, mass, time, angle = exponents
    if rate:
        text, time = f"{text or 1}/s", time - 1
    if not text or any(e != int(e) for e in exponents):
        return None
    return VariableUnit(text, units.si(quantity), (length, mass, time, angle))


def _attributes(values: Mapping[str, object]) -> str:
    return "".join(
        f" {name}={quoteattr(repr(value) if isinstance(value, float) else str(value))}"
        for name, value in values.items()
    )


def quoted(name: str) -> str:
    """A name that the structured naming convention allows."""
    if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        return name
    return "'" + re.sub(r"(['\\])", r"\\\1", name) + "'"
