"""Roads: shapes and their derivatives, what a tyre sees of them, files, spectra, and machines on them."""

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import holonom as hn
from _public_data import NEEDS
from _tyres import BODY, PASSENGER, TYRES
from holonom.elements.duals import SEED
from holonom.elements.forces.passing import time_to_pass
from holonom.elements.frames import make_frames
from holonom.elements.kinds import FORCES
from holonom.vehicle import coherence, crg_road, iso_profile, iso_road, mesh_road, rdf_road, read_crg
from holonom.vehicle.adams_tyres import _spun

CRG = Path(__file__).parents[3] / "shared/data/road/crg"


def roads(m):
    """One of each shape, with numbers of its own."""
    rng = np.random.default_rng(1)
    x = np.cumsum(rng.uniform(0.1, 0.3, 60)) - 1
    n = 12
    gx, gy = np.meshgrid(np.linspace(-1, 11, n), np.linspace(-3, 3, n), indexing="ij")
    points = np.column_stack([gx.ravel(), gy.ravel(), 0.1 * rng.normal(size=n * n)])
    faces = [
        t
        for i in range(n - 1)
        for j in range(n - 1)
        for a in (i * n + j,)
        for t in ([a, a + n, a + 1], [a + 1, a + n, a + n + 1])
    ]
    phi = np.linspace(0, 1.2, 40)
    X, Y = (np.concatenate([[0], np.cumsum(0.25 * f(phi[:-1]))]) for f in (np.cos, np.sin))
    grid = dict(
        x=X,
        y=Y,
        phi=phi,
        v=(-2, -1, 0, 1, 2.0),
        z=rng.normal(size=(40, 5)) * 0.02,
        height=0.1 * np.sin(phi),
        bank=0.03 * phi,
    )
    return {
        "flat": m.road("FLAT", mu=0.9, patches=[(1, 5, 0, 2, 0.3), (3, 4, -1, 1, 0.1)], edge=0.5),
        "plank": m.road("PLANK", start=1.0, length=0.3, height=0.02, bevel=0.05),
        "sine": m.road("SINE", wavelength=2.0, amplitude=0.05, end=8.0, phase=0.3),
        "chirp": m.road(
            "CHIRP", wavelength=4.0, wavelength_end=1.0, amplitude=0.05, amplitude_end=0.02, start=0, end=9
        ),
        "drum": m.road("DRUM", radius=12.0),
        "tracks": m.road("PROFILE", x=x, z=rng.normal(size=(60, 3)) * 0.02, y=(-1, 0.0, 1.5), interpolation="CUBIC"),
        "polyline": m.road("PROFILE", x=x, z=rng.normal(size=60) * 0.02),
        "mesh": m.road("MESH", points=points, triangles=faces),
        "grid": m.road("GRID", patches=[(1, 5, 0, 2, 0.3)], edge=0.5, **grid),
    }


def test_slopes_and_their_derivatives():
    """Slopes against differences of heights, dual derivatives of all against differences, away from edges."""
    m = hn.Model()
    rng = np.random.default_rng(2)
    for name, road in roads(m).items():
        r, law = road.parameters(), road.law()
        bad = 0
        for a, b in zip(rng.uniform(0, 9.4, 60), rng.uniform(-1.9, 1.9, 60)):
            h = 1e-6
            here = np.array(law(r, a, b))
            fx = (np.array(law(r, a + h, b)) - np.array(law(r, a - h, b))) / (2 * h)
            fy = (np.array(law(r, a, b + h)) - np.array(law(r, a, b - h))) / (2 * h)
            dx = np.array([z.imag / SEED for z in law(r, complex(a, SEED), complex(b, 0.0))])
            dy = np.array([z.imag / SEED for z in law(r, complex(a, 0.0), complex(b, SEED))])
            rest = max(abs(fx[0] - here[1]), abs(fy[0] - here[2]), np.abs(dx - fx).max(), np.abs(dy - fy).max())
            bad += rest > 1e-6
        assert bad <= 1, name  # a position within 1e-6 of an edge


