"""Which pairs of types of shapes can touch, and which module of `contact.shapes` has the kernel: one line each, the
lower kind
(`contact.tables.SHAPE_TYPES`) first.  Plain data, which validation reads too.

Types that use the kernels of another one (`ShapeKind.kernels_of`: a point those of a ball, a height field those of a
mesh) have no line."""

from __future__ import annotations

from .shape_kinds import SHAPES, shape_kind

PAIRS: dict[tuple[str, str], str] = {
    ("SPHERE", "SPHERE"): "sphere_sphere",
    ("SPHERE", "PLANE"): "sphere_plane",
    ("SPHERE", "BOX"): "sphere_box",
    ("SPHERE", "CYLINDER"): "sphere_cylinder",
    ("SPHERE", "CAPSULE"): "sphere_capsule",
    ("SPHERE", "FRUSTUM"): "sphere_frustum",
    ("SPHERE", "ELLIPSOID"): "sphere_ellipsoid",
    ("SPHERE", "TORUS"): "sphere_torus",
    ("SPHERE", "HULL"): "sphere_hull",
    ("PLANE", "BOX"): "plane_box",
    ("PLANE", "CYLINDER"): "plane_cylinder",
    ("PLANE", "CAPSULE"): "plane_capsule",
    ("PLANE", "FRUSTUM"): "plane_frustum",
    ("PLANE", "ELLIPSOID"): "plane_ellipsoid",
    ("PLANE", "TORUS"): "plane_torus",
    ("PLANE", "HULL"): "plane_hull",
    ("CYLINDER", "CYLINDER"): "cylinder_cylinder",
    ("BOX", "BOX"): "convex",
    ("BOX", "CYLINDER"): "convex",
    ("BOX", "CAPSULE"): "convex",
    ("BOX", "FRUSTUM"): "convex",
    ("BOX", "ELLIPSOID"): "convex",
    ("BOX", "HULL"): "convex",
    ("CYLINDER", "CAPSULE"): "cylinder_capsule",
    ("CYLINDER", "FRUSTUM"): "convex",
    ("CYLINDER", "ELLIPSOID"): "convex",
    ("CYLINDER", "HULL"): "convex",
    ("CAPSULE", "CAPSULE"): "capsule_capsule",
    ("CAPSULE", "FRUSTUM"): "convex",
    ("CAPSULE", "ELLIPSOID"): "convex",
    ("CAPSULE", "HULL"): "convex",
    ("FRUSTUM", "FRUSTUM"): "convex",
    ("FRUSTUM", "ELLIPSOID"): "convex",
    ("FRUSTUM", "HULL"): "convex",
    ("ELLIPSOID", "ELLIPSOID"): "convex",
    ("ELLIPSOID", "HULL"): "convex",
    ("HULL", "HULL"): "convex",
}

# profiles
PAIRS |= {
    ("SPHERE", "CURVE"): "sphere_curve",
    ("CYLINDER", "CURVE"): "sphere_curve",
    ("PLANE", "CURVE"): "plane_curve",
    ("CURVE", "CURVE"): "curve_curve",
    ("EXTRUSION", "EXTRUSION"): "extrusion_extrusion",
    ("SPHERE", "EXTRUSION"): "sphere_extrusion",
    ("PLANE", "EXTRUSION"): "plane_extrusion",
    ("CYLINDER", "EXTRUSION"): "sphere_curve",  # with parallel axes
    ("PLANE", "REVOLUTION"): "plane_revolution",
    ("SPHERE", "REVOLUTION"): "sphere_revolution",
    ("CAPSULE", "REVOLUTION"): "rod_revolution",
    ("CYLINDER", "REVOLUTION"): "cylinder_revolution",
}

# meshes
PAIRS |= {(a, "MESH"): "solid_mesh" for a in ("BOX", "CYLINDER", "CAPSULE", "FRUSTUM", "ELLIPSOID")}
PAIRS |= {("SPHERE", "MESH"): "sphere_mesh", ("PLANE", "MESH"): "plane_mesh", ("MESH", "MESH"): "mesh_mesh"}

# what a ball sweeps, against all that a ball can meet
PAIRS |= {
    ("CURVE", "EXTRUSION"): "extrusion_extrusion",
    ("CAPSULE", "CURVE"): "swept",
    ("CAPSULE", "EXTRUSION"): "swept",
}
PAIRS |= {(a, "TORUS"): "swept" for a in ("BOX", "CYLINDER", "CAPSULE", "FRUSTUM", "ELLIPSOID", "TORUS")}
PAIRS |= {("TORUS", b): "swept" for b in ("HULL", "MESH", "CURVE", "EXTRUSION", "REVOLUTION")}

# the rest: by the meshes that represent shapes
PAIRS |= {
    (a, b): "as_meshes"
    for a in ("BOX", "FRUSTUM", "ELLIPSOID", "HULL", "MESH")
    for b in ("CURVE", "EXTRUSION", "REVOLUTION")
}
PAIRS |= {("HULL", "MESH"): "as_meshes"}
PAIRS |= {(a, "REVOLUTION"): "as_meshes" for a in ("CURVE", "EXTRUSION", "REVOLUTION")}


def kernel_module(a: str, b: str) -> str:
    """Module of `contact.shapes` that has the kernel of two types, in either order; empty where there is none."""
    if shape_kind(a).sizeless and shape_kind(b).sizeless:
        return ""
    first, second = sorted((shape_kind(a).meets_as, shape_kind(b).meets_as), key=list(SHAPES).index)
    return PAIRS.get((first, second), "")
