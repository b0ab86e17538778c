"""Exact derivatives of runs: functionals, numbers of the tables that a parameter moves, and the gradient."""
