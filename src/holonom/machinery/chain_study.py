"""Roller and silent chains side by side: tensions, ratio and ripple of a drive in steady running compared with closed
forms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..analyses.session.simulate import simulate
from ..model import ModelError
from ..model.base import shown
from .belt_theory import polygon_effect
from .chain import CHAIN_TYPES, chain_drive

TORQUE, PITCH, SPEED = 10.0, 12.7e-3, 49.5


def _line(time: np.ndarray, signal: np.ndarray, frequency: float) -> float:
    """Amplitude of a signal at a frequency, slow changes taken off."""
    t = time - time.mean()
    wave = (signal - np.polyval(np.polyfit(t, signal, 3), t)) * 2.0 * np.hanning(len(t))
    return float(2.0 * abs(np.mean(wave * np.exp(-2j * np.pi * frequency * t))))


def chain_study(
    kinds: Sequence[str] = CHAIN_TYPES,
    teeth: tuple[int, int] = (18, 36),
    *,
    links: int = 60,
    end: float = 0.12,
    settled: float = 0.05,
    say: Callable[[str], None] | None = None,
) -> list[dict[str, Any]]:
    """Drives of `chain_drive` with 10 N m at 49.5 rad/s: rows with ``kind``, ``steps``, ``cpu``, ``ratio`` of speeds,
    ``tight`` and ``slack`` strand (N), ``pull`` (their difference) and ``expected`` (torque over pitch radius, and of
    what the driver's inertia takes), ``once``, ``twice``, ``between``: ripple of the driver (rad/s) at 1, 2 and 1.5
    times the frequency of teeth, ``strike``: largest force of one sprocket's teeth over its mean, ``polygon``: its
    closed form.  Means are from ``settled`` (s) on.  Raises `ModelError` as `chain_drive`, and for runs that are too
    short.
    """
    if not end - settled > 0.03:
        raise ModelError(f"end is {shown(end)}; give {settled + 0.03:g} s or more, so that teeth come often enough")
    rows = []
    for kind in kinds:
        run = simulate(
            chain_drive(links, teeth, torque=TORQUE, speed=SPEED, kind=kind),
            end,
            round(4000 * end),
            integrator="GSTIFF",
            error=3e-6,
        )
        steady = run.time >= settled
        radius = 0.5 * PITCH / math.sin(math.pi / teeth[0])
        speeds = run.request("speeds").values[steady, 1:3]
        places = np.array([run.part(f"link {k + 1}").position.values[steady, :2] for k in range(links)])
        pulls = np.array(
            [np.linalg.norm(run.constraint(f"pin {k + 1}").force.values[steady, :2], axis=1) for k in range(links)]
        )
        far = float(run.part("driven").position.values[0, 0])
        free = (places[..., 0] > 0.3 * far) & (places[..., 0] < 0.6 * far)
        strand = [
            float((pulls * side).sum() / side.sum())
            for side in (free & (places[..., 1] > 0.0), free & (places[..., 1] < 0.0))
        ]
        pace = speeds[:, 0].mean() * teeth[0] / (2.0 * math.pi)
        normal = run.contact("driver teeth").normal.values[steady]
        once, between, twice = (_line(run.time[steady], speeds[:, 0], k * pace) for k in (1.0, 1.5, 2.0))
        row = {
            "kind": kind,
            "steps": len(run.history),
            "cpu": float(run.counters.get("cpu seconds", math.nan)),
            "ratio": float(speeds[:, 0].mean() / speeds[:, 1].mean()),
            "tight": strand[0],
            "slack": strand[1],
            "pull": strand[0] - strand[1],
            "expected": TORQUE / radius,
            "once": once,
            "between": between,
            "twice": twice,
            "strike": float(normal.max() / normal.mean()),
            "polygon": polygon_effect(teeth[0]),
        }
        rows.append(row)
        if say is not None:
            say(
                f"{kind:8}{row['steps']:7}{row['cpu']:8.1f}{row['ratio']:9.4f}{row['tight']:10.1f}{row['slack']:9.2f}"
                f"{row['pull']:9.1f}{row['expected']:9.1f}"
                f"{once:9.3f}{between:9.3f}{twice:9.3f}{row['strike']:9.3f}"
            )
    return rows


CHAIN_HEAD = (
    f"{'chain':8}{'steps':>7}"
    f"{'CPU s':>8}{'ratio':>9}{'tight, N':>10}{'slack':>9}{'pull':>9}{'M/r':>9}{'x 1':>9}{'x 1.5':>9}{'x 2':>9}{'strike':>9}"  # noqa: E501
)
