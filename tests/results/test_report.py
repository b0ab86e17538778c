"""The written pages as text: what they hold, what they never hold."""

from __future__ import annotations

import base64
import re
import warnings
import zlib

import numpy as np
import pytest
from _fabricated import slider_crank, tumbling_box
from _pages import embedded, unpack

from holonom.model import Model, ModelError
from holonom.results import Run, RunData
from holonom.results.pages import animation, report
from holonom.results.pages.animation import scene, write_animation
from holonom.results.pages.report import write_report

NASTY = "</script><script>alert(1)</script><!-- $x_{ \u2028 ]]> \" ' & <img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return write_report(slider_crank(), tmp_path_factory.mktemp("r") / "r.html", renderer="canvas").read_text()


@pytest.mark.parametrize("write", ["report", "animate"])
def test_pages_make_their_folder(tmp_path, write):
    run = tumbling_box()
    path = tmp_path / "a" / "b" / "page.html"
    getattr(run, write)(path, renderer="canvas")
    assert path.stat().st_size > 1000
    with pytest.raises(ModelError, match="cannot write"):  # a file stands where the folder would be
        getattr(run, write)(path / "c" / "page.html", renderer="canvas")


# ---- the data of the viewer -----------------------------------------------------------------------------------------
def test_motion_of_the_scene_is_the_motion_of_the_run():
    run = slider_crank()
    data = scene(run)
    motion = unpack(data["motion"], "<f4").reshape(data["frames"], len(data["bodies"]), 7)
    assert data["frames"] == len(run) and [b["name"] for b in data["bodies"]] == ["crank", "rod", "slider", "ground"]
    assert np.allclose(motion[:, :3, :3] + data["origin"], run.data.body_position, atol=1e-3)
    turn = np.abs(np.sum(motion[:, :3, 3:] * run.data.body_quaternion, axis=2))
    assert np.allclose(turn, 1, atol=1e-6)
    assert np.allclose(unpack(data["time"], "<f8"), run.time)
    assert data["up"] == [0, 1, 0] and data["missing"] == []


def test_frames_are_limited_and_keep_both_ends():
    data = scene(slider_crank(1000), max_frames=50)
    time = unpack(data["time"], "<f8")
    assert data["frames"] == len(time) == 50 and data["rows"] == 1000 and time[0] == 0 and time[-1] == 2


def test_quaternions_never_jump_to_the_other_sign():
    run = tumbling_box()
    run.data.body_quaternion[20:40] *= -1
    motion = unpack(scene(run)["motion"], "<f4").reshape(60, -1, 7)
    assert np.sum(motion[1:, 0, 3:] * motion[:-1, 0, 3:], axis=1).min() > 0.99


def test_a_run_that_ended_in_nan_is_still_shown():
    run = tumbling_box()
    run.data.body_position[50:] = np.nan
    run.data.body_quaternion[50:] = np.nan
    motion = unpack(scene(run)["motion"], "<f4").reshape(60, -1, 7)
    assert np.isfinite(motion).all() and np.allclose(motion[50:, 0], motion[49, 0])


def test_arrows_hold_forces_and_reactions():
    run = slider_crank()
    data = scene(run)
    kinds = [a["kind"] for a in data["arrows"]["items"]]
    assert kinds.count("force") == 1 and kinds.count("reaction") == 4
    values = unpack(data["arrows"]["values"], "<f4").reshape(data["frames"], 5, 3)
    assert np.allclose(values[:, 0], run.data.force_force[:, 0], rtol=1e-6)
    assert data["arrows"]["largest"] == pytest.approx(np.abs(run.data.force_force).max())


def test_a_force_graphic_may_name_the_other_marker():
    run = slider_crank()
    spring = run.model.table("SPRINGDAMPER")[1]
    for marker in (spring.i, spring.j):
        run.model.graphic("FORCE", etype="SPRINGDAMPER", eid=1, emarker=marker)
    data = scene(run)
    values = unpack(data["arrows"]["values"], "<f4").reshape(data["frames"], -1, 3)
    assert [a["kind"] for a in data["arrows"]["items"]].count("force") == 2
    assert np.allclose(values[:, 0], -values[:, 1])


