"""Parameter studies: designs of experiments, sensitivity, optimisation, reliability and identification over any
function or model, with runs in worker processes and a store that survives a kill.

    study = hn.Study("pendulum.study", swing, {"length": (0.25, 1.0)})
    table = study.run(hn.studies.latin_hypercube(64))
    best = study.minimize("peak", subject_to={"travel": (None, 0.1)})

See docs/studies.md.
"""

from __future__ import annotations

from .._moved import former_names
from ..model.calls import explain
from .curve_files import read_curve
from .curves import Curve, Experiment
from .designs import (
    Design,
    box_behnken,
    central_composite,
    d_optimal,
    fractional_factorial,
    full_factorial,
    halton,
    latin_hypercube,
    plackett_burman,
    random,
    read_points,
    sobol,
)
from .diagnosis import Diagnosis, diagnose
from .distributions import (
    Distribution,
    Exponential,
    Gumbel,
    LogNormal,
    Normal,
    TruncatedNormal,
    Uniform,
    Weibull,
)
from .faults import cracked, defect_force, defect_order
from .identification import Identification, identify
from .measures import Measure
from .parameters import Space, StudyParameter
from .pool import Cancelled
from .regressor import BaseParameters, InertiaEstimate, InertiaRegressor
from .results import Results, load
from .store import Row, Store
from .study import AllRunsFailed, Study

__all__ = [
    "AllRunsFailed", "BaseParameters", "Cancelled", "Curve", "Design", "Diagnosis", "Distribution", "Experiment",
    "Exponential", "Gumbel", "Identification", "InertiaEstimate", "InertiaRegressor", "LogNormal", "Measure",
    "Normal", "Results", "Row", "Space", "Store", "Study", "StudyParameter", "TruncatedNormal", "Uniform",
    "Weibull", "box_behnken", "central_composite", "cracked", "d_optimal", "defect_force", "defect_order", "diagnose",
    "fractional_factorial",
    "full_factorial", "halton", "identify", "latin_hypercube", "load", "plackett_burman", "random", "read_curve",
    "read_points", "sobol",
]  # fmt: skip

explain(globals(), __all__)

__getattr__ = former_names(__name__, {"table": "read_points"})
