"""What runs have next to bodies, in the Studio: contact forces as arrows, grains as balls, flexible bodies with their
stresses."""

import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.flexible import Section, beam

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, studio, until, window  # noqa: E402

G = 9.80665


def grains():
    model = hn.Model("beads", "SI")
    model.gravity = (0, 0, -G)
    model.plane(model.ground, (0, 0, 0), (0, 0, 1), size=2.0, name="floor")
    places = np.stack(np.meshgrid(*[np.linspace(-0.3, 0.3, 4)] * 3), -1).reshape(-1, 3) + [0, 0, 1.0]
    model.grains(places, 0.05, "beads", density=2500.0)
    return model


@pytest.fixture(scope="module")
def place(tmp_path_factory, chromium):
    folder = tmp_path_factory.mktemp("pictures")
    (folder / "beads.json").write_text(grains().to_json())
    with studio(folder, folder / "beads.json") as address:
        yield address, folder


@pytest.fixture(scope="module")
def page(place, chromium):
    page = window(chromium, place[0], 900, 700)
    yield page
    assert not page.faults
    page.close()


def colour(page, x, y, z):
    """The pixel at a place of ground."""
    return page.evaluate(
        "(p) => { const v = studio.view, o = v.table.origin, q = v.sectionPlane.normal.clone().set(p[0] - o[0], p[1] - "
        "o[1], p[2] - o[2]);"
        " v.camera.updateMatrixWorld(); q.project(v.camera); v.dirty = true; v.tick(); const g = "
        "v.renderer.getContext(), a = new Uint8Array(4);"
        " g.readPixels((q.x + 1) / 2 * v.canvas.width, (q.y + 1) / 2 * v.canvas.height, 1, 1, g.RGBA, g.UNSIGNED_BYTE, "
        "a); return [...a]; }",
        [x, y, z],
    )


@pytest.mark.slow
def test_grains_are_drawn_where_they_are(page):
    page.locator("#canvas").focus()
    page.keyboard.press("1")
    r, g, b, a = colour(page, 0.1, -0.3, 0.9)
    assert a == 255 and r > 1.2 * b and max(r, g, b) > 60  # the second colour of the palette, lit
    soon(page, "studio.view.bulk[0].object.geometry.attributes.position.count", 64)
    assert colour(page, 0.0, -0.3, 1.0)[3] == 0  # between two of them the ground of the page is seen


@pytest.mark.slow
def test_grains_of_a_run_fall(page):
    page.locator("#run-end").fill("0.3")
    page.locator("#run-steps").fill("30")
    page.locator("#run").click()
    until(page, "document.body.dataset.results", 180)
    until(page, "studio.view.overlay.grains.length === 1")
    page.evaluate("studio.results.seek(0.3)")
    z = page.evaluate(
        "[...studio.view.overlay.grains[0].object.geometry.attributes.position.array].filter((v, k) => k % 3 === 2)"
    )
    start = np.repeat(np.tile(np.linspace(0.7, 1.3, 4), 1), 16)
    assert sorted(np.array(z) + page.evaluate("studio.view.table.origin[2]")) == pytest.approx(
        sorted(start - 0.5 * G * 0.09), abs=2e-3
    )


@pytest.mark.slow
def test_forces_of_contacts_are_arrows(place, chromium):
    """Balls that rest on a plate: the arrows carry their weight."""
    address, folder = place
    model = hn.Model("rest", "SI")
    model.gravity = (0, 0, -G)
    floor = model.plane(model.ground, (0, 0, 0), (0, 0, 1), size=2.0, name="floor")
    ball = model.part("ball", shape=hn.shapes.sphere((0, 0, 0.1), 0.1), density=1000.0)
    model.contact(ball, floor, law="IMPACT", stiffness=1e6, damping=1e3, dmax=1e-4, name="rest")
    (folder / "rest.json").write_text(model.to_json())
    page = window(chromium, address, 900, 700)
    page.evaluate("studio.link.ask('open', {file: 'rest.json'})")
    until(page, "studio.model.name === 'rest'")
    page.locator("#run-kind").select_option("statics")
    page.locator("#run").click()
    until(page, "document.body.dataset.results", 180)
    soon(page, "document.body.dataset.problem", "")
    until(page, "studio.view.overlay.drawn === 1")
    ((of, force),) = page.evaluate("studio.view.overlay.pointed")
    assert of == "CONTACT/1" and force == pytest.approx([0, 0, ball.mass * G], rel=1e-4, abs=1e-3)
    page.locator("select[aria-label='Forces as arrows']").select_option("none")
    until(page, "studio.view.overlay.drawn === 0 || studio.view.overlay.data === null")
    assert not page.faults
    page.close()


@pytest.mark.slow
def test_a_beam_bends_with_its_stress(place, chromium):
    """A cantilever under a load at its end: way and stress of the picture against Euler and Bernoulli."""
    address, folder = place
    L, a, E, F = 1.0, 0.02, 2.1e11, 100.0
    model = hn.Model("cantilever", "SI")
    part = model.part("beam", 1.0, (1, 1, 1))
    tip = model.marker_at(part, (L, 0, 0))
    model.make_flexible(
        part,
        beam((0, 0, 0), (L, 0, 0), Section.rectangle(a, a), E=E, density=7850.0, elements=12),
        interfaces=[1, 13],
        modes=6,
        formulation="floating",
    )
    model.fixed(part, model.ground, "wall", at=(0, 0, 0))
    model.vforce(tip, None, "0", "0", f"{-F}", name="load")
    (folder / "beam.json").write_text(model.to_json())
    page = window(chromium, address, 900, 700)
    page.evaluate("studio.link.ask('open', {file: 'beam.json'})")
    until(page, "studio.model.name === 'cantilever'")
    page.locator("#run-kind").select_option("statics")
    page.locator("#run").click()
    until(page, "document.body.dataset.results", 180)
    soon(page, "document.body.dataset.problem", "")
    until(page, "studio.view.overlay.soft.length === 1")
    page.evaluate("studio.results.play(false); studio.results.seek(1)")  # on the way there it is flexible as it goes
    low = page.evaluate(  # the lowest vertex in ground
        "(() => { const f = studio.view.overlay.soft[0], p = f.o.geometry.attributes.position.array, v = "
        "studio.view.up.clone(); let low = 1e9;"
        " for (let k = 0; k < p.length; k += 3) low = Math.min(low, v.fromArray(p, k).applyMatrix4(f.o.matrix).z); "
        "return low + studio.view.table.origin[2]; })()"
    )
    stiff = E * a**4 / 12
    assert -low - a / 2 == pytest.approx(F * L**3 / 3 / stiff, rel=0.02)
    soon(page, "studio.view.overlay.top.stress", pytest.approx(F * L * (a / 2) / (a**4 / 12), rel=0.03))
    assert not page.faults
    page.close()
