"""What an FMU says of itself: ``modelDescription.xml`` of FMI 2.0 and 3.0.

Only what a simulation needs is read: variables, their units and start values, and what the FMU is capable of.
"""

from __future__ import annotations

import math
import os
import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..base import ModelError, close_word, shown
from ..quantity_text import unit_of
from ..xml_tree import MOST_BYTES, Node, parse_xml
from .archive import Archive

DESCRIPTION = "modelDescription.xml"
MOST_VALUES = 1_000_000  # of one array
#: types of variables as both versions name them, and the one that holds them
TYPES_2 = {"Real": "Float64", "Integer": "Int32", "Enumeration": "Int32", "Boolean": "Boolean", "String": "String"}
WHOLE = ("Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64")
TYPES_3 = {
    **{name: name for name in ("Float32", "Float64", *WHOLE, "Boolean", "String", "Binary", "Clock")},
    "Enumeration": "Int64",
}
#: types whose values are numbers
NUMBERS = ("Float32", "Float64", *WHOLE, "Boolean")
#: causality of parameters that are sizes of arrays, or switch parts of an FMU on (3.0)
STRUCTURAL = "structuralParameter"
#: any causality: what `variable_of` finds may be an input, an output, a parameter or a local variable
ANY = "variable"
#: types of FMUs: element of the description, in words
FMU_TYPES = {"cs": ("CoSimulation", "co-simulation"), "me": ("ModelExchange", "model exchange")}
#: units of a `BaseUnit`; the first four are those of a mechanism
BASE_UNITS = ("m", "kg", "s", "rad", "A", "K", "mol", "cd")


def _platforms() -> dict[str, tuple[str, ...]]:
    """Folders of binaries for the machine at hand, by version."""
    system = {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform, sys.platform)
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    new = f"{machine}-{system}"
    old = {"windows": "win"}.get(system, system) + ("64" if machine == "x86_64" else "32" if machine == "x86" else "")
    return {"2.0": (old, new), "3.0": (new,)}


