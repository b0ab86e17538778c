"""Coefficients of tyres for tests."""

#: of no tyre in particular: every coefficient counts
TYRE = {
    "UNLOADED_RADIUS": 0.3, "VERTICAL_STIFFNESS": 2e5, "VERTICAL_DAMPING": 50.0, "FNOMIN": 4000.0, "VXLOW": 1.0,
    "IP": 2.2, "IP_NOM": 2.0,
    "PCX1": 1.6, "PDX1": 1.1, "PDX2": -0.1, "PDX3": 2.0, "PEX1": 0.1, "PEX2": 0.3, "PEX3": -0.1, "PEX4": 0.05,
    "PKX1": 22.0, "PKX2": 1.0, "PKX3": 0.2,
    "PHX1": -0.001, "PHX2": 0.0005, "PVX1": 0.01, "PVX2": -0.02, "PPX1": -0.3, "PPX2": 0.1, "PPX3": -0.1, "PPX4": 0.05,
    "RBX1": 13.0, "RBX2": 9.0, "RCX1": 1.0,
    "REX1": -0.4, "REX2": -0.4, "RHX1": 0.002, "PTX1": 2.0, "PTX2": 0.3, "PTX3": -0.2, "QSX1": 0.01, "QSX2": 0.6,
    "QSX3": 0.05,
    "PCY1": 1.3, "PDY1": 0.95, "PDY2": -0.15, "PDY3": -1.0, "PEY1": -0.8, "PEY2": -0.6, "PEY3": 0.1, "PEY4": -6.0,
    "PKY1": -16.0, "PKY2": 1.7, "PKY3": 0.3,
    "PHY1": 0.002, "PHY2": 0.001, "PHY3": 0.03, "PVY1": 0.03, "PVY2": -0.01, "PVY3": -0.2, "PVY4": -0.4, "PPY1": -0.5,
    "PPY2": -0.1, "PPY3": -0.1, "PPY4": 0.1,
    "RBY1": 10.0, "RBY2": 9.0, "RBY3": 0.03, "RCY1": 1.0, "REY1": 0.2, "REY2": 0.1, "RHY1": 0.01, "RHY2": 0.005,
    "RVY1": 0.05, "RVY2": -0.03, "RVY3": -0.2,
    "RVY4": 14.0, "RVY5": 1.9, "RVY6": -9.0, "PTY1": 2.1, "PTY2": 2.0, "QSY1": 0.01, "QSY2": 0.002, "QSY3": 0.001,
    "QSY4": 0.0001,
    "QBZ1": 9.0, "QBZ2": -1.0, "QBZ3": -0.5, "QBZ4": 0.3, "QBZ5": -0.4, "QBZ9": 18.0, "QBZ10": 0.1, "QCZ1": 1.2,
    "QDZ1": 0.1, "QDZ2": -0.005, "QDZ3": -0.3,
    "QDZ4": 2.0, "QDZ6": -0.005, "QDZ7": 0.002, "QDZ8": -0.1, "QDZ9": -0.05, "QEZ1": -1.8, "QEZ2": -0.8, "QEZ3": 0.1,
    "QEZ4": 0.2, "QEZ5": -1.0,
    "QHZ1": 0.005, "QHZ2": 0.002, "QHZ3": 0.15, "QHZ4": 0.05, "SSZ1": 0.03, "SSZ2": 0.006, "SSZ3": 0.4, "SSZ4": -0.2,
    "QPZ1": 0.1, "QPZ2": 0.1,
}  # fmt: skip


#: scale factors of PAC2002, each other than one
SCALES = {
    "LFZO": 1.1, "LCX": 0.95, "LEX": 1.2, "LKX": 0.85, "LHX": 1.3, "LVX": 0.7, "LMUX": 0.9, "LGAX": 1.25, "LCY": 1.05,
    "LEY": 0.8, "LKY": 1.15, "LHY": 0.75, "LVY": 1.3,
    "LMUY": 0.88, "LGAY": 1.12, "LKYG": 0.65, "LTR": 1.18, "LRES": 0.72, "LGAZ": 1.35, "LXAL": 0.83, "LYKA": 1.22,
    "LVYKA": 0.6, "LS": 1.28, "LMX": 0.77, "LMY": 1.4,
    "LVMX": 0.68, "LSGKP": 0.81, "LSGAL": 1.24, "LCZ": 1.07,
}  # fmt: skip

