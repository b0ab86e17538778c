"""MJCF, the files of MuJoCo."""
