"""Parameters of a study: numbers with bounds, whole numbers, choices; and the map from the unit cube on which designs,
samplers and optimisers work."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.calls import explained_class
from ..model.kinds import is_number
from .distributions import Distribution, as_distribution

Point = dict[str, Any]


@explained_class
@dataclass(frozen=True)
class StudyParameter:
    """One parameter of a study.

    ``value``: the nominal value.  ``bounds``: lowest and highest value.  ``unit``: text for tables and plots.
    ``choices``: the values of a discrete or categorical parameter, in place of bounds.  ``integer``: whole numbers.
    ``log``: designs and optimisers work on the logarithm (bounds above zero).  ``distribution``: scatter for studies of
    robustness, `Normal(...)`, `Uniform(...)`, ..., cut at the bounds if there are some.  ``address``: which number of a
    model it is, "SPRINGDAMPER/3.K" (`Model.with_parameters`); by default the parameter of the model with its name.
    Raises ModelError for values that contradict each other."""

    name: str
    value: Any = None
    bounds: tuple[float, float] | None = None
    unit: str = ""
    choices: tuple[Any, ...] | None = None
    integer: bool = False
    log: bool = False
    distribution: Distribution | None = None
    address: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ModelError(f"parameter: its name must be a text, got {shown(self.name)}")
        put = lambda key, value: object.__setattr__(self, key, value)
        if self.distribution is not None and not isinstance(self.distribution, Distribution):
            put("distribution", as_distribution(self.distribution, f"parameter '{self.name}'"))
        if self.choices is not None:
            self._check_choices()
        elif self.bounds is not None:
            self._check_bounds()
        elif self.value is None and self.distribution is not None:
            put("value", self.distribution.mean)
        elif not is_number(self.value) or not math.isfinite(self.value):
            raise ModelError(
                f"parameter '{self.name}': value must be a number, got {shown(self.value)}; "
                "give value, bounds or choices"
            )
        if self.distribution is not None and not self.continuous:
            raise ModelError(
                f"parameter '{self.name}' is discrete, and a distribution is of continuous ones; give one of them"
            )
        if self.distribution is not None and self.bounds is not None:
            low, high = (self.distribution.probability(b) for b in self.bounds)
            if not high > low:
                raise ModelError(
                    f"parameter '{self.name}': its distribution is nowhere within its bounds {self.bounds[0]:g} to "
                    f"{self.bounds[1]:g}; correct one of them"
                )
        if is_number(self.value):
            put("value", self._whole("value", self.value) if self.integer else float(self.value))
        if self.bounds is not None and not self.bounds[0] <= self.value <= self.bounds[1]:
            raise ModelError(
                f"parameter '{self.name}': its value {self.value:g} is outside of its bounds "
                f"{self.bounds[0]:g} to {self.bounds[1]:g}"
            )

    def _check_choices(self) -> None:
        choices = self.choices
        if isinstance(choices, str):
            raise ModelError(
                f"parameter '{self.name}' is the text {shown(choices)}; give a number (without quotes, with a decimal "
                "point), or a list of choices"
            )
        if isinstance(choices, bytes) or not isinstance(choices, Sequence) or not choices:
            raise ModelError(f"parameter '{self.name}': choices must be a list of values, got {shown(choices)}")
        for c in choices:
            if not isinstance(c, (str, bool, int, float)) or isinstance(c, float) and not math.isfinite(c):
                raise ModelError(f"parameter '{self.name}': a choice must be a number or a text, got {shown(c)}")
        for k, c in enumerate(choices):
            if c in choices[:k]:  # 1 and True, too: a position of the range could not be found again
                same = choices[list(choices).index(c)]
                other = f", as {shown(same)}" if type(same) is not type(c) else ""
                raise ModelError(f"parameter '{self.name}': the choice {shown(c)} is given twice{other}")
        if self.bounds is not None:
            raise ModelError(f"parameter '{self.name}' has bounds and choices; give one of them")
        object.__setattr__(self, "choices", tuple(choices))
        if self.value is None:
            object.__setattr__(self, "value", choices[0])
        if self.value not in choices:
            raise ModelError(f"parameter '{self.name}': its value {shown(self.value)} is not one of its choices")

    def _check_bounds(self) -> None:
        b = self.bounds
        if not isinstance(b, Sequence) or len(b) != 2 or not all(is_number(v) and math.isfinite(v) for v in b):
            raise ModelError(f"parameter '{self.name}': bounds must be two numbers, got {shown(b)}")
        low, high = (self._whole("a bound", v) if self.integer else float(v) for v in b)
        if not low < high:
            raise ModelError(f"parameter '{self.name}': its bounds {low:g} to {high:g} are empty; give lowest first")
        if not math.isfinite(high - low):
            raise ModelError(f"parameter '{self.name}': its bounds {low:g} to {high:g} are too far apart for a number")
        if self.log and low <= 0:
            raise ModelError(f"parameter '{self.name}': log requires bounds above zero, got {low:g}")
        object.__setattr__(self, "bounds", (low, high))
        if self.value is None:
            middle = math.sqrt(low * high) if self.log else 0.5 * (low + high)
            object.__setattr__(self, "value", round(middle) if self.integer else middle)
        if not is_number(self.value) or not math.isfinite(self.value):
            raise ModelError(f"parameter '{self.name}': value must be a number, got {shown(self.value)}")

    def _whole(self, word: str, value: float) -> int:
        if value != int(value):
            raise ModelError(f"parameter '{self.name}' is a whole number: {word} must be one, got {value:g}")
        return int(value)

    @property
    def continuous(self) -> bool:
        """Whether all numbers between the bounds are allowed."""
        return self.choices is None and not self.integer

    @property
    def varies(self) -> bool:
        """Whether it has bounds, choices or a distribution."""
        return self.bounds is not None or self.choices is not None or self.distribution is not None

    def drawn(self, probability: float) -> float:
        """The value of its distribution that is not exceeded with a probability, within the bounds if it has some."""
        assert self.truncated is not None
        return float(self.truncated.quantile(probability))

    @cached_property
    def truncated(self) -> Distribution | None:
        """Its distribution within its bounds: what samples, indices of sensitivity, FORM, SORM, subset simulation and
        robust optimisation use."""
        if self.distribution is None or self.bounds is None:
            return self.distribution
        return self.distribution.within(*self.bounds)

    def at(self, share: float) -> Any:
        """The value at a position 0 to 1 of its range."""
        share = min(max(float(share), 0.0), 1.0)
        if self.choices is not None:
            return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]
        if self.bounds is None:
            raise ModelError(
                f"parameter '{self.name}' has no bounds, which this method requires; give bounds=(low, high)"
            )
        low, high = self.bounds
        if self.integer:
            return int(min(low + math.floor(share * (high - low + 1)), high))
        if self.log:
            return min(max(math.exp(math.log(low) + share * (math.log(high) - math.log(low))), low), high)
        return min(max(low + share * (high - low), low), high)

    def share(self, value: Any) -> float:
        """The position 0 to 1 of a value in its range: the inverse of `at` (of whole numbers and choices the middle of
        their cell)."""
        if self.choices is not None:
            return (self.choices.index(value) + 0.5) / len(self.choices)
        low, high = self.bounds or (0.0, 1.0)
        if self.integer:
            return (value - low + 0.5) / (high - low + 1)
        if self.log:
            return (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))
        return (value - low) / (high - low)

    def slope(self, share: float) -> float:
        """Derivative of `at` of a continuous parameter."""
        assert self.bounds is not None
        low, high = self.bounds
        return self.at(share) * math.log(high / low) if self.log else high - low

    def fault(self, value: Any, beyond: bool = False) -> str:
        """What is wrong with a value, or an empty text; ``beyond``: it may be outside of the bounds."""
        if self.choices is not None:
            if value in self.choices:
                return ""
            return f"parameter '{self.name}': {shown(value)} is not one of {', '.join(map(str, self.choices))}"
        if not is_number(value) or not math.isfinite(value):
            return f"parameter '{self.name}' must be a finite number, got {shown(value)}"
        if self.integer and value != int(value):
            return f"parameter '{self.name}' must be a whole number, got {value:g}"
        if self.bounds is not None and not (beyond or self.bounds[0] <= value <= self.bounds[1]):
            return (
                f"parameter '{self.name}': {value:.17g} is outside of its bounds {self.bounds[0]:g} to "
                f"{self.bounds[1]:g}"
            )
        if not self.varies and not beyond and value != self.value:
            return (
                f"parameter '{self.name}' is the constant {self.value:.17g}, and {value:.17g} is given; give it bounds"
            )
        return ""

    def to_json(self) -> dict[str, Any]:
        """What a file holds of it."""
        out: dict[str, Any] = {"name": self.name, "value": self.value}
        if self.bounds is not None:
            out["bounds"] = list(self.bounds)
        if self.choices is not None:
            out["choices"] = list(self.choices)
        for key in ("unit", "integer", "log", "address"):
            if getattr(self, key):
                out[key] = getattr(self, key)
        if self.distribution is not None:
            out["distribution"] = self.distribution.to_json()
        return out


def as_parameter(name: Any, given: Any) -> StudyParameter:
    """A parameter from a short form: (low, high), a list of choices, a number, a distribution, a table of arguments, or
    a `StudyParameter`."""
    if isinstance(given, StudyParameter):
        if given.name != name:
            raise ModelError(f"parameter {shown(name)} is given a StudyParameter named '{given.name}'; use one name")
        return given
    if isinstance(given, Distribution):
        return StudyParameter(name, distribution=given)
    if isinstance(given, Mapping):
        known = [f for f in StudyParameter.__dataclass_fields__ if f != "name"]
        for key in given:
            if key not in known:
                raise ModelError(f"parameter '{name}': unknown key {shown(key)}{did_you_mean(key, known)}")
        given = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
        return StudyParameter(name, **given)
    if is_number(given):
        return StudyParameter(name, given)
    if isinstance(given, tuple) and len(given) == 2 and all(is_number(v) for v in given):
        return StudyParameter(name, bounds=given)
    if isinstance(given, tuple):
        raise ModelError(f"parameter '{name}': a tuple is (low, high), got {shown(given)}; give a list for choices")
    return StudyParameter(name, choices=tuple(given) if isinstance(given, list) else given)


@explained_class
class Space:
    """The parameters of a study, in order, and their map from the unit cube.  Raises ModelError for two of one name."""

    def __init__(self, parameters: Iterable[StudyParameter] | Mapping[str, Any]) -> None:
        if isinstance(parameters, Mapping):
            parameters = [as_parameter(name, given) for name, given in parameters.items()]
        if not isinstance(parameters, Iterable) or isinstance(parameters, str):
            raise ModelError(f"parameters of a study are {shown(parameters)}; give {{'name': (low, high)}}")
        self.parameters = tuple(parameters)
        for p in self.parameters:
            if not isinstance(p, StudyParameter):
                raise ModelError(f"a parameter of a study is a StudyParameter, got {shown(p)}")
        names = [p.name for p in self.parameters]
        for name in names:
            if names.count(name) > 1:
                raise ModelError(f"parameter '{name}' is given twice")
        if not names:
            raise ModelError("a study needs at least one parameter; give parameters={'name': (low, high)}")

    @property
    def names(self) -> list[str]:
        """Names in order."""
        return [p.name for p in self.parameters]

    @property
    def ranged(self) -> list[str]:
        """Names of those with bounds."""
        return [p.name for p in self.parameters if p.choices is None and p.bounds is not None]

    def __len__(self) -> int:
        return len(self.parameters)

    def __getitem__(self, name: str) -> StudyParameter:
        for p in self.parameters:
            if p.name == name:
                return p
        raise ModelError(f"there is no parameter {shown(name)}{did_you_mean(name, self.names)}")

    @property
    def varied(self) -> Space:
        """Those that have bounds, choices or a distribution; the others are constants.  Raises ModelError for none."""
        found = [p for p in self.parameters if p.varies]
        if not found:
            raise ModelError(f"no parameter varies: {', '.join(self.names)}; give bounds=(low, high)")
        return Space(found)

    def nominal(self) -> Point:
        """All at their nominal values."""
        return {p.name: p.value for p in self.parameters}

    def point(self, shares: Sequence[float] | np.ndarray) -> Point:
        """Values at a position of the unit cube."""
        return {p.name: p.at(s) for p, s in zip(self.parameters, shares)}

    def drawn_point(self, shares: Mapping[str, float], least: float) -> Point:
        """Values at positions of the unit cube, by quantiles where a parameter has a distribution, no nearer to its
        ends than ``least`` (a quantile at 0 or 1 may be infinite); nominal ones for parameters without a
        position."""
        out = self.nominal()
        for name, share in shares.items():
            p = self[name]
            out[name] = p.at(share) if p.distribution is None else p.drawn(min(max(share, least), 1.0 - least))
        return out

    def shares(self, point: Mapping[str, Any]) -> np.ndarray:
        """Position of values in the unit cube."""
        return np.array([p.share(point[p.name]) for p in self.parameters])

    def complete(self, given: Mapping[str, Any]) -> Point:
        """Values of all parameters in order, with nominal ones for those that are not given.  Raises ModelError for
        names that do not exist, and for numbers that are not finite."""
        for name in given:
            if name not in self.names:
                raise ModelError(f"there is no parameter {shown(name)}{did_you_mean(name, self.names)}")
        point = {p.name: plain(given.get(p.name, p.value)) for p in self.parameters}
        for name, value in point.items():
            if isinstance(value, float) and not math.isfinite(value):  # a file could not hold it
                raise ModelError(f"parameter '{name}' is {value}; give a finite number")
        return point

    def fault(self, point: Mapping[str, Any], beyond: Collection[str] = ()) -> str:
        """What is wrong with values, or an empty text; ``beyond``: names whose values may be outside of their
        bounds."""
        for p in self.parameters:
            if fault := p.fault(point[p.name], p.name in beyond):
                return fault
        return ""

    def to_json(self) -> list[dict[str, Any]]:
        """What a file holds of them."""
        return [p.to_json() for p in self.parameters]

    @classmethod
    def from_json(cls, rows: list[dict[str, Any]]) -> Space:
        """The parameters of a file."""
        return cls({row["name"]: {k: v for k, v in row.items() if k != "name"} for row in rows})


def plain(value: Any) -> Any:
    """A value as JSON holds it: numbers of NumPy as those of Python."""
    return value.item() if isinstance(value, np.generic) else value
