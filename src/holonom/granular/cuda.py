"""Spheres on a GPU: cells, lists, forces and the explicit step on the device, from the same scalar functions as on the
processor.

    from holonom.granular.cuda import OnDevice
    d = OnDevice(g)          # takes over the spheres and walls of a `Granular`
    d.advance(10000)
    d.pull()                 # writes positions, velocities, time and steps back to g

**What runs.**  Semi-implicit Euler and all laws without memory (friction NONE, COULOMB, VISCOUS).  A thread serves a
sphere: it sums over its neighbours in the order of its list, so that each pair is computed twice and no sum depends on
the order of threads.  Cells are filled by a counting sort; whole-number atomics count, and each cell is then put in the
order of rows before, so the result of a run is the same to the last bit every time, and equal to the processor's to
roundoff.  Walls move on with their velocities; each sphere checks all surfaces (a few; meshes belong on the
processor), and forces on walls are not summed here.

A step is three launches; whether the lists are outdated is decided on the device, where further steps then wait, and
requested every `PATIENCE` steps.  Numba's CUDA target is imported only when `OnDevice` is made; NUMBA_ENABLE_CUDASIM=1
runs the same kernels in Numba's simulator, slowly, without a GPU.
"""

from __future__ import annotations

import math

import numpy as np

from ..model.base import ModelError
from .grains import Granular, cells_of
from .laws import REMEMBERED, remembering
from .points import HOT, ID, V, W, X
from .walls import W_V, WALL

PATIENCE = 16  # steps between two questions to the device
BLOCK = 128
SKIN_PART = 0.2  # of the largest plus the smallest radius: lists cost a stop here
PARTS = 1024  # threads of the sums over all, at most


