"""A rod that lies along a body of revolution (a tube, its bore, a cone) touches at both ends of what lies
along it: gaps, names and the force do not jump as its tilt changes sign, and nowhere else on the way.

Before, the nearest point was the only one: it went from one end of the rod to the other within 1e-16 rad, with the
whole force, and steps of integrators were 1e-11 s (walls 900710, 901545, 901718)."""

import numpy as np
import pytest
import scene as S
from fuzz._solids import polygon_distance
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.contact.shapes import pair
from holonom.contact.shapes import profile as F
from holonom.contact.tables import FEATURE, GAP, WEIGHT, N, P

DEEP = 0.002
TUBE = np.array([(0.45, -0.5), (0.5, -0.5), (0.5, 0.5), (0.45, 0.5)])
CONE = np.array([(0.3, -0.5), (0.6, -0.5), (0.4, 0.5), (0.3, 0.5)])
SLANT = np.array([-0.2, 1.0]) / np.hypot(0.2, 1.0)
LID = np.array([(0, -0.5), (0.5, -0.5), (0.5, 0.5), (0, 0.5)])  # its one edge is at both ends of what lies on it
#: outline, place on the generator, its direction and its outward normal in the half-plane (r, z)
SIDES = {
    "tube": (TUBE, (0.5, 0.0), (0.0, 1.0), (1.0, 0.0)),
    "bore": (TUBE, (0.45, 0.0), (0.0, 1.0), (-1.0, 0.0)),
    "cone": (CONE, (0.5, 0.0), SLANT, (SLANT[1], -SLANT[0])),
    "lid": (LID, (0.0, 0.5), (1.0, 0.0), (0.0, 1.0)),
}
#: radius, half length, place along the generator: within it, over both ends, over one end
RODS = {"short": (0.2, 0.3, 0.05), "long": (0.1, 0.8, 0.05), "over": (0.1, 0.3, 0.35)}
CASES = [(kind, side, rod) for kind in ("CAPSULE", "CYLINDER") for side in SIDES for rod in RODS]


class Along:
    """A rod along a generator of a profile, to be tilted in the plane of both axes or turned across it."""

    def __init__(self, kind, side, rod, deep=DEEP, azimuth=0.7):
        self.outline, place, along, normal = SIDES[side]
        self.kernel = pair(kind, "REVOLUTION")[0]
        self.r, self.h, shift = RODS[rod]
        c, s = np.cos(azimuth), np.sin(azimuth)
        self.e, self.n = (np.array([x[0] * c, x[0] * s, x[1]]) for x in (along, normal))
        flat = np.asarray(place) + shift * np.asarray(along) + (self.r - deep) * np.asarray(normal)
        self.at = np.array([flat[0] * c, flat[0] * s, flat[1]])
        sizes = (self.r, self.h, 0, 1) if kind == "CYLINDER" else (self.r, self.h)
        solid = ("REVOLUTION", (), None, None, F.tables(F.polyline([tuple(p) for p in self.outline]), revolved=True))
        self.sh = S.rolled((kind, sizes, self.at, None), solid, 0)
        if not self.outline[0, 0]:  # from axis to axis: for distances both halves
            self.outline = np.vstack([self.outline, self.outline[::-1] * (-1, 1)])
        self.axes = np.column_stack([np.cross(self.e, self.n), self.n, self.e])

    def scene(self, tilt, skew):
        turn = Rotation.from_rotvec(tilt * np.cross(self.e, self.n) + skew * self.n).as_matrix()
        return S.place(self.sh, 0, self.at, turn @ self.axes)

    def rows(self, tilt, skew=0.0, reach=0.0):
        return S.points(self.kernel, self.scene(tilt, skew), reach=reach, limit=64)

    def wrench(self, tilt, skew=0.0):
        """Force and moment about the middle of the rod, of a law of unit stiffness that is linear in the depth."""
        rows = self.rows(tilt, skew)
        force = (rows[:, WEIGHT] * -rows[:, GAP])[:, None] * rows[:, N : N + 3]
        return np.concatenate([force.sum(axis=0), np.cross(rows[:, P : P + 3] - self.at, force).sum(axis=0)])

    def distance(self, q):
        """Signed distances of points of space from the profile, by its polygon."""
        return polygon_distance(self.outline, np.column_stack([np.hypot(q[:, 0], q[:, 1]), q[:, 2]]))


