"""What a study of the parameters table requests from `holonom.Study`: addresses, values, measures, and sentences."""

import asyncio
import json

import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studio import Session, session_studies
from holonom.studio.live import parameters
from holonom.studio.session import Window
from holonom.studio.sweeps import address, grid, request_of, study

RUN = {"kind": "dynamics", "end": 0.3, "steps": 30}


def machine():
    """A mass on a spring, pushed by a design variable, and a bushing with nine numbers."""
    model = hn.Model("mass", "SI")
    block = model.part("block", 1.0, (0.1, 0.1, 0.1), (0, 0, 1))
    model.translational(block, model.ground, "guide", at=(0, 0, 1), axis=(0, 0, 1))
    model.variable("5.0", name="push")
    top, low = model.marker_at(block, (0, 0, 1)), model.marker_at(model.ground, (0, 0, 0))
    model.spring_damper(top, low, stiffness=100.0, length=1.0, name="spring")
    model.vforce(top, None, fz="VARVAL(1)", name="load")
    other = model.part("other", 1.0, (0.1, 0.1, 0.1), (3, 0, 1))
    model.bushing(other.cm, model.marker_at(model.ground, (3, 0, 1)), (1e3, 2e3, 3e3), (1, 1, 1), name="mount")
    return model


def test_every_parameter_of_the_table_has_an_address_that_moves_it_alone():
    model = machine()
    rows = parameters(model)
    assert len(rows) > 4
    for key, _, value, _ in rows:
        moved = model.with_parameters({address(key): value + 1.5})
        after = {k: v for k, _, v, _ in parameters(moved)}
        assert after.pop(key) == value + 1.5
        assert after == {k: v for k, _, v, _ in rows if k != key}


def asked(**given):
    varied = {"key": "VARIABLE/1", "from": "5", "to": "10", "count": "2"}
    message = {"parameters": [varied], "measures": [{"of": "spring.force", "reduce": "peak"}], **given}
    return request_of(message, parameters(machine()), given.get("settings", RUN), "x.study")


def test_a_grid_has_all_combinations():
    a = {"name": "a", "from": 0.0, "to": 1.0, "count": 3}
    assert grid([a]) == [{"a": 0.0}, {"a": 0.5}, {"a": 1.0}]
    assert len(grid([a, {**a, "name": "b", "to": -1.0, "count": 2}])) == 6
    assert asked()["points"] == [{"push": 5.0}, {"push": 10.0}]


def test_what_cannot_be_studied_is_one_sentence():
    varied = {"key": "VARIABLE/1", "from": 5, "to": 10, "count": 2}
    for given, words in (
        ({"parameters": []}, "one or two parameters"),
        ({"parameters": [{**varied, "key": "PART/2.mass"}]}, "there is no parameter"),
        ({"parameters": [varied, varied]}, "are the same"),
        ({"parameters": [{**varied, "to": 5}]}, "two different numbers"),
        ({"parameters": [{**varied, "to": "1e400"}]}, "To is not finite"),
        ({"parameters": [{**varied, "from": "-1e400"}]}, "From is not finite"),
        ({"parameters": [{**varied, "to": "many"}]}, "To is 'many'; give a number"),
        ({"parameters": [{**varied, "from": "1,5"}]}, "From is '1,5'; write it with a decimal point, 1.5"),
        ({"parameters": [{**varied, "from": "30d"}]}, "From is '30d'; the Studio takes numbers in units of the model"),
        ({"parameters": [{**varied, "count": "2.5"}]}, "has 2.5 values; give a whole number from 2 to"),
        ({"parameters": [{**varied, "count": 1}]}, "from 2 to"),
        ({"parameters": [{**varied, "count": 20}, {**varied, "key": "SPRINGDAMPER/1.k", "count": 20}]}, "at most 200"),
        ({"measures": []}, "add one"),
        ({"measures": [{"of": "spring.force", "reduce": "sum"}]}, "give a quantity and one of"),
        ({"settings": {"kind": "modes"}}, "does not run 'modes'"),
    ):
        with pytest.raises(ModelError, match=words):
            asked(**given)


def test_a_study_is_followed_stopped_and_belongs_to_its_model(tmp_path, monkeypatch):
    """Another model is not opened while a study goes on; a study that is stopped says how far it came; one whose
    process ends without a result says why."""
    (tmp_path / "mass.json").write_text(machine().to_json())
    begun = []

    async def process(module, request, seconds):
        begun.append(request)
        if len(begun) == 2:
            raise ModelError("the process ended without a result: out of memory")
        await asyncio.sleep(60.0)

    monkeypatch.setattr(session_studies, "answered", process)
    varied = {"key": "VARIABLE/1", "from": 5, "to": 10, "count": 3}
    wish = {"do": "study", "parameters": [varied], "settings": RUN}
    wish["measures"] = [{"of": "spring.force", "reduce": "peak"}]

    async def work():
        session, window = Session(tmp_path, tmp_path / "mass.json"), Window()
        session.windows.add(window)

        async def ask(**message):
            await session.answer(window, {"n": 1, **message})
            return next(m for m in map(json.loads, reversed(window.messages)) if m.get("re") == 1)

        async def ended():
            for _ in range(400):
                if session.study and session.study.get("ended"):
                    return session.study
                await asyncio.sleep(0.01)
            raise AssertionError("not within 4 s")

        assert (await ask(**wish))["of"] == 3
        await asyncio.sleep(0)  # its process is started
        for message in (wish, {"do": "new", "name": "other"}, {"do": "open", "file": "mass.json"}):
            assert "a study is in progress" in (await ask(**message))["error"]
        await ask(do="stop_study")
        assert "stopped after 0 of 3 runs" in (await ended())["error"]
        session.study = None
        assert (await ask(**wish))["of"] == 3
        assert "out of memory" in (await ended())["error"]
        assert "error" not in await ask(do="new", name="other") and session.study is None
        for task in session._tasks:
            task.cancel()
        await session.close()

    asyncio.run(work())
    assert begun[0]["points"] == [{"push": 5.0}, {"push": 7.5}, {"push": 10.0}]


@pytest.mark.slow
def test_a_study_gives_the_peaks_of_single_runs(tmp_path):
    """Undamped: the force of the spring and the travel are twice those at rest, F = 2 p, x = 2 p/k."""
    given = asked(settings={**RUN, "end": 1.0, "steps": 400}) | {
        "model": machine().to_json(),
        "folder": str(tmp_path),
        "store": str(tmp_path / "mass.study"),
    }
    found = study(given)
    loads = [row["measures"]["peak of spring.force"] for row in found["rows"]]
    assert loads == pytest.approx([10.0, 20.0], rel=1e-3) and len(found["files"]) == 2
