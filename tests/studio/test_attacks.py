"""What a hostile page, project or model may try: requests of nonsense, links that lead out, messages that are none,
processes that are killed."""

import asyncio
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holonom.model import ModelError
from holonom.studio import Session
from holonom.studio.project import Project
from holonom.studio.session import MAX_WAITING, Window

sys.path.insert(0, str(Path(__file__).parent))
from _open import EXTRA, MODELS, example, studio  # noqa: E402

pytest.importorskip("starlette", reason=EXTRA)
pytest.importorskip("websockets.sync.client", reason=EXTRA)
from test_server import Window as Talker  # noqa: E402
from test_server import command, get, parent  # noqa: E402

MARKUP = "<img src=x onerror=alert(1)>"
EVIL = (
    None,
    True,
    -1,
    10**30,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x" * 5000,
    "../x",
    "/etc/passwd",
    "a\0b",
    MARKUP,
    "__class__",
    [],
    [[]],
    {},
    {"a": []},
    json.loads("[" * 400 + "]" * 400),
)
FIELDS = {
    "kind", "id", "field", "value", "command", "folder", "file", "example", "name", "units", "settings", "over",
    "pages", "key", "point", "at", "run", "time",
    "fps", "speed", "size", "eye", "pace", "study", "values", "accept",
}  # fmt: skip


def quiet(session):
    """No processes: requests alone are checked."""

    async def nothing(*given):
        return None

    session.check = session.solver.send = session.checker.send = session.picture = nothing
    return session


def test_no_request_of_nonsense_ends_a_window_or_changes_the_model(tmp_path):
    """Each request with each hostile value in each of its fields, and commands of edits likewise: an answer of one
    sentence, no failure of ours."""
    file = example("double_pendulum", tmp_path)

    async def work():
        session, window = quiet(Session(tmp_path, file)), Window()
        session.windows.add(window)
        names = [
            n.removeprefix("_on_") for n in dir(session) if n.startswith("_on_") and n not in ("_on_run", "_on_kill")
        ]
        asked, one = 0, [v for v in EVIL if v in (None, 10**30, "../x", "a\0b") or v == [] or v != v]
        requests = [{"do": do, **dict.fromkeys(FIELDS, value)} for do in names for value in EVIL]
        requests += [{"do": do, field: value} for do in names for value in one for field in sorted(FIELDS)]
        edits = [
            {
                "do": "edit",
                "command": {
                    "do": do,
                    "kind": kind,
                    "id": 2,
                    "field": "mass",
                    "method": "part",
                    "arguments": {"name": v, "mass": v},
                    "values": {"mass": v},
                    **dict.fromkeys(("items", "value", "name", "by", "at", "normal", "group", "turn"), v),
                },
            }
            for do, kind, v in itertools.product(
                ("set", "fields", "rename", "create", "model", "settings", "move", "duplicate", "mirror"),
                ("PART", 7),
                EVIL,
            )
        ]
        for n, request in enumerate(requests + edits):
            await session.answer(window, {"n": n, **request})
            replies = [json.loads(m) for m in window.messages]
            window.messages.clear()
            assert [m for m in replies if m.get("re") == n], request
            assert not [m for m in replies if "the Studio failed" in str(m.get("error"))], (request, replies)
            asked += 1
            if request["do"] == "edit":  # what was taken is a model still, and a step that can be undone
                session.document.model.to_json().encode("utf-8")
                while session.document.undo():
                    pass
        assert asked > 3000
        for task in list(session._tasks):
            task.cancel()
        before = {p for p in tmp_path.rglob("*") if ".holonom" not in p.parts}
        assert all(p.suffix in (".adm", ".acf") for p in before), before

    asyncio.run(work())


def test_a_window_that_does_not_read_is_given_up_and_a_number_of_nonsense_is_answered(tmp_path):
    async def work():
        session, window = quiet(Session(tmp_path)), Window()
        session.windows.add(window)
        await session.answer(window, {"n": float("nan"), "do": "files"})
        await session.answer(window, {"n": [1], "do": "nothing"})
        assert [json.loads(m)["re"] for m in window.messages] == [None, None]
        for k in range(MAX_WAITING + 5):
            session.say(f"line {k}")
        assert window.lost and not window.messages
        assert len(session.console) <= 2000

    asyncio.run(work())


def test_links_of_a_project_lead_nowhere(tmp_path):
    """A project from elsewhere may hold links: out of it nothing is read or written, also not through the Studio's own
    folder or the name of an example."""
    outer, project = tmp_path / "outer", tmp_path / "project"
    outer.mkdir()
    project.mkdir()
    (project / ".holonom").symlink_to(outer)
    with pytest.raises(ModelError, match="outside of the project's folder"):
        Session(project)
    (project / ".holonom").unlink()
    (project / ".holonom").mkdir()
    file = example("double_pendulum", project)
    file.with_suffix(".acf").unlink(missing_ok=True)
    file.with_suffix(".acf").symlink_to("/dev/zero")  # without an end
    (project / ".holonom" / Project(project).key(file.resolve())).symlink_to("/dev/zero")
    (project / ".holonom" / "double_pendulum.adm.pages.json").symlink_to("/dev/zero")
    (project / "crane.adm").symlink_to(outer / "not yet.adm")

    async def work():
        session, window = quiet(Session(project, file)), Window()
        said = " ".join(m["text"] for m in session.console)
        assert "unsaved edits were not recovered" in said and "pages of plots that were kept cannot be read" in said
        session._on_edit({"command": {"do": "model", "field": "title", "value": "x"}})
        session._later.cancel()
        session._keeping.cancel()
        session.keep()
        assert "could not be kept" in session.console[-1]["text"]
        for request in (
            {"do": "open", "example": "crane"},
            {"do": "save", "file": "crane.adm", "over": True},
            {"do": "pages", "pages": [{"name": "a", "plots": []}]},
        ):
            await session.answer(window, {"n": 1, **request})
            assert "outside of the project's folder" in json.loads(window.messages[-1])["error"]

    asyncio.run(work())
    assert not list(outer.iterdir())


