"""Who gets in, what files may be named, two windows at once, and what is left of a run whose solver is killed."""

import http.client
import json
import os
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from holonom.model import ModelError

sys.path.insert(0, str(Path(__file__).parent))
from _open import EXTRA, PATIENCE, example, studio  # noqa: E402

pytest.importorskip("starlette", reason=EXTRA)
client = pytest.importorskip("websockets.sync.client", reason=EXTRA)
ConnectionClosed = pytest.importorskip("websockets").ConnectionClosed


class Window:
    """A window without a browser: requests and events over the websocket."""

    def __init__(self, address: str) -> None:
        self.parts = urlsplit(address)
        self.head = {"Authorization": f"Bearer {address.split('token=')[1]}"}
        self.socket = client.connect(
            f"ws://{self.parts.netloc}/talk",
            origin=f"http://{self.parts.netloc}",
            max_size=None,
        ).__enter__()
        self.socket.send(json.dumps({"do": "enter", "token": address.split("token=")[1]}))
        self.events, self.read, self.poses, self.n = [], 0, 0, 0
        self.hello = self.until(lambda e: e.get("event") == "hello")

    def receive(self, seconds=60.0):
        message = self.socket.recv(timeout=PATIENCE * seconds)
        if isinstance(message, bytes):
            self.poses += 1
            return {}
        return json.loads(message)

    def until(self, test, seconds=60.0):
        """The next message that fits, of those that were reported in the meantime too."""
        end = time.monotonic() + PATIENCE * seconds
        while True:
            while self.read < len(self.events):
                self.read += 1
                if test(self.events[self.read - 1]):
                    return self.events[self.read - 1]
            self.events.append(self.receive(max(0.1, end - time.monotonic())))

    def ask(self, what, **given):
        self.n += 1
        self.socket.send(json.dumps({"n": self.n, "do": what, **given}))
        while True:
            message = self.receive()
            if message.get("re") == self.n:
                return message
            self.events.append(message)

    def block(self, path):
        return get(f"http://{self.parts.netloc}{path}", self.head)


def get(address, heads=None, host=None):
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30 * PATIENCE)
    connection.putrequest("GET", parts.path + (f"?{parts.query}" if parts.query else ""), skip_host=True)
    for name, value in {"Host": host or parts.netloc, **(heads or {})}.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    connection.close()
    return found


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    outer = tmp_path_factory.mktemp("outer")
    folder = outer / "project"
    folder.mkdir()
    (outer / "secret.adm").write_text("secret")
    (folder / "link.adm").symlink_to(outer / "secret.adm")
    example("double_pendulum", folder)
    with studio(folder, folder / "double_pendulum.adm") as address:
        yield address, folder


def refused(netloc, first, **more):
    """Whether a websocket with this first message is closed with nothing told."""
    with client.connect(f"ws://{netloc}/talk", origin=f"http://{netloc}", **more) as socket:
        if first is not None:
            socket.send(first)
        try:
            return not socket.recv(timeout=30 * PATIENCE)
        except ConnectionClosed as end:
            return end.rcvd is not None and end.rcvd.code == 4403


def test_only_who_has_the_token_gets_in(opened):
    address, _ = opened
    place, token = address.split("/?token=")
    netloc = urlsplit(address).netloc
    other = token[:-1] + ("y" if token.endswith("x") else "x")
    status, heads, page = get(address)  # what is public holds no token, and nothing puts it into a cookie
    assert status == 200 and b"<script" in page and token.encode() not in page and "set-cookie" not in heads
    assert "script-src 'self'" in heads["content-security-policy"] and get(place + "/web/app.js")[0] == 200
    for path in ("/scene", "/motion/1", "/curves/1?q=0.0", "/csv/1?q=0.0", "/reactions/1", "/shown/1", "/nothing"):
        for wrong in ({}, {"Authorization": f"Bearer {other}"}, {"Authorization": token}, {"Cookie": token}):
            assert get(place + path, wrong)[0] == 403, path
    assert get(f"{place}/scene?token={token}")[0] == 403  # not in an address, which others keep
    known = {"Authorization": f"Bearer {token}"}
    assert get(place + "/scene", known)[0] == 200
    assert get(place + "/", known, host="evil.example:80")[0] == 403  # a page that has given our address its own name
    for path in ("/web/../server.py", "/web/%2e%2e/server.py", "/web/..%2fserver.py"):
        assert get(place + path, known)[0] in (403, 404)
    wrong = ("x", "[]", "{}", json.dumps({"do": "enter"}), json.dumps({"do": "enter", "token": other}))
    for first in (*wrong, json.dumps({"do": "enter", "token": "\ud800"}), json.dumps({"do": "hello", "n": 1})):
        assert refused(netloc, first), first
    port = netloc.rsplit(":", 1)[1]
    for heads in (known, {"Cookie": f"a=b; holonom-studio-{port}={token}"}):  # clients that are not browsers
        with client.connect(f"ws://{netloc}/talk", origin=f"http://{netloc}", additional_headers=heads) as socket:
            assert json.loads(socket.recv(timeout=30 * PATIENCE))["event"] == "hello"
    assert refused(netloc, "{}", additional_headers={"Cookie": f"holonom-studio-{port}={token[:-1]}"})


