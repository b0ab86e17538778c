"""Gradients by numbers of motions: a base that moves drives a mass on a spring, against its closed form."""

import numpy as np
import pytest
from test_gradient import SIX

import holonom as hn

S = float(0.1 * np.sin(0.3))
BASE = {"size": 0.1, "rate": 3.0, "phase": 0.3, "shift": S, "k": 50.0}
TEXT = f"0.1*SIN(3*TIME+0.3)-{S!r}"  # 0 at the start, as drawn


def driven(motion):
    """A base at 0 and a block of 2 kg at 1 m of it on a spring of 50 N/m that is free there."""
    model = hn.Model("driven")
    model.gravity = (0, 0, 0)
    base = model.part("base", 1.0, (0.1,) * 3, position=(0.02, 0, 0))
    block = model.part("block", 2.0, (0.1,) * 3, position=(1.02, 0, 0))
    guide = model.translational(base, model.ground, at=(0, 0, 0), axis=(1, 0, 0))
    model.translational(block, model.ground, at=(0, 0, 0), axis=(1, 0, 0))
    model.spring_damper(block.cm, base.cm, 50.0, 0.0, length=1.0)
    law = model.motion(guide, motion)
    return model, base, block, guide, law


def place(size, rate, phase, shift, k, t=0.7):
    """x'' = -w^2 (x - 1 - f), f = 0.02 - shift + size sin(rate t + phase), from rest at 1.02."""
    w = np.sqrt(k / 2.0)
    u = size * w**2 / (w**2 - rate**2)
    own = (shift - u * np.sin(phase)) * np.cos(w * t) - u * rate * np.cos(phase) / w * np.sin(w * t)
    return 1.02 - shift + u * np.sin(rate * t + phase) + own


def slope(name, f=place):
    h = 1e-3 * BASE[name]
    return sum(w * f(**{**BASE, name: BASE[name] + k * h}) for k, w in SIX.items()) / h


@pytest.mark.parametrize("method", ["DOP853", "RADAU5"])
def test_amplitude_and_rate_of_a_motion(method):
    model, base, block, guide, law = driven(TEXT)
    names = [f"MOTION/{law.id}.FUNCTION({k})" for k in (1, 2, 3, 4)] + ["SPRINGDAMPER/1.K"]
    how = {"end": 0.7, "integrator": method}
    g = hn.gradient(model, hn.final(f"DX({block.cm})"), names, **how)
    exact = np.array([slope(n) for n in BASE])
    assert g.value == pytest.approx(place(**BASE), rel=1e-9)
    np.testing.assert_allclose(g.vector, exact, rtol=0, atol=2e-9 * np.abs(exact).max())
    g = hn.gradient(model, hn.final(f"VX({base.cm})"), names[:4], **how)
    c, s = np.cos(2.4), np.sin(2.4)
    assert g.vector == pytest.approx([3 * c, 0.1 * c - 0.3 * s * 0.7, -0.3 * s, 0.0], rel=1e-9, abs=1e-9)
    # the force of the drive, on a base of 1 kg: m f'' + k (f - x + 1)
    force = hn.final(f"MOTION({law.id},0,2,0)")
    g = hn.gradient(model, force, names[:4], **how)
    drive = lambda **v: (
        -v["size"] * v["rate"] ** 2 * np.sin(v["rate"] * 0.7 + v["phase"])
        + v["k"] * (1.02 - v["shift"] + v["size"] * np.sin(v["rate"] * 0.7 + v["phase"]) - place(**v))
    )
    assert abs(g.value) == pytest.approx(abs(drive(**BASE)), rel=1e-8)
    exact = np.sign(g.value * drive(**BASE)) * np.array([slope(n, drive) for n in list(BASE)[:4]])
    np.testing.assert_allclose(g.vector, exact, rtol=0, atol=1e-7 * np.abs(exact).max())


def test_quasistatics():
    model, base, block, guide, law = driven(TEXT)
    names = [f"MOTION/{law.id}.FUNCTION({k})" for k in (1, 2, 3, 4)]
    g = hn.gradient(model, hn.final(f"DX({block.cm})"), names, kind="quasistatics", end=0.7)
    c, s = np.cos(2.4), np.sin(2.4)
    assert g.vector == pytest.approx([s, 0.07 * c, 0.1 * c, -1.0], rel=1e-9)


