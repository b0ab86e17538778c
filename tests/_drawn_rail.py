"""What rail vehicles are made of, element by element, from their docstrings: see `_account`."""

import math

import numpy as np

import holonom as hn
from _account import Drawings, Z, body, pair, rotation
from holonom.rail import cone, rail_vehicle, round_head
from holonom.rail.cooperrider_bogie import cooperrider

DRAWINGS = Drawings()
drawing = DRAWINGS.of
G = 9.7
AT, HEADING = np.array([3.0, -2.0, 0.4]), 0.3
COACH = {
    "body": {"mass": 31e3, "inertia": (5.5e4, 1.9e6, 1.8e6), "height": 1.75},
    "frame": {"mass": 2500.0, "inertia": (1700.0, 1400.0, 3000.0), "height": 0.62},
    "wheelset": {
        **{"mass": 1600.0, "inertia": (1000.0, 110.0, 1050.0), "radius": 0.45, "box_mass": 190.0},
        **{"box_inertia": (90.0, 6.0, 95.0), "box_spread": 1.9},
    },
    "pivots": 17.0,
    "wheelbase": 2.4,
    "primary": {"k": (3.1e7, 3.8e6, 1.2e6), "c": (1.5e4, 2e3, 4e3), "kt": (10.0, 20.0, 30.0), "ct": (1.0, 2.0, 3.0)},
    "secondary": {
        **{"k": (1.5e5, 1.6e5, 4.3e5), "kt": (1.1e4, 1.0e4, 5.0), "c": (2.5e4, 3.2e4, 2e4), "height": 0.93},
        "spread": 2.1,
    },
    "traction": {"k": (5.1e6, 1.0, 2.0), "c": (2.4e4, 3.0, 4.0)},
    "roll_bar": 9.1e5,
}


def coach(speed, s, y, radius):
    """On a curve to the left of constant radius from its start on, whose track lies turned and shifted in ground."""
    m = hn.Model("coach")
    m.gravity = (0.0, 0.0, -G)
    start = m.marker_at(m.ground, AT, x=(math.cos(HEADING), math.sin(HEADING), 0.0), z=Z)
    track = m.rail_track(
        start,
        rail=round_head(0.3),
        gauge=1.47,
        inclination=0.0,
        sections=[(1e-9, 1.0 / radius, 0.0), (300.0, 1.0 / radius, 0.0)],
    )
    rail_vehicle(m, track, speed=speed, s=s, y=y, data=COACH, profile=cone(0.05), mu=0.35)
    return m


