"""Condition numbers of the iteration matrix with and without the contacts that are idle.

    python benchmarks/contact_conditioning.py [STEP]

The chain drive of 60 links in steady running and the same with two toothed wheels that are out of reach (``idle``), at
one step of GSTIFF of the size STEP (1e-5 s by default), in each arrangement of contacts (``contact_activation``): the
unknowns, entries and condition number in the 1-norm of the matrix, as it is and with rows and columns scaled to one.
The inverse's norm is Higham's and Tisseur's estimate (SciPy `onenormest`) with SuperLU, which Holonom does not use.
"""

from __future__ import annotations

import sys
import warnings
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl

from holonom.analyses.assemble import assemble
from holonom.integrators import Options, make_integrator
from holonom.machinery import chain_drive
from holonom.model import Model
from holonom.system.build import System

ARRANGEMENTS = ("active", "broad-phase", "all-pairs", "unknown-forces")


class Conditioning(NamedTuple):
    """Of one matrix: ``unknowns``, ``entries``, condition numbers ``raw`` and ``scaled``."""

    unknowns: int
    entries: int
    raw: float
    scaled: float


def condition(A: sp.csc_matrix) -> float:
    """Condition number in the 1-norm."""
    factor = spl.splu(A)
    inverse = spl.LinearOperator(A.shape, matvec=factor.solve, rmatvec=lambda v: factor.solve(v, "T"), dtype=float)
    return float(spl.norm(A, 1) * spl.onenormest(inverse))


def scaled(A: sp.csc_matrix, sweeps: int = 5) -> sp.csc_matrix:
    """The largest entry of each row and column near 1 (D. Ruiz, RAL-TR-2001-034)."""
    for _ in range(sweeps):
        r = 1.0 / np.sqrt(abs(A).max(axis=1).toarray().ravel())
        c = 1.0 / np.sqrt(abs(A).max(axis=0).toarray().ravel())
        A = sp.csc_matrix(sp.diags(r) @ A @ sp.diags(c))
    return A


def conditioning(model: Model, arrangement: str, step: float, steps: int = 3) -> Conditioning:
    """Of the matrix of the last of some steps of one size."""
    system = System(model)
    y = assemble(system).y
    system.contacts.arrange(arrangement)
    options = Options(error=1e-4, hmin=step, hmax=step, extra={"contact_activation": arrangement})
    stepper = make_integrator("GSTIFF", system, options)
    stepper.start(0.0, y, 1.0, step)
    for _ in range(steps):
        stepper.step(1.0)
    A = stepper.lu._matrix(stepper.I.data)
    return Conditioning(A.shape[0], A.nnz, condition(A), condition(scaled(A)))


def main(step: float) -> None:
    warnings.simplefilter("ignore")
    print(f"step {step:g} s")
    print(f"{'contacts':20}{'arrangement':>16}{'unknowns':>10}{'entries':>9}{'condition':>12}{'scaled':>10}")
    for name, idle in (("touching", False), ("and idle wheels", True)):
        for arrangement in ARRANGEMENTS:
            c = conditioning(chain_drive(60, speed=49.5, idle=idle), arrangement, step)
            print(f"{name:20}{arrangement:>16}{c.unknowns:10}{c.entries:9}{c.raw:12.2e}{c.scaled:10.2e}", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1e-5)
