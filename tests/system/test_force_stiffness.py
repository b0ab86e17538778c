"""The iteration matrix of function forces, states and pair forces against finite differences of the residual."""

import numpy as np
import pytest
import scipy.sparse as sp

import holonom as hn
from _matrix_kernels import residual, stiffness
from holonom.elements.bodies.rigid import move, normalise
from holonom.system.build import System
from holonom.system.implicit import Implicit


def _variables(m):
    m.variable("DM(ma,mb)**2+0.3*VARVAL(2)+DIF(1)")  # a loop: each needs the other
    m.variable("COS(AZ(ma,mb))+0.1*VARVAL(1)*VARVAL(2)+VR(ma,mb)")


FORCES = {
    "spring": lambda m, a, b: m.spring_damper("ma", "mb", stiffness=100, damping=3, length=0.5),
    "bushing": lambda m, a, b: m.bushing(
        "ma",
        "mg",
        stiffness=(10, 20, 30),
        rotational_stiffness=(3, 4, 5),
        damping=(1, 2, 3),
        rotational_damping=(0.1, 0.2, 0.3),
    ),
    "torsion": lambda m, a, b: m.torsion_spring("mb", "mg", stiffness=5, damping=0.3),
    "sforce": lambda m, a, b: m.sforce("ma", "mb", "-10*(DM(ma,mb)-.3)-VR(ma,mb)+2*DIF(1)"),
    "sforce rotational": lambda m, a, b: m.sforce("mb", "mg", "WZ(mb,mg)*2+AX(mb,mg)+2", kind="ROTATIONAL"),
    "sforce action only": lambda m, a, b: m.sforce("mp", "mg", "DX(mp,ma)*3", actiononly=True),
    "vforce": lambda m, a, b: m.vforce("ma", b, "VX(ma,mb)+1", "DY(ma,mg,mb)*2", "3*WX(mb)", rm="mb"),
    "gforce": lambda m, a, b: m.gforce(
        "mb", a, "1", "2*DZ(mp,ma,mb)", "3", "DM(mp,mb)", "WM(ma,mb)", "DIF(1)", rm="mg"
    ),
    "vtorque": lambda m, a, b: m.vtorque("ma", m.ground, "VM(mp,ma)", "2", "AY(ma,mb)", rm="ma"),
    "variables in a loop": lambda m, a, b: (_variables(m), m.sforce("ma", "mb", "VARVAL(1)*DIF(1)+VARVAL(2)")),
    "state fed by motion": lambda m, a, b: m.diff("DX(ma,mb,mg)*VY(ma,mg,mb)"),
    "maxwell damper": lambda m, a, b: m.maxwell_damper(
        "ma", "mb", stiffness=30, series_stiffness=70, damping=5, force=3, length=0.4
    ),
    "cylinder": lambda m, a, b: m.hydraulic_cylinder(
        "ma",
        "mb",
        area_a=0.5,
        area_b=0.3,
        stroke=4,
        length=-2,
        bulk=9,
        leakage=0.02,
        viscous=0.7,
        valve=0.4,
        bypass=0.05,
        supply=20,
        tank=1,
        pressure_a=8,
        pressure_b=4,
    ),
    "cylinder fed by functions": lambda m, a, b: m.hydraulic_cylinder(
        "ma",
        "mp",
        area_a=0.5,
        area_b=0.3,
        stroke=4,
        length=-2,
        bulk=9,
        valve=0.4,
        supply=20,
        pressure_a=8,
        pressure_b=4,
        opening="1+0.3*DIF(1)+0.1*DX(ma,mb)*VR(mb,mp)",
    ),
    "nforce": lambda m, a, b: m.nforce(
        ["ma", "mp", "mb"],
        "mg",
        stiffness=np.random.default_rng(4).normal(size=(18, 18)),
        damping=np.random.default_rng(5).normal(size=(18, 18)),
        force=range(18),
        length=[0.01 * k for k in range(18)],
    ),
    "nforce within one body": lambda m, a, b: m.nforce(
        ["mb", m.marker(b, (0.1, 0.5, 0.3)), "ma"],
        "mp",
        stiffness=np.random.default_rng(6).normal(size=(18, 18)),
        cratio=0.1,
    ),
    "revolute": lambda m, a, b: m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 0.3, 1)),
    "screw": lambda m, a, b: m.screw(a, b, 2.0, at=(0, 0, 0), axis=(0, 0.3, 1)),
}


def machine(force):
    m = hn.Model()
    m.gravity = (0.3, -9.81, 1.0)
    a = m.part("a", 1.3, (1, 1.2, 0.7, 0.1, 0.05, -0.02), position=(0.5, 0.2, 0.1), euler=(0.3, 0.5, 0.2))
    b = m.part("b", 2.0, (1, 2, 1.5), position=(1.5, 0.4, -0.3), euler=(1.0, 0.4, -0.7))
    p = m.point_mass("p", 0.7, (0.2, 1, 1.0))
    m.marker(a, (0.1, 0.2, 0.3), euler=(0.2, 0.3, 0.4), name="ma")
    m.marker(b, (-0.2, 0.1, 0.3), euler=(1, 0.3, 0.4), name="mb")
    m.marker(m.ground, (0.3, 0.1, -0.2), euler=(0.5, 0.6, 0.1), name="mg")
    m.marker(p, (0, 0, 0), name="mp")
    m.diff("-2*DIF(1)+SIN(TIME)", ic=0.3)
    FORCES[force](m, a, b)
    return m


@pytest.mark.parametrize("force", FORCES)
def test_matrix_is_the_derivative_of_the_residual(force):
    rng = np.random.default_rng(1)
    s = System(machine(force))
    im = Implicit(s)
    S, W, I, p = im.S, im.W, im.I, im.pattern
    y = s.y0.copy()
    for b in range(s.nb):
        y[13 * b + 7 : 13 * b + (13 if S.bodies.rotates[b] else 10)] = rng.normal(size=6 if S.bodies.rotates[b] else 3)
    normalise(s.nb, y)
    I.acc[:] = 0
    I.xd[:] = 0
    I.lam[:] = rng.normal(size=s.m)

    def minus_residual(y):
        residual(S, W, I, 0.7, y, 0.0, 1.0, 1.0, 1.0)
        return -I.res.copy()

    minus_residual(y)
    stiffness(S, W, I, 0.7, y)
    dense = lambda data: sp.csc_matrix((data[: p.nnz], p.indices, p.indptr), shape=(p.N, p.N)).toarray()
    K, C = dense(I.K), dense(I.C)
    h = 1e-6
    rows = p.nq + s.nx

    def check(matrix, column, plus, minus):
        expected = (minus_residual(plus) - minus_residual(minus)) / (2 * h)
        assert np.abs(matrix[:rows, column] - expected[:rows]).max() < 1e-7 * max(1.0, np.abs(expected).max())

    for b in range(s.nb):
        for c in range(p.at[b + 1] - p.at[b]):
            d = np.zeros(6 * s.nb + 6)
            d[6 * b + c] = h
            plus, minus = y.copy(), y.copy()
            move(s.nb, plus, d)
            move(s.nb, minus, -d)
            check(K, p.at[b] + c, plus, minus)
            plus, minus = y.copy(), y.copy()
            plus[13 * b + 7 + c] += h
            minus[13 * b + 7 + c] -= h
            check(C, p.at[b] + c, plus, minus)
    for k in range(s.nx):
        plus, minus = y.copy(), y.copy()
        plus[13 * (s.nb + 1) + k] += h
        minus[13 * (s.nb + 1) + k] -= h
        check(K, p.nq + k, plus, minus)