def test_nothing_to_animate_is_an_error_with_a_reason(tmp_path):
    with pytest.raises(ValueError, match="no output rows"):
        write_animation(Run(Model("m"), RunData(np.zeros(0))), tmp_path / "a.html")
    with pytest.raises(ValueError, match="unknown renderer"):
        write_animation(tumbling_box(), tmp_path / "a.html", renderer="flash")


def test_without_three_js_the_page_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(animation, "three_js", lambda: None)
    with pytest.warns(UserWarning, match=r"pip install holonom\[report\]"):
        text = write_animation(tumbling_box(), tmp_path / "a.html").read_text()
    assert any("holonom[report]" in note for note in embedded(text)["missing"])
    with pytest.raises(RuntimeError, match=r"holonom\[report\]"):
        write_animation(tumbling_box(), tmp_path / "a.html", renderer="three")


def test_three_js_comes_whole_with_its_licence(tmp_path):
    pytest.importorskip("trimesh", reason="trimesh is not installed")
    code = animation.three_js()
    assert code.startswith("/**\n * @license") and "MIT" in code[:200] and code.rstrip().endswith(("}))", "}));"))
    assert "GLTFLoader" not in code[-2000:] and "$B64GLTF" not in code
    text = write_animation(tumbling_box(), tmp_path / "a.html").read_text()
    packed = re.search(r'id="holonom-three">(.*?)</script>', text).group(1)
    assert zlib.decompress(base64.b64decode(packed)).decode() == code and len(text) < 400_000
    assert re.search(
        r"<!-- /\*\*\s+\* @license\s+\* Copyright 2010-\d+ Three.js Authors\s+\* SPDX-License-Identifier: MIT", text
    )  # in plain text


# ---- pages as text --------------------------------------------------------------------------------------------------
def test_no_page_asks_for_anything_outside_itself(page, tmp_path):
    animated = write_animation(slider_crank(), tmp_path / "a.html", renderer="canvas").read_text()
    for text in (page, animated):
        assert "default-src 'none'" in text
        outside = [
            m for m in re.findall(r"""(?:src|href)\s*=\s*["']([^"'#][^"']*)["']|url\((?!#)([^)]*)\)|@import""", text)
        ]
        assert outside == []
        assert "{{" not in re.sub(r"<script.*?</script>", "", text, flags=re.S)


def test_names_from_strangers_stay_text(tmp_path):
    run = slider_crank(name=NASTY)
    run.model.title = NASTY
    run.model.warnings.append(NASTY)
    run.model.path = NASTY
    run.info.update(integrator=NASTY, redundant=[NASTY], error=NASTY, complete=False, version=NASTY)
    for part in run.model.parts.values():
        part.name = NASTY
    run.data.bodies = [(k, i, NASTY) for k, i, _ in run.data.bodies]
    run.data.constraints = [(k, i, NASTY) for k, i, _ in run.data.constraints]
    run.data.counters[NASTY] = 1
    run.data.history["cause"][5] = "<b>$x"
    run = Run(run.model, run.data, run.info)  # finds its elements by the new names
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pages = [
            write_report(run, tmp_path / "r.html", renderer="canvas"),
            write_animation(run, tmp_path / "a.html", renderer="canvas", title=NASTY),
        ]
    clean = write_report(slider_crank(), tmp_path / "c.html", renderer="canvas").read_text()
    for path in pages:
        text = path.read_text()
        assert "alert(1)</script>" not in text and "<img" not in text and "<b>" not in text
        assert "could not be made" not in text
        assert embedded(text)["model"] == NASTY
    count = lambda text: len(re.findall(r"<script", text))
    assert count(pages[0].read_text()) == count(clean)