def test_shapes_are_where_they_are_said_to_be():
    m = hn.Model()
    have = roads(m)
    h, hx, hy, mu = have["plank"].at([0.99, 1.025, 1.15, 1.31], 0.0)
    assert h == pytest.approx([0, 0.01, 0.02, 0]) and hx == pytest.approx([0, 0.4, 0, 0])
    hole = m.road("PLANK", start=0.0, length=1.0, height=-0.1, right=-0.5, left=0.5)
    assert hole.at(0.5, [0.0, 0.6])[0] == pytest.approx([-0.1, 0.0])
    x = np.linspace(0, 9, 200)
    length = 4 - 3 * x / 9
    phase = 2 * np.pi * np.concatenate([[0], np.cumsum(np.diff(x) * 0.5 * (1 / length[1:] + 1 / length[:-1]))])
    assert have["chirp"].at(x, 0.0)[0] == pytest.approx((0.05 - 0.03 * x / 9) * np.sin(phase), abs=2e-4)
    assert have["flat"].at([0.0, 2.0, 2.0, 3.5], [0.5, 1.0, -0.5, 0.5])[3] == pytest.approx([0.9, 0.3, 0.9, 0.1])
    assert have["mesh"].at(50.0, 0.0)[0] < -1e9
    v = 0.7  # on the bent line of the grid
    g = have["grid"]
    t = g.tables
    k, s = 12, (3.1 - 3.0) / 0.25
    foot = np.array([t["x"][k] + s * (t["x"][k + 1] - t["x"][k]), t["y"][k] + s * (t["y"][k + 1] - t["y"][k])])
    normal = (1 - s) * np.array([-np.sin(t["phi"][k]), np.cos(t["phi"][k])]) + s * np.array(
        [-np.sin(t["phi"][k + 1]), np.cos(t["phi"][k + 1])]
    )
    place = foot + v * normal
    z = np.array(t["z"])
    low, high = (z[i, 2] + v * (z[i, 3] - z[i, 2]) for i in (k, k + 1))
    line = lambda name: t[name][k] + s * (t[name][k + 1] - t[name][k])
    assert float(g.at(*place)[0]) == pytest.approx(
        low + s * (high - low) + line("height") + v * line("bank"), abs=1e-12
    )


# ---- what a tyre sees ------------------------------------------------------------------------------------------------
def wheel_at(e, model, places, height, radius=0.3):
    """Forces (n, 12) on wheel and road of an upright wheel that is at rest above positions along x."""
    kind = FORCES[e.KIND]
    c = np.array(kind.values(e, model), float)
    fr = make_frames(np.zeros(2), np.zeros((2, 3)), np.zeros((2, 9)))
    fr.A[:] = np.eye(3).ravel()
    out = np.zeros((len(places), 12))
    for k, x in enumerate(places):
        fr.p[0] = x, 0.0, height
        kind.force(c, np.arange(2), fr, np.zeros((2, 3)), 0.0, np.zeros(0), np.zeros(2), out[k], np.zeros(4))
    return out


def test_cams_on_a_step_are_schmeitz():
    """A step of height h: each cam's lift h + b (1 - (d / a)^c)^(1/c) - b at a distance d before the edge; mean and
    slope of both make the force."""
    m = hn.Model()
    step = m.road("PROFILE", x=[-10, 0.0, 1e-9, 10], z=[0, 0, 0.03, 0.03])
    foot = {"span": 0.12, "cam_length": 1.05, "cam_height": 1.1, "cam_order": 1.8}
    e = m.tyre_brush(
        m.marker(m.part("w", 1.0, (1, 1, 1))),
        step,
        **BODY,
        slip_stiffness=8e4,
        load=4e3,
        half_length=0.07,
        mu=0.9,
        contact="ENVELOPING",
        footprint=foot,
    )
    a, b, c, h = 1.05 * 0.3, 1.1 * 0.3, 1.8, 0.03
    x = np.linspace(-0.5, 0.5, 300)

    def lift(x):
        d = np.clip(-x, 0.0, a)
        return np.where(x >= 0.0, h, np.maximum(0.0, np.where(-x < a, h - b + b * (1 - (d / a) ** c) ** (1 / c), 0.0)))

    front, rear = lift(x + 0.06), lift(x - 0.06)
    w, slope = 0.5 * (front + rear), (front - rear) / 0.12
    n = 1 / np.sqrt(1 + slope**2)
    load = 2e5 * np.maximum(0.3 - (0.29 - w) * n, 0.0)
    found = wheel_at(e, m, x, 0.29)
    assert np.abs(found[:, 2] - load * n).max() < 2e-4 * load.max()
    assert np.abs(found[:, 0] + load * n * slope).max() < 2e-4 * load.max() and np.abs(found[:, 0]).max() > 500.0
    # the point and the plane see other things of it
    e.contact = "POINT"
    assert np.abs(wheel_at(e, m, x, 0.29)[:, 0]).max() < 1e-6
    e.contact, e.footprint = "PLANE", {"length": 0.2, "nx": 40}
    heights = np.array([np.mean(np.where(v + 0.2 * ((np.arange(40) + 0.5) / 40 - 0.5) > 0, 0.03, 0.0)) for v in x])
    found = wheel_at(e, m, x, 0.29)
    flat = np.abs(x) > 0.11
    assert found[flat, 2] == pytest.approx(2e5 * (0.01 + heights[flat]), rel=1e-6) and found[~flat, 0].min() < -100.0


