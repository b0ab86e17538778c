"""Four-bar linkage whose coupler bends: one line makes a part flexible, one argument chooses how it is computed.

The linkage of `four_bar.py`, driven at 600 revolutions a minute after a smooth start, with a steel flat for a coupler.
The middle of the coupler leaves the line between its pins by a millimetre, and whips at the frequency of the bar.

Checked against an integration by SciPy that shares nothing with Holonom: between pins that move as those of the rigid
linkage the deflection w(x, t) obeys

    rho A (w'' + a_n(x, t) - theta'^2 w) + E I w_xxxx - (N(x, t) w_x)_x = 0,      w = sum_k q_k sin(k pi x / L)

with a_n the acceleration of the line across itself and N the axial force of the rigid coupler, from the inertia of
coupler and rocker.
"""

import sys

import numpy as np
from scipy.integrate import solve_ivp

import holonom as hn
from holonom.model import drawing

GROUND, CRANK, COUPLER, ROCKER = 0.40, 0.12, 0.38, 0.26  # lengths [m]
WIDTH, THICK, YOUNG, DENSITY = 0.025, 0.006, 2.1e11, 7850.0  # of the coupler, steel
SPEED, RAMP = 20 * np.pi, 0.05  # [rad/s], reached after [s]
END, STEPS = 0.1, 100


def pins():
    """Places of the crank pin and of the rocker pin at crank angle 0."""
    reach = GROUND - CRANK
    x = (COUPLER**2 - ROCKER**2 + reach**2) / (2 * reach)
    return np.array([CRANK, 0, 0]), np.array([CRANK + x, np.sqrt(COUPLER**2 - x**2), 0])


def build(formulation: str | None = "floating") -> hn.Model:
    model = hn.Model("flexible_four_bar", units="SI")
    model.gravity = (0.0, 0.0, 0.0)
    ground = model.ground
    z, d = np.array([0, 0, 1]), np.array([GROUND, 0, 0])
    b, c = pins()

    def link(name, p, q, mass, width=0.03, depth=0.012):
        length = np.linalg.norm(q - p)
        axes = np.column_stack([(q - p) / length, np.cross(z, (q - p) / length), z])
        part = model.part(name, mass, (1e-4, mass * length**2 / 12, mass * length**2 / 12), (p + q) / 2, axes=axes)
        if name != "coupler":
            drawing.beam(model, part, p, q, depth, width)
        for end in (p, q):
            drawing.pin(model, part, end, z, 0.02, 0.02)
        return part

    mass = DENSITY * WIDTH * THICK * COUPLER
    crank, coupler, rocker = link("crank", 0 * b, b, 0.8), link("coupler", b, c, mass), link("rocker", d, c, 1.5)
    drawing.beam(model, coupler, b, c, WIDTH, THICK)
    drive = model.revolute(crank, ground, "crank bearing", at=0 * b, axis=z)
    model.revolute(coupler, crank, "crank pin", at=b, axis=z)
    model.revolute(coupler, rocker, "rocker pin", at=c, axis=z)
    model.revolute(rocker, ground, "rocker bearing", at=d, axis=z)
    after = f"{SPEED!r}*(TIME-{RAMP / 2!r})"
    x = f"(TIME/{RAMP!r})"
    model.motion(drive, f"IF(TIME-{RAMP!r}: {SPEED * RAMP!r}*(2.5*{x}**4-3*{x}**5+{x}**6), {after}, {after})", "drive")
    for at in (0 * b, d):
        drawing.rod(model, ground, at - [0, 0.09, 0], at, 0.05, 0.02)
    drawing.block(model, ground, (GROUND / 2, -0.1, 0), (GROUND + 0.14, 0.02, 0.12))
    if formulation is not None:
        steel = hn.flexible.beam(
            b,
            c,
            hn.flexible.Section.rectangle(THICK, WIDTH),
            E=YOUNG,
            density=DENSITY,
            elements=12,
            y=np.cross(z, c - b),
        )
        model.make_flexible(
            coupler, steel, modes=8, formulation=formulation
        )  # the one line that a rigid machine does not have
    for name, at in (("crank end", b), ("middle", (b + c) / 2), ("rocker end", c)):
        model.marker_at(coupler, at, name=name)
    drawing.ball(model, coupler, (b + c) / 2, 0.012)
    return model


def deflection(run: hn.Run) -> np.ndarray:
    """(times,) of the middle of the coupler, from the line between its pins."""
    a, m, e = (run.marker(name).position.values[:, :2] for name in ("crank end", "middle", "rocker end"))
    line = (e - a) / np.linalg.norm(e - a, axis=1, keepdims=True)
    return line[:, 0] * (m - a)[:, 1] - line[:, 1] * (m - a)[:, 0]


