"""State matrices, frequency domain, root locus, files, scripts and the command line of linear analyses."""

import numpy as np
import pytest
from _bicycle import bicycle, published
from scipy import signal
from test_linear import pencil, same, sliders, values

import holonom as hn
from holonom.formats import parse_acf
from holonom.results.state_space import StateSpace

M, C, K = 2.0, 0.6, 50.0


def driven(n=1):
    """Masses on springs; input: a force on the first, outputs: place of the last and force of the first spring."""
    model = sliders(n, K, C, M)
    last = list(model.parts.values())[-1].cm
    push = model.variable("0", name="push")
    model.vforce(model.parts[2].cm, None, fx=f"VARVAL({push.id})", name="pusher")
    model.variable(f"DX({last})-{n}", name="place")
    model.variable(f"ACCX({last})", name="felt")
    return model


def test_one_mass_is_its_transfer_function():
    found = hn.linearize(driven(), inputs="push", outputs=["place", "felt"])
    s = found.state_space()
    assert (s.inputs, s.outputs) == (["push"], ["place", "felt"])
    assert s.states == ["mass1.x", "d(mass1.x)/dt"]
    assert s.A == pytest.approx(np.array([[0, 1], [-K / M, -C / M]]), rel=1e-9, abs=1e-9)
    assert s.B == pytest.approx(np.array([[0], [1 / M]]), rel=1e-9, abs=1e-12)
    assert s.C == pytest.approx(np.array([[1, 0], [-K / M, -C / M]]), rel=1e-8, abs=1e-9)
    assert s.D == pytest.approx(np.array([[0], [1 / M]]), rel=1e-9, abs=1e-12)
    f = np.geomspace(0.05, 20, 40)
    w = 2j * np.pi * f
    assert s.frequency_response(f)[:, 0, 0] == pytest.approx(1 / (M * w**2 + C * w + K), rel=1e-8)
    num, den = s.transfer_function("place", "push")
    assert num == pytest.approx([1 / M], rel=1e-8) and den == pytest.approx([1, C / M, K / M], rel=1e-9)
    num, den = s.transfer_function("felt")
    assert num == pytest.approx([1 / M, 0, 0], rel=1e-8, abs=1e-6)
    assert found.mkb()["F"] == pytest.approx(np.array([[1.0]]))


def test_a_model_says_its_inputs_and_outputs():
    model = driven()
    model.add(hn.model.states.PInput(variables=(1,)))
    model.add(hn.model.states.POutput(variables=(2, 3)))
    found = hn.linearize(model)
    assert (found.inputs, found.outputs) == (["push"], ["place", "felt"])
    part = found.state_space(outputs="felt")
    assert part.outputs == ["felt"] and part.C.shape == (1, 2)
    with pytest.raises(hn.ModelError, match="there is no output 'flet'; choose one of place, felt"):
        found.state_space(outputs="flet")
    named = hn.linearize(model, outputs=f"3*VX({model.parts[2].cm})")
    assert named.state_space().C == pytest.approx(np.array([[0, 3.0]]), abs=1e-9)


def test_step_against_the_nonlinear_model():
    """A small step of torque on a hanging double pendulum: scipy's answer of (A, B, C, D) against the integrated
    model."""
    model = hn.Model("hanging")
    model.gravity = (0.0, -9.81, 0.0)
    before = model.ground
    for k in range(2):
        part = model.part(f"rod{k + 1}", 1.0, (0.1, 0.1, 0.1), (0, -0.5 - k, 0))
        joint = model.revolute(part, before, at=(0, -float(k), 0), axis=(0, 0, 1))
        model.torsion_spring(joint.i, joint.j, damping=0.3)
        before = part
    torque = model.variable("0", name="torque")
    model.vtorque(model.parts[2].cm, None, tz=f"VARVAL({torque.id})")
    model.variable(f"DX({model.parts[3].cm})", name="place")
    linear = hn.linearize(model, inputs="torque", outputs="place").state_space()
    t, y = signal.step(linear.to_scipy(), T=np.linspace(0, 6, 61))
    step = 1e-4
    model.table("VARIABLE")[1].function = f"{step}"
    model.integrator.error = 1e-11
    run = hn.simulate(model, end=6.0, steps=60)
    assert run.variable("place").values == pytest.approx(step * y, abs=1e-6 * step * np.abs(y).max())
    assert np.abs(y).max() > 0.05


def test_closed_loops_stay_closed():
    """The input is added to a variable that the model computes: feedback k_p x stays in A, the input shifts its set
    point."""
    model = driven()
    model.table("VARIABLE")[1].function = f"-8*(DX({model.parts[2].cm})-1)"
    s = hn.linearize(model, inputs="push", outputs="place").state_space()
    assert s.A[1] == pytest.approx([-(K + 8) / M, -C / M], rel=1e-8) and s.B[1, 0] == pytest.approx(1 / M)


