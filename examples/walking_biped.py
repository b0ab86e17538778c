"""Biped that stands, walks two steps and stands again: six driven joints, feet as boxes on the ground, time-stepping.

The trunk moves in the plane of walking.  The centre of mass follows the cart-table model (Kajita et al., ICRA 2003),
    x'' = g / h (x - p),
from rest to rest for a zero moment point p that goes from foot to foot.  Positions of the joints follow in closed form;
the moment point of this motion is that of all links, by inverse dynamics, and p is corrected until it is where it was
wanted.  Torques: those of inverse dynamics, with the weight shared between the feet as p lies between them, and springs
and dampers about the planned angles.  Nothing measures the trunk: the soles alone hold it upright.

Checked against the forces of the contacts: their centre of pressure stays inside of the feet and near the planned
moment point, and is that which the momentum of the links requires; impulses and energy balance; nothing falls or slips.
"""

import sys
from functools import cache

import numpy as np
from scipy.integrate import cumulative_simpson
from scipy.interpolate import make_interp_spline

import holonom as hn
from holonom.model import drawing

G, HIP, THIGH, SHANK, ANKLE = 9.81, 0.80, 0.40, 0.40, 0.08  # heights and lengths [m]
SOLE = (0.22, 0.10, 0.03)  # of a foot; the ankle is above its middle
WIDTH, LENGTH, LIFT = 0.09, 0.22, 0.05  # half the distance of the legs, a step, its height [m]
MASSES = {"trunk": 30.0, "thigh": 5.0, "shank": 3.0, "foot": 1.0}
#: seconds; share of the weight on the left foot at the end; foot that swings
PHASES = (
    (0.4, 0.5, ""), (0.4, 1.0, ""), (0.6, 1.0, "right"), (0.5, 0.0, ""), (0.6, 0.0, "left"), (0.4, 0.5, ""),
    (0.5, 0.5, ""),
)  # fmt: skip
PITCH = 0.02  # s, of the splines
END, STEPS, STEP = sum(p[0] for p in PHASES), 170, 2e-3
MU = 0.8
KP, KD = 4000.0, 60.0  # N m/rad, N m s/rad
SIDES = ("left", "right")
JOINTS = [f"{side} {joint}" for side in SIDES for joint in ("hip", "knee", "ankle")]
smooth = lambda s: s**3 * (10 - 15 * s + 6 * s * s)  # from 0 to 1, at rest at both ends


def footsteps(t: float) -> tuple[np.ndarray, np.ndarray, float]:
    """x of the soles, their heights, and the share of the weight on the left one."""
    x, z, share, begin = np.zeros(2), np.zeros(2), 0.5, 0.0
    for time, aim, swing in PHASES:
        s = min(max((t - begin) / time, 0.0), 1.0)
        if swing:
            k = SIDES.index(swing)
            x[k] = LENGTH * smooth(s)
            z[k] = 64 * LIFT * (s * (1 - s)) ** 3
        elif s > 0.0:
            share += (aim - share) * smooth(s)
        begin += time
    return x, z, share


def leg(ankle: np.ndarray) -> np.ndarray:
    """Angles of hip, knee and ankle for an ankle at (x, z) from the hip, knee forwards, sole level."""
    r = np.hypot(*ankle)
    way = np.arctan2(-ankle[0], -ankle[1])
    thigh = way - np.arccos((THIGH**2 + r * r - SHANK**2) / (2 * THIGH * r))
    shank = way + np.arccos((SHANK**2 + r * r - THIGH**2) / (2 * SHANK * r))
    return np.array([thigh, shank - thigh, -shank])


def stance() -> float:
    """x of the hip with the centre of mass above the middle of both soles."""
    x, m = 0.0, {k: 2 * v for k, v in MASSES.items()} | {"trunk": MASSES["trunk"]}
    for _ in range(60):
        thigh, knee, _ = leg(np.array([-x, ANKLE - HIP]))
        end = x - THIGH * np.sin(thigh)
        moment = m["trunk"] * x + m["thigh"] * (x + end) / 2 + m["shank"] * (end - SHANK * np.sin(thigh + knee) / 2)
        x -= moment / sum(m.values())
    return x