def rigid_motion(t):
    """At times t: angle, velocity and acceleration of the coupler, acceleration of the crank pin (2,), acceleration of
    the rocker."""
    x = np.minimum(t / RAMP, 1.0)
    angle = np.where(t < RAMP, SPEED * RAMP * (2.5 * x**4 - 3 * x**5 + x**6), SPEED * (t - RAMP / 2))
    speed = SPEED * (10 * x**3 - 15 * x**4 + 6 * x**5)
    rate = SPEED / RAMP * (30 * x**2 - 60 * x**3 + 30 * x**4)
    u = lambda a: np.array([np.cos(a), np.sin(a)])
    n = lambda a: np.array([-np.sin(a), np.cos(a)])
    way = np.array([GROUND, 0.0])[:, None] - CRANK * u(angle)  # from the crank pin to the bearing of the rocker
    far = np.linalg.norm(way, axis=0)
    theta = np.arctan2(way[1], way[0]) + np.arccos((COUPLER**2 + far**2 - ROCKER**2) / (2 * COUPLER * far))
    to = COUPLER * u(theta) - way  # along the rocker
    beta = np.arctan2(to[1], to[0])
    # CRANK u(angle) + COUPLER u(theta) = GROUND + ROCKER u(beta), once and twice derived
    det = COUPLER * ROCKER * np.sin(theta - beta)

    def solve(r):  # COUPLER n(theta) p - ROCKER n(beta) q = r
        return (ROCKER * (r * u(beta)).sum(0)) / -det, (COUPLER * (r * u(theta)).sum(0)) / -det

    w, v = solve(-CRANK * n(angle) * speed)
    pin = CRANK * (n(angle) * rate - u(angle) * speed**2)
    alpha, gamma = solve(-pin + COUPLER * u(theta) * w**2 - ROCKER * u(beta) * v**2)
    return theta, w, alpha, pin, beta, gamma


def independent(times, modes=5):
    """Deflection of the middle at ``times`` by the equation at the head of this file."""
    A, I, L = WIDTH * THICK, WIDTH * THICK**3 / 12, COUPLER
    m, J = (
        DENSITY * A * L,
        1.5 * ROCKER**2 / 12 + 1.5 * (ROCKER / 2) ** 2,
    )  # of the coupler; of the rocker about its bearing
    k = np.arange(1, modes + 1) * np.pi / L
    s, weight = np.polynomial.legendre.leggauss(24)
    s, weight = 0.5 * L * (s + 1), 0.5 * L * weight
    shape, slope = np.sin(k[:, None] * s), k[:, None] * np.cos(k[:, None] * s)
    odd = (shape * weight).sum(1), (shape * s * weight).sum(1)

    def terms(t):
        theta, w, alpha, pin, beta, gamma = (v[..., 0] for v in rigid_motion(np.array([t])))
        e, n = np.array([np.cos(theta), np.sin(theta)]), np.array([-np.sin(theta), np.cos(theta)])
        arm = ROCKER * np.array([np.cos(beta), np.sin(beta)])
        # force F of the rocker on the coupler: of the coupler about the crank pin, of the rocker about its bearing
        centre = pin + 0.5 * L * (alpha * n - w**2 * e)
        moment = m * L**2 / 12 * alpha + 0.5 * L * m * n @ centre
        across = moment / L
        along = (-J * gamma - across * (arm[0] * n[1] - arm[1] * n[0])) / (arm[0] * e[1] - arm[1] * e[0])
        # axial force: what the end pulls, and the inertia of what lies between
        N = along - DENSITY * A * ((pin @ e) * (L - s) - 0.5 * w**2 * (L**2 - s**2))
        load = -DENSITY * A * ((pin @ n) * odd[0] + alpha * odd[1])
        K = np.diag(YOUNG * I * k**4 * L / 2 - DENSITY * A * w**2 * L / 2) + (slope * N * weight) @ slope.T
        return K, load

    def rate(t, y):
        K, load = terms(t)
        return np.concatenate([y[modes:], (load - K @ y[:modes]) / (DENSITY * A * L / 2)])

    found = solve_ivp(rate, (0, times[-1]), np.zeros(2 * modes), "DOP853", times, rtol=1e-6, atol=1e-10)
    return np.sin(k * L / 2) @ found.y[:modes]


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS, integrator="RADAU5", error=1e-6)
    if report:
        run.report(report)
    w, exact = deflection(run), independent(np.asarray(run.time))
    ked = hn.simulate(build("KED"), end=END, steps=STEPS)
    largest, off = np.abs(exact).max(), np.abs(w - exact).max()
    off_ked = np.abs(deflection(ked) - w).max() / largest
    print(
        f"flexible four-bar: the coupler deflects by {1e3 * np.abs(w).max():.4f} mm (SciPy {1e3 * largest:.4f}), "
        f"within "
        f"{off / largest:.1e}"
    )
    print(
        f"flexible four-bar: KED differs by {100 * off_ked:.2f} % from the floating frame and says "
        f"{100 * ked.info['KED']['indicator']:.2f} %"
    )
    assert off < 2e-3 * largest
    assert 0.5 * off_ked < ked.info["KED"]["indicator"] < 2 * off_ked < 0.2
    return float(np.abs(w).max())


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