def test_messages_that_are_none_and_requests_from_elsewhere(tmp_path):
    """Binary, oversize and half characters over a real socket; a second window continues; origins, hosts and paths of
    all spellings."""
    import websockets

    with studio(tmp_path, example("double_pendulum", tmp_path)) as address:
        a, b = Talker(address), Talker(address)
        for message, words in (
            (b"\x00\x01", "not valid JSON"),
            ('{"n": 1, "do": "edit", "command": {"do": "model", "field": "title", "value": "\\ud800"}}', "Unicode"),
            ('{"n": NaN, "do": "files"}', None),
        ):
            a.socket.send(message)
            answer = a.until(lambda m: "re" in m or "error" in m)
            assert (words is None and answer["re"] is None) or words in answer["error"], answer
        with pytest.raises((websockets.ConnectionClosed, ConnectionError)):
            a.socket.send("x" * (17 * 2**20))
            while True:
                a.socket.recv(timeout=20)
        assert b.ask("files", folder=".")["files"]
        place, netloc, head = address.split("/?")[0], b.parts.netloc, b.head
        port = netloc.rsplit(":", 1)[1]
        for path in (
            "/web/%2e%2e%2fserver.py",
            "/web/..%252fserver.py",
            "/web//etc/passwd",
            "/web/%2fetc%2fpasswd",
            "/web/....//server.py",
            "/plots/../report.py",
            "/plots/..%5creport.py",
            "//etc/passwd",
            "/web/.%00./server.py",
        ):
            status, _, body = get(place + path, head)
            assert status in (307, 400, 403, 404) and b"import" not in body and b"root:" not in body, path
        for host in (
            "127.0.0.1",
            f"evil.example:{port}",
            f"127.0.0.1.evil.example:{port}",
            "127.0.0.1:1",
            "",
            f"localhost.:{port}",
        ):
            assert get(place + "/", head, host=host or "x")[0] == 403, host
        assert get(f"http://localhost:{port}/", head)[0] == 200  # our own name
        for origin in (
            "null",
            "http://evil.example",
            f"http://evil.example:{port}",
            f"http://localhost:{port}",
            f"http://{netloc}.evil.example",
            None,
        ):
            with pytest.raises(Exception, match="403|4403|reject"):
                websockets.sync.client.connect(
                    f"ws://{netloc}/talk", origin=origin, additional_headers=head
                ).__enter__()


@pytest.mark.slow
def test_a_killed_check_is_said_and_the_next_edit_checks_again(tmp_path):
    with studio(tmp_path, example("double_pendulum", tmp_path)) as address:
        w = Talker(address)
        w.until(lambda m: m.get("event") == "state" and m["state"].get("degrees_of_freedom") is not None, 120)
        pid = next(
            int(p.name)
            for p in Path("/proc").glob("[0-9]*")
            if parent(p) == os.getpid() and b"holonom.studio.solver" in command(p)
        )
        os.kill(pid, signal.SIGSTOP)  # in the middle of a check
        w.ask("edit", command={"do": "model", "field": "title", "value": "a"})
        time.sleep(1.0)
        os.kill(pid, signal.SIGKILL)
        state = w.until(
            lambda m: (
                m.get("event") == "state"
                and any("the check of the model ended" in t for t in m["state"].get("faults", ()))
            )
        )
        assert state
        w.ask("edit", command={"do": "model", "field": "title", "value": "b"})
        w.until(lambda m: m.get("event") == "state" and m["state"].get("degrees_of_freedom") is not None, 120)


@pytest.mark.slow
def test_a_closed_tab_and_a_server_that_is_killed_lose_nothing(tmp_path):
    """The run continues without a window, and another one finds it; after SIGKILL of the server what was edited is
    there again."""
    file = example("double_pendulum", tmp_path)

    def start():
        process = subprocess.Popen(
            [sys.executable, "-m", "holonom", "studio", str(file), "--no-browser"],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(MODELS.parents[1])},
        )
        return process, process.stdout.readline().split(": ", 1)[1].strip()

    server, address = start()
    try:
        w = Talker(address)
        part = next(r for r in w.hello["outline"] if r[0] == "PART" and r[2] != "ground")[1]
        w.ask("edit", command={"do": "set", "kind": "PART", "id": part, "field": "mass", "value": "3.25"})
        w.ask("run", settings={"kind": "dynamics", "end": 1000.0, "steps": 500_000})
        w.until(lambda m: m.get("event") == "run" and m["state"] == "started", 120)
        w.socket.close()
        again = Talker(address)
        assert again.hello["running"]["number"] == 1
        while again.poses < 3:
            again.receive()
        end = time.monotonic() + 20
        while not list((tmp_path / ".holonom").glob("*.unsaved.json")):
            assert time.monotonic() < end
            time.sleep(0.1)
    finally:
        server.kill()
        server.wait()
    server, address = start()
    try:
        w = Talker(address)
        assert w.hello["changed"] and any("recovered" in m["text"] for m in w.hello["console"])
        mass = next(r for r in w.ask("element", kind="PART", id=part)["element"]["rows"] if r["name"] == "mass")[
            "value"
        ]
        assert mass == 3.25
        w.ask("undo")
        assert not w.ask("hello")["changed"]
        runs = w.ask("runs")["runs"]
        assert [r["number"] for r in runs] == [1] and "error" not in w.ask(
            "fetch", run=1
        )  # the rows so far can be opened
    finally:
        server.terminate()
        server.wait(20)
