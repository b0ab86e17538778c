"""Numbered reliability problems of the RPRepo collection (Rozsas and Slobbe, TNO, 2019, rprepo.readthedocs.io) as
tabulated with their probabilities by the OpenTURNS benchmark library (Baudin, Jebroun, Fekhari and Chabridon,
github.com/openturns/otbenchmark); own text, functions of arrays.

``published``: the failure probability, g below zero.  ``independent``: by an integral, a closed form or a large sample
that shares nothing with the package.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from scipy.integrate import quad

from holonom.studies import Exponential, Gumbel, LogNormal, Normal, Uniform


@dataclass(frozen=True)
class Problem:
    number: int
    g: Any  # function of the parameters as arguments, arrays
    space: list
    published: float
    independent: Any  # function without arguments

    def __call__(self, values):
        return {"g": float(self.g(*values.values()))}

    @property
    def parameters(self):
        return {f"x{k}": d for k, d in enumerate(self.space, 1)}


def on_grid(number, low=-8.0, high=8.0, n=2000):
    """Two standard normal parameters: the midpoint rule on a grid."""

    def integral():
        x = low + (np.arange(n) + 0.5) * (high - low) / n
        w = stats.norm.pdf(x) * (high - low) / n
        p = PROBLEMS[number]
        a, b = (d.mean + d.std * x for d in p.space)
        return float(w @ (np.broadcast_to(p.g(a[:, None], b[None, :]), (n, n)) < 0) @ w)

    return integral


def by_sample(number, n=1_000_000):
    """The share of a sample drawn by NumPy's own generators."""

    def share():
        rng = np.random.default_rng(number)
        return float((PROBLEMS[number].g(*(_draw(rng, d, n) for d in PROBLEMS[number].space)) < 0).mean())

    return share


def _draw(rng, d, n):
    if d.type == "normal":
        return rng.normal(d.a, d.b, n)
    if d.type == "uniform":
        return rng.uniform(d.a, d.b, n)
    if d.type == "lognormal":
        s2 = math.log(1 + (d.b / d.a) ** 2)
        return rng.lognormal(math.log(d.a) - s2 / 2, math.sqrt(s2), n)
    scale = d.b * math.sqrt(6) / math.pi
    return rng.gumbel(d.a - np.euler_gamma * scale, scale, n)


def minimum(*values):
    out = values[0]
    for v in values[1:]:
        out = np.minimum(out, v)
    return out


def rp38(x1, x2, x3, x4, x5, x6, x7):
    top = x4**2 - 4 * x5 * x6 * x7**2 + x4 * (x6 + 4 * x5 + 2 * x6 * x7)
    return 15.59e4 - x1 * x2**3 / (2 * x3**3) * top / (x4 * x5 * (x4 + x6 + 2 * x6 * x7))


def rp55(x1, x2):
    d = x1 - x2
    r = math.sqrt(2)
    return minimum(0.2 + 0.6 * d**4 - d / r, 0.2 + 0.6 * d**4 + d / r, d + 5 / r - 2.2, -d + 5 / r - 2.2)


def rp57(x1, x2):
    return np.minimum(np.maximum(-(x1**2) + x2**3 + 3, 2 - x1 - 8 * x2), (x1 + 3) ** 2 + (x2 + 3) ** 2 - 4)


def rp60(x1, x2, x3, x4, x5):
    single = np.maximum(x4 - x5, np.minimum(x2 - x5, x3 - x5))
    half = minimum(x2 - x5 / 2, x3 - x5 / 2, x4 - x5 / 2)
    return np.minimum(x1 - x5, np.maximum(half, single))


def rp91(x1, x2, x3, x4, x5):
    first = 0.847 + 0.96 * x2 + 0.986 * x3 - 0.216 * x4 + 0.077 * x2**2 + 0.11 * x3**2 + 7 / 378 * x4**2
    first = first - x3 * x2 - 0.106 * x2 * x4 - 0.11 * x3 * x4
    second = 84000 * x1 / np.sqrt(x3**2 + x4**2 - x3 * x4 + 3 * x5**2) - 1
    return minimum(first, second, 84000 * x1 / np.abs(x4) - 1)


def exact_33():
    both = stats.multivariate_normal([0, 0], [[1, 1 / math.sqrt(3)], [1 / math.sqrt(3), 1]]).cdf([-3, -3])
    return 2 * stats.norm.sf(3) - both


def exact_63():
    return quad(lambda q: stats.chi2.pdf(q, 99) * stats.norm.sf(0.1 * q - 4.5), 20, 250, epsabs=1e-12, limit=400)[0]


def exact_77():
    low = quad(lambda x: stats.norm.pdf(x, 4) * stats.norm.cdf((x - 10) / math.sqrt(1.25)), -6, 5, epsabs=1e-14)[0]
    return low + quad(lambda x: stats.norm.pdf(x, 4) * stats.norm.sf(x), 5, 14, epsabs=1e-14)[0]


