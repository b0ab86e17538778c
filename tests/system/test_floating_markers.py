"""Displacements that name floating markers: they are where the marker is that they are kept upon (manual: VFORCE,
GFORCE, PTCV)."""

import numpy as np
import pytest

import holonom
from holonom.formats import parse_adm

HEAD = """floating
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
MARKER/10, PART=1
MARKER/11, PART=1, FLOATING
MARKER/12, PART=1, FLOATING
MARKER/13, PART=1, QP=1,2,3, REULER=30D,40D,50D
PART/2, MASS=2, CM=20, IP=1,1,1
MARKER/20, PART=2
MARKER/21, PART=2, QP=1,0.5,0
JOINT/1, REVOLUTE, I=20, J=10
MOTION/1, JOINT=1, ROTATIONAL, FUNCTION=TIME
"""


def values(*functions, force="VFORCE/1, I=21, JFLOAT=11, RM=10, FX=TIME\\FY=0\\FZ=1"):
    text = "\\".join(f"F{n}={f}" for n, f in zip((2, 3, 4, 6, 7, 8), functions))
    return (
        holonom.simulate(parse_adm(HEAD + force + "\nREQUEST/1, " + text + "\nEND\n"), end=1.0, steps=4)
        .request(1)
        .values
    )


@pytest.mark.parametrize(
    "force",
    [
        "VFORCE/1, I=21, JFLOAT=11, RM=10, FX=TIME\\FY=0\\FZ=1",
        "VTORQUE/1, I=21, JFLOAT=11, RM=10, TX=TIME\\TY=0\\TZ=1",
        "GFORCE/1, I=21, JFLOAT=11, RM=10, FX=1\\FY=0\\FZ=0\\TX=0\\TY=0\\TZ=0",
    ],
)
def test_places(force):
    t = np.linspace(0, 1, 5)
    v = values("DX(11,10)", "DY(11)", "DM(13,11)", "DX(11,13,13)", "DX(21,13,13)", "DX(20,11,10)", force=force)
    x, y = np.cos(t) - 0.5 * np.sin(t), np.sin(t) + 0.5 * np.cos(t)
    assert (
        np.allclose(v[:, 1], x)
        and np.allclose(v[:, 2], y)
        and np.allclose(v[:, 3], np.sqrt((x - 1) ** 2 + (y - 2) ** 2 + 9))
    )
    assert np.allclose(v[:, 5], v[:, 6]) and np.allclose(v[:, 7], -x)


@pytest.mark.parametrize(
    "function, told",
    [
        ("DX(20,10,11)", "DX takes no floating marker in the third position: MARKER/11"),
        ("AZ(11,10)", "AZ takes no floating marker; only DX, DY, DZ, DM do: MARKER/11"),
        ("VX(11)", "use MARKER/21 at column 1"),
        ("DX(12)", "floats, and no VFORCE, VTORQUE, GFORCE or PTCV places it; use a fixed marker at column 1"),
    ],
)
def test_what_a_floating_marker_does_not_have(function, told):
    with pytest.raises(holonom.ModelError) as caught:
        values(function)
    assert told in str(caught.value) and str(caught.value).startswith("REQUEST/1")
