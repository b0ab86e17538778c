"""Every builder method of `holonom.Model`, by the register: what is wrong in a call is one `ModelError`, or a fault
that `check` reports; never an error of Python, and never a value that is dropped silently."""

import inspect
import math
import warnings

import numpy as np
import pytest
from _builder_calls import CALLS as OTHERS
from test_builder_arguments import AS_GIVEN, BUILDERS, hinge, scene
from test_builder_arguments import CALLS as WITH_NUMBERS

import holonom as hn
from holonom.model.base import Element
from holonom.model.validate import faults_of

#: a builder -> why it is not called here
ELSEWHERE = {"fmu": "needs an FMU: tests/formats"}
#: whose scene takes long: flexible bodies, profiles of rails
DEAR = set(
    "attachment make_flexible modal_damping modal_force moving_force rail_track surface_contact wheel_rail".split()
)
CALLS = {
    name: lambda m, a, b, call=call: call(m, a, b, float, int)
    for name, call in WITH_NUMBERS.items()
    if call is not None
} | OTHERS
FAST = sorted(set(CALLS) - DEAR - AS_GIVEN)
NUMBER, VECTOR, FLAG, TEXT, ELEMENT, OTHER = "number", "vector", "flag", "text", "element", "other"


class Trial:
    """One call of a builder in a new scene, with some arguments changed; ``error``: what it raised, None or another
    element than a `ModelError` included."""

    def __init__(self, name, /, **changes):
        self.model, a, b = scene()
        self.given = None
        method, signature = getattr(hn.Model, name), inspect.signature(getattr(hn.Model, name))

        def changed(*args, **words):
            self.model.__dict__.pop(name)
            given = dict(list(signature.bind(self.model, *args, **words).arguments.items())[1:])
            for p in signature.parameters.values():
                if p.kind is p.VAR_KEYWORD:
                    given |= given.pop(p.name, {})
            self.given = dict(given)
            for word, value in changes.items():
                given[word] = value(self.model) if isinstance(value, Maker) else value
            return method(self.model, **given)

        self.model.__dict__[name] = changed
        self.error = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                CALLS[name](self.model, a, b)
            except Exception as error:  # what it is, is what is tested
                self.error = error
        assert self.given is not None, f"the call of {name} in CALLS does not reach it: {self.error!r}"

    @property
    def raw(self):
        return self.error is not None and not isinstance(self.error, hn.ModelError)

    @property
    def faults(self):
        return [text for e in self.model for text in faults_of(self.model, e)]


class Maker:
    """An element that is made in the model of the trial, or in another one."""

    def __init__(self, kind, foreign=False):
        self.kind, self.foreign = kind, foreign

    def __call__(self, model):
        other = scene()[0] if self.foreign else model
        body = other.parts["body"]
        return {
            "PART": lambda: other.part("extra", 1.0, (1, 1, 1)) if not self.foreign else body,
            "MARKER": lambda: other.marker(other.ground, name="extra"),
            "JOINT": lambda: hinge(other) if self.foreign else other.spherical(body, other.ground, "e", at=(0, 0, 0)),
            "GRAPHICS": lambda: other.sphere(body, (9, 9, 9), 0.1),
            "SPLINE": lambda: other.spline([0, 1, 2, 3], [0, 1, 2, 3]),
        }[self.kind]()

    def __repr__(self):
        return f"{'a foreign ' if self.foreign else ''}{self.kind}"


def is_number(value):
    return isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))


def type_of(parameter, value):
    """What an argument is, by its annotation, default, and the value that the call gives it."""
    annotation = "" if parameter.annotation is parameter.empty else str(parameter.annotation)
    types = {word.strip() for word in annotation.split("|")}
    first = value[0] if isinstance(value, (tuple, list, np.ndarray)) and len(value) else None
    if isinstance(value, Element) or isinstance(first, Element):
        return ELEMENT
    if types & {"float", "int"} or is_number(value):
        return NUMBER
    if types == {"bool"} or isinstance(value, bool):
        return FLAG
    if types == {"str"}:
        return TEXT
    if first is not None and not isinstance(first, str):
        return VECTOR
    return OTHER


def arguments(name):
    """(argument, type, value) of a builder, those of its ``**`` too."""
    given = Trial(name).given
    known = inspect.signature(getattr(hn.Model, name)).parameters
    for word, parameter in list(known.items())[1:]:
        if parameter.kind is not parameter.VAR_KEYWORD:
            value = given.pop(word, parameter.default)
            yield word, type_of(parameter, value), value
    for word, value in given.items():
        yield word, NUMBER if is_number(value) else OTHER, value


