"""FMUs that locate functions that switch: bits of the simulation, closed forms, returns to earlier states."""

import math
import random
import shutil

import fmu_library
import pytest

import holonom as hn
from holonom.model.control import SampleTime

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("gcc", "cc", "clang"))), reason="the runtime of FMUs is linked by a C compiler"
)
GRAVITY, HEIGHT, STIFFNESS = 9.80665, 0.3, 1e3


def bouncing():
    """A mass of 1 kg that falls on a one-sided spring: free fall and half a period of a linear oscillator in turn."""
    model = hn.Model("bouncing", units="SI")
    model.gravity = (0, 0, -GRAVITY)
    ball = model.part("ball", mass=1.0, inertia=(1, 1, 1), position=(0, 0, HEIGHT))
    model.translational(ball, model.ground, "slide", at=(0, 0, HEIGHT), axis=(0, 0, 1))
    lift = model.input("lift")
    model.vforce(ball.cm, model.ground, fz=f"IF(DZ({ball.cm}): -{STIFFNESS}*DZ({ball.cm}), 0, 0) + VARVAL({lift.id})")
    model.variable(f"DZ({ball.cm})", "height")
    model.variable(f"VZ({ball.cm})", "speed")
    return model


def height_of_bouncing(t):
    """The motion in closed form: touch with the speed v at t0, z = a (cos w s - 1) - v / w sin w s, a = g / w^2."""
    w, v = math.sqrt(STIFFNESS), math.sqrt(2 * GRAVITY * HEIGHT)
    fall, a = v / GRAVITY, GRAVITY / STIFFNESS
    pressed = 2.0 * (math.pi - math.atan2(v / w, a)) / w
    s = (t + fall) % (2.0 * fall + pressed)
    if s < 2.0 * fall:
        return v * s - 0.5 * GRAVITY * s * s
    s -= 2.0 * fall
    return a * (math.cos(w * s) - 1.0) - v / w * math.sin(w * s)


def wheel():
    """Dry friction by SIGN, a spring that acts in half of each turn, a load that changes with time alone, one that
    repeats itself, a pulse, a motion with a corner, nested branches on an input, a sensor and a sampled controller."""
    model = hn.Model("wheel", units="SI")
    model.gravity = (0, 0, 0)
    disc = model.part("disc", mass=2.0, inertia=(0.1, 0.1, 0.2), position=(0, 0, 0))
    pin = model.revolute(disc, model.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    push = model.input("push", 2.0)
    angle, rate = f"AZ({pin.i},{pin.j})", f"WZ({pin.i},{pin.j},{pin.j})"
    model.variable(angle, "angle")
    model.variable(rate, "rate")
    model.sforce(pin.i, pin.j, f"VARVAL({push.id}) - 0.4*SIGN(1, {rate})", kind="ROTATIONAL")
    model.sforce(pin.i, pin.j, f"IF(SIN({angle}): 0, 0, -0.5*SIN({angle}))", kind="ROTATIONAL")
    model.sforce(pin.i, pin.j, "IF(COS(9*TIME) - 0.3: 0.1, 0, -0.2)", kind="ROTATIONAL")
    model.sforce(pin.i, pin.j, "0.3*(STEP(TIME,0.41,0,0.411,1) - STEP(TIME,0.413,1,0.414,0))", kind="ROTATIONAL")
    model.sforce(
        pin.i,
        pin.j,
        f"IF(VARVAL({push.id}): IF({rate}+1: 0.1, 0.1, -0.1), 0, MAX(0, {rate}-2)*-0.3)",
        kind="ROTATIONAL",
    )
    slide = model.part("slide", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0))
    rail = model.translational(slide, model.ground, "rail", at=(1, 0, 0), axis=(1, 0, 0))
    model.motion(rail, "IF(TIME-0.7: 0, 0, 0.5*(TIME-0.7)**2)")
    model.variable(f"DX({slide.cm})", "travel")
    model.sensor(rate, 3.0, comparison="GE", stepsize=1e-3)
    model.control.function("seen", rate)
    model.control.function("wanted", "3")
    model.control.pid(
        "brake", reference="wanted", measurement="seen", kp=0.3, upper=0.0, lower=-1.0, sample_time=SampleTime(0.05)
    )
    model.sforce(pin.i, pin.j, "VARVAL(brake)", kind="ROTATIONAL")
    return model


def braked():
    """A block that dry friction by SIGN stops: the condition changes back at once, again and again."""
    model = hn.Model("braked", units="SI")
    model.gravity = (0, 0, 0)
    block = model.part("block", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0), velocity=(0.01, 0, 0))
    model.translational(block, model.ground, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    pull = model.input("pull")
    model.vforce(block.cm, None, fx=f"VARVAL({pull.id}) - 4*SIGN(1, VX({block.cm}))")
    model.variable(f"DX({block.cm})", "x")
    return model


def wall():
    """A mass that bounces on Hertz's law: a power of MAX, which has no value on the other side."""
    model = hn.Model("wall", units="SI")
    model.gravity = (0, 0, -GRAVITY)
    ball = model.part("ball", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 1e-12), velocity=(0, 0, -1))
    model.translational(ball, model.ground, "slide", at=(0, 0, 0), axis=(0, 0, 1))
    lift = model.input("lift")
    model.vforce(ball.cm, model.ground, fz=f"1E5*MAX(0,-DZ({ball.cm}))**1.5 + VARVAL({lift.id})")
    model.variable(f"DZ({ball.cm})", "height")
    return model


