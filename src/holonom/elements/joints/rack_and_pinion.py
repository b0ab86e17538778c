"""RACKPIN joint: pinion I rolls on rack J without slip (1 equation).

x of the pinion marker points along z of the rack (Adams Solver, JOINT statement); the travel of the pinion along the
rack equals half the pitch diameter times the pinion's angle from there, with the sign that real Adams curves show.
"""

from .composition import coupling, declare


def _setup(joint):
    if not joint.pd:
        raise joint.error("a rack-and-pinion joint needs PD, its pitch diameter, not zero")
    return (coupling(((1.0, "distance"), (0.5 * joint.pd, "rack angle"))),)


declare("RACKPIN", (), setup=_setup)
