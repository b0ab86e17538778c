"""The laws and friction models of contacts as text: their names, where `contact` has them, and the numbers that they
read.

Plain data: validation and builders ask here and load no numbers.  A new law is its file in `contact/laws` and its row
here; `tests/model/test_contact_words.py` compares every row with what the law requires.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Words(NamedTuple):
    """``module`` of `contact.laws` or `contact.friction`; ``parameters``: names that it may read; ``exponent``: of a
    law whose own it is, else None."""

    module: str
    parameters: tuple[str, ...]
    exponent: float | None = None


_LOSSY = ("stiffness", "exponent", "restitution", "minimum_impact_speed")
_FORCED = ("mu_static", "mu_dynamic", "stiction_transition_velocity", "friction_transition_velocity")
_BRISTLES = (*_FORCED, "tangential_stiffness", "max_stiction_deformation", "reference_load", "tangential_damping")

#: what ``parameters`` of a contact may hold, by law
LAWS = {
    "IMPACT": Words("impact", ("stiffness", "exponent", "damping", "dmax")),
    "POISSON": Words("poisson", ("penalty", "restitution", "normal_transition_velocity"), 1.0),
    "HERTZ": Words("hertz", ("stiffness", "damping", "restitution"), 1.5),
    "HERTZ_LINE": Words("hertz_line", ("damping",), 1.0),
    "HUNT_CROSSLEY": Words("hunt_crossley", (*_LOSSY, "damping")),
    "HERBERT_MCWHANNELL": Words("herbert_mcwhannell", _LOSSY),
    "LEE_WANG": Words("lee_wang", _LOSSY),
    "LANKARANI_NIKRAVESH": Words("lankarani_nikravesh", _LOSSY),
    "GONTHIER": Words("gonthier", _LOSSY),
    "FLORES": Words("flores", _LOSSY),
    "HU_GUO": Words("hu_guo", _LOSSY),
    "CARVALHO_MARTINS": Words("carvalho_martins", _LOSSY),
    "KELVIN_VOIGT": Words("kelvin_voigt", ("stiffness", "damping"), 1.0),
    "VISCOELASTIC": Words(
        "viscoelastic", ("stiffness", "exponent", *(f"{n}{k}" for k in range(1, 5) for n in ("g", "tau")))
    ),
    "ELASTIC_PLASTIC": Words("elastic_plastic", ("stiffness", "exponent", "plasticity", "yield_depth", "damping")),
}
#: what ``friction_parameters`` may hold, by friction model
FRICTIONS = {
    "COULOMB": Words("coulomb", _FORCED),
    "TANH": Words("tanh", _FORCED),
    "BRISTLE": Words("bristle", _BRISTLES),
    "LUGRE": Words("lugre", (*_BRISTLES, "viscous_friction")),
}
_FACTOR_OF_RATE = ("HERTZ", "HERTZ_LINE", "HUNT_CROSSLEY", "ELASTIC_PLASTIC")  # F = elastic force (1 + 3/2 alpha d')
#: dimensions of parameters whose unit does not depend on the law; those of other names depend on it or have none
DIMENSIONS = {
    "dmax": "m", "normal_transition_velocity": "m/s", "minimum_impact_speed": "m/s", "yield_depth": "m",
    "stiction_transition_velocity": "m/s", "friction_transition_velocity": "m/s", "max_stiction_deformation": "m",
    "tangential_stiffness": "N/m", "tangential_damping": "N*s/m", "reference_load": "N", "rolling_resistance": "m",
    "spinning_resistance": "m", "resistance_transition": "rad/s", **{f"tau{k}": "s" for k in range(1, 5)},
}  # fmt: skip


def dimensions(law: str, exponent: Any) -> dict[str, str]:
    """Dimensions of the parameters of a contact with a law (empty: IMPACT), in SI units.

    ``exponent``: of the force over the depth, on which the unit of a stiffness depends where the law has none of its
    own; without a number stiffness has no entry."""
    words = LAWS.get(law.upper() or "IMPACT")
    if words is None:
        return DIMENSIONS
    power = words.exponent if words.exponent is not None else exponent
    out = {**DIMENSIONS, "penalty": "N/m", "damping": "s/m" if law.upper() in _FACTOR_OF_RATE else "N*s/m"}
    if isinstance(power, (int, float)) and 0 < power < 10:
        out["stiffness"] = f"N/m^{power:.12g}"
    return out
