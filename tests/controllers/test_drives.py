"""Sensors and actuators: a DC motor with an elastic shaft, an AC motor, a servo with encoder and backlash, noise."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import holonom as hn
from holonom.model import ModelError
from holonom.model.control import SampleTime

EXACT = {"integrator": "DOP853", "error": 1e-11}
value = lambda found, name: np.asarray(found.variable(name).values)


def shaft(*inertias):
    model = hn.Model("shaft", units="SI")
    model.gravity = (0, 0, 0)
    for k, J in enumerate(inertias):
        disc = model.part(f"disc{k + 1}", mass=1.0, inertia=(1.0, 1.0, J), position=(0, 0, 0.1 * k))
        model.revolute(disc, model.ground, f"axle{k + 1}", at=(0, 0, 0.1 * k), axis=(0, 0, 1))
    return model


def test_dc_motor_with_elastic_shaft():
    J1, J2, k, c, R, L, kt = 0.02, 0.05, 40.0, 0.03, 0.8, 4e-3, 0.06
    model = shaft(J1, J2)
    model.control.dc_motor("motor", "axle1", 12.0, resistance=R, inductance=L, torque_constant=kt)
    model.control.gearbox("coupling", "axle1", "axle2", ratio=1.0, stiffness=k, damping=c)
    found = hn.simulate(model, end=1.0, steps=10, **EXACT)
    A = np.zeros((6, 6))  # current, angles, speeds, and 1
    A[0, [0, 3, 5]] = -R / L, -kt / L, 12.0 / L
    A[1, 3] = A[2, 4] = 1.0
    A[3, :5] = np.array([kt, -k, k, -c, c]) / J1
    A[4, :5] = np.array([0, k, -k, c, -c]) / J2
    exact = np.array([expm(A * t)[:, 5] for t in found.time])
    assert abs(value(found, "motor.current") - exact[:, 0]).max() < 1e-9 * abs(exact[:, 0]).max()
    assert (
        abs(value(found, "coupling.torque") - k * (exact[:, 1] - exact[:, 2]) - c * (exact[:, 3] - exact[:, 4])).max()
        < 1e-9
    )
    assert abs(found.joint("axle2").angle.values - exact[:, 2]).max() < 1e-9
    poles = hn.linearize(model).eigenvalues
    for p in np.linalg.eigvals(A[:5, :5]):
        assert abs(poles - p).min() < 1e-5 * (1 + abs(p))


def test_ac_motor_follows_its_equations():
    R, ld, lq, flux, p, J = 0.4, 2e-3, 3e-3, 0.08, 4, 0.01
    model = shaft(J)
    model.control.ac_motor(
        "motor", "axle1", -1.0, 8.0, resistance=R, inductance_d=ld, inductance_q=lq, flux=flux, pole_pairs=p
    )
    found = hn.simulate(model, end=0.3, steps=6, **EXACT)

    def rate(t, y):
        d, q, w = y
        torque = 1.5 * p * (flux * q + (ld - lq) * d * q)
        return [(-1 - R * d + p * w * lq * q) / ld, (8 - R * q - p * w * (ld * d + flux)) / lq, torque / J]

    exact = solve_ivp(rate, (0, 0.3), [0, 0, 0], "DOP853", found.time, rtol=1e-12, atol=1e-13).y
    assert abs(value(found, "motor.current_d") - exact[0]).max() < 1e-8
    assert abs(value(found, "motor.current_q") - exact[1]).max() < 1e-8


CAGE = {"stator_resistance": 1.2, "rotor_resistance": 1.0, "magnetising": 0.17, "stator_leakage": 6e-3,
        "rotor_leakage": 5e-3, "pole_pairs": 2}  # fmt: skip


def cage_matrix(frequency, speed):
    """Rates of the complex flux linkages of stator and rotor."""
    Lm = CAGE["magnetising"]
    inductance = np.array([[Lm + CAGE["stator_leakage"], Lm], [Lm, Lm + CAGE["rotor_leakage"]]])
    resistance = np.diag([CAGE["stator_resistance"], CAGE["rotor_resistance"]])
    turning = np.diag([frequency, frequency - CAGE["pole_pairs"] * speed])
    return -resistance @ np.linalg.inv(inductance) - 1j * turning, np.linalg.inv(inductance)


def test_induction_motor_at_constant_speed():
    """From no flux: currents and torque against the exponential; in the end the torque of the equivalent circuit."""
    U, w, speed, p = 325.0, 314.0, 145.0, CAGE["pole_pairs"]
    model = shaft(0.05)
    axle = model.find("JOINT", "axle1")
    model.motion(axle, f"{speed}*TIME")
    model.control.induction_motor("motor", "axle1", U, w, **CAGE)
    found = hn.simulate(model, end=0.5, steps=25, **EXACT)
    A, inverse = cage_matrix(w, speed)
    rest = -np.linalg.solve(A, [U, 0])
    flux = np.array([rest - expm(A * t) @ rest for t in found.time])
    current = flux @ inverse.T
    torque = 1.5 * p * (flux[:, 0].conj() * current[:, 0]).imag
    assert abs(value(found, "motor.current_d") - current[:, 0].real).max() < 1e-7
    assert abs(value(found, "motor.current_q") - current[:, 0].imag).max() < 1e-7
    assert abs(value(found, "motor.torque") - torque).max() < 1e-7 * abs(torque).max()
    slip = 1 - p * speed / w  # equivalent circuit of one phase
    rotor = CAGE["rotor_resistance"] / slip + 1j * w * CAGE["rotor_leakage"]
    common = 1j * w * CAGE["magnetising"]
    total = CAGE["stator_resistance"] + 1j * w * CAGE["stator_leakage"] + common * rotor / (common + rotor)
    through = U / total * common / (common + rotor)
    steady = 1.5 * p * abs(through) ** 2 * CAGE["rotor_resistance"] / (slip * w)
    assert value(found, "motor.torque")[-1] == pytest.approx(steady, rel=1e-5)


def test_induction_motor_runs_up():
    """Motor and rotor against an independent integration of the complex equations."""
    J, U, w, p = 0.02, 325.0, 314.0, CAGE["pole_pairs"]
    model = shaft(J)
    model.control.induction_motor("motor", "axle1", U, w, **CAGE)
    found = hn.simulate(model, end=0.1, steps=5, **EXACT)

    def rate(t, y):
        A, inverse = cage_matrix(w, y[2].real)
        torque = 1.5 * p * (y[0].conj() * (inverse[0] @ y[:2])).imag
        return [*(A @ y[:2] + [U, 0]), torque / J]

    exact = solve_ivp(rate, (0, 0.1), np.zeros(3, complex), "DOP853", found.time, rtol=1e-11, atol=1e-11).y
    speeds = np.asarray(found.part("disc1").angular_velocity.values)[:, 2]
    assert abs(speeds - exact[2].real).max() < 1e-6
    with pytest.raises(ModelError, match="rotor_resistance is -1; give a positive number"):
        model.control.induction_motor("m", "axle1", U, w, **{**CAGE, "rotor_resistance": -1})


def test_friction_of_a_gearbox():
    """Teeth apart: J w' = -coulomb - viscous w of the output alone."""
    J, coulomb, viscous, t = 0.05, 0.3, 0.04, 0.4
    model = shaft(1e-3)
    arm = model.part("arm", mass=1.0, inertia=(1.0, 1.0, J), position=(0, 0, 0.1), angular_velocity=(0, 0, 8.0))
    model.revolute(arm, model.ground, "axle2", at=(0, 0, 0.1), axis=(0, 0, 1))
    model.control.gearbox(
        "gears", "axle1", "axle2", ratio=2.0, stiffness=10.0, backlash=50.0, coulomb=coulomb, viscous=viscous
    )
    found = hn.simulate(model, end=t, steps=4, **EXACT)
    rest = coulomb / viscous
    wanted = (8.0 + rest) * np.exp(-viscous * t / J) - rest
    assert found.part("arm").angular_velocity.values[-1, 2] == pytest.approx(wanted, rel=1e-6)
    assert value(found, "gears.friction")[0] == pytest.approx(coulomb + viscous * 8.0) and wanted > 1.0


