"""Joint coordinates: a tree of rigid bodies whose positions follow from the coordinates of its joints.

`tree` finds the spanning tree of a system and fills its tables, `kernels` are the recursions over it, `loops` what
constrains it further, `entry` is how Python calls them, `dynamics` what users call.
"""
