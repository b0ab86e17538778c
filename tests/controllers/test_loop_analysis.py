"""Loops of linearised machines: margins, connections, discretisation and responses against closed forms and SciPy."""

import math

import numpy as np
import pytest
from scipy import signal
from scipy.linalg import expm

import holonom as hn
from holonom.model import ModelError
from holonom.model.control import SampleTime

TF = hn.StateSpace.from_transfer_function


def test_margins_of_closed_form():
    cubic = TF([1], [1, 3, 3, 1]).margins()  # 1/(s + 1)^3
    assert abs(cubic.gain - 8.0) < 1e-9 and abs(cubic.gain_frequency - math.sqrt(3) / (2 * math.pi)) < 1e-9
    k = 10.0  # k/(s (s + 1)): |L| = 1 at w^2 = (sqrt(1 + 4 k^2) - 1)/2
    loop = TF([k], [1, 1, 0]).margins()
    w = math.sqrt((math.sqrt(1 + 4 * k * k) - 1) / 2)
    phase = 90.0 - math.degrees(math.atan(w))
    assert abs(loop.phase - phase) < 1e-9 and abs(loop.phase_frequency - w / (2 * math.pi)) < 1e-9
    assert abs(loop.delay - math.radians(phase) / w) < 1e-9 and loop.gain == math.inf
    grid = np.geomspace(0.01, 100, 400001)
    assert abs(loop.modulus - np.abs(1 + k / (1j * grid * (1j * grid + 1))).min()) < 1e-8
    # sampled: k/(z - 1) with period T turns at the Nyquist frequency; unstable from k = 2
    assert abs(TF([0.4], [1, -1], dt=0.1).margins().gain - 5.0) < 1e-9
    need = TF([0, 4.0], [1, -1]).margins()  # 4/(s - 1) needs a gain above 1/4
    assert need.phase > 0.0
    with pytest.raises(ModelError, match="select one of each"):
        hn.StateSpace(-np.eye(2), np.eye(2), np.eye(2), np.zeros((2, 2))).margins()


def test_connections_are_those_of_transfer_functions():
    G, H = TF([1, 3], [1, 2, 5]), TF([2, 1], [1, 4])
    s = 1j * np.array([0.3, 1.0, 7.0]) + 0.2
    g, h = (m.response(s)[:, 0, 0] for m in (G, H))
    assert abs((H * G).response(s)[:, 0, 0] - g * h).max() < 1e-12
    assert abs((G + H).response(s)[:, 0, 0] - g - h).max() < 1e-12
    assert abs(G.feedback(H).response(s)[:, 0, 0] - g / (1 + g * h)).max() < 1e-12
    assert abs(G.feedback(sign=1.0).response(s)[:, 0, 0] - g / (1 - g)).max() < 1e-12
    with pytest.raises(ModelError, match="direct gain is 1"):
        TF([1, 0], [1, 1]).feedback(sign=1.0)
    with pytest.raises(ModelError, match="continuous and one that is sampled with 0.1|discretise one"):
        G * TF([1], [1, -0.5], dt=0.1)


@pytest.mark.parametrize("method, name", [("zoh", "zoh"), ("tustin", "bilinear")])
def test_discretisation(method, name):
    G = TF([1, 3], [1, 2, 5])
    sampled = G.discretize(0.1, method)
    z = np.exp(2j * np.pi * np.array([0.2, 1.0, 4.0]) * 0.1)
    num, den, _ = signal.cont2discrete(([1, 3], [1, 2, 5]), 0.1, method=name)
    exact = np.polyval(np.ravel(num), z) / np.polyval(den, z)
    assert abs(sampled.frequency_response([0.2, 1.0, 4.0])[:, 0, 0] - exact).max() < 1e-12
    warped = G.discretize(0.1, "tustin", prewarp=2 * np.pi * 3.0).frequency_response([3.0])
    assert abs(warped - G.frequency_response([3.0])).max() < 1e-12
    t = np.linspace(0, 3, 31)
    assert abs(G.step_response(t)[:, 0] - signal.step(([1, 3], [1, 2, 5]), T=t)[1]).max() < 1e-9
    exact = signal.dstep((num, den, 0.1), t=t)[1][0][:, 0]
    assert abs(sampled.step_response(t)[:, 0] - exact[:31]).max() < 1e-12


def test_step_figures_of_second_order():
    z, w = 0.3, 4.0
    found = TF([w * w], [1, 2 * z * w, w * w]).step_figures()
    damped = w * math.sqrt(1 - z * z)
    assert abs(found.overshoot - math.exp(-math.pi * z / math.sqrt(1 - z * z))) < 1e-5
    assert abs(found.peak_time - math.pi / damped) < 5e-3 and abs(found.final - 1.0) < 1e-12
    with pytest.raises(ModelError, match="not stable"):
        TF([1], [1, -1]).step_figures()