def test_a_motion_whose_acceleration_jumps_is_refused():
    """The time of the jump depends on the number, and what the motion drives feels the jump."""
    model, base, block, guide, law = driven("STEP(TIME,0.1,0.0,0.5,0.2)")
    with pytest.raises(hn.ModelError, match="acceleration of MOTION/.* jumps where STEP does; use STEP5"):
        hn.gradient(model, hn.final(f"DX({block.cm})"), [f"MOTION/{law.id}.FUNCTION(1)"], end=0.7)


def test_ends_of_step5_against_differences():
    """Height, begin and end of a move."""
    model, base, block, guide, law = driven("STEP5(TIME,0.1,0.0,0.5,0.2)")
    J = hn.final(f"DX({block.cm})+0.1*VX({block.cm})")
    names = {f"MOTION/{law.id}.FUNCTION({k})": v for k, v in ((1, 0.1), (3, 0.5), (4, 0.2))}
    g = hn.gradient(model, J, list(names), end=0.7)
    for j, (name, value) in enumerate(names.items()):
        at = [value + 1e-3 * value * k for k in SIX]
        text = [f"STEP5(TIME,{x[0]!r},0.0,{x[1]!r},{x[2]!r})" for x in
                ([v if i != j else a for i, v in enumerate(names.values())] for a in at)]  # fmt: skip
        theirs = sum(
            w * hn.gradient(driven(f)[0], J, [], end=0.7, error=1e-12).value for w, f in zip(SIX.values(), text)
        )
        assert g[name] == pytest.approx(theirs / (1e-3 * value), rel=1e-7), name


def slider(level, function, v0=0.0):
    """A slider that is driven: the model, its position and the force of its drive as expressions, the motion."""
    model = hn.Model("driven slider")
    model.gravity = (0, 0, 0)
    start = {"velocity": (v0, 0, 0)} if v0 else {}
    base = model.part("base", 2.0, (0.1,) * 3, position=(1, 0, 0), **start)
    joint = model.translational(base, model.ground, at=(0, 0, 0), axis=(1, 0, 0))
    motion = model.motion(joint, function, level=level)
    return model, f"DX({base.cm})", f"MOTION({motion.id},0,2,0)", motion


def test_numbers_of_motions_of_velocities_and_accelerations():
    """s = 1 + v/w (1 - cos w t) of a velocity v sin w t; s = 1 + u t + a t^2/2 + b t^3/6 of an acceleration a + b t."""
    v, w, end = 0.5, 3.0, 0.7
    model, x, force, motion = slider("VELOCITY", f"{v}*SIN({w}*TIME)")
    names = [f"MOTION/{motion.id}.FUNCTION(1)", f"MOTION/{motion.id}.FUNCTION(2)", "PART/2.QG(1)", "PART/2.MASS"]
    g = hn.gradient(model, hn.final(x), names, end=end)
    by_w = v * (w * end * np.sin(w * end) - 1 + np.cos(w * end)) / w**2
    assert g.vector == pytest.approx([(1 - np.cos(w * end)) / w, by_w, 1.0, 0.0], rel=1e-8, abs=1e-9)
    f = hn.gradient(model, hn.final(force), names, end=end)  # m v w cos w t
    by_w = 2.0 * v * (np.cos(w * end) - w * end * np.sin(w * end))
    sign = np.sign(f.value) * np.sign(np.cos(w * end))
    theirs = [2.0 * w * np.cos(w * end), by_w, 0.0, v * w * np.cos(w * end)]
    assert sign * f.vector == pytest.approx(theirs, rel=1e-7, abs=1e-8)

    model, x, force, motion = slider("ACCELERATION", "0.4+1.5*TIME", v0=0.2)
    names = [f"MOTION/{motion.id}.FUNCTION(1)", f"MOTION/{motion.id}.FUNCTION(2)", "PART/2.QG(1)", "PART/2.VX"]
    g = hn.gradient(model, hn.final(x), names, end=end)
    assert g.vector == pytest.approx([end**2 / 2, end**3 / 6, 1.0, end], rel=1e-9)
