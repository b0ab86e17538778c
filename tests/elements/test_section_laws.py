"""Laws of sections in bending: derivatives, hysteresis by Masing's rule, closed forms of bars that yield, and what is
none."""

import numpy as np
import pytest

from holonom import ModelError
from holonom.elements.absolute import cable, planar_cable, section_laws
from holonom.elements.absolute.assembly import Assembly
from holonom.elements.absolute.section_laws import Fibres, MomentCurve, Plastic

STRONG = Plastic(((0.5, 5.0), (1.0, 7.0), (2.0, 8.0)), 0.4)
FALLS = MomentCurve(((-3.0, -2.0), (-1.0, -4.0), (0.0, 0.0), (0.5, 3.0), (1.0, 1.0), (2.0, 1.2)))
#: layers on both sides, not alike, so that axial force and bending depend on each other
LAYERS = Fibres(Plastic(((0.02, 10.0), (0.05, 16.0)), 60.0), (-0.3, -0.1, 0.1, 0.2), (0.7, 1.3, 0.8, 1.3))
SPRINGS = Fibres(FALLS, (-0.3, -0.1, 0.1, 0.2), (0.7, 1.3, 0.8, 1.3))


def row_of(law):
    return np.concatenate([law.parameters, np.zeros(section_laws.states(law.parameters))])


def walk(law, path):
    row, at, out = row_of(law), len(law.parameters), []
    for k in path:
        out.append(section_laws.moment(row, 0, at, k)[0])
        section_laws.remember(row, 0, at, k)
    return np.array(out)


def numbers(data, q, v):
    f, K, C = np.zeros(12), np.zeros((12, 12)), np.zeros((12, 12))
    planar_cable.forces(data, 0, q, v, f)
    damped = planar_cable.stiffness(data, 0, q, v, K, C)
    return f, K, C if damped else 0 * C


def element(held, law=None, tau=0.1):
    own = [] if law is None else law.parameters
    p = np.array(
        [
            [
                900.0 if not isinstance(law, Fibres) else law.EA,
                7.0 if law is None else law.EI,
                2.0,
                tau,
                0.7,
                0.02,
                float(held),
                *own,
            ]
        ]
    )
    q = np.zeros((4, 3))
    q[:, (held + 1) % 3] = [0.1, 0.3, 0.75, 0.3]  # unit 0.3
    q[1, (held + 2) % 3], q[3, (held + 2) % 3] = -0.15, 0.2
    return p, planar_cable.rows(q.reshape(1, 12), p, 0.3), q.ravel()


@pytest.mark.parametrize(
    "law", [None, STRONG, FALLS, LAYERS, SPRINGS], ids=["linear", "plastic", "curve", "layers", "elastic layers"]
)
def test_forces_and_matrices_are_derivatives(law):
    """Central differences of energy and forces in each plane, moving, with dampers, past the corners of laws."""
    rng = np.random.default_rng(2)
    for held in range(3):
        _, data, q = element(held, law)
        inside = np.tile(np.arange(3) != held, 4)
        v, d = rng.normal(size=(2, 12)) * inside
        q = q + 0.02 * rng.normal(size=12) * inside
        f, K, C = numbers(data, q, v)
        at = lambda q, v, data=data: numbers(data, q, v)[0]
        h = 1e-6
        assert np.abs((at(q + h * d, v) - at(q - h * d, v)) / (2 * h) + K @ d).max() < 1e-7 * np.abs(K @ d).max()
        assert np.abs((at(q, v + h * d) - at(q, v - h * d)) / (2 * h) + C @ d).max() < 1e-7 * np.abs(C @ d).max()
        still = 0 * v
        energy = lambda q, data=data, still=still: planar_cable.energies(data, 0, q, still)[0]
        if law not in (STRONG, LAYERS):  # of a law that yields energy is not that of the path
            assert (energy(q + h * d) - energy(q - h * d)) / (2 * h) == pytest.approx(-at(q, still) @ d, rel=1e-7)
        planar_cable.accept(data, 0, q)
        now, ahead = (planar_cable.energies(data, 0, q + x * v, v) for x in (0.0, 1e-7))
        assert (ahead[0] - now[0]) / 1e-7 - now[1] == pytest.approx(
            -at(q, v) @ v, rel=1e-4
        )  # what goes in is stored or lost


