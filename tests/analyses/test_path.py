"""Paths of equilibria by arc length against closed forms and published limit loads."""

import numpy as np
import pytest

import holonom as hn

K, RISE = 1000.0, 0.3
LENGTH = np.hypot(1.0, RISE)


def truss(series=None):
    """Von Mises' truss under a dead load; ``series``: pushed by a spring whose end a motion moves down instead."""
    m = hn.Model("truss")
    m.gravity = (0, 0, 0)
    apex = m.part("apex", 1.0, (1, 1, 1), position=(0, 0, RISE))
    m.translational(apex, m.ground, at=(0, 0, RISE), axis=(0, 0, 1))
    load = m.input("load")
    for x in (-1.0, 1.0):
        m.spring_damper(apex.cm, m.marker(m.ground, (x, 0, 0)), stiffness=K, length=float(LENGTH), damping=1)
    if series is None:
        m.vforce(apex.cm, None, "0", "0", f"-VARVAL({load.id})")
    else:
        pusher = m.part("pusher", 1.0, (1, 1, 1), position=(0, 0, 5.0))
        m.motion(m.translational(pusher, m.ground, at=(0, 0, 5.0), axis=(0, 0, 1)), f"-VARVAL({load.id})")
        m.spring_damper(pusher.cm, apex.cm, stiffness=series, length=5.0 - RISE, damping=1)
    return m


def truss_force(z):
    """Downward load that holds the apex at height z."""
    return -2 * K * (np.hypot(1, z) - LENGTH) * z / np.hypot(1, z)


def test_a_truss_snaps_through_at_its_limit_loads():
    """Limit points where (1 + z^2)^(3/2) = length of the unloaded springs; stable, unstable between them, stable."""
    sim = hn.Simulation(truss())
    path = sim.path("load", end=40.0)
    z = path.position("apex")[:, 2]
    top = np.sqrt(LENGTH ** (2 / 3) - 1)
    assert path.complete and path.parameter[-1] == 40.0 and path.name == "load"
    assert np.abs(path.parameter - truss_force(z)).max() < 1e-8
    assert [p.kind for p in path.limits] == ["maximum", "minimum"]
    assert [p.parameter for p in path.limits] == pytest.approx([truss_force(top), -truss_force(top)], rel=1e-10)
    clear = np.abs(np.abs(z) - top) > 1e-6  # a limit point is neither
    assert (
        clear.sum() == len(z) - 2
        and np.array_equal(path.unstable[clear], np.where(np.abs(z) < top, 1, 0)[clear])
        and not path.crossings
    )
    assert np.all(np.diff(path.length) > 0.0)
    run = sim.run()  # rows go along the path
    assert np.array_equal(run.part("apex").position.values[:, 2], z) and np.allclose(run.time, path.length)
    sim.statics()  # from where the path ended, with its load
    assert sim.run().part("apex").position.values[-1, 2] == pytest.approx(z[-1], abs=1e-9)


@pytest.mark.parametrize("largest", [0.05, 0.2])
def test_a_soft_spring_in_series_snaps_back(largest):
    """What is moved has a maximum and returns while the apex continues: u = RISE - z + F / k."""
    soft = 20.0
    path = hn.Simulation(truss(soft)).path("load", end=1.4, largest=largest)
    z = path.position("apex")[:, 2]
    moved = lambda z: RISE - z + truss_force(z) / soft
    assert path.complete and np.abs(path.parameter - moved(z)).max() < 1e-9 and np.all(np.diff(z) < 0.0)
    fine = np.linspace(-RISE, RISE, 200001)
    turns = np.flatnonzero(np.diff(np.sign(np.diff(moved(fine)))))[::-1] + 1
    assert len(turns) == 2 and [p.parameter for p in path.limits] == pytest.approx(moved(fine[turns]), abs=1e-9)


def test_loads_that_are_functions_of_time_are_followed_by_time():
    m = truss()
    m.vforce(m.find("PART", "apex").cm, None, "0", "0", "-10*TIME")
    path = hn.Simulation(m).path("time", end=3.0)
    assert path.complete and len(path.limits) == 2
    assert 10 * path.limits[0].parameter == pytest.approx(truss_force(np.sqrt(LENGTH ** (2 / 3) - 1)), rel=1e-9)


