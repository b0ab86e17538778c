"""A Studio on a free port in a thread of its own, and a browser to check it with."""

import os
import shutil
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

MODELS = Path(__file__).resolve().parents[2] / "src" / "holonom" / "models"
BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
EXTRA = "the packages of the extra 'studio' are not installed (pip install holonom[studio])"


def example(name: str, folder: Path) -> Path:
    """A shipped model with its script, copied into a folder."""
    for ending in (".adm", ".acf"):
        if (MODELS / f"{name}{ending}").is_file():
            shutil.copy(MODELS / f"{name}{ending}", folder / f"{name}{ending}")
    return folder / f"{name}.adm"


@contextmanager
def studio(folder: Path, file: Path | None = None, **more):
    """The address of a Studio that serves a folder until the end of the block."""
    for name in ("starlette", "uvicorn", "websockets"):
        pytest.importorskip(name, reason=EXTRA)
    from holonom.studio import serve

    found, known, failed = [], threading.Event(), []

    def ready(address, server):
        found.extend([address, server])
        known.set()

    def work():
        try:
            serve(file, folder, browser=False, ready=ready, **more)
        except BaseException as error:
            failed.append(error)
            known.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert known.wait(60) and not failed, failed
    try:
        yield found[0]
    finally:
        found[1].should_exit = True
        thread.join(20)
        assert not thread.is_alive() and not failed, failed


@contextmanager
def browser():
    """Headless Chromium; the test is skipped where there is none."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed (pip install holonom[test])"
    )
    place = os.environ.get("HOLONOM_CHROMIUM") or next((b for b in BROWSERS if os.path.exists(b)), None)
    if place is None:
        pytest.skip("no Chromium is on this machine (apt install chromium, or HOLONOM_CHROMIUM=/path/to/it)")
    with sync_api.sync_playwright() as p:
        chromium = p.chromium.launch(
            executable_path=place,
            args=[
                "--no-sandbox",
                "--use-angle=swiftshader",
                "--enable-unsafe-swiftshader",
                "--disable-gpu-compositing",  # by the processor alone: 1 CPU s less a window
            ],
        )
        try:
            yield chromium
        finally:
            chromium.close()


def window(chromium, address, width=1000, height=640, **more):
    """A page of its own with the Studio ready in it; ``page.faults`` gathers errors of its console."""
    page = chromium.new_page(viewport={"width": width, "height": height}, **more)
    page.faults = []
    page.on(
        "console",
        lambda m: page.faults.append(m.text) if m.type in ("error", "warning") and "GPU stall" not in m.text else None,
    )
    page.on("pageerror", lambda e: page.faults.append(str(e)))
    page.goto(address, wait_until="commit", timeout=600_000)  # a machine with much other work takes its time
    page.wait_for_selector("body[data-ready='1']", timeout=600_000)
    page.evaluate(
        "Object.assign(studio.view.show, {shadows: false, edges: false, symbols: false}); studio.view.refresh()"
    )  # the processor draws
    return page


#: factor on all waits: a limit is there for what never comes, and on a loaded machine a test may have a tenth of a core
PATIENCE = 6.0


def until(page, expression, seconds=60.0):
    """Wait until an expression is true; the page's own policy forbids what Playwright does for that."""
    import time

    end = time.monotonic() + PATIENCE * seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"not true in {seconds} s: {expression}"
        page.wait_for_timeout(30)


def soon(page, read, want=True, seconds=60.0):
    """Wait until what ``read`` gives, an expression of the page or a function, equals ``want``, or is true; then return
    it.

    Pages draw and save after what a test does to them: a test that looks once, at once, is a test of the load of the
    machine."""
    import time

    end = time.monotonic() + PATIENCE * seconds
    while True:
        try:
            found = page.evaluate(read) if isinstance(read, str) else read()
        except (
            Exception
        ) as problem:  # a file that is not there yet, or half of it; something of the page that is not made yet
            found = problem
        if not isinstance(found, Exception) and (bool(found) if want is True else found == want):
            return found
        assert time.monotonic() < end, (
            f"after {seconds} s {read if isinstance(read, str) else 'it'} is {found!r}, not {want!r}"
        )
        page.wait_for_timeout(30)
