"""Fatigue of a rail car body: extrusions as plates, stresses in balance with loads by hand, runs next to statics."""

import math

import numpy as np
import pytest

import holonom as hn
from _built import Built
from holonom.rail import body_fatigue
from holonom.rail.body_fatigue import DUTY, body_life, closed_forms
from holonom.rail.body_shell import ALUMINIUM, DEPTH, SKIN, WEBS, car_body


@pytest.fixture(scope="module")
def body():
    return car_body(30000.0)


@pytest.fixture(scope="module")
def reduced(body):
    return hn.flexible.reduce(body.elements, body.interfaces, 10, loads=body.inertia_loads, geometric=False)


def areas(body, name):
    corners = body.mesh.points[body.mesh.cells["quad"][body.mesh.regions[name]["quad"]]]
    # two triangles, of either diagonal
    half = lambda i, j, k: np.linalg.norm(
        np.cross(corners[:, j] - corners[:, i], corners[:, k] - corners[:, i]), axis=1
    )
    return 0.25 * (half(0, 1, 2) + half(0, 2, 3) + half(0, 1, 3) + half(1, 2, 3)).sum()


def test_mass_of_the_extrusions_is_that_of_their_skins_and_webs(body):
    by_hand = sum(
        areas(body, p.name) * 2.0 * SKIN * DEPTH[p.name.split()[0]] * WEBS * ALUMINIUM.density for p in body.panels
    )
    assert body.structure == pytest.approx(by_hand, rel=1e-9)
    whole = hn.flexible.reduce(body.elements, body.interfaces, 0, geometric=False)
    assert whole.mass == pytest.approx(30000.0, rel=1e-9)


def test_plate_has_the_stiffness_and_the_skin_stress_of_a_double_skin():
    """A strip of an extrusion of depth h, in tension and bent, by its two skins."""
    h = 0.04
    skin, E = SKIN * h, ALUMINIUM.E
    share = 2.0 * SKIN / math.sqrt(3.0)
    t = math.sqrt(3.0) * h
    assert share * E * t == pytest.approx(2.0 * E * skin)
    assert share * E * t**3 / 12.0 == pytest.approx(2.0 * E * skin * (0.5 * h) ** 2)
    # curvature 1: skin stress E h / 2; of the plate at half of its thickness E' t / 2, times E / E' / sqrt(3)
    assert share * E * t / 2.0 / share / math.sqrt(3.0) == pytest.approx(E * 0.5 * h)


def test_stresses_of_the_middle_section_are_in_balance_with_weight_and_springs(body, reduced):
    """Bending moment at the middle by hand: half of the weight against two springs; from the stresses of both skins,
    summed over the section through the windows."""
    red, g = reduced, 9.81
    rows = [list(red.nodes).index(k) for k in body.seats]
    q = red.shapes[rows, 2].sum(axis=0) * 0.25 * red.mass * g / red.frequency**2
    u = (red.shapes[: len(body.mesh.points)] @ q)[:, :, None]
    force = moment = 0.0
    axis = 2.0  # of the moment: any, where the force vanishes
    quads = body.mesh.cells["quad"]
    for panel in body.panels:
        s = 0.5 * (panel.stress(u[panel.nodes].reshape(-1, 1), 1.0) + panel.stress(u[panel.nodes].reshape(-1, 1), -1.0))
        at = dict(zip(panel.nodes, s[:, 0, 0]))
        edges = set()
        for cell in quads[body.mesh.regions[panel.name]["quad"]]:
            edges |= {tuple(sorted(pair)) for pair in zip(cell, np.roll(cell, 1))}
        for i, j in edges:
            p, r = body.mesh.points[[i, j]]
            if abs(p[0]) < 1e-9 and abs(r[0]) < 1e-9 and not panel.name.startswith(("beam", "end")):
                thick = 2.0 * SKIN * DEPTH[panel.name.split()[0]] * np.linalg.norm(r - p)
                force += thick * 0.5 * (at[i] + at[j])
                moment += thick * 0.5 * (at[i] * (p[2] - axis) + at[j] * (r[2] - axis))
    masses = np.asarray(body.elements.M.tocsr()[::6, ::6].sum(axis=1)).ravel()
    ahead = body.mesh.points[:, 0] > 1e-9
    by_hand = 0.5 * red.mass * g * 9.5 - g * (masses * body.mesh.points[:, 0])[ahead].sum()
    assert abs(force) < 0.1 * by_hand / 2.0
    assert -moment == pytest.approx(by_hand, rel=0.08)  # tension below; means at nodes of cells of 0.6 m


