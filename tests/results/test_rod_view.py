"""Rods as one thing in results and pictures: sections by balance of forces, stresses by the formulas of strength of
materials, tubes of the page."""

import base64

import numpy as np
import pytest
from _browser import Browser, find_chromium

import holonom as hn
from holonom.flexible import Section, rod
from holonom.results.pages.animation import scene, three_js, write_animation

FORCE, TORQUE = np.array([40.0, 25.0, -15.0]), np.array([3.0, 0.0, 0.0])


def loaded(section, n=6, **options):
    """A clamped rod of 1 m along x under an end load that bends it visibly."""
    m = hn.Model("loaded rod")
    m.gravity = (0, 0, 0)
    r = rod(m, [(0, 0, 0), (1, 0, 0)], section, E=2e11, density=7850.0, elements=n, y=(0, 1, 0), name="bar", **options)
    m.fixed(r.first, m.ground, at=(0, 0, 0))
    m.gforce(r.last.cm, m.ground, *(f"{v!r}*TIME" for v in (*FORCE.tolist(), *TORQUE.tolist())), rm=m.marker(m.ground))
    sim = hn.Simulation(m)
    sim.quasistatics(end=1.0, steps=4)
    return m, r, sim.run()


@pytest.fixture(scope="module")
def bar():
    return loaded(Section.rectangle(0.02, 0.01))


def test_sections_hold_the_balance(bar):
    """What lies beyond a section is in equilibrium: its force is the end force, its moment that of the end load about
    the section, in places of the run."""
    _, r, run = bar
    view = run.rod(r)
    at = view.axis().values[-1]
    for k in range(6):
        arms = at[-1] - at[[k, k + 1]]
        moments = TORQUE + np.cross(arms, FORCE)
        t = (at[k + 1] - at[k]) / np.linalg.norm(at[k + 1] - at[k])
        pull = view.section("axial force").values[-1, k]
        shear = view.section("shear force").values[-1, k]
        assert pull == pytest.approx(FORCE @ t, rel=2e-4) and np.hypot(pull, shear) == pytest.approx(
            np.linalg.norm(FORCE), rel=1e-9
        )
        along = view.section("torsion", ends=True).values[-1, 2 * k : 2 * k + 2]
        across = view.section("bending moment", ends=True).values[-1, 2 * k : 2 * k + 2]
        assert np.hypot(along, across) == pytest.approx(np.linalg.norm(moments, axis=1), rel=1e-7)
        assert along == pytest.approx(moments @ t, abs=2e-3)
    assert view.section("axial force").values == pytest.approx(r.tension(run), rel=1e-4)
    assert view.section("Mz", ends=True).values[-1, 0] > 0 > -view.section("My", ends=True).values[-1, 0]
    assert view.section("Vy").values[-1, 0] > 0 > view.section("Vz").values[-1, 0]


def test_stresses_of_the_section(bar):
    """Rectangle: N/A and M/W of both planes in the corner at the root.  Tube: torsion over Wt and bending."""
    _, r, run = bar
    view = run.rod("bar")
    N, My, Mz = (abs(view.section(w, ends=True).values[-1, 0]) for w in ("axial force", "My", "Mz"))
    b, h = 0.02, 0.01
    want = N / (b * h) + 6 * Mz / (h * b**2) + 6 * My / (b * h**2)
    assert view.stress("normal").values[-1, 0] == pytest.approx(want, rel=1e-9)
    assert view.stress().values[-1, 0] == pytest.approx(want, rel=1e-3)  # the corner has no shear
    assert view.stress().attrs["units"] == "N/m^2"
    R, hole = 0.01, 0.006
    _, r, run = loaded(Section.round(R, hole), n=2)
    view = run.rod()
    T, M = (abs(view.section(w, ends=True).values[-1, 0]) for w in ("torsion", "bending moment"))
    I = np.pi / 4 * (R**4 - hole**4)
    sigma, tau = M * R / I + view.section("axial force").values[-1, 0] / (np.pi * (R**2 - hole**2)), T * R / (2 * I)
    # eight points around: the outermost lies at most 22.5 degrees next to the plane of bending, and forces across shear
    # it a little
    assert (
        np.hypot(sigma * np.cos(np.pi / 8), np.sqrt(3) * tau) * 0.99
        < view.stress().values[-1, 0]
        < np.hypot(sigma, np.sqrt(3) * tau) * 1.02
    )
    with pytest.raises(hn.ModelError, match="choose von Mises or normal"):
        view.stress("shear")
    with pytest.raises(hn.ModelError, match="no 'pull' along it; choose one of axial force"):
        view.section("pull")


