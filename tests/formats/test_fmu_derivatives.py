"""Directional and adjoint derivatives of FMUs: closed forms, machines that are moved away, differences of rates."""

import shutil
from ctypes import c_double, c_size_t

import fmu_library
import numpy as np
import pytest
import test_fmu_export

import holonom as hn

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("gcc", "cc", "clang"))), reason="the runtime of FMUs is linked by a C compiler"
)
M, K, C, L = 2.0, 300.0, 4.0, 0.4


def slide():
    """A mass on a slide with a spring to ground, an integral of its position that pulls it back, and two inputs."""
    model = hn.Model("slide", units="SI")
    model.gravity = (0, 0, 0)
    block = model.part("block", mass=M, inertia=(0.1, 0.2, 0.3), position=(0.5, 0, 0), velocity=(0.7, 0, 0))
    model.translational(block, model.ground, "slide", at=(0.5, 0, 0), axis=(1, 0, 0))
    model.spring_damper(block.cm, model.marker(model.ground), stiffness=K, damping=C, length=L, name="spring")
    force, aim = model.input("force", 1.5), model.input("aim", 0.3)
    kept = model.diff(f"DX({block.cm}) - VARVAL({aim.id})", name="kept")
    model.vforce(
        block.cm, model.ground, fx=f"VARVAL({force.id})**2 - 5*DIF({kept.id}) + SIN(VARVAL({aim.id})*DX({block.cm}))"
    )
    model.variable(f"DX({block.cm})*VX({block.cm}) + 3*VARVAL({aim.id})", "product")
    return model


def opened(tmp_path, model, version="3.0", **options):
    path = hn.export_fmu(model, tmp_path / "machine.fmu", fmi=version, kind="me", **options)
    return (fmu_library.Fmu2 if version == "2.0" else fmu_library.Fmu3)(path, tmp_path / "unpacked", True)


def jacobian(fmu, unknowns, knowns):
    """(unknowns, knowns), a column a call."""
    n, one, three = len(unknowns), c_size_t(1), fmu.prefix == "fmi3"
    out, columns = (c_double * n)(), []
    for name in knowns:
        given = fmu._references(unknowns), c_size_t(n), fmu._references([name]), one, (c_double * 1)(1.0)
        fmu.ok("GetDirectionalDerivative", *given, *((one, out, c_size_t(n)) if three else (out,)))
        columns.append(out[:])
    return np.array(columns).T


def states_of(fmu):
    return [name for name in fmu.references if f"der({name})" in fmu.references]


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_linear_machine(tmp_path, version):
    """m x'' = F^2 - 5 z + sin(u x) - c x' - k (x - l), z' = x - u: all derivatives in closed form, to rounding; the
    state is then as before, to the last byte."""
    fmu = opened(tmp_path, slide(), version, parameters=["spring.k", "spring.c"])
    fmu.begin()
    fmu.set(force=2.5, aim=0.25)
    fmu.rates(0.0, fmu.states(14))
    x, v, u, F = 0.5, 0.7, 0.25, 2.5
    cosine = np.cos(u * x)
    knowns = ["block.r[1]", "block.v[1]", "state[1]", "force", "aim", "'spring'.k", "'spring'.c"]
    knowns = [k if k in fmu.references else k.replace("'", "") for k in knowns]
    unknowns = ["der(block.r[1])", "der(block.v[1])", "der(state[1])", "product", "block.v[1]"]
    wanted = [
        [0, 1, 0, 0, 0, 0, 0],
        [(-K + u * cosine) / M, -C / M, -5 / M, 2 * F / M, x * cosine / M, -(x - L) / M, -v / M],
        [1, 0, 0, 0, -1, 0, 0],
        [v, x, 0, 0, 3, 0, 0],
        [0, 1, 0, 0, 0, 0, 0],
    ]
    before = fmu.bytes_of(fmu.keep())
    np.testing.assert_allclose(jacobian(fmu, unknowns, knowns), wanted, rtol=1e-12, atol=1e-12)
    assert fmu.bytes_of(fmu.keep()) == before
    fmu.set(force=1.0)  # and at another point
    wanted[1][3] = 2 / M
    np.testing.assert_allclose(jacobian(fmu, unknowns, knowns), wanted, rtol=1e-12, atol=1e-12)
    if version == "3.0":
        for unknown, row in zip(unknowns, wanted):
            np.testing.assert_allclose(fmu.adjoint(unknown, knowns), row, rtol=1e-12, atol=1e-12)
    fmu.close()


