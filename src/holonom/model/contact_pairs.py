"""Which pairs of kinds of shapes can touch, and which module of `contact.shapes` has the kernel: one line each, the lower kind
(`contact.tables.KINDS`) first.  Plain data, which validation reads too."""

from __future__ import annotations

PAIRS: dict[tuple[str, str], str] = {
    ("POINT", "SPHERE"): "sphere_sphere",  # a point is a sphere of no radius: its row of numbers is zero
    ("POINT", "PLANE"): "sphere_plane",
    ("POINT", "BOX"): "sphere_box",
    ("POINT", "CYLINDER"): "sphere_cylinder",
    ("POINT", "CAPSULE"): "sphere_capsule",
    ("POINT", "FRUSTUM"): "sphere_frustum",
    ("POINT", "ELLIPSOID"): "sphere_ellipsoid",
    ("POINT", "TORUS"): "sphere_torus",
    ("POINT", "HULL"): "sphere_hull",
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

#: kinds with data in the pools -> module with ``pack(solid, sizes)``
PACKERS: dict[str, str] = {"HULL": "hull_data"}

# profiles
PAIRS |= {
    ("POINT", "CURVE"): "sphere_curve",
    ("SPHERE", "CURVE"): "sphere_curve",
    ("CYLINDER", "CURVE"): "sphere_curve",
    ("PLANE", "CURVE"): "plane_curve",
    ("CURVE", "CURVE"): "curve_curve",
    ("EXTRUSION", "EXTRUSION"): "extrusion_extrusion",
    ("POINT", "EXTRUSION"): "sphere_extrusion",
    ("SPHERE", "EXTRUSION"): "sphere_extrusion",
    ("PLANE", "EXTRUSION"): "plane_extrusion",
    ("CYLINDER", "EXTRUSION"): "sphere_curve",  # with parallel axes
    ("PLANE", "REVOLUTION"): "plane_revolution",
    ("POINT", "REVOLUTION"): "sphere_revolution",
    ("SPHERE", "REVOLUTION"): "sphere_revolution",
    ("CAPSULE", "REVOLUTION"): "rod_revolution",
    ("CYLINDER", "REVOLUTION"): "cylinder_revolution",
}
PACKERS |= dict.fromkeys(("CURVE", "EXTRUSION", "REVOLUTION"), "profile")

# meshes and height fields (kept as meshes)
PAIRS |= {(a, b): "solid_mesh" for a in ("BOX", "CYLINDER", "CAPSULE", "FRUSTUM", "ELLIPSOID") for b in ("MESH", "HEIGHT_FIELD")}
PAIRS |= {(a, b): "sphere_mesh" for a in ("POINT", "SPHERE") for b in ("MESH", "HEIGHT_FIELD")}
PAIRS |= {
    ("PLANE", "MESH"): "plane_mesh",
    ("MESH", "MESH"): "mesh_mesh",
    ("MESH", "HEIGHT_FIELD"): "mesh_mesh",
    ("HEIGHT_FIELD", "HEIGHT_FIELD"): "mesh_mesh",
    ("PLANE", "HEIGHT_FIELD"): "plane_mesh",
}
PACKERS |= dict.fromkeys(("MESH", "HEIGHT_FIELD"), "mesh")

# what a ball sweeps, against all that a ball can meet
PAIRS |= {("CURVE", "EXTRUSION"): "extrusion_extrusion", ("CAPSULE", "CURVE"): "swept", ("CAPSULE", "EXTRUSION"): "swept"}
PAIRS |= {(a, "TORUS"): "swept" for a in ("BOX", "CYLINDER", "CAPSULE", "FRUSTUM", "ELLIPSOID", "TORUS")}
PAIRS |= {("TORUS", b): "swept" for b in ("HULL", "MESH", "HEIGHT_FIELD", "CURVE", "EXTRUSION", "REVOLUTION")}

# the rest: by the meshes that stand for shapes
PAIRS |= {(a, b): "as_meshes" for a in ("BOX", "FRUSTUM", "ELLIPSOID", "HULL") for b in ("CURVE", "EXTRUSION", "REVOLUTION")}
PAIRS |= {(a, b): "as_meshes" for a in ("MESH", "HEIGHT_FIELD") for b in ("CURVE", "EXTRUSION", "REVOLUTION")}
PAIRS |= {("HULL", b): "as_meshes" for b in ("MESH", "HEIGHT_FIELD")}
PAIRS |= {(a, "REVOLUTION"): "as_meshes" for a in ("CURVE", "EXTRUSION", "REVOLUTION")}