def test_a_ring_and_what_is_not_known():
    """A closed rod under tension as drawn has it all around and bends nowhere; a section of numbers alone has no
    stresses, and states what to give."""
    m = hn.Model("ring")
    m.gravity = (0, 0, 0)
    angle = 2 * np.pi * np.arange(12) / 12
    belt = rod(
        m,
        np.column_stack([np.cos(angle), np.sin(angle), 0 * angle]),
        Section(1e-4, 1e-9, 1e-9, 2e-9),
        E=1e9,
        density=1000.0,
        closed=True,
        tension=50.0,
        name="belt",
    )
    for p in belt.parts:
        m.fixed(p, m.ground, at=tuple(belt.places[belt.parts.index(p)]))
    sim = hn.Simulation(m)
    sim.statics()
    view = sim.run().rod("BELT")
    assert view.section("axial force").values[-1] == pytest.approx(np.full(12, 50.0), rel=1e-9)
    assert view.axis().shape == (len(view.run), 13, 3) and abs(view.section("bending moment").values).max() < 1e-6
    with pytest.raises(hn.ModelError, match="no points at which stresses are known; give Section"):
        view.stress()
    with pytest.raises(hn.ModelError, match="belt"):
        view.run.rod("felt")
    (tube,) = scene(view.run)["tubes"]
    assert tube["closed"] and "vm" not in tube and tube["low"] == pytest.approx(50.0)
    again = hn.Model.from_json(m.to_json())
    assert again.table("ROD")[1].to_dict() == m.table("ROD")[1].to_dict()
    m.table("EXACT_BEAM")[3].active = False
    run = hn.simulate(m, end=1e-6, steps=1)
    with pytest.raises(hn.ModelError, match="its EXACT_BEAM/3 .* is not active"):
        run.rod()
    assert not scene(run)["tubes"]


def test_a_rod_is_a_tube(bar):
    """One body in the page, along the nodes; colours of its rings are the stresses of the view, beads and their contact
    surfaces are not drawn."""
    m, r, run = bar
    data = scene(run)
    (tube,) = data["tubes"]
    unpacked = lambda name, dtype: np.frombuffer(base64.b64decode(tube[name]), dtype).astype(float)
    bodies = data["bodies"]
    assert bodies[tube["body"]]["name"] == "bar" and [b["name"] for b in bodies if b["meshes"]] == ["ground"]
    motion = np.frombuffer(base64.b64decode(data["motion"]), "<f4").reshape(data["frames"], len(bodies), 7)
    path = unpacked("path", "<f4").reshape(data["frames"], 7, 3) + motion[:, tube["body"], None, :3] + data["origin"]
    view = run.rod()
    assert path == pytest.approx(view.axis().values, abs=1e-6)
    vm = (unpacked("vm", "<u1").reshape(data["frames"], 7, -1)[-1] / 254) ** 2 * tube["top"]
    assert vm.max(axis=1) == pytest.approx(view.stress().values[-1], abs=0.005 * tube["top"])
    assert unpacked("force", "<f4").reshape(data["frames"], 7)[-1, 0] == pytest.approx(
        view.section("axial force").values[-1, 0], rel=1e-5
    )
    assert not [a for a in data["arrows"]["items"] if a["of"].startswith("EXACT_BEAM")] and not data["strands"]
    assert sum(b["kind"] == "ROD_1" for b in scene(run, pieces=True)["bodies"]) == 6


@pytest.mark.skipif(find_chromium() is None or three_js() is None, reason="needs chromium and trimesh")
def test_the_tube_in_a_browser(bar, tmp_path):
    """The middle of a ring at a station is the node, and the legend names the stress."""
    _, _, run = bar
    page = write_animation(run, tmp_path / "bar.html")
    with Browser(page) as b:
        b.wait("window.holonomViewers && window.holonomViewers.length")
        script = (
            "(() => { const v = holonomViewers[0]; v.setTime(1); v.draw(); const t = v.tubes[0], k = t.K, o = 3 * 3 * "
            "t.sub * k; let s = [0, 0, 0]; "
            "for (let i = 0; i < k; i++) for (let c = 0; c < 3; c++) s[c] += t.points[o + 3 * i + c] / k; "
            "return [s, document.querySelector('.hv-legend').textContent]; })()"
        )
        middle, legend = b.js(script)
        assert not b.errors
    node = run.rod().axis().values[-1]
    assert middle == pytest.approx(node[3] - node.mean(axis=0), abs=1e-5) and "von Mises" in legend