def test_it_is_the_cable():
    """Forces, matrices and energies of the cable in space, in each plane of ground."""
    for held in range(3):
        p, data, q = element(held)
        other = cable.rows(q[None], p[:, :6], 0.3)
        v = np.random.default_rng(held).normal(size=12) * np.tile(np.arange(3) != held, 4)
        f, K, C = np.zeros(12), np.zeros((12, 12)), np.zeros((12, 12))
        cable.forces(other, 0, q, v, f)
        cable.stiffness(other, 0, q, v, K, C)
        mine = numbers(data, q, v)
        keep = np.flatnonzero(np.tile(np.arange(3) != held, 4))
        assert mine[0] == pytest.approx(f, rel=1e-10, abs=1e-10)
        for a, b in ((mine[1], K), (mine[2], C)):
            assert a[np.ix_(keep, keep)] == pytest.approx(b[np.ix_(keep, keep)], rel=1e-9, abs=1e-9 * np.abs(b).max())
        assert planar_cable.energies(data, 0, q, v) == pytest.approx(cable.energies(other, 0, q, v), rel=1e-12)
        mine, his = planar_cable.resultants(p[0], 0.3, q, 0.3), cable.resultants(p[0, :6], 0.3, q, 0.3)
        assert mine[[0, 2]] == pytest.approx(his[[0, 2]]) and np.abs(mine[[1, 3]]) == pytest.approx(his[[1, 3]])


def test_masing():
    """A first loading is the curve, and a load that turns back follows it twice as large; a closed loop ends where it
    began, whatever lay between."""
    k = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0])
    first = np.interp(k, [0, 0.5, 1, 2, 3], [0, 5, 7, 8, 8.4])
    assert walk(STRONG, k) == pytest.approx(first)
    back = walk(STRONG, [3.0, *(3.0 - 2.0 * k)])[1:]
    assert back == pytest.approx(8.4 - 2.0 * first)
    round_ = walk(STRONG, [3.0, 1.0, 2.0, 1.7, 1.8, 1.0, -1.0])
    assert round_[1] == pytest.approx(round_[5]) and round_[-1] == pytest.approx(walk(STRONG, [3.0, -1.0])[-1])


def test_a_rectangular_bar():
    """3/2 - (k_y/k)^2/2 of the moment at which it begins to yield, and 3/2 of that at most."""
    wide, thick, E, yields = 0.02, 0.01, 2e11, 3e8
    law = Plastic.rectangle(wide, thick, E, yields, lines=32)
    first = 2 * yields / (E * thick)
    begins = yields * wide * thick**2 / 6
    k = first * np.array([0.5, 1.0, 1.5, 2.0, 4.0, 8.0])
    want = begins * np.where(k <= first, k / first, 1.5 - 0.5 * (first / k) ** 2)
    assert walk(law, k) == pytest.approx(want, rel=2e-3)
    assert law.EI == pytest.approx(E * wide * thick**3 / 12)
    hard = Plastic.rectangle(wide, thick, E, yields, 0.1)
    assert walk(hard, [20 * first])[0] == pytest.approx(0.9 * 1.5 * begins + 0.1 * hard.EI * 20 * first, rel=2e-3)


def test_axial_force_and_bending_yield_together():
    """A rectangle of an ideally plastic material: N held, curvature far past yielding: M_p (1 - (N/N_p)^2); one
    elastic: EA, EI; a tube's too."""
    wide, thick, E, yields = 0.02, 0.01, 2e11, 3e8
    bar = Fibres.rectangle(wide, thick, Plastic(((yields / E, yields),)), layers=128)
    N_p, M_p = yields * wide * thick, 0.25 * yields * wide * thick**2
    k = 50 * bar.yields
    for share in (0.0, 0.3, 0.6, -0.8):
        # the neutral line lies so that the rest of the section bears N
        row = row_of(bar)
        N, M, _, EA, ES, _, EI, _, _ = section_laws.section_forces(
            row, 0, len(bar.parameters), 2, 0.5 * k * thick * share, k, 0.0
        )
        assert (N / N_p, M / M_p) == pytest.approx((share, 1.0 - share**2), abs=0.01)
    small = np.array(section_laws.section_forces(row_of(bar), 0, len(bar.parameters), 2, 1e-6, 1e-4, 0.0))[
        [0, 1, 3, 4, 6]
    ]
    assert small == pytest.approx(
        (E * wide * thick * 1e-6, E * wide * thick**3 / 12 * 1e-4, E * wide * thick, 0.0, E * wide * thick**3 / 12),
        abs=1e-6,
    )
    tube = Fibres.round(0.03, Plastic(((yields / E, yields),)), hole=0.02, layers=64)
    assert (tube.EA, tube.EI) == pytest.approx(
        (E * np.pi * (0.03**2 - 0.02**2), E * np.pi / 4 * (0.03**4 - 0.02**4)), rel=1e-9
    )
    M = section_laws.section_forces(row_of(tube), 0, len(tube.parameters), 2, 0.0, 60 * tube.yields, 0.0)[1]
    assert M == pytest.approx(yields * 4 / 3 * (0.03**3 - 0.02**3), rel=2e-3)


