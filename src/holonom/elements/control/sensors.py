"""Sensors: a measured signal with bias, lag, noise, range and resolution; encoders, inertial, force and distance
sensors are this block with the measure that they see.

    y = resolution round(clip(gain u + bias + noise n, range)/resolution),   n standard normal, new at each sample

A random walk adds to the bias walk sqrt(T) n' at each sample.  Source: IEEE Std 952-1997, annex C (noise of gyroscopes:
angle random walk is noise of the rate, its density N gives noise N/sqrt(T); rate random walk).
"""

from __future__ import annotations

import math
from typing import Any

from ...expressions import ELEMENT_FORCES
from ...model.base import ModelError, shown
from ...model.builder.control import add_block
from ...model.control import BlockType, ControlBlock
from ...model.joint_facts import turning
from ...model.values import number
from .algebra import Law, Signal, call, clipped, draws, terminals

AXES = ("x", "y", "z")


def _sensor(block: ControlBlock) -> Law:
    u, x, _ = terminals(block)
    n = draws(block)
    lower, upper = block.value("lower", -math.inf), block.value("upper", math.inf)
    values = lambda name, default: block.parameters.get(name, (default,) * len(block.inputs))
    bias, noise, walk = (values(name, 0.0) for name in ("bias", "noise", "walk"))
    gain, steps = values("gain", 1.0), values("resolution", 0.0)
    outputs: list[Signal] = []
    change: list[Signal] = []
    drawn = 0
    for k in range(len(block.inputs)):
        y = gain[k] * u[k] + bias[k]
        if walk[k]:
            y = y + x[len(change)]
            change.append(x[len(change)] + walk[k] * math.sqrt(block.period) * n[drawn])
            drawn += 1
        if noise[k]:
            y = y + noise[k] * n[drawn]
            drawn += 1
        y = clipped(y, lower, upper)
        outputs.append(steps[k] * call("ANINT", y / steps[k]) if steps[k] else y)
    return Law(outputs, block.initial or (0.0,) * len(change), change, drawn)


def _add(model, name, inputs, sample_time, outputs=("",), **numbers) -> ControlBlock:
    count = len(inputs)
    given: dict[str, Any] = {}
    for key, value in numbers.items():
        if value is None:
            continue
        if key in ("lower", "upper"):
            given[key] = number(value, key)
            continue
        values = [value] * count if isinstance(value, (int, float)) else list(value)
        if len(values) != count:
            raise ModelError(f"{key} holds {len(values)} values; give one, or {count}")
        values = [number(v, key) for v in values]
        if key != "bias" and key != "gain" and min(values) < 0.0:
            raise ModelError(f"{key} is {min(values):g}; give zero or a positive number")
        given[key] = tuple(values)
    if "lower" in given and "upper" in given and not given["lower"] < given["upper"]:
        raise ModelError(
            f"lower is {given['lower']:g} and upper {given['upper']:g}; give a lower limit below the upper one"
        )
    ports = {f"u{k + 1}" if count > 1 else "u": u for k, u in enumerate(inputs)}
    return add_block(model, "sensor", name, ports, given, sample_time=sample_time, outputs=outputs)


def sensor(
    model,
    name: str,
    u=None,
    *,
    gain: float = 1.0,
    bias: float = 0.0,
    noise: float = 0.0,
    walk: float = 0.0,
    lower: float | None = None,
    upper: float | None = None,
    resolution: float = 0.0,
    sample_time=None,
) -> ControlBlock:
    """gain u + bias with ``noise`` (standard deviation of each sample, units of the output), a random ``walk`` of the
    bias (units of the output per root of time), a range and a ``resolution``, in this order.

    Noise needs a ``sample_time``, whose `SampleTime` has the seed. Raises `ModelError` for negative noise and limits in
    the wrong order.

        model.control.sensor("measured", "temperature", noise=0.1, resolution=0.25, sample_time=0.1)
    """
    return _add(
        model, name, [u], sample_time, gain=gain, bias=bias, noise=noise, walk=walk, lower=lower, upper=upper,
        resolution=resolution,
    )  # fmt: skip


def encoder(model, name: str, joint=None, *, counts: float, angle=None, noise: float = 0.0, sample_time=None):
    """Angle of a revolute or cylindrical ``joint`` over whole turns, or an expression ``angle`` (rad), in steps of
    2 pi/``counts``, to the nearest; ``noise``: standard deviation before rounding, rad.

    A continuous encoder changes at events. Raises `ModelError` for a joint that does not turn, and counts that are not
    positive.

        model.control.encoder("measured", "hinge", counts=4096, sample_time=0.001)
    """
    if not number(counts, "counts") > 0.0:
        raise ModelError(f"counts is {counts:g}; give a positive number per turn")
    if (joint is None) == (angle is None):
        raise ModelError("give a joint, or an expression of its angle")
    text = rotation(model, joint)[0] if joint is not None else angle
    return _add(model, name, [text], sample_time, noise=noise, resolution=2.0 * math.pi / counts)


