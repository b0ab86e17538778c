"""What ``holonom machinery ...`` does."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ..analyses.session.simulate import simulate
from ..model import ModelError
from ..model.base import shown
from . import studies
from .bearings import JournalBearing, RollingBearing
from .belt_theory import belt_capacity, polygon_effect, timing_belt, wedged_friction
from .brakes import BandBrake, DiscBrake, DrumBrake, braking_study, pad_on_disc
from .cams import factors_table
from .chain_study import CHAIN_HEAD, chain_study
from .clutches import clutch_rig, engagement, groan_speed
from .drum import tension_ratio
from .gear_mesh import GearPair
from .gear_train import gear_pair, order_spectrum, two_stage_gearbox
from .hanging_rope import ROPE_HEAD, HangingRope, plot_histories, ranking
from .hanging_rope import rope_study as hanging
from .power_flow import PLANETARY_HEAD, mesh_loss, planetary_study

Say = Callable[[str], None]


def parse_numbers(text: str, what: str, count: int | None = None) -> list[float]:
    """Numbers separated by commas.  Raises ModelError for what are none, or not so many."""
    try:
        out = [float(v) for v in text.split(",")]
    except ValueError:
        out = []
    if not out or count is not None and len(out) != count:
        raise ModelError(f"--{what} {shown(text)}: give {'numbers' if count is None else count} separated by commas")
    return out


def gears(
    teeth: str,
    module: float,
    helix: float,
    shift: str,
    width: float,
    internal: bool,
    relief: float,
    torque: float,
    friction: float,
    plot: Path | None,
    say: Say,
) -> None:
    """Geometry, stiffness and transmission error of a pair, and a slow run of its mesh.  Raises ModelError for what is
    no pair."""
    z = parse_numbers(teeth, "teeth", 2)
    x = parse_numbers(shift, "shift", 2)
    pair = GearPair(
        (int(z[0]), int(z[1])),
        module,
        helix=math.radians(helix),
        shift=(x[0], x[1]),
        width=width,
        internal=internal,
        tip_relief=1e-3 * relief,
    )
    load = torque / pair.base_radii[1]
    table = pair.mesh(load)
    single, mean = pair.iso_stiffness(False)
    best = float(pair.pair_stiffness(np.linspace(*pair.path, 60), load / width).max()) * 1e-3
    say(
        f"centre distance {pair.centre_distance:.4f} mm, working pressure angle {math.degrees(pair.working_angle):.4f}"
        f" deg, contact ratio {pair.contact_ratio:.4f} + {pair.overlap_ratio:.4f}"
    )
    say(
        f"stiffest pair {best:.2f} N/(mm um), ISO 6336 c'_th {single:.2f} (c' {pair.iso_stiffness()[0]:.2f}); mesh "
        f"{1e-3 * table.stiffness.mean() / width:.2f}, "
        f"ISO of theory {mean:.2f} (c_gamma {pair.iso_stiffness()[1]:.2f})"
    )
    say(
        f"static transmission error under {load:.0f} N: {1e3 * table.transmission_error.mean():.3f} um, peak to peak "
        f"{1e3 * table.peak_to_peak:.3f}"
        f" um; teeth in contact {table.pairs.mean():.4f}"
    )
    speed = 0.5
    model = gear_pair(pair, speed=speed, torque=torque, rise=0.02, friction=friction)
    mesh = 2.0 * math.pi / pair.teeth[0] / speed
    run = simulate(model, 0.05 + 3.0 * mesh, 600, integrator="RADAU5", error=1e-7)
    late = run.time > 0.05 + 1.0 * mesh
    d = run.request("mesh").values[late, 2] + np.interp(
        (run.request("turned").values[late, 1] * pair.teeth[0] / (2 * math.pi)) % 1.0,
        np.append(table.phase, 1.0),
        np.append(table.unloaded, table.unloaded[0]),
    )
    say(f"slow run (0.5 rad/s): transmission error {1e3 * d.mean():.3f} um, peak to peak {1e3 * np.ptp(d):.3f} um")
    drive = run.motion("drive").torque.values[late, 2].mean()
    lost = 1.0 - torque * abs(pair.ratio) / drive
    say(
        f"loss with mu = {friction:g}: run {100 * lost:.3f} %, by shares of load "
        f"{100 * mesh_loss(pair, table, friction):.3f}"
        f" %, Ohlendorf's mu H_v {100 * friction * pair.loss_factor:.3f} %"
    )
    if plot is not None:
        from ..results.pictures.figures import Figure

        figure = Figure(figsize=(11.0, 4.0), layout="constrained")
        a, b = figure.subplots(1, 2)
        twice = np.concatenate([table.phase, 1.0 + table.phase])
        a.plot(twice, 1e-3 * np.tile(table.stiffness, 2) / width)
        a.axhline(mean, color="gray", ls="--", label="mean by ISO 6336, theory")
        a.set(title="mesh stiffness", xlabel="mesh periods", ylabel="N/(mm um)")
        a.legend()
        b.plot(twice, 1e3 * np.tile(table.transmission_error, 2), label="static")
        turns = run.request("turned").values[late, 1] * pair.teeth[0] / (2 * math.pi)
        b.plot(turns - turns[0] // 1, 1e3 * d, "--", label="slow run")
        b.set(title="transmission error", xlabel="mesh periods", ylabel="um", xlim=(0, 2))
        b.legend()
        figure.savefig(plot, dpi=100)
        say(f"plots: {plot}")


def planetary(teeth: str, friction: float, torque: float, say: Say) -> None:
    """Ratios and efficiencies of a planetary set, every member held and driven.  Raises ModelError as
    `planetary_set`."""
    sun, planet, ring = (int(v) for v in parse_numbers(teeth, "teeth", 3))
    say(
        f"sun {sun}, planets {planet}, ring {ring} teeth, friction {friction:g}, {torque:g} N mm; efficiency by "
        "Willis' power flow from the losses of both meshes"
    )
    say(PLANETARY_HEAD)
    planetary_study(sun, planet, ring, friction=friction, torque=torque, say=say)


def gearbox(speed: float, rise: float, plot: Path | None, say: Say) -> None:
    """Run-up of the two-stage gearbox and the spectrum of its meshes.  Raises ModelError as the analysis does."""
    turns, steady = 12, 12
    first, second = (23, 57), (19, 61)
    end = rise + (turns + steady) * 2.0 * math.pi / speed
    count = int(end * speed / (2 * math.pi) * first[0] * 24)
    run = simulate(two_stage_gearbox(speed=speed, rise=rise), end, count, integrator="RADAU5", error=1e-5)
    speeds, mesh, angle = run.request("speeds").values, run.request("meshes").values, run.request("angle").values[:, 1]
    late = run.time >= rise + 0.9 * steady * 2.0 * math.pi / speed
    ratio = first[0] * second[0] / (first[1] * second[1])
    say(
        f"output over input {speeds[late, 4].mean() / speeds[late, 2].mean():.6f}, by teeth {ratio:.6f}; "
        f"{len(run.history)}"
        f" steps, {run.counters.get('cpu seconds', math.nan):.1f} CPU s"
    )
    say(f"mesh orders of the input shaft: {first[0]:g} and {second[0] * first[0] / first[1]:.4f}, and multiples")
    found = {}
    for name, column, order in (
        ("first mesh", 1, float(first[0])),
        ("second mesh", 3, second[0] * first[0] / first[1]),
    ):
        orders, amplitude = order_spectrum(angle[late], mesh[late, column], turns)
        found[name] = orders, amplitude
        near = lambda o, amplitude=amplitude, orders=orders: float(amplitude[np.abs(orders - o) < 1.5 / turns].max())
        of_either = np.zeros(len(orders), bool)
        for base in (float(first[0]), second[0] * first[0] / first[1]):
            for k in range(1, 40):
                of_either |= np.abs(orders - k * base) < 2.5 / turns
        rest = np.where(of_either | (orders > 120.0), 0.0, amplitude)
        best = max(range(1, int(120.0 / order) + 1), key=lambda k: near(k * order))
        say(
            f"  {name}: mean {abs(mesh[late, column].mean()):.0f} N, at {order:.3f} x 1 to 5: "
            + ", ".join(f"{near(k * order):.1f}" for k in range(1, 6))
            + f" N"
            f"; strongest {near(best * order):.1f} N at {best} x"
            f"; largest next to all mesh orders, below 120: {rest.max():.1f} N at {orders[int(np.argmax(rest))]:.2f}"
        )
    if plot is not None:
        from ..results.pictures.figures import Figure

        figure = Figure(figsize=(13.0, 4.0), layout="constrained")
        a, b, c = figure.subplots(1, 3)
        a.plot(run.time, speeds[:, 1:5], lw=0.8, label=["motor", "input", "layshaft", "output"])
        a.set(title="run-up", xlabel="time (s)", ylabel="rad/s")
        a.legend()
        for name, column in (("first mesh", 1), ("second mesh", 3)):
            b.plot(run.time, np.abs(mesh[:, column]), lw=0.5, label=name)
        b.set(title="mesh forces", xlabel="time (s)", ylabel="N")
        b.legend()
        for name, (orders, amplitude) in found.items():
            c.semilogy(orders, np.maximum(amplitude, 1e-2), lw=0.9, label=name)
        for k in range(1, 6):
            c.axvline(first[0] * k, color="C0", ls=":", lw=0.7)
            c.axvline(second[0] * first[0] / first[1] * k, color="C1", ls=":", lw=0.7)
        c.set(title="orders of the input shaft", xlabel="order", ylabel="N", xlim=(0, 120), ylim=(0.1, None))
        c.legend()
        figure.savefig(plot, dpi=100)
        say(f"plots: {plot}")


def cams(say: Say) -> None:
    """Peak factors of lift laws, closed form and computed."""
    say(f"  {'law':16}{'C_v':>10}{'C_a':>10}{'computed':>12}{'':>10}")
    for name, cv, ca, v, a in factors_table():
        say(f"  {name:16}{cv:10.4f}{ca:10.4f}{v:12.4f}{a:10.4f}")


def bearings(say: Say) -> None:
    """Sommerfeld's number of a short journal bearing, whirl threshold, Stribeck's factors."""
    journal = JournalBearing(0.05, 0.05, 1e-4, 0.02)
    say("short journal bearing, L/D = 1/2:  eps, S, attitude, and eps from the load (both ways)")
    for eps in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        S = journal.sommerfeld(eps)
        load = 0.02 * 50.0 * 0.1 * 0.05 * (0.05 / 1e-4) ** 2 / S
        back, attitude = journal.equilibrium(load, 2.0 * math.pi * 50.0)
        say(f"  {eps:5.2f}{S:12.5f}{math.degrees(attitude):9.2f}{back:9.5f}")
    for load in (500.0, 2000.0, 8000.0):
        speed, ratio = journal.whirl_speed(load, load / 9.80665)
        eps = journal.equilibrium(load, speed)[0] if math.isfinite(speed) else math.nan
        say(
            f"  rigid rotor of {load:g} N: whirls from {speed:.1f} rad/s on (times sqrt(c/g): "
            f"{speed * math.sqrt(1e-4 / 9.80665):.3f}, eps {eps:.3f}"
            f"), with {ratio:.3f} of the speed"
        )
    for power, word, book in ((1.5, "balls", 4.37), (10.0 / 9.0, "rollers", 4.08)):
        b = RollingBearing(60, 1e5, power=power)
        say(
            f"  {word}: largest load {b.loads(b.deflection(1000.0), 0.0).max() * 60 / 1000:.4f} F/Z without clearance "
            f"(Stribeck: {book})"
        )


def brakes(say: Say) -> None:
    """Factors of brakes; stops under conditions against the closed form."""
    disc, drum, band = (
        DiscBrake(0.057, 0.085, 0.135),
        DrumBrake(0.15, 0.05, 0.12, 0.2),
        BandBrake(0.15, math.radians(270.0)),
    )
    say(
        f"disc: {disc.torque_per_pressure * 1e6:.2f} N m/MPa at r = {1e3 * disc.radius:.1f} mm; drum: C* leading "
        f"{drum.factor('leading'):.3f}"
        f", trailing {drum.factor('trailing'):.3f}; "
        f"band: T1/T2 = {band.gain:.3f}"
    )
    say(f"  {'brake':8}{'condition':26}{'torque N m':>12}{'time s':>10}{'closed':>10}{'turns':>10}{'closed':>10}")
    for r in braking_study(
        {"disc": disc, "drum": drum, "band": band},
        [{}, {"speed": 120.0}, {"mu": 0.2}, {"rise": 1.0}, {"actuation": 2e6}],
    ):
        word = ", ".join(f"{k} = {v:g}" for k, v in r["condition"].items()) or "as given"
        say(
            f"  {r['brake']:8}{word:26}{r['torque']:12.1f}{r['time']:10.5f}{r['expected_time']:10.5f}{r['turns']:10.4f}{r['expected_turns']:10.4f}"  # noqa: E501
        )


def drives(say: Say) -> None:
    """Belts, chains, clutches and a tackle: runs next to their closed forms."""
    say("belts, 500 N of preload, 3 rad, mu 0.3:   largest T1/T2   largest T1 - T2")
    for word, groove in (("flat", None), ("V, 38 degrees", math.radians(38.0)), ("V, 34 degrees", math.radians(34.0))):
        say(
            f"  {word:34}{tension_ratio(wedged_friction(0.3, groove), 3.0):14.3f}{belt_capacity(500.0, 0.3, 3.0, groove):16.1f}"  # noqa: E501
        )
    run = simulate(timing_belt(speed=50.0, load=2.0, tension=300.0, damping=0.5), 0.5, 50, error=1e-8)
    tight, slack = run.request("strands").values[-1, 1:3]
    say(
        f"timing belt, 2 N m on 60 mm: strands {tight:.3f} and {slack:.3f} N, closed form {300.0 + 1.0 / 0.06:.3f} and "
        f"{300.0 - 1.0 / 0.06:.3f}"
    )
    say(
        "polygon of a chain, 1 - cos(pi/z):  "
        + ", ".join(f"z {z}: {100.0 * polygon_effect(z):.2f} %" for z in (9, 13, 17, 21, 25, 38))
    )
    say(
        f"  {'clutch of 150 N m, 0.25 and 1.2 kg m^2':52}{'time s':>10}{'closed':>10}{'speed':>9}{'closed':>9}{'heat J':>10}"  # noqa: E501
    )
    for word, more in (
        ("at once", {}),
        ("rising in 0.2 s", {"rise": 0.2}),
        ("0.2 s, 50 N m drive, 20 N m load", {"rise": 0.2, "driving": 50.0, "load": 20.0}),
    ):
        want = engagement(150.0, (0.25, 1.2), (200.0, 10.0), **more)
        run = simulate(clutch_rig(150.0, (0.25, 1.2), (200.0, 10.0), **more), 1.2 * want.time, 40, error=1e-8)
        speeds = run.request("clutch").values[:, 1:3]
        k = int(np.argmax(np.abs(speeds[:, 0] - speeds[:, 1]) < 1e-9))
        say(f"  {word:52}{run.time[k]:10.5f}{want.time:10.5f}{speeds[k, 0]:9.3f}{want.speed:9.3f}{want.heat:10.1f}")
    pad = {"normal": 1000.0, "mu_static": 0.5, "mu_kinetic": 0.35, "decay": 0.3, "damping": 300.0}
    limit = groan_speed(**pad)
    for share in (0.8, 1.2):
        run = simulate(pad_on_disc(speed=share * limit, **pad), 1.5, 3000, integrator="RADAU5", error=1e-5)
        swing = np.ptp(run.request("pad").values[2000:, 1])
        say(f"pad that groans below {limit:.4f} m/s, at {share:g} of it: swing after 1 s {1e3 * swing:.4f} mm")


def chains(links: int, teeth: str, end: float, say: Say) -> None:
    """Roller and silent chain side by side.  Raises ModelError as the builder does."""
    z = [int(v) for v in parse_numbers(teeth, "teeth", 2)]
    say(
        f"{links} links on {z[0]} and {z[1]} teeth, 10 N m at 49.5 rad/s; ripple of the driver, rad/s, at 1, 1.5 and 2 "
        "times the frequency of its teeth; strike:"
    )
    say(
        f"largest force of its teeth over the mean; polygon 1 - cos(pi/z) = {100.0 * polygon_effect(z[0]):.2f} %, "
        "which tooth frequencies carry alone"
    )
    say(CHAIN_HEAD)
    chain_study(teeth=(z[0], z[1]), links=links, end=end, say=say)


def chosen(given: dict, dampings: str | None, methods: Sequence[str], end: float | None, budget: float | None) -> dict:
    """Words of a study: those of its default, with what was requested. Raises ModelError for dampings that are not
    numbers."""
    out = dict(given)
    if dampings is not None:
        out["dampings"] = parse_numbers(dampings, "dampings")
    if methods:
        out["methods"] = [m.upper() for m in methods]
    return out | ({} if end is None else {"end": end}) | ({} if budget is None else {"budget": budget})


def rope_study(
    full: bool,
    dampings: str | None,
    methods: Sequence[str],
    error: float,
    end: float | None,
    budget: float | None,
    segments: int,
    plot: Path | None,
    say: Say,
) -> None:
    """Rope over a pulley with hanging weights.  Raises ModelError as the builder does."""
    every = (
        {
            "methods": ("GSTIFF", "GSTIFF/SI2", "WSTIFF", "CONSTANT_BDF", "HHT", "RADAU5"),
            "dampings": (0.001, 0.002, 0.004, 0.008),
            "end": 1.6,
            "budget": 120.0,
        }
        if full
        else {}
    )
    drawn = HangingRope(segments)
    want = drawn.motion(np.linspace(0.0, 1.6, 1601))[:, 1]
    say(
        f"{segments} segments, {segments + 1} bushings, weights {drawn.load:g} and {drawn.counterweight:.2f} kg, rope "
        f"{drawn.rope:.2f} kg; contact stiffness 4/3 E* sqrt(R) {drawn.contact_stiffness:.4g} N/mm^1.5; closed form: "
        f"{want[:700].max():.1f} and {want.max():.1f} N at the load while {drawn.pull:g} N pull, over which stages 1 "
        "and 2 stand; "
        "speed: at the end, over the closed form's"
    )
    say(ROPE_HEAD)
    rows = hanging(segments, error=error, say=say, **chosen(every, dampings, methods, end, budget))
    say(ranking(rows))
    if plot is not None:
        say(f"plots: {plot_histories(rows, plot)}")


def ball_study(
    full: bool,
    dampings: str | None,
    methods: Sequence[str],
    errors: str | None,
    end: float | None,
    budget: float | None,
    plot: Path | None,
    say: Say,
) -> None:
    """Ball on a plate.  Raises ModelError as the study does."""
    quick = {"methods": ("GSTIFF", "HHT", "RADAU5", "DOP853"), "errors": (1e-3, 1e-5), "end": 0.3}
    every = {
        "methods": ("GSTIFF", "GSTIFF/SI2", "WSTIFF", "HHT", "RADAU5", "DOP853"),
        "errors": (1e-3, 1e-5, 1e-7),
        "end": 1.0,
        "budget": 20.0,
    }
    given = chosen(every if full else quick, dampings, methods, end, budget)
    if errors is not None:
        given["errors"] = parse_numbers(errors, "errors")
    say(studies.BALL_HEAD)
    studies.ball_study(say=say, **given)
    if plot is not None:
        say(f"plots: {studies.plot_ball(plot, given.get('dampings', studies.BALL_DAMPINGS))}")


def gear_study(
    full: bool,
    dampings: str | None,
    methods: Sequence[str],
    errors: str | None,
    end: float | None,
    start: str,
    budget: float | None,
    period: float,
    step: float | None,
    hmax: float,
    kmax: int | None,
    say: Say,
) -> None:
    """Pair of helical gears in contact.  Raises ModelError as the study does."""
    quick = {"methods": ("GSTIFF", "RADAU5"), "errors": (1e-3,), "end": 0.6, "budget": 20.0, "dampings": (50.0, 0.0)}
    every = {"methods": ("GSTIFF", "GSTIFF/SI2", "HHT", "RADAU5"), "errors": (1e-3, 1e-5), "end": 1.5, "budget": 60.0}
    given = chosen(every if full else quick, dampings, methods, end, budget)
    if errors is not None:
        given["errors"] = parse_numbers(errors, "errors")
    if not period > 0.0 or step is not None and not step > 0.0:
        raise ModelError(f"--period is {period:g} and --step {step}; give positive times, s")
    if not hmax >= 0.0:
        raise ModelError(f"--hmax is {hmax:g}; give the largest step in s, or 0 for none")
    say(
        f"mesh period {period / studies.TEETH:g} s; "
        + (
            f"all steps of {step:g} s, whatever the error"
            if step
            else f"steps of at most {1e3 * hmax:g} ms"
            if hmax
            else "steps that the error alone limits"
        )
        + "; the classic setting is GSTIFF at 1e-3, ours RADAU5 at 1e-5"
    )
    say(studies.GEAR_HEAD)
    studies.gear_study(say=say, start=start, period=period, step=step, hmax=hmax or None, kmax=kmax, **given)
