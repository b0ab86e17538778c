"""Writes frs5.toml: stand-ins for the Parasolid bodies of ``FRS5_doe_8_LAUL_analysis.adm`` (their file was never
published).

    python make_frs5.py /path/to/FRS5_doe_8_LAUL_analysis.adm

Everything lies in planes across the y axis of ground, where cartridges are 21.75 mm (rim) and 15.8 mm (neck) round.  In
the frame used here the axis of the feed rotor is the origin, u points between both sprockets, v to the upper one.  From
the dataset come the axes of rotor, sprockets, cam and gates, the pins of the rotor, the stops, the radii of cartridges
and where each one starts; from these follow the pitch circles (37.5 mm of sprockets with four pockets, 48.2 mm of a
rotor with three) and the indexing cams, which are what the pins leave of two discs while the rotor turns by 120
degrees.  Clearances, widths and the law of the cams are ours.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

import holonom as hn
from holonom.model.orientation import to_euler313

RIM, NECK, CASE = 21.75, 15.8, 21.6  # radii of a cartridge: at its rear, at its neck, where the rear sprocket sees it
PLAY = 0.15  # radial play in pockets and guides
U = np.array([math.cos(math.pi / 6), math.sin(math.pi / 6)])  # of (x, z)
V = np.array([-U[1], U[0]])
ROTOR = np.array([0.0, 50.0])  # its axis in (x, z)
SPROCKET, PITCH = np.array([123.53, 42.0]), 37.53  # upper one, in (u, v)
ROUND = math.radians(96.99)  # where the first upper cartridge lies on it
LOWER = math.radians(98.96)  # and the first lower one, mirrored
TIPS = 51.0, 42.0  # radii of the teeth of the front and the rear sprocket, somewhat less than where their flanks meet
AHEAD = math.radians(1.7)  # by which the seats are ahead: both stops are then hit when Adams' log reports this
FINGERS = 62.0  # radius of the rotor, of which 44.7 mm is the radius of gyration
LEAD = 2.3  # the guides open by this towards the rails: the first lower cartridge lies 2.2 mm outside the pitch circle
POCKET = 48.3  # pitch radius of the rotor

# ground axes of a plane figure: x = u, y = v, z = -y of ground (u x v = z x ... : right-handed)
FLAT = np.array([[U[0], V[0], 0.0], [0.0, 0.0, -1.0], [U[1], V[1], 0.0]])


class Sheet:
    """Collects entries, positions in the axes of each graphic's own marker."""

    def __init__(self, model: hn.Model) -> None:
        self.model = model
        self.lines: list[str] = []

    def add(self, graphic: int, comment: str, centre, y: float, axes=FLAT, **arguments) -> None:
        g = self.model.table("GRAPHICS")[graphic]
        marker = self.model.markers[g.arguments.get("rm") or g.arguments.get("cm")]
        body = self.model.body_of(marker)
        frame = marker.frame if body is self.model.ground else body.frame @ marker.frame
        x, z = ROTOR + centre[0] * U + centre[1] * V
        at = frame.axes.T @ (np.array([x, y, z]) - frame.origin)
        euler = np.degrees(to_euler313(frame.axes.T @ axes))
        arguments |= {"at": at, "euler": euler}
        text = ", ".join(f"{k} = {_toml(v)}" for k, v in arguments.items())
        self.lines.append(f"{graphic} = {{ {text} }}  # {comment}")

    def cylinder(self, graphic: int, comment: str, centre, y: float, radius: float, length: float) -> None:
        """From y towards the nose (falling y)."""
        self.add(graphic, comment, centre, y, type="CYLINDER", radius=radius, length=length)

    def curve(
        self,
        graphic: int,
        comment: str,
        points,
        y: float,
        width: float,
        closed: bool = True,
        order: int = 2,
        bulge=None,
    ) -> None:
        more = {} if bulge is None else {"bulge": np.round(bulge, 9)}
        self.add(
            graphic,
            comment,
            (0.0, 0.0),
            y,
            type="CURVE",
            profile=np.round(points, 6),
            closed=closed,
            width=width,
            **({"order": order} if order > 2 else {}),
            **more,
        )


def _toml(value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_toml(v) for v in value) + "]"
    return f"{float(value):.10g}" if not isinstance(value, int) else str(value)


def arm(angle: float) -> np.ndarray:
    return np.array([math.cos(angle), math.sin(angle)])


