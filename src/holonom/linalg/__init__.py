"""Matrices: sparse LDLᵀ with pivot skipping, LU with frozen pivots, rank of constraint rows, eigenvalues of pencils."""
