"""Certified estimates and standard deviations of NIST from both published starts, within bounds of several decades.

Statistical Reference Datasets, non-linear regression: https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml"""

from __future__ import annotations

import numpy as np
import pytest

from holonom.studies import Curve, Experiment, StudyParameter, identify

#: name -> model, rows of (start 1, start 2, certified estimate, certified standard deviation), y, x
PROBLEMS = {
    "MGH09": (
        lambda x, a, b, c, d: a * (x**2 + x * b) / (x**2 + x * c + d),
        [
            (25.0, 0.25, 0.19280693458, 0.011435312227),
            (39.0, 0.39, 0.19128232873, 0.19633220911),
            (41.5, 0.415, 0.12305650693, 0.080842031232),
            (39.0, 0.39, 0.13606233068, 0.090025542308),
        ],
        [0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246],
        [4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625],
    ),
    "MGH10": (
        lambda x, a, b, c: a * np.exp(b / (x + c)),
        [
            (2.0, 0.02, 0.005609636471, 0.00015687892471),
            (400000.0, 4000.0, 6181.3463463, 23.309021107),
            (25000.0, 250.0, 345.22363462, 0.78486103508),
        ],
        [
            34780.0,
            28610.0,
            23650.0,
            19630.0,
            16370.0,
            13720.0,
            11540.0,
            9744.0,
            8261.0,
            7030.0,
            6005.0,
            5147.0,
            4427.0,
            3820.0,
            3307.0,
            2872.0,
        ],
        [50.0, 55.0, 60.0, 65.0, 70.0, 75.0, 80.0, 85.0, 90.0, 95.0, 100.0, 105.0, 110.0, 115.0, 120.0, 125.0],
    ),
    "Eckerle4": (
        lambda x, a, b, c: a / b * np.exp(-0.5 * ((x - c) / b) ** 2),
        [
            (1.0, 1.5, 1.5543827178, 0.015408051163),
            (10.0, 5.0, 4.0888321754, 0.046803020753),
            (500.0, 450.0, 451.54121844, 0.046800518816),
        ],
        [
            0.0001575,
            0.0001699,
            0.000235,
            0.0003102,
            0.0004917,
            0.000871,
            0.0017418,
            0.00464,
            0.0065895,
            0.0097302,
            0.0149002,
            0.023731,
            0.0401683,
            0.0712559,
            0.1264458,
            0.2073413,
            0.2902366,
            0.3445623,
            0.3698049,
            0.3668534,
            0.3106727,
            0.2078154,
            0.1164354,
            0.0616764,
            0.03372,
            0.0194023,
            0.0117831,
            0.0074357,
            0.0022732,
            0.00088,
            0.0004579,
            0.0002345,
            0.0001586,
            0.0001143,
            7.1e-05,
        ],
        [
            400.0,
            405.0,
            410.0,
            415.0,
            420.0,
            425.0,
            430.0,
            435.0,
            436.5,
            438.0,
            439.5,
            441.0,
            442.5,
            444.0,
            445.5,
            447.0,
            448.5,
            450.0,
            451.5,
            453.0,
            454.5,
            456.0,
            457.5,
            459.0,
            460.5,
            462.0,
            463.5,
            465.0,
            470.0,
            475.0,
            480.0,
            485.0,
            490.0,
            495.0,
            500.0,
        ],
    ),
    "Lanczos2": (
        lambda x, a, b, c, d, e, f: a * np.exp(-b * x) + c * np.exp(-d * x) + e * np.exp(-f * x),
        [
            (1.2, 0.5, 0.096251029939, 0.00066770575477),
            (0.3, 0.7, 1.0057332849, 0.0033989646176),
            (5.6, 3.6, 0.86424689056, 0.0017185846685),
            (5.5, 4.2, 3.0078283915, 0.0041707005856),
            (6.5, 4.0, 1.5529016879, 0.0023744381417),
            (7.6, 6.3, 5.00287981, 0.0013958787284),
        ],
        [
            2.5134,
            2.04433,
            1.6684,
            1.36642,
            1.12323,
            0.92689,
            0.767934,
            0.638878,
            0.533784,
            0.447936,
            0.377585,
            0.319739,
            0.272013,
            0.232497,
            0.199659,
            0.17227,
            0.149341,
            0.13007,
            0.113812,
            0.100042,
            0.0883321,
            0.0783354,
            0.0697669,
            0.0623931,
        ],
        [
            0.0,
            0.05,
            0.1,
            0.15,
            0.2,
            0.25,
            0.3,
            0.35,
            0.4,
            0.45,
            0.5,
            0.55,
            0.6,
            0.65,
            0.7,
            0.75,
            0.8,
            0.85,
            0.9,
            0.95,
            1.0,
            1.05,
            1.1,
            1.15,
        ],
    ),
}


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("name", PROBLEMS)
def test_certified_values(name, start):
    model, rows, y, x = PROBLEMS[name]
    x, names = np.array(x), [f"b{i}" for i in range(len(rows))]
    parameters = {
        n: StudyParameter(n, row[start], (min(row[:3]) / 10.0, 10.0 * max(row[:3]))) for n, row in zip(names, rows)
    }
    curve = Curve("y", np.arange(len(x)), y)
    found = identify(Experiment(lambda v: {"y": model(x, *(v[n] for n in names))}, curve), parameters)
    assert found.converged
    certified = np.array(rows)[:, 2:]
    assert [found.parameters[n] for n in names] == pytest.approx(certified[:, 0], rel=1e-4)
    assert [found.std[n] for n in names] == pytest.approx(certified[:, 1], rel=5e-3)


def test_noise_keeps_the_step_of_differences():
    # second differences of noise do not fall with the step: a shorter one would only make derivatives worse
    def noisy(v):
        seed = [int(abs(s) * 1e15) % 2**32 for s in v.values()]
        y = 2.0 * v["a"] * np.linspace(0.0, 1.0, 50) + v["b"]
        return {"y": y + 1e-4 * np.random.default_rng(seed).standard_normal(50)}

    curve = Curve("y", np.arange(50), 2.0 * np.linspace(0.0, 1.0, 50) + 1.0, std=1e-3)
    found = identify(Experiment(noisy, curve), {"a": (0.0, 3.0), "b": (0.0, 3.0)}, max_steps=10)
    assert found.derivatives == "derivatives by central differences of step 0.0001"