def test_a_bar_is_drawn_and_bent():
    """Stretched past yielding by a force at its end, with hardening h, and let go: N/EA + (N - N_p)(1/h - 1)/EA, of
    which the second part stays; then bent."""
    E, yields, h = 2e11, 3e8, 0.05
    section = Fibres.rectangle(0.02, 0.01, Plastic.bilinear(E, yields, h))
    mesh, held = bar(section, 2, EA=section.EA)
    N, N_p = 1.2 * yields * 2e-4, yields * 2e-4
    load = np.zeros(18)
    load[12] = N
    q = mesh.rest(load, held, steps=3)
    stays = (N - N_p) * (1.0 / h - 1.0) / section.EA
    assert q[12] - 1.0 == pytest.approx(N / section.EA + stays, rel=1e-9)
    q = mesh.rest(0 * load, held, start=q)
    assert q[12] - 1.0 == pytest.approx(stays, rel=1e-9)
    assert planar_cable.resultants(mesh.properties[0], 0.5, np.array([mesh.drawn[mesh.at[0]], q[mesh.at[0]]]), 1.0)[
        1, 0
    ] == pytest.approx(
        N_p + h * section.EA * (stays - yields / E), rel=1e-9
    )  # results go straight there: as if it had been drawn no further


def test_a_curve():
    """Through its points, straight on behind them; its stiffness is that at the curvature 0; energy by quadrature."""
    from scipy.integrate import quad

    for k, M in FALLS.points:
        assert walk(FALLS, [k])[0] == pytest.approx(M)
    row = row_of(FALLS)
    for k in (-4.0, -2.0, 0.7, 2.5):
        want = quad(lambda x: section_laws.moment(row, 0, 0, x)[0], 0.0, k, points=[-3, -1, 0.5, 1, 2], limit=200)[0]
        assert section_laws.energy(row, 0, 0, k, 0.0)[0] == pytest.approx(want, rel=1e-9)
    assert FALLS.EI == pytest.approx(section_laws.moment(row, 0, 0, 0.0)[1])
    line = MomentCurve(((-1.0, -3.0), (0.0, 0.0), (1.0, 3.0)), slopes=(3.0, 3.0, 3.0))
    assert walk(line, [-5.0, 0.3, 9.0]) == pytest.approx([-15.0, 0.9, 27.0])


def bar(law, n, L=1.0, EA=1e4):
    """n elements along x, clamped at the left, in the plane across z; mesh and held coordinates."""
    places = np.zeros((n + 1, 6))
    places[:, 0], places[:, 3] = np.linspace(0.0, L, n + 1), 1.0
    numbers = [EA, law.EI, 1.0, 0.0, L / n, 0.0, 2.0, *law.parameters]
    mesh = Assembly(planar_cable, places, np.stack([np.arange(n), np.arange(1, n + 1)], 1), numbers)
    return mesh, sorted({0, 1, 4, *range(2, 6 * n + 6, 3)})


def test_a_cantilever_yields_and_springs_back():
    """Small deflections under a load at the end, EI and hardening h: F L^3/3EI and int (M - M_y) (1/h - 1) (L - x) dx /
    EI of what has yielded, which stays."""
    EI, yields, h, F = 2.0, 1e-3, 0.1, 1.6e-3
    mesh, held = bar(Plastic.bilinear(EI, yields, h), 8)
    load = np.zeros(54)
    load[49] = F
    far = 1.0 - yields / F  # it has yielded up to there
    stays = (1.0 / h - 1.0) / EI * F * (far**3 / 3.0 + (1.0 - far) * far**2 / 2.0)
    q = mesh.rest(load, held, steps=4)
    assert q[49] == pytest.approx(F / (3 * EI) + stays, rel=1e-5)
    q = mesh.rest(0 * load, held, start=q)
    assert q[49] == pytest.approx(stays, rel=1e-5)
    q = mesh.rest(load, held, steps=3, start=q)  # loaded again it is elastic up to where it was
    assert q[49] == pytest.approx(F / (3 * EI) + stays, rel=1e-5)
    before = mesh.data.copy()
    q = mesh.rest(
        -load, held, steps=5, start=q
    )  # and back as far: by Masing's rule the same to the other side, by twice M_y
    assert q[49] == pytest.approx(-(F / (3 * EI) + stays), rel=1e-5) and np.abs(mesh.data - before).max() > 0.0


