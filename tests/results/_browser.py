"""Chromium by its DevTools pipe (file descriptors 3 and 4), standard library only; nothing listens on a port."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import io
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-unsafe-swiftshader",
    "--use-angle=swiftshader",
    "--disable-extensions",
    "--disable-default-apps",
    "--mute-audio",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]


def find_chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next((p for p in map(shutil.which, names) if p), None)


class Browser:
    """One page.  ``requests``: every address requested; ``errors``: console errors, exceptions, blocked loads."""

    def __init__(self, path: str | Path, width=1100, height=700, dark=False, webgl=True) -> None:
        self.profile = tempfile.mkdtemp(prefix="holonom-chromium-")
        low_read, self.write = os.pipe()
        self.read, low_write = os.pipe()
        # the child's descriptors must be 3 and 4: move ours out of the way, then let a small Python put them in place
        to_read, to_write = (fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (low_read, low_write))
        os.close(low_read)
        os.close(low_write)
        script = f"import os, sys; os.dup2({to_read}, 3); os.dup2({to_write}, 4); os.execv(sys.argv[1], sys.argv[1:])"
        flags = [*FLAGS, f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "about:blank"]
        if not webgl:
            flags = [f for f in flags if "swiftshader" not in f] + ["--disable-3d-apis"]
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-c", script, find_chromium(), *flags],
            pass_fds=(to_read, to_write),
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.number = b"", 0
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.session = None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        self.wait("document.readyState === 'complete'")

    def __enter__(self):
        return self

    def __exit__(self, *exc) -> None:
        with contextlib.suppress(Exception):
            self.session = None
            self.call("Browser.close", timeout=5)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
        os.close(self.write)
        os.close(self.read)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method: str, timeout: float = 60, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + timeout
        while True:
            while b"\0" in self.buffer:
                line, self.buffer = self.buffer.split(b"\0", 1)
                answer = json.loads(line)
                if answer.get("id") == self.number:
                    if "error" in answer:
                        raise RuntimeError(f"{method}: {answer['error']}")
                    return answer["result"]
                self._event(answer.get("method"), answer.get("params", {}))
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.read], [], [], left)[0]:
                raise TimeoutError(method)
            chunk = os.read(self.read, 1 << 20)
            if not chunk:
                raise RuntimeError("chromium has ended")
            self.buffer += chunk

    def _event(self, method: str | None, p: dict) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = p["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
        elif method == "Log.entryAdded" and p["entry"]["level"] == "error":
            self.errors.append(p["entry"]["text"])

    def js(self, expression: str):
        """Value of an expression (promises awaited)."""
        out = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in out:
            raise RuntimeError(out["exceptionDetails"].get("exception", {}).get("description", out))
        return out["result"].get("value")

    def enter(self, selector: str, value, event: str = "change") -> None:
        """Give a form element a value, as a user does."""
        self.js(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)};"
            f"e.dispatchEvent(new Event('{event}')); }})()"
        )

    def tick(self, text: str) -> None:
        """Click the check box whose label starts with ``text``."""
        self.js(
            f"[...document.querySelectorAll('label')].find(l => l.textContent.startsWith({json.dumps(text)}))"
            ".querySelector('input').click()"
        )

    def wait(self, expression: str, timeout: float = 60) -> None:
        end = time.monotonic() + timeout
        while not self.js(f"!!({expression})"):
            if time.monotonic() > end:
                raise TimeoutError(f"{expression}; errors: {self.errors}")
            time.sleep(0.05)

    def wait_until_idle(self) -> None:
        """Two frames, so that what was requested is on the screen."""
        self.js("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")

    def screenshot(self, path=None, selector: str | None = None) -> np.ndarray:
        """RGB pixels (h, w, 3) in 0..1 of the page or of one element; also written to ``path`` when given."""
        from matplotlib import image

        self.wait_until_idle()
        params = {}
        if selector:
            box = self.js(
                f"(() => {{const r = document.querySelector('{selector}').getBoundingClientRect();"
                "return {x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height, scale: 1}; })()"
            )
            params = {"clip": box, "captureBeyondViewport": True}
        raw = base64.b64decode(self.call("Page.captureScreenshot", format="png", **params)["data"])
        if path:
            Path(path).write_bytes(raw)
        return image.imread(io.BytesIO(raw), format="png")[:, :, :3]
