"""Argument types with which Python calls the kernels of elements (`_jit.jit`, ``entry``): table of the elements, row,
coordinates, rates; results."""

FORCES = "float64[:, ::1], int64, float64[::1], float64[::1], float64[::1]"
STIFFNESS = "float64[:, ::1], int64, float64[::1], float64[::1], float64[:, ::1], float64[:, ::1]"
ENERGIES = "float64[:, ::1], int64, float64[::1], float64[::1]"
ACCEPT = "float64[:, ::1], int64, float64[::1]"
