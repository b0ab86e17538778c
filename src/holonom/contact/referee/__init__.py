"""An independent check that no body passes through another: it shares nothing with the contact search, the gap monitors
or the contact kernels.

A body can only pass another if points inside it cross the surface of the other.  Every shape gets interior *reference
points* once, each with its depth, its distance from the surface of its own shape (`points`).  Between two accepted
steps the path of each of them relative to the other body is cut with the surface of that body (`surfaces`), pairs that
are too far apart for their motion are skipped (`sweep`).  Where a reference point of depth d crosses a surface, the two
bodies overlap by about d at least; `judge` decides whether the contact law or the constraint allows that.
"""
