"""Which module has which law: one line each."""

from __future__ import annotations

LAWS: dict[str, str] = {
    "IMPACT": "impact",
    "POISSON": "poisson",
    "HERTZ": "hertz",
    "HERTZ_LINE": "hertz_line",
    "HUNT_CROSSLEY": "hunt_crossley",
    "HERBERT_MCWHANNELL": "herbert_mcwhannell",
    "LEE_WANG": "lee_wang",
    "LANKARANI_NIKRAVESH": "lankarani_nikravesh",
    "GONTHIER": "gonthier",
    "FLORES": "flores",
    "HU_GUO": "hu_guo",
    "CARVALHO_MARTINS": "carvalho_martins",
    "KELVIN_VOIGT": "kelvin_voigt",
    "VISCOELASTIC": "viscoelastic",
    "ELASTIC_PLASTIC": "elastic_plastic",
}
