"""What notebooks show: whole HTML, everything escaped, an animation in a frame, progress below a cell."""

import html
import sys
import types
from html.parser import HTMLParser
from pathlib import Path

import pytest
from _fabricated_run import model, run

import holonom as hn
from holonom.analyses.session import progress
from holonom.model.html import counted_freedom
from holonom.results import compare

#: of the assembled equations (`holonom.check`)
DEGREES = {"crane": 18, "slider_crank": 0, "quarter_car": 2, "chain_drive": 62, "gear_train": 1}
VOID = {"br", "img", "progress"}


class Whole(HTMLParser):
    """Every element is closed where it was opened."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.frame, self.words = [], [], "", ""
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.frame = dict(attrs).get("srcdoc", self.frame)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data + " "


def test_a_run_tells_its_time_names_and_warnings():
    r = run(11)
    r.info["warnings"] = ["mass < 0 & rising"]
    page = Whole(r._repr_html_())
    assert (
        "0 to 2 s" in page.words
        and "ROTOR, BEAD" in page.words
        and "HINGE, DRIVE" in page.words
        and "REACH, CUSTOM" in page.words
    )
    assert "5, 1 rejected" in page.words and "mass < 0 & rising" in page.words
    assert "stopped" not in page.words and "messages" not in page.words  # nothing stopped it, and it said nothing


def test_a_run_tells_all_messages_who_solved_it_and_no_path(tmp_path):
    r = run(11)
    r.info |= {
        "messages": [f"message {k}" for k in range(40)] + [f"wrote {tmp_path}/x.res"],
        "stopped": "stopped by the user",
        "failed": "",
    }
    r.segments[0].settings |= {"integrator": "auto", "steps by integrator": {"DOP853": 3, "HHT": 2}}
    words = Whole(r._repr_html_()).words
    assert all(f"message {k} " in words for k in range(40)) and "wrote x.res" in words and str(tmp_path) not in words
    assert "DOP853: 3 steps, HHT: 2 steps" in words and "auto" not in words
    assert "stopped by the user" in words and "failed" not in words


def test_names_are_text():
    m = model()
    m.parts[2].name = "<script>alert(1)</script>"
    for shown in (run(3, m=m), m, hn.check(m), compare(run(3, m=m), run(3, m=m))):
        page = Whole(shown._repr_html_())
        assert "script" not in page.seen
    assert "<script>alert(1)</script>" in Whole(m._repr_html_()).words


def test_model_check_audits_comparison():
    m = model()
    words = Whole(m._repr_html_()).words
    assert "mm, kg, N, s" in words and "1: HINGE" in words and "2: REACH, CUSTOM" in words
    assert "the model can run" in Whole(hn.check(m)._repr_html_()).words
    assert "energy and work balance within" in Whole(run().audit()._repr_html_()).words
    assert "not recorded" in Whole(run().momentum_audit()._repr_html_()).words
    same = Whole(compare(run(), run())._repr_html_())
    assert "none of them differs" in same.words and "table" not in same.seen
    a, b = run(), run()
    b.data.body_position[57, 0, 1] += 0.25
    page = Whole(compare(a, b)._repr_html_())
    assert page.seen.count("tr") == 21 and "ROTOR.position.y" in page.words and "0.25" in page.words


def test_a_run_has_small_pictures():
    shown = run(301)._repr_html_()
    page = Whole(shown)
    assert (
        page.seen.count("svg") == 4 and page.seen.count("path") >= 6 and "script" not in page.seen
    )  # speeds, energies, two requests
    assert "speed (mm/s): 1 to " in page.words and "Energy" in page.words and "Request REACH" in page.words
    assert len(shown) < 30_000
    assert "<svg" not in run(1)._repr_html_()


@pytest.mark.parametrize("name", ["crane", "slider_crank", "quarter_car", "chain_drive", "gear_train"])
def test_freedom_by_count_is_that_of_the_equations(name):
    """Machines without redundant constraints: the count of Gruebler is the rank of the assembled equations."""
    m = hn.read_adams(Path(hn.__file__).parent / "models" / f"{name}.adm")
    free, equations = counted_freedom(m)
    assert f"{free - equations} by count" in m._repr_html_()
    assert free - equations == DEGREES[name]


def test_freedom_is_not_counted_where_bodies_have_coordinates_of_their_own():
    """Nodes of a cable are not bodies of six; what is not active does not count."""
    m = hn.Model("line")
    line = hn.flexible.cable(m, [(0, 0, 0), (1, 0, 0)], EA=1e4, EI=0.05, mass=0.2, elements=4)
    m.fixed(line.first, m.ground, at=(0, 0, 0))
    assert counted_freedom(m) is None and "by count" not in m._repr_html_()
    m = hn.Model("two")
    for name in "ab":
        m.part(name, 1.0, (1, 1, 1))
    m.find("PART", "b").active = False
    assert counted_freedom(m) == (6, 0)


def test_a_model_tells_its_tree_and_its_faults():
    m = hn.Model("arm", units="SI")
    body = m.part("boom <i>", 2.0, (1, 1, 1), (0.5, 0, 0))
    m.revolute(body, m.ground, "knee", at=(0, 0, 0), axis=(0, 1, 0))
    page = Whole(m._repr_html_())
    assert (
        "faults" not in page.words
        and "knee (revolute)" in page.words
        and "boom <i>" in page.words
        and "i" not in page.seen
    )
    m.part("weightless", 0.0, (0, 0, 0), (0, 0, 0))
    assert "faults: 1" in Whole(m._repr_html_()).words


def test_an_animation_stands_in_a_frame():
    shown = run(11).animate(renderer="canvas", height=300)
    page = Whole(shown._repr_html_())
    assert page.seen == ["iframe"] and page.frame == shown.page and "height:300px" in shown._repr_html_()
    assert "holonom-viewer" in page.frame and html.escape(page.frame, quote=True) in shown._repr_html_()


class Handle:
    def __init__(self):
        self.shown = []

    def update(self, bundle, raw):
        self.shown.append(bundle["text/html"])


@pytest.mark.parametrize("show", [None, "log", True, False])
def test_progress_below_a_cell(monkeypatch, capsys, show):
    handle = Handle()

    def display(bundle, raw, display_id):
        handle.update(bundle, raw)
        return handle

    ipython = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))
    now = [100.0]
    monkeypatch.setattr(progress.clock, "monotonic", lambda: now[0])
    with progress.Progress(show, 0.0, 10.0) as bar:
        for k in range(1, 5):
            now[0] += 0.4
            bar.update(2.5 * k, 0.1)
    if show is False:
        assert handle.shown == []
    else:
        assert len(handle.shown) == 3 and handle.shown[-1] == ""  # every second call, then it goes away
        assert (
            'value="0.5000"' in handle.shown[0]
            and "time 5 of 10 (50%)" in handle.shown[0]
            and "about 1 s left" in handle.shown[0]
        )
    assert capsys.readouterr().err == ""
