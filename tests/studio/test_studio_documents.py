"""In the browser: the address of a tab, a restart of the server, and the questions before something is lost."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from _open import soon, studio, until, window  # noqa: E402

pytestmark = pytest.mark.slow


def fill(page, **values):
    for name, value in values.items():
        field = page.locator(f"#a-{name}")
        field.select_option(value) if field.evaluate("e => e.tagName") == "SELECT" else field.fill(value)
    page.locator("#dialog-ok").click()
    until(page, "!document.querySelector('dialog[open]')")


def ball(page, name):
    page.evaluate(
        "(name) => studio.edit({do: 'create', method: 'part_sphere', arguments: {name, at: [0, 0, 0], radius: 0.1, "
        "density: 1000}})",
        name,
    )
    soon(page, f"[...studio.tree.items.values()].some((r) => r[2] === '{name}')")


def test_questions_before_something_is_lost(chromium, tmp_path):
    with studio(tmp_path) as address:
        page = window(chromium, address)
        assert page.url == address.split("?")[0] and not page.context.cookies()
        token = address.split("token=")[1]
        assert page.evaluate("sessionStorage.getItem('holonom-token')") == token
        assert not page.evaluate("JSON.stringify({...localStorage})").count(token)
        ball(page, "first")
        page.locator("#menu-file").click()
        page.get_by_role("menuitem", name="New model ...").click()
        fill(page, name="second", units="mm", gravity="9.8", up="+y")
        until(page, "studio.model.name === 'second'")
        assert page.evaluate("studio.model.gravity") == [0, -9800, 0]
        page.locator("#menu-file").click()
        page.get_by_role("menuitem", name="Recovered models ...").click()
        page.get_by_role("button", name="model, never saved: 1 edit").click()
        soon(page, "[...studio.tree.items.values()].some((r) => r[2] === 'first')")
        page.evaluate("studio.link.ask('save', {file: 'm.json'})")
        file = tmp_path / "m.json"
        soon(page, lambda: file.is_file())
        file.write_text(file.read_text().replace("first", "theirs"))
        ball(page, "mine")
        page.keyboard.press("Control+s")
        page.locator("#foreign-compare").click()
        soon(page, "document.querySelector('.difference').textContent.includes('theirs')")
        page.get_by_role("button", name="Cancel").click()
        assert "mine" not in file.read_text()
        page.keyboard.press("Control+s")
        page.locator("#dialog-ok").click()
        soon(page, lambda: "mine" in file.read_text())
        assert not page.faults


def test_a_tab_connects_again_after_a_restart_and_asks_for_the_address_where_it_cannot(chromium, tmp_path):
    with studio(tmp_path) as address:
        page = window(chromium, address)
        ball(page, "kept")
    until(page, "document.body.dataset.connected === ''")
    assert "Start `holonom studio`" in page.locator("#status-line").inner_text()
    with studio(tmp_path) as again:
        assert again == address
        soon(page, "document.body.dataset.connected === '1' && studio.file.changed")
        soon(page, "[...studio.tree.items.values()].some((r) => r[2] === 'kept')")
        page.evaluate("sessionStorage.setItem('holonom-token', 'x'.repeat(40)); studio.link.socket.close()")
        page.locator("#enter-address").fill("http://127.0.0.1/nothing")
        page.get_by_role("button", name="Connect").click()
        soon(page, "document.querySelector('#enter .fault').textContent.includes('no token')")
        page.locator("#enter-address").fill(address)
        page.get_by_role("button", name="Connect").click()
        soon(page, "document.body.dataset.connected === '1'")


def test_a_second_server_says_that_it_is_read_only(chromium, tmp_path):
    import socket
    import subprocess

    holder = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        (tmp_path / ".holonom").mkdir()
        about = {"id": "another", "pid": holder.pid, "host": socket.gethostname()}
        (tmp_path / ".holonom" / "lock.json").write_text(json.dumps(about))
        with studio(tmp_path) as address:
            page = window(chromium, address)
            soon(page, "document.querySelector('#locked').textContent.includes('Read-only')")
            page.locator("#take-over").click()
            until(page, "!document.querySelector('#locked')")
            assert not page.faults
    finally:
        holder.kill()
        holder.wait()