#: deflection and load
LOADS, RIM = ((0, 0), (0.01, 1500), (0.02, 3300), (0.03, 5400), (0.06, 13000)), ((0, 0), (0.025, 10.0), (0.05, 900.0))

#: a passenger tyre of round numbers, ours
PASSENGER = {
    "UNLOADED_RADIUS": 0.31, "VERTICAL_STIFFNESS": 2e5, "VERTICAL_DAMPING": 100.0, "FNOMIN": 4000.0, "VXLOW": 1.0,
    "LONGVL": 16.7,
    "PCX1": 1.6, "PDX1": 1.1, "PDX2": -0.1, "PEX1": 0.1, "PEX2": 0.3, "PKX1": 22.0, "PKX2": 1.0, "PKX3": 0.2,
    "RBX1": 13.0, "RBX2": 9.0, "RCX1": 1.0,
    "PTX1": 2.0, "PTX2": 0.3, "PTX3": -0.2, "PCY1": 1.3, "PDY1": 0.95, "PDY2": -0.15, "PEY1": -0.8, "PEY2": -0.6,
    "PKY1": -16.0, "PKY2": 1.7, "PHY3": 0.03, "PVY3": -0.2,
    "RBY1": 10.0, "RBY2": 9.0, "RCY1": 1.0, "PTY1": 2.1, "PTY2": 2.0, "QSY1": 0.01, "QBZ1": 9.0, "QBZ9": 18.0,
    "QCZ1": 1.2, "QDZ1": 0.1, "QEZ1": -1.8, "SSZ1": 0.03,
}  # fmt: skip

