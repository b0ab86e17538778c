"""Figure of docs/load-paths.md: von Mises' truss, snap-back, Lee's frame, a deep arch.

python docs/make_load_paths.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn


def truss(series=None, rise=0.3):
    m = hn.Model("truss")
    m.gravity = (0, 0, 0)
    apex = m.part("apex", 1.0, (1, 1, 1), position=(0, 0, rise))
    m.translational(apex, m.ground, at=(0, 0, rise), axis=(0, 0, 1))
    load = m.input("load")
    for x in (-1.0, 1.0):
        m.spring_damper(
            apex.cm, m.marker(m.ground, (x, 0, 0)), stiffness=1000.0, length=float(np.hypot(1.0, rise)), damping=1
        )
    if series is None:
        m.vforce(apex.cm, None, "0", "0", f"-VARVAL({load.id})")
    else:
        pusher = m.part("pusher", 1.0, (1, 1, 1), position=(0, 0, 5.0))
        m.motion(m.translational(pusher, m.ground, at=(0, 0, 5.0), axis=(0, 0, 1)), f"-VARVAL({load.id})")
        m.spring_damper(pusher.cm, apex.cm, stiffness=series, length=5.0 - rise, damping=1)
    return m


def lee(n):
    m = hn.Model("Lee")
    m.gravity = (0, 0, 0)
    section = hn.flexible.Section(6.0, 2e3, 2.0, 2e3, 5 / 6, 5 / 6)
    more = dict(E=7200.0, density=1e-3)
    column = hn.flexible.rod(m, [(0, 0, 0), (0, 120, 0)], section, elements=n, y=(1, 0, 0), name="column", **more)
    near = hn.flexible.rod(m, [(0, 120, 0), (24, 120, 0)], section, elements=n // 4, y=(0, 1, 0), name="near", **more)
    far = hn.flexible.rod(m, [(24, 120, 0), (120, 120, 0)], section, elements=n, y=(0, 1, 0), name="far", **more)
    m.revolute(column.first, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(far.last, m.ground, at=(120, 120, 0), axis=(0, 0, 1))
    m.fixed(column.last, near.first, at=(0, 120, 0))
    m.fixed(near.last, far.first, at=(24, 120, 0))
    load = m.input("load")
    m.vforce(near.last.cm, None, "0", f"-VARVAL({load.id})", "0")
    return m, [*column.parts, *near.parts, *far.parts], near.last


def arch(n):
    """215 degrees, radius 100, hinged on one side and clamped on the other: critical load 8.97 EI/R^2 (DaDeppo, Schmidt
    1975)."""
    m = hn.Model("arch")
    m.gravity = (0, 0, 0)
    section = hn.flexible.Section(1e2, 1e3, 1.0, 1e3, 5 / 6, 5 / 6)  # hardly any stretch
    a = np.radians(90 + 107.5 - 215 * np.linspace(0, 1, n + 1))
    r = hn.flexible.rod(
        m,
        np.stack([100 * np.cos(a), 100 * np.sin(a), 0 * a], 1),
        section,
        E=1e6,
        density=1e-3,
        y=(0, 1, 0),
        name="arch",
    )
    m.revolute(r.first, m.ground, at=tuple(r.places[0]), axis=(0, 0, 1))
    m.fixed(r.last, m.ground, at=tuple(r.places[-1]))
    load = m.input("load")
    m.vforce(r.parts[n // 2].cm, None, "0", f"-VARVAL({load.id})", "0")
    return m, r.parts, r.parts[n // 2]


def mark(axis, path, x):
    axis.plot(x, path.parameter, "C0-")
    held = np.where(path.unstable > 0, path.parameter, np.nan)
    axis.plot(x, held, "C3-", lw=2, label="unstable")
    axis.plot(x[[p.point for p in path.limits]], [p.parameter for p in path.limits], "ko", label="limit points")
    axis.legend(fontsize=8)


def main():
    figure, axes = plt.subplots(2, 3, figsize=(13, 7.5))
    path = hn.Simulation(truss()).path("load", 40.0, largest=0.05)
    mark(axes[0, 0], path, 0.3 - path.position("apex")[:, 2])
    axes[0, 0].set(title="von Mises' truss", xlabel="apex down (m)", ylabel="load (N)")
    path = hn.Simulation(truss(20.0)).path("load", 1.4, largest=0.05)
    axes[0, 1].set(
        title="through a soft spring: snap-back", xlabel="apex down (m)", ylabel="end of the spring down (m)"
    )
    mark(axes[0, 1], path, 0.3 - path.position("apex")[:, 2])
    for n in (16, 32):
        m, parts, loaded = lee(n)
        path = hn.Simulation(m).path("load", 25.0, step=0.05, largest=0.3)
        print("Lee", n, [p.parameter for p in path.limits], len(path.parameter), "points")
    mark(axes[0, 2], path, 120 - path.position(loaded)[:, 1])
    axes[0, 2].set(title="Lee's frame", xlabel="loaded point down (cm)", ylabel="load (kN)")
    places = np.array([path.position(p) for p in parts])
    for k in [0, *(p.point for p in path.limits), len(path.parameter) - 1]:
        axes[1, 0].plot(places[:, k, 0], places[:, k, 1], label=f"load {path.parameter[k]:.2f}")
    axes[1, 0].set(title="Lee's frame on its path", aspect="equal")
    axes[1, 0].legend(fontsize=8)
    for n in (24, 48):
        m, parts, loaded = arch(n)
        path = hn.Simulation(m).path("load", 1500.0, step=0.02, largest=0.1, points=160)
        print("arch", n, [p.parameter for p in path.limits], "of 897", len(path.parameter), path.complete)
    mark(axes[1, 1], path, path.position(loaded)[0, 1] - path.position(loaded)[:, 1])
    axes[1, 1].set(title="arch of 215 degrees, hinged and clamped", xlabel="top down", ylabel="load")
    places = np.array([path.position(p) for p in parts])
    for k in [0, *(p.point for p in path.limits[:2])]:
        axes[1, 2].plot(places[:, k, 0], places[:, k, 1], label=f"load {path.parameter[k]:.0f}")
    axes[1, 2].set(title="the arch on its path", aspect="equal")
    axes[1, 2].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(Path(__file__).parent / "figures" / "load_paths.png", dpi=100)


if __name__ == "__main__":
    main()
