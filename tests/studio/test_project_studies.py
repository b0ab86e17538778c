"""Studies of a project in the Studio: which there are, how far they are, start and stop, designs as models."""

import asyncio
import json
import time

import pytest
from _open import soon, until

import holonom as hn
from holonom.model import ModelError
from holonom.studies.store import Row, Store
from holonom.studio import Session
from holonom.studio.session import Window
from holonom.studio.study_designs import design

FUNCTION = """
import time

def beam(v):
    time.sleep(0.01)
    if v["h"] > 1.6:
        raise ValueError(f"a beam of height {v['h']:.3f} does not fit")
    return {"mass": v["b"] * v["h"], "<i>stress": 6.0 / (v["b"] * v["h"] ** 2)}
"""
SIZES = {"b": {"bounds": [0.1, 2.0], "unit": "m"}, "h": {"bounds": [0.1, 2.0], "unit": "m"}}


def pendulum():
    model = hn.Model("pendulum", units="SI")
    model.gravity = (0, 0, -9.80665)
    length = model.parameter("length", 0.5, bounds=(0.25, 1.0), unit="m")
    rod = model.part("rod", 2.0, (0.001, 0.01, 0.01), position=(length, 0, 0))
    model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    return model


def project(folder):
    """A study of a function, one of a model with two runs, one that cannot be read, one without a study file, and other
    files."""
    (folder / "beam.py").write_text(FUNCTION)
    stages = [{"design": "latin_hypercube", "count": 400}, {"tornado": 0.5}]
    study = {"function": "beam.py:beam", "workers": 0, "parameters": SIZES, "stages": stages}
    (folder / "beam.json").write_text(json.dumps(study))
    (folder / "pendulum.json").write_text(pendulum().to_json())
    measures = {"load": {"of": "pin.force", "reduce": "peak"}}
    swing = {
        "study": "runs.study",
        "model": "pendulum.json",
        "analyses": {"end": 0.1, "steps": 5},
        "measures": measures,
    }
    swing |= {"parameters": {"length": {"bounds": [0.25, 1.0], "unit": "m"}}, "workers": 0}
    (folder / "swing.json").write_text(json.dumps(swing | {"stages": [{"design": "latin_hypercube", "count": 4}]}))
    with Store(folder / "runs.study", write=True) as store:
        store.set_meta("parameters", json.dumps([{"name": "length", "value": 0.5, "bounds": [0.25, 1.0], "unit": "m"}]))
        stage = store.stage("a", "Latin hypercube", {"count": 4})
        for k in range(2):
            store.add(stage, Row(k, {"length": 0.3 + 0.4 * k}, measures={"load": 20.0 + k}))
    (folder / "wrong.json").write_text(json.dumps({"function": "a.py:f", "stages": [], "colour": 1}))
    (folder / "notes.yaml").write_text("a: 1\n")
    with hn.Study(folder / "script.study", lambda v: {"y": v["x"]}, {"x": (0.0, 1.0)}, workers=0, progress=False) as s:
        s.run(hn.studies.sobol(4))


def asked(session):
    """A function that asks a session; raises ModelError for an answer that is an error."""
    window = Window()
    session.windows.add(window)

    async def ask(do, **message):
        await session.answer(window, {"n": 1, "do": do, **message})
        found = next(m for m in map(json.loads, reversed(window.messages)) if m.get("re") == 1)
        if "error" in found:
            raise ModelError(found["error"])
        return found

    return ask


def test_studies_of_a_project_are_listed_and_followed(tmp_path):
    project(tmp_path)

    async def work():
        session = Session(tmp_path, tmp_path / "beam.json")
        ask = asked(session)
        assert session.hello()["first_study"] == "beam.json" and session.document.base is None
        listed = {row["key"]: row for row in (await ask("studies"))["studies"]}
        assert set(listed) == {"beam.json", "swing.json", "wrong.json", "script.study"}
        assert listed["script.study"]["state"] == "begun" and listed["beam.json"]["state"] == "ready"
        assert "unknown key 'colour'" in listed["wrong.json"]["fault"]
        assert (await ask("open", file="swing.json"))["study"] == "swing.json"
        with Store(tmp_path / "runs.study", write=True):
            found = await ask("study_state", study="runs.study")
            assert found["key"] == "swing.json" and found["state"]["writer"] and found["model"] and not found["here"]
            with pytest.raises(ModelError, match="running in another process"):
                await ask("study_start", study="swing.json")
        found = (await ask("study_state", study="swing.json"))["state"]
        assert found["writer"] is None and found["stages"][0]["done"] == 2
        for study, words in (
            ("wrong.json", "unknown key 'colour'"),
            ("script.study", "has no study file"),
            ("notes.yaml", "there is no study"),
            ("../beam.json", "outside of the project"),
            (".holonom/../../script.study", "outside of the project|outside of the Studio"),
            (7, "there is no study"),
        ):
            with pytest.raises(ModelError, match=words):
                await ask("study_start", study=study)
        with pytest.raises(ModelError, match="not run by this Studio"):
            await ask("study_cancel", study="beam.json")
        figures = session.studies.figures("script.study")
        assert figures["runs"] == 4 and 'aria-label="parallel coordinates"' in figures["html"]
        assert {tuple(json.loads(d)) for d in figures["designs"].values()} == {("x",)}
        for values, words in (({"length": 7.0}, "outside of its bounds"), (3, "a table of names")):
            with pytest.raises(ModelError, match=words):
                await ask("study_model", study="swing.json", values=values)
        assert "file" in await ask("study_model", study="swing.json", values={"length": 0.3})
        assert session.document.model.parameters["length"].value == 0.3 and session.first_study == ""
        for task in session._tasks:
            task.cancel()
        await session.close()

    asyncio.run(work())


