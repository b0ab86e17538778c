"""Bodies that hit each other: St Venant's impact of bars, momentum and energy, methods against each other, friction,
what the page promises of mixed coordinates."""

import numpy as np
import pytest

import holonom as hn
from holonom.flexible import Material, mixed

pytest.importorskip("skfem")
BRASS, ALUMINIUM = Material(1.0e11, 0.34, 8500.0), Material(7.0e10, 0.33, 2700.0)
HIT = dict(velocity=((0, 0.21), (0, 0)), end=3.4e-4, step=4e-7)


def bars(ratio=None, cells=50):
    """Flat bars of one material without lateral strain, lengths 1 and ``ratio``; or brass with a half ball on
    aluminium, with three rings in contact."""
    if ratio is not None:
        stuff, L, r = Material(2.1e11, 0.0, 7850.0), 0.2, np.array([0, 0.005])
        one = mixed.axisymmetric(mixed.bar(0.005, L, r, np.linspace(0, L, cells + 1), up=False), stuff, name="short")
        other = mixed.axisymmetric(
            mixed.bar(0.005, ratio * L, r, np.linspace(0, ratio * L, ratio * cells + 1)), stuff, name="long"
        )
        return mixed.Contact(one, other, ("end", "end"), way="surface-to-surface")
    R = 0.01
    across = mixed.graded(2e-4, R, 1.5, even=3)
    along = lambda L: mixed.graded(2e-4, L, 1.6, 1e-2, even=2)
    one = mixed.axisymmetric(mixed.bar(R, 0.2, across, along(0.2), R, up=False), BRASS, name="brass")
    other = mixed.axisymmetric(mixed.bar(R, 0.3, across, along(0.3)), ALUMINIUM, name="aluminium")
    return mixed.Contact(one, other, ("end", "end"))


@pytest.fixture(scope="module")
def round_bars():
    contact = bars()
    return contact, mixed.collide(contact, **HIT)


def kept(contact, rings, modes):
    return tuple(b.kept(b.region("end", s, rings), modes) for b, s in zip((contact.one, contact.other), contact.first))


@pytest.mark.parametrize("ratio", [1, 2])
def test_st_venant(ratio):
    """Bars of one section: 2 L / c in contact under the force rho c A v / 2; the shorter one is at rest afterwards,
    the longer has its momentum."""
    c = np.sqrt(2.1e11 / 7850.0)
    T, F = 2 * 0.2 / c, 0.5 * 7850.0 * c * np.pi * 0.005**2
    slips = []
    for cells in (20, 60):
        contact = bars(ratio, cells)
        run = mixed.collide(contact, velocity=((0, 1.0), (0, 0)), end=1.4 * T, step=0.25 * T / cells, theta=0.5)
        middle = run.force[(run.time > 0.2 * T) & (run.time < 0.8 * T)]
        assert np.median(middle) == pytest.approx(F, rel={20: 5e-4, 60: 2e-4}[cells])
        slips.append((abs(run.duration / T - 1), abs(run.speed(0)[-1, 1]), abs(run.speed(1)[-1, 1] - 1 / ratio)))
    assert max(slips[1]) < 0.05 and all(b < 0.7 * a for a, b in zip(*slips))
    both = contact.one.kept("end", 25), contact.other.kept("end", 40)
    run = mixed.collide(contact, both, velocity=((0, 1.0), (0, 0)), end=1.4 * T, step=0.25 * T / cells)
    assert run.speed(0)[-1, 1] == pytest.approx(0.0, abs=0.03) and run.speed(1)[-1, 1] == pytest.approx(
        1 / ratio, abs=0.03
    )


def test_momentum_and_energy(round_bars):
    """Momentum to roundoff; with theta = 1/2 what nodes lose as they close, and no more; impulse = change of momentum;
    the bodies part."""
    contact, full = round_bars
    p = full.momentum()[:, 1]
    assert p == pytest.approx(np.full(len(p), p[0]), rel=1e-9)
    assert full.impulse == pytest.approx(full.momentum(1)[-1, 1], rel=1e-9) and full.resultant[
        :, 1
    ].sum() * 4e-7 == pytest.approx(-full.impulse)
    assert full.force[-1] == 0.0 and full.speed(1)[-1, 1] > full.speed(0)[-1, 1] and 1.5e-4 < full.duration < 3.2e-4
    exact = mixed.collide(contact, kept(contact, 4, 9), **HIT, theta=0.5).energy["total"]
    assert (np.diff(exact) < 1e-7 * exact[0]).all() and 0.0 < 1 - exact[-1] / exact[0] < 1e-3
    still = mixed.collide(contact, kept(contact, 4, 9), velocity=((0, -0.1), (0, 0)), end=1e-4, step=1e-6)
    assert not still.force.any() and still.displacements(0)[-1] == pytest.approx(
        np.tile([0, -1e-5], (len(contact.one.places), 1)), abs=1e-12
    )


