"""Systems of FMUs in files of System Structure and Parameterization (SSP): `read_ssp`, `write_ssp`.

Source: Modelica Association, System Structure and Parameterization 1.0 (SystemStructure.ssd, parameter sets .ssv).
"""

from __future__ import annotations

import math
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from xml.sax.saxutils import quoteattr

from ..model import ModelError
from ..model.base import shown
from ..model.fmu.archive import Archive
from ..model.fmu.description import FmuDescription, read_fmu
from ..model.xml_tree import MOST_BYTES, Node, parse_xml

DESCRIPTION = "SystemStructure.ssd"
FMU_FILE = "application/x-fmu-sharedlibrary"
#: implementation of a component -> kind of FMU
IMPLEMENTATIONS = {"any": "", "CoSimulation": "cs", "ModelExchange": "me"}
NAMESPACES = {
    "ssc": "http://ssp-standard.org/SSP1/SystemStructureCommon",
    "ssd": "http://ssp-standard.org/SSP1/SystemStructureDescription",
    "ssv": "http://ssp-standard.org/SSP1/SystemStructureParameterValues",
}
_DATE = (1980, 1, 1, 0, 0, 0)  # of the entries of an archive, so that equal systems give equal files
Port = tuple[tuple[str, ...], str]  # names of the systems and of the component, connector


@dataclass
class SystemStructure:
    """A system of FMUs, with the names of arguments of `cosimulate`: ``components`` (name -> path of the FMU),
    ``connections`` ("component.input" -> "component.output"), ``parameters`` ("component.variable" -> value), ``kinds``
    (of FMUs that are co-simulation or model exchange), ``end`` [s], nan where the file states none."""

    components: dict[str, Any] = field(default_factory=dict)
    connections: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    end: float = math.nan


def read_ssp(path: str | os.PathLike, folder: str | os.PathLike) -> SystemStructure:
    """The system of FMUs in an SSP file (1.0), for `cosimulate`; its FMUs are unpacked into ``folder``.

    A component of a system within the system has the names of both, joined by "_".  Parameter values are read from the
    description and from .ssv files.  Signals are exchanged in the units of the FMUs: connections between variables of
    different units are an error, unless the file suppresses the conversion.

    Raises `ModelError` for damaged files and for features that are not available: components that are not FMUs, linear
    and other transformations of signals, signal dictionaries, mappings of parameters.

        system = hn.read_ssp("drive.ssp", "drive")
        found = hn.cosimulate(system.components, system.connections, system.end, 100, parameters=system.parameters)

    Source: System Structure and Parameterization 1.0.
    """
    path = Path(path)
    with Archive(path, "an SSP file") as archive:
        top = _plain(archive.read(DESCRIPTION, MOST_BYTES), path / DESCRIPTION, "SystemStructureDescription")
        reader = _Reader(archive, Path(folder))
        system = top.one("System")
        if system is None:
            raise ModelError(f"{top.where}: there is no <System>; the file describes no system")
        reader.read(system, ())
        archive.unpack(Path(folder), "resources")
        experiment = top.one("DefaultExperiment")
        if experiment is not None:
            if experiment.number("startTime", 0.0):
                raise ModelError(f"{experiment.where}: startTime is not 0; a co-simulation begins at time 0")
            reader.system.end = experiment.number("stopTime", math.nan)
        return reader.finish()


def _plain(data: bytes, path: Path, root: str) -> Node:
    """The tree of a file, tags without the prefixes of their namespaces."""

    def bare(node: Node) -> None:
        node.tag = node.tag.rpartition(":")[2]
        for child in node.children:
            bare(child)

    top = parse_xml(data, path, (root, *(f"{prefix}:{root}" for prefix in NAMESPACES)))
    bare(top)
    return top