class OnDevice:
    """The spheres and walls of a `Granular` on a GPU.  ``g`` rests meanwhile: what is changed in it is not seen before
    a new `OnDevice`.

    Raises ModelError where no device can be used, and for what does not run there (VERLET, laws with memory,
    orientations).
    """

    def __init__(self, g: Granular) -> None:
        from numba import cuda

        if not cuda.is_available():
            raise ModelError(
                "grains: no CUDA device can be used here: use Granular with threads, or set NUMBA_ENABLE_CUDASIM=1 to "
                "try the kernels slowly"
            )
        if g.method != "EULER":
            raise ModelError(f"grains: on a GPU the method is EULER, not {g.method}")
        if g._q_at:
            raise ModelError("grains: orientations are not followed on a GPU: leave orientation=True out")
        from . import _device

        self._kernels = _device
        g._ready()
        table = g._table()
        if remembering(table):
            raise ModelError(
                "grains: VISCOELASTIC and friction SPRING and MINDLIN have memory and do not run on a GPU: choose laws "
                "without"
            )
        self._g, self._cuda, self._n = g, cuda, g._rows
        n = max(1, self._n)
        parts = min(PARTS, 1 + n // 64)
        put, empty = cuda.to_device, cuda.device_array
        self._hot, self._cold = put(np.ascontiguousarray(g._hot[:n])), put(np.ascontiguousarray(g._cold[:n]))
        self._hot2, self._cold2 = empty((n, HOT)), empty((n, g._cold.shape[1]))
        self._law, self._prim = put(table), put(np.ascontiguousarray(g._prim))
        self._nm = int(round(math.sqrt(len(table))))
        self._wall = put(g._walls.copy() if len(g._walls) else np.zeros((0, WALL)))
        self._none, self._F = put(np.zeros((1, REMEMBERED))), empty((6, n))
        self._key, self._order, self._number = (empty(n, np.int32) for _ in range(3))
        self._part, self._fill = empty(parts, np.int32), None
        self._nbr = empty((24, n), np.int32)
        self._flag = put(np.zeros(8, np.int32))
        self._skin = 0.0
        self._out = empty((parts, 9))
        self._listed = False
        self.builds = 0

    def _go(self, kernel, n: int, *arguments) -> None:
        block = min(BLOCK, max(1, n))
        kernel[(n + block - 1) // block, block](*arguments)

    def _build(self) -> None:
        k, n, empty = self._kernels, self._n, self._cuda.device_array
        self._go(k.extent, len(self._part), self._hot, n, self._out)
        out = self._out.copy_to_host()
        low, high, largest, least = out[:, :3].min(axis=0), out[:, 3:6].max(axis=0), out[:, 6].max(), out[:, 7].min()
        if not (
            np.isfinite(out[:, 8]).all() and out[:, 8].max() * self._g.step <= 1.0 and np.abs([low, high]).max() < 1e100
        ):
            raise ModelError(
                f"grains: at time {self._g.time:.6g} spheres fly further than their radius in one step: the step "
                f"{self._g.step:g} "
                "is too long for the stiffness"
            )
        self._skin = self._g._skin if self._g._skin is not None else SKIN_PART * (least + largest)
        grid, g = cells_of(low, high, np.array([largest]), self._skin, 4 * n + 1000)
        cells = int(g[0, :3].prod())
        if self._fill is None or len(self._fill) < cells + 1:
            self._fill, self._begin, self._cursor = (empty(cells + cells // 4 + 1, np.int32) for _ in range(3))
        grid, g = self._cuda.to_device(grid), self._cuda.to_device(g)
        self._go(k.clear, cells + 1, self._fill, cells + 1)
        self._go(k.count, n, self._hot, n, grid, g, self._key, self._fill)
        self._go(k.sums, len(self._part), self._fill, cells, self._part)
        self._go(k.running, 1, self._part)
        self._go(k.begins, len(self._part), self._fill, cells, self._part, self._begin, self._cursor)
        self._go(k.place, n, n, self._key, self._cursor, self._order)
        self._go(k.tidy, cells, cells, self._begin, self._order)
        self._go(k.permute, n, n, self._order, self._hot, self._cold, self._hot2, self._cold2)
        self._hot, self._hot2, self._cold, self._cold2 = self._hot2, self._hot, self._cold2, self._cold
        while True:
            self._go(k.lists, n, self._hot, n, self._skin, grid, g, self._begin, self._nbr, self._number)
            most = int(self._number.copy_to_host()[:n].max())
            if most <= self._nbr.shape[0]:
                break
            self._nbr = empty((most + most // 8, n), np.int32)
        self.builds += 1
        self._listed = True

    def advance(self, steps: int) -> None:
        """That many steps on the device."""
        k, n, g, done = self._kernels, self._n, self._g, 0
        if n == 0:
            raise ModelError("grains: there is no sphere yet")
        while done < steps:
            if not self._listed:
                self._build()
            flag = np.zeros(8, np.int32)
            flag[4] = most = min(PATIENCE, steps - done)
            self._flag.copy_to_device(flag)
            for _ in range(most):
                self._go(k.latch, 1, self._flag, self._wall, g.step)
                self._go(
                    k.forces,
                    n,
                    self._flag,
                    self._hot,
                    n,
                    self._nbr,
                    self._number,
                    self._law,
                    self._nm,
                    self._prim,
                    self._wall,
                    self._none,
                    self._F,
                )
                self._go(
                    k.move,
                    n,
                    self._flag,
                    self._hot,
                    self._cold,
                    n,
                    self._F,
                    g.step,
                    *(float(x) for x in g.gravity),
                    self._skin,
                    g._load_at,
                )
            self._go(k.latch, 1, self._flag, self._wall, g.step)
            flag = self._flag.copy_to_host()
            done += int(flag[2])
            g.steps += int(flag[2])
            g.time += int(flag[2]) * g.step
            self._listed = not flag[1]

    def pull(self) -> Granular:
        """Writes the state back; returns the `Granular`."""
        g, n = self._g, self._n
        hot, cold = self._hot.copy_to_host()[:n], self._cold.copy_to_host()[:n]
        row = np.argsort(cold[:, ID], kind="stable")
        g.set(pos=hot[row, X : X + 3], vel=hot[row, V : V + 3], omega=hot[row, W : W + 3])
        walls_now = self._wall.copy_to_host()
        for wall, row in zip(g.walls, walls_now):
            wall._row[:W_V] = row[:W_V]
        return g