def test_the_whole_origin_is_compared(opened):
    address, _ = opened
    netloc, token = urlsplit(address).netloc, address.split("token=")[1]
    for origin in (
        "http://evil.example",
        f"https://{netloc}",
        f"file://{netloc}",
        f"evil://{netloc}",
        f"http://evil.example://{netloc}",
        f"http://{netloc}/",
        f"http://x@{netloc}",
        f"HTTP://{netloc}",
        netloc,
        "",
        None,
    ):
        with pytest.raises(Exception, match="403|4403|reject"):
            client.connect(
                f"ws://{netloc}/talk", origin=origin, additional_headers={"Authorization": f"Bearer {token}"}
            )


def test_a_project_keeps_its_address_for_a_restart(tmp_path):
    from holonom.studio import server
    from holonom.studio.project import state_folder

    with studio(tmp_path) as first:
        file = state_folder(tmp_path.resolve()) / "address.json"
        assert file.stat().st_mode & 0o077 == 0 and not list(tmp_path.rglob("address*"))
    with studio(tmp_path) as again:
        assert again == first
        w = Window(again)
        assert w.hello["event"] == "hello"
        with studio(tmp_path) as second:  # while the first one is alive
            assert urlsplit(second).port != urlsplit(first).port and second.split("=")[1] != first.split("=")[1]
    with studio(tmp_path, port=0) as other:
        old = time.time() - server.KEPT - 10
        os.utime(file, (old, old))
    with studio(tmp_path) as later:
        assert later.split("=")[1] != other.split("=")[1]  # not for ever


def test_ctrl_c_ends_the_studio_with_a_sentence(tmp_path, capsys):
    import signal

    from holonom.studio.server import serve

    serve(folder=tmp_path, browser=False, ready=lambda address, server: server.handle_exit(signal.SIGINT, None))
    assert "Studio ended; unsaved edits are kept" in capsys.readouterr().out


def test_files_outside_of_the_project_are_not_touched(opened):
    address, folder = opened
    w = Window(address)
    for name in ("../secret.adm", "/etc/passwd", "link.adm", "a/../../secret.adm", "", "x\0.adm", 3, None):
        assert "error" in w.ask("open", file=name), name
    for name in ("../new.adm", "/tmp/new.json", "link.adm"):
        assert "outside" in w.ask("save", file=name)["error"]
        assert "error" in w.ask("script", file=name)
    assert "ends in .py" in w.ask("script", file="x.adm", settings={"kind": "initial"})["error"]
    assert (folder.parent / "secret.adm").read_text() == "secret"
    assert [f[0] for f in w.ask("files", folder=".")["files"]] == ["double_pendulum.adm", "link.adm"]
    assert "error" in w.ask("files", folder="..")


def test_nonsense_is_answered(opened):
    w = Window(opened[0])
    for message in (
        "[]",
        "3",
        "{",
        '{"do": "__class__", "n": 1}',
        '{"do": "close", "n": 2}',
        '{"n": 3, "do": "edit"}',
        '{"n": 4, "do": "edit", "command": 5}',
        '{"n": 5, "do": "run", "settings": {"end": "inf", "steps": 1}}',
        '{"n": 6, "do": "peaks", "run": [1]}',
        "[" * 5000,
    ):
        w.socket.send(message)
        assert "error" in w.until(lambda m: "re" in m or "error" in m), message
    for settings, words in (
        ({"end": 1, "steps": 1.5}, "whole number"),
        ({"end": 0, "steps": 1}, "positive"),
        ({"end": 1, "steps": 10**9}, "whole number"),
        ({"end": 1, "steps": 1, "integrator": "x"}, "unknown integrator"),
        ({"kind": "magic"}, "unknown analysis"),
    ):
        assert words in w.ask("run", settings=settings)["error"]
    assert w.block("/curves/9?q=0.0")[0] == 400 and w.block("/curves/1?q=a")[0] == 400
    assert w.ask("hello")["event"] == "hello"


