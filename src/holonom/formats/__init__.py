"""Formats of other programs: readers return a `holonom.model.Model`, writers take one.  `robots` is imported when it
is needed."""

from .adams import parse_acf, parse_adm, parse_cmd, read_acf, read_adm, read_cmd, write_acf, write_adm

__all__ = ["parse_acf", "parse_adm", "parse_cmd", "read_acf", "read_adm", "read_cmd", "write_acf", "write_adm"]