def test_root_locus_follows_the_poles():
    gains = np.linspace(0.0, 3.0, 40)
    rows = TF([1, 2], [1, 1, 0, 0]).gain_locus(gains)
    for k, row in zip(gains, rows):
        assert abs(np.sort_complex(row) - np.sort_complex(np.roots([1, 1, k, 2 * k]))).max() < 1e-7
    assert abs(np.diff(rows, axis=0)).max() < 0.5


@pytest.mark.parametrize("delay", [0.0, 0.013])
def test_sampled_loop_of_a_machine_is_that_of_theory(delay):
    T, kp, ki, kd, tf, mass = 0.05, 10.0, 2.0, 8.0, 0.05, 2.0
    model = hn.Model("servo", units="SI")
    model.gravity = (0, 0, 0)
    block = model.part("block", mass=mass, inertia=(1, 1, 1))
    model.translational(block, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    c = model.control
    c.function("x", f"DX({block.cm})")
    timing = SampleTime(T, delay=delay)
    if delay:
        c.function("error", "-x")
    else:  # acts at the same sample, before the controller
        c.sum("error", 0.0, "x", weights="+-", sample_time=T)
    c.pid("servo", "error", kp=kp, ki=ki, kd=kd, filter=tf, sample_time=timing)
    model.vforce(block.cm, None, fx="VARVAL(servo)")
    loop = hn.sampled_loop(model, open_at="servo")

    def step(h):
        both = expm(np.array([[0, 1, 0], [0, 0, 1 / mass], [0, 0, 0]]) * h)
        return both[:2, :2], both[:2, 2:]

    for f in (0.3, 0.7, 3.0):
        z = np.exp(2j * np.pi * f * T)
        controller = kp + ki * T * z / (z - 1) + kd * (z - 1) / ((tf + T) * z - tf)
        push = step(T - delay)[1] + step(T - delay)[0] @ step(delay)[1] / z
        plant = np.linalg.solve(z * np.eye(2) - step(T)[0], push)[0, 0]
        assert abs(loop.frequency_response([f])[0, 0, 0] / (controller * plant) - 1) < 1e-9
    closed = hn.sampled_loop(model, outputs="x")
    assert abs(np.sort_complex(closed.poles) - np.sort_complex(loop.feedback().poles)).max() < 1e-7
    assert loop.margins().gain > 1.0
    other = model.copy()
    other.control.gain("late", "x", gain=1.0, sample_time=0.1)
    with pytest.raises(ModelError, match="equal timing"):
        hn.sampled_loop(other)


def test_files_of_matrices(tmp_path):
    G = TF([1, 3], [1, 2, 5], name="y").discretize(0.1)
    for name in ("a.mat", "a.npz"):
        G.save(tmp_path / name)
        back = hn.StateSpace.load(tmp_path / name)
        assert all(np.array_equal(getattr(G, k), getattr(back, k)) for k in "ABCD")
        assert (back.inputs, back.outputs, back.dt) == (G.inputs, G.outputs, 0.1)
    (tmp_path / "b.mat").write_bytes(b"nonsense" * 40)
    np.savez(tmp_path / "c.npz", A=np.eye(2), B=np.ones((2, 1)))
    np.savez(tmp_path / "d.npz", A=np.eye(2), B=np.ones((3, 1)), C=np.ones((1, 2)), D=[[0.0]])
    np.savez(tmp_path / "e.npz", A=np.array(["x"]), B=[[1.0]], C=[[1.0]], D=[[0.0]])
    for name, text in (
        ("b.mat", "cannot read state matrices"),
        ("c.npz", "has no matrix C, D"),
        ("d.npz", "do not fit together"),
        ("e.npz", "A of .* is not a matrix of real numbers"),
        ("f.txt", "unknown format"),
        ("g.mat", "cannot read state matrices"),
    ):
        with pytest.raises(ModelError, match=text):
            hn.StateSpace.load(tmp_path / name)


def test_python_control_both_ways():
    control = pytest.importorskip("control", reason="needs the extra control")
    G = TF([1, 3], [1, 2, 5], name="y").discretize(0.1)
    back = hn.StateSpace.from_control(G.to_control())
    assert np.array_equal(back.A, G.A) and back.dt == 0.1 and back.outputs == ["y"]
    assert abs(hn.StateSpace.from_control(control.tf([1], [1, 1])).poles + 1.0).max() < 1e-12


def test_diagrams_are_drawn():
    pytest.importorskip("matplotlib")
    loop = TF([10], [1, 1, 0])
    figures = [loop.plot_bode(), loop.plot_nyquist(), loop.plot_nichols(), loop.plot_root_locus(np.linspace(0, 2, 30))]
    figures.append(loop.feedback().plot_step(np.linspace(0, 5, 100)))
    assert all(len(f.axes) in (1, 2) for f in figures)