@pytest.mark.parametrize("retardation", [1.0, -0.7])
def test_brakes_of_all_wheelsets_slow_the_coach(body, reduced, retardation, monkeypatch):
    """Torques of four wheelsets over their radius are the mass of all times the retardation, against the roll; risen
    over 0.75 s, gone at the end; the body sags by its weight on four springs."""
    monkeypatch.setattr(body_fatigue, "reduce", lambda *_, **__: reduced)
    case = body_fatigue.Service("stop", 30.0, 6.0, retardation=retardation, times=1.0)
    made, flexible = body_fatigue.flexible_coach(case, body, 10, 0)
    brakes = [e.function for e in made.model.table("SFORCE").values() if e.name.endswith(" brake")]
    mass = 30000.0 + 2.0 * 2615.0 + 4.0 * (1613.0 + 200.0)
    for time, share in ((1.0, 0.0), (1.625, 0.5), (3.0, 1.0), (5.125, 0.5), (5.6, 0.0)):
        torque = sum(Built(made.model, TIME=time).value(f) for f in brakes)
        assert torque / 0.46 == pytest.approx(-mass * retardation * share, abs=1e-9 * mass)
    assert len(brakes) == 4
    seats = [list(reduced.nodes).index(k) for k in body.seats]
    sag = (reduced.shapes[seats, 2] @ np.asarray(flexible.q)).sum()  # K q = forces of the springs, each a quarter
    work = np.asarray(flexible.q) @ (reduced.frequency**2 * np.asarray(flexible.q))
    assert work == pytest.approx(0.25 * 30000.0 * 9.81 * sag, rel=1e-9)


def test_track_of_a_service_reaches_as_far_as_the_coach(body, reduced, monkeypatch):
    """The transition of 60 m begins 30 m before the front wheelset, which stands half of pivots and wheelbase before
    the middle at 40 m; the curve, and irregularities, go on 60 m beyond what is driven; a curve to the right has
    both signs turned."""
    monkeypatch.setattr(body_fatigue, "reduce", lambda *_, **__: reduced)
    front = 40.0 + 0.5 * (19.0 + 2.56)
    case = body_fatigue.Service("curve", 30.0, 7.0, radius=-600.0, cant=0.1, share=1.0)
    made, _ = body_fatigue.flexible_coach(case, body, 10, 0)
    rows = [(front + 30.0, 0.0, 0.0), (60.0, -1.0 / 600.0, -0.1), (30.0 * 7.0 + 60.0, -1.0 / 600.0, -0.1)]
    np.testing.assert_allclose(made.track.sections, rows, rtol=1e-12)
    assert {c.mu for w in made.wheelsets for c in w.contacts} == {0.35}
    assert made.track.gauge == 1.435 and made.track.inclination == pytest.approx(1.0 / 40.0, rel=1e-12)
    np.testing.assert_array_equal(made.model.gravity, (0.0, 0.0, -9.81))
    assert made.body.vx == 30.0 and made.model.body_frame(made.body).origin[0] == pytest.approx(40.0)
    case = body_fatigue.Service("rough", 40.0, 5.0, rough="ERRI low", share=1.0)
    track = body_fatigue.flexible_coach(case, body, 10, 0)[0].track
    last = track.spacing * (len(track.irregularities) - 1)
    assert track.spacing == 0.25 and last == pytest.approx(front + 40.0 * 5.0 + 60.0, abs=0.5)
    case = body_fatigue.Service("slow", 10.0, 5.0, rough="ERRI low", share=1.0)
    track = body_fatigue.flexible_coach(case, body, 10, 0)[0].track
    assert track.spacing * (len(track.irregularities) - 1) == pytest.approx(220.0, abs=0.5)


@pytest.mark.slow
def test_a_stop_pitches_the_body_as_by_hand_and_damage_adds_up():
    body = car_body()
    case = next(c for c in DUTY if c.retardation > 0.0)
    found = body_life(hn.durability, [case], body=body, modes=4, concentration=8.0)
    for what, run, by_hand in closed_forms(found.results[0], body):
        assert run == pytest.approx(by_hand, rel=0.01), what
    assert found.total == pytest.approx(case.times * found.damage[0])
    assert found.life == pytest.approx(1000.0 / found.total.max())
    # the worst position, counted by hand on its plane: IIW's slopes 3 and 5 around ten million cycles
    ranges, counts = found.cycles.range, found.cycles.count
    knee = 36e6 * (2e6 / 1e7) ** (1.0 / 3.0)
    lives = 1e7 * np.where(ranges > knee, (knee / np.maximum(ranges, 1.0)) ** 3, (knee / np.maximum(ranges, 1.0)) ** 5)
    assert (counts / lives).sum() == pytest.approx(found.total.max(), rel=1e-6)
