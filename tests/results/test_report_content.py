"""What a report reports real runs: contacts, noise, messages, integrators, elements; and what it never holds, such as
paths."""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from _fabricated import slider_crank
from _pages import curves_of, drawn, embedded, unpack

import holonom as hn
from holonom.integrators.stepper import Options
from holonom.model.paths import without_paths
from holonom.results import Run, RunData
from holonom.results.pages.report import write_report
from holonom.results.pages.report_curves import Curves, alike

MODELS = Path(hn.__file__).parent / "models"


def written(run, folder, **options):
    return write_report(run, folder / "r.html", renderer="canvas", **options).read_text()


def text_of(page):
    """Words of the page without scripts, styles and tags."""
    return html.unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<(script|style).*?</\1>", " ", page, flags=re.S)))


def values_of(curves, number):
    """Numbers of a curve as the page's script has them."""
    s = curves["series"][number]
    return unpack(s["y"], "<f4").astype(float) + s["o"]


@pytest.fixture(scope="module")
def ball():
    """A ball of 2 kg that drops on a plane and settles there, without friction."""
    model = hn.Model("drop", units="SI")
    model.gravity = (0.0, 0.0, -9.80665)
    body = model.part("<script>alert(1)</script>", 2.0, (0.008, 0.008, 0.008), (0.3, 0, 0.101))
    model.contact(
        model.sphere(body, (0.3, 0, 0.101), 0.1),
        model.plane(model.ground, (0, 0, 0), (0, 0, 1)),
        law="IMPACT",
        stiffness=1e8,
        exponent=1.5,
        damping=500.0,
        dmax=1e-4,
        name="on the plane",
    )
    return hn.simulate(model, end=0.6, steps=60, integrator="GSTIFF", error=1e-6)


# ---- contacts -------------------------------------------------------------------------------------------------------
def test_contact_forces_stand_where_they_act(ball, tmp_path):
    data = embedded(written(ball, tmp_path))
    contacts = data["contacts"]
    values = unpack(contacts["values"], "<f4").reshape(data["frames"], contacts["slots"], 6)
    place, force = values[-1, 0, :3] + data["origin"], values[-1, 0, 3:]
    assert force == pytest.approx([0, 0, 2 * 9.80665], rel=1e-3, abs=1e-6)  # it carries the weight of the ball
    assert place == pytest.approx([0.3, 0, 0], abs=1e-4)  # below its centre, on the plane
    free = unpack(contacts["values"], "<f4").reshape(-1, 6)[0, 3:]
    assert not free.any()  # it began above the plane
    assert contacts["largest"] >= contacts["scale"] > 0


def test_a_half_space_covers_what_moves_over_it(ball, tmp_path):
    far = ball.between(float(ball.time[0]), float(ball.time[-1]))
    far.data.body_position = far.data.body_position.copy()
    far.data.body_position[-1, 0, 0] += 25.0  # far away at the end
    data = embedded(written(far, tmp_path))
    (plane,) = [m for b in data["bodies"] for m in b["meshes"] if m.get("plane")]
    corners = unpack(plane["p"], "<f4").reshape(4, 3)
    assert corners[:, 0].max() > 25.3 and corners[:, 0].min() < 0.3 and np.allclose(corners[:, 2], corners[0, 2])


def test_a_bounded_plane_keeps_its_bounds(tmp_path):
    run = slider_crank()
    m = run.model
    m.graphic("PLANE", rm=m.marker(m.ground, (0, 0, 0)).id, xmin=-1, xmax=2, ymin=-3, ymax=4)
    meshes = [b for b in embedded(written(run, tmp_path))["bodies"] if b["name"] == "ground"][0]["meshes"]
    assert not any(mesh.get("plane") for mesh in meshes)


def test_contacts_have_their_curves(ball, tmp_path):
    curves = curves_of(written(ball, tmp_path))
    assert drawn(curves, "Contacts: normal force") == drawn(curves, "Contacts: depth") == [["on the plane"]]
    element = next(e for e in curves["elements"] if e["kind"] == "CONTACT")
    plot = curves["plots"][element["plots"][0]]
    assert plot["title"] == "Normal and friction force" and plot["y"] == "force (N)"
    weight = values_of(curves, plot["curves"][0][1])[-1]
    assert weight == pytest.approx(2 * 9.80665, rel=1e-3)
    assert [curves["elements"][k]["kind"] for k in element["near"]] == ["PART"]