@pytest.mark.parametrize("shape", ("sine", "grid", "mesh", "tracks"))
def test_tangents_on_roads(shape):
    """Derivatives of forces on every kind of contact: the remainder of the first order falls with the square of the
    step."""
    import sys

    sys.path.insert(0, str(Path(__file__).parents[1] / "elements"))
    from test_registered_forces import evaluator, moved, placed

    for contact in ("POINT", "PLANE", "ENVELOPING"):
        m = hn.Model()
        e = TYRES["TYRE_BRUSH"](
            m,
            m.marker(m.part("w", 1.0, (1, 1, 1))),
            roads(m)[shape],
            contact=contact,
            footprint={"ny": 3, "width": 0.2},
        )
        rng = np.random.default_rng(5)
        wrench, tangent, energies = evaluator(FORCES[e.KIND], e, m)
        fr, x, u = placed(e.KIND, 2, rng), np.array([-0.01, 0.012]), np.zeros(0)
        # over the middle of the road
        A = fr.A[1].reshape(3, 3)
        fr.p[0] = fr.p[1] + A @ [3.013, 0.41, float(m.table("ROAD")[e.road].at(3.013, 0.41)[0]) + 0.27]
        D = tangent(fr, x, u)
        d = rng.normal(size=26) * 1e-3
        base, rest = np.concatenate(wrench(fr, x, u)), []
        for h in (1e-1, 1e-2):
            there = np.concatenate(wrench(moved(fr, d[:24], h), x + h * d[24:], u))
            rest.append(np.linalg.norm(there - base - h * D @ d))
        assert np.abs(base[:3]).max() > 500.0
        assert rest[1] < 1e-3 * np.linalg.norm(there - base) and 30.0 < rest[0] / rest[1] < 300.0, contact


def quarter_car(speed, **plank):
    """A body on a wheel that comes to a plank, in its equilibrium."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    road = m.road("PLANK", **plank)
    h = 0.31 - 400 * 9.81 / 2e5
    body = m.part("body", 360.0, (10, 50, 50), position=(0, 0, h + 0.3), velocity=(speed, 0, 0))
    carrier = m.part("carrier", 1.0, (0.1, 0.1, 0.1), position=(0, 0, h), velocity=(speed, 0, 0))
    wheel = m.part(
        "wheel", 40.0, (0.6, 1, 0.6), position=(0, 0, h), velocity=(speed, 0, 0), angular_velocity=(0, 3.31 * speed, 0)
    )
    m.translational(carrier, body, at=(0, 0, h), axis=(0, 0, 1))
    m.spring_damper(body.cm, carrier.cm, stiffness=2e4, damping=1500.0, length=0.3 + 360 * 9.81 / 2e4)
    m.revolute(wheel, carrier, at=(0, 0, h), axis=(0, 1, 0))
    m.primitive("ORIENTATION", m.marker(body), m.marker(m.ground))
    m.tyre_pac2002(m.marker(wheel), road, PASSENGER, contact="ENVELOPING", name="tyre")
    return m, road, wheel


@pytest.mark.parametrize("height", (0.03, -0.05))
def test_a_wheel_over_a_plank_and_a_hole_keeps_its_energy(height):
    """A quarter car at 10 m/s, enveloping: the sum of all energies, and two integrators alike."""
    force = []
    for integrator in ("RADAU5", "DOP853"):
        m, road, wheel = quarter_car(10.0, start=1.0, length=0.3, height=height, bevel=0.005)
        run = hn.simulate(m, end=0.3, steps=60, integrator=integrator, error=1e-7)
        d = run.data
        total = d.energy_kinetic + d.energy_gravity + d.energy_elastic + d.energy_dissipated
        assert np.ptp(total) < 0.01 * np.ptp(d.energy_elastic)
        force.append(hn.vehicle.tyre_history(run, "tyre")["F_z"])
    assert np.abs(force[0] - force[1]).max() < 0.01 * force[0].max() and np.ptp(force[0]) > 4000.0
    m.tyre_pac2002(m.marker(wheel), road, PASSENGER)
    assert "give contact='ENVELOPING'" in m.warnings[-1]


def test_a_plank_after_a_long_smooth_way_is_not_passed_over():
    """At 30 m/s a smooth road lets steps of tenths of a second be; a plank of 0.1 m takes 3 ms."""
    swings = []
    for longest in ({}, {"hmax": 1e-3}):
        m, *_ = quarter_car(30.0, start=30.0, length=0.1, height=0.02, bevel=0.005)
        run = hn.simulate(m, end=1.2, steps=600, integrator="RADAU5", error=1e-4, **longest)
        swings.append(np.ptp(run.part("wheel").position.sel(axis="z").values[run.time > 0.95]))
    assert swings[0] == pytest.approx(swings[1], rel=0.03) and swings[1] > 2e-3
    assert np.diff(run.history["time"]).max() <= 1.001e-3


def test_time_to_pass():
    """By hand: ways left over speeds."""
    edges = np.array([3.0, 3.5, 9.0])
    reach = 0.3
    for x, v, way in (
        (0.0, 10.0, 2.7),
        (3.0, 10.0, 0.25),
        (12.0, -10.0, 2.7),
        (4.0, 2.0, 4.7),
        (9.4, 10.0, np.inf),
        (2.0, -5.0, np.inf),
    ):
        assert time_to_pass((x, v, abs(v), 0.0), reach, 0.03, edges) == pytest.approx(way / abs(v))
    waves = (5.0, 8.0, 0.125)
    assert time_to_pass((0.0, 10.0, 10.0, 0.0), reach, 0.03, waves=waves) == pytest.approx(0.47)
    assert time_to_pass((6.0, 0.0, 2.0, 0.0), reach, 0.03, waves=waves) == pytest.approx(0.0625)
    assert time_to_pass((6.0, 0.0, 0.0, 0.0), reach, 0.03, waves=waves) == np.inf
    assert time_to_pass((6.0, 0.0, 0.0, 9.81), reach, 0.03, waves=waves) == pytest.approx(np.sqrt(0.25 / 9.81))
    assert time_to_pass((9.0, 10.0, 10.0, 0.0), reach, 0.03, waves=waves) == np.inf


def test_where_roads_change():
    m = hn.Model()
    profile = m.road("PROFILE", x=[0, 1, 2, 3, 9], z=[0, 0, 0, 0.1, 0.1], patches=[(4, 5, -1, 1, 0.3)])
    assert profile.edges().tolist() == [2.0, 3.0, 4.0, 5.0] and profile.waves() is None
    plank = m.road("PLANK", start=1.0, length=0.3, height=0.02, bevel=0.05)
    assert plank.edges() == pytest.approx([1.0, 1.05, 1.25, 1.3])
    assert m.road("SINE", wavelength=2.0, amplitude=0.1).waves() == (0.0, np.inf, 0.25)
    assert not m.road().edges().size and m.road().waves() is None


# ---- files -----------------------------------------------------------------------------------------------------------
def test_opencrg_files():
    """All of the folder: sizes, the line's end where the file says it is, heights at nodes."""
    if not CRG.exists():
        pytest.skip(f"{NEEDS}: {CRG} is absent")
    found = {p.stem: read_crg(p) for p in sorted(CRG.glob("*.crg"))}
    assert len(found) >= 14 and all(np.isfinite(f.z).all() for f in found.values())
    c = found["circle_50m_left"]
    assert c.z.shape == (1570, 61) and (c.x[-1], c.y[-1]) == pytest.approx(
        (4.0017482788618354e-04, -1.9999961709593586e-01), abs=1e-5
    )
    b = found["halfround_4in"]
    assert b.z.max() == pytest.approx(0.1016, abs=2e-5)
    top = int(np.argmax(b.z[:, 1]))
    assert b.z[top + 5, 1] == pytest.approx(np.sqrt(0.1016**2 - 0.05**2), abs=1e-3)  # a half round of 4 inches
    m = hn.Model(units="mm")
    road = crg_road(m, CRG / "halfround_4in.crg", mu=0.7)
    h, hx, hy, mu = road.at(b.x[top] * 1e3, 500.0)
    assert float(h) == pytest.approx(101.6, abs=2e-2) and mu == 0.7
    s, flat, banked = found["handmade_sloped"], found["handmade_straight"], found["handmade_banked"]
    text = (CRG / "handmade_sloped.crg").read_text()
    assert "slope" in text and np.ptp(s.height) > 0.0 and np.ptp(banked.bank) >= 0.0 and np.ptp(flat.height) == 0.0
    curved = found["handmade_curved"]
    si = hn.Model()
    road = crg_road(si, curved)
    for i in (3, 11, 20):  # nodes, on their normals
        for j in (0, 3, 6):
            X = curved.x[i] - curved.v[j] * np.sin(curved.phi[i])
            Y = curved.y[i] + curved.v[j] * np.cos(curved.phi[i])
            assert float(road.at(X, Y)[0]) == pytest.approx(
                curved.z[i, j] + curved.height[i] + curved.bank[i] * curved.v[j], abs=1e-9
            )
    circle = crg_road(si, c)
    assert float(circle.at(-50.0, 50.0)[0]) == 0.0


