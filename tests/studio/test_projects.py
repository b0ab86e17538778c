"""No edit is lost: unsaved models by document, a file that others have changed, two servers of one project, folders
that cannot be written, disks that are full."""

import asyncio
import errno
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holonom.model import ModelError
from holonom.studio import Session, session_unsaved
from holonom.studio import session as sessions
from holonom.studio.project import Project, state_folder, write_whole
from holonom.studio.session import Window, times_of

BALL = {"do": "create", "method": "part_sphere"}


def quiet(session):
    """Without processes: requests alone are tested."""

    async def nothing(*given):
        return None

    session.checker.send = session.solver.send = session.checker.close = session.solver.close = nothing
    return session


class Client:
    """Requests to a session as a window makes them."""

    def __init__(self, folder, file=None):
        self.session, self.window = quiet(Session(folder, file)), Window()
        self.session.windows.add(self.window)

    async def ask(self, do, **given):
        await self.session.answer(self.window, {"n": 1, "do": do, **given})
        answer = next(m for m in map(json.loads, self.window.messages) if m.get("re") == 1)
        self.window.messages.clear()
        return answer

    async def ball(self, name, x=0.0):
        arguments = {"name": name, "at": [x, 0, 0], "radius": 0.1, "density": 1000}
        return await self.ask("edit", command={**BALL, "arguments": arguments})

    def parts(self):
        return [p.name for p in self.session.document.model.parts.values() if not p.ground]

    def said(self):
        return " ".join(m["text"] for m in self.session.console)

    async def end(self):
        """As a killed process would, without the last check at what is unsaved."""
        for task in list(self.session._tasks):
            task.cancel()
        self.session.project.release()


def run(work):
    return asyncio.run(work)


def test_new_and_open_keep_each_unsaved_model_in_a_file_of_its_own(tmp_path):
    async def work():
        c = Client(tmp_path)
        for name in ("first", "second", "third"):
            await c.ball(name)
            assert "error" not in await c.ask("new", name=f"after {name}")
            assert "is not saved; it is in the list of recovered models" in c.said()
        assert c.parts() == []
        rows = (await c.ask("unsaved"))["unsaved"]
        assert sorted(r["name"] for r in rows) == ["after first", "after second", "model"]
        assert all(r["file"] == "" and r["steps"] == 1 and not r["elsewhere"] for r in rows)
        await c.ball("fourth")
        key = next(r["key"] for r in rows if r["name"] == "model")
        assert "error" not in await c.ask("recover", key=key) and c.parts() == ["first"]
        assert {r["name"] for r in (await c.ask("unsaved"))["unsaved"]} == {
            "after first",
            "after second",
            "after third",
        }
        await c.ask("save", file="first.json")
        assert key not in [r["key"] for r in c.session.project.unsaved()]
        other = next(r["key"] for r in (await c.ask("unsaved"))["unsaved"])
        await c.ask("discard", key=other)
        assert len((await c.ask("unsaved"))["unsaved"]) == 2
        assert "there is no unsaved model" in (await c.ask("recover", key="../x"))["error"]
        await c.end()

    run(work())


def test_unsaved_edits_belong_to_the_path_of_their_file(tmp_path):
    (tmp_path / "p" / "a").mkdir(parents=True)
    (tmp_path / "p" / "b").mkdir()

    async def work():
        c = Client(tmp_path / "p")
        await c.ball("one")
        await c.ask("save", file="a/m.json")
        await c.ball("two", 1)
        await c.ask("save", file="b/m.json")
        await c.ask("open", file="a/m.json")
        await c.ball("only in a", 2)
        await c.ask("open", file="b/m.json")
        assert c.parts() == ["one", "two"]
        await c.ask("open", file="a/m.json")
        assert c.parts() == ["one", "only in a"] and c.session.document.changed
        c.session.keep()
        shutil.copytree(tmp_path / "p", tmp_path / "copy")
        d = Client(tmp_path / "copy", tmp_path / "copy" / "a" / "m.json")
        assert d.parts() == ["one"]  # edits of the first folder are listed, not applied
        (row,) = (await d.ask("unsaved"))["unsaved"]
        assert row["elsewhere"] and str(tmp_path) not in json.dumps(row)
        assert "error" not in await d.ask("recover", key=row["key"]) and d.parts() == ["one", "only in a"]
        assert d.session.document.base is None  # saved under a name of its own
        await d.end()
        await c.end()

    run(work())


