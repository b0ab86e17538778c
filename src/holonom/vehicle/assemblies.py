"""One body on several front and rear axles: the axles on the K&C rig, and every assembly in the full vehicle.

Next to the full vehicle's roll and pitch stand textbook formulas with the rig's indices (T. D. Gillespie, Fundamentals
of Vehicle Dynamics, 1992, chapters 6 and 7).  Roll phi of the body of mass m_s, whose centre is h_1 above the roll
axis, on axles i with roll stiffness K_i of the suspension and K_ti = k_t t^2 / 2 of the tyres, height r_i of the roll
centre, share s_i of the body's weight, unsprung mass m_ui at the height z_i of the wheels' centres, moments of inertia
I of wheels of radius R, which lean by the share c_i (roll camber) of the roll of the suspension:

    phi = phi_i + phi_ti,    K_ti phi_ti = K_i phi_i + (s_i m_s r_i + m_ui z_i + (1 - c_i) 2 I / R) a,
    sum K_i phi_i = m_s h_1 (a + g phi) + sum c_i (2 I / R) a.

Pitch by braking or driving, which moves the load m a h / L between the axles; links carry the share A of it
(anti-dive, anti-lift, anti-squat), suspensions of rate k and tyres of rate k_t the rest,

    pitch = (m a h / L^2) sum over axles ((1 - A) / (2 k) + 1 / (2 k_t)).
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .._summary import Summary
from ..model import ModelError
from .axle import KINEMATIC
from .controls import Controls
from .cornering_compliance import cornering
from .full_vehicle import WHICH, Vehicle, _force
from .kc import KC
from .kc_words import DEGREE
from .manoeuvres import START, Drive, _simulate, save, steer_step, straight_braking
from .template import numbers_of, positive_numbers
from .vehicle_file import VehicleFile, read_vehicle

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TRAVEL = 0.05  # m, up and down, over which toe, camber and track change
SETTLED = 0.4  # s at the end of braking and driving over which pitch is averaged
#: of an axle: key, text, digits
AXLE_ROWS = (
    ("bump_travel", "travel to the bump stop (mm)", 1), ("rebound_travel", "travel to the rebound stop (mm)", 1),
    ("toe_up", "toe at +50 mm (deg)", 3), ("toe_down", "toe at -50 mm (deg)", 3),
    ("camber_up", "camber at +50 mm (deg)", 3), ("camber_down", "camber at -50 mm (deg)", 3),
    ("track_up", "half track at +50 mm (mm)", 2), ("track_down", "half track at -50 mm (mm)", 2),
    ("anti_dive", "anti-dive, anti-lift in braking (%)", 1), ("anti_squat", "anti-squat in driving (%)", 1),
    ("suspension_rate", "suspension rate (N/mm)", 2), ("roll_stiffness", "roll stiffness (N m/deg)", 1),
    ("roll_centre", "roll centre (mm)", 1), ("roll_centre_fall", "its fall per bump travel (-)", 2),
    ("roll_steer", "roll steer (%)", 2), ("roll_camber", "roll camber (%)", 1),
)  # fmt: skip
#: of an assembly, likewise
VEHICLE_ROWS = (
    ("roll_arm", "body above the roll axis (mm)", 1),
    ("front_roll_share", "front share of roll stiffness (%)", 1),
    ("roll_gradient_rig", "roll gradient, formula (deg/g)", 3),
    ("roll_gradient", "in the full vehicle (deg/g)", 3),
    ("dive_rig", "dive in braking, formula (deg/g)", 3),
    ("dive", "in the full vehicle (deg/g)", 3),
    ("squat_rig", "squat in driving, formula (deg/g)", 3),
    ("squat", "in the full vehicle (deg/g)", 3),
    ("understeer", "understeer gradient (deg/g)", 3),
    ("response_time", "yaw rate to 90 % (ms)", 0),
    ("overshoot", "yaw rate overshoot (%)", 1),
    ("sideslip", "sideslip (deg/g)", 2),
)


@dataclass
class AssemblyStudy(Summary):
    """``axles``: (which, name) -> indices of an axle; ``rows``: (front, rear) -> indices of an assembly, in the units
    of the tables; ``kcs``: the axles on the rig; ``drives``: (front, rear) -> its steering step, braking and
    driving."""

    name: str
    axles: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    rows: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    kcs: dict[tuple[str, str], KC] = field(default_factory=dict)
    drives: dict[tuple[str, str], tuple[Drive, Drive, Drive]] = field(default_factory=dict)

    def text(self) -> str:
        """Both tables: axles on the rig, assemblies in the full vehicle."""
        return "\n".join(
            [
                self.name,
                *_table({f"{w} {n}": r for (w, n), r in self.axles.items()}, AXLE_ROWS),
                *_table({f"{f} + {r}": row for (f, r), row in self.rows.items()}, VEHICLE_ROWS),
            ]
        )

    def to_csv(self, path: str | Path) -> Path:
        """Both tables, a line an index.  Raises ModelError where the file cannot be written."""
        try:
            with open(path, "w", newline="", encoding="utf-8") as file:
                out = csv.writer(file)
                for columns, rows in ((self.axles, AXLE_ROWS), (self.rows, VEHICLE_ROWS)):
                    out.writerow(["", *(" + ".join(k) if columns is self.rows else " ".join(k) for k in columns)])
                    out.writerows([text, *(repr(c[key]) for c in columns.values())] for key, text, _ in rows)
        except OSError as error:
            raise ModelError(f"cannot write '{path}': {error.strerror}") from None
        return Path(path)

    def plot(self, path: str | Path | None = None) -> Figure:
        """One page: axles over wheel travel, roll stiffness and indices of pitch, assemblies in a steering step, in
        braking and driving.  Writes it to ``path`` and returns the figure."""
        from ..results.pictures.figures import Figure

        figure = Figure(figsize=(17.0, 12.5), layout="constrained")
        axes = figure.subplots(3, 3)
        curves = (
            ("toe", "toe (in +, deg)", DEGREE),
            ("camber", "camber (deg)", DEGREE),
            ("half_track_change", "half-track change (mm)", None),
            ("roll_centre_height", "roll centre (mm)", None),
        )
        for ax, (key, label, factor) in zip(axes.ravel(), curves):
            for which, name in self.axles:
                kc = self.kcs[which, name]
                mm = 1e3 * kc.units.si_length
                y = np.asarray(kc.parallel[key])
                y = (y[:, 0] if y.ndim == 2 else y) * (mm if factor is None else factor)
                ax.plot(y, mm * kc.parallel.x, "-" if which == "front" else "--", label=f"{which} {name}")
            ax.set(xlabel=label, ylabel="wheel travel, both wheels (mm)")
        bars = axes[1, 1]
        names = ["\n+ ".join(k) for k in self.rows]
        low = np.zeros(len(names))
        for which, at in (("front", 0), ("rear", 1)):
            part = np.array([self.axles[which, k[at]]["roll_stiffness"] for k in self.rows])
            bars.bar(names, part, bottom=low, label=which)
            low = low + part
        bars.set(ylabel="roll stiffness (N m/deg)")
        anti = axes[1, 2]
        labels = [f"{w}\n{n}" for w, n in self.axles]
        for shift, key, label in ((-0.2, "anti_dive", "anti-dive, anti-lift"), (0.2, "anti_squat", "anti-squat")):
            anti.bar(
                np.arange(len(labels)) + shift, np.nan_to_num([a[key] for a in self.axles.values()]), 0.4, label=label
            )
        anti.set_xticks(range(len(labels)), labels)
        anti.set(ylabel="share of the load that links carry (%)")
        last = (
            (axes[2, 0], 0, "yaw_rate", "yaw rate in a steering step (deg/s)"),
            (axes[2, 1], 0, "roll", "roll in a steering step (deg)"),
            (axes[2, 2], 1, "pitch", "pitch in braking, dashed: driving (deg)"),
        )
        for ax, which_drive, key, label in last:
            for n, ((front, rear), drives) in enumerate(self.drives.items()):
                d = drives[which_drive]
                ax.plot(d["t"], DEGREE * d[key], color=f"C{n}", label=f"{front} + {rear}")
                if which_drive:
                    ax.plot(drives[2]["t"], DEGREE * drives[2][key], "--", color=f"C{n}")
            ax.set(xlabel="time (s)", ylabel=label)
        for ax in axes.ravel():
            ax.grid(alpha=0.3)
            ax.legend(fontsize=8)
        figure.suptitle(self.name)
        return save(figure, path)


def _table(columns: Mapping[str, Mapping[str, float]], rows: Sequence[tuple[str, str, int]]) -> list[str]:
    width = max(16, *(len(c) + 2 for c in columns))
    lines = [f"  {'':38s}" + "".join(f"{c:>{width}s}" for c in columns)]
    for key, text, digits in rows:
        cells = ("-" if math.isnan(c[key]) else f"{c[key]:.{digits}f}" for c in columns.values())
        lines.append(f"  {text:38s}" + "".join(f"{cell:>{width}s}" for cell in cells))
    return lines


def _crossing(kc: KC, stop: str, sign: float) -> float:
    """Travel (m) at which the damper has used the clearance of a stop; nan beyond the sweep, or without a stop."""
    sweep, found = kc.parallel, kc.rig.axle.data.get(stop)
    if not isinstance(found, Mapping) or "clearance" not in found:
        return math.nan
    shorter = sign * sweep["damper_travel"][:, 0]
    order = np.argsort(shorter)
    travel = np.interp(float(found["clearance"]), shorter[order], sweep.x[order], left=math.nan, right=math.nan)
    return abs(float(travel)) * kc.units.si_length


def axle_indices(kc: KC) -> dict[str, float]:
    """Indices of an axle in the units of `AXLE_ROWS`: wheel travel between the stops, changes of alignment over 50 mm
    of it, anti-dive and anti-squat, rates and roll centre at the design position."""
    u, d, sweep = kc.units, kc.design, kc.parallel
    one = lambda name: float(np.ravel(d[name])[0])
    metre = 1.0 / u.si_length

    def moved(name: str, travel: float) -> float:
        y = np.asarray(sweep[name])
        y = y[:, 0] if y.ndim == 2 else y
        return float(np.interp(travel * metre, sweep.x, y) - np.interp(0.0, sweep.x, y))

    stiff = u.si_force * u.si_length
    fall = moved("roll_centre_height", 0.01) - moved("roll_centre_height", -0.01)
    return {
        "bump_travel": 1e3 * _crossing(kc, "bump_stop", 1.0),
        "rebound_travel": 1e3 * _crossing(kc, "rebound_stop", -1.0),
        **{
            f"{word}_{end}": moved(name, way) * factor
            for word, name, factor in (
                ("toe", "toe", DEGREE),
                ("camber", "camber", DEGREE),
                ("track", "half_track_change", 1e3 * u.si_length),
            )
            for end, way in (("up", TRAVEL), ("down", -TRAVEL))
        },
        "anti_dive": 100.0 * one("anti_dive" if kc.car.front else "anti_lift"),
        "anti_squat": math.nan if kc.car.front else 100.0 * one("anti_squat"),
        "suspension_rate": 1e-3 * one("suspension_rate") * u.si_force / u.si_length,
        "roll_stiffness": one("roll_rate") * stiff / DEGREE,
        "roll_centre": 1e3 * one("roll_centre_height") * u.si_length,
        "roll_centre_fall": -fall / (0.02 * metre),
        "roll_steer": 100.0 * one("roll_steer"),
        "roll_camber": 100.0 * one("roll_camber"),
    }


def _spin_inertia(file: VehicleFile, which: str) -> float:
    """Moment of inertia of a wheel about its axis; as `Vehicle` draws it where the file gives none."""
    wheel = file.data[which]["wheel"]
    disc = 0.5 * float(wheel.get("mass", 0.0)) * float(file._centre(which)[2]) ** 2
    return numbers_of(wheel.get("inertia", [disc] * 3), f"{which}.wheel.inertia", 3)[1]


def formulas(file: VehicleFile, front: KC, rear: KC) -> dict[str, float]:
    """Roll and pitch by the formulas of the module's text, from the rig's indices at the design position, in the units
    of `VEHICLE_ROWS`."""
    u, m = file.units, file.mass
    one = lambda kc, name: float(np.ravel(kc.design[name])[0])
    pair, length = (front, rear), file.wheelbase
    at = np.asarray(file.chassis["cm"], float)
    back = (float(file._centre("front")[0]) - at[0]) / length
    share = np.array([1.0 - back, back])
    centre = np.array([one(kc, "roll_centre_height") for kc in pair])
    arm = float(at[2] - share @ centre)
    body = float(file.chassis["mass"]) * _force(u)
    springs = np.array([one(kc, "roll_rate") for kc in pair])
    tyres = np.array([0.5 * float(kc.car.tyre_stiffness) * one(kc, "track") ** 2 for kc in pair])
    unsprung = 2.0 * np.array(m.loads) / file.g - share * body
    hubs = np.array([float(file._centre(w)[2]) for w in WHICH])
    gyroscopic = np.array([2.0 * _spin_inertia(file, w) / file._centre(w)[2] for w in WHICH]) * _force(u)
    lean = np.array([one(kc, "roll_camber") for kc in pair])
    g = file.g
    per_g = DEGREE * g
    # unknowns: roll of the body, roll of each suspension
    M = np.array([[tyres[0], -tyres[0] - springs[0], 0.0], [tyres[1], 0.0, -tyres[1] - springs[1]], [0.0, *springs]])
    M[2, 0] = -body * g * arm
    roll = np.linalg.solve(
        M, [*(share * body * centre + unsprung * hubs + (1.0 - lean) * gyroscopic), body * arm + lean @ gyroscopic]
    )[0]
    moved = m.mass * _force(u) * float(m.centre[2]) / length**2

    def pitch(ends: Sequence[tuple[KC, str | None]]) -> float:
        return moved * sum(
            (1.0 - (one(kc, name) if name else 0.0)) / (2.0 * one(kc, "suspension_rate"))
            + 0.5 / float(kc.car.tyre_stiffness)
            for kc, name in ends
        )

    driven = [k for k, kc in (("front", front), ("rear", rear)) if kc.car.drive_share > 0.0]
    return {
        "roll_arm": 1e3 * arm * u.si_length,
        "front_roll_share": 100.0 * springs[0] / springs.sum(),
        "roll_gradient_rig": per_g * float(roll),
        "dive_rig": per_g * pitch(((front, "anti_dive"), (rear, "anti_lift"))),
        "squat_rig": per_g
        * pitch(
            (
                (front, "anti_lift_driving" if "front" in driven else None),
                (rear, "anti_squat" if "rear" in driven else None),
            )
        ),
    }


def _pitch(d: Drive) -> float:
    """Pitch per longitudinal deceleration (deg/g) once both are steady, from what they were before."""
    before = (d["t"] > 0.5 * START) & (d["t"] < START)
    last = d["t"] > d["t"][-1] - SETTLED
    change = lambda key: float(d[key][last].mean() - d[key][before].mean())
    return DEGREE * 9.80665 * change("pitch") / -change("ax")


def compare_assemblies(
    body: VehicleFile | str | Path,
    fronts: Mapping[str, VehicleFile | str | Path],
    rears: Mapping[str, VehicleFile | str | Path],
    *,
    mode: str = KINEMATIC,
    speed: float = 100.0 / 3.6,
    ay: float = 3.0,
    pedal: float = 0.25,
    say: Callable[[str], None] = lambda text: None,
) -> AssemblyStudy:
    """The ``body`` of a vehicle file with every front axle on every rear axle: names -> vehicle files whose axles are
    taken (`VehicleFile.with_axle`).

    Each axle on the K&C rig, at the loads of the body with the first axle at the other end; each assembly in a steering
    step of ``ay`` (m/s^2) at ``speed`` (m/s), in braking with ``pedal`` (share of the torque of the brakes) and driving
    with full throttle at 20 m/s, next to the formulas for roll and pitch. Raises `ModelError` for files that cannot
    be read or are in other units, and where a vehicle cannot be driven so."""
    positive_numbers(speed=speed, ay=ay, pedal=pedal)
    if not fronts or not rears:
        raise ModelError("assemblies need one front axle and one rear axle or more; give both")
    files = lambda table: {k: v if isinstance(v, VehicleFile) else read_vehicle(v) for k, v in table.items()}
    base = body if isinstance(body, VehicleFile) else read_vehicle(body)
    given = {"front": files(fronts), "rear": files(rears)}
    out = AssemblyStudy(f"{base.name}: {len(fronts)} front and {len(rears)} rear axles, {mode}")
    for which, name in ((w, n) for w in WHICH for n in given[w]):
        out.axles[which, name] = {}  # front axles first
    for front, rear in itertools.product(given["front"], given["rear"]):
        file = base.with_axle("front", given["front"][front]).with_axle("rear", given["rear"][rear])
        kcs = {which: file.kc(which, mode) for which in WHICH}
        for which, name in (("front", front), ("rear", rear)):
            if not out.axles[which, name]:
                out.axles[which, name] = axle_indices(kcs[which])
                out.kcs[which, name] = kcs[which]
        car = Vehicle(file, mode)
        step = steer_step(car, speed, ay)
        brake = straight_braking(car, 20.0, pedal=pedal, end_speed=10.0)
        throttle = f"STEP(TIME,{START * car.second!r},0,{(START + 0.2) * car.second!r},1)"
        drive = _simulate(
            car, f"{file.name}: driving", car.model(20.0, Controls(hold=False, throttle=throttle)), START + 2.0
        )
        out.drives[front, rear] = step, brake, drive
        per_g = DEGREE * 9.80665
        m = step.metrics
        out.rows[front, rear] = {
            **formulas(file, kcs["front"], kcs["rear"]),
            "roll_gradient": per_g * abs(m["roll_gradient"]),
            "dive": _pitch(brake),
            "squat": _pitch(drive),
            "understeer": per_g * cornering(car, speed).understeer_gradient,
            "response_time": 1e3 * m["yaw_rate_response_time"],
            "overshoot": 100.0 * m["yaw_rate_overshoot"],
            "sideslip": per_g * m["steady_sideslip"] / m["steady_ay"],
        }
        say(f"{front} + {rear}: roll gradient {out.rows[front, rear]['roll_gradient']:.2f} deg/g")
    return out
