"""`Granular`: spheres and walls as flat arrays, advanced by an explicit step."""

from __future__ import annotations


class Granular:
    """Spheres and walls that push each other, by an explicit step of constant length.

    **Equations.**  m x'' = m g + sum F,  I w' = sum T  for each sphere, F and T from a `Law` for the pair of materials at every point where
    two spheres, or a sphere and a wall, overlap; the point lies in the middle of the overlap.  Ground axes throughout; SI or any
    consistent units.

    **Making one.**

        Granular(law, step=1e-4, gravity=(0, 0, 0), method="EULER" | "VERLET", threads=1, skin=None, orientation=False)

    law: a `Law`, for all pairs of materials, or a dict {(a, b): Law} by material numbers (0, 1, ...; (a, b) serves (b, a) too).
    ``set_law(a, b, law)`` changes one later.  EULER: semi-implicit, first order; VERLET: velocity Verlet, second order.
    skin: how much further than touching the lists of near spheres reach (a length); None: a part of the mean radius.

    **Spheres.**

        ids = g.add(pos (n, 3), radius, mass= or density=, inertia=None, vel=, omega=, material=0, orientation=)
        g.remove(ids)                               # any time; an id is never used again
        g.count, g.ids                              # (n,) int64, rising; all arrays below follow this order
        g.pos, g.vel, g.omega (n, 3)                # copies; omega in ground axes
        g.radius, g.mass, g.inertia, g.material (n,)
        g.orientation (n, 4)                        # unit quaternion (scalar first); only with orientation=True
        g.set(ids=None, pos=, vel=, omega=, ...)    # writes, of all spheres or of some
        g.load(ids, force=(n, 3), torque=(n, 3))    # a constant load from now on, beside gravity

    **Walls.**  ``w = g.wall(name, material=0, position=(0, 0, 0), rotation=I)``, then shapes in the wall's own axes, each returns w:

        w.plane(point, normal)                      # half space; the normal points to the free side
        w.box(low, high, open="")                   # inside of a box; sides left out: "top bottom left right front back" (z, x, y)
        w.block(low, high)                          # a solid box
        w.cylinder(a, b, radius)                    # a thin round shell from a to b, felt on both sides
        w.cone(a, b, ra, rb)                        # a shell whose radius goes from ra at a to rb at b: a hopper; a disc where a and b coincide
        w.disc(centre, normal, radius, hole=0)      # a round plate
        w.sphere(centre, radius, hollow=False)
        w.triangles(vertices (n, 3), faces (m, 3))  # a surface, felt on both sides

        w.position, w.rotation (3, 3), w.velocity, w.angular_velocity   # may be set at any time; it moves on with its velocities
        w.surface_velocity                          # of its material in its own axes: a belt
        w.force, w.moment                           # of the spheres on the wall in the last step; moment about w.position; ground axes
        w.impulse, w.angular_impulse                # their sums over time since w.reset(): mean force = impulse / time

    **Time.**

        g.advance(n, motion=None)                   # n steps; motion(t): called before each step to set walls and loads
        g.time, g.steps, g.step
        g.contact_time()                            # shortest time of a contact: the step should be a twentieth of it or less

    **What is there.**  ``g.contacts()`` -> Contacts(a, b, wall, point, normal, depth, force, memory...) of the points that touch now;
    ``g.energy()`` -> Energy(kinetic, rotational, potential, elastic); ``g.momentum()``; ``g.memory`` bytes held; statistics in
    `holonom.granular.statistics`.

    **Threads.**  Results are equal to the last bit for any number of threads: spheres are cut into chunks whose number follows from
    their number alone, and sums run in the order of chunks.

    Raises ModelError for bad numbers, and when spheres leave the range of numbers (the step is too long for the stiffness).
    """
