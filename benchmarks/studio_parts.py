"""The trial of the Studio's two candidates: boxes that all move and turn, shown by NiceGUI's `ui.scene` and by
Starlette with three.js:

    pip install nicegui starlette uvicorn websockets playwright
    python benchmarks/studio_parts.py [nicegui] [starlette] [count ...]

Each serves ``count`` boxes (100 and 1,000) for `SECONDS` and changes the pose of all of them `RATE` times a second
where it can.  Printed are updates sent a second, frames that the browser drew a second, and the server's processor time
an update.  The table of docs/studio-parts.md was measured with NiceGUI 3.18.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import math
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

SECONDS, RATE = 8.0, 60.0
VENDOR = Path(__file__).resolve().parents[1] / "src" / "holonom" / "studio" / "web" / "vendor"
PAGE = """<!doctype html><meta charset="utf-8"><style>html,body,canvas{margin:0;width:100%;height:100%;display:block}</style><canvas></canvas><script type="module">
import * as T from "/vendor/three.module.min.js";
const r = new T.WebGLRenderer({ canvas: document.querySelector("canvas") }), s = new T.Scene(), c = new T.PerspectiveCamera(40, 1.6, 0.1, 500), m = new T.Matrix4();
r.setSize(1280, 800, false); c.position.set(-20, -26, 20); c.up.set(0, 0, 1); c.lookAt(10, 10, 0); s.add(new T.HemisphereLight(0xffffff, 0x888888, 3));
const b = new T.BatchedMesh(COUNT, 24, 36, new T.MeshLambertMaterial()), g = b.addGeometry(new T.BoxGeometry(0.3, 0.06, 0.06));
const ids = Array.from({ length: COUNT }, () => b.addInstance(g));
b.frustumCulled = b.perObjectFrustumCulled = b.sortObjects = false; s.add(b); window.frames_ = 0; let poses = null;
const w = new WebSocket(`ws://${location.host}/poses`), p = new T.Vector3(), q = new T.Quaternion(), one = new T.Vector3(1, 1, 1); w.binaryType = "arraybuffer";
w.onmessage = (e) => { poses = new Float32Array(e.data, 8); };
const f = () => { requestAnimationFrame(f); if (!poses) return; const v = poses; poses = null;
  ids.forEach((i, k) => { const o = 7 * k; p.set(v[o], v[o + 1], v[o + 2]); q.set(v[o + 4], v[o + 5], v[o + 6], v[o + 3]); b.setMatrixAt(i, m.compose(p, q, one)); });
  r.render(s, c); window.frames_++; }; f();
</script>"""  # noqa: E501


def place(k: int, side: int) -> tuple[float, float]:
    """Where box k stands."""
    return 0.5 * (k % side), 0.5 * (k // side)


async def paced(update, report) -> None:
    """Call ``update(t)`` `RATE` times a second for `SECONDS`, later where it takes longer; then ``report`` updates a
    second and CPU an update."""
    begun, cpu, sent = time.monotonic(), time.process_time(), 0
    while (t := time.monotonic() - begun) < SECONDS:
        await update(t)
        sent += 1
        await asyncio.sleep(max(0.0, sent / RATE - (time.monotonic() - begun)) if sent / RATE > t else 0.0)
    report(sent / t, 1000.0 * (time.process_time() - cpu) / sent)


def nicegui(count: int, port: int) -> None:
    """Serve with NiceGUI: one object a box, moved and turned by its own calls."""
    from nicegui import app, ui

    side = max(1, round(count**0.5))

    @ui.page("/")
    async def page():
        with ui.scene(width=1280, height=800, grid=False) as scene:
            boxes = [scene.box(0.3, 0.06, 0.06).move(*place(k, side), 0.0) for k in range(count)]

        async def update(t: float) -> None:
            for k, box in enumerate(boxes):
                x, y = place(k, side)
                box.move(x, y, 0.2 * math.sin(t + k)).rotate(0.0, t + k, 0.0)

        await ui.context.client.connected()
        await paced(update, lambda rate, cost: (print(f"RESULT {rate:.1f} {cost:.2f}", flush=True), None)[1])

    app.on_startup(lambda: print("READY", flush=True))
    ui.run(host="127.0.0.1", port=port, show=False, reload=False, reconnect_timeout=30)


def starlette(count: int, port: int) -> None:
    """Serve with Starlette: all boxes in one binary message, one batch of three.js."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse
    from starlette.routing import Mount, Route, WebSocketRoute
    from starlette.staticfiles import StaticFiles

    side = max(1, round(count**0.5))

    async def talk(socket) -> None:
        await socket.accept()

        async def update(t: float) -> None:
            values = []
            for k in range(count):
                x, y = place(k, side)
                half = 0.5 * (t + k)
                values += [x, y, 0.2 * math.sin(t + k), math.cos(half), 0.0, math.sin(half), 0.0]
            await socket.send_bytes(struct.pack(f"<d{7 * count}f", t, *values))

        await paced(update, lambda rate, cost: print(f"RESULT {rate:.1f} {cost:.2f}", flush=True))

    @contextlib.asynccontextmanager
    async def life(app):
        print("READY", flush=True)
        yield

    page = Route("/", lambda request: HTMLResponse(PAGE.replace("COUNT", str(count))))
    app = Starlette(
        routes=[page, WebSocketRoute("/poses", talk), Mount("/vendor", StaticFiles(directory=VENDOR))], lifespan=life
    )
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", ws="websockets-sansio")


def trial(kit: str, count: int) -> None:
    """Serve in a process of its own, check it, and print what was measured."""
    from playwright.sync_api import sync_playwright

    port = 8650 + count % 97
    server = subprocess.Popen(
        [sys.executable, __file__, "serve", kit, str(count), str(port)], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        while "READY" not in server.stdout.readline():
            assert server.poll() is None, f"{kit} did not start"
        with sync_playwright() as p:
            browser = p.chromium.launch(
                executable_path=os.environ.get("HOLONOM_CHROMIUM", "/usr/bin/chromium"),
                args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
            )
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            # frames of a page that draws for itself: calls that end one
            page.add_init_script(
                "window.drawn_ = 0; const f = () => { window.drawn_++; requestAnimationFrame(f); }; "
                "requestAnimationFrame(f);"
            )
            page.goto(f"http://127.0.0.1:{port}/", timeout=120_000)
            line = ""
            start, first = time.monotonic(), page.evaluate("window.frames_ ?? window.drawn_")
            while not line.startswith("RESULT"):
                page.wait_for_timeout(50)
                line = server.stdout.readline()
                assert server.poll() is None, f"{kit} ended"
            frames = (page.evaluate("window.frames_ ?? window.drawn_") - first) / (time.monotonic() - start)
            browser.close()
        _, rate, cost = line.split()
        version = importlib.metadata.version(kit)
        print(
            f"studio parts {kit} {version} boxes={count}: updates_per_second = {rate}, frames_per_second = "
            f"{frames:.1f}, server_cpu_ms_per_update = {cost}, "
            f"load = {os.getloadavg()[0]:.1f}"
        )
    finally:
        server.kill()


if __name__ in ("__main__", "__mp_main__"):
    words = sys.argv[1:]
    if words[:1] == ["serve"]:
        {"nicegui": nicegui, "starlette": starlette}[words[1]](int(words[2]), int(words[3]))
    else:
        for candidate in [w for w in words if not w.isdigit()] or ["nicegui", "starlette"]:
            for number in [int(w) for w in words if w.isdigit()] or [100, 1000]:
                trial(candidate, number)