# ---- noise and units ------------------------------------------------------------------------------------------------
def test_what_is_zero_to_rounding_is_named_and_not_drawn(tmp_path):
    run = slider_crank()
    d = run.data
    d.constraint_torque[:, :, 2] = 1e-15 * np.sin(1e3 * run.time)[:, None]  # next to forces of 600 N on 400 mm
    d.body_position[:, :, 2] = 1e-14 * np.cos(7e2 * run.time)[:, None]
    page = written(run, tmp_path)
    curves, words = curves_of(page), text_of(page)
    titles = {p["title"] for p in curves["plots"]}
    assert "Centres of mass, x" in titles and "Centres of mass, z" not in titles
    assert "Reactions: force" in titles and "Reactions: torque" not in titles
    assert "Zero to rounding all the time, so not drawn:" in words
    assert "Reactions: torque" in words and "displacements of the centres of mass (z)" in words
    ends = re.search(r'<section id="values-at-the-end">.*?</section>', page, re.S).group(0)
    assert "e-1" not in ends  # rounding stands as 0 in tables too
    d.constraint_torque[:, 0, 2] = 1e-3 * np.sin(run.time)  # small, but no rounding
    assert drawn(curves_of(written(run, tmp_path)), "Reactions: torque") == [["JOINT_1"]]


def test_a_constant_is_not_drawn_as_its_rounding(tmp_path):
    run = slider_crank()
    run.data.body_position[:, 2, 1] = 77.0 + 1e-14 * np.sin(1e3 * run.time)
    curves = curves_of(written(run, tmp_path))
    element = next(e for e in curves["elements"] if e["name"] == "slider")
    place = curves["plots"][element["plots"][0]]
    y = dict(place["curves"])["y"]
    assert np.ptp(values_of(curves, y)) == 0.0 and values_of(curves, y)[0] == 77.0


def test_every_plot_has_a_title_and_a_unit(ball, tmp_path):
    for run in (slider_crank(), ball):
        curves = curves_of(written(run, tmp_path))
        assert curves["second"] == "s" and len(curves["plots"]) > 6
        for plot in curves["plots"]:
            assert plot["title"] and re.search(r"\([^()]+\)$", plot["y"]), plot


def test_curves_are_those_of_the_run(tmp_path):
    run = slider_crank()
    curves = curves_of(written(run, tmp_path))
    by_title = {p["title"]: p for p in curves["plots"]}
    length = values_of(curves, by_title["Lengths of springs"]["curves"][0][1])
    assert np.allclose(length, run.spring("return spring").length.values, rtol=1e-6)
    angle = dict(map(tuple, by_title["Angles of joints"]["curves"]))
    assert np.allclose(values_of(curves, angle["JOINT_1"]), run.joint("JOINT_1").degrees.values, atol=1e-3)
    assert by_title["Angles of joints"]["y"] == "angle (°)"
    t = unpack(curves["time"], "<f4")
    assert np.allclose(t + curves["start"], run.time, atol=1e-6)


def test_small_swings_on_large_values_survive_32_bits(tmp_path):
    run = slider_crank()
    run.data.body_position[:, 0, 0] = 1e6 + 1e-3 * np.sin(3 * run.time)
    curves = curves_of(written(run, tmp_path))
    element = next(e for e in curves["elements"] if e["name"] == "crank")
    x = dict(curves["plots"][element["plots"][0]]["curves"])["x"]
    assert np.allclose(values_of(curves, x) - 1e6, 1e-3 * np.sin(3 * run.time), atol=1e-8)


def test_components_of_unknown_units_share_an_axis_only_where_they_fit():
    values = np.ones((5, 4)) * [1.0, 100.0, 7.0, 2000.0]
    assert alike(range(4), values) == [[1, 3], [0, 2]]


def test_long_runs_make_small_pages(tmp_path):
    page = written(slider_crank(60_000), tmp_path)
    assert len(page) < 2_000_000
    curves = curves_of(page)
    x = next(p for p in curves["plots"] if p["title"] == "Centres of mass, x")
    assert len(values_of(curves, x["curves"][0][1])) <= 1600
    assert values_of(curves, x["curves"][0][1]).max() == pytest.approx(50.0, abs=1e-4)  # peaks are kept