def test_damaged_roads_say_so(tmp_path):
    good = [
        "$CT",
        "a road",
        "$ROAD_CRG",
        "REFERENCE_LINE_INCREMENT = 0.5",
        "REFERENCE_LINE_END_U = 1.0",
        "$KD_Definition",
        "#:LRFI",
        "D:long section at v = -1.0,m",
        "D:long section at v = 1.0,m",
        "$$$$",
        " 0.0000000 0.1000000",
        " 0.0000000 0.2000000",
        " 0.0000000**unused**",
    ]
    path = tmp_path / "a.crg"
    path.write_text("\n".join(good))
    f = read_crg(path)
    assert f.filled == 1 and f.z.tolist() == [[0, 0.1], [0, 0.2], [0, 0.0]] and f.x.tolist() == [0, 0.5, 1.0]
    for old, new, match in (
        ("$$$$", "", "no line of"),
        (" 0.0000000 0.2000000", "", "has 2 rows of data; its header states 3"),
        ("LRFI", "LXFI", "format 'LXFI'"),
        ("0.5", "-0.5", "give a positive length"),
        ("0.1000000", "0.1O00000", "where a number is required"),
        ("v = 1.0", "v = -1.0", "two long sections have the same v"),
    ):
        path.write_text("\n".join(good).replace(old, new))
        with pytest.raises(hn.ModelError, match=match):
            read_crg(path)
    m = hn.Model()
    path = tmp_path / "a.rdf"
    head = "[UNITS]\nLENGTH='mm'\n[MODEL]\nMETHOD='2D'\nROAD_TYPE='plank'\n[PARAMETERS]\nMU = 0.8\n"
    path.write_text(f"{head}START = 5000\nHEIGHT = 20\nLENGTH = 300\nBEVEL_EDGE_LENGTH = 10\nDIRECTION = 4\n")
    plank = rdf_road(m, path)
    assert (
        plank.mu == 0.8
        and plank.sizes == pytest.approx({"start": 5.0, "length": 0.3, "height": 0.02, "bevel": 0.01})
        and "DIRECTION" in m.warnings[-1]
    )
    path.write_text("[MODEL]\nROAD_TYPE='poly_line'\n[DATA]\n{X Z_LEFT Z_RIGHT}\n0 0 0\n1 0.1 0.2\n2 0 0\n")
    assert rdf_road(m, path).at(1.0, [-5.0, 5.0])[0] == pytest.approx([0.2, 0.1])
    path.write_text(
        "[MODEL]\nMETHOD='3D'\n[NODES]\n{node x y z}\n1 0 0 0\n2 4 0 0\n3 0 4 1\n[ELEMENTS]\n{a b c mu}\n1 2 3 1.0\n"
    )
    assert float(rdf_road(m, path).at(1.0, 1.0)[0]) == pytest.approx(0.25)
    path.write_text("[MODEL]\nROAD_TYPE='plan'\n")
    with pytest.raises(hn.ModelError, match="ROAD_TYPE is 'PLAN'; did you mean PLANK"):
        rdf_road(m, path)
    path = tmp_path / "a.obj"
    path.write_text("v 0 0 0\nv 4 0 0\nv 4 4 1\nv 0 4 1\nf 1 2 3 4\n")
    assert float(mesh_road(m, path).at(3.0, 2.0)[0]) == pytest.approx(0.5)
    for call, match in (
        (lambda: m.road("PLANK", start=0.0, length=1.0), "height is missing; give height="),
        (
            lambda: m.road("SINE", wavelength=1.0, amplitude=1.0, amplitud=2.0),
            "has no size 'amplitud'; did you mean 'amplitude'",
        ),
        (lambda: m.road("PLANC"), "unknown shape 'PLANC'"),
        (lambda: m.road("PROFILE", x=[0, 0], z=[1, 2]), "x must have two positions or more that rise"),
        (lambda: m.road("MESH", points=[[0, 0, 0]], triangles=[[0, 1, 2]]), "there are those from 0 to 0"),
        (lambda: m.road(patches=[(1, 0, 0, 1, 1)]), "give x0 < x1"),
        (lambda: iso_road(m, "Z", 10.0), "grade is 'Z'"),
        (lambda: mesh_road(m, tmp_path / "b.obj"), "cannot be read"),
    ):
        with pytest.raises(hn.ModelError, match=match):
            call()