def test_named_coordinates():
    """PSTATE: the stretch of the second spring and the place of the first mass as coordinates."""
    model = sliders(2, K, C, M)
    a, b = (p.cm for p in list(model.parts.values())[1:])
    stretch = model.variable(f"DX({b})-DX({a})", name="stretch")
    found = hn.linearize(model, states=[stretch])
    assert found.states[0] == "stretch" and len(found.states) == 4
    same(np.linalg.eigvals(found.state_space().A), values(found))
    T = np.array([[-1.0, 1.0], [1.0, 0.0] if found.states[1] == "mass1.x" else [0.0, 1.0]])
    stiff = np.linalg.inv(T).T @ np.array([[2 * K, -K], [-K, K]]) @ np.linalg.inv(T)
    assert found.mkb()["K"] == pytest.approx(stiff, rel=1e-8, abs=1e-7)


def test_zeros_noise_and_white_noise():
    """Two masses, force on the first, place of the first: the zeros are those of the second alone."""
    model = sliders(2, K, C, M)
    push = model.variable("0", name="push")
    model.vforce(model.parts[2].cm, None, fx=f"VARVAL({push.id})")
    s = hn.linearize(model, inputs="push", outputs=f"DX({model.parts[2].cm})-1").state_space()
    same(s.zeros, np.roots([M, C, K]), rel=1e-7)
    same(s.poles, pencil(M * np.eye(2), [[2 * C, -C], [-C, C]], [[2 * K, -K], [-K, K]]))
    num, den = s.transfer_function()
    assert num == pytest.approx(np.array([1, C / M, K / M]) / M, rel=1e-6)
    one = hn.linearize(driven(), inputs="push", outputs="place").state_space()
    f = np.linspace(0, 400, 400_001)
    S0 = 3.0  # one-sided: the variance of the oscillator is S0 / (4 c k)
    exact = np.sqrt(S0 / (4 * C * K))
    assert one.white_noise_rms(S0) == pytest.approx([exact], rel=1e-9)
    assert one.rms(f, S0) == pytest.approx([exact], rel=1e-6)
    assert one.psd(f[:5], np.full((5, 1, 1), S0))[:, 0] == pytest.approx(
        S0 * np.abs(one.frequency_response(f[:5])[:, 0, 0]) ** 2
    )
    with pytest.raises(hn.ModelError, match="not stable"):
        StateSpace([[1.0]], [[1.0]], [[1.0]], [[0.0]]).white_noise_rms()


def test_zeros_of_random_systems():
    """Against a system built with known zeros."""
    zeros = np.array([-1.0, 2.0, -0.5 + 3j, -0.5 - 3j])
    A, B, C_, D = signal.zpk2ss(zeros, [-1.1, -2.2, -3.3, -4.4, -5.5, -6.6], 4.0)
    same(StateSpace(A, B, C_, D).zeros, zeros, rel=1e-7)
    A, B, C_, D = signal.zpk2ss(zeros, [-1.1, -2.2, -3.3, -4.4], 4.0)
    same(StateSpace(A, B, C_, D).zeros, zeros, rel=1e-7)
    assert len(StateSpace(np.diag([-1.0, -2.0]), [[1.0], [0.0]], [[0.0, 1.0]], [[0.0]]).zeros) == 0


def test_files(tmp_path):
    from scipy.io import loadmat

    found = hn.linearize(driven(2), inputs="push", outputs=["place", "felt"])
    s = found.state_space()
    (npz,), (mat,) = s.save(tmp_path / "m.npz"), s.save(tmp_path / "m.mat")
    with np.load(npz) as data:
        assert np.array_equal(data["A"], s.A) and list(data["outputs"]) == s.outputs
    assert np.array_equal(loadmat(mat)["C"], s.C)
    files = s.save(tmp_path / "sys", "MATLAB")
    assert [f.name for f in files] == ["sysa", "sysb", "sysc", "sysd", "sysst"]
    assert np.loadtxt(files[0]) == pytest.approx(s.A, rel=1e-15)
    (text,) = s.save(tmp_path / "sys.mx", "MATRIXX")
    lines = text.read_text().splitlines()
    assert lines[0].startswith("A             4    4    0(1P3E25.17)")
    assert np.array([float(v) for line in lines[1:7] for v in line.split()]).reshape(4, 4).T == pytest.approx(
        s.A, rel=1e-15
    )
    with pytest.raises(hn.ModelError, match="choose npz, mat, MATLAB or MATRIXX"):
        s.save(tmp_path / "m.xlsx")
    back = hn.Linear.load(found.save(tmp_path / "l.h5"))
    assert np.array_equal(back.A, found.A) and back.text() == found.text() and back.outputs == found.outputs
    assert back.energy_text(1) == found.energy_text(1) and np.array_equal(back.state_space().B, s.B)
    (tmp_path / "bad.h5").write_bytes(b"no")
    with pytest.raises(hn.ModelError, match="is not the result of a linear analysis"):
        hn.Linear.load(tmp_path / "bad.h5")
    table = found.to_csv(tmp_path / "t.csv").read_text().splitlines()
    assert table[0].startswith("mode,undamped_frequency,damping_ratio") and len(table) == 3


