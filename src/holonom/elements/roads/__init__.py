"""Roads: heights over the plane of a marker, one file a family of shapes; `surface` makes of them the plane that a tyre
sees."""