@pytest.mark.parametrize("way", [(1.0, 0.0), (0.0, 1.0), (0.6, 0.8)])
@pytest.mark.parametrize(("kind", "side", "rod"), CASES)
def test_steps_through_level_change_as_little_as_the_pose(kind, side, rod, way):
    """From -2e-8 to 2e-8 rad in steps of 1e-9: all names stay, and the sum of all changes is that of the pose."""
    scene = Along(kind, side, rod)
    tilts = 1e-9 * np.arange(-20, 21)
    rows = [scene.rows(t * way[0], t * way[1]) for t in tilts]
    names = [sorted(r[:, FEATURE]) for r in rows]
    assert len(names[0]) == 2 and all(n == names[0] for n in names)
    gaps = np.array([r[np.argsort(r[:, FEATURE])][:, GAP] for r in rows])
    assert np.abs(np.diff(gaps, axis=0)).sum(axis=0).max() < 4e-8 * (scene.h + scene.r)
    wrench = np.array([scene.wrench(t * way[0], t * way[1]) for t in tilts])
    np.testing.assert_allclose(np.linalg.norm(wrench[:, :3], axis=1), DEEP, rtol=1e-6)  # the law once
    assert np.abs(np.diff(wrench, axis=0)).sum(axis=0).max() < 4e-8 * 2.0 * (scene.h + scene.r)


def steepest(wrench, most, halvings=24):
    """(largest change of a wrench within a piece of the way from 0 to ``most``, length of the piece): of 300 pieces the
    one with the largest change, halved towards the larger change."""
    t = np.linspace(0.0, most, 301)
    w = np.array([wrench(x) for x in t])
    k = int(np.abs(np.diff(w, axis=0)).max(axis=1).argmax())
    low, high, a, b = t[k], t[k + 1], w[k], w[k + 1]
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        c = wrench(middle)
        if np.abs(c - a).max() > np.abs(b - c).max():
            high, b = middle, c
        else:
            low, a = middle, c
    return np.abs(b - a).max(), high - low


@pytest.mark.parametrize("way", [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.5, 1.0)])
@pytest.mark.parametrize(("side", "rod"), [(side, rod) for side in SIDES for rod in RODS])
def test_capsules_have_no_jump_up_to_a_tenth_of_a_radian(side, rod, way):
    """Points at the ends give their share to the minimum, edges take over from faces: all without a jump."""
    scene = Along("CAPSULE", side, rod)
    change, piece = steepest(lambda t: scene.wrench(t * way[0], t * way[1]), 0.1)
    assert piece < 1e-10 and change < 1e-6 * DEEP


@pytest.mark.parametrize(("side", "rod"), [(side, rod) for side in SIDES for rod in RODS])
def test_points_are_those_of_dense_samples(side, rod):
    """The least gap is the least distance along the axis; both ends of what lies along the profile are points, their
    gaps those of the axis there; none is nearer than the distance at its place."""
    scene, random = Along("CAPSULE", side, rod), np.random.default_rng([35, len(side), len(rod)])
    for k in range(40):
        tilt, skew = 10.0 ** random.uniform(-9, -1, 2) * random.choice([-1, 1], 2) * (k > 0)
        rows = scene.rows(tilt, skew, reach=np.inf)
        sh = scene.scene(tilt, skew)
        e = sh.fr.A[0].reshape(3, 3)[:, 2]
        u = np.linspace(-scene.h, scene.h, 20001)
        D = scene.distance(scene.at + u[:, None] * e)
        best = u[D.argmin()] + np.linspace(-2, 2, 4001) * (u[1] - u[0])
        least = scene.distance(scene.at + np.clip(best, -scene.h, scene.h)[:, None] * e).min()
        assert rows[:, GAP].min() == pytest.approx(least - scene.r, abs=6e-7)  # level: a mean slope of 1e-6
        q = rows[:, P : P + 3] + (rows[:, GAP] + scene.r)[:, None] * rows[:, N : N + 3]  # on the axis
        along = (q - scene.at) @ e
        np.testing.assert_allclose(q, scene.at + along[:, None] * e, atol=1e-9)
        assert np.abs(along).max() < scene.h * (1 + 1e-12)
        inner = np.abs(along) < scene.h * (1 - 1e-9)
        assert np.abs(rows[inner, N : N + 3] @ e).max(initial=0.0) < 1e-7  # nothing else than minima and edges
        true = scene.distance(q) - scene.r
        assert np.all(rows[:, GAP] > true - 1e-9)
        assert np.all(rows[:, GAP] < true + 0.6 * max(abs(tilt), abs(skew)) ** 2 * scene.r + 1e-9)
        if max(abs(tilt), abs(skew)) < 5e-3:  # what lies along it: between the planes across the ends of the generator
            place, way = (np.asarray(x) for x in SIDES[side][1:3])
            z = along * (scene.e @ e) + RODS[rod][2]
            normal = np.asarray(SIDES[side][3])
            ends = [(p - place) @ way for p in scene.outline if abs((p - place) @ normal) < 1e-12]
            want = max(RODS[rod][2] - scene.h, min(ends)), min(RODS[rod][2] + scene.h, max(ends))
            assert z.min() == pytest.approx(want[0], abs=0.01 * scene.r)
            assert z.max() == pytest.approx(want[1], abs=0.01 * scene.r)
            assert rows[:, WEIGHT].sum() == pytest.approx(1.0, abs=1e-4)  # normals differ by the tilt