def rotor(pitch: float, pockets: int, first: float, seat: float, tip: float) -> tuple[np.ndarray, np.ndarray]:
    """Points and bulges of a disc of radius ``tip`` with slots that end in half circles of radius ``seat`` on the pitch
    circle."""
    out = math.sqrt(tip**2 - seat**2)
    step = 2 * math.pi / pockets
    points, bulges = [], []
    for k in range(pockets):
        a = first + k * step
        spin = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
        points += [spin @ p for p in ([out, -seat], [pitch, -seat], [pitch, seat], [out, seat])]
        bulges += [0.0, -1.0, 0.0, math.tan(0.25 * (step - 2 * math.asin(seat / tip)))]
    return np.array(points), np.array(bulges)


def sprocket(
    centre, pitch: float, pockets: int, first: float, seat: float, tip: float
) -> tuple[np.ndarray, np.ndarray]:
    """A chain wheel: what rollers of radius ``seat`` leave that swing in and out about their neighbours: seats, and
    arcs about the next seat up to ``tip``."""
    step = 2 * math.pi / pockets
    chord = 2 * pitch * math.sin(0.5 * step)
    flank = chord - seat
    # the tooth about angle 0, its seats at -step/2 and step/2: middle of the chord at x = pitch cos(step/2)
    low = pitch * math.cos(0.5 * step)
    centre_y = 0.5 * chord  # of the arc of the flank at negative y
    d = math.hypot(low, centre_y)
    t = math.acos((tip**2 + d**2 - flank**2) / (2 * tip * d))  # triangle of axis, seat and corner
    x, y = (
        tip * math.cos(0.5 * step - t),
        tip * math.sin(0.5 * step - t),
    )  # seen from the seat at positive y: the corner at negative y
    turn = math.asin((x - low) / flank)
    points, bulges = [], []
    for k in range(pockets):
        a = first + (k + 0.5) * step
        spin = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
        half = centre_y - seat
        points += [centre + spin @ p for p in ([low, -half], [x, y], [x, -y], [low, half])]
        bulges += [
            math.tan(0.25 * turn),
            math.tan(0.25 * 2 * math.atan2(-y, x)),
            math.tan(0.25 * turn),
            -math.tan(0.25 * (math.pi - step)),
        ]
    return np.array(points), np.array(bulges)


def cams(axis: np.ndarray, pins, radius: float, reach: float, n: int = 720):
    """Radius over angle of two cams: what the pins (angle on the rotor, which cam) leave of a disc while the rotor
    turns by 120 degrees.

    The rotor dwells for half a turn of the cam and turns by a cycloid in the other half.  Angles in (u, v) at the
    start; the cam turns by +1 turn a cycle, the rotor against it (two wheels side by side).
    """
    ring = 21.0566
    theta = np.linspace(0.0, 2 * math.pi, n, endpoint=False)
    out = np.full((2, n), reach)
    for t in np.linspace(0.0, 1.0, 2400, endpoint=False):
        s = min(max((t - 0.25) / 0.5, 0.0), 1.0)
        turn = -math.radians(120.0) * (s - math.sin(2 * math.pi * s) / (2 * math.pi))
        cam = 2 * math.pi * t
        for angle, which in pins:
            p = ring * arm(angle + turn) - axis  # from the axis of the cam, in ground
            c, s_ = math.cos(-cam), math.sin(-cam)
            p = np.array([c * p[0] - s_ * p[1], s_ * p[0] + c * p[1]])
            d = p[0] * np.cos(theta) + p[1] * np.sin(theta)
            h2 = radius**2 - (p @ p - d * d)
            hit = (h2 > 0) & (d > 0)
            r = np.where(hit, d - np.sqrt(np.maximum(h2, 0.0)), reach)
            out[which] = np.minimum(out[which], r)
    return theta, out