def test_many_elements_are_limited_and_counted(tmp_path, monkeypatch):
    monkeypatch.setattr("holonom.results.pages.report_curves.MAX_ELEMENTS", 5)
    page = written(slider_crank(), tmp_path)
    elements = curves_of(page)["elements"]
    assert len(elements) == 5 and [e["kind"] for e in elements[:3]] == ["PART"] * 3
    assert "3 elements with smaller forces are not in this page" in page


# ---- what the run had to say ----------------------------------------------------------------------------------------
def test_all_messages_and_warnings_are_told(tmp_path):
    run = slider_crank()
    run.info["messages"] = [f"message {k} of the run" for k in range(700)]
    run.info["failed"] = "the step became too small"
    run.model.warnings.append("PART/7 has no mass")
    words = text_of(written(run, tmp_path))
    for k in range(700):
        assert f"message {k} of the run" in words
    assert "PART/7 has no mass" in words and "the rail's marker is not needed" in words
    assert "The run failed: the step became too small" in words


def test_the_integrator_that_did_the_work_is_named(tmp_path):
    model = hn.Model("stiff", units="SI")
    model.gravity = (0, 0, 0)
    body = model.part("mass", 1.0, (1, 1, 1), (0.2, 0, 0))
    model.translational(body, model.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    model.spring_damper(
        body.cm, model.marker(model.ground, (-1, 0, 0)), stiffness=1e4, damping=1e6, length=1.0, name="stiff damper"
    )
    run = hn.simulate(model, end=5.0, steps=50, absolute=1e-9, hmax=0.5)
    made = run.segments[0].settings["steps by integrator"]
    assert (
        sum(made.values()) == (run.history["cause"] == "").sum() and len(made) == 2
    )  # stiffness changed the integrator
    words = text_of(written(run, tmp_path))
    for name, steps in made.items():
        assert f"{name}: {steps} steps" in words
    assert "auto" not in re.findall(r"Integrator\s+(.*?)\s{2}", words)[0].lower()
    assert "hmax 0.5" in words and "absolute positions 1e-09" in words and "CPU time of the solver (s)" in words
    loaded = tmp_path / "run.h5"
    run.save(loaded)
    assert hn.load(loaded).segments[0].settings["steps by integrator"] == made


def test_settings_that_are_defaults_go_without_saying():
    from holonom.analyses.dynamics.analysis import given

    assert given(Options()) == {}
    assert given(Options(hmax=0.1, scale=(1.0, 2.0, 1.0, 1.0, 1.0), absolute=(None, None, 1e-3, None, None))) == {
        "hmax": 0.1,
        "scale rotations": 2.0,
        "absolute velocities": 1e-3,
    }


def test_kinematics_says_that_it_has_no_integrator(tmp_path):
    run = slider_crank()
    run.info.pop("integrator")
    run.data.history = run.data.history[:0]
    run.data.segments[0].kind = "kinematics"
    assert "Newton iteration on the constraints" in text_of(written(run, tmp_path))


# ---- what never is in the page --------------------------------------------------------------------------------------
def test_no_path_of_this_machine_is_in_the_page(tmp_path):
    folder = tmp_path / "my secret machine"
    folder.mkdir()
    shutil.copy(MODELS / "slider_crank.adm", folder / "m.adm")
    model = hn.read_adams(folder / "m.adm")
    model.warnings.append(f"{folder / 'm.adm'}:12: a comma too many; see {Path.home() / 'notes.txt'}")
    model.graphic(
        "EXTERNAL", rm=model.marker(model.ground, (0, 0, 0)).id, file=str(folder / "meshes" / "not there.stl")
    )
    run = hn.simulate(model, end=0.1, steps=10)
    run.info["messages"].append(
        f"wrote {folder}/run.h5 and C:\\Users\\someone\\deep\\run.h5 and \\\\server\\share\\x.res"
    )
    page = written(run, tmp_path)
    for secret in (str(tmp_path), str(folder), folder.name, "someone", "share", "file://"):
        assert secret not in page, secret
    words = text_of(page)
    assert "m.adm:12: a comma too many" in words and "wrote run.h5 and run.h5 and x.res" in words
    assert "not there.stl" in page


@pytest.mark.parametrize(
    "text, kept",
    [
        ("force in N/mm, m/s and kg/m/s", "force in N/mm, m/s and kg/m/s"),
        ("PART/1 and JOINT/2 (line 3)", "PART/1 and JOINT/2 (line 3)"),
        ("/home/me/a b/x.adm", "a b/x.adm"),  # a folder with a space that nobody named: at least no folder before it
        ("see '/home/me/x.adm', line 3", "see 'x.adm', line 3"),
        ("file:///home/me/x.html", "x.html"),
        ("D:/work/x.adm: gone", "x.adm: gone"),
        ("error:/home/me/x.adm", "error:x.adm"),
        ("https://example.org/a/b/c", "https://example.org/a/b/c"),
        ("~me/data/x.adm", "x.adm"),
        ("1/2, either/or", "1/2, either/or"),
        ("folder /home/me/", "folder ..."),
    ],
)
def test_paths_are_cut_and_nothing_else(text, kept):
    assert without_paths(text) == kept


def test_names_that_look_like_paths_stay():
    model = hn.Model("robot")
    model.part("/arm/hinge/left", 1.0, (1, 1, 1), (0, 0, 0))
    run = Run(model, RunData(np.zeros(0)))
    assert (
        without_paths("joint of /arm/hinge/left is loose, see /tmp/a/b.adm", run)
        == "joint of /arm/hinge/left is loose, see b.adm"
    )


def test_a_body_named_like_a_script_is_only_a_name(ball, tmp_path):
    page = written(ball, tmp_path)
    assert "alert(1)</script>" not in page and "<script>alert" not in page
    assert curves_of(page)["elements"][0]["name"] == "<script>alert(1)</script>"
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "could not be made" not in page


def test_the_same_run_gives_the_same_page_with_contacts(ball, tmp_path):
    assert written(ball, tmp_path) == written(ball, tmp_path)


def test_elements_hold_all_bodies_joints_and_forces():
    curves = Curves(slider_crank())
    curves.gather()
    found = {(e["group"], e["name"]) for e in curves.elements}
    assert {("Bodies", "crank"), ("Joints and motions", "JOINT_4"), ("Forces", "return spring")} <= found
    crank = next(e for e in curves.elements if e["name"] == "crank")
    assert {curves.elements[k]["name"] for k in crank["near"]} == {"JOINT_1", "JOINT_2"}


# ---- points of contacts ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("contact", ["compliant", "time-stepping", "events"])
def test_forces_of_points_make_up_that_of_the_contact(contact, tmp_path):
    """A box on a plane touches at four corners; their forces are the contact's, and lie below the corners."""
    model = hn.Model("box", units="SI")
    model.gravity = (0.0, 0.0, -9.80665)
    body = model.part("box", 3.0, (0.02, 0.02, 0.02), (0, 0, 0.1))
    law = (
        {"law": "IMPACT", "stiffness": 1e7, "exponent": 1.5, "damping": 1e4, "dmax": 1e-5}
        if contact == "compliant"
        else {}
    )
    model.contact(
        model.plane(model.ground, (0, 0, 0), (0, 0, 1)),
        model.box(body, (0, 0, 0.1), (0.4, 0.2, 0.2)),
        name="floor",
        **law,
    )
    run = hn.simulate(model, end=0.2, steps=20, contact=contact)
    points = run.data.extra["contacts/points"]
    assert points.shape == (21, 4, 7)
    last = points[-1]
    assert np.isfinite(last).all() and (last[:, 0] == 0).all()
    assert np.allclose(last[:, 4:].sum(axis=0), run.contact("floor").force.values[-1], rtol=1e-4, atol=1e-3)
    assert last[:, 4:].sum(axis=0)[2] == pytest.approx(-3 * 9.80665, rel=1e-3)  # I is the plane, which is pressed down
    assert np.allclose(np.abs(last[:, 1:3]), [0.2, 0.1], atol=1e-4) and np.allclose(last[:, 3], 0.0, atol=3e-4)
    data = embedded(written(run, tmp_path))
    assert data["contacts"]["slots"] == 4 and (unpack(data["contacts"]["which"], "<i4").reshape(-1, 4)[-1] == 0).all()
    run.save(tmp_path / "run.h5")
    assert np.array_equal(hn.load(tmp_path / "run.h5").data.extra["contacts/points"], points, equal_nan=True)


def test_runs_without_points_show_the_force_of_each_contact(ball, tmp_path):
    extra = ball.data.extra.pop("contacts/points")
    try:
        data = embedded(written(ball, tmp_path))
    finally:
        ball.data.extra["contacts/points"] = extra
    values = unpack(data["contacts"]["values"], "<f4").reshape(data["frames"], 1, 6)
    assert data["contacts"]["slots"] == 1 and values[-1, 0, 5] == pytest.approx(2 * 9.80665, rel=1e-3)
