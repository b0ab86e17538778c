"""Deformed pictures: the numbers in the page against the run, coarser surfaces, modes in motion, and the page in a
browser."""

import base64
import json
import re

import numpy as np
import pytest
from _bending import bar, blade, box, swing
from _browser import Browser, find_chromium

import holonom as hn
from holonom.results.pages.animation import scene, three_js, write_animation
from holonom.results.pages.report import number, write_report
from holonom.results.pictures.flexible_surface import MOST_VERTICES, stresses, surface

NUMBERS = {"p": "<f4", "t": "<u2", "l": "<u2", "q": "<f4", "phi": "<i2", "vm": "<u1"}


def unpacked(item):
    return {k: np.frombuffer(base64.b64decode(item[k]), d).astype(float) for k, d in NUMBERS.items() if k in item}


def placed(item, frame):
    """Vertices (v, 3) in axes of the part and their displacement, as the page has them."""
    a, n = unpacked(item), len(item["modes"])
    q = a["q"].reshape(-1, n)[frame] * np.array(item["unit"])
    u = np.einsum("j,jvc->vc", q, a["phi"].reshape(n, -1, 3))
    return a["p"].reshape(-1, 3) + u, u


def test_vertices_of_the_page():
    """Rings of a beam: their middles are the nodes, displaced; colours are von Mises stresses of the fibres."""
    run = swing()
    data = scene(run)
    (item,) = data["flexible"]
    assert (
        data["bodies"][item["body"]]["name"] == "bar"
        and item["count"] == 21 * 8
        and not data["bodies"][item["body"]]["meshes"]
    )
    view, frame = run.flexible("bar"), 12
    at, u = placed(item, frame)
    # opposite fibres, in pairs: their mean is the node
    middles = at.reshape(21, 8, 3).mean(axis=1)
    want = view.element.points + view.displacement().values[frame] - run._centre(run.model.find("PART", "bar"))
    assert middles == pytest.approx(want, abs=2e-4 * np.abs(u).max())
    assert item["way"] == pytest.approx(
        max(np.linalg.norm(placed(item, f)[1], axis=1).max() for f in range(21)), rel=1e-3
    )
    vm = (unpacked(item)["vm"].reshape(-1, 168)[frame] / 254) ** 2 * item["top"]
    assert vm.reshape(21, 8).max(axis=1) == pytest.approx(view.von_mises().values[frame], abs=0.005 * item["top"])
    assert item["top"] == pytest.approx(view.hot_spots(1)["von_mises"][0])
    json.dumps(data, allow_nan=False)


def test_nodes_are_not_drawn_as_skeletons():
    data = scene(swing())
    kinds = {b["kind"]: b for b in data["bodies"]}
    assert kinds["ATTACHMENT"]["meshes"] == [] and kinds["ATTACHMENT"]["soft"]
    assert [b["name"] for b in data["bodies"] if b["meshes"]] == ["bob", "ground"]


def made(body, q=(0.01, 0.003), **axes):
    m = hn.Model("made")
    m.gravity = (0, 0, 0)
    e = m.make_flexible(m.part("box", 1.0, (1, 1, 1)), body)
    e.q = tuple(q)
    return hn.simulate(m, end=1e-6, steps=1)


def test_large_surfaces_are_made_coarser():
    run = made(box(70))
    view, element = run.flexible(), run.model.table("FLEXIBILITY")[1]
    s = surface(element, np.zeros(3), most=3000)
    assert s.coarse == 6 * 2 * 70 * 70 and 800 < len(s.triangles) <= 3000 and len(s.points) <= MOST_VERTICES
    # still the same box, closed within the size of a cell, and no stress is lost
    assert np.ptp(s.points, axis=0) == pytest.approx([1.0, 0.2, 0.1], rel=0.1)
    area = (
        0.5
        * np.linalg.norm(
            np.cross(*(s.points[s.triangles[:, k]] - s.points[s.triangles[:, 0]] for k in (1, 2))), axis=1
        ).sum()
    )
    assert area == pytest.approx(2 * (0.2 + 0.1 + 0.02), rel=0.05)
    shown = stresses(view, s, np.array([0, 1]))
    assert shown.max() == pytest.approx(view.von_mises().values.max(), rel=1e-12)
    assert s.shapes[:, 1, 0] == pytest.approx(np.cos(np.pi * s.points[:, 0]) - 0.3)
    data = scene(run)
    assert len(data["flexible"][0]["t"]) < 60_000 and any(
        "58800 triangles; it is drawn with" in text for text in data["missing"]
    )