PLATFORMS = _platforms()
SUFFIX = {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")


@dataclass(frozen=True)
class FmuUnit:
    """A unit of an FMU: SI value = ``factor`` x value + ``offset``; ``exponents`` of `BASE_UNITS`."""

    factor: float
    offset: float
    exponents: tuple[float, ...]


@dataclass(frozen=True)
class FmuVariable:
    """A variable of an FMU: ``type`` as FMI 3.0 names it, ``size`` (of an array), ``start`` (text of its values).

    ``dimensions``: size of each, and the reference of the structural parameter that it is, or None.
    """

    name: str
    reference: int
    type: str
    causality: str
    unit: str
    start: str | None
    size: int
    derivative: int | None  # of which variable it is the derivative: 2.0 its position, 3.0 its reference
    initial: str = ""  # exact, approx, calculated
    dimensions: tuple[tuple[int, int | None], ...] = ()
    least: float = -math.inf
    most: float = math.inf


@dataclass(frozen=True)
class FmuDescription:
    """What an FMU says of itself; see `read_fmu`.

    ``step``: recommended communication step, or nan [s].  ``variable_step``: steps may have any size.
    ``interpolates``: real inputs may have slopes over a step (2.0).  ``fed``: outputs that may depend directly on an
    input.  ``exchange``: for model exchange, with ``state_count`` states and ``indicators`` (2.0; of 3.0 the binary
    gives these); ``completes``: each completed step is reported to it.  ``rates``: references of the derivatives of its
    states (3.0); ``categories`` of its log.
    """

    path: Path
    version: str
    name: str
    identifier: str
    token: str
    variables: dict[str, FmuVariable]
    units: dict[str, FmuUnit]
    step: float
    tolerance: float
    variable_step: bool
    interpolates: bool
    rolls_back: bool
    needs_tool: bool
    fed: frozenset[str]
    folder: str
    exchange: bool = False
    state_count: int = 0
    indicators: int = 0
    completes: bool = True
    rates: frozenset[int] = frozenset()
    categories: tuple[str, ...] = ()

    @property
    def direct(self) -> bool:
        """Whether an output may depend directly on an input."""
        return bool(self.fed)

    @property
    def inputs(self) -> list[str]:
        """Names of its inputs, in the order of the file."""
        return [v.name for v in self.variables.values() if v.causality == "input"]

    @property
    def outputs(self) -> list[str]:
        """Names of its outputs, in the order of the file."""
        return [v.name for v in self.variables.values() if v.causality == "output"]

    @property
    def states(self) -> list[FmuVariable]:
        """Variables that are continuous states, as far as the file shows them."""
        table = list(self.variables.values())
        rates = {v.derivative for v in table if v.derivative is not None}
        return [v for k, v in enumerate(table, 1) if (k if self.version == "2.0" else v.reference) in rates]

    def with_structure(self, given: Mapping[str, Any]) -> FmuDescription:
        """The same with these values of structural parameters (others are left alone): sizes of arrays follow; an array
        of another size has a start value in the file only where that is one for all elements.  Raises `ModelError` for
        values that are no whole numbers within their limits, and for arrays that are too large."""
        values: dict[int, int] = {}
        for name, value in given.items():
            v = self.variables.get(name)
            if v is None or v.causality != STRUCTURAL:
                continue
            if v.type in WHOLE and (
                isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value)
            ):
                raise ModelError(f"the structural parameter '{name}' is {shown(value)}; give a whole number")
            if v.type in WHOLE:
                if not v.least <= value <= v.most:
                    raise ModelError(
                        f"'{self.path}': the structural parameter '{name}' is {value}; it must be between {v.least:g} "
                        f"and {v.most:g}"
                    )
                values[v.reference] = int(value)
        if not values:
            return self
        table = {}
        for name, v in self.variables.items():
            dimensions = tuple((values.get(of, n) if of is not None else n, of) for n, of in v.dimensions)
            size = math.prod(n for n, _ in dimensions)
            if size > MOST_VALUES:
                raise ModelError(f"'{self.path}': {shown(name)} has {size} values; at most {MOST_VALUES} are read")
            kept = size == v.size or len((v.start or "").split()) == 1
            start = str(values[v.reference]) if v.reference in values else v.start if kept else None
            table[name] = replace(v, dimensions=dimensions, size=size, start=start)
        return replace(self, variables=table, state_count=_state_count(table, self.rates))

    @property
    def binary(self) -> str:
        """Its library in the archive, for the machine at hand."""
        return f"binaries/{self.folder}/{self.identifier}{SUFFIX}"

    def scale(self, variable: FmuVariable, unit: str) -> tuple[float, float]:
        """(a, b) of  value of the FMU = a x value in ``unit`` + b.  Raises `ModelError` for units that do not fit."""
        if not unit:
            return 1.0, 0.0
        size, dimension = unit_of(unit)
        own = self.units.get(variable.unit)
        if own is None:
            said = f"has the unit '{variable.unit}', which its file does not define" if variable.unit else "has no unit"
            raise ModelError(f"'{self.path}': {variable.name} {said}; leave out the unit '{unit}' and give its values")
        if any(own.exponents[4:]) or any(abs(a - b) > 1e-6 for a, b in zip(own.exponents[:3], dimension[:3])):
            raise ModelError(
                f"'{self.path}': {variable.name} is in {variable.unit}, and '{unit}' is a unit of another quantity; "
                "correct it"
            )
        return size / own.factor, -own.offset / own.factor


def read_fmu(path: str | os.PathLike, kind: str = "") -> FmuDescription:
    """The description of an FMU for co-simulation or model exchange, 2.0 or 3.0.  ``kind``: "cs" or "me"; by default
    co-simulation where the FMU has it.  Raises `ModelError` for other files, for FMI 1.0, for FMUs without this type,
    and for those without a binary for the machine at hand."""
    if kind not in ("", *FMU_TYPES):
        raise ModelError(f"'{path}': kind is {shown(kind)}; it must be cs (co-simulation) or me (model exchange)")
    with Archive(Path(path)) as archive:
        data = archive.read(DESCRIPTION, MOST_BYTES)
        return _Reader(archive, parse_xml(data, archive.path / DESCRIPTION, "fmiModelDescription")).description(kind)