def test_roads_go_through_json():
    m = hn.Model()
    have = roads(m)
    twin = hn.Model.from_json(m.to_json())
    for e in have.values():
        assert np.array_equal(twin.table("ROAD")[e.id].at(2.2, 0.3), e.at(2.2, 0.3))


# ---- spectra and machines --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("grade", ["J", "", None, -1e-6, float("nan"), True, [1e-6]])
def test_grades_of_roads_that_are_none(grade):
    with pytest.raises(hn.ModelError, match="grade is .*give a letter from A to H"):
        hn.vehicle.iso_profile(grade, 10.0)


def test_iso_8608_has_its_spectrum_and_coherence():
    from scipy.signal import csd, welch

    x, z = iso_profile("C", 20000.0, step=0.1, track=1.5, seed=3)
    f, left = welch(z[:, 1], fs=10.0, nperseg=4096)
    right = welch(z[:, 0], fs=10.0, nperseg=4096)[1]
    both = csd(z[:, 0], z[:, 1], fs=10.0, nperseg=4096)[1]
    for low, high in ((0.03, 0.1), (0.1, 0.3), (0.3, 1.0), (1.0, 2.5)):
        band = (f > low) & (f < high)
        want = 256e-6 * (f[band] / 0.1) ** -2.0
        for side in (left, right):
            assert np.mean(side[band] / want) == pytest.approx(1.0, abs=0.08)
        share = np.abs(both[band].sum()) / np.sqrt(left[band].sum() * right[band].sum())
        assert share == pytest.approx(np.average(coherence(f[band], 1.5), weights=want), abs=0.05)
    assert coherence(0.0, 1.5) == 1.0 and coherence(3.0, 1.5) < 1e-5
    again = iso_profile("C", 20000.0, step=0.1, track=1.5, seed=3)[1]
    assert np.array_equal(z, again) and not np.array_equal(z[:, 0], z[:, 1])