def test_a_page_stays_small(tmp_path):
    path = write_animation(
        made(box(70, modes=12), q=np.linspace(0.01, 0.001, 12)), tmp_path / "a.html", renderer="canvas"
    )
    assert path.stat().st_size < 1_500_000


def test_modes_that_do_not_move_are_left_out():
    (item,) = scene(made(box(4), q=(0.01, 0.0)))["flexible"]
    assert item["modes"] == [1]
    (item,) = scene(made(box(4), q=(0.0, 0.0)))["flexible"]
    assert item["modes"] == [] and item["way"] == 0.0


def test_stresses_of_the_modes_alone_are_told():
    """A run that has lost what a coupler does to the bar: the picture states what its stresses are."""
    m = hn.Model("coupled")
    m.gravity = (0, -9.81, 0)
    wheel, p = m.part("wheel", 1.0, (0.01,) * 3), m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    joints = [m.revolute(b, m.ground, at=(0, 0, 0), axis=(0, 0, 1)) for b in (wheel, p)]
    m.coupler(joints, (1.0, -1.0))
    m.make_flexible(p, bar(), modes=2)
    run = hn.simulate(m, end=0.02, steps=4, integrator="RADAU5")
    for name in [n for n in run.data.extra if n.startswith("wrench/")]:
        del run.data.extra[name]
    data = scene(run)
    assert "vm" in data["flexible"][0] and any("are those of its modes alone" in text for text in data["missing"])


def test_report_has_the_section(tmp_path):
    page = write_report(blade(), tmp_path / "r.html", animation=False).read_text()
    text = re.sub("<[^>]+>", " ", page[page.index('id="flexible-bodies"') : page.index('id="energy"')])
    top = blade().flexible().hot_spots(1)[0]
    assert "Hot spots" in text and number(float(top["von_mises"])) in text
    assert "Strain energy of flexible bodies" in text


# ---- modes -----------------------------------------------------------------------------------------------------------
def test_linear_modes_bend():
    """The first mode of a cantilever: the tip of the mesh moves as the marker at its node does, and shape and amplitude
    are the closed form's."""
    m = hn.Model("cantilever")
    m.gravity = (0, 0, 0)
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    m.fixed(p, m.ground, at=(0, 0, 0))
    m.make_flexible(p, bar(), modes=6)
    m.marker_at(p, (1, 0, 0), name="tip")
    linear = hn.linearize(m)
    run = linear.run(1, amplitude=0.05)
    assert {key[0] for key in run.data.bodies} == {"PART", "ATTACHMENT"}
    view = run.flexible("bar")
    way = view.position(21).values - view.element.points[20] - run.model.find("PART", "bar").frame.origin
    tip = run.marker("tip").position.values
    assert np.abs(tip[0] - [1, 0, 0]).max() == pytest.approx(0.05, rel=0.01)
    assert view.position(21).values == pytest.approx(
        tip, abs=3e-3
    )  # small turns of a picture are not small to second order
    x = np.linspace(0, 1, 21)
    b, s = 1.875104, 0.734096
    exact = np.cosh(b * x) - np.cos(b * x) - s * (np.sinh(b * x) - np.sin(b * x))
    shape = view.position().values[0, :, 1:] - m.find("PART", "bar").frame.origin[1:]
    size = np.linalg.norm(shape, axis=1) * np.sign(shape @ shape[-1])
    assert size / size[-1] == pytest.approx(exact / exact[-1], abs=0.02) and np.abs(way).max() > 0.01
    root = view.von_mises(1).values  # of the modes alone: no loads act in a mode
    assert root[0] == pytest.approx(np.abs(root).max()) and root[0] > 0
    data = scene(run)
    assert data["relative"] and data["flexible"][0]["modes"] and "vm" in data["flexible"][0]


