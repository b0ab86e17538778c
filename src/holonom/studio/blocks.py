"""Forms of control blocks, from the signatures of the methods of `model.control`."""

from __future__ import annotations

import inspect
import math
import re
from typing import Any

from ..elements.control import fuzzy, linear, nonlinear, pid
from ..model.builder.control import ControlMethods
from .forms import Argument, Form

GROUP = "Control"
#: titles that do not follow from the names of the methods
TITLES = {
    "ac_motor": "AC motor (permanent magnet)", "compare": "Comparison", "dc_motor": "DC motor",
    "function": "Function of signals", "fuzzy": "Fuzzy controller", "imu": "Inertial measurement unit (IMU)",
    "lag": "First-order lag", "lead_lag": "Lead-lag", "logic": "Logic gate", "lookup": "Lookup table",
    "neural": "Neural network (dense)", "notch": "Notch filter", "pid": "PID controller",
    "relay": "Relay with hysteresis", "select": "Selection by a condition", "sensor": "Sensor of a signal",
}  # fmt: skip
#: labels that do not follow from the names of the arguments
LABELS = {
    "u": "Input: a block, variable or expression", "inputs": "Inputs, one a line: blocks, variables or expressions",
    "i": "First marker", "j": "Second marker", "sample_time": "Sample time (empty: continuous)",
    "kp": "Proportional gain", "ki": "Integral gain", "kd": "Derivative gain", "ti": "Integral time",
    "td": "Derivative time", "b": "Set-point weight, proportional", "c": "Set-point weight, derivative",
    "initial": "Initial values of the states", "outputs": "Names of the outputs, one a line",
    "filter": "Time constant of the filter", "drive": "Joint of the drive", "element": "Joint, motion or force",
}  # fmt: skip
TIMES = ("sample_time", "delay", "filter", "time_constant", "lag", "lead", "ti", "td", "tracking")
WORDS = {
    "relation": nonlinear.RELATIONS,
    "gate": nonlinear.GATES,
    "rounding": ("nearest", "down"),
    "beyond": ("hold", "extend"),
    "form": pid.FORMS,
    "anti_windup": ("", *pid.WINDUP),
    "conjunction": fuzzy.AND,
    "component": ("x", "y", "z", "mx", "my", "mz", "m", "mm"),
}
FIELD_KINDS = {
    "joint": "joint", "drive": "joint", "i": "marker", "j": "marker", "marker": "marker", "element": "loaded",
    "A": "grid", "B": "grid", "C": "grid", "D": "grid", "numerator": "numbers", "denominator": "numbers",
    "x": "numbers", "y": "values", "z": "numbers", "weights": "weights", "initial": "numbers", "outputs": "texts",
    "sets": "data", "rules": "data", "output": "data", "range": "numbers", "layers": "data", "transitions": "data",
    "offset": "values", "scale": "values",
}  # fmt: skip
#: first values that show what is expected
STARTS = {
    "sets": '[{"near": ["trapezoid", 0, 0, 2, 5], "far": ["sigmoid", 2, 5]}]',
    "rules": '[[["near"], 1.0], [["far"], 0.0]]',
    "layers": '[[[[1.0], [0.5]], [0.0, 0.0], "tanh"], [[[1.0, 1.0]], [0.0], "linear"]]',
    "transitions": '[[1, "fast", 2], [2, "slow", 1]]',
}


def block_forms() -> dict[str, Form]:
    """A form for each method of `model.control`, under ``control.`` and its name."""
    found = {f"control.{n}": _form(n, m) for n, m in vars(ControlMethods).items() if n[0] != "_"}
    return dict(sorted(found.items(), key=lambda item: item[1].title.lower()))


def _form(name: str, method: Any) -> Form:
    arguments = [Argument("name", "name", "Name", needed=True)]
    arguments += [_argument(name, p) for p in list(inspect.signature(method).parameters.values())[2:]]
    text = " ".join(inspect.getdoc(method).split("\n\n")[0].split()).replace("``", "").replace("`", "")
    first = re.split(r"(?<=[.)]) (?=[A-Z][a-z])", text)[0]
    title = TITLES.get(name) or name.replace("_", " ").capitalize()
    return Form(GROUP, title, first, tuple(arguments), name, on="control")


def _argument(block: str, p: inspect.Parameter) -> Argument:
    """The row of a form for one parameter of a builder."""
    name, default = p.name, p.default
    needed = default is inspect.Parameter.empty
    label = LABELS.get(name) or name.replace("_", " ").capitalize()
    start = None if needed or default == () or _is_float(default) and math.isinf(default) else default
    if p.kind is inspect.Parameter.VAR_POSITIONAL:
        return Argument(name, "signals", label, needed=True)
    words = _words(block, name)
    annotation = str(p.annotation)
    if words:
        kind = "|".join(words)
    elif block == "gearbox" and name == "output":
        kind, label = "joint", "Joint of the output"
    elif name == "initial" and annotation.startswith("float"):
        kind, label = "number", "Initial value"
    elif annotation.startswith("bool"):
        kind = "flag"
    elif annotation.startswith("int"):
        kind = "whole"
    elif annotation.startswith("float") or name == "sample_time" or p.kind is p.KEYWORD_ONLY and _is_float(default):
        kind = "values" if name in ("offset", "scale") else "number"
        label = f"{label} (empty: none)" if name in ("lower", "upper") and not needed else label
    else:
        kind = FIELD_KINDS.get(name, "signal")
        start = f"{start:g}" if _is_float(start) else start
    if name == "sample_time" and needed:
        label = "Sample time"
    return Argument(name, kind, label, "time" if name in TIMES else "none", STARTS.get(name, start), needed)


def _is_float(value: Any) -> bool:
    return isinstance(value, float)


def _words(block: str, name: str) -> tuple[str, ...]:
    """Words from which a parameter is chosen; empty: it is not."""
    if name != "method":
        return WORDS.get(name, ())
    return {"pid": pid.SUMS, "integrator": ("forward", "backward", "trapezoidal")}.get(block, linear.METHODS[:2])