def test_servo_with_encoder_and_backlash():
    """A sampled PID turns an arm over gears with backlash, seen through an encoder; between samples and contacts the
    machine is linear, so that the reference is exact."""
    J1, J2, n, k, c, gap, T, counts = 1e-3, 0.05, 5.0, 400.0, 0.8, 0.02, 0.01, 2000
    model = shaft(J1, J2)
    ctl = model.control
    ctl.gearbox("gears", "axle1", "axle2", ratio=n, stiffness=k, damping=c, backlash=gap, viscous=0.02)
    ctl.encoder("seen", "axle1", counts=counts, sample_time=T)
    ctl.pid(
        "servo",
        reference=2.0,
        measurement="seen",
        kp=0.3,
        ki=0.5,
        kd=0.02,
        filter=0.0,
        lower=-0.4,
        upper=0.4,
        sample_time=T,
    )
    axle = model.find("JOINT", "axle1")
    model.sforce(axle.i, axle.j, "VARVAL(servo)", kind="ROTATIONAL")
    found = hn.simulate(model, end=0.5, steps=50, **EXACT)

    def rate(t, y, u, side):
        a, b, w, v = y
        d = a / n - b - side * gap / 2
        torque = k * d + c * (w / n - v) if side else 0.0
        return [w, v, (u - torque / n) / J1, (torque - 0.02 * v) / J2]

    def touching(y, s):
        """Positive where the teeth of a side overlap and push."""
        d = s * (y[0] / n - y[1]) - gap / 2
        return min(d, k * d + s * c * (y[2] / n - y[3]))

    rows, y, t = [], np.zeros(4), 0.0
    integral = last = part = 0.0
    side = contacts = 0  # the teeth that touch and push
    step = 2 * np.pi / counts
    for sample in range(50):
        rows.append(y[1])
        seen = step * np.floor(y[0] / step + 0.5)
        e, d = 2.0 - seen, 2.0 - seen
        integral += 0.5 * T * e
        part = 0.02 * (d - last) / T
        v = 0.3 * e + integral + part
        u = min(max(v, -0.4), 0.4)
        integral += T / np.sqrt(0.3 / 0.5 * 0.02 / 0.3) * (u - v)
        last = d
        end = (sample + 1) * T
        while t < end:
            sides = (side,) if side else (1, -1)
            events = [lambda t, y, u, side, s=s: touching(y, s) for s in sides]
            for event in events:
                event.terminal, event.direction = True, -1 if side else 1
            go = solve_ivp(rate, (t, end), y, "DOP853", args=(u, side), rtol=1e-12, atol=1e-14, events=events)
            t, y = go.t[-1], go.y[:, -1]
            if go.status == 1:
                side = 0 if side else 1 if len(go.t_events[0]) else -1
                contacts += 1
    rows.append(y[1])
    error = abs(found.joint("axle2").angle.values - rows).max()
    assert error < 1e-9 and contacts > 4, (error, contacts)


