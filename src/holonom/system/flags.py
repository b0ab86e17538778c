"""Positions in ``W.flags`` (int64): what evaluations report besides numbers.  The caller clears a flag before."""

USER_FAILED = 0  # 1 + a user routine that raised an error (`System.raise_user_error`)
UNSOLVED = 1  # 1 + a function whose variable depends on itself and for which no value was found
UNSETTLED = 2  # how often forces did not agree with the reactions or accelerations that they depend on
REFINE = 3  # multipliers lack digits and need refinement
BY_GEOMETRY = 4  # the last decision on redundant rows was made by geometry
GIVEN_WEIGHTS = 5  # redundant rows are left to the weights at hand (`analyses.assemble`)
FLAGS = 6
