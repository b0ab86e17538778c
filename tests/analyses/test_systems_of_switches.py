"""Systems of the states of SWITCHes: what is known of the model is not worked out again, and nothing is missed."""

from __future__ import annotations

import pytest

import holonom as hn
from holonom.expressions import ExpressionError
from holonom.expressions.parser import parse
from holonom.recursive import tree
from holonom.system.build import System


def chain(links: int) -> hn.Model:
    """Hinges in turn about y and x, one of them driven, two coupled."""
    model = hn.Model("chain")
    model.gravity = (0, 0, -9.81)
    before, pins = model.ground, []
    for k in range(links):
        link = model.part(f"link{k}", 1.0, (0.02, 0.02, 0.01), (0.1 * k + 0.05, 0, 0))
        pins.append(model.revolute(link, before, f"pin{k}", at=(0.1 * k, 0, 0), axis=(k % 2, 1 - k % 2, 0)))
        before = link
    model.motion("pin1", "0.1*SIN(TIME)")
    model.coupler([pins[2], pins[3]], [1.0, -1.0])
    return model


def test_each_equation_is_named_after_the_constraint_that_has_it():
    system = System(chain(6))
    owners = [[c for c in system.constraints if r in c.rows] for r in range(system.m)]
    assert all(len(found) == 1 for found in owners) and len({id(found[0]) for found in owners}) == 8
    for r, (owner,) in enumerate(owners):
        assert system.constraint_of(r) is owner
        assert system.row_words(r) == f"{owner.element.name}: {system.rows[r].words}"
        assert system.row_adams(r) == f"{system.rows[r].name} in chain.{owner.element.name}"
    assert system.constraint_of(system.m) is None


def test_what_is_switched_on_is_checked_then():
    model = chain(4)
    i, j = model.marker_at("link0", (0.05, 0, 0)), model.marker_at(model.ground, (0, 0, 0.5))
    spring = model.spring_damper(i, j, stiffness=10.0, name="late")
    model.switch({"off": [], "on": [spring]}, [("off", "on", "TIME-0.05")], "latch")
    assert hn.simulate(model, end=0.1, steps=2).info["switch states"] == {"1": "on"}
    spring.active, spring.k = False, float("nan")
    with pytest.raises(hn.ModelError, match="late.*K is nan; give a finite number"):
        hn.simulate(model, end=0.1, steps=2)


def test_an_element_of_two_switches_is_refused_wherever_it_is():
    model = chain(4)
    i, j = model.marker_at("link0", (0.05, 0, 0)), model.marker_at(model.ground, (0, 0, 0.5))
    one, other = (model.spring_damper(i, j, stiffness=10.0, name=name) for name in ("one", "other"))
    model.switch({"off": [], "on": [one]}, [("off", "on", "TIME-0.05")], "first")
    second = model.switch({"off": [], "on": [other]}, [("off", "on", "TIME-0.05")], "second")
    assert hn.check(model).ok
    second.on = ((), (("SPRINGDAMPER", other.id), ("SPRINGDAMPER", one.id)))
    with pytest.raises(hn.ModelError, match="second.*one.* is switched by .*first.* too; let one of them do it"):
        hn.simulate(model, end=0.1, steps=2)
    second.on = ((), (("SPRINGDAMPER", other.id),))  # nothing of the check before is remembered
    hn.simulate(model, end=0.01, steps=1)


def test_texts_are_read_once_and_wrong_ones_are_wrong_each_time():
    assert parse("2*TIME + SIN(TIME)") is parse("2*TIME + SIN(TIME)")
    for _ in range(2):
        with pytest.raises(ExpressionError, match="column 9"):
            parse("2*TIME +")
    long = "+".join(["TIME"] * 400)
    assert parse(long) == parse(long) and parse(long) is not parse(long)


def test_the_spanning_tree_is_made_once_for_a_run(monkeypatch):
    made = []
    for name in ("spanning_tree", "make_tree"):
        build = getattr(tree, name)
        monkeypatch.setattr(tree, name, lambda *given, name=name, build=build: (made.append(name), build(*given))[1])
    sim = hn.Simulation(chain(4), progress=False)
    sim.dynamics(end=0.01, steps=1, integrator="DOP853", coordinates="auto")
    assert sorted(made) == ["make_tree", "spanning_tree"]
    assert any("joint coordinates" in text for text in sim.messages)