def test_python_control():
    control = pytest.importorskip("control")
    s = hn.linearize(driven(2), inputs="push", outputs="place").state_space()
    same(control.poles(s.to_control()), s.poles, rel=1e-8)


def test_without_python_control(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "control", None)
    with pytest.raises(hn.ModelError, match="python-control is not installed; run: pip install control"):
        hn.linearize(driven(), inputs="push", outputs="place").state_space().to_control()


# ---- root locus ------------------------------------------------------------------------------------------------------
def test_root_locus_of_the_bicycle():
    """Eigenvalues followed from 3.5 to 7 m/s; weave and capsize speeds as published."""
    speeds = np.linspace(3.5, 7.0, 36)
    locus = hn.root_locus(bicycle, None, speeds)
    assert locus.eigenvalues.shape == (36, 4)
    for speed, row in zip(speeds, locus.eigenvalues):
        same(row, published(speed), rel=1e-8)
    jump = np.abs(np.diff(locus.eigenvalues, axis=0)).max(axis=0)
    assert np.all(jump < 0.35)  # each column is one smooth branch
    (weave, root), (capsize, real) = locus.crossings()
    assert weave == pytest.approx(4.29238253634111, abs=1e-3) and root.imag > 3
    assert capsize == pytest.approx(6.02426201538837, abs=1e-3) and real.imag == 0


def test_root_locus_through_a_crossing(tmp_path):
    """Two uncoupled oscillators whose frequencies cross: the columns keep to their masses, and the model is not
    touched."""
    model = hn.Model("two")
    for i, k in enumerate((4.0, 9.0)):
        part = model.part(f"m{i}", 1.0, (1.0, 1.0, 1.0), (0, float(i), 0))
        model.translational(part, model.ground, at=(0, float(i), 0), axis=(1, 0, 0))
        model.bushing(part.cm, model.marker_at(model.ground, (0, float(i), 0)), stiffness=(k, 0, 0))
    before = model.to_dict()

    def change(machine, stiffness):
        bushing = machine.table("BUSHING")[1]
        bushing.k = (stiffness, 0.0, 0.0)

    grid = np.linspace(4.0, 16.0, 13)
    locus = hn.root_locus(model, change, grid)
    assert model.to_dict() == before
    up = locus.eigenvalues[:, locus.eigenvalues[0].imag > 0]
    assert sorted(up[0].imag) == pytest.approx([2, 3])
    slow = int(np.argmin(up[0].imag))
    assert up[:, slow] == pytest.approx(1j * np.sqrt(grid)) and up[:, 1 - slow] == pytest.approx(np.full(13, 3j))
    lines = locus.to_csv(tmp_path / "locus.csv").read_text().splitlines()
    assert len(lines) == 14 and lines[0].startswith("value,real 1,imaginary 1")
    with pytest.raises(hn.ModelError, match="at least one value"):
        hn.root_locus(model, change, [])


def test_figures():
    import matplotlib

    matplotlib.use("Agg")
    locus = hn.root_locus(bicycle, None, [4.0, 5.0])
    assert locus.plot(label="speed").get_xlabel() == "real part"
    assert len(locus.plot_parts().lines) >= 4
    s = hn.linearize(driven(), inputs="push", outputs="place").state_space()
    figure = s.plot(np.geomspace(0.1, 10, 20))
    assert figure.axes[0].get_title() == "place over push"


# ---- scripts ---------------------------------------------------------------------------------------------------------
def script(text, model=None):
    return hn.run_script(parse_acf(text, "x.acf"), model or driven(2), progress=False)


