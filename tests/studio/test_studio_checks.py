"""The check of the model and its picture are those of the document that is open, also while documents and edits follow
each other faster than they are checked."""

import asyncio
import json

from holonom.studio import Session
from holonom.studio import session as sessions
from holonom.studio.session import Window


class Slow:
    """A session whose process of checks answers when the test says so, with the number of parts as bodies."""

    def __init__(self, folder, seconds=0.0):
        self.session, self.window, self.sent, self.seconds = Session(folder), Window(), [], seconds
        self.session.windows.add(self.window)
        self.session.checker.send, self.session.checker.close = self.send, self.close
        self.session.solver.close = self.close

    async def close(self):
        pass

    async def send(self, header, blob):
        await asyncio.sleep(self.seconds)
        self.sent.append((header, len(json.loads(blob)["elements"]["PART"]) - 1))

    def answer(self):
        header, bodies = self.sent.pop(0)
        self.session._checked({"event": "checked", "version": header["version"], "faults": [], "bodies": bodies}, b"")

    async def ask(self, do, **given):
        await self.session.answer(self.window, {"n": 1, "do": do, **given})
        return next(m for m in map(json.loads, reversed(self.window.messages)) if m.get("re") == 1)

    async def ball(self, name):
        arguments = {"name": name, "at": [0, 0, 0], "radius": 0.1, "density": 1000}
        return await self.ask("edit", command={"do": "create", "method": "part_sphere", "arguments": arguments})

    async def until(self, true):
        for _ in range(6000):
            if true():
                return
            await asyncio.sleep(0.01)
        raise AssertionError("not within 60 s")


def test_a_check_that_began_before_another_model_was_opened_says_nothing_of_that_model(tmp_path):
    async def work():
        slow = Slow(tmp_path)
        for name in ("a", "b", "c"):
            await slow.ball(name)
        await slow.until(lambda: slow.sent)
        assert slow.sent[0][1] == 3
        assert "error" not in await slow.ask("new", name="empty")
        slow.answer()
        assert slow.session.state == {}  # not the three bodies of the model before
        await slow.until(lambda: slow.sent)
        slow.answer()
        assert slow.session.state["bodies"] == 0
        await slow.session.close()

    asyncio.run(work())


def test_an_edit_during_a_check_neither_ends_it_nor_all_later_ones(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "LATER", 0.01)

    async def work():
        slow = Slow(tmp_path, seconds=0.1)  # as the start of a process takes
        await slow.ball("a")
        await slow.until(lambda: slow.session._checking is not None)  # the check is being sent
        await slow.ball("b")
        await slow.until(lambda: slow.sent)
        slow.answer()
        await slow.until(lambda: slow.sent)
        slow.answer()
        assert slow.session.state["bodies"] == 2
        await slow.session.close()

    asyncio.run(work())


def test_a_picture_that_was_begun_for_another_model_is_not_that_of_the_new_one(tmp_path, monkeypatch):
    async def work():
        slow = Slow(tmp_path)
        drawn = sessions.scene

        def late(model, *given):
            import time

            time.sleep(0.15)
            return drawn(model, *given)

        monkeypatch.setattr(sessions, "scene", late)
        await slow.ball("a")
        old = asyncio.create_task(slow.session.picture())
        await asyncio.sleep(0.05)
        await slow.ask("new", name="first")
        await slow.ball("other")  # the new document has the version of the old one
        await old
        names = lambda data: json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])["bodies"]
        assert "other" in [b["name"] for b in names(await slow.session.picture())]
        await slow.session.close()

    asyncio.run(work())


def test_pictures_follow_steady_edits_and_the_check_waits_for_the_last(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "SOON", 0.0)
    monkeypatch.setattr(sessions, "LATER", 0.3)

    async def work():
        slow = Slow(tmp_path)
        await slow.ball("a")
        await slow.until(lambda: slow.sent)
        slow.answer()
        await slow.session.picture()
        slow.window.messages.clear()
        end = asyncio.get_running_loop().time() + 1.0
        n = 0
        while asyncio.get_running_loop().time() < end:  # never a pause as long as LATER, on a busy machine too
            n += 1
            await slow.ask("edit", command={"do": "move", "items": [["PART", 2]], "by": [0.1, 0.0, 0.0]})
            assert not slow.sent
            await asyncio.sleep(0.01)
        pictures = lambda: [m for m in map(json.loads, slow.window.messages) if m.get("event") == "scene"]
        assert 2 <= len(pictures()) < n
        await slow.until(lambda: slow.sent)
        assert pictures()[-1]["version"] == slow.session.document.version
        slow.answer()
        await slow.session.close()

    asyncio.run(work())


def test_an_edit_that_moves_nothing_in_the_picture_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "LATER", 0.01)

    async def work():
        slow = Slow(tmp_path)
        await slow.ball("a")
        await slow.session.picture()

        async def event(**command):
            slow.window.messages.clear()
            await slow.ask("edit", command={"do": "set", "kind": "PART", "id": 2, **command})
            await slow.until(lambda: any('"event":"scene"' in m for m in slow.window.messages))
            return next(m for m in map(json.loads, slow.window.messages) if m.get("event") == "scene")

        version = slow.session.document.version
        assert await event(field="vx", value="7") == {"event": "scene", "version": version + 1, "same": version}
        moved = await event(field="qg", value=["1", "0", "0"])
        assert moved == {"event": "scene", "version": version + 2}
        assert (await event(field="vx", value="8"))["same"] == version + 2
        await slow.session.close()

    asyncio.run(work())