def test_mixed_beside_full(round_bars):
    """Rings that cover the contact and a few modes: correlation 0.99 and peak within 2 %; fifty times less time; too
    few rings and modes alone fail."""
    contact, full = round_bars
    both = kept(contact, 4, 7)
    runs = [mixed.collide(contact, both, **HIT) for _ in range(3)]
    assert mixed.correlation(runs[0].force, full.force) > 0.999 and runs[0].peak == pytest.approx(full.peak, rel=0.02)
    assert not runs[0].warnings and sum(c.size for c in both) == 28
    assert full.cpu > 50 * min(r.cpu for r in runs)  # clocks of some machines count 10 ms
    few = mixed.collide(contact, kept(contact, 1, 25), **HIT)
    assert abs(few.peak / full.peak - 1) > 0.1 and "touched that its coordinates do not keep" in few.warnings[0]
    alone = mixed.collide(contact, (contact.one.modal(25), contact.other.modal(25)), **HIT)
    assert mixed.correlation(alone.force, full.force) < 0.9 and alone.peak > 1.5 * full.peak


@pytest.mark.parametrize("method", ["penalty", "multipliers"])
def test_methods_agree(round_bars, method):
    contact, _ = round_bars
    both = kept(contact, 4, 7)
    reference = mixed.collide(contact, both, **HIT)
    run = mixed.collide(contact, both, **HIT, method=method)
    assert mixed.correlation(run.force, reference.force) > 0.999 and run.peak == pytest.approx(reference.peak, rel=0.02)
    assert run.impulse == pytest.approx(reference.impulse, rel=5e-3)