def swing(away):
    """Two bodies in space, on a ball joint and on a stiff spring, at a distance from the origin."""
    model = hn.Model("swing", units="SI")
    model.gravity = (0, 0, -9.81)
    a = model.part("a", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(away + 0.3, 0.2, 0.1))
    b = model.part(
        "b", mass=2.0, inertia=(0.3, 0.1, 0.2), position=(away + 1.3, 0.4, -0.1), angular_velocity=(0.3, -0.2, 0.5)
    )
    model.spherical(a, model.ground, at=(away, 0, 0))
    model.spring_damper(
        model.marker_at(a, (away + 0.8, 0.3, 0)), model.marker_at(b, (away + 0.8, 0.3, 0.4)), 1e6, 20.0, length=0.39
    )
    return model


def test_far_from_the_origin(tmp_path):
    """The Jacobian of a machine that stands 10 km away is that of the machine at the origin, as states are
    differences of positions, and turns about centres of mass."""
    found = []
    for away in (0.0, 1e4):
        folder = tmp_path / f"{away:g}"
        folder.mkdir()
        fmu = opened(folder, swing(away))
        fmu.begin()
        states = states_of(fmu)
        fmu.rates(0.0, fmu.states(len(states)))
        found.append(jacobian(fmu, [f"der({s})" for s in states], states))
        fmu.close()
    size = np.abs(found[0]).max(axis=1, keepdims=True)
    assert np.abs(found[0]).max() > 1e5
    np.testing.assert_allclose(found[1] / size, found[0] / size, rtol=0, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "t"),
    [("four_bar", 0.1), ("crane", 0.1), ("bending_four_bar", 0.05), ("ball", 0.1), ("sedan", 0.1)],
)
def test_jacobian_against_differences(tmp_path, name, t):
    """Rigid, flexible, with contact and with tyres: each entry of the Jacobian of the rates on the motion is that of a
    difference of the rates of one of four steps, but for 1e-6 of the largest entry of its row."""
    make = getattr(test_fmu_export, name)
    fmu = opened(tmp_path, make(), "2.0")
    fmu.begin()
    states = states_of(fmu)
    sim = hn.Simulation(make())
    sim.open(integrator="DOP853", error=1e-10, events=False, record="none", coordinates="maximal")
    sim.advance(t)
    n = len(states)
    nb = sim._stepping.dynamics.system.nb
    x = np.delete(sim.y, np.s_[13 * nb : 13 * nb + 13])
    assert len(x) == n
    fmu.rates(t, x)
    J = jacobian(fmu, [f"der({s})" for s in states], states)
    fmu.rates(t, x)
    size = np.abs(J).max(axis=1)
    assert size.max() > 1.0
    for j in range(n):
        error = np.full(n, np.inf)
        for step in (1e-3, 1e-4, 1e-5, 1e-6):
            h, e = step * max(1.0, abs(x[j])), np.zeros(n)
            e[j] = h
            near, far = (np.subtract(fmu.rates(t, x + k * e), fmu.rates(t, x - k * e)) for k in (1, 2))
            error = np.fmin(error, np.abs(J[:, j] - (8 * near - far) / (12 * h)))
        wrong = error > 1e-6 * size + 1e-12 * size.max()
        assert not wrong.any(), (states[j], states[int(np.argmax(error * wrong))], error.max())
    fmu.close()


@pytest.mark.slow
def test_a_kernel_that_is_absent_is_never_a_zero(tmp_path, monkeypatch):
    """A binary without one of the pulls: derivatives are differences then, not zeros."""
    from holonom.formats.fmu import runtime

    note, folder = runtime._Linked._note_later, tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setattr(runtime, "cache_root", lambda: folder)

    def forgetful(self, part):
        note(self, part)
        for raw in [raw for raw in self._forms if b"pull_functions" in raw]:
            del self._forms[raw]

    monkeypatch.setattr(runtime._Linked, "_note_later", forgetful)
    fmu = opened(tmp_path, slide())
    fmu.begin()
    fmu.set(force=2.5, aim=0.25)
    fmu.rates(0.0, fmu.states(14))
    found = jacobian(fmu, ["der(block.v[1])"], ["force", "state[1]"])
    np.testing.assert_allclose(found, [[2 * 2.5 / M, -5 / M]], rtol=1e-9)
