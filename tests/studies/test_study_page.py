"""The page of a study: its figures have what the runs have, texts are escaped, nothing is loaded from elsewhere."""

import gc
import json
import math
import re

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studies import StudyParameter
from holonom.studies.page import level_segments
from holonom.studies.pareto import nondominated


def f(v):
    if v["b"] > 0.95:
        raise ModelError("b & c are <too> long")
    return {"mass": v["a"] + v["b"] ** 2, "travel": (v["a"] - 1) ** 2 + v["b"]}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("page")
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
                      "parallel coordinates", "scatter matrix", "contours of mass", "contours of travel"]  # fmt: skip
    assert text.count('class="front"') == front
    part = text[text.index('aria-label="tornado of mass"') :]
    part = part[: part.index("</svg>")]
    assert part.count("<rect") == 3 and "nominal 0.75" in part  # b at 1 fails
    assert text.count('<polyline class="run"') > 100


def test_stages_and_what_figures_leave_out(tmp_path):
    """Each stage has its arguments and runs; choices are columns of the scatter matrix; a note has what is left out."""
    space = {f"p{k}": (0.0, 1.0) for k in range(4)} | {"kind": StudyParameter("kind", choices=("steel", "alu"))}
    space |= {"p9": (0.0, 1.0)}

    def many(v):
        if v["p0"] > 0.9:
            raise ModelError("too long")
        return {f"f{k}": k + v["p1"] for k in range(8)}

    with hn.Study(tmp_path / "a.study", many, space, workers=0) as s:
        s.run(hn.studies.latin_hypercube(10))
        text = s.results().to_html(tmp_path / "a.html").read_text(encoding="utf-8")
        s.tornado()
        later = s.results().to_html(tmp_path / "a.html").read_text(encoding="utf-8")
    stage = text[text.index("Stage 1: Latin hypercube") : text.index("Parallel coordinates")]
    assert "count 10" in stage and "10 runs, 1 of them without results" in stage
    coordinates, matrix = text[text.index("Parallel coordinates") :].split("<h2>Scatter matrix", 1)
    assert "Without f6, f7; the table below has all" in coordinates
    assert "Without kind, p9, f2, f3, f4, f5; the table" in matrix
    with hn.Study(
        tmp_path / "b.study", many, dict(list(space.items())[3:]) | {"p0": 0.1, "p1": (0.0, 1.0)}, workers=0
    ) as s:
        s.run(hn.studies.latin_hypercube(9))
        text = s.results().to_html(tmp_path / "b.html").read_text(encoding="utf-8")
    matrix = text[text.index('aria-label="scatter matrix"') :]
    assert ">kind</text>" in matrix[: matrix.index("</svg>")] and "2 choices" in matrix
    tornado = later[later.index("Stage 2: tornado") : later.index("Parallel coordinates")]
    assert "Without f6, f7" in tornado


def test_indices_and_effects_are_drawn(tmp_path):
    """Bars are as long as indices and effects, intervals as wide, the largest first; a derived index has its note."""
    pytest.importorskip("SALib")
    from holonom.studies import Exponential

    function = lambda v: {"f": 3 * v["a"] - v["b"] + 0.1 * v["c"]}
    space = {"a": (0.0, 1.0), "b": (-2.0, 2.0), "c": (0.0, 3.0)}
    with hn.Study(tmp_path / "a.study", function, space, workers=0) as s:
        found = s.sensitivity("sobol", count=64)["f"]
        s.run(hn.studies.full_factorial(2))
        text = s.results().to_html(tmp_path / "a.html").read_text(encoding="utf-8")
    part = text[text.index('aria-label="indices of f"') :]
    part = part[: part.index("</svg>")]
    bars = re.findall(r'<rect class="(\w+)" x="([\d.]+)" y="\d+" width="([\d.]+)"[^>]*><title>(\w): (\w+)', part)
    assert [b[3:] for b in bars[::2]] == [("b", "total"), ("a", "total"), ("c", "total")]  # variances 16, 9, 0.09
    length = {(name, kind): float(width) for _, _, width, name, kind in bars}
    for kind in ("total", "first"):
        assert length["a", kind] / length["b", "total"] == pytest.approx(found[kind][0] / found["total"][1], abs=2e-3)
    spans = re.findall(r'class="interval" d="M([\d.]+) \d+v6m0 -3H([\d.]+)m', part)
    assert len(spans) == 6
    half = 0.5 * (float(spans[0][1]) - float(spans[0][0])) / length["b", "total"]
    assert half == pytest.approx(found["total_interval"][1] / found["total"][1], abs=2e-3)
    part = text[text.index('aria-label="effects on f"') :]
    bars = re.findall(r'width="([\d.]+)" height="15"><title>([^:]+): (\S+), (\S+) %', part[: part.index("</svg>")])
    assert [(b[1], float(b[2])) for b in bars[:3]] == [("b", -4.0), ("a", 3.0), ("c", pytest.approx(0.3))]
    assert float(bars[1][0]) / float(bars[0][0]) == pytest.approx(0.75, abs=1e-3)
    assert float(bars[0][3]) == pytest.approx(100 * 16 / 25.09, rel=1e-2)
    load = {"load": StudyParameter("load", distribution=Exponential(1.0)), "b": (0.0, 1.0)}
    with hn.Study(tmp_path / "b.study", lambda v: {"f": v["load"] ** 2 + v["b"]}, load, workers=0) as s:
        s.sensitivity("fast", count=65)
        text = s.results().to_html(tmp_path / "b.html").read_text(encoding="utf-8")
    assert "too few for the skewed distribution of &#x27;load&#x27;" in text and 'aria-label="indices of f"' in text


