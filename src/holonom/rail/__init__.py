"""Railways: profiles, contact geometry, creep forces, tracks, wheelsets and vehicles, stability.  A toolkit over the
public model."""

from .assessment import Assessment, assess
from .body_fatigue import DUTY, BodyLife, Service, body_life
from .body_shell import CarBody, car_body
from .cooperrider_bogie import cooperrider
from .creep import Ellipse, creep_forces, hertz, kalker
from .geometry import ContactGeometry, Point, conicity, contact_geometry, klingel_wavelength
from .irregularities import (
    Irregularities,
    curve,
    equilibrium_cant,
    make_irregularities,
    read_irregularities,
    spectral_density,
    spectrum,
)
from .profiles import Profile, cone, read_profile, round_head, s1002, uic60
from .quasistatic import QuasiStatic, quasi_static
from .stability import Stability, critical_speed, growth_rate, least_damped
from .vehicle import (
    COACH,
    Bogie,
    RailVehicle,
    Wheelset,
    axle_force,
    bogie,
    draw_track,
    nadal,
    prudhomme,
    rail_vehicle,
    wheel_history,
    wheelset,
)

__all__ = [
    "COACH", "DUTY", "Assessment", "BodyLife", "Bogie", "CarBody", "ContactGeometry",
    "Ellipse", "Irregularities", "Point", "Profile", "QuasiStatic",
    "RailVehicle", "Service", "Stability", "Wheelset",
    "assess", "axle_force", "body_life", "bogie", "car_body", "cone",
    "conicity", "contact_geometry", "cooperrider", "creep_forces",
    "critical_speed",
    "curve", "draw_track", "equilibrium_cant", "growth_rate", "hertz", "kalker", "klingel_wavelength", "least_damped",
    "make_irregularities", "nadal", "prudhomme", "quasi_static", "rail_vehicle", "read_irregularities", "read_profile",
    "round_head", "s1002",
    "spectral_density", "spectrum", "uic60", "wheel_history", "wheelset",
]  # fmt: skip
