"""Elements of absolute nodal coordinates, a file each."""
