"""Pictures and page of the gallery: ``python docs/make_gallery.py`` writes docs/gallery.md and the pictures that are
missing.

``--renew [name ...]`` makes the named pictures anew, or all.  A picture is a frame of the example's own run in the
viewer of `run.animate`, taken by Chromium (``CHROMIUM`` in the environment, else the first of the usual names): the
example's `main` runs until it has what it would report.  Animations are kept in build/gallery, so that another moment
or another view (`SHOTS`) costs no run.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
PICTURES = HERE / "pictures" / "gallery"
KEPT = HERE.parent / "build" / "gallery"
WIDTH, HEIGHT = 480, 300
LARGEST = 25_000  # bytes of a picture

#: heading -> examples; every example is in one
SECTIONS = {
    "Mechanisms": (
        "slider_crank", "four_bar", "double_pendulum", "heavy_top", "flyball_governor", "cam_and_follower",
        "screw_jack", "universal_drive",
        "gear_train", "crane",
    ),
    "Robots": ("welding_arm", "delta_robot", "stewart_platform", "walking_biped"),
    "Vehicles": ("quarter_car", "bicycle", "tracked_side"),
    "Machines with contact": (
        "chain_drive", "rope_over_pulley", "capstan", "helical_gears", "geneva_wheel", "ball_bearing",
        "clearance_slider_crank", "ball_on_plate",
        "newtons_cradle", "hertz_contacts",
    ),
    "Rigid contact": (
        "rigid_slider_crank", "rigid_geneva", "card_house", "box_stack", "dominoes", "billiards", "impact_row",
        "woodpecker", "rattleback",
        "ball_in_bowl", "bouncing_ball", "rocking_block", "impacting_stick", "painleve_rod",
    ),
    "Parts that lock, stop and slip": ("clutch_driveline", "door_latch"),
    "Flexible bodies": ("flexible_four_bar",),
    "Controlled from outside": ("controller",),
    "Fatigue": ("durability_crane", "durability_slider_crank"),
    "Grains": ("hopper", "hourglass", "angle_of_repose"),
}  # fmt: skip

#: where the camera begins is the viewer's choice.  ``at``: moment as a share of the run; ``turn``, ``lift``: of the
#: camera about the vertical and upwards [rad]; ``right``, ``up``: of its target, in half heights of the picture; then
#: ``zoom``
SHOT = {"at": 0.4, "turn": 0.0, "lift": 0.0, "right": 0.0, "up": 0.0, "zoom": 1.15}
SHOTS: dict[str, dict[str, float]] = {
    "angle_of_repose": {"at": 0.28, "up": 0.575, "zoom": 8},
    "ball_in_bowl": {"zoom": 1.35},
    "billiards": {"at": 0.25, "right": 0.35, "zoom": 1.7},
    "bouncing_ball": {"up": -0.2, "zoom": 1.6},
    "box_stack": {"zoom": 1.2},
    "cam_and_follower": {"zoom": 1.0},
    "chain_drive": {"zoom": 1.25},
    "clutch_driveline": {"at": 0.1, "zoom": 1.5},
    "controller": {"at": 0.036, "zoom": 1.6},
    "crane": {"up": -0.08, "zoom": 1.3},
    "dominoes": {"zoom": 1.6},
    "durability_crane": {"at": 0.75, "up": -0.08, "zoom": 1.3},
    "durability_slider_crank": {"at": 0.05, "zoom": 1.4},
    "door_latch": {"at": 0.03, "zoom": 0.95},
    "double_pendulum": {"at": 0.3, "zoom": 1.4},
    "flyball_governor": {"zoom": 1.25},
    "geneva_wheel": {"lift": 0.5, "zoom": 1.3},
    "heavy_top": {"zoom": 1.3},
    "helical_gears": {"lift": 0.2, "zoom": 1.25},
    "hertz_contacts": {"zoom": 1.0},
    "hopper": {"up": 0.55, "zoom": 2.9},
    "rigid_geneva": {"lift": 0.5, "zoom": 1.3},
    "rocking_block": {"at": 0.0},
    "rope_over_pulley": {"lift": 0.2, "right": 0.75, "up": -0.3, "zoom": 2.4},
    "screw_jack": {"zoom": 1.0},
    "tracked_side": {"right": -0.3, "zoom": 2.0},
    "universal_drive": {"zoom": 1.0},
    "woodpecker": {"up": 0.05, "zoom": 2.2},
    "quarter_car": {"zoom": 1.0},
}

#: arguments of an example's `main` for its picture: as many grains as one sees are enough
ARGUMENTS = {"hourglass": {"count": 2500}}

SHOOT = """
<style>.hv { border: 0 !important; border-radius: 0 !important; } .hv-bar, .hv-side, .hv-views, .hv-title, .hv-note { display: none !important; }</style>
<script>
const go = () => {
  const v = window.holonomViewers[0], s = %s;
  Object.assign(v.state, { axes: false, markers: false });
  v.pause();
  v.setTime(%r * s.at);
  v.look(v.cam.azimuth + s.turn, v.cam.elevation + s.lift);
  v.fit();
  v.draw();
  v.cam.target = v.cam.target.map((x, i) => x + v.cam.half * (s.right * v.cam.right[i] + s.up * v.cam.top[i]));
  v.cam.distance /= s.zoom;
  v.redraw();
};
setTimeout(go, 300);
</script>
</body>"""  # noqa: E501


#: not machines: nothing there that the viewer could show
PLAIN = ("ship", "spindle_temperatures", "wheelset_critical_speed")


def names() -> list[str]:
    return sorted(p.stem for p in EXAMPLES.glob("*.py") if p.stem not in PLAIN)


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def head(name: str) -> tuple[str, str]:
    """First paragraph of an example's docstring on one line, without its full stop, and the rest."""
    text = ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))) or ""
    first, _, rest = text.partition("\n\n")
    return " ".join(first.split()).rstrip("."), rest.strip("\n")