def test_a_copied_folder_neither_applies_unsaved_edits_nor_is_locked(tmp_path):
    async def work():
        c = Client(tmp_path / "p")
        await c.ball("never saved")
        c.session.keep()
        lock = tmp_path / "p" / ".holonom" / "lock.json"
        lock.write_text(json.dumps({**json.loads(lock.read_text()), "id": "other", "pid": os.getppid()}))
        shutil.copytree(tmp_path / "p", tmp_path / "copy")
        d = Client(tmp_path / "copy")
        assert d.parts() == [] and d.session.project.holder is None
        (row,) = (await d.ask("unsaved"))["unsaved"]
        assert row["elsewhere"] and row["file"] == ""
        assert "error" not in await d.ask("recover", key=row["key"]) and d.parts() == ["never saved"]
        d.session.keep()
        assert not [r for r in d.session.project.unsaved() if r["elsewhere"]]  # it belongs to this folder now
        await d.end()
        again = Client(tmp_path / "p")
        assert again.session.project.holder["pid"] == os.getppid()
        await again.end()
        await c.end()

    (tmp_path / "p").mkdir()
    run(work())


def test_steady_edits_are_kept_while_they_go_on(tmp_path, monkeypatch):
    monkeypatch.setattr(session_unsaved, "KEEP", 0.03)

    async def work():
        c = Client(tmp_path)
        for n in range(12):  # each sooner than the model is checked after the one before
            await c.ball(f"b{n}", n)
            await asyncio.sleep(0.02)
        await c.end()
        d = Client(tmp_path)
        assert len(d.parts()) >= 6 and "recovered" in d.said()
        await d.end()

    run(work())


def test_save_asks_where_the_file_has_changed_on_disk(tmp_path):
    async def work():
        c = Client(tmp_path)
        await c.ball("one")
        await c.ask("save", file="m.adm")
        file = tmp_path / "m.adm"
        await c.ask("save")  # nothing but our own bytes
        file.write_text(file.read_text().replace("END", "PART/9, MASS=2\nEND"))
        theirs = file.read_text()
        await c.ball("two", 1)
        asked = await c.ask("save")
        assert asked["exists"] == "m.adm" and "changed on disk" in asked["foreign"] and file.read_text() == theirs
        assert (await c.ask("save", file="m.adm"))["foreign"]  # by its name, too
        lines = (await c.ask("compare"))["lines"]
        assert any(line.startswith("-") and "PART/9" in line for line in lines)
        assert any(line.startswith("+") and "two" in line for line in lines)
        assert (await c.ask("save", file="other.adm"))["file"] == "other.adm" and file.read_text() == theirs
        await c.ask("open", file="m.adm")
        assert "error" not in await c.ask("save", over=True)
        await c.end()

    run(work())


def test_edits_survive_a_change_of_their_file_by_others(tmp_path):
    async def work():
        c = Client(tmp_path)
        await c.ball("one")
        await c.ask("save", file="m.json")
        await c.ball("two", 1)
        c.session.keep()
        await c.end()
        file = tmp_path / "m.json"
        file.write_text(file.read_text().replace('"one"', '"uno"'))
        d = Client(tmp_path, file)
        assert d.parts() == ["one", "two"] and "changed or removed by another program" in d.said()
        assert "foreign" in await d.ask("save")
        await d.end()

    run(work())