def rods(m, corners, E, section, elements):
    """Plane rods one after the other, fixed to each other; stiff out of the plane."""
    out = []
    for k, (points, n) in enumerate(zip(corners, elements, strict=True)):
        out.append(
            hn.flexible.rod(
                m,
                points,
                section,
                E=E,
                density=1e-3,
                elements=n,
                y=(0, 1, 0) if points[0][1] == points[1][1] else (1, 0, 0),
                name=f"r{k}",
            )
        )
        if k:
            m.fixed(out[-2].last, out[-1].first, at=points[0])
    return out


def test_the_frame_of_lee():
    """Limit load 18.552 (Simo, Vu-Quoc 1986), 18.532 (Cichon 1984), with E = 7200: below it two limit points, the load
    between them negative."""
    m = hn.Model("Lee")
    m.gravity = (0, 0, 0)
    section = hn.flexible.Section(6.0, 2e3, 2.0, 2e3, 5 / 6, 5 / 6)
    column, near, far = rods(
        m,
        [[(0, 0, 0), (0, 120, 0)], [(0, 120, 0), (24, 120, 0)], [(24, 120, 0), (120, 120, 0)]],
        7200.0,
        section,
        (16, 4, 16),
    )
    m.revolute(column.first, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(far.last, m.ground, at=(120, 120, 0), axis=(0, 0, 1))
    load = m.input("load")
    m.vforce(near.last.cm, None, "0", f"-VARVAL({load.id})", "0")
    path = hn.Simulation(m).path("load", end=25.0, step=0.1, largest=0.5)
    assert path.complete and [p.kind for p in path.limits] == ["maximum", "minimum"]
    assert path.limits[0].parameter == pytest.approx(18.55, rel=3e-3)
    place = path.position(near.last)[path.limits[0].point] - [24, 120, 0]
    assert place[:2] == pytest.approx([26.9, -48.7], abs=0.3)
    assert path.limits[1].parameter < -9.0
    assert path.unstable[0] == 0 and path.unstable[-1] == 0 and path.unstable.max() == 1


def test_a_column_is_crossed_by_its_buckled_path():
    """A straight column stays straight beyond Euler's load, and that another path crosses there is reported."""
    m = hn.Model("column")
    m.gravity = (0, 0, 0)
    section = hn.flexible.Section(1e-2, 1.0, 1e-6, 1.0)
    (rod,) = rods(m, [[(0, 0, 0), (1, 0, 0)]], 1e9, section, (8,))
    m.revolute(rod.first, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.primitive("INLINE", rod.last, m.ground, at=(1, 0, 0), axis=(1, 0, 0))
    load = m.input("load")
    m.vforce(rod.last.cm, None, f"-VARVAL({load.id})", "0", "0")
    euler = np.pi**2 * 1e3
    sim = hn.Simulation(m)
    path = sim.path("load", end=1.4 * euler, largest=0.1)
    assert path.complete and not path.limits and len(path.crossings) == 1
    k = path.crossings[0]
    assert (
        path.parameter[k - 1] < euler * 1.02
        and path.parameter[k] > euler * 0.98
        and list(path.unstable[k - 1 : k + 1]) == [0, 1]
    )
    assert any("another path crosses there" in text for text in sim.messages)


@pytest.mark.parametrize(
    "given, words",
    [
        (dict(parameter="lode", end=1.0), "no input 'lode'; did you mean 'load'"),
        (dict(parameter="load", end=0.0), "starts and ends at 0"),
        (dict(parameter="load", end=np.nan), "end of a path is nan"),
        (dict(parameter="load", end=1.0, step=0.0), "step of a path is 0.0"),
        (dict(parameter="load", end=1.0, points=1), "points of a path are 1"),
    ],
)
def test_what_is_no_path_is_told(given, words):
    with pytest.raises(hn.ModelError, match=words):
        hn.Simulation(truss()).path(**given)


def test_a_path_that_ends_early_says_so():
    sim = hn.Simulation(truss())
    path = sim.path("load", end=40.0, points=4)
    assert not path.complete and any("was not reached: 4 points were not enough" in text for text in sim.messages)
    with pytest.raises(hn.ModelError, match="no body 'apax'"):
        path.position("apax")
