"""Gradients of statics, kinematics and small motions against closed forms and differences of analyses."""

import numpy as np
import pytest
from test_gradient import SIX, two

import holonom as hn


def by_differences(of, values, name, size=1e-3):
    h = size * (abs(values[name]) or 1.0)
    return sum(w * of(**{**values, name: values[name] + k * h}) for k, w in SIX.items()) / h


def compare(g, of, values, tolerance=1e-9, size=1e-3):
    """Each derivative against differences of a closed form, over the largest share that any parameter has."""
    assert g.value == pytest.approx(of(**values), rel=1e-9, abs=1e-13)
    theirs = {n: by_differences(of, values, n, size) for n in values}
    scale = max(abs(v * theirs[n]) for n, v in values.items())
    for n, v in values.items():
        assert g[n] * v == pytest.approx(theirs[n] * v, abs=tolerance * scale), n


def hanging(k, m, length, g):
    """A block on a vertical slider that hangs on a spring."""
    model = hn.Model("hanging")
    model.gravity = (0, 0, -g)
    k, m, length = (model.parameter(n, v) for n, v in (("k", k), ("m", m), ("length", length)))
    block = model.part("block", m, (0.1,) * 3, position=(0, 0, -1.0))
    model.translational(block, model.ground, at=(0, 0, 0), axis=(0, 0, 1))
    spring = model.spring_damper(block.cm, model.marker(model.ground), k, 3.0, length=length)
    return model, block, spring


VALUES = {"k": 300.0, "m": 4.0, "length": 0.8, "g": 9.81}


def test_a_hanging_block_and_its_taylor_remainder():
    model, block, _ = hanging(**VALUES)
    g = hn.gradient(model, hn.final(f"DZ({block.cm})"), ["k", "m", "length", "GRAVITY(3)"], kind="statics")
    k, m, length, a = VALUES.values()
    assert g.value == pytest.approx(-length - m * a / k, rel=1e-12)
    exact = {"k": m * a / k**2, "m": -a / k, "length": -1.0, "GRAVITY(3)": m / k}
    for name, value in exact.items():
        assert g[name] == pytest.approx(value, rel=1e-11), name
    rest = []
    for h in (1e-2, 1e-3, 1e-4):
        moved = model.with_parameters({"k": k * (1 + h), "m": m * (1 - 2 * h)})
        value = hn.gradient(moved, hn.final(f"DZ({block.cm})"), [], kind="statics").value
        rest.append(abs(value - g.value - g["k"] * k * h + g["m"] * 2 * m * h))
    assert rest[0] / rest[1] == pytest.approx(100.0, rel=0.1) and rest[1] / rest[2] == pytest.approx(100.0, rel=0.01)


def test_an_equilibrium_that_is_not_found_to_rounding_is_refused_or_reported(monkeypatch):
    """Corrections that jump from side to side, as at a kink of a force, instead of an end."""
    from holonom.analyses.derivatives import positions

    model, block, _ = hanging(**VALUES)
    solve, side = positions._Problem.solve, [1.0]

    def jumps(self, right):
        side[0] = -side[0]
        return solve(self, right) + side[0] * size

    monkeypatch.setattr(positions._Problem, "solve", jumps)
    with pytest.raises(hn.ModelError, match="equilibrium at time 0 is not found to rounding: after 12 corrections"):
        size = 1e-6
        hn.gradient(model, hn.final(f"DZ({block.cm})"), ["k"], kind="statics")
    size = 1e-10
    g = hn.gradient(model, hn.final(f"DZ({block.cm})"), ["k"], kind="statics")
    assert "the equilibrium at time 0 is known to" in " ".join(g.warnings)