def test_linear_commands_of_a_script(tmp_path):
    model = driven(2)
    model.add(hn.model.states.PInput(id=3, variables=(1,)))
    model.add(hn.model.states.POutput(id=4, variables=(2,)))
    run = script(
        "sim/statics\nLINEAR/EIGENSOL, NODAMPIN, COORDS = 1, 2, ENERGY=1\nLINEAR/STATEMAT, FILE=../up/plant.mat, "
        "PINPUT=3, POUTPUT=4, FORMAT=MATLAB\n"
        "LIN/MKB, FILE=mkb, PIN=3, ORIGINAL\n",
        model,
    )
    eigen, plant, mkb = run.linear
    omega = np.sqrt(K / M) * 2 * np.sin(np.array([1, 3]) * np.pi / 10)
    assert [m.value for m in eigen.modes] == pytest.approx(1j * omega, rel=1e-9)
    assert len(eigen.listing) == 1 + 2 + 1 and "mass2" in eigen.listing[1] and "strain" in eigen.listing[3]
    files = plant.write_files(tmp_path)
    assert [f.name for f in files] == ["plant.mata", "plant.matb", "plant.matc", "plant.matd", "plant.matst"]
    assert all(f.parent == tmp_path for f in files)
    assert np.loadtxt(mkb.write_files(tmp_path)[1]) == pytest.approx(
        np.array([[2 * K, -K], [-K, K]]), rel=1e-8, abs=1e-7
    )
    said = "\n".join(run.info["messages"])
    assert (
        "x.acf:2: LINEAR/EIGENSOL at time 0 s: 2 modes, none unstable" in said and "ORIGINAL has no influence" in said
    )
    run.save(tmp_path / "run.h5")
    again = hn.load(tmp_path / "run.h5")
    assert [one.text() for one in again.linear] == [one.text() for one in run.linear]
    assert again.linear[0].listing == eigen.listing


@pytest.mark.parametrize(
    "line, words",
    [
        ("LINEAR/EIGENSOL, MODES=3", "x.acf:1: LINEAR/EIGENSOL: 'MODES' is not one of NODAMPING"),
        ("LINEAR/EIGENSOL, COORDS=3,1", "COORDS must be one or two mode numbers, the smaller first"),
        ("LINEAR/STATEMAT", "FILE= is missing"),
        ("LINEAR/STATEMAT, FILE=a, FORMAT=EXCEL", "FORMAT is MATRIXX or MATLAB, not 'EXCEL'"),
        ("LINEAR/STATEMAT, FILE=a, PINPUT=9", "PINPUT/9"),
        ("LINEAR/EIGENSOL, RM=x", "RM must be an id, not 'x'"),
    ],
)
def test_faults_of_linear_commands(line, words):
    with pytest.raises(hn.ModelError) as caught:
        script(line + "\n")
    assert words in str(caught.value)


def test_export_is_told_and_passed_over():
    run = script("LINEAR/EXPORT, FILE=a\nLINEAR/MKB, FILE=mkb\n")
    assert len(run.linear) == 1
    text = (
        "x.acf:1: LINEAR/EXPORT (a bulk data deck for Nastran) is not supported in this version; use LINEAR/MKB "
        "or STATEMAT"
    )
    assert text in run.info["messages"] and parse_acf("LINEAR/EXPORT, FILE=a", "x.acf").warnings == [text]


def test_dataset_with_pstate():
    from holonom.formats import parse_adm

    again = parse_adm(
        "t\nUNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND\nPART/1, GROUND\nVARIABLE/1, FUNCTION=0\n"
        "PSTATE/7, VARIABLES=1\nEND\n",
        "x.adm",
    )
    assert again.find("PSTATE", 7).variables == (1,)


def test_inputs_of_the_model_are_inputs_of_its_linear_system():
    """`model.input`, as it is and set while stepped: m x'' = u - k x."""
    m = hn.Model("driven")
    m.gravity = (0, 0, 0)
    p = m.part("p", M, (1, 1, 1))
    j = m.translational(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    u = m.input("u", 0.5)
    m.sforce(j.i, j.j, f"VARVAL({u})-{K}*DZ({j.i},{j.j},{j.j})", kind="TRANSLATIONAL", actiononly=True)
    where = f"DZ({j.i},{j.j},{j.j})"
    sim = hn.Simulation(m)
    sim.open(integrator="HHT")
    sim.set_input("u", 1.0)
    sim.advance(0.1)
    for found in (hn.linearize(m, inputs=[u], outputs=[where]), sim.linearize(inputs="u", outputs=[where])):
        s = found.state_space()
        assert s.inputs == ["u"]
        w = 3.0
        gain = (s.C @ np.linalg.solve(1j * w * np.eye(len(s.A)) - s.A, s.B) + s.D)[0, 0]
        assert gain == pytest.approx(1.0 / (K - M * w**2), rel=1e-9)
    assert m.find("VARIABLE", "u").input


def test_root_locus_takes_a_model_with_a_change_or_a_function_without_one():
    model = hn.Model("locus")
    with pytest.raises(hn.ModelError, match="change is None, but model is a Model"):
        hn.root_locus(model, None, [1.0])
    with pytest.raises(hn.ModelError, match="model is a function of the value"):
        hn.root_locus(lambda value: model, lambda machine, value: None, [1.0])