def test_a_quarter_car_on_a_random_road_is_scipys():
    """Two masses over a tyre's spring and damper, at 20 m/s over a road of class B: the same equations in SciPy, to
    1e-5 of the motion."""
    ms, mu, ks, cs, kt, ct, v, R = 350.0, 40.0, 2e4, 1.5e3, 2e5, 80.0, 20.0, 0.31
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    road = iso_road(m, "B", 60.0, start=2.0, step=0.1)
    rest = R - (ms + mu) * 9.81 / kt
    carrier = m.part("carrier", 1.0, (1, 1, 1), velocity=(v, 0, 0))
    rail = m.translational(carrier, m.ground, at=(0, 0, 0), axis=(1, 0, 0))
    m.motion(rail, f"{v}*time")
    wheel = m.part("wheel", mu, (1, 1, 1), position=(0, 0, rest), velocity=(v, 0, 0))
    body = m.part("body", ms, (1, 1, 1), position=(0, 0, rest + 0.5), velocity=(v, 0, 0))
    for p, z in ((wheel, rest), (body, rest + 0.5)):
        m.translational(p, carrier, at=(0, 0, z), axis=(0, 0, 1))
    m.spring_damper(body.cm, wheel.cm, stiffness=ks, damping=cs, length=0.5 + ms * 9.81 / ks)
    tyre = {k: w for k, w in PASSENGER.items() if k[0] != "Q"} | {
        "UNLOADED_RADIUS": R,
        "VERTICAL_STIFFNESS": kt,
        "VERTICAL_DAMPING": ct,
    }
    m.tyre_pac2002(m.marker(wheel), road, tyre, mode=0)
    run = hn.simulate(m, end=2.5, steps=50, integrator="RADAU5", error=1e-8)
    r, law = road.parameters(), road.law()

    def rates(t, y):
        zs, zu, us, uu = y
        h, slope = law(r, v * t, 0.0)[:2]
        n = 1 / np.sqrt(1 + slope**2)
        rho, rate = R - (zu - h) * n, -(uu * n - v * slope * n)
        f = max(kt * rho + ct * rate, 0.0) if rho > 0 else 0.0
        s = ks * (zs - zu - 0.5 - ms * 9.81 / ks) + cs * (us - uu)
        return [us, uu, -s / ms - 9.81, (s + f * n) / mu - 9.81]

    want = solve_ivp(
        rates,
        (0, 2.5),
        [rest + 0.5, rest, 0, 0],
        rtol=1e-9,
        atol=1e-11,
        method="LSODA",
        max_step=2e-3,
        t_eval=np.asarray(run.time),
    )
    for part, row in (("body", 0), ("wheel", 1)):
        z = run.part(part).position.values[:, 2]
        assert np.abs(z - want.y[row]).max() < 1e-5 * np.ptp(z), part
    assert np.ptp(want.y[1]) > 0.01


