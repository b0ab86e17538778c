"""Linear analysis of hanging chains with torsion springs in their joints: CPU seconds with the exact derivatives of
joint coordinates and by differences of the equations of all bodies, and how far the eigenvalues are apart.

    make bench CASE=linear_trees                 chains of 10, 100 and 338 links
    make bench CASE=linear_trees ARGS="20 50"
"""

from __future__ import annotations

import sys
import time
from unittest import mock

import numpy as np
from scipy.optimize import linear_sum_assignment

import holonom as hn
from holonom.analyses.linear import linearisation

from .run import machine, versions

LINKS = (10, 100, 338)


def chain(links: int) -> hn.Model:
    model = hn.Model("chain")
    model.gravity = (0, 0, -9.81)
    before = model.ground
    for k in range(links):
        link = model.part(f"link{k}", 1.0, (0.01, 0.01, 0.001), (0, 0, -0.1 * k - 0.05))
        pin = model.revolute(link, before, f"pin{k}", at=(0, 0, -0.1 * k), axis=(0, 1, 0) if k % 2 else (1, 0, 0))
        model.torsion_spring(pin.i, pin.j, stiffness=5.0, damping=0.05)
        before = link
    return model


def analysed(sim: hn.Simulation, exact: bool) -> tuple[float, np.ndarray]:
    """CPU seconds of the matrices, and their eigenvalues."""
    refused = (lambda *_: "") if exact else (lambda *_: "by differences")
    with mock.patch.object(linearisation, "no_small_motions", refused):
        begin = time.process_time()
        answer = sim.linearize()
        return time.process_time() - begin, answer.eigenvalues


def main(arguments: list[str]) -> None:
    print(machine(), versions("holonom", "numpy", "scipy"))
    for links in [int(a) for a in arguments] or LINKS:
        sim = hn.Simulation(chain(links))
        sim.initial()
        if links == LINKS[0] or arguments:
            analysed(sim, True), analysed(sim, False)  # kernels
        (exact, a), (slow, b) = analysed(sim, True), analysed(sim, False)
        distance = np.abs(a[:, None] - b[None])
        apart = distance[linear_sum_assignment(distance)].max() / np.abs(b).max()
        print(
            f"linear_trees links={links} joint_coordinates={exact:.3f} s differences={slow:.3f} s "
            f"eigenvalues_apart={apart:.1e}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