# ---- pictures -------------------------------------------------------------------------------------------------------
class Reported(Exception):
    """An example has come to its report: that is the run to show."""


def animate(name: str) -> Path:
    """The animation of the run that the example reports; else of its first run."""
    import holonom as hn

    example, seen = load(name), []

    def report(run: Any, path: Any, **options: Any) -> None:
        seen.insert(0, run)
        raise Reported

    def first(*arguments: Any, **options: Any) -> Any:
        run = simulate(*arguments, **options)
        if "report" not in inspect.signature(example.main).parameters:
            report(run, None)
        return run

    kept, simulate = hn.Run.report, hn.simulate
    hn.Run.report, hn.simulate = report, first
    try:
        if name == "bouncing_ball":  # continues from rest to rest by hand
            first(example.build(), example.END, example.STEPS, contact="events")
        example.main(
            **({"report": "report.html"} if "report" in inspect.signature(example.main).parameters else {}),
            **ARGUMENTS.get(name, {}),
        )
    except Reported:
        pass
    finally:
        hn.Run.report, hn.simulate = kept, simulate
    if not seen:
        raise SystemExit(f"{name}: the example came to its end without a run to show")
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / f"{name}.html"
    run = seen[0]
    run.animate(path, max_frames=200)
    (KEPT / f"{name}.time").write_text(repr(float(run.time[-1])))
    return path


