"""One tiny machine for the tests of scripts, the command line and damaged files: its kernels compile once."""

# a pendulum with a motion that can be switched on, a variable, a sensor and a request
TINY = """pendulum
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
MARKER/1, PART=1
PART/2, MASS=1, CM=21, IP=0.01,0.01,0.01, QG=1,0,0
MARKER/20, PART=2, QP=-1,0,0
MARKER/21, PART=2
JOINT/1, REVOLUTE, I=20, J=1
VARIABLE/1, FUNCTION=0
SFORCE/1, ROTATIONAL, I=20, J=1, FUNCTION=VARVAL(1)
SENSOR/7, FUNCTION=TIME, GE, VALUE=0.2, ERROR=1E-9, RETURN
REQUEST/1, DISPLACEMENT, I=21, J=1
ACCGRAV/JGRAV=-9.81
END
"""
SCRIPT = """file/model=tiny
OUTPUT/REQSAVE
sim/dyn, end=0.5, steps=10
deactivate/sensor, id=7
accgrav/jgrav=0
VARIABLE/1, FUNC=2.02
sim/dyn, dur=0.3, dtout=0.1
stop
sim/dyn, end=9, steps=9
"""
