"""Grains in a system: the same motion as parts with the same shapes, and what a run keeps of them."""

import numpy as np
import pytest

import holonom as hn
from holonom import Box, Model
from holonom.analyses.session.simulation import Simulation
from holonom.model.orientation import from_quaternion
from holonom.results.pages.animation import scene
from holonom.system.build import System

LAW = dict(stiffness=1e5, damping=5.0, dmax=1e-6, mu=0.3)
CORNERS = [(0.04, 0, 0), (-0.03, 0.03, 0), (-0.03, -0.03, 0.01), (0, 0, 0.06), (0.01, 0.01, -0.03)]


def box_of(m, half=0.2):
    walls = [m.plane(m.ground, (0, 0, 0), (0, 0, 1))]
    walls += [m.plane(m.ground, (half * x, half * y, 0), (-x, -y, 0)) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    return walls


def scenes(shape="SPHERE", n=20, **more):
    """The same bodies as grains and as parts."""
    r = np.linspace(0.04, 0.05, n)
    at = Box((-0.2, -0.2, 0), (0.2, 0.2, 1.2)).random(r, seed=3)
    kinds = dict(radius=r) if shape == "SPHERE" else dict(shape=shape, scale=r / r[-1], orientation="random", **more)
    out = []
    for bulk in (True, False):
        m = Model("grains" if bulk else "parts")
        m.gravity = (0, 0, -9.81)
        g = m.grains(
            at,
            density=1000.0,
            velocity=(0.3, 0.1, -1),
            spin=(0, 1.0, 0),
            name="sand",
            record=("position", "velocity", "spin", "quaternion", "contacts", "stress"),
            **kinds,
        )
        bodies = g
        if not bulk:
            g = m._tables["GRAINS"].pop(g.id)
            bodies = []
            q = g.orientations if len(g.orientations) else np.tile([1.0, 0, 0, 0], (n, 1))
            for k in range(n):
                A = from_quaternion(q[k]) @ g.axes
                part = m.part(
                    f"p{k}",
                    g.masses[k],
                    tuple(g.inertias()[k]),
                    tuple(at[k]),
                    axes=A,
                    velocity=(0.3, 0.1, -1),
                    angular_velocity=tuple(A.T @ (0, 1.0, 0)),
                )
                axes = from_quaternion(q[k])
                if shape == "SPHERE":
                    bodies.append(m.sphere(part, tuple(at[k]), g.sizes[k]))
                elif shape == "BOX":
                    bodies.append(
                        m.box(part, at[k], tuple(g.sizes[k] * np.array(g.dimensions)), x=axes[:, 0], z=axes[:, 2])
                    )
                else:
                    bodies.append(m.hull(part, g.sizes[k] * g.points, at[k], x=axes[:, 0], z=axes[:, 2]))
        m.contact(bodies, **LAW)
        m.contact(bodies, box_of(m), **LAW)
        out.append(m)
    return out


@pytest.mark.parametrize(
    ("integrator", "end", "options"),
    [("SEMI_IMPLICIT_EULER", 0.5, {"hmax": 2e-4, "grains": "general"}), ("GSTIFF", 0.3, {"error": 1e-4})],
)
def test_spheres_move_bit_by_bit_as_parts_do(integrator, end, options):
    parts = {k: v for k, v in options.items() if k != "grains"}
    a, b = (hn.simulate(m, end, steps=10, integrator=integrator, **more) for m, more in zip(scenes(), (options, parts)))
    g = a.grains("sand")
    assert np.array_equal(g.values("position"), b.data.body_position)
    assert np.array_equal(g.values("velocity"), b.data.body_velocity)
    assert g.values("spin") == pytest.approx(b.data.body_angular_velocity, abs=1e-12)
    assert np.abs((g.values("quaternion") * b.data.body_quaternion).sum(axis=2)) == pytest.approx(1.0, abs=1e-12)
    assert np.array_equal(a.data.energy_kinetic, b.data.energy_kinetic)
    assert np.array_equal(a.data.contact_force, b.data.contact_force)
    assert a.data.contact_points[-1, 1] > 0 and a.data.contact_points.sum(axis=1)[-1] > 3


@pytest.mark.parametrize(
    ("shape", "more"), [("BOX", {"dimensions": (0.06, 0.05, 0.04)}), ("HULL", {"points": CORNERS})]
)
def test_convex_bodies_move_as_parts_do(shape, more):
    # sizes differ, bodies are turned, and the axes of a hull are not its principal axes; chaos lets roundoff grow, so
    # the time is short
    a, b = (
        hn.simulate(m, 0.12, steps=4, integrator="SEMI_IMPLICIT_EULER", hmax=2e-4) for m in scenes(shape, 12, **more)
    )
    g = a.grains()
    assert a.data.contact_points.max() > 0
    assert g.values("position") == pytest.approx(b.data.body_position, abs=1e-9)
    assert g.values("spin") == pytest.approx(b.data.body_angular_velocity, abs=1e-5)
    for k in range(len(g)):
        A, B = (from_quaternion(q) for q in (g.values("quaternion")[-1, k], b.data.body_quaternion[-1, k]))
        assert A @ g.element.axes == pytest.approx(B, abs=1e-6)


def column(n=6):
    """Spheres upon each other, pressed in as their weight asks; every contact carries what is upon it."""
    m = Model("column")
    m.gravity = (0, 0, -10.0)
    r, mass, k = 0.1, 2.0, 1e6
    z, places = 0.0, []
    for i in range(n):
        z += (r if i == 0 else 2 * r) - (n - i) * mass * 10.0 / k
        places.append((0, 0, z))
    g = m.grains(places, r, "balls", mass=mass, record=("position", "velocity", "spin", "contacts", "stress"))
    law = dict(stiffness=k, exponent=1.0, damping=0.0, dmax=1e-6)
    m.contact(g, **law)
    m.contact(g, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), **law)
    return m, r, mass