class _Reader:
    """Of one file; ``system`` is what has been read."""

    def __init__(self, archive: Archive, folder: Path) -> None:
        self.archive, self.folder = archive, folder
        self.system = SystemStructure()
        self.names: dict[tuple[str, ...], str] = {}  # of components
        self.sources: dict[Port, tuple[Port, Node]] = {}  # where the value of a connector comes from
        self.bindings: list[tuple[tuple[str, ...], Node]] = []

    def read(self, node: Node, at: tuple[str, ...]) -> None:
        """A system and all below."""
        if node.one("SignalDictionaries") is not None:
            raise self._refused(node, "signal dictionaries")
        self.bindings.append((at, node))
        elements = node.one("Elements")
        for element in elements.children if elements is not None else ():
            if element.tag == "Annotations":
                continue
            here = (*at, element.word("name"))
            if element.tag == "System":
                self.read(element, here)
            elif element.tag == "Component":
                self._component(element, here)
            else:
                raise self._refused(element, f"elements <{element.tag}>")
        connections = node.one("Connections")
        for one in connections.all("Connection") if connections is not None else ():
            self._connection(one, at)

    def _refused(self, node: Node, what: str) -> ModelError:
        return ModelError(f"{node.where}: {what} of SSP are not available; export the system without them")

    def _component(self, node: Node, at: tuple[str, ...]) -> None:
        if (node.get("type") or FMU_FILE) != FMU_FILE:
            raise self._refused(node, f"components of the type {shown(node.get('type'))}")
        source = node.word("source")
        if not source.startswith("resources/") or source not in self.archive.names:
            raise ModelError(f"{node.where}: the FMU {shown(source)} is not in the file; pack it into resources/")
        name = "_".join(at).replace(".", "_")
        if name in self.system.components:
            raise ModelError(f"{node.where}: a second component is called '{name}'; rename one")
        kind = IMPLEMENTATIONS[node.choice("implementation", tuple(IMPLEMENTATIONS), "any")]
        self.names[at] = name
        self.system.components[name] = self.folder.joinpath(*PurePosixPath(source).parts)
        if kind:
            self.system.kinds[name] = kind
        self.bindings.append((at, node))

    def _connection(self, node: Node, at: tuple[str, ...]) -> None:
        changed = next((child.tag for child in node.children if child.tag.endswith("Transformation")), "")
        if changed:
            raise self._refused(node, f"connections with a <{changed}>")
        ends = []
        for end in ("start", "end"):
            element = node.get(f"{end}Element")
            ends.append(((*at, element) if element else at, node.word(f"{end}Connector")))
        source, target = ends
        if target in self.sources:
            raise ModelError(f"{node.where}: the connector '{target[1]}' of '{'.'.join(target[0])}' is connected twice")
        self.sources[target] = source, node

    # ---- the whole --------------------------------------------------------------------------------------------------
    def finish(self) -> SystemStructure:
        """Connections from component to component, and the values of parameters."""
        found = {name: read_fmu(p, self.system.kinds.get(name, "")) for name, p in self.system.components.items()}
        for target, (source, node) in self.sources.items():
            if target[0] not in self.names:
                self._known(target, node)
                continue
            passed = {target}
            while source in self.sources and source[0] not in self.names:
                if source in passed:
                    raise ModelError(f"{node.where}: the connection runs in a circle through systems")
                passed.add(source)
                source = self.sources[source][0]
            self._known(source, node)
            if source[0] in self.names:  # else it comes from outside: the input keeps its start value
                to, of = f"{self.names[target[0]]}.{target[1]}", f"{self.names[source[0]]}.{source[1]}"
                self._same_unit(found, target, source, node)
                self.system.connections[to] = of
        for at, node in self.bindings:
            self._values(found, at, node)
        return self.system

    def _known(self, port: Port, node: Node) -> None:
        """Raises `ModelError` for an element that there is not."""
        if not any(at[: len(port[0])] == port[0] for at in self.names):
            raise ModelError(f"{node.where}: there is no element '{'.'.join(port[0])}'; correct the connection")

    def _same_unit(self, found: Mapping[str, FmuDescription], target: Port, source: Port, node: Node) -> None:
        units = []
        for at, name in (source, target):
            fmu = found[self.names[at]]
            variable = fmu.variables.get(name)
            units.append((variable.unit, fmu.units.get(variable.unit)) if variable is not None else ("", None))
        (one, of), (two, to) = units
        if one and two and one != two and of != to and not node.flag("suppressUnitConversion"):
            raise ModelError(
                f"{node.where}: '{source[1]}' is in {one} and '{target[1]}' in {two}, and units of signals are not "
                "converted; export one of the FMUs with the unit of the other"
            )

    def _values(self, found: Mapping[str, FmuDescription], at: tuple[str, ...], node: Node) -> None:
        """Parameter values that are bound to an element, below those of its parent systems."""
        holder = node.one("ParameterBindings")
        for binding in holder.all("ParameterBinding") if holder is not None else ():
            if binding.one("ParameterMapping") is not None:
                raise self._refused(binding, "mappings of parameters")
            source, prefix = binding.get("source"), binding.get("prefix") or ""
            if source:
                sets = [_plain(self.archive.read(source, MOST_BYTES), self.archive.path / source, "ParameterSet")]
            else:
                inside = binding.one("ParameterValues")
                sets = inside.all("ParameterSet") if inside is not None else []
            for parameters in (p for one in sets for p in one.all("Parameters")):
                for parameter in parameters.all("Parameter"):
                    self._value(found, at, prefix + parameter.word("name"), parameter)

    def _value(self, found: Mapping[str, FmuDescription], at: tuple[str, ...], name: str, node: Node) -> None:
        inside = {"_".join(k[len(at) :]): v for k, v in self.names.items() if k[: len(at)] == at}
        owner, variable = self.names.get(at, ""), name
        if not owner:
            matches = [k for k in inside if name.startswith(f"{k}.") or name.startswith(f"{k.replace('_', '.')}.")]
            longest = max(matches, key=len, default="")
            owner, variable = inside.get(longest, ""), name[len(longest) + 1 :]
        if not owner or variable not in found[owner].variables:
            raise ModelError(f"{node.where}: there is no variable '{name}' in '{'.'.join(at) or 'the system'}'")
        value = next((child for child in node.children if child.tag not in ("Annotations", "Documentation")), None)
        if value is None:
            raise ModelError(f"{node.where}: the parameter '{name}' has no value")
        text = value.get("value") or ""
        number: Any = text
        if value.tag == "Boolean":
            number = value.flag("value")
        elif value.tag != "String":
            number = value.number("value")
        self.system.parameters.setdefault(f"{owner}.{variable}", number)


