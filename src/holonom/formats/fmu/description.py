"""``modelDescription.xml`` of an exported model, FMI 2.0 and 3.0: variables by the structured naming convention."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from ... import __version__


@dataclass(frozen=True)
class Variable:
    """A variable of the FMU: ``causality`` independent, input or output; ``start`` of an input; ``description``."""

    name: str
    causality: str
    start: float | None = None
    description: str = ""


def quoted(name: str) -> str:
    """A name that the structured naming convention allows."""
    if re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(\[\d+\])?", name, re.ASCII):
        return name
    return "'" + re.sub(r"(['\\])", r"\\\1", name) + "'"


def describe(version: str, identifier: str, title: str, token: str, variables: list[Variable], start: float, end: float,
             tolerance: float | None, step: float | None) -> str:  # fmt: skip
    """The text of the file.  ``tolerance`` of an adaptive method, ``step`` of one with steps of one size [s]."""
    old = version == "2.0"
    out = ['<?xml version="1.0" encoding="UTF-8"?>']
    out.append(
        f"<fmiModelDescription fmiVersion={quoteattr(version)} modelName={quoteattr(title)} "
        f"{'guid' if old else 'instantiationToken'}={quoteattr(token)} "
        f'generationTool={quoteattr(f"Holonom {__version__}")} variableNamingConvention="structured">'
    )
    able = (
        'canGetAndSetFMUstate="true" canSerializeFMUstate="true" canInterpolateInputs="true"'
        if old
        else 'canGetAndSetFMUState="true" canSerializeFMUState="true"'
    )
    out.append(
        f"  <CoSimulation modelIdentifier={quoteattr(identifier)} "
        f'canHandleVariableCommunicationStepSize="true" {able}/>'
    )
    out += ["  <LogCategories>", '    <Category name="logStatusError"/>', "  </LogCategories>"]
    run = f' tolerance="{tolerance!r}"' if tolerance is not None else ""
    run += f' stepSize="{step!r}"' if step is not None else ""
    out.append(f'  <DefaultExperiment startTime="{start!r}" stopTime="{end!r}"{run}/>')
    out.append("  <ModelVariables>")
    for k, v in enumerate(variables):
        text = f" description={quoteattr(v.description)}" if v.description else ""
        given = f' start="{v.start!r}"' if v.start is not None else ""
        initial = ' initial="calculated"' if v.causality == "output" else ""
        common = f'name={quoteattr(quoted(v.name))} valueReference="{k}"{text} causality="{v.causality}"'
        if old:
            out.append(
                f'    <ScalarVariable {common} variability="continuous"{initial}><Real{given}/></ScalarVariable>'
            )
        else:
            out.append(f'    <Float64 {common} variability="continuous"{initial}{given}/>')
    out += ["  </ModelVariables>", "  <ModelStructure>"]
    outputs = [k for k, v in enumerate(variables) if v.causality == "output"]
    if old and outputs:
        rows = "".join(f'<Unknown index="{k + 1}"/>' for k in outputs)
        out += [f"    <Outputs>{rows}</Outputs>", f"    <InitialUnknowns>{rows}</InitialUnknowns>"]
    elif not old:
        out += [f'    <Output valueReference="{k}"/>' for k in outputs]
        out += [f'    <InitialUnknown valueReference="{k}"/>' for k in outputs]
    out += ["  </ModelStructure>", "</fmiModelDescription>", ""]
    return "\n".join(out)