class _Reader:
    """Of one description."""

    def __init__(self, archive: Archive, root: Node) -> None:
        self.archive, self.root = archive, root
        version = root.word("fmiVersion")
        if not version.startswith(("2.", "3.")):
            raise ModelError(
                f"'{archive.path}' is an FMU of FMI {version}, which is not read; export it for FMI 2.0 or 3.0"
            )
        self.version = "2.0" if version[0] == "2" else "3.0"

    def description(self, wanted: str) -> FmuDescription:
        root, new = self.root, self.version == "3.0"
        nodes = {short: root.one(tag) for short, (tag, _) in FMU_TYPES.items() if wanted in ("", short)}
        there = {short: node for short, node in nodes.items() if node is not None}
        if not there:
            has = [words for tag, words in FMU_TYPES.values() if root.one(tag) is not None]
            has += ["scheduled execution"] if root.one("ScheduledExecution") is not None else []
            needed = FMU_TYPES[wanted][1] if wanted else "co-simulation or model exchange"
            raise ModelError(
                f"'{self.archive.path}' is an FMU for {' and '.join(has) or 'nothing'}, without {needed}; export it "
                f"for {needed}"
            )
        short, kind = next(iter(there.items()))
        exchange = short == "me"
        identifier = kind.word("modelIdentifier")
        if not re.fullmatch(r"[A-Za-z_]\w*", identifier, re.ASCII):
            raise ModelError(f"{kind.where}: modelIdentifier is {shown(identifier)}; it must be an identifier of C")
        experiment = root.one("DefaultExperiment")
        variables = self._variables()
        self._refuse_clocks(variables, exchange)
        rates = self._rates()
        log = root.one("LogCategories")
        own_step = kind.number("fixedInternalStepSize", math.nan) if new and not exchange else math.nan
        return FmuDescription(
            path=self.archive.path,
            version=self.version,
            name=root.get("modelName") or identifier,
            identifier=identifier,
            token=root.word("instantiationToken" if new else "guid"),
            variables=variables,
            units=self._units(),
            step=experiment.number("stepSize", own_step) if experiment else own_step,
            tolerance=experiment.number("tolerance", math.nan) if experiment else math.nan,
            variable_step=exchange
            or _truth(kind, "canHandleVariableCommunicationStepSize")
            and kind.get("fixedInternalStepSize") is None,  # its own steps would no longer fit
            interpolates=exchange or (not new and _truth(kind, "canInterpolateInputs")),
            rolls_back=_truth(kind, "canGetAndSetFMUState" if new else "canGetAndSetFMUstate"),
            needs_tool=_truth(kind, "needsExecutionTool"),
            fed=self._fed(list(variables.values())),
            folder=self._folder(identifier),
            exchange=exchange,
            state_count=self._states(variables, rates),
            indicators=int(root.number("numberOfEventIndicators", 0.0)),
            completes=_truth(kind, "needsCompletedIntegratorStep", "true")
            if new
            else not _truth(kind, "completedIntegratorStepNotNeeded"),
            rates=rates,
            categories=tuple(n.word("name") for n in log.all("Category")) if log is not None else (),
        )

    def _rates(self) -> frozenset[int]:
        """References of the derivatives of continuous states (3.0)."""
        holder = self.root.one("ModelStructure")
        if holder is None or self.version == "2.0":
            return frozenset()
        return frozenset(_whole(n, "valueReference") for n in holder.all("ContinuousStateDerivative"))

    def _states(self, variables: dict[str, FmuVariable], rates: frozenset[int]) -> int:
        """Number of continuous states."""
        if self.version == "3.0":
            return _state_count(variables, rates)
        holder = self.root.one("ModelStructure")
        group = holder.one("Derivatives") if holder is not None else None
        return len(group.all("Unknown")) if group is not None else 0

    def _refuse_clocks(self, variables: dict[str, FmuVariable], exchange: bool) -> None:
        """Raises ModelError for clocks that an importer has to activate; co-simulation has clocks in its event mode
        only (FMI 3.0, section 2.3.1)."""
        asked = ("input",) if exchange else ("input", "output")
        clocks = [v.name for v in variables.values() if v.type == "Clock" and v.causality in asked]
        if clocks:
            raise ModelError(
                f"'{self.archive.path}' has the clock{'s' * (len(clocks) > 1)} {', '.join(clocks[:6])}, which the "
                "importer has to activate; FMUs with clocks are not run, export it without clocks"
            )

    def _folder(self, identifier: str) -> str:
        names = self.archive.names
        for folder in PLATFORMS[self.version]:
            if f"binaries/{folder}/{identifier}{SUFFIX}" in names:
                return folder
        have = sorted({n.split("/")[1] for n in names if n.startswith("binaries/") and n.count("/") > 1})
        there = f"has binaries for {', '.join(have)}" if have else "has no binaries"
        raise ModelError(
            f"'{self.archive.path}' {there}, not for {PLATFORMS[self.version][0]}; export it for this platform"
        )

    # ---- variables --------------------------------------------------------------------------------------------------
    def _variables(self) -> dict[str, FmuVariable]:
        holder = self.root.one("ModelVariables")
        found: dict[str, FmuVariable] = {}
        if holder is None:
            return found
        typed = self._type_units()
        sizes: dict[int, str] = {}  # start values of structural parameters
        nodes = holder.all("ScalarVariable") if self.version == "2.0" else holder.all(*TYPES_3)
        if self.version == "3.0":
            for node in nodes:
                if node.get("causality") == STRUCTURAL:
                    sizes[_whole(node, "valueReference")] = node.get("start") or "0"
        for node in nodes:
            kind = node if self.version == "3.0" else next(iter(node.all(*TYPES_2)), None)
            if kind is None:
                raise ModelError(f"{node.where}: the variable has none of the types {', '.join(TYPES_2)}")
            name = node.word("name")
            if name in found:
                raise ModelError(f"{node.where}: a second variable is named {shown(name)}; names are unique")
            dimensions = self._dimensions(node, sizes)
            structural = node.get("causality") == STRUCTURAL
            start = kind.get("start")
            if start is None and kind.tag in ("String", "Binary"):
                start = next((child.get("value") for child in kind.all("Start")), None)
            found[name] = FmuVariable(
                name=name,
                reference=_whole(node, "valueReference"),
                type=(TYPES_3 if self.version == "3.0" else TYPES_2)[kind.tag],
                causality=node.get("causality") or "local",
                unit=kind.get("unit") or typed.get(kind.get("declaredType") or "", ""),
                start=start,
                size=math.prod(n for n, _ in dimensions),
                derivative=None if kind.get("derivative") is None else _whole(kind, "derivative"),
                initial=node.get("initial") or "",
                dimensions=dimensions,
                least=kind.number("min", -math.inf) if structural else -math.inf,
                most=kind.number("max", math.inf) if structural else math.inf,
            )
        return found

    def _dimensions(self, node: Node, sizes: dict[int, str]) -> tuple[tuple[int, int | None], ...]:
        """Size of each dimension of a variable, and the structural parameter that it is."""
        found: list[tuple[int, int | None]] = []
        for dimension in node.all("Dimension"):
            text, of = dimension.get("start"), None
            if text is None:
                of = _whole(dimension, "valueReference")
                text = sizes.get(of)
            if text is None or not re.fullmatch(r"\d{1,9}", text.strip()):
                raise ModelError(
                    f"{dimension.where}: the dimension of {shown(node.word('name'))} is not a whole number"
                )
            found.append((int(text), of))
        size = math.prod(n for n, _ in found)
        if size > MOST_VALUES:
            raise ModelError(
                f"{node.where}: {shown(node.word('name'))} has {size} values; at most {MOST_VALUES} are read"
            )
        return tuple(found)

    # ---- units ------------------------------------------------------------------------------------------------------
    def _units(self) -> dict[str, FmuUnit]:
        holder = self.root.one("UnitDefinitions")
        found = {}
        for node in holder.all("Unit") if holder else ():
            base = node.one("BaseUnit")
            if base is not None:
                exponents = tuple(base.number(name, 0.0) for name in BASE_UNITS)
                factor = base.number("factor", 1.0)
                if not factor:
                    raise ModelError(f"{base.where}: the factor of the unit is 0")
                found[node.word("name")] = FmuUnit(factor, base.number("offset", 0.0), exponents)
        return found

    def _type_units(self) -> dict[str, str]:
        """Units of declared types."""
        holder = self.root.one("TypeDefinitions")
        found = {}
        for node in holder.all("SimpleType", "Float32Type", "Float64Type") if holder else ():
            real = node.one("Real") if node.tag == "SimpleType" else node
            unit = real.get("unit") if real is not None else None
            if unit:
                found[node.word("name")] = unit
        return found

    # ---- structure --------------------------------------------------------------------------------------------------
    def _fed(self, variables: list[FmuVariable]) -> frozenset[str]:
        """Names of the outputs that may depend directly on an input; those of which nothing is stated may."""
        holder = self.root.one("ModelStructure")
        old = self.version == "2.0"
        keys = {str(k if old else v.reference): v for k, v in enumerate(variables, 1)}
        inputs = {key for key, v in keys.items() if v.causality == "input"}
        group = holder.one("Outputs") if holder is not None and old else holder
        nodes = group.all("Unknown" if old else "Output") if group is not None else []
        said = {node.get("index" if old else "valueReference"): node.get("dependencies") for node in nodes}
        free = {key for key, text in said.items() if text is not None and inputs.isdisjoint(text.split())}
        return frozenset(v.name for key, v in keys.items() if inputs and v.causality == "output" and key not in free)