def write_ssp(path: str | os.PathLike, system: SystemStructure, name: str = "system") -> Path:
    """Write a system of FMUs as an SSP file (1.0), with the FMUs in it.  Raises `ModelError` for FMUs that cannot be
    read, and for connections of components that there are not.

        fmus = {"motor": "motor.fmu", "load": "load.fmu"}
        hn.write_ssp("drive.ssp", hn.SystemStructure(fmus, {"load.torque": "motor.torque"}, end=2.0))

    Source: System Structure and Parameterization 1.0.
    """
    path = Path(path)
    found = {key: read_fmu(file, system.kinds.get(key, "")) for key, file in system.components.items()}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    spaces = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items())
    lines.append(f'<ssd:SystemStructureDescription {spaces} version="1.0" name={quoteattr(name)}>')
    lines += ['  <ssd:System name="root">', "    <ssd:Elements>"]
    lines += [line for key in found for line in _element(system, key, found[key])]
    lines += ["    </ssd:Elements>", "    <ssd:Connections>"]
    for target, source in system.connections.items():
        ends = []
        for which, port in (("start", source), ("end", target)):
            owner, _, connector = port.partition(".")
            if owner not in found or connector not in found[owner].variables:
                raise ModelError(f"write_ssp: there is no variable '{port}'; give component.variable")
            ends.append(f"{which}Element={quoteattr(owner)} {which}Connector={quoteattr(connector)}")
        lines.append(f'      <ssd:Connection {" ".join(ends)} suppressUnitConversion="true"/>')
    lines += ["    </ssd:Connections>", "  </ssd:System>"]
    if system.end > 0.0:
        lines.append(f'  <ssd:DefaultExperiment startTime="0" stopTime="{system.end!r}"/>')
    lines += ["</ssd:SystemStructureDescription>", ""]
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo(DESCRIPTION, _DATE), "\n".join(lines).encode(), zipfile.ZIP_DEFLATED)
            for key, file in system.components.items():
                archive.writestr(zipfile.ZipInfo(f"resources/{key}.fmu", _DATE), Path(file).read_bytes())
    except OSError as error:
        raise ModelError(f"write_ssp: '{path}' cannot be written: {error.strerror}") from None
    return path


def _element(system: SystemStructure, key: str, fmu: FmuDescription) -> list[str]:
    """Lines of one component."""
    words = {kind: implementation for implementation, kind in IMPLEMENTATIONS.items()}
    lines = [
        f'      <ssd:Component name={quoteattr(key)} type="{FMU_FILE}" source={quoteattr(f"resources/{key}.fmu")} '
        f'implementation="{words["me" if fmu.exchange else "cs"]}">',
        "        <ssd:Connectors>",
    ]
    for v in fmu.variables.values():
        if v.causality in ("input", "output", "parameter"):
            kind = "Real" if v.type.startswith("Float") else v.type if v.type in ("Boolean", "String") else "Integer"
            lines.append(
                f'          <ssd:Connector name={quoteattr(v.name)} kind="{v.causality}"><ssc:{kind}/></ssd:Connector>'
            )
    lines.append("        </ssd:Connectors>")
    values = {n.partition(".")[2]: v for n, v in system.parameters.items() if n.partition(".")[0] == key}
    if values:
        lines += ["        <ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>",
                  '          <ssv:ParameterSet version="1.0" name="values"><ssv:Parameters>']  # fmt: skip
        for n, v in values.items():
            kind, text = _value_text(v)
            value = f"<ssv:{kind} value={quoteattr(text)}/>"
            lines.append(f"            <ssv:Parameter name={quoteattr(n)}>{value}</ssv:Parameter>")
        lines += ["          </ssv:Parameters></ssv:ParameterSet>",
                  "        </ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>"]  # fmt: skip
    return [*lines, "      </ssd:Component>"]


def _value_text(value: Any) -> tuple[str, str]:
    """Type and text of the value of a parameter."""
    if isinstance(value, bool):
        return "Boolean", str(value).lower()
    if isinstance(value, str):
        return "String", value
    return ("Integer", str(value)) if isinstance(value, int) else ("Real", repr(float(value)))