#: of no tyre in particular, by MF-Tyre 6: every coefficient counts
MF6 = {
    "UNLOADED_RADIUS": 0.33, "VERTICAL_STIFFNESS": 2.2e5, "VERTICAL_DAMPING": 80.0, "LONGITUDINAL_STIFFNESS": 3.5e5,
    "LATERAL_STIFFNESS": 1.6e5, "FNOMIN": 4500.0,
    "LONGVL": 16.6, "VXLOW": 1.0, "INFLPRES": 2.4e5, "NOMPRES": 2.2e5, "BREFF": 8.0, "DREFF": 0.25, "FREFF": 0.1,
    "FZMAX": 1.2e4, "CAMMIN": -0.3, "CAMMAX": 0.3,
    "LFZO": 1.05, "LCX": 0.98, "LMUX": 0.95, "LEX": 1.1, "LKX": 0.97, "LHX": 0.9, "LVX": 1.2, "LCY": 1.03, "LMUY": 0.93,
    "LEY": 1.05, "LKY": 1.02, "LKYC": 0.96,
    "LKZC": 1.04, "LHY": 1.1, "LVY": 0.9, "LTR": 0.95, "LRES": 1.05, "LXAL": 1.02, "LYKA": 0.98, "LVYKA": 1.07,
    "LS": 0.9, "LMX": 1.1, "LVMX": 0.8, "LMY": 1.2,
    "LMP": 0.9, "Q_RE0": 0.998, "Q_V1": 6e-4, "Q_V2": 0.03, "Q_FZ2": 14.0, "Q_FZ3": 0.8, "Q_FCX": -0.02, "Q_FCY": 0.2,
    "PFZ1": 0.7, "PCFX1": 0.1, "PCFX2": -0.1,
    "PCFX3": 0.2, "PCFY1": -0.2, "PCFY2": 0.07, "PCFY3": 0.6,
    "PCX1": 1.55, "PDX1": 1.15, "PDX2": -0.1, "PDX3": 0.9, "PEX1": 0.25, "PEX2": 0.02, "PEX3": 0.05, "PEX4": 0.3,
    "PKX1": 25.0, "PKX2": 5.0, "PKX3": -0.1, "PHX1": -0.002,
    "PHX2": 0.0007, "PVX1": 0.03, "PVX2": 0.002, "PPX1": -0.8, "PPX2": 0.7, "PPX3": -0.01, "PPX4": -0.4, "RBX1": 15.0,
    "RBX2": 12.0, "RBX3": 20.0, "RCX1": 0.97,
    "REX1": -1.0, "REX2": -0.1, "RHX1": 0.004, "QSX1": 0.001, "QSX2": 0.8, "QSX3": 0.1, "QSX4": 0.3, "QSX5": 0.5,
    "QSX6": 1.2, "QSX7": -0.9, "QSX8": 0.6, "QSX9": 0.4,
    "QSX10": 0.2, "QSX11": 1.5, "QSX12": 0.3, "QSX13": 0.02, "QSX14": -0.1, "PPMX1": -0.03,
    "PCY1": 1.4, "PDY1": 1.0, "PDY2": -0.13, "PDY3": 2.0, "PEY1": -0.4, "PEY2": -0.5, "PEY3": -0.1, "PEY4": -5.0,
    "PEY5": 8.0, "PKY1": -22.0, "PKY2": 2.2, "PKY3": 0.2,
    "PKY4": 1.9, "PKY5": 1.2, "PKY6": -0.9, "PKY7": 0.15, "PHY1": 0.002, "PHY2": 0.001, "PVY1": 0.02, "PVY2": 0.007,
    "PVY3": -0.3, "PVY4": -0.2, "PPY1": 0.35,
    "PPY2": 1.1,
    "PPY3": 0.1, "PPY4": -0.1, "PPY5": -0.8, "RBY1": 14.0, "RBY2": -9.0, "RBY3": -0.01, "RBY4": 30.0, "RCY1": 0.95,
    "REY1": 0.4, "REY2": 0.1, "RHY1": -0.006,
    "RHY2": 0.004, "RVY1": 0.014, "RVY2": 0.012, "RVY3": 0.4, "RVY4": -40.0, "RVY5": -1.8, "RVY6": -20.0, "QSY1": 0.01,
    "QSY2": 0.002, "QSY3": 0.0004, "QSY4": 4e-5,
    "QSY5": 0.1, "QSY6": 0.2, "QSY7": 0.85, "QSY8": -0.4, "QBZ1": 11.0, "QBZ2": -0.9, "QBZ3": -0.6, "QBZ4": -0.5,
    "QBZ5": 0.7, "QBZ9": 20.0, "QBZ10": 0.3, "QCZ1": 1.17,
    "QDZ1": 0.085, "QDZ2": 0.002, "QDZ3": -0.8, "QDZ4": 4.0, "QDZ6": 0.002, "QDZ7": 0.002, "QDZ8": -0.3, "QDZ9": 0.2,
    "QDZ10": 0.4, "QDZ11": -0.6, "QEZ1": -2.5,
    "QEZ2": -1.0, "QEZ3": 0.5, "QEZ4": 0.3, "QEZ5": -2.0, "QHZ1": 0.002, "QHZ2": 0.002, "QHZ3": 0.2, "QHZ4": -0.2,
    "PPZ1": 0.9, "PPZ2": 0.5, "SSZ1": 0.03, "SSZ2": 0.01,
    "SSZ3": 0.3, "SSZ4": 0.2, "PDXP1": 0.4, "PDXP2": 0.1, "PDXP3": 0.2, "PKYP1": 0.9, "PDYP1": 0.4, "PDYP2": 0.1,
    "PDYP3": 0.1, "PDYP4": 0.05, "PHYP1": 1.0,
    "PHYP2": 0.15, "PHYP3": 0.05, "PHYP4": -4.0, "PECP1": 0.5, "PECP2": 0.1, "QDTP1": 10.0, "QCRP1": 0.2, "QCRP2": 0.1,
    "QBRP1": 0.1, "QDRP1": 1.0, "QDRP2": -1.5,
}  # fmt: skip