def test_braking_on_split_friction_turns():
    """Two locked wheels of an axle, one on ice: forces are those of each side's friction; history names the position
    and the ends of a road are reported."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    x = np.linspace(-2, 3, 4)
    points = np.array([(a, b, 0.0) for a in x for b in (-2.0, 2.0)])
    faces = [t for k in range(3) for t in ([2 * k, 2 * k + 2, 2 * k + 1], [2 * k + 1, 2 * k + 2, 2 * k + 3])]
    road = m.road("MESH", points=points, triangles=faces, patches=[(-50, 50, 0, 50, 0.2)])
    axle = m.part("axle", 800.0, (100, 100, 100), position=(0, 0, 0.28), velocity=(3, 0, 0))
    for y, name in ((0.7, "left"), (-0.7, "right")):
        m.tyre_brush(
            m.marker(axle, (0, y, 0)),
            road,
            **{**BODY, "damping": 2e3},
            slip_stiffness=8e4,
            load=4e3,
            half_length=0.07,
            mu=0.9,
            name=name,
        )
    m.primitive("ORIENTATION", m.marker(axle), m.marker(m.ground))
    run = hn.simulate(m, end=0.3, steps=30, integrator="RADAU5")
    h = {side: hn.vehicle.tyre_history(run, side) for side in ("left", "right")}
    for side, mu in (("left", 0.2), ("right", 0.9)):
        assert h[side]["mu"] == pytest.approx(mu / (0.9 if side == "right" else 1.0)) or side == "right"
        assert -h[side]["F_x"][-1] / h[side]["F_z"][-1] == pytest.approx(
            0.9 * (0.2 if side == "left" else 1.0), rel=2e-3
        )
    assert h["left"]["point"][-1, 1] == pytest.approx(0.7) and not h["left"]["left"]
    axle.vx = 60.0
    run = hn.simulate(m, end=0.2, steps=20, integrator="RADAU5")
    assert "it was off its road for" in hn.vehicle.tyre_history(run, "left")["left"][0]


def test_adams_datasets_get_their_tyres(tmp_path):
    """A GFORCE of abgTire with STRINGs, one named by an ARRAY: a tyre of millimetres on a road of its file; what is
    missing is reported."""
    (tmp_path / "x.tir").write_text(
        "[UNITS]\nLENGTH='mm'\nFORCE='newton'\nANGLE='radians'\n[MODEL]\nPROPERTY_FILE_FORMAT='FIALA'\n[DIMENSION]\nUNLOADED_RADIUS=310\n[PARAMETER]\n"
        "VERTICAL_STIFFNESS=200\nVERTICAL_DAMPING=3\nCSLIP=80000\nCALPHA=60000\nUMIN=0.9\nUMAX=0.9\n"
    )
    (tmp_path / "flat.rdf").write_text("[UNITS]\nLENGTH='mm'\n[MODEL]\nROAD_TYPE='flat'\n[PARAMETERS]\nMU=0.5\n")
    text = (
        "wheel\nUNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=MILLIMETER, TIME=SECOND\nACCGRAV/KGRAV=-9806.65\nPART/1, "
        "GROUND\nMARKER/7, PART=1\n"
        "PART/2, MASS=400, CM=20, IP=1e6,1e6,1e6, QG=0,0,300\nMARKER/20, PART=2\nMARKER/21, PART=2, "
        "REULER=0D,90D,0D\nMARKER/11, PART=1, FLOATING\n"
        "MARKER/12, PART=1, FLOATING\n"
        "JPRIM/1, ORIENTATION, I=20, J=7\nARRAY/3, IC, NUMBERS=900,104\nSTRING/103, STRING = "
        "mdids://acar/tires.tbl/x.tir\n"
        "STRING/104, STRING = mdids://acar/roads.tbl/flat.rdf\nGFORCE/5, I=20, JFLOAT=11, RM=7, "
        "FUNCTION=USER(900,103,3)\\, ROUTINE=abgTire::gfo900\n"
        "GFORCE/6, I=21, JFLOAT=12, RM=7, FUNCTION=USER(900,103,1)\\, ROUTINE=abgTire::gfo900\nEND\n"
    )
    from holonom.formats.adams import parse_adm

    model = parse_adm(text, "car.adm")
    a, b = hn.vehicle.adams_tyres(model, tmp_path)
    assert model.table("ROAD")[a.road].mu == 0.5 and b.road is None and (a.i, a.j) == (20, 7)
    spun = model._place(model.markers[b.i]).axes  # of z across, y down: y across, z up
    assert np.abs(spun[:, 2]) == pytest.approx([0, 0, 1]) and abs(spun[2, 1]) < 1e-12
    run = hn.simulate(model, end=2.0, steps=20, integrator="RADAU5")
    assert run.part(2).position.values[-1, 2] == pytest.approx(310 - 0.5 * 400 * 9.80665 / 200, abs=1e-2)
    model = parse_adm(text, "car.adm")
    with pytest.raises(
        hn.ModelError, match="GFORCE/5 .*its file 'mdids://acar/roads.tbl/flat.rdf' is not in any of the folders"
    ):
        hn.vehicle.adams_tyres(model, tmp_path / "nowhere")
    with pytest.raises(hn.ModelError, match="no STRING that its parameters name holds a tyre's property file"):
        hn.vehicle.adams_tyres(parse_adm(text.replace("900,103,3", "900,3"), "car.adm"), tmp_path)


RDF = """[UNITS]
LENGTH = 'mm'
TIME = 'sec'
[MODEL]
METHOD = '2D'
ROAD_TYPE = '{kind}'
[PARAMETERS]
MU = 0.5
"""


def test_ramp_roof_drum_and_uneven_roads_of_adams(tmp_path):
    """Heights in metres of files in millimetres: closed forms; a drum's radius and speed; the slopes of an uneven road
    have the requested spectrum and correlation."""

    def made(kind, *lines):
        (tmp_path / "a.rdf").write_text(RDF.format(kind=kind) + "\n".join(lines))
        return hn.vehicle.rdf_road(hn.Model(), tmp_path / "a.rdf")

    x = np.array([-5.0, 0.0, 1.99, 2.01, 2.03, 2.05, 30.0])
    height, slope, _, mu = made("ramp", "HEIGHT = 40", "START = 2000", "SLOPE = 1").at(x, 0.0)
    assert (
        height == pytest.approx(np.clip(x - 2.0, 0.0, 0.04))
        and slope == pytest.approx([0, 0, 0, 1, 1, 0, 0])
        and (mu == 0.5).all()
    )
    falling = made("RAMP", "HEIGHT = -40", "START = 2000", "SLOPE = -0.5").at(x, 0.0)[0]
    assert falling == pytest.approx(-np.clip(0.5 * (x - 2.0), 0.0, 0.04))
    made("flat", "OFFSET = -50")
    m = hn.Model()
    raised = hn.vehicle.rdf_road(m, tmp_path / "a.rdf", m.marker(m.ground, (1.0, 2.0, 3.0)))
    assert m._place(m.markers[raised.marker]).origin == pytest.approx([1.0, 2.0, 2.95]) and m.warnings == []
    roof = made("roof", "HEIGHT = 20", "START = 1000", "LENGTH = 200").at(np.array([0.9, 1.05, 1.1, 1.15, 1.3]), 0.3)[0]
    assert roof == pytest.approx([0.0, 0.01, 0.02, 0.01, 0.0])
    drum = made("drum", "DIAMETER = 2500", "V = 20000")
    assert drum.shape == "DRUM" and drum.sizes["radius"] == pytest.approx(1.25) and drum.belt == pytest.approx(-20.0)
    uneven = made("stochastic_uneven", "INTENSITY = 0.02", "PATH_CORRELATION_RHOLR = 0.6", "START = 1000")
    x = np.arange(7.0, 390.0, 0.05)
    left, right = (uneven.at(x, y)[0] for y in (0.7, -0.7))
    assert np.abs(uneven.at([0.5, 1.0], 0.0)[0]).max() < 1e-12
    f = np.fft.rfftfreq(len(x) - 1, 0.05)
    spectra = [np.fft.rfft(np.diff(z) / 0.05) for z in (left, right)]
    band = (f > 0.05) & (f < 1.5)
    density = [2.0 * 0.05 / len(x) * np.abs(s[band]) ** 2 for s in spectra]
    assert [d.mean() for d in density] == pytest.approx([2e-5, 2e-5], rel=0.15)
    assert np.corrcoef(np.diff(left), np.diff(right))[0, 1] == pytest.approx(0.6, abs=0.1)
    with pytest.warns(hn.ModelWarning, match="START is missing and is 0"):
        assert made("sine", "WAVE_LENGTH = 2000", "AMPLITUDE = 50").at(np.array([0.0, 0.5]), 0.0)[0][0] == 0.0
    for kind, lines, match in (
        ("ramp", ("HEIGHT = 40", "START = 2000"), "SLOPE is missing"),
        ("ramp", ("HEIGHT = 40", "SLOPE = 0"), "a ramp has SLOPE 0"),
        ("roof", ("HEIGHT = 40",), "LENGTH is missing"),
        ("drum", ("V = 1",), "DIAMETER is missing"),
        ("stochastic_uneven", ("INTENSITY = 1", "PATH_CORRELATION_RHOLR = 2"), "PATH_CORRELATION_RHOLR is 2"),
    ):
        with pytest.raises(hn.ModelError, match=match):
            made(kind, *lines)


def turned_marker(m, body, axes, at=(1.0, -2.0, 0.5)):
    return m.marker_at(body, at, z=tuple(axes[:, 2]), x=tuple(axes[:, 0]))


def test_offset_of_a_road_is_along_the_third_axis_of_its_marker(tmp_path):
    """A road 50 mm under a marker of a moving part, turned about all axes: same part, same axes."""
    (tmp_path / "a.rdf").write_text(RDF.format(kind="flat") + "OFFSET = -50")
    m = hn.Model()
    body = m.part("lorry", 1.0, (1, 1, 1), (0.3, 0.2, 0.1), axes=Rotation.from_rotvec([0.3, -0.4, 0.2]).as_matrix())
    axes = Rotation.from_rotvec([-0.5, 0.8, 1.1]).as_matrix()
    road = rdf_road(m, tmp_path / "a.rdf", turned_marker(m, body, axes))
    marker = m.markers[road.marker]
    assert m.body_of(marker) is m.body_of(m.markers[body.cm])
    assert m._place(marker).origin == pytest.approx(np.array([1.0, -2.0, 0.5]) - 0.05 * axes[:, 2], abs=1e-12)
    assert np.abs(m._place(marker).axes - axes).max() < 1e-12


@pytest.mark.parametrize("lean", [0.1, 0.25 * np.pi + 1e-10, 1.3])
@pytest.mark.parametrize("base", [(0.0, 0.0, 0.0), (0.4, -0.3, 0.9)], ids=["level", "road that leans"])
def test_markers_of_wheels_of_adams_have_y_along_the_spin(lean, base):
    """Marker I of Adams spins about its axis that lies nearer to the road, y or z.  About y: the marker itself.  About
    z: a marker at its place with y along it, x ahead in the road, and z what is left: up."""
    m = hn.Model()
    road = Rotation.from_rotvec(base).as_matrix()
    rm = turned_marker(m, m.ground, road)
    hub = m.part("hub", 1.0, (1, 1, 1), (0.3, 0.2, 0.1))
    axes = road @ Rotation.from_euler("ZX", [0.7, lean]).as_matrix()  # heading, then y up by the lean
    i = turned_marker(m, hub, axes, (0.2, 0.9, 0.4))
    found = _spun(m, i, rm)
    if lean < 0.8:  # at 45 degrees both are as near; to rounding
        assert found is i
        return
    frame = m._place(found)
    assert m.body_of(found) is m.body_of(i) and frame.origin == pytest.approx([0.2, 0.9, 0.4])
    ahead = np.cross(axes[:, 2], road[:, 2])
    ahead /= np.linalg.norm(ahead)
    assert np.abs(frame.axes - np.column_stack([ahead, axes[:, 2], np.cross(ahead, axes[:, 2])])).max() < 1e-12
    assert frame.axes[:, 2] @ road[:, 2] > 0.9