def test_two_windows_see_one_model(opened):
    a, b = Window(opened[0]), Window(opened[0])
    part = next(r for r in a.hello["outline"] if r[0] == "PART" and r[2] != "ground")
    start = a.hello["version"]
    a.ask("edit", command={"do": "rename", "kind": "PART", "id": part[1], "name": "<img src=x onerror=alert(1)>"})
    told = b.until(lambda m: m.get("event") == "changed")
    assert (
        told["rows"] == [["PART", part[1], "<img src=x onerror=alert(1)>", True]]
        and told["version"] == start + 1
        and told["changed"]
    )
    b.ask("edit", command={"do": "set", "kind": "PART", "id": part[1], "field": "mass", "value": "3.5"})
    a.until(lambda m: m.get("event") == "changed" and m["version"] == start + 2)
    assert (
        next(r for r in a.ask("element", kind="PART", id=part[1])["element"]["rows"] if r["name"] == "mass")["value"]
        == 3.5
    )
    for _ in range(2):
        a.ask("undo")
    assert b.until(lambda m: m.get("event") == "changed" and m["version"] == start + 4)["changed"] is False
    assert a.until(lambda m: m.get("event") == "state")["state"]["faults"] == []


@pytest.mark.slow
def test_run_paused_stepped_stopped_and_a_killed_solver(opened):
    address, folder = opened
    w = Window(address)
    w.ask("run", settings={"kind": "dynamics", "end": 1000.0, "steps": 500_000})
    w.until(lambda m: m.get("event") == "run" and m["state"] == "started")
    while w.poses < 3:  # the first is the beginning
        w.receive()
    w.ask("pause")
    w.ask("step")
    w.ask("stop")
    ended = w.until(lambda m: m.get("event") == "run" and m["state"] == "ended")
    assert "stopped by the user" in ended["stopped"] and ended["results"]["rows"] > 1 and not ended["problem"]
    assert (folder / ".holonom" / "runs" / f"{ended['number']:04d}" / "run.h5").is_file()
    w.ask("run", settings={"kind": "dynamics", "end": 1000.0, "steps": 500_000})
    w.until(lambda m: m.get("event") == "run" and m["state"] == "started")
    w.poses = 0
    while not w.poses:
        w.receive()
    assert "a run is in progress" in w.ask("run", settings={"end": 1, "steps": 1})["error"]
    pids = [
        int(p.name)
        for p in Path("/proc").glob("[0-9]*")
        if parent(p) == os.getpid() and b"holonom.studio.solver" in command(p)
    ]
    assert pids
    w.ask("kill")
    ended = w.until(lambda m: m.get("event") == "run" and m["state"] == "ended")
    assert "process has ended" in ended["problem"]
    assert w.ask("run", settings={"kind": "initial"})["number"]
    again = w.until(lambda m: m.get("event") == "run" and m["state"] == "ended")
    assert not again["problem"] and again["results"]["rows"] == 1
    peaks = w.ask("peaks", run=again["number"])["peaks"]["rows"]
    assert {r["kind"] for r in peaks} >= {"JOINT"}


def parent(p):
    try:
        return int((p / "stat").read_text().rsplit(")", 1)[1].split()[1])
    except (OSError, IndexError):
        return 0


def command(p):
    try:
        return (p / "cmdline").read_bytes()
    except OSError:
        return b""


def test_what_is_not_saved_comes_back(tmp_path):
    """Also after an end without warning: what is kept is on disk a moment after each edit."""
    import asyncio

    from holonom.studio import Session

    file = example("double_pendulum", tmp_path)

    async def first():
        session = Session(tmp_path, file)
        part = next(n for n, p in session.document.model.parts.items() if not p.ground)
        session._on_edit({"command": {"do": "set", "kind": "PART", "id": part, "field": "mass", "value": "3.25"}})
        session.keep()
        session._later.cancel()
        return part

    async def second(part):
        session = Session(tmp_path, file)
        assert session.document.changed and any("recovered" in m["text"] for m in session.console)
        assert session.document.model.parts[part].mass == 3.25
        session._on_undo({})
        assert not session.document.changed
        await session.close()

    async def third():
        session = Session(tmp_path, file)
        session._on_edit({"command": {"do": "model", "field": "title", "value": "other"}})
        session.keep()
        session._later.cancel()
        file.write_text(file.read_text() + "!\n")
        again = Session(tmp_path, file)
        assert again.document.changed and "changed or removed by another program" in again.console[-1]["text"]

    part = asyncio.run(first())
    assert list((tmp_path / ".holonom").glob("*.unsaved.json"))
    asyncio.run(second(part))
    assert not list((tmp_path / ".holonom").glob("*.unsaved.json"))
    asyncio.run(third())
    assert len(list((tmp_path / ".holonom").glob("*.unsaved.json"))) == 1