def browser() -> str:
    for name in (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome", "chrome"):
        if name and shutil.which(name):
            return name
    raise SystemExit(
        "pictures of the gallery are taken by Chromium, which is not here: install it, or state where it is with "
        "CHROMIUM=/path"
    )


def shoot(name: str) -> Path:
    """docs/pictures/gallery/NAME.webp of the kept animation."""
    from PIL import Image

    page, raw = KEPT / f"{name}.still.html", KEPT / f"{name}.png"
    text = (KEPT / f"{name}.html").read_text(encoding="utf-8")
    end = float((KEPT / f"{name}.time").read_text())
    page.write_text(text.replace("</body>", SHOOT % (json.dumps(SHOT | SHOTS.get(name, {})), end)), encoding="utf-8")
    raw.unlink(missing_ok=True)
    subprocess.run(
        [
            browser(),
            "--headless",
            "--no-sandbox",
            "--hide-scrollbars",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            f"--window-size={WIDTH},{HEIGHT}",
            "--force-device-scale-factor=2",
            "--virtual-time-budget=3000",
            f"--screenshot={raw}",
            page.as_uri(),
        ],
        check=True,
        capture_output=True,
        timeout=300,
    )
    PICTURES.mkdir(parents=True, exist_ok=True)
    path = PICTURES / f"{name}.webp"
    with Image.open(raw) as image:
        small = image.convert("RGB").resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    for quality in (85, 75, 65, 50):
        small.save(path, quality=quality, method=6)
        if path.stat().st_size < LARGEST:
            return path
    raise SystemExit(f"{path}: {path.stat().st_size} bytes, {LARGEST} are allowed")


def band() -> Path:
    """docs/pictures/machines.webp: three of them side by side, for the first page."""
    from PIL import Image

    path = PICTURES.parent / "machines.webp"
    with Image.new("RGB", (3 * WIDTH, HEIGHT)) as strip:
        for k, name in enumerate(("crane", "chain_drive", "hourglass")):
            with Image.open(PICTURES / f"{name}.webp") as picture:
                strip.paste(picture, (k * WIDTH, 0))
        strip.save(path, quality=80, method=6)
    return path


# ---- page -----------------------------------------------------------------------------------------------------------
def page() -> str:
    """docs/gallery.md as text; fails for an example without a section or a picture."""
    listed = [name for some in SECTIONS.values() for name in some]
    if sorted(listed) != names():
        raise SystemExit(f"docs/make_gallery.py: SECTIONS and examples/ differ by {sorted(set(listed) ^ set(names()))}")
    lines = [
        "# Gallery",
        "",
        "Machines of `examples/`. Each is a short file that checks its own results (`tests/test_examples.py`).",
        "The pictures are frames of the animations that `run.animate()` writes.",
        "",
    ]
    for title, some in SECTIONS.items():
        lines += [f"## {title}", "", '<div class="gallery" markdown>', ""]
        for name in some:
            lines += [
                f"[![{name}](pictures/gallery/{name}.webp)](../examples/{name}.py)",
                f"**[{name}](../examples/{name}.py)** {head(name)[0]}.",
                "",
            ]
        lines += ["</div>", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def code_page(name: str) -> str:
    """The page of one example in the site: what it is, its picture, how it is run, its code."""
    title, rest = head(name)
    code = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    code = "\n".join(code.splitlines()[ast.parse(code).body[0].end_lineno :])  # what the docstring gives is above it
    shipped = (HERE.parent / "src" / "holonom" / "models" / f"{name}.adm").exists()
    lines = [
        "[Gallery](../gallery.md)",
        "",
        f"# {name}",
        "",
        f"{plain(title)}.",
        "",
        f"![{name}](../pictures/gallery/{name}.webp)",
        "",
        plain(rest),
        "",
    ]
    lines += ["```console", f"python examples/{name}.py"]
    if shipped:
        lines.append(f"holonom demo --name {name}      # the same as an Adams dataset, with a report")
    return "\n".join([*lines, "```", "", "```python", code.strip("\n"), "```", ""])


def plain(text: str) -> str:
    """Text of a docstring as Markdown: nothing in it is markup but ``code`` and indented equations."""
    out = []
    for line in text.splitlines():
        if line.startswith("    "):  # equations: a block of their own
            out += [*([""] if out and out[-1] and not out[-1].startswith("    ") else []), line]
        else:
            words = [
                w if k % 2 else re.sub(r"([\\*_<>\[\]#|])", r"\\\1", w)
                for k, w in enumerate(re.split(r"(`+[^`]+`+)", line))
            ]
            out += [*([""] if line and out and out[-1].startswith("    ") else []), "".join(words)]
    return "\n".join(out)


if __name__ == "__main__":
    renew, asked = "--renew" in sys.argv[1:], [a for a in sys.argv[1:] if a != "--renew"]
    unknown = sorted(set(asked) - set(names()))
    if unknown:
        raise SystemExit(f"there is no example {', '.join(unknown)}; choose among {', '.join(names())}")
    for each in asked or names():
        picture = PICTURES / f"{each}.webp"
        if renew or not picture.exists():
            if not (KEPT / f"{each}.html").exists():
                animate(each)
            print(shoot(each), flush=True)
    band()
    (HERE / "gallery.md").write_text(page(), encoding="utf-8")
