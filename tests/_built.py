"""What a built model says, without a run: its texts in plain Python at a chosen state, and its elements by their names.

A row of a table of builders (`Row`) names the numbers that it holds: each is changed alone, and what is read from the
model must follow the closed form both times, while the closed form moves.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import Akima1DInterpolator

from holonom.expressions.nodes import Name, to_text
from holonom.expressions.parser import parse
from holonom.expressions.reference import evaluate

#: measures of one marker less those of another, in parallel axes
RELATIVE = {f"{what}{axis}" for what in "DVAW" for axis in "XYZ"}


class Built:
    """A model at a state: ``state`` has the values of measures by function and part, as "AZ(driver)", "TIME",
    "DIF(name)"; what is not given is zero."""

    def __init__(self, model, **state):
        self.model = model
        self.state = state

    def at(self, **state):
        """The same model at another state."""
        return Built(self.model, **state)

    def named(self, kind, name):
        """The element of a type with this name."""
        found = [e for e in self.model.table(kind).values() if e.name == name]
        assert len(found) == 1, (
            f"{kind} '{name}': {len(found)} elements; {[e.name for e in self.model.table(kind).values()]}"
        )
        return found[0]

    def part(self, name):
        return self.named("PART", name)

    def owner(self, marker):
        """Name of the part that has a marker."""
        return self.model.table("PART")[self.model.table("MARKER")[int(marker)].part].name

    def value(self, text):
        """Of an expression at the state."""
        return evaluate(parse(text), self._read, self._table)

    def variable(self, name):
        return self.value(self.named("VARIABLE", name).function)

    def force(self, kind, name):
        """Components of a force: of one or of three or six texts."""
        e = self.named(kind, name)
        if kind == "SFORCE":
            return self.value(e.function)
        texts = [getattr(e, w) for w in ("fx", "fy", "fz", "tx", "ty", "tz") if getattr(e, w, None) is not None]
        return np.array([self.value(t) for t in texts])

    def motion(self, name):
        return self.value(self.named("MOTION", name).function)

    def place(self, part):
        """Where the centre of a part is drawn."""
        return np.asarray(self.model.body_frame(self.part(part)).origin)

    def _read(self, node):
        if isinstance(node, Name):
            return self.state.get(node.name, 0.0)
        first = to_text(node.args[0])
        if node.name == "VARVAL":
            return self.value(self.model.table("VARIABLE")[int(float(first))].function)
        if node.name == "DIF":
            return self.state.get(f"DIF({self.model.table('DIFF')[int(float(first))].name})", 0.0)
        value = self.state.get(f"{node.name}({self.owner(float(first))})", 0.0)
        if len(node.args) > 1 and node.name in RELATIVE:
            value -= self.state.get(f"{node.name}({self.owner(float(to_text(node.args[1])))})", 0.0)
        return value

    def _table(self, kind, node, args):
        spline = self.model.table("SPLINE")[int(float(to_text(node.args[2])))]
        law = Akima1DInterpolator(np.ravel(spline.x).astype(float), np.ravel(spline.y).astype(float), extrapolate=True)
        return float(law(args[0], nu=int(args[3]) if len(args) == 4 else 0))


@dataclass(frozen=True)
class Row:
    """``builder``: its public name; ``build`` takes ``given`` as keywords; ``changed``: other values of the numbers
    that the row holds; ``measure`` reads numbers from what was built, ``closed`` has them in closed form."""

    builder: str
    build: Callable[..., Any]
    given: dict[str, Any]
    changed: dict[str, Any]
    measure: Callable[[Any], Any]
    closed: Callable[..., Any]
    rel: float = 1e-9
    dear: bool = False  # to build: all numbers are changed at once, and each must move the closed form alone
    kept: dict = field(default_factory=dict)  # what was read from models that several numbers need

    def __post_init__(self):
        assert self.changed, f"{self.builder}: a row that changes no number makes no test"

    def _found(self, given, word=""):
        if word not in self.kept:
            found = np.asarray(self.measure(self.build(**given)), float)
            if not word:
                return found
            self.kept[word] = found
        return self.kept[word]

    def _agree(self, given, word, number):
        wanted = np.asarray(self.closed(**given), float)
        got = self._found(given, word)
        close = pytest.approx(wanted, rel=self.rel, abs=1e-12 * np.abs(wanted).max())
        assert got == close, f"{self.builder}: {number}"
        return wanted

    def check(self, number):
        """The number alone is changed; the built model follows, and the closed form moves."""
        one = self._agree(self.given, "given", number)
        alone = {**self.given, number: self.changed[number]}
        if self.dear:
            self._agree({**self.given, **self.changed}, "changed", number)
            other = np.asarray(self.closed(**alone), float)
        else:
            other = self._agree(alone, "", number)
        if one.shape == other.shape:
            least = 100 * self.rel * np.maximum(np.abs(one), 1e-9 * np.abs(one).max())
            assert (np.abs(one - other) > least).any(), f"{self.builder}: nothing in this row depends on {number}"