def test_modes_of_a_body(tmp_path):
    body = swing().flexible("bar").body
    page = hn.flexible.show_modes(body, tmp_path / "modes.html", modes=2, frequency="Hz", renderer="canvas").read_text()
    assert (
        page.count("data-holonom-viewer>") + page.count('data-wheel="focus"') >= 2
        and f"{body.frequency[0] / 2 / np.pi:.6g} Hz" in page
    )
    datas = [
        json.loads(t)
        for t in re.findall(r'<script type="application/json" id="holonom-mode-\d-data">(.*?)</script>', page, re.S)
    ]
    assert [d["flexible"][0]["modes"] for d in datas] == [[1], [2]]
    size = np.linalg.norm(np.ptp(body.places, axis=0))
    assert datas[0]["flexible"][0]["way"] == pytest.approx(0.1 * size, rel=1e-2)
    assert body.show_modes(tmp_path / "modes.png", modes=4).stat().st_size > 20_000
    for what, words in (
        (dict(path=tmp_path / "x.txt"), "ends in .txt"),
        (dict(path=tmp_path / "x.png", modes=0), "request one at least"),
        (dict(path=tmp_path / "no" / "x.png"), "cannot be written"),
    ):
        with pytest.raises(hn.ModelError, match=words):
            body.show_modes(**what)
    with pytest.raises(hn.ModelError, match="not a reduced body"):
        hn.flexible.show_modes(bar(), tmp_path / "x.png")


# ---- in a browser ----------------------------------------------------------------------------------------------------
@pytest.mark.skipif(find_chromium() is None, reason="chromium is not installed, so no page was opened")
@pytest.mark.parametrize(
    "renderer",
    [pytest.param("three", marks=pytest.mark.skipif(three_js() is None, reason="trimesh is not installed")), "canvas"],
)
def test_in_a_browser(tmp_path, renderer):
    run = swing()
    path = write_animation(run, tmp_path / "a.html", renderer=renderer)
    (item,) = scene(run)["flexible"]
    with Browser(path) as b:
        b.wait("document.querySelector('[data-ready]')")
        assert b.js("document.querySelector('.hv').dataset.ready") == "yes", b.errors
        for scale in (1.0, 10.0):
            b.enter("input[aria-label='Scale of displacements']", float(np.log10(scale)), "input")
            b.js(f"holonomViewers[0].setTime({run.time[12]})")
            b.js("holonomViewers[0].draw()")
            at = np.array(b.js("Array.from(holonomViewers[0].soft[0].points)")).reshape(-1, 3)
            rest, u = unpacked(item)["p"].reshape(-1, 3), placed(item, 12)[1]
            assert at == pytest.approx(rest + scale * u, abs=1e-6)
        assert b.js("document.querySelector('.hv-range').textContent").startswith("0von Mises, N/m²")
        before = b.screenshot(selector=".hv-stage canvas")
        b.enter("select[aria-label='Colours of flexible bodies']", "none")
        after = b.screenshot(selector=".hv-stage canvas")
        assert (np.abs(before - after).max(axis=2) > 0.1).mean() > 2e-3
        assert b.js("document.querySelector('.hv-legend').hidden")
        b.tick("Undeformed")
        assert (np.abs(after - b.screenshot(selector=".hv-stage canvas")).max(axis=2) > 0.02).mean() > 1e-3
        assert b.errors == [] and b.requests == [path.resolve().as_uri()]
