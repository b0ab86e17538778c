"""Every public name states what it is, in which units, and what it raises."""

import dataclasses
import inspect
import re

import pytest

import holonom as hn
from holonom.analyses.session.snapshot import Snapshot
from holonom.analyses.session.state import State
from holonom.results.audit import Audit, MomentumAudit
from holonom.results.compare import Comparison, Difference
from holonom.results.views.body import MarkerView, PartView
from holonom.results.views.contact import ContactView
from holonom.results.views.flexible import FlexibleView
from holonom.results.views.flexible_loads import Loads
from holonom.results.views.grains import GrainsView
from holonom.results.views.joint import JointView, MotionView, PairView, SpringView

CLASSES = [
    hn.Model,
    hn.Run,
    hn.Simulation,
    hn.Check,
    hn.Linear,
    hn.StateSpace,
    hn.RootLocus,
    hn.Campbell,
    hn.Units,
    hn.Box,
    hn.Cylinder,
    hn.HalfSpace,
    PartView,
    MarkerView,
    JointView,
    MotionView,
    PairView,
    SpringView,
    ContactView,
    GrainsView,
    FlexibleView,
    Loads,
    Audit,
    MomentumAudit,
    Comparison,
    Difference,
    State,
    Snapshot,
]
UNITS = re.compile(
    r"unit|length|radian|angle|time|mass|force|metre|second|\bm\b|\bmm\b|\bJ\b|\brad\b|\bHz\b|\bs\b|share",
    re.I,
)


NOTHING_TO_MEASURE = {
    "add",
    "body_of",
    "contacts_of",
    "copy",
    "own",
    "switch",
    "find",
    "table",
    "register",
    "shapes_of",
    "free_id",
    "remove",
    "rename",
    "users",
}


def public(cls):
    for name, thing in inspect.getmembers(cls):
        if name[:1] == "_" or (dataclasses.is_dataclass(cls) and name in cls.__dataclass_fields__):
            continue
        if inspect.isfunction(thing) or inspect.ismethod(thing) or isinstance(thing, property):
            home = next((c for c in cls.__mro__ if name in vars(c)), cls)
            if home.__module__.startswith("holonom"):
                yield name, thing


MEMBERS = [(cls, name, thing) for cls in CLASSES for name, thing in public(cls)]


@pytest.mark.parametrize("cls, name, thing", MEMBERS, ids=[f"{c.__name__}.{n}" for c, n, _ in MEMBERS])
def test_members_have_docstrings(cls, name, thing):
    text = inspect.getdoc(thing)
    assert text and len(text) > 15, f"{cls.__name__}.{name} has no docstring"


@pytest.mark.parametrize("name", hn.__all__)
def test_public_names_have_docstrings(name):
    text = inspect.getdoc(getattr(hn, name))
    assert text and len(text) > 15, f"holonom.{name} has no docstring"


BUILDERS = [(n, t) for c, n, t in MEMBERS if c is hn.Model and inspect.isfunction(t)]


@pytest.mark.parametrize("name, thing", BUILDERS, ids=[n for n, _ in BUILDERS])
def test_builder_methods_say_units_and_what_raises(name, thing):
    text = inspect.getdoc(thing) or ""
    assert re.search(r"\b[Rr]aises?\b", text), f"Model.{name} does not state what it raises"
    if name in NOTHING_TO_MEASURE:
        return
    assert UNITS.search(text), f"Model.{name} does not say its units"
