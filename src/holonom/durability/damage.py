"""Damage of signals by Palmgren and Miner: sum n_i / N_i."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._summary import Summary
from ..model.base import ModelError, shown
from ..model.kinds import all_numbers, not_negative, positive
from ._words import history
from .counting import Cycles, rainflow
from .curves import SNCurve
from .mean_stress import MeanStress
from .strain_life import StrainLife


@dataclass(frozen=True, eq=False)
class Damage(Summary):
    """Damage per pass: ``each`` (k,) of the ``cycles``, including counts."""

    cycles: Cycles
    each: np.ndarray

    @property
    def total(self) -> float:
        """The sum (Miner); failure at 1."""
        return float(self.each.sum())

    @property
    def life(self) -> float:
        """Passes to failure, infinite where there is no damage."""
        return 1.0 / self.total if self.total else np.inf

    def __float__(self) -> float:
        return self.total

    def __repr__(self) -> str:
        return f"Damage({self.total:.4g} a pass, {self.life:.4g} passes to failure; {self.cycles.total:g} cycles)"


def damage(
    signal: Any,
    material: SNCurve | StrainLife,
    *,
    mean: MeanStress | None = None,
    factor: float = 1.0,
    residue: str | None = None,
    hysteresis: float = 0.0,
) -> Damage:
    """Damage of one pass of a signal (n,) or of counted `Cycles`.

    ``material``: an S-N curve (``mean``: a mean stress correction, or None) or strain-life parameters, for which the
    signal is the elastic stress; ``factor``: stress per unit of the signal, notch factor included;
    ``residue``: as in `rainflow`, default "half" of curves and "repeat" of strain-life; ``hysteresis``: smallest range
    that counts, unit of the signal.  Raises `ModelError` for signals that are empty or not finite, and where the mean
    stress reaches the strength.
    """
    all_numbers(factor=factor)
    if isinstance(material, StrainLife):
        if mean is not None:
            raise ModelError(
                "strain-life has a correction of its own; give StrainLife(correction=...) and leave mean out"
            )
        if isinstance(signal, Cycles):
            raise ModelError(
                "strain-life needs the order of the turning points; give the signal, not cycles that have been counted"
            )
        not_negative(hysteresis=hysteresis)
        x = factor * history(signal)
        loops = material.path(x, residue or "repeat", hysteresis=hysteresis * abs(factor))
        each = loops.count * material.damages(loops)
        if np.any(np.isinf(each)):
            raise ModelError(
                f"{material.correction}: the mean stress {loops.mean_stress[np.isinf(each)].max():.6g} reaches sf' = "
                f"{material.sigma_f:.6g}; there is no life left"
            )
        return Damage(loops, each)
    if not isinstance(material, SNCurve):
        raise ModelError(f"material is {shown(material)}; give an SNCurve or a StrainLife")
    cycles = signal if isinstance(signal, Cycles) else rainflow(signal, residue or "half", hysteresis=hysteresis)
    if isinstance(signal, Cycles) and (residue or hysteresis):
        raise ModelError("these cycles have been counted; residue and hysteresis belong to rainflow")
    stresses = cycles.scaled(factor)
    each = cycles.count * material.damages(stresses.start, stresses.end, mean)
    if mean is not None and np.any(np.isinf(each)):
        raise ModelError(mean.beyond(float(stresses.mean[np.isinf(each)].max())))
    return Damage(stresses, each)


def pseudo_damage(signal: Any, slope: float = 5.0, *, residue: str = "half", hysteresis: float = 0.0) -> float:
    """sum n_i a_i^k over the rainflow amplitudes of a load (n,) or of counted cycles: damage without a material, (unit
    of the signal)^slope.

    Only ratios are meaningful; they do not depend on the constant of a curve.  Raises `ModelError` as `rainflow` does.
    """
    positive(slope=slope)
    cycles = signal if isinstance(signal, Cycles) else rainflow(signal, residue, hysteresis=hysteresis)
    return cycles.pseudo_damage(slope)


def relative_damage(
    signals: Mapping[str, Any], reference: str, slope: float = 5.0, *, residue: str = "half"
) -> dict[str, float]:
    """Pseudo-damage of signals over that of one of them, by name.

    Raises `ModelError` for a reference that is not among them or does no damage, and as `rainflow` does.
    """
    if reference not in signals:
        from ._words import word

        word("reference", reference, signals)
    found = {name: pseudo_damage(x, slope, residue=residue) for name, x in signals.items()}
    if not found[reference] > 0.0:
        raise ModelError(f"the reference '{reference}' does no damage: it is constant; take another one")
    return {name: value / found[reference] for name, value in found.items()}