#: of the formula of 1989, of no tyre in particular
PAC89 = {
    "a0": 1.5, "a1": -30.0, "a2": 1011.0, "a3": 1078.0, "a4": 1.82, "a5": 0.01, "a6": 0.02, "a7": -0.35, "a8": 0.02,
    "a9": 0.01, "a10": 0.02, "a11": -5.0, "a12": 3.0,
    "a13": 2.0, "b0": 1.65, "b1": -21.3, "b2": 1144.0, "b3": 49.6, "b4": 226.0, "b5": 0.069, "b6": -0.006, "b7": 0.056,
    "b8": 0.486, "b9": 0.01, "b10": 0.02,
    "c0": 2.4, "c1": -2.7, "c2": -1.86, "c3": -2.7, "c4": -0.64, "c5": 0.1, "c6": 0.01, "c7": 0.02, "c8": -0.5,
    "c9": 0.1, "c10": 0.02, "c11": 0.01, "c12": 0.02,
    "c13": 0.01, "c14": 0.3, "c15": 0.2, "c16": 0.1, "c17": 0.2,
}  # fmt: skip

#: TMeasy of a passenger car at the nominal load and twice that
FIRST = {"dfx0": 60e3, "fxm": 3500.0, "sxm": 0.17, "fxs": 2800.0, "sxs": 0.9, "dfy0": 48e3, "fym": 3200.0, "sym": 0.18,
    "fys": 2700.0, "sys": 0.82, "nto0": 0.178,
         "synto0": 0.19, "syntoE": 0.82, "rolling": 0.015, "dynamic_radius": 0.375}  # fmt: skip
SECOND = {"dfx0": 110e3, "fxm": 6500.0, "sxm": 0.16, "fxs": 5000.0, "sxs": 0.95, "dfy0": 70e3, "fym": 5800.0,
"sym": 0.24, "fys": 4900.0, "sys": 0.91, "nto0": 0.19,
          "synto0": 0.25, "syntoE": 0.91, "rolling": 0.012, "dynamic_radius": 0.75}  # fmt: skip


def linear(c, fz, kappa, tana, gamma, vx, omega, psi, mu):
    """The function of a user's tyre: straight lines."""
    return (
        c[0] * kappa * fz,
        -c[1] * tana * fz * mu - 0.5 * gamma * fz,
        0.02 * fz * gamma,
        0.0,
        c[2] * tana * fz - 0.3 * psi,
    )


BODY = {"radius": 0.3, "stiffness": 2e5, "damping": 50.0}
#: kind -> a tyre of it between markers (or on a road) of a model
TYRES = {
    "TYRE_BRUSH": lambda m, i, j, **o: m.tyre_brush(
        i, j, **BODY, slip_stiffness=8e4, load=4000.0, half_length=0.07, mu=0.9, fall=0.01, camber=0.3, **o
    ),
    "TYRE_FIALA": lambda m, i, j, **o: m.tyre_fiala(
        i, j, **BODY, cslip=8e4, calpha=6e4, umax=0.9, umin=0.7, width=0.2, rolling_resistance=0.003, **o
    ),
    "TYRE_MF6": lambda m, i, j, **o: m.tyre_mf6(i, j, MF6, mirror=True, mu=0.9, **{"mode": 5, **o}),
    "TYRE_PAC2002": lambda m, i, j, **o: m.tyre_pac2002(
        i, j, TYRE, mirror=True, mu=0.9, load_curve=LOADS, bottoming=RIM, **o
    ),
    "TYRE_PAC89": lambda m, i, j, **o: m.tyre_pac89(
        i, j, PAC89, **BODY, lateral_stiffness=1e5, mirror=True, load_curve=LOADS, **o
    ),
    "TYRE_TMEASY": lambda m, i, j, **o: m.tyre_tmeasy(
        i,
        j,
        radius=0.3,
        width=0.2,
        load=3000.0,
        stiffness=2e5,
        stiffness_2=2.2e5,
        damping=50.0,
        cx=1.5e5,
        cy=1.2e5,
        dx=300.0,
        dy=300.0,
        first=FIRST,
        second=SECOND,
        **o,
    ),
    "TYRE_UA": lambda m, i, j, **o: m.tyre_ua(i, j, **BODY, cslip=8e4, calpha=6e4, cgamma=3e3, umax=0.9, umin=0.7, **o),
    "TYRE_USER": lambda m, i, j, **o: m.tyre_user(
        i, j, linear, **BODY, coefficients=(20.0, 15.0, 1.0), slip_stiffness_x=8e4, slip_stiffness_y=6e4, **o
    ),
}
