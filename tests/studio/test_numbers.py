"""Numbers that the Studio shows: peaks between rows, rounding, fields with all components, runs of an older model."""

import asyncio
import json
import math
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.model.base import ELEMENT_TYPES
from holonom.studio.answers import Answers
from holonom.studio.document import Document, like
from holonom.studio.forms import typed
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


def ball():
    document = Document.new("ball", "SI")
    create(document, "part_sphere", name="a", at=[1, 0, 0], radius=0.3, density=7850)
    return document


def put(document, kind, number, name, value):
    """The value of a field after a text was typed in it; the sentence of the Studio where it refuses the text, which
    must then be that of the trial, too, and leave the field as it was."""
    old = getattr(document.element(kind, number), name)
    tried = document.tried(kind, number, name, value)
    try:
        document.do({"do": "set", "kind": kind, "id": number, "field": name, "value": value})
    except ModelError as error:
        assert tried and tried[0].split("; ")[-1] in str(error)
        assert getattr(document.element(kind, number), name) == old
        return str(error)
    assert not tried
    return getattr(document.element(kind, number), name)


def test_a_d_means_degrees_where_an_angle_is_asked_for_and_nowhere_else():
    document = ball()
    for name in ("wx", "wy", "wz"):
        assert put(document, "PART", 2, name, "30D") == pytest.approx(math.pi / 6)
    assert put(document, "PART", 2, "reuler", ["30d", "0", "-90D"]) == pytest.approx((math.pi / 6, 0, -math.pi / 2))
    for name in ("mass", "vx", "vy", "vz"):
        assert "takes numbers in units of the model, so write only the number" in put(document, "PART", 2, name, "30D")
    for name, value in (("qg", ["5d", "0", "0"]), ("ip", ["1", "1", "1", "0", "0", "1D"])):
        assert "takes numbers in units of the model" in put(document, "PART", 2, name, value)
    for command in (
        {"do": "model", "field": "gravity", "value": ["0", "0", "-9.8d"]},
        {"do": "settings", "group": "integrator", "field": "error", "value": "1d"},
        {"do": "move", "items": [["PART", 2]], "by": ["1d", "0", "0"]},
        {"do": "create", "method": "part", "arguments": {"name": "b", "mass": "30d", "inertia": [1, 1, 1]}},
        {"do": "create", "method": "part_box", "arguments": {"name": "b", "at": [0, 0, "3d"], "size": [1, 1, 1]}},
    ):
        with pytest.raises(ModelError):
            document.do(command)
    arguments = {"name": "b", "mass": "1", "inertia": [1, 1, 1], "angular_velocity": ["90D", 0, 0]}
    create(document, "part", **arguments)
    assert document.model.find("PART", "b").wx == pytest.approx(math.pi / 2)


def test_no_number_becomes_another_one():
    """One that is too small is refused as one that is too large is; minus zero is zero."""
    document = ball()
    assert put(document, "PART", 2, "mass", "5e-18") == 5e-18 and put(document, "PART", 2, "mass", "1e-320") > 0.0
    assert "closer to zero than a number can be; give 0" in put(document, "PART", 2, "mass", "1e-400")
    assert "inf" in put(document, "PART", 2, "mass", "1e400")
    for text in ("-0", "-0.0", "0e5"):
        assert str(put(document, "PART", 2, "vx", text)) == "0.0"
    assert [typed(t) for t in ("0x10", "1d3", "1,5", "1e-400", "")] == ["0x10", "1d3", "1,5", "1e-400", ""]


def test_sizes_of_a_shape_stay_numbers(tmp_path):
    """The page sends texts for all arguments of a shape; what is not a number, or no shape, is refused."""
    document = ball()
    create(document, "part_link", name="b", a=[0, 0, 0], b=[1, 0, 0], radius=0.1, density=7850)
    texts = {"cm": "2", "xscale": "0.6", "yscale": "0.6", "zscale": "0.4"}
    assert put(document, "GRAPHICS", 1, "arguments", texts) == {"cm": 2, "xscale": 0.6, "yscale": 0.6, "zscale": 0.4}
    assert isinstance(document.element("GRAPHICS", 1).arguments["cm"], int)
    assert put(document, "GRAPHICS", 1, "arguments", {"zscale": "0.5"})["xscale"] == 0.6  # what is not given stays
    for text in ("abc", "1,5", "30d", "5 mm", "1e400", "nan", "1e-400", "", "0"):
        assert "xscale is" in (words := put(document, "GRAPHICS", 1, "arguments", {**texts, "xscale": text})) or (
            text == "0" and "its scales is zero" in words
        )
    number = next(n for n, g in document.model.table("GRAPHICS").items() if g.type == "CAPSULE")
    assert "must be positive" in put(document, "GRAPHICS", number, "arguments", {"radius": "-0.1"})
    assert "MARKER/99" in put(document, "GRAPHICS", number, "arguments", {"cm": "99"})
    document.save(tmp_path / "a.adm")
    again = Document.open(tmp_path / "a.adm").model.table("GRAPHICS")
    for n, graphic in document.model.table("GRAPHICS").items():
        assert again[n].arguments == graphic.arguments


def test_a_table_of_any_values_takes_texts_of_their_types():
    assert like(2, "3", "cm") == 3 and isinstance(like(2, "3", "cm"), int) and like(2, "2.5", "radius") == 2.5
    assert like((1.0, 2), "3, 4", "size") == (3.0, 4) and like("A", "7", "file") == "7" and like(1, 5, "cm") == 5
    assert like(True, "false", "closed") is False and like(1.0, "90D", "angle") == pytest.approx(math.pi / 2)
    for old, text in (
        ((1.0, 2.0, 3.0), "1,5"),
        ((1.0, 2.0), "1"),
        (True, "x"),
        (((1, 2), (3, 4)), "1, 2"),
        (1.0, "90D"),
    ):
        with pytest.raises(ModelError, match="size"):
            like(old, text, "size")


def test_what_is_shown_in_part_is_not_edited():
    """An edit of the part of a list that is shown would cut off the rest."""
    document = ball()
    document.model.add(ELEMENT_TYPES["ARRAY"](id=1, name="long", size=1000, numbers=tuple(map(float, range(1000)))))
    document.model.add(ELEMENT_TYPES["ARRAY"](id=2, name="short", size=3, numbers=(1.0, 2.0, 3.0)))
    for number, kind in ((1, "shown"), (2, "list")):
        rows = properties(document.model, document.element("ARRAY", number))["rows"]
        assert next(r["kind"] for r in rows if r["name"] == "numbers") == kind


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
