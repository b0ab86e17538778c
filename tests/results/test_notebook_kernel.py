"""A notebook is really executed: what a model and a run show, the animation in its frame, progress; skipped where
nbclient is not installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from _browser import Browser, find_chromium

import holonom

nbformat = pytest.importorskip(
    "nbformat", reason="nbclient (holonom[test]) is not installed, so no notebook was executed"
)
nbclient = pytest.importorskip(
    "nbclient", reason="nbclient (holonom[test]) is not installed, so no notebook was executed"
)
pytest.importorskip("ipykernel", reason="ipykernel (holonom[test]) is not installed, so no notebook was executed")

CELLS = (
    "import holonom as hn\nfrom holonom.analyses.session import progress\n"
    "progress.CELL_SECONDS = 0.0  # every step draws "
    "the bar",
    "m = hn.Model('pendulum <b>', units='SI')\narm = m.part('arm & rod', 1.0, (0.01, 0.01, 0.01), (0.5, 0, 0))\n"
    "m.revolute(arm, m.ground, 'hinge', at=(0, 0, 0), axis=(0, 1, 0))\nm.gravity = (0, 0, -9.80665)\nm",
    "run = hn.simulate(m, end=1.0, steps=50)\nrun",
    "run.animate(renderer='canvas', height=320, colors='velocity')",
    "s = hn.Study('a.study', lambda v: {'<y>': v['a']}, {'a': (0.0, 1.0)}, workers=0)\n_ = s.run(hn.studies.sobol(8))",
)


@pytest.mark.slow  # a process of Python of its own: three seconds
def test_a_notebook_shows_model_run_progress_and_animation(tmp_path, monkeypatch):
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(Path(holonom.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    )
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    nbclient.NotebookClient(
        book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = lambda k: [o for o in book.cells[k].outputs if o.output_type in ("execute_result", "display_data")]
    (model,) = shown(1)
    html = model.data["text/html"]
    assert (
        "1 by count: 6 of the bodies less 5 equations" in html
        and "pendulum &lt;b&gt;" in html
        and "arm &amp; rod" in html
    )
    outputs = shown(2)
    assert outputs[0].data["text/html"] == ""  # the bar was shown, changed instead, and taken away
    assert "<svg" in outputs[-1].data["text/html"] and "Speed of bodies" in outputs[-1].data["text/html"]
    (table,) = shown(4)  # of a study: one output that was changed
    assert "stage 1, Sobol" in table.data["text/html"] and "&lt;y&gt;" in table.data["text/html"]
    assert not [o for k in range(5) for o in book.cells[k].outputs if o.output_type == "stream"]
    frame = shown(3)[0].data["text/html"]
    assert frame.startswith("<iframe srcdoc=") and "allow-same-origin" not in frame
    if find_chromium() is None:
        pytest.skip("chromium is not installed, so the frame was not opened")
    page = tmp_path / "cell.html"
    page.write_text(f"<!doctype html><meta charset=utf-8><body>{frame}</body>")
    with Browser(page, width=900, height=400) as b:
        for _ in range(40):  # inside its frame nothing of the page can be read: it is checked
            b.wait_until_idle()
            picture = b.screenshot(selector="iframe")
            if picture[:250, :600].std() > 0.03:
                break
        assert picture[:250, :600].std() > 0.03 and b.errors == []
        assert [r for r in b.requests if not r.startswith(("data:", "about:"))] == [page.resolve().as_uri()]