def test_sensors_measure_with_the_noise_that_is_given():
    model = hn.Model("drone", units="SI")
    model.gravity = (0, 0, -9.81)
    body = model.part("body", mass=2.0, inertia=(0.1, 0.2, 0.3), position=(0, 0, 1), angular_velocity=(0, 0, 1.5))
    base = model.marker(model.ground, (0, 0, 0))
    spring = model.vforce(body.cm, None, fx="2", fz="2*9.81 + 3*SIN(TIME)", name="lift")
    c = model.control
    timing = SampleTime(0.001, seed=11)
    c.imu(
        "imu", body.cm, acceleration_noise=0.02, rate_noise=(0.0, 0.0, 0.01), acceleration_bias=0.1, sample_time=timing
    )
    c.distance_sensor("height", body.cm, base, resolution=0.01, upper=1.2)
    c.force_sensor("lift_force", spring, "z")
    c.sensor("walk", 0.0, walk=0.5, sample_time=timing)
    found = hn.simulate(model, end=2.0, steps=2000, integrator="RK4", step=0.001)
    t = np.asarray(found.time)[1:] - 0.001
    a = np.array([value(found, f"imu.a{axis}")[1:] for axis in "xyz"]) - 0.1
    w = value(found, "imu.wz")[1:]
    assert abs(a[2] - 9.81 - 1.5 * np.sin(t)).std() < 0.03 and abs((a[2] - 9.81 - 1.5 * np.sin(t)).std() - 0.02) < 2e-3
    assert abs((a[0] - np.cos(1.5 * t)).std() - 0.02) < 2e-3 and abs((a[1] + np.sin(1.5 * t)).std() - 0.02) < 2e-3
    assert abs(w.mean() - 1.5) < 1e-3 and abs(w.std() - 0.01) < 1e-3
    steps = np.diff(value(found, "walk")[1:])
    assert abs(steps.std() - 0.5 * np.sqrt(0.001)) < 1e-3 and abs(steps.mean()) < 2e-3
    z = np.asarray(found.part("body").position.values)
    r = np.minimum(np.linalg.norm(z, axis=1), 1.2)
    assert abs(value(found, "height") - r).max() < 0.005 + 1e-9
    assert abs(value(found, "lift_force") - 2 * 9.81 - 3 * np.sin(np.asarray(found.time))).max() < 1e-9
    again = hn.simulate(model.copy(), end=0.1, steps=100, integrator="RK4", step=0.001)
    assert np.array_equal(value(again, "imu.ax"), value(found, "imu.ax")[:101])


@pytest.mark.parametrize(
    "build, text",
    [
        (lambda c: c.encoder("e", "axle1", counts=0), "counts is 0"),
        (lambda c: c.encoder("e", counts=100), "give a joint"),
        (lambda c: c.sensor("s", 1, noise=-1.0, sample_time=0.1), "noise is -1"),
        (lambda c: c.sensor("s", 1, noise=1.0), "give it a sample_time"),
        (lambda c: c.dc_motor("m", "axle1", 1, resistance=0, torque_constant=1), "resistance is 0"),
        (lambda c: c.gearbox("g", "axle1", "axle1", ratio=0, stiffness=1), "ratio is 0"),
        (lambda c: c.force_sensor("f", "disc1"), "gives no force"),
        (lambda c: c.force_sensor("f", "axle1", "q"), "component is 'q'"),
    ],
)
def test_mistakes(build, text):
    with pytest.raises(ModelError, match=text):
        build(shaft(1.0).control)
