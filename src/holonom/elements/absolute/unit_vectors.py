"""What strains are made of: products of a vector with another, or with a unit vector, and their derivatives.

Vectors begin at numbers v, a, b of g; J[k] += factor times the derivative of the product by g, and the product is
returned.
"""

from __future__ import annotations

from ..._jit import jit
from ..duals import sqrt


@jit
def with_normal(g, v, a, b, factor, J, k):
    """v . n with n the unit vector along a x b; v, a, b: where these vectors begin in g."""
    n0 = g[a + 1] * g[b + 2] - g[a + 2] * g[b + 1]
    n1 = g[a + 2] * g[b] - g[a] * g[b + 2]
    n2 = g[a] * g[b + 1] - g[a + 1] * g[b]
    N = sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    n0, n1, n2 = n0 / N, n1 / N, n2 / N
    x = g[v] * n0 + g[v + 1] * n1 + g[v + 2] * n2
    J[k, v] += factor * n0
    J[k, v + 1] += factor * n1
    J[k, v + 2] += factor * n2
    w = factor / N
    p0, p1, p2 = (g[v] - x * n0) * w, (g[v + 1] - x * n1) * w, (g[v + 2] - x * n2) * w
    J[k, a] += g[b + 1] * p2 - g[b + 2] * p1
    J[k, a + 1] += g[b + 2] * p0 - g[b] * p2
    J[k, a + 2] += g[b] * p1 - g[b + 1] * p0
    J[k, b] += p1 * g[a + 2] - p2 * g[a + 1]
    J[k, b + 1] += p2 * g[a] - p0 * g[a + 2]
    J[k, b + 2] += p0 * g[a + 1] - p1 * g[a]
    return x


@jit
def with_unit(g, v, a, factor, J, k):
    """v . a/|a|"""
    N = sqrt(g[a] * g[a] + g[a + 1] * g[a + 1] + g[a + 2] * g[a + 2])
    x = (g[v] * g[a] + g[v + 1] * g[a + 1] + g[v + 2] * g[a + 2]) / N
    for i in range(3):
        u = g[a + i] / N
        J[k, v + i] += factor * u
        J[k, a + i] += factor * (g[v + i] - x * u) / N
    return x


@jit
def with_vector(g, v, a, factor, J, k):
    """v . a"""
    x = 0.0 * g[v]
    for i in range(3):
        x += g[v + i] * g[a + i]
        J[k, v + i] += factor * g[a + i]
        J[k, a + i] += factor * g[v + i]
    return x


@jit
def size_of(g, a):
    """|a|"""
    return sqrt(g[a] * g[a] + g[a + 1] * g[a + 1] + g[a + 2] * g[a + 2])
