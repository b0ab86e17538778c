"""CPU time and memory of the reduction of a block of solids, and of its factor against SuperLU.

python benchmarks/reduction_size.py [8] [--superlu]

The number is that of quadratic tetrahedra over the thickness of a block of 4 : 2 : 1, six a hexahedron: 8 makes 36,465
nodes, 6 makes 15,925. Set OPENBLAS_NUM_THREADS=1 for CPU time of one core.
"""

import sys
import time

import numpy as np

import holonom as hn


def main() -> None:
    n = next((int(a) for a in sys.argv[1:] if a.isdigit()), 8)
    clock = time.process_time
    t = clock()
    mesh = hn.flexible.box((0, 0, 0), (0.4, 0.2, 0.1), (4 * n, 2 * n, n), "tetra10")
    elements = hn.flexible.solid(mesh, hn.flexible.Material(2.1e11, 0.3, 7850.0))
    print(f"{len(elements.nodes)} nodes, {elements.K.shape[0]} unknowns, elements {clock() - t:.1f} s")
    ends = [mesh.nearest(p) for p in ((0, 0.1, 0.05), (0.4, 0.1, 0.05), (0.2, 0, 0.05), (0.2, 0.2, 0.05))]
    t = clock()
    body = hn.flexible.reduce(elements, ends, 20)
    print(f"reduced to {body.modes} modes, four interfaces, stiffness by stress: {clock() - t:.1f} s")
    try:
        import resource

        print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB at most")
    except ImportError:
        pass
    if "--superlu" in sys.argv:
        from scipy.sparse.linalg import splu

        from holonom.linalg.multifrontal import Cholesky

        keep = np.setdiff1d(np.arange(elements.K.shape[0]), 3 * mesh.groups["x-"][:3, None] + np.arange(3))
        keep = np.setdiff1d(keep, 3 * mesh.groups["x+"][:1] + np.arange(3))  # nodes at both ends hold it
        K = elements.K[keep][:, keep].tocsc()
        t = clock()
        own = Cholesky(K, keep // 3, elements.places)
        print(f"factor: {clock() - t:.1f} s, {own.nonzeros / 1e6:.0f} million numbers")
        for order in ("MMD_AT_PLUS_A", "COLAMD"):
            t = clock()
            print(f"SuperLU, {order}: {splu(K, permc_spec=order).nnz / 1e6:.0f} million numbers", end="", flush=True)
            print(f", {clock() - t:.1f} s")


if __name__ == "__main__":
    main()