def test_compiled_and_plain_steps_are_the_same(round_bars):
    """Dense coordinates through the sparse path: the same histories."""
    contact, _ = round_bars
    both = kept(contact, 4, 5)
    how = dict(velocity=((0, 0.21), (0, 0)), end=4e-5, step=4e-7)
    for method, more in (("moreau-jean", {"restitution": 0.3}), ("penalty", {})):
        first = mixed.collide(contact, both, **how, method=method, **more)
        from holonom.flexible.mixed import contact as module

        kind = module._Run.compiled
        try:
            module._Run.compiled = module._Run.plain
            second = mixed.collide(contact, both, **how, method=method, **more)
        finally:
            module._Run.compiled = kind
        assert second.force == pytest.approx(first.force, rel=1e-6, abs=1e-6 * first.peak)
        assert second.q[-1] == pytest.approx(first.q[-1], rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("form, way", [("plane", "node-to-surface"), ("space", "surface-to-surface")])
def test_friction_slows_a_block(form, way):
    """A block slides on a plate whose mesh does not match and slows down by mu g, along its way; pairs are made anew
    under way."""
    soft, hard, g, mu, end = Material(1e8, 0.3, 1000.0), Material(1e9, 0.3, 1000.0), 9.81, 0.3, 0.02
    if form == "plane":
        block = mixed.plane(
            mixed.grid(np.linspace(0, 0.04, 5), np.linspace(0, 0.02, 3)), soft, thickness=0.01, name="block"
        )
        plate = mixed.plane(
            mixed.grid(np.linspace(-0.05, 0.15, 17), np.linspace(-0.02, 0, 3)), hard, thickness=0.01, name="plate"
        ).hold("y-")
        on, way_of = ("y-", "y+"), np.array([1.0, 0.0])
    else:
        block = mixed.space(hn.flexible.box((0, 0, 0), (0.04, 0.03, 0.02), (2, 1, 1), "hexahedron"), soft, name="block")
        plate = mixed.space(
            hn.flexible.box((-0.02, -0.02, -0.02), (0.08, 0.08, 0), (3, 3, 2), "hexahedron"), hard, name="plate"
        ).hold("z-")
        on, way_of = ("z-", "z+"), np.array([0.8, 0.6, 0.0])
    contact = mixed.Contact(block, plate, on, way=way, friction=mu)
    both = block.kept(on[0], 2), plate.kept(on[1], 2)
    weight = np.zeros(block.dimension)
    weight[-1] = -g
    run = mixed.collide(
        contact,
        both,
        velocity=(0.2 * way_of, 0 * way_of),
        end=end,
        step=5e-5,
        gravity=weight,
        samples=60,
        renew=100,
        damping=1e-4,
    )
    assert run.speed(0)[-1] == pytest.approx(way_of * (0.2 - mu * g * end), abs=2e-4)
    assert len(run.sampled) == len(run.q) and np.gradient(run.displacements(0).mean(1) @ way_of, run.sampled)[
        2:-2
    ] == pytest.approx((run.velocities(0).mean(1) @ way_of)[2:-2], abs=2e-3)
    last = run.resultant[-50:].mean(0)
    assert last[-1] == pytest.approx(block.mass * g, rel=1e-3) and last[:-1] == pytest.approx(
        -mu * block.mass * g * way_of[:-1], rel=2e-3
    )


def test_units_and_place(round_bars):
    """In millimetres, tonnes and seconds, and far along the axis: the same force."""
    contact, _ = round_bars
    s = 1e3
    bodies = []
    for b in (contact.one, contact.other):
        m = b.material
        points = np.column_stack([b.places * s + [0, 5e4], np.zeros(len(b.places))])
        mesh = mixed.grid([0, 1], [0, 1])
        table = _quads(b)
        mesh = type(mesh)(points, {"quad": table}, groups=dict(b.groups))
        bodies.append(mixed.axisymmetric(mesh, Material(m.E * 1e-6, m.nu, m.density * 1e-12), name=b.name))
    other = mixed.Contact(*bodies, ("end", "end"))
    first = mixed.collide(contact, kept(contact, 4, 5), **HIT)
    second = mixed.collide(other, kept(other, 4, 5), velocity=((0, 210.0), (0, 0)), end=HIT["end"], step=HIT["step"])
    assert second.peak == pytest.approx(first.peak, rel=2e-3) and mixed.correlation(second.force, first.force) > 0.99999


def _quads(body):
    """Cells of a body from its lattice (nodes run along the axis first)."""
    m = len(body.groups["end"])
    n = len(body.places) // m
    number = np.arange(m * n).reshape(m, n)
    q = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
    a = body.places[q[0]]
    turn = (a[1, 0] - a[0, 0]) * (a[3, 1] - a[0, 1]) - (a[1, 1] - a[0, 1]) * (a[3, 0] - a[0, 0])
    return q if turn > 0 else q[:, ::-1]


def test_gaps_that_do_not_touch_cost_little(round_bars):
    """Of gaps all over the surface as many are measured in a step as could close, and now and then the others."""
    contact, _ = round_bars
    wide = mixed.Contact(
        contact.one, contact.other, (contact.one.skin[contact.one.places[contact.one.skin, 1] > -0.005], "end")
    )
    both = kept(contact, 4, 7)
    run = mixed.collide(wide, both, **HIT)
    steps = len(run.time) - 1
    assert run.statistics["gaps measured"] < steps * (6 + len(wide.pairs.gap) / 60)
    assert run.force == pytest.approx(mixed.collide(contact, both, **HIT).force, abs=1e-6 * run.peak)


def test_bad_collisions(round_bars):
    contact, _ = round_bars
    how = dict(velocity=((0, 0.2), (0, 0)), end=1e-5, step=1e-6)
    for more, words in (
        (dict(method="newmark"), "moreau-jean, penalty or multipliers"),
        (dict(step=0.0), "step of a collision is 0"),
        (dict(end=np.nan), "end of a collision"),
        (dict(theta=0.3), "theta of a collision is 0.3"),
        (dict(penalty=1e9), "with method='penalty'"),
        (dict(method="multipliers", restitution=0.5), "use moreau-jean"),
        (dict(velocity=((0, 0.2),)), "give two"),
        (dict(velocity=((1, 0.2), (0, 0))), "across its axis"),
        (dict(velocity=((0, "fast"), (0, 0))), "the velocity of 'brass'"),
        (dict(coordinates=(contact.other.modal(2), contact.one.modal(2))), "in this order"),
        (dict(samples=0), "samples"),
        (dict(renew=0), "renew of a collision is 0"),
        (dict(velocity=3), "give two"),
        (dict(gravity=(0, 0, 1)), "gravity"),
        (dict(step=1e-18), "million"),
    ):
        with pytest.raises(hn.ModelError, match=words):
            mixed.collide(contact, **(how | more))
    with pytest.raises(hn.ModelError, match="same step and end"):
        mixed.correlation(np.zeros(3), np.zeros(4))
    with pytest.raises(hn.ModelError, match="is not a contact"):
        mixed.collide("bars", **how)


# ---- in a model ------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_beam_that_a_ball_hits_in_a_model():
    """A flexible body, a plane on its node, a ball with Hertz's law (Timoshenko's case: 10 x 10 x 153.5 mm, R = 10
    mm, 10 mm/s), against all degrees of freedom of the beam and the same law, integrated here by the trapezoidal
    rule."""
    E, nu, rho, L, s, R, v, elements = 2.1e11, 0.3, 7850.0, 0.1535, 0.01, 0.01, 0.01, 24
    k = 4 / 3 * E / (2 * (1 - nu**2)) * np.sqrt(R)
    fe = hn.flexible.beam(
        (0, 0, 0), (L, 0, 0), hn.flexible.Section.rectangle(s, s), E=E, density=rho, elements=elements, y=(0, 1, 0)
    )
    m = hn.Model("struck beam")
    m.gravity = (0, 0, 0)
    beam = m.part("beam", 1.0, (1, 1, 1), position=(L / 2, 0, 0))
    m.spherical(beam, m.ground, at=(0, 0, 0))
    m.primitive("INLINE", beam, m.ground, at=(L, 0, 0), axis=(1, 0, 0))
    ball = m.part("ball", rho * 4 / 3 * np.pi * R**3, (1e-6,) * 3, position=(L / 2, 0, s / 2 + R), velocity=(0, 0, -v))
    m.sphere(ball, at=(L / 2, 0, s / 2 + R), radius=R)
    m.plane(beam, at=(L / 2, 0, s / 2), normal=(0, 0, 1))
    m.contact(ball, beam, stiffness=k, exponent=1.5, damping=0.0, dmax=1e-6, name="hit")
    m.make_flexible(beam, fe, modes=16)
    run = hn.simulate(m, end=2.4e-4, steps=240, integrator="RADAU5", error=1e-5)
    force = np.linalg.norm(run.contact("hit").force.values, axis=-1)

    a = elements + 1
    keep = np.setdiff1d([6 * i + c for i in range(a) for c in (2, 4)], [2, 6 * (a - 1) + 2])
    K, M = (A.toarray()[np.ix_(keep, keep)] for A in (fe.K, fe.M))
    h, mid, mass = 4e-7, int(np.flatnonzero(keep == 6 * (a // 2) + 2)[0]), rho * 4 / 3 * np.pi * R**3
    answer = np.linalg.inv(M + 0.25 * h * h * K)
    x, xd, xa, y, yd, f, out = *(np.zeros(len(keep)) for _ in range(3)), 0.0, -v, 0.0, [0.0]
    soft = 0.25 * h * h * (answer[mid, mid] + 1 / mass)
    for _ in range(int(2.4e-4 / h)):
        xp, yp = x + h * xd + 0.25 * h * h * xa, y + h * yd + 0.25 * h * h * f / mass
        free = -answer @ (K @ xp)
        g, new = xp[mid] + 0.25 * h * h * free[mid] - yp, f
        for _ in range(30):
            d = max(g - soft * new, 0.0)
            new -= (new - k * d**1.5) / (1 + 1.5 * k * np.sqrt(d) * soft)
        acceleration = free - answer[:, mid] * new
        x, xd, xa = xp + 0.25 * h * h * acceleration, xd + 0.5 * h * (xa + acceleration), acceleration
        y, yd, f = yp + 0.25 * h * h * new / mass, yd + 0.5 * h * (f + new) / mass, new
        out.append(f)
    exact = np.interp(run.time, h * np.arange(len(out)), out)
    assert force.max() == pytest.approx(max(out), rel=5e-3) and mixed.correlation(force, exact) > 0.9999
    assert (force[exact > 0.05 * exact.max()] > 0).all()