@pytest.mark.parametrize(("side", "rod"), [(side, rod) for side in SIDES for rod in RODS])
def test_normals_are_gradients_of_the_gaps(side, rod):
    """Rates of gaps follow from normals whatever the tilt, at edges on the rising side, too: forces have an energy."""
    scene = Along("CAPSULE", side, rod)
    S.check_rates(scene.kernel, scene.scene(2e-3, 1e-3), tolerance=2e-6, reach=0.05, normals=False)


def test_profile_that_rounds_off_ends_what_lies_along_it():
    """A tube with round shoulders: the ends are where its slope passes 0.05, and continuous in the tilt."""
    scene = Along("CAPSULE", "tube", "long")
    bulge = np.tan(np.pi / 8)
    profile = F.arcs(
        [(0.3, -0.5), (0.4, -0.5), (0.5, -0.4), (0.5, 0.4), (0.4, 0.5), (0.3, 0.5)], [0, bulge, 0, bulge, 0, 0]
    )
    item = ("CAPSULE", (scene.r, scene.h), scene.at, None)
    scene.sh = S.rolled(item, ("REVOLUTION", (), None, None, F.tables(profile, revolved=True)), 0)
    rows = scene.rows(0.0)
    ends = sorted(rows[rows[:, WEIGHT] > 0.1][:, P + 2])
    np.testing.assert_allclose(ends, [-0.4 - 0.1 * 0.05, 0.4 + 0.1 * 0.05], atol=1e-9)  # sine of the slope
    for way in (1.0, -1.0):
        change, piece = steepest(lambda t, way=way: scene.wrench(way * t), 0.1)
        assert piece < 1e-10 and change < 1e-6 * DEEP


def settling(damping):
    """A capsule that falls 1 mm, tilted by 4 mrad, into the bore of a tube that lies."""
    m = hn.Model("bore")
    m.gravity = (0, 0, -9.80665)
    tube = m.revolution(m.ground, [(0.2, -0.5), (0.25, -0.5), (0.25, 0.5), (0.2, 0.5)], axis=(1, 0, 0))
    tilt = 4e-3
    axis = np.array([np.cos(tilt), 0.0, np.sin(tilt)])
    at = np.array([0.05, 0.0, -0.2 + 0.05 + 1e-3])
    rod = m.part("rod", 2.0, (0.02, 0.02, 0.02), at)
    m.contact(
        m.capsule(rod, at - 0.2 * axis, at + 0.2 * axis, 0.05),
        tube,
        stiffness=1e5,
        exponent=1.5,
        damping=damping,
        dmax=1e-5,
    )
    return m


def test_energy_of_a_capsule_that_settles_along_a_tube():
    """Without damping its two ends bounce and keep the energy; with damping it comes to rest on both, half of its
    weight each, and the audit finds no energy that comes from nowhere."""
    run = hn.simulate(settling(0.0), 0.3, 300, error=1e-8)
    audit, (pair_,) = run.audit(), run.audit().pairs
    assert audit.creating == [] and pair_.taken > 5.0 * 2.0 * 9.80665 * 1e-3  # of many bounces
    assert abs(pair_.gained) < 1e-4 * pair_.taken
    run = hn.simulate(settling(250.0), 0.7, 70, error=1e-7)
    assert run.audit().creating == []
    rod = run.part("rod")
    assert np.abs(rod.velocity.values[-1]).max() < 1e-5
    depth = (0.5 * 2.0 * 9.80665 / (0.5 * 1e5)) ** (1.0 / 1.5)
    assert rod.position.values[-1, 2] == pytest.approx(-0.2 + 0.05 - depth, abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [900710, 901545, 901718])
def test_capsules_that_fly_along_tubes_end(seed):
    """These runs took minutes, or came to no end."""
    from fuzz.walls import attempt

    assert attempt(seed) == "compliant"
