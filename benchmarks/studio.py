"""The Studio in headless Chromium: frames a second of many bodies, first paint, and the time of an edit:

    python benchmarks/studio.py [bodies ...]
    python benchmarks/studio.py balls [count] | stream | memory | edits [bodies]

Bodies are links of as many pendulums, each with a hinge.  Frames are those that the page has drawn while poses of all
bodies change at each of them.
``balls``: as many grains while the picture turns; ``stream``: what live motion costs the solver; ``memory``: of the
page while a run is played 36,000 pictures long, which is an hour at ten a second, with four plots that follow;
``edits``: wall time from an edit of a body in use to its answer, to the frame with the new value in the panel, and to
the last pixel of the picture that has it.  Without
a graphics card Chromium draws on the processor (SwiftShader), which the printed renderer says, and pixels then count
more than bodies.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import holonom as hn  # noqa: E402
from holonom.studio import serve  # noqa: E402

SIZE = {"width": 1280, "height": 800}


def machine(count: int, shape: str) -> hn.Model:
    """``count`` pendulums on a grid; ``shape``: a box (12 triangles) or a rod with round ends (about a thousand)."""
    model = hn.Model("pendulums", "SI")
    model.gravity = (0.0, 0.0, -9.80665)
    side = max(1, round(count**0.5))
    for n in range(count):
        x, y = 0.5 * (n % side), 0.5 * (n // side)
        form = (
            hn.shapes.box((x + 0.15, y, 0.0), (0.3, 0.06, 0.06))
            if shape == "box"
            else hn.shapes.capsule((x, y, 0.0), (x + 0.3, y, 0.0), 0.03)
        )
        link = model.part(f"link {n}", shape=form, density=7850.0)
        model.revolute(link, model.ground, f"hinge {n}", at=(x, y, 0.0), axis=(0, 1, 0))
    return model


def spent() -> float:
    """Seconds of processor time of all processes below this one (Chromium's), which a busy machine does not stretch as
    it does the clock."""
    parents, times = {}, {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rsplit(")", 1)[1].split()
            if b"chrom" in (place / "cmdline").read_bytes() or b"node" in (place / "cmdline").read_bytes():
                times[int(place.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            parents[int(place.name)] = int(fields[1])
        except (OSError, IndexError):
            continue
    mine, total = os.getpid(), 0.0
    for number, seconds in times.items():
        up = number
        while up > 1 and up != mine:
            up = parents.get(up, 0)
        total += seconds if up == mine else 0.0
    return total


POSES = """() => new Promise((done) => {
  const v = studio.view, keys = v.bodies.map((b) => [b.kind, b.id]), values = new Float32Array(7 * keys.length);
  let n = 0; const start = performance.now(), work = [];
  for (const what of OFF) v.show[what] = false; v.refresh();
  const first = v.frames;
  const f = () => { const now = performance.now(), t = (now - start) / 1000;
    v.bodies.forEach((b, k) => { const w = 0.5 * t + k; values.set([b.place[0], b.place[1], b.place[2], Math.cos(w), 0, Math.sin(w), 0], 7 * k); });
    v.pose(values, keys); work.push(performance.now() - now); n++;
    t < SECONDS ? requestAnimationFrame(f) : done([(v.frames - first) / t, work.sort((a, b) => a - b)[work.length >> 1]]); };
  requestAnimationFrame(f);
})"""  # noqa: E501


def measure(count: int, shape: str) -> None:
    """One model: print what was measured."""
    from playwright.sync_api import sync_playwright

    folder = Path(tempfile.mkdtemp())
    file = folder / "pendulums.json"
    file.write_text(machine(count, shape).to_json())
    known, found = threading.Event(), []

    def ready(address, server):
        found.extend([address, server])
        known.set()

    thread = threading.Thread(target=lambda: serve(file, folder, browser=False, ready=ready), daemon=True)
    thread.start()
    known.wait(120)
    with sync_playwright() as p:
        place = os.environ.get("HOLONOM_CHROMIUM", "/usr/bin/chromium")
        browser = p.chromium.launch(
            executable_path=place, args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        )
        page = browser.new_page(viewport=SIZE)
        page.goto(found[0])
        page.locator("body[data-ready='1']").wait_for(timeout=120_000)
        page.evaluate("() => new Promise((y) => setTimeout(y, 6000))")  # the first check of the model is over
        renderer = page.evaluate(
            "() => { const g = studio.view.renderer.getContext(), e = g.getExtension('WEBGL_debug_renderer_info'); "
            "return g.getParameter(e.UNMASKED_RENDERER_WEBGL); }"
        )
        print(f"studio bodies={count} renderer = {renderer}")
        for words, off in (
            ("everything", []),
            ("no shadows", ["shadows"]),
            ("bodies alone", ["shadows", "edges", "symbols", "grid"]),
        ):
            text = POSES.replace("SECONDS", "4").replace("OFF", str(off))
            begun = spent()
            rate, work = page.evaluate(text)
            cost = 1000.0 * (spent() - begun) / max(1.0, 4.0 * rate)
            print(
                f"studio bodies={count} shape={shape} {words}: frames_per_second = {rate:.1f}, script_ms_per_pose = "
                f"{work:.2f}, cpu_ms_per_frame = {cost:.0f}"
            )
        page.reload()
        page.locator("body[data-ready='1']").wait_for(timeout=120_000)
        paint = page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
        print(f"studio bodies={count} warm: first_contentful_paint_ms = {paint:.0f}")
        times = []
        for n in range(20):
            command = {"do": "set", "kind": "PART", "id": 2 + n, "field": "mass", "value": str(1.5 + n)}
            times.append(
                page.evaluate(
                    "async (c) => { const t = performance.now(); await studio.link.ask('edit', { command: c }); return "
                    "performance.now() - t; }",
                    command,
                )
            )
            page.evaluate("() => new Promise((y) => setTimeout(y, 400))")
        print(f"studio bodies={count} edit_ms median = {statistics.median(times):.1f}, largest = {max(times):.1f}")
        browser.close()
    found[1].should_exit = True
    thread.join(30)
    time.sleep(0.1)


TURN = """() => new Promise((done) => { const v = studio.view, first = v.frames, start = performance.now();
  const f = () => { const t = (performance.now() - start) / 1000; v.camera.position.applyAxisAngle(v.up, 0.02); v.controls.update(); v.dirty = true;
    t < 5 ? requestAnimationFrame(f) : done((v.frames - first) / t); }; requestAnimationFrame(f); })"""  # noqa: E501
PLAY = """async (n) => { const r = studio.results; r.play(false);
  for (let k = 0; k < n; k++) { r.advance(0.1); if (k % 200 === 0) await new Promise(requestAnimationFrame); }
  gc(); gc(); return performance.memory.usedJSHeapSize; }"""


def opened(folder: Path, file: Path, work) -> None:
    """Call ``work(page)`` with a window on a model."""
    from playwright.sync_api import sync_playwright

    known, found = threading.Event(), []
    thread = threading.Thread(
        target=lambda: serve(file, folder, browser=False, ready=lambda a, s: (found.extend([a, s]), known.set())),
        daemon=True,
    )
    thread.start()
    known.wait(120)
    with sync_playwright() as p:
        flags = [
            "--no-sandbox",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--js-flags=--expose-gc",
            "--enable-precise-memory-info",
        ]
        browser = p.chromium.launch(executable_path=os.environ.get("HOLONOM_CHROMIUM", "/usr/bin/chromium"), args=flags)
        page = browser.new_page(viewport=SIZE)
        page.goto(found[0])
        page.locator("body[data-ready='1']").wait_for(timeout=120_000)
        work(page)
        browser.close()
    found[1].should_exit = True
    thread.join(30)


def balls(count: int) -> None:
    """Frames a second of grains while the picture turns."""
    import numpy as np

    folder = Path(tempfile.mkdtemp())
    model = hn.Model("balls", "SI")
    model.grains(
        np.random.default_rng(1).uniform(-0.5, 0.5, (count, 3)), 0.2 * count ** (-1 / 3), "balls", density=2500.0
    )
    (folder / "balls.json").write_text(model.to_json())

    def work(page) -> None:
        page.evaluate("() => new Promise((y) => setTimeout(y, 8000))")
        begun = spent()
        rate = page.evaluate(TURN)
        cost = 1000.0 * (spent() - begun) / max(1.0, 5.0 * rate)
        print(
            f"studio balls={count}: frames_per_second = {rate:.1f}, cpu_ms_per_frame = {cost:.0f}, load = "
            f"{os.getloadavg()[0]:.1f}"
        )

    opened(folder, folder / "balls.json", work)


def stream() -> None:
    """CPU of the crane's run in the solver's process with its live motion, against `simulate` alone; the smallest of
    five each, in turn."""
    from holonom.studio.solver import Solver

    file = Path(hn.__file__).parent / "models" / "crane.adm"
    text, folder = hn.read_adams(file).to_json().encode(), Path(tempfile.mkdtemp())
    settings = {"kind": "dynamics", "end": 6.0, "steps": 600}
    header = {"task": 1, "settings": settings, "out": str(folder / "run.h5"), "path": None, "origin": [0, 0, 0]}
    plain, live = [], []
    with open(os.devnull, "wb") as nothing:
        solver = Solver(None, nothing)
        for _ in range(6):
            begun = time.process_time()
            model = hn.Model.from_json(text.decode())
            hn.simulate(model, keep=folder / "plain.h5", progress=False, **settings).save(folder / "plain.h5")
            plain.append(time.process_time() - begun)
            begun = time.process_time()
            solver.run(header, text)
            live.append(time.process_time() - begun)
    a, b = min(plain[1:]), min(live[1:])
    print(
        f"studio stream: cpu_s alone = {a:.3f}, with live motion = {b:.3f}, more = {100 * (b / a - 1):.1f} %, load = "
        f"{os.getloadavg()[0]:.1f}"
    )


def memory() -> None:
    """Heap of the page after 2,000 pictures and after 36,000."""
    import shutil

    folder = Path(tempfile.mkdtemp())
    file = Path(shutil.copy(Path(hn.__file__).parent / "models" / "crane.adm", folder))
    curves = [[{"name": "lift cylinder eye.force", "part": c}] for c in ("x", "y", "z", "|magnitude|")]
    pages = [{"name": "a", "plots": [{"curves": c, "x": None, "state": {}} for c in curves]}]

    def work(page) -> None:
        page.evaluate("(pages) => studio.link.ask('pages', { pages })", pages)
        page.locator("#run-end").fill("2")
        page.locator("#run").click()
        page.locator("body[data-results='1']").wait_for(timeout=240_000)
        page.locator("#tab-plots").click()
        sizes = [page.evaluate(PLAY, n) / 2**20 for n in (2000, 17000, 17000)]
        print(
            f"studio memory: heap_MiB after 2,000, 19,000 and 36,000 pictures = {', '.join(f'{m:.2f}' for m in sizes)}"
        )

    opened(folder, file, work)


EDIT = """async (command) => { const v = studio.view, gl = v.renderer.getContext(), start = performance.now(), now = () => performance.now() - start;
  const frame = () => new Promise(requestAnimationFrame), before = studio.file.version, pixel = new Uint8Array(4);
  await studio.link.ask('edit', { command }); const answer = now();
  while (studio.file.version === before) await frame();
  await studio.editor.shown; await frame(); const panel = now();
  while (v.version !== studio.file.version) await frame();
  const first = v.frames; while (v.dirty && v.frames === first) await frame();
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); return [answer, panel, now()]; }"""  # noqa: E501


def edits(count: int) -> None:
    """Wall time of edits of one body among many that is chosen, with a pause between them."""
    folder = Path(tempfile.mkdtemp())
    (folder / "pendulums.json").write_text(machine(count, "box").to_json())
    commands = {
        "mass": lambda n: {"do": "set", "kind": "PART", "id": 2 + count // 2, "field": "mass", "value": str(1.5 + n)},
        "position": lambda n: {"do": "move", "items": [["PART", 2 + count // 2]], "by": [0.0, 0.0, 0.001]},
    }

    def work(page) -> None:
        page.evaluate("() => new Promise((y) => setTimeout(y, 8000))")  # the first check of the model is over
        page.evaluate(f"() => studio.choose(['PART/{2 + count // 2}'])")
        page.evaluate("Object.assign(studio.view.show, {shadows: false, edges: false}); studio.view.refresh()")
        for what, command in commands.items():
            spans = []
            for n in range(13):
                spans.append(page.evaluate(EDIT, command(n)))
                page.evaluate("() => new Promise((y) => setTimeout(y, 1500))")  # the check that follows is over
            words = (
                f"{part}_ms median = {statistics.median(ms):.0f}, largest = {max(ms):.0f}"
                for part, ms in zip(("answer", "panel", "picture"), zip(*spans[1:]))
            )
            print(f"studio bodies={count} edit of {what}: {'; '.join(words)}; load = {os.getloadavg()[0]:.1f}")

    opened(folder, folder / "pendulums.json", work)


if __name__ == "__main__":
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    if word == "balls":
        balls(int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
    elif word == "edits":
        edits(int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
    elif word in ("stream", "memory"):
        {"stream": stream, "memory": memory}[word]()
    else:
        for argument in sys.argv[1:] or ["100", "1000"]:
            for form in ("box", "rod"):
                measure(int(argument), form)