def test_load_and_reaction_of_a_lever():
    """A weightless-like lever with a spring: angle from a closed form of moments, pin force from its balance."""

    def lever(a, load, k):
        model = hn.Model("lever")
        model.gravity = (0, 0, 0)
        arm, push, stiff = (model.parameter(n, v) for n, v in (("a", a), ("load", load), ("k", k)))
        bar = model.part("bar", 1.0, (0.1, 0.2, 0.3), position=(0.5, 0, 0))
        pin = model.revolute(bar, model.ground, at=(0, 0, 0), axis=(0, 1, 0))
        model.torsion_spring(pin.i, pin.j, stiff)
        tip = model.marker_at(bar, (arm, 0, 0))
        model.vforce(tip, model.ground, fz=f"-{push}", rm=model.marker(model.ground))
        return model, pin, tip

    values = {"a": 1.2, "load": 50.0, "k": 90.0}

    def angle(a, load, k):
        from scipy.optimize import brentq

        return brentq(lambda x: k * x - load * a * np.cos(x), 0.0, 1.5, xtol=1e-15, rtol=1e-15)

    model, pin, tip = lever(**values)
    g = hn.gradient(model, hn.final(f"AZ({pin.i},{pin.j})"), list(values), kind="statics")
    compare(g, angle, values)
    g = hn.gradient(model, hn.final(f"JOINT({pin.id},0,1,0)") + hn.final(f"DZ({tip})"), list(values), kind="statics")
    compare(g, lambda a, load, k: load - a * np.sin(angle(a, load, k)), values)


def test_static_shape_of_a_cantilever_by_its_stiffness_and_load():
    """Small deflection of one beam element under a tip force, F L^3/3 E I."""
    values = {"e": 2e11, "load": 10.0}

    def build(e, load):
        model = hn.Model("cantilever")
        model.gravity = (0, 0, 0)
        e, load = model.parameter("e", e), model.parameter("load", load)
        tip = model.part("tip", 1.0, (0.1,) * 3, position=(2.0, 0, 0))
        I = 1e-6
        model.beam(model.marker(tip), model.marker(model.ground), 2.0, 1e-3, 2e-6, I, I, e, 8e10)
        model.vforce(tip.cm, model.ground, fz=f"-{load}", rm=model.marker(model.ground))
        return model, tip

    model, tip = build(**values)
    g = hn.gradient(model, hn.final(f"DZ({tip.cm})"), list(values), kind="statics")
    compare(g, lambda e, load: -load * 8.0 / (3 * e * 1e-6), values, tolerance=1e-6)


def two_masses(m1, m2, k1, k2, c1, c2):
    """ground - k1, c1 - m1 - k2, c2 - m2, along x."""
    model = hn.Model("two")
    model.gravity = (0, 0, 0)
    values = {"m1": m1, "m2": m2, "k1": k1, "k2": k2, "c1": c1, "c2": c2}
    m1, m2, k1, k2, c1, c2 = (model.parameter(n, v, bounds=(0.5 * v, 1.5 * v + 1e-9)) for n, v in values.items())
    a = model.part("a", m1, (0.1, 0.2, 0.3), position=(1, 0, 0))
    b = model.part("b", m2, (0.1, 0.2, 0.3), position=(2, 0, 0))
    for part in (a, b):
        model.translational(part, model.ground, at=(0, 0, 0), axis=(1, 0, 0))
    model.spring_damper(a.cm, model.marker(model.ground), k1, c1, length=1.0)
    model.spring_damper(b.cm, a.cm, k2, c2, length=1.0)
    return model, a, b


CHAIN = {"m1": 2.0, "m2": 1.0, "k1": 300.0, "k2": 120.0, "c1": 3.0, "c2": 2.0}


def matrices(m1, m2, k1, k2, c1, c2):
    return np.diag([m1, m2]), np.array([[k1 + k2, -k2], [-k2, k2]]), np.array([[c1 + c2, -c2], [-c2, c2]])


def roots(**values):
    M, K, C = matrices(**values)
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    found = np.linalg.eigvals(A)
    return sorted(found[found.imag > 0], key=abs)


def test_eigenvalues_of_two_masses():
    model, a, b = two_masses(**CHAIN)
    for mode in (1, 2):
        of = lambda f, k=mode - 1: lambda **values: f(roots(**values)[k])
        compare(hn.gradient(model, hn.natural_frequency(mode), list(CHAIN)), of(lambda z: abs(z) / 2 / np.pi), CHAIN)
        compare(hn.gradient(model, hn.damping_ratio(mode), list(CHAIN)), of(lambda z: -z.real / abs(z)), CHAIN)
        compare(hn.gradient(model, hn.eigenvalue(mode, "imaginary"), list(CHAIN)), of(lambda z: z.imag), CHAIN)
    linear = hn.linearize(model).modes
    g = hn.gradient(model, hn.natural_frequency(2) + 2 * hn.damping_ratio(1), ["k1"])
    assert g.value == pytest.approx(linear[1].undamped_frequency + 2 * linear[0].damping_ratio, rel=1e-9)


