"""Pictures of the shipped models for the start page of the Studio:

    python docs/make_example_pictures.py [name ...]

Each model is opened as it is drawn; the pictures lie in ``src/holonom/studio/web/examples``.  Needs Chromium and
Playwright (the extra ``test``).
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "studio")]
from _open import browser, studio, until, window  # noqa: E402

from holonom.studio.start import MODELS, PICTURES  # noqa: E402

SIZE = (432, 270)


def main(names: list[str]) -> None:
    """Make the pictures of these models."""
    project = Path(tempfile.mkdtemp())
    PICTURES.mkdir(exist_ok=True)
    for name in names:
        shutil.copy(MODELS / f"{name}.adm", project)
    with studio(project) as address, browser() as chromium:
        page = window(chromium, address, 1240, 620)
        page.evaluate("studio.start.close(); studio.theme('light')")
        page.evaluate("document.documentElement.style.setProperty('--bottom', '60px')")
        for name in names:
            seen = page.evaluate("document.body.dataset.scene")
            page.evaluate("(file) => studio.link.ask('open', { file, lose: true })", f"{name}.adm")
            until(page, f"studio.file.file === '{name}.adm' && document.body.dataset.scene !== '{seen}'")
            page.wait_for_timeout(600)
            until(page, "!studio.loading")
            page.evaluate(
                "Object.assign(studio.view.show, { shadows: true, edges: true, symbols: false, grid: false });"
                "studio.view.refresh(); studio.view.look('Iso'); studio.view.fit(); studio.view.resolve(0)"
            )
            page.wait_for_timeout(500)
            box = page.locator("#canvas").bounding_box()
            width = min(box["width"], box["height"] * SIZE[0] / SIZE[1])
            height = width * SIZE[1] / SIZE[0]
            hide = "for (const id of ['view-tools', 'scale', 'notice']) document.getElementById(id).hidden = true"
            page.evaluate(hide)
            clip = {
                "x": box["x"] + 0.5 * (box["width"] - width),
                "y": box["y"] + 0.5 * (box["height"] - height),
                "width": width,
                "height": height,
            }
            picture = Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB").resize(SIZE, Image.LANCZOS)
            picture.save(PICTURES / f"{name}.webp", quality=62, method=6)
            print(name, (PICTURES / f"{name}.webp").stat().st_size, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or sorted(p.stem for p in MODELS.glob("*.adm")))