def test_a_second_server_is_read_only_until_it_takes_over(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        first = Project(tmp_path)
        first.acquire()
        lock = tmp_path / ".holonom" / "lock.json"
        lock.write_text(json.dumps({**json.loads(lock.read_text()), "pid": holder.pid}))  # another living process

        async def work():
            c = Client(tmp_path)
            assert str(holder.pid) in (await c.ask("hello"))["locked"]
            await c.ball("one")
            for what, file in (("save", "m.json"), ("script", "m.py")):
                assert "read-only" in (await c.ask(what, file=file, settings={"kind": "initial"}))["error"]
            assert not list(tmp_path.glob("m.*"))
            c.session.keep()  # in a file of its own
            assert len(list((tmp_path / ".holonom").glob("*.unsaved.json"))) == 1
            assert (await c.ask("run", settings={"kind": "initial"}))["number"] == 1
            assert first.new_run()[0] == 2  # numbers are not used twice
            c.session.running = None
            await c.ask("take_over")
            assert (await c.ask("hello"))["locked"] == "" and (await c.ask("save", file="m.json"))["file"] == "m.json"
            lock.write_text(json.dumps({**json.loads(lock.read_text()), "pid": holder.pid}))
            assert first.beat() and first.holder["id"] == c.session.project.id  # the first one is read-only now
            with pytest.raises(ModelError, match="read-only"):
                first.writes()
            await c.end()

        run(work())
        lock.write_text(json.dumps({"id": "x", "pid": holder.pid, "host": json.loads(json.dumps(os.uname().nodename))}))
        again = Project(tmp_path)
        assert not again.acquire()
        holder.kill()
        holder.wait()
        assert again.beat() and again.holder is None  # the other one has ended
    finally:
        holder.kill()
        holder.wait()


def test_a_folder_that_cannot_be_written_has_its_files_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    project = tmp_path / "project"
    project.mkdir()
    (project / ".holonom").write_text("not a folder")  # for root, too

    async def work():
        c = Client(project)
        assert (await c.ask("hello"))["read_only"] and "cannot be written" in c.said() and str(tmp_path) not in c.said()
        await c.ball("one")
        c.session.keep()
        assert (await c.ask("run", settings={"kind": "initial"}))["number"] == 1
        c.session.running = None
        await c.end()
        d = Client(project)
        assert d.parts() == ["one"]
        await d.end()

    run(work())
    home = state_folder(project)
    assert home.is_relative_to(tmp_path / "state") and (home / "runs" / "0001").is_dir()
    assert home.stat().st_mode & 0o077 == 0


def full(*given, **more):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_said_and_asked_about(tmp_path, monkeypatch):
    async def work():
        c = Client(tmp_path)
        await c.ball("one")
        monkeypatch.setattr("holonom.studio.project.write_whole", full)
        monkeypatch.setattr(sessions, "write_whole", full)
        asked = await c.ask("new", name="other")
        assert "the disk is full" in asked["unsaved"] and c.parts() == ["one"]
        assert c.said().count("the disk is full") == 1
        c.session.keep()
        assert c.said().count("the disk is full") == 1  # not at every edit
        (tmp_path / "m.py").write_text("before")
        answer = await c.ask("script", file="m.py", over=True, settings={"kind": "initial"})
        assert "the disk is full" in answer["error"] and (tmp_path / "m.py").read_text() == "before"
        assert "error" not in await c.ask("new", name="other", lose=True) and c.parts() == []
        await c.end()

    run(work())


def test_exports_are_written_whole_or_not_at_all(tmp_path):
    class Half:
        def write(self, path, given, folder):
            path.write_text("half")
            full()

    async def work():
        c = Client(tmp_path)
        c.session.answers[1] = Half()
        (tmp_path / "a.html").write_text("before")
        answer = await c.ask("export", run=1, file="a.html", over=True)
        assert "the disk is full" in answer["error"] and (tmp_path / "a.html").read_text() == "before"
        assert not [p for p in tmp_path.iterdir() if p.name.startswith(".a")]
        c.session.answers.clear()
        await c.end()

    run(work())


def test_a_damaged_unsaved_model_is_listed_and_left_alone(tmp_path):
    async def work():
        c = Client(tmp_path)
        await c.ball("one")
        await c.ask("save", file="m.json")
        await c.ball("two", 1)
        c.session.keep()
        await c.end()
        (kept,) = (tmp_path / ".holonom").glob("*.unsaved.json")
        half = kept.read_bytes()[:200]
        kept.write_bytes(half)
        d = Client(tmp_path)
        (row,) = (await d.ask("unsaved"))["unsaved"]
        assert row["damaged"] and row["name"].startswith("m.json-") and not row["open"]
        await d.ask("recover", key=row["key"])
        assert "is damaged, or too large to be read" in d.said() and d.parts() == []
        await d.ask("open", file="m.json")
        await d.ball("three", 2)
        d.session.keep()  # under the name that the damaged one had
        assert d.parts() == ["one", "three"] and half in [p.read_bytes() for p in kept.parent.glob("*.unsaved.json")]
        assert [r["damaged"] for r in (await d.ask("unsaved"))["unsaved"]] == [True]
        await d.end()

    run(work())


def test_unsaved_edits_of_a_file_that_is_overwritten_by_another_model_stay_in_the_list(tmp_path):
    async def work():
        c = Client(tmp_path)
        await c.ball("one")
        await c.ask("save", file="m.json")
        await c.ball("edit of the first", 1)
        await c.ask("new", name="other")
        await c.ball("second")
        assert (await c.ask("save", file="m.json"))["exists"] == "m.json"
        await c.ask("save", file="m.json", over=True)
        await c.ball("edit of the second", 1)
        c.session.keep()
        (row,) = (await c.ask("unsaved"))["unsaved"]
        assert "error" not in await c.ask("recover", key=row["key"]) and c.parts() == ["one", "edit of the first"]
        await c.ask("open", file="m.json")
        assert c.parts() == ["second", "edit of the second"]
        await c.end()

    run(work())


def test_no_file_of_the_user_goes_into_the_folder_of_the_studio(tmp_path):
    (tmp_path / "a").mkdir()

    async def work():
        c = Client(tmp_path)
        await c.ball("one")
        lock = (tmp_path / ".holonom" / "lock.json").read_bytes()
        c.session.answers[1] = object()
        for what, file in (
            ("save", ".holonom/x.adm"),
            ("save", ".holonom/lock.json"),
            ("save", "a/../.holonom/x.json"),
            ("script", ".holonom/x.py"),
            ("export", ".holonom/x.html"),
        ):
            answer = await c.ask(what, file=file, over=True, run=1, settings={"kind": "initial"})
            assert "the Studio's own folder" in answer["error"]
        assert (tmp_path / ".holonom" / "lock.json").read_bytes() == lock
        assert (await c.ask("save", file="a/m.json"))["file"] == "a/m.json"
        await c.ask("new", name="other")
        assert (await c.ask("save", file="a/m.json"))["exists"] == "a/m.json"
        c.session.answers.clear()
        await c.end()

    run(work())


def test_files_are_written_whole_or_not_at_all(tmp_path, monkeypatch):
    file = tmp_path / "a.txt"
    write_whole(file, b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(file, b"new")
    assert file.read_bytes() == b"old" and [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_links_in_a_loop_and_folders_of_the_server_are_not_shown(tmp_path):
    (tmp_path / "a.adm").symlink_to(tmp_path / "b.adm")
    (tmp_path / "b.adm").symlink_to(tmp_path / "a.adm")

    async def work():
        c = Client(tmp_path)
        for do in ("open", "save"):
            error = (await c.ask(do, file="a.adm"))["error"]
            assert "leads back to itself" in error and str(tmp_path) not in error
        assert [f[0] for f in (await c.ask("files", folder="."))["files"]] == ["a.adm", "b.adm"]
        (tmp_path / "bad.adm").write_text("t\nPART/1, GROUND\nMARKER/1, PART=7, FILE=/no/such/thing\nEND\n")
        await c.ask("open", file="bad.adm")
        error = " ".join(m["text"] for m in c.session.console if m["kind"] == "error")
        assert "bad.adm" in error and str(tmp_path) not in error and "/no/" not in error
        c.session.say(f"cannot read '{tmp_path}/sub/x.stl' and /usr/share/y.stl, 3 N/m/s, JOINT/3, http://a.b/c/d")
        assert c.session.console[-1]["text"] == ("cannot read 'sub/x.stl' and y.stl, 3 N/m/s, JOINT/3, http://a.b/c/d")
        await c.end()

    run(work())


def test_settings_of_a_script_are_those_of_all_its_commands(tmp_path):
    from holonom.formats.adams import read_acf

    def of(*lines):
        (tmp_path / "m.acf").write_text("\n".join(["m", "m", *lines, "STOP", ""]))
        return times_of(read_acf(tmp_path / "m.acf", True))

    first = "SIMULATE/DYNAMICS, END = 5.0E-03, DTOUT = 5.0E-02"
    assert of(first, "SIMULATE/DYNAMICS, END = 20, DTOUT = 5.0E-02") == {"end": 20.0, "steps": 400}
    assert of(first) == {"end": 0.005, "steps": 1}  # as Adams: an output at the end
    assert of(
        "SIMULATE/STATICS", "SIMULATE/DYNAMICS, DURATION=2, STEPS=10", "SIMULATE/DYNAMICS, DURATION=3, STEPS=30"
    ) == {
        "end": 5.0,
        "steps": 50,
    }
    assert of("SIMULATE/STATICS") == {}


def test_saving_into_a_folder_that_is_not_there_names_it(tmp_path):
    async def work():
        c = Client(tmp_path)
        assert (await c.ask("save", file="a/b/m.adm"))["error"].startswith("there is no folder a/b; create it")
        await c.end()

    run(work())


def test_a_new_model_has_gravity_against_its_upward_axis_in_its_units(tmp_path):
    async def work():
        c = Client(tmp_path)
        await c.ask("new", name="m", units="mm", gravity="9.80665", up="+y")
        assert c.session.document.model.gravity == pytest.approx((0, -9806.65, 0))
        text = (await c.ask("script", settings={"kind": "initial"}))["text"]
        space = {"__name__": "script", "__file__": str(tmp_path / "x.py")}
        exec(compile(text.split("\nrun = ")[0], "x.py", "exec"), space)
        assert space["model"].gravity == c.session.document.model.gravity
        await c.ball("one")
        c.session.keep()
        await c.end()
        d = Client(tmp_path)
        assert d.session.document.model.gravity == pytest.approx((0, -9806.65, 0)) and d.parts() == ["one"]
        assert "upward axis" in (await d.ask("new", up="north"))["error"]
        assert "gravity" in (await d.ask("new", gravity="nine"))["error"]
        await d.end()

    run(work())


def test_messages_of_the_model_before_are_gone(tmp_path):
    async def work():
        c = Client(tmp_path)
        c.session.say("PART/2 'x': its mass is -1", "error")
        await c.ask("new", name="next")
        assert not [m for m in c.session.console if m["kind"] == "error"]
        await c.end()

    run(work())


def test_paths_outside_of_a_project_are_refused(tmp_path):
    project = Project(tmp_path)
    for name in ("../x", "/etc/passwd", "a\0b", "", 3):
        with pytest.raises(ModelError):
            project.path(name)
    assert project.named(project.own("runs/0001/run.h5")) == ".holonom/runs/0001/run.h5"
    assert time.time() - (tmp_path / ".holonom").stat().st_mtime < 60 and Path(project.home) == tmp_path / ".holonom"


def test_a_run_whose_results_do_not_fit_on_the_disk_ends_with_a_sentence(tmp_path):
    import io

    import holonom as hn
    from holonom.studio import frames
    from holonom.studio.solver import Solver

    class Result(list):
        file, info, time = None, {}, [0.0, 1.0]

        def save(self, path):
            raise ModelError("cannot write 'run.h5': No space left on device; it holds the first 20 rows")

    out = io.BytesIO()
    solver = Solver(io.BytesIO(), out)
    solver.computed = lambda *given: Result([1, 2])
    header = {"do": "run", "task": 1, "settings": {"kind": "initial"}, "out": str(tmp_path / "run.h5")}
    solver.run(header, hn.Model("m").to_json().encode())
    out.seek(0)
    messages = []
    while (message := frames.read(out)) is not None:
        messages.append(message[0])
    assert messages[-1]["event"] == "done" and "No space left" in messages[-1]["problem"]

    async def work():
        c = Client(tmp_path)
        c.session.running = {"number": 1, "out": tmp_path / "none.h5", "settings": {}}
        await c.session._ended(c.session.running, messages[-1])
        assert "the disk is full; free some space" in c.said() and "the first 20 rows" in c.said()
        await c.end()

    run(work())


def test_a_folder_that_was_moved_is_said_by_every_request(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    session = Session(folder)
    folder.rename(tmp_path / "theirs")
    for work in (lambda: session.project.writes(), lambda: session.project.new_run(), lambda: session.own("x")):
        with pytest.raises(ModelError, match="folder 'mine' was moved, renamed or removed; nothing can be saved: move"):
            work()
    session.document.do({"do": "model", "field": "title", "value": "x"})
    assert "folder 'mine' was moved" in session.keep() and session.hello()["moved"] and not folder.exists()
    (tmp_path / "theirs").rename(folder)
    assert not session.keep() and not session.hello()["locked"]


def test_missing_permission_names_the_folder_and_what_to_do(tmp_path):
    text = Session(tmp_path).project.clean("a.adm cannot be written: Permission denied")
    assert f"in the folder '{tmp_path.name}'; make it writable" in text and "copy" in text