BACK = stance()
START = leg(np.array([-BACK, ANKLE - HIP]))


def skeleton() -> hn.Model:
    """The links and joints, as they stand at the start: all angles are zero there."""
    model = hn.Model("walking_biped", units="SI")
    model.rigid.method = "time-stepping"
    model.gravity = (0.0, 0.0, -G)
    slim = lambda m, a, b: (m * (a * a + b * b) / 12, m * (a * a + b * b) / 12, m * b * b / 6)
    trunk = model.part("trunk", MASSES["trunk"], slim(MASSES["trunk"], 0.5, 0.25), (BACK, 0, HIP + 0.25))
    drawing.block(model, trunk, (BACK, 0, HIP + 0.28), (0.16, 0.24, 0.44))
    drawing.ball(model, trunk, (BACK, 0, HIP + 0.62), 0.18)
    drawing.rod(model, trunk, (BACK, -WIDTH, HIP), (BACK, WIDTH, HIP), 0.05)
    model.planar(trunk, model.ground, "walk", at=(BACK, 0, HIP), axis=(0, 1, 0), x=(1, 0, 0))
    down = lambda angle: np.array([-np.sin(angle), 0, -np.cos(angle)])
    for side, y in zip(SIDES, (WIDTH, -WIDTH)):
        at, angle, before = np.array([BACK, y, HIP]), 0.0, trunk
        for name, length, turn, joint in (("thigh", THIGH, START[0], "hip"), ("shank", SHANK, START[1], "knee")):
            angle += turn
            end = at + length * down(angle)
            axes = np.column_stack([np.cross((0, 1, 0), -down(angle)), (0, 1, 0), -down(angle)])
            link = model.part(
                f"{side} {name}", MASSES[name], slim(MASSES[name], length, 0.1), (at + end) / 2, axes=axes
            )
            drawing.rod(model, link, at, end, 0.05, 0.04)
            model.revolute(link, before, f"{side} {joint}", at=at, axis=(0, 1, 0))
            at, before = end, link
        foot = model.part(f"{side} foot", MASSES["foot"], (0.002, 0.004, 0.005), (0, y, SOLE[2] / 2))
        drawing.rod(model, foot, (0, y, SOLE[2]), at, 0.05, 0.035)
        model.revolute(foot, before, f"{side} ankle", at=at, axis=(0, 1, 0))
        model.marker_at(foot, (0, y, 0), name=f"{side} sole")
    return model