def test_texts_are_escaped_and_nothing_is_loaded(page):
    text, _ = page
    assert "b &amp; c are &lt;too&gt; long" in text and "&lt;steel&gt;" in text and "<steel>" not in text
    assert (
        not re.search(r"""(src|href)=["']?(https?:)?//""", text)
        and text.count("<script") == text.count("<script>const DESIGNS") == 1
        and "nan" not in text.lower().split()
    )
    assert text.count("<svg") == text.count("</svg>") and text.startswith("<!DOCTYPE html>")


def test_a_run_is_the_same_in_all_figures(page):
    """Marks of one run have one key, and a click shows the parameters as the study takes them."""
    text, _ = page
    designs = json.loads(re.search(r"const DESIGNS = (\{.*?\});", text, re.S)[1])
    keys = re.findall(r'<polyline class="run" data-run="(\w+)"', text)
    assert len(keys) > 100 and set(keys) <= set(designs)
    for key in keys[:5]:
        assert len(re.findall(f'<circle class="dot" data-run="{key}"', text)) >= 2  # in the scatter matrix
        values = json.loads(designs[key])
        assert list(values) == ["a", "b", "kind"]
        assert re.search(rf'data-run="{key}"[^>]*><title>run \d+\na = {values["a"]:.6g}\n', text)


def test_levels_of_a_surface():
    """Segments of x^2 + y^2 on a grid lie on the circle; a saddle has two branches."""
    line = np.linspace(-1.0, 1.0, 41)
    Z = line[:, None] ** 2 + line**2
    segments = np.array(level_segments(Z, 0.5))
    ends = segments.reshape(-1, 2) / 20.0 - 1.0
    assert len(segments) > 60 and np.abs(np.hypot(*ends.T) - math.sqrt(0.5)).max() < 1e-3
    length = np.hypot(*(segments[:, 2:] - segments[:, :2]).T).sum() / 20.0
    assert length == pytest.approx(2 * math.pi * math.sqrt(0.5), rel=2e-3)
    for level in (0.1, -0.1):
        found = level_segments(np.array([[1.0, -1.0], [-1.0, 1.0]]), level)
        assert len(found) == 2
        for x0, y0, x1, y1 in found:  # each cuts off one corner: above 0.1 the low ones are joined
            corner = (round((x0 + x1) / 2), round((y0 + y1) / 2))
            assert ((corner[0] + corner[1]) % 2 == 0) == (level > 0)


def test_a_study_with_arguments_that_are_refused_has_nothing_to_close(tmp_path, monkeypatch):
    from holonom.studies.study import Study

    unraisable = []
    monkeypatch.setattr("sys.unraisablehook", unraisable.append)
    for words in (dict(parameters=3), dict(parameters={"x": (0, 1)}, nothing=1)):
        with pytest.raises(ModelError):
            Study(tmp_path / "a.study", max, **words)
    gc.collect()
    assert not unraisable


def test_the_live_table(tmp_path):
    """What a terminal shows: runs, what is left, ranges, the commonest sentence; brackets are no markup."""
    from rich.console import Console

    from holonom.studies.live import LiveTable, wanted

    table = LiveTable(True, "latin hypercube")
    table._draw = lambda *_: None
    stage = type(
        "Stage", (), {"number": 3, "succeeded": 7, "failures": {"a": (2, "length[0] is [red]"), "b": (1, "other")}}
    )
    for k in range(7):
        table.show(stage, {"mass": 2.0 + k, "d mass/d a": 1.0}, 40)
    console = Console(width=100, record=True, file=open(tmp_path / "out.txt", "w"))
    console.print(table.table(stage, 40))
    text = console.export_text()
    for part in ("stage 3, latin hypercube", "10 of 40", "7, 3", "mass", "2 to 8", "2 x length[0] is [red]", "left"):
        assert part in text, part
    assert "d mass" not in text and wanted(False) is False and wanted(True) is True


def test_the_live_table_of_a_notebook_is_one_output_that_changes(monkeypatch):
    """Without widgets: one display of a cell, updated; texts are escaped."""
    from holonom.studies import live

    shown = []

    def display(bundle, raw, display_id):
        shown.append(bundle["text/html"])
        return type("Handle", (), {"update": lambda self, bundle, raw: shown.append(bundle["text/html"])})()

    monkeypatch.setattr(live, "notebook", lambda: display)
    monkeypatch.setattr(live, "PERIOD", 0.0)
    stage = type("Stage", (), {"number": 1, "succeeded": 2, "failures": {"a": (1, "a <b> is long")}, "position": 3})
    table = live.LiveTable(live.wanted(None), "Sobol")
    for k in range(2):
        table.show(stage, {"mass": 2.0 + k}, 5)
    table.end(stage)
    assert len(shown) == 3 and "3 of 5" in shown[0] and "1 x a &lt;b&gt; is long" in shown[1] and "2 to 3" in shown[2]


def test_contours_are_of_what_varies(tmp_path):
    """A measure that is the same but for rounding has no contours; NaN of its surrogate hides no other."""
    rounded = lambda v: {"same": (v["a"] + 1.0) / (v["a"] + 1.0) / 3.0 + 1e-17 * v["b"], "bowl": v["a"] ** 2 + v["b"]}
    with hn.Study(tmp_path / "a.study", rounded, {"a": (0.0, 1.0), "b": (0.0, 1.0)}, workers=0, progress=False) as s:
        table = s.run(hn.studies.full_factorial(4))
        page = table.to_html(tmp_path / "a.html").read_text()
    assert "contours of bowl" in page and "contours of same" not in page and "q2 nan" not in page