@pytest.mark.parametrize(
    "study, values, words",
    [
        ("swing.json", {"size": 0.5}, "size"),
        ("beam.json", {"b": 1.0, "h": 1.0}, "returns measures; it has no model"),
    ],
)
def test_designs_that_are_no_model_are_refused(tmp_path, monkeypatch, study, values, words):
    """What the process of a design answers (one of 3 CPU s, which the test above starts for another refusal)."""
    project(tmp_path)
    monkeypatch.chdir(tmp_path)  # `design` changes the folder of its process
    with pytest.raises(ModelError, match=words):
        design({"file": str(tmp_path / study), "values": values, "folder": str(tmp_path)})


@pytest.mark.slow  # four processes of the command line
def test_a_study_is_started_stopped_and_continued(tmp_path):
    """In a process of its own: stopped in the middle it keeps its runs, continued it ends as one that was not stopped,
    with the figures of all runs; changed code is refused with the sentence of the study."""
    project(tmp_path)

    async def work():
        session = Session(tmp_path)
        ask = asked(session)

        async def state(ready):
            end = time.monotonic() + 60.0
            while not ready(found := await ask("study_state", study="beam.json")):
                assert time.monotonic() < end, found
                await asyncio.sleep(0.05)
            return found

        await ask("study_start", study="beam.json")
        with pytest.raises(ModelError, match="is running; stop it first"):
            await ask("study_start", study="swing.json")
        found = await state(lambda s: s.get("state") and s["state"]["stages"] and s["state"]["stages"][0]["done"] > 20)
        assert found["here"] and found["state"]["writer"] == session.studies._process.pid
        await ask("study_cancel", study="beam.json")
        found = await state(lambda s: not s["here"])
        assert found["end"].startswith("stopped") and found["state"]["writer"] is None
        assert 20 < found["state"]["stages"][0]["done"] < 400
        text = (tmp_path / "beam.py").read_text()
        (tmp_path / "beam.py").write_text(text.replace("1.6", "1.7"))
        await ask("study_start", study="beam.json")
        found = await state(lambda s: not s["here"])
        assert "beam.py" in found["end"] and "accept" in found["end"], found["end"]
        (tmp_path / "beam.py").write_text(text)
        await ask("study_start", study="beam.json")
        found = await state(lambda s: not s["here"])
        assert found["end"] == "finished" and [s["done"] for s in found["state"]["stages"]] == [400, 5]
        assert any("stage 2, tornado" in line for line in found["lines"])
        await ask("study_start", study="beam.json")
        await session.close()  # the Studio ends: its study, too
        assert session.studies._process is None

    asyncio.run(work())


def test_the_page_follows_a_study_of_another_process_and_opens_a_design(shop):
    """Live table, reasons of failures, figures in which a run is picked, and its design as a model; what a study is
    named is text."""
    folder, page = shop.folder, shop.opened("crane.adm")
    project(folder)
    page.evaluate("studio.studies.open('slow.study')")
    until(page, "document.getElementById('study-fault').textContent.includes('no study')")
    namespace: dict = {}
    exec(FUNCTION.replace("time.sleep(0.01)", ""), namespace)  # the function of this file's study
    sizes = {"b": (0.1, 2.0), "h": (0.1, 2.0)}
    with hn.Study(folder / "slow.study", namespace["beam"], sizes, workers=0, progress=False) as study:
        stage = study.stage("by hand", {})
        points = hn.studies.latin_hypercube(60).points(study.space, 0)
        stage.evaluate(points[:30])
        page.evaluate("studio.studies.open('slow.study')")
        row = "[...document.querySelectorAll('#study-stages tbody tr td')].slice(2, 4).map((d) => d.textContent).join()"
        soon(page, row, f"{stage.succeeded},{30 - stage.succeeded}")
        assert page.locator("#study-word").inner_text().startswith("running in another process")
        stage.evaluate(points[30:])
        soon(page, row, f"{stage.succeeded},{60 - stage.succeeded}")
        assert "h differs most from runs that are ok" in page.locator("#study-failures").inner_text()
        stage.conclude({"message": "<b>done</b>"})
    soon(page, "document.getElementById('study-word').textContent", "finished")
    soon(page, "document.body.dataset.studyFigures", "60")
    root = "document.querySelector('.study-shadow').shadowRoot"
    assert page.evaluate(f"{root}.querySelectorAll('svg').length") >= 2
    assert (
        page.evaluate(f"{root}.querySelectorAll('i, script').length + document.querySelectorAll('#studies i').length")
        == 0
    )
    page.evaluate(f"{root}.querySelector('svg [data-run]').dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))")
    assert page.evaluate(f"{root}.querySelectorAll('.picked').length") >= 2
    assert "<i>stress = " in page.locator("#study-design pre").inner_text()
    assert page.locator("#study-open").count() == 0  # a function has no model
    page.evaluate("studio.studies.show('beam.json')")
    soon(page, "document.getElementById('study-word').textContent", "not started")
    page.locator("#study-start").click()
    assert "Python code of the project: function beam.py:beam" in page.locator("dialog").inner_text()
    page.locator("#dialog-ok").click()
    soon(page, "document.getElementById('study-word').textContent", "running", 120)
    soon(page, "document.getElementById('study-word').textContent", "finished", 120)
    assert "405" in page.evaluate("document.body.dataset.studyRuns")
    page.evaluate("studio.studies.show('swing.json')")
    soon(page, "document.body.dataset.studyFigures", "2")
    page.evaluate(f"{root}.querySelector('svg [data-run]').dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))")
    page.locator("#study-open").click()
    soon(page, "studio.file.file", "swing_design.json", 120)
    soon(page, "!studio.studies.on && studio.model.name", "pendulum")
    assert page.faults == []
