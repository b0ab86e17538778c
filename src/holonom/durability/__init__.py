"""Durability: cycles of loads and stresses, S-N and strain-life, damage and life at nodes of a mesh."""

from .counting import (
    Cycles,
    Matrix,
    combine,
    level_crossings,
    peaks,
    rainflow,
    range_pairs,
    simple_ranges,
    turning_points,
)
from .cracks import crack_growth
from .curves import SNCurve, eurocode3, iiw
from .damage import Damage, damage, pseudo_damage, relative_damage
from .fields import Life, life
from .mean_stress import MeanStress, fkm, gerber, goodman, morrow, soderberg, swt, walker
from .plots import plot_curve, plot_life, plot_loops, plot_matrix, plot_spectrum
from .signals import signal
from .spectral import Spectrum, amplitude_density, gaussian_signal, spectral_damage, spectrum
from .strain_life import Loops, StrainLife
from .stress import ModalStress, beam_stress, modal_stress

__all__ = [
    "Cycles", "Damage", "Life", "Loops", "Matrix", "MeanStress", "ModalStress", "SNCurve", "Spectrum", "StrainLife",
    "amplitude_density", "beam_stress",
    "combine", "crack_growth", "damage", "eurocode3", "fkm", "gaussian_signal", "gerber", "goodman", "iiw",
    "level_crossings", "life",
    "modal_stress", "morrow", "peaks",
    "plot_curve", "plot_life", "plot_loops", "plot_matrix", "plot_spectrum", "pseudo_damage", "rainflow", "range_pairs",
    "relative_damage", "signal",
    "simple_ranges", "soderberg", "spectral_damage", "spectrum", "swt", "turning_points", "walker",
]  # fmt: skip
