"""Railways: profiles, contact geometry, creep forces, tracks, wheelsets and vehicles, stability.  A toolkit over the public model."""

from .creep import Ellipse, creep_forces, hertz, kalker
from .geometry import ContactGeometry, Point, conicity, contact_geometry, klingel_wavelength
from .profiles import Profile, cone, read_profile, round_head, s1002, uic60

__all__ = [
    "ContactGeometry", "Ellipse", "Point", "Profile", "cone", "conicity", "contact_geometry", "creep_forces", "hertz", "kalker", "klingel_wavelength", "read_profile",
    "round_head", "s1002", "uic60",
]  # fmt: skip