def test_contacts_and_stress_of_a_column():
    m, r, mass = column()
    run = hn.simulate(m, 1e-3, steps=2, integrator="VELOCITY_VERLET", hmax=1e-4)
    g = run.grains()
    assert g.values("contacts")[-1].tolist() == [2, 2, 2, 2, 2, 1]
    above, below = mass * 10.0 * np.arange(5, -1, -1), mass * 10.0 * np.arange(6, 0, -1)
    # c - r is the radius less half the depth above and below
    moment = -(above * (r - above / 2e6) + below * (r - below / 2e6))
    moment[0] = -(above[0] * (r - above[0] / 2e6) + below[0] * (r - below[0] / 2e6))
    assert g.values("stress")[-1][:, 2] == pytest.approx(moment, rel=1e-6)
    assert np.abs(g.values("stress")[-1][:, [0, 1, 3, 4, 5]]).max() < 1e-9
    where = Box((-1, -1, 0), (1, 1, 2))
    stress = g.stress(where).values[-1]
    assert stress[2, 2] == pytest.approx(moment.sum() / where.volume, rel=1e-6) and np.abs(stress[0]).max() < 1e-12
    assert g.coordination()[-1] == pytest.approx(11 / 6) and g.coordination(rattlers=False)[-1] == 2.0
    assert g.coordination(Box((-1, -1, 0), (1, 1, 0.15)))[-1] == 2.0
    assert g.temperature()[-1] < 1e-12
    assert g.packing(Box((-0.1, -0.1, 0.2), (0.1, 0.1, 0.4)), rows=[-1])[0] == pytest.approx(np.pi / 6, abs=3e-3)


