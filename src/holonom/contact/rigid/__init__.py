"""Rigid contact: Signorini's condition, Coulomb's law, spin and rolling resistance as one discrete problem, and its
solvers."""

from .modes import Solution, modes
from .problem import Problem, make_problem
from .solvers import SOLVERS, Report, Settings, before, delassus, solve

__all__ = [
    "SOLVERS",
    "Problem",
    "Report",
    "Settings",
    "Solution",
    "before",
    "delassus",
    "make_problem",
    "modes",
    "solve",
]
