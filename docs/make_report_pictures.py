"""Pictures of reports for docs/report.md: shipped models are run and their pages opened in Chromium.

    python docs/make_report_pictures.py

Needs chromium and the package `holonom[report]`; uses the browser of the tests (`tests/results/_browser.py`).
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "results"))

from _browser import Browser  # noqa: E402
from PIL import Image  # noqa: E402

OUT = ROOT / "docs" / "figures"
LARGEST = 195_000  # bytes
#: file, model, width, dark, time, body that is chosen, what is shown (a CSS selector, or top and height in pixels)
PICTURES = (
    ("report_contact.png", "tracked_side", 1400, False, 1.5, "", ".hv"),
    ("report_element.png", "crane", 1400, True, 8.0, "boom", "#animation"),
    ("report_curves.png", "quarter_car", 1400, False, 6.0, "", "#curves"),
    ("report_narrow.png", "ball_bearing", 400, True, 0.015, "ball 8", (0, 1560)),
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, model, width, dark, time, body, what in PICTURES:
            out = Path(folder) / model
            subprocess.run([sys.executable, "-m", "holonom.cli", "demo", "--name", model, "--out", out, "--no-progress"], check=True)
            with Browser(out / "report.html", width=width, height=1000, dark=dark) as b:
                b.wait("document.querySelector('[data-ready=yes]')")
                b.js(f"holonomViewers[0].setTime({time})")
                if body:
                    b.js(f"holonomPlots.choose(holonomPlots.find('PART', JSON.parse(document.getElementById('holonom-curves').textContent)"
                         f".elements.find(e => e.kind === 'PART' && e.name === '{body}').id))")  # fmt: skip
                b.settle()
                raw = out / "picture.png"
                b.screenshot(raw, what if isinstance(what, str) else "html")
            picture = Image.open(io.BytesIO(raw.read_bytes())).convert("RGB")
            if not isinstance(what, str):
                picture = picture.crop((0, what[0], picture.width, what[0] + what[1]))
            width = min(picture.width, 960)
            while True:  # all colours, as wide as LARGEST bytes allow: palettes lose the colours of thin curves
                small = picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)
                small.save(OUT / name, optimize=True)
                if (OUT / name).stat().st_size <= LARGEST:
                    break
                width = round(0.94 * width)
            print(f"{name}: {small.size}, {(OUT / name).stat().st_size} bytes")


if __name__ == "__main__":
    main()
