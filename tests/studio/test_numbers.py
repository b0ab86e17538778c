"""Numbers that the Studio shows: peaks between rows, rounding, fields with all components, runs of an older model."""

import asyncio
import json
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.studio.answers import Answers
from holonom.studio.document import Document
from holonom.studio.properties import properties
from holonom.studio.still import without_gravity

sys.path.insert(0, str(Path(__file__).parent))
from test_projects import Client  # noqa: E402


def create(document, method, **arguments):
    document.do({"do": "create", "method": method, "arguments": arguments})


@pytest.fixture(scope="module")
def dropped():
    document = Document.new("drop", "SI", (0.0, 0.0, -9.81))
    create(document, "part_sphere", name="ball", at=[0, 0, 0.12], radius=0.02, density=7850)
    create(document, "box", name="floor", body=["PART", 1], at=[0, 0, -0.05], size=[1, 1, 0.1])
    laws = {"stiffness": 1e7, "exponent": 1.5, "damping": 0.0}
    create(document, "contact", name="touch", i=["PART", 2], j=["PART", 1], **laws)
    run = hn.simulate(document.model, end=0.2, steps=7, progress=False)
    return Answers(run, 1, Path("run.h5"), {}, "")


def test_peaks_have_contacts_along_the_steps_and_say_what_rows_miss(dropped):
    peaks = dropped.peaks()
    (row,) = [r for r in peaks["rows"] if r["kind"] == "CONTACT"]
    assert peaks["along"] and row["force"] > 300 > 100 > row["row_force"]
    assert row["place"][:2] == pytest.approx([0, 0], abs=1e-9) and 0.14 < row["force_time"] < 0.15
    (text,) = dropped.missed()
    assert "CONTACT/1" in text and "between output rows" in text and f"{row['row_force']:.3g}" in text
    json.dumps(peaks, allow_nan=False)


def test_curves_say_what_is_rounding(dropped):
    x = next(k for k, q in enumerate(dropped.found) if q.name == "ball.position")
    data = dropped.curves([(x, 0), (x, 2)])
    table = json.loads(data[4 : 4 + struct.unpack_from("<I", data)[0]])
    assert all(0 < n < 1e-9 for n in table["noise"])


def test_what_is_created_has_no_residue_of_rounding():
    document = Document.new()
    create(document, "part_sphere", name="a", at=[1, 0, 0], radius=0.3, density=7850)
    create(document, "part_link", name="b", a=[0, 0, 0], b=[1, 0.5, 0], radius=0.05, density=7850)
    create(document, "part_box", name="c", at=[0.1, 0.2, 0.3], size=[0.3, 0.1, 0.1], density=7850)
    parts = document.model.parts
    assert parts[2].qg == (1.0, 0.0, 0.0) and parts[3].qg == (0.5, 0.25, 0.0)
    assert parts[4].qg == pytest.approx((0.1, 0.2, 0.3), rel=1e-15)
    document.do({"do": "move", "items": [["PART", 2]], "turn": [0, 0, np.pi / 2], "about": [0, 0, 0]})
    assert parts[2].qg == pytest.approx((0.0, 1.0, 0.0), abs=1e-15) and parts[2].qg[0] == 0.0
    for marker in document.model.markers.values():
        assert all(v == 0.0 or abs(v) > 1e-12 for v in (*marker.qp, *(marker.reuler or ())))


def test_inertia_has_a_field_for_each_component():
    document = Document.new()
    create(document, "part_sphere", name="a", at=[1, 0, 0], radius=0.3, density=7850)
    rows = {r["name"]: r for r in properties(document.model, document.model.parts[2])["rows"]}
    assert rows["ip"]["kind"] == "vector" and rows["ip"]["size"] == 6
    assert rows["ip"]["labels"] == ["Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
    document.do({"do": "set", "kind": "PART", "id": 2, "field": "ip", "value": ["1", "2", "2.5", "0", "0", "0"]})
    assert document.model.parts[2].ip == (1.0, 2.0, 2.5, 0.0, 0.0, 0.0)


def test_free_parts_without_gravity_are_a_warning():
    m = hn.Model("m", "SI")
    a = m.part("a", mass=1.0, inertia=(1, 1, 1))
    b = m.part("b", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0))
    assert "2 parts are free" in without_gravity(m)[0]
    m.revolute(b, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    (text,) = without_gravity(m)
    assert "gravity is zero and 1 part is free" in text and "PART/2 'a'" in text
    for change in ("force", "velocity", "gravity"):
        twin = hn.Model.from_dict(m.to_dict())
        if change == "force":
            twin.vforce(twin.marker(twin.parts[2]), None, "1", "0", "0")
        elif change == "velocity":
            twin.parts[2].vx = 1.0
        else:
            twin.gravity = (0, 0, -9.81)
        assert not without_gravity(twin), change
    assert a.id == 2


def test_runs_of_an_older_model_are_marked_with_what_has_changed(tmp_path):
    async def work():
        c = Client(tmp_path)
        await c.ball("one")
        session = c.session
        session.answers[1], session._made_with[1] = None, (session.document, list(session.document.steps), True)
        assert session._file()["stale"] == {}
        await c.ask("edit", command={"do": "set", "kind": "PART", "id": 2, "field": "mass", "value": "7"})
        (words,) = session._file()["stale"].values()
        assert words == ["mass of PART/2 'one'"]
        await c.ask("undo")
        assert session._file()["stale"] == {}
        await c.ask("undo")
        assert session._file()["stale"]["1"] == ["undone: create PART/2 'one'"]
        await c.ask("redo")
        assert session._file()["stale"] == {}
        for n in range(20):
            await c.ask("edit", command={"do": "set", "kind": "PART", "id": 2, "field": "mass", "value": str(n + 1)})
        assert session._file()["stale"]["1"][-1] == "and 8 more"
        del session.answers[1]
        await c.end()

    asyncio.run(work())


def test_the_script_prints_torques_and_contacts(tmp_path):
    async def work():
        c = Client(tmp_path)
        text = (await c.ask("script", settings={"kind": "initial"}))["text"]
        assert '("force", "torque")' in text and "contacts=True" in text
        compile(text, "script.py", "exec")
        await c.end()

    asyncio.run(work())


def test_torques_that_are_rounding_are_no_peaks_that_rows_miss():
    """A pin carries no torque about its axis, and a ball none at all; what is left is rounding of forces on arms."""
    from types import SimpleNamespace

    from holonom.studio.answers import ROUNDING, Answers

    rows = [
        {"kind": "JOINT", "id": 1, "force": 3e5, "row_force": 1e5, "torque": 9.8e-7, "row_torque": 1e-9},
        {"kind": "JOINT", "id": 2, "force": 1e-22, "row_force": 0.0, "torque": 2e-22, "row_torque": 5e-23},
    ]
    for r in rows:
        r |= {"force_time": 0.5, "torque_time": 0.5}
    data = SimpleNamespace(body_position=[[[0, 0, 0], [3, 4, 0]], [[0, 0, 0], [float("nan")] * 3]])
    answers = Answers.__new__(Answers)
    answers.run = SimpleNamespace(data=data, units=lambda what: {"force": "N", "torque": "N*m", "time": "s"}[what])
    assert answers.noise(rows) == {"force": ROUNDING * 3e5, "torque": ROUNDING * 3e5 * 5.0}
    answers.peaks = lambda: {"rows": rows, "noise": answers.noise(rows)}
    assert len(found := answers.missed()) == 1 and found[0].startswith("the largest force of JOINT/1, 300000 N")