def test_frequency_response_of_two_masses():
    model, a, b = two_masses(**CHAIN)
    push = model.variable("0", name="push")
    model.vforce(b.cm, model.ground, fx=f"VARVAL({push})", rm=model.marker(model.ground))

    def H(f, **values):
        M, K, C = matrices(**values)
        w = 2 * np.pi * f
        return np.linalg.solve(K + 1j * w * C - w**2 * M, [0, 1.0])[0]

    for f in (0.7, 2.2):
        for part, of in (("magnitude", abs), ("phase", np.angle), ("real", np.real)):
            g = hn.gradient(model, hn.frequency_response(f"DX({a.cm})", "push", f, part), list(CHAIN))
            compare(g, lambda of=of, f=f, **values: of(H(f, **values)), CHAIN)


def test_the_equilibrium_follows_in_a_frequency():
    """A pendulum on a torsion spring: the equilibrium angle sets the stiffness, k + m g l cos(angle)."""
    from scipy.optimize import brentq

    values = {"m": 2.0, "l": 0.5, "k": 3.0, "rest": 1.0}

    def build(m, l, k, rest):
        model = hn.Model("pendulum")
        model.gravity = (0, 0, -9.81)
        m, l, k, rest = (model.parameter(n, v) for n, v in (("m", m), ("l", l), ("k", k), ("rest", rest)))
        bar = model.part("bar", m, (0.02, 0.01, 0.03), position=(0, 0, -l))
        pin = model.revolute(bar, model.ground, at=(0, 0, 0), axis=(0, 1, 0))
        model.torsion_spring(pin.i, pin.j, k, angle=rest)
        return model

    def exact(m, l, k, rest):
        x = brentq(lambda x: k * (x - rest) + m * 9.81 * l * np.sin(x), -2, 2, xtol=1e-15, rtol=1e-15)
        return np.sqrt((k + m * 9.81 * l * np.cos(x)) / (0.01 + m * l * l)) / 2 / np.pi

    g = hn.gradient(build(**values), hn.natural_frequency(1), list(values))
    compare(g, exact, values)


def test_repeated_eigenvalues_have_no_derivative():
    model, a, b = two_masses(**{**CHAIN, "k2": 1e-30, "m1": 1.0, "k1": 100.0, "c1": 0.0, "c2": 0.0})
    model.spring_damper(b.cm, model.marker(model.ground), 100.0, length=2.0)
    with pytest.raises(hn.ModelError, match="modes 1, 2 have the same eigenvalue"):
        hn.gradient(model, hn.natural_frequency(1), ["k1"])


A, B = np.array([0.3, 0.4]), np.array([1.2, 0.9])  # of the four-bar as drawn, x and z
CENTRES = np.array([[0.15, 0.2], [0.75, 0.7], [1.3, 0.45]])
BAR = {"x": 1.5, "k": 4.0}


def four_bar(x, k, drive=None):
    """Crank, coupler and rocker on four pins; the hardpoint x of the rocker's pin moves both of its markers."""
    model = hn.Model("four-bar")
    model.gravity = (0, 0, -9.81)
    x, k = model.parameter("x", x), model.parameter("k", k)
    parts = [model.part(n, 1.0, (0.1, 0.2, 0.3), position=(c[0], 0, c[1])) for n, c in zip("abc", CENTRES)]
    ground, y = model.ground, (0, 1, 0)
    first = model.revolute(parts[0], ground, at=(0, 0, 0), axis=y)
    model.revolute(parts[1], parts[0], at=(A[0], 0, A[1]), axis=y)
    knee = model.revolute(parts[1], parts[2], at=(B[0], 0, B[1]), axis=y)
    last = model.revolute(parts[2], ground, at=(x, 0, 0), axis=y)
    model.torsion_spring(first.i, first.j, k, 0.2)
    if drive:
        model.motion(first, drive)
    return model, parts, knee, last


def position(turn, x):
    """Points A and B when the crank has turned by an angle (about y: from z to x), and turns of coupler and rocker."""
    a = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) @ A
    C = np.array([x, 0.0])
    b, c = np.linalg.norm(B - A), np.linalg.norm(B - C)
    d = np.linalg.norm(C - a)
    e = (C - a) / d
    along = (d * d + b * b - c * c) / (2 * d)
    p = a + along * e + np.sqrt(b * b - along**2) * np.array([-e[1], e[0]])
    return a, p