def _state_count(variables: Mapping[str, FmuVariable], rates: frozenset[int]) -> int:
    """Number of continuous states of an FMU 3.0, whose derivatives have the references ``rates``."""
    return sum(v.size for v in variables.values() if (v.reference in rates if rates else v.derivative is not None))


def _truth(node: Node, name: str, otherwise: str = "false") -> bool:
    text = (node.get(name) or otherwise).strip()
    if text not in ("true", "false", "1", "0"):
        raise ModelError(f"{node.where}: {name} is {shown(text)}; it must be true or false")
    return text in ("true", "1")


def _whole(node: Node, name: str) -> int:
    text = node.word(name)
    if not re.fullmatch(r"\d{1,10}", text):
        raise ModelError(f"{node.where}: {name} of <{node.tag}> is {shown(text)}; it must be a whole number")
    return int(text)


def variable_of(description: FmuDescription, name: str, causality: str) -> tuple[FmuVariable, int | None]:
    """The variable that is meant, and the position of an element of an array (``y[2]``: 1), None for all of it.
    ``causality``: that it must have, or `ANY`.  Raises `ModelError` for a name that there is not, and for types that
    are not numbers."""
    variables = description.variables
    index: int | None = None
    found = variables.get(name)
    if found is None and (match := re.fullmatch(r"(.+)\[(\d{1,7})\]", name)) and match[1] in variables:
        found, index = variables[match[1]], int(match[2]) - 1
        if not 0 <= index < found.size:
            raise ModelError(f"'{description.path}': {found.name} has {found.size} values; there is no {name}")
    if found is None or causality not in (ANY, found.causality):
        of_kind = [v.name for v in variables.values() if causality in (ANY, v.causality)]
        meant = close_word(name, of_kind)
        hint = f"did you mean '{meant}'?" if meant else f"it has {', '.join(of_kind[:12]) or 'none'}"
        said = f" ('{name}' is {_article(found.causality)})" if found is not None else ""
        raise ModelError(f"'{description.path}': there is no {causality} '{name}'{said}; {hint}")
    if causality in ("input", "output", ANY) and found.type not in NUMBERS:
        raise ModelError(
            f"'{description.path}': the {causality} '{name}' is of type {found.type}; only numbers are exchanged"
        )
    return found, index


def _article(causality: str) -> str:
    return f"{'an' if causality[:1] in 'aeiou' else 'a'} {causality}"