TWO = [Normal(0, 1), Normal(0, 1)]
_ALL = [
    Problem(8, lambda a, b, c, d, e, f: a + 2 * b + 2 * c + d - 5 * e - 5 * f,
            [LogNormal(120, 12)] * 4 + [LogNormal(50, 10), LogNormal(40, 8)], 7.84e-4, by_sample(8)),
    Problem(14, lambda a, b, c, d, e: a - 32 / (math.pi * b**3) * np.sqrt(c**2 * d**2 / 16 + e**2),
            [Uniform(70, 80), Normal(39, 0.1), Gumbel(1500, 350), Normal(400, 0.1), Normal(250000, 35000)], 7.7285e-4,
            by_sample(14)),
    Problem(22, lambda x, y: 2.5 - (x + y) / math.sqrt(2) + 0.1 * (x - y) ** 2, TWO, 4.2073e-3, on_grid(22)),
    Problem(24, lambda x, y: 2.5 - 0.2357 * (x - y) + 0.00463 * (x + y - 20) ** 4, [Normal(10, 3)] * 2, 2.86e-3,
            on_grid(24)),
    Problem(25, lambda x, y: np.maximum(x**2 - 8 * y + 16, -16 * x + y + 32), TWO, 4.1486e-5, on_grid(25)),
    Problem(28, lambda x, y: x * y - 146.14, [Normal(78064.4, 11709.7), Normal(0.0104, 0.00156)], 1.46e-7, on_grid(28)),
    Problem(31, lambda x, y: 2 - y + 256 * x**4, TWO, 3.2267e-3, on_grid(31)),
    Problem(33, lambda x, y, z: np.minimum(-x - y - z + 3 * math.sqrt(3), 3 - z), [Normal(0, 1)] * 3, 2.57e-3,
            exact_33),
    Problem(35, lambda x, y: np.minimum(2 - y + np.exp(-0.1 * x**2) + (0.2 * x) ** 4, 4.5 - x * y), TWO, 3.4789e-3,
            on_grid(35)),
    Problem(38, rp38, [Normal(350, 35), Normal(50.8, 5.08), Normal(3.81, 0.381), Normal(173, 17.3), Normal(9.38, 0.938),
                       Normal(33.1, 3.31), Normal(0.036, 0.0036)], 8.1e-3, by_sample(38)),
    Problem(53, lambda x, y: np.sin(5 * x / 2) + 2 - (x * x + 4) * (y - 1) / 20, [Normal(1.5, 1), Normal(2.5, 1)],
            3.13e-2, on_grid(53)),
    Problem(54, lambda *x: sum(x) - 8.951, [Exponential(1.0)] * 20, 9.98e-4, lambda: stats.gamma.cdf(8.951, 20)),
    Problem(55, rp55, [Uniform(-1, 1)] * 2, 0.56001, by_sample(55)),
    Problem(57, rp57, TWO, 2.84e-2, on_grid(57)),
    Problem(60, rp60, [LogNormal(m, s) for m, s in ((2200, 220), (2100, 210), (2300, 230), (2000, 200), (1200, 480))],
            4.56e-2, by_sample(60)),
    Problem(63, lambda *x: 0.1 * sum(v * v for v in x[1:]) - x[0] - 4.5, [Normal(0, 1)] * 100, 3.79e-4, exact_63),
    Problem(75, lambda x, y: 3 - x * y, TWO, 9.8193e-3, on_grid(75)),
    Problem(77, lambda x, y, z: np.where(z <= 5, x - y - z, z - y), [Normal(10, 0.5), Normal(0, 1), Normal(4, 1)],
            2.87e-7, exact_77),
    Problem(89, lambda x, y: np.minimum(-(x**2) - y + 8, -x / 5 - y + 6), TWO, 5.43e-3, on_grid(89)),
    Problem(91, rp91, [Normal(0.07433, 0.005), Normal(0.1, 0.01), Normal(13, 60), Normal(4751, 48), Normal(-684, 11)],
            6.97e-4, by_sample(91)),
    Problem(107, lambda *x: 5 * math.sqrt(10) - sum(x), [Normal(0, 1)] * 10, 2.92e-7, lambda: stats.norm.sf(5)),
    Problem(110, lambda x, y: np.minimum(np.where(x <= 3.5, 0.85 - 0.1 * x, 4 - x),
                                         np.where(y <= 2, 2.3 - y, 0.5 - 0.1 * y)), TWO, 3.19e-5, on_grid(110)),
    Problem(111, lambda x, y: 12.5 - np.abs(x * y), TWO, 7.65e-7, on_grid(111)),
]  # fmt: skip
PROBLEMS = {p.number: p for p in _ALL}