def centres(turn, x):
    a, b = position(turn, x)
    C, out = np.array([x, 0.0]), []
    for p, q, p0, q0, c0 in ((0 * a, a, 0 * A, A, CENTRES[0]), (a, b, A, B, CENTRES[1]), (C, b, C, B, CENTRES[2])):
        along = complex(*(q - p)) / complex(*(q0 - p0))
        z = complex(*p) + along * complex(*(c0 - p0))
        out.append((z.real, z.imag))
    return np.array(out)


def resting(x, k):
    """The crank's turn where weights and spring balance."""
    from scipy.optimize import brentq

    energy = lambda s: 9.81 * centres(s, x)[:, 1].sum() + 0.5 * k * s * s
    slope = lambda s: sum(w * energy(s + 1e-2 * n) for n, w in SIX.items()) / 1e-2
    return brentq(slope, 0.0, 1.0, xtol=1e-15, rtol=1e-15)


def test_statics_of_a_four_bar_by_a_hardpoint():
    model, parts, knee, last = four_bar(**{**BAR, "k": 60.0})
    values = {**BAR, "k": 60.0}
    turn = resting(**values)
    assert 0.02 < turn < 0.8
    g = hn.gradient(model, hn.final(f"DX({knee.i})") + hn.final(f"DZ({parts[2].cm})"), list(values), kind="statics")
    of = lambda x, k: position(resting(x, k), x)[1][0] + centres(resting(x, k), x)[2, 1]
    compare(g, of, values, tolerance=1e-8, size=1e-2)


def test_kinematics_of_a_four_bar_by_a_hardpoint():
    model, parts, knee, last = four_bar(**BAR, drive="0.4*SIN(2*TIME)")
    of = lambda t: lambda x, k: position(0.4 * np.sin(2 * t), x)[1][0]
    times = (0.1, 0.3, 0.8)
    for t in times:
        functional = hn.value_at(f"DX({knee.i})", t)
        compare(hn.gradient(model, functional, list(BAR), kind="kinematics", end=1.0), of(t), BAR, tolerance=1e-8)
    data = [0.1, 0.2, 0.3]
    squares = lambda x, k: sum((of(t)(x, k) - d) ** 2 for t, d in zip(times, data))
    functional = hn.least_squares(f"DX({knee.i})", times, data)
    compare(hn.gradient(model, functional, list(BAR), kind="kinematics", end=1.0), squares, BAR, tolerance=1e-8)
    speed = lambda x, k: sum(w * of(0.3 + 1e-2 * n)(x, k) for n, w in SIX.items()) / 1e-2
    g = hn.gradient(model, hn.value_at(f"VX({knee.i})", 0.3), list(BAR), kind="kinematics", end=1.0)
    compare(g, speed, BAR, tolerance=1e-8)
    with pytest.raises(hn.ModelError, match="would no longer close"):
        hn.gradient(model, hn.final(f"DX({knee.i})"), [f"MARKER/{last.i}.QP"], kind="kinematics", end=1.0)


def along(m, functional, names, tolerance, size=1e-4, **options):
    """The derivative along a random direction in many numbers against differences of six analyses."""
    rng = np.random.default_rng(1)
    g = hn.gradient(m, functional, names, **options)
    base = {n: np.asarray(m.number(n).read(m), float) for n in names}
    way = {n: rng.standard_normal(b.shape) * np.where(b == 0.0, 0.3, np.abs(b)) for n, b in base.items()}
    ours = sum(float(np.sum(np.asarray(g[n]) * way[n])) for n in names)

    def value(k):
        moved = {n: (base[n] + k * size * way[n]).tolist() for n in names}
        return hn.gradient(m.with_parameters(moved), functional, [], **options).value

    theirs = sum(w * value(k) for k, w in SIX.items()) / size
    assert ours == pytest.approx(theirs, rel=tolerance), (ours - theirs) / theirs
    assert not g.warnings