@pytest.mark.parametrize("rigid", [False, True])
def test_simple_cubic_packing_under_its_weight(rigid):
    """Coordination number 6 (5 in the top layer), upright stress - rho g h times the share filled, pi/6; sideways that
    of the walls, which squeeze by 0.1 mm where contacts give way and not at all where they are rigid."""
    n, layers, r, density, k = 4, 5, 0.1, 1000.0, 1e6
    squeeze = 0.0 if rigid else 1e-4
    m = Model("simple cubic")
    m.gravity = (0, 0, -10.0)
    mass = density * 4 / 3 * np.pi * r**3
    give = 0.0 if rigid else mass * 10.0 / k  # of a contact under one ball
    z = np.cumsum([(r if i == 0 else 2 * r) - (layers - i) * give for i in range(layers)])
    x = (np.arange(n) - 0.5 * (n - 1)) * (2 * r - squeeze)
    w = x[-1] + r - squeeze
    g = m.grains(
        [(p, q, h) for h in z for q in x for p in x],
        r,
        "balls",
        density=density,
        record=("position", "velocity", "contacts", "stress"),
    )
    walls = [m.plane(m.ground, (0, 0, 0), (0, 0, 1))]
    walls += [m.plane(m.ground, (w * p, w * q, 0), (-p, -q, 0)) for p, q in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    for other in ((), (walls,)):
        m.contact(g, *other, stiffness=k, exponent=1.0, damping=0.0, dmax=1e-6)
    way = dict(contact="time-stepping", hmax=1e-3) if rigid else dict(integrator="VELOCITY_VERLET", hmax=1e-4)
    run = hn.simulate(m, 5e-3 if rigid else 1e-3, steps=1, **way)
    g = run.grains()
    assert g.values("contacts")[-1].reshape(layers, -1).tolist() == [[6.0] * n * n] * (layers - 1) + [[5.0] * n * n]
    assert g.coordination(Box((-w, -w, 0), (w, w, 8 * r)))[-1] == 6.0
    weight = n * n * layers * mass * 10.0
    assert run.contact("CONTACT_2").force.values[-1] == pytest.approx([0, 0, weight], rel=1e-6, abs=1e-6 * weight)
    for i, h in enumerate(z):
        box = Box((-w, -w, h - 0.9 * r), (w, w, h + 1.1 * r))  # as high as a layer
        stress = g.stress(box).values[-1]
        depth = (layers - i - 0.5) * 2 * r
        assert stress[2, 2] == pytest.approx(
            -np.pi / 6 * density * 10.0 * depth * (2 * r * n) ** 2 / (4 * w * w), rel=1e-7 if rigid else 1.5e-3
        )
        sideways = -2 * n * n * k * squeeze * (r - 0.5 * squeeze) / box.volume
        assert stress[0, 0] == pytest.approx(sideways, rel=1e-6, abs=1e-6) and stress[1, 1] == pytest.approx(
            sideways, rel=1e-6, abs=1e-6
        )
    assert g.packing(Box((-w, -w, 2 * r), (w, w, 8 * r)), rows=[-1])[0] == pytest.approx(np.pi / 6, abs=3e-3)


def test_flow_through_a_plane_and_heat():
    m = Model("rain")
    rng = np.random.default_rng(5)
    n = 2000
    places = np.column_stack([rng.uniform(-1, 1, (n, 2)), rng.uniform(0, 10, n)])
    heat = rng.normal(0.0, 0.1, (n, 3)) * [1, 1, 0]
    m.grains(places, 0.01, mass=0.5, velocity=heat + [0, 0, -2.0])
    run = hn.simulate(m, 3.0, steps=60, integrator="SEMI_IMPLICIT_EULER", hmax=0.002)
    g = run.grains()
    # falling at 2 with 200 grains of 0.5 a unit of height: 200 a unit of time; counted exactly
    z = places[:, 2]
    assert g.passed((0, 0, 1), (0, 0, -1))[-1] == 0.5 * ((z > 1) & (z < 7)).sum()
    assert g.flow_rate((0, 0, 1), (0, 0, -1)) == pytest.approx(200.0, rel=0.05)
    want = ((heat - heat.mean(axis=0)) ** 2).sum() / 3 / n
    assert g.temperature() == pytest.approx(np.full(61, want), rel=1e-9)


def test_angle_of_a_made_heap():
    m = Model("heap")
    a, h = np.radians(23.0), 0.5
    rng = np.random.default_rng(1)
    p = rng.uniform([-2, -2, 0], [2, 2, h], (200_000, 3))
    p = p[p[:, 2] < h - np.tan(a) * np.hypot(p[:, 0], p[:, 1])] + [3.0, 1.0, 0.7]
    m.grains(p, 0.004, mass=1.0)
    run = hn.simulate(m, 1e-3, steps=1, integrator="SEMI_IMPLICIT_EULER", hmax=1e-3)
    assert np.degrees(run.grains().repose()) == pytest.approx(23.0, abs=1.0)


def test_results_go_to_disk_and_back(tmp_path):
    m = scenes()[0]
    m.table("GRAINS")[1].precision = "single"
    run = hn.simulate(m, 0.05, steps=5, integrator="SEMI_IMPLICIT_EULER", hmax=2e-4, keep=tmp_path / "kept.h5")
    run.save(tmp_path / "run.h5")
    back = hn.load(tmp_path / "run.h5")
    for name in ("position", "velocity", "spin", "quaternion", "contacts", "stress"):
        values = back.grains("sand").values(name)
        assert values.dtype == np.float32 and np.array_equal(values, run.grains().values(name))
    kept = hn.load(tmp_path / "kept.h5").grains().values("position")  # what was on disk when the run ended
    assert len(kept) and np.array_equal(kept, run.grains().values("position")[: len(kept)])
    assert back.grains().position.dims == ("time", "grain", "axis") and back.grains().position.attrs["units"] == "m"
    assert back.grains().count.tolist() == [20] * 6
    with pytest.raises(hn.ModelError, match="there is no GRAINS named 'dust'"):
        run.grains("dust")
    middle = run.at(0.025)
    assert middle.grains().values("position").shape == (1, 20, 3)
    assert len(hn.Run.concatenate([run.segment(0)]).grains().exists) == 6


def test_a_simulation_goes_on_from_a_saved_state(tmp_path):
    m = scenes()[0]
    a, b = Simulation(m, progress=False), Simulation(scenes()[0], progress=False)
    for sim in (a, b):
        sim.dynamics(end=0.1, steps=2, integrator="SEMI_IMPLICIT_EULER", hmax=2e-4)
    b.save(tmp_path / "state.h5")
    c = Simulation(scenes()[0], progress=False)
    c.reload(tmp_path / "state.h5")
    for sim in (a, c):
        sim.dynamics(end=0.2, steps=2, integrator="SEMI_IMPLICIT_EULER", hmax=2e-4)
    assert np.array_equal(a.y, c.y)


def test_grains_that_are_not_present_stay_out():
    m = scenes()[0]
    g = m.table("GRAINS")[1]
    keep = np.ones(20, bool)
    keep[[3, 7]] = False
    g.present = keep
    system = System(m)
    assert system.nb == 18 and system.grains[0].slots.tolist() == np.flatnonzero(keep).tolist()
    run = hn.simulate(m, 0.01, steps=1, integrator="SEMI_IMPLICIT_EULER", hmax=2e-4)
    assert run.grains().exists[-1].tolist() == keep.tolist() and np.isnan(run.grains().values("position")[0, 3]).all()


def test_tables_grow_with_the_number_of_grains():
    sizes = {}
    for n in (500, 5000):
        m = Model()
        g = m.grains(Box((0, 0, 0), (1, 1, 100)).grid(0.02, count=n), 0.02, density=1000.0)
        m.contact(g, **LAW)
        m.contact(g, box_of(m, 1.0), **LAW)
        system = System(m)
        assert system.nb == n and len(system.contacts.S.sh.kind) == n + 5
        W = system.contacts.W
        sizes[n] = sum(a.nbytes for a in W if isinstance(a, np.ndarray)) / n
    assert sizes[5000] == pytest.approx(sizes[500], rel=0.2)  # bytes a grain
    assert sizes[5000] < 16_000


def test_messages_name_the_grain():
    m = Model()
    g = m.grains([(0, 0, 0), (0.15, 0, 0)], 0.1, "sand", mass=1.0)
    m.contact(g, **LAW)
    run = hn.simulate(m, 1e-3, steps=1, integrator="SEMI_IMPLICIT_EULER", hmax=1e-4)
    assert any(
        "grain 0 of sand and grain 1 of sand (CONTACT/1 'CONTACT_1') by 0.05 m" in text for text in run.info["messages"]
    )


def test_polydisperse_hertz_is_refused_with_a_sentence():
    m = Model()
    g = m.grains([(0, 0, 0), (1, 0, 0)], [0.1, 0.2], mass=1.0)
    m.contact(g, law="HERTZ", materials="steel")
    with pytest.raises(hn.ModelError, match="its pairs of shapes have different curvatures"):
        System(m)
    m.table("GRAINS")[1].sizes = np.array([0.1, 0.1])
    assert System(m).contacts.S.p[0, 0] > 0


def test_grains_meet_meshes_that_stand_for_walls_only():
    m = Model()
    g = m.grains([(0, 0, 1)], shape="HULL", points=CORNERS, density=1.0)
    m.contact(
        g,
        m.mesh(m.ground, ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])),
        **LAW,
    )
    with pytest.raises(hn.ModelError, match="grains of shape HULL and a MESH cannot touch in this version"):
        System(m)


def test_picture_of_grains():
    m = scenes("BOX", 12, dimensions=(0.06, 0.05, 0.04))[0]
    run = hn.simulate(m, 0.01, steps=2, integrator="SEMI_IMPLICIT_EULER", hmax=2e-4)
    (g,) = scene(run)["grains"]
    assert g["count"] == 12 and g["name"] == "sand" and "q" in g
    import base64

    code = np.frombuffer(base64.b64decode(g["p"]), "<u2").reshape(3, 12, 3)
    place = np.array(g["low"]) + code / 65534 * np.array(g["span"]) + scene(run)["origin"]
    assert place == pytest.approx(run.grains().values("position"), abs=1e-4)