class Plan:
    """Angles (knots, 6) from those at the start, torques (knots, 6) and the moment point (knots,) at times (knots,)."""

    def __init__(self) -> None:
        self.joints = joints = hn.JointCoordinates(skeleton())
        self.times = times = np.linspace(0.0, END, round(END / PITCH) + 1)
        find = lambda name: joints.model.find("MARKER", f"{name} sole")
        self.soles = [find(side) for side in SIDES]
        self.driven = [joints.freedoms.index(f"{name}.angle") for name in JOINTS]
        self.base = [joints.freedoms.index(f"walk.{c}") for c in ("x", "y", "angle")]
        feet = [footsteps(t) for t in times]
        self.share = np.array([f[2] for f in feet])
        self.feet = np.array([f[0] for f in feet])
        self.heights = np.array([f[1] for f in feet])
        wanted = self.share * self.feet[:, 0] + (1 - self.share) * self.feet[:, 1]
        given, self.hip = wanted.copy(), np.zeros(len(times))
        for _ in range(10):
            centre, extra = self.cart_table(given)
            q, v, a = self.positions(centre)
            self.point, self.torques = self.loads(q, v, a)
            given += 0.5 * (wanted + extra - self.point)
        self.wanted = wanted + extra
        self.angles = q[:, self.driven]

    def cart_table(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Centre of mass over time for the moment point p, from rest to rest, and what p is changed by for this while
        both feet stand at the beginning and at the end."""
        n, h, rate = len(p), PITCH, G / HIP
        A = np.zeros((n, n))
        A[0, 0] = A[-1, -1] = 1.0
        rows = np.arange(1, n - 1)
        A[rows, rows], A[rows, rows - 1], A[rows, rows + 1] = -2 / h**2 - rate, 1 / h**2, 1 / h**2
        bumps = []
        for begin, end in ((0.0, PHASES[0][0]), (END - PHASES[-1][0], END)):
            s = np.clip((self.times - begin) / (end - begin), 0.0, 1.0)
            bumps.append(64 * (s * (1 - s)) ** 3)
        right = -rate * np.column_stack([p, *bumps])
        right[0] = right[-1] = 0.0
        right[-1, 0] = LENGTH
        x = np.linalg.solve(A, right)
        slopes = np.array([-3 * x[0] + 4 * x[1] - x[2], 3 * x[-1] - 4 * x[-2] + x[-3]])
        c = np.linalg.solve(slopes[:, 1:], -slopes[:, 0])
        return x @ [1.0, *c], np.column_stack(bumps) @ c

    def positions(self, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates, rates and accelerations (knots, 9) with the centre of mass where it should be, by a few
        corrections of the hip; the trunk stays upright at its height."""
        q = np.zeros((len(centre), self.joints.nq))
        for k, aim in enumerate(centre):
            for _ in range(3):
                hip = q[k, self.base[0]] = self.hip[k]
                x, z = self.feet[k] - BACK - hip, self.heights[k] + ANKLE - HIP
                legs = [leg(np.array([x[n], z[n]])) - START for n in range(2)]
                q[k, self.driven] = np.concatenate(legs)
                self.hip[k] += aim - self.joints.centre_of_mass(q[k])[0]
        spline = make_interp_spline(self.times, q, k=5)
        return q, spline(self.times, 1), spline(self.times, 2)

    def loads(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Moment point and torques of the joints of a motion: three equations of the trunk give force and moment that
        the ground must exert, which the feet share."""
        efforts = self.joints.inverse_dynamics(q, v, a)
        point, torques = np.zeros(len(q)), np.zeros((len(q), len(JOINTS)))
        plane = [0, 2, 4]  # x, z and the turn about y
        for k, tau in enumerate(efforts):
            J = [self.joints.jacobian(sole, q[k])[plane] for sole in self.soles]
            x, z = self.feet[k], self.heights[k]
            left = np.linalg.solve(J[0][:, self.base].T, tau[self.base])  # if the left sole carried all
            force, moment = left[:2], left[2] + z[0] * left[0] - x[0] * left[1]  # moment about the origin of ground
            point[k] = -moment / force[1]
            shares = np.array([self.share[k], 1 - self.share[k]])
            rest = moment - sum(s * (b * force[0] - c * force[1]) for s, b, c in zip(shares, z, x))
            for s, each in zip(shares, J):
                tau = tau - each.T @ np.array([*(s * force), s * rest])
            torques[k] = tau[self.driven]
        return point, torques


@cache
def plan() -> Plan:
    return Plan()


def build() -> hn.Model:
    model = skeleton()
    floor = model.plane(model.ground, (LENGTH / 2, 0, 0), (0, 0, 1), size=1.2)
    for side, y in zip(SIDES, (WIDTH, -WIDTH)):
        sole = model.box(model.parts[f"{side} foot"], (0, y, SOLE[2] / 2), SOLE)
        model.contact(sole, floor, name=side, restitution=0.0, mu=MU)
    for k, name in enumerate(JOINTS):
        joint = model.joints[name]
        angle = model.spline(plan().times, plan().angles[:, k], name=f"{name} angle").id
        torque = model.spline(plan().times, plan().torques[:, k], name=f"{name} torque").id
        i, j = joint.i, joint.j
        function = (
            f"CUBSPL(TIME,0,{torque},0)+{KP}*(CUBSPL(TIME,0,{angle},0)-AZ({i},{j}))"
            f"+{KD}*(CUBSPL(TIME,0,{angle},1)-WZ({i},{j},{j}))"
        )
        model.sforce(i, j, function, f"{name} drive", kind="ROTATIONAL")
    return model


def momentum(run) -> tuple[np.ndarray, np.ndarray]:
    """Linear momentum (rows, 3) and angular momentum about y and the origin of ground (rows,)."""
    linear, angular = 0.0, 0.0
    for e in run.model.parts:
        if e.name != "ground":
            part = run.part(e.name)
            x, v = part.position.values, part.velocity.values
            linear = linear + e.mass * v
            angular = angular + e.mass * np.cross(x, v)[:, 1] + e.inertia[1][1] * part.angular_velocity.values[:, 1]
    return linear, angular


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    model = model or build()
    run = hn.simulate(model, end=END, steps=STEPS, contact="time-stepping", step=STEP)
    if report:
        run.report(report)
    t, masses = run.time, {e.name: e.mass for e in run.model.parts if e.name != "ground"}
    weight = G * sum(masses.values())
    contacts = [run.contact(side) for side in SIDES]
    force = sum(c.force.values for c in contacts)  # means over the time since the row before, as all that follows
    normal = np.array([c.normal.values for c in contacts])[:, 1:]
    pressed = np.array([c.point.values[:, 0] for c in contacts])[:, 1:]
    feet = np.array([run.part(f"{side} foot").position.values for side in SIDES])
    carries = normal > 0.01 * weight
    inside = np.where(carries, SOLE[0] / 2 - np.abs(pressed - feet[:, 1:, 0]), np.inf).min()
    pressure = (normal * pressed).sum(axis=0) / normal.sum(axis=0)
    middle = 0.5 * (t[1:] + t[:-1])
    off = np.abs(pressure - np.interp(middle, plan().times, plan().wanted)).max()
    # what the momentum of the links requires of the ground
    linear, angular = momentum(run)
    gained = np.diff(linear, axis=0) / np.diff(t)[:, None] + [0, 0, weight]
    centre = sum(m * run.part(name).position.values[:, 0] for name, m in masses.items()) * G / weight
    required = (weight * 0.5 * (centre[1:] + centre[:-1]) - np.diff(angular) / np.diff(t)) / gained[:, 2]
    apart = np.abs(required - pressure).max()
    balance = np.abs(gained - force[1:])[:, [0, 2]].max() / weight
    # energy: what the drives put in, by their torques and rates
    power = sum(run.force(f"{n} drive").torque.values[:, 1] * run.joint(n).angular_velocity.values for n in JOINTS)
    work = cumulative_simpson(power, x=t, initial=0.0)
    energy = run.energy
    stored = energy.total.values - energy.total.values[0] + energy.dissipated.values
    lost = np.abs(stored - work).max()
    trunk = run.part("trunk")
    lean = np.degrees(np.abs(trunk.axes.values[:, 0, 2]).max())
    stride = trunk.position.values[-1, 0] - trunk.position.values[0, 0]
    slip = max(np.abs(np.diff(x)[c]).max() for x, c in zip(feet[:, :, 0], carries))
    print(
        f"walking biped: {stride:.4f} m in two steps, leaning by {lean:.3f} degrees at most; the centre of pressure "
        f"stays {1e3 * inside:.0f} mm inside of the soles, {1e3 * off:.2f} mm from the planned moment point and "
        f"{1e3 * apart:.2f} mm from what the momentum requires; forces balance to {balance:.0e} of the weight; drives "
        f"put in up to {work.max():.2f} J, of which {1e3 * lost:.1f} mJ are not found again"
    )
    assert abs(stride - LENGTH) < 1e-4 and lean < 0.05
    assert np.abs(trunk.position.values[:, 2] - trunk.position.values[0, 2]).max() < 1e-3
    assert inside > 0.1 and off < 2e-3 and apart < 5e-4
    assert (feet[:, :, 2].max(axis=1) > 0.95 * LIFT).all() and slip < 1e-5
    assert balance < 1e-10 and lost < 0.01 * work.max()
    return float(stride)


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