def test_a_model_of_nonsense_is_told_and_can_be_mended(opened):
    address, folder = opened
    (folder / "bad.adm").write_text(
        "title\nUNITS/FORCE=NEWTON,MASS=KILOGRAM,LENGTH=METER,TIME=SECOND\nPART/1,GROUND\nPART/2,MASS=1,CM=9,IP=1,1,1\nJOINT/1,REVOLUTE,I=7,J=8\nEND\n"
    )
    w = Window(address)
    w.ask("open", file="bad.adm")
    hello = w.ask("hello")
    assert hello["file"] == "bad.adm" and any("JOINT/1" in m["text"] for m in hello["console"] if m["kind"] == "error")
    w.ask("open", file="double_pendulum.adm")
    units = {"force": "NEWTON", "mass": "KILOGRAM", "length": "METER", "time": "SECOND"}
    rows = {"PART": [{"id": 1, "name": "ground", "ground": True},
        {"id": 2, "name": "b", "mass": 1.0, "cm": 9, "ip": [1, 1, 1]}],
            "JOINT": [{"id": 1, "name": "j", "i": 7, "j": 8}]}  # fmt: skip
    data = {"format": "holonom-model-1", "name": "bad", "units": units, "gravity": [0, 0, 0], "elements": rows}
    (folder / "bad.json").write_text(json.dumps(data))
    assert "error" not in w.ask("open", file="bad.json")
    state = w.until(lambda m: m.get("event") == "state" and any("JOINT/1" in t for t in m["state"]["faults"]))["state"]
    assert len(state["faults"]) == 3 and w.block("/scene")[0] == 200
    w.ask("edit", command={"do": "remove", "kind": "JOINT", "id": 1})
    assert (
        len(
            w.until(lambda m: m.get("event") == "state" and not any("JOINT/1" in t for t in m["state"]["faults"]))[
                "state"
            ]["faults"]
        )
        == 1
    )
    assert "error" not in w.ask("run", settings={"end": 1, "steps": 10})
    assert "MARKER/9" in w.until(lambda m: m.get("event") == "run" and m["state"] == "ended")["problem"]
    assert "error" in w.ask("open", file="nothing.adm") and w.ask("hello")["file"] == "bad.json"


def test_what_cannot_be_served_is_a_sentence(tmp_path):
    from holonom.studio import serve

    with pytest.raises(ModelError, match="no such file"):
        serve(tmp_path / "none.adm", browser=False)
    with pytest.raises(ModelError, match="outside of the project's folder"):
        serve(example("double_pendulum", tmp_path), Path("/usr"), browser=False)
    with pytest.raises(ModelError, match="cannot listen"):
        serve(folder=tmp_path, host="203.0.113.1", browser=False)


def test_a_hand_without_an_interactive_run_is_refused(opened):
    w = Window(opened[0])
    part = next(r for r in w.hello["outline"] if r[0] == "PART" and r[2] != "ground")[1]
    for what, given in (
        ("grab", {"kind": "PART", "id": part, "point": [0, 0, 0], "at": [0, 0, 0]}),
        ("release", {}),
        ("drag", {"at": [0, 0, 0]}),
    ):
        assert "no interactive run" in w.ask(what, **given)["error"]
    assert (
        "no parameter" in w.ask("parameter", key="../x", value=1)["error"]
        and "no input" in w.ask("input", id=1, value=1)["error"]
    )
    assert "number" in w.ask("input", id=1, value=None)["error"]
    ground = next(r for r in w.hello["outline"] if r[0] == "PART" and r[2] == "ground")[1]
    assert "does not move" in w.ask("grab", kind="PART", id=ground, point=[0, 0, 0], at=[0, 0, 0])["error"]
