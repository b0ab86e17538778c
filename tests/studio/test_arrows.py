"""Forces as arrows in the picture: their length by a factor, and their sizes written at the largest."""

import sys
from pathlib import Path

import pytest

import holonom as hn

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, studio, until, window  # noqa: E402


def hung():
    """A box of 8 litres and 3 kg at rest that hangs by a fixed joint: 3 g on the joint."""
    model = hn.Model("hung", "SI")
    model.gravity = (0, 0, -9.80665)
    block = model.part("block", shape=hn.shapes.box(at=(0, 0, 0), size=(0.2, 0.2, 0.2)), density=375.0)
    model.fixed(block, model.ground, "hook", at=(0, 0, 0.1))
    return model


@pytest.mark.slow
def test_arrows_have_a_length_and_a_size(chromium, tmp_path):
    (tmp_path / "hung.json").write_text(hung().to_json())
    with studio(tmp_path, tmp_path / "hung.json") as address:
        page = window(chromium, address, 1280, 800)
        page.locator("#run-end").fill("0.1")
        page.locator("#run-steps").fill("4")
        page.locator("#run").click()
        until(page, "studio.results.run && !studio.view.overlay.arrowPick.hidden", 180)
        page.get_by_label("Forces as arrows").select_option("all")
        until(page, "studio.view.overlay.drawn === 1")
        length = "studio.view.overlay.lines.instanceMatrix.array.slice(8, 11).reduce((s, x) => s + x * x, 0) ** 0.5"
        before = page.evaluate(length)
        page.get_by_label("Length of arrows").select_option("2")
        soon(page, length, pytest.approx(2 * before, rel=1e-6))
        page.locator("#arrow-values").click()
        force = "+document.querySelector('.arrow-value:not([hidden])')?.dataset.force"
        soon(page, force, pytest.approx(3 * 9.80665, rel=1e-6))
        soon(page, "document.querySelector('.arrow-value:not([hidden])')?.textContent", "29.42 N")
        page.get_by_label("Forces as arrows").select_option("none")
        soon(page, "document.querySelectorAll('.arrow-value:not([hidden])').length", 0)
        assert not page.faults
