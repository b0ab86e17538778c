"""Railways: profiles, contact geometry, creep forces, tracks, wheelsets and vehicles, stability.  A toolkit over the public model."""

from .profiles import Profile, cone, read_profile, round_head, s1002, uic60

__all__ = ["Profile", "cone", "read_profile", "round_head", "s1002", "uic60"]