def test_report_says_what_ran_and_how(page):
    for text in (
        "slider crank",
        "3 revolute, 1 translational",
        "JOINT/4 rotation about x",
        "the rail&#x27;s marker is not needed",
        "GSTIFF",
        "Steps rejected",
        "newton",
        "residuals",
        "Degrees of freedom",
        "Values at the end",
        "Energies",
        "Angles of joints",
        "Lengths of springs",
    ):
        assert text in page
    assert page.count('<figure class="plot" data-plot=') >= 7
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_energy_balance_is_judged(page):
    assert "energy and work balance within" in page and "Balance: sum" in page
    run = slider_crank()
    run.data.energy_input = None
    assert "works are not recorded" in report._energy(run)


def test_a_report_of_nearly_nothing(tmp_path):
    run = Run(Model("empty"), RunData(np.zeros(0)))
    with pytest.warns(UserWarning, match="no output rows"):
        text = write_report(run, tmp_path / "e.html").read_text()
    assert "nothing to animate" in text and "Parts" in text
    text = write_report(tumbling_box(), tmp_path / "b.html", animation=False).read_text()
    assert "no record of its steps" in text and "holonom-viewer-data" not in text


def test_the_same_run_gives_the_same_page(page, tmp_path):
    assert write_report(slider_crank(), tmp_path / "r.html", renderer="canvas").read_text() == page


def test_thin_keeps_peaks_and_ends():
    t = np.linspace(0, 1, 100_000)
    y = np.zeros_like(t)
    y[12_345], y[67_890] = 7, -3
    tt, yy = report.thin(t, y)
    assert (
        len(tt) < 4000 and yy.max() == 7 and yy.min() == -3 and tt[0] == 0 and tt[-1] == 1 and (np.diff(tt) > 0).all()
    )


@pytest.mark.parametrize(
    "value, text",
    [
        (None, ""),
        (float("nan"), ""),
        (float("inf"), "∞"),
        (0.0, "0"),
        (3.0, "3"),
        (-9806.65, "−9806.65"),
        (182240.4, "182240"),
        (1 / 3, "0.333333"),
        (1.5e-7, "1.5e-07"),
        (-2e-9, "−2e-09"),
        (0.5, "0.5"),
        (True, "True"),
    ],
)
def test_numbers_read_well(value, text):
    assert report.number(value) == text


def test_quantities_of_bodies_are_those_of_the_run():
    run = slider_crank()
    held = scene(run, colors="force", arrows="velocity")["quantities"]
    v, nb = held["vectors"]["velocity"], len(run.data.bodies) + 1  # ground at rest is last
    values = unpack(v["values"], "<i2").reshape(len(run.time), nb, 3) * 2 * v["common"] / held["levels"]
    speed = np.linalg.norm(run.data.body_velocity, axis=2)
    below = speed < 2 * v["common"]
    assert np.allclose(values[:, :-1][below], run.data.body_velocity[below], atol=2 * v["common"] / held["levels"])
    assert (values[:, -1] == 0).all() and v["top"] == pytest.approx(speed.max()) and v["unit"] == "mm/s"
    assert np.mean(speed[speed > 1e-9 * speed.max()] <= v["common"]) == pytest.approx(0.98, abs=0.01)
    force = (
        unpack(held["force"]["values"], "<u2").reshape(len(run.time), nb) * 2 * held["force"]["common"] / held["levels"]
    )
    crank = run.bodies.index("crank")
    joints = [np.linalg.norm(run.joint(j).force.values, axis=1) for j in ("JOINT_1", "JOINT_2")]
    wanted = np.minimum(np.max(joints, axis=0), 2 * held["force"]["common"])
    assert np.allclose(force[:, crank], wanted, atol=2 * held["force"]["common"] / held["levels"])
    with pytest.raises(
        ValueError, match="unknown colors 'speed'; choose velocity, acceleration, angular_velocity, force"
    ):
        scene(run, colors="speed")