def test_numbers_of_all_forces_in_statics_and_in_a_frequency():
    m, a, b = two("revolute", gravity=(0.3, -0.2, -9.81))
    hinge = m.find("JOINT", "joint")
    m.torsion_spring(hinge.i, hinge.j, 30.0, 0.2, 0.1, 0.05)
    first, second = m.marker(a, (0.1, 0.02, 0)), m.marker(m.ground, (0.4, 0, 0))
    m.bushing(first, second, (100, 200, 300), (1, 2, 3), (1, 2, 3), (0.1,) * 3)
    m.beam(m.marker(b, (-0.1, 0, 0.03)), first, 0.3156, 1e-4, 1e-8, 1e-8, 1e-8, 1e7, 4e6, cratio=1e-3)
    i, j = m.marker(b, (0.1, 0, 0)), m.marker(m.ground, (1, 1, 1))
    m.sforce(i, j, f"-40*(DM({i},{j})-0.3)**3-DIF(1)")
    m.diff(f"-3*DIF(1)+DM({i},{j})", ic=0.2, id=1)
    tip = m.marker(b, (0.12, 0, 0.01))
    names = [
        "PART/2.MASS", "PART/3.MASS", "GRAVITY", "SPRINGDAMPER/1.K", "SPRINGDAMPER/1.LENGTH", "SPRINGDAMPER/2.KT",
        "BUSHING/1.K", "BUSHING/1.KT", "BEAM/1.EMODULUS", "SFORCE/1.FUNCTION(1)", "DIFF/1.FUNCTION(1)",
        f"MARKER/{i.id}.QP", f"MARKER/{tip.id}.QP", f"MARKER/{j.id}.QP",
    ]  # fmt: skip
    base = m.find("JOINT", "base")
    functional = hn.final(f"DX({tip})") + 0.01 * hn.final(f"JOINT({base.id},0,2,0)") + hn.final("DIF(1)")
    along(m, functional, names, 1e-8, kind="statics")
    small = hn.natural_frequency(1) + hn.damping_ratio(2) + hn.eigenvalue(3)
    along(m, small, [*names, "PART/2.IP", "PART/3.IP", "SPRINGDAMPER/1.C"], 2e-7)


def square(functional, wanted):
    return functional.apply(lambda f: (f - wanted) ** 2, lambda f: 2 * (f - wanted))


def test_tables_and_minima_of_statics_and_frequencies():
    model, a, b = two_masses(**CHAIN)
    s = hn.sensitivities(model, {"first": hn.natural_frequency(1), "place": f"DX({a.cm})"}, ["k1", "m1"])
    assert s["first"]["k1"] > 0 > s["first"]["m1"] and s["place"]["m1"] == pytest.approx(0.0, abs=1e-12)
    assert s.relative[0, 0] == pytest.approx(s["first"]["k1"] * 300.0 / s.values["first"])
    wanted = 1.05 * s.values["first"]
    best = hn.minimize(square(hn.natural_frequency(1), wanted), "k1", model=model)
    assert hn.gradient(best.model, hn.natural_frequency(1), []).value == pytest.approx(wanted, rel=1e-5)


def test_what_has_no_derivative_is_refused_with_a_sentence():
    model, block, spring = hanging(**VALUES)
    expression = f"DZ({block.cm})"
    for functional, words, options in (
        (hn.integral(expression), "an integral over time", {"kind": "quasistatics", "end": 1.0}),
        (hn.peak(expression), "statics has no peaks", {"kind": "statics"}),
        (hn.value_at(expression, 0.5), "statics is at time 0", {"kind": "statics"}),
        (hn.natural_frequency(1), "not in dynamics", {"kind": "dynamics", "end": 1.0}),
        (hn.natural_frequency(3), "there is no mode 3; the linear analysis has 1", {}),
        (hn.final(expression), "needs zero degrees of freedom, the model has 1", {"kind": "kinematics", "end": 1.0}),
        (hn.final(expression), "unknown kind of analysis 'static'", {"kind": "static"}),
        (hn.final(expression), "have no influence on derivatives of statics", {"kind": "statics", "error": 1e-8}),
    ):
        with pytest.raises(hn.ModelError, match=words):
            hn.gradient(model, functional, ["k"], **options)
    for call, words in (
        (lambda: hn.natural_frequency(0), "mode is 0"),
        (lambda: hn.eigenvalue(1, "size"), "choose real or imaginary"),
        (lambda: hn.frequency_response(expression, "push", -1.0), "give a positive number"),
        (lambda: hn.frequency_response(expression, "push", 1.0, "size"), "part is 'size'"),
    ):
        with pytest.raises(hn.ModelError, match=words):
            call()
    free = hn.Model("free")
    part = free.part("part", 1.0, (0.1,) * 3)
    free.gravity = (0, 0, 0)
    with pytest.raises(hn.ModelError, match="no stiffness in some direction"):
        hn.gradient(free, hn.final(f"DX({part.cm})"), ["PART/2.MASS"], kind="statics")
