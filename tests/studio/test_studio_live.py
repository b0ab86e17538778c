"""A hand in a run: a slider changes an input while it is computed, a body is pulled by a spring; equilibrium and modes
are shown."""

import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, studio, until, window  # noqa: E402


def machine():
    """A mass on a spring in a slider along x, pushed by an input; no gravity."""
    model = hn.Model("slider", "SI")
    block = model.part("block", shape=hn.shapes.box((0, 0, 0), (0.4, 0.3, 0.3)), density=100.0)
    model.translational(block, model.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    push = model.input("push", 0.0)
    i, j = model.marker_at(block, (0, 0, 0)), model.marker_at(model.ground, (-2, 0, 0))
    model.spring_damper(i, j, stiffness=200.0, damping=20.0, length=2.0, name="spring")
    model.sforce(i, j, f"VARVAL({push.id})", name="push")
    return model


@pytest.fixture(scope="module")
def place(tmp_path_factory, chromium):
    folder = tmp_path_factory.mktemp("live")
    (folder / "slider.json").write_text(machine().to_json())
    with studio(folder, folder / "slider.json") as address:
        yield address, folder


@pytest.fixture(scope="module")
def page(place, chromium):
    page = window(chromium, place[0], 1200, 800)
    yield page
    assert not page.faults
    page.close()


def begin(page, kind, **fields):
    page.locator("#run-kind").select_option(kind)
    for name, value in fields.items():
        page.locator(f"#run-{name}").fill(value)
    page.locator("#run").click()


def ended(page, number):
    until(page, f"document.body.dataset.results === '{number}'", 120)
    soon(page, "document.body.dataset.problem", "")


@pytest.mark.slow
def test_a_slider_pushes_and_a_hand_pulls_while_it_runs(page, place):
    begin(page, "interactive", end="60", steps="3000")
    until(page, "studio.running?.keys && studio.running.time > 0.1", 120)
    slider = page.locator("#live [data-input]")
    slider.focus()
    slider.evaluate("(s) => { s.value = '1'; s.dispatchEvent(new Event('input')); }")
    page.locator("#live input[aria-label='push, value']").fill("40")
    page.locator("#live input[aria-label='push, value']").press("Enter")
    at = "studio.view.matrices[studio.view.index.get('PART/2')].elements[12] + studio.view.table.origin[0]"
    until(page, f"Math.abs({at} - 0.2) < 0.01", 30)  # 40 N on 200 N/m
    page.locator("#live-add").fill(
        "SPRINGDAMPER/1.k"
    )  # a stiffness is a parameter: in the tables of the solver, from the next output on
    page.locator("#live-add").press("Enter")
    value = page.locator("#live input[aria-label='spring k, value']")
    assert value.input_value() == "200"
    value.fill("400")
    value.press("Enter")
    until(page, f"Math.abs({at} - 0.1) < 0.005", 30)  # 40 N on 400 N/m
    page.locator("[data-input='SPRINGDAMPER/1.k']").focus()
    for _ in range(50):
        page.keyboard.press("ArrowLeft")
    until(page, f"Math.abs({at} - 0.2) < 0.01", 30)
    value.fill("200")
    value.press("Enter")
    until(page, f"Math.abs({at} - 0.2) < 0.01", 30)
    page.locator("#canvas").focus()
    page.keyboard.press("1")
    box, middle = (
        page.locator("#canvas").bounding_box(),
        page.evaluate(
            "(() => { const v = studio.view, p = new v.sectionPlane.normal.constructor(); "
            "v.camera.updateMatrixWorld(); "
            "p.setFromMatrixPosition(v.matrices[v.index.get('PART/2')]).project(v.camera); return [p.x, "
            "p.y]; })()"  # noqa: E501
        ),
    )
    x, y = box["x"] + (middle[0] + 1) / 2 * box["width"], box["y"] + (1 - middle[1]) / 2 * box["height"]
    page.mouse.move(x, y)
    page.mouse.down()
    assert page.evaluate("studio.live.held?.k") == "PART/2" and page.evaluate("studio.view.controls.enabled") is False
    page.mouse.move(x + 120, y, steps=4)
    until(page, f"{at} > 0.3", 30)
    page.mouse.up()
    assert page.evaluate("studio.view.controls.enabled") is True
    until(page, f"Math.abs({at} - 0.2) < 0.01", 30)
    page.locator("#stop").click()
    ended(page, 1)
    run = hn.load(place[1] / ".holonom" / "runs" / "0001" / "run.h5")
    push, hand = run.variable("push").values, run.force("VFORCE/1").force.values[:, 0]
    assert push[0] == 0.0 and push[-1] == 40.0 and np.abs(hand).max() > 10.0 and hand[-1] == 0.0
    total = run.part("block").acceleration.values[:, 0] * run.model.find("PART", "block").mass
    x, v = (getattr(run.part("block"), n).values[:, 0] for n in ("position", "velocity"))
    changed = [row for row in run.info["parameters"] if row[3] == "k"]
    stiffness = np.full(len(x), 200.0)
    for when, _, _, _, _, new in changed:  # the row at the time of a change is the last before it
        stiffness[run.time > when + 1e-9] = new
    assert np.allclose(total, -stiffness * x - 20 * v + push + hand, atol=1e-6)  # what is stored is what acted
    assert (
        stiffness.max() == 400
        and stiffness[-1] == 200
        and any("K of SPRINGDAMPER/1 was changed" in m for m in run.info["messages"])
    )
    text = page.evaluate("studio.link.ask('script', {settings: {kind: 'interactive', end: 1, steps: 10}})")["text"]
    assert "Manual changes during the run are not included" in text and "kind='dynamics'" in text


@pytest.mark.slow
def test_modes_are_listed_and_shown(page):
    begin(page, "modes")
    ended(page, 2)
    row = page.locator("#peaks tr[data-mode='1'] td")
    mass = 100 * 0.4 * 0.3 * 0.3
    assert float(row.nth(1).get_attribute("data-value")) == pytest.approx(np.sqrt(200 / mass) / 2 / np.pi, rel=1e-9)
    assert float(row.nth(2).get_attribute("data-value")) == pytest.approx(20 / 2 / np.sqrt(200 * mass), rel=1e-9)
    at = "studio.view.matrices[studio.view.index.get('PART/2')].elements[12]"
    until(page, f"studio.results.playing && Math.abs({at} - ({page.evaluate(at)})) > 0.01", 30)
    page.evaluate("studio.results.play(false)")


@pytest.mark.slow
def test_the_way_to_the_equilibrium_is_shown(page):
    page.evaluate("studio.edit({do: 'set', kind: 'VARIABLE', id: 1, field: 'function', value: '100'})")
    page.evaluate("studio.edit({do: 'set', kind: 'SFORCE', id: 1, field: 'function', value: '100'})")
    begin(page, "statics")
    ended(page, 3)
    soon(page, "studio.results.still")
    page.evaluate("studio.results.play(false); studio.results.seek(0)")
    at = "studio.view.matrices[studio.view.index.get('PART/2')].elements[12] + studio.view.table.origin[0]"
    soon(page, at, pytest.approx(0.0, abs=1e-6))
    page.evaluate("studio.results.seek(1)")
    soon(page, at, pytest.approx(0.5, abs=1e-6))  # 100 N on 200 N/m
