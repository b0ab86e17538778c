"""The page of a study: its figures have what the runs have, texts are escaped, nothing is loaded from elsewhere."""

import gc
import re

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studies import StudyParameter
from holonom.studies.pareto import nondominated


def f(v):
    if v["b"] > 0.95:
        raise ModelError("b & c are <too> long")
    return {"mass": v["a"] + v["b"] ** 2, "travel": (v["a"] - 1) ** 2 + v["b"]}


@pytest.fixture
def page(tmp_path):
    space = {"a": (0.0, 1.0), "b": (0.0, 1.0), "kind": StudyParameter("kind", choices=("<steel>", "alu"))}
    with hn.Study(tmp_path / "a.study", f, space, workers=0) as s:
        s.run(hn.studies.latin_hypercube(40))
        s.tornado()
        s.minimize("mass", method="differential_evolution", max_runs=100)
        rows = s.results()
        stage = s.stage("optimisation", {"objectives": {"mass": "min", "travel": "min"}})
        found = stage.evaluate([r.parameters for r in rows if r.ok][:30])
        kept = nondominated(np.array([[r.measures["mass"], r.measures["travel"]] for r in found]))
        stage.conclude({"front": [r.number for r, k in zip(found, kept) if k], "message": "two objectives"})
        path = rows.to_html(tmp_path / "a.html")
        with pytest.raises(ModelError, match="cannot write"):
            rows.to_html(path / "b.html")  # a folder that is a file
    return path.read_text(encoding="utf-8"), int(kept.sum())


def test_figures(page):
    text, front = page
    labels = re.findall(r'aria-label="([^"]+)"', text)
    assert labels == ["tornado of mass", "tornado of travel", "history of mass", "Pareto front of mass and travel",
                      "parallel coordinates", "scatter matrix"]  # fmt: skip
    assert text.count('class="front"') == front
    part = text[text.index('aria-label="tornado of mass"') :]
    part = part[: part.index("</svg>")]
    assert part.count("<rect") == 3 and "nominal 0.75" in part  # b at 1 fails
    assert text.count('<polyline class="run"') > 100


def test_texts_are_escaped_and_nothing_is_loaded(page):
    text, _ = page
    assert "b &amp; c are &lt;too&gt; long" in text and "&lt;steel&gt;" in text and "<steel>" not in text
    assert (
        not re.search(r"""(src|href)=["']?(https?:)?//""", text)
        and "<script" not in text
        and "nan" not in text.lower().split()
    )
    assert text.count("<svg") == text.count("</svg>") and text.startswith("<!DOCTYPE html>")


def test_a_study_with_arguments_that_are_refused_has_nothing_to_close(tmp_path, monkeypatch):
    from holonom.studies.study import Study

    unraisable = []
    monkeypatch.setattr("sys.unraisablehook", unraisable.append)
    for words in (dict(parameters=3), dict(parameters={"x": (0, 1)}, nothing=1)):
        with pytest.raises(ModelError):
            Study(tmp_path / "a.study", max, **words)
    gc.collect()
    assert not unraisable
