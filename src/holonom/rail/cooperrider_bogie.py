"""Cooperrider's bogie, of which a critical speed is published: as a model of wheels on rails, and as the seven
equations that are printed.

Two conical wheelsets (y, yaw) and a frame (y, yaw, roll) under a car body that runs on evenly (N. K. Cooperrider,
Trans. ASME J. Eng. Ind. 94 (1972) 752; Ch. Kaas-Petersen, Acta Mechanica 61 (1986) 89).  With both wheels of a
wheelset, creepages and springs

    xi = y'/V - psi,      eta = a psi'/V + lambda y/r0,      F_y = 2 f xi/Psi,      F_x = 2 f eta/Phi,      f = G pi a_e
        b_e
    A_1,2 = 2 k1 (y - y_f -+ b psi_f - h1 phi_f),   A_3,4 = 2 k2 d1^2 (psi - psi_f),   A_5 = 2 D2 (y_f' - h2 phi_f') + 2
        k4 (y_f - h2 phi_f),   A_6 = k6 psi_f
    A_7 = 2 D1 d2^2 phi_f' + (2 k5 d2^2 + 4 k3 d1^2) phi_f
    m_w y'' = -A_1,2 - F_y,   I_w psi'' = -A_3,4 - a F_x,   m_f y_f'' = A_1 + A_2 - A_5,   I_f psi_f'' = b (A_1 - A_2) +
        A_3 + A_4 - A_6
    I_f phi_f'' = h1 (A_1 + A_2) + h2 A_5 - A_7

B. Hassard found the Hopf bifurcation of these equations at V = 68.66 (bifurcation.de, examples of R. Seydel's book,
1999; the unit printed there is mph, its data are in SI).  Springs, dampers and masses as the program DYTSI of the
Technical University of Denmark has them too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq

from ..model import Model
from .creep import hertz
from .geometry import contact_geometry
from .profiles import cone, round_head
from .vehicle import Bogie, bogie

PUBLISHED = 68.66  # m/s
G = 9.81
#: SI; ``psi``, ``phi``: of lateral and longitudinal creep forces, ``shear``: G pi a_e b_e, ``wheel``: load of each
DATA = {
    "m_w": 1022.0, "i_w": 678.0, "spin": 80.0, "m_f": 2918.0, "i_f": 6780.0, "r0": 0.4572, "lambda": 0.05, "a": 0.716,
    "b": 1.074, "d1": 0.62, "d2": 0.68,
    "h1": 0.0762, "h2": 0.6584, "k1": 1.823e6, "k2": 3.646e6, "k3": 3.646e6, "k4": 0.1823e6, "k5": 0.3333e6,
    "k6": 2.71e6, "D1": 20e3, "D2": 29.2e3,
    "psi": 0.54219, "phi": 0.60252, "shear": 6.563e6, "wheel": 66.67e3,
}  # fmt: skip
HEAD, BOX = 0.3, 1.0  # radius of the rails' heads; mass of the axleboxes, which the printed bogie has in its wheelsets


def equations(speed: float) -> np.ndarray:
    """Matrix (14, 14) of the printed equations at a speed (m/s): y, psi of the front and the rear wheelset, y, psi, phi
    of the frame, then their rates."""
    d = DATA
    M = np.diag([d["m_w"], d["i_w"], d["m_w"], d["i_w"], d["m_f"], d["i_f"], d["i_f"]])
    K, C = np.zeros((7, 7)), np.zeros((7, 7))

    def spring(onto: np.ndarray, k: float, *stretch: float) -> None:
        onto += k * np.outer(stretch, stretch)

    for w, sign in ((0, 1.0), (2, -1.0)):
        lateral, yaw = np.zeros(7), np.zeros(7)
        lateral[w], lateral[4:] = 1.0, (-1.0, -sign * d["b"], -d["h1"])
        yaw[w + 1], yaw[5] = 1.0, -1.0
        spring(K, 2.0 * d["k1"], *lateral)
        spring(K, 2.0 * d["k2"] * d["d1"] ** 2, *yaw)
        across, along = 2.0 * d["shear"] / d["psi"], 2.0 * d["shear"] / d["phi"]
        C[w, w] += across / speed
        K[w, w + 1] -= across
        C[w + 1, w + 1] += along * d["a"] ** 2 / speed
        K[w + 1, w] += along * d["a"] * d["lambda"] / d["r0"]
    over = (0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -d["h2"])
    spring(K, 2.0 * d["k4"], *over)
    spring(C, 2.0 * d["D2"], *over)
    K[5, 5] += d["k6"]
    K[6, 6] += 2.0 * d["k5"] * d["d2"] ** 2 + 4.0 * d["k3"] * d["d1"] ** 2
    C[6, 6] += 2.0 * d["D1"] * d["d2"] ** 2
    return np.block([[np.zeros((7, 7)), np.eye(7)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])


def critical_of_equations(low: float = 40.0, high: float = 100.0) -> float:
    """Speed (m/s) at which the printed equations no longer come to rest."""
    return float(brentq(lambda v: np.linalg.eigvals(equations(v)).real.max(), low, high))


def cooperrider(speed: float, law: str = "LINEAR", y: float = 0.0) -> tuple[Model, Bogie]:
    """Cooperrider's bogie on rails with round heads, in SI, under a body that moves along the track with ``speed``;
    ``y``: its initial lateral position.

    Creep coefficients are the published ones; the cone angle gives the conicity 0.05 on these heads (Wickens), since
    wheelsets here roll when they move laterally.

        model, bogie = hn.rail.cooperrider(60.0)
    """
    d = DATA
    half, r0 = d["a"], d["r0"]
    gamma = float(brentq(lambda g: g * (half + HEAD * g) / (half - r0 * g) - d["lambda"], 0.0, 0.1))
    at = contact_geometry(cone(gamma), round_head(HEAD), y=[-1e-4, 0.0, 1e-4], radius=r0).points[1][0][0].rail
    ellipse = hertz(d["wheel"], 1.0 / r0, 1.0 / HEAD)
    unit = ellipse.a * ellipse.b * 210e9 / (2.0 * 1.27)
    coefficients = (d["shear"] / d["phi"] / unit, d["shear"] / d["psi"] / unit, 0.0, 0.0)
    model = Model("Cooperrider's bogie")
    model.gravity = (0.0, 0.0, -G)
    track = model.rail_track(rail=round_head(HEAD), gauge=2.0 * (half - at))
    load = 4.0 * d["wheel"] - (2.0 * d["m_w"] + d["m_f"]) * G
    height = r0 + d["h1"] + d["h2"]
    data: dict[str, Any] = {
        "frame": {"mass": d["m_f"], "inertia": (d["i_f"],) * 3, "height": r0 + d["h1"]},
        "wheelset": {
            "mass": d["m_w"] - BOX,
            "inertia": (d["i_w"], d["spin"], d["i_w"]),
            "radius": r0,
            "box_mass": BOX,
            "box_inertia": (0.5,) * 3,
            "box_spread": 2.0 * d["d1"],
        },
        "wheelbase": 2.0 * d["b"],
        "primary": {"k": (d["k2"], d["k1"], d["k3"]), "c": (0.0, 0.0, 0.0)},
        "secondary": {"height": height, "spread": 2.0 * d["d2"]},
    }
    made = bogie(
        model,
        track,
        load=load,
        speed=speed,
        y=y,
        data=data,
        profile=cone(gamma),
        spacing=2.0 * half,
        law=law,
        coefficients=coefficients,
    )
    body = model.part("body", 1e4, (1e4,) * 3, (0.0, 0.0, height), velocity=(speed, 0.0, 0.0))
    model.motion(
        model.translational(body, model.ground, at=(0.0, 0.0, height), axis=(1, 0, 0)),
        f"{float(speed)!r}*TIME",
        "drive",
    )
    frame = model.body_frame(made.frame)
    for sign, pivot in zip((1.0, -1.0), made.pivots):
        above = model.marker_at(body, (0.0, sign * d["d2"], height))
        model.bushing(
            above,
            pivot,
            stiffness=(0.0, d["k4"], d["k5"]),
            damping=(0.0, d["D2"], d["D1"]),
            force=(0.0, 0.0, 0.5 * load),
            name=f"secondary {sign:+g}",
        )
    middle = tuple(frame.origin)
    pair = model.marker_at(body, middle), model.marker_at(made.frame, middle)
    model.bushing(
        *pair,
        stiffness=(5e6, 0.0, 0.0),
        damping=(25e3, 0.0, 0.0),
        rotational_stiffness=(0.0, 0.0, d["k6"]),
        name="traction and yaw",
    )
    return model, made