def test_a_bar_is_rolled_and_springs_back():
    """Pure bending far round: the curvature of the law at each section, and k - M/EI when let go."""
    law = Plastic.rectangle(0.02, 0.01, 2e11, 3e8, 0.01)
    mesh, held = bar(law, 16, EA=4e7)
    M = 1.35 * 3e8 * 0.02 * 0.01**2 / 6
    k = np.interp(M, [p[1] for p in law.points], [p[0] for p in law.points])

    def turn(q, share):
        a, n = q[99:101], len(q)
        A = a @ a
        f, K = np.zeros(n), np.zeros((n, n))
        f[99:101] = share * M * np.array([-a[1], a[0]]) / A
        K[99:101, 99:101] = (
            share * M * (np.array([[0.0, -1.0], [1.0, 0.0]]) / A - 2.0 * np.outer([-a[1], a[0]], a) / A**2)
        )
        return f, K

    q = mesh.rest(turn, held, steps=12)
    assert np.arctan2(q[100], q[99]) % (2 * np.pi) == pytest.approx(k % (2 * np.pi), rel=1e-4)
    radius = np.linalg.norm(q[[96, 97]] - [0.0, 1.0 / k])
    assert radius == pytest.approx(1.0 / k, rel=2e-4)
    q = mesh.rest(lambda q, share: turn(q, 1.0 - share), held, steps=12, start=q)
    assert np.arctan2(q[100], q[99]) % (2 * np.pi) == pytest.approx((k - M / law.EI) % (2 * np.pi), rel=2e-3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Plastic(((0.0, 1.0),)), "not positive"),
        (lambda: Plastic(((1.0, 1.0), (2.0, 3.0))), "gets no softer behind its point 1"),
        (lambda: Plastic(((1.0, 1.0), (2.0, 0.5))), "gets no softer|falls"),
        (lambda: Plastic(((1.0, 1.0),), 2.0), "gets no softer"),
        (lambda: Plastic(()), "pairs"),
        (lambda: Plastic(((1.0, 1.0),), -1.0), "zero or a positive"),
        (lambda: Plastic(((2.0, 1.0), (1.0, 1.5))), "do not rise"),
        (lambda: Plastic("ab"), "pairs"),
        (lambda: Plastic.bilinear(-1.0, 1.0), "EI"),
        (lambda: Plastic.bilinear(1.0, 1.0, 1.0), "share"),
        (lambda: Plastic.rectangle(0.0, 1, 1, 1), "wide"),
        (lambda: Plastic.rectangle(1.0, 1, 1, 1, lines=1), "lines"),
        (lambda: Plastic.rectangle(1.0, 1, 1, 1, hardening=-0.1), "hardening"),
        (lambda: Fibres(3.0, (0, 1), (1, 1)), "law of layers is 3.0"),
        (lambda: Fibres(STRONG, (0, 1), (1, 1)), "centroid of the layers lies at 0.5"),
        (lambda: Fibres(STRONG, (-1, 1), (1, -1)), "areas of layers"),
        (lambda: Fibres(STRONG, (-1, 1), (1,)), "2 to 1024 layers"),
        (lambda: Fibres.rectangle(1.0, -1.0, STRONG), "thick of a bar of layers"),
        (lambda: Fibres.round(1.0, STRONG, 1.0), "hole of a tube"),
        (lambda: Fibres.round(1.0, STRONG, layers=1), "layers of a bar are 1"),
        (lambda: MomentCurve(((0.0, 1.0), (1.0, 2.0))), "moment at the curvature 0"),
        (lambda: MomentCurve(((1.0, 1.0), (2.0, 2.0))), "does not reach"),
        (lambda: MomentCurve(((-1.0, 1.0), (0.0, 0.0), (1.0, -1.0))), "does not rise at"),
        (lambda: MomentCurve(((0.0, 0.0), (1.0, 1.0)), (1.0,)), "slopes"),
    ],
)
def test_what_is_no_law(make, words):
    with pytest.raises(ModelError, match=words):
        make()


def test_numbers_that_are_no_law():
    good = STRONG.parameters
    assert (
        section_laws.faults(good)
        == section_laws.faults(FALLS.parameters)
        == section_laws.faults(LAYERS.parameters)
        == section_laws.faults(())
        == ""
    )
    for bad in (
        (9.0, 1.0),
        (1.0,),
        good[:-1],
        (*good[:3], -1.0, *good[4:]),
        (1.0, 1e300, 1.0),
        (2.0, 2.0, 1.0, 0.0, *([0.0] * 6)),
        (np.nan, 1.0, 2.0),
        (3.0, 2.0, 0.0, 1.0, 1.0, 1.0, *good[:-1]),
        (3.0, 2.0, 0.0, 1.0, 1.0, -1.0, *good),
        LAYERS.parameters[:4],
    ):
        assert section_laws.faults(bad)
