"""Which module has the kernel of which pair of kinds: one line each, the lower kind (`tables.KINDS`) first."""

from __future__ import annotations

PAIRS: dict[tuple[str, str], str] = {
    ("SPHERE", "SPHERE"): "sphere_sphere",
    ("SPHERE", "PLANE"): "sphere_plane",
}
