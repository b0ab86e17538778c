"""Motion of grains: closed forms, audits of momentum and energy, orders of convergence, the general engine, reruns and
threads to the bit."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom import ModelError
from holonom.granular import Granular, Law
from holonom.granular.grains import levels_of
from holonom.system.build import System


def cloud(m=4, seed=0, **options):
    """m^3 spinning spheres of several sizes and two materials that fly at each other; they meet after 0.02 s and are
    deep together at 0.1 s."""
    rng = np.random.default_rng(seed)
    law = {
        (0, 0): Law(
            "LINEAR", stiffness=1e5, restitution=0.6, friction="SPRING", mu_static=0.5, rolling_coefficient=0.1
        ),
        (0, 1): Law(
            "HERTZ",
            modulus=1e7,
            restitution=0.8,
            friction="MINDLIN",
            shear_modulus=4e6,
            mu_static=0.3,
            spinning_resistance=1e-3,
        ),
        (1, 1): Law(stiffness=1e5, damping=5.0, mu_static=0.2, rolling_resistance=1e-3),
    }
    g = Granular(law, step=4e-5, **options)
    pos = 0.1 * (np.stack(np.meshgrid(*[np.arange(m)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) - 0.5 * (m - 1))
    pos += rng.uniform(-0.01, 0.01, pos.shape)
    n = len(pos)
    g.add(
        pos,
        rng.uniform(0.03, 0.04, n),
        density=1000.0,
        vel=-8 * pos,
        omega=rng.normal(0, 5, (n, 3)),
        material=np.arange(n) % 2,
    )
    return g


def floor(law, angle=0.0, **options):
    g = Granular(law, gravity=(9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)), **options)
    g.wall("floor").plane((0, 0, 0), (0, 0, 1))
    return g


@pytest.mark.parametrize("friction", ["SPRING", "COULOMB"])
def test_ball_rolls_down_an_incline(friction):
    r, angle, end = 0.05, 0.3, 0.5
    damped = dict(tangential_damping=50.0) if friction == "SPRING" else {}
    g = floor(
        Law("LINEAR", stiffness=1e5, restitution=0.3, friction=friction, mu_static=0.5, **damped), angle, step=1e-5
    )
    sink = 4 / 3 * np.pi * r**3 * 1000 * 9.81 * np.cos(angle) / 1e5
    g.add((0, 0, r - sink), r, density=1000.0)
    g.advance(round(end / g.step))
    assert g.vel[0, 0] == pytest.approx(5 / 7 * 9.81 * np.sin(angle) * end, rel=2e-3)
    assert g.omega[0, 1] * r == pytest.approx(g.vel[0, 0], rel=2e-3)


def test_ball_slides_down_a_steep_incline():
    r, angle, end, mu = 0.05, 0.7, 0.3, 0.1
    g = floor(
        Law("LINEAR", stiffness=1e5, restitution=0.3, mu_static=mu, stiction_transition_velocity=1e-4), angle, step=1e-5
    )
    sink = 4 / 3 * np.pi * r**3 * 1000 * 9.81 * np.cos(angle) / 1e5
    g.add((0, 0, r - sink), r, density=1000.0)
    g.advance(round(end / g.step))
    arm = r - sink / 2
    assert g.vel[0, 0] == pytest.approx(9.81 * (np.sin(angle) - mu * np.cos(angle)) * end, rel=2e-3)
    assert g.omega[0, 1] == pytest.approx(2.5 * mu * 9.81 * np.cos(angle) * arm / r**2 * end, rel=2e-3)


def test_spring_sticks_and_coulomb_creeps():
    r, angle = 0.05, 0.2
    moved = {}
    for friction in ("SPRING", "COULOMB"):  # rolling stopped: a sphere with huge inertia slides or sticks
        damped = dict(tangential_damping=50.0) if friction == "SPRING" else {}
        g = floor(
            Law("LINEAR", stiffness=1e5, restitution=0.2, friction=friction, mu_static=0.5, **damped), angle, step=2e-5
        )
        g.add((0, 0, r - 5e-5), r, mass=0.5, inertia=1e9)
        g.advance(20000)
        before = g.pos[0, 0]
        g.advance(20000)
        moved[friction] = g.pos[0, 0] - before
    assert abs(moved["SPRING"]) < 1e-7 and moved["COULOMB"] > 1e-5


def test_rolling_resistance_brakes_with_its_arm():
    r, arm = 0.05, 1e-3
    for friction in ("SPRING", "COULOMB"):
        law = Law("LINEAR", stiffness=1e5, restitution=0.2, friction=friction, mu_static=0.8, rolling_resistance=arm)
        g = floor(law, step=1e-5)
        m = 0.5
        sink = m * 9.81 / 1e5
        g.add((0, 0, r - sink), r, mass=m, vel=(1.0, 0, 0), omega=(0, 1.0 / (r - sink / 2), 0))
        g.advance(30000)
        # m x'' = -f,  I w' = f r - arm N with x' = w r:  x'' (m + I/r^2) = -arm N / r
        assert 1.0 - g.vel[0, 0] == pytest.approx(0.3 * arm * 9.81 / r / 1.4, rel=0.01)


@pytest.mark.parametrize("method", ["EULER", "VERLET"])
def test_momentum_and_angular_momentum_are_kept(method):
    g = cloud(method=method)
    p0, L0 = g.momentum()
    scale = (g.mass[:, None] * np.abs(g.vel)).sum()
    g.advance(800)
    assert len(g.contacts().a) > 20
    g.advance(1200)
    p, L = g.momentum()
    # couples of rolling act on both sides alike; Verlet keeps the angular momentum of positions and velocities at equal
    # times only to its order
    assert np.abs(p - p0).max() < 1e-13 * scale
    assert np.abs(L - L0).max() < (1e-13 if method == "EULER" else 1e-5) * scale * 0.25


def test_energy_never_grows_where_laws_lose_it():
    g = cloud()
    g.advance(1)
    k = [sum(g.energy()[:2])]
    for _ in range(60):
        g.advance(50)
        k.append(g.energy().total)
    assert k[-1] < 0.5 * k[0]
    assert max(np.diff(k)) < 0.02 * k[0]  # tangential springs store what is not counted here


def test_elastic_energy_is_kept_to_the_order_of_the_method():
    lost = {}
    for method in ("EULER", "VERLET"):
        for h in (4e-5, 2e-5, 1e-5):
            g = Granular(Law("HERTZ", modulus=1e7), step=h, method=method, gravity=(0, 0, -9.81))
            g.wall().plane((0, 0, 0), (0, 0, 1))
            g.add([(0, 0, 0.06), (0.02, 0, 0.17)], 0.05, density=1000.0)
            e0 = g.energy().total
            g.advance(round(0.0716 / h))  # in the middle of an impact
            assert len(g.contacts().a)
            lost[method, h] = abs(g.energy().total / e0 - 1)
    assert lost["VERLET", 1e-5] < 1e-5
    for method, order in (("EULER", 1), ("VERLET", 2)):
        rate = np.log2(lost[method, 2e-5] / lost[method, 1e-5])
        assert rate > order - 0.35, (method, lost)


def test_same_motion_as_the_general_engine():
    from holonom.analyses.assemble import assemble
    from holonom.integrators import Options, make_integrator

    n, h, r = 24, 2e-4, 0.05
    k = np.arange(n)
    at = np.stack([(k % 2) * 0.1 - 0.05, (k // 2 % 2) * 0.1 - 0.05, 0.05 + (k // 4) * 0.1], axis=1)
    at += np.random.default_rng(3).uniform(-0.001, 0.001, at.shape)
    m = hn.Model("heap", units="SI")
    m.gravity = (0, 0, -9.81)
    balls = [m.sphere(m.part(f"b{i}", 0.5, (0.0005,) * 3, tuple(p)), tuple(p), r) for i, p in enumerate(at)]
    walls = [
        m.plane(m.ground, p, q)
        for p, q in (
            ((0, 0, 0), (0, 0, 1)),
            ((0.0999, 0, 0), (-1, 0, 0)),
            ((-0.0999, 0, 0), (1, 0, 0)),
            ((0, 0.0999, 0), (0, -1, 0)),
            ((0, -0.0999, 0), (0, 1, 0)),
        )
    ]
    law = dict(
        stiffness=1e5,
        exponent=1.0,
        damping=100.0,
        dmax=1e-7,
        stiction_transition_velocity=1e-2,
        friction_transition_velocity=2e-2,
    )
    m.contact(balls, balls, mu=(0.3, 0.2), **law)
    m.contact(balls, walls, mu=(0.3, 0.2), **law)
    system = System(m)
    stepper = make_integrator("SEMI_IMPLICIT_EULER", system, Options(error=1e-3, hmax=h, hmin=h, fixed=True))
    stepper.start(0.0, assemble(system).y, 1.0)
    g = Granular(Law(mu_static=0.3, mu_dynamic=0.2, **law), step=h, gravity=(0, 0, -9.81))
    g.add(at, r, mass=0.5, inertia=0.0005)
    g.wall("box").box((-0.0999, -0.0999, 0), (0.0999, 0.0999, 9), open="top")
    for _ in range(120):  # later the stiff friction of a heap at this step makes roundoff grow
        stepper.step(1.0)
    g.advance(120)
    y = stepper.y[: 13 * n].reshape(-1, 13)
    assert len(g.contacts().a) > 80
    assert np.abs(g.pos - y[:, :3]).max() < 1e-14
    assert np.abs(g.vel - y[:, 7:10]).max() < 1e-12


@pytest.mark.parametrize("method", ["EULER", "VERLET"])
def test_threads_and_reruns_give_the_same_bits(method):
    def state(threads, pieces):
        g = cloud(11, threads=threads, method=method, orientation=True)
        w = g.wall("drum", angular_velocity=(0, 3, 0)).cylinder((0, -0.6, 0), (0, 0.6, 0), 0.55)
        for n in pieces:
            g.advance(n)
        assert g.builds > 50 and len(g.contacts().a) > 400
        return np.concatenate([g.pos, g.vel, g.omega, g.orientation], axis=1), w.force, w.impulse

    first = state(1, (600,))
    for threads, pieces in ((1, (600,)), (2, (600,)), (3, (600,)), (5, (1, 199, 400))):
        for a, b in zip(first, state(threads, pieces)):
            assert (a == b).all(), (threads, pieces)


def marbles(n=1500, ratio=12.0, **options):
    """Spheres of sizes 1 to ``ratio``, as many of each octave in volume, that fly to the middle of a box over a
    ridge."""
    rng = np.random.default_rng(5)
    radius = 0.08 * np.cbrt(1.0 / (1.0 + (ratio**3 - 1.0) * rng.uniform(size=n)))
    radius[0] = 0.08
    law = Law("LINEAR", stiffness=2e4, restitution=0.5, friction="SPRING", mu_static=0.5, rolling_coefficient=0.1)
    g = Granular(law, step=1e-5, gravity=(0, 0, -9.81), **options)
    pos = rng.uniform(-0.2, 0.2, (n, 3))
    g.add(pos, radius, density=1000.0, vel=-3 * pos, omega=rng.normal(0, 5, (n, 3)))
    g.wall("box").box((-0.25, -0.25, -0.25), (0.25, 0.25, 1.0), open="top")
    g.wall("ridge").triangles(
        [(-1, -1, -0.2), (-1, 1, -0.2), (0, -1, -0.1), (0, 1, -0.1), (1, -1, -0.2), (1, 1, -0.2)],
        [(0, 2, 3), (0, 3, 1), (2, 4, 5), (2, 5, 3)],
    )
    return g


def test_spheres_of_unlike_sizes_meet_all_whom_they_touch():
    g = marbles()
    levels = len(levels_of(g.radius))
    assert levels >= 4 and (np.diff(levels_of(g.radius)) > 0).all()
    for _ in range(3):
        c, pos, r = g.contacts(), g.pos, g.radius
        i, j = np.nonzero(np.triu(np.linalg.norm(pos[:, None] - pos[None], axis=2) < r[:, None] + r[None], 1))
        pair = c.b >= 0
        assert sorted(zip(np.minimum(c.a, c.b)[pair], np.maximum(c.a, c.b)[pair])) == sorted(zip(i, j))
        for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1), (2, 1)):
            on = (c.wall == 0) & (c.normal[:, axis] == sign)
            assert sorted(c.a[on]) == np.flatnonzero(sign * pos[:, axis] + 0.25 < r).tolist()
        assert set(np.flatnonzero(np.abs(pos[:, 2] + 0.1 + 0.1 * np.abs(pos[:, 0])) / np.sqrt(1.01) < 0.99 * r)) <= set(
            c.a[c.wall == 1]
        )
        g.advance(40)
    assert g.builds > 2


def test_levels_of_sizes_change_roundoff_only(monkeypatch):
    """Against one level with cells as wide as the largest sphere."""
    many, one = marbles(600, 6.0), marbles(600, 6.0)
    many.advance(60)
    monkeypatch.setattr("holonom.granular.grains.levels_of", lambda radii: radii.max(keepdims=True))
    one.advance(60)
    assert len(many._s.edge) > 3 and len(one._s.edge) == 2
    for name, scale in (("pos", 0.1), ("vel", 1.0), ("omega", 10.0)):
        assert np.abs(getattr(many, name) - getattr(one, name)).max() < 1e-9 * scale
    for a, b in zip(many.walls, one.walls):
        assert a.force == pytest.approx(b.force, rel=1e-9)


@pytest.mark.parametrize("method", ["EULER", "VERLET"])
def test_levels_of_sizes_give_the_same_bits_on_all_threads(method):
    def state(threads):
        g = marbles(threads=threads, method=method)
        g.advance(60)
        assert len(g._s.level) > len(g._s.edge)  # chunks, levels
        return np.concatenate([g.pos, g.vel, g.omega], axis=1), g.walls[0].force

    first = state(1)
    for threads in (2, 3):
        for a, b in zip(first, state(threads)):
            assert (a == b).all()


def test_spheres_come_and_go():
    law = Law("LINEAR", stiffness=1e4, restitution=0.4, friction="SPRING", mu_static=0.5)
    g = floor(law, step=1e-4)
    a = g.add([(0.2 * k, 0, 0.0999) for k in range(5)], 0.1, mass=1.0)
    g.advance(50)
    g.remove(a[1:3])
    assert g.ids.tolist() == [0, 3, 4] and g.count == 3
    b = g.add([(0.2, 0, 0.3), (0.4, 0, 0.3)], 0.1, mass=2.0)
    assert b.tolist() == [5, 6]
    g.advance(15000)
    assert g.ids.tolist() == [0, 3, 4, 5, 6]
    assert g.pos[:, 0] == pytest.approx([0, 0.6, 0.8, 0.2, 0.4], abs=1e-3)
    assert g.pos[:, 2] == pytest.approx(0.1 - g.mass * 9.81 / 1e4, abs=1e-6)
    assert g.walls[0].force[2] == pytest.approx(-9.81 * 7.0, rel=1e-3)
    with pytest.raises(ModelError, match="no sphere with id 1"):
        g.remove([1])
    g.remove(g.ids)
    g.advance(3)
    assert g.count == 0


def test_remembered_friction_survives_new_lists_and_new_rows():
    def run(disturb):
        law = Law("LINEAR", stiffness=1e4, restitution=0.4, friction="SPRING", mu_static=0.8, rolling_coefficient=0.3)
        g = floor(law, 0.25, step=1e-4)
        g.add([(0.0, 0.1 * k, 0.0498) for k in range(4)], 0.05, mass=0.5)
        for k in range(20):
            g.advance(200)
            if disturb:  # spheres far away, before and behind in the order of cells
                g.add((-3.0 - 0.3 * k, 0, 1), 0.05, mass=1.0)
                g.add((3.0 + 0.3 * k, 0, 1), 0.05, mass=1.0)
        return g.pos[:4]

    assert np.abs(run(True) - run(False)).max() < 1e-9


def test_a_sphere_far_away_and_a_dust_of_spheres():
    """Cells are never many more than spheres."""
    law = Law("LINEAR", stiffness=1e4, restitution=0.5)
    g = Granular(law, step=1e-5)
    rng = np.random.default_rng(0)
    pos = np.concatenate([rng.uniform(0, 1, (300, 3)), [(1e9, 0, 0), (0, -1e7, 3)]])
    g.add(pos, 0.05, mass=0.1)
    a = g.contacts()
    d = np.linalg.norm(pos[:, None] - pos[None], axis=2)
    i, j = np.nonzero(np.triu(d < 0.1, 1))
    assert sorted(zip(np.minimum(a.a, a.b), np.maximum(a.a, a.b))) == sorted(zip(i, j))
    g.set(pos=rng.uniform(-1e6, 1e6, (302, 3)))
    assert len(g.contacts().a) == 0 and g.memory < 1e6


def test_a_step_too_long_is_told():
    g = Granular(Law(stiffness=1e7), step=1e-3)
    g.add([(0, 0, 0), (0.05, 0, 0)], 0.05, mass=0.1)
    with pytest.raises(ModelError, match="sphere . flies further than its radius in one step.*contact_time"):
        g.advance(100)


def test_bad_input_is_told():
    law = Law(stiffness=1e4)
    for text, make in (
        ("step must be a positive number", lambda: Granular(law, step=0.0)),
        ("no method LEAPFROG", lambda: Granular(law, step=1.0, method="LEAPFROG")),
        ("threads can be used, not 0", lambda: Granular(law, step=1.0, threads=0)),
        ("either mass or density", lambda: Granular(law, step=1.0).add((0, 0, 0), 1.0)),
        (
            "radius of sphere 1 of those added",
            lambda: Granular(law, step=1.0).add([(0, 0, 0)] * 2, [1.0, -1.0], mass=1.0),
        ),
        ("place of sphere 0 of those added", lambda: Granular(law, step=1.0).add((0, np.nan, 0), 1.0, mass=1.0)),
        ("no law between materials 0 and 1", lambda: _two_materials(law).advance(1)),
        ("only when requested", lambda: Granular(law, step=1.0).orientation),
        ("cannot be negative", lambda: Granular(law, step=1.0).advance(-1)),
    ):
        with pytest.raises(ModelError, match=text):
            make()


def _two_materials(law):
    g = Granular({(0, 0): law, (1, 1): law}, step=1e-3)
    g.add([(0, 0, 0), (3, 0, 0)], 1.0, mass=1.0, material=[0, 1])
    return g


def test_step_and_gravity_may_change_on_the_way():
    g = Granular(Law(stiffness=1e4), step=1e-3)
    g.add((0, 0, 0), 0.1, mass=1.0, vel=(2.0, 0, 0))
    g.advance(10)
    g.step, g.gravity = 2e-3, np.array([0.0, 0.0, -10.0])
    g.advance(10)
    assert g.time == pytest.approx(0.03, rel=1e-12) and g.steps == 20
    assert g.pos[0] == pytest.approx((0.06, 0, -10 * 2e-3**2 * 55), rel=1e-12)
    g.step = -1.0
    with pytest.raises(ModelError, match="step must be a positive number"):
        g.advance(1)


def test_a_wall_that_is_too_fast_for_the_step_is_told_once():
    """A paddle that moves further than the radius of a sphere in a step could pass through it."""
    g = Granular(Law(stiffness=1e4), step=1e-3)
    g.add([(0.5, 0, 0), (5.0, 0, 0)], [0.01, 0.05], mass=0.1)
    paddle = g.wall("paddle", velocity=(30.0, 0, 0))
    paddle.triangles([(0, -1, -1), (0, 1, -1), (0, 0, 1)], [(0, 1, 2)])
    told = []
    g.report = told.append
    g.advance(5)
    assert len(told) == 1 and "wall paddle moves at up to 30" in told[0] and "a step of 0.00017 is safe" in told[0]
    slow = Granular(Law(stiffness=1e4), step=1e-4)
    slow.add([(0.5, 0, 0)], [0.01], mass=0.1)
    slow.wall("paddle", velocity=(30.0, 0, 0)).triangles([(0, -1, -1), (0, 1, -1), (0, 0, 1)], [(0, 1, 2)])
    slow.report = told.append
    slow.advance(5)
    assert len(told) == 1


def test_how_deep_spheres_sink_into_surfaces():
    g = Granular(Law("LINEAR", stiffness=1e4, restitution=1.0), step=1e-6)
    g.add([(0, 0, 0.2)], 0.05, mass=0.1, vel=(0, 0, -10.0))
    assert g.deepest(10.0) == 0.0
    g.wall("sheet").triangles([(-1, -1, 0), (1, -1, 0), (0, 1, 0)], [(0, 1, 2)])
    g.advance(1)
    assert g.deepest(10.0) == pytest.approx(10.0 * np.sqrt(0.1 / 1e4) / 0.05, rel=1e-12)


def swing(law, way, inertia=None, parts=2000):
    """A sphere at rest on a floor that is pushed a little: velocities of its touching point along ``way`` (x or z) over
    time, as shares of the first, and the times."""
    r, m, push = 0.05, 0.5, 1e-5
    sink = {"LINEAR": m * 9.81 / 1e5, "HERTZ": (0.75 * m * 9.81 / (1e7 * math.sqrt(r))) ** (2 / 3)}[law.normal]
    g = floor(law, step=0.01 / parts, method="VERLET")
    more = {} if inertia is None else {"inertia": inertia}
    g.add((0, 0, r - sink), r, mass=m, vel=(push, 0, 0) if way == "x" else (0, 0, push), **more)
    out = [1.0]
    for _ in range(parts):
        g.advance(1)
        out.append((g.vel[0, 0] - g.omega[0, 1] * (r - 0.5 * sink) if way == "x" else g.vel[0, 2]) / push)
    return np.arange(parts + 1) * g.step, np.array(out)


def first_zero(t, v):
    k = int(np.argmax(v < 0.0))
    return t[k - 1] + (t[k] - t[k - 1]) * v[k - 1] / (v[k - 1] - v[k])


def test_springs_along_a_surface_unless_given_swing_like_those_across():
    """2/7 of the stiffness: a solid sphere, whose touching point has 2/7 of its mass, swings there as it does across, a
    quarter of 2 pi sqrt(m/k) until it turns round."""
    law = Law("LINEAR", stiffness=1e5, restitution=1.0, friction="SPRING", mu_static=5.0)
    assert first_zero(*swing(law, "x")) == pytest.approx(0.5 * np.pi * np.sqrt(0.5 / 1e5), rel=3e-3)


def test_mindlin_along_a_circle_of_hertz():
    """A sphere that does not turn on a floor: stiffness 8 a G (Mindlin 1949), a the radius of Hertz' circle under its
    weight, N = 4 E a^3 / 3 R; Tsuji's damping is the same share of the critical one along and across."""
    same = dict(modulus=1e7, friction="MINDLIN", shear_modulus=4e6, mu_static=5.0)
    a = (0.75 * 0.5 * 9.81 * 0.05 / 1e7) ** (1 / 3)
    elastic = Law("HERTZ", restitution=1.0, **same)
    assert first_zero(*swing(elastic, "x", 1e9)) == pytest.approx(0.5 * np.pi / np.sqrt(8 * a * 4e6 / 0.5), rel=3e-3)
    damped = Law("HERTZ", restitution=0.5, **same)
    along, across = (swing(damped, way, 1e9)[1].min() for way in "xz")
    assert along == pytest.approx(across, rel=0.02) and -0.7 < across < -0.2


