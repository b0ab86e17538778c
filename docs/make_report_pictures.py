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

import numpy as np  # noqa: E402
from _browser import Browser  # noqa: E402
from PIL import Image  # noqa: E402

OUT = ROOT / "docs" / "figures"
LARGEST = 195_000  # bytes
MENU = """
const plot = [...holonomPlots.drawn].find((p) => p.o.title === "Speed of the centres of mass");
plot.menu();
plot.set({ filter: "lowpass", width: 5 });
document.querySelector("#curves h3").remove();
document.querySelector("#curves .figures").remove();
"""
COLOURS = (
    'holonomViewers[0].shown.set("colors", "velocity"); holonomViewers[0].shown.set("arrows", "velocity"); '
    "holonomViewers[0].fit();"
)
#: file, model, width, dark, time, body that is chosen, what is shown (a CSS selector), how much of its height, what is
#: clicked on first
PICTURES = (
    ("report_contact.png", "tracked_side", 1100, True, 1.5, "", ".hv", 680, ""),
    ("report_colours.png", "crane", 1100, False, 6.0, "", ".hv", 680, COLOURS),
    ("report_element.png", "crane", 1240, False, 8.0, "boom", "#animation", 1330, ""),
    ("report_curves.png", "quarter_car", 1240, False, 2.0, "", "#curves", 1080, MENU),
    ("report_narrow.png", "ball_bearing", 400, True, 0.015, "ball 8", "html", 1400, ""),
)


def written(model: str, folder: Path) -> Path:
    """The report of a shipped model; of the quarter car with a second run over it, on softer springs."""
    subprocess.run(
        [sys.executable, "-m", "holonom", "demo", "--name", model, "--out", folder, "--no-progress"], check=True
    )
    if model == "quarter_car":
        import holonom as hn

        run = hn.load(folder / "run.h5")
        softer = run.model.copy()
        for spring in softer.table("SPRINGDAMPER").values():
            spring.k *= 0.6
        other = hn.simulate(softer, end=float(run.time[-1]), steps=len(run) - 1)
        run.report(folder / "report.html", others={"softer springs": other}, label="as drawn")
    return folder / "report.html"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, model, width, dark, time, body, what, height, script in PICTURES:
            out = Path(folder) / name[:-4]
            with Browser(written(model, out), width=width, height=1000, dark=dark) as b:
                b.wait("document.querySelector('[data-ready=yes]')")
                b.js(f"holonomPlots.finish(); holonomViewers[0].setTime({time})")
                if body:
                    b.js(
                        "holonomPlots.choose(holonomPlots.find('PART', "
                        "JSON.parse(document.getElementById('holonom-curves').textContent)"
                        f".elements.find(e => e.kind === 'PART' && e.name === '{body}').id))"
                    )
                if script:
                    b.js(f"(() => {{ {script} }})()")
                b.wait_until_idle()
                raw = out / "picture.png"
                b.screenshot(raw, what)
            picture = Image.open(io.BytesIO(raw.read_bytes())).convert("RGB")
            picture = picture.crop((0, 0, picture.width, min(height, picture.height)))
            fine = np.asarray(picture, int)
            for step in (4, 8, 12, 17):  # few shades of every colour: palettes lose the colours of thin curves
                small = Image.fromarray(np.minimum(255, (fine + step // 2) // step * step).astype(np.uint8))
                small.save(OUT / name, optimize=True)
                if (OUT / name).stat().st_size <= LARGEST:
                    break
            print(f"{name}: {small.size}, {(OUT / name).stat().st_size} bytes")


if __name__ == "__main__":
    main()