@drawing(coach, speed=23.0, s=41.0, y=0.002, radius=700.0)
def coach_in_a_curve(found, speed, s, y, radius):
    turn = rotation(HEADING * Z)

    def place(at, side=y, up=0.0):
        """Position and axes beside and over the middle of the track, which is a circle."""
        a = at / radius
        A = turn @ rotation(a * Z)
        return AT + turn @ (radius * np.array([math.sin(a), 1.0 - math.cos(a), 0.0])) + A @ [0.0, side, up], A

    def tensor(J, A):
        T = A @ np.diag(J) @ A.T
        return [*np.diag(T), T[0, 1], T[0, 2], T[1, 2]]

    rate, drawn = speed / radius * Z, {}
    moves = lambda A: speed * A[:, 0]
    at, A = place(s, up=1.75)
    drawn["PART coach body"] = body(31e3, at, tensor((5.5e4, 1.9e6, 1.8e6), A), moves(A), rate)
    rest = 31e3 * G
    for word, sign in (("front", 1.0), ("rear", -1.0)):
        name, here = f"coach {word} bogie", s + sign * 8.5
        middle, A = place(here, up=0.62)
        drawn[f"PART {name} frame"] = body(2500.0, middle, tensor((1700.0, 1400.0, 3000.0), A), moves(A), rate)
        for end, one in (("front", 1.0), ("rear", -1.0)):
            w = f"{name} {end}"
            # its height and the radius at which it rolls follow from its load: a row of `wheelset` has them
            centre, B = place(here + one * 1.2)
            high = float((found[f"PART {w}"]["centre"] - centre) @ Z)
            assert abs(high - 0.45) < 2e-3
            centre = centre + high * Z
            roll = rotation(0.0 * Z)
            axes = found[f"JOINT {w} bearing"]["i axes"]
            lean = float(axes[2, 2])
            assert abs(lean) < 1e-3
            axle = B @ np.array([0.0, math.sqrt(1.0 - lean**2), lean])
            C = np.column_stack([B[:, 0], axle, np.cross(B[:, 0], axle)]) @ roll
            spin = found[f"PART {w}"]["angular velocity"] @ axle / speed
            assert abs(0.45 * spin - 1.0) < 2e-3
            drawn[f"PART {w}"] = body(
                1600.0,
                centre,
                tensor((1000.0, 110.0, 1050.0), C),
                moves(B),
                speed * spin * axle + speed / radius * C[:, 2],
            )
            drawn[f"PART {w} boxes"] = body(
                190.0, centre, tensor((90.0, 6.0, 95.0), C), moves(B), speed / radius * C[:, 2]
            )
            turned = np.column_stack([C[:, 0], np.cross(axle, C[:, 0]), axle])
            drawn[f"JOINT {w} bearing"] = pair(w, f"{w} boxes", centre, turned, type="REVOLUTE")
            for side, q in (("left", 1.0), ("right", -1.0)):
                wheel = found[f"WHEEL_RAIL {w} {side}"]
                assert wheel["i"] == w and np.allclose(wheel["i at"], centre + q * 0.75 * axle, atol=1e-9)
                assert wheel.get("side", "LEFT") == side.upper() and wheel["radius"] == 0.45 and wheel["mu"] == 0.35
                drawn[f"WHEEL_RAIL {w} {side}"] = None
                box = centre + q * 0.95 * axle
                drawn[f"BUSHING {name} frame {w} {side} primary"] = pair(
                    *(f"{w} boxes", f"{name} frame", box, C, box, A),
                    **{**dict(COACH["primary"]), "force": (0, 0, -0.25 * (0.5 * rest + 2500.0 * G))},
                )
        for side, q in (("left", 1.0), ("right", -1.0)):
            pivot = place(here, y + q * 1.05, 0.93)[0]
            over = COACH["secondary"]
            drawn[f"BUSHING coach {word} {side} secondary"] = pair(
                *("coach body", f"{name} frame", pivot, A),
                **{w: over[w] for w in ("k", "kt", "c")},
                force=(0, 0, 0.25 * rest),
            )
        drawn[f"BUSHING coach {word} traction and roll bar"] = pair(
            *("coach body", f"{name} frame", place(here, y, 0.93)[0], A),
            **{**COACH["traction"], "kt": (9.1e5, 0.0, 0.0)},
        )
    drawn["RAIL_TRACK RAIL_TRACK_1"] = None
    drawn["GRAVITY of the model"] = {"g": (0.0, 0.0, -G)}
    return drawn


# ---- Cooperrider's bogie: what is around the printed numbers ---------------------------------------------------------
@drawing(lambda **words: cooperrider(**words)[0], speed=47.0, y=0.001)
def bogie_under_a_moved_body(found, speed, y):
    """A body at the height of the secondary springs that moves with the track; the bogie is held by its row."""
    high = 0.4572 + 0.0762 + 0.6584
    drawn = {w: None for w in found if w != "PART ground"}
    drawn["GRAVITY of the model"] = {"g": (0.0, 0.0, -9.81)}
    drawn["PART body"] = body(1e4, (0, 0, high), (1e4,) * 3, (speed, 0, 0))
    drawn["MOTION drive"] = {"joint": None, "kind": "TRANSLATIONAL", "function": speed * 0.37}
    slide = found["MOTION drive"]["joint"]
    drawn[f"JOINT {slide}"] = pair("body", "ground", (0, 0, high), (1, 0, 0), type="TRANSLATIONAL")
    load = 4 * 66.67e3 - (2 * 1022.0 + 2918.0) * 9.81
    for word, side in (("secondary +1", 1.0), ("secondary -1", -1.0)):
        at = (0.0, side * 0.68, high)
        drawn[f"BUSHING {word}"] = pair(
            *("body", "bogie frame", at, np.eye(3), (0.0, side * 0.68 + y, high), np.eye(3)),
            **{"k": (0, 0.1823e6, 0.3333e6), "c": (0, 29.2e3, 20e3), "force": (0, 0, 0.5 * load)},
        )
    middle = (0.0, y, 0.4572 + 0.0762)
    drawn["BUSHING traction and yaw"] = pair(
        *("body", "bogie frame", middle, np.eye(3)),
        **{"k": (5e6, 0, 0), "c": (25e3, 0, 0), "kt": (0, 0, 2.71e6)},
    )
    frame = found["PART bogie frame"]
    assert np.allclose(frame["centre"], middle) and np.allclose(frame["velocity"], (speed, 0, 0))
    return drawn