def test_spinning_stops_by_its_arm_and_rolling_by_a_share_of_the_radius():
    """I w' = -N arm about the normal of the floor; an arm of rolling as a share of the radius of the ball."""
    numbers = dict(stiffness=1e5, restitution=0.2, mu_static=0.8)
    g = floor(Law("LINEAR", spinning_resistance=1e-3, **numbers), step=1e-5)
    g.add((0, 0, 0.05 - 0.5 * 9.81 / 1e5), 0.05, mass=0.5, omega=(0, 0, 20.0))
    g.advance(10000)
    assert 20.0 - g.omega[0, 2] == pytest.approx(0.1 * 1e-3 * 0.5 * 9.81 / (0.4 * 0.5 * 0.05**2), rel=2e-3)
    g = floor(Law("LINEAR", rolling_coefficient=0.02, **numbers), step=1e-5)
    g.add((0, 0, 0.05 - 0.5 * 9.81 / 1e5), 0.05, mass=0.5, vel=(1.0, 0, 0), omega=(0, 20.01, 0))
    g.advance(10000)
    assert 1.0 - g.vel[0, 0] == pytest.approx(0.1 * 0.02 * 9.81 / 1.4, rel=0.02)


def test_time_of_a_contact():
    """Half a swing of a linear spring; 2.87 (m^2 / R E^2 v)^(1/5) of Hertz (Johnson, Contact Mechanics, 11.24); any
    exponent by quadrature of the energy."""
    from scipy.integrate import quad

    assert Law("LINEAR", stiffness=1e5).contact_time(0.3, 0.02) == pytest.approx(np.pi * np.sqrt(0.3 / 1e5))
    found = Law("HERTZ", modulus=1e9).contact_time(0.3, 0.02, 0.4)
    assert found == pytest.approx(2.87 * (0.3**2 / (0.02 * 1e18 * 0.4)) ** 0.2, rel=1e-3)
    law = Law("IMPACT", 1e6, 2.2, 0.0, 1e-3)
    deep = (0.5 * 3.2 * 0.3 * 0.4**2 / 1e6) ** (1 / 3.2)
    # x = deep (1 - u^2): the root in the denominator vanishes as u
    time = quad(lambda u: 2 * deep * u / (0.4 * np.sqrt(1 - (1 - u * u) ** 3.2)), 0.0, 1.0)[0] * 2
    assert law.contact_time(0.3, 0.02, 0.4) == pytest.approx(time, rel=1e-6)