def imu(
    model,
    name: str,
    marker,
    *,
    acceleration_noise=0.0,
    rate_noise=0.0,
    acceleration_bias=0.0,
    rate_bias=0.0,
    acceleration_walk=0.0,
    rate_walk=0.0,
    sample_time,
) -> ControlBlock:
    """Inertial measurement unit at a marker, in its axes: specific force ``name.ax``, ``.ay``, ``.az`` (acceleration
    without gravity, length / time^2) and angular velocity ``name.wx``, ``.wy``, ``.wz`` (rad / time).

    Noise (standard deviation of a sample), bias and random walk (per root of time): one number, or one for each axis.
    Raises `ModelError` for a marker that does not exist and negative noise.

        model.control.imu("imu", drone.cm, acceleration_noise=0.02, rate_noise=1e-3, sample_time=0.005)
    """
    at = model._marker(marker)
    size = math.sqrt(sum(g * g for g in model.gravity))
    texts = [f"ACC{c.upper()}({at},0,{at})" for c in AXES]
    if size:
        origin = model.marker(model.ground, (0, 0, 0), name=f"{name}_origin")
        end = model.marker(model.ground, tuple(g / size for g in model.gravity), name=f"{name}_gravity")
        texts = [f"{t} - {size!r}*D{c.upper()}({end.id},{origin.id},{at})" for t, c in zip(texts, AXES)]
    texts += [f"W{c.upper()}({at},0,{at})" for c in AXES]
    three = lambda v: [v] * 3 if isinstance(v, (int, float)) else list(v)
    both = lambda a, b: [*three(a), *three(b)]
    return _add(
        model,
        name,
        texts,
        sample_time,
        ("ax", "ay", "az", "wx", "wy", "wz"),
        noise=both(acceleration_noise, rate_noise),
        bias=both(acceleration_bias, rate_bias),
        walk=both(acceleration_walk, rate_walk),
    )


def force_sensor(
    model,
    name: str,
    element,
    component: str = "x",
    *,
    marker=None,
    noise: float = 0.0,
    bias: float = 0.0,
    lower: float | None = None,
    upper: float | None = None,
    resolution: float = 0.0,
    sample_time=None,
) -> ControlBlock:
    """Force or torque of a joint or force on its I marker: ``component`` "x", "y", "z", "mx", "my", "mz", or "m" and
    "mm" for the sizes (units of force, and force times length), along the axes of ``marker`` (ground by default).

    Noise, bias, range and resolution as of `sensor`. Raises `ModelError` for an element without such a force.

        model.control.force_sensor("pull", "rope", "m", noise=0.5, sample_time=0.01)
    """
    names = {kind: function for function, kind in ELEMENT_FORCES.items()}
    found = model._any(element)
    if found.KIND not in names:
        raise ModelError(f"{found.label} gives no force that a sensor can measure; name a joint or a force")
    order = ("m", "x", "y", "z", "mm", "mx", "my", "mz")
    if component not in order:
        raise ModelError(f"component is {shown(component)}; choose from {', '.join(order)}")
    along = 0 if marker is None else model._marker(marker)
    text = f"{names[found.KIND]}({found.id},0,{order.index(component) + 1},{along})"
    return _add(
        model, name, [text], sample_time, noise=noise, bias=bias, lower=lower, upper=upper, resolution=resolution
    )


def distance_sensor(
    model,
    name: str,
    i,
    j,
    *,
    noise: float = 0.0,
    bias: float = 0.0,
    lower: float | None = None,
    upper: float | None = None,
    resolution: float = 0.0,
    sample_time=None,
) -> ControlBlock:
    """Distance of two markers (length) with noise, bias, range and resolution as of `sensor`. Raises `ModelError` for
    markers that do not exist.

        model.control.distance_sensor("gap", nose.cm, wall, noise=1e-3, upper=5.0, sample_time=0.05)
    """
    text = f"DM({model._marker(i)},{model._marker(j)})"
    return _add(
        model, name, [text], sample_time, noise=noise, bias=bias, lower=lower, upper=upper, resolution=resolution
    )


def rotation(model, joint) -> tuple[str, str, Any]:
    """Expressions of the angle over whole turns and the speed of a joint that turns about z, and the joint. Raises
    `ModelError` for another joint."""
    found = model.find("JOINT", joint)
    if not turning(found):
        raise ModelError(f"{found.label} does not turn about one axis; name a revolute or cylindrical joint")
    return f"AZ({found.i},{found.j})", f"WZ({found.i},{found.j},{found.j})", found


BLOCK_TYPES = (BlockType("sensor", sensor, ("u",), _sensor),)
SHORTHANDS = (encoder, imu, force_sensor, distance_sensor)
