"""Bodies that hit each other, for the partition that is found without a reference run: a ball on a plate, a cam with
its follower, two teeth."""

from __future__ import annotations

import numpy as np

from holonom.flexible import Material, mixed

STEEL = Material(2.1e11, 0.3, 7850.0)


def ball_on_plate(first: float = 1e-4) -> tuple[mixed.Contact, dict]:
    """A steel ball of 20 mm, with a void of a twentieth of its radius in its middle, on a round aluminium plate 60 mm
    wide and 12 mm thick, its rim held; 0.3 m/s."""
    R = 0.01
    turn = np.concatenate([mixed.graded(first / R, np.pi, 1.25, 0.12, even=8)])  # angle from the lowest point
    depth = mixed.graded(first, 0.95 * R, 1.3, 1.2e-3, even=3)
    meridian = mixed.grid(turn, R - depth[::-1], lambda a, r: (r * np.sin(a), R - r * np.cos(a)))
    across = mixed.graded(first, 0.03, 1.25, 1.5e-3, even=8)
    down = mixed.graded(first, 0.012, 1.3, 1.2e-3, even=3)
    plate = mixed.grid(across, -down[::-1])
    ball = mixed.axisymmetric(_turned(meridian), STEEL, name="ball")
    plate = mixed.axisymmetric(plate, Material(7e10, 0.33, 2700.0), name="plate").hold("x+")
    surface = np.flatnonzero(
        np.isclose(np.hypot(ball.places[:, 0], ball.places[:, 1] - R), R) & (ball.places[:, 1] < 0.3 * R)
    )
    return mixed.Contact(ball, plate, (surface, "y+")), dict(velocity=((0, -0.3), (0, 0)), end=1.2e-4, step=1e-7)


def _turned(mesh):
    """Cells counterclockwise, whichever way the lines ran."""
    from holonom.flexible import Mesh

    q, x = mesh.cells["quad"], mesh.points
    a, b = x[q[0, 1]] - x[q[0, 0]], x[q[0, 3]] - x[q[0, 0]]
    return mesh if a[0] * b[1] - a[1] * b[0] > 0.0 else Mesh(x, {"quad": q[:, ::-1]}, groups=mesh.groups)


def cam_and_follower(first: float = 5e-5) -> tuple[mixed.Contact, dict]:
    """A sector of a cam whose radius rises from 14 to 18 mm over 80 degrees, held at its bore, and the flat end of a
    follower 8 mm wide and 40 mm long that has lifted off and returns at 0.5 m/s; plane strain, 10 mm wide."""
    middle = 0.5 * np.pi
    profile = lambda a: 0.016 + 0.002 * np.sin(np.clip((a - middle) / np.radians(40.0), -1, 1) * 0.5 * np.pi)
    # highest place of the profile over the middle of the follower
    fine = np.linspace(middle - 0.5, middle + 0.5, 20001)
    top = fine[int((profile(fine) * np.sin(fine)).argmax())]
    x0, y0 = profile(top) * np.cos(top), profile(top) * np.sin(top)
    half = mixed.graded(first / 0.016, np.radians(45.0), 1.25, 0.06, even=8)
    angle = top + np.concatenate([-half[:0:-1], half])
    depth = np.concatenate([[0.0], np.cumsum(np.diff(mixed.graded(first, 0.008, 1.3, 1e-3, even=3)))]) / 0.008
    mesh = mixed.grid(
        angle,
        1.0 - depth[::-1],
        lambda a, s: ((0.008 + (profile(a) - 0.008) * s) * np.cos(a), (0.008 + (profile(a) - 0.008) * s) * np.sin(a)),
    )
    cam = mixed.plane(_turned(mesh), STEEL, thickness=0.01, name="cam").hold("y-")
    half = mixed.graded(first, 0.004, 1.25, 6e-4, even=8)
    across = x0 + np.concatenate([-half[:0:-1], half])
    up = y0 + mixed.graded(first, 0.04, 1.3, 1.2e-3, even=3)
    follower = mixed.plane(mixed.grid(across, up), STEEL, thickness=0.01, name="follower")
    contact = mixed.Contact(cam, follower, ("y+", "y-"), reach=0.004)
    return contact, dict(velocity=((0, 0), (0, -0.5)), end=1.2e-4, step=1e-7)


def teeth(
    first: float = 4e-5, module: float = 0.004, count: int = 20, pressure: float = np.radians(20.0)
) -> tuple[mixed.Contact, dict]:
    """Two involute teeth of steel, one on a held rim and one on a piece of rim that flies along the line of action at
    0.4 m/s until the flanks meet at the pitch point; plane strain, 20 mm wide."""
    pitch = 0.5 * module * count
    base = pitch * np.cos(pressure)
    inv = lambda a: np.tan(a) - a
    low, high, root = pitch - 1.1 * module, pitch + module, pitch - 3.0 * module

    def half(r):
        a = np.arccos(np.minimum(base / np.maximum(r, base), 1.0))
        own = np.pi / (2 * count) + inv(pressure) - inv(a)
        foot = np.clip((low - r) / (low - root), 0.0, 1.0)
        return own * (1 - foot) + 0.95 * np.pi / count * foot  # the rim below the tooth is as wide as a pitch

    up = mixed.graded(first, high - pitch, 1.3, 5e-4, even=8)
    down = mixed.graded(first, pitch - root, 1.3, 8e-4, even=8)
    radius = np.concatenate([pitch - down[:0:-1], pitch + up])
    inside = mixed.graded(0.012, 2.0, 1.35, 0.25, even=2)  # across, from the flank that touches
    side = 1.0 - inside[::-1]

    def place(s, r):
        a = 0.5 * np.pi + half(np.array([pitch]))[0] - s * half(r)  # the flank at s = 1 goes through the pitch point
        return r * np.cos(a), r * np.sin(a) - pitch

    mesh = _turned(mixed.grid(side, radius, place))
    one = mixed.plane(mesh, STEEL, thickness=0.02, name="driven").hold("y-")
    from holonom.flexible import Mesh

    other = mixed.plane(Mesh(-mesh.points, mesh.cells, groups=mesh.groups), STEEL, thickness=0.02, name="driver")
    way = np.array(
        [-np.cos(pressure), -np.sin(pressure)]
    )  # of the driver, against the outward normal of the driven flank
    near = lambda b: np.flatnonzero(
        np.isin(np.arange(len(b.places)), b.groups["x+"]) & (np.linalg.norm(b.places, axis=1) < 0.6 * module)
    )
    nodes = near(one), near(other)
    contact = mixed.Contact(one, other.moved(-1e-8 * way), nodes, reach=0.2 * module)
    return contact, dict(velocity=((0, 0), tuple(0.4 * way)), end=6e-5, step=5e-8)


MACHINES = {"ball on plate": ball_on_plate, "cam and follower": cam_and_follower, "two teeth": teeth}
