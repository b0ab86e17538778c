"""Coefficients of tyres for tests."""

#: of no tyre in particular: every coefficient counts
TYRE = {
    "UNLOADED_RADIUS": 0.3, "VERTICAL_STIFFNESS": 2e5, "VERTICAL_DAMPING": 50.0, "FNOMIN": 4000.0, "VXLOW": 1.0, "IP": 2.2, "IP_NOM": 2.0,
    "PCX1": 1.6, "PDX1": 1.1, "PDX2": -0.1, "PDX3": 2.0, "PEX1": 0.1, "PEX2": 0.3, "PEX3": -0.1, "PEX4": 0.05, "PKX1": 22.0, "PKX2": 1.0, "PKX3": 0.2,
    "PHX1": -0.001, "PHX2": 0.0005, "PVX1": 0.01, "PVX2": -0.02, "PPX1": -0.3, "PPX2": 0.1, "PPX3": -0.1, "PPX4": 0.05, "RBX1": 13.0, "RBX2": 9.0, "RCX1": 1.0,
    "REX1": -0.4, "REX2": -0.4, "RHX1": 0.002, "PTX1": 2.0, "PTX2": 0.3, "PTX3": -0.2, "QSX1": 0.01, "QSX2": 0.6, "QSX3": 0.05,
    "PCY1": 1.3, "PDY1": 0.95, "PDY2": -0.15, "PDY3": -1.0, "PEY1": -0.8, "PEY2": -0.6, "PEY3": 0.1, "PEY4": -6.0, "PKY1": -16.0, "PKY2": 1.7, "PKY3": 0.3,
    "PHY1": 0.002, "PHY2": 0.001, "PHY3": 0.03, "PVY1": 0.03, "PVY2": -0.01, "PVY3": -0.2, "PVY4": -0.4, "PPY1": -0.5, "PPY2": -0.1, "PPY3": -0.1, "PPY4": 0.1,
    "RBY1": 10.0, "RBY2": 9.0, "RBY3": 0.03, "RCY1": 1.0, "REY1": 0.2, "REY2": 0.1, "RHY1": 0.01, "RHY2": 0.005, "RVY1": 0.05, "RVY2": -0.03, "RVY3": -0.2,
    "RVY4": 14.0, "RVY5": 1.9, "RVY6": -9.0, "PTY1": 2.1, "PTY2": 2.0, "QSY1": 0.01, "QSY2": 0.002, "QSY3": 0.001, "QSY4": 0.0001,
    "QBZ1": 9.0, "QBZ2": -1.0, "QBZ3": -0.5, "QBZ4": 0.3, "QBZ5": -0.4, "QBZ9": 18.0, "QBZ10": 0.1, "QCZ1": 1.2, "QDZ1": 0.1, "QDZ2": -0.005, "QDZ3": -0.3,
    "QDZ4": 2.0, "QDZ6": -0.005, "QDZ7": 0.002, "QDZ8": -0.1, "QDZ9": -0.05, "QEZ1": -1.8, "QEZ2": -0.8, "QEZ3": 0.1, "QEZ4": 0.2, "QEZ5": -1.0,
    "QHZ1": 0.005, "QHZ2": 0.002, "QHZ3": 0.15, "QHZ4": 0.05, "SSZ1": 0.03, "SSZ2": 0.006, "SSZ3": 0.4, "SSZ4": -0.2, "QPZ1": 0.1, "QPZ2": 0.1,
}  # fmt: skip


#: deflection and load
LOADS, RIM = ((0, 0), (0.01, 1500), (0.02, 3300), (0.03, 5400), (0.06, 13000)), ((0, 0), (0.025, 10.0), (0.05, 900.0))

#: a passenger tyre of round numbers, ours
PASSENGER = {
    "UNLOADED_RADIUS": 0.31, "VERTICAL_STIFFNESS": 2e5, "VERTICAL_DAMPING": 100.0, "FNOMIN": 4000.0, "VXLOW": 1.0, "LONGVL": 16.7,
    "PCX1": 1.6, "PDX1": 1.1, "PDX2": -0.1, "PEX1": 0.1, "PEX2": 0.3, "PKX1": 22.0, "PKX2": 1.0, "PKX3": 0.2, "RBX1": 13.0, "RBX2": 9.0, "RCX1": 1.0,
    "PTX1": 2.0, "PTX2": 0.3, "PTX3": -0.2, "PCY1": 1.3, "PDY1": 0.95, "PDY2": -0.15, "PEY1": -0.8, "PEY2": -0.6, "PKY1": -16.0, "PKY2": 1.7, "PHY3": 0.03, "PVY3": -0.2,
    "RBY1": 10.0, "RBY2": 9.0, "RCY1": 1.0, "PTY1": 2.1, "PTY2": 2.0, "QSY1": 0.01, "QBZ1": 9.0, "QBZ9": 18.0, "QCZ1": 1.2, "QDZ1": 0.1, "QEZ1": -1.8, "SSZ1": 0.03,
}  # fmt: skip