def main(dataset: str) -> None:
    model = hn.read_adams(dataset)
    sheet = Sheet(model)
    say = sheet.lines.append

    def place(number: int):
        marker = model.markers[number]
        body = model.body_of(marker)
        o = marker.frame.origin if body is model.ground else (body.frame @ marker.frame).origin
        d = np.array([o[0], o[2]]) - ROTOR
        return np.array([d @ U, d @ V]), o[1]

    say("# cartridges: rear rims, and cases as cylinders where the rear sprocket and the rotor take them")
    for graphic, name in (
        (4165, "brassU1"),
        (4164, "brassU2"),
        (4162, "brassU3"),
        (4163, "brassU4"),
        (4196, "brassU5"),
        (4194, "brassL1"),
        (4195, "brassL2"),
        (4221, "brassL3"),
        (4222, "brassL4"),
        (4223, "brassL5"),
    ):
        centre, y = place(
            model.find("PART", name).cm
            if isinstance(model.find("PART", name).cm, int)
            else model.find("PART", name).cm.id
        )
        sheet.cylinder(graphic, f"{name}: rear 12 mm", centre, 303.75, RIM, 12.0)
    for graphic, name in (
        (502, "brassU1"),
        (519, "brassU2"),
        (536, "brassU3"),
        (557, "brassU4"),
        (2601, "brassU5"),
        (3321, "brassL1"),
        (3332, "brassL2"),
        (3343, "brassL3"),
        (3354, "brassL4"),
        (3365, "brassL5"),
    ):
        centre, y = place(model.table("GRAPHICS")[graphic].arguments["cm"])
        sheet.cylinder(
            graphic, f"{name}: case of 134 mm, a frustum in the dataset (20.1 to 21.75)", centre, y, CASE, 134.0
        )
    for graphic, name in (
        (4159, "projectileU1"),
        (4160, "projectileU2"),
        (4161, "projectileU3"),
        (4158, "projectileU4"),
        (4197, "projectileU5"),
        (4224, "projectileL1"),
        (4225, "projectileL2"),
        (4226, "projectileL3"),
        (4227, "projectileL4"),
        (4228, "projectileL5"),
    ):
        part = model.find("PART", name)
        centre, y = place(part.cm if isinstance(part.cm, int) else part.cm.id)
        sheet.cylinder(graphic, f"{name}: shank", centre, 131.0, 15.71, 60.0)

    flip = np.array([1.0, -1.0])
    say("# sprockets of four pockets, rotor of three")
    for side, ids in ((1, (4213, 4212)), (-1, (4218, 4217))):
        for graphic, y, seat, tip, width in (
            (ids[0], 137.7, NECK + PLAY, TIPS[0], 12.0),
            (ids[1], 282.2, CASE + PLAY, TIPS[1], 12.0),
        ):
            points, bulges = sprocket(SPROCKET, PITCH, 4, (ROUND if side > 0 else LOWER) + AHEAD, seat, tip)
            if side < 0:  # mirrored and run through backwards, so that material stays on the left
                points, bulges = (points * flip)[::-1], np.roll(bulges[::-1], -1)
            sheet.curve(graphic, f"{'upper' if side > 0 else 'lower'} sprocket", points, y, width, bulge=bulges)
    points, bulges = rotor(POCKET, 3, 0.0, CASE + PLAY, FINGERS)
    sheet.curve(4220, "feed rotor", points, 209.7, 120.0, bulge=bulges)

    say("# guides: a wall about each sprocket and on to the rotor (material outside), planes behind the rims")

    def guide(radius: float) -> tuple[np.ndarray, np.ndarray]:
        """In by a straight line, about the sprocket from 90 degrees on, ever closer up to 140 degrees, and straight
        towards the rotor."""
        a = np.radians([90.0, 100, 110, 120, 130, 140, 182])
        blend = np.clip((np.radians(140.0) - a) / np.radians(50.0), 0.0, 1.0)
        r = radius + LEAD * blend**2 * (3 - 2 * blend)
        slope = -LEAD * 6 * blend * (1 - blend) / np.radians(50.0)
        heading = a + 0.5 * math.pi - np.arctan2(slope, r)
        arc = np.array([SPROCKET + r[k] * arm(t) for k, t in enumerate(a)])
        points = np.vstack([arc[0] + [80.0, 0.0], arc, [58.0, 40.5]])
        return points, np.concatenate([[0.0], np.tan(0.25 * np.diff(heading)), [0.0, 0.0]])

    def both(points, bulge, side):
        # an arc seen from inside runs counter-clockwise about its centre with the cavity on the left; material must be
        # on the left
        points, bulge = points[::-1], -bulge[::-1]
        bulge = np.roll(bulge, -1)
        bulge[-1] = 0.0
        if side < 0:
            points = (points * flip)[::-1]
            bulge = np.append(bulge[:-1][::-1], 0.0)
        return points, bulge

    for graphic, radius, y, width, side in (
        (4181, RIM, 297.8, 12.0, 1),
        (4185, RIM, 297.8, 12.0, -1),
        (4117, 15.71, 122.0, 18.0, 1),
        (4118, 15.71, 122.0, 18.0, -1),
    ):
        points, bulge = both(*guide(PITCH + radius + 2 * PLAY), side)
        sheet.curve(graphic, f"{'upper' if side > 0 else 'lower'} wall", points, y, width, closed=False, bulge=bulge)
    # the frame's own grip is the groove of the rim: here a plane before its front
    for graphic, y, inside in ((4180, 305.5, 1), (4183, 291.2, 0), (4187, 291.2, 0), (4119, 60.0, 0)):
        axes = (
            np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])
            if inside
            else np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]])
        )
        sheet.add(
            graphic,
            "behind the rims" if inside else "before the noses" if graphic == 4119 else "before the rims",
            (60.0, 0.0),
            y,
            axes=axes,
            type="PLANE",
        )
    # rest of the guides: blocks next to the way from the sprockets to the rotor, out of reach of cartridges that run
    # well
    for graphic, side in ((4182, 1), (4186, -1)):
        p = np.array([[60.0, 118.0], [60.0, 105.0], [118.0, 105.0], [118.0, 118.0]])
        p = p * flip if side < 0 else p[::-1]
        p = p if _area(p) > 0 else p[::-1]
        sheet.curve(graphic, "far block", p, 297.8, 12.0)
    # a cradle in which the rotor carries cartridges on
    a = np.radians([-35.0, -48.0, -60.0, -75.0, -90.0, -105.0, -125.0])
    r = POCKET + RIM + 2 * PLAY + np.array([6.0, 2.0, 0, 0, 0, 0, 0])
    points = np.column_stack([r * np.cos(a), r * np.sin(a)])
    bulge = np.append(np.where(r[1:] == r[:-1], np.tan(0.25 * np.diff(a)), 0.0), 0.0)
    for graphic in (4184, 4188):
        sheet.curve(graphic, "cradle of the rotor", points, 297.8, 12.0, closed=False, bulge=bulge)

    say("# gates between the sprockets: lenses of 48 x 24 mm, from their moments of inertia")
    a = np.linspace(0, 2 * math.pi, 25)[:-1]
    lens = np.column_stack([SPROCKET[0] + 20.0 * np.cos(a), 10.0 * np.sin(a)])
    sheet.curve(4199, "front gate", lens, 106.0, 30.0)
    sheet.curve(4200, "rear gate", lens, 300.0, 30.0)

    say("# shackles: pins of 6 mm as their pictures show")
    for graphic, marker in ((63, 4481), (64, 253)):
        centre, y = place(marker)
        sheet.cylinder(graphic, "shackle", centre, y + 12.0, 6.0, 24.0)

    say("# cams of the indexing drive")
    axis, _ = place(20)
    pins = []
    for graphic, which in ((1209, 1), (1210, 1), (1211, 1), (1213, 0), (1165, 0), (1212, 0)):
        p, y = place(model.table("GRAPHICS")[graphic].arguments["cm"])
        pins.append((math.atan2(p[1], p[0]), which))
    theta, r = cams(axis, pins, 4.76 + 0.02, 62.0)
    for graphic, which, y in ((4203, 0, 541.4), (4202, 1, 560.9)):
        keep = slice(None, None, 4)
        points = axis + np.column_stack([r[which] * np.cos(theta), r[which] * np.sin(theta)])[keep]
        sheet.curve(graphic, f"cam {2 - which}", points, y, 10.4)
        area = 0.5 * (r[which] ** 2).mean() * 2 * math.pi
        c = (
            np.array([(r[which] ** 3 * np.cos(theta)).mean(), (r[which] ** 3 * np.sin(theta)).mean()])
            * 2
            * math.pi
            / 3
            / area
        )
        print(
            "cam",
            which,
            "area",
            area,
            "centre",
            c,
            np.hypot(*c),
            math.degrees(math.atan2(c[1], c[0])),
            "radii",
            r[which].min(),
            r[which].max(),
        )
    text = (
        "# Stand-ins for the Parasolid bodies of FRS5_doe_8_LAUL_analysis.adm, written by make_frs5.py (which says "
        "what is known).\n"
    )
    Path(__file__).with_name("frs5.toml").write_text(text + "\n".join(sheet.lines) + "\n")


def _area(p) -> float:
    return 0.5 * float(p[:, 0] @ np.roll(p[:, 1], -1) - p[:, 1] @ np.roll(p[:, 0], -1))


if __name__ == "__main__":
    main(sys.argv[1])