#: type -> values that no argument of it may take
WRONG = {
    NUMBER: ["abc", (1.0, 2.0), math.nan],
    VECTOR: ["abc", ["a", "b", "c"], {"x": 1}],
    FLAG: ["no", 2],
    TEXT: [3, ["a"]],
    ELEMENT: ["nobody", 987, 1.5],
    OTHER: [object()],
}
MORE_WRONG = {
    NUMBER: [math.inf, 1j, np.array([1.0, 2.0]), {}, [], object()],
    VECTOR: [[math.nan] * 3, object(), [[1.0], [2.0, 3.0]]],
    FLAG: [0.5, [True], math.nan],
    TEXT: [b"a", object(), 1.5],
    ELEMENT: [math.nan, True, [1.5], {}, object()],
    OTHER: [{"x": object()}, [object()]],
}
#: values that some arguments may take: no error of Python
DOUBTFUL = {
    NUMBER: [None, -1.0, 0.0],
    VECTOR: [None, 1.0],
    FLAG: [1, None],
    TEXT: [None, "nonsense"],
    ELEMENT: [None, []],
    OTHER: ["abc", 3.5, math.nan, Maker("PART", foreign=True)],
}
#: texts of these are expressions, which a model that is built reads
EXPRESSIONS = set("capacity engaged force torque function fx fy fz tx ty tz opening scale when release numbers".split())
PAIRS = ((1.0, 2.0), np.array([1.0, 2.0]))
#: (builder, argument) -> values that it takes
TAKEN: dict[tuple[str, str], tuple] = {
    ("contact", "mu"): PAIRS,
    ("diff", "ic"): PAIRS,  # of y and of y' of an implicit equation
    ("feeder", "radius"): PAIRS,
    ("height_field", "spacing"): PAIRS,
    **{("road", word): (math.inf,) for word in ("start", "length")},
}


def taken(name, word, value):
    return (isinstance(value, str) and word in EXPRESSIONS) or any(
        value is other or (type(value) is type(other) and repr(value) == repr(other))
        for other in TAKEN.get((name, word), ())
    )


def silent(name, values, doubtful):
    """What goes wrong in calls of a builder with wrong values."""
    found = []
    for word, kind, _ in arguments(name):
        for value, wrong in [(v, True) for v in values(kind)] + [(v, False) for v in doubtful(kind)]:
            trial = Trial(name, **{word: value})
            what = f"{name}({word}={value!r}) [{kind}]"
            if trial.raw or "\n" in str(trial.error):
                found.append(f"{what}: {type(trial.error).__name__}: {trial.error}")
            elif wrong and trial.error is None and not taken(name, word, value) and not trial.faults:
                found.append(f"{what}: taken")
    return found


def test_every_builder_has_a_call():
    assert set(BUILDERS) - set(CALLS) == set(ELSEWHERE)
    for name in FAST:
        trial = Trial(name)
        assert trial.error is None, (name, trial.error)


@pytest.mark.parametrize("name", FAST)
def test_wrong_values_are_refused(name):
    assert silent(name, lambda kind: WRONG[kind], lambda kind: DOUBTFUL[kind][:2]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(CALLS) - AS_GIVEN))
def test_more_wrong_values_are_refused(name):
    assert silent(name, lambda kind: WRONG[kind] + MORE_WRONG[kind], lambda kind: DOUBTFUL[kind]) == []


@pytest.mark.parametrize("name", FAST)
def test_unknown_and_misspelt_keywords_are_refused(name):
    words = [word for word, *_ in arguments(name)]
    for word in ("qqq", words[0] + words[0][-1], words[-1] + words[-1][-1]):
        trial = Trial(name, **{word: 1.0})
        assert isinstance(trial.error, hn.ModelError) and word in str(trial.error), (word, trial.error)


@pytest.mark.parametrize("name", FAST)
def test_elements_of_another_model_or_type_are_refused(name):
    """Each argument that takes an element is given one of another model, and those of types that it does not take."""
    for word, kind, own in arguments(name):
        if kind != ELEMENT:
            continue
        several = not isinstance(own, Element)
        type_ = (own[0] if several else own).KIND
        makers = [Maker(other) for other in ("MARKER", "JOINT", "SPLINE", "PART") if other != type_]
        makers += [Maker(type_, foreign=True)] if type_ in ("PART", "MARKER", "JOINT", "GRAPHICS") else []
        for maker in makers:
            if (name, word, maker.kind) in MIXED and not maker.foreign:
                continue
            trial = Trial(name, **{word: maker})
            assert isinstance(trial.error, hn.ModelError) or (not trial.raw and trial.faults), (
                word,
                maker,
                trial.error,
            )


#: arguments that take elements of several types
MIXED = {
    ("move", "element", "MARKER"),
    ("duplicate", "element", "MARKER"),
    ("rack_and_pinion", "i", "PART"),  # a body, and a marker at the same point
    ("rack_and_pinion", "j", "PART"),
}
