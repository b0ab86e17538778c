"""Runs that take long: messages of the solver as they come, how long is left, and what is advised, by a button."""

import math
import sys
from pathlib import Path

import pytest

import holonom as hn
from holonom.analyses.grains.granular import safe_step, unfit
from holonom.studio.advice import Pace, actions, duration

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, studio, until, window  # noqa: E402

STIFFNESS, RADIUS, DENSITY = 2e4, 0.01, 2500.0


def heap(count=300):
    """Spheres that fall into a box of planes."""
    model = hn.Model("heap")
    model.gravity = (0, 0, -9.81)
    places = hn.Box((-0.1, -0.1, 0.0), (0.1, 0.1, 0.002 * count)).random(RADIUS, count, seed=1)
    sand = model.grains(places, RADIUS, "sand", density=DENSITY)
    floor = model.plane(model.ground, (0, 0, 0), (0, 0, 1))
    law = dict(law="KELVIN_VOIGT", stiffness=STIFFNESS, damping=3.0, mu=0.4)
    model.contact(sand, **law)
    model.contact(sand, floor, **law)
    return model


def pendulum():
    model = hn.Model("pendulum")
    model.gravity = (0, 0, -9.81)
    rod = model.part("rod", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0))
    model.revolute(rod, model.ground, "hinge", at=(0, 0, 0), axis=(0, 1, 0))
    return model


def test_the_step_is_a_twentieth_of_half_a_swing_of_two_spheres():
    """A linear spring between two equal masses: half a period of the reduced mass m / 2."""
    mass = DENSITY * 4 / 3 * math.pi * RADIUS**3
    contact = math.pi * math.sqrt(mass / 2 / STIFFNESS)
    step = safe_step(heap())
    assert contact / 40 < step <= contact / 20
    assert step == float(f"{step:.0e}")  # one digit
    assert not unfit(heap(), "SEMI_IMPLICIT_EULER")


def test_grains_on_another_integrator_are_a_warning_of_every_run():
    with pytest.warns(
        hn.ModelWarning, match="300 grains are integrated with the general equations .* SEMI_IMPLICIT_EULER and hmax"
    ):
        hn.simulate(heap(), end=1e-6, steps=1, progress=False)


def test_progress_is_told_to_a_function_between_rows():
    told = []
    hn.simulate(pendulum(), end=3.0, steps=1, hmax=1e-3, progress=lambda t, h: told.append((t, h)))
    assert told and all(0 < t <= 3.0 and 0 < h <= 1.001e-3 for t, h in told)
    assert [t for t, _ in told] == sorted(t for t, _ in told)


def test_what_is_advised_depends_on_what_was_chosen():
    labels = lambda model, **settings: [a["label"] for a in actions(model, {"kind": "auto", **settings})]
    assert labels(pendulum()) == []
    assert labels(pendulum(), integrator="GSTIFF", error=1e-9) == ["Automatic integrator", "Default error"]
    first, second = actions(heap(), {"kind": "auto"})
    assert first["settings"]["integrator"] == "SEMI_IMPLICIT_EULER" and first["commands"][0]["value"] == safe_step(
        heap()
    )
    assert second["commands"][0]["value"] == "time-stepping"
    assert labels(heap(), integrator="SEMI_IMPLICIT_EULER") == ["Contacts as constraints", "Automatic integrator"]
    assert actions(heap(), {"kind": "statics"}) == []


def test_a_long_run_is_noticed_once():
    pace = Pace(1.0)
    assert pace.update(0.0, 100.0) is None  # the first progress: compiling before it does not count
    assert pace.update(0.5, 105.0) is None
    assert Pace(None).update(0.1, 1e3) is None
    slow = Pace(1.0)
    slow.update(0.0, 0.0)
    assert slow.update(0.01, 10.0) == pytest.approx(990.0)
    assert slow.update(0.02, 20.0) is None
    assert [duration(s) for s in (40, 600, 7300, 4e5)] == ["40 s", "10 min", "2.0 h", "4.6 days"]


def test_messages_come_while_the_solver_works(tmp_path):
    from test_server import Window

    (tmp_path / "p.json").write_text(pendulum().to_json())
    with studio(tmp_path, tmp_path / "p.json") as address:
        w = Window(address)
        w.ask("run", settings={"kind": "dynamics", "end": 1e7, "steps": 2})  # would take hours
        said = w.until(lambda e: e.get("event") == "message" and e.get("kind") == "solver", 120)
        assert "degrees of freedom: 1" in said["text"]
        progress = w.until(lambda e: e.get("event") == "progress", 120)
        assert 0 < progress["t"] < 1e7 and progress["h"] > 0
        w.ask("stop")
        w.until(lambda e: e.get("event") == "run" and e.get("state") == "ended", 120)
        texts = [e["text"] for e in w.events if e.get("event") == "message"]
        assert len([t for t in texts if t == said["text"]]) == 1  # not once more at the end


@pytest.mark.slow
def test_a_long_run_says_what_is_left_and_grains_have_an_action(tmp_path):
    from test_server import Window

    (tmp_path / "p.json").write_text(pendulum().to_json())
    (tmp_path / "heap.json").write_text(heap().to_json())
    with studio(tmp_path, tmp_path / "p.json") as address:
        w = Window(address)
        w.ask("run", settings={"kind": "dynamics", "end": 1e7, "steps": 2})
        advice = w.until(lambda e: e.get("event") == "message" and e.get("kind") == "advice")
        assert "left" in advice["text"] and "of 1e+07 s" in advice["text"]
        w.ask("stop")
        w.until(lambda e: e.get("event") == "run" and e.get("state") == "ended", 120)
        w.ask("open", file="heap.json")
        w.ask("run", settings={"kind": "auto", "end": 1.0, "steps": 100})
        advice = w.until(lambda e: e.get("event") == "message" and e.get("actions"), 120)
        w.ask("stop")
        w.until(lambda e: e.get("event") == "run" and e.get("state") == "ended", 120)
        action = advice["actions"][0]
        for command in action["commands"]:
            w.ask("edit", command=command)
        w.ask("run", settings={"kind": "auto", "end": 0.02, "steps": 2, **action["settings"]})
        w.until(lambda e: e.get("event") == "message" and "by the granular solver" in e["text"], 120)
        ended = w.until(lambda e: e.get("event") == "run" and e.get("state") == "ended", 120)
        assert not ended["problem"]


@pytest.mark.slow
def test_a_click_takes_the_advice(chromium, tmp_path):
    (tmp_path / "heap.json").write_text(heap(1500).to_json())
    with studio(tmp_path, tmp_path / "heap.json") as address:
        page = window(chromium, address, 1280, 800)
        page.locator("#run").click()
        until(page, "!!document.querySelector('#advice button')", 120)
        until(page, "document.getElementById('run-time').textContent.includes('step')", 120)
        page.locator("#advice button", has_text="Granular solver").click()
        until(page, "studio.running?.number === 2", 120)
        soon(page, "document.body.dataset.run", "ended", 240)
        assert page.evaluate("document.body.dataset.problem") == "" and page.evaluate(
            "!document.getElementById('advice')"
        )
        assert "by the granular solver" in page.locator("#console").text_content()
        assert page.evaluate("studio.results.run.rows") == 201 and not page.faults