def clamped():
    """A PI that is led beyond both of its limits, stays there while its integral slides, and comes back; a sampled
    block beside it begins steps anew."""
    model = hn.Model("clamped", units="SI")
    wanted = model.input("wanted", 1.0)
    model.control.pid(
        "u",
        reference=f"VARVAL({wanted.id})",
        measurement="y",
        kp=1.0,
        ti=0.2,
        form="ideal",
        upper=1.2,
        lower=-0.3,
        anti_windup="clamping",
    )
    model.control.lag("y", "u", time_constant=2.0)
    model.control.gain("seen", "y", gain=2.0, sample_time=0.13)
    for k in range(6):  # the input is kept at more than a dozen places
        model.control.saturation(f"part{k}", f"VARVAL({wanted.id})-0.1*{k}", lower=-0.3, upper=0.5)
    model.sensor(f"VARVAL({model.find('VARIABLE', 'y').id})", 0.5, "GE", error=1e-6, name="half", evaluate="TIME")
    for k in range(14):  # and what the sensor keeps
        model.control.function(f"later{k}", f"MAX(SENVAL(half), 0.1*{k})")
    return model


#: model, its input, range of the latter, communication step, steps
MACHINES = {
    "bouncing": (bouncing, "lift", (-2.0, 2.0), 0.02, 150),
    "wall": (wall, "lift", (-2.0, 2.0), 0.02, 60),
    "wheel": (wheel, "push", (1.2, 2.2), 0.02, 150),
    "clamped": (clamped, "wanted", (-0.4, 1.1), 0.1, 150),
    "braked": (braked, "pull", (-0.01, 0.01), 1.67e-4, 15),  # it stops at 2.5 ms, and changes 1,000 times in each 5 us
}


def outputs_of(fmu):
    return [n for n, c in fmu.causality.items() if c == "output"]


def exported(make, folder, **options):
    return fmu_library.Fmu2(hn.export_fmu(make(), folder / "a.fmu", events=True, **options), folder / "a")


@pytest.mark.parametrize("name", MACHINES)
def test_equal_to_the_simulation(name, tmp_path):
    """All outputs have the bits of the simulation with events under an input that changes now and then; so has a run
    from an earlier state, and one from its bytes."""
    make, entry, (low, high), size, steps = MACHINES[name]
    fmu = exported(make, tmp_path, duration=4.0)
    fmu.begin()
    sim, names, draw = hn.Simulation(make()), outputs_of(fmu), random.Random(2)
    sim.open(record="none", integrator="DOP853", duration=4.0, coordinates="maximal")
    rows, kept = [], []
    for k in range(steps):
        if k % 9 == 4:
            value = draw.uniform(low, high)
            fmu.set(**{entry: value})
            sim.set_input(entry, value)
        kept.append((fmu.keep(), fmu.get(entry)))
        fmu.step(k * size, size)
        while sim.time < k * size + size:
            sim.advance(k * size + size)
        rows.append(fmu.get(*names))
        assert rows[-1] == [sim.output(n) for n in names], k
    sim.close()
    assert (name == "braked") == bool(sim.chatter)  # friction that sticks decides by itself for a while
    assert sim.recorder.counters["discontinuities located"] >= 4
    for _ in range(20):
        k = draw.randrange(steps - 6)
        state, again = kept[k][0], fmu.instance
        if k % 2:
            fmu.instance = fmu.open()
            fmu.begin()
            state = fmu.from_bytes(fmu.bytes_of(state))
        fmu.restore(state)
        for n in range(k, k + 5):
            fmu.set(**{entry: kept[n][1][0]})
            fmu.step(n * size, size)
            assert fmu.get(*names) == rows[n]
        if k % 2:
            fmu.close()
            fmu.instance = again
    fmu.close()


def test_closed_form_of_a_bouncing_mass(tmp_path):
    """Ten times of switching lie in two steps of the importer, and the motion is that of the closed form."""
    fmu = exported(bouncing, tmp_path, error=1e-11)
    fmu.begin()
    fmu.step(0.0, 1.3)
    assert fmu.get("height")[0] == pytest.approx(height_of_bouncing(1.3), abs=2e-9)
    fmu.step(1.3, 1.4)
    assert fmu.get("height")[0] == pytest.approx(height_of_bouncing(2.7), abs=5e-9)
    fmu.close()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [({"kind": "me"}, "events=True is for co-simulation; in model exchange the importer locates events, leave it out")],
)
def test_what_is_refused(tmp_path, options, sentence):
    with pytest.raises(hn.ModelError) as caught:
        hn.export_fmu(bouncing(), tmp_path / "no.fmu", events=True, **options)
    assert sentence in str(caught.value)
