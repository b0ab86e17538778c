"""Bodies: how their coordinates move and what inertia costs."""
